# SPDX-License-Identifier: MIT
"""SceneTrees at the ends of what numbers hold."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_scene_trees import grid

GRID, CELLS = grid()


def scaled(factor: float, x: float = 0.0) -> np.ndarray:
    matrix = np.diag([factor, factor, factor, 1.0])
    matrix[0, 3] = x
    return matrix


@pytest.mark.parametrize("count", [1, 2])
def test_subnormal_parts_of_directions_are_nothing(device, count):
    """Also where an instance would scale them up again, and under any number of instances."""
    with dw.SceneTrees(device) as trees:
        mesh = trees.add_mesh(GRID, CELLS)
        for i in range(count):
            trees.add_instance(mesh, scaled(1e-3, 9.0 * i))
        trees.update()
        origins = np.tile(np.float32([3.1e-4, 4.7e-4, 9e-3]), (4, 1))
        tiny = np.float32(1.1e-38)  # below 2**-126
        hits = trees.trace(
            origins,
            [[0, 0, -tiny], [tiny, 0, -6e-38], [-tiny, tiny, -3e-38], [tiny, -tiny, tiny]],
        )
        assert hits.hit.tolist() == [False, True, True, False]
        straight = trees.trace(origins[1:3], [[0, 0, -6e-38], [0, 0, -3e-38]])
        np.testing.assert_array_equal(hits.t[1:3], straight.t)
        np.testing.assert_array_equal(hits.primitive[1:3], straight.primitive)


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
def test_a_vertex_far_out_hides_nothing_else(device, node_format):
    """The box of its instance ends where coordinates do, and the rest of the mesh is met."""
    far = np.float32([[2e6, 0, 0], [2e6, 1e6, 0], [1e15, 0, 0]])
    positions = np.concatenate([GRID * np.float32(1e6), far])
    cells = np.concatenate([CELLS, np.arange(3, dtype=np.uint32)[None] + len(GRID)])
    with dw.SceneTrees(device, node_format=node_format) as trees:
        mesh = trees.add_mesh(positions, cells, deforming=True)
        turned = np.diag([2e3, -2e3, 2e3, 1.0])
        instances = [trees.add_instance(mesh, turned), trees.add_instance(mesh, scaled(2e3, 0.0))]
        trees.update()
        hits = trees.trace([[6.2e8, -9.4e8, 9e9], [6.2e8, 9.4e8, 9e9]], [[0, 0, -1.0]] * 2)
        assert hits.instance.tolist() == instances
        np.testing.assert_allclose(hits.t, 9e9, rtol=1e-6)


def test_a_mesh_with_a_vertex_far_out_is_as_far_as_it_was(device):
    """Areas in units of the mesh are then so small that their products are subnormal."""
    far = np.float32([[2, 0, 0], [2, 1, 0], [1e15, 0, 0]])
    cells = np.concatenate([CELLS, np.arange(3, dtype=np.uint32)[None] + len(GRID)])
    with dw.SceneTrees(device) as trees:
        trees.add_instance(trees.add_mesh(np.concatenate([GRID, far]), cells))
        trees.update()
        for height in (0.125, 9.0, 5e7):
            hits = trees.trace([0.31, 0.47, height], [0, 0, -1.0])
            assert hits.instance == 0
            np.testing.assert_allclose(hits.t, height, rtol=1e-6)


def test_an_instance_out_of_range_hides_no_other(device):
    with dw.SceneTrees(device) as trees:
        mesh = trees.add_mesh(GRID, CELLS)
        trees.add_instance(mesh, scaled(1.0, 1e25))
        near = trees.add_instance(mesh)
        trees.update()
        hits = trees.trace([0.31, 0.47, 9.0], [0, 0, -1.0])
        assert hits.instance == near
        np.testing.assert_allclose(trees.bounds()[:, 0], [0, 1], atol=1e-5)
