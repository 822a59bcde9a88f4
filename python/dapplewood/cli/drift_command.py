# SPDX-License-Identifier: MIT
"""``dapplewood drift``: a clip played through trees, and what its poses cost."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from ..drift_run import DriftFrame, DriftRun, play_drift
from ..io.gltf import load_gltf
from ..model import Model
from .console import Console, table
from .exit_codes import ExitCode, UsageError
from .inputs import open_device, refuse_overwriting

__all__ = ["run"]

_HEAD = (
    "time s", "refit ms", "ratio", "fresh ratio", "steps", "refit alone", "fresh tree", "slower %",
    "",
)  # fmt: skip


def run(console: Console, options: Any) -> int:
    """Plays the clip, prints a row a frame, and plots it."""
    path = Path(options.file)
    out = Path(options.out) if options.out else None
    if path.suffix.lower() not in (".glb", ".gltf"):
        raise UsageError(f"{path}: takes a model, .glb or .gltf")
    if out is not None:
        if out.suffix.lower() not in (".png", ".svg", ".pdf"):
            raise UsageError(f"--out must end in .png, .svg or .pdf, got {str(out)!r}")
        refuse_overwriting([out], [os.fspath(path)], "--out")
    model = load_gltf(path)
    animation = _animation(model, options.animation)
    with open_device(options.device) as device:
        try:
            played = play_drift(
                model,
                animation,
                frames=options.frames,
                fps=options.fps,
                rays=options.rays,
                compare=not options.quick,
                device=device,
                progress=console.progress("drift"),
                node_format=options.node_format,
            )
        except ValueError as error:
            raise UsageError(f"{path}: {error}") from None
        console.end_progress()
    _tell(console, played)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        try:
            played.plot().savefig(out, dpi=130)
            console.info(f"wrote {out}")
        except ImportError as error:  # plots are an extra
            console.warn(f"no {out}: {error}")
    return ExitCode.DONE


def _animation(model: Model, which: str | None) -> Any:
    names = [one.name for one in model.animations]
    if not names:
        raise UsageError(f"{model.name}: has no animation")
    if which is None:
        return 0
    if which in names:
        return which
    if which.isdigit() and int(which) < len(names):
        return int(which)
    raise UsageError(f"--animation must be one of {', '.join(map(repr, names))}, got {which!r}")


def _tell(console: Console, played: DriftRun) -> None:
    summary = played.summary()
    head = {"model": played.model, "animation": played.animation, "device": played.device}
    if console.json_lines:
        for frame in played.frames:
            console.result("", {**head, "frame": frame.to_dict()})
        console.result("", {**head, "summary": summary})
        return
    rows = [_row(frame) for frame in played.frames]
    names = ", ".join(name for name in (played.model, played.animation) if name)
    text = (
        f"{names}: {summary['triangles']:,} deforming triangles, "
        f"{summary['frames']} frames of {summary['rays']:,} rays on {played.device}; refit "
        f"{summary['refit_ms']:.3g} ms, {summary['rebuilds']} rebuilds, {summary['probes']} probes"
    )
    if summary["slowdown_most"] is not None:
        mean, most, kept, kept_most = (
            f"{100 * summary[name] - 100:.1f} %"
            for name in (
                "slowdown_mean", "slowdown_most", "slowdown_mean_if_never_rebuilt",
                "slowdown_most_if_never_rebuilt",
            )
        )  # fmt: skip
        text += (
            f"\nrays visit {mean} more nodes than in trees built for each pose, {most} at most; "
            f"without rebuilds {kept} and {kept_most}"
        )
    console.result(f"{table(_HEAD, rows)}\n{text}", {})


def _row(frame: DriftFrame) -> tuple[str, ...]:
    def number(value: float, digits: int) -> str:
        return f"{value:.{digits}f}" if math.isfinite(value) else "-"

    mark = "rebuilt" if frame.rebuilds else "probed" if frame.probes else ""
    return (
        f"{frame.time:.3f}",
        number(frame.refit_ms, 3),
        number(frame.ratio, 3),
        number(frame.fresh_ratio, 3),
        number(frame.steps, 1),
        number(frame.steps_kept, 1),
        number(frame.steps_fresh, 1),
        number(100.0 * (frame.steps / frame.steps_fresh - 1.0), 1),
        mark,
    )
