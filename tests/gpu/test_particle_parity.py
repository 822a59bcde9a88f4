# SPDX-License-Identifier: MIT
"""Particles on a Vulkan device have the bytes of native ones."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood.camera import Camera
from helpers_particle_tables import (
    KINDS,
    NONE,
    C,
    Tables,
    make_rows,
    make_tables,
    make_view,
)

SECOND = 65536
TICKS = [0, 66, SECOND, 3600 * SECOND, 2**32 - 1, 2**32, 2**32 + 1, 2**52 - 1]
EVERYWHERE = np.tile([0.0, 0.0, 0.0, 1.0], 6)
FIELDS = ("first", "count", "candidates", "rows")


def assert_states(native, vulkan, tables: Tables, now: int, **more) -> np.ndarray:
    wanted = tables.state(native, now, **more)
    got = tables.state(vulkan, now, **more)
    assert len(got) == len(wanted)
    for name in wanted.dtype.names:
        assert got[name].tobytes() == wanted[name].tobytes(), name
    return wanted


def assert_views(native, vulkan, tables: Tables, view: np.ndarray, **more) -> dict:
    wanted = tables.see(native, view, **more)
    got = tables.see(vulkan, view, **more)
    filled = wanted["count"] > 0
    for name in FIELDS:
        picked = filled if name == "first" else slice(None)
        assert got[name][picked].tolist() == wanted[name][picked].tolist(), name
    assert got["sprites"].tobytes() == wanted["sprites"].tobytes()
    return wanted


def look(tables: Tables, position, target, now: int, far: float = 45.0) -> np.ndarray:
    planes = Camera(position, target, near=0.5, far=far).planes(1.5)
    return make_view(position, planes, now, len(tables.regions), len(tables.emitters))


def everywhere(tables: Tables, now: int) -> np.ndarray:
    return make_view((0, 2, 0), EVERYWHERE, now, len(tables.regions), len(tables.emitters))


@pytest.mark.parametrize("now", TICKS)
def test_states_have_the_bytes_of_native_ones(rng, native_device, vulkan_device, now):
    tables = make_tables(rng, layer_rows=(300, 0, 120))
    state = assert_states(native_device, vulkan_device, tables, now)
    assert len(state) > 100
    camera = np.float32([3, 1, -2])
    assert_states(native_device, vulkan_device, tables, now, camera=camera, first=77, count=301)


@pytest.mark.parametrize("now", TICKS)
def test_views_have_the_bytes_of_native_ones(rng, native_device, vulkan_device, now):
    tables = make_tables(rng, layer_rows=(400, 0, 300, 257))
    shown = 0
    for view in (
        look(tables, (0, 3, 0), (10, 0, 5), now),
        look(tables, (-20, 2, 8), (30, 0, 0), now),
        everywhere(tables, now),
    ):
        for sorted_layers in (0, 0b1000, 0b1101):
            seen = assert_views(
                native_device, vulkan_device, tables, view, sorted_layers=sorted_layers
            )
            shown += seen["count"].sum()
    assert shown > 300
