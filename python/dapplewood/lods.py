# SPDX-License-Identifier: MIT
"""At which distances levels of detail (LODs) change: presets, and gaps in lists filled in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from .checks import as_number

__all__ = ["LOD_PRESETS", "LodDistances", "LodPreset", "fill_distances", "lod_distances"]


class LodPreset(NamedTuple):
    """Metres at which LOD 1, LOD 2 and the imposter begin, and at which nothing is left."""

    lod1: float
    lod2: float
    imposter: float
    fade: float


#: By kind of object, for one of about 5 m; :func:`lod_distances` scales them by size.
LOD_PRESETS: dict[str, LodPreset] = {
    "tree": LodPreset(800, 1000, 1200, 1800),
    "tree_resource": LodPreset(400, 550, 700, 1000),
    "resource": LodPreset(380, 550, 700, 1100),
    "bush": LodPreset(350, 500, 650, 1000),
    "fallen_tree": LodPreset(350, 500, 650, 1000),
    "fern": LodPreset(250, 400, 500, 800),
    "rock": LodPreset(400, 600, 800, 1200),
    "flower": LodPreset(200, 300, 400, 650),
    "mushroom": LodPreset(180, 280, 350, 550),
    "grass": LodPreset(150, 220, 280, 450),
    "default": LodPreset(45, 85, 120, 200),
}

FADE_BEGIN = 5 / 6  # share of the fade's end at which it begins: 1000 m of 1200 m


class LodDistances(NamedTuple):
    """What :func:`lod_distances` gives: arguments of :class:`Forest`, by name.

    Attributes
    ----------
    distances : tuple of float
        Metres at which LOD 1, LOD 2 and the imposter begin.
    fade : tuple of float
        Metres at which the far fade begins and ends.
    """

    distances: tuple[float, ...]
    fade: tuple[float, float]


def fill_distances(distances: Sequence[float | None]) -> tuple[float, ...]:
    """Distances without gaps: a first None is 0, a later one the mean of its neighbours.

    Parameters
    ----------
    distances : sequence of float or None
        Metres, not falling.

    Raises
    ------
    ValueError
        The last one is None, a neighbour is missing too, one is not finite or below 0, or they
        fall; the text names it.
    """
    given = list(distances)
    filled: list[float] = []
    for i, value in enumerate(given):
        if value is None and i + 1 == len(given):
            raise ValueError("distances: the last one must be given, got None")
        if value is None and i == 0:
            value = 0.0
        elif value is None:
            after = given[i + 1]
            if after is None:
                raise ValueError(f"distances: {i} and {i + 1} are both missing; give one of them")
            value = (filled[-1] + as_number(after, "distances")) / 2
        number = as_number(value, "distances")
        if not math.isfinite(number) or number < 0:
            raise ValueError(f"distances must be finite and at least 0, got {value!r} at {i}")
        if filled and number < filled[-1]:
            raise ValueError(
                f"distances must not fall: {filled[-1]:g} m at {i - 1}, then {number:g} m at {i}"
            )
        filled.append(number)
    return tuple(filled)


def _size_factor(size: float | None) -> float:
    if size is None:
        return 1.0
    if not (math.isfinite(size) and size > 0):
        raise ValueError(f"size must be a positive number of metres, got {size!r}")
    return min(max(size / 5.0, 0.3), 10.0)


def lod_distances(
    preset: str | None = None,
    *,
    lod1: float | None = None,
    lod2: float | None = None,
    imposter: float | None = None,
    fade: float | None = None,
    size: float | None = None,
) -> LodDistances:
    """Distances of three LODs beyond the first, as a model's manifest or a preset gives them.

    Parameters
    ----------
    preset : str, optional
        A key of ``LOD_PRESETS``, such as "tree" or "bush". Distances that are given replace its.
    lod1, lod2, imposter, fade : float, optional
        Metres. Without a preset a missing `lod1` is 0 and a missing `lod2` lies half way from
        `lod1` to `imposter`; `imposter` and `fade` are needed.
    size : float, optional
        Metres: all distances are multiplied by size / 5 m, held within 0.3 and 10.

    Returns
    -------
    LodDistances
        ``Forest(lods, **lod_distances("tree")._asdict())`` takes it. The fade begins at 5/6 of
        its end.

    Raises
    ------
    ValueError
        An unknown preset, a distance that is missing, not finite or below 0, or out of order.

    Examples
    --------
    >>> lod_distances(imposter=1200, fade=1800).distances
    (0.0, 600.0, 1200.0)
    """
    base: LodPreset | tuple[None, ...] = (None,) * 4
    if preset is not None:
        if preset not in LOD_PRESETS:
            words = ", ".join(f'"{name}"' for name in LOD_PRESETS)
            raise ValueError(f"preset must be one of {words}, got {preset!r}")
        base = LOD_PRESETS[preset]
    values: list[Any] = [
        own if given is None else given
        for given, own in zip((lod1, lod2, imposter, fade), base, strict=True)
    ]
    for name, value in zip(("imposter", "fade"), values[2:], strict=True):
        if value is None:
            raise ValueError(f"{name} must be given, since there is no preset")
    factor = _size_factor(size)
    distances = fill_distances(values[:3])
    end = fill_distances([values[3]])[0]
    if end <= 0:
        raise ValueError(f"fade must be above 0, got {values[3]!r}")
    return LodDistances(
        tuple(distance * factor for distance in distances),
        (end * FADE_BEGIN * factor, end * factor),
    )
