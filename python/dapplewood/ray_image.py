# SPDX-License-Identifier: MIT
"""Pictures by rays: what a camera sees of a scene's trees, without a renderer."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .checks import as_whole
from .io.png import encode_png

if TYPE_CHECKING:
    from .trees import SceneTrees

__all__ = ["KINDS", "TraceImage", "trace_image"]

KINDS = ("shaded", "depth", "normals", "instance", "primitive", "steps")
_BLOCK = 8  # pixels along a side of what is traced together
_GOLDEN = 0.6180339887498949
_BACKGROUND = (27, 31, 36)
_LIGHT = np.array([0.45, 0.8, 0.4]) / np.linalg.norm([0.45, 0.8, 0.4])


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TraceImage:
    """What a camera's rays hit.

    Attributes
    ----------
    depth : (H, W) float32
        Metres along the line of sight; infinite where nothing is, as in `Frame.depth`.
    instance, primitive : (H, W) int32
        Handle of the instance and row of its mesh's indices; -1 where nothing is.
    u, v : (H, W) float32
        Weights of the triangle's second and third vertex.
    normals : (H, W, 3) float32
        Of the triangle's plane in the world, of length 1, towards the camera; 0 where nothing is.
    steps : (H, W) uint32
        Nodes that the pixel's ray visited.
    """

    depth: np.ndarray
    instance: np.ndarray
    primitive: np.ndarray
    u: np.ndarray
    v: np.ndarray
    normals: np.ndarray
    steps: np.ndarray

    def picture(self, kind: str = "shaded") -> np.ndarray:
        """One of the arrays as (H, W, 4) uint8, sRGB.

        Parameters
        ----------
        kind : {"shaded", "depth", "normals", "instance", "primitive", "steps"}
            "shaded": each instance in a colour of its own under one lamp. "steps": dark is cheap,
            from 0 to the greatest number.

        Raises
        ------
        ValueError
            Another kind.
        """
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        height, width = self.depth.shape
        picture = np.empty((height, width, 4), np.uint8)
        picture[...] = (*_BACKGROUND, 255)
        is_hit = self.instance >= 0
        if kind == "steps":
            share = self.steps / max(int(self.steps.max(initial=0)), 1)
            picture[..., :3] = _heat(share)
        elif is_hit.any():
            picture[is_hit, :3] = self._colors(kind, is_hit)
        return picture

    def _colors(self, kind: str, is_hit: np.ndarray) -> np.ndarray:
        """(N, 3) uint8 of the pixels that show something."""
        if kind == "depth":
            depth = self.depth[is_hit]
            low, high = float(depth.min()), float(depth.max())
            grey = 235.0 - 190.0 * (depth - low) / max(high - low, 1e-30)
            return np.repeat(grey[:, None], 3, axis=1).astype(np.uint8)
        normals = self.normals[is_hit]
        if kind == "normals":
            return np.clip(127.5 + 127.5 * normals, 0.0, 255.0).astype(np.uint8)
        if kind == "primitive":
            return _hues(self.primitive[is_hit])
        colors = _hues(self.instance[is_hit])
        if kind == "instance":
            return colors
        light = 0.35 + 0.65 * np.clip(0.5 + 0.5 * (normals @ _LIGHT), 0.0, 1.0) ** 1.5
        return (colors * light[:, None]).astype(np.uint8)

    def save(self, path: str | os.PathLike[str], kind: str = "shaded") -> None:
        """Write `picture(kind)`, in the format of the path's suffix, such as .png."""
        from .io import write_image

        write_image(path, self.picture(kind), color_space="srgb")

    def _repr_png_(self) -> bytes:
        return encode_png(self.picture())

    def __repr__(self) -> str:
        height, width = self.depth.shape
        share = 100.0 * float((self.instance >= 0).mean())
        return f"TraceImage({width} x {height}, {share:.0f} % covered)"


def _hues(numbers: np.ndarray) -> np.ndarray:
    """(N, 3) uint8 colours, far apart for numbers that follow each other."""
    phase = 2.0 * np.pi * np.mod(numbers[:, None] * _GOLDEN + np.array([0.08, 0.41, 0.74]), 1.0)
    return (158.0 + 52.0 * np.cos(phase)).astype(np.uint8)


