# SPDX-License-Identifier: MIT
"""The exceptions of the package and what they say, under one import that touches no more of it."""

from ._core import (
    Cancelled,
    CapacityError,
    DeviceLost,
    DeviceNotFound,
    Error,
    ForkedDeviceError,
    FormatError,
)

__all__ = [
    "Cancelled",
    "CapacityError",
    "DeviceLost",
    "DeviceNotFound",
    "Error",
    "ForkedDeviceError",
    "FormatError",
    "error_text",
]


def error_text(error: BaseException) -> str:
    """What an error says in one line, with the file where the system tells of one."""
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return str(error) or "out of memory"
    return str(error) or type(error).__name__
