# SPDX-License-Identifier: MIT
"""Times native refits and rays beside Embree's in one run, and compares the hits.

    .venv/bin/python bench/bench_trees_rays.py [--repeats 9] [--size 1000000] > rays.csv

Scenes and Embree are those of bench_trees_cpu.py. refit: boxes from another pose; of Embree the
commit of a scene of low quality whose geometry is updated. coherent: pixels of a camera in rows of
squares of 8; random: from anywhere in the box in any direction. Tools take turns. Embree's rays go
one by one through compiled code, on as many threads. ms: median and best; millions of triangles or
of rays a second at its best; same_primitive: share of rays for which Embree names the same one, or
none either.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import dataclasses
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import dapplewood as dw
import numpy as np
from bench_trees_cpu import SCENES, Embree, Mesh, find_embree
from dapplewood import _core

BUILDERS = {name: value for value, name, _ in _core.REGISTRIES["TreeBuilder"][1]}
EYE = np.eye(3, 4, dtype=np.float32).reshape(1, 12)
TWICE, BINARY, WIDE = 16, 0, 4
Rays = tuple[np.ndarray, np.ndarray]


def posed(positions: np.ndarray) -> np.ndarray:
    """Twisted a little about z."""
    angle = 0.4 * positions[:, 2]
    x, y, z = positions.T
    turned = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), z
    return np.ascontiguousarray(np.stack(turned, 1), np.float32)


def coherent_rays(positions: np.ndarray, side: int) -> Rays:
    """A square picture from outside, squares of 8 by 8 pixels in rows."""
    low, high = positions.min(0), positions.max(0)
    centre, size = (low + high) / 2, (high - low).max()
    eye = centre + size * np.array([0.9, -0.7, 0.9])
    forward = (centre - eye) / np.linalg.norm(centre - eye)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    y, x = np.divmod(np.arange(side * side), side)
    block, inner = np.divmod(np.arange(side * side), 64)
    y = block // (side // 8) * 8 + inner // 8
    x = block % (side // 8) * 8 + inner % 8
    u, v = ((np.stack([x, y]) + 0.5) / side - 0.5) * 0.8
    directions = forward + u[:, None] * right + v[:, None] * up
    origins = np.tile(eye, (len(directions), 1))
    return origins.astype(np.float32), directions.astype(np.float32)


def random_rays(positions: np.ndarray, side: int) -> Rays:
    rng = np.random.default_rng(11)
    low, high = positions.min(0), positions.max(0)
    origins = low + (high - low) * rng.random((side * side, 3))
    return origins.astype(np.float32), rng.standard_normal((side * side, 3)).astype(np.float32)


RAY_SETS: dict[str, Callable[[np.ndarray, int], Rays]] = {
    "coherent": coherent_rays,
    "random": random_rays,
}


# ---- Embree ----


class EmbreeRays(Embree):
    """A scene that is updated in place, and single rays through it."""

    def __init__(self, library: ctypes.CDLL, threads: int, folder: str) -> None:
        super().__init__(library, threads)
        self.threads = threads
        source, built = Path(__file__).with_name("embree_rays.c"), Path(folder) / "embree_rays.so"
        if not built.exists():
            command = ["cc", "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o"]
            subprocess.run([*command, str(built)], check=True)
        self.helper = ctypes.CDLL(str(built))
        self.outputs = np.zeros(0, np.float32), np.zeros(0, np.int32)  # used again: no page is new

    def make(self, positions: np.ndarray, indices: np.ndarray, quality: int):
        """Arrays have two rows more than are used. quality 3 is refit."""
        library = self.library
        geometry = self._geometry(positions, indices)
        scene = ctypes.c_void_p(library.rtcNewScene(self.device))
        library.rtcSetSceneFlags(scene, ctypes.c_int(5 if quality == 3 else 4))
        library.rtcSetSceneBuildQuality(scene, ctypes.c_int(0 if quality == 3 else quality))
        library.rtcSetGeometryBuildQuality(geometry, ctypes.c_int(quality))
        library.rtcCommitGeometry(geometry)
        library.rtcAttachGeometry(scene, geometry)
        library.rtcCommitScene(scene)
        return scene, geometry

    def refit_ms(self, scene, geometry) -> float:
        self.library.rtcUpdateGeometryBuffer(
            geometry, ctypes.c_int(self.VERTEX), ctypes.c_uint(0)
        )
        self.library.rtcCommitGeometry(geometry)
        begin = time.perf_counter()
        self.library.rtcCommitScene(scene)
        return 1e3 * (time.perf_counter() - begin)

    def trace(self, scene, origins: np.ndarray, directions: np.ndarray):
        """Milliseconds and primitives."""
        if len(self.outputs[0]) != len(origins):
            self.outputs = np.zeros(len(origins), np.float32), np.zeros(len(origins), np.int32)
        t, primitive = self.outputs
        bounds = np.linspace(0, len(origins), self.threads * 16 + 1).astype(int)
        parts = list(zip(bounds[:-1], bounds[1:], strict=True))
        lock = threading.Lock()

        def at(array: np.ndarray, row: int) -> ctypes.c_void_p:
            return ctypes.c_void_p(array.ctypes.data + int(row) * array.strides[0])

        def work() -> None:
            while True:
                with lock:
                    if not parts:
                        return
                    first, end = parts.pop()
                self.helper.trace_rays(
                    ctypes.cast(self.library.rtcIntersect1, ctypes.c_void_p), scene,
                    at(origins, first), at(directions, first), ctypes.c_int64(int(end - first)),
                    at(t, first), at(primitive, first),
                )  # fmt: skip

        workers = [threading.Thread(target=work) for _ in range(self.threads)]
        begin = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return 1e3 * (time.perf_counter() - begin), primitive


# ---- rows ----


@dataclasses.dataclass
class Row:
    """One line of the table."""

    scene: str
    triangles: int
    threads: int
    way: str
    tool: str
    median_ms: float
    best_ms: float
    million_per_s: float
    steps: float | None = None
    same_primitive: float | None = None


class Bench:
    """A mesh on its way through all tools, with one number of threads."""

    def __init__(self, scene: str, mesh: Mesh, threads: int, options, library, folder) -> None:
        self.scene, self.threads, self.repeats = scene, threads, options.repeats
        self.side = options.side // 8 * 8
        self.positions, self.indices = mesh
        self.pose = posed(self.positions)
        self.device = dw.Device("cpu", threads=threads)
        self.embree = None if library is None else EmbreeRays(library, threads, folder)

    def rows(self, way: str, tools: dict[str, Callable[[], float]], count: int) -> list[Row]:
        spans: dict[str, list[float]] = {tool: [] for tool in tools}
        for _ in range(self.repeats):
            for tool, run in tools.items():
                spans[tool].append(run())
        return [
            Row(
                self.scene, len(self.indices), self.threads, way, tool,
                round(statistics.median(times), 2), round(min(times), 2),
                round(count / min(times) / 1e3, 2),
            )
            for tool, times in spans.items()
        ]  # fmt: skip

    def padded(self) -> tuple[np.ndarray, np.ndarray]:
        return (
            np.concatenate([self.pose, self.pose[:2]]),
            np.concatenate([self.indices, self.indices[:2]]),
        )

    def refits(self) -> list[Row]:
        layout = _core.tree_build(self.device, self.positions, self.indices)

        def ours(sums: bool) -> float:
            found = _core.tree_refit(
                layout, self.pose, sums=sums, device=self.device, repeat=3
            )
            return 1e3 * found["seconds"]

        tools = {"dapplewood": lambda: ours(False), "dapplewood with cost": lambda: ours(True)}
        if self.embree is not None:
            keep = self.padded()
            made = self.embree.make(*keep, 3)
            tools["embree"] = lambda: min(self.embree.refit_ms(*made) for _ in range(3))
        return self.rows("refit", tools, len(self.indices))

    def rays(self, name: str) -> list[Row]:
        origins, directions = RAY_SETS[name](self.pose, self.side)
        rows, tools, layouts, found = [], {}, {}, {}

        def ours(layout: dict, way: int, key: str) -> float:
            found[key] = _core.tree_trace(
                self.device, ((layout, self.pose),), np.zeros(1, np.int32), EYE, None, origins,
                directions, 0.0, np.inf, way | TWICE,
            )  # fmt: skip
            return 1e3 * found[key][1]

        for builder in ("hploc", "sah"):
            layout = _core.tree_build(
                self.device, self.pose, self.indices, builder=BUILDERS[builder]
            )
            layouts[builder] = _core.tree_refit(layout, self.pose, device=self.device)
            for word, way in (("wide", WIDE), ("binary", BINARY)):
                key = f"dapplewood {builder} {word}"
                tools[key] = lambda b=builder, w=way, k=key: ours(layouts[b], w, k)
        if self.embree is not None:
            keep = self.padded()
            scene, _ = self.embree.make(*keep, 1)

            def theirs() -> float:
                spent, found["embree"] = self.embree.trace(scene, origins, directions)
                return spent

            tools["embree"] = theirs
        rows = self.rows(name, tools, len(origins))
        for row in rows:
            if row.tool == "embree":
                continue
            hits = found[row.tool][0]
            row.steps = round(float(hits[5].mean()), 2)
            if "embree" in found:
                row.same_primitive = round(float((hits[2] == found["embree"]).mean()), 6)
        refresh = [1e3 * found[k][2] for k in found if k.endswith("wide")]
        for key, spent in zip([k for k in found if k.endswith("wide")], refresh, strict=True):
            rows.append(
                Row(
                    self.scene, len(self.indices), self.threads, "refresh of the wide tree", key,
                    round(spent, 2), round(spent, 2), round(len(self.indices) / spent / 1e3, 2),
                )
            )  # fmt: skip
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--side", type=int, default=1024, help="of the picture: side * side rays")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    options = parser.parse_args()
    library = find_embree()
    if library is None:
        print("Embree is not installed: pip install embreex", file=sys.stderr)
    writer = csv.DictWriter(sys.stdout, [field.name for field in dataclasses.fields(Row)])
    writer.writeheader()
    with tempfile.TemporaryDirectory() as folder:
        for scene in options.scenes:
            mesh = SCENES[scene](options.size)
            for threads in options.threads:
                bench = Bench(scene, mesh, threads, options, library, folder)
                for row in [*bench.refits(), *bench.rays("coherent"), *bench.rays("random")]:
                    writer.writerow(dataclasses.asdict(row))
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
