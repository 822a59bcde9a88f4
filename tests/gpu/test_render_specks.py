# SPDX-License-Identifier: MIT
"""Particles whose glow is less than a pixel: as much light as rastered ones, in any order."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.render_particles import SpriteSet, make_sprites
from helpers_render import front, light_of, quad, scene_of

SIDE = 64
PIXEL = 4.0 / SIDE  # metres, of `front`
BLACK = (0.0, 0.0, 0.0, 1.0)


def style(specks: bool | None, **options) -> dw.ParticleStyle:
    return dw.ParticleStyle(specks=specks, **options)


def cloud(count: int, pixels, *, seed: int = 0, **columns) -> np.ndarray:
    """Sprites all over the picture, so many pixels wide."""
    at = np.random.default_rng(seed).uniform(-1.9, 1.9, (count, 3)) * (1, 1, 2)
    return make_sprites(at, size=np.asarray(pixels) * PIXEL, **columns)


def drawn(studio, sprites, *, specks=True, things=None, samples=1, camera=None, side=SIDE,
          **options):  # fmt: skip
    walls = [quad(at=(0, 0, -5), color=BLACK)] if things is None else things
    scene = scene_of(*walls, SpriteSet([(style(specks, **options), sprites)]))
    return studio.render(scene, camera, size=(side, side), samples=samples)


def light(frame: dw.Frame) -> np.ndarray:
    return light_of(frame.color)[..., 0]


@pytest.mark.parametrize(
    ("pixels", "sharpness", "count"),
    [(0.5, 2.0, 300_000), (1.45, 2.0, 60_000), (0.95, 4.0, 200_000)],
)
def test_as_much_light_as_the_raster(studio, pixels, sharpness, count):
    """Within 2 % of what quads give and of the integral of the glow. Quads hit a pixel's centre
    now and then, so that it takes many of them; few to a pixel, as halves lose by each sum."""
    mean = np.pi / (2 * (sharpness + 1) * (sharpness + 2))
    opacity = float(np.float16(0.05 * 256**2 / (count * pixels**2 * mean)))
    sprites = cloud(count, pixels / 4, opacity=opacity)
    wanted = count * opacity * pixels**2 * mean
    specks, raster = (
        light(drawn(studio, sprites, specks=specks, sharpness=sharpness, side=256)).sum()
        for specks in (True, False)
    )
    assert abs(specks / wanted - 1) < 0.02
    assert abs(raster / specks - 1) < 0.02


def test_nothing_jumps_where_the_choice_changes(studio):
    """The light of a particle by its area, over sizes around 1.5 pixels."""
    sizes = np.array([1.20, 1.35, 1.45, 1.495, 1.505, 1.55, 1.65, 1.80])
    count, found = 60_000, []
    for pixels in sizes:
        sprites = cloud(count, pixels, opacity=float(np.float16(0.05)))
        found.append(light(drawn(studio, sprites)).sum() / pixels**2)
    found = np.array(found) / np.mean(found)
    assert np.abs(found - 1).max() < 0.02
    assert np.abs(np.diff(found)).max() < 0.02


@pytest.mark.parametrize("pixels", [0.5, 1.0, 1.45])
def test_they_are_truer_than_quads(studio, pixels):
    """Against the glow's mean over each pixel, which quads sample at the pixel's centre alone."""
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.arange(4, SIDE, 8)] * 2), -1)
    centres = grid + rng.random((8, 8, 2)) - SIDE / 2
    at = np.concatenate([centres * PIXEL, np.zeros((8, 8, 1))], -1).reshape(-1, 3)
    sprites = make_sprites(at, size=pixels * PIXEL, opacity=1.0)
    fine = (np.arange(SIDE * 16) + 0.5) / 16 - SIDE / 2
    truth = np.zeros((SIDE * 16, SIDE * 16))
    for x, y in centres.reshape(-1, 2):
        rho = np.hypot(fine - x, -(fine + y)[:, None]) / (pixels / 2)
        truth += np.maximum(1 - rho, 0) ** 2
    truth = truth.reshape(SIDE, 16, SIDE, 16).mean((1, 3))
    specks, raster = (
        np.sqrt(np.mean((light(drawn(studio, sprites, specks=specks, sharpness=2.0)) - truth) ** 2))
        for specks in (True, False)
    )
    assert specks < 0.5 * raster


def test_their_order_is_of_no_concern(studio):
    sprites = cloud(20_000, 0.7, opacity=0.05)
    first = drawn(studio, sprites)
    assert (drawn(studio, sprites).color == first.color).all()
    mixed = np.random.default_rng(5).permutation(sprites)
    assert (drawn(studio, mixed).color == first.color).all()


def test_larger_ones_are_rastered_in_their_order(studio):
    """Between specks of no light; a list of many workgroups with gaps."""
    rng = np.random.default_rng(7)
    large = rng.random(3000) < 0.3
    sprites = cloud(3000, np.where(large, 3.0, 0.5), opacity=np.where(large, 0.01, 0.0))
    mixed = drawn(studio, sprites)
    alone = drawn(studio, sprites[large], specks=False)
    assert (mixed.color == alone.color).all()
    assert mixed.stats.particles[0].drawn == 3000
    assert mixed.stats.draw_calls == alone.stats.draw_calls


def test_every_layer_keeps_its_larger_ones(studio):
    """Three layers side by side, each of specks and quads."""
    rng = np.random.default_rng(9)
    layers = []
    for i in range(3):
        sprites = cloud(2000, np.where(rng.random(2000) < 0.2, 3.0, 0.6), seed=i, opacity=0.1)
        sprites["position"][:, 0] = (sprites["position"][:, 0] + 4 * (i - 1)) / 3
        layers.append(sprites)
    wall = quad(at=(0, 0, -5), color=BLACK)
    specks, raster = (
        light(studio.render(scene_of(wall, SpriteSet([(style(which), one) for one in layers]))))
        for which in (True, False)
    )
    for third in (slice(4, 20), slice(24, 40), slice(44, 60)):
        assert raster[:, third].mean() > 0.02
        assert abs(specks[:, third].sum() / raster[:, third].sum() - 1) < 0.03


def test_both_add_up(studio):
    rng = np.random.default_rng(8)
    large = rng.random(5000) < 0.2
    sprites = cloud(5000, np.where(large, 2.0, 0.8), opacity=0.1)
    both = light(drawn(studio, sprites))
    apart = light(drawn(studio, sprites[large])) + light(drawn(studio, sprites[~large]))
    assert np.abs(both - apart).max() < 0.01


@pytest.mark.parametrize("samples", [1, 4])
def test_surfaces_hide_them(studio, samples):
    """A wall in front of the right half, by samples along its edge."""
    edge = 0.5 * PIXEL
    walls = [quad(at=(0, 0, -5), color=BLACK), quad(3.0, at=(3.0 + edge, 0, 4.5), color=BLACK)]
    sprites = cloud(40_000, 0.5, opacity=0.2)
    try:
        found = light(drawn(studio, sprites, things=walls, samples=samples)).mean(axis=0)
    except ValueError as error:
        pytest.skip(str(error))
    half = SIDE // 2
    assert found[4 : half - 1].min() > 0.03
    assert found[half + 2 :].max() == 0.0
    if samples == 4:
        assert 0.2 < found[half] / found[4:half].mean() < 0.8


def test_soft_ones_fade(studio):
    wall = quad(at=(0, 0, -1), color=BLACK)
    at = np.random.default_rng(0).uniform(-1.9, 1.9, (20_000, 3)) * (1, 1, 0)
    sprites = make_sprites(at, size=0.5 * PIXEL, opacity=0.25)
    hard = light(drawn(studio, sprites, things=[wall])).mean()
    soft = light(drawn(studio, sprites, things=[wall], soft=4.0)).mean()
    assert abs(soft / hard - 0.25) < 0.02


def test_bright_ones_do_not_wrap_around(studio):
    """Far more light in a pixel than 32 bits of a sum hold."""
    sprites = make_sprites(np.zeros((5000, 3)), size=0.9 * PIXEL)
    frame = drawn(studio, sprites, glow=1000.0)
    middle = slice(SIDE // 2 - 1, SIDE // 2 + 1)
    assert (frame.color[middle, middle, :3] == 255).all()


def test_over_nothing_they_cover(studio):
    sprites = cloud(20_000, 0.5, opacity=0.5)
    frame = drawn(studio, sprites, things=[])
    assert frame.color[..., 3].mean() > 10
    assert (frame.color[..., :3][frame.color[..., 3] > 0] == 255).all()


def test_in_perspective_they_keep_their_light(studio):
    """Half the size at twice the distance: a quarter of the light."""
    camera = dw.Camera((0, 0, 10), (0, 0, 0), fov_y=0.3)
    found = []
    for z in (0.0, -10.0):
        scale = (10 - z) / 10
        at = np.random.default_rng(1).uniform(-1, 1, (20_000, 3)) * (scale, scale, 0) + (0, 0, z)
        sprites = make_sprites(at, size=0.03, opacity=0.25)
        things = [quad(400.0, at=(0, 0, -50), color=BLACK)]
        found.append(light(drawn(studio, sprites, things=things, camera=camera)).sum())
    assert abs(found[1] / found[0] - 0.25) < 0.01


def test_small_layers_are_rastered_unless_told(studio):
    few, many = cloud(300, 0.5, opacity=0.3), cloud(70_000, 0.5, opacity=0.001)
    assert (
        drawn(studio, few, specks=None).color == drawn(studio, few, specks=False).color
    ).all()
    assert (drawn(studio, many, specks=None).color == drawn(studio, many).color).all()


def test_only_glow_that_is_added_has_specks(studio):
    """All else is rastered as ever."""
    sprites = cloud(3000, 0.8, opacity=0.3)
    for options in ({"blend": "sorted"}, {"image": "ring"}, {"face": "flat"}, {"lit": True}):
        one, other = (drawn(studio, sprites, specks=specks, **options) for specks in (True, False))
        assert (one.color == other.color).all()


def test_sub_frames(studio):
    sprites = cloud(20_000, 0.6, opacity=0.2)
    scene = scene_of(quad(at=(0, 0, -5), color=BLACK), SpriteSet([(style(True), sprites)]))
    one = studio.render(scene, front(), size=(SIDE, SIDE))
    many = studio.render(scene, front(), size=(SIDE, SIDE), temporal=4)
    assert abs(light(many).sum() / light(one).sum() - 1) < 0.02
