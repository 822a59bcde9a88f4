# SPDX-License-Identifier: MIT
"""The dissolve state machine: starts, ticks, ends, and what a device gets."""

from __future__ import annotations

import gc
import math
import threading
import tracemalloc

import numpy as np
import pytest
from dapplewood import _core

import dapplewood as dw

ENCODINGS = ("float32", "unorm8", "analytic")
CURVED = [kind for kind in dw.Easing if kind != dw.Easing.LINEAR]

# How far a value may be off: a rounding of float32 for each step; in the analytic form, half a tick
# of time for each start and a step of its 22 bits.
STEP = 2.0**-23
TOLERANCES = {"float32": 8 * STEP, "unorm8": 8 * STEP, "analytic": 1e-4}


@pytest.fixture(params=ENCODINGS)
def encoding(request):
    return request.param


def words(events) -> list[tuple[int, str]]:
    return [(int(event["id"]), str(event["kind"])) for event in events]


# ---- the table of states: what is there, what is done, what must follow ----

CASES = {
    # name: (value before, [steps], value after, events by kind, animations left)
    "instant depletion": (0, [("start", +1, True)], 1, "started completed", 0),
    "instant respawn": (1, [("start", -1, True)], 0, "started completed", 0),
    "instant, already there": (1, [("start", +1, True)], 1, "started completed", 0),
    "half of a respawn": (1, [("start", -1), ("tick", 0.15)], 0.5, "started", 1),
    "whole respawn": (1, [("start", -1), ("tick", 0.3)], 0, "started completed", 0),
    "respawn of what is there": (0, [("start", -1), ("tick", 0.01)], 0, "started completed", 0),
    "a long frame": (0, [("start", +1), ("tick", 1e6)], 1, "started completed", 0),
    "reversed in flight": (
        0,
        [("start", +1), ("tick", 0.09), ("start", -1), ("tick", 0.03)],
        0.2,
        "started interrupted started",
        1,
    ),
    "reversed, partial sweep takes its part": (
        0,
        [("start", +1), ("tick", 0.09), ("start", -1), ("tick", 0.091)],
        0,
        "started interrupted started completed",
        0,
    ),
    "the same direction again": (
        0,
        [("start", +1), ("tick", 0.15), ("start", +1), ("tick", 0.075)],
        0.75,
        "started interrupted started",
        1,
    ),
    "instant during an animation": (
        1,
        [("start", -1), ("tick", 0.1), ("start", +1, True)],
        1,
        "started interrupted started completed",
        0,
    ),
    "set during an animation": (
        1,
        [("start", -1), ("tick", 0.1), ("set", 0.25)],
        0.25,
        "started interrupted",
        0,
    ),
    "on from a set value": (0, [("set", 0.6), ("start", +1), ("tick", 0.06)], 0.8, "started", 1),
    "added anew in flight": (
        1,
        [("start", -1), ("tick", 0.1), ("add", 0.5)],
        0.5,
        "started interrupted",
        0,
    ),
    "removed and added in flight": (
        1,
        [("start", -1), ("tick", 0.1), ("remove",), ("add", 0)],
        0,
        "started interrupted",
        0,
    ),
    "no time": (1, [("start", -1), ("tick", 0.0), ("tick", -0.0)], 1, "started", 1),
    "time that goes back": (
        0,
        [("start", +1), ("tick", 0.15), ("tick", -0.06)],
        0.3,
        "started",
        1,
    ),
    "back beyond the beginning, then on": (
        0.5,
        [("start", +1), ("tick", -9.0), ("tick", 0.15)],
        0.5,
        "started",
        1,
    ),
    "an end is not undone": (
        0,
        [("start", +1), ("tick", 0.5), ("tick", -0.4)],
        1,
        "started completed",
        0,
    ),
    "nothing going on": (0.4, [("tick", 5.0)], 0.4, "", 0),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("others", [0, 40])
def test_state_table(encoding, name, others):
    """Alone, where all rows are stepped, and among resting rows, where only active ones are."""
    before, steps, after, kinds, left = CASES[name]
    field = dw.DissolveField(encoding=encoding)
    field.add(np.arange(others) + 1000, 0.25)
    field.add(7, before)
    assert field.value(7) == pytest.approx(before, abs=2.0**-22)
    events = []
    for step, *given in steps:
        if step == "start":
            field.start(7, given[0], instant=len(given) > 1)
        elif step == "tick":
            events += words(field.tick(given[0]))
        elif step == "set":
            field.set(7, given[0])
        elif step == "add":
            field.add(7, given[0])
        else:
            assert field.remove(7) == 1 and 7 not in field
    events += words(field.tick(0))
    assert [kind for _, kind in events] == kinds.split() and {id for id, _ in events} <= {7}
    assert field.value(7) == pytest.approx(after, abs=TOLERANCES[encoding])
    if after in (0, 1):
        assert field.value(7) == after
    assert field.active == left
    assert (field.value(np.arange(others) + 1000) == 0.25).all()
    assert field.tick(0).size == 0


def test_depleted_from_the_first_frame(encoding):
    field = dw.DissolveField(encoding=encoding)
    field.add([1, 2, 3], [0, 1, 0.5])
    encoded = field.encoded()
    if encoding == "float32":
        assert encoded.tolist() == [0, 1, 0.5]
    elif encoding == "unorm8":
        assert encoded.tolist() == [[0, 0, 255, 255], [0, 0, 0, 255], [0, 0, 128, 255]]
    else:
        assert encoded["rate"].tolist() == [0, 0, 0]
        assert (encoded["bits"] & 0x7FFFFF).tolist() == [0, 1 << 22, 1 << 21]
    assert field.tick(0).size == 0


def test_a_fade_at_60_frames_ends_at_its_time(encoding):
    field = dw.DissolveField(encoding=encoding)
    field.add(1, 1.0)
    field.start(1, -1)
    seen = [words(field.tick(1 / 60)) for _ in range(19)]
    ends = [i for i, events in enumerate(seen) if (1, "completed") in events]
    assert len(ends) == 1 and ends[0] in (17, 18)
    assert field.value(1) == 0 and field.now == pytest.approx(19 / 60)


# ---- ids ----

LARGE = [0, 1, 2**32 - 1, 2**32, 2**32 + 1, 2**63, 2**64 - 1]


def test_ids_of_every_size(encoding):
    field = dw.DissolveField(encoding=encoding)
    field.add(LARGE, np.linspace(0, 1, len(LARGE)))
    assert field.ids.tolist() == LARGE and len(field) == len(LARGE)
    assert field.value(LARGE).tolist() == pytest.approx(np.linspace(0, 1, 7).tolist(), abs=1e-6)
    assert all(id in field for id in LARGE)
    assert 3 not in field and -1 not in field and 2**64 not in field and "a" not in field
    field.start(2**64 - 1, -1, instant=True)
    assert words(field.tick(0)) == [(2**64 - 1, "started"), (2**64 - 1, "completed")]
    assert field.value(2**64 - 1) == 0 and field.value(2**63) > 0.8


@pytest.mark.parametrize(
    "kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, list, tuple, range]
)
def test_ids_of_every_type(kind):
    field = dw.DissolveField()
    ids = np.arange(5).astype(kind) if isinstance(kind, type(np.int8)) else kind(range(5))
    field.add(ids)
    field.add(np.arange(10, 20)[::-2])
    assert field.ids.tolist() == [0, 1, 2, 3, 4, 19, 17, 15, 13, 11]


def test_rows_stay_and_are_used_again():
    field = dw.DissolveField()
    field.add([10, 11, 12, 13])
    assert field.rows([13, 10]).tolist() == [3, 0]
    assert field.remove([11, 12, 99]) == 2
    assert field.rows(13) == 3 and len(field.encoded()) == 4
    field.add([20, 21, 22], 0.5)
    assert field.rows([20, 21, 22]).tolist() == [2, 1, 4] and field.rows(13) == 3
    field.add(13, 0.75)
    assert field.rows(13) == 3 and field.encoded().tolist() == [0, 0.5, 0.5, 0.75, 0.5]


def test_ids_twice_or_unknown_change_nothing(encoding):
    field = dw.DissolveField(encoding=encoding)
    field.add([1, 2, 3], 0.5)
    field.start(2, +1)
    field.tick(0.01)
    before, active = field.value([1, 2, 3]), field.active
    for call, text in [
        (lambda: field.add([4, 5, 4]), "ids must hold each id once in a call, got 4 twice"),
        (lambda: field.add([4, 5], [0, 1.5]), r"initial must lie in \[0, 1\], got 1.5 for id 5"),
        (lambda: field.add([4, 5], [0, math.nan]), "initial must lie in .* got nan for id 5"),
        (lambda: field.start([1, 9], +1), "ids must be in the field, got 9: add it"),
        (lambda: field.start([1, 3, 1], +1), "got 1 twice"),
        (lambda: field.set([1, 9], 0.1), "ids must be in the field, got 9"),
        (lambda: field.set([1, 1], 0.1), "got 1 twice"),
        (lambda: field.set([1, 2], [0.1, -0.5]), r"values must lie in \[0, 1\], got -0.5 for id 2"),
        (lambda: field.remove([1, 9], strict=True), "ids must be in the field, got 9"),
        (lambda: field.value([1, 9]), "ids must be in the field, got 9"),
        (lambda: field.rows(9), "ids must be in the field, got 9"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()
        assert np.array_equal(field.value([1, 2, 3]), before) and field.active == active
        assert len(field) == 3 and field.tick(0).size == 0


@pytest.mark.parametrize(
    ("ids", "error", "text"),
    [
        (-1, ValueError, "ids must be 0 or more, got -1"),
        ([2**64], ValueError, r"ids must be 0 to 2\*\*64 - 1, got 18446744073709551616"),
        ([1, -(2**70)], ValueError, "ids must be 0 to"),
        (1.0, TypeError, "ids must be whole numbers, got float"),
        ([1, 2.5], TypeError, "ids must be whole numbers, got float"),
        (np.array([1.0]), TypeError, "ids must be whole numbers, got dtype float64"),
        ("tree", TypeError, "ids must be whole numbers"),
        (True, TypeError, "ids must be whole numbers, got dtype bool"),
        ([[1, 2]], ValueError, r"ids must have one axis, got shape \(1, 2\)"),
        (None, TypeError, "ids must be whole numbers, got NoneType"),
    ],
)
def test_bad_ids(ids, error, text):
    with pytest.raises(error, match=text):
        dw.DissolveField().add(ids)


def test_nothing_is_fine(encoding):
    field = dw.DissolveField(encoding=encoding)
    assert len(field) == 0 and field.encoded().shape[0] == 0 and field.tick(1).size == 0
    field.add([])
    field.start([], +1)
    field.set([], 0.5)
    assert field.remove([]) == 0 and field.value([]).shape == (0,) and field.remove(5) == 0


# ---- arguments ----


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"duration": -1}, r"duration must lie in \[0, 16384\], got -1"),
        ({"duration": math.nan}, "duration must lie in .*, got nan"),
        ({"duration": math.inf}, "duration must lie in"),
        ({"duration": 20000}, "duration must lie in"),
        ({"scale": 1.5}, r"scale must lie in \[0, 1\], got 1.5"),
        ({"scale": math.nan}, "scale must lie in"),
        ({"softness": 0}, "softness must lie in"),
        ({"easing": "bounce"}, 'easing must be .*"smoothstep"'),
        ({"encoding": "float16"}, 'encoding must be .*"unorm8"'),
        ({"direction": "left"}, 'direction must be .*"radial"'),
    ],
)
def test_bad_definitions(arguments, text):
    with pytest.raises(ValueError, match=text):
        dw.DissolveField(**arguments)


