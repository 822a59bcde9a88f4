# SPDX-License-Identifier: MIT
"""Small software rasteriser behind the sample foliage: polygons, tapered strokes and sprites.

Canvases are planar float32 arrays (channels, height, width), premultiplied, in linear light.
Pixel centres lie at half-integers and rows run downwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Premultiplied sprite channels. Colour is linear in all of them, so one small matrix per leaf
# turns a sprite into a tinted and lit leaf: coverage, body, lit side minus dark side, veins,
# second colour, and the blurred coverage that darkens what lies behind.
COVERAGE, BODY, SIDE, VEIN, SECOND, SHADOW = range(6)
CHANNELS = 6

# A sprite is read at its nearest texel, so it must hold at least this many texels a pixel: the
# sampling error stays below a quarter of a pixel.
_TEXELS_PER_PIXEL = 2.0
_FIXED_POINT_BITS = 16
# Bands this small stay in the cache, and below the size at which a BLAS library starts threads.
_BAND_PIXELS = 4096


def polygon_coverage(points: np.ndarray, height: int, width: int, rows_per_texel: int = 4):
    """Area of each texel that a closed outline covers.

    Exact along x, sampled on `rows_per_texel` lines along y. `points` is (N, 2) in texels and
    must not cross itself.
    """
    start, end = points, np.roll(points, -1, axis=0)
    scaled0 = start[:, 1] * rows_per_texel - 0.5
    scaled1 = end[:, 1] * rows_per_texel - 0.5
    lines = height * rows_per_texel
    first = np.clip(np.ceil(np.minimum(scaled0, scaled1)), 0, lines).astype(np.int64)
    last = np.clip(np.ceil(np.maximum(scaled0, scaled1)), 0, lines).astype(np.int64)
    count = last - first
    edge = np.repeat(np.arange(len(points)), count)
    line = np.arange(edge.size) - np.repeat(np.cumsum(count) - count, count) + first[edge]
    t = (line - scaled0[edge]) / (scaled1 - scaled0)[edge]
    x = np.clip(start[edge, 0] + t * (end - start)[edge, 0], 0.0, width)
    column = np.floor(x).astype(np.int64)
    fraction = x - column
    sign = np.where(scaled1 > scaled0, 1.0, -1.0)[edge] / rows_per_texel
    stride = width + 2
    cell = line // rows_per_texel * stride + column
    size = height * stride
    steps = np.bincount(cell, sign * (1.0 - fraction), size)
    steps += np.bincount(cell + 1, sign * fraction, size)
    area = np.abs(np.cumsum(steps.reshape(height, stride), axis=1)[:, :width])
    return np.minimum(area, 1.0).astype(np.float32)


def smooth(planes: np.ndarray) -> np.ndarray:
    """Filter the last two axes with the binomial kernel (1, 2, 1) / 4; outside counts as 0."""
    out = planes * np.float32(0.5)
    out[..., 1:, :] += 0.25 * planes[..., :-1, :]
    out[..., :-1, :] += 0.25 * planes[..., 1:, :]
    again = out * np.float32(0.5)
    again[..., :, 1:] += 0.25 * out[..., :, :-1]
    again[..., :, :-1] += 0.25 * out[..., :, 1:]
    return again


def box_blur(plane: np.ndarray, radius: int, passes: int = 2) -> np.ndarray:
    """Blur a 2D plane with a box of 2 radius + 1 texels, `passes` times; outside counts as 0."""
    span = 2 * radius + 1
    for _ in range(passes):
        for axis in (0, 1):
            pad = [(0, 0), (0, 0)]
            pad[axis] = (radius + 1, radius)
            total = np.cumsum(np.pad(plane, pad), axis=axis, dtype=np.float64)
            size = plane.shape[axis]
            upper = np.take(total, np.arange(span, span + size), axis=axis)
            lower = np.take(total, np.arange(size), axis=axis)
            plane = ((upper - lower) / span).astype(np.float32)
    return plane


def value_noise(rng: np.random.Generator, height: int, width: int, cells: float) -> np.ndarray:
    """Smooth noise in [-1, 1] with about `cells` bumps along the longer side."""
    cell = max(height, width) / cells

    def places(size: int) -> tuple[np.ndarray, np.ndarray]:
        position = (np.arange(size, dtype=np.float32) + np.float32(0.5)) / np.float32(cell)
        node = position.astype(np.int64)
        t = position - node.astype(np.float32)
        return node, t * t * (3.0 - 2.0 * t)

    (row, down), (column, across) = places(height), places(width)
    nodes = rng.random((int(row[-1]) + 2, int(column[-1]) + 2)).astype(np.float32) * 2.0 - 1.0
    lines = nodes[:, column]
    lines += across * (nodes[:, column + 1] - lines)
    step = down[:, None] * (lines[1:] - lines[:-1])[row]
    step += lines[row]
    return step


def stroke(canvas: np.ndarray, path: np.ndarray, radii: np.ndarray, flat, lit,
           grain: np.ndarray | None = None, cut: bool = False) -> None:
    """Paint a tapered polyline over a canvas.

    `path` is (N, 2) and `radii` (N,), in pixels. Each channel receives `flat + side * lit`, with
    `side` running from -1 at the left rim to 1 at the right one: a round twig, not a flat band.
    `grain`, one value a pixel, scales all but the last channel. The ends are round; `cut` makes the
    first one flat.
    """
    flat = np.asarray(flat, np.float32)[:, None, None]
    lit = np.asarray(lit, np.float32)[:, None, None]
    _, height, width = canvas.shape
    for joint, (r0, r1) in enumerate(zip(radii[:-1], radii[1:])):
        (x0, y0), (x1, y1) = path[joint], path[joint + 1]
        reach = max(r0, r1) + 1.0
        left, right = max(0, int(min(x0, x1) - reach)), min(width, int(max(x0, x1) + reach) + 1)
        top, bottom = max(0, int(min(y0, y1) - reach)), min(height, int(max(y0, y1) + reach) + 1)
        if left >= right or top >= bottom:
            continue
        px = np.arange(left, right, dtype=np.float32) + np.float32(0.5 - x0)
        py = (np.arange(top, bottom, dtype=np.float32) + np.float32(0.5 - y0))[:, None]
        dx, dy = x1 - x0, y1 - y0
        squared = max(dx * dx + dy * dy, 1e-9)
        share = px * (dx / squared) + py * (dy / squared)
        along = np.minimum(np.maximum(share, 0.0), 1.0)
        away = np.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2)
        radius = r0 + along * (r1 - r0)
        cover = np.minimum(np.maximum(radius - away + 0.5, 0.0), 1.0)
        # A stroke thinner than a pixel keeps its area: the ramp above would widen it.
        thin = np.minimum(radius, 0.5)
        cover *= 2.0 * thin / ((thin + 0.5) * (thin + 0.5))
        length = np.sqrt(squared)
        if cut and joint == 0:
            cover *= np.clip(share * length + 0.5, 0.0, 1.0)
        side = (py * (dx / length) - px * (dy / length)) / (radius + 0.5)
        window = canvas[:, top:bottom, left:right]
        window *= 1.0 - cover
        colour = flat + np.minimum(np.maximum(side, -1.0), 1.0) * lit
        if grain is not None:
            colour[:-1] *= grain[top:bottom, left:right]
        window += cover * colour


@dataclass(frozen=True)
class SpriteLevel:
    texels: np.ndarray  # (height * width, CHANNELS) float32, premultiplied
    width: int
    height: int
    origin_x: float  # texel of the point (0, 0), where the leaf is attached
    origin_y: float
    size: float  # texels in one leaf length


class Sprite:
    """A leaf in its own frame: attached at (0, 0), pointing up to (0, 1), with coarser levels.

    `thin` filters once more: in needles and grass, most texels lie at an edge.
    """

    def __init__(self, planes: np.ndarray, origin: tuple[float, float], size: float,
                 thin: bool = False):
        levels = []
        x, y = origin
        while True:
            filtered = smooth(smooth(planes)) if thin else smooth(planes)
            height, width = filtered.shape[1:]
            texels = np.ascontiguousarray(filtered.reshape(CHANNELS, -1).T)
            levels.append(SpriteLevel(texels, width, height, x, y, size))
            if min(height, width) < 16:
                break
            even = planes[:, : height // 2 * 2, : width // 2 * 2]
            planes = 0.25 * (even[:, ::2, ::2] + even[:, 1::2, ::2] + even[:, ::2, 1::2]
                             + even[:, 1::2, 1::2])
            x, y, size = x * 0.5, y * 0.5, size * 0.5
        self.levels = tuple(levels)

    def level(self, length: float) -> SpriteLevel:
        """Return the coarsest level fine enough for a leaf of `length` pixels."""
        for level in reversed(self.levels):
            if level.size >= _TEXELS_PER_PIXEL * length:
                return level
        return self.levels[0]


def stamp(canvas: np.ndarray, sprite: Sprite, base, axis, length: float, spread: float,
          colour: np.ndarray, cast: tuple[int, int]) -> None:
    """Paint a leaf over a canvas, after darkening what lies under its shadow.

    `base` is the attachment in pixels, `axis` the unit direction of the midrib, `length` the leaf's
    pixels along it, `spread` the scale across it (negative mirrors). `colour` is (5, CHANNELS):
    red, green, blue, alpha and shadow strength from the sprite's channels. `cast` moves the shadow
    by whole pixels.
    """
    level = sprite.level(length)
    ax, ay = axis
    across_x, across_y = -ay * length * spread, ax * length * spread
    u = (np.array([0.0, level.width]) - level.origin_x) / level.size
    v = (level.origin_y - np.array([0.0, level.height])) / level.size
    corners_x = base[0] + ax * length * v[:, None] + across_x * u
    corners_y = base[1] + ay * length * v[:, None] + across_y * u
    _, height, width = canvas.shape
    left, right = max(0, int(corners_x.min())), min(width, int(corners_x.max()) + 1)
    top, bottom = max(0, int(corners_y.min())), min(height, int(corners_y.max()) + 1)
    if left >= right or top >= bottom:
        return

    one = float(1 << _FIXED_POINT_BITS)
    scale = level.size / length * one
    px = np.arange(left, right) + (0.5 - base[0])
    py = np.arange(top, bottom) + (0.5 - base[1])
    column_x = (px * (-ay * scale / spread)).astype(np.int32)
    column_y = (py * (ax * scale / spread) + level.origin_x * one).astype(np.int32)[:, None]
    row_x = (px * (-ax * scale)).astype(np.int32)
    row_y = (py * (-ay * scale) + level.origin_y * one).astype(np.int32)[:, None]
    painted = np.empty((5, bottom - top, right - left), np.float32)
    band = max(1, _BAND_PIXELS // (right - left))
    for first in range(0, bottom - top, band):
        rows = slice(first, first + band)
        # The rim of a sprite is empty, so clamping reads nothing outside it.
        column = (column_x + column_y[rows]) >> _FIXED_POINT_BITS
        np.minimum(np.maximum(column, 0, out=column), level.width - 1, out=column)
        row = (row_x + row_y[rows]) >> _FIXED_POINT_BITS
        np.minimum(np.maximum(row, 0, out=row), level.height - 1, out=row)
        row *= level.width
        row += column
        texels = level.texels.take(row.ravel(), axis=0)
        painted[:, rows] = (colour @ texels.T).reshape(5, *row.shape)

    _shade(canvas, painted[4], left + cast[0], top + cast[1])
    window = canvas[:, top:bottom, left:right]
    window *= 1.0 - painted[3]
    window += painted[:4]


def _shade(canvas: np.ndarray, shadow: np.ndarray, left: int, top: int) -> None:
    _, height, width = canvas.shape
    rows = slice(max(0, -top), min(shadow.shape[0], height - top))
    columns = slice(max(0, -left), min(shadow.shape[1], width - left))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return
    canvas[:3, top + rows.start : top + rows.stop, left + columns.start : left + columns.stop] *= (
        1.0 - shadow[rows, columns])
