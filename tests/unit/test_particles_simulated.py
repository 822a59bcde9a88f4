# SPDX-License-Identifier: MIT
"""Simulated particles of a manager: time, solids, children, and what is done to emitters."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import random
import signal
import threading

import numpy as np
import pytest
from helpers_simulated import CAMERA, effect, hills, scene, sights, sparks, states

import dapplewood as dw

SECOND = 65536
REACH = 1e-6  # of a coordinate: what rounding leaves of a skin of 1 mm


def still(count: int = 1, life: float = 5.0, **more) -> dw.ParticlePart:
    """Particles that stay where they are born, once."""
    fields = {"params": {"size": 0.1}, "simulation": "dynamic", "once": True}
    return dw.ParticlePart("halo", "spark", count, (life, life), **(fields | more))


def manager(device, *parts: dw.ParticlePart, at=(0, 0, 0), **options) -> dw.ParticleManager:
    pm = dw.ParticleManager(device, **{"seed": 9, **options})
    pm.register("a", dw.EffectConfig(at, effect(*parts)))
    return pm


# ---- time ----


def splits(seed: int) -> list[float]:
    rng = random.Random(seed)
    cuts = sorted(rng.random() for _ in range(37))
    return [b - a for a, b in zip([0.0, *cuts], [*cuts, 1.0], strict=True)]


@pytest.mark.parametrize("mode", ["exact", "seed"])
@pytest.mark.parametrize(
    "steps",
    [[1 / 30] * 30, [1 / 60] * 60, [1 / 144] * 144, splits(1), splits(2), [0.0, 1.0, 0.0]],
    ids=["30", "60", "144", "random", "random again", "with zeros"],
)
def test_a_second_is_the_same_however_it_is_cut(native_device, mode, steps):
    whole, cut = scene(native_device, mode), scene(native_device, mode)
    whole.update(1.0)
    for dt in steps:
        cut.update(dt)
    assert states(cut) == states(whole)
    assert sights(cut) == sights(whole)
    whole.update(1 / 64)
    assert states(cut) != states(whole)


def test_looking_changes_nothing(native_device):
    looked, blind = scene(native_device), scene(native_device)
    for _ in range(50):
        for pm in (looked, blind):
            pm.update(0.021)
        states(looked), sights(looked)
    assert states(looked) == states(blind)


@pytest.mark.parametrize("mode", ["exact", "seed"])
def test_a_stall_of_a_minute_leaves_nothing_behind(native_device, mode):
    stalled, smooth = scene(native_device, mode), scene(native_device, mode)
    stalled.update(60.0)
    for _ in range(600):
        smooth.update(0.1)
    assert states(stalled) == states(smooth)
    assert stalled.stats().skipped_steps == 0
    for layer in ("impact", "splash"):
        state = stalled.state(layer)
        assert len(state) > 0
        assert (state["age"] < state["lifetime"]).all()
        assert np.isfinite(state["position"]).all()


def test_more_steps_than_there_may_be_are_counted(native_device):
    pm = scene(native_device)
    pm.update(70.0)
    assert pm.stats().skipped_steps == 70 * 64 - 4096
    assert len(pm.state("impact")) > 100


def test_time_does_not_go_back(native_device):
    pm = scene(native_device)
    pm.update(1.5)
    before = states(pm)
    for back in (lambda: pm.update(-0.25), lambda: pm.seek(1.0)):
        with pytest.raises(ValueError, match=r"time must not go back.*new ParticleManager"):
            back()
    assert pm.time == 1.5
    assert states(pm) == before
    pm.unregister("sparks")
    pm.update(-0.25)
    assert pm.time == 1.25


def test_seeking_onward_is_as_waiting(native_device):
    sought, waited = scene(native_device), scene(native_device)
    sought.seek(2.25)
    waited.update(2.25)
    assert states(sought) == states(waited)


def test_what_is_registered_late_is_as_old_as_it_is(native_device):
    """An emitter's chance and clock are its own: only its births fall on other steps."""
    early, late = manager(native_device, sparks()), dw.ParticleManager(native_device, seed=9)
    late.update(2.0)
    late.register("a", dw.EffectConfig((0, 0, 0), effect(sparks())))
    early.update(1.3)
    late.update(1.3)
    assert states(early) == states(late)


# ---- solids ----


def thrown(collider, speed: float, place=(0.0, 6.0, 0.0)) -> dw.ParticlePart:
    return dw.ParticlePart(
        "ballistic", "impact", 400, (9.0, 9.0), params={"size": 0.05}, simulation="dynamic",
        once=True, offset=place, forces=dw.ParticleForces(), colliders=collider,
        birth=dw.ParticleBirth(spread=180, speed=(speed, 2 * speed)),
    )  # fmt: skip


