# SPDX-License-Identifier: MIT
"""Heightfields and splat maps of others as terrain of a scene.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "terrain"
MAP, SOURCES = DATA / "hterrain/terrain_data", DATA / "hterrain/textures/ground/src"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no real data; set DAPPLEWOOD_DATA to the folder that holds them"
)

# Godot's resource holds 513 x 513 halves behind 391 bytes.
GODOT = {"shape": (513, 513), "dtype": "f2", "skip": 391}


@pytest.fixture(scope="module")
def demo(vulkan_device):
    """The map of a Godot plugin's demo, with the tiles that came with it."""
    heights = dw.load_heightfield(MAP / "height.res", **GODOT)
    weights = dw.read_weights(MAP / "splat.png")
    materials = [
        dw.TerrainMaterial(SOURCES / f"{name}/{name}_albedo.png", scale=4.0)
        for name in ("grass", "leaves", "sand")
    ]
    materials.insert(2, dw.TerrainMaterial((0.2, 0.19, 0.17)))
    terrain = dw.Terrain(
        heights, weights, materials, dw.Transition("priority", cell=1 / 8, strength=0.52),
        cell_size=1.0, position=(-256.0, 0.0, -256.0),
    )  # fmt: skip
    scene = dw.Scene()
    scene.sky = None
    scene.add(terrain)
    return scene, terrain


def test_a_map_shows_the_materials_that_it_has(demo, vulkan_device):
    """Three of them: the fourth weight, an alpha of 0 everywhere, hides none of the others."""
    scene, terrain = demo
    camera = dw.OrthoCamera((0, 300, 0), (0, 0, 0), height=512.0, up=(0, 0, -1))
    weights = terrain.weights.astype(float)
    terrain.view = "ids"
    with dw.Renderer((513, 513), device=vulkan_device) as renderer:
        frame = renderer.render(scene, camera)
        terrain.view = "color"
    ids = frame.ids - frame.ranges[0].first
    assert set(np.unique(ids)) == {0, 1, 2}
    clear = weights.max(axis=2) > 0.98 * weights.sum(axis=2)
    assert clear.mean() > 0.3
    assert (ids == weights.argmax(axis=2))[clear].mean() > 0.999


def test_a_view_has_no_holes(demo, vulkan_device):
    scene, terrain = demo
    rng = np.random.default_rng(1)
    with dw.Renderer((240, 160), device=vulkan_device) as renderer:
        for _ in range(6):
            x, z = rng.uniform(-200, 200, 2)
            camera = dw.Camera((x, terrain.height_at(x, z) + 30.0, z), (0.3 * x, -90.0, 0.3 * z))
            frame = renderer.render(scene, camera)
            assert (frame.ids > 0).all()
            assert len(np.unique(frame.color.reshape(-1, 4), axis=0)) > 500


def test_sixteen_bits_stand_where_they_should(vulkan_device):
    """A 1024 x 1024 heightfield: depths from above are its heights."""
    field = dw.load_heightfield(DATA / "panda/heightfield.png", scale=100.0)
    terrain = dw.Terrain(
        field, np.ones((2, 2, 1), np.float32), [dw.TerrainMaterial((0.3, 0.3, 0.3))],
        cell_size=1.0, quad_pixels=1.0,
    )  # fmt: skip
    scene = dw.Scene()
    scene.sky = None
    scene.add(terrain)
    middle = np.array([500.0, 0.0, 500.0])
    camera = dw.OrthoCamera(middle + (0, 200, 0), middle, height=256.0, up=(0, 0, -1))
    with dw.Renderer((256, 256), device=vulkan_device) as renderer:
        frame = renderer.render(scene, camera)
    at = 500.0 - 128.0 + np.arange(256) + 0.5
    wanted = terrain.height_at(at[None, :], at[:, None])
    assert np.quantile(np.abs(200.0 - frame.depth - wanted), 0.999) < 0.01
    assert np.ptp(wanted) > 10.0
