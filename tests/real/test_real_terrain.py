# SPDX-License-Identifier: MIT
"""Splat maps and heights that others made.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import dapplewood as dw

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "terrain"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no terrain in the real data; set DAPPLEWOOD_DATA to their folder"
)

# Shape, type of the numbers, least and largest of them in units of white.
HEIGHTS = {
    "panda/heightfield.png": ((1024, 1024), "uint16", 0.096315, 0.969787),
    "misc/heightmap.png": ((128, 128), "uint8", 0.0, 1.0),
    "terrain3d/circle1.exr": ((100, 100), "float32", 0.0, 1.0),
    "terrain3d/mountain1.exr": ((256, 256), "float32", 0.0, 1.004875),
    "terrain3d/terrain3.exr": ((512, 512), "float32", 0.001679, 0.997559),
    "hterrain/textures/ground/src/grass/grass_depth.png": ((957, 1024), "uint8", 0.0196, 0.8039),
    "hterrain/textures/ground/src/sand/sand_depth.png": ((1024, 1024), "uint8", 0.0, 1.0),
    "hterrain/textures/ground/src/leaves/leaves_depth.png": ((1024, 1024), "uint8", 0.0, 1.0),
    "hterrain/textures/ground/src/rocks07/Rocks07_disp.jpg": ((2048, 2048), "uint8", 0.0, 1.0),
}


@pytest.mark.parametrize("name", HEIGHTS)
def test_heights_are_read_in_silence(name):
    shape, source, low, high = HEIGHTS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = dw.load_heightfield(DATA / name, scale=200.0)
    assert (found.shape, found.source) == (shape, source)
    assert found.low == pytest.approx(200 * low, abs=0.02)
    assert found.high == pytest.approx(200 * high, abs=0.02)


@pytest.fixture(scope="module")
def splat():
    return dw.read_weights(DATA / "hterrain/terrain_data/splat.png")


def test_a_resource_of_an_engine_is_bare_numbers_behind_a_header(splat):
    path = DATA / "hterrain/terrain_data/height.res"
    found = dw.load_heightfield(path, shape=splat.shape[:2], dtype="<f2", skip=391)
    assert (found.low, found.high) == (-67.75, 69.625)
    slopes = [np.abs(np.diff(found.array, axis=axis)).max() for axis in (0, 1)]
    assert max(slopes) < 2  # a byte of offset more, and neighbours differ by thousands


def test_a_splat_map_without_alpha_keeps_its_weights(splat):
    """The fourth weight is 0 everywhere: where alpha is opacity, nothing is left."""
    assert splat.shape == (513, 513, 4) and splat.dtype == np.uint8
    assert not splat[..., 3].any()
    assert splat[..., :3].max((0, 1)).tolist() == [255, 255, 239]
    sums = splat.sum(-1, dtype=int)
    assert (sums.min(), sums.max()) == (188, 255)  # weights need not sum to white


def test_a_real_map_is_packed(splat):
    shares = splat / splat.sum(-1, keepdims=True)
    codes = dw.unpack_weights(dw.pack_weights(splat), dtype=np.uint8)
    assert (codes.sum(-1) == 15).all() and np.abs(codes / 15 - shares).max() < 1 / 15
    found = dw.weight_banding(splat)
    assert 0 < found.longest_run < 60 and found.step < 0.1
    dithered = dw.unpack_weights(dw.pack_weights(splat, dithered=True))
    assert np.abs(dithered.mean((0, 1), dtype=float) - shares.mean((0, 1))).max() < 2e-4
    made = dw.weights_to_index_map(splat)
    third = np.sort(shares, -1)[..., :2].sum(-1)
    assert made.lost == pytest.approx(third.mean()) and made.lost > 0.02  # two are too few here


@pytest.mark.parametrize("mode", ["dithered", "priority", "priority_additive", "dominant_accent"])
def test_a_real_map_has_an_expectation(splat, mode):
    shares = dw.expected_coverage(splat, dw.Transition(mode))
    assert np.abs(shares.sum(-1) - 1).max() < 1e-6 and not shares[..., 3].any()


def test_colour_textures_are_no_heights():
    with pytest.raises(ValueError, match="channels R, G, B, A differ; pass channel"):
        dw.load_heightfield(DATA / "diligent/grass_DM.dds")
    found = dw.load_heightfield(DATA / "diligent/grass_DM.dds", channel="g")
    assert found.shape == (512, 512)
