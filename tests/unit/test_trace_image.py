# SPDX-License-Identifier: MIT
"""Pictures by rays: arguments, and normals under many instances."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_scene_trees import grid, random_matrix, soup

CAMERA = dw.Camera((0.2, 0.3, 6.0), (0.0, 0.0, 0.0), fov_y=0.9)


def scene(trees: dw.SceneTrees, rng: np.random.Generator) -> dict[int, np.ndarray]:
    """The triangles of each instance in the world; ids have gaps, meshes are mixed."""
    shapes = [grid(5), soup(rng, 30)]
    meshes = [trees.add_mesh(*shape) for shape in shapes]
    found = {}
    for i in range(24):
        matrix = random_matrix(rng)
        instance = trees.add_instance(meshes[i % 2], matrix)
        if i % 5 == 0:
            trees.remove(instance)
            continue
        positions, indices = shapes[i % 2]
        found[int(instance)] = (positions @ matrix[:3, :3].T + matrix[:3, 3])[indices]
    trees.update()
    return found


def test_normals_are_those_of_the_triangles(device, rng):
    with dw.SceneTrees(device) as trees:
        triangles = scene(trees, rng)
        image = dw.trace_image(trees, CAMERA, size=(64, 48))
    _, directions = CAMERA.rays(64, 48)
    hit = image.instance >= 0
    assert len(np.unique(image.instance[hit])) > 8
    assert not image.normals[~hit].any()
    corners = np.array([triangles[i][p] for i, p in zip(image.instance[hit], image.primitive[hit])])
    wanted = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    wanted *= -np.sign((wanted * directions[hit]).sum(1, keepdims=True))
    np.testing.assert_allclose(image.normals[hit], wanted, atol=1e-4)


def test_a_mesh_is_read_once_for_all_its_instances(device, rng, monkeypatch):
    with dw.SceneTrees(device) as trees:
        scene(trees, rng)
        read = []
        whole = trees.layout
        monkeypatch.setattr(trees, "layout", lambda mesh: read.append(mesh) or whole(mesh))
        dw.trace_image(trees, CAMERA, size=(64, 48))
    assert sorted(read) == [0, 1]


def test_nothing_is_seen_of_nothing(device):
    with dw.SceneTrees(device) as trees:
        trees.update()
        image = dw.trace_image(trees, CAMERA, size=(4, 3))
        assert image.depth.shape == (3, 4) and np.isinf(image.depth).all()
        assert image.picture().shape == (3, 4, 4)


@pytest.mark.parametrize(
    ("size", "error", "message"),
    [
        ((0, 4), ValueError, "at least 1"),
        ((4,), ValueError, r"size must be \(width, height\)"),
        (4, ValueError, r"size must be \(width, height\)"),
        ((4.5, 4), TypeError, "size must be a whole number, got 4.5"),
    ],
)
def test_wrong_sizes_are_refused(native_device, size, error, message):
    with dw.SceneTrees(native_device) as trees:
        trees.update()
        with pytest.raises(error, match=message):
            dw.trace_image(trees, CAMERA, size=size)
