# SPDX-License-Identifier: MIT
"""Emitters as parts of an effect."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..image import Image
from .emitter import Emitter, Look, Vector, vector
from .reading import Source
from .simulated import born_of, is_simulated, simulation_of

__all__ = ["effect_of"]

# A shape's number is one of these, 8 times its side, and 64 where it strays in a plane alone.
_SHAPES = {"point": 0, "disc": 1, "ring": 1, "sphere": 2, "hemisphere": 3, "box": 4, "cone": 5}
_MOST_PARTS = 64

_SIDES = (
    (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0),
    (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, -1.0),
)  # fmt: skip
_FLAT = 64

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
    parts = [_part(source, emitter, styles) for emitter in emitters]
    if len(parts) > _MOST_PARTS:
        source.note("", f"{len(parts)} emitters", f"the first {_MOST_PARTS} are read")
    if any(part.colliders for part in parts):
        source.note("", "solids of the scene", "they stand in the world as the file has them, "
                    "wherever the effect is registered")  # fmt: skip
    return ParticleEffect(name=name, parts=tuple(parts[:_MOST_PARTS]), unmapped=source.unmapped)


def _part(source: Source, emitter: Emitter, styles: dict[tuple[Any, ...], Any],
          depth: int = 0, born: int | None = None) -> Any:  # fmt: skip
    """born: how many of a child each event of its parent bears."""
    from ...particle_effect import ParticlePart

    if emitter.wait > 0 and not emitter.once:
        source.note(emitter.where, f"begins after {emitter.wait:.3g} s",
                    "what goes on and on begins at once")  # fmt: skip
    is_child = born is not None
    if is_child:
        emitter = replace(emitter, once=False, period=None, origin=(0.0, 0.0, 0.0), count=born)
    fields = {
        "kind": "ballistic",
        "layer": _style(emitter, styles),
        "count": emitter.count,
        "lifetime": emitter.lifetime,
        "opacity": emitter.opacity,
        "opacity_curve": _flat(emitter.opacity_curve),
        "size_curve": _flat(emitter.size_curve),
        "ramp": _ramp(emitter),
        "over_life": not emitter.picks,
        "burst": None if emitter.period is None else (emitter.period, emitter.period),
        "once": emitter.once,
        "delay": (emitter.wait, emitter.wait + emitter.delay) if emitter.once else 0.0,
        "even": emitter.even,
        "offset": emitter.origin,
        **_frames(emitter),
    }
    try:
        if not (is_child or is_simulated(emitter)):
            return ParticlePart(params=_params(source, emitter), **fields)
        fields |= simulation_of(source, emitter, is_child=is_child)
        for event in ("death", "collision"):
            fields[f"on_{event}"] = tuple(
                _part(source, child, styles, depth + 1, count)
                for child, count in born_of(emitter, event, depth, source)
            )
        return ParticlePart(params=_shown(emitter), **fields)
    except ValueError as error:
        source.fail(emitter.where, f"asks for what no particle can do: {error}")


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


def _shown(emitter: Emitter) -> dict[str, float]:
    """Size and turn, which simulated particles have of their kind too."""
    return {
        "size": emitter.size[0],
        "size_span": emitter.size[1] - emitter.size[0],
        "turn": emitter.rotation[0],
        "turn_span": emitter.rotation[1] - emitter.rotation[0],
        "spin": emitter.spin[0],
        "spin_span": emitter.spin[1] - emitter.spin[0],
    }


def _params(source: Source, emitter: Emitter) -> dict[str, float]:
    shape, spread, direction = _shape(emitter)
    side = _side(source, emitter)
    life = sum(emitter.lifetime) / 2
    found = {
        "shape": float(shape + 8 * side + _FLAT * _is_flat(emitter)),
        "thickness": _thickness(emitter),
        "arc": 1.0,
        "speed": emitter.speed[0],
        "speed_span": emitter.speed[1] - emitter.speed[0],
        "spread": spread,
        "drag": sum(emitter.drag) / 2,
        "radial": _radial(source, emitter, life),
        # The kind turns from x to z, left around its axis.
        "orbit": -sum(emitter.orbit) / 2,
        **_shown(emitter),
    }
    if shape == _SHAPES["box"]:
        found |= _axes("box", vector(map(abs, _upright(side, emitter.box))))
    else:
        found["box_x"] = emitter.radius
    if shape == _SHAPES["cone"]:
        found["box_z"] = math.tan(min(emitter.angle, 0.24) * 2 * math.pi)
    found |= _axes("dir", _upright(side, direction))
    return found | _axes("accel", _upright(side, emitter.gravity))


def _axes(word: str, values: Vector) -> dict[str, float]:
    return {f"{word}_{axis}": value for axis, value in zip("xyz", values, strict=True)}


def _upright(side: int, way: Vector) -> Vector:
    """A vector as it was before its shape was laid on a side."""
    x, y, z = way
    a, b, c = ((x, y, z), (z, x, y), (y, z, x))[side % 3]
    return (-a, -b, c) if side >= 3 else (a, b, c)


def _side(source: Source, emitter: Emitter) -> int:
    """The side whose axis is nearest to the emitter's."""
    has_axis = emitter.shape not in ("point", "box", "sphere") or _is_flat(emitter)
    if not (has_axis or any(emitter.orbit)):
        return 0
    lengths = [sum(a * b for a, b in zip(side, emitter.axis, strict=True)) for side in _SIDES]
    if max(lengths) < 0.98:
        axis = tuple(round(a, 2) for a in emitter.axis)
        source.note(emitter.where, f"a {emitter.shape} about {axis}",
                    "shapes stand along x, y or z; the nearest is taken")  # fmt: skip
    return lengths.index(max(lengths))


def _is_flat(emitter: Emitter) -> bool:
    return emitter.is_flat and emitter.spread > 0


def _stray(turns: float) -> float:
    """How long an offset any way must be, so that no direction strays by more turns."""
    angle = turns * 2 * math.pi
    if angle <= math.pi / 2:
        return math.sin(angle)
    return min(1 / max(math.cos(angle - math.pi / 2), 1e-9), _ANY_WAY)


def _shape(emitter: Emitter) -> tuple[int, float, Vector]:
    """Number of the shape, stray, direction (zeros: the shape's own)."""
    shape, spread = emitter.shape, _stray(emitter.spread)
    if shape == "point" or (emitter.radius <= 0 and shape not in ("box", "cone")):
        return _SHAPES["point"], _ANY_WAY if emitter.outward else spread, emitter.direction
    if shape == "box" or not emitter.outward:
        return _SHAPES[shape], spread, emitter.direction
    return _SHAPES[shape], spread if shape != "cone" else 0.0, (0.0, 0.0, 0.0)


def _thickness(emitter: Emitter) -> float:
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
