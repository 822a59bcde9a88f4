# SPDX-License-Identifier: MIT
"""The report itself."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tiles import LevelCaps
from . import limits, text
from .model import SCHEMA_VERSION, ChainReport, array_field, decode, encode

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..atlas import BakedAtlas
    from ..device import Device
    from ..io import Texture
    from ..tiles import TileGrid, TileRects

__all__ = ["AtlasReport"]


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AtlasReport:
    """What a mip chain is worth: coverage, fringes, bleeding, per tile and level.

    Made by `BakedAtlas.report`, `AtlasReport.of_bake` or `AtlasReport.of_texture`. Coverage is a
    share in [0, 1]; its error is in points, hundredths of the tile. Tiles and levels count from 0.

    Attributes
    ----------
    schema_version : int
        Of the JSON; it changes when a field changes its meaning.
    name : str
        Of the atlas, for headings; may be empty.
    color_space : str
        "srgb" or "linear".
    tiles : (tiles, 4) int
        x, y, width, height in texels of level 0.
    gutter : int
        Texels on each side of a tile.
    cutoffs : tuple of float
        Alpha-test references.
    levels_safe : LevelCaps
        Last levels without bleeding, by what the sampler needs.
    tile_edges : (tiles, levels) int
        Shorter side of each tile in texels; 0 where it is gone.
    card_coverage : (tiles, cutoffs) float
        Bilinear coverage of the cards without their gutters, at level 0 or of the source given:
        what they should have at every distance.
    after : ChainReport
        The chain reported on.
    before : ChainReport or None
        The naive chain of the same image: box on codes, channels apart, no tiles.
    bleed_kind : str
        "measured" on a synthetic atlas baked alike; or "geometric": the share of a tap that lies
        outside the tile, where only a finished file is known.
    distances : (distances,) float
        Metres.
    lods : (distances,) float
        log2(distance * texels_per_metre / pixels_per_radian).
    texels_per_metre, pixels_per_radian : float
    gains : (tiles, levels) float
        Greatest slope of each alpha remap; 1 where alpha was left as averaged.
    gains_capped : (n, 2) int
        Tile and level of the remaps whose slope met its limit; they may miss their coverage.
    memory_bytes : dict
        Of the source, the levels and the second alpha.
    device, settings : dict
        What baked, and how.
    notes : tuple of str
    """

    name: str
    color_space: str
    tiles: np.ndarray = array_field(int)
    gutter: int
    cutoffs: tuple[float, ...]
    levels_safe: LevelCaps
    tile_edges: np.ndarray = array_field(int)
    card_coverage: np.ndarray = array_field()
    after: ChainReport
    before: ChainReport | None
    bleed_kind: str
    distances: np.ndarray = array_field()
    lods: np.ndarray = array_field()
    texels_per_metre: float
    pixels_per_radian: float
    gains: np.ndarray = array_field()
    gains_capped: np.ndarray = array_field(int)
    memory_bytes: dict[str, int]
    device: dict[str, str]
    settings: dict[str, Any]
    notes: tuple[str, ...] = ()
    schema_version: int = SCHEMA_VERSION
    # PNGs of the worst tiles for the page; not part of the JSON.
    thumbnails: tuple[tuple[str, bytes], ...] = dataclasses.field(default=(), compare=False)

    @classmethod
    def of_bake(
        cls,
        baked: BakedAtlas,
        *,
        texels_per_metre: float = 512,
        pixels_per_radian: float = 1000,
        distances: Sequence[float] | None = None,
        before: bool = True,
        name: str = "",
    ) -> AtlasReport:
        """Measures a baked atlas, and the naive chain of its source beside it.

        Parameters
        ----------
        baked : BakedAtlas
        texels_per_metre, pixels_per_radian, distances
            As in `BakedAtlas.report`.
        before : bool
            Measure the naive chain too.
        name : str
            For headings.

        Returns
        -------
        AtlasReport
        """
        from .sources import report_bake

        return report_bake(baked, texels_per_metre, pixels_per_radian, distances, before, name)

    @classmethod
    def of_texture(
        cls,
        texture: Texture | str | os.PathLike[str],
        *,
        tiles: TileGrid | TileRects | str | None = None,
        cutoffs: float | Sequence[float] = (0.5,),
        source: Any = None,
        texels_per_metre: float = 512,
        pixels_per_radian: float = 1000,
        distances: Sequence[float] | None = None,
        name: str = "",
        device: Device | None = None,
    ) -> AtlasReport:
        """Measures a chain made by any tool.

        Parameters
        ----------
        texture : Texture or path
            DDS, KTX2, or one PNG of a chain named ``stem_mip0.png`` and so on. The layers of an
            array are its tiles.
        tiles : TileGrid, TileRects, "auto" or None
            As in `bake_atlas`; none for an array.
        cutoffs : float or sequence of up to 4 floats
        source : (h, w, 4) array, Image or path, optional
            What level 0 should be; level 0 itself if None.
        texels_per_metre, pixels_per_radian, distances
            As in `BakedAtlas.report`.
        name : str
            For headings; the file's name if empty.
        device : Device, optional
            Whose threads measure.

        Returns
        -------
        AtlasReport
            With bleeding by geometry: the share of a tap that lies outside the tile.

        Raises
        ------
        FormatError
            A file that cannot be read.
        ValueError
            Tiles that do not fit; a source of another size.
        """
        from .sources import report_texture

        return report_texture(
            texture,
            tiles=tiles,
            cutoffs=cutoffs,
            source=source,
            density=(texels_per_metre, pixels_per_radian),
            distances=distances,
            name=name,
            device=device,
        )

    def __repr__(self) -> str:
        width, height = self.after.sizes[0]
        mean, worst = self.coverage_errors()
        return (
            f"<AtlasReport {width}x{height}, {len(self.tiles)} tiles, "
            f"{self.after.level_count} levels; coverage error {text.figure(mean)} points mean, "
            f"{text.figure(worst)} worst; safe through level {self.levels_safe.bilinear}>"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AtlasReport) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.table()

    def chain(self, which: str = "after") -> ChainReport:
        """The chain "after" or "before".

        Raises
        ------
        ValueError
            Another word, or "before" where it was not measured.
        """
        if which not in ("after", "before"):
            raise ValueError(f'chain must be "after" or "before", got {which!r}')
        found = self.after if which == "after" else self.before
        if found is None:
            raise ValueError("this report has no chain before; measure with before=True")
        return found

    def coverage_error(self, chain: str = "after", sampling: str = "bilinear") -> np.ndarray:
        """Coverage of each level less what it should be.

        Parameters
        ----------
        chain : {"after", "before"}
        sampling : {"bilinear", "texel"}

        Returns
        -------
        (tiles, levels, cutoffs) float64
            Points; negative: thinner than it should be. NaN where the tile is gone.
        """
        if sampling not in ("bilinear", "texel"):
            raise ValueError(f'sampling must be "bilinear" or "texel", got {sampling!r}')
        found = self.chain(chain)
        if sampling == "bilinear":
            return 100.0 * (found.coverage - found.reference_coverage[:, None])
        return 100.0 * (found.coverage_texel - found.reference_coverage_texel[:, None])

    def alpha_error(self, chain: str = "after") -> np.ndarray:
        """Mean alpha for alpha to coverage less what it should be, (tiles, levels), points."""
        found = self.chain(chain)
        return 100.0 * (found.mean_alpha - found.reference_alpha[:, None])

    def distance_error(self, chain: str = "after") -> np.ndarray:
        """Coverage of the card at each distance less what it should be, in points.

        Returns
        -------
        (tiles, distances, cutoffs) float64
        """
        found = self.chain(chain).distance_coverage
        return 100.0 * (found - self.card_coverage[:, None])

    def judged(self, chain: str = "after", least_edge: int = 4) -> np.ndarray:
        """(tiles, levels) bool: where a tile is wide enough for its alpha test to mean much."""
        return self.tile_edges[:, : self.chain(chain).level_count] >= least_edge

    def coverage_errors(self, chain: str = "after", least_edge: int = 4) -> tuple[float, float]:
        """The greatest mean of a level and the greatest of any tile, in points."""
        return limits.coverage_errors(self, chain, least_edge)

    def worst_tile(self, level: int, chain: str = "after") -> int:
        """The tile whose coverage is furthest from the source's at a level; -1 if none is left."""
        error = np.abs(self.coverage_error(chain)[:, level]).max(axis=1)
        return -1 if np.isnan(error).all() else int(np.nanargmax(error))

    def to_json(self) -> str:
        """JSON with sorted keys; what does not exist is null. `from_json` reads it."""
        return encode(self)

    @classmethod
    def from_json(cls, data: str | bytes) -> AtlasReport:
        """The report that `to_json` wrote, without its thumbnails.

        Raises
        ------
        ValueError
            No such JSON, or one of another schema version.
        """
        parsed = json.loads(data)
        version = parsed.get("schema_version") if isinstance(parsed, dict) else None
        if version != SCHEMA_VERSION:
            raise ValueError(
                f"report: schema_version {SCHEMA_VERSION} wanted, got {version!r}; measure again "
                "with this version of dapplewood"
            )
        values = decode(cls, parsed)
        chains = {
            which: ChainReport(**decode(ChainReport, values[which])) if values[which] else None
            for which in ("after", "before")
        }
        for which in ("cutoffs", "notes"):
            values[which] = tuple(values[which])
        values["levels_safe"] = LevelCaps(**values["levels_safe"])
        values["gains_capped"] = values["gains_capped"].reshape(-1, 2)
        return cls(**{**values, **chains})

    def assert_within(
        self,
        *,
        coverage_mean: float | None = None,
        coverage_worst: float | None = None,
        fringe_mean: float | None = None,
        fringe_signed: float | None = None,
        a2c_mean: float | None = None,
        a2c_worst: float | None = None,
        bleed: float | None = None,
        chain: str = "after",
        least_edge: int = 4,
        least_texels: int = 64,
    ) -> None:
        """Fails where the chain is worse than asked; for tests of an asset pipeline.

        Parameters
        ----------
        coverage_mean, coverage_worst : float, optional
            Points of bilinear coverage error: mean over the tiles of each level, any tile.
        fringe_mean, fringe_signed : float, optional
            8-bit steps: mean of each level; the signed one by its size. The mean is judged where
            sizes were halved evenly: past an odd one, a chain made level by level lies a texel's
            part beside the mean of level 0, a step or two of no sign.
        a2c_mean, a2c_worst : float, optional
            Points of mean alpha: mean over the tiles of each level, any tile.
        bleed : float, optional
            Share of foreign light at any edge or corner through the bilinear safe level.
        chain : {"after", "before"}
        least_edge : int
            Texels along its shorter side that a tile must have to be judged.
        least_texels : int
            Passing texels that a level must have for its mean fringe to be judged: rounding alone
            is 0.25 on average, and spreads about it where texels are few.

        Raises
        ------
        AssertionError
            With tile, level, figure and limit of all that was found.
        """
        found = limits.Judge(self, chain, least_edge, least_texels)
        failures = [
            *found.coverage(coverage_mean, coverage_worst),
            *found.fringe(fringe_mean, fringe_signed),
            *found.alpha(a2c_mean, a2c_worst),
            *found.bleed(bleed),
        ]
        if failures:
            lines = [f"{chain} chain of {self.name or 'the atlas'}:", *failures]
            raise AssertionError("\n".join(lines))

    def table(self) -> str:
        """The report as lines of text for a terminal, level by level."""
        return text.table(self)

    def plot(self) -> Figure:
        """Coverage error per level and against distance, fringe and bleeding per level.

        Returns
        -------
        matplotlib Figure

        Raises
        ------
        ImportError
            Matplotlib, the extra "plot", is not installed.
        """
        from .plots import figure_of

        return figure_of(self)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Writes the report as one HTML file that needs nothing else.

        Raises
        ------
        ImportError
            Matplotlib, the extra "plot", is not installed.
        OSError
            The file cannot be written; an old one stays.
        """
        from .page import write_page

        write_page(self, path)

    def _repr_html_(self) -> str:
        from .page import fragment

        return fragment(self)
