# SPDX-License-Identifier: MIT
"""Sheets of the built-in effects beside references in tests/golden: see helpers_golden.py."""

from __future__ import annotations

from typing import NamedTuple

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers import TOLERANCE
from helpers_golden import block, check_golden, difference, ground

CELL = 144, 120
HERE = (0.0, 0.0, 0.0)
CHEST = (0.0, 1.2, 0.0)
PERSON = dict(base_color=(0.20, 0.23, 0.31, 1))
PEDESTAL = block((-0.35, 0, -0.35), (0.35, 0.9, 0.35), base_color=(0.3, 0.29, 0.28, 1))
ROCK = block((-0.5, 0, -0.75), (0.45, 0.45, -0.12), base_color=(0.2, 0.2, 0.2, 1))
TRUNK = block((-0.18, 0, -0.5), (0.18, 3, -0.12), base_color=(0.16, 0.11, 0.07, 1))
LOGS = block((-0.4, 0, -0.06), (0.4, 0.12, 0.06), base_color=(0.06, 0.04, 0.03, 1))
POST = block((-0.03, 0, -0.03), (0.03, 0.9, 0.03), base_color=(0.10, 0.07, 0.04, 1))
WOOD = block((-16, 0, -9), (16, 7, -8), base_color=(0.035, 0.045, 0.03, 1))
BLOW = (1.0, 0.2, 0.2)


class Row(NamedTuple):
    """An effect, when it is looked at, by which light, from how far, and what is by it."""

    effect: str
    config: object
    times: tuple[float, ...]
    light: str = "day"
    eye: tuple[float, float, float] = (0.3, 1.3, 3.4)
    target: tuple[float, float, float] = (-0.1, 0.75, 0.0)
    thing: dw.Mesh | None = None


LOW = {"eye": (0.15, 0.6, 1.3), "target": (0.0, 0.12, 0.0)}
POOL = {"eye": (0.2, 0.9, 1.7), "target": (0.0, 0.12, 0.0), "light": "dusk"}
HEARTH = {"eye": (0.1, 0.6, 1.5), "target": (0.0, 0.28, 0.0), "light": "dusk"}
TORCH = {"eye": (0.2, 1.2, 1.5), "target": (0.0, 1.0, 0.0), "light": "dusk", "thing": POST}
STROKE = {"eye": (0.25, 0.9, 1.9), "target": (-0.05, 0.4, -0.1)}
FIGHT = {"eye": (0.3, 1.35, 1.9), "target": (0.25, 1.1, 0.0)}
WIDE = {"eye": (0.0, 1.7, 5.2), "target": (0.0, 1.5, 0.0), "thing": WOOD}
FLICKER, LAPS = (1.0, 1.1, 1.2, 2.5), (1.0, 1.2, 1.4, 1.6)
SHEETS = {
    "effects_shots": [
        Row("fire_explosion", dw.FireConfig(HERE, "explosion"), (0.05, 0.25, 0.6, 1.6),
            eye=(0.5, 2.2, 8.5), target=(0.0, 1.7, 0.0)),
        Row("dust_mining", dw.DustConfig(HERE, "mining"), (0.04, 0.15, 0.4, 0.9), thing=ROCK,
            **STROKE),
        Row("dust_woodcutting", dw.DustConfig(HERE, "woodcutting"), (0.04, 0.15, 0.4, 0.7),
            thing=TRUNK, **STROKE),
        Row("dust_footstep", dw.DustConfig(HERE, "footstep"), (0.08, 0.2, 0.4, 0.6), **LOW),
        Row("combat_blood", dw.CombatConfig(CHEST, "blood", direction=BLOW),
            (0.04, 0.1, 0.2, 0.35), **FIGHT),
        Row("combat_impact", dw.CombatConfig(CHEST, "impact", direction=BLOW),
            (0.02, 0.06, 0.13, 0.25), "dusk", **FIGHT),
    ],
    "effects_lights": [
        Row("magic_spell", dw.MagicConfig(HERE, "spell"), (1.0, 1.3, 1.6, 2.2), "dusk"),
        Row("magic_enchant", dw.MagicConfig(HERE, "enchant", surface=PEDESTAL),
            (1.0, 1.5, 2.0, 3.0), "dusk", thing=PEDESTAL),
        Row("glow_altar", dw.GlowConfig(HERE, "altar", surface=PEDESTAL), (1.0, 2.0, 3.0, 4.0),
            "dusk", thing=PEDESTAL),
        Row("fire_camp", dw.FireConfig(HERE), FLICKER, "dusk", thing=LOGS),
        Row("glow_fire", dw.GlowConfig(HERE, "fire"), FLICKER, **HEARTH),
        Row("fire_torch", dw.FireConfig((0, 0.9, 0), "torch"), FLICKER, **TORCH),
        Row("glow_torch", dw.GlowConfig((0, 0.9, 0), "torch"), FLICKER, **TORCH),
    ],
    "effects_weather": [
        Row("weather_rain", dw.WeatherConfig("rain"), (1.0, 1.04), **WIDE),
        Row("weather_snow", dw.WeatherConfig("snow"), (1.0, 1.2), **WIDE),
        Row("weather_fog", dw.WeatherConfig("fog"), (1.0, 6.0), **WIDE),
        Row("dust_drift", dw.DustConfig(HERE, "drift"), (1.0, 3.0), eye=(0.0, 1.2, 1.8),
            target=(0.0, 1.3, 0.0), thing=WOOD),
    ],
    "effects_water": [
        Row("water_net", dw.WaterConfig(HERE, "fishing_net"), LAPS, **POOL),
        Row("water_bait", dw.WaterConfig(HERE, "fishing_bait"), LAPS, **POOL),
        Row("water_fly", dw.WaterConfig(HERE, "fishing_fly"), LAPS, **POOL),
    ],
}  # fmt: skip


