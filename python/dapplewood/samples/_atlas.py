# SPDX-License-Identifier: MIT
"""The public functions of `dapplewood.samples`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from ._paint import Layout, Painter, srgb_from_linear
from ._plants import SPECIES, Plan, fractal, tuft

_SMALLEST_TILE = 32
_THREADS = 2
# Cards smaller than this spend their time in the interpreter, which one thread holds at a time.
_THREADED_PIXELS = 400_000
_DEFAULT_ORDER = ("oak", "maple", "ash", "beech", "birch", "boxwood", "willow", "ivy", "pine",
                  "spruce", "fern", "bare", "grass", "clover", "daisy", "autumn", "reed")


class Grid(NamedTuple):
    columns: int
    rows: int
    gutter: int


def _tile_grid(columns: int, rows: int, gutter: int):
    # Imported late: drawing needs NumPy alone, baking the compiled core.
    try:
        from ..atlas import TileGrid
    except ImportError:
        return Grid(columns, rows, gutter)
    return TileGrid(columns, rows, gutter=gutter)


def species() -> list[str]:
    """Names of the plants that cards can show."""
    return list(_DEFAULT_ORDER)


def foliage_atlas(size: int | tuple[int, int] = 2048, columns: int = 4, rows: int = 4,
                  gutter: int = 8, seed: int = 0, *, species: Sequence[str] | None = None,
                  background="black", bit_depth: int = 8):
    """Draw an atlas of foliage cards, one plant a tile.

    Parameters
    ----------
    size : int or (int, int)
        Width and height in texels. The width must be a multiple of `columns`, the height of `rows`,
        and a tile at least 32 texels wide and high within its gutter.
    columns, rows : int
        Tiles across and down.
    gutter : int
        Texels along each side of a tile that stay empty.
    seed : int
        Equal seeds give equal atlases, different seeds different plants. With one NumPy version on
        one processor family the bytes are equal; elsewhere single texels may differ, because
        processors round sines and roots differently.
    species : sequence of str, optional
        Names from `species()`, given to the tiles row by row and repeated as needed. By default all
        of them in their order.
    background : "black", "white", "average" or (3,) of int
        Colour hidden under alpha 0, sRGB: "black", as most painting programs leave it, is what
        fringes under filtering; "average" is each tile's own mean colour.
    bit_depth : 8 or 16
        Bits in a channel.

    Returns
    -------
    image : (H, W, 4) ndarray of uint8 or uint16
        sRGB colour and linear, straight alpha.
    tiles : TileGrid
        Columns, rows and gutter, as `bake_atlas` takes them.

    Raises
    ------
    ValueError
        For a size that the grid does not divide, a tile that is too small, an unknown species.

    Examples
    --------
    >>> image, tiles = foliage_atlas(256, columns=2, rows=2, gutter=4)
    >>> image.shape, tiles.columns
    ((256, 256, 4), 2)
    """
    image, grid, _ = labelled_atlas(size, columns, rows, gutter, seed, species=species,
                                    background=background, bit_depth=bit_depth)
    return image, grid


def labelled_atlas(size: int | tuple[int, int] = 2048, columns: int = 4, rows: int = 4,
                   gutter: int = 8, seed: int = 0, *, species: Sequence[str] | None = None,
                   background="black", bit_depth: int = 8):
    """Draw the atlas of `foliage_atlas` and say which plant each tile shows.

    Parameters
    ----------
    size, columns, rows, gutter, seed, species, background, bit_depth
        As for `foliage_atlas`.

    Returns
    -------
    image : (H, W, 4) ndarray of uint8 or uint16
    tiles : TileGrid
    labels : list of str
        Species of each tile, row by row.
    """
    width, height = _checked_size(size)
    columns, rows = _counted("columns", columns, 1), _counted("rows", rows, 1)
    gutter, seed = _counted("gutter", gutter, 0), _counted("seed", seed, 0)
    tile_width = _divided("width", width, "columns", columns)
    tile_height = _divided("height", height, "rows", rows)
    _checked_tile(tile_width, tile_height, gutter)
    names = _checked_species(species)
    encode = Encoder(background, bit_depth)
    labels = [names[i % len(names)] for i in range(columns * rows)]
    image = np.empty((height, width, 4), encode.dtype)
    inner = (tile_width - 2 * gutter, tile_height - 2 * gutter)

    def paint(name: str) -> None:
        at = [i for i, label in enumerate(labels) if label == name]
        for i, card in zip(at, _cards(name, at, seed, *inner)):
            y, x = i // columns * tile_height, i % columns * tile_width
            encode(card, gutter, image[y : y + tile_height, x : x + tile_width])

    threads = _THREADS if inner[0] * inner[1] >= _THREADED_PIXELS else 1
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(paint, dict.fromkeys(labels)):
            pass
    return image, _tile_grid(columns, rows, gutter), labels


def leaf_card(species: str = "oak", size: int | tuple[int, int] = 512, seed: int = 0, *,
              gutter: int = 2, background="black", bit_depth: int = 8) -> np.ndarray:
    """Draw one plant on one card.

    Parameters
    ----------
    species : str
        A name from `species()`. "bare", "willow", "pine", "fern" and "grass" are the thin ones:
        their coverage is the first to die in a mip chain.
    size : int or (int, int)
        Width and height in texels, at least 32 within the gutter.
    seed : int
        Equal seeds give equal cards.
    gutter : int
        Empty texels along each side.
    background, bit_depth
        As for `foliage_atlas`.

    Returns
    -------
    (H, W, 4) ndarray of uint8 or uint16
        sRGB colour and linear, straight alpha.
    """
    return foliage_atlas(size, 1, 1, gutter, seed, species=(species,), background=background,
                         bit_depth=bit_depth)[0]


def grass_strip(width: int = 1024, height: int = 256, seed: int = 0, *, density: float = 1.0,
                background="black", bit_depth: int = 8) -> np.ndarray:
    """Draw a strip of grass that repeats seamlessly along x, for `fill="wrap"`.

    Parameters
    ----------
    width, height : int
        Texels, at least 32 each. Blades stand on the lower border and stay below the upper one.
    seed : int
        Equal seeds give equal strips.
    density : float
        Blades relative to a lush meadow, in (0, 8].
    background, bit_depth
        As for `foliage_atlas`.

    Returns
    -------
    (height, width, 4) ndarray of uint8 or uint16
        sRGB colour and linear, straight alpha.
    """
    width, height = _counted("width", width, 32), _counted("height", height, 32)
    if not 0.0 < density <= 8.0:
        raise ValueError(f"density: wanted a number in (0, 8], got {density!r}; 1 is a lush meadow")
    encode = Encoder(background, bit_depth)
    plan = Plan(np.random.default_rng([_counted("seed", seed, 0), 1000]))
    aspect = width / height
    tuft(plan, "blade", max(1, round(72 * aspect * density)), 0.5, base=0.5 * aspect,
         tall=(0.35, 0.92))
    layout = Layout.strip(height)
    painter = Painter(SPECIES["grass"], np.random.default_rng([seed, 1001]))
    painter.prepare([plan], [layout])
    card = painter.paint(plan, layout, width, height, wrap=True)
    image = np.empty((height, width, 4), encode.dtype)
    encode(card, 0, image)
    return image


def fractal_card(size: int | tuple[int, int] = 512, seed: int = 0, *, depth: int = 6,
                 gutter: int = 2, background="black", bit_depth: int = 8) -> np.ndarray:
    """Draw a self-similar crown whose detail goes from the trunk down to single texels.

    Every mip level loses one generation of twigs, so its coverage falls at every level: the hardest
    card to keep.

    Parameters
    ----------
    size : int or (int, int)
        Width and height in texels, at least 32 within the gutter.
    seed : int
        Equal seeds give equal cards.
    depth : int
        Generations of branches, 1 to 8.
    gutter : int
        Empty texels along each side.
    background, bit_depth
        As for `foliage_atlas`.

    Returns
    -------
    (H, W, 4) ndarray of uint8 or uint16
        sRGB colour and linear, straight alpha.
    """
    width, height = _checked_size(size)
    gutter, seed = _counted("gutter", gutter, 0), _counted("seed", seed, 0)
    if _counted("depth", depth, 1) > 8:
        raise ValueError(f"depth: wanted 1 to 8 generations, got {depth}; "
                         "each one triples the work")
    _checked_tile(width, height, gutter)
    encode = Encoder(background, bit_depth)
    plan = Plan(np.random.default_rng([seed, 2000]))
    fractal(plan, depth)
    inner = (width - 2 * gutter, height - 2 * gutter)
    layout = Layout(plan, *inner)
    painter = Painter(SPECIES["beech"], np.random.default_rng([seed, 2001]))
    painter.prepare([plan], [layout])
    image = np.empty((height, width, 4), encode.dtype)
    encode(painter.paint(plan, layout, *inner), gutter, image)
    return image


def _cards(name: str, indices: list[int], seed: int, width: int, height: int):
    """Yield the (4, height, width) card of each tile index, all of one species."""
    kind = _DEFAULT_ORDER.index(name)
    plans = []
    for index in indices:
        plan = Plan(np.random.default_rng([seed, kind, index]))
        SPECIES[name].grow(plan)
        plans.append(plan)
    layouts = [Layout(plan, width, height) for plan in plans]
    painter = Painter(SPECIES[name], np.random.default_rng([seed, kind]))
    painter.prepare(plans, layouts)
    for plan, layout in zip(plans, layouts):
        yield painter.paint(plan, layout, width, height)


class Encoder:
    """Turns premultiplied linear cards into straight sRGB texels over a hidden colour."""

    _WORDS = {"black": (0, 0, 0), "white": (255, 255, 255)}

    def __init__(self, background, bit_depth: int):
        if bit_depth not in (8, 16):
            raise ValueError(f"bit_depth: wanted 8 or 16, got {bit_depth!r}")
        self.top = (1 << bit_depth) - 1
        self.dtype = np.uint8 if bit_depth == 8 else np.uint16
        self.average = isinstance(background, str) and background == "average"
        self.hidden = np.zeros(3) if self.average else self._colour(background)
        # 65536 linear steps are finer than an 8-bit sRGB step everywhere, black included.
        ramp = srgb_from_linear(np.linspace(0.0, 1.0, 65536))
        self.table = np.rint(ramp * self.top).astype(self.dtype)

    @classmethod
    def _colour(cls, background) -> np.ndarray:
        if isinstance(background, str) and background in cls._WORDS:
            background = cls._WORDS[background]
        wanted = 'wanted "black", "white", "average" or three integers from 0 to 255'
        if isinstance(background, str):
            raise ValueError(f"background: {wanted}, got {background!r}")
        colour = np.asarray(background)
        if colour.shape != (3,) or not ((colour >= 0) & (colour <= 255)).all():
            raise ValueError(f"background: {wanted}, got {background!r}")
        return colour / 255.0

    def __call__(self, card: np.ndarray, gutter: int, out: np.ndarray) -> None:
        """Write a card into the middle of a tile, its gutter filled with the hidden colour."""
        hidden = self.hidden
        if self.average:
            total = card.reshape(4, -1).sum(axis=1, dtype=np.float64)
            hidden = srgb_from_linear(np.clip(total[:3] / max(total[3], 1e-9), 0.0, 1.0))
        hidden = np.rint(hidden * self.top).astype(self.dtype)
        out[..., :3] = hidden
        out[..., 3] = 0
        _, height, width = card.shape
        inner = out[gutter : gutter + height, gutter : gutter + width]
        alpha = np.rint(np.clip(card[3], 0.0, 1.0) * self.top).astype(self.dtype)
        inner[..., 3] = alpha
        empty = alpha == 0
        share = 1.0 / np.maximum(card[3], np.float32(1e-6))
        for channel in range(3):
            value = np.clip(card[channel] * share, 0.0, 1.0)
            if self.top == 255:
                code = self.table[(value * 65535.0 + 0.5).astype(np.uint16)]
            else:
                code = np.rint(srgb_from_linear(value) * self.top).astype(self.dtype)
            inner[..., channel] = np.where(empty, hidden[channel], code)


def _counted(name: str, value, least: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: wanted an integer, got {type(value).__name__}") from None
    if number < least:
        raise ValueError(f"{name}: wanted at least {least}, got {number}")
    return number


def _checked_size(size) -> tuple[int, int]:
    pair = size if isinstance(size, (tuple, list)) else (size, size)
    if len(pair) != 2:
        raise ValueError(f"size: wanted one number or (width, height), got {size!r}")
    return _counted("size", pair[0], 1), _counted("size", pair[1], 1)


def _divided(side: str, texels: int, name: str, count: int) -> int:
    if texels % count:
        raise ValueError(f"size: {side} {texels} is no multiple of {name} {count}; "
                         f"the next larger one is {texels + count - texels % count}")
    return texels // count


def _checked_tile(width: int, height: int, gutter: int) -> None:
    least = min(width, height) - 2 * gutter
    if least < _SMALLEST_TILE:
        raise ValueError(f"size: a tile of {width} x {height} texels with gutter {gutter} leaves "
                         f"{least} texels for the plant, {_SMALLEST_TILE} are needed; "
                         "enlarge the size, or lower columns, rows or gutter")


def _checked_species(names) -> list[str]:
    if names is None:
        return list(_DEFAULT_ORDER)
    if isinstance(names, str):
        names = (names,)
    names = list(names)
    if not names:
        raise ValueError("species: wanted at least one name, got an empty sequence")
    for name in names:
        if name not in _DEFAULT_ORDER:
            raise ValueError(f"species: no plant is called {name!r}; "
                             f"there are {', '.join(_DEFAULT_ORDER)}")
    return names
