# SPDX-License-Identifier: MIT
"""The report as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .model import ChainReport

if TYPE_CHECKING:
    from .report import AtlasReport

__all__ = ["LevelRow", "bytes_text", "figure", "level_rows", "safe_text", "summary", "table"]


def figure(value: float, sign: bool = False, digits: int = 2) -> str:
    """A number in few characters; a dash for NaN."""
    if np.isnan(value):
        return "-"
    return f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"


def bytes_text(count: int) -> str:
    """Bytes in the unit that suits them."""
    if count < 10_000:
        return f"{count} bytes"
    return f"{count / 1e3:.0f} kB" if count < 1e6 else f"{count / 1e6:.1f} MB"


class LevelRow:
    """The figures of one level of one chain: NaN where there is none.

    Attributes
    ----------
    mean, worst : float
        Coverage error, points: mean of its size, and the worst tile with its sign.
    tile : int
        The worst tile, -1 if none is left.
    fringe, alpha, bleed : float
        Signed fringe, 8-bit steps; mean size of the mean alpha error, points; greatest share of
        foreign light on an edge.
    """

    def __init__(self, report: AtlasReport, which: str, level: int, cutoff: int) -> None:
        self.mean = self.worst = self.fringe = self.fringe_mean = np.nan
        self.alpha = self.bleed = np.nan
        self.tile = -1
        chain = report.after if which == "after" else report.before
        if chain is None or level >= chain.level_count:
            return
        self.fringe, self.fringe_mean = chain.fringe_signed[level], chain.fringe_mean[level]
        self._fill(report, chain, which, level, cutoff)

    def _fill(
        self, report: AtlasReport, chain: ChainReport, which: str, level: int, cutoff: int
    ) -> None:
        error = report.coverage_error(which)[:, level, cutoff]
        if np.isnan(error).all():
            return
        self.tile = int(np.nanargmax(np.abs(error)))
        self.mean, self.worst = float(np.nanmean(np.abs(error))), float(error[self.tile])
        self.alpha = float(np.nanmean(np.abs(report.alpha_error(which)[:, level])))
        self.bleed = float(np.nanmax(chain.bleed[:, level]))


def shown_levels(report: AtlasReport) -> int:
    """Levels of the longer chain at which some tile is left."""
    longest = max(chain.level_count for chain in (report.after, report.before) if chain)
    return min(longest, int((report.tile_edges > 0).any(axis=0).sum()))


def level_rows(report: AtlasReport, cutoff: int = 0) -> list[tuple[LevelRow | None, LevelRow]]:
    """(before or None, after) for each level that shows a tile."""
    return [
        (
            LevelRow(report, "before", level, cutoff) if report.before else None,
            LevelRow(report, "after", level, cutoff),
        )
        for level in range(shown_levels(report))
    ]


def safe_text(report: AtlasReport) -> str:
    """The last safe levels in words."""

    def level(value: int) -> str:
        return f"level {value}" if value >= 0 else "no level"

    safe = report.levels_safe
    return (
        f"{level(safe.bilinear)} (bilinear), {level(safe.one_texel)} (one texel to spare), "
        f"{level(safe.anisotropic_8x)} (8x anisotropic)"
    )


def _memory(report: AtlasReport) -> str:
    found = report.memory_bytes
    kinds = [key for key in ("source", "levels", "alpha_to_coverage") if key in found]
    return ", ".join(f"{bytes_text(found[key])} {key.replace('_', ' ')}" for key in kinds)


def summary(report: AtlasReport) -> list[tuple[str, str]]:
    """Facts beside the table, as (what, value)."""
    mean, worst = report.coverage_errors()
    found = f"{figure(mean)} points mean, {figure(worst)} worst (tiles of 4 texels and more)"
    rows = [
        ("coverage error", found),
        ("safe through", safe_text(report)),
        ("memory", _memory(report)),
    ]
    if report.before is not None:
        mean, worst = report.coverage_errors("before")
        before = f"{figure(mean)} points mean, {figure(worst)} worst"
        rows.insert(0, ("coverage error before", before))
    if report.gains.size and not np.isnan(report.gains).all():
        tile, level = np.unravel_index(np.nanargmax(report.gains), report.gains.shape)
        capped = f"; {len(report.gains_capped)} met the limit" if len(report.gains_capped) else ""
        steepest = f"{report.gains[tile, level]:.2f} (tile {tile}, level {level}){capped}"
        rows.append(("steepest remap", steepest))
    if report.device:
        parts = [report.device.get(key, "") for key in ("name", "kind", "driver")]
        rows.append(("device", ", ".join(filter(None, parts))))
    return rows


def _heading(report: AtlasReport) -> str:
    width, height = report.after.sizes[0]
    tiles = "1 tile" if len(report.tiles) == 1 else f"{len(report.tiles)} tiles"
    cutoffs = ", ".join(f"{cutoff:g}" for cutoff in report.cutoffs)
    parts = [report.name, f"{width} x {height}", tiles, f"gutter {report.gutter}"]
    return ", ".join([part for part in parts if part] + [f"cutoff {cutoffs}", report.color_space])


def _row(report: AtlasReport, level: int, before: LevelRow | None, after: LevelRow) -> str:
    width, height = report.after.sizes[0]
    size = f"{max(1, width >> level)}x{max(1, height >> level)}"
    sides = []
    for row in (before, after):
        if row is not None:
            tile = f"({figure(row.worst, sign=True, digits=1)})" if row.tile >= 0 else ""
            sides.append(f"{figure(row.mean):>7} {tile:>8}")
    fringes = [f"{figure(row.fringe, sign=True):>8}" for row in (before, after) if row]
    bleed = "-" if np.isnan(after.bleed) else f"{100 * after.bleed:.1f} %"
    marks = " <- last safe level" if level == report.levels_safe.bilinear else ""
    return (
        f"{level:>5} {size:>12} {' '.join(sides)} {' '.join(fringes)} {bleed:>8} "
        f"{figure(after.alpha):>6}{marks}"
    )


def table(report: AtlasReport) -> str:
    """Lines for a terminal: one a level, then the facts."""
    lines = [_heading(report), ""]
    both = report.before is not None
    sides = "  error before    error after    " if both else "  error          "
    fringes = "fringe before after" if both else "  fringe"
    lines.append(f"level         size {sides} {fringes}    bleed    a2c")
    for level, (before, after) in enumerate(level_rows(report)):
        lines.append(_row(report, level, before, after))
    lines += [
        "",
        "error: points of bilinear coverage, mean of the tiles (worst tile); fringe: signed, 8-bit",
        "steps; bleed: foreign light at a card's edge; a2c: points of mean alpha",
        "",
    ]
    facts = summary(report)
    wide = max(len(what) for what, _ in facts)
    lines += [f"{what:<{wide}}  {value}" for what, value in facts]
    lines += [f"note: {note}" for note in report.notes]
    return "\n".join(lines)
