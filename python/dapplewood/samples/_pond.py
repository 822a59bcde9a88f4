# SPDX-License-Identifier: MIT
"""A pond: land with a hollow, the water in it, and what grows on its banks. Metres, y up."""

from __future__ import annotations

import numpy as np

from ._bark import layers
from ._ground import CLEARING, Terrain
from ._surface import UP, Surface, grid_triangles, joined, strips, tube, unit

CENTRE = np.array([-1.4, 2.4])
_HALF = np.array([4.7, 3.3])  # half axes, metres
WATER = -0.42  # height of the surface
_TURF_TILE, _WATER_TILE = 3.2, 5.0
_FAR = 1e3  # metres: there is no path
# What is trodden bare: x, z, radius, strength.
_BARE = ((4.0, 2.5, 1.7, 0.9), (-2.3, -2.9, 2.3, 0.65), (1.2, 5.6, 1.2, 0.6))


class PondLand(Terrain):
    """Hills about a hollow that holds water; no path."""

    def __init__(self, seed: int):
        super().__init__(seed)
        rng = np.random.default_rng([8400, seed])
        self.lobes = rng.random(4) * 6.2832

    def shore(self, x, z) -> np.ndarray:
        """Metres from the water's edge, nearly; less than 0 in the pond."""
        u = (np.asarray(x, float) - CENTRE[0]) / _HALF[0]
        v = (np.asarray(z, float) - CENTRE[1]) / _HALF[1]
        turn, radius = np.arctan2(v, u), np.hypot(u, v)
        a, b, c, d = self.lobes
        edge = (1.0 + 0.07 * np.sin(2.0 * turn + a) + 0.055 * np.sin(3.0 * turn + b)
                + 0.03 * np.sin(5.0 * turn + c) + 0.015 * np.sin(9.0 * turn + d))
        return (radius - edge) * 0.5 * _HALF.sum()

    def height(self, x, z) -> np.ndarray:
        land = 0.35 * super().height(x, z) + 0.0026 * np.maximum(
            np.hypot(x, z) - CLEARING, 0.0) ** 1.9
        shore = self.shore(x, z)
        out, deep = np.maximum(shore, 0.0), np.maximum(-shore, 0.0)
        bank = WATER + 0.24 * out**0.75 - 0.55 * np.minimum(deep, 2.0) - 0.03 * (deep > 0.0)
        near = np.exp(-(out / 2.6) ** 2)
        return near * bank + (1.0 - near) * land

    def path_distance(self, x, z) -> np.ndarray:
        return np.full(np.broadcast(x, z).shape, _FAR)


def lines(size: float, cells: int) -> np.ndarray:
    """Places of grid lines, dense in the middle: (cells + 1,) in [-size / 2, size / 2]."""
    share = np.linspace(-1.0, 1.0, cells + 1)
    return 0.5 * size * np.sinh(4.0 * share) / np.sinh(4.0)


def turf(land: PondLand, size: float, cells: int) -> Surface:
    """The land without the bed of the pond, which only shows at its rim."""
    x, z = np.meshgrid(lines(size, cells), lines(size, cells) + CENTRE[1], indexing="ij")
    x, z = x.ravel() + 0.4 * CENTRE[0], z.ravel()
    points = np.stack([x, land.height(x, z), z], axis=1)
    triangles = grid_triangles(cells + 1, cells + 1)
    triangles = triangles[land.shore(x, z)[triangles].min(axis=1) > -0.45]
    used, triangles = np.unique(triangles, return_inverse=True)
    points = points[used]
    x, z = points[:, 0], points[:, 2]
    return Surface(points, land.normal(x, z), points[:, [0, 2]] / _TURF_TILE, cover(land, x, z),
                   triangles.reshape(-1, 3))


