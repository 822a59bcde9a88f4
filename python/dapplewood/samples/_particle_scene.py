# SPDX-License-Identifier: MIT
"""The pond at dusk with all that moves in it: water, magic, fire, dust, fireflies and mist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _models, _pond_glade

if TYPE_CHECKING:
    from ..camera import Camera
    from ..frame import Frame
    from ..particle_effect import ParticleEffect
    from ..particles import ParticleManager
    from ..renderer import Renderer
    from ..scene import Scene

# Where a camera stands for a close look, from what it looks at, and the height of that.
_CLOSE = {"fire": ((-0.9, 0.75, 3.0), 0.50, 0.62), "altar": ((1.1, 0.75, 5.4), 1.25, 0.62),
          "net": ((0.35, 0.95, 2.35), 0.08, 0.60), "bait": ((0.35, 0.95, 2.35), 0.08, 0.60),
          "fly": ((0.35, 0.95, 2.35), 0.08, 0.60)}  # fmt: skip


class ParticleScene(NamedTuple):
    """A scene with its particles, a camera in front of it, their hub, and the pond around them."""

    scene: Scene
    camera: Camera
    particles: ParticleManager
    pond: _pond_glade.PondGlade

    def render(self, renderer: Renderer, seconds: float, camera: Camera | None = None) -> Frame:
        """Draw the scene with its particles at a time.

        Parameters
        ----------
        renderer : Renderer
        seconds : float
            Of the hub's clock, 0 or more.
        camera : Camera, optional
            None: the scene's own.

        Returns
        -------
        Frame
        """
        self.particles.seek(seconds)
        return renderer.render(self.scene, self.camera if camera is None else camera)

    def close(self) -> None:
        """Close the hub and the forests."""
        self.particles.close()
        self.pond.close()


def particle_scene(device: Any = None, *, seed: int = 0, detail: float = 1.0) -> ParticleScene:
    """Compose the pond at dusk with particles of every sort at their places.

    Three fishing spots ("fishing_net", "fishing_bait", "fishing_fly"), an altar, a camp fire, two
    torches, motes in the sunbeams, fireflies over the reeds and mist on the water, all registered
    with one hub.

    Parameters
    ----------
    device : Device, optional
        Of the hub; None: as `ParticleManager` chooses.
    seed : int
        Of the land, of what grows there, and of the particles.
    detail : float
        As for `pond_glade`.

    Returns
    -------
    ParticleScene
        (scene, camera, particles, pond).

    Examples
    --------
    >>> made = dw.samples.particle_scene()
    >>> made.render(dw.Renderer((960, 540)), 12.0).save("particles.png")
    """
    from ..particles import ParticleManager

    pond = _pond_glade.pond_glade(seed=seed, detail=detail)
    hub = ParticleManager(device, seed=_models._seed(seed))
    _register(hub, pond)
    pond.scene.add(hub)
    return ParticleScene(pond.scene, pond.camera, hub, pond)


def _register(hub: ParticleManager, pond: _pond_glade.PondGlade) -> None:
    from ..particle_configs import (
        EffectConfig, FireConfig, GlowConfig, MagicConfig, WaterConfig,
    )  # fmt: skip

    for name, place in pond.spots.items():
        hub.register(f"fishing_{name}", WaterConfig(place, f"fishing_spot_{name}"))
    hub.register("altar", GlowConfig(pond.altar, "altar", surface=pond.altar_surface))
    hub.register("rings", MagicConfig(pond.altar, "enchant", surface=pond.pedestal))
    hub.register("camp fire", FireConfig(pond.fire + (0.0, 0.08, 0.0), "camp", scale=1.2))
    for i, place in enumerate(pond.torches):
        hub.register(f"torch {i}", FireConfig(place, "torch", scale=1.25))
    hub.register("motes", EffectConfig(pond.beams, motes()))
    for i, (x, z) in enumerate(((-5.0, 3.2), (2.5, 0.0))):
        hub.register(f"fireflies {i}", EffectConfig((x, pond.water_level + 0.9, z), fireflies()))
    hub.register("mist", EffectConfig(pond.middle, mist()))


def motes() -> ParticleEffect:
    """Dust that hangs in a beam of light, 5 m long, and glints as it turns."""
    from ..particle_effect import ParticleEffect, ParticlePart

    def part(count: int, size: float, opacity: float) -> ParticlePart:
        return ParticlePart(
            "ballistic", "magic", count, (6.0, 11.0), rise=4.0, fall=3.0, opacity=opacity,
            ramp=(0xFFE2A8, 0xFFC878, 0xFFF0D0), over_life=False, opacity_curve=_glints(),
            params={"shape": 4.0, "box_x": 2.2, "box_y": 1.3, "box_z": 1.6, "thickness": 1.0,
                    "speed": 0.03, "speed_span": 0.06, "spread": 0.5, "accel_x": 0.006,
                    "accel_y": -0.004, "size": size, "size_span": size},
        )  # fmt: skip

    return ParticleEffect("motes", (part(160, 0.019, 0.9), part(40, 0.04, 0.6)))


def _glints(beats: float = 5.0) -> np.ndarray:
    t = np.linspace(0.0, 1.0, 65)
    return 0.35 + 0.65 * np.sin(np.pi * beats * t) ** 6


def fireflies() -> ParticleEffect:
    """A dozen lights that wander over reeds, each lit now and then."""
    from ..particle_effect import ParticleEffect, ParticlePart

    t = np.linspace(0.0, 1.0, 65)
    lit = np.clip(1.6 * np.sin(3.0 * np.pi * t) ** 3, 0.0, 1.0)
    part = ParticlePart(
        "wisp", "magic", 12, (5.0, 9.0), opacity=0.95, opacity_curve=lit,
        ramp=(0xD8FF70, 0xF4FF90, 0xB8F060), over_life=False,
        params={"radius": 0.2, "radius_span": 1.0, "speed": 0.15, "speed_span": 0.5, "size": 0.05,
                "size_span": 0.05},
    )  # fmt: skip
    return ParticleEffect("fireflies", (part,))


def mist() -> ParticleEffect:
    """Thin banks that creep over water."""
    from ..particle_effect import ParticleEffect, ParticlePart

    t = np.linspace(0.0, 1.0, 65)
    part = ParticlePart(
        "puff", "fog", 22, (14.0, 22.0), opacity=0.10, opacity_curve=np.sin(np.pi * t) ** 2,
        params={"radius": 3.2, "speed": 0.1, "speed_span": 0.8, "height": 0.18, "lift": 0.0,
                "lift_span": 0.1, "wind_x": 0.7, "wind_z": 0.2, "size": 1.1, "size_span": 0.9,
                "growth": 0.4, "spin": 0.05},
    )  # fmt: skip
    return ParticleEffect("mist", (part,))


def close_ups(pond: _pond_glade.PondGlade) -> dict[str, Camera]:
    """Cameras near the fire, the altar and each fishing spot, of a square picture.

    Parameters
    ----------
    pond : PondGlade

    Returns
    -------
    dict of str to Camera
        "fire", "altar", "net", "bait", "fly".
    """
    from ..camera import Camera

    places = {"fire": pond.fire, "altar": pond.altar, **pond.spots}
    cameras = {}
    for name, (away, height, field) in _CLOSE.items():
        at = places[name] + (0.0, height, 0.0)
        cameras[name] = Camera(at + away, at, fov_y=field, far=200.0)
    return cameras
