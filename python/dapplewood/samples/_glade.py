# SPDX-License-Identifier: MIT
"""A glade: a composed scene of all sample models, with trees in every state of a forest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _models

if TYPE_CHECKING:
    from ..camera import Camera
    from ..forest import Forest
    from ..scene import Scene

_SIZE = 260.0  # metres along a side of the land
_CLEARING = 19.0  # metres about the origin without trees of the wood
_WOOD = 112.0  # metres about the origin, its end
_EYE_Z, _EYE_HEIGHT = 21.0, 1.9
_SHARES = {"spruce": 0.40, "oak": 0.20, "birch": 0.19, "pine": 0.16, "maple": 0.05}
_VARIANTS = 4

# Trees of the composition: x, z, scale, turn. Around the light in the middle stand a group of
# birches and a lone oak; spruces close the view, and dark trees frame it.
_PLACED = {
    "oak": [(7.8, -1.0, 1.12, 0.6), (-7.0, 12.0, 1.05, 2.1)],
    "birch": [(-5.9, 0.8, 1.0, 0.0), (-9.4, 3.2, 0.9, 2.0), (-8.6, -3.6, 0.95, 4.0),
              (2.2, -6.5, 1.0, 3.0)],
    "maple": [(-2.4, -15.0, 1.05, 0.0)],
    "pine": [(15.4, -8.6, 1.0, 1.0), (9.4, 4.2, 0.86, 2.5)],
    "spruce": [(-15.0, -9.5, 1.05, 0.0), (7.4, -22.0, 1.15, 2.0), (-0.4, -21.0, 0.95, 1.0),
               (16.0, 2.6, 0.86, 3.0)],
}
# Trees beside and behind the camera, whose shadows darken the foreground.
_SHADING = [("spruce", -17.0, 21.5), ("oak", -10.0, 25.0)]
# States: (species, which of the placed ones).
_DEPLETED = [("birch", 3), ("pine", 1)]
_RESPAWNING = [("birch", 0, 0.4), ("spruce", 2, 0.6)]  # and the share of the way back
_HIGHLIGHTED = [("spruce", 3, 0.75)]
_STONES = [("boulder", 3.2, 6.0, 1.0, 0.4), ("slab", 5.6, 7.8, 0.9, 1.2),
           ("boulder", -12.0, -6.0, 1.3, 2.0), ("slab", -6.0, -11.0, 1.2, 0.0),
           ("boulder", 9.6, 11.6, 0.8, 1.0)]
_STUMPS = [(-5.4, 9.4), (9.8, 4.0), (4.4, -8.0)]


@dataclass(frozen=True, eq=False)
class Glade:
    """A scene with a camera in front of it.

    Attributes
    ----------
    scene : Scene
    camera : Camera
    ground : Ground
        Its `terrain` is a `Terrain`, whose `height_at` all stands on.
    forests : dict of str to Forest
        By what grows in them: the species of `tree_species`, "bush", "fern", "meadow", "flowers".
    depleted, respawning, highlighted : dict of str to (N,) ndarray
        Ids of the trees in these states when the scene was made, by forest. The respawning ones
        are on their way back at time 0, and there after 0.3 s.
    """

    scene: Scene
    camera: Camera
    ground: _models.Ground
    forests: dict[str, Forest]
    depleted: dict[str, np.ndarray] = field(default_factory=dict)
    respawning: dict[str, np.ndarray] = field(default_factory=dict)
    highlighted: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def trees(self) -> dict[str, Forest]:
        """The forests of trees, by species."""
        return {name: self.forests[name] for name in _models.tree_species()}

    def deplete_some(
        self, share: float = 0.1, *, seed: int = 0, instant: bool = True
    ) -> dict[str, np.ndarray]:
        """Deplete trees drawn by lot.

        Parameters
        ----------
        share : float
            Of all trees, 0 to 1.
        seed : int
        instant : bool
            False: in the 0.3 s that follow.

        Returns
        -------
        dict of str to (N,) ndarray
            Their ids by species, as `respawn` takes them.
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"share must be in [0, 1], got {share!r}")
        rng = np.random.default_rng([8300, _models._seed(seed)])
        drawn = {name: forest.ids[rng.random(len(forest)) < share]
                 for name, forest in self.trees.items()}
        for name, ids in drawn.items():
            self.forests[name].deplete(ids, instant=instant)
        return drawn

    def respawn(self, ids: dict[str, np.ndarray] | None = None, *, instant: bool = False) -> None:
        """Bring trees back, all of them or those of a dict such as `deplete_some` gives."""
        for name, forest in self.trees.items():
            forest.respawn(forest.ids if ids is None else ids.get(name, ()), instant=instant)

    def close(self) -> None:
        """Close the forests."""
        for forest in self.forests.values():
            forest.close()

    def __repr__(self) -> str:
        trees = sum(len(forest) for forest in self.trees.values())
        return f"<Glade {trees} trees, {sum(map(len, self.forests.values())) - trees} plants>"


