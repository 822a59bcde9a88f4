# SPDX-License-Identifier: MIT
"""Single images: any common file to straight RGBA, and PNG out."""

from __future__ import annotations

import errno
import os
import re
import tempfile
import warnings
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio

from ..errors import FormatError
from .chain import check_color_space
from .files import as_path, atomic_file, atomic_path, read_bytes, write_all
from .formats import MAX_BYTES, MAX_EDGE
from .png_info import PngInfo, parse_png

# OpenImageIO's names of the formats that are read, and how many bytes one stored byte may become.
# None: the file format has no useful bound.
_READ = {
    "png": None,  # held to its own bound by parse_png
    "targa": 512,
    "jpeg": 1 << 16,
    "webp": None,
    "openexr": 1 << 16,
    "tiff": 1 << 16,
    "hdr": 1 << 10,
    "bmp": 512,
}

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"\x76\x2f\x31\x01", "openexr"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"II+\0", "tiff"),
    (b"MM\0+", "tiff"),
    (b"#?RADIANCE", "hdr"),
    (b"#?RGBE", "hdr"),
    (b"BM", "bmp"),
)
_SUFFIXES = {
    ".png": "png", ".jpg": "jpeg", ".jpeg": "jpeg", ".exr": "openexr", ".tif": "tiff",
    ".tiff": "tiff", ".hdr": "hdr", ".bmp": "bmp", ".webp": "webp", ".tga": "targa",
}  # fmt: skip

# What stands between entropy-coded data: no stuffed zero, no restart, no fill byte.
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)

# Alpha type in the extension area of TGA 2.0.
_TARGA_PREMULTIPLIED = 4

# Half floats next to 1 lie 1/1024 apart; dividing by a rounded alpha may overshoot by that much.
_OVERSHOOT = 1 / 512


@dataclass(frozen=True)
class Image:
    """An image as straight RGBA.

    Attributes
    ----------
    array : (h, w, 4) uint8 or uint16
        Straight alpha, row 0 on top. Grey is repeated to red, green and blue; absent alpha is
        opaque. Colours under alpha 0 are kept as the file has them.
    color_space : str
        "srgb" or "linear": how the colours are encoded.
    bit_depth : int
        Bits per channel of the file: 1, 2, 4, 8, 16 or 32.
    premultiplied : bool
        Whether the file was premultiplied. The array never is.
    source_channels : int
        Channels of the file: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
    has_alpha : bool
    file_format : str
        "png", "targa", "jpeg", "webp", "openexr", "tiff", "hdr", "bmp", "dds" or "ktx2".
    metadata : dict
        "color_space" tells where the colour space comes from: a chunk name, "file" or "assumed".
    """

    array: np.ndarray
    color_space: str
    bit_depth: int
    premultiplied: bool
    source_channels: int
    has_alpha: bool
    file_format: str
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return self.array.shape[1]

    @property
    def height(self) -> int:
        return self.array.shape[0]

    def _repr_png_(self) -> bytes:
        from .png import encode_png

        return encode_png(self.array)


def read_image(path: str | os.PathLike[str], *, hdr: str = "warn") -> Image:
    """Reads one image as straight RGBA.

    Parameters
    ----------
    path : path
        PNG, TGA, JPEG, WebP, EXR, TIFF, Radiance HDR, BMP; of DDS and KTX2 level 0 of the first
        layer.
    hdr : {"warn", "clamp", "error"}
        What happens to float colours outside 0..1: clamped with a warning, clamped in silence, or
        refused by a ValueError. Up to 1/512 beyond is rounding and never counts.

    Returns
    -------
    Image
        8-bit and less becomes uint8, 16-bit stays uint16. Float files are linear; they are
        divided by alpha where it is associated (EXR always, TIFF by its ExtraSamples), scaled by
        65535 and rounded to uint16. Associated 8- and 16-bit files are divided with rounding;
        texels of alpha 0 keep their stored colour.

    Raises
    ------
    FileNotFoundError
        No such file.
    FormatError
        Cut short, damaged, claiming an absurd size, or of a kind that is not read; with path and
        reason.
    ValueError
        The image holds NaN or infinity, or `hdr` is "error" and a colour is outside 0..1.

    Notes
    -----
    The orientation that EXIF or TIFF ask for is applied. Of an EXR the display window is given;
    of its channels R, G, B (or Y) and A. The colour space is what the file says: PNG by its cICP,
    iCCP, sRGB and gAMA chunks in this order, float formats linear. A file that says nothing is
    sRGB.
    """
    if hdr not in ("warn", "clamp", "error"):
        raise ValueError(f"hdr must be 'warn', 'clamp' or 'error', got {hdr!r}")
    place = as_path(path)
    data = read_bytes(place)
    kind = _sniff(data, place)
    if kind in ("dds", "ktx2"):
        return _from_texture(place, kind, hdr)
    return _decoded(data, kind, place, hdr, _is_utf8(place))


