# SPDX-License-Identifier: MIT
"""The atlas baker on a Vulkan device gives the bytes of the native one."""

from __future__ import annotations

import hashlib
import itertools

import numpy as np
import pytest

import dapplewood as dw
from dapplewood import _core

FILTERS = list(dw.MipFilter)
FILLS = list(dw.FillMode)
COVERAGES = list(dw.CoverageMode)
SPACES = list(dw.ColorSpace)
CUTOFFS = [(0.5,), (0.25, 0.5, 0.75), (0.1,), (0.003, 0.5, 0.501, 0.999)]


def grid(columns, rows, width, height):
    """Tiles side by side from the top left; what the division leaves stays background."""
    return [
        (x * width, y * height, width, height) for y in range(rows) for x in range(columns)
    ]


# name: (width, height, rects or None for the whole image, gutters that leave content)
LAYOUTS = {
    "pow2 grid": (256, 128, grid(4, 2, 64, 64), (0, 1, 8)),
    "odd tiles": (111, 93, grid(3, 3, 37, 31), (0, 1, 8)),
    "NPOT grid": (144, 96, grid(3, 2, 48, 48), (0, 1, 8)),
    "unaligned": (130, 97, [(3, 5, 40, 33), (50, 1, 61, 57), (7, 60, 99, 31)], (0, 1, 8)),
    "mixed sizes": (
        192, 128, [(0, 0, 128, 128), (128, 0, 64, 64), (128, 64, 32, 64), (160, 64, 32, 64)],
        (0, 1, 8),
    ),
    "whole": (97, 160, None, (0, 1, 8)),
    "large tile": (300, 260, None, (0, 1, 8)),
    "1xN": (1, 77, None, (0,)),
    "Nx1 tiles": (64, 1, grid(4, 1, 16, 1), (0,)),
    "single texel": (1, 1, None, (0,)),
    "texel tiles": (8, 6, grid(8, 6, 1, 1), (0,)),
    "small tiles": (24, 20, grid(6, 5, 4, 4), (0, 1)),
    "2x2 tiles": (9, 9, grid(4, 4, 2, 2), (0,)),
}  # fmt: skip


