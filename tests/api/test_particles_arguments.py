# SPDX-License-Identifier: MIT
"""What ParticleManager and its configs refuse, and how they say so; ids of all kinds."""

from __future__ import annotations

import enum
import math
import uuid

import dapplewood as dw
import numpy as np
import pytest

HERE = (0.0, 0.0, 0.0)
WATER = dw.WaterConfig(HERE)


@pytest.fixture
def pm(native_device):
    with dw.ParticleManager(native_device) as made:
        yield made


def refuses(error, text, call, *args, **options) -> None:
    with pytest.raises(error, match=text):
        call(*args, **options)


# ---- the manager ----


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"device": "cpu"}, TypeError, "device must be a Device"),
        ({"seed": -1}, ValueError, "seed must be 0 to"),
        ({"seed": 2**64}, ValueError, "seed must be 0 to"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number"),
        ({"capacity": "some"}, ValueError, "capacity must be one of grow, error, partial"),
        ({"colors": "red"}, ValueError, "colors must be one of variants, seed"),
        ({"mode": "fast"}, ValueError, "mode must be one of exact, seed"),
        ({"limits": {"splash": 5}}, ValueError, 'limits must be None with capacity="grow"'),
        ({"capacity": "error", "limits": 5}, TypeError, "limits must be a dict"),
        ({"capacity": "error", "limits": {"splish": 5}}, ValueError, "limits must be a Particle"),
        ({"capacity": "error", "limits": {"splash": -1}}, ValueError, "limits.*0 or more"),
        ({"capacity": "error", "limits": {"splash": 0.5}}, TypeError, "limits.*whole number"),
        ({"loop": 0.0}, ValueError, "loop must be"),
        ({"loop": -1.0}, ValueError, "loop must be"),
        ({"loop": math.nan}, ValueError, "loop must be"),
        ({"loop": 65536.0}, ValueError, "loop must be"),
        ({"loop": "long"}, TypeError, "loop must be a number"),
    ],
)
def test_options(options, error, text):
    refuses(error, text, dw.ParticleManager, **options)


def test_seeds_have_64_bits(native_device):
    pm = dw.ParticleManager(native_device, seed=2**64 - 1)
    assert pm.register("a", WATER) == 18 and pm.seed == 2**64 - 1


# ---- configs ----


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: dw.WaterConfig((0, 0)), ValueError, "position must be 3 numbers"),
        (lambda: dw.WaterConfig(5), TypeError, "position must be 3 numbers"),
        (lambda: dw.WaterConfig("abc"), ValueError, "position must be 3 numbers"),
        (lambda: dw.WaterConfig({"x": 1, "y": 2}), ValueError, "position must be .*x, y and z"),
        (lambda: dw.WaterConfig(HERE, 5), TypeError, "resource_id must be a str"),
        (lambda: dw.WaterConfig(HERE, scale="big"), TypeError, "scale must be a number"),
        (lambda: dw.WaterConfig(HERE, interval=3), ValueError, "interval must be"),
        (lambda: dw.WaterConfig(HERE, interval=(3, 1)), ValueError, "interval must be"),
        (lambda: dw.WaterConfig(HERE, interval=(0, 1)), ValueError, "interval must be"),
        (lambda: dw.WaterConfig(HERE, interval=(1, math.nan)), ValueError, "interval must be"),
        (lambda: dw.GlowConfig(HERE, "altr"), ValueError, "preset must be one of altar, fire, tor"),
        (lambda: dw.GlowConfig(HERE, None), ValueError, "preset must be one of"),
        (lambda: dw.GlowConfig(HERE, color=-1), ValueError, "color must be 0xRRGGBB"),
        (lambda: dw.GlowConfig(HERE, color=0x1000000), ValueError, "color must be 0xRRGGBB"),
        (lambda: dw.GlowConfig(HERE, color=0.5), ValueError, "color must be 0xRRGGBB"),
        (lambda: dw.GlowConfig(HERE, color=True), ValueError, "color must be 0xRRGGBB"),
        (lambda: dw.GlowConfig(HERE, color="mauve"), ValueError, "palette .*air, water"),
        (lambda: dw.GlowConfig(HERE, color=[1, 2]), ValueError, "three tones must have 3, got 2"),
        (lambda: dw.GlowConfig(HERE, color={"core": 1}), ValueError, "keys core, mid and outer"),
        (lambda: dw.GlowConfig(HERE, model_scale=0), ValueError, "model_scale must be .* above 0"),
        (lambda: dw.GlowConfig(HERE, model_scale=math.nan), ValueError, "model_scale"),
        (lambda: dw.GlowConfig(HERE, model_y_offset=math.inf), ValueError, "model_y_offset"),
        (lambda: dw.GlowConfig(HERE, surface_samples=0), ValueError, "surface_samples must be 1"),
        (lambda: dw.FireConfig(HERE, "bonfire"), ValueError, "preset must be one of"),
        (lambda: dw.FireConfig(HERE, intensity=0), ValueError, "intensity must be .* above 0"),
        (lambda: dw.FireConfig(HERE, intensity=-2), ValueError, "intensity must be .* above 0"),
        (lambda: dw.FireConfig(HERE, intensity="hot"), TypeError, "intensity must be a number"),
        (lambda: dw.WeatherConfig("hail"), ValueError, "preset must be one of rain, snow, fog"),
        (lambda: dw.WeatherConfig(area=0), ValueError, "area must be"),
        (lambda: dw.WeatherConfig(wind=5), ValueError, "wind must be 2 numbers"),
        (lambda: dw.CombatConfig(HERE, direction=HERE), ValueError, "direction must be finite"),
        (lambda: dw.CombatConfig(HERE, direction=(1, 0)), ValueError, "direction must be 3"),
        (lambda: dw.EffectConfig(HERE, "water"), ValueError, "name must be one of water_net"),
        (lambda: dw.EffectConfig(HERE, 5), TypeError, "effect must be a ParticleEffect"),
        (
            lambda: dw.EffectConfig(HERE, "glow_altar", surface=[HERE], direction=(1, 0, 0)),
            ValueError,
            "direction must be None where a surface is given",
        ),
    ],
)  # fmt: skip
def test_configs(make, error, text):
    refuses(error, text, make)


