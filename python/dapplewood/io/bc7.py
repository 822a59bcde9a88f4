# SPDX-License-Identifier: MIT
"""BC7 (BPTC) in NumPy: the decoder, and the alpha ends that encoders lose.

Sources: Khronos Data Format specification 1.4, chapter "BPTC Compressed Texture Image Formats".
Blocks are worked through mode by mode, so that every field but the indices lies at one place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Bit i of an entry is the subset of texel i (partitions into two).
_PARTITIONS_2 = (
    0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC,
    0xFE80, 0xE800, 0xFFE8, 0xFF00, 0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE,
    0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C, 0x17E8, 0x0FF0,
    0x718E, 0x399C, 0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696, 0xA55A,
    0x73CE, 0x13C8, 0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660, 0x0272, 0x04E4,
    0x4E40, 0x2720, 0xC936, 0x936C, 0x39C6, 0x639C, 0x9336, 0x9CC6, 0x817E, 0xE718,
    0xCCF0, 0x0FCC, 0x7744, 0xEE22,
)  # fmt: skip

# Bits 2 i and 2 i + 1 of an entry are the subset of texel i (partitions into three).
_PARTITIONS_3 = (
    0xAA685050, 0x6A5A5040, 0x5A5A4200, 0x5450A0A8, 0xA5A50000, 0xA0A05050, 0x5555A0A0,
    0x5A5A5050, 0xAA550000, 0xAA555500, 0xAAAA5500, 0x90909090, 0x94949494, 0xA4A4A4A4,
    0xA9A59450, 0x2A0A4250, 0xA5945040, 0x0A425054, 0xA5A5A500, 0x55A0A0A0, 0xA8A85454,
    0x6A6A4040, 0xA4A45000, 0x1A1A0500, 0x0050A4A4, 0xAAA59090, 0x14696914, 0x69691400,
    0xA08585A0, 0xAA821414, 0x50A4A450, 0x6A5A0200, 0xA9A58000, 0x5090A0A8, 0xA8A09050,
    0x24242424, 0x00AA5500, 0x24924924, 0x24499224, 0x50A50A50, 0x500AA550, 0xAAAA4444,
    0x66660000, 0xA5A0A5A0, 0x50A050A0, 0x69286928, 0x44AAAA44, 0x66666600, 0xAA444444,
    0x54A854A8, 0x95809580, 0x96969600, 0xA85454A8, 0x80959580, 0xAA141414, 0x96960000,
    0xAAAA1414, 0xA05050A0, 0xA0A5A5A0, 0x96000000, 0x40804080, 0xA9A8A9A8, 0xAAAAAA44,
    0x2A4A5254,
)  # fmt: skip

# Texel whose index drops its top bit, one hexadecimal digit per partition; texel 0 always does.
_ANCHOR_2 = "FFFFFFFFFFFFFFFFF282288F28228822FF6828FF28222FF66268FF22FFFFF22F"
_ANCHOR_3_SECOND = "33FF83FF88666533338F336A588685FF8F356A8FF3F5FFFF3F55585A5A8DFC33"
_ANCHOR_3_THIRD = "F883FF38FFFFFFF8F8F3F8F83F6AFFA8F3FAA89A6F8F3668F3FFFFFFFFFF3FF8"

_WEIGHTS = {
    2: np.array([0, 21, 43, 64], np.int32),
    3: np.array([0, 9, 18, 27, 37, 46, 55, 64], np.int32),
    4: np.array([0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64], np.int32),
}

# Blocks decoded at once: bounds the temporaries to some 50 MB.
_CHUNK = 1 << 15


@dataclass(frozen=True)
class _Mode:
    subsets: int
    partition_bits: int
    rotation_bits: int
    selection_bits: int
    color_bits: int
    alpha_bits: int
    p_bits: int  # one per endpoint: 2 x subsets; one per subset: subsets; none: 0
    index_bits: int
    second_index_bits: int


_MODES = (
    _Mode(3, 4, 0, 0, 4, 0, 6, 3, 0),
    _Mode(2, 6, 0, 0, 6, 0, 2, 3, 0),
    _Mode(3, 6, 0, 0, 5, 0, 0, 2, 0),
    _Mode(2, 6, 0, 0, 7, 0, 4, 2, 0),
    _Mode(1, 0, 2, 1, 5, 6, 0, 2, 3),
    _Mode(1, 0, 2, 0, 7, 8, 0, 2, 2),
    _Mode(1, 0, 0, 0, 7, 7, 2, 4, 0),
    _Mode(2, 6, 0, 0, 5, 5, 4, 2, 0),
)


def _partition_tables() -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Per number of subsets: subset of each texel (P, 16) and whether it is an anchor (P, 16)."""
    texel = np.arange(16, dtype=np.uint32)
    two = (np.array(_PARTITIONS_2, np.uint32)[:, None] >> texel) & 1
    three = (np.array(_PARTITIONS_3, np.uint32)[:, None] >> (2 * texel)) & 3

    def anchors(*digits: str) -> np.ndarray:
        mask = np.zeros((64, 16), bool)
        mask[:, 0] = True
        for text in digits:
            mask[np.arange(64), [int(digit, 16) for digit in text]] = True
        return mask

    one = np.zeros((1, 16), np.uint32)
    return {
        1: (one, texel[None, :] == 0),
        2: (two, anchors(_ANCHOR_2)),
        3: (three, anchors(_ANCHOR_3_SECOND, _ANCHOR_3_THIRD)),
    }


_TABLES = _partition_tables()


