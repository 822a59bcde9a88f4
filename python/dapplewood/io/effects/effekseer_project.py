# SPDX-License-Identifier: MIT
"""Effekseer's files as one tree of settings: containers, the editor's XML in both its forms."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from .effekseer_binary import read_binary
from .reading import DEPTH, Source
from .xml_tree import xml_tree

__all__ = ["is_effekseer", "project_of"]

_CONTAINER, _BINARY = b"EFKE", b"SKFE"

# What the packed project may unpack to, as a multiple of its size and at most.
_RATIO, _UNPACKED = 1000, 1 << 26
_MOST_NODES = 1_000_000


def is_effekseer(data: bytes) -> bool:
    return data[:4] in (_CONTAINER, _BINARY)


def project_of(source: Source, data: bytes) -> tuple[dict[str, Any], str]:
    """The project as nested settings, and what it was read from: "project" or "binary".

    A container has both; the project that the editor wrote says more and is taken.
    """
    if data[:4] == _BINARY:
        return read_binary(source, data), "binary"
    if data[:4] != _CONTAINER:
        found = xml_tree(source, data).nested()
        if not isinstance(found, dict):
            source.fail("", "the project is empty")
        return found, "project"
    chunks = _chunks(source, data)
    if b"EDIT" in chunks:
        return _Packed(source, _inflated(source, chunks[b"EDIT"])).project(), "project"
    if b"BIN_" in chunks:
        return read_binary(source, chunks[b"BIN_"]), "binary"
    source.fail("", "the container has neither an EDIT nor a BIN_ chunk")


def _chunks(source: Source, data: bytes) -> dict[bytes, bytes]:
    if len(data) < 8:
        source.fail("", f"cut short: a container has at least 8 bytes, this one {len(data)}")
    found: dict[bytes, bytes] = {}
    at = 8
    while at < len(data):
        if at + 8 > len(data):
            source.fail(f"byte {at}", "cut short: a chunk wants a name and a size")
        name = data[at : at + 4]
        (size,) = struct.unpack_from("<I", data, at + 4)
        at += 8
        if size > len(data) - at:
            source.fail(
                f"chunk {name!r}", f"says {size} bytes, but {len(data) - at} are left"
            )
        found.setdefault(name, data[at : at + size])
        at += size
    return found


def _inflated(source: Source, packed: bytes) -> bytes:
    most = min(_RATIO * len(packed) + 4096, _UNPACKED)
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(packed, most)
    except zlib.error as error:
        source.fail("chunk EDIT", f"is damaged: {error}")
    if unpacker.unconsumed_tail:
        source.fail("chunk EDIT", f"unpacks to more than {most} bytes")
    if not unpacker.eof:
        source.fail("chunk EDIT", "cut short: its packed bytes end too early")
    return data


class _Packed:
    """The editor's XML, packed: tables of names and of values, then elements by their numbers."""

    def __init__(self, source: Source, data: bytes) -> None:
        self.source = source
        self.data = data
        self.at = 0
        self.nodes = 0

    def project(self) -> dict[str, Any]:
        names, values = self.table("names"), self.table("values")
        found = self.elements(names, values, 0)
        project = found.get("EffekseerProject")
        if not isinstance(project, dict):
            self.fail("holds no EffekseerProject")
        return project

    def fail(self, reason: str) -> None:
        self.source.fail(f"chunk EDIT, byte {self.at}", reason)

    def take(self, kind: str) -> int:
        size = struct.calcsize(kind)
        if self.at + size > len(self.data):
            self.fail("cut short")
        (value,) = struct.unpack_from(kind, self.data, self.at)
        self.at += size
        return int(value)

    def table(self, what: str) -> dict[int, str]:
        found: dict[int, str] = {}
        for _ in range(self.take("<H")):
            size = self.take("<H")
            if self.at + size > len(self.data):
                self.fail(f"cut short within its {what}")
            text = self.data[self.at : self.at + size].decode("utf-8", "replace")
            self.at += size
            found[self.take("<H")] = text
        return found

    def elements(self, names: dict[int, str], values: dict[int, str], depth: int
                 ) -> dict[str, Any]:  # fmt: skip
        if depth > DEPTH:
            self.fail(f"is nested deeper than {DEPTH}")
        found: dict[str, Any] = {}
        many: set[str] = set()
        for _ in range(self.take("<H")):
            self.nodes += 1
            if self.nodes > _MOST_NODES:
                self.fail("has too many elements")
            name = names.get(self.take("<H"))
            if name is None:
                self.fail("an element has no name")
                continue
            value: Any = ""
            if self.take("<I"):
                value = values.get(self.take("<H"), "")
            if self.take("<I"):
                value = self.elements(names, values, depth + 1)
            if name not in found:
                found[name] = value
            elif name in many:
                found[name].append(value)
            else:
                many.add(name)
                found[name] = [found[name], value]
        return found