@pytest.mark.parametrize(
    ("config", "error", "text"),
    [
        (5, TypeError, "config must be a WaterConfig"),
        ({}, ValueError, "type must be one of water, glow, fire"),
        ({"type": "lava", "position": HERE}, ValueError, "type must be one of .*, got 'lava'"),
        ({"type": "water"}, ValueError, "has no position"),
        ({"type": "water", "position": HERE, "resourceID": "x"}, ValueError, "no 'resourceID'"),
        (
            {"type": "water", "position": HERE, "resourceId": "x", "resource_id": "y"},
            ValueError,
            "'resource_id'twice|twice",
        ),
        ({"type": "glow", "preset": "sun", "position": HERE}, ValueError, "preset must be one of"),
        ({"type": "glow", "position": HERE, "meshRoot": 5}, ValueError, "surface must be a Mesh"),
        ({"type": "glow", "position": HERE, "meshRoot": "x"}, TypeError, "surface must be a Mesh"),
        (
            {"type": "glow", "position": HERE, "surface": [HERE], "surfaceMode": "edges"},
            ValueError,
            "surface_mode must be one of area, vertices",
        ),
        (
            {"type": "glow", "position": HERE, "surface": [[0, math.nan, 0]]},
            ValueError,
            "surface must be finite",
        ),
        (dw.WaterConfig(None), ValueError, "position must be given"),
        (dw.WaterConfig((math.nan, 0, 0)), ValueError, "position must be finite"),
        (dw.WaterConfig((0, 1e300, 0)), ValueError, "position must be finite"),
        (dw.WaterConfig((0, 0, 2e9)), ValueError, "within 1e.09 m"),
        (dw.WaterConfig(HERE, scale=0), ValueError, "scale must be"),
        (dw.WaterConfig(HERE, scale=math.nan), ValueError, "scale must be"),
        (dw.WaterConfig(HERE, scale=-1), ValueError, "scale must be"),
        (dw.FireConfig(HERE, intensity=1e9), ValueError, "intensity"),
        (dw.WeatherConfig(intensity=1e5), ValueError, "intensity: part 0 would have"),
        (dw.WeatherConfig(wind=(math.inf, 0)), ValueError, "wind_x"),
        (dw.CombatConfig(HERE, interval=(1, 1e6)), ValueError, "burst must be"),
    ],
)
def test_what_is_refused_is_not_recorded(pm, config, error, text):
    pm.register("kept", WATER)
    for id in ("new", "kept"):
        refuses(error, text, pm.register, id, config)
    assert pm.ids == ["kept"] and pm.stats().requested == 18


# ---- ids ----


class Word(enum.Enum):
    ONE = 1


@pytest.mark.parametrize(
    "id",
    [
        0, -1, 2**64 - 1, 2**64, 2**200, True, 1.5, -0.0, math.inf, "", "spot", "\ud800", b"spot",
        (), (1, "a", (b"x", 2.5)), (1, None), None, frozenset({1}), Word.ONE, uuid.UUID(int=5),
        np.int64(7), np.float32(0.5), np.str_("x"), object(), int,
    ],
)  # fmt: skip
def test_ids_of_any_hashable_kind(pm, id):
    assert pm.register(id, WATER) == 18
    assert pm.move(id, (1, 2, 3)) is True
    assert id in pm and pm.ids == [id] and pm.emitter_ids("ripple") == [id]
    assert pm.register(id, WATER) == 18 and len(pm) == 1
    assert pm.unregister(id) is True and pm.unregister(id) is False


