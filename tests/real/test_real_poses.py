# SPDX-License-Identifier: MIT
"""Every animation of the real models, on each backend, against float64.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.deform import deformed
from helpers import TOLERANCE
from helpers_skin import reference

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "meshes"

# Animations and skinned or morphed meshes of the shown scene.
MODELS = {
    "CesiumMan/glTF-Binary/CesiumMan.glb": (1, 1),
    "Fox/Fox.glb": (3, 1),
    "godot/enemy.glb": (4, 3),
    "kaykit/Knight.glb": (76, 6),
    "kenney_platformer/character.glb": (4, 0),
    "morph/AnimatedMorphCube/glTF/AnimatedMorphCube.gltf": (1, 1),
    "morph/MorphStressTest/glTF/MorphStressTest.gltf": (3, 2),
    "morph/SimpleMorph/glTF/SimpleMorph.gltf": (1, 1),
    "quaternius/Bunny.gltf": (14, 6),
    "raylib/greenman.glb": (4, 1),
}
SHARES = (0.0, 0.31, 0.77, 1.0)  # of an animation's duration

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"needs the data folder: {DATA}")


def joints_of(model: dw.Model, pose: dw.Pose, one) -> np.ndarray | None:
    skin = model.nodes[one.node].skin
    return None if skin is None or one.mesh.joints is None else pose.joint_matrices[skin]


def moments(model: dw.Model):
    for animation in model.animations:
        for share in SHARES:
            yield model.pose(animation, share * animation.duration)


@pytest.mark.parametrize("name", MODELS)
def test_every_animation_plays_as_in_float64(name, native_device, vulkan_device):
    model = dw.load_gltf(DATA / name)
    size = np.linalg.norm(np.ptp(model.bounds, axis=0))
    rest = model.posed_meshes(device=native_device)
    meshes = [one.mesh for one in rest]
    deforming = sum(mesh.joints is not None or mesh.targets is not None for mesh in meshes)
    assert (len(model.animations), deforming) == MODELS[name]
    into, worst, turned = None, 0.0, 0.0
    for pose in moments(model):
        native = model.posed_meshes(pose, device=native_device, normals=True)
        into = model.posed_meshes(pose, device=vulkan_device, normals=True, into=into)
        for one, other in zip(native, into, strict=True):
            assert one.positions.tobytes() == other.positions.tobytes()
            assert one.normals.tobytes() == other.normals.tobytes()
            weights = pose.morph_weights.get(one.node)
            wanted = deformed(one.mesh, joints_of(model, pose, one), weights)
            scale = np.abs(one.matrix[:3, :3]).max()
            step = np.abs(one.positions.astype(float) - wanted.positions).max()
            worst = max(worst, scale * float(step) / size)
            turned = max(turned, float(np.abs(one.normals - wanted.normals).max()))
    assert worst < TOLERANCE["pose"] and turned < TOLERANCE["pose_normal"]


@pytest.mark.parametrize("name", MODELS)
def test_the_float64_path_is_right_on_a_sample(name, native_device):
    """Of every 37th vertex, one by one."""
    model = dw.load_gltf(DATA / name)
    size = np.linalg.norm(np.ptp(model.bounds, axis=0))
    animation = model.animations[-1]
    pose = model.pose(animation, 0.43 * animation.duration)
    for one in model.posed_meshes(pose, device=native_device):
        weights = pose.morph_weights.get(one.node)
        matrices = joints_of(model, pose, one)
        if matrices is None and one.mesh.targets is None:
            continue
        some = np.arange(0, one.mesh.vertex_count, 37)
        fields = {
            field: None if (array := getattr(one.mesh, field)) is None else array[some]
            for field in ("positions", "normals", "joints", "weights")
        }
        for field in ("targets", "target_normals"):
            array = getattr(one.mesh, field)
            fields[field] = None if array is None else array[:, some]
        few = dw.Mesh(indices=[[0, 0, 0]], **fields)
        found = deformed(one.mesh, matrices, weights)
        positions, normals = reference(few, matrices, weights)
        scale = np.abs(one.matrix[:3, :3]).max()
        assert scale * np.abs(found.positions[some] - positions).max() < 1e-6 * size
        assert np.abs(found.normals[some] - normals).max() < 1e-5


def test_a_posed_model_stays_on_its_device(vulkan_device):
    """Frame after frame into the same buffers."""
    model = dw.load_gltf(DATA / "quaternius/Bunny.gltf")
    frames = model.posed_meshes(device=vulkan_device, buffers=True, normals=False)
    before = vulkan_device.live_counts()["buffers"]
    for pose in moments(model):
        again = model.posed_meshes(pose, device=vulkan_device, into=frames)
        assert [one.positions for one in again] == [one.positions for one in frames]
    assert vulkan_device.live_counts()["buffers"] == before
    for one in frames:
        found = one.positions.numpy(np.float32, (one.mesh.vertex_count, 3))
        assert np.array_equal(found, one.mesh.posed(pose, device=vulkan_device))
        one.positions.close()
