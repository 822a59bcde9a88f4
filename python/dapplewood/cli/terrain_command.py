# SPDX-License-Identifier: MIT
"""``dapplewood terrain``: a splat map by several modes, side by side, and what each covers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..io import read_image, write_image
from ..io.heightfield import read_weights
from ..terrain import Transition
from ..terrain_sheet import compare_coverage, terrain_sheet
from .console import Console, table
from .exit_codes import ExitCode, UsageError
from .inputs import open_device, refuse_overwriting

__all__ = ["run"]

# Of materials without a picture: far apart in hue, alike in lightness.
_COLORS = ((196, 120, 84), (104, 150, 74), (120, 128, 196), (206, 196, 120), (84, 160, 160),
           (186, 104, 150), (150, 150, 150), (120, 90, 60))  # fmt: skip


def run(console: Console, options: Any) -> int:
    """Draws the sheet and prints the coverages."""
    if not options.out.lower().endswith(".png"):
        raise UsageError(f"--out must end in .png, got {options.out!r}")
    pictures = [*options.detail, *([options.base] if options.base else [])]
    refuse_overwriting([options.out], [*options.splats, *pictures], "--out")
    weights = read_weights(options.splats, form="packed" if options.packed else "planes")
    count = weights.materials if options.packed else weights.shape[2]
    transitions = _transitions(options, count)
    details = _details(options, count)
    base = _base(options, details, weights)
    center = None if options.center is None else tuple(options.center)
    with open_device(options.device) as device:
        try:
            sheet = terrain_sheet(
                base, details, weights, transitions, zooms=options.zoom or (4.0, 16.0, 32.0),
                center=center, side=options.size, style=options.style, device=device,
                detail_scale=options.detail_scale,
            )  # fmt: skip
            found = {
                name: compare_coverage(weights, one, device=device)
                for name, one in transitions.items()
            }
        except ValueError as error:
            raise UsageError(str(error)) from None
    write_image(options.out, sheet)
    _tell(console, options, found)
    return ExitCode.DONE


def _transitions(options: Any, count: int) -> dict[str, Transition]:
    given = options.priority or []
    if len(given) > count:
        raise UsageError(f"--priority: the map has {count} materials, got {len(given)}")
    priorities = [*given, *[0.0] * (count - len(given))] if given else None
    try:
        return {
            mode: Transition(
                mode, strength=_strength(options, mode), cell=options.cell,
                quantize=options.quantize, priorities=priorities, min_weight=options.min_weight,
                noise=options.noise, seed=options.seed,
            )
            for mode in options.mode or ["smooth", "dithered", "priority"]
        }  # fmt: skip
    except ValueError as error:
        raise UsageError(str(error)) from None


def _strength(options: Any, mode: str) -> float:
    """Of "dithered" 1 unless told: below that the heaviest has the rest, with a hard seam."""
    if options.strength is not None:
        return options.strength
    return 1.0 if mode == "dithered" else 0.4


def _details(options: Any, count: int) -> list[np.ndarray]:
    """A picture a material; plain colours where none is named."""
    if len(options.detail) > count:
        raise UsageError(f"--detail: the map has {count} materials, got {len(options.detail)}")
    tiles = [read_image(path).array[..., :3] for path in options.detail]
    for path, tile in zip(options.detail, tiles):
        if tile.dtype != np.uint8 or tile.ndim != 3 or tile.shape[2] != 3:
            raise UsageError(f"--detail {path} must be 8-bit RGB, got {tile.dtype} {tile.shape}")
    plain = (_COLORS[i % len(_COLORS)] for i in range(len(tiles), count))
    return tiles + [np.full((1, 1, 3), color, np.uint8) for color in plain]


def _base(options: Any, details: list[np.ndarray], weights: Any) -> np.ndarray:
    """The picture of the whole map, or what its materials look like from far away."""
    if options.base is not None:
        base = read_image(options.base).array[..., :3]
        if base.dtype != np.uint8 or base.ndim != 3:
            raise UsageError(f"--base must be 8-bit RGB, got {base.dtype} {base.shape}")
        return base
    from ..samples._paint import linear_from_srgb, srgb_from_linear
    from ..terrain_coverage import expected_coverage

    shares = expected_coverage(weights, Transition("smooth"))
    means = np.stack([linear_from_srgb(one / 255.0).mean((0, 1)) for one in details])
    light = np.clip(shares @ means, 0.0, 1.0)
    return np.rint(255.0 * srgb_from_linear(light)).astype(np.uint8)


def _tell(console: Console, options: Any, found: dict[str, Any]) -> None:
    if console.json_lines:
        for name, (measured, expected) in found.items():
            facts = {"mode": name, "measured": measured.tolist(), "expected": expected.tolist()}
            console.result("", {**facts, "out": options.out})
        return
    head = ("mode", "material", "covers %", "expected %")
    rows = [
        (name if i == 0 else "", str(i), f"{100 * a:.2f}", f"{100 * b:.2f}")
        for name, (measured, expected) in found.items()
        for i, (a, b) in enumerate(zip(measured, expected))
    ]
    text = "covers: cells counted; of smooth those where it is the heaviest, as nothing is chosen"
    console.result(f"{table(head, rows)}\n{text}\nwrote {options.out}", {})
