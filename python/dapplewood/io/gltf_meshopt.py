# SPDX-License-Identifier: MIT
"""EXT_meshopt_compression of buffer views, by the package meshoptimizer (the extra `mesh`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .gltf_container import Container
from .gltf_json import Fields

__all__ = ["decode_view", "is_compressed"]

_NAME = "EXT_meshopt_compression"
_MODES = ("ATTRIBUTES", "TRIANGLES", "INDICES")
_FILTERS = {
    "NONE": (), "OCTAHEDRAL": (4, 8), "QUATERNION": (8,), "EXPONENTIAL": tuple(range(4, 257, 4)),
}  # fmt: skip


def _decoder() -> Any:
    try:
        import meshoptimizer
    except ImportError:
        return None
    return meshoptimizer


def is_compressed(container: Container, view: Fields) -> bool:
    """Whether a view is to be decompressed: always, but where a fallback serves as well."""
    if view.extension(_NAME) is None:
        return False
    if _decoder() is not None:
        return True
    buffer = view.index("buffer", len(container.root.array("buffers")), "buffers")
    return buffer is None or not container.has_bytes(buffer)


def decode_view(container: Container, view: Fields) -> memoryview:
    """The bytes of a compressed view, `count` times `byteStride`.

    Raises
    ------
    FormatError
        Damaged, or the package that decodes is not installed.
    """
    meshopt = _decoder()
    fields = view.extension(_NAME)
    assert fields is not None
    if meshopt is None:
        view.fail(
            f"{_NAME} needs the package meshoptimizer: pip install dapplewood[mesh]; or save the "
            "model without compression"
        )
    mode, filtering = fields.text("mode"), fields.text("filter", "NONE")
    count, stride = fields.whole("count", low=1, high=2**31), fields.whole("byteStride", high=256)
    if mode not in _MODES:
        fields.fail(f"mode must be one of {', '.join(_MODES)}, got {mode!r}")
    if filtering not in _FILTERS or (filtering != "NONE" and mode != "ATTRIBUTES"):
        fields.fail(f"filter {filtering!r} is not read for mode {mode}")
    if filtering != "NONE" and stride not in _FILTERS[filtering]:
        fields.fail(f"byteStride {stride} does not go with filter {filtering}")
    strides = range(4, 257, 4) if mode == "ATTRIBUTES" else (2, 4)
    if stride not in strides or (mode == "TRIANGLES" and count % 3):
        fields.fail(f"{count} elements of byteStride {stride} do not go with mode {mode}")
    # The decoder makes 32-bit indices first.
    container.spend(count * max(stride, 4), fields.where)
    data = bytes(container.slice(fields))
    try:
        decoded = _decoded(meshopt, data, mode, count, stride)
    except (RuntimeError, ValueError) as error:
        fields.fail(f"meshopt data are damaged: {error}")
    if filtering != "NONE":
        name = {"OCTAHEDRAL": "oct", "QUATERNION": "quat", "EXPONENTIAL": "exp"}[filtering]
        decoded = getattr(meshopt, f"decode_filter_{name}")(decoded, count, stride)
    return memoryview(np.ascontiguousarray(decoded).view(np.uint8).data)


def _decoded(meshopt: Any, data: bytes, mode: str, count: int, stride: int) -> np.ndarray:
    if mode == "ATTRIBUTES":
        row = np.dtype((np.uint32, stride // 4))
        words = meshopt.decode_vertex_buffer(count, stride, data, row)
        return words.reshape(-1).view(np.uint8)
    decode = (
        meshopt.decode_index_buffer if mode == "TRIANGLES" else meshopt.decode_index_sequence
    )
    # Asked for two bytes, the package gives a half-filled array of four: narrowed here instead.
    indices = decode(count, 4, data)
    if stride == 2 and int(indices.max()) > 65535:
        raise ValueError("an index is beyond 16 bits")
    return indices.astype(f"<u{stride}")
