# SPDX-License-Identifier: MIT
"""``dapplewood diff``: how far two textures are apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..atlas import measure_coverage
from ..device import Device
from ..io import Texture, read_texture
from ..tiles import TileGrid, TileRects
from .console import Console, table
from .exit_codes import ExitCode
from .inputs import open_device, tiles_of

__all__ = ["run"]


def run(console: Console, options: Any) -> int:
    """Compares level by level; what only one of the two has counts as a difference."""
    first, second = read_texture(options.first), read_texture(options.second)
    tiles = tiles_of(options.tiles, options.gutter, options.rects)
    facts = _facts(first, second)
    count = max(len(first.levels), len(second.levels))
    with open_device(options.device) as device:
        rows = [
            _compare(first, second, level, options, tiles if level == 0 else None, device)
            for level in range(count)
        ]
    worst = max((row["max"] for row in rows if row["max"] is not None), default=0.0)
    same = not facts and all(row["same"] for row in rows)
    data = {"first": options.first, "second": options.second, "same": same, "max": worst}
    console.result(
        _text(options, facts, rows, same), {**data, "differences": facts, "levels": rows}
    )
    return ExitCode.DONE if same else ExitCode.DIFFERENT


def _facts(first: Texture, second: Texture) -> list[str]:
    """Differences that no texel shows."""
    found = []
    for name, a, b in (
        ("levels", len(first.levels), len(second.levels)),
        ("layers", first.layers, second.layers),
        ("faces", first.faces, second.faces),
        ("color space", first.color_space, second.color_space),
        ("alpha mode", first.alpha_mode, second.alpha_mode),
    ):
        if a != b:
            found.append(f"{name}: {a} and {b}")
    return found


def _steps(level: np.ndarray) -> np.ndarray:
    """Values in 8-bit steps, so that depths can be compared."""
    scale = {1: 1.0, 2: 1 / 257, 4: 255.0}[level.dtype.itemsize]
    return level.astype(np.float32) * np.float32(scale)


def _compare(
    first: Texture,
    second: Texture,
    level: int,
    options: Any,
    tiles: TileGrid | TileRects | str | None,
    device: Device,
) -> dict[str, Any]:
    row: dict[str, Any] = {"level": level, "same": False, "max": None, "differing": None}
    row |= {"psnr_db": None, "coverage_points": None}
    if level >= min(len(first.levels), len(second.levels)):
        return row
    a, b = first.levels[level], second.levels[level]
    row["size"], row["other_size"] = list(a.shape[-2:-4:-1]), list(b.shape[-2:-4:-1])
    if a.shape != b.shape:
        return row
    delta = np.abs(_steps(a) - _steps(b))
    square = float(np.mean(np.square(delta, dtype=np.float64)))
    row["max"] = float(delta.max())
    row["differing"] = int(np.count_nonzero((delta > options.tolerance).any(axis=-1)))
    row["psnr_db"] = None if square == 0 else 10 * math.log10(255**2 / square)
    row["same"] = row["differing"] == 0
    if a.ndim == 3 and a.dtype.kind == "u":
        cutoffs = tuple(options.cutoff or (0.5,))
        shares = [
            measure_coverage(one[..., 3], cutoffs, tiles=tiles, device=device) for one in (a, b)
        ]
        row["coverage_points"] = float(100 * np.abs(shares[0] - shares[1]).max())
    return row


def _text(options: Any, facts: list[str], rows: list[dict[str, Any]], same: bool) -> str:
    head = ("level", "size", "texels that differ", "largest step", "PSNR dB", "coverage points")
    cells = []
    for row in rows:
        if row["max"] is None:
            cells.append((row["level"], "in one only" if "size" not in row else "differs", *"----"))
            continue
        psnr = "-" if row["psnr_db"] is None else f"{row['psnr_db']:.2f}"
        points = row["coverage_points"]
        cells.append((
            row["level"], "x".join(map(str, row["size"])), row["differing"], f"{row['max']:g}",
            psnr, "-" if points is None else f"{points:.3f}",
        ))  # fmt: skip
    lines = [*facts, table(head, cells)]
    verdict = "equal" if same else "different"
    return "\n".join([*lines, f"{verdict}: {options.first} and {options.second}"])
