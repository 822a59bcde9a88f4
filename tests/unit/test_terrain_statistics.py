# SPDX-License-Identifier: MIT
"""What selection promises on the whole: coverage of tiles and windows, spectrum, drift, shrinking.

Blue and ordered noise spread cells more evenly than chance: they are held to equalities, to bounds
and to tests from one side. Hash is chance, and is held to tests from both.
"""

from __future__ import annotations

import functools
import hashlib
import math

import numpy as np
import pytest
from helpers_terrain import (
    MODES,
    additive_of_two,
    model_ids,
    noise_of,
    order_of,
    sanitised,
    select,
    window_counts,
)

import dapplewood as dw

WINDOWS = (4, 8, 16, 32)


def constant(weights, side: int) -> np.ndarray:
    return np.broadcast_to(np.asarray(weights), (side, side, len(weights)))


def coverage(weights, transition: dw.Transition, side: int, **given) -> np.ndarray:
    """Share of each slot over a square map of constant weights."""
    ids = dw.select_materials(constant(weights, side), transition, **given)
    return np.bincount(ids.ravel(), minlength=len(weights))[: len(weights)] / ids.size


@functools.lru_cache(maxsize=64)
def mask(kind: str, share: float, size: int = 64, seed: int = 0) -> np.ndarray:
    """Where the first of two materials is, as selection gives it or as other noise would."""
    first = np.float32(share)
    if kind in ("blue", "bayer", "hash"):
        made = dw.Transition("dithered", noise=kind, noise_size=size, seed=seed)
        return dw.select_materials(constant([first, 1 - first], size), made) == 0
    return ((other_ranks(kind, size, seed) + 0.5) / size**2) < share


def other_ranks(kind: str, size: int, seed: int = 0) -> np.ndarray:
    """Noise that selection does not offer, as ranks: what the bounds must refuse."""
    y, x = np.mgrid[0:size, 0:size]
    if kind == "white":
        return np.random.default_rng(seed).permutation(size * size).reshape(size, size)
    if kind == "interleaved":  # Jimenez 2014
        value = 52.9829189 * ((0.06711056 * x + 0.00583715 * y) % 1) % 1
    else:  # "golden": the sequence R2 (Roberts 2018)
        value = (0.7548776662 * x + 0.5698402910 * y) % 1
    return value.ravel().argsort().argsort().reshape(size, size)


# ---- the ranks ----


@pytest.mark.parametrize("size", [8, 32, 64, 128])
@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_every_rank_occurs_once(size, seed):
    ranks = dw.blue_noise(size, seed=seed)
    assert (np.sort(ranks.ravel()) == np.arange(size * size)).all()


def test_ranks_have_the_same_bytes_everywhere():
    digest = hashlib.sha256(dw.blue_noise(128).astype("<u2").tobytes()).hexdigest()
    assert digest[:16] == "347bae406cf0658a"
    assert (dw.blue_noise(64, seed=1) != dw.blue_noise(64, seed=2)).mean() > 0.99


# ---- whole tiles: equalities ----


def tile_counts(weights, transition: dw.Transition, ranks: int) -> list[int]:
    """T_k - T_(k - 1) with T_k = ceil(M C_k - 1/2), C_k the running sums in the global order."""
    order = order_of(transition, len(weights))
    share = np.asarray(weights, np.float64)[order]
    sums = np.cumsum(share) / share.sum()
    sums[np.flatnonzero(share)[-1] :] = 1
    steps = np.ceil(ranks * sums - 0.5).astype(int)
    counts = np.empty(len(weights), int)
    counts[order] = np.diff(steps, prepend=0)
    return counts.tolist()


