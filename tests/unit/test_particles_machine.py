# SPDX-License-Identifier: MIT
"""The particle hub under random use, against a hub that is made anew from what should be there."""

from __future__ import annotations

import random

import dapplewood as dw
import pytest
from helpers_hub import by_id

EFFECTS = ("water_net", "water_fly", "glow_altar", "glow_torch", "magic_enchant")
LAYERS = ("splash", "bubble", "shimmer", "ripple", "pillar", "wisp", "spark", "base", "flame",
          "magic")  # fmt: skip


class Model:
    """What should be there: effect, place and the time of registration of each id."""

    def __init__(self, device, seed):
        self.device, self.rng = device, random.Random(seed)
        self.pm = dw.ParticleManager(device, seed=seed)
        self.there = {}
        self.time = 0.0

    def place(self):
        return tuple(self.rng.randrange(-64, 64) / 8 for _ in range(3))

    def some_ids(self):
        return self.rng.sample(range(300), self.rng.choice((1, 1, 3, 40, 150)))

    def do_register(self):
        ids, effect = self.some_ids(), self.rng.choice(EFFECTS)
        places = [self.place() for _ in ids]
        slots = self.pm.register_many(ids, places, dw.EffectConfig(None, effect))
        assert (slots == dw.effect(effect).count).all()
        self.there.update((id, (effect, at, self.time)) for id, at in zip(ids, places))

    def do_unregister(self):
        ids = self.some_ids()
        known = self.pm.unregister_many(ids)
        assert known.tolist() == [self.there.pop(id, None) is not None for id in ids]

    def do_move(self):
        ids = self.some_ids()
        places = [self.place() for _ in ids]
        known = self.pm.move_many(ids, places)
        assert known.tolist() == [id in self.there for id in ids]
        for id, at in zip(ids, places):
            if id in self.there:
                self.there[id] = self.there[id][0], at, self.there[id][2]

    def do_emit(self):
        id, count = self.rng.randrange(300), self.rng.randrange(40)
        assert self.pm.emit(id, count) == (count if id in self.there else 0)

    def do_update(self):
        dt = self.rng.randrange(1, 200) / 64
        self.pm.update(dt)
        self.time += dt

    def check(self):
        self.pm.update(600.0)  # when all shots are over
        self.time += 600.0
        anew = dw.ParticleManager(self.device, seed=self.pm.seed)
        for id, (effect, at, time) in sorted(self.there.items()):
            anew.seek(time)
            anew.register(id, dw.EffectConfig(at, effect))
        anew.seek(self.time)
        assert anew.tick == self.pm.tick and anew.stats() == self.pm.stats()
        assert set(self.pm.ids) == set(self.there) and len(self.pm) == len(self.there)
        for layer in LAYERS:
            assert by_id(self.pm, layer) == by_id(anew, layer), layer


@pytest.mark.parametrize("seed", range(6))
def test_what_is_there_is_what_was_registered(native_device, seed):
    model = Model(native_device, seed)
    actions = [model.do_register, model.do_unregister, model.do_move, model.do_emit,
               model.do_update]  # fmt: skip
    for _ in range(3):
        for _ in range(25):
            model.rng.choice(actions)()
        model.check()


@pytest.mark.parametrize("seed", range(4))
def test_counts_under_limits_are_those_of_a_model(native_device, seed):
    """Slots are given in the order of the effect's parts, until a layer has no more."""
    rng = random.Random(seed)
    limits = {"splash": 40, "bubble": 17, "shimmer": None, "ripple": 11}
    pm = dw.ParticleManager(native_device, capacity="partial", limits=limits)
    had = {}
    most_dropped = 0

    def drop(id):
        for layer, wanted, got in had.pop(id, ()):
            used[layer] -= got
            asked[layer] -= wanted

    used, asked = dict.fromkeys(limits, 0), dict.fromkeys(limits, 0)
    for _ in range(120):
        id, name = rng.randrange(12), rng.choice(("water_net", "water_bait", "water_fly"))
        if rng.random() < 0.4:
            assert pm.unregister(id) == (id in had)
            drop(id)
        else:
            slots = pm.register(id, dw.EffectConfig((0, 0, 0), name))
            drop(id)
            rows = []
            for part in dw.effect(name).parts:
                layer = part.layer.name.lower()
                most = limits[layer]
                room = part.count if most is None else min(part.count, most - used[layer])
                used[layer] += room
                asked[layer] += part.count
                rows.append((layer, part.count, room))
            had[id] = rows
            assert slots == sum(row[2] for row in rows)
        stats = pm.stats()
        most_dropped = max(most_dropped, stats.dropped)
        for layer in limits:
            row = stats.layers.get(layer, dw.LayerStats(0, 0, 0, 0, 0, 0))
            assert (row.requested, row.allocated) == (asked[layer], used[layer])
            assert row.dropped == asked[layer] - used[layer]
    assert most_dropped > 0
