# SPDX-License-Identifier: MIT
"""Models placed in trees: every pose is met by rays where NumPy says its triangles are."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_pose import bending_arm
from helpers_rays import nearest_hits, rays_around


@pytest.fixture
def trees(device):
    with dw.SceneTrees(device) as trees:
        yield trees


def triangles_of(model, pose, transform=None) -> np.ndarray:
    """(T, 3, 3) float64 of the whole model in a pose, in the world."""
    found = []
    for mesh, matrix in model.static_meshes(pose=pose):
        whole = matrix if transform is None else transform @ matrix
        points = mesh.positions.astype(np.float64) @ whole[:3, :3].T + whole[:3, 3]
        found.append(points[mesh.indices])
    return np.concatenate(found)


@pytest.mark.parametrize("time", [0.0, 0.4, 1.0, 1.7])
def test_rays_meet_the_pose(trees, rng, time):
    model = bending_arm()
    transform = np.array([[0, 0, 2, 1], [0, 2, 0, 0], [-2, 0, 0, 3], [0, 0, 0, 1]], np.float64)
    with dw.ModelTrees(trees, model, transform=transform) as placed:
        trees.update()
        pose = model.pose("bend", time)
        placed.set_pose(pose)
        trees.update()
        corners = triangles_of(model, pose, transform)
        origins, directions = rays_around(corners, 4000, rng)
        hits = trees.trace(origins, directions)
        expected, slopes = nearest_hits(corners, origins, directions)
        both = np.isfinite(expected) & np.isfinite(hits.t)
        assert both.sum() > 500
        # A ray within rounding of an outline may pass on one side only.
        assert (np.isfinite(expected) != np.isfinite(hits.t)).mean() < 1e-3
        apart = np.abs(hits.t[both] - expected[both])
        assert (apart < 1e-5 * np.ptp(corners) * slopes[both] + 1e-6).all()
        assert set(np.unique(hits.instance)) <= {-1, *map(int, placed.instances)}


def test_what_deforms_and_what_only_moves(trees):
    model = bending_arm()
    with dw.ModelTrees(trees, model) as placed:
        trees.update()
        kinds = [trees.mesh_status(mesh).deforming for mesh in placed.meshes]
        names = [model.nodes[node].name for node, _ in placed.parts]
        assert dict(zip(names, kinds, strict=True)) == {"arm": True, "swell": True, "ring": False}
        before = trees.deforming_counts.refits
        placed.set_pose(model.pose("bend", 1.0))
        result = trees.update()
        assert result.refits == 2
        assert trees.deforming_counts.refits == before + 2


def test_a_model_in_two_places_has_two_poses(trees):
    model = bending_arm()
    far = np.eye(4)
    far[0, 3] = 10.0
    with dw.ModelTrees(trees, model) as one, dw.ModelTrees(trees, model, transform=far) as other:
        trees.update()
        one.set_pose(model.pose("bend", 1.0))
        trees.update()
        tip = np.array([[0.0, 1.9, 5.0], [10.0, 1.9, 5.0]], np.float32)
        hits = trees.trace(tip, np.array([[0, 0, -1]] * 2, np.float32))
        assert not np.isfinite(hits.t[0]), "bent away"
        assert np.isfinite(hits.t[1]), "still at rest"
        assert int(hits.instance[1]) in set(map(int, other.instances))


def test_nothing_is_left_behind(device):
    before = device.live_counts()
    model = bending_arm()
    with dw.SceneTrees(device) as trees:
        with dw.ModelTrees(trees, model):
            trees.update()
        trees.update()
        hits = trees.trace(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
        assert not np.isfinite(hits.t[0])
    for mesh in model.meshes:
        del mesh
    assert device.live_counts()["buffers"] >= before["buffers"]
