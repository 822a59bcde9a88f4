# SPDX-License-Identifier: MIT
"""Particles in pictures: pixels against NumPy, depth, blending, fog, frames, and draw calls."""

from __future__ import annotations

import dapplewood as dw
import helpers_sprites as model
import numpy as np
import pytest
from dapplewood.layouts import record_dtype
from dapplewood.particle_style import LAYER_STYLES
from dapplewood.render_particles import SpriteSet, make_sprites, pack_axis
from helpers import TOLERANCE, decode_srgb, encode_srgb
from helpers_render import front, light_of, quad, scene_of

BLACK = (0.0, 0.0, 0.0, 1.0)
SIDE = 64
CONSTANTS = record_dtype("dw_particle_push").itemsize  # of a draw


def style(**options) -> dw.ParticleStyle:
    return dw.ParticleStyle(**options)


def plain(**options) -> dw.ParticleStyle:
    """A picture that is white all over."""
    return style(image=np.full((4, 4, 4), 255, np.uint8), **options)


def places(side: int = SIDE) -> tuple[np.ndarray, np.ndarray]:
    """x to the right and y upwards of each pixel's centre, from -1 to 1."""
    at = (np.arange(side) + 0.5) * 2 / side - 1
    return np.meshgrid(at, -at)


def drawn(studio, *layers, things=None, camera=None, samples=1, **options) -> dw.Frame:
    """Sprites in front of a black wall, or of `things`."""
    walls = [quad(at=(0, 0, -5), color=BLACK)] if things is None else things
    scene = scene_of(*walls, SpriteSet(layers, **options))
    return studio.render(scene, camera, size=(SIDE, SIDE), samples=samples)


def steps_off(frame: dw.Frame, light) -> float:
    """8-bit steps between a picture and linear light, in the worst pixel."""
    wanted = 255 * encode_srgb(np.broadcast_to(light, (*frame.color.shape[:2], 3)))
    return float(np.abs(frame.color[..., :3] - wanted).max())


def centred(size: float = 4.0, **columns) -> np.ndarray:
    return make_sprites([[0, 0, 0]], size=size, **columns)


@pytest.mark.parametrize("sharpness", [1.0, 2.0, 4.5])
def test_glow_is_a_power_of_the_distance_to_the_rim(studio, sharpness):
    """Once: not once in the colour and once more in the alpha."""
    frame = drawn(studio, (style(sharpness=sharpness), centred(opacity=0.5)))
    light = 0.5 * model.glow(*places(), sharpness)
    assert steps_off(frame, light[..., None]) <= TOLERANCE["particle_steps"]


@pytest.mark.parametrize("image", ["ring", "streak"])
def test_rings_and_streaks(studio, image):
    frame = drawn(studio, (style(image=image), centred()))
    light = getattr(model, image)(*places())
    assert steps_off(frame, light[..., None]) <= TOLERANCE["particle_steps"]


