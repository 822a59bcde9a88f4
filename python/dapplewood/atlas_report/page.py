# SPDX-License-Identifier: MIT
"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

import base64
import html
import io
import os
from typing import TYPE_CHECKING

import numpy as np

from ..io import atomic_file
from ..io.files import write_all
from . import text

if TYPE_CHECKING:
    from .report import AtlasReport

__all__ = ["fragment", "write_page"]

_STYLE = """
.dw-report { color-scheme: light dark; --ink: #1d2329; --paper: #fbfbf9; --line: #d9dcd7;
  --faint: #667079; --good: #23753d; --bad: #b23a23; --card: #ffffff;
  color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif;
  max-width: 74rem; margin: 0 auto; padding: 1.5rem; }
@media (prefers-color-scheme: dark) { .dw-report { --ink: #e3e6e8; --paper: #16191c;
  --line: #343a40; --faint: #98a2ab; --good: #7fcf94; --bad: #ff9078; --card: #1e2226; } }
.dw-report h1 { font-size: 1.5rem; margin: 0 0 .2rem; }
.dw-report h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
.dw-report p { color: var(--faint); margin: .3rem 0 1rem; max-width: 46rem; }
.dw-report .scroll { overflow-x: auto; }
.dw-report table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.dw-report th, .dw-report td { padding: .25rem .7rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
.dw-report th { color: var(--faint); font-weight: 500; }
.dw-report thead th { border-bottom: 2px solid var(--line); }
.dw-report .facts th, .dw-report .facts td { text-align: left; white-space: normal; }
.dw-report tr.safe td { border-bottom: 2px dashed var(--good); }
.dw-report .good { color: var(--good); } .dw-report .bad { color: var(--bad); }
.dw-report img.plot { width: 100%; background: #fff; border-radius: 8px;
  border: 1px solid var(--line); }
.dw-report .tiles { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); }
.dw-report figure { margin: 0; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; padding: .6rem; }
.dw-report figure img { width: 100%; image-rendering: pixelated; }
.dw-report figcaption { font-size: .85rem; color: var(--faint); }
"""


def _png(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")


def _grade(value: float, good: float, bad: float) -> str:
    """A table cell's class: green where the size is small, red where it is large."""
    if np.isnan(value):
        return ""
    return " class=good" if abs(value) <= good else " class=bad" if abs(value) > bad else ""


def _cells(row: text.LevelRow) -> str:
    worst = text.figure(row.worst, sign=True, digits=1)
    tile = f" <small>(tile {row.tile})</small>" if row.tile >= 0 else ""
    return (
        f"<td{_grade(row.mean, 0.6, 2.0)}>{text.figure(row.mean)}</td>"
        f"<td{_grade(row.worst, 6.0, 6.0)}>{worst}{tile}</td>"
        f"<td{_grade(row.fringe, 0.3, 1.0)}>{text.figure(row.fringe, sign=True)}</td>"
    )


def _level_table(report: AtlasReport, cutoff: int) -> str:
    both = report.before is not None
    sides = ["before", "after"] if both else [""]
    group = "".join(f"<th colspan=3>{side}</th>" for side in sides)
    names = "<th>coverage error</th><th>worst tile</th><th>fringe</th>" * len(sides)
    body = []
    width, height = report.after.sizes[0]
    for level, (before, after) in enumerate(text.level_rows(report, cutoff)):
        safe = " class=safe" if level == report.levels_safe.bilinear else ""
        size = f"{max(1, width >> level)} x {max(1, height >> level)}"
        bleed = "-" if np.isnan(after.bleed) else f"{100 * after.bleed:.1f} %"
        body.append(
            f"<tr{safe}><td>{level}</td><td>{size}</td>{_cells(before) if before else ''}"
            f"{_cells(after)}<td{_grade(after.bleed, 0.0, 0.0)}>{bleed}</td>"
            f"<td>{text.figure(after.alpha)}</td></tr>"
        )
    return (
        "<div class=scroll><table><thead>"
        f"<tr><th></th><th></th>{group}<th></th><th></th></tr>"
        f"<tr><th>level</th><th>size</th>{names}<th>bleed</th><th>mean alpha</th></tr>"
        f"</thead><tbody>{''.join(body)}</tbody></table></div>"
    )


def _facts(rows: list[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><th>{html.escape(what)}</th><td>{html.escape(value)}</td></tr>"
        for what, value in rows
    )
    return f"<div class=scroll><table class=facts>{cells}</table></div>"


def _thumbnails(report: AtlasReport) -> str:
    if not report.thumbnails:
        return ""
    figures = "".join(
        f"<figure><img src='{_png(data)}' alt='{html.escape(caption)}'>"
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        for caption, data in report.thumbnails
    )
    return (
        "<h2>Worst tiles</h2><p>Texels that pass the alpha test, on grey, each tile at the level "
        f"where it is furthest off.</p><div class=tiles>{figures}</div>"
    )


def _plot(report: AtlasReport, required: bool) -> str:
    try:
        figure = report.plot()
    except ImportError:
        if required:
            raise
        return "<p>Plots need Matplotlib: pip install \"dapplewood[plot]\"</p>"
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return f"<img class=plot alt='plots of the report' src='{_png(buffer.getvalue())}'>"


def fragment(report: AtlasReport, plots_required: bool = False) -> str:
    """The report as HTML for a notebook or for the body of a page."""
    width, height = report.after.sizes[0]
    title = report.name or "Foliage atlas"
    tiles = "1 tile" if len(report.tiles) == 1 else f"{len(report.tiles)} tiles"
    tables = []
    for place, cutoff in enumerate(report.cutoffs):
        heading = f"Levels at cutoff {cutoff:g}" if len(report.cutoffs) > 1 else "Levels"
        tables.append(f"<h2>{heading}</h2>{_level_table(report, place)}")
    settings = [(name.replace("_", " "), str(value)) for name, value in report.settings.items()]
    notes = "".join(f"<p>Note: {html.escape(note)}</p>" for note in report.notes)
    light = "measured on an atlas of the same layout whose tiles share no light"
    tap = "the share of a bilinear tap that lies outside the tile"
    return (
        f"<style>{_STYLE}</style><div class=dw-report><h1>{html.escape(title)}</h1>"
        f"<p>{width} x {height} texels, {tiles}, gutter {report.gutter}, "
        f"{html.escape(report.color_space)}</p>{notes}"
        f"{_facts(text.summary(report))}<h2>Plots</h2>{_plot(report, plots_required)}"
        f"{''.join(tables)}"
        "<p>Coverage error and mean alpha in points, hundredths of a tile; fringe in 8-bit steps, "
        "negative is darker; bleed is foreign light at the edge of a card, "
        f"{light if report.bleed_kind == 'measured' else tap}. The dashed line is the last level "
        "that is safe for bilinear and trilinear sampling.</p>"
        f"{_thumbnails(report)}<h2>Settings</h2>{_facts(settings)}</div>"
    )


def write_page(report: AtlasReport, path: str | os.PathLike[str]) -> None:
    """See `AtlasReport.to_html`."""
    title = html.escape(report.name or "Foliage atlas")
    page = (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        f"<title>{title}</title><style>body {{ margin: 0; background: #fbfbf9; }} "
        "@media (prefers-color-scheme: dark) { body { background: #16191c; } }</style></head>"
        f"<body>{fragment(report, plots_required=True)}</body></html>\n"
    )
    with atomic_file(path) as file:
        write_all(file, page.encode("utf-8"))
