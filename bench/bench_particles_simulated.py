# SPDX-License-Identifier: MIT
"""Times what a manager does with simulated particles: steps, planes, and views of them.

    .venv/bin/python bench/bench_particles_simulated.py [--device gpu] [--particles 1000000]

One emitter a million particles, thrown up under gravity and drag, all of them alive and in view.
Milliseconds are medians over frames of 1/64 s: on a Vulkan device by its own clock for each pass,
and by the host's for `update` (on devices that is what it takes to send the work). "mixed" is as
many stateless particles beside one simulated emitter of a thousand: what the expansion costs where
slots may have state.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import dapplewood as dw

MILLION = 1_000_000
PASSES = ("particle_step", "particle_show", "particle_expand", "particle_list", "particle_see")


def simulated(count: int) -> dw.ParticlePart:
    return dw.ParticlePart(
        "ballistic", "spark", count, (90.0, 120.0), params={"size": 0.02}, simulation="dynamic",
        once=True, forces=dw.ParticleForces(drag=0.5),
        birth=dw.ParticleBirth(spread=40, speed=(5, 9), size=(20, 0, 20)),
        colliders=[dw.PlaneCollider()],
    )  # fmt: skip


def stateless(count: int) -> dw.ParticlePart:
    return dw.ParticlePart(
        "ballistic", "spark", count, (1.0, 2.0), params={"size": 0.02, "speed": 5.0, "dir_y": 1.0}
    )


def make_manager(device: dw.Device, case: str, count: int) -> dw.ParticleManager:
    pm = dw.ParticleManager(device, seed=1)
    part = simulated if case == "simulated" else stateless
    for first in range(0, count, MILLION):
        effect = dw.ParticleEffect(case, (part(min(MILLION, count - first)),))
        pm.register(first, dw.EffectConfig((0, 5, 0), effect))
    if case == "mixed":
        pm.register("few", dw.EffectConfig((0, 5, 0), dw.ParticleEffect("few", (simulated(1000),))))
    return pm


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--particles", type=int, default=MILLION)
    parser.add_argument("--frames", type=int, default=9)
    given = parser.parse_args()
    camera = dw.Camera((0, 10, 90), (0, 5, 0))
    print("case,particles,drawn,update," + ",".join(PASSES))
    with dw.Device(given.device) as device:
        for case in ("stateless", "mixed", "simulated"):
            with make_manager(device, case, given.particles) as pm:
                updates: list[float] = []
                passes: dict[str, list[float]] = {name: [] for name in PASSES}
                for _ in range(given.frames):
                    begin = time.perf_counter()
                    pm.update(1 / 64, camera)
                    updates.append(1e3 * (time.perf_counter() - begin))
                    drawn = pm.stats().drawn
                    for name, found in passes.items():
                        found.append(device.timings().get(name, 0.0))
                times = ",".join(f"{statistics.median(found):.4f}" for found in passes.values())
                print(f"{case},{given.particles},{drawn},{statistics.median(updates):.4f},{times}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
