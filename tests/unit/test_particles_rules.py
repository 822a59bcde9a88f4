# SPDX-License-Identifier: MIT
"""The particle hub's rules: limits and counts, clocks, shots, colours, surfaces, events."""

from __future__ import annotations

import dataclasses
import gc
import json
import math
import os
import threading

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from dapplewood.model import Node

LAYERS = ("splash", "bubble", "shimmer", "ripple")
HERE = (0.0, 0.0, 0.0)
PUFF = dw.ParticlePart(
    "puff", "dust", 5, (0.5, 1.0), params={"speed": 1.0, "size": 0.2}, once=True, delay=0.25
)
SHOT = dw.ParticleEffect("shot", (PUFF, dataclasses.replace(PUFF, layer="magic", count=10)))


@pytest.fixture
def pm(native_device):
    with dw.ParticleManager(native_device, seed=5) as made:
        yield made


def bytes_of(pm, layers=LAYERS):
    return b"".join(pm.state(layer).tobytes() for layer in layers)


def one_part(**changes):
    given = {"kind": "bubble", "layer": "bubble", "count": 8, "lifetime": (1.0, 2.0)}
    params = {"radius": 0.5, "peak": 1.0, "size": 0.1}
    return dw.ParticlePart(**{**given, "params": params, **changes})


def config_of(*parts, **options):
    return dw.EffectConfig(HERE, dw.ParticleEffect("one", parts), **options)


def check_sums(pm):
    """Counts by another way than the hub's own."""
    stats = pm.stats()
    for name, row in stats.items():
        assert row.requested == row.allocated + row.dropped, name
        assert row.draw_calls == 1
        assert 0 <= row.drawn <= row.visible <= row.allocated
    return stats


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ---- counts and limits ----


def test_counts_follow_what_is_registered(pm):
    assert pm.stats().layers == {} and pm.stats().requested == 0
    assert pm.register("net", dw.WaterConfig(HERE, "net")) == 14
    assert pm.register("bait", dw.WaterConfig(HERE, "bait")) == 18
    assert pm.register("fly", dw.WaterConfig(HERE, "fly")) == 24
    assert pm.register("altar", dw.GlowConfig(HERE)) == 30
    stats = check_sums(pm)
    wanted = {
        "splash": 26, "bubble": 12, "shimmer": 12, "ripple": 6, "pillar": 2, "wisp": 10,
        "spark": 14, "base": 4,
    }  # fmt: skip
    assert {name: row.allocated for name, row in stats.items()} == wanted
    assert stats.draw_calls == 8 and stats.emitters == 4 and stats.visible == stats.drawn == 0
    pm.unregister("altar")
    assert pm.stats().draw_calls == 4
    for id in ("net", "bait", "fly"):
        pm.unregister(id)
    assert pm.stats().layers == {} and len(pm) == 0


def test_what_a_camera_sees_is_counted(pm):
    pm.register("near", dw.WaterConfig((0, 0, -5)))
    pm.register("behind", dw.WaterConfig((0, 0, 500)))
    pm.register("far", dw.WaterConfig((0, 0, -170)))  # no slot is kept from 160 m on
    pm.update(0.5, dw.Camera((0, 0.5, 0), (0, 0.5, -1)))
    stats = check_sums(pm)
    assert stats.allocated == 3 * 18 and stats.visible == 18
    seen = pm.see(dw.Camera((0, 0.5, 0), (0, 0.5, -1)))
    assert {name: len(rows) for name, rows in seen.items()} == {
        name: row.drawn for name, row in stats.items()
    }
    near = pm.emitter_ids("bubble").index("near")
    bubbles = pm.state("bubble")
    assert stats["bubble"].drawn == np.sum(bubbles["emitter"] == near) == 4
    pm.update(0.0, dw.Camera((0, 0.5, 0), (0, 0.5, 1)))
    assert pm.stats().visible == 0 and pm.stats().drawn == 0


def test_nothing_is_seen_of_nothing(device):
    camera = dw.Camera((0, 1, 5), HERE)
    with dw.ParticleManager(device) as pm:
        for _ in range(2):
            assert pm.see(camera) == {} and pm.stats().layers == {}
            assert len(pm.state("splash")) == 0 and pm.emitter_ids("fog") == []
            pm.register("fog", dw.WeatherConfig("fog"))
            assert list(pm.see(camera)) == ["fog"] and pm.stats().drawn > 0
            assert pm.unregister("fog")


def test_partial_says_what_each_got(native_device):
    pm = dw.ParticleManager(native_device, capacity="partial")
    slots = pm.register_many(range(14), np.zeros((14, 3)), dw.WaterConfig(None, "net"))
    assert slots.tolist() == [14] * 12 + [12, 12]  # ripples run out at 12 spots, as upstream
    stats = check_sums(pm)
    assert stats["ripple"] == (28, 24, 4, 0, 0, 1) and stats.dropped == 4
    pm.update(0.5)
    assert len(pm.state("ripple")) == 24
    assert pm.unregister(0) and pm.stats().dropped == 4, "nobody gets them by themselves"
    assert pm.register(13, dw.WaterConfig(HERE, "net")) == 14
    assert check_sums(pm)["ripple"] == (26, 24, 2, 0, 0, 1)
    again = pm.register_many(range(14), np.zeros((14, 3)), dw.WaterConfig(None, "net"))
    assert again.sum() == 14 * 14 - 4


