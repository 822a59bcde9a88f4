# SPDX-License-Identifier: MIT
"""Parsed trees that remember what was read of them, so that the rest can be told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from ...errors import FormatError
from ..gltf_json import shown
from ..image import Image

__all__ = ["DEPTH", "MAX_TEXT", "Code", "Record", "Source"]

# How deep any format may be nested; no effect that was met goes beyond 20.
DEPTH = 64

# The largest file that is taken for an effect, and the longest list of what was not mapped.
MAX_TEXT = 1 << 26
_MOST_NOTES = 4096

_MISSING: Any = object()
_MOST = 1e9


class Code:
    """An expression of a script, as its text: nothing of it is ever evaluated."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text if len(self.text) <= 60 else f"{self.text[:57]}..."


class Source:
    """One file on its way to an effect: its name for messages, and what it asks for in vain.

    Attributes
    ----------
    path : Path
    folders : tuple of Path
        Where textures may lie: the file's own folder first.
    images : dict
        Textures that were read, each once.
    """

    def __init__(self, path: Path, folders: Iterable[Path] = ()) -> None:
        self.path = path
        self.folders = (path.parent, *folders)
        self._notes: dict[tuple[str, str, str], None] = {}
        self._records: list[Record] = []
        self.images: dict[Path, Image] = {}

    def fail(self, where: str, reason: str) -> NoReturn:
        raise FormatError(f"{self.path}: {where}: {reason}" if where else f"{self.path}: {reason}")

    def note(self, where: str, what: str, why: str) -> None:
        """Tells that the file asks for something that no part does."""
        self._notes[where, what, why] = None

    def record(self, data: Any, where: str = "") -> Record:
        return Record(self, data, where)

    def keep(self, record: Record) -> None:
        self._records.append(record)

    @property
    def unmapped(self) -> tuple[tuple[str, str, str], ...]:
        """All notes, and every key of every record that was met but never read."""
        found = dict(self._notes)
        for record in self._records:
            for key in record.unread():
                what = f"{key} = {shown(record.data[key])}"
                found[record.where, what, "this setting is not known here"] = None
        notes = tuple(found)
        if len(notes) <= _MOST_NOTES:
            return notes
        left = len(notes) - _MOST_NOTES
        return (*notes[:_MOST_NOTES], ("", f"{left} more", "the list is cut here"))


