# SPDX-License-Identifier: MIT
"""What the process tells its caller; the numbers are a contract."""

from __future__ import annotations

import enum

from ..errors import Cancelled, DeviceLost, DeviceNotFound, Error

__all__ = ["ExitCode", "UsageError", "code_of"]


class ExitCode(enum.IntEnum):
    """Exit status of a command."""

    DONE = 0  # or up to date
    FAILED = 1  # some inputs failed, the others are written
    USAGE = 2
    NO_DEVICE = 3
    RETRY = 4  # device lost or out of memory: another machine may do it
    DIFFERENT = 5  # a check found stale or different output
    INTERRUPTED = 130


class UsageError(Exception):
    """Words on the command line that cannot be meant."""


def code_of(error: BaseException) -> ExitCode | None:
    """The exit code that an error stands for; None for one that nobody foresaw."""
    if isinstance(error, (KeyboardInterrupt, Cancelled)):
        return ExitCode.INTERRUPTED
    if isinstance(error, UsageError):
        return ExitCode.USAGE
    if isinstance(error, DeviceNotFound):
        return ExitCode.NO_DEVICE
    if isinstance(error, (DeviceLost, MemoryError)):
        return ExitCode.RETRY
    if isinstance(error, (Error, OSError, ValueError, TypeError, ImportError)):
        return ExitCode.FAILED
    return None
