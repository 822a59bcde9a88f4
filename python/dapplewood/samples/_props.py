# SPDX-License-Identifier: MIT
"""Meshes with materials of what people have built, and of what grows in a pond."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _masonry, _pond
from ._models import _mesh, _picked, _seed, _solid
from ._raster import stroke
from ._surface import Surface

if TYPE_CHECKING:
    from ..materials import Material
    from ..mesh import Mesh

FIRELIGHT = (5.2, 1.9, 0.5)
_RUNE_STROKES = (
    ((0.3, 0.1, 0.3, 0.9), (0.3, 0.1, 0.75, 0.35), (0.75, 0.35, 0.3, 0.55)),
    ((0.5, 0.08, 0.5, 0.92), (0.5, 0.3, 0.2, 0.12), (0.5, 0.3, 0.8, 0.12)),
    ((0.5, 0.1, 0.2, 0.5), (0.2, 0.5, 0.5, 0.9), (0.5, 0.9, 0.8, 0.5), (0.8, 0.5, 0.5, 0.1)),
    ((0.3, 0.1, 0.3, 0.9), (0.7, 0.1, 0.7, 0.9), (0.3, 0.35, 0.7, 0.65)),
    ((0.25, 0.9, 0.5, 0.1), (0.5, 0.1, 0.75, 0.9), (0.36, 0.58, 0.64, 0.58)),
    ((0.35, 0.1, 0.35, 0.9), (0.35, 0.42, 0.7, 0.2), (0.35, 0.62, 0.7, 0.84)),
)  # fmt: skip


def altar(*, seed: int = 0) -> list[Mesh]:
    """Build an altar: a carved pedestal with a basin of light, worn steps, standing stones.

    Metres, y up, 1.4 m high on steps 3.2 m wide; the stones stand in an arc on the side of -z.

    Parameters
    ----------
    seed : int
        Equal seeds give equal altars.

    Returns
    -------
    list of Mesh
        The pedestal, whose surface magic may start from; the steps; the standing stones; the light
        in the basin; the runes on the stones.

    Examples
    --------
    >>> pedestal, *others = dw.samples.altar(seed=3)
    >>> config = dw.GlowConfig((0, 0, 0), "altar", surface=pedestal)
    """
    parts = _masonry.altar(_seed(seed))
    stone = _solid("dressed", 0.85)
    return [_mesh(parts["pedestal"], stone), _mesh(parts["steps"], stone),
            _mesh(parts["stones"], _solid("rock", 0.85)), _mesh(parts["light"], _magic_light()),
            _mesh(parts["runes"], _rune_material())]


def campfire(*, seed: int = 0) -> list[Mesh]:
    """Lay a camp fire: a ring of sooty stones 1.4 m wide, charred logs, embers that glow.

    Parameters
    ----------
    seed : int
        Equal seeds give equal fires.

    Returns
    -------
    list of Mesh
        Stones, logs and embers; the flames are particles.
    """
    parts = _masonry.campfire(_seed(seed))
    return [_mesh(parts["stones"], _solid("rock", 0.9)), _mesh(parts["logs"], _solid("charred")),
            _mesh(parts["embers"], _ember_material())]


def torch(*, seed: int = 0) -> list[Mesh]:
    """Plant a torch: a post 1.5 m high with an iron cage, in which pitch glows.

    Parameters
    ----------
    seed : int
        Equal seeds give equal torches.

    Returns
    -------
    list of Mesh
        Post, cage and pitch. Flames start about 1.7 m above the origin.
    """
    parts = _masonry.torch(_seed(seed))
    return [_mesh(parts["post"], _solid("driftwood")), _mesh(parts["cage"], _iron()),
            _mesh(parts["embers"], _ember_material())]


def reeds(*, lod: int | str = "all", seed: int = 0) -> list[Any]:
    """Grow a clump of reeds with cattails, 1.7 m high.

    Parameters
    ----------
    lod, seed
        As for `tree`; about 700, 300 and 140 triangles.

    Returns
    -------
    list of Mesh, or list of such lists
        One mesh a level.
    """
    return _picked([[_mesh(one, _reed_material())] for one in _pond.reeds(_seed(seed))], lod)


def lilies(*, seed: int = 0) -> list[Mesh]:
    """Lay leaves of water lilies on a surface at y = 0, over about 3 m.

    Parameters
    ----------
    seed : int
        Equal seeds give equal leaves.

    Returns
    -------
    list of Mesh
        One mesh.
    """
    return [_mesh(_pond.lilies(_seed(seed)), _lily_material())]


def painted_light(surface: Surface, light: Any, color: Any, reach: float, texture: str,
                  above: float = 0.006) -> Mesh | None:
    """What a small light does to a surface, as a mesh that is drawn over it; None: nothing."""
    from ..mesh import Mesh

    skin, alpha = _masonry.lit_by(surface, np.asarray(light, float), reach, above)
    if not len(skin.indices):
        return None
    colors = np.empty((len(alpha), 4))
    colors[:, :3], colors[:, 3] = np.clip(skin.colors, 0.0, 1.0), alpha
    return Mesh(skin.positions.astype(np.float32), skin.indices.astype(np.uint32),
                normals=skin.normals.astype(np.float32), uvs=skin.uvs.astype(np.float32),
                colors=np.rint(255.0 * colors).astype(np.uint8),
                material=_lit_material(texture, tuple(color)))


# -- materials --


@lru_cache(maxsize=16)
def _lit_material(texture: str, color: tuple[float, float, float]) -> Material:
    return _solid(texture).replace(name=f"{texture}, lit", base_color=(*color, 1.0), unlit=True,
                                   normal_texture=None, alpha_mode="blend")


@lru_cache(maxsize=1)
def _ember_material() -> Material:
    return _solid("embers").replace(base_color=(2.6, 2.2, 2.0, 1.0), unlit=True,
                                    normal_texture=None)


@lru_cache(maxsize=1)
def _iron() -> Material:
    from ..materials import Material

    return Material(name="iron", roughness=0.55, metallic=0.6)


@lru_cache(maxsize=1)
def _magic_light() -> Material:
    from ..materials import Material

    return Material(name="light", base_color=(1.05, 0.82, 1.9, 1.0), unlit=True)


@lru_cache(maxsize=1)
def _reed_material() -> Material:
    from ..materials import Material

    return Material(name="reeds", double_sided=True, translucency=0.5, roughness=0.9, wind=0.5)


@lru_cache(maxsize=1)
def _lily_material() -> Material:
    from ..materials import Material

    return Material(name="lilies", roughness=0.45)


@lru_cache(maxsize=1)
def water_material() -> Material:
    """Dark, smooth and rippled: it shows the sky, the sun's path and a little of what is below."""
    from ..materials import Material, MaterialTexture

    relief = MaterialTexture((_pond.ripples(),), color_space="linear", name="ripples")
    return Material(name="water", base_color=(0.09, 0.115, 0.125, 0.5), metallic=0.9,
                    roughness=0.16, normal_texture=relief, normal_scale=0.35, alpha_mode="blend")


