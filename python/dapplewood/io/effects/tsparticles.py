# SPDX-License-Identifier: MIT
"""tsparticles: the option object, as JSON or within a script."""

from __future__ import annotations

import colorsys
import math
from typing import Any

import numpy as np

from . import textures
from .curves import AGES, parse_hex
from .emitter import Emitter, Look, Range, alive, bound, continuous, planar, vector
from .reading import Code, Record, Source

__all__ = ["is_tsparticles", "read_tsparticles"]

# Options are of a canvas of any size; here it has this one, in pixels.
_CANVAS = (1920.0, 1080.0)

# A speed of 1 is half a pixel a frame, an acceleration of 1 a 60th of that each frame, an
# animation speed of 1 a hundredth of a unit each frame; all at 60 frames a second.
_SPEED, _GRAVITY, _ANIMATION, _FPS = 30.0, 60.0, 0.6, 60.0

_DIRECTIONS = {
    "top": 90, "top-right": 45, "right": 0, "bottom-right": -45, "bottom": -90,
    "bottom-left": -135, "left": 180, "top-left": 135,
}  # fmt: skip

# Lines are so many times longer than wide.
_LINE = 16.0

_LATER = "this look or motion is not known here"


def is_tsparticles(data: Any) -> bool:
    return isinstance(data, dict) and ("particles" in data or "emitters" in data)


def read_tsparticles(source: Source, data: dict[str, Any], pixels_per_meter: float
                     ) -> list[Emitter]:  # fmt: skip
    """What fills the canvas, and each of the emitters; the canvas' middle bottom is the origin."""
    record = source.record(data)
    record.skip("key", "name", "fullScreen", "background", "detectRetina", "fpsLimit", "autoPlay",
                "pauseOnBlur", "pauseOnOutsideViewport", "id", "style", "zLayers",
                "smooth", "duration", "delay", "responsive", "themes")  # fmt: skip
    for key in ("interactivity", "sounds", "absorbers", "motion", "manualParticles", "preset"):
        record.lack(key, "there is no page, no pointer and no sound here")
    reader = _Reader(source, 1 / pixels_per_meter)
    base = record.record("particles")
    found = []
    filled = reader.filled(base)
    if filled is not None:
        found.append(filled)
    for emitter in record.records("emitters"):
        found.append(reader.emitting(emitter, base))
    if not found:
        source.fail("particles", "neither number.value nor emitters ask for any particles")
    return found


