# SPDX-License-Identifier: MIT
"""Particle Designer property lists (.plist) of cocos2d and others: one emitter in pixels."""

from __future__ import annotations

import base64
import binascii
import gzip
import io
import math
import zlib
from pathlib import Path

import numpy as np

from ...errors import FormatError
from ..image import Image, decode_image
from . import textures
from .curves import AGES, keyed
from .emitter import Emitter, Look, continuous, planar, pulsed
from .reading import Record, Source
from .xml_tree import plist_value, xml_tree

__all__ = ["read_plist"]

# GL blend factors.
_ONE, _SRC_ALPHA, _ONE_MINUS_SRC_ALPHA = 1, 770, 771

# An embedded picture may unpack to so much.
_IMAGE_BYTES = 1 << 26


def read_plist(source: Source, data: bytes, pixels_per_meter: float) -> list[Emitter]:
    """One emitter; y is up and the effect lies in the plane z = 0."""
    root = xml_tree(source, data)
    if root.tag != "plist" or len(root.children) != 1:
        source.fail("", f"wanted a <plist> with one <dict>, got <{root.tag[:40]}>")
    record = source.record(plist_value(source, root.children[0]))
    if "maxParticles" not in record:
        source.fail("", "is a property list, but none of a particle emitter: no maxParticles")
    record.skip("configName", "positionType", "absolutePosition", "emissionRate")
    emitter = Emitter(where="", name=record.text("configName", ""))
    _timed(source, record, emitter)
    mode = record.choice("emitterType", {0: "gravity", 1: "radius"}, 0)
    scale = 1 / pixels_per_meter
    _placed(record, emitter, scale)
    if mode == "gravity":
        _gravity(record, emitter, scale)
        _unused(record, "maxRadius", "minRadius", "rotatePerSecond")
    else:
        _radius(record, emitter, scale)
        _unused(record, "speed", "radialAcceleration", "tangentialAcceleration")
        record.skip("gravityx", "gravityy", "radialAccelVariance", "tangentialAccelVariance")
    if record.number("yCoordFlipped", 1.0) < 0:
        x, y, _ = emitter.direction
        emitter.direction = (x, -y, 0.0)
        emitter.gravity = (emitter.gravity[0], -emitter.gravity[1], 0.0)
    _looks(source, record, emitter, scale)
    return [emitter]


def _unused(record: Record, *names: str) -> None:
    """Settings of the other mode of emitters."""
    for name in names:
        record.skip(name, f"{name}Variance")


def _varied(
    record: Record, name: str, variance: str = "", low: float = -1e9
) -> tuple[float, float]:
    middle = record.number(name, 0.0)
    off = abs(record.number(variance or f"{name}Variance", 0.0))
    return (max(middle - off, low), max(middle + off, low))


def _timed(source: Source, record: Record, emitter: Emitter) -> None:
    life = _varied(record, "particleLifespan", low=0.0)
    most = record.number("maxParticles", low=0.0)
    duration = record.number("duration", -1.0)
    mean = max(record.number("particleLifespan", 0.0), 1 / 64)
    rate = record.number("emissionRate", most / mean, 0.0)
    if duration < 0:
        found = continuous(source, "", rate, life)
    else:
        count = min(most, max(rate * duration, 1.0))
        found = pulsed(source, "", count, None, life) | {"delay": duration}
    for key, value in found.items():
        setattr(emitter, key, value)


def _placed(record: Record, emitter: Emitter, scale: float) -> None:
    record.skip("sourcePositionx", "sourcePositiony")
    x, y = (abs(record.number(f"sourcePositionVariance{axis}", 0.0)) for axis in "xy")
    if x or y:
        emitter.shape = "box"
        emitter.box = (x * scale, y * scale, 0.0)
    emitter.axis = (0.0, 0.0, 1.0)


def _gravity(record: Record, emitter: Emitter, scale: float) -> None:
    least, most = _varied(record, "speed")
    emitter.speed = (least * scale, most * scale)
    angle = math.radians(record.number("angle", 0.0))
    emitter.direction = (math.cos(angle), math.sin(angle), 0.0)
    emitter.spread = min(abs(record.number("angleVariance", 0.0)) / 360, 0.5)
    planar(emitter)
    emitter.gravity = (record.number("gravityx", 0.0) * scale,
                       record.number("gravityy", 0.0) * scale, 0.0)  # fmt: skip
    for field, name, off in (("radial", "radialAcceleration", "radialAccelVariance"),
                             ("tangential", "tangentialAcceleration", "tangentialAccelVariance")):
        least, most = _varied(record, name, off)
        setattr(emitter, field, (least * scale, most * scale))


