# SPDX-License-Identifier: MIT
"""Times the particle hub's work on the host.

    .venv/bin/python bench/bench_particles_hub.py [--emitters 100000] [--repeats 7] > hub.csv

`update` lets a frame pass, with a camera, while nothing else changes. The other rows are
one call for all emitters (or a call for each of 1,000, `..._one`); `again` replaces emitters that
are there. microseconds: the median of the repeats, and the least; each: nanoseconds an emitter.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
from collections.abc import Callable

import dapplewood as dw
import numpy as np

SPOT = dw.WaterConfig(None, "fishing_net")
FRAMES = 1000
ONES = 1000


def timed(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - begin)


def one_by_one(call: Callable[[int], object]) -> None:
    for i in range(ONES):
        call(i)


def run(count: int, repeats: int) -> dict[str, tuple[list[float], int]]:
    device = dw.Device("cpu")
    camera = dw.Camera((0, 2, 5), (0, 0, 0))
    ids = np.arange(count)
    words = [f"spot-{i}" for i in range(count)]
    rng = np.random.default_rng(1)
    places = rng.uniform(0, 1000, (count, 3)) * [1, 0, 1]
    rows: dict[str, tuple[list[float], int]] = {}

    def add(name: str, emitters: int, call: Callable[[], object]) -> None:
        rows.setdefault(name, ([], emitters))[0].append(timed(call))

    for _ in range(repeats):
        with dw.ParticleManager(device) as pm:
            add("register", count, lambda: pm.register_many(ids, places, SPOT))
            add("register_again", count, lambda: pm.register_many(ids, places, SPOT))
            add("move", count, lambda: pm.move_many(ids, places))
            pm.update(1 / 60, camera)
            frames = timed(lambda: [pm.update(1 / 60, camera) for _ in range(FRAMES)])
            rows.setdefault("update", ([], count))[0].append(frames / FRAMES)
            add("register_one", ONES, lambda: one_by_one(lambda i: pm.register(i, WATER)))
            add("move_one", ONES, lambda: one_by_one(lambda i: pm.move(i, (1.0, 2.0, 3.0))))
            add("emit_one", ONES, lambda: one_by_one(pm.emit))
            add("unregister", count, lambda: pm.unregister_many(ids))
            add("register_words", count, lambda: pm.register_many(words, places, SPOT))
            add("close", count, pm.close)
    return rows


WATER = dw.WaterConfig((1.0, 2.0, 3.0), "fishing_net")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--emitters", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(("what", "emitters", "microseconds", "least", "each_ns"))
    for name, (times, count) in run(arguments.emitters, arguments.repeats).items():
        middle = statistics.median(times)
        out.writerow(
            (name, count, f"{middle:.1f}", f"{min(times):.1f}", f"{1e3 * middle / count:.1f}")
        )


if __name__ == "__main__":
    main()
