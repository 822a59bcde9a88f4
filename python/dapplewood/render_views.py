# SPDX-License-Identifier: MIT
"""The camera and its surroundings as the core's records: jittered sub-frames, the sun's map."""

from __future__ import annotations

import math

import numpy as np

from .camera import OrthoCamera, _View, frustum_planes, look_at
from .layouts import record_dtype
from .scene import Fog, Scene, Sun

__all__ = ["ShadowFit", "fit_shadow", "jitters", "view_records"]


class ShadowFit:
    """The sun's view: its matrix, the planes casters must lie inside, metres of a texel."""

    def __init__(self, matrix: np.ndarray, planes: np.ndarray, texel: float):
        self.matrix, self.planes, self.texel = matrix, planes, texel


def _radical_inverse(index: int, base: int) -> float:
    value, scale = 0.0, 1.0 / base
    while index > 0:
        value += scale * (index % base)
        index //= base
        scale /= base
    return value


def jitters(count: int) -> np.ndarray:
    """(count, 2) offsets within a pixel, in [-0.5, 0.5); one sub-frame sits in the middle.

    A Halton sequence in bases 2 and 3, moved so that its mean is the pixel's centre.
    """
    if count == 1:
        return np.zeros((1, 2))
    points = np.array(
        [(_radical_inverse(i + 1, 2), _radical_inverse(i + 1, 3)) for i in range(count)]
    )
    return points - points.mean(axis=0)


def _box_corners(bounds: np.ndarray) -> np.ndarray:
    grid = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    return np.take_along_axis(bounds, grid, axis=0)


def fit_shadow(
    sun: Sun, camera: _View, aspect: float, bounds: np.ndarray | None
) -> ShadowFit | None:
    """The map over what the camera sees, as far as the sun's shadow distance and the scene reach.

    Parameters
    ----------
    bounds : (2, 3) array or None
        Of all casters; None: there are none.

    Returns
    -------
    ShadowFit or None
        None where there is nothing to cast or to see.
    """
    if bounds is None or not sun.shadows:
        return None
    far = min(camera.far, max(sun.shadow_distance, 1.01 * camera.near))
    light = look_at(sun.unit, (0.0, 0.0, 0.0))
    seen = camera.corners(aspect, min(camera.near, 0.5 * far), far) @ light[:3, :3].T
    cast = _box_corners(bounds) @ light[:3, :3].T
    low = np.maximum(seen.min(axis=0), cast.min(axis=0))[:2]
    high = np.minimum(seen.max(axis=0), cast.max(axis=0))[:2]
    if (high - low <= 0.0).any():
        return None
    # A size in steps of an eighth and a place in whole texels, so that shadows stand still.
    size = max(float(max(high - low)) * 1.02, 1e-6)
    size = 2.0 ** (math.ceil(8.0 * math.log2(size)) / 8.0)
    texel = size / sun.shadow_size
    centre = np.round(0.5 * (low + high) / texel) * texel
    z_near = float(cast[:, 2].max()) + 1.0
    z_far = float(min(seen[:, 2].min(), cast[:, 2].min())) - 1.0
    depth = z_near - z_far
    scale = 2.0 / size
    projection = np.array(
        [
            [scale, 0.0, 0.0, -scale * centre[0]],
            [0.0, -scale, 0.0, scale * centre[1]],
            [0.0, 0.0, 1.0 / depth, -z_far / depth],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    rotation = np.eye(4)
    rotation[:3, :3] = light[:3, :3]
    matrix = projection @ rotation
    return ShadowFit(matrix, frustum_planes(matrix), texel)


def _sky_rays(camera: _View, aspect: float) -> np.ndarray:
    right, up, back = camera.view_matrix[:3, :3]
    rays = np.zeros((3, 4))
    if isinstance(camera, OrthoCamera):
        rays[0, :3] = -back
        return rays
    half = camera.half_size(1.0)
    rays[0, :3] = -back - half * aspect * right + half * up
    rays[1, :3] = 2.0 * half * aspect * right
    rays[2, :3] = -2.0 * half * up
    return rays


def _set3(record: np.ndarray, name: str, values, last: float = 0.0) -> None:
    record[name] = [*map(float, values), last]


def _fill_surroundings(record: np.ndarray, scene: Scene, seconds: float) -> None:
    sun, sky = scene.sun, scene.sky
    _set3(record, "sun_direction", sun.unit, math.cos(0.02))
    _set3(record, "sun_color", sun.color, sun.shadow_strength)
    fog = sky.fog if sky is not None else Fog()
    if sky is None:
        record["sky_horizon"][3] = 1.0
        for name in ("sky_zenith", "sky_horizon", "sky_ground"):
            record[name][:3] = 0.5
    else:
        _set3(record, "sky_zenith", sky.zenith)
        _set3(record, "sky_horizon", sky.horizon, sky.exposure)
        _set3(record, "sky_ground", sky.ground)
    _set3(record, "fog_color", fog.color, fog.density)
    record["fog_shape"] = fog.height_falloff, fog.base_height, fog.most, 0.0
    record["wind"] = *scene.wind, 1.0, seconds


def view_records(
    scene: Scene,
    camera: _View,
    size: tuple[int, int],
    sub_frames: int,
    shadow: ShadowFit | None,
    seconds: float,
) -> np.ndarray:
    """(sub_frames,) records of dw_scene_view."""
    width, height = size
    aspect = width / height
    records = np.zeros(sub_frames, record_dtype("dw_scene_view"))
    first = records[0]
    near, far, is_ortho = camera.depth_terms()  # type: ignore[attr-defined]
    _set3(first, "position", camera.position)
    _set3(first, "forward", camera.forward)
    first["rays"] = _sky_rays(camera, aspect).ravel()
    _fill_surroundings(first, scene, seconds)
    first["depth_terms"] = near, far, 1.5 * shadow.texel if shadow else 0.0, float(is_ortho)
    if shadow is not None:
        first["shadow_projection"] = shadow.matrix.ravel()
        first["shadow_size"][:2] = scene.sun.shadow_size, 1
    first["shadow_size"][2] = scene.sky is not None and scene.sky.tone
    projection = camera.view_projection(aspect)
    records[1:] = first
    for i, (dx, dy) in enumerate(jitters(sub_frames)):
        moved = projection.copy()
        moved[0] += 2.0 * dx / width * projection[3]
        moved[1] += 2.0 * dy / height * projection[3]
        records[i]["view_projection"] = moved.ravel()
        records[i]["size"] = width, height, i, sub_frames
    return records
