# SPDX-License-Identifier: MIT
"""Terrain in pictures: no gaps between its levels, shadows, ids, memory that comes back."""

from __future__ import annotations

import gc

import dapplewood as dw
import numpy as np
import pytest
from helpers_render import light_of, quad, scene_of

RED, GREEN, BLUE = (
    dw.TerrainMaterial(color) for color in ((0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (0.0, 0.0, 0.5))
)


def rough(rows: int, columns: int, seed: int = 3) -> np.ndarray:
    """Hills with cliffs and spikes: what one level leaves out is seen at once."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:rows, 0:columns] / 37.0
    hills = 8 * np.sin(x) * np.cos(1.3 * y) + 3 * np.sin(4 * x + 2 * y)
    return hills + np.where(rng.random((rows, columns)) < 0.05, 6.0, 0.0)


def ground(heights: np.ndarray, *, weights=None, **options) -> dw.Terrain:
    """In the middle of the scene, of one green material unless weights say more."""
    rows, columns = heights.shape
    materials = [GREEN]
    if weights is None:
        weights = np.ones((4, 4, 1), np.float32)
    elif weights.shape[2] > 1:
        materials = [RED, GREEN, BLUE][: weights.shape[2]]
    size = options.setdefault("cell_size", 1.0)
    options.setdefault("position", (-0.5 * size * (columns - 1), 0.0, -0.5 * size * (rows - 1)))
    return dw.Terrain(heights, weights, materials, options.pop("transition", None), **options)


def below(camera: dw.Camera, size: tuple[int, int], terrain: dw.Terrain) -> np.ndarray:
    """(H, W) bool: pixels whose ray meets the terrain for certain: it ends far below the ground,
    within the terrain's sides, and begins above it."""
    origins, directions = camera.rays(*size)
    low, high = terrain.bounds
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = (low[1] - 1.0 - origins[..., 1]) / directions[..., 1]
    end = origins + reach[..., None] * directions
    inside = (end[..., ::2] > low[::2] + 2.0).all(-1) & (end[..., ::2] < high[::2] - 2.0).all(-1)
    return inside & (reach > 0.0) & (reach < camera.far)


# -- levels of detail --


@pytest.mark.parametrize("shape", [(513, 513), (200, 333), (2, 2), (17, 40), (1000, 129)])
@pytest.mark.parametrize("quad_pixels", [2.0, 30.0])
def test_no_sky_is_seen_through_the_ground(studio, shape, quad_pixels):
    """From many places, levels of all kinds next to one another: a ray that meets it finds it."""
    size = max(1.0, 300.0 / min(shape))
    terrain = ground(rough(*shape), quad_pixels=quad_pixels, cell_size=size)
    scene = scene_of(terrain)
    rng = np.random.default_rng(shape[0])
    width, depth = terrain.size
    checked = 0
    for _ in range(8):
        x, z = rng.uniform(-0.5, 0.5, 2) * (width, depth)
        eye = np.array([x, terrain.height_at(x, z) + rng.uniform(0.5, 60.0), z])
        target = np.array([*(rng.uniform(-0.4, 0.4, 2) * (width, depth)), 0.0])[[0, 2, 1]]
        camera = dw.Camera(eye, target + (0.0, -5.0, 0.0), fov_y=rng.uniform(0.5, 1.6))
        frame = studio.render(scene, camera, size=(160, 120))
        sure = below(camera, (160, 120), terrain)
        checked += int(sure.sum())
        assert (frame.ids[sure] > 0).all()
        assert np.isfinite(frame.depth[sure]).all()
    assert checked > 5000


def test_levels_differ_across_a_picture(studio):
    """The test above looks at what it is about: few patches cover much, several levels at once."""
    terrain = ground(rough(1025, 1025), quad_pixels=12.0)
    camera = dw.Camera((-500, 40, 0), (0, 0, 0))
    frame = studio.render(scene_of(terrain), camera, size=(160, 120))
    drawn = frame.stats.terrains[0]
    assert 20 < drawn.patches < 400  # all of level 0 would be 64 x 64 of them
    assert drawn.triangles == 512 * drawn.patches


@pytest.mark.parametrize("height", [30.0, 100.0, 421.0, 1000.0])
def test_a_map_from_above_has_no_gaps(studio, height):
    terrain = ground(rough(513, 513))
    camera = dw.OrthoCamera((0, 300, 0), (0, 0, 0), height=height, up=(0, 0, -1))
    frame = studio.render(scene_of(terrain), camera, size=(200, 200))
    metres = (np.arange(200) + 0.5) / 200 * height - 0.5 * height
    inside = np.abs(metres) < 256.0
    assert (frame.ids[np.ix_(inside, inside)] > 0).all()
    outside = np.abs(metres) > 256.0
    assert (frame.ids[np.ix_(outside, outside)] == 0).all()


def test_a_plane_is_where_it_is_at_every_level(studio):
    """Gliding vertices of an even slope stay on it: depths are those of the plane."""
    y, x = np.mgrid[0:700, 0:700]
    terrain = ground(0.05 * x + 0.02 * y, quad_pixels=20.0)
    camera = dw.Camera((-300, 60, -300), (100, 20, 80), far=3000)
    frame = studio.render(scene_of(terrain), camera, size=(160, 120))
    origins, directions = (part.astype(np.float64) for part in camera.rays(160, 120))
    wide, deep = terrain.size
    normal = np.array([0.05, -1.0, 0.02])
    offset = 0.05 * 0.5 * wide + 0.02 * 0.5 * deep
    t = -(origins @ normal + offset) / (directions @ normal)
    there = frame.ids > 0
    assert there.mean() > 0.3
    np.testing.assert_allclose(frame.depth[there], t[there], rtol=2e-4)


def test_height_at_is_where_the_picture_has_it(studio):
    heights = rough(40, 60)
    terrain = ground(heights, position=(3.0, 5.0, -7.0), height_scale=0.5, quad_pixels=1.0)
    centre = np.array([3.0 + 29.5, 0.0, -7.0 + 19.5])
    camera = dw.OrthoCamera(centre + (0, 100, 0), centre, height=36.0, up=(0, 0, -1))
    frame = studio.render(scene_of(terrain), camera, size=(360, 360))
    x = centre[0] - 18.0 + (np.arange(360) + 0.5) * 0.1
    z = centre[2] - 18.0 + (np.arange(360) + 0.5) * 0.1
    wanted = terrain.height_at(x[None, :], z[:, None])
    found = 100.0 - frame.depth
    assert np.quantile(np.abs(found - wanted), 0.999) < 2e-3
    assert np.isnan(terrain.height_at(2.9, 0.0)) and np.isnan(terrain.height_at(10.0, 33.0))
    assert terrain.height_at(3.0, -7.0) == pytest.approx(0.5 * heights[0, 0] + 5.0, abs=1e-5)


def test_what_lies_outside_the_view_is_not_drawn(studio):
    terrain = ground(np.zeros((513, 513)), quad_pixels=1.0)
    near = dw.Camera((0, 5, 0), (0, 4, -40), fov_y=0.4, far=60.0)
    away = dw.Camera((0, 5, 300), (0, 5, 400))
    assert 0 < studio.render(scene_of(terrain), near).stats.terrains[0].patches < 80
    assert studio.render(scene_of(terrain), away).stats.terrains[0].patches == 0


# -- light --


def test_it_receives_and_casts_shadows(studio):
    """A roof's shadow lies on flat ground where the sun says; a ridge's on the roof beyond."""
    scene = dw.Scene()
    scene.sky = None
    scene.sun.direction, scene.sun.shadow_size = (0.0, 1.0, 0.0), 1024
    scene.add(ground(np.zeros((65, 65))))
    roof = quad(4.0, unlit=False, double_sided=True)
    lying = np.array([[1, 0, 0, 0], [0, 0, 1, 6], [0, -1, 0, 0], [0, 0, 0, 1.0]])
    scene.add(roof, lying)
    camera = dw.OrthoCamera((0, 3, 0), (0, 0, 0), height=40, up=(0, 0, -1))
    frame = studio.render(scene, camera, size=(160, 160))
    light = light_of(frame.color)[..., 1]
    assert light[80, 80] < 0.5 * light[80, 20]
    dark = light < 0.6 * light[80, 20]
    assert 31 <= dark[80].sum() <= 33 and 31 <= dark[:, 80].sum() <= 33

    ridge = np.zeros((65, 65))
    ridge[:, 20:24] = 10.0
    scene = dw.Scene()
    scene.sky = None
    scene.sun.direction, scene.sun.shadow_size = (-1.0, 1.0, 0.0), 1024
    terrain = scene.add(ground(ridge))
    high = dw.OrthoCamera((0, 50, 0), (0, 0, 0), height=60, up=(0, 0, -1))
    lit = light_of(studio.render(scene, high, size=(240, 240)).color)[120, :, 1]
    behind = lit[120 + 4 * (-5) : 120 + 4 * (-1)]  # the ridge ends at x = -8, its shadow at 1
    assert behind.max() < 0.6 * lit[200]
    scene.remove(terrain)
    scene.add(ground(ridge, casts_shadow=False))
    scene.add(quad(1.0, at=(0, 0, -25.0)))  # something else that may cast
    free = light_of(studio.render(scene, high, size=(240, 240)).color)[120, :, 1]
    assert free[120 - 20 : 120 - 4].min() > 0.9 * free[200]


def test_light_follows_the_slope(studio):
    """Lambert of the slope's own normal, the sky's part taken off by a second sun."""
    x = np.arange(65)[None, :] * np.ones((65, 1))
    scene = dw.Scene()
    scene.sky, scene.sun.shadows = None, False
    camera = dw.OrthoCamera((0, 100, 0), (0, 0, 0), height=20, up=(0, 0, -1))
    sun = np.array([-0.6, 0.8, 0.0])
    seen = {}
    for slope in (0.0, 0.5, -0.5):
        scene.remove(seen["terrain"]) if seen else None
        seen["terrain"] = scene.add(ground(slope * x))
        scene.sun.direction = tuple(sun)
        light = []
        for color in ((0.5, 0.5, 0.5), (0.0, 0.0, 0.0)):
            scene.sun.color = color
            frame = studio.render(scene, camera, size=(64, 64))
            light.append(light_of(frame.color)[32, 32, 1])
        normal = np.array([-slope, 1.0, 0.0]) / np.hypot(slope, 1.0)
        assert light[0] - light[1] == pytest.approx(0.25 * (normal @ sun), rel=0.08)


# -- what it is made of --


def test_parts_that_are_gone_leave_the_device(studio):
    scene = scene_of(quad())
    camera = dw.Camera((0, 20, 60), (0, 0, 0))

    def counts() -> dict[str, int]:
        """Pipelines stay with the device."""
        studio.render(scene, camera)
        return {k: v for k, v in studio.device.live_counts().items() if k != "pipelines"}

    before = counts()
    for _ in range(2):
        terrain = ground(rough(100, 100), weights=np.ones((9, 9, 3), np.float32))
        scene.add(terrain)
        there = counts()
        assert there != before
        terrain.transition = dw.Transition("dithered", noise_size=64, seed=5)
        assert counts() == there
        scene.remove(terrain)
        del terrain
        gc.collect()
        assert counts() == before


def test_it_has_one_number_and_says_what_it_is(studio):
    terrain = ground(np.zeros((20, 20)))
    scene = scene_of(quad(0.5), terrain)
    frame = studio.render(scene, dw.OrthoCamera((0, 9, 0), (0, 0, 0), height=8))
    found = {frame.what(int(n)) for n in np.unique(frame.ids)}
    assert (terrain, 0) in found
    assert frame.pick(5, 5) == (terrain, 0)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"heightfield": np.zeros((1, 40))}, r"2 heights or more .* got \(1, 40\)"),
        ({"heightfield": np.zeros((4, 4, 1))}, r"must be \(H, W\)"),
        ({"heightfield": np.full((4, 4), np.nan)}, "must be finite, got nan at"),
        ({"cell_size": 0.0}, "cell_size must be"),
        ({"position": (0, 1)}, "position must be 3 numbers"),
        ({"weights": np.ones((4, 4), np.float32)}, r"weights must have shape \(H, W, N\)"),
        ({"weights": np.ones((4, 4, 2), np.float32)}, "2 materials, but materials has 1"),
        ({"weights": np.ones((4, 4, 17), np.float32)}, "2 to 16 materials"),
        ({"materials": []}, "materials is empty"),
        ({"ids": [1, 2]}, "ids must be one for each of 1 materials"),
        ({"style": "oil"}, "style must be one of photo, pixel"),
        ({"filter": "cubic"}, "filter must be one of nearest, linear"),
        ({"openness": 1.5}, "openness must be"),
        ({"height_scale": np.inf}, "height_scale must be finite"),
    ],
)
def test_what_does_not_fit_is_told(change, message):
    given = {
        "heightfield": np.zeros((4, 4)), "weights": np.ones((4, 4, 1), np.float32),
        "materials": [GREEN], "cell_size": 1.0,
    } | change  # fmt: skip
    heights, weights, materials = (given.pop(n) for n in ("heightfield", "weights", "materials"))
    with pytest.raises(ValueError, match=message):
        dw.Terrain(heights, weights, materials, **given)


