# SPDX-License-Identifier: MIT
"""The text of Godot's scenes and resources: sections of properties, values as data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .reading import DEPTH, Source

__all__ = ["Call", "Section", "read_sections"]

_BLANK = re.compile(r"(?:\s+|;[^\n]*)+")
_NAME = re.compile(r"[A-Za-z_][\w/.:\-]*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|nan)\b")
_STRING = re.compile(r'[&^]?"((?:[^"\\]|\\.)*)"', re.DOTALL)
_WORDS = {"true": True, "false": False, "null": None}

# Plain numbers in brackets.
_TUPLES = (
    "Vector2", "Vector3", "Vector4", "Vector2i", "Vector3i", "Color", "Quaternion", "Quat",
    "Transform", "Transform3D", "Transform2D", "Basis", "Rect2", "AABB", "Plane",
)  # fmt: skip


@dataclass(frozen=True)
class Call:
    """Anything else in brackets: SubResource("1"), NodePath("a/b")."""

    name: str
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.values[:4]))})"


@dataclass
class Section:
    tag: str
    line: int
    header: dict[str, Any] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


def read_sections(source: Source, text: str) -> list[Section]:
    """All sections; FormatError with the line where the text is none of Godot's."""
    reader = _Reader(source, text)
    sections: list[Section] = []
    while reader.blank():
        if text[reader.at] == "[":
            sections.append(reader.section())
        elif sections:
            name = reader.name()
            reader.want("=")
            sections[-1].values[name] = reader.value(0)
        else:
            reader.fail("wanted a section such as [gd_scene format=3]")
    if not sections or sections[0].tag not in ("gd_scene", "gd_resource"):
        source.fail("line 1", "wanted [gd_scene] or [gd_resource]")
    return sections


class _Reader:
    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        self.text = text
        self.at = 0

    def fail(self, reason: str) -> None:
        self.source.fail(f"line {self.text.count(chr(10), 0, self.at) + 1}", reason)

    def blank(self) -> bool:
        match = _BLANK.match(self.text, self.at)
        if match:
            self.at = match.end()
        return self.at < len(self.text)

    def next(self) -> str:
        if not self.blank():
            self.fail("the file ends within a value")
        return self.text[self.at]

    def want(self, letter: str) -> None:
        if self.next() != letter:
            self.fail(f"wanted {letter!r}, got {self.text[self.at]!r}")
        self.at += 1

    def name(self) -> str:
        if self.next() == '"':
            return self.string()
        match = _NAME.match(self.text, self.at)
        if match is None:
            self.fail(f"wanted a name, got {self.text[self.at]!r}")
            return ""
        self.at = match.end()
        return match.group()

    def section(self) -> Section:
        line = self.text.count("\n", 0, self.at) + 1
        self.want("[")
        found = Section(self.name(), line)
        while self.next() != "]":
            name = self.name()
            self.want("=")
            found.header[name] = self.value(0)
        self.at += 1
        return found

    def string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            self.fail("a text has no end")
            return ""
        self.at = match.end()
        return match.group(1).replace('\\"', '"').replace("\\\\", "\\")

    def value(self, depth: int) -> Any:
        if depth > DEPTH:
            self.fail(f"is nested deeper than {DEPTH}")
        letter = self.next()
        if letter in '"&^':
            return self.string()
        if letter == "[":
            self.at += 1
            return self.items("]", depth)
        if letter == "{":
            return self.table(depth)
        match = _NUMBER.match(self.text, self.at)
        if match:
            self.at = match.end()
            word = match.group()
            return int(word) if re.fullmatch(r"[+-]?\d{1,18}", word) else float(word)
        match = _WORD.match(self.text, self.at)
        if match is None:
            self.fail(f"wanted a value, got {letter!r}")
            return None
        self.at = match.end()
        word = match.group()
        if self.text[self.at : self.at + 1] in ("(", "["):
            return self.call(word, depth)
        return _WORDS.get(word, word)

    def call(self, word: str, depth: int) -> Any:
        if self.text[self.at] == "[":  # Array[Vector3](...)
            self.at = self.text.find("]", self.at) + 1
            if self.at == 0:
                self.fail("a type in [] has no end")
        self.want("(")
        values = self.items(")", depth)
        if word in _TUPLES:
            return tuple(values)
        if word.startswith(("Pool", "Packed")) and word.endswith("Array"):
            return values
        return Call(word, tuple(values))

    def items(self, end: str, depth: int) -> list[Any]:
        found: list[Any] = []
        while self.next() != end:
            found.append(self.value(depth + 1))
            # Object(Name, "key": value, ...)
            if self.next() == ":":
                self.at += 1
                found[-1] = (found[-1], self.value(depth + 1))
            if self.next() == ",":
                self.at += 1
            elif self.text[self.at] != end:
                self.fail(f"wanted ',' or {end!r}, got {self.text[self.at]!r}")
        self.at += 1
        return found

    def table(self, depth: int) -> dict[str, Any]:
        self.want("{")
        found: dict[str, Any] = {}
        while self.next() != "}":
            key = self.value(depth + 1)
            self.want(":")
            found[str(key)] = self.value(depth + 1)
            if self.next() == ",":
                self.at += 1
            elif self.text[self.at] != "}":
                self.fail(f"wanted ',' or '}}', got {self.text[self.at]!r}")
        self.at += 1
        return found
