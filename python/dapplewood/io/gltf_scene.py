# SPDX-License-Identifier: MIT
"""Nodes, skins, scenes and animations of a glTF model."""

from __future__ import annotations

import re

import numpy as np

from ..animation import PATHS, Animation, AnimationChannel
from ..model import Node, Skin
from .gltf_accessors import Accessors
from .gltf_container import Container
from .gltf_json import Fields
from .gltf_meshes import MeshGroup

__all__ = ["read_animations", "read_nodes", "read_scenes", "read_skins"]

_INTERPOLATIONS = ("STEP", "LINEAR", "CUBICSPLINE")
# What of KHR_animation_pointer is played.
_POINTER = re.compile(
    r"/(?:nodes/(\d{1,9})/(translation|rotation|scale|weights)|meshes/(\d{1,9})/weights)"
    r"(?:/(\d{1,9}))?"
)


def read_nodes(container: Container, groups: list[MeshGroup]) -> tuple[Node, ...]:
    """The nodes with their parents; FormatError where they form no forest."""
    items = container.root.objects("nodes")
    children = [one.indices("children", len(items), "nodes") for one in items]
    parents = [-1] * len(items)
    for i, below in enumerate(children):
        for child in below:
            if parents[child] >= 0 or child == i:
                items[child].fail(
                    "has itself as parent" if child == i
                    else f"has two parents, nodes {parents[child]} and {i}"
                )  # fmt: skip
            parents[child] = i
    reached = [i for i, parent in enumerate(parents) if parent < 0]
    for i in reached:  # grows while it is walked
        reached.extend(children[i])
    if len(reached) < len(items):
        first = min(set(range(len(items))) - set(reached))
        items[first].fail("is its own ancestor: the nodes form a loop")
    skins = len(container.root.array("skins"))
    return tuple(
        _read_node(fields, parents[i], children[i], groups, skins)
        for i, fields in enumerate(items)
    )


def _read_node(
    fields: Fields, parent: int, children: list[int], groups: list[MeshGroup], skins: int
) -> Node:
    mesh = fields.index("mesh", len(groups), "meshes")
    skin = fields.index("skin", skins, "skins")
    matrix = None
    if "matrix" in fields:
        matrix = np.array(fields.numbers("matrix", 16)).reshape(4, 4).T
        if matrix[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
            fields.fail(f"matrix must be affine, its last row 0 0 0 1, got {matrix[3].tolist()}")
    rotation = np.array(fields.numbers("rotation", 4, (0.0, 0.0, 0.0, 1.0)))
    length = float(np.sqrt(rotation @ rotation))
    if length == 0.0:
        fields.fail("rotation is a quaternion of length 0")
    weights = None
    if mesh is not None and "weights" in fields:
        weights = np.array(fields.numbers("weights", groups[mesh].target_count), np.float32)
        if not len(weights):
            weights = None
    return Node(
        name=fields.text("name", ""),
        parent=parent,
        children=tuple(children),
        translation=np.array(fields.numbers("translation", 3, (0.0, 0.0, 0.0))),
        rotation=rotation / length,
        scale=np.array(fields.numbers("scale", 3, (1.0, 1.0, 1.0))),
        matrix=matrix,
        meshes=() if mesh is None else groups[mesh].meshes,
        skin=skin,
        morph_weights=weights,
    )


def read_scenes(
    container: Container, nodes: tuple[Node, ...]
) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...], int]:
    """Root nodes of each scene, their names, and which scene is shown."""
    root = container.root
    scenes = root.objects("scenes")
    shown = root.index("scene", len(scenes), "scenes")
    if not scenes:
        roots = tuple(i for i, node in enumerate(nodes) if node.parent < 0)
        if nodes:
            container.place.note("the file has no scene: all its nodes are shown")
        return (roots,), ("",), 0
    found = []
    for scene in scenes:
        roots = tuple(scene.indices("nodes", len(nodes), "nodes"))
        for i in roots:
            if nodes[i].parent >= 0:
                scene.fail(f"nodes[{i}] is no root: its parent is nodes[{nodes[i].parent}]")
        if len(set(roots)) < len(roots):
            scene.fail("names a node twice")
        found.append(roots)
    return tuple(found), tuple(one.text("name", "") for one in scenes), shown or 0


def read_skins(container: Container, accessors: Accessors, node_count: int) -> tuple[Skin, ...]:
    found = []
    for fields in container.root.objects("skins"):
        joints = fields.indices("joints", node_count, "nodes")
        if not joints:
            fields.fail("joints is empty")
        container.spend(len(joints) * 128, fields.where)
        index = fields.index("inverseBindMatrices", len(accessors), "accessors")
        if index is None:
            inverse = np.tile(np.eye(4), (len(joints), 1, 1))
        else:
            columns = accessors.floats(index, ("MAT4",))
            if len(columns) < len(joints):
                fields.fail(f"{len(columns)} inverse bind matrices for {len(joints)} joints")
            columns = columns[: len(joints)].astype(np.float64)
            inverse = columns.reshape(-1, 4, 4).transpose(0, 2, 1)
        found.append(Skin(fields.text("name", ""), np.array(joints), inverse))
    return tuple(found)


