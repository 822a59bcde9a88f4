# SPDX-License-Identifier: MIT
"""What surfaces look like: cutouts, depth, numbers, blending, normals, edges, cards, shadows."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_forest import discard_count
from helpers_render import GREEN, RED, covered, front, light_of, quad, scene_of, shows


def texture(image: np.ndarray, **options) -> dw.MaterialTexture:
    return dw.MaterialTexture.from_image(image, **options)


def constant_alpha(alpha: int, side: int = 64) -> dw.MaterialTexture:
    """White with one alpha on all levels, as averaging leaves it."""
    sides = [side >> i for i in range(side.bit_length())]
    levels = [np.full((s, s, 4), (255, 255, 255, alpha), np.uint8) for s in sides]
    return dw.MaterialTexture(tuple(levels))


def alpha_card(alpha: int) -> dw.Mesh:
    """Fills a picture of 64 pixels with 256 texels: level 2, where alpha counts as it is."""
    return quad(2.0, uv=4.0, base_color_texture=constant_alpha(alpha), alpha_mode="mask")


def pcg(x: int) -> int:
    """dw_hash of shaders/shared/dither.h."""
    state = (x * 747796405 + 2891336453) & 0xFFFFFFFF
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737 & 0xFFFFFFFF
    return word >> 22 ^ word


def card_ranks(own: int = 0, card: int = 0) -> np.ndarray:
    """The blue table as a card of an object has it: elsewhere for each."""
    at = pcg(own ^ pcg(card))
    return np.roll(dw.dither_ranks("blue").astype(int), (-(at >> 6 & 63), -(at & 63)), (0, 1))


# -- cutouts --


@pytest.mark.parametrize("cutoff", [0.5, 0.25])
def test_the_test_cuts_by_texel(studio, rng, cutoff):
    """A texel a pixel: what passes is what the alpha of the texel says."""
    image = np.full((64, 64, 4), 255, np.uint8)
    near = round(cutoff * 255)
    values = [v for v in range(256) if abs(v - near) > 1]
    image[..., 3] = rng.choice(values, (64, 64))
    card = quad(
        2.0, base_color_texture=texture(image), alpha_mode="mask", alpha_cutoff=cutoff
    )
    found = covered(studio.render(scene_of(card)))
    assert (found == (image[..., 3] >= cutoff * 255)).all()


def test_texture_rows_run_down(studio):
    image = np.zeros((2, 2, 4), np.uint8)
    image[0, 0], image[0, 1] = (255, 0, 0, 255), (0, 255, 0, 255)
    image[1, 0], image[1, 1] = (0, 0, 255, 255), (255, 255, 255, 255)
    card = quad(2.0, base_color_texture=texture(image, wrap="clamp"))
    color = studio.render(scene_of(card)).color
    assert shows_at(color, 8, 8) == (1, 0, 0) and shows_at(color, 8, 56) == (0, 1, 0)
    assert shows_at(color, 56, 8) == (0, 0, 1) and shows_at(color, 56, 56) == (1, 1, 1)


def shows_at(color: np.ndarray, y: int, x: int) -> tuple[int, ...]:
    return tuple(int(value > 128) for value in color[y, x, :3])


@pytest.mark.parametrize("alpha", [0, 1, 37, 128, 200, 254, 255])
def test_alpha_to_coverage_is_exact_over_a_tile(studio, alpha):
    """Of 64 x 64 x 4 samples as many are covered as alpha says, to the nearest one."""
    try:
        frame = studio.render(scene_of(alpha_card(alpha)), samples=4, cutout="a2c")
    except ValueError as error:
        pytest.skip(str(error))
    samples = np.rint(frame.color[..., 3] * (4 / 255)).astype(int)
    assert set(np.unique(frame.color[..., 3])) <= {0, 64, 128, 191, 255}
    assert abs(int(samples.sum()) - round(alpha / 255 * 4096 * 4)) <= (alpha not in (0, 255))
    # each pixel has the whole number below or above its share
    assert set(np.unique(samples)) <= {4 * alpha // 255, -(-4 * alpha // 255)}


def test_what_is_opaque_has_no_holes(studio):
    """A card at an angle is cut by its triangles alone, where two of them meet too."""
    turned = np.eye(4)
    turned[[0, 0, 2, 2], [0, 2, 0, 2]] = np.cos(0.5), np.sin(0.5), -np.sin(0.5), np.cos(0.5)
    image = texture(np.full((64, 64, 4), 255, np.uint8), wrap="clamp")
    camera = dw.Camera((0, 1.6, 5), (0, 0.7, 0), fov_y=0.8)
    for base in (None, image):
        found = []
        for cutout in ("test", "dither", "a2c"):
            scene = scene_of()
            scene.add(quad(2.0, base_color_texture=base, alpha_mode="mask"), turned)
            found.append(covered(studio.render(scene, camera, size=(192, 128), cutout=cutout)))
        assert found[0].sum() > 10_000
        assert (found[1] == found[0]).all() and (found[2] == found[0]).all()


@pytest.mark.parametrize("alpha", [0, 37, 128, 254, 255])
def test_dithered_cutouts_are_exact_over_a_tile(studio, alpha):
    frame = studio.render(scene_of(alpha_card(alpha)), cutout="dither")
    kept = round(alpha / 255 * 4096)
    found = covered(frame)
    assert abs(int(found.sum()) - kept) <= (alpha not in (0, 255))
    ranks = card_ranks()
    assert found[ranks < kept - 1].all() and not found[ranks > kept].any()


def test_cards_one_behind_the_other_dither_apart(studio):
    """Two that let half through each let a quarter through together, not half."""
    front_card = alpha_card(128)
    back = front_card.transformed([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, -1], [0, 0, 0, 1]])
    both = dw.Mesh.merge([front_card, back])
    found = covered(studio.render(scene_of(both), cutout="dither"))
    kept = round(128 / 255 * 4096)
    wanted = (card_ranks(card=0) < kept) | (card_ranks(card=1) < kept)
    assert (found != wanted).sum() <= 2
    assert abs(found.mean() - 0.75) < 0.02


@pytest.mark.parametrize("count", [2, 4, 8, 3, 64, 200])
def test_sub_frames_see_each_share_of_the_ranks_once(studio, count):
    """The average of N sub-frames is the share of each pixel to 1/N, and exact over the tile."""
    alpha = 150
    one = studio.render(scene_of(alpha_card(alpha)), cutout="dither")
    many = studio.render(scene_of(alpha_card(alpha)), cutout="dither", temporal=count)
    shares = np.rint(many.color[..., 3] * (count / 255)).astype(int)
    assert np.abs(many.color[..., 3] - shares * (255 / count)).max() <= 0.51
    ranks, kept = card_ranks(), int(covered(one).sum())
    moves = [s * 4096 // count for s in range(count)]
    wanted = sum(((ranks + move) % 4096 < kept).astype(int) for move in moves)
    assert (shares == wanted).all()
    assert shares.sum() == count * kept
    if 4096 % count == 0:
        assert np.ptp(shares) <= 1


def test_sub_frames_share_out_fades_too(studio):
    forest = studio.forest([quad()], pattern="bayer4", dissolve_scale=0.3)
    forest.add([1], [[0, 0, 0]], depleted=True)
    frame = studio.render(scene_of(forest), temporal=16, size=(16, 16))
    gone = discard_count("centred", 16, np.float32(0.3))
    assert np.unique(frame.color[..., 3]).tolist() == [round(255 * (16 - gone) / 16)]


@pytest.mark.parametrize("light", [1e3, 1e5, 1e30])
def test_blinding_light_is_white(studio, light):
    """Also where it is more than the targets can hold."""
    scene = dw.Scene()
    scene.add(quad(unlit=False, emissive=(light, light, light)))
    assert (studio.render(scene).color >= 254).all()
    assert (studio.render(scene, temporal=3).color >= 254).all()


@pytest.mark.parametrize("count", [5, 9, 15, 17, 32, 100])
def test_fades_of_few_ranks_are_shared_out_by_any_number_of_sub_frames(studio, count):
    """Nothing of the pattern is left but what the number cannot divide."""
    forest = studio.forest([quad()], pattern="bayer4", dissolve_scale=1.0)
    forest.add([1], [[0, 0, 0]])
    forest.dissolve.set([1], 0.5)
    frame = studio.render(scene_of(forest), temporal=count, size=(8, 8))
    share = frame.color[..., 3] / 255
    assert share.mean() == pytest.approx(0.5, abs=0.003)
    assert np.abs(share - 0.5).max() < 1.0 / count + 0.003


def leaves(side: int) -> np.ndarray:
    """Spots of some texels with soft edges, on 30 % of clear ground."""
    noise = np.random.default_rng(3).random((side, side))
    for axis in (0, 1):
        noise = sum(np.roll(noise, step, axis) for step in range(-2, 3)) / 5
    low = np.quantile(noise, 0.7)
    image = np.full((side, side, 4), 255, np.uint8)
    image[..., 3] = np.clip((noise - low) * 4000 + 127, 0, 255)
    return image


def test_baked_chains_keep_coverage_at_a_distance(studio):
    image = leaves(256)
    share = (image[..., 3] > 0.6 * 255).mean()
    alphas, levels = [image], []
    while max(alphas[-1].shape) > 4:
        a = alphas[-1].astype(float)
        down = (a[::2, ::2] + a[1::2, ::2] + a[::2, 1::2] + a[1::2, 1::2]) / 4
        alphas.append(np.rint(down).astype(np.uint8))
    levels = [*alphas, *[np.full((s, s, 4), alphas[-1].mean(axis=(0, 1)), np.uint8)
                         for s in (2, 1)]]  # fmt: skip
    naive = dw.MaterialTexture(tuple(levels[: 9]))
    off = {}
    for name, used in (("baked", texture(image)), ("naive", naive)):
        card = quad(2.0, base_color_texture=used, alpha_mode="mask", alpha_cutoff=0.6)
        far = [
            covered(studio.render(scene_of(card), size=(side, side))).mean()
            for side in (256, 120, 60, 31)
        ]
        assert abs(far[0] - share) < 0.01
        off[name] = max(abs(value - share) for value in far[1:])
    assert off["baked"] < 0.06 and off["naive"] > 0.12, off


def test_wraps(studio):
    image = np.zeros((8, 8, 4), np.uint8)
    image[:, :4], image[:, 4:] = (255, 0, 0, 255), (0, 255, 0, 255)
    for wrap, wanted in (("repeat", "rgrg"), ("clamp", "rggg"), ("mirror", "rggr")):
        card = quad(2.0, uv=2.0, base_color_texture=texture(image, wrap=wrap))
        color = studio.render(scene_of(card)).color[32, [8, 24, 40, 56]]
        assert "".join("rg"[int(row[1] > row[0])] for row in color) == wanted


# -- depth and numbers --


@pytest.mark.parametrize("distance", [0.11, 1.0, 17.3, 400.0, 1990.0])
def test_depth_is_in_metres(studio, distance):
    wall = quad(5000.0, at=(0, 0, -distance))
    camera = dw.Camera((0, 0, 0), (0, 0, -1), near=0.1, far=2000.0)
    depth = studio.render(scene_of(wall), camera, size=(16, 8)).depth
    assert np.abs(depth / distance - 1).max() < 2e-5
    flat = dw.OrthoCamera((0, 0, 0), (0, 0, -1), height=4, near=0.1, far=2000.0)
    depth = studio.render(scene_of(wall), flat, size=(16, 8)).depth
    assert np.abs(depth - distance).max() < 1e-3
    assert np.isinf(studio.render(scene_of(), camera, size=(16, 8)).depth).all()


def test_the_nearer_surface_wins(studio):
    """In any order, however close: 2 cm at 10 m, and 5 m at 1 km."""
    for near, far in ((10.0, 10.02), (1000.0, 1005.0)):
        walls = [quad(9000, at=(0, 0, -near), color=RED), quad(9000, at=(0, 0, -far), color=GREEN)]
        for order in (walls, walls[::-1]):
            camera = dw.Camera((0, 0, 0), (0, 0, -1), near=0.1, far=5000.0)
            assert shows(studio.render(scene_of(*order), camera), 0).all()


def test_what_lies_beyond_near_and_far_is_not_there(studio):
    scene = scene_of(quad(at=(0, 0, 9.9)), quad(at=(0, 0, -1000)))
    assert not covered(studio.render(scene)).any()


def test_numbers_lead_to_things(studio):
    """Objects of several places, forests with ids beyond 32 bits, and nothing."""
    scene = scene_of()
    places = np.tile(np.eye(4), (3, 1, 1))
    places[:, 0, 3] = (-1.5, -0.5, 0.5)
    row = scene.add(quad(0.5), places)
    big = 2**63 + 12345
    forest = studio.forest([quad(0.5)])
    forest.add([big, 2**32], [[1.5, 1.0, 0], [1.5, -1.0, 0]])
    scene.add(forest)
    frame = studio.render(scene)
    assert [frame.pick(8 + 16 * i, 32) for i in range(3)] == [(row, 0), (row, 1), (row, 2)]
    assert frame.pick(56, 16) == (forest, big) and frame.pick(56, 48) == (forest, 2**32)
    assert frame.pick(0, 0) is None and frame.what(0) is None
    assert frame.ids.max() < 2**24


def test_numbers_of_more_than_two_bytes(studio):
    """Of 70,000 places of an object one is in view."""
    places = np.tile(np.eye(4), (70_001, 1, 1))
    places[:-1, 0, 3] = 500.0 + np.arange(70_000)
    scene = scene_of()
    thing = scene.add(quad(2.0), places)
    frame = studio.render(scene)
    assert (frame.ids == 70_001).all() and frame.pick(3, 3) == (thing, 70_000)
    assert frame.stats.instances == 1


def test_glass_is_looked_through(studio):
    """By numbers and by depth."""
    scene = scene_of()
    wall = scene.add(quad(1.0, at=(0, 0, -3)))
    scene.add(quad(color=(0.1, 0.2, 0.3, 0.5), alpha_mode="blend"))
    frame = studio.render(scene)
    assert frame.pick(32, 32) == (wall, 0) and frame.pick(2, 2) is None
    assert abs(frame.depth[32, 32] - 13) < 1e-3 and np.isinf(frame.depth[2, 2])
    assert frame.color[2, 2, 3] == 128


@pytest.mark.parametrize("size", [(1, 1), (1, 70), (65, 3), (9, 8)])
def test_pictures_of_odd_sizes(studio, size):
    frame = studio.render(scene_of(quad(color=RED)), size=size, temporal=3)
    assert frame.color.shape == (size[1], size[0], 4) and shows(frame, 0).all()


def test_alpha_without_a_sky_is_coverage(studio):
    scene = scene_of(quad(1.0))
    frame = studio.render(scene)
    assert covered(frame).sum() == 32 * 32
    assert (frame.color[~covered(frame)] == 0).all()
    scene.sky = dw.Sky()
    with_sky = studio.render(scene)
    assert (with_sky.color[..., 3] == 255).all()
    assert ((with_sky.ids > 0) == covered(frame)).all()
    assert np.isinf(with_sky.depth[0, 0])
    scene.remove(scene.items[0])
    up = dw.Camera((0, 0, 0), (0, 1, 0), up=(0, 0, 1))
    assert studio.render(scene, up).color[32, 32, 2] > 150  # blue above


# -- blending --


def test_blended_surfaces_lie_over_each_other_by_distance(studio):
    """In whatever order they were added, and whether they are one object or two."""
    near = quad(at=(0, 0, 2), color=(0.5, 0, 0, 0.5), alpha_mode="blend")
    far = quad(at=(0, 0, 1), color=(0, 0.5, 0, 0.5), alpha_mode="blend")
    seen = []
    for things in ([near, far], [far, near], [[near, far]], [[far, near]]):
        frame = studio.render(scene_of(*things))
        assert np.unique(frame.color.reshape(-1, 4), axis=0).shape == (1, 4)
        seen.append(frame.color[0, 0])
    assert (np.array(seen) == seen[0]).all()
    assert seen[0][3] == 191  # 1 - (1 - 1/2)^2
    light = light_of(seen[0])
    assert np.allclose(light, (0.25 / 0.75, 0.125 / 0.75, 0), atol=0.004)
    wall = quad(color=(0, 0, 0.5, 1))
    light = light_of(studio.render(scene_of(near, wall)).color[0, 0])
    assert np.allclose(light, (0.25, 0, 0.25), atol=0.004)
    behind = quad(at=(0, 0, 3), color=(0, 0, 0.5, 1))
    assert shows(studio.render(scene_of(near, behind)), 2).all()


def test_places_of_a_blended_object_go_by_distance(studio):
    glass = quad(color=(0.5, 0.5, 0.5, 0.5), alpha_mode="blend")
    tint = quad(at=(0, 0, 1), color=(0.5, 0, 0, 0.5), alpha_mode="blend")
    places = np.tile(np.eye(4), (2, 1, 1))
    places[:, 2, 3] = (4, 0)
    one, two = scene_of(tint), scene_of(tint)
    one.add(glass, places)
    two.add(glass, places[::-1])
    assert (studio.render(one).color == studio.render(two).color).all()


def test_blended_trees_dissolve_as_whole_ones_blend(studio):
    """What is left of a fading blended tree has the colour of a whole one."""
    forest = studio.forest([quad(color=(0.4, 0.2, 0.1, 0.5), alpha_mode="blend")])
    forest.add([1], [[0, 0, 0]])
    scene = scene_of(forest)
    whole = studio.render(scene).color
    forest.deplete([1])
    fading = studio.render(scene).color
    missing = dw.discard_mask(0.7, (64, 64))
    assert (fading[missing] == 0).all()
    assert (fading[~missing] == whole[~missing]).all()


# -- which side, which normal --


def lit_quad(**material) -> dw.Mesh:
    return quad(2.0, unlit=False, roughness=1.0, **material)


def sunny(*things, direction=(0.4, 0.3, 1.0)) -> dw.Scene:
    scene = scene_of(*things)
    scene.sun.direction, scene.sun.color = direction, (0.4, 0.4, 0.4)
    return scene


def brightness(studio, scene, camera=None) -> float:
    return float(light_of(studio.render(scene, camera, size=(16, 16)).color)[..., :3].mean())


def test_backs_are_drawn_of_double_sided_surfaces(studio):
    behind = dw.OrthoCamera((0, 0, -10), (0, 0, 0), height=4)
    assert not covered(studio.render(scene_of(quad()), behind)).any()
    assert covered(studio.render(scene_of(quad(double_sided=True)), behind)).all()
    forest = studio.forest([quad(double_sided=True)])
    forest.add([1], [[0, 0, 0]])
    assert covered(studio.render(scene_of(forest), behind)).all()


def test_mirrored_objects_keep_their_sides(studio):
    """What is mirrored is seen from its front alone, also beside what is not."""
    places = np.tile(np.eye(4), (2, 1, 1))
    places[0, 0, 3], places[1, 0, 3], places[1, 0, 0] = -1, 1, -1.0
    scene = scene_of()
    thing = scene.add(quad(1.0), places)
    frame = studio.render(scene)
    assert covered(frame)[16:48].all()
    assert frame.pick(16, 32) == (thing, 0) and frame.pick(48, 32) == (thing, 1)
    behind = dw.OrthoCamera((0, 0, -10), (0, 0, 0), height=4)
    assert not covered(studio.render(scene, behind)).any()


@pytest.mark.parametrize("leaf", [0.0, 0.6])
def test_mirrored_objects_are_lit_like_others(studio, leaf):
    """A mirror turns triangles round, and normals with them; both faces stay as they were."""
    mesh = lit_quad(base_color_texture=None, translucency=leaf)
    plain, mirrored = sunny(mesh), sunny()
    mirrored.add(mesh, np.diag([-1.0, 1, 1, 1]))
    wanted = brightness(studio, plain)
    dark = brightness(studio, sunny(mesh, direction=(0.4, 0.3, -1.0)))
    assert abs(brightness(studio, mirrored) - wanted) < 0.004
    assert wanted > 1.2 * dark


@pytest.mark.parametrize("side", ["front", "back", "mirrored"])
def test_surfaces_do_not_shade_themselves(studio, side):
    """A tilted surface in the sun is as bright with shadows as without, from either side."""
    mesh = lit_quad(double_sided=side == "back", color=(0.4, 0.4, 0.4, 1))
    tilt = np.eye(4)
    tilt[1:3, 1:3] = [[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]]
    if side == "mirrored":
        tilt[:, 0] *= -1
    facing = -1.0 if side == "back" else 1.0
    camera = dw.OrthoCamera((0, 0, 10 * facing), (0, 0, 0), height=2, near=0.5, far=50)
    scene = sunny(direction=(0.5, 0.6, 0.9 * facing))
    scene.add(mesh, tilt)
    scene.sun.shadow_size = 256
    without = studio.render(scene, camera, size=(48, 48)).color
    scene.sun.shadows = True
    frame = studio.render(scene, camera, size=(48, 48))
    assert frame.stats.shadow_draw_calls == 1
    assert covered_all(frame.color) and (frame.color == without).all()


def test_vertex_colours_multiply(studio):
    mesh = quad(2.0, color=(0.5, 0.4, 0.2, 1.0))
    colors = np.array([[128, 255, 64, 255]] * 4, np.uint8)
    tinted = dw.Mesh(mesh.positions, mesh.indices, colors=colors, material=mesh.material)
    light = light_of(studio.render(scene_of(tinted)).color[5, 5])
    assert np.allclose(light, np.array([0.5, 0.4, 0.2]) * colors[0, :3] / 255, atol=0.004)


def test_emissive_surfaces_give_off_light(studio):
    gray = (0.3, 0.3, 0.3, 1)
    scene = sunny(lit_quad(color=gray, emissive=(0.1, 0.2, 0.05)))
    dark = sunny(lit_quad(color=gray))
    a, b = (light_of(studio.render(s, size=(8, 8)).color[4, 4]) for s in (scene, dark))
    assert np.allclose(a - b, (0.1, 0.2, 0.05), atol=0.005)


def test_air_takes_the_colour_of_what_is_far(studio):
    scene = dw.Scene()
    scene.sky.fog = dw.Fog(color=(0.0, 0.0, 0.5), density=0.02)
    scene.sun.shadows = False
    scene.add(quad(900.0, at=(0, 0, -30), color=(0.4, 0.0, 0.0, 1)))
    for distance in (20.0, 80.0):
        camera = dw.OrthoCamera((0, 0, distance - 30), (0, 0, -30), height=0.1)
        light = light_of(studio.render(scene, camera, size=(8, 8)).color[4, 4])
        kept = np.exp(-0.02 * distance)
        assert np.allclose(light, (0.4 * kept, 0, 0.5 * (1 - kept)), atol=0.006)
    scene.sky.fog.most = 0.0
    assert np.allclose(light_of(studio.render(scene).color[4, 4]), (0.4, 0, 0), atol=0.004)


@pytest.mark.parametrize("kind", ["forest", "object"])
def test_a_gale_does_not_blow_trees_out_of_the_lists(studio, kind):
    """What stands outside the view is blown into it."""
    leaf = quad(1.0, at=(0, 10, 0), double_sided=True, wind=1.0)
    place = np.eye(4)
    place[:3, 3] = -9.0, -10.0, 0.0
    scene = scene_of()
    if kind == "forest":
        forest = studio.forest([leaf], wind=20.0)
        forest.add([1], place[None])
        scene.add(forest)
    else:
        scene.add(leaf, place, wind=20.0)
    assert not covered(studio.render(scene, time=0.7)).any()
    scene.wind = (6.0, 0.0)
    assert covered(studio.render(scene, time=0.7)).any()


def test_wind_moves_leaves_alone(studio):
    """Sideways, along the wind, the more the higher; and only what sways."""
    leaf = quad(2.0, at=(0, 2, 0), color=GREEN, alpha_mode="mask", double_sided=True)
    trunk = quad(1.0, at=(0, 1, 0.5), color=RED)
    forest = studio.forest([[leaf, trunk]], wind=20.0)
    forest.add([1], [[0, 0, 0]])
    scene = scene_of(forest)
    camera = dw.OrthoCamera((0, 2, 10), (0, 2, 0), height=6)
    frames = [studio.render(scene, camera, size=(96, 96), time=t) for t in (0.0, 0.5, 1.3)]
    reds = [shows(frame, 0) for frame in frames]
    assert all((red == reds[0]).all() for red in reds) and reds[0].any()
    greens = [shows(frame, 1) for frame in frames]
    assert (greens[1] != greens[0]).any() and (greens[2] != greens[1]).any()
    # at 0.5 s a tip moves by 20 * 0.006 * 4 m * (0.65 sin 0.9 + 0.35 sin 1.6)
    moved = 20 * 0.006 * 4 * (0.65 * np.sin(0.9) + 0.35 * np.sin(1.6)) * 16
    left = [int(np.flatnonzero(green[17])[0]) for green in greens[:2]]
    assert abs(left[1] - left[0] - moved) < 1.2
    scene.wind = (0.0, 0.0)
    assert (shows(studio.render(scene, camera, size=(96, 96), time=1.4), 1) == greens[0]).all()


@pytest.mark.parametrize("scale", [1.0, 1e-3, 50.0])
def test_scales_apart_keep_normals_upright(studio, scale):
    """A slope that is stretched sideways is lit as the slope that it becomes."""
    slope = dw.Mesh(
        np.array([[-1, 0, 0], [1, 0, -1], [1, 1, -1], [-1, 1, 0]], np.float32) * [9, 9, 9],
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        material=dw.Material(roughness=1.0, base_color=(0.8, 0.8, 0.8, 1), double_sided=True),
    )
    matrix = np.diag([4.0 * scale, scale, scale, 1.0])
    scaled = sunny(direction=(1.0, 0.0, 0.5))
    scaled.add(slope, matrix)
    baked = sunny(slope.transformed(matrix), direction=(1.0, 0.0, 0.5))
    camera = dw.OrthoCamera((0, 4 * scale, 20 * scale), (0, 4 * scale, 0), height=scale,
                            near=0.01 * scale, far=100 * scale)  # fmt: skip
    a, b = (studio.render(scene, camera, size=(8, 8)).color for scene in (scaled, baked))
    assert covered_all(a) and np.abs(a.astype(int) - b).max() <= 1


def covered_all(color: np.ndarray) -> bool:
    return bool((color[..., 3] == 255).all())


def normal_map(x: float, y: float) -> dw.MaterialTexture:
    z = np.sqrt(1 - x * x - y * y)
    code = np.rint((np.array([x, y, z, 1.0]) * 0.5 + 0.5) * 255).astype(np.uint8)
    return texture(np.full((4, 4, 4), code, np.uint8), color_space="linear")


def test_normal_maps_turn_the_light(studio):
    """A map that leans right is brighter in light from the right; one that leans up, from above."""
    flat = brightness(studio, sunny(lit_quad(), direction=(1, 0, 1)))
    for lean, light in (((0.6, 0.0), (1, 0, 1)), ((0.0, 0.6), (0, 1, 1))):
        toward = lit_quad(normal_texture=normal_map(*lean))
        away = lit_quad(normal_texture=normal_map(-lean[0], -lean[1]))
        level = lit_quad(normal_texture=normal_map(0, 0))
        values = [brightness(studio, sunny(m, direction=light)) for m in (away, level, toward)]
        assert values[0] + 0.02 < values[1] < values[2] - 0.02
    assert abs(brightness(studio, sunny(level, direction=(1, 0, 1))) - flat) < 0.01
    none = lit_quad(normal_texture=normal_map(0.6, 0), normal_scale=0.0)
    assert abs(brightness(studio, sunny(none, direction=(1, 0, 1))) - flat) < 0.01


def test_unlit_surfaces_take_no_light(studio):
    dark, bright = sunny(quad(color=RED)), sunny(quad(color=RED))
    dark.sun.color, bright.sun.color = (0, 0, 0), (9, 9, 9)
    assert (studio.render(dark).color == studio.render(bright).color).all()
    light = light_of(studio.render(dark).color[0, 0])
    assert np.allclose(light, (0.5, 0, 0), atol=0.004)


def test_a_sheared_object_is_drawn_as_long_as_it_is_seen(studio):
    """A transform may reach farther than any of its axes."""
    thin = quad(1.0)
    scene = scene_of()
    matrix = np.eye(4)
    matrix[:2, :2] = [[8, 7.9], [7.9, 8]]  # the corner (1, 1) goes to (15.9, 15.9)
    matrix[:2, 3] = -15.5
    scene.add(thin, matrix)
    tip = dw.OrthoCamera((0.3, 0.3, 10), (0.3, 0.3, 0), height=0.2)
    assert covered(studio.render(scene, tip)).any()


# -- edges --


@pytest.mark.parametrize("samples", [2, 4, 8])
def test_edges_have_shares_of_samples(studio, samples):
    turned = np.eye(4)
    turned[:2, :2] = [[0.9, -0.4359], [0.4359, 0.9]]
    scene = scene_of()
    scene.add(quad(1.2), turned)
    try:
        frame = studio.render(scene, samples=samples)
    except ValueError as error:
        asked, offered = str(error).split(": this device draws with ")
        assert asked == f"samples = {samples}"
        assert str(samples) not in offered and offered.startswith("1 ")
        pytest.skip(str(error))
    steps = {round(255 * k / samples) for k in range(samples + 1)}
    values = set(np.unique(frame.color[..., 3]).tolist())
    assert values <= steps and len(values) == samples + 1
    area = frame.color[..., 3].mean() / 255 * 16
    assert abs(area - 2.4**2 * (0.9**2 + 0.4359**2)) < 0.03
    plain = studio.render(scene)
    assert (frame.color[covered(plain) & (frame.color[..., 3] == 255)][:, :3] > 200).all()


# -- cards --


def card_of_views(count: int) -> dw.Mesh:
    """A card whose view i is red in proportion to i."""
    image = np.zeros((8, 8 * count, 4), np.uint8)
    for i in range(count):
        image[:, 8 * i : 8 * i + 8] = (20 + 100 * i // count, 255, 0, 255)
    sheet = dw.MaterialTexture.from_image(image, color_space="linear", wrap="clamp")
    return quad(3.0, base_color_texture=sheet, imposter_views=count)


@pytest.mark.parametrize("turn", [0.0, 0.9])
@pytest.mark.parametrize("kind", ["perspective", "ortho"])
def test_cards_face_the_camera_and_show_its_view(studio, kind, turn):
    views = 8
    c, s = np.cos(turn), np.sin(turn)
    place = np.array([[c, 0, s, 20], [0, 1, 0, 0], [-s, 0, c, -7], [0, 0, 0, 1.0]])
    forest = studio.forest([card_of_views(views)])
    forest.add([1], place[None])
    scene = scene_of(forest)
    for i in range(24):
        angle = 0.13 + 2 * np.pi * i / 24
        position = np.array([20 + 8 * np.sin(angle), 0, -7 + 8 * np.cos(angle)])
        if kind == "ortho":  # beside the card: it faces the direction, not the point
            aside = np.array([np.cos(angle), 0, -np.sin(angle)]) * 20
            camera = dw.OrthoCamera(position + aside, (20, 0, -7) + aside, height=64)
        else:
            camera = dw.Camera(position, (20, 0, -7), fov_y=0.5)
        frame = studio.render(scene, camera)
        if kind == "perspective":
            assert covered(frame).all()
            pixel = frame.color[32, 32]
        else:
            columns = covered(frame).any(axis=0)
            assert columns.sum() in (6, 7), i  # 6 m of 64: the whole width
            pixel = frame.color[32, int(np.flatnonzero(columns).mean())]
        shown = (angle - turn) / (2 * np.pi) * views
        wanted = {round(shown) % views}
        if abs(shown - np.floor(shown) - 0.5) < 0.02:
            wanted = {int(np.floor(shown)) % views, int(np.ceil(shown)) % views}
        red = light_of(pixel)[0] * 255
        assert any(abs(red - (20 + 100 * view // views)) < 8 for view in wanted), i


# -- shadows --


def shadow_scene(studio, mode: str, amount: float, **options):
    """A ground of light 0.2 x what reaches it, and a tree like a lid that fades over it."""
    ground = dw.Mesh(
        np.array([[-20, 0, 20], [20, 0, 20], [20, 0, -20], [-20, 0, -20]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        material=dw.Material(base_color=(0.2, 0.2, 0.2, 1), roughness=1.0),
    )
    lid = dw.Mesh(
        np.array([[-2, 5, 2], [2, 5, 2], [2, 5, -2], [-2, 5, -2]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
    )
    forest = studio.forest([lid], dissolve_scale=1.0, **options)
    forest.add([1], [[0, 0, 0]])
    forest.dissolve.set([1], [amount])
    scene = dw.Scene()
    scene.sky = None
    scene.sun.direction, scene.sun.color = (1, 1, 0), (2.0, 2.0, 2.0)
    scene.sun.shadow, scene.sun.shadow_size = mode, 512
    scene.add(ground, casts_shadow=False)
    scene.add(forest)
    return scene, forest


def shade(studio, scene) -> np.ndarray:
    """(64, 64) share of the sun that is missing, over 8 m around where the shadow lies."""
    above = dw.OrthoCamera((-5, 20, 0), (-5, 0, 0), up=(0, 0, -1), height=8)
    scene.sun.shadows = False
    lit = light_of(studio.render(scene, above).color)[..., 0]
    scene.sun.shadows = True
    now = light_of(studio.render(scene, above).color)[..., 0]
    color, scene.sun.color = scene.sun.color, (0, 0, 0)
    dark = light_of(studio.render(scene, above).color)[..., 0]
    scene.sun.color = color
    return (lit - now) / (lit - dark)


@pytest.mark.parametrize(
    ("mode", "amount", "wanted"),
    [
        ("hard", 0.0, 1.0), ("hard", 0.4, 1.0), ("hard", 0.6, 0.0),
        ("dither", 0.0, 1.0), ("dither", 0.5, 0.5), ("dither", 0.75, 0.25), ("dither", 1.0, 0.0),
        ("off", 0.0, 0.0), ("off", 0.4, 0.0),
    ],
)  # fmt: skip
def test_shadows_of_what_fades(studio, mode, amount, wanted):
    scene, _ = shadow_scene(studio, mode, amount)
    missing = shade(studio, scene)
    assert abs(missing[20:44, 20:44].mean() - wanted) < 0.03  # inside the shadow's 32 pixels
    outside = np.r_[missing[:8].ravel(), missing[-8:].ravel()]
    assert np.abs(outside).max() < 0.03
    area = missing.mean() * 64 / 16  # of the lid's own
    assert abs(area - wanted) < 0.05


def test_a_hard_shadow_of_a_cross_fade_is_that_of_the_more_visible_lod(studio):
    """One LOD has a lid, the other none."""
    scene, forest = shadow_scene(studio, "hard", 0.0)
    lid = forest.meshes[0][0][0]
    other = quad(0.1, at=(0, 30, 0))
    fading = studio.forest([lid, other], distances=[20], crossfade=1.0)
    fading.add([1], [[0, 0, 0]])
    scene.remove(forest)
    scene.add(fading)
    near = dw.OrthoCamera((-5, 20, 0), (-5, 0, 0), up=(0, 0, -1), height=8)
    far = dw.OrthoCamera((-25, 20, 0), (-5.0, 0, 0), up=(0, 1, 0), height=8)
    dark = []
    for time, camera in ((0.0, near), (0.1, far), (0.3, far), (0.55, far), (0.65, far), (1.2, far)):
        frame = studio.render(scene, camera, time=time)
        dark.append(float(light_of(frame.color[frame.ids > 0]).mean()))
    lit = dark[-1]
    assert dark[1] < lit - 0.01 and abs(dark[2] - dark[1]) < 1e-3 and abs(dark[3] - dark[1]) < 1e-3
    assert abs(dark[4] - lit) < 1e-3


def test_trees_that_cast_none(studio):
    scene, forest = shadow_scene(studio, "hard", 0.0)
    assert shade(studio, scene).mean() > 0.2
    forest.set_casts_shadow([1], False)
    assert abs(shade(studio, scene).mean()) < 0.01


def test_cut_out_casters_let_light_through(studio):
    """Half of the texels of a lid are holes, and so is half of its shadow."""
    image = np.full((4, 4, 4), 255, np.uint8)
    image[:, 2:, 3] = 0
    scene, forest = shadow_scene(studio, "dither", 0.0)
    scene.remove(forest)
    lid = forest.meshes[0][0][0]
    masked = dw.Mesh(
        lid.positions, lid.indices, uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32),
        material=dw.Material(base_color_texture=texture(image, wrap="clamp"), alpha_mode="mask"),
    )  # fmt: skip
    scene.add(masked)
    missing = shade(studio, scene)
    assert missing[20:44, 20:28].mean() > 0.97 and np.abs(missing[20:44, 36:44]).max() < 0.03


def test_ground_beyond_the_map_lies_in_the_sun(studio):
    """Far along the sun's way the ground is behind all that the map holds: no shadow there."""
    ground = dw.Mesh(
        np.array([[-900, 0, 900], [900, 0, 900], [900, 0, -900], [-900, 0, -900]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        material=dw.Material(base_color=(0.2, 0.2, 0.2, 1), roughness=1.0),
    )
    scene = dw.Scene()
    scene.sky = None
    scene.add(ground, casts_shadow=False)
    scene.add(quad(1.0, at=(0, 1.5, 0)))
    scene.sun.shadow_distance = 15.0
    camera = dw.Camera((5, 4, 9), (0, 1, 0))
    colors = {}
    for turn in range(8):
        scene.sun.direction = (np.sin(turn * np.pi / 4), 0.9, np.cos(turn * np.pi / 4))
        for scene.sun.shadows in (False, True):
            colors[scene.sun.shadows] = studio.render(scene, camera).color[..., :3].astype(int)
        changed = np.abs(colors[True] - colors[False]).max(axis=-1) > 2
        assert not changed[:16].any(), turn  # the shadow lies below
        assert changed.any() or turn % 4 == 2, turn  # where the sun meets its edge there is none
