# SPDX-License-Identifier: MIT
"""Draws the pictures of the README.

    .venv/bin/python docs/draw.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import dapplewood as dw
import numpy as np
import OpenImageIO as oiio
from dapplewood.cli.console import Console
from dapplewood.cli.demo_coverage import measure_coverage_curves
from dapplewood.cli.demo_deforming import show_deforming
from dapplewood.cli.demo_particles import draw_scene, draw_strip
from dapplewood.cli.demo_terrain import draw_terrain
from dapplewood.device import default_vulkan_device
from dapplewood.io import write_image

HERE = Path(__file__).parent


def levels() -> None:
    """Two plants of an atlas, level by level."""
    image, tiles = dw.samples.foliage_atlas(2048, 4, 4, gutter=8)
    baked = dw.bake_atlas(image, tiles=tiles, device=dw.Device("cpu"))
    names = dw.samples.species()
    sheet = dw.contact_sheet(
        dw.baseline.naive_levels(image),
        baked.levels,
        tiles=tiles,
        pick=[names.index("daisy"), names.index("bare")],
        levels=(0, 2, 3, 4, 5, 6),
        card=96,
    )
    write_image(HERE / "levels.png", sheet[..., :3], compression=9)


def coverage() -> None:
    """What distance leaves of a card and of a tree, as `dapplewood demo` measures it."""
    with tempfile.TemporaryDirectory() as folder:
        device = default_vulkan_device()
        measured = measure_coverage_curves(Console("draw"), Path(folder), device)
        print(measured.card.table("true"), measured.tree.table("true"), sep="\n")
        shutil.copy(measured.files[0], HERE)


def forest() -> None:
    """The sample glade; a JPEG, since dithered pixels make large PNGs."""
    glade = dw.samples.glade()
    with dw.Renderer((960, 540), samples=4, cutout="a2c") as renderer:
        frame = renderer.render(glade.scene, glade.camera)
    write_jpeg(oiio.ImageBuf(np.ascontiguousarray(frame.color[..., :3])), "forest.jpg", 90)


def deforming() -> None:
    """The sample character by raster and by rays, as `dapplewood demo` shows it."""
    with tempfile.TemporaryDirectory() as folder:
        shown = show_deforming(Console("draw"), Path(folder), dw.Device("cpu"))
        assert shown is not None
        print(shown.text())
        write_jpeg(oiio.ImageBuf(shown.path), "deforming.jpg", 88)


def particles() -> None:
    """The pond with its particles, and moments of fire, magic and water, as the demo shows them."""
    device = default_vulkan_device()
    made = dw.samples.particle_scene(device)
    pixels = np.ascontiguousarray(draw_scene(made, device).color[..., :3])
    write_jpeg(oiio.ImageBuf(pixels), "particles.jpg", 90)
    write_jpeg(oiio.ImageBuf(draw_strip(made, device)), "particles_strip.jpg", 88)


def write_jpeg(image: oiio.ImageBuf, name: str, quality: int) -> None:
    """A picture of so many percent."""
    image.specmod()["Compression"] = f"jpeg:{quality}"
    if not image.write(str(HERE / name)):
        raise OSError(image.geterror())


def main() -> None:
    levels()
    forest()
    coverage()
    deforming()
    particles()
    terrain()


def terrain() -> None:
    """Three ways to choose a map's materials, as the demo shows them."""
    write_jpeg(oiio.ImageBuf(draw_terrain(dw.Device("cpu"))[0]), "terrain.jpg", 88)


if __name__ == "__main__":
    main()
