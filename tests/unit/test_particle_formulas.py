# SPDX-License-Identifier: MIT
"""Motions of particles against closed forms in float64, and against a model byte for byte."""

from __future__ import annotations

import math

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_particle_tables import KINDS, C, Tables, make_tables
from helpers_particles import effect_tables, one_row, pcg4d, state

SECOND = 65536
TICKS = [0, 66, SECOND, 3600 * SECOND, 2**32 - 1, 2**32, 2**52 - 1]
TURN = 2 * math.pi / 2**32


@pytest.fixture(scope="module")
def device():
    with dw.Device("cpu", threads=1) as device:
        yield device


# ---- the model ----


def wild_tables(rng: np.random.Generator) -> Tables:
    """Rows of all kinds with every shape, tone, frame rule and sign of params."""
    tables = make_tables(rng)
    parts, kind = tables.parts, tables.parts["kind"]
    parts["params"] *= rng.choice([0.3, 1, 2, 30, -3], parts["params"].shape)
    parts["params"][:, 0] = np.where(
        kind == KINDS["ballistic"],
        rng.integers(0, 7, len(parts)) + 8 * rng.integers(0, 14, len(parts)),
        parts["params"][:, 0],
    )
    parts["params"][:, 5][kind == KINDS["spell"]] = 3
    parts["tone"] = rng.integers(0, 5, len(parts))
    parts["offset"] = rng.uniform(-1, 1, (len(parts), 3))
    parts["frame_rate"] = rng.choice([0, -1, 12], len(parts))
    parts["rise"] = np.where(rng.random(len(parts)) < 0.3, 0, parts["rise"])
    return tables


def differing(a: np.ndarray, b: np.ndarray) -> list[str]:
    return [name for name in a.dtype.names if a[name].tobytes() != b[name].tobytes()]


@pytest.mark.parametrize("now", TICKS)
def test_state_has_the_bytes_of_the_model(device, rng, now):
    tables = wild_tables(rng)
    for camera in (None, np.float32([3.5, 1.25, -7000.0])):
        got, wanted = tables.state(device, now, camera=camera), state(tables, now, camera)
        assert len(got) == len(wanted) > 100
        assert differing(got, wanted) == []
        assert np.isfinite(got["position"]).all() and np.isfinite(got["opacity"]).all()


def test_model_comparison_can_fail(device, rng):
    tables = wild_tables(rng)
    got = tables.state(device, SECOND)
    tables.parts["params"] = np.nextafter(tables.parts["params"], np.float32(9))
    assert "position" in differing(got, state(tables, SECOND))
    assert "age" in differing(got, state(tables, SECOND + 1))


def test_all_kinds_are_in_the_model():
    from helpers_particles import MOVES

    assert set(MOVES) == set(KINDS.values())


# ---- closed forms, written from the published formulas ----


class Seen:
    """The particles of one part of an effect, their ages, and the words they were drawn from."""

    def __init__(self, device, effect: str, index: int, now: int = 19 * SECOND, rows: int = 40,
                 extent=(0.5, 0.2, 1.1), points: np.ndarray | None = None) -> None:
        rng = np.random.default_rng(5)
        tables = effect_tables(effect, index, rows, rng, extent=extent, points=points)
        if index != 1 or effect.startswith("glow"):
            tables.emitters["key1"] &= 0x3FFFF  # phases of at most 4 s: angular speeds are rounded
        self.state = s = tables.state(device, now)
        assert len(s) >= rows * tables.emitters["count"][0] * 0.8 or effect.startswith("water")
        e = tables.emitters[s["emitter"]]
        self.e, self.tables = e, tables
        x, y, z = (s["position"].astype(float) - e["position"]).T
        self.x, self.y, self.z = x, y, z
        self.size, self.alpha = s["size"].astype(float), s["opacity"].astype(float)
        self.t = s["age"] / s["lifetime"]
        self.T = (now + e["key1"].astype(float)) / SECOND
        self.slot = s["slot"].astype(float)
        self.fresh = pcg4d(s["slot"], s["cycle"], e["key0"], e["key1"] + 1)
        self.own = pcg4d(s["slot"], 0, e["key0"], e["key1"])
        self.more = pcg4d(s["slot"], 0, e["key0"], e["key1"] + 2)
        self.centre = pcg4d(2**32 - 1, s["cycle"], e["key0"], e["key1"] + 1)
        self.dir = np.where(self.own[3] & 1, -1.0, 1.0)
        self.g = 0.85 + 0.15 * np.sin(2 * self.T)
        self.R, self.low, self.high = extent[0], extent[1], extent[1] + extent[2]


def part(word: np.ndarray) -> np.ndarray:
    """Even in [0, 1)."""
    return word / 2.0**32


def high(word: np.ndarray) -> np.ndarray:
    return (word >> np.uint32(16)) / 2.0**16


def low(word: np.ndarray) -> np.ndarray:
    return (word & np.uint32(0xFFFF)) / 2.0**16


