# SPDX-License-Identifier: MIT
"""Light that reaches a card's edge from outside its tile.

A sampler knows nothing of tiles: it reads the four texels around a point of the whole image, and
past the image's border the last texel again. Bleeding is measured by baking an atlas of the same
layout whose neighbouring tiles share no light.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ..baseline import naive_levels
from .layout import Layout

__all__ = ["geometric_bleed", "measured_bleed", "no_bleed", "tile_classes"]

# Points along the middle half of an edge; the corners are measured apart.
_ALONG = np.linspace(0.25, 0.75, 9)


def tile_classes(rects: np.ndarray) -> np.ndarray:
    """Colours tiles greedily so that no two within each other's reach have one class.

    At the last level that shows it a tile is one texel wide, so that a sampler at its edge reaches
    at most its own width beyond.

    Parameters
    ----------
    rects : (tiles, 4) int
        x, y, width, height.

    Returns
    -------
    (tiles,) int
        Classes from 0.
    """
    begin, end = rects[:, :2].astype(np.int64), rects[:, :2].astype(np.int64) + rects[:, 2:]
    reach = rects[:, 2:].max(axis=1)
    classes = np.full(len(rects), -1)
    for tile in range(len(rects)):
        gap = np.maximum(begin - end[tile], begin[tile] - end).max(axis=1)
        near = gap[:tile] < np.maximum(reach[:tile], reach[tile])
        taken = set(classes[:tile][near].tolist())
        classes[tile] = next(free for free in range(len(rects)) if free not in taken)
    return classes


def _covers(layout: Layout) -> bool:
    area = layout.tiles.rects[:, 2:].astype(np.int64).prod(axis=1).sum()
    return bool(area == layout.sizes[0].prod())


def _paint(layout: Layout, classes: np.ndarray, first: int) -> np.ndarray:
    """Opaque tiles: class `first` red, the next green, the next blue, all else black."""
    width, height = layout.sizes[0]
    image = np.zeros((height, width, 4), dtype=np.uint8)
    image[..., 3] = 255
    for (x, y, w, h), number in zip(layout.tiles.rects.tolist(), classes - first, strict=True):
        if 0 <= number < 3:
            image[y : y + h, x : x + w, number] = 255
    return image


def _axis_taps(position: np.ndarray, size: int, level_size: int) -> tuple[np.ndarray, np.ndarray]:
    """First of the two texels around positions of level 0, and the weight of the second.

    In whole numbers where positions are whole, so that a weight of nothing is exactly 0.
    """
    scaled = 2 * position * level_size - size
    first = np.floor_divide(scaled, 2 * size)
    return first.astype(np.int64), (scaled - first * 2 * size) / (2.0 * size)


def _points(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """Points of level 0, (tiles, 4 edges, points, 2) and (tiles, 4 corners, 2)."""
    x0, y0, x1, y1 = layout.drawn().astype(float).T[..., None]
    across, down = x0 + (x1 - x0) * _ALONG, y0 + (y1 - y0) * _ALONG
    still = np.ones_like(_ALONG)
    edges = [(x0 * still, down), (across, y0 * still), (x1 * still, down), (across, y1 * still)]
    corners = [(x0, y0), (x1, y0), (x0, y1), (x1, y1)]
    return (
        np.stack([np.stack(edge, axis=-1) for edge in edges], axis=1),
        np.stack([np.concatenate(corner, axis=-1) for corner in corners], axis=1),
    )


def _taps(layout: Layout, level: int, points: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
    """The four texels (x, y, weight) around each point, clamped to the image."""
    (width, height), (level_width, level_height) = layout.sizes[0], layout.sizes[level]
    x, wx = _axis_taps(points[..., 0], width, level_width)
    y, wy = _axis_taps(points[..., 1], height, level_height)
    for dy, weight_y in ((0, 1.0 - wy), (1, wy)):
        for dx, weight_x in ((0, 1.0 - wx), (1, wx)):
            column = np.clip(x + dx, 0, level_width - 1)
            row = np.clip(y + dy, 0, level_height - 1)
            yield column, row, weight_x * weight_y


def _collect(
    layout: Layout, count: int, share: Callable[[int, np.ndarray, np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Greatest shares along edges and at corners. share(level, tiles, points) -> (tiles, ...)"""
    edges, corners = _points(layout)
    along = np.full((len(layout), count, 4), np.nan)
    at_corner = np.full((len(layout), count), np.nan)
    for level in range(count):
        alive = layout.alive(level)
        if len(alive):
            along[alive, level] = share(level, alive, edges[alive]).max(axis=2)
            at_corner[alive, level] = share(level, alive, corners[alive]).max(axis=1)
    return along, at_corner


