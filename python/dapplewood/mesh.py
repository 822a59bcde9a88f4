# SPDX-License-Identifier: MIT
"""Triangle meshes of one material, checked once when they are made."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .materials import Material
from .mesh_math import (
    bounding_sphere,
    face_normals,
    finite_f32,
    index_rows,
    normal_matrix,
    normalized,
    vertex_normals,
)
from .pose import Pose
from .poser import posed

if TYPE_CHECKING:
    from .device import Buffer, Device

__all__ = ["Mesh"]

# Vertices and triangles are counted in 32 bits; the last index is kept for a restart.
_MAX_COUNT = 2**32 - 1
# Squares of coordinates stay within float32, in which culling works.
_MAX_COORDINATE = 1e18
_WAY_OUT = 'a LOD that draws nothing is None in the "lods" of a Forest'
_PER_VERTEX = ("positions", "normals", "uvs", "colors", "tangents", "joints", "weights")
_PER_TARGET = ("targets", "target_normals", "target_tangents")


def _per_vertex(value: Any, name: str, count: int, width: int) -> np.ndarray:
    array = finite_f32(value, name)
    if array.shape != (count, width):
        raise ValueError(f"{name} must be ({count}, {width}), got {array.shape}")
    return array


def _checked_positions(positions: Any) -> np.ndarray:
    array = finite_f32(positions, "positions")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"positions must be (V, 3), got {array.shape}")
    if not len(array):
        raise ValueError(f"positions is empty: a mesh has vertices; {_WAY_OUT}")
    if np.abs(array).max() > _MAX_COORDINATE:
        raise ValueError(
            f"positions must lie within {_MAX_COORDINATE:g} m, got {np.abs(array).max():g}; scale "
            "the mesh to metres"
        )
    if len(array) > _MAX_COUNT:
        raise ValueError(f"positions must have at most {_MAX_COUNT} rows, got {len(array)}")
    return array


def _checked_indices(indices: Any, vertex_count: int) -> np.ndarray:
    """(T, 3) uint32 below `vertex_count`."""
    array = index_rows(indices, vertex_count)
    if len(array) == 0:
        raise ValueError(f"indices is empty: a mesh has triangles; {_WAY_OUT}")
    if len(array) > _MAX_COUNT // 3:
        raise ValueError(f"indices must have at most {_MAX_COUNT // 3} rows, got {len(array)}")
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= vertex_count:
        bad = int(np.flatnonzero(((array < 0) | (array >= vertex_count)).any(axis=1))[0])
        raise ValueError(
            f"indices must lie in 0..{vertex_count - 1}, the rows of positions; triangle {bad} has "
            f"{array[bad].tolist()}"
        )
    return array.astype(np.uint32)


def _checked_colors(colors: Any, count: int) -> np.ndarray:
    """(V, 4) uint8."""
    array = np.asarray(colors)
    if array.ndim != 2 or len(array) != count or array.shape[1] not in (3, 4):
        raise ValueError(f"colors must be ({count}, 4) or ({count}, 3), got {array.shape}")
    if array.dtype.kind == "f":
        array = finite_f32(array, "colors")
        if array.min() < 0.0 or array.max() > 1.0:
            raise ValueError(
                f"colors of a float dtype must lie in [0, 1], got {array.min():g} to "
                f"{array.max():g}; clip them, or use Material.base_color for more"
            )
        array = np.floor(array * np.float32(255.0) + np.float32(0.5)).astype(np.uint8)
    elif array.dtype == np.uint16:
        array = ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    elif array.dtype != np.uint8:
        raise TypeError(f"colors must be uint8, uint16 or float, got {array.dtype}")
    out = np.full((count, 4), 255, np.uint8)
    out[:, : array.shape[1]] = array
    return out


def _checked_skin(joints: Any, weights: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Joints (V, 4 k) uint16 and weights (V, 4 k) float32 whose rows sum to 1."""
    if joints is None or weights is None:
        raise ValueError("joints and weights go together: give both or neither")
    array = np.asarray(joints)
    if array.dtype.kind not in "iu":
        raise TypeError(f"joints must have an integer dtype, got {array.dtype}")
    if array.ndim != 2 or len(array) != count or array.shape[1] % 4 or not array.shape[1]:
        raise ValueError(f"joints must be ({count}, 4 k), got {array.shape}")
    if array.min() < 0 or array.max() > 65535:
        raise ValueError(f"joints must lie in 0..65535, got {array.min()} to {array.max()}")
    shares = finite_f32(weights, "weights").astype(np.float64)
    if shares.shape != array.shape:
        raise ValueError(f"weights must have the shape of joints {array.shape}, got {shares.shape}")
    if shares.min() < 0.0:
        raise ValueError(f"weights must be 0 or more, got {shares.min():g}")
    total = shares.sum(axis=1, keepdims=True)
    shares[total[:, 0] == 0.0, 0] = 1.0  # a vertex that names no share follows its first joint
    shares /= np.where(total == 0.0, 1.0, total)
    return array.astype(np.uint16), shares.astype(np.float32)


