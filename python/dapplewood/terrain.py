# SPDX-License-Identifier: MIT
"""Which material each cell of terrain shows: one choice a cell, as often as its weight says."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .checks import as_number, as_whole, check_positive
from .device import Device, default_device
from .dither import blue_noise, dither_ranks
from .kinds import TerrainMode, TerrainNoise, kind_of
from .terrain_forms import IndexMap, PackedWeights, WeightForm, weight_form

__all__ = ["Transition", "material_at", "select_materials", "transition_law"]

_MATERIALS = int(_core.CONSTANTS["TERRAIN_MATERIALS"])
_WHOLE_MOST = 1 << 62
_FORMS = {
    "float32": int(_core.CONSTANTS["TERRAIN_FORM_FLOAT"]),
    "float16": int(_core.CONSTANTS["TERRAIN_FORM_HALF"]),
    "uint8": int(_core.CONSTANTS["TERRAIN_FORM_BYTE"]),
    "packed": int(_core.CONSTANTS["TERRAIN_FORM_NIBBLE"]),
    "index": int(_core.CONSTANTS["TERRAIN_FORM_INDEX"]),
}
Weights = NDArray[Any] | PackedWeights | IndexMap


def _pair(value: Any, name: str) -> tuple[float, float]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be two numbers, got {value!r}") from None
    return as_number(first, name), as_number(second, name)


def _whole(value: Any, name: str) -> int:
    number = as_whole(value, name)
    if abs(number) > _WHOLE_MOST:
        raise ValueError(f"{name} is out of range, got {number}")
    return number


def _priorities(value: Any) -> Any:
    """A tuple by slot, or a read-only mapping by material."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return MappingProxyType(
            {_whole(k, "priorities"): as_number(v, "priorities") for k, v in value.items()}
        )
    try:
        return tuple(as_number(part, "priorities") for part in value)
    except TypeError:
        raise TypeError(
            f"priorities must be numbers, one a material, or a mapping, got {value!r}"
        ) from None


@dataclasses.dataclass(frozen=True)
class Transition:
    """How terrain goes over from one material to the next.

    Parameters
    ----------
    mode : TerrainMode or str, optional
        ``"priority"``, ``"smooth"``, ``"dithered"``, ``"priority_additive"``,
        ``"dominant_accent"`` or ``"height"``.
    strength : float, optional
        0 to 1: 0 is the heaviest material alone, a hard border; 1 is the full width.
    cell : float, optional
        Map units of a noise cell, 1/32 to 64. One map unit is one texel of the weight map.
    quantize : int, optional
        Round weights to multiples of 1/quantize, 1 to 255, so that their sum stays 1 and no cell
        is emptied. 0: off.
    priorities : sequence of float, or mapping of int to float, optional
        -0.5 to 0.5. One a slot of the weights; or by material, where those that are left out
        have 0. Higher ones reach further over their neighbours, in the modes that have
        priorities, and come first in the order that ties and noise go by in all.
    min_weight : float, optional
        0 to 0.5: smaller shares of a cell's sum are dropped. The largest one stays.
    accent : (float, float), optional
        Weight over that of the heaviest, 0 to 1, at which an accent of ``"dominant_accent"``
        begins and is there in full.
    accents : int, optional
        How many materials besides the heaviest, 1 to 3.
    depth : float, optional
        0.001 to 1: of ``"height"``, how far below the highest a material still shows.
    noise : TerrainNoise or str, optional
        ``"blue"``, ``"bayer"`` or ``"hash"``.
    noise_size : int, optional
        Cells: side of the blue tile, a power of two from 8 to 256. Coverage over a whole tile is
        exact to half of 1/noise_size^2.
    seed : int, optional
        Of ``"blue"`` and ``"hash"``, 0 to 2^32 - 1.
    fade : (float, float), optional
        Noise cells per pixel from which, and by which, pictures go over to the expectation.
    zoom : (float, float), optional
        Pixels per map unit from which, and by which, detail is mixed into the base colour.
    empty_id : int, optional
        0 to 255: the id where all weights are 0.

    Raises
    ------
    ValueError
        An unknown word, a number out of range.
    TypeError
        What is no number.

    Notes
    -----
    Noise lies in map space: a cell's choice stays the same under pan and zoom. ``"priority"``
    weighs by (w exp(2 p))^(2 / strength), which has the border and the slope of
    ``"priority_additive"``, the largest of w + p + strength (n - 1/2), with one noise value a cell
    and exact coverage.
    """

    mode: TerrainMode | str = "priority"
    _: dataclasses.KW_ONLY
    strength: float = 1.0
    cell: float = 1.0
    quantize: int = 0
    priorities: Sequence[float] | Mapping[int, float] | None = None
    min_weight: float = 0.0
    accent: tuple[float, float] = (0.1, 0.6)
    accents: int = 1
    depth: float = 0.2
    noise: TerrainNoise | str = "blue"
    noise_size: int = 128
    seed: int = 0
    fade: tuple[float, float] = (0.5, 1.0)
    zoom: tuple[float, float] = (4.0, 16.0)
    empty_id: int = 255

    def __post_init__(self) -> None:
        put = {
            "mode": kind_of(TerrainMode, self.mode, "mode"),
            "noise": kind_of(TerrainNoise, self.noise, "noise"),
            "priorities": _priorities(self.priorities),
        }
        for name in ("strength", "cell", "min_weight", "depth"):
            put[name] = as_number(getattr(self, name), name)
        for name in ("accent", "fade", "zoom"):
            put[name] = _pair(getattr(self, name), name)
        for name in ("quantize", "accents", "noise_size", "seed", "empty_id"):
            put[name] = _whole(getattr(self, name), name)
        for name, value in put.items():
            object.__setattr__(self, name, value)
        named = _by_material(self.priorities)
        keys = list(named) or [0]
        for begin in range(0, len(keys), _MATERIALS):
            some = keys[begin : begin + _MATERIALS]
            _law(self, some, [named.get(key, 0.0) for key in some])


