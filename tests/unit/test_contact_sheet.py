# SPDX-License-Identifier: MIT
"""The contact sheet shows what a GPU would, and says what it shows."""

from __future__ import annotations

import numpy as np
import pytest

import dapplewood as dw
from dapplewood import TileGrid, contact_sheet
from dapplewood.baseline import naive_levels
from dapplewood.bitmap_font import _GLYPHS, draw_text, text_width

SKY = np.array([158, 197, 232])


@pytest.fixture(scope="module")
def chains():
    image, tiles = dw.samples.foliage_atlas(256, 2, 2, species=["oak", "bare", "pine", "birch"])
    with dw.Device("cpu") as device:
        return naive_levels(image), dw.bake_atlas(image, tiles=tiles, device=device).levels, tiles


def sky_share(sheet: np.ndarray) -> float:
    return float((sheet[..., :3] == SKY).all(axis=-1).mean())


def bare(before, after, **options):
    """One card, one level, no label: two rows of pictures and paper."""
    return contact_sheet(before, after, labels=False, canopy=0, **options)


def test_thinning_shows_as_sky(chains):
    before, after, tiles = chains
    sheet = bare(before, after, tiles=tiles, pick=[1], levels=[3], card=96)
    middle = sheet.shape[0] // 2
    assert sky_share(sheet[:middle]) > sky_share(sheet[middle:]) + 0.02


def test_equal_chains_give_equal_rows(chains):
    _, after, tiles = chains
    sheet = contact_sheet(after, after, tiles=tiles, labels=False)
    row = sheet.shape[0] // 2
    cards = sheet[7 : row - 7], sheet[row : 2 * row - 14]
    np.testing.assert_array_equal(*cards)
    assert (sheet[..., 3] == 255).all() and sheet.dtype == np.uint8


def test_texels_are_magnified_whole():
    texels = np.zeros((4, 4, 4), np.uint8)
    texels[..., :3] = np.random.default_rng(0).integers(0, 255, (4, 4, 3))
    texels[..., 3] = 255
    texels[1, 2, 3] = 127
    levels = naive_levels(texels)
    sheet = bare(levels, levels, levels=[0], card=16, pick=[0])
    card = sheet[7:23, 14:30, :3].reshape(4, 4, 4, 4, 3)
    assert (card == card[:, :1, :, :1]).all()
    expected = texels[..., :3].copy()
    expected[1, 2] = SKY
    np.testing.assert_array_equal(card[:, 0, :, 0], expected)


def test_light_of_a_neighbour_draws_a_line():
    """White next to black without a gutter: the far view of the black card has a grey edge."""
    image = np.zeros((64, 128, 4), np.uint8)
    image[:, 64:, :3], image[..., 3] = 255, 255
    levels = naive_levels(image)
    sheet = contact_sheet(levels, levels, tiles=TileGrid(2, 1), pick=[0], levels=[1], canopy=32,
                          card=32, labels=False)
    far = sheet[7 + 32 : 7 + 64, 14 : 14 + 32, 0]
    assert far[:, :31].max() == 0 and far[:, 31].min() > 20


def test_labels_turn_red_where_coverage_is_lost(chains):
    before, after, tiles = chains
    red = np.array([255, 120, 105])
    sheet = contact_sheet(before, after, tiles=tiles, pick=[1], levels=[4], card=128)
    marked = (sheet[..., :3] == red).all(axis=-1).any(axis=1)
    rows = np.flatnonzero(marked)
    assert rows.size and rows.max() < sheet.shape[0] // 2


def test_default_choice_spans_dense_and_thin(chains):
    before, after, tiles = chains
    two = contact_sheet(before, after, tiles=tiles, pick=2)
    shares = dw.measure_coverage(after[0], 0.5, tiles=tiles)
    chosen = [int(np.argmax(shares)), int(np.argmin(shares))]
    np.testing.assert_array_equal(two, contact_sheet(before, after, tiles=tiles, pick=chosen))


def test_shorter_chain_says_that_it_ends(chains):
    before, after, tiles = chains
    options = {"tiles": tiles, "pick": [0], "levels": [0, 3]}
    whole = contact_sheet(before, after, **options)
    capped = contact_sheet(before, after[:2], **options)
    assert whole.shape == capped.shape
    middle = whole.shape[1] // 2
    np.testing.assert_array_equal(whole[:, :middle], capped[:, :middle])
    assert sky_share(capped[:, middle:]) < sky_share(whole[:, middle:])


def test_background_is_a_word_or_a_colour(chains):
    before, after, tiles = chains
    grey = bare(before, after, tiles=tiles, background="grey")
    np.testing.assert_array_equal(
        grey, bare(before, after, tiles=tiles, background=(128, 128, 128))
    )
    assert (grey[..., :3] == 128).all(axis=-1).mean() > 0.1 and sky_share(grey) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pick": [9]}, r"pick must hold tiles of 0 to 3, got \[9\]"),
        ({"pick": 0}, "pick must be 1 or more"),
        ({"pick": []}, "pick must hold"),
        ({"levels": [0, 20]}, "levels must hold levels of 0 to 8"),
        ({"levels": []}, "levels must hold"),
        ({"background": "plaid"}, 'background must be "sky", "grey" or three codes'),
        ({"background": (0, 0, 256)}, "background must be"),
        ({"cutoff": 1.0}, "cutoff must lie inside"),
        ({"card": 4}, "card must be 16 or more"),
        ({"tiles": TileGrid(3, 1)}, "does not divide"),
    ],
)
def test_bad_arguments_are_named(chains, options, message):
    before, after, tiles = chains
    with pytest.raises(ValueError, match=message):
        contact_sheet(before, after, **{"tiles": tiles, **options})


def test_chains_must_match(chains):
    before, after, _ = chains
    with pytest.raises(ValueError, match="differ in size"):
        contact_sheet(before[1:], after)
    with pytest.raises(ValueError, match="levels_before holds no level"):
        contact_sheet([], after)
    with pytest.raises(ValueError, match=r"level 0 must be \(h, w, 4\) uint8"):
        contact_sheet(before, [after[0][..., :3]])


def test_glyphs_differ_and_stay_in_their_box():
    assert len(set(_GLYPHS.values())) == len(_GLYPHS)
    for rows in _GLYPHS.values():
        assert len(rows) == 7 and all(0 <= row < 32 for row in rows)
    image = np.zeros((7, text_width("ab?~"), 3), np.uint8)
    draw_text(image, "ab?~", 0, 0, (255, 255, 255))
    lower = np.zeros_like(image)
    draw_text(lower, "AB??", 0, 0, (255, 255, 255))
    np.testing.assert_array_equal(image, lower)
    assert image.any(axis=(0, 2))[[0, 4]].all() and not image[:, 5].any()


def test_text_is_cut_at_the_border():
    image = np.zeros((5, 8, 4), np.uint8)
    draw_text(image, "MMMM", -3, 2, (9, 9, 9), scale=2)
    assert image[..., 0].any() and image.shape == (5, 8, 4)
