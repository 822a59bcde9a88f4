# SPDX-License-Identifier: MIT
"""Primitives of a glTF model as meshes of triangles."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..materials import Material
from ..mesh import Mesh
from .gltf_accessors import Accessors, to_floats
from .gltf_container import Container
from .gltf_draco import DRACO, decode_primitive
from .gltf_json import Fields
from .gltf_materials import MaterialRow, TextureUse

__all__ = ["MeshGroup", "read_meshes"]

_NOT_DRAWN = {0: "points", 1: "lines", 2: "a line loop", 3: "a line strip"}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_TARGETS = {
    "POSITION": "targets", "NORMAL": "target_normals", "TANGENT": "target_tangents",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class MeshGroup:
    """What a glTF mesh became: its primitives in the flat list of meshes, and its morph targets."""

    meshes: tuple[int, ...]
    target_count: int


class _Source:
    """The attributes of one primitive: plain accessors, or what Draco decoded in their place."""

    def __init__(self, container: Container, accessors: Accessors, fields: Fields) -> None:
        self.fields = fields
        self._accessors = accessors
        attributes = fields.fields("attributes")
        self.index_of: dict[str, int] = {}
        for name in attributes.data:
            index = attributes.index(name, len(accessors), "accessors")
            assert index is not None
            self.index_of[name] = index
        self.triangles: np.ndarray | None = None
        self._decoded: dict[str, np.ndarray] = {}
        draco = fields.extension(DRACO)
        if draco is not None and not self._has_fallback():
            self.triangles, self._decoded = decode_primitive(container, draco)

    def _has_fallback(self) -> bool:
        """Whether the plain accessors have data as well, and Draco is not there to decode."""
        try:
            import DracoPy  # noqa: F401
        except ImportError:
            index = self.index_of.get("POSITION")
            return index is not None and "bufferView" in self._accessors.fields(index)
        return False

    def __contains__(self, name: str) -> bool:
        return name in self.index_of

    def floats(self, name: str, types: tuple[str, ...]) -> np.ndarray:
        index = self.index_of[name]
        if name not in self._decoded:
            return self._accessors.floats(index, types)
        raw = self._decoded_raw(name, types)
        fields = self._accessors.fields(index)
        return to_floats(raw, self._accessors.is_normalized(index), fields)

    def raw(self, name: str, types: tuple[str, ...]) -> np.ndarray:
        if name in self._decoded:
            return self._decoded_raw(name, types)
        return self._accessors.raw(self.index_of[name], types)

    def _decoded_raw(self, name: str, types: tuple[str, ...]) -> np.ndarray:
        found = self._decoded[name]
        widths = [int(kind[-1]) if kind != "SCALAR" else 1 for kind in types]
        if found.shape[1] not in widths:
            self.fields.fail(f"Draco attribute {name} has {found.shape[1]} components")
        return found


def read_meshes(
    container: Container, accessors: Accessors, materials: list[MaterialRow]
) -> tuple[list[Mesh], list[MeshGroup]]:
    """All meshes in the file's order, and which of them each glTF mesh is made of."""
    meshes: list[Mesh] = []
    groups = []
    default = MaterialRow(Material(), None)
    for i, fields in enumerate(container.root.objects("meshes")):
        name = fields.text("name", "") or f"mesh{i}"
        primitives = fields.objects("primitives")
        counts = {len(one.array("targets")) for one in primitives}
        if len(counts) > 1:
            fields.fail(f"its primitives have different numbers of morph targets: {sorted(counts)}")
        first = len(meshes)
        for primitive in primitives:
            index = primitive.index("material", len(materials), "materials")
            row = default if index is None else materials[index]
            label = name if len(meshes) == first else f"{name}.{len(meshes) - first}"
            mesh = _read_primitive(container, accessors, primitive, row, fields, label)
            if mesh is not None:
                container.spend(mesh.nbytes, primitive.where)
                meshes.append(mesh)
        groups.append(MeshGroup(tuple(range(first, len(meshes))), max(counts, default=0)))
    return meshes, groups


