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
FORMATS = {"quantized": 0, "f32": 1}
WARM_SECONDS = 1.0
SIDE = 1024  # of the picture: as many rays as one submission takes
TILE = 8
PART = 5000
TRACES = 7
WHAT = ("refit", "trace")


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


def picture_rays(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of a camera that sees the whole mesh from aside, tiles of TILE by TILE after each other."""
    low, high = positions.min(0), positions.max(0)
    middle, size = (low + high) / 2, float((high - low).max())
    pixels = np.arange(SIDE).reshape(-1, TILE)
    y, x = np.broadcast_arrays(pixels[:, None, :, None], pixels[None, :, None, :])
    u, v = ((each.ravel() + 0.5) / SIDE - 0.5 for each in (x, y))
    directions = np.stack([u, v, np.full_like(u, -1.0)], -1).astype(np.float32)
    tilt = np.float32([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])
    origin = middle + tilt @ np.float32([0, 0, 1.1 * size])
    origins = np.broadcast_to(origin, directions.shape)
    return origins.astype(np.float32), np.ascontiguousarray(directions @ tilt.T)


def random_rays(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From anywhere in the mesh's box in any direction."""
    rng = np.random.default_rng(1)
    low, high = positions.min(0), positions.max(0)
    origins = low + (high - low) * rng.random((SIDE * SIDE, 3))
    return origins.astype(np.float32), rng.standard_normal((SIDE * SIDE, 3)).astype(np.float32)


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

    def refit(self, scene: str, meshes: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """All meshes in one submission, in both formats."""
        triangles = sum(len(indices) for _, indices in meshes)
        for node_format, number in FORMATS.items():
            batch = tuple(
                (
                    _core.tree_build_device(self.device, *mesh, node_format=number),
                    mesh[0],
                    ((mesh[0].ravel(), 0, 3, None, False),),
                )
                for mesh in meshes
            )
            self.warm(lambda n, batch=batch: _core.tree_gpu_refit(self.device, batch, repeat=n))
            _, times = _core.tree_gpu_refit(self.device, batch, repeat=self.repeats)
            self.add(scene, triangles, f"refit {node_format}", times)

    def trace(self, scene: str, positions: np.ndarray, indices: np.ndarray) -> None:
        """A picture's rays, tile after tile, and rays from anywhere to anywhere, of a refit tree.
        Their rows are rays a second, in thousands of millions, not triangles."""
        layout = _core.tree_build_device(self.device, positions, indices)
        batch = ((layout, positions, ((positions.ravel(), 0, 3, None, False),)),)
        (refit,), _ = _core.tree_gpu_refit(self.device, batch)
        meshes = (({**layout, **refit}, positions),)
        eye = np.eye(3, 4, dtype=np.float32).reshape(1, 12)
        scenes = {"coherent": picture_rays(positions), "random": random_rays(positions)}
        for kind, (origins, directions) in scenes.items():
            for way, what in ((0, "trace"), (2, "occluded")):
                times = []
                for _ in range(TRACES):
                    _core.tree_trace(
                        self.device, meshes, np.zeros(1, np.int32), eye, None, origins, directions,
                        0.0, np.inf, way,
                    )  # fmt: skip
                    times.append(self.device.timings()["tree_trace"])
                self.add(scene, len(origins), f"{what} {kind}", times)

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
    parser.add_argument("--what", nargs="*", default=list(WHAT), choices=WHAT, help="but builds")
    parser.add_argument("--meshes", type=int, default=1000, help=f"of {PART} triangles, at once")
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
                if "refit" in options.what:
                    bench.refit(scene, [mesh])
                if "trace" in options.what:
                    bench.trace(scene, *mesh)
                if program is not None:
                    bench.driver(program, scene, *mesh)
        if options.meshes > 0 and "refit" in options.what:
            parts = [SCENES["grid"](PART)] * options.meshes
            bench.refit(f"{options.meshes} grids", parts)
            bench.refit("one grid", [SCENES["grid"](PART * options.meshes)])
    writer = csv.DictWriter(sys.stdout, [f.name for f in dataclasses.fields(Row)])
    writer.writeheader()
    writer.writerows(dataclasses.asdict(row) for row in bench.rows)


if __name__ == "__main__":
    main()