def test_error_registers_nothing(native_device):
    pm = dw.ParticleManager(native_device, capacity="error", limits={"ripple": 6, "splash": None})
    pm.register_many(list("abc"), np.zeros((3, 3)), dw.WaterConfig(None, "net"))
    before = bytes_of(pm)
    for call in (
        lambda: pm.register("d", dw.WaterConfig(HERE)),
        lambda: pm.register_many(["a", "d"], np.zeros((2, 3)), dw.WaterConfig(None)),
    ):
        with pytest.raises(dw.CapacityError, match="ripple.* limited to 6 .*no room for [24] more"):
            call()
    assert bytes_of(pm) == before and pm.ids == ["a", "b", "c"]
    assert pm.register("a", dw.WaterConfig((1, 0, 0), "net")) == 14, "its own place is free for it"
    assert check_sums(pm).dropped == 0


def test_one_can_limit_layers_of_ones_own(native_device):
    style = dw.ParticleStyle(name="mist")
    pm = dw.ParticleManager(native_device, capacity="partial", limits={style: 5})
    assert pm.register("a", config_of(one_part(layer=style))) == 5
    assert check_sums(pm)["mist"] == (8, 5, 3, 0, 0, 1)
    assert len(pm.state(style)) == 5 and pm.emitter_ids(style) == ["a"]


def test_counts_are_a_table_for_people(native_device):
    pm = dw.ParticleManager(native_device, capacity="partial", limits={"ripple": 1})
    pm.register("a", dw.WaterConfig(HERE, "net"))
    lines = str(pm.stats()).splitlines()
    assert lines[0].split() == ["layer", "requested", "allocated", "dropped", "visible", "drawn",
                                "draw_calls"]  # fmt: skip
    assert lines[4].split() == ["ripple", "2", "1", "1", "0", "0", "1"]
    assert lines[5].split() == ["all", "14", "13", "1", "0", "0", "4"]


def test_grow_knows_no_limits(pm):
    slots = pm.register_many(range(3000), np.zeros((3000, 3)), dw.WaterConfig(None, "fly"))
    assert (slots == 24).all()
    assert check_sums(pm).requested == 72_000 and pm.stats().dropped == 0


def test_layers_of_one_name_are_told_apart(pm):
    twins = dw.ParticleStyle(name="splash"), dw.ParticleStyle(name="splash")
    pm.register("a", config_of(*(one_part(layer=style) for style in twins)))
    pm.register("w", dw.WaterConfig(HERE))
    names = [name for name in pm.stats() if name.startswith("splash")]
    assert len(names) == 3 and pm.stats().requested == 16 + 18
    with pytest.raises(ValueError, match="no part"):
        pm.state(dw.ParticleStyle(name="splash"))


def test_there_are_as_many_layers_as_there_can_be(pm):
    for i in range(64 - len(pm.styles)):
        pm.register(i, config_of(one_part(layer=dw.ParticleStyle())))
    with pytest.raises(dw.CapacityError, match="64 layers"):
        pm.register("more", config_of(one_part(layer=dw.ParticleStyle())))
    assert "more" not in pm and len(pm.styles) == 64


def test_effects_of_no_more_use_make_room(pm):
    """A wind that changes with every frame makes no end of effects."""
    pm.register("water", dw.WaterConfig(HERE))
    pm.register("shot", dw.EffectConfig(HERE, SHOT))
    still = pm.register("still", dw.WeatherConfig("snow", wind=(0.125, 0.0)))
    before = pm.state("snow").tobytes()
    gc.collect()
    for i in range(3000):
        pm.register("wind", dw.WeatherConfig("snow", wind=(i / 256, 0.0)))
        if i == 1000:
            blocks = _core.host_allocations()
    assert _core.host_allocations() <= blocks and pm._free_effects().size < 1000
    state, ids = pm.state("snow"), pm.emitter_ids("snow")
    assert state[[ids[row] == "still" for row in state["emitter"]]].tobytes() == before
    assert len(state) == 2 * still
    alone = dw.ParticleManager(pm.device, seed=5)
    alone.register("wind", dw.WeatherConfig("snow", wind=(2999 / 256, 0.0)))
    for one in (pm, alone):
        one.seek(1.5)
    state = pm.state("snow")
    wind = state[[ids[row] == "wind" for row in state["emitter"]]]
    assert np.array_equal(wind["position"], alone.state("snow")["position"])
    assert pm.emit("shot") == 15 and pm.register("water", dw.WaterConfig(HERE, "net")) == 14


