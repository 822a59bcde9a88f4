# SPDX-License-Identifier: MIT
"""Coverage against distance as a figure, by Matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .coverage_distance import CoverageCurves

__all__ = ["figure_of"]

# Okabe and Ito's colours, told apart by every eye; markers and dashes for print.
_LOOKS = {
    "naive": ("#D55E00", "s", "-"),
    "test": ("#009E73", "o", "-"),
    "a2c": ("#0072B2", "^", "--"),
    "dither": ("#CC79A7", "D", ":"),
}
_INK, _QUIET, _FADE = "#23282d", "#8a929a", "#dfe4e8"


def _new_figure(columns: int) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'plots need Matplotlib, the extra "plot": pip install "dapplewood[plot]"'
        ) from error
    return Figure(figsize=(2.2 + 5.4 * columns, 5.2), layout="constrained")


def figure_of(curves: CoverageCurves | Sequence[CoverageCurves], titles: Any = None) -> Figure:
    """One panel for each set of curves. The figure belongs to no window and no pyplot state.

    Parameters
    ----------
    curves : CoverageCurves or sequence of them
    titles : sequence of str, optional
        Of the panels.
    """
    sets = list(curves) if isinstance(curves, (list, tuple)) else [curves]
    figure = _new_figure(len(sets))
    panels = np.atleast_1d(figure.subplots(1, len(sets), sharey=True))
    low = min(100.0 * one.coverage.min() for one in sets)
    high = max(100.0 * one.coverage.max() for one in sets)
    for i, (axes, one) in enumerate(zip(panels, sets, strict=True)):
        _draw(axes, one)
        room = 0.06 * max(high - low, 10.0)
        axes.set_ylim(low - room, high + room)
        axes.set_title(titles[i] if titles else "", loc="left", fontsize=10.5, color=_INK)
        _label_ends(axes, one)
    panels[0].set_ylabel("covered area, % of that at the first distance", color=_INK)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False,
                  fontsize=9)
    figure.suptitle("What is left of foliage with distance, counted on rendered pixels",
                    fontsize=13, fontweight="bold", color=_INK)
    return figure


def _draw(axes: Axes, curves: CoverageCurves) -> None:
    from .coverage_distance import CURVES

    metres = curves.distances
    axes.set_xscale("log")
    if curves.fade is not None and metres[-1] > curves.fade[0]:
        axes.axvspan(curves.fade[0], min(curves.fade[1], metres[-1]), color=_FADE, zorder=0)
    for switch in curves.switches:
        if metres[0] < switch < metres[-1]:
            axes.axvline(switch, color=_QUIET, linewidth=0.8, linestyle=(0, (2, 3)), zorder=1)
    axes.plot(metres, 100.0 * curves.expected / curves.expected[0], color=_QUIET, linewidth=1.2,
              zorder=1, label="silhouette")
    for i, name in enumerate(curves.cutouts):
        color, marker, dashes = _LOOKS[name]
        share, error = 100.0 * curves.coverage[i], 100.0 * curves.coverage_error[i]
        axes.fill_between(metres, share - 2.0 * error, share + 2.0 * error, color=color, alpha=0.2,
                          linewidth=0)
        axes.plot(metres, share, color=color, marker=marker, markersize=4.5, linestyle=dashes,
                  linewidth=2.0, label=f"{name}: {CURVES[name]}", zorder=3)
    ticks = [tick for tick in (5, 10, 20, 40, 90, 200, 400, 1000, 2000) if
             0.99 * metres[0] <= tick <= 1.01 * metres[-1]]
    axes.set_xticks(ticks, [f"{tick} m" for tick in ticks], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlim(metres[0] / 1.05, metres[-1] * (metres[-1] / metres[0]) ** 0.16)
    scale = curves.settings["pixels_per_radian"]
    axes.set_xlabel(f"distance, in a view of {scale:.0f} pixels a radian", color=_INK, fontsize=9)
    axes.grid(axis="y", color=_FADE, linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=_INK, labelsize=9)


def _label_ends(axes: Axes, curves: CoverageCurves) -> None:
    """Each curve's name and its last value before the fade, moved apart where they overlap."""
    whole = np.flatnonzero(curves.expected == curves.expected[0])[-1]
    low, high = axes.get_ylim()
    gap = 0.05 * (high - low)
    ends = sorted((100.0 * curves.coverage[i, whole], i) for i in range(len(curves.cutouts)))
    places: list[float] = []
    for value, _ in ends:
        places.append(max(value, places[-1] + gap) if places else value)
    drop = max(0.0, places[-1] - (high - 0.5 * gap))
    for (value, i), place in zip(ends, places, strict=True):
        name = curves.cutouts[i]
        axes.annotate(
            f"{name} {value:.0f}", (curves.distances[-1], place - drop), xytext=(7, 0),
            textcoords="offset points", color=_LOOKS[name][0], fontsize=9, fontweight="bold",
            va="center", annotation_clip=False,
        )  # fmt: skip
