# SPDX-License-Identifier: MIT
"""Renderers over time: nothing grows, anything may be closed first, threads are told apart."""

from __future__ import annotations

import gc
import threading

import dapplewood as dw
import numpy as np
import pytest
from conftest import open_vulkan
from dapplewood import _core
from helpers_render import FRAME, GREEN, RED, covered, front, quad, scene_of, shows


def busy_scene(studio) -> tuple[dw.Scene, dw.Forest]:
    """Objects, a texture that is cut out, a forest with LODs in motion, shadows and a sky."""
    image = np.full((32, 32, 4), 255, np.uint8)
    image[::2, ::3, 3] = 0
    leaf = quad(
        1.0, unlit=False, alpha_mode="mask",
        base_color_texture=dw.MaterialTexture.from_image(image),
    )  # fmt: skip
    forest = studio.forest(
        [[quad(1.0, unlit=False), leaf], leaf, quad(0.5)], distances=[12, 20], fade=(30, 40),
        crossfade=0.1, pattern="blue", wind=0.5,
    )  # fmt: skip
    forest.add(np.arange(60), np.random.default_rng(1).uniform(-8, 8, (60, 3)))
    scene = dw.Scene()
    scene.sun.shadow_size = 256
    scene.add(quad(9, at=(0, 0, -5), unlit=False))
    scene.add(leaf, np.tile(np.eye(4), (3, 1, 1)))
    scene.add(quad(2, at=(0, 0, 4), color=(0.2, 0.3, 0.4, 0.5), alpha_mode="blend"))
    scene.add(forest)
    return scene, forest


@pytest.mark.parametrize("options", [{}, {"cutout": "dither", "temporal": 3}])
def test_frames_take_no_memory_once_warm(studio, options):
    """Blocks of the core, memory and objects of the device stay as they are, frame by frame."""
    scene, forest = busy_scene(studio)
    seen = []
    for i in range(20):
        camera = dw.Camera((0, 1, 9 + 8 * np.sin(i)), (0, 0, -4))
        forest.deplete(np.arange(i, i + 20), instant=False)
        forest.respawn(np.arange(40, 60) if i % 2 else np.arange(0, 10))
        forest.highlight([i], 0.5)
        before = _core.host_allocation_total()
        studio.render(scene, camera, time=i * FRAME, **options)
        taken = _core.host_allocation_total() - before
        memory, counts = studio.device.memory(), studio.device.live_counts()
        seen.append((taken, _core.host_allocations(), memory["used_bytes"], *counts.values()))
    assert len(set(seen[3:])) == 1
    assert seen[-1][0] == 0 < seen[0][0]


def test_things_that_are_gone_leave_the_device(studio):
    """Meshes and textures go at the first frame after the last reference to them."""
    scene = scene_of(quad())
    studio.render(scene)
    before = studio.device.live_counts()
    for _ in range(3):
        image = dw.MaterialTexture.from_image(np.zeros((8, 8, 4), np.uint8))
        thing = scene.add(quad(base_color_texture=image))
        studio.render(scene)
        assert studio.device.live_counts()["images"] == before["images"] + 1
        scene.remove(thing)
        del thing, image
        gc.collect()
        studio.render(scene)
    after = studio.device.live_counts()
    assert (after["images"], after["buffers"]) == (before["images"], before["buffers"])


def test_ever_new_meshes_of_one_material_leave_nothing_behind(studio):
    """A row of a material is made for the box of a mesh, too."""
    material = quad(color=RED).material
    kept = scene_of(quad(at=(0, 0, -9), color=GREEN))
    renderer = studio.renderer()

    def draw(i: int) -> dw.Frame:
        mesh = quad(1.0 + 0.001 * i).replace(material=material)
        place = kept.add(mesh)
        frame = renderer.render(kept, front())
        kept.remove(place)
        return frame

    for i in range(100):
        frame = draw(i)  # it keeps its mesh
    used = studio.device.memory()["used_bytes"]
    for i in range(100, 400):
        frame = draw(i)
    assert studio.device.memory()["used_bytes"] == used
    assert shows(frame, 0).any() and shows(frame, 1).any()


