# SPDX-License-Identifier: MIT
"""``dapplewood bench``: how long a bake takes here."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from typing import Any

from .. import samples
from ..device import Device
from .console import Console, table
from .exit_codes import ExitCode, UsageError
from .inputs import open_device
from .measuring import bake_figures, copy_speed

__all__ = ["run"]


def run(console: Console, options: Any) -> int:
    """Times the bake with one thread and with all, or on the device asked for."""
    size = options.size
    if size % options.grid:
        raise UsageError(f"--size {size} is no multiple of --grid {options.grid}")
    with contextlib.ExitStack() as stack:
        devices = _devices(options, stack)
        console.info("drawing the sample atlas")
        image, tiles = samples.foliage_atlas(size, options.grid, options.grid, gutter=8)
        speed = copy_speed()
        figures = bake_figures(
            devices, image, tiles, repeats=options.repeats, copy_bytes_per_s=speed
        )
    if console.json_lines:
        for figure in figures:
            plain = {"size": size, "tiles": options.grid**2, "copy_gb_per_s": round(speed / 1e9, 2)}
            console.result("", {**plain, **dataclasses.asdict(figure)})
        return ExitCode.DONE
    head = ("bake", "device", "threads", "median ms", "best ms", "GB/s", "of copy", "peak/chain")
    rows = [
        (
            figure.name, figure.device, figure.threads or "", f"{1e3 * figure.wall_median_s:.1f}",
            f"{1e3 * figure.wall_min_s:.1f}", f"{figure.gb_per_s:.2f}",
            f"{100 * figure.copy_share:.0f} %",
            "-" if figure.peak_ratio is None else f"{figure.peak_ratio:.2f}",
        )
        for figure in figures
    ]  # fmt: skip
    title = (
        f"{size} x {size} texels, {options.grid**2} tiles, whole chain and both alphas, median of "
        f"{options.repeats}; memory copies at {speed / 1e9:.1f} GB/s"
    )
    console.result(f"{title}\n{table(head, rows)}", {})
    return ExitCode.DONE


def _devices(options: Any, stack: contextlib.ExitStack) -> dict[str, tuple[Device, int]]:
    if options.device is not None and options.device != "cpu":
        device = stack.enter_context(open_device(options.device, threads=options.threads))
        return {options.device: (device, 0 if device.info.kind != "native" else options.threads)}
    cores = options.threads or os.cpu_count() or 1
    found = {}
    for threads in sorted({1, cores}):
        device = stack.enter_context(Device("cpu", threads=threads))
        found[f"native x{threads}"] = (device, threads)
    return found
