# SPDX-License-Identifier: MIT
"""Chance of particles: words, distributions, bursts, loops; and the spheres that hold them."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_particle_tables import KINDS, C, Tables
from helpers_particles import effect_tables, one_row

SECOND = 65536
EFFECTS = [(name, i) for name, row in _core.PARTICLE_EFFECTS.items() for i in range(len(row[2]))]


@pytest.fixture(scope="module")
def device():
    with dw.Device("cpu", threads=1) as device:
        yield device


# ---- words ----


def pcg4d_of_whole_numbers(*v: int) -> tuple[int, ...]:
    """As published, in Python's own whole numbers."""
    mask = 2**32 - 1
    x, y, z, w = ((a * 1664525 + 1013904223) & mask for a in v)

    def stir(x: int, y: int, z: int, w: int) -> tuple[int, ...]:
        x = (x + y * w) & mask
        y = (y + z * x) & mask
        z = (z + x * y) & mask
        return x, y, z, (w + y * z) & mask

    return stir(*(a ^ a >> 16 for a in stir(x, y, z, w)))


VECTORS = {  # the words of (0, 0, 0, 0), (1, 2, 3, 4) and of all ones
    (0, 0, 0, 0): (0x0F02F829, 0x2D568769, 0x32B0C43B, 0xD32548EA),
    (1, 2, 3, 4): (0x3622CD16, 0xF11471D8, 0xE1109B3F, 0x02B94C2F),
    (2**32 - 1,) * 4: (0x974ED892, 0xC015DC67, 0x9F955760, 0xA1BBA208),
}


@pytest.mark.parametrize("at", VECTORS)
def test_words_by_hand(at):
    from helpers_particles import pcg4d

    assert pcg4d_of_whole_numbers(*at) == VECTORS[at]
    assert tuple(int(word[0]) for word in pcg4d(*at)) == VECTORS[at]


def test_the_core_draws_these_words(device):
    """A puff that does not spin has word w of block 1 as its turn."""
    tables, _ = one_row("dust_footstep", 0, 0.0, count=50)
    tables.parts["params"][0, 12] = 0
    for key0, key1 in ((0, 0), (0xFFFFFFFF, 0xFFFFFFFE), (123456789, 987654321)):
        tables.emitters["key0"], tables.emitters["key1"] = key0, key1
        turns = tables.state(device, 0)["turn"].tolist()
        assert turns == [pcg4d_of_whole_numbers(i, 0, key0, key1 + 1)[3] for i in range(50)]


# ---- distributions ----


def distance_of(values: np.ndarray, least: float, most: float) -> float:
    """Kolmogorov's and Smirnov's statistic against the even distribution, times sqrt(n)."""
    u = (np.sort(values) - least) / (most - least)
    n = len(u)
    steps = np.arange(n + 1) / n
    return max((steps[1:] - u).max(), (u - steps[:-1]).max()) * np.sqrt(n)


LIMIT = 1.95  # passed by one in a thousand


def drawn(device, effect: str, index: int, now: int) -> tuple[np.ndarray, Tables]:
    tables = effect_tables(effect, index, 2000, np.random.default_rng(now))
    s = tables.state(device, now)
    assert len(s) > 2000
    return s, tables


@pytest.mark.parametrize("now", [0, 60 * SECOND, 2**40])
def test_splashes_are_even_in_all_they_draw(device, now):
    s, _ = drawn(device, "water_bait", 0, now)
    x, y, z = s["position"].T.astype(float)
    t = s["age"] / s["lifetime"]
    middle = (t > 0.1) & (t < 0.9)  # where the height tells the peak
    peak = (y - 0.08)[middle] / (4 * t * (1 - t))[middle]
    assert distance_of(np.arctan2(z, x), -np.pi, np.pi) < LIMIT
    assert distance_of(np.hypot(x, z), 0.05, 0.35) < LIMIT
    assert distance_of(peak, 0.12, 0.32) < LIMIT
    assert distance_of(s["lifetime"] / SECOND, 0.6, 1.2) < LIMIT
    assert distance_of(t, 0, 1) < LIMIT


