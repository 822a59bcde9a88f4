# SPDX-License-Identifier: MIT
"""Models placed in trees: every pose is met by rays where NumPy says its triangles are."""

from __future__ import annotations

import dataclasses
import gc

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
    before = device.live_counts()["buffers"]
    model = bending_arm()
    with dw.SceneTrees(device) as trees:
        with dw.ModelTrees(trees, model):
            trees.update()
            assert device.live_counts()["buffers"] > before
        trees.update()
        hits = trees.trace(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
        assert not np.isfinite(hits.t[0])
    del model, trees  # what poses need stays on the device as long as its meshes
    gc.collect()
    assert device.live_counts()["buffers"] == before


def hidden(pose: dw.Pose, node: int, scale: tuple[float, float, float]) -> dw.Pose:
    matrices = np.array(pose.node_matrices)
    matrices[node, :3, :3] *= scale
    return dataclasses.replace(pose, node_matrices=matrices)


@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 1), (0, 0, 1), (1e-40, 1e-40, 1e-40)])
def test_a_part_that_is_flattened_comes_back(trees, scale):
    model = bending_arm()
    rest = model.pose()
    (ring,) = [i for i, node in enumerate(model.nodes) if node.name == "ring"]
    (mesh,) = [model.meshes[i] for i in model.nodes[ring].meshes]
    middle = mesh.positions[mesh.indices].astype(np.float64).mean(axis=1)
    to_world = np.asarray(rest.node_matrices[ring])
    targets = middle @ to_world[:3, :3].T + to_world[:3, 3]
    origins = targets + 1e-3 * np.random.default_rng(0).normal(size=targets.shape)
    with dw.ModelTrees(trees, model, pose=hidden(rest, ring, scale)) as placed:
        (instance,) = [
            one for one, (node, _) in zip(placed.instances, placed.parts) if node == ring
        ]
        trees.update()
        before = trees.trace(origins, targets - origins)
        placed.set_pose(rest)
        trees.update()
        after = trees.trace(origins, targets - origins)
        placed.set_pose(hidden(rest, ring, scale))
        trees.update()
        again = trees.trace(origins, targets - origins)
    assert (after.instance == instance).mean() > 0.9
    assert (before.instance == instance).mean() < 0.5
    np.testing.assert_array_equal(again.instance, before.instance)


def test_what_fails_leaves_nothing(trees):
    model = bending_arm()
    broken = hidden(model.pose(), len(model.nodes) - 1, (np.nan, 1, 1))
    for options in ({"builder": "none"}, {"transform": np.eye(3)}, {"pose": broken},
                    {"transform": np.diag([1.0, 0, 1, 1])}):  # fmt: skip
        with pytest.raises(ValueError):  # noqa: PT011
            dw.ModelTrees(trees, model, **options)
        assert not trees.meshes and not trees.instances


def test_wrong_arguments_are_named(trees):
    model = bending_arm()
    with pytest.raises(TypeError, match="trees must be a SceneTrees, got NoneType"):
        dw.ModelTrees(None, model)
    with pytest.raises(TypeError, match="model must be a Model, got Mesh"):
        dw.ModelTrees(trees, model.meshes[0])
    with dw.ModelTrees(trees, model) as placed:
        with pytest.raises(TypeError, match="pose must be a Pose, as Model.pose gives, got float"):
            placed.set_pose(0.5)
        other = dataclasses.replace(model.pose(), node_matrices=np.eye(4)[None])
        with pytest.raises(ValueError, match="pose must be of this model"):
            placed.set_pose(other)
    with pytest.raises(ValueError, match="the ModelTrees is closed"):
        placed.set_pose(model.pose())


def test_closing_after_the_trees_frees_the_buffers(device):
    model = bending_arm()
    trees = dw.SceneTrees(device)
    placed = dw.ModelTrees(trees, model)
    buffers = [part.buffer for part in placed._parts if part.buffer is not None]
    trees.close()
    placed.close()
    placed.close()
    assert len(buffers) == 2
    assert all(buffer.closed for buffer in buffers)


def test_poses_are_told_in_a_line(native_device):
    model = bending_arm()
    pose = model.pose("bend", 0.5)
    assert repr(pose) == f"<Pose of {len(model.nodes)} nodes, 2 joints, 1 morphed>"
    found = model.posed_meshes(pose, device=native_device)
    assert repr(found[0]).startswith("<PosedMesh of node ") and "\n" not in repr(found)
