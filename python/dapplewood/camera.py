# SPDX-License-Identifier: MIT
"""Cameras: where a picture is taken from, and what lies in it."""

from __future__ import annotations

import abc
import math
from typing import Any

import numpy as np

__all__ = ["Camera", "OrthoCamera", "frustum_planes", "look_at"]


_FARTHEST = 1e9  # metres, of a position
_LEAST, _MOST = 1e-30, 1e30  # metres that the planes of a frustum can be made of
_NARROWEST = 1e-9  # radians


def _vector(value: Any, name: str) -> np.ndarray:
    try:
        vector = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(0)
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise ValueError(f"{name} must be 3 finite numbers, got {value!r}")
    return vector


def _positive(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and number > 0.0):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def _length(value: Any, name: str) -> float:
    number = _positive(value, name)
    if not _LEAST <= number <= _MOST:
        raise ValueError(f"{name} must lie in [{_LEAST:g}, {_MOST:g}] m, got {value!r}")
    return number


def look_at(position: Any, target: Any, up: Any = (0.0, 1.0, 0.0)) -> np.ndarray:
    """The (4, 4) matrix from the world to a camera that looks along -z with y up.

    Parameters
    ----------
    position, target : (3,) array_like
        In metres; they must differ.
    up : (3,) array_like
        Must not be parallel to the line of sight; one that is gets replaced by z.

    Returns
    -------
    (4, 4) float64
    """
    position, target, up = (
        _vector(position, "position"), _vector(target, "target"), _vector(up, "up"),
    )  # fmt: skip
    for name, place in (("position", position), ("target", target)):
        if np.abs(place).max() > _FARTHEST:
            raise ValueError(f"{name} must lie within {_FARTHEST:g} m, got {place.tolist()}")
    if not up.any():
        raise ValueError("up must not be 0: it is the direction that is up in the picture")
    up = up / np.abs(up).max()
    back = position - target
    distance = float(np.linalg.norm(back))
    if distance == 0.0:
        raise ValueError(f"target must differ from position, both are {position.tolist()}")
    back = back / distance
    right = np.cross(up, back)
    if np.linalg.norm(right) < 1e-9:
        right = np.cross((0.0, 0.0, 1.0) if abs(back[2]) < 0.9 else (1.0, 0.0, 0.0), back)
    right = right / np.linalg.norm(right)
    view = np.eye(4)
    view[:3, :3] = right, np.cross(back, right), back
    view[:3, 3] = -view[:3, :3] @ position
    return view


def frustum_planes(view_projection: np.ndarray) -> np.ndarray:
    """The (6, 4) planes (normal, offset) that enclose what a matrix keeps, inside positive.

    Left, right, top, bottom, far, near; depth runs from 1 (near) to 0 (far).
    """
    x, y, z, w = view_projection
    planes = np.stack([w + x, w - x, w + y, w - y, z, w - z])
    return planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)


def _plane(x: np.ndarray, y: np.ndarray, half: float, z: float) -> np.ndarray:
    """(H, W, 3) points at a depth, `half` above and below the middle."""
    points = np.empty((len(y), len(x), 3))
    points[..., 0] = half * x
    points[..., 1] = half * y[:, None]
    points[..., 2] = z
    return points