def test_equal_ids_look_equal(native_device):
    looks = set()
    for id in (1, 1.0, True, np.uint8(1), np.float64(1)):
        pm = dw.ParticleManager(native_device)
        pm.register(id, WATER)
        looks.add(pm.state("bubble").tobytes())
    assert len(looks) == 1
    for id in ("1", b"1", (1,), -1, 1.5, ("1",), (b"1",)):
        pm = dw.ParticleManager(native_device)
        pm.register(id, WATER)
        looks.add(pm.state("bubble").tobytes())
    assert len(looks) == 8


def test_looks_of_strings_do_not_depend_on_the_process(native_device):
    """Python's own hash does; the value is that of blake2b, worked out apart."""
    import hashlib

    from dapplewood.particle_ids import uids_of

    wanted = int.from_bytes(hashlib.blake2b(b"sspot", digest_size=8).digest(), "little")
    assert uids_of(["spot", 5], 0).tolist() == [wanted, 5]


@pytest.mark.parametrize("id", [[], {}, {1}, [1, 2], np.zeros(2)])
def test_ids_must_be_hashable(pm, id):
    for call in (
        lambda: pm.register(id, WATER),
        lambda: pm.unregister(id),
        lambda: pm.move(id, HERE),
        lambda: pm.emit(id),
        lambda: pm.stop(id),
    ):
        refuses(TypeError, "id must be hashable, got", call)


@pytest.mark.parametrize(
    ("ids", "places", "error", "text"),
    [
        ([1, 2], np.zeros((3, 3)), ValueError, r"positions must have shape \(2, 3\)"),
        ([1, 2], np.zeros((2, 2)), ValueError, r"positions must have shape \(2, 3\)"),
        ([1, 2], [["a", "b", "c"]] * 2, TypeError, "positions must be numbers"),
        ([1, 1], np.zeros((2, 3)), ValueError, "ids must all be different, got 1 twice"),
        ([1, True], np.zeros((2, 3)), ValueError, "ids must all be different"),
        ("ab", np.zeros((2, 3)), TypeError, "sequence of ids, got the one id 'ab'"),
        (5, np.zeros((1, 3)), TypeError, "ids must be a sequence of ids"),
        (np.zeros((2, 2)), np.zeros((2, 3)), ValueError, "ids must have one axis"),
        ([1, []], np.zeros((2, 3)), TypeError, "id must be hashable, got list"),
        ([1, 2], [[0, 0, 0], [0, math.nan, 0]], ValueError, "position must be finite.* index 1"),
    ],
)
def test_many_at_once(pm, ids, places, error, text):
    refuses(error, text, pm.register_many, ids, places, dw.WaterConfig(None))
    assert len(pm) == 0 and pm.stats().layers == {}


def test_none_at_once(pm):
    assert pm.register_many([], [], dw.WaterConfig(None)).shape == (0,)
    assert pm.unregister_many([]).shape == pm.move_many([], []).shape == (0,)


def test_many_of_a_dict(pm):
    config = {"type": "water", "resourceId": "fly"}
    assert pm.register_many("a b c".split(), np.eye(3), config).tolist() == [24] * 3
    assert pm.move_many(["b", "x"], [[1, 2, 3], [0, 0, 0]]).tolist() == [True, False]


