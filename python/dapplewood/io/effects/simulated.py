# SPDX-License-Identifier: MIT
"""Emitters whose particles are simulated: by eddies, pulls, solids, and what is born of them."""

from __future__ import annotations

import math
from typing import Any

from .emitter import Emitter, Solid, Vector
from .reading import Source

__all__ = ["born_of", "is_simulated", "simulation_of"]

_MOST_SOLIDS = 16
_DEEP = 4
_MOST = 1_000_000

_HOLLOW = ("ring", "hemisphere")


def is_simulated(emitter: Emitter) -> bool:
    """Whether a formula of the age alone cannot say where its particles are."""
    return bool(emitter.children or emitter.solids or emitter.pulls or emitter.noise > 0)


def simulation_of(source: Source, emitter: Emitter, *, is_child: bool) -> dict[str, Any]:
    """Fields of the part that say how it is simulated; its own children apart."""
    from ...particle_forces import ParticleForces

    if any(emitter.orbit):
        source.note(emitter.where, "an orbit", "simulated particles have none")
    if any(emitter.tangential):
        source.note(emitter.where, "a pull around the middle", "nothing pulls around")
    pull, place, reach = _pull(source, emitter)
    drag = sum(emitter.drag) / 2 + (emitter.noise_drag if emitter.noise > 0 else 0.0)
    forces = ParticleForces(
        gravity=emitter.gravity,
        drag=drag,
        noise=emitter.noise,
        noise_size=emitter.noise_size,
        pull=pull,
        pull_place=place,
        pull_reach=reach,
    )
    count, rate = _born(emitter, is_child)
    return {
        "simulation": "dynamic",
        "count": count,
        "even": False,
        "forces": forces,
        "birth": _birth(source, emitter, rate),
        "colliders": _solids(source, emitter),
        "collision_radius": min(emitter.solid_radius, 1000.0) if emitter.solids else 0.0,
    }


def born_of(emitter: Emitter, event: str, depth: int, source: Source) -> list[tuple[Emitter, int]]:
    """The children of an event, with how many of each it bears."""
    found = []
    for own, child, count in emitter.children:
        if own != event:
            continue
        if depth >= _DEEP:
            source.note(child.where, f"{count} of {child.name or 'it'} at each {event}",
                        f"children are at most {_DEEP} deep")  # fmt: skip
            continue
        if child.wait > 0 or child.delay > 0.1:
            source.note(child.where, f"begins within {child.wait + child.delay:.3g} s",
                        f"all of it begins at the {event}")  # fmt: skip
        found.append((child, count))
    return found


def _born(emitter: Emitter, is_child: bool) -> tuple[int, float | None]:
    """Slots, and births a second of what goes on and on.

    A slot's children give way when it is born and ends once more, so there are as many slots as
    let them live out.
    """
    if is_child or emitter.once or emitter.period is not None:
        return emitter.count, None
    rate = emitter.count / max(sum(emitter.lifetime) / 2, 1 / 64)
    longest = max([emitter.lifetime[1], *(child.lifetime[1] for _, child, _ in emitter.children)])
    return min(math.ceil(rate * longest) + 1, _MOST), rate


def _birth(source: Source, emitter: Emitter, rate: float | None) -> Any:
    from ...particle_forces import ParticleBirth

    shape, radius = emitter.shape, emitter.radius
    size: Vector = (0.0, 0.0, 0.0)
    if shape == "box":
        size = emitter.box
    elif shape == "sphere" or (shape == "hemisphere" and radius > 0):
        size = (radius, radius, radius)
    elif radius > 0:
        x, y, z = (radius * math.sqrt(max(1.0 - a * a, 0.0)) for a in emitter.axis)
        size = (x, y, z)
    if (shape in _HOLLOW or emitter.inner > 0) and radius > 0:
        source.note(emitter.where, f"a {shape} with a hole", "simulated ones are born all over it")
    direction, spread = emitter.direction, emitter.spread * 360
    if emitter.outward and shape in ("cone", "hemisphere"):
        direction, spread = emitter.axis, 90.0 if shape == "hemisphere" else emitter.angle * 360
    elif emitter.outward:
        spread = 180.0
        if any(emitter.speed) and radius > 0:
            source.note(emitter.where, f"away from the middle of a {shape}",
                        "simulated ones fly any way")  # fmt: skip
    elif emitter.is_flat and 0 < spread and any(emitter.speed):
        source.note(emitter.where, "directions within a plane", "simulated ones fly in depth too")
    return ParticleBirth(
        rate=rate,
        shape="box" if shape == "box" else "ball",
        size=size,
        direction=direction,
        spread=min(spread, 180.0),
        speed=(min(emitter.speed), max(emitter.speed)),
        inherit=emitter.inherit,
    )


def _pull(source: Source, emitter: Emitter) -> tuple[float, Vector, float]:
    push = sum(emitter.radial) / 2
    if push and emitter.pulls:
        source.note(emitter.where, f"{push:.3g} m/s^2 away from the middle",
                    "only one point pulls or pushes")  # fmt: skip
    elif push:
        life = emitter.lifetime[1]
        way = emitter.radius + max(map(abs, emitter.speed)) * life + abs(push) * life * life / 2
        source.note(emitter.where, f"{push:.3g} m/s^2 away from the middle",
                    "is less near the middle, and far away")  # fmt: skip
        return -push, emitter.origin, max(way, 1e-2)
    if not emitter.pulls:
        return 0.0, (0.0, 0.0, 0.0), 1.0
    nearest = min(emitter.pulls, key=lambda one: math.dist(one[1], emitter.origin))
    if len(emitter.pulls) > 1:
        source.note(emitter.where, f"{len(emitter.pulls)} attractors", "the nearest alone pulls")
    return nearest


def _solids(source: Source, emitter: Emitter) -> tuple[Any, ...]:
    from ...particle_forces import BoxCollider, SphereCollider

    def far(solid: Solid) -> float:
        return math.dist(solid.center, emitter.origin) - max(solid.half_size)

    nearest = sorted(emitter.solids, key=far)
    if len(nearest) > _MOST_SOLIDS:
        source.note(emitter.where, f"{len(nearest)} solids", f"the nearest {_MOST_SOLIDS} count")
    found: list[Any] = []
    for solid in nearest[:_MOST_SOLIDS]:
        surface = {"bounce": solid.bounce, "friction": solid.friction, "kill": solid.kills}
        if solid.is_ball:
            found.append(SphereCollider(solid.center, max(solid.half_size[0], 1e-3), **surface))
        else:
            half = tuple(max(side, 1e-3) for side in solid.half_size)
            found.append(BoxCollider(solid.center, half, axes=solid.axes, **surface))
    return tuple(found)
