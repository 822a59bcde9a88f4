# SPDX-License-Identifier: MIT
"""Models: meshes placed by a tree of nodes, with their skins and animations."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .animation import Animation, matrix_of, trs_of
from .deform import deformed
from .device import Buffer, Device, default_device
from .materials import Material
from .mesh import Mesh
from .pose import Pose

__all__ = ["Model", "Node", "Pose", "PosedMesh", "Skin"]


@dataclasses.dataclass(frozen=True, eq=False)
class Node:
    """One node of a model's tree.

    Attributes
    ----------
    name : str
    parent : int
        -1 for a root.
    children : tuple of int
    translation, rotation, scale : (3,), (4,) and (3,) float64
        The rotation is a quaternion x, y, z, w of length 1.
    matrix : (4, 4) float64, optional
        Given instead of the three, for nodes that are not animated.
    meshes : tuple of int
        Into `Model.meshes`, one for each material.
    skin : int, optional
        Into `Model.skins`.
    morph_weights : (M,) float32, optional
        Weights of the meshes' morph targets at rest.
    """

    name: str
    parent: int
    children: tuple[int, ...]
    translation: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray
    matrix: np.ndarray | None
    meshes: tuple[int, ...]
    skin: int | None
    morph_weights: np.ndarray | None

    @property
    def local(self) -> np.ndarray:
        """(4, 4) float64 at rest, into the parent's space."""
        if self.matrix is not None:
            return self.matrix
        return matrix_of(self.translation, self.rotation, self.scale)


