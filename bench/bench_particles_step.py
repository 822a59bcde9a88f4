# SPDX-License-Identifier: MIT
"""Times steps of particles with state: 1/64 s of gravity, drag, air and solids for each slot.

    .venv/bin/python bench/bench_particles_step.py [--device gpu] [--particles 10000000] [--check]

Without --device on a card, where there is one, and else natively, with fewer particles. All slots
live, in rows of at most a million. A living slot reads its death, place and velocity (28 bytes) and
writes place and velocity (24); the lines below count those 52 bytes. Milliseconds are the median of
single steps, on a Vulkan device by its own clock, rows and their clocks included. --check compares
the bytes with native ones first, at a hundredth of the size.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

import dapplewood as dw
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from helpers_particle_steps import STEP, World, make_collider, make_law

BYTES = 52
ROW = 1_000_000
GRAVITY = (0.0, -9.81, 0.0)
PLANE = (make_collider("PLANE", bounce=0.5, friction=0.1),)
CASES = {
    "gravity": ({"gravity": GRAVITY}, ()),
    "drag": ({"gravity": GRAVITY, "drag": 0.5, "wind": (1, 0, 0)}, ()),
    "plane": ({"gravity": GRAVITY, "drag": 0.5}, PLANE),
    "eddies": ({"drag": 2.0, "noise": 1.0, "noise_scale": 0.5}, ()),
}


def make_world(count: int, case: str) -> World:
    fields, solids = CASES[case]
    world = World()
    for first in range(0, count, ROW):
        law = make_law(speed=2, speed_span=4, cone=1.0, extent=(20, 0, 20), **fields)
        slots = min(ROW, count - first)
        world.add(slots, (60, 100), law, solids, once=True, seed=first, position=(0, 30, 0))
    return world


def check(device: dw.Device, count: int) -> None:
    ticks = [20 * STEP + 300, 150 * STEP + 7]
    with dw.Device("cpu") as native:
        for case in CASES:
            world = make_world(count, case)
            wanted, got = world.run(native, ticks)[0], world.run(device, ticks)[0]
            alive = wanted[:, :1] != 0
            assert ((got != 0) == (wanted != 0))[:, 0].all(), case
            assert ((got == wanted) | ~alive).all(), case


def measure(device: dw.Device, count: int, case: str, steps: int) -> list[float]:
    """Milliseconds of the last step of runs that are longer and longer."""
    found = []
    world = make_world(count, case)
    for extra in range(steps):
        world.run(device, STEP * np.arange(1, 12 + extra), shown=False)
        found.append(device.timings()["particle_step"])
    return found


def open_device(which: str | None) -> dw.Device:
    if which is not None:
        return dw.Device(which)
    try:
        return dw.Device("gpu")
    except dw.DeviceNotFound:
        return dw.Device("cpu")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="gpu, software or cpu")
    parser.add_argument("--particles", type=int, help="10,000,000 on a card, 200,000 elsewhere")
    parser.add_argument("--steps", type=int, default=9)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    with open_device(given.device) as device:
        is_card = device.info.kind not in ("native", "software")
        count = given.particles or (10_000_000 if is_card else 200_000)
        if given.check:
            check(device, max(count // 100, 1000))
            print("bytes: as native ones", flush=True)
        print("case,particles,ms,GB/s,M particles/s")
        for case in CASES:
            ms = statistics.median(measure(device, count, case, given.steps))
            rate = count / ms / 1e3
            print(f"{case},{count},{ms:.4f},{rate * BYTES / 1e3:.2f},{rate:.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
