# SPDX-License-Identifier: MIT
"""A small writer of glTF files, right ones and wrong ones."""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class Writer:
    """Collects arrays in one buffer; `document` may be changed at will before it is written."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.document: dict[str, Any] = {"asset": {"version": "2.0"}}

    def add(self, key: str, **fields: Any) -> int:
        """Appends an object to an array of the document and gives its index."""
        items = self.document.setdefault(key, [])
        items.append(fields)
        return len(items) - 1

    def view(self, data: bytes, **fields: Any) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        offset = len(self.data)
        self.data += data
        return self.add("bufferViews", buffer=0, byteOffset=offset, byteLength=len(data), **fields)

    def accessor(self, array: Any, dtype: str = "f4", **fields: Any) -> int:
        array = np.asarray(array, np.dtype("<" + dtype))
        array = array.reshape(len(array), -1)
        return self.add(
            "accessors",
            bufferView=self.view(array.tobytes()),
            componentType=CODES[dtype],
            count=len(array),
            type=TYPES[array.shape[1]],
            **fields,
        )

    def mesh(self, attributes: dict[str, Any], indices: Any = None, **fields: Any) -> int:
        """A mesh of one primitive; arrays become float32 accessors, ints are accessors."""
        known = {
            name: value if isinstance(value, int) else self.accessor(value)
            for name, value in attributes.items()
        }
        primitive: dict[str, Any] = {"attributes": known, **fields}
        if indices is not None:
            primitive["indices"] = self.accessor(indices, "u2")
        return self.add("meshes", primitives=[primitive])

    def place(self, mesh: int, **fields: Any) -> int:
        """A node of the shown scene that places a mesh."""
        node = self.add("nodes", mesh=mesh, **fields)
        self.document.setdefault("scenes", [{"nodes": []}])[0]["nodes"].append(node)
        return node

    def glb(self, path: Path) -> Path:
        document = dict(self.document)
        if self.data and "buffers" not in document:
            document["buffers"] = [{"byteLength": len(self.data)}]
        path.write_bytes(glb_bytes(json.dumps(document).encode(), bytes(self.data)))
        return path

    def gltf(self, path: Path, uri: str | None = None) -> Path:
        """A .gltf whose buffer has this uri; None: the data are inside."""
        inside = f"data:application/octet-stream;base64,{base64.b64encode(self.data).decode()}"
        buffer = {"byteLength": len(self.data), "uri": inside if uri is None else uri}
        path.write_text(json.dumps({**self.document, "buffers": [buffer]}))
        return path


def glb_bytes(text: bytes, data: bytes = b"") -> bytes:
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if data:
        chunks += struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks
