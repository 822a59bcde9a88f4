# SPDX-License-Identifier: MIT
"""Terrain from files: heights, and splat maps of material weights."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..checks import as_number, as_whole
from ..errors import FormatError
from ..terrain_forms import IndexMap, PackedWeights
from .files import as_path, read_bytes
from .formats import MAX_EDGE
from .image import read_channels

__all__ = ["Heightfield", "load_heightfield", "read_weights"]

# What files without a header hold, as terrain tools write them, little-endian.
_RAW = {".raw": "<u2", ".r16": "<u2", ".r32": "<f4", ".r8": "u1"}
_RAW_TYPES = ("u1", "u2", "i2", "f2", "f4", "f8")
_MOST = 16  # materials


@dataclasses.dataclass(frozen=True, eq=False)
class Heightfield:
    """Heights over a grid.

    Attributes
    ----------
    array : (H, W) ndarray of float32
        Row 0 on top of the image. Read-only; NumPy functions take the object itself too.
    step : float
        The least difference of heights that the file can hold: `scale` / 255 of 8 bits, `scale` /
        65535 of 16. 0 of floats.
    scale, offset : float
        What the numbers of the file were multiplied by, then moved by.
    source : str
        Type of the file's numbers: "uint8", "uint16", "float32" ...
    """

    array: NDArray[np.float32]
    step: float
    scale: float
    offset: float
    source: str

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.array.shape[0], self.array.shape[1]

    @property
    def low(self) -> float:
        """The lowest height."""
        return float(self.array.min())

    @property
    def high(self) -> float:
        """The highest height."""
        return float(self.array.max())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if dtype is None or np.dtype(dtype) == np.float32:
            return self.array.copy() if copy else self.array
        if copy is False:
            raise ValueError(f"heights are float32; as {np.dtype(dtype)} they must be copied")
        return self.array.astype(dtype)

    def __repr__(self) -> str:
        rows, columns = self.shape
        steps = f" in steps of {self.step:.4g}" if self.step else ""
        return (
            f"Heightfield({columns} x {rows}, {self.low:.6g} to {self.high:.6g}{steps}, from "
            f"{self.source})"
        )

    def _repr_png_(self) -> bytes:
        from .png import encode_png

        height, width = self.shape
        every = max(1, -(-max(height, width) // 1024))
        part = self.array[::every, ::every]
        grey = (part - self.low) / max(self.high - self.low, 1e-30) * 255
        image = np.repeat(grey.astype(np.uint8)[..., None], 4, -1)
        image[..., 3] = 255
        return encode_png(image)


def load_heightfield(
    path: str | os.PathLike[str],
    *,
    scale: float = 1.0,
    offset: float = 0.0,
    channel: int | str | None = None,
    shape: tuple[int, int] | None = None,
    dtype: DTypeLike | None = None,
    skip: int = 0,
    fill: float | None = None,
) -> Heightfield:
    """Read heights from an image or from a file of bare numbers.

    Parameters
    ----------
    path : path
        PNG of 8 or 16 bits, EXR, TIFF, and all that `read_image` reads. ``.raw`` and ``.r16``
        (uint16), ``.r32`` (float32), ``.r8``, all little-endian, and any file for which `shape`
        or `dtype` is given: rows of numbers without a header.
    scale, offset : float, optional
        Height = scale * value + offset. Values of whole-number files are 0 to 1 over the range of
        their type, so that `scale` is the height of white; floats are taken as they are. 8 bits
        have no more than 256 heights: ``step`` tells how far apart.
    channel : int or str, optional
        Which channel of several, by place or as "r", "g", "b", "a", "y". None: the one of a grey
        image; the first colour where the colours are equal.
    shape : (int, int), optional
        Rows and columns of a file of bare numbers. None: it is square.
    dtype : dtype, optional
        Of such a file: u1, u2, i2, f2, f4 or f8, in either byte order.
    skip : int, optional
        Bytes before its first number. Those behind the last do not matter where `shape` is given.
    fill : float, optional
        Height of places that hold NaN or infinity, such as holes. None: they are an error.

    Returns
    -------
    Heightfield

    Raises
    ------
    FileNotFoundError
        No such file.
    FormatError
        A damaged file, one that is not read, too few numbers for `shape`, a length that is no
        square.
    ValueError
        Colours that differ without a `channel`; NaN or infinity without `fill`.
    """
    place = as_path(path)
    scale, offset = (_finite(value, name) for value, name in ((scale, "scale"), (offset, "offset")))
    if shape is not None or dtype is not None or place.suffix.lower() in _RAW:
        if channel is not None:
            raise ValueError("channel is that of an image; files of bare numbers have one")
        values = _raw_values(place, shape, dtype, as_whole(skip, "skip"))
    else:
        if skip:
            raise ValueError("skip is that of a file of bare numbers: give its shape or dtype too")
        values = _one_channel(*read_channels(place), channel, place)
    source = values.dtype
    top = np.iinfo(source).max if source.kind in "ui" else 1
    with np.errstate(invalid="ignore", over="ignore"):
        heights = values.astype(np.float64) * (scale / top) + offset
    known = np.isfinite(heights)
    if not known.all():
        if fill is None:
            row, column = np.argwhere(~known)[0]
            raise ValueError(
                f"{place}: {(~known).sum()} heights are NaN or infinite, the first in row {row}, "
                f"column {column}; pass fill=0.0 to give them a height"
            )
        heights[~known] = _finite(fill, "fill")
    array = heights.astype(np.float32)
    array.flags.writeable = False
    step = abs(scale) / top if source.kind in "ui" else 0.0
    return Heightfield(array, step, scale, offset, source.name)


def _finite(value: Any, name: str) -> float:
    number = as_number(value, name)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite, got {number}")
    return number


def _raw_values(
    path: Path, shape: Any, dtype: DTypeLike | None, skip: int
) -> NDArray[Any]:
    kind = np.dtype(_RAW.get(path.suffix.lower(), "<u2") if dtype is None else dtype)
    if kind.newbyteorder("=") not in map(np.dtype, _RAW_TYPES):
        raise TypeError(f"dtype must be one of {', '.join(_RAW_TYPES)}, got {kind}")
    data = read_bytes(path)
    if not 0 <= skip <= len(data):
        raise ValueError(f"skip must lie in [0, {len(data)}], the length of the file, got {skip}")
    held = (len(data) - skip) // kind.itemsize
    if shape is None:
        side = math.isqrt(held)
        if side < 1 or side * side * kind.itemsize != len(data) - skip:
            raise FormatError(
                f"{path}: {len(data) - skip} bytes are no square of {kind.name} numbers; pass "
                "shape=(rows, columns), and dtype if it is another"
            )
        rows = columns = side
    else:
        rows, columns = _sides(shape)
    if rows * columns > held:
        raise FormatError(
            f"{path}: {held} numbers of {kind.name} behind {skip} bytes, but {rows} x {columns} "
            f"are {rows * columns}"
        )
    values = np.frombuffer(data, kind, rows * columns, skip)
    return values.reshape(rows, columns).astype(kind.newbyteorder("="))


def _sides(shape: Any) -> tuple[int, int]:
    try:
        rows, columns = (as_whole(side, "shape") for side in shape)
    except (TypeError, ValueError):
        raise ValueError(f"shape must be (rows, columns), got {shape!r}") from None
    if not (1 <= rows <= MAX_EDGE and 1 <= columns <= MAX_EDGE):
        raise ValueError(f"shape must lie in [1, {MAX_EDGE}], got {(rows, columns)}")
    return rows, columns


def _one_channel(
    array: NDArray[Any], names: tuple[str, ...], channel: Any, path: Path
) -> NDArray[Any]:
    if channel is None:
        colors = [i for i, name in enumerate(names) if name != "A"] or [0]
        first = array[..., colors[0]]
        if any((array[..., i] != first).any() for i in colors[1:]):
            raise ValueError(
                f"{path}: the channels {', '.join(names)} differ; pass channel='r' or another"
            )
        return first
    if isinstance(channel, str):
        if channel.upper() not in names:
            raise ValueError(f"{path}: channel must be one of {', '.join(names)}, got {channel!r}")
        return array[..., names.index(channel.upper())]
    place = as_whole(channel, "channel")
    if not 0 <= place < len(names):
        raise ValueError(f"{path}: channel must lie in [0, {len(names) - 1}], got {place}")
    return array[..., place]


def read_weights(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    form: Literal["planes", "packed", "index"] = "planes",
) -> NDArray[Any] | PackedWeights | IndexMap:
    """Read a splat map: every channel is a weight, alpha too.

    Parameters
    ----------
    path : path, or sequence of paths
        One image, or several of the same size whose channels follow each other: two RGBA images
        are 8 materials. What `read_image` reads, DDS and KTX2 among it.
    form : {"planes", "packed", "index"}, optional
        Packed: one or two RGBA images of 8 bits that hold two weights a byte. Index: one channel
        of float32 that holds the bits of a control map, as Terrain3D exports it.

    Returns
    -------
    (H, W, N) ndarray of uint8 or float32
        Planes of 2 to 16 materials. 16-bit files become float32 in [0, 1].
    PackedWeights, IndexMap
        Of the other forms.

    Raises
    ------
    FileNotFoundError
        No such file.
    FormatError
        A damaged file, or one that is not read; sizes or depths that differ.
    ValueError
        Too few or too many channels, another word.

    Notes
    -----
    The numbers are those of the file. No colour space is applied and alpha is no opacity: other
    readers premultiply by it, or clear colours where it is 0, and so destroy three weights.
    """
    if form not in ("planes", "packed", "index"):
        raise ValueError(f"form must be 'planes', 'packed' or 'index', got {form!r}")
    several = not isinstance(path, (str, os.PathLike))
    places = [as_path(each) for each in path] if several else [as_path(path)]
    if not places:
        raise ValueError("path must be one path or more, got none")
    found = [read_channels(each)[0] for each in places]
    for place, array in zip(places[1:], found[1:], strict=True):
        if (array.shape[:2], array.dtype) != (found[0].shape[:2], found[0].dtype):
            raise FormatError(
                f"{place}: {array.shape[1]} x {array.shape[0]} {array.dtype}, but {places[0]} is "
                f"{found[0].shape[1]} x {found[0].shape[0]} {found[0].dtype}"
            )
    if form == "packed":
        return _packed(found, places)
    if form == "index":
        return _index(found, places)
    array = found[0] if len(found) == 1 else np.concatenate(found, -1)
    if not 2 <= array.shape[2] <= _MOST:
        names = ", ".join(map(str, places))
        raise ValueError(f"{names}: {array.shape[2]} channels; weights are 2 to {_MOST} materials")
    if array.dtype == np.uint16:
        return array.astype(np.float32) / np.float32(65535)
    return array


def _packed(found: list[NDArray[Any]], places: list[Path]) -> PackedWeights:
    if len(found) > 2:
        raise ValueError(f"packed weights are one or two images, got {len(found)}")
    for array, place in zip(found, places, strict=True):
        if array.dtype != np.uint8 or array.shape[2] != 4:
            raise FormatError(
                f"{place}: {array.shape[2]} channels of {array.dtype}, but packed weights are RGBA "
                "of 8 bits"
            )
    return PackedWeights(found[0] if len(found) == 1 else np.stack(found, 2))


def _index(found: list[NDArray[Any]], places: list[Path]) -> IndexMap:
    if len(found) != 1 or found[0].dtype != np.float32:
        raise FormatError(
            f"{places[0]}: an index map is one image of float32, got {len(found)} of "
            f"{found[0].dtype}"
        )
    return IndexMap(np.ascontiguousarray(found[0][..., 0]).view(np.uint32))