def stage(row: Row) -> dw.Scene:
    """Ground, a person of 1.8 m, and a thing."""
    scene = dw.Scene()
    scene.sun.direction, scene.sun.shadow_size = (-0.6, 0.55, 0.55), 1024
    scene.sun.shadow_distance, scene.sky.fog.density = 30.0, 0.005
    floor = (0.30, 0.29, 0.22, 1)
    if row.light == "dusk":
        scene.sun.color, floor = (0.5, 0.35, 0.25), (0.16, 0.17, 0.13, 1)
        scene.sky = dw.Sky(
            zenith=(0.03, 0.05, 0.10), horizon=(0.12, 0.10, 0.10), ground=(0.02,) * 3
        )
    scene.add(ground(30, base_color=floor))
    x = -2.2 if row.eye[2] > 5 else -0.85
    scene.add(block((x - 0.22, 0, -0.4), (x + 0.22, 1.5, -0.15), **PERSON))
    scene.add(block((x - 0.1, 1.55, -0.38), (x + 0.1, 1.8, -0.17), **PERSON))
    if row.thing is not None:
        scene.add(row.thing)
    return scene


def draw_row(renderer, row: Row) -> list[np.ndarray]:
    """The stage without the effect, and with it at all its times."""
    scene, camera = stage(row), dw.Camera(row.eye, row.target, fov_y=0.75)
    frames = [renderer.render(scene, camera)]
    with dw.ParticleManager(seed=11) as manager:
        manager.register(row.effect, row.config)
        scene.add(manager)
        frames += [renderer.render(scene, camera, time=time) for time in row.times]
    return [frame.color for frame in frames]


@pytest.mark.parametrize("name", SHEETS)
def test_sheets(vulkan_device, tmp_path, name):
    try:
        # the reference is filtered as software devices do
        renderer = dw.Renderer(CELL, samples=4, anisotropic=False, device=vulkan_device)
    except ValueError as error:
        pytest.skip(str(error))
    rows = []
    with renderer:
        for row in SHEETS[name]:
            bare, *cells = draw_row(renderer, row)
            rows.append(np.concatenate(cells, axis=1))
            # what is not there would be found
            off = [difference(cell, bare)[:2] for cell in cells]
            mean, share = np.max(off, axis=0)
            limits = 1.5 * TOLERANCE["effect_mean"], 1.5 * TOLERANCE["effect_share"]
            assert mean > limits[0] or share > limits[1], (row.effect, mean, share)
    check_golden(name, np.concatenate(rows), tmp_path, cell=CELL)


def test_every_effect_is_on_a_sheet():
    shown = [row.effect for rows in SHEETS.values() for row in rows]
    assert sorted(shown) == sorted(_core.PARTICLE_EFFECTS)
    for rows in SHEETS.values():
        assert len({len(row.times) for row in rows}) == 1
