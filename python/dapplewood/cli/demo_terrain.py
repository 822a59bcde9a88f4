# SPDX-License-Identifier: MIT
"""The terrain of ``dapplewood demo``: three modes on one map, side by side."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import samples
from ..device import Device
from ..io import write_image
from ..terrain import Transition
from ..terrain_sheet import compare_coverage, terrain_sheet
from .console import Console

__all__ = ["PICTURE", "Compared", "draw_terrain", "show_terrain"]

PICTURE = "terrain.png"
_ZOOMS = 4.0, 16.0, 32.0
_CENTER = 89.0, 52.0  # texels: where leaves, moss, turf and the path meet
_CELL = 1 / 8
_WAYS = {
    "smooth": Transition("smooth"),
    "dithered": Transition("dithered", cell=_CELL),
    "priority": Transition(
        "priority", strength=0.4, cell=_CELL, min_weight=0.06, priorities=(0.0, 0.04, 0.08, 0.0)
    ),
}


@dataclass(frozen=True)
class Compared:
    """The picture, and how far what is chosen is from what is expected."""

    path: str
    worst: float  # of any material in any crisp mode, as a share of the map
    seconds: float

    def text(self) -> str:
        """A line for people."""
        return (
            f"drew a map by {', '.join(_WAYS)}: materials cover what is expected within "
            f"{100 * self.worst:.2f} points; {self.seconds:.1f} s"
        )

    def data(self) -> dict[str, Any]:
        """The same for programs."""
        return {"coverage_error": round(self.worst, 6), "seconds": round(self.seconds, 3)}


def draw_terrain(device: Device) -> tuple[np.ndarray, samples.TerrainMap]:
    """The sheet, and the map that it is of."""
    made = samples.terrain_map()
    sheet = terrain_sheet(
        made.base, made.details, made.weights, _WAYS, zooms=_ZOOMS, center=_CENTER,
        detail_scale=made.detail_scale, device=device,
    )  # fmt: skip
    return sheet, made


def show_terrain(console: Console, out: Path, device: Device) -> Compared:
    """Draws the sheet into a folder, which is there, and counts what materials cover."""
    begun = time.perf_counter()
    console.info("drawing a map of terrain")
    sheet, made = draw_terrain(device)
    write_image(out / PICTURE, sheet)
    errors = [
        np.abs(np.subtract(*compare_coverage(made.weights, way, device=device))).max()
        for name, way in _WAYS.items()
        if name != "smooth"
    ]
    return Compared(str(out / PICTURE), float(max(errors)), time.perf_counter() - begun)
