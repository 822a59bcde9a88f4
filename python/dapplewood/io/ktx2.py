# SPDX-License-Identifier: MIT
"""KTX2, after revision 4 of the KTX 2.0 specification (February 2025).

Levels lie smallest first, each at a multiple of lcm(4, block) unless supercompressed. The data
format descriptor keeps `bytesPlane0` under supercompression, as revision 4 asks.
"""

from __future__ import annotations

import math
import os
import struct
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from ..errors import FormatError
from . import blocks
from .chain import EncodedChain, as_chain, check_color_space
from .files import as_path, atomic_file, read_bytes, write_all
from .formats import (
    BY_VK,
    CHANNEL_ALPHA,
    MAX_BYTES,
    MAX_EDGE,
    Format,
    full_levels,
    mip_size,
)
from .texture import Texture

MAGIC = b"\xabKTX 20\xbb\r\n\x1a\n"
_HEADER = struct.Struct("<9I4I2Q")
_LEVEL = struct.Struct("<3Q")
_INDEX_AT = len(MAGIC) + _HEADER.size

SCHEME_NONE, SCHEME_BASIS, SCHEME_ZSTD, SCHEME_ZLIB = range(4)
_TRANSFER_LINEAR, _TRANSFER_SRGB = 1, 2
_PRIMARIES_BT709 = 1
_SAMPLE_LINEAR = 0x10
_FLAG_PREMULTIPLIED = 1
_DFD_VERSION = 2

# Fixed, so that the same levels always give the same bytes; 6 is the knee of size against time.
_ZSTD_LEVEL = 6

# Greatest expansion either scheme can reach: a Zstandard run block of 128 KiB takes 4 bytes, a
# deflate match of 258 bytes takes 2 bits.
_MAX_RATIO = {SCHEME_ZSTD: 1 << 15, SCHEME_ZLIB: 1032}

_WRITER = "dapplewood"


def data_format_descriptor(row: Format, *, color_space: str, premultiplied: bool) -> bytes:
    """The data format descriptor of a format, with its leading total size."""
    body = b""
    transfer = _TRANSFER_SRGB if color_space == "srgb" else _TRANSFER_LINEAR
    for sample in row.samples:
        kind = sample.channel
        # Alpha is never sRGB-encoded; bit 4 says so wherever the transfer function is not linear.
        if transfer == _TRANSFER_SRGB and kind == CHANNEL_ALPHA:
            kind |= _SAMPLE_LINEAR
        body += struct.pack(
            "<HBB4xII", sample.bit_offset, sample.bit_length - 1, kind, 0, sample.upper
        )
    edge = row.block_edge - 1
    head = struct.pack(
        "<IHH12B4x",
        0,
        _DFD_VERSION,
        24 + len(body),
        row.model,
        _PRIMARIES_BT709,
        transfer,
        _FLAG_PREMULTIPLIED if premultiplied else 0,
        *(edge, edge, 0, 0),
        *(row.block_bytes, 0, 0, 0),
    )
    return struct.pack("<I", 4 + len(head) + len(body)) + head + body


def _key_values(metadata: Mapping[str, str | bytes]) -> bytes:
    pairs: dict[str, bytes] = {}
    for key, value in metadata.items():
        if not isinstance(key, str) or not key or "\0" in key:
            raise ValueError(f"metadata: a key must be a non-empty str without NUL, got {key!r}")
        if not isinstance(value, str | bytes):
            raise TypeError(f"metadata[{key!r}] must be str or bytes, got {type(value).__name__}")
        pairs[key] = value.encode() + b"\0" if isinstance(value, str) else value
    out = b""
    # Python orders str by code point, which is the order the specification asks for.
    for key in sorted(pairs):
        entry = key.encode() + b"\0" + pairs[key]
        out += struct.pack("<I", len(entry)) + entry + bytes(-len(entry) % 4)
    return out


def _writer_metadata(metadata: Mapping[str, str | bytes] | None) -> dict[str, str | bytes]:
    own: dict[str, str | bytes] = {"KTXorientation": "rd", "KTXwriter": _WRITER}
    for key, value in (metadata or {}).items():
        reserved = isinstance(key, str) and key[:3].lower() == "ktx"
        if reserved and key not in ("KTXwriter", "KTXwriterScParams", "KTXswizzle"):
            raise ValueError(
                f"metadata: the key {key!r} is reserved by KTX; choose a prefix of your own"
            )
        own[key] = value
    return own


def _compressor() -> zstandard.ZstdCompressor:
    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True, threads=-1)


