# SPDX-License-Identifier: MIT
"""Times dither patterns, masks and dissolve ticks, on this machine and on its Vulkan devices.

    .venv/bin/python bench/bench_dither.py [--rows 1000000] [--repeats 15] > dither.csv

Native rows work on one thread. bytes: what must be read and written at the least; its speed stands
beside the speed at which one thread copies memory. Device rows are the device's own clock, one
dispatch of many, transfers left out. target_ms: what the design asks for, where it does.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import statistics
import sys
import time
from collections.abc import Callable

import dapplewood as dw
import numpy as np
from dapplewood import _core

DISPATCHES = 64  # of one command, over which the device's clock runs


def copy_speed(size: int = 256 << 20, repeats: int = 5) -> float:
    """Bytes a second, read and written, at which one thread copies memory."""
    source, target = np.ones(size, np.uint8), np.zeros(size, np.uint8)
    best = float("inf")
    for _ in range(repeats):
        begun = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - begun)
    return 2 * size / best


@dataclasses.dataclass
class Row:
    """One line of the table."""

    name: str
    device: str
    median_ms: float
    best_ms: float
    bytes: int
    gb_per_s: float
    copy_gb_per_s: float
    target_ms: float | None


class Bench:
    """Rows, and how they are taken."""

    def __init__(self, repeats: int) -> None:
        self.repeats = repeats
        self.rows: list[Row] = []
        self.copy = copy_speed() / 1e9

    def add(self, name: str, device: str, times: list[float], moved: int, target=None) -> None:
        middle = statistics.median(times)
        speed = moved / middle / 1e9 if moved else 0.0
        self.rows.append(
            Row(name, device, round(middle * 1e3, 4), round(min(times) * 1e3, 4), moved,
                round(speed, 1), round(self.copy, 1), target)
        )  # fmt: skip
        print(f"{name}, {device}: {1e3 * middle:.3f} ms", file=sys.stderr)

    def time(self, name: str, work: Callable, moved: int = 0, target=None, device="native") -> None:
        work()
        times = []
        for _ in range(self.repeats):
            begun = time.perf_counter()
            work()
            times.append(time.perf_counter() - begun)
        self.add(name, device, times, moved, target)


def patterns(bench: Bench) -> None:
    """Void and cluster, past the cache of the package."""
    for size, target in ((64, 25.0), (128, 200.0), (256, None)):
        seeds = iter(range(1 << 30))
        bench.time(
            f"blue noise {size} x {size}",
            lambda size=size, seeds=seeds: _core.blue_noise(size, 1.9, next(seeds)),
            target=target,
        )


def masks(bench: Bench) -> None:
    for pattern in dw.DitherPattern:
        name = pattern.name.lower()
        bench.time(
            f"mask 1920 x 1080, {name}",
            lambda name=name: dw.discard_mask(0.4, (1080, 1920), pattern=name),
            moved=1920 * 1080,
        )


def make_field(rows: int, encoding: str, active: int, easing: str = "linear") -> dw.DissolveField:
    field = dw.DissolveField(encoding=encoding, duration=16000, easing=easing)
    ids = np.arange(rows, dtype=np.uint64) * np.uint64(7919)
    field.add(ids)
    field.start(ids[:active], +1)
    field.tick(0)
    return field


def ticks(bench: Bench, rows: int) -> None:
    """Bytes a row: 12, of which progress twice; colours and states besides."""
    sizes = {"float32": 12, "unorm8": 20, "analytic": 20}
    for encoding, size in sizes.items():
        field = make_field(rows, encoding, rows)
        bench.time(
            f"tick of {rows} active rows, {encoding}",
            lambda field=field: field.tick(1e-3),
            moved=size * rows,
            target=1.0,
        )
    field = make_field(rows, "float32", rows, "smoothstep")
    bench.time(
        f"tick of {rows} active rows, float32, smoothstep",
        lambda: field.tick(1e-3),
        moved=21 * rows,
    )
    for active in (0, 20, 1000):
        few = make_field(rows, "float32", active)
        bench.time(f"tick of {active} active rows of {rows}", lambda few=few: few.tick(1e-3))


def life(bench: Bench, rows: int) -> None:
    ids = np.arange(rows, dtype=np.uint64) * np.uint64(7919)
    bench.time(f"add {rows} ids", lambda: dw.DissolveField().add(ids))
    field = dw.DissolveField(duration=16000)
    field.add(ids)
    bench.time(f"start {rows} ids", lambda: (field.start(ids, +1), field.tick(0)))

    def end_all() -> None:
        field.start(ids, +1, duration=0.1)
        field.tick(1)

    bench.time(f"start and end {rows} ids", end_all)


def on_devices(bench: Bench, rows: int) -> None:
    rng = np.random.default_rng(1)
    progress = rng.random(rows, dtype=np.float32)
    rates = np.full(rows, 1e-6, np.float32)
    field = make_field(rows, "analytic", rows)
    states = np.ascontiguousarray(field.encoded()).view(np.uint32).reshape(rows, 3)
    for info in dw.devices():
        if info.kind == "native" or info.missing:
            continue
        with dw.Device(info.index) as device:
            times: dict[str, list[float]] = {"dissolve_tick": [], "dissolve_value": []}
            for _ in range(max(3, bench.repeats // 3)):
                _core.dissolve_tick(device, progress, rates, 1.0, DISPATCHES)
                _core.dissolve_values(device, states, 1000, DISPATCHES)
                for name, found in times.items():
                    found.append(device.timings()[name] / 1e3 / DISPATCHES)
            target = 0.02 if info.kind == "discrete" else None
            bench.add(f"tick of {rows} rows, float32", info.name, times["dissolve_tick"],
                      12 * rows, target)  # fmt: skip
            bench.add(f"values of {rows} rows, analytic", info.name, times["dissolve_value"],
                      16 * rows, target)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    bench = Bench(options.repeats)
    patterns(bench)
    masks(bench)
    ticks(bench, options.rows)
    life(bench, options.rows)
    on_devices(bench, options.rows)
    writer = csv.DictWriter(sys.stdout, [field.name for field in dataclasses.fields(Row)])
    writer.writeheader()
    writer.writerows(dataclasses.asdict(row) for row in bench.rows)


if __name__ == "__main__":
    main()
