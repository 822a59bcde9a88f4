# SPDX-License-Identifier: MIT
"""Mip chains as common tools make them: what a baked atlas is held against."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["mips", "naive_levels"]


def _bytes_rgba(image: Any) -> np.ndarray:
    array = np.asarray(image)
    if array.ndim != 3 or array.shape[2] != 4 or array.size == 0:
        raise ValueError(f"image must have shape (h, w, 4) and not be empty, got {array.shape}")
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    if array.dtype.kind == "u" and array.dtype.itemsize == 2:
        return ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    raise TypeError(f"image must have dtype uint8 or uint16, got {array.dtype}")


def _pairs(array: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Texels 2 i and 2 i + 1 along an axis; an odd last texel is left out, as most tools do."""
    size = array.shape[axis]
    if size == 1:
        return array, array
    even = [slice(None)] * array.ndim
    odd = list(even)
    even[axis] = slice(0, size // 2 * 2, 2)
    odd[axis] = slice(1, size // 2 * 2, 2)
    return array[tuple(even)], array[tuple(odd)]


def _halve_codes(level: np.ndarray) -> np.ndarray:
    upper, lower = _pairs(level, 0)
    rows = np.add(upper, lower, dtype=np.uint16)
    left, right = _pairs(rows, 1)
    total = left + right
    total += 2
    total >>= 2
    return total.astype(np.uint8)


def naive_levels(image: Any) -> tuple[np.ndarray, ...]:
    """The mip chain of an engine that does not know what it filters.

    A 2 x 2 box on the sRGB codes, each channel by itself, each level from the one before, across
    tile borders.

    Parameters
    ----------
    image : (h, w, 4) uint8 or uint16
        Level 0. Sixteen bits are rounded to eight.

    Returns
    -------
    tuple of (h, w, 4) uint8
        Down to 1 x 1; of odd sizes the last row or column is left out.
    """
    levels = [_bytes_rgba(image)]
    while max(levels[-1].shape[:2]) > 1:
        levels.append(_halve_codes(levels[-1]))
    return tuple(levels)


def _halve(level: np.ndarray) -> np.ndarray:
    upper, lower = _pairs(level, 0)
    left, right = _pairs(upper + lower, 1)
    total = left + right
    total *= np.float32(0.25)
    return total


def _decode_table(linear: bool) -> np.ndarray:
    codes = np.arange(256) / 255.0
    if linear:
        codes = np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)
    return codes.astype(np.float32)


def _encode_table(linear: bool) -> np.ndarray:
    """8-bit codes of 16-bit light."""
    light = np.arange(65536) / 65535.0
    if linear:
        power = 1.055 * np.power(np.maximum(light, 0.0031308), 1 / 2.4) - 0.055
        light = np.where(light <= 0.0031308, light * 12.92, power)
    return np.floor(light * 255.0 + 0.5).astype(np.uint8)


def _encode(light: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[(np.minimum(light, np.float32(1.0)) * np.float32(65535) + 0.5).astype(np.uint16)]


def _image_scale(alpha: np.ndarray, share: float, cutoff: float) -> float:
    """The factor on alpha at which `share` of the texels pass, at most 4 as elsewhere."""
    ranked = np.sort(alpha, axis=None)[::-1]
    passing = int(round(share * ranked.size))
    if passing == 0 or passing == ranked.size or ranked[passing - 1] <= 0.0:
        return 1.0
    return min(4.0, cutoff / float(ranked[passing - 1]))


def mips(
    image: Any,
    *,
    linear: bool = True,
    weighted: bool = True,
    coverage: str | None = None,
    cutoff: float = 0.5,
) -> tuple[np.ndarray, ...]:
    """A mip chain with each of the usual cures, one by one.

    Parameters
    ----------
    image : (h, w, 4) uint8 or uint16
        sRGB colour, straight alpha.
    linear : bool
        Average light rather than sRGB codes.
    weighted : bool
        Weigh colour by alpha.
    coverage : None or "image"
        "image": scale the alpha of each level by one factor so that the share of texels that
        pass `cutoff` in the whole image stays (I. Castano, "Computing Alpha Mipmaps", 2010).
    cutoff : float
        Alpha-test reference for `coverage`.

    Returns
    -------
    tuple of (h, w, 4) uint8
        Box filtered across tile borders, down to 1 x 1.
    """
    if coverage not in (None, "image"):
        raise ValueError(f'coverage must be None or "image", got {coverage!r}')
    if not 0.0 < cutoff < 1.0:
        raise ValueError(f"cutoff must lie inside (0, 1), got {cutoff}")
    first = _bytes_rgba(image)
    table = _decode_table(linear)
    color, alpha = table[first[..., :3]], first[..., 3] * np.float32(1 / 255)
    if weighted:
        color *= alpha[..., None]
    share = float(np.mean(alpha >= cutoff))
    encode, encode_alpha = _encode_table(linear), _encode_table(False)
    levels = [first]
    while max(levels[-1].shape[:2]) > 1:
        color, alpha = _halve(color), _halve(alpha)
        straight = color
        if weighted:
            straight = np.divide(
                color, alpha[..., None], out=np.zeros_like(color), where=alpha[..., None] > 0
            )
        scale = _image_scale(alpha, share, cutoff) if coverage == "image" else 1.0
        level = np.empty((*alpha.shape, 4), dtype=np.uint8)
        level[..., :3] = _encode(straight, encode)
        level[..., 3] = _encode(alpha * np.float32(scale), encode_alpha)
        levels.append(level)
    return tuple(levels)
