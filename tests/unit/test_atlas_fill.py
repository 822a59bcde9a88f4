# SPDX-License-Identifier: MIT
"""What becomes of colour under alpha 0, and of gutters."""

import numpy as np
import pytest

import dapplewood as dw
from helpers import noise_image

RADIUS = 7  # texels of exact dilation


@pytest.fixture(scope="module")
def cpu():
    with dw.Device("cpu") as device:
        yield device


def sparse_image(seed: int, width: int = 48, height: int = 40, share: float = 0.03) -> np.ndarray:
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 256, (height, width, 4), dtype=np.uint8)
    image[..., 3] = np.where(rng.random((height, width)) < share, 200, 0)
    return image


def nearest_colors(image: np.ndarray, tile: tuple[int, int, int, int]) -> dict:
    """(x, y) -> colour of the nearest visible texel of the tile within RADIUS; of equals the one
    with the smaller y, then the smaller x."""
    x0, y0, w, h = tile
    seeds = [
        (y, x)
        for y in range(y0, y0 + h)
        for x in range(x0, x0 + w)
        if image[y, x, 3] > 0
    ]
    out = {}
    for y in range(y0, y0 + h):
        for x in range(x0, x0 + w):
            if image[y, x, 3] == 0:
                near = [((sy - y) ** 2 + (sx - x) ** 2, sy, sx) for sy, sx in seeds]
                best = min(near, default=(RADIUS**2 + 1, 0, 0))
                if best[0] <= RADIUS**2:
                    out[x, y] = image[best[1], best[2], :3]
    return out


@pytest.mark.parametrize("seed", range(4))
def test_hidden_texels_take_the_nearest_colour(cpu, seed):
    image = sparse_image(seed)
    tiles = dw.TileGrid(2, 2)
    level = dw.bake_atlas(image, tiles=tiles, device=cpu).levels[0]
    checked = 0
    for rect in tiles.rects_for(48, 40):
        for (x, y), color in nearest_colors(image, tuple(rect)).items():
            assert np.array_equal(level[y, x, :3], color), (x, y)
            checked += 1
    assert checked > 500


def test_far_texels_pull_from_the_first_coarser_level_with_a_colour(cpu):
    image = np.zeros((64, 64, 4), dtype=np.uint8)
    image[3, 4] = (200, 30, 40, 255)
    baked = dw.bake_atlas(image, device=cpu)
    for level in baked.levels:
        assert (level[..., :3] == (200, 30, 40)).all()


def test_filled_colours_leave_no_dark_rim(cpu):
    """A straight-alpha sampler between a leaf and its hidden neighbour keeps the leaf's colour."""
    image, grid = dw.samples.foliage_atlas(256, 2, 2, gutter=4)
    hidden = image[..., 3] == 0
    assert (image[hidden][:, :3] == 0).all()
    level = dw.bake_atlas(image, tiles=grid, device=cpu).levels[0]
    edge = hidden[1:] & ~hidden[:-1]
    before = np.abs(image[1:][edge][:, :3].astype(int) - image[:-1][edge][:, :3])
    after = np.abs(level[1:][edge][:, :3].astype(int) - level[:-1][edge][:, :3])
    assert after.mean() < 0.25 * before.mean()


def test_an_empty_tile_keeps_its_bytes_and_goes_to_black(cpu):
    image = noise_image(32, 16)
    image[:, :16, 3] = 0
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(2, 1), device=cpu)
    assert np.array_equal(baked.levels[0][:, :16], image[:, :16])
    for n in range(1, 5):
        width = baked.levels[n].shape[1] // 2
        assert (baked.levels[n][:, :width] == 0).all()


def replicate(content: np.ndarray, gutter: int, wrap: bool) -> np.ndarray:
    mode = "wrap" if wrap else "edge"
    return np.pad(content, [(gutter, gutter), (gutter, gutter), (0, 0)], mode=mode)