@pytest.mark.parametrize("now", [3 * SECOND, 2**33])
def test_bubbles_and_shimmers_are_even_in_all_they_draw(device, now):
    s, _ = drawn(device, "water_bait", 2, now)
    t = s["age"] / s["lifetime"]
    peak = (s["position"][:, 1].astype(float) - 0.03) / np.maximum(t, 1e-9)
    assert distance_of(peak[t > 0.1], 0.30, 0.55) < LIMIT
    s, _ = drawn(device, "water_bait", 3, now)
    x, y, z = s["position"].T.astype(float)
    assert distance_of(np.hypot(x, z), 0.15, 0.60) < LIMIT
    assert distance_of(np.arctan2(z, x), -np.pi, np.pi) < LIMIT
    assert np.abs(y - 0.06).max() < 1e-6


@pytest.mark.parametrize("now", [20 * SECOND, 2**34])
def test_bursts_are_even_in_all_they_draw(device, now):
    """One drop of each: those of one burst share its centre."""
    tables = effect_tables("water_fly", 1, 12000, np.random.default_rng(now))
    s = tables.state(device, now)
    x, y, z = s["position"].T.astype(float)
    t = s["age"] / s["lifetime"]
    middle = (t > 0.1) & (t < 0.9)
    assert middle.sum() > 4000
    peak = (y - 0.08)[middle] / (4 * t * (1 - t))[middle]
    assert distance_of(peak, 0.25, 0.60) < LIMIT
    first = s["slot"] == 0
    assert distance_of(np.arctan2(z, x)[first], -np.pi, np.pi) < LIMIT
    young = s["age"] < 0.5 * SECOND  # no life is shorter: all of them are met
    assert distance_of(s["lifetime"][young] / SECOND, 0.5, 0.9) < LIMIT
    r = np.hypot(x, z)
    assert r.min() > 0.01 - 1e-6 and r.max() < 0.24 + 1e-6


@pytest.mark.parametrize(
    ("effect", "index", "least", "most"),
    [("water_net", 2, 1.2, 2.5), ("water_fly", 3, 1.5, 3.0), ("glow_altar", 1, 3, 6),
     ("glow_altar", 2, 1.2, 2.7), ("glow_fire", 0, 0.35, 0.8)],
)  # fmt: skip
def test_lives_are_even(device, effect, index, least, most):
    s, _ = drawn(device, effect, index, 9 * SECOND)
    assert distance_of(s["lifetime"] / SECOND, least, most) < LIMIT
    assert distance_of(s["age"] / s["lifetime"], 0, 1) < LIMIT


def test_uneven_values_are_told(device):
    s, _ = drawn(device, "water_bait", 0, 0)
    r = np.hypot(s["position"][:, 0], s["position"][:, 2]).astype(float)
    assert distance_of(r, 0.05, 0.36) > LIMIT  # a span that is 3 % too wide
    assert distance_of(r * r, 0.05**2, 0.35**2) > LIMIT
    assert distance_of(s["lifetime"] / SECOND, 0.6, 1.25) > LIMIT


def test_values_of_one_particle_and_of_neighbours_do_not_follow_each_other(device):
    s, _ = drawn(device, "water_bait", 0, SECOND)
    x, y, z = s["position"].T.astype(float)
    t = s["age"] / s["lifetime"]
    values = [np.arctan2(z, x), np.hypot(x, z), s["lifetime"].astype(float), t]
    n = len(s)
    for i, a in enumerate(values):
        assert abs(np.corrcoef(a[1:], a[:-1])[0, 1]) < 4 / np.sqrt(n), i
        for b in values[i + 1 :]:
            assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(n), i


def test_rows_whose_keys_differ_by_one_are_strangers(device):
    tables = effect_tables("water_bait", 0, 2000, np.random.default_rng(0))
    tables.emitters["key0"], tables.emitters["key1"] = np.arange(2000), 77
    s = tables.state(device, 0)
    r = np.hypot(s["position"][:, 0], s["position"][:, 2]).reshape(2000, -1)[:, 0]
    assert distance_of(r.astype(float), 0.05, 0.35) < LIMIT
    assert abs(np.corrcoef(r[1:], r[:-1])[0, 1]) < 4 / np.sqrt(2000)


