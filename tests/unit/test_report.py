# SPDX-License-Identifier: MIT
"""The report measures what it says: against plain NumPy, against figures known beforehand, and
against chains that are wrong on purpose."""

from __future__ import annotations

import dataclasses
import html.parser
import json
import re
import sys

import numpy as np
import pytest
from helpers import REPORT_LIMITS

import dapplewood as dw
from dapplewood import AtlasReport, TileGrid, TileRects
from dapplewood.atlas_report.bleed import geometric_bleed, measured_bleed, tile_classes
from dapplewood.atlas_report.layout import Layout
from dapplewood.atlas_report.sources import report_bake
from dapplewood.baseline import naive_levels


@pytest.fixture(scope="module")
def sample():
    return dw.samples.foliage_atlas(1024, 4, 4)


@pytest.fixture(scope="module")
def baked(sample, native_device):
    image, tiles = sample
    return dw.bake_atlas(image, tiles=tiles, device=native_device)


@pytest.fixture(scope="module")
def report(baked):
    return baked.report()


def card_atlas(seed: int = 3, size: int = 64, columns: int = 2) -> np.ndarray:
    """Soft discs of random size and colour, one a tile, black under alpha 0."""
    rng = np.random.default_rng(seed)
    side = size // columns
    y, x = np.mgrid[:side, :side] + 0.5
    image = np.zeros((size, size, 4), np.uint8)
    for row in range(columns):
        for column in range(columns):
            radius = side * rng.uniform(0.15, 0.38)
            away = np.hypot(x - side / 2, y - side / 2)
            alpha = np.clip((radius - away) / 3 + 0.5, 0, 1)
            tile = image[row * side : (row + 1) * side, column * side : (column + 1) * side]
            tile[..., 3] = np.round(255 * alpha)
            tile[..., :3] = np.where(alpha[..., None] > 0, rng.integers(60, 220, 3), 0)
    return image


# ---- accuracy of the baker, as the report sees it ----


def test_sample_atlas_is_within_every_limit(report):
    report.assert_within(**REPORT_LIMITS)


@pytest.mark.parametrize("limit", ["coverage_mean", "coverage_worst", "fringe_mean"])
def test_naive_chain_breaks_each_limit(report, limit):
    with pytest.raises(AssertionError, match=r"level \d"):
        report.assert_within(**{limit: REPORT_LIMITS[limit]}, chain="before")


def test_averaged_alpha_keeps_its_mean_and_tested_alpha_does_not(sample, baked):
    swapped = dataclasses.replace(
        baked, alpha_to_coverage=tuple(level[..., 3] for level in baked.levels)
    )
    baked.report().assert_within(a2c_mean=0.3, a2c_worst=1.5)
    with pytest.raises(AssertionError, match="mean alpha"):
        swapped.report().assert_within(a2c_mean=0.3)


def test_bake_outlives_its_device(baked, report):
    """As after `with dw.Device() as device: baked = dw.bake_atlas(...)`."""
    with dw.Device("cpu") as device:
        late = dataclasses.replace(baked, device=device)
    assert device.closed and late.device_info.kind == "native"
    found = late.report()
    np.testing.assert_array_equal(found.after.coverage, report.after.coverage)
    np.testing.assert_array_equal(found.after.bleed, report.after.bleed)
    for late_level, level in zip(late.to_array().levels, baked.to_array().levels):
        np.testing.assert_array_equal(late_level, level)
    for late_level, level in zip(late.far_atlas().levels, baked.far_atlas().levels):
        np.testing.assert_array_equal(late_level, level)


def test_one_scale_for_the_image_is_not_enough(sample, native_device):
    image, tiles = sample
    report = dw.bake_atlas(image, tiles=tiles, coverage="image", device=native_device).report(
        distances=[1.0]
    )
    with pytest.raises(AssertionError):
        report.assert_within(coverage_mean=0.6)


# ---- coverage ----


