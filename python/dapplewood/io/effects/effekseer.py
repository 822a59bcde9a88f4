# SPDX-License-Identifier: MIT
"""Effekseer: .efkefc, .efkproj and .efk. Times are frames of 1/60 s, angles degrees."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import textures
from .curves import AGES, eased
from .effekseer_project import is_effekseer, project_of
from .emitter import Emitter, Look, Range, continuous, pulsed, unit, vector
from .reading import DEPTH, Record, Source
from .textures import ring_image

__all__ = ["is_effekseer", "read_effekseer"]

_FPS = 60.0
_DRAWN = {0: "none", 1: "none", 2: "sprite", 3: "ribbon", 4: "ring", 5: "model", 6: "track"}
_BLENDS = {0: "opacity", 1: "blend", 2: "add", 3: "subtract", 4: "multiply"}
_FORMS = {0: "Fixed", 1: "PVA", 2: "Easing", 3: "SinglePVA", 4: "SingleEasing", 5: "FCurve",
          6: "SingleFCurve"}  # fmt: skip
_ZERO = (0.0, 0.0, 0.0)

# A motion is turned any way where what is above it turns by so many degrees.
_FULL = 300.0

# Boards so many times longer than wide are drawn as streaks, which have at most so many widths.
_BEAM, _STRETCH = 1.8, 16.0
_CREEP = 1e-3  # m/s


@dataclass(frozen=True)
class _Above:
    """What the nodes above give to one: how many of them, over what time, and their motion."""

    count: float = 1.0
    delay: float = 0.0
    wait: float = 0.0
    life: float = math.inf
    rate: float = 0.0
    origin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    reach: np.ndarray = field(default_factory=lambda: np.zeros(3))
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    turns: np.ndarray = field(default_factory=lambda: np.zeros(3))
    tilt: np.ndarray = field(default_factory=lambda: np.zeros(3))
    scale: float = 1.0


def read_effekseer(source: Source, data: bytes) -> list[Emitter]:
    """Every drawn node, with what the nodes above it do; nodes are flattened."""
    tree, origin = project_of(source, data)
    project = source.record(tree)
    project.skip("ToolVersion", "Version", "StartFrame", "EndFrame", "IsLoop", "Culling", "Global",
                 "ProceduralModel", "ResourceFiles")  # fmt: skip
    for key in ("Behavior", "Dynamic", "LOD", "EffectLOD"):
        if project.data.get(key):
            project.lack(key, "targets, equations and levels of detail are not followed")
    root = project.record("Root")
    root.skip("Name")
    found: list[Emitter] = []
    for node in root.record("Children").records("Node"):
        _walk(source, node, _Above(), found, 0)
    if not found and origin == "project":
        source.fail("", "has no node that is drawn")
    if not found:
        source.fail("", "has no node that could be read; save it with its project (.efkefc)")
    return found


def _walk(source: Source, node: Record, above: _Above, found: list[Emitter], depth: int) -> None:
    if depth > DEPTH:
        node.fail(f"is nested deeper than {DEPTH}")
    name = node.text("Name", f"node {len(found)}")
    emitter = Emitter(where=node.where, name=name)
    own = _timed(source, node, above, emitter)
    own = _placed(node, own, above, emitter)
    kind = node.record("DrawingValues").choice("Type", _DRAWN, 2)
    own, height = _scaled(node, own, emitter)
    if node.flag("IsRendered", True) and kind != "none":
        _drawn(source, node, kind, emitter, above, height)
        found.append(emitter)
        if len(found) > 4096:
            node.fail("is one of more than 4096 drawn nodes")
    else:
        _quiet(node)
    for key in ("DepthValues", "SoundValues", "AbsoluteLocationValues", "KillRulesValues",
                "CollisionsValues", "AdvancedRendererCommonValuesValues", "GpuParticles",
                "AdvancedRenderCommonValues", "AdvancedRenderCommonValues2", "LODValues",
                "DrawingPriority", "TriggerParam"):  # fmt: skip
        if node.data.get(key):
            node.lack(key, "has no counterpart")
    for child in node.record("Children").records("Node") if node.data.get("Children") else []:
        _walk(source, child, own, found, depth + 1)
    node.skip("Children")


def _quiet(node: Record) -> None:
    """Looks of nodes that are not drawn."""
    for key in ("RendererCommonValues", "DrawingValues"):
        if isinstance(node.data.get(key), dict):
            node.record(key).skip(*node.record(key).data)
    node.skip("RendererCommonValues", "DrawingValues")


# ---- numbers ----


def _range(record: Record, key: str, default: float = 0.0) -> Range:
    """What is stored where it is not the default: the middle and both ends."""
    if not isinstance(record.data.get(key), dict):
        value = record.number(key, default) if record.data.get(key) != "" else default
        return (value, value)
    entry = record.record(key)
    entry.skip("Center", "DrawnAs", "DynamicEquation", "DynamicEquationMin", "DynamicEquationMax",
               "IsDynamicEquationEnabled")  # fmt: skip
    pair = (entry.number("Min", default), entry.number("Max", default))
    return (min(pair), max(pair))


def _vector(record: Record, key: str, default: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Both ends of three ranges."""
    entry = record.record(key) if isinstance(record.data.get(key), dict) else None
    record.skip(key)
    if entry is None:
        return np.full(3, default), np.full(3, default)
    ends = [_range(entry, axis, default) for axis in "XYZ"]
    return np.array([end[0] for end in ends]), np.array([end[1] for end in ends])


