# SPDX-License-Identifier: MIT
"""Clocks and gauges of the benchmarks."""

from __future__ import annotations

import dataclasses
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ..atlas import bake_atlas
from ..device import Device
from ..tiles import TileGrid

__all__ = ["Figure", "bake_figures", "copy_speed", "peak_bytes", "time_in_turns"]

_COPY_BYTES = 256 << 20


@dataclasses.dataclass
class Figure:
    """One benchmark.

    Attributes
    ----------
    name, device : str
    threads : int
        0 where the driver decides.
    repeats : int
    wall_median_s, wall_min_s, cpu_median_s : float
    bytes_moved : int
        What has to be read and written at the least: source, levels, second alpha.
    gb_per_s : float
        `bytes_moved` over the median.
    copy_share : float
        `gb_per_s` over the copy speed of the machine's memory.
    peak_ratio : float or None
        Greatest memory in use above the source, over the bytes of the chain; None where the
        system does not tell.
    device_ms : float
        Span of the last bake on the device, transfers left out; 0 where not told.
    """

    name: str
    device: str
    threads: int
    repeats: int
    wall_median_s: float
    wall_min_s: float
    cpu_median_s: float
    bytes_moved: int
    gb_per_s: float
    copy_share: float
    peak_ratio: float | None
    device_ms: float

    @classmethod
    def of(
        cls, name: str, device: Device, threads: int, spans: list[tuple[float, float]],
        bytes_moved: int, copy_bytes_per_s: float, peak_ratio: float | None = None,
        device_ms: float = 0.0,
    ) -> Figure:  # fmt: skip
        """From spans of wall and processor seconds."""
        wall = statistics.median(span[0] for span in spans)
        return cls(
            name=name,
            device=device.info.name,
            threads=threads,
            repeats=len(spans),
            wall_median_s=round(wall, 5),
            wall_min_s=round(min(span[0] for span in spans), 5),
            cpu_median_s=round(statistics.median(span[1] for span in spans), 5),
            bytes_moved=bytes_moved,
            gb_per_s=round(bytes_moved / wall / 1e9, 3),
            copy_share=round(bytes_moved / wall / copy_bytes_per_s, 4),
            peak_ratio=None if peak_ratio is None else round(peak_ratio, 3),
            device_ms=round(device_ms, 4),
        )


def copy_speed(threads: int = 0, repeats: int = 7) -> float:
    """Best speed at which memory is copied, bytes read and bytes written counted, per second."""
    threads = threads or os.cpu_count() or 1
    source = np.ones(_COPY_BYTES, np.uint8)
    target = np.empty_like(source)
    pairs = list(zip(np.array_split(target, threads), np.array_split(source, threads), strict=True))
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(repeats + 1):  # the first touches the pages
            begun = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(*pair), pairs))
            best = min(best, time.perf_counter() - begun)
    return 2 * _COPY_BYTES / best


def time_in_turns(
    works: Mapping[str, Callable[[], Any]], repeats: int
) -> dict[str, list[tuple[float, float]]]:
    """Wall and processor seconds of each work, one after the other in every round.

    Rounds spread what else the machine does over all works alike. A first round warms up and is
    not counted.
    """
    spans: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for turn in range(repeats + 1):
        for name, work in works.items():
            wall, cpu = time.perf_counter(), time.process_time()
            work()
            span = (time.perf_counter() - wall, time.process_time() - cpu)
            if turn:
                spans[name].append(span)
    return spans


# Bakes once in a process of its own, where no memory freed before can hide what is taken.
_PEAK = """
import sys
import numpy as np
import dapplewood as dw

def held(field):
    with open("/proc/self/status") as file:
        return 1024 * int(dict(line.split(":", 1) for line in file)[field].split()[0])

path, which, threads, columns, rows, gutter = sys.argv[1:]
image = np.load(path)
device = dw.Device(which, threads=int(threads))
dw.bake_atlas(image[:16, :16], device=device)
before = held("VmRSS")
baked = dw.bake_atlas(image, tiles=dw.TileGrid(int(columns), int(rows), int(gutter)), device=device)
print(held("VmHWM") - before)
"""


def peak_bytes(image: np.ndarray, tiles: TileGrid, device: Device, threads: int) -> int | None:
    """The greatest memory in use while an atlas is baked, source left out; None where unknown."""
    if not os.path.exists("/proc/self/status"):
        return None
    info = device.info
    which = "cpu" if info.kind == "native" else str(info.index)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "image.npy")
        np.save(path, image)
        words = [path, which, threads, tiles.columns, tiles.rows, tiles.gutter]
        result = subprocess.run(
            [sys.executable, "-c", _PEAK, *map(str, words)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    return int(result.stdout)


def bake_figures(
    devices: Mapping[str, tuple[Device, int]],
    image: np.ndarray,
    tiles: TileGrid,
    *,
    repeats: int,
    copy_bytes_per_s: float,
) -> list[Figure]:
    """Times the bake of an atlas in memory.

    Parameters
    ----------
    devices : mapping of str to (Device, int)
        By the name of the figure: the device, and how many threads it works with.
    image : (h, w, 4) uint8
    tiles : TileGrid
    repeats : int
    copy_bytes_per_s : float
        From `copy_speed`.
    """
    works = {
        name: lambda device=device: bake_atlas(image, tiles=tiles, device=device)
        for name, (device, _) in devices.items()
    }
    spans = time_in_turns(works, repeats)
    baked = next(iter(works.values()))()
    chain = sum(level.nbytes for level in baked.levels)
    moved = image.nbytes + chain + sum(plane.nbytes for plane in baked.alpha_to_coverage)
    del baked
    figures = []
    for name, (device, threads) in devices.items():
        peak = peak_bytes(image, tiles, device, threads)
        ratio = None if peak is None else peak / chain
        timings = device.timings()
        spent = timings.get("atlas_bake", 0.0)
        figure = Figure.of(
            name, device, threads, spans[name], moved, copy_bytes_per_s, ratio, spent
        )
        if device.info.kind != "native" and len(timings) < 2:
            figure.device += ", baked by native C"  # the atlas is beyond the driver's limits
        figures.append(figure)
    return figures
