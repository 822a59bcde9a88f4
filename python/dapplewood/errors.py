# SPDX-License-Identifier: MIT
"""The exceptions of the package, under one import that touches nothing else of it."""

from ._core import (
    CapacityError,
    DeviceLost,
    DeviceNotFound,
    Error,
    ForkedDeviceError,
    FormatError,
)

__all__ = [
    "CapacityError",
    "DeviceLost",
    "DeviceNotFound",
    "Error",
    "ForkedDeviceError",
    "FormatError",
]
