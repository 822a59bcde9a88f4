# SPDX-License-Identifier: MIT
"""Tables of particles as the core takes them, at random, and what a view shows of them in NumPy."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from dapplewood import _core
from dapplewood.layouts import record_dtype, records

C = _core.CONSTANTS
NONE = 0xFFFFFFFF
GROUP = 256  # a layer's rows begin at a multiple of it
KNOTS = C["PARTICLE_KNOTS"]
KINDS = {name: value for value, name, _ in _core.REGISTRIES["ParticleKind"][1]}
F = np.float32


@dataclasses.dataclass
class Tables:
    """What `_core.particle_state` and `_core.particle_see` take."""

    emitters: np.ndarray
    parts: np.ndarray
    regions: np.ndarray
    curves: np.ndarray
    colors: np.ndarray
    points: np.ndarray

    @property
    def extras(self) -> dict[str, np.ndarray]:
        return {"curves": self.curves, "colors": self.colors, "points": self.points}

    def state(self, device: Any, now: int, **more: Any) -> np.ndarray:
        words = _core.particle_state(
            device, self.emitters, self.parts, now=now, **self.extras, **more
        )
        return records(words, "dw_particle")

    def see(self, device: Any, view: np.ndarray, **more: Any) -> dict[str, Any]:
        seen = _core.particle_see(
            device, view, self.emitters, self.parts, self.regions, **self.extras, **more
        )
        seen["sprites"] = records(seen["sprites"], "dw_particle_sprite")
        return seen


def split(value: Any) -> tuple[np.ndarray, np.ndarray]:
    """Low and high words of 64-bit ticks."""
    value = np.asarray(value, np.uint64)
    return (value & np.uint64(NONE)).astype(np.uint32), (value >> np.uint64(32)).astype(np.uint32)


def make_part(rng: np.random.Generator, kind: int, layer: int, flags: int = 0) -> np.ndarray:
    """Any part of a kind: lives of 0.1 to 3 s, curves and ramps now and then."""
    part = np.zeros((), record_dtype("dw_particle_part"))
    part["kind"], part["layer"], part["flags"] = kind, layer, flags
    part["life_least"], part["life_span"] = rng.integers(6000, 100000, 2)
    part["gap"] = rng.integers(200000, 400000)
    part["gap_jitter"] = rng.integers(0, 60000)
    part["tone"] = rng.integers(0, 5)
    part["opacity_curve"] = rng.choice([NONE, 0, KNOTS])
    part["size_curve"] = rng.choice([NONE, 0, KNOTS])
    part["ramp"] = rng.choice([NONE, 0, 7])
    part["ramp_count"] = rng.integers(1, 20)
    part["frames"] = rng.integers(0, 8) | rng.integers(1, 16) << 16
    part["frame_rate"] = rng.choice([-1, 0, 12])
    part["opacity"] = rng.uniform(0.2, 1.5)
    part["offset"] = rng.uniform(-0.5, 0.5, 3)
    part["rise"], part["fall"] = rng.uniform(1, 12, 2)
    part["params"] = rng.uniform(0.01, 1.0, C["PARTICLE_PARAMS"])
    if kind == KINDS["ballistic"]:
        more = int(part["params"][1] * 1e4)  # of its side, and whether it is flat
        part["params"][0] = rng.integers(0, 7) + 8 * (more % 6) + 64 * (more // 6 % 2)
    if kind == KINDS["spell"]:
        part["params"][5] = rng.integers(0, 5)  # its arms
    return part


def make_rows(
    rng: np.random.Generator, count: int, parts: np.ndarray, slots: int = 9, area: float = 30.0
) -> np.ndarray:
    """Emitters of any of the parts, a few of them free, with their own clocks and moves."""
    rows = np.zeros(count, record_dtype("dw_particle_emitter"))
    flags = rng.choice([0, 0, 0, 0, 1, 2, 2, 4, 8, 16, 6], count)
    once = parts["flags"] & C["PART_IS_ONCE"] != 0
    part = rng.integers(0, len(parts), count)
    flags = np.where(once[part], flags | C["EMITTER_IS_ONCE"], flags)
    rows["part"] = part | flags << 16
    rows["part"][rng.random(count) < 0.1] = NONE
    rows["count"] = rng.integers(0, slots, count)
    rows["key0"], rows["key1"] = rng.integers(0, 1 << 32, (2, count), dtype=np.uint32)
    rows["epoch_low"] = rng.integers(0, 100000, count)
    rows["local_low"] = np.where(rng.random(count) < 0.3, rng.integers(0, 1 << 32, count), 0)
    rows["rate"] = rng.choice([65536, 65536, 32768, 100000, 0], count)
    rows["stop_low"] = rows["stop_high"] = NONE
    stopped = rng.random(count) < 0.1
    rows["stop_low"][stopped] = rng.integers(0, 400000, stopped.sum())
    rows["stop_high"][stopped] = 0
    rows["moved_low"] = rng.integers(0, 200000, count)
    rows["loop"] = np.where(rng.random(count) < 0.15, rng.integers(1, 500000, count), 0)
    rows["position"] = rng.uniform(-area, area, (count, 3)) * [1, 0.1, 1]
    rows["before"] = rows["position"] + rng.uniform(-1, 1, (count, 3))
    rows["scale"] = rng.uniform(0.5, 2.0, count)
    rows["colors"] = rng.integers(0, 1 << 32, (count, 3), dtype=np.uint32)
    rows["extent"] = rng.uniform(0.1, 2.0, (count, 3))
    rows["surface"] = rng.integers(0, 50, count)
    rows["surface_count"] = np.where(rng.random(count) < 0.3, rng.integers(1, 14, count), 0)
    rows["bound_y"], rows["bound_radius"] = 0.5, rng.uniform(1.0, 4.0, count)
    return rows


def make_tables(
    rng: np.random.Generator,
    *,
    kinds: Any = None,
    layer_rows: tuple[int, ...] = (300, 0, 40),
    slots: int = 9,
    lod: bool = True,
) -> Tables:
    """Rows of all kinds and life rules in several layers, with gaps between their regions."""
    rules = [0, C["PART_IS_EVEN"], C["PART_IS_BURST"], C["PART_IS_ONCE"]]
    ramps = [0, C["PART_IS_RAMPED"]]
    kinds = sorted(KINDS.values()) if kinds is None else kinds
    parts, rows, regions = [], [], np.zeros(len(layer_rows), record_dtype("dw_particle_region"))
    first = 0
    for layer, count in enumerate(layer_rows):
        own = np.stack(
            [make_part(rng, k, layer, r | int(rng.choice(ramps))) for k in kinds for r in rules]
        )
        if lod:
            near, far = rng.uniform(1, 20, len(own)), rng.uniform(21, 60, len(own))
            own["lod_far2"] = np.where(rng.random(len(own)) < 0.7, far**2, 0)
            own["lod_scale"] = 1 / (far**2 - near**2)
        regions[layer] = first, count
        here = make_rows(rng, count, own, slots)
        shift = np.where(here["part"] == NONE, 0, sum(map(len, parts)))
        here["part"] += shift.astype(np.uint32)
        room = -(-count // GROUP) * GROUP - count
        gap = np.zeros(room, here.dtype)
        gap["part"] = NONE
        parts.append(own)
        rows += [here, gap]
        first += count + room
    return Tables(
        emitters=np.concatenate(rows),
        parts=np.concatenate(parts),
        regions=regions,
        curves=rng.uniform(0, 1, 2 * KNOTS).astype(F),
        colors=rng.integers(0, 1 << 32, 7 + KNOTS, dtype=np.uint32),
        points=rng.uniform(-1, 1, (64, 3)).astype(F),
    )


def make_view(camera: Any, planes: np.ndarray, now: int, layers: int, rows: int) -> np.ndarray:
    view = np.zeros(1, record_dtype("dw_particle_view"))
    view["planes"] = np.asarray(planes, F).ravel()
    view["camera"] = camera
    view["now_low"], view["now_high"] = split(now)
    view["row_count"], view["layer_count"] = rows, layers
    return view


# ---- what a view shows, in float32 as the core does it ----


def _inside(plane: np.ndarray, at: np.ndarray, radius: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis(at * plane[:3], -1, 0)
    return ((x + y) + z) + plane[3] >= -radius


def _distance2(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis((a - b) * (a - b), -1, 0)
    return (x + y) + z


def kept_of_rows(tables: Tables, view: np.ndarray) -> np.ndarray:
    """256ths of the slots that each row keeps."""
    rows, planes = tables.emitters, view["planes"][0].reshape(6, 4)
    is_free = rows["part"] == NONE
    part = tables.parts[np.where(is_free, 0, rows["part"] & 0xFFFF)]
    flags = rows["part"] >> 16
    is_in = np.ones(len(rows), bool)
    for plane in planes:
        is_here = [
            _inside(plane, at + np.array([0, 1, 0], F) * rows["bound_y"][:, None],
                    rows["bound_radius"])
            for at in (rows["position"], rows["before"])
        ]  # fmt: skip
        is_in &= is_here[0] | (is_here[1] & (flags & C["EMITTER_IS_TRAIL"] != 0))
    share = (part["lod_far2"] - _distance2(rows["position"], view["camera"][0])) * part["lod_scale"]
    whole = np.clip(share * F(4294967040.0), 0, 4294967040).astype(np.uint64)
    fading = ((rows["count"].astype(np.uint64) << np.uint64(8)) * whole) >> np.uint64(32)
    fading[share <= 0] = 0
    all_of = rows["count"].astype(np.uint64) << np.uint64(8)
    is_view = part["flags"] & C["PART_IS_VIEW"] != 0
    kept = np.where((part["lod_far2"] == 0) | (share >= 1) | is_view, all_of, fading)
    gone = is_free | (flags & C["EMITTER_IS_HIDDEN"] != 0) | ~(is_in | is_view)
    return np.where(gone, 0, kept).astype(np.int64)


def seen_of_state(tables: Tables, view: np.ndarray, state: np.ndarray) -> tuple:
    """Indices into `state` of what a view shows, by row and slot, and the opacities then."""
    kept = kept_of_rows(tables, view)[state["emitter"]]
    slot = state["slot"].astype(np.int64)
    share = np.where(slot == kept >> 8, kept & 255, 256).astype(F) * F(1 / 256)
    opacity = state["opacity"] * share
    sizes = [F(C[name]) for name in ("PARTICLE_REACH", "PARTICLE_STRETCH_MOST")]
    reach = state["size"] * np.where(state["axis"] == 0, *sizes)
    is_seen = (slot < (kept + 255) >> 8) & (opacity >= F(2.0**-14)) & (state["size"] > 0)
    for plane in view["planes"][0].reshape(6, 4):
        is_seen &= _inside(plane, state["position"], reach)
    return np.flatnonzero(is_seen), opacity[is_seen]


def sprites_of_state(state: np.ndarray, opacity: np.ndarray) -> np.ndarray:
    out = np.zeros(len(state), record_dtype("dw_particle_sprite"))
    half = opacity.astype(np.float16).view(np.uint16).astype(np.uint32)
    share = shares_of(state["age"], state["lifetime"])
    out["position"], out["size"], out["color"] = state["position"], state["size"], state["color"]
    out["opacity"] = half | state["turn"] & 0xFFFF0000
    out["frame"] = state["frame"] & 0xFFFF | (share >> 8).astype(np.uint32) << 16
    out["axis"] = state["axis"]
    return out


def shares_of(age: np.ndarray, life: np.ndarray) -> np.ndarray:
    """2^24 age / life, for lives below 2^20 ticks."""
    return (age.astype(np.uint64) << np.uint64(24)) // life.astype(np.uint64)


def depth_keys(at: np.ndarray, camera: np.ndarray) -> np.ndarray:
    """The farther, the lower."""
    bits = _distance2(at, camera).view(np.uint32).astype(np.int64)
    return 0xFFFF - np.clip(bits - 0x3B800000 >> 12, 0, 0xFFFF)
