# SPDX-License-Identifier: MIT
"""Holds a report against limits, and says in words where it breaks them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .model import ChainReport

if TYPE_CHECKING:
    from .report import AtlasReport

__all__ = ["Judge", "coverage_errors"]

_EDGES = ("left", "top", "right", "bottom")


def _mean(values: np.ndarray) -> float:
    values = values[~np.isnan(values)]
    return float(values.mean()) if values.size else float("nan")


def coverage_errors(report: AtlasReport, chain: str, least_edge: int) -> tuple[float, float]:
    """Greatest mean of a level and greatest of any tile among the judged ones; NaN if none is."""
    error = np.abs(report.coverage_error(chain))
    error[~report.judged(chain, least_edge)] = np.nan
    means = [_mean(error[:, n, k]) for n in range(error.shape[1]) for k in range(error.shape[2])]
    means = [value for value in means if not np.isnan(value)]
    return (max(means), float(np.nanmax(error))) if means else (float("nan"), float("nan"))


@dataclasses.dataclass(frozen=True)
class Judge:
    """Lines of complaint about one chain; every limit is optional."""

    report: AtlasReport
    which: str
    least_edge: int
    least_texels: int

    @property
    def _chain(self) -> ChainReport:
        return self.report.chain(self.which)

    def _spread(
        self, error: np.ndarray, mean: float | None, worst: float | None, what: str
    ) -> Iterator[str]:
        """error: (tiles, levels), points."""
        error = np.where(self.report.judged(self.which, self.least_edge), error, np.nan)
        for level in range(error.shape[1]):
            here = np.abs(error[:, level])
            if np.isnan(here).all():
                continue
            if mean is not None and (found := _mean(here)) > mean:
                yield f"level {level}: mean {what} {found:.3f} points, at most {mean:g}"
            tile = int(np.nanargmax(here))
            if worst is not None and here[tile] > worst:
                yield (
                    f"tile {tile}, level {level} ({self.report.tile_edges[tile, level]} texels): "
                    f"{what} {error[tile, level]:+.3f} points, at most {worst:g}"
                )

    def coverage(self, mean: float | None, worst: float | None) -> Iterator[str]:
        """Complaints about bilinear coverage."""
        error = self.report.coverage_error(self.which)
        for place, cutoff in enumerate(self.report.cutoffs):
            yield from self._spread(
                error[..., place], mean, worst, f"coverage error at cutoff {cutoff:g}"
            )

    def alpha(self, mean: float | None, worst: float | None) -> Iterator[str]:
        """Complaints about mean alpha."""
        error = self.report.alpha_error(self.which)
        yield from self._spread(error, mean, worst, "mean alpha error")

    @property
    def _halved(self) -> np.ndarray:
        """(levels,) bool: whether every step down to a level halved an even size, or kept 1."""
        first = self._chain.sizes[0]
        steps = np.arange(self._chain.level_count)[:, None]
        most = np.floor(np.log2(first)).astype(int)
        return (self._chain.sizes << np.minimum(steps, most) == first).all(axis=1)

    def fringe(self, mean: float | None, signed: float | None) -> Iterator[str]:
        """Complaints about the colour of passing texels."""
        chain = self._chain
        for level in np.flatnonzero(chain.fringe_texels >= self.least_texels):
            if mean is not None and self._halved[level] and chain.fringe_mean[level] > mean:
                yield (
                    f"level {level}: mean fringe {chain.fringe_mean[level]:.3f} steps over "
                    f"{chain.fringe_texels[level]} texels, at most {mean:g}"
                )
            if signed is not None and abs(chain.fringe_signed[level]) > signed:
                yield (
                    f"level {level}: signed fringe {chain.fringe_signed[level]:+.3f} steps, at "
                    f"most {signed:g} either way"
                )

    def bleed(self, limit: float | None) -> Iterator[str]:
        """Complaints about foreign light through the safe level."""
        if limit is None:
            return
        chain = self._chain
        for level in range(min(chain.level_count, self.report.levels_safe.bilinear + 1)):
            for tile, edge in np.argwhere(chain.bleed[:, level] > limit):
                yield (
                    f"tile {tile}, level {level}: {100 * chain.bleed[tile, level, edge]:.3f} % "
                    f"foreign light on the {_EDGES[edge]} edge, at most {100 * limit:g} %"
                )
            for (tile,) in np.argwhere(chain.bleed_corner[:, level] > limit):
                yield (
                    f"tile {tile}, level {level}: {100 * chain.bleed_corner[tile, level]:.3f} % "
                    f"foreign light at a corner, at most {100 * limit:g} %"
                )
