# SPDX-License-Identifier: MIT
"""Every form of weights says the same, and what must not matter does not."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_terrain_forms import MODES, flat, looks, options, spoiled


@pytest.fixture
def native(native_device):
    return native_device


def transition_of(mode: str, slots: int, which: int, seed: int) -> dw.Transition:
    return dw.Transition(mode, **options(slots, which, np.random.default_rng(seed), mode))


def more_of(mode: str, slots: int) -> dict:
    return {"heights": np.linspace(-0.3, 0.4, slots)} if mode == "height" else {}


# ---- forms ----


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize("mode", MODES)
def test_whole_numbers_are_chosen_as_the_floats_that_hold_them(native, mode, which):
    rng = np.random.default_rng(which)
    whole = rng.integers(0, 256, (23, 31, 8), np.uint8)
    whole[rng.random(whole.shape) < 0.4] = 0
    made = transition_of(mode, 8, which, 1)
    given = {**looks(8, which, rng), **more_of(mode, 8)}
    ids = dw.select_materials(whole, made, device=native, **given)
    for other in (
        whole.astype(np.float32),
        whole.astype(np.float32) * 2.0**-8,
        whole.astype(np.float16),
        whole.reshape(23, 31, 2, 4),
    ):
        assert (dw.select_materials(other, made, device=native, **given) == ids).all()


@pytest.mark.parametrize("mode", MODES)
def test_nibbles_are_decoded_before_anything_else(native, mode):
    rng = np.random.default_rng(2)
    for shape in ((9, 14, 4), (9, 14, 2, 4)):
        packed = rng.integers(0, 256, shape, np.uint8)
        flat_bytes = packed.reshape(9, 14, -1)
        slots = 2 * flat_bytes.shape[2]
        codes = np.empty((9, 14, slots), np.uint8)
        codes[..., 0::2], codes[..., 1::2] = flat_bytes & 15, flat_bytes >> 4
        for which in range(3):
            made = transition_of(mode, slots, which, 3)
            given = {**looks(slots, which, rng), **more_of(mode, slots)}
            ids = dw.select_materials(dw.PackedWeights(packed), made, device=native, **given)
            assert (dw.select_materials(codes, made, device=native, **given) == ids).all()


@pytest.mark.parametrize("mode", MODES)
def test_index_maps_are_the_weights_of_two_materials(native, mode):
    """32 of them, in 16 slots: the map uses the first 16 ids."""
    rng = np.random.default_rng(4)
    base, overlay = rng.integers(0, 16, (2, 17, 19), np.uint32)
    blend = rng.integers(0, 256, (17, 19), np.uint32)
    word = base << 27 | overlay << 22 | blend << 14 | rng.integers(0, 1 << 14, (17, 19), np.uint32)
    planes = np.zeros((17, 19, 16), np.uint8)
    rows, columns = np.indices((17, 19))
    np.add.at(planes, (rows, columns, base), (255 - blend).astype(np.uint8))
    np.add.at(planes, (rows, columns, overlay), blend.astype(np.uint8))
    for which in range(3):
        by_id = {key: float(np.sin(key) / 3) for key in range(16)}
        settings = {**options(16, which, rng, mode), "priorities": by_id if which else None}
        made = dw.Transition(mode, **settings)
        given = {**looks(16, which, rng), "materials": None}
        heights = np.linspace(-0.3, 0.4, 32)
        few = {"heights": heights[:16]} if mode == "height" else {}
        all_of = {"heights": heights} if mode == "height" else {}
        ids = dw.select_materials(dw.IndexMap(word), made, device=native, **given, **all_of)
        wanted = dw.select_materials(planes, made, device=native, **given, **few)
        assert (ids == wanted).all()


def test_linear_filtering_is_that_of_exact_weights(native):
    """Of one material over another: thresholds against bilinear weights in float64."""
    rng = np.random.default_rng(5)
    first = rng.integers(0, 256, (5, 7), np.uint8)
    weights = np.stack([first, 255 - first], axis=2)
    made = dw.Transition("dithered", noise_size=64, cell=0.125)
    ids = dw.select_materials(weights, made, scale=8, filter="linear", device=native)
    at = (np.arange(56) + 0.5) / 8 - 0.5
    x, y = np.clip(at, 0, 6), np.clip(at[:40], 0, 4)
    x0, y0 = x.astype(int), y.astype(int)
    x1, y1 = np.minimum(x0 + 1, 6), np.minimum(y0 + 1, 4)
    fx, fy = (x - x0)[None], (y - y0)[:, None]
    plane = first.astype(float)
    top = plane[y0][:, x0] * (1 - fx) + plane[y0][:, x1] * fx
    low = plane[y1][:, x0] * (1 - fx) + plane[y1][:, x1] * fx
    share = (top * (1 - fy) + low * fy) / 255
    noise = (dw.blue_noise(64)[:40, :56] + 0.5) / 4096
    assert ((ids == 0) == (noise < share)).all()


# ---- what must not matter ----


@pytest.mark.parametrize("mode", MODES)
def test_exchanging_slots_with_their_materials_changes_nothing(native, mode):
    rng = np.random.default_rng(6)
    weights = spoiled(rng, 40, 50, 6)
    keys = [3, 200, 17, 0, 90, 41]
    heights = np.linspace(-0.3, 0.4, 6)
    for which in range(3):
        named = {key: float(p) for key, p in zip(keys, rng.uniform(-0.2, 0.2, 6), strict=True)}
        made = dw.Transition(mode, **{**options(6, which, rng, mode), "priorities": named})
        given = {"heights": heights} if mode == "height" else {}
        ids = dw.select_materials(weights, made, materials=keys, device=native, **given)
        for _ in range(3):
            order = rng.permutation(6)
            moved = {"heights": heights[order]} if mode == "height" else {}
            other = dw.select_materials(
                weights[..., order],
                made,
                materials=[keys[i] for i in order],
                device=native,
                **moved,
            )
            assert (other == ids).all()


@pytest.mark.parametrize("mode", MODES)
def test_scaling_all_weights_changes_nothing(native, mode):
    rng = np.random.default_rng(7)
    weights = rng.integers(0, 1000, (40, 50, 5)).astype(np.float32)
    for which in range(3):
        made = transition_of(mode, 5, which, 8)
        given = more_of(mode, 5)
        ids = dw.select_materials(weights, made, device=native, **given)
        for factor in (2.0**-9, 2.0**90):  # what floats do exactly
            scaled = weights * np.float32(factor)
            assert (dw.select_materials(scaled, made, device=native, **given) == ids).all()
        tripled = dw.select_materials(weights * np.float32(3), made, device=native, **given)
        assert (tripled != ids).mean() <= 0.001  # logarithms round


@pytest.mark.parametrize("mode", MODES)
def test_a_material_without_weight_changes_nothing(native, mode):
    rng = np.random.default_rng(9)
    weights = spoiled(rng, 40, 50, 4)
    more = np.insert(weights, 2, 0, axis=2)
    for which in range(3):
        priorities = {1: 0.1, 5: -0.1, 9: 0.3}
        made = dw.Transition(mode, **{**options(4, which, rng, mode), "priorities": priorities})
        four, five = more_of(mode, 4), more_of(mode, 4)
        if mode == "height":
            five["heights"] = np.insert(four["heights"], 2, 0.9)
        ids = dw.select_materials(weights, made, materials=[1, 2, 5, 7], device=native, **four)
        other = dw.select_materials(more, made, materials=[1, 2, 9, 5, 7], device=native, **five)
        assert (other == ids).all()


@pytest.mark.parametrize("mode", ["priority", "priority_additive"])
def test_moving_all_priorities_changes_next_to_nothing(native, mode):
    """Next to: sums with another constant round otherwise in their last bit."""
    rng = np.random.default_rng(10)
    weights = spoiled(rng, 100, 100, 4)
    base = np.array([0.125, -0.25, 0.0, 0.0625])
    ids = dw.select_materials(weights, dw.Transition(mode, priorities=tuple(base)), device=native)
    for shift in (0.125, -0.25):
        made = dw.Transition(mode, priorities=tuple(base + shift))
        moved = dw.select_materials(weights, made, device=native)
        assert (moved != ids).mean() <= (0.0005 if mode == "priority" else 0.0)


# ---- arrays ----


def test_any_strides_and_read_only_arrays_come_in(native):
    rng = np.random.default_rng(11)
    plain = rng.integers(0, 256, (24, 20, 4), np.uint8)
    made = dw.Transition("dithered")
    ids = dw.select_materials(plain, made, device=native)
    wide = np.zeros((48, 41, 9), np.uint8)
    wide[::2, 1::2, 1::2] = plain
    reverse = plain[::-1, ::-1].copy()[::-1, ::-1]
    off = np.zeros(plain.size + 1, np.uint8)[1:].reshape(plain.shape)
    off[:] = plain
    frozen = plain.copy()
    frozen.flags.writeable = False
    for given in (
        wide[::2, 1::2, 1::2],
        reverse,
        np.asfortranarray(plain),
        off,
        frozen,
        plain.astype(">f4"),
        plain.astype(np.float64),
    ):
        before = given.copy()
        assert (dw.select_materials(given, made, device=native) == ids).all()
        assert (given == before).all()


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 129), (7, 1), (3, 127), (2, 257)])
def test_odd_sizes_are_parts_of_larger_ones(native, height, width):
    rng = np.random.default_rng(12)
    weights = rng.integers(0, 256, (8, 300, 4), np.uint8)
    for mode in ("dithered", "priority"):
        made = dw.Transition(mode)
        whole = dw.select_materials(weights, made, device=native)
        part = weights[8 - height :, 300 - width :]
        ids = dw.select_materials(
            part, made, origin=(300 - width, 8 - height), device=native
        )
        assert ids.shape == (height, width) and ids.flags.owndata and ids.flags.writeable
        assert (ids == whole[8 - height :, 300 - width :]).all()


def test_threads_do_not_matter():
    rng = np.random.default_rng(13)
    weights = spoiled(rng, 70, 130, 4)
    made = dw.Transition()
    with dw.Device("cpu", threads=1) as one, dw.Device("cpu", threads=5) as five:
        alone = dw.select_materials(weights, made, device=one)
        assert (dw.select_materials(weights, made, device=five) == alone).all()


@pytest.mark.parametrize(
    ("error", "text", "change"),
    [
        (TypeError, "transition must be a Transition, got str", {"transition": "dithered"}),
        (ValueError, "scale must be a positive number", {"scale": 0}),
        (ValueError, "scale must be a positive number", {"scale": np.nan}),
        (ValueError, "origin must be two numbers", {"origin": 3}),
        (ValueError, "origin must be finite", {"origin": (np.inf, 0)}),
        (ValueError, 'filter must be "nearest" or "linear"', {"filter": "cubic"}),
        (ValueError, "materials must be one for each of 4 slots", {"materials": [1, 2]}),
        (ValueError, "materials must differ", {"materials": [1, 2, 2, 3]}),
        (ValueError, "materials must lie in", {"materials": [1, 2, 256, 3]}),
        (TypeError, "materials must be a whole number", {"materials": [1, 2, 2.5, 3]}),
        (ValueError, "weights must have shape", {"weights": np.zeros((4, 4, 17), np.uint8)}),
        (ValueError, "weights must hold at least one", {"weights": np.zeros((0, 4, 4), "u1")}),
        (TypeError, "weights must be float32", {"weights": np.zeros((4, 4, 4), np.int32)}),
        (TypeError, "dw.IndexMap", {"weights": np.zeros((4, 4), np.uint32)}),
        (TypeError, "device must be", {"device": "cpu"}),
        (dw.CapacityError, "make them in parts, with origin", {"scale": 1e5}),
    ],
)
def test_what_is_wrong_is_named(native, error, text, change):
    given = {"weights": flat([1, 2, 3, 4], 4, 4), "transition": dw.Transition(), "device": native}
    given |= change
    with pytest.raises(error, match=text):
        dw.select_materials(given.pop("weights"), given.pop("transition"), **given)
