# SPDX-License-Identifier: MIT
"""A chain of mip levels as the bytes of one format: what both container writers write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from . import blocks
from .formats import Format, full_levels, mip_size, writable_format

COLOR_SPACES = ("srgb", "linear")


@dataclass(frozen=True)
class EncodedChain:
    """Levels in the bytes of one format, as `encode_levels` gives them.

    Attributes
    ----------
    format : Format
    width, height : int
        Texels of level 0.
    layers : int
        Array layers; 0 for a texture that is no array.
    payloads : tuple of tuple of bytes-like
        Per level, per layer: one tightly packed image.
    """

    format: Format
    width: int
    height: int
    layers: int
    payloads: tuple[tuple[bytes | memoryview, ...], ...]

    def decode(self) -> tuple[np.ndarray, ...]:
        """The levels as they will look once compressed: (h, w, 4), or (layers, h, w, 4)."""
        out = []
        for level, images in enumerate(self.payloads):
            size = mip_size(self.width, self.height, level)
            arrays = [blocks.decode(data, *size, self.format) for data in images]
            out.append(np.stack(arrays) if self.layers else arrays[0])
        return tuple(out)


def check_color_space(color_space: str | Enum) -> str:
    """The word of a colour space given as a word or as the member of an enum."""
    if isinstance(color_space, Enum):
        color_space = color_space.name.lower()
    if color_space not in COLOR_SPACES:
        raise ValueError(f"color_space must be 'srgb' or 'linear', got {color_space!r}")
    return color_space


def _level_array(level: Any, index: int, row: Format) -> np.ndarray:
    array = np.asarray(level)
    if array.dtype.newbyteorder("=") not in (np.dtype(np.uint8), np.dtype(np.uint16)):
        raise TypeError(f"levels[{index}] must be uint8 or uint16, got {array.dtype}")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    # One-channel formats take bare planes, since that is how a coverage mask comes.
    if len(row.channels) == 1 and (array.ndim == 2 or (array.ndim == 3 and array.shape[2] > 4)):
        array = array[..., None]
    if array.ndim not in (3, 4) or array.shape[-1] not in (4, len(row.channels)):
        raise ValueError(
            f"levels[{index}] must have shape (h, w, 4) or (layers, h, w, 4) for {row.name}, "
            f"got {array.shape}"
        )
    if 0 in array.shape:
        raise ValueError(f"levels[{index}] is empty: shape {array.shape}")
    return array


def _check_shapes(arrays: list[np.ndarray], layers: int | None) -> int:
    """Number of array layers, 0 for none, after holding every level against the first."""
    first = arrays[0]
    found = first.shape[0] if first.ndim == 4 else 0
    if layers is not None and layers != found:
        raise ValueError(
            f"layers is {layers}, but the levels hold {found or 'no'} layers: "
            "an array texture is given as levels of shape (layers, h, w, 4)"
        )
    height, width = first.shape[-3:-1]
    limit = full_levels(width, height)
    if len(arrays) > limit:
        raise ValueError(f"levels has {len(arrays)} entries; {width} x {height} has {limit}")
    for index, array in enumerate(arrays):
        size = mip_size(width, height, index)
        want = (*first.shape[:-3], size[1], size[0])
        if array.shape[:-1] != want:
            raise ValueError(
                f"levels[{index}] must be {want} after a level 0 of {first.shape[:-1]}, "
                f"got {array.shape[:-1]}"
            )
    return found


def encode_levels(
    levels: Sequence[Any],
    *,
    format: str = "rgba8",
    layers: int | None = None,
    alpha_cutoff: int = blocks.BC1_ALPHA_CUTOFF,
) -> EncodedChain:
    """Encodes mip levels, once, for any container.

    Parameters
    ----------
    levels : sequence of array
        Level 0 first, each half the one before, rounded down: (h, w, 4) uint8 or uint16, straight
        or premultiplied as the caller will flag it, or (layers, h, w, 4) for an array texture.
        Formats of one or two channels also take (h, w), (h, w, 1) and (h, w, 2). A chain may stop
        early; it may not skip.
    format : str
        One of `formats.WRITABLE`.
    layers : int, optional
        Checked against the arrays when given.
    alpha_cutoff : int
        1..255, for "bc1": alpha from which a texel is opaque.

    Returns
    -------
    EncodedChain

    Raises
    ------
    ValueError, TypeError
        The levels do not fit each other, or the format.
    ImportError
        A block format without etcpak.

    Notes
    -----
    BC1 has one bit of alpha: texels below `alpha_cutoff` decode as transparent black, whatever
    colour they had, so bilinear samples at an edge darken; bc3 and bc7 keep colour under alpha 0.
    In bc3, bc4 and bc5 every 0 and 255 of a ramp is kept exactly. In bc7 wholly opaque and wholly
    clear blocks are; at steep edges the format itself may miss the ends by a few steps. Measure
    coverage on `EncodedChain.decode`, not on the levels.
    """
    row = writable_format(format)
    if not 1 <= alpha_cutoff <= 255:
        raise ValueError(f"alpha_cutoff must be in 1..255, got {alpha_cutoff}")
    if isinstance(levels, np.ndarray):
        raise TypeError("levels must be a sequence of arrays, got one array: write [array]")
    arrays = [_level_array(level, index, row) for index, level in enumerate(levels)]
    if not arrays:
        raise ValueError("levels is empty; at least level 0 is needed")
    found = _check_shapes(arrays, layers)
    payloads = tuple(
        tuple(
            blocks.encode(image, row, alpha_cutoff=alpha_cutoff)
            for image in (array if found else array[None])
        )
        for array in arrays
    )
    height, width = arrays[0].shape[-3:-1]
    return EncodedChain(row, width, height, found, payloads)


def as_chain(
    levels: Any, format: str | None, layers: int | None, alpha_cutoff: int
) -> EncodedChain:
    """`levels` if it is encoded already, else its encoding. `format` None means "rgba8"."""
    if not isinstance(levels, EncodedChain):
        return encode_levels(
            levels, format=format or "rgba8", layers=layers, alpha_cutoff=alpha_cutoff
        )
    if format not in (None, levels.format.name):
        raise ValueError(
            f"format is {format!r}, but the chain is encoded as {levels.format.name!r} already"
        )
    return levels
