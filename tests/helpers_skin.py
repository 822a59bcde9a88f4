# SPDX-License-Identifier: MIT
"""Meshes with skins and morph targets, and a reference that poses them one vertex at a time."""

from __future__ import annotations

import dapplewood as dw
import numpy as np


def random_mesh(
    rng: np.random.Generator,
    count: int,
    *,
    joints: int = 0,
    columns: int = 4,
    targets: int = 0,
    has_target_normals: bool = True,
    scale: float = 1.0,
) -> dw.Mesh:
    """Points in a cube of edge 2 `scale`; some vertices have one joint, some all columns."""
    options = {}
    if joints:
        shares = rng.random((count, columns)) * (rng.random((count, columns)) < 0.7)
        shares[:, rng.integers(columns)] += 1e-3
        options["joints"] = rng.integers(0, joints, (count, columns))
        options["weights"] = shares
    if targets:
        moved = rng.normal(size=(targets, count, 3)) * (rng.random((targets, count, 1)) < 0.5)
        options["targets"] = 0.2 * scale * moved
        if has_target_normals:
            options["target_normals"] = 0.3 * rng.normal(size=(targets, count, 3))
        options["morph_weights"] = rng.normal(size=targets)
    corners = rng.integers(0, count, (max(count // 3, 1), 3))
    return dw.Mesh(
        scale * rng.uniform(-1, 1, (count, 3)), corners, normals=rng.normal(size=(count, 3)),
        **options,
    )  # fmt: skip


def random_matrices(rng: np.random.Generator, count: int, *, scale: float = 1.0) -> np.ndarray:
    """(count, 4, 4): turned, sheared, some mirrored, moved by about `scale`."""
    matrices = np.zeros((count, 4, 4))
    matrices[:, :3, :3] = np.eye(3) + 0.6 * rng.normal(size=(count, 3, 3))
    matrices[:, :3, 3] = scale * rng.normal(size=(count, 3))
    matrices[:, 3, 3] = 1
    return matrices


def reference(
    mesh: dw.Mesh, matrices: np.ndarray | None, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions and normals of length 1 in float64, as glTF says: each joint moves the point, and
    the points are blended; normals are turned by the inverse transpose of the blended matrix."""
    positions, normals = [], []
    for v in range(mesh.vertex_count):
        p, n = mesh.positions[v].astype(float), mesh.normals[v].astype(float)
        if mesh.targets is not None and weights is not None:
            for t, weight in enumerate(weights):
                p = p + weight * mesh.targets[t, v].astype(float)
                if mesh.target_normals is not None:
                    n = n + weight * mesh.target_normals[t, v].astype(float)
        if matrices is not None:
            who = np.zeros(1, int) if mesh.joints is None else mesh.joints[v].astype(int)
            share = np.ones(1) if mesh.weights is None else mesh.weights[v].astype(float)
            turn = np.linalg.inv(sum(s * matrices[j][:3, :3] for j, s in zip(who, share))).T
            p = sum(s * (matrices[j] @ [*p, 1.0])[:3] for j, s in zip(who, share))
            n = turn @ n
        positions.append(p)
        normals.append(n / np.linalg.norm(n))
    return np.array(positions), np.array(normals)


def size_of(mesh: dw.Mesh) -> float:
    """The diagonal of the box around all vertices."""
    return float(np.linalg.norm(np.ptp(mesh.positions.astype(np.float64), axis=0)))
