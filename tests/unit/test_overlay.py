# SPDX-License-Identifier: MIT
"""Rays of cameras, and boxes drawn over pictures."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest

SIZE = 120, 80
UNIT = np.array([[[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]]])
CAMERAS = {
    "perspective": dw.Camera((2, 1.5, 4), (0, 0, 0), fov_y=0.6),
    "orthographic": dw.OrthoCamera((2, 1.5, 4), (0, 0, 0), height=3.0),
}


def pixels_of(camera, points, size=SIZE) -> np.ndarray:
    clip = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)
    clip = clip @ camera.view_projection(size[0] / size[1]).T
    return (0.5 * clip[..., :2] / clip[..., 3:] + 0.5) * size - 0.5


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS)
def test_rays_go_through_pixel_centres_and_t_is_depth(camera):
    origins, directions = camera.rays(*SIZE)
    assert origins.shape == directions.shape == (80, 120, 3)
    assert origins.dtype == directions.dtype == np.float32
    found = pixels_of(camera, origins.astype(np.float64) + 7.0 * directions)
    rows, columns = np.mgrid[0:80, 0:120]
    np.testing.assert_allclose(found, np.stack([columns, rows], axis=-1), atol=1e-4)
    np.testing.assert_allclose(directions @ camera.forward, 1.0, rtol=1e-5)


def test_rays_of_no_picture_are_refused():
    with pytest.raises(ValueError, match="at least 1, got 0 x 4"):
        CAMERAS["perspective"].rays(0, 4)


def drawn(boxes=UNIT, **options) -> np.ndarray:
    """How far lines cover each pixel of a black picture."""
    black = np.zeros((80, 120, 3), np.uint8)
    camera = options.pop("camera", CAMERAS["perspective"])
    picture = dw.draw_boxes(
        black, camera, boxes, color=(255, 255, 255), opacity=1.0, **options
    )
    assert not black.any()
    return picture[..., 0] / 255.0


@pytest.mark.parametrize("camera", CAMERAS.values(), ids=CAMERAS)
def test_edges_are_drawn_where_they_are_seen_and_nowhere_else(camera):
    found = drawn(camera=camera)
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    lines = [
        np.linspace(a, b, 400)
        for i, a in enumerate(corners)
        for b in corners[i + 1 :]
        if np.count_nonzero(a != b) == 1
    ]
    assert len(lines) == 12
    points = pixels_of(camera, np.concatenate(lines))
    on = np.rint(points).astype(int)
    assert (found[on[:, 1], on[:, 0]] > 0.2).all(), "a point between four pixels gives each 1/4"
    rows, columns = np.nonzero(found)
    far = np.hypot(columns[:, None] - points[:, 0], rows[:, None] - points[:, 1]).min(axis=1)
    assert far.max() < 1.5


def test_lines_behind_something_are_faint():
    camera = CAMERAS["perspective"]
    clear = drawn(depth=np.full((80, 120), np.inf))
    behind = drawn(depth=np.full((80, 120), 1.0), hidden=0.25)
    np.testing.assert_array_equal(clear, drawn())
    is_line = (clear > 0.5) & (clear < 1.0)
    np.testing.assert_allclose(behind[is_line], 0.25 * clear[is_line], atol=0.01)
    middle = float(np.linalg.norm(camera.position))
    half = drawn(depth=np.full((80, 120), middle), hidden=0.0)
    assert 0.2 < half.sum() / clear.sum() < 0.8


def test_a_box_around_the_camera_is_cut_at_the_picture():
    whole = np.array([[[-50.0, -50.0, -50.0], [50.0, 50.0, 50.0]]])
    assert 0.0 < drawn(whole).sum() < 400.0
    assert not drawn(whole * 1e-3 + (0.0, 0.0, 60.0)).any(), "behind the camera"


def test_boxes_that_are_empty_or_not_finite_are_left_out():
    odd = np.array([UNIT[0], UNIT[0, ::-1], np.full((2, 3), np.nan), [[0, 0, 0], [np.inf, 1, 1]]])
    np.testing.assert_array_equal(drawn(odd), drawn())
    assert not drawn(np.zeros((0, 2, 3))).any()


def test_transform_moves_boxes():
    matrix = np.eye(4)
    matrix[:3, 3] = 0.25, 0.5, -1.0
    np.testing.assert_allclose(drawn(transform=matrix), drawn(UNIT + matrix[:3, 3]), atol=0.01)


def test_alpha_covers_what_is_drawn():
    picture = np.zeros((80, 120, 4), np.uint8)
    found = dw.draw_boxes(picture, CAMERAS["perspective"], UNIT, opacity=1.0)
    assert found[..., 3].max() == 255
    assert not found[found[..., 3] == 0].any()


@pytest.mark.parametrize(
    ("argument", "value", "error"),
    [
        ("picture", np.zeros((8, 8, 3), np.float32), TypeError),
        ("picture", np.zeros((8, 8), np.uint8), ValueError),
        ("boxes", np.zeros((3, 6)), ValueError),
        ("depth", np.zeros((3, 6)), ValueError),
        ("transform", np.eye(3), ValueError),
        ("color", (255, 0), ValueError),
        ("color", "red", ValueError),
        ("opacity", 1.5, ValueError),  # would wrap around in 8 bits
        ("opacity", np.nan, ValueError),
        ("hidden", -0.1, ValueError),
    ],
)
def test_wrong_arguments_are_named(argument, value, error):
    given = {"picture": np.zeros((8, 8, 3), np.uint8), "boxes": UNIT, argument: value}
    picture, boxes = given.pop("picture"), given.pop("boxes")
    with pytest.raises(error, match=f"^{argument} must be"):
        dw.draw_boxes(picture, CAMERAS["perspective"], boxes, **given)


def test_a_picture_without_pixels_is_refused():
    with pytest.raises(ValueError, match=r"picture must have pixels, got \(0, 8, 3\)"):
        dw.draw_boxes(np.zeros((0, 8, 3), np.uint8), CAMERAS["perspective"], UNIT)
