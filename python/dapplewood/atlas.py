# SPDX-License-Identifier: MIT
"""The foliage atlas: mips that keep each card's coverage, its colour and its borders."""

from __future__ import annotations

import dataclasses
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from .atlas_report.layout import Layout
from .checks import check_count, check_positive
from .cutoffs import as_cutoffs, cutoff_code
from .device import Device, DeviceInfo, default_device
from .io import encode_levels
from .kinds import ColorSpace, CoverageMode, FillMode, MipFilter, kind_of
from .layouts import records
from .progress import as_progress
from .save import save_levels
from .sources import load_source
from .tiles import LevelCaps, TileGrid, TileRects, resolve_tiles

__all__ = [
    "BakedArray",
    "BakedAtlas",
    "TileGrid",
    "TileRects",
    "bake_atlas",
    "measure_coverage",
]


@dataclasses.dataclass(frozen=True)
class BakeSettings:
    """The arguments of a bake, for reports and for baking again."""

    color_space: str
    cutoffs: tuple[float, ...]
    coverage: str
    filter: str
    fill: str
    start_level: int
    strength: float


def _level_count(max_level: Any, caps: LevelCaps, total: int) -> int:
    if max_level is None:
        return total
    if max_level == "safe":
        if caps.bilinear < 0:
            raise ValueError(
                'max_level="safe" needs a gutter: without one no level keeps a sampler inside its '
                "tile; give TileGrid(..., gutter=8), or use to_array()"
            )
        return min(total, caps.bilinear + 1)
    if isinstance(max_level, bool) or not isinstance(max_level, (int, np.integer)):
        raise TypeError(f'max_level must be None, an int or "safe", got {max_level!r}')
    if max_level < 0:
        raise ValueError(f"max_level must be 0 or more, got {max_level}")
    return min(total, int(max_level) + 1)