def bilinear_share(alpha: np.ndarray, cutoff: float, gutter: float = 0.0) -> float:
    """4 x 4 samples a texel of what lies within the gutter, clamped to the texels it touches."""
    inset = int(np.floor(gutter))
    alpha = alpha[inset : len(alpha) - inset, inset : len(alpha) - inset].astype(float)
    gutter -= inset
    side = len(alpha) - 2 * gutter
    count = int(np.ceil(4 * side))
    at = gutter + (np.arange(count) + 0.5) * side / count - 0.5
    padded = np.pad(alpha, 1, mode="edge")
    first = np.floor(at).astype(int)
    weight = at - first
    rows = padded[first + 1] * (1 - weight[:, None]) + padded[first + 2] * weight[:, None]
    found = rows[:, first + 1] * (1 - weight) + rows[:, first + 2] * weight
    return float((found / 255 >= cutoff - 1e-9).mean())


@pytest.mark.parametrize("level", [0, 2, 4, 5])
def test_coverage_is_that_of_numpy(report, baked, level):
    edge = 256 >> level
    for tile in (0, 5, 15):
        row, column = divmod(tile, 4)
        place = np.s_[row * edge : (row + 1) * edge, column * edge : (column + 1) * edge]
        alpha = baked.levels[level][..., 3][place]
        assert report.after.coverage[tile, level, 0] == pytest.approx(
            bilinear_share(alpha, 0.5, 8 / 2**level), abs=2e-6
        )
        assert report.after.coverage_texel[tile, level, 0] == pytest.approx(
            (alpha >= 127.5).mean(), abs=2e-6
        )
        assert report.after.mean_alpha[tile, level] == pytest.approx(
            baked.alpha_to_coverage[level][place].mean() / 255, abs=2e-6
        )


def test_tiles_that_are_gone_are_nan(report):
    gone = report.tile_edges == 0
    assert gone.any()
    assert np.isnan(report.after.coverage[gone]).all()
    assert not np.isnan(report.after.coverage[~gone]).any()
    assert report.worst_tile(10) == -1
    assert 0 <= report.worst_tile(3) < 16


def test_several_cutoffs_stand_side_by_side(sample, native_device):
    image, tiles = sample
    report = dw.bake_atlas(image, tiles=tiles, cutoffs=(0.3, 0.6), device=native_device).report(
        distances=[4.0]
    )
    assert report.after.coverage.shape == (16, 11, 2)
    assert (report.after.coverage[:, 0, 0] >= report.after.coverage[:, 0, 1]).all()
    assert report.distance_error().shape == (16, 1, 2)


# ---- distance ----


def test_level_of_detail_follows_the_distance(baked):
    report = baked.report(texels_per_metre=100, pixels_per_radian=800, distances=[8, 16, 64])
    np.testing.assert_allclose(report.lods, [0, 1, 3], atol=1e-6)
    np.testing.assert_allclose(report.distances, [8, 16, 64])


def test_card_up_close_has_its_own_coverage(report):
    assert report.lods[0] == 0
    np.testing.assert_allclose(report.distance_error()[:, 0], 0, atol=0.15)


def test_whole_levels_agree_with_the_table_where_no_gutter_hides_the_edge(native_device):
    image = card_atlas()
    report = dw.bake_atlas(image, tiles=TileGrid(2, 2), device=native_device).report(
        texels_per_metre=100, pixels_per_radian=100, distances=[1, 2, 4]
    )
    np.testing.assert_allclose(
        report.after.distance_coverage, report.after.coverage[:, :3], atol=1e-6
    )


def test_past_the_last_level_nothing_changes(baked):
    capped = dataclasses.replace(
        baked, levels=baked.levels[:3], alpha_to_coverage=baked.alpha_to_coverage[:3]
    )
    report = capped.report(texels_per_metre=1, pixels_per_radian=1, distances=[4, 5, 64])
    far = report.after.distance_coverage
    np.testing.assert_array_equal(far[:, 0], far[:, 2])
    np.testing.assert_array_equal(far[:, 0], far[:, 1])
    assert report.after.level_count == 3
    assert report.before.level_count == 11


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"texels_per_metre": 0}, "texels_per_metre"),
        ({"pixels_per_radian": float("nan")}, "pixels_per_radian"),
        ({"distances": [1, -2]}, "distances"),
        ({"distances": [[1, 2]]}, "distances"),
    ],
)
def test_bad_views_are_named(baked, arguments, named):
    with pytest.raises(ValueError, match=named):
        baked.report(**arguments)


