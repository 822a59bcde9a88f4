# SPDX-License-Identifier: MIT
"""glTF 2.0 models: .glb, and .gltf with what stands beside it."""

from __future__ import annotations

import os

from ..model import Model
from .files import as_path
from .gltf_accessors import Accessors
from .gltf_container import Container, open_container
from .gltf_draco import DRACO
from .gltf_materials import read_materials
from .gltf_meshes import read_meshes
from .gltf_scene import read_animations, read_nodes, read_scenes, read_skins

__all__ = ["load_gltf"]

_READ = {
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    DRACO,
    "KHR_materials_emissive_strength",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_texture_transform",
}


def load_gltf(path: str | os.PathLike[str]) -> Model:
    """Reads a glTF 2.0 model.

    Strips and fans become triangles; points and lines are left out. Meshes keep the vertices that
    they use. What is drawn otherwise than the file says, or not at all, is told in
    `Model.notes`.

    Parameters
    ----------
    path : path
        A .glb, or a .gltf with its buffers and images beside it or inside it.

    Returns
    -------
    Model

    Raises
    ------
    FileNotFoundError, OSError
        The file, or one that it names, is not there.
    FormatError
        Damaged, cut short, or in need of an extension that is not read; with path, place and
        reason. Draco and meshopt compression need ``pip install dapplewood[mesh]``.

    Notes
    -----
    Read are KHR_mesh_quantization, KHR_texture_transform (applied to the texture coordinates),
    KHR_materials_unlit, KHR_materials_emissive_strength, EXT_texture_webp,
    KHR_draco_mesh_compression and EXT_meshopt_compression. A mesh without normals is flat, as the
    specification asks. Metallic, roughness and emissive textures become their mean. Of
    KHR_animation_pointer the parts of nodes and the weights of meshes are played, and the rest is
    noted.

    References
    ----------
    Khronos Group, "glTF 2.0 Specification", 2021.
    """
    place = as_path(path)
    container = open_container(place)
    _check_extensions(container)
    accessors = Accessors(container)
    rows = read_materials(container)
    meshes, groups = read_meshes(container, accessors, rows)
    nodes = read_nodes(container, groups)
    scenes, scene_names, scene = read_scenes(container, nodes)
    if meshes and not any(node.meshes for node in nodes):
        container.place.note("no node places a mesh: static_meshes() gives none")
    model = Model(
        meshes=tuple(meshes),
        materials=tuple(row.material for row in rows),
        skins=read_skins(container, accessors, len(nodes)),
        animations=read_animations(container, accessors, nodes, groups),
        nodes=nodes,
        scenes=scenes,
        scene_names=scene_names,
        scene=scene,
        notes=container.place.notes,
        name=place.stem,
    )
    _check_skins(container, model)
    try:
        model.pose()
    except ValueError as error:
        container.fail("nodes", str(error))
    return model


def _check_extensions(container: Container) -> None:
    root = container.root
    required = root.array("extensionsRequired")
    unknown = [str(name) for name in required if not isinstance(name, str) or name not in _READ]
    if unknown:
        container.fail("", f"it requires extensions that are not read: {', '.join(unknown)}")
    for name in root.array("extensionsUsed"):
        if isinstance(name, str) and name not in _READ:
            container.place.note(f"extension {name} is not read")


def _check_skins(container: Container, model: Model) -> None:
    """Every joint that a placed mesh names is one of its skin."""
    for i, node in enumerate(model.nodes):
        if node.skin is None:
            continue
        count = len(model.skins[node.skin].joints)
        for index in node.meshes:
            joints = model.meshes[index].joints
            if joints is not None and int(joints.max()) >= count:
                reason = f"its mesh follows joint {int(joints.max())}, but skins[{node.skin}] has"
                container.fail(f"nodes[{i}]", f"{reason} {count}")