@lru_cache(maxsize=1)
def _rune_material() -> Material:
    """Six runes in two rows, light on nothing."""
    from ..materials import Material, MaterialTexture

    tile = 64
    canvas = np.zeros((4, 2 * tile, 3 * tile), np.float32)
    for i, strokes in enumerate(_RUNE_STROKES):
        corner = np.array([(i % 3) * tile, (i // 3) * tile], float)
        for width, alpha in ((6.5, 0.16), (4.0, 0.35), (1.7, 1.0)):
            layer = np.zeros_like(canvas)
            for x0, y0, x1, y1 in strokes:
                path = corner + tile * np.array([[x0, y0], [(x0 + x1) / 2, (y0 + y1) / 2],
                                                 [x1, y1]])
                stroke(layer, path, np.full(3, width), np.ones(4), np.zeros(4))
            canvas = np.maximum(canvas, alpha * layer)
    image = np.full((2 * tile, 3 * tile, 4), 255, np.uint8)
    image[..., 3] = np.rint(255.0 * np.clip(canvas[3], 0.0, 1.0))
    texture = MaterialTexture((image,), wrap="clamp", name="runes")
    return Material(name="runes", base_color=(0.95, 0.62, 2.0, 1.0), base_color_texture=texture,
                    unlit=True, alpha_mode="blend")
