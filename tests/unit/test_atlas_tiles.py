# SPDX-License-Identifier: MIT
"""Tiles, level caps, islands, arrays, far atlases, padded chains."""

import math

import numpy as np
import pytest

import dapplewood as dw
from dapplewood import _core
from helpers import noise_image


@pytest.fixture(scope="module")
def cpu():
    with dw.Device("cpu") as device:
        yield device


@pytest.mark.parametrize(
    ("gutter", "caps"), [(0, (-1, -1, -1, -1)), (1, (1, 0, -1, -1)), (8, (4, 3, 2, 0)),
                         (64, (6, 6, 5, 3)), (9, (4, 3, 2, 1))]
)
def test_level_caps(cpu, gutter, caps):
    image = np.zeros((256, 512, 4), dtype=np.uint8)
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(2, 1, gutter=gutter), device=cpu)
    wanted = [min(cap, 9) for cap in caps]
    if gutter == 64:
        wanted = [7, 6, 5, 3]
    assert list(baked.levels_safe) == wanted


def test_a_lone_tile_has_nobody_to_bleed_from(cpu):
    baked = dw.bake_atlas(noise_image(64, 64), device=cpu)
    assert set(baked.levels_safe) == {6}


def test_safe_and_numbered_caps(cpu):
    image = noise_image(128, 128)
    image[..., 3] = 0
    grid = dw.TileGrid(2, 2, gutter=8)
    assert len(dw.bake_atlas(image, tiles=grid, max_level="safe", device=cpu).levels) == 5
    assert len(dw.bake_atlas(image, tiles=grid, max_level=2, device=cpu).levels) == 3
    assert len(dw.bake_atlas(image, tiles=grid, max_level=99, device=cpu).levels) == 8
    with pytest.raises(ValueError, match="needs a gutter"):
        dw.bake_atlas(image, tiles=dw.TileGrid(2, 2), max_level="safe", device=cpu)


def test_a_capped_chain_holds_the_same_levels(cpu):
    image, grid = dw.samples.foliage_atlas(256, 2, 2, gutter=8)
    whole = dw.bake_atlas(image, tiles=grid, device=cpu)
    capped = dw.bake_atlas(image, tiles=grid, max_level=3, device=cpu)
    for a, b in zip(capped.levels, whole.levels):
        assert np.array_equal(a, b)


def test_islands_are_found_with_their_margin(cpu):
    image = np.zeros((100, 120, 4), dtype=np.uint8)
    image[10:30, 20:50, 3] = 255
    image[60:90, 70:100, 3] = 9
    image[34, 30, 3] = 1  # 5 texels below the first island: belongs to it
    baked = dw.bake_atlas(image, tiles="auto", device=cpu)
    assert baked.tiles.rects.tolist() == [[15, 5, 40, 35], [65, 55, 40, 40]]
    assert baked.tiles.gutter == 4


def test_islands_at_the_image_edge_have_no_gutter(cpu):
    image = np.zeros((40, 40, 4), dtype=np.uint8)
    image[0:10, 0:10, 3] = 255
    tiles = dw.bake_atlas(image, tiles="auto", device=cpu).tiles
    assert tiles.rects.tolist() == [[0, 0, 15, 15]] and tiles.gutter == 0


@pytest.mark.parametrize("seed", range(5))
def test_islands_cover_all_and_overlap_nowhere(cpu, seed):
    rng = np.random.default_rng(seed)
    image = np.zeros((200, 160, 4), dtype=np.uint8)
    image[..., 3] = np.where(rng.random((200, 160)) < 0.002, 255, 0)
    tiles = dw.bake_atlas(image, tiles="auto", device=cpu).tiles
    count = np.zeros((200, 160), dtype=int)
    for x, y, w, h in tiles.rects:
        count[y : y + h, x : x + w] += 1
    assert count.max() == 1
    assert (count[image[..., 3] > 0] == 1).all()


def test_many_specks_are_quick_enough(cpu):
    """4,096 islands: the search is near linear, not cubic."""
    image = np.zeros((1024, 1024, 4), dtype=np.uint8)
    image[8::16, 8::16, 3] = 255
    assert len(dw.bake_atlas(image, tiles="auto", device=cpu).tiles) == 4096


def test_more_islands_than_are_told_apart(cpu):
    alpha = np.zeros((513, 513), np.uint8)
    alpha[:511:2, :511:2] = 1  # 256 x 256
    assert len(_core.atlas_islands(alpha, reach=0)) == 65536
    alpha[512, 512] = 1
    with pytest.raises(dw.CapacityError, match="65537 islands of alpha > 0; at most 65536"):
        _core.atlas_islands(alpha, reach=0)


def test_more_tiles_than_memory_is_made_for(cpu):
    most = _core.LIMITS["tiles"]
    with pytest.raises(ValueError, match=f"more than {most} tiles"):
        dw.TileGrid(2048, 1024).rects_for(2048, 1024)
    tiles = dw.TileRects(np.zeros((most + 1, 4), np.int32))
    with pytest.raises(ValueError, match=f"tiles holds {most + 1} rects; at most {most}"):
        dw.bake_atlas(noise_image(8, 8), tiles=tiles, device=cpu)


