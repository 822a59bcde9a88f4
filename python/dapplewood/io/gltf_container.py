# SPDX-License-Identifier: MIT
"""The bytes of a glTF model: the GLB container, buffers, and what URIs mean."""

from __future__ import annotations

import base64
import binascii
import errno
import json
import re
import struct
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import unquote, unquote_to_bytes

from ..errors import FormatError
from .files import read_bytes
from .gltf_json import Fields, Place
from .image import Image, decode_image, read_image

__all__ = ["Container", "open_container"]

_MAGIC = b"glTF"
_CHUNK_JSON, _CHUNK_BIN = 0x4E4F534A, 0x004E4942
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")

# What decoding may make of a file: this, and so many bytes for each byte read. Draco and meshopt
# reach ratios of 50; accessors without data are zeros and cost a file nothing.
_BASE_BYTES, _BYTES_PER_BYTE = 1 << 28, 64
_IMAGE_BYTES = 1 << 32


class Container:
    """A parsed document with the bytes behind it.

    Attributes
    ----------
    root : Fields
        The document.
    place : Place
        The file, for messages and notes.
    """

    def __init__(self, path: Path, document: Any, chunk: memoryview | None, size: int) -> None:
        self.place = Place(path)
        self.root = Fields(self.place, document, "")
        self._path = path
        self._chunk = chunk
        self._buffers = self.root.objects("buffers")
        self._views = self.root.objects("bufferViews")
        self._loaded: dict[int, memoryview] = {}
        self._read = size
        self._spent = 0
        self._image_spent = 0

    def fail(self, where: str, reason: str) -> NoReturn:
        self.place.fail(where, reason)

    def spend(self, size: int, where: str) -> None:
        """Counts bytes that decoding makes; FormatError where they are out of all proportion."""
        self._spent += size
        if self._spent > _BASE_BYTES + _BYTES_PER_BYTE * self._read:
            self.fail(
                where, f"needs {self._spent} bytes decoded, too many for {self._read} bytes of file"
            )

    def buffer(self, index: int) -> memoryview:
        if index not in self._loaded:
            self._loaded[index] = self._load_buffer(index)
        return self._loaded[index]

    def _load_buffer(self, index: int) -> memoryview:
        fields = self._buffers[index]
        size = fields.whole("byteLength")
        if "uri" in fields:
            data = self._uri_bytes(fields, fields.text("uri"))
        elif index == 0 and self._chunk is not None:
            data = self._chunk
        else:
            fields.fail("has neither a uri nor the binary chunk of a GLB")
        if len(data) < size:
            fields.fail(f"cut short: byteLength is {size}, but there are {len(data)} bytes")
        return data[:size]

    def has_bytes(self, index: int) -> bool:
        """Whether a buffer has data at all; those of fallbacks may have none."""
        return "uri" in self._buffers[index] or (index == 0 and self._chunk is not None)

    def _uri_bytes(self, fields: Fields, uri: str) -> memoryview:
        if uri[:5].lower() == "data:":
            return memoryview(_data_uri(fields, uri))
        data = read_bytes(self._uri_path(fields, uri))
        self._read += len(data)
        return data

    def _uri_path(self, fields: Fields, uri: str) -> Path:
        """The file that a URI names beside the model."""
        if _SCHEME.match(uri) or uri.startswith(("/", "\\")):
            fields.fail(f"uri {uri[:80]!r} is not beside the model; only relative files are read")
        try:
            names = dict.fromkeys([unquote(uri, errors="strict"), uri, uri.replace("\\", "/")])
        except UnicodeDecodeError:
            fields.fail(f"uri {uri[:80]!r} is no UTF-8")
        if not uri or any("\0" in name for name in names):
            fields.fail(f"uri {uri[:80]!r} names no file")
        places = [self._path.parent / name for name in names]
        for place in places:
            if place.is_file():
                return place
        text = f"no such file, which {fields.where} of {self._path.name} names"
        raise FileNotFoundError(errno.ENOENT, text, str(places[0]))

    def view(self, index: int) -> Fields:
        return self._views[index]

    @property
    def view_count(self) -> int:
        return len(self._views)

    def slice(self, fields: Fields) -> memoryview:
        """The bytes of a buffer view, or of what compresses one."""
        buffer = fields.index("buffer", len(self._buffers), "buffers")
        if buffer is None:
            fields.fail("buffer is missing")
        offset = fields.whole("byteOffset", 0)
        size = fields.whole("byteLength")
        if not size:
            return memoryview(b"")
        data = self.buffer(buffer)
        if offset + size > len(data):
            fields.fail(
                f"bytes {offset} to {offset + size} lie beyond buffers[{buffer}] of {len(data)}"
            )
        return data[offset : offset + size]

    def image(self, fields: Fields) -> Image:
        """An item of `images`, decoded."""
        try:
            found = self._decode_image(fields)
        except ValueError as error:
            fields.fail(str(error))
        except FormatError as error:
            fields.fail(str(error).removeprefix(f"{self._path}: "))
        self._image_spent += found.array.nbytes
        if self._image_spent > _IMAGE_BYTES:
            fields.fail(f"images need {self._image_spent} bytes, more than {_IMAGE_BYTES}")
        return found

    def _decode_image(self, fields: Fields) -> Image:
        view = fields.index("bufferView", len(self._views), "bufferViews")
        if view is not None:
            return decode_image(self.slice(self._views[view]), self._path, hdr="clamp")
        uri = fields.text("uri")
        if uri[:5].lower() == "data:":
            return decode_image(memoryview(_data_uri(fields, uri)), self._path, hdr="clamp")
        return read_image(self._uri_path(fields, uri), hdr="clamp")