@pytest.mark.parametrize("fill", ["edge", "wrap", "clear"])
@pytest.mark.filterwarnings("ignore:gutter")
def test_gutters_are_extruded_at_every_level(cpu, fill):
    image = noise_image(96, 64, seed=5)
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(3, 2, gutter=8), fill=fill, device=cpu)
    for n, gutter in enumerate((8, 4, 2, 1)):
        for place in baked.places[:, n]:
            tile = baked.levels[n][place["y0"] : place["y1"], place["x0"] : place["x1"]]
            content = baked.levels[n][
                place["content_y0"] : place["content_y1"],
                place["content_x0"] : place["content_x1"],
            ]
            wanted = replicate(content, gutter, fill == "wrap")
            if fill == "clear":
                inner = np.zeros(wanted.shape[:2], dtype=bool)
                inner[gutter:-gutter, gutter:-gutter] = True
                wanted[~inner, 3] = 0
            assert np.array_equal(tile, wanted)


def test_the_gutter_never_reaches_the_content(cpu):
    """Rubbish in the gutters changes no texel at any level."""
    image = noise_image(64, 64, seed=7)
    other = image.copy()
    grid = dw.TileGrid(2, 2, gutter=4)
    inside = np.zeros((64, 64), dtype=bool)
    for x, y, w, h in grid.rects_for(64, 64):
        inside[y + 4 : y + h - 4, x + 4 : x + w - 4] = True
    other[~inside] = (255, 0, 255, 0)
    image[~inside, 3] = 0
    for filter in dw.MipFilter:
        a = dw.bake_atlas(image, tiles=grid, filter=filter, device=cpu)
        b = dw.bake_atlas(other, tiles=grid, filter=filter, device=cpu)
        for one, two in zip(a.levels, b.levels):
            assert np.array_equal(one, two)


def test_wrap_tiles_without_a_seam(cpu):
    """A strip rolled along x bakes to the rolled strip."""
    strip = dw.samples.grass_strip(128, 64)
    for filter in ("box", "kaiser"):
        a = dw.bake_atlas(strip, fill="wrap", filter=filter, device=cpu)
        b = dw.bake_atlas(np.roll(strip, 64, axis=1), fill="wrap", filter=filter, device=cpu)
        for n in range(5):
            rolled = np.roll(a.levels[n], 64 >> n, axis=1)
            assert np.array_equal(b.levels[n][..., 3], rolled[..., 3])
            seen = rolled[..., 3] > 0
            assert np.array_equal(b.levels[n][seen], rolled[seen])


def test_keep_leaves_data_under_alpha_0(cpu):
    image = noise_image(64, 64, seed=9)
    image[:32, :, 3] = 0
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(2, 2, gutter=4), fill="keep", device=cpu)
    assert np.array_equal(baked.levels[0], image)
    opaque = image.copy()
    opaque[..., 3] = 255
    plain = dw.bake_atlas(opaque, tiles=dw.TileGrid(2, 2, gutter=4), fill="keep", device=cpu)
    for n in range(1, 5):
        half = baked.levels[n].shape[0] // 2
        assert np.array_equal(baked.levels[n][:half, :, :3], plain.levels[n][:half, :, :3])
        assert (baked.levels[n][:half, :, 3] == 0).all()


def test_content_in_a_gutter_is_told(cpu):
    image = np.zeros((32, 32, 4), dtype=np.uint8)
    image[:, 14:18] = (10, 200, 30, 255)
    image[0:4, 2:6] = (10, 200, 30, 255)
    with pytest.warns(UserWarning, match="gutter=4 covers texels"):
        baked = dw.bake_atlas(image, tiles=dw.TileRects([[0, 0, 32, 32]], gutter=4), device=cpu)
    assert any("gutter=4" in note for note in baked.notes)
    kept = dw.bake_atlas(
        image, tiles=dw.TileRects([[0, 0, 32, 32]], gutter=4), fill="keep", device=cpu
    )
    assert kept.notes == ()
