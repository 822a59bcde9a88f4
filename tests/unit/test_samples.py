# SPDX-License-Identifier: MIT
"""The sample foliage: shape, gutters, repeatability, edges, coverage, errors."""

import hashlib

import numpy as np
import pytest

from dapplewood import samples

# Share of a 256-texel tile above alpha 1/2, over many seeds, with some room: (least, most).
COVERAGE = {"oak": (0.25, 0.48), "maple": (0.22, 0.40), "ash": (0.13, 0.28), "beech": (0.15, 0.34),
            "birch": (0.11, 0.27), "boxwood": (0.30, 0.62), "willow": (0.09, 0.23),
            "ivy": (0.16, 0.50), "pine": (0.12, 0.26), "spruce": (0.20, 0.40), "fern": (0.18, 0.38),
            "bare": (0.05, 0.14), "grass": (0.15, 0.45), "clover": (0.25, 0.55),
            "daisy": (0.17, 0.40), "autumn": (0.08, 0.20), "reed": (0.13, 0.36)}


@pytest.fixture(scope="module")
def atlas():
    return samples.labelled_atlas(1024, 4, 4, 8, 0)


def _tiles(image, columns, rows):
    height, width = image.shape[0] // rows, image.shape[1] // columns
    return [image[row * height : (row + 1) * height, column * width : (column + 1) * width]
            for row in range(rows) for column in range(columns)]


def _digest(image):
    return hashlib.sha256(image.tobytes()).hexdigest()


def test_shape_dtype_grid_and_labels(atlas):
    image, grid, labels = atlas
    assert image.shape == (1024, 1024, 4)
    assert image.dtype == np.uint8
    assert (grid.columns, grid.rows, grid.gutter) == (4, 4, 8)
    assert labels == samples.species()[:16]
    assert set(COVERAGE) == set(samples.species())


def test_gutter_is_empty_and_every_tile_has_a_plant(atlas):
    for tile in _tiles(atlas[0], 4, 4):
        outside = np.ones(tile.shape[:2], bool)
        outside[8:-8, 8:-8] = False
        assert not tile[outside].any()
        assert (tile[..., 3] == 255).any()


@pytest.mark.parametrize("name", samples.species())
def test_plant_is_whole_and_covers_as_its_kind_does(name):
    """No leaf is cut by the rim of its card, and bushes stay dense, needles thin."""
    least, most = COVERAGE[name]
    for seed in (1, 2):
        alpha = samples.leaf_card(name, 256, seed, gutter=4)[4:-4, 4:-4, 3]
        rim = np.concatenate([alpha[0], alpha[:, 0], alpha[:, -1], alpha[-1]])
        assert rim.max() <= 24
        assert least <= (alpha >= 128).mean() <= most
        filled = np.flatnonzero((alpha >= 128).any(axis=1)).size, np.flatnonzero(
            (alpha >= 128).any(axis=0)).size
        assert max(filled) > 0.8 * 248


def test_coverage_ranges_from_dense_to_thin(atlas):
    cover = {label: (tile[..., 3] >= 128).mean()
             for label, tile in zip(atlas[2], _tiles(atlas[0], 4, 4))}
    assert max(cover.values()) > 3.0 * min(cover.values())
    assert min(cover, key=cover.get) in ("bare", "autumn")
    assert len({round(value, 3) for value in cover.values()}) > 10


def test_edges_are_soft(atlas):
    """Every opaque silhouette has a rim of intermediate alpha, and no more than a rim."""
    for label, tile in zip(atlas[2], _tiles(atlas[0], 4, 4)):
        alpha = tile[..., 3]
        soft = ((alpha > 0) & (alpha < 255)).sum() / (alpha > 0).sum()
        assert 0.08 < soft < 0.95, label
        values = np.unique(alpha)
        assert values.size > 100, label
    # A hard step between neighbours, 0 beside 255, is rare.
    alpha = atlas[0][..., 3].astype(int)
    assert (np.abs(np.diff(alpha, axis=1)) == 255).mean() < 0.003


def test_colour_under_alpha_zero(atlas):
    image = atlas[0]
    assert not image[image[..., 3] == 0].any()
    white = samples.leaf_card("ash", 64, background="white")
    assert (white[white[..., 3] == 0][:, :3] == 255).all()
    teal = samples.leaf_card("ash", 64, background=(0, 128, 129))
    assert (teal[teal[..., 3] == 0][:, :3] == (0, 128, 129)).all()
    average = samples.leaf_card("ash", 64, background="average")
    hidden = average[average[..., 3] == 0][:, :3]
    assert (hidden == hidden[0]).all()
    assert hidden[0, 1] > hidden[0, 0] > hidden[0, 2]
    for other in (white, teal, average):
        seen = other[..., 3] > 0
        assert np.array_equal(other[seen], samples.leaf_card("ash", 64)[seen])


