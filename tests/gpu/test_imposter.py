# SPDX-License-Identifier: MIT
"""Imposters beside what they stand for: silhouette, colour, light, which side is shown."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_render import light_of


def box_mesh(low, high, color) -> dw.Mesh:
    """An axis-aligned box whose faces have normals of their own."""
    low, high = np.array(low, float), np.array(high, float)
    positions, normals = [], []
    for axis in range(3):
        for side in (0, 1):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            corners = np.tile(low, (4, 1))
            corners[:, axis] = (low, high)[side][axis]
            corners[[1, 2], u], corners[[2, 3], v] = high[u], high[v]
            positions.append(corners if side else corners[::-1])
            normals.append(np.tile(np.eye(3)[axis] * (2 * side - 1), (4, 1)))
    count = 4 * np.arange(6, dtype=np.uint32)[:, None]
    indices = np.concatenate([count + (0, 1, 2), count + (0, 2, 3)])
    return dw.Mesh(np.concatenate(positions).astype(np.float32), indices,
                   normals=np.concatenate(normals).astype(np.float32),
                   material=dw.Material(base_color=color))


def odd_tree() -> list[dw.Mesh]:
    """A trunk with one arm to +x, red, and a green block at +z: no two sides look alike."""
    return [box_mesh((-0.2, 0, -0.2), (0.2, 4, 0.2), (0.3, 0.2, 0.1, 1)),
            box_mesh((0.2, 2.5, -0.3), (1.8, 3.1, 0.3), (0.5, 0.05, 0.05, 1)),
            box_mesh((-0.6, 1.0, 0.2), (0.6, 2.0, 1.4), (0.05, 0.4, 0.1, 1))]


@pytest.fixture(scope="module")
def pair(vulkan_device):
    tree = odd_tree()
    return tree, dw.bake_imposter(tree, views=8, texels=64, device=vulkan_device)


def seen(studio, thing, angle: float, *, sun=None, size=(96, 96), **options) -> np.ndarray:
    """(h, w, 4) light and coverage from that side."""
    scene = dw.Scene()
    scene.sky, scene.sun.shadows = None, False
    if sun is not None:
        scene.sun.direction = sun
    scene.add(thing)
    out = np.array([np.sin(angle), 0.0, np.cos(angle)])
    camera = dw.OrthoCamera(20 * out + (0, 2, 0), (0, 2, 0), height=5.0)
    color = studio.render(scene, camera, size=size, **options).color
    return np.dstack([light_of(color[..., :3]), color[..., 3:] / 255])


def mean_light(picture: np.ndarray) -> np.ndarray:
    return (picture[..., :3] * picture[..., 3:]).sum((0, 1)) / picture[..., 3].sum()


@pytest.mark.parametrize("view", range(8))
def test_baked_views_cover_the_same_pixels(studio, pair, view):
    tree, card = (seen(studio, thing, 2 * np.pi * view / 8) for thing in pair)
    area = tree[..., 3].sum()
    assert card[..., 3].sum() == pytest.approx(area, rel=0.04)
    assert np.abs(card[..., 3] - tree[..., 3]).sum() < 0.1 * area  # at the edges alone
    both = (card[..., 3] > 0) & (tree[..., 3] > 0)
    kinds = [np.argmax(one[both][:, :3], axis=1) for one in (tree, card)]
    assert (kinds[0] == kinds[1]).mean() > 0.9


def test_another_view_is_told_apart(studio, pair):
    """Negative control: what is seen from the next view's side would fail the test above."""
    tree, card = seen(studio, pair[0], 0.0), seen(studio, pair[1], np.pi / 2)
    assert np.abs(card[..., 3] - tree[..., 3]).sum() > 0.3 * tree[..., 3].sum()


def test_between_views_area_stays(studio, pair):
    angles = 2 * np.pi * (np.arange(16) + 0.5) / 16
    tree, card = (
        np.array([seen(studio, thing, angle)[..., 3].sum() for angle in angles]) for thing in pair
    )
    # Half way, boxes are wider than from their faces and narrower than along their diagonals.
    assert card.mean() == pytest.approx(tree.mean(), rel=0.1)


