# SPDX-License-Identifier: MIT
"""From ids of any kind to the 64 bits that an emitter's chance follows from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["listed_ids", "uids_of"]


def _bytes_of(id: Any) -> bytes | None:
    """Equal for equal ids; None of what has no lasting value of its own."""
    if isinstance(id, (bool, int, np.integer)):
        return b"i%d" % int(id)
    if isinstance(id, (float, np.floating)):
        return b"i%d" % int(id) if float(id).is_integer() else b"f" + float(id).hex().encode()
    if isinstance(id, str):
        return b"s" + id.encode("utf-8", "surrogatepass")
    if isinstance(id, bytes):
        return b"b" + id
    if isinstance(id, tuple):
        parts = [_bytes_of(part) for part in id]
        if any(part is None for part in parts):
            return None
        return b"t" + b"".join(b"%d:%b" % (len(part), part) for part in parts if part is not None)
    return None


def _uid_of(id: Any, ordinal: int) -> int:
    if isinstance(id, (bool, int, np.integer)) and 0 <= id < 2**64:
        return int(id)
    data = _bytes_of(id)
    if data is not None and data[:1] == b"i" and 0 <= int(data[1:]) < 2**64:
        return int(data[1:])  # a float that equals it
    if data is None:
        data = b"o%d" % ordinal
    return int.from_bytes(_digest(data), "little")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=8).digest()


def uids_of(ids: Sequence[Any], ordinal: int) -> np.ndarray:
    """(N,) uint64: whole numbers as they are; hashes of strings, bytes, floats and tuples of such;
    of all else, hashes of their numbers from `ordinal` on.
    """
    if ids and all(type(id) is int for id in ids) and min(ids) >= 0 and max(ids) < 2**64:
        return np.array(ids, np.uint64)
    if ids and all(type(id) is str for id in ids):
        encoded = (_digest(b"s" + id.encode("utf-8", "surrogatepass")) for id in ids)
        return np.frombuffer(b"".join(encoded), "<u8").astype(np.uint64)
    return np.array([_uid_of(id, ordinal + i) for i, id in enumerate(ids)], np.uint64)


def listed_ids(ids: Any) -> list[Any]:
    """The ids of an array of one axis, or of any other sequence."""
    if isinstance(ids, np.ndarray):
        if ids.ndim != 1:
            raise ValueError(f"ids must have one axis, got shape {ids.shape}")
        return ids.tolist()
    if isinstance(ids, (str, bytes)):
        raise TypeError(f"ids must be a sequence of ids, got the one id {ids!r}")
    try:
        return list(ids)
    except TypeError:
        raise TypeError(f"ids must be a sequence of ids, got {type(ids).__name__}") from None