def places(pm, times: int = 60, dt: float = 0.037):
    for _ in range(times):
        pm.update(dt)
        yield pm.state("impact")["position"].astype(float)


@pytest.mark.parametrize("speed", [0.5, 5.0, 50.0, 500.0])
def test_nothing_ends_on_the_wrong_side(native_device, speed):
    normal = np.array([0.3, 0.9, -0.2]) / np.linalg.norm([0.3, 0.9, -0.2])
    turn = np.deg2rad(30)
    axes = np.array([(np.cos(turn), 0, np.sin(turn)), (0, 1, 0), (-np.sin(turn), 0, np.cos(turn))])
    for p in places(manager(native_device, thrown(dw.PlaneCollider((1, 0, 2), normal), speed))):
        assert ((p - (1, 0, 2)) @ normal > -np.abs(p).max(axis=1) * REACH).all()
    for p in places(manager(native_device, thrown(dw.SphereCollider((0, 0, 0), 2), speed))):
        assert (np.linalg.norm(p, axis=1) > 2).all()
    box = dw.BoxCollider((0, 1, 0), (2, 1, 0.5), axes)
    for p in places(manager(native_device, thrown(box, speed))):
        assert not (np.abs((p - (0, 1, 0)) @ axes.T) < (2, 1, 0.5)).all(axis=1).any()


@pytest.mark.parametrize("speed", [1.0, 100.0])
def test_nothing_ends_under_the_ground(native_device, speed):
    heights = 2 * hills(41).astype(float)
    field = dw.HeightfieldCollider(heights, (-10, -0.5, -5), (0.5, 0.25), bounce=0.3)
    hit = 0
    for p in places(manager(native_device, thrown(field, speed))):
        u, w = (p[:, 0] + 10) / 0.5, (p[:, 2] + 5) / 0.25
        on = (u >= 0) & (u <= 40) & (w >= 0) & (w <= 40)
        u, w, y = u[on], w[on], p[on, 1]
        i, j = np.minimum(u.astype(int), 39), np.minimum(w.astype(int), 39)
        fu, fw = u - i, w - j
        near = heights[j, i] * (1 - fu) + heights[j, i + 1] * fu
        far = heights[j + 1, i] * (1 - fu) + heights[j + 1, i + 1] * fu
        above = y - (near * (1 - fw) + far * fw - 0.5)
        assert (above > 0).all()
        hit += (above < 0.5).sum()
    assert hit > 20


def test_a_radius_keeps_particles_off(native_device):
    part = dataclasses.replace(thrown(dw.PlaneCollider(), 3.0), collision_radius=0.25)
    low = min(p[:, 1].min() for p in places(manager(native_device, part)))
    assert 0.25 < low < 0.26


def test_solids_stand_in_the_world(native_device):
    floor = dw.PlaneCollider((0, 0.5, 0), bounce=0)
    for height in (1.0, 3.0):
        part = still(forces=dw.ParticleForces(), colliders=floor)
        pm = manager(native_device, part, at=(5, height, 0))
        pm.update(2.0)
        assert pm.state("spark")["position"][0] == pytest.approx((5, 0.501, 0), abs=1e-3)


def test_wind_and_eddies_carry(native_device):
    wind = dw.ParticleForces((0, 0, 0), drag=4, wind=(2, 0, 0))
    eddies = dw.ParticleForces((0, 0, 0), drag=4, noise=1)
    blown, eddied = (manager(native_device, still(50, forces=f)) for f in (wind, eddies))
    for pm in (blown, eddied):
        pm.update(2.0)
    lag = 2 * (2 - (1 - np.exp(-8)) / 4)
    assert blown.state("spark")["position"][:, 0] == pytest.approx(lag, rel=0.02)
    assert np.ptp(eddied.state("spark")["position"], axis=0).max() == 0.0  # all from one place
    assert 0.2 < np.linalg.norm(eddied.state("spark")["position"][0]) < 4.0


# ---- children ----


def child(count: int, life: float = 9.0, **more) -> dw.ParticlePart:
    return dw.ParticlePart("halo", "magic", count, (life, life), params={"size": 0.1}, **more)


