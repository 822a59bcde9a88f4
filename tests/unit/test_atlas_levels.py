# SPDX-License-Identifier: MIT
"""Levels of the baker: colours, averaged alpha, places, filters."""

import numpy as np
import pytest

import dapplewood as dw
from helpers import TOLERANCE, box_axis, float_levels, noise_image


@pytest.fixture(scope="module")
def cpu():
    with dw.Device("cpu") as device:
        yield device


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("size", [(64, 64), (37, 53), (128, 20), (1, 77), (63, 1), (5, 3)])
def test_levels_follow_the_float_reference(cpu, size, bits):
    image = noise_image(*size, bits=bits)
    baked = dw.bake_atlas(image, coverage="none", device=cpu)
    reference = float_levels(image)
    assert len(baked.levels) == len(reference)
    for n, (colors, alpha) in enumerate(reference):
        level = baked.levels[n].astype(float)
        assert level.shape[:2] == alpha.shape
        assert np.abs(level[..., 3] - alpha).max() <= TOLERANCE["level_steps"]
        assert np.array_equal(baked.alpha_to_coverage[n], baked.levels[n][..., 3])
        # 1/4 of an alpha step is the least that 24 bits tell apart from rounding
        visible = alpha > 0.25
        if visible.any():
            difference = np.abs(level[..., :3] - colors)[visible]
            assert difference.max() <= TOLERANCE["level_steps"]


def test_the_float_reference_tells_encoded_averaging_apart():
    image = noise_image(64, 64)
    wrong = image.astype(float).reshape(32, 2, 32, 2, 4).mean(axis=(1, 3))
    colors, alpha = float_levels(image)[1]
    difference = np.abs(wrong[..., :3] - colors)[alpha > 64]
    assert difference.max() > 10 * TOLERANCE["level_steps"]


@pytest.mark.parametrize("filter", dw.MipFilter)
@pytest.mark.parametrize("fill", dw.FillMode)
@pytest.mark.parametrize("alpha", [1, 127, 255])
def test_a_constant_image_stays_constant(cpu, filter, fill, alpha):
    image = np.empty((54, 70, 4), dtype=np.uint8)
    image[:] = (13, 200, 77, alpha)
    baked = dw.bake_atlas(
        image, tiles=dw.TileGrid(2, 2), filter=filter, fill=fill, device=cpu
    )
    for level, averaged in zip(baked.levels, baked.alpha_to_coverage):
        assert (level == image[0, 0]).all()
        assert (averaged == alpha).all()


def test_level_0_keeps_what_is_visible(cpu):
    image = noise_image(96, 64)
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(3, 2), device=cpu)
    visible = image[..., 3] > 0
    assert np.array_equal(baked.levels[0][visible], image[visible])
    assert np.array_equal(baked.levels[0][..., 3], image[..., 3])
    assert np.array_equal(baked.alpha_to_coverage[0], image[..., 3])


def test_16_bit_level_0_is_rounded(cpu):
    image = noise_image(40, 24, bits=16)
    baked = dw.bake_atlas(image, fill="keep", device=cpu)
    assert np.array_equal(baked.levels[0], (image.astype(np.uint32) + 128) // 257)


@pytest.mark.parametrize("filter", dw.MipFilter)
def test_a_tile_of_the_atlas_equals_the_tile_alone(cpu, filter):
    image = noise_image(128, 64, seed=3)
    whole = dw.bake_atlas(image, tiles=dw.TileGrid(4, 2), filter=filter, device=cpu)
    for index, (x, y, w, h) in enumerate(whole.tiles.rects):
        alone = dw.bake_atlas(image[y : y + h, x : x + w], filter=filter, device=cpu)
        for n in range(6):  # 32 x 32 tiles down to one texel
            part = whole.levels[n][y >> n : (y + h) >> n, x >> n : (x + w) >> n]
            assert np.array_equal(part, alone.levels[n]), (index, n)


def test_nothing_crosses_a_tile_border(cpu):
    """Changing one tile changes no other at any level at which tiles exist."""
    image = noise_image(96, 96, seed=1)
    other = image.copy()
    other[:32, :32] = 255
    for filter in dw.MipFilter:
        a = dw.bake_atlas(image, tiles=dw.TileGrid(3, 3), filter=filter, device=cpu)
        b = dw.bake_atlas(other, tiles=dw.TileGrid(3, 3), filter=filter, device=cpu)
        for n in range(6):
            same = np.ones(a.levels[n].shape[:2], dtype=bool)
            place = a.places[0, n]
            same[place["y0"] : place["y1"], place["x0"] : place["x1"]] = False
            assert np.array_equal(a.levels[n][same], b.levels[n][same])
            assert not np.array_equal(a.levels[n], b.levels[n])


def test_levels_below_a_texel_average_the_tiles(cpu):
    """Past one texel a tile, the chain is the plain mean of the level before."""
    image = np.zeros((16, 16, 4), dtype=np.uint8)
    rng = np.random.default_rng(8)
    for y in range(4):
        for x in range(4):
            image[4 * y : 4 * y + 4, 4 * x : 4 * x + 4] = rng.integers(1, 256, 4)
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(4, 4), coverage="none", device=cpu)
    assert (baked.tile_levels == 3).all()
    for n, (colors, alpha) in enumerate(float_levels(image)):
        assert np.abs(baked.levels[n][..., 3] - alpha).max() <= TOLERANCE["level_steps"]
        assert np.abs(baked.levels[n][..., :3] - colors).max() <= TOLERANCE["level_steps"]


