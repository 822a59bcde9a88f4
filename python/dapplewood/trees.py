# SPDX-License-Identifier: MIT
"""Scenes that rays meet: trees over meshes that deform, instances, and rebuilds where they pay."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .checks import as_number, as_whole
from .device import Buffer, Device, default_device
from .kinds import NodeFormat, TreeBuilder, kind_of
from .mesh_math import index_rows
from .tree_layout import TreeLayout
from .trees_results import (
    BuildEvent,
    DeformingCounts,
    Drift,
    Handle,
    Hits,
    InstanceHandle,
    MeshHandle,
    MeshStatus,
    UpdateResult,
)

if TYPE_CHECKING:
    from .mesh import Mesh

__all__ = ["SceneTrees"]

_INSTANCE_ROW = np.dtype([("id", "<u4"), ("mesh", "<u4"), ("transform", "<f4", (3, 4))])


# ---- arguments ----


def _as_f32(value: Any, name: str) -> np.ndarray:
    """C-contiguous float32 of numbers; what is beyond float32 becomes infinite."""
    array = np.asarray(value)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def _as_indices(indices: Any, vertex_count: int) -> np.ndarray:
    """(T, 3) uint32."""
    array = index_rows(indices, vertex_count)
    if len(array) and (int(array.min()) < 0 or int(array.max()) >= 2**32):
        bad = int(np.flatnonzero(((array < 0) | (array >= 2**32)).any(axis=1))[0])
        raise ValueError(
            f"indices[{bad}] is {array[bad].tolist()}, but there are {vertex_count} positions"
        )
    return np.ascontiguousarray(array, dtype=np.uint32)


def _as_matrices(transform: Any, name: str) -> np.ndarray:
    """(N, 3 or 4, 4) float64."""
    array = np.asarray(transform)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold numbers, got dtype {array.dtype}")
    if array.ndim < 2 or array.shape[-2:] not in ((3, 4), (4, 4)):
        raise ValueError(f"{name} must be a (4, 4) or (3, 4) matrix, got shape {array.shape}")
    return np.ascontiguousarray(array, dtype=np.float64)


def _as_dirty(dirty: Any) -> np.ndarray | None:
    return None if dirty is None else np.asarray(dirty)


def _as_bounds(bounds: Any) -> np.ndarray:
    """(6,) float32, also of two corners."""
    array = _as_f32(bounds, "bounds")
    return array.reshape(-1) if array.shape == (2, 3) else array


def _deforming_of(deforming: Any) -> tuple[bool, np.ndarray | None]:
    if isinstance(deforming, (bool, np.bool_)):
        return bool(deforming), None
    if isinstance(deforming, Mapping):
        unknown = set(deforming) - {"bounds"}
        if unknown:
            raise ValueError(f'deforming takes the key "bounds" alone, got {sorted(unknown)}')
        box = deforming.get("bounds", True)
        return True, None if box is True or box is None else _as_bounds(box)
    raise TypeError(
        f'deforming must be True, False or {{"bounds": box}}, got {type(deforming).__name__}'
    )


def _box_of(box: tuple[float, ...] | None) -> NDArray[np.float64] | None:
    return None if box is None else np.array(box, np.float64).reshape(2, 3)


class SceneTrees(_core.SceneTrees):
    """Meshes and instances of them that rays meet, some of which deform.

    Each mesh has a tree of boxes. A deforming mesh keeps its triangles; when its vertices move the
    tree's shape stays and :meth:`update` refits the boxes, on the device that holds the pose. A
    tree that has become dear for rays is built anew from the newest pose, one at a time. Handles
    stay the same over that.

    Parameters
    ----------
    device : Device, optional
        None: the default one.
    node_format : NodeFormat or str, optional
        ``"quantized"``: 32 bytes a node. ``"f32"``: 64 bytes, for a small detail in a huge mesh.
    drift_limit : float, optional
        Above 1: the ratio from which a tree is made anew; infinite: never.
    hold_updates : int, optional
        Updates that every sample of :meth:`drift_ratio` must stay above the limit.
    sample_every : int, optional
        Updates from one sample of a posed mesh's cost to the next, at least.
    probe : bool, optional
        Build a fresh tree now and then, where a pose has moved the cost by 5 %, and take it when
        it is better than the refit one by the limit.
    probe_budget : float, optional
        Milliseconds of an update that probes may take on average; `math.inf`: no limit.

    Raises
    ------
    ValueError
        An option is out of range.

    Notes
    -----
    What is added, removed, moved or posed counts from the next :meth:`update` on. Until then rays
    are refused, so that none meets half of a change. One thread may use a SceneTrees at a time.

    The top level holds the boxes of the posed meshes as they are: no pose is ever culled by bounds
    that it has left.

    Examples
    --------
    >>> import dapplewood as dw
    >>> trees = dw.SceneTrees(dw.Device("cpu"))
    >>> mesh = trees.add_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], deforming=True)
    >>> instance = trees.add_instance(mesh)
    >>> trees.update().builds[0].triangles
    1
    >>> trees.set_pose_cpu(mesh, [[0, 0, 5], [1, 0, 5], [0, 1, 5]])
    >>> trees.update().refits
    1
    >>> float(trees.trace([0.2, 0.2, 0], [0, 0, 1]).t)
    5.0
    """

    _token: object
    node_format: NodeFormat

    def __new__(
        cls,
        device: Device | None = None,
        *,
        node_format: NodeFormat | str = "quantized",
        drift_limit: float = 1.1,
        hold_updates: int = 60,
        sample_every: int = 15,
        probe: bool = True,
        probe_budget: float = 4.0,
    ) -> SceneTrees:
        format = kind_of(NodeFormat, node_format, "node_format")
        self = super().__new__(
            cls,
            device or default_device(),
            node_format=int(format),
            drift_limit=as_number(drift_limit, "drift_limit"),
            hold_updates=_count(hold_updates, "hold_updates"),
            sample_every=_count(sample_every, "sample_every"),
            probe=bool(probe),
            probe_budget=as_number(probe_budget, "probe_budget"),
        )
        self._token = object()
        self.node_format = format
        return self

    def __enter__(self) -> SceneTrees:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<SceneTrees closed>"
        return (
            f"<SceneTrees {len(self._mesh_ids())} meshes, {len(self._instance_rows())} instances "
            f"on {self.device.info.name!r}{'' if self.is_current else ', update() is due'}>"
        )

    def _repr_html_(self) -> str:
        if self.closed:
            return html.escape(repr(self))
        names = ("state", "triangles", "nodes", "depth", "bytes", "instances", "refits", "builds")
        head = "".join(f"<th>{name}</th>" for name in ("mesh", *names, "ratio", "fresh ratio"))
        rows = []
        for mesh in self.meshes:
            status, drift = self.mesh_status(mesh), self.drift(mesh)
            cells = [str(int(mesh)), *(str(getattr(status, name)) for name in names)]
            cells += [f"{drift.ratio:.3f}", f"{drift.fresh_ratio:.3f}"]
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        return (
            f"<p>{html.escape(repr(self))}</p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )

    # -- handles --

    def _number(self, handle: Any, kind: type[Handle], argument: str) -> int:
        """The id of a handle, or of a plain number such as hits give."""
        if isinstance(handle, Handle):
            if not isinstance(handle, kind):
                raise ValueError(f"{argument} must be a {kind.__name__}, got {handle!r}")
            if handle._owner is not self._token:
                raise ValueError(f"{argument}: {handle!r} belongs to another SceneTrees")
        return as_whole(handle, argument)

    def _mesh(self, handle: Any) -> int:
        return self._number(handle, MeshHandle, "mesh")

    def _instance(self, handle: Any) -> int:
        return self._number(handle, InstanceHandle, "instance")

    @property
    def meshes(self) -> list[MeshHandle]:
        """The handles of all meshes, in the order in which they were added."""
        return [MeshHandle._make(id, self._token) for id in self._mesh_ids().tolist()]

    @property
    def instances(self) -> dict[InstanceHandle, tuple[MeshHandle, NDArray[np.float32]]]:
        """For each instance its mesh and its (4, 4) matrix, in the order of their numbers."""
        rows = self._instance_rows().view(_INSTANCE_ROW)[..., 0]
        matrices = np.zeros((len(rows), 4, 4), np.float32)
        matrices[:, :3] = rows["transform"]
        matrices[:, 3, 3] = 1
        handles = zip(rows["id"].tolist(), rows["mesh"].tolist(), matrices, strict=True)
        return {
            InstanceHandle._make(id, self._token): (MeshHandle._make(mesh, self._token), matrix)
            for id, mesh, matrix in handles
        }

    # -- meshes and instances --

    def add_mesh(
        self,
        positions: ArrayLike | Mesh,
        indices: ArrayLike | None = None,
        *,
        deforming: bool | Mapping[str, Any] = False,
        builder: TreeBuilder | str = "hploc",
    ) -> MeshHandle:
        """Add a mesh; the next update builds its tree.

        Parameters
        ----------
        positions : (V, 3) array_like or Mesh
            Metres; rounded to float32. Triangles with a vertex that is NaN, infinite or beyond
            2**60 are inactive: rays pass through them, and nothing else is lost.
        indices : (T, 3) or (3 T,) array_like of int, optional
            Rows of positions; none at all is fine. None: each three positions are a triangle, or
            those of the Mesh.
        deforming : bool or dict, optional
            True: poses are taken. ``{"bounds": (x0, y0, z0, x1, y1, z1)}``: they are said to stay
            in this box; :meth:`mesh_status` tells of one that does not. True alone: the box of the
            rest pose.
        builder : TreeBuilder or str, optional
            Of the first tree. Rebuilds are by ``"hploc"`` where it is ``"sah"``.

        Returns
        -------
        MeshHandle
            Stable over rebuilds, and never used again.

        Raises
        ------
        ValueError
            A wrong shape, an index out of range, bounds that are no box.
        TypeError
            A wrong dtype.
        """
        source: Any = positions
        if indices is None and hasattr(source, "positions") and hasattr(source, "indices"):
            source, indices = source.positions, source.indices
        points = _as_f32(source, "positions")
        if points.size == 0:
            points = points.reshape(0, 3)
        is_deforming, bounds = _deforming_of(deforming)
        kind = kind_of(TreeBuilder, builder, "builder")
        rows = _as_indices(indices, len(points))
        number = self._add_mesh(points, rows, is_deforming, bounds, int(kind))
        return MeshHandle._make(number, self._token)

    def add_instance(self, mesh: MeshHandle, transform: ArrayLike | None = None) -> InstanceHandle:
        """Place a mesh.

        Parameters
        ----------
        mesh : MeshHandle
        transform : (4, 4) or (3, 4) array_like, optional
            From the mesh to the world, acting on column vectors; mirroring is fine. None: as it is.

        Returns
        -------
        InstanceHandle
            The number that hits give.

        Raises
        ------
        ValueError
            The matrix is not finite, not affine or has no inverse; the handle is removed or
            foreign.
        """
        matrix = np.eye(4) if transform is None else _as_matrices(transform, "transform")
        if matrix.ndim != 2:
            raise ValueError(
                f"transform must be one matrix, got shape {matrix.shape}; add_instances takes many"
            )
        first = self._add_instances(self._mesh(mesh), matrix[None])
        return InstanceHandle._make(first, self._token)

    def add_instances(self, mesh: MeshHandle, transforms: ArrayLike) -> list[InstanceHandle]:
        """Place a mesh many times: all or none.

        Parameters
        ----------
        mesh : MeshHandle
        transforms : (N, 4, 4) or (N, 3, 4) array_like

        Returns
        -------
        list of InstanceHandle
            In the order of the matrices.

        Raises
        ------
        ValueError
            As `add_instance`.
        """
        matrices = _as_matrices(transforms, "transforms")
        if matrices.ndim != 3:
            raise ValueError(f"transforms must be (N, 4, 4) or (N, 3, 4), got {matrices.shape}")
        first = self._add_instances(self._mesh(mesh), matrices)
        return [InstanceHandle._make(first + i, self._token) for i in range(len(matrices))]

    def set_transform(self, instance: InstanceHandle, transform: ArrayLike) -> None:
        """Move an instance.

        Parameters
        ----------
        instance : InstanceHandle
        transform : (4, 4) or (3, 4) array_like
            As in :meth:`add_instance`.

        Raises
        ------
        ValueError
            As `add_instance`; the instance stays where it was.
        """
        matrix = _as_matrices(transform, "transform")
        self._set_transform(self._instance(instance), matrix[None] if matrix.ndim == 2 else matrix)

    def remove(self, handle: MeshHandle | InstanceHandle) -> None:
        """Take an instance away, or a mesh with all its instances.

        Raises
        ------
        ValueError
            It was removed before, or belongs to another SceneTrees.
        TypeError
            A plain number, which could be either.
        """
        if isinstance(handle, MeshHandle):
            self._remove_mesh(self._mesh(handle))
        elif isinstance(handle, InstanceHandle):
            self._remove_instance(self._instance(handle))
        else:
            raise TypeError(
                "handle must be what add_mesh or add_instance gave, got "
                f"{type(handle).__name__}"
            )

    # -- poses --

    def set_pose(
        self,
        mesh: MeshHandle,
        buffer: Buffer,
        *,
        vertex_count: int,
        stride_floats: int = 3,
        offset_floats: int = 0,
        dirty: ArrayLike | None = None,
    ) -> None:
        """Say where a deforming mesh's vertices lie from now on; nothing is copied.

        Parameters
        ----------
        mesh : MeshHandle
        buffer : Buffer
            Of the same device, float32, in the mesh's own vertex order. It is kept alive, also when
            it is closed, until the mesh gets another pose.
        vertex_count : int
            That of the mesh.
        stride_floats, offset_floats : int, optional
            From one vertex to the next, and before the first.
        dirty : (V,) array_like of bool, optional
            Which vertices may have moved since the pose before; None: all. Boxes of parts where
            none has are kept.

        Raises
        ------
        ValueError
            Another count than the mesh's, a buffer too small for count, stride and offset, one
            that is closed or of another device; a mesh that does not deform, was removed or is
            foreign.

        Notes
        -----
        Of several poses before an update the newest counts. A later write to the buffer is a new
        pose by itself: rays are refused until the next update.
        """
        self._set_pose(
            self._mesh(mesh), buffer, vertex_count, stride_floats, offset_floats, _as_dirty(dirty)
        )

    def set_pose_cpu(
        self, mesh: MeshHandle, positions: ArrayLike, *, dirty: ArrayLike | None = None
    ) -> None:
        """Give a deforming mesh's vertices as an array.

        Parameters
        ----------
        mesh : MeshHandle
        positions : (V, 3) array_like
            In the mesh's own order; rounded to float32. Copied.
        dirty : (V,) array_like of bool, optional
            As in :meth:`set_pose`.

        Raises
        ------
        ValueError
            Another shape than the mesh's; a mesh that does not deform, was removed or is foreign.
        TypeError
            A dtype that is no number.

        Notes
        -----
        Vertices may be NaN or infinite: rays then pass through the triangles that use them.
        """
        points = _as_f32(positions, "positions")
        if points.size == 0:
            points = points.reshape(0, 3)
        self._set_pose_cpu(self._mesh(mesh), points, _as_dirty(dirty))

    def set_deform_bounds(self, mesh: MeshHandle, bounds: ArrayLike) -> None:
        """Set the box that poses are said to stay in.

        Parameters
        ----------
        mesh : MeshHandle
        bounds : (6,) or (2, 3) array_like
            The low corner, then the high one, in the mesh's own space.

        Raises
        ------
        ValueError
            No box, or one that is not finite; a mesh that does not deform.

        Notes
        -----
        :attr:`MeshStatus.outside_bounds` tells at once whether the last pose lies in it.
        """
        self._set_deform_bounds(self._mesh(mesh), _as_bounds(bounds))

    def rebuild(self, mesh: MeshHandle) -> bool:
        """Ask for a new tree from the newest pose, as after a change that is known to be big.

        The next update begins to build it, one at a time. A mesh of more than 32,768 triangles is
        built beside the updates, and so is any on a Vulkan device: its tree is placed by a later
        one, refit to the newest pose by then.

        Returns
        -------
        bool
            False when there is nothing to rebuild from: the mesh does not deform, has had no pose,
            or has no tree yet.
        """
        return self._rebuild(self._mesh(mesh))

    # -- update --

    def update(self) -> UpdateResult:
        """Commit all changes: build new meshes, refit posed ones and the top level, and begin at
        most one rebuild or probe.

        Returns
        -------
        UpdateResult

        Raises
        ------
        ValueError
            The device is closed, or another thread is at work.
        DeviceLost
            The driver gave the device up.
        """
        refits, rebuilds, probes, rows = self._update()
        builds = [
            BuildEvent(MeshHandle._make(mesh, self._token), cause != "first", cause, *rest)
            for mesh, cause, *rest in rows
        ]
        return UpdateResult(refits, rebuilds, probes, builds)

    # -- what is known --

    def drift_ratio(self, mesh: MeshHandle) -> float:
        """Area of the tree's inner nodes over that of its root, over the same as built.

        Sampled at most every `sample_every` updates of a posed mesh; 1 before the first sample.
        """
        return self._drift(self._mesh(mesh))[0]

    def drift(self, mesh: MeshHandle) -> Drift:
        """How far the tree of a mesh is from a good one, as of its last sample.

        Ratios are 1 before the first one, and of meshes that do not deform.
        """
        return Drift(*self._drift(self._mesh(mesh)))

    @property
    def deforming_counts(self) -> DeformingCounts:
        """What has happened to deforming meshes since the SceneTrees was made."""
        return DeformingCounts(*self._counts())

    def mesh_status(self, mesh: MeshHandle) -> MeshStatus:
        """What is known of a mesh. May wait for the device."""
        row = self._status(self._mesh(mesh))
        built, building, posed = row.pop("built"), row.pop("building"), row.pop("posed")
        state = "current"
        if not built:
            state = "new"
        elif posed:
            state = "posed"
        elif building:
            state = "building"
        row["bounds"] = _box_of(row["bounds"])
        row["deform_bounds"] = _box_of(row["deform_bounds"])
        row["builder"] = TreeBuilder(row["builder"])
        return MeshStatus(state=state, **row)

    def bounds(self, mesh: MeshHandle | None = None) -> NDArray[np.float64] | None:
        """(2, 3) float64: a box around a mesh as posed, in its own space, or around all instances.

        None when there is nothing. May wait for the device. Around all instances it takes a scene
        that is current: else a ValueError says so.
        """
        return _box_of(self._bounds()) if mesh is None else self.mesh_status(mesh).bounds

    def vertices(self, mesh: MeshHandle) -> NDArray[np.float32]:
        """(V, 3) float32: a copy of the newest pose. May wait for the device."""
        return self._vertices(self._mesh(mesh))

    def layout(self, mesh: MeshHandle) -> TreeLayout:
        """A copy of the tree of a mesh, as refit by the last update.

        ValueError before the update that builds it. May wait for the device.
        """
        return TreeLayout._of(self._layout(self._mesh(mesh)))

    def boxes(self, mesh: MeshHandle, level: int) -> NDArray[np.float64]:
        """(B, 2, 3): the boxes of a level of a mesh's tree, in its own space; `TreeLayout.boxes`.

        The root's is level 0. May wait for the device.
        """
        return self.layout(mesh).boxes(level)

    # -- rays --

    def trace(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        t_min: float = 0.0,
        t_max: float = float("inf"),
        steps: bool = False,
    ) -> Hits:
        """Find the nearest hit of each ray.

        Parameters
        ----------
        origins, directions : (..., 3) array_like
            Metres; broadcast against each other and rounded to float32. Directions are of any
            length. A ray that is not finite, or has no direction, misses.
        t_min, t_max : float, optional
            Hits lie between, in lengths of the direction. 0 <= t_min <= t_max.
        steps : bool, optional
            Count the nodes that each ray visits, too.

        Returns
        -------
        Hits
            Arrays of the rays' leading shape. A miss: t infinite, ids -1, u and v 0. Of equal
            distances the lower instance, then the lower primitive wins. Both sides of a triangle
            are met.

        Raises
        ------
        ValueError
            Something has changed since the last update, or there was none; shapes that do not fit.
        TypeError
            A dtype that is no number.
        """
        shape, starts, ways = _as_rays(origins, directions)
        *found, counted = self._trace(
            starts, ways, as_number(t_min, "t_min"), as_number(t_max, "t_max"), steps
        )
        hits = Hits(*(array.reshape(shape) for array in found))
        if steps:
            hits.steps = counted.reshape(shape)
        return hits

    def occluded(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        *,
        t_min: float = 0.0,
        t_max: float = float("inf"),
    ) -> NDArray[np.bool_]:
        """Whether anything lies on each ray: bool of the rays' leading shape.

        Takes what :meth:`trace` takes and raises what it raises, and is faster.
        """
        shape, starts, ways = _as_rays(origins, directions)
        found = self._occluded(
            starts, ways, as_number(t_min, "t_min"), as_number(t_max, "t_max")
        )
        return found.reshape(shape)


def _count(value: Any, name: str) -> int:
    number = as_whole(value, name)
    if not 0 <= number < 2**32:
        raise ValueError(f"{name} must be 0 to 2**32 - 1 updates, got {value!r}")
    return number


def _as_rays(
    origins: Any, directions: Any
) -> tuple[tuple[int, ...], np.ndarray, np.ndarray]:
    """The rays' leading shape, and (N, 3) float32 of both."""
    parts: Sequence[np.ndarray] = (
        _as_f32(origins, "origins"),
        _as_f32(directions, "directions"),
    )
    for part, name in zip(parts, ("origins", "directions"), strict=True):
        if part.ndim < 1 or part.shape[-1] != 3:
            raise ValueError(f"{name} must have shape (..., 3), got {part.shape}")
    try:
        shape = np.broadcast_shapes(parts[0].shape, parts[1].shape)
    except ValueError:
        raise ValueError(
            f"origins and directions do not fit: shapes {parts[0].shape} and {parts[1].shape}"
        ) from None
    starts, ways = (
        np.ascontiguousarray(np.broadcast_to(part, shape).reshape(-1, 3)) for part in parts
    )
    return shape[:-1], starts, ways
