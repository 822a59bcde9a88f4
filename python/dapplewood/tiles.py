# SPDX-License-Identifier: MIT
"""Where the cards of an atlas lie, and how far down its mip chain they stay apart."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from . import _core
from .checks import check_count

__all__ = ["LevelCaps", "TileGrid", "TileRects"]


class LevelCaps(NamedTuple):
    """The last mip level at which a sampler stays inside a tile, by what the sampler needs.

    A gutter of g texels is g / 2**n texels wide at level n. -1: not even level 0 is safe.

    Attributes
    ----------
    bilinear : int
        Half a texel of gutter: bilinear and trilinear taps at the content's edge bleed nothing.
        This is what ``max_level="safe"`` takes.
    one_texel : int
        One texel: room for rounded texture coordinates as well.
    two_texels : int
        Two texels: mild anisotropy.
    anisotropic_8x : int
        Four and a half texels: the worst case of 8 taps along one axis.
    """

    bilinear: int
    one_texel: int
    two_texels: int
    anisotropic_8x: int


@dataclasses.dataclass(frozen=True)
class TileGrid:
    """Tiles of one size in rows and columns that fill the image.

    Parameters
    ----------
    columns, rows : int
        Tiles along x and along y.
    gutter : int
        Texels on each side of a tile that hold no content of their own.
    """

    columns: int
    rows: int
    gutter: int = 0

    def __post_init__(self) -> None:
        for name, least in (("columns", 1), ("rows", 1), ("gutter", 0)):
            object.__setattr__(self, name, check_count(getattr(self, name), name, least))

    def rects_for(self, width: int, height: int) -> np.ndarray:
        """The tiles of an image, row by row.

        Returns
        -------
        (columns * rows, 4) int32
            x, y, width, height in texels.

        Raises
        ------
        ValueError
            The grid does not divide the image, or has too many tiles.
        """
        if self.columns * self.rows > _core.LIMITS["tiles"]:
            raise ValueError(
                f"tiles: a grid of {self.columns} x {self.rows} has more than "
                f"{_core.LIMITS['tiles']} tiles; take larger ones"
            )
        if width % self.columns or height % self.rows:
            raise ValueError(
                f"tiles: a grid of {self.columns} x {self.rows} does not divide an image of "
                f"{width} x {height} texels; pad the image, or give TileRects"
            )
        w, h = width // self.columns, height // self.rows
        y, x = np.divmod(np.arange(self.columns * self.rows), self.columns)
        sizes = np.full_like(x, w), np.full_like(x, h)
        return np.stack([x * w, y * h, *sizes], axis=1).astype(np.int32)


class TileRects:
    """Tiles anywhere in the image.

    Parameters
    ----------
    rects : (N, 4) array_like of int
        x, y, width, height in texels of level 0. Tiles must not overlap; texels in no tile are
        baked as the image around them.
    gutter : int
        Texels on each side of every tile that hold no content of their own.
    """

    __slots__ = ("gutter", "rects")

    def __init__(self, rects: Any, gutter: int = 0) -> None:
        array = np.asarray(rects)
        if array.ndim != 2 or array.shape[1:] != (4,):
            raise ValueError(
                f"rects must have shape (N, 4): x, y, width, height; got shape {array.shape}"
            )
        if array.dtype.kind not in "iu":
            is_float = array.dtype.kind == "f" and bool(np.isfinite(array).all())
            if not is_float or bool((np.mod(array, 1) != 0).any()):
                raise TypeError(f"rects must hold whole numbers of texels, got {array.dtype}")
        if array.size and (np.min(array) < -(2**31) or np.max(array) >= 2**31):
            raise ValueError("rects must fit in 32 bits")
        self.rects = np.array(array, dtype=np.int32, order="C")  # never the caller's own memory
        self.rects.flags.writeable = False
        self.gutter = check_count(gutter, "gutter", 0)

    def rects_for(self, width: int, height: int) -> np.ndarray:
        """The rects themselves; whether they fit the image is checked by the baker."""
        return self.rects

    def __len__(self) -> int:
        return len(self.rects)

    def __repr__(self) -> str:
        return f"TileRects({len(self.rects)} rects, gutter={self.gutter})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TileRects)
            and self.gutter == other.gutter
            and np.array_equal(self.rects, other.rects)
        )

    __hash__ = None  # type: ignore[assignment]


# Texels added around an island; islands nearer than twice this are one tile. The gutter is one
# texel less: the content then ends in clear texels, which are what a gutter repeats.
ISLAND_REACH = 5
ISLAND_GUTTER = ISLAND_REACH - 1


def find_islands(alpha: np.ndarray) -> TileRects:
    """Tiles around the islands of alpha > 0.

    Parameters
    ----------
    alpha : (h, w) uint8 or uint16

    Returns
    -------
    TileRects
        With a gutter where every island has free texels on all sides, else without.

    Raises
    ------
    ValueError
        No texel is visible.
    CapacityError
        More than 65536 islands.
    """
    visible = np.ascontiguousarray((alpha > 0).astype(np.uint8))
    rects = _core.atlas_islands(visible, reach=ISLAND_REACH)
    if len(rects) == 0:
        raise ValueError('tiles="auto" found no texel with alpha > 0; give tiles by hand')
    height, width = alpha.shape
    rows, columns = np.flatnonzero(visible.any(axis=1)), np.flatnonzero(visible.any(axis=0))
    touches_edge = (
        min(rows[0], columns[0]) < ISLAND_REACH
        or rows[-1] >= height - ISLAND_REACH
        or columns[-1] >= width - ISLAND_REACH
    )
    return TileRects(rects, gutter=0 if touches_edge else ISLAND_GUTTER)


def resolve_tiles(tiles: Any, width: int, height: int, alpha: np.ndarray) -> TileRects:
    """The tiles that the argument of `bake_atlas` means, as rects."""
    if tiles is None:
        return TileRects([[0, 0, width, height]])
    if isinstance(tiles, str):
        if tiles != "auto":
            raise ValueError(
                f'tiles must be a TileGrid, TileRects, "auto" or None, got {tiles!r}'
            )
        return find_islands(alpha)
    if isinstance(tiles, (TileGrid, TileRects)):
        return TileRects(tiles.rects_for(width, height), tiles.gutter)
    if hasattr(tiles, "columns") and hasattr(tiles, "rows"):
        grid = TileGrid(tiles.columns, tiles.rows, getattr(tiles, "gutter", 0))
        return TileRects(grid.rects_for(width, height), grid.gutter)
    raise TypeError(
        f'tiles must be a TileGrid, TileRects, "auto" or None, got {type(tiles).__name__}'
    )
