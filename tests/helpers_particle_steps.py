# SPDX-License-Identifier: MIT
"""Rows of particles with state as the core takes them, and what they show."""

from __future__ import annotations

from typing import Any

import numpy as np
from dapplewood import _core
from dapplewood.layouts import record_dtype

C = _core.CONSTANTS
NONE = 0xFFFFFFFF
STEP = C["PARTICLE_STEP"]
SECOND = 65536
GROUP = C["PARTICLE_STATE_GROUP"]
SKIN = C["PARTICLE_SKIN"]


def make_law(**fields: Any) -> np.ndarray:
    """Births at one place, at rest, without forces."""
    law = np.zeros((), record_dtype("dw_particle_law"))
    law["axis_x"], law["axis_y"], law["axis_z"] = np.eye(3)
    law["children"], law["impact"] = 1, 0.5
    for name, value in fields.items():
        law[name] = value
    return law


def make_collider(kind: str, **fields: Any) -> np.ndarray:
    collider = np.zeros((), record_dtype("dw_particle_collider"))
    collider["kind"] = C[f"COLLIDER_{kind}"]
    collider["axis_x"], collider["axis_y"], collider["axis_z"] = np.eye(3)
    collider["size"] = 1.0
    for name, value in fields.items():
        collider[name] = value
    return collider


class World:
    """Rows with state, one emitter and one part each."""

    def __init__(self) -> None:
        self.emitters, self.parts, self.laws, self.rows = [], [], [], []
        self.colliders: list[np.ndarray] = []
        self.heights = np.zeros(0, np.float32)

    def add(
        self,
        count: int,
        life: tuple[float, float],
        law: np.ndarray,
        colliders: tuple[np.ndarray, ...] = (),
        **more: Any,
    ) -> int:
        """life: least and most in s. more: once, position, parent, is_parent, seed, flags."""
        e = np.zeros((), record_dtype("dw_particle_emitter"))
        part = np.zeros((), record_dtype("dw_particle_part"))
        part["flags"] = more.get("flags", C["PART_IS_DYNAMIC"])
        part["life_least"] = round(life[0] * SECOND)
        part["life_span"] = round((life[1] - life[0]) * SECOND)
        flags = C["EMITTER_IS_ONCE"] if more.get("once") else 0
        e["part"], e["count"] = len(self.parts) | int(flags) << 16, count
        e["key0"] = (17 + len(self.parts) + 1000 * more.get("seed", 0)) % 2**32
        e["key1"] = 4711
        e["rate"], e["scale"] = more.get("rate", 65536), more.get("scale", 1.0)
        e["stop_low"] = e["stop_high"] = NONE
        e["position"] = more.get("position", (0, 0, 0))
        law = law.copy()
        law["first_collider"], law["collider_count"] = len(self.colliders), len(colliders)
        self.colliders += colliders
        self.rows.append(
            (len(self.emitters), len(self.laws), count, more.get("parent", NONE),
             int(more.get("is_parent", False)))
        )  # fmt: skip
        self.emitters.append(e)
        self.parts.append(part)
        self.laws.append(law)
        return len(self.rows) - 1

    def first(self, row: int) -> int:
        return sum(-(-r[2] // GROUP) * GROUP for r in self.rows[:row])

    def run(self, device: Any, ticks: Any, **more: Any) -> Any:
        """(ticks, words, slots) of what is shown, and how many steps were skipped."""
        colliders = np.zeros(len(self.colliders), record_dtype("dw_particle_collider"))
        for i, collider in enumerate(self.colliders):
            colliders[i] = collider
        return _core.particle_steps(
            device,
            np.array(self.emitters),
            np.array(self.parts),
            np.array(self.laws),
            colliders,
            self.heights,
            np.array(self.rows, np.uint32),
            np.asarray(ticks, np.uint64),
            **more,
        )

    def show(self, device: Any, ticks: Any, row: int = 0) -> list[dict[str, np.ndarray]]:
        """The living slots of a row at each tick."""
        shown, _ = self.run(device, ticks)
        begin, count = self.first(row), self.rows[row][2]
        return [living(words[:, begin : begin + count]) for words in shown]


def living(words: np.ndarray) -> dict[str, np.ndarray]:
    slots = np.flatnonzero(words[0])
    words = np.ascontiguousarray(words[:, slots])
    return {
        "slot": slots,
        "cycle": words[1],
        "age": words[2],
        "life": words[3],
        "position": words[4:7].view(np.float32).T.astype(float),
    }
