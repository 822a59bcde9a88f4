# SPDX-License-Identifier: MIT
"""A tree as arrays: its nodes, triangles and boxes, outside of any scene."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .kinds import NodeFormat
from .layouts import records

__all__ = ["TreeLayout", "refit_layout_to_pose"]

_LEAF = 0x80000000
_NONE = 0xFFFFFFFF


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TreeLayout:
    """A tree of boxes over the triangles of a mesh; ``nodes, triangles = layout`` takes it apart.

    Node 0 is the root, a child lies behind its parent. Nodes and triangles lie in treelets: parts
    of the tree of at most 256 triangles and lower treelets, each one run of nodes and one of
    triangles.

    Attributes
    ----------
    nodes : (N, 2) structured
        Left and right child of each node. Quantized: ``x``, ``y``, ``z`` hold the low plane in bits
        0 to 15 and the high plane in bits 16 to 31, ``ref``. Float32: ``low`` and ``high``, (3,),
        and ``ref``. A ref below 2**31 is a node; all bits set: no child; else a leaf, its first
        triangle in bits 0 to 27 and its triangle count less 1 in bits 28 to 30.
    triangles : (T,) structured
        In the order of the leaves: ``vertices`` (3,), and ``primitive``, the row of the indices.
    treelets : (K,) structured
        ``first_node``, ``node_count``, ``first_triangle``, ``triangle_count``; the highest level
        first.
    shape, frame : structured scalars
        Counts and depth; grid and scale. Planes lie at ``origin + q * step``.
    used : (ceil(V / 32),) uint32 or None
        A bit for each vertex that a triangle names; None: all are used.
    """

    nodes: np.ndarray
    triangles: np.ndarray
    treelets: np.ndarray
    shape: np.void
    frame: np.void
    used: np.ndarray | None
    _parts: dict[str, Any]

    @classmethod
    def _of(cls, parts: dict[str, Any]) -> TreeLayout:
        """The arrays that the core gives, told apart by their sizes."""
        is_f32 = parts["nodes"].shape[-1] == 8
        return cls(
            records(parts["nodes"], "dw_tree_child_f32" if is_f32 else "dw_tree_child"),
            records(parts["triangles"], "dw_tree_triangle"),
            records(parts["treelets"], "dw_tree_treelet"),
            records(parts["shape"].view(np.uint8)[None], "dw_tree_shape")[0],
            records(parts["frame"].view(np.uint8)[None], "dw_tree_frame")[0],
            parts.get("used"),
            parts,
        )

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.nodes, self.triangles))

    @property
    def node_format(self) -> NodeFormat:
        """How boxes are stored."""
        return NodeFormat.F32 if "low" in (self.nodes.dtype.names or ()) else NodeFormat.QUANTIZED

    @property
    def nbytes(self) -> int:
        """Bytes of nodes, triangles, treelets and used bits."""
        used = 0 if self.used is None else self.used.nbytes
        return self.nodes.nbytes + self.triangles.nbytes + self.treelets.nbytes + used

    @property
    def child_boxes(self) -> np.ndarray:
        """(N, 2, 2, 3) float64: low and high corner of each child; NaN where it is empty."""
        if self.node_format == NodeFormat.F32:
            boxes = np.stack([self.nodes["low"], self.nodes["high"]], axis=-2).astype(np.float64)
        else:
            words = np.stack([self.nodes[axis] for axis in "xyz"], axis=-1)
            planes = np.stack([words & 0xFFFF, words >> 16], axis=-2)
            # As rays decode them: two roundings to float32.
            offsets = planes.astype(np.float32) * self.frame["step"]
            boxes = (self.frame["origin"] + offsets).astype(np.float64)
            boxes = np.where(planes[..., :1, :] > planes[..., 1:, :], np.nan, boxes)
        is_empty = ~(boxes[..., 0, :] <= boxes[..., 1, :]).all(axis=-1)
        boxes[is_empty] = np.nan
        return boxes

    def boxes(self, level: int) -> np.ndarray:
        """Boxes that lie so many steps below the root, and leaves above.

        Parameters
        ----------
        level : int
            0: the root's box alone. At `shape["depth"]` and below: all leaves.

        Returns
        -------
        (B, 2, 3) float64
            Low and high corners; empty boxes are left out.

        Raises
        ------
        ValueError
            A negative level.
        """
        if level < 0:
            raise ValueError(f"level must be 0 or more, got {level!r}")
        children = self.child_boxes
        kept = children[0].reshape(-1, 3)
        if level == 0:
            kept = kept[np.isfinite(kept).all(axis=1)]
            ends = [kept.min(axis=0), kept.max(axis=0)] if len(kept) else []
            return np.array(ends, np.float64).reshape(-1, 2, 3)
        found, here = [], np.zeros(1, np.int64)
        level = min(level, max(int(self.shape["depth"]), 1))
        for step in range(1, level + 1):
            refs, boxes = self.nodes["ref"][here].ravel(), children[here].reshape(-1, 2, 3)
            is_node = refs < _LEAF
            found.append(boxes if step == level else boxes[~is_node])
            here = refs[is_node].astype(np.int64)
        every = np.concatenate(found)
        return every[np.isfinite(every).all(axis=(1, 2))]

    def __repr__(self) -> str:
        word = self.node_format.name.lower()
        return (
            f"<TreeLayout {len(self.triangles):,} triangles, {len(self.nodes):,} {word} nodes, "
            f"depth {int(self.shape['depth'])}, {len(self.treelets):,} treelets>"
        )


def refit_layout_to_pose(
    layout: TreeLayout, positions: ArrayLike, *, dirty: ArrayLike | None = None
) -> TreeLayout:
    """A tree with the boxes that other vertex positions give it; its shape stays.

    Parameters
    ----------
    layout : TreeLayout
        It stays as it is.
    positions : (V, 3) float32 or float64
        Where the mesh's vertices are now; float64 is rounded once. Triangles with a vertex that is
        not finite, or beyond 2**60, get empty boxes.
    dirty : (V,) bool, optional
        Vertices that may have moved since the layout was refit; the others are taken to be where
        they were. None: all may have moved.

    Returns
    -------
    TreeLayout

    Raises
    ------
    TypeError, ValueError
        No layout; a wrong dtype, shape, or number of vertices.
    """
    if not isinstance(layout, TreeLayout):
        raise TypeError(f"layout must be a TreeLayout, got {type(layout).__name__}")
    array = np.asarray(positions)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"positions must hold numbers, got dtype {array.dtype}")
    array = np.ascontiguousarray(array, dtype=np.float32)
    moved = None if dirty is None else np.ascontiguousarray(dirty)
    refit = _core.tree_refit(layout._parts, array, moved)
    return TreeLayout._of({**refit, "used": layout.used})
