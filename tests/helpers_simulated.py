# SPDX-License-Identifier: MIT
"""Effects whose particles are simulated, and what a manager shows of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dapplewood as dw

LAYERS = ("impact", "spark", "dust", "splash", "bubble", "shimmer", "wisp", "flame", "pillar")
CAMERA = dw.Camera((0, 3, 9), (0, 0.5, 0))


def hills(side: int = 81) -> np.ndarray:
    """(side, side) heights."""
    x, z = np.arange(side) / 5, np.arange(side) / 4
    return (0.3 * np.sin(x)[None] * np.cos(z)[:, None]).astype(np.float32)


def solids() -> list[Any]:
    return [
        dw.PlaneCollider((0, -1, 0), (0.1, 1, 0), bounce=0.5),
        dw.SphereCollider((0.6, 0.5, 0), 0.5, bounce=0.7, friction=0.1),
        dw.BoxCollider((-0.6, 0.2, 0), (0.3, 0.4, 0.2), [(0.6, 0, 0.8), (0, 1, 0), (-0.8, 0, 0.6)]),
        dw.HeightfieldCollider(hills(), (-4, -0.5, -4), 0.1),
    ]


def sparks(count: int = 300, **more: Any) -> dw.ParticlePart:
    """All that a part may be at once: forces, solids, children and grandchildren."""
    glint = dw.ParticlePart("halo", "spark", 1, (0.05, 0.1), params={"size": 0.08})
    puff = dw.ParticlePart(
        "puff", "dust", 3, (0.2, 0.5), params={"size": 0.05}, simulation="dynamic",
        forces=dw.ParticleForces(drag=1.0), collision_speed=0.1,
        birth=dw.ParticleBirth(speed=(0, 1), spread=180, inherit=0.2),
        colliders=[dw.PlaneCollider((0, -1, 0))], on_death=glint,
    )  # fmt: skip
    fields: dict[str, Any] = {
        "params": {"size": 0.03, "size_span": 0.02}, "simulation": "dynamic",
        "forces": dw.ParticleForces(
            drag=0.3, wind=(1, 0, 0), noise=1, noise_size=0.7, noise_drift=(0.3, 0, 0), pull=2,
            pull_place=(0, 1, 0),
        ),
        "birth": dw.ParticleBirth(shape="ball", size=(0.1, 0.1, 0.1), spread=35, speed=(3, 6)),
        "colliders": solids(), "on_collision": glint, "on_death": puff,
    }  # fmt: skip
    return dw.ParticlePart("ballistic", "impact", count, (0.5, 1.6), **(fields | more))


def effect(*parts: dw.ParticlePart) -> dw.ParticleEffect:
    return dw.ParticleEffect("simulated", parts)


def scene(device: Any, mode: str = "exact", seed: int = 3) -> dw.ParticleManager:
    """Simulated, renewed and stateless emitters in the same layers."""
    pm = dw.ParticleManager(device, seed=seed, mode=mode)
    renewed = dw.ParticlePart(
        "ember", "spark", 20, (0.7, 2), params={"radius": 0.1, "rise": 1, "size": 0.03},
        simulation="renewal",
    )  # fmt: skip
    pm.register("sparks", dw.EffectConfig((0, 1, 0), effect(sparks(), renewed)))
    pm.register("altar", dw.GlowConfig((2, 0, 0), "altar"))
    pm.register("spot", dw.WaterConfig((0, 1, 2), "fly"))
    pm.register("blast", dw.FireConfig((-2, 0, 0), "explosion"))
    return pm


def states(pm: dw.ParticleManager) -> dict[str, bytes]:
    return {layer: pm.state(layer).tobytes() for layer in LAYERS}


def sights(pm: dw.ParticleManager) -> dict[str, bytes]:
    return {layer: sprites.tobytes() for layer, sprites in pm.see(CAMERA).items()}
