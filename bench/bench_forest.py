# SPDX-License-Identifier: MIT
"""Times the cull of a forest: LODs, fades and lists of all instances, on each device given.

    python bench/bench_forest.py [--device cpu gpu] [--rows 1000 10000 100000 1000000]
        [--variants 1] [--encoding float32] [--everything] [--repeats 30] [--check]

Each row: a device, how many instances, a pass, the median of its time in ms by the device's own
clock (native: the host's), the least bytes that all passes together have to move in units of 1e6,
and their rate. "forest_cull" spans all passes with the gaps between them. The camera moves, so
that LODs change and cross-fades are in flight; it sees 60 degrees or, with --everything, all
around. `listed` and `crossfading` are those of the last view. With --check the lists are compared
with those of the native device first.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys

import dapplewood as dw
import numpy as np

PASSES = ("forest_cull", "forest_step", "forest_scan", "forest_list")
DISTANCES = (60.0, 150.0, 400.0)


def make_forest(rows: int, variants: int, encoding: str) -> dw.Forest:
    """Instances on a square, one for each 16 square metres."""
    mesh = dw.Mesh(np.array([[-1, 0, 0], [1, 0, 0], [0, 6, 0]], np.float32))
    forest = dw.Forest(
        variants=[[mesh] * 4] * variants, distances=DISTANCES, encoding=encoding, pattern="bayer8"
    )
    rng = np.random.default_rng(0)
    side = 4.0 * np.sqrt(rows)
    places = rng.uniform(-side / 2, side / 2, (rows, 3)) * [1, 0, 1]
    forest.add(np.arange(rows), places, depleted=rng.random(rows) < 0.02)
    return forest


def planes_of(step: int, options: argparse.Namespace) -> np.ndarray:
    """A view of 60 degrees from the middle, which turns, or one that holds everything."""
    if options.everything:
        return np.zeros((6, 4))
    turn = 0.05 * step
    planes = np.zeros((6, 4))
    for i, side in enumerate((-1, 1)):
        angle = turn + side * (np.pi / 2 - np.pi / 6)
        planes[i, 0], planes[i, 2] = np.sin(angle), np.cos(angle)
    planes[4] = [np.sin(turn), 0, np.cos(turn), -0.1]
    return planes


def least_bytes(rows: int, listed: int, encoding: str) -> int:
    """Record 32, info 4, state 16 and dissolve state in; cell 8 out and in; entries 8 out."""
    return rows * (32 + 4 + 16 + (12 if encoding == "analytic" else 4) + 2 * 8) + 8 * listed


def place(step: int) -> tuple[float, float, float]:
    return (3.0 * step, 2.0, 0.0)


def check(rows: int, options: argparse.Namespace, device: dw.Device) -> None:
    with dw.Device("cpu") as native:
        forests = [make_forest(rows, options.variants, options.encoding) for _ in range(2)]
        for step in range(4):
            one, other = (
                forest.cull(place(step), planes_of(step, options), dt=0.1, device=on)
                for forest, on in zip(forests, (native, device), strict=True)
            )
            for name in ("buckets", "entries", "states"):
                if getattr(one, name).tobytes() != getattr(other, name).tobytes():
                    raise SystemExit(f"{rows} rows: {name} differ from the native ones")
        for forest in forests:
            forest.close()


def measure(rows: int, options: argparse.Namespace, device: dw.Device):
    times: dict[str, list[float]] = {name: [] for name in PASSES}
    with make_forest(rows, options.variants, options.encoding) as forest:
        for step in range(options.repeats):
            forest.update(1 / 60)
            forest._see(device, planes_of(step, options), place(step), 0, False)
            found = device.timings()
            for name in PASSES:
                if name in found:
                    times[name].append(found[name])
        step = options.repeats
        planes = planes_of(step, options)
        stats = forest.cull(place(step), planes, dt=1 / 60, device=device).stats
    moved = least_bytes(rows, stats["listed"], options.encoding)
    for name, spans in times.items():
        if spans:
            yield name, statistics.median(spans[2:] or spans), moved, stats


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", nargs="+", default=["cpu"])
    parser.add_argument("--rows", nargs="+", type=int, default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--variants", type=int, default=1)
    parser.add_argument("--encoding", default="float32")
    parser.add_argument("--everything", action="store_true")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table = csv.writer(sys.stdout)
    table.writerow(
        ["device", "rows", "pass", "ms", "least_mb", "gb_per_s", "listed", "crossfading"]
    )
    for word in options.device:
        with dw.Device(word) as device:
            for rows in options.rows:
                if options.check and device.info.kind != "native":
                    check(rows, options, device)
                for name, span, moved, stats in measure(rows, options, device):
                    whole = name == "forest_cull"
                    table.writerow(
                        [device.info.name, rows, name, f"{span:.4f}",
                         f"{moved / 1e6:.2f}" if whole else "",
                         f"{moved / span / 1e6:.1f}" if whole else "",
                         stats["listed"], stats["crossfading"]]
                    )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
