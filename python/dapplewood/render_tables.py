# SPDX-License-Identifier: MIT
"""Meshes, textures and materials as the core's renderer takes them."""

from __future__ import annotations

import numpy as np

from . import _core
from .layouts import record_dtype
from .materials import Material, MaterialTexture
from .mesh import Mesh

__all__ = [
    "FLAGS", "NONE", "SAMPLERS", "SHARP", "STAGES", "SWAY", "Extent", "material_flags",
    "material_record", "pack_transforms", "pack_vertices", "texture_levels",
]  # fmt: skip

# Bits of a pipeline's flags: "forest" is DW_SCENE_IS_FOREST, "normals" DW_SCENE_HAS_NORMALS.
FLAGS: dict[str, int] = {
    name.removeprefix(prefix).lower(): value
    for prefix in ("SCENE_IS_", "SCENE_HAS_")
    for name, value in _core.CONSTANTS.items()
    if name.startswith(prefix)
}
STAGES: dict[str, int] = {
    name: _core.CONSTANTS[f"SCENE_STAGE_{name.upper()}"] for name in ("solid", "cut", "blended")
}
NONE: int = _core.CONSTANTS["SCENE_NONE"]  # no forest
SWAY: float = _core.CONSTANTS["SCENE_SWAY"]
SAMPLERS = {"repeat": 0, "clamp": 1, "mirror": 2}
SHARP = 3  # more: anisotropic


def _octahedral(normals: np.ndarray) -> np.ndarray:
    """(V,) words of unit vectors, two signed 16-bit numbers each."""
    plane = normals / np.abs(normals).sum(axis=1, keepdims=True)
    folded = (1.0 - np.abs(plane[:, 1::-1])) * np.where(plane[:, :2] >= 0.0, 1.0, -1.0)
    flat = np.where(plane[:, 2:] < 0.0, folded, plane[:, :2])
    steps = np.rint(np.clip(flat, -1.0, 1.0) * 32767.0).astype(np.int16)
    return np.ascontiguousarray(steps).view(np.uint32)[:, 0]


def pack_vertices(mesh: Mesh) -> np.ndarray:
    """(V, 7) uint32: position, normal, texture coordinates, colour."""
    count = len(mesh.positions)
    words = np.zeros((count, _core.CONSTANTS["VERTEX_WORDS"]), np.uint32)
    words[:, :3] = np.ascontiguousarray(mesh.positions, np.float32).view(np.uint32)
    words[:, 3] = _octahedral(np.asarray(mesh.normals, np.float64))
    if mesh.uvs is not None:
        words[:, 4:6] = np.ascontiguousarray(mesh.uvs, np.float32).view(np.uint32)
    if mesh.colors is not None:
        words[:, 6] = np.ascontiguousarray(mesh.colors).view(np.uint32)[:, 0]
    else:
        words[:, 6] = 0xFFFFFFFF
    return words


def pack_transforms(matrices: np.ndarray) -> np.ndarray:
    """(N, 12) float32: the upper three rows."""
    return np.ascontiguousarray(matrices[:, :3, :], np.float32).reshape(-1, 12)


def _with_alpha(level: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    joined = level.copy()
    joined[..., 3] = alpha
    return joined


def texture_levels(
    texture: MaterialTexture, *, cutoff: float | None, averaged: bool
) -> list[np.ndarray]:
    """The whole mip chain of a texture, (h, w, 4) uint8 each.

    Parameters
    ----------
    texture : MaterialTexture
        Of a lone level the others are baked, unless its `mipmaps` are off: with the coverage of
        every island kept where `cutoff` is given, by plain averages else.
    cutoff : float or None
        Of the material, if alpha cuts out.
    averaged : bool
        Alpha averaged for alpha to coverage and dithered tests instead of kept for the test.
    """
    levels, alpha = list(texture.levels), texture.alpha_to_coverage
    if len(levels) == 1 and texture.mipmaps and max(levels[0].shape[:2]) > 1:
        from .atlas import bake_atlas

        baked = bake_atlas(
            levels[0],
            color_space=texture.color_space,
            cutoffs=(cutoff if cutoff is not None else 0.5,),
            coverage="none" if cutoff is None else "tile",
            fill="keep" if cutoff is None else "edge",
        )
        levels, alpha = list(baked.levels), baked.alpha_to_coverage
    if averaged and cutoff is not None and alpha is not None:
        levels = [_with_alpha(level, plane) for level, plane in zip(levels, alpha)]
    return levels


class Extent:
    """The box that dissolves run through and leaves sway in, in metres."""

    def __init__(self, bounds: np.ndarray):
        self.low = float(bounds[0, 1])
        self.height = max(float(bounds[1, 1] - bounds[0, 1]), 1e-6)
        self.radius = max(float(np.abs(bounds[:, [0, 2]]).max()), 1e-6)


def material_flags(material: Material, cutout: str) -> int:
    """Flags of the pipeline that draws a material."""
    flags = 0
    if material.alpha_mode == "mask":
        flags |= FLAGS["masked"]
        flags |= {"test": 0, "a2c": FLAGS["covering"], "dither": FLAGS["dithered"]}[cutout]
    if material.alpha_mode == "blend":
        flags |= FLAGS["blended"]
    if material.unlit:
        flags |= FLAGS["unlit"]
    if material.normal_texture is not None and not material.unlit:
        flags |= FLAGS["normals"]
    elif material.translucency > 0.0 and not material.unlit:
        flags |= FLAGS["early"]
    if material.imposter_views > 0:
        flags |= FLAGS["imposter"]
    return flags


def material_record(material: Material, extent: Extent) -> np.ndarray:
    """One dw_scene_material."""
    record = np.zeros((), record_dtype("dw_scene_material"))
    wind = material.wind
    if wind is None:
        wind = 1.0 if material.alpha_mode == "mask" else 0.0
    record["base_color"] = material.base_color
    record["emissive"] = *material.emissive, material.normal_scale
    record["surface"] = (
        material.metallic, material.roughness, material.alpha_cutoff, material.translucency,
    )  # fmt: skip
    record["extent"] = extent.low, 1.0 / extent.height, 1.0 / extent.radius, wind
    record["card"] = material.imposter_views, 0.0, 0.0, 0.0
    return record
