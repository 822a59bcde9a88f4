# SPDX-License-Identifier: MIT
"""pixi-particles: emitter configurations (JSON, or within a script) and sprite sheets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..image import Image
from . import textures
from .curves import AGES, keyed, parse_hex, stepped
from .emitter import Emitter, Look, continuous, planar, pulsed, slowing
from .reading import Record, Source

__all__ = ["is_pixi", "is_sheet", "read_pixi", "read_sheet"]

# What a texture of unknown size is taken to be, in pixels.
_TEXTURE = 32

_BLENDS = {"normal": "sorted", "add": "add", "screen": "add"}


def is_pixi(data: Any) -> bool:
    if not isinstance(data, dict) or "lifetime" not in data:
        return False
    return "frequency" in data or "scale" in data


def is_sheet(data: Any) -> bool:
    return isinstance(data, dict) and "frames" in data and "meta" in data


def read_pixi(source: Source, data: dict[str, Any], images: list[str], pixels_per_meter: float
              ) -> list[Emitter]:  # fmt: skip
    """One emitter; its y points down in the file, up in what is returned."""
    record = source.record(data)
    scale = 1 / pixels_per_meter
    record.skip("pos", "addAtBack", "emit", "autoUpdate", "behaviors", "ease")
    if record.raw("behaviors"):
        record.fail("behaviors of pixi-particles 5 are not read, only configurations up to 4")
    record.lack("ease", "values change evenly")
    emitter = Emitter(where="")
    blend = record.text("blendMode", "normal")
    if blend not in _BLENDS:
        record.note(f"blendMode = {blend!r}", "drawn as normal blending")
    emitter.look = Look(blend=_BLENDS.get(blend, "sorted"))
    _timed(source, record, emitter)
    _spawned(record, emitter, scale)
    _moved(source, record, emitter, scale)
    width = _image(source, record, emitter, images)
    _looks(record, emitter, width * scale)
    return [emitter]


def _timed(source: Source, record: Record, emitter: Emitter) -> None:
    span = record.record("lifetime")
    life = (span.number("min", 1.0, 0.0), span.number("max", 1.0, 0.0))
    frequency = record.number("frequency", 0.1, 1e-6)
    wave = record.number("particlesPerWave", 1.0, 0.0) * record.number("spawnChance", 1.0, 0.0, 1.0)
    most = record.number("maxParticles", 1000.0, 1.0)
    duration = record.number("emitterLifetime", -1.0)
    rate = min(wave / frequency, most / max(sum(life) / 2, 1 / 64))
    if duration > 0:
        found = pulsed(source, "", rate * duration, None, life) | {"delay": duration}
    else:
        found = continuous(source, "", rate, life)
    for key, value in found.items():
        setattr(emitter, key, value)


def _spawned(record: Record, emitter: Emitter, scale: float) -> None:
    kind = record.text("spawnType", "point")
    emitter.axis = (0.0, 0.0, 1.0)
    if kind in ("circle", "ring"):
        circle = record.record("spawnCircle")
        emitter.shape = "disc" if kind == "circle" else "ring"
        emitter.radius = circle.number("r", 0.0, 0.0) * scale
        emitter.inner = circle.number("minR", 0.0, 0.0) * scale
        emitter.outward = kind == "ring"
        x, y = circle.number("x", 0.0), circle.number("y", 0.0)
    elif kind == "rect":
        rect = record.record("spawnRect")
        width, height = rect.number("w", 0.0), rect.number("h", 0.0)
        emitter.shape = "box"
        emitter.box = (abs(width) / 2 * scale, abs(height) / 2 * scale, 0.0)
        x, y = rect.number("x", 0.0) + width / 2, rect.number("y", 0.0) + height / 2
    else:
        x = y = 0.0
        if kind == "burst":
            emitter.spread = 0.5
            record.lack("particleSpacing", "bursts spread at random", 0)
            record.skip("angleStart")
        elif kind != "point":
            record.note(f"spawnType = {kind!r}", "this shape is not known here; a point stands in")
    for name in ("spawnCircle", "spawnRect", "spawnPolygon", "particleSpacing", "angleStart"):
        record.skip(name)
    emitter.origin = (x * scale, -y * scale, 0.0)


def _list(record: Record, key: str) -> tuple[list[float], list[Any], bool]:
    """Places and values of a property: "start" and "end", or a list."""
    entry = record.record(key)
    if "list" in entry:
        steps = entry.records("list")
        if not steps:
            entry.fail("list is empty")
        return ([step.number("time", 0.0, 0.0, 1.0) for step in steps],
                [step.raw("value", 1.0) for step in steps], entry.flag("isStepped"))  # fmt: skip
    start = entry.raw("start", 1.0)
    return [0.0, 1.0], [start, entry.raw("end", start)], False


def _values(record: Record, key: str) -> np.ndarray:
    places, values, is_stepped = _list(record, key)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > 1e9:
            record.fail(f"{key} must be numbers, got {value!r:.40}")
    return stepped(places, [[v] for v in values])[:, 0] if is_stepped else keyed(places, values)


def _moved(source: Source, record: Record, emitter: Emitter, scale: float) -> None:
    speeds = _values(record, "speed") * scale if "speed" in record else np.zeros(2)
    least = record.record("speed").number("minimumSpeedMultiplier", 1.0, 0.0)
    start = float(speeds[0])
    life = sum(emitter.lifetime) / 2
    pair = (min(start * least, start), max(start * least, start))
    emitter.speed, emitter.drag = slowing(source, record.at("speed"), pair,
                                          float(speeds[-1]), life)  # fmt: skip
    pull = record.record("acceleration")
    emitter.gravity = (pull.number("x", 0.0) * scale, -pull.number("y", 0.0) * scale, 0.0)
    record.lack("maxSpeed", "speeds have no limit", 0)
    turn = record.record("startRotation")
    first, last = turn.number("min", 0.0), turn.number("max", 0.0)
    middle = math.radians((first + last) / 2)
    if not emitter.outward:
        emitter.direction = (math.cos(middle), -math.sin(middle), 0.0)
        emitter.spread = max(emitter.spread, min(abs(last - first) / 720, 0.5))
    planar(emitter)
    if not record.flag("noRotation"):
        emitter.rotation = (min(first, last) / 360, max(first, last) / 360)
    spin = record.record("rotationSpeed")
    pair = (spin.number("min", 0.0) / 360, spin.number("max", 0.0) / 360)
    emitter.spin = (min(pair), max(pair))
    record.lack("rotationAcceleration", "turns are even", 0)


def _image(source: Source, record: Record, emitter: Emitter, images: list[str]) -> float:
    """Sets the texture and gives its width in pixels."""
    if len(images) > 1:
        record.note(f"{len(images)} textures", "all particles have the first")
    if not images:
        return _TEXTURE
    found = textures.find_texture(source, "images[0]", images[0], emitter.look.blend)
    emitter.look.image = found
    return _TEXTURE if isinstance(found, str) else found.width


def _looks(record: Record, emitter: Emitter, edge: float) -> None:
    sizes = np.maximum(_values(record, "scale"), 0.0)
    least = record.record("scale").number("minimumScaleMultiplier", 1.0, 0.0)
    most = max(float(sizes.max()), 1e-9)
    pair = (edge * most * least, edge * most)
    emitter.size, emitter.size_curve = (min(pair), max(pair)), sizes / most
    emitter.opacity_curve = np.clip(_values(record, "alpha"), 0.0, 1.0)
    if "color" not in record:
        return
    places, words, is_stepped = _list(record, "color")
    colors = [parse_hex(word) if isinstance(word, str) else (1.0, 1.0, 1.0) for word in words]
    if any(color is None for color in colors):
        record.fail(f"color must be hexadecimal such as 'ff8800', got {words!r:.60}")
    emitter.ramp = (stepped if is_stepped else keyed)(places, colors)  # type: ignore[arg-type]


# ---- sprite sheets ----


def read_sheet(source: Source, data: dict[str, Any], pixels_per_meter: float) -> list[Emitter]:
    """A sprite sheet has no emitter: its pictures are played by particles that rise and fall."""
    record = source.record(data)
    meta = record.record("meta")
    meta.skip("app", "version", "format", "size", "scale", "smartupdate", "frameTags", "layers",
              "slices", "related_multi_packs")  # fmt: skip
    record.skip("animations")
    name = meta.text("image")
    emitter = Emitter(where="", count=8, lifetime=(1.0, 1.0), shape="disc", axis=(0.0, 0.0, 1.0),
                      radius=1e-3, direction=(0.0, 1.0, 0.0), spread=0.06, speed=(1.5, 2.5),
                      gravity=(0.0, -3.0, 0.0), opacity_curve=np.ones(AGES.size))  # fmt: skip
    source.note("", "no emitter", "a sprite sheet alone: eight of its particles hop, once a second")
    found = textures.find_texture(source, "meta.image", name, "sorted")
    emitter.look = Look(blend="sorted")
    if isinstance(found, str):
        emitter.look.image = found
        record.skip("frames")
        emitter.size = (_TEXTURE / pixels_per_meter,) * 2
        return [emitter]
    pictures = _pictures(record, found)
    emitter.look.image, emitter.look.frames = textures.grid_image(pictures)
    emitter.frame_count = len(pictures)
    edge = max(picture.shape[1] for picture in pictures) / pixels_per_meter
    emitter.size = (edge, edge)
    return [emitter]


def _pictures(record: Record, image: Image) -> list[np.ndarray]:
    """The frames in the sheet's order, each at its own place in its untrimmed size."""
    raw = record.data["frames"]
    if isinstance(raw, dict):
        table = record.record("frames")
        frames = [table.record(name) for name in raw]
    else:
        frames = record.records("frames")
    if not 0 < len(frames) <= 1024:
        record.fail(f"frames must be 1 to 1024, got {len(frames)}")
    found = []
    for frame in frames:
        frame.skip("filename", "rotated", "trimmed", "pivot", "duration")
        frame.lack("rotated", "the picture stays turned", False)
        box = frame.record("frame")
        x, y, w, h = (box.whole(key, low=0, high=65536) for key in "xywh")
        if not (0 < w and 0 < h and x + w <= image.width and y + h <= image.height):
            whole = f"{image.width} x {image.height}"
            box.fail(f"{w} x {h} at {x}, {y} is not inside the {whole} image")
        full = frame.record("sourceSize")
        place = frame.record("spriteSourceSize")
        width, height = full.whole("w", w, w, 4096), full.whole("h", h, h, 4096)
        left, top = place.whole("x", 0, 0, width - w), place.whole("y", 0, 0, height - h)
        place.skip("w", "h")
        picture = np.zeros((height, width, 4), image.array.dtype)
        picture[top : top + h, left : left + w] = image.array[y : y + h, x : x + w]
        found.append(picture)
    return found
