# SPDX-License-Identifier: MIT
"""What a model is at one moment."""

from __future__ import annotations

import dataclasses

import numpy as np

__all__ = ["Pose"]


@dataclasses.dataclass(frozen=True, eq=False)
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