def test_a_texel_belongs_to_the_tile_that_holds_its_centre(cpu):
    image = noise_image(90, 60)
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(3, 2), device=cpu)
    for n in range(int(baked.tile_levels.min())):
        height, width = baked.levels[n].shape[:2]
        owner = np.full((height, width), -1)
        for tile, place in enumerate(baked.places[:, n]):
            part = owner[place["y0"] : place["y1"], place["x0"] : place["x1"]]
            assert (part == -1).all()
            part[:] = tile
        column = ((np.arange(width) + 0.5) * 3 / width).astype(int)
        row = ((np.arange(height) + 0.5) * 2 / height).astype(int)
        assert np.array_equal(owner, row[:, None] * 3 + column[None, :])


@pytest.mark.parametrize("size", [(8, 8), (9, 7), (33, 32), (3, 2), (1, 9)])
def test_odd_sizes_use_polyphase_weights(cpu, size):
    """A ramp shows every weight: level 1 of it is the matrix product."""
    width, height = size
    ramp = np.linspace(0, 65535, width * height).astype(np.uint16).reshape(height, width)
    image = np.stack([ramp, ramp, ramp, np.full_like(ramp, 65535)], axis=-1)
    baked = dw.bake_atlas(image, color_space="linear", device=cpu)
    rows = box_axis(height) if height > 1 else np.eye(1)
    columns = box_axis(width) if width > 1 else np.eye(1)
    wanted = rows @ (ramp / 257.0) @ columns.T
    assert np.abs(baked.levels[1][..., 0] - wanted).max() <= 0.5 + 1e-3


@pytest.mark.parametrize("background", [True, False])
def test_texels_in_no_tile_are_baked_as_image(cpu, background):
    image = noise_image(64, 64, seed=2)
    rects = [[5, 3, 20, 31]] if background else [[0, 0, 64, 64]]
    baked = dw.bake_atlas(image, tiles=dw.TileRects(rects), device=cpu)
    plain = dw.bake_atlas(image, coverage="none", device=cpu)
    for n in range(7):
        outside = np.ones(baked.levels[n].shape[:2], dtype=bool)
        if n < baked.tile_levels[0]:
            place = baked.places[0, n]
            outside[place["y0"] : place["y1"], place["x0"] : place["x1"]] = False
        assert np.array_equal(baked.levels[n][outside], plain.levels[n][outside])


def test_threads_do_not_change_a_byte():
    image = noise_image(256, 192, seed=4)
    results = []
    for threads in (1, 2, 5):
        with dw.Device("cpu", threads=threads) as device:
            for tiles in (None, dw.TileGrid(8, 6)):
                baked = dw.bake_atlas(image, tiles=tiles, coverage="image", device=device)
                results.append([level.tobytes() for level in baked.levels])
    assert results[0] == results[2] == results[4]
    assert results[1] == results[3] == results[5]


def test_linear_images_are_not_decoded(cpu):
    image = np.zeros((2, 2, 4), dtype=np.uint8)
    image[..., 3] = 255
    image[0, 0, :3] = 255
    srgb = dw.bake_atlas(image, device=cpu)
    linear = dw.bake_atlas(image, color_space="linear", device=cpu)
    assert srgb.levels[1][0, 0, 0] == 137  # light 1/4
    assert linear.levels[1][0, 0, 0] == 64


def test_wide_filters_differ_and_box_is_exact(cpu):
    image = noise_image(64, 64, seed=6)
    level_1 = {f: dw.bake_atlas(image, filter=f, device=cpu).levels[1] for f in dw.MipFilter}
    for a in dw.MipFilter:
        for b in dw.MipFilter:
            assert np.array_equal(level_1[a], level_1[b]) == (a == b)
