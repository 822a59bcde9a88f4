# SPDX-License-Identifier: MIT
"""Coverage: measured as defined, kept per tile, with every option."""

import numpy as np
import pytest

import dapplewood as dw
from dapplewood import _core
from helpers import TOLERANCE, bilinear_samples, noise_image


@pytest.fixture(scope="module")
def cpu():
    with dw.Device("cpu") as device:
        yield device


@pytest.fixture(scope="module")
def foliage():
    image, grid = dw.samples.foliage_atlas(512, 4, 4, gutter=4, seed=3)
    return image, grid


def coverage_by_level(baked, cutoff, device, planes=None):
    """(levels, tiles) shares of bilinear samples inside the gutters; NaN where the content of a
    tile is below 4 texels. Areas are the cards' own, in fractions of a texel."""
    planes = planes or [level[..., 3] for level in baked.levels]
    out = np.full((len(planes), len(baked.tiles)), np.nan)
    x, y, w, h = baked.tiles.rects.T.astype(float)
    gutter = baked.tiles.gutter
    edges = np.stack([x + gutter, y + gutter, x + w - gutter, y + h - gutter], axis=1)
    for n, plane in enumerate(planes):
        indices, rects = baked.content_rects(n)
        wide = (rects[:, 2:] >= 4).all(axis=1)
        scale = np.tile(np.array(plane.shape[::-1]) / baked.shape[::-1], 2)
        if wide.any():
            areas = edges[indices[wide]] * scale
            out[n, indices[wide]] = _core.coverage_trilinear(
                device, plane, plane, areas, areas, 0.0, [cutoff]
            )[:, 0]
    return out


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("cutoff", [0.5, 0.3, 1 / 255, 128 / 255, 0.999])
def test_measure_counts_every_sample(cpu, dtype, cutoff):
    alpha = noise_image(41, 23, bits=8 * np.dtype(dtype).itemsize)[..., 3]
    samples = bilinear_samples(alpha)
    wanted = (samples / (64 * 65535) >= cutoff - 1e-12).mean()
    assert dw.measure_coverage(alpha, cutoff, device=cpu)[0] == pytest.approx(wanted, abs=1e-12)
    most = np.iinfo(dtype).max
    texels = (alpha / most >= cutoff - 1e-12).mean()
    measured = dw.measure_coverage(alpha, cutoff, sampling="texel", device=cpu)
    assert measured[0] == pytest.approx(texels, abs=1e-12)


def test_measure_takes_tiles_strides_and_channels(cpu):
    image = noise_image(64, 48)
    grid = dw.TileGrid(4, 3, gutter=2)
    shares = dw.measure_coverage(image, [0.25, 0.5], tiles=grid, device=cpu)
    assert shares.shape == (12, 2)
    for share, (x, y, w, h) in zip(shares, grid.rects_for(64, 48)):
        inner = image[y + 2 : y + h - 2, x + 2 : x + w - 2, 3]
        assert share[1] == dw.measure_coverage(inner, 0.5, device=cpu)[0]
    flipped = dw.measure_coverage(image[::-1, ::-1, 3], 0.5, device=cpu)
    assert flipped == dw.measure_coverage(np.ascontiguousarray(image[..., 3]), 0.5, device=cpu)


def test_every_tile_keeps_its_coverage(cpu, foliage):
    image, grid = foliage
    baked = dw.bake_atlas(image, tiles=grid, device=cpu)
    shares = 100 * coverage_by_level(baked, 0.5, cpu)
    error = np.abs(shares - shares[0])[1:6]
    assert np.nanmean(error, axis=1).max() <= TOLERANCE["coverage_mean"]
    assert np.nanmax(error) <= TOLERANCE["coverage_worst"]