def test_bad_starts_and_ticks():
    field = dw.DissolveField()
    field.add([1, 2])
    for arguments, text in [
        (([1], 0), r"direction must be \+1 \(dissolve\) or -1 \(come back\), got 0"),
        (([1], math.nan), "direction must be"),
        (([1], True), "direction must be"),
    ]:
        with pytest.raises(ValueError, match=text):
            field.start(*arguments)
    for duration, text in [
        (-0.1, r"duration must lie in \[0, 16384\], got -0.1 for id 1"),
        (math.nan, "got nan for id 1"),
        ([0.1, math.inf], "got inf for id 2"),
        ([0.1], "one for each of 2 ids, got shape"),
    ]:
        with pytest.raises(ValueError, match=text):
            field.start([1, 2], +1, duration=duration)
    for dt in (math.nan, math.inf, -math.inf, 1e10):
        with pytest.raises(ValueError, match="dt must be finite seconds"):
            field.tick(dt)
    with pytest.raises(TypeError, match="dt must be a number, got str"):
        field.tick("1")
    with pytest.raises(ValueError, match="one for each of 2 ids"):
        field.set([1, 2], [0.1, 0.2, 0.3])
    assert field.active == 0 and field.now == 0 and field.tick(0).size == 0


def test_defaults_are_those_of_the_core():
    plain, field = _core.DissolveField().definition, dw.DissolveField()
    for name in ("duration", "scale", "easing", "encoding", "direction", "softness"):
        assert getattr(field, name) == plain[name], name


