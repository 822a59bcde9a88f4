# SPDX-License-Identifier: MIT
"""Models that move: an arm that bends, with a bulge and a ring that rides along."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
from dapplewood.animation import Animation, AnimationChannel
from dapplewood.model import Node, Skin

IDENTITY = (np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]), np.ones(3))


def tube(rings: int, sides: int, length: float = 2.0, radius: float = 0.2):
    """Positions and indices of an open tube along y."""
    angle = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    y = np.linspace(0.0, length, rings)
    circle = np.stack([radius * np.cos(angle), np.zeros(sides), radius * np.sin(angle)], axis=1)
    positions = (circle[None] + y[:, None, None] * np.array([0.0, 1.0, 0.0])).reshape(-1, 3)
    row, side = np.meshgrid(np.arange(rings - 1), np.arange(sides), indexing="ij")
    a, b = row * sides + side, row * sides + (side + 1) % sides
    quads = np.stack([a, a + sides, b, b, a + sides, b + sides], axis=-1)
    return positions.astype(np.float32), quads.reshape(-1, 3).astype(np.uint32)


def _node(
    name: str, parent: int, children, *, meshes=(), skin=None, at=(0.0, 0.0, 0.0), weights=None
) -> Node:
    return Node(
        name, parent, tuple(children), np.array(at, np.float64), *IDENTITY[1:], None, tuple(meshes),
        skin, weights,
    )  # fmt: skip


def bending_arm(rings: int = 40, sides: int = 12) -> dw.Model:
    """A skinned tube of two joints, a morphed tube, and a static ring on the second joint.

    Animation "bend": the elbow turns by 2 radians within a second and holds for another one, the
    weights of the morphed tube rise.
    """
    positions, indices = tube(rings, sides)
    share = np.clip(positions[:, 1] - 0.5, 0.0, 1.0)
    weights = np.zeros((len(positions), 4), np.float32)
    weights[:, 0], weights[:, 1] = 1.0 - share, share
    joints = np.tile(np.array([0, 1, 0, 0], np.uint16), (len(positions), 1))
    arm = dw.Mesh(positions, indices, joints=joints, weights=weights)
    bulge = np.zeros((1, *positions.shape), np.float32)
    bulge[0, :, 0] = np.sin(positions[:, 1] * np.pi / 2.0)
    swell = dw.Mesh(positions, indices, targets=bulge)
    ring_positions, ring_indices = tube(2, sides, 0.1, 0.5)
    ring = dw.Mesh(ring_positions, ring_indices)
    nodes = (
        _node("root", -1, (1, 3, 4)),
        _node("upper", 0, (2,)),
        _node("lower", 1, (5,), at=(0.0, 1.0, 0.0)),
        _node("arm", 0, (), meshes=(0,), skin=0),
        _node("swell", 0, (), meshes=(1,), at=(1.5, 0.0, 0.0), weights=np.zeros(1, np.float32)),
        _node("ring", 2, (), meshes=(2,), at=(0.0, 0.5, 0.0)),
    )
    inverse = np.tile(np.eye(4), (2, 1, 1))
    inverse[1, 1, 3] = -1.0
    times = np.array([0.0, 1.0, 2.0], np.float32)
    turn = np.array([0.0, 2.0, 2.0])
    quaternions = np.stack([0 * turn, 0 * turn, np.sin(turn / 2), np.cos(turn / 2)], axis=1)
    bend = Animation(
        "bend",
        (
            AnimationChannel(2, "rotation", "linear", times, quaternions.astype(np.float32)),
            AnimationChannel(4, "weights", "linear", times, np.array([[0], [1], [1]], np.float32)),
        ),
    )
    return dw.Model(
        (arm, swell, ring), (), (Skin("arm", np.array([1, 2]), inverse),), (bend,), nodes,
        ((0,),), name="arm",
    )  # fmt: skip