def close(got, wanted, tolerance: float) -> None:
    error = np.abs(np.asarray(got) - wanted).max()
    assert error <= tolerance, error


PLACE = 3e-6  # m: the sine's 4e-6 of radii below 1 m, and float32
FADE = 4.1e-4  # a power of 1.2 between its last knots: 0.9 ((1/64)^1.2 / 2 - (1/128)^1.2)
PHASE = 2e-3  # of 20 s at speeds rounded to 2^-32 turns a tick


@pytest.mark.parametrize("effect", ["water_net", "water_bait", "water_fly"])
def test_splashes_fly_in_arcs(device, effect):
    s = Seen(device, effect, 0)
    th, r = s.fresh[0] * TURN, 0.05 + 0.30 * part(s.fresh[1])
    peak = 0.12 + 0.20 * part(s.fresh[2])
    close(s.x, r * np.cos(th), PLACE)
    close(s.y, 0.08 + 4 * peak * s.t * (1 - s.t), PLACE)
    close(s.z, r * np.sin(th), PLACE)
    close(s.alpha, 0.9 * np.minimum(12 * s.t, 1) * (1 - s.t) ** 1.2, FADE)
    close(s.size, 0.055, 1e-7)
    assert (s.state["lifetime"] >= 0.6 * SECOND - 1).all()
    assert (s.state["lifetime"] <= 1.2 * SECOND + 1).all()


def test_bursts_rise_around_one_point(device):
    seen = [Seen(device, "water_fly", 1, now=at * SECOND, rows=80) for at in (8, 19, 31)]
    assert sum(len(s.t) for s in seen) > 60
    for s in seen:
        a, big = s.centre[0] * TURN, 0.05 + 0.15 * part(s.centre[1])
        jx, jz = (0.03 * (2 * part(s.fresh[i]) - 1) for i in (0, 1))
        th = np.arctan2(big * np.sin(a) + jz, big * np.cos(a) + jx)
        r = big + 0.04 * (2 * part(s.fresh[2]) - 1)
        peak = 0.25 + 0.35 * part(s.fresh[3])
        close(s.x, r * np.cos(th), PLACE)
        close(s.y, 0.08 + 4 * peak * s.t * (1 - s.t), PLACE)
        close(s.z, r * np.sin(th), PLACE)
        assert (s.state["lifetime"] >= 0.5 * SECOND - 1).all()
        assert (s.state["lifetime"] <= 0.9 * SECOND + 1).all()


def test_bubbles_wobble(device):
    s = Seen(device, "water_bait", 2)
    th, r = s.fresh[0] * TURN, 0.04 + 0.20 * part(s.fresh[1])
    peak = 0.30 + 0.25 * part(s.fresh[2])
    close(s.x, r * np.sin(th + 4 * s.dir * s.t), PLACE)
    close(s.y, 0.03 + peak * s.t, PLACE)
    close(s.z, 0.6 * r * np.cos(th + 2.5 * s.t), PLACE)
    close(s.alpha, 0.8 * np.minimum(6 * s.t, 1) * (1 - s.t) ** 1.2, FADE)
    close(s.size, 0.09, 1e-7)


def test_shimmers_wander_and_twinkle(device):
    s = Seen(device, "water_bait", 3)
    th, r = s.fresh[0] * TURN, 0.15 + 0.45 * high(s.own[3])
    phi = th + 6 * (0.10 + 0.15 * low(s.own[3])) * s.dir * s.t
    close(s.x, r * np.cos(phi), PLACE)
    close(s.y, 0.06, 1e-7)
    close(s.z, r * np.sin(phi), PLACE)
    beat = np.maximum(0, np.sin(8 * s.T + 5 * th) * np.sin(13 * s.T + 3 * th))
    ends = np.minimum(4 * s.t, 1) * np.minimum(4 * (1 - s.t), 1)
    close(s.alpha, 0.85 * beat * ends, PHASE)
    assert (s.alpha > 0.3).any() and (s.alpha == 0).any()


SPEEDS = [("water_net", 0.8), ("water_bait", 1), ("water_fly", 1.5)]


@pytest.mark.parametrize(("effect", "speed"), SPEEDS)
def test_ripples_widen(device, effect, speed):
    s = Seen(device, effect, 4)
    ph = s.t
    rising = 0.55 * ph / 0.15
    falling = 0.55 * np.maximum(1 - (ph - 0.15) / 0.85, 0) ** 1.5
    close(s.size, 0.15 + 1.3 * ph, 1e-6)
    close(s.alpha, np.where(ph < 0.15, rising, falling), 1e-6)
    close((s.x, s.z), 0.0, 1e-6)
    close(s.y, 0.1, 1e-6)
    close(s.state["lifetime"], 2 / speed * SECOND, 0.51)
    # two rings half a period apart
    pairs = s.t[s.slot == 0], s.t[s.slot == 1]
    close((pairs[1] - pairs[0]) % 1, 0.5, 2e-5)
    # spots have their own phases
    tables = effect_tables(effect, 4, 40, np.random.default_rng(3))
    s = tables.state(device, 5)
    assert np.ptp((s["age"] / s["lifetime"])[s["slot"] == 0]) > 0.9