# ---- time ----


def test_duration_of_each_start(encoding):
    field = dw.DissolveField(encoding=encoding, duration=1.0)
    field.add([1, 2, 3, 4])
    field.start([1, 2, 3], +1, duration=[0.5, 2.0, 0.0])
    field.start(4, +1)
    events = field.tick(0.25)
    assert field.value([1, 2, 3, 4]).tolist() == pytest.approx([0.5, 0.125, 1, 0.25], abs=1e-6)
    assert words(events) == [
        (1, "started"), (2, "started"), (3, "started"), (3, "completed"), (4, "started"),
    ]  # fmt: skip


@pytest.mark.parametrize("duration", [0, 1e-6, 2**-16, 0.3, 16384.0])
def test_shortest_and_longest(encoding, duration):
    field = dw.DissolveField(encoding=encoding, duration=duration)
    field.add(1)
    field.start(1, +1)
    events = words(field.tick(duration / 4))
    assert ((1, "completed") in events) == (duration < 2**-16)
    if duration > 1e-3:
        assert field.value(1) == pytest.approx(0.25, abs=1e-4)
    events += words(field.tick(duration))
    assert events == [(1, "started"), (1, "completed")] and field.value(1) == 1


def partitions(rng) -> list[np.ndarray]:
    random = rng.random(97)
    return [np.full(n, 1 / n) for n in (1, 7, 30, 60, 144)] + [random / random.sum()]


