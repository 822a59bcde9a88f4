# SPDX-License-Identifier: MIT
"""One picture of dither patterns: ranks, masks at several amounts, power spectra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bitmap_font import GLYPH_HEIGHT, draw_text, text_width
from .dither import discard_count
from .noise_spectrum import spectrum

__all__ = ["noise_sheet"]

_PAPER, _INK, _FAINT = (26, 29, 33), (232, 234, 236), (150, 156, 163)
_KEPT, _GONE = (214, 226, 196), (38, 50, 36)
_GAP, _TEXT = 12, 2
_LINE = GLYPH_HEIGHT * _TEXT + 8
_LEAST_SIDE = 64  # of what a spectrum is taken of
_GREATEST_POWER = 4.0  # in units of white noise: the brightest of the picture


def noise_sheet(
    patterns: Mapping[str, NDArray[np.uint16]],
    amounts: Sequence[float],
    *,
    side: int = 128,
    scale: int = 2,
    rule: str = "centred",
) -> NDArray[np.uint8]:
    """Draw patterns side by side.

    Parameters
    ----------
    patterns : mapping of str to (H, W) ndarray of uint16
        By name; ranks, a power of two of them or, of a hash, levels below 2^14.
    amounts : sequence of float
        A mask for each; dark pixels are discarded.
    side : int, optional
        Pixels of the pattern that are shown, along each axis.
    scale : int, optional
        Pixels of the picture to one of the pattern.
    rule : DitherRule or str, optional

    Returns
    -------
    (h, w, 3) ndarray of uint8
    """
    heads = ["ranks", *(f"{100 * amount:g} %" for amount in amounts), "power"]
    left = max(text_width(name, _TEXT) for name in patterns) + 2 * _GAP
    step = side * scale + _GAP
    size = (_LINE + _GAP + len(patterns) * (step + _LINE), left + len(heads) * step)
    image = np.full((*size, 3), _PAPER, np.uint8)
    for column, head in enumerate(heads):
        draw_text(image, head, left + column * step, _GAP // 2, _INK, _TEXT)
    for row, (name, ranks) in enumerate(patterns.items()):
        top = _LINE + _GAP + row * (step + _LINE)
        draw_text(image, name, _GAP, top, _INK, _TEXT)
        for column, panel in enumerate(_panels(ranks, amounts, side, rule)):
            large = panel.repeat(scale, 0).repeat(scale, 1)
            x = left + column * step
            image[top : top + len(large), x : x + len(large)] = large
        found = spectrum(ranks)
        text = f"low {found.low_frequency:.4f}  anisotropy {found.anisotropy_db:+.1f} dB"
        draw_text(image, text, left, top + side * scale + 6, _FAINT, _TEXT)
    return image


def _panels(
    ranks: NDArray[np.uint16], amounts: Sequence[float], side: int, rule: str
) -> list[NDArray[np.uint8]]:
    levels = 1 << int(ranks.max()).bit_length()
    tiled = _tiled(ranks, side)
    grey = ((tiled.astype(np.float64) + 0.5) / levels * 255).astype(np.uint8)
    panels = [np.repeat(grey[..., None], 3, 2)]
    for amount in amounts:
        gone = tiled < discard_count(amount, levels, rule=rule)
        panels.append(np.where(gone[..., None], _GONE, _KEPT).astype(np.uint8))
    return [*panels, _power(ranks, side)]


def _tiled(tile: ArrayLike, side: int) -> NDArray[np.uint16]:
    tile = np.asarray(tile)
    repeats = [-(-side // length) for length in tile.shape]
    return np.tile(tile, repeats)[:side, :side]


def _power(ranks: NDArray[np.uint16], side: int) -> NDArray[np.uint8]:
    """Power by frequency, 0 in the middle; square root, so that little shows."""
    length = max(len(ranks), min(side, _LEAST_SIDE))
    tiled = _tiled(ranks, length).astype(np.float64)
    power = np.abs(np.fft.fftshift(np.fft.fft2(tiled - tiled.mean()))) ** 2
    power /= tiled.var() * tiled.size
    light = np.sqrt(np.clip(power / _GREATEST_POWER, 0, 1))
    at = np.arange(side) * length // side
    grey = (light[at[:, None], at] * 255).astype(np.uint8)
    return np.repeat(grey[..., None], 3, 2)
