# SPDX-License-Identifier: MIT
"""``dapplewood effect``: what a file of particles holds, what of it plays here, and a strip."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import Error, error_text
from ..io import write_image
from ..io.effects import load_effect
from ..kinds import ParticleKind
from ..particle_effect import EFFECT_NAMES, ParticleEffect, ParticlePart, effect
from ..particle_style import ParticleStyle
from .console import Console, table
from .exit_codes import ExitCode, UsageError
from .inputs import drawing_device, input_paths, open_device, refuse_overwriting

__all__ = ["run"]

_HEAD = ("part", "kind", "layer", "particles", "life s", "plays")


def run(console: Console, options: Any) -> int:
    """Tells of each effect; draws them, one strip below the other."""
    words = input_paths(options.effects)
    out = Path(options.out) if options.out else None
    if out is not None and out.suffix.lower() != ".png":
        raise UsageError(f"--out must end in .png, got {str(out)!r}")
    if options.time[0] < 0.0:
        raise UsageError(f"--time must be 0 s or later, got {options.time[0]:g}")
    if out is not None:
        refuse_overwriting([out], [word for word in words if word not in EFFECT_NAMES], "--out")
    loaded, code = [], ExitCode.DONE
    for word in words:
        try:
            one = effect(word) if word in EFFECT_NAMES else load_effect(word)
        except (Error, OSError) as error:
            code = ExitCode.FAILED
            is_word = isinstance(error, FileNotFoundError) and not Path(word).suffix
            names = f"; built in are {', '.join(EFFECT_NAMES)}" if is_word else ""
            console.error(error_text(error) + names)
            continue
        loaded.append(one)
        _tell(console, word, one)
    if out is not None and loaded and not _draw(console, loaded, out, options):
        return ExitCode.NO_DEVICE
    if options.strict and any(one.unmapped for one in loaded):
        code = code or ExitCode.DIFFERENT
    return code


def _tell(console: Console, word: str, one: ParticleEffect) -> None:
    rows = [_row(i, part) for i, part in enumerate(one.parts)]
    lost = "".join(
        f"\n  not as in the file: {f'{where}: ' if where else ''}{what}: {why}"
        for where, what, why in one.unmapped
    )
    text = f"{word}: {one.count:,} particles\n{table(_HEAD, rows, indent='  ')}{lost}"
    data = {
        "effect": word,
        "name": one.name,
        "particles": one.count,
        "parts": [_facts(part) for part in one.parts],
        "unmapped": [dict(zip(("where", "what", "why"), row)) for row in one.unmapped],
    }
    console.result(text, data)


def _layer(part: ParticlePart) -> str:
    if isinstance(part.layer, ParticleStyle):
        return part.layer.name or part.layer.blend
    return part.layer.name.lower()


def _plays(part: ParticlePart) -> str:
    return "once" if part.once else "in bursts" if part.burst else "on and on"


def _row(index: int, part: ParticlePart) -> tuple[str, ...]:
    least, most = part.lifetime
    life = f"{least:.3g}" if least == most else f"{least:.3g} to {most:.3g}"
    kind = ParticleKind(part.kind).name.lower()
    return (str(index), kind, _layer(part), f"{part.count:,}", life, _plays(part))


def _facts(part: ParticlePart) -> dict[str, Any]:
    return {
        "kind": ParticleKind(part.kind).name.lower(),
        "layer": _layer(part),
        "count": part.count,
        "lifetime": list(part.lifetime),
        "plays": _plays(part),
    }


def _draw(console: Console, loaded: list[ParticleEffect], out: Path, options: Any) -> bool:
    from ..effect_picture import effect_strip

    strips = []
    with open_device(options.device) as device:
        drawing = drawing_device(console, out, device)
        if drawing is None:
            return False
        bar = console.progress("effect")
        for i, one in enumerate(loaded):
            strips.append(effect_strip(one, options.time, size=options.size, device=drawing))
            if bar is not None:
                bar((i + 1) / len(loaded))
    console.end_progress()
    out.parent.mkdir(parents=True, exist_ok=True)
    write_image(out, np.concatenate(strips), color_space="srgb")
    console.info(f"wrote {os.fspath(out)}")
    return True