def _level_payloads(chain: EncodedChain, supercompress: bool) -> list[list[bytes | memoryview]]:
    if not supercompress:
        return [list(images) for images in chain.payloads]

    def deflate(images: tuple[bytes | memoryview, ...]) -> list[bytes | memoryview]:
        data = images[0] if len(images) == 1 else b"".join(images)
        try:
            return [_compressor().compress(data)]
        except zstandard.ZstdError as error:  # nothing else can go wrong with bytes in memory
            raise MemoryError(f"zstd: {error}") from error

    try:
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(deflate, chain.payloads))
    except RuntimeError:  # no room for a thread
        return [deflate(images) for images in chain.payloads]


def write_ktx2(
    path: str | os.PathLike[str],
    levels: Any,
    *,
    format: str | None = None,
    color_space: str | Enum = "srgb",
    premultiplied: bool = False,
    layers: int | None = None,
    supercompress: bool = False,
    metadata: Mapping[str, str | bytes] | None = None,
    alpha_cutoff: int = blocks.BC1_ALPHA_CUTOFF,
) -> None:
    """Writes a KTX2 file.

    Parameters
    ----------
    path : path
        Replaced only when the whole file is written and synced.
    levels : sequence of array, or EncodedChain
        As for `encode_levels`. A chain that stops before 1 x 1 is legal KTX2.
    format : str, optional
        "rgba8" (the default), "r8", "rg8", "rgba16", "bc1", "bc3", "bc4", "bc5" or "bc7".
    color_space : {"srgb", "linear"}
        "srgb" takes the _SRGB format. rgba16, bc4 and bc5 have none; there the descriptor alone
        says sRGB, which the specification allows, and shaders must decode.
    premultiplied : bool
        Whether the colours are multiplied by alpha: sets the flag, changes no texel.
    layers : int, optional
        Checked against the arrays when given.
    supercompress : bool
        Zstandard per level, at one fixed strength.
    metadata : mapping of str to str or bytes, optional
        More key/values; text is stored with a closing NUL. KTXorientation is "rd" and KTXwriter
        is "dapplewood", which `metadata` may replace; other KTX keys are refused, but for
        KTXwriterScParams and KTXswizzle.
    alpha_cutoff : int
        1..255, for "bc1": alpha from which a texel is opaque.

    Raises
    ------
    ValueError, TypeError
        The levels do not fit each other or the format; a bad key or value.
    ImportError
        A block format without etcpak.
    OSError
        With the path; the old file stays.

    Notes
    -----
    No time, no host and no path goes into the file: the same input gives the same bytes.
    """
    color_space = check_color_space(color_space)
    key_values = _key_values(_writer_metadata(metadata))
    chain = as_chain(levels, format, layers, alpha_cutoff)
    row = chain.format
    descriptor = data_format_descriptor(row, color_space=color_space, premultiplied=premultiplied)
    vk = row.vk_srgb if color_space == "srgb" and row.vk_srgb is not None else row.vk_unorm
    payloads = _level_payloads(chain, supercompress)
    count = len(payloads)
    dfd_at = _INDEX_AT + count * _LEVEL.size
    kvd_at = dfd_at + len(descriptor)
    align = 1 if supercompress else math.lcm(4, row.block_bytes)
    place = kvd_at + len(key_values)
    entries: list[tuple[int, int, int]] = [(0, 0, 0)] * count
    for level in range(count - 1, -1, -1):
        place += -place % align
        plain = row.size_bytes(*mip_size(chain.width, chain.height, level)) * max(1, chain.layers)
        stored = sum(memoryview(part).nbytes for part in payloads[level])
        entries[level] = (place, stored, plain)
        place += stored
    head = MAGIC + _HEADER.pack(
        vk, row.type_size, chain.width, chain.height, 0, chain.layers, 1, count,
        SCHEME_ZSTD if supercompress else SCHEME_NONE,
        dfd_at, len(descriptor), kvd_at, len(key_values), 0, 0,
    )  # fmt: skip
    head += b"".join(_LEVEL.pack(*entry) for entry in entries) + descriptor + key_values
    with atomic_file(path) as file:
        write_all(file, head)
        place = len(head)
        for level in range(count - 1, -1, -1):
            offset, stored, _ = entries[level]
            if offset > place:
                write_all(file, bytes(offset - place))
            for part in payloads[level]:
                write_all(file, part)
            place = offset + stored


@dataclass
class _Header:
    vk: int
    width: int
    height: int
    layers: int
    faces: int
    levels: int
    scheme: int
    dfd: tuple[int, int]
    kvd: tuple[int, int]


