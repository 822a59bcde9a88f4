# SPDX-License-Identifier: MIT
"""NumPy dtypes of the core's structs, from the field lists that C and GLSL compile."""

from __future__ import annotations

import numpy as np

from . import _core

__all__ = ["record_dtype", "records"]

_SCALARS = {"int": "<i4", "uint": "<u4", "float": "<f4"}


def record_dtype(name: str) -> np.dtype:
    """The dtype of a struct such as "dw_tile_level"."""
    size, fields = _core.STRUCT_LAYOUTS[name]
    formats = [
        (_SCALARS[kind], (count,)) if count else _SCALARS[kind] for _, kind, count, _ in fields
    ]
    return np.dtype(
        {
            "names": [field for field, _, _, _ in fields],
            "formats": formats,
            "offsets": [offset for _, _, _, offset in fields],
            "itemsize": size,
        }
    )


def records(data: np.ndarray, name: str) -> np.ndarray:
    """Bytes whose last axis is one struct, as records."""
    return data.view(record_dtype(name))[..., 0]
