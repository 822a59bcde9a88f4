# SPDX-License-Identifier: MIT
"""The command line: ``dapplewood bake``, ``report``, ``devices`` and so on."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        Without the program's name; those of the process if None.

    Returns
    -------
    int
        An `ExitCode`.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words in (["--version"], ["-V"]):  # ahead of the parser, which needs the core
        from .._core import __version__

        print(f"dapplewood {__version__}")
        return 0
    from .run import run

    return run(words)
