# SPDX-License-Identifier: MIT
"""What scenes of trees hand out: handles, results of updates, what is known of meshes, hits."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kinds import TreeBuilder

__all__ = [
    "BuildEvent",
    "DeformingCounts",
    "Drift",
    "Handle",
    "Hits",
    "InstanceHandle",
    "MeshHandle",
    "MeshStatus",
    "UpdateResult",
]


class Handle(int):
    """The number of a mesh or an instance of one SceneTrees; no number is ever used again."""

    _owner: object

    @classmethod
    def _make(cls, number: int, owner: object) -> Any:
        self = cls(number)
        self._owner = owner
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {int(self)}>"

    def __reduce__(self) -> tuple:
        return int, (int(self),)


class MeshHandle(Handle):
    """A mesh of a :class:`SceneTrees`: a whole number that stays with it over rebuilds."""


class InstanceHandle(Handle):
    """An instance of a :class:`SceneTrees`: the number that hits give."""


@dataclasses.dataclass(frozen=True)
class BuildEvent:
    """A tree that was built and placed.

    Attributes
    ----------
    mesh : MeshHandle
    rebuild : bool
        It replaced another.
    cause : str
        ``"first"``: the mesh is new. ``"asked"``: :meth:`SceneTrees.rebuild`. ``"drift"``: the
        ratio stayed above the limit. ``"fresh"``: a probe's tree was better. ``"degenerate"``:
        the tree before was built from a pose without extent, or half of it missing.
    triangles, nodes, depth : int
        Nodes on the longest way from the root are the depth.
    inactive : int
        Triangles that the pose built from gives no finite box.
    milliseconds : float
        From the begin of the build until its shape was known.
    """

    mesh: MeshHandle
    rebuild: bool
    cause: str
    triangles: int
    nodes: int
    depth: int
    inactive: int
    milliseconds: float


class UpdateResult(NamedTuple):
    """What an update has done.

    Attributes
    ----------
    refits : int
        Meshes that were posed, and whose trees were refit.
    rebuilds : int
        Trees that replaced one.
    probes : int
        Builds begun to compare with.
    builds : list of BuildEvent
        Trees placed, those of new meshes too.
    """

    refits: int
    rebuilds: int
    probes: int
    builds: list[BuildEvent]


class Drift(NamedTuple):
    """How far a posed tree is from a good one.

    Attributes
    ----------
    ratio : float
        Area of the inner nodes over that of the root, over the same as built; 1 before a sample.
    fresh_ratio : float
        Cost of the tree over that of a fresh one, when one was last built. Rays cost about that
        much more than they need to.
    cost : float
        Nodes and triangles that a ray through the root's box meets, by the surface area heuristic.
    samples : int
        Samples compared so far.
    """

    ratio: float
    fresh_ratio: float
    cost: float
    samples: int


class DeformingCounts(NamedTuple):
    """What has happened to deforming meshes.

    Attributes
    ----------
    refits, rebuilds : int
        Of trees; every rebuild, whatever its cause.
    drift_rebuilds : int
        Rebuilds that were asked for, or that the ratio caused.
    probes : int
        Builds begun to compare with.
    cpu_poses : int
        Calls of `set_pose_cpu`.
    poses_skipped : int
        0: no device skips poses.
    outside_poses : int
        Refits that left the bounds of their mesh; on a Vulkan device, of those sampled.
    inactive : int
        Triangles of all meshes now without a finite box.
    """

    refits: int
    rebuilds: int
    drift_rebuilds: int
    probes: int
    cpu_poses: int
    poses_skipped: int
    outside_poses: int
    inactive: int


@dataclasses.dataclass(frozen=True)
class MeshStatus:
    """What is known of a mesh.

    Attributes
    ----------
    deforming : bool
        Poses are taken.
    state : str
        ``"new"``: built by the next update. ``"posed"``: refit by the next update.
        ``"building"``: current, and another tree is under way. ``"current"``.
    triangles, vertices, instances : int
    nodes, depth, treelets, bytes : int
        Of the tree; 0 while there is none.
    inactive : int
        Triangles without a finite box in the last pose sampled: one of their vertices is NaN,
        infinite or beyond 2**60. Rays pass through them.
    refits : int
        Since the tree was placed.
    builds : int
        Trees placed so far.
    builder : TreeBuilder
    pose : str
        Where the vertices come from: ``"rest"``, ``"cpu"`` or ``"buffer"``.
    bounds : (2, 3) ndarray or None
        The box of the pose that the tree was refit to; None when it is empty.
    deform_bounds : (2, 3) ndarray or None
        The box that poses are said to stay in; None for a mesh that does not deform.
    outside_bounds : bool
        The pose left that box. Rays meet it all the same.
    degenerate : bool
        The tree was built from a pose without extent, or with more than half of the triangles
        missing; it is rebuilt at the first real pose.
    """

    deforming: bool
    state: str
    triangles: int
    vertices: int
    instances: int
    nodes: int
    depth: int
    treelets: int
    bytes: int
    inactive: int
    refits: int
    builds: int
    builder: TreeBuilder
    pose: str
    bounds: NDArray[np.float64] | None
    deform_bounds: NDArray[np.float64] | None
    outside_bounds: bool
    degenerate: bool


class _Hits(NamedTuple):
    t: NDArray[np.float32]
    instance: NDArray[np.int32]
    primitive: NDArray[np.int32]
    u: NDArray[np.float32]
    v: NDArray[np.float32]


class Hits(_Hits):
    """What rays met: five arrays of the rays' shape.

    Attributes
    ----------
    t : ndarray of float32
        Distance in lengths of the direction; infinite for a miss.
    instance : ndarray of int32
        Number of the :class:`InstanceHandle`; -1 for a miss.
    primitive : ndarray of int32
        Row of the mesh's indices; -1 for a miss.
    u, v : ndarray of float32
        Weights of the triangle's second and third vertex; the first has 1 - u - v.
    steps : ndarray of uint32 or None
        Nodes that each ray visited, where they were asked for.
    """

    steps: NDArray[np.uint32] | None = None

    @property
    def hit(self) -> NDArray[np.bool_]:
        """Which rays met something."""
        return self.instance >= 0
