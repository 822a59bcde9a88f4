# SPDX-License-Identifier: MIT
"""Times native particles: all that live, and what a view shows of them.

    .venv/bin/python bench/bench_particles_cpu.py [--threads 2] [--repeats 5] [--slots 1000000]

Rows of each kind with few slots and with many, then mixes: `water`, fishing spots of all three
variants as the hub makes them, splashes, bursts, bubbles, shimmers and ripples in four layers; and
`all`, short rows of every kind in turn. `state` gives records of 56 bytes in a fresh array, as
callers see it: the system first writes zeros to its pages; `again` gives them in an array that was
in use. `see` culls, packs sprites of 32 bytes and gives what lies in view: all of it, or a tenth of
the rows. rate: millions of slots looked at in a second, by the median; best: by the best; living:
the share of them that live. `plain` goes slot by slot, as tests compare it. `copy` writes as many
records without computing any: no state is quicker than that. A minute by default.
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
from dapplewood import _core
from dapplewood.layouts import record_dtype

C = _core.CONSTANTS
NONE = 0xFFFFFFFF
KINDS = {name: value for value, name, _ in _core.REGISTRIES["ParticleKind"][1]}
KNOTS = C["PARTICLE_KNOTS"]
NOW = 5_000_000
EVERYTHING = np.tile(np.float32([0, 0, 0, 1]), 6)  # planes that all lie inside of
WATER = {  # layer: (kind, flags, slots of the variants net, bait and fly)
    0: [("splash", 0, (4, 5, 8)), ("burst", C["PART_IS_BURST"], (2, 3, 4))],
    1: [("bubble", 0, (3, 4, 5))],
    2: [("shimmer", 0, (3, 4, 5))],
    3: [("ripple", C["PART_IS_EVEN"], (2, 2, 2))],
}


def make_part(kind: str, flags: int, layer: int) -> np.ndarray:
    part = np.zeros((), record_dtype("dw_particle_part"))
    part["kind"], part["flags"], part["layer"] = KINDS[kind], flags, layer
    part["life_least"], part["life_span"] = 40_000, 39_000
    part["gap"], part["gap_jitter"] = 400_000, 60_000
    part["opacity_curve"], part["size_curve"], part["ramp"] = 0, NONE, NONE
    part["tone"], part["opacity"], part["rise"], part["fall"] = 1, 0.9, 12, 12
    part["params"] = np.linspace(0.05, 0.3, C["PARTICLE_PARAMS"])
    return part


def make_rows(parts: np.ndarray, counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    rows = np.zeros(len(parts), record_dtype("dw_particle_emitter"))
    rows["part"], rows["count"], rows["rate"] = parts, counts, C["PARTICLE_RATE_ONE"]
    rows["key0"], rows["key1"] = rng.integers(0, 1 << 32, (2, len(rows)), dtype=np.uint32)
    rows["stop_low"] = rows["stop_high"] = NONE
    rows["position"] = rng.uniform(0, 1000, (len(rows), 3)) * [1, 0, 1]
    rows["scale"], rows["colors"], rows["bound_radius"] = 1, 0xFFEEDDCC, 1.5
    rows["extent"] = 0.5, 0.0, 1.0
    return rows


def regions_of(layers: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """All rows, each layer's padded to whole groups, and the regions."""
    regions = np.zeros(len(layers), record_dtype("dw_particle_region"))
    rows, first = [], 0
    for layer, own in enumerate(layers):
        pad = np.zeros(-len(own) % 256, own.dtype)
        pad["part"] = NONE
        regions[layer] = first, len(own)
        rows += [own, pad]
        first += len(own) + len(pad)
    return np.concatenate(rows), regions