def test_splits_of_a_time_end_alike_in_the_analytic_form(rng):
    results = set()
    for steps in partitions(rng):
        field = dw.DissolveField(encoding="analytic", duration=1.7)
        field.add([1, 2], [0, 0.9])
        field.start(1, +1)
        field.start(2, -1)
        for step in steps:
            field.tick(step)
        results.add((field.now_ticks, *field.value([1, 2]).tolist()))
    assert len(results) == 1 and results.pop()[0] == 65536


def test_splits_of_a_time_end_close_in_float32(rng):
    for steps in partitions(rng):
        field = dw.DissolveField(duration=1.7)
        field.add(1)
        field.start(1, +1)
        for step in steps:
            field.tick(step)
        assert field.value(1) == pytest.approx(1 / 1.7, abs=len(steps) * STEP)
        assert field.now_ticks == 65536


def test_small_steps_add_up():
    """Steps of a third of a tick: none is lost to rounding."""
    field = dw.DissolveField(encoding="analytic", duration=1.0)
    field.add(1)
    field.start(1, +1)
    for _ in range(3 * 4096):
        field.tick(1 / 65536 / 3)
    assert field.now_ticks == 4096 and field.value(1) == pytest.approx(1 / 16, abs=1e-6)


def test_the_analytic_state_holds_over_days(native_device):
    """Device time is 32 bits of ticks, 18.2 hours: starts on either side of the turn."""
    field = dw.DissolveField(encoding="analytic", duration=4.0)
    field.add([1, 2, 3])
    field.tick(2.0**16 - 2.0)
    field.start(1, +1)
    field.tick(1.0)
    for seconds in (1.0, 1.0, 0.5):
        field.start(2, +1) if seconds == 0.5 else None
        field.tick(seconds)
        shown = dw.dissolve_values(field.encoded(), field.now_ticks, device=native_device)
        assert np.array_equal(shown, field.value([1, 2, 3]))
    assert field.now_ticks > 2**32 and 0.8 < field.value(1) < 1 and field.value(2) == 0.125
    field.tick(1e9)
    later = dw.dissolve_values(field.encoded(), field.now_ticks + 2**31, device=native_device)
    assert later.tolist() == [1, 1, 0]


