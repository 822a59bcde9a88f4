# SPDX-License-Identifier: MIT
"""Vertices of meshes in a pose: morph targets, then linear blend skinning, on any device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .device import Buffer, Device, default_device
from .pose import Pose

if TYPE_CHECKING:
    from .mesh import Mesh

__all__ = ["posed"]


def _skin_on(mesh: Mesh, device: Device) -> _core.Skin:
    """What `device` keeps of the mesh, made at the first call and dropped with either."""
    skin = device._skins.get(mesh)
    if skin is None:
        skin = _core.Skin(
            device, mesh.positions, mesh.normals, mesh.joints, mesh.weights, mesh.targets,
            mesh.target_normals,
        )  # fmt: skip
        if not device.closed:
            device._skins[mesh] = skin
    return skin


def _device_of(device: Device | None, *places: Any) -> Device:
    if device is not None:
        if not isinstance(device, Device):
            raise TypeError(f"device must be a dapplewood.Device, got {type(device).__name__}")
        return device
    for place in places:
        if isinstance(place, Buffer):
            return place.device
    return default_device()


def _matrices_of(mesh: Mesh, pose: Pose, skin: int | None) -> np.ndarray | None:
    """(J, 4, 4) of the skin that moves the mesh."""
    count = len(pose.joint_matrices)
    if skin is None:
        if mesh.joints is None or not count:
            return None
        if count > 1:
            raise ValueError(f"the pose has {count} skins: say which moves the mesh, by skin=")
        skin = 0
    if mesh.joints is None:
        raise ValueError(f"skin is {skin}, but the mesh has no joints; leave it out")
    if not 0 <= skin < count:
        raise ValueError(f"skin must lie in 0..{count - 1}, the skins of the pose, got {skin}")
    return pose.joint_matrices[skin]


def _weights_of(mesh: Mesh, pose: Pose, node: int | None) -> np.ndarray | None:
    """(M,) weights of the node that places the mesh."""
    if mesh.targets is None:
        return None
    if node is not None:
        if node not in pose.morph_weights:
            known = sorted(pose.morph_weights)
            raise ValueError(f"node must be one of {known}, which have weights, got {node}")
        return pose.morph_weights[node]
    found = [one for one in pose.morph_weights.values() if len(one) == len(mesh.targets)]
    if not found:
        return mesh.morph_weights
    if any(not np.array_equal(one, found[0]) for one in found):
        nodes = [i for i, one in pose.morph_weights.items() if len(one) == len(mesh.targets)]
        raise ValueError(
            f"the pose has weights for {len(mesh.targets)} targets at nodes {nodes}: say which "
            "places the mesh, by node="
        )
    return found[0]


def _resolved(
    mesh: Mesh, pose: Any, morph_weights: Any, skin: int | None, node: int | None
) -> tuple[Any, Any]:
    """Matrices (J, 4, 4) or None, and weights or None."""
    if isinstance(pose, Pose):
        if morph_weights is None:
            morph_weights = _weights_of(mesh, pose, node)
        return _matrices_of(mesh, pose, skin), morph_weights
    if skin is not None or node is not None:
        raise ValueError("skin and node name parts of a Pose; leave them out for matrices")
    if morph_weights is None:
        morph_weights = mesh.morph_weights
    if pose is None:
        return None, morph_weights
    matrices = np.asarray(pose)
    if mesh.joints is None:
        if matrices.shape not in ((4, 4), (1, 4, 4)):
            raise ValueError(
                f"a mesh without joints is moved by one (4, 4) matrix, got {matrices.shape}"
            )
        matrices = matrices.reshape(1, 4, 4)
    return matrices, morph_weights


def posed(
    mesh: Mesh,
    pose: Any,
    morph_weights: Any,
    device: Device | None,
    out: Any,
    normals: Any,
    skin: int | None,
    node: int | None,
    places: tuple[int, int, int, int],
) -> Any:
    """`Mesh.posed`, whose docstring says what it does."""
    device = _device_of(device, out, normals)
    matrices, weights = _resolved(mesh, pose, morph_weights, skin, node)
    shape = (mesh.vertex_count, 3)
    if normals is True:
        is_kept = isinstance(out, Buffer)
        normals = Buffer(device, 12 * shape[0]) if is_kept else np.empty(shape, np.float32)
    elif normals is False:
        normals = None
    if out is None:
        out = np.empty(shape, np.float32)
    stride, offset, normals_stride, normals_offset = places
    _skin_on(mesh, device).apply(
        matrices,
        weights,
        (out, stride, offset),
        None if normals is None else (normals, normals_stride, normals_offset),
    )
    return out if normals is None else (out, normals)