class _Reader:
    def __init__(self, source: Source, scale: float) -> None:
        self.source = source
        self.scale = scale

    # ---- when and where ----

    def filled(self, record: Record) -> Emitter | None:
        """Particles that are there from the beginning and wander over the canvas for ever."""
        number = record.record("number")
        value = number.number("value", 0.0, 0.0)
        number.skip("density", "limit", "max")
        if value <= 0:
            return None
        emitter = self.particles(record)
        width, height = (edge * self.scale for edge in _CANVAS)
        speed = max(sum(emitter.speed) / 2, 1e-3)
        emitter.shape, emitter.box = "box", (width / 2, height / 2, 0.0)
        emitter.origin = (0.0, height / 2, 0.0)
        if not record.record("life"):
            crossing = (width if abs(emitter.direction[0]) > 0.9 else height) / speed
            emitter.lifetime = bound(self.source, record.where, (crossing, crossing))
            if emitter.spread < 0.1:
                self._across(emitter, width, height)
        emitter.count = alive(self.source, number.at("value"), value)
        return emitter

    @staticmethod
    def _across(emitter: Emitter, width: float, height: float) -> None:
        """Those that fly one way come in at one edge and live until they reach the other."""
        x, y, _ = emitter.direction
        if abs(y) > abs(x):
            emitter.box = (width / 2, 0.0, 0.0)
            emitter.origin = (0.0, 0.0 if y > 0 else height, 0.0)
        else:
            emitter.box = (0.0, height / 2, 0.0)
            emitter.origin = (-width / 2 if x > 0 else width / 2, height / 2, 0.0)

    def emitting(self, record: Record, base: Record) -> Emitter:
        own = record.record("particles") if "particles" in record else base
        if "particles" in record:
            base.skip(*base.data)
            own.skip(*own.data)
            own = self.source.record(_merged(base.data, own.data), own.where)
        record.skip("name", "autoPlay", "fill", "domId", "spawnColor", "startCount", "shape",
                    "direction", "spawnFillColor", "spawnStrokeColor", "rotation")  # fmt: skip
        emitter = self.particles(own, record.raw("direction"))
        rate = record.record("rate")
        quantity = sum(_range(rate, "quantity", 1.0)) / 2
        delay = max(sum(_range(rate, "delay", 0.1)) / 2, 1e-3)
        life = record.record("life")
        life.skip("wait", "count")
        active, rest = life.number("duration", 0.0, 0.0), life.number("delay", 0.0, 0.0)
        if rest > 0:
            life.note(f"delay = {rest:g} s", "pauses become a lower rate")
            quantity *= active / (active + rest)
        self._flown(own, record, emitter)
        for key, value in continuous(self.source, record.where, quantity / delay,
                                     emitter.lifetime).items():  # fmt: skip
            setattr(emitter, key, value)
        self._place(record, emitter)
        return emitter

    def _place(self, record: Record, emitter: Emitter) -> None:
        width, height = (edge * self.scale for edge in _CANVAS)
        position = record.record("position")
        x, y = position.number("x", 50.0), position.number("y", 50.0)
        position.skip("mode")
        size = record.record("size")
        is_exact = size.text("mode", "percent") == "precise"
        wide, high = size.number("width", 0.0, 0.0), size.number("height", 0.0, 0.0)
        if is_exact:
            wide, high = wide * self.scale, high * self.scale
        else:
            wide, high = wide / 100 * width, high / 100 * height
        emitter.origin = ((x - 50) / 100 * width, (100 - y) / 100 * height, 0.0)
        if wide or high:
            emitter.shape, emitter.box = "box", (wide / 2, high / 2, 0.0)

    def _flown(self, record: Record, place: Record, emitter: Emitter) -> None:
        """Where particles end at a bound of the canvas, the time of that way is their life."""
        bounds = record.record("destroy").record("bounds")
        top = bounds.number("top", 0.0, 0.0, 100.0)
        start = place.record("position").number("y", 50.0)
        if emitter.direction[1] < 0.5 or start <= top or record.record("life").record("duration"):
            return
        way = (start - top) / 100 * _CANVAS[1] * self.scale
        times = sorted(_time_of(way, speed, emitter.gravity[1]) for speed in emitter.speed)
        shown = min(emitter.lifetime[1], times[1])
        emitter.lifetime = bound(self.source, record.where, (min(times[0], shown), shown))

    # ---- particles ----

    def particles(self, record: Record, direction: Any = None) -> Emitter:
        record.skip("number", "groups", "reduceDuplicates", "bounce", "collisions", "destroy")
        for key in ("collisions", "links", "twinkle", "roll", "tilt", "wobble", "shadow", "orbit",
                    "repulse", "effect", "stroke", "zIndex"):  # fmt: skip
            entry = record.record(key) if isinstance(record.data.get(key), dict) else None
            if entry is not None and _is_off(entry):
                record.skip(key)
                entry.skip(*entry.data)
            elif key in record:
                record.lack(key, _LATER)
                if entry is not None:
                    entry.skip(*entry.data)
        emitter = Emitter(where=record.where)
        planar(emitter)
        self._lived(record, emitter)
        self._moved(record, emitter, direction)
        self._sized(record, emitter)
        self._shown(record, emitter)
        self._split(record, emitter)
        return emitter

    def _lived(self, record: Record, emitter: Emitter) -> None:
        life = record.record("life")
        life.skip("count")
        if not isinstance(life.data.get("duration"), (dict, int, float)):
            emitter.lifetime = (10.0, 10.0)
            return
        emitter.lifetime = bound(self.source, life.where, _range(life, "duration", 10.0))
        life.lack("delay", "lives begin at once", 0)

    def _moved(self, record: Record, emitter: Emitter, direction: Any) -> None:
        move = record.record("move")
        move.skip("center", "size", "warp")
        for key in ("outModes", "outMode", "bounce"):
            move.lack(key, "there is no canvas with edges")
        for key in ("attract", "path", "trail", "spin", "vibrate", "distance", "random", "drift"):
            entry = move.data.get(key)
            if isinstance(entry, dict) and entry.get("enable") is False:
                move.skip(key)
            move.lack(key, _LATER, False, 0)
        if not move.flag("enable", False):
            move.skip(*move.data)
            return
        speed = _range(move, "speed", 2.0)
        emitter.speed = (speed[0] * _SPEED * self.scale, speed[1] * _SPEED * self.scale)
        self._headed(move, emitter, move.raw("direction", direction))
        pull = move.record("gravity")
        if pull.flag("enable"):
            sign = 1.0 if pull.flag("inverse") else -1.0
            g = sign * pull.number("acceleration", 9.81) * _GRAVITY * self.scale
            emitter.gravity = (0.0, g, 0.0)
            pull.lack("maxSpeed", "speeds have no limit", 0)
        else:
            pull.skip(*pull.data)
        decay = min(sum(_range(move, "decay", 0.0)) / 2, 0.99)
        drag = -_FPS * math.log(1 - max(decay, 0.0))
        emitter.drag = (drag, drag)

    def _headed(self, move: Record, emitter: Emitter, word: Any) -> None:
        angle = move.data.get("angle")
        half = 45.0
        move.skip("angle")
        if isinstance(angle, dict):
            half = move.record("angle").number("value", 90.0, 0.0, 360.0) / 2
            move.record("angle").lack("offset", "cones lie even around their direction", 0)
        spread = 0.0 if move.flag("straight") else half / 360
        if isinstance(word, (int, float)) and not isinstance(word, bool):
            turn = math.radians(-float(word))
        elif isinstance(word, str) and word in _DIRECTIONS:
            turn = math.radians(_DIRECTIONS[word])
        else:
            emitter.spread = 0.5
            if word not in (None, "none", "outside"):
                move.note(f"direction = {word!r}", "particles fly all ways")
            return
        emitter.direction = (math.cos(turn), math.sin(turn), 0.0)
        emitter.spread = spread

    def _sized(self, record: Record, emitter: Emitter) -> None:
        """Sizes are radii; an animation takes them from one end of their range to the other."""
        size = record.record("size")
        least, most = _range(size, "value", 3.0)
        curve, life = self._animated(size, (least, most), emitter.lifetime[1])
        if curve is not None:
            emitter.size_curve = curve / most if most > 0 else None
            least = most
            if life is not None:
                emitter.lifetime = (min(emitter.lifetime[0], life), min(emitter.lifetime[1], life))
        emitter.size = (2 * least * self.scale, 2 * most * self.scale)

    def _animated(self, entry: Record, span: Range, life: float
                  ) -> tuple[np.ndarray | None, float | None]:  # fmt: skip
        """The course of a value over `life` seconds, and when it ends the particle, if it does."""
        motion = entry.record("animation")
        if not motion.flag("enable"):
            motion.skip(*motion.data)
            return None, None
        motion.skip("sync", "mode")
        speed = sum(_range(motion, "speed", 1.0)) / 2 * _ANIMATION
        motion.lack("count", "animations run on", 0)
        motion.lack("decay", "animations keep their speed", 0)
        is_falling = motion.text("startValue", "random") != "min"
        end = motion.text("destroy", "none")
        width = max(span[1] - span[0], 0.0)
        time = width / speed if speed > 0 else life
        dies = time if end == ("min" if is_falling else "max") else None
        if dies is None and end == "none":
            motion.note("animation", "runs once over a life, not to and fro")
        life = min(life, dies) if dies is not None else life
        gone = np.minimum(AGES * life * speed, width)
        return (span[1] - gone if is_falling else span[0] + gone), dies

    def _shown(self, record: Record, emitter: Emitter) -> None:
        emitter.look = Look(blend="sorted", sharpness=1.0)
        self._shaped(record, emitter)
        entry = record.record("opacity")
        least, most = _range(entry, "value", 1.0)
        curve, _ = self._animated(entry, (least, most), emitter.lifetime[1])
        if curve is not None:
            emitter.opacity_curve = np.clip(curve, 0.0, 1.0)
        else:
            emitter.opacity = min(max((least + most) / 2, 0.0), 1.0)
            if most > least:
                entry.note("value", "all particles have the middle of the range")
        self._colored(record, emitter)
        turn = record.record("rotate")
        turn.skip("path", "direction", "enable")
        least, most = _range(turn, "value", 0.0)
        emitter.rotation = (least / 360, most / 360)
        spin = turn.record("animation")
        if spin.flag("enable"):
            rate = sum(_range(spin, "speed", 0.0)) / 2 * _ANIMATION * 100 / 360
            emitter.spin = (rate, rate)
        spin.skip(*spin.data)

    def _shaped(self, record: Record, emitter: Emitter) -> None:
        shape = record.record("shape")
        kind = shape.raw("type", "circle")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        options = shape.record("options")
        options.skip(*options.data)
        shape.skip("close", "fill")
        if kind == "line":
            emitter.look.face, emitter.look.image = "streak", "streak"
            emitter.look.stretch = _LINE
            emitter.size = (emitter.size[0] / _LINE, emitter.size[1] / _LINE)
        elif kind in ("image", "images"):
            raw = options.data.get("image", {})
            name = raw.get("src", "") if isinstance(raw, dict) else ""
            if isinstance(name, str) and name:
                emitter.look.image = textures.find_texture(
                    self.source, shape.at("options.image"), name, "sorted")  # fmt: skip
        elif kind != "circle":
            shape.note(f"type = {kind!r}", "drawn as a round dot")

    def _colored(self, record: Record, emitter: Emitter) -> None:
        entry = record.data.get("color")
        record.skip("color")
        if not isinstance(entry, dict):
            if isinstance(entry, str):
                emitter.ramp = np.array([_color(record, entry)])
            return
        color = record.record("color")
        motion = color.record("animation")
        motion.skip(*motion.data)
        value = color.raw("value", "#fff")
        values = value if isinstance(value, list) else [value]
        if value == "random":
            values = [{"h": hue, "s": 100, "l": 50} for hue in range(0, 360, 30)]
        if values:
            emitter.ramp = np.array([_color(color, item) for item in values[:256]])
            emitter.picks = len(values) > 1

    def _split(self, record: Record, emitter: Emitter) -> None:
        destroy = record.record("destroy")
        destroy.skip("bounds")
        bounds = destroy.record("bounds")
        bounds.skip(*bounds.data)
        if destroy.text("mode", "none") != "split":
            destroy.skip(*destroy.data)
            return
        split = destroy.record("split")
        split.skip("count")
        for key in ("factor", "sizeOffset", "colorOffset"):
            split.lack(key, "pieces look as they are given")
        count = sum(_range(split.record("rate"), "value", 4.0)) / 2
        child = self.particles(split.record("particles"))
        emitter.children.append(
            ("death", child, alive(self.source, split.at("rate"), count))
        )


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    found = dict(base)
    for key, value in own.items():
        below = found.get(key)
        found[key] = (
            _merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
        )
    return found


