# SPDX-License-Identifier: MIT
"""Reports of baked atlases and of texture files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..baseline import naive_levels
from ..checks import check_positive
from ..cutoffs import as_cutoffs
from ..device import Device, default_device
from ..io import Texture, encode_png, read_texture, unpremultiply
from ..sources import load_source
from ..tiles import resolve_tiles
from .bleed import geometric_bleed, measured_bleed, no_bleed
from .layout import Layout
from .measure import Bench, default_distances, lods_at
from .model import ChainReport, tidy
from .report import AtlasReport

if TYPE_CHECKING:
    from ..atlas import BakedAtlas

_GAIN_ONE = 65536.0
_GAIN_MAX = 64.0  # DW_GAIN_MAX in units of one
_THUMBNAILS = 4
_THUMBNAIL_SIDE = 192


def _distances(
    distances: Sequence[float] | None, levels: int, density: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Metres and levels of detail."""
    if distances is None:
        metres = default_distances(levels - 1, *density)
    else:
        metres = np.atleast_1d(np.asarray(distances, dtype=float))
        if metres.ndim != 1 or not (np.isfinite(metres) & (metres > 0)).all():
            raise ValueError(f"distances must be positive metres in one row, got {distances!r}")
    return tidy(metres), tidy(lods_at(metres, *density))


def _density(texels_per_metre: Any, pixels_per_radian: Any) -> tuple[float, float]:
    return (
        check_positive(texels_per_metre, "texels_per_metre"),
        check_positive(pixels_per_radian, "pixels_per_radian"),
    )


def _gains(baked: BakedAtlas, levels: int) -> tuple[np.ndarray, np.ndarray]:
    remaps = baked.remaps[:, :levels]
    knots = np.arange(remaps["k"].shape[-1]) < np.maximum(remaps["knots"], 1)[..., None]
    gains = np.where(knots, remaps["k"] / _GAIN_ONE, 0.0).max(axis=-1)
    gains = np.where(remaps["kind"] == 0, 1.0, gains)
    gains[np.arange(levels) >= baked.tile_levels[:, None]] = np.nan
    return tidy(gains), np.argwhere(gains >= _GAIN_MAX)


def _bleeds(baked: BakedAtlas, layout: Layout) -> tuple[tuple, tuple]:
    if len(layout) < 2:
        nothing = no_bleed(layout, layout.level_count)
        return nothing, nothing
    from ..atlas import bake_atlas

    settings = baked.settings

    def bake(image: np.ndarray) -> Sequence[np.ndarray]:
        return bake_atlas(
            image,
            tiles=baked.tiles,
            color_space=settings.color_space,
            filter=settings.filter,
            fill=settings.fill,
            coverage="none",  # opaque tiles: there is nothing to restore
            device=baked.working_device,
        ).levels

    return measured_bleed(layout, bake, settings.color_space)


