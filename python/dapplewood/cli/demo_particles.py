# SPDX-License-Identifier: MIT
"""The particles of ``dapplewood demo``: a pond at dusk, and moments of fire, magic and water."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import samples
from ..bitmap_font import GLYPH_HEIGHT, draw_text, text_width
from ..device import Device
from ..io import write_image
from .console import Console
from .inputs import drawing_device

if TYPE_CHECKING:
    from ..samples import ParticleScene

__all__ = ["PICTURE", "STRIP", "Shown", "show_particles"]

PICTURE, STRIP = "particles.png", "particles_strip.png"
_SIZE = 960, 540
_TIME = 12.4  # seconds, of the picture
_CELL = 196  # pixels along a side of a moment
_MOMENTS = 6


def _moments(camera: str, step: float, count: int = _MOMENTS, name: str = "") -> list[Any]:
    return [
        (camera, _TIME + i * step, f"{name} {i * step:.2f} S".strip()) for i in range(count)
    ]


# Rows of the strip: title, and of each picture its camera, its moment and what stands over it.
_ROWS = (
    ("CAMP FIRE", _moments("fire", 0.08)),
    ("ALTAR", _moments("altar", 0.45)),
    ("FISHING", [one for kind in ("net", "bait", "fly")
                 for one in _moments(kind, 0.3, _MOMENTS // 3, kind.upper())]),
)  # fmt: skip
_PAPER, _INK, _FAINT = (21, 23, 30), (236, 226, 206), (150, 146, 138)
_MARGIN, _TITLE, _GAP = 12, 26, 4


@dataclasses.dataclass(frozen=True)
class Shown:
    """The two pictures, and how long they took."""

    paths: tuple[str, str]
    device: str
    emitters: int
    particles: int
    draw_calls: int
    build_seconds: float
    frame_seconds: float
    seconds: float

    def text(self) -> str:
        """Two lines for people."""
        return (
            f"drew a pond with {self.particles:,} particles of {self.emitters} emitters by "
            f"{self.draw_calls} draw calls, in {1e3 * self.frame_seconds:.0f} ms on "
            f"{self.device}:\n  built in {self.build_seconds:.1f} s; "
            f"{_MOMENTS * len(_ROWS)} moments of fire, magic and water; {self.seconds:.1f} s"
        )

    def data(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "device": self.device,
            "emitters": self.emitters,
            "particles": self.particles,
            "draw_calls": self.draw_calls,
            "build_seconds": round(self.build_seconds, 3),
            "frame_seconds": round(self.frame_seconds, 4),
            "seconds": round(self.seconds, 3),
        }


def show_particles(console: Console, out: Path, device: Device) -> Shown | None:
    """Draws the pond with its particles into a folder; says why when it cannot.

    Parameters
    ----------
    console : Console
    out : Path
        The folder, which is there.
    device : Device
        A native one is joined by one that draws.

    Returns
    -------
    Shown or None
        None: no device can draw.
    """
    drawing = drawing_device(console, out / PICTURE, device)
    if drawing is None:
        return None
    begun = time.perf_counter()
    console.info("filling a pond")
    made = samples.particle_scene(drawing)
    built = time.perf_counter()
    console.info("drawing it")
    draw_scene(made, drawing).save(out / PICTURE)
    drawn = time.perf_counter()
    stats = made.particles.stats()
    console.info("drawing an animation strip")
    write_image(out / STRIP, draw_strip(made, drawing))
    made.close()
    return Shown(
        paths=(str(out / PICTURE), str(out / STRIP)),
        device=drawing.info.name,
        emitters=stats.emitters,
        particles=stats.requested,
        draw_calls=stats.draw_calls,
        build_seconds=built - begun,
        frame_seconds=drawn - built,
        seconds=time.perf_counter() - begun,
    )


def draw_scene(made: ParticleScene, device: Device, *, seconds: float = _TIME) -> Any:
    """The frame of the whole scene at a moment."""
    from ..renderer import Renderer

    with Renderer(_SIZE, samples=4, cutout="a2c", device=device) as renderer:
        return made.render(renderer, seconds)


def draw_strip(made: ParticleScene, device: Device) -> np.ndarray:
    """Moments in rows, as an (h, w, 3) uint8 picture.

    The scene is left without its forests and without sun: what is near is in the shade of trees,
    which need not be drawn for that.
    """
    from ..renderer import Renderer

    made.scene.sun.color = (0.0, 0.0, 0.0)
    made.scene.sun.shadows = False
    kept = {"spruce", "spruce, reflected", "meadow", "reeds"}
    for name, forest in made.pond.forests.items():
        if name not in kept:
            made.scene.remove(forest)
    width = 2 * _MARGIN + _MOMENTS * _CELL + (_MOMENTS - 1) * _GAP
    height = 2 * _MARGIN + len(_ROWS) * (_TITLE + _CELL) + (len(_ROWS) - 1) * _MARGIN
    sheet = np.empty((height, width, 3), np.uint8)
    sheet[:] = _PAPER
    cameras = samples.close_ups(made.pond)
    with Renderer((_CELL, _CELL), samples=4, cutout="a2c", device=device) as renderer:
        for row, (title, moments) in enumerate(_ROWS):
            top = _MARGIN + row * (_TITLE + _CELL + _MARGIN)
            draw_text(sheet, title, _MARGIN, top + 2, _INK, 2)
            for column, (name, seconds, label) in enumerate(moments):
                left = _MARGIN + column * (_CELL + _GAP)
                frame = made.render(renderer, seconds, cameras[name])
                cell = sheet[top + _TITLE : top + _TITLE + _CELL, left : left + _CELL]
                cell[:] = frame.color[..., :3]
                x = left + _CELL - text_width(label)
                draw_text(sheet, label, x, top + _TITLE - GLYPH_HEIGHT - 4, _FAINT)
    return sheet