@pytest.mark.parametrize("blends", [("add", "sorted"), ("sorted", "add")])
def test_layers_of_no_more_use_are_given_to_others(native_device, blends):
    pm = dw.ParticleManager(native_device, capacity="partial")
    kept = dw.ParticleStyle(name="kept")
    assert pm.register("kept", config_of(one_part(layer=kept))) == 8
    for i in range(150):  # an effect that is read again and again
        style = dw.ParticleStyle(blends[0], name=f"style {i}")
        pm.register("again", config_of(one_part(layer=style, count=5)))
    assert len(pm.styles) == 64 and pm.styles[pm._layers[kept]] is kept
    assert set(check_sums(pm)) == {"kept", "style 149"}
    style = dw.ParticleStyle(blends[1])
    pm.register("again", config_of(one_part(layer=style, count=300)))
    for at in ((0, 0.5, 4), (4, 0.5, 0)):
        rows = pm.see(dw.Camera(at, (0, 0.5, 0)))[f"layer {pm._layers[style]}"]
        away = np.linalg.norm(rows["position"] - np.float32(at), axis=1)
        assert (np.diff(away).max() <= 0.005) == (blends[1] == "sorted") and len(rows) > 200


# ---- clocks ----


def test_a_time_scale_is_exact_over_any_split(native_device):
    whole, cut = (dw.ParticleManager(native_device, seed=2) for _ in range(2))
    for pm in (whole, cut):
        pm.register("slow", dw.WaterConfig(HERE))
        pm.register("fast", dw.WaterConfig((1, 0, 0)))
        pm.update(0.75)
        assert pm.set_time_scale("slow", 0.3) and pm.set_time_scale("fast", 7.25)
    whole.update(2.0)
    for _ in range(128):
        cut.update(1 / 64)
    assert bytes_of(whole) == bytes_of(cut)
    plain = dw.ParticleManager(native_device, seed=2)
    plain.register("fast", dw.WaterConfig((1, 0, 0)))
    plain.update(0.75 + 7.25 * 2.0)
    state = whole.state("bubble")
    ids = whole.emitter_ids("bubble")
    fast = state[[ids[row] == "fast" for row in state["emitter"]]]
    for field in ("slot", "cycle", "age", "position", "opacity"):
        assert np.array_equal(fast[field], plain.state("bubble")[field]), field


def test_far_seeks_with_time_scales_come_back(pm):
    pm.register("a", dw.WaterConfig(HERE))
    pm.set_time_scale("a", 200.0)
    pm.update(3.0)
    before = bytes_of(pm)
    for time in (1e8, 5.0, 2e8, 3.0):
        pm.seek(time)
    assert bytes_of(pm) == before
    with pytest.raises(ValueError, match="time must stay below"):
        pm.seek(1e9)
    assert pm.time == 3.0


def test_emitters_pause_by_themselves(pm):
    pm.register("a", dw.WaterConfig(HERE))
    pm.update(1.0)
    assert pm.pause("a") and pm.pause("a")
    before = bytes_of(pm)
    pm.update(5.0)
    pm.set_time_scale("a", 2.0)
    assert bytes_of(pm) == before, "a paused one takes its new scale when it goes on"
    assert pm.resume("a") and pm.resume("a")
    pm.update(0.25)
    fresh = dw.ParticleManager(pm.device, seed=5)
    fresh.register("a", dw.WaterConfig(HERE))
    fresh.update(1.5)
    assert bytes_of(pm) == bytes_of(fresh)


def test_the_whole_pauses(pm):
    pm.register("a", dw.WaterConfig(HERE))
    pm.update(1.0)
    assert pm.pause() and pm.paused
    pm.update(9.0)
    assert pm.time == 1.0
    with pytest.raises(ValueError, match="dt"):
        pm.update(math.nan)
    assert pm.resume() and not pm.paused
    pm.update(0.5)
    assert pm.time == 1.5


def test_a_loop_closes(native_device):
    pm = dw.ParticleManager(native_device, loop=4.0)
    for i, name in enumerate(("water_net", "water_fly", "glow_altar", "weather_snow")):
        pm.register(i, dw.EffectConfig(HERE, name))
    layers = (*LAYERS, "wisp", "base", "pillar", "snow")
    for time in (0.0, 0.7, 3.999):
        pm.seek(time)
        first = bytes_of(pm, layers)
        pm.seek(time + 4.0)
        assert bytes_of(pm, layers) == first
        pm.seek(time + 2.0)
        assert bytes_of(pm, layers) != first


def test_a_cold_emitter_begins_empty(pm):
    pm.register("cold", dw.WaterConfig(HERE, cold=True))
    pm.register("warm", dw.WaterConfig(HERE))
    counts = []
    for time in (0.0, 0.3, 3.0):
        pm.seek(time)
        ids = pm.emitter_ids("bubble")
        counts.append([ids[row] for row in pm.state("bubble")["emitter"]].count("cold"))
    assert counts[0] == 0 < counts[1] <= counts[2] == 4


