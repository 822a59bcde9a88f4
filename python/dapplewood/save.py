# SPDX-License-Identifier: MIT
"""Levels to files, by suffix."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .cutoffs import cutoff_code
from .io import EncodedChain, write_dds, write_image, write_ktx2

__all__ = ["save_levels"]


def _save_pngs(path: Path, levels: list, color_space: str) -> list[str]:
    written = []
    for level, texels in enumerate(levels):
        each = path.with_name(f"{path.stem}_mip{level}.png")
        write_image(each, texels, color_space=color_space)
        written.append(str(each))
    return written


def save_levels(
    path: str | os.PathLike[str],
    levels: Any,
    *,
    format: str | None,
    color_space: str,
    cutoff: float,
    supercompress: bool,
    metadata: Mapping[str, str] | None = None,
) -> list[str]:
    """Writes levels to ``.ktx2``, ``.dds`` or a chain of ``.png``; returns the files written.

    `levels` may be an `EncodedChain` for the first two; `format` is None then.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if supercompress and suffix != ".ktx2":
        raise ValueError(f"supercompress is for .ktx2 files, got {path.name}")
    if metadata and suffix != ".ktx2":
        raise ValueError(f"metadata is for .ktx2 files, got {path.name}")
    if suffix == ".png":
        if isinstance(levels, EncodedChain) or format != "rgba8" or levels[0].ndim != 3:
            raise ValueError(f'{path.name}: PNG holds plain "rgba8" levels; use .ktx2 or .dds')
        return _save_pngs(path, levels, color_space)
    shared = {
        "format": format,
        "color_space": color_space,
        "alpha_cutoff": cutoff_code(cutoff),
    }
    if suffix == ".ktx2":
        write_ktx2(path, levels, supercompress=supercompress, metadata=metadata, **shared)
    elif suffix == ".dds":
        write_dds(path, levels, **shared)
    else:
        raise ValueError(f"{path.name}: the suffix must be .ktx2, .dds or .png")
    return [str(path)]
