# SPDX-License-Identifier: MIT
"""Times the posing of meshes: morph targets and skinning, on each device given.

    python bench/bench_skin.py [--device cpu gpu] [--vertices 10000 100000 1000000]
        [--joints 100] [--repeats 30] [--check]

Each row: a device, the number of vertices, the most joints of a vertex, morph targets in use,
whether normals are turned, the median time in ms by the device's own clock (native: the host's),
million vertices a second, the least bytes that have to move in units of 1e6, and their rate. The
vertices go into a Buffer, the matrices are new in each frame. `call_us` is the host's time of one
call of `Mesh.posed` that is not waited for. With --check the bytes are compared with those of the
native device first.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time

import dapplewood as dw
import numpy as np

# Joints of a vertex, morph targets, normals.
KINDS = ((1, 0, False), (4, 0, False), (4, 0, True), (8, 0, True), (0, 1, True), (0, 8, True))


def make_mesh(count: int, influences: int, targets: int, joints: int) -> dw.Mesh:
    """A tube of rings; joints follow each other along it, and neighbours share vertices."""
    rng = np.random.default_rng(0)
    along = np.arange(count) / count
    turn = 2 * np.pi * np.arange(count) / 64
    positions = np.stack([np.cos(turn), 100 * along, np.sin(turn)], axis=1)
    options: dict = {}
    if influences:
        columns = -(-influences // 4) * 4
        first = np.minimum((along * joints).astype(int), joints - influences)
        used = np.minimum(np.arange(columns), influences - 1)
        options["joints"] = first[:, None] + used
        weights = rng.uniform(0.1, 1, (count, columns))
        options["weights"] = weights * (np.arange(columns) < influences)
    if targets:
        options["targets"] = rng.normal(size=(targets, count, 3)).astype(np.float32)
        options["target_normals"] = options["targets"]
    normals = positions * [1, 0, 1]
    return dw.Mesh(positions, [[0, 1, 2]], normals=normals, **options)


def matrices_of(step: int, joints: int) -> np.ndarray:
    angle = 0.3 * np.sin(0.1 * step + np.arange(joints))
    matrices = np.tile(np.eye(4), (joints, 1, 1))
    matrices[:, 0, 0] = matrices[:, 1, 1] = np.cos(angle)
    matrices[:, 1, 0], matrices[:, 0, 1] = np.sin(angle), -np.sin(angle)
    return matrices


def least_bytes(count: int, influences: int, targets: int, has_normals: bool) -> int:
    """Each vector 12 in and 12 out; joints two a word; weights but the first; each delta once."""
    planes = 2 if has_normals else 1
    skin = 4 * ((influences + 1) // 2) + 4 * max(influences - 1, 0)
    return count * (24 * planes + 12 * planes * targets + skin)


def measure(count: int, kind: tuple[int, int, bool], options, device: dw.Device, native):
    influences, targets, has_normals = kind
    mesh = make_mesh(count, influences, targets, options.joints)
    weights = np.full(targets, 0.3) if targets else None
    poses = [
        matrices_of(step, options.joints) if influences else None
        for step in range(options.repeats)
    ]
    if options.check and device is not native:
        one, other = (
            mesh.posed(poses[1], weights, device=on, normals=True) for on in (native, device)
        )
        if any(a.tobytes() != b.tobytes() for a, b in zip(one, other)):
            raise SystemExit(f"{count} vertices of {kind}: bytes differ from the native ones")
    spans, calls = [], []
    with dw.Buffer(device, 12 * count) as out, dw.Buffer(device, 12 * count) as turned:
        normals = turned if has_normals else False
        for pose in poses:
            begin = time.perf_counter()
            mesh.posed(pose, weights, out=out, normals=normals)
            calls.append(1e6 * (time.perf_counter() - begin))
            out.numpy(np.uint8, 4)  # waits
            spans.append(device.timings()["skin_vertices"])
    return statistics.median(spans[3:] or spans), statistics.median(calls[3:] or calls)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", default=["cpu"])
    parser.add_argument("--vertices", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--joints", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table = csv.writer(sys.stdout)
    table.writerow([
        "device", "vertices", "influences", "targets", "normals", "ms", "mvertices_per_s",
        "least_mb", "gb_per_s", "call_us",
    ])  # fmt: skip
    with dw.Device("cpu") as native:
        for word in options.device:
            device = native if word == "cpu" else dw.Device(word)
            for count in options.vertices:
                for kind in KINDS:
                    try:
                        span, call = measure(count, kind, options, device, native)
                    except dw.CapacityError as error:
                        print(f"{count} vertices of {kind}: {error}", file=sys.stderr)
                        continue
                    moved = least_bytes(count, *kind)
                    table.writerow([
                        device.info.name, count, kind[0], kind[1], int(kind[2]), f"{span:.4f}",
                        f"{count / span / 1e3:.1f}", f"{moved / 1e6:.2f}",
                        f"{moved / span / 1e6:.2f}", f"{call:.1f}",
                    ])  # fmt: skip
                    sys.stdout.flush()
            if device is not native:
                device.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
