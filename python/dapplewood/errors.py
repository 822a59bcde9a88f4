# SPDX-License-Identifier: MIT
"""The exceptions of the package, under one import that touches nothing else of it."""

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
]