def test_children_of_deaths_are_where_their_parents_died(native_device):
    floor = dw.PlaneCollider(kill=True)
    parent = still(40, 20.0, forces=dw.ParticleForces(), colliders=floor, on_death=child(5),
                   birth=dw.ParticleBirth(size=(2, 0.5, 2)))  # fmt: skip
    pm = manager(native_device, parent, at=(0, 2, 0))
    above = {}
    for _ in range(80):
        state = pm.state("spark")
        above.update(zip(state["slot"].tolist(), state["position"], strict=True))
        pm.update(1 / 64)
    born = pm.state("magic")
    assert len(pm.state("spark")) == 0
    assert len(born) == 200
    for slot, place in zip(born["slot"], born["position"], strict=True):
        assert place[[0, 2]] == pytest.approx(above[slot // 5][[0, 2]], abs=1e-6)
        assert place[1] == pytest.approx(0.001, abs=1e-4)


def test_children_of_collisions_and_of_children(native_device):
    """A ball that bounces thrice in a second and a half gives three at a time, which give two."""
    grand = dw.ParticlePart("halo", "wisp", 2, (9.0, 9.0), params={"size": 0.1})
    parent = still(
        1, 20.0, forces=dw.ParticleForces(), colliders=dw.PlaneCollider(bounce=0.5),
        on_collision=child(3, 0.2, simulation="dynamic", on_death=grand), collision_speed=1.0,
    )  # fmt: skip
    pm = manager(native_device, parent, at=(0, 1, 0))
    counts = []
    for _ in range(100):
        pm.update(1 / 64)
        counts.append((len(pm.state("magic")), len(pm.state("wisp"))))
    assert {magic for magic, _ in counts} == {0, 3}
    bursts = sum(a[0] == 0 and b[0] == 3 for a, b in zip(counts, counts[1:], strict=False))
    assert bursts == 3
    first = next(i for i, (magic, _) in enumerate(counts) if magic)
    assert first == pytest.approx(64 * np.sqrt(2 / 9.81), abs=2)
    assert counts[-1][1] == 6
    assert np.abs(pm.state("wisp")["position"]).max() < 0.01


def test_children_start_with_a_share_of_the_velocity(native_device):
    flying = child(1, birth=dw.ParticleBirth(inherit=0.5), simulation="dynamic")
    thrown_off = dw.ParticleBirth(speed=(4, 4), direction=(1, 0, 0))
    pm = manager(native_device, still(1, 0.5, birth=thrown_off, on_death=flying))
    pm.update(0.75)
    first = pm.state("magic")["position"][0]
    pm.update(0.5)
    assert pm.state("magic")["position"][0] - first == pytest.approx((1, 0, 0), abs=1e-5)


def test_a_shot_goes_when_all_that_came_of_it_has(native_device):
    parent = still(6, 0.5, on_death=child(4, 1.0, simulation="dynamic", on_death=child(2, 1.5)))
    pm = manager(native_device, parent)
    assert pm._simulation()[0] == 3
    alive = []
    for _ in range(60):
        pm.update(1 / 16)
        alive.append(len(pm.state("magic")))
    assert max(alive) == 48
    assert alive[44] == 48 and alive[52] == 0
    assert pm._simulation()[0] == 0
    assert pm.emit("a") == 6 + 24 + 48
    pm.update(0.6)
    assert len(pm.state("magic")) == 24
    assert pm.emit("a", 2) == 2 + 8 + 16


def test_emitting_from_what_goes_on_plays_its_first_part_once(native_device):
    pm = manager(native_device, sparks(50), child(3, simulation="dynamic"))
    quiet = manager(native_device, sparks(50), child(3, simulation="dynamic"))
    pm.update(2.0)
    quiet.update(2.0)
    assert pm.emit("a", 30) == 30 * sparks(1).total
    pm.update(0.1)
    quiet.update(0.1)
    assert len(pm.state("impact")) == len(quiet.state("impact")) + 30
    pm.update(4.0)
    quiet.update(4.0)
    assert states(pm) == states(quiet)


# ---- what is done to emitters ----


def fountain(**more) -> dw.ParticlePart:
    return dw.ParticlePart(
        "ballistic", "impact", 128, (1.0, 1.0), params={"size": 0.05}, simulation="dynamic",
        **more,
    )  # fmt: skip


def test_what_flies_stays_when_the_emitter_moves(native_device):
    pm = manager(native_device, fountain())
    pm.update(0.5)
    before = pm.state("impact")
    pm.move("a", (7, 0, 0))
    after = pm.state("impact")
    assert after["position"].tobytes() == before["position"].tobytes()
    pm.update(0.25)
    x = pm.state("impact")["position"][:, 0]
    assert (x == 0).sum() == 64 and (x == 7).sum() == 32
    assert len(sights_of(pm, (7, 1, 5), (7, 0, 0))) == 32 or len(pm.see(CAMERA)["impact"]) == 96


def sights_of(pm, eye, target):
    return pm.see(dw.Camera(eye, target, fov_y=0.3)).get("impact", np.zeros(0))


def test_stop_kill_pause_and_rate(native_device):
    pm = manager(native_device, fountain())
    pm.update(0.75)
    pm.pause("a")
    frozen = pm.state("impact").tobytes()
    pm.update(0.5)
    assert pm.state("impact").tobytes() == frozen
    pm.resume("a")
    pm.set_time_scale("a", 2.0)
    pm.update(0.25)
    assert len(pm.state("impact")) == 128
    pm.stop("a")
    pm.update(0.25)  # half a second of its own
    assert len(pm.state("impact")) == 64
    pm.update(0.25)
    assert len(pm.state("impact")) == 0
    other = manager(native_device, fountain(on_death=child(2)))
    other.update(1.5)
    assert len(other.state("impact")) > 0 < len(other.state("magic"))
    assert other.kill("a")
    assert len(other.state("impact")) == len(other.state("magic")) == 0
    other.update(1.0)
    assert len(other.state("impact")) == len(other.state("magic")) == 0


def test_replacing_begins_anew(native_device):
    pm, fresh = manager(native_device, sparks()), dw.ParticleManager(native_device, seed=9)
    for one in (pm, fresh):
        one.update(1.0)
        one.register("a", dw.EffectConfig((0, 0, 0), effect(sparks())))
        assert len(one.state("impact")) == 0
        one.update(1.0)
    assert states(pm) == states(fresh)


def test_intensity_scales_counts_and_rates(native_device):
    pm = dw.ParticleManager(native_device)
    for name, intensity in (("half", 0.5), ("whole", 1.0), ("twice", 2.0)):
        pm.register(name, dw.EffectConfig((0, 0, 0), effect(fountain()), intensity=intensity))
    pm.update(5.0)
    ids = pm.emitter_ids("impact")
    counts = np.bincount(pm.state("impact")["emitter"])
    assert dict(zip(ids, counts.tolist(), strict=False)) == {"half": 64, "whole": 128, "twice": 256}


def test_an_interval_repeats_what_plays_once(native_device):
    pm = dw.ParticleManager(native_device)
    part = still(5, 0.25, on_death=child(2, 0.25))
    pm.register("a", dw.EffectConfig((0, 0, 0), effect(part), interval=(1.0, 1.0)))
    counts = []
    for _ in range(256):
        pm.update(1 / 64)
        counts.append((len(pm.state("spark")), len(pm.state("magic"))))
    assert {spark for spark, _ in counts} == {0, 5}
    assert {magic for _, magic in counts} == {0, 10}
    assert sum(a[0] < b[0] for a, b in zip(counts, counts[1:], strict=False)) in (3, 4)


def test_scale_is_of_places_speeds_and_sizes(native_device):
    pm = dw.ParticleManager(native_device)
    birth = dw.ParticleBirth(speed=(2, 2), direction=(0, 0, 1))
    for name, scale in (("a", 1.0), ("b", 3.0)):
        part = still(1, birth=birth, offset=(1, 0, 0))
        pm.register(name, dw.EffectConfig((0, 5, 0), effect(part), scale=scale))
    pm.update(1.0)
    one, three = pm.state("spark")
    age = one["age"] / SECOND
    assert one["position"] == pytest.approx((1, 5, 2 * age), abs=1e-4)
    assert three["position"] == pytest.approx((3, 5, 6 * age), abs=1e-4)
    assert three["size"] == pytest.approx(3 * one["size"])


def test_births_follow_their_rate(native_device):
    pm = manager(native_device, fountain(birth=dw.ParticleBirth(rate=50)))
    pm.update(3.0)
    assert len(pm.state("impact")) == 50
    most = manager(native_device, fountain(birth=dw.ParticleBirth(rate=1000, full="newest")))
    most.update(3.0)
    assert len(most.state("impact")) == 128
    assert most.state("impact")["cycle"].max() > 1000


@pytest.mark.parametrize("capacity", ["partial", "error"])
def test_limits_count_simulated_particles(native_device, capacity):
    layers = {"spark": 10, "magic": 1000}
    pm = dw.ParticleManager(native_device, capacity=capacity, limits=layers)
    config = dw.EffectConfig((0, 0, 0), effect(still(20, 0.5, on_death=child(4))))
    if capacity == "error":
        with pytest.raises(dw.CapacityError, match="spark"):
            pm.register("a", config)
        assert len(pm) == 0 and pm._simulation()[:2] == (0, 0)
        return
    assert pm.register("a", config) == 10 + 40
    stats = pm.stats()
    assert (stats["spark"].dropped, stats["magic"].dropped) == (10, 40)
    assert stats.simulated == 128
    pm.update(0.75)
    assert len(pm.state("magic")) == 40


# ---- views ----


def assert_seen(pm, camera) -> int:
    """A view has the sprites of all particles that are inside by themselves, and no others."""
    seen, planes = pm.see(camera), np.asarray(camera.planes(16 / 9))
    total = 0
    for layer in ("impact", "dust", "spark"):
        state = pm.state(layer)
        reach = np.where(state["axis"] != 0, 16.0, 1.03) * state["size"]
        distance = state["position"].astype(float) @ planes[:, :3].T + planes[:, 3]
        drawn = (state["size"] > 0) & (state["opacity"] >= 2.0**-14)
        sure = (distance > -reach[:, None] + 1e-3).all(axis=1) & drawn
        never = (distance < -reach[:, None] - 1e-3).any(axis=1) | ~drawn
        assert sure.sum() <= len(seen.get(layer, ())) <= (~never).sum()
        total += int(sure.sum())
    return total


@pytest.mark.parametrize("is_bounded", [True, False])
def test_views_show_what_is_inside_wherever_the_emitter_is(native_device, is_bounded):
    rng = np.random.default_rng(8)
    total = 0
    for seed in range(4):
        part = sparks(200)
        if is_bounded:
            part = part.map(lambda one: dataclasses.replace(one, colliders=()))
        pm = manager(native_device, part, seed=seed)
        for step in range(12):
            pm.update(0.3)
            if step > 4:
                pm.move("a", rng.normal(size=3) * (50 if step == 8 else 2))
            for _ in range(4):
                places = pm.state("impact")["position"]
                place = places[rng.integers(len(places))]
                eye = place + rng.normal(size=3)
                total += assert_seen(pm, dw.Camera(eye, place, fov_y=0.3, far=9.0))
    assert total > 2000


def test_bounds_hold_at_their_worst(native_device):
    """Thrown straight on by all that pushes, and looked at where that ends."""
    forces = {
        "free": dw.ParticleForces((3, 0, 0)),
        "braked": dw.ParticleForces((3, 0, 0), drag=2.0, wind=(9, 0, 0)),
        "still": dw.ParticleForces((0, 0, 0)),
        "pulled": dw.ParticleForces((0, 0, 0), pull=5, pull_place=(99, 0, 0), pull_reach=1000),
    }
    far = {}
    for name, force in forces.items():
        birth = dw.ParticleBirth(direction=(1, 0, 0), speed=(4, 4), inherit=1.0)
        grown = still(1, 2.0, once=False, birth=birth, forces=force)
        part = still(3, 2.0, birth=birth, forces=force, on_death=grown)
        part = dataclasses.replace(part, layer="base")
        pm = manager(native_device, part)
        for _ in range(15):
            pm.update(0.25)
            alive = np.concatenate([pm.state(layer)["position"] for layer in ("base", "spark")])
            x = alive[:, 0].max()
            seen = pm.see(dw.Camera((x - 0.5, 0, 0), (x, 0, 0), fov_y=0.2))
            assert sum(map(len, seen.values())) == len(alive) == 3
        far[name] = x
        away = dw.Camera((0, 0, 500), (0, 0, 600))
        pm.update(0.0, away)
        assert pm.stats().visible == 0  # not even looked at
    assert far["free"] > far["pulled"] > far["still"] > 15


def test_what_is_left_behind_is_seen_as_long_as_it_lives(native_device):
    pm = manager(native_device, fountain())
    behind = dw.Camera((0, 0, 3), (0, 0, 0), fov_y=0.2)
    pm.update(0.75)
    for i in range(5):
        pm.move("a", (30 * (i + 1), 0, 0))
        pm.update(0.15)
        x = pm.state("impact")["position"][:, 0]
        assert len(pm.see(behind).get("impact", ())) == (x == 0).sum()
    for _ in range(8):  # two lives later it is no more than it was
        pm.update(1.0)
        pm.move("a", (150, 0, 0))
    pm.update(0.0, behind)
    assert pm.stats().visible == 0
    pm.update(0.0, dw.Camera((150, 0, 3), (150, 0, 0)))
    assert pm.stats().visible == 128


def test_streaks_lie_along_their_way(native_device):
    pm = manager(native_device, fountain(birth=dw.ParticleBirth(direction=(1, 1, 0), speed=(3, 3))))
    pm.update(1.0)
    words = np.unique(pm.state("impact")["axis"])
    axis = np.array([words >> shift & 1023 for shift in (0, 10, 20)]).T / 511 - 1.002
    np.testing.assert_allclose(axis, [[0.707, 0.707, 0]], atol=0.004)


# ---- room ----


def test_churn_gives_room_back(native_device):
    """Of all sizes, in any order: what is taken never goes far beyond what is there at once."""
    pm = dw.ParticleManager(native_device)
    rng = random.Random(4)
    most = 0
    for step in range(400):
        id = rng.randrange(12)
        if not pm.unregister(id):
            count = rng.choice([1, 64, 65, 300, 1000])
            pm.register(id, dw.EffectConfig((0, 0, 0), effect(sparks(count, colliders=()))))
        most = max(most, pm._simulation()[1])
        if step % 20 == 0:
            pm.update(0.03)
    assert 0 < pm._simulation()[2] <= 2 * most
    pm.unregister_many(pm.ids)
    assert pm._simulation()[:3] == (0, 0, 0)


def test_effects_of_no_more_use_give_their_solids_back(native_device):
    """Ever new ground under an emitter, as of a level that is streamed."""
    pm = dw.ParticleManager(native_device)
    for i in range(600):
        ground = dw.HeightfieldCollider(np.full((20, 20), float(i)), spacing=0.5)
        ball = dw.SphereCollider((0, i, 0), 1)
        part = fountain(forces=dw.ParticleForces(), colliders=[ground, ball])
        pm.register("a", dw.EffectConfig((5, i + 1, 5), effect(part)))
        pm.update(1 / 64)
    pm.update(0.9)
    assert (pm.state("impact")["position"][:, 1] > 599.0).all()


def test_a_hundred_thousand_rows_are_found_without_a_search(native_device):
    pm = dw.ParticleManager(native_device)
    config = dw.EffectConfig(None, effect(fountain()))
    count = 100_000
    small = dataclasses.replace(config, intensity=1 / 32)
    places = np.zeros((count, 3), np.float32)
    assert pm.register_many(range(count), places, small).sum() == 4 * count
    pm.update(1 / 64)
    rows, slots, capacity, looks, _ = pm._simulation()
    assert (rows, slots, looks) == (count, 64 * count, 0)
    assert capacity <= 2 * slots
    pm.unregister_many(range(0, count, 2))
    assert pm._simulation()[:3] == (count // 2, 32 * count, capacity)
    pm.register_many(range(0, count, 2), places[::2], small)
    pm.update(1 / 64)
    assert pm._simulation()[:3] == (count, 64 * count, capacity)
    assert pm._simulation()[3] <= 2 * count
    pm.unregister_many(range(count))
    assert pm._simulation()[:3] == (0, 0, 0)


# ---- upstream ----


def test_seed_mode_renews_water_and_glow(native_device):
    exact, seed = (dw.ParticleManager(native_device, mode=mode) for mode in ("exact", "seed"))
    for pm in (exact, seed):
        for name, config in (
            ("net", dw.WaterConfig((0, 0, 0), "fishing_net")),
            ("fly", dw.WaterConfig((5, 0, 0), "fishing_fly")),
            ("altar", dw.GlowConfig((0, 0, 5), "altar")),
        ):
            pm.register(name, config)
    assert exact._simulation()[0] == 0
    assert seed._simulation()[0] == 2 * 3 + 2  # splash, bubble, shimmer; wisp, spark
    assert {n: seed.stats()[n].allocated for n in ("splash", "bubble", "shimmer", "ripple")} == {
        "splash": 12, "bubble": 8, "shimmer": 8, "ripple": 4,
    }  # fmt: skip
    lives = []
    for _ in range(12):
        seed.update(1.3)
        state = seed.state("splash")
        assert len(state) == 12
        slots = state["slot"] + 99 * state["emitter"]
        lives.append(dict(zip(slots, state["lifetime"], strict=True)))
    assert all(len({life[slot] for life in lives}) > 8 for slot in lives[0])
    # altars keep the lives of their slots, and so show the same either way
    exact.seek(seed.time)
    for layer in ("wisp", "spark", "pillar", "base"):
        a, b = exact.state(layer), seed.state(layer)
        for field in ("slot", "cycle", "age", "lifetime"):
            np.testing.assert_array_equal(a[field], b[field])


def test_seed_mode_with_a_loop_follows_the_time(native_device):
    pm = dw.ParticleManager(native_device, mode="seed", loop=4.0)
    pm.register("a", dw.WaterConfig((0, 0, 0), "net"))
    assert pm._simulation()[0] == 0
    first = states(pm)
    pm.update(4.0)
    assert states(pm)["splash"] != b""
    pm.update(-4.0)
    assert states(pm) == first


# ---- effects as data ----


def test_parts_survive_pickling_and_changes(native_device):
    part = sparks()
    again = pickle.loads(pickle.dumps(part))
    shown = [manager(native_device, one) for one in (part, again)]
    for pm in shown:
        pm.update(1.1)
    assert states(shown[0]) == states(shown[1])
    assert part.total == 300 * (1 + 3 * 2 + 1)
    bigger = part.map(lambda one: dataclasses.replace(one, opacity=0.5))
    family = [bigger, *bigger.on_death, *bigger.on_death[0].on_death, *bigger.on_collision]
    assert [one.opacity for one in family] == [0.5] * 4


def test_colours_reach_children(native_device):
    part = still(1, 0.2, on_death=child(2, ramp=[0xFFFFFF]), ramp=[0xFFFFFF])
    pm = dw.ParticleManager(native_device)
    pm.register("a", dw.EffectConfig((0, 0, 0), effect(part), color=0x0000FF))
    pm.update(0.5)
    assert pm.state("magic")["color"].tolist() == [0xFFFF0000] * 2


# ---- what is refused ----

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: dw.ParticleForces(gravity=(0, NAN, 0)), "gravity must be finite"),
        (lambda: dw.ParticleForces(gravity=9.81), "gravity must be 3 numbers"),
        (lambda: dw.ParticleForces(drag=-1), "drag must be 0 to 10000"),
        (lambda: dw.ParticleForces(drag=NAN), "drag"),
        (lambda: dw.ParticleForces(wind=(INF, 0, 0)), "wind must be finite"),
        (lambda: dw.ParticleForces(noise=-1), "noise must be 0 to"),
        (lambda: dw.ParticleForces(noise_size=0), "noise_size"),
        (lambda: dw.ParticleForces(pull=NAN), "pull"),
        (lambda: dw.ParticleForces(pull_reach=0), "pull_reach"),
        (lambda: dw.ParticleBirth(rate=-1), "rate must be 0 to"),
        (lambda: dw.ParticleBirth(rate=NAN), "rate"),
        (lambda: dw.ParticleBirth(shape="star"), "shape must be one of box, ball"),
        (lambda: dw.ParticleBirth(size=(1, -1, 1)), "size must be 0 or more"),
        (lambda: dw.ParticleBirth(direction=(0, 0, 0)), "direction must not be zero"),
        (lambda: dw.ParticleBirth(spread=200), "spread must be 0 to 180"),
        (lambda: dw.ParticleBirth(speed=(3, 1)), "speed must be"),
        (lambda: dw.ParticleBirth(speed=5), "speed must be"),
        (lambda: dw.ParticleBirth(full="none"), "full must be one of"),
        (lambda: dw.PlaneCollider(normal=(0, 0, 0)), "normal must not be zero"),
        (lambda: dw.PlaneCollider(bounce=1.5), "bounce must be 0 to 1"),
        (lambda: dw.PlaneCollider(friction=-1), "friction must be"),
        (lambda: dw.SphereCollider((0, 0, 0), 0), "radius must be 0.001 to"),
        (lambda: dw.SphereCollider((0, NAN, 0), 1), "center must be finite"),
        (lambda: dw.BoxCollider((0, 0, 0), (1, 0, 1)), "half_size must be 0.001"),
        (lambda: dw.BoxCollider((0, 0, 0), (1, 1, 1), np.ones((3, 3))), "axes must be 3 rows"),
        (lambda: dw.HeightfieldCollider([[0, 1]]), "heights must have shape"),
        (lambda: dw.HeightfieldCollider(np.full((3, 3), NAN)), "heights must be finite"),
        (lambda: dw.HeightfieldCollider(np.zeros((3, 3)), spacing=0), "spacing must be"),
        (lambda: fountain(birth=5), "birth must be ParticleBirth"),
        (lambda: fountain(forces=9.81), "forces must be ParticleForces"),
        (lambda: fountain(colliders=[1]), "colliders must hold PlaneCollider"),
        (lambda: fountain(collision_radius=-1), "collision_radius"),
        (lambda: fountain(collision_speed=NAN), "collision_speed"),
        (lambda: fountain(even=True), "even must be False"),
        (lambda: fountain(on_death=3), "on_death must be a ParticlePart"),
        (lambda: fountain(on_death=still()), "on_death: a child is born with each event"),
        (lambda: fountain(on_collision=child(1, simulation="renewal")), "on_collision: a child"),
        (lambda: child(1, simulation="fluid"), "simulation must be one of"),
        (lambda: child(1, forces=dw.ParticleForces()), 'forces needs simulation="dynamic"'),
        (lambda: child(1, colliders=[dw.PlaneCollider()]), "colliders needs"),
        (lambda: child(1, on_death=child(1)), "on_death needs"),
        (lambda: child(1, simulation="renewal", once=True), "no once, no burst"),
    ],
)
def test_what_parts_refuse(make, word):
    with pytest.raises((ValueError, TypeError), match=word):
        make()


