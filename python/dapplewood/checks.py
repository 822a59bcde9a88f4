# SPDX-License-Identifier: MIT
"""Numbers that Python itself works with before the core sees them."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

__all__ = ["as_number", "as_whole", "check_count", "check_positive"]


def as_number(value: Any, name: str) -> float:
    """A float of what can be one; NaN and infinity, too."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None


def as_whole(value: Any, name: str) -> int:
    """An int of what is one."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None


def check_count(value: Any, name: str, least: int) -> int:
    """A whole number from `least` up, of at most 32 bits."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an int, got {type(value).__name__}")
    if value < least:
        raise ValueError(f"{name} must be {least} or more, got {value}")
    if value >= 2**31:
        raise ValueError(f"{name} must fit in 32 bits, got {value}")
    return int(value)


def check_positive(value: Any, name: str) -> float:
    """A finite number above 0."""
    number = as_number(value, name)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return number
