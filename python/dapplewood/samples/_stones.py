# SPDX-License-Identifier: MIT
"""Rocks cut from a sphere by planes, and stumps."""

from __future__ import annotations

import numpy as np

from ._surface import UP, Surface, grid_triangles, joined, tube, unit

_CELLS = (10, 5, 3)  # of a cube's face, by level of detail
_TILE = 1.4  # metres of rock texture

# Half axes in metres and how flat the cuts are.
ROCKS = {"boulder": ((0.95, 0.75, 0.8), 16, 0.80), "slab": ((1.35, 0.42, 0.95), 14, 0.74)}
_AXES = np.array([[[1, 0, 0], [0, 0, -1], [0, 1, 0]], [[-1, 0, 0], [0, 0, 1], [0, 1, 0]],
                  [[0, 1, 0], [1, 0, 0], [0, 0, -1]], [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
                  [[0, 0, 1], [1, 0, 0], [0, 1, 0]], [[0, 0, -1], [-1, 0, 0], [0, 1, 0]]], float)


class _Shape:
    """Radius of a rock by direction: smoothed planes and a little noise."""

    def __init__(self, rng: np.random.Generator, planes: int, nearest: float):
        self.normals = unit(rng.normal(size=(planes, 3)))
        self.offsets = rng.uniform(nearest, 1.0, planes)
        self.waves = rng.normal(size=(6, 3)) * np.array([3, 3, 5, 5, 8, 8])[:, None] * 0.8
        self.phases = rng.random(6) * 6.2832

    def __call__(self, directions: np.ndarray) -> np.ndarray:
        facing = directions @ self.normals.T
        cut = np.where(facing > 0.05, self.offsets / np.maximum(facing, 0.05), 9.0)
        smooth = (cut**-14.0).sum(axis=-1) ** (-1.0 / 14.0)
        bumps = np.sin(directions @ self.waves.T + self.phases) * (0.03, 0.03, 0.015, 0.015, 0.008,
                                                                   0.008)
        return np.minimum(smooth, 1.15) + bumps.sum(axis=-1)

    def points(self, directions: np.ndarray, axes) -> np.ndarray:
        return directions * self(directions)[..., None] * axes


def rock(kind: str, seed: int) -> list[Surface]:
    """A rock that sits a little in the ground, at three levels of detail."""
    axes, planes, nearest = ROCKS[kind]
    rng = np.random.default_rng([7000 + list(ROCKS).index(kind), seed])
    shape = _Shape(rng, planes, nearest)
    axes = np.array(axes) * rng.uniform(0.85, 1.15, 3)
    mossy = rng.uniform(0.25, 0.55)
    return [_rock_level(shape, axes, cells, mossy) for cells in _CELLS]


def _rock_level(shape: _Shape, axes: np.ndarray, cells: int, mossy: float) -> Surface:
    # Equal angles keep the cells of a cube's face alike on the sphere.
    t = np.tan(np.linspace(-0.25, 0.25, cells + 1) * np.pi)
    down, right = np.meshgrid(t, t, indexing="ij")
    parts = []
    for normal, across, up in _AXES:
        way = unit(normal + right.reshape(-1, 1) * across + down.reshape(-1, 1) * up)
        points = shape.points(way, axes)
        first = unit(np.cross(up, way))
        second = np.cross(way, first)
        step = 0.02
        du = shape.points(unit(way + step * first), axes) - shape.points(unit(way - step * first),
                                                                         axes)
        dv = shape.points(unit(way + step * second), axes) - shape.points(unit(way - step * second),
                                                                          axes)
        normals = unit(np.cross(du, dv))
        uvs = np.stack([points @ across, -(points @ up)], axis=1) / _TILE + 0.37 * len(parts)
        parts.append(Surface(points, normals, uvs, np.ones_like(points),
                             grid_triangles(cells + 1, cells + 1)))
    surface = joined(parts)
    surface.positions[:, 1] += 0.42 * axes[1]
    height = surface.positions[:, 1:2]
    foot = np.clip(0.50 + 0.9 * height / axes[1], 0.45, 1.0)
    moss = np.clip((surface.normals[:, 1:2] - 0.55) * 3.0, 0.0, 1.0) * mossy
    surface.colors = foot * (1.0 + moss * (np.array([0.62, 0.72, 0.34]) - 1.0))
    return surface


def stump(seed: int) -> list[tuple[Surface, Surface]]:
    """(bark, sawn top) of a stump, at three levels of detail."""
    rng = np.random.default_rng([7100, seed])
    radius, height = rng.uniform(0.30, 0.42), rng.uniform(0.38, 0.6)
    tilt = rng.normal(size=2) * 0.10
    phase = rng.random(3) * 6.2832
    levels = []
    for sides, rings in ((20, 7), (12, 4), (7, 3)):
        y = -0.25 + (height + 0.25) * np.linspace(0.0, 1.0, rings) ** 1.2
        path = y[:, None] * UP
        angle = np.arange(sides) * (2.0 * np.pi / sides)
        lobes = (0.60 + 0.45 * np.cos(5.0 * angle + phase[0])
                 + 0.25 * np.cos(3.0 * angle + phase[1]))
        fall = np.exp(-np.maximum(y, 0.0) / 0.16)
        bulge = (1.0 + 0.9 * fall[:, None] * np.maximum(lobes, -0.2)
                 + 0.05 * np.cos(4.0 * angle + phase[2]))
        bark = tube(path, np.full(rings, radius), sides, repeats=3, bulge=bulge, tile_length=1.4)
        top = bark.positions[:, 1] - height
        share = np.clip(1.0 + top / 0.3, 0.0, 1.0)
        bark.positions[:, 1] += share * (bark.positions[:, [0, 2]] @ tilt)
        shade = np.clip(0.42 + 1.1 * bark.positions[:, 1:2] / height, 0.42, 1.0)
        moss = np.exp(-np.maximum(bark.positions[:, 1:2], 0.0) / 0.2)
        bark.colors = shade * (1.0 - moss * (0.35, 0.1, 0.5))
        levels.append((bark, _sawn(bark.positions[-(sides + 1) : -1], tilt, radius)))
    return levels


def _sawn(rim: np.ndarray, tilt: np.ndarray, radius: float) -> Surface:
    middle = rim.mean(axis=0)
    points = np.concatenate([middle[None], rim])
    count = len(rim)
    flat = points[:, [0, 2]] - middle[[0, 2]]
    uvs = 0.5 + flat * (0.47 / np.abs(flat).max())
    normal = unit(np.array([-tilt[0], 1.0, -tilt[1]]))
    ring = np.arange(count)
    triangles = np.stack([0 * ring, 1 + (ring + 1) % count, 1 + ring], axis=1)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    if (np.cross(b - a, c - a) @ normal).sum() < 0.0:
        triangles = triangles[:, ::-1]
    return Surface(points, np.tile(normal, (count + 1, 1)), uvs, np.full_like(points, 0.92),
                   triangles)
