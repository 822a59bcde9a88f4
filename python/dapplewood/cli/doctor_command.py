# SPDX-License-Identifier: MIT
"""``dapplewood doctor``: what a bug report needs."""

from __future__ import annotations

from typing import Any

from ..doctor import examine, report
from .console import Console
from .exit_codes import ExitCode
from .inputs import open_device

__all__ = ["run"]


def run(console: Console, options: Any) -> int:
    """Prints the report; with --device that device must open as well."""
    console.result(report(), examine() if console.json_lines else {})
    if options.device is not None:
        open_device(options.device).close()
    return ExitCode.DONE