def bake_atlas(
    image: Any,
    *,
    tiles: TileGrid | TileRects | str | None = None,
    color_space: str | ColorSpace | None = None,
    cutoffs: float | Sequence[float] = (0.5,),
    coverage: str | CoverageMode = "tile",
    filter: str | MipFilter = "box",
    fill: str | FillMode = "edge",
    max_level: int | str | None = None,
    start_level: int = 1,
    strength: float = 1.0,
    opacity: Any = None,
    premultiplied: bool = False,
    target_coverage: Any = None,
    progress: Any = None,
    device: Device | None = None,
) -> BakedAtlas:
    """Bakes the mip chain of a foliage atlas.

    Colour is averaged in linear light, weighted by alpha, and never across tiles. The tested alpha
    of each tile and level is remapped so that the share of bilinear samples that pass each cutoff
    is that of level 0. All arithmetic is in integers: every device gives the same bytes.

    Parameters
    ----------
    image : (h, w, 4) or (h, w, 3) array, Image, or path
        Straight alpha; uint8, uint16, or floats in [0, 1], which become uint16. Any strides and
        byte order. Three channels need `opacity`. Sides up to 16384 texels.
    tiles : TileGrid, TileRects, "auto" or None
        The cards. "auto" finds islands of alpha > 0; None takes the image as one tile.
    color_space : {"srgb", "linear"}, optional
        How the colours are encoded. None: as the file or Image says, "srgb" for arrays.
    cutoffs : float or sequence of up to 4 floats
        Alpha-test references inside (0, 1), ascending. A texel passes at alpha >= cutoff. Several
        share what interpolation allows: far down, a ramp between two texels crosses them all, and
        the report shows what each has kept.
    coverage : {"tile", "image", "none"}
        What keeps its coverage; "image" is what other tools do, for comparison.
    filter : {"box", "kaiser", "triangle", "mitchell", "lanczos"}
        Clamped to each tile. "box" is exact and rings nowhere.
    fill : {"edge", "wrap", "keep", "clear"}
        What becomes of gutters and of colour under alpha 0: see `FillMode`.
    max_level : int, "safe" or None
        Last level to keep. "safe": the last one at which bilinear taps bleed nothing.
    start_level : int
        First level whose alpha is remapped; levels above it keep the average.
    strength : float
        0 to 1: how far alpha goes from its average to the full remap.
    opacity : (h, w) array, Image, path, or "r", "g", "b", "a", optional
        Opacity from elsewhere: another array or file (its alpha where that varies, else its red),
        or a channel of `image`.
    premultiplied : bool
        The colours of `image` are multiplied by alpha, code by code; they are divided first. A
        file that says so itself is divided as it is read, with or without this.
    target_coverage : (tiles, cutoffs) array, optional
        Shares in [0, 1] to reach instead of those of level 0.
    progress : callable, True or None
        Called with a fraction now and then; False from it cancels. True draws a bar on a terminal.
    device : Device, optional
        Where to bake; `default_device()` if None.

    Returns
    -------
    BakedAtlas

    Raises
    ------
    ValueError, TypeError
        An argument that cannot be meant, with what was wanted and what came.
    FormatError
        A file that cannot be read.
    CapacityError
        An image beyond 16384 texels a side.
    MemoryError
        The levels do not fit in memory.
    Cancelled
        `progress` returned False.

    References
    ----------
    I. Castano, "Computing Alpha Mipmaps", 2010. S. Gortler et al., "The Lumigraph", 1996
    (push-pull).
    """
    device = default_device() if device is None else device
    if color_space is not None:
        color_space = kind_of(ColorSpace, color_space, "color_space").name.lower()
    kinds = {
        "coverage": kind_of(CoverageMode, coverage, "coverage"),
        "filter": kind_of(MipFilter, filter, "filter"),
        "fill": kind_of(FillMode, fill, "fill"),
    }
    source = load_source(
        image, opacity=opacity, premultiplied=premultiplied, color_space=color_space, device=device
    )
    height, width = source.array.shape[:2]
    layout = resolve_tiles(tiles, width, height, source.array[..., 3])
    settings = BakeSettings(
        color_space=source.color_space,
        cutoffs=as_cutoffs(cutoffs),
        start_level=start_level,
        strength=strength,
        **{name: member.name.lower() for name, member in kinds.items()},
    )
    total = max(width, height).bit_length()
    caps = Layout.of_tiles(width, height, layout).caps()
    kept = _level_count(max_level, caps, total)
    callback, bar = as_progress(progress, "bake")
    try:
        levels, alpha, remaps, places, tile_levels, is_native = _core.atlas_bake(
            device,
            source.array,
            layout.rects,
            color_space=ColorSpace[source.color_space.upper()],
            cutoffs=settings.cutoffs,
            gutter=layout.gutter,
            start_level=start_level,
            strength=strength,
            target_coverage=target_coverage,
            progress=callback,
            **kinds,
        )
    finally:
        if bar is not None:
            bar.close()
    notes = source.notes
    if is_native and device.info.kind != "native":
        notes += (f"the image exceeds the limits of {device.info.name}: native C baked it",)
    baked = BakedAtlas(
        levels=levels[:kept],
        alpha_to_coverage=alpha[:kept],
        tiles=layout,
        cutoffs=settings.cutoffs,
        levels_safe=caps,
        settings=settings,
        places=records(places, "dw_tile_level"),
        tile_levels=tile_levels,
        remaps=records(remaps, "dw_alpha_remap"),
        source=source.array,
        notes=notes,
        device=device,
        full_levels=levels,
        full_alpha=alpha,
    )
    return baked._with_gutter_warning()


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class BakedAtlas:
    """A baked mip chain.

    Attributes
    ----------
    levels : tuple of (h, w, 4) uint8
        Level 0 first; alpha as the alpha test wants it.
    alpha_to_coverage : tuple of (h, w) uint8
        Averaged alpha, for alpha to coverage, hashed and dithered tests.
    tiles : TileRects
        The cards, in texels of level 0.
    cutoffs : tuple of float
    levels_safe : LevelCaps
        The last level without bleeding, by what the sampler needs.
    settings : BakeSettings
    places : (tiles, levels) records
        Where each tile lies at each level: x0, y0, x1, y1 and content_x0 ... in texels.
    tile_levels : (tiles,) int32
        Levels at which a tile is one texel or more.
    remaps : (tiles, levels) records
        How alpha was remapped: kind (0 identity, 1 affine, 2 piecewise), knots x, y, gain k.
    source : (h, w, 4) uint8 or uint16
        What was baked.
    notes : tuple of str
        What was done to the input, and what it may want.
    switch_distance : float
        For a far atlas, metres from which it takes over; NaN otherwise.
    uv_transforms : (tiles, 4) float64, optional
        For a far atlas: uv' = uv * [:2] + [2:] takes the first atlas's coordinates to this one's.
    """

    levels: tuple[np.ndarray, ...]
    alpha_to_coverage: tuple[np.ndarray, ...]
    tiles: TileRects
    cutoffs: tuple[float, ...]
    levels_safe: LevelCaps
    settings: BakeSettings
    places: np.ndarray
    tile_levels: np.ndarray
    remaps: np.ndarray
    source: np.ndarray
    notes: tuple[str, ...]
    device: Device
    full_levels: tuple[np.ndarray, ...]
    full_alpha: tuple[np.ndarray, ...]
    switch_distance: float = math.nan
    uv_transforms: np.ndarray | None = None

    @property
    def device_info(self) -> DeviceInfo:
        """DeviceInfo: what baked it."""
        return self.device.info

    @property
    def working_device(self) -> Device:
        """Device: what measures it and bakes from it; the default one after `device` is closed."""
        return default_device() if self.device.closed else self.device

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width) of level 0."""
        return self.levels[0].shape[:2]

    def __repr__(self) -> str:
        height, width = self.shape
        size = sum(level.nbytes for level in self.levels)
        return (
            f"<BakedAtlas {width}x{height}, {len(self.tiles)} tiles, {len(self.levels)} levels, "
            f"{size} bytes, {self.settings.color_space}, by {self.device.info.name!r}>"
        )

    def _repr_png_(self) -> bytes:
        from .io import encode_png

        level = next((one for one in self.levels if max(one.shape[:2]) <= 1024), self.levels[-1])
        return encode_png(level)

    def content_rects(self, level: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the content of the tiles lies at a level.

        Returns
        -------
        indices : (n,) int
            Tiles that exist at this level.
        rects : (n, 4) int32
            x, y, width, height in texels of the level.
        """
        indices = np.flatnonzero(self.tile_levels > level)
        place = self.places[indices, level]
        x, y = place["content_x0"], place["content_y0"]
        rects = np.stack([x, y, place["content_x1"] - x, place["content_y1"] - y], axis=1)
        return indices, rects.astype(np.int32)

    def _with_gutter_warning(self) -> BakedAtlas:
        changed = _changed_gutters(self)
        if not changed:
            return self
        text = (
            f"gutter={self.tiles.gutter} covers texels whose alpha test changed in {len(changed)} "
            f'tiles (the first is {changed[0]}): use a smaller gutter, or fill="keep" or "clear"'
        )
        warnings.warn(text, stacklevel=3)
        return dataclasses.replace(self, notes=(*self.notes, text))

    def report(
        self,
        *,
        texels_per_metre: float = 512,
        pixels_per_radian: float = 1000,
        distances: Sequence[float] | None = None,
        format: str = "rgba8",
    ) -> Any:
        """Measures what the chain is worth.

        Parameters
        ----------
        texels_per_metre : float
            Texture density of the cards at level 0.
        pixels_per_radian : float
            Of the view: height / (2 * tan(fov_y / 2)).
        distances : sequence of float, optional
            Metres at which to give coverage; a spread over the chain if None.
        format : str
            As for `save`: levels are measured as they are after compression.

        Returns
        -------
        AtlasReport
        """
        from .atlas_report import AtlasReport

        return AtlasReport.of_bake(
            self._as_stored(format),
            texels_per_metre=texels_per_metre,
            pixels_per_radian=pixels_per_radian,
            distances=distances,
        )

    def _as_stored(self, format: str) -> BakedAtlas:
        """This atlas with the levels that a file of `format` gives back."""
        if format == "rgba8":
            return self
        cutoff = cutoff_code(self.cutoffs[0])
        chain = encode_levels(self.levels, format=format, alpha_cutoff=cutoff)
        return dataclasses.replace(
            self, levels=chain.decode(), notes=(*self.notes, f"levels are measured as {format}")
        )

    def to_array(self) -> BakedArray:
        """One array layer per tile, each with a whole chain of its own.

        Layers are sampled with clamp addressing, so that nothing bleeds at any level.

        Returns
        -------
        BakedArray

        Raises
        ------
        ValueError
            The tiles differ in size.
        """
        rects = self.tiles.rects
        if len({(int(w), int(h)) for w, h in rects[:, 2:]}) > 1:
            raise ValueError(
                "to_array() needs tiles of one size, since layers have one; bake them from a "
                "TileGrid, or call bake_atlas for each size"
            )
        layers = [self._bake_alone(rect) for rect in rects]
        height, width = self.source.shape[:2]
        scale = np.array([width, height]) / rects[:, 2:]
        return BakedArray(
            levels=tuple(np.stack(level) for level in zip(*(one.levels for one in layers))),
            alpha_to_coverage=tuple(
                np.stack(level) for level in zip(*(one.alpha_to_coverage for one in layers))
            ),
            uv_transforms=np.concatenate([scale, -rects[:, :2] / rects[:, 2:]], axis=1),
            cutoffs=self.cutoffs,
            settings=self.settings,
        )

    def _bake_alone(self, rect: np.ndarray) -> BakedAtlas:
        x, y, w, h = (int(value) for value in rect)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the whole atlas has warned already
            return bake_atlas(
                self.source[y : y + h, x : x + w],
                tiles=TileRects([[0, 0, w, h]], gutter=self.tiles.gutter),
                device=self.working_device,
                **dataclasses.asdict(self.settings),
            )

    def far_atlas(
        self,
        content: int = 64,
        gutter: int = 32,
        *,
        texels_per_metre: float = 512,
        pixels_per_radian: float = 1000,
    ) -> BakedAtlas:
        """A small second atlas with wide gutters, for what is beyond the safe level.

        Parameters
        ----------
        content : int
            Texels of a card along each side.
        gutter : int
            Texels around it.
        texels_per_metre, pixels_per_radian : float
            As in `report`, for the distance at which this atlas takes over.

        Returns
        -------
        BakedAtlas
            Coverage is that of this atlas's level 0. ``switch_distance`` is where this atlas
            reaches its last safe level (bilinear), ``uv_transforms`` lead from its texture
            coordinates to the new ones.
        """
        content, gutter = check_count(content, "content", 1), check_count(gutter, "gutter", 0)
        texels_per_metre = check_positive(texels_per_metre, "texels_per_metre")
        pixels_per_radian = check_positive(pixels_per_radian, "pixels_per_radian")
        _, rects = self.content_rects(0)
        count = len(rects)
        columns = math.ceil(math.sqrt(count))
        cell = content + 2 * gutter
        grid = TileGrid(columns, math.ceil(count / columns), gutter)
        space = ColorSpace[self.settings.color_space.upper()]
        device = self.working_device
        cards = _core.resample_rects(device, self.source, space, rects, content, content)
        far = np.zeros((grid.rows * cell, grid.columns * cell, 4), dtype=np.uint16)
        places = grid.rects_for(far.shape[1], far.shape[0])[:count]
        for card, (x, y, _, _) in zip(cards, places):
            far[y + gutter : y + gutter + content, x + gutter : x + gutter + content] = card
        baked = bake_atlas(
            far,
            tiles=TileRects(places, gutter),
            device=device,
            target_coverage=self._level_0_coverage(rects),
            **{**dataclasses.asdict(self.settings), "start_level": 0, "coverage": "tile"},
        )
        return dataclasses.replace(
            baked,
            switch_distance=2.0 ** max(self.levels_safe.bilinear, 0)
            * pixels_per_radian
            / texels_per_metre,
            uv_transforms=self._far_transforms(rects, places, far.shape, content, gutter),
        )

    def _level_0_coverage(self, rects: np.ndarray) -> np.ndarray:
        return _core.coverage(self.working_device, self.source[..., 3], rects, self.cutoffs)

    def _far_transforms(
        self, rects: np.ndarray, places: np.ndarray, far: tuple, content: int, gutter: int
    ) -> np.ndarray:
        near_size = np.array([self.source.shape[1], self.source.shape[0]], dtype=float)
        far_size = np.array([far[1], far[0]], dtype=float)
        scale = content / rects[:, 2:] * near_size / far_size
        offset = (places[:, :2] + gutter) / far_size - rects[:, :2] / near_size * scale
        return np.concatenate([scale, offset], axis=1)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "rgba8",
        alpha: str = "test",
        pad_chain: bool = False,
        supercompress: bool = False,
        metadata: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Writes the chain; the container is told by the suffix.

        Parameters
        ----------
        path : path
            ``.ktx2``, ``.dds``, or ``.png``, which writes ``stem_mip0.png`` and so on.
        format : str
            "rgba8", "bc1", "bc3", "bc7" and what else `dapplewood.io.FORMATS` lists.
        alpha : {"test", "a2c"}
            The tested alpha, or the averaged one for alpha to coverage.
        pad_chain : bool
            Fill a capped chain down to 1 x 1 for engines that insist: levels past the cap repeat
            each tile's mean, without its neighbours' colour.
        supercompress : bool
            Zstandard, for KTX2.
        metadata : mapping of str to str, optional
            More key/values, for KTX2.

        Returns
        -------
        list of str
            The files written.
        """
        return save_levels(
            path,
            self.export_levels(alpha=alpha, pad_chain=pad_chain),
            format=format,
            color_space=self.settings.color_space,
            cutoff=self.cutoffs[0],
            supercompress=supercompress,
            metadata=metadata,
        )

    def export_levels(self, *, alpha: str = "test", pad_chain: bool = False) -> list[np.ndarray]:
        """The levels as `save` writes them, before compression; arguments as there.

        Returns
        -------
        list of (h, w, 4) uint8
        """
        _check_alpha(alpha)
        levels, averaged = list(self.levels), list(self.alpha_to_coverage)
        if pad_chain:
            for level in range(len(levels), len(self.full_levels)):
                texels, alphas = _padded_level(self, level)
                levels.append(texels)
                averaged.append(alphas)
        if alpha == "a2c":
            levels = [_with_alpha(level, plane) for level, plane in zip(levels, averaged)]
        return levels


@dataclasses.dataclass(frozen=True, eq=False)
class BakedArray:
    """An atlas as an array texture: one layer per tile.

    Attributes
    ----------
    levels : tuple of (tiles, h, w, 4) uint8
    alpha_to_coverage : tuple of (tiles, h, w) uint8
    uv_transforms : (tiles, 4) float64
        uv' = uv * [:2] + [2:] takes atlas coordinates to those of the tile's layer.
    cutoffs : tuple of float
    settings : BakeSettings
    """

    levels: tuple[np.ndarray, ...]
    alpha_to_coverage: tuple[np.ndarray, ...]
    uv_transforms: np.ndarray
    cutoffs: tuple[float, ...]
    settings: BakeSettings

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = "rgba8",
        alpha: str = "test",
        supercompress: bool = False,
        metadata: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Writes the array texture to ``.ktx2`` or ``.dds``; arguments as in `BakedAtlas.save`."""
        return save_levels(
            path,
            self.export_levels(alpha=alpha),
            format=format,
            color_space=self.settings.color_space,
            cutoff=self.cutoffs[0],
            supercompress=supercompress,
            metadata=metadata,
        )

    def export_levels(self, *, alpha: str = "test") -> list[np.ndarray]:
        """The levels as `save` writes them, before compression.

        Returns
        -------
        list of (tiles, h, w, 4) uint8
        """
        _check_alpha(alpha)
        levels = list(self.levels)
        if alpha == "a2c":
            levels = [_with_alpha(a, b) for a, b in zip(levels, self.alpha_to_coverage)]
        return levels