def report_bake(
    baked: BakedAtlas,
    texels_per_metre: float,
    pixels_per_radian: float,
    distances: Sequence[float] | None,
    before: bool,
    name: str,
) -> AtlasReport:
    """See `AtlasReport.of_bake`."""
    density = _density(texels_per_metre, pixels_per_radian)
    layout = Layout.of_bake(baked)
    metres, lods = _distances(distances, int(baked.tile_levels.max()), density)
    bench = Bench(
        baked.working_device,
        layout,
        # Level 0 is the measure where it was remapped too, as in a far atlas.
        baked.levels[0] if baked.settings.start_level == 0 else baked.source,
        baked.settings.color_space,
        baked.cutoffs,
        lods,
    )
    bleed, naive_bleed = _bleeds(baked, layout)
    after = bench.chain(baked.levels, baked.alpha_to_coverage, bleed)
    naive = naive_levels(baked.source) if before else ()
    chain_before = bench.chain(naive, [x[..., 3] for x in naive], naive_bleed) if before else None
    gains, capped = _gains(baked, len(baked.levels))
    info = baked.device_info
    report = AtlasReport(
        name=name,
        color_space=baked.settings.color_space,
        tiles=baked.tiles.rects.astype(int),
        gutter=baked.tiles.gutter,
        cutoffs=baked.cutoffs,
        levels_safe=baked.levels_safe,
        tile_edges=layout.edges(),
        card_coverage=bench.card_coverage(baked.levels[0][..., 3]),
        after=after,
        before=chain_before,
        bleed_kind="measured",
        distances=metres,
        lods=lods,
        texels_per_metre=density[0],
        pixels_per_radian=density[1],
        gains=gains,
        gains_capped=capped,
        memory_bytes={
            "source": baked.source.nbytes,
            "levels": sum(level.nbytes for level in baked.levels),
            "alpha_to_coverage": sum(level.nbytes for level in baked.alpha_to_coverage),
        },
        device={"name": info.name, "kind": info.kind, "driver": info.driver},
        settings=dataclasses.asdict(baked.settings),
        notes=baked.notes,
    )
    return dataclasses.replace(report, thumbnails=_thumbnails(report, layout, naive, baked.levels))


def _codes(level: np.ndarray, premultiplied: bool) -> np.ndarray:
    """A level as straight uint8 or uint16, layers of an array under each other."""
    if level.ndim == 4:
        level = level.reshape(-1, *level.shape[2:])
    if level.dtype.kind == "f":
        clipped = np.clip(np.nan_to_num(level), 0.0, 1.0)
        level = np.floor(clipped * 65535.0 + 0.5).astype(np.uint16)
    return unpremultiply(level) if premultiplied else np.ascontiguousarray(level)


def _texture_layout(texture: Texture, tiles: Any, alpha: np.ndarray) -> Layout:
    if texture.levels[0].ndim == 4:
        if tiles is not None:
            raise ValueError("tiles: the layers of an array texture are its tiles; leave them out")
        return Layout.of_layers(texture.width, texture.height, texture.levels[0].shape[0])
    rects = resolve_tiles(tiles, texture.width, texture.height, alpha)
    return Layout.of_tiles(texture.width, texture.height, rects)


def _texture_notes(texture: Texture) -> tuple[str, ...]:
    notes = []
    if texture.alpha_mode == "opaque":
        notes.append("the file has no alpha: every texel passes")
    if texture.premultiplied:
        notes.append("the file is premultiplied; its colours were divided by alpha")
    if len(texture.levels) == 1:
        notes.append("the file has no mip levels: engines make their own, or the picture shimmers")
    return tuple(notes)


def report_texture(
    texture: Texture | str | os.PathLike[str],
    *,
    tiles: Any,
    cutoffs: Any,
    source: Any,
    density: tuple[float, float],
    distances: Sequence[float] | None,
    name: str,
    device: Device | None,
) -> AtlasReport:
    """See `AtlasReport.of_texture`."""
    device = default_device() if device is None else device
    density = _density(*density)
    if not isinstance(texture, Texture):
        name = name or Path(texture).name
        texture = read_texture(texture)
    levels = [_codes(level, texture.premultiplied) for level in texture.levels]
    layout = _texture_layout(texture, tiles, levels[0][..., 3])
    original = levels[0] if source is None else _source(source, levels[0], texture, device)
    cutoffs = as_cutoffs(cutoffs)
    metres, lods = _distances(distances, int(layout.tile_levels.max()), density)
    bench = Bench(device, layout, original, texture.color_space, cutoffs, lods)
    count = len(levels)
    bleed = no_bleed(layout, count) if layout.is_array else geometric_bleed(layout, count)
    alphas = [level[..., 3] for level in levels]
    after = bench.chain(levels, alphas, bleed, (original[..., 3], original[..., 3]))
    report = AtlasReport(
        name=name,
        color_space=texture.color_space,
        tiles=layout.tiles.rects.astype(int),
        gutter=layout.tiles.gutter,
        cutoffs=cutoffs,
        levels_safe=layout.caps(),
        tile_edges=layout.edges(),
        card_coverage=bench.card_coverage(original[..., 3]),
        after=after,
        before=None,
        bleed_kind="geometric",
        distances=metres,
        lods=lods,
        texels_per_metre=density[0],
        pixels_per_radian=density[1],
        gains=np.full((len(layout), count), np.nan),
        gains_capped=np.zeros((0, 2), dtype=int),
        memory_bytes={"levels": after.nbytes},
        device={},
        settings={"format": texture.format, "alpha_mode": texture.alpha_mode},
        notes=_texture_notes(texture),
    )
    return dataclasses.replace(report, thumbnails=_thumbnails(report, layout, (), levels))


