# SPDX-License-Identifier: MIT
"""Fields of a glTF document, each checked as it is taken: nothing in a file is as it should be."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from ..errors import FormatError

__all__ = ["Fields", "Place", "shown"]

_MISSING: Any = object()


class Place:
    """The file, for messages, and what is noted of it on the way."""

    def __init__(self, path: Any) -> None:
        self.path = path
        self._notes: dict[str, None] = {}

    def fail(self, where: str, reason: str) -> NoReturn:
        raise FormatError(f"{self.path}: {where}: {reason}" if where else f"{self.path}: {reason}")

    def note(self, text: str) -> None:
        self._notes[text] = None

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes)


class Fields:
    """One object of the document with its place in it, such as "nodes[3]"."""

    def __init__(self, place: Place, data: Any, where: str) -> None:
        self.place = place
        self.where = where
        if not isinstance(data, dict):
            self.fail(f"must be an object, got {shown(data)}")
        self.data: dict[str, Any] = data

    def fail(self, reason: str) -> NoReturn:
        self.place.fail(self.where, reason)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def at(self, key: str) -> str:
        return f"{self.where}.{key}" if self.where else key

    def _take(self, key: str, default: Any) -> Any:
        if key in self.data:
            return self.data[key]
        if default is _MISSING:
            self.fail(f"{key} is missing")
        return default

    def fields(self, key: str) -> Fields:
        """An object below; an absent one is empty."""
        return Fields(self.place, self.data.get(key, {}), self.at(key))

    def extension(self, name: str) -> Fields | None:
        extensions = self.fields("extensions")
        return extensions.fields(name) if name in extensions else None

    def array(self, key: str) -> list[Any]:
        found = self.data.get(key, [])
        if not isinstance(found, list):
            self.place.fail(self.at(key), f"must be an array, got {shown(found)}")
        return found

    def objects(self, key: str) -> list[Fields]:
        return [
            Fields(self.place, item, f"{self.at(key)}[{i}]")
            for i, item in enumerate(self.array(key))
        ]

    def text(self, key: str, default: Any = _MISSING) -> str:
        found = self._take(key, default)
        if not isinstance(found, str):
            self.fail(f"{key} must be a text, got {shown(found)}")
        return found

    def flag(self, key: str) -> bool:
        found = self.data.get(key, False)
        if not isinstance(found, bool):
            self.fail(f"{key} must be true or false, got {shown(found)}")
        return found

    def whole(self, key: str, default: Any = _MISSING, *, low: int = 0, high: int = 2**53) -> int:
        return self._whole(self._take(key, default), key, low, high)

    def _whole(self, found: Any, key: str, low: int, high: int) -> int:
        if isinstance(found, float) and found.is_integer():
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int):
            self.fail(f"{key} must be a whole number, got {shown(found)}")
        if not low <= found <= high:
            self.fail(f"{key} must lie in {low}..{high}, got {shown(found)}")
        return found

    def index(self, key: str, count: int, of: str) -> int | None:
        """An index into the document's array `of`, which has `count` items; None where absent."""
        if key not in self.data:
            return None
        return self._index(self.data[key], key, count, of)

    def _index(self, found: Any, key: str, count: int, of: str) -> int:
        if isinstance(found, bool) or not isinstance(found, int):
            self.fail(f"{key} must be an index into {of}, got {shown(found)}")
        if not 0 <= found < count:
            self.fail(f"{key} is {shown(found)}, but {of} has {count} items")
        return found

    def indices(self, key: str, count: int, of: str) -> list[int]:
        return [
            self._index(item, f"{key}[{i}]", count, of) for i, item in enumerate(self.array(key))
        ]

    def number(self, key: str, default: Any = _MISSING) -> float:
        return self._number(self._take(key, default), key)

    def _number(self, found: Any, key: str) -> float:
        if isinstance(found, bool) or not isinstance(found, (int, float)):
            self.fail(f"{key} must be a number, got {shown(found)}")
        # Far inside float64: products of several must stay finite.
        if not (abs(found) < 1e30 and math.isfinite(found)):
            self.fail(f"{key} must be finite and below 1e30, got {shown(found)}")
        return float(found)

    def numbers(self, key: str, count: int, default: Any = _MISSING) -> tuple[float, ...]:
        found = self._take(key, default)
        if not isinstance(found, (list, tuple)) or len(found) != count:
            self.fail(f"{key} must be {count} numbers, got {shown(found)}")
        return tuple(self._number(item, f"{key}[{i}]") for i, item in enumerate(found))


def shown(value: Any) -> str:
    """A value of a file in a message: short, whatever it is."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'an array'} of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**30:
        return "a number of more than 30 digits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