class Record:
    """A mapping of the file with its place in it, such as "emitters[2].shape".

    Each key counts as read once it is taken in any way. Texts stand for numbers and flags too, as
    XML has nothing else. `was_met` tells whether anyone asked for anything.
    """

    def __init__(self, source: Source, data: Any, where: str) -> None:
        self.source = source
        self.where = where
        if not isinstance(data, dict):
            self.fail(f"must be an object, got {shown(data)}")
        self.data: dict[str, Any] = data
        self._taken: set[str] = set()
        self.was_met = False
        self._below: dict[str, Any] = {}
        source.keep(self)

    def fail(self, reason: str) -> NoReturn:
        self.source.fail(self.where, reason)

    def note(self, what: str, why: str) -> None:
        self.source.note(self.where, what, why)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def __bool__(self) -> bool:
        return bool(self.data)

    def at(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def unread(self) -> Iterator[str]:
        return (key for key in self.data if key not in self._taken)

    def raw(self, key: str, default: Any = None) -> Any:
        """What stands under the key, unchecked; it counts as read as a whole."""
        self._taken.add(key)
        self.was_met = True
        return self.data.get(key, default)

    def _take(self, key: str, default: Any) -> Any:
        self._taken.add(key)
        self.was_met = True
        found = self.data.get(key)
        if found is None:
            if default is _MISSING:
                self.fail(f"{key} is missing")
            return default
        return found

    # ---- what is of no use ----

    def skip(self, *keys: str) -> None:
        """Keys that change nothing of what is seen: ids, names, settings of editors."""
        self._taken.update(keys)

    def lack(self, key: str, why: str, *unless: Any) -> None:
        """Notes a key that no part can follow, where its value is none that does nothing."""
        if key not in self.data:
            return
        self._taken.add(key)
        found = self.data[key]
        if any(_same(found, value) for value in unless):
            return
        self.note(f"{key} = {shown(found)}", why)

    # ---- structure ----

    def record(self, key: str) -> Record:
        """An object below; an absent one is empty."""
        if key not in self._below:
            self._taken.add(key)
            found = self.data.get(key)
            self._below[key] = Record(self.source, {} if found is None else found, self.at(key))
        return self._below[key]

    def records(self, key: str) -> list[Record]:
        """The objects of an array; a lone object counts as one."""
        name = f"{key}[]"
        if name not in self._below:
            found = self.array(key)
            self._below[name] = [
                Record(self.source, item, f"{self.at(key)}[{i}]") for i, item in enumerate(found)
            ]
        return self._below[name]

    def array(self, key: str) -> list[Any]:
        found = self._take(key, [])
        if isinstance(found, dict):
            return [found]
        if not isinstance(found, list):
            self.fail(f"{key} must be an array, got {shown(found)}")
        return found

    # ---- values ----

    def text(self, key: str, default: Any = _MISSING) -> str:
        found = self._take(key, default)
        if found is not default and not isinstance(found, str):
            self.fail(f"{key} must be a text, got {shown(found)}")
        return found

    def flag(self, key: str, default: bool = False) -> bool:
        found = self._take(key, default)
        if isinstance(found, str) and found.strip().lower() in ("true", "false", "0", "1"):
            return found.strip().lower() in ("true", "1")
        if not isinstance(found, bool) and found not in (0, 1):
            self.fail(f"{key} must be true or false, got {shown(found)}")
        return bool(found)

    def number(self, key: str, default: Any = _MISSING, low: float = -_MOST, high: float = _MOST
               ) -> float:  # fmt: skip
        return self._number(self._take(key, default), key, low, high)

    def _number(self, found: Any, key: str, low: float, high: float) -> float:
        if isinstance(found, str):
            try:
                found = float(found)
            except ValueError:
                self.fail(f"{key} must be a number, got {shown(found)}")
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            self.fail(f"{key} must be a number, got {shown(found)}")
        if not low <= found <= high:  # of infinite ones and NaN neither
            self.fail(f"{key} must lie in {low:g}..{high:g}, got {shown(found)}")
        return float(found)

    def whole(self, key: str, default: Any = _MISSING, low: int = 0, high: int = 2**31) -> int:
        value = self.number(key, default, low, high)
        if value != int(value):
            self.fail(f"{key} must be a whole number, got {value:g}")
        return int(value)

    def numbers(self, key: str, count: int, default: Any = _MISSING) -> tuple[float, ...]:
        """So many numbers: an array, or a text with blanks or commas between them."""
        found = self._take(key, default)
        if isinstance(found, str):
            found = found.replace(",", " ").split()
        if not isinstance(found, (list, tuple)) or len(found) != count:
            self.fail(f"{key} must be {count} numbers, got {shown(found)}")
        return tuple(self._number(item, f"{key}[{i}]", -_MOST, _MOST) for i, item in
                     enumerate(found))  # fmt: skip

    def choice(self, key: str, words: dict[int, str], default: int) -> str:
        """A whole number that stands for a word."""
        value = self.whole(key, default)
        if value not in words:
            wanted = ", ".join(f"{number} ({word})" for number, word in words.items())
            self.fail(f"{key} must be one of {wanted}, got {value}")
        return words[value]


def _same(found: Any, value: Any) -> bool:
    if isinstance(found, str) and not isinstance(value, str):
        text = found.strip().lower()
        if isinstance(value, bool):
            return text == str(value).lower()
        try:
            return float(text) == value
        except (TypeError, ValueError):
            return False
    return bool(type(found) is type(value) or isinstance(found, (int, float))) and found == value