def _read_primitive(
    container: Container,
    accessors: Accessors,
    fields: Fields,
    row: MaterialRow,
    owner: Fields,
    name: str,
) -> Mesh | None:
    note = fields.place.note
    mode = fields.whole("mode", _TRIANGLES, high=6)
    if mode in _NOT_DRAWN:
        note(f"{fields.where} holds {_NOT_DRAWN[mode]}: not drawn")
        return None
    source = _Source(container, accessors, fields)
    if "POSITION" not in source:
        note(f"{fields.where} has no POSITION: not drawn")
        return None
    positions = source.floats("POSITION", ("VEC3",))
    if not len(positions):
        note(f"{fields.where} has no vertices: not drawn")
        return None
    triangles = _triangles(accessors, source, mode, len(positions))
    if not len(triangles):
        note(f"{fields.where} has no triangle: not drawn")
        return None
    arguments = _attributes(source, row, len(positions))
    arguments |= _targets(container, accessors, fields, owner, len(positions))
    # Exporters share one set of vertices among primitives: each mesh keeps what it uses.
    is_used = np.zeros(len(positions), bool)
    is_used[triangles.reshape(-1)] = True
    arguments["positions"] = positions
    if not is_used.all():
        container.spend(len(positions) * 8, fields.where)
        triangles = (np.cumsum(is_used) - 1)[triangles]
        arguments = {
            key: (value[:, is_used] if key in _TARGETS.values() else value[is_used])
            if isinstance(value, np.ndarray) and key != "morph_weights"
            else value
            for key, value in arguments.items()
        }
    try:
        return Mesh(indices=triangles, material=row.material, name=name, **arguments)
    except (TypeError, ValueError) as error:
        fields.fail(str(error))


