# SPDX-License-Identifier: MIT
"""Skeletons of trees: limbs that reach for the puffs of the crown, and their bark tubes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._surface import UP, Surface, joined, tube, unit


@dataclass(frozen=True)
class Bark:
    """Size of the bark's tile on the trunk."""

    width: float = 0.8  # metres around
    height: float = 1.6  # metres along


class Skeleton:
    """Branches over shared nodes; a node's parent comes before it."""

    def __init__(self, trunk: np.ndarray):
        self.points = [point for point in np.asarray(trunk, float)]
        self.parents = [-1, *range(len(trunk) - 1)]
        self.ways = list(unit(np.gradient(np.asarray(trunk, float), axis=0)))
        self.branches = [list(range(len(trunk)))]
        self.depths = [0]

    def reach(self, target: np.ndarray, *, first: int = 0, rise: float = 0.35, droop: float = 0.0,
              joints: int = 5, steepness: float = 1.0) -> None:
        """Grow a branch to a point from the node that suits it best.

        Nodes before `first` carry none. `rise` bends its end upwards, `droop` sinks its middle;
        a large `steepness` keeps to nodes well below the target.
        """
        points = np.array(self.points[first:])
        gap = target - points
        distance = np.linalg.norm(gap, axis=1)
        heading = unit(gap)
        ways = np.array(self.ways[first:])
        turn = 1.0 - np.einsum("nc,nc->n", heading, ways)
        low = np.clip(0.35 - heading[:, 1], 0.0, 1.0)
        node = first + int(np.argmin(distance * (1.0 + 0.45 * turn + steepness * low)))
        start, way = np.array(self.points[node]), np.array(self.ways[node])
        length = np.linalg.norm(target - start)
        out = unit(0.6 * way + unit(target - start))
        end = unit(unit(target - start) + rise * UP)
        t = np.linspace(0.0, 1.0, joints + 1)[1:, None]
        path = (start * (2 * t**3 - 3 * t**2 + 1) + out * length * (t**3 - 2 * t**2 + t)
                + target * (3 * t**2 - 2 * t**3) + end * length * (t**3 - t**2))
        path[:, 1] -= droop * length * (4.0 * t * (1.0 - t))[:, 0]
        self.add(node, path)

    def add(self, node: int, path: np.ndarray) -> None:
        """Hang a branch of given points on a node."""
        whole = np.concatenate([np.array(self.points[node])[None], path])
        ways = unit(np.gradient(whole, axis=0))[1:]
        branch = [node]
        depth = 1 + next((d for b, d in zip(self.branches, self.depths) if node in b), 0)
        for point, way in zip(path, ways):
            self.parents.append(branch[-1])
            branch.append(len(self.points))
            self.points.append(point)
            self.ways.append(way)
        self.branches.append(branch)
        self.depths.append(depth)

    def radii(self, base: float, tip: float, power: float = 0.5,
              taper: float = 0.3) -> np.ndarray:
        """Radius at each node: what grows above it decides, as in da Vinci's rule."""
        points = np.array(self.points)
        flow = np.zeros(len(points))
        for node in range(len(points) - 1, -1, -1):
            parent = self.parents[node]
            if parent >= 0:
                flow[parent] += flow[node] + np.linalg.norm(points[node] - points[parent])
        radii = np.maximum(tip, base * (flow / flow[0]) ** power)
        stem = self.branches[0]
        radii[stem] *= np.linspace(1.0, 1.0 - taper, len(stem))
        return radii

    def wood(self, radii: np.ndarray, bark: Bark, *, sides: int, thinnest: float = 0.0,
             branch_sides: int = 3, skip: int = 1, flare: float = 0.0,
             rng: np.random.Generator | None = None) -> Surface:
        """Tubes along the branches thicker than `thinnest`.

        `skip` keeps every so many joints; `flare` is how much wider the foot of the trunk is.
        """
        parts = []
        for branch, depth in zip(self.branches, self.depths):
            around = sides if depth == 0 else max(branch_sides, sides - 2 * depth)
            kept = branch[::skip] + ([] if (len(branch) - 1) % skip == 0 else [branch[-1]])
            path = np.array([self.points[node] for node in kept])
            width = radii[kept]
            if depth:
                # A branch leaves its parent thinner than that is.
                width = width.copy()
                width[0] = min(width[0], 1.35 * radii[branch[1]])
                if width[0] < thinnest:
                    continue
            repeats = max(1, round(2.0 * np.pi * width[0] / bark.width))
            squeeze = np.clip(2.0 * np.pi * width[0] / (repeats * bark.width), 0.25, 1.3)
            bulge = _flare(path, around, flare, rng) if depth == 0 and flare > 0.0 else None
            parts.append(tube(path, width, around, repeats=repeats, bulge=bulge,
                              tile_length=bark.height * squeeze, v_start=0.37 * len(parts)))
        return joined(parts)


def _flare(path: np.ndarray, sides: int, amount: float, rng) -> np.ndarray:
    """Swelling of the trunk into roots: (joints, sides) factors of the radius."""
    phase = 0.0 if rng is None else float(rng.random()) * 6.2832
    angle = np.arange(sides) * (2.0 * np.pi / sides)
    lobes = 0.62 + 0.38 * np.cos(5.0 * angle + phase) + 0.22 * np.cos(3.0 * angle - 1.7 * phase)
    height = np.maximum(path[:, 1], 0.0)
    fall = np.exp(-height / (0.28 + 0.03 * height[-1]))
    return 1.0 + amount * fall[:, None] * lobes


def trunk_path(rng: np.random.Generator, height: float, lean: float, joints: int,
               below: float = 0.3) -> np.ndarray:
    """A gently winding stem from `below` the ground up, closer joints near the ground."""
    t = np.linspace(0.0, 1.0, joints) ** 1.6
    y = -below + (height + below) * t
    phase, aim = rng.random(2) * 6.2832
    sway = lean * (0.55 * np.sin(phase + 3.6 * t) - 0.55 * np.sin(phase) + 0.8 * t * t)
    cross = 0.6 * lean * (np.sin(2.0 * phase + 4.4 * t) - np.sin(2.0 * phase)) * t
    return np.stack([sway * np.cos(aim) - cross * np.sin(aim), y,
                     sway * np.sin(aim) + cross * np.cos(aim)], axis=1)
