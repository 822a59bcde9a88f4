# SPDX-License-Identifier: MIT
"""Where text goes: results on standard output, all else on standard error."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..progress import ProgressBar

__all__ = ["SCHEMA_VERSION", "Console", "table"]

SCHEMA_VERSION = 1  # of every JSON line; grows when a field changes its meaning or goes
_COLORS = {"green": "32", "yellow": "33", "red": "31", "bold": "1"}


class Console:
    """What a command says.

    Parameters
    ----------
    command : str
        Named in every JSON line.
    json_lines : bool
        Results as JSON, one object a line, instead of text.
    verbosity : int
        Below 0: errors and results alone. 0: warnings as well. Above 0: details, and tracebacks.
    """

    def __init__(self, command: str, *, json_lines: bool = False, verbosity: int = 0) -> None:
        self.command = command
        self.json_lines = json_lines
        self.verbosity = verbosity
        self.bar: ProgressBar | None = None
        self.drawn = -1  # percent shown by the bar
        self.lock = threading.Lock()  # work draws the bar from its own threads

    def result(self, text: str, data: dict[str, Any]) -> None:
        """One result, as text or as data."""
        if self.json_lines:
            head = {"schema": f"dapplewood.{self.command}", "schema_version": SCHEMA_VERSION}
            text = json.dumps({**head, **data}, allow_nan=False)
        with self.lock:
            self._wipe()
            print(text, flush=True)

    def info(self, text: str) -> None:
        """Details, with -v."""
        if self.verbosity > 0:
            self._say(text)

    def warn(self, text: str) -> None:
        """What the user should look at; hidden by -q."""
        if self.verbosity >= 0:
            self._say(f"{self.paint('warning', 'yellow', sys.stderr)}: {text}")

    def error(self, text: str) -> None:
        """Why there is no result."""
        self._say(f"{self.paint('error', 'red', sys.stderr)}: {text}")

    def _say(self, text: str) -> None:
        with self.lock:
            self._wipe()
            print(f"dapplewood: {text}", file=sys.stderr, flush=True)

    def paint(self, text: str, color: str, stream: Any = None) -> str:
        """Text in colour where the stream is a terminal and NO_COLOR is not set."""
        stream = sys.stdout if stream is None else stream
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        if plain or not stream.isatty():
            return text
        return f"\033[{_COLORS[color]}m{text}\033[0m"

    def progress(self, label: str) -> Callable[[float], None] | None:
        """Draws a bar at a fraction, on a terminal; None where there is none, or with -q."""
        self.end_progress()
        if self.verbosity < 0 or not sys.stderr.isatty():
            return None
        self.bar = ProgressBar(label)
        return self._draw

    def _draw(self, fraction: float) -> None:
        percent = int(100 * fraction)
        with self.lock:
            if self.bar is not None and percent != self.drawn:
                self.drawn = percent
                self.bar(fraction)

    def end_progress(self) -> None:
        """Wipes the bar for good."""
        with self.lock:
            self._wipe()
            self.bar = None

    def _wipe(self) -> None:
        """Makes room for a line; the next step draws the bar again."""
        if self.bar is not None:
            self.bar.close()
            self.drawn = -1


def table(head: Sequence[str], rows: Sequence[Sequence[Any]], *, indent: str = "") -> str:
    """Rows in aligned columns; columns of numbers to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(head), *cells]) for i in range(len(head))]
    numeric = [all(_is_number(row[i]) for row in cells) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        return (indent + "  ".join(parts)).rstrip()

    return "\n".join(line(row) for row in [list(head), *cells])


def _is_number(text: str) -> bool:
    try:
        float(text.split()[0] if text else "0")
    except ValueError:
        return text in ("-", "")
    return True
