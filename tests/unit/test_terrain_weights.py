# SPDX-License-Identifier: MIT
"""Weights in few bits: sums are kept, errors are bounded, layouts are those of the formats."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dapplewood as dw


def dirichlet(count: int, shape: tuple[int, int] = (48, 64), seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(count), shape).astype(np.float32)


def codes_of(packed, bits: int, count: int) -> np.ndarray:
    if bits == 4:
        return dw.unpack_weights(packed, dtype=np.uint8)
    return packed.reshape(*packed.shape[:2], -1)[..., :count]


def by_remainder(shares: np.ndarray, total: int) -> list[int]:
    """One texel, in the words of the method (Hamilton's apportionment)."""
    exact = shares.astype(np.float64) / shares.sum(dtype=np.float64) * total
    codes = np.floor(exact).astype(int)
    order = sorted(range(len(exact)), key=lambda i: (-(exact[i] - codes[i]), i))
    for i in order[: total - codes.sum()]:
        codes[i] += 1
    return codes.tolist()


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("count", [2, 3, 4, 7, 8, 9, 16])
@pytest.mark.parametrize("dithered", [False, True])
def test_codes_sum_to_all_there_is_and_err_by_less_than_one(bits, count, dithered):
    weights, top = dirichlet(count), (1 << bits) - 1
    codes = codes_of(dw.pack_weights(weights, bits, dithered=dithered), bits, count).astype(int)
    assert codes.shape == weights.shape
    assert (codes.sum(-1) == top).all()
    exact = weights.astype(np.float64) / weights.sum(-1, keepdims=True, dtype=np.float64) * top
    assert np.abs(codes - exact).max() < 1
    if not dithered:
        texels = weights.reshape(-1, count)[:200]
        assert codes.reshape(-1, count)[:200].tolist() == [by_remainder(t, top) for t in texels]


def test_mean_errors_are_those_of_the_method():
    weights = dirichlet(8, (256, 256))
    error = np.abs(dw.unpack_weights(dw.pack_weights(weights)) - weights)
    assert 0.016 < error.mean() < 0.0185 and error.max() < 1 / 15
    rounded = np.round(weights * 15)
    rounded /= rounded.sum(-1, keepdims=True)
    assert np.abs(rounded - weights).max() > 1.5 * error.max()  # what the method is there for


@pytest.mark.parametrize("count", [8, 16])
def test_equal_weights_leave_no_texel_empty(count):
    weights = np.full((1, 1, count), 1 / count, np.float32)
    assert not np.round(np.full(16, 1 / 16) * 7).any()  # rounding each by itself does
    codes = dw.unpack_weights(dw.pack_weights(weights), dtype=np.uint8)[0, 0]
    assert codes.tolist() == ([2] * 7 + [1] if count == 8 else [1] * 15 + [0])


def test_layout_of_nibbles_and_images():
    weights = np.zeros((1, 16, 16), np.uint8)
    weights[0, np.arange(16), np.arange(16)] = 9
    packed = dw.pack_weights(weights)
    assert packed.array.shape == (1, 16, 2, 4) and packed.materials == 16
    for i in range(16):
        expected = np.zeros((2, 4), np.uint8)
        expected[i // 8, i % 8 // 2] = 0x0F if i % 2 == 0 else 0xF0
        assert (packed.array[0, i] == expected).all()
    assert dw.pack_weights(weights[..., :8]).array.shape == (1, 16, 4)
    wide = dw.pack_weights(weights[:, :, :6], 8)
    assert wide.shape == (1, 16, 2, 4) and wide.dtype == np.uint8
    assert wide[0, 5].tolist() == [[0, 0, 0, 0], [0, 255, 0, 0]]


def test_packing_is_the_inverse_of_unpacking():
    for codes in itertools.product(range(16), repeat=3):
        if sum(codes) == 15:
            given = np.array(codes, np.uint8)[None, None]
            assert (dw.unpack_weights(dw.pack_weights(given), dtype=np.uint8) == given).all()
    weights = dirichlet(8)
    once = dw.pack_weights(weights)
    again = dw.pack_weights(dw.unpack_weights(once))
    assert (again.array == once.array).all()
    assert (dw.pack_weights(once).array == once.array).all()


def test_what_is_no_weight_counts_as_none():
    given = np.array([[[np.nan, 1, np.inf, -3], [0, 0, 0, 0], [1e-7, 2e-7, 0, 0]]], np.float32)
    codes = dw.unpack_weights(dw.pack_weights(given), dtype=np.uint8)
    assert codes.tolist() == [[[0, 15, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]
    dithered = dw.unpack_weights(dw.pack_weights(given, dithered=True), dtype=np.uint8)
    assert (dithered == codes).all()
    huge = np.full((1, 1, 3), 3e38, np.float32)
    assert dw.unpack_weights(dw.pack_weights(huge), dtype=np.uint8).tolist() == [[[5, 5, 5]]]


def test_strides_dtypes_and_scale_change_nothing():
    weights = np.random.default_rng(4).integers(0, 256, (10, 12, 5), dtype=np.uint8)
    weights[0, 0] = [1, 0, 0, 0, 0]
    wanted = dw.pack_weights(weights).array
    for dtype in (np.float16, np.float32, np.float64, ">f4"):
        assert (dw.pack_weights(weights.astype(dtype)).array == wanted).all()
    assert (dw.pack_weights(weights.astype(np.float32) / 1024).array == wanted).all()
    assert (dw.pack_weights(np.asfortranarray(weights)).array == wanted).all()
    assert (dw.pack_weights(weights[::-1, ::-1]).array == wanted[::-1, ::-1]).all()
    frozen = weights.copy()
    frozen.flags.writeable = False
    assert (dw.pack_weights(frozen).array == wanted).all()
    images = weights[..., :4].reshape(10, 12, 1, 4)
    assert (dw.pack_weights(images).array == dw.pack_weights(weights[..., :4]).array).all()


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("seed", range(4))
def test_dithered_packing_is_unbiased_over_a_tile(bits, seed):
    """Each step of the running sum errs by half a rank at most, each code by two of them."""
    side, top = 32, (1 << bits) - 1
    shares = np.random.default_rng(seed).dirichlet(np.ones(6)).astype(np.float32)
    weights = np.broadcast_to(shares, (side, side, 6))
    packed = dw.pack_weights(weights, bits, dithered=True, noise_size=side, seed=seed)
    exact = shares.astype(np.float64) / shares.sum(dtype=np.float64) * top
    means = codes_of(packed, bits, 6).mean((0, 1))
    assert np.abs(means - exact).max() <= 1 / side**2 + 1e-9
    plain = codes_of(dw.pack_weights(weights, bits), bits, 6).mean((0, 1))
    assert np.abs(plain - exact).max() > 0.05  # the bias that it removes


def test_origin_moves_the_noise_with_the_part():
    weights = dirichlet(4, (40, 50))
    whole = dw.pack_weights(weights, dithered=True, noise_size=16).array
    part = dw.pack_weights(weights[13:, 7:], dithered=True, noise_size=16, origin=(7, 13)).array
    assert (part == whole[13:, 7:]).all()
    before = dw.pack_weights(weights, dithered=True, noise_size=16, origin=(-16, -32)).array
    assert (before == whole).all()
    assert (dw.pack_weights(weights, dithered=True, noise_size=16, seed=1).array != whole).any()


def test_index_maps_have_the_bits_of_control_maps():
    """Terrain3D: base << 27, overlay << 22, blend << 14, angle << 10, scale << 7, flags 4 2 1."""
    weights = np.zeros((1, 3, 32), np.float32)
    weights[0, 0, 31], weights[0, 0, 3] = 0.75, 0.25
    weights[0, 1, 17] = 2.0
    made = dw.weights_to_index_map(
        weights, angle=[[5, 0, 0]], scale=6, navigation=True, auto=[[0, 1, 0]]
    )
    assert made.array.tolist() == [
        [
            31 << 27 | 3 << 22 | 64 << 14 | 5 << 10 | 6 << 7 | 2,
            17 << 27 | 17 << 22 | 6 << 7 | 2 | 1,
            4 | 6 << 7 | 2,
        ]
    ]
    fields = {name: getattr(made, name).tolist()[0] for name in ("base", "overlay", "blend")}
    assert fields == {"base": [31, 17, 0], "overlay": [3, 17, 0], "blend": [64, 0, 0]}
    assert made.angle.tolist() == [[5, 0, 0]] and made.scale.tolist() == [[6, 6, 6]]
    assert made.hole.tolist() == [[0, 0, 1]] and made.navigation.all()
    assert made.auto.tolist() == [[0, 1, 0]]
    assert made.lost == 0 and made.lost_most == 0
    assert "hole" in dir(made) and "IndexMap(3 x 1" in repr(made)
    with pytest.raises(AttributeError):
        made.colour  # noqa: B018


@pytest.mark.parametrize("count", [2, 5, 16, 32])
def test_index_maps_keep_the_two_heaviest(count):
    weights = dirichlet(count, (30, 40), seed=count)
    made = dw.weights_to_index_map(weights)
    back = dw.index_map_to_weights(made, count)
    order = np.argsort(-weights, axis=-1, kind="stable")
    assert (made.base == order[..., 0]).all() and (made.overlay == order[..., 1]).all()
    kept = np.take_along_axis(weights, order[..., :2], -1).astype(np.float64)
    both, total = kept.sum(-1), weights.sum(-1, dtype=np.float64)
    assert made.lost == pytest.approx((1 - both / total).mean(), abs=1e-7)
    assert made.lost_most == pytest.approx((1 - both / total).max(), abs=1e-7)
    assert np.abs(back.sum(-1) - 1).max() < 1e-6
    overlay = np.take_along_axis(back, order[..., 1:2], -1)[..., 0]
    assert np.abs(overlay - kept[..., 1] / both).max() <= 0.5 / 255 + 1e-6
    again = dw.weights_to_index_map(back)
    assert (again.array == made.array).mean() > 0.98  # 127 and 128 of 255 change places


def test_index_maps_take_ids_of_materials():
    weights = np.array([[[0.2, 0.8, 0], [0, 0, 0], [0, 0.1, 0.9]]], np.float32)
    made = dw.weights_to_index_map(weights, materials=[9, 30, 4])
    assert made.base.tolist() == [[30, 0, 4]] and made.overlay.tolist() == [[9, 0, 30]]
    assert made.hole.tolist() == [[0, 1, 0]]
    assert not dw.index_map_to_weights(made)[0, 1].any()
    packed = dw.pack_weights(weights)
    assert (dw.weights_to_index_map(packed).base == dw.weights_to_index_map(weights).base).all()


def ramp(length: int, rows: int = 32) -> np.ndarray:
    share = np.linspace(0, 1, length, dtype=np.float32)
    return np.broadcast_to(np.stack([1 - share, share], -1), (rows, length, 2))


@pytest.mark.parametrize("turned", [False, True])
def test_banding_of_a_ramp(turned):
    weights = ramp(300).swapaxes(0, 1) if turned else ramp(300)
    found = dw.weight_banding(weights, colors=[[0, 0, 0], [1, 1, 1]])
    assert found.bits == 4 and found.levels == 16 and found.longest_run == 20  # 300 / 15
    assert 0.055 < found.step < 1 / 15 + 1e-6
    assert found.distance == pytest.approx(100 / 2.3)
    assert found.jump == pytest.approx(found.step * 100 / 2.3, rel=1e-5)
    assert found.share > 0.8 and found.visible and found.advice == "rgba8"
    near = dw.weight_banding(weights, colors=np.array([[90, 90, 90], [110, 110, 110]], np.uint8))
    assert near.jump < 1 and near.advice == "packed" and near.step == found.step


def test_banding_goes_where_it_is_said_to_go():
    weights, black_white = ramp(300, 64), [[0, 0, 0], [1, 1, 1]]
    wide = dw.weight_banding(weights, dw.pack_weights(weights, 8), colors=black_white)
    assert wide.bits == 8 and wide.jump < 0.2 and not wide.visible and wide.advice == "rgba8"
    packed = dw.pack_weights(weights, dithered=True)
    assert not dw.weight_banding(weights, packed, colors=black_white).visible
    steep = dw.weight_banding(ramp(60), colors=black_white)  # 4 texels a step
    assert steep.longest_run == 0 and not steep.visible
    flat = np.full((40, 40, 2), 0.5, np.float32)
    assert dw.weight_banding(flat).longest_run == 0
    border = np.zeros((40, 40, 2), np.float32)
    border[:, :20, 0] = border[:, 20:, 1] = 1
    assert dw.weight_banding(border).longest_run == 0


def test_banding_shows_itself():
    found = dw.weight_banding(ramp(300))
    assert found.assumed and "taken to be 25 JND apart: cannot be seen" in str(found)
    assert "<table>" in found._repr_html_() and "packed, 4 bits" in found._repr_html_()
    assert found.to_dict()["advice"] == "packed"
    seen = dw.weight_banding(ramp(300), colors=[[0, 0, 0], [1, 1, 1]])
    assert "store 8 bits, or pack_weights(..., dithered=True)" in str(seen)


W = np.zeros((2, 2, 3), np.float32)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: dw.pack_weights(W, 5), ValueError, "bits must be 4 or 8, got 5"),
        (lambda: dw.pack_weights(W, 4.0), TypeError, "bits must be a whole number"),
        (lambda: dw.pack_weights(W[..., 0]), ValueError, r"shape \(H, W, N\).*got \(2, 2\)"),
        (lambda: dw.pack_weights(W[..., :1]), ValueError, "with 2 to 16 materials"),
        (lambda: dw.pack_weights(np.zeros((2, 2, 17), np.float32)), ValueError, "2 to 16 mat"),
        (lambda: dw.pack_weights(np.zeros((0, 2, 3), np.float32)), ValueError, "one texel"),
        (lambda: dw.pack_weights(W.astype(int)), TypeError, "must be float32, float16 or uint8"),
        (lambda: dw.pack_weights(W[..., 0].astype(np.uint32)), TypeError, r"dw.IndexMap\(array\)"),
        (lambda: dw.pack_weights(W, origin=3), ValueError, "origin must be two integers"),
        (lambda: dw.pack_weights(W, origin=(1 << 31, 0)), ValueError, "origin must fit"),
        (lambda: dw.pack_weights(dw.IndexMap(W[..., 0].astype(np.uint32))), TypeError, "IndexMap"),
        (lambda: dw.pack_weights(W, dithered=True, noise_size=48), ValueError, "power of two"),
        (lambda: dw.unpack_weights(W), TypeError, "must be uint8"),
        (lambda: dw.unpack_weights(W.astype(np.uint8)), ValueError, r"\(H, W, 4\)"),
        (
            lambda: dw.unpack_weights(np.zeros((1, 1, 4), np.uint8), 9),
            ValueError,
            r"materials must lie in \[1, 8\], got 9",
        ),
        (
            lambda: dw.unpack_weights(np.zeros((1, 1, 4), np.uint8), dtype=np.int16),
            TypeError,
            "dtype must be float32 or uint8",
        ),
        (lambda: dw.IndexMap(W[..., 0]), TypeError, r"image.view\(np.uint32\)"),
        (lambda: dw.IndexMap(W.astype(np.uint32)), ValueError, r"shape \(H, W\)"),
        (lambda: dw.weights_to_index_map(W, angle=16), ValueError, r"angle must lie in \[0, 15\]"),
        (lambda: dw.weights_to_index_map(W, scale=0.5), TypeError, "scale must be whole numbers"),
        (lambda: dw.weights_to_index_map(W, auto=[True] * 3), ValueError, "auto must be one num"),
        (lambda: dw.weights_to_index_map(W, materials=[1, 2]), ValueError, "materials must be 3"),
        (lambda: dw.weights_to_index_map(W, materials=[1, 2, 2]), ValueError, "and differ"),
        (lambda: dw.weights_to_index_map(W, materials=[1, 2, 32]), ValueError, r"\[0, 31\]"),
        (
            lambda: dw.index_map_to_weights(np.array([[9 << 27]], np.uint32), 9),
            ValueError,
            "more than the largest id in the map, 9",
        ),
        (lambda: dw.index_map_to_weights(W, 33), TypeError, "uint32"),
        (lambda: dw.weight_banding(W, colors=[[0, 0, 0]]), ValueError, r"shape \(3, 3\)"),
        (lambda: dw.weight_banding(W, colors=np.full((3, 3), 1.5)), ValueError, r"in \[0, 1\]"),
        (lambda: dw.weight_banding(W, W), TypeError, "stored must be uint8"),
        (
            lambda: dw.weight_banding(W, np.zeros((2, 2, 2), np.uint8)),
            ValueError,
            r"\(2, 2, 3\), got \(2, 2, 2\)",
        ),
    ],
)
def test_bad_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()