def read_animations(
    container: Container, accessors: Accessors, nodes: tuple[Node, ...], groups: list[MeshGroup]
) -> tuple[Animation, ...]:
    given = container.root.objects("nodes")
    mesh_of = [one.data.get("mesh") for one in given]
    target_counts = [0 if mesh is None else groups[mesh].target_count for mesh in mesh_of]
    # An animated mesh moves the nodes that have no weights of their own.
    followers: dict[int, list[int]] = {i: [] for i in range(len(groups))}
    for i, mesh in enumerate(mesh_of):
        if mesh is not None and nodes[i].morph_weights is None:
            followers[mesh].append(i)
    found = []
    for fields in container.root.objects("animations"):
        samplers = fields.objects("samplers")
        channels = []
        for channel in fields.objects("channels"):
            for node, path, target in _places(channel, followers, target_counts):
                one = _read_channel(
                    accessors, channel, samplers, node, path, target, target_counts[node]
                )
                if one is not None:
                    container.spend(one.times.nbytes, channel.where)
                    channels.append(one)
        found.append(Animation(fields.text("name", ""), tuple(channels)))
    return tuple(found)


def _places(
    channel: Fields, followers: dict[int, list[int]], target_counts: list[int]
) -> list[tuple[int, str, int | None]]:
    """The nodes that a channel moves: which property, and of weights, which one alone."""
    target = channel.fields("target")
    path = target.text("path")
    if path == "pointer":
        return _pointed(channel, target, followers, target_counts)
    node = target.index("node", len(target_counts), "nodes")
    if path not in PATHS or node is None:
        channel.place.note(f"{channel.where} moves {path!r} of no node: not played")
        return []
    return [(node, path, None)]


def _pointed(
    channel: Fields, target: Fields, followers: dict[int, list[int]], target_counts: list[int]
) -> list[tuple[int, str, int | None]]:
    fields = target.extension("KHR_animation_pointer")
    if fields is None:
        target.fail("path is 'pointer', but KHR_animation_pointer is missing")
    pointer = fields.text("pointer")
    found = _POINTER.fullmatch(pointer)
    if found is None or (found[4] is not None and found[2] not in (None, "weights")):
        channel.place.note(f"{channel.where} moves {pointer!r}: not played")
        return []
    which = int(found[1] or found[3])
    if which >= (len(followers) if found[1] is None else len(target_counts)):
        fields.fail(f"pointer is {pointer!r}, but there is no such object")
    places = [which] if found[1] is not None else followers[which]
    one = None if found[4] is None else int(found[4])
    for node in places:
        if one is not None and one >= target_counts[node]:
            fields.fail(
                f"pointer is {pointer!r}, but there are {target_counts[node]} morph targets"
            )
    return [(node, found[2] or "weights", one) for node in places]


def _read_channel(
    accessors: Accessors,
    fields: Fields,
    samplers: list[Fields],
    node: int,
    path: str,
    target: int | None,
    target_count: int,
) -> AnimationChannel | None:
    index = fields.index("sampler", len(samplers), "samplers")
    if index is None:
        fields.fail("sampler is missing")
    sampler = samplers[index]
    times = _times(accessors, sampler)
    width = PATHS[path] or (target_count if target is None else 1)
    if not width:
        fields.place.note(f"{fields.where} moves weights of a node without morph targets")
        return None
    kind = sampler.text("interpolation", "LINEAR")
    if kind not in _INTERPOLATIONS:
        sampler.fail(f"interpolation must be one of {', '.join(_INTERPOLATIONS)}, got {kind!r}")
    output = sampler.index("output", len(accessors), "accessors")
    if output is None:
        sampler.fail("output is missing")
    values = accessors.floats(output, ("SCALAR" if path == "weights" else f"VEC{width}",))
    parts = 3 if kind == "CUBICSPLINE" else 1
    if values.size != len(times) * parts * width:
        sampler.fail(
            f"output has {values.size} numbers where {len(times)} keys of {path} take "
            f"{len(times) * parts * width}"
        )
    shape = (len(times), 3, width) if parts == 3 else (len(times), width)
    return AnimationChannel(node, path, kind.lower(), times, values.reshape(shape), target)


def _times(accessors: Accessors, sampler: Fields) -> np.ndarray:
    index = sampler.index("input", len(accessors), "accessors")
    if index is None:
        sampler.fail("input is missing")
    times = accessors.floats(index, ("SCALAR",)).reshape(-1)
    if not len(times):
        sampler.fail("input has no key")
    if (times[1:] < times[:-1]).any():
        bad = int(np.flatnonzero(times[1:] < times[:-1])[0])
        sampler.fail(f"times must ascend, but key {bad + 1} is at {times[bad + 1]:g} s, before it")
    return times
