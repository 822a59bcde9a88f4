# SPDX-License-Identifier: MIT
"""Things together: models, textures of all kinds, several forests, shadows from outside."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_gltf import Writer
from helpers_render import BLUE, GREEN, RED, covered, front, light_of, quad, scene_of, shows

# -- several forests --


def test_forests_of_several_blue_tables(studio):
    """Each forest finds its own ranks behind the table of cutouts, whichever came first."""
    sides, amounts = (128, 8, 64, 16), (0.3, 0.6, 0.45, 0.8)
    scene = scene_of()
    card = quad(8, at=(0, -24, 0), alpha_mode="mask", color=(1, 1, 1, 0.5))
    scene.add(card)
    before = covered(studio.render(scene, front(height=64), cutout="dither"))
    for i, (side, amount) in enumerate(zip(sides, amounts, strict=True)):
        strip = quad(8.0, at=(-24 + 16 * i, 24, 0))
        forest = studio.forest(
            [strip], pattern="blue", blue_size=side, dissolve_scale=amount, rule="strict"
        )
        forest.add([1], [[0, 0, 0]], depleted=True)
        scene.add(forest)
        found = covered(studio.render(scene, front(height=64), cutout="dither"))
        for j in range(i + 1):  # the new one, and those that were there
            mask = dw.discard_mask(
                amounts[j], (64, 64), pattern="blue", size=sides[j], rule="strict"
            )
            columns = slice(16 * j, 16 * j + 16)
            assert (found[:16, columns] == ~mask[:16, columns]).all(), (i, j)
        assert (found[16:] == before[16:]).all()
    assert 0.3 < before[48:, 24:40].mean() < 0.7


def test_patterns_rules_and_directions_of_several_forests(studio):
    """What holds for one forest does not leak into the next."""
    options = [
        {"pattern": "bayer4", "rule": "seed", "dissolve_scale": 0.7},
        {"pattern": "hash", "rule": "strict", "dissolve_scale": 0.2},
        {"pattern": "bayer16", "direction": "up", "softness": 0.5, "dissolve_scale": 1.0},
        {"pattern": "bayer8", "dissolve_scale": 0.5},
    ]
    scene, forests = scene_of(), []
    for i, one in enumerate(options):
        forest = studio.forest([quad(8.0, at=(-24 + 16 * i, 0, 0))], **one)
        forest.add([1], [[0, 0, 0]])
        forest.dissolve.set([1], [0.6])
        forests.append(forest)
        scene.add(forest)
    together = covered(studio.render(scene, front(height=64)))
    apart = [covered(studio.render(scene_of(one), front(height=64))) for one in forests]
    assert (together == np.logical_or.reduce(apart)).all()
    assert len({int(one.sum()) for one in apart}) == 4


@pytest.mark.parametrize("encoding", ["float32", "unorm8", "analytic"])
def test_years_change_nothing(studio, encoding):
    """Ticks of devices have 32 bits, which is 18 hours: what rests stays as it is, what goes on
    ends once."""
    forest = studio.forest([quad(), quad()], distances=[20], encoding=encoding)
    forest.add([1], [[0, 0, 0]])
    scene = scene_of(forest)
    studio.render(scene)
    forest.deplete([1])
    wanted = covered(studio.render(scene, time=1.0))
    for time in (40_000.0, 65_536.0, 131_072.5, 1e7, 9e8):
        assert (covered(studio.render(scene, time=time)) == wanted).all(), time
    forest.respawn([1])
    assert covered(studio.render(scene, time=9.1e8)).all()
    assert covered(studio.render(scene, time=9.1e8 + 40_000)).all()


# -- models --


def strip(writer: Writer, half: float) -> int:
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32) * half
    return writer.mesh({"POSITION": corners}, np.array([0, 1, 2, 0, 2, 3]), material=0)


def test_a_model_is_drawn_where_its_nodes_are(studio, tmp_path):
    writer = Writer()
    writer.add(
        "materials", extensions={"KHR_materials_unlit": {}},
        pbrMetallicRoughness={"baseColorFactor": RED},
    )  # fmt: skip
    writer.document["extensionsUsed"] = ["KHR_materials_unlit"]
    mesh = strip(writer, 0.5)
    child = writer.add("nodes", mesh=mesh, translation=[1.0, 0, 0])
    writer.place(mesh, translation=[-0.5, 1.0, 0], scale=[1, -1, 1], children=[child])
    model = dw.load_gltf(writer.glb(tmp_path / "two.glb"))
    scene = scene_of()
    places = np.tile(np.eye(4), (2, 1, 1))
    places[1, 1, 3] = -2.0
    thing = scene.add(model, places)
    frame = studio.render(scene)
    # a mirrored node is seen from its front all the same
    wanted = np.zeros((64, 64), bool)
    wanted[8:24, 16:48] = wanted[40:56, 16:48] = True
    assert (shows(frame, 0) == wanted).all()
    assert frame.pick(30, 16) == (thing, 0) and frame.pick(40, 50) == (thing, 1)
    assert frame.stats.instances == 4
    scene.remove(model)
    assert not studio.render(scene).ids.any()


def test_meshes_of_one_object_share_its_number(studio):
    scene = scene_of()
    pair = [quad(1.0, at=(-1, 0, 0), color=RED), quad(1.0, at=(1, 0, 0), color=BLUE)]
    thing = scene.add(pair)
    frame = studio.render(scene)
    assert frame.pick(16, 32) == frame.pick(48, 32) == (thing, 0)
    assert shows(frame, 0).sum() == shows(frame, 2).sum() == 32 * 32


# -- textures --


def image_of(rng, height: int, width: int, most: int = 256) -> np.ndarray:
    image = rng.integers(0, most, (height, width, 4), dtype=np.uint8)
    image[..., 3] = 255
    return image


@pytest.mark.parametrize("color_space", ["srgb", "linear"])
def test_texels_come_back_as_they_are(studio, rng, color_space):
    """Without a sky no code is toned."""
    image = image_of(rng, 64, 64)
    texture = dw.MaterialTexture.from_image(image, color_space=color_space)
    color = studio.render(scene_of(quad(2.0, base_color_texture=texture))).color
    if color_space == "srgb":
        assert np.abs(color[..., :3].astype(int) - image[..., :3]).max() <= 1
    else:
        assert np.abs(light_of(color) - image[..., :3] / 255).max() < 0.005


@pytest.mark.parametrize("is_toned", [False, True])
def test_bright_light_bends_under_a_sky(studio, is_toned):
    """From light 0.6 on, which is code 203."""
    ramp = np.zeros((64, 64, 4), np.uint8)
    ramp[...] = np.linspace(0, 255, 64).round()[:, None, None]
    ramp[..., 3] = 255
    scene = scene_of(quad(2.0, base_color_texture=dw.MaterialTexture.from_image(ramp)))
    scene.sky = dw.Sky(tone=is_toned)
    shown = studio.render(scene).color[:, 32, 0].astype(int)
    given = ramp[:, 32, 0].astype(int)
    bright = given > 204
    assert np.abs(shown - given)[~bright].max() <= 1
    assert (shown[bright] < given[bright] - 1).any() == is_toned
    assert (np.diff(shown) >= 0).all() and shown.max() == (231 if is_toned else 255)  # 0.8


@pytest.mark.parametrize("shape", [(24, 40), (1, 7), (5, 3), (33, 64), (2, 1)])
def test_textures_of_any_size(studio, rng, shape):
    """A texel a pixel, with a chain that is baked for it."""
    height, width = shape
    image = image_of(rng, height, width, 200)
    image[..., 3] = rng.choice([0, 60, 200, 255], shape)
    texture = dw.MaterialTexture.from_image(image, wrap="clamp")
    flat = dw.Mesh(
        np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], np.float32)
        * [width / 2, height / 2, 1],
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32),
        material=dw.Material(base_color_texture=texture, alpha_mode="mask", unlit=True),
    )
    frame = studio.render(scene_of(flat), front(height=height), size=(width, height))
    there = covered(frame)
    assert (there == (image[..., 3] > 127)).all()
    assert np.abs(frame.color[there].astype(int) - image[there])[:, :3].max(initial=0) <= 1


def test_alpha_of_opaque_surfaces_is_not_looked_at(studio):
    texture = dw.MaterialTexture.from_image(np.zeros((4, 4, 4), np.uint8))
    for cutout in ("test", "dither"):
        scene = scene_of(quad(base_color_texture=texture, color=(1, 1, 1, 0.2)))
        assert covered(studio.render(scene, cutout=cutout)).all()


def test_cutouts_look_at_all_of_alpha(studio):
    """Of the texture, the vertices and the material, multiplied."""
    texture = dw.MaterialTexture.from_image(np.full((4, 4, 4), 204, np.uint8))  # 0.8
    for vertex, factor in ((255, 0.7), (255, 0.6), (170, 1.0), (150, 1.0)):
        mesh = quad(alpha_mode="mask", base_color_texture=texture, color=(1, 1, 1, factor))
        colors = np.full((4, 4), 255, np.uint8)
        colors[:, 3] = vertex
        tinted = dw.Mesh(
            mesh.positions, mesh.indices, uvs=mesh.uvs, colors=colors, material=mesh.material
        )
        passes = 0.8 * vertex / 255 * factor >= 0.5
        there = covered(studio.render(scene_of(tinted)))
        assert there.all() if passes else not there.any()


def test_blended_textures(studio):
    """The share of a blended surface is its alpha, at each texel."""
    image = np.full((64, 64, 4), 120, np.uint8)
    image[..., 3] = np.arange(64)[None, :] * 4
    card = quad(
        2.0, alpha_mode="blend", base_color_texture=dw.MaterialTexture.from_image(image)
    )
    color = studio.render(scene_of(card)).color
    assert np.abs(color[..., 3].astype(int) - image[..., 3]).max() <= 1
    assert np.abs(color[:, 4:, :3].astype(int) - 120).max() <= 2


def test_materials_are_each_their_own(studio):
    """Many materials in one scene, some with the same texture, each on its own strip."""
    shared = dw.MaterialTexture.from_image(np.full((4, 4, 4), 255, np.uint8))
    scene, colors = scene_of(), []
    for i in range(16):
        color = (0.03 * i, 0.5 - 0.03 * i, 0.2, 1.0)
        colors.append(color[:3])
        texture = shared if i % 2 else None
        scene.add(quad(2.0, at=(-30 + 4 * i, 0, 0), color=color, base_color_texture=texture))
    frame = studio.render(scene, front(height=64))
    shown = light_of(frame.color[32, 2::4])
    assert np.abs(shown - np.array(colors)).max() < 0.004
    assert frame.stats.draw_calls == 16


# -- shadows from outside --


def test_what_is_not_seen_casts_all_the_same(studio):
    """A wall behind the camera, and a tree beside the picture."""
    ground = quad(30.0, unlit=False, color=(0.3, 0.3, 0.3, 1))
    scene = scene_of(ground)
    scene.sun.shadows, scene.sun.shadow_size = True, 256
    scene.sun.direction, scene.sun.color = (1.0, 0.0, 1.0), (1.5, 1.5, 1.5)
    scene.items[0].casts_shadow = False
    lit = light_of(studio.render(scene).color)[..., 0]
    wall = scene.add(quad(3.0, at=(20, 0, 20)))
    frame = studio.render(scene)
    dark = light_of(frame.color)[..., 0]
    assert (dark < 0.6 * lit).all() and frame.stats.instances == 1
    scene.remove(wall)
    forest = studio.forest([quad(3.0)])
    forest.add([1], [[12, 0, 12]])
    scene.add(forest)
    frame = studio.render(scene)
    assert (light_of(frame.color)[..., 0] < 0.6 * lit).all()
    assert frame.stats.culled["outside"] == 1
    scene.sun.shadow_strength = 0.0
    assert np.abs(light_of(studio.render(scene).color)[..., 0] - lit).max() < 0.004
    scene.sun.shadow_strength, scene.sun.shadow_distance = 1.0, 5.0  # the ground lies at 10 m
    assert np.abs(light_of(studio.render(scene).color)[..., 0] - lit).max() < 0.004


def test_objects_may_cast_none(studio):
    ground = quad(30.0, unlit=False, color=(0.3, 0.3, 0.3, 1))
    scene = scene_of()
    scene.add(ground, casts_shadow=False)
    scene.add(quad(3.0, at=(10, 0, 10), color=GREEN), casts_shadow=False)
    scene.sun.direction = (1.0, 0.0, 1.0)
    without = studio.render(scene).color
    scene.sun.shadows = True
    frame = studio.render(scene)
    assert (frame.color == without).all() and frame.stats.shadow_draw_calls == 0
