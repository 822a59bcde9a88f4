# SPDX-License-Identifier: MIT
"""A forest's views by brute force in NumPy, and forests to compare with it."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
from dapplewood.layouts import record_dtype

F32 = np.float32
TICKS = 65536
OUTSIDE, FADED, CROSSED = range(3)


def card(width: float = 2.0, height: float = 6.0) -> dw.Mesh:
    """A triangle that stands on the ground."""
    return dw.Mesh(np.array([[-width / 2, 0, 0], [width / 2, 0, 0], [0, height, 0]], np.float32))


def look(position, direction, *, fov: float = 1.2, far: float = 300.0) -> np.ndarray:
    """(6, 4) planes of a symmetrical view with a horizontal `direction` in radians."""
    forward = np.array([np.sin(direction), 0.0, np.cos(direction)])
    right = np.array([np.cos(direction), 0.0, -np.sin(direction)])
    up = np.array([0.0, 1.0, 0.0])
    s, c = np.sin(fov / 2), np.cos(fov / 2)
    normals = [s * forward + c * right, s * forward - c * right]
    normals += [s * forward + c * up, s * forward - c * up, forward, -forward]
    offsets = [-np.dot(n, position) for n in normals]
    offsets[4] -= 0.1
    offsets[5] += far
    return np.column_stack([np.array(normals), np.array(offsets)])


def random_transforms(rng, count: int, extent: float) -> np.ndarray:
    """Trees turned about y, scaled unevenly, on uneven ground."""
    turn = rng.uniform(0, 2 * np.pi, count)
    scale = rng.uniform(0.4, 2.5, (count, 3))
    m = np.zeros((count, 4, 4))
    m[:, 0, 0], m[:, 0, 2] = np.cos(turn), np.sin(turn)
    m[:, 2, 0], m[:, 2, 2] = -np.sin(turn), np.cos(turn)
    m[:, 1, 1] = 1
    m[:, :3, :3] *= scale[:, None, :]
    m[:, :3, 3] = rng.uniform(-extent, extent, (count, 3)) * [1, 0.02, 1]
    m[:, 3, 3] = 1
    return m


def discard_count(rule: str, ranks: int, amount: np.ndarray) -> np.ndarray:
    """Ranks that go, from the definition of each rule."""
    a = np.clip(amount.astype(np.float64), 0, 1)
    if rule == "seed":
        found = np.where(a >= np.float64(F32(0.001)), np.floor(a * ranks) + 1, 0)
    elif rule == "strict":
        found = np.ceil(a * ranks)
    else:
        found = np.maximum(0, np.ceil(a * ranks - 0.5))
    return np.minimum(found, ranks).astype(int)


def _ramp(offset: np.ndarray, share: np.float32) -> np.ndarray:
    t = (offset * share).astype(F32)
    with np.errstate(over="ignore", invalid="ignore"):
        ramp = (t * t) * (F32(3) - (t + t))
    return np.where(t < F32(2.0**-20), F32(0), np.where(t >= 1, F32(1), ramp)).astype(F32)


class Model:
    """What a view remembers, by row, in other terms than the core's: a cross-fade is two meshes
    that have the low and the high ranks, how many ticks the low one is in, and the way it goes."""

    def __init__(self, forest: dw.Forest, *, lods: list, distances, **options):
        self.forest, self.lods = forest, lods  # lods[variant][lod]: whether there is a mesh
        self.lod_count = len(lods[0])
        self.options = {
            "fade": (1000, 1200), "near_fade": None, "crossfade": 0.25, "hysteresis": 0.9,
            "rule": "centred", "combine": "max", "ranks": 16, "uniform": True, **options,
        }  # fmt: skip
        self.distances = np.array([0.0, *distances])
        self.rows: dict[int, dict] = {}
        self.last_ticks = None
        self.mesh = [[self._mesh(row, lod) for lod in range(self.lod_count)] for row in lods]

    @staticmethod
    def _mesh(has: list, lod: int) -> int:
        finer = [i for i in range(lod, -1, -1) if has[i]]
        coarser = [i for i in range(lod, len(has)) if has[i]]
        return (finer + coarser)[0]

    def _wanted(self, d2: np.float32, scale2: np.float32, lod: int | None) -> int:
        keep = self.options["hysteresis"]
        found = 0
        for i in range(1, self.lod_count):
            share = keep if lod is not None and i <= lod else 1.0
            if d2 >= F32((share * self.distances[i]) ** 2) * scale2:
                found = i
        return found

    def _step(self, row: int, key: tuple, variant: int, d2, scale2, ticks: int, elapsed: int):
        length = int(self.options["crossfade"] * TICKS + 0.5)
        state = self.rows.get(row)
        if state is None or state["key"] != key:
            lod = self._wanted(d2, scale2, None)
            self.rows[row] = {"key": key, "lod": lod, "fade": None}
            return self.rows[row]
        wanted, mesh = self._wanted(d2, scale2, state["lod"]), self.mesh[variant]
        fade = state["fade"]
        if fade is not None:
            fade["shown"] += fade["way"] * elapsed
            in_flight = range(length) if fade["way"] > 0 else range(1, length + 1)
            fade = fade if fade["shown"] in in_flight else None
        old = state["lod"]
        if mesh[wanted] != mesh[old]:
            if elapsed <= 0 or length == 0:
                fade = None
            elif fade is None:
                fade = {"high": mesh[old], "low": mesh[wanted], "shown": 0, "way": 1}
            else:
                gone = "high" if fade["way"] > 0 else "low"  # the one that goes
                come = "low" if fade["way"] > 0 else "high"
                share = fade["shown"] if come == "low" else length - fade["shown"]
                if fade[gone] == mesh[wanted]:
                    fade["way"] = -fade["way"]
                elif 2 * share >= length:  # the one that comes stays, the other is replaced
                    fade[gone] = mesh[wanted]
                    fade["way"] = -fade["way"]
                else:
                    fade[come] = mesh[wanted]
        state["lod"], state["fade"] = wanted, fade
        return state

    def view(self, position, planes: np.ndarray, dissolves: np.ndarray):
        """(counts of all lists and counters, entries) of a view now. dissolves: amounts by row."""
        ids, raw, infos, _ = self.forest._table()
        records = raw.view(record_dtype("dw_forest_record"))[:, 0]
        ticks = self.forest._ticks
        elapsed = 1 if self.last_ticks is None else ticks - self.last_ticks
        self.last_ticks = ticks
        normal = np.linalg.norm(planes[:, :3], axis=1)
        unit = (planes / np.where(normal > 0, normal, 1)[:, None]).astype(F32)
        dx, dz = records["x"] - F32(position[0]), records["z"] - F32(position[2])
        d2 = (dx * dx + dz * dz).astype(F32)
        amounts = self._amounts(d2)
        lists: list[list] = [[] for _ in range(2 * self.lod_count * len(self.lods))]
        extra = [0, 0, 0]
        for row in range(len(ids)):
            record = records[row]
            if record["radius"] < 0:
                self.rows.pop(row, None)
                continue
            variant = int(infos[row] & 255)
            key = (int(ids[row]), int(infos[row] >> 24))
            state = self._step(row, key, variant, d2[row], record["scale2"], ticks, elapsed)
            if self._is_outside(record, unit):
                extra[OUTSIDE] += 1
                continue
            self._list(row, variant, state, amounts[row], dissolves[row], lists, extra)
        counts = [len(entries) for entries in lists] + extra
        return counts, [entry for entries in lists for entry in entries]

    @staticmethod
    def _is_outside(record, unit: np.ndarray) -> bool:
        for nx, ny, nz, offset in unit:
            height = nx * record["sphere_x"] + ny * record["sphere_y"] + nz * record["sphere_z"]
            if F32(F32(height + offset) + record["radius"]) < 0:
                return True
        return False

    def _both(self, a, b):
        if self.options["combine"] == "multiply":
            return (a * (F32(1) - b) + b).astype(F32)
        return np.maximum(a, b)

    def _amounts(self, d2: np.ndarray) -> np.ndarray:
        far = near = np.zeros_like(d2)
        if self.options["fade"]:
            begin, end = self.options["fade"]
            far = _ramp(d2 - F32(begin**2), F32(1 / (end**2 - begin**2)))
        if self.options["near_fade"]:
            begin, end = self.options["near_fade"]
            near = _ramp(F32(end**2) - d2, F32(1 / (end**2 - begin**2)))
        return self._both(far, near)

    def _list(self, row, variant, state, amount, dissolve, lists, extra) -> None:
        ranks, rule = self.options["ranks"], self.options["rule"]
        is_soft = not self.options["uniform"] and dissolve > 0
        if not is_soft:
            amount = self._both(np.array([amount], F32), np.array([dissolve], F32))[0]
        hide = int(discard_count(rule, ranks, np.array([amount], F32))[0])
        if hide >= ranks:
            extra[FADED] += 1
            return

        def put(mesh: int, is_fading: bool, fade: int) -> None:
            lists[(variant * self.lod_count + mesh) * 2 + is_fading].append((row, fade))

        fade = state["fade"]
        if fade is None:
            put(self.mesh[variant][state["lod"]], hide > 0 or is_soft, hide)
            return
        length = int(self.options["crossfade"] * TICKS + 0.5)
        share = F32(fade["shown"]) * F32(1 / length)
        cross = int(discard_count("centred", ranks, np.array([share], F32))[0])
        if cross <= hide:
            put(fade["high"], hide > 0 or is_soft, hide)
        elif cross >= ranks:
            put(fade["low"], hide > 0 or is_soft, hide)
        else:
            extra[CROSSED] += 1
            put(fade["high"], True, hide | cross << 15 | 1 << 31)
            put(fade["low"], True, hide | cross << 15 | 1 << 31 | 1 << 30)


def amounts_of(lists: dw.ForestLists) -> np.ndarray:
    """The dissolve amount of each row, as the view left it."""
    return np.ascontiguousarray(lists.states["dissolve"]).view(F32)


def kept(fade: int, ranks: int) -> np.ndarray:
    """Which ranks of an entry are drawn."""
    rank = np.arange(ranks)
    cross, is_low = fade >> 15 & 0x7FFF, fade >> 30 & 1
    found = rank >= (fade & 0x7FFF)
    if fade >> 31 & 1:
        found &= (rank < cross) if is_low else (rank >= cross)
    return found


def assert_partition(lists: dw.ForestLists, ranks: int) -> None:
    """Every listed instance has each of the ranks that fades leave to it exactly once."""
    rows, fades = lists.entries["row"], lists.entries["fade"].astype(int)
    order = np.argsort(rows, kind="stable")
    sorted_rows = rows[order]
    starts = np.flatnonzero(np.r_[True, sorted_rows[1:] != sorted_rows[:-1]])
    for start, end in zip(starts, np.r_[starts[1:], len(rows)], strict=True):
        mine = fades[order[start:end]]
        assert len(mine) in (1, 2)
        drawn = sum(kept(fade, ranks).astype(int) for fade in mine)
        assert (drawn == (np.arange(ranks) >= (mine[0] & 0x7FFF))).all(), sorted_rows[start]


def assert_equals_model(lists: dw.ForestLists, wanted) -> None:
    counts, entries = wanted
    assert lists.buckets["count"].tolist() == counts
    firsts = np.r_[0, np.cumsum(counts[:-4])] if len(counts) > 4 else np.zeros(1)
    assert lists.buckets["first"][: len(counts) - 3].tolist() == firsts.tolist()
    assert lists.entries.tolist() == entries


def assert_same(one: dw.ForestLists, other: dw.ForestLists) -> None:
    """Byte for byte."""
    for name in ("buckets", "entries", "states", "commands"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.shape == b.shape, name
        assert a.tobytes() == b.tobytes(), f"{name}: {np.flatnonzero(a != b)[:10]}"
