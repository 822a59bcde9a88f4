# SPDX-License-Identifier: MIT
"""``dapplewood doctor``: what a bug report needs."""

from __future__ import annotations

from typing import Any

from ..device import Device
from .console import Console
from .exit_codes import ExitCode

__all__ = ["run"]


def run(console: Console, options: Any) -> int:
    """Prints the report; with --device that device must open as well."""
    from .. import doctor

    text = doctor.report()
    console.result(text, {"report": text.splitlines()})
    if options.device is not None:
        Device(options.device).close()
    return ExitCode.DONE
