# SPDX-License-Identifier: MIT
"""Which measure of drift tells what rays pay: costs against steps, in refit and in fresh trees."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from helpers_trees import BINARY, F, grid, plant, trace

RAYS = 20_000


def rolled(positions: np.ndarray, amount: float) -> np.ndarray:
    """Bent around the y axis."""
    x, y, z = positions.T.astype(np.float64)
    radius = 0.4 / amount
    angle = x / radius
    return np.stack([(radius + z) * np.sin(angle), y, (radius + z) * np.cos(angle)], 1).astype(F)


def scattered(positions: np.ndarray, amount: float) -> np.ndarray:
    """Each triangle carried off by itself."""
    away = np.random.default_rng(0).standard_normal((len(positions) // 3, 1, 3))
    moved = positions.reshape(-1, 3, 3) + 0.3 * amount * away
    return moved.reshape(-1, 3).astype(F)


def swirled(positions: np.ndarray, amount: float) -> np.ndarray:
    """Turned about z, the middle most."""
    x, y, z = positions.T.astype(np.float64)
    angle = 4.0 * amount * np.exp(-np.linalg.norm(positions.astype(np.float64), axis=1))
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([x * c - y * s, x * s + y * c, z], 1).astype(F)


CASES = {
    "rolled sheet": (grid(60), rolled),
    "swirled sheet": (grid(60), swirled),
    "scattered plant": (plant(4000), scattered),
    "swirled plant": (plant(4000), swirled),
}


def refit(device, layout, positions):
    """A layout in a pose, its cost of inner nodes and its whole cost."""
    found = _core.tree_refit(layout, positions, None, True, device)
    return found, found["cost"][0], found["cost"][0] + found["cost"][1]


def steps(device, layout, pose) -> float:
    rng = np.random.default_rng(1)
    low, high = pose.min(axis=0), pose.max(axis=0)
    origins = rng.standard_normal((RAYS, 3))
    origins /= np.linalg.norm(origins, axis=1, keepdims=True)
    origins = (low + high) / 2 + 1.5 * (high - low).max() * origins
    directions = low + rng.random((RAYS, 3)) * (high - low) - origins
    found = trace(device, layout, pose, origins.astype(F), directions.astype(F), BINARY)
    return float(found["steps"].mean())


def measures(device, case, amount) -> tuple[float, float, float]:
    """Cost over that as built, cost over a fresh tree's, and steps over a fresh tree's."""
    (positions, indices), bend = CASES[case]
    layout = _core.tree_build(device, positions, indices)
    pose = bend(positions, amount)
    _, built, _ = refit(device, layout, positions)
    old, inner, whole = refit(device, layout, pose)
    fresh, _, best = refit(device, _core.tree_build(device, pose, indices), pose)
    slower = steps(device, old, pose) / steps(device, fresh, pose)
    return inner / built, whole / best, slower


@pytest.mark.parametrize("case", CASES)
def test_the_fresh_ratio_is_what_rays_pay(native_device, case):
    for amount in (0.1, 0.2, 0.3, 0.5, 1.0):
        _, fresh, slower = measures(native_device, case, amount)
        assert abs(fresh / slower - 1.0) < 0.1, (amount, fresh, slower)


def test_the_ratio_to_the_tree_as_built_is_not(native_device):
    """It sees a drift where there is none, and none where there is one."""
    ratio, fresh, slower = measures(native_device, "rolled sheet", 1.0)
    assert ratio > 1.2 > 1.03 > max(fresh, slower)
    ratio, fresh, slower = measures(native_device, "swirled sheet", 0.5)
    assert ratio < 1.01 < 1.1 < min(fresh, slower)