def read_ktx2(data: memoryview, path: Path) -> Texture:
    """Reads a whole KTX2 file from memory; `path` is for messages only. See `read_texture`."""
    header = _parse_header(data, path)
    if header.vk not in BY_VK:
        raise FormatError(f"{path}: VkFormat {header.vk} is not read; known: {sorted(BY_VK)}")
    row, color_space = BY_VK[header.vk]
    transfer, flags = _parse_descriptor(data, path, header)
    if transfer is not None and row.vk_srgb is None:
        color_space = "srgb" if transfer == _TRANSFER_SRGB else "linear"
    metadata = _parse_key_values(data, path, header)
    items = max(1, header.layers) * header.faces
    stacked = header.layers > 0 or header.faces == 6
    levels = []
    for level in range(header.levels):
        raw = _level_bytes(data, path, header, level, row, items)
        size = mip_size(header.width, header.height, level)
        each = row.size_bytes(*size)
        images = [
            blocks.decode(raw[item * each : (item + 1) * each], *size, row) for item in range(items)
        ]
        images = [_swizzled(image, metadata.get("KTXswizzle")) for image in images]
        levels.append(np.stack(images) if stacked else images[0])
    if flags & _FLAG_PREMULTIPLIED:
        alpha_mode = "premultiplied"
    else:
        alpha_mode = "straight" if row.has_alpha else "opaque"
    return Texture(
        levels=tuple(levels),
        format=row.name,
        color_space=color_space,
        alpha_mode=alpha_mode,
        layers=header.layers,
        faces=header.faces,
        metadata=metadata,
        source_format=f"VkFormat {header.vk}",
    )


def read_ktx2_metadata(path: str | os.PathLike[str]) -> dict[str, str | bytes]:
    """Reads the key/values of a KTX2 file without decoding it.

    Raises
    ------
    FileNotFoundError
        No such file.
    FormatError
        No KTX2 file, or one that does not hold all the levels it promises.
    """
    place = as_path(path)
    data = read_bytes(place)
    header = _parse_header(data, place)
    for level in range(header.levels):
        offset, stored, _ = _LEVEL.unpack_from(data, _INDEX_AT + level * _LEVEL.size)
        _section(data, place, (offset, stored), f"level {level}")
    return _parse_key_values(data, place, header)


def _parse_header(data: memoryview, path: Path) -> _Header:
    if bytes(data[: len(MAGIC)]) != MAGIC:
        hint = " (KTX 1; convert it with ktx2ktx2)" if bytes(data[1:7]) == b"KTX 11" else ""
        raise FormatError(f"{path}: no KTX2 file: wrong signature{hint}")
    if len(data) < _INDEX_AT:
        raise FormatError(f"{path}: the header is cut short: {len(data)} of {_INDEX_AT} bytes")
    (vk, _, width, height, depth, layers, faces, levels, scheme, *index) = _HEADER.unpack_from(
        data, len(MAGIC)
    )
    if depth > 1 or height == 0:
        raise FormatError(f"{path}: size {width} x {height} x {depth}; only 2D textures are read")
    if not (0 < width <= MAX_EDGE and height <= MAX_EDGE):
        raise FormatError(f"{path}: size {width} x {height} is outside 1..{MAX_EDGE}")
    if faces not in (1, 6) or (faces == 6 and width != height):
        raise FormatError(f"{path}: {faces} faces of {width} x {height}; want 1, or 6 square ones")
    if layers > 2048:
        raise FormatError(f"{path}: {layers} layers; at most 2048 are read")
    levels = max(1, levels)
    if levels > full_levels(width, height):
        raise FormatError(
            f"{path}: {levels} mip levels, but {width} x {height} has at most "
            f"{full_levels(width, height)}"
        )
    if scheme not in (SCHEME_NONE, SCHEME_ZSTD, SCHEME_ZLIB):
        name = " (BasisLZ)" if scheme == SCHEME_BASIS else ""
        raise FormatError(f"{path}: supercompression scheme {scheme}{name} is not read")
    if _INDEX_AT + levels * _LEVEL.size > len(data):
        raise FormatError(f"{path}: the index of {levels} levels is cut short")
    return _Header(
        vk, width, height, layers, faces, levels, scheme, (index[0], index[1]), (index[2], index[3])
    )


