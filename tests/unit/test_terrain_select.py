# SPDX-License-Identifier: MIT
"""Materials are chosen as often as their weights say, exactly, on this machine's threads."""

from __future__ import annotations

import itertools
import math

import dapplewood as dw
import numpy as np
import pytest
from helpers_terrain_forms import MODES, NOISES, flat, forms, looks, options, tile_counts


@pytest.fixture
def native(native_device):
    return native_device


def counts(ids: np.ndarray, slots: int) -> list[int]:
    return np.bincount(ids.ravel(), minlength=slots)[:slots].tolist()


# ---- coverage of whole tiles: equality, no tolerance ----


@pytest.mark.parametrize("noise", ["blue", "bayer"])
@pytest.mark.parametrize("size", [32, 64, 128])
def test_a_tile_covers_each_weight_exactly(native, noise, size):
    side = size if noise == "blue" else 8
    rng = np.random.default_rng(size)
    transition = dw.Transition("dithered", noise=noise, noise_size=size)
    for slots in (2, 3, 4, 8, 16):
        for _ in range(4):
            weights = [int(value) for value in rng.integers(0, 256, slots)]
            wanted = tile_counts(weights, side * side)
            for dtype, scale in ((np.uint8, 1), (np.float32, 0.25), (np.float16, 1)):
                picture = flat(np.array(weights) * scale, 2 * side, side, dtype)
                ids = dw.select_materials(picture, transition, device=native)
                assert counts(ids, slots) == [2 * count for count in wanted], (weights, dtype)


def test_a_tile_of_256_covers_each_weight_exactly(native):
    weights = [3, 250, 1, 17]
    ids = dw.select_materials(
        flat(weights, 256, 256, np.uint8), dw.Transition("dithered", noise_size=256), device=native
    )
    assert counts(ids, 4) == tile_counts(weights, 1 << 16)


def test_coverage_lies_within_half_a_cell_of_any_weight(native):
    """Of floats that no grid holds: the running sum is off by less than 2^-26 of it."""
    rng = np.random.default_rng(3)
    transition = dw.Transition("dithered", noise_size=64)
    for _ in range(200):
        weights = rng.dirichlet(np.ones(4)).astype(np.float32)
        ids = dw.select_materials(flat(weights, 64, 64), transition, device=native)
        share = np.cumsum(counts(ids, 4)) / 4096
        exact = np.cumsum(weights.astype(float)) / weights.astype(float).sum()
        assert np.abs(share - exact).max() <= 0.5 / 4096 + 2.0**-26


@pytest.mark.parametrize("strength", [0.0, 0.25, 0.5, 1.0])
def test_strength_gives_the_rest_to_the_heaviest(native, strength):
    weights = [10, 30, 20, 4]
    shares = [strength * weight for weight in weights]
    shares[1] += (1 - strength) * sum(weights)
    transition = dw.Transition("dithered", strength=strength, noise_size=64)
    ids = dw.select_materials(flat(weights, 64, 64, np.uint8), transition, device=native)
    assert np.abs(np.subtract(counts(ids, 4), tile_counts(shares, 4096))).max() <= 1


