# SPDX-License-Identifier: MIT
"""Where the tiles of a measured chain lie at each of its levels."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .. import _core
from ..layouts import record_dtype, records
from ..tiles import LevelCaps, TileRects

__all__ = ["Layout"]

# Of the needs that LevelCaps names.
_HALF_TEXELS = (1, 2, 4, 9)


def _rects(place: np.ndarray, prefix: str) -> np.ndarray:
    x, y = place[prefix + "x0"], place[prefix + "y0"]
    width, height = place[prefix + "x1"] - x, place[prefix + "y1"] - y
    return np.stack([x, y, width, height], axis=-1).astype(np.int32)


@dataclasses.dataclass(frozen=True, eq=False)
class Layout:
    """Tiles at every level of a full chain.

    Attributes
    ----------
    sizes : (levels, 2) int
        Width and height.
    tiles : TileRects
    places : (tiles, levels) records
        Of "dw_tile_level".
    tile_levels : (tiles,) int
        Levels at which a tile is one texel or more.
    is_array : bool
        The tiles are layers under each other: no sampler goes from one to the next.
    """

    sizes: np.ndarray
    tiles: TileRects
    places: np.ndarray
    tile_levels: np.ndarray
    is_array: bool = False

    @classmethod
    def of_bake(cls, baked: Any) -> Layout:
        sizes = [level.shape[1::-1] for level in baked.full_levels]
        return cls(np.array(sizes), baked.tiles, baked.places, baked.tile_levels)

    @classmethod
    def of_tiles(cls, width: int, height: int, tiles: TileRects) -> Layout:
        places, tile_levels = _core.atlas_places(width, height, tiles.rects, gutter=tiles.gutter)
        places = records(places, "dw_tile_level")
        sizes = [
            (max(1, width >> level), max(1, height >> level)) for level in range(places.shape[1])
        ]
        return cls(np.array(sizes), tiles, places, tile_levels)

    @classmethod
    def of_layers(cls, width: int, height: int, layers: int) -> Layout:
        """Layers of an array texture, stacked downwards at every level."""
        count = max(width, height).bit_length()
        places = np.zeros((layers, count), dtype=record_dtype("dw_tile_level"))
        sizes = []
        for level in range(count):
            w, h = max(1, width >> level), max(1, height >> level)
            top = np.arange(layers) * h
            for prefix in ("", "content_"):
                places[prefix + "x1"][:, level] = w
                places[prefix + "y0"][:, level] = top
                places[prefix + "y1"][:, level] = top + h
            sizes.append((w, h * layers))
        rects = [(0, layer * height, width, height) for layer in range(layers)]
        lives = np.full(layers, count, dtype=np.int32)
        return cls(np.array(sizes), TileRects(rects), places, lives, True)

    def __len__(self) -> int:
        return len(self.tiles)

    @property
    def level_count(self) -> int:
        return len(self.sizes)

    def alive(self, level: int) -> np.ndarray:
        """Indices of the tiles that a level still shows."""
        return np.flatnonzero(self.tile_levels > level)

    def content(self, level: int) -> np.ndarray:
        """(alive tiles, 4) int32: x, y, width, height of the content's texels."""
        return _rects(self.places[self.alive(level), level], "content_")

    def owned(self, level: int) -> np.ndarray:
        """(alive tiles, 4) int32: x, y, width, height of all texels of each tile."""
        return _rects(self.places[self.alive(level), level], "")

    def edges(self) -> np.ndarray:
        """(tiles, levels) int: the shorter side of each tile in texels, 0 where it is gone."""
        out = np.zeros(self.places.shape, dtype=int)
        for level in range(self.level_count):
            out[self.alive(level), level] = self.owned(level)[:, 2:].min(axis=1)
        return out

    def drawn(self) -> np.ndarray:
        """(tiles, 4) int: x0, y0, x1, y1 of the cards in texels of level 0, inside their gutters.

        Unlike content, which a bake that keeps its gutters takes to be the whole tile.
        """
        rects = self.tiles.rects.astype(np.int64)
        inside = rects + np.array([1, 1, -2, -2]) * self.tiles.gutter
        inside[:, 2:] += inside[:, :2]
        return inside

    def caps(self) -> LevelCaps:
        """The last levels at which no tap reaches a texel of another tile, from the texels
        themselves: they hold for tiles and images of any size.

        Returns
        -------
        LevelCaps
            As `BakedAtlas.levels_safe`; -1 where not even level 0 is safe.
        """
        if len(self) < 2 or self.is_array:
            return LevelCaps(*[self.level_count - 1] * 4)
        rooms = [self._room(level) for level in range(self.level_count)]
        found = []
        for need in _HALF_TEXELS:
            safe = [room >= need for room in rooms]
            found.append((safe + [False]).index(False) - 1)
        return LevelCaps(*found)

    def _room(self, level: int) -> float:
        """The least half texels between a card's edge and the end of its tile at a level.

        An edge of the image needs none: samplers clamp there. -1 where a tile is gone.
        """
        if (self.tile_levels <= level).any():
            return -1.0
        place, drawn = self.places[:, level], self.drawn()
        least = np.inf
        for axis, name in enumerate("xy"):
            size, level_size = (int(self.sizes[n][axis]) for n in (0, level))
            begin, end = place[name + "0"].astype(np.int64), place[name + "1"].astype(np.int64)
            before = 2 * (drawn[:, axis] * level_size - begin * size)[begin > 0]
            after = 2 * (end * size - drawn[:, axis + 2] * level_size)[end < level_size]
            least = min([least, *(each.min() / size for each in (before, after) if each.size)])
        return least

    def areas(self, level: int, *, gutters: bool) -> np.ndarray:
        """(tiles, 4) float: x0, y0, x1, y1 of the tiles of level 0, in texels of a level.

        Parameters
        ----------
        level : int
        gutters : bool
            Whole tiles; else their content alone.
        """
        first = _rects(self.places[:, 0], "" if gutters else "content_").astype(float)
        first[:, 2:] += first[:, :2]
        # The product first: edges that fall on a texel's border then do so exactly.
        return first * np.tile(self.sizes[level], 2) / np.tile(self.sizes[0], 2)