def _is_off(entry: Record) -> bool:
    return entry.data.get("enable") is False or entry.data.get("width") == 0


def _range(record: Record, key: str, default: float) -> Range:
    """A number, {min, max} or {value: ...}."""
    found = record.data.get(key)
    if isinstance(found, Code):
        record.lack(key, "expressions are not evaluated")
        return (default, default)
    if not isinstance(found, dict):
        value = record.number(key, default)
        return (value, value)
    entry = record.record(key)
    entry.skip("sync", "random")
    if "value" in entry:
        return _range(entry, "value", default)
    pair = (entry.number("min", default), entry.number("max", default))
    return (min(pair), max(pair))


def _time_of(way: float, speed: float, pull: float) -> float:
    """When a particle has gone so far up."""
    if pull <= 1e-6:
        return way / max(speed, 1e-3)
    return (math.sqrt(speed * speed + 2 * pull * way) - speed) / pull


def _color(record: Record, value: Any) -> tuple[float, float, float]:
    found: tuple[float, float, float] | None = None
    if isinstance(value, str):
        found = parse_hex(value) or _NAMES.get(value.lower())
    elif isinstance(value, dict):
        entry = record.source.record(value, record.at("value"))
        if "r" in entry:
            found = vector(entry.number(c, low=0.0, high=255.0) / 255 for c in "rgb")
        elif "h" in entry:
            hue, saturation, light = (entry.number(c, 50.0, 0.0, 360.0) for c in "hsl")
            light, saturation = min(light, 100.0) / 100, min(saturation, 100.0) / 100
            found = colorsys.hls_to_rgb(hue / 360, light, saturation)
    if found is None:
        record.note(f"color {value!r:.60}", "this colour is not known here; white stands in")
        return (1.0, 1.0, 1.0)
    return found


_NAMES = {
    "white": (1.0, 1.0, 1.0), "black": (0.0, 0.0, 0.0), "red": (1.0, 0.0, 0.0),
    "green": (0.0, 0.5, 0.0), "blue": (0.0, 0.0, 1.0), "yellow": (1.0, 1.0, 0.0),
}  # fmt: skip
