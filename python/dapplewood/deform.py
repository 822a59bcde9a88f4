# SPDX-License-Identifier: MIT
"""Meshes deformed once, in float64: morph targets, then linear blend skinning."""

from __future__ import annotations

import numpy as np

from .mesh import Mesh

__all__ = ["deformed"]


def deformed(
    mesh: Mesh, joint_matrices: np.ndarray | None, morph_weights: np.ndarray | None
) -> Mesh:
    """The mesh as a pose has it, without its skin and targets; itself where nothing moves it.

    Parameters
    ----------
    joint_matrices : (J, 4, 4), optional
        None: not skinned.
    morph_weights : (M,), optional

    Raises
    ------
    ValueError
        A number of matrices or weights that does not fit the mesh, or vertices beyond float32.
    """
    targets = mesh.targets
    is_morphed = targets is not None and morph_weights is not None and bool(np.any(morph_weights))
    if not is_morphed and joint_matrices is None:
        return mesh
    positions = mesh.positions.astype(np.float64)
    normals = mesh.normals.astype(np.float64)
    if is_morphed:
        assert targets is not None and morph_weights is not None
        if len(morph_weights) != len(targets):
            raise ValueError(
                f"morph_weights must be ({len(targets)},), got {np.shape(morph_weights)}"
            )
        positions += np.tensordot(morph_weights.astype(np.float64), targets, 1)
        if mesh.target_normals is not None:
            normals += np.tensordot(morph_weights.astype(np.float64), mesh.target_normals, 1)
    if joint_matrices is not None:
        positions, normals = _skinned(mesh, joint_matrices, positions, normals)
    has_normals = not is_morphed or mesh.target_normals is not None
    return mesh.replace(
        positions=positions,
        normals=normals if has_normals else "smooth",
        tangents=None,
        joints=None,
        weights=None,
        targets=None,
        target_normals=None,
        target_tangents=None,
        target_names=None,
        morph_weights=None,
    )


def _skinned(
    mesh: Mesh, matrices: np.ndarray, positions: np.ndarray, normals: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    assert mesh.joints is not None and mesh.weights is not None
    if int(mesh.joints.max()) >= len(matrices):
        raise ValueError(
            f"joint_matrices must have more than {int(mesh.joints.max())} rows, got {len(matrices)}"
        )
    blended = np.zeros((len(positions), 3, 4))
    for column in range(mesh.joints.shape[1]):
        weights = mesh.weights[:, column, None, None].astype(np.float64)
        blended += weights * matrices[mesh.joints[:, column], :3]
    moved = np.einsum("vij,vj->vi", blended[:, :, :3], positions) + blended[:, :, 3]
    # Cofactors turn normals under any scaling; see mesh_math.normal_matrix.
    rows = blended[:, :, :3]
    cofactors = np.stack([np.cross(rows[:, i - 2], rows[:, i - 1]) for i in range(3)], axis=1)
    sign = np.where(np.linalg.det(rows) < 0.0, -1.0, 1.0)[:, None]
    return moved, np.einsum("vij,vj->vi", cofactors, normals) * sign
