# SPDX-License-Identifier: MIT
"""Steps of particles with state on a Vulkan device have the bytes of native ones."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import Device
from helpers_particle_steps import SECOND, STEP, C, World, make_collider, make_law

GRAVITY = (0.0, -9.81, 0.0)


@pytest.fixture(scope="module")
def native():
    with Device("cpu") as device:
        yield device


def solids() -> tuple[np.ndarray, ...]:
    return (
        make_collider("PLANE", center=(0, -1, 0), bounce=0.5, friction=0.3),
        make_collider("SPHERE", center=(1, 1, 0), size=0.7, bounce=0.8),
        make_collider("BOX", center=(-1, 0.5, 0), size=(0.4, 0.6, 0.5), bounce=0.2, friction=1),
        make_collider(
            "HEIGHTFIELD", center=(-4, -1, -4), size=(2, 0, 2), columns=17, rows=17, bounce=0.4
        ),
    )


def everything() -> World:
    """All that a row may be: forces, solids, children of children, bursts, rings, renewal."""
    world = World()
    grid = np.arange(17) / 2
    world.heights = (0.4 * np.sin(grid)[None, :] * np.cos(grid)[:, None]).astype(np.float32)
    world.heights = world.heights.ravel()
    law = {"speed": 3, "speed_span": 4, "cone": 1.5, "gravity": GRAVITY, "drag": 0.4}
    air = {"wind": (1, 0, -0.5), "noise": 2, "noise_scale": 0.8, "noise_drift": (99, 7, 0)}
    pull = {"pull": 5, "pull_reach": 1.5, "pull_place": (0, 2, 0), "extent": (0.3, 0.1, 0.3)}
    world.add(
        700, (0.4, 2.5), make_law(**law, **air, **pull, rate=9 * 65536), solids(), is_parent=True
    )
    deaths, bounces = C["LAW_IS_OF_DEATHS"], C["LAW_IS_OF_COLLISIONS"]
    child = make_law(**law, children=2, flags=deaths, inherit=0.5)
    world.add(1400, (0.2, 0.6), child, solids()[:1], parent=0, is_parent=True)
    world.add(1400, (0.1, 0.3), make_law(**law, flags=bounces), parent=1)
    world.add(
        130, (0.3, 9), make_law(**law, rate=77777, flags=C["LAW_IS_BALL"], extent=(1, 2, 3)),
        position=(5, 1, 2), scale=0.5, rate=40000,
    )  # fmt: skip
    world.add(65, (0.2, 2), make_law(**law, flags=C["LAW_DROPS_NEWEST"], rate=99999))
    world.add(50, (0.5, 1), make_law(**law), once=True)
    burst = {"burst_count": 3, "burst_gap": SECOND // 2, "burst_span": SECOND, "burst_part": 6}
    world.add(9, (0.6, 1.2), make_law(**burst), flags=C["PART_IS_RENEWED"])
    keeps = make_law(flags=C["LAW_KEEPS_LIFE"] | C["LAW_AGES_TO_LIFE"])
    world.add(70, (0.2, 3), keeps, flags=C["PART_IS_RENEWED"], rate=100000)
    return world


def assert_same(world: World, native, vulkan, ticks) -> np.ndarray:
    wanted, skipped = world.run(native, ticks)
    got, lost = world.run(vulkan, ticks)
    assert skipped == lost
    dead = wanted[:, :1] == 0
    assert ((got[:, :1] == 0) == dead).all()
    renewed = np.isin(wanted[:, :1] & 0x7FFFFFFF, (7, 8))
    for word in range(7):
        ignored = dead | renewed if word >= 4 else dead
        differ = (got[:, word] != wanted[:, word]) & ~ignored[:, 0]
        assert not differ.any(), (word, np.argwhere(differ)[:5])
    return wanted


def test_everything_has_the_same_bytes(native, vulkan_device):
    ticks = [0, 3, STEP, 5 * STEP + 77, SECOND, SECOND + 1, 2 * SECOND + 500, 5 * SECOND]
    shown = assert_same(everything(), native, vulkan_device, ticks)
    world = everything()
    for row in range(len(world.rows)):
        begin = world.first(row)
        assert (shown[:, 0, begin : begin + world.rows[row][2]] != 0).any(), row


def test_stalls_have_the_same_bytes(native, vulkan_device):
    assert_same(everything(), native, vulkan_device, [SECOND, 21 * SECOND])
    assert_same(everything(), native, vulkan_device, [SECOND // 3, 3600 * SECOND])


@pytest.mark.parametrize("speed", [1, 100])
def test_solids_at_speed_have_the_same_bytes(native, vulkan_device, speed):
    world = World()
    world.heights = everything().heights
    law = make_law(gravity=GRAVITY, speed=speed, speed_span=speed, cone=2)
    world.add(4000, (9, 9), law, solids(), once=True, position=(0, 3, 0))
    assert_same(world, native, vulkan_device, [STEP * i // 2 for i in range(1, 40)])


def test_splits_on_a_device_are_one(vulkan_device):
    world = everything()
    whole, _ = world.run(vulkan_device, [2 * SECOND + 300])
    split, _ = world.run(vulkan_device, np.linspace(0, 2 * SECOND + 300, 61).astype(np.uint64))
    alive = whole[-1, 0] != 0
    np.testing.assert_array_equal(split[-1, 0], whole[-1, 0])
    np.testing.assert_array_equal(split[-1, 1:4, alive], whole[-1, 1:4, alive])
