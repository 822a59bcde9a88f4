# SPDX-License-Identifier: MIT
"""Progress of long work: a callback, or a bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

__all__ = ["ProgressBar", "as_progress"]

_WIDTH = 30  # characters of the bar


class ProgressBar:
    """A bar on standard error; draws nothing where that is no terminal.

    Parameters
    ----------
    label : str
        Shown before the bar.
    """

    def __init__(self, label: str = "") -> None:
        self.label = label
        self.visible = sys.stderr.isatty()

    def __call__(self, fraction: float) -> None:
        """Draws the bar at a fraction of the work, 0 to 1."""
        if not self.visible:
            return
        filled = round(_WIDTH * min(max(fraction, 0.0), 1.0))
        bar = "#" * filled + "." * (_WIDTH - filled)
        sys.stderr.write(f"\r{self.label} [{bar}] {100 * fraction:3.0f} %")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipes the line."""
        if self.visible:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def as_progress(
    progress: Any, label: str
) -> tuple[Callable[[float], Any] | None, ProgressBar | None]:
    """The callback that an argument `progress` means, and the bar to close afterwards, if any."""
    if progress is None or progress is False:
        return None, None
    if progress is True:
        bar = ProgressBar(label)
        return bar, bar
    if not callable(progress):
        raise TypeError(
            f"progress must be a callable taking a fraction, True or None, got "
            f"{type(progress).__name__}"
        )
    return progress, None
