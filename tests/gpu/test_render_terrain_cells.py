# SPDX-License-Identifier: MIT
"""Noise cells of terrain in pictures: they stay where they are, and fade to what is expected."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_render import light_of, scene_of

COLORS = ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.5), (0.25, 0.25, 0.0))
SIDE = 64  # metres, heights' cells and texels of the map


def slopes(seed: int = 2) -> np.ndarray:
    y, x = np.mgrid[0 : SIDE + 1, 0 : SIDE + 1] / 9.0
    return 2.0 * np.sin(x + seed) * np.cos(1.3 * y)


def weights(slots: int, seed: int = 0, *, dtype=np.float32) -> np.ndarray:
    """A map with soft and hard borders, zeros, and a texel of nothing."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:SIDE, 0:SIDE] / 11.0
    planes = [np.maximum(np.sin(x * (i + 1) + y) + np.cos(y * (i + 2)), 0.0) for i in range(slots)]
    made = np.stack(planes, axis=-1) + 0.2 * rng.random((SIDE, SIDE, slots))
    made[rng.random(made.shape) < 0.1] = 0.0
    made[3, 5] = 0.0
    if dtype == np.uint8:
        return np.rint(made / made.max() * 255).astype(np.uint8)
    return made.astype(dtype)


def ground(planes, transition: dw.Transition, *, heights=None, **options) -> dw.Terrain:
    materials = [dw.TerrainMaterial(COLORS[i % 4]) for i in range(options.pop("slots", 4))]
    heights = slopes() if heights is None else heights
    return dw.Terrain(heights, planes, materials, transition, cell_size=1.0, **options)


def above(x: float, z: float, metres: float) -> dw.OrthoCamera:
    """Straight down on a square whose corner of least x and z that is."""
    middle = np.array([x + 0.5 * metres, 0.0, z + 0.5 * metres])
    return dw.OrthoCamera(middle + (0, 90, 0), middle, height=metres, up=(0, 0, -1))


# -- cells --


@pytest.mark.parametrize("filter", ["nearest", "linear"])
@pytest.mark.parametrize("by", [(1, 0), (0, 3), (7, 5)])
def test_a_pan_by_whole_cells_moves_the_picture(studio, filter, by):
    """Bit for bit: ids, and on a plane the colours with their light."""
    transition = dw.Transition("priority", cell=0.5)
    flat = np.zeros((SIDE + 1, SIDE + 1))
    terrain = ground(weights(4), transition, heights=flat, filter=filter)
    scene = scene_of(terrain)
    for view in ("ids", "color"):
        terrain.view = view
        frames = [
            studio.render(scene, above(16.0 + 0.5 * dx, 16.0 + 0.5 * dz, 16.0), size=(128, 128))
            for dx, dz in ((0, 0), by)
        ]
        rows, columns = 4 * by[1], 4 * by[0]  # 8 pixels a metre
        for name in ("ids", "color"):
            first, second = (getattr(frame, name) for frame in frames)
            moved = first[rows:, columns:]
            kept = second[: 128 - rows, : 128 - columns]
            assert (moved == kept).all(), (view, name)
            assert len(np.unique(moved.reshape(-1, *moved.shape[2:]), axis=0)) >= (
                3 if (view == "ids") == (name == "ids") else 1
            )


def test_a_cell_shows_one_material_at_every_zoom(studio):
    """Of two pictures the finer one, looked at in the middle of the coarser one's pixels."""
    terrain = ground(weights(4), dw.Transition("dithered", cell=0.25))
    terrain.view = "ids"
    scene = scene_of(terrain)
    coarse = studio.render(scene, above(8, 8, 32.0), size=(128, 128)).ids
    fine = studio.render(scene, above(8, 8, 32.0), size=(640, 640)).ids
    assert (fine[2::5, 2::5] == coarse).all()
    assert (fine.reshape(128, 5, 128, 5) == coarse[:, None, :, None]).all()


# -- far away --


@pytest.mark.parametrize("mode", ["dithered", "priority", "priority_additive", "dominant_accent"])
@pytest.mark.parametrize("rho", [0.25, 0.7, 1.0, 1.37, 3.3, 8.0, 31.7])
def test_smaller_than_a_pixel_cells_show_the_expectation(studio, mode, rho):
    """Mean light over 128 x 128 pixels, within 0.01, at ratios that resonate and others."""
    units = 128 * rho * 0.25
    side = int(np.ceil(units))
    planes = np.broadcast_to(np.array([0.5, 0.3, 0.15, 0.05], np.float32), (side, side, 4))
    transition = dw.Transition(mode, cell=0.25, strength=0.8, zoom=(0, 0.001), noise_size=64)
    shares = dw.expected_coverage(planes[:1, :1], transition)[0, 0]
    colors = [COLORS, [(0.0, 0.0, 0.0)] * 4, [(0.5, 0.5, 0.5)] * 4]
    light = []
    for some in colors:  # black: the highlight alone; grey: what a plane takes of the light
        terrain = dw.Terrain(
            np.zeros((2, 2)), planes, [dw.TerrainMaterial(color) for color in some], transition,
            cell_size=side,
        )  # fmt: skip
        frame = studio.render(scene_of(terrain), above(0, 0, units), size=(128, 128))
        light.append(light_of(frame.color).mean(axis=(0, 1)))
    found = 0.5 * (light[0] - light[1]) / (light[2] - light[1])
    assert np.abs(found - shares @ np.array(COLORS)).max() < 0.01


