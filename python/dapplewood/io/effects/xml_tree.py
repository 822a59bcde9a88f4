# SPDX-License-Identifier: MIT
"""XML as plain trees, without entities: nothing is expanded and nothing fetched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from .reading import DEPTH, Source

__all__ = ["Element", "plist_value", "xml_tree"]

_MOST_ELEMENTS = 1_000_000


@dataclass
class Element:
    tag: str
    line: int
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def nested(self) -> Any:
        """Text of a leaf; of others a dict by tag, with a list where a tag comes again."""
        if not self.children:
            return self.text.strip()
        found: dict[str, Any] = {}
        for child in self.children:
            value = child.nested()
            if child.tag not in found:
                found[child.tag] = value
            elif isinstance(found[child.tag], _Many):
                found[child.tag].append(value)
            else:
                found[child.tag] = _Many([found[child.tag], value])
        return found


class _Many(list[Any]):
    """The values of a tag that comes several times."""


def xml_tree(source: Source, data: bytes) -> Element:
    """The root element.

    Raises
    ------
    FormatError
        No XML, nested too deeply, or with declarations of entities, which are never expanded.
    """
    parser = expat.ParserCreate()
    open_: list[Element] = []
    roots: list[Element] = []
    count = 0

    def line() -> str:
        return f"line {parser.CurrentLineNumber}"

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(open_) >= DEPTH or count > _MOST_ELEMENTS:
            source.fail(line(), f"is nested deeper than {DEPTH}, or has too many elements")
        element = Element(tag, parser.CurrentLineNumber, attributes)
        (open_[-1].children if open_ else roots).append(element)
        open_.append(element)

    def text(piece: str) -> None:
        if open_:
            open_[-1].text += piece

    def refuse(*_: Any) -> None:
        source.fail(line(), "declares an entity; entities are not expanded")

    def doctype(_name: str, _system: str, _public: str, has_subset: int) -> None:
        if has_subset:
            source.fail(line(), "has declarations in its DOCTYPE; they are not read")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _tag: open_.pop() and None
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = refuse
    parser.StartDoctypeDeclHandler = doctype
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        source.fail("", f"is no whole XML: {error}")
    return roots[0]


def plist_value(source: Source, element: Element) -> Any:
    """What an element of an Apple property list stands for."""
    text = element.text.strip()
    if element.tag == "dict":
        keys, values = element.children[::2], element.children[1::2]
        if len(keys) != len(values) or any(key.tag != "key" for key in keys):
            source.fail(f"line {element.line}", "a <dict> wants a value after each <key>")
        return {
            key.text.strip(): plist_value(source, value)
            for key, value in zip(keys, values, strict=True)
        }
    if element.tag == "array":
        return [plist_value(source, child) for child in element.children]
    if element.tag in ("true", "false"):
        return element.tag == "true"
    if element.tag in ("real", "integer"):
        try:
            return float(text)
        except ValueError:
            source.fail(f"line {element.line}", f"wanted a number, got {text[:40]!r}")
    if element.tag in ("string", "date", "data"):
        return text
    source.fail(f"line {element.line}", f"<{element.tag[:40]}> is no value of a property list")