def _radius(record: Record, emitter: Emitter, scale: float) -> None:
    """Particles begin `maxRadius` from the middle, end at `minRadius`, and go around."""
    begin = _varied(record, "maxRadius", low=0.0)
    end = _varied(record, "minRadius", low=0.0)
    emitter.shape, emitter.outward, emitter.box = "ring", True, (0.0, 0.0, 0.0)
    emitter.radius, emitter.inner = begin[1] * scale, begin[0] * scale
    life = sum(emitter.lifetime) / 2
    emitter.speed = tuple(sorted(  # type: ignore[assignment]
        (e - b) * scale / life for b, e in zip(begin, end, strict=True)
    ))  # fmt: skip
    spin = _varied(record, "rotatePerSecond")
    emitter.orbit = (spin[0] / 360, spin[1] / 360)
    record.skip("angle")
    if abs(record.number("angleVariance", 0.0)) < 180:
        record.note("angleVariance below 180", "rings go all the way around")


def _looks(source: Source, record: Record, emitter: Emitter, scale: float) -> None:
    begin = _varied(record, "startParticleSize", low=0.0)
    end_mean = record.number("finishParticleSize", 0.0)
    record.lack("finishParticleSizeVariance", "sizes end as they begin to differ", 0)
    record.skip("finishParticleSizeVariance")
    emitter.size = (begin[0] * scale, begin[1] * scale)
    mean = sum(begin) / 2
    if end_mean >= 0 and mean > 0:
        emitter.size_curve = np.linspace(1.0, end_mean / mean, AGES.size)
    turn = _varied(record, "rotationStart")
    emitter.rotation = (turn[0] / 360, turn[1] / 360)
    life = sum(emitter.lifetime) / 2
    end = _varied(record, "rotationEnd")
    emitter.spin = tuple(sorted(  # type: ignore[assignment]
        (e - b) / 360 / life for b, e in zip(turn, end, strict=True)
    ))  # fmt: skip
    names = ("Red", "Green", "Blue", "Alpha")
    first = [record.number(f"startColor{name}", 1.0, 0.0, 1.0) for name in names]
    last = [record.number(f"finishColor{name}", 1.0, 0.0, 1.0) for name in names]
    for name in names:
        for which in ("start", "finish"):
            record.lack(f"{which}ColorVariance{name}", "all particles have the middle colours", 0)
    colors = keyed([0.0, 1.0], [first, last])
    emitter.ramp, emitter.opacity_curve = colors[:, :3], colors[:, 3]
    emitter.look = Look(blend=_blend(record))
    emitter.look.image = _image(source, record, emitter.look)


def _blend(record: Record) -> str:
    factors = (record.whole("blendFuncSource", _SRC_ALPHA),
               record.whole("blendFuncDestination", _ONE_MINUS_SRC_ALPHA))  # fmt: skip
    if factors[1] == _ONE:
        return "add"
    if factors == (_ONE, _ONE_MINUS_SRC_ALPHA):
        # The library multiplies pictures by their alpha when it loads them.
        return "sorted"
    if factors != (_SRC_ALPHA, _ONE_MINUS_SRC_ALPHA):
        record.note(f"blendFunc = {factors}", "drawn as normal blending")
    return "sorted"


def _image(source: Source, record: Record, look: Look) -> Image | str:
    name = record.text("textureFileName", "")
    packed = record.text("textureImageData", "")
    if packed:
        try:
            return _unpacked(packed, source.path)
        except (ValueError, EOFError, OSError, zlib.error, FormatError) as error:
            record.note("textureImageData", f"is damaged: {error}")
    if not name:
        # cocos2d draws a soft white dot where no texture is named.
        return "glow"
    return textures.find_texture(source, "textureFileName", name, look.blend)


def _unpacked(packed: str, path: Path) -> Image:
    """A picture in base64, most often gzipped."""
    try:
        data = base64.b64decode("".join(packed.split()), validate=True)
    except binascii.Error as error:
        raise ValueError(f"no base64: {error}") from error
    if data[:2] == b"\x1f\x8b":
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            data = file.read(_IMAGE_BYTES + 1)
        if len(data) > _IMAGE_BYTES:
            raise ValueError(f"unpacks to more than {_IMAGE_BYTES} bytes")
    return decode_image(memoryview(bytearray(data)), path, hdr="clamp")
