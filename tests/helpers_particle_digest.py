# SPDX-License-Identifier: MIT
"""Digests of what native particles are, to compare builds: every kind, and all kinds in one table.

    PYTHONPATH=python:tests python -m helpers_particle_digest
"""

from __future__ import annotations

import hashlib
import json

import dapplewood as dw
import numpy as np
from helpers_particle_tables import KINDS, Tables, make_tables, make_view

TICKS = (70_000, 2**32 + 7, 2**52 - 1)


def digest_of(device: dw.Device, tables: Tables, now: int) -> str:
    camera = np.float32([1, 3, -2])
    planes = np.tile(np.float32([0, 0, 0, 1]), 6)
    planes[:4] = 1, 0, 0, 10  # x >= -10
    view = make_view(camera, planes, now, len(tables.regions), len(tables.emitters))
    found = hashlib.sha256(tables.state(device, now, camera=camera).tobytes())
    found.update(tables.see(device, view, sorted_layers=2)["sprites"].tobytes())
    return found.hexdigest()


def make_digests() -> dict[str, str]:
    rng = np.random.default_rng(20)
    tables = {name: make_tables(rng, kinds=[kind], slots=20) for name, kind in KINDS.items()}
    tables["all"] = make_tables(rng, layer_rows=(700, 300))
    with dw.Device("cpu") as device:
        return {
            f"{name} {now}": digest_of(device, own, now)
            for name, own in tables.items()
            for now in TICKS
        }


if __name__ == "__main__":
    print(json.dumps(make_digests()))