# ---- shots ----


def test_shots_play_once_and_give_their_room_back(pm):
    assert pm.register("s", dw.EffectConfig(HERE, SHOT)) == 15
    pm.update(0.3)
    assert len(pm.state("dust")) == 5 and len(pm.state("magic")) == 10
    pm.update(1.3)
    assert len(pm.state("dust")) == 0
    assert pm.stats().layers == {} and "s" in pm
    assert pm.emit("s") == 15 and pm.emit("s", 6) == 6 and pm.emit("s", 0) == 0
    pm.update(0.3)
    counts = [len(pm.state(layer)) for layer in ("dust", "magic")]
    assert counts == [5 + 2, 10 + 4], "6 are shared out as 5 and 10 are"
    assert check_sums(pm).allocated == 21
    pm.update(2.0)
    assert pm.stats().allocated == 0


def test_shots_wait_before_they_begin(pm):
    late = dataclasses.replace(PUFF, count=200, lifetime=(0.5, 0.5), delay=(1.0, 1.25))
    pm.register("s", config_of(late))
    for time, least, most in ((0.99, 0, 0), (1.1, 50, 110), (1.27, 200, 200), (1.76, 0, 0)):
        pm.update(time - pm.time)
        assert least <= len(pm.state("dust")) <= most, time
    assert pm.stats().layers == {}
    pm.emit("s")
    pm.update(1.26)
    assert len(pm.state("dust")) == 200


def test_no_two_shots_look_alike(pm):
    pm.register("s", dw.EffectConfig(HERE, SHOT))
    for _ in range(3):
        pm.emit("s")
    pm.update(0.3)
    state = pm.state("magic")
    places = [state["position"][state["emitter"] == row].tobytes() for row in range(4)]
    assert len(set(places)) == 4 and all(places)


def test_shots_do_not_depend_on_how_time_is_cut(native_device):
    """Not even the rows that they take when others are over."""
    made = [dw.ParticleManager(native_device, seed=9) for _ in range(2)]
    for pm, share in zip(made, (1.0, 0.37)):
        pm.register("s", dw.EffectConfig(HERE, SHOT))
        for i in range(150):
            for dt in (0.111 * share, 0.111 * (1.0 - share)):
                pm.update(dt)
            pm.emit("s", 3 + i % 5)
            if i == 5:
                pm.register("t", dw.EffectConfig((1, 0, 0), SHOT))
    assert made[0].tick == made[1].tick
    assert bytes_of(made[0], ("dust", "magic")) == bytes_of(made[1], ("dust", "magic"))
    assert made[0].stats() == made[1].stats()


def test_shots_are_there_again_when_time_is_sought_back(pm):
    pm.register("s", dw.EffectConfig(HERE, SHOT))
    pm.update(0.3)
    before = bytes_of(pm, ("dust", "magic"))
    pm.seek(100.0)
    assert len(pm.state("dust")) == 0 and pm.stats().allocated == 15
    pm.seek(0.3)
    assert bytes_of(pm, ("dust", "magic")) == before


def test_an_interval_repeats_what_plays_once(pm):
    pm.register("s", dw.EffectConfig(HERE, SHOT, interval=(2.0, 3.0)))
    alive = []
    for _ in range(400):
        pm.update(0.05)
        alive.append(len(pm.state("dust")) > 0)
    starts = [i for i in range(1, 400) if alive[i] and not alive[i - 1]]
    gaps = np.diff(starts) * 0.05
    assert len(gaps) >= 5 and gaps.min() >= 1.9 and gaps.max() <= 3.1


@pytest.mark.parametrize(
    ("name", "layer"),
    [("water_fly", "splash"), ("glow_fire", "flame"), ("magic_spell", "magic")],
)
def test_emitting_from_what_goes_on_adds_to_it(pm, name, layer):
    parts = dw.effect(name).parts
    count = next((part for part in parts if part.burst is not None), parts[0]).count
    pm.register("a", dw.EffectConfig(HERE, name))
    pm.update(0.2)
    before = len(pm.state(layer))
    allocated = pm.stats().allocated
    assert pm.emit("a") == count and pm.emit("a", 7) == 7
    assert len(pm.state(layer)) == before + count + 7
    assert pm.stats().allocated == allocated + count + 7
    pm.update(60.0)
    assert pm.stats().allocated == allocated


def test_shots_go_with_their_emitter(pm):
    pm.register("a", dw.WaterConfig(HERE, "net"))
    pm.emit("a", 50)
    pm.update(0.1)
    assert len(pm.state("splash")) >= 50
    pm.move("a", (100.0, 0.0, 0.0))
    assert (pm.state("splash")["position"][:, 0] > 90).all()
    assert pm.unregister("a"), "in the midst of its burst"
    assert len(pm.state("splash")) == 0 and pm.stats().layers == {}
    pm.update(5.0)


