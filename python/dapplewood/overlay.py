# SPDX-License-Identifier: MIT
"""Lines over pictures: the boxes of a tree, where they are seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import as_number

__all__ = ["draw_boxes"]

# Corners are numbered by bits x, y, z: the twelve edges join those that differ in one.
_EDGES = np.array([(i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit])
_STEP = 0.5  # pixels between the points of a line
_MOST = 1 << 22  # points drawn at a time


def draw_boxes(
    picture: np.ndarray,
    camera: Any,
    boxes: Any,
    *,
    transform: Any = None,
    color: Any = (255, 196, 64),
    opacity: float = 0.85,
    depth: np.ndarray | None = None,
    hidden: float = 0.15,
) -> np.ndarray:
    """A picture with the edges of boxes drawn over it, a pixel wide and smooth.

    Parameters
    ----------
    picture : (H, W, 3) or (H, W, 4) uint8
        Such as `Frame.color`; it stays as it is.
    camera : Camera or OrthoCamera
        The one that the picture was taken with.
    boxes : (B, 2, 3) array_like
        Low and high corners, such as `SceneTrees.boxes` gives.
    transform : (4, 4) array_like, optional
        From the boxes' space to the world.
    color : (3,) array_like
        8-bit sRGB.
    opacity : float
        Of a line, 0 to 1.
    depth : (H, W), optional
        `Frame.depth` or `TraceImage.depth`: lines behind it are drawn at `hidden` times the
        opacity.
    hidden : float
        0 to 1.

    Returns
    -------
    (H, W, 3) or (H, W, 4) uint8

    Raises
    ------
    ValueError, TypeError
        Wrong shapes or dtypes; an opacity or `hidden` beyond 0 to 1.
    """
    picture = np.asarray(picture)
    if picture.dtype != np.uint8:
        raise TypeError(f"picture must be uint8, got {picture.dtype}")
    if picture.ndim != 3 or picture.shape[2] not in (3, 4):
        raise ValueError(f"picture must be (H, W, 3) or (H, W, 4), got {picture.shape}")
    corners = np.asarray(boxes, np.float64)
    if corners.ndim != 3 or corners.shape[1:] != (2, 3):
        raise ValueError(f"boxes must be (B, 2, 3), got {corners.shape}")
    height, width = picture.shape[:2]
    if not picture.size:
        raise ValueError(f"picture must have pixels, got {picture.shape}")
    opacity, hidden = _share(opacity, "opacity"), _share(hidden, "hidden")
    if np.shape(color) != (3,):
        raise ValueError(f"color must be three numbers, 0 to 255, got {color!r}")
    if transform is not None and np.shape(transform) != (4, 4):
        raise ValueError(f"transform must be (4, 4), got {np.shape(transform)}")
    if depth is not None and np.shape(depth) != (height, width):
        raise ValueError(f"depth must be {(height, width)} as the picture, got {np.shape(depth)}")
    ends = _edges_in_view(corners, transform, camera, width / height)
    cover = _Cover(camera, width, height, depth, hidden)
    counts = np.ceil(cover.lengths(ends) / _STEP).astype(np.int64) + 1
    first = 0
    while first < len(ends):
        last = first + max(int(np.searchsorted(np.cumsum(counts[first:]), _MOST)), 1)
        cover.add(ends[first:last], counts[first:last])
        first = last
    share = opacity * np.clip(cover.amount, 0.0, 1.0)[..., None]
    drawn = picture.copy()
    drawn[..., :3] = np.rint(
        picture[..., :3] * (1.0 - share) + np.clip(np.asarray(color, np.float64), 0, 255) * share
    )
    if picture.shape[2] == 4:
        drawn[..., 3] = np.maximum(picture[..., 3], np.rint(255.0 * share[..., 0]))
    return drawn


def _share(value: Any, name: str) -> float:
    share = as_number(value, name)
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"{name} must be 0 to 1, got {value!r}")
    return share


def _edges_in_view(
    corners: np.ndarray, transform: Any, camera: Any, aspect: float
) -> np.ndarray:
    """(E, 2, 3) edges in the world, cut to what the camera sees."""
    low, high = corners[:, 0], corners[:, 1]
    is_whole = np.isfinite(corners).all(axis=(1, 2)) & (low <= high).all(axis=1)
    low, high = low[is_whole], high[is_whole]
    bits = np.arange(8)[:, None] >> np.arange(3) & 1
    points = np.where(bits, high[:, None], low[:, None])
    if transform is not None:
        matrix = np.asarray(transform, np.float64)
        points = points @ matrix[:3, :3].T + matrix[:3, 3]
    ends = points[:, _EDGES].reshape(-1, 2, 3)
    for plane in camera.planes(aspect):
        inside = ends @ plane[:3] + plane[3]
        is_kept = (inside >= 0.0).any(axis=1)
        ends, inside = ends[is_kept], inside[is_kept]
        for i in range(2):
            is_cut = inside[:, i] < 0.0
            width = np.where(is_cut, inside[:, i] - inside[:, 1 - i], 1.0)
            at = np.where(is_cut, inside[:, i] / width, 0.0)[:, None]
            ends[:, i] += at * (ends[:, 1 - i] - ends[:, i])
    return ends


class _Cover:
    """How far lines cover each pixel."""

    def __init__(self, camera: Any, width: int, height: int, depth: Any, hidden: float):
        self.width, self.height = width, height
        self.matrix = camera.view_projection(width / height)
        self.sight = -camera.view_matrix[2]  # distance along the line of sight
        self.depth = None if depth is None else np.asarray(depth, np.float64)
        self.hidden = hidden
        self.amount = np.zeros((height, width))

    def lengths(self, ends: np.ndarray) -> np.ndarray:
        """Pixels along each edge."""
        pixels, _ = self._project(ends)
        return np.hypot(*np.moveaxis(pixels[:, 1] - pixels[:, 0], -1, 0))

    def _project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(..., 2) pixels, whose centres lie at whole numbers, and (...) what they were over."""
        xy = points @ self.matrix[:2, :3].T + self.matrix[:2, 3]
        w = points @ self.matrix[3, :3] + self.matrix[3, 3]
        xy = xy / w[..., None]
        return (0.5 * xy + 0.5) * (self.width, self.height) - 0.5, w

    def add(self, ends: np.ndarray, counts: np.ndarray) -> None:
        """Draws edges as points, each spread over the four pixels around it."""
        which = np.repeat(np.arange(len(ends)), counts)
        at = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
        share = at / np.maximum(counts[which] - 1, 1)
        # Even along the line on the screen: weigh the far end by how much nearer the other one is.
        _, w = self._project(ends)
        near, far = w[which, 0], w[which, 1]
        share = share * near / (far + share * (near - far))
        points = ends[which, 0] + share[:, None] * (ends[which, 1] - ends[which, 0])
        pixels, _ = self._project(points)
        self._splat(pixels, points @ self.sight[:3] + self.sight[3])

    def _splat(self, pixels: np.ndarray, distance: np.ndarray) -> None:
        base = np.floor(pixels)
        part = pixels - base
        column, row = base[:, 0].astype(np.int64), base[:, 1].astype(np.int64)
        weight = np.full(len(pixels), _STEP)
        if self.depth is not None:
            x = np.clip(np.rint(pixels[:, 0]).astype(np.int64), 0, self.width - 1)
            y = np.clip(np.rint(pixels[:, 1]).astype(np.int64), 0, self.height - 1)
            is_behind = distance > self.depth[y, x] * (1.0 + 1e-3) + 1e-6
            weight = np.where(is_behind, weight * self.hidden, weight)
        for dx in (0, 1):
            for dy in (0, 1):
                x, y = column + dx, row + dy
                is_in = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
                along = (part[:, 0] if dx else 1.0 - part[:, 0]) * (
                    part[:, 1] if dy else 1.0 - part[:, 1]
                )
                flat = (y * self.width + x)[is_in]
                added = np.bincount(flat, (weight * along)[is_in], self.width * self.height)
                self.amount += added.reshape(self.height, self.width)
