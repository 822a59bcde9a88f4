# SPDX-License-Identifier: MIT
"""Forests in the renderer: their meshes in one buffer, their draws, their tables of ranks."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from .dither import blue_noise
from .forest import Forest
from .forest_lists import CROSSED, FADED, OUTSIDE
from .frame import ListStats
from .kinds import DissolveDirection, DitherPattern
from .layouts import record_dtype, records
from .mesh import Mesh
from .render_tables import FLAGS, STAGES, Extent, material_flags, pack_vertices

__all__ = ["ForestDraws", "RankTable"]

_CUTOUT_SIDE = _core.CONSTANTS["CUTOUT_SIDE"]


class RankTable:
    """The blue tables of a renderer, one after another; the first decides cutouts."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._ranks = np.zeros(0, np.uint16)
        self.first(_CUTOUT_SIDE)

    def first(self, side: int) -> int:
        """Where the table of that side begins, added where it is new."""
        if side not in self._first:
            self._first[side] = len(self._ranks)
            self._ranks = np.concatenate([self._ranks, blue_noise(side).ravel()])
        return self._first[side]

    def __len__(self) -> int:
        return len(self._ranks)

    @property
    def words(self) -> np.ndarray:
        return np.ascontiguousarray(self._ranks).view(np.uint32)


def _box_of(variant: tuple[tuple[Mesh, ...], ...]) -> np.ndarray:
    """The (2, 3) box around all LODs of a variant: its LODs dissolve alike."""
    boxes = np.stack([mesh.bounds for lod in variant for mesh in lod])
    return np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])


def _is_opaque(mesh: Mesh) -> bool:
    """Whether the texture alone makes holes."""
    if mesh.material.base_color[3] != 1.0:
        return False
    return mesh.colors is None or bool((mesh.colors[:, 3] == 255).all())


class ForestDraws:
    """One forest's meshes on a renderer and the items that draw them. It does not keep the forest
    alive."""

    def __init__(self, renderer: Any, core: Any, forest: Forest):
        self.extents = [Extent(_box_of(variant)) for variant in forest.meshes]
        self.height = max(max(abs(e.low), abs(e.low + e.height)) for e in self.extents)
        self.lod_count = len(forest.meshes[0])
        self.has_blended = any(
            mesh.material.alpha_mode == "blend"
            for variant in forest.meshes for lod in variant for mesh in lod
        )  # fmt: skip
        self._items: np.ndarray | None = None
        self.rows: list[tuple[int, int, Mesh]] = []  # variant, LOD, mesh
        draws, vertices, indices = [], [], []
        first_index, vertex_offset = 0, 0
        for v, variant in enumerate(forest.meshes):
            for lod, meshes in enumerate(variant):
                for mesh in meshes:
                    count = mesh.indices.size
                    for kind in (0, 1):
                        bucket = (v * self.lod_count + lod) * 2 + kind
                        draws.append((count, first_index, vertex_offset, bucket))
                        self.rows.append((v, lod, mesh))
                    vertices.append(pack_vertices(mesh))
                    indices.append(mesh.indices.ravel())
                    first_index += count
                    vertex_offset += len(mesh.positions)
        self.draws = np.array(draws, np.int64).astype(np.uint32)
        forest._set_draws(self.draws)
        self.mesh = core.add_mesh(np.concatenate(vertices), np.concatenate(indices))
        self.buckets = self.draws[:, 3]
        self.triangles: dict[int, int] = {}  # of one instance, by bucket
        for bucket, (_, _, mesh) in zip(self.buckets.tolist(), self.rows):
            self.triangles[bucket] = self.triangles.get(bucket, 0) + mesh.triangle_count
        self.first_rank = renderer.ranks.first(
            forest.blue_size if forest.pattern == DitherPattern.BLUE else _CUTOUT_SIDE
        )

    def items(
        self, forest: Forest, index: int, id_base: int, cutout: str, materials: Any, casts: bool
    ) -> np.ndarray:
        """Records of dw_scene_item, one for each draw."""
        if self._items is None:
            self._items = self._make_items(forest, cutout, materials)
        items = self._items.copy()
        items["casts_shadow"] &= casts
        items["forest"] = index
        items["id_base"] = id_base
        return items

    def forget_materials(self) -> None:
        """Their rows have changed."""
        self._items = None

    def _make_items(self, forest: Forest, cutout: str, materials: Any) -> np.ndarray:
        items = np.zeros(len(self.rows), record_dtype("dw_scene_item"))
        directed = forest.direction != DissolveDirection.UNIFORM
        for i, (variant, lod, mesh) in enumerate(self.rows):
            item, material = items[i], mesh.material
            is_fading = bool(self.buckets[i] & 1)
            flags = material_flags(material, cutout) | FLAGS["forest"]
            if lod > 0 and flags & FLAGS["early"] and _is_opaque(mesh):
                flags |= FLAGS["far"]
            if is_fading:
                flags |= FLAGS["fading"] | (FLAGS["directed"] if directed else 0)
            item["material"], item["base_texture"], item["normal_texture"] = materials(
                material, self.extents[variant]
            )
            item["flags"] = flags
            item["stage"] = STAGES["cut" if is_fading or flags & FLAGS["masked"] else "solid"]
            if material.alpha_mode == "blend":
                item["stage"] = STAGES["blended"]
            item["is_two_sided"] = material.double_sided
            item["casts_shadow"] = material.alpha_mode != "blend"
        items["mesh"] = self.mesh
        items["is_in_view"] = 1
        items["command"] = np.arange(len(items))
        items["bucket"] = self.buckets
        items["pattern"] = int(forest.pattern)
        items["rank_side"] = forest.blue_size
        items["rank_count"] = records(forest._params()[0][None], "dw_forest_rules")["rank_count"]
        items["rank_first"] = self.first_rank
        items["rule"] = int(forest.rule)
        items["dissolve"] = int(forest.direction)
        items["softness"] = max(forest.softness, 1e-3)
        items["scale"] = forest.dissolve_scale
        items["sway"] = forest.wind
        items["rim"] = forest.highlight_color
        return items

    def stats(self, index: int, buckets: np.ndarray) -> tuple[list[ListStats], dict[str, int]]:
        """What the lists of a frame held."""
        lods = self.lod_count
        lists = [
            ListStats(
                index, bucket // 2 // lods, bucket // 2 % lods,
                ("solid", "fading")[bucket % 2], int(buckets[bucket, 0]),
                int(buckets[bucket, 0]) * self.triangles.get(bucket, 0),
            )
            for bucket in range(len(buckets) - 3)
            if buckets[bucket, 0]
        ]  # fmt: skip
        tail = buckets[-3:, 0].astype(int)
        counts = {"outside": tail[OUTSIDE], "faded": tail[FADED], "crossfading": tail[CROSSED]}
        return lists, {name: int(value) for name, value in counts.items()}