@pytest.mark.parametrize("coverage", ["none", "image"])
def test_other_modes_lose_it(cpu, foliage, coverage):
    """The negative control: what other tools do misses the same targets."""
    image, grid = foliage
    baked = dw.bake_atlas(image, tiles=grid, coverage=coverage, device=cpu)
    shares = 100 * coverage_by_level(baked, 0.5, cpu)
    error = np.abs(shares - shares[0])[1:6]
    assert np.nanmean(error, axis=1).max() > 2 * TOLERANCE["coverage_mean"]
    assert np.nanmax(error) > TOLERANCE["coverage_worst"]


def test_the_image_mode_keeps_the_image_mean(cpu, foliage):
    image, grid = foliage
    baked = dw.bake_atlas(image, tiles=grid, coverage="image", device=cpu)
    shares = 100 * coverage_by_level(baked, 0.5, cpu).mean(axis=1)
    assert np.abs(shares - shares[0])[1:5].max() <= 2 * TOLERANCE["coverage_mean"]
    kinds = baked.remaps["kind"][:, 1:5]
    assert (kinds == kinds[:1]).all() and (baked.remaps["k"] == baked.remaps["k"][:1]).all()


def test_several_cutoffs_share_what_interpolation_allows(cpu, foliage):
    """A ramp between two texels crosses all cutoffs, so that not all can be met far down; the
    remap for three roughly halves what a remap for the middle one misses at the outer ones."""
    image, grid = foliage
    cutoffs = (0.25, 0.5, 0.75)
    three = dw.bake_atlas(image, tiles=grid, cutoffs=cutoffs, device=cpu)
    one = dw.bake_atlas(image, tiles=grid, cutoffs=0.5, device=cpu)
    assert (three.remaps["kind"][:, 1:5] == 2).all() and (one.remaps["kind"][:, 1:5] == 1).all()

    def error(baked, cutoff):
        shares = 100 * coverage_by_level(baked, cutoff, cpu)
        return np.nanmean(np.abs(shares - shares[0])[1:5], axis=1)

    for cutoff in (0.25, 0.75):
        assert (error(three, cutoff) < 0.8 * error(one, cutoff)).all()
    assert error(three, 0.5).max() < 1.0


def test_remaps_are_monotone(cpu, foliage):
    image, grid = foliage
    baked = dw.bake_atlas(image, tiles=grid, cutoffs=(0.2, 0.4, 0.6, 0.8), device=cpu)
    for remap in baked.remaps[baked.remaps["kind"] == 2]:
        knots = int(remap["knots"])
        assert (np.diff(remap["x"][:knots].astype(int)) > 0).all()
        assert (np.diff(remap["y"][:knots].astype(int)) > 0).all()


def test_averaged_alpha_keeps_the_mean(cpu, foliage):
    image, grid = foliage
    baked = dw.bake_atlas(image, tiles=grid, device=cpu)
    means = []
    for n in range(5):
        _, rects = baked.content_rects(n)
        plane = baked.alpha_to_coverage[n]
        means.append([plane[y : y + h, x : x + w].mean() for x, y, w, h in rects])
    error = 100 * np.abs(np.array(means) - np.array(means[0])) / 255
    # gutters of 4 texels: content edges stay on texel borders through level 2
    assert error[:3].mean(axis=1).max() <= TOLERANCE["a2c_mean"]
    assert error[:3].max() <= TOLERANCE["a2c_worst"]


def test_the_remap_is_what_was_done(cpu, foliage):
    image, grid = foliage
    baked = dw.bake_atlas(image, tiles=grid, device=cpu)
    plain = dw.bake_atlas(image, tiles=grid, coverage="none", device=cpu)
    for tile in range(len(baked.tiles)):
        remap, place = baked.remaps[tile, 2], baked.places[tile, 2]
        assert remap["kind"] == 1
        x, y, k = (int(remap[name][0]) for name in "xyk")
        rows = slice(place["content_y0"], place["content_y1"])
        columns = slice(place["content_x0"], place["content_x1"])
        averaged = plain.levels[2][rows, columns, 3].astype(float) * 257
        wanted = np.clip(y + (averaged - x) * k / 65536, 0, 65535) / 257
        # the core maps 16-bit averages; these come from 8 bits, so a step widens by the gain
        assert np.abs(baked.levels[2][rows, columns, 3] - wanted).max() <= 0.5 * k / 65536 + 1


