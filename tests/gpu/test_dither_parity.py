# SPDX-License-Identifier: MIT
"""Masks and dissolve state: native C, lavapipe and cards give the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core

import dapplewood as dw

PATTERNS = [kind.name.lower() for kind in dw.DitherPattern]
RULES = [kind.name.lower() for kind in dw.DitherRule]


def edge_amounts(ranks: int) -> np.ndarray:
    """Ends and middles of steps and their neighbours, and what lies beyond the range."""
    steps = np.linspace(0, ranks, 2 * min(ranks, 64) + 1).round(1) / ranks
    steps = np.float32(steps)
    near = [np.nextafter(steps, np.float32(end)) for end in (-1, 2)]
    special = np.float32([-1, 0, 1e-38, 1e-30, 0.001, 0.7, 0.0009999999, 1, 2])
    return np.concatenate([steps, *near, special])


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("rule", RULES)
def test_masks_agree(vulkan_device, native_device, pattern, rule):
    ranks = {"bayer4": 16, "bayer8": 64, "bayer16": 256, "blue": 4096, "hash": 16384}[pattern]
    given = {"pattern": pattern, "rule": rule, "origin": (-7, 2_147_000_000), "instance": 77}
    amounts = edge_amounts(ranks)
    plain = dw.discard_mask(amounts, (19, 33), **given)
    for device in (vulkan_device, native_device):
        assert np.array_equal(dw.discard_mask(amounts, (19, 33), **given, device=device), plain)
    assert 0 < plain.mean() < 1


@pytest.mark.parametrize("size", [8, 32, 128, 256])
def test_blue_masks_of_each_size_agree(vulkan_device, size):
    given = {"pattern": "blue", "size": size, "seed": 4, "origin": (-3, 9)}
    amounts = np.linspace(0, 1, 23)
    plain = dw.discard_mask(amounts, (70, 141), **given)
    assert np.array_equal(
        dw.discard_mask(amounts, (70, 141), **given, device=vulkan_device), plain
    )


def test_whole_tiles_on_the_device_cover_exactly(vulkan_device):
    """Not merely equal to the twin: the share is the one that the rule names."""
    amounts = np.linspace(0, 1, 65)
    masks = dw.discard_mask(amounts, (128, 128), pattern="blue", device=vulkan_device)
    assert (masks.sum(axis=(1, 2)) == 4 * dw.discard_count(amounts, 4096)).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (5, 1), (0, 4), (1080, 1920)])
def test_shapes(vulkan_device, shape):
    mask = dw.discard_mask(0.4, shape, pattern="blue", device=vulkan_device)
    assert mask.shape == shape
    assert np.array_equal(mask, dw.discard_mask(0.4, shape, pattern="blue"))


def bits(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values).view(np.uint32)


@pytest.mark.parametrize("ticks", [1092.2667, -1092.2667, 1.0, 2.0**-40, 0.0, 6.5e13, -6.5e13])
def test_steps_agree(vulkan_device, native_device, rng, ticks):
    """Rates of every duration from a tick to the longest, progress from 2^-64 to 1."""
    count = 100_001
    progress = np.float32(2) ** rng.uniform(-64, 0, count).astype(np.float32)
    progress[::3] = rng.random(len(progress[::3]))
    progress[:6] = [0, 1, 0.5, 0, 1, np.float32(2.0**-64)]
    rates = np.float32(2) ** rng.uniform(-30, 0, count).astype(np.float32)
    rates *= rng.choice(np.float32([-1, 0, 1]), count)
    results = [
        _core.dissolve_tick(device, progress, rates, ticks, 3)
        for device in (vulkan_device, native_device)
    ]
    assert np.array_equal(bits(results[0]), bits(results[1]))
    step = rates * np.float32(ticks)
    model = progress
    for _ in range(3):
        model = np.clip(model + step, np.float32(0), np.float32(1))
    assert np.array_equal(results[1], model)


def random_states(rng, count: int) -> np.ndarray:
    """(count, 3) words: any time, rates of every duration, every easing and direction."""
    rates = np.float32(2) ** rng.uniform(-30, 0, count).astype(np.float32)
    rates *= rng.choice(np.float32([-1, 0, 1]), count)
    progress = rng.integers(0, (1 << 22) + 1, count, dtype=np.uint32)
    progress[: count // 4] = rng.choice(np.array([0, 1, 1 << 21, 1 << 22], np.uint32), count // 4)
    easing = rng.integers(0, len(dw.Easing), count, dtype=np.uint32)
    direction = rng.integers(0, len(dw.DissolveDirection), count, dtype=np.uint32)
    start = rng.integers(0, 2**32, count, dtype=np.uint32)
    return np.stack([start, rates.view(np.uint32), progress | easing << 23 | direction << 28], -1)


@pytest.mark.parametrize("now", [0, 1, 2**31, 2**32 - 1])
def test_analytic_values_agree(vulkan_device, native_device, rng, now):
    states = random_states(rng, 200_003)
    values = [
        _core.dissolve_values(device, states, now, 1) for device in (vulkan_device, native_device)
    ]
    assert np.array_equal(bits(values[0]), bits(values[1]))
    assert values[0].min() >= 0 and values[0].max() <= 1
    moving = (values[0] > 0) & (values[0] < 1)
    assert 0.05 < moving.mean() < 0.95


@pytest.mark.parametrize("easing", dw.Easing)
def test_each_easing_agrees_at_all_its_inputs(vulkan_device, easing):
    """Every 2^-20 of progress, as states at rest."""
    steps = np.arange((1 << 20) + 1, dtype=np.uint32)
    states = np.zeros((len(steps), 3), np.uint32)
    states[:, 2] = steps << 2 | int(easing) << 23
    values = _core.dissolve_values(vulkan_device, states, 12345, 1)
    assert np.array_equal(bits(values), bits(dw.ease(easing, steps / (1 << 20))))


def test_a_field_is_what_the_device_sees(vulkan_device, rng):
    """A life of a field: after each tick the device finds the field's values from the states."""
    field = dw.DissolveField(encoding="analytic", easing="smootherstep")
    ids = rng.permutation(3000)
    field.add(ids, rng.random(3000))
    for _ in range(12):
        field.start(rng.permutation(ids)[:900], int(rng.choice([-1, 1])), duration=0.4)
        field.tick(float(rng.random() * 0.2))
        shown = dw.dissolve_values(field.encoded(), field.now_ticks, device=vulkan_device)
        rows = field.rows(ids)
        assert np.array_equal(bits(shown[rows]), bits(field.value(ids)))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda d: _core.dissolve_tick(d, np.zeros(3, "f4"), np.zeros(2, "f4"), 1, 1), "as long"),
        (lambda d: _core.dissolve_tick(d, np.zeros(0, "f4"), np.zeros(0, "f4"), 1, 1), "at least"),
        (lambda d: _core.dissolve_values(d, np.zeros((4, 2), "u4"), 0, 1), r"shape \(N, 3\)"),
        (lambda d: _core.dissolve_values(d, np.zeros((4, 3), "u4"), 0, 0), "at least 1"),
        (lambda d: dw.discard_mask(np.zeros(5000), (1000, 1000), device=d), "in parts"),
    ],
)
def test_bad_arguments(native_device, call, text):
    with pytest.raises((ValueError, dw.CapacityError), match=text):
        call(native_device)


def test_a_closed_device_is_named(native_device):
    with dw.Device("cpu") as device:
        pass
    with pytest.raises(ValueError, match="is closed: make a new Device"):
        dw.discard_mask(0.5, (4, 4), device=device)
    with pytest.raises(TypeError, match="device must be"):
        dw.discard_mask(0.5, (4, 4), device="cpu")