def test_limits_hold_for_shots(native_device):
    for capacity in ("error", "partial"):
        pm = dw.ParticleManager(native_device, capacity=capacity, limits={"splash": 10})
        pm.register("a", dw.WaterConfig(HERE, "net"))
        if capacity == "partial":
            assert pm.emit("a", 7) == 4 and check_sums(pm)["splash"].dropped == 3
        else:
            assert pm.emit("a", 4) == 4
            with pytest.raises(dw.CapacityError, match="splash"):
                pm.emit("a", 1)
        pm.update(9.0)
        assert pm.emit("a", 4) == 4, "room that came free is given out"


# ---- sizes and numbers at their ends ----


def test_parts_of_nothing_are_nothing(pm):
    assert pm.register("none", config_of(one_part(count=0))) == 0
    assert pm.register("flat", config_of(one_part(params={"size": 0.0}, layer="magic"))) == 8
    pm.update(0.5, dw.Camera((0, 0, 5), HERE))
    assert len(pm.state("bubble")) == 0 and len(pm.state("magic")) == 8
    assert check_sums(pm)["magic"].drawn == 0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"count": 2**31}, "count must be at most 16777215"),
        ({"lifetime": (0.0, 1.0)}, "lifetime must be"),
        ({"lifetime": (2.0, 1.0)}, "lifetime must be"),
        ({"lifetime": (1.0, math.nan)}, "lifetime must be"),
        ({"lifetime": (1.0, 1e6)}, "lifetime must be"),
        ({"opacity": math.nan}, "opacity must be"),
        ({"opacity": -1.0}, "opacity must be"),
        ({"params": {"radius": -1.0}}, "radius"),
        ({"params": {"peak": math.inf}}, "peak"),
        ({"burst": (0.0, 1.0)}, "burst must be"),
        ({"lod": (5.0, 2.0)}, "lod must be"),
        ({"delay": -1.0, "once": True}, "delay must be"),
        ({"delay": (2.0, 1.0), "once": True}, "delay must be"),
        ({"delay": (0.0, 1e6), "once": True}, "delay must be"),
        ({"delay": (1.0, 2.0, 3.0), "once": True}, "delay must be"),
        ({"frames": (200, 100)}, "frames must be"),
        ({"offset": (0.0, math.nan, 0.0)}, "offset must be"),
    ],
)
def test_what_the_core_refuses_is_not_recorded(pm, changes, text):
    with pytest.raises(ValueError, match=text):
        pm.register("bad", config_of(one_part(**changes)))
    assert "bad" not in pm and pm.stats().layers == {}
    assert pm.register("good", config_of(one_part())) == 8


# ---- colours ----


def colors_in(pm, layer):
    return {int(color) & 0xFFFFFF for color in pm.state(layer)["color"]}


def bgr(hex):
    return (hex >> 16) | (hex & 0xFF00) | (hex & 0xFF) << 16


def test_water_has_the_colours_of_its_variant(pm):
    for id, word in enumerate(("net", "bait", "fly")):
        pm.register(id, dw.WaterConfig(HERE, f"fishing_{word}"))
    pm.update(0.5)
    assert colors_in(pm, "ripple") == {bgr(0x88CCFF), bgr(0x66BBFF), bgr(0xAADDFF)}
    assert pm.linear_layers == frozenset()


def test_the_seeds_colours_are_fixed_and_linear(native_device):
    pm = dw.ParticleManager(native_device, colors="seed")
    for id, word in enumerate(("net", "bait", "fly")):
        pm.register(id, dw.WaterConfig(HERE, word))
    pm.update(0.5)
    wanted = {"splash": 0xDDEEFF, "bubble": 0x88CCEE, "shimmer": 0xEEF4FF, "ripple": 0x66BBFF}
    assert {layer: colors_in(pm, layer) for layer in wanted} == {
        layer: {bgr(color)} for layer, color in wanted.items()
    }
    assert pm.linear_layers == frozenset(int(dw.ParticleLayer[name.upper()]) for name in wanted)


@pytest.mark.parametrize("color", [0, "#000000", [0, 0, 0], {"core": 0, "mid": 0, "outer": 0}])
def test_black_is_a_colour(pm, color):
    pm.register("a", dw.GlowConfig(HERE, "altar", color=color))
    pm.update(0.5)
    for layer in ("pillar", "wisp", "spark", "base"):
        assert colors_in(pm, layer) == {0}


def test_three_tones_go_to_their_parts(pm):
    pm.register("a", dw.GlowConfig(HERE, color={"core": 0x112233, "mid": 0x445566, "outer": 1}))
    pm.register("b", dw.GlowConfig(HERE, color="air"))
    pm.update(0.5)
    assert colors_in(pm, "pillar") == {bgr(0x112233), bgr(0xFFFFFF)}
    assert colors_in(pm, "wisp") == {bgr(0x445566), bgr(0xE0E8F0)}
    assert colors_in(pm, "base") == {bgr(1), bgr(0xC8D8E8)}