def test_another_shadow_map_is_another_size_only(studio):
    """Scenes of two sizes of maps take turns in one renderer."""
    scene, _ = busy_scene(studio)
    pictures = {}
    for size in (256, 512, 256, 512):
        scene.sun.shadow_size = size
        frame = studio.render(scene, front(9, height=12))
        assert (pictures.setdefault(size, frame.color) == frame.color).all()
    assert (pictures[256] == pictures[512]).mean() > 0.7


ORDERS = ("renderer forest device", "device renderer forest", "forest device renderer")


@pytest.mark.parametrize("order", ORDERS)
def test_closing_in_any_order(order):
    with open_vulkan() as device:
        forest = dw.Forest([quad()], distances=[])
        forest.add([1], [[0, 0, 0]])
        renderer = dw.Renderer((16, 16), device=device)
        assert covered(renderer.render(scene_of(forest), front())).all()
        things = {"renderer": renderer, "forest": forest, "device": device}
        for name in order.split():
            things[name].close()
        renderer.close()
        assert renderer.closed
        with pytest.raises(ValueError, match="renderer is closed"):
            renderer.render(scene_of(), front())


@pytest.mark.parametrize("closed", ["renderer", "forest", "device"])
def test_what_is_closed_is_not_drawn(closed):
    """The text says what is closed and what to make."""
    with open_vulkan() as device, dw.Renderer((16, 16), device=device) as renderer:
        forest = dw.Forest([quad()], distances=[])
        forest.add([1], [[0, 0, 0]])
        scene = scene_of(forest, quad())
        renderer.render(scene, front())
        {"renderer": renderer, "forest": forest, "device": device}[closed].close()
        with pytest.raises(ValueError, match=rf"{closed}.* is closed: make a new"):
            renderer.render(scene, front())
        forest.close()


def test_a_renderer_that_is_dropped_frees_its_memory(vulkan_device):
    """At once: memory of a device must not wait for a collector that does not see it."""
    gc.collect()
    gc.disable()
    try:
        before = vulkan_device.live_counts()["buffers"]
        with dw.Forest([quad()], distances=[]) as forest:
            forest.add([1], [[0, 0, 0]])
            renderer = dw.Renderer((16, 16), device=vulkan_device)
            renderer.render(scene_of(quad(), forest), front())
            assert vulkan_device.live_counts()["buffers"] > before
            del renderer
        assert vulkan_device.live_counts()["buffers"] == before
    finally:
        gc.enable()


def test_renderers_side_by_side(studio):
    """Of different kinds on one device, in turn: each goes on as if alone."""
    kinds = [{}, {"cutout": "a2c"}, {"cutout": "dither", "temporal": 2}, {"size": (48, 20)}]
    scene = scene_of(quad(1.0, color=RED))
    first = [studio.render(scene, **kind).color for kind in kinds]
    for _ in range(2):
        for kind, wanted in zip(kinds, first, strict=True):
            assert (studio.render(scene, **kind).color == wanted).all()
    assert len({id(studio.renderer(**{"size": (64, 64), **kind})) for kind in kinds}) == 4


def test_a_second_thread_is_told(studio):
    """A renderer draws for one thread; the other one gets an error, and no other picture."""
    renderer = studio.renderer((128, 128), temporal=32)
    scene, refused, frames = scene_of(quad(1.0, color=GREEN)), [], []
    going = threading.Event()

    def draw() -> None:
        for _ in range(3):
            going.set()
            try:
                frames.append(renderer.render(scene, front()))
            except ValueError as error:
                refused.append(str(error))

    thread = threading.Thread(target=draw)
    thread.start()
    going.wait(10)
    while thread.is_alive():
        try:
            frames.append(renderer.render(scene, front()))
        except ValueError as error:
            refused.append(str(error))
    thread.join()
    assert refused and frames
    assert all("at work on another thread" in text and "one renderer a" in text for text in refused)
    assert all((shows(frame, 1) == shows(frames[0], 1)).all() for frame in frames)
    assert shows(renderer.render(scene, front()), 1).sum() == 64 * 64