def _heat(share: np.ndarray) -> np.ndarray:
    """(..., 3) uint8 from black over red and yellow to white."""
    return (255.0 * np.clip(3.0 * share[..., None] - np.arange(3), 0.0, 1.0)).astype(np.uint8)


def _blocks(width: int, height: int) -> np.ndarray:
    """Pixel numbers in the order of square blocks: rays that follow each other go alike."""
    y, x = np.divmod(np.arange(width * height), width)
    key = ((y // _BLOCK) * (-(-width // _BLOCK)) + x // _BLOCK) * _BLOCK * _BLOCK
    return np.argsort(key + (y % _BLOCK) * _BLOCK + x % _BLOCK, kind="stable")


def trace_image(
    trees: SceneTrees, camera: Any, *, size: tuple[int, int] = (960, 540)
) -> TraceImage:
    """What a camera sees of a scene's trees, one ray through the centre of each pixel.

    Needs no Vulkan device. Pixels whose centre lies inside a triangle show what the renderer's
    `Frame.ids` show there.

    Parameters
    ----------
    trees : SceneTrees
        As its last `update` left it.
    camera : Camera or OrthoCamera
        Its near and far planes bound the rays.
    size : (width, height)
        Pixels.

    Returns
    -------
    TraceImage

    Raises
    ------
    ValueError
        Not two sides, or one below 1; the trees are due for an `update`.
    TypeError
        Sides that are no whole numbers.
    """
    if np.shape(size) != (2,):
        raise ValueError(f"size must be (width, height), got {size!r}")
    width, height = (as_whole(side, "size") for side in size)
    origins, directions = camera.rays(width, height)
    order = _blocks(width, height)
    hits = trees.trace(
        origins.reshape(-1, 3)[order],
        directions.reshape(-1, 3)[order],
        t_min=camera.near,
        t_max=camera.far,
        steps=True,
    )

    def back(array: np.ndarray) -> np.ndarray:
        placed = np.empty_like(array)
        placed[order] = array
        return placed.reshape(height, width, *array.shape[1:])

    return TraceImage(
        back(hits.t), back(hits.instance), back(hits.primitive), back(hits.u), back(hits.v),
        back(_normals(trees, hits, directions.reshape(-1, 3)[order])), back(hits.steps),
    )  # fmt: skip


def _normals(trees: SceneTrees, hits: Any, directions: np.ndarray) -> np.ndarray:
    """(N, 3) float32 normals of the triangles that were hit, against the rays."""
    normals = np.zeros(directions.shape, np.float32)
    instances = trees.instances
    numbers = np.array([int(instance) for instance in instances], np.int64)
    meshes = np.array([int(mesh) for mesh, _ in instances.values()], np.int64)
    which = np.flatnonzero(hits.instance >= 0)
    if len(which) == 0:
        return normals
    rows = np.searchsorted(numbers, hits.instance[which])
    order = np.argsort(meshes[rows], kind="stable")
    which, rows = which[order], rows[order]
    matrices = np.stack([matrix for _, matrix in instances.values()])[:, :3, :3].astype(np.float64)
    found, first = np.unique(meshes[rows], return_index=True)
    for mesh, part in zip(found.tolist(), np.split(np.arange(len(rows)), first[1:]), strict=True):
        edges = _edges(trees, mesh, hits.primitive[which[part]])
        edges = np.einsum("nij,nkj->nki", matrices[rows[part]], edges)
        normal = np.cross(edges[:, 0], edges[:, 1])
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        normal /= np.where(length > 0.0, length, 1.0)
        away = (normal * directions[which[part]]).sum(axis=1) > 0.0
        normals[which[part]] = np.where(away[:, None], -normal, normal)
    return normals


def _edges(trees: SceneTrees, mesh: Any, primitives: np.ndarray) -> np.ndarray:
    """(N, 2, 3) float64: from the first corner of triangles to the others, in the mesh's space."""
    triangles = trees.layout(mesh).triangles
    indices = np.empty((len(triangles), 3), np.uint32)
    indices[triangles["primitive"]] = triangles["vertices"]
    corners = trees.vertices(mesh)[indices[primitives]].astype(np.float64)
    return corners[:, 1:] - corners[:, :1]