def test_noise_alone_would_not_do(studio):
    """The control of the test above: with the fade put off, whole regions take one material."""
    planes = np.broadcast_to(np.array([0.5, 0.5], np.float32), (SIDE, SIDE, 2))
    terrain = ground(
        planes, dw.Transition("dithered", cell=1 / 32, noise_size=64), slots=2,
        heights=np.zeros((SIDE + 1, SIDE + 1)),
    )  # fmt: skip
    terrain.view = "ids"
    camera = above(0, 0, 64.0)  # 2048 cells over 32 pixels: 64 each, the period of the noise
    ids = studio.render(scene_of(terrain), camera, size=(32, 32)).ids
    assert len(np.unique(ids)) == 1


def test_colours_stay_when_nothing_is_near(studio):
    """Zoomed out the macro image is what is seen, whatever the materials."""
    image = np.zeros((8, 8, 3), np.uint8)
    image[:, 4:] = (200, 90, 30)
    terrain = ground(
        weights(4), dw.Transition(zoom=(4, 16)), macro=image, style="pixel",
        heights=np.zeros((SIDE + 1, SIDE + 1)),
    )  # fmt: skip
    frame = studio.render(scene_of(terrain), above(0, 0, 64.0), size=(64, 64))
    assert (frame.color[:, :32, :3] < 60).all()
    assert len(np.unique(frame.color[:, 33:].reshape(-1, 4), axis=0)) == 1


def test_pixel_style_keeps_texels(studio):
    """Magnified, "pixel" has the texels' colours alone; "photo" has those between, too."""
    tile = np.zeros((4, 4, 3), np.uint8)
    tile[::2, ::2] = tile[1::2, 1::2] = (180, 120, 60)
    counts = []
    for style in ("pixel", "photo"):
        material = dw.TerrainMaterial(tile, scale=4.0)
        terrain = dw.Terrain(
            np.zeros((9, 9)), np.ones((8, 8, 1), np.float32), [material],
            dw.Transition(zoom=(0, 0.001)), cell_size=1.0, style=style,
        )  # fmt: skip
        frame = studio.render(scene_of(terrain), above(0, 0, 8.0), size=(128, 128))
        counts.append(len(np.unique(frame.color.reshape(-1, 4), axis=0)))
    assert counts[0] == 2 < counts[1]


# -- views --


def test_views_show_weights_and_shares(studio):
    planes = weights(4)
    planes /= np.maximum(planes.sum(axis=2, keepdims=True), 1e-6)
    terrain = ground(planes, dw.Transition("priority", strength=0.5))
    scene = scene_of(terrain)
    camera = above(0, 0, 64.0)
    terrain.view = 2
    grey = light_of(studio.render(scene, camera, size=(64, 64)).color)
    np.testing.assert_allclose(grey[..., 0], planes[..., 2], atol=0.006)
    seen = {}
    for view in ("weights", "expectation", "color"):
        terrain.view = view
        seen[view] = studio.render(scene, camera, size=(64, 64)).color
    assert not (seen["weights"] == seen["expectation"]).all()
    assert (seen["weights"][3, 5, :3] == 0).all() and (seen["expectation"][3, 5, :3] == 0).all()


@pytest.mark.parametrize("cliff", [False, True])
def test_steep_ground_may_have_its_tile_from_the_side(studio, cliff):
    """Bands across a tile: along z of the map, or level ones, as near one another as on a wall."""
    bands = np.zeros((8, 8, 3), np.uint8)
    bands[:4] = 200
    x = np.arange(SIDE + 1)[None, :] * np.ones((SIDE + 1, 1))
    material = dw.TerrainMaterial(bands, scale=8.0, cliff=cliff)
    terrain = dw.Terrain(
        4.0 * x, np.ones((SIDE, SIDE, 1), np.float32), [material], dw.Transition(zoom=(0, 0.001)),
        cell_size=1.0, style="pixel", openness=0.0,
    )  # fmt: skip
    camera = dw.OrthoCamera((20, 300, 20), (20, 0, 20), height=16.0, up=(0, 0, -1))
    light = light_of(studio.render(scene_of(terrain), camera, size=(128, 128)).color)[..., 1]
    is_bright = light > 0.5 * light.max()
    assert 0.45 < is_bright.mean() < 0.55
    lines = is_bright[:, 5].astype(int), is_bright[5].astype(int)
    turns = [int((np.diff(line) != 0).sum()) for line in lines]
    # 16 m: of the map two tiles; 64 m of height eight
    assert turns[0] == (0 if cliff else pytest.approx(4, abs=1))
    assert turns[1] == (pytest.approx(16, abs=1) if cliff else 0)


