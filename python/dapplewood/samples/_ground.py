# SPDX-License-Identifier: MIT
"""A patch of forest floor: gentle hills, a clearing in the middle and a path that winds through."""

from __future__ import annotations

import numpy as np

from ._surface import Surface, grid_triangles, unit

CLEARING = 15.0  # radius, metres
PATH_WIDTH = 2.4
_TURF_TILE, _SOIL_TILE = 3.2, 2.4


class Terrain:
    """Height and ground cover as functions of place; equal seeds give equal land."""

    def __init__(self, seed: int):
        rng = np.random.default_rng([8000, seed])
        turn = rng.random(7) * 6.2832
        length = np.array([88.0, 61.0, 43.0, 31.0, 23.0, 11.0, 7.0])
        self.waves = np.stack([np.cos(turn), np.sin(turn)], 1) * (2.0 * np.pi / length)[:, None]
        self.heights = np.array([1.5, 1.1, 0.75, 0.45, 0.28, 0.06, 0.03])
        self.phases = rng.random(7) * 6.2832
        self.bends = rng.random(3) * 6.2832
        self.tones = rng.normal(size=(6, 2)) * np.array([0.05, 0.05, 0.12, 0.12, 0.3, 0.3])[:, None]
        self.tone_phases = rng.random(6) * 6.2832

    def height(self, x, z) -> np.ndarray:
        x, z = np.asarray(x, float), np.asarray(z, float)
        angle = x[..., None] * self.waves[:, 0] + z[..., None] * self.waves[:, 1] + self.phases
        land = (np.sin(angle) * self.heights).sum(axis=-1)
        calm = 1.0 - 0.85 * np.exp(-((x * x + z * z) / (1.3 * CLEARING) ** 2) ** 2)
        hollow = np.exp(-np.clip(self.path_distance(x, z), 0.0, 30.0) ** 2 / 6.0)
        rise = 0.0011 * np.maximum(np.hypot(x, z) - CLEARING, 0.0) ** 1.7
        return calm * land + rise - 0.14 * hollow

    def path_x(self, z) -> np.ndarray:
        z = np.asarray(z, float)
        a, b, c = self.bends
        return (5.5 * np.sin(0.052 * z + a) + 2.2 * np.sin(0.115 * z + b)
                - 5.5 * np.sin(a) - 2.2 * np.sin(b) - 3.0 + 0.0 * c)

    def path_distance(self, x, z) -> np.ndarray:
        """Metres to the middle of the path, nearly."""
        slope = (self.path_x(np.asarray(z) + 0.5) - self.path_x(np.asarray(z) - 0.5))
        return np.abs(np.asarray(x) - self.path_x(z)) / np.sqrt(1.0 + slope * slope)

    def tone(self, x, z) -> np.ndarray:
        """Slow variation in [-1, 1]."""
        angle = x[..., None] * self.tones[:, 0] + z[..., None] * self.tones[:, 1] + self.tone_phases
        return (np.sin(angle) * (0.35, 0.3, 0.2, 0.15, 0.12, 0.1)).sum(axis=-1)

    def normal(self, x, z) -> np.ndarray:
        step = 0.25
        dx = (self.height(x + step, z) - self.height(x - step, z)) / (2 * step)
        dz = (self.height(x, z + step) - self.height(x, z - step)) / (2 * step)
        return unit(np.stack([-dx, np.ones_like(dx), -dz], axis=-1))


def turf(land: Terrain, size: float, cells: int) -> Surface:
    """The hills, (cells + 1)^2 vertices."""
    line = np.linspace(-0.5 * size, 0.5 * size, cells + 1)
    x, z = np.meshgrid(line, line, indexing="ij")
    x, z = x.ravel(), z.ravel()
    points = np.stack([x, land.height(x, z), z], axis=1)
    uvs = np.stack([x, z], axis=1) / _TURF_TILE
    return Surface(points, land.normal(x, z), uvs, _cover(land, x, z),
                   grid_triangles(cells + 1, cells + 1))


