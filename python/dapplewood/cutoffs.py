# SPDX-License-Identifier: MIT
"""What an argument `cutoffs` means."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

__all__ = ["as_cutoffs", "cutoff_code"]


def as_cutoffs(cutoffs: Any) -> tuple[float, ...]:
    """One alpha-test reference or several, as floats; the core checks their range and order."""
    if isinstance(cutoffs, numbers.Real):
        return (float(cutoffs),)
    array = np.asarray(cutoffs)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iuf"):
        raise TypeError(f"cutoffs must be a number or a sequence of numbers, got {cutoffs!r}")
    return tuple(float(cutoff) for cutoff in array)


def cutoff_code(cutoff: float) -> int:
    """The least 8-bit alpha that passes a test at `cutoff`, as the block encoders take it."""
    return min(255, max(1, math.ceil(255 * cutoff - 1e-9)))
