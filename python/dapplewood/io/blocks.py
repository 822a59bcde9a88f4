# SPDX-License-Identifier: MIT
"""Between images and the bytes of any format of `formats.py`, block compression included.

Encoding of blocks takes etcpak (the extra `compress`); decoding needs nothing but NumPy.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from . import bc1, bc7
from .bc7_alpha import restore_alpha_ends
from .formats import BY_NAME, Format

# Alpha from which a BC1 texel is opaque; 1-bit alpha has no other choice to offer.
BC1_ALPHA_CUTOFF = 128

# Blocks from which BC7 is spread over processes: below it, starting them costs more.
_PARALLEL_BLOCKS = 1 << 15

# Blocks encoded at once in NumPy: the temporaries stay within the cache.
_CHUNK = 1 << 12

_DECODERS = {
    "bc1": bc1.decode_bc1,
    "bc1rgb": bc1.decode_bc1rgb,
    "bc2": bc1.decode_bc2,
    "bc3": bc1.decode_bc3,
    "bc4": bc1.decode_bc4,
    "bc5": bc1.decode_bc5,
    "bc7": bc7.decode_bc7,
}

# Run by a bare interpreter: it must not import this package, so that no driver is touched. Only
# etcpak's encoder is used; its decoder is not safe to call.
_WORKER = """
import sys, etcpak
width, height, *weights = map(int, sys.argv[1:])
params = etcpak.BC7CompressBlockParams()
params.m_perceptual, params.m_weights = False, weights
data = sys.stdin.buffer.read()
assert len(data) == 4 * width * height
sys.stdout.buffer.write(etcpak.compress_bc7(data, width, height, params))
"""

# What an error in red, green, blue and alpha counts for in BC7. Alpha draws the outline of a leaf:
# with these, its squared error on foliage is 14 to 73 % below that of etcpak's own weights.
_BC7_WEIGHTS = (1, 1, 1, 2)


def _etcpak() -> Any:
    try:
        import etcpak
    except ImportError as error:
        raise ImportError(
            "block compression needs the package etcpak: pip install dapplewood[compress]"
        ) from error
    return etcpak


def _padded(image: np.ndarray) -> np.ndarray:
    """The image with both edges brought up to multiples of 4 by repeating the last texels."""
    height, width = image.shape[:2]
    right, below = -width % 4, -height % 4
    if right or below:
        image = np.pad(image, ((0, below), (0, right), (0, 0)), mode="edge")
    return np.ascontiguousarray(image)


def _to_blocks(image: np.ndarray) -> np.ndarray:
    """(4 h, 4 w, 4) -> (h w, 16, 4)."""
    height, width = image.shape[:2]
    tiles = image.reshape(height // 4, 4, width // 4, 4, 4)
    return tiles.transpose(0, 2, 1, 3, 4).reshape(-1, 16, 4)


def _compress(name: str, image: np.ndarray) -> np.ndarray:
    height, width = image.shape[:2]
    etcpak = _etcpak()
    more: tuple[Any, ...] = ()
    if name == "bc7":
        params = etcpak.BC7CompressBlockParams()
        params.m_perceptual, params.m_weights = False, list(_BC7_WEIGHTS)
        more = (params,)
    data = getattr(etcpak, f"compress_{name}")(image.tobytes(), width, height, *more)
    return np.frombuffer(data, np.uint8).reshape(-1, BY_NAME[name].block_bytes).copy()


def _encode_bc1(image: np.ndarray, cutoff: int) -> np.ndarray:
    data = bc1.keep_opaque(_compress("bc1", image))
    tiles = _to_blocks(image)
    opaque = tiles[..., 3] >= cutoff
    cut = np.flatnonzero(~opaque.all(1))
    for start in range(0, len(cut), _CHUNK):
        part = cut[start : start + _CHUNK]
        data[part] = bc1.encode_punch_through(tiles[part, :, :3], opaque[part])
    return data


def _keep_ends(data: np.ndarray, texels: np.ndarray, name: str) -> None:
    """Encodes anew, in place, each 8-byte ramp of a block that holds 0 or 255 among others.

    etcpak is quick and picks indices a step off: opaque texels of BC3 come back as 254.
    """
    ramps = {"bc3": ((0, 3),), "bc4": ((0, 0),), "bc5": ((0, 0), (8, 1))}[name]
    for place, channel in ramps:
        values = np.ascontiguousarray(texels[..., channel])
        mixed = (values != values[:, :1]).any(1)
        rows = np.flatnonzero(mixed & ((values == 0) | (values == 255)).any(1))
        for start in range(0, len(rows), _CHUNK):
            part = rows[start : start + _CHUNK]
            data[part, place : place + 8] = bc1.encode_channel(values[part])


def _weigh_colors(data: np.ndarray, texels: np.ndarray) -> None:
    """Encodes anew, in place, the colours of BC3 blocks at the edge of a leaf.

    etcpak fits all 16 colours alike; hidden ones, which are often noise, pull the seen ones off.
    """
    alpha = np.ascontiguousarray(texels[..., 3])
    rows = np.flatnonzero((alpha.min(1) < 128) & (alpha.max(1) > alpha.min(1)))
    for start in range(0, len(rows), _CHUNK):
        part = rows[start : start + _CHUNK]
        data[part, 8:] = bc1.encode_by_alpha(texels[part, :, :3], alpha[part])


def _encode_bc7(image: np.ndarray) -> np.ndarray:
    _etcpak()
    rows = image.shape[0] // 4
    parts = min(os.cpu_count() or 1, rows, 16)
    few = rows * (image.shape[1] // 4) < _PARALLEL_BLOCKS
    if parts < 2 or few or not _is_interpreter(sys.executable):
        data = _compress("bc7", image)
    else:
        # etcpak holds the interpreter lock while it works: only processes run side by side.
        cuts = [4 * (rows * part // parts) for part in range(parts + 1)]
        data = _compress_in_processes([image[a:b] for a, b in zip(cuts, cuts[1:], strict=False)])
    return restore_alpha_ends(data, _to_blocks(image)[..., 3])


def _is_interpreter(executable: str | None) -> bool:
    # Inside an editor or a frozen program it is that program, which must not be started again.
    return Path(executable or "").stem.lower().startswith(("python", "pypy"))


def _compress_in_processes(strips: list[np.ndarray]) -> np.ndarray:
    def run(strip: np.ndarray) -> bytes:
        height, width = strip.shape[:2]
        numbers = map(str, (width, height, *_BC7_WEIGHTS))
        command = [sys.executable, "-I", "-c", _WORKER, *numbers]
        try:
            done = subprocess.run(command, input=strip.tobytes(), capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            # No room for a process, or an interpreter without etcpak: slower, not wrong.
            return _compress("bc7", strip).tobytes()
        return done.stdout

    with ThreadPoolExecutor(len(strips)) as pool:
        data = b"".join(pool.map(run, strips))
    return np.frombuffer(data, np.uint8).reshape(-1, 16).copy()


def _to_depth(image: np.ndarray, storage: str) -> np.ndarray:
    """8 and 16 bit unorm into each other, rounded to nearest."""
    if storage == "u16" and image.dtype == np.uint8:
        return image.astype(np.uint16) * np.uint16(257)
    if storage != "u16" and image.dtype == np.uint16:
        return ((image.astype(np.uint32) * 255 + 32767) // 65535).astype(np.uint8)
    return image


def encode(
    image: np.ndarray, row: Format, *, alpha_cutoff: int = BC1_ALPHA_CUTOFF
) -> bytes | memoryview:
    """Encodes one image.

    Parameters
    ----------
    image : (h, w, 4) or (h, w, number of channels) or (h, w) uint8 or uint16
        Fewer than four channels are taken as the format's own; two dimensions as its only one.
        Depth is converted with rounding when the format has another.
    row : Format
    alpha_cutoff : int, in 1..255
        Alpha from which a BC1 texel is opaque. Used by "bc1" alone.

    Returns
    -------
    bytes or memoryview
        Tightly packed rows, or rows of blocks. Blocks over the edge repeat the last texels. When
        nothing has to be converted it is a view of `image`.
    """
    image = _to_depth(image, row.storage)
    if row.compressed:
        padded = _padded(_as_rgba(image, row))
        if row.name == "bc1":
            data = _encode_bc1(padded, alpha_cutoff)
        elif row.name == "bc7":
            data = _encode_bc7(padded)
        else:
            data = _compress(row.name, padded)
            texels = _to_blocks(padded)
            _keep_ends(data, texels, row.name)
            if row.name == "bc3":
                _weigh_colors(data, texels)
        return data.reshape(-1).data
    if image.ndim == 2:
        image = image[..., None]
    if image.shape[2] == 4:
        image = image[..., : len(row.channels)]
    # Containers are little-endian whatever the machine is.
    little = np.ascontiguousarray(image, image.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8).data


def _as_rgba(image: np.ndarray, row: Format) -> np.ndarray:
    if image.ndim == 3 and image.shape[2] == 4:
        return image
    planes = image.reshape(*image.shape[:2], -1)
    full = np.zeros((*image.shape[:2], 4), image.dtype)
    full[..., : planes.shape[2]] = planes
    full[..., 3] = np.iinfo(image.dtype).max
    return full


def decode(data: bytes | memoryview, width: int, height: int, row: Format) -> np.ndarray:
    """Decodes one image.

    Parameters
    ----------
    data : bytes-like
        Exactly `row.size_bytes(width, height)` bytes.
    width, height : int
        In texels.
    row : Format

    Returns
    -------
    (height, width, 4) uint8, uint16 or float32
        As a GPU would sample it: absent colours are 0 and absent alpha is 1. uint16 for 16-bit
        formats and float32 for float ones. A view of `data` when no byte has to move.
    """
    if row.compressed:
        across, down = row.blocks(width, height)
        blocks = np.frombuffer(data, np.uint8).reshape(-1, row.block_bytes)
        texels = _DECODERS[row.name](blocks).reshape(down, across, 4, 4, 4)
        image = texels.transpose(0, 2, 1, 3, 4).reshape(4 * down, 4 * across, 4)
        return np.ascontiguousarray(image[:height, :width])
    stored = np.dtype({"u8": "u1", "u16": "<u2", "f16": "<f2", "f32": "<f4"}[row.storage])
    planes = np.frombuffer(data, stored).reshape(height, width, len(row.channels))
    kind: np.dtype[Any] = np.dtype("f4") if stored.kind == "f" else stored.newbyteorder("=")
    planes = planes.astype(kind, copy=False)
    if row.channels == "rgba":
        return planes
    image = np.zeros((height, width, 4), kind)
    image[..., 3] = 1 if kind.kind == "f" else np.iinfo(kind.name).max
    for place, letter in enumerate(row.channels):
        if letter != "x":
            image[..., "rgba".index(letter)] = planes[..., place]
    return image