def _source(source: Any, first: np.ndarray, texture: Texture, device: Device) -> np.ndarray:
    loaded = load_source(
        source,
        opacity=None,
        premultiplied=False,
        color_space=texture.color_space,
        device=device,
    ).array
    if loaded.shape[:2] != first.shape[:2]:
        raise ValueError(
            f"source must have the size of level 0, {first.shape[1]} x {first.shape[0]} texels, "
            f"got {loaded.shape[1]} x {loaded.shape[0]}"
        )
    return loaded


def _magnified(tile: np.ndarray, cutoff: float) -> np.ndarray:
    """A tile's tested texels, enlarged to about one size and opaque."""
    most = np.iinfo(tile.dtype).max
    color = tile[..., :3] if tile.dtype == np.uint8 else (tile[..., :3] >> 8).astype(np.uint8)
    shown = np.empty((*tile.shape[:2], 4), dtype=np.uint8)
    passes = tile[..., 3:] >= cutoff * most
    shown[..., :3] = np.where(passes, color, np.uint8(128))
    shown[..., 3] = 255
    step = max(1, max(tile.shape[:2]) // _THUMBNAIL_SIDE)
    shown = shown[::step, ::step]
    times = max(1, _THUMBNAIL_SIDE // max(shown.shape[:2]))
    return shown.repeat(times, axis=0).repeat(times, axis=1)


def _thumbnails(
    report: AtlasReport, layout: Layout, before: Sequence[np.ndarray], after: Sequence[np.ndarray]
) -> tuple[tuple[str, bytes], ...]:
    """The tiles that were furthest off, before if that is known, with what became of them."""
    which = "before" if report.before is not None else "after"
    error = np.abs(report.coverage_error(which)[..., 0])
    common = min(len(before), len(after)) if len(before) else len(after)
    error = np.where(report.judged(which), error, np.nan)[:, :common]
    if np.isnan(error).all():
        return ()
    order = np.argsort(-np.nan_to_num(error, nan=-1.0).max(axis=1), kind="stable")
    chains = [chain for chain in (before, after) if len(chain)]
    out = []
    for tile in order[: min(_THUMBNAILS, len(order))].tolist():
        level = int(np.nanargmax(error[tile])) if not np.isnan(error[tile]).all() else 0
        x, y, w, h = _content_of(layout, tile, level)
        views = [_content_of(layout, tile, 0)]
        x0, y0, w0, h0 = views[0]
        pictures = [after[0][y0 : y0 + h0, x0 : x0 + w0]]
        pictures += [chain[level][y : y + h, x : x + w] for chain in chains]
        for title, picture in zip(
            ("level 0", *(["before"] if len(before) else []), "after"), pictures, strict=True
        ):
            at = "" if title == "level 0" else f", level {level}"
            data = encode_png(_magnified(picture, report.cutoffs[0]))
            out.append((f"tile {tile}: {title}{at}", data))
    return tuple(out)


def _content_of(layout: Layout, tile: int, level: int) -> tuple[int, int, int, int]:
    place = layout.places[tile, level]
    x, y = int(place["content_x0"]), int(place["content_y0"])
    return x, y, int(place["content_x1"]) - x, int(place["content_y1"]) - y
