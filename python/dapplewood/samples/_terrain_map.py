# SPDX-License-Identifier: MIT
"""The glade's ground as a map: what covers it, and pictures of the covers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _ground
from ._models import _count, _cover, _seed, _solid
from ._paint import linear_from_srgb, srgb_from_linear


@dataclass(frozen=True)
class TerrainMap:
    """What `compose_terrain` draws a map from."""

    base: np.ndarray  #: (h, w, 3) uint8, sRGB: macro colour
    details: tuple[np.ndarray, ...]  #: (th, tw, 3) uint8 each, sRGB: a tile a material
    weights: np.ndarray  #: (h, w, 4) uint8
    names: tuple[str, ...]  #: of the materials
    detail_scale: tuple[float, ...]  #: map units that a tile's width spans


def terrain_map(side: int = 256, *, texels_per_metre: float = 4.0, seed: int = 0) -> TerrainMap:
    """Draw a map of the glade's ground: turf, moss, fallen leaves and a path of earth.

    Parameters
    ----------
    side : int
        Texels along a side, 16 to 4096; the clearing is in the middle.
    texels_per_metre : float
        0.25 to 64.
    seed : int
        Equal seeds give equal land.

    Returns
    -------
    TerrainMap

    Raises
    ------
    ValueError
        A number out of its range.
    """
    side, per_metre = _count("side", side), float(texels_per_metre)
    if not 16 <= side <= 4096:
        raise ValueError(f"side: wanted 16 to 4096 texels, got {side}")
    if not 0.25 <= per_metre <= 64.0:
        raise ValueError(f"texels_per_metre: wanted 0.25 to 64, got {per_metre:g}")
    land = _ground.Terrain(_seed(seed))
    line = (np.arange(side) + 0.5 - 0.5 * side) / per_metre
    x, z = np.broadcast_arrays(line[None, :], line[:, None])
    weights = _ground.cover_weights(land, x, z)
    covers = [_cover(name) for name in _ground.COVERS]
    light = (weights @ np.stack([one.mean() for one in covers])) * _ground.cover_tone(land, x, z)
    return TerrainMap(
        base=_codes(light),
        details=tuple(_tile(name) for name in _ground.COVERS),
        weights=np.rint(255.0 * weights).astype(np.uint8),
        names=_ground.COVERS,
        detail_scale=tuple(_ground._COVER_TILES[name] * per_metre for name in _ground.COVERS),
    )


def _codes(light: np.ndarray) -> np.ndarray:
    return np.rint(255.0 * srgb_from_linear(np.clip(light, 0.0, 1.0))).astype(np.uint8)


def _tile(name: str) -> np.ndarray:
    """The cover's texture in its tint."""
    texture = _solid(name).base_color_texture
    assert texture is not None, f"{name} is drawn from a texture"
    light = linear_from_srgb(np.asarray(texture.levels[0])[..., :3] / 255.0)
    return _codes(light * np.asarray(_ground._COVER_TINTS[name]))