def test_the_coin_is_fair(device):
    """Shimmers turn one way as often as the other, and never change their mind."""
    tables = effect_tables("water_bait", 3, 3000, np.random.default_rng(4))
    tables.emitters["key1"] &= 0xFFFF
    ways = []
    for now in (10 * SECOND, 200 * SECOND):
        early, late = (tables.state(device, now + shift) for shift in (0, 2000))
        same = early["cycle"] == late["cycle"]
        a, b = (np.arctan2(s["position"][:, 2], s["position"][:, 0]) for s in (early, late))
        turn = (b.astype(float) - a + np.pi) % (2 * np.pi) - np.pi
        ways.append(np.where(same, np.sign(turn), 0))
        heads, n = (ways[-1] > 0).sum(), (ways[-1] != 0).sum()
        assert n > 10000 and abs(heads - n / 2) < 4 * np.sqrt(n / 4)
    both = (ways[0] != 0) & (ways[1] != 0)
    assert (ways[0] == ways[1])[both].all()


# ---- bursts ----


def bursts_of(device, tables: Tables, seconds: float, step: float) -> dict[tuple, set[int]]:
    """{(row, burst): {(slot, tick)}} of all that is seen in steps."""
    found: dict[tuple, set] = {}
    for now in range(0, int(seconds * SECOND), int(step * SECOND)):
        s = tables.state(device, now)
        born = now - s["age"].astype(np.int64)
        for row, cycle, slot, tick in zip(s["emitter"], s["cycle"], s["slot"], born):
            found.setdefault((int(row), int(cycle)), set()).add((int(slot), int(tick)))
    return found


@pytest.mark.parametrize(
    ("effect", "count", "least", "most"),
    [("water_net", 2, 5, 10), ("water_bait", 3, 3, 7), ("water_fly", 4, 2, 5)],
)
def test_bursts_keep_their_promise(device, effect, count, least, most):
    tables = effect_tables(effect, 1, 150, np.random.default_rng(11))
    found = bursts_of(device, tables, 100, 0.24)
    born = {}
    for (row, cycle), drops in found.items():
        ticks = {tick for _, tick in drops}
        assert len(ticks) == 1, "drops of one burst begin together"
        tick = ticks.pop()
        if 0 < tick < 99 * SECOND:
            assert {slot for slot, _ in drops} == set(range(count))
        born.setdefault(row, {})[cycle] = tick
    assert len(found) > 1000
    gaps = []
    for bursts in born.values():
        order = sorted(bursts)
        assert order == list(range(order[0], order[-1] + 1)), "none is left out"
        gaps += np.diff([bursts[k] for k in order]).tolist()
    gaps = np.array(gaps) / SECOND
    assert (gaps >= least).all() and (gaps <= most).all()
    assert gaps.min() < least + 0.35 * (most - least) and gaps.max() > most - 0.35 * (most - least)
    # spots do not burst in step
    first = np.array([min(bursts.values()) for bursts in born.values()]) / SECOND
    assert distance_of(first % ((least + most) / 2), 0, (least + most) / 2) < 2 * LIMIT


# ---- loops ----


