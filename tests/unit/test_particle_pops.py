# SPDX-License-Identifier: MIT
"""Nothing of the built-in effects jumps: not in time, not where a loop closes, not by distance."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from dapplewood.layouts import record_dtype

TICK = 2.0**-16
PARTS = [(name, i) for name, row in _core.PARTICLE_EFFECTS.items() for i in range(len(row[2]))]
FAINT = 0.06  # an opacity, of the part's, at which one may come or go
FASTEST = 16.0  # m/s
NOTHING = np.zeros(0, record_dtype("dw_particle_sprite"))


@pytest.fixture(scope="module")
def device():
    with dw.Device("cpu", threads=1) as device:
        yield device


def part_of(name: str, index: int) -> dw.ParticlePart:
    return dw.effect(name).parts[index]


def hub_of(device, name: str, index: int, **options) -> dw.ParticleManager:
    """One part of an effect, around something of 1 m."""
    hub = dw.ParticleManager(device, seed=4, **options)
    surface = np.random.default_rng(0).uniform(-0.5, 0.5, (64, 3))
    effect = dw.ParticleEffect(name, (part_of(name, index),))
    hub.register(1, dw.EffectConfig((0, 0, 0), effect, surface=surface))
    return hub


def slots_of(hub: dw.ParticleManager, layer, seconds: float, count: int) -> np.ndarray:
    """By slot: place, opacity and size; 0 of those that do not live."""
    hub.seek(seconds)
    s = hub.state(layer)
    table = np.zeros((count, 5))
    table[s["slot"]] = np.c_[s["position"], s["opacity"], s["size"]]
    return table


def jumps(before: np.ndarray, after: np.ndarray, seconds: float, part, most: float) -> np.ndarray:
    """Which slots are seen to jump between two moments."""
    seen = np.maximum(before[:, 3] * (before[:, 4] > 0), after[:, 3] * (after[:, 4] > 0))
    way = np.abs(before[:, :3] - after[:, :3])
    if "box" in part.params:  # one that leaves the box above or below comes in again
        box = np.array([part.params["box"], part.params.get("box_height", 1e9), part.params["box"]])
        way = np.minimum(way, np.abs(box - way))
    moved = np.linalg.norm(way, axis=1) > FASTEST * seconds + 1e-3
    dimmed = np.abs(before[:, 3] - after[:, 3]) > most
    return (seen > FAINT * part.opacity + 1e-9) & (moved | dimmed)


def change_in(seconds: float, part) -> float:
    """The most that an opacity changes in a time: by the steepest rise, and by curves and waves."""
    least = part.lifetime[0]
    return part.opacity * seconds * (max(part.rise, part.fall, 8.0) / least + 40.0) + 1e-6


@pytest.mark.parametrize(("name", "index"), PARTS)
def test_nothing_jumps_in_time(device, name, index):
    """In 1/512 s; what is struck off at once, such as a spark, may begin at once."""
    part, step = part_of(name, index), 1 / 512
    with hub_of(device, name, index) as hub:
        count = hub.stats().requested
        shown = 0
        for start in np.random.default_rng(1).uniform(0, 0.4 if part.once else 30, 60):
            a, b = (slots_of(hub, part.layer, t, count) for t in (start, start + step))
            shown += (b[:, 3] > 0).sum()
            bad = jumps(a, b, step, part, change_in(step, part))
            born = (a[:, 3] == 0) & (b[:, 3] > 0)
            if part.once:
                bad &= ~born
            assert not bad.any(), (start, a[bad], b[bad])
        assert shown > 8


ENDS = [(name, i) for name, i in PARTS if part_of(name, i).once]


@pytest.mark.parametrize(("name", "index"), ENDS)
def test_shots_end_unseen(device, name, index):
    part, step = part_of(name, index), 1 / 128
    with hub_of(device, name, index) as hub:
        count = hub.stats().requested
        was, last = slots_of(hub, part.layer, 0.0, count), np.ones(count)
        for i in range(1, int((part.lifetime[1] + part.delay[1]) / step) + 3):
            now = slots_of(hub, part.layer, i * step, count)
            gone = (was[:, 3] > 0) & (now[:, 3] == 0)
            last[gone] = was[gone, 3] * (was[gone, 4] > 0)
            was = now
        assert not was[:, 3].any()
        steepest = change_in(step, part) - 1e-6
        assert last.max() <= max(FAINT * part.opacity, min(steepest, 0.25 * part.opacity))


LOOPED = [(name, i) for name, i in PARTS if not part_of(name, i).once]


@pytest.mark.parametrize(("name", "index"), LOOPED)
@pytest.mark.parametrize("loop", [2.0, 5.0])
def test_loops_close_without_a_seam(device, name, index, loop):
    part = part_of(name, index)
    with hub_of(device, name, index, loop=loop) as hub:
        count = hub.stats().requested
        tables = [slots_of(hub, part.layer, t, count) for t in (loop - TICK, loop, 0.0, TICK)]
        assert (tables[1] == tables[2]).all()
        for a, b in ((tables[0], tables[1]), (tables[2], tables[3])):
            assert not jumps(a, b, TICK, part, change_in(2 * TICK, part)).any()
        shown = [slots_of(hub, part.layer, t, count) for t in np.linspace(0, loop, 40)]
        assert any((table[:, 3] > 0).any() for table in shown)


FADED = [(name, i) for name, i in PARTS if part_of(name, i).lod]


@pytest.mark.parametrize(("name", "index"), FADED)
def test_detail_fades_with_distance(device, name, index):
    """Slot by slot, none at once, until none is left; whatever stays does not change."""
    part = part_of(name, index)
    near, far = part.lod
    with hub_of(device, name, index) as hub:
        count, whole, was = hub.stats().requested, None, {}
        moments = np.linspace(0.0, 0.3 if part.once else 12.0, 60)
        hub.seek(max(moments, key=lambda t: (slots_of(hub, part.layer, t, count)[:, 3] > 0).sum()))
        kept_before = float(count)
        for away in np.linspace(0.9 * near, 1.02 * far, 300):
            camera = dw.Camera((0, 1.0, away), (0, 1.0, 0), fov_y=1.2, far=2000.0)
            found = list(hub.see(camera, aspect=1.0).values())
            sprites = found[0] if found else NOTHING
            half = (sprites["opacity"] & 0xFFFF).astype(np.uint16).view(np.float16)
            alpha = {
                (s["position"].tobytes(), float(s["size"])): float(opacity)
                for s, opacity in zip(sprites, half)
            }
            if whole is None:
                whole = was = alpha
                assert len(whole) >= 1
            share = (far**2 - away**2 - 1.0) / (far**2 - near**2)
            kept = count * min(max(share, 0.0), 1.0)
            step = kept_before - kept + 2 / 256
            for key in was.keys() | alpha.keys():
                full = whole[key]
                assert alpha.get(key, 0.0) <= was.get(key, 0.0) + 2e-3 * full
                assert was.get(key, 0.0) - alpha.get(key, 0.0) <= step * full + 2e-3
            was, kept_before = alpha, kept
        assert not was, "none is left beyond the end"