def _light(color_space: str) -> np.ndarray:
    codes = np.arange(256) / 255.0
    if color_space == "linear":
        return codes
    return np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)


def _sample(
    layout: Layout, level: int, image: np.ndarray, points: np.ndarray, light: np.ndarray
) -> np.ndarray:
    """(..., 3) light of bilinear samples."""
    total = np.zeros((*points.shape[:-1], 3))
    for x, y, weight in _taps(layout, level, points):
        total += weight[..., None] * light[image[y, x, :3]]
    return total


def _foreign(
    layout: Layout,
    levels: Sequence[np.ndarray],
    classes: np.ndarray,
    first: int,
    color_space: str,
) -> tuple[np.ndarray, np.ndarray]:
    light = _light(color_space)

    def share(level: int, tiles: np.ndarray, points: np.ndarray) -> np.ndarray:
        found = _sample(layout, level, levels[level], points, light)
        own = (classes[tiles] - first).reshape(-1, *(1,) * (found.ndim - 2))
        lit = np.take_along_axis(
            found, np.broadcast_to(np.clip(own, 0, 2), found.shape[:-1])[..., None], axis=-1
        )[..., 0]
        # The fourth class is black: all light is foreign to it.
        return np.where(own == 3, found.sum(axis=-1), 1.0 - lit)

    along, at_corner = _collect(layout, len(levels), share)
    others = (classes < first) | (classes > first + 3)
    along[others] = at_corner[others] = np.nan
    return along, at_corner


def _merge(parts: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Each tile was measured in one part and is NaN in the others."""
    along, at_corner = parts[0]
    for next_along, next_corner in parts[1:]:
        along = np.where(np.isnan(along), next_along, along)
        at_corner = np.where(np.isnan(at_corner), next_corner, at_corner)
    return along, at_corner


def measured_bleed(
    layout: Layout, bake: Callable[[np.ndarray], Sequence[np.ndarray]], color_space: str
) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """Bleeding of baked and of naive chains of one layout.

    Parameters
    ----------
    layout : Layout
    bake : callable
        (h, w, 4) uint8 -> the levels of its chain.
    color_space : str

    Returns
    -------
    baked, naive : ((tiles, levels, 4), (tiles, levels)) float
        Along the edges (left, top, right, bottom) and at the corners.
    """
    classes = tile_classes(layout.tiles.rects)
    count = int(classes.max()) + 1
    # Black can be a class of its own only where it means nothing else.
    step = 4 if count <= 4 and _covers(layout) else 3
    baked, naive = [], []
    for first in range(0, count, step):
        image = _paint(layout, classes, first)
        shown = np.where((classes >= first) & (classes < first + step), classes, -9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the layout: the atlas itself was warned of it
            levels = bake(image)
        baked.append(_foreign(layout, levels, shown, first, color_space))
        naive.append(_foreign(layout, naive_levels(image), shown, first, color_space))
    return _merge(baked), _merge(naive)


def geometric_bleed(layout: Layout, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Share of a bilinear tap that lies outside the tile, for `count` levels of any chain.

    Returns
    -------
    (tiles, levels, 4), (tiles, levels) float
        Along the edges (left, top, right, bottom) and at the corners.
    """

    def share(level: int, tiles: np.ndarray, points: np.ndarray) -> np.ndarray:
        place = layout.places[tiles, level]
        x0, y0, x1, y1 = (
            place[name].reshape(-1, *(1,) * (points.ndim - 2)) for name in ("x0", "y0", "x1", "y1")
        )
        total = np.zeros(points.shape[:-1])
        for x, y, weight in _taps(layout, level, points):
            total += np.where((x >= x0) & (x < x1) & (y >= y0) & (y < y1), 0.0, weight)
        return total

    return _collect(layout, count, share)


def no_bleed(layout: Layout, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Zeros, for layers that no sampler leaves."""
    return np.zeros((len(layout), count, 4)), np.zeros((len(layout), count))