def deep(levels: int) -> dw.ParticlePart:
    part = child(1)
    for _ in range(levels):
        part = child(1, simulation="dynamic", on_death=part)
    return part


@pytest.mark.parametrize(
    ("part", "word"),
    [
        (fountain(forces=dw.ParticleForces(wind=(1, 0, 0))), "forces.*give a drag"),
        (fountain(forces=dw.ParticleForces(gravity=(0, -1e6, 0))), "forces: gravity"),
        (fountain(colliders=[dw.PlaneCollider()] * 17), "forces: colliders must lie in"),
        (fountain(colliders=dw.PlaneCollider((0, 1e6, 0))), "colliders: place"),
        (dataclasses.replace(fountain(), lifetime=(0.0, 0.0)), "lifetime must be"),
        (dataclasses.replace(fountain(), lifetime=(1.0, NAN)), "lifetime must be"),
        (dataclasses.replace(fountain(), count=2**31), "count must be at most"),
        (dataclasses.replace(still(2**12), on_death=child(2**13)), "at most 16777215"),
        (dw.ParticlePart("rain", "rain", 5, (1, 1), simulation="dynamic"), "weather lives around"),
        (dw.ParticlePart("snow", "snow", 5, (1, 1), simulation="renewal"), "weather lives around"),
        (deep(5), "at most 4 deep"),
    ],
)
def test_what_managers_refuse(native_device, part, word):
    pm = manager(native_device, fountain())
    pm.update(0.5)
    before = states(pm)
    with pytest.raises(ValueError, match=word):
        pm.register("b", dw.EffectConfig((0, 0, 0), effect(part)))
    assert pm.ids == ["a"]
    assert states(pm) == before
    pm.update(0.1)