def test_no_island_is_an_error(cpu):
    with pytest.raises(ValueError, match="no texel with alpha > 0"):
        dw.bake_atlas(np.zeros((8, 8, 4), dtype=np.uint8), tiles="auto", device=cpu)


def test_to_array_gives_each_tile_its_chain(cpu):
    image, grid = dw.samples.foliage_atlas(256, 4, 4, gutter=4)
    baked = dw.bake_atlas(image, tiles=grid, device=cpu)
    array = baked.to_array()
    assert [level.shape for level in array.levels] == [(16, 64 >> n, 64 >> n, 4) for n in range(7)]
    for n in range(7):
        for tile in range(16):
            y, x = divmod(tile, 4)
            size = 64 >> n
            part = baked.levels[n][y * size : (y + 1) * size, x * size : (x + 1) * size]
            assert np.array_equal(array.levels[n][tile], part)
    uv = np.array([0.3, 0.8])  # tile 13: column 1, row 3
    inside = uv * array.uv_transforms[13, :2] + array.uv_transforms[13, 2:]
    assert np.allclose(inside, [0.2, 0.2])


def test_to_array_wants_one_size(cpu):
    baked = dw.bake_atlas(
        noise_image(64, 64), tiles=dw.TileRects([[0, 0, 20, 20], [30, 0, 10, 10]]), device=cpu
    )
    with pytest.raises(ValueError, match="tiles of one size"):
        baked.to_array()


def test_far_atlas_keeps_coverage_and_place(cpu):
    image, grid = dw.samples.foliage_atlas(1024, 4, 4, gutter=8)
    baked = dw.bake_atlas(image, tiles=grid, device=cpu)
    far = baked.far_atlas(content=32, gutter=16)
    assert far.shape == (256, 256) and len(far.tiles) == 16
    assert far.levels_safe.bilinear == 5
    assert far.switch_distance == pytest.approx(2**4 * 1000 / 512)
    wanted = dw.measure_coverage(image, 0.5, tiles=grid, device=cpu)
    for n in range(4):
        _, rects = far.content_rects(n)
        got = dw.measure_coverage(far.levels[n], 0.5, tiles=dw.TileRects(rects), device=cpu)
        assert np.abs(got - wanted).max() < 0.01
    # the centre of tile 6's content (column 2, row 1) lands on the centre of its far card
    uv = np.array([2.5, 1.5]) / 4
    moved = uv * far.uv_transforms[6, :2] + far.uv_transforms[6, 2:]
    assert np.allclose(moved, np.array([2.5, 1.5]) / 4)
    corner = np.array([2 * 256 + 8, 256 + 8]) / 1024
    moved = corner * far.uv_transforms[6, :2] + far.uv_transforms[6, 2:]
    assert np.allclose(moved * 256, [2 * 64 + 16, 64 + 16])


def test_padded_chains_repeat_each_tile(cpu, tmp_path):
    image, grid = dw.samples.foliage_atlas(256, 2, 2, gutter=8)
    baked = dw.bake_atlas(image, tiles=grid, max_level="safe", device=cpu)
    baked.save(tmp_path / "a.ktx2", pad_chain=True)
    texture = dw.read_texture(tmp_path / "a.ktx2")
    assert len(texture.levels) == 9
    for n, level in enumerate(baked.levels):
        assert np.array_equal(texture.levels[n], level)
    for n in (5, 6):
        size = texture.levels[n].shape[0] // 2
        for tile in range(4):
            y, x = divmod(tile, 2)
            part = texture.levels[n][y * size : (y + 1) * size, x * size : (x + 1) * size]
            assert (part == part[0, 0]).all()


@pytest.mark.parametrize("name", ["a.ktx2", "a.dds", "a.png"])
@pytest.mark.parametrize("alpha", ["test", "a2c"])
def test_saved_levels_read_back(cpu, tmp_path, name, alpha):
    image = noise_image(48, 20)
    baked = dw.bake_atlas(image, device=cpu)
    written = baked.save(tmp_path / name, alpha=alpha)
    texture = dw.read_texture(written[0])
    assert texture.color_space == "srgb"
    assert len(texture.levels) == len(baked.levels)
    for n, level in enumerate(texture.levels):
        assert np.array_equal(level[..., :3], baked.levels[n][..., :3])
        plane = baked.levels[n][..., 3] if alpha == "test" else baked.alpha_to_coverage[n]
        assert np.array_equal(level[..., 3], plane)


def test_array_textures_read_back(cpu, tmp_path):
    image = noise_image(64, 32)
    array = dw.bake_atlas(image, tiles=dw.TileGrid(4, 2), device=cpu).to_array()
    for name in ("a.ktx2", "a.dds"):
        array.save(tmp_path / name)
        texture = dw.read_texture(tmp_path / name)
        assert texture.layers == 8
        for a, b in zip(texture.levels, array.levels):
            assert np.array_equal(a, b)


def test_switch_distance_is_for_far_atlases(cpu):
    assert math.isnan(dw.bake_atlas(noise_image(8, 8), device=cpu).switch_distance)