def binomial_tails(count: int, trials: int, share: float) -> float:
    """The smaller of P(X <= count) and P(X >= count), exactly."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    at = np.arange(trials + 1)
    chances = np.exp(
        logs[trials] - logs - logs[::-1] + at * np.log(share) + (trials - at) * np.log1p(-share)
    )
    return min(chances[: count + 1].sum(), chances[count:].sum())


def test_hash_noise_covers_weights_as_chance_does(native):
    """Exact binomial tails at 1e-6 for each material; a share that is 10 % off must fail."""
    weights = [40, 30, 20, 10]
    made = dw.Transition("dithered", noise="hash")
    ids = dw.select_materials(flat(weights, 256, 256, np.uint8), made, device=native)
    for count, weight in zip(counts(ids, 4), weights, strict=True):
        assert binomial_tails(count, 1 << 16, weight / 100) > 1e-6
        assert binomial_tails(count, 1 << 16, weight / 100 * 1.1) < 1e-6


# ---- pan and zoom ----


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("mode", ["dithered", "priority", "priority_additive"])
def test_panning_by_cells_moves_the_picture(native, mode, noise):
    transition = dw.Transition(mode, noise=noise, noise_size=32, cell=0.5)
    weights = flat([3, 2, 2], 48, 48, np.uint8)
    first = dw.select_materials(weights, transition, origin=(0, 0), scale=2, device=native)
    for x, y in ((1, 0), (0.5, 2.5), (-7, 3)):
        moved = dw.select_materials(weights, transition, origin=(x, y), scale=2, device=native)
        dx, dy = int(2 * x), int(2 * y)
        here = first[max(dy, 0) : 96 + min(dy, 0), max(dx, 0) : 96 + min(dx, 0)]
        there = moved[max(-dy, 0) : 96 - max(dy, 0), max(-dx, 0) : 96 - max(dx, 0)]
        assert (here == there).all(), (x, y)


def test_noise_of_the_screen_would_not_be_stable(native):
    """The control: moving the map under noise that stays mismatches 2 p (1 - p) of the cells."""
    transition = dw.Transition("dithered", noise="hash")
    weights = flat([3, 7], 256, 256, np.uint8)
    first = dw.select_materials(weights, transition, device=native)
    moved = dw.select_materials(weights, transition, origin=(1, 0), device=native)
    assert abs((first != moved).mean() - 0.42) < 0.02


@pytest.mark.parametrize("scale", [2, 3, 5.5])
def test_zooming_keeps_each_cell_s_choice(native, scale):
    transition = dw.Transition("dithered", noise_size=64)
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 256, (20, 30, 4), np.uint8)
    once = dw.select_materials(weights, transition, origin=(-5, 1000), device=native)
    large = dw.select_materials(
        weights, transition, origin=(-5, 1000), scale=scale, device=native
    )
    assert large.shape == (round(20 * scale), round(30 * scale))
    rows = ((np.arange(large.shape[0]) + 0.5) / scale).astype(int)
    columns = ((np.arange(large.shape[1]) + 0.5) / scale).astype(int)
    assert (large == once[rows][:, columns]).all()


def test_cells_a_million_away_are_those_of_exact_arithmetic(native):
    """float32 cells would merge; the tile at 10^6 equals that at its remainder."""
    transition = dw.Transition("dithered", noise_size=64, cell=1 / 32)
    weights = flat([1, 1], 4, 4, np.uint8)
    for far in (1_000_000, -1_000_000):
        there = dw.select_materials(
            weights, transition, origin=(far, far), scale=32, device=native
        )
        near = far * 32 % 64 / 32
        here = dw.select_materials(
            weights, transition, origin=(near, near), scale=32, device=native
        )
        assert (there == here).all()
        assert 0.4 < there.mean() < 0.6


def test_cells_beyond_32_bits_are_refused(native):
    with pytest.raises(ValueError, match="beyond the 2.31 noise cells"):
        dw.select_materials(
            flat([1, 1], 2, 2), dw.Transition(cell=1 / 32), origin=(1e9, 0), device=native
        )


# ---- material_at ----


@pytest.mark.parametrize("mode", MODES)
def test_points_are_those_of_the_picture(native, mode):
    rng = np.random.default_rng(5)
    for name, weights, slots in forms(6, 13, 21):
        for which in range(3):
            transition = dw.Transition(mode, **options(slots, which, rng, mode))
            given = looks(slots, which, rng)
            if mode == "height":
                given["heights"] = rng.uniform(-1.2, 1.2, (13, 21, slots)).astype(np.float32)
            ids = dw.select_materials(weights, transition, device=native, **given)
            scale = given.pop("scale", 1.0)
            x0, y0 = given.get("origin", (0.0, 0.0))
            x = x0 + (np.arange(ids.shape[1]) + 0.5) / scale
            y = y0 + (np.arange(ids.shape[0]) + 0.5) / scale
            points = dw.material_at(weights, transition, x[None], y[:, None], **given)
            assert (points == ids).all(), (name, which)


def test_a_point_is_an_int_and_the_edge_goes_on():
    weights = np.zeros((2, 3, 2), np.uint8)
    weights[..., 0] = 9
    weights[1, 2] = (0, 9)
    transition = dw.Transition("smooth")
    assert dw.material_at(weights, transition, 2.5, 1.5) == 1
    assert type(dw.material_at(weights, transition, 0, 0)) is int
    assert dw.material_at(weights, transition, 1e6, 1e6) == 1
    assert dw.material_at(weights, transition, -5, 50) == 0
    assert dw.material_at(weights, transition, [0.5, 2.5], 1.5).tolist() == [0, 1]
    with pytest.raises(ValueError, match="x and y must fit together"):
        dw.material_at(weights, transition, [1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="x nan lies beyond"):
        dw.material_at(weights, transition, math.nan, 0)
    with pytest.raises(TypeError, match="x must be a number"):
        dw.material_at(weights, transition, "a", 0)


# ---- quantising ----


@pytest.mark.parametrize("steps", [1, 3, 7, 15, 255])
@pytest.mark.parametrize("slots", [2, 3, 8, 16])
def test_quantising_sums_to_its_steps_and_empties_no_cell(native, steps, slots):
    """Each material gets whole steps, off by less than one, and equal weights stay visible."""
    rng = np.random.default_rng(slots * steps)
    transition = dw.Transition("dithered", quantize=steps, noise_size=32)
    sets = [np.ones(slots)] + [rng.dirichlet(np.ones(slots)) for _ in range(12)]
    for weights in sets:
        share = weights.astype(np.float32).astype(float)
        share /= share.sum()
        ids = dw.select_materials(flat(weights, 32, 32), transition, device=native)
        assert (ids < slots).all()
        ends = np.floor(steps * np.cumsum(share) + 0.5).astype(int)
        levels = np.diff(ends, prepend=0)
        assert np.abs(levels / steps - share).max() < 1 / steps + 1e-6
        assert counts(ids, slots) == tile_counts(levels.tolist(), 1024), weights


def test_rounding_each_weight_by_itself_would_empty_cells():
    """The seed's trap, for which the test above has teeth."""
    assert np.round(np.full(8, 1 / 8) * 3).sum() == 0


