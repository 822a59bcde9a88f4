# SPDX-License-Identifier: MIT
"""Terrain weights in every form, and choices of material by exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import dapplewood as dw
import numpy as np

MODES = [mode.name.lower() for mode in dw.TerrainMode]
NOISES = [noise.name.lower() for noise in dw.TerrainNoise]


def flat(weights: Any, height: int, width: int, dtype: Any = np.float32) -> np.ndarray:
    """(height, width, N): the same weights everywhere."""
    return np.tile(np.asarray(weights, dtype), (height, width, 1))


def tile_counts(weights: list[Any], cells: int) -> list[int]:
    """How many of a tile's cells each material gets: T_i - T_(i-1), T = ceil(M C - 1/2)."""
    total, part, before, counts = sum(map(Fraction, weights)), Fraction(0), 0, []
    for weight in weights:
        part += Fraction(weight)
        reached = max(0, math.ceil(cells * part / total - Fraction(1, 2)))
        counts.append(reached - before)
        before = reached
    return counts


def spoiled(rng: np.random.Generator, height: int, width: int, slots: int) -> np.ndarray:
    """Random float32 weights with zeros, empty texels, negatives, NaN and infinity."""
    made = rng.gamma(0.5, 1.0, (height, width, slots)).astype(np.float32)
    made[rng.random(made.shape) < 0.3] = 0
    made[rng.random((height, width)) < 0.05] = 0
    for value in (np.nan, np.inf, -np.inf, -1.0, -0.0, 1e-42, 3e38):
        made[rng.random(made.shape) < 0.01] = value
    return made


def forms(seed: int, height: int, width: int) -> Iterator[tuple[str, Any, int]]:
    """(name, weights, slots) of every form and count that has code of its own."""
    rng = np.random.default_rng(seed)
    size = (height, width)
    for slots in (2, 4, 7, 16):
        yield f"float32 x {slots}", spoiled(rng, *size, slots), slots
    with np.errstate(over="ignore"):
        yield "float16 x 5", spoiled(rng, *size, 5).astype(np.float16), 5
    for slots in (2, 3, 4, 8, 16):
        array = rng.integers(0, 256, (*size, slots), np.uint8)
        array[rng.random(array.shape) < 0.4] = 0
        yield f"uint8 x {slots}", array, slots
    yield "two RGBA8", rng.integers(0, 256, (*size, 2, 4), np.uint8), 8
    for shape, slots in (((4,), 8), ((4,), 5), ((2, 4), 16)):
        array = rng.integers(0, 256, (*size, *shape), np.uint8)
        yield f"packed x {slots}", dw.PackedWeights(array, slots), slots
    index = rng.integers(0, 1 << 32, size, np.uint64).astype(np.uint32)
    index[rng.random(size) < 0.3] &= np.uint32(0x07FFFFFF)  # base 0
    yield "index", dw.IndexMap(index), 32


def options(slots: int, which: int, rng: np.random.Generator, mode: str) -> dict[str, Any]:
    """Settings of a transition that together reach every step."""
    return [
        {"noise_size": 64},
        {"strength": 0.37, "quantize": 7, "min_weight": 0.06, "noise": "bayer", "cell": 0.25,
         "accents": 2, "priorities": tuple(rng.uniform(-0.2, 0.2, slots))},
        {"strength": 0.0, "min_weight": 0.2, "noise": "hash", "cell": 3.7, "accents": 3,
         "seed": 77, "priorities": tuple(rng.uniform(-0.5, 0.5, slots)), "empty_id": 7},
    ][which]  # fmt: skip


def looks(slots: int, which: int, rng: np.random.Generator) -> dict[str, Any]:
    """Arguments of `select_materials` beside them."""
    return [
        {},
        {"origin": (-1_000_000.0, 7.5), "scale": 1.7, "filter": "linear"},
        {"origin": (123_456.25, -3.0), "scale": 0.6,
         "materials": [int(key) for key in rng.permutation(200)[:slots]]},
    ][which]  # fmt: skip