def decode_image(data: memoryview, path: Path, *, hdr: str = "warn") -> Image:
    """`read_image` for bytes inside another file, whose path messages name."""
    kind = _sniff(data, Path(path.name).with_suffix(""))
    if kind in ("dds", "ktx2"):
        raise FormatError(f"{path}: a {kind} texture where an image was expected")
    return _decoded(data, kind, path, hdr, False)


def read_channels(path: str | os.PathLike[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Reads the numbers of an image as they are stored: no colour space, no meaning of alpha.

    Parameters
    ----------
    path : path
        What `read_image` reads.

    Returns
    -------
    array : (h, w, channels) uint8, uint16 or float32
        Red, green, blue, alpha in this order where channels are named so, else as in the file.
    names : tuple of str
        One a channel, in upper case.

    Raises
    ------
    FileNotFoundError
        No such file.
    FormatError
        As `read_image` raises it.
    """
    place = as_path(path)
    data = read_bytes(place)
    kind = _sniff(data, place)
    if kind in ("dds", "ktx2"):
        return _texture_channels(place)
    if kind == "png":
        parse_png(data, place, is_picture=False)
    if kind == "jpeg" and not _jpeg_ends(data):
        raise FormatError(f"{place}: the JPEG is cut short: no end marker")
    try:
        raw, spec = _load_named(place, kind, data, _is_utf8(place))
        names = tuple(name.upper() for name in spec.channelnames)
    except UnicodeDecodeError as error:
        raise FormatError(f"{place}: the {kind} file holds text that is no UTF-8") from error
    array = _upright(_display_window(raw, spec, kind, place), spec)
    if len(set(names)) == len(names) and set(names) <= set("RGBA"):
        order = sorted(range(len(names)), key=lambda i: "RGBA".index(names[i]))
        array, names = array[..., order], tuple(names[i] for i in order)
    return np.ascontiguousarray(array), names


def _texture_channels(path: Path) -> tuple[np.ndarray, tuple[str, ...]]:
    from .formats import BY_NAME
    from .texture import read_texture

    texture = read_texture(path)
    array = texture.levels[0]
    if array.ndim == 4:
        raise FormatError(f"{path}: {array.shape[0]} layers or faces where one image was meant")
    row = BY_NAME.get(texture.format)
    stored = (row.channels if row else texture.format).upper()
    kept = [i for i, letter in enumerate("RGBA") if letter in stored] or [0]  # luminance: repeated
    return np.ascontiguousarray(array[..., kept]), tuple("RGBA"[i] for i in kept)


def _decoded(data: memoryview, kind: str, place: Path, hdr: str, in_place: bool) -> Image:
    """The image; `in_place`: its bytes are the file `place`."""
    png = parse_png(data, place) if kind == "png" else None
    if kind == "jpeg" and not _jpeg_ends(data):
        raise FormatError(f"{place}: the JPEG is cut short: no end marker")
    try:
        raw, spec = _load_named(place, kind, data, in_place)
        return _assemble(raw, spec, place, kind, png, hdr)
    except UnicodeDecodeError as error:
        # Names of channels and texts of errors come from the file as they are.
        raise FormatError(f"{place}: the {kind} file holds text that is no UTF-8") from error


def _sniff(data: memoryview, path: Path) -> str:
    head = bytes(data[:16])
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "webp"
    suffix = path.suffix.lower()
    if head[:4] == b"DDS " or suffix == ".dds":
        return "dds"
    if head[:4] == b"\xabKTX" or suffix == ".ktx2":
        return "ktx2"
    if suffix == ".tga":
        _check_targa(head, len(data), path)
        return "targa"
    named = _SUFFIXES.get(suffix)
    reason = f"it does not begin like a {named} file" if named else "a kind that is not read"
    known = "PNG, TGA, JPEG, WebP, EXR, TIFF, HDR, BMP, DDS and KTX2 are"
    raise FormatError(f"{path}: {reason} (first bytes {head[:8]!r}); {known}")


def _jpeg_ends(data: memoryview) -> bool:
    """Whether the picture itself is closed; a thumbnail in a segment, or data behind, is not it."""
    place = 2
    while found := _JPEG_MARKER.search(data, place):
        place = found.end()
        marker = data[place - 1]
        if marker == 0xD9:
            return True
        if marker not in (0x01, 0xD8):
            place += int.from_bytes(data[place : place + 2], "big")
    return False


def _check_targa(head: bytes, size: int, path: Path) -> None:
    # TGA has no signature: a file that is none is told by fields that cannot be.
    if size < 18 or head[1] > 1 or head[2] not in (1, 2, 3, 9, 10, 11):
        raise FormatError(f"{path}: it does not begin like a TGA file")


def _is_utf8(path: Path) -> bool:
    """Whether OpenImageIO can be given the name; Linux takes any bytes for one."""
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def _load_named(
    path: Path, kind: str, data: memoryview, in_place: bool
) -> tuple[np.ndarray, Any]:
    if in_place:
        return _load(path, kind, len(data), path)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, f"image{_suffix_of(kind)}")
        copy.write_bytes(data)
        return _load(path, kind, len(data), copy)


def _suffix_of(kind: str) -> str:
    return next(suffix for suffix, named in _SUFFIXES.items() if named == kind)


def _load(path: Path, kind: str, file_bytes: int, stored: Path) -> tuple[np.ndarray, Any]:
    """The texels (h, w, channels) as stored, and OpenImageIO's description of them.

    `path` is for messages; the bytes are in `stored`.
    """
    config = oiio.ImageSpec()
    config.attribute("oiio:UnassociatedAlpha", 1)
    source = oiio.ImageInput.open(os.fspath(stored), config)
    if source is None:
        raise FormatError(f"{path}: not read as {kind}: {_reason(oiio.geterror())}")
    try:
        spec = source.spec()
        if source.format_name() != kind:
            raise FormatError(f"{path}: a {source.format_name()} file where {kind} was expected")
        _check_size(spec, path, kind, file_bytes)
        depth = {"uint8": "uint8", "uint16": "uint16"}.get(str(spec.format), "float")
        raw = source.read_image(0, 0, 0, spec.nchannels, depth)
        # Some readers give what they have of a cut file and leave a message behind.
        if raw is None or source.has_error:
            raise FormatError(f"{path}: the {kind} image is damaged: {_reason(source.geterror())}")
    finally:
        source.close()
    return raw, spec


def _reason(text: str) -> str:
    return " ".join(text.split()) or "no reason given"


def _check_size(spec: Any, path: Path, kind: str, file_bytes: int) -> None:
    width, height = spec.width, spec.height
    if not (0 < width <= MAX_EDGE and 0 < height <= MAX_EDGE) or spec.depth > 1:
        raise FormatError(
            f"{path}: size {width} x {height} x {spec.depth} is outside 1..{MAX_EDGE}, or no plane"
        )
    size = width * height * spec.nchannels * spec.format.size()
    ratio = _READ[kind]
    if size > MAX_BYTES or (ratio is not None and size > ratio * file_bytes + (1 << 16)):
        raise FormatError(
            f"{path}: the header claims {width} x {height} texels ({size} bytes), "
            f"too many for a {kind} file of {file_bytes} bytes"
        )


def _assemble(
    raw: np.ndarray, spec: Any, path: Path, kind: str, png: PngInfo | None, hdr: str
) -> Image:
    channels, has_alpha = _pick_channels(spec, path)
    associated = has_alpha and _is_associated(spec, kind)
    array = _upright(_to_rgba(_display_window(raw, spec, kind, path), channels), spec)
    if array.dtype.kind == "f":
        array = _float_to_16(array, associated, path, hdr, callers=4)
        color_space, said_by = "linear", "file"
    else:
        if associated:
            array = unpremultiply(array)
        color_space, said_by = "srgb", "assumed"
        if png is not None and png.color_space is not None:
            color_space, said_by = png.color_space, png.said_by or "file"
    depth = png.bit_depth if png else spec.get_int_attribute("oiio:BitsPerSample", 0)
    return Image(
        array=array,
        color_space=color_space,
        bit_depth=depth or 8 * spec.format.size(),
        premultiplied=associated,
        source_channels=png.source_channels if png else len(channels),
        has_alpha=has_alpha,
        file_format=kind,
        metadata={"color_space": said_by},
    )


def _pick_channels(spec: Any, path: Path) -> tuple[list[int], bool]:
    """Indices of the grey or colour channels, then of alpha, by name; and whether alpha is there.

    EXR files may hold layers and depth besides, in alphabetical order.
    """
    names = [name.upper() for name in spec.channelnames]
    colors = [names.index(name) for name in "RGB" if name in names]
    if len(colors) != 3:
        colors = [names.index("Y")] if "Y" in names else list(range(3 if len(names) > 2 else 1))
    alpha = spec.alpha_channel
    if alpha < 0 and "A" in names:
        alpha = names.index("A")
    if alpha in colors:
        raise FormatError(f"{path}: channels {', '.join(spec.channelnames)} hold no colour")
    return colors + ([alpha] if alpha >= 0 else []), alpha >= 0


def _is_associated(spec: Any, kind: str) -> bool:
    if kind == "openexr":
        return True
    if kind == "targa":
        return spec.get_int_attribute("targa:alpha_type", 0) == _TARGA_PREMULTIPLIED
    return kind == "tiff" and not spec.get_int_attribute("oiio:UnassociatedAlpha", 0)


def _display_window(raw: np.ndarray, spec: Any, kind: str, path: Path) -> np.ndarray:
    """An EXR stores any rectangle of its picture: the picture, clear where nothing is stored."""
    full = (spec.full_x, spec.full_y, spec.full_width, spec.full_height)
    if kind != "openexr" or full == (spec.x, spec.y, spec.width, spec.height):
        return raw
    if not (0 < full[2] <= MAX_EDGE and 0 < full[3] <= MAX_EDGE):
        raise FormatError(f"{path}: display window {full[2]} x {full[3]} is outside 1..{MAX_EDGE}")
    picture = np.zeros((full[3], full[2], raw.shape[2]), raw.dtype)
    left, top = spec.x - full[0], spec.y - full[1]
    right, bottom = min(left + spec.width, full[2]), min(top + spec.height, full[3])
    x, y = max(left, 0), max(top, 0)
    if right > x and bottom > y:
        picture[y:bottom, x:right] = raw[y - top : bottom - top, x - left : right - left]
    return picture


def _upright(array: np.ndarray, spec: Any) -> np.ndarray:
    """The picture as it is meant to be seen, by the Orientation of EXIF and TIFF."""
    turn = spec.get_int_attribute("Orientation", 1)
    if turn in (5, 6, 7, 8):
        array = array.swapaxes(0, 1)
    if turn in (2, 3, 6, 7):
        array = array[:, ::-1]
    if turn in (3, 4, 7, 8):
        array = array[::-1]
    return np.ascontiguousarray(array)


def _to_rgba(raw: np.ndarray, channels: list[int]) -> np.ndarray:
    if raw.shape[2] == 4 and channels == [0, 1, 2, 3]:
        return raw
    height, width = raw.shape[:2]
    array = np.empty((height, width, 4), raw.dtype)
    if len(channels) >= 3:
        array[..., :3] = raw[..., channels[:3]]
    else:
        array[..., :3] = raw[..., channels[0], None]
    if len(channels) in (2, 4):
        array[..., 3] = raw[..., channels[-1]]
    else:
        array[..., 3] = 1 if raw.dtype.kind == "f" else np.iinfo(raw.dtype).max
    return array


def unpremultiply(array: np.ndarray) -> np.ndarray:
    """Divides colours by alpha with rounding to nearest.

    Parameters
    ----------
    array : (h, w, 4) uint8 or uint16
        Premultiplied.

    Returns
    -------
    (h, w, 4) of the same dtype
        Straight. Texels of alpha 0 keep their colour; colours above alpha become the maximum.
    """
    top = int(np.iinfo(array.dtype).max)
    out = array.copy()
    alpha = array[..., 3].astype(np.uint32)
    divisor = np.maximum(alpha, 1)
    for channel in range(3):
        # 65535 * 65535 + 32767 still fits 32 bits.
        value = (array[..., channel].astype(np.uint32) * np.uint32(top) + divisor // 2) // divisor
        out[..., channel] = np.where(alpha > 0, np.minimum(value, top), array[..., channel])
    return out


def _float_to_16(
    array: np.ndarray, associated: bool, path: Path, hdr: str, *, callers: int
) -> np.ndarray:
    """Scaled codes; a warning names the function that is `callers` calls up."""
    if not np.isfinite(array).all():
        count = int((~np.isfinite(array)).any(-1).sum())
        raise ValueError(f"{path}: {count} texel(s) hold NaN or infinity; mend the image")
    if associated:
        alpha = array[..., 3:]
        array = array.copy()
        np.divide(array[..., :3], alpha, out=array[..., :3], where=alpha > 0)
    low, high = float(array.min()), float(array.max())
    if hdr != "clamp" and (low < -_OVERSHOOT or high > 1 + _OVERSHOOT):
        count = int(((array < -_OVERSHOOT) | (array > 1 + _OVERSHOOT)).any(-1).sum())
        text = f"{path}: {count} texel(s) outside 0..1 (from {low:.4g} to {high:.4g})"
        if hdr == "error":
            raise ValueError(f"{text}; tone-map the image, or pass hdr='clamp'")
        warnings.warn(f"{text} are clamped; hdr='clamp' says so", UserWarning, callers + 1)
    return np.floor(np.clip(array, 0, 1) * np.float32(65535) + np.float32(0.5)).astype(np.uint16)


def _from_texture(path: Path, kind: str, hdr: str) -> Image:
    from .formats import BY_NAME
    from .texture import read_texture

    texture = read_texture(path)
    array = texture.levels[0]
    if array.ndim == 4:
        array = array[0]
    if array.dtype.kind == "f":
        array = _float_to_16(array, texture.premultiplied, path, hdr, callers=3)
    elif texture.premultiplied:
        array = unpremultiply(array)
    row = BY_NAME.get(texture.format)
    names = row.channels.replace("x", "") if row else texture.source_format
    has_alpha = "a" in names.lower()
    return Image(
        array=array,
        color_space=texture.color_space,
        bit_depth=8 * row.type_size if row and not row.compressed else 8,
        premultiplied=texture.premultiplied,
        source_channels=len(row.channels.replace("x", "")) if row else 3 + has_alpha,
        has_alpha=has_alpha,
        file_format=kind,
        metadata={"color_space": "file", **texture.metadata},
    )


def write_image(
    path: str | os.PathLike[str],
    array: np.ndarray,
    *,
    color_space: str | Enum = "srgb",
    compression: int = 4,
    metadata: dict[str, str] | None = None,
) -> None:
    """Writes a PNG of straight alpha.

    Parameters
    ----------
    path : path
        Must end in ".png". Replaced only when the whole file is written and synced.
    array : (h, w), or (h, w, 1 to 4) uint8 or uint16
        Grey, grey and alpha, RGB or RGBA. Colours under alpha 0 are kept.
    color_space : {"srgb", "linear"}
        Written as an sRGB chunk, or as gAMA 1.
    compression : int
        Strength of zlib, 0..9.
    metadata : dict of str to str, optional
        Text chunks.

    Raises
    ------
    TypeError, ValueError
        Another dtype or shape, another suffix.
    OSError
        With the path; the old file stays.
    """
    place = as_path(path)
    if place.suffix.lower() != ".png":
        raise ValueError(f"path must end in .png, got {place.name!r}; use write_ktx2 or write_dds")
    color_space = check_color_space(color_space)
    image = np.asarray(array)
    if image.dtype.newbyteorder("=") not in (np.dtype(np.uint8), np.dtype(np.uint16)):
        raise TypeError(f"array must be uint8 or uint16, got {image.dtype}")
    if image.ndim == 2:
        image = image[..., None]
    if image.ndim != 3 or not 1 <= image.shape[2] <= 4 or 0 in image.shape:
        raise ValueError(f"array must have shape (h, w) or (h, w, 1..4), got {np.shape(array)}")
    image = np.ascontiguousarray(image, image.dtype.newbyteorder("="))
    height, width, channels = image.shape
    spec = oiio.ImageSpec(width, height, channels, image.dtype.name)
    spec.channelnames = {1: ("Y",), 2: ("Y", "A"), 3: ("R", "G", "B"), 4: ("R", "G", "B", "A")}[
        channels
    ]
    spec.alpha_channel = channels - 1 if channels in (2, 4) else -1
    spec.attribute("oiio:UnassociatedAlpha", 1)
    spec.attribute("oiio:ColorSpace", "sRGB" if color_space == "srgb" else "lin_rec709_scene")
    spec.attribute("png:compressionLevel", int(compression))
    for key, value in (metadata or {}).items():
        spec.attribute(key, value)
    if not _is_utf8(place):
        with tempfile.TemporaryDirectory() as folder, atomic_file(place) as file:
            copy = Path(folder, "image.png")
            write_image(
                copy, image, color_space=color_space, compression=compression, metadata=metadata
            )
            write_all(file, read_bytes(copy))
        return
    with atomic_path(place) as temporary:
        target: Any = oiio.ImageOutput.create("png")
        done = target.open(os.fspath(temporary), spec) and target.write_image(image)
        if not (target.close() and done):
            raise OSError(errno.EIO, _reason(target.geterror()), os.fspath(place))
        _check_written(temporary, place)


def _check_written(temporary: Path, place: Path) -> None:
    # The library does not tell when the disk is full: it closes half a file without a word.
    try:
        parse_png(read_bytes(temporary), temporary)
    except FormatError:
        text = "the image was written only in part; is the disk full?"
        raise OSError(errno.ENOSPC, text, os.fspath(place)) from None
