# SPDX-License-Identifier: MIT
"""A picture of simulated particles beside its reference: see helpers_golden.py."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
from helpers_golden import block, check_golden, ground

SIZE = (288, 192)

BALL = dw.SphereCollider((0.75, 0.55, 0.0), 0.55, bounce=0.45, friction=0.1)
FLOOR = dw.PlaneCollider(bounce=0.42, friction=0.25)
WALL = dw.BoxCollider((0.0, 0.6, -1.4), (2.6, 0.6, 0.15), bounce=0.3)
HOT = [0xFFF6DC, 0xFFD070, 0xFF9628, 0xE85008, 0x7A1804]


def ball(center, radius: float, **material) -> dw.Mesh:
    v, u = np.mgrid[0:25, 0:49]
    polar, around = np.pi * v / 24, 2 * np.pi * u / 48
    normal = np.stack(
        [np.sin(polar) * np.cos(around), np.cos(polar), np.sin(polar) * np.sin(around)], axis=2
    )
    at = np.arange(25 * 49).reshape(25, 49)
    quads = [at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]]
    a, b, c, d = (corner.ravel() for corner in quads)
    return dw.Mesh(
        (np.array(center) + radius * normal).reshape(-1, 3).astype(np.float32),
        np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.uint32),
        normals=normal.reshape(-1, 3).astype(np.float32),
        material=dw.Material(**material),
    )


def sparks() -> dw.ParticleEffect:
    """From a grindstone: sparks that bounce, splinter where they hit, and smoke where they die."""
    glint = dw.ParticlePart(
        "halo", "spark", 1, (0.06, 0.12), params={"size": 0.16}, fall=1.0, ramp=[0xFFE0A0],
    )  # fmt: skip
    splinters = dw.ParticlePart(
        "ballistic", "impact", 3, (0.15, 0.4), params={"size": 0.012, "size_span": 0.008},
        simulation="dynamic", forces=dw.ParticleForces(drag=1.0), fall=2.0, ramp=HOT[1:],
        birth=dw.ParticleBirth(spread=70, speed=(0.6, 2.2), inherit=0.35),
        colliders=[FLOOR, BALL, WALL],
    )  # fmt: skip
    smoke = dw.ParticlePart(
        "puff", "dust", 1, (0.5, 0.9), params={"size": 0.05, "size_span": 0.05}, opacity=0.05,
        size_curve=[1.0, 2.5], rise=6.0, fall=1.5, ramp=[0x6A6460], simulation="dynamic",
        forces=dw.ParticleForces(gravity=(0, 0.6, 0), drag=1.5, wind=(0.2, 0, 0)),
    )  # fmt: skip
    return dw.ParticleEffect(
        "grinding",
        (
            dw.ParticlePart(
                "ballistic", "impact", 520, (0.9, 1.8), params={"size": 0.022, "size_span": 0.012},
                simulation="dynamic", forces=dw.ParticleForces(drag=0.25), ramp=HOT, fall=3.0,
                birth=dw.ParticleBirth(
                    direction=(1, 0.55, 0), spread=17, speed=(2.6, 5.0), size=(0.02, 0.05, 0.05)
                ),
                colliders=[FLOOR, BALL, WALL], collision_radius=0.01, collision_speed=1.2,
                on_collision=[glint, splinters], on_death=smoke,
            ),
        ),
    )  # fmt: skip


def forces(renderer, device) -> dw.Frame:
    scene = dw.Scene()
    scene.sun.direction, scene.sun.color = (-0.6, 0.7, 0.5), (0.35, 0.4, 0.5)
    scene.sun.shadow_size, scene.sun.shadow_distance = 1024, 45.0
    scene.sky = dw.Sky(zenith=(0.02, 0.03, 0.06), horizon=(0.05, 0.05, 0.06), ground=(0.01,) * 3)
    scene.add(ground(30, base_color=(0.10, 0.10, 0.11, 1)))
    scene.add(block((-2.6, 0, -1.55), (2.6, 1.2, -1.25), base_color=(0.12, 0.11, 0.10, 1)))
    scene.add(block((-1.35, 0, -0.12), (-1.15, 1.0, 0.12), base_color=(0.10, 0.09, 0.08, 1)))
    scene.add(ball(BALL.center, BALL.radius, base_color=(0.16, 0.17, 0.20, 1), roughness=0.35))
    with dw.ParticleManager(device, seed=21) as manager:
        manager.register("stone", dw.EffectConfig((-1.12, 0.95, 0.0), sparks()))
        scene.add(manager)
        camera = dw.Camera((0.25, 1.35, 4.6), (0.3, 0.62, 0), fov_y=0.62)
        return renderer.render(scene, camera, time=3.0)


def test_picture(native_device, vulkan_device, tmp_path):
    """Simulated natively: every device sees that."""
    with dw.Renderer(SIZE, samples=4, anisotropic=False, device=vulkan_device) as renderer:
        check_golden("particles_forces", forces(renderer, native_device).color, tmp_path)
