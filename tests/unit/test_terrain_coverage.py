# SPDX-License-Identifier: MIT
"""The expectation of every mode against its formula in float64, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from helpers_terrain import MODES, additive_chances, additive_of_two, order_of, sanitised, shares

import dapplewood as dw

HARD = (0.0, 0.2, 0.6, 1.0)


def expect(weights, transition: dw.Transition, heights, **given) -> np.ndarray:
    """Coverage by any mode, with heights for the one that has them."""
    extra = {"heights": heights} if transition.mode.name == "HEIGHT" else {}
    return dw.expected_coverage(weights, transition, **extra, **given)


def random_case(count: int, seed: int, **given):
    """Weights with zeros and bad numbers among them, and a transition with priorities."""
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.full(count, 0.6), (6, 9)).astype(np.float32)
    weights[rng.random(weights.shape) < 0.2] = 0
    weights[0, 0], weights[0, 1], weights[0, 2, 0] = 0, np.nan, -1
    weights[0, 3, 1], weights[0, 4, 0] = np.inf, np.nan
    priorities = tuple(np.round(rng.uniform(-0.2, 0.2, count), 3))
    return weights, dw.Transition(**{"priorities": priorities, **given})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [2, 3, 4, 8, 16])
@pytest.mark.parametrize("strength", HARD)
def test_chances_are_those_of_the_formula(mode, count, strength):
    weights, transition = random_case(count, count, mode=mode, strength=strength)
    heights = np.random.default_rng(1).uniform(-0.3, 0.3, weights.shape).astype(np.float32)
    found = expect(weights, transition, heights)
    assert found.dtype == np.float32 and found.shape == weights.shape
    sums = found.sum(-1)
    empty = ~np.isfinite(weights) | (weights < 0)
    empty = np.where(empty, 0, weights).sum(-1) <= 1e-6
    assert empty[0, 0] and empty[0, 1]
    assert np.abs(sums - ~empty).max() < 1e-6 and (found >= 0).all()
    if mode != "priority_additive":
        assert np.abs(found - shares(weights, transition, heights)).max() < 2e-6 * max(
            1, 0.2 / max(strength, 0.05)
        )
    elif strength == 0:
        best = sanitised(weights, transition)
        best = np.where(best > 0, best + np.asarray(transition.priorities), -1).argmax(-1)
        assert (found.argmax(-1) == best)[~empty].all() and (found.max(-1) == 1)[~empty].all()
    else:
        for at in [(0, 3), (2, 5), (4, 1), (5, 8)]:
            assert np.abs(found[at] - additive_chances(weights[at], transition)).max() < 1e-6


@pytest.mark.parametrize("strength", [0.125, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("lead", [-0.2, 0.0, 0.05, 0.4])
def test_two_additive_materials_have_a_closed_form(strength, lead):
    first = np.linspace(0.01, 0.99, 99, dtype=np.float32)
    weights = np.stack([first, 1 - first], -1)[None]
    transition = dw.Transition("priority_additive", strength=strength, priorities=(lead, 0.0))
    found = dw.expected_coverage(weights, transition)[0, :, 0]
    share = weights[0].astype(np.float64)
    share /= share.sum(-1, keepdims=True)
    wanted = [additive_of_two(a + lead, b, strength) for a, b in share]
    assert np.abs(found - wanted).max() < 5e-7


def test_three_equal_additive_materials_share_alike():
    weights = np.ones((1, 1, 16), np.float32)
    for strength in (1e-4, 0.03, 1.0):
        found = dw.expected_coverage(weights, dw.Transition("priority_additive", strength=strength))
        assert np.abs(found - 1 / 16).max() < 1e-6


def test_coverage_is_not_the_weight_but_in_one_mode():
    """The largest distances that the formulas have on two materials."""
    first = np.linspace(0, 1, 1001, dtype=np.float32)
    weights = np.stack([first, 1 - first], -1)[None]

    def bias(*arguments, **given):
        found = dw.expected_coverage(weights, dw.Transition(*arguments, **given))
        return np.abs(found - weights).max()

    assert bias("dithered") < 1e-6 and bias("smooth") < 1e-6
    for strength, most in [(1, 0.125), (0.5, 0.281), (0.25, 0.383), (0.125, 0.439)]:
        assert bias("priority_additive", strength=strength) == pytest.approx(most, abs=1e-3)
    additive = dw.expected_coverage(weights, dw.Transition("priority_additive"))
    calibrated = dw.expected_coverage(weights, dw.Transition("priority"))
    assert np.abs(additive - calibrated).max() == pytest.approx(0.025, abs=1e-3)


@pytest.mark.parametrize("mode", ["priority", "priority_additive"])
def test_priority_moves_the_border(mode):
    """Half and half lies where the weight is (1 - lead) / 2, or close to it."""
    first = np.linspace(0, 1, 2001, dtype=np.float32)
    weights = np.stack([first, 1 - first], -1)[None]
    found = dw.expected_coverage(weights, dw.Transition(mode, priorities=(0.2, 0.0)))[0, :, 0]
    crossing = first[np.argmin(np.abs(found - 0.5))]
    assert crossing == pytest.approx(0.4, abs=0.002)


@pytest.mark.parametrize(
    ("weights", "share"),
    [((95, 5), 0.0), ((80, 20), 0.043), ((65, 35), 0.335), ((52, 48), 0.480), ((50, 50), 0.5)],
)
def test_accents_are_sparse(weights, share):
    given = np.array([[weights]], np.uint8)
    found = dw.expected_coverage(given, dw.Transition("dominant_accent"))
    assert found[0, 0, 1] == pytest.approx(share, abs=5e-4)


@pytest.mark.parametrize("mode", MODES)
def test_what_changes_nothing(mode):
    weights, transition = random_case(5, 7, mode=mode, strength=0.7)
    heights = np.linspace(-0.2, 0.2, 5, dtype=np.float32)
    wanted = expect(weights, transition, heights)
    assert not np.isnan(wanted).any()
    scaled = expect(weights * np.float32(64), transition, heights)
    assert (scaled == wanted)[np.nan_to_num(weights).sum(-1) > 1e-4].all()
    more = np.concatenate([weights, np.zeros((*weights.shape[:2], 1), np.float32)], -1)
    wider = dw.Transition(mode, strength=0.7, priorities=(*transition.priorities, 0.3))
    with_zero = expect(more, wider, np.append(heights, np.float32(0.9)))
    assert np.abs(with_zero[..., :5] - wanted).max() < 1e-6 and not with_zero[..., 5].any()
    turn = [3, 0, 4, 1, 2]
    turned = dw.Transition(mode, strength=0.7, priorities=[transition.priorities[i] for i in turn])
    moved = expect(weights[..., turn], turned, heights[turn], materials=turn)
    assert (moved == wanted[..., turn]).all()
    strided = expect(weights[::-1, ::2], transition, heights)
    assert (strided == wanted[::-1, ::2]).all()


def test_a_shift_of_all_priorities_changes_nothing():
    weights = np.random.default_rng(3).dirichlet(np.ones(4), (5, 5)).astype(np.float32)
    for mode in ("priority", "priority_additive"):
        plain = dw.expected_coverage(weights, dw.Transition(mode, priorities=(0.1, 0, -0.1, 0)))
        moved = dw.Transition(mode, priorities=(0.3, 0.2, 0.1, 0.2))
        assert np.abs(dw.expected_coverage(weights, moved) - plain).max() < 2e-6


def test_every_form_of_weights_says_the_same():
    codes = np.random.default_rng(5).multinomial(15, [0.25, 0.25, 0.2, 0.1, 0.1, 0.1], (7, 9))
    given = codes.astype(np.uint8)
    transition = dw.Transition("priority", priorities=(0, 0.1, 0, 0.05, 0, 0))
    wanted = dw.expected_coverage(given, transition)
    for dtype in (np.float16, np.float32, np.float64):
        assert (dw.expected_coverage(given.astype(dtype), transition) == wanted).all()
    assert (dw.expected_coverage(dw.pack_weights(given), transition) == wanted).all()
    images = np.zeros((7, 9, 2, 4), np.uint8)
    images.reshape(7, 9, 8)[..., :6] = given
    wide = dw.Transition("priority", priorities=(0, 0.1, 0, 0.05, 0, 0, 0, 0))
    assert (dw.expected_coverage(images, wide)[..., :6] == wanted).all()
    two = np.zeros((7, 9, 32), np.float32)
    two[..., 3], two[..., 29] = 0.25, 0.75
    made = dw.weights_to_index_map(two)
    found = dw.expected_coverage(made, dw.Transition("dithered"))
    assert found.shape == (7, 9, 32)
    assert np.abs(found[..., 29] - 0.75).max() < 0.5 / 255 + 1e-6 and not found[..., 5].any()


def test_holes_are_read_by_their_bits():
    """As selection reads them; a mask of the holes is the caller's."""
    word = np.array([[9 << 27 | 3 << 22 | 51 << 14, 9 << 27 | 3 << 22 | 51 << 14 | 4]], np.uint32)
    found = dw.expected_coverage(dw.IndexMap(word), dw.Transition("dithered"))
    assert (found[0, 0] == found[0, 1]).all() and found[0, 1, 3] == np.float32(0.2)
    assert not dw.index_map_to_weights(word)[0, 1].any()