# ---- small weights, sums of 0, ties ----


def test_small_weights_are_dropped_after_the_sum_is_known(native):
    transition = dw.Transition("dithered", min_weight=0.1, noise_size=32)
    ids = dw.select_materials(flat([60, 9, 10, 21], 32, 32, np.uint8), transition, device=native)
    assert counts(ids, 4) == tile_counts([60, 0, 10, 21], 1024)


def test_the_largest_stays_where_all_are_small(native):
    transition = dw.Transition("dithered", min_weight=0.5)
    ids = dw.select_materials(flat([2, 3, 3, 2], 8, 8, np.uint8), transition, device=native)
    assert (ids == 1).all()


@pytest.mark.parametrize("mode", MODES)
def test_weights_that_sum_to_nothing_are_empty(native, mode):
    transition = dw.Transition(mode, empty_id=9)
    more = {"heights": [0.0, 1.0]} if mode == "height" else {}
    for values in ([0, 0], [np.nan, -1], [-np.inf, np.inf], [4e-7, 5e-7], [1e-40, 0]):
        ids = dw.select_materials(flat(values, 3, 5), transition, device=native, **more)
        assert (ids == 9).all(), values
    assert (
        dw.select_materials(flat([0, 0], 3, 5, np.uint8), transition, device=native, **more) == 9
    ).all()
    for values, wanted in (([1.1e-6, 0], 0), ([np.nan, 1e-3], 1), ([-5, 3e38], 1)):
        ids = dw.select_materials(flat(values, 3, 5), transition, device=native, **more)
        assert (ids == wanted).all(), values


def test_strict_names_the_first_bad_weight(native):
    weights = np.ones((4, 6, 3), np.float32)
    weights[3, 1, 0] = np.inf
    weights[2, 5, 1] = np.nan
    made = dw.Transition()
    with pytest.raises(ValueError, match="row 2, column 5, slot 1 is negative or not finite"):
        dw.select_materials(weights, made, strict=True, device=native)
    with pytest.raises(ValueError, match="row 2, column 5, slot 1"):
        dw.material_at(weights, made, 0, 0, strict=True)
    weights[2, 5, 1] = -1e-3
    with pytest.raises(ValueError, match="row 2, column 5, slot 1"):
        dw.select_materials(weights.astype(np.float16), made, strict=True, device=native)
    weights[weights != 1] = 0
    dw.select_materials(weights, made, strict=True, device=native)