def glade(*, seed: int = 0, detail: float = 1.0) -> Glade:
    """Compose a glade: hills and a path, five species of trees, undergrowth, late light and haze.

    Some trees are depleted, some on their way back, one is highlighted.

    Parameters
    ----------
    seed : int
        Equal seeds give equal glades. 0 is the one that was composed by eye; others have other
        land and another wood around the same clearing.
    detail : float
        0.1 to 4: multiplies the number of plants, and the distances of levels of detail.

    Returns
    -------
    Glade

    Raises
    ------
    ValueError
        A negative seed, or detail out of its range.

    Examples
    --------
    >>> glade = dw.samples.glade(detail=0.3)
    >>> dw.Renderer((960, 540)).render(glade.scene, glade.camera).save("glade.png")
    """
    seed, detail = _models._seed(seed), float(detail)
    if not 0.1 <= detail <= 4.0:
        raise ValueError(f"detail: wanted 0.1 to 4, got {detail:g}")
    return _Planter(seed, detail).glade()


def _spaced(points: np.ndarray, taken: np.ndarray, gap: np.ndarray, most: int) -> np.ndarray:
    """Which of the points to keep, first come first served, so that none is too near another."""
    kept: list[int] = []
    places = [*taken]
    for i, point in enumerate(points):
        if len(kept) == most:
            break
        apart = np.square(np.asarray(places) - point).sum(axis=1)
        if apart.min() > gap[i] * gap[i]:
            kept.append(i)
            places.append(point)
    return np.array(kept, int)


def _grown(name: str, seed: int) -> list:
    return _models.tree(name, seed=seed)


