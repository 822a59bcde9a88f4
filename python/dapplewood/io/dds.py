# SPDX-License-Identifier: MIT
"""DDS: the reader takes legacy and DX10 headers, the writer gives DX10 headers only.

A legacy header cannot say sRGB, straight alpha or BC7, so none is ever written.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError
from . import blocks
from .chain import EncodedChain, as_chain, check_color_space
from .files import atomic_file, write_all
from .formats import (
    BY_DXGI,
    BY_NAME,
    MAX_BYTES,
    MAX_EDGE,
    Format,
    full_levels,
    mip_size,
    writable_format,
)
from .texture import Texture, expand_masked

MAGIC = b"DDS "
_HEADER = struct.Struct("<7I44x2I4s5I4I4x")
_DX10 = struct.Struct("<5I")
_DATA_AT = 4 + _HEADER.size
_DX10_DATA_AT = _DATA_AT + _DX10.size

_FLAGS_ALWAYS = 0x1007  # caps, height, width, pixel format
_FLAG_PITCH = 0x8
_FLAG_MIPMAPS = 0x20000
_FLAG_LINEAR_SIZE = 0x80000
_CAPS_TEXTURE = 0x1000
_CAPS_MIPMAPS = 0x400008  # mipmap and complex
_CAPS_COMPLEX = 0x8
_CAPS2_CUBE = 0x200
_CAPS2_VOLUME = 0x200000
_PIXEL_FOURCC = 0x4
_MISC_CUBE = 0x4
_DIMENSION_2D = 3

ALPHA_MODES = {"unknown": 0, "straight": 1, "premultiplied": 2, "opaque": 3, "custom": 4}
_ALPHA_WORDS = {number: word for word, number in ALPHA_MODES.items()}
_CUBE_FACES = ("+X", "-X", "+Y", "-Y", "+Z", "-Z")

# Four-character codes of legacy files: format and what the code says of alpha. DXT2 and DXT4 are
# by definition premultiplied.
_FOURCC = {
    b"DXT1": ("bc1", "unknown"),
    b"DXT2": ("bc2", "premultiplied"),
    b"DXT3": ("bc2", "unknown"),
    b"DXT4": ("bc3", "premultiplied"),
    b"DXT5": ("bc3", "unknown"),
    b"ATI1": ("bc4", "unknown"),
    b"BC4U": ("bc4", "unknown"),
    b"ATI2": ("bc5", "unknown"),
    b"BC5U": ("bc5", "unknown"),
    struct.pack("<I", 36): ("rgba16", "unknown"),
    struct.pack("<I", 111): ("r16f", "unknown"),
    struct.pack("<I", 112): ("rg16f", "unknown"),
    struct.pack("<I", 113): ("rgba16f", "unknown"),
    struct.pack("<I", 114): ("r32f", "unknown"),
    struct.pack("<I", 116): ("rgba32f", "unknown"),
}


@dataclass
class _Layout:
    """What a header says of the payload."""

    width: int
    height: int
    levels: int
    items: int  # images per level: layers times faces
    layers: int
    faces: int
    data_at: int
    row: Format | None
    masks: tuple[int, int, int, int]  # used when row is None
    bits: int
    luminance: bool
    color_space: str | None
    alpha_mode: str
    source: str

    def size_bytes(self, width: int, height: int) -> int:
        if self.row is not None:
            return self.row.size_bytes(width, height)
        return width * height * self.bits // 8


def write_dds(
    path: str | os.PathLike[str],
    levels: Any,
    *,
    format: str | None = None,
    color_space: str | Enum = "srgb",
    alpha_mode: str = "straight",
    layers: int | None = None,
    alpha_cutoff: int = blocks.BC1_ALPHA_CUTOFF,
) -> None:
    """Writes a DDS file with a DX10 header.

    Parameters
    ----------
    path : path
        Replaced only when the whole file is written and synced.
    levels : sequence of array, or EncodedChain
        As for `encode_levels`. A chain that stops before 1 x 1 is legal; Direct3D samples no
        further than it goes. Some engines want a whole one: pad it before.
    format : str, optional
        "rgba8" (the default), "r8", "rg8", "rgba16", "bc1", "bc3", "bc4", "bc5" or "bc7".
    color_space : {"srgb", "linear"}
        "srgb" takes the _SRGB format. Formats that have none (r8, rg8, rgba16, bc4, bc5) can be
        written as "linear" only: DDS has no other place to say it.
    alpha_mode : {"straight", "premultiplied", "opaque", "custom", "unknown"}
        Written as the alpha mode of the header; "custom" is opacity that is no opacity.
    layers : int, optional
        Checked against the arrays when given.
    alpha_cutoff : int
        1..255, for "bc1": alpha from which a texel is opaque.

    Raises
    ------
    ValueError, TypeError
        The levels do not fit each other or the format, or DDS cannot say the colour space.
    ImportError
        A block format without etcpak.
    OSError
        With the path; the old file stays.
    """
    color_space = check_color_space(color_space)
    if alpha_mode not in ALPHA_MODES:
        raise ValueError(f"alpha_mode must be one of {', '.join(ALPHA_MODES)}, got {alpha_mode!r}")
    encoded = isinstance(levels, EncodedChain)
    row = levels.format if encoded else writable_format(format or "rgba8")
    # Said before the levels are encoded, which may take seconds.
    if color_space == "srgb" and row.dxgi_srgb is None:
        raise ValueError(
            f"DDS cannot say that {row.name} is sRGB: pass color_space='linear', "
            "choose rgba8, bc1, bc3 or bc7, or write KTX2"
        )
    chain = as_chain(levels, format, layers, alpha_cutoff)
    count = len(chain.payloads)
    flags = _FLAGS_ALWAYS | (_FLAG_LINEAR_SIZE if row.compressed else _FLAG_PITCH)
    caps = _CAPS_TEXTURE | (_CAPS_COMPLEX if chain.layers > 1 else 0)
    if count > 1:
        flags |= _FLAG_MIPMAPS
        caps |= _CAPS_MIPMAPS
    # The size of level 0 when compressed, else the bytes of its rows.
    height = chain.height if row.compressed else 1
    pitch = row.size_bytes(chain.width, height)
    head = MAGIC + _HEADER.pack(
        _HEADER.size, flags, chain.height, chain.width, pitch & 0xFFFFFFFF, 0, count,
        32, _PIXEL_FOURCC, b"DX10", 0, 0, 0, 0, 0, caps, 0, 0, 0,
    )  # fmt: skip
    dxgi = row.dxgi_srgb if color_space == "srgb" else row.dxgi_unorm
    head += _DX10.pack(dxgi, _DIMENSION_2D, 0, max(1, chain.layers), ALPHA_MODES[alpha_mode])
    with atomic_file(path) as file:
        write_all(file, head)
        for layer in range(max(1, chain.layers)):
            for images in chain.payloads:
                write_all(file, images[layer])


def read_dds(data: memoryview, path: Path) -> Texture:
    """Reads a whole DDS file from memory; `path` is for messages only. See `read_texture`."""
    layout = _parse(data, path)
    sizes = [mip_size(layout.width, layout.height, level) for level in range(layout.levels)]
    per_item = sum(layout.size_bytes(*size) for size in sizes)
    have = len(data) - layout.data_at
    if per_item * layout.items > have:
        raise FormatError(
            f"{path}: the payload is cut short: {layout.items} image(s) of {layout.width} x "
            f"{layout.height}, {layout.levels} level(s), {layout.source} need "
            f"{per_item * layout.items} bytes, {have} follow the header"
        )
    images: list[list[np.ndarray]] = [[] for _ in sizes]
    place = layout.data_at
    for _ in range(layout.items):
        for level, size in enumerate(sizes):
            count = layout.size_bytes(*size)
            images[level].append(_decode(data[place : place + count], *size, layout))
            place += count
    return Texture(
        levels=tuple(np.stack(each) if layout.layers or layout.faces == 6 else each[0]
                     for each in images),
        format=layout.row.name if layout.row else layout.source,
        color_space=layout.color_space or ("linear" if _is_float(layout.row) else "srgb"),
        alpha_mode=layout.alpha_mode,
        layers=layout.layers,
        faces=layout.faces,
        metadata={} if layout.color_space else {"color_space": "assumed"},
        source_format=layout.source,
    )


def _is_float(row: Format | None) -> bool:
    return row is not None and row.storage in ("f16", "f32")


def _decode(data: memoryview, width: int, height: int, layout: _Layout) -> np.ndarray:
    if layout.row is not None:
        return blocks.decode(data, width, height, layout.row)
    return expand_masked(
        data, width, height, bits=layout.bits, masks=layout.masks, luminance=layout.luminance
    )


def _parse(data: memoryview, path: Path) -> _Layout:
    if bytes(data[:4]) != MAGIC:
        raise FormatError(f"{path}: no DDS file: it begins with {bytes(data[:4])!r}, not {MAGIC!r}")
    if len(data) < _DATA_AT:
        raise FormatError(f"{path}: the header is cut short: {len(data)} of {_DATA_AT} bytes")
    (size, flags, height, width, _, depth, levels, pixel_size, pixel_flags, fourcc, bits,
     *masks, _, caps2, _, _) = _HEADER.unpack_from(data, 4)  # fmt: skip
    if size != 124 or pixel_size != 32:
        raise FormatError(
            f"{path}: header sizes {size} and {pixel_size}; a DDS file has 124 and 32"
        )
    if not (0 < width <= MAX_EDGE and 0 < height <= MAX_EDGE):
        raise FormatError(f"{path}: size {width} x {height} is outside 1..{MAX_EDGE}")
    if caps2 & _CAPS2_VOLUME or (flags & 0x800000 and depth > 1):
        raise FormatError(f"{path}: a volume texture of depth {depth}; only 2D ones are read")
    layout = _Layout(
        width, height, max(1, levels), 1, 0, 1, _DATA_AT, None, tuple(masks), bits, False, None,
        "unknown", "",
    )  # fmt: skip
    limit = full_levels(width, height)
    if layout.levels > limit:
        raise FormatError(
            f"{path}: {levels} mip levels, but {width} x {height} has at most {limit}"
        )
    if pixel_flags & _PIXEL_FOURCC and fourcc == b"DX10":
        _parse_dx10(data, path, layout)
    else:
        _parse_legacy(path, layout, pixel_flags, fourcc)
        _parse_cube_caps(path, layout, caps2)
    layout.items = max(1, layout.layers) * layout.faces
    if layout.items * layout.size_bytes(width, height) > MAX_BYTES:
        raise FormatError(
            f"{path}: {layout.items} image(s) of {width} x {height} exceed {MAX_BYTES} bytes"
        )
    return layout


def _parse_dx10(data: memoryview, path: Path, layout: _Layout) -> None:
    if len(data) < _DX10_DATA_AT:
        raise FormatError(f"{path}: the DX10 header is cut short")
    dxgi, dimension, misc, items, misc2 = _DX10.unpack_from(data, _DATA_AT)
    if dxgi not in BY_DXGI:
        raise FormatError(f"{path}: DXGI format {dxgi} is not read; known: {sorted(BY_DXGI)}")
    if dimension != _DIMENSION_2D:
        raise FormatError(f"{path}: resource dimension {dimension}; only 2D textures (3) are read")
    if not 0 < items <= 2048:
        raise FormatError(f"{path}: array size {items} is outside 1..2048")
    layout.row, layout.color_space = BY_DXGI[dxgi]
    layout.data_at = _DX10_DATA_AT
    layout.faces = 6 if misc & _MISC_CUBE else 1
    layout.layers = items if items > 1 else 0
    layout.alpha_mode = _ALPHA_WORDS.get(misc2 & 7, "unknown")
    layout.source = f"DXGI {dxgi}"


def _parse_legacy(path: Path, layout: _Layout, flags: int, fourcc: bytes) -> None:
    if flags & _PIXEL_FOURCC:
        if fourcc not in _FOURCC:
            raise FormatError(f"{path}: four-character code {fourcc!r} is not read")
        name, layout.alpha_mode = _FOURCC[fourcc]
        layout.row = BY_NAME[name]
        layout.source = fourcc.decode("ascii", "replace") if fourcc.isalnum() else name
        return
    bits, masks = layout.bits, list(layout.masks)
    has_alpha = bool(flags & 0x1 or flags & 0x2)
    layout.luminance = bool(flags & 0x20000)
    if not has_alpha:
        masks[3] = 0
    if flags & 0x2 and not flags & 0x20041:
        masks[:3] = [0, 0, 0]
    if bits not in (8, 16, 24, 32) or not any(masks) or not flags & 0x20043:
        raise FormatError(
            f"{path}: pixel format with flags {flags:#x}, {bits} bits and masks "
            f"{', '.join(f'{mask:#x}' for mask in masks)} is not read"
        )
    if any(mask >> bits for mask in masks):
        raise FormatError(f"{path}: a channel mask is wider than the {bits} bits of a texel")
    layout.masks = (masks[0], masks[1], masks[2], masks[3])
    letters = "LxxA" if layout.luminance else "RGBA"
    layout.source = "".join(
        f"{letter}{mask.bit_count()}" for letter, mask in zip(letters, masks, strict=True) if mask
    )


def _parse_cube_caps(path: Path, layout: _Layout, caps2: int) -> None:
    if not caps2 & _CAPS2_CUBE:
        return
    missing = [face for bit, face in enumerate(_CUBE_FACES) if not caps2 & (0x400 << bit)]
    if missing:
        raise FormatError(
            f"{path}: a cube map with {6 - len(missing)} of 6 faces ({', '.join(missing)} missing)"
        )
    layout.faces = 6
