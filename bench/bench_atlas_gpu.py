# SPDX-License-Identifier: MIT
"""Times the steps of the atlas baker on a Vulkan device, by the device's own clock.

    python bench/bench_atlas_gpu.py [--device gpu] [--size 4096] [--grid 8] [--repeats 30]
        [--kernel-runs 300] [--check]

Each row: a step, the median of its time, the least bytes that it has to move (every input read and
every output written once), their rate, and that as a share of the rate at which the device copies
its own memory, measured the same way. "atlas_kernels" spans all steps with the gaps between them;
"call" is the whole of the call, transfers included, by the host's clock. With --check the bytes
are compared with those of the native baker first.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time

import dapplewood as dw
import numpy as np
from dapplewood import _core

STEPS = (
    "atlas_down",
    "atlas_shares",
    "atlas_bins",
    "atlas_choose",
    "atlas_finish",
    "atlas_kernels",
)
COPY_BYTES = 1 << 30


def grid_rects(size: int, count: int) -> np.ndarray:
    side = size // count
    rows = [(x * side, y * side, side, side) for y in range(count) for x in range(count)]
    return np.array(rows, np.int32)


def least_bytes(size: int) -> dict[str, int]:
    """Source 4 bytes a texel; of levels 1 and up colour 4 and alpha 2; outputs 5."""
    base, levels = size * size, 0
    while size > 1:
        size //= 2
        levels += size * size
    moved = {
        "atlas_down": 4 * base + 6 * levels,
        "atlas_shares": 4 * base,
        "atlas_bins": 2 * levels,
        "atlas_finish": 4 * base + 6 * levels + 5 * (base + levels),
    }
    moved["atlas_kernels"] = moved["call"] = 4 * base + 5 * (base + levels)
    return moved


def copy_rate(device: dw.Device, nbytes: int, repeats: int) -> float:
    """Bytes read and written a second."""
    spans = []
    for _ in range(repeats):
        _core.device_copy(device, nbytes)
        spans.append(device.timings()["device_copy"])
    return 2 * nbytes / (1e-3 * statistics.median(spans))


def same_bytes(image: np.ndarray, rects: np.ndarray, device: dw.Device, gutter: int) -> bool:
    with dw.Device("cpu") as native:
        wanted = _core.atlas_bake(native, image, rects, gutter=gutter)
    got = _core.atlas_bake(device, image, rects, gutter=gutter)
    pairs = zip([*wanted[0], *wanted[1], wanted[2]], [*got[0], *got[1], got[2]], strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


def measure(
    image: np.ndarray,
    rects: np.ndarray,
    device: dw.Device,
    gutter: int,
    repeats: int,
    kernel_runs: int,
) -> dict[str, float]:
    """Median seconds of each step; the first two bakes warm up."""
    spans: dict[str, list[float]] = {}
    for turn in range(repeats + 2):
        begun = time.perf_counter()
        _core.atlas_bake(device, image, rects, gutter=gutter)
        wall = time.perf_counter() - begun
        if turn < 2:
            continue
        # A card that idles between calls runs slow: the kernels are timed in a row of runs.
        _core.atlas_bake(device, image, rects, gutter=gutter, kernel_runs=kernel_runs)
        for name, milliseconds in device.timings().items():
            if name in STEPS:
                spans.setdefault(name, []).append(1e-3 * milliseconds)
        spans.setdefault("call", []).append(wall)
    return {name: statistics.median(values) for name, values in spans.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--grid", type=int, default=8)
    parser.add_argument("--gutter", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--kernel-runs", type=int, default=300, help="in a row before a timing")
    parser.add_argument("--check", action="store_true", help="compare with the native baker first")
    options = parser.parse_args()
    image, _ = dw.samples.foliage_atlas(
        options.size, options.grid, options.grid, gutter=options.gutter
    )
    rects = grid_rects(options.size, options.grid)
    with dw.Device(options.device) as device:
        if options.check and not same_bytes(image, rects, device, options.gutter):
            print("the bytes differ from the native baker's", file=sys.stderr)
            return 5
        rate = copy_rate(device, min(COPY_BYTES, 64 * image.nbytes), max(5, options.repeats // 3))
        medians = measure(
            image, rects, device, options.gutter, options.repeats, options.kernel_runs
        )
        if "atlas_kernels" not in medians:
            print("the image exceeds the device's limits: the native baker ran", file=sys.stderr)
            return 4
        moved = least_bytes(options.size)
        writer = csv.writer(sys.stdout)
        writer.writerow(["step", "median_us", "bytes", "gb_per_s", "copy_share"])
        writer.writerow(["device_copy", "", "", round(rate / 1e9, 1), 1.0])
        for name, seconds in medians.items():
            row = [name, round(1e6 * seconds, 1), moved.get(name, "")]
            if name in moved and seconds > 0:
                per_second = moved[name] / seconds
                row += [round(per_second / 1e9, 1), round(per_second / rate, 4)]
            writer.writerow(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
