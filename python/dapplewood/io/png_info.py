# SPDX-License-Identifier: MIT
"""What a PNG says of itself in its chunks, and whether the chunks are whole."""

from __future__ import annotations

import struct
import warnings
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import FormatError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}

# Transfer characteristics of cICP (ITU-T H.273) that the package can take.
_CICP_LINEAR, _CICP_SRGB = 8, 13

# gAMA holds 100000 times the exponent of the encoding.
_GAMMA_LINEAR, _GAMMA_SRGB = 100000, 45455

# A deflate match of 258 bytes takes 2 bits.
_MAX_RATIO = 1032

# An ICC profile larger than this is not unpacked to look for its name.
_MAX_PROFILE = 1 << 22


@dataclass
class PngInfo:
    """Header fields and colour space of a PNG file."""

    width: int
    height: int
    bit_depth: int
    color_type: int
    interlaced: bool
    color_space: str | None = None
    said_by: str | None = None
    has_transparency: bool = False
    chunks: dict[str, bytes] = field(default_factory=dict)

    @property
    def source_channels(self) -> int:
        if self.color_type == 3:
            return 4 if self.has_transparency else 3
        return _CHANNELS[self.color_type] + (self.has_transparency and self.color_type in (0, 2))

    @property
    def has_alpha(self) -> bool:
        return self.color_type in (4, 6) or self.has_transparency


def parse_png(data: memoryview, path: Path, *, is_picture: bool = True) -> PngInfo:
    """Walks the chunks of a PNG file; of no picture but numbers, the colour space is not asked for.

    Raises
    ------
    FormatError
        A chunk is cut short or damaged, the end is missing, the header is out of range, or the
        size it claims cannot come out of so few bytes.
    """
    info: PngInfo | None = None
    place, image_bytes, ended = len(_SIGNATURE), 0, False
    while not ended:
        if place + 12 > len(data):
            raise FormatError(
                f"{path}: the PNG is cut short after {len(data)} bytes: no IEND chunk"
            )
        length, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8 : place + 8 + length]
        end = place + 12 + length
        name = kind.decode("latin-1")
        if end > len(data):
            raise FormatError(
                f"{path}: the PNG is cut short: chunk {name!r} ends at {end}, "
                f"the file at {len(data)}"
            )
        check = struct.unpack_from(">I", data, end - 4)[0]
        if zlib.crc32(data[place + 4 : end - 4]) != check:
            raise FormatError(f"{path}: the check sum of PNG chunk {name!r} at {place} is wrong")
        if info is None:
            info = _parse_header(name, body, path)
        elif kind == b"IDAT":
            image_bytes += length
        elif kind in (b"cICP", b"iCCP", b"sRGB", b"gAMA", b"tRNS"):
            info.chunks[name] = bytes(body)
        ended = kind == b"IEND"
        place = end
    assert info is not None
    _check_claim(info, image_bytes, path)
    info.has_transparency = "tRNS" in info.chunks
    if is_picture:
        _find_color_space(info, path)
    return info


def _parse_header(name: str, body: memoryview, path: Path) -> PngInfo:
    if name != "IHDR" or len(body) != 13:
        raise FormatError(f"{path}: a PNG begins with IHDR, this one with {name!r}")
    width, height, depth, kind, _, _, interlace = struct.unpack(">2I5B", body)
    if kind not in _DEPTHS or depth not in _DEPTHS[kind] or not width or not height:
        raise FormatError(
            f"{path}: PNG header: {width} x {height}, {depth} bits, colour type {kind}"
        )
    return PngInfo(width, height, depth, kind, bool(interlace))


def _check_claim(info: PngInfo, image_bytes: int, path: Path) -> None:
    row_bits = info.width * info.bit_depth * _CHANNELS[info.color_type]
    claimed = info.height * (1 + (row_bits + 7) // 8)
    if claimed > image_bytes * _MAX_RATIO + 1024:
        raise FormatError(
            f"{path}: the PNG claims {info.width} x {info.height} texels ({claimed} bytes), "
            f"which {image_bytes} bytes of image data cannot hold"
        )


def _find_color_space(info: PngInfo, path: Path) -> None:
    """cICP before iCCP before sRGB before gAMA, as the third edition of PNG orders them."""
    chunks = info.chunks
    if "cICP" in chunks and len(chunks["cICP"]) == 4:
        transfer = chunks["cICP"][1]
        known = {_CICP_LINEAR: "linear", _CICP_SRGB: "srgb"}.get(transfer)
        _settle(info, path, "cICP", known, f"transfer characteristics {transfer}")
    elif "iCCP" in chunks:
        name, known = _profile(chunks["iCCP"])
        _settle(info, path, "iCCP", known, f"profile {name!r}")
    elif "sRGB" in chunks:
        _settle(info, path, "sRGB", "srgb", "")
    elif "gAMA" in chunks and len(chunks["gAMA"]) == 4:
        gamma = struct.unpack(">I", chunks["gAMA"])[0]
        known = None
        if abs(gamma - _GAMMA_LINEAR) <= 500:
            known = "linear"
        elif abs(gamma - _GAMMA_SRGB) <= 500:
            known = "srgb"
        _settle(info, path, "gAMA", known, f"exponent {gamma / 1e5:g}")


def _settle(info: PngInfo, path: Path, chunk: str, known: str | None, what: str) -> None:
    info.color_space, info.said_by = known, chunk if known else None
    if known is None:
        warnings.warn(
            f"{path}: the {chunk} chunk ({what}) is neither sRGB nor linear; taken as sRGB. "
            "Convert the image, or pass color_space where you use it",
            UserWarning,
            stacklevel=5,
        )


def _profile(body: bytes) -> tuple[str, str | None]:
    """Name of an ICC profile, and whether its texts call it sRGB or linear."""
    raw_name, _, rest = body.partition(b"\0")
    name = raw_name.decode("latin-1")
    try:
        profile = zlib.decompressobj().decompress(rest[1:], _MAX_PROFILE)
    except zlib.error:
        profile = b""
    # Descriptions are ASCII (version 2) or UTF-16 big-endian (version 4).
    text = (raw_name + profile + profile.replace(b"\0", b"")).lower()
    if b"srgb" in text:
        return name, "srgb"
    return name, "linear" if b"linear" in text or b"g10" in text else None