def _cover(land: Terrain, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Sunny grass in the clearing, leaf litter under the trees, worn ground along the path."""
    tone = land.tone(x, z)[:, None]
    radius = np.hypot(x, z)[:, None] + 3.0 * tone
    wood = np.clip((radius - CLEARING) / 9.0, 0.0, 1.0)
    wood = wood * wood * (3.0 - 2.0 * wood)
    meadow = np.array([0.86, 0.90, 0.62]) + tone * (0.14, 0.03, -0.10)
    litter = np.array([0.60, 0.50, 0.36]) + tone * (0.12, 0.10, 0.04)
    moss = np.array([0.50, 0.62, 0.36])
    litter = litter + (moss - litter) * np.clip(1.6 * tone - 0.1, 0.0, 1.0)
    colour = meadow + (litter - meadow) * 0.85 * wood
    worn = np.exp(-(land.path_distance(x, z)[:, None] / 1.9) ** 2)
    return np.clip(colour + (np.array([0.84, 0.68, 0.48]) - colour) * 0.85 * worn, 0.0, 1.0)


COVERS = ("turf", "moss", "litter", "soil")  # of `cover_weights`, by slot
_COVER_TINTS = {"turf": (0.86, 0.90, 0.62), "moss": (0.92, 0.96, 0.72),
                "litter": (0.94, 0.86, 0.76), "soil": (0.92, 0.84, 0.72)}  # fmt: skip
_COVER_TILES = {"turf": _TURF_TILE, "moss": 2.2, "litter": 2.0, "soil": _SOIL_TILE}


def cover_weights(land: Terrain, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(..., 4) of the covers: sunny grass in the clearing, leaves and moss under the trees, worn
    earth along the path, and some of each at the borders."""
    tone = land.tone(x, z)
    ripple = 0.5 * land.tone(5.0 * x + 3.0, 5.0 * z - 2.0)
    radius = np.hypot(x, z) + 3.0 * tone + 4.0 * ripple
    wood = np.clip((radius - CLEARING) / 9.0, 0.0, 1.0)
    wood = wood * wood * (3.0 - 2.0 * wood)
    mossy = np.clip(1.5 * tone + 1.2 * ripple + 0.15, 0.0, 1.0)
    beside = np.minimum(land.path_distance(x, z), 4.0) - 1.02 + 0.3 * ripple  # metres
    bare = 1.0 / (1.0 + np.exp(beside / 0.16))
    bare = np.maximum(bare, 0.5 * np.clip(3.0 * (ripple - 0.42), 0.0, 1.0) * (1.0 - wood))
    parts = [(1.0 - wood) + 0.12 * wood, 0.75 * wood * mossy, wood * (1.0 - 0.75 * mossy)]
    return np.stack([*(part * (1.0 - bare) for part in parts), bare], axis=-1)


def cover_tone(land: Terrain, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """(..., 3): what the covers' mean colours are multiplied by, from place to place."""
    tone = land.tone(x, z)[..., None]
    return 1.0 + tone * np.array([0.22, 0.10, -0.06])


def path(land: Terrain, size: float, cells: int) -> Surface:
    """A ribbon of trodden earth a little above the turf's triangles."""
    step = size / cells
    z = np.linspace(-0.5 * size, 0.5 * size, 2 * cells + 1)
    share = np.linspace(-0.5, 0.5, 7)
    middle = land.path_x(z)
    slope = np.gradient(middle, z)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(middle), np.diff(z)))])
    side = np.stack([np.ones_like(slope), -slope], 1) / np.sqrt(1.0 + slope * slope)[:, None]
    wide = PATH_WIDTH * (1.0 + 0.16 * np.sin(0.37 * z) + 0.10 * np.sin(0.91 * z + 1.0))
    x = middle[:, None] + wide[:, None] * share * side[:, :1]
    depth = np.clip(z[:, None] + wide[:, None] * share * side[:, 1:], -0.5 * size, 0.5 * size)
    height = _on_triangles(land, size, step, x, depth) + 0.035
    points = np.stack([x, height, depth], axis=-1)
    uvs = np.stack(np.broadcast_arrays(share + 0.5, along[:, None] / _SOIL_TILE), axis=-1)
    tone = land.tone(x, depth)[..., None]
    colour = np.clip(np.array([0.86, 0.84, 0.80]) + 0.14 * tone, 0.0, 1.0)
    return Surface(points.reshape(-1, 3), land.normal(x.ravel(), depth.ravel()),
                   uvs.reshape(-1, 2), colour.reshape(-1, 3),
                   grid_triangles(len(z), len(share))[:, ::-1])


def _on_triangles(land: Terrain, size: float, step: float, x, z) -> np.ndarray:
    """Height of the turf's mesh, whose triangles cut corners that the land does not."""
    i, j = np.floor((x + 0.5 * size) / step), np.floor((z + 0.5 * size) / step)
    fx, fz = (x + 0.5 * size) / step - i, (z + 0.5 * size) / step - j
    x0, z0 = i * step - 0.5 * size, j * step - 0.5 * size
    h00, h10 = land.height(x0, z0), land.height(x0 + step, z0)
    h01, h11 = land.height(x0, z0 + step), land.height(x0 + step, z0 + step)
    first = h00 + fz * (h01 - h00) + fx * (h11 - h01)
    second = h00 + fx * (h10 - h00) + fz * (h11 - h10)
    return np.where(fz >= fx, first, second)
