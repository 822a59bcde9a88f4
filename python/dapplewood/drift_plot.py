# SPDX-License-Identifier: MIT
"""Drift over a clip as a figure, by Matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .drift_run import DriftRun

__all__ = ["draw_steps", "figure_of"]

# Okabe and Ito's colours, told apart by every eye.
_KEPT, _RULED, _FRESH, _SEED = "#D55E00", "#0072B2", "#8a929a", "#009E73"
_INK, _FADE = "#23282d", "#dfe4e8"


def figure_of(run: DriftRun) -> Figure:
    """Two panels: steps a ray, and the ratios. The figure belongs to no window."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            'plots need Matplotlib, the extra "plot": pip install "dapplewood[plot]"'
        ) from error
    figure = Figure(figsize=(8.6, 6.2), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.5, 1.0))
    draw_steps(upper, run)
    _draw_ratios(lower, run)
    lower.set_xlabel("time, seconds", color=_INK)
    names = ", ".join(name for name in (run.model, run.animation) if name)
    figure.suptitle(
        f"{names}: what a pose costs the rays", fontsize=13,
        fontweight="bold", color=_INK,
    )  # fmt: skip
    return figure


def draw_steps(axes: Axes, run: DriftRun) -> None:
    """Nodes visited by a ray, with the rule, without it and in fresh trees; rebuilds marked."""
    times = run.column("time")
    if np.isfinite(run.column("steps_kept")).all():
        # On top: it is the same line until a tree is rebuilt.
        axes.plot(times, run.column("steps_kept"), color=_KEPT, linewidth=1.4, linestyle="--",
                  zorder=3, label="refit alone")
        axes.plot(times, run.column("steps_fresh"), color=_FRESH, linewidth=1.4,
                  label="built anew at each frame")
    axes.plot(times, run.column("steps"), color=_RULED, linewidth=2.2,
              label="refit, rebuilt by drift")
    _mark(axes, run)
    axes.set_ylabel("nodes visited by a ray", color=_INK)
    axes.legend(frameon=False, fontsize=9, ncols=3, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    _tidy(axes)


def _draw_ratios(axes: Axes, run: DriftRun) -> None:
    times = run.column("time")
    axes.axhline(1.1, color=_FADE, linewidth=1.2)
    axes.plot(times, run.column("ratio"), color=_SEED, linewidth=1.6, linestyle="--", zorder=3,
              label="cost, over as built")
    axes.step(times, run.column("fresh_ratio"), color=_RULED, linewidth=1.6, where="post",
              label="cost, over a fresh tree's at the last probe")
    _mark(axes, run)
    axes.set_ylabel("drift ratio", color=_INK)
    axes.legend(frameon=False, fontsize=9, ncols=2, loc="lower left", bbox_to_anchor=(0.0, 1.0))
    _tidy(axes)


def _mark(axes: Axes, run: DriftRun) -> None:
    for time in run.column("time")[run.column("rebuilds") > 0]:
        axes.axvline(time, color=_RULED, linewidth=0.8, alpha=0.5, zorder=0)


def _tidy(axes: Any) -> None:
    axes.grid(axis="y", color=_FADE, linewidth=0.7)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=_INK, labelsize=9)