def test_light_falls_on_the_side_that_faces_the_sun(studio, pair):
    """The block's face and its top take light as on the tree, with the sun from all around."""
    ratios = []
    for turn in np.arange(8) * np.pi / 4:
        sun = (np.sin(turn), 0.7, np.cos(turn))
        tree, card = (mean_light(seen(studio, thing, 0.0, sun=sun)) for thing in pair)
        ratios.append(card.sum() / tree.sum())
        assert 0.75 < ratios[-1] < 1.33, turn
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.12)
    front, back = (
        mean_light(seen(studio, pair[1], 0.0, sun=(0, 0.3, z))).sum() for z in (1.0, -1.0)
    )
    assert front > 2.0 * back


def test_mean_colour_is_that_of_the_tree(studio, pair):
    ways = [(2 * np.pi * i / 8, np.pi * (i + j / 2)) for i in range(8) for j in range(4)]
    tree, card = (
        np.mean([mean_light(seen(studio, thing, angle, sun=(np.sin(turn), 0.9, np.cos(turn))))
                 for angle, turn in ways], axis=0)
        for thing in pair
    )  # fmt: skip
    assert np.abs(card / tree - 1).max() < 0.08


def test_self_shadow_darkens(vulkan_device, pair):
    shaded = dw.bake_imposter(pair[0], views=4, texels=32, self_shadow=1.0, device=vulkan_device)
    plain = dw.bake_imposter(pair[0], views=4, texels=32, device=vulkan_device)
    first, second = (card.material.base_color_texture.levels[2][..., :3].mean()
                     for card in (shaded, plain))
    assert 0.5 < first / second < 0.99


def test_card_fits_what_is_seen(pair):
    tree, card = pair
    low, high = card.bounds
    assert low[1] == pytest.approx(0, abs=0.1) and high[1] == pytest.approx(4, abs=0.1)
    assert high[0] == pytest.approx(1.83, abs=0.15) and low[0] == -high[0]
    material = card.material
    assert card.triangle_count == 2 and material.imposter_views == 8
    assert material.base_color_texture.shape == (64, 512)
    assert material.normal_texture.color_space == "linear"


def test_imposter_is_the_last_lod_of_a_forest(studio, pair):
    tree, card = pair
    forest = studio.forest([tree, card], distances=(30,))
    forest.add([1, 2], np.array([[-3, 0, 0], [3, 0, -40.0]]))
    scene = dw.Scene()
    scene.sky = None
    scene.add(forest)
    frame = studio.render(scene, dw.Camera((0, 2, 12), (0, 2, 0)), size=(128, 128))
    assert sorted(one.lod for one in frame.stats.lists) == [0, 1]
    areas = dw.coverage_against_distance(
        forest, (12.0, 25.0, 40.0, 80.0), cutouts=("test", "a2c"), directions=5, pixels=1 << 18,
        device=studio.device,
    )  # fmt: skip
    areas.assert_within(9.0, reference="true")  # between views of a thing of boxes


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"views": 0}, "views must be 1"),
        ({"views": 65}, "views must be 1 to 64"),
        ({"texels": 8}, "texels must be 16 to 1024"),
        ({"views": 32, "texels": 1024}, "at most 16384"),
        ({"cutoff": 1.0}, "cutoff"),
        ({"self_shadow": 2}, "self_shadow"),
    ],
)
def test_bad_arguments_are_named(changes, text, vulkan_device):
    with pytest.raises(ValueError, match=text):
        dw.bake_imposter(odd_tree(), device=vulkan_device, **{"texels": 16, "views": 2, **changes})


def test_what_cannot_be_seen_is_refused(vulkan_device):
    with pytest.raises(TypeError, match="finest LOD"):
        dw.bake_imposter([odd_tree()], device=vulkan_device)
    clear = np.zeros((4, 4, 4), np.uint8)
    hidden = box_mesh((0, 0, 0), (1, 1, 1), (1, 1, 1, 1)).replace(
        material=dw.Material(base_color_texture=dw.MaterialTexture.from_image(clear),
                             alpha_mode="mask"),
        uvs=np.zeros((24, 2), np.float32),
    )  # fmt: skip
    with pytest.raises(ValueError, match="show nothing"):
        dw.bake_imposter(hidden, device=vulkan_device)
