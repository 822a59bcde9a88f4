# SPDX-License-Identifier: MIT
"""Bakes foliage atlases whose mips keep coverage, colour and borders, and draws forests with them.

Baking runs on any Vulkan device and on none: ``Device("cpu")`` needs no driver. Drawing needs one,
and a software driver will do. Everything takes and returns NumPy arrays.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .contact_sheet import contact_sheet  # at once, since its module has its name

if TYPE_CHECKING:
    from . import baseline, io, samples
    from ._core import __version__ as __version__
    from .atlas import BakedArray, BakedAtlas, bake_atlas, measure_coverage
    from .atlas_report import AtlasReport
    from .batch import bake_files
    from .camera import Camera, OrthoCamera
    from .coverage_distance import CoverageCurves, coverage_against_distance
    from .device import Buffer, Device, DeviceInfo, default_device, devices
    from .dissolve import DissolveField, dissolve_values, ease
    from .dither import (
        Spectrum,
        blue_noise,
        discard_count,
        discard_mask,
        dither_ranks,
        spectrum,
    )
    from .doctor import report
    from .drift_run import DriftFrame, DriftRun, play_drift
    from .errors import (
        Cancelled,
        CapacityError,
        DeviceLost,
        DeviceNotFound,
        Error,
        ForkedDeviceError,
        FormatError,
    )
    from .forest import Forest
    from .forest_lists import ForestLists
    from .frame import Frame, FrameStats
    from .ground import Terrain, TerrainMaterial
    from .imposter import bake_imposter
    from .io import Image, Texture, read_image, read_texture
    from .io.effects import load_effect
    from .io.gltf import load_gltf
    from .io.heightfield import Heightfield, load_heightfield, read_weights
    from .kinds import (
        ColorSpace,
        CoverageMode,
        DissolveDirection,
        DissolveEncoding,
        DissolveEvent,
        DitherPattern,
        DitherRule,
        Easing,
        FadeCombine,
        FillMode,
        MipFilter,
        NodeFormat,
        ParticleKind,
        ParticleLayer,
        ShadowMode,
        TerrainMode,
        TerrainNoise,
        TreeBuilder,
    )
    from .lods import LOD_PRESETS, LodDistances, LodPreset, lod_distances
    from .materials import Material, MaterialTexture
    from .mesh import Mesh
    from .model import Model
    from .particle_configs import (
        CombatConfig,
        DustConfig,
        EffectConfig,
        FireConfig,
        GlowConfig,
        MagicConfig,
        WaterConfig,
        WeatherConfig,
    )
    from .particle_effect import EFFECT_NAMES, ParticleEffect, ParticlePart, effect
    from .particle_forces import (
        BoxCollider,
        HeightfieldCollider,
        ParticleBirth,
        ParticleForces,
        PlaneCollider,
        SphereCollider,
    )
    from .particle_style import ParticleStyle
    from .particles import LayerStats, ParticleManager, ParticleManagerStats
    from .pose import Pose
    from .model_trees import ModelTrees
    from .overlay import draw_boxes
    from .ray_image import TraceImage, trace_image
    from .renderer import Renderer
    from .scene import Fog, Scene, SceneObject, Sky, Sun
    from .terrain import Transition, material_at, select_materials
    from .terrain_banding import WeightBanding, weight_banding
    from .terrain_compose import compose_terrain
    from .terrain_coverage import expected_coverage
    from .terrain_forms import IndexMap, PackedWeights
    from .terrain_weights import (
        index_map_to_weights,
        pack_weights,
        unpack_weights,
        weights_to_index_map,
    )
    from .tiles import LevelCaps, TileGrid, TileRects
    from .tree_layout import TreeLayout, refit_layout_to_pose
    from .trees import SceneTrees
    from .trees_results import (
        BuildEvent,
        DeformingCounts,
        Drift,
        Hits,
        InstanceHandle,
        MeshHandle,
        MeshStatus,
        UpdateResult,
    )

# Names are fetched at their first use, so that the command line answers at once and a program loads
# no more than it needs.
_NAMES = {
    "_core": ("__version__",),
    "atlas": ("BakedArray", "BakedAtlas", "bake_atlas", "measure_coverage"),
    "atlas_report": ("AtlasReport",),
    "batch": ("bake_files",),
    "camera": ("Camera", "OrthoCamera"),
    "coverage_distance": ("CoverageCurves", "coverage_against_distance"),
    "device": ("Buffer", "Device", "DeviceInfo", "default_device", "devices"),
    "dissolve": ("DissolveField", "dissolve_values", "ease"),
    "dither": (
        "Spectrum", "blue_noise", "discard_count", "discard_mask", "dither_ranks", "spectrum",
    ),
    "doctor": ("report",),
    "drift_run": ("DriftFrame", "DriftRun", "play_drift"),
    "errors": (
        "Cancelled", "CapacityError", "DeviceLost", "DeviceNotFound", "Error",
        "ForkedDeviceError", "FormatError",
    ),
    "forest": ("Forest",),
    "forest_lists": ("ForestLists",),
    "frame": ("Frame", "FrameStats"),
    "imposter": ("bake_imposter",),
    "io": ("Image", "Texture", "read_image", "read_texture"),
    "io.effects": ("load_effect",),
    "io.gltf": ("load_gltf",),
    "io.heightfield": ("Heightfield", "load_heightfield", "read_weights"),
    "kinds": (
        "ColorSpace", "CoverageMode", "DissolveDirection", "DissolveEncoding", "DissolveEvent",
        "DitherPattern", "DitherRule", "Easing", "FadeCombine", "FillMode", "MipFilter",
        "NodeFormat", "ParticleKind", "ParticleLayer", "ShadowMode", "TerrainMode",
        "TerrainNoise", "TreeBuilder",
    ),
    "lods": ("LOD_PRESETS", "LodDistances", "LodPreset", "lod_distances"),
    "materials": ("Material", "MaterialTexture"),
    "mesh": ("Mesh",),
    "model": ("Model",),
    "particle_configs": (
        "CombatConfig", "DustConfig", "EffectConfig", "FireConfig", "GlowConfig", "MagicConfig",
        "WaterConfig", "WeatherConfig",
    ),
    "particle_effect": ("EFFECT_NAMES", "ParticleEffect", "ParticlePart", "effect"),
    "particle_forces": (
        "BoxCollider", "HeightfieldCollider", "ParticleBirth", "ParticleForces", "PlaneCollider",
        "SphereCollider",
    ),
    "particle_style": ("ParticleStyle",),
    "particles": ("LayerStats", "ParticleManager", "ParticleManagerStats"),
    "pose": ("Pose",),
    "model_trees": ("ModelTrees",),
    "overlay": ("draw_boxes",),
    "ray_image": ("TraceImage", "trace_image"),
    "ground": ("Terrain", "TerrainMaterial"),
    "renderer": ("Renderer",),
    "scene": ("Fog", "Scene", "SceneObject", "Sky", "Sun"),
    "terrain": ("Transition", "material_at", "select_materials"),
    "terrain_banding": ("WeightBanding", "weight_banding"),
    "terrain_compose": ("compose_terrain",),
    "terrain_coverage": ("expected_coverage",),
    "terrain_forms": ("IndexMap", "PackedWeights"),
    "terrain_weights": (
        "index_map_to_weights", "pack_weights", "unpack_weights", "weights_to_index_map",
    ),
    "tiles": ("LevelCaps", "TileGrid", "TileRects"),
    "tree_layout": ("TreeLayout", "refit_layout_to_pose"),
    "trees": ("SceneTrees",),
    "trees_results": (
        "BuildEvent", "DeformingCounts", "Drift", "Hits", "InstanceHandle", "MeshHandle",
        "MeshStatus", "UpdateResult",
    ),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
_MODULES = ("baseline", "io", "samples")

__all__ = sorted(["contact_sheet", *_MODULE_OF, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
