# SPDX-License-Identifier: MIT
"""Times native tree builders beside Embree's in one run, and says what their trees cost rays.

    .venv/bin/python bench/bench_trees_cpu.py [--repeats 7] [--sizes 100000 1000000] > cpu.csv

Scenes: `grid`, a flat sheet with waves; `plant`, scattered cards of two triangles, vertices in
random order. Tools take turns; times are of the build alone, median and best. Embree is taken from
the package `embreex` or from the system's library, and left out where there is neither; it is told
the same number of threads. cost: areas of all nodes, and of leaves times their triangles, over the
root's, from boxes that are not rounded; Embree does not tell its own. A processor that other work
shares shows in the distance of the median from the best.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import dataclasses
import importlib.util
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import dapplewood as dw
import numpy as np
from dapplewood import _core

LEAF, NONE = 0x80000000, 0xFFFFFFFF
BUILDERS = {name: value for value, name, _ in _core.REGISTRIES["TreeBuilder"][1]}
QUALITIES = {"low": 0, "medium": 1, "high": 2}
Mesh = tuple[np.ndarray, np.ndarray]


def grid(triangles: int) -> Mesh:
    """A waved sheet, cells in rows."""
    side = int((triangles / 2) ** 0.5)
    x, y = np.meshgrid(*2 * [np.linspace(0, 1, side + 1, dtype=np.float32)])
    z = 0.05 * np.sin(20 * x) * np.cos(17 * y)
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    a, b, c, d = (corner + i for i in (0, 1, side + 1, side + 2))
    indices = np.stack([a, b, c, b, d, c], 1).reshape(-1, 3)
    return np.stack([x, y, z], -1).reshape(-1, 3).astype(np.float32), indices.astype(np.uint32)


def plant(triangles: int) -> Mesh:
    """Cards about a hundredth wide in a ball of radius 1; vertices lie in no order."""
    rng = np.random.default_rng(5)
    count = triangles // 2
    at = rng.normal(size=(count, 3))
    at *= (rng.random((count, 1)) ** (1 / 3)) / np.linalg.norm(at, axis=1, keepdims=True)
    across, along = rng.uniform(-0.01, 0.01, (2, count, 3))
    corners = np.stack([at, at + across, at + along, at + across + along], 1).reshape(-1, 3)
    place = rng.permutation(len(corners))
    positions = np.empty(corners.shape, np.float32)
    positions[place] = corners
    card = np.array([0, 1, 2, 1, 3, 2]) + 4 * np.arange(count)[:, None]
    return positions, place[card].reshape(-1, 3).astype(np.uint32)


SCENES: dict[str, Callable[[int], Mesh]] = {"grid": grid, "plant": plant}


# ---- what a tree costs ----


def half_areas(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis(high.astype(np.float64) - low, -1, 0)
    return x * y + y * z + z * x


def leaf_boxes(tree: dict, positions: np.ndarray, refs: np.ndarray) -> tuple:
    """Low and high corners, and triangles, of leaves."""
    first, size = refs & 0x0FFFFFFF, (refs >> 28 & 7) + 1
    vertices = tree["triangles"][:, :3]
    low = np.full((len(refs), 3), np.inf, np.float32)
    high = -low
    for i in range(int(size.max(initial=0))):
        corners = positions[vertices[np.minimum(first + i, first + size - 1)]]
        low, high = np.minimum(low, corners.min(1)), np.maximum(high, corners.max(1))
    return low, high, size


def cost_of(tree: dict, positions: np.ndarray) -> float:
    """Levels of nodes from the deepest up: a child lies below its parent."""
    refs = tree["nodes"][:, :, 3].astype(np.int64)
    is_leaf = (refs & LEAF != 0) & (refs != NONE)
    is_node = refs & LEAF == 0
    low = np.full((*refs.shape, 3), np.inf, np.float32)
    high = -low
    low[is_leaf], high[is_leaf], size = leaf_boxes(tree, positions, refs[is_leaf])
    leaves = float((half_areas(low[is_leaf], high[is_leaf]) * size).sum())
    levels = [np.array([0])]
    while len(levels[-1]):
        here = levels[-1]
        levels.append(refs[here][is_node[here]])
    for here in reversed(levels[:-1]):
        for side in range(2):
            parents = here[is_node[here, side]]
            children = refs[parents, side]
            low[parents, side], high[parents, side] = low[children].min(1), high[children].max(1)
    areas = half_areas(low.min(1), high.max(1))
    return float((areas.sum() + leaves) / areas[0])


# ---- Embree ----


def find_embree() -> ctypes.CDLL | None:
    spec = importlib.util.find_spec("embreex")
    folders = [] if spec is None or spec.origin is None else [Path(spec.origin).parent.parent]
    names = [str(p) for f in folders for p in sorted(f.glob("embreex.libs/libembree*"))]
    for name in [*names, "libembree4.so.4", "libembree3.so.3"]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


class Embree:
    """Builds over one triangle mesh through the C interface of Embree 3 or 4."""

    INDEX, VERTEX, TRIANGLE, UINT3, FLOAT3 = 0, 1, 0, 0x5003, 0x9003

    def __init__(self, library: ctypes.CDLL, threads: int) -> None:
        self.library = library
        for name in ("rtcNewDevice", "rtcNewScene", "rtcNewGeometry"):
            getattr(library, name).restype = ctypes.c_void_p
        config = f"threads={threads},start_threads=1,set_affinity=0"
        self.device = ctypes.c_void_p(library.rtcNewDevice(config.encode()))

    def _geometry(self, positions: np.ndarray, indices: np.ndarray) -> ctypes.c_void_p:
        kind = ctypes.c_int(self.TRIANGLE)
        geometry = ctypes.c_void_p(self.library.rtcNewGeometry(self.device, kind))
        for slot, form, array in (
            (self.VERTEX, self.FLOAT3, positions),
            (self.INDEX, self.UINT3, indices),
        ):
            self.library.rtcSetSharedGeometryBuffer(
                geometry, ctypes.c_int(slot), ctypes.c_uint(0), ctypes.c_int(form),
                array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(0), ctypes.c_size_t(12),
                ctypes.c_size_t(len(array) - 2),  # the last rows are there to be read beyond
            )  # fmt: skip
        return geometry

    def build_ms(self, positions: np.ndarray, indices: np.ndarray, quality: int) -> float:
        """Of the commit of a new scene. Both arrays have two rows more than are used."""
        library = self.library
        geometry = self._geometry(positions, indices)
        scene = ctypes.c_void_p(library.rtcNewScene(self.device))
        library.rtcSetSceneBuildQuality(scene, ctypes.c_int(quality))
        library.rtcSetGeometryBuildQuality(geometry, ctypes.c_int(quality))
        library.rtcCommitGeometry(geometry)
        library.rtcAttachGeometry(scene, geometry)
        library.rtcReleaseGeometry(geometry)
        begin = time.perf_counter()
        library.rtcCommitScene(scene)
        spent = time.perf_counter() - begin
        error = library.rtcGetDeviceError(self.device)
        library.rtcReleaseScene(scene)
        if error != 0:
            raise RuntimeError(f"Embree says error {error}")
        return 1e3 * spent

    def close(self) -> None:
        self.library.rtcReleaseDevice(self.device)


# ---- rows ----


@dataclasses.dataclass
class Row:
    """One line of the table."""

    scene: str
    triangles: int
    tool: str
    threads: int
    median_ms: float
    best_ms: float
    million_triangles_per_s: float  # at its best
    cost: float | None


def our_build_ms(device: dw.Device, mesh: Mesh, builder: int) -> float:
    _core.tree_build(device, *mesh, builder=builder)
    return device.timings()["tree_build"]


def measure(
    scene: str, size: int, threads: int, repeats: int, library, qualities: list[str]
) -> list[Row]:
    mesh = SCENES[scene](size)
    padded = tuple(np.concatenate([array, array[:2]]) for array in mesh)
    embree = None if library is None else Embree(library, threads)
    with dw.Device("cpu", threads=threads) as device:
        tools = {
            f"dapplewood {name}": lambda b=value: our_build_ms(device, mesh, b)
            for name, value in BUILDERS.items()
        }
        if embree is not None:
            for name in qualities:
                tools[f"embree {name}"] = lambda q=QUALITIES[name]: embree.build_ms(*padded, q)
        spans: dict[str, list[float]] = {tool: [] for tool in tools}
        for _ in range(repeats):
            for tool, build in tools.items():
                spans[tool].append(build())
        costs = {
            f"dapplewood {name}": cost_of(_core.tree_build(device, *mesh, builder=value), mesh[0])
            for name, value in BUILDERS.items()
        }
    if embree is not None:
        embree.close()
    return [
        Row(
            scene, len(mesh[1]), tool, threads, round(statistics.median(times), 2),
            round(min(times), 2), round(len(mesh[1]) / min(times) / 1e3, 2),
            round(costs[tool], 3) if tool in costs else None,
        )
        for tool, times in spans.items()
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
    parser.add_argument("--embree", nargs="+", choices=QUALITIES, default=["low", "medium"])
    options = parser.parse_args()
    library = find_embree()
    if library is None:
        print("Embree is not installed: pip install embreex", file=sys.stderr)
    writer = csv.DictWriter(sys.stdout, [field.name for field in dataclasses.fields(Row)])
    writer.writeheader()
    for scene in options.scenes:
        for size in options.sizes:
            for threads in options.threads:
                rows = measure(scene, size, threads, options.repeats, library, options.embree)
                for row in rows:
                    writer.writerow(dataclasses.asdict(row))
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
