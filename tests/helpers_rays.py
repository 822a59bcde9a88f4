# SPDX-License-Identifier: MIT
"""Rays and triangles in float64, to hold trees against."""

from __future__ import annotations

import numpy as np


def rays_around(corners: np.ndarray, count: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """(R, 3) float32 origins around triangles (T, 3, 3), and directions towards points on them."""
    flat = corners.reshape(-1, 3)
    middle, reach = flat.mean(axis=0), np.ptp(flat, axis=0).max()
    origins = rng.normal(size=(count, 3))
    origins = middle + 1.5 * reach * origins / np.linalg.norm(origins, axis=1, keepdims=True)
    weights = rng.dirichlet((1.0, 1.0, 1.0), count)
    chosen = corners[rng.integers(0, len(corners), count)]
    targets = np.einsum("rk,rkc->rc", weights, chosen)
    targets += rng.normal(size=targets.shape) * 0.05 * reach * (rng.random(count) < 0.5)[:, None]
    return origins.astype(np.float32), (targets - origins).astype(np.float32)


def nearest_hits(
    corners: np.ndarray, origins: np.ndarray, directions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(R,) float64: t of the nearest of the triangles (T, 3, 3), infinite where there is none; and
    how far the plane that is hit moves along the ray, in t, for each metre that it moves across.

    T. Möller and B. Trumbore, 1997.
    """
    corners = corners.astype(np.float64)
    edge1, edge2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normals = np.cross(edge1, edge2)
    with np.errstate(all="ignore"):
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    found = np.full(len(origins), np.inf)
    slopes = np.zeros(len(origins))
    for i, (origin, direction) in enumerate(
        zip(origins.astype(np.float64), directions.astype(np.float64), strict=True)
    ):
        p = np.cross(direction, edge2)
        determinant = (edge1 * p).sum(axis=1)
        with np.errstate(all="ignore"):
            inverse = 1.0 / determinant
            s = origin - corners[:, 0]
            u = (s * p).sum(axis=1) * inverse
            q = np.cross(s, edge1)
            v = (q @ direction) * inverse
            t = (edge2 * q).sum(axis=1) * inverse
            is_hit = (determinant != 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0)
        if is_hit.any():
            nearest = np.argmin(np.where(is_hit, t, np.inf))
            found[i] = t[nearest]
            slopes[i] = 1.0 / abs(normals[nearest] @ direction)
    return found, slopes