def foliage(rng, width, height, bits, rects):
    """Blobs of alpha on nothing, soft edges, noise; one tile empty and one opaque."""
    most = 255 if bits == 8 else 65535
    y, x = np.mgrid[:height, :width]
    field = np.zeros((height, width))
    for _ in range(max(2, width * height // 2000)):
        cx, cy = rng.uniform(0, width), rng.uniform(0, height)
        radius = rng.uniform(1.0, 2.0 + min(width, height) / 6)
        distance = np.hypot(x - cx, y - cy) / radius
        field = np.maximum(field, np.clip(2.5 - 2.0 * distance, 0, 1))
    field *= rng.random((height, width)) < 0.9
    image = rng.integers(0, most + 1, (height, width, 4))
    image[..., 3] = np.rint(field * most)
    if rects is not None and len(rects) > 2:
        for value, index in ((0, 0), (most, 1)):
            left, top, w, h = rects[index]
            image[top : top + h, left : left + w, 3] = value
    return image.astype(np.uint8 if bits == 8 else np.uint16)


def digest(arrays) -> list[str]:
    return [hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest() for a in arrays]


def assert_same(native_device, vulkan_device, image, rects, **options):
    """Levels, alpha and remaps of both backends, and that the device did work."""
    rects = None if rects is None else np.array(rects, np.int32)
    wanted = _core.atlas_bake(native_device, image, rects, **options)
    got = _core.atlas_bake(vulkan_device, image, rects, **options)
    assert len(wanted[0]) == len(got[0]) and wanted[2].shape == got[2].shape
    for what, a, b in (("level", wanted[0], got[0]), ("alpha", wanted[1], got[1])):
        for n, (one, other) in enumerate(zip(a, b)):
            if digest([one]) != digest([other]):
                at = np.argwhere(one != other)
                pytest.fail(
                    f"{what} {n} {one.shape}: {len(at)} values differ, first at {at[0]}: native "
                    f"{one[tuple(at[0])]}, device {other[tuple(at[0])]}; {options}"
                )
    assert digest([wanted[2]]) == digest([got[2]]), f"remaps differ; {options}"


def cases():
    """A seeded sample of the product of all options: every layout with every filter, fill and
    coverage mode in turn."""
    rng = np.random.default_rng(20)
    kinds = list(itertools.product(FILTERS, FILLS, COVERAGES))
    for layout, (width, height, _, gutters) in LAYOUTS.items():
        count = 12 if width * height < 40000 else 6
        for i in rng.permutation(len(kinds))[:count]:
            mip_filter, fill, coverage = kinds[i]
            yield layout, int(rng.integers(1 << 30)), {
                "filter": int(mip_filter),
                "fill": int(fill),
                "coverage": int(coverage),
                "color_space": int(rng.choice([int(s) for s in SPACES])),
                "gutter": int(rng.choice(gutters)),
                "cutoffs": CUTOFFS[rng.integers(len(CUTOFFS))],
                "start_level": int(rng.integers(0, 3)),
                "strength": float(rng.choice([1.0, 0.5, 0.0])),
                "level_count": int(rng.choice([0, 0, 0, 1, 3])),
                "bits": int(rng.choice([8, 16])),
            }


CASES = list(cases())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(native_device, vulkan_device, layout):
    width, height, rects, _ = LAYOUTS[layout]
    for name, seed, options in CASES:
        if name != layout:
            continue
        options = dict(options)
        image = foliage(np.random.default_rng(seed), width, height, options.pop("bits"), rects)
        assert_same(native_device, vulkan_device, image, rects, **options)


@pytest.mark.parametrize("fill", FILLS, ids=str)
@pytest.mark.parametrize("mip_filter", FILTERS, ids=str)
def test_filters_and_fills(native_device, vulkan_device, mip_filter, fill):
    rng = np.random.default_rng(3)
    for bits in (8, 16):
        for name, gutter in (("unaligned", 1), ("odd tiles", 8), ("pow2 grid", 1)):
            width, height, rects, _ = LAYOUTS[name]
            image = foliage(rng, width, height, bits, rects)
            assert_same(
                native_device, vulkan_device, image, rects, filter=int(mip_filter),
                fill=int(fill), gutter=gutter,
            )  # fmt: skip


@pytest.mark.parametrize("coverage", COVERAGES, ids=str)
@pytest.mark.parametrize("cutoffs", CUTOFFS, ids=str)
def test_coverage_and_cutoffs(native_device, vulkan_device, coverage, cutoffs):
    rng = np.random.default_rng(4)
    for start_level, strength in ((0, 1.0), (1, 0.7), (2, 1.0)):
        for name in ("mixed sizes", "large tile", "NPOT grid"):
            width, height, rects, _ = LAYOUTS[name]
            image = foliage(rng, width, height, 8, rects)
            assert_same(
                native_device, vulkan_device, image, rects, coverage=int(coverage),
                cutoffs=cutoffs, start_level=start_level, strength=strength,
            )  # fmt: skip


def test_given_target_coverage(native_device, vulkan_device):
    rng = np.random.default_rng(5)
    width, height, rects, _ = LAYOUTS["mixed sizes"]
    targets = np.array([[0.4, 0.2], [0.0, 1.0], [0.3, 0.3], [1.0, 0.0]])
    for start_level in (0, 1):
        image = foliage(rng, width, height, 8, rects)
        assert_same(
            native_device, vulkan_device, image, rects, cutoffs=(0.3, 0.6),
            start_level=start_level, target_coverage=targets,
        )  # fmt: skip


@pytest.mark.parametrize("alpha", [0, 255])
def test_uniform_alpha(native_device, vulkan_device, alpha):
    image = np.random.default_rng(6).integers(0, 256, (80, 96, 4), dtype=np.uint8)
    image[..., 3] = alpha
    for fill in FILLS:
        for rects in (None, grid(3, 2, 32, 40)):
            assert_same(native_device, vulkan_device, image, rects, fill=int(fill), gutter=3)


def test_isolated_seeds_pick_the_nearest(native_device, vulkan_device):
    """Single visible texels: every tie of the distance order occurs."""
    rng = np.random.default_rng(7)
    for density in (0.002, 0.02, 0.2):
        image = rng.integers(0, 256, (150, 170, 4), dtype=np.uint8)
        image[..., 3] = np.where(rng.random((150, 170)) < density, 255, 0)
        assert_same(native_device, vulkan_device, image, None)


def test_the_device_did_the_work(vulkan_device):
    image = foliage(np.random.default_rng(8), 96, 64, 8, None)
    _core.atlas_bake(vulkan_device, image, None)
    spans = {"atlas_down", "atlas_shares", "atlas_bins", "atlas_choose", "atlas_finish"}
    assert spans <= set(vulkan_device.timings())


def test_what_a_device_cannot_hold_is_baked_natively_and_told(vulkan_device):
    """Lavapipe binds at most 128 MiB at a time: 8192 x 4096 texels are more."""
    if vulkan_device.info.kind != "software":
        pytest.skip("a card holds it")
    image = np.zeros((8192, 4096, 4), np.uint8)
    image[::16, ::16] = 255
    baked = dw.bake_atlas(image, device=vulkan_device)
    assert any("exceeds the limits" in note for note in baked.notes)
    small = dw.bake_atlas(image[:64, :64], device=vulkan_device)
    assert not any("exceeds the limits" in note for note in small.notes)


def test_kernels_can_run_again_and_again(vulkan_device):
    """Every run of the kernels starts anew: a row of them ends as one does."""
    rng = np.random.default_rng(9)
    image = foliage(rng, 200, 136, 8, None)
    once = _core.atlas_bake(vulkan_device, image, None, cutoffs=(0.3, 0.6))
    often = _core.atlas_bake(vulkan_device, image, None, cutoffs=(0.3, 0.6), kernel_runs=3)
    assert digest(once[0]) == digest(often[0]) and digest([once[2]]) == digest([often[2]])
