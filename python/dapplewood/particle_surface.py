# SPDX-License-Identifier: MIT
"""Points on what an effect surrounds, chosen by a seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from .mesh import Mesh
from .model import Model

__all__ = ["SEED_VERTICES", "surface_points"]

SEED_VERTICES = 64  # that upstream keeps
_MODES = ("area", "vertices")
_GOLDEN = 0x9E3779B97F4A7C15


def _draws(seed: int, stream: int, count: int) -> np.ndarray:
    """Even in [0, 1), by splitmix64 of a counter: the same with every NumPy."""
    start = (seed * 3 + stream + 1) * 0xD1342543DE82EF95 % 2**64
    x = np.uint64(start) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return ((x ^ x >> np.uint64(31)) >> np.uint64(11)) * 2.0**-53


def _vertices_of(surface: Any) -> tuple[np.ndarray, np.ndarray]:
    """(V, 3) float64 positions, and (T, 3) corners of triangles; none for bare points."""
    if isinstance(surface, Mesh):
        return np.asarray(surface.positions, np.float64), np.asarray(surface.indices)
    if isinstance(surface, Model):
        positions, corners, first = [], [], 0
        for mesh, matrix in surface.static_meshes():
            placed = np.asarray(mesh.positions, np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
            positions.append(placed)
            corners.append(np.asarray(mesh.indices, np.int64) + first)
            first += len(placed)
        if not positions:
            raise ValueError("surface: the Model shows no mesh")
        return np.concatenate(positions), np.concatenate(corners)
    wanted = "surface must be a Mesh, a Model or (N, 3) points"
    try:
        points = np.asarray(surface, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{wanted}, got {type(surface).__name__}") from None
    if points.ndim != 2 or points.shape[1:] != (3,) or len(points) == 0:
        raise ValueError(f"{wanted}, at least 1, got shape {points.shape}")
    return points, np.zeros((0, 3), np.int64)


def _on_triangles(
    positions: np.ndarray, corners: np.ndarray, count: int, seed: int
) -> np.ndarray | None:
    """Even over the area; None where there is none."""
    a, b, c = (positions[corners[:, i]] for i in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    sums = np.cumsum(areas)
    if not len(sums) or not sums[-1] > 0.0:
        return None
    which = np.searchsorted(sums, _draws(seed, 0, count) * sums[-1], side="right")
    which = np.minimum(which, np.flatnonzero(areas)[-1])
    root = np.sqrt(_draws(seed, 1, count))[:, None]
    share = _draws(seed, 2, count)[:, None]
    return a[which] * (1 - root) + b[which] * (root * (1 - share)) + c[which] * (root * share)


def surface_points(
    surface: Any, count: int, seed: int, mode: str, scale: float, y_offset: float
) -> tuple[np.ndarray, tuple[float, float, float]]:
    """Points from the emitter's position, and what it surrounds.

    Returns
    -------
    points : (M, 3) float32
    extent : (radius, lowest y, height)
        Of the upright cylinder over all vertices' bounding box.
    """
    if mode not in _MODES:
        raise ValueError(f"surface_mode must be one of {', '.join(_MODES)}, got {mode!r}")
    positions, corners = _vertices_of(surface)
    positions = positions * scale + (0.0, y_offset, 0.0)
    if not np.isfinite(positions).all():
        raise ValueError("surface must be finite, model_scale and model_y_offset applied")
    low, high = positions.min(axis=0), positions.max(axis=0)
    half = (high - low) / 2
    extent = (float(np.hypot(half[0], half[2])) or 0.5, float(low[1]), float(high[1] - low[1]))
    points = None if mode == "vertices" else _on_triangles(positions, corners, count, seed)
    if points is None:
        kept = SEED_VERTICES if mode == "vertices" else count
        used = positions[np.unique(corners)] if len(corners) else positions
        order = np.argsort(_draws(seed, 0, len(used)), kind="stable")
        points = used[order[:kept]]
    return points.astype(np.float32), extent