def test_closing_waits_for_no_other_thread(studio):
    renderer = studio.renderer((128, 128), temporal=64)
    thread = threading.Thread(target=renderer.render, args=(scene_of(quad()), front()))
    thread.start()
    texts = []
    while thread.is_alive() and not texts:
        try:
            if renderer._lock.locked():
                renderer.close()
        except ValueError as error:
            texts.append(str(error))
    thread.join()
    assert texts and "at work on another thread" in texts[0]
    assert not renderer.closed
    assert covered(renderer.render(scene_of(quad()), front())).all()


def test_threads_with_a_renderer_each(studio):
    scenes = [scene_of(quad(1.0, color=RED)), scene_of(quad(0.5, color=GREEN))]
    sizes, found = [(64, 64), (96, 96)], [[], []]
    renderers = [studio.renderer(size) for size in sizes]

    def draw(i: int) -> None:
        for _ in range(12):
            found[i].append(renderers[i].render(scenes[i], front()))

    threads = [threading.Thread(target=draw, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(frames) for frames in found] == [12, 12]
    assert all(shows(frame, 0).sum() == 32 * 32 for frame in found[0])
    assert all(shows(frame, 1).sum() == 24 * 24 for frame in found[1])


def test_a_frame_is_the_callers_own(studio):
    """Pictures do not change as others are drawn."""
    red, green = scene_of(quad(color=RED)), scene_of(quad(color=GREEN))
    first = studio.render(red)
    kept = [first.color.copy(), first.depth.copy(), first.ids.copy()]
    studio.render(green)
    for array, copy in zip((first.color, first.depth, first.ids), kept, strict=True):
        assert (array == copy).all() and array.flags.owndata | (array.base is not None)
    assert first.color.shape == (64, 64, 4) and first.color.dtype == np.uint8
    assert first.depth.shape == first.ids.shape == (64, 64)
    assert (first.depth.dtype, first.ids.dtype) == (np.float32, np.uint32)


def test_stats_tell_what_was_drawn(studio):
    forest = studio.forest([quad(), quad()], distances=[20])
    forest.add([1, 2, 3], [[0, 0, 0], [9000, 0, 0], [0, 0, -30]])
    forest.deplete([1])
    stats = studio.render(scene_of(forest, quad())).stats
    assert stats.draw_calls == 5 and stats.shadow_draw_calls == 0
    assert [(one.lod, one.kind, one.instances, one.triangles) for one in stats.lists] == [
        (0, "fading", 1, 2), (1, "solid", 1, 2),
    ]  # fmt: skip
    assert stats.instances == 3 and stats.triangles == 6
    assert stats.culled == {"outside": 1, "faded": 0, "crossfading": 0}
    assert all(ms >= 0 for ms in stats.milliseconds.values())
    assert {"scene_cull", "scene_solid", "scene_cut", "scene_resolve"} <= set(stats.milliseconds)
    assert "5 draw calls" in stats._repr_html_()


def test_blended_forests_are_noted(studio):
    """They are drawn, but not farthest first."""
    forest = studio.forest([quad(color=(0.5, 0.0, 0.0, 0.5), alpha_mode="blend")])
    forest.add([1], [[0, 0, 0]])
    stats = studio.render(scene_of(quad(at=(0, 0, -1)), forest)).stats
    (note,) = stats.notes
    assert "forest 0 has blended materials" in note and "not sorted" in stats._repr_html_()
    assert studio.render(scene_of(quad())).stats.notes == ()


def test_only_pixels_of_the_picture_are_picked(studio):
    frame = studio.render(scene_of(quad()), size=(6, 4))
    assert frame.pick(5, 3) is not None and frame.pick(5, 3) == frame.pick(0, 0)
    for x, y in ((-1, 0), (0, -1), (6, 0), (0, 4)):
        with pytest.raises(IndexError, match=f"6 x 4 pixels, none at {x}, {y}"):
            frame.pick(x, y)


def test_a_frame_can_be_kept_as_png(studio, tmp_path):
    frame = studio.render(scene_of(quad(1.0, color=RED)))
    frame.save(tmp_path / "frame.png")
    read = dw.read_image(tmp_path / "frame.png")
    assert (read.array == frame.color).all()
    assert frame._repr_png_()[:8] == b"\x89PNG\r\n\x1a\n"
