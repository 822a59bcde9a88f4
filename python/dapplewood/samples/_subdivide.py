# SPDX-License-Identifier: MIT
"""Shapes that divide evenly: cages of quads smoothed to surfaces, and lofts through rings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Half the side of a square whose smoothed section is a circle of radius 1.
SQUARE = 1.07


@dataclass
class Shell:
    """Triangles of a closed surface whose vertices know their joints; seams are split."""

    positions: np.ndarray  # (V, 3), metres
    normals: np.ndarray  # (V, 3), unit
    uvs: np.ndarray  # (V, 2)
    weights: np.ndarray  # (V, J), rows sum to 1
    indices: np.ndarray  # (T, 3)


class Cage:
    """A closed cage of quads that grows by rings. Faces turn counterclockwise to the outside."""

    def __init__(self, joints: list[str]):
        self.joints = joints
        self.points: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        self.faces: dict[int, list[int]] = {}
        self.uvs: dict[int, np.ndarray] = {}
        self._next = 0

    def shares(self, weights: dict[str, float]) -> np.ndarray:
        row = np.zeros(len(self.joints))
        for name, share in weights.items():
            row[self.joints.index(name)] = share
        return row / row.sum()

    def ring(self, points, weights: dict[str, float]) -> list[int]:
        """Add vertices that follow the same joints."""
        first = len(self.points)
        self.points += [np.asarray(point, float) for point in points]
        self.weights += [self.shares(weights)] * len(points)
        return list(range(first, len(self.points)))

    def face(self, corners: list[int], uvs) -> int:
        self.faces[self._next], self.uvs[self._next] = corners, np.asarray(uvs, float)
        self._next += 1
        return self._next - 1

    def bridge(self, low: list[int], high: list[int], repeats: float, v: tuple) -> list[int]:
        """Quads between two loops that turn counterclockwise as seen from the high one."""
        count = len(low)
        found = []
        for k in range(count):
            one, other = k * repeats / count, (k + 1) * repeats / count
            j = (k + 1) % count
            found.append(self.face([low[k], low[j], high[j], high[k]],
                                   [(one, v[0]), (other, v[0]), (other, v[1]), (one, v[1])]))
        return found

    def extrude(self, face: int, centre, axes, weights, repeats: float = 1.0,
                tile: float = 0.5) -> tuple[int, list[int]]:
        """Pull a face out to a ring about `centre` with half `axes`; (new face, its sides)."""
        low = self.faces.pop(face)
        v = float(self.uvs.pop(face)[:, 1].max())
        old = np.array([self.points[i] for i in low])
        axes = np.asarray(axes, float)
        off = (old - old.mean(axis=0)) @ axes.T
        centre = np.asarray(centre, float)
        corners = centre + np.where(off > 0.0, 1.0, -1.0) @ axes
        high = self.ring(corners, weights)
        end = v - float(np.linalg.norm(centre - old.mean(axis=0))) / tile
        sides = self.bridge(low, high, repeats, (v, end))
        wide = 2.0 * np.linalg.norm(axes, axis=1) / tile
        lid = self.face(high, [(0, end), (wide[0], end), (wide[0], end - wide[1]),
                               (0, end - wide[1])])
        return lid, sides

    def smoothed(self, times: int) -> Shell:
        """The limit of steps of Catmull and Clark (1978), at the vertices of `times` of them.

        Joint weights go the same way, so that they fall off as smoothly.
        """
        values = np.concatenate([np.array(self.points), np.array(self.weights)], axis=1)
        quads, uvs = np.array(list(self.faces.values())), np.array(list(self.uvs.values()))
        for _ in range(times):
            values, quads, uvs = _divided(values, quads, uvs)
        return _split(_limit(values, quads), quads, uvs)


def _sums(index: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """Sums of rows of `values` that share an index, (count, columns)."""
    return np.stack([np.bincount(index, column, count) for column in values.T], axis=1)


def _divided(values: np.ndarray, quads: np.ndarray, uvs: np.ndarray):
    count, faces = len(values), len(quads)
    middles = values[quads].mean(axis=1)
    after = np.roll(quads, -1, axis=1)
    key = np.minimum(quads, after).astype(np.int64) * count + np.maximum(quads, after)
    keys, edge = np.unique(key.ravel(), return_inverse=True)
    edge = edge.reshape(faces, 4)
    beside = np.argsort(edge.ravel(), kind="stable").reshape(-1, 2) // 4  # closed: two faces each
    ends = np.stack([keys // count, keys % count], axis=1)
    between = values[ends].mean(axis=1)
    edge_points = 0.5 * between + 0.25 * middles[beside].sum(axis=1)
    valence = np.bincount(quads.ravel(), minlength=count)[:, None]
    around = _sums(quads.ravel(), np.repeat(middles, 4, axis=0), count) / valence
    along = _sums(ends.ravel(), np.repeat(between, 2, axis=0), count) / valence
    moved = (around + 2.0 * along + (valence - 3.0) * values) / valence
    e = count + edge
    f = np.broadcast_to(count + len(keys) + np.arange(faces)[:, None], quads.shape)
    new = np.stack([quads, e, f, np.roll(e, 1, axis=1)], axis=2).reshape(-1, 4)
    half = 0.5 * (uvs + np.roll(uvs, -1, axis=1))
    centre = np.broadcast_to(uvs.mean(axis=1, keepdims=True), uvs.shape)
    new_uvs = np.stack([uvs, half, centre, np.roll(half, 1, axis=1)], axis=2).reshape(-1, 4, 2)
    return np.concatenate([moved, edge_points, middles]), new, new_uvs


def _limit(values: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Where endless steps would take the vertices (Halstead, Kass and DeRose, 1993)."""
    count = len(values)
    valence = np.bincount(quads.ravel(), minlength=count)[:, None]

    def around(places: np.ndarray) -> np.ndarray:
        return _sums(quads.ravel(), places.reshape(-1, values.shape[1]), count)

    corner = values[quads]
    beside = around(0.5 * (np.roll(corner, -1, axis=1) + np.roll(corner, 1, axis=1)))
    across = around(np.roll(corner, 2, axis=1))
    return (valence**2 * values + 4.0 * beside + across) / (valence * (valence + 5.0))


