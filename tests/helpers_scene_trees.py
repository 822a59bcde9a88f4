# SPDX-License-Identifier: MIT
"""Meshes, poses and rays for SceneTrees, and a float64 reference that tries every triangle."""

from __future__ import annotations

import numpy as np

CLOSE = 1e-5  # of distances, relative


def grid(side: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """A square of 2 * (side - 1)**2 triangles in x and y, 0 to 1."""
    line = np.linspace(0, 1, side)
    x, y = np.meshgrid(line, line, indexing="ij")
    positions = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3).astype(np.float32)
    first = np.arange((side - 1) * side).reshape(side - 1, side)[:, :-1].ravel()
    corners = [[first, first + 1, first + side], [first + 1, first + side + 1, first + side]]
    return positions, np.concatenate([np.stack(c, 1) for c in corners]).astype(np.uint32)


def curled(positions: np.ndarray, turns: float) -> np.ndarray:
    """The square rolled up around y, `turns` times."""
    angle = 2 * np.pi * turns * positions[:, 0]
    radius = 0.2 + 0.1 * positions[:, 0]
    return np.stack(
        [radius * np.sin(angle), positions[:, 1], radius * np.cos(angle)], 1
    ).astype(np.float32)


def wavy(positions: np.ndarray, phase: float) -> np.ndarray:
    out = positions.copy()
    out[:, 2] += np.float32(0.1) * np.sin(9 * positions[:, 0] + np.float32(phase))
    return out


def scattered(positions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every vertex somewhere else in the unit cube."""
    return rng.random(positions.shape, dtype=np.float32)


def soup(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Small triangles in the unit cube that share no vertex."""
    middle = rng.random((count, 1, 3))
    corners = middle + 0.15 * (rng.random((count, 3, 3)) - 0.5)
    return corners.reshape(-1, 3).astype(np.float32), np.arange(3 * count).reshape(-1, 3)


def random_matrix(rng: np.random.Generator) -> np.ndarray:
    """(4, 4): turned, stretched, perhaps mirrored, moved."""
    matrix = np.eye(4)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    matrix[:3, :3] = turn * rng.uniform(0.5, 2.0, 3)
    matrix[:3, 3] = rng.uniform(-1, 1, 3)
    return matrix


def rays_at(rng: np.random.Generator, count: int, low=-1.0, high=2.0):
    """Rays between random points of a box and around it."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    origins = rng.uniform(low - 1, high + 1, (count, 3)).astype(np.float32)
    targets = rng.uniform(low, high, (count, 3)).astype(np.float32)
    return origins, targets - origins


def _meet(origins, directions, triangles):
    """(rays, triangles) distances, inf where missed, and how near an edge the ray passes."""
    a, b, c = (triangles[:, i] for i in range(3))
    edge1, edge2 = b - a, c - a
    p = np.cross(directions[:, None], edge2[None])
    determinant = (p * edge1).sum(-1)
    with np.errstate(all="ignore"):
        s = origins[:, None] - a[None]
        u = (s * p).sum(-1) / determinant
        q = np.cross(s, np.broadcast_to(edge1, s.shape))
        v = (q * directions[:, None]).sum(-1) / determinant
        t = (q * edge2).sum(-1) / determinant
        least = np.minimum(np.minimum(u, v), 1 - u - v)
        is_hit = (least >= 0) & (t >= 0) & np.isfinite(t)
        margin = np.where(np.isfinite(least) & (t > -1e-4), np.abs(least), np.inf)
    return np.where(is_hit, t, np.inf), margin


def brute(scene, origins, directions):
    """Nearest hits of a scene of (instance, matrix, positions, indices).

    Returns t, instance, primitive, and which rays are clear: they pass no edge so near that
    float32 may see it otherwise, and no two hits are as far.
    """
    origins, directions = (np.asarray(a, np.float64) for a in (origins, directions))
    count = len(origins)
    best = np.full(count, np.inf)
    second = np.full(count, np.inf)
    ids = np.full((count, 2), -1)
    clear = np.ones(count, bool)
    for instance, matrix, positions, indices in scene:
        corners = np.asarray(positions, np.float64)[np.asarray(indices).reshape(-1, 3)]
        usable = (np.abs(corners) <= 2.0**60).all((1, 2))
        world = corners[usable] @ matrix[:3, :3].T + matrix[:3, 3]
        rows = np.flatnonzero(usable)
        if not len(rows):
            continue
        for begin in range(0, count, 256):
            part = slice(begin, begin + 256)
            t, margin = _meet(origins[part], directions[part], world)
            # An edge counts where it could be the nearest hit.
            clear[part] &= ~(margin < 1e-4).any(1)
            order = np.argpartition(t, min(1, t.shape[1] - 1), axis=1)[:, :2]
            for column in range(order.shape[1]):
                at = order[:, column]
                value = t[np.arange(len(t)), at]
                is_nearer = value < best[part]
                second[part] = np.where(
                    is_nearer, best[part], np.minimum(second[part], value)
                )
                best[part] = np.where(is_nearer, value, best[part])
                found = np.stack([np.full(len(at), instance), rows[at]], 1)
                ids[part] = np.where(is_nearer[:, None], found, ids[part])
    with np.errstate(invalid="ignore"):
        clear &= ~(second - best < 1e-4 * np.maximum(best, 1e-3)) | np.isinf(best)
    return best, ids[:, 0], ids[:, 1], clear


def assert_meets(trees, scene, origins, directions, *, least_clear: float = 0.5) -> None:
    """The trees' hits are those of the reference, on rays where that is sure."""
    t, instance, primitive, clear = brute(scene, origins, directions)
    hits = trees.trace(origins, directions)
    assert clear.mean() >= least_clear
    np.testing.assert_array_equal(hits.instance[clear], instance[clear])
    np.testing.assert_array_equal(hits.primitive[clear], primitive[clear])
    met = clear & (instance >= 0)
    with np.errstate(invalid="ignore"):
        error = np.abs(hits.t[met] - t[met])
    assert (error <= CLOSE * np.maximum(1.0, t[met])).all(), error.max()
    assert np.isinf(hits.t[~hits.hit]).all()
    np.testing.assert_array_equal(trees.occluded(origins, directions)[clear], instance[clear] >= 0)
