# SPDX-License-Identifier: MIT
"""Simulated particles of a manager on a Vulkan device: the bytes of native ones, and pictures."""

from __future__ import annotations

import numpy as np
import pytest
from helpers_render import scene_of
from helpers_simulated import CAMERA, effect, scene, sights, sparks, states

import dapplewood as dw


def play(pm: dw.ParticleManager) -> list[dict[str, bytes]]:
    """What a manager shows on the way through all that may be done to emitters."""
    shown = [states(pm)]
    for dt, change in (
        (0.013, None),
        (0.7, lambda: pm.register("late", dw.EffectConfig((1, 1, 0), effect(sparks(50))))),
        (0.3, lambda: pm.move("sparks", (0.5, 1, 0))),
        (0.2, lambda: pm.emit("sparks", 40)),
        (0.2, lambda: pm.set_time_scale("late", 2.5)),
        (0.2, lambda: pm.pause("spot")),
        (0.3, lambda: pm.stop("late")),
        (0.4, lambda: pm.kill("sparks")),
        (0.5, lambda: pm.unregister("sparks")),
        (0.1, lambda: pm.register("sparks", dw.EffectConfig((0, 2, 0), effect(sparks(70))))),
        (3.0, None),
        (0.0, None),
    ):
        pm.update(dt, CAMERA)
        if change is not None:
            change()
        shown += [states(pm), sights(pm)]
    return shown


@pytest.mark.parametrize("mode", ["exact", "seed"])
def test_all_that_is_done_gives_the_same_bytes(native_device, vulkan_device, mode):
    wanted, got = play(scene(native_device, mode)), play(scene(vulkan_device, mode))
    for moment, (a, b) in enumerate(zip(wanted, got, strict=True)):
        assert a == b, (moment, [layer for layer in a if a[layer] != b.get(layer)])
    assert sum(len(shown["impact"]) for shown in wanted if "impact" in shown) > 100000


def test_a_stall_gives_the_same_bytes(native_device, vulkan_device):
    shown = []
    for device in (native_device, vulkan_device):
        pm = scene(device)
        pm.update(0.5)
        pm.update(100.0)
        shown.append((states(pm), pm.stats().skipped_steps))
    assert shown[0] == shown[1]
    assert shown[0][1] == 100 * 64 - 4096


def test_emitters_come_and_go_on_a_device(vulkan_device):
    """Slots that were others' before begin empty, and those of nobody are given back."""
    pm, fresh = (dw.ParticleManager(vulkan_device, seed=5) for _ in range(2))
    for round_ in range(4):
        for i in range(6):
            pm.register(i, dw.EffectConfig((i, 1, 0), effect(sparks(30 + 40 * i + round_))))
        pm.update(0.7)
        pm.unregister_many(range(0, 6, 2))
        pm.update(0.3)
    pm.unregister_many(pm.ids)
    assert pm._simulation()[:2] == (0, 0)
    pm.update(0.25)
    assert len(pm.state("impact")) == 0
    assert pm._simulation()[2] == 0
    fresh.seek(pm.time)
    for one in (pm, fresh):
        one.register("again", dw.EffectConfig((0, 1, 0), effect(sparks(90))))
        one.update(1.0)
    assert states(pm) == states(fresh)


def picture(studio, pm) -> np.ndarray:
    return studio.render(scene_of(pm), CAMERA, size=(320, 180), time=pm.time).color


def test_pictures_are_those_of_native_states(studio, native_device, vulkan_device):
    """A renderer gets what the host simulates, frame by frame."""
    pictures = []
    for device in (native_device, vulkan_device):
        pm = scene(device)
        for dt in (1.3, 0.4, 0.1):
            pm.update(dt)
            pictures.append(picture(studio, pm))
    for native, vulkan in zip(pictures[:3], pictures[3:], strict=True):
        np.testing.assert_array_equal(native, vulkan)
    assert (pictures[0] != pictures[1]).any() and (pictures[1] != pictures[2]).any()


def test_a_renderer_brings_simulated_particles_up_to_its_time(studio, vulkan_device):
    behind, there = scene(vulkan_device), scene(vulkan_device)
    there.update(0.9)
    late = studio.render(scene_of(behind), CAMERA, size=(160, 90), time=0.9).color
    np.testing.assert_array_equal(
        late, studio.render(scene_of(there), CAMERA, size=(160, 90), time=0.9).color
    )
    assert behind.tick == there.tick


def test_another_device_does_not_see_what_a_device_simulates(native_device, vulkan_device):
    pm = dw.ParticleManager(vulkan_device)
    pm.register("a", dw.EffectConfig((0, 1, 0), effect(sparks(20))))
    pm.update(0.5)
    assert len(pm.state("impact")) > 0
    with pytest.raises(ValueError, match=r"device.*only that one sees them"):
        pm._state(native_device, int(dw.ParticleLayer.IMPACT))


def test_more_than_a_device_holds_is_said(vulkan_device):
    """Lavapipe binds 128 MiB at most: states of 3.7 million slots."""
    if vulkan_device.info.kind != "software":
        pytest.skip("its buffers are too large to be filled here")
    pm = dw.ParticleManager(vulkan_device)
    many = dw.ParticlePart("halo", "spark", 4_000_000, (5, 5), simulation="dynamic", once=True)
    pm.register("many", dw.EffectConfig((0, 0, 0), effect(many)))
    with pytest.raises(dw.CapacityError, match=r"simulated: 4000000 slots.*Device\(\"cpu\"\)"):
        pm.update(1 / 64)
    assert pm.tick == 0
    pm.unregister("many")
    pm.register("few", dw.EffectConfig((0, 0, 0), effect(sparks(20))))
    pm.update(0.5)
    assert len(pm.state("impact")) > 0