def cover(land: PondLand, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Grass, leaf litter under the trees, mud at the water, bare earth where people stand."""
    tone = land.tone(x, z)[:, None]
    radius = np.hypot(x, z)[:, None] + 2.5 * tone
    wood = np.clip((radius - 0.72 * CLEARING) / 8.0, 0.0, 1.0)
    meadow = np.array([0.66, 0.74, 0.44]) + tone * (0.10, 0.05, -0.06)
    litter = np.array([0.46, 0.42, 0.27]) + tone * (0.12, 0.08, 0.04)
    colour = meadow + (litter - meadow) * wood
    bare = np.zeros_like(radius)
    for at_x, at_z, wide, strength in _BARE:
        away = np.hypot(x - at_x, z - at_z)[:, None] * (1.0 + 0.25 * tone)
        bare = np.maximum(bare, strength * np.clip(1.5 - 1.3 * away / wide, 0.0, 1.0))
    colour = colour + (np.array([0.52, 0.43, 0.31]) - colour) * bare
    shore = land.shore(x, z)[:, None]
    wet = np.exp(-(np.maximum(shore + 0.05, 0.0) / 0.30) ** 2)
    return np.clip(colour + (np.array([0.17, 0.15, 0.10]) - colour) * 0.9 * wet, 0.0, 1.0)


def water(land: PondLand, rings: int = 10, around: int = 72) -> tuple[Surface, np.ndarray]:
    """The surface, and its alpha: thin at the rim."""
    turns = np.arange(around) * (2.0 * np.pi / around)
    reach = 1.28 * np.linspace(0.0, 1.0, rings + 1)[1:] ** 0.7
    x = CENTRE[0] + _HALF[0] * reach[:, None] * np.cos(turns)
    z = CENTRE[1] + _HALF[1] * reach[:, None] * np.sin(turns)
    points = np.stack([x, np.full_like(x, WATER), z], axis=-1).reshape(-1, 3)
    points = np.concatenate([[[CENTRE[0], WATER, CENTRE[1]]], points])
    ring, after = 1 + np.arange(around), 1 + (np.arange(around) + 1) % around
    triangles = [np.stack([0 * ring, after, ring], axis=1)]
    for row in np.arange(rings - 1) * around:
        a, b, c, d = ring + row, after + row, ring + row + around, after + row + around
        triangles += [np.stack([a, b, d], 1), np.stack([a, d, c], 1)]
    shore = land.shore(points[:, 0], points[:, 2])
    alpha = np.clip(0.72 + 0.28 * np.clip(1.0 + shore / 0.5, 0.0, 1.0), 0.0, 1.0)
    indices = np.concatenate(triangles)
    indices = indices[shore[indices].min(axis=1) < 0.35]
    used, indices = np.unique(indices, return_inverse=True)
    return Surface(points[used], np.tile(UP, (len(used), 1)), points[used][:, [0, 2]] / _WATER_TILE,
                   np.ones((len(used), 3)), indices.reshape(-1, 3)), alpha[used]


def ripples(side: int = 512) -> np.ndarray:
    """A normal map of small waves, (side, side, 4) u8 linear; it repeats."""
    rng = np.random.default_rng(4200)
    height = (layers(rng, side, 9, 5, 3) + 0.6 * layers(rng, side, 17, 11, 2)
              + 0.25 * layers(rng, side, 37, 29, 2))
    dx = np.roll(height, -1, 1) - np.roll(height, 1, 1)
    dy = np.roll(height, 1, 0) - np.roll(height, -1, 0)
    normal = unit(np.stack([-2.2 * dx, -2.2 * dy, np.ones_like(dx)], axis=-1))
    image = np.full((side, side, 4), 255, np.uint8)
    image[..., :3] = np.rint(127.5 + 127.5 * normal)
    image.setflags(write=False)
    return image


# -- what grows there --

_WHOLE = np.array([[0.0, 0.0, 1.0, 1.0]])


def reeds(seed: int) -> list[Surface]:
    """A clump of blades with cattails among them, at three levels of detail."""
    levels = []
    for blades, heads, joints in ((26, 5, 5), (15, 3, 4), (8, 2, 3)):
        rng = np.random.default_rng([7500, seed])
        wide = (26.0 / blades) ** 0.7
        parts = [_blades(rng, blades, joints, wide)]
        parts += [_cattail(rng, 6 if joints > 4 else 4) for _ in range(heads)]
        levels.append(joined(parts))
    return levels


def _blades(rng: np.random.Generator, count: int, joints: int, wide: float) -> Surface:
    turn = 6.2832 * rng.random(count)
    out = np.stack([np.cos(turn), 0.0 * turn, np.sin(turn)], axis=1)
    side = np.stack([-np.sin(turn), 0.0 * turn, np.cos(turn)], axis=1)
    foot = out * (0.26 * np.sqrt(rng.random(count)))[:, None]
    tall, lean = rng.uniform(0.8, 1.55, count), rng.uniform(0.03, 0.42, count)
    t = np.linspace(0.0, 1.0, joints)[None, :, None]
    spines = (foot[:, None] + t * (tall[:, None] * UP)[:, None] - 0.25 * UP * (1.0 - t)
              + t**2.4 * (lean[:, None] * out - 0.55 * (lean**2)[:, None] * UP)[:, None])
    half = wide * 0.5 * rng.uniform(0.016, 0.028, count)
    sides = side[:, None] * half[:, None, None] * np.clip(1.02 - t**3, 0.06, 1.0)
    surface = strips(spines, sides, 0.0 * spines, np.repeat(_WHOLE, count, axis=0), halves=1)
    surface.normals = unit(UP * 0.6 + 0.6 * unit(surface.positions * (1, 0, 1) + 1e-6)
                           + 0.3 * surface.normals)
    share = np.clip(surface.positions[:, 1:2] / 1.2, 0.0, 1.0)
    green = rng.uniform(0.8, 1.15, count).repeat(2 * joints)[:, None]
    dry = np.clip(rng.normal(size=count) - 0.6, 0.0, 0.8).repeat(2 * joints)[:, None]
    colour = np.array([0.10, 0.16, 0.05]) + share * np.array([0.17, 0.24, 0.07])
    surface.colors = np.clip(green * (colour + dry * (np.array([0.42, 0.34, 0.16]) - colour)), 0, 1)
    return surface


def _cattail(rng: np.random.Generator, sides: int) -> Surface:
    """A stem with a brown spike."""
    turn, away = 6.2832 * rng.random(), 0.18 * np.sqrt(rng.random())
    out = np.array([np.cos(turn), 0.0, np.sin(turn)])
    tall, lean = rng.uniform(1.25, 1.7), rng.uniform(0.0, 0.14)
    t = np.array([0.0, 0.5, 0.84, 0.85, 0.92, 0.98, 0.985, 1.08])
    radii = np.array([0.007, 0.006, 0.005, 0.019, 0.022, 0.018, 0.004, 0.001])
    path = away * out + t[:, None] * (tall * UP) + t[:, None] ** 2 * lean * out - 0.25 * UP * (
        1.0 - np.minimum(t, 1.0)[:, None])
    stem = tube(path, radii, sides)
    is_spike = (np.repeat((radii > 0.01), sides + 1))[:, None]
    stem.colors = np.where(is_spike, np.array([0.15, 0.075, 0.035]), np.array([0.20, 0.25, 0.09]))
    return stem


def lilies(seed: int) -> Surface:
    """Seven leaves that float around the origin, each with its notch, and one that blooms."""
    rng = np.random.default_rng([7600, seed])
    leaves, places = [], np.zeros((0, 2))
    while len(leaves) < 7:
        place = rng.normal(size=2) * (0.75, 0.5)
        if len(places) and np.hypot(*(places - place).T).min() < 0.42:
            continue
        places = np.concatenate([places, place[None]])
        leaves.append(_leaf(rng, place, rng.uniform(0.15, 0.24)))
    return joined(leaves)


def _leaf(rng: np.random.Generator, place: np.ndarray, radius: float) -> Surface:
    start = 6.2832 * rng.random()
    turns = start + np.linspace(0.18, 6.10, 14)
    reach = radius * (1.0 + 0.04 * rng.normal(size=14))
    ring = np.stack([reach * np.cos(turns), 0.004 + 0.012 * rng.random(14), reach * np.sin(turns)],
                    axis=1)
    points = np.concatenate([[[0.0, 0.006, 0.0]], ring]) + (place[0], 0.0, place[1])
    k = 1 + np.arange(13)
    colour = np.array([0.13, 0.24, 0.07]) * rng.uniform(0.75, 1.25)
    colors = np.concatenate([[1.25 * colour], np.tile(colour, (14, 1))])
    tilt = np.concatenate([[[0.0, 0.0]], -0.22 * np.stack([np.cos(turns), np.sin(turns)], 1)])
    normals = unit(np.stack([tilt[:, 0], np.ones(15), tilt[:, 1]], axis=1))
    return Surface(points, normals, np.zeros((15, 2)), np.clip(colors, 0.0, 1.0),
                   np.stack([0 * k, k + 1, k], axis=1))
