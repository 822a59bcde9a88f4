# SPDX-License-Identifier: MIT
"""Keyed animations of nodes, and the three parts of a node's transform."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

__all__ = ["PATHS", "Animation", "AnimationChannel", "matrix_of", "trs_of"]

# Numbers of one value; weights have one for each morph target.
PATHS = {"translation": 3, "rotation": 4, "scale": 3, "weights": 0}


@dataclasses.dataclass(frozen=True, eq=False)
class AnimationChannel:
    """What one property of a node does over time.

    Attributes
    ----------
    node : int
    path : {"translation", "rotation", "scale", "weights"}
    interpolation : {"step", "linear", "cubicspline"}
    times : (K,) float32
        Seconds, ascending.
    values : (K, n) float32, or (K, 3, n) for cubicspline
        The three are in-tangent, value, out-tangent.
    target : int, optional
        The one morph target whose weight this is, of path "weights"; None: of all of them.
    """

    node: int
    path: str
    interpolation: str
    times: np.ndarray
    values: np.ndarray
    target: int | None = None

    def sample(self, time: float) -> np.ndarray:
        """(n,) float64 at a time; rotations have length 1. Held outside the keys.

        Raises
        ------
        ValueError
            The time is not finite.
        """
        if not math.isfinite(time):
            raise ValueError(f"time must be finite, got {time}")
        times = self.times.astype(np.float64)
        i = int(np.searchsorted(times, time, side="right")) - 1
        if i < 0 or i >= len(times) - 1:
            return self._unit(self._key(0 if i < 0 else len(times) - 1))
        if self.interpolation == "step":
            return self._unit(self._key(i))
        step = times[i + 1] - times[i]
        s = (time - times[i]) / step
        if self.interpolation == "cubicspline":
            return self._unit(self._cubic(i, s, step))
        one, other = self._key(i), self._key(i + 1)
        if self.path == "rotation":
            return _slerp(_unit(one), _unit(other), s)
        return one + (other - one) * s

    def _key(self, i: int) -> np.ndarray:
        value = self.values[i, 1] if self.interpolation == "cubicspline" else self.values[i]
        return value.astype(np.float64)

    def _cubic(self, i: int, s: float, step: float) -> np.ndarray:
        """Hermite spline of glTF 2.0, appendix C.5; tangents are per second."""
        start, end = self._key(i), self._key(i + 1)
        leave = self.values[i, 2].astype(np.float64) * step
        arrive = self.values[i + 1, 0].astype(np.float64) * step
        s2, s3 = s * s, s * s * s
        return (
            (2 * s3 - 3 * s2 + 1) * start
            + (s3 - 2 * s2 + s) * leave
            + (3 * s2 - 2 * s3) * end
            + (s3 - s2) * arrive
        )

    def _unit(self, value: np.ndarray) -> np.ndarray:
        return _unit(value) if self.path == "rotation" else value


@dataclasses.dataclass(frozen=True, eq=False)
class Animation:
    """Channels that run together.

    Attributes
    ----------
    name : str
    channels : tuple of AnimationChannel
    """

    name: str
    channels: tuple[AnimationChannel, ...]

    @property
    def duration(self) -> float:
        """Seconds from 0 to the last key."""
        return max((float(channel.times[-1]) for channel in self.channels), default=0.0)

    def wrapped(self, time: float) -> float:
        """The time modulo the duration."""
        return math.fmod(time, self.duration) % self.duration if self.duration > 0.0 else 0.0


def _unit(quaternion: np.ndarray) -> np.ndarray:
    """Length 1; no rotation where there is no length."""
    length = math.sqrt(float(quaternion @ quaternion))
    return quaternion / length if length > 0.0 else np.array([0.0, 0.0, 0.0, 1.0])


def _slerp(one: np.ndarray, other: np.ndarray, s: float) -> np.ndarray:
    """Along the shorter great arc (K. Shoemake, 1985)."""
    cosine = float(one @ other)
    if cosine < 0.0:
        other, cosine = -other, -cosine
    if cosine > 0.9995:  # an arc so short is a line; the sine below would lose its digits
        return _unit(one + (other - one) * s)
    angle = math.acos(cosine)
    return (math.sin((1.0 - s) * angle) * one + math.sin(s * angle) * other) / math.sin(angle)


def matrix_of(translation: np.ndarray, rotation: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(4, 4) float64 that scales, then rotates by a unit quaternion, then moves."""
    x, y, z, w = rotation
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= scale
    matrix[:3, 3] = translation
    return matrix


def trs_of(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Translation, rotation and scale of a (4, 4); shear, which they cannot hold, is lost."""
    linear = matrix[:3, :3].copy()
    scale = np.sqrt((linear * linear).sum(axis=0))
    if np.linalg.det(linear) < 0.0:
        scale[0] = -scale[0]
    linear = linear / np.where(scale == 0.0, 1.0, scale)
    return matrix[:3, 3].copy(), _quaternion_of(linear), scale


def _quaternion_of(r: np.ndarray) -> np.ndarray:
    """x, y, z, w of a rotation matrix, from its largest component (S. Shepperd, 1978)."""
    diagonal = [r[0, 0], r[1, 1], r[2, 2], r[0, 0] + r[1, 1] + r[2, 2]]
    largest = int(np.argmax(diagonal))
    if largest == 3:
        found = [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], 1 + diagonal[3]]
        return _unit(np.array(found))
    i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
    found = [0.0] * 4
    found[i] = 1 + r[i, i] - r[j, j] - r[k, k]
    found[j] = r[j, i] + r[i, j]
    found[k] = r[k, i] + r[i, k]
    found[3] = r[k, j] - r[j, k]
    return _unit(np.array(found))
