# SPDX-License-Identifier: MIT
"""Measures one mip chain: coverage, mean alpha, fringes, coverage against distance."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from .. import _core
from ..device import Device
from ..kinds import ColorSpace
from .layout import Layout
from .model import ChainReport, tidy

__all__ = ["Bench", "default_distances", "lods_at"]


def lods_at(
    distances: np.ndarray, texels_per_metre: float, pixels_per_radian: float
) -> np.ndarray:
    """Level of detail of a card seen head on; below 0 it is magnified."""
    return np.log2(distances * texels_per_metre / pixels_per_radian)


def default_distances(
    levels: int, texels_per_metre: float, pixels_per_radian: float
) -> np.ndarray:
    """Metres from level 0 to the level given, two to a level."""
    lods = np.arange(0, 2 * max(levels, 1) + 1) / 2
    return 2.0**lods * pixels_per_radian / texels_per_metre


def _overlap(begin: float, end: float) -> np.ndarray:
    """How much of each texel from floor(begin) on lies in [begin, end)."""
    texels = np.arange(math.floor(begin), math.ceil(end))
    return np.minimum(texels + 1, end) - np.maximum(texels, begin)


def mean_alpha(alpha: np.ndarray, areas: np.ndarray) -> np.ndarray:
    """(tiles,) float: mean of alpha over areas x0, y0, x1, y1, as a share of opaque."""
    most = float(np.iinfo(alpha.dtype).max)
    means = []
    for x0, y0, x1, y1 in areas.tolist():
        part = alpha[math.floor(y0) : math.ceil(y1), math.floor(x0) : math.ceil(x1)]
        total = _overlap(y0, y1) @ (part @ _overlap(x0, x1))
        means.append(total / ((x1 - x0) * (y1 - y0) * most))
    return np.array(means)


def _eight_bits(level: np.ndarray) -> np.ndarray:
    if level.dtype == np.uint8:
        return level
    return ((level.astype(np.uint32) + 128) // 257).astype(np.uint8)


@dataclasses.dataclass(frozen=True, eq=False)
class Bench:
    """What chains are measured against.

    Attributes
    ----------
    device : Device
        Whose threads work.
    layout : Layout
    source : (h, w, 4) uint8 or uint16
        What level 0 should be.
    color_space : str
    cutoffs : tuple of float
    lods : (distances,) float
    """

    device: Device
    layout: Layout
    source: np.ndarray
    color_space: str
    cutoffs: tuple[float, ...]
    lods: np.ndarray

    def chain(
        self,
        levels: Sequence[np.ndarray],
        averaged: Sequence[np.ndarray],
        bleed: tuple[np.ndarray, np.ndarray],
        reference: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> ChainReport:
        """Measures a chain.

        Parameters
        ----------
        levels : sequence of (h, w, 4) uint8 or uint16
        averaged : sequence of (h, w)
            Alpha for alpha to coverage.
        bleed : ((tiles, levels, 4), (tiles, levels)) float
            Along the edges and at the corners.
        reference : ((h, w), (h, w)), optional
            Alpha for the test and for alpha to coverage that every level should have; those of
            level 0 if None.
        """
        alphas = [level[..., 3] for level in levels]
        fringe = [self._fringe(number, level) for number, level in enumerate(levels)]
        tested, mean = (alphas[0], averaged[0]) if reference is None else reference
        columns = [np.array(column) for column in zip(*fringe, strict=True)]
        return ChainReport(
            sizes=np.array([level.shape[1::-1] for level in levels]),
            nbytes=sum(4 * alpha.size for alpha in alphas),
            coverage=tidy(self._coverage(alphas)),
            coverage_texel=tidy(self._texel_coverage(alphas)),
            mean_alpha=tidy(self._mean_alpha(averaged)),
            reference_coverage=tidy(self._coverage([tested])[:, 0]),
            reference_coverage_texel=tidy(self._texel_coverage([tested])[:, 0]),
            reference_alpha=tidy(self._mean_alpha([mean])[:, 0]),
            fringe_mean=tidy(columns[0]),
            fringe_signed=tidy(columns[1]),
            fringe_worst=tidy(columns[2]),
            fringe_texels=columns[3].astype(int),
            bleed=tidy(bleed[0][:, : len(levels)]),
            bleed_corner=tidy(bleed[1][:, : len(levels)]),
            distance_coverage=tidy(self._at_distances(alphas)),
        )

    def card_coverage(self, alpha: np.ndarray) -> np.ndarray:
        """(tiles, cutoffs) float: bilinear coverage of the cards without their gutters."""
        return tidy(_core.coverage(self.device, alpha, self.layout.content(0), self.cutoffs, True))

    def _coverage(self, alphas: Sequence[np.ndarray]) -> np.ndarray:
        out = np.full((len(self.layout), len(alphas), len(self.cutoffs)), np.nan)
        for level, alpha in enumerate(alphas):
            areas = self.layout.areas(level, gutters=False)
            alive = self.layout.tile_levels > level
            whole = (areas == np.floor(areas)).all(axis=1)
            out[alive & whole, level] = self._whole_texels(alpha, areas[alive & whole])
            out[alive & ~whole, level] = self._part_texels(alpha, areas[alive & ~whole])
        return out

    def _whole_texels(self, alpha: np.ndarray, areas: np.ndarray) -> np.ndarray:
        if not len(areas):
            return np.empty((0, len(self.cutoffs)))
        rects = areas.astype(np.int32)
        rects[:, 2:] -= rects[:, :2]
        return _core.coverage(self.device, alpha, rects, self.cutoffs, True)

    def _part_texels(self, alpha: np.ndarray, areas: np.ndarray) -> np.ndarray:
        if not len(areas):
            return np.empty((0, len(self.cutoffs)))
        return _core.coverage_trilinear(
            self.device, alpha, alpha, areas, areas, 0.0, self.cutoffs
        )

    def _texel_coverage(self, alphas: Sequence[np.ndarray]) -> np.ndarray:
        out = np.full((len(self.layout), len(alphas), len(self.cutoffs)), np.nan)
        for level, alpha in enumerate(alphas):
            alive = self.layout.alive(level)
            if len(alive):
                rects = self.layout.owned(level)
                out[alive, level] = _core.coverage(
                    self.device, alpha, rects, self.cutoffs, False
                )
        return out

    def _mean_alpha(self, alphas: Sequence[np.ndarray]) -> np.ndarray:
        out = np.full((len(self.layout), len(alphas)), np.nan)
        for level, alpha in enumerate(alphas):
            alive = self.layout.alive(level)
            out[alive, level] = mean_alpha(alpha, self.layout.areas(level, gutters=True)[alive])
        return out

    def _fringe(self, number: int, level: np.ndarray) -> tuple[float, float, float, int]:
        """Mean, signed mean, worst and texels; NaN where nothing passes."""
        alive = self.layout.alive(number)
        texels = 0
        if len(alive):
            mean, signed, worst, texels = _core.fringe(
                self.device,
                self.source,
                ColorSpace[self.color_space.upper()],
                _eight_bits(level),
                self.layout.content(0)[alive],
                self.layout.content(number),
                self.cutoffs[0],
            )
        return (mean, signed, worst, texels) if texels else (np.nan, np.nan, np.nan, 0)

    def _at_distances(self, alphas: Sequence[np.ndarray]) -> np.ndarray:
        out = np.empty((len(self.layout), len(self.lods), len(self.cutoffs)))
        last = len(alphas) - 1
        known: dict[float, np.ndarray] = {}
        for place, lod in enumerate(np.clip(self.lods, 0.0, last)):
            fine = int(lod)
            coarse = min(fine + 1, last)
            if lod not in known:
                known[lod] = _core.coverage_trilinear(
                    self.device,
                    alphas[fine],
                    alphas[coarse],
                    self.layout.areas(fine, gutters=False),
                    self.layout.areas(coarse, gutters=False),
                    float(lod) - fine,
                    self.cutoffs,
                )
            out[:, place] = known[lod]
        return out
