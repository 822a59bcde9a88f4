# SPDX-License-Identifier: MIT
"""Particles that remember where they are: time, forces, solids, births."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import Device
from helpers_particle_steps import NONE, SECOND, SKIN, STEP, C, World, make_collider, make_law

GRAVITY = (0.0, -9.81, 0.0)


@pytest.fixture(scope="module")
def native():
    with Device("cpu") as device:
        yield device


def fountain(**law) -> World:
    world = World()
    law = {"rate": 3 * 65536, "speed": 4, "speed_span": 2, "cone": 0.3, "gravity": GRAVITY} | law
    ground = make_collider("PLANE", bounce=0.5, friction=0.2)
    world.add(400, (0.5, 2.0), make_law(**law), (ground,), position=(0, 1, 0))
    return world


# ---- time ----


@pytest.mark.parametrize("parts", [30, 60, 144, 1000])
def test_any_split_of_time_gives_the_same_bytes(native, parts):
    world = fountain(drag=0.7, wind=(1, 0, 0.5), noise=1.5, noise_scale=0.7)
    whole, _ = world.run(native, [3 * SECOND + 777])
    ticks = np.linspace(0, 3 * SECOND + 777, parts * 3).astype(np.uint64)
    split, _ = world.run(native, ticks)
    np.testing.assert_array_equal(split[-1], whole[-1])
    rng = np.random.default_rng(parts)
    ragged = np.sort(rng.integers(0, 3 * SECOND + 777, parts))
    split, _ = world.run(native, [*ragged, 3 * SECOND + 777])
    np.testing.assert_array_equal(split[-1], whole[-1])
    assert (whole[-1, 0] != 0).sum() > 200


def test_a_stall_of_a_minute_is_as_if_nothing_had_happened(native):
    world = fountain()
    stalled, skipped = world.run(native, [SECOND, 61 * SECOND])
    steady, _ = world.run(native, np.arange(0, 61 * 60 + 1) * SECOND // 60)
    assert skipped == 0
    np.testing.assert_array_equal(stalled[-1], steady[-1])


def test_steps_beyond_the_most_are_one_and_counted(native):
    world = fountain()
    hour = 3600 * SECOND
    jumped, skipped = world.run(native, [hour])
    steady, none = world.run(native, np.arange(0, 3601, 60) * SECOND)
    assert (skipped, none) == (hour // STEP - C["PARTICLE_STEPS_MOST"], 0)
    np.testing.assert_array_equal(jumped[-1], steady[-1])  # lives are shorter than what is left


def test_nothing_lives_before_the_first_birth(native):
    world = World()
    world.add(10, (1, 1), make_law(rate=65536 // 64))  # one a second
    shown = world.show(native, [0, SECOND - 1, SECOND, SECOND + 1])
    assert [len(s["slot"]) for s in shown] == [0, 0, 1, 1]


# ---- forces ----


def test_a_fall_is_that_of_the_closed_form(native):
    world = World()
    world.add(1, (10, 10), make_law(gravity=GRAVITY, speed=3), once=True, position=(1, 50, -2))
    for now in (17, 1024, 40000, 2 * SECOND + 5):
        s = world.show(native, [now])[0]
        t = s["age"][0] / SECOND
        np.testing.assert_allclose(
            s["position"][0], (1, 50 + 3 * t - 9.81 * t * t / 2, -2), atol=2e-4
        )


@pytest.mark.parametrize("drag", [0.01, 0.5, 5.0, 100.0])
def test_drag_is_exponential(native, drag):
    world = World()
    law = make_law(drag=drag, speed=20, wind=(2, 0, 0))
    world.add(1, (10, 10), law, once=True)
    s = world.show(native, [2 * SECOND])[0]
    t = s["age"][0] / SECOND
    gone = (1 - np.exp(-drag * t)) / drag
    np.testing.assert_allclose(s["position"][0], (2 * (t - gone), 20 * gone, 0), rtol=1e-4)


def test_eddies_have_no_sources_and_no_steps(native):
    """A drag that holds particles to the air shows its velocity."""
    world = World()
    law = make_law(drag=1e4, noise=1.0, noise_scale=0.5, extent=(4, 4, 4))
    world.add(20000, (1, 1), law, once=True)
    early, late = world.show(native, [STEP // 2, STEP])
    velocity = (late["position"] - early["position"]) / (STEP / 2 / SECOND)
    speed = np.linalg.norm(velocity, axis=1)
    assert 0.3 < np.sqrt(np.mean(speed**2)) < 3.0
    # through the faces of a cube as much goes in as out
    place, side = early["position"], 3.0
    flow = [
        np.mean(velocity[(np.abs(place[:, i] - sign * side) < 0.25) & inside(place, i, side), i])
        * sign
        for i in range(3)
        for sign in (-1, 1)
    ]
    assert abs(sum(flow)) < 0.25
    assert np.abs(velocity).max() < 8.0


def inside(place: np.ndarray, axis: int, side: float) -> np.ndarray:
    others = np.delete(place, axis, axis=1)
    return (np.abs(others) < side).all(axis=1)


def test_an_attractor_draws_to_its_place(native):
    world = World()
    law = make_law(pull=20, pull_reach=2, pull_place=(3, 0, 0), drag=2)
    world.add(50, (20, 20), law, once=True)
    s = world.show(native, [12 * SECOND])[0]
    np.testing.assert_allclose(s["position"], np.tile((3, 0, 0), (50, 1)), atol=0.05)


# ---- solids ----

SPEEDS = (0.5, 5, 50, 500)


def spray(speed: float, solid: np.ndarray, place=(0, 6, 0), **law) -> World:
    world = World()
    fields = {"gravity": GRAVITY, "speed": speed, "speed_span": speed, "cone": 2.0} | law
    world.add(500, (30, 30), make_law(**fields), (solid,), once=True, position=place)
    return world


TICKS = [STEP * i // 2 for i in range(1, 60)] + [5 * SECOND]


@pytest.mark.parametrize("speed", SPEEDS)
def test_nothing_ends_below_a_plane(native, speed):
    normal = np.array([0.3, 0.9, -0.2]) / np.linalg.norm([0.3, 0.9, -0.2])
    x = np.cross(normal, (0, 0, 1))
    x /= np.linalg.norm(x)
    axes = {"axis_y": normal, "axis_x": x, "axis_z": np.cross(x, normal)}
    plane = make_collider("PLANE", center=(1, 0, 2), bounce=0.6, friction=0.1, **axes)
    for s in spray(speed, plane).show(native, TICKS):
        distance = (s["position"] - (1, 0, 2)) @ normal
        reach = np.abs(s["position"]).max(axis=1) * 1e-6
        assert (distance > -reach).all(), distance.min()


@pytest.mark.parametrize("speed", SPEEDS)
def test_nothing_ends_in_a_sphere(native, speed):
    sphere = make_collider("SPHERE", center=(0, 0, 0), size=2, bounce=0.4, friction=0.3)
    for s in spray(speed, sphere).show(native, TICKS):
        assert (np.linalg.norm(s["position"], axis=1) > 2).all()


@pytest.mark.parametrize("speed", SPEEDS)
def test_nothing_ends_in_a_box(native, speed):
    turn = np.deg2rad(30)
    axes = {
        "axis_x": (np.cos(turn), 0, np.sin(turn)),
        "axis_z": (-np.sin(turn), 0, np.cos(turn)),
    }
    box = make_collider("BOX", center=(0, 1, 0), size=(2, 1, 0.5), bounce=0.4, **axes)
    turned = np.array([axes["axis_x"], (0, 1, 0), axes["axis_z"]]).T
    for s in spray(speed, box).show(native, TICKS):
        local = (s["position"] - (0, 1, 0)) @ turned
        assert not (np.abs(local) < np.array((2, 1, 0.5))).all(axis=1).any()


@pytest.mark.parametrize("speed", SPEEDS)
def test_nothing_ends_under_a_heightfield(native, speed):
    side = 41
    grid = np.arange(side) * 0.5 - 10
    heights = (np.sin(grid)[None, :] + np.cos(1.3 * grid)[:, None]).astype(np.float32)
    field = make_collider(
        "HEIGHTFIELD", center=(-10, 0, -10), size=(2, 0, 2), columns=side, rows=side, bounce=0.3
    )
    world = spray(speed, field)
    world.heights = heights.ravel()
    for s in world.show(native, TICKS):
        p = s["position"]
        u, w = (p[:, 0] + 10) * 2, (p[:, 2] + 10) * 2
        on = (u >= 0) & (u <= side - 1) & (w >= 0) & (w <= side - 1)
        u, w, y = u[on], w[on], p[on, 1]
        i, j = np.minimum(u.astype(int), side - 2), np.minimum(w.astype(int), side - 2)
        fu, fw = u - i, w - j
        near = heights[j, i] * (1 - fu) + heights[j, i + 1] * fu
        far = heights[j + 1, i] * (1 - fu) + heights[j + 1, i + 1] * fu
        assert (y > near * (1 - fw) + far * fw).all()


@pytest.mark.parametrize("kind", ["SPHERE", "BOX"])
def test_fast_ones_do_not_tunnel(native, kind):
    """A shot of 1 km/s goes 15 m a step: through a ball of 0.2 m it would miss it."""
    world = World()
    solid = make_collider(kind, center=(0, 20, 0), size=0.1, bounce=0.0)
    world.add(1, (9, 9), make_law(speed=1000), (solid,), once=True)
    s = world.show(native, [SECOND])[0]
    assert s["position"][0, 1] == pytest.approx(19.9, abs=2 * SKIN)


@pytest.mark.parametrize("bounce", [0.0, 0.5, 0.9, 0.99])
def test_energy_never_grows(native, bounce):
    world = World()
    ground = make_collider("PLANE", bounce=bounce, friction=0.05)
    law = make_law(gravity=GRAVITY, speed=3, speed_span=3, cone=2.0)
    world.add(200, (60, 60), law, (ground,), once=True, position=(0, 2, 0))
    shown = world.show(native, [STEP * i for i in range(1, 1281)])
    place = np.array([s["position"] for s in shown])
    most = 9.81 * 2 + 6.0**2 / 2
    assert (place[..., 1] * 9.81 < most * 1.001).all()
    # spans of 2.2 s, longer than any way up and down
    tops = np.array([p.max(axis=0) for p in np.array_split(place[..., 1], 9)])
    assert (np.diff(tops, axis=0) < 2 * SKIN).all()


def test_rest_on_the_ground_does_not_jitter(native):
    world = World()
    ground = make_collider("PLANE", bounce=0.5, friction=0.6)
    law = make_law(gravity=GRAVITY, speed=2, speed_span=1, cone=1.0)
    world.add(100, (60, 60), law, (ground,), once=True, position=(0, 1, 0))
    shown = world.show(native, [20 * SECOND + 100 * i for i in range(200)])
    place = np.array([s["position"] for s in shown])
    assert np.ptp(place, axis=0).max() < 1e-4  # between steps
    shown = world.show(native, [20 * SECOND + STEP * i for i in range(50)])
    assert np.ptp([s["position"] for s in shown], axis=0).max() == 0.0
    assert (place[..., 1] < 2 * SKIN).all()


def test_a_solid_that_kills(native):
    world = World()
    ground = make_collider("PLANE", flags=C["COLLIDER_KILLS"])
    world.add(64, (60, 60), make_law(gravity=GRAVITY), (ground,), once=True, position=(0, 1, 0))
    before, after = world.show(native, [int(0.44 * SECOND), int(0.48 * SECOND)])
    assert (len(before["slot"]), len(after["slot"])) == (64, 0)


# ---- births ----


def test_a_ring_recycles_the_oldest(native):
    world = World()
    world.add(100, (9, 9), make_law(rate=65536))  # a birth a step
    s = world.show(native, [250 * STEP])[0]
    assert sorted(s["cycle"]) == list(range(150, 250))
    assert (s["slot"] == s["cycle"] % 100).all()
    np.testing.assert_array_equal(s["age"], (249 - s["cycle"]) * STEP)


def test_a_ring_may_drop_the_newest(native):
    world = World()
    world.add(100, (3, 3), make_law(rate=65536, flags=C["LAW_DROPS_NEWEST"]))
    s = world.show(native, [150 * STEP])[0]
    assert sorted(s["cycle"]) == list(range(100))


@pytest.mark.parametrize("rate", [100, 65536, 1234567])
def test_births_are_evenly_in_time(native, rate):
    world = World()
    world.add(4000, (9, 9), make_law(rate=rate))
    steps = min(2000 * 65536 // rate, 500)
    s = world.show(native, [steps * STEP])[0]
    wanted = np.arange(steps * rate >> 16)
    np.testing.assert_array_equal(np.sort(s["cycle"]), wanted)
    born = -(-((s["cycle"].astype(np.int64) + 1) << 26) // rate)
    np.testing.assert_array_equal(s["age"], np.minimum(steps * STEP - born, s["life"] - 1))


def test_children_are_born_where_parents_die(native):
    world = World()
    law = make_law(speed=2, speed_span=4, cone=2.0, gravity=GRAVITY)
    parent = world.add(30, (0.5, 1.0), law, once=True, is_parent=True)
    child = make_law(children=5, flags=C["LAW_IS_OF_DEATHS"])
    world.add(150, (9, 9), child, parent=parent, is_parent=True)
    grandchild = make_law(children=2, flags=C["LAW_IS_OF_DEATHS"])
    world.add(300, (9, 9), grandchild, parent=parent + 1)
    path = world.show(native, [STEP * i // 8 for i in range(1, 1000)])
    last = {}
    for s in path:
        for slot, place, age, life in zip(
            s["slot"], s["position"], s["age"], s["life"], strict=True
        ):
            last[slot] = (place, (life - age) / SECOND)
    children = world.show(native, [2 * SECOND, 20 * SECOND], row=1)
    assert len(children[0]["slot"]) == 150  # all parents are dead
    for slot, place in zip(children[0]["slot"], children[0]["position"], strict=True):
        assert np.linalg.norm(place - last[slot // 5][0]) < 16 * last[slot // 5][1] + 1e-3
    grown = world.show(native, [2 * SECOND, 9 * SECOND + 65000, 15 * SECOND], row=2)
    assert len(grown[0]["slot"]) == 0
    assert len(grown[2]["slot"]) == 300


def test_children_of_collisions(native):
    world = World()
    ground = make_collider("PLANE", bounce=0.5)
    law = make_law(gravity=GRAVITY)
    parent = world.add(8, (9, 9), law, (ground,), once=True, position=(0, 1, 0), is_parent=True)
    child = make_law(children=3, flags=C["LAW_IS_OF_COLLISIONS"])
    world.add(24, (0.25, 0.25), child, parent=parent)
    before, after, gone = world.show(
        native, [int(t * SECOND) for t in (0.44, 0.5, 0.8)], row=parent + 1
    )
    assert [len(s["slot"]) for s in (before, after, gone)] == [0, 24, 0]
    assert np.abs(after["position"]).max() < 2 * SKIN
    again = world.show(native, [int(0.95 * SECOND)], row=parent + 1)[0]
    assert len(again["slot"]) == 24  # the second bounce, 0.9 s after the begin


# ---- renewal ----

SPLASH = {"flags": int(C["PART_IS_RENEWED"])}


def renewed(count: int, seed: int = 0, **law) -> World:
    world = World()
    world.add(count, (0.6, 1.2), make_law(**law), seed=seed, **SPLASH)
    return world


def test_renewal_has_lives_of_upstream_and_no_gaps(native):
    world = renewed(4096)
    for now in (0, 12345, 60 * SECOND):
        s = world.show(native, [now])[0]
        assert len(s["slot"]) == 4096
        assert (s["age"] < s["life"]).all()
        assert s["life"].min() >= 0.6 * SECOND - 1
        assert s["life"].max() <= 1.2 * SECOND + 1
    # an age that is looked at is of a life in proportion to its length: mean E[L^2] / (2 E[L])
    mean = (s["age"] / SECOND).mean()
    assert mean == pytest.approx(0.84 / (2 * 0.9), rel=0.03)


def test_renewal_is_the_loop_that_upstream_has(native):
    world = renewed(64)
    ticks = np.cumsum(np.random.default_rng(3).integers(0, 3000, 500))
    shown = world.show(native, ticks)
    whole = world.show(native, [ticks[-1]])[0]
    np.testing.assert_array_equal(shown[-1]["age"], whole["age"])
    np.testing.assert_array_equal(shown[-1]["cycle"], whole["cycle"])
    age = np.array([s["age"].astype(int) for s in shown])
    life = np.array([s["life"].astype(int) for s in shown])
    cycle = np.array([s["cycle"].astype(int) for s in shown])
    same = np.diff(cycle, axis=0) == 0
    steps = np.broadcast_to(np.diff(ticks)[:, None], same.shape)
    np.testing.assert_array_equal(np.diff(age, axis=0)[same], steps[same])
    np.testing.assert_array_equal(
        (age[1:] - (age[:-1] + steps - life[:-1]))[~same], 0
    )  # what was over is kept


@pytest.mark.parametrize(("slots", "most", "wanted"), [(4, 2, 1.40), (5, 3, 1.90), (8, 4, 2.97)])
def test_bursts_take_as_many_drops_as_upstream(native, slots, most, wanted):
    """Those of a spot that are past 0.6 of their life, in order, at most so many."""
    world = World()
    for spot in range(600):
        law = make_law(burst_count=most, burst_gap=5 * SECOND, burst_span=0)
        world.add(slots, (0.6, 1.2), law, seed=spot, **SPLASH)
        world.laws[-1]["burst_part"] = 600
    part = world.parts[0].copy()
    part["life_least"], part["life_span"] = SECOND, 0  # known by it
    world.parts.append(part)
    shown, _ = world.run(native, [5 * SECOND + STEP])
    taken = (shown[0, 0] & 0x7FFFFFFF) == 601
    per_spot = taken.reshape(600, -1).sum(axis=1)
    assert per_spot.max() <= most
    assert per_spot.mean() == pytest.approx(wanted, abs=0.2)
    assert (shown[0, 2][taken] == STEP).all()


# ---- what is refused ----


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"drag": -1}, "drag"),
        ({"drag": np.nan}, "drag"),
        ({"gravity": (0, np.inf, 0)}, "gravity"),
        ({"wind": (1, 0, 0)}, "drag"),
        ({"noise": 1, "noise_scale": 1}, "drag"),
        ({"noise": 1, "drag": 1}, "noise scale"),
        ({"speed": np.nan}, "speed"),
        ({"cone": 3}, "cone"),
        ({"radius": -1}, "radius"),
        ({"axis_y": (0, 2, 0)}, "axes"),
        ({"pull": 1}, "pull reach"),
    ],
)
def test_laws_that_are_refused(native, fields, word):
    world = World()
    world.add(1, (1, 1), make_law(**fields))
    with pytest.raises(ValueError, match=word):
        world.run(native, [0])


@pytest.mark.parametrize(
    ("kind", "fields", "word"),
    [
        ("SPHERE", {"size": 0}, "size"),
        ("BOX", {"size": (1, -1, 1)}, "size"),
        ("PLANE", {"axis_y": (0, 0, 0)}, "axes"),
        ("PLANE", {"bounce": 1.5}, "bounce"),
        ("PLANE", {"friction": np.nan}, "friction"),
        ("PLANE", {"center": (0, np.inf, 0)}, "place"),
        ("HEIGHTFIELD", {"columns": 0, "rows": 0}, "at least 2 rows"),
        ("HEIGHTFIELD", {"columns": 3, "rows": 3}, "9 heights"),
    ],
)
def test_solids_that_are_refused(native, kind, fields, word):
    world = World()
    world.add(1, (1, 1), make_law(), (make_collider(kind, **fields),))
    with pytest.raises(ValueError, match=word):
        world.run(native, [0])


def test_arguments_that_are_refused(native):
    world = World()
    world.add(1, (1, 1), make_law())
    with pytest.raises(ValueError, match="descend"):
        world.run(native, [5, 4])
    with pytest.raises(ValueError, match="two years"):
        world.run(native, [2**42])
    world.rows[0] = (7, 0, 1, NONE, 0)
    with pytest.raises(ValueError, match="not there"):
        world.run(native, [0])