def test_a_fire_takes_a_colour_and_its_smoke_does_not(pm):
    pm.register("a", dw.FireConfig(HERE, color=0x2040FF))
    pm.register("b", dw.FireConfig((5, 0, 0)))
    pm.update(2.0)
    ids = pm.emitter_ids("flame")
    flames = pm.state("flame")
    colors = {ids[row]: set() for row in flames["emitter"]}
    for row, color in zip(flames["emitter"], flames["color"]):
        colors[ids[row]].add(int(color) & 0xFFFFFF)
    assert colors["a"] == {bgr(0x2040FF)} and len(colors["b"]) > 3
    ids = pm.emitter_ids("dust")
    smoke = pm.state("dust")
    reds = {id: [int(c) & 255 for r, c in zip(smoke["emitter"], smoke["color"]) if ids[r] == id]
            for id in "ab"}  # fmt: skip
    assert np.mean(reds["a"]) == pytest.approx(np.mean(reds["b"]), rel=0.3)


# ---- surfaces ----

# Two triangles, the second with six times the area of the first.
SLAB = dw.Mesh(
    [[0, 0, 0], [1, 0, 0], [0, 0, 1], [3, 0, 0], [3, 0, 3], [3, 2, 3]], [[0, 2, 1], [3, 5, 4]]
)


def test_a_surface_gives_its_height_and_radius(pm):
    pm.register("a", dw.GlowConfig((10, 20, 30), surface=SLAB, model_scale=2.0, model_y_offset=0.5))
    pm.update(0.5)
    pillar = pm.state("pillar")
    radius = 2 * np.hypot(1.5, 1.5)  # half of the box, scaled
    assert (np.abs(pillar["position"][:, 1] - (20 + 0.5 + 4.0)) < 0.6).all(), "above the top"
    assert ((pillar["size"] > 0.5 * radius) & (pillar["size"] < 1.3 * radius)).all()
    bare = dw.ParticleManager(pm.device)
    bare.register("a", dw.GlowConfig(HERE, model_y_offset=0.25))
    bare.update(0.5)
    assert (np.abs(bare.state("pillar")["position"][:, 1] - 1.25) < 0.6).all()
    assert (bare.state("pillar")["size"] < 0.7).all(), "a cylinder of radius 0.5 without a mesh"


def test_points_are_even_over_the_area():
    from dapplewood.particle_surface import surface_points

    points, extent = surface_points(SLAB, 4000, 7, "area", 1.0, 0.0)
    first = points[:, 0] < 2.0
    assert first.mean() == pytest.approx(0.5 / 3.5, abs=0.02)
    assert np.abs(points[first][:, 1]).max() == 0.0 and (points[first][:, [0, 2]].sum(1) <= 1).all()
    assert (points[~first][:, 0] == 3.0).all()
    assert (points[~first][:, 1] <= (points[~first][:, 2]) * (2 / 3) + 1e-6).all()
    assert extent == pytest.approx((np.hypot(1.5, 1.5), 0.0, 2.0))
    again, _ = surface_points(SLAB, 4000, 7, "area", 1.0, 0.0)
    other, _ = surface_points(SLAB, 4000, 8, "area", 1.0, 0.0)
    assert np.array_equal(points, again) and not np.array_equal(points, other)


def test_vertices_are_those_of_the_surface():
    from dapplewood.particle_surface import surface_points

    cloud = np.random.default_rng(3).normal(size=(500, 3))
    points, _ = surface_points(cloud, 999, 1, "vertices", 2.0, 1.0)
    moved = (cloud * 2.0 + (0, 1, 0)).astype(np.float32)
    assert len(points) == 64 and len(np.unique(points, axis=0)) == 64
    assert {row.tobytes() for row in points} <= {row.tobytes() for row in moved}
    few, extent = surface_points([[1.0, 2.0, 3.0]], 999, 1, "vertices", 1.0, 0.0)
    assert few.tolist() == [[1, 2, 3]] and extent == (0.5, 2.0, 0.0), "a radius of 0 is 0.5"


def test_a_model_is_surrounded_as_its_nodes_place_it(pm):
    move = np.eye(4)
    move[:3, 3] = 0.0, 5.0, 0.0
    node = Node("slab", -1, (), np.zeros(3), np.array([0.0, 0, 0, 1]), np.ones(3), move, (0,), None,
                None)  # fmt: skip
    model = dw.Model((SLAB,), (), (), (), (node,), ((0,),))
    pm.register("a", dw.GlowConfig(HERE, surface=model))
    alike = dw.ParticleManager(pm.device, seed=5)
    alike.register("a", dw.GlowConfig(HERE, surface=SLAB, model_y_offset=5.0))
    for one in (pm, alike):
        one.update(0.5)
    for layer in ("pillar", "wisp", "spark", "base"):
        assert pm.state(layer).tobytes() == alike.state(layer).tobytes()


