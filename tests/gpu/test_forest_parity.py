# SPDX-License-Identifier: MIT
"""Views of a forest on a Vulkan device have the bytes of native ones."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_forest import amounts_of, assert_partition, assert_same, card, look, random_transforms

MESH = card()
LODS = [[MESH, MESH, None, MESH], [None, MESH, MESH, None], [None, None, None, MESH]]
DRAWS = np.array([[30 + i, 7 * i, i, i % 24] for i in range(50)], np.uint32)

CASES = {
    "plain": {},
    "instant LODs": {"crossfade": 0.0},
    "near fade": {"near_fade": (5.0, 20.0)},
    "multiply": {"near_fade": (5.0, 60.0), "combine": "multiply", "rule": "strict"},
    "seed rule": {"rule": "seed"},
    "blue": {"pattern": "blue", "blue_size": 128},
    "hash and size": {"pattern": "hash", "size_scaling": True},
    "directional": {"direction": "radial"},
    "unorm8": {"encoding": "unorm8", "pattern": "bayer16"},
    "analytic": {"encoding": "analytic", "easing": "in_out_sine", "pattern": "hash"},
    "float32 eased": {"easing": "in_out_expo", "pattern": "hash"},
}


def twins(rng, count: int, **options) -> list[dw.Forest]:
    """Two forests alike: each device remembers its own views, but time is the forest's."""
    options = {"fade": (120, 150), **options}
    forests = [dw.Forest(variants=LODS, distances=(20, 50, 90), **options) for _ in range(2)]
    transforms, depleted = random_transforms(rng, count, 170), rng.random(count) < 0.1
    for forest in forests:
        forest.add(np.arange(count), transforms, depleted=depleted)
        forest._set_draws(DRAWS)
    return forests


def each(forests, name: str, *arguments, **options) -> None:
    for forest in forests:
        getattr(forest, name)(*arguments, **options)


def compare(forests, position, planes, native, vulkan, **options) -> dw.ForestLists:
    wanted = forests[0].cull(position, planes, device=native, **options)
    assert_same(forests[1].cull(position, planes, device=vulkan, **options), wanted)
    return wanted


@pytest.mark.parametrize("name", CASES)
def test_views_have_the_bytes_of_native_ones(rng, native_device, vulkan_device, name):
    forests = twins(rng, 1500, **CASES[name])
    position, crossed = np.array([0.0, 2.0, 0.0]), 0
    for step in range(16):
        position = position + rng.uniform(-9, 9, 3) * [1, 0, 1]
        planes = look(position, 0.4 * step, far=160.0) if step % 4 else None
        dt = float(rng.choice([0.0, 0.02, 0.07, 0.12, -0.04]))
        ids = rng.choice(1500, 90, replace=False)
        each(forests, "respawn", ids[:40])
        each(forests, "deplete", ids[40:], instant=False, duration=0.5)
        lists = compare(forests, position, planes, native_device, vulkan_device, dt=dt)
        assert_partition(lists, 16384 if "pattern" in CASES[name] else 16)
        crossed += lists.stats["crossfading"]
        light = look(position + [0, 40, 0], 1.0, fov=2.5)
        for shadow in ("hard", "dither"):
            compare(forests, position, light, native_device, vulkan_device, shadow=shadow)
    assert crossed > 0 or name == "instant LODs"
    each(forests, "close")


@pytest.mark.parametrize(
    "count", [0, 1, 255, 256, 257, 512, 513, 20_000, pytest.param(100_000, marks=pytest.mark.slow)]
)
def test_tables_of_any_size(rng, native_device, vulkan_device, count):
    forests = twins(rng, count)
    for x in (0.0, 12.0, 24.0):
        lists = compare(forests, (x, 0, 0), None, native_device, vulkan_device, dt=0.1)
        stats = lists.stats
        assert stats["listed"] - stats["crossfading"] + stats["faded"] == count
    each(forests, "close")


def test_most_lists(rng, native_device, vulkan_device):
    """16 variants of 8 LODs: 256 lists."""
    forests = [
        dw.Forest(variants=[[MESH] * 8] * 16, distances=range(20, 160, 20), fade=None)
        for _ in range(2)
    ]
    each(forests, "add", np.arange(9000), random_transforms(rng, 9000, 150))
    for x in (0.0, 8.0, 16.0):
        lists = compare(forests, (x, 0, 0), None, native_device, vulkan_device, dt=0.1)
    assert len(lists.buckets) == 259 and (lists.buckets["count"][:256] > 0).sum() > 200
    each(forests, "close")


def test_the_table_changes_between_views(rng, native_device, vulkan_device):
    """Growth, removal, return and highlights, with cross-fades in flight."""
    forests = twins(rng, 60)
    alive = set(range(60))
    for step in range(14):
        gone = rng.choice(sorted(alive), 12, replace=False)
        each(forests, "remove", gone)
        fresh = np.arange(90 * (step % 5 == 4) + 15) + 1000 * (step + 1)
        batch = np.concatenate([fresh, gone[:5], sorted(alive - set(gone.tolist()))[:3]])
        transforms = random_transforms(rng, len(batch), 120)
        each(forests, "add", batch, transforms, depleted=rng.random(len(batch)) < 0.0)
        alive = (alive - set(gone.tolist())) | set(batch.tolist())
        each(forests, "highlight", rng.choice(sorted(alive), 5, replace=False), 0.5)
        x = 15.0 * np.sin(step)
        compare(forests, (x, 0, 0), None, native_device, vulkan_device, dt=0.08)
    lods = [f.lod(device=d) for f, d in zip(forests, (native_device, vulkan_device), strict=True)]
    assert np.array_equal(*lods) and (lods[0] >= 0).all()
    each(forests, "close")


