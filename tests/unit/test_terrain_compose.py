# SPDX-License-Identifier: MIT
"""Pictures of terrain: what they show at which zoom, against colours mixed in float64."""

from __future__ import annotations

from typing import Any

import dapplewood as dw
import numpy as np
import pytest
from helpers_terrain_forms import flat, forms

MODES = ("smooth", "dithered", "priority", "priority_additive", "dominant_accent", "height")
RATIOS = (0.25, 0.5, 0.7, 1, 1.37, 2, 3.3, 4, 8, 16, 31.7, 32, 64)
ALWAYS = (0.0, 0.001)  # a zoom fade that is over at once
COLORS = np.array([[250, 40, 10], [10, 240, 60], [40, 30, 230], [255, 255, 255]], np.uint8)


def light(codes: Any) -> np.ndarray:
    """Linear light of sRGB codes."""
    c = np.asarray(codes, np.float64) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def exact_codes(linear: Any) -> np.ndarray:
    """Not rounded."""
    c = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * np.power(linear, 1 / 2.4) - 0.055)
    return 255 * c


def codes(linear: Any) -> np.ndarray:
    return np.floor(exact_codes(linear) + 0.5).astype(np.int64)


def plain(color: Any, channels: int = 3) -> np.ndarray:
    return np.full((1, 1, channels), color, np.uint8)


def tiles(colors: Any = COLORS) -> list[np.ndarray]:
    return [plain(color) for color in colors]


