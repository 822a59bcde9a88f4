# SPDX-License-Identifier: MIT
"""Ranks, discard counts and masks, and how patterns look to the eye."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dapplewood as dw

SEED_MATRIX = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]
ORDERED = {"bayer4": 4, "bayer8": 8, "bayer16": 16}
PERMUTED = {**ORDERED, "blue": 64}
RULES = ("centred", "seed", "strict")

# Discarded cells of 4 x 4 at 60 frames a second while an instance comes back within 0.3 s.
RESPAWN = [12, 11, 10, 10, 9, 9, 8, 7, 7, 6, 5, 5, 4, 4, 3, 2, 2, 1, 0]


def model_count(amount: float, ranks: int, rule: str) -> int:
    """How many ranks the rule's inequality discards, one rank after another."""
    discards = {
        "centred": lambda k: (k + 0.5) / ranks < amount,
        "seed": lambda k: k / ranks <= amount and amount >= np.float32(0.001),
        "strict": lambda k: k / ranks < amount,
    }[rule]
    return sum(discards(k) for k in range(ranks))


def test_bayer4_is_the_matrix_of_the_seed():
    assert dw.dither_ranks("bayer4").tolist() == SEED_MATRIX


@pytest.mark.parametrize(("pattern", "side"), PERMUTED.items())
def test_ranks_are_a_permutation(pattern, side):
    ranks = dw.dither_ranks(pattern)
    assert ranks.shape == (side, side) and ranks.dtype == np.uint16
    assert np.array_equal(np.sort(ranks, axis=None), np.arange(side * side))