# ---- fringe ----


def test_naive_fringe_is_dark_and_grows(report):
    signed = report.before.fringe_signed[1:5]
    assert (np.diff(signed) < 0).all() and signed[-1] < -5
    assert np.abs(report.after.fringe_signed[1:5]).max() < 0.1


def test_fringe_of_a_known_shift(native_device):
    image = card_atlas()
    baked = dw.bake_atlas(image, tiles=TileGrid(2, 2), device=native_device)
    brighter = []
    for level in baked.levels:
        shifted = level.copy()
        shifted[..., :3] += 7
        brighter.append(shifted)
    report = dataclasses.replace(baked, levels=tuple(brighter)).report()
    texels = report.after.fringe_texels > 0
    np.testing.assert_allclose(report.after.fringe_signed[texels], 7, atol=0.5)
    with pytest.raises(AssertionError, match=r"level 1: mean fringe 7\.\d+ steps"):
        report.assert_within(fringe_mean=0.3)


# ---- bleed ----


def test_bleed_is_nothing_through_the_safe_level_and_known_beyond(report):
    safe = report.levels_safe.bilinear
    assert safe == 4
    assert np.nanmax(report.after.bleed[:, : safe + 1]) == 0.0
    assert np.nanmax(report.after.bleed_corner[:, : safe + 1]) == 0.0
    # A gutter of 8 texels is 8 / 2^n wide, and half a texel is needed.
    for level in (5, 6, 7):
        most = np.nanmax(report.after.bleed[:, level])
        assert most == pytest.approx(0.5 - 8 / 2**level, abs=1e-6)


def test_bleed_at_the_border_of_the_image_is_nothing(report):
    # Of a tile of one texel, level 8, even the middle half of an edge reaches its neighbours.
    assert np.nanmax(report.after.bleed[0, :8, :2]) == 0.0
    assert np.nanmax(report.after.bleed[15, :8, 2:]) == 0.0
    assert report.after.bleed[0, 5, 2] > 0.2 and report.after.bleed[0, 5, 3] > 0.2


def test_measured_and_geometric_bleed_agree(report, baked):
    along, at_corner = geometric_bleed(Layout.of_bake(baked), 8)
    np.testing.assert_allclose(report.after.bleed[:, :8], along, atol=1e-6)
    np.testing.assert_allclose(report.after.bleed_corner[:, :8], at_corner, atol=1e-6)


def test_without_a_gutter_half_the_light_is_foreign(native_device):
    report = dw.bake_atlas(card_atlas(), tiles=TileGrid(2, 2), device=native_device).report()
    assert report.levels_safe.bilinear == -1
    np.testing.assert_allclose(report.after.bleed[0, 0], [0, 0, 0.5, 0.5])
    assert report.after.bleed_corner[0, 0] == pytest.approx(0.75)
    report.assert_within(bleed=0.0)  # no level claims to be safe
    with pytest.raises(AssertionError, match="foreign light on the right edge"):
        dataclasses.replace(
            report, levels_safe=dw.LevelCaps(0, 0, 0, 0)
        ).assert_within(bleed=0.0)


def test_wide_filter_across_tiles_is_caught(baked):
    """Levels that mix tiles leak where the gutter alone would have been enough."""
    layout = Layout.of_bake(baked)

    def smeared(image):
        levels = list(naive_levels(image))
        for number in range(1, len(levels)):
            wide = np.pad(levels[number].astype(float), ((0, 0), (2, 2), (0, 0)), mode="edge")
            size = levels[number].shape[1]
            levels[number] = np.mean([wide[:, i : i + size] for i in range(5)], axis=0).astype(
                np.uint8
            )
        return levels

    smear, naive = measured_bleed(layout, smeared, "srgb")
    assert np.nanmax(smear[0][:, 4]) > 0.05
    assert np.nanmax(naive[0][:, 4]) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_classes_keep_neighbours_apart(seed):
    rng = np.random.default_rng(seed)
    rects = []
    for y in range(0, 256, 32):
        x = 0
        while x < 256:
            width = int(rng.choice([8, 16, 32, 64]))
            rects.append((x, y, width, int(rng.choice([8, 16, 32]))))
            x += width
    rects = np.array(rects)
    classes = tile_classes(rects)
    for a in range(len(rects)):
        for b in range(a):
            gap = max(
                max(rects[a, i], rects[b, i])
                - min(rects[a, i] + rects[a, i + 2], rects[b, i] + rects[b, i + 2])
                for i in (0, 1)
            )
            if gap < max(rects[a, 2:].max(), rects[b, 2:].max()):
                assert classes[a] != classes[b]


