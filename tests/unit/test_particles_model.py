# SPDX-License-Identifier: MIT
"""What a hub shows, beside the NumPy model: its keys, its records and its bytes."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_particles import effect_tables, state

MASK = 2**64 - 1
TICKS = [0, 66, 65536, 3600 * 65536, 2**32 - 1]  # 0, 1e-3 s, 1 s, 1 h, the last of 32 bits
SEED, UID = 77, 123456789
PLACE, CAMERA = (3.5, -0.25, 1000.125), (10.5, 1.75, 990.0)
AROUND = 0.5, 0.0, 1.0  # radius, foot and height of what an emitter without a surface surrounds
PARTS = [(name, i) for name, row in _core.PARTICLE_EFFECTS.items() for i in range(len(row[2]))]


def splitmix64(x: int) -> int:
    """As published by Steele, Lea and Flood."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def model_of(name: str, index: int, tick: int, camera) -> np.ndarray:
    """The part as the only one of an effect."""
    key = splitmix64(splitmix64(SEED) ^ splitmix64(UID))
    # the extent of what is thrown is its direction
    is_thrown = dw.effect(name).parts[index].kind == dw.ParticleKind.SPRAY
    extent = (0.0, 0.0, 0.0) if is_thrown else AROUND
    tables = effect_tables(name, index, 1, np.random.default_rng(0), extent=extent)
    e = tables.emitters
    e["key0"] = splitmix64((key + 1) & MASK) >> 32
    e["key1"] = key >> 32
    e["position"] = PLACE
    return state(tables, tick, camera)


def checked(device, name: str, index: int) -> int:
    """Particles that were compared."""
    part, count = dw.effect(name).parts[index], 0
    view = dw.Camera(CAMERA, (0, 0, 0))
    for camera in (None, view):
        with dw.ParticleManager(device, seed=SEED) as pm:
            pm.register(UID, dw.EffectConfig(PLACE, dw.ParticleEffect("one", (part,))))
            pm.update(0.0, camera)
            for tick in (*TICKS, 9000, 66):
                pm.seek(tick / 65536)
                got = pm.state(part.layer)
                wanted = model_of(name, index, tick, None if camera is None else CAMERA)
                assert got.tobytes() == wanted.tobytes(), (tick, camera is None)
                count += len(got)
    return count


@pytest.mark.parametrize(("name", "index"), PARTS)
def test_a_hub_has_the_bytes_of_the_model(native_device, name, index):
    assert checked(native_device, name, index) > 0


@pytest.mark.parametrize("name", _core.PARTICLE_EFFECTS)
def test_so_it_has_on_a_device(vulkan_device, name):
    for index in range(len(dw.effect(name).parts)):
        assert checked(vulkan_device, name, index) > 0
