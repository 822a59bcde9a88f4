# SPDX-License-Identifier: MIT
"""Mends the alpha ends of BC7 blocks: 255 stays 255 and 0 stays 0.

In modes 6 and 7 the lowest bit of an endpoint is one bit for all its channels. Encoders choose it
by the summed error, and so turn opaque texels into 254 and transparent ones into 1 or 4, which
then blend, sort and test as translucent. In mode 6 the bit costs at most one step in red, green
and blue, so both ends are mended; in mode 7 it costs four, so only the clear end is, where the
colour is not seen. In mode 5 a least-squares fit may stop a few steps short of the end.
"""

from __future__ import annotations

import numpy as np

# Mode 6: red, green and blue endpoints from bit 7 on, alpha of the two endpoints (7 bits each) at
# these places, their lowest bits at 63 and 64.
_MODE_6_ALPHA = (49, 56)
_MODE_6_LOWEST = (63, 64)

# Mode 5 without rotation: alpha endpoints of 8 bits. The second spans the two 64-bit words.
_MODE_5_FIRST = 50
_MODE_5_SECOND = 58

# Mode 7: alpha of the four endpoints (5 bits each) and their lowest bits, within the second word.
_MODE_7_ALPHA = (10, 15, 20, 25)
_MODE_7_LOWEST = (30, 31, 32, 33)

# Steps short of 0 or 255 that count as a fit that stopped short rather than as a gradient.
_SHORT = 4


def _bits(value: int) -> np.uint64:
    return np.uint64(value)


def _mend_mode_6(words: np.ndarray, rows: np.ndarray, clear: np.ndarray, full: np.ndarray) -> None:
    """Sets or clears the lowest bit of endpoints whose alpha is at its end."""
    for alpha_at, lowest_at in zip(_MODE_6_ALPHA, _MODE_6_LOWEST, strict=True):
        alpha = (words[rows, 0] >> _bits(alpha_at)) & _bits(127)
        word, bit = divmod(lowest_at, 64)
        one = _bits(1 << bit)
        up = rows[(alpha == 127) & full[rows]]
        down = rows[(alpha == 0) & clear[rows]]
        words[up, word] |= one
        words[down, word] &= ~one


def _mend_mode_5(words: np.ndarray, rows: np.ndarray, clear: np.ndarray, full: np.ndarray) -> None:
    """Moves alpha endpoints within `_SHORT` of an end onto it."""
    low, high = words[rows, 0], words[rows, 1]
    first = (low >> _bits(_MODE_5_FIRST)) & _bits(255)
    second = (low >> _bits(_MODE_5_SECOND)) | ((high & _bits(3)) << _bits(6))
    first, second = (_snap(value, clear[rows], full[rows]) for value in (first, second))
    low &= _bits((1 << _MODE_5_FIRST) - 1)
    low |= (first << _bits(_MODE_5_FIRST)) | (second << _bits(_MODE_5_SECOND))
    words[rows, 0] = low
    words[rows, 1] = (high & ~_bits(3)) | (second >> _bits(6))


def _mend_mode_7(words: np.ndarray, rows: np.ndarray) -> None:
    """Clears the lowest bit of endpoints whose alpha is 0 but for it."""
    for alpha_at, lowest_at in zip(_MODE_7_ALPHA, _MODE_7_LOWEST, strict=True):
        alpha = (words[rows, 1] >> _bits(alpha_at)) & _bits(31)
        words[rows[alpha == 0], 1] &= ~_bits(1 << lowest_at)


def _snap(value: np.ndarray, clear: np.ndarray, full: np.ndarray) -> np.ndarray:
    value = np.where(full & (value >= 255 - _SHORT), _bits(255), value)
    return np.where(clear & (value <= _SHORT), _bits(0), value)


def restore_alpha_ends(blocks: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """Blocks whose endpoints reach 0 and 255 wherever the source does.

    Parameters
    ----------
    blocks : (N, 16) uint8
        BC7 blocks, changed in place.
    alpha : (N, 16) uint8
        Alpha of the texels that were encoded.

    Returns
    -------
    (N, 16) uint8
        `blocks`.
    """
    words = blocks.view("<u8")
    clear, full = (alpha == 0).any(1), (alpha == 255).any(1)
    head = blocks[:, 0]
    _mend_mode_6(words, np.flatnonzero((head & 127) == 64), clear, full)
    # The byte 32 is mode 5 with no rotation: alpha is stored as alpha.
    _mend_mode_5(words, np.flatnonzero(head == 32), clear, full)
    _mend_mode_7(words, np.flatnonzero((head == 128) & clear))
    return blocks
