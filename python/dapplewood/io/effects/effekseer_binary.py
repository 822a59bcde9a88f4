# SPDX-License-Identifier: MIT
"""Effekseer's binary effects (SKFE), as far as their layout is public and met in files.

What is read becomes the same nested settings as the editor's project, so that both have one reader
after this. Versions 1 to 13 are read; later ones come with their project in the container.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from .reading import DEPTH, Source

__all__ = ["read_binary"]

_LAST_VERSION = 13
_MOST_NODES = 4096
_ROOT = -1
_NO_TEXTURE = -1
_AXES = "XYZ"


def read_binary(source: Source, data: bytes) -> dict[str, Any]:
    """The node tree; FormatError for versions whose layout is not known here."""
    reader = _Reader(source, data)
    reader.at = 4
    version = reader.whole("the version")
    images = reader.paths(version)
    if not 1 <= version <= _LAST_VERSION:
        names = f", textures {', '.join(images[:8])}" if images else ""
        source.fail("", f"is a binary of version {version}{names}; only 1 to {_LAST_VERSION} are "
                    "read. Save it with its project, as .efkefc")  # fmt: skip
    reader.version, reader.images = version, images
    if version >= 10:
        reader.header()
    if reader.whole("the root") != _ROOT:
        source.fail(f"byte {reader.at - 4}", "wanted the root of the nodes (-1)")
    nodes = reader.children(0)
    if not reader.is_lost and reader.at != len(data):
        source.note("", f"bytes {reader.at} to {len(data)}", "stand behind the last node")
    return {"Root": {"Children": {"Node": nodes}}}


class _Lost(Exception):
    """The layout from here on is not known."""


class _Reader:
    def __init__(self, source: Source, data: bytes) -> None:
        self.source = source
        self.data = data
        self.at = 0
        self.version = 0
        self.images: list[str] = []
        self.count = 0
        self.is_lost = False

    # ---- plain values ----

    def take(self, kind: str, what: str) -> tuple[Any, ...]:
        size = struct.calcsize(f"<{kind}")
        if self.at + size > len(self.data):
            self.source.fail(f"byte {self.at}", f"cut short within {what}")
        values = struct.unpack_from(f"<{kind}", self.data, self.at)
        self.at += size
        return values

    def whole(self, what: str) -> int:
        return int(self.take("i", what)[0])

    def numbers(self, count: int, what: str) -> list[float]:
        begin = self.at
        values = self.take(f"{count}f", what)
        if not all(math.isfinite(v) and abs(v) < 1e30 for v in values):
            self.source.fail(f"byte {begin}", f"{what} must be finite numbers")
        return list(values)

    def paths(self, version: int) -> list[str]:
        """Tables of files: colours, normals, distortions, sounds, models; the first counts."""
        tables = 5 if version >= 9 else 3 if version >= 6 else 2
        found: list[list[str]] = []
        for _ in range(tables):
            count = self.whole("a table of files")
            if not 0 <= count <= 4096:
                self.source.fail(f"byte {self.at - 4}", f"{count} files are no table of them")
            found.append([self.path() for _ in range(count)])
        for table in found[1:]:
            for name in table:
                self.source.note("", f"file {name!r}", "normals, sounds and models are not used")
        return found[0]

    def path(self) -> str:
        length = self.whole("a path")
        if not 0 <= length <= 4096 or self.at + 2 * length > len(self.data):
            self.source.fail(f"byte {self.at - 4}", f"a path of {length} letters is no path")
        text = self.data[self.at : self.at + 2 * length].decode("utf-16-le", "replace")
        self.at += 2 * length
        return text.rstrip("\0")

    def header(self) -> None:
        """Nodes to draw and their threshold, magnification, seed, culling."""
        self.take("ii", "the header")
        if self.version >= 11:
            self.numbers(1, "the magnification")
        self.take("i", "the seed")
        if self.whole("the culling"):
            self.take("4f", "the culling")

    # ---- nodes ----

    def children(self, depth: int) -> list[dict[str, Any]]:
        if depth > DEPTH:
            self.source.fail(f"byte {self.at}", f"is nested deeper than {DEPTH}")
        count = self.whole("the count of nodes below")
        if not 0 <= count <= _MOST_NODES:
            self.source.fail(f"byte {self.at - 4}", f"{count} nodes below one are no such count")
        found: list[dict[str, Any]] = []
        for _ in range(count):
            if self.is_lost:
                break
            self.count += 1
            if self.count > _MOST_NODES:
                self.source.fail(f"byte {self.at}", f"has more than {_MOST_NODES} nodes")
            found.append(self.node(depth))
        return found

    def node(self, depth: int) -> dict[str, Any]:
        begin = self.at
        kind = self.whole("a node")
        found: dict[str, Any] = {"Name": f"node {self.count}"}
        try:
            self.body(kind, found)
            nodes = self.children(depth + 1)
            if nodes:
                found["Children"] = {"Node": nodes}
        except _Lost as lost:
            self.is_lost = True
            found.setdefault("DrawingValues", {"Type": 0})
            self.source.note(f"node {self.count} at byte {begin}", str(lost),
                             f"its layout is not known here; nothing behind byte {self.at} is read")
        return found

    def body(self, kind: int, found: dict[str, Any]) -> None:
        if self.version >= 10:
            found["IsRendered"] = self.whole("a node") != 0
        if self.version >= 13:
            self.take("i", "a node")
        found["CommonValues"] = self.common()
        found["LocationValues"] = self.motion("Location", 1.0)
        found["LocationAbsValues"] = self.absolute()
        found["RotationValues"] = self.motion("Rotation", 180 / math.pi)
        found["ScalingValues"] = self.motion("Scale", 1.0)
        found["GenerationLocationValues"] = self.birth()
        if self.version >= 12:
            self.take("6i", "the depth of a node")
        common = self.renderer() if self.version >= 3 else {}
        if self.whole("a renderer") != kind:
            raise _Lost("a renderer of another kind than its node")
        drawn = {2: self.sprite, 4: self.ring, 0: self.nothing}.get(kind)
        if drawn is None:
            raise _Lost(f"a node of kind {kind}")
        found["DrawingValues"] = {"Type": kind} | drawn(common)
        found["RendererCommonValues"] = common
        if self.whole("a sound"):
            # index, volume, pitch, kind of panning, pan, distance, delay
            self.take("i2f2fi2ff2i", "a sound")
            self.source.note(f"node {self.count}", "a sound", "there is no sound here")

    def common(self) -> dict[str, Any]:
        size = self.whole("common values")
        end = self.at + size
        if size not in (44, 52):
            raise _Lost(f"common values of {size} bytes")
        most, _, _, _, dies, _, _, life_most, life_least = self.take("9i", "common values")
        times = self.numbers((size - 36) // 4, "common values")
        self.at = end
        gap = times[:1] * 2 if size == 44 else times[:2]
        wait = times[1:2] * 2 if size == 44 else times[2:4]
        return {
            "MaxGeneration": {"Value": most, "Infinite": most > 100_000_000},
            "Life": _ends(life_most, life_least),
            "GenerationTime": _ends(*gap),
            "GenerationTimeOffset": _ends(*wait),
            "RemoveWhenLifeIsExtinct": bool(dies),
        }

    def motion(self, name: str, unit: float) -> dict[str, Any]:
        """A kind, a size in bytes, and so many bytes: fixed, by speed and force, or eased."""
        kind = self.whole(name)
        size = self.whole(name)
        if not 0 <= size <= len(self.data) - self.at:
            self.source.fail(f"byte {self.at - 4}", f"{name} has {size} bytes, more than are left")
        begin = self.at
        found = self.course(name, kind, size, unit)
        self.at = begin + size
        return found

    def course(self, name: str, kind: int, size: int, unit: float) -> dict[str, Any]:
        if kind == 0 and size == 12:
            values = [v * unit for v in self.numbers(3, name)]
            return {"Type": 0, "Fixed": {name: self.fixed(name, values)}}
        if kind == 1 and size == 72:
            words = (name, "Velocity", "Acceleration")
            return {"Type": 1, "PVA": {word: self.vector(unit, name) for word in words}}
        if kind == 2 and size == 60:
            ends = {word: self.vector(unit, name) for word in ("Start", "End")}
            return {"Type": 2, "Easing": ends | self.angles(name)}
        if name == "Scale" and kind == 3 and size == 24:
            words = (name, "Velocity", "Acceleration")
            return {"Type": 3, "SinglePVA": {w: _ends(*self.numbers(2, name)) for w in words}}
        if name == "Scale" and kind == 4 and size == 28:
            ends = {word: _ends(*self.numbers(2, name)) for word in ("Start", "End")}
            return {"Type": 4, "SingleEasing": ends | self.angles(name)}
        if size or kind:
            self.source.note(f"node {self.count}", f"{name} of kind {kind} in {size} bytes",
                             "its layout is not known here")  # fmt: skip
        return {}

    @staticmethod
    def fixed(name: str, values: list[float]) -> dict[str, Any]:
        if name == "Scale":
            return dict(zip(_AXES, values, strict=True))
        return {axis: _ends(value, value) for axis, value in zip(_AXES, values, strict=True)}

    def vector(self, unit: float, what: str) -> dict[str, Any]:
        most, least = self.numbers(3, what), self.numbers(3, what)
        return {axis: _ends(m * unit, n * unit)
                for axis, m, n in zip(_AXES, most, least, strict=True)}  # fmt: skip

    def angles(self, what: str) -> dict[str, float]:
        """Terms a, b, c of a cubic, as the angles that the editor made them from."""
        a, b, c = self.numbers(3, what)
        leave, arrive = math.degrees(math.atan(c)), math.degrees(math.atan(3 * a + 2 * b + c))
        return {"StartSpeed": _held(leave - 45), "EndSpeed": _held(arrive - 45)}

    def absolute(self) -> dict[str, Any]:
        kind = self.whole("the absolute location")
        size = self.whole("the absolute location")
        if kind == 0 and size == 0:
            return {}
        if kind == 1 and size == 12:
            values = self.numbers(3, "gravity")
            return {"Type": 1, "Gravity": dict(zip(_AXES, values, strict=True))}
        if not 0 <= size <= len(self.data) - self.at:
            self.source.fail(f"byte {self.at - 4}", f"forces have {size} bytes, more than are left")
        self.at += size
        where, what = f"node {self.count}", f"forces of kind {kind}"
        self.source.note(where, what, "only even forces are known")
        return {}

    def birth(self) -> dict[str, Any]:
        turns = self.whole("the place of birth")
        kind = self.whole("the place of birth")
        found: dict[str, Any] = {"EffectsRotation": bool(turns), "Type": kind}
        if kind == 0:
            found["Point"] = {"Location": self.vector(1.0, "the place of birth")}
        elif kind == 1:
            radius = _ends(*self.numbers(2, "a sphere"))
            self.numbers(4, "a sphere")
            found["Sphere"] = {"Radius": radius}
        elif kind == 3:
            self.whole("a circle")
            radius = _ends(*self.numbers(2, "a circle"))
            self.numbers(4, "a circle")
            self.whole("a circle")
            axis = self.whole("a circle") if self.version >= 10 else 2
            found["Circle"] = {"Radius": radius, "AxisDirection": axis}
        else:
            raise _Lost(f"a place of birth of kind {kind}")
        return found

    # ---- looks ----

    def texture(self, index: int) -> str:
        return self.images[index] if 0 <= index < len(self.images) else ""

    def renderer(self) -> dict[str, Any]:
        index, blend, _, _, _, _ = self.take("6i", "a renderer")
        found: dict[str, Any] = {"ColorTexture": self.texture(index), "AlphaBlend": blend}
        for name in ("FadeIn", "FadeOut"):
            kind = self.whole("a fade")
            found[f"{name}Type"] = int(kind != 0)
            if kind not in (0, 1):
                raise _Lost(f"a fade of kind {kind}")
            if kind == 1:
                found[name] = {"Frame": max(self.numbers(4, "a fade")[0], 0.0)}
        if self.whole("texture coordinates"):
            raise _Lost("moved texture coordinates")
        if self.version >= 9:
            self.take("i", "distortion")
            self.take("i", "the colour's parent")
            self.numbers(1, "distortion")
        return found

    def color(self, what: str) -> dict[str, int]:
        return dict(zip("RGBA", self.take("4B", what), strict=True))

    def colors(self, name: str) -> dict[str, Any]:
        kind = self.whole("a colour")
        if kind == 0:
            return {name: 0, f"{name}_Fixed": self.color("a colour")}
        if kind == 1:
            return {name: 1, f"{name}_Random": self.color_ends()}
        if kind == 2:
            ends = {word: self.color_ends() for word in ("Start", "End")}
            return {name: 2, f"{name}_Easing": ends | self.angles("a colour")}
        raise _Lost(f"a colour of kind {kind}")

    def color_ends(self) -> dict[str, Any]:
        most, least = self.color("a colour"), self.color("a colour")
        return {letter: _ends(most[letter], least[letter]) for letter in "RGBA"}

    def nothing(self, _common: dict[str, Any]) -> dict[str, Any]:
        return {}

    def sprite(self, common: dict[str, Any]) -> dict[str, Any]:
        self.take("i", "a sprite")
        if self.version < 3:
            common["AlphaBlend"] = self.whole("a sprite")
        found: dict[str, Any] = {"Billboard": self.whole("a sprite")}
        found |= self.colors("ColorAll")
        kind = self.whole("colours of corners")
        if kind == 1:
            found["Color"] = 1
            corners = [self.color("colours of corners") for _ in range(4)]
            found |= {f"Color_Fixed_{c}": v for c, v in zip(("LL", "LR", "UL", "UR"), corners,
                                                            strict=True)}  # fmt: skip
        elif kind:
            raise _Lost(f"colours of corners of kind {kind}")
        kind = self.whole("corners")
        if kind == 1:
            found["Position"] = 1
            for corner in ("LL", "LR", "UL", "UR"):
                x, y = self.numbers(2, "corners")
                found[f"Position_Fixed_{corner}"] = {"X": x, "Y": y}
        elif kind:
            raise _Lost(f"corners of kind {kind}")
        if self.version < 3:
            common["ColorTexture"] = self.texture(self.whole("a texture"))
        return {"Sprite": found}

    def ring(self, common: dict[str, Any]) -> dict[str, Any]:
        self.take("i", "a ring")
        if self.version < 3:
            common["AlphaBlend"] = self.whole("a ring")
        found: dict[str, Any] = {"Billboard": self.whole("a ring")}
        found["VertexCount"] = self.whole("a ring")
        found["ViewingAngle_Fixed"] = self.single("the angle of a ring")
        for name in ("Outer", "Inner"):
            found |= self.edge(name)
        found["CenterRatio_Fixed"] = self.single("the middle of a ring")
        for name in ("OuterColor", "CenterColor", "InnerColor"):
            found |= self.colors(name)
        if self.version < 3:
            common["ColorTexture"] = self.texture(self.whole("a texture"))
        return {"Ring": found}

    def single(self, what: str) -> float:
        """A number, or the middle of a range or of both ends of a course."""
        counts = {0: 1, 1: 2, 2: 7}
        kind = self.whole(what)
        if kind not in counts:
            raise _Lost(f"{what} of kind {kind}")
        ends = self.numbers(counts[kind], what)[:4]
        return sum(ends) / len(ends)

    def edge(self, name: str) -> dict[str, Any]:
        kind = self.whole("an edge of a ring")
        if kind == 0:
            x, _ = self.numbers(2, "an edge of a ring")
            return {name: 0, f"{name}_Fixed": {"Location": {"X": x}}}
        if kind not in (1, 2):
            raise _Lost(f"an edge of a ring of kind {kind}")
        words = ("Location", "Velocity", "Acceleration") if kind == 1 else ("Start", "End")
        found: dict[str, Any] = {}
        for word in words:
            most, _, least, _ = self.numbers(4, "an edge of a ring")
            found[word] = {"X": _ends(most, least)}
        if kind == 2:
            found |= self.angles("an edge of a ring")
        return {name: kind, f"{name}_{'PVA' if kind == 1 else 'Easing'}": found}


def _ends(most: float, least: float) -> dict[str, float]:
    return {"Max": most, "Min": least}


def _held(angle: float) -> float:
    return min(max(angle, -90.0), 90.0)