class _Bits:
    """Reads fields of 128-bit little-endian blocks, many blocks at once."""

    def __init__(self, blocks: np.ndarray):
        words = np.ascontiguousarray(blocks).view("<u8")
        self.low, self.high = words[:, 0], words[:, 1]
        self.place = 0

    def take(self, count: int) -> np.ndarray:
        """The next `count` bits, at most 8, of every block."""
        value = self.at(np.array(self.place), self.low, self.high)
        self.place += count
        return (value & np.uint64((1 << count) - 1)).astype(np.int32)

    def indices(self, anchors: np.ndarray, bits: int) -> np.ndarray:
        """The next 16 texel indices (N, 16); an anchor's index has one bit less."""
        lengths = bits - anchors.astype(np.int64)
        ends = np.cumsum(lengths, axis=1)
        offsets = (self.place + ends - lengths).astype(np.uint64)
        value = self.at(offsets, self.low[:, None], self.high[:, None])
        self.place += 16 * bits - int(anchors[0].sum())
        mask = (np.int64(1) << lengths) - 1
        return (value.astype(np.int64) & mask).astype(np.int32)

    @staticmethod
    def at(offset: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """64 bits from a bit offset on; only the lowest 8 are of use near the end of a block."""
        offset = np.asarray(offset, np.uint64)
        in_low = offset < np.uint64(64)
        shift = offset & np.uint64(63)
        # Two shifts, since one by 64 is undefined when the offset is a multiple of 64.
        above = (high << np.uint64(1)) << (np.uint64(63) - shift)
        return np.where(in_low, (low >> shift) | above, high >> shift)


def _modes_of(blocks: np.ndarray) -> np.ndarray:
    """Mode of each block: the lowest set bit of its first byte; 8 when there is none."""
    table = np.array([8] + [(byte & -byte).bit_length() - 1 for byte in range(1, 256)], np.uint8)
    return table[blocks[:, 0]]


def _endpoints(mode: _Mode, bits: _Bits) -> np.ndarray:
    """Endpoints of every block, (N, subsets, 2, 4), unquantised to 8 bits."""
    count = len(bits.low)
    ends = np.empty((count, mode.subsets, 2, 4), np.int32)
    for channel in range(4 if mode.alpha_bits else 3):
        width = mode.alpha_bits if channel == 3 else mode.color_bits
        for subset in range(mode.subsets):
            for end in range(2):
                ends[:, subset, end, channel] = bits.take(width)
    p = [bits.take(1) for _ in range(mode.p_bits)]
    for channel in range(4 if mode.alpha_bits else 3):
        width = mode.alpha_bits if channel == 3 else mode.color_bits
        for subset in range(mode.subsets):
            for end in range(2):
                value = ends[:, subset, end, channel]
                total = width
                if p:
                    shared = mode.p_bits == mode.subsets
                    value = value * 2 + p[subset if shared else 2 * subset + end]
                    total += 1
                ends[:, subset, end, channel] = (value << (8 - total)) | (value >> (2 * total - 8))
    if not mode.alpha_bits:
        ends[..., 3] = 255
    return ends


def _mix(low: np.ndarray, high: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return ((64 - weight) * low + weight * high + 32) >> 6


def _decode_mode(mode_number: int, blocks: np.ndarray) -> np.ndarray:
    """Blocks (N, 16) of one mode -> texels (N, 16, 4)."""
    mode = _MODES[mode_number]
    bits = _Bits(blocks)
    bits.take(mode_number + 1)
    partition = bits.take(mode.partition_bits) if mode.partition_bits else 0
    rotation = bits.take(mode.rotation_bits) if mode.rotation_bits else None
    selection = bits.take(mode.selection_bits) if mode.selection_bits else None
    ends = _endpoints(mode, bits)
    subset_table, anchor_table = _TABLES[mode.subsets]
    rows = np.broadcast_to(np.asarray(partition), (len(blocks),))
    subset = subset_table[rows].astype(np.intp)
    first = _WEIGHTS[mode.index_bits][bits.indices(anchor_table[rows], mode.index_bits)]
    color_weight = alpha_weight = first
    if mode.second_index_bits:
        anchors = np.broadcast_to(_TABLES[1][1], (len(blocks), 16))
        second_bits = mode.second_index_bits
        second = _WEIGHTS[second_bits][bits.indices(anchors, second_bits)]
        swap = np.zeros((len(blocks), 1), bool) if selection is None else selection[:, None] == 1
        color_weight = np.where(swap, second, first)
        alpha_weight = np.where(swap, first, second)
    pairs = ends[np.arange(len(blocks))[:, None], subset]
    texels = np.empty((len(blocks), 16, 4), np.uint8)
    texels[..., :3] = _mix(pairs[:, :, 0, :3], pairs[:, :, 1, :3], color_weight[..., None])
    texels[..., 3] = _mix(pairs[:, :, 0, 3], pairs[:, :, 1, 3], alpha_weight)
    if rotation is not None:
        for channel in range(3):
            rows = rotation == channel + 1
            texels[rows, :, channel], texels[rows, :, 3] = (
                texels[rows, :, 3],
                texels[rows, :, channel],
            )
    return texels


def decode_bc7(blocks: np.ndarray) -> np.ndarray:
    """Decodes BC7 blocks.

    Parameters
    ----------
    blocks : (N, 16) uint8

    Returns
    -------
    (N, 16, 4) uint8
        Texels in rows of a block, RGBA. A block of the reserved mode is transparent black.
    """
    texels = np.zeros((len(blocks), 16, 4), np.uint8)
    for start in range(0, len(blocks), _CHUNK):
        part = blocks[start : start + _CHUNK]
        modes = _modes_of(part)
        for mode_number in range(8):
            chosen = np.flatnonzero(modes == mode_number)
            if chosen.size:
                texels[start + chosen] = _decode_mode(mode_number, part[chosen])
    return texels