def test_rest_is_the_same_at_any_time(native_device):
    field = dw.DissolveField(encoding="analytic")
    field.add([1, 2, 3], [0, 0.5, 1])
    for now in (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40):
        shown = dw.dissolve_values(field.encoded(), now, device=native_device)
        assert shown.tolist() == [0, 0.5, 1]


# ---- easing ----


@pytest.mark.parametrize("easing", dw.Easing)
def test_easings_only_rise(easing):
    """All inputs that an easing tells apart, and floats between them."""
    steps = np.arange((1 << 20) + 1, dtype=np.float64) / (1 << 20)
    values = dw.ease(easing, steps)
    assert values[0] == 0 and values[-1] == 1
    assert (np.diff(values.astype(np.float64)) >= 0).all()
    between = dw.ease(easing, np.clip(steps + 2.0**-21, 0, 1))
    assert (between >= values).all() and (between[:-1] <= values[1:]).all()


def reference(easing: dw.Easing, p: np.ndarray) -> np.ndarray:
    """The curves in float64."""
    inward = {
        "quad": lambda p: p**2,
        "cubic": lambda p: p**3,
        "sine": lambda p: 1 - np.cos(p * np.pi / 2),
        "expo": lambda p: (2 ** (10 * p) - 1) / 1023,
    }
    name = easing.name.lower()
    if name == "linear":
        return p
    if name == "smoothstep":
        return p * p * (3 - 2 * p)
    if name == "smootherstep":
        return p**3 * (p * (6 * p - 15) + 10)
    way, curve = name.rsplit("_", 1)
    f = inward[curve]
    if way == "in":
        return f(p)
    if way == "out":
        return 1 - f(1 - p)
    return np.where(p < 0.5, f(2 * np.minimum(p, 0.5)) / 2, 1 - f(2 - 2 * np.maximum(p, 0.5)) / 2)


@pytest.mark.parametrize("easing", dw.Easing)
def test_easings_are_their_curves(easing):
    p = np.linspace(0, 1, 4097)
    assert np.abs(dw.ease(easing, p) - reference(easing, p)).max() < 1e-4


@pytest.mark.parametrize("easing", CURVED)
def test_the_value_goes_on_when_the_curve_changes(encoding, easing):
    field = dw.DissolveField(encoding=encoding, easing=easing, duration=1.0)
    field.add([1, 2, 3], [0, 1, 0.37])
    field.start([1, 2, 3], +1, easing="linear")
    field.tick(0.31)
    before = field.value([1, 2, 3])
    field.start([1, 2, 3], -1)
    steepest = 12 * 2.0**-20  # of a curve, times the step of progress
    assert field.value([1, 2, 3]) == pytest.approx(before, abs=steepest)
    field.tick(1e-9)
    assert field.value([1, 2, 3]) == pytest.approx(before, abs=steepest)
    assert field.value([1, 2, 3]) == pytest.approx(
        dw.ease(easing, field.progress([1, 2, 3])), abs=1e-7
    )
    field.tick(2)
    assert field.value([1, 2, 3]).tolist() == [0, 0, 0] and field.active == 0


def test_a_reversal_is_continuous(encoding):
    field = dw.DissolveField(encoding=encoding, easing="in_out_cubic", duration=1.0)
    field.add(1)
    field.start(1, +1)
    seen = [float(field.value(1))]
    for frame in range(120):
        if frame in (25, 55, 60, 80):
            field.start(1, -1 if frame in (25, 60) else +1)
        field.tick(1 / 60)
        seen.append(float(field.value(1)))
    assert np.abs(np.diff(seen)).max() < 3 / 60 + 1e-6


# ---- events ----


