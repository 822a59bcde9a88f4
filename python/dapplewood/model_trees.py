# SPDX-License-Identifier: MIT
"""A model in a scene's trees: its meshes placed once, then moved from pose to pose."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from .device import Buffer
from .model import Model, Pose

if TYPE_CHECKING:
    from .mesh import Mesh
    from .trees import SceneTrees

__all__ = ["ModelTrees"]


@dataclasses.dataclass(eq=False)
class _Part:
    """One mesh of one node."""

    node: int
    mesh: Mesh
    is_skinned: bool
    handle: Any
    instance: Any
    buffer: Buffer | None  # of the posed vertices; None: nothing deforms the mesh


class ModelTrees:
    """A model placed in trees, so that rays meet it in any pose.

    Meshes that a skin or morph targets move are deforming, one for each node; their vertices are
    posed on the trees' device and stay there. All others are built once and moved by transforms.

    Parameters
    ----------
    trees : SceneTrees
    model : Model
    transform : (4, 4) array_like, optional
        From the model's space to the world.
    scene : int or str, optional
        None: the scene that the file shows first.
    pose : Pose, optional
        The first pose; None: at rest. Trees are built from it.
    **mesh_options
        Of `SceneTrees.add_mesh`, such as ``builder``.

    Raises
    ------
    ValueError
        No such scene, or a singular transform.

    Attributes
    ----------
    meshes, instances : tuple
        Handles, one for each part.
    parts : tuple of (node, mesh)
        In the same order.
    """

    def __init__(
        self,
        trees: SceneTrees,
        model: Model,
        *,
        transform: Any = None,
        scene: int | str | None = None,
        pose: Pose | None = None,
        **mesh_options: Any,
    ):
        self.trees = trees
        self.model = model
        self.transform = np.eye(4) if transform is None else np.array(transform, np.float64)
        pose = model.pose() if pose is None else pose
        self._parts: list[_Part] = []
        shared: dict[int, Any] = {}
        for node in model.scene_nodes(scene):
            for index in model.nodes[node].meshes:
                part = self._add(node, index, pose, shared, mesh_options)
                if part is not None:
                    self._parts.append(part)
        self.parts = tuple((part.node, part.mesh) for part in self._parts)
        self.meshes = tuple(part.handle for part in self._parts)
        self.instances = tuple(part.instance for part in self._parts)

    def _add(
        self, node: int, index: int, pose: Pose, shared: dict[int, Any], options: dict[str, Any]
    ) -> _Part | None:
        mesh = self.model.meshes[index]
        is_skinned = self.model.nodes[node].skin is not None and mesh.joints is not None
        matrix = self._matrix(node, is_skinned, pose)
        if abs(np.linalg.det(matrix[:3, :3])) < 1e-30:
            return None  # flattened to nothing
        if not is_skinned and mesh.targets is None:
            if index not in shared:
                shared[index] = self.trees.add_mesh(mesh.positions, mesh.indices, **options)
            instance = self.trees.add_instance(shared[index], matrix)
            return _Part(node, mesh, False, shared[index], instance, None)
        posed = self._posed(node, mesh, is_skinned, pose)
        handle = self.trees.add_mesh(posed, mesh.indices, deforming=True, **options)
        instance = self.trees.add_instance(handle, matrix)
        buffer = Buffer(self.trees.device, posed.nbytes)
        return _Part(node, mesh, is_skinned, handle, instance, buffer)

    def _matrix(self, node: int, is_skinned: bool, pose: Pose) -> np.ndarray:
        """A skinned mesh is posed in the model's space, whatever its node's place."""
        return self.transform if is_skinned else self.transform @ pose.node_matrices[node]

    def _posed(
        self, node: int, mesh: Mesh, is_skinned: bool, pose: Pose, out: Buffer | None = None
    ) -> Any:
        skin = self.model.nodes[node].skin
        joints = pose.joint_matrices[skin] if is_skinned and skin is not None else None
        weights = pose.morph_weights.get(node) if mesh.targets is not None else None
        return mesh.posed(joints, weights, device=self.trees.device, out=out)

    def set_pose(self, pose: Pose) -> None:
        """Moves the model; the next `SceneTrees.update` takes it up.

        Parameters
        ----------
        pose : Pose
            What `Model.pose` gives.
        """
        for part in self._parts:
            matrix = self._matrix(part.node, part.is_skinned, pose)
            if not part.is_skinned:
                self.trees.set_transform(part.instance, matrix)
            if part.buffer is not None:
                self._posed(part.node, part.mesh, part.is_skinned, pose, part.buffer)
                count = len(part.mesh.positions)
                self.trees.set_pose(part.handle, part.buffer, vertex_count=count)

    def close(self) -> None:
        """Takes the model out of the trees and frees its buffers."""
        for part in self._parts:
            self.trees.remove(part.instance)
        for handle in dict.fromkeys(self.meshes):
            self.trees.remove(handle)
        for part in self._parts:
            if part.buffer is not None:
                part.buffer.close()
        self._parts = []

    def __enter__(self) -> ModelTrees:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        moving = sum(part.buffer is not None for part in self._parts)
        return f"<ModelTrees {self.model.name!r} {len(self._parts)} parts, {moving} deforming>"
