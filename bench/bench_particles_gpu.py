# SPDX-License-Identifier: MIT
"""Times what a view of particles takes on a Vulkan device, by the device's own clock.

    .venv/bin/python bench/bench_particles_gpu.py [--device gpu] [--particles 10000000] [--check]

Each case has as many slots as asked for: emitters of 100 slots with one part of an effect each, and
the rows of fishing spots, which have 2 to 8. Views keep all of them, or look through a camera that
stands among them. A row is a step: `expand` makes sprites out of slots, `host` is the time that
update, recording and submission take a processor; `total` is the sum of the device's steps, and
`fill` what filling the room for all sprites takes, the least there can be. Medians of many frames,
after a second in which a card raises its clocks. --check compares the bytes of every case with
native ones first, at a hundredth of the size.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import statistics
import sys
import time
from typing import Any

import dapplewood as dw
import numpy as np
from dapplewood import _core
from dapplewood.camera import Camera
from dapplewood.layouts import record_dtype

C = _core.CONSTANTS
NONE, GROUP, KNOTS = C["PARTICLE_NONE"], 256, C["PARTICLE_KNOTS"]
SECOND = 65536
SPRITE_BYTES = 32
STEPS = (
    "emitters", "scan", "expand", "totals", "list", "sort", "host", "sent", "allocations", "used",
    "fill",
)  # fmt: skip
CASES = {  # an effect, and the kind of one part of it or None: all of them
    "splash": ("water_bait", "splash"),
    "shimmer": ("water_bait", "shimmer"),
    "wisp": ("glow_altar", "wisp"),
    "flame": ("glow_fire", "flame"),
    "water": ("water_fly", None),
    "water_narrow": ("water_fly", None),
    "sorted": ("water_bait", "bubble"),
}
SLOTS = 100  # of an emitter with one part
WARM_SECONDS = 1.0
NOW = 1000 * SECOND + 12345
WORDS = {
    name: {word: value for value, word, _ in _core.REGISTRIES[name][1]}
    for name in ("ParticleKind", "ParticleLayer")
}


@dataclasses.dataclass
class Row:
    """One line of the table."""

    device: str
    case: str
    view: str
    emitters: int
    slots: int
    sprites: int
    step: str
    median: float
    best: float
    unit: str


@dataclasses.dataclass
class Tables:
    """Arguments of `_core.particle_see`."""

    emitters: np.ndarray
    parts: np.ndarray
    regions: np.ndarray
    curves: np.ndarray
    colors: np.ndarray
    sorted_layers: int = 0

    @property
    def arguments(self) -> tuple[tuple[np.ndarray, ...], dict[str, Any]]:
        more = {"curves": self.curves, "colors": self.colors}
        return (self.emitters, self.parts, self.regions), more


def make_part(word: dict[str, Any], curves: list[np.ndarray], colors: list[np.ndarray]):
    """The record of a built-in part; its curves and colours go to the tables."""
    part = np.zeros((), record_dtype("dw_particle_part"))
    least, most = (round(x * SECOND) for x in word["lifetime"])
    part["kind"] = WORDS["ParticleKind"][word["kind"]]
    part["life_least"], part["life_span"] = least, most - least
    part["tone"] = word["tone"]
    part["opacity"], part["rise"], part["fall"] = word["opacity"], word["rise"], word["fall"]
    part["frames"] = 1 << 16
    for name in ("opacity_curve", "size_curve"):
        part[name] = NONE if word[name] is None else KNOTS * len(curves)
        curves += [] if word[name] is None else [word[name]]
    part["ramp"] = NONE
    if word["ramp"] is not None:
        part["ramp"], part["ramp_count"] = sum(map(len, colors)), len(word["ramp"])
        colors.append(np.ascontiguousarray(word["ramp"]).view(np.uint32).ravel())
    if word["burst"] is not None:
        low, high = (x * SECOND for x in word["burst"])
        part["flags"] |= C["PART_IS_BURST"]
        part["gap"], part["gap_jitter"] = (low + high) / 2, (high - low) / 4
    for i, name in enumerate(_core.PARTICLE_PARAMS[word["kind"]]):
        part["params"][i] = word["params"].get(name, 0.0)
    return part


def make_rows(rng: np.random.Generator, count: int, part: int, slots: int, places: np.ndarray):
    rows = np.zeros(-(-count // GROUP) * GROUP, record_dtype("dw_particle_emitter"))
    rows["part"][count:] = NONE
    rows = rows.copy()
    own = rows[:count]
    own["part"], own["count"], own["rate"], own["scale"] = part, slots, SECOND, 1.0
    own["key0"], own["key1"] = rng.integers(0, 1 << 32, (2, count), dtype=np.uint32)
    own["stop_low"] = own["stop_high"] = NONE
    own["position"], own["before"] = places, places
    own["colors"] = 0xFFCC8844
    own["extent"] = (0.5, 0.0, 1.0)
    own["bound_y"], own["bound_radius"] = 0.5, 2.5
    return rows


def make_tables(case: str, slots: int) -> Tables:
    """As many slots of a case as asked for; emitters in a square, two a square metre."""
    effect, kind = CASES[case]
    words = [w for w in _core.PARTICLE_EFFECTS[effect][2] if kind in (None, w["kind"])]
    counts = [SLOTS if kind is not None else w["count"] for w in words]
    emitters = max(slots // sum(counts), 1)
    rng = np.random.default_rng(1)
    side = (emitters / 2) ** 0.5
    places = rng.uniform(-side / 2, side / 2, (emitters, 3)) * [1, 0, 1]
    curves, colors, parts, rows = [], [], [], []
    regions = np.zeros(len(words), record_dtype("dw_particle_region"))
    for i, word in enumerate(words):
        parts.append(make_part(word, curves, colors))
        parts[i]["layer"] = i
        regions[i] = sum(map(len, rows)), emitters
        rows.append(make_rows(rng, emitters, i, counts[i], places))
    curve = np.concatenate([np.zeros(0), *curves]).astype(np.float32)
    color = np.concatenate([np.zeros(0, np.uint32), *colors])
    return Tables(
        np.concatenate(rows), np.stack(parts), regions, curve, color, int(case == "sorted")
    )


def make_view(tables: Tables, name: str) -> np.ndarray:
    view = np.zeros(1, record_dtype("dw_particle_view"))
    half = float(tables.emitters["position"][:, 0].max())
    camera = Camera((0.3 * half, 4.0, 0.1 * half), (half, 0.0, 0.0), near=0.1, far=2 * half + 1)
    view["planes"] = np.tile([0, 0, 0, 1], 6) if name == "all" else camera.planes(1.5).ravel()
    view["camera"] = camera.position
    view["now_low"] = NOW & NONE
    return view


def see(device: dw.Device, tables: Tables, view: np.ndarray, **more: Any) -> dict[str, Any]:
    arrays, extras = tables.arguments
    return _core.particle_see(
        device, view, *arrays, **extras, sorted_layers=tables.sorted_layers, **more
    )


def check(device: dw.Device, slots: int) -> None:
    """Bytes of every case on both backends."""
    with dw.Device("cpu") as native:
        for case in CASES:
            tables = make_tables(case, slots)
            for name in ("all", "camera"):
                view = make_view(tables, name)
                mode = int(case.endswith("narrow"))
                wanted, got = see(native, tables, view), see(device, tables, view, mode=mode)
                assert len(wanted["sprites"]) > 0, (case, name)
                for field in ("sprites", "count", "candidates", "rows"):
                    assert got[field].tobytes() == wanted[field].tobytes(), (case, name, field)
            arrays, extras = tables.arguments
            states = [
                _core.particle_state(each, *arrays[:2], **extras, now=NOW)
                for each in (native, device)
            ]
            assert states[0].tobytes() == states[1].tobytes(), case
            print(f"{case}: {len(states[0])} particles alike", file=sys.stderr)


class Bench:
    """Rows, and how they are taken."""

    def __init__(self, device: dw.Device, slots: int, frames: int) -> None:
        self.device, self.slots, self.frames = device, slots, frames
        self.rows: list[Row] = []

    def add(self, where: tuple, step: str, values: Any, unit: str = "ms") -> None:
        middle, best = round(statistics.median(values), 5), round(min(values), 5)
        self.rows.append(Row(self.device.info.name, *where, step, middle, best, unit))

    def view(self, case: str, name: str, tables: Tables) -> None:
        seen = see(
            self.device, tables, make_view(tables, name), repeat=self.frames,
            mode=int(case.endswith("narrow")),
        )  # fmt: skip
        frames = seen["frames"][self.frames // 2 :]
        if tables.sorted_layers == 0:
            frames[:, STEPS.index("sort")] = 0  # the clock's last reading is of another case
        alive = int((tables.emitters["part"] != NONE).sum())
        where = (case, name, alive, int(seen["candidates"].sum()), len(seen["sprites"]))
        units = {"sent": "bytes", "allocations": "blocks", "used": "bytes"}
        for i, step in enumerate(STEPS):
            self.add(where, step, frames[:, i], units.get(step, "ms"))
        self.add(where, "total", frames[:, :6].sum(1))
        expand, total = (np.median(x) for x in (frames[:, 2], frames[:, :6].sum(1)))
        print(f"{where}: expand {expand:.4f} ms, total {total:.4f} ms", file=sys.stderr)

    def run(self, cases: list[str]) -> None:
        end = time.perf_counter() + WARM_SECONDS
        while time.perf_counter() < end:
            _core.device_copy(self.device, min(self.slots * SPRITE_BYTES, 1 << 26))
        for case in cases:
            tables = make_tables(case, self.slots)
            for name in ("all", "camera"):
                self.view(case, name, tables)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="gpu")
    parser.add_argument("--particles", type=int, default=10_000_000)
    parser.add_argument("--frames", type=int, default=60)
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(arguments)
    with dw.Device(options.device) as device:
        if options.check:
            check(device, max(options.particles // 100, 5000))
        bench = Bench(device, options.particles, options.frames)
        bench.run(options.cases)
    table = csv.writer(sys.stdout)
    table.writerow([field.name for field in dataclasses.fields(Row)])
    table.writerows(dataclasses.astuple(row) for row in bench.rows)


if __name__ == "__main__":
    main()