def test_every_start_has_one_end(encoding, rng):
    """Random calls; a start ends once, by completion or interruption, and in order."""
    field = dw.DissolveField(encoding=encoding, duration=0.2)
    ids = np.arange(60) * 1_000_003
    field.add(ids)
    flying: dict[int, bool] = dict.fromkeys(ids.tolist(), False)
    times: list[float] = []
    for _ in range(400):
        some = rng.permutation(ids)[: rng.integers(1, 12)]
        match rng.integers(0, 5):
            case 0 | 1:
                field.start(some, int(rng.choice([-1, 1])), instant=bool(rng.integers(0, 2)))
            case 2:
                field.set(some, rng.random(len(some)))
            case 3:
                field.remove(some)
                field.add(some)
        events = field.tick(float(rng.choice([0, 0.01, 0.05, 0.4])))
        assert (np.diff(events["id"].astype(np.int64)) >= 0).all()
        for id, kind, time in events.tolist():
            assert flying[id] == (kind != "started")
            flying[id] = kind == "started"
            times.append(time)
        assert (events["time"] <= field.now).all()
        assert sum(flying.values()) == field.active
    assert len(times) > 500


def test_events_are_words_and_kinds():
    field = dw.DissolveField()
    field.add([3, 1, 2])
    field.start([3, 1, 2], +1, instant=True)
    events = field.tick(0)
    assert events.dtype.names == ("id", "kind", "time")
    assert events["id"].tolist() == [1, 1, 2, 2, 3, 3]
    assert ((events["kind"] == "started") == (events["kind"] == dw.DissolveEvent.STARTED)).all()
    assert (events["kind"] == dw.DissolveEvent.COMPLETED).sum() == 3
    assert dw.DissolveEvent(1) == "completed" == str(dw.DissolveEvent.COMPLETED)


def test_times_of_events(encoding):
    field = dw.DissolveField(encoding=encoding)
    field.add(1)
    field.tick(2.5)
    field.start(1, +1)
    field.tick(0.25)
    field.tick(0.25)
    field.start(1, -1, instant=True)
    assert field.tick(1)["time"].tolist() == [3.0, 3.0] and field.now == 4.0


@pytest.mark.parametrize("count", [3, 47, 48, 49, 3000])
def test_events_are_sorted_by_id(count, rng):
    ids = np.unique(rng.integers(0, 2**64, count, dtype=np.uint64))
    field = dw.DissolveField()
    field.add(ids)
    field.start(rng.permutation(ids), +1)
    events = field.tick(1)
    assert events["id"].tolist() == np.repeat(np.sort(ids), 2).tolist()
    assert events["kind"].tolist() == ["started", "completed"] * len(ids)


# ---- what a device gets ----


def test_colours_carry_value_and_highlight():
    field = dw.DissolveField(encoding="unorm8")
    field.add([1, 2, 3])
    field.highlight([1, 3], [1.0, 0.5])
    field.set(2, 1.0)
    assert field.encoded().tolist() == [[255, 255, 255, 255], [0, 0, 0, 255], [128, 128, 255, 255]]
    field.start(1, +1)
    field.tick(0.15)
    assert field.encoded()[0].tolist() == [255, 255, 128, 255]
    field.add(1)
    assert field.encoded()[0].tolist() == [0, 0, 255, 255]
    with pytest.raises(ValueError, match=r"intensity must lie in \[0, 1\]"):
        field.highlight(1, 1.2)
    with pytest.raises(ValueError, match="encoding must be unorm8 to hold a highlight, got float3"):
        dw.DissolveField().highlight([], 1)


@pytest.mark.parametrize("easing", ["linear", "in_out_sine"])
def test_encodings_show_the_same(easing, native_device, rng):
    fields = {name: dw.DissolveField(encoding=name, easing=easing) for name in ENCODINGS}
    ids = np.arange(500)
    starts = rng.permutation(ids)[:300]
    initial = rng.random(500)
    for field in fields.values():
        field.add(ids, initial)
        field.start(starts, +1, duration=rng.random(300) * 0 + 0.5)
    for _ in range(20):
        for field in fields.values():
            field.tick(1 / 60)
        shown = fields["float32"].encoded()
        colours = fields["unorm8"].encoded()[:, 2]
        states = fields["analytic"].encoded()
        assert np.abs((255 - colours.astype(int)) / 255 - shown).max() <= 1 / 510 + 1e-6
        values = dw.dissolve_values(
            states, fields["analytic"].now_ticks, device=native_device
        )
        assert np.array_equal(values, fields["analytic"].value(ids))
        assert np.abs(values - shown).max() < 2e-4  # of a tick, at the steepest place