def test_loops_refuse_what_does_not_repeat(native_device):
    pm = dw.ParticleManager(native_device, loop=2.0)
    with pytest.raises(ValueError, match="simulation.*do not repeat"):
        pm.register("a", dw.EffectConfig((0, 0, 0), effect(fountain())))


def test_no_particles_are_none(native_device):
    none = dataclasses.replace(fountain(), count=0, on_death=child(3))
    pm = manager(native_device, none, child(2))
    pm.update(1.0)
    assert len(pm.state("impact")) == 0 and len(pm.state("magic")) == 2
    pm = manager(native_device, dataclasses.replace(still(5, 0.1), on_death=child(0)))
    pm.update(1.0)
    assert len(pm.state("magic")) == 0


@pytest.mark.parametrize("dt", [NAN, INF, -INF])
def test_times_that_are_none(native_device, dt):
    pm = scene(native_device)
    pm.update(0.5)
    with pytest.raises(ValueError, match="dt must be a finite number"):
        pm.update(dt)
    assert pm.time == 0.5


def test_a_closed_device_says_so():
    device = dw.Device("cpu")
    pm = manager(device, fountain())
    pm.update(0.5)
    device.close()
    with pytest.raises((ValueError, dw.Error), match="closed"):
        pm.update(0.5)
    pm.close()