def _split(values: np.ndarray, quads: np.ndarray, uvs: np.ndarray) -> Shell:
    positions = values[:, :3]
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]], axis=1).reshape(-1, 3)
    normals = welded_normals(positions, triangles, np.arange(len(positions)))
    place = np.rint(uvs.reshape(-1, 2) * 65536.0).astype(np.int64)
    rows = np.column_stack([quads.ravel(), place])
    kept, corner = np.unique(rows, axis=0, return_inverse=True)
    corner = corner.reshape(-1, 4)
    indices = np.concatenate([corner[:, [0, 1, 2]], corner[:, [0, 2, 3]]], axis=1).reshape(-1, 3)
    vertex = kept[:, 0]
    return Shell(positions[vertex], normals[vertex], kept[:, 1:] / 65536.0, values[vertex, 3:],
                 indices)


def welded_normals(positions: np.ndarray, triangles: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Unit normals, each triangle weighted by its area; vertices at one place share theirs."""
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    facing = np.cross(b - a, c - a)
    total = _sums(place[triangles.ravel()], np.repeat(facing, 3, axis=0), int(place.max()) + 1)
    return (total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30))[place]


def welds(positions: np.ndarray) -> np.ndarray:
    """(V,) number of each vertex's place: equal for vertices at the same one."""
    rows = np.rint(positions * 1e7).astype(np.int64)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def loft(rings: np.ndarray, start, end, weights: np.ndarray, *, repeats: float = 1.0,
         tile: float = 0.5) -> Shell:
    """A closed surface through rings, (N, M, 3), with a pole before the first and after the last.

    Rings turn counterclockwise as seen from the end. `weights`, (N, J), are those of the rings.
    """
    count, around = rings.shape[:2]
    closed = np.concatenate([rings, rings[:, :1]], axis=1)
    middles = rings.mean(axis=1)
    steps = np.linalg.norm(np.diff(middles, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)]) / tile
    u = np.arange(around + 1) * (repeats / around)
    uvs = np.stack(np.broadcast_arrays(u[None, :], -along[:, None]), axis=2).reshape(-1, 2)
    tip = (u[:-1] + u[1:]) * 0.5
    poles = [(start, along[0] - np.linalg.norm(middles[0] - start) / tile),
             (end, along[-1] + np.linalg.norm(middles[-1] - end) / tile)]
    positions = [closed.reshape(-1, 3), *(np.tile(pole, (around, 1)) for pole, _ in poles)]
    uvs = np.concatenate([uvs, *(np.column_stack([tip, np.full(around, -v)]) for _, v in poles)])
    positions = np.concatenate(positions)
    width, total = around + 1, count * (around + 1)
    k = np.arange(around)
    corner = (np.arange(count - 1)[:, None] * width + k).ravel()
    body = np.stack([np.stack([corner, corner + 1, corner + width + 1], 1),
                     np.stack([corner, corner + width + 1, corner + width], 1)], 1).reshape(-1, 3)
    first = np.stack([k + 1, k, total + k], axis=1)
    last = np.stack([total - width + k, total - width + k + 1, total + around + k], axis=1)
    indices = np.concatenate([body, first, last])
    shares = np.concatenate([np.repeat(weights, width, axis=0),
                             np.tile(weights[:1], (around, 1)), np.tile(weights[-1:], (around, 1))])
    normals = welded_normals(positions, indices, welds(positions))
    return Shell(positions, normals, uvs, shares, indices)
