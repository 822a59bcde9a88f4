# SPDX-License-Identifier: MIT
"""Which material each cell of terrain shows: one choice a cell, as often as its weight says."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from . import _core
from .checks import as_number, as_whole
from .kinds import TerrainMode, TerrainNoise, kind_of

__all__ = ["Transition", "transition_law"]

_MATERIALS = int(_core.CONSTANTS["TERRAIN_MATERIALS"])
_WHOLE_MOST = 1 << 62


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