class _View(abc.ABC):
    """What both cameras share."""

    def __init__(self, position: Any, target: Any, up: Any, near: Any, far: Any):
        self.position = _vector(position, "position")
        self.target = _vector(target, "target")
        self.up = _vector(up, "up")
        self.near = _length(near, "near")
        self.far = _length(far, "far")
        if self.far <= self.near:
            raise ValueError(f"far must be beyond near ({self.near:g} m), got {self.far:g} m")
        look_at(self.position, self.target, self.up)

    @property
    def view_matrix(self) -> np.ndarray:
        """From the world to the camera, (4, 4) row-major."""
        return look_at(self.position, self.target, self.up)

    @property
    def forward(self) -> np.ndarray:
        """The line of sight, of length 1."""
        return -self.view_matrix[2, :3]

    @abc.abstractmethod
    def projection_matrix(self, aspect: float) -> np.ndarray:
        """From the camera to clip space, (4, 4); aspect: width / height of the picture."""

    def view_projection(self, aspect: float) -> np.ndarray:
        """From the world to clip space, (4, 4): y down, depth 1 near and 0 far."""
        return self.projection_matrix(aspect) @ self.view_matrix

    def planes(self, aspect: float) -> np.ndarray:
        """The (6, 4) planes of the frustum, as `frustum_planes` gives them."""
        return frustum_planes(self.view_projection(aspect))

    @abc.abstractmethod
    def half_size(self, distance: float) -> float:
        """Half of the picture's height at a distance along the line of sight, in metres."""

    def rays(self, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
        """Rays through the centres of a picture's pixels.

        Parameters
        ----------
        width, height : int
            Pixels, at least 1 each.

        Returns
        -------
        origins, directions : (height, width, 3) float32
            In the world, in metres. Directions have a component of 1 along the line of sight, so
            that the t of a hit is the depth that `Frame.depth` has.

        Raises
        ------
        ValueError
            A size below 1.
        """
        if min(width, height) < 1:
            raise ValueError(f"width and height must be at least 1, got {width} x {height}")
        x = (2.0 * np.arange(width) + 1.0) / width - 1.0
        y = 1.0 - (2.0 * np.arange(height) + 1.0) / height
        offsets, directions = self._ray_parts(x * (width / height), y)
        to_world = np.linalg.inv(self.view_matrix)
        origins = offsets @ to_world[:3, :3].T + to_world[:3, 3]
        directions = directions @ to_world[:3, :3].T
        return origins.astype(np.float32), directions.astype(np.float32)

    @abc.abstractmethod
    def _ray_parts(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(H, W, 3) origins and directions in the camera's space; x and y in half heights."""

    def corners(self, aspect: float, near: float, far: float) -> np.ndarray:
        """The (8, 3) corners of the frustum between two distances, in the world."""
        inverse = np.linalg.inv(self.view_matrix)
        found = []
        for distance in (near, far):
            half = self.half_size(distance)
            found += [
                (x * half * aspect, y * half, -distance) for x in (-1, 1) for y in (-1, 1)
            ]
        return np.array(found) @ inverse[:3, :3].T + inverse[:3, 3]


class Camera(_View):
    """A perspective camera.

    Parameters
    ----------
    position, target : (3,) array_like
        Where it stands and what it looks at, in metres.
    up : (3,) array_like
    fov_y : float
        Angle of the picture from top to bottom, in radians, in (0, pi).
    near, far : float
        Range of distances along the line of sight that is drawn, in metres.

    Raises
    ------
    ValueError
        A number that is not finite or out of range, position equal to target, far before near.
    """

    def __init__(
        self,
        position: Any,
        target: Any,
        *,
        up: Any = (0.0, 1.0, 0.0),
        fov_y: float = 0.9,
        near: float = 0.1,
        far: float = 2000.0,
    ):
        super().__init__(position, target, up, near, far)
        self.fov_y = _positive(fov_y, "fov_y")
        if self.fov_y >= math.pi:
            raise ValueError(f"fov_y must be below pi radians, got {fov_y!r}")
        if self.fov_y < _NARROWEST:
            raise ValueError(f"fov_y must be at least {_NARROWEST:g} radians, got {fov_y!r}")

    def projection_matrix(self, aspect: float) -> np.ndarray:
        """From the camera to clip space, (4, 4); aspect: width / height of the picture."""
        scale = 1.0 / math.tan(0.5 * self.fov_y)
        depth = self.far - self.near
        return np.array(
            [
                [scale / aspect, 0.0, 0.0, 0.0],
                [0.0, -scale, 0.0, 0.0],
                [0.0, 0.0, self.near / depth, self.near * self.far / depth],
                [0.0, 0.0, -1.0, 0.0],
            ]
        )

    def half_size(self, distance: float) -> float:
        return distance * math.tan(0.5 * self.fov_y)

    def _ray_parts(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        directions = _plane(x, y, self.half_size(1.0), -1.0)
        return np.zeros_like(directions), directions

    def depth_terms(self) -> tuple[float, float, bool]:
        """(a, b, False): distance = a / (depth + b)."""
        depth = self.far - self.near
        return self.near * self.far / depth, self.near / depth, False

    def __repr__(self) -> str:
        return (
            f"Camera({tuple(self.position.tolist())}, {tuple(self.target.tolist())}, "
            f"fov_y={self.fov_y:g}, near={self.near:g}, far={self.far:g})"
        )


class OrthoCamera(_View):
    """A camera without perspective, for maps and imposters.

    Parameters
    ----------
    position, target : (3,) array_like
        A point of the picture's middle axis and what lies behind it, in metres.
    height : float
        Metres from the top of the picture to its bottom.
    up : (3,) array_like
    near, far : float
        Range of distances along the line of sight that is drawn, in metres.

    Raises
    ------
    ValueError
        A number that is not finite or out of range, position equal to target, far before near.
    """

    def __init__(
        self,
        position: Any,
        target: Any,
        *,
        height: float = 20.0,
        up: Any = (0.0, 1.0, 0.0),
        near: float = 0.1,
        far: float = 2000.0,
    ):
        super().__init__(position, target, up, near, far)
        self.height = _length(height, "height")

    def projection_matrix(self, aspect: float) -> np.ndarray:
        """From the camera to clip space, (4, 4); aspect: width / height of the picture."""
        scale = 2.0 / self.height
        depth = self.far - self.near
        return np.array(
            [
                [scale / aspect, 0.0, 0.0, 0.0],
                [0.0, -scale, 0.0, 0.0],
                [0.0, 0.0, 1.0 / depth, self.far / depth],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )

    def half_size(self, distance: float) -> float:
        return 0.5 * self.height

    def _ray_parts(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        origins = _plane(x, y, self.half_size(1.0), 0.0)
        return origins, np.broadcast_to((0.0, 0.0, -1.0), origins.shape)

    def depth_terms(self) -> tuple[float, float, bool]:
        """(a, b, True): distance = a + b * depth."""
        return self.far, self.near - self.far, True

    def __repr__(self) -> str:
        return (
            f"OrthoCamera({tuple(self.position.tolist())}, {tuple(self.target.tolist())}, "
            f"height={self.height:g}, near={self.near:g}, far={self.far:g})"
        )
