# SPDX-License-Identifier: MIT
"""Trees as arrays: their boxes by level, and refits outside of a scene."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_trees import grid, plant


def layout_of(positions, indices, device, **options) -> dw.TreeLayout:
    with dw.SceneTrees(device, **options) as trees:
        mesh = trees.add_mesh(positions, indices, deforming=True)
        trees.update()
        return trees.layout(mesh)


@pytest.fixture(params=["quantized", "f32"])
def layout(request, native_device):
    return layout_of(*plant(700), native_device, node_format=request.param)


def inside(inner: np.ndarray, outer: np.ndarray) -> bool:
    return bool((inner[..., 0, :] >= outer[..., 0, :]).all() and
                (inner[..., 1, :] <= outer[..., 1, :]).all())  # fmt: skip


def test_every_level_covers_all_triangles(layout):
    positions, indices = plant(700)
    corners = positions[indices].astype(np.float64)
    middles = corners.mean(axis=1)
    depth = int(layout.shape["depth"])
    counts = []
    for level in range(depth + 2):
        boxes = layout.boxes(level)
        counts.append(len(boxes))
        found = (boxes[None, :, 0] <= middles[:, None]) & (middles[:, None] <= boxes[None, :, 1])
        assert found.all(axis=-1).any(axis=1).all(), level
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[depth] == counts[depth + 1], "all leaves"


def test_children_lie_in_their_parents(layout):
    boxes = layout.child_boxes
    refs = layout.nodes["ref"]
    node, side = np.nonzero(refs < 0x80000000)
    assert len(node) == len(layout.nodes) - 1
    assert inside(boxes[refs[node, side]], boxes[node, side][:, None])


def test_the_root_is_around_the_mesh_and_hardly_larger(layout):
    positions, _ = plant(700)
    low, high = layout.boxes(0)[0]
    assert (low <= positions.min(axis=0)).all() and (positions.max(axis=0) <= high).all()
    slack = 2.0 * np.ptp(positions, axis=0) / 65531.0
    assert (low >= positions.min(axis=0) - slack).all()
    assert (high <= positions.max(axis=0) + slack).all()


def test_refit_is_what_a_scene_does(native_device, layout, rng):
    positions, indices = plant(700)
    moved = positions + rng.normal(size=positions.shape).astype(np.float32) * np.float32(0.1)
    word = layout.node_format.name.lower()
    with dw.SceneTrees(native_device, node_format=word, probe=False) as trees:
        mesh = trees.add_mesh(positions, indices, deforming=True)
        trees.update()
        trees.set_pose_cpu(mesh, moved)
        trees.update()
        expected = trees.layout(mesh)
    before = layout.nodes.copy()
    found = dw.refit_layout_to_pose(layout, moved.astype(np.float64))
    assert found.nodes.tobytes() == expected.nodes.tobytes()
    assert found.frame.tobytes() == expected.frame.tobytes()
    assert found.triangles.tobytes() == layout.triangles.tobytes()
    assert layout.nodes.tobytes() == before.tobytes(), "stays as it is"
    back = dw.refit_layout_to_pose(found, positions)
    assert back.nodes.tobytes() == layout.nodes.tobytes()


def test_a_vertex_that_is_lost_takes_its_triangles_along(native_device):
    positions, indices = grid(8)
    layout = layout_of(positions, indices, native_device)
    lost = (indices == 40).any(axis=1)
    positions[40] = np.nan
    found = dw.refit_layout_to_pose(layout, positions)
    leaves = found.boxes(99)
    assert np.isfinite(leaves).all()
    middles = positions[indices].astype(np.float64).mean(axis=1)
    inside = (leaves[:, 0] <= middles[:, None]) & (middles[:, None] <= leaves[:, 1])
    np.testing.assert_array_equal(inside.all(axis=-1).any(axis=1), ~lost)


def test_sizes_and_words(layout):
    assert str(len(layout.triangles)) in repr(layout)
    assert layout.nbytes >= 33 * len(layout.triangles)
    node_bytes = 64 if layout.node_format == dw.NodeFormat.F32 else 32
    assert layout.nodes.nbytes == node_bytes * int(layout.shape["node_count"])
    assert sorted(layout.triangles["primitive"]) == list(range(len(layout.triangles)))


@pytest.mark.parametrize(
    ("positions", "error", "message"),
    [
        (np.zeros((2100, 2), np.float32), ValueError, "positions"),
        (np.zeros((3, 3), np.float32), ValueError, "positions"),
        (np.array([["a"] * 3]), TypeError, "positions must hold numbers"),
    ],
)
def test_wrong_positions_are_named(layout, positions, error, message):
    with pytest.raises(error, match=message):
        dw.refit_layout_to_pose(layout, positions)


def test_a_layout_comes_apart_into_nodes_and_triangles(layout):
    nodes, triangles = layout
    assert nodes is layout.nodes and triangles is layout.triangles


def test_a_level_below_all_has_the_leaves(layout):
    np.testing.assert_array_equal(layout.boxes(10**12), layout.boxes(int(layout.shape["depth"])))


def test_other_wrong_arguments_are_named(layout):
    with pytest.raises(TypeError, match="layout must be a TreeLayout, got dict"):
        dw.refit_layout_to_pose({}, np.zeros((3, 3)))
    with pytest.raises(ValueError, match="level must be 0 or more"):
        layout.boxes(-1)
    with pytest.raises((TypeError, ValueError), match="dirty"):
        dw.refit_layout_to_pose(layout, plant(700)[0], dirty=[True])
