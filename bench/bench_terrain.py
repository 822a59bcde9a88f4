# SPDX-License-Identifier: MIT
"""Times the choice of terrain materials, on this machine's threads or on a Vulkan device.

    .venv/bin/python bench/bench_terrain.py [--device gpu] [--side 4096] > terrain.csv

bytes: what must be read and written at the least, weights and ids; copy_ms is what a copy of as
many bytes (half read, half written) takes in the same run. Device rows are the device's own clock,
transfers left out; native rows are whole calls of `select_materials`. Weights are random smooth
ramps, those of real maps, or white noise where the name says so, which spares no branch.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import statistics
import sys
import time
from typing import Any

import dapplewood as dw
import numpy as np
from dapplewood import _core


@dataclasses.dataclass
class Row:
    """One line of the table."""

    form: str
    mode: str
    device: str
    median_ms: float
    best_ms: float
    mpixel_per_s: float
    bytes: int
    copy_ms: float
    over_copy: float


def smooth_weights(side: int, slots: int, seed: int = 1) -> np.ndarray:
    """(side, side, slots) float32 that sum to 1: hills of 100 texels with soft borders."""
    rng = np.random.default_rng(seed)
    at = np.arange(side, dtype=np.float32)
    scores = np.zeros((side, side, slots), np.float32)
    for slot in range(slots):
        for _ in range(3):
            u, v = rng.normal(0, 2 * np.pi / 300, 2)
            a, b = rng.uniform(0, 2 * np.pi, 2)
            scores[..., slot] += np.outer(np.cos(v * at + b), np.cos(u * at + a))
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(4 * scores, out=scores)
    scores /= scores.sum(axis=2, keepdims=True)
    return scores


def forms(side: int) -> dict[str, Any]:
    four, eight = smooth_weights(side, 4), smooth_weights(side, 8)
    rng = np.random.default_rng(2)
    nibbles = np.round(15 * eight).astype(np.uint8)
    return {
        "u8 x 4": np.round(255 * four).astype(np.uint8),
        "u8 x 4, white noise": rng.integers(0, 256, (side, side, 4), np.uint8),
        "packed x 8": dw.PackedWeights(nibbles[..., 0::2] | nibbles[..., 1::2] << 4),
        "two RGBA8 x 8": np.round(255 * eight).astype(np.uint8).reshape(side, side, 2, 4),
        "float32 x 16": smooth_weights(side, 16),
    }


def size_of(weights: Any) -> int:
    return getattr(weights, "array", weights).nbytes


class Bench:
    """Rows, and how they are taken."""

    def __init__(self, device: dw.Device, repeats: int) -> None:
        self.device, self.repeats = device, repeats
        self.is_native = device.info.kind == "native"
        self.rows: list[Row] = []

    def copy_ms(self, size: int) -> float:
        """Of a copy that reads and writes `size` bytes in all."""
        if not self.is_native:
            times = []
            for _ in range(self.repeats):
                _core.device_copy(self.device, size // 2)
                times.append(self.device.timings()["device_copy"])
            return statistics.median(times)
        source, target = np.ones(size // 2, np.uint8), np.zeros(size // 2, np.uint8)
        times = []
        for _ in range(self.repeats):
            begun = time.perf_counter()
            np.copyto(target, source)
            times.append(1e3 * (time.perf_counter() - begun))
        return statistics.median(times)

    def add(self, form: str, weights: Any, mode: str, **options: Any) -> None:
        made = dw.Transition(mode, **options)
        words = ", ".join([mode, *(f"{name}={value}" for name, value in options.items())])
        times = []
        ids = dw.select_materials(weights, made, device=self.device)
        for _ in range(self.repeats):
            begun = time.perf_counter()
            dw.select_materials(weights, made, device=self.device)
            taken = 1e3 * (time.perf_counter() - begun)
            times.append(taken if self.is_native else self.device.timings()["terrain_select"])
        moved = size_of(weights) + ids.nbytes
        middle, copy = statistics.median(times), self.copy_ms(moved)
        self.rows.append(
            Row(form, words, self.device.info.name, round(middle, 4), round(min(times), 4),
                round(ids.size / middle / 1e3, 1), moved, round(copy, 4), round(middle / copy, 2))
        )  # fmt: skip
        print(f"{form}, {words}: {middle:.3f} ms, {middle / copy:.2f} copies", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--only", default="", help="forms that contain this")
    options = parser.parse_args()
    with dw.Device(options.device) as device:
        bench = Bench(device, options.repeats)
        for form, weights in forms(options.side).items():
            if options.only not in form:
                continue
            for mode in ("dithered", "priority"):
                bench.add(form, weights, mode)
            if form == "u8 x 4":
                bench.add(form, weights, "smooth")
                bench.add(form, weights, "priority_additive")
                bench.add(form, weights, "dominant_accent")
                bench.add(form, weights, "dithered", noise="hash")
                bench.add(form, weights, "priority", quantize=16, min_weight=0.06, strength=0.52)
    writer = csv.DictWriter(sys.stdout, [field.name for field in dataclasses.fields(Row)])
    writer.writeheader()
    writer.writerows(dataclasses.asdict(row) for row in bench.rows)


if __name__ == "__main__":
    main()