def test_many_share_the_points_of_a_surface(pm):
    config = dw.GlowConfig(None, surface=[[0.0, 40.0, 0.0]])
    assert pm.register_many(list("abc"), np.eye(3), config).tolist() == [30] * 3
    assert pm.unregister("b")
    pm.register("other", dw.GlowConfig(HERE, surface=[[0.0, -90.0, 0.0]]))
    pm.update(0.5)
    state, ids = pm.state("spark"), pm.emitter_ids("spark")
    heights = {id: state["position"][[ids[row] == id for row in state["emitter"]]][:, 1]
               for id in ("a", "c", "other")}  # fmt: skip
    assert heights["a"].min() >= 40.0 and heights["c"].min() >= 40.0
    assert heights["other"].max() < -80.0


def test_sparks_leave_from_the_surface(pm):
    high = [[0.0, 40.0, 0.0]]
    pm.register("a", dw.GlowConfig((1, 2, 3), surface=high))
    pm.register("b", dw.GlowConfig((1, 2, 3)))
    pm.update(0.5)
    state, ids = pm.state("spark"), pm.emitter_ids("spark")
    is_a = np.array([ids[row] == "a" for row in state["emitter"]])
    assert is_a.any() and (state["position"][is_a][:, 1] >= 42.0).all()
    assert (state["position"][~is_a][:, 1] < 10.0).all()


def test_points_come_free_with_their_emitters(pm):
    cloud = np.random.default_rng(3).normal(size=(65536, 3)).astype(np.float32)
    pm.register("keep", dw.GlowConfig((9, 9, 9), surface=cloud, surface_samples=65536))
    pm.update(1.0)
    before = pm.state("spark").tobytes()

    def come_and_go(count):
        for i in range(count):
            pm.register(i, dw.GlowConfig(HERE, surface=cloud, surface_samples=65536))
            pm.unregister(i)

    come_and_go(3)
    pages = resident_bytes()
    come_and_go(100)  # 79 MB of points
    assert resident_bytes() - pages < 40e6
    assert pm.state("spark").tobytes() == before


# ---- events ----


def spot(kind=None, **changes):
    event = {
        "id": "spot-1", "resourceType": "fishing_spot", "resourceId": "fishing_net",
        "position": {"x": 1.0, "y": 2.0, "z": 3.0}, **changes,
    }  # fmt: skip
    return event if kind is None else {"type": kind, **event}


def test_a_spot_lives_by_its_events(pm):
    assert pm.handle_event(spot()) is True
    assert pm.stats().requested == 14
    before = bytes_of(pm)
    assert pm.handle_event({"type": "resource:depleted", "id": "spot-1"}) is True
    assert "spot-1" not in pm and pm.stats().layers == {}
    assert pm.handle_event({"type": "RESOURCE_DEPLETED", "id": "spot-1"}) is False
    assert pm.handle_event({"type": "resource:respawned", "id": "spot-1"}) is True
    assert bytes_of(pm) == before
    assert pm.handle_event(spot("spawned", resourceId="fly")) is True
    assert pm.stats().requested == 24
    assert pm.handle_event({"type": "removed", "id": "spot-1"}) is True
    assert pm.handle_event({"type": "respawned", "id": "spot-1"}) is False


def test_spots_that_were_registered_come_back_where_they_were_last(pm):
    pm.register("spot-1", dw.WaterConfig(HERE, "fly"))
    pm.move("spot-1", (50.0, 0.0, 0.0))
    moved = bytes_of(pm)
    assert pm.handle_event({"type": "depleted", "id": "spot-1"})
    assert pm.handle_event({"type": "respawned", "id": "spot-1"})
    assert bytes_of(pm) == moved


@pytest.mark.parametrize(
    "event",
    [
        spot(resourceType="tree"),
        spot(resourceType=None),
        spot(id=None),
        spot(position=None),
        spot("resource:gathered"),
        spot("respawned", position=None),
        {"type": "depleted", "id": "altar"},
        {},
    ],
)
def test_other_events_are_ignored(pm, event):
    pm.register("altar", dw.GlowConfig(HERE))
    assert pm.handle_event(event) is False
    assert pm.ids == ["altar"]


def test_json_is_taken_as_it_is(pm):
    text = """[
        {"type": "water", "position": {"x": 1, "y": 2, "z": 3}, "resourceId": "fishing_fly"},
        {"type": "glow", "preset": "altar", "position": {"x": 0, "y": 0, "z": 0},
         "color": {"core": 16777215, "mid": 255, "outer": 0}, "modelScale": 2, "modelYOffset": 0.5},
        {"type": "fire", "position": {"x": 0, "y": 0, "z": 0}, "intensity": 2, "color": 255}
    ]"""
    plain = dw.ParticleManager(pm.device, seed=5)
    plain.register(0, dw.WaterConfig((1, 2, 3), "fishing_fly"))
    altar = dw.GlowConfig(HERE, color=(0xFFFFFF, 255, 0), model_scale=2, model_y_offset=0.5)
    plain.register(1, altar)
    plain.register(2, dw.FireConfig(HERE, intensity=2, color=255))
    for id, config in enumerate(json.loads(text)):
        pm.register(id, config)
    for one in (pm, plain):
        one.update(1.5)
    layers = (*LAYERS, "pillar", "wisp", "spark", "base", "flame", "dust")
    assert bytes_of(pm, layers) == bytes_of(plain, layers)