@pytest.mark.parametrize("pattern", ORDERED)
def test_larger_bayer_patterns_refine_smaller_ones(pattern):
    ranks = dw.dither_ranks(pattern)
    coarse = ranks >> (2 * int(math.log2(len(ranks))) - 4)
    assert np.array_equal(coarse, np.tile(SEED_MATRIX, (len(ranks) // 4,) * 2))


@pytest.mark.parametrize("size", [8, 16, 32, 64, 128, 256])
def test_blue_noise_is_a_permutation_of_each_size_and_seed(size):
    for seed in (0, 1, (1 << 64) - 1):
        ranks = dw.blue_noise(size, seed=seed)
        assert np.array_equal(np.sort(ranks, axis=None), np.arange(size * size))
    assert not np.array_equal(dw.blue_noise(size), dw.blue_noise(size, seed=1))


def test_blue_noise_is_the_same_everywhere():
    """A sum of the ranks by place: another compiler or instruction set must give it too."""
    place = np.arange(64 * 64, dtype=np.uint64).reshape(64, 64) + 1
    weighted = [int((dw.blue_noise(64, seed=seed) * place).sum()) for seed in (0, 1)]
    assert weighted == [17168113340, 17189715753]


def test_blue_noise_is_made_once_and_cannot_be_written():
    first = dw.blue_noise(32, seed=5)
    assert dw.blue_noise(32, seed=5) is first and not first.flags.writeable
    assert dw.dither_ranks("blue", size=32, seed=5).flags.writeable
    assert np.array_equal(dw.dither_ranks("blue", size=32, seed=5), first)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 1.5, 3.0, 8.0])
def test_every_sigma_gives_a_permutation(sigma):
    ranks = dw.blue_noise(32, sigma=sigma, seed=3)
    assert np.array_equal(np.sort(ranks, axis=None), np.arange(32 * 32))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("ranks", [16, 64, 256])
def test_counts_follow_the_inequality_of_the_rule(rule, ranks):
    """Every end and middle of every step, and its neighbours."""
    amounts = np.arange(4 * ranks + 1, dtype=np.float32) / np.float32(4 * ranks)
    near = [amounts, np.nextafter(amounts, np.float32(0)), np.nextafter(amounts, np.float32(1))]
    amounts = np.unique(np.clip(np.concatenate([*near, np.float32([0.001, 0.7])]), 0, 1))
    amounts = amounts[(amounts == 0) | (amounts > 1e-30)]  # less counts as 0
    counts = dw.discard_count(amounts, ranks, rule=rule)
    wanted = [model_count(float(amount), ranks, rule) for amount in amounts]
    assert counts.tolist() == wanted


def test_seven_tenths_by_each_rule():
    table = {"seed": (12, 45, 180), "strict": (12, 45, 180), "centred": (11, 45, 179)}
    for rule, wanted in table.items():
        assert tuple(dw.discard_count(0.7, n, rule=rule) for n in (16, 64, 256)) == wanted


def test_the_seed_rule_has_its_guard():
    just_below = np.nextafter(np.float32(0.001), np.float32(0))
    assert [dw.discard_count(a, 16, rule="seed") for a in (0.0, just_below, 0.001)] == [0, 0, 1]
    assert dw.discard_count(0.9375, 16, rule="seed") == 16
    assert dw.discard_count(np.float32(0.93749994), 16, rule="seed") == 15


def test_a_respawn_shows_the_frames_of_the_seed():
    field = dw.DissolveField()
    field.add(1, 1.0)
    field.start(1, -1)
    frames = [dw.discard_count(field.amount(1), 16, rule="seed")]
    for _ in range(18):
        field.tick(1 / 60)
        frames.append(dw.discard_count(field.amount(1), 16, rule="seed"))
    assert frames == RESPAWN


@pytest.mark.parametrize("rule", ["centred", "strict"])
@pytest.mark.parametrize("pattern", PERMUTED)
def test_coverage_is_exact_in_every_window_of_a_tile(pattern, rule):
    side = PERMUTED[pattern]
    amounts = np.linspace(0, 1, 29)
    for origin in ((0, 0), (3, 1), (-5, 7)):
        masks = dw.discard_mask(amounts, (side, side), pattern=pattern, rule=rule, origin=origin)
        counts = dw.discard_count(amounts, side * side, rule=rule)
        assert (masks.sum(axis=(1, 2)) == counts).all()


@pytest.mark.parametrize("rule", RULES)
def test_all_levels_of_bayer4_appear_and_cover_what_they_say(rule):
    amounts = np.linspace(0, 1, 4001)
    shares = dw.discard_mask(amounts, (8, 12), rule=rule).mean(axis=(1, 2)) * 16
    assert set(shares.tolist()) == set(range(17))
    bias = (shares / 16 - amounts).mean()
    assert abs(bias) < 0.0005 if rule == "centred" else 0.02 < bias < 0.04


def test_the_default_scale_leaves_thirteen_levels():
    counts = dw.discard_count(np.linspace(0, 1, 5000) * 0.7, 16, rule="seed")
    assert np.unique(counts).tolist() == list(range(13))


@pytest.mark.parametrize("pattern", [*PERMUTED, "hash"])
def test_masks_are_nested(pattern):
    masks = dw.discard_mask(np.linspace(0, 1, 200), (64, 64), pattern=pattern)
    assert (masks[1:] >= masks[:-1]).all()
    assert not masks[0].any() and masks[-1].all()


@pytest.mark.parametrize("pattern", PERMUTED)
def test_a_cross_fade_shares_the_pixels_out(pattern):
    """Incoming keeps rank < n, outgoing rank >= n; dissolving by m leaves exactly rank >= m."""
    ranks = dw.dither_ranks(pattern)
    for n in range(0, ranks.size + 1, max(1, ranks.size // 64)):
        incoming, outgoing = ranks < n, ranks >= n
        assert (incoming ^ outgoing).all()
        for m in range(0, ranks.size + 1, max(1, ranks.size // 16)):
            shown = ranks >= m
            first, second = incoming & shown, outgoing & shown
            assert np.array_equal(first | second, shown) and not (first & second).any()


def test_masks_are_ranks_below_the_count():
    ranks = np.tile(dw.blue_noise(32, seed=9), (3, 3))
    for amount in (0.1, 0.5, 0.93):
        mask = dw.discard_mask(amount, (70, 50), pattern="blue", size=32, seed=9, origin=(5, 11))
        count = dw.discard_count(amount, 1024)
        assert np.array_equal(mask, (ranks < count)[11:81, 5:55])
        own = dw.discard_mask(amount, (70, 50), pattern=dw.blue_noise(32, seed=9), origin=(5, 11))
        assert np.array_equal(own, mask)


@pytest.mark.parametrize("pattern", [*PERMUTED, "hash"])
def test_origins_shift_the_plane(pattern):
    whole = dw.discard_mask(0.4, (40, 48), pattern=pattern, origin=(-20, -7), instance=3)
    part = dw.discard_mask(0.4, (9, 13), pattern=pattern, origin=(-20 + 11, -7 + 5), instance=3)
    assert np.array_equal(part, whole[5:14, 11:24])
    far = (1 << 31) - 1
    assert dw.discard_mask(0.4, (4, 4), pattern=pattern, origin=(far, -far - 1)).shape == (4, 4)


def test_amounts_of_any_shape():
    masks = dw.discard_mask([[0.0, 0.5, 1.0]], (4, 6))
    assert masks.shape == (1, 3, 4, 6) and masks.dtype == np.bool_
    assert masks.mean(axis=(2, 3)).tolist() == [[0.0, 0.5, 1.0]]
    assert dw.discard_mask(0.5, (0, 5)).shape == (0, 5)
    assert dw.discard_mask([], (4, 4)).shape == (0, 4, 4)
    assert dw.discard_count([[0.5]], 16).tolist() == [[8]]
    assert dw.discard_count([-3.0, 1e300], 16).tolist() == [0, 16]
    assert dw.discard_count(1e-300, 16, rule="strict") == 0


def chi_square(counts: np.ndarray) -> float:
    """Of equally likely cells, in standard deviations from what chance gives."""
    expected = counts.sum() / counts.size
    degrees = counts.size - 1
    return float((((counts - expected) ** 2).sum() / expected - degrees) / math.sqrt(2 * degrees))


def test_hash_levels_are_even_and_instances_independent():
    ranks = np.stack([dw.dither_ranks("hash", size=256, seed=i) for i in range(4)]).astype(int)
    assert ranks.max() < 1 << 14
    bins = [np.bincount(one.ravel() >> 6, minlength=256) for one in ranks]
    assert all(abs(chi_square(one)) < 4 for one in bins)
    pairs = np.bincount((ranks[0] >> 10).ravel() * 16 + (ranks[1] >> 10).ravel(), minlength=256)
    beside = np.bincount(
        (ranks[0] >> 10)[:, 1:].ravel() * 16 + (ranks[0] >> 10)[:, :-1].ravel(), minlength=256
    )
    assert abs(chi_square(pairs)) < 4 and abs(chi_square(beside)) < 4


def test_the_chi_square_test_can_fail():
    """A hash that misses one of its bits, and ordered ranks, which are far too even."""
    ranks = dw.dither_ranks("hash", size=256).astype(int)
    lame = np.bincount((ranks | 1 << 8).ravel() >> 6, minlength=256)
    assert chi_square(lame) > 100
    even = np.bincount(np.tile(dw.dither_ranks("bayer16"), (16, 16)).ravel(), minlength=256)
    assert chi_square(even) < -10


def test_hash_coverage_is_right_on_average():
    amounts = np.linspace(0.05, 0.95, 19)
    shares = dw.discard_mask(amounts, (256, 256), pattern="hash").mean(axis=(1, 2))
    deviation = np.sqrt(amounts * (1 - amounts)) / 256
    assert (np.abs(shares - amounts) < 4.5 * deviation).all()


def gradient_noise() -> np.ndarray:
    """Interleaved gradient noise (Jimenez 2014)."""
    y, x = np.mgrid[0:64, 0:64]
    return np.modf(52.9829189 * np.modf(0.06711056 * x + 0.00583715 * y)[0])[0]


LOW, ANISOTROPY = 0.001, 1.5


@pytest.mark.parametrize("size", [64, 128])
def test_blue_noise_is_blue_and_has_no_direction(size):
    for seed in range(8):
        found = dw.spectrum(dw.blue_noise(size, seed=seed))
        assert found.low_frequency <= LOW and abs(found.anisotropy_db) <= ANISOTROPY
        assert found.radial.shape == found.frequencies.shape == (15,)
        assert found.radial[-4:].min() > 1


def test_other_noises_are_told_apart(rng):
    white = dw.spectrum(rng.permutation(4096).reshape(64, 64))
    assert white.low_frequency > 0.5 and abs(white.anisotropy_db) <= ANISOTROPY
    hashed = dw.spectrum(dw.dither_ranks("hash"))
    assert hashed.low_frequency > 0.5
    assert dw.spectrum(dw.dither_ranks("bayer8")).anisotropy_db > 10
    gradient = dw.spectrum(gradient_noise())
    assert gradient.low_frequency > 0.02 and gradient.anisotropy_db > 5


@pytest.mark.parametrize(
    ("amount", "bound"), [(0.05, 0.12), (0.1, 0.07), (0.25, 0.03), (0.5, 0.025)]
)
def test_thresholded_masks_are_blue_too(rng, amount, bound):
    for seed in range(4):
        found = dw.spectrum(dw.discard_mask(amount, (64, 64), pattern="blue", seed=seed))
        assert found.low_frequency <= bound and abs(found.anisotropy_db) <= ANISOTROPY
    assert dw.spectrum(rng.random((64, 64)) < amount).low_frequency > 0.5


def test_windows_of_blue_noise_are_even(rng):
    """Counts in all 16 x 16 windows at half: chance alone gives 8."""

    def deviation(mask: np.ndarray) -> float:
        wrapped = np.pad(mask.astype(int), ((0, 15), (0, 15)), mode="wrap")
        sums = wrapped.cumsum(0).cumsum(1)
        sums = np.pad(sums, ((1, 0), (1, 0)))
        counts = sums[16:, 16:] - sums[:-16, 16:] - sums[16:, :-16] + sums[:-16, :-16]
        return float(np.sqrt(((counts - 128) ** 2).mean()))

    assert all(deviation(dw.blue_noise(64, seed=s) < 2048) < 2.5 for s in range(6))
    assert deviation(rng.permutation(4096).reshape(64, 64) < 2048) > 5


def test_a_spectrum_shows_itself():
    found = dw.spectrum(dw.blue_noise())
    assert "<svg" in found._repr_html_() and "anisotropy" in found._repr_html_()
    assert found.to_dict()["low_frequency"] == found.low_frequency
    pytest.importorskip("matplotlib")
    assert found.plot().axes[0].get_xlabel() == "cycles a pixel"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: dw.dither_ranks("bayer"), ValueError, 'pattern must be .* "bayer4"'),
        (lambda: dw.dither_ranks("bayer4", size=8), ValueError, "size of bayer4 is 4, got 8"),
        (lambda: dw.dither_ranks("blue", size=48), ValueError, "power of two from 8 to 256.*48"),
        (lambda: dw.dither_ranks("hash", seed=-1), ValueError, "seed must lie in"),
        (lambda: dw.blue_noise(4), ValueError, "power of two"),
        (lambda: dw.blue_noise(512), ValueError, "power of two"),
        (lambda: dw.blue_noise(64.0), TypeError, "size must be an integer"),
        (lambda: dw.blue_noise(sigma=float("nan")), ValueError, "sigma must lie in .*, got -?nan"),
        (lambda: dw.blue_noise(sigma=0.1), ValueError, "sigma must lie in"),
        (lambda: dw.blue_noise(seed=1 << 64), ValueError, "seed must lie in"),
        (lambda: dw.discard_count(math.nan, 16), ValueError, "amount must be finite, got nan"),
        (lambda: dw.discard_count(math.inf, 16), ValueError, "amount must be finite, got inf"),
        (lambda: dw.discard_count("1", 16), TypeError, "amount must be a number"),
        (lambda: dw.discard_count(0.5, 12), ValueError, "ranks must be a power of two"),
        (lambda: dw.discard_count(0.5, 0), ValueError, "ranks must lie in"),
        (lambda: dw.discard_count(0.5, 16, rule="best"), ValueError, 'rule must be .*"centred"'),
        (lambda: dw.discard_mask(0.5, (4,)), ValueError, "shape must be two integers"),
        (lambda: dw.discard_mask(0.5, (-1, 4)), ValueError, "shape must lie in"),
        (lambda: dw.discard_mask(0.5, (4, 4.5)), TypeError, "shape must be an integer"),
        (lambda: dw.discard_mask(0.5, (4, 4), origin=(1 << 31, 0)), ValueError, "origin must lie"),
        (lambda: dw.discard_mask(0.5, (4, 4), instance=-1), ValueError, "instance must lie in"),
        (lambda: dw.discard_mask(0.5, (4, 4), size=64), ValueError, "size is that of a blue"),
        (
            lambda: dw.discard_mask(0.5, (4, 4), pattern=np.zeros((8, 16), np.uint16)),
            ValueError,
            r"table must be square, its side a power of two, got \(8, 16\)",
        ),
        (
            lambda: dw.discard_mask(0.5, (4, 4), pattern=np.zeros((8, 8))),
            TypeError,
            "2-D uint16 array",
        ),
        (lambda: dw.discard_mask(0.5, (1 << 20, 1 << 20)), dw.CapacityError, "in parts, with"),
        (lambda: dw.spectrum(np.zeros(5)), ValueError, "shape"),
        (lambda: dw.spectrum(np.ones((8, 8))), ValueError, "not all alike"),
        (lambda: dw.spectrum(np.full((8, 8), np.nan)), ValueError, "finite"),
    ],
)
def test_bad_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()
