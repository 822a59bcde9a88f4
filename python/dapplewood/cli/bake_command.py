# SPDX-License-Identifier: MIT
"""``dapplewood bake``: files to files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..batch import BakeRecord, bake_files
from ..io import atomic_file
from .console import Console
from .exit_codes import ExitCode, UsageError, code_of
from .inputs import input_paths, refuse_overwriting, tiles_of

__all__ = ["run"]

_COLORS = {"baked": "green", "stale": "yellow", "would bake": "yellow", "failed": "red"}


def run(console: Console, options: Any) -> int:
    """Bakes the files and prints a line for each."""
    if options.check and (options.force or options.dry_run):
        raise UsageError("--check goes with neither --force nor --dry-run")
    paths = input_paths(options.files, options.from_file)
    if options.depfile:
        refuse_overwriting([options.depfile], paths, "--depfile")
    settings = _settings(options)
    bar = console.progress("bake")
    try:
        records = bake_files(
            paths,
            options.out,
            containers=options.container,
            device=options.device,
            force=options.force,
            check=options.check,
            dry_run=options.dry_run,
            progress=bar,
            on_record=lambda record: _show(console, record),
            **settings,
        )
    except (ValueError, TypeError) as error:  # settings; what is wrong with a file is in its record
        raise UsageError(str(error)) from error
    if options.depfile:
        _write_depfile(options.depfile, records)
    return _exit_code(records)


def _settings(options: Any) -> dict[str, Any]:
    names = (
        "coverage", "filter", "fill", "color_space", "max_level", "start_level", "strength",
        "opacity", "premultiplied", "format", "alpha", "array", "far", "pad_chain",
        "supercompress", "report",
    )  # fmt: skip
    found = {name: getattr(options, name) for name in names}
    found["tiles"] = tiles_of(options.tiles, options.gutter, options.rects)
    if options.cutoff:
        found["cutoffs"] = tuple(options.cutoff)
    return found


def _show(console: Console, record: BakeRecord) -> None:
    status = console.paint(f"{record.status:<10}", _COLORS.get(record.status, "bold"))
    console.result(f"{status} {_line(record)}", record.as_dict())
    for note in record.notes:
        console.info(f"{record.source}: {note}")
    if record.seconds:
        spent = ", ".join(f"{name} {value:.3f} s" for name, value in record.seconds.items())
        console.info(f"{record.source}: {record.reason or 'up to date'}; {spent}")


def _line(record: BakeRecord) -> str:
    if record.status == "failed":
        named = record.source in record.reason
        return record.reason if named else f"{record.source}: {record.reason}"
    if record.status == "current":
        return record.source
    if record.status != "baked":
        return f"{record.source}: {record.reason}"
    safe = f"safe through {record.safe_level}" if record.safe_level >= 0 else "no safe level"
    return (
        f"{record.source} -> {', '.join(record.outputs)}  {record.width}x{record.height}, "
        f"{record.tiles} tile{'s' * (record.tiles != 1)}, {record.levels} levels, {safe}, "
        f"{sum(record.seconds.values()):.2f} s"
    )


def _exit_code(records: Sequence[BakeRecord]) -> int:
    errors = [record.error for record in records if record.error is not None]
    codes = {code_of(error) or ExitCode.FAILED for error in errors}
    if ExitCode.RETRY in codes:
        return ExitCode.RETRY
    if codes:
        return ExitCode.FAILED
    stale = any(record.status == "stale" for record in records)
    return ExitCode.DIFFERENT if stale else ExitCode.DONE


def _escape(path: str) -> str:
    """A path as Make and Ninja read it in a dependency file."""
    for letter in ("\\", " ", "#"):
        path = path.replace(letter, "\\" + letter) if letter != "\\" or os.sep != "\\" else path
    return path.replace("$", "$$")


def _write_depfile(path: str, records: Sequence[BakeRecord]) -> None:
    lines = [
        f"{' '.join(map(_escape, record.outputs))}: {' '.join(map(_escape, record.inputs))}\n"
        for record in records
        if record.inputs
    ]
    with atomic_file(path) as file:
        file.write(os.fsencode("".join(lines)))