def test_dirty_rows():
    for encoding in ENCODINGS:
        field = dw.DissolveField(encoding=encoding)
        core = field._core
        assert core.take_dirty() is None
        field.add(np.arange(100))
        assert core.take_dirty() == (0, 100) and core.take_dirty() is None
        field.start([40, 60], +1)
        assert core.take_dirty() == (40, 61)
        field.tick(0.1)
        assert core.take_dirty() == (None if encoding == "analytic" else (40, 61))
        field.tick(1)
        assert core.take_dirty() == (40, 61)
        field.tick(1)
        assert core.take_dirty() is None
        field.remove(99)
        assert core.take_dirty() == (99, 100)


# ---- many ----


def test_a_million_rows_match_a_model_and_allocate_nothing(rng):
    count = 1_000_000
    field = dw.DissolveField(duration=0.5)
    ids = np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    initial = rng.random(count, dtype=np.float32)
    field.add(ids, initial)
    half = rng.random(count) < 0.5
    field.start(ids[half], +1)
    field.start(ids[~half], -1, duration=2.0)
    field.tick(0)
    rates = field._core.rates()
    model = initial.copy()
    assert field.active == count and np.array_equal(field.encoded(), model)
    gc.collect()
    blocks = _core.host_allocations()
    for _ in range(5):
        field.tick(1e-9)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(50):
        assert field.tick(0.0).size == 0
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 2000 and _core.host_allocations() == blocks
    model = field.encoded()
    ended = np.zeros(count, dtype=bool)
    for _ in range(12):
        step = np.float32(65536 / 60) * rates
        model = np.clip(model + step, np.float32(0), np.float32(1))
        events = field.tick(1 / 60)
        done = ((rates > 0) & (model >= 1)) | ((rates < 0) & (model <= 0))
        new = done & ~ended
        assert np.array_equal(field.encoded(), model)
        assert np.array_equal(events["id"], np.sort(ids[new]))
        assert (events["kind"] == "completed").all()
        ended |= done
        assert _core.host_allocations() == blocks
    assert 0 < field.active == count - ended.sum() < count


def test_few_and_many_active_rows_step_alike(encoding, rng):
    """The same animations in a field where all rows are stepped and in one where few are."""
    fields = [dw.DissolveField(encoding=encoding, easing="out_quad") for _ in range(2)]
    ids = np.arange(300)
    initial = rng.random(300)
    fields[0].add(ids, initial)
    fields[1].add(ids, initial)
    fields[1].add(np.arange(300, 5000))
    for frame in range(40):
        for field in fields:
            field.start(ids[frame::7], 1 if frame % 3 else -1)
        steps = [field.tick(1 / 100) for field in fields]
        assert np.array_equal(steps[0], steps[1])
        assert np.array_equal(fields[0].value(ids), fields[1].value(ids))
        assert np.array_equal(fields[0].encoded()[:300], fields[1].encoded()[:300])


def test_two_threads_are_told_apart():
    """A second thread gets an error or its turn, and never a broken field."""
    field = dw.DissolveField(duration=100)
    ids = np.arange(200_000)
    field.add(ids)
    field.start(ids, +1)
    refused = []

    def work() -> None:
        for _ in range(40):
            try:
                field.tick(1e-3)
                field.set(ids[::2], 0.5)
                field.start(ids[::2], +1)
            except ValueError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use by another thread" in text for text in refused)
    values = field.value(ids)
    assert ((values >= 0) & (values <= 1)).all() and len(field) == len(ids)


def test_fields_give_their_memory_back():
    gc.collect()
    before = _core.host_allocations()
    for encoding in ENCODINGS:
        field = dw.DissolveField(encoding=encoding, easing="smoothstep")
        field.add(np.arange(1000))
        field.start(np.arange(1000), +1)
        field.tick(0.1)
        field.remove(np.arange(500))
    del field
    gc.collect()
    assert _core.host_allocations() == before


def test_a_field_describes_itself():
    field = dw.DissolveField(encoding="unorm8")
    field.add([1, 2])
    field.start(1, +1)
    assert repr(field) == "<DissolveField 2 ids, 1 in flight, unorm8, 0.000 s>"
