# SPDX-License-Identifier: MIT
"""Parts of an effect as the core takes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _core
from .kinds import ParticleKind
from .particle_effect import TONES, ParticlePart
from .particle_forces import collider_records, law_record

__all__ = ["part_rows"]

_C = _core.CONSTANTS
_NONE = 2**32 - 1
_KNOTS = int(_C["PARTICLE_KNOTS"])
_TICKS = int(_C["TICKS_PER_SECOND"])
_DEEP = 4  # children of children
_FLAGS = {
    name: int(_C[f"PART_IS_{name}"])
    for name in ("EVEN", "BURST", "RAMPED", "ONCE", "RENEWED", "DYNAMIC")
}
_KEEPS, _AGES = int(_C["LAW_KEEPS_LIFE"]), int(_C["LAW_AGES_TO_LIFE"])
# Kinds of water and glow whose ages are remembered upstream, and how their lives are renewed.
_SEED_LAWS = {
    "splash": 0, "bubble": _KEEPS, "shimmer": _KEEPS,
    "wisp": _KEEPS | _AGES, "spark": _KEEPS | _AGES, "flame": _KEEPS | _AGES,
}  # fmt: skip
_SEED_EFFECTS = ("water_", "glow_")


def _knots(curve: np.ndarray | None) -> bytes | None:
    """float32 at the knots."""
    if curve is None:
        return None
    at = np.linspace(0.0, 1.0, _KNOTS)
    values = np.interp(at, np.linspace(0.0, 1.0, len(curve)), curve).astype(np.float32)
    values[values < 1e-30] = 0.0
    return values.tobytes()


def _colors(part: ParticlePart) -> bytes | None:
    """RGBA8: at the knots of a ramp over the life, else those to pick from."""
    ramp = part.ramp
    if ramp is None:
        return None
    if part.over_life:
        at = np.linspace(0.0, 1.0, _KNOTS)
        own = np.linspace(0.0, 1.0, len(ramp))
        mixed = np.stack([np.interp(at, own, channel) for channel in ramp.T], axis=1)
        ramp = np.floor(mixed + 0.5).astype(np.uint8)
    return ramp.tobytes()


class _Planned(NamedTuple):
    """A part with its place in the family."""

    part: ParticlePart
    parent: int = _NONE
    event: str = ""  # "deaths" or "collisions" of the parent
    is_once: bool = False
    law: int | None = None  # of renewal


def _flags(one: _Planned) -> int:
    part = one.part
    is_dynamic = part.simulation == "dynamic" or bool(one.event)
    return (
        part.even * _FLAGS["EVEN"]
        | (part.burst is not None) * _FLAGS["BURST"]
        | (part.ramp is not None and part.over_life) * _FLAGS["RAMPED"]
        | one.is_once * _FLAGS["ONCE"]
        | (one.law is not None) * _FLAGS["RENEWED"]
        | is_dynamic * _FLAGS["DYNAMIC"]
    )


def _dynamic(one: _Planned) -> tuple[Any, ...]:
    part, birth = one.part, one.part.birth
    rate = birth.rate if birth is not None else None
    if rate is None:
        longest = part.lifetime[1]  # of which the core says whether it is one
        rate = part.count / max(longest, 1 / _TICKS) if longest > 0.0 else 0.0
    flags = int(_C[f"LAW_IS_OF_{one.event.upper()}"]) if one.event else 0
    law = law_record(
        part.forces, birth, 0.0 if one.event else rate, flags,
        place=part.offset, radius=part.collision_radius, impact=part.collision_speed,
    )  # fmt: skip
    return law, *collider_records(part.colliders), one.parent, _NONE


def _renewal(one: _Planned, parts: list[_Planned]) -> tuple[Any, ...]:
    """Bursts take what is late of a layer's splashes, as upstream."""
    law: int = one.law  # type: ignore[assignment]
    burst, fields = _NONE, {}
    for i, other in enumerate(parts):
        if law or other.part.burst is None or int(other.part.kind) != ParticleKind.BURST:
            continue
        least, most = (round(seconds * _TICKS) for seconds in other.part.burst)
        fields = {
            "burst_count": other.part.count, "burst_gap": least, "burst_span": most - least,
        }  # fmt: skip
        burst = i
    return law_record(None, None, 0.0, law, **fields), None, None, _NONE, burst


def _plan(parts: list[ParticlePart], effect: str, is_seed: bool) -> list[_Planned]:
    """Parents before their children."""
    planned: list[_Planned] = []

    def add(part: ParticlePart, parent: int, event: str, is_once: bool, depth: int) -> None:
        if depth > _DEEP:
            raise ValueError(f"on_death, on_collision: children are at most {_DEEP} deep")
        kind = part.kind.name.lower()  # type: ignore[union-attr]
        is_free = part.simulation == "stateless" and not (part.once or part.even)
        goes_on = is_free and part.burst is None
        law = 0 if part.simulation == "renewal" else None
        if is_seed and effect.startswith(_SEED_EFFECTS) and goes_on and not event:
            law = _SEED_LAWS.get(kind)
        own = len(planned)
        planned.append(_Planned(part, parent, event, is_once or part.once, law))
        for child in part.on_death:
            add(child, own, "deaths", is_once or part.once, depth + 1)
        for child in part.on_collision:
            add(child, own, "collisions", is_once or part.once, depth + 1)

    for part in parts:
        add(part, _NONE, "", False, 0)
    return planned


def _row(one: _Planned, layer: int, parts: list[_Planned], is_seed: bool) -> tuple[Any, ...]:
    part = one.part
    params = np.zeros(int(_C["PARTICLE_PARAMS"]), np.float32)
    params[: len(part.params)] = np.clip(list(part.params.values()), -1e38, 1e38)
    simulation = None
    if one.law is not None:
        simulation = _renewal(one, parts if is_seed else [])
    elif part.simulation == "dynamic" or one.event:
        simulation = _dynamic(one)
    return (
        int(part.kind),
        layer,
        part.count,
        _flags(one),
        part.lifetime,
        part.burst or (0.0, 0.0),
        part.delay,
        part.lod or (0.0, 0.0),
        (part.opacity, part.rise, part.fall, part.frame_rate),
        part.frames or (0, 0),
        TONES[part.tone],
        part.offset,
        params.tobytes(),
        _knots(part.opacity_curve),
        _knots(part.size_curve),
        _colors(part),
        simulation,
    )


def part_rows(
    parts: list[ParticlePart],
    layer_of: Callable[[Any], int],
    effect: str = "",
    is_seed: bool = False,
) -> tuple[tuple[Any, ...], ...]:
    """What the core makes an effect's parts from; equal rows make equal parts.

    is_seed: water and glow remember ages as upstream does.
    """
    planned = _plan(parts, effect, is_seed)
    return tuple(_row(one, layer_of(one.part.layer), planned, is_seed) for one in planned)