def _by_material(priorities: Any) -> Mapping[int, float]:
    if isinstance(priorities, Mapping):
        return priorities
    return dict(enumerate(priorities or ()))


def _law(made: Transition, keys: Sequence[int], priorities: Sequence[float]) -> bytes:
    for key in keys:
        if not 0 <= key <= 255:
            raise ValueError(f"materials must lie in [0, 255], got {key}")
    return _core.terrain_law(
        int(made.mode),
        int(made.noise),
        made.noise_size,
        made.seed,
        made.strength,
        made.cell,
        made.quantize,
        made.min_weight,
        made.accent,
        made.accents,
        made.depth,
        made.fade,
        made.zoom,
        made.empty_id,
        np.array(keys, np.uint32),
        np.array(priorities, np.float64),
    )


def transition_law(
    transition: Transition, slots: int, materials: Sequence[int] | None = None
) -> bytes:
    """A transition as the backends read it: a ``dw_terrain_law``.

    Parameters
    ----------
    transition : Transition
        Anything else is a TypeError.
    slots : int
        Weights of a texel, 1 to 16; 32 of an index map.
    materials : sequence of int, optional
        The key of each slot, 0 to 255. None: 0, 1, 2 ...

    Raises
    ------
    ValueError
        Materials or priorities that are not one a slot, or occur twice.
    """
    if not isinstance(transition, Transition):
        raise TypeError(f"transition must be a Transition, got {type(transition).__name__}")
    keys = range(slots) if materials is None else [as_whole(key, "materials") for key in materials]
    if len(keys) != slots:
        raise ValueError(f"materials must be one for each of {slots} slots, got {len(keys)}")
    given = transition.priorities
    if given is None or isinstance(given, Mapping):
        priorities = [_by_material(given).get(key, 0.0) for key in keys]
    else:
        priorities = list(given)
        if len(priorities) != slots:
            raise ValueError(
                f"priorities must be one for each of {slots} slots, got {len(priorities)}; a "
                "mapping names materials instead"
            )
    return _law(transition, keys, priorities)


def transition_ranks(transition: Transition) -> NDArray[np.uint16] | None:
    """Ranks of the tile of noise that a transition goes by; None of hash noise."""
    if transition.noise == TerrainNoise.BLUE:
        return blue_noise(transition.noise_size, seed=transition.seed)
    return dither_ranks("bayer8") if transition.noise == TerrainNoise.BAYER else None


def _heights(heights: Any, form: WeightForm, mode: Any) -> NDArray[np.float32] | None:
    """(H, W, N), of one number a material or a map of each."""
    if mode != TerrainMode.HEIGHT:
        if heights is not None:
            raise ValueError(f'heights are for mode "height", got them for {mode.name.lower()!r}')
        return None
    if heights is None:
        raise ValueError('mode "height" needs heights, one a material or one a weight')
    given = np.asarray(heights)
    if given.dtype.kind not in "fiu":
        raise TypeError(f"heights must be numbers, got {given.dtype}")
    shape = (*form.array.shape[:2], form.slots)
    if given.shape not in ((form.slots,), shape):
        raise ValueError(f"heights must have shape ({form.slots},) or {shape}, got {given.shape}")
    return np.ascontiguousarray(np.broadcast_to(given.astype(np.float32, copy=False), shape))


def _view(
    weights: Any,
    transition: Transition,
    origin: Any,
    scale: float,
    filtered: str,
    materials: Any,
    heights: Any,
    strict: bool,
) -> tuple[tuple[Any, ...], tuple[int, int]]:
    """What the core takes, and the map's height and width."""
    form = weight_form(weights)
    law = transition_law(transition, form.slots, materials)
    if filtered not in ("nearest", "linear"):
        raise ValueError(f'filter must be "nearest" or "linear", got {filtered!r}')
    x, y = _pair(origin, "origin")
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError(f"origin must be finite, got {origin!r}")
    kind = str(form.array.dtype) if form.kind == "planes" else form.kind
    ranks = transition_ranks(transition)
    shown = _heights(heights, form, transition.mode)
    view = (law, ranks, _FORMS[kind], form.array, shown, x, y, scale, transition.cell,
            filtered == "linear", bool(strict))  # fmt: skip
    return view, (form.array.shape[0], form.array.shape[1])


