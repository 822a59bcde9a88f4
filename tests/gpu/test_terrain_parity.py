# SPDX-License-Identifier: MIT
"""Vulkan devices choose the same materials as native threads, bit for bit."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_terrain_forms import MODES, forms, looks, options, spoiled


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_every_form_and_setting_gives_the_same_ids(vulkan_device, native_device, mode):
    rng = np.random.default_rng(1)
    for name, weights, slots in forms(2, 37, 61):
        for which in range(3):
            made = dw.Transition(mode, **options(slots, which, rng, mode))
            given = looks(slots, which, rng)
            if mode == "height":
                given["heights"] = rng.uniform(-1.2, 1.2, (37, 61, slots)).astype(np.float32)
                given["heights"][3, 4] = np.nan
            wanted = dw.select_materials(weights, made, device=native_device, **given)
            ids = dw.select_materials(weights, made, device=vulkan_device, **given)
            assert (ids == wanted).all(), (name, which, (ids != wanted).sum())


@pytest.mark.parametrize("mode", MODES)
def test_whole_words_of_pixels_give_the_same_ids(vulkan_device, native_device, mode):
    """Rows of a multiple of four pixels, texel by texel, have a way of their own."""
    for name, weights, slots in forms(3, 16, 64):
        made = dw.Transition(mode, noise_size=64)
        given = {"heights": np.linspace(-0.4, 0.4, slots)} if mode == "height" else {}
        keys = [int(key) for key in np.random.default_rng(slots).permutation(slots) + 3]
        for origin, materials in (((0, 0), None), ((-77, 1e6), keys)):
            given |= {"origin": origin, "materials": materials}
            wanted = dw.select_materials(weights, made, device=native_device, **given)
            ids = dw.select_materials(weights, made, device=vulkan_device, **given)
            assert (ids == wanted).all(), name


@pytest.mark.parametrize("mode", ["dithered", "priority", "priority_additive"])
def test_a_million_float_weights_give_the_same_ids(vulkan_device, native_device, mode):
    """Where scores nearly meet, one bit of a float would show."""
    weights = spoiled(np.random.default_rng(4), 512, 512, 4)
    made = dw.Transition(mode, priorities=(0.01, 0, -0.02, 0.03), strength=0.52)
    wanted = dw.select_materials(weights, made, device=native_device)
    assert (dw.select_materials(weights, made, device=vulkan_device) == wanted).all()


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 130), (9, 1), (5, 3)])
def test_odd_sizes_give_the_same_ids(vulkan_device, native_device, height, width):
    for slots in (2, 3, 8, 16):
        weights = np.random.default_rng(slots).integers(0, 99, (height, width, slots), np.uint8)
        wanted = dw.select_materials(weights, dw.Transition(), device=native_device)
        assert (dw.select_materials(weights, dw.Transition(), device=vulkan_device) == wanted).all()


@pytest.mark.slow
def test_maps_larger_than_a_binding_are_done_in_bands(vulkan_device, native_device):
    """176 MB of weights: more than lavapipe binds at once."""
    rng = np.random.default_rng(5)
    rows = rng.random((16, 1375, 16), np.float32)
    weights = np.tile(rows, (125, 1, 1))
    made = dw.Transition("dithered", noise_size=64)
    wanted = dw.select_materials(weights, made, device=native_device)
    assert (dw.select_materials(weights, made, device=vulkan_device) == wanted).all()
