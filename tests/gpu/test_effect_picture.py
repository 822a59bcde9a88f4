# SPDX-License-Identifier: MIT
"""Strips of effects: the view holds what is there, and moments follow each other."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.effect_picture import effect_strip


def lit(cell: np.ndarray) -> np.ndarray:
    """Where something is drawn: what differs from the picture's corner."""
    return np.abs(cell[..., :3].astype(int) - cell[0, 0, :3]).max(axis=2) > 12


@pytest.mark.parametrize("name", dw.EFFECT_NAMES)
def test_every_built_in_effect_is_drawn_whole(vulkan_device, name):
    strip = effect_strip(name, [0.05, 0.2], size=(64, 64), device=vulkan_device)
    assert strip.shape == (64, 128, 4) and (strip[..., 3] == 255).all()
    cells = np.split(strip, 2, axis=1)
    assert (cells[0] != cells[1]).any()
    if name.startswith("weather"):  # all around the camera
        assert np.ptp(strip[..., 1]) > 8
        return
    for cell in cells:
        drawn = lit(cell)
        assert drawn.any()
        edge = np.concatenate([drawn[0], drawn[-1], drawn[:, 0], drawn[:, -1]])
        assert edge.mean() < 0.25, "it is cut off"


def test_moments_are_those_of_one_hub(vulkan_device):
    strip = effect_strip("fire_explosion", [0.1, 0.4, 9.0], size=(48, 48), device=vulkan_device)
    again = effect_strip("fire_explosion", [0.1, 0.4, 9.0], size=(48, 48), device=vulkan_device)
    other = effect_strip(
        "fire_explosion", [0.1, 0.4, 9.0], size=(48, 48), seed=1, device=vulkan_device
    )
    assert (strip == again).all() and (strip != other).any()
    first, second, last = np.split(strip, 3, axis=1)
    assert lit(first).any() and lit(second).any()
    assert not lit(last).any(), "it is over"


def test_an_effect_without_particles_is_a_backdrop(vulkan_device):
    part = dw.ParticlePart("halo", "magic", 0, (1.0, 1.0), params={"size": 1.0})
    strip = effect_strip(
        dw.ParticleEffect("none", (part,)), [0.0, 1.0], size=(16, 16), device=vulkan_device
    )
    assert (strip == strip[0, 0]).all()


@pytest.mark.parametrize("times", [[], [1.0, 0.5], [-1.0], [float("nan")], [0.0, float("inf")]])
def test_times_that_no_strip_has(vulkan_device, times):
    with pytest.raises(ValueError, match="time"):
        effect_strip("glow_fire", times, device=vulkan_device)


def test_names_that_no_effect_has(vulkan_device):
    with pytest.raises(ValueError, match="name must be one of"):
        effect_strip("glow_ice", [0.0], device=vulkan_device)
