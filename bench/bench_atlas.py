# SPDX-License-Identifier: MIT
"""Times the atlas baker: in memory on each device, file to file, and many files.

    .venv/bin/python bench/bench_atlas.py [--repeats 7] [--size 4096] [--grid 8] > atlas.csv

4096 x 4096 texels in 64 tiles with a gutter of 8, coverage per tile from bilinear samples, both
alphas, dilation, whole chain. Native with one thread and with two in turns, so that what else the
machine does meets both alike. Bytes moved are those of source, levels and second alpha, each once;
their share is of the speed at which the machine copies memory, bytes read and written counted.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import os
import sys
import tempfile
from pathlib import Path

import dapplewood as dw
import numpy as np
from dapplewood.batch import bake_files
from dapplewood.cli.measuring import Figure, bake_figures, copy_speed, time_in_turns
from dapplewood.io import write_image

GUTTER = 8


def devices(threads: list[int]) -> dict[str, tuple[dw.Device, int]]:
    """Native with each number of threads, then every Vulkan device."""
    found = {f"native, {n} thread(s)": (dw.Device("cpu", threads=n), n) for n in threads}
    for info in dw.devices():
        if info.kind != "native" and not info.missing:
            found[info.kind] = (dw.Device(info.index), 0)
    return found


def file_figures(
    image: np.ndarray, tiles: dw.TileGrid, count: int, repeats: int, speed: float
) -> list[Figure]:
    """One PNG to KTX2, and several: the same work with the stages overlapped and one by one."""
    with tempfile.TemporaryDirectory() as name, dw.Device("cpu") as device:
        folder = Path(name)
        paths = [folder / f"atlas{index}.png" for index in range(count)]
        for index, path in enumerate(paths):
            write_image(path, np.roll(image, index, axis=2) if index else image)

        def bake(chosen: list[Path]) -> None:
            for record in bake_files(chosen, tiles=tiles, device=device, force=True):
                if record.error is not None:
                    raise record.error

        def one_by_one() -> None:
            for path in paths:
                bake([path])

        works = {
            "one PNG to KTX2": lambda: bake(paths[:1]),
            f"{count} PNGs to KTX2, overlapped": lambda: bake(paths),
            f"{count} PNGs to KTX2, one by one": one_by_one,
        }
        spans = time_in_turns(works, repeats)
        target = paths[0].with_suffix(".ktx2").stat().st_size
        each = [path.stat().st_size + target for path in paths]
        threads = os.cpu_count() or 1
        return [
            Figure.of(name, device, threads, spans[name], moved, speed)
            for name, moved in zip(works, (each[0], sum(each), sum(each)), strict=True)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--grid", type=int, default=8)
    parser.add_argument("--files", type=int, default=4)
    options = parser.parse_args()
    image, tiles = dw.samples.foliage_atlas(
        options.size, options.grid, options.grid, gutter=GUTTER
    )
    speed = copy_speed()
    print(f"memory copies at {speed / 1e9:.1f} GB/s", file=sys.stderr)
    figures = bake_figures(
        devices([1, 2]), image, tiles, repeats=options.repeats, copy_bytes_per_s=speed
    )
    repeats = max(1, options.repeats // 2)
    figures += file_figures(image, tiles, options.files, repeats, speed)
    writer = csv.DictWriter(sys.stdout, [field.name for field in dataclasses.fields(Figure)])
    writer.writeheader()
    writer.writerows(dataclasses.asdict(figure) for figure in figures)


if __name__ == "__main__":
    main()