# ---- its life ----


def test_closing_gives_all_memory_back(native_device):
    gc.collect()
    before = _core.host_allocations()
    for i in range(1000):
        pm = dw.ParticleManager(native_device)
        pm.register(i, dw.WaterConfig(HERE))
        pm.update(0.1)
        if i % 100 == 0:
            pm.state("splash")
            pm.see(dw.Camera((0, 0, 5), HERE))
        pm.close()
        pm.close()
    assert pm.closed and repr(pm) == "<ParticleManager closed>"
    assert _core.host_allocations() == before
    with dw.ParticleManager(native_device) as pm:
        pm.register(1, dw.WaterConfig(HERE))
    assert pm.closed and _core.host_allocations() == before


@pytest.mark.parametrize(
    "call",
    [
        lambda pm: pm.register("a", dw.WaterConfig(HERE)),
        lambda pm: pm.unregister("a"),
        lambda pm: pm.unregister("x"),
        lambda pm: pm.move("x", HERE),
        lambda pm: pm.emit("a"),
        lambda pm: pm.stop("a"),
        lambda pm: pm.pause(),
        lambda pm: pm.update(0.1),
        lambda pm: pm.seek(0.1),
        lambda pm: pm.state("splash"),
        lambda pm: pm.see(dw.Camera((0, 0, 5), HERE)),
        lambda pm: pm.stats(),
        lambda pm: pm.emitter_ids("splash"),
        lambda pm: pm.handle_event(spot()),
    ],
)
def test_a_closed_one_says_so(native_device, call):
    pm = dw.ParticleManager(native_device)
    pm.register("a", dw.WaterConfig(HERE))
    pm.close()
    with pytest.raises(ValueError, match="ParticleManager is closed"):
        call(pm)


def test_a_device_closed_underneath_says_so(vulkan_device):
    for device in (dw.Device("cpu"), dw.Device("software")):
        pm = dw.ParticleManager(device)
        pm.register("a", dw.WaterConfig(HERE))
        pm.state("splash")
        device.close()
        pm.update(0.5)
        with pytest.raises(ValueError, match="closed"):
            pm.state("splash")
        assert pm.move("a", (1, 1, 1))
        pm.close()


def test_threads_take_turns_or_are_told(native_device):
    pm = dw.ParticleManager(native_device)
    pm.register_many(range(20_000), np.zeros((20_000, 3)), dw.WaterConfig(None))
    errors = []

    def work():
        for _ in range(20):
            try:
                assert len(pm.state("splash")) >= 100_000
            except ValueError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use by another thread" in text for text in errors)
    pm.close()


# ---- devices agree ----


def test_devices_agree_as_emitters_come_and_go(native_device, vulkan_device):
    camera = dw.Camera((0, 3, 14), HERE)
    pair = [dw.ParticleManager(one, seed=11) for one in (native_device, vulkan_device)]
    layers = [layer for layer in dw.ParticleLayer]

    def same():
        for layer in layers:
            first, second = (pm.state(layer) for pm in pair)
            assert first.tobytes() == second.tobytes(), layer
        first, second = (pm.see(camera) for pm in pair)
        assert first.keys() == second.keys()
        assert all(first[name].tobytes() == second[name].tobytes() for name in first)
        assert pair[0].stats() == pair[1].stats()
        return sum(map(len, first.values()))

    for pm in pair:
        pm.update(0.25, camera)
        pm.register_many(range(40), np.random.default_rng(2).normal(size=(40, 3)) * 4,
                         dw.WaterConfig(None, "fly"))  # fmt: skip
        pm.register("altar", dw.GlowConfig(HERE, surface=SLAB))
    assert same() > 300
    for pm in pair:
        pm.update(1.0)
        pm.unregister_many(range(0, 40, 3))
        pm.move(1, (0.5, 0.5, 0.5), trail=True)
        pm.register("fire", dw.FireConfig((2, 0, 0)))
        pm.register("rain", dw.WeatherConfig("rain", area=10.0))
        pm.emit(4, 300)
    assert same() > 300
    for first in range(1000, 1800, 100):  # over and over more rows than there was room for
        for pm in pair:
            pm.register_many(range(first, first + 100), np.ones((100, 3)), dw.WaterConfig(None))
        assert same() > 300
    for pm in pair:
        pm.register_many(range(100, 900), np.random.default_rng(2).normal(size=(800, 3)) * 9,
                         dw.WaterConfig(None))  # fmt: skip
        pm.set_time_scale(7, 3.0)
        pm.pause("altar")
        pm.stop("fire")
        pm.kill(10)
        pm.update(0.4)
    assert same() > 3000
    for pm in pair:
        pm.close()
