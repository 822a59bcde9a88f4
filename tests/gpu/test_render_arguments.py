# SPDX-License-Identifier: MIT
"""What cannot be drawn is refused: the text names the argument, what is wanted and what came."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_render import front, quad, scene_of

NAN, INF = float("nan"), float("inf")
BAD_RENDERERS = {
    "no width": ({"size": (0, 5)}, "size must be .* got \\(0, 5\\)"),
    "below 0": ({"size": (4, -1)}, "size must be .* got \\(4, -1\\)"),
    "huge": ({"size": (1 << 20, 1 << 20)}, "at most 134217728 pixels"),
    "word": ({"size": "64"}, "size must be .*'64'"),
    "half a pixel": ({"size": (2.5, 4)}, "whole numbers"),
    "NaN pixels": ({"size": (NAN, 4)}, "whole numbers"),
    "three sides": ({"size": (1, 2, 3)}, "size must be \\(width, height\\)"),
    "3 samples": ({"samples": 3}, "samples must be 1, 2, 4 or 8, got 3"),
    "0 samples": ({"samples": 0}, "samples must be 1, 2, 4 or 8, got 0"),
    "samples by word": ({"samples": "4"}, "samples must be 1, 2, 4 or 8, got '4'"),
    "cutout": ({"cutout": "alpha"}, "cutout must be one of test, a2c, dither, got 'alpha'"),
    "no cutout": ({"cutout": None}, "cutout must be one of test, a2c, dither, got None"),
    "temporal": ({"temporal": -1}, "temporal must be .*\\[0, 256\\], got -1"),
    "long temporal": ({"temporal": 257}, "temporal must be .*\\[0, 256\\], got 257"),
    "part of a frame": ({"temporal": 2.5}, "temporal must be a whole number.* got 2.5"),
}


@pytest.mark.parametrize("name", BAD_RENDERERS)
def test_renderers(vulkan_device, name):
    options, text = BAD_RENDERERS[name]
    with pytest.raises(ValueError, match=text):
        dw.Renderer(**{"size": (8, 8), **options}, device=vulkan_device)


def test_devices(native_device, vulkan_device):
    with pytest.raises(dw.DeviceNotFound, match="needs a Vulkan device.*choose Device"):
        dw.Renderer((8, 8), device=native_device)
    with pytest.raises(TypeError, match="device must be a Device or None, got str"):
        dw.Renderer((8, 8), device="gpu")
    with pytest.raises(dw.CapacityError, match="1048576 x 8 texels.* 1 to \\d+ texels a side"):
        dw.Renderer((1 << 20, 8), device=vulkan_device)


def test_samples_that_a_device_lacks(vulkan_device):
    """Those that it offers are named, and can be had."""
    for samples in (2, 4, 8):
        try:
            dw.Renderer((8, 8), samples=samples, device=vulkan_device).close()
        except ValueError as error:
            text = str(error)
            assert f"samples = {samples}" in text
            offered = [n for n in (1, 2, 4, 8) if f" {n} " in text.split("draws with")[1]]
            assert samples not in offered and 1 in offered
            for other in offered:
                dw.Renderer((8, 8), samples=other, device=vulkan_device).close()


BAD_CAMERAS = {
    "NaN": ({"position": (NAN, 0, 0)}, "position must be 3 finite numbers"),
    "infinite": ({"target": (0, INF, 0)}, "target must be 3 finite numbers"),
    "two": ({"position": (0, 0)}, "position must be 3 finite numbers, got \\(0, 0\\)"),
    "word": ({"position": "here"}, "position must be 3 finite numbers, got 'here'"),
    "far away": ({"position": (1e200, 0, 0)}, "position must lie within 1e\\+09 m"),
    "at its target": ({"target": (0, 0, 9)}, "target must differ from position"),
    "no up": ({"up": (0, 0, 0)}, "up must not be 0"),
    "NaN up": ({"up": (NAN, 0, 0)}, "up must be 3 finite numbers"),
    "near 0": ({"near": 0}, "near must be a finite number above 0, got 0"),
    "near word": ({"near": "x"}, "near must be a finite number above 0, got 'x'"),
    "far infinite": ({"far": INF}, "far must be a finite number above 0, got inf"),
    "near tiny": ({"near": 1e-300}, "near must lie in \\[1e-30, 1e\\+30\\] m, got 1e-300"),
    "far huge": ({"far": 1e300}, "far must lie in \\[1e-30, 1e\\+30\\] m, got 1e\\+300"),
    "far before near": ({"near": 5, "far": 1}, "far must be beyond near \\(5 m\\), got 1 m"),
    "far at near": ({"near": 5, "far": 5}, "far must be beyond near"),
}


@pytest.mark.parametrize("kind", [dw.Camera, dw.OrthoCamera])
@pytest.mark.parametrize("name", BAD_CAMERAS)
def test_cameras(kind, name):
    options, text = BAD_CAMERAS[name]
    options = {"position": (0, 0, 9), "target": (0, 0, 0), **options}
    with pytest.raises(ValueError, match=text):
        kind(options.pop("position"), options.pop("target"), **options)


@pytest.mark.parametrize("fov", [0, -1, 3.2, NAN, 1e-300])
def test_angles_of_cameras(fov):
    with pytest.raises(ValueError, match="fov_y must be"):
        dw.Camera((0, 0, 1), (0, 0, 0), fov_y=fov)


@pytest.mark.parametrize("height", [0, -1, INF, NAN])
def test_heights_of_cameras(height):
    with pytest.raises(ValueError, match="height must be a finite number above 0"):
        dw.OrthoCamera((0, 0, 1), (0, 0, 0), height=height)


@pytest.mark.filterwarnings("error")
def test_cameras_and_casters_at_the_ends_of_their_ranges_draw(studio):
    scene = scene_of(quad())
    scene.sun.shadows = True
    scene.add(dw.Mesh([[0, 0, 0], [1e-40, 0, 0], [0, 1e-40, 0]]))
    for options in ({"near": 1e-30, "far": 1e30}, {"fov_y": 1e-9}, {"fov_y": 3.14159}):
        studio.render(scene, dw.Camera((0, 0, 9), (0, 0, 0), **options))
    for options in ({"near": 1e-30, "far": 1e30}, {"height": 1e-30}, {"height": 1e30}):
        studio.render(scene, dw.OrthoCamera((0, 0, 9), (0, 0, 0), **options))
    small = scene_of()
    small.sun.shadows = True
    small.add(dw.Mesh([[0, 0, 0], [1e-40, 0, 0], [0, 1e-40, 0]]))
    studio.render(small)


def test_a_camera_that_looks_along_up_still_sees(studio):
    for target in ((0, 0, 0), (0, 20, 0)):
        camera = dw.Camera((0, 10, 0), target)
        assert np.isfinite(camera.view_matrix).all()
        z_up = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
        ground = quad(double_sided=True).transformed(z_up)
        there = studio.render(scene_of(ground), camera).ids > 0
        assert there.all() == (target == (0, 0, 0))


def changed(row: int, column: int, value: float) -> np.ndarray:
    matrix = np.eye(4)
    matrix[row, column] = value
    return matrix


BAD_TRANSFORMS = {
    "NaN": (changed(0, 3, NAN), ValueError, "transform must be finite"),
    "infinite": (changed(1, 1, INF), ValueError, "transform must be finite"),
    "beyond float32": (changed(0, 3, 1e40), ValueError, "transform must be .*within 1e\\+09"),
    "zero scale": (changed(1, 1, 0), ValueError, "transform 0 is singular.*scaled by less"),
    "a plane": (np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]), ValueError,
                "transform 0 is singular: its axes must span space"),
    "perspective": (changed(3, 0, 0.1), ValueError, "must end with the row 0 0 0 1"),
    "3 x 3": (np.eye(3), ValueError, "transform must be \\(4, 4\\) or \\(N, 4, 4\\)"),
    "second": (np.stack([np.eye(4), changed(0, 0, 0)]), ValueError, "transform 1 is singular"),
    "words": ("here", TypeError, "transform must be real numbers"),
    "complex": (1j * np.eye(4), TypeError, "transform must be real numbers"),
    "ragged": ([[1, 2], [3]], TypeError, "transform must be real numbers"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_TRANSFORMS)
def test_transforms_of_objects(name):
    value, kind, text = BAD_TRANSFORMS[name]
    scene = scene_of()
    with pytest.raises(kind, match=text):
        scene.add(quad(), value)
    assert len(scene) == 0
    thing = scene.add(quad())
    with pytest.raises(kind, match=text.replace("transform ", "transforms ")):
        thing.move(value)
    assert (thing.transforms == np.eye(4)).all()


def test_negative_scales_turn_objects_round(studio):
    """They are fine for objects, an odd number of them too; for trees only an even one is."""
    for signs in ((-1, 1, 1), (-1, -1, 1), (-1, -1, -1)):
        scene = scene_of()
        scene.add(quad(double_sided=True), np.diag([*map(float, signs), 1.0]))
        assert (studio.render(scene).ids > 0).all()
    forest = studio.forest([quad()])
    forest.add([1], np.diag([-1.0, -1, 1, 1])[None])
    assert (studio.render(scene_of(forest)).ids > 0).all()
    with pytest.raises(ValueError, match="id 2 mirrors.*positive determinant"):
        forest.add([2], np.diag([-1.0, 1, 1, 1])[None])


def test_trees_that_cannot_be_added_leave_the_picture_alone(studio):
    forest = studio.forest([quad(1.0)])
    forest.add([1], [[0, 0, 0]])
    scene = scene_of(forest)
    before = studio.render(scene).color
    bad = {
        "holds nan": changed(0, 3, NAN), "scales axis 1 by 0": changed(1, 1, 0),
        "last row": changed(3, 0, 0.5), "positions lie within": changed(2, 3, 1e30),
    }  # fmt: skip
    for text, matrix in bad.items():
        with pytest.raises(ValueError, match=f"id 9.*{text}|{text}.*id 9"):
            forest.add([8, 9], np.stack([changed(0, 3, 1), matrix]))
    with pytest.raises(ValueError, match="got 5 twice"):
        forest.add([5, 5], np.zeros((2, 3)))
    assert (studio.render(scene).color == before).all() and len(forest) == 1


BAD_THINGS = {
    "nothing": (None, TypeError, "got NoneType"),
    "number": (3, TypeError, "got int"),
    "no meshes": ([], TypeError, "got list"),
    "a scene": (dw.Scene(), TypeError, "got Scene"),
}


@pytest.mark.parametrize("name", BAD_THINGS)
def test_things(name):
    value, kind, text = BAD_THINGS[name]
    with pytest.raises(kind, match=f"thing must be a Forest, .*Mesh, Model or meshes, {text}"):
        dw.Scene().add(value)


def test_arguments_that_are_of_no_use_to_a_thing(studio):
    forest, scene, model = studio.forest([quad()]), dw.Scene(), dw.Model(*[()] * 6)
    for options in ({"transform": np.eye(4)}, {"pose": 1}, {"casts_shadow": False}, {"wind": 1}):
        with pytest.raises(ValueError, match=f"^{next(iter(options))}: "):
            scene.add(forest, **options)
    for things in (quad(), [quad(), quad()]):
        with pytest.raises(ValueError, match="^pose: only a Model"):
            scene.add(things, pose=model.pose())
    with pytest.raises(TypeError, match="pose must be what pose\\(\\) gives, got int"):
        scene.add(model, pose=5)
    assert len(scene) == 0


def test_forests_in_a_scene(studio):
    forest = studio.forest([quad()])
    scene = scene_of(forest)
    with pytest.raises(ValueError, match="in the scene already; remove it first"):
        scene.add(forest)
    with pytest.raises(ValueError, match="a forest's trees have their own"):
        dw.Scene().add(forest, np.eye(4))
    with pytest.raises(ValueError, match="is not in the scene"):
        scene.remove(quad())
    many = scene_of(*[studio.forest([quad()]) for _ in range(65)])
    with pytest.raises(dw.CapacityError, match="at most 64 forests, got 65"):
        studio.render(many)
    many.remove(many.items[-1])
    studio.render(many)


def test_images_that_are_too_large_for_the_device(studio):
    wide = dw.MaterialTexture.from_image(np.zeros((1, 70_000, 4), np.uint8))
    with pytest.raises(dw.CapacityError, match="70000 x 1 texels"):
        studio.render(scene_of(quad(base_color_texture=wide)))
    assert (studio.render(scene_of(quad())).ids > 0).all()


@pytest.mark.parametrize("time", [NAN, INF, 1e30, "noon", None])
def test_times(studio, time):
    with pytest.raises(ValueError, match="time must be finite and within 1e\\+09 s, got"):
        studio.render(scene_of(quad()), time=time)


BAD_SCENES = {
    "no sun": ("sun", None, TypeError, "scene.sun must be a Sun, got NoneType"),
    "sky word": ("sky", "blue", TypeError, "scene.sky must be a Sky or None, got str"),
    "wind NaN": ("wind", (NAN, 0), ValueError, "scene.wind must be 2 numbers"),
    "wind 3": ("wind", (1, 2, 3), ValueError, "scene.wind must be 2 numbers"),
    "direction 0": ("sun.direction", (0, 0, 0), ValueError, "sun.direction must be .* not all 0"),
    "direction NaN": ("sun.direction", (0, NAN, 0), ValueError, "sun.direction must be 3 finite"),
    "direction word": ("sun.direction", "up", ValueError, "sun.direction must be .*'up'"),
    "color": ("sun.color", (1, -1, 1), ValueError, "sun.color must be 3 finite numbers, 0 or more"),
    "color of 2": ("sun.color", (1, 1), ValueError, "sun.color must be 3 finite numbers"),
    "shadow": ("sun.shadow", "soft", ValueError, "sun.shadow must be one of hard, dither, off"),
    "map": ("sun.shadow_size", 16, ValueError, "sun.shadow_size must be whole, in \\[64, 8192\\]"),
    "map half": ("sun.shadow_size", 99.5, ValueError, "sun.shadow_size must be whole"),
    "reach": ("sun.shadow_distance", 0, ValueError, "sun.shadow_distance must be .*at least 0.01"),
    "strength": ("sun.shadow_strength", 2, ValueError, "sun.shadow_strength must be .*\\[0, 1\\]"),
    "strength word": ("sun.shadow_strength", "x", ValueError, "sun.shadow_strength must be"),
    "zenith": ("sky.zenith", (NAN, 0, 0), ValueError, "sky.zenith must be 3 finite numbers"),
    "exposure": ("sky.exposure", -1, ValueError, "sky.exposure must be finite and at least 0"),
    "no fog": ("sky.fog", None, TypeError, "sky.fog must be a Fog, got NoneType"),
    "fog": ("sky.fog.density", -1, ValueError, "sky.fog.density must be finite and at least 0"),
    "base": ("sky.fog.base_height", INF, ValueError, "sky.fog.base_height must be finite"),
}


@pytest.mark.parametrize("name", BAD_SCENES)
def test_surroundings(studio, name):
    path, value, kind, text = BAD_SCENES[name]
    scene = dw.Scene()
    owner, parts = scene, path.split(".")
    for part in parts[:-1]:
        owner = getattr(owner, part)
    setattr(owner, parts[-1], value)
    with pytest.raises(kind, match=text):
        studio.render(scene)


def test_what_render_takes(studio):
    renderer = studio.renderer()
    for scene, camera in ((quad(), front()), (dw.Scene(), None), (front(), dw.Scene())):
        with pytest.raises(TypeError, match="render takes a Scene and a Camera or OrthoCamera"):
            renderer.render(scene, camera)


@pytest.mark.parametrize("cutoff", [0, 1, -1, 2, NAN, "half", None])
def test_cutoffs(cutoff):
    with pytest.raises(ValueError, match="alpha_cutoff must lie inside \\(0, 1\\), got"):
        dw.Material(alpha_cutoff=cutoff)


def test_cutoffs_near_the_ends_are_drawn(studio):
    """What passes is what the alpha says, also where hardly anything, or nothing, does."""
    image = np.full((64, 64, 4), 255, np.uint8)
    image[..., 3] = np.arange(64 * 64).reshape(64, 64) % 256
    texture = dw.MaterialTexture.from_image(image)
    for cutoff in (1e-9, 0.001, 0.999):
        card = quad(2.0, base_color_texture=texture, alpha_mode="mask", alpha_cutoff=cutoff)
        there = studio.render(scene_of(card)).ids > 0
        assert (there == (image[..., 3] >= cutoff * 255)).all(), cutoff


def test_meshes_that_are_empty():
    with pytest.raises(ValueError, match="positions is empty.*None in the \"lods\""):
        dw.Mesh(np.zeros((0, 3), np.float32))
    with pytest.raises(ValueError, match="indices is empty"):
        dw.Mesh(np.zeros((3, 3), np.float32), np.zeros((0, 3), np.uint32))


def test_pictures_beyond_the_memory_of_the_device(studio):
    """Told before the driver is asked, which may not be asked for more than there is."""
    size, before = (11000, 11000), studio.device.memory()
    if 4 * 8 * size[0] * size[1] <= before["total_bytes"]:
        pytest.skip("the device holds larger pictures than may be asked for")
    with pytest.raises(MemoryError, match="device memory is exhausted: [0-9]+ bytes are wanted"):
        dw.Renderer(size, samples=4, device=studio.device)
    assert studio.device.memory()["used_bytes"] == before["used_bytes"]


def test_an_object_without_places_draws_nothing(studio):
    scene = scene_of()
    scene.sun.shadows = True
    thing = scene.add(quad(), np.zeros((0, 4, 4)))
    frame = studio.render(scene)
    assert not frame.ids.any() and frame.stats.instances == 0
    thing.move(np.eye(4))
    assert (studio.render(scene).ids > 0).all()
