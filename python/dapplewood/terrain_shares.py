# SPDX-License-Identifier: MIT
"""Expected shares of a terrain's materials, as its textures hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .terrain_coverage import expected_coverage

if TYPE_CHECKING:
    from .ground import Terrain

__all__ = ["byte_shares", "chain", "expected_shares"]


def chain(level: np.ndarray) -> list[np.ndarray]:
    """Float levels down to 1 x 1, each the mean of the one before; (..., h, w, c)."""
    levels = [level]
    while max(level.shape[-3:-1]) > 1:
        for axis in (-3, -2):
            size = level.shape[axis]
            if size > 1:
                even = np.moveaxis(level, axis, 0)[: size // 2 * 2]
                level = np.moveaxis(0.5 * (even[0::2] + even[1::2]), 0, axis)
        levels.append(level)
    return levels


def expected_shares(terrain: Terrain) -> np.ndarray:
    """(H, W, N) float32: how often each material shows; 0 where there is none."""
    return expected_coverage(
        terrain.weights, terrain.transition, materials=terrain.ids, heights=terrain._sticking
    )


def byte_shares(shares: np.ndarray) -> list[np.ndarray]:
    """Levels of (layers, h, w, 4) uint8, four materials a layer, two layers at least.

    Bytes are rounded cumulatively: those of a texel add up to 255 at every level, or to 0.
    """
    layers = max(2, -(-shares.shape[2] // 4))
    levels = []
    for level in chain(shares):
        sums = np.zeros((*level.shape[:2], 4 * layers + 1), np.float32)
        np.cumsum(level, axis=2, out=sums[..., 1 : 1 + level.shape[2]])
        sums[..., 1 + level.shape[2] :] = sums[..., level.shape[2], None]
        codes = np.diff(np.floor(255.0 * sums + 0.5), axis=2).astype(np.uint8)
        split = codes.reshape(*level.shape[:2], layers, 4)
        levels.append(np.ascontiguousarray(split.transpose(2, 0, 1, 3)))
    return levels
