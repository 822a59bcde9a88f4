# SPDX-License-Identifier: MIT
"""three.quarks: the JSON of an Object3D whose tree holds ParticleEmitters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import textures
from .curves import AGES, bezier_pieces, keyed, mixed
from .emitter import Emitter, Look, Placing, alive, continuous, hdr, pulsed, vector
from .reading import DEPTH, Record, Source

__all__ = ["read_quarks"]

_TURN = 2 * math.pi
_MODES = {0: "camera", 1: "streak", 2: "mesh", 3: "trail", 4: "flat", 5: "vertical"}
_BLENDS = {0: "none", 1: "normal", 2: "add", 3: "subtract", 4: "multiply", 5: "custom"}

# LimitSpeedOverLife takes this share of `dampen` of what is too fast, each second.
_DAMPEN = 20.0
_EDDY_DRAG = 0.25  # 1/s


class _Tables:
    """What nodes refer to by uuid."""

    def __init__(self, root: Record) -> None:
        self.materials = _by_uuid(root, "materials")
        self.textures = _by_uuid(root, "textures")
        self.images = _by_uuid(root, "images")
        root.skip("geometries")
        self.systems: dict[str, tuple[Record, Placing]] = {}


def _by_uuid(root: Record, key: str) -> dict[str, Record]:
    found = {}
    for record in root.records(key):
        found[record.text("uuid", "")] = record
    return found


def read_quarks(source: Source, data: Any) -> list[Emitter]:
    """All emitters of the tree, in its order; those used by others stand under them."""
    root = source.record(data)
    root.skip("metadata", "shapes", "skeletons", "animations", "nodes")
    tables = _Tables(root)
    order: list[str] = []
    _walk(root.record("object"), Placing.identity(), tables, order, 0)
    emitters = []
    for uuid in order:
        record, placing = tables.systems[uuid]
        if not record.record("ps").flag("onlyUsedByOther"):
            emitters.append(_emitter(source, tables, record, placing, (uuid,)))
    if not emitters:
        source.fail("object", "holds no ParticleEmitter that plays by itself")
    return emitters


def _walk(node: Record, above: Placing, tables: _Tables, order: list[str], depth: int) -> None:
    if depth > DEPTH:
        node.fail(f"is nested deeper than {DEPTH}")
    node.skip("uuid", "name", "layers", "up", "type", "userData", "renderOrder")
    node.lack("visible", "it is drawn all the same", True)
    placing = _placing(node).under(above)
    if "ps" in node:
        uuid = node.text("uuid", f"#{len(order)}")
        tables.systems[uuid] = (node, placing)
        order.append(uuid)
    elif node.text("type", "Group") not in ("Group", "Object3D", "Scene"):
        node.note(f"type = {node.text('type')!r}", "only groups and ParticleEmitters are read")
        node.skip(*node.data)
    for child in node.records("children"):
        _walk(child, placing, tables, order, depth + 1)


def _placing(node: Record) -> Placing:
    """Matrices are column by column."""
    if "matrix" not in node:
        return Placing.identity()
    matrix = np.array(node.numbers("matrix", 16)).reshape(4, 4).T
    return Placing(matrix[:3, :3].copy(), matrix[:3, 3].copy())


# ---- values ----


def _range(record: Record, key: str, default: float = 0.0) -> tuple[float, float]:
    """A value that is drawn once for a particle."""
    if key not in record:
        return (default, default)
    if not isinstance(record.data[key], dict):
        value = record.number(key)
        return (value, value)
    value = record.record(key)
    kind = value.text("type")
    if kind == "ConstantValue":
        return (value.number("value"),) * 2
    if kind == "IntervalValue":
        pair = (value.number("a"), value.number("b"))
        return (min(pair), max(pair))
    curve = _curve_of(value, kind)
    if curve is None:
        return (default, default)
    value.note(f"type = {kind!r}", "a course over the emitter's own time becomes a range")
    return (float(curve.min()), float(curve.max()))


def _curve(record: Record, key: str) -> np.ndarray | None:
    """A value over the age; None where it is not known."""
    if not isinstance(record.data.get(key), dict):
        return np.full(AGES.size, record.number(key, 1.0))
    value = record.record(key)
    return _curve_of(value, value.text("type"))


def _curve_of(value: Record, kind: str) -> np.ndarray | None:
    if kind == "ConstantValue":
        return np.full(AGES.size, value.number("value"))
    if kind == "IntervalValue":
        value.note("type = 'IntervalValue'", "all particles follow the middle of the interval")
        return np.full(AGES.size, (value.number("a") + value.number("b")) / 2)
    if kind == "PiecewiseBezier":
        pieces = [
            (piece.number("start", 0.0, 0.0, 1.0),
             tuple(_ordinate(piece.record("function"), f"p{i}") for i in range(4)))
            for piece in value.records("functions")
        ]  # fmt: skip
        if pieces:
            return bezier_pieces(pieces)
        value.fail("functions is empty")
    if kind == "CLinearFunction":
        keys = value.records("keys")
        if keys:
            return keyed([key.number("pos") for key in keys], [key.number("value") for key in keys])
        value.fail("keys is empty")
    value.skip(*value.data)
    value.note(f"type = {kind!r}", "this function is not known here")
    return None


def _ordinate(function: Record, key: str) -> float:
    """A point of a Bezier piece; JavaScript writes null for what is no number, and counts it 0."""
    if key in function and function.data[key] is None:
        function.note(f"{key} = null", "counts as 0, as in JavaScript")
        function.skip(key)
        return 0.0
    return function.number(key)


def _color(record: Record) -> tuple[float, float, float, float]:
    r, g, b = (record.number(letter, 1.0, 0.0, 1e6) for letter in "rgb")
    return (r, g, b, record.number("a", 1.0, 0.0, 1e6))


def _colors(value: Record) -> np.ndarray | None:
    """(65, 4) linear RGBA over the age, or over what is drawn for life ("RandomColor")."""
    kind = value.text("type")
    if kind == "ConstantColor":
        return np.tile(_color(value.record("color")), (AGES.size, 1))
    if kind in ("ColorRange", "RandomColor"):
        ends = [_color(value.record(end)) for end in "ab"]
        return keyed([0.0, 1.0], ends)
    if kind == "Gradient" and "color" in value:
        return _gradient(value)
    if kind == "Gradient":
        places, colors = [], []
        for piece in value.records("functions"):
            places.append(piece.number("start", 0.0, 0.0, 1.0))
            colors.append(_color(piece.record("function").record("a")))
            last = _color(piece.record("function").record("b"))
        if not places:
            value.fail("functions is empty")
        return keyed([*places, 1.0], [*colors, last])
    if kind == "RandomColorBetweenGradient":
        pair = [_colors(value.record(f"gradient{i}")) for i in (1, 2)]
        value.note(f"type = {kind!r}", "all particles follow the middle of both gradients")
        return mixed(*(_white() if colors is None else colors for colors in pair))
    value.skip(*value.data)
    value.note(f"type = {kind!r}", "this colour is not known here")
    return None


def _gradient(value: Record) -> np.ndarray:
    color, alpha = value.record("color"), value.record("alpha")
    for function in (color, alpha):
        function.skip("type", "subType")
    keys = color.records("keys")
    found = _white()
    if keys:
        rgb = [_color(key.record("value"))[:3] for key in keys]
        found[:, :3] = keyed([key.number("pos") for key in keys], rgb)
    keys = alpha.records("keys")
    if keys:
        found[:, 3] = keyed([key.number("pos") for key in keys],
                            [key.number("value", low=0.0) for key in keys])  # fmt: skip
    return found


def _white() -> np.ndarray:
    return np.ones((AGES.size, 4))


# ---- emitters ----


def _emitter(source: Source, tables: _Tables, node: Record, placing: Placing,
             above: tuple[str, ...]) -> Emitter:  # fmt: skip
    ps = node.record("ps")
    ps.skip("version", "autoDestroy", "prewarm", "layers", "renderOrder", "onlyUsedByOther")
    emitter = Emitter(where=ps.where, name=node.text("name", ""))
    _timed(source, ps, emitter)
    _shaped(ps, emitter)
    emitter.speed = _range(ps, "startSpeed")
    emitter.size = _range(ps, "startSize", 1.0)
    emitter.rotation = _turns(ps, "startRotation")
    emitter.look = _look(source, ps, tables, emitter)
    colors = _start_color(ps, emitter)
    for behavior in ps.records("behaviors"):
        kind = behavior.text("type")
        if kind == "ColorOverLife":
            over = _colors(behavior.record("color"))
            colors = colors if over is None else _over(behavior, emitter, colors, over)
        elif kind == "EmitSubParticleSystem":
            _sub_emitter(source, tables, behavior, emitter, above)
        elif kind in _BEHAVIORS:
            _BEHAVIORS[kind](behavior, emitter)
        else:
            behavior.note(f"type = {kind!r}", _WHY.get(kind, "this behaviour is not known here"))
            behavior.skip(*behavior.data)
    emitter.ramp, emitter.look.glow = hdr(colors[:, :3], linear=True)
    emitter.opacity_curve = np.clip(colors[:, 3], 0.0, 1.0)
    if not ps.flag("worldSpace", True):
        placed = placing.apply(emitter, source, world_gravity=False)
    else:
        placed = placing.apply(emitter, source)
    return placed


def _timed(source: Source, ps: Record, emitter: Emitter) -> None:
    """Rates and bursts. An emitter with both keeps both: the bursts become a child of their own."""
    life = _range(ps, "startLife", 5.0)
    looping, duration = ps.flag("looping", True), ps.number("duration", 1.0, 0.0)
    rate = sum(_range(ps, "emissionOverTime")) / 2
    ps.lack("emissionOverDistance", "emitters that move leave no more behind",
            0, {"type": "ConstantValue", "value": 0})  # fmt: skip
    bursts = ps.records("emissionBursts")
    total = sum(_burst(burst) for burst in bursts)
    where = ps.where
    found: dict[str, Any]
    if rate > 0 and looping:
        found = continuous(source, where, rate, life)
    elif rate > 0:
        found = pulsed(source, where, rate * duration, None, life) | {"delay": duration}
    else:
        found = pulsed(source, where, total, duration if looping else None, life)
    times = {burst.number("time", 0.0, 0.0) for burst in bursts}
    if len(times) > 1:
        ps.note(f"emissionBursts at {sorted(times)[:8]} s", "they all come with the first")
    if rate > 0 and total:
        ps.note(f"emissionBursts of {total:g}", "an emitter with a rate has no bursts as well")
    if rate <= 0:
        emitter.wait = min((burst.number("time", 0.0, 0.0) for burst in bursts), default=0.0)
    for key, value in found.items():
        setattr(emitter, key, value)


def _burst(burst: Record) -> float:
    """How many particles a burst gives, all its cycles together."""
    burst.skip("time", "interval", "cycle", "cycleCount")
    count = sum(_range(burst, "count", 1.0)) / 2
    cycles = max(burst.number("cycle", 1.0, 0.0), burst.number("cycleCount", 1.0, 0.0))
    if cycles > 1:
        gap = burst.number("interval", 0.0, 0.0)
        burst.note(f"{cycles:g} cycles, {gap:g} s apart", "all of them begin at once")
    probability = burst.number("probability", 1.0, 0.0, 1.0)
    if probability < 1:
        burst.note(f"probability = {probability:g}", "every burst comes, with fewer particles")
    return count * max(cycles, 1.0) * probability


def _shaped(ps: Record, emitter: Emitter) -> None:
    """Shapes stand about +z, and particles fly along it or away from the middle."""
    shape = ps.record("shape")
    kind = shape.text("type", "point")
    emitter.axis = emitter.direction = (0.0, 0.0, 1.0)
    emitter.outward = True
    if kind in ("sphere", "hemisphere", "circle", "cone", "donut"):
        shape.lack("arc", "shapes go all the way around", _TURN, 2 * math.pi)
        emitter.radius = shape.number("radius", 10.0, 0.0)
        thickness = shape.number("thickness", 1.0, 0.0, 1.0)
        emitter.inner = emitter.radius * (1 - thickness)
        emitter.shape = {"circle": "disc", "donut": "ring"}.get(kind, kind)
        shape.lack("mode", "places are drawn at random", 0)
        shape.lack("spread", "places are drawn at random", 0)
        shape.lack("speed", "places are drawn at random", {"type": "ConstantValue", "value": 1}, 1)
        shape.lack("donutRadius", "a donut is as thin as a ring", 0)
    if kind == "cone":
        emitter.angle = shape.number("angle", 0.0, 0.0, math.pi) / _TURN
    elif kind == "point":
        emitter.spread = 0.5
        emitter.outward = False
    elif kind in ("grid", "rectangle"):
        emitter.shape, emitter.outward = "box", False
        width, height = shape.number("width", 1.0, 0.0), shape.number("height", 1.0, 0.0)
        emitter.box = (width / 2, height / 2, 0.0)
        shape.lack("row", "places are drawn at random, on no grid")
        shape.lack("column", "places are drawn at random, on no grid")
    elif emitter.shape == "point":
        shape.note(f"type = {kind!r}", "this shape is not known here; a point stands in")
        shape.skip(*shape.data)


def _turns(ps: Record, key: str) -> tuple[float, float]:
    value = ps.data.get(key)
    if isinstance(value, dict) and value.get("type") in ("Euler", "AxisAngle", "RandomQuat"):
        ps.lack(key, "sprites turn in the picture's plane alone")
        return (0.0, 0.0)
    least, most = _range(ps, key)
    return (least / _TURN, most / _TURN)


def _start_color(ps: Record, emitter: Emitter) -> np.ndarray:
    if "startColor" not in ps:
        return _white()
    value = ps.record("startColor")
    found = _colors(value)
    emitter.picks = value.data.get("type") in ("ColorRange", "RandomColor")
    return _white() if found is None else found


def _over(behavior: Record, emitter: Emitter, colors: np.ndarray, over: np.ndarray) -> np.ndarray:
    if emitter.picks:
        behavior.note("a random startColor", "its middle is multiplied into the colour over life")
        emitter.picks = False
        return over * colors.mean(axis=0)
    return over * colors


# ---- behaviours ----


def _size_over(behavior: Record, emitter: Emitter) -> None:
    curve = _curve(behavior, "size")
    if curve is not None:
        emitter.size_curve = np.maximum(curve, 0.0)


def _rotation_over(behavior: Record, emitter: Emitter) -> None:
    behavior.skip("dynamic")
    least, most = _range(behavior, "angularVelocity")
    emitter.spin = (least / _TURN, most / _TURN)


def _force_over(behavior: Record, emitter: Emitter) -> None:
    pulls = [sum(_range(behavior, axis)) / 2 for axis in "xyz"]
    emitter.gravity = vector(np.asarray(emitter.gravity) + pulls)


def _limit_over(behavior: Record, emitter: Emitter) -> None:
    """Slows what is faster than the limit: linear drag, where the limit is near 0."""
    limit = sum(_range(behavior, "speed")) / 2
    drag = _DAMPEN * behavior.number("dampen", 0.0, 0.0, 1e3)
    if limit >= emitter.speed[1] and emitter.gravity == (0.0, 0.0, 0.0):
        return
    emitter.drag = (emitter.drag[0] + drag, emitter.drag[1] + drag)
    if limit > 0:
        behavior.note(f"speed = {limit:g}", "drag slows to rest, not to a speed")


def _speed_over(behavior: Record, emitter: Emitter) -> None:
    curve = _curve(behavior, "speed")
    if curve is None:
        return
    if float(np.ptp(curve)) > 1e-6:
        behavior.note("speed over life", "its mean is multiplied into the first speed")
    factor = float(curve.mean())
    emitter.speed = tuple(sorted(s * factor for s in emitter.speed))  # type: ignore[assignment]


def _orbit_over(behavior: Record, emitter: Emitter) -> None:
    least, most = _range(behavior, "orbitSpeed")
    emitter.orbit = (least / _TURN, most / _TURN)
    axis = behavior.numbers("axis", 3, (0.0, 1.0, 0.0)) if "axis" in behavior else (0.0, 1.0, 0.0)
    emitter.axis = axis  # type: ignore[assignment]


def _frame_over(behavior: Record, emitter: Emitter) -> None:
    columns, rows = emitter.look.frames
    value = behavior.data.get("frame")
    if isinstance(value, dict) and value.get("type") == "IntervalValue":
        first, last = _range(behavior, "frame")
        if first > 0 or last < columns * rows - 1:
            behavior.note(f"frames {first:g} to {last:g}", "each particle has one of all frames")
        emitter.frame, emitter.frame_count = 0, 0
        return
    curve = _curve(behavior, "frame")
    if curve is None:
        return
    last = columns * rows - 1
    first, end = float(curve[0]), float(curve[-1])
    emitter.frame = int(min(max(first, 0), last))
    emitter.frame_count = int(min(max(round(end - first) + 1, 1), last + 1 - emitter.frame))
    straight = np.linspace(first, end, AGES.size)
    if np.abs(curve - straight).max() > 0.75:
        behavior.note("frame over life", "frames follow each other evenly")


_BEHAVIORS: dict[str, Callable[[Record, Emitter], None]] = {
    "SizeOverLife": _size_over,
    "RotationOverLife": _rotation_over,
    "ForceOverLife": _force_over,
    "ApplyForce": lambda behavior, emitter: _push(behavior, emitter),
    "LimitSpeedOverLife": _limit_over,
    "SpeedOverLife": _speed_over,
    "OrbitOverLife": _orbit_over,
    "FrameOverLife": _frame_over,
    "TurbulenceField": lambda behavior, emitter: _stirred(behavior, emitter),
}

_WHY = {
    "Noise": "noise moves velocities, not places",
    "GravityForce": "only pulls that are the same everywhere are known",
    "ColorBySpeed": "colours follow the age alone",
    "SizeBySpeed": "sizes follow the age alone",
    "RotationBySpeed": "turns follow the age alone",
    "Rotation3DOverLife": "sprites turn in the picture's plane alone",
    "ApplyCollision": "files carry no scene to collide with",
    "ChangeEmitDirection": "directions are those of the shape",
    "WidthOverLength": "there are no trails",
    "ApplySequences": "there are no sequences",
}


def _stirred(behavior: Record, emitter: Emitter) -> None:
    """Noise pushes by so many m/s^2: here, fast eddies that hardly take particles along."""
    push = np.abs(behavior.numbers("velocityMultiplier", 3, (1.0, 1.0, 1.0)))
    size = np.abs(behavior.numbers("scale", 3, (1.0, 1.0, 1.0)))
    behavior.lack("octaves", "eddies have one size", 1)
    behavior.lack("timeScale", "eddies stand still", [0, 0, 0])
    if np.ptp(push) > 1e-6 or np.ptp(size) > 1e-6:
        behavior.note("velocityMultiplier and scale by axis", "eddies are alike along all axes")
    emitter.noise_drag = _EDDY_DRAG
    emitter.noise = float(push.mean()) / _EDDY_DRAG
    emitter.noise_size = min(max(float(size.mean()), 1e-3), 1e4)


def _push(behavior: Record, emitter: Emitter) -> None:
    direction = np.array(behavior.numbers("direction", 3, (0.0, 1.0, 0.0)))
    force = direction * sum(_range(behavior, "magnitude")) / 2
    emitter.gravity = vector(np.asarray(emitter.gravity) + force)


def _sub_emitter(source: Source, tables: _Tables, behavior: Record, emitter: Emitter,
                 above: tuple[str, ...]) -> None:  # fmt: skip
    uuid = behavior.text("subParticleSystem", "")
    behavior.lack("useVelocityAsBasis", "what is born stands upright", False)
    event = {0: "death", 1: "birth", 2: "frame"}.get(behavior.whole("mode", 0), "other")
    probability = behavior.number("emitProbability", 1.0, 0.0, 1.0)
    if uuid not in tables.systems or uuid in above or len(above) >= 8:
        behavior.note(f"subParticleSystem = {uuid!r}", "there is no such emitter, or it is above")
        return
    if event != "death":
        behavior.note(f"subParticleSystem at {event}", "only deaths begin something")
        return
    node, _ = tables.systems[uuid]
    child = _emitter(source, tables, node, Placing.identity(), (*above, uuid))
    count = alive(source, behavior.where, child.count * probability)
    emitter.children.append(("death", child, count))


# ---- looks ----


def _look(source: Source, ps: Record, tables: _Tables, emitter: Emitter) -> Look:
    material = tables.materials.get(ps.text("material", ""))
    if material is None:
        if "material" in ps:
            ps.note(f"material = {ps.text('material')!r}", "there is no such material")
        material = source.record({}, ps.at("material"))
    look = Look(blend=_blend(material), face=_face(ps, tables, emitter))
    look.frames = (ps.whole("uTileCount", 1, 1, 64), ps.whole("vTileCount", 1, 1, 64))
    ps.skip("blendTiles")
    if ps.flag("softParticles"):
        look.soft = max(ps.number("softFarFade", 0.0), 0.0) or 0.5
        ps.skip("softNearFade")
    _stretched(ps, look, emitter)
    first, last = _range(ps, "startTileIndex")
    frames = look.frames[0] * look.frames[1]
    emitter.frame = int(min(max(first, 0.0), frames - 1))
    emitter.frame_count = 0 if last > first else 1
    _texture(source, material, tables, look)
    if isinstance(look.image, str):
        look.frames, emitter.frame, emitter.frame_count = (1, 1), 0, 1
    return look


def _blend(material: Record) -> str:
    material.skip(
        "uuid", "name", "type", "reflectivity", "refractionRatio", "transparent", "depthFunc",
        "depthTest", "depthWrite", "colorWrite", "side", "shadowSide", "fog", "toneMapped",
        "metadata", "forceSinglePass", "blendColor",
    )  # fmt: skip
    material.skip(*(key for key in material.data if key.startswith(("stencil", "blend"))))
    material.lack("opacity", "particles have opacities of their own", 1)
    material.lack("color", "colours are those of particles", 16777215)
    material.lack("vertexColors", "particles have one colour", True, False)
    word = material.choice("blending", _BLENDS, 1)
    if word == "add":
        return "add"
    if word != "normal":
        material.note(f"blending = {word!r}", "drawn as normal blending")
    return "premultiplied" if material.flag("premultipliedAlpha") else "sorted"


def _face(ps: Record, tables: _Tables, emitter: Emitter) -> str:
    mode = ps.choice("renderMode", _MODES, 0)
    ps.skip("instancingGeometry")
    if mode in ("mesh", "trail", "vertical"):
        why = {
            "mesh": "particles have no mesh; a sprite that faces the camera stands in",
            "trail": "particles leave no trail; a streak stands in",
            "vertical": "sprites face the camera, not upright",
        }[mode]
        ps.note(f"renderMode = {mode!r}", why)
    if mode == "trail":
        ps.record("rendererEmitterSettings").skip(
            "startLength", "followLocalOrigin", *ps.record("rendererEmitterSettings").data)
        return "streak"
    return mode if mode in ("camera", "streak", "flat") else "camera"


def _stretched(ps: Record, look: Look, emitter: Emitter) -> None:
    """A streak is `speedFactor` seconds of its way long; here, so many times its width."""
    settings = ps.record("rendererEmitterSettings")
    speed = max(ps.number("speedFactor", 0.0), settings.number("speedFactor", 0.0))
    length = settings.number("lengthFactor", 0.0)
    if look.face != "streak":
        return
    mean, width = sum(emitter.speed) / 2, max(sum(emitter.size) / 2, 1e-6)
    look.stretch = min(max(length + speed * mean / width, 1.0), 16.0)
    if speed:
        ps.note(f"speedFactor = {speed:g}", f"all streaks are {look.stretch:.3g} widths long")


def _texture(source: Source, material: Record, tables: _Tables, look: Look) -> None:
    uuid = material.text("map", "")
    texture = tables.textures.get(uuid)
    image = tables.images.get(texture.text("image", "")) if texture is not None else None
    defines = material.record("defines")
    as_alpha = defines.raw("USE_COLOR_AS_ALPHA") is not None
    if texture is not None:
        _plain_texture(texture)
    if image is None:
        if uuid:
            material.note(f"map = {uuid!r}", "there is no such texture; a plain glow stands in")
        look.image = "glow"
        return
    url = image.text("url", "")
    image.skip("name")
    look.image = textures.find_texture(source, image.at("url"), url, look.blend)
    if as_alpha and not isinstance(look.image, str):
        look.image = textures.alpha_of_color(look.image)


def _plain_texture(texture: Record) -> None:
    texture.skip(
        "uuid", "name", "mapping", "channel", "center", "format", "internalFormat", "type",
        "colorSpace", "encoding", "minFilter", "magFilter", "anisotropy", "flipY", "wrap",
        "generateMipmaps", "premultiplyAlpha", "unpackAlignment",
    )  # fmt: skip
    texture.lack("repeat", "textures are drawn whole", [1, 1])
    texture.lack("offset", "textures are drawn whole", [0, 0])
    texture.lack("rotation", "textures are drawn as they are", 0)
