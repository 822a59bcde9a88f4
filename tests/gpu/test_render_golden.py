# SPDX-License-Identifier: MIT
"""Whole pictures beside references in tests/golden: see helpers_golden.py."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers import TOLERANCE
from helpers_golden import block, check_golden, difference, ground

SIZE = (192, 128)


def cone(height: float, radius: float, sides: int, **material) -> dw.Mesh:
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.stack([radius * np.cos(angle), 0 * angle, radius * np.sin(angle)], axis=1)
    at = np.arange(sides)
    return dw.Mesh(
        np.concatenate([ring, [[0, height, 0]]]).astype(np.float32),
        np.stack([(at + 1) % sides, at, np.full(sides, sides)], axis=1).astype(np.uint32),
        material=dw.Material(**material),
    )


def ripples() -> dw.MaterialTexture:
    """A normal map of rings."""
    y, x = (np.mgrid[0:64, 0:64] + 0.5) / 32 - 1
    slope = 0.5 * np.cos(14 * np.hypot(x, y))
    normal = np.stack([slope * x, -slope * y, np.ones_like(x)], axis=2)
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    image = np.full((64, 64, 4), 255, np.uint8)
    image[..., :3] = np.rint((normal * 0.5 + 0.5) * 255)
    return dw.MaterialTexture.from_image(image, color_space="linear")


def sunny_scene() -> dw.Scene:
    scene = dw.Scene()
    scene.sun.direction, scene.sun.shadow_size = (-0.6, 0.7, 0.5), 1024
    scene.sun.shadow_distance = 45.0
    scene.sky.fog.density = 0.01
    return scene


def objects(renderer) -> dw.Frame:
    """A block, a mirrored cone, a pane of glass and a plate with a normal map, with shadows."""
    scene = sunny_scene()
    scene.add(ground(30, base_color=(0.30, 0.34, 0.22, 1)))
    scene.add(block((-3, 0, -1), (-1, 2, 1), base_color=(0.5, 0.2, 0.15, 1), roughness=0.4))
    cone_mesh = cone(3, 1, 16, base_color=(0.2, 0.3, 0.5, 1), metallic=0.6, roughness=0.3)
    mirrored = np.diag([-1.0, 1, 1, 1])
    mirrored[:3, 3] = (1.2, 0, -0.5)
    scene.add(cone_mesh, mirrored)
    plate = ground(1.2, base_color=(0.6, 0.6, 0.55, 1), normal_texture=ripples())
    lifted = np.eye(4)
    lifted[:3, 3] = (0.4, 0.02, 2.2)
    scene.add(plate, lifted)
    scene.add(block((2.4, 0, 0), (2.5, 2, 2), base_color=(0.3, 0.5, 0.5, 0.4), alpha_mode="blend"))
    return renderer.render(scene, dw.Camera((1.5, 3, 8), (0, 0.8, 0), fov_y=0.7))


def woods(renderer) -> dw.Frame:
    """Trees that cross-fade, dissolve upwards, fade out far away; one is highlighted."""
    scene = sunny_scene()
    scene.add(ground(90, base_color=(0.25, 0.30, 0.16, 1)))
    near = [
        block((-0.2, 0, -0.2), (0.2, 1.2, 0.2), base_color=(0.3, 0.2, 0.1, 1)),
        cone(4, 1.4, 12, base_color=(0.1, 0.35, 0.12, 1)).transformed(
            np.array([[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1.0]])
        ),
    ]
    far = cone(5, 1.4, 5, base_color=(0.35, 0.28, 0.08, 1))
    with dw.Forest(
        [near, far], distances=[18], fade=(35, 60), crossfade=1.0, pattern="bayer8",
        direction="up", softness=0.4, dissolve_scale=0.9, wind=0.0,
    ) as forest:  # fmt: skip
        x, z = np.meshgrid(np.arange(-4, 5) * 4.0, -np.arange(0, 12) * 5.0)
        places = np.stack([x.ravel() + 0.3 * z.ravel() % 2, 0 * x.ravel(), z.ravel()], axis=1)
        forest.add(np.arange(len(places)), places)
        scene.add(forest)
        renderer.render(scene, dw.Camera((0, 5, 16), (0, 1, -10), fov_y=0.8), time=0.0)
        forest.dissolve.set([2, 5, 13], [0.4, 0.7, 0.5])
        forest.highlight([4, 12], [1.0, 0.6])
        camera = dw.Camera((0, 5, 10.5), (0, 1, -10), fov_y=0.8)
        renderer.render(scene, camera, time=0.125)
        frame = renderer.render(scene, camera, time=0.625)
        assert frame.stats.culled["crossfading"] == 3
        return frame


def fern() -> dw.Mesh:
    """A card of leaflets, cut out by alpha."""
    y, x = np.mgrid[0:128, 0:128] / 128
    stem = np.abs(x - 0.5) < 0.02
    reach = 0.45 * np.sin(np.pi * np.clip(1 - y, 0, 1)) * (0.6 + 0.4 * np.sin(50 * y))
    image = np.full((128, 128, 4), (70, 130, 50, 0), np.uint8)
    image[..., 3] = np.where(stem | (np.abs(x - 0.5) < reach), 255, 0)
    return dw.Mesh(
        np.array([[-0.5, 0, 0], [0.5, 0, 0], [0.5, 1, 0], [-0.5, 1, 0]], np.float32) * 2,
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32),
        material=dw.Material(
            base_color_texture=dw.MaterialTexture.from_image(image, wrap="clamp"),
            alpha_mode="mask", double_sided=True, translucency=0.4,
        ),
    )  # fmt: skip


def ferns(renderer) -> dw.Frame:
    """Cards near, where the texture is magnified, and far, where it is averaged."""
    scene = sunny_scene()
    scene.add(ground(60, base_color=(0.30, 0.24, 0.16, 1)))
    places = np.tile(np.eye(4), (9, 1, 1))
    for i in range(9):
        turn = 0.5 * i
        c, s = np.cos(turn), np.sin(turn)
        places[i, [0, 0, 2, 2], [0, 2, 0, 2]] = c, s, -s, c
        places[i, :3, 3] = (1.6 * (i % 3 - 1) * (1 + i / 6), 0, 1.5 - 2.2 * i)
    scene.add(fern(), places)
    return renderer.render(scene, dw.Camera((0, 1.6, 5), (0, 0.7, 0), fov_y=0.8))


EFFECTS = {
    "water": lambda at: dw.WaterConfig(at, "fishing_fly"),
    "altar": lambda at: dw.GlowConfig(at, "altar"),
    "camp": lambda at: dw.FireConfig(at),
    "torch": lambda at: dw.GlowConfig(at, "torch"),
    "enchant": lambda at: dw.MagicConfig(at, "enchant"),
    "dust": lambda at: dw.DustConfig(at, "drift"),
}


def particles(renderer) -> dw.Frame:
    """A row of effects at dusk before a wall, which soft ones fade into."""
    scene = sunny_scene()
    scene.sun.color = (0.5, 0.35, 0.25)
    scene.sky = dw.Sky(zenith=(0.03, 0.05, 0.10), horizon=(0.12, 0.10, 0.10), ground=(0.02,) * 3)
    scene.add(ground(30, base_color=(0.12, 0.14, 0.10, 1)))
    scene.add(block((-5, 0, -1.2), (5, 1.6, -1), base_color=(0.2, 0.17, 0.15, 1)))
    with dw.ParticleManager(seed=11) as manager:
        for i, (name, config) in enumerate(EFFECTS.items()):
            manager.register(name, config((1.1 * (i - 2.5), 0.0, 0.0)))
        scene.add(manager)
        return renderer.render(scene, dw.Camera((0, 1.6, 5.5), (0, 0.7, 0), fov_y=0.7), time=4.0)


def weather(renderer) -> dw.Frame:
    """Rain in fog around the camera, and a block in it."""
    scene = sunny_scene()
    scene.sun.color = (0.4, 0.4, 0.4)
    scene.add(ground(30, base_color=(0.2, 0.22, 0.18, 1)))
    scene.add(block((-1, 0, -1), (1, 2, 1), base_color=(0.3, 0.2, 0.15, 1)))
    with dw.ParticleManager(seed=12) as manager:
        for preset in ("rain", "fog"):
            manager.register(preset, dw.WeatherConfig(preset))
        scene.add(manager)
        return renderer.render(scene, dw.Camera((0, 1.7, 6), (0, 1.2, 0), fov_y=0.8), time=4.0)


PICTURES = {
    "objects": (objects, {}),
    "woods": (woods, {}),
    "ferns_a2c": (ferns, {"cutout": "a2c", "samples": 4}),
    "ferns_dither": (ferns, {"cutout": "dither"}),
    "particles": (particles, {"samples": 4}),
    "weather": (weather, {}),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(vulkan_device, tmp_path, name):
    draw, options = PICTURES[name]
    try:
        # the reference is filtered as software devices do
        renderer = dw.Renderer(SIZE, anisotropic=False, device=vulkan_device, **options)
    except ValueError as error:
        pytest.skip(str(error))
    with renderer:
        frame = draw(renderer)
    check_golden(name, frame.color, tmp_path)


def test_a_picture_that_is_off_is_found(vulkan_device):
    """What the tolerance lets through is less than a missing tree or a shade of light."""
    with dw.Renderer(SIZE, anisotropic=False, device=vulkan_device) as renderer:
        color = woods(renderer).color
    brighter = np.minimum(color.astype(int) + 2, 255)
    moved = np.roll(color, 1, axis=1)
    for other in (brighter, moved):
        mean, share, _ = difference(color, other)
        assert mean > TOLERANCE["golden_mean"] or share > TOLERANCE["golden_share"]
