# SPDX-License-Identifier: MIT
"""The forest of ``dapplewood demo``: a sample glade, drawn without a window."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import Any

from .. import samples
from ..device import Device, default_vulkan_device
from ..errors import DeviceNotFound
from .console import Console

__all__ = ["PICTURE", "Drawn", "draw_forest"]

PICTURE = "forest.png"
_SIZE = 960, 540
_NO_DEVICE = "drawing needs a Vulkan device; `dapplewood doctor` tells how to get one"


@dataclasses.dataclass(frozen=True)
class Drawn:
    """What was drawn, and how long it took."""

    path: str
    device: str
    build_seconds: float
    frame_seconds: float
    trees: int
    depleted: int
    respawning: int
    stats: Any

    def text(self) -> str:
        """Two lines for people."""
        return (
            f"drew a glade of {self.trees} trees, {self.depleted} depleted and {self.respawning} "
            f"on their way back, in {1e3 * self.frame_seconds:.0f} ms on {self.device}:\n"
            f"  {self.stats.instances:,} instances and {self.stats.triangles:,} triangles in view, "
            f"{self.stats.draw_calls} draw calls; planted in {self.build_seconds:.1f} s"
        )

    def data(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "device": self.device,
            "build_seconds": round(self.build_seconds, 3),
            "frame_seconds": round(self.frame_seconds, 4),
            "trees": self.trees,
            "depleted": self.depleted,
            "respawning": self.respawning,
            "instances": self.stats.instances,
            "triangles": self.stats.triangles,
            "draw_calls": self.stats.draw_calls,
        }


def draw_forest(console: Console, out: Path, device: Device, *, is_chosen: bool) -> Drawn | None:
    """Draws the sample glade into a folder; says why when it cannot.

    Parameters
    ----------
    console : Console
    out : Path
        The folder, which is there.
    device : Device
        The one that the command runs on.
    is_chosen : bool
        The caller asked for that device. If not, and it is the native one, a software device
        draws.

    Returns
    -------
    Drawn or None
        None: no device can draw.
    """
    if device.info.kind == "native":
        if is_chosen:
            console.info(f"no {out / PICTURE}: {_NO_DEVICE}, the processor alone bakes")
            return None
        try:
            device = default_vulkan_device()
        except DeviceNotFound as error:
            console.warn(f"no {out / PICTURE}: {_NO_DEVICE} ({error})")
            return None
    return _drawn(console, out / PICTURE, device)


def _drawn(console: Console, path: Path, device: Device) -> Drawn:
    from ..renderer import Renderer

    console.info("planting a glade")
    begun = time.perf_counter()
    glade = samples.glade()
    build_seconds = time.perf_counter() - begun
    console.info("drawing it")
    begun = time.perf_counter()
    with Renderer(_SIZE, samples=4, cutout="a2c", device=device) as renderer:
        frame = renderer.render(glade.scene, glade.camera)
    frame_seconds = time.perf_counter() - begun
    frame.save(path)
    trees, depleted, respawning = (
        sum(map(len, groups.values()))
        for groups in (glade.trees, glade.depleted, glade.respawning)
    )
    glade.close()
    return Drawn(
        path=str(path),
        device=f"{device.info.name} ({device.info.driver})",
        build_seconds=build_seconds,
        frame_seconds=frame_seconds,
        trees=trees,
        depleted=depleted,
        respawning=respawning,
        stats=frame.stats,
    )