def test_ties_go_to_priority_and_then_to_the_lower_material(native):
    weights = flat([5, 5, 5], 4, 4, np.uint8)
    for mode in ("smooth", "dominant_accent"):
        tied = dw.Transition(mode, accent=(0.98, 1.0) if mode == "smooth" else (0.1, 0.6))
        ids = dw.select_materials(weights, tied, device=native)
        if mode == "smooth":
            assert (ids == 0).all()
    first = dw.Transition("smooth", priorities=(0, 0, 0.1))
    assert (dw.select_materials(weights, first, device=native) == 2).all()
    keyed = dw.select_materials(
        weights, dw.Transition("smooth"), materials=[30, 20, 10], device=native
    )
    assert (keyed == 10).all()
    hard = dw.Transition("priority", strength=0)
    assert (dw.select_materials(weights, hard, device=native) == 0).all()


# ---- the seed's traps ----


def test_one_noise_shared_by_all_would_not_dither(native):
    """Shared, it cancels in the argmax; here each material has its own."""
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    noise = (dw.blue_noise(64) + 0.5) / 4096
    shared = np.argmax(weights + noise[..., None] * 1.0, axis=2)
    assert (shared == 0).all()
    transition = dw.Transition("priority_additive", noise_size=64)
    got = counts(dw.select_materials(flat(weights, 64, 64), transition, device=native), 4)
    assert min(got) > 100


def test_no_cell_leaks_at_weights_0_and_1(native):
    """8-bit noise with n <= w selects 16 cells of 4096 at weight 0, with n < w loses 16 at 1."""
    coarse = dw.blue_noise(64) // 16 / 255
    assert (coarse <= 0.0).sum() == 16 and (coarse < 1.0).sum() == 4096 - 16
    for noise, mode in itertools.product(NOISES, ("dithered", "priority", "priority_additive")):
        transition = dw.Transition(mode, noise=noise, noise_size=64)
        ids = dw.select_materials(flat([0, 255], 64, 64, np.uint8), transition, device=native)
        assert (ids == 1).all()


def test_absent_materials_never_win(native):
    transition = dw.Transition("priority_additive", priorities=(0.5, -0.5))
    ids = dw.select_materials(flat([0, 1], 64, 64, np.uint8), transition, device=native)
    assert (ids == 1).all()


# ---- modes against their formulas ----


@pytest.mark.parametrize(("size", "bound"), [(64, 0.019), (128, 0.009)])
def test_additive_priority_follows_the_closed_form(native, size, bound):
    """P = 1/2 + x - x |x| / 2 of x = (w_A - w_B + p_A - p_B) / s.

    A tile's bias is fixed: that of two offsets of one tile, over all x, is at most 0.0145 for 64
    and 0.0073 for 128 (seeds 0 to 3), as for as many independent samples.
    """
    rng = np.random.default_rng(8)
    for _ in range(60):
        w, s = rng.uniform(0.05, 0.95), rng.uniform(0.1, 1)
        p = rng.uniform(-0.3, 0.3, 2)
        x = np.clip((2 * w - 1 + p[0] - p[1]) / s, -1, 1)
        transition = dw.Transition(
            "priority_additive", strength=s, priorities=tuple(p), noise_size=size
        )
        ids = dw.select_materials(flat([w, 1 - w], size, size), transition, device=native)
        assert abs((ids == 0).mean() - (0.5 + x - x * abs(x) / 2)) < bound


