# SPDX-License-Identifier: MIT
"""A pond in a glade at the end of a day: a scene made for particles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _masonry, _models, _pond, _props, _tackle
from ._glade import _spaced
from ._surface import Surface, grid_triangles, joined

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..camera import Camera
    from ..forest import Forest
    from ..mesh import Mesh
    from ..scene import Scene

_SIZE, _CELLS = 220.0, 150
_EYE = (0.7, 2.7, 10.0)  # above the water
_TARGET = (0.1, 0.45, -1.5)
_FIELD = 0.72
_ALTAR, _FIRE, _TORCHES = (-2.3, -2.9), (4.0, 2.5), ((1.5, -2.2), (-5.9, -1.5))
_SPOTS = {"net": (-3.1, 2.0), "bait": (-0.6, 0.9), "fly": (0.7, 3.3)}
_VARIANTS = 3
_SHARES = {"spruce": 0.55, "oak": 0.2, "birch": 0.25}
_ASIDE = np.array([_EYE[2] - _FIRE[1], _FIRE[0] - _EYE[0]]) / np.hypot(
    _EYE[2] - _FIRE[1], _FIRE[0] - _EYE[0])  # across the line from the camera to the fire
# x, z, scale, turn.
_PLACED = {
    "oak": [(9.8, -4.2, 1.05, 0.3), (-8.4, 6.6, 1.0, 2.1)],
    "birch": [(-7.4, -3.4, 0.95, 0.0), (-8.6, -1.4, 1.05, 2.0), (6.9, -6.2, 0.95, 4.0)],
    "spruce": [(-4.6, -9.0, 1.0, 0.0), (-0.6, -12.5, 1.15, 1.0), (3.6, -10.5, 1.0, 2.0),
               (-11.0, -6.5, 1.1, 3.0), (8.6, -10.8, 1.1, 4.0), (7.9, 3.4, 0.8, 5.0)],
}  # fmt: skip
_ROCKS = [("boulder", 3.4, -1.0, 0.55, 0.4), ("slab", -5.3, 4.6, 0.6, 1.2),
          ("boulder", -5.9, 0.4, 0.5, 2.0), ("slab", 0.4, -1.1, 0.55, 0.2),
          ("slab", 2.6, 5.2, 0.5, 2.6), ("boulder", 1.55, 5.35, 0.3, 1.0),
          ("boulder", -0.9, -1.1, 0.28, 3.0), ("boulder", -4.6, 5.3, 0.3, 0.2)]
_REEDS = [(-5.6, 2.6), (-5.4, 3.3), (-4.9, 4.2), (-5.2, 1.6), (2.3, -0.2), (2.9, 0.35),
          (-3.5, -0.5), (-4.2, 5.0), (-2.9, -0.75), (2.2, -0.4), (-6.0, 3.9),
          (-3.0, 6.0)]
_LILIES = [(-3.9, 3.9, 0.4), (1.8, 0.9, 2.0), (-4.2, 0.8, 4.4)]


@dataclass(frozen=True, eq=False)
class PondGlade:
    """A scene with a pond, places in it for particles, and a camera in front.

    Attributes
    ----------
    scene : Scene
    camera : Camera
    ground : Ground
        The land with its hollow; `height` under water is that of the bed.
    forests : dict of str to Forest
    water_level : float
        Height of the pond's surface, metres.
    spots : dict of str to (3,) ndarray
        Fishing spots on the water: "net", "bait", "fly".
    altar, fire : (3,) ndarray
        Where these stand.
    torches : (2, 3) ndarray
        Where flames of the torches start.
    pedestal, altar_surface : Mesh
        Of the altar, about its own origin: the pedestal, and the pedestal on its upper step.
    middle, beams : (3,) ndarray
        The middle of the water, and of the sunbeams over it.
    """

    scene: Scene
    camera: Camera
    ground: _models.Ground
    forests: dict[str, Forest]
    water_level: float
    spots: dict[str, np.ndarray]
    altar: np.ndarray
    fire: np.ndarray
    torches: np.ndarray
    pedestal: Mesh
    altar_surface: Mesh
    middle: np.ndarray
    beams: np.ndarray

    def close(self) -> None:
        """Close the forests."""
        for forest in self.forests.values():
            forest.close()

    def __repr__(self) -> str:
        return f"<PondGlade {sum(map(len, self.forests.values()))} trees and plants>"


def pond_glade(*, seed: int = 0, detail: float = 1.0) -> PondGlade:
    """Compose a pond at dusk: reeds, an altar, a camp fire and torches, with dark trees behind.

    Parameters
    ----------
    seed : int
        Equal seeds give equal scenes. 0 is the one that was composed by eye; others have another
        shore and another wood around the same places.
    detail : float
        0.1 to 2: multiplies the number of plants, and the distances of levels of detail.

    Returns
    -------
    PondGlade

    Raises
    ------
    ValueError
        A negative seed, or detail out of its range.

    Examples
    --------
    >>> pond = dw.samples.pond_glade(detail=0.5)
    >>> dw.Renderer((960, 540)).render(pond.scene, pond.camera).save("pond.png")
    """
    seed, detail = _models._seed(seed), float(detail)
    if not 0.1 <= detail <= 2.0:
        raise ValueError(f"detail: wanted 0.1 to 2, got {detail:g}")
    return _Builder(seed, detail).pond()


class _Builder:
    """Puts things in their places, and once more upside down below the water: what it reflects."""

    def __init__(self, seed: int, detail: float):
        from ..scene import Scene

        self.rng = np.random.default_rng([8500, seed])
        self.seed, self.detail = seed, detail
        self.land = _pond.PondLand(seed)
        self.scene = Scene()
        self.forests: dict[str, Forest] = {}
        self.level = _pond.WATER

    def pond(self) -> PondGlade:
        turf = _pond.turf(self.land, _SIZE, _CELLS)
        mesh = _models._mesh(turf, _models._solid("turf", 0.95))
        ground = _models.Ground((mesh,), _SIZE, 11.0, self.land)
        self.scene.add(mesh, casts_shadow=False)
        below = self._matrices([(0.0, 0.0, 1.0, 0.0)], np.array([2.0 * self.level]))
        self.scene.add(upside_down(mesh), below, casts_shadow=False)
        self._paint_light(turf)
        self._build()
        self._plant_trees()
        self._plant_banks()
        self._lay_water()
        self._let_in_sun()
        self._light()
        height = self._height
        return PondGlade(
            self.scene, self._camera(), ground, self.forests, self.level,
            {name: np.array([x, self.level, z]) for name, (x, z) in _SPOTS.items()},
            np.array([_ALTAR[0], height(*_ALTAR), _ALTAR[1]]),
            np.array([_FIRE[0], height(*_FIRE), _FIRE[1]]),
            np.array([[x, height(x, z) + _masonry.TORCH_TOP - 0.06, z] for x, z in _TORCHES]),
            *self._altar_surfaces(),
            np.array([_pond.CENTRE[0], self.level, _pond.CENTRE[1]]),
            np.array([_BEAMS[0][0], self.level, _BEAMS[0][1]]) + (0.9, 1.5, -1.6),
        )  # fmt: skip

    def _height(self, x: float, z: float) -> float:
        return float(self.land.height(x, z))

    def _matrices(self, places: Any, heights: np.ndarray | None = None) -> np.ndarray:
        """(N, 4, 4) of rows x, z, scale, turn, upright on the land or at heights."""
        x, z, scale, turn = np.asarray(places, float).T
        matrices = np.zeros((len(x), 4, 4))
        matrices[:, 0, 0] = matrices[:, 2, 2] = np.cos(turn) * scale
        matrices[:, 0, 2], matrices[:, 2, 0] = np.sin(turn) * scale, -np.sin(turn) * scale
        matrices[:, 1, 1], matrices[:, 3, 3] = scale, 1.0
        y = self.land.height(x, z) if heights is None else heights
        matrices[:, :3, 3] = np.stack([x, y, z], axis=1)
        return matrices

    def _add(self, meshes: list[Mesh], row: tuple[float, float, float, float],
             height: float | None = None) -> None:
        """Meshes on the land, and their reflections."""
        y = np.array([self._height(row[0], row[1]) if height is None else height])
        self.scene.add(meshes, self._matrices([row], y))
        self.scene.add([upside_down(mesh) for mesh in meshes],
                       self._matrices([row], 2.0 * self.level - y), casts_shadow=False)

    # -- built things and their light --

    def _altar_surfaces(self) -> list[Mesh]:
        parts = _masonry.altar(self.seed)
        steps, stone = parts["steps"], _models._solid("dressed", 0.85)
        away = np.hypot(steps.positions[:, 0], steps.positions[:, 2])[steps.indices].max(axis=1)
        steps.indices = steps.indices[(away < 1.3) & (steps.positions[:, 1] > 0.16)[
            steps.indices].all(axis=1)]
        used, indices = np.unique(steps.indices, return_inverse=True)
        upper = Surface(steps.positions[used], steps.normals[used], steps.uvs[used],
                        steps.colors[used], indices.reshape(-1, 3))
        return [_models._mesh(one, stone)
                for one in (parts["pedestal"], joined([parts["pedestal"], upper]))]

    def _build(self) -> None:
        self._add(_props.altar(seed=self.seed), (*_ALTAR, 1.0, 0.12))
        for name, meshes in (("net", _tackle.net()), ("bait", _tackle.bobber())):
            self._add(meshes, (*_SPOTS[name], 1.0, 0.4), self.level)
        self._add(_props.campfire(seed=self.seed), (*_FIRE, 1.0, 0.7))
        for i, (x, z) in enumerate(_TORCHES):
            self._add(_props.torch(seed=self.seed + i), (x, z, 1.0, 0.0))

    def _paint_light(self, turf: Surface) -> None:
        """What fire and altar do to the ground, to their own stones and to each other."""
        fire = np.array([_FIRE[0], self._height(*_FIRE) + 0.55, _FIRE[1]])
        altar = np.array([_ALTAR[0], self._height(*_ALTAR) + 1.7, _ALTAR[1]])
        lights = [(fire, _props.FIRELIGHT, 1.05), (altar, (1.1, 0.75, 2.2), 0.8)]
        for x, z in _TORCHES:
            lights.append((np.array([x, self._height(x, z) + 1.85, z]), _props.FIRELIGHT, 0.8))
        for light, color, reach in lights:
            self._overlay(turf, light, color, reach, "turf")
        self._overlay_of(_masonry.campfire(self.seed), ("stones", "logs"), ("rock", "charred"),
                         (*_FIRE, 1.0, 0.7), fire - (0.0, 0.2, 0.0), _props.FIRELIGHT, 0.55)
        self._overlay_of(_masonry.altar(self.seed), ("steps", "stones"), ("dressed", "rock"),
                         (*_ALTAR, 1.0, 0.12), altar, (1.05, 0.78, 1.75), 0.75)

    def _overlay_of(self, parts, names, textures, row, light, color, reach) -> None:
        matrix = self._matrices([row])[0]
        for name, texture in zip(names, textures):
            moved = parts[name].turned(matrix[:3, :3], matrix[:3, 3])
            self._overlay(moved, light, color, reach, texture)

    def _overlay(self, surface: Surface, light, color, reach: float, texture: str) -> None:
        mesh = _props.painted_light(surface, light, color, reach, texture)
        if mesh is not None:
            self.scene.add(mesh, casts_shadow=False)

    # -- what grows --

    def _forest(self, name: str, make: Callable[[int], list], places: np.ndarray, distances: Any,
                *, heights: np.ndarray | None = None, reflects: bool = True) -> None:
        from ..forest import Forest

        variants = [make(seed) for seed in range(_VARIANTS)]
        matrices = self._matrices(places, heights)
        todo = [(name, variants, matrices)]
        if reflects:
            below = matrices.copy()
            below[:, 1, 3] = 2.0 * self.level - below[:, 1, 3]
            flipped = [[[upside_down(mesh) for mesh in lod] for lod in one[1:]] for one in variants]
            todo.append((f"{name}, reflected", flipped, below))
        for title, meshes, rows in todo:
            near = [self.detail * d for d in distances][-(len(meshes[0]) - 1):]
            forest = Forest(variants=meshes, distances=near, fade=(120.0, 150.0))
            forest.add(np.arange(len(rows)), rows)
            if title != name:
                forest.set_casts_shadow(forest.ids, False)
            self.forests[title] = self.scene.add(forest)

    def _plant_trees(self) -> None:
        taken = np.array([row[:2] for rows in _PLACED.values() for row in rows])
        wood = self._wood(taken)
        species = self.rng.choice(len(_SHARES), len(wood), p=list(_SHARES.values()))
        for i, name in enumerate(_SHARES):
            rows = np.concatenate([np.array(_PLACED[name]), wood[species == i]])
            self._forest(name, lambda seed, name=name: _models.tree(name, seed=seed), rows,
                         (22, 45))

    def _wood(self, taken: np.ndarray) -> np.ndarray:
        """The trees behind the pond, and those that close the view at its sides."""
        points = self.rng.uniform(-75.0, 75.0, (5000, 2)) + (0.0, -20.0)
        x, z = points.T
        ahead = _EYE[2] - z
        fits = (ahead > 4.0) & (np.abs(x - _EYE[0]) < 0.9 * ahead + 6.0)
        fits &= np.hypot(x, z - 1.0) > 11.5
        # the sun comes through here
        bearing = (x - _EYE[0]) / np.maximum(ahead, 1.0)
        fits &= ~((bearing > 0.10) & (bearing < 0.20) & (ahead > 20.0))
        points = points[fits]
        gap = 3.6 + 0.02 * np.hypot(*points.T)
        kept = points[_spaced(points, taken, gap, round(150 * min(self.detail, 1.0)))]
        return np.column_stack([kept, self.rng.uniform(0.85, 1.2, len(kept)),
                                self.rng.uniform(0.0, 6.2832, len(kept))])

    def _scattered(self, count: int, middle, sigma, shore: tuple[float, float]) -> np.ndarray:
        """Rows of places on land, so far from the water."""
        found = np.zeros((0, 2))
        count = round(count * self.detail)
        for _ in range(60):
            points = self.rng.normal(middle, sigma, (2 * count, 2))
            away = self.land.shore(points[:, 0], points[:, 1])
            fits = (away > shore[0]) & (away < shore[1])
            fits &= np.hypot(*(points - _FIRE).T) > 1.3
            # nothing between the camera and the fire
            aside = np.abs((points - _FIRE) @ _ASIDE)
            fits &= (aside > 0.9) | (points[:, 1] < _FIRE[1]) | (points[:, 1] > 7.0)
            fits &= np.hypot(*(points - _ALTAR).T) > 1.95
            fits &= np.hypot(points[:, 0] - _EYE[0], points[:, 1] - _EYE[2]) > 2.4
            found = np.concatenate([found, points[fits]])[:count]
            if len(found) == count:
                break
        return np.column_stack([found, self.rng.uniform(0.55, 1.1, len(found)),
                                self.rng.uniform(0.0, 6.2832, len(found))])

    def _plant_banks(self) -> None:
        grass = _models.grass
        meadow = np.concatenate([
            self._scattered(520, _pond.CENTRE, (6.0, 4.0), (0.25, 3.0)),
            self._scattered(420, (0.0, -5.0), (9.0, 5.0), (0.6, 40.0)),
            self._scattered(110, (0.0, 7.2), (4.5, 0.8), (0.15, 1.6)),
        ])  # fmt: skip
        self._forest("meadow", lambda seed: grass("meadow", seed=seed), meadow, (12, 24))
        flowers = self._scattered(34, (0.5, -3.0), (6.0, 5.0), (0.8, 12.0))
        self._forest("flowers", lambda seed: grass("flowers", seed=seed), flowers, (14, 26),
                     reflects=False)
        ferns = np.concatenate([self._scattered(60, (0.0, -9.0), (11.0, 4.0), (4.0, 40.0)),
                                self._scattered(9, (-5.6, 8.0), (1.2, 0.9), (0.8, 6.0))])
        self._forest("fern", lambda seed: grass("fern", seed=seed), ferns, (14, 30),
                     reflects=False)
        bushes = self._scattered(46, (0.0, -11.0), (14.0, 5.0), (7.0, 40.0))
        self._forest("bush", lambda seed: _models.bush(seed=seed), bushes, (16, 34))
        self._plant_reeds()
        for i, (kind, x, z, scale, turn) in enumerate(_ROCKS):
            self._add(_models.rock(kind, lod=1, seed=i), (x, z, scale, turn),
                      max(self._height(x, z), self.level - 0.12))
        for i, (x, z, turn) in enumerate(_LILIES):
            self.scene.add(_props.lilies(seed=i), self._matrices([(x, z, 1.0, turn)],
                                                                 np.array([self.level + 0.012])))

    def _plant_reeds(self) -> None:
        """Along the rim, in shallow water."""
        rows = []
        for x, z in _REEDS:
            for _ in range(2):
                at = np.array([x, z]) + self.rng.normal(size=2) * 0.22
                rows.append((*at, self.rng.uniform(0.65, 1.0), 6.2832 * self.rng.random()))
        rows = np.array(rows)
        heights = np.maximum(self.land.height(rows[:, 0], rows[:, 1]), self.level - 0.1)
        self._forest("reeds", lambda seed: _props.reeds(seed=seed), rows, (14, 26),
                     heights=heights)

    # -- water, light, camera --

    def _lay_water(self) -> None:
        from ..mesh import Mesh

        surface, alpha = _pond.water(self.land)
        colors = np.full((len(alpha), 4), 255, np.uint8)
        colors[:, 3] = np.rint(255.0 * alpha)
        self.scene.add(_reflected_sky(self.level), casts_shadow=False)
        mesh = Mesh(surface.positions.astype(np.float32), surface.indices.astype(np.uint32),
                    normals=surface.normals.astype(np.float32), uvs=surface.uvs.astype(np.float32),
                    colors=colors, material=_props.water_material())
        self.scene.add(mesh, casts_shadow=False)

    def _let_in_sun(self) -> None:
        """Beams that the air makes visible, as soft ribbons along the light."""
        from ..materials import Material
        from ..mesh import Mesh

        along = np.array(_SUN) / np.linalg.norm(_SUN)
        material = Material(name="sunbeam", unlit=True, double_sided=True, alpha_mode="blend")
        share = np.array([0.0, 0.35, 0.7, 1.0])
        for x, z, wide, strength in _BEAMS:
            foot = np.array([x, self.level, z])
            side = np.cross(along, (_EYE[0] - x, _EYE[1], _EYE[2] - z))
            side *= 0.5 * wide / np.linalg.norm(side)
            spine = foot + np.linspace(0.0, 11.0, 4)[:, None] * along
            points = np.stack([spine - side, spine, spine + side], axis=1)
            colors = np.zeros((4, 3, 4))
            colors[..., :3] = _BEAM_COLOR
            colors[:, 1, 3] = strength * np.sin(np.pi * (0.12 + 0.80 * share))
            self.scene.add(Mesh(points.reshape(-1, 3).astype(np.float32),
                                grid_triangles(4, 3).astype(np.uint32),
                                colors=np.rint(255.0 * colors).astype(np.uint8).reshape(-1, 4),
                                material=material), casts_shadow=False)  # fmt: skip

    def _light(self) -> None:
        from ..scene import Fog, Sky, Sun

        self.scene.sun = Sun(direction=_SUN, color=_SUNLIGHT, shadow="hard", shadow_distance=34.0,
                             shadow_size=1536)
        self.scene.sky = Sky(zenith=_ZENITH, horizon=_HORIZON, ground=(0.05, 0.055, 0.06),
                             exposure=1.5, fog=Fog(color=(0.20, 0.17, 0.20), density=0.0045,
                                                   height_falloff=0.04, most=0.8))

    def _camera(self) -> Camera:
        from ..camera import Camera

        eye = np.array(_EYE) + (0.0, self.level, 0.0)
        return Camera(eye, np.array(_TARGET) + (0.0, self.level, 0.0), fov_y=_FIELD, far=300.0)


# Sunbeams: x and z of the foot, width, strength.
_BEAMS = [(0.4, 1.2, 1.1, 0.16), (1.5, 0.2, 0.7, 0.13), (-0.9, 1.6, 0.8, 0.10),
          (2.2, 1.4, 1.5, 0.09)]  # fmt: skip
_BEAM_COLOR = (1.0, 0.62, 0.30)
_SUN = (0.36, 0.235, -0.9)
_SUNLIGHT = (4.2, 2.1, 0.85)
_ZENITH, _HORIZON = (0.05, 0.10, 0.24), (0.62, 0.33, 0.18)


def upside_down(mesh: Mesh) -> Mesh:
    """A mesh mirrored in y = 0 whose normals stay, so that it is lit as the original is."""
    return mesh.replace(positions=mesh.positions * np.float32([1, -1, 1]),
                        indices=np.asarray(mesh.indices)[:, ::-1])


def _reflected_sky(level: float) -> Mesh:
    """The sky as it looks in the water: a bowl below the land."""
    from ..materials import Material
    from ..mesh import Mesh

    rows, around, radius = 10, 32, 140.0
    turn = np.linspace(0.0, 2.0 * np.pi, around + 1)
    up = np.linspace(0.0, 0.5 * np.pi, rows + 1)
    down, along = np.meshgrid(up, turn, indexing="ij")
    way = np.stack([np.cos(down) * np.cos(along), -np.sin(down), np.cos(down) * np.sin(along)], -1)
    share = np.sin(down).reshape(-1, 1)
    color = np.array(_HORIZON) + (np.array(_ZENITH) - np.array(_HORIZON)) * share**0.6
    colors = np.full((len(color), 4), 255, np.uint8)
    colors[:, :3] = np.rint(255.0 * np.clip(color, 0.0, 1.0))
    triangles = grid_triangles(rows + 1, around + 1)
    return Mesh((radius * way.reshape(-1, 3) + (0.0, level, 0.0)).astype(np.float32),
                triangles.astype(np.uint32), normals=-way.reshape(-1, 3).astype(np.float32),
                colors=colors, material=Material(name="sky in water", unlit=True,
                                                 double_sided=True))
