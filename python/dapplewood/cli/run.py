# SPDX-License-Identifier: MIT
"""From words to a command, and from whatever happens to an exit code."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import error_text
from .console import Console
from .exit_codes import ExitCode, code_of
from .parser import make_parser

__all__ = ["run"]


def run(words: Sequence[str]) -> int:
    """Runs the command that the words ask for; returns its exit code."""
    _mend_streams()
    try:
        options = make_parser().parse_args(words)
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
    verbosity = -1 if options.quiet else options.verbose
    console = Console(options.command, json_lines=options.json, verbosity=verbosity)
    command = importlib.import_module(f".{options.command}_command", __package__)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: console.warn(str(message))
        return int(_guarded(command.run, console, options))


def _mend_streams() -> None:
    """Streams that are closed swallow text; results may name files in any bytes."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    if getattr(sys.stdout, "errors", "") == "strict" and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _guarded(work: Any, console: Console, options: Any) -> int:
    try:
        return work(console, options)
    except BrokenPipeError:
        # Whoever read the results has seen enough; the interpreter must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAILED
    except (Exception, KeyboardInterrupt) as error:
        return _explain(error, console)
    finally:
        console.end_progress()


def _explain(error: BaseException, console: Console) -> int:
    code = code_of(error)
    if console.verbosity > 0 and code != ExitCode.USAGE:
        console.end_progress()
        traceback.print_exception(error)
    if code == ExitCode.INTERRUPTED:
        console.error("interrupted")
    elif code is None:
        console.error(
            f"unexpected {type(error).__name__}: {error}; -v shows where, `dapplewood doctor` "
            "gives what a bug report needs"
        )
    else:
        console.error(error_text(error))
    return ExitCode.FAILED if code is None else code