@dataclasses.dataclass(frozen=True, eq=False)
class Skin:
    """Joints that move the vertices of meshes.

    Attributes
    ----------
    name : str
    joints : (J,) int64
        Nodes of the model.
    inverse_bind : (J, 4, 4) float64
        From the mesh's space into that of each joint when it was bound.
    """

    name: str
    joints: np.ndarray
    inverse_bind: np.ndarray


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class PosedMesh:
    """The vertices of one mesh of a model in a pose.

    Attributes
    ----------
    mesh : Mesh
    node : int
        That places the mesh.
    positions : (V, 3) float32 ndarray or Buffer
        Before `matrix`.
    normals : (V, 3) float32 ndarray or Buffer, optional
        Of length 1.
    matrix : (4, 4) float64
        From the vertices' space into that of the model; no change for a skinned mesh.
    """

    mesh: Mesh
    node: int
    positions: np.ndarray | Buffer
    normals: np.ndarray | Buffer | None
    matrix: np.ndarray

    def __repr__(self) -> str:
        place = "an array" if isinstance(self.positions, np.ndarray) else repr(self.positions)
        return f"<PosedMesh of node {self.node}, {self.mesh.vertex_count} vertices in {place}>"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Model:
    """What `load_gltf` gives.

    Attributes
    ----------
    meshes : tuple of Mesh
        One for each primitive of triangles, in the file's order.
    materials : tuple of Material
    skins : tuple of Skin
    animations : tuple of Animation
    nodes : tuple of Node
    scenes : tuple of tuple of int
        Root nodes of each scene; a file without scenes has one of all its roots.
    scene_names : tuple of str
    scene : int
        The scene that is shown unless another is asked for.
    notes : tuple of str
        What is drawn otherwise than the file says, or not at all.
    name : str
    """

    meshes: tuple[Mesh, ...]
    materials: tuple[Material, ...]
    skins: tuple[Skin, ...]
    animations: tuple[Animation, ...]
    nodes: tuple[Node, ...]
    scenes: tuple[tuple[int, ...], ...]
    scene_names: tuple[str, ...] = ()
    scene: int = 0
    notes: tuple[str, ...] = ()
    name: str = ""

    @property
    def triangle_count(self) -> int:
        """Triangles of `meshes`, each counted once, however often it is placed."""
        return sum(mesh.triangle_count for mesh in self.meshes)

    def animation(self, which: int | str | Animation) -> Animation:
        """An animation by index or name.

        Raises
        ------
        ValueError
            There is none; the message lists their names.
        """
        if isinstance(which, Animation):
            return which
        names = [one.name for one in self.animations]
        if isinstance(which, str) and which in names:
            return self.animations[names.index(which)]
        is_index = isinstance(which, (int, np.integer)) and not isinstance(which, bool)
        if is_index and 0 <= int(which) < len(names):
            return self.animations[int(which)]
        raise ValueError(f"animation must be one of {names} or an index of them, got {which!r}")

    def pose(
        self,
        animation: int | str | Animation | None = None,
        time: float = 0.0,
        *,
        loop: bool = False,
    ) -> Pose:
        """The model at a time of an animation.

        Parameters
        ----------
        animation : int, str, Animation or None
            Index or name; None: the model at rest.
        time : float
            Seconds; held at the first and last key outside of them.
        loop : bool
            Takes the time modulo the animation's duration.

        Returns
        -------
        Pose

        Raises
        ------
        ValueError
            No such animation, a time that is not finite, or a pose beyond float64.
        """
        local = np.array([node.local for node in self.nodes]).reshape(-1, 4, 4)
        weights = self._rest_weights()
        if animation is not None:
            self._animate(self.animation(animation), float(time), loop, local, weights)
        with np.errstate(over="ignore", invalid="ignore"):
            world = self._world(local)
            joints = tuple(world[skin.joints] @ skin.inverse_bind for skin in self.skins)
        if not all(np.isfinite(one).all() for one in (world, *joints)):
            raise ValueError("the nodes' transforms go beyond float64; mend the model")
        return Pose(joints, weights, world)

    def _rest_weights(self) -> dict[int, np.ndarray]:
        found: dict[int, np.ndarray] = {}
        for i, node in enumerate(self.nodes):
            morphs = [self.meshes[m].morph_weights for m in node.meshes]
            if node.morph_weights is not None:
                found[i] = node.morph_weights
            elif morphs and morphs[0] is not None:
                found[i] = morphs[0]
        return found

    def _animate(
        self,
        animation: Animation,
        time: float,
        loop: bool,
        local: np.ndarray,
        weights: dict[int, np.ndarray],
    ) -> None:
        """Puts the animation's values at `time` into the local matrices and the weights."""
        parts: dict[int, list[np.ndarray]] = {}
        for channel in animation.channels:
            value = channel.sample(animation.wrapped(time) if loop else time)
            if channel.path == "weights":
                if channel.node in weights:
                    weights[channel.node] = weights[channel.node].copy()
                    which = slice(None) if channel.target is None else [channel.target]
                    weights[channel.node][which] = value
                continue
            if channel.node not in parts:
                node = self.nodes[channel.node]
                given = (node.translation, node.rotation, node.scale)
                parts[channel.node] = list(given if node.matrix is None else trs_of(node.matrix))
            parts[channel.node][("translation", "rotation", "scale").index(channel.path)] = value
        for i, (translation, rotation, scale) in parts.items():
            local[i] = matrix_of(translation, rotation, scale)

    def _world(self, local: np.ndarray) -> np.ndarray:
        world = local.copy()
        for i in self.order():
            parent = self.nodes[i].parent
            if parent >= 0:
                world[i] = world[parent] @ local[i]
        return world

    def order(self) -> list[int]:
        """The nodes, each after its parent."""
        found = [i for i, node in enumerate(self.nodes) if node.parent < 0]
        for i in found:  # grows while it is walked
            found.extend(self.nodes[i].children)
        return found

    def static_meshes(
        self, scene: int | str | None = None, pose: Pose | None = None
    ) -> list[tuple[Mesh, np.ndarray]]:
        """The meshes of a scene, each with the matrix that places it.

        A mesh that nothing deforms is the object of `meshes` itself, so that placing it twice
        costs nothing. Skins and morph targets are applied here, in float64: those meshes are new.
        What a matrix flattens to a line or point is left out.

        Parameters
        ----------
        scene : int or str, optional
            None: the scene that the file shows first.
        pose : Pose, optional
            None: at rest.

        Returns
        -------
        list of (Mesh, (4, 4) float64)

        Raises
        ------
        ValueError
            No such scene, a pose of another model, or one that takes vertices beyond 1e18.
        TypeError
            Something else than a Pose.
        """
        found = []
        for i, mesh, joints, matrix, pose in self._placed(scene, pose):
            if np.linalg.matrix_rank(matrix[:3, :3]) >= 2:
                found.append((deformed(mesh, joints, pose.morph_weights.get(i)), matrix))
        return found

    def posed_meshes(
        self,
        pose: Pose | None = None,
        *,
        scene: int | str | None = None,
        device: Device | None = None,
        normals: bool = False,
        buffers: bool = False,
        into: Sequence[PosedMesh] | None = None,
    ) -> list[PosedMesh]:
        """The vertices of a scene's meshes in a pose, on any device.

        As `static_meshes`, but in float32, and without a new Mesh for each; `Mesh.posed` tells
        more. Every mesh is there in every pose, and in the same order.

        Parameters
        ----------
        pose : Pose, optional
            None: at rest.
        scene : int or str, optional
            None: the scene that the file shows first.
        device : Device, optional
            None: that of the buffers in `into`, else `default_device`.
        normals : bool
        buffers : bool
            Gives each mesh a Buffer on the device instead of an array.
        into : sequence of PosedMesh, optional
            What an earlier call gave, whose arrays or buffers are written again.

        Returns
        -------
        list of PosedMesh

        Raises
        ------
        ValueError
            No such scene, a pose of another model, an `into` of another scene, or what
            `Mesh.posed` refuses.
        TypeError
            Something else than a Pose.
        """
        placed = list(self._placed(scene, pose))
        if into is not None and [(one.node, one.mesh) for one in into] != [
            (i, mesh) for i, mesh, *_ in placed
        ]:
            raise ValueError("into must be what posed_meshes() gave for the same scene")
        found = []
        for k, (i, mesh, joints, matrix, pose) in enumerate(placed):
            out: Any = None if into is None else into[k].positions
            turned: Any = normals if into is None else into[k].normals
            if out is None and buffers:
                device = default_device() if device is None else device
                out = Buffer(device, 12 * mesh.vertex_count)
            turned = False if turned is None else turned
            weights = pose.morph_weights.get(i)
            result = mesh.posed(joints, weights, device=device, out=out, normals=turned)
            positions, turned = (result, None) if turned is False else result
            found.append(PosedMesh(mesh, i, positions, turned, matrix))
        return found

    def _placed(
        self, scene: int | str | None, pose: Pose | None
    ) -> Iterator[tuple[int, Mesh, np.ndarray | None, np.ndarray, Pose]]:
        """Of each mesh: its node, joint matrices if it is skinned, and what places it then."""
        pose = self.pose() if pose is None else pose
        if not isinstance(pose, Pose):
            raise TypeError(f"pose must be what pose() gives, got {type(pose).__name__}")
        if len(pose.node_matrices) != len(self.nodes):
            raise ValueError(
                f"pose has {len(pose.node_matrices)} nodes, the model {len(self.nodes)}; take it "
                "from the pose() of this model"
            )
        for i in self.scene_nodes(scene):
            node = self.nodes[i]
            joints = None if node.skin is None else pose.joint_matrices[node.skin]
            for index in node.meshes:
                mesh = self.meshes[index]
                is_skinned = joints is not None and mesh.joints is not None
                matrix = np.eye(4) if is_skinned else pose.node_matrices[i].copy()
                yield i, mesh, joints if is_skinned else None, matrix, pose

    def scene_nodes(self, scene: int | str | None = None) -> list[int]:
        """The nodes of a scene, each after its parent; None: the scene that is shown first.

        Raises
        ------
        ValueError
            No such scene.
        """
        which = self.scene if scene is None else scene
        if isinstance(which, str):
            if which not in self.scene_names:
                raise ValueError(f"scene must be one of {self.scene_names}, got {which!r}")
            which = self.scene_names.index(which)
        if isinstance(which, bool) or not 0 <= which < max(len(self.scenes), 1):
            raise ValueError(f"scene must lie in 0..{len(self.scenes) - 1}, got {which!r}")
        found = list(self.scenes[which]) if self.scenes else []
        for i in found:  # grows while it is walked
            found.extend(self.nodes[i].children)
        return found

    @property
    def bounds(self) -> np.ndarray:
        """(2, 3) float64: least and greatest corner of the shown scene at rest.

        Raises
        ------
        ValueError
            The scene has no mesh.
        """
        corners = [
            mesh.positions[np.unique(mesh.indices)].astype(np.float64) @ m[:3, :3].T + m[:3, 3]
            for mesh, m in self.static_meshes()
        ]
        if not corners:
            raise ValueError("the scene has no mesh, and so no bounds")
        return np.stack(
            [
                np.min([one.min(axis=0) for one in corners], axis=0),
                np.max([one.max(axis=0) for one in corners], axis=0),
            ]
        )

    def _counts(self) -> dict[str, Any]:
        return {
            "meshes": len(self.meshes),
            "triangles": self.triangle_count,
            "materials": len(self.materials),
            "nodes": len(self.nodes),
            "skins": len(self.skins),
            "animations": len(self.animations),
            "notes": len(self.notes),
        }

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {what}" for what, count in self._counts().items() if count)
        return f"<Model {self.name!r} {counts or 'empty'}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in self._counts().items())
        names = ", ".join(
            f"{html.escape(one.name or 'unnamed')} ({one.duration:.3g} s)"
            for one in self.animations
        )
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        caption = html.escape(self.name or "Model")
        return (
            f"<table><caption>{caption}</caption>{rows}</table>"
            + (f"<p>animations: {names}</p>" if names else "")
            + (f"<ul>{notes}</ul>" if notes else "")
        )