def test_grid_needs_four_classes():
    assert sorted(set(tile_classes(TileGrid(5, 4).rects_for(50, 40)))) == [0, 1, 2, 3]


def test_rects_between_background_bleed_from_it(native_device):
    image = np.full((64, 64, 4), 200, np.uint8)
    tiles = TileRects([[8, 8, 16, 16], [40, 8, 16, 16], [8, 40, 16, 16]])
    report = dw.bake_atlas(image, tiles=tiles, device=native_device).report()
    np.testing.assert_allclose(report.after.bleed[:, 0], 0.5)


LAYOUTS = {
    "powers of two": ((256, 256), TileGrid(4, 4, 8)),
    "one texel to spare": ((256, 128), TileGrid(8, 4, 3)),
    "odd image": ((251, 120), TileRects([[0, 0, 125, 60], [125, 0, 126, 60]], 8)),
    "odd grid": ((300, 150), TileGrid(3, 2, 9)),
    "scattered": ((250, 300), TileRects([[7, 9, 51, 103], [60, 3, 99, 77], [60, 90, 33, 61]], 6)),
    "no gutter": ((64, 64), TileGrid(2, 2)),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_caps_of_a_layout_are_the_last_levels_without_bleed(name):
    (width, height), tiles = LAYOUTS[name]
    layout = Layout.of_tiles(width, height, TileRects(tiles.rects_for(width, height), tiles.gutter))
    caps = layout.caps()
    along, at_corner = geometric_bleed(layout, layout.level_count)
    worst = np.maximum(along.max(axis=2), at_corner).max(axis=0)  # NaN once a tile is gone
    clean = [bool(value == 0) for value in worst] + [False]
    assert caps.bilinear == clean.index(False) - 1
    assert caps.bilinear >= caps.one_texel >= caps.two_texels >= caps.anisotropic_8x >= -1


def test_caps_of_halving_tiles_follow_the_gutter():
    layout = Layout.of_tiles(1024, 1024, TileRects(TileGrid(4, 4).rects_for(1024, 1024), 8))
    assert layout.caps() == dw.LevelCaps(4, 3, 2, 0)
    alone = Layout.of_tiles(96, 64, TileRects([[0, 0, 96, 64]]))
    assert alone.caps() == dw.LevelCaps(6, 6, 6, 6)


@pytest.mark.parametrize("name", ["odd image", "odd grid", "scattered"])
def test_measured_bleed_is_geometric_in_odd_layouts(name, native_device):
    (width, height), tiles = LAYOUTS[name]
    image = np.full((height, width, 4), 255, np.uint8)
    report = dw.bake_atlas(image, tiles=tiles, device=native_device).report(distances=[4.0])
    layout = Layout.of_tiles(width, height, TileRects(report.tiles, tiles.gutter))
    along, _ = geometric_bleed(layout, 4)
    np.testing.assert_allclose(report.after.bleed[:, :4], along, atol=1e-6)


def test_kept_gutters_keep_neighbours_apart_too(sample, native_device):
    image, tiles = sample
    report = dw.bake_atlas(image, tiles=tiles, fill="keep", device=native_device).report(
        distances=[4.0]
    )
    report.assert_within(bleed=0.0)


# ---- JSON ----


def test_json_comes_back_equal(report):
    text = report.to_json()
    again = AtlasReport.from_json(text)
    assert again == report
    assert again.to_json() == text
    assert again.levels_safe == report.levels_safe
    np.testing.assert_array_equal(again.after.bleed, report.after.bleed)
    assert again.table() == report.table()


def test_json_is_strict_and_sorted(report):
    text = report.to_json()

    def no_constant(word):
        raise AssertionError(f"{word} is no JSON")

    parsed = json.loads(text, parse_constant=no_constant)
    assert list(parsed) == sorted(parsed)
    assert parsed["schema_version"] == 1
    assert parsed["after"]["coverage"][0][10] == [None]
    assert "thumbnails" not in parsed


def test_json_of_a_report_without_before(baked):
    report = AtlasReport.of_bake(baked, before=False, distances=[3.0])
    assert AtlasReport.from_json(report.to_json()) == report
    with pytest.raises(ValueError, match="before=True"):
        report.coverage_error("before")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(schema_version=99), "schema_version 1 wanted, got 99"),
        (lambda data: data.pop("tiles"), "lacks tiles"),
        (lambda data: data["after"].pop("bleed"), "lacks bleed"),
        (lambda data: data.update(lods="many"), "lods is no array"),
        (lambda data: data.update(after=[1]), "ChainReport must be an object"),
    ],
)
def test_json_of_another_kind_is_refused(report, change, message):
    data = json.loads(report.to_json())
    change(data)
    with pytest.raises(ValueError, match=message):
        AtlasReport.from_json(json.dumps(data))


