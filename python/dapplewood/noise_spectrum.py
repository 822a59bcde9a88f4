# SPDX-License-Identifier: MIT
"""How a dither pattern looks to the eye: its power by frequency and by direction."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Spectrum", "spectrum"]

_LOW = 1 / 8  # cycles a pixel: what blends into large blotches at reading distance
_RINGS = 15
_LEAST_SIDE = 64  # smaller tiles are repeated, as they are on a screen


@dataclasses.dataclass(frozen=True, eq=False)
class Spectrum:
    """Power spectrum of a pattern, in units of white noise of the same variance.

    Attributes
    ----------
    low_frequency : float
        Mean power below 1/8 cycle a pixel, without the mean itself. White noise: 1.
    anisotropy_db : float
        10 log10(variance / mean^2) of the power within a ring of frequencies, mean over the rings
        that have power: how much some directions stand out. White noise: 0.
    radial : (15,) ndarray of float64
        Mean power by ring.
    frequencies : (15,) ndarray of float64
        Middle of each ring in cycles a pixel, up to 1/2.
    """

    low_frequency: float
    anisotropy_db: float
    radial: NDArray[np.float64]
    frequencies: NDArray[np.float64]

    def to_dict(self) -> dict[str, Any]:
        """Give plain numbers and lists, for JSON."""
        return {
            "low_frequency": self.low_frequency,
            "anisotropy_db": self.anisotropy_db,
            "radial": self.radial.tolist(),
            "frequencies": self.frequencies.tolist(),
        }

    def plot(self) -> Figure:
        """Draw power against frequency; needs the extra "plot", Matplotlib."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise ImportError(
                'plots need Matplotlib, the extra "plot": pip install "dapplewood[plot]"'
            ) from error
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.plot(self.frequencies, self.radial, color="#2f6f9f", marker="o", markersize=3)
        axes.axhline(1.0, color="#888888", linewidth=0.8, linestyle="--", label="white noise")
        axes.axvspan(0, _LOW, color="#2f6f9f", alpha=0.1, label="below 1/8 cycle a pixel")
        axes.set_xlabel("cycles a pixel")
        axes.set_ylabel("power")
        axes.set_xlim(0, 0.5)
        axes.set_ylim(bottom=0)
        axes.set_title(self._caption(), fontsize=10)
        axes.legend(frameon=False, fontsize=8)
        return figure

    def _caption(self) -> str:
        return f"low frequencies {self.low_frequency:.4f}, anisotropy {self.anisotropy_db:+.2f} dB"

    def _repr_html_(self) -> str:
        width, height, top = 360, 140, max(2.0, float(self.radial.max()) * 1.05)
        points = " ".join(
            f"{40 + f * 2 * (width - 50):.1f},{height - 20 - p / top * (height - 30):.1f}"
            for f, p in zip(self.frequencies, self.radial, strict=True)
        )
        white = height - 20 - (height - 30) / top
        low = 40 + _LOW * 2 * (width - 50)
        return (
            f"<figure><svg width='{width}' height='{height}' font-size='10' fill='#777'>"
            f"<rect x='40' y='10' width='{low - 40:.1f}' height='{height - 30}' fill='#2f6f9f' "
            "fill-opacity='0.12'/>"
            f"<line x1='40' x2='{width - 10}' y1='{white:.1f}' y2='{white:.1f}' stroke='#888' "
            "stroke-dasharray='4'/>"
            f"<text x='4' y='{white + 3:.1f}'>white</text><text x='40' y='{height - 6}'>0</text>"
            f"<text x='{width - 90}' y='{height - 6}'>1/2 cycle a pixel</text>"
            f"<polyline points='{points}' fill='none' stroke='#2f6f9f' stroke-width='2'/></svg>"
            f"<figcaption>{self._caption()}</figcaption></figure>"
        )


def spectrum(ranks: ArrayLike) -> Spectrum:
    """Measure a pattern, or a mask made from one.

    Parameters
    ----------
    ranks : (H, W) array_like
        Ranks, a mask of bools, or any numbers; one tile. A tile of fewer than 64 pixels a side is
        repeated, as it is on a screen.

    Returns
    -------
    Spectrum
        Blue noise has next to no power at low frequencies (at most 0.001 for ranks) and no
        direction (within 1.5 dB); white noise has power 1 everywhere.

    Raises
    ------
    ValueError
        Not two dimensions, or all numbers equal.
    """
    tile = np.asarray(ranks, dtype=np.float64)
    if tile.ndim != 2 or tile.size == 0:
        raise ValueError(f"ranks must have shape (height, width), got {tile.shape}")
    if not np.isfinite(tile).all() or tile.min() == tile.max():
        raise ValueError("ranks must be finite and not all alike: there is nothing to measure")
    repeats = [-(-_LEAST_SIDE // side) for side in tile.shape]
    tile = np.tile(tile, repeats)
    power = np.abs(np.fft.rfft2(tile - tile.mean())) ** 2 / (tile.var() * tile.size)
    y = np.fft.fftfreq(tile.shape[0])[:, None]
    x = np.fft.rfftfreq(tile.shape[1])[None, :]
    frequency = np.hypot(x, y)
    once = _half_plane(power.shape, tile.shape)
    low = once & (frequency > 0) & (frequency < _LOW)
    edges = np.linspace(0, 0.5, _RINGS + 1)
    rings = [power[once & (frequency > a) & (frequency <= b)] for a, b in zip(edges, edges[1:])]
    return Spectrum(
        low_frequency=float(power[low].mean()),
        anisotropy_db=_anisotropy(rings),
        radial=np.array([ring.mean() if ring.size else 0.0 for ring in rings]),
        frequencies=(edges[1:] + edges[:-1]) / 2,
    )


def _half_plane(shape: tuple[int, ...], tile: tuple[int, ...]) -> NDArray[np.bool_]:
    """True once for each pair of opposite frequencies, whose powers are equal."""
    once = np.ones(shape, dtype=bool)
    lone = [0, *([shape[1] - 1] if tile[1] % 2 == 0 else [])]
    once[tile[0] // 2 + 1 :, lone] = False
    return once


def _anisotropy(rings: list[NDArray[np.float64]]) -> float:
    levels = []
    for ring in rings:
        if ring.size < 3 or ring.mean() < 1e-12:
            continue
        ratio = ring.var(ddof=1) / ring.mean() ** 2
        levels.append(10 * np.log10(max(ratio, 1e-12)))
    return float(np.mean(levels)) if levels else 0.0