class _Planter:
    """Puts things in their places."""

    def __init__(self, seed: int, detail: float):
        from ..scene import Scene

        self.rng = np.random.default_rng([8200, seed])
        self.seed, self.detail = seed, detail
        self.ground = _models.wild_ground(_SIZE, seed)
        self.scene = Scene()
        self.forests: dict[str, Forest] = {}
        beside = float(self.ground._land.path_x(_EYE_Z)) - 3.5
        self.eye = np.array([min(max(beside, -4.0), -1.0), 0.0, _EYE_Z])
        self.eye[1] = float(self.ground.height(self.eye[0], self.eye[2])) + _EYE_HEIGHT

    def glade(self) -> Glade:
        self.scene.add(self.ground.terrain)
        self._plant_trees()
        self._plant_undergrowth()
        self._lay_stones()
        self._light()
        return Glade(self.scene, self._camera(), self.ground, self.forests, **self._states())

    # -- places --

    def _off_path(self, x: float, z: float, room: float) -> tuple[float, float]:
        """A place at least so far from the middle of the path."""
        while float(self.ground.path_distance(x, z)) < room:
            x += 0.5 if x > float(self.ground._land.path_x(z)) else -0.5
        return x, z

    def _matrices(self, places: np.ndarray) -> np.ndarray:
        """(N, 4, 4) of rows x, z, scale, turn, upright on the land."""
        x, z, scale, turn = places.T
        matrices = np.zeros((len(places), 4, 4))
        matrices[:, 0, 0] = matrices[:, 2, 2] = np.cos(turn) * scale
        matrices[:, 0, 2], matrices[:, 2, 0] = np.sin(turn) * scale, -np.sin(turn) * scale
        matrices[:, 1, 1], matrices[:, 3, 3] = scale, 1.0
        matrices[:, :3, 3] = np.stack([x, self.ground.height(x, z), z], axis=1)
        return matrices

    def _forest(
        self, name: str, make: Callable[[int], list], places: np.ndarray, distances: Any,
        fade: tuple[float, float], **options: Any,
    ) -> None:  # fmt: skip
        from ..forest import Forest

        forest = Forest(
            variants=[make(seed) for seed in range(_VARIANTS)],
            distances=[self.detail * distance for distance in distances],
            fade=fade,
            **options,
        )
        forest.add(np.arange(len(places)), self._matrices(places))
        self.forests[name] = self.scene.add(forest)

    # -- trees --

    def _plant_trees(self) -> None:
        placed = {
            name: [(*self._off_path(x, z, 2.4), scale, turn) for x, z, scale, turn in rows]
            for name, rows in _PLACED.items()
        }
        for name, x, z in _SHADING:
            placed[name].append((*self._off_path(x, z, 2.4), 1.1, x))
        taken = np.array([row[:2] for rows in placed.values() for row in rows])
        wood = self._wood(taken)
        species = self.rng.choice(len(_SHARES), len(wood), p=list(_SHARES.values()))
        for i, name in enumerate(_SHARES):
            rows = np.concatenate([np.array(placed[name]), wood[species == i]])
            self._forest(
                name, partial(_grown, name), rows, (45, 95), (170.0, 200.0),
            )  # fmt: skip

    def _wood(self, taken: np.ndarray) -> np.ndarray:
        """The trees around the clearing, as rows of places."""
        points = self.rng.uniform(-_WOOD, _WOOD, (9000, 2))
        x, z = points.T
        radius = np.hypot(x, z)
        fits = (radius > _CLEARING) & (radius < _WOOD)
        fits &= self.ground.path_distance(x, z) > 3.4
        # nothing in front of the camera, and nothing that it stands in
        ahead, aside = self.eye[2] - z, np.abs(x - self.eye[0])
        fits &= ~((ahead < 3.0) & (aside < 12.0)) & (np.hypot(ahead, aside) > 9.0)
        # the side of the sun, whose trees shade the clearing and the foreground
        fits &= (np.hypot(x + 7.0, z) > 20.0) & (np.hypot(x + 14.0, z - 14.0) > 11.0)
        # a vista between the birches and the oak
        bearing = (x - self.eye[0]) / np.maximum(ahead, 1.0)
        fits &= ~((bearing > -0.13) & (bearing < 0.25) & (ahead > 0.0) & (ahead < 68.0))
        points, radius = points[fits], radius[fits]
        gap = 4.6 + 0.02 * np.maximum(radius - 40.0, 0.0)
        kept = points[_spaced(points, taken, gap, round(1000 * min(self.detail, 1.0)))]
        return self._rows(kept, 0.85, 1.25)

    def _rows(self, points: np.ndarray, small: float, large: float) -> np.ndarray:
        scales = self.rng.uniform(small, large, len(points))
        turns = self.rng.uniform(0.0, 2.0 * np.pi, len(points))
        return np.column_stack([points, scales, turns])

    # -- undergrowth --

    def _scattered(
        self, count: int, sigma: float, *, middle: tuple[float, float] = (0.0, 0.0),
        inner: float = 0.0, outer: float = 70.0, path: float = 1.7, camera: float = 2.2,
    ) -> np.ndarray:  # fmt: skip
        """Points, thinner with the distance from a middle."""
        found = np.zeros((0, 2))
        count = round(count * self.detail)
        for _ in range(40):
            points = self.rng.normal(middle, sigma, (count, 2))
            x, z = points.T
            radius = np.hypot(x, z)
            fits = (radius > inner) & (radius < outer)
            fits &= self.ground.path_distance(x, z) > path
            fits &= np.hypot(x - self.eye[0], z - self.eye[2]) > camera
            found = np.concatenate([found, points[fits]])[:count]
            if len(found) == count:
                break
        return found

    def _plant_undergrowth(self) -> None:
        front = (self.eye[0] + 1.0, self.eye[2] - 7.0)
        meadow = np.concatenate([
            self._scattered(2400, 15.0, path=1.35),
            self._scattered(1500, 6.5, middle=front, path=1.35),
            self._scattered(1200, 34.0, inner=20.0, outer=75.0, path=1.35),
        ])  # fmt: skip
        flowers = np.concatenate([
            self._scattered(130, 9.0, path=1.5), self._scattered(30, 5.0, middle=front, path=1.5)
        ])  # fmt: skip
        ferns = np.concatenate([
            self._scattered(150, 18.0, inner=11.0), self._scattered(250, 40.0, inner=20.0),
            self._scattered(14, 1.6, middle=(self.eye[0] - 4.2, self.eye[2] - 7.4)),
        ])  # fmt: skip
        bushes = np.concatenate([
            self._scattered(60, 20.0, inner=14.0, camera=8.0),
            self._scattered(110, 42.0, inner=24.0, camera=9.0),
        ])  # fmt: skip
        rows = self._rows
        grass = _models.grass
        self._forest("bush", lambda seed: _models.bush(seed=seed), rows(bushes, 0.65, 1.2),
                     (20, 48), (100.0, 125.0))
        self._forest("fern", lambda seed: grass("fern", seed=seed), rows(ferns, 0.65, 1.2),
                     (20, 42), (80.0, 105.0))
        self._forest("meadow", lambda seed: grass("meadow", seed=seed), rows(meadow, 0.6, 1.15),
                     (16, 34), (70.0, 95.0))
        self._forest("flowers", lambda seed: grass("flowers", seed=seed), rows(flowers, 0.65, 1.1),
                     (16, 34), (70.0, 95.0))

    def _lay_stones(self) -> None:
        for i, (kind, x, z, scale, turn) in enumerate(_STONES):
            x, z = self._off_path(x, z, 2.2)
            row = np.array([[x, z, scale, turn]])
            self.scene.add(_models.rock(kind, lod=0, seed=i), self._matrices(row))
        for i, (x, z) in enumerate(_STUMPS):
            x, z = self._off_path(x, z, 1.9)
            row = np.array([[x, z, 1.0, x]])
            self.scene.add(_models.stump(lod=0, seed=i), self._matrices(row))

    # -- light, camera, states --

    def _light(self) -> None:
        from ..scene import Fog, Sky, Sun

        self.scene.sun = Sun(
            direction=(-0.68, 0.50, 0.12), color=(4.2, 3.35, 2.25), shadow="dither",
            shadow_distance=80.0, shadow_size=3072,
        )  # fmt: skip
        fog = Fog(color=(0.80, 0.68, 0.52), density=0.0042, height_falloff=0.03, most=0.92)
        self.scene.sky = Sky(
            zenith=(0.17, 0.36, 0.72), horizon=(0.88, 0.73, 0.54), ground=(0.12, 0.10, 0.06),
            exposure=0.86, fog=fog,
        )  # fmt: skip

    def _camera(self) -> Camera:
        from ..camera import Camera

        target = (0.8, float(self.ground.height(0.0, 0.0)) + 3.4, 0.0)
        return Camera(self.eye, target, fov_y=0.82, far=400.0)

    def _states(self) -> dict[str, dict[str, np.ndarray]]:
        """Depletes, brings back and highlights; all forests are at the same time after it."""
        found: dict[str, dict[str, list[int]]] = {
            "depleted": {}, "respawning": {}, "highlighted": {},
        }  # fmt: skip
        for name, which in _DEPLETED:
            found["depleted"].setdefault(name, []).append(which)
            self.forests[name].deplete([which])
        for name, which, share in _RESPAWNING:
            found["respawning"].setdefault(name, []).append(which)
            self.forests[name].dissolve.set([which], 1.0 - share)
            self.forests[name].respawn([which])
        for name, which, strength in _HIGHLIGHTED:
            found["highlighted"].setdefault(name, []).append(which)
            self.forests[name].highlight([which], strength)
        return {
            state: {name: np.array(ids) for name, ids in names.items()}
            for state, names in found.items()
        }
