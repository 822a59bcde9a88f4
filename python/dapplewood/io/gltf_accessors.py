# SPDX-License-Identifier: MIT
"""Accessors of a glTF model: typed arrays out of buffer views, sparse or not."""

from __future__ import annotations

import numpy as np

from .gltf_container import Container
from .gltf_json import Fields
from .gltf_meshopt import decode_view, is_compressed

__all__ = ["Accessors"]

_COMPONENTS = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
# Numbers of an element. Nothing that is read takes the smaller matrices, whose columns are padded.
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_MAX_COUNT = 2**32 - 1


class Accessors:
    """Reads the accessors of one model; each is decoded once."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._accessors = container.root.objects("accessors")
        self._raw: dict[int, np.ndarray] = {}
        self._floats: dict[int, np.ndarray] = {}
        self._views: dict[int, memoryview] = {}

    def __len__(self) -> int:
        return len(self._accessors)

    def fields(self, index: int) -> Fields:
        return self._accessors[index]

    def count(self, index: int) -> int:
        return self._accessors[index].whole("count", high=_MAX_COUNT)

    def is_normalized(self, index: int) -> bool:
        return self._accessors[index].flag("normalized")

    def raw(self, index: int, types: tuple[str, ...]) -> np.ndarray:
        """(count, n) as stored; n counts the numbers of an element, of matrices by columns."""
        fields = self._accessors[index]
        kind = fields.text("type")
        if kind not in types:
            fields.fail(f"type must be {' or '.join(types)} here, got {kind!r}")
        if index not in self._raw:
            self._raw[index] = self._decode(fields, kind)
        return self._raw[index]

    def floats(self, index: int, types: tuple[str, ...]) -> np.ndarray:
        """(count, n) float32, finite; normalized integers are brought to [0, 1] or [-1, 1]."""
        raw = self.raw(index, types)
        if index not in self._floats:
            fields = self._accessors[index]
            self._container.spend(raw.size * 4, fields.where)
            self._floats[index] = to_floats(raw, self.is_normalized(index), fields)
        return self._floats[index]

    def integers(self, index: int, types: tuple[str, ...]) -> np.ndarray:
        """(count, n) of an unsigned dtype."""
        raw = self.raw(index, types)
        if raw.dtype.kind != "u":
            self._accessors[index].fail(f"must hold unsigned integers here, got {raw.dtype.name}")
        return raw

    def _decode(self, fields: Fields, kind: str) -> np.ndarray:
        width = _WIDTHS[kind]
        dtype = self._component(fields)
        count = fields.whole("count", high=_MAX_COUNT)
        view = fields.index("bufferView", self._container.view_count, "bufferViews")
        if view is None:
            self._container.spend(count * width * dtype.itemsize, fields.where)
            array = np.zeros((count, width), dtype)
        else:
            array = self._strided(fields, view, (count, width), dtype)
        return self._with_sparse(fields, array) if "sparse" in fields else array

    def _strided(
        self, fields: Fields, view: int, shape: tuple[int, int], dtype: np.dtype
    ) -> np.ndarray:
        """Elements where they lie in their view."""
        count, width = shape
        element = width * dtype.itemsize
        stride = self._stride(view, element)
        data, offset = self._view_bytes(view), fields.whole("byteOffset", 0)
        end = offset + (count - 1) * stride + element if count else offset
        if end > len(data):
            fields.fail(
                f"{count} elements of {element} bytes, {stride} apart from byte {offset}, lie "
                f"beyond bufferViews[{view}] of {len(data)} bytes"
            )
        strides = (stride, dtype.itemsize)
        return np.ndarray(shape, dtype, data, offset if count else 0, strides)

    def _component(self, fields: Fields) -> np.dtype:
        code = fields.whole("componentType")
        if code not in _COMPONENTS:
            known = ", ".join(map(str, _COMPONENTS))
            fields.fail(f"componentType {code} is not read, only {known}")
        return _COMPONENTS[code]

    def _stride(self, view: int, element: int) -> int:
        fields = self._container.view(view)
        stride = fields.whole("byteStride", 0, high=256) or element
        if stride < element:
            fields.fail(f"byteStride {stride} is less than the {element} bytes of an element")
        return stride

    def _view_bytes(self, view: int) -> memoryview:
        if view not in self._views:
            fields = self._container.view(view)
            if is_compressed(self._container, fields):
                self._views[view] = decode_view(self._container, fields)
            else:
                self._views[view] = self._container.slice(fields)
        return self._views[view]

    def _with_sparse(self, fields: Fields, array: np.ndarray) -> np.ndarray:
        sparse = fields.fields("sparse")
        count = sparse.whole("count", high=len(array))
        places = self._packed(sparse.fields("indices"), count, 1, None)[:, 0]
        if places.dtype.kind != "u":
            sparse.fail(f"indices must be unsigned, got {places.dtype.name}")
        if count and int(places.max()) >= len(array):
            sparse.fail(f"index {places.max()} is beyond the {len(array)} elements")
        values = self._packed(sparse.fields("values"), count, array.shape[1], array.dtype)
        self._container.spend(array.nbytes, fields.where)
        array = array.copy()
        array[places] = values
        return array

    def _packed(
        self, fields: Fields, count: int, width: int, dtype: np.dtype | None
    ) -> np.ndarray:
        """(count, width) without gaps, out of the view that indices or values name."""
        dtype = self._component(fields) if dtype is None else dtype
        view = fields.index("bufferView", self._container.view_count, "bufferViews")
        if view is None:
            fields.fail("bufferView is missing")
        data, offset = self._view_bytes(view), fields.whole("byteOffset", 0)
        size = count * width * dtype.itemsize
        if offset + size > len(data):
            fields.fail(
                f"{count} elements from byte {offset} lie beyond bufferViews[{view}] of "
                f"{len(data)} bytes"
            )
        return np.frombuffer(data, dtype, count * width, offset if count else 0).reshape(-1, width)


def to_floats(raw: np.ndarray, is_normalized: bool, fields: Fields) -> np.ndarray:
    """float32 of the components of an accessor, by the rules of glTF 2.0, section 3.6.2.2."""
    if raw.dtype.kind == "f":
        array = raw.astype(np.float32, copy=False)
        if not np.isfinite(array).all():
            bad = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
            fields.fail(f"element {bad} holds NaN or infinity: {array[bad].tolist()}")
        return array
    if not is_normalized:
        return raw.astype(np.float32)
    if raw.dtype.itemsize > 2:
        fields.fail("32-bit integers cannot be normalized")
    array = raw.astype(np.float32) / np.float32(np.iinfo(raw.dtype).max)
    return np.maximum(array, np.float32(-1.0)) if raw.dtype.kind == "i" else array
