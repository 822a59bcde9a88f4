# SPDX-License-Identifier: MIT
"""Native particles: what a view shows against brute force, order, fades, bad tables."""

from __future__ import annotations

import functools
import signal

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from dapplewood.camera import Camera
from helpers_particle_tables import (
    KINDS,
    NONE,
    C,
    Tables,
    depth_keys,
    kept_of_rows,
    make_rows,
    make_tables,
    make_view,
    seen_of_state,
    sprites_of_state,
)

NOW = 1234567


@pytest.fixture(scope="module")
def device():
    with dw.Device("cpu", threads=2) as device:
        yield device


@pytest.fixture(scope="module")
def lone():
    with dw.Device("cpu", threads=1) as device:
        yield device


def view_of(tables: Tables, position, target, now: int = NOW) -> np.ndarray:
    camera = Camera(position, target, near=0.5, far=45.0)
    planes = camera.planes(1.5)
    return make_view(position, planes, now, len(tables.regions), len(tables.emitters))


VIEWS = [((0, 3, 0), (10, 0, 5)), ((-20, 2, 8), (30, 0, 0)), ((5, 20, 5), (5.1, 0, 5))]


# ---- what lives ----


@pytest.mark.parametrize("seed", range(4))
def test_particles_come_by_row_and_slot(device, seed):
    tables = make_tables(np.random.default_rng(seed))
    state = tables.state(device, NOW)
    place = state["emitter"].astype(np.int64) << 24 | state["slot"]
    assert len(state) > 200
    assert (np.diff(place) > 0).all()
    rows = tables.emitters[state["emitter"]]
    assert (rows["part"] != NONE).all()
    assert (state["slot"] < rows["count"]).all()
    assert (state["age"] < state["lifetime"]).all()
    assert not (rows["part"] >> 16 & C["EMITTER_IS_HIDDEN"]).any()


@pytest.mark.parametrize("now", [0, 65, 2**32 - 1, 2**32, 2**52 - 1])
def test_threads_and_parts_of_tables_change_no_byte(device, lone, now):
    tables = make_tables(np.random.default_rng(7), layer_rows=(600, 300))
    whole = tables.state(device, now)
    assert whole.tobytes() == tables.state(lone, now).tobytes()
    pieces = [
        tables.state(device, now, first=first, count=min(129, len(tables.emitters) - first))
        for first in range(0, len(tables.emitters), 129)
    ]
    assert np.concatenate(pieces).tobytes() == whole.tobytes()


@pytest.mark.parametrize("now", [0, 1, 65536, NOW, 2**32 - 1, 2**32, 2**32 + 65536, 2**52 - 1])
@pytest.mark.parametrize("seed", range(3))
def test_vectors_give_the_bytes_of_one_slot_at_a_time(device, seed, now):
    rng = np.random.default_rng([seed, now])
    tables = make_tables(rng, layer_rows=(900, 300), slots=[9, 33, 400][seed])
    tables.emitters["surface_count"][rng.random(len(tables.emitters)) < 0.5] = 0
    camera = rng.uniform(-5, 5, 3).astype(np.float32)
    for where in (camera, None):
        fast = tables.state(device, now, camera=where)
        plain = tables.state(device, now, camera=where, plain=True)
        assert len(fast) > 500
        assert fast.tobytes() == plain.tobytes()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_vectors_of_each_kind(device, kind):
    """Every rule of lives, with and without points and trails."""
    rng = np.random.default_rng(KINDS[kind])
    tables = make_tables(rng, kinds=[KINDS[kind]], layer_rows=(400,), slots=40)
    for now in (70000, 2**32 + 7, 2**40):
        fast, plain = (tables.state(device, now, plain=flag) for flag in (False, True))
        assert len(fast) > 400
        assert fast.tobytes() == plain.tobytes()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@pytest.mark.parametrize("what", ["state", "see"])