def measure_coverage(
    alpha: np.ndarray,
    cutoff: float | Sequence[float],
    *,
    tiles: TileGrid | TileRects | str | None = None,
    sampling: str = "bilinear",
    device: Device | None = None,
) -> np.ndarray:
    """The share of samples that pass an alpha test, per tile.

    Parameters
    ----------
    alpha : (h, w) uint8 or uint16, or (h, w, 4)
        Of four channels the last is taken.
    cutoff : float or sequence of up to 4 floats
        A sample passes at alpha >= cutoff.
    tiles : TileGrid, TileRects, "auto" or None
        In texels of this array; samples lie inside the gutters. None: the whole array.
    sampling : {"bilinear", "texel"}
        4 x 4 bilinear samples a texel under clamp addressing, as a GPU sees it, or texels alone.
    device : Device, optional
        Whose threads to use.

    Returns
    -------
    (tiles,) float64, or (tiles, cutoffs) for a sequence of cutoffs
        Shares in [0, 1].
    """
    if sampling not in ("bilinear", "texel"):
        raise ValueError(f'sampling must be "bilinear" or "texel", got {sampling!r}')
    device = default_device() if device is None else device
    alpha = np.asarray(alpha)
    if alpha.ndim == 3 and alpha.shape[2] == 4:
        alpha = alpha[..., 3]
    if alpha.ndim != 2 or alpha.size == 0:
        raise ValueError(f"alpha must have shape (h, w) and not be empty, got {alpha.shape}")
    layout = resolve_tiles(tiles, alpha.shape[1], alpha.shape[0], alpha)
    if (2 * layout.gutter >= layout.rects[:, 2:]).any():
        raise ValueError(f"gutter {layout.gutter} leaves nothing of a tile; tiles are in texels of "
                         "the array given")
    rects = layout.rects + np.array([1, 1, -2, -2], dtype=np.int32) * np.int32(layout.gutter)
    shares = _core.coverage(device, alpha, rects, as_cutoffs(cutoff), sampling == "bilinear")
    return shares[:, 0] if np.ndim(cutoff) == 0 else shares