# -- the same ids as everywhere --

FORMS = ["float32", "float16", "uint8", "packed", "images", "index"]
BETWEEN = "index", "linear"


def formed(form: str):
    """Weights in a form, and how many materials they are of."""
    if form == "packed":
        return dw.pack_weights(weights(8, 4)), 8
    if form == "images":
        return weights(8, 5, dtype=np.uint8).reshape(SIDE, SIDE, 2, 4), 8
    if form == "index":
        return dw.weights_to_index_map(weights(4, 6)), 4
    return weights(4, 7, dtype=np.dtype(form)), 4


# An index map is interpolated over its pairs, a terrain over its planes.
@pytest.mark.parametrize(
    "form, filter", [(f, w) for f in FORMS for w in ("nearest", "linear") if (f, w) != BETWEEN]
)
def test_pictures_have_the_ids_of_select_materials(studio, form, filter):
    """From above on hills, with cells and texels larger and smaller than pixels."""
    planes, slots = formed(form)
    keys = [10 * i + 3 for i in range(slots)][::-1]
    for mode, noise in (("priority", "blue"), ("dithered", "bayer"), ("dominant_accent", "hash"),
                        ("priority_additive", "blue"), ("smooth", "blue")):  # fmt: skip
        transition = dw.Transition(
            mode, cell=0.5, strength=0.7, noise=noise, min_weight=0.05,
            priorities={keys[0]: 0.1, keys[1]: -0.1}, seed=3, quantize=15,
        )  # fmt: skip
        terrain = ground(planes, transition, slots=slots, ids=keys, filter=filter)
        terrain.view = "ids"
        frame = studio.render(scene_of(terrain), above(0, 0, 64.0), size=(256, 256))
        whole = planes if form != "index" else dw.index_map_to_weights(planes)[..., :4]
        wanted = dw.select_materials(
            whole, transition, scale=4.0, filter=filter, materials=keys, device=studio.device
        )
        found = frame.ids - frame.ranges[0].first
        assert (found == wanted).all(), (mode, int((found != wanted).sum()))
        assert len(np.unique(found)) > 3
        what = frame.what(int(frame.ids[100, 100]))
        assert what == (terrain, int(wanted[100, 100]))


def test_material_at_is_what_the_picture_has(studio):
    """Places in the world, on a terrain that lies elsewhere and is not square."""
    planes = weights(4, 9)[:40]
    transition = dw.Transition("priority", cell=0.25, strength=0.4)
    terrain = dw.Terrain(
        slopes()[:41], planes, [dw.TerrainMaterial(c) for c in COLORS], transition,
        cell_size=2.0, position=(-200.0, 7.0, 1000.0), ids=[7, 1, 200, 4],
    )  # fmt: skip
    terrain.view = "ids"
    frame = studio.render(scene_of(terrain), above(-200.0, 1000.0, 80.0), size=(320, 320))
    at = (np.arange(320) + 0.5) * 0.25
    found = terrain.material_at(-200.0 + at[None, :], 1000.0 + at[:, None])
    assert (frame.ids - frame.ranges[0].first == found).all()
    assert found.dtype == np.uint8 and set(np.unique(found)) <= {7, 1, 200, 4, 255}
    assert terrain.material_at(-201.0, 1000.0) == 255
    assert terrain.material_at(-199.9, 1000.1) == found[0, 0]


def test_cells_far_from_the_origin_are_not_lost(studio):
    """A million cells out neighbours still differ, and are those of select_materials."""
    side = 2048
    planes = np.full((side, side, 2), 128, np.uint8)
    transition = dw.Transition("dithered", cell=1 / 32, noise="hash")
    terrain = dw.Terrain(
        np.zeros((2, 2)), planes, [dw.TerrainMaterial(c) for c in COLORS[:2]], transition,
        cell_size=side,
    )  # fmt: skip
    terrain.view = "ids"
    corner = side - 4.0
    frame = studio.render(scene_of(terrain), above(corner, corner, 4.0), size=(128, 128))
    wanted = dw.select_materials(
        planes[-4:, -4:], transition, origin=(corner, corner), scale=32.0, device=studio.device
    )
    found = frame.ids - frame.ranges[0].first
    assert 0.45 < found.mean() < 0.55
    assert (found == wanted).mean() > 0.999