def test_ripples_of_the_seed_are_in_step(device):
    tables = effect_tables("water_bait", 4, 30, np.random.default_rng(1))
    tables.emitters["part"] |= C["EMITTER_IS_SEED"] << 16
    now = 7 * SECOND + 12345
    s = tables.state(device, now)
    ph = (0.5 * 1.0 * now / SECOND + s["slot"] / 2) % 1
    close(s["age"] / s["lifetime"], ph, 2e-5)


@pytest.mark.parametrize("is_seed", [False, True])
def test_phases_are_those_of_the_clock(device, is_seed):
    """A shift by key1 is a shift in time; of the seed's rows the hub's clock alone counts."""
    tables = effect_tables("glow_altar", 0, 1, np.random.default_rng(2), extent=(0.5, 0, 1))
    tables.emitters["epoch_low"] = 1000
    tables.emitters["part"] |= is_seed * C["EMITTER_IS_SEED"] << 16
    tables.emitters["key1"] = 5000
    now = 20000
    T = (now if is_seed else now - 1000 + 5000) / SECOND
    y = tables.state(device, now)["position"][0, 1] - tables.emitters["position"][0, 1]
    close(y, 1 + 0.05 + 0.12 * math.sin(T), 3e-6)


def test_pillars_breathe(device):
    s = Seen(device, "glow_altar", 0)
    p, scale = s.slot, s.R * (0.7 + 0.3 * part(s.own[3]))
    close(s.x, 0.06 * s.R * np.sin(0.8 * s.T + 1.5 * p), 1e-4)
    close(s.y, s.high + 0.05 + 0.35 * p + 0.12 * np.sin(s.T + 3.14 * p), 3e-4)
    close(s.z, 0.04 * s.R * np.cos(0.6 * s.T + p), 1e-4)
    close(s.size, scale * (1 + 0.15 * np.sin(1.5 * s.T + 2 * p)), 3e-4)
    close(s.alpha, (0.3 + 0.1 * np.sin(1.2 * s.T + p)) * s.g, 5e-4)


def test_wisps_orbit(device):
    s = Seen(device, "glow_altar", 1)
    direction = np.where(s.more[3] & 1, -1.0, 1.0)
    a = s.fresh[0] * TURN + 5 * (0.5 + 0.6 * part(s.fresh[1])) * direction * s.t
    r = (s.R + 0.1 + 0.15 * part(s.more[1])) * (0.8 + 0.2 * np.sin(2 * np.pi * s.t))
    height = s.low + (s.high - s.low) * part(s.more[0])
    close(s.x, r * np.cos(a), PLACE)
    close(s.y, height + 0.3 * np.sin(2.5 * np.pi * s.t), PLACE)
    close(s.z, r * np.sin(a), PLACE)
    scale = 0.25 + 0.2 * part(s.more[2])
    close(s.size, scale * (1 + 0.2 * np.sin(3 * np.pi * s.t)), 1e-6)
    ends = np.minimum(3 * s.t, 1) * np.minimum(3 * (1 - s.t), 1)
    close(s.alpha, 0.5 * ends * s.g, 5e-4)


@pytest.mark.parametrize("has_points", [False, True])
def test_sparks_leave_the_surface(device, has_points):
    points = np.random.default_rng(3).uniform(-1, 1, (17, 3)).astype(np.float32)
    s = Seen(device, "glow_altar", 2, points=points if has_points else None)
    th, drift = s.fresh[0] * TURN, 0.05 + 0.10 * part(s.fresh[1])
    ring, height = s.fresh[2] * TURN, s.low + (s.high - s.low) * part(s.fresh[3])
    start = np.stack([0.8 * s.R * np.cos(ring), height, 0.8 * s.R * np.sin(ring)], axis=1)
    if has_points:
        start = points[(17 * s.fresh[3].astype(np.uint64)) >> np.uint64(32)].astype(float)
    close(s.x, start[:, 0] + drift * np.sin(th + 2 * s.dir * s.t), PLACE)
    close(s.y, start[:, 1] + 1.8 * s.t, PLACE)
    close(s.z, start[:, 2] + drift * np.cos(th + 1.5 * s.t), PLACE)
    close(s.size, (0.05 + 0.06 * part(s.own[3])) * (1 - 0.5 * s.t), 1e-6)
    close(s.alpha, 0.85 * np.minimum(8 * s.t, 1) * (1 - s.t) ** 1.5 * s.g, 6e-4)


def test_base_turns_slowly(device):
    s = Seen(device, "glow_altar", 3)
    p, speed = s.slot, 0.08 + 0.06 * part(s.more[2])
    a = p / 4 * 2 * np.pi + 3 * speed * s.T
    r = s.R + 0.05 + 0.15 * part(s.more[0])
    close(s.x, r * np.cos(a), 2e-3)
    close(s.y, s.low + 0.1 * part(s.more[1]), PLACE)
    close(s.z, r * np.sin(a), 2e-3)
    scale = s.R * (0.5 + 0.3 * part(s.more[3]))
    close(s.size, scale * (1 + 0.15 * np.sin(s.T + 1.57 * p)), 3e-4)
    close(s.alpha, (0.15 + 0.06 * np.sin(0.8 * s.T + 2 * p)) * s.g, 5e-4)