@pytest.mark.parametrize("noise", ["blue", "bayer"])
@pytest.mark.parametrize("count", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_tiles_have_exactly_the_coverage_of_their_weights(noise, count, dtype):
    rng = np.random.default_rng(count)
    side, ranks = (64, 4096) if noise == "blue" else (64, 64)
    for trial in range(6):
        weights = rng.dirichlet(np.full(count, 0.5)).astype(np.float32)
        weights[rng.random(count) < 0.25] = 0
        weights[rng.integers(count)] += 0.01
        if dtype == "uint8":
            weights = np.maximum((weights * 255).astype(np.uint8), weights > 0).astype(np.uint8)
        given = dw.Transition(
            "dithered", noise=noise, noise_size=64, priorities=rng.uniform(-0.5, 0.5, count)
        )
        origin = tuple(float(at) for at in rng.integers(-(10**6), 10**6, 2))
        ids = dw.select_materials(constant(weights, side), given, origin=origin)
        found = np.bincount(ids.ravel(), minlength=count)
        wanted = np.array(tile_counts(weights, given, ranks)) * (side * side // ranks)
        assert found.tolist() == wanted.tolist(), (trial, weights, given)


@pytest.mark.parametrize("size", [64, 128])
def test_no_weight_leaks_and_none_is_short(size):
    """Of the weights 0 and 1 exactly none and all; between them half a rank at most."""
    given = dw.Transition("dithered", noise_size=size)
    for share in [0.0, 1.0, *np.random.default_rng(size).random(20)]:
        first = np.float32(share)
        found = coverage([first, np.float32(1) - first], given, size)[0]
        exact = float(first) / (float(first) + float(np.float32(1) - first))
        assert abs(found - exact) <= 0.5 / size**2 + 1e-9
        assert share not in (0.0, 1.0) or found == share


def test_eight_bit_noise_leaks():
    """What selection must not do: compare weights with noise of 256 levels."""
    codes = dw.blue_noise(64) >> 4
    assert (codes / 255 <= 0.0).sum() == 16  # n <= w at weight 0
    assert (codes / 255 < 1.0).sum() == 4080  # n < w at weight 1


# ---- windows anywhere ----


def spread(kind: str) -> dict[int, tuple[float, float]]:
    """Largest deviation in cells, and variance over that of chance, by the side of the window."""
    found = {}
    for side in WINDOWS:
        worst, ratios = 0.0, []
        for k in range(1, 64):
            counts = window_counts(mask(kind, k / 64), side)
            apart = counts - side * side * k / 64
            worst = max(worst, float(np.abs(apart).max()))
            ratios.append((apart**2).mean() / (side * side * k / 64 * (1 - k / 64)))
        found[side] = worst, float(np.mean(ratios))
    return found


def test_windows_anywhere_are_near_their_coverage():
    most = dict(zip(WINDOWS, ((6, 0.40), (9, 0.22), (12, 0.13), (17, 0.09)), strict=True))
    for side, (worst, ratio) in spread("blue").items():
        assert worst <= most[side][0] and ratio <= most[side][1], (side, worst, ratio)
    for side, (worst, ratio) in spread("white").items():
        assert worst > most[side][0] and ratio > 2 * most[side][1], (side, worst, ratio)


def test_ramps_keep_their_coverage_in_every_window():
    share = np.broadcast_to(np.linspace(0, 1, 256, dtype=np.float32), (128, 256))
    weights = np.stack([share, 1 - share], -1)
    chosen = dw.select_materials(weights, dw.Transition("dithered", noise_size=64)) == 0
    for side, most in zip(WINDOWS, (7, 10, 13, 18), strict=True):
        inside = np.s_[: 128 - side, : 256 - side]
        exact = window_sums(share.astype(np.float64), side)
        assert np.abs(window_counts(chosen, side)[inside] - exact[inside]).max() <= most


def window_sums(values: np.ndarray, side: int) -> np.ndarray:
    wide = np.pad(values, ((0, side - 1), (0, side - 1)), mode="wrap")
    sums = np.pad(wide.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    return sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]


# ---- chance, and less than chance ----


def binomial_tail(hits: int, trials: int, share: float) -> float:
    """Twice the smaller of the chances of so few and of so many hits."""
    k = np.arange(trials + 1)
    logs = np.array([math.lgamma(i + 1) for i in range(trials + 1)])
    log_p = logs[-1] - logs - logs[::-1] + k * math.log(share) + (trials - k) * math.log1p(-share)
    p = np.exp(log_p)
    return 2 * min(float(p[: hits + 1].sum()), float(p[hits:].sum()))


def chi_square(counts: np.ndarray, shares: np.ndarray) -> float:
    expected = counts.sum() * shares
    return float(((counts - expected) ** 2 / expected).sum())


def chi_square_tail(value: float, freedom: int) -> float:
    """The chance of more, of an even number of degrees of freedom."""
    half = value / 2
    return math.exp(-half) * sum(half**i / math.factorial(i) for i in range(freedom // 2))


SHARES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])


@pytest.mark.parametrize("mode", ["dithered", "priority"])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("origin", [(0.0, 0.0), (-77.0, 1e6), (2.0**24, -(2.0**23))])
def test_hash_is_chance(mode, seed, origin):
    """Far from the origin too, where hashes of float32 coordinates repeat themselves."""
    given = dw.Transition(mode, noise="hash", seed=seed, priorities=(0, 0.05, 0, 0.1, 0))
    weights = SHARES.astype(np.float32)
    exact = dw.expected_coverage(weights[None, None], given)[0, 0].astype(np.float64)
    counts = np.round(coverage(weights, given, 96, origin=origin) * 96**2).astype(int)
    for hits, share in zip(counts, exact, strict=True):
        assert binomial_tail(int(hits), 96**2, float(share)) > 1e-6
    assert chi_square_tail(chi_square(counts, exact / exact.sum()), 4) > 1e-6


def test_the_tests_of_chance_see_what_is_none():
    trials = 96**2
    assert binomial_tail(round(0.4 * trials), trials, 0.4) > 0.9
    assert binomial_tail(round(0.43 * trials), trials, 0.4) < 1e-6
    assert chi_square_tail(9.487729, 4) == pytest.approx(0.05, abs=1e-6)  # of every table
    moved = np.array([0.43, 0.27, 0.15, 0.1, 0.05]) * trials
    assert chi_square_tail(chi_square(moved, SHARES), 4) < 1e-6


@pytest.mark.parametrize("noise", ["blue", "bayer"])
def test_even_noise_is_less_than_chance(noise):
    """One-sided: cells are spread more evenly than by chance, in parts of a tile as well."""
    given = dw.Transition("dithered", noise=noise, noise_size=64)
    weights = SHARES.astype(np.float32)
    levels = 64 if noise == "bayer" else 4096
    exact = np.array(tile_counts(weights, given, levels)) / levels
    ratios = ratios_of_windows(weights, given, exact)
    assert np.mean(ratios) < 0.3 and max(ratios) < 1
    control = ratios_of_windows(weights, dw.Transition("dithered", noise="hash"), SHARES)
    assert np.mean(control) > 0.6 and max(control) > 1


def ratios_of_windows(weights, given: dw.Transition, exact: np.ndarray) -> list[float]:
    """Chi-square over its degrees of freedom, in windows that are no part of a tile."""
    ids = dw.select_materials(constant(weights, 256), given)
    parts = [ids[y : y + 37, x : x + 37] for y in range(0, 210, 30) for x in range(0, 210, 30)]
    return [chi_square(np.bincount(part.ravel(), minlength=5), exact) / 4 for part in parts]


# ---- spectrum ----


def test_the_spectrum_is_blue_and_has_no_direction():
    for seed in range(4):
        found = dw.spectrum(dw.blue_noise(64, seed=seed))
        assert found.low_frequency <= 0.001 and abs(found.anisotropy_db) <= 1.5
        for share, most in ((0.1, 0.10), (0.25, 0.04), (0.5, 0.04)):
            chosen = dw.spectrum(mask("blue", share, seed=seed))
            assert chosen.low_frequency <= most, (share, chosen.low_frequency)
            assert abs(chosen.anisotropy_db) <= 1.5, (share, chosen.anisotropy_db)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_white_and_hash_are_not_blue(share):
    assert dw.spectrum(other_ranks("white", 64)).low_frequency > 0.5
    for kind in ("white", "hash"):
        assert dw.spectrum(mask(kind, share)).low_frequency > 0.5


@pytest.mark.parametrize("kind", ["interleaved", "golden", "bayer"])
def test_lattices_have_directions(kind):
    ranks = dw.dither_ranks("bayer8") if kind == "bayer" else other_ranks(kind, 64)
    assert dw.spectrum(ranks).anisotropy_db > 3
    assert dw.spectrum(mask(kind, 0.3)).anisotropy_db > 3


# ---- movement ----


def drift_of(kind: str, share: float = 0.3, side: int = 16) -> tuple[float, float]:
    """Root mean square and largest change of a window's coverage that moves by one cell."""
    counts = window_counts(mask(kind, share), side) / side**2
    steps = np.concatenate([(np.roll(counts, 1, axis) - counts).ravel() for axis in (0, 1)])
    return float(np.sqrt((steps**2).mean())), float(np.abs(steps).max())


def test_windows_drift_little_from_cell_to_cell():
    rms, most = drift_of("blue")
    assert rms <= 0.009 and most <= 0.045  # 0.011 and 0.045 are asked for
    assert drift_of("white")[0] > 0.0095


@pytest.mark.parametrize("mode", ["dithered", "priority", "dominant_accent"])
def test_coverage_of_a_screen_stands_while_it_pans(mode):
    """A window of 16 x 16 cells at 2 pixels a cell, moved by an eighth of a cell a frame."""
    given = dw.Transition(mode, noise_size=64)
    weights = constant(np.array([0.36, 0.64], np.float32), 16)
    share = dw.expected_coverage(weights, given)[0, 0, 0]
    frames = [
        (dw.select_materials(weights, given, origin=(t / 8, t / 16), scale=2.0) == 0).mean()
        for t in range(64 * 16)
    ]
    assert abs(np.mean(frames) - share) < 0.002
    assert np.abs(np.diff(frames)).max() <= 0.045


# ---- shrinking ----

RATIOS = (0.25, 0.5, 0.7, 1, 1.37, 2, 3.3, 4, 8, 16, 31.7, 32, 64)  # cells a pixel
COLORS = np.array([[0.9, 0.2, 0.1], [0.1, 0.8, 0.3], [0.2, 0.3, 0.9]])


def shrunk(given: dw.Transition, share, ratio: float, phase: float, fades: bool) -> np.ndarray:
    """Mean colour of 128 x 128 pixels: chosen colours that go over to the expectation."""
    scale = 32 / ratio  # pixels per map unit of 32 x 32 cells
    weights = constant(share, math.ceil(128 / scale) + 1)
    origin = phase / 32, -phase / 32
    ids = dw.select_materials(weights, given, origin=origin, scale=scale)[:128, :128]
    assert ids.shape == (128, 128)
    begin, end = given.fade
    t = np.clip((ratio - begin) / (end - begin), 0, 1) if fades else 0.0
    g = t * t * (3 - 2 * t)
    chosen = COLORS[ids].mean((0, 1))
    return (1 - g) * chosen + g * (dw.expected_coverage(weights[:1, :1], given)[0, 0] @ COLORS)


@pytest.mark.parametrize("mode", ["dithered", "priority", "priority_additive", "dominant_accent"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_shrunk_ground_keeps_its_colour(mode, ratio):
    share = np.array([0.3, 0.45, 0.25], np.float32)
    given = dw.Transition(mode, noise_size=128, strength=0.8, cell=1 / 32)
    exact = dw.expected_coverage(constant(share, 1), given)[0, 0] @ COLORS
    for phase in (0.0, 17.3, 1000.6):
        assert np.abs(shrunk(given, share, ratio, phase, True) - exact).max() < 0.01


def test_without_the_fade_whole_ratios_resonate():
    """The shimmer that the fade is there for: one cell stands for all of a tile."""
    share = np.array([0.3, 0.45, 0.25], np.float32)
    given = dw.Transition("dithered", noise_size=64, cell=1 / 32)
    exact = share @ COLORS
    off = {ratio: [] for ratio in (16, 64)}
    for ratio, errors in off.items():
        for phase in np.arange(8) * 7.3:
            errors.append(np.abs(shrunk(given, share, ratio, phase, False) - exact).max())
    assert max(off[16]) > 0.05 and max(off[64]) > 0.3


# ---- priority ----


@pytest.mark.parametrize(("size", "most"), [(64, 0.012), (128, 0.009)])
def test_two_additive_materials_come_near_the_closed_form(size, most):
    rng = np.random.default_rng(size)
    for _ in range(20):
        first, lead, strength = rng.uniform(0.2, 0.8), rng.uniform(-0.2, 0.2), rng.uniform(0.2, 1)
        given = dw.Transition(
            "priority_additive", noise_size=size, strength=strength, priorities=(lead, 0)
        )
        found = coverage(np.array([first, 1 - first], np.float32), given, size)[0]
        assert abs(found - additive_of_two(first + lead, 1 - first, strength)) < most


@pytest.mark.parametrize(("size", "most"), [(64, 0.02), (128, 0.01)])
@pytest.mark.parametrize("count", [4, 8, 16])
def test_additive_coverage_comes_near_the_quadrature(size, most, count):
    rng = np.random.default_rng(count)
    for _ in range(12):
        weights = rng.dirichlet(np.ones(count)).astype(np.float32)
        given = dw.Transition(
            "priority_additive",
            noise_size=size,
            strength=rng.uniform(0.2, 1),
            priorities=rng.uniform(-0.1, 0.1, count),
        )
        exact = dw.expected_coverage(weights[None, None], given)[0, 0]
        assert np.abs(coverage(weights, given, size) - exact).max() < most


@pytest.mark.parametrize("mode", ["dithered", "priority", "dominant_accent"])
@pytest.mark.parametrize("count", [2, 4, 8, 16])
def test_modes_of_one_noise_have_their_expectation_to_a_rank(mode, count):
    rng = np.random.default_rng(count)
    for _ in range(8):
        weights = rng.dirichlet(np.ones(count)).astype(np.float32)
        given = dw.Transition(
            mode,
            noise_size=64,
            strength=rng.uniform(0.3, 1),
            priorities=rng.uniform(-0.1, 0.1, count),
            accents=2,
        )
        exact = dw.expected_coverage(weights[None, None], given)[0, 0]
        assert np.abs(coverage(weights, given, 64) - exact).max() <= 1 / 4096 + 1e-6


def test_one_noise_for_all_materials_does_not_dither():
    """The published formula, read by the letter: the same number on both sides of a comparison."""
    given = dw.Transition("priority_additive", noise_size=64)
    weights = np.array([0.4, 0.3, 0.2, 0.1], np.float32)
    cells = np.arange(64)[None], np.arange(64)[:, None]
    shared = np.repeat(noise_of(given, cells)[..., None], 4, -1)
    counts = np.bincount(select(constant(weights, 64), given, shared).ravel(), minlength=4)
    assert counts.tolist() == [4096, 0, 0, 0]
    exact = dw.expected_coverage(weights[None, None], given)[0, 0]
    assert np.abs(counts / 4096 - exact).max() > 0.2
    assert np.abs(coverage(weights, given, 64) - exact).max() < 0.02


# ---- the model ----


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("noise", ["blue", "bayer", "hash"])
@pytest.mark.parametrize("count", [2, 5, 16])
def test_ids_are_those_of_the_formulas(mode, noise, count):
    """But where a number lies within rounding of its border."""
    rng = np.random.default_rng(count)
    weights = rng.dirichlet(np.full(count, 0.7), (60, 70)).astype(np.float32)
    weights[rng.random(weights.shape) < 0.15] = 0
    weights[0, :4] = np.array([0, np.nan, -1, np.inf])[:, None]
    heights = rng.uniform(-0.3, 0.3, weights.shape).astype(np.float32)
    given = dw.Transition(
        mode,
        noise=noise,
        noise_size=32,
        seed=9,
        strength=0.6,
        min_weight=0.02,
        priorities=np.round(rng.uniform(-0.2, 0.2, count), 3),
    )
    extra = {"heights": heights} if mode == "height" else {}
    found = dw.select_materials(weights, given, origin=(-37.0, 1000.0), **extra)
    wanted = model_ids(weights, given, (-37, 1000), heights)
    assert (found != wanted).sum() <= 2
    assert (found[0, :2] == 255).all() and (sanitised(weights, given)[0, :2] == 0).all()
