# SPDX-License-Identifier: MIT
"""Times updates of SceneTrees: what a frame pays on the host, and until its rays are answered.

    python bench/bench_trees_updates.py [--device cpu gpu] [--meshes 1 100 1000] [--side 51]
        [--repeats 30]

Each row: a device, the number of deforming meshes, the triangles of each, what happens before an
update, the median time of the update alone in microseconds (on a Vulkan device it does not wait),
and the median time in ms of the changes, the update and one ray that waits for it.

idle: nothing. posed: all meshes, from one Buffer. cpu: all meshes, from arrays. moved: all
instances. rebuilt: one mesh was asked to be, and all are posed.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
from collections.abc import Callable

import dapplewood as dw
import numpy as np

UP = ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0])
SETTLE = 40  # updates until samples and probes of the first poses are through


def grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    line = np.linspace(0, 1, side)
    x, y = np.meshgrid(line, line, indexing="ij")
    positions = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3).astype(np.float32)
    first = np.arange((side - 1) * side).reshape(side - 1, side)[:, :-1].ravel()
    corners = [[first, first + 1, first + side], [first + 1, first + side + 1, first + side]]
    return positions, np.concatenate([np.stack(c, 1) for c in corners])


def waved(positions: np.ndarray, phase: float) -> np.ndarray:
    out = positions.copy()
    out[:, 2] += np.float32(0.02) * np.sin(9 * out[:, 0] + np.float32(phase))
    return out


def measure(
    trees: dw.SceneTrees, change: Callable[[], object], repeats: int
) -> tuple[float, float]:
    """Median microseconds of an update, and milliseconds of all."""
    updates, frames = [], []
    for _ in range(repeats):
        begin = time.perf_counter()
        change()
        middle = time.perf_counter()
        trees.update()
        updates.append(time.perf_counter() - middle)
        trees.trace(*UP)
        frames.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(updates), 1e3 * statistics.median(frames)


def changes_of(trees: dw.SceneTrees, count: int, side: int) -> dict[str, Callable[[], object]]:
    """What may happen before an update, by name."""
    positions, indices = grid(side)
    meshes = [trees.add_mesh(positions, indices, deforming=True) for _ in range(count)]
    instances = [trees.add_instance(mesh) for mesh in meshes]
    buffer = dw.Buffer(trees.device, waved(positions, 0.5))
    pose = waved(positions, 1.0)
    matrix = np.eye(4)

    def posed() -> None:
        for mesh in meshes:
            trees.set_pose(mesh, buffer, vertex_count=len(positions))

    def cpu() -> None:
        for mesh in meshes:
            trees.set_pose_cpu(mesh, pose)

    def moved() -> None:
        matrix[0, 3] += 0.01
        for instance in instances:
            trees.set_transform(instance, matrix)

    def rebuilt() -> None:
        posed()
        trees.rebuild(meshes[0])

    return {"idle": lambda: None, "posed": posed, "cpu": cpu, "moved": moved, "rebuilt": rebuilt}


def bench_device(device: dw.Device, options: argparse.Namespace, writer) -> None:
    for count in options.meshes:
        with dw.SceneTrees(device, probe=False) as trees:
            changes = changes_of(trees, count, options.side)
            for name, change in changes.items():
                for _ in range(SETTLE if name == "idle" else 2):
                    trees.update()
                    trees.trace(*UP)
                update, frame = measure(trees, change, options.repeats)
                triangles = 2 * (options.side - 1) ** 2
                writer.writerow(
                    [device.info.name, count, triangles, name, f"{update:.1f}", f"{frame:.3f}"]
                )
                sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", nargs="*", default=["cpu"], help="words as Device takes them")
    parser.add_argument("--meshes", nargs="*", type=int, default=[1, 100, 1000])
    parser.add_argument("--side", type=int, default=51, help="vertices along a mesh")
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    writer = csv.writer(sys.stdout)
    writer.writerow(["device", "meshes", "triangles", "change", "update_us", "frame_ms"])
    for word in options.device:
        with dw.Device(word) as device:
            bench_device(device, options, writer)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