def test_the_end_of_simulated_time(native_device):
    pm = dw.ParticleManager(native_device)
    pm.seek(2.0**26)
    with pytest.raises(ValueError, match="two years"):
        pm.register("a", dw.EffectConfig((0, 0, 0), effect(fountain())))
    pm.seek(2.0**26 - 1)
    pm.register("a", dw.EffectConfig((0, 0, 0), effect(fountain())))
    pm.update(0.5)
    with pytest.raises(ValueError, match="two years"):
        pm.update(1.0)
    assert len(pm.state("impact")) == 64


# ---- when others cut in ----


@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process alone")
def test_an_interrupt_leaves_a_moment_that_was(native_device):
    """The clock stands where the particles do, and both go on from there as if never stopped."""
    many = sparks(20000, on_death=(), on_collision=(), colliders=(), forces=dw.ParticleForces())
    pm, fresh = manager(native_device, many), manager(native_device, many)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        pm.update(40.0)
    except KeyboardInterrupt:
        assert 0.0 < pm.time < 40.0
    finally:
        timer.join()
    assert pm.tick < 40 * SECOND, "it was through before it could be interrupted"
    fresh.update(pm.time)
    assert states(pm)["impact"] == states(fresh)["impact"]
    pm.update(0.3)
    fresh.update(0.3)
    assert states(pm)["impact"] == states(fresh)["impact"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_goes_on_by_itself(native_device):
    pm = manager(native_device, sparks(50))
    pm.update(0.5)
    child_of = os.fork()
    if child_of == 0:
        with contextlib.suppress(BaseException):
            pm.close()
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child_of, 0)[1] == 0
    pm.update(0.5)
    assert len(pm.state("impact")) > 10
