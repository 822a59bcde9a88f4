# SPDX-License-Identifier: MIT
"""Times trees on a Vulkan device by the device's own clock.

    .venv/bin/python bench/bench_trees_gpu.py [--sizes 2000000 10000000] [--device gpu] > gpu.csv

Scenes are those of bench_trees_cpu.py. A build has two parts: up to the tree's shape, which the
host reads, and from there to nodes, triangles and treelets in place; its row is their sum. Rows
below it are its steps, in the last run. Each row is the median of many, after a second in which a
card raises its clocks. Rows of the driver are its own acceleration structures (driver_trees.c,
compiled on the way), where it has any and volk.h is found: DW_VOLK_INCLUDE names its folder.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dapplewood as dw
import numpy as np
from bench_trees_cpu import SCENES
from dapplewood import _core

BUILDERS = {"hploc": 0, "morton": 2}
STEPS = ("tree_items", "tree_sort", "tree_merge", "tree_place")
WARM_SECONDS = 1.0


@dataclasses.dataclass
class Row:
    """One line of the table."""

    device: str
    scene: str
    triangles: int
    what: str
    median_ms: float
    best_ms: float
    gtri_per_s: float


def compile_driver(folder: str) -> Path | None:
    """The program that times the driver's own structures; None where it cannot be made."""
    source, program = Path(__file__).with_name("driver_trees.c"), Path(folder) / "driver_trees"
    include = os.environ.get("DW_VOLK_INCLUDE", "/usr/include")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    made = subprocess.run(
        [compiler, "-O2", f"-I{include}", source, "-ldl", "-o", program], capture_output=True
    )
    return program if made.returncode == 0 else None


class Bench:
    """Rows, and how they are taken."""

    def __init__(self, device: dw.Device, repeats: int, builders: list[str]) -> None:
        self.device = device
        self.builders = builders
        self.repeats = repeats
        self.rows: list[Row] = []

    def add(self, scene: str, triangles: int, what: str, times: np.ndarray) -> None:
        middle = statistics.median(times)
        speed = triangles / middle / 1e6 if middle > 0 else 0.0
        self.rows.append(
            Row(self.device.info.name, scene, triangles, what, round(middle, 4),
                round(min(times), 4), round(speed, 3))
        )  # fmt: skip
        print(f"{scene} {triangles} {what}: {middle:.4f} ms", file=sys.stderr)

    def warm(self, work) -> None:
        end = time.perf_counter() + WARM_SECONDS
        work(1)
        while time.perf_counter() < end:
            work(10)

    def driver(self, program: Path, scene: str, positions: np.ndarray, indices: np.ndarray) -> None:
        words = [str(x) for x in (program, len(positions), len(indices), self.repeats)]
        done = subprocess.run(
            words, input=positions.tobytes() + indices.tobytes(), capture_output=True
        )
        if done.returncode != 0:
            print(f"driver: {done.returncode} {done.stderr.decode()}", file=sys.stderr)
            return
        for line in done.stdout.decode().splitlines():
            what, value = line.rsplit(" ", 1)
            if what == "bytes":
                print(f"driver: {int(value) / len(indices):.1f} bytes a triangle", file=sys.stderr)
            else:
                self.add(scene, len(indices), f"driver {what}", [float(value)])

    def build(self, scene: str, positions: np.ndarray, indices: np.ndarray) -> None:
        """Builds and their steps."""
        for name in self.builders:
            builder = BUILDERS[name]

            def work(repeat: int, builder=builder) -> np.ndarray:
                tree = _core.tree_build_device(
                    self.device, positions, indices, builder=builder, repeat=repeat
                )
                return tree["milliseconds"]

            self.warm(work)
            times = work(self.repeats)
            spans = self.device.timings()
            self.add(scene, len(indices), f"build {name}", times.sum(1))
            self.add(scene, len(indices), f"build {name}: part 1", times[:, 0])
            self.add(scene, len(indices), f"build {name}: part 2", times[:, 1])
            for step in STEPS:
                self.add(scene, len(indices), f"build {name}: {step}", [spans.get(step, 0.0)])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000_000, 10_000_000])
    parser.add_argument("--scenes", nargs="+", default=list(SCENES), choices=list(SCENES))
    parser.add_argument("--builders", nargs="*", default=list(BUILDERS), choices=list(BUILDERS))
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--repeats", type=int, default=100)
    options = parser.parse_args(arguments)
    with dw.Device(options.device) as device, tempfile.TemporaryDirectory() as folder:
        bench = Bench(device, options.repeats, options.builders)
        program = None if device.info.kind == "software" else compile_driver(folder)
        for size in options.sizes:
            for scene in options.scenes:
                mesh = SCENES[scene](size)
                bench.build(scene, *mesh)
                if program is not None:
                    bench.driver(program, scene, *mesh)
    writer = csv.DictWriter(sys.stdout, [f.name for f in dataclasses.fields(Row)])
    writer.writeheader()
    writer.writerows(dataclasses.asdict(row) for row in bench.rows)


if __name__ == "__main__":
    main()
