# SPDX-License-Identifier: MIT
"""Vulkan devices draw the same pictures of terrain as native threads, byte for byte."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_terrain_forms import MODES, forms, options

# Pixels per map unit: zoomed out, in both fades, and crisp.
ZOOMS = (0.4, 5.0, 9.3, 16.0)


def scene(rng: np.random.Generator, slots: int) -> tuple[np.ndarray, list[np.ndarray]]:
    base = rng.integers(0, 256, (29, 17, 3), np.uint8)
    details = [
        rng.integers(0, 256, (*rng.integers(1, 40, 2), 3 + i % 2), np.uint8) for i in range(slots)
    ]
    return base, details


@pytest.mark.parametrize("mode", MODES)
def test_every_form_and_setting_gives_the_same_bytes(vulkan_device, native_device, mode):
    rng = np.random.default_rng(1)
    for name, weights, slots in forms(2, 13, 19):
        base, details = scene(rng, slots)
        for which in range(3):
            made = dw.Transition(mode, **options(slots, which, rng, mode))
            given = {
                "pixels_per_unit": ZOOMS[rng.integers(4)],
                "corner": (rng.uniform(-5, 5), rng.uniform(-5, 5)),
                "size": (int(rng.integers(1, 90)), int(rng.integers(1, 60))),
                "style": ("photo", "pixel")[which % 2],
                "detail_strength": rng.random(slots),
                "detail_scale": rng.uniform(0.1, 3, slots),
                "samples": (None, 1, 3)[which],
                "return_ids": True,
            }
            if mode == "height":
                given["heights"] = rng.uniform(-1.2, 1.2, (13, 19, slots)).astype(np.float32)
            args = (base, details, weights, made)
            wanted, wanted_ids = dw.compose_terrain(*args, **given, device=native_device)
            picture, ids = dw.compose_terrain(*args, **given, device=vulkan_device)
            assert (picture == wanted).all(), (name, given, (picture != wanted).sum())
            assert (ids == wanted_ids).all(), (name, given)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("style", ["photo", "pixel"])
def test_the_fades_give_the_same_bytes(vulkan_device, native_device, mode, style):
    """Halfway between the chosen material and the expectation, of cells of 1/8 unit."""
    rng = np.random.default_rng(7)
    base, details = scene(rng, 8)
    weights = rng.random((31, 40, 8)).astype(np.float32)
    made = dw.Transition(mode, cell=0.125, strength=0.52)
    heights = rng.random(8) if mode == "height" else None
    for per_unit in (8.5, 11.0, 15.9):
        args = (base, details, weights, made)
        given = {"pixels_per_unit": per_unit, "style": style, "heights": heights}
        wanted = dw.compose_terrain(*args, **given, device=native_device)
        assert (dw.compose_terrain(*args, **given, device=vulkan_device) == wanted).all()
        assert len(np.unique(wanted)) > 100
