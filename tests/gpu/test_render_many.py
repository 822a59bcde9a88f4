# SPDX-License-Identifier: MIT
"""Scenes of very many separate things."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_render import front, quad, scene_of

SIDE = 70  # things along each side of the picture, a pixel each


@pytest.mark.slow
def test_thousands_of_draws_that_each_bind_another_texture(vulkan_device):
    """What is blended is drawn from far to near; here each has another picture than the last. Pools
    of lavapipe never run out of descriptor sets, those of cards do."""
    colors = np.array([(255, 0, 0, 255), (0, 0, 255, 255)], np.uint8)
    textures = [dw.MaterialTexture.from_image(np.full((2, 2, 4), c, np.uint8)) for c in colors]
    kinds = [quad(0.5, base_color_texture=one, alpha_mode="blend") for one in textures]
    scene = scene_of()
    for i in range(SIDE * SIDE):
        x, y = i % SIDE, i // SIDE
        at = np.eye(4, dtype=np.float32)
        at[:3, 3] = x + 0.5 - SIDE / 2, SIDE / 2 - y - 0.5, 0.001 * i
        scene.add(kinds[i % 2], transform=at)
    with dw.Renderer((SIDE, SIDE), device=vulkan_device) as renderer:
        frame = renderer.render(scene, front(height=SIDE))
    assert frame.stats.draw_calls >= SIDE * SIDE
    assert (frame.color == colors[np.arange(SIDE * SIDE) % 2].reshape(SIDE, SIDE, 4)).all()