def test_start_level_and_strength(cpu, foliage):
    image, grid = foliage
    plain = dw.bake_atlas(image, tiles=grid, coverage="none", device=cpu)
    full = dw.bake_atlas(image, tiles=grid, device=cpu)
    late = dw.bake_atlas(image, tiles=grid, start_level=3, device=cpu)
    for n in range(5):
        same_as = plain if n < 3 else full
        assert np.array_equal(late.levels[n], same_as.levels[n])
    off = dw.bake_atlas(image, tiles=grid, strength=0.0, device=cpu)
    half = dw.bake_atlas(image, tiles=grid, strength=0.5, device=cpu)
    for n in range(5):
        assert np.array_equal(off.levels[n], plain.levels[n])
        middle = (plain.levels[n][..., 3].astype(float) + full.levels[n][..., 3]) / 2
        assert np.abs(half.levels[n][..., 3] - middle).max() <= 1


def test_other_targets_can_be_asked_for(cpu, foliage):
    image, grid = foliage
    own = dw.measure_coverage(image, 0.5, tiles=grid, device=cpu)
    targets = (own + np.tile([-0.04, 0.04], 8))[:, None]
    baked = dw.bake_atlas(
        image, tiles=grid, start_level=0, target_coverage=targets, device=cpu
    )
    shares = coverage_by_level(baked, 0.5, cpu)
    assert np.abs(shares[0] - targets[:, 0]).max() < 0.03
    assert np.abs(shares[2] - targets[:, 0]).max() < 0.01


def test_clear_and_opaque_tiles_stay_as_they_are(cpu):
    image = noise_image(64, 32)
    image[:, :32, 3] = 0
    image[:, 32:, 3] = 255
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(2, 1), device=cpu)
    assert (baked.remaps["kind"] == 0).all()
    for n in range(6):
        width = baked.levels[n].shape[1]
        assert (baked.levels[n][:, : width // 2, 3] == 0).all()
        assert (baked.levels[n][:, width // 2 :, 3] == 255).all()


def test_equal_coverage_needs_no_remap(cpu):
    """Alpha that is equal in 2 x 2 blocks passes the same share of texels after halving."""
    rng = np.random.default_rng(0)
    image = np.zeros((64, 64, 4), dtype=np.uint8)
    image[..., 3] = np.where(rng.random((1, 1)) < 0.5, 0, 255)
    image[16:48, 16:48, 3] = 255
    baked = dw.bake_atlas(image, device=cpu)
    gains = baked.remaps["k"][0, 1:3, 0] / 65536
    assert ((baked.remaps["kind"][0, 1:3] == 0) | (gains < 1.3)).all()


def test_thin_cards_survive_far_down(cpu):
    """One-texel needles: averaged alpha falls under any cutoff, remapped alpha does not."""
    image = np.zeros((256, 256, 4), dtype=np.uint8)
    image[:, 8:-8:8] = (60, 120, 40, 255)
    baked = dw.bake_atlas(image, device=cpu)
    plain = dw.bake_atlas(image, coverage="none", device=cpu)
    wanted = dw.measure_coverage(image, 0.5, device=cpu)[0]
    got = [dw.measure_coverage(baked.levels[n], 0.5, device=cpu)[0] for n in (1, 2)]
    assert abs(got[0] - wanted) < 0.01
    # one column of samples in eight cannot be had from needles two texels apart: it is none or
    # two, and more is better than none
    assert abs(got[1] - 2 * wanted) < 0.01
    assert dw.measure_coverage(plain.levels[2], 0.5, device=cpu)[0] == 0.0