def _table(record: Record, key: str) -> Record:
    if isinstance(record.data.get(key), dict):
        return record.record(key)
    record.skip(key)
    return record.source.record({}, record.at(key))


def _form(values: Record, name: str) -> tuple[str, Record]:
    form = values.choice("Type", _FORMS, 0)
    for other in _FORMS.values():
        if other != form:
            values.skip(other)
    if form in ("FCurve", "SingleFCurve"):
        values.note(f"{name} = {form}", "curves of the editor are not read")
        values.skip(form)
        return "Fixed", values.source.record({}, values.at(form))
    return form, _table(values, form)


# ---- when ----


def _timed(source: Source, node: Record, above: _Above, emitter: Emitter) -> _Above:
    """How many of a node there are: each of the nodes above begins its own."""
    common = _table(node, "CommonValues")
    common.skip("LocationEffectType", "RotationEffectType", "ScaleEffectType",
                "RemoveWhenParentIsRemoved", "RemoveWhenAllChildrenAreRemoved")  # fmt: skip
    common.lack("RemoveWhenLifeIsExtinct", "lives end", True)
    life = tuple(frames / _FPS for frames in _range(common, "Life", 100.0))
    gap = max(sum(_range(common, "GenerationTime", 1.0)) / 2 / _FPS, 1e-6)
    wait = sum(_range(common, "GenerationTimeOffset", 0.0)) / 2 / _FPS
    most = _table(common, "MaxGeneration")
    is_endless = most.flag("Infinite")
    each = most.number("Value", 1.0, 0.0)
    if is_endless or (above.life / gap + 1 < each):
        each = above.life / gap + 1
    emitter.wait = above.wait + wait
    mean = max(sum(life) / 2, 1 / _FPS)
    where = common.where
    if above.rate > 0 or math.isinf(each):
        rate = above.rate * each if above.rate > 0 else above.count / gap
        fields = continuous(source, where, rate, life)  # type: ignore[arg-type]
        own = replace(above, rate=rate, life=mean, wait=emitter.wait)
    else:
        fields = pulsed(source, where, above.count * each, None, life)  # type: ignore[arg-type]
        delay = above.delay + gap * max(each - 1, 0.0)
        fields["delay"] = delay
        own = replace(above, count=above.count * each, delay=delay, life=mean,
                      wait=emitter.wait)
    for key, value in fields.items():
        setattr(emitter, key, value)
    return own


# ---- where ----


def _placed(node: Record, own: _Above, above: _Above, emitter: Emitter) -> _Above:
    """Place and motion within the frames of the nodes above."""
    life = sum(emitter.lifetime) / 2
    start, reach, ends, accel = _motion(_table(node, "LocationValues"), life)
    force = _force(node)
    own_turns, tilt = _turned(node, emitter)
    origin = above.origin + start
    least, most = (end / life if life else end for end in ends)
    velocity = (least + most) / 2 + above.velocity
    half = (most - least) / 2
    emitter.origin = vector(origin * above.scale)
    emitter.gravity = vector((accel + force) * above.scale)
    _born(node, emitter, above.scale)
    if emitter.shape == "point" and (reach + above.reach).any():
        emitter.shape = "box"
        emitter.box = vector((reach + above.reach) * above.scale)
    _thrown(emitter, velocity, half, start, above)
    return replace(
        own,
        origin=origin if not above.turns.any() else above.origin,
        reach=above.reach + reach,
        velocity=velocity,
        turns=np.maximum(above.turns, own_turns),
        tilt=above.tilt + tilt,
    )


