# SPDX-License-Identifier: MIT
"""The report as plots, by Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .text import shown_levels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .report import AtlasReport

__all__ = ["figure_of"]

_COLORS = {"before": "#c8752c", "after": "#2f8f4e"}
_NAMES = {"before": "before: box on codes", "after": "after"}
_SAFE = "#6b7683"


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'plots need Matplotlib, the extra "plot": pip install "dapplewood[plot]"'
        ) from error
    return Figure


def figure_of(report: AtlasReport) -> Figure:
    """See `AtlasReport.plot`. The figure belongs to no window and no pyplot state."""
    figure = _figure_class()(figsize=(11, 7.4), layout="constrained")
    axes = figure.subplots(2, 2)
    width, height = report.after.sizes[0]
    tiles = "1 tile" if len(report.tiles) == 1 else f"{len(report.tiles)} tiles"
    title = f"{width} x {height}, {tiles}, cutoff {report.cutoffs[0]:g}"
    figure.suptitle(f"{report.name}: {title}" if report.name else title, fontsize=12)
    _plot_error(axes[0, 0], report)
    _plot_distance(axes[0, 1], report)
    _plot_fringe(axes[1, 0], report)
    _plot_bleed(axes[1, 1], report)
    for each in axes.flat:
        each.grid(alpha=0.25, linewidth=0.6)
        each.spines[["top", "right"]].set_visible(False)
        if each.get_legend_handles_labels()[0]:
            each.legend(frameon=False, fontsize=8)
    return figure


def _chains(report: AtlasReport) -> list[str]:
    return ["before", "after"] if report.before is not None else ["after"]


def _name(report: AtlasReport, which: str) -> str:
    return _NAMES[which] if report.before is not None else "this chain"


def _level_axis(axes: Axes, report: AtlasReport) -> None:
    axes.set_xlabel("mip level")
    axes.set_xticks(range(shown_levels(report)))
    axes.set_xlim(-0.3, max(0, shown_levels(report) - 1) + 0.3)


def _safe_line(axes: Axes, report: AtlasReport) -> None:
    safe = report.levels_safe.bilinear
    if 0 <= safe < shown_levels(report) - 1:
        axes.axvline(safe, color=_SAFE, linewidth=1, linestyle="--", label="last safe level")


def _band(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Columns that hold a value; their mean, least and greatest."""
    full = ~np.isnan(values).all(axis=0)
    found = values[:, full]
    return (
        np.flatnonzero(full),
        np.nanmean(found, axis=0),
        np.nanmin(found, axis=0),
        np.nanmax(found, axis=0),
    )


def _last_judged(report: AtlasReport) -> int:
    """The last level shown at which some tile has 4 texels, 0 if none has."""
    wide = np.flatnonzero((report.tile_edges[:, : shown_levels(report)] >= 4).any(axis=0))
    return int(wide[-1]) if wide.size else 0


def _limit(axes: Axes, values: list[np.ndarray]) -> None:
    """Room for these values alone: what lies past the last judged level may leave the picture."""
    joined = np.concatenate([np.ravel(each) for each in values])
    joined = joined[~np.isnan(joined)]
    low, high = (min(joined.min(), -1.0), max(joined.max(), 1.0)) if joined.size else (-1.0, 1.0)
    room = 0.08 * (high - low)
    axes.set_ylim(low - room, high + room)


def _plot_error(axes: Axes, report: AtlasReport) -> None:
    for which in _chains(report):
        error = report.coverage_error(which)[..., 0]
        levels, mean, least, most = _band(error)
        color = _COLORS[which]
        axes.fill_between(levels, least, most, color=color, alpha=0.18, linewidth=0)
        axes.plot(levels, mean, color=color, marker="o", markersize=3.5, label=_name(report, which))
    axes.axhline(0, color="k", linewidth=0.6, alpha=0.6)
    narrow = np.flatnonzero((report.tile_edges < 4).all(axis=0))
    if narrow.size and narrow[0] < shown_levels(report):
        axes.axvspan(narrow[0] - 0.5, shown_levels(report), color=_SAFE, alpha=0.1, linewidth=0,
                     label="tiles under 4 texels")
    last = _last_judged(report)
    _limit(axes, [report.coverage_error(which)[:, : last + 1, 0] for which in _chains(report)])
    _level_axis(axes, report)
    axes.set_ylabel("points")
    axes.set_title("coverage error: mean of the tiles, band to the worst", fontsize=10)


def _plot_distance(axes: Axes, report: AtlasReport) -> None:
    shown = np.argsort(report.distances)
    near = shown[report.lods[shown] <= _last_judged(report)]
    shown = near if near.size > 1 else shown
    for which in _chains(report):
        error = report.distance_error(which)[..., 0]
        color = _COLORS[which]
        metres, error = report.distances[shown], error[:, shown]
        axes.fill_between(
            metres, error.min(axis=0), error.max(axis=0), color=color, alpha=0.18, linewidth=0
        )
        axes.plot(metres, error.mean(axis=0), color=color, label=_name(report, which))
    safe = report.levels_safe.bilinear
    scale = report.pixels_per_radian / report.texels_per_metre
    if 0 <= safe < shown_levels(report) - 1:
        axes.axvline(2.0**safe * scale, color=_SAFE, linewidth=1, linestyle="--",
                     label="last safe level")
    axes.axhline(0, color="k", linewidth=0.6, alpha=0.6)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:.0f}" if x >= 10 else f"{x:.2g}")
    axes.set_xlabel("metres")
    axes.set_ylabel("points")
    axes.set_title("coverage error of the card as drawn, trilinear", fontsize=10)


def _plot_fringe(axes: Axes, report: AtlasReport) -> None:
    for which in _chains(report):
        signed = report.chain(which).fringe_signed[: shown_levels(report)]
        levels = np.arange(len(signed))
        axes.plot(levels, signed, color=_COLORS[which], marker="o", markersize=3.5,
                  label=_name(report, which))
    axes.axhline(0, color="k", linewidth=0.6, alpha=0.6)
    _level_axis(axes, report)
    axes.set_ylabel("8-bit steps")
    axes.set_title("fringe: colour of visible texels, negative is darker", fontsize=10)


def _plot_bleed(axes: Axes, report: AtlasReport) -> None:
    # Both chains of one layout bleed much alike: the wider line stays visible under the other.
    for which, wide in zip(_chains(report), (3.5, 1.5), strict=False):
        bleed = report.chain(which).bleed[:, : shown_levels(report)].max(axis=2)
        levels, mean, _, most = _band(100 * bleed)
        color = _COLORS[which]
        axes.plot(levels, most, color=color, linewidth=wide, label=f"{_name(report, which)}, worst")
        axes.plot(levels, mean, color=color, linewidth=1, linestyle=":")
    _safe_line(axes, report)
    _level_axis(axes, report)
    axes.set_ylabel("% of the light" if report.bleed_kind == "measured" else "% of the tap")
    axes.set_ylim(bottom=-1)
    axes.set_title("bleeding from other tiles at a card's edge (dotted: mean)", fontsize=10)