def test_rings_are_brightest_at_065(studio):
    frame = drawn(studio, (style(image="ring"), centred()))
    row = frame.color[SIDE // 2, SIDE // 2 :, 0]
    assert abs((np.argmax(row) + 0.5) / (SIDE / 2) - 0.65) < 1 / SIDE


@pytest.mark.parametrize("seconds", [0.0, 3.25, 1279.99])
def test_flames_are_rising_noise(studio, seconds):
    turn, age, variant = 0.25, 0.5, 4711
    sprite = centred(turn=turn, age=age, frame=variant / 256, color=(255, 255, 255, 255))
    frame = drawn(studio, (style(image="flame"), sprite), tick=round(seconds * 65536))
    light, hot = model.flame(*places(), seconds, variant=variant, turn=turn, age=age)
    color = 1 + (np.array([1.0, 0.9, 0.4]) - 1) * hot[..., None]
    assert light.max() > 0.2
    assert steps_off(frame, light[..., None] * color) <= TOLERANCE["particle_steps"]


def test_the_clock_of_flames_begins_anew_without_a_jump(studio):
    """1,280 s are a whole number of cells of both noises."""
    layer = style(image="flame"), centred(frame=7 / 256)
    end, begin, later = (drawn(studio, layer, tick=1280 * 65536 + n).color for n in (-1, 0, 20000))
    assert np.abs(end.astype(int) - begin).max() <= 1
    assert np.abs(later.astype(int) - begin).max() > 20


def test_flames_repeat_with_a_loop(studio):
    layer = style(image="flame"), centred(frame=7 / 256)
    loop = 90000
    first, half, next_ = (
        drawn(studio, layer, tick=n, loop=loop).color for n in (0, loop // 2, loop)
    )
    assert (first == next_).all()
    assert np.abs(half.astype(int) - first).max() > 20


def test_puffs_are_torn_and_differ(studio):
    """No disc: the outline is ragged; variants are unlike; a turn turns the picture."""
    puff = style(image="puff", blend="sorted", lit=False)

    def cover(**columns) -> np.ndarray:
        return drawn(studio, (puff, centred(**columns)), things=[]).color[..., 3].astype(int)

    one, other, turned = cover(frame=5 / 256), cover(frame=6 / 256), cover(frame=5 / 256, turn=0.25)
    rho = np.hypot(*places())
    assert one[rho > 1].max() == 0
    assert one[rho < 0.3].mean() > 100
    rim = one[(rho > 0.45) & (rho < 0.65)]
    assert rim.std() > 25
    assert np.abs(one - other).max() > 60
    assert np.abs(np.rot90(one, 1) - turned).max() <= 2


def test_chips_have_straight_sides(studio):
    """Five sides; every pixel but those along the outline is covered or not."""
    chip = style(image="chip", blend="sorted", lit=False)
    alpha = drawn(studio, (chip, centred(frame=3 / 256)), things=[]).color[..., 3]
    part = (alpha > 0) & (alpha < 255)
    assert (alpha == 255).mean() > 0.1
    assert part.mean() < 0.1


def test_a_billboard_lies_where_the_camera_sees_it(studio):
    """Turned and higher than wide, from a camera that looks down aslant."""
    camera = dw.Camera((3, 2.5, 4), (0.2, 0.1, -0.3), fov_y=0.6)
    centre, size, aspect, turn = np.array([0.1, 0.2, -0.1]), 1.1, 1.5, 0.07
    sprite = make_sprites([centre], size=size, turn=turn)
    frame = drawn(studio, (plain(aspect=aspect), sprite), things=[], camera=camera)
    right, up, _ = camera.view_matrix[:3, :3]
    # pixels, unprojected onto the plane through the centre that faces the camera
    x, y = places()
    forward = np.asarray(camera.forward)
    half = np.tan(0.3)
    ray = forward + half * (x[..., None] * right + y[..., None] * up)
    depth = (centre - np.array([3, 2.5, 4])) @ forward
    off = np.array([3, 2.5, 4]) + ray * depth - centre
    c, s = np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn)
    u = (off @ (c * right + s * up)) * 2 / size
    v = (off @ (c * up - s * right)) * 2 / (size * aspect)
    far = np.maximum(np.abs(u), np.abs(v))
    shown = frame.color[..., 3] > 0
    clear = np.abs(far - 1) > 0.03
    assert shown.sum() > 200
    assert (shown == (far < 1))[clear].all()


def test_flat_ones_lie_on_the_ground(studio):
    camera = dw.OrthoCamera((0, 10, 0), (0, 0, 0), up=(0, 0, -1), height=4.0, near=0.5, far=50.0)
    sprite = make_sprites([[0.5, 1, 0.25]], size=1.0)
    frame = drawn(studio, (plain(face="flat"), sprite), things=[], camera=camera)
    x, y = places()
    inside = (np.abs(2 * x - 0.5) < 0.5) & (np.abs(-2 * y - 0.25) < 0.5)
    assert ((frame.color[..., 3] > 0) == inside).all()
    side = drawn(studio, (plain(face="flat"), sprite), things=[], camera=front())
    assert (side.color[..., 3] > 0).sum() == 0


@pytest.mark.parametrize("axis", [(0.0, 1.0, 0.0), (0.6, -0.8, 0.0), (0.48, 0.64, -0.6)])
def test_streaks_point_along_their_axis(studio, axis):
    sprite = make_sprites([[0, 0, 0]], size=0.2, axis=axis)
    streak = plain(face="streak", stretch=10.0)
    frame = drawn(studio, (streak, sprite), things=[])
    shown = np.asarray(axis)[:2]
    length = np.hypot(*shown)
    way = shown / length
    x, y = (2 * part for part in places())
    along = np.abs(x * way[0] + y * way[1]) / (0.1 * 10 * length)
    across = np.abs(x * way[1] - y * way[0]) / 0.1
    far = np.maximum(along, across)
    clear = (np.abs(along - 1) > 0.07) & (np.abs(across - 1) > 0.4)
    inside = frame.color[..., 3] > 0
    assert inside.sum() > 20
    assert (inside == (far < 1))[clear].all()


def test_a_streak_towards_the_camera_is_a_dot(studio):
    sprite = make_sprites([[0, 0, 0]], size=1.0, axis=(0, 0, 1))
    shown = drawn(studio, (plain(face="streak", stretch=4), sprite), things=[]).color[..., 3] > 0
    assert shown.sum() == (SIDE // 4) ** 2


def test_axes_keep_their_direction():
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(500, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    words = pack_axis(axes)
    parts = np.stack([words >> s & 1023 for s in (0, 10, 20)], axis=1).astype(int)
    assert (words != 0).all()
    assert np.abs((parts - 512) / 511 - axes).max() <= 0.5 / 511 + 1e-9


def test_surfaces_hide_what_is_behind_them(studio):
    wall = quad(1.0, at=(1, 0, 1), color=BLACK)
    frame = drawn(studio, (plain(), centred(3.0)), things=[quad(at=(0, 0, -5), color=BLACK), wall])
    x, y = (2 * part for part in places())
    hidden = (x > 0) & (np.abs(y) < 1)
    lit = (np.abs(x) < 1.5) & (np.abs(y) < 1.5) & ~hidden
    assert ((frame.color[..., 0] > 0) == lit).all()


def test_particles_leave_depth_and_ids_alone(studio):
    walls = [quad(at=(0, 0, -5), color=BLACK)]
    bare = studio.render(scene_of(*walls), size=(SIDE, SIDE))
    for blend in ("add", "premultiplied", "sorted"):
        frame = drawn(studio, (plain(blend=blend), centred(3.0)), things=walls)
        assert (frame.color != bare.color).any()
        assert (frame.depth == bare.depth).all()
        assert (frame.ids == bare.ids).all()


@pytest.mark.parametrize("samples", [1, 4])
def test_soft_ones_fade_towards_surfaces(studio, samples):
    """A slanted wall through the particle: opacity goes with the distance between them."""
    slanted = quad(color=BLACK, double_sided=True).transformed(
        np.array([[0.6, 0, 0.8, 0], [0, 1, 0, 0], [-0.8, 0, 0.6, 0], [0, 0, 0, 1]])
    )
    soft = plain(soft=1.5)
    try:
        frame = drawn(studio, (soft, centred(4.0)), things=[slanted], samples=samples)
    except ValueError as error:
        pytest.skip(str(error))
    x, _ = places()
    depth = -2 * x * 0.8 / 0.6  # z of the wall at the pixel
    share = np.clip(-depth / 1.5, 0, 1)
    away = np.abs(depth) > 0.1  # a pixel's samples lie on both sides elsewhere
    off = np.abs(frame.color[..., 0] - 255 * encode_srgb(share))
    assert off[away].max() <= TOLERANCE["particle_steps"] + 3 * (samples > 1)
    assert share.min() == 0.0 and share.max() == 1.0


def test_soft_ones_do_not_fade_before_the_sky(studio):
    frame = drawn(studio, (plain(soft=100.0), centred(3.0)), things=[])
    assert (frame.color[SIDE // 2, SIDE // 2] == 255).all()


def test_soft_ones_fade_out_before_the_camera(studio):
    """None is cut by the near plane."""
    camera = dw.Camera((0, 0, 3), (0, 0, 0), fov_y=0.5)
    for distance, share in ((0.5, 0.25), (1.0, 0.5), (2.5, 1.0)):
        sprite = make_sprites([[0, 0, 3 - distance]], size=0.2)
        frame = drawn(studio, (plain(soft=2.0), sprite), camera=camera)
        found = light_of(frame.color[SIDE // 2, SIDE // 2])
        assert np.abs(found - share).max() < 0.02


def test_samples_smooth_where_surfaces_cut(studio):
    """Depth is tested for each sample, though a fragment is shaded once."""
    slanted = quad(color=BLACK, double_sided=True).transformed(
        np.array([[0.98, -0.199, 0, 0], [0.199, 0.98, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        @ np.array([[0.6, 0, 0.8, 0], [0, 1, 0, 0], [-0.8, 0, 0.6, 0], [0, 0, 0, 1]])
    )
    try:
        frame = drawn(studio, (plain(), centred(4.0)), things=[slanted], samples=4)
    except ValueError as error:
        pytest.skip(str(error))
    light = np.unique(np.rint(4 * light_of(frame.color[..., :3])[..., 0]) / 4)
    assert set(light) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert len(light) > 2


def test_light_adds_up(studio):
    """In any order, beyond 1 too."""
    rng = np.random.default_rng(1)
    at = rng.uniform(-1, 1, (12, 3)) * (1, 1, 3)
    size, opacity = rng.uniform(1, 2, 12), rng.uniform(0.05, 0.3, 12)
    sprites = make_sprites(at, size=size, opacity=opacity)
    x, y = (2 * part for part in places())
    light = sum(
        np.float64(np.float16(o)) * model.glow(2 * (x - p[0]) / s, 2 * (y - p[1]) / s)
        for p, s, o in zip(at, size, opacity, strict=True)
    )
    frame = drawn(studio, (style(), sprites))
    assert steps_off(frame, light[..., None]) <= TOLERANCE["particle_steps"]
    back = drawn(studio, (style(), sprites[::-1]))
    assert np.abs(back.color.astype(int) - frame.color).max() <= 1


def test_sorted_ones_lie_over_each_other(studio):
    """In the order given: each over all before it."""
    colors = np.array([[255, 60, 30, 255], [40, 200, 60, 255], [50, 80, 220, 128]], np.uint8)
    at = np.array([[-0.4, 0, -1], [0.3, 0.2, 0], [0, -0.3, 1]])
    opacity = np.array([0.5, 0.75, 0.625])
    sprites = make_sprites(at, size=2.0, color=colors, opacity=opacity)
    frame = drawn(studio, (plain(blend="sorted", lit=False), sprites))
    x, y = (2 * part for part in places())
    light = np.zeros((SIDE, SIDE, 3))
    for p, c, o in zip(at, colors, opacity, strict=True):
        inside = (np.abs(x - p[0]) < 1) & (np.abs(y - p[1]) < 1)
        alpha = (inside * o * c[3] / 255)[..., None]
        light = light * (1 - alpha) + alpha * decode_srgb(c[:3] / 255)
    assert steps_off(frame, light) <= TOLERANCE["particle_steps"]


def test_premultiplied_pictures_add_where_alpha_is_low(studio):
    texel = np.full((4, 4, 4), (188, 188, 188, 0), np.uint8)
    wall = quad(at=(0, 0, -5), color=(0.25, 0.25, 0.25, 1.0))
    layer = style(image=texel, blend="premultiplied", lit=False), centred(5.0)
    frame = drawn(studio, layer, things=[wall])
    assert steps_off(frame, 0.25 + decode_srgb(188 / 255)) <= TOLERANCE["particle_steps"]


def test_over_nothing_light_covers_as_much_as_it_is_strong(studio):
    frame = drawn(studio, (plain(), centred(5.0, opacity=0.25)), things=[])
    assert (frame.color == (255, 255, 255, 64)).all()


def test_layers_that_cover_come_before_those_that_add(studio):
    light = plain(), centred(5.0, opacity=0.25)
    cover = plain(blend="sorted", lit=False), centred(5.0, color=(0, 0, 0, 255))
    frame = drawn(studio, light, cover)
    assert steps_off(frame, 0.25) <= TOLERANCE["particle_steps"]


def test_colours_are_decoded_unless_they_are_light(studio):
    code = np.array([200, 100, 20])
    layer = plain(), centred(5.0, color=(*code, 255))
    coded = drawn(studio, layer)
    assert np.abs(coded.color[..., :3].astype(int) - code).max() <= TOLERANCE["particle_steps"]
    light = drawn(studio, layer, linear=True)
    assert steps_off(light, code / 255) <= TOLERANCE["particle_steps"]


def test_glow_multiplies_light(studio):
    frame = drawn(studio, (plain(glow=3.0), centred(5.0, opacity=0.125)))
    assert steps_off(frame, 0.375) <= TOLERANCE["particle_steps"]


@pytest.mark.parametrize("blend", ["add", "sorted"])
def test_fog(studio, blend):
    """Light fades in it; what covers takes its colour."""
    scene = scene_of(quad(at=(0, 0, -5), color=BLACK, unlit=True))
    scene.sky = dw.Sky(zenith=(0, 0, 0), horizon=(0, 0, 0), ground=(0, 0, 0), tone=False)
    scene.sky.fog = dw.Fog(color=(0.2, 0.3, 0.4), density=0.05, height_falloff=0.0)
    scene.sun.color = (0, 0, 0)
    empty = studio.render(scene, size=(SIDE, SIDE))
    scene.add(SpriteSet([(plain(blend=blend, lit=False), centred(5.0, opacity=0.5))]))
    frame = studio.render(scene, size=(SIDE, SIDE))
    amount = 1 - np.exp(-0.05 * 10.0)
    behind = light_of(empty.color)
    added = 0.5 * (1 - amount)
    over = 0.5 * (1 - amount + amount * np.array([0.2, 0.3, 0.4])) + 0.5 * behind
    wanted = behind + added if blend == "add" else over
    middle = slice(SIDE // 2 - 2, SIDE // 2 + 2)
    off = np.abs(frame.color[middle, middle, :3] - 255 * encode_srgb(wanted)[middle, middle])
    assert off.max() <= 2


def test_what_covers_is_lit(studio):
    """By the sun from the side it stands on, in its shadow less."""
    scene = dw.Scene()
    scene.sky.tone, scene.sky.fog.density = False, 0.0
    scene.sun.direction, scene.sun.color = (1, 0.2, 0.2), (0.6, 0.6, 0.6)
    puff = style(image="puff", blend="sorted")
    scene.add(SpriteSet([(puff, centred(4.0, color=(180, 180, 180, 255)))]))
    rows, half = slice(SIDE // 3, -SIDE // 3), SIDE // 2
    middle = studio.render(scene, size=(SIDE, SIDE)).color[rows, :, :3].astype(int)
    scene.sun.direction = (-1, 0.2, 0.2)
    other = studio.render(scene, size=(SIDE, SIDE)).color[rows, :, :3].astype(int)
    assert middle[:, half + 4 : half + 16].mean() > 1.1 * other[:, half + 4 : half + 16].mean()
    assert other[:, half - 16 : half - 4].mean() > 1.1 * middle[:, half - 16 : half - 4].mean()
    scene.sun.direction = (1, 0.2, 0.2)
    scene.add(quad(30.0, at=(0, 0, 0), double_sided=True).transformed(
        np.array([[0, 0, 1, 3], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1.0]])
    ))  # fmt: skip
    shaded = studio.render(scene, size=(SIDE, SIDE)).color[rows, :, :3].astype(int)
    inside = slice(half - 12, half + 12)
    assert shaded[:, inside].mean() < 0.9 * middle[:, inside].mean()


def test_frames_are_blended(studio):
    """Of a sheet of 2 by 2 colours, read row by row; the last one stays."""
    colors = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]], np.uint8)
    sheet = np.full((8, 8, 4), 255, np.uint8)
    for i, color in enumerate(colors):
        sheet[4 * (i // 2) : 4 * (i // 2) + 4, 4 * (i % 2) : 4 * (i % 2) + 4, :3] = color
    layer = style(image=sheet, frames=(2, 2))
    for number in (0.0, 0.25, 1.0, 1.5, 2.75, 3.0, 3.5):
        frame = drawn(studio, (layer, centred(3.0, frame=number)))
        low, share = min(int(number), 3), number % 1
        wanted = (1 - share) * colors[low] / 255 + share * colors[min(low + 1, 3)] / 255
        inside = frame.color[10:-10, 10:-10, :3]
        assert np.abs(inside - 255 * encode_srgb(wanted)).max() <= TOLERANCE["particle_steps"]


def test_far_frames_do_not_run_into_each_other(studio):
    sheet = np.zeros((32, 64, 4), np.uint8)
    sheet[..., 3], sheet[:, :32, 0], sheet[:, 32:, 2] = 255, 200, 200
    layer = style(image=sheet, frames=(2, 1))
    for size in (3.0, 1.0, 0.3, 0.1):
        color = drawn(studio, (layer, centred(size))).color
        assert color[..., 0].max() > 190
        assert color[..., 2].max() == 0


def test_pictures_stand_upright(studio):
    picture = np.zeros((8, 8, 4), np.uint8)
    picture[..., 3] = 255
    picture[:4, :, 0] = 255  # the upper half
    picture[:, :4, 1] = 255  # the left half
    color = drawn(studio, (style(image=picture), centred(4.0))).color
    quarter = SIDE // 4
    assert tuple(color[quarter, quarter, :2]) == (255, 255)
    assert tuple(color[quarter, -quarter, :2]) == (255, 0)
    assert tuple(color[-quarter, quarter, :2]) == (0, 255)


def test_sub_frames_agree_with_one(studio):
    """Averaged over moves of a part of a pixel, a smooth picture is the same."""
    layers = (style(), centred(4.0)), (style(image="flame"), centred(2.0))
    scene = scene_of(quad(at=(0, 0, -5), color=BLACK), SpriteSet(layers))
    one = studio.render(scene, size=(SIDE, SIDE))
    many = studio.render(scene, size=(SIDE, SIDE), temporal=8)
    assert np.abs(many.color.astype(int) - one.color).mean() < 0.6
    assert many.stats.draw_calls == one.stats.draw_calls


@pytest.mark.parametrize("count", [1, 100, 10_000])
def test_one_draw_call_a_layer(studio, count):
    """However many particles; empty layers have none."""
    rng = np.random.default_rng(2)
    names = ["splash", "bubble", "shimmer", "ripple", "dust"]
    layers = [
        (name, make_sprites(rng.uniform(-2, 2, (count, 3)), size=0.01)) for name in names[:4]
    ]
    layers.append((names[4], make_sprites(np.zeros((0, 3)))))
    frame = drawn(studio, *layers, things=[])
    assert frame.stats.draw_calls == 4
    assert [(one.name, one.drawn) for one in frame.stats.particles] == [
        (name, count) for name in names[:4]
    ]
    assert "scene_particles" in frame.stats.milliseconds or not frame.stats.milliseconds
    assert "splash" in frame.stats._repr_html_()


def test_every_builtin_layer_draws(studio):
    for layer in dw.ParticleLayer:
        axis = (0.6, 0.8, 0) if LAYER_STYLES[layer].face == "streak" else None
        sprite = centred(1.0, axis=axis, age=0.2, opacity=0.8)
        camera = dw.OrthoCamera((0, 6, 8), (0, 0, 0), height=4.0, near=0.5, far=50.0)
        frame = drawn(studio, (layer, sprite), things=[], camera=camera)
        assert frame.color[..., 3].max() > 60, layer.name


def test_scenes_hold_sprites(studio):
    one = SpriteSet([(plain(), centred())])
    scene = scene_of(one)
    assert "particles of 1" in repr(scene)
    with pytest.raises(ValueError, match="the particles are in the scene already"):
        scene.add(one)
    with pytest.raises(ValueError, match="particles have their own places"):
        scene.add(SpriteSet([(plain(), centred())]), np.eye(4))
    assert studio.render(scene, size=(SIDE, SIDE)).color[..., 3].max() == 255
    scene.remove(one)
    assert studio.render(scene, size=(SIDE, SIDE)).color[..., 3].max() == 0


def test_sprites_that_nobody_holds_are_let_go(studio):
    scene = scene_of()
    counts = before = None
    for i in range(4):
        one = SpriteSet([(plain(), centred())])
        scene.add(one)
        studio.render(scene, size=(SIDE, SIDE))
        scene.remove(one)
        del one
        studio.render(scene, size=(SIDE, SIDE))
        counts = studio.device.live_counts()["buffers"]
        before = counts if i == 1 else before
    assert counts == before


def test_what_sprites_refuse():
    with pytest.raises(ValueError, match="layers is empty"):
        SpriteSet([])
    with pytest.raises(ValueError, match="tick must be in"):
        SpriteSet([("splash", centred())], tick=-1)
    with pytest.raises(ValueError, match="style"):
        SpriteSet([("splosh", centred())])


def hub_scene(manager: dw.ParticleManager) -> dw.Scene:
    scene = dw.Scene()
    scene.sun.shadows = False
    scene.add(manager)
    return scene


VIEW = dw.Camera((0, 2, 6), (0, 0.5, 0), fov_y=0.8)


@pytest.mark.parametrize("count", [1, 100, 10_000])
def test_a_hub_draws_four_layers_of_water_and_five_of_glow(studio, count):
    """However many emitters it holds."""
    spots = [(0.002 * (i % 100), 0.0, -0.002 * (i // 100)) for i in range(count)]
    with dw.ParticleManager(seed=3) as manager:
        manager.register_many(range(count), spots, dw.WaterConfig(None, "fishing_net"))
        stats = studio.render(hub_scene(manager), VIEW, time=3.0).stats
        assert stats.draw_calls == 4 + 1  # and the sky
        assert [one.name for one in stats.particles] == ["splash", "bubble", "shimmer", "ripple"]
        found = manager.see(VIEW, aspect=1.0)
        assert {one.name: one.drawn for one in stats.particles} == {
            name: len(sprites) for name, sprites in found.items()
        }
    with dw.ParticleManager(seed=3) as manager:
        manager.register_many(range(count), spots, dw.GlowConfig(None, "altar"))
        manager.register("fire", dw.GlowConfig((0, 0, 0), "fire"))
        stats = studio.render(hub_scene(manager), VIEW, time=3.0, size=(16, 16)).stats
        assert stats.draw_calls == 5 + 1
        assert all(one.drawn > 0 for one in stats.particles)


@pytest.mark.parametrize("count", [1, 100, 10_000])
@pytest.mark.parametrize(
    "config",
    [dw.WaterConfig(None, "fishing_net"), dw.GlowConfig(None, "altar"), dw.FireConfig(None)],
    ids=["water", "altar", "camp"],
)
def test_frames_in_which_nothing_changed_send_little(vulkan_device, studio, config, count):
    """256 bytes however many emitters there are; draws have their constants as any draw has."""
    spots = [(0.6 * (i % 100 - 50), 0.0, -0.6 * (i // 100)) for i in range(count)]

    def sent(device, call) -> int:
        before = device.memory()["sent_bytes"]
        call()
        return device.memory()["sent_bytes"] - before

    with dw.ParticleManager(vulkan_device, seed=3) as manager:
        manager.register_many(range(count), spots, config)
        first = sent(vulkan_device, lambda: manager.see(VIEW, aspect=1.0))
        assert first > 128 * count  # the rows themselves
        for time in (1.0, 1.0, 2.5, 0.25):
            manager.seek(time)
            assert 0 < sent(vulkan_device, lambda: manager.see(VIEW, aspect=1.0)) <= 256
        scene, bare = hub_scene(manager), dw.Scene()
        bare.sun.shadows = False

        def frame(what, time) -> dw.Frame:
            return studio.render(what, VIEW, time=time, size=(32, 32))

        each = [
            [sent(studio.device, lambda s=s, t=t: frame(s, t)) for t in (3, 4, 5)]
            for s in (bare, scene)
        ]
        assert each[0][1] == each[0][2] and each[1][1] == each[1][2]
        layers = len(frame(scene, 5.0).stats.particles)
        # and once more where so many are drawn that specks are told apart from what is rastered
        draws = CONSTANTS * layers * (3 if count > 1000 else 1)
        assert each[1][2] - each[0][2] <= 256 + draws


def test_what_is_sent_tells_a_change(vulkan_device):
    with dw.ParticleManager(vulkan_device) as manager:
        manager.register_many(range(300), np.zeros((300, 3)), dw.WaterConfig(None, "fishing_net"))
        manager.see(VIEW, aspect=1.0)
        before = vulkan_device.memory()["sent_bytes"]
        manager.move(7, (1.0, 0.0, 0.0))
        manager.see(VIEW, aspect=1.0)
        assert vulkan_device.memory()["sent_bytes"] - before > 256


def test_a_hub_draws_what_it_says_it_sees(studio):
    """The same sprites given by hand make the same picture."""
    with dw.ParticleManager(seed=5) as manager:
        manager.register("spot", dw.WaterConfig((0, 0, 0), "fishing_fly"))
        manager.register("altar", dw.GlowConfig((1, 0, 0), "altar"))
        frame = studio.render(hub_scene(manager), VIEW, time=2.5)
        assert manager.time == 2.5
        found = manager.see(VIEW, aspect=1.0)
        scene = dw.Scene()
        scene.sun.shadows = False
        scene.add(SpriteSet(list(found.items()), tick=manager.tick))
        assert (studio.render(scene, VIEW).color == frame.color).all()
        bare = dw.Scene()
        bare.sun.shadows = False
        assert (studio.render(bare, VIEW).color != frame.color).any()


def test_hidden_and_removed_emitters_are_not_drawn(studio):
    with dw.ParticleManager(seed=5) as manager:
        manager.register("spot", dw.WaterConfig((0, 0, 0), "fishing_fly"))
        scene = hub_scene(manager)
        shown = studio.render(scene, VIEW, time=1.0).stats.particles
        assert sum(one.drawn for one in shown) > 0
        manager.kill("spot")
        killed = studio.render(scene, VIEW, time=1.0).stats.particles
        assert sum(one.drawn for one in killed) == 0
        manager.unregister("spot")
        assert studio.render(scene, VIEW, time=1.0).stats.particles == ()
        with pytest.raises(ValueError, match="the particles are in the scene already"):
            scene.add(manager)
    with pytest.raises(ValueError, match="closed"):
        studio.render(scene, VIEW, time=1.0)
