# SPDX-License-Identifier: MIT
"""What a picture shows: objects, sun, sky and air."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from .mesh import Mesh
from .model import Model

__all__ = ["SHADOW_MODES", "Fog", "Scene", "SceneObject", "Sky", "Sun", "check_transforms"]

SHADOW_MODES = ("hard", "dither", "off")

Color = tuple[float, float, float]
_LARGEST = 1e9  # of a transform; metres


def _color(value: Any, name: str) -> Color:
    try:
        numbers = tuple(float(part) for part in value)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) != 3 or not all(math.isfinite(part) and part >= 0.0 for part in numbers):
        raise ValueError(f"{name} must be 3 finite numbers, 0 or more, got {value!r}")
    return numbers  # type: ignore[return-value]


def _number(value: Any, name: str, low: float, high: float = math.inf) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not (math.isfinite(number) and low <= number <= high):
        wanted = f"at least {low:g}" if high == math.inf else f"in [{low:g}, {high:g}]"
        raise ValueError(f"{name} must be finite and {wanted}, got {value!r}")
    return number


@dataclasses.dataclass
class Sun:
    """The sun and its shadows.

    Parameters
    ----------
    direction : (3,) floats
        From the ground towards the sun; any length but 0.
    color : (3,) floats
        Linear light on a surface that faces it.
    shadow : {"hard", "dither", "off"}
        What the trees of forests cast: "hard", the whole shadow of a tree that is at least half
        there; "dither", what the picture shows of it, in the texels of the map; "off", none.
        Objects always cast theirs.
    shadows : bool
        False: nothing casts any.
    shadow_distance : float
        Metres from the camera up to which shadows are drawn.
    shadow_size : int
        Texels along a side of the shadow map, 64 to 8192.
    shadow_strength : float
        1: shadows get no sun; less: some.
    """

    direction: tuple[float, float, float] = (0.45, 0.65, 0.4)
    color: Color = (1.75, 1.52, 1.18)
    shadow: str = "dither"
    shadows: bool = True
    shadow_distance: float = 120.0
    shadow_size: int = 2048
    shadow_strength: float = 1.0

    def checked(self) -> Sun:
        """Itself, once every value is in range; else ValueError."""
        try:
            direction = np.asarray(self.direction, dtype=np.float64)
        except (TypeError, ValueError):
            direction = np.zeros(0)
        if direction.shape != (3,) or not 1e-100 < np.abs(direction).max() < 1e100:
            raise ValueError(
                f"sun.direction must be 3 finite numbers, not all 0, got {self.direction!r}"
            )
        _color(self.color, "sun.color")
        if self.shadow not in SHADOW_MODES:
            raise ValueError(
                f"sun.shadow must be one of {', '.join(SHADOW_MODES)}, got {self.shadow!r}"
            )
        _number(self.shadow_distance, "sun.shadow_distance", 0.01)
        _number(self.shadow_strength, "sun.shadow_strength", 0.0, 1.0)
        size = self.shadow_size
        if not isinstance(size, (int, np.integer)) or not 64 <= size <= 8192:
            raise ValueError(f"sun.shadow_size must be whole, in [64, 8192], got {size!r}")
        return self

    @property
    def unit(self) -> np.ndarray:
        direction = np.asarray(self.direction, dtype=np.float64)
        return direction / np.linalg.norm(direction)


@dataclasses.dataclass
class Fog:
    """Air that takes the colour of distant things.

    Parameters
    ----------
    color : (3,) floats
        Linear light.
    density : float
        Per metre at the base height: a thing 1 / density away keeps 37 % of its colour.
    height_falloff : float
        Per metre: how fast the air thins upwards.
    base_height : float
    most : float
        Largest share of the fog's colour, up to 1.
    """

    color: Color = (0.62, 0.66, 0.68)
    density: float = 0.0
    height_falloff: float = 0.0
    base_height: float = 0.0
    most: float = 1.0


@dataclasses.dataclass
class Sky:
    """The sky, also as the light that comes from everywhere. Colours are linear light.

    Parameters
    ----------
    zenith, horizon, ground : (3,) floats
    exposure : float
        Everything is multiplied by it before it becomes a picture.
    fog : Fog
    tone : bool
        Light above 0.6 bends towards 1, so that bright parts keep their shape; False: it is cut
        off at 1. Without a sky it is cut off: what is unlit has its own colours then.
    """

    zenith: Color = (0.18, 0.34, 0.66)
    horizon: Color = (0.70, 0.76, 0.80)
    ground: Color = (0.17, 0.15, 0.11)
    exposure: float = 1.0
    fog: Fog = dataclasses.field(default_factory=Fog)
    tone: bool = True

    def checked(self) -> Sky:
        """Itself, once every value is in range; else ValueError."""
        for name in ("zenith", "horizon", "ground"):
            _color(getattr(self, name), f"sky.{name}")
        _number(self.exposure, "sky.exposure", 0.0)
        if not isinstance(self.fog, Fog):
            raise TypeError(f"sky.fog must be a Fog, got {type(self.fog).__name__}")
        _color(self.fog.color, "sky.fog.color")
        for name in ("density", "height_falloff"):
            _number(getattr(self.fog, name), f"sky.fog.{name}", 0.0)
        _number(self.fog.base_height, "sky.fog.base_height", -1e9, 1e9)
        _number(self.fog.most, "sky.fog.most", 0.0, 1.0)
        return self


def check_transforms(value: Any, name: str = "transform") -> np.ndarray:
    """(N, 4, 4) float64 of one or many affine transforms; ValueError for what cannot be drawn."""
    try:
        given = np.asarray(np.eye(4) if value is None else value)
    except ValueError:
        given = np.zeros(0, object)
    if given.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be real numbers, got {given.dtype} of {value!r:.60}")
    matrices = given.astype(np.float64)
    if matrices.shape == (4, 4):
        matrices = matrices[None]
    if matrices.ndim != 3 or matrices.shape[1:] != (4, 4):
        raise ValueError(f"{name} must be (4, 4) or (N, 4, 4), got {matrices.shape}")
    fits = (np.abs(matrices) <= _LARGEST).all(axis=(1, 2))
    if not fits.all():
        at = int(np.argmin(fits))
        raise ValueError(
            f"{name} must be finite and within {_LARGEST:g}, got {matrices[at].tolist()} at {at}"
        )
    if not (matrices[:, 3] == (0.0, 0.0, 0.0, 1.0)).all():
        raise ValueError(f"{name} must end with the row 0 0 0 1: perspective is the camera's")
    axes = matrices[:, :3, :3]
    lengths = np.linalg.norm(axes, axis=1)
    small = (lengths < 1.0 / _LARGEST).any(axis=1)
    if small.any():
        at = int(np.argmax(small))
        raise ValueError(
            f"{name} {at} is singular or nearly so: no axis may be scaled by less than "
            f"{1.0 / _LARGEST:g}, got {lengths[at].tolist()}"
        )
    flat = np.abs(np.linalg.det(axes / lengths[:, None, :])) <= 1e-9
    if flat.any():
        raise ValueError(f"{name} {int(np.argmax(flat))} is singular: its axes must span space")
    return matrices


@dataclasses.dataclass(eq=False, repr=False)
class SceneObject:
    """Meshes at one or many places of a scene; what `Scene.add` gives for a mesh or model.

    Attributes
    ----------
    source : Mesh or Model
    parts : list of (Mesh, (4, 4))
        What is drawn, each with its transform within the object.
    transforms : (N, 4, 4) float64
        Where. Assign by `move`.
    casts_shadow : bool
    """

    source: Mesh | Model
    parts: list[tuple[Mesh, np.ndarray]]
    transforms: np.ndarray
    casts_shadow: bool = True
    wind: float = 0.0

    def move(self, transforms: Any) -> None:
        """Put the object elsewhere: (4, 4) or (N, 4, 4)."""
        self.transforms = check_transforms(transforms, "transforms")

    def set_pose(self, pose: Any) -> None:
        """Show a model in another pose, as `Model.pose` gives it.

        Raises
        ------
        ValueError
            The object is no model, or the pose is one of another model.
        """
        self.parts = _parts_of(self.source, pose)

    def __repr__(self) -> str:
        count = len(self.transforms)
        places = "at 1 place" if count == 1 else f"at {count} places"
        return f"<SceneObject {len(self.parts)} meshes {places}>"


def _parts_of(source: Any, pose: Any) -> list[tuple[Mesh, np.ndarray]]:
    if isinstance(source, Model):
        return source.static_meshes(pose=pose)
    if pose is not None:
        raise ValueError("pose: only a Model has nodes to pose, got one for meshes")
    return [(mesh, np.eye(4)) for mesh in ([source] if isinstance(source, Mesh) else source)]


class Scene:
    """Objects under a sun and a sky.

    Attributes
    ----------
    sun : Sun
    sky : Sky or None
        None: no sky is drawn, and the picture's alpha is the share of each pixel that objects
        cover.
    wind : (float, float)
        x and z of where the wind goes; its length multiplies the strength.

    Examples
    --------
    >>> scene = dw.Scene()
    >>> tree = scene.add(mesh, transform)
    >>> frame = dw.Renderer(size=(960, 540)).render(scene, dw.Camera((0, 2, 8), (0, 1, 0)))
    """

    def __init__(self) -> None:
        self.sun = Sun()
        self.sky: Sky | None = Sky()
        self.wind: tuple[float, float] = (1.0, 0.0)
        self._items: list[Any] = []

    def add(
        self,
        thing: Any,
        transform: Any = None,
        *,
        pose: Any = None,
        casts_shadow: bool = True,
        wind: float = 0.0,
    ) -> Any:
        """Add a forest, terrain, particles, or a mesh or model at one or many places.

        Parameters
        ----------
        thing : Forest, Terrain, ParticleManager, Mesh, Model, or sequence of Mesh
        transform : (4, 4) or (N, 4, 4) array_like, optional
            Of meshes and models; many of them are drawn by one call.
        pose : Pose, optional
            Of a model: where its nodes are.
        casts_shadow : bool
        wind : float
            Strength of the wind on parts whose material sways.

        Returns
        -------
        Forest, Terrain, ParticleManager or SceneObject
            What `remove` takes.

        Raises
        ------
        ValueError
            A singular or non-finite transform; what is in the scene already, and is no object;
            an argument that is of no use to `thing`.
        TypeError
            Something that cannot be drawn.
        """
        from .forest import Forest
        from .ground import Terrain
        from .particles import ParticleManager
        from .render_particles import SpriteSet

        if isinstance(thing, Terrain):
            if any(thing is item for item in self._items):
                raise ValueError("the terrain is in the scene already; remove it first")
            if not (transform is None and pose is None and casts_shadow and wind == 0.0):
                raise ValueError(
                    "transform, pose, casts_shadow, wind: a terrain has its own place, see "
                    "Terrain(position=..., casts_shadow=...); give none"
                )
            item: Any = thing
        elif isinstance(thing, (SpriteSet, ParticleManager)):
            if any(thing is item for item in self._items):
                raise ValueError("the particles are in the scene already; remove them first")
            if not (transform is None and pose is None and casts_shadow and wind == 0.0):
                raise ValueError(
                    "transform, pose, casts_shadow, wind: particles have their own places, cast no "
                    "shadow and go their own way; give none"
                )
            item = thing
        elif isinstance(thing, Forest):
            if any(thing is item for item in self._items):
                raise ValueError("the forest is in the scene already; remove it first")
            if transform is not None:
                raise ValueError("transform: a forest's trees have their own, give none")
            if pose is not None:
                raise ValueError("pose: a forest's trees have none")
            if not casts_shadow:
                raise ValueError(
                    "casts_shadow: a forest's trees have their own, see Forest.set_casts_shadow"
                )
            if wind != 0.0:
                raise ValueError("wind: a forest has its own, see Forest(wind=...)")
            item = thing
        elif isinstance(thing, (Mesh, Model)) or (
            isinstance(thing, (list, tuple)) and thing and all(isinstance(m, Mesh) for m in thing)
        ):
            matrices = check_transforms(transform)
            item = SceneObject(
                thing, _parts_of(thing, pose), matrices, casts_shadow, _number(wind, "wind", 0.0)
            )
        else:
            raise TypeError(
                "thing must be a Forest, Terrain, ParticleManager, Mesh, Model or meshes, got "
                f"{type(thing).__name__}"
            )
        self._items.append(item)
        return item

    def remove(self, thing: Any) -> None:
        """Take something out again.

        Parameters
        ----------
        thing
            What `add` returned, or the very mesh, model, terrain or forest that was added: every
            object made of it goes.

        Raises
        ------
        ValueError
            It is not in the scene.
        """
        kept = [
            item
            for item in self._items
            if item is not thing and getattr(item, "source", item) is not thing
        ]
        if len(kept) == len(self._items):
            raise ValueError(f"{thing!r} is not in the scene")
        self._items = kept

    def checked(self) -> Scene:
        """Itself, once sun, sky and wind are in range; else ValueError or TypeError."""
        if not isinstance(self.sun, Sun):
            raise TypeError(
                f"scene.sun must be a Sun, got {type(self.sun).__name__}; without sunlight it is "
                "Sun(color=(0, 0, 0))"
            )
        if self.sky is not None and not isinstance(self.sky, Sky):
            raise TypeError(f"scene.sky must be a Sky or None, got {type(self.sky).__name__}")
        self.sun.checked()
        if self.sky is not None:
            self.sky.checked()
        try:
            wind = [float(part) for part in self.wind]
        except (TypeError, ValueError):
            wind = []
        if len(wind) != 2 or not all(abs(part) <= 100.0 for part in wind):
            raise ValueError(
                f"scene.wind must be 2 numbers, x and z, within 100, got {self.wind!r}"
            )
        return self

    @property
    def items(self) -> tuple[Any, ...]:
        """What was added, in order: forests, terrains, particles and SceneObjects."""
        return tuple(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        from .forest import Forest
        from .ground import Terrain

        forests = sum(isinstance(item, Forest) for item in self._items)
        objects = sum(isinstance(item, SceneObject) for item in self._items)
        grounds = sum(isinstance(item, Terrain) for item in self._items)
        others = len(self) - forests - objects - grounds
        particles = f", terrains: {grounds}" if grounds else ""
        particles += f", particles of {others}" if others else ""
        sky = "a sky" if self.sky is not None else "no sky"
        return f"<Scene of {objects} objects and {forests} forests{particles}, {sky}>"
