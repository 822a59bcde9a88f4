# SPDX-License-Identifier: MIT
"""A small built-in font, so that pictures can be labelled without any other library."""

from __future__ import annotations

import numpy as np

__all__ = ["GLYPH_HEIGHT", "draw_text", "text_width"]

GLYPH_WIDTH, GLYPH_HEIGHT = 5, 7
_ADVANCE = GLYPH_WIDTH + 1

# Seven rows from the top, five pixels each, the leftmost in bit 4.
_GLYPHS = {
    " ": (0, 0, 0, 0, 0, 0, 0),
    "A": (14, 17, 17, 31, 17, 17, 17), "B": (30, 17, 17, 30, 17, 17, 30),
    "C": (14, 17, 16, 16, 16, 17, 14), "D": (30, 17, 17, 17, 17, 17, 30),
    "E": (31, 16, 16, 30, 16, 16, 31), "F": (31, 16, 16, 30, 16, 16, 16),
    "G": (14, 17, 16, 23, 17, 17, 15), "H": (17, 17, 17, 31, 17, 17, 17),
    "I": (14, 4, 4, 4, 4, 4, 14), "J": (7, 2, 2, 2, 2, 18, 12),
    "K": (17, 18, 20, 24, 20, 18, 17), "L": (16, 16, 16, 16, 16, 16, 31),
    "M": (17, 27, 21, 21, 17, 17, 17), "N": (17, 25, 21, 19, 17, 17, 17),
    "O": (14, 17, 17, 17, 17, 17, 14), "P": (30, 17, 17, 30, 16, 16, 16),
    "Q": (14, 17, 17, 17, 21, 18, 13), "R": (30, 17, 17, 30, 20, 18, 17),
    "S": (15, 16, 16, 14, 1, 1, 30), "T": (31, 4, 4, 4, 4, 4, 4),
    "U": (17, 17, 17, 17, 17, 17, 14), "V": (17, 17, 17, 17, 17, 10, 4),
    "W": (17, 17, 17, 21, 21, 27, 17), "X": (17, 17, 10, 4, 10, 17, 17),
    "Y": (17, 17, 10, 4, 4, 4, 4), "Z": (31, 1, 2, 4, 8, 16, 31),
    "0": (14, 17, 19, 21, 25, 17, 14), "1": (4, 12, 4, 4, 4, 4, 14),
    "2": (14, 17, 1, 6, 8, 16, 31), "3": (30, 1, 1, 14, 1, 1, 30),
    "4": (2, 6, 10, 18, 31, 2, 2), "5": (31, 16, 30, 1, 1, 17, 14),
    "6": (6, 8, 16, 30, 17, 17, 14), "7": (31, 1, 2, 4, 8, 8, 8),
    "8": (14, 17, 17, 14, 17, 17, 14), "9": (14, 17, 17, 15, 1, 2, 12),
    ".": (0, 0, 0, 0, 0, 12, 12), ",": (0, 0, 0, 0, 12, 4, 8),
    ":": (0, 12, 12, 0, 12, 12, 0), "-": (0, 0, 0, 31, 0, 0, 0),
    "+": (0, 4, 4, 31, 4, 4, 0), "%": (24, 25, 2, 4, 8, 19, 3),
    "(": (2, 4, 8, 8, 8, 4, 2), ")": (8, 4, 2, 2, 2, 4, 8),
    "/": (1, 1, 2, 4, 8, 16, 16), "=": (0, 0, 31, 0, 31, 0, 0),
    ">": (8, 4, 2, 1, 2, 4, 8), "<": (2, 4, 8, 16, 8, 4, 2),
    "?": (14, 17, 1, 2, 4, 0, 4), "_": (0, 0, 0, 0, 0, 0, 31),
}  # fmt: skip


def text_width(text: str, scale: int = 1) -> int:
    """Pixels that `draw_text` needs."""
    return max(0, len(text) * _ADVANCE - 1) * scale


def draw_text(
    image: np.ndarray, text: str, x: int, y: int, color: tuple[int, int, int], scale: int = 1
) -> None:
    """Draws capitals onto an image; what reaches outside is left out.

    Parameters
    ----------
    image : (h, w, 3 or 4) uint8
        Changed in place.
    text : str
        Small letters become capitals; what the font lacks becomes "?".
    x, y : int
        Left and top of the first glyph.
    color : (3,) int
        sRGB.
    scale : int
        Pixels of the image to a pixel of the font.
    """
    for place, letter in enumerate(text.upper()):
        rows = _GLYPHS.get(letter, _GLYPHS["?"])
        for row, bits in enumerate(rows):
            for column in range(GLYPH_WIDTH):
                if bits >> (GLYPH_WIDTH - 1 - column) & 1:
                    left = x + (place * _ADVANCE + column) * scale
                    top = y + row * scale
                    if left >= 0 and top >= 0:
                        image[top : top + scale, left : left + scale, :3] = color