def test_flames_sway_and_shrink(device):
    s = Seen(device, "glow_fire", 0)
    ox, oz = (0.02 * (2 * part(s.fresh[i]) - 1) for i in (0, 1))
    ph, rise = s.fresh[2] * TURN, 0.25 + 0.35 * high(s.own[3])
    sway = 0.04 * (1 - 0.7 * s.t)
    fade = np.minimum(8 * s.t, 1) * (1 - s.t) ** 1.2
    close(s.x, ox * (1 + 0.4 * s.t) + sway * np.sin(7 * s.T + ph), 2e-4)
    close(s.y, rise * s.t, PLACE)
    close(s.z, oz * (1 + 0.4 * s.t) + sway * np.cos(5.5 * s.T + 1.5 * ph), 2e-4)
    close(s.size, (0.12 + 0.08 * low(s.own[3])) * fade * (1 - 0.5 * s.t), 1e-4)
    close(s.alpha, 0.85 * fade, FADE)
    assert (s.state["turn"] == s.fresh[2]).all()
    colors = {0xFF0044FF, 0xFF0066FF, 0xFF0088FF, 0xFF00AAFF, 0xFF00CCFF}
    assert set(s.state["color"].tolist()) == colors  # RGBA8, red in the lowest byte


# ---- by hand ----

BY_HAND = [  # effect, part, t, what, value
    ("water_bait", 0, 0.5, "opacity", 0.9 * 0.5**1.2),  # 0.3917
    ("water_bait", 0, 1 / 24, "opacity", 0.9 * 0.5 * (23 / 24) ** 1.2),
    ("water_bait", 4, 0.15, "opacity", 0.55),
    ("water_bait", 4, 0.15, "size", 0.15 + 1.3 * 0.15),
    ("water_bait", 4, 0.9999, "opacity", 0.0),
    ("water_bait", 4, 0.0, "size", 0.15),
    ("water_bait", 2, 0.25, "opacity", 0.8 * 0.75**1.2),
    ("glow_altar", 1, 0.5, "opacity", 0.5),
    ("glow_fire", 0, 0.5, "opacity", 0.85 * 0.5**1.2),
]


@pytest.mark.parametrize(("effect", "index", "t", "field", "value"), BY_HAND)
def test_values_by_hand(device, effect, index, t, field, value):
    tables, now = one_row(effect, index, t)
    s = tables.state(device, now)
    pulse = 0.85 + 0.15 * np.sin(2 * now / SECOND) if effect == "glow_altar" else 1
    close(s[field] / pulse, value, 5e-4)


def test_splash_is_highest_in_the_middle(device):
    tables, now = one_row("water_bait", 0, 0.5)
    tables.parts["params"][0, 2:4] = 0.25, 0.0
    assert tables.state(device, now)["position"][0, 1] == pytest.approx(0.08 + 0.25, abs=1e-6)


# ---- the kinds that upstream lacks ----