def test_an_interrupt_ends_a_call_before_its_end(device, what):
    """4,000,000 slots that go one by one; map keeps what a call gives before signals are heard."""
    tables = make_tables(np.random.default_rng(4), layer_rows=(900, 300))
    small, rows_before = tables.state(device, NOW).tobytes(), tables.emitters.copy()
    tables.emitters["loop"] = 654_321
    tables.emitters["count"] = 4000
    view = view_of(tables, *VIEWS[0])
    view["planes"] = np.tile([0, 0, 0, 1], 6)
    rows, parts, extras = tables.emitters, tables.parts, tables.extras
    if what == "state":
        call = functools.partial(_core.particle_state, device, rows, now=NOW, **extras)
        last = parts
    else:
        call = functools.partial(_core.particle_see, device, view, rows, parts, **extras)
        last = tables.regions
    held, found = _core.host_allocations(), []
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            found.extend(map(call, [last]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert not found
    assert _core.host_allocations() == held
    tables.emitters = rows_before
    assert tables.state(device, NOW).tobytes() == small


def test_no_rows_and_no_slots(device):
    tables = make_tables(np.random.default_rng(1), layer_rows=(20,))
    tables.emitters["count"] = 0
    assert len(tables.state(device, NOW)) == 0
    tables.emitters = tables.emitters[:0]
    tables.regions["count"] = 0
    assert len(tables.state(device, NOW)) == 0
    seen = tables.see(device, view_of(tables, *VIEWS[0]))
    assert len(seen["sprites"]) == 0
    assert seen["count"].tolist() == [0]


def test_free_rows_give_nothing(device):
    tables = make_tables(np.random.default_rng(2), layer_rows=(50,))
    tables.emitters["part"] = NONE
    tables.emitters["count"] = 12345
    assert len(tables.state(device, NOW)) == 0
    assert len(tables.see(device, view_of(tables, *VIEWS[0]))["sprites"]) == 0


def test_one_row_of_as_many_slots_as_there_may_be(device):
    rng = np.random.default_rng(3)
    tables = make_tables(rng, kinds=[KINDS["splash"]], layer_rows=(3,), lod=False)
    tables.parts[0]["flags"] = 0
    tables.parts[0]["opacity_curve"] = tables.parts[0]["ramp"] = NONE
    tables.emitters[:3] = make_rows(rng, 3, tables.parts, area=1.0)
    for row in tables.emitters[:3]:
        row["part"], row["loop"], row["count"] = 0, 0, 3
        row["stop_low"] = row["stop_high"] = NONE
    tables.emitters["position"][1] = (0, 0, -10)
    tables.emitters["count"][1] = most = 2**24 - 1
    view = view_of(tables, (0, 0, 0), (0, 0, -1))
    view["planes"] = np.tile([0, 0, 0, 1], 6)
    seen = tables.see(device, view)
    assert seen["candidates"].tolist() == [most + 6]
    assert most * 0.9 < len(seen["sprites"]) <= most + 6
    tables.emitters["count"][1] = most + 1
    with pytest.raises(ValueError, match="emitters: row 1 has 16777216 slots, at most 16777215"):
        tables.see(device, view)


# ---- what a view shows ----


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("place", VIEWS)
def test_a_view_shows_what_brute_force_finds(device, seed, place):
    tables = make_tables(np.random.default_rng(seed), layer_rows=(500, 0, 280), slots=15)
    view = view_of(tables, *place)
    seen = tables.see(device, view)
    state = tables.state(device, NOW, camera=view["camera"][0])
    index, opacity = seen_of_state(tables, view, state)
    assert 0 < len(index) < len(state)
    assert seen["sprites"].tobytes() == sprites_of_state(state[index], opacity).tobytes()
    layer = tables.parts["layer"][tables.emitters["part"][state["emitter"][index]] & 0xFFFF]
    assert seen["count"].tolist() == np.bincount(layer, minlength=3).tolist()
    first = np.cumsum(seen["count"]) - seen["count"]
    assert seen["first"][[0, 2]].tolist() == first[[0, 2]].tolist()


def test_what_is_looked_at_is_counted(device):
    tables = make_tables(np.random.default_rng(11), layer_rows=(500, 300))
    view = view_of(tables, *VIEWS[1])
    seen = tables.see(device, view)
    kept = kept_of_rows(tables, view)
    for layer, (first, count) in enumerate(tables.regions.tolist()):
        own = kept[first : first + count]
        assert seen["rows"][layer] == (own > 0).sum()
        assert seen["candidates"][layer] == ((own + 255) >> 8).sum()
    assert 0 < seen["rows"].sum() < (tables.emitters["part"] != NONE).sum()


def test_threads_change_no_sprite(device, lone):
    tables = make_tables(np.random.default_rng(12), layer_rows=(900, 900), slots=40)
    view = view_of(tables, *VIEWS[0])
    both = [tables.see(one, view, sorted_layers=2) for one in (device, lone)]
    assert both[0]["sprites"].tobytes() == both[1]["sprites"].tobytes()


def test_rows_fade_slot_by_slot_with_distance(device):
    """Slots that a nearer camera shows hold those of every camera farther off; only the last one
    fades, and what is shown never jumps."""
    rng = np.random.default_rng(13)
    tables = make_tables(rng, kinds=[KINDS["splash"]], layer_rows=(1,))
    part, row = tables.parts[0], tables.emitters[0]
    part["flags"], part["opacity_curve"], part["size_curve"], part["ramp"] = 0, NONE, NONE, NONE
    part["rise"] = part["fall"] = 1e9
    part["opacity"] = 1.0
    part["lod_far2"], part["lod_scale"] = 40.0**2, 1 / (40.0**2 - 10.0**2)
    row["part"], row["count"], row["loop"], row["rate"] = 0, 23, 0, 65536
    row["stop_low"] = row["stop_high"] = NONE
    row["position"] = 0
    whole, shown = None, []
    for distance in np.linspace(5, 42, 200):
        view = view_of(tables, (0, 0, distance), (0, 0, 0))
        view["planes"] = np.tile([0, 0, 0, 1], 6)
        sprites = tables.see(device, view)["sprites"]
        alpha = (sprites["opacity"] & 0xFFFF).astype(np.uint16).view(np.float16)
        if whole is None:
            whole = sprites
            assert len(whole) == 23
        assert (sprites["position"] == whole["position"][: len(sprites)]).all()
        assert (alpha[:-1] == 1).all()
        shown.append(float(alpha.sum()))
    assert shown[0] == 23
    assert shown[-1] == 0
    assert (np.diff(shown) <= 0).all()
    assert np.abs(np.diff(shown)).max() < 1.0


# ---- order ----


@pytest.mark.parametrize("place", VIEWS)
def test_sorted_layers_come_farthest_first(device, place):
    tables = make_tables(np.random.default_rng(21), layer_rows=(700, 400, 300), slots=20)
    view = view_of(tables, *place)
    plain = tables.see(device, view)
    seen = tables.see(device, view, sorted_layers=0b101)
    for layer in range(3):
        first, count = int(seen["first"][layer]), int(seen["count"][layer])
        before, after = (s["sprites"][first : first + count] for s in (plain, seen))
        keys = depth_keys(before["position"], view["camera"][0])
        order = np.argsort(keys, kind="stable") if layer != 1 else np.arange(count)
        assert count > 50
        assert after.tobytes() == before[order].tobytes()


def test_many_sprites_are_sorted_and_ties_stay_in_order(device):
    rng = np.random.default_rng(22)
    tables = make_tables(rng, kinds=[KINDS["splash"]], layer_rows=(4,), lod=False)
    tables.emitters["part"][:4], tables.parts["flags"], tables.emitters["loop"] = 0, 0, 0
    tables.emitters["count"][:4] = 60000
    tables.emitters["stop_low"] = tables.emitters["stop_high"] = NONE
    tables.emitters["position"][1] = tables.emitters["position"][0]
    view = view_of(tables, (0, 1, 0), (0, 0, -5))
    view["planes"] = np.tile([0, 0, 0, 1], 6)
    before = tables.see(device, view)["sprites"]
    after = tables.see(device, view, sorted_layers=1)["sprites"]
    keys = depth_keys(before["position"], view["camera"][0])
    assert len(np.unique(keys)) < len(keys) / 4
    assert after.tobytes() == before[np.argsort(keys, kind="stable")].tobytes()


def test_keys_are_monotone_and_fine():
    rng = np.random.default_rng(23)
    distance = np.sort(np.exp(rng.uniform(np.log(0.01), np.log(8000), 4000))).astype(np.float32)
    at = np.stack([distance, 0 * distance, 0 * distance], -1)
    keys = depth_keys(at, np.zeros(3, np.float32))
    assert (np.diff(keys) <= 0).all()
    assert keys.min() == 0
    assert keys.max() == 0xFFFF
    apart = (distance[1:] > distance[:-1] * 1.0005) & (distance[1:] < 4000) & (distance[:-1] > 0.07)
    assert apart.sum() > 1000
    assert (np.diff(keys)[apart] < 0).all()


# ---- bad input and bookkeeping ----


def change(field: str, value, table: str = "parts"):
    def one(tables: Tables) -> None:
        getattr(tables, table)[field][0] = value

    return one


BAD = {
    "parts: part 0 has kind 4000": change("kind", 4000),
    "parts: part 0 is of layer 3, but there are 3": change("layer", 3),
    "parts: opacity_curve of part 0 begins at 66": change("opacity_curve", 66),
    "parts: size_curve of part 0 begins at 4294967294": change("size_curve", NONE - 1),
    "parts: ramp of part 0 takes": change("ramp", 100),
    "parts: lives of part 0 must lie in": change("life_least", 0),
    r"2\^32\) ticks, got": change("life_span", NONE),
    "parts: part 0 has a number that is not finite": change("rise", np.nan),
    "emitters: row 0 has part 9999": change("part", 9999, "emitters"),
    "emitters: row 0 has 16777216 slots": change("count", 2**24, "emitters"),
    "emitters: row 0 has 2147483648 slots": change("count", 2**31, "emitters"),
    r"emitters: row 0 takes points \[64, 64 \+ 1\)": change("surface", 64, "emitters"),
    "emitters: row 0 has a number that is not finite": change("scale", np.inf, "emitters"),
    "emitters: row 0 has a time": change("epoch_high", 1 << 20, "emitters"),
    "regions: layer 0 has rows": change("first", 1, "regions"),
    r"regions: layer 0 has rows \[0, 0 \+ 5000\)": change("count", 5000, "regions"),
    "curves must be finite": lambda tables: tables.curves.__setitem__(3, np.nan),
}


@pytest.mark.parametrize("message", BAD)
def test_tables_that_do_not_fit(device, message):
    tables = make_tables(np.random.default_rng(31))
    tables.emitters["part"][0] = 0
    tables.emitters["surface_count"][0] = 1
    tables.parts["flags"][0] = C["PART_IS_RAMPED"]
    BAD[message](tables)
    with pytest.raises(ValueError, match=message):
        tables.see(device, view_of(tables, *VIEWS[0]))


def test_bursts_must_not_overtake_each_other(device):
    tables = make_tables(np.random.default_rng(32))
    tables.parts["flags"][0] = C["PART_IS_BURST"]
    tables.parts["gap"][0], tables.parts["gap_jitter"][0] = 100, 51
    with pytest.raises(ValueError, match="gap of part 0 must be at least 1 and twice its jitter"):
        tables.state(device, NOW)


def test_a_row_in_the_wrong_layer(device):
    tables = make_tables(np.random.default_rng(33))
    tables.emitters["part"][5] = len(tables.parts) - 1
    with pytest.raises(ValueError, match="row 5 lies in layer 0, but its part is of layer 2"):
        tables.see(device, view_of(tables, *VIEWS[0]))


def test_other_arguments_that_do_not_fit(device):
    tables = make_tables(np.random.default_rng(34))
    with pytest.raises(ValueError, match=r"now must be below 2\^52 ticks, got 4503599627370496"):
        tables.state(device, 2**52)
    with pytest.raises(ValueError, match="view: now must be below"):
        tables.see(device, view_of(tables, *VIEWS[0], now=2**52))
    with pytest.raises(ValueError, match=r"rows \[0, 0 \+ 9999\) must lie in the"):
        tables.state(device, NOW, count=9999)
    with pytest.raises(ValueError, match=r"camera must have shape \(3,\)"):
        tables.state(device, NOW, camera=np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="parts must be a one-dimensional array of records of"):
        _core.particle_state(device, tables.emitters, tables.emitters)
    with pytest.raises(ValueError, match=r"points must have shape \(N, 3\)"):
        _core.particle_state(device, tables.emitters, tables.parts, points=np.zeros((4, 2), "f4"))


def test_nothing_is_kept(device):
    tables = make_tables(np.random.default_rng(35))
    view = view_of(tables, *VIEWS[0])
    before = _core.host_allocations()
    for _ in range(3):
        tables.see(device, view, sorted_layers=7)
        tables.state(device, NOW)
        tables.parts["kind"][0] = 4000
        with pytest.raises(ValueError, match="kind 4000"):
            tables.see(device, view)
        tables.parts["kind"][0] = 0
    assert _core.host_allocations() == before


def test_a_view_seen_again_allocates_nothing(device):
    tables = make_tables(np.random.default_rng(36))
    view = view_of(tables, *VIEWS[0])
    counts = []
    for repeat in (1, 2, 9):
        before = _core.host_allocation_total()
        tables.see(device, view, sorted_layers=7, repeat=repeat)
        counts.append(_core.host_allocation_total() - before)
    assert counts[0] == counts[1] == counts[2] > 0
