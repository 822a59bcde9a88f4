# SPDX-License-Identifier: MIT
"""Objects written in JavaScript, read as data: nothing is evaluated.

What is no literal (a call, a function, the name of something) comes out as `Code` with its text.
"""

from __future__ import annotations

import re
from typing import Any

from .reading import DEPTH, Code, Source

__all__ = ["script_objects"]

_SPACE = re.compile(r"[\s\ufeff]+")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)"
)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_CLOSE = {"{": "}", "[": "]", "(": ")"}

# Where an object may begin: assigned, exported, returned, or handed to a call.
_BEGIN = re.compile(r"[=(,:]|\b(?:default|return)\b")


def _past_blank(text: str, at: int) -> int:
    """Past spaces and comments."""
    while True:
        match = _SPACE.match(text, at)
        at = match.end() if match else at
        mark = text[at : at + 2]
        if mark not in ("//", "/*"):
            return at
        end = text.find("\n" if mark == "//" else "*/", at + 2)
        if end < 0:
            return len(text)
        at = end + (1 if mark == "//" else 2)


def script_objects(source: Source, text: str) -> list[tuple[dict[str, Any], str]]:
    """Every outermost object of a script that holds data, with what stands before it.

    Raises
    ------
    FormatError
        A script without any, or one that ends within its object.
    """
    found: list[tuple[dict[str, Any], str]] = []
    end, before = 0, 0
    first = _past_blank(text, 0)
    starts = [first] if text[first : first + 1] == "{" else []
    for start in (*starts, *(match.end() for match in _BEGIN.finditer(text))):
        if start < end:
            continue
        end = _past_blank(text, start)
        if text[end : end + 1] != "{":
            continue
        reader = _Reader(source, text, end)
        value = reader.value(0)
        if any(not isinstance(item, Code) for item in value.values()):
            found.append((value, text[before:end]))
        before = end = reader.at
    if not found:
        source.fail("", "holds no object with settings, such as `const options = { ... };`")
    return found


class _Reader:
    def __init__(self, source: Source, text: str, at: int) -> None:
        self.source = source
        self.text = text
        self.at = at

    def fail(self, reason: str, at: int | None = None) -> None:
        place = self.at if at is None else at
        self.source.fail(f"line {self.text.count(chr(10), 0, place) + 1}", reason)

    def blank(self) -> None:
        self.at = _past_blank(self.text, self.at)

    def next(self) -> str:
        self.blank()
        if self.at >= len(self.text):
            self.fail("the file ends within an object")
        return self.text[self.at]

    def value(self, depth: int) -> Any:
        if depth > DEPTH:
            self.fail(f"is nested deeper than {DEPTH}")
        start = self.at
        letter = self.next()
        found: Any
        if letter == "{":
            found = self.object(depth)
        elif letter == "[":
            found = self.array(depth)
        elif letter in "\"'":
            found = self.string()
        elif letter == "`":
            found = self.template()
        else:
            found = self.plain()
        # Anything more, such as an operator or a call, makes an expression of it.
        if self.next() not in ",]}" if depth else False:
            return self.code(start)
        return found

    def object(self, depth: int) -> dict[str, Any]:
        self.at += 1
        found: dict[str, Any] = {}
        while self.next() != "}":
            start = self.at
            name = self.name()
            if name is None:
                found[f"line {self.text.count(chr(10), 0, start) + 1}"] = self.code(start)
            elif self.next() == ":":
                self.at += 1
                self.blank()
                found[name] = self.value(depth + 1)
            elif self.text[self.at] in ",}":
                found[name] = Code(name)
            else:
                found[name] = self.code(start, past_block=True)
            if self.next() == ",":
                self.at += 1
            elif self.text[self.at] != "}":
                self.fail(f"wanted ',' or '}}', got {self.text[self.at]!r}")
        self.at += 1
        return found

    def name(self) -> str | None:
        letter = self.next()
        if letter in "\"'":
            return self.string()
        match = _WORD.match(self.text, self.at) or _NUMBER.match(self.text, self.at)
        if match is None or match.end() == self.at:
            if letter in "[.(":
                return None
            self.fail(f"wanted the name of a setting, got {letter!r}")
            return None
        self.at = match.end()
        return match.group()

    def array(self, depth: int) -> list[Any]:
        self.at += 1
        found: list[Any] = []
        while self.next() != "]":
            found.append(self.value(depth + 1))
            if self.next() == ",":
                self.at += 1
            elif self.text[self.at] != "]":
                self.fail(f"wanted ',' or ']', got {self.text[self.at]!r}")
        self.at += 1
        return found

    def string(self) -> str:
        quote, start = self.text[self.at], self.at
        self.at += 1
        parts: list[str] = []
        while True:
            if self.at >= len(self.text) or self.text[self.at] == "\n":
                self.fail("a text has no end", start)
            letter = self.text[self.at]
            self.at += 1
            if letter == quote:
                return "".join(parts)
            parts.append(self.escape() if letter == "\\" else letter)

    def escape(self) -> str:
        letter = self.text[self.at : self.at + 1]
        self.at += 1
        width = {"x": 2, "u": 4}.get(letter)
        if width is None:
            return "" if letter == "\n" else _ESCAPES.get(letter, letter)
        digits = self.text[self.at : self.at + width]
        if not re.fullmatch(f"[0-9a-fA-F]{{{width}}}", digits):
            self.fail(f"\\{letter} wants {width} digits, got {digits!r}")
        self.at += width
        code = int(digits, 16)
        return "\ufffd" if 0xD800 <= code < 0xE000 else chr(code)

    def template(self) -> Any:
        end = self.text.find("`", self.at + 1)
        if end < 0:
            self.fail("a text in backquotes has no end")
        found = self.text[self.at + 1 : end]
        self.at = end + 1
        return Code(f"`{found}`") if "${" in found or "\\" in found else found

    def plain(self) -> Any:
        match = _NUMBER.match(self.text, self.at)
        if match and match.end() > self.at and match.group() not in "+-":
            self.at = match.end()
            word = match.group().replace("_", "").lower()
            try:
                return float(int(word, 16)) if "x" in word else _whole(float(word))
            except (ValueError, OverflowError):
                self.fail(f"is no number: {word[:40]!r}", match.start())
        match = _WORD.match(self.text, self.at)
        if match and match.group() in _WORDS:
            self.at = match.end()
            return _WORDS[match.group()]
        return self.code(self.at)

    def code(self, start: int, past_block: bool = False) -> Code:
        """Everything up to the comma or bracket that ends this value."""
        self.at = start
        open_: list[str] = []
        while True:
            letter = self.next()
            if not open_ and letter in ",]})":
                if self.at == start:
                    self.fail(f"wanted a value, got {letter!r}")
                return Code(self.text[start : self.at].strip())
            if letter in "\"'":
                self.string()
                continue
            if letter == "`":
                self.template()
                continue
            self.at += 1
            if letter in _CLOSE:
                open_.append(_CLOSE[letter])
                if len(open_) > DEPTH:
                    self.fail(f"is nested deeper than {DEPTH}")
            elif letter in ")]}":
                if letter != open_.pop():
                    self.fail(f"a bracket {letter!r} closes none", self.at - 1)
                if past_block and not open_ and letter == "}":
                    return Code(self.text[start : self.at].strip())


def _whole(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
