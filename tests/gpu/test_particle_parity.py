# SPDX-License-Identifier: MIT
"""Particles on a Vulkan device have the bytes of native ones."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood.camera import Camera
from dapplewood.errors import CapacityError
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


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_alone(rng, native_device, vulkan_device, kind):
    """With every rule of life, and with numbers that are not the tables' common ones."""
    tables = make_tables(rng, kinds=[KINDS[kind]], layer_rows=(200,), slots=30)
    for now in (7 * SECOND + 1, 2**32 + 12345):
        state = assert_states(native_device, vulkan_device, tables, now)
        assert len(state) > 50
    tables.parts["params"] *= 30
    tables.parts["life_span"] = 2**31 - 1
    assert_states(native_device, vulkan_device, tables, 2**33 + 77, camera=np.float32([1, 2, 3]))
    assert_views(native_device, vulkan_device, tables, everywhere(tables, 2**33 + 77))


@pytest.mark.parametrize("most", [1, 2, 1000, 70_000, 2**24, 2**32])
def test_loops_of_any_length(rng, native_device, vulkan_device, most):
    """Whole numbers of 64 bits are divided by steps of 32 bits on a device."""
    tables = make_tables(rng, layer_rows=(500,), slots=20)
    tables.emitters["loop"] = rng.integers(most // 2, most, 512) + (most < 3)
    tables.emitters["rate"] = rng.choice([65536, 2**18, 3, 40000], 512)
    for life in (1, 2, 65537, 2**20 + 1, 2**31):
        tables.parts["life_least"] = life
        tables.parts["life_span"] = rng.integers(0, 2**31 - 1, len(tables.parts)) % life
        for now in (12345, 2**32 + 7, 2**44 + 1):
            assert_states(native_device, vulkan_device, tables, now)


def test_tables_without_rows_or_slots(rng, native_device, vulkan_device):
    tables = make_tables(rng, layer_rows=(40, 0))
    tables.emitters["count"] = 0
    assert len(assert_states(native_device, vulkan_device, tables, SECOND)) == 0
    seen = assert_views(native_device, vulkan_device, tables, everywhere(tables, SECOND))
    assert seen["candidates"].tolist() == [0, 0]
    tables.emitters["count"], tables.emitters["part"] = 5, NONE
    assert len(assert_states(native_device, vulkan_device, tables, SECOND)) == 0
    assert_views(native_device, vulkan_device, tables, everywhere(tables, SECOND))
    tables.emitters, tables.regions = tables.emitters[:0], np.zeros_like(tables.regions)
    assert len(assert_states(native_device, vulkan_device, tables, SECOND)) == 0
    view = everywhere(tables, SECOND)
    assert_views(native_device, vulkan_device, tables, view, sorted_layers=3)


def one_row(rng, count: int) -> Tables:
    """Among small ones."""
    tables = make_tables(rng, kinds=[KINDS["splash"]], layer_rows=(300, 20), lod=False)
    tables.parts["flags"] &= C["PART_IS_RAMPED"]
    row = tables.emitters[150]
    row["part"], row["count"], row["rate"], row["loop"] = 0, count, 65536, 0
    row["stop_low"] = row["stop_high"] = NONE
    row["position"] = row["before"] = 0
    return tables


def test_a_row_of_a_million_slots(rng, native_device, vulkan_device):
    tables = one_row(rng, 1_000_000)
    seen = assert_views(native_device, vulkan_device, tables, everywhere(tables, 99 * SECOND))
    assert seen["count"][0] > 900_000
    state = assert_states(native_device, vulkan_device, tables, 99 * SECOND)
    assert len(state) > 1_000_000


@pytest.mark.parametrize("count", [1023, 1024, 1025, 2048, 5000])
def test_runs_of_slots_end_anywhere(rng, native_device, vulkan_device, count):
    tables = one_row(rng, count)
    for view in (everywhere(tables, SECOND), look(tables, (0, 1, 5), (0, 0, 0), SECOND)):
        assert_views(native_device, vulkan_device, tables, view, sorted_layers=0b01)


def test_many_rows_of_few_slots(rng, native_device, vulkan_device):
    """More groups of rows than a workgroup has lanes, most of them out of view."""
    rows = make_tables(rng, layer_rows=(70_000, 3_000), slots=3)
    rows.emitters["position"] *= 20
    for view in (everywhere(rows, SECOND), look(rows, (300, 5, 0), (500, 0, 80), SECOND, 200.0)):
        seen = assert_views(native_device, vulkan_device, rows, view, sorted_layers=0b10)
        assert seen["count"].sum() > 50


def test_layers_of_every_number(rng, native_device, vulkan_device):
    tables = make_tables(rng, kinds=[0, 3], layer_rows=tuple(range(0, 192, 3)))
    view = everywhere(tables, SECOND)
    for sorted_layers in (0, 0x8000_0001_4000_0002, 2**64 - 1):
        assert_views(native_device, vulkan_device, tables, view, sorted_layers=sorted_layers)


@pytest.mark.parametrize("sorted_layers", [0b11, 0b10])
def test_equal_depths_stay_in_order(rng, native_device, vulkan_device, sorted_layers):
    tables = make_tables(rng, kinds=[KINDS["splash"]], layer_rows=(900, 300), slots=40, lod=False)
    tables.emitters["position"] = tables.emitters["before"] = (3, 0, 4)
    tables.parts["params"] = 0
    tables.parts["params"][:, 5] = 1
    seen = assert_views(
        native_device, vulkan_device, tables, everywhere(tables, SECOND),
        sorted_layers=sorted_layers,
    )  # fmt: skip
    assert seen["count"].min() > 1024


def test_subgroups_make_no_difference(rng, native_device, vulkan_device):
    tables = make_tables(rng, layer_rows=(3000, 700))
    view = look(tables, (0, 3, 0), (10, 0, 5), 5 * SECOND)
    wide, narrow = (
        tables.see(vulkan_device, view, sorted_layers=2, mode=mode)
        for mode in (0, 1)
    )
    wanted = tables.see(native_device, view, sorted_layers=2)
    assert wide["sprites"].tobytes() == narrow["sprites"].tobytes() == wanted["sprites"].tobytes()


@pytest.mark.parametrize("rows", [(0,), (1,), (300,), (700, 0, 60), (2, 5000)])
def test_tables_grow_and_change(rng, native_device, vulkan_device, rows):
    """Half of the rows, all of them but for some, then these."""
    tables = make_tables(rng, layer_rows=rows)
    view = everywhere(tables, SECOND)
    got = tables.see(vulkan_device, view, sorted_layers=1, mode=2)
    wanted = tables.see(native_device, view, sorted_layers=1)
    assert got["sprites"].tobytes() == wanted["sprites"].tobytes()
    assert got["rows"].tolist() == wanted["rows"].tolist()


def test_frames_send_little_and_take_no_memory(rng, vulkan_device):
    """When nothing changed."""
    tables = make_tables(rng, layer_rows=(500, 100))
    view = look(tables, (0, 3, 0), (10, 0, 5), SECOND)
    frames = tables.see(vulkan_device, view, sorted_layers=1, repeat=12)["frames"]
    sent, allocations, used = frames[4:, 7], frames[4:, 8], frames[:, 9]
    assert (sent > 0).all()
    assert sent.max() <= 256
    assert allocations.max() == 0
    assert len(set(used)) == 1


def test_more_than_a_buffer_holds(rng, vulkan_device):
    tables = make_tables(rng, kinds=[KINDS["splash"]], layer_rows=(256,))
    tables.emitters["part"], tables.emitters["count"] = 0, 2**24 - 1
    with pytest.raises(CapacityError, match=r"room for \d+ slots, but buffers of this device"):
        tables.see(vulkan_device, everywhere(tables, 0))
