# SPDX-License-Identifier: MIT
"""Emitters as parts of an effect."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..image import Image
from .curves import AGES
from .emitter import Emitter, Look
from .reading import Source

__all__ = ["effect_of"]

_SHAPES = {"point": 0, "disc": 1, "ring": 1, "sphere": 2, "hemisphere": 3, "box": 4, "cone": 5}
_MOST_PARTS = 64

# So much stray around a direction leaves nothing of it.
_ANY_WAY = 1000.0


def effect_of(source: Source, name: str, emitters: list[Emitter]) -> Any:
    """A `ParticleEffect` of all emitters, with what none of them can do.

    Raises
    ------
    FormatError
        A number that no part takes.
    """
    from ...particle_effect import ParticleEffect

    styles: dict[tuple[Any, ...], Any] = {}
    parts = []
    for emitter in emitters:
        parts.append(_part(source, emitter, styles))
        for event, child, count in emitter.children:
            source.note(child.where, f"{count} of {child.name or 'it'} at each {event}",
                        "parts of files begin nothing where they end")  # fmt: skip
    if len(parts) > _MOST_PARTS:
        source.note("", f"{len(parts)} emitters", f"the first {_MOST_PARTS} are read")
    return ParticleEffect(name=name, parts=tuple(parts[:_MOST_PARTS]), unmapped=source.unmapped)


def _part(source: Source, emitter: Emitter, styles: dict[tuple[Any, ...], Any]) -> Any:
    from ...particle_effect import ParticlePart

    emitter = _late(source, emitter)
    try:
        return ParticlePart(
            kind="ballistic",
            layer=_style(emitter, styles),
            count=emitter.count,
            lifetime=emitter.lifetime,
            params=_params(source, emitter),
            opacity=emitter.opacity,
            opacity_curve=_flat(emitter.opacity_curve),
            size_curve=_flat(emitter.size_curve),
            ramp=_ramp(emitter),
            over_life=not emitter.picks,
            burst=None if emitter.period is None else (emitter.period, emitter.period),
            once=emitter.once,
            delay=emitter.delay if emitter.once else 0.0,
            even=emitter.even,
            offset=emitter.origin,
            **_frames(emitter),
        )
    except ValueError as error:
        source.fail(emitter.where, f"asks for what no particle can do: {error}")


def _late(source: Source, emitter: Emitter) -> Emitter:
    """Particles that rest where they are born wait unseen, as part of a longer life."""
    wait, (least, most) = emitter.wait, emitter.lifetime
    if wait <= 0:
        return emitter
    rests = not any((*emitter.speed, *emitter.gravity, *emitter.radial, *emitter.spin))
    if not (emitter.once and rests and most - least < 1e-6):
        source.note(emitter.where, f"begins after {wait:.3g} s", "moving particles begin at once")
        return emitter
    total = wait + most
    age = (AGES * total - wait) / most
    shown = np.ones(AGES.size) if emitter.opacity_curve is None else emitter.opacity_curve
    found = replace(emitter, lifetime=(total, total),
                    opacity_curve=np.where(age < 0, 0.0, _at(shown, age)))  # fmt: skip
    if emitter.size_curve is not None:
        found.size_curve = _at(emitter.size_curve, age)
    if emitter.ramp is not None and not emitter.picks and len(emitter.ramp) > 1:
        found.ramp = np.stack([_at(column, age) for column in emitter.ramp.T], axis=1)
    return found


def _at(values: np.ndarray, age: np.ndarray) -> np.ndarray:
    return np.interp(age, np.linspace(0.0, 1.0, len(values)), values)


def _flat(curve: np.ndarray | None) -> np.ndarray | None:
    """None for a curve that is 1 throughout."""
    return None if curve is None or np.abs(curve - 1.0).max() < 1e-9 else curve


def _ramp(emitter: Emitter) -> np.ndarray | None:
    if emitter.ramp is None:
        return None
    ramp = np.clip(emitter.ramp, 0.0, 1.0)
    if not emitter.picks and np.ptp(ramp, axis=0).max() < 1e-9:
        ramp = ramp[:1]
    colors = np.full((len(ramp), 4), 255, np.uint8)
    colors[:, :3] = np.rint(ramp * 255)
    return None if len(colors) == 1 and (colors == 255).all() else colors


def _frames(emitter: Emitter) -> dict[str, Any]:
    total = emitter.look.frames[0] * emitter.look.frames[1]
    if total == 1:
        return {}
    if emitter.frame_count == 0:
        return {"frames": (0, total), "frame_rate": -1.0}
    return {"frames": (emitter.frame, min(emitter.frame_count, total - emitter.frame))}


def _style(emitter: Emitter, styles: dict[tuple[Any, ...], Any]) -> Any:
    """The layer; emitters that look alike share one."""
    from ...particle_style import ParticleStyle

    look = emitter.look
    image = look.image if isinstance(look.image, str) else id(look.image)
    key = (look.blend, look.face, image, look.frames, round(look.aspect, 3), look.soft,
           look.sharpness, round(look.stretch, 1), round(look.glow, 3), look.lit)  # fmt: skip
    if key not in styles:
        picture = _fitted(look)
        styles[key] = (look.image, ParticleStyle(
            blend=look.blend,
            face=look.face,
            image=picture,
            frames=look.frames,
            sharpness=look.sharpness,
            aspect=min(max(look.aspect, 1e-3), 1.8),
            soft=look.soft,
            stretch=look.stretch,
            glow=min(look.glow, 1e4),
            lit=look.lit and look.blend != "add",
            name=emitter.name[:80],
        ))  # fmt: skip
    return styles[key][1]


def _fitted(look: Look) -> Any:
    """The picture, cut so that its frames are equal; multiplied where the blend takes that."""
    if not isinstance(look.image, Image):
        return look.image
    columns, rows = look.frames
    array = look.image.array
    height, width = array.shape[:2]
    if height < rows or width < columns:
        raise ValueError(f"a picture of {width} x {height} pixels has no {columns} x {rows} frames")
    return np.ascontiguousarray(array[: height - height % rows, : width - width % columns])


# ---- numbers of the kind ----


def _params(source: Source, emitter: Emitter) -> dict[str, float]:
    shape, spread, direction = _shape(source, emitter)
    life = sum(emitter.lifetime) / 2
    found = {
        "shape": float(shape),
        "thickness": _thickness(emitter, shape),
        "arc": 1.0,
        "speed": emitter.speed[0],
        "speed_span": emitter.speed[1] - emitter.speed[0],
        "spread": spread,
        "drag": sum(emitter.drag) / 2,
        "radial": _radial(source, emitter, life),
        "size": emitter.size[0],
        "size_span": emitter.size[1] - emitter.size[0],
        "turn": emitter.rotation[0],
        "turn_span": emitter.rotation[1] - emitter.rotation[0],
        "spin": emitter.spin[0],
        "spin_span": emitter.spin[1] - emitter.spin[0],
    }
    if shape == _SHAPES["box"]:
        found |= dict(zip(("box_x", "box_y", "box_z"), emitter.box, strict=True))
    else:
        found["box_x"] = emitter.radius
    if shape == _SHAPES["cone"]:
        found["box_z"] = math.tan(min(emitter.angle, 0.24) * 2 * math.pi)
    found |= dict(zip(("dir_x", "dir_y", "dir_z"), direction, strict=True))
    found |= dict(zip(("accel_x", "accel_y", "accel_z"), emitter.gravity, strict=True))
    found["orbit"] = _orbit(source, emitter)
    return found


def _is_upright(emitter: Emitter) -> bool:
    return abs(emitter.axis[1]) > 0.999


def _stray(turns: float) -> float:
    """How long an offset any way must be, so that no direction strays by more turns."""
    angle = turns * 2 * math.pi
    if angle <= math.pi / 2:
        return math.sin(angle)
    return min(1 / max(math.cos(angle - math.pi / 2), 1e-9), _ANY_WAY)


def _shape(source: Source, emitter: Emitter) -> tuple[int, float, tuple[float, float, float]]:
    """Number of the shape, stray, direction (zeros: the shape's own)."""
    shape, spread = emitter.shape, _stray(emitter.spread)
    own = (0.0, 0.0, 0.0)
    if shape == "point" or (emitter.radius <= 0 and shape not in ("box", "cone")):
        return _SHAPES["point"], _ANY_WAY if emitter.outward else spread, emitter.direction
    if shape == "box" or not emitter.outward:
        direction = emitter.direction
    else:
        direction = own
    if shape in ("disc", "ring", "hemisphere", "cone") and not _is_upright(emitter):
        source.note(emitter.where, f"a {shape} about {tuple(round(a, 2) for a in emitter.axis)}",
                    "shapes stand upright; a ball stands in")  # fmt: skip
        if shape in ("hemisphere", "cone"):
            return 2, _stray(0.25 if shape == "hemisphere" else emitter.angle), emitter.axis
        return 2, spread, direction
    if shape in ("hemisphere", "cone") and emitter.axis[1] < 0:
        if shape == "cone":
            return _SHAPES["disc"], _stray(emitter.angle), emitter.axis
        return 2, _stray(0.25), emitter.axis
    return _SHAPES[shape], spread if shape != "cone" else 0.0, direction


def _thickness(emitter: Emitter, shape: int) -> float:
    if emitter.radius <= 0:
        return 1.0
    return min(max(1.0 - emitter.inner / emitter.radius, 0.0), 1.0)


def _radial(source: Source, emitter: Emitter, life: float) -> float:
    pull = sum(emitter.radial) / 2
    if pull:
        source.note(emitter.where, f"{pull:.3g} m/s^2 away from the middle",
                    "becomes an even speed that gets as far in a life")  # fmt: skip
    if any(emitter.tangential):
        mean = sum(emitter.tangential) / 2
        source.note(emitter.where, f"{mean:.3g} m/s^2 around the middle", "nothing pulls around")
    return pull * life / 2


def _orbit(source: Source, emitter: Emitter) -> float:
    turns = sum(emitter.orbit) / 2
    if not turns:
        return 0.0
    if not _is_upright(emitter):
        source.note(emitter.where, f"{turns:.3g} turns/s about {emitter.axis}",
                    "orbits are about the upright axis alone")  # fmt: skip
        return 0.0
    return turns * math.copysign(1.0, emitter.axis[1])