def test_growth_on_the_device_keeps_crossfades(vulkan_device):
    forest = dw.Forest([MESH, MESH], distances=[50])
    forest.add([7], [[0, 0, 0]])
    forest.cull((40, 0, 0), device=vulkan_device)
    forest.cull((55, 0, 0), dt=0.01, device=vulkan_device)
    before = forest.cull((55, 0, 0), dt=0.1, device=vulkan_device)
    assert before.stats["crossfading"] == 1
    forest.add(np.arange(1000, 9000), np.full((8000, 3), 500.0))
    after = forest.cull((55, 0, 0), dt=0.0, device=vulkan_device)
    mine = after.entries[after.entries["row"] == before.entries["row"][0]]
    assert mine.tobytes() == before.entries.tobytes()
    forest.close()


def test_one_forest_on_two_devices(rng, native_device, vulkan_device):
    """Each has its own view of the same instances, and neither misses a change."""
    forest = twins(rng, 500)[0]
    for step in range(5):
        forest.deplete(rng.choice(500, 20, replace=False))
        forest.update(0.1)
        forest.add([1000 + step], [[step, 0, 0]])
        one = forest.cull((9.0 * step, 0, 0), device=native_device)
        assert_same(forest.cull((9.0 * step, 0, 0), device=vulkan_device), one)
    assert (amounts_of(one) > 0).any()
    forest.close()


def test_timings_and_memory(rng, vulkan_device):
    before = vulkan_device.live_counts()["buffers"]
    forest = twins(rng, 300)[0]
    forest.cull((0, 0, 0), device=vulkan_device)
    forest.cull((0, 0, 0), shadow="hard", device=vulkan_device)
    assert vulkan_device.live_counts()["buffers"] > before
    names = {"forest_step", "forest_scan", "forest_list", "forest_cull"}
    assert names <= set(vulkan_device.timings())
    assert "forest_shadow_list" in vulkan_device.timings()
    forest.close()
    assert vulkan_device.live_counts()["buffers"] == before


def test_a_device_that_closes_first(rng):
    device = dw.Device("cpu")
    forest = twins(rng, 10)[0]
    forest.cull((0, 0, 0), device=device)
    device.close()
    with pytest.raises(ValueError, match="closed"):
        forest.cull((0, 0, 0), device=device)
    forest.close()


def test_numbers_at_the_ends_of_their_ranges(rng, native_device, vulkan_device):
    """Where a device would flush a subnormal that C keeps, or overflow."""
    places = [0.0, 1e-30, -1e-30, 3e-13, 1e-12, -1e-12, 1e-7, 0.001, 1.0, -50.0, 1e9, -1e9]
    options = {
        "distances": (0.001, 0.002, 1e9), "fade": (0, 1e9), "near_fade": (0, 0.001),
        "combine": "multiply", "rule": "strict", "pattern": "hash", "dissolve_scale": 1e-6,
    }  # fmt: skip
    forests = [dw.Forest(variants=LODS, **options) for _ in range(2)]
    points = rng.choice(places, (2000, 3))
    each(forests, "add", np.arange(2000), points, depleted=rng.random(2000) < 0.5)
    each(forests, "respawn", np.arange(500), duration=16384.0)
    for step in range(12):
        planes = rng.choice([0.0, 1e-30, 1e-13, 1e-12, 1e-6, 1.0, -1.0, -1e-12], (6, 4))
        planes[:, 3] = rng.choice([0.0, 1e-30, 1e-12, -1e-12, 1e9, 1e20], 6)
        position = rng.choice(places, 3)
        compare(forests, position, planes if step % 2 else None, native_device, vulkan_device,
                dt=float(rng.choice([1e-5, 1e-4, 0.1])))  # fmt: skip
    each(forests, "close")


@pytest.mark.slow
def test_more_rows_than_the_device_binds(vulkan_device):
    if vulkan_device.info.kind != "software":
        pytest.skip("bindings of hardware hold more rows than a test should make")
    forest = dw.Forest([MESH], distances=[])
    forest.add(np.arange(2_700_000), np.zeros((2_700_000, 3), np.float32))
    assert forest.cull((0, 0, 0), device=vulkan_device).stats["listed"] == 2_700_000
    forest.add(np.arange(3_000_000, 3_200_000), np.zeros((200_000, 3), np.float32))
    with pytest.raises(dw.CapacityError, match="had 2900000 instances .* hold 2796202"):
        forest.cull((0, 0, 0), device=vulkan_device)
    forest.close()


def test_steady_views_allocate_nothing(rng, native_device, vulkan_device):
    forests = twins(rng, 2000)
    devices = native_device, vulkan_device
    counts = []
    for step in range(8):
        each(forests, "deplete", [step])
        for forest, device in zip(forests, devices, strict=True):
            forest.cull((step, 0, 0), dt=0.05, device=device)
        counts.append((_core.host_allocations(), vulkan_device.live_counts()["buffers"]))
    assert len(set(counts[2:])) == 1, counts
    each(forests, "close")
