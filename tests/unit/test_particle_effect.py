# SPDX-License-Identifier: MIT
"""Effects as data: what parts take and refuse."""

from __future__ import annotations

import dataclasses
import math
import pickle

import numpy as np
import pytest

import dapplewood as dw
from dapplewood.particle_rows import part_rows


def part_row(part, layer):
    return part_rows([part], lambda _: layer)[0]


def make(**changes):
    return dw.ParticlePart(
        **{"kind": "splash", "layer": "splash", "count": 3, "lifetime": (0.5, 1.0), **changes}
    )


@pytest.mark.parametrize("name", dw.EFFECT_NAMES)
def test_built_in_effects_are_read_whole(name):
    effect = dw.effect(name)
    doc, palette, rows = dw._core.PARTICLE_EFFECTS[name]
    assert effect is dw.effect(name)
    assert (effect.name, effect.doc, effect.palette) == (name, doc, palette)
    assert effect.count == sum(row["count"] for row in rows)
    for part, row in zip(effect.parts, rows, strict=True):
        assert part.kind.name.lower() == row["kind"] and part.layer.name.lower() == row["layer"]
        assert dict(part.params) == row["params"] and part.lifetime == row["lifetime"]
        curve = part_row(part, 0)[13]
        assert (curve is None) == (row["opacity_curve"] is None)
        if curve is not None:
            assert curve == np.asarray(row["opacity_curve"], np.float32).tobytes()


@pytest.mark.parametrize(
    "changes, error, text",
    [
        ({"kind": "splish"}, ValueError, "kind"),
        ({"layer": "splish"}, ValueError, "layer"),
        ({"count": -1}, ValueError, "count"),
        ({"count": 2**40}, ValueError, "count"),
        ({"count": 1.5}, TypeError, "count"),
        ({"lifetime": 1.0}, ValueError, "lifetime"),
        ({"params": {"hight": 1.0}}, ValueError, "hight"),
        ({"params": {"height": "x"}}, TypeError, "height"),
        ({"params": None}, TypeError, "params must be a dict"),
        ({"opacity_curve": [1.0]}, ValueError, "opacity_curve"),
        ({"size_curve": [1.0, math.nan]}, ValueError, "size_curve"),
        ({"size_curve": [1.0, -1.0]}, ValueError, "size_curve"),
        ({"ramp": [0x1000000]}, ValueError, "ramp"),
        ({"ramp": [0.5, 1.0]}, TypeError, "ramp"),
        ({"ramp": np.zeros((0, 4), np.uint8)}, ValueError, "ramp"),
        ({"tone": "red"}, ValueError, "tone"),
        ({"burst": (1.0, 2.0), "once": True}, ValueError, "burst"),
        ({"offset": (1.0, 2.0)}, ValueError, "offset"),
    ],
)
def test_parts_name_what_they_refuse(changes, error, text):
    with pytest.raises(error, match=text):
        make(**changes)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        (("x", ()), ValueError, "parts"),
        (("x", (1,)), TypeError, "parts"),
        (("x", make()), TypeError, "parts must be a sequence"),
        (("x", (make(),), (), "mauve"), ValueError, "palette"),
    ],
)
def test_effects_name_what_they_refuse(arguments, error, text):
    with pytest.raises(error, match=text):
        dw.ParticleEffect(*arguments)


def test_parts_are_told_by_what_differs():
    part = dw.ParticlePart("halo", "magic", 3, (0.5, 2), {"size": 0.25}, size_curve=(0, 1, 0))
    assert repr(part) == (
        "ParticlePart('halo', 'magic', 3, lifetime=(0.5, 2), params={'size': 0.25}, "
        "size_curve=<3 values>)"
    )
    shown = repr(dw.effect("water_net").parts[1])
    assert "'radius': 0.05," in shown and "burst=(5, 10)" in shown and "\n" not in shown


def test_an_unknown_effect_lists_those_there_are():
    with pytest.raises(ValueError, match="water_net"):
        dw.effect("water_cup")


def test_curves_and_ramps_keep_their_ends():
    part = make(size_curve=[0.25, 0.5, 2.0], ramp=[0xFF0000, 0x000000])
    row = part_row(part, 7)
    sizes = np.frombuffer(row[14], np.float32)
    assert len(sizes) == 65 and sizes[0] == 0.25 and sizes[32] == 0.5 and sizes[64] == 2.0
    colors = np.frombuffer(row[15], np.uint8).reshape(65, 4)
    assert colors[0].tolist() == [255, 0, 0, 255] and colors[64].tolist() == [0, 0, 0, 255]
    assert colors[32].tolist() == [128, 0, 0, 255]
    picked = part_row(make(ramp=[0xFF0000, 0x10], over_life=False), 7)
    assert picked[15] == bytes([255, 0, 0, 255, 0, 0, 16, 255])
    assert row[1] == 7 and row != picked


def test_what_parts_hold_cannot_be_changed_behind_their_back():
    curve = np.ones(4)
    part = make(opacity_curve=curve)
    curve[:] = 0.0
    assert part.opacity_curve.min() == 1.0
    with pytest.raises(ValueError):
        part.opacity_curve[0] = 0.0
    with pytest.raises(TypeError):
        part.params["height"] = 1.0


def test_effects_survive_pickling_and_replacing():
    effect = dw.effect("glow_altar")
    again = pickle.loads(pickle.dumps(effect))
    fewer = dataclasses.replace(effect.parts[0], count=1)
    assert [part_row(part, 0) for part in again.parts] == [
        part_row(part, 0) for part in effect.parts
    ]
    assert fewer.count == 1 and part_row(fewer, 0)[3:] == part_row(effect.parts[0], 0)[3:]