@pytest.mark.parametrize(
    ("effect", "index"), [(name, i) for name, i in EFFECTS if not dw.effect(name).parts[i].once]
)
def test_loops_repeat_exactly(device, effect, index):
    tables = effect_tables(effect, index, 30, np.random.default_rng(2), extent=(0.4, 0, 1))
    tables.emitters["count"] = np.minimum(tables.emitters["count"], 10)
    for loop in (3 * SECOND, 200001, 2 * SECOND // 7):
        tables.emitters["loop"] = loop
        for now in (0, 5, loop // 3, loop - 1, 12345):
            s = tables.state(device, now)
            assert (s["age"] < s["lifetime"]).all()
            for round_ in (1, 2, 1000):
                assert tables.state(device, now + round_ * loop).tobytes() == s.tobytes()
    tables.emitters["loop"] = 0
    assert tables.state(device, 3 * SECOND).tobytes() != tables.state(device, 0).tobytes()


# ---- spheres ----


def reach_of(s: np.ndarray) -> np.ndarray:
    far = np.where(s["axis"] == 0, C["PARTICLE_REACH"], C["PARTICLE_STRETCH_MOST"])
    return s["size"].astype(float) * far


def out_of_bounds(tables: Tables, s: np.ndarray) -> tuple[float, float]:
    """How far particles reach from the middle of their spheres, in radii; and how far beyond."""
    bounds = _core.particle_bounds(tables.emitters, tables.parts, **tables.extras).astype(float)
    if not len(s):
        return 0.0, -1.0
    e, own = tables.emitters[s["emitter"]], bounds[s["emitter"]]
    trails = e["part"] >> 16 & C["EMITTER_IS_TRAIL"] != 0
    far = np.full(len(s), np.inf)
    for at, holds in ((e["position"], True), (e["before"], trails)):
        way = s["position"].astype(float) - at
        way[:, 1] -= own[:, 0]
        here = np.linalg.norm(way, axis=1) + reach_of(s)
        far = np.where(holds, np.minimum(far, here), far)
    return float((far / own[:, 1]).max()), float((far - own[:, 1]).max())


VIEW_KINDS = {"rain", "snow", "fog"}
HELD = [(e, i) for e, i in EFFECTS if _core.PARTICLE_EFFECTS[e][2][i]["kind"] not in VIEW_KINDS]


@pytest.mark.parametrize(("effect", "index"), HELD)
def test_spheres_hold_every_particle(device, effect, index):
    rng = np.random.default_rng(21)
    points = rng.uniform(-1, 1, (30, 3)).astype(np.float32) * [0.6, 1.4, 0.3]
    fullest = 0.0
    for turn, moving in enumerate((False, True, False)):
        tables = effect_tables(effect, index, 60, rng, points=points if turn else None)
        rows = tables.emitters
        rows["extent"] = rng.uniform(0, 1.5, rows["extent"].shape)
        rows["scale"] = rng.uniform(0.1, 4.0, len(rows))
        rows["position"] = rng.uniform(-90, 90, (len(rows), 3))
        if moving:
            rows["part"] |= C["EMITTER_IS_TRAIL"] << 16
            rows["before"] = rows["position"] + rng.uniform(-5, 5, (len(rows), 3))
            rows["moved_low"] = rng.integers(0, 3 * SECOND, len(rows))
        if turn == 2:
            tables.parts["offset"] = rng.uniform(-1, 1, 3)
        for now in [0, 7, *rng.integers(0, 3 * SECOND, 12), 2**33 + 5]:
            full, beyond = out_of_bounds(tables, tables.state(device, int(now)))
            assert beyond <= 2e-5, "a particle beyond its sphere"
            fullest = max(fullest, full)
    assert fullest > 0.35, "a sphere far larger than what it holds"


def test_spheres_of_water_are_as_wide_as_designed():
    """0.85 m around the spot, and corners of the widest ring."""
    for index, wide in enumerate((0.6, 0.6, 0.6, 0.7, 1.45 * C["PARTICLE_REACH"] + 1e-3)):
        tables = effect_tables("water_fly", index, 1, np.random.default_rng(0))
        ((y, radius),) = _core.particle_bounds(tables.emitters, tables.parts, **tables.extras)
        assert 0.0 < y < 0.5 and radius < wide


def test_spheres_hold_throws_of_every_shape(device, rng):
    points = rng.uniform(-1, 1, (12, 3)).astype(np.float32)
    for shape in range(56):  # 7 shapes on 6 sides, and what is taken for them; a few flat ones
        for _ in range(2):
            tables = effect_tables("combat_blood", 0, 30, rng, points=points)
            p = tables.parts["params"][0]
            tables.parts["kind"], p[:] = KINDS["ballistic"], rng.uniform(-2, 2, 24)
            p[[1, 2, 3, 4, 5, 7, 16, 18, 19]] = rng.uniform(0, 1.5, 9)
            p[0] = shape + 64 * (shape % 3 == 0)
            for now in (0, 9000, 20000, 40000):
                assert out_of_bounds(tables, tables.state(device, now))[1] <= 2e-5, shape


def test_a_sphere_that_is_too_small_is_told(device):
    tables = effect_tables("glow_fire", 0, 40, np.random.default_rng(0))
    s = tables.state(device, SECOND)
    tables.parts["params"][0, 3] = 0.0  # bounds of a lower fire
    assert out_of_bounds(tables, s)[1] > 0.02
