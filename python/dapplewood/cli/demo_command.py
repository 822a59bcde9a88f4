# SPDX-License-Identifier: MIT
"""``dapplewood demo``: one atlas from picture to textures, what that is worth, and a forest."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from .. import samples
from ..atlas import BakedAtlas, bake_atlas
from ..batch import write_report
from ..io import Image, read_image, write_image
from .console import Console
from .demo_coverage import NUMBERS, measure_coverage_curves
from .demo_coverage import PICTURE as CURVES
from .demo_deforming import PICTURE as DEFORMING
from .demo_deforming import show_deforming
from .demo_forest import PICTURE, draw_forest
from .demo_particles import PICTURE as PARTICLES
from .demo_particles import STRIP, show_particles
from .demo_terrain import PICTURE as TERRAIN
from .demo_terrain import show_terrain
from .exit_codes import ExitCode
from .inputs import open_device, refuse_overwriting, tiles_of

__all__ = ["run"]

_SIZE, _GRID, _GUTTER = 2048, 4, 8


def run(console: Console, options: Any) -> int:
    """Bakes one atlas, and leaves textures, a contact sheet and a report in a folder.

    The drawn sample atlas is followed by a picture of a forest, by what distance leaves of a card
    and a tree, by a character whose trees are refit to every pose, by a pond with particles, and
    by a map of terrain.
    """
    begun = time.perf_counter()
    image, tiles, name = _atlas(console, options)
    sources = [path for path in (options.atlas, options.opacity) if path is not None]
    out = Path(options.out)
    names = [PICTURE, CURVES, NUMBERS, DEFORMING, PARTICLES, STRIP, TERRAIN]
    pictures = [out / each for each in names] if options.atlas is None else []
    refuse_overwriting([*_textures(out, name), *pictures], sources, "--out")
    with open_device(options.device) as device:
        started = time.perf_counter()
        baked = bake_atlas(
            image,
            tiles=tiles,
            opacity=options.opacity,
            cutoffs=tuple(options.cutoff or (0.5,)),
            progress=console.progress("bake"),
            device=device,
        )
        seconds = time.perf_counter() - started
        console.end_progress()
        for note in baked.notes:
            console.info(note)
        if baked.source[..., 3].min() == np.iinfo(baked.source.dtype).max:
            console.warn(f"{name} is opaque; --opacity names its opacity, a file or a channel")
        files, report = _write(baked, out, name, console)
        device_text = f"{device.info.name} ({device.info.driver})"
        drawn = None
        if pictures:
            drawn = draw_forest(console, out, device, is_chosen=options.device is not None)
        curves = None if drawn is None else measure_coverage_curves(console, out, device)
        moved = None if drawn is None else show_deforming(console, out, device)
        shown = None if drawn is None else show_particles(console, out, device)
        compared = show_terrain(console, out, device) if pictures else None
    files += [drawn.path] if drawn is not None else []
    files += curves.files if curves is not None else []
    files += [moved.path] if moved is not None else []
    files += shown.paths if shown is not None else []
    files += [compared.path] if compared is not None else []
    total = time.perf_counter() - begun
    sizes = [(path, os.path.getsize(path)) for path in files]
    lines = [f"  {path}  {size / 1e6:.1f} MB" for path, size in sizes]
    text = "\n".join([
        report.table(),
        "",
        f"baked in {1e3 * seconds:.0f} ms on {device_text}",
        *([drawn.text()] if drawn is not None else []),
        *([curves.text()] if curves is not None else []),
        *([moved.text()] if moved is not None else []),
        *([shown.text()] if shown is not None else []),
        *([compared.text()] if compared is not None else []),
        f"{total:.1f} s in all; written:",
        *lines,
    ])  # fmt: skip
    console.result(
        text,
        {
            "atlas": name,
            "files": dict(sizes),
            "bake_seconds": round(seconds, 4),
            "seconds": round(total, 3),
            "device": device_text,
            "levels_safe": baked.levels_safe._asdict(),
            "coverage_error_before": _points(report, "before"),
            "coverage_error_after": _points(report, "after"),
            "forest": None if drawn is None else drawn.data(),
            "coverage_vs_distance": None if curves is None else curves.data(),
            "deforming": None if moved is None else moved.data(),
            "particles": None if shown is None else shown.data(),
            "terrain": None if compared is None else compared.data(),
        },
    )
    return ExitCode.DONE


def _atlas(console: Console, options: Any) -> tuple[Any, Any, str]:
    """The image, its tiles and a name for its files."""
    tiles = tiles_of(options.tiles, options.gutter, options.rects)
    if options.atlas is None:
        console.info("drawing the sample atlas")
        image, grid = samples.foliage_atlas(_SIZE, _GRID, _GRID, gutter=_GUTTER)
        return image, grid if tiles is None else tiles, "foliage"
    found: Image = read_image(options.atlas)
    return found, "auto" if tiles is None else tiles, Path(options.atlas).stem


def _points(report: Any, chain: str) -> dict[str, float]:
    """Points of coverage: the greatest mean of a level, and the greatest of any tile."""
    mean, worst = report.coverage_errors(chain)
    return {"mean": round(float(mean), 4), "worst": round(float(worst), 4)}


def _textures(out: Path, name: str) -> list[Path]:
    """The two textures and the contact sheet."""
    return [out / f"{name}{end}" for end in (".ktx2", ".dds", "_levels.png")]


def _write(baked: BakedAtlas, out: Path, name: str, console: Console) -> tuple[list[str], Any]:
    from ..atlas_report import AtlasReport
    from ..baseline import naive_levels
    from ..contact_sheet import contact_sheet

    out.mkdir(parents=True, exist_ok=True)
    *textures, sheet = _textures(out, name)
    files = [file for path in textures for file in baked.save(path)]
    console.info("measuring")
    report = AtlasReport.of_bake(baked, name=name)
    write_image(
        sheet,
        contact_sheet(
            naive_levels(baked.source), baked.levels, tiles=baked.tiles, cutoff=baked.cutoffs[0]
        ),
    )  # fmt: skip
    files.append(str(sheet))
    console.info("plotting")
    try:
        files += write_report(report, out / "report.html")
    except ImportError as error:  # plots are an extra
        console.warn(f"no {out / 'report.html'}: {error}")
    return files, report
