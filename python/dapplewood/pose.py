# SPDX-License-Identifier: MIT
"""What a model is at one moment."""

from __future__ import annotations

import dataclasses

import numpy as np

__all__ = ["Pose"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Pose:
    """A model at one moment.

    Attributes
    ----------
    joint_matrices : tuple of (J, 4, 4) float64
        By skin: from the mesh's space into that of the model.
    morph_weights : dict of int to (M,) float32
        By node, for nodes whose meshes have morph targets.
    node_matrices : (N, 4, 4) float64
        From each node's space into that of the model.
    """

    joint_matrices: tuple[np.ndarray, ...]
    morph_weights: dict[int, np.ndarray]
    node_matrices: np.ndarray

    def __repr__(self) -> str:
        joints = ", ".join(str(len(matrices)) for matrices in self.joint_matrices) or "no"
        return (
            f"<Pose of {len(self.node_matrices)} nodes, {joints} joints, "
            f"{len(self.morph_weights)} morphed>"
        )
