# SPDX-License-Identifier: MIT
"""The public sample models: meshes with materials, made of this package's own drawings."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _bark, _clusters, _ground, _stones, _undergrowth
from ._surface import Surface
from ._trees import LEVELS, grown

if TYPE_CHECKING:
    from ..ground import Terrain, TerrainMaterial
    from ..materials import Material
    from ..mesh import Mesh

_TREES = ("oak", "birch", "maple", "pine", "spruce")
_GRASSES = (*_undergrowth.TUFTS, "fern")
_TRANSLUCENCY = 0.4


def tree_species() -> list[str]:
    """Names of the trees that `tree` grows."""
    return list(_TREES)


def tree(species: str = "oak", *, lod: int | str = "all", seed: int = 0) -> list[Any]:
    """Grow a tree: a bark mesh and a mesh of leaf cards, at three levels of detail.

    Metres, y up, the foot of the trunk at the origin and a little below it, for slopes. Oaks and
    maples are 7 to 10 m high, birches, pines and spruces 10 to 13 m. Levels 0 to 2 have about 4000,
    1000 and 200 triangles. By alpha to coverage, trees of a species cover the same area at every
    level within 2.5 %, in the mean over sides, and are as bright and of one colour within 3 %.

    Normals of leaves point out of the crown, not out of the card, so that a crown takes light as
    one soft body. Vertex colours hold the occlusion inside the crown and a little hue.

    Parameters
    ----------
    species : str
        A name from `tree_species()`.
    lod : int or "all"
        0, 1, 2: that level. "all": the list of them, as `Forest` takes it.
    seed : int
        Equal seeds give equal trees, different seeds other shapes and sizes of one species. All
        seeds share one leaf texture and one bark texture.

    Returns
    -------
    list of Mesh, or list of such lists
        Bark (opaque) and leaves (alpha mask, double-sided).

    Raises
    ------
    ValueError
        An unknown species, a level other than 0, 1, 2 or "all", a negative seed.

    Examples
    --------
    >>> near, middle, far = tree("birch", seed=3)
    >>> [mesh.triangle_count > 0 for mesh in far]
    [True, True]
    """
    _check_name("species", species, _TREES)
    return _wooded(species, _seed(seed), lod)


def bush(*, lod: int | str = "all", seed: int = 0) -> list[Any]:
    """Grow a flowering bush about 1.5 m high.

    Parameters
    ----------
    lod, seed
        As for `tree`; about 1000, 350 and 90 triangles.

    Returns
    -------
    list of Mesh, or list of such lists
    """
    return _wooded("bush", _seed(seed), lod)


def grass(kind: str = "meadow", *, lod: int | str = "all", seed: int = 0) -> list[Any]:
    """Grow a tuft of grass, of daisies, or a fern.

    Parameters
    ----------
    kind : {"meadow", "flowers", "fern"}
        Half a metre high; a fern is 1.5 m wide.
    lod, seed
        As for `tree`; tufts have about 30, 10 and 8 triangles, ferns 160, 48 and 4.

    Returns
    -------
    list of Mesh, or list of such lists
        One mesh a level.
    """
    _check_name("kind", kind, _GRASSES)
    seed = _seed(seed)
    levels = _undergrowth.fern(seed) if kind == "fern" else _undergrowth.tuft(kind, seed)
    return _picked([[_mesh(one, _foliage(kind))] for one in levels], lod)


def rock(kind: str = "boulder", *, lod: int | str = "all", seed: int = 0) -> list[Any]:
    """Cut a rock, 1.5 to 2.5 m wide, mossy on top.

    Parameters
    ----------
    kind : {"boulder", "slab"}
    lod, seed
        As for `tree`; 1200, 300 and 108 triangles.

    Returns
    -------
    list of Mesh, or list of such lists
        One mesh a level.
    """
    _check_name("kind", kind, tuple(_stones.ROCKS))
    material = _solid("rock", 0.85)
    return _picked([[_mesh(one, material)] for one in _stones.rock(kind, _seed(seed))], lod)


def stump(*, lod: int | str = "all", seed: int = 0) -> list[Any]:
    """Leave a stump, half a metre high, with its year rings.

    Parameters
    ----------
    lod, seed
        As for `tree`; 260, 84 and 35 triangles.

    Returns
    -------
    list of Mesh, or list of such lists
        Bark and sawn top.
    """
    levels = _stones.stump(_seed(seed))
    return _picked([[_mesh(bark, _solid("oak")), _mesh(top, _solid("rings", 0.8))]
                    for bark, top in levels], lod)


@dataclass(frozen=True, eq=False)
class Ground:
    """A patch of forest floor about the origin."""

    meshes: tuple[Mesh, ...]
    size: float  # metres along a side
    clearing: float  # radius of the clearing in the middle, metres
    _land: _ground.Terrain
    terrain: Terrain | None = None  # where it is one, and not meshes

    def height(self, x: Any, z: Any) -> np.ndarray:
        """Height of the land at places, metres.

        Parameters
        ----------
        x, z : array of float
            Metres, of one shape.

        Returns
        -------
        array of float
        """
        if self.terrain is None:
            return self._land.height(x, z)
        return np.asarray(self.terrain.height_at(x, z))

    def normal(self, x: Any, z: Any) -> np.ndarray:
        """Unit normals of the land, (..., 3)."""
        return self._land.normal(np.asarray(x, float), np.asarray(z, float))

    def path_distance(self, x: Any, z: Any) -> np.ndarray:
        """Metres from places to the middle of the path, which is 2.4 m wide."""
        return self._land.path_distance(x, z)


def ground(size: float = 160.0, *, cells: int = 128, seed: int = 0) -> Ground:
    """Lay a patch of forest floor: gentle hills, a clearing about the origin, a path through it.

    Parameters
    ----------
    size : float
        Metres along a side, at least 20.
    cells : int
        Cells along a side, 8 to 1024; two triangles each.
    seed : int
        Equal seeds give equal land.

    Returns
    -------
    Ground
        `meshes` are the turf and the path; `height` tells where trees stand.

    Raises
    ------
    ValueError
        A size or a number of cells out of its range.
    """
    size, cells = float(size), _count("cells", cells)
    if not 20.0 <= size <= 4000.0:
        raise ValueError(f"size: wanted 20 to 4000 metres, got {size:g}")
    if not 8 <= cells <= 1024:
        raise ValueError(f"cells: wanted 8 to 1024, got {cells}")
    land = _ground.Terrain(_seed(seed))
    meshes = (_mesh(_ground.turf(land, size, cells), _solid("turf", 0.95)),
              _mesh(_ground.path(land, size, cells), _path_material()))
    return Ground(meshes, size, _ground.CLEARING, land)


def wild_ground(size: float, seed: int) -> Ground:
    """The same land as a terrain of turf, moss, fallen leaves and earth, in cells of 3.5 cm."""
    from ..ground import Terrain
    from ..terrain import Transition

    land = _ground.Terrain(seed)
    spots, cells = round(2.0 * size), round(4.0 * size)
    line = np.linspace(-0.5 * size, 0.5 * size, spots + 1)
    heights = land.height(line[None, :], line[:, None])
    line = ((np.arange(cells) + 0.5) / cells - 0.5) * size
    x, z = np.broadcast_arrays(line[None, :], line[:, None])
    weights = _ground.cover_weights(land, x, z)
    materials = [_cover(name) for name in _ground.COVERS]
    light = (weights @ np.stack([one.mean() for one in materials])) * _ground.cover_tone(land, x, z)
    macro = _bark.srgb_from_linear(np.clip(light, 0.0, 1.0))
    terrain = Terrain(
        heights, np.rint(255.0 * weights).astype(np.uint8), materials,
        Transition("priority", strength=0.6, cell=0.14, priorities=(0.0, 0.04, 0.08, 0.0),
                   min_weight=0.04, zoom=(0.4, 2.0)),
        cell_size=size / spots, position=(-0.5 * size, 0.0, -0.5 * size), macro=macro,
        filter="linear",
    )  # fmt: skip
    return Ground((), size, _ground.CLEARING, land, terrain)


@lru_cache(maxsize=8)
def _cover(name: str) -> TerrainMaterial:
    from ..ground import TerrainMaterial

    look, tint = _solid(name), _ground._COVER_TINTS[name]
    return TerrainMaterial(
        tint if look.base_color_texture is None else look.base_color_texture,
        normal=look.normal_texture, tint=tint, scale=_ground._COVER_TILES[name], strength=0.9,
        roughness=0.95, name=name,
    )  # fmt: skip


def _wooded(name: str, seed: int, lod: int | str) -> list[Any]:
    level = _level(lod)
    wanted = range(LEVELS) if level is None else (level,)
    levels = [[_mesh(wood, _solid(name)), _mesh(leaves, _foliage(name))]
              for wood, leaves in grown(name, seed, wanted)]
    return levels if level is None else levels[0]


def _picked(levels: list[Any], lod: int | str) -> list[Any]:
    level = _level(lod)
    return levels if level is None else levels[level]


def _level(lod: int | str) -> int | None:
    """A level of detail, None for all of them."""
    if isinstance(lod, str) and lod == "all":
        return None
    level = -1 if isinstance(lod, str) else _count("lod", lod)
    if not 0 <= level < LEVELS:
        raise ValueError(f'lod: wanted 0 to {LEVELS - 1} or "all", got {lod!r}')
    return level


def _mesh(surface: Surface, material: Material) -> Mesh:
    from ..mesh import Mesh

    colors = np.full((len(surface.positions), 4), 255, np.uint8)
    colors[:, :3] = np.rint(255.0 * np.clip(surface.colors, 0.0, 1.0))
    return Mesh(surface.positions.astype(np.float32), surface.indices.astype(np.uint32),
                normals=surface.normals.astype(np.float32), uvs=surface.uvs.astype(np.float32),
                colors=colors, material=material)


@lru_cache(maxsize=32)
def _foliage(name: str) -> Material:
    from ..atlas import TileGrid, bake_atlas
    from ..device import Device
    from ..materials import Material, MaterialTexture

    with Device("cpu") as device:
        baked = bake_atlas(_clusters.paint(name), tiles=TileGrid(2, 2, gutter=_clusters.GUTTER),
                           cutoffs=(0.5,), device=device)
    texture = MaterialTexture.from_atlas(baked, name=f"{name} leaves")
    return Material(name=f"{name} leaves", base_color_texture=texture, alpha_mode="mask",
                    alpha_cutoff=0.5, double_sided=True, translucency=_TRANSLUCENCY, roughness=0.9)


@lru_cache(maxsize=32)
def _solid(name: str, roughness: float = 0.9) -> Material:
    from ..materials import Material, MaterialTexture

    image, relief = _bark.paint(name)
    return Material(name=name, roughness=roughness,
                    base_color_texture=MaterialTexture((image,), name=name),
                    normal_texture=MaterialTexture((relief,), color_space="linear",
                                                   name=f"{name} relief"))


@lru_cache(maxsize=1)
def _path_material() -> Material:
    from ..atlas import bake_atlas
    from ..device import Device
    from ..materials import Material, MaterialTexture

    image = _bark.paint("soil")[0].copy()
    alpha = _bark.ragged(np.random.default_rng(4100), image.shape[0])
    image[..., 3] = np.rint(255.0 * alpha)
    with Device("cpu") as device:
        baked = bake_atlas(image, fill="wrap", device=device)
    texture = MaterialTexture.from_atlas(baked, wrap="repeat", name="path")
    return Material(name="path", base_color_texture=texture, alpha_mode="mask", roughness=0.95,
                    wind=0.0)


def _check_name(argument: str, name: Any, names: tuple[str, ...]) -> None:
    if name not in names:
        raise ValueError(f"{argument}: wanted one of {', '.join(names)}, got {name!r}")


def _count(argument: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{argument}: wanted an integer, got {type(value).__name__}") from None


def _seed(value: Any) -> int:
    seed = _count("seed", value)
    if seed < 0:
        raise ValueError(f"seed: wanted 0 or more, got {seed}")
    return seed
