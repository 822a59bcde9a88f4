# SPDX-License-Identifier: MIT
"""Real models in trees: every animated file is posed, refit and met by rays on each backend.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest
from helpers_trees import BRUTE, F, rays_about, trace

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "meshes"
ANIMATED = (
    "CesiumMan/glTF-Binary/CesiumMan.glb",
    "Fox/Fox.glb",
    "godot/enemy.glb",
    "kaykit/Knight.glb",
    "kenney_platformer/character.glb",
    "morph/AnimatedMorphCube/glTF/AnimatedMorphCube.gltf",
    "morph/MorphStressTest/glTF/MorphStressTest.gltf",
    "morph/SimpleMorph/glTF/SimpleMorph.gltf",
    "quaternius/Bunny.gltf",
    "raylib/greenman.glb",
)
ENGINE = "rigid/2CylinderEngine/2CylinderEngine.glb"
RAYS = 100_000
FIELDS = ("t", "instance", "primitive", "u", "v")

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the data folder: {DATA}")


def rays_of(trees: dw.SceneTrees, count: int = RAYS):
    """Rays from all around towards the box around what the trees hold."""
    low, high = trees.bounds()
    rng = np.random.default_rng(3)
    reach = float((high - low).max()) + 1e-6
    origins = rng.normal(size=(count, 3))
    origins = (low + high) / 2 + 1.5 * reach * origins / np.linalg.norm(origins, axis=1)[:, None]
    targets = low + rng.random((count, 3)) * (high - low)
    return origins.astype(F), (targets - origins).astype(F)


def fresh_hits(device, model, pose, rays):
    with dw.SceneTrees(device) as trees, dw.ModelTrees(trees, model, pose=pose):
        trees.update()
        return trees.trace(*rays)


@pytest.mark.parametrize("name", ANIMATED)
def test_refit_trees_find_what_fresh_ones_find_on_each_device(name, native_device, vulkan_device):
    model = dw.load_gltf(DATA / name)
    clip = model.animations[-1]
    found, rays = {}, {}
    for device in (native_device, vulkan_device):
        with dw.SceneTrees(device, probe=False) as trees, dw.ModelTrees(trees, model) as placed:
            trees.update()
            for share in (0.3, 0.8):
                pose = model.pose(clip, share * clip.duration)
                placed.set_pose(pose)
                trees.update()
                if share not in rays:
                    rays[share] = rays_of(trees)
                hits = trees.trace(*rays[share])
                assert hits.hit.sum() > RAYS // 200
                fresh = fresh_hits(device, model, pose, rays[share])
                for field in ("t", "primitive", "u", "v"):
                    np.testing.assert_array_equal(getattr(hits, field), getattr(fresh, field))
                found[device, share] = hits
    for share in (0.3, 0.8):
        one, other = found[native_device, share], found[vulkan_device, share]
        for field in FIELDS:
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@pytest.mark.parametrize("name", ["CesiumMan/glTF-Binary/CesiumMan.glb", "raylib/greenman.glb"])
def test_refit_trees_find_what_no_tree_finds(name, native_device):
    model = dw.load_gltf(DATA / name)
    clip = model.animations[0]
    with dw.SceneTrees(native_device) as trees, dw.ModelTrees(trees, model) as placed:
        trees.update()
        placed.set_pose(model.pose(clip, 0.6 * clip.duration))
        trees.update()
        for mesh in dict.fromkeys(placed.meshes):
            if not trees.mesh_status(mesh).deforming:
                continue
            vertices = trees.vertices(mesh)
            origins, directions = rays_about(vertices, RAYS)
            wanted = trace(
                native_device, trees.layout(mesh)._parts, vertices, origins, directions, BRUTE
            )
            with dw.SceneTrees(native_device) as alone:
                posed = alone.add_mesh(np.zeros_like(vertices), _indices(trees, mesh),
                                       deforming=True)  # fmt: skip
                alone.add_instance(posed)
                alone.set_pose_cpu(posed, vertices)
                alone.update()
                hits = alone.trace(origins, directions)
            for field in ("t", "primitive", "u", "v"):
                np.testing.assert_array_equal(getattr(hits, field), wanted[field])
            assert hits.hit.sum() > RAYS // 20


def _indices(trees: dw.SceneTrees, mesh) -> np.ndarray:
    triangles = trees.layout(mesh).triangles
    indices = np.empty((len(triangles), 3), np.uint32)
    indices[triangles["primitive"]] = triangles["vertices"]
    return indices


def test_triangles_without_area_are_kept_and_hide_nothing(native_device, vulkan_device):
    """The engine has 10,419 of them."""
    model = dw.load_gltf(DATA / ENGINE)
    empty = 0
    for mesh, matrix in model.static_meshes():
        corners = mesh.positions.astype(np.float64)[mesh.indices]
        sides = corners[:, 1:] - corners[:, :1]
        empty += int((np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1) == 0.0).sum())
    assert empty > 1000
    hits, rays = [], None
    for device in (native_device, vulkan_device):
        with dw.SceneTrees(device) as trees, dw.ModelTrees(trees, model) as placed:
            trees.update()
            assert sum(trees.mesh_status(mesh).inactive for mesh in placed.meshes) == 0
            rays = rays_of(trees) if rays is None else rays
            hits.append(trees.trace(*rays))
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(hits[0], field), getattr(hits[1], field))
    assert hits[0].hit.mean() > 0.1
