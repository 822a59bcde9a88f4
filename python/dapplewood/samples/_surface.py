# SPDX-License-Identifier: MIT
"""Triangles in the making: joined patches, tubes along paths and flat cards. Metres, y up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

UP = np.array([0.0, 1.0, 0.0])


@dataclass
class Surface:
    """Vertices and triangles that share one material."""

    positions: np.ndarray  # (V, 3)
    normals: np.ndarray  # (V, 3), unit
    uvs: np.ndarray  # (V, 2), v runs down the image
    colors: np.ndarray  # (V, 3), linear multipliers in [0, 1]
    indices: np.ndarray  # (T, 3)

    def tinted(self, tint) -> Surface:
        """Multiply the vertex colours, in place."""
        self.colors = self.colors * tint
        return self

    def turned(self, matrix: np.ndarray, offset=(0.0, 0.0, 0.0)) -> Surface:
        """A rotated and moved copy."""
        return Surface(self.positions @ matrix.T + offset, self.normals @ matrix.T, self.uvs,
                       self.colors, self.indices)


def joined(parts: Sequence[Surface]) -> Surface:
    """Put surfaces one after another."""
    starts = np.cumsum([0, *(len(part.positions) for part in parts)])
    return Surface(*(np.concatenate([getattr(part, name) for part in parts])
                     for name in ("positions", "normals", "uvs", "colors")),
                   np.concatenate([part.indices + start for part, start in zip(parts, starts)]))


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale vectors to length one; a zero vector becomes the upward one."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 1e-9, vectors / np.maximum(length, 1e-9), UP)


def turn_y(angle: float) -> np.ndarray:
    """Rotation about the vertical, (3, 3)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def across(directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that make right-handed frames with unit `directions`, (N, 3) each."""
    helper = np.where(np.abs(directions[:, 1:2]) < 0.9, UP, np.array([1.0, 0.0, 0.0]))
    first = unit(np.cross(helper, directions))
    return first, np.cross(directions, first)


def curve(points, samples: int) -> np.ndarray:
    """Catmull-Rom curve through (N, 3) points, `samples` places, evenly by parameter."""
    p = np.asarray(points, float)
    p = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    place = np.linspace(0.0, len(p) - 3.0, samples)
    i = np.minimum(place.astype(int), len(p) - 4)
    t = (place - i)[:, None]
    a, b, c, d = p[i], p[i + 1], p[i + 2], p[i + 3]
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2
                  + (3 * b - a - 3 * c + d) * t**3)


def _frames(path: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tangents and two sides at each point, without twist along the path."""
    tangent = unit(np.gradient(path, axis=0))
    side = np.empty_like(path)
    side[0] = across(tangent[:1])[0][0]
    for i in range(1, len(path)):
        bent = side[i - 1] - tangent[i] * (side[i - 1] @ tangent[i])
        side[i] = unit(bent)
    return tangent, side, np.cross(tangent, side)


def tube(path: np.ndarray, radii: np.ndarray, sides: int, *, repeats: int = 1,
         tile_length: float = 1.0, v_start: float = 0.0, bulge=None) -> Surface:
    """Sweep a circle along a path, (N, 3), with `radii`, (N,).

    The texture goes `repeats` times around and once along every `tile_length` metres. `bulge`,
    (N, sides), scales the radius around the circle.
    """
    tangent, side, other = _frames(path)
    count = len(path)
    angle = np.arange(sides + 1) * (2.0 * np.pi / sides)
    ring = np.cos(angle)[:, None] * side[:, None] + np.sin(angle)[:, None] * other[:, None]
    reach = np.repeat(radii[:, None], sides + 1, axis=1)
    if bulge is not None:
        reach = reach * bulge[:, np.arange(sides + 1) % sides]
    positions = path[:, None] + ring * reach[..., None]
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    # A cone's normal leans back by the slope of its radius.
    slope = np.gradient(reach, along, axis=0)
    swell = (np.roll(reach[:, :-1], -1, 1) - np.roll(reach[:, :-1], 1, 1)) * sides / (4.0 * np.pi)
    swell = swell[:, np.arange(sides + 1) % sides] / reach
    around = -np.sin(angle)[:, None] * side[:, None] + np.cos(angle)[:, None] * other[:, None]
    normals = unit(ring - tangent[:, None] * slope[..., None] - around * swell[..., None])
    uvs = np.empty((count, sides + 1, 2))
    uvs[..., 0] = np.arange(sides + 1) * (repeats / sides)
    uvs[..., 1] = (v_start - along / tile_length)[:, None]
    return Surface(positions.reshape(-1, 3), normals.reshape(-1, 3), uvs.reshape(-1, 2),
                   np.ones((count * (sides + 1), 3)), grid_triangles(count, sides + 1))


def grid_triangles(rows: int, columns: int) -> np.ndarray:
    """Triangles of a grid of vertices, row after row; rows up and columns right face the viewer."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    a, b, c, d = corner, corner + 1, corner + columns + 1, corner + columns
    return np.stack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)], 1).reshape(-1, 3)


def cards(centres: np.ndarray, right: np.ndarray, up: np.ndarray, uv_boxes: np.ndarray) -> Surface:
    """Quads `centre +- right +- up`; `uv_boxes` are u0, v0 (top), u1, v1 (bottom), each (N, 4)."""
    count = len(centres)
    positions = np.stack([centres - right - up, centres + right - up, centres + right + up,
                          centres - right + up], axis=1)
    u0, v0, u1, v1 = uv_boxes.T
    uvs = np.stack([np.stack([u0, v1], 1), np.stack([u1, v1], 1), np.stack([u1, v0], 1),
                    np.stack([u0, v0], 1)], axis=1)
    normals = np.repeat(unit(np.cross(right, up))[:, None], 4, axis=1)
    first = 4 * np.arange(count)[:, None]
    indices = np.stack([first + (0, 1, 2), first + (0, 2, 3)], axis=1)
    return Surface(positions.reshape(-1, 3), normals.reshape(-1, 3), uvs.reshape(-1, 2),
                   np.ones((4 * count, 3)), indices.reshape(-1, 3))


def strips(spines: np.ndarray, sides: np.ndarray, drops: np.ndarray, uv_boxes: np.ndarray,
           halves: int = 2) -> Surface:
    """Ribbons along spines, (N, K, 3), folded like a roof: the fans of conifers, fronds, blades.

    `sides`, (N, K, 3), reach from the spine to its right border, `drops`, (N, K, 3), sink both
    borders. `halves` 2 keeps a vertex line on the spine, 1 leaves it out. The image's bottom lies
    at the start of the spine.
    """
    count, joints = spines.shape[:2]
    lines = [spines - sides + drops, spines, spines + sides + drops]
    if halves == 1:
        del lines[1]
    columns = len(lines)
    positions = np.stack(lines, axis=2)
    u0, v0, u1, v1 = (edge[:, None, None] for edge in uv_boxes.T)
    share = np.linspace(0.0, 1.0, columns)
    length = np.cumsum(np.linalg.norm(np.diff(spines, axis=1), axis=2), axis=1)
    along = np.concatenate([np.zeros((count, 1)), length / length[:, -1:]], axis=1)[..., None]
    uvs = np.stack(np.broadcast_arrays(u0 + (u1 - u0) * share, v1 + (v0 - v1) * along), axis=-1)
    tangent = np.gradient(spines, axis=1)
    normals = unit(unit(np.cross(sides, tangent))[:, :, None] + _roof(sides, drops, columns))
    first = grid_triangles(joints, columns)
    indices = (np.arange(count) * joints * columns)[:, None, None] + first
    return Surface(positions.reshape(-1, 3), normals.reshape(-1, 3), uvs.reshape(-1, 2),
                   np.ones((count * joints * columns, 3)), indices.reshape(-1, 3))


def _roof(sides: np.ndarray, drops: np.ndarray, columns: int) -> np.ndarray:
    """How far the normals of a roof lean to its eaves."""
    wide = np.maximum(np.linalg.norm(sides, axis=2), 1e-9)
    lean = np.linalg.norm(drops, axis=2) / wide
    return np.linspace(-1.0, 1.0, columns)[:, None] * (unit(sides) * lean[..., None])[:, :, None]