def _motion(
    values: Record, life: float
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Start, half its range, both ends of the way of a life, acceleration in m/s^2."""
    form, entry = _form(values, "LocationValues")
    none = np.zeros(3)
    if form == "Fixed":
        least, most = _vector(entry, "Location")
        return (least + most) / 2, (most - least) / 2, (none, none), none
    if form == "PVA":
        at = _vector(entry, "Location")
        speed = _vector(entry, "Velocity")
        pull = sum(_vector(entry, "Acceleration")) / 2 * _FPS * _FPS
        ways = (speed[0] * _FPS * life, speed[1] * _FPS * life)
        return (at[0] + at[1]) / 2, (at[1] - at[0]) / 2, ways, pull
    start, end = _vector(entry, "Start"), _vector(entry, "End")
    entry.skip("StartSpeed", "EndSpeed", "Type", "RandomType", "IsRandomGroupEnabled")
    if np.abs(np.subtract(*start)).max() > 0 or np.abs(np.subtract(*end)).max() > 0:
        entry.note("Easing", "the way is gone evenly, each end drawn by itself")
    mean = (start[0] + start[1]) / 2
    return mean, (start[1] - start[0]) / 2, (end[0] - mean, end[1] - mean), none


def _force(node: Record) -> np.ndarray:
    """Gravity of LocationAbsValues, in m/s^2."""
    values = _table(node, "LocationAbsValues")
    kind = values.choice("Type", {0: "none", 1: "gravity", 2: "attraction", 3: "forces"}, 0)
    if kind == "gravity":
        pull = _table(values, "Gravity")
        pull = _table(pull, "Gravity") if "Gravity" in pull else pull
        return np.array([pull.number(axis, 0.0) for axis in "XYZ"]) * _FPS * _FPS
    if kind != "none":
        values.note(f"Type = {kind}", "only even forces are known")
    values.skip(*values.data)
    return np.zeros(3)


def _turned(node: Record, emitter: Emitter) -> tuple[np.ndarray, np.ndarray]:
    """How far rotations range, and their middle, in degrees; the sprite turns about z."""
    values = _table(node, "RotationValues")
    form = values.choice("Type", {0: "Fixed", 1: "PVA", 2: "Easing", 3: "AxisPVA", 4: "AxisEasing",
                                  5: "FCurve"}, 0)  # fmt: skip
    values.skip("Fixed", "PVA", "Easing", "AxisPVA", "AxisEasing", "FCurve")
    if form not in ("Fixed", "PVA", "Easing"):
        values.note(f"Type = {form}", "sprites turn in the picture's plane alone")
        return np.zeros(3), np.zeros(3)
    entry = _table(values, form)
    if form == "Easing":
        least, most = _vector(entry, "Start")
        last = sum(_vector(entry, "End")) / 2
        spin = (last - (least + most) / 2) / max(sum(emitter.lifetime) / 2, 1 / _FPS)
        speed = (spin, spin)
        entry.skip("RandomType")
        for key in ("StartSpeed", "EndSpeed"):
            entry.lack(key, "turns are even", 0)
    else:
        least, most = _vector(entry, "Rotation")
        speed = tuple(v * _FPS for v in _vector(entry, "Velocity"))
        if any(_vector(entry, "Acceleration")[0]):
            entry.note("Acceleration", "turns are even")
    emitter.rotation = (least[2] / 360, most[2] / 360)
    emitter.spin = (min(speed[0][2], speed[1][2]) / 360, max(speed[0][2], speed[1][2]) / 360)
    return most - least, (most + least) / 2


def _born(node: Record, emitter: Emitter, scale: float) -> None:
    values = _table(node, "GenerationLocationValues")
    kind = values.choice(
        "Type", {0: "Point", 1: "Sphere", 2: "Model", 3: "Circle", 4: "Line"}, 0)
    for other in ("Point", "Sphere", "Model", "Circle", "Line"):
        if other != kind:
            values.skip(other)
    entry = _table(values, kind)
    if kind in ("Sphere", "Circle"):
        least, most = _range(entry, "Radius")
        emitter.radius = max(abs(least), abs(most)) * scale
        emitter.inner = 0.0 if least * most <= 0 else min(abs(least), abs(most)) * scale
        emitter.shape = "sphere" if kind == "Sphere" else "disc"
        axis = entry.choice("AxisDirection", {0: "X", 1: "Y", 2: "Z"}, 2)
        emitter.axis = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}[axis]
        entry.skip("Division", "Type")
        for key, whole in (("AngleStart", 0), ("AngleEnd", 360), ("RotationX", 0),
                           ("RotationY", 0), ("AngleNoise", 0)):  # fmt: skip
            if _range(entry, key, whole) not in ((whole, whole), (0.0, 360.0), (-180.0, 180.0)):
                entry.note(key, "spheres and circles go all the way around")
    elif kind == "Point":
        least, most = _vector(entry, "Location")
        middle = (least + most) / 2 * scale
        emitter.origin = vector(np.asarray(emitter.origin) + middle)
        if (most - least).any():
            emitter.shape = "box"
            emitter.box = vector((most - least) / 2 * scale)
    elif entry:
        entry.note(f"Type = {kind}", "this shape is not known here; a point stands in")
        entry.skip(*entry.data)
    emitter.outward = values.flag("EffectsRotation") and kind in ("Sphere", "Circle")


def _thrown(emitter: Emitter, velocity: np.ndarray, half: np.ndarray, start: np.ndarray,
            above: _Above) -> None:  # fmt: skip
    """Speed and direction; where what is above is turned any way, all around."""
    length = float(np.linalg.norm(velocity))
    along = float(np.abs(half) @ np.abs(velocity)) / length if length > 1e-9 else 0.0
    across = math.sqrt(max(float(half @ half) - along**2, 0.0))
    if length < 1e-9:
        length = float(np.linalg.norm(half))
        emitter.speed, emitter.spread = (0.0, length * above.scale), 0.5
        emitter.direction = (0.0, 1.0, 0.0)
    else:
        emitter.speed = (max(length - along, 0.0) * above.scale, (length + along) * above.scale)
        emitter.direction = unit(vector(velocity))
        emitter.spread = math.atan2(across, length) / (2 * math.pi)
    full = above.turns >= _FULL
    if full.sum() >= 2:
        emitter.spread = 0.5
        _around(emitter, "sphere", (0.0, 1.0, 0.0), start, above)
    elif full.any() and emitter.speed[1] > 0:
        axis = tuple(1.0 if f else 0.0 for f in full)
        _around(emitter, "disc", axis, start, above)
    elif above.turns.any():
        emitter.spread = min(emitter.spread + float(above.turns.max()) / 720, 0.5)


def _around(emitter: Emitter, shape: str, axis: Any, start: np.ndarray, above: _Above) -> None:
    """Parents turned any way: a start away from the middle lies on a circle or ball."""
    radius = max(emitter.radius, float(np.linalg.norm(start)) * above.scale, 1e-3)
    emitter.shape, emitter.axis, emitter.outward = shape, axis, True
    emitter.inner = min(emitter.inner, radius) if start.any() is False else radius * 0.7
    emitter.radius = radius
    emitter.origin = vector(above.origin * above.scale)
    emitter.spread = min(emitter.spread, 0.1) if shape == "disc" else 0.0


# ---- looks ----


def _scaled(node: Record, own: _Above, emitter: Emitter) -> tuple[_Above, np.ndarray]:
    """Scale over the life; its first value goes on to the nodes below. And the height, in m."""
    values = _table(node, "ScalingValues")
    form, entry = _form(values, "ScalingValues")
    frames = AGES * sum(emitter.lifetime) / 2 * _FPS
    entry.skip("EndSpeed", "StartSpeed", "Type", "RandomType")
    if form == "Fixed":
        scale = _table(entry, "Scale")
        edges = [abs(scale.number(axis, 1.0)) for axis in "XYZ"]
        pair, curve = (edges[0],) * 2, None
        height = np.full(AGES.size, edges[1])
    else:
        names = ("Scale", "Velocity", "Acceleration") if "PVA" in form else ("Start", "End")
        first = [1.0 if name in ("Scale", "Start", "End") else 0.0 for name in names]
        if form in ("PVA", "Easing"):
            ends = [_vector(entry, name, plain) for name, plain in zip(names, first, strict=True)]
            courses = [[(end[0][i], end[1][i]) for end in ends] for i in (0, 1)]
        else:
            pairs = [_range(entry, name, plain) for name, plain in zip(names, first, strict=True)]
            courses = [pairs, pairs]
        pair, curve = _course(form, courses[0], frames, entry)
        tall, over = _course(form, courses[1], frames, entry)
        height = sum(tall) / 2 * over
    emitter.size = (max(pair[0], 0.0) * own.scale, max(pair[1], 0.0) * own.scale)
    emitter.size_curve = curve
    if curve is not None and np.ptp(curve) > 0.01 and node.data.get("Children"):
        values.note("scale over the life", "nodes below keep the first scale")
    return replace(own, scale=own.scale * max(sum(pair) / 2, 1e-6)), height * own.scale


def _course(form: str, ends: list[Any], frames: np.ndarray, entry: Record
            ) -> tuple[Range, np.ndarray]:  # fmt: skip
    """Range of the first value, and the factor over the life."""
    first = tuple(map(float, ends[0]))
    mean = sum(first) / 2
    if "PVA" in form:
        speed, pull = (sum(end) / 2 for end in ends[1:])
        values = mean + frames * speed + frames * frames * pull / 2
    else:
        angles = [entry.number(key, 0.0, -90.0, 90.0) for key in ("StartSpeed", "EndSpeed")]
        values = eased(mean, sum(ends[1]) / 2, *angles)
    values = np.maximum(values, 0.0)
    most = float(values.max())
    if mean <= 1e-6 < most:
        return (most, most), values / most
    return first, values / max(mean, 1e-6)  # type: ignore[return-value]


def _drawn(source: Source, node: Record, kind: str, emitter: Emitter, above: _Above,
           height: np.ndarray) -> None:  # fmt: skip
    common = _table(node, "RendererCommonValues")
    drawing = _table(node, "DrawingValues")
    word = common.choice("AlphaBlend", _BLENDS, 1)
    if word in ("subtract", "multiply", "opacity"):
        common.note(f"AlphaBlend = {word}", "drawn as normal blending")
    emitter.look = Look(blend="add" if word == "add" else "sorted")
    form = {"sprite": "Sprite", "ribbon": "Ribbon", "ring": "Ring", "model": "Model",
            "track": "Track"}[kind]  # fmt: skip
    for other in ("Sprite", "Ribbon", "Ring", "Model", "Track", "TextureUVType"):
        if other != form:
            drawing.skip(other)
    entry = _table(drawing, form)
    _textured(source, common, emitter)
    if kind == "sprite":
        _sprite(node, entry, emitter, above, height)
    elif kind == "ring":
        emitter.look.aspect = _aspect(emitter, height)
        _ring(node, entry, emitter, above)
    else:
        drawing.note(f"a {kind}", {
            "ribbon": "streaks stand in", "track": "streaks stand in",
            "model": "sprites that face the camera stand in",
        }[kind])  # fmt: skip
        if kind in ("ribbon", "track"):
            emitter.look.face = "streak"
        _colored(entry, emitter, "ColorAll")
        entry.skip(*entry.data)
    _faded(common, emitter)


def _textured(source: Source, common: Record, emitter: Emitter) -> None:
    common.skip("Filter", "Wrap", "ZTest", "ZWrite", "Material", "Filter2", "Wrap2",
                "EmissiveScaling", "ColorInheritType", "FadeInType", "FadeOutType")  # fmt: skip
    common.lack("Distortion", "nothing is distorted", False, 0)
    common.skip("DistortionIntensity")
    name = common.raw("ColorTexture", "")
    if isinstance(name, str) and name:
        emitter.look.image = textures.find_texture(source, common.at("ColorTexture"), name,
                                                   emitter.look.blend)  # fmt: skip
    else:
        # Without a texture Effekseer fills squares; a soft one hides their edges least.
        emitter.look.image, emitter.look.sharpness = "glow", 0.5
    words = ("standard", "fixed", "animation", "scroll", "curve")
    uv = common.choice("UV", dict(enumerate(words)), 0)
    for key in ("UVFixed", "UVScroll", "UVFCurve"):
        common.skip(key)
    if uv == "animation" and not isinstance(emitter.look.image, str):
        motion = _table(common, "UVAnimation")
        params = _table(motion, "AnimationParams") if "AnimationParams" in motion else motion
        emitter.look.frames = (params.whole("FrameCountX", 1, 1, 64),
                               params.whole("FrameCountY", 1, 1, 64))  # fmt: skip
        emitter.frame_count = emitter.look.frames[0] * emitter.look.frames[1]
        common.note("UV = animation", "plays once over a life")
        params.skip(*params.data)
    elif uv != "standard":
        common.note(f"UV = {uv}", "textures are drawn whole")
    common.skip("UVAnimation")


def _facing(entry: Record, emitter: Emitter, above: _Above, node: Record, default: int) -> str:
    """Boards that are fixed lie flat where they are turned down, else face the camera."""
    board = entry.choice(
        "Billboard", {0: "billboard", 1: "upright", 2: "fixed", 3: "rotated", 4: "directional"},
        default)  # fmt: skip
    if board == "fixed":
        tilt = above.tilt + _tilt_of(node)
        if abs(abs(tilt[0]) - 90) < 20:
            emitter.look.face = "flat"
        else:
            entry.note("Billboard = fixed", "sprites face the camera")
    elif board == "directional":
        emitter.look.face = "streak"
    return board


def _tilt_of(node: Record) -> np.ndarray:
    if not isinstance(node.data.get("RotationValues"), dict):
        return np.zeros(3)
    values = node.record("RotationValues")
    for form in ("Fixed", "PVA"):
        entry = values.data.get(form)
        if isinstance(entry, dict) and isinstance(entry.get("Rotation"), dict):
            least, most = _vector(values.record(form), "Rotation")
            return (least + most) / 2
    return np.zeros(3)


def _sprite(node: Record, entry: Record, emitter: Emitter, above: _Above,
            height: np.ndarray) -> None:  # fmt: skip
    entry.skip("RenderingOrder")
    board = _facing(entry, emitter, above, node, 0)
    _colored(entry, emitter, "ColorAll")
    if entry.raw("Color") not in (None, "0", 0):
        corners = [_rgba(entry, f"Color_Fixed_{corner}") for corner in ("LL", "LR", "UL", "UR")]
        mean = np.mean(corners, axis=0)
        entry.note("Color of corners", "sprites have one colour: their mean")
        emitter.ramp = mean[None, :3] if emitter.ramp is None else emitter.ramp * mean[:3]
        emitter.opacity *= float(mean[3])
    entry.skip(*(key for key in entry.data if key.startswith("Color_Fixed")))
    corners = _corners(entry)
    width, low, high = np.ptp(corners[:, 0]), corners[:, 1].min(), corners[:, 1].max()
    emitter.size = (emitter.size[0] * width, emitter.size[1] * width)
    length = height * (high - low)
    if board == "upright" and length.mean() > _BEAM * _width(emitter).mean():
        _beam(entry, emitter, above.tilt + _tilt_of(node), length, (low + high) / (high - low))
        return
    emitter.look.aspect = _aspect(emitter, length)
    if board == "upright":
        entry.note("Billboard = upright", "sprites face the camera")


def _corners(entry: Record) -> np.ndarray:
    """(4, 2): of a board 1 m wide, unless it is given others."""
    plain = np.array([(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)])
    if entry.raw("Position") in (None, "0", 0):
        entry.skip(*(key for key in entry.data if key.startswith("Position_Fixed")))
        return plain
    found = []
    for corner, (x, y) in zip(("LL", "LR", "UL", "UR"), plain, strict=True):
        place = _table(entry, f"Position_Fixed_{corner}")
        found.append((place.number("X", x), place.number("Y", y)))
    corners = np.array(found)
    if not np.ptp(corners, axis=0).min() > 1e-6:
        entry.note("Position of corners", "a board without an area is drawn as a square")
        return plain
    if np.abs(corners - corners.mean(axis=0)).std(axis=0).max() > 1e-3:
        entry.note("Position of corners", "sprites are rectangles")
    return corners


def _width(emitter: Emitter) -> np.ndarray:
    curve = np.ones(AGES.size) if emitter.size_curve is None else emitter.size_curve
    return sum(emitter.size) / 2 * curve


def _aspect(emitter: Emitter, height: np.ndarray) -> float:
    """Height by width, on average over the life."""
    width = float(_width(emitter).mean())
    return float(height.mean()) / width if width > 1e-9 else 1.0


def _beam(entry: Record, emitter: Emitter, tilt: np.ndarray, length: np.ndarray,
          middle: float) -> None:  # fmt: skip
    """A board much longer than wide: streaks along it, as many as cover it."""
    width, long = max(float(_width(emitter).mean()), 1e-3), float(length.mean())
    ax, ay = np.radians(tilt[:2])
    axis = np.array([np.sin(ax) * np.sin(ay), np.cos(ax), np.sin(ax) * np.cos(ay)])
    streak = min(long, _STRETCH * width)
    pieces = math.ceil(long / streak)
    entry.note(f"a board of {width:.3g} x {long:.3g} m along {axis.round(2).tolist()}",
               f"becomes streaks in {pieces} places along it, of its mean width and length")
    emitter.count = min(emitter.count * pieces, 1_000_000)
    emitter.look.face, emitter.look.stretch = "streak", max(streak / width, 1.0)
    emitter.origin = vector(np.asarray(emitter.origin) + axis * long * middle / 2)
    if pieces > 1:
        emitter.shape, emitter.box = "box", vector(np.abs(axis) * (long - streak) / 2)
    # Streaks lie along their way: they creep along the board.
    emitter.direction, emitter.speed, emitter.spread = unit(axis), (_CREEP, _CREEP), 0.0
    emitter.rotation = emitter.spin = (0.0, 0.0)


# ---- rings ----


def _ring(node: Record, entry: Record, emitter: Emitter, above: _Above) -> None:
    """A ring as a picture of its own; its size is the course of the outer radius."""
    entry.skip("RenderingOrder")
    _facing(entry, emitter, above, node, 2)
    outer_pair, outer = _edge(entry, emitter, "Outer", 2.0)
    inner_pair, inner = _edge(entry, emitter, "Inner", 1.0)
    radii = [sum(pair) / 2 * course for pair, course in ((outer_pair, outer), (inner_pair, inner))]
    most = np.maximum(np.maximum(*radii), 1e-6)
    hole = float((np.minimum(*radii) / most).mean())
    if np.ptp(np.minimum(*radii) / most) > 0.05:
        entry.note("Inner and Outer over the life", "a ring keeps its mean share of a hole")
    base = max(sum(outer_pair) / 2, 1e-6)
    emitter.size = tuple(2 * abs(pair) * size for pair, size in  # type: ignore[assignment]
                         zip(outer_pair, emitter.size, strict=True))  # fmt: skip
    course = most / base
    emitter.size_curve = course if emitter.size_curve is None else emitter.size_curve * course
    rgba = [float(c) for edge in ("Inner", "Center", "Outer") for c in _ring_color(entry, edge)]
    if emitter.look.image != "glow":
        entry.note("a texture on a ring", "rings have colours alone")
    corners = entry.whole("VertexCount", 16, 3, 4096)
    if "ViewingAngle" in entry or "ViewingAngle_Fixed" in entry:
        entry.skip("ViewingAngle")
        angle = entry.number("ViewingAngle_Fixed", 360.0)
    else:
        angle = 360.0
    entry.skip("CenterRatio")
    middle = entry.number("CenterRatio_Fixed", 0.5, 0.0, 1.0)
    for key in ("RingShape", "StartingFade", "EndingFade"):
        entry.lack(key, "rings are even all around", 0, "0", "")
    emitter.look.frames = (1, 1)
    emitter.look.image = ring_image(round(hole, 3), middle, tuple(rgba), corners, angle)


def _edge(entry: Record, emitter: Emitter, name: str, plain: float) -> tuple[Range, np.ndarray]:
    """Range of a radius at first, and its factor over the life."""
    form = entry.choice(name, {0: "Fixed", 1: "PVA", 2: "Easing"}, 0)
    for other in ("Fixed", "PVA", "Easing"):
        if other != form:
            entry.skip(f"{name}_{other}")
    edge = _table(entry, f"{name}_{form}")
    if form == "Fixed":
        place = _table(edge, "Location")
        place.skip("Y")
        radius = abs(_range(place, "X", plain)[0])
        return (radius, radius), np.ones(AGES.size)
    names = {"Location": plain, "Velocity": 0.0, "Acceleration": 0.0}
    if form == "Easing":
        names = {"Start": plain, "End": plain}
    tables = [_table(edge, word) for word in names]
    for table in tables:
        table.skip("Y")
    ends = [_range(table, "X", value) for table, value in zip(tables, names.values(), strict=True)]
    edge.skip("StartSpeed", "EndSpeed")
    return _course(form, ends, AGES * sum(emitter.lifetime) / 2 * _FPS, edge)


def _ring_color(entry: Record, edge: str) -> np.ndarray:
    """RGBA of one of the three circles of a ring; the middle of what is no fixed colour."""
    name = f"{edge}Color"
    form = entry.choice(name, {0: "Fixed", 1: "Random", 2: "Easing", 3: "FCurve"}, 0)
    for other in ("Fixed", "Random", "Easing", "FCurve"):
        if other != form:
            entry.skip(f"{name}_{other}")
    if form == "Fixed":
        clear = 255.0 if edge == "Center" else 0.0
        return _rgba(entry, f"{name}_Fixed", clear)
    entry.note(f"{name} = {form}", "the middle of its colours is taken")
    table = _table(entry, f"{name}_{form}")
    if form == "Random":
        return np.mean(_color_ends(table), axis=0)
    ends = [np.mean(_color_ends(_table(table, key)), axis=0) for key in ("Start", "End")]
    table.skip(*table.data)
    return np.mean(ends, axis=0)


def _rgba(record: Record, key: str, alpha: float = 255.0) -> np.ndarray:
    entry = _table(record, key)
    entry.skip("ColorSpace")
    plain = zip("RGBA", (255.0, 255.0, 255.0, alpha), strict=True)
    return np.array([entry.number(letter, value, 0.0, 255.0) / 255 for letter, value in plain])


def _colored(entry: Record, emitter: Emitter, name: str) -> None:
    form = entry.choice(
        name, {0: "Fixed", 1: "Random", 2: "Easing", 3: "FCurve", 4: "Gradient"}, 0)
    for other in ("Fixed", "Random", "Easing", "FCurve", "Gradient"):
        if other != form:
            entry.skip(f"{name}_{other}")
    if form == "Fixed":
        color = _rgba(entry, f"{name}_Fixed")
        emitter.ramp, emitter.opacity = color[None, :3], float(color[3])
    elif form == "Random":
        least, most = _color_ends(_table(entry, f"{name}_Random"))
        emitter.ramp, emitter.picks = _between(least, most), True
        emitter.opacity = float((least[3] + most[3]) / 2)
    elif form == "Easing":
        values = _table(entry, f"{name}_Easing")
        ends = [np.mean(_color_ends(_table(values, key)), axis=0) for key in ("Start", "End")]
        angles = [values.number(key, 0.0, -90.0, 90.0) for key in ("StartSpeed", "EndSpeed")]
        share = np.clip(eased(0.0, 1.0, *angles), 0.0, 1.0)[:, None]
        table = ends[0] + (ends[1] - ends[0]) * share
        emitter.ramp, emitter.opacity_curve = table[:, :3], table[:, 3]
    else:
        entry.note(f"{name} = {form}", "curves of the editor are not read; white")
        entry.skip(f"{name}_{form}")


def _color_ends(entry: Record) -> tuple[np.ndarray, np.ndarray]:
    ends = [_range(entry, letter, 255.0) for letter in "RGBA"]
    entry.skip("ColorSpace", "DrawnAs")
    table = np.clip(np.array(ends) / 255, 0.0, 1.0)
    return table[:, 0], table[:, 1]


def _between(least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """27 colours of the box between two, as each channel is drawn by itself."""
    steps = np.stack(np.meshgrid(*[[0.0, 0.5, 1.0]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    return least[:3] + (most[:3] - least[:3]) * steps


def _faded(common: Record, emitter: Emitter) -> None:
    """Fades count in frames from both ends of the life."""
    life = max(sum(emitter.lifetime) / 2 * _FPS, 1.0)
    curve = np.ones(AGES.size)
    for name, age in (("FadeIn", AGES), ("FadeOut", 1 - AGES)):
        is_on = common.whole(f"{name}Type", 0, 0, 8) != 0
        entry = _table(common, name)
        frames = entry.number("Frame", 1.0, 0.0) if is_on else 0.0
        entry.skip("StartSpeed", "EndSpeed", "Frame")
        if frames > 0:
            curve = curve * np.clip(age * life / frames, 0.0, 1.0)
    if curve.min() < 1.0:
        emitter.opacity_curve = (
            curve if emitter.opacity_curve is None else emitter.opacity_curve * curve
        )
