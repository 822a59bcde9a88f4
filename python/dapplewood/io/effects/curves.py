# SPDX-License-Identifier: MIT
"""Curves and colours over the age, as arrays of evenly spaced values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

__all__ = [
    "AGES",
    "bezier_pieces",
    "eased",
    "encoded",
    "hermite",
    "keyed",
    "mixed",
    "parse_hex",
    "sampled",
    "stepped",
]

# As many as a part's curve has knots.
AGES = np.linspace(0.0, 1.0, 65)
AGES.setflags(write=False)


def sampled(function: Callable[[float], float]) -> np.ndarray:
    """(65,) float64: a function of the age, at every knot."""
    return np.array([function(float(age)) for age in AGES])


def keyed(at: Sequence[float], values: Sequence[float] | np.ndarray) -> np.ndarray:
    """(65,) or (65, n): straight between keys, level before the first and after the last.

    Keys may stand in any order; of two at the same place the later one counts from there on.
    """
    place = np.asarray(at, np.float64)
    value = np.asarray(values, np.float64)
    order = np.argsort(place, kind="stable")
    place, value = place[order], value[order]
    if value.ndim == 1:
        return np.interp(AGES, place, value)
    return np.stack([np.interp(AGES, place, column) for column in value.T], axis=1)


def stepped(at: Sequence[float], values: Sequence[Sequence[float]]) -> np.ndarray:
    """(65, n): each key's value up to the next key."""
    order = np.argsort(np.asarray(at), kind="stable")
    place = np.asarray(at, np.float64)[order]
    value = np.asarray(values, np.float64)[order]
    index = np.searchsorted(place, AGES, side="right") - 1
    return value[np.clip(index, 0, len(value) - 1)]


def bezier_pieces(pieces: Sequence[tuple[float, Sequence[float]]]) -> np.ndarray:
    """(65,): cubic Bezier values, each piece (where it begins, four ordinates) up to the next."""
    pieces = sorted(pieces, key=lambda piece: piece[0])
    starts = np.array([piece[0] for piece in pieces])
    ends = np.append(starts[1:], 1.0)
    index = np.clip(np.searchsorted(starts, AGES, side="right") - 1, 0, len(pieces) - 1)
    points = np.array([piece[1] for piece in pieces], np.float64)[index]
    width = np.maximum(ends[index] - starts[index], 1e-9)
    t = np.clip((AGES - starts[index]) / width, 0.0, 1.0)[:, None]
    weights = np.concatenate(
        [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3], axis=1
    )
    return (points * weights).sum(axis=1)


def hermite(keys: Sequence[tuple[float, float, float, float]]) -> np.ndarray:
    """(65,): cubic between keys (place, value, slope before, slope after), level beyond them."""
    ordered = sorted(keys, key=lambda key: key[0])

    def value(age: float) -> float:
        if age <= ordered[0][0]:
            return ordered[0][1]
        for (x0, y0, _, leave), (x1, y1, enter, _) in zip(ordered, ordered[1:], strict=False):
            if age <= x1:
                width = x1 - x0
                t = (age - x0) / width if width > 0 else 1.0
                a, b = y0 + leave * width / 3, y1 - enter * width / 3
                s = 1 - t
                return y0 * s**3 + 3 * a * t * s * s + 3 * b * t * t * s + y1 * t**3
        return ordered[-1][1]

    return sampled(value)


def eased(start: float, end: float, begin_angle: float, end_angle: float) -> np.ndarray:
    """(65,): a cubic that leaves and arrives at given angles in degrees; 0 and 0 is straight.

    The angle is added to that of the straight line, so that 30 begins or ends faster.
    """
    leave = math.tan(math.radians(min(max(begin_angle + 45.0, -89.0), 89.0)))
    arrive = math.tan(math.radians(min(max(end_angle + 45.0, -89.0), 89.0)))
    a, b = leave + arrive - 2.0, 3.0 - arrive - 2.0 * leave
    return start + (end - start) * (a * AGES**3 + b * AGES**2 + leave * AGES)


def mixed(least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Halfway between two curves: what a particle of one that picks between them follows."""
    return (np.asarray(least, np.float64) + np.asarray(most, np.float64)) / 2


def encoded(colors: np.ndarray) -> np.ndarray:
    """Linear colours sRGB-encoded; beyond 0..1 is left to the caller."""
    linear = np.maximum(np.asarray(colors, np.float64), 0.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def parse_hex(word: str) -> tuple[float, float, float] | None:
    """Red, green and blue in 0..1 of "#f80", "ff8800", "#ff8800cc" or "0xff8800"; else None."""
    digits = word.strip().lower().removeprefix("#").removeprefix("0x")
    if len(digits) in (3, 4):
        digits = "".join(letter * 2 for letter in digits)
    if len(digits) not in (6, 8) or any(letter not in "0123456789abcdef" for letter in digits):
        return None
    return tuple(int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))  # type: ignore[return-value]
