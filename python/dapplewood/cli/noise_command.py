# SPDX-License-Identifier: MIT
"""``dapplewood noise``: dither patterns, seen and measured."""

from __future__ import annotations

from typing import Any

from ..dither import blue_noise, dither_ranks
from ..io import write_image
from ..kinds import DitherPattern
from ..noise_sheet import noise_sheet
from ..noise_spectrum import spectrum
from .console import Console, table
from .exit_codes import ExitCode, UsageError

__all__ = ["run"]


def run(console: Console, options: Any) -> int:
    """Draws the sheet and prints the spectra."""
    if not options.out.lower().endswith(".png"):
        raise UsageError(f"--out must end in .png, got {options.out!r}")
    try:
        blue = blue_noise(options.size, sigma=options.sigma, seed=options.seed)
    except ValueError as error:
        raise UsageError(f"--{error}") from None
    patterns = {
        kind.name.lower(): blue if kind == DitherPattern.BLUE else dither_ranks(kind)
        for kind in DitherPattern
    }
    side = max(128, options.size)
    amounts = options.amount or [0.1, 0.25, 0.5, 0.7, 0.9]
    write_image(options.out, noise_sheet(patterns, amounts, side=side, rule=options.rule))
    found = {name: spectrum(ranks) for name, ranks in patterns.items()}
    if console.json_lines:
        for name, one in found.items():
            ranks = patterns[name]
            facts = {"pattern": name, "size": len(ranks), **one.to_dict(), "out": options.out}
            console.result("", facts)
        return ExitCode.DONE
    head = ("pattern", "size", "low frequencies", "anisotropy dB")
    rows = [
        (name, len(patterns[name]), f"{one.low_frequency:.5f}", f"{one.anisotropy_db:+.2f}")
        for name, one in found.items()
    ]
    text = "low frequencies: power below 1/8 cycle a pixel, white noise 1; anisotropy: 0 is even"
    console.result(f"{table(head, rows)}\n{text}\nwrote {options.out}", {})
    return ExitCode.DONE
