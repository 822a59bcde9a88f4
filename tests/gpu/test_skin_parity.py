# SPDX-License-Identifier: MIT
"""Poses on a Vulkan device have the bytes of native ones."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_skin import random_matrices, random_mesh


def compare(mesh: dw.Mesh, matrices, weights, native, vulkan) -> None:
    wanted = mesh.posed(matrices, weights, device=native, normals=True)
    found = mesh.posed(matrices, weights, device=vulkan, normals=True)
    for one, other, what in zip(wanted, found, ("positions", "normals")):
        bad = np.flatnonzero((one.view(np.uint32) != other.view(np.uint32)).any(axis=1))
        assert not len(bad), f"{what} of {len(bad)} vertices, first {bad[0]}: {one[bad[0]]}"
    alone = mesh.posed(matrices, weights, device=vulkan)
    assert alone.tobytes() == wanted[0].tobytes()


@pytest.mark.parametrize("count", [1, 2, 127, 128, 129, 2048, 2049, 40_000])
def test_meshes_of_any_size(rng, native_device, vulkan_device, count):
    mesh = random_mesh(rng, count, joints=50, columns=8, targets=3)
    compare(mesh, random_matrices(rng, 50), None, native_device, vulkan_device)


@pytest.mark.slow
def test_a_large_mesh(rng, native_device, vulkan_device):
    mesh = random_mesh(rng, 1_500_000, joints=200, targets=1)
    compare(mesh, random_matrices(rng, 200), None, native_device, vulkan_device)


@pytest.mark.parametrize("joints", [1365, 1366, 5000, 65536])
def test_skins_of_many_joints(rng, native_device, vulkan_device, joints):
    """Up to 1365 matrices travel inside the command, more through staging memory."""
    mesh = random_mesh(rng, 3000, joints=joints)
    for _ in range(2):
        compare(mesh, random_matrices(rng, joints), None, native_device, vulkan_device)


def test_many_targets(rng, native_device, vulkan_device):
    mesh = random_mesh(rng, 300, targets=500)
    for share in (0.0, 0.05, 1.0):
        weights = rng.normal(size=500) * (rng.random(500) < share)
        compare(mesh, None, weights, native_device, vulkan_device)


SIZES = (1e-30, 1e-20, 1e-7, 1e-3, 1.0, 37.5, 1e4, 1e12, 1e17)
SHRINKS = (0.0, 1e-30, 1e-12, 1e-6, 1.0, -1.0, 1e5)


@pytest.mark.parametrize("seed", range(80))
def test_any_mesh_and_pose(native_device, vulkan_device, seed):
    """No intermediate is one that devices flush: sizes, scales and weights of every magnitude."""
    rng = np.random.default_rng(seed)
    scale, joints, targets = rng.choice(SIZES), int(rng.integers(0, 13)), int(rng.integers(0, 5))
    mesh = random_mesh(
        rng, int(rng.integers(1, 400)), joints=joints, columns=4 * int(rng.integers(1, 4)),
        targets=targets, has_target_normals=bool(rng.random() < 0.5), scale=scale,
    )  # fmt: skip
    if rng.random() < 0.3:
        moved = mesh.positions + scale * rng.choice([2.0, 1e3, 1e6]) * rng.normal(size=3)
        mesh = mesh.replace(positions=np.clip(moved, -1e18, 1e18))
    matrices = None
    if joints and rng.random() < 0.9:
        step = rng.choice([0.0, 1e-30 * scale, 1e-9 * scale, scale, 100.0 * scale, 1e4, 1e28])
        matrices = random_matrices(rng, joints, scale=step)
        some = rng.random(joints) < 0.5
        spread = 10.0 ** rng.uniform(-3, 0, (int(some.sum()), 1, 3))
        matrices[some, :3, :3] *= rng.choice(SHRINKS) * spread
    weights = rng.choice([0.0, 1e-12, 1e-6, 1.0, 1e5]) * rng.normal(size=targets)
    compare(mesh, matrices, weights if targets else None, native_device, vulkan_device)


def test_buffers_and_arrays_hold_the_same(rng, native_device, vulkan_device):
    mesh = random_mesh(rng, 1000, joints=9, targets=2)
    matrices = random_matrices(rng, 9)
    held = []
    for device in (native_device, vulkan_device):
        with dw.Buffer(device, 4 * (1000 * 7 + 3)) as buffer:
            mesh.posed(
                matrices, out=buffer, normals=buffer, stride_floats=7, offset_floats=1,
                normals_stride_floats=7, normals_offset_floats=5,
            )  # fmt: skip
            held.append(buffer.numpy(np.uint32, 7003).tobytes())
    assert held[0] == held[1]


def test_poses_follow_each_other_in_order(rng, native_device, vulkan_device):
    """Many poses are under way before the first is looked at."""
    mesh = random_mesh(rng, 5000, joints=4)
    poses = [random_matrices(rng, 4) for _ in range(40)]
    stride = 3 * 5000
    with dw.Buffer(vulkan_device, 4 * stride * 40) as buffer:
        for i, matrices in enumerate(poses):
            mesh.posed(matrices, out=buffer, offset_floats=stride * i)
        found = buffer.numpy(np.float32, (40, 5000, 3))
    for matrices, positions in zip(poses, found):
        assert positions.tobytes() == mesh.posed(matrices, device=native_device).tobytes()


def test_a_mesh_too_large_for_a_binding_is_refused(vulkan_device):
    """A software device binds 128 MiB; others bind more than this test would fill."""
    count = 11_200_000
    if vulkan_device.info.kind != "software":
        pytest.skip("the device binds larger buffers")
    positions = np.zeros((count, 3), np.float32)
    mesh = dw.Mesh(positions, [[0, 1, 2]], normals=np.ones((count, 3), np.float32))
    with pytest.raises(dw.CapacityError, match="skin positions of the mesh take 134400000 bytes"):
        mesh.posed(device=vulkan_device)