def test_equal_means_equal_figures(report):
    other = dataclasses.replace(report, gutter=7)
    assert other != report
    assert report != "report"


# ---- words ----


def test_assertion_names_tile_level_and_figures(report):
    with pytest.raises(AssertionError) as caught:
        report.assert_within(coverage_worst=6, chain="before")
    level = 6
    tile = report.worst_tile(level, "before")
    error = report.coverage_error("before")[tile, level, 0]
    assert f"tile {tile}, level {level} (4 texels)" in str(caught.value)
    assert f"{error:+.3f} points, at most 6" in str(caught.value)


def test_narrow_tiles_and_few_texels_are_judged_on_demand(report):
    report.assert_within(coverage_worst=30, least_edge=4)
    with pytest.raises(AssertionError, match=r"level 8 \(1 texels\)"):
        report.assert_within(coverage_worst=30, least_edge=1)


def test_table_has_a_line_for_each_level(report):
    lines = report.table().splitlines()
    for level in range(9):
        assert any(re.match(rf"\s+{level}\s+{1024 >> level}x{1024 >> level}\s", line)
                   for line in lines)
    assert sum("last safe level" in line for line in lines) == 1
    assert max(map(len, lines)) <= 110
    assert "native C" in report.table()
    assert str(report) == report.table()
    assert "safe through level 4" in repr(report)


def test_remaps_at_the_limit_are_told(baked):
    remaps = baked.remaps.copy()
    remaps["kind"][3, 2], remaps["knots"][3, 2] = 1, 1
    remaps["k"][3, 2, 0] = 64 << 16
    report = dataclasses.replace(baked, remaps=remaps).report(distances=[1.0])
    assert report.gains_capped.tolist() == [[3, 2]]
    assert report.gains[3, 2] == 64
    assert "1 met the limit" in report.table()
    assert not baked.report(distances=[1.0]).gains_capped.size


# ---- page and plots ----


class Page(html.parser.HTMLParser):
    """Checks that tags close in order and collects what is loaded."""

    EMPTY = {"meta", "img", "br"}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_stands_alone(report, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "report.html"
    dataclasses.replace(report, name="<leaves & stems>").to_html(path)
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert len(page.loads) == 1 + len(report.thumbnails) > 3
    assert all(load.startswith("data:image/png;base64,") for load in page.loads)
    assert "&lt;leaves &amp; stems&gt;" in text and "<leaves" not in text
    assert "url(" not in text and "@import" not in text


def test_report_shows_itself_in_a_notebook(report):
    assert Page(report._repr_html_()).open == []


def test_plot_shows_both_chains_and_the_safe_level(report):
    pytest.importorskip("matplotlib")
    figure = report.plot()
    error, distance, fringe, bleed = figure.axes
    names = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]
    assert all(any(word.startswith("before") for word in each) for each in names)
    assert "last safe level" in names[1] and "last safe level" in names[3]
    line = next(line for line in fringe.get_lines() if line.get_label() == "after")
    np.testing.assert_array_equal(line.get_ydata(), report.after.fringe_signed[:9])