def test_a_thrown_particle_obeys_the_law_of_motion(device):
    """Euler's steps in float64 come to the same place as the closed form."""
    for drag in (0.0, 0.3, 1.0, 4.0, 30.0):
        tables, _ = one_row("combat_blood", 0, 0.0, count=12)
        params = tables.parts["params"][0]
        params[:] = 0
        params[2:8] = 3.0, 1.0, 0.3, 0.6, drag, 9.81
        tables.parts["life_least"], tables.parts["life_span"] = 4 * SECOND, 0
        steps, h = 2 * SECOND, 1 / SECOND
        speed = launch(tables, tables.state(device, 0))
        place = np.zeros_like(speed)
        for _ in range(steps // 16):  # midpoint steps of 16 ticks
            middle = speed + 8 * h * (np.array([0, -9.81, 0]) - drag * speed)
            place = place + 16 * h * middle
            speed = speed + 16 * h * (np.array([0, -9.81, 0]) - drag * middle)
        close(tables.state(device, steps)["position"], place, 2e-3)


def launch(tables: Tables, s: np.ndarray) -> np.ndarray:
    """Velocities that sprays begin with."""
    e, p = tables.emitters[s["emitter"]], tables.parts["params"][0].astype(float)
    d = pcg4d(s["slot"], s["cycle"], e["key0"], e["key1"] + 1)
    y = 2 * part(d[1]) - 1
    ring, a = np.sqrt(1 - y * y), d[0] * TURN
    way = np.stack([ring * np.cos(a), y, ring * np.sin(a)], axis=1) * p[5]
    way = way + e["extent"] + [0, p[4], 0]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return way * (p[2] + p[3] * part(d[2]))[:, None]


@pytest.mark.parametrize("shape", range(7))
def test_shapes_hold_what_they_throw(device, shape):
    rng = np.random.default_rng(4)
    points = rng.uniform(-1, 1, (9, 3)).astype(np.float32)
    tables, _ = one_row("combat_blood", 0, 0.0, count=4000, points=points)
    p = tables.parts[0]
    p["kind"], p["params"] = KINDS["ballistic"], 0
    p["params"][0:6] = shape, 0.8, 0.5, 0.3, 0.25, 0.5
    tables.parts[0] = p
    x, y, z = tables.state(device, 0)["position"].T.astype(float)
    r, whole = np.hypot(x, z), np.sqrt(x * x + y * y + z * z)
    if shape == 0:
        assert not np.concatenate([x, y, z]).any()
    elif shape in (1, 5):
        assert (r >= 0.8 * 0.75 - 1e-6).all() and (r <= 0.8 + 1e-6).all()
        assert (z >= -1e-5).all()  # half an arc
        assert (y >= 0).all() and (y.max() > 0.49) == (shape == 5) and y.max() <= 0.5
    elif shape in (2, 3):
        assert (whole >= 0.6 - 1e-5).all() and (whole <= 0.8 + 1e-5).all()
        assert (y >= 0).all() == (shape == 3)
    elif shape == 4:
        for axis, most in zip((x, y, z), (0.8, 0.5, 0.3)):
            assert 0.99 * most < np.abs(axis).max() <= most
    else:
        way = np.linalg.norm(np.stack([x, y, z], 1)[:, None] - points, axis=2)
        close(way.min(axis=1), 0.0, 6e-6)
        share = np.bincount(way.argmin(axis=1), minlength=9) / 4000
        assert (np.abs(share - 1 / 9) < 0.02).all()


@pytest.mark.parametrize(
    ("side", "axes"),
    [(1, "yzx"), (2, "zxy"), (3, "-x-y+z"), (4, "-y+z-x"), (5, "+z-x-y")],
)
def test_a_throw_lies_on_any_side(device, side, axes):
    """Where "yzx" has y, z and x of the upright one; orbits and ways turn with the shape."""
    tables, _ = one_row("combat_blood", 0, 0.0, count=500)
    p = tables.parts[0]
    p["kind"], p["offset"], p["params"] = KINDS["ballistic"], 0, 0
    p["params"][:18] = (5, 0.8, 0.5, 0.3, 0.25, 0.5, 2, 1, 0, 0, 0, 0.1, 0.3, 1, -2, 3, 0.5, 0.25)
    tables.parts[0] = p
    upright = tables.state(device, 20000)
    tables.parts["params"][0, 0] += 8 * side
    turned = tables.state(device, 20000)
    signs = [-1.0 if axes[axes.index(a) - 1] == "-" else 1.0 for a in axes if a in "xyz"]
    order = ["xyz".index(a) for a in axes if a in "xyz"]
    assert (turned["position"] == upright["position"][:, order] * np.float32(signs)).all()
    assert np.ptp(upright["position"], axis=0).min() > 0.3
    before, after = (
        (s["axis"][:, None] >> np.uint32([0, 10, 20]) & 1023) - 512.0 for s in (upright, turned)
    )
    assert np.abs(after - before[:, order] * signs).max() <= 1


def test_a_flat_throw_stays_in_its_plane(device):
    """Any way round in it, evenly; and within a stray of the way that it is given."""
    tables, _ = one_row("combat_blood", 0, 0.0, count=2000)
    p = tables.parts[0]
    p["kind"], p["offset"], p["params"] = KINDS["ballistic"], 0, 0
    p["params"][0], p["params"][6], p["params"][8], p["params"][11] = 16 + 64, 1, 1, 1000
    tables.parts[0] = p
    x, y, z = tables.state(device, 20000)["position"].T.astype(float)
    assert (z == 0).all()
    close(np.hypot(x, y), 20000 / 65536, 1e-5)
    share = np.histogram(np.arctan2(y, x), 8, (-np.pi, np.pi))[0] / 2000
    assert (np.abs(share - 1 / 8) < 0.03).all()
    tables.parts["params"][0, 11] = 0.5
    x, y, z = tables.state(device, 20000)["position"].T.astype(float)
    assert (z == 0).all() and np.abs(np.arctan2(x, y)).max() < np.arcsin(0.5) + 1e-6
    assert np.abs(np.arctan2(x, y)).max() > 0.4


def index_of(effect: str, kind: str) -> int:
    return [p["kind"] for p in _core.PARTICLE_EFFECTS[effect][2]].index(kind)


def params_of(s: Seen) -> list[float]:
    return s.tables.parts["params"][0].astype(float).tolist()


def test_embers_swirl_ever_wider(device):
    s = Seen(device, "fire_camp", index_of("fire_camp", "ember"))
    radius, rise, rise_span, swirl, turns, size, size_span, *_ = params_of(s)
    th, a = s.fresh[0] * TURN, np.where(s.fresh[0] & 1, -1, 1) * turns * s.t * 2 * np.pi
    a = a + s.fresh[3] * TURN
    start = radius * np.sqrt(part(s.fresh[1]))
    close(s.x, start * np.cos(th) + swirl * s.t * np.cos(a), PLACE)
    close(s.y, (rise + rise_span * high(s.fresh[2])) * s.t, PLACE)
    close(s.z, start * np.sin(th) + swirl * s.t * np.sin(a), PLACE)
    close(s.size, size + size_span * low(s.fresh[2]), 1e-6)
    glimmer = 0.75 + 0.25 * np.sin(17 * s.T + s.fresh[3] * TURN)
    fade = np.minimum(10 * s.t, 1) * (1 - s.t)
    close(s.alpha, 0.95 * fade * glimmer, PHASE)


def test_spells_wind_up_in_arms(device):
    """From one circle to another along three arms; the share of both runs ahead of the age."""
    s = Seen(device, "magic_spell", 0)
    r0, r1, y0, y1, bend, arms, turns, spread, size, size_span, *_ = params_of(s)
    off = spread * (part(s.fresh[1]) - 0.5)
    share = s.t + bend * s.t * (1 - s.t)
    radius = r0 + (r1 - r0) * share
    a = 2 * np.pi * (np.floor(part(s.fresh[0]) * arms) / arms + turns * share + off) + 0.5 * s.T
    close(s.x, radius * np.cos(a), 5e-4)  # 23 s at a speed that is rounded by 4e-5 of it
    close(s.y, y0 + (y1 - y0) * share + 0.5 * off * radius, PLACE)
    close(s.z, radius * np.sin(a), 5e-4)
    close(s.size, (size + size_span * part(s.fresh[2])) * (0.6 + 0.4 * s.t), 1e-6)
    ends = np.minimum(5 * s.t, 1) * np.minimum(4 * (1 - s.t), 1)
    close(s.alpha, 0.85 * ends * (0.8 + 0.2 * np.sin(9 * s.T + s.fresh[3] * TURN)), PHASE)
    assert len(np.unique(np.floor(part(s.fresh[0]) * arms))) == 3


@pytest.mark.parametrize("index", [0, 3])  # one each way round
def test_enchantments_turn_in_tilted_rings(device, index):
    s = Seen(device, "magic_enchant", index)
    beyond, wide, share, tall, speed, faster, tilt, size, size_span, *_ = params_of(s)
    radius = s.R + beyond + wide * part(s.more[0])
    a = 2 * np.pi * s.slot / s.e["count"] + (speed + faster * part(s.more[2])) * s.T
    close(s.x, radius * np.cos(a), PHASE)
    close(s.z, radius * np.sin(a), PHASE)
    height = s.low + (s.high - s.low) * (share + tall * part(s.more[1]))
    close(s.y, height + tilt * s.x, PLACE)
    beat = 0.85 + 0.15 * np.sin(4 * s.T + s.more[1] * TURN)
    close(s.size, (size + size_span * part(s.more[3])) * beat, 3e-4)
    opacity = float(s.tables.parts["opacity"][0])
    close(s.alpha, opacity * (0.7 + 0.3 * np.sin(3 * s.T + s.more[0] * TURN)), PHASE)
    assert speed > 0 if index == 0 else speed < 0


def test_halos_flicker_in_place(device):
    s = Seen(device, "fire_camp", index_of("fire_camp", "halo"))
    height, size, flicker, speed, *_ = params_of(s)
    close((s.x, s.z), 0.0, 1e-9)
    close(s.y, height, 1e-6)
    close(s.size, size, 1e-6)
    beat = np.sin(speed * s.T) * np.sin(1.7 * speed * s.T)
    close(s.alpha, 0.14 * (1 - flicker * (0.5 + 0.5 * beat)), PHASE)


def shot(device, effect: str, index: int, t: float, params: list[float], seconds: float = 2.0):
    """What `Seen` gives, of 200 slots that live once, all at age t."""
    tables, _ = one_row(effect, index, 0.0, count=200)
    tables.parts["params"], tables.parts["rise"] = 0, 0
    tables.parts["params"][0, : len(params)] = params
    tables.parts["fall"], tables.parts["opacity"] = 0, 0.75
    tables.parts["opacity_curve"] = 2**32 - 1
    tables.parts["life_least"], tables.emitters["key1"] = round(seconds * SECOND), 99
    s = tables.state(device, round(t * seconds * SECOND))
    assert len(s) == 200
    e = tables.emitters[s["emitter"]]
    return s, pcg4d(s["slot"], s["cycle"], e["key0"], e["key1"] + 1)


@pytest.mark.parametrize("t", [0.0, 0.125, 0.5, 0.9375])
def test_puffs_are_thrown_braked_and_drift(device, t):
    """way (1 - (1 - t)^2) outward, as much of a lift, warmth t, wind t^2; sizes as the way."""
    params = [0.2, 0.5, 0.4, 0.3, 0.15, 0.25, 0.6, 0.7, -0.9, 0.1, 0.2, 1.5, 0.4]
    s, d = shot(device, "dust_mining", 0, t, params)
    x, y, z = s["position"].T.astype(float)
    out = 1 - (1 - t) ** 2
    way, lift = 0.5 + 0.4 * high(d[2]), 0.15 + 0.25 * low(d[2])
    r = 0.2 * np.sqrt(low(d[1])) + way * out
    close(x, r * np.cos(d[0] * TURN) + 0.7 * t * t, 8e-6)
    close(y, 0.3 + lift * out + 0.6 * t, PLACE)
    close(z, r * np.sin(d[0] * TURN) - 0.9 * t * t, 8e-6)
    close(s["size"], (0.1 + 0.2 * high(d[1])) * (1 + 1.5 * out), 1e-6)
    close(s["opacity"], 0.75, 1e-7)
    spin = np.where(d[0] & 1, -1.0, 1.0) * 0.4 * out
    off = (s["turn"] / 2.0**32 - d[3] / 2.0**32 - spin + 0.5) % 1 - 0.5
    close(off, 0.0, 1e-6)


def test_a_puff_by_hand(device):
    """Half of a life: braked to 3/4 of the way."""
    s, _ = shot(device, "dust_mining", 0, 0.5, [0, 0.8, 0, 0.1, 0.4, 0, 0.2, 0, 0, 0.2, 0, 1.0, 0])
    close(np.hypot(*s["position"][:, [0, 2]].T.astype(float)), 0.6, PLACE)  # 0.8 * 3 / 4
    close(s["position"][:, 1], 0.1 + 0.3 + 0.1, 1e-6)
    close(s["size"], 0.35, 1e-6)  # 0.2 * (1 + 3 / 4)


CHIP = [0.1, 0.5, 0.4, 0.6, 1.0, 2.0, 10.0, 0.4, 0.02, 0.03, 1.5]


@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3, 0.45, 0.6, 0.8, 1.2, 1.9])
def test_chips_fall_bounce_and_stop(device, seconds):
    """In steps: the first arc under gravity until the ground, one more by what the bounce leaves,
    and no way further."""
    s, d = shot(device, "dust_mining", 1, seconds / 2, CHIP)
    x, y, z = s["position"].T.astype(float)
    now = s["age"].astype(float) / SECOND
    speed, jump = 0.4 + 0.6 * high(d[1]), 1.0 + 2.0 * low(d[1])
    hit = np.sqrt(jump**2 + 2 * 10 * 0.5)
    lands = (jump + hit) / 10
    rests = lands + 2 * 0.4 * hit / 10
    air, hop = np.minimum(now, lands), np.clip(now - lands, 0, rests - lands)
    wanted = np.where(
        now < lands, 0.5 + jump * now - 5 * now**2, 0.4 * hit * hop - 5 * hop**2
    )
    r = 0.1 * low(d[2]) + speed * (air + 0.4 * hop)
    close(x, r * np.cos(d[0] * TURN), 1e-5)
    close(y, np.maximum(wanted, 0), 1e-5)
    close(z, r * np.sin(d[0] * TURN), 1e-5)
    close(s["size"], 0.02 + 0.03 * high(d[2]), 1e-7)
    spin = np.where(d[0] & 1, -1.0, 1.0) * 1.5 * (air + 0.4 * hop)
    off = (s["turn"] / 2.0**32 - d[3] / 2.0**32 - spin + 0.5) % 1 - 0.5
    close(off, 0.0, 1e-5)
    if seconds == 0.6:
        assert (now > lands).any() and (now < lands).any()
    if seconds == 1.9:
        assert (now > rests).all() and y.max() < 3e-7