def _checked_targets(
    targets: Any, name: str, shape: tuple[int, ...] | None, count: int
) -> np.ndarray:
    array = finite_f32(targets, name)
    if array.ndim != 3 or array.shape[1:] != (count, 3) or not len(array):
        raise ValueError(f"{name} must be (M, {count}, 3), got {array.shape}")
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape of targets {shape}, got {array.shape}")
    return array


class Mesh:
    """Triangles of one material.

    Arrays are copied and checked once; a mesh does not change afterwards. Front faces are
    counter-clockwise.

    Parameters
    ----------
    positions : (V, 3) float
        Metres, right-handed, y up. Finite, within 1e18.
    indices : (T, 3) or (3 T,) int, optional
        Rows of `positions`; None: 0, 1, 2, ...
    normals : (V, 3) float, "smooth", "flat" or None
        Brought to length 1; those of length 0 are computed. None is "smooth": the mean of the
        triangles around a vertex, weighted by area; two vertices at one place keep an edge.
        "flat" gives each triangle vertices of its own.
    uvs : (V, 2) float, optional
        Texture coordinates, (0, 0) the top left corner of the image.
    colors : (V, 4) or (V, 3) uint8, uint16, or float in [0, 1], optional
        Linear multipliers of the base colour; kept as (V, 4) uint8.
    tangents : (V, 4) float, optional
        Direction of u and, in the fourth, the sign of the bitangent. Dropped by "flat".
    joints, weights : (V, 4 k) int and float, optional
        Joints of a skin, 0 to 65535, and their shares: 0 or more, brought to a sum of 1.
    targets : (M, V, 3) float, optional
        Morph targets: displacements of the positions.
    target_normals, target_tangents : (M, V, 3) float, optional
        Displacements of normals and of tangent directions, as many as `targets`.
    target_names : sequence of M str, optional
    morph_weights : (M,) float, optional
        Weights of the targets at rest; 0 if None.
    material : Material, optional
        None: a default Material.
    name : str

    Attributes
    ----------
    positions, indices, normals, uvs, colors, tangents, joints, weights, targets : array or None
        float32 but for indices (uint32), colors (uint8) and joints (uint16).
    material : Material

    Raises
    ------
    ValueError, TypeError
        Shapes that do not fit, NaN or infinity, indices out of range, a mesh of no triangle.
    """

    __slots__ = (
        *_PER_VERTEX, *_PER_TARGET, "indices", "target_names", "morph_weights", "material", "name",
        "_bounds", "_sphere", "_is_made", "__weakref__",
    )  # fmt: skip

    positions: np.ndarray
    indices: np.ndarray
    normals: np.ndarray
    uvs: np.ndarray | None
    colors: np.ndarray | None
    tangents: np.ndarray | None
    joints: np.ndarray | None
    weights: np.ndarray | None
    targets: np.ndarray | None
    target_normals: np.ndarray | None
    target_tangents: np.ndarray | None
    target_names: tuple[str, ...]
    morph_weights: np.ndarray | None
    material: Material
    name: str

    def __init__(
        self,
        positions: Any,
        indices: Any = None,
        *,
        normals: Any = None,
        uvs: Any = None,
        colors: Any = None,
        tangents: Any = None,
        joints: Any = None,
        weights: Any = None,
        targets: Any = None,
        target_normals: Any = None,
        target_tangents: Any = None,
        target_names: Sequence[str] | None = None,
        morph_weights: Any = None,
        material: Material | None = None,
        name: str = "",
    ) -> None:
        if material is not None and not isinstance(material, Material):
            raise TypeError(f"material must be a Material, got {type(material).__name__}")
        self.material = Material() if material is None else material
        self.name = str(name)
        self._bounds: np.ndarray | None = None
        self._sphere: np.ndarray | None = None
        self.positions = _checked_positions(positions)
        count = len(self.positions)
        self.indices = _checked_indices(indices, count)
        self.uvs = None if uvs is None else _per_vertex(uvs, "uvs", count, 2)
        self.colors = None if colors is None else _checked_colors(colors, count)
        self.tangents = None if tangents is None else _per_vertex(tangents, "tangents", count, 4)
        self.joints, self.weights = None, None
        if joints is not None or weights is not None:
            self.joints, self.weights = _checked_skin(joints, weights, count)
        self._take_targets(targets, target_normals, target_tangents, target_names, morph_weights)
        self._take_normals(normals)
        for field in (*_PER_VERTEX, *_PER_TARGET, "indices", "morph_weights"):
            if (array := getattr(self, field)) is not None:
                array.setflags(write=False)
        self._is_made = True

    def __setattr__(self, name: str, value: Any) -> None:
        # Forests and devices hold what a mesh was; a change would reach some of them only.
        if getattr(self, "_is_made", False) and name not in ("_bounds", "_sphere"):
            raise AttributeError(
                f"a Mesh does not change; mesh.replace({name}=...) gives another with it changed"
            )
        super().__setattr__(name, value)

    def _take_targets(
        self, targets: Any, normals: Any, tangents: Any, names: Any, weights: Any
    ) -> None:
        self.targets = self.target_normals = self.target_tangents = self.morph_weights = None
        self.target_names = ()
        extras = {"target_normals": normals, "target_tangents": tangents}
        if targets is None:
            given = {**extras, "target_names": names or None, "morph_weights": weights}
            for name, value in given.items():
                if value is not None:
                    raise ValueError(f"{name} needs targets; give targets too, or leave it out")
            return
        count = len(self.positions)
        self.targets = _checked_targets(targets, "targets", None, count)
        for name, value in extras.items():
            if value is not None:
                setattr(self, name, _checked_targets(value, name, self.targets.shape, count))
        total = len(self.targets)
        self.target_names = tuple(map(str, names or (f"target{i}" for i in range(total))))
        if len(self.target_names) != total:
            raise ValueError(f"target_names must have {total} names, got {len(self.target_names)}")
        weights = np.zeros(total, np.float32) if weights is None else weights
        self.morph_weights = finite_f32(weights, "morph_weights")
        if self.morph_weights.shape != (total,):
            raise ValueError(f"morph_weights must be ({total},), got {self.morph_weights.shape}")

    def _take_normals(self, normals: Any) -> None:
        if isinstance(normals, str):
            if normals not in ("smooth", "flat"):
                raise ValueError(f'normals must be an array, "smooth" or "flat", got {normals!r}')
            if normals == "flat":
                self._split_triangles()
                return
            normals = None
        if normals is None:
            self.normals = vertex_normals(self.positions, self.indices)
            return
        given = _per_vertex(normals, "normals", len(self.positions), 3)
        self.normals, is_short = normalized(given)
        if is_short.any():
            self.normals[is_short] = vertex_normals(self.positions, self.indices)[is_short]

    def _split_triangles(self) -> None:
        flat = self.indices.reshape(-1)
        self.tangents = self.target_tangents = self.target_normals = None
        for field in ("positions", "uvs", "colors", "joints", "weights"):
            if (array := getattr(self, field)) is not None:
                setattr(self, field, array[flat])
        if self.targets is not None:
            self.targets = self.targets[:, flat]
        self.indices = np.arange(len(flat), dtype=np.uint32).reshape(-1, 3)
        self.normals = np.repeat(face_normals(self.positions, self.indices), 3, axis=0)

    @property
    def vertex_count(self) -> int:
        return len(self.positions)

    @property
    def triangle_count(self) -> int:
        return len(self.indices)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        fields = (*_PER_VERTEX, *_PER_TARGET, "indices")
        arrays = (getattr(self, field) for field in fields)
        return sum(array.nbytes for array in arrays if array is not None)

    @property
    def bounds(self) -> np.ndarray:
        """(2, 3) float32: least and greatest corner of the vertices that triangles use."""
        if self._bounds is None:
            used = self._used_positions()
            self._bounds = np.stack([used.min(axis=0), used.max(axis=0)])
            self._bounds.setflags(write=False)
        return self._bounds

    @property
    def bounding_sphere(self) -> np.ndarray:
        """(4,) float32: x, y, z of the centre and the radius.

        Every used vertex lies inside, in exact arithmetic on the float32 values; the radius is
        within about 1 % of the least one.
        """
        if self._sphere is None:
            self._sphere = bounding_sphere(self._used_positions())
            self._sphere.setflags(write=False)
        return self._sphere

    def _used_positions(self) -> np.ndarray:
        is_used = np.zeros(len(self.positions), bool)
        is_used[self.indices.reshape(-1)] = True
        return self.positions if is_used.all() else self.positions[is_used]

    def arguments(self) -> dict[str, Any]:
        """The arguments that make this mesh again, by name."""
        names = (*_PER_VERTEX, *_PER_TARGET, "indices", "morph_weights", "material", "name")
        found = {name: getattr(self, name) for name in names}
        return {**found, "target_names": self.target_names or None}

    def replace(self, **changes: Any) -> Mesh:
        """This mesh with some of its arguments changed, as ``mesh.replace(material=bark)``.

        New positions or indices keep the normals unless `normals` is given: "smooth" computes
        them.
        """
        return Mesh(**{**self.arguments(), **changes})

    def posed(
        self,
        pose_or_matrices: Pose | Any = None,
        morph_weights: Any = None,
        *,
        device: Device | None = None,
        out: np.ndarray | Buffer | None = None,
        normals: bool | np.ndarray | Buffer = False,
        skin: int | None = None,
        node: int | None = None,
        stride_floats: int = 3,
        offset_floats: int = 0,
        normals_stride_floats: int = 3,
        normals_offset_floats: int = 0,
    ) -> Any:
        """The vertices in a pose: morph targets are added, then the joints' matrices blended.

        The bytes are the same on every device. They lie within 1e-5 of the mesh's size of the
        exact ones; coordinates below 2^-40 of the largest count as 0. What the mesh brings stays
        on the device until the mesh is dropped or the device closed, so that a further pose costs
        its matrices and weights only.

        Parameters
        ----------
        pose_or_matrices : Pose, (J, 4, 4) or (4, 4) float, optional
            What `Model.pose` gives, or affine matrices that act on column vectors: one for each
            joint of the skin; more than `joints` uses are fine. A mesh without joints is moved by
            one (4, 4), and not by a Pose, whose `node_matrices` place it. None: as it was bound.
        morph_weights : (M,) float, optional
            Weights of the morph targets, within 1e6. None: those of the Pose, else the mesh's own.
        device : Device, optional
            None: that of a Buffer below, else `default_device`.
        out : (V, 3) float32 ndarray or Buffer, optional
            Where positions go. An array may have any stride from row to row. What goes into a
            Buffer stays on its device, and is not waited for. None: a new array.
        normals : bool, (V, 3) float32 ndarray or Buffer
            Whether normals are wanted, or where they go; True: a new array, or where `out` is a
            Buffer, a new Buffer. They have length 1, or are 0 where a pose flattens all around
            a vertex. Targets turn them only if the mesh has `target_normals`.
        skin : int, optional
            Which skin of a Pose with several moves the mesh.
        node : int, optional
            Which node's weights of a Pose are those of the mesh, where several have as many.
        stride_floats, offset_floats : int
            Of a Buffer: floats from one vertex to the next, at least 3, and before the first.
        normals_stride_floats, normals_offset_floats : int
            Likewise for normals, which may lie between the positions of one Buffer.

        Returns
        -------
        ndarray or Buffer
            `out`; with normals a tuple of both.

        Raises
        ------
        ValueError
            Too few matrices; ones that are not affine or not finite, or take vertices beyond 1e30;
            a wrong number of weights; a Pose that leaves open which skin or node is meant; an
            output of another shape, too small, closed, or on another device.
        TypeError
            Arrays that do not hold numbers; outputs that are neither an array nor a Buffer.
        """
        places = (stride_floats, offset_floats, normals_stride_floats, normals_offset_floats)
        return posed(
            self, pose_or_matrices, morph_weights, device, out, normals, skin, node, places
        )

    def transformed(self, matrix: Any) -> Mesh:
        """The mesh with its vertices moved by a matrix.

        Parameters
        ----------
        matrix : (4, 4) float
            Affine and invertible, acting on column vectors. One that mirrors turns the triangles
            round, so that front faces stay front faces.

        Returns
        -------
        Mesh

        Raises
        ------
        ValueError
            The matrix is not affine, not finite or singular, or the mesh has a skin, whose inverse
            bind matrices would no longer fit.
        """
        if self.joints is not None:
            raise ValueError(
                "a skinned mesh is not moved by its vertices: move its instance, or take the skin "
                "off by mesh.replace(joints=None, weights=None)"
            )
        linear, offset = _affine(matrix)
        turn = normal_matrix(linear)
        indices = self.indices if np.linalg.det(linear) > 0 else self.indices[:, ::-1]
        arguments = self.arguments()
        for name in ("targets", "target_tangents"):
            if (array := arguments[name]) is not None:
                arguments[name] = array @ linear.T
        if self.target_normals is not None:
            arguments["target_normals"] = self.target_normals @ turn.T
        if self.tangents is not None:
            tangents = self.tangents.astype(np.float64)
            tangents[:, :3] = normalized(tangents[:, :3] @ linear.T)[0]
            tangents[:, 3] *= math.copysign(1.0, np.linalg.det(linear))
            arguments["tangents"] = tangents
        arguments["positions"] = self.positions @ linear.T + offset
        arguments["normals"] = self.normals @ turn.T
        arguments["indices"] = indices
        return Mesh(**arguments)

    @staticmethod
    def merge(meshes: Iterable[Mesh], *, material: Material | None = None, name: str = "") -> Mesh:
        """One mesh of several.

        Where only some have uvs or colors, the others get 0 and white; tangents are kept where all
        have them.

        Parameters
        ----------
        meshes : iterable of Mesh
            Of one material, without skins and morph targets.
        material : Material, optional
            The material of the result, whatever those of the meshes.
        name : str

        Returns
        -------
        Mesh

        Raises
        ------
        ValueError
            No mesh, several materials, or a mesh that deforms.
        """
        parts = list(meshes)
        if not parts:
            raise ValueError(f"meshes is empty; {_WAY_OUT}")
        for i, part in enumerate(parts):
            if not isinstance(part, Mesh):
                raise TypeError(f"meshes[{i}] must be a Mesh, got {type(part).__name__}")
            if part.joints is not None or part.targets is not None:
                raise ValueError(f"meshes[{i}] has a skin or morph targets; keep it by itself")
            if material is None and part.material is not parts[0].material:
                raise ValueError(
                    f"meshes[{i}] has another material object than meshes[0]; merge those of one "
                    "material, or give material="
                )
        return _merged(parts, parts[0].material if material is None else material, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.arguments(),)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        optional = ("uvs", "colors", "tangents")
        extras = [field for field in optional if getattr(self, field) is not None]
        if self.joints is not None:
            extras.append("skin")
        if self.targets is not None:
            extras.append(f"{len(self.targets)} morph targets")
        size = self.bounds[1].astype(np.float64) - self.bounds[0]
        return (
            f"<Mesh{name} {self.vertex_count} vertices, {self.triangle_count} triangles, "
            f"{' x '.join(f'{edge:.3g}' for edge in size)} m"
            f"{''.join(f', {extra}' for extra in extras)}>"
        )

    def _repr_html_(self) -> str:
        low, high = self.bounds
        sphere = self.bounding_sphere
        rows = {
            "vertices": f"{self.vertex_count}",
            "triangles": f"{self.triangle_count}",
            "bounds": f"{low.tolist()} to {high.tolist()} m",
            "bounding sphere": f"radius {sphere[3]:.4g} m",
            "material": f"{self.material.name or 'unnamed'}, {self.material.alpha_mode}",
            "morph targets": ", ".join(self.target_names),
            "memory": f"{self.nbytes / 1024:.1f} KiB",
        }
        cells = "".join(
            f"<tr><th>{html.escape(key)}</th><td>{html.escape(value)}</td></tr>"
            for key, value in rows.items()
            if value
        )
        caption = html.escape(self.name or "Mesh")
        return f"<table><caption>{caption}</caption>{cells}</table>"


