# SPDX-License-Identifier: MIT
"""``dapplewood devices``: what there is to bake on."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..device import DeviceInfo, devices
from ..errors import DeviceNotFound
from .console import Console, table
from .exit_codes import ExitCode, UsageError
from .inputs import open_device

__all__ = ["run"]


def run(console: Console, options: Any) -> int:
    """Lists the devices; with --device that one alone, which must be there."""
    try:
        with open_device(options.device) as device:
            chosen = device.info
    except (DeviceNotFound, UsageError):
        if options.device is None:  # the environment asks for it: show what there is to ask for
            _show(console, devices(), None)
        raise
    _show(console, [chosen] if options.device is not None else devices(), chosen)
    return ExitCode.DONE


def _show(console: Console, rows: list[DeviceInfo], chosen: DeviceInfo | None) -> None:
    if console.json_lines:
        for info in rows:
            console.result("", {**dataclasses.asdict(info), "chosen": info == chosen})
        return
    cells = [
        (
            "*" if info == chosen else "",
            "cpu" if info.kind == "native" else info.index,
            info.kind,
            info.name,
            info.driver,
            info.api_version,
            f"{info.memory_bytes / 2**30:.1f} GiB" if info.memory_bytes else "",
            info.missing,
        )
        for info in rows
    ]
    head = ("", "which", "kind", "name", "driver", "Vulkan", "memory", "missing")
    console.result(table(head, cells), {})
