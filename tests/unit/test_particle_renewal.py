# SPDX-License-Identifier: MIT
"""Lives and bursts that are remembered have the distributions that upstream draws them from."""

from __future__ import annotations

import numpy as np
import pytest
from helpers_particle_steps import SECOND, STEP, C, World, make_law

import dapplewood as dw

FINE = 1.63  # Kolmogorov's 1 % point, times 1 / sqrt(n)


def farness(values: np.ndarray, least: float, most: float) -> float:
    """Kolmogorov and Smirnov's distance from the even distribution, in 1 / sqrt(n)."""
    even = np.clip((np.sort(values) - least) / (most - least), 0.0, 1.0)
    steps = np.arange(len(even) + 1) / len(even)
    return np.sqrt(len(even)) * max(np.abs(even - steps[1:]).max(), np.abs(even - steps[:-1]).max())


@pytest.fixture(scope="module")
def pond(native_device_of_module):
    """2,000 calm spots for 4 s: splashes without bursts, the first of which come after 5 s."""
    pm = dw.ParticleManager(native_device_of_module, seed=5, mode="seed")
    places = np.zeros((2000, 3), np.float32)
    pm.register_many(range(2000), places, dw.WaterConfig(None, "fishing_net"))
    shown = []
    for _ in range(16):
        pm.update(0.25)
        shown.append({layer: pm.state(layer) for layer in ("splash", "bubble", "shimmer")})
    return shown


@pytest.fixture(scope="module")
def native_device_of_module():
    with dw.Device("cpu") as device:
        yield device


def begun(shown, layer: str) -> np.ndarray:
    """Which particles of each moment but the first have begun a life since the one before."""
    return np.array(
        [b[layer]["cycle"] != a[layer]["cycle"] for a, b in zip(shown, shown[1:], strict=False)]
    )


def fields(shown, layer: str, field: str) -> np.ndarray:
    return np.array([moment[layer][field] for moment in shown[1:]])


def test_each_life_of_a_splash_is_as_long_as_chance_has_it(pond):
    lives = fields(pond, "splash", "lifetime")[begun(pond, "splash")] / SECOND
    assert len(lives) > 20000
    assert farness(lives, 0.6, 1.2) < FINE


def test_what_is_seen_at_a_time_is_longer(pond):
    """Long lives are met more often than short ones: the test above can tell."""
    met = pond[-1]["splash"]["lifetime"] / SECOND
    assert farness(met, 0.6, 1.2) > 3 * FINE
    weighted = (met**2 - 0.6**2) / (1.2**2 - 0.6**2)  # of a density that is in proportion to life
    assert farness(weighted, 0.0, 1.0) < FINE


@pytest.mark.parametrize(("layer", "least", "most"), [("bubble", 1.2, 2.5), ("shimmer", 1.5, 3.0)])
def test_others_keep_their_life(pond, layer, least, most):
    lives = fields(pond, layer, "lifetime")
    assert (lives == lives[0]).all()
    assert begun(pond, layer).any()
    assert farness(lives[0] / SECOND, least, most) < FINE


def test_angles_are_drawn_anew_for_each_life(pond):
    place = fields(pond, "splash", "position")[begun(pond, "splash")]
    angle = np.arctan2(place[:, 2], place[:, 0])
    assert farness(angle, -np.pi, np.pi) < FINE
    radius = np.hypot(place[:, 0], place[:, 2])
    assert farness(radius, 0.05, 0.35) < FINE
    kept = fields(pond, "splash", "position")[~begun(pond, "splash")]
    assert len(kept) > len(place)


def first_bursts(least: float, most: float, spots: int) -> np.ndarray:
    """Seconds after which spots burst for the first time, to a step."""
    world = World()
    for spot in range(spots):
        law = make_law(
            burst_count=99, burst_gap=int(least * SECOND), burst_span=int((most - least) * SECOND)
        )
        world.add(8, (0.6, 1.2), law, seed=spot, flags=int(C["PART_IS_RENEWED"]))
        world.laws[-1]["burst_part"] = spots
    taken = world.parts[0].copy()
    taken["life_least"], taken["life_span"] = 99 * SECOND, 0  # so that it is seen when it was
    world.parts.append(taken)
    with dw.Device("cpu") as device:
        shown, _ = world.run(device, [int((most + 1.5) * SECOND)])
    part, number, age = shown[0, :3].reshape(3, spots, -1)
    is_first = ((part & 0x7FFFFFFF) == spots + 1) & (number == 0)
    assert is_first.any(axis=1).mean() > 0.95  # a few have no late drop just then
    return most + 1.5 - np.where(is_first, age, 0).max(axis=1)[is_first.any(axis=1)] / SECOND


@pytest.mark.parametrize(("least", "most"), [(5.0, 10.0), (3.0, 7.0), (2.0, 5.0)])
def test_bursts_come_as_often_as_upstream(least, most):
    times = first_bursts(least, most, 900)
    assert times.min() >= least and times.max() <= most + STEP / SECOND
    assert farness(times, least, most + STEP / SECOND) < FINE
    assert farness(times, least, most + 0.5) > FINE  # half a second more would be found