def _triangles(
    accessors: Accessors, source: _Source, mode: int, vertex_count: int
) -> np.ndarray:
    """(T, 3) rows of the positions, in range."""
    fields = source.fields
    if source.triangles is not None:
        flat, mode = source.triangles.reshape(-1), _TRIANGLES
    else:
        index = fields.index("indices", len(accessors), "accessors")
        if index is None:
            flat = np.arange(vertex_count)
        else:
            flat = accessors.integers(index, ("SCALAR",)).reshape(-1)
    if len(flat) and (int(flat.max()) >= vertex_count or int(flat.min()) < 0):
        bad = int(np.flatnonzero((flat < 0) | (flat >= vertex_count))[0])
        fields.fail(f"index {bad} is {int(flat[bad])}, but there are {vertex_count} vertices")
    if mode == _TRIANGLES:
        if len(flat) % 3:
            fields.place.note(f"{fields.where} ends within a triangle: {len(flat) % 3} left out")
        return flat[: len(flat) // 3 * 3].reshape(-1, 3)
    if len(flat) < 3:
        return np.zeros((0, 3), np.int64)
    if mode == _FAN:
        first = np.broadcast_to(flat[0], len(flat) - 2)
        return np.stack([flat[1:-1], flat[2:], first], axis=1)
    triangles = np.stack([flat[:-2], flat[1:-1], flat[2:]], axis=1)
    triangles[1::2] = triangles[1::2][:, [0, 2, 1]]
    # Strips are joined by triangles that use a vertex twice.
    a, b, c = triangles.T
    return triangles[(a != b) & (b != c) & (c != a)]


def _attributes(source: _Source, row: MaterialRow, count: int) -> dict[str, Any]:
    found: dict[str, Any] = {"normals": "flat"}
    if "NORMAL" in source:
        found["normals"] = source.floats("NORMAL", ("VEC3",))
        if "TANGENT" in source:
            found["tangents"] = source.floats("TANGENT", ("VEC4",))
    if (uvs := _uvs(source, row.use)) is not None:
        found["uvs"] = uvs
    if "COLOR_0" in source:
        found["colors"] = _vertex_colors(source)
    found |= _skin(source)
    known = ("POSITION", "NORMAL", "TANGENT", "COLOR_0", "TEXCOORD_", "JOINTS_", "WEIGHTS_")
    for name in source.index_of:
        if not name.startswith((*known, "_")):
            source.fields.place.note(f"{source.fields.where}: attribute {name} is not read")
    for name, array in found.items():
        if isinstance(array, np.ndarray) and len(array) != count:
            source.fields.fail(f"{name} have {len(array)} elements, POSITION {count}")
    return found


def _uvs(source: _Source, use: TextureUse | None) -> np.ndarray | None:
    fields = source.fields
    wanted = f"TEXCOORD_{use.tex_coord if use else 0}"
    sets = [name for name in source.index_of if name.startswith("TEXCOORD_")]
    if wanted not in sets:
        if use is not None:
            fields.place.note(f"{fields.where} lacks {wanted}, which its material's texture uses")
        return None
    if len(sets) > 1:
        fields.place.note(f"{fields.where}: of {len(sets)} sets of uvs {wanted} is read")
    uvs = source.floats(wanted, ("VEC2",))
    if use is None or use == TextureUse(use.tex_coord):
        return uvs
    matrix = np.array(use.transform)
    return uvs.astype(np.float64) @ matrix[:, :2].T + matrix[:, 2]


def _vertex_colors(source: _Source) -> np.ndarray:
    raw = source.raw("COLOR_0", ("VEC3", "VEC4"))
    if raw.dtype in (np.uint8, np.uint16):
        return raw
    colors = source.floats("COLOR_0", ("VEC3", "VEC4"))
    clipped = np.clip(colors, 0.0, 1.0)
    if not np.array_equal(clipped, colors):
        note = source.fields.place.note
        note(f"{source.fields.where}: vertex colours outside [0, 1] are clipped")
    return clipped


def _skin(source: _Source) -> dict[str, np.ndarray]:
    names = [name for name in source.index_of if name.startswith(("JOINTS_", "WEIGHTS_"))]
    if not names:
        return {}
    sets = len(names) // 2
    wanted = {f"{kind}_{i}" for kind in ("JOINTS", "WEIGHTS") for i in range(sets)}
    if set(names) != wanted:
        source.fields.fail(
            "JOINTS_n and WEIGHTS_n must come in pairs from 0 up, got " + ", ".join(sorted(names))
        )
    joints = [source.raw(f"JOINTS_{i}", ("VEC4",)) for i in range(sets)]
    weights = [source.floats(f"WEIGHTS_{i}", ("VEC4",)) for i in range(sets)]
    for array in joints:
        if array.dtype.kind != "u":
            source.fields.fail(f"JOINTS_n must hold unsigned integers, got {array.dtype.name}")
    if len({len(array) for array in (*joints, *weights)}) > 1:
        source.fields.fail("JOINTS_n and WEIGHTS_n differ in their number of elements")
    return {"joints": np.concatenate(joints, axis=1), "weights": np.concatenate(weights, axis=1)}


def _targets(
    container: Container, accessors: Accessors, fields: Fields, owner: Fields, count: int
) -> dict[str, Any]:
    targets = fields.objects("targets")
    if not targets:
        return {}
    found: dict[str, Any] = {}
    for semantic, argument in _TARGETS.items():
        if semantic != "POSITION" and not any(semantic in target for target in targets):
            continue
        container.spend(len(targets) * count * 12, fields.where)
        stack = np.zeros((len(targets), count, 3), np.float32)
        for k, target in enumerate(targets):
            index = target.index(semantic, len(accessors), "accessors")
            if index is None:
                continue
            array = accessors.floats(index, ("VEC3",))
            if len(array) != count:
                target.fail(f"{semantic} has {len(array)} elements, the primitive {count}")
            stack[k] = array
        found[argument] = stack
    others = {name for target in targets for name in target.data} - {*_TARGETS, "extras"}
    if others:
        fields.place.note(f"{fields.where}.targets: {', '.join(sorted(others))} are not read")
    total = len(targets)
    extras = owner.data.get("extras")
    names = extras.get("targetNames") if isinstance(extras, dict) else None
    if isinstance(names, list) and len(names) == total and all(isinstance(n, str) for n in names):
        found["target_names"] = names
    if "weights" in owner:
        found["morph_weights"] = np.array(owner.numbers("weights", total), np.float32)
    return found
