# SPDX-License-Identifier: MIT
"""Times what is done to terrain weights on the host: packing, index maps, expectation, banding.

    .venv/bin/python bench/bench_terrain_weights.py [--side 1024] [--repeats 7] > weights.csv

All threads of the default device work. megatexels_per_s goes by the median.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import dapplewood as dw
import numpy as np


def cases(side: int) -> Iterator[tuple[str, int, Callable[[], object]]]:
    rng = np.random.default_rng(0)
    for count in (4, 8, 16):
        weights = rng.dirichlet(np.ones(count), (side, side)).astype(np.float32)
        yield "pack", count, lambda w=weights: dw.pack_weights(w)
        yield "pack dithered", count, lambda w=weights: dw.pack_weights(w, dithered=True)
        yield "index map", count, lambda w=weights: dw.weights_to_index_map(w)
        for mode in ("dithered", "priority", "priority_additive", "dominant_accent"):
            made = dw.Transition(mode)
            yield f"expect {mode}", count, lambda w=weights, t=made: dw.expected_coverage(w, t)
        yield "banding", count, lambda w=weights: dw.weight_banding(w)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=7)
    given = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(("name", "materials", "median_ms", "best_ms", "megatexels_per_s"))
    for name, count, call in cases(given.side):
        call()
        taken = []
        for _ in range(given.repeats):
            begun = time.perf_counter()
            call()
            taken.append((time.perf_counter() - begun) * 1e3)
        median = statistics.median(taken)
        speed = given.side**2 / median / 1e3
        out.writerow((name, count, f"{median:.1f}", f"{min(taken):.1f}", f"{speed:.1f}"))


if __name__ == "__main__":
    main()
