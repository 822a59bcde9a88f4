# SPDX-License-Identifier: MIT
"""Numbers that Python itself works with before the core sees them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["check_count", "check_positive"]


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
    number = float(value)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return number
