# SPDX-License-Identifier: MIT
"""The proof of ``dapplewood demo``: what distance leaves of a card and of a tree, as drawn."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import samples
from ..device import Device, default_vulkan_device
from .console import Console

if TYPE_CHECKING:
    from ..coverage_distance import CoverageCurves
    from ..forest import Forest
    from ..mesh import Mesh

__all__ = ["NUMBERS", "PICTURE", "Measured", "measure_coverage_curves"]

PICTURE, NUMBERS = "coverage_vs_distance.png", "coverage_vs_distance.json"
_VIEW = 960, 540
_CARD_DISTANCES = (5, 7, 10, 14, 20, 28, 40, 56, 75, 90, 120, 160)
_TREE_DISTANCES = (5, 14, 40, 59, 61, 90, 119, 121, 160, 220, 300, 330, 370)
_SWITCHES, _FADE = (60, 90, 120), (300, 400)
_TITLES = ("One leaf card of an oak, seen up to 50° aslant",
           "A birch: LODs from 60 m, imposter from 120 m, fade from 300 m")


@dataclasses.dataclass(frozen=True)
class Measured:
    """The curves, the files that hold them, and how long it took."""

    files: list[str]
    card: CoverageCurves
    tree: CoverageCurves
    seconds: float

    def text(self) -> str:
        """Lines for people."""
        parts = [
            f"{name} {100 * share:.0f} %"
            for name, share in zip(self.card.cutouts, self.card.true_coverage[:, -1], strict=True)
        ]
        return (
            f"measured what distance leaves, on drawn pixels, in {self.seconds:.1f} s: of a card's "
            f"silhouette at {self.card.distances[-1]:g} m\n  {', '.join(parts)}"
        )

    def data(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "seconds": round(self.seconds, 3),
            "card": json.loads(self.card.to_json()),
            "tree": json.loads(self.tree.to_json()),
        }


def _card() -> Mesh:
    """A cluster of leaves that an oak's second LOD is dressed in, on a square metre."""
    from ..mesh import Mesh
    from ..samples._clusters import GUTTER

    leaves = samples.tree("oak", lod=1)[1]
    assert leaves.material.base_color_texture is not None
    inset = GUTTER / leaves.material.base_color_texture.shape[0]
    # The third tile of the 2 x 2, whole: cards of the tree are cut closer.
    u0, v0 = inset, 0.5 + inset
    u1, v1 = u0 + 0.5 - 2.0 * inset, v0 + 0.5 - 2.0 * inset
    return Mesh(
        np.array([[-0.5, 0, 0], [0.5, 0, 0], [0.5, 1, 0], [-0.5, 1, 0]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs=np.array([[u0, v1], [u1, v1], [u1, v0], [u0, v0]], np.float32),
        material=leaves.material,
    )


def _birch(device: Device) -> Forest:
    from ..forest import Forest
    from ..imposter import bake_imposter

    lods = samples.tree("birch")
    imposter = bake_imposter(lods[0], texels=64, device=device)
    return Forest([*lods, imposter], distances=_SWITCHES, fade=_FADE)


def measure_coverage_curves(console: Console, out: Path, device: Device) -> Measured:
    """Measures a card and a tree, and leaves the figure and its numbers in a folder.

    Parameters
    ----------
    console : Console
    out : Path
        The folder, which is there.
    device : Device
        A native one is replaced by one that draws.

    Returns
    -------
    Measured
    """
    from ..coverage_distance import coverage_against_distance

    console.info("measuring coverage against distance")
    if device.info.kind == "native":
        device = default_vulkan_device()
    begun = time.perf_counter()
    card = coverage_against_distance(
        _card(), _CARD_DISTANCES, size=_VIEW, temporal=4, pixels=1 << 17, device=device
    )
    with _birch(device) as forest:
        tree = coverage_against_distance(
            forest, _TREE_DISTANCES, size=_VIEW, temporal=2, directions=4, pixels=1 << 16,
            device=device,
        )  # fmt: skip
    measured = Measured([str(out / NUMBERS)], card, tree, time.perf_counter() - begun)
    text = json.dumps({name: value for name, value in measured.data().items() if name != "seconds"})
    (out / NUMBERS).write_text(text, encoding="utf-8")
    try:
        from ..coverage_plot import figure_of

        figure_of([card, tree], _TITLES).savefig(out / PICTURE, dpi=130)
        measured.files.insert(0, str(out / PICTURE))
    except ImportError as error:  # plots are an extra
        console.warn(f"no {out / PICTURE}: {error}")
    return measured
