# SPDX-License-Identifier: MIT
"""What a bug report needs, and what keeps a machine from having a Vulkan device."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import sys
from pathlib import Path

import numpy as np

from dapplewood import _core
from dapplewood.device import devices

__all__ = ["examine", "report"]

_ENVIRONMENT = (
    "DAPPLEWOOD_DEVICE",
    "DAPPLEWOOD_THREADS",
    "DAPPLEWOOD_VALIDATION",
    "DAPPLEWOOD_VULKAN_LOADER",
    "VK_DRIVER_FILES",
    "VK_ICD_FILENAMES",
    "VK_ADD_DRIVER_FILES",
    "VK_LOADER_DRIVERS_SELECT",
    "VK_LOADER_DRIVERS_DISABLE",
    "VK_INSTANCE_LAYERS",
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_DRIVER_CAPABILITIES",
    "MESA_VK_DEVICE_SELECT",
    "LP_NUM_THREADS",
    "LD_LIBRARY_PATH",
    "CONDA_PREFIX",
)


def _driver_manifests() -> list[Path]:
    """The files that tell the loader which drivers there are, by the loader's own search rules."""
    chosen = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    if chosen:
        named = [Path(name) for name in chosen.split(os.pathsep) if name]
        lists = [sorted(path.glob("*.json")) if path.is_dir() else [path] for path in named]
        return [path for paths in lists for path in paths]
    if os.name == "nt":
        return []
    roots = [os.environ.get("XDG_CONFIG_HOME") or "~/.config"]
    roots += (os.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")
    roots += ["/etc", os.environ.get("XDG_DATA_HOME") or "~/.local/share"]
    roots += (os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    folders = [Path(root).expanduser() / "vulkan" / "icd.d" for root in dict.fromkeys(roots)]
    return [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("*.json"))]


def _manifest(path: Path) -> dict[str, str]:
    """One driver: its library, or why the file is of no use."""
    try:
        library = str(json.loads(path.read_text())["ICD"]["library_path"])
    except FileNotFoundError:
        return {"file": str(path), "library": "", "fault": "no such file"}
    except (OSError, ValueError, KeyError, TypeError) as error:
        return {"file": str(path), "library": "", "fault": f"unreadable: {error}"}
    is_there = "/" not in library or (path.parent / library).exists()
    return {
        "file": str(path),
        "library": library,
        "fault": "" if is_there else "its library is not there",
    }


def _loader_path(name: str) -> str:
    """The file behind the loader's name, where the system tells."""
    try:
        lines = Path("/proc/self/maps").read_text().splitlines()
    except OSError:
        return name
    stem = Path(name).name.split(".so")[0] + ".so"
    paths = [line.split(maxsplit=5)[5] for line in lines if "/" in line]
    return next((path for path in paths if Path(path).name.startswith(stem)), name)


def _nodes(*patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in Path("/dev").glob(pattern))


def _hints(rows: list[dict], drivers: list[dict], reason: str | None) -> list[str]:
    hints = []
    if reason:
        hints.append(reason)
    nvidia_nodes = _nodes("nvidia[0-9]*", "nvidiactl", "dxg")
    has_nvidia_driver = any(
        "nvidia" in (driver["file"] + driver["library"]).lower() and not driver["fault"]
        for driver in drivers
    )
    if nvidia_nodes and not has_nvidia_driver and not any("NVIDIA" in row["name"] for row in rows):
        hints.append(
            f"{nvidia_nodes[0]} is there but no NVIDIA Vulkan driver file is: in a container set "
            "NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility; elsewhere install the driver's "
            "graphics libraries"
        )
    for node in _nodes("dri/renderD*"):
        if not os.access(node, os.R_OK | os.W_OK):
            hints.append(f"{node} may not be opened by this user: join the group that owns it")
    hints += [f"{driver['file']}: {driver['fault']}" for driver in drivers if driver["fault"]]
    unusable = [row for row in rows if row["missing"]]
    hints += [f"{row['name']} cannot be used, it lacks: {row['missing']}" for row in unusable]
    kinds = {row["kind"] for row in rows if not row["missing"]} - {"native"}
    if kinds == {"software"}:
        hints.append(
            "the only Vulkan device is software: work runs on native C unless "
            'Device("software") is asked for'
        )
    if os.environ.get("CUDA_VISIBLE_DEVICES") is not None and nvidia_nodes:
        hints.append("CUDA_VISIBLE_DEVICES is set and may hide NVIDIA devices")
    return hints


def examine() -> dict:
    """Gather what :func:`report` prints.

    Returns
    -------
    dict
        ``versions`` (name to text), ``loader`` (dict or None), ``vulkan`` (why Vulkan cannot be
        used, or None), ``environment`` (variables that are set), ``drivers`` (driver files),
        ``devices`` (rows of `DeviceInfo`) and ``hints`` (lines of advice). Plain values, ready
        for JSON. Never raises for lack of Vulkan.
    """
    rows = [dataclasses.asdict(info) for info in devices()]
    reason = _core.devices()[1]
    loader = _core.loader()
    if loader is not None:
        loader = {**loader, "path": _loader_path(loader["library"])}
    drivers = [_manifest(path) for path in _driver_manifests()]
    return {
        "versions": {
            "dapplewood": _core.__version__,
            "python": sys.version.split()[0],
            "numpy": np.__version__,
            "platform": platform.platform(),
            "processors": str(os.cpu_count()),
        },
        "loader": loader,
        "vulkan": reason,
        "environment": {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        "drivers": drivers,
        "devices": rows,
        "hints": _hints(rows, drivers, reason),
    }


def _device_line(row: dict) -> str:
    parts = [row["kind"], row["api_version"] and f"Vulkan {row['api_version']}", row["driver"]]
    parts.append(row["memory_bytes"] and f"{row['memory_bytes'] / 2**30:.1f} GiB")
    parts.append(row["uuid"] and f"uuid {row['uuid']}")
    text = ", ".join(part for part in parts if part)
    lacks = f"; lacks {row['missing']}" if row["missing"] else ""
    return f"{row['index']:>2}  {row['name']} ({text}{lacks})"


def report() -> str:
    """Describe the installation for a bug report.

    Returns
    -------
    str
        Versions, the Vulkan loader and drivers found, variables that matter, devices with what
        they lack, and hints. The command ``dapplewood doctor`` prints the same.
    """
    facts = examine()
    lines = [f"{name:<12}{value}" for name, value in facts["versions"].items()]
    loader = facts["loader"]
    if loader is None:
        lines.append("loader      none")
    else:
        layer = "with" if loader["has_validation"] else "without"
        lines.append(
            f"loader      {loader['path']} ({loader['api_version']}, {layer} validation layer)"
        )
    drivers = facts["drivers"]
    for title, rows in (
        ("drivers", [f"{row['file']} -> {row['library'] or row['fault']}" for row in drivers]),
        ("environment", [f"{name}={value}" for name, value in facts["environment"].items()]),
        ("devices", [_device_line(row) for row in facts["devices"]]),
        ("hints", facts["hints"]),
    ):
        lines.append(title)
        lines += [f"  {row}" for row in rows or ["none"]]
    return "\n".join(lines) + "\n"
