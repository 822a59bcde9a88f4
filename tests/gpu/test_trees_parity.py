# SPDX-License-Identifier: MIT
"""SceneTrees on a Vulkan device are those of the native one: bytes of trees, hits, drift."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_scene_trees import curled, grid, random_matrix, scattered, soup, wavy

EYE = np.eye(4)
RAYS = 30_000


@pytest.fixture
def both(native_device, vulkan_device):
    """The same calls on both: what they gave, natively and on Vulkan."""
    made = []

    def make(**options):
        pair = [
            dw.SceneTrees(device, **{"probe": False, **options})
            for device in (native_device, vulkan_device)
        ]
        made.extend(pair)
        return pair

    yield make
    for trees in made:
        trees.close()


def assert_same_hits(pair, origins, directions, *, least: float = 0.02) -> None:
    native, vulkan = (trees.trace(origins, directions) for trees in pair)
    assert native.hit.mean() >= least
    for name in native._fields:
        np.testing.assert_array_equal(getattr(native, name), getattr(vulkan, name), err_msg=name)
    hidden = [trees.occluded(origins, directions) for trees in pair]
    np.testing.assert_array_equal(hidden[0], native.hit)
    np.testing.assert_array_equal(hidden[1], native.hit)


def assert_same_tree(pair, mesh) -> None:
    native, vulkan = (trees._layout(mesh) for trees in pair)
    for part in ("shape", "frame", "treelets", "nodes", "triangles"):
        np.testing.assert_array_equal(native[part], vulkan[part], err_msg=part)


def rays_between(rng, centre, reach, count=RAYS):
    """Half of them among the things there, half from afar."""
    origins = centre + rng.uniform(-1, 1, (count, 3)) * reach
    origins[::2] += rng.normal(size=(len(origins[::2]), 3)) * 5 * reach
    targets = centre + rng.uniform(-1, 1, (count, 3)) * reach
    return origins.astype(np.float32), (targets - origins).astype(np.float32)


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_hits_of_turned_flat_and_scattered_meshes(both, rng, node_format, far):
    pair = both(node_format=node_format)
    matrices = [random_matrix(rng) for _ in range(25)]
    for matrix in matrices:
        matrix[:3, 3] += far
    meshes = [grid(20), soup(rng, 100), grid(2), soup(rng, 0)]
    for trees in pair:
        for positions, indices in meshes:
            mesh = trees.add_mesh(positions, indices)
            for matrix in matrices:
                trees.add_instance(mesh, matrix)
        trees.update()
    assert_same_hits(pair, *rays_between(rng, np.full(3, far), 2.0))


def test_trees_and_hits_over_poses_and_rebuilds(both, rng):
    pair = both()
    positions, indices = grid(40)
    poses = [wavy(positions, 0.7), curled(positions, 1.2), scattered(positions, rng), positions]
    for trees in pair:
        mesh = trees.add_mesh(positions, indices, deforming=True)
        trees.add_instance(mesh)
        trees.update()
    mesh = int(mesh)
    assert_same_tree(pair, mesh)
    for i, pose in enumerate(poses):
        for trees in pair:
            trees.set_pose_cpu(mesh, pose)
            if i % 2 == 1:
                assert trees.rebuild(mesh)
            placed = []
            for _ in range(8):
                placed += trees.update().builds
                trees.trace([0, 0, 0], [0, 0, 1])
            assert len(placed) == i % 2
        assert_same_tree(pair, mesh)
        assert_same_hits(pair, *rays_between(rng, np.full(3, 0.5), 0.6, 20_000))


def test_drift_is_the_same_number(both, rng):
    pair = both(sample_every=1)
    positions, indices = grid(30)
    for trees in pair:
        mesh = trees.add_mesh(positions, indices, deforming=True)
        trees.add_instance(mesh)
        trees.update()
    mesh = int(mesh)
    for turns in (0.2, 0.7, 1.5):
        pose = curled(positions, turns)
        for trees in pair:
            for _ in range(4):
                trees.set_pose_cpu(mesh, pose)
                trees.update()
                trees.trace([0, 0, 0], [0, 0, 1])
        native, vulkan = (trees.drift(mesh) for trees in pair)
        assert native[:3] == vulkan[:3] and native.ratio != 1.0
        boxes = [trees.bounds(mesh) for trees in pair]
        np.testing.assert_array_equal(*boxes)


def test_partial_poses_are_the_same_bytes(both, rng):
    pair = both()
    positions, indices = grid(60)
    pose = positions.copy()
    for trees in pair:
        mesh = trees.add_mesh(positions, indices, deforming=True)
        trees.add_instance(mesh)
        trees.update()
    mesh = int(mesh)
    for _ in range(6):
        dirty = rng.random(len(pose)) < 0.02
        pose[dirty] += rng.normal(0, 0.01, (int(dirty.sum()), 3)).astype(np.float32)
        for trees in pair:
            trees.set_pose_cpu(mesh, pose, dirty=dirty)
            trees.update()
        assert_same_tree(pair, mesh)
