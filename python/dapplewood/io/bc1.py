# SPDX-License-Identifier: MIT
"""BC1 to BC5 in NumPy: decoders, and the BC1 encoder for blocks with transparent texels.

Sources: Khronos Data Format specification 1.4, chapters "S3TC" and "RGTC". Five- and six-bit
channels widen to 8 bits by exact rounding, two-thirds mixes round to nearest.
"""

from __future__ import annotations

import numpy as np


def _channels_565(color: np.ndarray) -> np.ndarray:
    """(...) uint16 -> (..., 3) int32 in 0..255."""
    value = color.astype(np.int32)
    red, green, blue = value >> 11, (value >> 5) & 63, value & 31
    return np.stack(
        [(red * 510 + 31) // 62, (green * 510 + 63) // 126, (blue * 510 + 31) // 62], axis=-1
    )


def _indices_2bit(words: np.ndarray) -> np.ndarray:
    shifts = np.arange(0, 32, 2, dtype=np.uint32)
    return ((words[:, None] >> shifts) & 3).astype(np.intp)


def color_palette(ends: np.ndarray, *, always_four: bool) -> np.ndarray:
    """Palettes (N, 4, 4) int32 of colour ends (N, 2) uint16; BC2 and BC3 always have four."""
    rgb = _channels_565(ends)
    first, second = rgb[:, 0], rgb[:, 1]
    palette = np.full((len(ends), 4, 4), 255, np.int32)
    palette[:, 0, :3], palette[:, 1, :3] = first, second
    palette[:, 2, :3] = (2 * first + second + 1) // 3
    palette[:, 3, :3] = (first + 2 * second + 1) // 3
    if not always_four:
        three = ends[:, 0] <= ends[:, 1]
        palette[three, 2, :3] = (first[three] + second[three] + 1) >> 1
        palette[three, 3] = 0
    return palette


def decode_color(blocks: np.ndarray, *, always_four: bool) -> np.ndarray:
    """Colour blocks (N, 8) -> texels (N, 16, 4) uint8."""
    data = np.ascontiguousarray(blocks)
    palette = color_palette(data.view("<u2")[:, :2], always_four=always_four).astype(np.uint8)
    chosen = _indices_2bit(data.view("<u4")[:, 1])
    return palette[np.arange(len(data))[:, None], chosen]


def _channel_palette(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Values (N, 8) uint8 that the indices of a BC4 block mean: a ramp of 8, or of 6, 0 and 255."""
    first, second = first.astype(np.int32), second.astype(np.int32)
    palette = np.empty((len(first), 8), np.int32)
    palette[:, 0], palette[:, 1] = first, second
    eight = first > second
    for step in range(1, 7):
        smooth = ((7 - step) * first + step * second + 3) // 7
        short = ((5 - step) * first + step * second + 2) // 5 if step < 5 else 0 * first
        palette[:, step + 1] = np.where(eight, smooth, short)
    palette[~eight, 7] = 255
    return palette.astype(np.uint8)


def decode_channel(blocks: np.ndarray) -> np.ndarray:
    """BC4 blocks, or the alpha half of BC3, (N, 8) -> (N, 16) uint8."""
    data = np.ascontiguousarray(blocks)
    palette = _channel_palette(data[:, 0], data[:, 1])
    bits = data.view("<u8")[:, 0] >> np.uint64(16)
    shifts = np.arange(0, 48, 3, dtype=np.uint64)
    chosen = ((bits[:, None] >> shifts) & np.uint64(7)).astype(np.intp)
    return palette[np.arange(len(data))[:, None], chosen]


def decode_bc1(blocks: np.ndarray) -> np.ndarray:
    return decode_color(blocks, always_four=False)


def decode_bc1rgb(blocks: np.ndarray) -> np.ndarray:
    texels = decode_color(blocks, always_four=False)
    texels[..., 3] = 255
    return texels


def decode_bc2(blocks: np.ndarray) -> np.ndarray:
    texels = decode_color(blocks[:, 8:], always_four=True)
    low = blocks[:, :8]
    nibbles = np.stack([low & 15, low >> 4], axis=-1).reshape(len(blocks), 16)
    texels[..., 3] = nibbles * 17
    return texels


def decode_bc3(blocks: np.ndarray) -> np.ndarray:
    texels = decode_color(blocks[:, 8:], always_four=True)
    texels[..., 3] = decode_channel(blocks[:, :8])
    return texels


def decode_bc4(blocks: np.ndarray) -> np.ndarray:
    texels = np.zeros((len(blocks), 16, 4), np.uint8)
    texels[..., 0] = decode_channel(blocks)
    texels[..., 3] = 255
    return texels


def decode_bc5(blocks: np.ndarray) -> np.ndarray:
    texels = np.zeros((len(blocks), 16, 4), np.uint8)
    texels[..., 0] = decode_channel(blocks[:, :8])
    texels[..., 1] = decode_channel(blocks[:, 8:])
    texels[..., 3] = 255
    return texels


def keep_opaque(blocks: np.ndarray) -> np.ndarray:
    """Opaque BC1 blocks (N, 8) such that no texel decodes as transparent.

    Encoders that know nothing of transparency may order the ends so that index 3 means
    transparent black. The ends are swapped and the indices with them; equal ends take index 0.
    """
    data = np.ascontiguousarray(blocks).copy()
    ends, words = data.view("<u2"), data.view("<u4")
    swapped = ends[:, 0] < ends[:, 1]
    ends[swapped, :2] = ends[swapped, 1::-1]
    words[swapped, 1] ^= np.uint32(0x55555555)
    words[ends[:, 0] == ends[:, 1], 1] = 0
    return data


def _pack_565(color: np.ndarray) -> np.ndarray:
    """(..., 3) float in 0..255 -> (...) uint16, each channel rounded to nearest."""
    scaled = np.clip(color, 0, 255) * (np.array([31, 63, 31], np.float32) / np.float32(255))
    red, green, blue = np.moveaxis(np.floor(scaled + np.float32(0.5)).astype(np.uint16), -1, 0)
    return (red << np.uint16(11)) | (green << np.uint16(5)) | blue


def _axis_ends(color: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Ends (N, 2, 3) of the weighted colours along their principal axis."""
    total = np.maximum(weight.sum(1), np.float32(1e-3))[:, None]
    mean = np.einsum("nic,ni->nc", color, weight) / total
    offset = (color - mean[:, None]) * weight[..., None]
    covariance = np.einsum("nia,nib->nab", offset, offset)
    # Power iteration from the row of the widest channel: eight steps settle the axis.
    widest = np.argmax(np.einsum("naa->na", covariance), axis=1)
    axis = covariance[np.arange(len(color)), widest] + np.float32(1e-6)
    for _ in range(8):
        axis = np.einsum("nab,nb->na", covariance, axis) + np.float32(1e-6)
        axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    along = np.einsum("nia,na->ni", offset, axis)
    low, high = along.min(1), along.max(1)
    return mean[:, None] + np.stack([low, high], 1)[..., None] * axis[:, None]


def _choose(ends: np.ndarray, color: np.ndarray, weight: np.ndarray, three: bool) -> tuple:
    """Ends in the order of their mode, nearest indices (N, 16), weighted squared error (N)."""
    ends = np.sort(ends, axis=1)
    palette = color_palette(ends, always_four=not three).astype(np.float32)
    count = 3 if three else 4
    distance = np.zeros((count, *weight.shape), np.float32)
    for index in range(count):
        for channel in range(3):
            distance[index] += (color[..., channel] - palette[:, index, channel, None]) ** 2
    return ends, np.argmin(distance, axis=0), (distance.min(0) * weight).sum(1)


# What the second end counts for, by index.
_SHARES = {True: (0, 1, 1 / 2, 0), False: (0, 1, 1 / 3, 2 / 3)}


def _least_squares(
    color: np.ndarray, indices: np.ndarray, weight: np.ndarray, three: bool
) -> np.ndarray:
    """Ends (N, 2, 3) that fit the colours best for given indices; Cramer's rule per block."""
    second = np.array(_SHARES[three], np.float32)[indices]
    first = 1 - second
    aa, bb = (weight * first**2).sum(1), (weight * second**2).sum(1)
    ab = (weight * first * second).sum(1)
    determinant = aa * bb - ab * ab
    safe = np.where(np.abs(determinant) < 1e-6, 1, determinant)[:, None]
    ax = np.einsum("ni,nic->nc", weight * first, color)
    bx = np.einsum("ni,nic->nc", weight * second, color)
    return np.stack(
        [
            (ax * bb[:, None] - bx * ab[:, None]) / safe,
            (bx * aa[:, None] - ax * ab[:, None]) / safe,
        ],
        axis=1,
    )


def _fit_color(texels: np.ndarray, weight: np.ndarray, three: bool) -> tuple:
    """Ends (N, 2) uint16 and indices (N, 16): along the principal axis, then refitted.

    A refit is kept where it lowers the error.
    """
    color = texels.astype(np.float32)
    ends, indices, error = _choose(_pack_565(_axis_ends(color, weight)), color, weight, three)
    for _ in range(2):
        refit = _pack_565(_least_squares(color, indices, weight, three))
        ends_2, indices_2, error_2 = _choose(refit, color, weight, three)
        better = (error_2 < error)[:, None]
        ends = np.where(better, ends_2, ends)
        indices = np.where(better, indices_2, indices)
        error = np.minimum(error, error_2)
    return ends, indices


def _pack_color(ends: np.ndarray, indices: np.ndarray) -> np.ndarray:
    data = np.zeros((len(ends), 8), np.uint8)
    data.view("<u2")[:, :2] = ends
    shifts = np.arange(0, 32, 2, dtype=np.uint32)
    data.view("<u4")[:, 1] = (indices.astype(np.uint32) << shifts).sum(1, dtype=np.uint32)
    return data


def encode_punch_through(texels: np.ndarray, opaque: np.ndarray) -> np.ndarray:
    """Encodes BC1 blocks in three-colour mode: index 3 is a transparent texel.

    Parameters
    ----------
    texels : (N, 16, 3) uint8
        Colours; those of transparent texels count for nothing.
    opaque : (N, 16) bool

    Returns
    -------
    (N, 8) uint8
        A wholly transparent block has zero ends and every index 3.
    """
    ends, indices = _fit_color(texels, opaque.astype(np.float32), three=True)
    ends[~opaque.any(1)] = 0
    return _pack_color(ends, np.where(opaque, indices, 3))


def encode_by_alpha(texels: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Encodes the colour half of BC2 and BC3, each texel counting for as much as is seen of it.

    Parameters
    ----------
    texels : (N, 16, 3) uint8
    alpha : (N, 16) uint8
        A texel of alpha 0 still counts for a hundredth, so that hidden colours are not thrown
        away where nothing else needs the ends.

    Returns
    -------
    (N, 8) uint8
    """
    weight = np.maximum(alpha.astype(np.float32) / 255, np.float32(0.01))
    return _pack_color(*_fit_color(texels, weight, three=False))


def _fit_channel(values: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple:
    """Nearest indices (N, 16) into the palette of two ends, and the squared error (N)."""
    palette = _channel_palette(first, second).astype(np.int16)
    best = np.full(values.shape, 1 << 14, np.int16)
    chosen = np.zeros(values.shape, np.uint64)
    for index in range(8):
        distance = np.abs(values - palette[:, index, None])
        nearer = distance < best
        best[nearer] = distance[nearer]
        chosen[nearer] = index
    return chosen, (best.astype(np.int32) ** 2).sum(1)


def encode_channel(texels: np.ndarray) -> np.ndarray:
    """Encodes BC4 blocks, or the alpha half of BC3, so that 0 and 255 stay what they are.

    Parameters
    ----------
    texels : (N, 16) uint8

    Returns
    -------
    (N, 8) uint8

    Notes
    -----
    Two fits are tried and the better one kept: a ramp of eight between the least and the greatest
    value, and a ramp of six between those inside, beside 0 and 255. Both hold the ends exactly.
    """
    values = texels.astype(np.int16)
    inner = (values > 0) & (values < 255)
    low = np.where(inner, values, 255).min(1)
    high = np.where(inner, values, 0).max(1)
    low, high = np.minimum(low, high), np.maximum(low, high)
    six, six_error = _fit_channel(values, low, high)
    top, bottom = values.max(1), values.min(1)
    eight, eight_error = _fit_channel(values, top, bottom)
    wide = (eight_error < six_error) & (top > bottom)
    data = np.empty((len(values), 8), np.uint8)
    chosen = np.where(wide[:, None], eight, six)
    shifts = np.arange(16, 64, 3, dtype=np.uint64)
    data.view("<u8")[:, 0] = np.bitwise_or.reduce(chosen << shifts, axis=1)
    data[:, 0] = np.where(wide, top, low)
    data[:, 1] = np.where(wide, bottom, high)
    return data