def test_a_chip_by_hand(device):
    """Dropped from 1.8 m at g = 10: lands after 0.6 s at 6 m/s, hops to a quarter of that speed."""
    drop = [0, 1.8, 1.0, 0, 0, 0, 10.0, 0.25, 0.02, 0, 0]
    for seconds, height, way in [(0.3, 1.35, 0.3), (0.6, 0.0, 0.6), (0.75, 0.1125, 0.6375),
                                 (0.9, 0.0, 0.675), (1.5, 0.0, 0.675)]:  # fmt: skip
        s, _ = shot(device, "dust_mining", 1, seconds / 2, drop)
        close(s["position"][:, 1], height, 1e-4)  # a tick at 6 m/s
        close(np.hypot(*s["position"][:, [0, 2]].T.astype(float)), way, 2e-5)


def test_chips_bounce_once_and_lie_still(device):
    tables, _ = one_row("dust_mining", 1, 0.0, count=20)
    tables.parts["life_least"], tables.parts["life_span"] = 6 * SECOND, 0
    tables.parts["gap_jitter"] = 0
    heights = np.stack([
        tables.state(device, tick)["position"][:, 1].astype(float)
        for tick in range(0, 3 * SECOND, 512)
    ])
    assert (heights >= -1e-5).all()
    assert (heights[-1] < 1e-4).all()
    for h in heights.T:
        peaks = (h[1:-1] > h[:-2]) & (h[1:-1] >= h[2:]) & (h[1:-1] > 1e-3)
        assert peaks.sum() == 2
    still = tables.state(device, 4 * SECOND), tables.state(device, 5 * SECOND)
    assert differing(*still) == ["age", "opacity"] or differing(*still) == ["age"]


