# SPDX-License-Identifier: MIT
"""A model in a scene's trees: its meshes placed once, then moved from pose to pose."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from .device import Buffer
from .model import Model, Pose

if TYPE_CHECKING:
    from .mesh import Mesh
    from .trees import SceneTrees

__all__ = ["ModelTrees"]

_THIN = 1e-4  # of a flattened part's length: what is left of its thickness
_SMALL = 1e-12  # what is left of a part that is scaled to nothing


def _invertible(matrix: np.ndarray) -> np.ndarray:
    """The matrix, or one next to it where it flattens: rays need a way into the part's space."""
    linear = matrix[:3, :3]
    if not np.isfinite(linear).all():
        return matrix  # refused by the trees, which name it
    size = float(np.prod(np.linalg.norm(linear, axis=0)))
    if size > _SMALL**3 and abs(np.linalg.det(linear)) > _THIN**2 * size:
        return matrix
    u, sizes, v = np.linalg.svd(linear)
    changed = matrix.copy()
    changed[:3, :3] = u @ np.diag(np.maximum(sizes, max(_THIN * sizes[0], _SMALL))) @ v
    return changed


def _affine(transform: Any) -> np.ndarray:
    """(4, 4) float64 that has an inverse; None: the unit matrix."""
    matrix = np.eye(4) if transform is None else np.array(transform, np.float64)
    if matrix.shape != (4, 4):
        raise ValueError(f"transform must be (4, 4), got {matrix.shape}")
    if not np.isfinite(matrix).all() or (matrix[3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise ValueError("transform must be finite and affine: its last row is 0 0 0 1")
    if np.linalg.matrix_rank(matrix[:3, :3]) < 3:
        raise ValueError("transform must have an inverse")
    return matrix


def _checked(pose: Any) -> Pose:
    if not isinstance(pose, Pose):
        raise TypeError(f"pose must be a Pose, as Model.pose gives, got {type(pose).__name__}")
    return pose


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
    A part that a pose flattens keeps a ten-thousandth of its length as its thickness; one that is
    scaled to nothing is too small for rays, and comes back with a later pose.

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
        No such scene, a `transform` that is not affine or has no inverse, or what
        `SceneTrees.add_mesh` refuses; the trees are left as they were.
    TypeError
        No SceneTrees, Model or Pose.

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
        if not isinstance(trees, _core.SceneTrees):
            raise TypeError(f"trees must be a SceneTrees, got {type(trees).__name__}")
        if not isinstance(model, Model):
            raise TypeError(f"model must be a Model, got {type(model).__name__}")
        self.trees = trees
        self.model = model
        self.transform = _affine(transform)
        pose = model.pose() if pose is None else _checked(pose)
        self._parts: list[_Part] = []
        self._added: list[Any] = []  # meshes
        self._is_closed = False
        shared: dict[int, Any] = {}
        try:
            for node in model.scene_nodes(scene):
                for index in model.nodes[node].meshes:
                    self._parts.append(self._add(node, index, pose, shared, mesh_options))
        except BaseException:
            self.close()
            raise
        self.parts = tuple((part.node, part.mesh) for part in self._parts)
        self.meshes = tuple(part.handle for part in self._parts)
        self.instances = tuple(part.instance for part in self._parts)

    def _add(
        self, node: int, index: int, pose: Pose, shared: dict[int, Any], options: dict[str, Any]
    ) -> _Part:
        mesh = self.model.meshes[index]
        is_skinned = self.model.nodes[node].skin is not None and mesh.joints is not None
        matrix = self._matrix(node, is_skinned, pose)
        if not is_skinned and mesh.targets is None:
            if index not in shared:
                shared[index] = self.trees.add_mesh(mesh.positions, mesh.indices, **options)
                self._added.append(shared[index])
            instance = self.trees.add_instance(shared[index], matrix)
            return _Part(node, mesh, False, shared[index], instance, None)
        posed = self._posed(node, mesh, is_skinned, pose)
        buffer = Buffer(self.trees.device, posed.nbytes)
        try:
            handle = self.trees.add_mesh(posed, mesh.indices, deforming=True, **options)
            self._added.append(handle)
            instance = self.trees.add_instance(handle, matrix)
        except BaseException:
            buffer.close()
            raise
        return _Part(node, mesh, is_skinned, handle, instance, buffer)

    def _matrix(self, node: int, is_skinned: bool, pose: Pose) -> np.ndarray:
        """A skinned mesh is posed in the model's space, whatever its node's place."""
        return self.transform if is_skinned else _invertible(
            self.transform @ pose.node_matrices[node]
        )

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

        Raises
        ------
        TypeError
            Something else than a Pose.
        ValueError
            A pose of another model, or after `close`.
        """
        pose = _checked(pose)
        if self._is_closed:
            raise ValueError("the ModelTrees is closed: place the model anew")
        if len(pose.node_matrices) != len(self.model.nodes):
            raise ValueError(
                f"pose must be of this model, which has {len(self.model.nodes)} nodes, got "
                f"{len(pose.node_matrices)}"
            )
        for part in self._parts:
            matrix = self._matrix(part.node, part.is_skinned, pose)
            if not part.is_skinned:
                self.trees.set_transform(part.instance, matrix)
            if part.buffer is not None:
                self._posed(part.node, part.mesh, part.is_skinned, pose, part.buffer)
                count = len(part.mesh.positions)
                self.trees.set_pose(part.handle, part.buffer, vertex_count=count)

    def close(self) -> None:
        """Takes the model out of the trees and frees its buffers; closing twice is fine."""
        there = set() if self.trees.closed else set(self.trees.meshes)
        for handle in self._added:
            if handle in there:
                self.trees.remove(handle)  # with its instances
        for part in self._parts:
            if part.buffer is not None:
                part.buffer.close()
        self._parts, self._added = [], []
        self._is_closed = True

    def __enter__(self) -> ModelTrees:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        moving = sum(part.buffer is not None for part in self._parts)
        return f"<ModelTrees {self.model.name!r} {len(self._parts)} parts, {moving} deforming>"
