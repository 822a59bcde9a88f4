# SPDX-License-Identifier: MIT
"""A model on a stage: ground, sun and a camera that frames it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .camera import Camera, look_at
from .materials import Material
from .mesh import Mesh
from .model import Model
from .scene import Scene

__all__ = ["bounds_of", "ground_under", "staged"]

_FOV = 0.6
_DIRECTION = np.array([0.62, 0.34, 1.0])  # from the model towards the camera
_GROUND = (0.19, 0.18, 0.155, 1.0)


def ground_under(bounds: np.ndarray, reach: float) -> Mesh:
    """A plain square under a box, so many metres to each side."""
    x, z = 0.5 * (bounds[0, 0] + bounds[1, 0]), 0.5 * (bounds[0, 2] + bounds[1, 2])
    # A little below, so that feet that are flat do not flicker with it.
    y = bounds[0, 1] - 1e-3 * float(np.linalg.norm(bounds[1] - bounds[0]))
    corners = np.array([[-1, 0, 1], [1, 0, 1], [1, 0, -1], [-1, 0, -1]]) * reach + (x, y, z)
    return Mesh(
        corners.astype(np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        normals=np.tile(np.array([0, 1, 0], np.float32), (4, 1)),
        material=Material(name="ground", base_color=_GROUND, roughness=1.0),
        name="ground",
    )


def bounds_of(model: Model, pose: Any = None) -> np.ndarray:
    """(2, 3): the box around a model in a pose; ValueError where it shows no mesh."""
    corners = [
        mesh.positions[np.unique(mesh.indices)].astype(np.float64) @ m[:3, :3].T + m[:3, 3]
        for mesh, m in model.static_meshes(pose=pose)
    ]
    if not corners:
        raise ValueError("the model shows no mesh")
    joined = np.concatenate(corners)
    return np.stack([joined.min(axis=0), joined.max(axis=0)])


def _distance(bounds: np.ndarray, out: np.ndarray, aspect: float) -> float:
    """Metres from the middle of a box at which a camera sees all its corners."""
    grid = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    corners = np.take_along_axis(bounds, grid, axis=0) - bounds.mean(axis=0)
    x, y, z = look_at(out, (0.0, 0.0, 0.0))[:3, :3] @ corners.T
    slope = math.tan(0.5 * _FOV)
    return float(np.max([np.abs(y) / slope + z, np.abs(x) / (slope * aspect) + z]))


def staged(
    model: Model,
    *,
    pose: Any = None,
    bounds: np.ndarray | None = None,
    ground: bool = True,
    aspect: float = 16 / 9,
) -> tuple[Scene, Camera]:
    """A scene of a model, and a camera that frames it.

    Parameters
    ----------
    model : Model
    pose : Pose, optional
        None: at rest.
    bounds : (2, 3) array, optional
        What the camera frames and what lies on the ground; None: the model in its pose.
    ground : bool
        False: neither ground nor sky; the picture's alpha is coverage.
    aspect : float
        Width over height of the picture.

    Returns
    -------
    (Scene, Camera)

    Raises
    ------
    ValueError
        The model shows no mesh.
    """
    bounds = bounds_of(model, pose) if bounds is None else np.asarray(bounds, np.float64)
    radius = max(0.5 * float(np.linalg.norm(bounds[1] - bounds[0])), 1e-6)
    middle = bounds.mean(axis=0)
    out = _DIRECTION / np.linalg.norm(_DIRECTION)
    distance = max(1.12 * _distance(bounds, out, aspect), 1.05 * radius)
    camera = Camera(
        middle + distance * out, middle, fov_y=_FOV, near=0.01 * distance, far=120.0 * distance
    )
    scene = Scene()
    scene.sun.direction = (-0.45, 0.85, 0.6)
    scene.sun.shadow_distance = distance + 2.5 * radius
    scene.sun.shadow_size = 4096
    scene.add(model, pose=pose)
    if not ground:
        scene.sky = None
        return scene, camera
    scene.add(ground_under(bounds, 100.0 * distance), casts_shadow=False)
    assert scene.sky is not None
    scene.sky.fog.color = scene.sky.horizon
    scene.sky.fog.density = 0.035 / distance
    return scene, camera
