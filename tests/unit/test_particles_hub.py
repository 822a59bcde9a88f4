# SPDX-License-Identifier: MIT
"""The particle hub: who has which particles, and that time alone decides how they look."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from helpers_hub import by_id

import dapplewood as dw

PLACES = {"a": (1.0, 2.0, 3.0), "b": (-4.0, 0.5, 9.0), ("c", 3): (7.5, -1.0, 0.25)}
LAYERS = ("splash", "bubble", "shimmer", "ripple")


@pytest.fixture
def cpu(native_device):
    return native_device


def pond(cpu, ids=tuple(PLACES), **options):
    pm = dw.ParticleManager(cpu, **{"seed": 7, **options})
    for id in ids:
        pm.register(id, dw.WaterConfig(PLACES[id], "fishing_net"))
    return pm


def bytes_of(pm, layers=LAYERS):
    return b"".join(pm.state(layer).tobytes() for layer in layers)


# ---- time ----


def splits(seed):
    rng = random.Random(seed)
    cuts = sorted(rng.random() for _ in range(37))
    return [b - a for a, b in zip([0.0, *cuts], [*cuts, 1.0])]


@pytest.mark.parametrize(
    "steps",
    [[1 / 30] * 30, [1 / 60] * 60, [1 / 144] * 144, splits(1), splits(2), [0.0, 1.0, 0.0]],
    ids=["30", "60", "144", "random", "random again", "with zeros"],
)
def test_a_second_is_the_same_however_it_is_cut(cpu, steps):
    whole, cut = pond(cpu), pond(cpu)
    whole.update(1.0)
    for dt in steps:
        cut.update(dt)
    assert cut.tick == whole.tick == 65536
    assert bytes_of(cut) == bytes_of(whole)
    whole.update(1 / 64)
    assert bytes_of(cut) != bytes_of(whole)


def test_ticks_are_of_the_exact_sum(cpu):
    pm = dw.ParticleManager(cpu)
    for dt, tick in ((0.4, 0), (0.2, 1), (0.8, 1), (0.2, 2), (-1.2, 0), (-0.1, 0)):
        pm.update(dt / 65536)
        assert pm.tick == tick
    pm.seek(1e9)  # where doubles lie 1.2e-7 apart
    for _ in range(3000):
        pm.update(1e-8)
    assert pm.tick == 10**9 * 65536 + 2


def test_time_is_sought_forth_and_back(cpu):
    pm = pond(cpu)
    pm.update(2.5)
    before = bytes_of(pm)
    for time in (3600.0, 1e9, 0.0, 2.5):
        pm.seek(time)
        assert pm.time == time
    assert bytes_of(pm) == before
    pm.update(-1.0)
    pm.update(1.0)
    assert bytes_of(pm) == before


def test_a_stall_of_a_minute_leaves_nothing_behind(cpu):
    stalled, smooth = pond(cpu), pond(cpu)
    stalled.update(60.0)
    for _ in range(3600):
        smooth.update(1 / 60)
    assert bytes_of(stalled) == bytes_of(smooth)
    for layer in LAYERS:
        state = stalled.state(layer)
        assert (state["age"] < state["lifetime"]).all()
        assert np.isfinite(state["position"]).all()


def test_time_does_not_go_below_zero(cpu):
    pm = pond(cpu)
    pm.update(0.5)
    pm.update(-3.0)
    assert pm.tick == 0
    pm.update(0.25)
    assert pm.tick == 16384
    with pytest.raises(ValueError, match="time must be 0 or more"):
        pm.seek(-1e-9)
    assert pm.tick == 16384


# ---- chance ----


def test_the_order_of_registration_does_not_matter(cpu):
    first, second = pond(cpu), pond(cpu, reversed(list(PLACES)))
    for pm in (first, second):
        pm.update(1.25)
    for layer in LAYERS:
        assert by_id(first, layer) == by_id(second, layer)
    assert bytes_of(first) != bytes_of(second)  # since rows follow it


def test_one_call_for_many_is_as_many_calls(cpu):
    one, many = dw.ParticleManager(cpu, seed=3), dw.ParticleManager(cpu, seed=3)
    places = np.random.default_rng(1).normal(size=(50, 3))
    for id, place in enumerate(places):
        one.register(id, dw.WaterConfig(place, "fly"))
    slots = many.register_many(np.arange(50), places, dw.WaterConfig(None, "fly"))
    assert slots.tolist() == [24] * 50
    assert bytes_of(one) == bytes_of(many)


def test_a_seed_decides(cpu):
    same, again, other = pond(cpu), pond(cpu), pond(cpu, seed=8)
    for pm in (same, again, other):
        pm.update(0.75)
    assert bytes_of(same) == bytes_of(again) != bytes_of(other)


def test_no_two_emitters_look_alike(cpu):
    pm = dw.ParticleManager(cpu)
    pm.register_many(np.arange(500), np.zeros((500, 3)), dw.WaterConfig(None))
    pm.update(0.5)
    for layer in ("splash", "bubble", "shimmer"):
        looks = [tuple(rows) for rows in by_id(pm, layer).values()]
        assert len(set(looks)) == len(looks) == 500


def test_a_late_emitter_is_as_old_as_it_would_be_elsewhere(cpu):
    late, early = dw.ParticleManager(cpu), dw.ParticleManager(cpu)
    late.update(17.25)
    late.register("a", dw.WaterConfig((0, 0, 0)))
    early.register("a", dw.WaterConfig((0, 0, 0)))
    late.update(0.5)
    early.update(0.5)
    assert bytes_of(late) == bytes_of(early)
    late.seek(17.0)
    assert [len(late.state(layer)) for layer in LAYERS] == [0, 0, 0, 0]


# ---- who is there ----


def test_registering_again_replaces(cpu):
    pm = pond(cpu)
    assert pm.register("a", dw.WaterConfig((9, 9, 9), "fly")) == 24
    assert len(pm) == 3 and pm.stats().requested == 14 * 2 + 24
    ids = pm.emitter_ids("ripple")
    place = pm.state("ripple")["position"][[ids[i] == "a" for i in pm.state("ripple")["emitter"]]]
    assert np.allclose(place, (9, 9.1, 9))
    alone = dw.ParticleManager(cpu, seed=7)
    alone.register("a", dw.WaterConfig((9, 9, 9), "fly"))
    assert by_id(alone, "bubble")["a"] == by_id(pm, "bubble")["a"]


def test_unknown_ids_are_false(cpu):
    pm = pond(cpu)
    before = bytes_of(pm)
    for answer in (
        pm.unregister("x"), pm.move("x", (0, 0, 0)), pm.emit("x"), pm.stop("x"), pm.kill("x"),
        pm.pause("x"), pm.resume("x"), pm.set_time_scale("x", 2.0),
    ):  # fmt: skip
        assert answer is False
    assert pm.unregister_many(["x", "y"]).tolist() == [False, False]
    assert pm.move_many(["x", "y"], np.zeros((2, 3))).tolist() == [False, False]
    assert bytes_of(pm) == before and len(pm) == 3


def test_growth_keeps_what_there_is(cpu):
    pm, small = pond(cpu), pond(cpu)
    pm.update(1.0)
    pm.register_many(range(2000), np.zeros((2000, 3)), dw.WaterConfig(None, "net"))
    small.update(1.0)
    for layer in LAYERS:
        found = by_id(pm, layer)
        assert {id: found[id] for id in PLACES} == by_id(small, layer)
    assert pm.unregister_many(range(2000)).all()
    assert bytes_of(pm) == bytes_of(small)


def test_the_order_of_leaving_does_not_matter(cpu):
    made = [dw.ParticleManager(cpu) for _ in range(2)]
    leaving = list(range(3, 90, 2))
    for pm, order in zip(made, (leaving, random.Random(4).sample(leaving, len(leaving)))):
        pm.register_many(range(100), np.zeros((100, 3)), dw.WaterConfig(None))
        for id in order:
            pm.unregister(id)
        pm.register_many(range(200, 230), np.zeros((30, 3)), dw.WaterConfig(None, "fly"))
        pm.update(0.5)
    assert bytes_of(made[0]) == bytes_of(made[1])
    assert made[0].emitter_ids("ripple")[3] == 200, "the lowest row comes first"


def test_stopped_ones_finish_and_killed_ones_vanish(cpu):
    pm = pond(cpu)
    pm.update(1.0)
    before = by_id(pm, "bubble")
    assert pm.stop("a") and pm.kill("b")
    assert by_id(pm, "bubble") == {id: before[id] for id in ("a", ("c", 3))}
    pm.update(2.6)
    assert set(by_id(pm, "bubble")) == {("c", 3)}
    pm.seek(0.9)
    assert set(by_id(pm, "bubble")) == {"a", ("c", 3)}


def test_moving_takes_along_or_leaves_a_trail(cpu):
    follow, trail = pond(cpu, ["a"]), pond(cpu, ["a"])
    for pm in (follow, trail):
        pm.update(1.0)
    before = trail.state("bubble")
    assert follow.move("a", {"x": 101.0, "y": 2.0, "z": 3.0})
    assert trail.move("a", (101.0, 2.0, 3.0), trail=True)
    moved = follow.state("bubble")["position"] - before["position"]
    assert np.allclose(moved, (100, 0, 0), atol=1e-4)
    assert trail.state("bubble").tobytes() == before.tobytes()
    trail.update(2.6)
    follow.update(2.6)
    assert trail.state("bubble").tobytes() == follow.state("bubble").tobytes()


# ---- bad numbers ----


@pytest.mark.parametrize("dt", [math.nan, math.inf, -math.inf])
def test_time_steps_are_finite(cpu, dt):
    pm = pond(cpu)
    with pytest.raises(ValueError, match="dt must be a finite"):
        pm.update(dt)
    assert pm.tick == 0