@pytest.mark.parametrize("noise", NOISES)
def test_additive_priority_is_the_argmax_of_the_seed_s_scores(native, noise):
    """Equal to float64 wherever the two best scores are 1e-6 apart."""
    rng = np.random.default_rng(14)
    weights = rng.dirichlet(np.ones(5), (64, 64)).astype(np.float32)
    p, s = rng.uniform(-0.3, 0.3, 5), 0.52
    keys = [4, 0, 9, 2, 77]
    made = dw.Transition(
        "priority_additive", strength=s, priorities=tuple(p), noise=noise, noise_size=32, seed=5
    )
    ids = dw.select_materials(weights, made, materials=keys, device=native)
    scores = weights.astype(float) / weights.astype(float).sum(axis=2, keepdims=True) + p
    for slot, key in enumerate(keys):
        if noise == "hash":
            own = _core_hash(_core_hash(key + 1) + 5)
            ranks = dw.dither_ranks("hash", size=64, seed=own)
        else:
            tile = dw.blue_noise(32, seed=5) if noise == "blue" else dw.dither_ranks("bayer8")
            side = tile.shape[0]
            x, y = (int(side * ((key + 1) * step % 1)) for step in (0.75488, 0.56984))
            ranks = np.tile(np.roll(tile, (-y, -x), (0, 1)), (64 // side, 64 // side))
        levels = 1 << 14 if noise == "hash" else side * side
        scores[..., slot] += s * ((ranks + 0.5) / levels - 0.5)
    best = np.sort(scores, axis=2)
    is_clear = best[..., -1] - best[..., -2] > 1e-6
    assert is_clear.mean() > 0.999
    assert (ids == np.array(keys)[scores.argmax(axis=2)])[is_clear].all()


def _core_hash(x: int) -> int:
    """PCG-RXS-M-XS-32."""
    state = (x * 747796405 + 2891336453) & 0xFFFFFFFF
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737 & 0xFFFFFFFF
    return word >> 22 ^ word


def test_priority_follows_its_formula_to_half_a_cell(native):
    rng = np.random.default_rng(9)
    for slots in (2, 4, 8, 16):
        for _ in range(20):
            weights = rng.dirichlet(np.ones(slots)).astype(np.float32)
            p, s = np.round(rng.uniform(-0.4, 0.4, slots), 3), rng.uniform(0.1, 1)
            made = dw.Transition("priority", strength=s, priorities=tuple(p), noise_size=64)
            ids = dw.select_materials(flat(weights, 64, 64), made, device=native)
            logs = 2 / s * (np.log(weights.astype(float)) + 2 * p)
            shares = np.exp(logs - logs.max())
            shares /= shares.sum()
            order = np.lexsort((np.arange(slots), -p))
            part = np.cumsum(np.array(counts(ids, slots))[order]) / 4096
            assert np.abs(part - np.cumsum(shares[order])).max() < 0.5 / 4096 + 2e-5


def test_hard_priority_is_the_largest_of_weight_and_priority(native):
    made = dw.Transition("priority", strength=0, priorities=(0, 0.1, 0))
    for weights, wanted in (([60, 50, 1], 1), ([70, 50, 1], 0), ([1, 0, 2], 2)):
        ids = dw.select_materials(flat(weights, 2, 2, np.uint8), made, device=native)
        assert (ids == wanted).all(), weights


def test_accents_follow_the_seed_s_examples(native):
    made = dw.Transition("dominant_accent", noise_size=64)
    for dominant, wanted in ((95, 0.0), (80, 0.043), (65, 0.335), (52, 0.48), (50, 0.5)):
        weights = [dominant, 100 - dominant]
        ids = dw.select_materials(flat(weights, 64, 64, np.uint8), made, device=native)
        ratio = weights[1] / weights[0]
        t = np.clip((ratio - 0.1) / 0.5, 0, 1)
        exact = weights[1] / 100 * t * t * (3 - 2 * t)
        assert abs((ids == 1).mean() - exact) < 0.5 / 4096 + 1e-6
        assert abs(exact - wanted) < 1e-3


def test_accents_leave_only_so_many(native):
    weights = [8, 7, 6, 5, 4]
    for accents in (1, 2, 3):
        made = dw.Transition("dominant_accent", accents=accents, noise_size=64)
        ids = dw.select_materials(flat(weights, 64, 64, np.uint8), made, device=native)
        assert set(np.unique(ids)) == set(range(accents + 1))


def test_heights_stick_out_of_their_window(native):
    """(max - depth) cuts what lies deeper; what is left shares by how far it sticks out."""
    made = dw.Transition("height", depth=0.2, noise_size=64)
    weights, heights = np.array([0.5, 0.3, 0.2]), np.array([0.0, 0.3, -1.0])
    ids = dw.select_materials(flat(weights, 64, 64), made, heights=heights, device=native)
    left = np.maximum(weights + heights - (0.6 - 0.2), 0)
    assert np.abs(np.array(counts(ids, 3)) / 4096 - left / left.sum()).max() < 0.5 / 4096 + 1e-6
    hard = dw.Transition("height", depth=0.2, strength=0)
    ids = dw.select_materials(flat(weights, 4, 4), hard, heights=heights, device=native)
    assert (ids == 1).all()
    with pytest.raises(ValueError, match='mode "height" needs heights'):
        dw.select_materials(flat(weights, 4, 4), made, device=native)
    with pytest.raises(ValueError, match="heights are for mode"):
        dw.select_materials(flat(weights, 4, 4), dw.Transition(), heights=heights, device=native)
    with pytest.raises(ValueError, match=r"heights must have shape \(3,\) or \(4, 4, 3\)"):
        dw.select_materials(flat(weights, 4, 4), made, heights=[1, 2], device=native)
