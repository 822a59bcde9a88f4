# SPDX-License-Identifier: MIT
"""What tests read of a particle hub."""

from __future__ import annotations


def by_id(pm, layer):
    """Particles of each id without the rows that they have."""
    state, ids = pm.state(layer), pm.emitter_ids(layer)
    found = {}
    for record in state:
        plain = record.copy()
        plain["emitter"] = 0
        found.setdefault(ids[record["emitter"]], []).append(plain.tobytes())
    return {id: sorted(rows) for id, rows in found.items()}