def test_wrong_kinds_are_told():
    weights = np.ones((4, 4, 1), np.float32)
    with pytest.raises(TypeError, match="heightfield must be real numbers"):
        dw.Terrain(np.zeros((4, 4), complex), weights, [GREEN], cell_size=1)
    with pytest.raises(TypeError, match="weights must be float32, float16 or uint8"):
        dw.Terrain(np.zeros((4, 4)), weights.astype(np.uint32), [GREEN], cell_size=1)
    with pytest.raises(TypeError, match=r"materials\[0\] must be a TerrainMaterial"):
        dw.Terrain(np.zeros((4, 4)), weights, ["grass"], cell_size=1)
    with pytest.raises(TypeError, match="transition must be a Transition"):
        dw.Terrain(np.zeros((4, 4)), weights, [GREEN], "smooth", cell_size=1)
    terrain = dw.Terrain(np.zeros((4, 4)), weights, [GREEN], cell_size=1)
    with pytest.raises(ValueError, match="view must be one of color, ids"):
        terrain.view = 2
    scene = dw.Scene()
    scene.add(terrain)
    with pytest.raises(ValueError, match="in the scene already"):
        scene.add(terrain)
    with pytest.raises(ValueError, match="a terrain has its own place"):
        dw.Scene().add(terrain, np.eye(4))
