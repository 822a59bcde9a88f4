# SPDX-License-Identifier: MIT
"""Times pictures of terrain, on this machine's threads or on a Vulkan device.

    .venv/bin/python bench/bench_terrain_compose.py [--device gpu] [--side 2048] > compose.csv

call_ms is a whole call of `compose_terrain`, with transfers; device_ms the device's own clock. The
map has a texel for 16 x 16 pixels, smooth ramps of weights, and cells of 1/8 unit; tiles of
256 x 256 texels lie 16 texels a unit. `--check` compares with native bytes.
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


@dataclasses.dataclass
class Row:
    """One line of the table."""

    form: str
    mode: str
    style: str
    pixels_per_unit: float
    device: str
    pixels: int
    call_ms: float
    device_ms: float
    mpixel_per_s: float


def smooth_weights(side: int, slots: int) -> np.ndarray:
    """(side, side, slots) uint8: hills of 30 texels with soft borders."""
    rng = np.random.default_rng(1)
    at = np.arange(side, dtype=np.float64)
    scores = np.zeros((side, side, slots))
    for slot in range(slots):
        for _ in range(3):
            u, v = rng.normal(0, 2 * np.pi / 90, 2)
            a, b = rng.uniform(0, 2 * np.pi, 2)
            scores[..., slot] += np.outer(np.cos(v * at + b), np.cos(u * at + a))
    weights = np.exp(4 * (scores - scores.max(axis=2, keepdims=True)))
    return np.round(255 * weights / weights.sum(axis=2, keepdims=True)).astype(np.uint8)


def measure(device: dw.Device, repeats: int, is_checked: bool, given: dict[str, Any]) -> Any:
    """Median milliseconds of calls and of the device, and pixels."""
    picture = dw.compose_terrain(**given, device=device)
    if is_checked:
        with dw.Device("cpu") as native:
            assert (dw.compose_terrain(**given, device=native) == picture).all()
    calls, spans = [], []
    for _ in range(repeats):
        begun = time.perf_counter()
        dw.compose_terrain(**given, device=device)
        calls.append(1e3 * (time.perf_counter() - begun))
        spans.append(device.timings().get("terrain_compose", float("nan")))
    return statistics.median(calls), statistics.median(spans), picture.shape[0] * picture.shape[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--side", type=int, default=2048, help="pixels")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    texels, rng = options.side // 16, np.random.default_rng(2)
    base = rng.integers(0, 256, (texels, texels, 3), np.uint8)
    writer = csv.DictWriter(sys.stdout, [field.name for field in dataclasses.fields(Row)])
    writer.writeheader()
    with dw.Device(options.device) as device:
        for slots in (4, 8, 16):
            details = [rng.integers(0, 256, (256, 256, 3), np.uint8) for _ in range(slots)]
            weights = smooth_weights(texels, slots)
            for style in ("pixel", "photo"):
                for mode, per_unit in (
                    ("smooth", 16.0), ("dithered", 16.0), ("priority", 16.0),
                    ("priority_additive", 16.0), ("priority", 12.0), ("priority", 4.0),
                ):  # fmt: skip
                    call, span, pixels = measure(device, options.repeats, options.check, {
                        "base": base, "details": details, "weights": weights, "style": style,
                        "transition": dw.Transition(mode, cell=0.125),
                        "pixels_per_unit": per_unit, "size": (options.side, options.side),
                    })  # fmt: skip
                    row = Row(
                        f"u8 x {slots}", mode, style, per_unit, device.info.name, pixels,
                        round(call, 3), round(span, 4), round(pixels / call / 1e3, 1),
                    )  # fmt: skip
                    writer.writerow(dataclasses.asdict(row))
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
