# SPDX-License-Identifier: MIT
"""Pictures by rays show what the renderer draws."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_pose import bending_arm

SIZE = 160, 120
CAMERAS = {
    "perspective": dw.Camera((2.5, 2.0, 5.0), (0.7, 0.9, 0.0), fov_y=0.7, near=0.5, far=50.0),
    "orthographic": dw.OrthoCamera((2.5, 2.0, 5.0), (0.7, 0.9, 0.0), height=3.5, far=50.0),
}


def interior(ids: np.ndarray) -> np.ndarray:
    """(H, W) bool: pixels whose eight neighbours show the same."""
    found = np.zeros(ids.shape, bool)
    middle = ids[1:-1, 1:-1]
    found[1:-1, 1:-1] = np.logical_and.reduce(
        [
            ids[1 + dy : ids.shape[0] - 1 + dy, 1 + dx : ids.shape[1] - 1 + dx] == middle
            for dy in (-1, 0, 1)
            for dx in (-1, 0, 1)
        ]
    )
    return found


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS)
@pytest.mark.parametrize("time", [0.0, 0.8])
def test_ids_and_depth_are_those_of_the_renderer(device, studio, camera, time):
    model = bending_arm()
    pose = model.pose("bend", time)
    scene = dw.Scene()
    scene.sky, scene.sun.shadows = None, False
    objects = []
    for mesh, matrix in model.static_meshes(pose=pose):
        looks = mesh.replace(material=dw.Material(double_sided=True))
        objects.append(scene.add(looks, matrix))
    frame = studio.render(scene, camera, size=SIZE)
    with dw.SceneTrees(device) as trees, dw.ModelTrees(trees, model) as placed:
        trees.update()
        placed.set_pose(pose)
        trees.update()
        image = dw.trace_image(trees, camera, size=SIZE)
        row_of = {int(one): i for i, one in enumerate(placed.instances)}
    by_rays = np.array([-1, *range(len(row_of))])[
        np.vectorize(lambda one: row_of.get(one, -1) + 1)(image.instance)
    ]
    things = {id(one): i for i, one in enumerate(objects)}
    drawn = np.full(frame.ids.shape, -1)
    for number in np.unique(frame.ids[frame.ids > 0]):
        drawn[frame.ids == number] = things[id(frame.what(int(number))[0])]
    inside = interior(drawn) & interior(by_rays)
    assert inside.sum() > 0.5 * drawn.size
    assert (drawn == by_rays)[inside].all()
    assert {*np.unique(drawn[inside])} == {-1, 0, 1, 2}
    solid = inside & (drawn >= 0)
    np.testing.assert_allclose(image.depth[solid], frame.depth[solid], rtol=2e-3)
    assert np.isinf(image.depth[inside & (drawn < 0)]).all()


def test_normals_face_the_camera_and_have_length_one(device):
    model = bending_arm()
    camera = CAMERAS["perspective"]
    with dw.SceneTrees(device) as trees, dw.ModelTrees(trees, model):
        trees.update()
        image = dw.trace_image(trees, camera, size=SIZE)
    is_hit = image.instance >= 0
    _, directions = camera.rays(*SIZE)
    np.testing.assert_allclose(np.linalg.norm(image.normals[is_hit], axis=-1), 1.0, atol=1e-4)
    assert ((image.normals * directions).sum(axis=-1)[is_hit] <= 1e-5).all()
    assert not image.normals[~is_hit].any()
    # The tube stands upright at rest: none of its normals leans.
    assert np.abs(image.normals[is_hit][:, 1]).max() < 1e-3
    assert (image.steps[is_hit] > 0).all()


def test_pictures(device, tmp_path):
    from dapplewood.ray_image import KINDS

    with dw.SceneTrees(device) as trees, dw.ModelTrees(trees, bending_arm()):
        trees.update()
        image = dw.trace_image(trees, CAMERAS["perspective"], size=SIZE)
    pictures = {kind: image.picture(kind) for kind in KINDS}
    for kind, picture in pictures.items():
        assert picture.shape == (120, 160, 4), kind
        assert picture.dtype == np.uint8, kind
        assert len(np.unique(picture.reshape(-1, 4), axis=0)) > 3, kind
    image.save(tmp_path / "rays.png", "normals")
    assert (dw.read_image(tmp_path / "rays.png").array == pictures["normals"]).all()
    assert image._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="kind must be one of"):
        image.picture("beauty")