def _remade(arguments: dict[str, Any]) -> Mesh:
    return Mesh(**arguments)


def _affine(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """The (3, 3) and the offset of an invertible affine matrix, in float64."""
    array = np.asarray(matrix, np.float64)
    if array.shape != (4, 4):
        raise ValueError(f"matrix must be (4, 4), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("matrix must be finite")
    if array[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
        raise ValueError(
            f"matrix must be affine, its last row 0 0 0 1, got {array[3].tolist()}; matrices act "
            "on column vectors: transpose one that acts on rows"
        )
    scale = np.abs(array[:3, :3]).max()
    if scale == 0.0 or abs(np.linalg.det(array[:3, :3] / scale)) < 1e-12:
        raise ValueError("matrix is singular: it flattens the mesh")
    return array[:3, :3], array[:3, 3]


def _merged(parts: list[Mesh], material: Material, name: str) -> Mesh:
    starts = np.cumsum([0, *(part.vertex_count for part in parts)])
    if starts[-1] > _MAX_COUNT:
        raise ValueError(f"meshes have {starts[-1]} vertices, more than {_MAX_COUNT}")

    def joined(field: str, width: int, missing: int) -> np.ndarray | None:
        arrays = [getattr(part, field) for part in parts]
        kinds = {array.dtype for array in arrays if array is not None}
        if not kinds:
            return None
        return np.concatenate(
            [
                np.full((part.vertex_count, width), missing, *kinds) if array is None else array
                for part, array in zip(parts, arrays)
            ]
        )

    has_tangents = all(part.tangents is not None for part in parts)
    return Mesh(
        np.concatenate([part.positions for part in parts]),
        np.concatenate(
            [part.indices.astype(np.int64) + start for part, start in zip(parts, starts)]
        ),
        normals=np.concatenate([part.normals for part in parts]),
        uvs=joined("uvs", 2, 0),
        colors=joined("colors", 4, 255),
        tangents=joined("tangents", 4, 0) if has_tangents else None,
        material=material,
        name=name,
    )