def select_materials(
    weights: Weights,
    transition: Transition,
    *,
    origin: tuple[float, float] = (0.0, 0.0),
    scale: float = 1.0,
    filter: Literal["nearest", "linear"] = "nearest",
    materials: Sequence[int] | None = None,
    heights: ArrayLike | None = None,
    strict: bool = False,
    device: Device | None = None,
) -> NDArray[np.uint8]:
    """Choose one material for each pixel of a map.

    Parameters
    ----------
    weights : ndarray, PackedWeights or IndexMap
        (H, W, N) float32, float16 or uint8 with 2 to 16 materials, any strides; (H, W, 2, 4) uint8
        for two RGBA8 images; a `PackedWeights` of 4 bits; an `IndexMap` of 32 materials. They
        need not sum to 1. What is negative or not finite counts as 0, and so do weights below
        2^-27 of the largest one.
    transition : Transition
        How.
    origin : (float, float), optional
        Where the corner of texel (0, 0) lies, x and y in map units. One map unit is one texel.
        Noise goes by map position: parts of a map with their own origins fit together.
    scale : float, optional
        Pixels per map unit. Pixel (i, j) shows x = origin + (j + 1/2) / scale.
    filter : {"nearest", "linear"}, optional
        How weights are read between texels; linear in steps of 1/256 of a texel, after decoding.
    materials : sequence of int, optional
        The id, 0 to 255, that is written for each slot. None: 0, 1, 2 ... Order and noise go by
        ids: exchanging slots together with their ids changes nothing.
    heights : (N,) or (H, W, N) array_like, optional
        For mode ``"height"``, in the unit of weights that sum to 1, clipped to -1 and 1; what is
        not finite counts as 0. Rounded once to float32.
    strict : bool, optional
        Refuse weights that are negative or not finite.
    device : Device, optional
        None: `default_device`. All give the same ids.

    Returns
    -------
    (round(H scale), round(W scale)) ndarray of uint8
        Ids; ``transition.empty_id`` where weights sum to 1e-6 or less.

    Raises
    ------
    ValueError, TypeError
        An argument out of range or of the wrong kind; heights without their mode.
    CapacityError
        A picture that is larger than 2^31 pixels.

    Notes
    -----
    Weights become whole numbers, the largest of 28 bits, and all sums and comparisons are exact:
    the coverage of a tile of constant weights is ceil(M C - 1/2) for each running sum C and M
    cells. Ties go to the higher priority, then to the lower id.
    """
    scale = check_positive(scale, "scale")
    view, (rows, columns) = _view(
        weights, transition, origin, scale, filter, materials, heights, strict
    )
    height, width = (max(1, round(side * scale)) for side in (rows, columns))
    if height * width >= 1 << 31:
        raise _core.CapacityError(
            f"scale: {width} x {height} pixels are more than 2^31: make them in parts, with origin"
        )
    device = default_device() if device is None else device
    return _core.terrain_select(device, view, height, width)


def material_at(
    weights: Weights,
    transition: Transition,
    x: ArrayLike,
    y: ArrayLike,
    *,
    origin: tuple[float, float] = (0.0, 0.0),
    filter: Literal["nearest", "linear"] = "nearest",
    materials: Sequence[int] | None = None,
    heights: ArrayLike | None = None,
    strict: bool = False,
) -> Any:
    """Tell which material is at a point: for footsteps, placement and picking.

    Parameters
    ----------
    weights, transition, origin, filter, materials, heights, strict
        As `select_materials` takes them.
    x, y : float or array_like
        Map units, float64. Arrays are broadcast. Beyond the map its edge goes on.

    Returns
    -------
    int, or ndarray of uint8 of the shape of `x` and `y`
        The id that a picture shows there, whatever its scale.

    Raises
    ------
    ValueError, TypeError
        As `select_materials`; a coordinate that is not finite or 2^31 noise cells away.
    """
    places = []
    for name, value in (("x", x), ("y", y)):
        given = np.asarray(value)
        if given.dtype.kind not in "fiu":
            raise TypeError(f"{name} must be a number or an array of them, got {value!r}")
        places.append(given.astype(np.float64))
    try:
        xs, ys = np.broadcast_arrays(*places)
    except ValueError:
        raise ValueError(
            f"x and y must fit together, got shapes {places[0].shape} and {places[1].shape}"
        ) from None
    view, _ = _view(weights, transition, origin, 1.0, filter, materials, heights, strict)
    ids = _core.terrain_select_at(
        view, np.ascontiguousarray(xs).reshape(-1), np.ascontiguousarray(ys).reshape(-1)
    ).reshape(xs.shape)
    return ids if ids.ndim else int(ids)
