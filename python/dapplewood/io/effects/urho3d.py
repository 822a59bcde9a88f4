# SPDX-License-Identifier: MIT
"""Urho3D particle effects (.xml with the root <particleeffect>)."""

from __future__ import annotations

import numpy as np

from . import textures
from .curves import keyed, sampled
from .emitter import Emitter, Look, alive, continuous, hdr, pulsed, unit, vector
from .reading import Record, Source
from .xml_tree import Element

__all__ = ["read_urho3d"]

_FACES = {
    "rotatexyz": "camera", "rotatey": "camera", "lookatxyz": "camera", "lookaty": "camera",
    "lookatmixed": "camera", "none": "camera", "direction": "streak",
}  # fmt: skip


def read_urho3d(source: Source, root: Element) -> list[Emitter]:
    """One emitter; lengths are metres already."""
    found: dict[str, object] = {}
    fades, frames = [], []
    for child in root.children:
        if child.tag == "colorfade":
            fades.append(dict(child.attributes))
        elif child.tag == "texanim":
            frames.append(dict(child.attributes))
        else:
            found[child.tag] = dict(child.attributes)
    source.record(dict(root.attributes), root.tag)
    record = source.record({**found, "colorfade": fades, "texanim": frames})
    record.skip("updateinvisible", "relative", "scaled", "animlodbias", "sorted", "fixedscreensize")
    emitter = Emitter(where="")
    _timed(source, record, emitter)
    _moved(record, emitter)
    _sized(record, emitter)
    _looks(source, record, emitter)
    return [emitter]


def _one(record: Record, key: str, default: float) -> float:
    return record.record(key).number("value", default)


def _pair(record: Record, key: str, default: float) -> tuple[float, float]:
    """A range, or one value for both ends."""
    entry = record.record(key)
    value = entry.number("value", default)
    pair = (entry.number("min", value), entry.number("max", value))
    return (min(pair), max(pair))


def _timed(source: Source, record: Record, emitter: Emitter) -> None:
    most = _one(record, "numparticles", 10.0)
    life = _pair(record, "timetolive", 1.0)
    rate = max(sum(_pair(record, "emissionrate", 10.0)) / 2, 0.0)
    active, inactive = _one(record, "activetime", 0.0), _one(record, "inactivetime", 0.0)
    if active > 0 and inactive <= 0:
        found = pulsed(source, "", max(rate * active, 1.0), None, life) | {"delay": active}
    elif active > 0:
        found = pulsed(source, "", max(rate * active, 1.0), active + inactive, life)
        record.note(f"activetime = {active:g} s", "all of a burst begin at once")
    else:
        found = continuous(source, "", rate, life)
    count = int(found["count"])  # type: ignore[call-overload]
    if count > most:
        # The pool is full: what does not fit is never begun.
        found["count"] = alive(source, "numparticles", most)
    for key, value in found.items():
        setattr(emitter, key, value)


def _moved(record: Record, emitter: Emitter) -> None:
    kind = record.record("emittertype").text("value", "Sphere").lower()
    size = record.record("emittersize").numbers("value", 3, (0.0, 0.0, 0.0))
    if kind == "box" and any(size):
        emitter.shape = "box"
        emitter.box = vector(abs(edge) / 2 for edge in size)
    elif any(size) or kind in ("spherevolume", "cylinder", "ring"):
        emitter.shape = {"ring": "ring", "cylinder": "disc"}.get(kind, "sphere")
        emitter.radius = max(abs(edge) for edge in size) / 2
        emitter.inner = emitter.radius if kind in ("sphere", "ring") else 0.0
        if len({round(abs(edge), 6) for edge in size}) > 1:
            record.note(f"emittersize = {size}", "spheres and rings are round")
    _directed(record, emitter)
    emitter.speed = _pair(record, "velocity", 1.0)
    force = record.record("constantforce")
    emitter.gravity = force.numbers("value", 3, (0.0, 0.0, 0.0))  # type: ignore[assignment]
    drag = _one(record, "dampingforce", 0.0)
    emitter.drag = (max(drag, 0.0),) * 2


