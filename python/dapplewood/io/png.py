# SPDX-License-Identifier: MIT
"""A small PNG encoder in memory, for notebooks. Files are written by `write_image`."""

from __future__ import annotations

import struct
import zlib

import numpy as np

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}


def png_chunk(kind: bytes, body: bytes) -> bytes:
    """One PNG chunk with its length and check sum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encode_png(array: np.ndarray, *, level: int = 6) -> bytes:
    """Encodes an image as PNG, marked as sRGB.

    Parameters
    ----------
    array : (h, w), or (h, w, 1 to 4) uint8 or uint16
        Grey, grey and alpha, RGB or RGBA; straight alpha.
    level : int
        Strength of zlib, 0..9.

    Returns
    -------
    bytes

    Raises
    ------
    TypeError, ValueError
        Another dtype or shape.
    """
    image = np.asarray(array)
    if image.dtype.newbyteorder("=") not in (np.dtype(np.uint8), np.dtype(np.uint16)):
        raise TypeError(f"array must be uint8 or uint16, got {image.dtype}")
    if image.ndim == 2:
        image = image[..., None]
    if image.ndim != 3 or image.shape[2] not in _COLOR_TYPES or 0 in image.shape:
        raise ValueError(f"array must have shape (h, w) or (h, w, 1..4), got {np.shape(array)}")
    height, width, channels = image.shape
    depth = 8 * image.dtype.itemsize
    rows = np.ascontiguousarray(image, image.dtype.newbyteorder(">"))
    rows = rows.reshape(height, -1).view(np.uint8)
    # Filter "up" (2) on every row: cheap in NumPy, and images of tiles gain most from it.
    filtered = np.empty((height, rows.shape[1] + 1), np.uint8)
    filtered[:, 0] = 2
    filtered[0, 1:] = rows[0]
    np.subtract(rows[1:], rows[:-1], out=filtered[1:, 1:])
    header = struct.pack(">2I5B", width, height, depth, _COLOR_TYPES[channels], 0, 0, 0)
    return (
        _SIGNATURE
        + png_chunk(b"IHDR", header)
        + png_chunk(b"sRGB", b"\0")
        + png_chunk(b"IDAT", zlib.compress(filtered.data, level))
        + png_chunk(b"IEND", b"")
    )