def test_chips_that_lie_on_the_ground_from_the_first_are_finite(device):
    """The root of 0 is 0."""
    tables, _ = one_row("dust_mining", 1, 0.0, count=9)
    tables.parts["params"][0, [0, 1, 4, 5]] = 0
    for now in (0, 100, 30000):
        s = tables.state(device, now)
        assert not s["position"].any() and len(s) == 9


@pytest.mark.parametrize("effect", ["weather_rain", "weather_snow"])
def test_weather_stays_around_the_camera_and_in_place_in_the_world(device, effect):
    tables = effect_tables(effect, 0, 1, np.random.default_rng(6))
    tables.emitters["count"] = 3000
    wide, tall = tables.parts["params"][0, :2].astype(float)
    now = 3600 * SECOND
    camera = np.float32([120.0, 5.0, -340.0])
    here = tables.state(device, now, camera=camera)
    off = here["position"].astype(float) - camera
    assert (np.abs(off) <= np.array([wide, tall, wide]) / 2 + 1e-4).all()
    assert (here["opacity"] >= 0).all()
    for axis, width in enumerate((wide, tall, wide)):  # evenly spread
        share = np.histogram(off[:, axis] / width + 0.5, 8, (0, 1))[0] / len(off)
        assert (np.abs(share - 1 / 8) < 0.03).all()
    moved = tables.state(device, now, camera=camera + np.float32([1.5, 0.5, 0.75]))
    step = (moved["position"].astype(float) - here["position"]) / np.array([wide, tall, wide])
    close(step - np.round(step), 0.0, 1e-5)  # by whole boxes
    assert (np.abs(step) > 0.5).any() and (np.abs(step) < 1e-5).all(axis=1).mean() > 0.7
    # so far that its place is a multiple of 2^-5 m
    far = tables.state(device, now, camera=np.float32([3e5, 0, 0]))["position"]
    assert np.isfinite(far).all() and (np.abs(far[:, 0] - 3e5) <= wide / 2 + 0.1).all()