def test_strided_read_only_and_swapped_arrays(pm):
    places = np.arange(36, dtype=">f8").reshape(6, 6)[::-2, ::-2]
    places.flags.writeable = False
    ids = np.arange(6, dtype=np.uint8)[::2]
    pm.register_many(ids, places, dw.WaterConfig(None))
    state, owners = pm.state("ripple"), pm.emitter_ids("ripple")
    for particle in state:
        place = places[owners[particle["emitter"]] // 2]
        assert particle["position"].tolist() == pytest.approx([place[0], place[1] + 0.1, place[2]])


# ---- what is done to emitters ----


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda pm: pm.move("a", (0, math.nan, 0)), ValueError, "position must be finite"),
        (lambda pm: pm.move("a", (0, 0, math.inf)), ValueError, "position must be finite"),
        (lambda pm: pm.move("a", (0, 0)), ValueError, "position must be 3 numbers"),
        (lambda pm: pm.emit("a", -1), ValueError, "count must be 0 or more"),
        (lambda pm: pm.emit("a", 1.5), TypeError, "count must be a whole number"),
        (lambda pm: pm.emit("a", 2**31), ValueError, "count must be at most 16777215"),
        (lambda pm: pm.emit("a", 2**40), ValueError, "count must be 0 or more and fit"),
        (lambda pm: pm.set_time_scale("a", -1), ValueError, "time_scale must be 0 to 256"),
        (lambda pm: pm.set_time_scale("a", 257), ValueError, "time_scale must be 0 to 256"),
        (lambda pm: pm.set_time_scale("a", math.nan), ValueError, "time_scale must be 0 to 256"),
        (lambda pm: pm.set_time_scale("a", "x"), TypeError, "time_scale must be a number"),
        (lambda pm: pm.update("x"), TypeError, "dt must be a number of seconds, got str"),
        (lambda pm: pm.update(None), TypeError, "dt must be a number of seconds"),
        (lambda pm: pm.update(math.nan), ValueError, "dt must be a finite number"),
        (lambda pm: pm.update(1e300), ValueError, "time must stay below"),
        (lambda pm: pm.seek(math.inf), ValueError, "time must be a finite number"),
        (lambda pm: pm.seek(-1), ValueError, "time must be 0 or more"),
        (lambda pm: pm.seek(1e12), ValueError, "time must stay below"),
        (lambda pm: pm.update(0.1, (0, 0, 5)), TypeError, "camera must be a Camera"),
        (lambda pm: pm.see(None), TypeError, "camera must be a Camera"),
        *((lambda pm, wide=wide: pm.update(0.1, dw.Camera((0, 0, 5), HERE), aspect=wide),
           ValueError, "aspect must be a finite number above 0")
          for wide in (0, -1, math.nan, math.inf)),
        (lambda pm: pm.stats()["splish"], KeyError, "layer 'splish'; .* splash, bubble"),
        (lambda pm: pm.state("splish"), ValueError, "layer must be a ParticleLayer"),
        (lambda pm: pm.state(99), ValueError, "layer must be 0 to"),
        (lambda pm: pm.state(-1), ValueError, "layer must be 0 to"),
        (lambda pm: pm.emitter_ids(None), ValueError, "layer must be a ParticleLayer"),
        (lambda pm: pm.handle_event("spawned"), TypeError, "event must be a dict"),
        (lambda pm: pm.handle_event({"id": 1, "resourceType": "fishing_spot",
                                     "position": {"x": 1}}), ValueError, "position must be"),
    ],
)  # fmt: skip
def test_calls_that_are_refused_change_nothing(pm, call, error, text):
    pm.register("a", WATER)
    pm.update(0.5)
    before = [pm.state(layer).tobytes() for layer in ("splash", "bubble", "shimmer", "ripple")]
    refuses(error, text, call, pm)
    assert pm.time == 0.5 and pm.ids == ["a"]
    assert before == [
        pm.state(layer).tobytes() for layer in ("splash", "bubble", "shimmer", "ripple")
    ]


def test_a_closed_manager_holds_nothing(pm):
    pm.register("a", WATER)
    pm.close()
    assert "a" not in pm and pm.ids == [] and len(pm) == 0


def test_a_degenerate_camera_gives_its_own_error(pm):
    camera = dw.Camera((0, 0, 5), HERE)
    pm.update(0.1, camera)
    camera.position = np.array([0.0, 0.0, 0.0])
    tick = pm.tick
    with pytest.raises(ValueError) as raised:
        pm.update(0.1, camera)
    with pytest.raises(ValueError) as own:
        dw.Camera(HERE, HERE)
    assert str(raised.value) == str(own.value) and pm.tick == tick
    with pytest.raises(ValueError, match="dt must be"):
        pm.update(math.nan, dw.Camera((0, 0, 9), HERE))
    assert pm._camera is camera, "nothing of a call that is refused is kept"
    pm.update(0.1, None)
    assert pm.tick > tick


def test_weather_goes_with_the_camera(pm):
    pm.register("rain", dw.WeatherConfig("rain", area=10.0, wind=(0.0, 0.0)))
    for at in ((500.0, 20.0, -300.0), (0.0, 0.0, 0.0)):
        pm.update(0.1, dw.Camera(at, (at[0], at[1], at[2] - 1)))
        off = pm.state("rain")["position"] - at
        assert np.abs(off[:, [0, 2]]).max() <= 5.001
        assert np.abs(off[:, [0, 2]]).max() > 4.5
    part = dw.effect("weather_rain").parts[0]
    wanted = round(part.count * (10 / part.params["box"]) ** 2)
    assert len(pm.state("rain")) == wanted, "as dense as in the preset's own box"


def test_combat_flies_where_it_is_sent(pm):
    pm.register("blow", dw.CombatConfig(HERE, "impact", direction=(5, 0, 0)))
    pm.register("all", dw.CombatConfig(HERE, "impact"))
    pm.update(0.12)
    state, ids = pm.state("impact"), pm.emitter_ids("impact")
    mean = {
        id: state["position"][[ids[row] == id for row in state["emitter"]]].mean(axis=0)
        for id in ("blow", "all")
    }
    assert mean["blow"][0] > 0.1 and abs(mean["all"][0]) < 0.08
