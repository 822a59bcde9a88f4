# SPDX-License-Identifier: MIT
"""Pictures of terrain: crisp detail of chosen materials over a base colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .checks import as_number, check_count, check_positive
from .device import Device, default_device
from .terrain import Transition, Weights, _pair, _view

__all__ = ["compose_terrain"]

STYLES = ("photo", "pixel")
_SAMPLES_MOST = 8
_TEXELS_PER_UNIT = 16.0  # of a tile, unless told: one a pixel where detail is there in full


def _picture(value: Any, name: str) -> NDArray[np.uint8]:
    array = np.asarray(getattr(value, "array", value))
    if array.dtype != np.uint8:
        raise TypeError(f"{name} must be uint8 sRGB codes, got {array.dtype}")
    if array.ndim != 3 or array.shape[2] not in (3, 4) or array.size == 0:
        raise ValueError(f"{name} must have shape (h, w, 3) or (h, w, 4), got {array.shape}")
    return array


def _each(value: Any, name: str, count: int) -> list[float]:
    """One number for all, or one a material."""
    if np.ndim(value) == 0:
        return [as_number(value, name)] * count
    numbers = [as_number(part, name) for part in value]
    if len(numbers) != count:
        raise ValueError(f"{name} must be one number, or one for each of {count}, got {numbers!r}")
    return numbers


def _tiles(details: Any, scale: Any, strength: Any) -> tuple[tuple[Any, float, float], ...]:
    if isinstance(details, np.ndarray) and details.ndim == 3:
        raise TypeError("details must be a sequence of pictures, one a material, got one picture")
    tiles = [_picture(tile, f"details[{i}]") for i, tile in enumerate(details)]
    count = len(tiles)
    units = (
        [tile.shape[1] / _TEXELS_PER_UNIT for tile in tiles]
        if scale is None
        else [check_positive(each, "detail_scale") for each in _each(scale, "detail_scale", count)]
    )
    strengths = _each(strength, "detail_strength", count)
    for each in strengths:
        if not 0 <= each <= 1:
            raise ValueError(f"detail_strength must lie in [0, 1], got {each}")
    return tuple(zip(tiles, units, strengths, strict=True))


def _samples(samples: Any, style: str, per_unit: float) -> int:
    if samples is None:
        fit = math.ceil(1.0 / per_unit) if style == "photo" else 1
        return min(max(fit, 1), _SAMPLES_MOST)
    samples = check_count(samples, "samples", 1)
    if samples > _SAMPLES_MOST:
        raise ValueError(f"samples must lie in [1, {_SAMPLES_MOST}], got {samples}")
    return samples


def _size(size: Any, shape: tuple[int, int], per_unit: float) -> tuple[int, int]:
    """Width and height in pixels."""
    if size is None:
        return max(1, round(shape[1] * per_unit)), max(1, round(shape[0] * per_unit))
    try:
        width, height = size
    except (TypeError, ValueError):
        raise ValueError(f"size must be (width, height) in pixels, got {size!r}") from None
    return check_count(width, "size", 1), check_count(height, "size", 1)


@overload
def compose_terrain(
    base: ArrayLike,
    details: Sequence[ArrayLike],
    weights: Weights,
    transition: Transition,
    *,
    pixels_per_unit: float,
    corner: tuple[float, float] | None = ...,
    size: tuple[int, int] | None = ...,
    origin: tuple[float, float] = ...,
    style: Literal["photo", "pixel"] = ...,
    filter: Literal["nearest", "linear"] | None = ...,
    detail_scale: float | Sequence[float] | None = ...,
    detail_strength: float | Sequence[float] = ...,
    samples: int | None = ...,
    materials: Sequence[int] | None = ...,
    heights: ArrayLike | None = ...,
    strict: bool = ...,
    return_ids: Literal[False] = ...,
    device: Device | None = ...,
) -> NDArray[np.uint8]: ...
@overload
def compose_terrain(
    base: ArrayLike,
    details: Sequence[ArrayLike],
    weights: Weights,
    transition: Transition,
    *,
    pixels_per_unit: float,
    corner: tuple[float, float] | None = ...,
    size: tuple[int, int] | None = ...,
    origin: tuple[float, float] = ...,
    style: Literal["photo", "pixel"] = ...,
    filter: Literal["nearest", "linear"] | None = ...,
    detail_scale: float | Sequence[float] | None = ...,
    detail_strength: float | Sequence[float] = ...,
    samples: int | None = ...,
    materials: Sequence[int] | None = ...,
    heights: ArrayLike | None = ...,
    strict: bool = ...,
    return_ids: Literal[True],
    device: Device | None = ...,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]: ...
def compose_terrain(
    base: ArrayLike,
    details: Sequence[ArrayLike],
    weights: Weights,
    transition: Transition,
    *,
    pixels_per_unit: float,
    corner: tuple[float, float] | None = None,
    size: tuple[int, int] | None = None,
    origin: tuple[float, float] = (0.0, 0.0),
    style: Literal["photo", "pixel"] = "photo",
    filter: Literal["nearest", "linear"] | None = None,
    detail_scale: float | Sequence[float] | None = None,
    detail_strength: float | Sequence[float] = 1.0,
    samples: int | None = None,
    materials: Sequence[int] | None = None,
    heights: ArrayLike | None = None,
    strict: bool = False,
    return_ids: bool = False,
    device: Device | None = None,
) -> Any:
    """Draw a map from above: the detail of each cell's material over a base colour.

    Parameters
    ----------
    base : (h, w, 3 or 4) array_like of uint8
        Macro colour of the whole map, sRGB, of any size; its alpha is not looked at.
    details : sequence of (th, tw, 3 or 4) array_like of uint8
        A tile a slot of the weights, sRGB, repeated over the map from position (0, 0) on. Alpha
        says how much of the base it covers.
    weights : ndarray, PackedWeights or IndexMap
        As `select_materials` takes them. One texel is one map unit.
    transition : Transition
        How materials are chosen; `Transition.zoom` and `Transition.fade` say what shows when.
    pixels_per_unit : float
        Zoom: pixels of the picture per map unit.
    corner : (float, float), optional
        Map position of the picture's upper left corner. None: `origin`.
    size : (int, int), optional
        Width and height in pixels. None: those of the whole map. Beyond the map its edge goes on.
    origin : (float, float), optional
        Map position of the corner of texel (0, 0), x and y.
    style : {"photo", "pixel"}, optional
        ``"photo"`` filters base and tiles between their texels; ``"pixel"`` shows the nearest.
    filter : {"nearest", "linear"}, optional
        How weights are read between texels. None: linear of ``"photo"``, nearest of ``"pixel"``.
    detail_scale : float or sequence of float, optional
        Map units that a tile's width spans, for all or one a slot; texels of tiles are square.
        None: 16 texels a map unit.
    detail_strength : float or sequence of float, optional
        0 to 1, for all or one a slot: how much of the base it covers.
    samples : int, optional
        1 to 8: samples of a pixel along each side, whose light is averaged. None: as many as it
        takes for a texel of weights each, of ``"photo"``; 1 of ``"pixel"``. Noise cells are
        counted per sample, so that more samples keep crisp choices down to smaller zooms.
    materials, heights, strict
        As `select_materials` takes them.
    return_ids : bool, optional
        Give the ids of pixels' centres, too.
    device : Device, optional
        None: `default_device`. All give the same bytes.

    Returns
    -------
    (height, width, 3) ndarray of uint8
        sRGB. With `return_ids` a pair of it and (height, width) uint8, which are those of
        `select_materials`.

    Raises
    ------
    ValueError, TypeError
        An argument out of range, of the wrong kind or number.
    CapacityError
        A picture of 2^31 pixels or more; details of more than 2^30 texels; on a device, a map
        that is larger than one of its bindings.

    Notes
    -----
    In linear light, colour = base + zoom (sum a_i detail_i - base sum a_i). The zoom fade goes
    from 0 to 1 between the two values of `Transition.zoom` in pixels per map unit; while it is 0
    the base is returned as it is. a_i is the material's strength times (1 - g) of the chosen one
    plus g of its probability, as `expected_coverage` has it, where g goes from 0 to 1 between the
    values of `Transition.fade` in noise cells per sample: small cells would show moire, and
    averages of noise would choose by its mean. ``"smooth"`` always shows the latter. Where
    a crisp choice shows, one tile is read a sample. Tiles that are minified are means over areas.
    Pixels have no footprint but their samples: where cells are larger than pixels, edges are hard.
    """
    per_unit = check_positive(pixels_per_unit, "pixels_per_unit")
    if style not in STYLES:
        raise ValueError(f'style must be "photo" or "pixel", got {style!r}')
    filtered = filter if filter is not None else "linear" if style == "photo" else "nearest"
    view, shape = _view(weights, transition, origin, 1.0, filtered, materials, heights, strict)
    x, y = _pair(origin if corner is None else corner, "corner")
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError(f"corner must be finite, got {corner!r}")
    tiles = _tiles(details, detail_scale, detail_strength)
    count = _samples(samples, style, per_unit)
    width, height = _size(size, shape, per_unit)
    if width * height * count * count >= 1 << 31:
        raise _core.CapacityError(
            f"size: {width} x {height} pixels of {count * count} samples are more than 2^31: make "
            "them in parts, with corner"
        )
    device = default_device() if device is None else device
    made, ids = _core.terrain_compose(
        device, view, _picture(base, "base"), tiles, x, y, per_unit, count, height, width,
        style == "photo", return_ids,
    )  # fmt: skip
    return (made, ids) if return_ids else made
