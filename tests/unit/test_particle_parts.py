# SPDX-License-Identifier: MIT
"""What parts of effects may say: every built-in one is in range, and what is not is named."""

from __future__ import annotations

import dataclasses

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_particle_tables import C
from helpers_particles import part_record


@pytest.fixture(scope="module")
def device():
    with dw.Device("cpu", threads=1) as device:
        yield device


@pytest.fixture()
def hub(device):
    with dw.ParticleManager(device, seed=5) as pm:
        yield pm


def changed(name: str, index: int, **fields) -> dw.ParticleEffect:
    effect = dw.effect(name)
    part = effect.parts[index]
    if "params" in fields:
        fields["params"] = {**part.params, **fields["params"]}
    return dataclasses.replace(effect, parts=(dataclasses.replace(part, **fields),))


@pytest.mark.parametrize("name", _core.PARTICLE_EFFECTS)
def test_every_effect_can_be_registered_and_lives(hub, name):
    hub.register(1, dw.EffectConfig((0, 0, 0), name))
    seen = set()
    for now in (0.05, 0.3, 5.0):
        hub.seek(now)
        for part in dw.effect(name).parts:
            state = hub.state(part.layer)
            assert np.isfinite(state["position"]).all() and (state["size"] >= 0).all()
            assert (state["opacity"] >= 0).all()
            seen |= {part.layer} if len(state) else set()
    assert seen == {part.layer for part in dw.effect(name).parts}


BAD = [
    ("water_bait", 0, {"lifetime": (0.0, 1.0)}, "lifetime must be"),
    ("water_bait", 0, {"lifetime": (2.0, 1.0)}, "lifetime must be"),
    ("water_bait", 0, {"lifetime": (1.0, 1e6)}, "lifetime must be"),
    ("water_bait", 1, {"burst": (0.0, 1.0)}, "burst must be"),
    ("water_bait", 0, {"opacity": -0.5}, "opacity must be"),
    ("water_bait", 0, {"rise": -1.0}, "rise must be"),
    ("water_bait", 0, {"count": 2**31}, "count must be"),
    ("water_bait", 0, {"lod": (9.0, 5.0)}, "lod must be"),
    ("water_bait", 0, {"frames": (200, 200)}, "frames"),
    ("water_bait", 0, {"frame_rate": 1e4}, "frame_rate must be"),
    ("water_bait", 0, {"offset": (0.0, 1e9, 0.0)}, "offset"),
    ("water_bait", 0, {"params": {"size": -1.0}}, "size of kind 'splash' must be 0"),
    ("water_bait", 0, {"params": {"peak_span": -0.1}}, "peak_span of kind 'splash' must be 0"),
    ("water_bait", 0, {"params": {"height": 1e7}}, "height of kind 'splash' must be -1e"),
    ("combat_blood", 0, {"params": {"drag": -1.0}}, "drag of kind 'spray' must be 0"),
    ("combat_blood", 0, {"params": {"gravity": -1.0}}, "gravity of kind 'spray' must be 0"),
    ("magic_spell", 0, {"params": {"arms": -3.0}}, "arms of kind 'spell' must be 0"),
    ("magic_spell", 0, {"params": {"turns": 5000.0}}, "turns of kind 'spell' must be -4096"),
    ("weather_rain", 0, {"params": {"wind_x": -1e4}}, "wind_x of kind 'rain' must be -4096"),
    ("weather_rain", 0, {"params": {"box": -24.0}}, "box of kind 'rain' must be 0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "index", "fields", "said"), BAD)
def test_what_is_out_of_range_is_named(hub, name, index, fields, said):
    with pytest.raises(ValueError, match=said):
        hub.register(1, dw.EffectConfig((0, 0, 0), changed(name, index, **fields)))
    assert 1 not in hub


def test_sizes_of_zero_and_no_slots_are_allowed(hub):
    hub.register(1, dw.EffectConfig((0, 0, 0), changed("water_bait", 0, params={"size": 0.0})))
    assert not hub.state("splash")["size"].any()
    hub.register(2, dw.EffectConfig((0, 0, 0), changed("water_bait", 3, count=0)))
    assert len(hub.state("shimmer")) == 0


def test_the_core_makes_the_records_that_the_tables_of_the_tests_have(device):
    """The hub's particles of a lone emitter are those of a record made here, but for its keys."""
    for name, (_, _, parts) in _core.PARTICLE_EFFECTS.items():
        for part in parts:
            record = part_record(part, [], [])
            with dw.ParticleManager(device) as pm:
                one = dw.ParticlePart(**{**part, "tone": "white"})
                effect = dw.ParticleEffect(name, (one,))
                pm.register(1, dw.EffectConfig((0, 0, 0), effect))
                pm.update(0.2)
                lives = pm.state(part["layer"])["lifetime"].astype(np.int64)
            least, span = int(record["life_least"]), int(record["life_span"])
            assert ((lives >= least) & (lives <= least + span)).all(), name
            assert bool(record["flags"] & C["PART_IS_ONCE"]) == part["once"]