def test_tidying_comes_before_the_mode():
    weights = np.array([[[0.56, 0.25, 0.14, 0.05], [0.25, 0.25, 0.25, 0.25]]], np.float32)
    dropped = dw.expected_coverage(weights, dw.Transition("dithered", min_weight=0.1))[0, 0]
    assert np.abs(dropped - np.array([0.56, 0.25, 0.14, 0]) / 0.95).max() < 1e-6
    alone = dw.expected_coverage(weights, dw.Transition("dithered", min_weight=0.5))
    assert alone.tolist() == [[[1, 0, 0, 0], [1, 0, 0, 0]]]
    seven = dw.expected_coverage(weights, dw.Transition("dithered", quantize=7)) * 7
    assert np.abs(seven - np.round(seven)).max() < 1e-5
    assert np.abs(seven.sum(-1) - 7).max() < 1e-5


@pytest.mark.parametrize(("count", "steps"), [(8, 3), (16, 3), (16, 7), (16, 15), (4, 255)])
def test_quantising_never_empties_a_texel(count, steps):
    """Equal weights, of which rounding each by itself leaves nothing, and random ones."""
    rng = np.random.default_rng(count + steps)
    weights = rng.dirichlet(np.ones(count), (50, 60)).astype(np.float32)
    weights[0] = 1 / count
    transition = dw.Transition("dithered", quantize=steps)
    codes = dw.expected_coverage(weights, transition).astype(np.float64) * steps
    assert np.abs(codes - np.round(codes)).max() < 1e-4
    assert (np.round(codes).sum(-1) == steps).all()
    assert np.abs(codes - weights / weights.sum(-1, keepdims=True) * steps).max() < 1 + 1e-4
    if (count, steps) in ((8, 3), (16, 3), (16, 7)):
        assert not np.round(weights[0, 0] * steps).any()


def test_the_model_orders_as_documented():
    assert order_of(dw.Transition(priorities=(0.0, 0.2, 0.2, -0.1)), 4) == [1, 2, 0, 3]


W = np.full((2, 2, 3), 0.5, np.float32)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: dw.expected_coverage(W, "priority"), TypeError, "must be a Transition"),
        (lambda: dw.expected_coverage(W[0], dw.Transition()), ValueError, r"shape \(H, W, N\)"),
        (lambda: dw.expected_coverage(W, dw.Transition("height")), ValueError, "got none for"),
        (
            lambda: dw.expected_coverage(W, dw.Transition(), heights=[0, 0, 0]),
            ValueError,
            'got some for "priority"',
        ),
        (
            lambda: dw.expected_coverage(W, dw.Transition("height"), heights=[0.0, 0.1]),
            ValueError,
            "heights must have the shape of weights",
        ),
        (
            lambda: dw.expected_coverage(W, dw.Transition(priorities=(0, 0))),
            ValueError,
            "priorities must be one for each of 3 slots",
        ),
        (
            lambda: dw.expected_coverage(W, dw.Transition(), materials=[1, 1, 2]),
            ValueError,
            "materials must differ",
        ),
    ],
)
def test_bad_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()
