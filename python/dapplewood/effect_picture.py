# SPDX-License-Identifier: MIT
"""A particle effect as a strip of pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .camera import Camera
from .device import Device
from .kinds import ParticleKind
from .particle_configs import EffectConfig
from .particle_effect import ParticleEffect, effect
from .particles import ParticleManager
from .renderer import Renderer
from .scene import Scene, Sky

__all__ = ["effect_strip"]

_FIELD = 0.6  # radians from top to bottom
_SHARE = 0.98  # of the particles of any time that a view holds along each axis
_LEAST = 0.05  # m that a view holds at least
_MOST = 4000  # particles of a layer that a view is chosen by
# Kinds whose box goes with the camera, which stands in it then, as tall as people are.
_AROUND = (ParticleKind.RAIN, ParticleKind.SNOW, ParticleKind.FOG)
_EYES = 1.7  # m
_BACKDROP = (0.03, 0.035, 0.045)  # linear light; what adds and what covers both show before it


def effect_strip(
    what: ParticleEffect | str,
    times: Sequence[float],
    *,
    size: tuple[int, int] = (240, 240),
    seed: int = 0,
    device: Device | None = None,
) -> NDArray[np.uint8]:
    """Draws an effect at several times, side by side, seen by one camera.

    Parameters
    ----------
    what : ParticleEffect or str
        An effect, or the name of a built-in one.
    times : sequence of float
        Seconds since the effect began, none before the one in front of it; at least one.
    size : (width, height)
        Of each picture, in pixels.
    seed : int
        Of the hub that plays it.
    device : Device, optional
        A Vulkan device; by default the best one.

    Returns
    -------
    (height, width * len(times), 4) uint8
        sRGB, opaque.

    Raises
    ------
    ValueError
        No times, ones that go back, or one that is negative or not finite; no effect of that name.
    DeviceNotFound
        There is no Vulkan device.
    """
    played = effect(what) if isinstance(what, str) else what
    if len(times) == 0 or any(b < a for a, b in zip(times, times[1:])):
        raise ValueError(f"times must be seconds, one or more, that never go back, got {times!r}")
    camera = _view(played, times, seed, size[0] / size[1])
    with Renderer(size, device=device) as renderer, ParticleManager(
        renderer.device, seed=seed
    ) as hub:
        hub.register(0, EffectConfig((0.0, 0.0, 0.0), played))
        scene = Scene()
        scene.sky = Sky(zenith=_BACKDROP, horizon=_BACKDROP, ground=_BACKDROP)
        scene.add(hub)
        frames = []
        for seconds in times:
            hub.seek(seconds)
            frames.append(renderer.render(scene, camera).color)
    return np.ascontiguousarray(np.concatenate(frames, axis=1))


def _view(played: ParticleEffect, times: Sequence[float], seed: int, aspect: float) -> Camera:
    """A camera that holds nearly all particles of all times, a little from above."""
    if any(part.kind in _AROUND for part in played.parts):
        return Camera((0.0, _EYES, 0.0), (0.0, _EYES, -1.0), fov_y=1.5 * _FIELD)
    low, high = [], []
    with ParticleManager(seed=seed) as hub:
        hub.register(0, EffectConfig((0.0, 0.0, 0.0), played))
        for seconds in times:
            hub.seek(seconds)
            states = [hub.state(layer) for layer in range(len(hub.styles))]
            shown = np.concatenate([state[:: max(1, len(state) // _MOST)] for state in states])
            if len(shown):
                reach = shown["size"][:, None] / 2
                low.append(np.quantile(shown["position"] - reach, 1 - _SHARE, axis=0))
                high.append(np.quantile(shown["position"] + reach, _SHARE, axis=0))
    corner = np.min(low, axis=0) if low else np.full(3, -0.5)
    other = np.max(high, axis=0) if high else np.full(3, 0.5)
    centre, extent = (corner + other) / 2, np.maximum(other - corner, _LEAST)
    radius = max(extent[1] / 2, extent[0] / 2 / aspect)
    away = radius / np.tan(_FIELD / 2) + extent[2] / 2
    position = centre + (0.0, 0.12 * away, away)
    return Camera(position, centre, fov_y=_FIELD, near=away / 100, far=away * 20)
