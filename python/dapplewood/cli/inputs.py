# SPDX-License-Identifier: MIT
"""Which files, tiles and device a command line means."""

from __future__ import annotations

import csv
import glob
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..device import Device, default_vulkan_device
from ..errors import DeviceNotFound
from ..tiles import TileGrid, TileRects
from .console import Console
from .exit_codes import UsageError

__all__ = [
    "drawing_device", "input_paths", "open_device", "read_list", "read_rects",
    "refuse_overwriting", "tiles_of",
]  # fmt: skip


def input_paths(words: Sequence[str], from_file: str | None = None) -> list[str]:
    """The input files, each once, in the order given; matches of a pattern sorted.

    Parameters
    ----------
    words : sequence of str
        Paths, and patterns with ``*``, ``?``, ``[...]`` and ``**``, which shells of Windows and
        quotes leave to us.
    from_file : str, optional
        A file with one more path or pattern a line, or "-" for standard input.
    """
    found: dict[str, str] = {}
    for word in [*words, *(read_list(from_file) if from_file else [])]:
        for path in _matches(word):
            found.setdefault(os.path.normcase(os.path.realpath(path)), path)
    if not found:
        raise UsageError("no input files; name some, or give --from-file LIST")
    return list(found.values())


def refuse_overwriting(
    outputs: Iterable[str | os.PathLike[str]], inputs: Iterable[str], argument: str
) -> None:
    """UsageError when one of the outputs is one of the inputs."""
    held = {os.path.normcase(os.path.realpath(path)): path for path in inputs}
    for path in outputs:
        if (source := held.get(os.path.normcase(os.path.realpath(path)))) is not None:
            raise UsageError(f"{argument}: {os.fspath(path)} would overwrite the input {source}")


def _matches(word: str) -> list[str]:
    if os.path.isdir(word):
        raise UsageError(f"{word} is a folder; ask for its files, such as '{word}/**/*.png'")
    if os.path.exists(word) or not glob.has_magic(word):
        return [word]
    paths = sorted(path for path in glob.glob(word, recursive=True) if os.path.isfile(path))
    if not paths:
        raise UsageError(f"no file matches {word!r}")
    return paths


def read_list(name: str) -> list[str]:
    """Lines of a file, or of standard input for "-"; blank ones left out."""
    try:
        if name == "-":
            text = sys.stdin.read()
        else:
            with open(name, encoding="utf-8") as file:
                text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--from-file {name}: {error}") from None
    return [line.strip() for line in text.splitlines() if line.strip()]


def read_rects(path: str, gutter: int) -> TileRects:
    """Tiles from a CSV file of x, y, width, height in texels; a heading line is passed over."""
    rows: list[list[int]] = []
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            for number, row in enumerate(csv.reader(file), 1):
                cells = [cell.strip() for cell in row]
                if not any(cells) or cells[0].startswith("#"):
                    continue
                if number == 1 and not cells[0].lstrip("-").isdigit():
                    continue
                rows.append(_rect(cells, path, number))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"--rects {path}: {error}") from None
    if not rows:
        raise UsageError(f"--rects {path}: no line with x, y, width, height")
    try:
        return TileRects(rows, gutter=gutter)
    except (TypeError, ValueError) as error:
        raise UsageError(f"--rects {path}: {error}") from None


def _rect(cells: list[str], path: str, number: int) -> list[int]:
    try:
        values = [int(cell) for cell in cells]
    except ValueError:
        values = []
    if len(values) != 4:
        raise UsageError(
            f"--rects {path}, line {number}: wanted four whole numbers x, y, width, height, got "
            f"{','.join(cells)!r}"
        )
    return values


def tiles_of(
    tiles: str | None, gutter: int, rects: str | None
) -> TileGrid | TileRects | str | None:
    """What ``--tiles``, ``--gutter`` and ``--rects`` mean together."""
    if rects is not None:
        if tiles is not None:
            raise UsageError("--tiles and --rects exclude each other")
        return read_rects(rects, gutter)
    if tiles is None or tiles == "auto":
        if gutter:
            raise UsageError("--gutter needs --tiles COLUMNSxROWS or --rects FILE")
        return tiles
    columns, cross, rows = tiles.lower().partition("x")
    if not (cross and columns.isdigit() and rows.isdigit()):
        raise UsageError(f"--tiles takes COLUMNSxROWS, such as 8x8, or auto; got {tiles!r}")
    try:
        return TileGrid(int(columns), int(rows), gutter=gutter)
    except ValueError as error:
        raise UsageError(f"--tiles {tiles}: {error}") from None


def drawing_device(console: Console, picture: Path, device: Device) -> Device | None:
    """The device, or in place of a native one the best that draws; None, said why, without one."""
    if device.info.kind != "native":
        return device
    try:
        return default_vulkan_device()
    except DeviceNotFound as error:
        console.warn(f"no {picture}: drawing needs a Vulkan device ({error})")
        return None


def open_device(which: str | None, *, threads: int = 0) -> Device:
    """The device of ``--device``, or of the environment; a word that is none is a wrong usage."""
    try:
        return Device(which, threads=threads)
    except ValueError as error:
        raise UsageError(str(error)) from None