def test_missing_matplotlib_is_told(report, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"dapplewood\[plot\]"):
        report.plot()
    with pytest.raises(ImportError, match=r"dapplewood\[plot\]"):
        report.to_html(tmp_path / "report.html")
    assert not list(tmp_path.iterdir())
    assert "dapplewood[plot]" in report._repr_html_()


# ---- files of any tool ----


@pytest.mark.parametrize("name", ["atlas.ktx2", "atlas.dds", "atlas.png"])
def test_saved_chain_measures_the_same(baked, report, tmp_path, name, native_device):
    path = baked.save(tmp_path / name)[0]
    again = AtlasReport.of_texture(path, tiles=TileGrid(4, 4, 8), device=native_device)
    np.testing.assert_array_equal(again.after.coverage, report.after.coverage)
    # The stored level 0 is filled; visible colour is that of the source.
    np.testing.assert_allclose(again.after.fringe_signed, report.after.fringe_signed, atol=0.02)
    assert again.levels_safe == report.levels_safe
    assert again.bleed_kind == "geometric" and again.before is None
    np.testing.assert_allclose(again.after.bleed[:, :8], report.after.bleed[:, :8], atol=1e-6)
    assert AtlasReport.from_json(again.to_json()) == again
    assert "2 %" not in again.table().splitlines()[3]


def test_naive_file_is_shown_for_what_it_is(sample, report, tmp_path, native_device):
    from dapplewood.io import write_ktx2

    image, tiles = sample
    path = tmp_path / "naive.ktx2"
    write_ktx2(path, naive_levels(image), color_space="srgb")
    found = AtlasReport.of_texture(path, tiles=tiles, source=image, device=native_device)
    np.testing.assert_array_equal(found.after.coverage, report.before.coverage)
    np.testing.assert_array_equal(found.after.fringe_signed, report.before.fringe_signed)
    with pytest.raises(AssertionError, match="after chain of naive.ktx2"):
        found.assert_within(coverage_mean=0.6)


def test_many_layers_are_measured(native_device):
    """Their rows together are more than an atlas may have."""
    layers = np.zeros((9, 2048, 4, 4), np.uint8)
    layers[:, ::2] = 255
    texture = dw.Texture((layers,), "rgba8", "srgb", "straight", layers=9)
    found = AtlasReport.of_texture(texture, device=native_device)
    assert len(found.tiles) == 9
    np.testing.assert_allclose(found.after.coverage, 0.5)


def test_layers_of_an_array_are_tiles(baked, tmp_path, native_device):
    path = tmp_path / "array.ktx2"
    array = baked.to_array()
    array.save(path)
    found = AtlasReport.of_texture(path, device=native_device)
    assert len(found.tiles) == 16
    for layer in (0, 7):
        for level in (0, 3, 8):
            expected = bilinear_share(array.levels[level][layer, ..., 3], 0.5)
            assert found.after.coverage[layer, level, 0] == pytest.approx(expected, abs=2e-6)
    assert np.nanmax(found.after.bleed) == 0 and found.levels_safe.bilinear == 8
    with pytest.raises(ValueError, match="leave them out"):
        AtlasReport.of_texture(path, tiles=TileGrid(4, 4), device=native_device)


def test_source_of_another_size_is_refused(sample, tmp_path, native_device):
    image, tiles = sample
    dw.io.write_image(tmp_path / "one.png", image)
    with pytest.raises(ValueError, match="1024 x 1024 texels, got 512 x 512"):
        AtlasReport.of_texture(tmp_path / "one.png", source=image[::2, ::2], device=native_device)
    report = AtlasReport.of_texture(tmp_path / "one.png", tiles="auto", device=native_device)
    assert len(report.tiles) >= 1 and any("no mip levels" in note for note in report.notes)


def test_premultiplied_texture_is_measured_straight(native_device):
    image = card_atlas()
    straight = dw.Texture((image,), "rgba8", "srgb", "straight")
    multiplied = image.copy()
    alpha = image[..., 3:].astype(int)
    multiplied[..., :3] = (image[..., :3] * alpha + 127) // 255
    packed = dw.Texture((multiplied,), "rgba8", "srgb", "premultiplied")
    found = AtlasReport.of_texture(packed, source=image, device=native_device)
    assert found.after.fringe_mean[0] < 1.0
    wrong = dw.Texture((multiplied,), "rgba8", "srgb", "straight")
    found = AtlasReport.of_texture(wrong, source=image, device=native_device)
    assert found.after.fringe_mean[0] > 1.5
    found = AtlasReport.of_texture(straight, source=image, device=native_device)
    assert found.after.fringe_mean[0] < 1e-6


