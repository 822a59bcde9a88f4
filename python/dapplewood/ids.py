# SPDX-License-Identifier: MIT
"""Ids of instances: whole numbers of 64 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["as_ids"]


def as_ids(ids: Any, argument: str = "ids") -> np.ndarray:
    """A (N,) uint64 array of one id or many.

    Raises
    ------
    TypeError
        They are no whole numbers.
    ValueError
        One is below 0 or does not fit in 64 bits, or there is more than one axis.
    """
    array = np.asarray(ids)
    if array.dtype.kind == "f" and array.size and not isinstance(ids, np.ndarray):
        array = np.asarray(ids, dtype=object)  # whole numbers above and below 2**63 become floats
    if array.dtype == object:
        array = _from_objects(array, argument)
    elif array.size == 0:
        array = array.astype(np.uint64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{argument} must be whole numbers, got dtype {array.dtype}")
    if array.ndim > 1:
        raise ValueError(f"{argument} must have one axis, got shape {array.shape}")
    if array.dtype.kind == "i" and array.size and int(array.min()) < 0:
        raise ValueError(f"{argument} must be 0 or more, got {int(array.min())}")
    return np.ascontiguousarray(array.reshape(-1), dtype=np.uint64)


def _from_objects(array: np.ndarray, argument: str) -> np.ndarray:
    for value in array.reshape(-1):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise TypeError(f"{argument} must be whole numbers, got {type(value).__name__}")
        if not 0 <= value < 2**64:
            raise ValueError(f"{argument} must be 0 to 2**64 - 1, got {value}")
    return array.astype(np.uint64)