def _section(data: memoryview, path: Path, place: tuple[int, int], name: str) -> memoryview:
    offset, length = place
    if offset + length > len(data):
        raise FormatError(
            f"{path}: the {name} at {offset}..{offset + length} lies past the end of the file "
            f"({len(data)} bytes)"
        )
    return data[offset : offset + length]


def _parse_descriptor(data: memoryview, path: Path, header: _Header) -> tuple[int | None, int]:
    """Transfer function and flags of the basic descriptor block."""
    block = _section(data, path, header.dfd, "data format descriptor")
    if len(block) < 28 or struct.unpack_from("<I", block)[0] != len(block):
        raise FormatError(f"{path}: the data format descriptor has a wrong size: {len(block)}")
    kind, _, _, _, _, transfer, flags = struct.unpack_from("<IHH4B", block, 4)
    return (transfer, flags) if kind == 0 else (None, 0)


def _parse_key_values(data: memoryview, path: Path, header: _Header) -> dict[str, str | bytes]:
    block = _section(data, path, header.kvd, "key/value data")
    found: dict[str, str | bytes] = {}
    place = 0
    while place < len(block):
        if place + 4 > len(block):
            raise FormatError(f"{path}: the key/value data ends inside a length")
        length = struct.unpack_from("<I", block, place)[0]
        entry = bytes(block[place + 4 : place + 4 + length])
        key, nul, value = entry.partition(b"\0")
        if len(entry) != length or not nul or not key:
            raise FormatError(f"{path}: a key/value pair of {length} bytes is broken")
        found[key.decode("utf-8", "replace")] = _text_or_bytes(value)
        place += 4 + length + (-length % 4)
    return found


def _text_or_bytes(value: bytes) -> str | bytes:
    if value.endswith(b"\0") and b"\0" not in value[:-1]:
        try:
            return value[:-1].decode()
        except UnicodeDecodeError:
            return value
    return value


def _level_bytes(
    data: memoryview, path: Path, header: _Header, level: int, row: Format, items: int
) -> memoryview:
    offset, stored, plain = _LEVEL.unpack_from(data, _INDEX_AT + level * _LEVEL.size)
    width, height = mip_size(header.width, header.height, level)
    want = row.size_bytes(width, height) * items
    if want > MAX_BYTES:
        raise FormatError(f"{path}: level {level} needs {want} bytes; at most {MAX_BYTES} are read")
    if plain != want:
        raise FormatError(
            f"{path}: level {level} holds {plain} bytes, but {items} image(s) of "
            f"{width} x {height} in {row.name} take {want}"
        )
    raw = _section(data, path, (offset, stored), f"level {level}")
    if header.scheme == SCHEME_NONE:
        if stored != want:
            raise FormatError(f"{path}: level {level} stores {stored} bytes, want {want}")
        return raw
    if want > stored * _MAX_RATIO[header.scheme] + 1024:
        raise FormatError(f"{path}: level {level}: {stored} bytes cannot expand to {want}")
    return _inflate(raw, path, level, want, header.scheme)


def _inflate(raw: memoryview, path: Path, level: int, want: int, scheme: int) -> memoryview:
    out = bytearray(want)
    done, more = 0, b""
    try:
        if scheme == SCHEME_ZSTD:
            reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
            with memoryview(out) as view:
                while done < want and (count := reader.readinto(view[done:])):
                    done += count
            more = reader.read(1)
        else:
            engine = zlib.decompressobj()
            plain = engine.decompress(raw, want + 1)
            done, more = min(len(plain), want), plain[want:]
            out[:done] = plain[:done]
            if not engine.eof and not more:
                done = 0
    except (zstandard.ZstdError, zlib.error) as error:
        raise FormatError(f"{path}: level {level} does not decompress: {error}") from error
    if done != want or more:
        raise FormatError(
            f"{path}: level {level} decompresses to {'more than ' if more else ''}{done} bytes, "
            f"want {want}"
        )
    return memoryview(out)


def _swizzled(image: np.ndarray, swizzle: str | bytes | None) -> np.ndarray:
    """The image with the component mapping of KTXswizzle; unchanged when there is none."""
    if not isinstance(swizzle, str) or len(swizzle) != 4 or set(swizzle) - set("rgba01"):
        return image
    if swizzle == "rgba":
        return image
    top = 1 if image.dtype.kind == "f" else np.iinfo(image.dtype).max
    planes = {letter: image[..., place] for place, letter in enumerate("rgba")}
    planes |= {"0": np.zeros_like(image[..., 0]), "1": np.full_like(image[..., 0], top)}
    return np.stack([planes[letter] for letter in swizzle], axis=-1)
