# SPDX-License-Identifier: MIT
"""The computed pictures of particles in NumPy, and where their quads lie."""

from __future__ import annotations

import numpy as np


def hash32(x) -> np.ndarray:
    """The hash of dither.h over 32-bit words."""
    x = np.asarray(x, np.uint32).copy()
    with np.errstate(over="ignore"):
        x = x * np.uint32(747796405) + np.uint32(2891336453)
        word = ((x >> ((x >> np.uint32(28)) + np.uint32(4))) ^ x) * np.uint32(277803737)
    return (word >> np.uint32(22)) ^ word


def cell_value(x, y, seed: int) -> np.ndarray:
    x, y = (np.asarray(v, np.int64).astype(np.uint32) for v in (x, y))
    return (hash32(x ^ hash32(y ^ hash32(np.uint32(seed)))) >> np.uint32(8)) / 2.0**24


def noise(x, y, seed: int, period: int) -> np.ndarray:
    """Smooth noise between values at whole numbers, which repeats in y."""
    cx, cy = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    sx, sy = x - cx, y - cy
    sx, sy = sx * sx * (3 - 2 * sx), sy * sy * (3 - 2 * sy)
    low, high = cy % period, (cy + 1) % period
    under = (1 - sx) * cell_value(cx, low, seed) + sx * cell_value(cx + 1, low, seed)
    over = (1 - sx) * cell_value(cx, high, seed) + sx * cell_value(cx + 1, high, seed)
    return (1 - sy) * under + sy * over


def smoothstep(low, high, x) -> np.ndarray:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def glow(x, y, sharpness: float = 2.0) -> np.ndarray:
    return np.maximum(1 - np.hypot(x, y), 0) ** sharpness


def ring(x, y) -> np.ndarray:
    rho = np.hypot(x, y)
    return np.exp(-4 * ((rho - 0.65) / 0.22) ** 2) * np.clip(5 * (1 - rho), 0, 1)


def streak(x, y) -> np.ndarray:
    """Smooth across, faint at the tail (below), round at the head."""
    along = 0.5 + 0.5 * y
    return smoothstep(0, 1, 1 - np.abs(x)) * smoothstep(0, 0.7, along) * (
        1 - smoothstep(0.9, 1, along)
    )


def flame(x, y, seconds: float, *, variant: int = 0, turn: float = 0.0, age: float = 0.0):
    """(light over its colour, share of the hot colour in it): the glow counts twice."""
    u, v = 0.5 + 0.5 * x, 0.5 + 0.5 * y
    s = np.maximum(1 - (np.hypot(x, y) + 0.3 * v), 0)
    phase = 2 * np.pi * turn
    n = 0.6 * noise(4 * u, 4 * v - 3 * seconds, variant, 3840) + 0.4 * noise(
        7 * u + 0.3 * phase, 7 * v - 4.2 * seconds, variant + 1, 5376
    )
    hot = s**0.8 * (0.7 + 0.3 * n) * (1 - smoothstep(0.3, 1, age))
    return 1.5 * hot * hot, s * s