def test_rain_falls_at_its_speed(device):
    tables = effect_tables("weather_rain", 0, 1, np.random.default_rng(6))
    tall, least, span = (float(tables.parts["params"][0, i]) for i in (1, 2, 3))
    early, late = (tables.state(device, tick)["position"][:, 1].astype(float)
                   for tick in (2**40, 2**40 + SECOND // 4))
    fallen = (early - late) % tall * 4
    assert (fallen >= least - 0.01).all() and (fallen <= least + span + 0.01).all()


# ---- how numbers are computed ----


def test_frames_run_at_their_rate(device):
    tables, _ = one_row("water_bait", 0, 0.0)
    tables.parts["life_least"], tables.parts["life_span"] = 4 * SECOND, 0
    tables.parts["frames"] = 3 | 8 << 16
    wanted = {
        0.0: {0: 3.0, 2: 3 + 7 / 2},
        16.0: {0: 3.0, 0.125: 5.0, 0.46875: 10.0, 0.5: 3.0, 3.34375: 3 + 53.5 % 8},
    }
    for rate, frames in wanted.items():
        tables.parts["frame_rate"] = rate
        for seconds, frame in frames.items():
            got = tables.state(device, int(seconds * SECOND))["frame"][0] / 256
            assert got == pytest.approx(frame, abs=1 / 256), (rate, seconds)
    tables.parts["frame_rate"] = -1
    tables.emitters["count"] = 2000
    got = np.bincount(tables.state(device, 0)["frame"] >> 8, minlength=11)[3:]
    assert len(got) == 8 and (np.abs(got - 250) < 70).all()


def test_effects_say_their_parts():
    counts = {
        "water_net": [4, 2, 3, 3, 2],
        "water_bait": [5, 3, 4, 4, 2],
        "water_fly": [8, 4, 5, 5, 2],
        "glow_altar": [2, 10, 14, 4],
        "glow_fire": [28],
    }
    for name, wanted in counts.items():
        assert [p["count"] for p in _core.PARTICLE_EFFECTS[name][2]] == wanted
    assert sum(p["count"] for p in _core.PARTICLE_EFFECTS["glow_torch"][2]) == 6
    assert _core.PARTICLE_VARIANTS == (
        ("net", "water_net"), ("fly", "water_fly"), ("", "water_bait"),
    )


def test_palettes():
    assert len(_core.PARTICLE_PALETTES) == 14
    assert _core.PARTICLE_PALETTES["default"] == (0xC4B5FD, 0x8B5CF6, 0x60A5FA)
    assert _core.PARTICLE_PALETTES["blood"] == (0xFF4040, 0xC01010, 0x800808)
    assert _core.PARTICLE_SEED_COLORS == {
        "splash": 0xDDEEFF, "bubble": 0x88CCEE, "shimmer": 0xEEF4FF, "ripple": 0x66BBFF,
    }
