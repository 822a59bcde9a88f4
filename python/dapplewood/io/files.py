# SPDX-License-Identifier: MIT
"""Whole-file reading and all-or-nothing writing."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..errors import FormatError
from .formats import MAX_BYTES

# Twice the largest payload that a reader takes: a chain and whatever else stands beside it.
_MAX_FILE = 2 * MAX_BYTES


def as_path(path: str | os.PathLike[str], name: str = "path") -> Path:
    """The path as a `Path`; TypeError that names the argument when it is none."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} must be a str or a path, got {type(path).__name__}")
    return Path(path)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Opens a file for reading.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, OSError
        As the system says, with the path.
    FormatError
        A pipe or a device: reading it may never end.
    """
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise FormatError(f"{os.fspath(path)}: no regular file; copy what it gives into one")
    return open(path, "rb", buffering=0)


def read_bytes(path: Path) -> memoryview:
    """The whole file, in memory that arrays may share and change.

    It is read and not mapped: a mapped file that another program cuts short ends the process, and
    on Windows it cannot be replaced.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, OSError
        As the system says, with the path.
    FormatError
        The file is empty, larger than any that is read, or no regular file.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise FormatError(f"{path}: the file is empty")
        if size > _MAX_FILE:
            raise FormatError(f"{path}: the file has {size} bytes; at most {_MAX_FILE} are read")
        data = np.empty(size, np.uint8).data
        done = 0
        while done < size and (count := file.readinto(data[done:])):
            done += count
    return data[:done]


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives the path of a new temporary file beside `path` and renames it onto `path` at the end.

    The temporary file keeps the suffix, for writers that choose the format by it. If the body or
    the rename fails, the temporary file is removed and the old file, if any, stays as it was.

    Raises
    ------
    OSError
        Read-only or missing folder, full disk; `filename` is the path that was asked for.
    """
    target = as_path(path)
    # Part of the stem only: the name must not be too long where that of the target is not.
    temporary = target.with_name(f".{target.stem[:32]}.{secrets.token_hex(6)}{target.suffix}")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except OSError as error:
        raise _renamed(error, target) from error
    finally:
        # A read-only disk refuses this even where there is no file; that must not hide the error.
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """`atomic_path` with the temporary file opened for binary writing."""
    with atomic_path(path) as temporary, open(temporary, "wb", buffering=0) as file:
        yield file


def write_all(file: BinaryIO, data: bytes | memoryview) -> None:
    """Writes every byte: a raw file may take fewer than it is given (2 GiB at most on Linux)."""
    view = memoryview(data).cast("B")
    while view.nbytes:
        view = view[file.write(view) or 0 :]


def _renamed(error: OSError, target: Path) -> OSError:
    if error.filename is not None and os.fspath(error.filename) == os.fspath(target):
        return error
    return type(error)(error.errno, error.strerror or str(error), os.fspath(target))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    # The rename itself is durable only after the folder is synced; Windows cannot open folders.
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
