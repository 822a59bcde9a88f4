# SPDX-License-Identifier: MIT
"""``dapplewood report``: what a texture made by any tool is worth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..atlas_report import AtlasReport
from ..batch import write_report
from .console import Console
from .exit_codes import ExitCode, UsageError
from .inputs import open_device, tiles_of

__all__ = ["run"]


def run(console: Console, options: Any) -> int:
    """Measures one texture and prints the table."""
    for path in options.out or ():
        _check_suffix(path)
    tiles = tiles_of(options.tiles, options.gutter, options.rects)
    with open_device(options.device) as device:
        report = AtlasReport.of_texture(
            options.file, tiles=tiles, cutoffs=tuple(options.cutoff or (0.5,)), device=device
        )
    for path in options.out or ():
        write_report(report, path)
        console.info(f"wrote {path}")
    console.result(report.table(), {"file": options.file, "report": json.loads(report.to_json())})
    return ExitCode.DONE


def _check_suffix(path: str) -> None:
    if Path(path).suffix.lower() not in (".html", ".json"):
        raise UsageError(f"--out must end in .html or .json, got {path!r}")
