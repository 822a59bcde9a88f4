# SPDX-License-Identifier: MIT
"""Transitions are checked when they are made, and become laws that backends read."""

from __future__ import annotations

import dataclasses
import math

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.layouts import record_dtype
from dapplewood.terrain import transition_law


def law_of(transition: dw.Transition, slots: int = 4, materials=None) -> np.void:
    return np.frombuffer(transition_law(transition, slots, materials), "u1").view(
        record_dtype("dw_terrain_law")
    )[0]


def test_words_and_members_name_the_same_mode():
    assert dw.Transition("smooth") == dw.Transition(dw.TerrainMode.SMOOTH)
    assert dw.Transition().mode is dw.TerrainMode.PRIORITY
    assert dw.Transition(noise="hash").noise is dw.TerrainNoise.HASH


def test_a_transition_is_frozen_and_replaceable():
    made = dw.Transition("dithered", strength=0.5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.strength = 1.0
    assert dataclasses.replace(made, strength=1).strength == 1.0


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("mode", "prioritized", "priority_additive"),
        ("noise", "white", '"hash"'),
        ("strength", 1.5, "strength must lie in .0, 1., got 1.5"),
        ("strength", math.nan, "strength must lie in"),
        ("cell", 0.0, "cell must lie in .0.03125, 64., got 0"),
        ("cell", 65, "cell"),
        ("quantize", 256, "quantize must lie in .0, 255., got 256"),
        ("quantize", -1, "quantize"),
        ("quantize", 1 << 70, "quantize is out of range"),
        ("priorities", (0.0, 0.6), "priorities must lie in .-0.5, 0.5., got 0.6 for slot 1"),
        ("priorities", (0.0, math.nan), "priorities"),
        ("priorities", {300: 0.1}, "materials must lie in .0, 255., got 300"),
        ("min_weight", 0.51, "min_weight must lie in"),
        ("accent", (0.6, 0.1), "accent must be two numbers"),
        ("accent", 0.5, "accent must be two numbers"),
        ("accents", 4, "accents must lie in .1, 3., got 4"),
        ("depth", 0.0, "depth"),
        ("noise_size", 100, "noise_size must be a power of two from 8 to 256, got 100"),
        ("seed", -1, "seed"),
        ("fade", (1.0, 1.0), "fade"),
        ("zoom", (4.0, math.inf), "zoom"),
        ("empty_id", 256, "empty_id"),
    ],
)
def test_what_is_out_of_range_is_named(name, value, text):
    with pytest.raises(ValueError, match=text):
        dw.Transition(**{name: value})


@pytest.mark.parametrize("name", ["strength", "quantize", "priorities", "accents", "cell"])
def test_what_is_no_number_is_named(name):
    with pytest.raises(TypeError, match=name):
        dw.Transition(**{name: ["x"] if name == "priorities" else "x"})


def test_places_follow_priority_and_then_material():
    made = dw.Transition(priorities=(0.0, 0.2, 0.2, -0.1))
    law = law_of(made)
    assert list(law["slots"][:4]) == [1, 2, 0, 3]
    law = law_of(made, materials=[7, 9, 4, 0])
    assert list(law["slots"][:4]) == [2, 1, 0, 3]
    assert list(law["ids"][:4]) == [4, 9, 7, 0]
    assert np.allclose(law["lifts"][:4], 2 * np.log2(np.e) * np.array([0.2, 0.2, 0.0, -0.1]))


def test_a_mapping_names_materials():
    law = law_of(dw.Transition(priorities={9: 0.2, 50: 0.3}), materials=[7, 9, 4, 0])
    assert list(law["ids"][:4]) == [9, 0, 4, 7]
    assert law["lifts"][0] > 0 == law["lifts"][1]


def test_materials_are_one_a_slot_and_distinct():
    made = dw.Transition(priorities=(0.0, 0.2))
    with pytest.raises(ValueError, match="materials must be one for each of 4 slots, got 2"):
        transition_law(dw.Transition(), 4, [1, 2])
    with pytest.raises(ValueError, match="priorities must be one for each of 4 slots, got 2"):
        transition_law(made, 4)
    with pytest.raises(ValueError, match="materials must differ, got 5 for slots 0 and 1"):
        transition_law(made, 2, [5, 5])
    with pytest.raises(TypeError, match="transition must be a Transition, got str"):
        transition_law("priority", 2)


def test_fractions_of_the_law():
    law = law_of(dw.Transition(strength=0.25, min_weight=0.25, depth=0.5, empty_id=3))
    assert law["share"] == 1 << 30 and law["swing"] == 1 << 28
    assert law["least"] == (1 << 30) - 1 and law["depth"] == 1 << 29 and law["empty_id"] == 3
    assert law["exponent"] == 8.0
    assert law_of(dw.Transition())["share"] == 0xFFFFFFFF
    assert law_of(dw.Transition(strength=0))["exponent"] == 0.0


def test_noise_of_the_law():
    for noise, size, bits, mask in (
        ("blue", 64, 12, 63),
        ("blue", 256, 16, 255),
        ("bayer", 128, 6, 7),
        ("hash", 128, 14, 7),
    ):
        law = law_of(dw.Transition(noise=noise, noise_size=size))
        assert (law["rank_bits"], law["side_mask"]) == (bits, mask), noise
    offsets = law_of(dw.Transition(noise_size=64), 16)["offsets"][:16]
    assert offsets[0] == 48 | 36 << 16
    assert len(set(offsets.tolist())) == 16