def _check_alpha(alpha: str) -> None:
    if alpha not in ("test", "a2c"):
        raise ValueError(f'alpha must be "test" or "a2c", got {alpha!r}')


def _with_alpha(level: np.ndarray, plane: np.ndarray) -> np.ndarray:
    out = level.copy()
    out[..., 3] = plane
    return out


def _changed_gutters(baked: BakedAtlas) -> list[int]:
    """Tiles whose gutter held content of its own: its alpha test differs from the one baked."""
    gutter = baked.tiles.gutter
    if gutter == 0 or baked.settings.fill == "keep":
        return []
    most = 255 if baked.source.dtype.itemsize == 1 else 65535
    before = baked.source[..., 3]
    after = baked.full_levels[0][..., 3]
    changed = []
    for index, (x, y, w, h) in enumerate(baked.tiles.rects):
        for rows, columns in (
            (slice(y, y + gutter), slice(x, x + w)),
            (slice(y + h - gutter, y + h), slice(x, x + w)),
            (slice(y, y + h), slice(x, x + gutter)),
            (slice(y, y + h), slice(x + w - gutter, x + w)),
        ):
            passed = before[rows, columns] >= most * baked.cutoffs[0]
            passes = after[rows, columns] >= 255 * baked.cutoffs[0]
            if (passed & ~passes).any():
                changed.append(index)
                break
    return changed


def _padded_level(baked: BakedAtlas, level: int) -> tuple[np.ndarray, np.ndarray]:
    """A level past the cap: every tile one colour, that of its coarsest level."""
    texels = baked.full_levels[level].copy()
    alphas = baked.full_alpha[level].copy()
    for tile in np.flatnonzero(baked.tile_levels > level):
        last = int(baked.tile_levels[tile]) - 1
        tip = baked.places[tile, last]
        here = baked.places[tile, level]
        rows = slice(here["y0"], here["y1"])
        columns = slice(here["x0"], here["x1"])
        y, x = tip["content_y0"], tip["content_x0"]
        texels[rows, columns] = baked.full_levels[last][y, x]
        alphas[rows, columns] = baked.full_alpha[last][y, x]
    return texels, alphas
