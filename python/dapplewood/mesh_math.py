# SPDX-License-Identifier: MIT
"""Normals and bounds of meshes, in float64 inside and float32 outside."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "bounding_sphere",
    "face_normals",
    "finite_f32",
    "index_rows",
    "normal_matrix",
    "normalized",
    "vertex_normals",
]

_MANY_POINTS = 1000
_UP = np.array([0.0, 1.0, 0.0], np.float32)  # where a surface has no direction of its own


def finite_f32(value: Any, name: str) -> np.ndarray:
    """A copy as C-contiguous float32; ValueError where a number is none or does not fit."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.array(array, dtype=np.float32, order="C")
    if not np.isfinite(out).all():
        bad = np.argwhere(~np.isfinite(out))
        place = ", ".join(map(str, bad[0].tolist()))
        raise ValueError(
            f"{name} holds {len(bad)} values that are NaN, infinite or beyond float32, the first "
            f"at [{place}]; mend the source"
        )
    return out


def index_rows(indices: Any, vertex_count: int) -> np.ndarray:
    """(T, 3) of an integer dtype, unchecked against the vertices; None: each three are a triangle.

    Raises
    ------
    TypeError, ValueError
        Another dtype or shape; vertices that make no whole number of triangles.
    """
    if indices is None:
        if vertex_count % 3:
            raise ValueError(
                "without indices each three positions are a triangle: their number must be a "
                f"multiple of 3, got {vertex_count}"
            )
        return np.arange(vertex_count, dtype=np.uint32).reshape(-1, 3)
    array = np.asarray(indices)
    if array.size == 0:
        return np.zeros((0, 3), np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"indices must have an integer dtype, got {array.dtype}")
    if array.ndim == 1 and array.size % 3 == 0:
        array = array.reshape(-1, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"indices must be (T, 3) or (3 T,), got {array.shape}")
    return array


def normalized(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows brought to length 1, as float32, and which rows are too short for that."""
    wide = vectors.astype(np.float64)
    # By the largest component first: squares of float64 may leave its range.
    largest = np.abs(wide).max(axis=-1, keepdims=True)
    is_short = largest[..., 0] < 1e-150
    wide = wide / np.where(is_short[..., None], 1.0, largest)
    length = np.sqrt((wide * wide).sum(axis=-1, keepdims=True))
    wide = np.where(is_short[..., None], _UP, wide / np.where(is_short[..., None], 1.0, length))
    return wide.astype(np.float32), is_short


def _crosses(positions: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """(T, 3) float64 along the normals, as long as twice the area."""
    corners = positions.astype(np.float64)[indices]
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def face_normals(positions: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """(T, 3) float32 of length 1; up where a triangle has no area."""
    return normalized(_crosses(positions, indices))[0]


def vertex_normals(positions: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """(V, 3) float32 of length 1: the mean of the triangles around, weighted by area."""
    crosses = np.repeat(_crosses(positions, indices), 3, axis=0)
    flat = indices.reshape(-1)
    sums = [np.bincount(flat, crosses[:, axis], len(positions)) for axis in range(3)]
    return normalized(np.stack(sums, axis=1))[0]


def normal_matrix(linear: np.ndarray) -> np.ndarray:
    """What turns normals where `linear`, (3, 3) and invertible, moves points.

    The cofactors: the inverse transpose times the determinant, but without its sign, so that
    outward stays outward under a mirror.
    """
    scaled = linear / np.abs(linear).max()
    cofactors = np.stack([np.cross(scaled[i - 2], scaled[i - 1]) for i in range(3)])
    return cofactors * np.sign(np.linalg.det(scaled))


def bounding_sphere(positions: np.ndarray) -> np.ndarray:
    """(4,) float32 centre and radius that hold every point, near the least sphere.

    J. Ritter, "An Efficient Bounding Sphere", 1990, and the core-set steps of M. Badoiu and K.
    Clarkson, "Optimal Core-Sets for Balls", 2008, on the outermost points; the best centre of
    both, with the radius that all points need.
    """
    points = positions.astype(np.float64)
    outer = _outermost(points) if len(points) > _MANY_POINTS else points
    centers = [(points.min(axis=0) + points.max(axis=0)) * 0.5]
    centers.append(_core_set_center(outer, centers[0]))
    centers.append(_ritter_center(outer, centers[1]))
    rounded = np.stack(centers).astype(np.float32)
    squares = [_squares(points, center).max() for center in rounded.astype(np.float64)]
    best = int(np.argmin(squares))
    # Twelve rounding steps of float64 above the greatest distance, then up to the next float32.
    radius = np.sqrt(squares[best]) * (1.0 + 12 * 2.0**-52)
    as_f32 = np.float32(radius)
    if as_f32 < radius:
        as_f32 = np.nextafter(as_f32, np.float32(np.inf))
    return np.append(rounded[best], as_f32)


def _squares(points: np.ndarray, center: np.ndarray) -> np.ndarray:
    offset = points - center
    return np.einsum("ij,ij->i", offset, offset)


def _outermost(points: np.ndarray) -> np.ndarray:
    """The first and last point along each of 64 directions, spread evenly over a half sphere."""
    i = np.arange(64) + 0.5
    height, turn = i / 64, i * 2.399963229728653  # the golden angle
    flat = np.sqrt(1.0 - height * height)
    directions = np.stack([flat * np.cos(turn), flat * np.sin(turn), height], axis=1)
    # Rounding may miss the outermost by a hair: the radius is measured over all points anyway.
    columns = np.ascontiguousarray(points.T, np.float32)
    found = set()
    for few in np.split(directions.astype(np.float32), 16):
        along = few @ columns
        found |= {*along.argmin(axis=1).tolist(), *along.argmax(axis=1).tolist()}
    return points[sorted(found)]


def _core_set_center(points: np.ndarray, start: np.ndarray) -> np.ndarray:
    center = best = start
    least = np.inf
    for step in range(2, 66):
        squares = _squares(points, center)
        far = int(squares.argmax())
        if squares[far] < least:
            best, least = center, squares[far]
        center = center + (points[far] - center) / step
    return best


def _ritter_center(points: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Centre of the sphere that grows over points outside it."""
    one = points[int(_squares(points, start).argmax())]
    other = points[int(_squares(points, one).argmax())]
    center = (one + other) * 0.5
    radius = float(np.linalg.norm(one - other)) * 0.5
    for _ in range(16):
        far = points[int(_squares(points, center).argmax())]
        distance = float(np.linalg.norm(far - center))
        if distance <= radius:
            break
        radius = (radius + distance) * 0.5
        center = far + (center - far) * (radius / distance)
    return center