def test_leaves_are_green_and_shaded(atlas):
    for label, tile in zip(atlas[2], _tiles(atlas[0], 4, 4)):
        colour = tile[tile[..., 3] == 255][:, :3].astype(float)
        red, green, blue = colour.mean(axis=0)
        if label in ("autumn", "bare"):
            assert red > green > blue
        elif label != "daisy":
            assert green > red and green > blue
        assert colour[:, 1].std() > (6.0 if label == "bare" else 12.0), label


def test_equal_seeds_give_equal_bytes_and_other_seeds_other_plants():
    first, again, other = (samples.foliage_atlas(256, 2, 2, 4, seed)[0] for seed in (7, 7, 8))
    assert _digest(first) == _digest(again)
    for one, two in zip(_tiles(first, 2, 2), _tiles(other, 2, 2)):
        assert np.abs(one[..., 3].astype(int) - two[..., 3]).mean() > 5.0


def test_repeated_species_differ_from_tile_to_tile():
    image, _, labels = samples.labelled_atlas(256, 2, 2, 4, species=["fern", "oak"])
    assert labels == ["fern", "oak", "fern", "oak"]
    tiles = _tiles(image, 2, 2)
    assert np.abs(tiles[0][..., 3].astype(int) - tiles[2][..., 3]).mean() > 5.0


def test_threads_do_not_change_the_bytes(monkeypatch):
    from dapplewood.samples import _atlas

    single = _digest(samples.foliage_atlas(256, 2, 2, 4)[0])
    monkeypatch.setattr(_atlas, "_THREADED_PIXELS", 0)
    assert _digest(samples.foliage_atlas(256, 2, 2, 4)[0]) == single


def test_sixteen_bits_agree_with_eight():
    wide = samples.leaf_card("oak", 128, bit_depth=16)
    narrow = samples.leaf_card("oak", 128)
    assert wide.dtype == np.uint16
    seen = narrow[..., 3] > 0
    # Half a step of rounding, and what the 8-bit table of 65536 linear steps loses in the dark.
    assert np.abs(wide[seen] / 257.0 - narrow[seen]).max() <= 0.53


def test_oblong_sizes():
    image, grid = samples.foliage_atlas((192, 64), 3, 1, 4)
    assert image.shape == (64, 192, 4)
    assert (grid.columns, grid.rows) == (3, 1)


def test_grass_strip_repeats_along_x():
    strip = samples.grass_strip(512, 128, 3)
    assert strip.shape == (128, 512, 4)
    alpha = strip[..., 3].astype(float)
    seam = np.abs(alpha[:, 0] - alpha[:, -1]).mean()
    inside = np.abs(np.diff(alpha, axis=1)).mean(axis=0)
    assert seam < inside.max()
    # The seam crosses blades: without the wrap, both border columns would be nearly empty.
    assert (alpha[:, [0, -1]] > 0).mean() > 0.2
    assert alpha[-1].mean() > 0.3 * 255
    assert not alpha[0].any()
    sparse = samples.grass_strip(512, 128, 3, density=0.2)[..., 3]
    assert (sparse > 0).mean() < 0.6 * (alpha > 0).mean()


def test_fractal_card_gains_detail_with_depth():
    def edge(depth):
        alpha = samples.fractal_card(256, 1, depth=depth)[..., 3].astype(float)
        return np.abs(np.diff(alpha, axis=1)).sum() / alpha.sum()

    assert edge(2) < edge(4) < edge(6)


@pytest.mark.parametrize("call, message", [
    (lambda: samples.foliage_atlas(256, 3, 2), "width 256 is no multiple of columns 3"),
    (lambda: samples.foliage_atlas(256, 2, 3), "height 256 is no multiple of rows 3"),
    (lambda: samples.foliage_atlas(256, 8, 8, 8), "leaves 16 texels"),
    (lambda: samples.foliage_atlas(256, 2, 2, -1), "gutter: wanted at least 0, got -1"),
    (lambda: samples.foliage_atlas(256, 0, 2), "columns: wanted at least 1"),
    (lambda: samples.foliage_atlas((256, 256, 4)), "size: wanted one number"),
    (lambda: samples.foliage_atlas(256, seed=-3), "seed"),
    (lambda: samples.foliage_atlas(256, bit_depth=12), "bit_depth: wanted 8 or 16, got 12"),
    (lambda: samples.foliage_atlas(256, background="pink"), "background"),
    (lambda: samples.foliage_atlas(256, background=(0, 0)), "background"),
    (lambda: samples.foliage_atlas(256, species=[]), "species"),
    (lambda: samples.leaf_card("triffid"), "no plant is called 'triffid'"),
    (lambda: samples.leaf_card("oak", 32, gutter=2), "leaves 28 texels"),
    (lambda: samples.grass_strip(16, 64), "width: wanted at least 32"),
    (lambda: samples.grass_strip(64, 64, density=0.0), "density"),
    (lambda: samples.fractal_card(64, depth=9), "depth: wanted 1 to 8"),
])
def test_errors_name_the_argument(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_size_must_be_whole():
    with pytest.raises(TypeError, match="size: wanted an integer, got float"):
        samples.foliage_atlas(256.0)