def _directed(record: Record, emitter: Emitter) -> None:
    """Each part of the direction is drawn from its own range; here, a cone around the middle."""
    entry = record.record("direction")
    least = np.array(entry.numbers("min", 3, (-1.0, -1.0, -1.0)))
    most = np.array(entry.numbers("max", 3, (1.0, 1.0, 1.0)))
    middle, half = (least + most) / 2, np.abs(most - least) / 2
    length = float(np.linalg.norm(middle))
    if length < 1e-6:
        emitter.spread = 0.5
        if half.min() < 1e-6 < half.max():
            entry.note("min, max", "directions in a plane or along a line become any directions")
        return
    emitter.direction = unit(vector(middle))
    across = half - np.asarray(emitter.direction) * float(half @ np.asarray(emitter.direction))
    emitter.spread = float(np.arctan2(np.linalg.norm(across), length) / (2 * np.pi))
    if emitter.spread > 0:
        entry.note("min, max", f"becomes a cone of {emitter.spread * 360:.1f} degrees to each side")


def _sized(record: Record, emitter: Emitter) -> None:
    """Sizes are half edges, which a size delta changes: d size / dt = add, size *= mul each s."""
    entry = record.record("particlesize")
    value = entry.numbers("value", 2, (0.1, 0.1))
    least, most = entry.numbers("min", 2, value), entry.numbers("max", 2, value)
    emitter.size = (2 * abs(min(least[0], most[0])), 2 * abs(max(least[0], most[0])))
    wide, high = (least[0] + most[0]) / 2, (least[1] + most[1]) / 2
    emitter.look.aspect = high / wide if wide > 1e-9 else 1.0
    delta = record.record("sizedelta")
    add, mul = delta.number("add", 0.0), delta.number("mul", 1.0)
    if add or mul != 1.0:
        emitter.size_curve = _grown(add, mul, sum(emitter.lifetime) / 2)
    turn = _pair(record, "rotation", 0.0)
    emitter.rotation = (turn[0] / 360, turn[1] / 360)
    spin = _pair(record, "rotationspeed", 0.0)
    emitter.spin = (spin[0] / 360, spin[1] / 360)


def _grown(add: float, mul: float, life: float) -> np.ndarray:
    """The scale of a particle over its life: s' = add / size, then s' = (mul - 1) s each step."""
    growth = mul - 1.0

    def scale(age: float) -> float:
        time = age * life
        if abs(growth) < 1e-9:
            return max(1.0 + add * time, 0.0)
        grown = float(np.exp(min(growth * time, 20.0)))
        return max(grown + add * (grown - 1.0) / growth, 0.0)

    return sampled(scale)


def _looks(source: Source, record: Record, emitter: Emitter) -> None:
    material = record.record("material").text("name", "")
    word = record.record("faceCameraMode").text("value", "RotateXYZ").lower()
    if word not in _FACES:
        record.fail(f"faceCameraMode must be one of {', '.join(_FACES)}, got {word[:40]!r}")
    aspect = emitter.look.aspect
    emitter.look = Look(blend=_blend(material), face=_FACES[word], aspect=aspect)
    if word not in ("rotatexyz", "direction", "lookatxyz"):
        record.note(f"faceCameraMode = {word!r}", "sprites face the camera")
    if emitter.look.face == "streak":
        emitter.look.aspect, emitter.look.stretch = 1.0, min(max(aspect, 1.0), 16.0)
    name = material.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    emitter.look.image = textures.stand_in(name, emitter.look.blend)
    if material:
        record.note(f"material = {material!r}",
                    f"materials are not read: additive, drawn as {emitter.look.image!r}")
    for frame in record.records("texanim"):
        frame.skip(*frame.data)
        frame.note("texanim", "a flipbook needs its texture")
    _faded(record, emitter)


def _blend(material: str) -> str:
    """Materials of particles add, but for those whose names say otherwise."""
    lower = material.lower()
    return "sorted" if any(word in lower for word in ("smoke", "alpha", "dust")) else "add"


def _faded(record: Record, emitter: Emitter) -> None:
    fades = record.records("colorfade")
    if "color" in record:
        fades = [record.record("color")]
    life = sum(emitter.lifetime) / 2
    places, colors = [], []
    for fade in fades:
        colors.append(fade.numbers("color" if "color" in fade else "value", 4))
        places.append(fade.number("time", 0.0, 0.0))
    if not colors:
        return
    table = keyed([min(place / life, 1.0) for place in places], np.maximum(colors, 0.0))
    emitter.ramp, emitter.look.glow = hdr(table[:, :3])
    emitter.opacity_curve = np.clip(table[:, 3], 0.0, 1.0)
    if not np.ptp(emitter.lifetime) < 1e-6 and len(places) > 1:
        record.note("colorfade", "times count against the mean life")