def test_far_atlas_is_held_against_its_own_level_0(baked):
    far = baked.far_atlas(content=32, gutter=16)
    report = far.report()
    assert np.abs(report.coverage_error()[:, 0]).max() == 0
    report.assert_within(bleed=0.0)
    assert report.levels_safe.bilinear == 5


# ---- naive chains ----


def test_naive_level_is_the_rounded_mean_of_codes():
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, (6, 10, 4), dtype=np.uint8)
    levels = naive_levels(image)
    assert [level.shape[:2] for level in levels] == [(6, 10), (3, 5), (1, 2), (1, 1)]
    expected = np.floor(image.reshape(3, 2, 5, 2, 4).mean(axis=(1, 3)) + 0.5)
    np.testing.assert_array_equal(levels[1], expected)
    odd = np.floor(levels[1][:2, :4].reshape(1, 2, 2, 2, 4).mean(axis=(1, 3)) + 0.5)
    np.testing.assert_array_equal(levels[2], odd)


def test_naive_levels_of_sixteen_bits_round_to_eight():
    image = np.full((2, 2, 4), 257 * 100 + 129, np.uint16)
    assert naive_levels(image)[0].dtype == np.uint8
    assert naive_levels(image)[0][0, 0, 0] == 101


@pytest.mark.parametrize("bad", [np.zeros((4, 4, 3), np.uint8), np.zeros((0, 4, 4), np.uint8)])
def test_naive_levels_name_the_shape(bad):
    with pytest.raises(ValueError, match=r"\(h, w, 4\)"):
        naive_levels(bad)
    with pytest.raises(TypeError, match="float64"):
        naive_levels(np.zeros((4, 4, 4)))


def test_cures_work_one_by_one():
    image = card_atlas(size=128)
    image[..., :3] = np.where(image[..., 3:] > 0, [180, 120, 60], 0)
    visible = slice(1, 4)

    def darkest(levels):
        return min(
            int(level[..., 0][level[..., 3] >= 128].min()) for level in levels[visible]
        )

    naive = darkest(dw.baseline.mips(image, linear=False, weighted=False))
    linear = darkest(dw.baseline.mips(image, linear=True, weighted=False))
    weighted = darkest(dw.baseline.mips(image, linear=True, weighted=True))
    assert naive < linear < weighted
    assert abs(weighted - 180) <= 1
    codes = dw.baseline.mips(image, linear=False, weighted=False)
    for ours, theirs in zip(codes[:4], naive_levels(image), strict=False):
        assert np.abs(ours.astype(int) - theirs).max() <= 2


def test_image_scale_keeps_the_share_of_the_whole_image():
    image, _ = dw.samples.foliage_atlas(256, 2, 2, species=["bare", "grass"])
    share = (image[..., 3] >= 127.5).mean()
    plain = dw.baseline.mips(image)
    scaled = dw.baseline.mips(image, coverage="image")
    for level in (2, 3):
        lost = abs((plain[level][..., 3] >= 127.5).mean() - share)
        kept = abs((scaled[level][..., 3] >= 127.5).mean() - share)
        assert kept < 0.01 < lost
    with pytest.raises(ValueError, match="coverage"):
        dw.baseline.mips(image, coverage="tile")
    with pytest.raises(ValueError, match="cutoff"):
        dw.baseline.mips(image, cutoff=1.0)


def test_constant_image_stays_constant():
    image = np.full((16, 16, 4), (90, 160, 30, 200), np.uint8)
    for levels in (naive_levels(image), dw.baseline.mips(image)):
        for level in levels:
            assert (level == image[0, 0]).all()


def test_report_leaves_the_bake_alone(baked):
    before = [level.copy() for level in baked.levels]
    report_bake(baked, 512, 1000, None, True, "")
    for level, kept in zip(baked.levels, before, strict=True):
        np.testing.assert_array_equal(level, kept)
