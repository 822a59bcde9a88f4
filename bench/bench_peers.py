# SPDX-License-Identifier: MIT
"""Bakes one foliage atlas with several tools and measures what each of them makes of it.

    .venv/bin/python bench/bench_peers.py [--repeats 5] [--size 4096] [--grid 8] > peers.csv

Every tool reads the same PNG and writes a file with its own mips, uncompressed. Wall and processor
time are those of the whole command, start of the process included; the median of the repeats, tools
in turns. Coverage is judged as a GPU samples, tile by tile, at cutoff 0.5; the fringe is the colour
error of the texels that pass, in 8-bit steps. Tools that are not installed are left out; Debian has
them as imagemagick and libnvtt-bin, OpenImageIO comes with the package, Pillow with Matplotlib.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import OpenImageIO as oiio
from dapplewood import samples
from dapplewood.atlas_report import AtlasReport
from dapplewood.io import Texture, read_texture, unpremultiply, write_image

GUTTER = 8
LEVELS = (3, 5)

NUMPY = """
import sys
from dapplewood.baseline import naive_levels
from dapplewood.io import read_image, write_dds
write_dds(sys.argv[2], naive_levels(read_image(sys.argv[1]).array))
"""

PILLOW = """
import sys
from PIL import Image
image, level = Image.open(sys.argv[1]), 0
while True:
    image.save(sys.argv[2].replace("mip0", f"mip{level}"), compress_level=1)
    if max(image.size) == 1:
        break
    image, level = image.reduce(2), level + 1
"""


@dataclass
class Tool:
    """A command that makes a mip chain of a PNG.

    Attributes
    ----------
    name : str
    words : list of str
        With "{source}" and "{target}" among them.
    target : str
        Name of the file that it makes.
    read : callable
        From the path of that file to a Texture.
    """

    name: str
    words: list[str]
    target: str
    read: Callable[[Path], Texture] = read_texture

    def command(self, source: Path, folder: Path) -> list[str]:
        places = {"{source}": str(source), "{target}": str(folder / self.target)}
        return [places.get(word, word) for word in self.words]


def read_tiled(path: Path) -> Texture:
    """The levels of a texture of OpenImageIO: associated alpha, on the codes as they are."""
    levels, source = [], oiio.ImageInput.open(str(path))
    while source.seek_subimage(0, len(levels)):
        pixels = source.read_image(0, len(levels), 0, 4, "uint8")
        levels.append(unpremultiply(np.ascontiguousarray(pixels)))
    source.close()
    return Texture(tuple(levels), "rgba8", "srgb", "straight")


def beside_python(name: str) -> str | None:
    """A program of this environment, or one of the system."""
    own = Path(sys.executable).with_name(name)
    return str(own) if own.exists() else shutil.which(name)


def tools(grid: int) -> list[Tool]:
    """Ours, and the peers that are installed."""
    ours = [beside_python("dapplewood"), "bake", "{source}", "-o", "{target}", "--force", "-q"]
    ours += ["--tiles", f"{grid}x{grid}", "--gutter", str(GUTTER), "--device", "cpu"]
    found = [
        Tool("dapplewood", ours, "ours.ktx2"),
        Tool("NumPy, box on the codes", [sys.executable, "-c", NUMPY, "{source}", "{target}"],
             "numpy.dds"),
    ]  # fmt: skip
    if importlib.util.find_spec("PIL"):
        words = [sys.executable, "-c", PILLOW, "{source}", "{target}"]
        found.append(Tool("Pillow, reduce(2)", words, "pillow_mip0.png"))
    for name in ("convert-im6.q16", "magick"):
        if program := shutil.which(name):
            words = [program, "{source}", "-define", "dds:compression=none"]
            words += ["-define", "dds:mipmaps=12", "{target}"]
            found.append(Tool("ImageMagick", words, "magick.dds"))
            break
    if program := shutil.which("nvcompress"):
        words = [program, "-alpha", "-rgb", "-nocuda", "{source}", "{target}"]
        found.append(Tool("nvcompress -alpha", words, "nvtt.dds"))
    if program := beside_python("maketx"):
        words = [program, "--threads", str(os.cpu_count()), "{source}", "-o", "{target}"]
        found.append(Tool("OpenImageIO maketx", words, "maketx.tif", read_tiled))
    return found


def timed(command: list[str]) -> tuple[float, float]:
    """Wall and processor seconds of a process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


def judge(texture: Texture, tiles: object, image: np.ndarray) -> dict[str, float]:
    """Points of coverage and 8-bit steps of fringe at the levels of `LEVELS`."""
    report = AtlasReport.of_texture(texture, tiles=tiles, source=image)
    error = report.coverage_error()[:, :, 0]
    found = {}
    for level in LEVELS:
        worst = error[np.nanargmax(np.abs(error[:, level])), level]
        found[f"coverage_mean_{level}"] = round(float(np.nanmean(np.abs(error[:, level]))), 3)
        found[f"coverage_worst_{level}"] = round(float(worst), 2)
        found[f"fringe_signed_{level}"] = round(float(report.after.fringe_signed[level]), 2)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--grid", type=int, default=8)
    options = parser.parse_args()
    image, tiles = samples.foliage_atlas(options.size, options.grid, options.grid, gutter=GUTTER)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "atlas.png"
        write_image(source, image)
        found = tools(options.grid)
        spans: dict[str, list[tuple[float, float]]] = {tool.name: [] for tool in found}
        for _ in range(options.repeats):
            for tool in found:
                spans[tool.name].append(timed(tool.command(source, folder)))
        writer = None
        for tool in found:
            row: dict[str, object] = {
                "tool": tool.name,
                "repeats": options.repeats,
                "wall_median_s": round(statistics.median(wall for wall, _ in spans[tool.name]), 3),
                "cpu_median_s": round(statistics.median(cpu for _, cpu in spans[tool.name]), 3),
                **judge(tool.read(folder / tool.target), tiles, image),
            }
            writer = writer or csv.DictWriter(sys.stdout, list(row))
            if writer.fieldnames and tool is found[0]:
                writer.writeheader()
            writer.writerow(row)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