def noise(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def heights_of(mode: str) -> Any:
    return [0.1, 0.0, 0.2, 0.05] if mode == "height" else None


def mean_at(mode: str, ratio: float, device: dw.Device, side: int, **given: Any) -> np.ndarray:
    """Mean light of a picture that sees `ratio` cells a pixel, and what it should be."""
    weights = flat([0.4, 0.3, 0.2, 0.1], 8, 8)
    made = dw.Transition(
        mode, strength=0.8, priorities=(0, 0.05, -0.02, 0.1), cell=0.25, zoom=ALWAYS, **given
    )
    heights = heights_of(mode)
    picture = dw.compose_terrain(
        plain(0), tiles(), weights, made, pixels_per_unit=4 / ratio, corner=(-3.3, 71.9),
        size=(side, side), samples=1, heights=heights, device=device,
    )  # fmt: skip
    chance = dw.expected_coverage(weights[:1, :1], made, heights=heights)[0, 0]
    return light(picture).mean(axis=(0, 1)) - chance @ light(COLORS)


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("mode", MODES)
def test_means_stay_at_every_zoom(native_device, mode, ratio):
    """128 x 128 pixels; a mode of several noises needs its whole tile of 128 cells."""
    side, cells = 128, 32
    if mode == "priority_additive":
        side, cells = max(128, round(128 / ratio)), 128
    error = mean_at(mode, ratio, native_device, side, noise_size=cells)
    assert np.abs(error).max() < 0.01, error


@pytest.mark.parametrize("ratio", [32, 64])
@pytest.mark.parametrize("mode", ["dithered", "priority", "priority_additive", "dominant_accent"])
def test_without_the_fade_whole_pictures_turn_to_one_material(native_device, mode, ratio):
    """The control of the test above: at multiples of the tile all pixels see few cells."""
    error = mean_at(mode, ratio, native_device, 128, noise_size=32, fade=(1e5, 1e6))
    assert np.abs(error).max() > 0.1


@pytest.mark.parametrize("style", ["photo", "pixel"])
@pytest.mark.parametrize("mode", MODES)
def test_the_base_is_untouched_while_zoomed_out(native_device, mode, style):
    base = noise((37, 53, 3))
    weights = noise((37, 53, 4), 1)
    for per_unit, channels in ((1, 3), (1.0, 4), (4, 3)):
        given = np.concatenate([base, noise((37, 53, 1), 2)], 2)[..., :channels]
        picture = dw.compose_terrain(
            given, tiles(), weights, dw.Transition(mode), pixels_per_unit=per_unit, style=style,
            heights=heights_of(mode), device=native_device,
        )  # fmt: skip
        if per_unit == 1:
            assert (picture == base).all()
        elif style == "pixel":
            assert (picture == base.repeat(4, 0).repeat(4, 1)).all()


@pytest.mark.parametrize("filtered", ["nearest", "linear"])
@pytest.mark.parametrize("mode", MODES[1:])
def test_crisp_pictures_show_what_is_selected(native_device, mode, filtered):
    """Colours are the tiles' own, and ids those of select_materials, in every form of weights."""
    for name, weights, slots in forms(5, 11, 17):
        colors = np.random.default_rng(slots).permutation(256)[: 3 * slots].reshape(slots, 3)
        made = dw.Transition(mode, cell=0.5, noise_size=64)
        heights = np.linspace(-0.3, 0.3, slots) if mode == "height" else None
        given = {"heights": heights, "filter": filtered, "device": native_device}
        picture, ids = dw.compose_terrain(
            noise((11, 17, 3)), tiles(colors), weights, made, pixels_per_unit=16, samples=1,
            style="pixel", return_ids=True, **given,
        )  # fmt: skip
        wanted = dw.select_materials(weights, made, scale=16, **given)
        assert (ids == wanted).all(), name
        base = noise((11, 17, 3)).repeat(16, 0).repeat(16, 1)
        table = np.zeros((256, 3), np.uint8)
        table[:slots] = colors
        assert (picture == np.where(wanted[..., None] == 255, base, table[wanted])).all(), name


def test_ids_are_keys(native_device):
    weights, keys = noise((9, 9, 3), 3), [40, 7, 99]
    _, ids = dw.compose_terrain(
        plain(0), tiles(COLORS[:3]), weights, dw.Transition(), pixels_per_unit=5, materials=keys,
        origin=(-50, 20), return_ids=True, filter="nearest", device=native_device,
    )  # fmt: skip
    wanted = dw.select_materials(
        weights, dw.Transition(), scale=5, materials=keys, origin=(-50, 20), device=native_device
    )
    assert (ids == wanted).all()


def test_smooth_is_the_plain_blend(native_device):
    weights = np.random.default_rng(4).random((6, 7, 4)).astype(np.float32)
    for fraction, per_unit in ((0.0, 4), (0.5, 10), (1.0, 16)):
        picture = dw.compose_terrain(
            plain((90, 120, 30)), tiles(), weights, dw.Transition("smooth"),
            pixels_per_unit=per_unit, style="pixel", device=native_device,
        )  # fmt: skip
        shares = weights / weights.sum(2, keepdims=True)
        under = light([90, 120, 30])
        wanted = exact_codes(under + fraction * (shares @ light(COLORS) - under))
        off = np.abs(picture - wanted.repeat(per_unit, 0).repeat(per_unit, 1))
        # half a code, and what 2^-15 of light is at black, where codes are steepest
        assert off.max() <= 0.5 + 255 * 12.92 * 2.0**-15


def test_linear_weights_blend_by_the_shares_between(native_device):
    weights = np.array([[[1, 0, 0, 0], [0, 1, 0, 0]]], np.float32)
    picture = dw.compose_terrain(
        plain(0), tiles(), weights, dw.Transition("smooth"), pixels_per_unit=16,
        device=native_device,
    )  # fmt: skip
    t = np.clip((np.arange(32) + 0.5) / 16 - 0.5, 0, 1)[:, None]
    wanted = codes((1 - t) * light(COLORS[0]) + t * light(COLORS[1]))
    assert np.abs(picture[8].astype(int) - wanted).max() <= 1


def test_fades_of_zoom_and_cells_are_cubic(native_device):
    weights = flat([1, 1], 4, 4)
    for per_unit, fade in ((7.0, 0.25), (10.0, 0.5), (13.0, 0.75)):
        part = fade * fade * (3 - 2 * fade)
        picture = dw.compose_terrain(
            plain(0), tiles([[255] * 3, [255] * 3]), weights, dw.Transition(),
            pixels_per_unit=per_unit, device=native_device,
        )  # fmt: skip
        assert np.abs(picture.astype(int) - codes(np.float64(part))).max() <= 1
    made = dw.Transition("dithered", zoom=ALWAYS, fade=(0.5, 1.5), noise_size=8)
    picture = dw.compose_terrain(
        plain(0), tiles([[0] * 3, [255] * 3]), weights, made, pixels_per_unit=1,
        samples=1, device=native_device,
    )  # fmt: skip
    assert set(np.unique(picture)) == {int(codes(np.float64(v))) for v in (0.25, 0.75)}


def test_strength_and_alpha_leave_the_base(native_device):
    weights = flat([1, 0], 3, 3)
    base, top = light([10, 200, 60]), light([240, 30, 90])

    def center(tile: np.ndarray, strength: Any) -> np.ndarray:
        return dw.compose_terrain(
            plain((10, 200, 60)), [tile, plain(7)], weights, dw.Transition(), pixels_per_unit=16,
            detail_strength=strength, device=native_device,
        )[24, 24].astype(int)  # fmt: skip

    for strength in (0.0, 0.3, 1.0):
        wanted = codes(base + strength * (top - base))
        assert np.abs(center(plain((240, 30, 90)), strength) - wanted).max() <= 1
        assert np.abs(center(plain((240, 30, 90)), (strength, 0.77)) - wanted).max() <= 1
    for alpha in (0, 77, 255):
        wanted = codes(base + alpha / 255 * (top - base))
        assert np.abs(center(plain((240, 30, 90, alpha), 4), 1.0) - wanted).max() <= 1


@pytest.mark.parametrize("style", ["photo", "pixel"])
@pytest.mark.parametrize("mode", MODES)
def test_panning_by_whole_cells_moves_the_picture(native_device, mode, style):
    """Every pixel is a function of its map position, detail and base too."""
    given = {
        "base": noise((20, 24, 3)), "details": [noise((9, 12, 4), i) for i in range(4)],
        "weights": noise((20, 24, 4), 9), "transition": dw.Transition(mode, cell=0.25),
        "pixels_per_unit": 12, "style": style, "heights": heights_of(mode),
        "device": native_device,
    }  # fmt: skip
    a = dw.compose_terrain(corner=(2, 3), size=(150, 120), **given)
    b = dw.compose_terrain(corner=(3.25, 4.5), size=(135, 102), **given)
    assert (a[18:, 15:] == b).all()


def test_two_zooms_agree_on_the_cells(native_device):
    """A cell is 2 or 6 pixels wide; its middle shows the same colour."""
    weights = noise((10, 10, 4), 2)
    made = dw.Transition(cell=0.125)
    small, large = (
        dw.compose_terrain(
            plain(0), tiles(), weights, made, pixels_per_unit=8 * side, style="pixel",
            device=native_device,
        )
        for side in (2, 6)
    )  # fmt: skip
    assert (small[1::2, 1::2] == large[3::6, 3::6]).all()
    assert len(np.unique(small.reshape(-1, 3), axis=0)) == 4


def test_crisp_choices_read_one_tile(native_device):
    """Colours are the tile's own, to the bit, whatever lies in the others."""
    weights, made = noise((8, 8, 4), 6), dw.Transition("dithered", cell=0.25)
    given = {"pixels_per_unit": 16, "style": "pixel", "device": native_device}
    own = [noise((16, 16, 3), i) for i in range(4)]
    clean, ids = dw.compose_terrain(plain(0), own, weights, made, return_ids=True, **given)
    for slot in range(4):
        poisoned = [own[i] if i == slot else 255 - own[i] for i in range(4)]
        picture = dw.compose_terrain(plain(255), poisoned, weights, made, **given)
        assert (picture[ids == slot] == clean[ids == slot]).all()
        assert (picture[ids == slot] == np.tile(own[slot], (8, 8, 1))[ids == slot]).all()


def test_minified_tiles_are_means_of_light(native_device):
    """A checkerboard of black and white becomes half of the light, not half of the code."""
    board = np.zeros((64, 64, 3), np.uint8)
    board[::2, ::2] = board[1::2, 1::2] = 255
    picture = dw.compose_terrain(
        plain(0), [board, board], flat([1, 1], 8, 8), dw.Transition(), pixels_per_unit=16,
        detail_scale=1.0, device=native_device,
    )  # fmt: skip
    assert np.abs(picture.astype(int) - codes(np.float64(0.5))).max() <= 1
    odd = noise((50, 70, 3), 8)
    picture = dw.compose_terrain(
        plain(0), [odd, odd], flat([1, 1], 8, 8), dw.Transition(), pixels_per_unit=16,
        detail_scale=7 / 16, style="pixel", size=(7, 5), device=native_device,
    )  # fmt: skip
    wanted = codes(light(odd).reshape(5, 10, 7, 10, 3).mean(axis=(1, 3)))
    assert np.abs(picture.astype(int) - wanted).max() <= 1


def test_samples_average_light(native_device):
    base = noise((16, 16, 3))
    given = {"pixels_per_unit": 0.5, "device": native_device}
    args = (base, tiles(), noise((16, 16, 4)), dw.Transition())
    wanted = codes(light(base).reshape(8, 2, 8, 2, 3).mean(axis=(1, 3)))
    for samples in (None, 2, 4):
        picture = dw.compose_terrain(*args, samples=samples, **given)
        assert np.abs(picture.astype(int) - wanted).max() <= 1 or samples == 4
    nearest = dw.compose_terrain(*args, style="pixel", **given)
    assert (nearest == base[1::2, 1::2]).all()


def test_empty_texels_show_the_base(native_device):
    base = noise((6, 6, 3))
    weights = flat([1, 2], 6, 6)
    weights[2, 3] = 0
    weights[4, 1] = (np.nan, -1)
    for mode in MODES[:5]:
        picture = dw.compose_terrain(
            base, tiles(COLORS[:2]), weights, dw.Transition(mode), pixels_per_unit=16,
            style="pixel", device=native_device,
        )  # fmt: skip
        for y, x in ((2, 3), (4, 1)):
            spot = picture[16 * y : 16 * y + 16, 16 * x : 16 * x + 16]
            assert (spot == base[y, x]).all()
        assert (picture[:16, :16] != base[0, 0]).any()


def test_beyond_the_map_its_edge_goes_on(native_device):
    weights = np.array([[[1, 0], [0, 1]]], np.float32)
    picture = dw.compose_terrain(
        noise((1, 2, 3)), tiles(COLORS[:2]), weights, dw.Transition(), pixels_per_unit=16,
        corner=(-2, -1), size=(96, 48), style="pixel", device=native_device,
    )  # fmt: skip
    assert (picture[:, :48] == COLORS[0]).all() and (picture[:, 48:] == COLORS[1]).all()


def test_strides_and_odd_sizes_change_nothing(native_device):
    big = noise((40, 60, 8))
    weights = noise((41, 33, 8), 1)
    given = {"transition": dw.Transition(), "pixels_per_unit": 9.7, "device": native_device}
    own = [noise((7, 5, 3), i) for i in range(4)]
    wanted = dw.compose_terrain(
        np.ascontiguousarray(big[::-1, ::2, 1:4]), own,
        np.ascontiguousarray(weights[:, ::-1, ::2]), **given,
    )  # fmt: skip
    strided = [np.asfortranarray(tile) for tile in own]
    for array in (big, weights, *strided):
        array.setflags(write=False)
    picture = dw.compose_terrain(big[::-1, ::2, 1:4], strided, weights[:, ::-1, ::2], **given)
    assert (picture == wanted).all() and picture.shape == (398, 320, 3)
    assert picture.flags.owndata and picture.flags.writeable


def test_far_maps_are_as_near_ones(native_device):
    weights, made = noise((5, 5, 4), 1), dw.Transition(cell=0.125)
    given = {"pixels_per_unit": 16, "device": native_device}
    args = (noise((5, 5, 3)), [noise((16, 16, 3), i) for i in range(4)], weights, made)
    near = dw.compose_terrain(*args, **given)
    # whole tiles of noise, 16 units, and of detail, 1 unit
    far = dw.compose_terrain(*args, origin=(1_600_000, -3_200_000), **given)
    assert (near == far).all()


GOOD: dict[str, Any] = {
    "base": np.zeros((4, 4, 3), np.uint8), "details": [np.zeros((2, 2, 3), np.uint8)] * 2,
    "weights": np.ones((4, 4, 2), np.float32), "transition": dw.Transition(),
    "pixels_per_unit": 8.0,
}  # fmt: skip


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"base": np.zeros((4, 4), np.uint8)}, ValueError, "base must have shape"),
        ({"base": np.zeros((4, 4, 3))}, TypeError, "base must be uint8"),
        ({"base": np.zeros((0, 4, 3), np.uint8)}, ValueError, "base must have shape"),
        ({"base": np.zeros((1, 65537, 3), np.uint8)}, ValueError, "65536 texels a side"),
        ({"details": GOOD["details"] * 2}, ValueError, "one for each of 2 materials, got 4"),
        ({"details": np.zeros((2, 2, 3), np.uint8)}, TypeError, "one picture"),
        ({"details": [GOOD["base"], np.zeros((2, 2, 2), np.uint8)]}, ValueError, r"details\[1\]"),
        ({"transition": "smooth"}, TypeError, "must be a Transition"),
        ({"pixels_per_unit": 0.0}, ValueError, "pixels_per_unit must be"),
        ({"pixels_per_unit": float("nan")}, ValueError, "pixels_per_unit must be"),
        ({"style": "comic"}, ValueError, "style must be"),
        ({"filter": "cubic"}, ValueError, "filter must be"),
        ({"detail_scale": 0.0}, ValueError, "detail_scale must be"),
        ({"detail_scale": [1.0]}, ValueError, "detail_scale must be one number, or one for each"),
        ({"detail_strength": 1.5}, ValueError, r"detail_strength must lie in \[0, 1\]"),
        ({"samples": 9}, ValueError, r"samples must lie in \[1, 8\]"),
        ({"samples": 0}, ValueError, "samples must be 1 or more"),
        ({"size": (0, 4)}, ValueError, "size must be 1 or more"),
        ({"size": 4}, ValueError, r"size must be \(width, height\)"),
        ({"size": (1 << 16, 1 << 15)}, dw.CapacityError, "make them in parts"),
        ({"corner": (0, float("inf"))}, ValueError, "corner must be finite"),
        ({"corner": (1e12, 0)}, ValueError, "noise cells"),
        ({"weights": np.full((4, 4, 2), -1.0, np.float32), "strict": True}, ValueError, "row 0"),
        ({"heights": [0, 0]}, ValueError, "heights are for mode"),
    ],
)
def test_errors_say_what_was_wanted(native_device, given, error, words):
    with pytest.raises(error, match=words):
        dw.compose_terrain(**{**GOOD, **given}, device=native_device)
