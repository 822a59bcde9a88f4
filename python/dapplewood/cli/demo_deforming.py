# SPDX-License-Identifier: MIT
"""The character of ``dapplewood demo``: drawn, met by rays, and what its poses cost."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import samples
from ..device import Device
from .console import Console
from .inputs import drawing_device

if TYPE_CHECKING:
    from ..drift_run import DriftRun
    from ..model import Model
    from ..ray_image import TraceImage

__all__ = ["PICTURE", "Deformed", "show_deforming"]

PICTURE = "deforming.png"
_SIZE = 620, 620
_CLIP, _MOMENT = "curl", 0.72  # seconds: on its way down
_LEVEL = 6  # of the boxes shown
_FPS, _RAYS, _SAMPLE_EVERY = 30.0, 4096, 5
_FIELD = 0.42  # radians, of the pictures


@dataclasses.dataclass(frozen=True)
class Deformed:
    """The picture, the clip behind it, and how long it took."""

    path: str
    run: DriftRun
    interior: int
    different: int
    seconds: float

    def text(self) -> str:
        """Lines for people."""
        summary = self.run.summary()
        return (
            f"played {self.run.model}, {self.run.animation}, {summary['triangles']:,} triangles: "
            f"refit in {summary['refit_ms']:.2f} ms, {summary['rebuilds']} rebuilds; rays visit "
            f"{100 * summary['slowdown_mean'] - 100:.1f} % more nodes\n  than in trees built for "
            f"each pose, {100 * summary['slowdown_mean_if_never_rebuilt'] - 100:.1f} % without "
            f"rebuilds; rays and raster differ in {self.different} of {self.interior:,} pixels; "
            f"{self.seconds:.1f} s"
        )

    def data(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            **self.run.summary(),
            "interior_pixels": self.interior,
            "different_pixels": self.different,
            "seconds": round(self.seconds, 3),
        }


def show_deforming(console: Console, out: Path, device: Device) -> Deformed | None:
    """Draws and measures the sample character into a folder; says why when it cannot.

    Parameters
    ----------
    console : Console
    out : Path
        The folder, which is there.
    device : Device
        Trees live on it; a native one is joined by one that draws.

    Returns
    -------
    Deformed or None
        None: no device can draw, or Matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        console.warn(f'no {out / PICTURE}: it needs Matplotlib, pip install "dapplewood[plot]"')
        return None
    drawing = drawing_device(console, out / PICTURE, device)
    if drawing is None:
        return None
    from ..drift_run import play_drift

    begun = time.perf_counter()
    console.info("playing a character")
    model = samples.character()
    run = play_drift(
        model, _CLIP, fps=_FPS, rays=_RAYS, device=device, sample_every=_SAMPLE_EVERY
    )
    console.info("drawing it")
    raster, ids = _raster(model, drawing)
    image, rays = _rays(model, device)
    interior, different = _compare(ids, image)
    _compose(Figure, run, raster, rays).savefig(out / PICTURE, dpi=110)
    return Deformed(
        str(out / PICTURE), run, interior, different, time.perf_counter() - begun
    )


def _camera(model: Model) -> Any:
    from ..camera import Camera

    low, high = model.bounds
    size = high[1] - low[1]
    middle = np.array([0.0, 0.42 * size, 0.06 * size])
    return Camera(middle + size * np.array([1.0, 0.32, 2.4]), middle, fov_y=_FIELD)


def _raster(model: Model, device: Device) -> tuple[np.ndarray, np.ndarray]:
    """The picture of the renderer, and which pixels show the character's triangles."""
    from ..renderer import Renderer
    from ..scene import Scene

    scene = Scene()
    scene.sun.direction = (-0.5, 0.7, 0.55)
    scene.add(model, pose=model.pose(_CLIP, _MOMENT))
    scene.sky = None
    with Renderer(_SIZE, samples=4, cutout="a2c", device=device) as renderer:
        frame = renderer.render(scene, _camera(model))
    with Renderer(_SIZE, samples=1, device=device) as renderer:
        ids = renderer.render(_solid(model), _camera(model)).ids
    share = frame.color[..., 3:] / 255.0
    backdrop = np.linspace((236, 240, 242), (206, 214, 218), _SIZE[1])[:, None]
    return (frame.color[..., :3] * share + backdrop * (1.0 - share)).astype(np.uint8), ids


def _solid(model: Model) -> Any:
    """The character without holes in its leaves, as rays meet its triangles."""
    from ..materials import Material
    from ..scene import Scene

    scene = Scene()
    scene.sky, scene.sun.shadows = None, False
    for mesh, matrix in model.static_meshes(pose=model.pose(_CLIP, _MOMENT)):
        scene.add(mesh.replace(material=Material(double_sided=True)), matrix)
    return scene


def _rays(model: Model, device: Device) -> tuple[TraceImage, np.ndarray]:
    """What rays meet in the refit trees, and its picture with boxes of one level."""
    from ..model_trees import ModelTrees
    from ..overlay import draw_boxes
    from ..ray_image import trace_image
    from ..trees import SceneTrees

    with SceneTrees(device) as trees, ModelTrees(trees, model) as placed:
        trees.update()
        placed.set_pose(model.pose(_CLIP, _MOMENT))
        trees.update()
        image = trace_image(trees, _camera(model), size=_SIZE)
        picture = image.picture()[..., :3]
        for mesh in dict.fromkeys(placed.meshes):
            picture = draw_boxes(
                picture, _camera(model), trees.boxes(mesh, _LEVEL), depth=image.depth, opacity=0.6
            )
    return image, picture


def _compare(ids: np.ndarray, image: TraceImage) -> tuple[int, int]:
    """Pixels away from outlines, and those of them where one shows something and the other not."""
    drawn, met = ids > 0, image.instance >= 0
    inside = np.ones(drawn.shape, bool)
    for shift in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        for one in (drawn, met):
            inside &= np.roll(one, shift, axis=(0, 1)) == one
    return int(inside.sum()), int((drawn != met)[inside].sum())


def _compose(figure_type: Any, run: DriftRun, raster: np.ndarray, rays: np.ndarray) -> Any:
    """Two pictures over the plot."""
    from ..drift_plot import draw_steps

    figure = figure_type(figsize=(11.6, 9.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(2.0, 1.0))
    titles = (
        f"drawn by the renderer, at {_MOMENT:g} s of “{_CLIP}”",
        f"met by rays in refit trees, boxes of level {_LEVEL}",
    )
    for column, (picture, title) in enumerate(zip((raster, rays), titles, strict=True)):
        axes = figure.add_subplot(grid[0, column])
        axes.imshow(picture, interpolation="none")
        axes.set_title(title, loc="left", fontsize=11, color="#23282d")
        axes.set_axis_off()
    axes = figure.add_subplot(grid[1, :])
    draw_steps(axes, run)
    axes.set_xlabel("seconds of the clip", color="#23282d")
    figure.suptitle(
        "A mesh that deforms: its tree is refit to every pose, and built anew when rays get dear",
        fontsize=13.5, fontweight="bold", color="#23282d",
    )  # fmt: skip
    return figure