class Case:
    def __init__(self, name: str, rows: list[np.ndarray], parts: list[np.ndarray]):
        self.name = name
        self.emitters, self.regions = regions_of(rows)
        self.parts = np.stack(parts)
        self.curves = np.linspace(1, 0, KNOTS, dtype=np.float32) ** np.float32(1.2)
        self.slots = int(self.emitters["count"][self.emitters["part"] != NONE].sum())

    def state(self, device: dw.Device, plain: bool = False, repeat: int = 1) -> float:
        """Milliseconds of the last of `repeat` calls that write to the same array."""
        found = _core.particle_state(
            device,
            self.emitters,
            self.parts,
            curves=self.curves,
            now=NOW,
            plain=plain,
            repeat=repeat,
        )
        self.living = len(found) / self.slots
        return device.timings()["particle_state"]

    def see(self, device: dw.Device, share: float) -> float:
        view = np.zeros(1, record_dtype("dw_particle_view"))
        view["planes"] = EVERYTHING
        view["planes"][0, :4] = -1, 0, 0, 1000 * share
        view["now_low"] = NOW
        view["row_count"], view["layer_count"] = len(self.emitters), len(self.regions)
        _core.particle_see(
            device, view, self.emitters, self.parts, self.regions, curves=self.curves, repeat=2
        )
        return device.timings()["particle_see"]


def kind_case(kind: str, slots: int, per_row: int) -> Case:
    rng = np.random.default_rng(1)
    count = max(slots // per_row, 1)
    rows = make_rows(np.zeros(count, np.uint32), np.full(count, per_row), rng)
    return Case(f"{kind}_{per_row}", [rows], [make_part(kind, 0, 0)])


def water_case(slots: int) -> Case:
    rng = np.random.default_rng(2)
    spots = slots // 18
    variant = rng.integers(0, 3, spots)
    layers, parts = [], []
    for layer, kinds in WATER.items():
        own = []
        for kind, flags, counts in kinds:
            part = np.uint32(len(parts)) + variant.astype(np.uint32)
            parts += [make_part(kind, flags, layer) for _ in counts]
            own.append(make_rows(part, np.array(counts)[variant], rng))
        layers.append(np.stack(own, 1).ravel())  # rows of one spot beside each other
        layers[-1]["extent"] = 0  # they surround nothing
    return Case("water", layers, parts)


def all_case(slots: int) -> Case:
    part = np.arange(slots // 8, dtype=np.uint32) % len(KINDS)
    rows = make_rows(part, np.full(len(part), 8), np.random.default_rng(3))
    return Case("all", [rows], [make_part(kind, 0, 0) for kind in KINDS])


def copy_case(records: int, is_fresh: bool) -> float:
    """Milliseconds that NumPy takes to write as many records."""
    out = np.empty((records, 14), np.uint32)
    if not is_fresh:
        out.fill(1)
    begin = time.perf_counter()
    out.fill(7)
    return 1e3 * (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--slots", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", help="cases by name, with commas between them")
    options = parser.parse_args()
    cases = [water_case(options.slots), all_case(options.slots)]
    cases += [kind_case(kind, options.slots, n) for kind in KINDS for n in (8, 4096)]
    if options.only is not None:
        cases = [case for case in cases if case.name in options.only.split(",")]
    table = csv.writer(sys.stdout)
    table.writerow(["case", "what", "threads", "slots", "ms", "rate", "best", "living"])

    def say(name: str, what: str, case: Case | None, measure: Callable[[], float]) -> None:
        slots = options.slots if case is None else case.slots
        times = [measure() for _ in range(options.repeats)]
        middle, best = statistics.median(times), min(times)
        rates = [f"{1e-3 * slots / t:.1f}" for t in (middle, best)]
        living = "" if case is None else f"{case.living:.3f}"
        threads = 1 if case is None else options.threads
        table.writerow([name, what, threads, slots, f"{middle:.2f}", *rates, living])
        sys.stdout.flush()

    say("copy", "fresh", None, lambda: copy_case(options.slots, True))
    say("copy", "again", None, lambda: copy_case(options.slots, False))
    with dw.Device("cpu", threads=options.threads) as device:
        for case in cases:
            say(case.name, "state", case, lambda: case.state(device))
            say(case.name, "again", case, lambda: case.state(device, repeat=2))
            say(case.name, "see", case, lambda: case.see(device, 1))
            if case.name == "water":
                say("water", "see_tenth", case, lambda: case.see(device, 0.1))
                say("water", "plain", case, lambda: case.state(device, plain=True))


if __name__ == "__main__":
    main()
