# SPDX-License-Identifier: MIT
"""Godot's resources and nodes: what refers to what, gradients, curves, textures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..files import read_bytes
from ..image import Image
from . import textures
from .curves import AGES, hermite, keyed, stepped
from .emitter import Placing
from .godot_text import Call, Section, read_sections
from .reading import DEPTH, MAX_TEXT, Record, Source

__all__ = ["Scene", "linear"]

_EDITOR = (
    "resource_local_to_scene",
    "resource_name",
    "script",
    "unique_id",
    "metadata/_edit_lock_",
)


class Scene:
    """A parsed file.

    Attributes
    ----------
    is_old : bool
        Written by Godot 3 (format 2).
    resources : dict
        Type and record of each sub-resource by its id, and of the file's own as "".
    nodes : dict
        Type and record of each node by its path.
    """

    def __init__(self, source: Source, text: str) -> None:
        self.source = source
        sections = read_sections(source, text)
        head = sections[0].header
        self.is_old = head.get("format", 3) in (1, 2)
        self.kind = sections[0].tag
        self.files: dict[str, str] = {}
        self.resources: dict[str, tuple[str, Record]] = {}
        self.nodes: dict[str, tuple[str, Record]] = {}
        self._parents: dict[str, str] = {}
        for section in sections[1:]:
            self._sort(section, str(head.get("type", "")))

    def _sort(self, section: Section, kind: str) -> None:
        head = section.header
        name = str(head.get("id", ""))
        if section.tag == "ext_resource":
            self.files[name] = str(head.get("path", ""))
        elif section.tag == "sub_resource":
            record = self._record(section, f"sub_resource {name}")
            self.resources[name] = (str(head.get("type", "")), record)
        elif section.tag == "resource":
            self.resources[""] = (kind, self._record(section, "resource"))
        elif section.tag == "node":
            self._add_node(section)

    def _record(self, section: Section, where: str) -> Record:
        record = self.source.record(section.values, where)
        record.skip(*_EDITOR, *(key for key in section.values if key.startswith("metadata/")))
        return record

    def _add_node(self, section: Section) -> None:
        head = section.header
        name, parent = str(head.get("name", "")), head.get("parent")
        path = "." if parent is None else name if parent == "." else f"{parent}/{name}"
        record = self._record(section, f"node {path if parent is not None else name}")
        self.nodes[path] = (str(head.get("type", "")), record)
        if parent is not None:
            self._parents[path] = str(parent)

    # ---- references ----

    def resource(self, value: Any, record: Record, key: str) -> tuple[str, Record] | None:
        """What SubResource(...) or ExtResource(...) under a key means, or None with a note."""
        if value is None:
            return None
        if isinstance(value, Call) and value.name == "SubResource" and value.values:
            found = self.resources.get(str(value.values[0]))
            if found is None:
                record.fail(f"{key} means {value!r}, which is not in the file")
            return found
        path = self.path_of(value)
        if path is None:
            record.fail(f"{key} must mean a resource, got {value!r:.60}")
            return None
        if path.endswith(".tres"):
            return self._beside(path, record, key)
        record.note(f"{key} = {path!r}", "only resources within the file or beside it are read")
        return None

    def _beside(self, path: str, record: Record, key: str) -> tuple[str, Record] | None:
        place, reason = textures.beside(self.source, path)
        if place is None:
            record.note(f"{key} = {path!r}", reason)
            return None
        text = bytes(read_bytes(place)[:MAX_TEXT]).decode("utf-8", "replace")
        inner = Scene(self.source, text)
        found = inner.resources.get("")
        if found is None or any(isinstance(value, Call) for value in found[1].data.values()):
            record.note(f"{key} = {path!r}", "means more resources, which are not followed")
            return None
        return found

    def path_of(self, value: Any) -> str | None:
        """The path of ExtResource(...)."""
        if isinstance(value, Call) and value.name == "ExtResource" and value.values:
            return self.files.get(str(value.values[0]), "")
        return None

    def below(self, record: Record, key: str) -> tuple[str, Record] | None:
        return self.resource(record.raw(key), record, key)

    # ---- nodes ----

    def placing(self, path: str, is_flat: bool, scale: float) -> Placing:
        """Where a node stands; of 2D nodes y is turned up and pixels become metres."""
        found = Placing.identity()
        for _ in range(DEPTH):
            kind, record = self.nodes.get(path, ("", None))
            if record is not None:
                own = _flat(record, scale) if is_flat else _solid(record)
                found = found.under(own)
            if path not in self._parents:
                return found
            path = self._parents[path]
        self.source.fail(f"node {path}", f"is nested deeper than {DEPTH}")

    def node_at(self, path: str, way: str) -> str:
        """The path of a node as another one names it."""
        steps = [] if path == "." else path.split("/")
        for step in way.split("/"):
            if step == "..":
                steps = steps[:-1]
            elif step not in ("", "."):
                steps.append(step)
        return "/".join(steps) or "."

    # ---- gradients and curves ----

    def gradient(self, value: Any, record: Record, key: str) -> np.ndarray | None:
        """(65, 4): of a Gradient or of a texture of one."""
        found = self.resource(value, record, key)
        if found is None:
            return None
        kind, resource = found
        resource.skip("width", "use_hdr")
        if "gradient" in resource:
            return self.gradient(resource.raw("gradient"), resource, "gradient")
        if kind != "Gradient":
            record.note(f"{key} is a {kind}", "only gradients are read")
            return None
        return _gradient(resource)

    def curve(self, value: Any, record: Record, key: str) -> np.ndarray | None:
        """(65,): of a Curve or of a texture of one."""
        found = self.resource(value, record, key)
        if found is None:
            return None
        kind, resource = found
        resource.skip("width", "texture_mode")
        for inner in ("curve", "curve_x"):
            if inner in resource:
                for other in ("curve_y", "curve_z"):
                    resource.lack(other, "sizes grow alike in all directions")
                return self.curve(resource.raw(inner), resource, inner)
        if kind != "Curve":
            record.note(f"{key} is a {kind}", "only curves are read")
            return None
        return _curve(resource)

    # ---- textures ----

    def texture(self, record: Record, key: str, blend: str) -> Image | str | None:
        value = record.raw(key)
        if value is None:
            return None
        path = self.path_of(value)
        if path is not None:
            return textures.find_texture(self.source, record.at(key), path, blend)
        found = self.resource(value, record, key)
        if found is None:
            return None
        kind, resource = found
        if kind == "GradientTexture2D":
            return self._drawn(resource)
        record.note(f"{key} is a {kind}", "drawn as a plain glow")
        resource.skip(*resource.data)
        return "glow"

    def _drawn(self, resource: Record) -> Image | str:
        """A picture of a gradient, as Godot fills it."""
        table = self.gradient(resource.raw("gradient"), resource, "gradient")
        if table is None:
            return "glow"
        resource.skip("width", "height", "use_hdr")
        begin = np.array(resource.numbers("fill_from", 2, (0.0, 0.0)))
        way = np.array(resource.numbers("fill_to", 2, (1.0, 0.0))) - begin
        fill = resource.whole("fill", 0)
        repeat = resource.whole("repeat", 0)
        axis = (np.arange(64) + 0.5) / 64
        x, y = np.meshgrid(axis - begin[0], axis - begin[1])
        length = max(float(np.hypot(*way)), 1e-6)
        if fill == 0:
            at = (x * way[0] + y * way[1]) / length**2
        elif fill == 1:
            at = np.hypot(x, y) / length
        else:
            at = np.maximum(np.abs(x), np.abs(y)) / max(float(np.abs(way).max()), 1e-6)
        at = at % 1.0 if repeat else np.clip(at, 0.0, 1.0)
        return textures.drawn_image(
            np.stack([np.interp(at, AGES, table[:, i]) for i in range(4)], axis=-1)
        )


def linear(color: Any) -> np.ndarray:
    """Light of sRGB-encoded colours; beyond 1 goes on along the curve."""
    value = np.maximum(np.asarray(color, np.float64), 0.0)
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _solid(record: Record) -> Placing:
    values = record.numbers("transform", 12, (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0))
    record.skip("transform", "rotation_edit_mode", "rotation_order", "top_level")
    return Placing(np.array(values[:9]).reshape(3, 3), np.array(values[9:]))


def _flat(record: Record, scale: float) -> Placing:
    x, y = record.numbers("position", 2, (0.0, 0.0))
    turn = -record.number("rotation", 0.0)
    if "rotation_degrees" in record:
        turn = -math.radians(record.number("rotation_degrees"))
    wide, high = record.numbers("scale", 2, (1.0, 1.0))
    c, s = math.cos(turn), math.sin(turn)
    basis = np.array([[c * wide, -s * high, 0], [s * wide, c * high, 0], [0, 0, 1.0]])
    basis[2, 2] = math.sqrt(abs(wide * high))
    return Placing(basis, np.array([x * scale, -y * scale, 0.0]))


def _gradient(record: Record) -> np.ndarray:
    offsets = record.raw("offsets", [0.0, 1.0])
    colors = record.raw("colors", [0, 0, 0, 1, 1, 1, 1, 1])
    record.skip("interpolation_color_space")
    mode = record.whole("interpolation_mode", 0)
    places = source_numbers(record, "offsets", offsets)
    values = source_numbers(record, "colors", colors)
    if not places or len(values) != 4 * len(places):
        record.fail(f"wants four colour values for each offset, got {len(values)}"
                    f" for {len(places)}")  # fmt: skip
    table = np.maximum(np.array(values).reshape(-1, 4), 0.0)
    return stepped(places, table) if mode == 1 else keyed(places, table)


def _curve(record: Record) -> np.ndarray:
    record.skip("point_count", "min_value", "max_value", "bake_resolution", "_limits")
    data = record.raw("_data", [])
    if not isinstance(data, list) or not data:
        return np.ones(AGES.size)
    if len(data) % 5:
        record.fail(f"_data wants five values a point, got {len(data)}")
    keys = []
    for place, before, after, *_ in (data[i : i + 5] for i in range(0, len(data), 5)):
        x, y, enter, leave = source_numbers(record, "_data", [*_pair(place), before, after])
        keys.append((x, y, enter, leave))
    return hermite(keys)


def _pair(place: Any) -> tuple[Any, Any]:
    return (place[0], place[1]) if isinstance(place, tuple) and len(place) == 2 else (None, None)


def source_numbers(record: Record, key: str, values: Any) -> list[float]:
    """Numbers of an array, each checked."""
    if not isinstance(values, list):
        record.fail(f"{key} must be an array of numbers")
    return list(Record(record.source, {key: values}, record.where).numbers(key, len(values)))