def _data_uri(fields: Fields, uri: str) -> bytes:
    head, comma, body = uri[5:].partition(",")
    if not comma:
        fields.fail("uri is a data URI without a comma")
    try:
        data = unquote_to_bytes(body)
        if head.lower().endswith(";base64"):
            data = b"".join(data.split()).rstrip(b"=")
            data = base64.b64decode(data + b"=" * (-len(data) % 4), validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        fields.fail(f"uri is a damaged data URI: {error}")
    return data


def open_container(path: Path) -> Container:
    """Reads a .glb or .gltf file; which one is told by its first bytes."""
    data = read_bytes(path)
    chunk: memoryview | None = None
    text = data
    if bytes(data[:4]) == _MAGIC:
        text, chunk = _chunks(Place(path), data)
    container = Container(path, _parsed(Place(path), text), chunk, len(data))
    _check_version(container.root)
    return container


def _chunks(place: Place, data: memoryview) -> tuple[memoryview, memoryview | None]:
    """The JSON and the binary chunk of a GLB."""
    if len(data) < 20:
        place.fail("", f"cut short: a GLB has at least 20 bytes, this one {len(data)}")
    version, total = struct.unpack_from("<II", data, 4)
    if version != 2:
        place.fail("", f"GLB version {version} is not read, only 2")
    if total > len(data):
        place.fail("", f"cut short: the header says {total} bytes, the file has {len(data)}")
    found: list[tuple[int, memoryview]] = []
    offset = 12
    while offset + 8 <= total and len(found) < 2:
        size, kind = struct.unpack_from("<II", data, offset)
        offset += 8
        if size > total - offset:
            place.fail("", f"chunk {len(found)} says {size} bytes, but {total - offset} are left")
        found.append((kind, data[offset : offset + size]))
        offset += size
    if not found or found[0][0] != _CHUNK_JSON:
        place.fail("", "the first chunk of the GLB is not its JSON")
    has_bytes = len(found) > 1 and found[1][0] == _CHUNK_BIN
    return found[0][1], found[1][1] if has_bytes else None


def _parsed(place: Place, text: memoryview) -> Any:
    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON number")

    try:
        return json.loads(bytes(text).decode("utf-8-sig"), parse_constant=refuse)
    except RecursionError:
        place.fail("", "the JSON is nested too deeply")
    except ValueError as error:
        head = bytes(text[:8])
        place.fail("", f"neither GLB nor JSON (first bytes {head!r}): {error}")


def _check_version(root: Fields) -> None:
    asset = root.fields("asset")
    version = asset.text("version")
    least = asset.text("minVersion", "2.0")
    if version.partition(".")[0] != "2" or least != "2.0":
        asset.fail(f"version {version!r} (at least {least!r}) is not read, only 2.0")
