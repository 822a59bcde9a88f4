# SPDX-License-Identifier: MIT
"""What a batch is to make: settings, and which files each input becomes."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .cutoffs import as_cutoffs
from ._core import LIMITS
from .io import writable_format
from .kinds import ColorSpace, CoverageMode, FillMode, MipFilter, kind_of
from .tiles import TileGrid, TileRects

__all__ = ["CONTAINERS", "DEFAULT_OUT", "BatchSettings", "Job", "Output", "plan_jobs"]

CONTAINERS = ("ktx2", "dds", "png")
DEFAULT_OUT = "{dir}/{stem}.{ext}"
ALPHAS = ("test", "a2c", "both")
_CHANNELS = ("r", "g", "b", "a")
_KINDS = {
    "color_space": ColorSpace,
    "coverage": CoverageMode,
    "filter": MipFilter,
    "fill": FillMode,
}


@dataclasses.dataclass(frozen=True)
class BatchSettings:
    """Settings of a batch: those of `bake_atlas`, and how the results are written.

    Parameters
    ----------
    tiles, color_space, cutoffs, coverage, filter, fill, max_level, start_level, strength
        As in `bake_atlas`.
    opacity : str, optional
        A channel letter, or a path template such as ``"{dir}/{stem}_Opacity.png"``.
    premultiplied : bool
        As in `bake_atlas`.
    format : str
        "rgba8", "bc7" and so on, as in `BakedAtlas.save`.
    alpha : {"test", "a2c", "both"}
        "both" writes a second file whose stem ends in ``_a2c``.
    array : bool
        One array layer per tile instead of an atlas.
    far : (content, gutter), optional
        Also write the far atlas, in a file whose stem ends in ``_far``.
    pad_chain, supercompress : bool
        As in `BakedAtlas.save`; `supercompress` concerns the KTX2 files among the outputs.
    report : str, optional
        Path template of a report, ``.html`` or ``.json``.
    """

    tiles: TileGrid | TileRects | str | None = None
    color_space: str | None = None
    cutoffs: tuple[float, ...] = (0.5,)
    coverage: str = "tile"
    filter: str = "box"
    fill: str = "edge"
    max_level: int | str | None = None
    start_level: int = 1
    strength: float = 1.0
    opacity: str | None = None
    premultiplied: bool = False
    format: str = "rgba8"
    alpha: str = "test"
    array: bool = False
    far: tuple[int, int] | None = None
    pad_chain: bool = False
    supercompress: bool = False
    report: str | None = None

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, kind_of(kind, value, name).name.lower())
        object.__setattr__(self, "cutoffs", as_cutoffs(self.cutoffs))
        writable_format(self.format)
        if self.alpha not in ALPHAS:
            raise ValueError(f"alpha must be one of {', '.join(ALPHAS)}, got {self.alpha!r}")
        if self.report is not None and Path(self.report).suffix.lower() not in (".html", ".json"):
            raise ValueError(f"report must end in .html or .json, got {self.report!r}")

    def bake_arguments(self) -> dict[str, Any]:
        """Keyword arguments of `bake_atlas` that do not depend on the file."""
        names = (
            "tiles", "color_space", "cutoffs", "coverage", "filter", "fill", "max_level",
            "start_level", "strength", "premultiplied",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def canonical(self) -> dict[str, Any]:
        """What changes the baked texels, as plain values for a key."""
        plain = self.bake_arguments()
        if isinstance(self.tiles, TileGrid):
            plain["tiles"] = {"grid": [self.tiles.columns, self.tiles.rows, self.tiles.gutter]}
        elif isinstance(self.tiles, TileRects):
            plain["tiles"] = {"rects": self.tiles.rects.tolist(), "gutter": self.tiles.gutter}
        plain["opacity"] = self.opacity if self.opacity in _CHANNELS else None
        return plain


@dataclasses.dataclass(frozen=True)
class Output:
    """One file to write; a PNG chain counts as one and writes ``stem_mip0.png`` and so on.

    Attributes
    ----------
    path : Path
    role : {"atlas", "array", "far", "report"}
    alpha : {"test", "a2c"}
    """

    path: Path
    role: str
    alpha: str = "test"

    @property
    def container(self) -> str:
        return self.path.suffix.lower().removeprefix(".")

    @property
    def files(self) -> list[Path]:
        """The path itself, or every file that a PNG chain of any length may write."""
        if self.container != "png":
            return [self.path]
        stem = self.path.stem
        return [
            self.path.with_name(f"{stem}_mip{level}.png") for level in range(LIMITS["levels"])
        ]

    def canonical(self, settings: BatchSettings) -> dict[str, Any]:
        """What changes this file's bytes beyond the baked texels, as plain values for a key."""
        plain: dict[str, Any] = {"role": self.role, "container": self.container}
        if self.role == "report":
            return plain
        plain |= {"alpha": self.alpha, "format": settings.format}
        plain["supercompress"] = settings.supercompress and self.container == "ktx2"
        plain["pad_chain"] = settings.pad_chain and self.role != "array"
        if self.role == "far":
            plain["far"] = list(settings.far or ())
        return plain


@dataclasses.dataclass(frozen=True)
class Job:
    """One input and what it becomes.

    Attributes
    ----------
    source : Path
    opacity : Path, str or None
        A file of its own, or a channel letter.
    outputs : tuple of Output
    """

    source: Path
    opacity: Path | str | None
    outputs: tuple[Output, ...]


def expand(template: str, source: Path, extension: str, argument: str) -> Path:
    """The path that a template names for an input.

    ``{dir}`` is the folder of the input, ``{stem}`` its name without suffix, ``{name}`` its whole
    name and ``{ext}`` the extension of the container.

    Raises
    ------
    ValueError
        Another field, or a stray brace.
    """
    fields = {
        "dir": os.fspath(source.parent),
        "stem": source.stem,
        "name": source.name,
        "ext": extension,
    }
    try:
        return Path(template.format_map(fields))
    except (KeyError, IndexError, ValueError, AttributeError) as error:
        raise ValueError(
            f"{argument}: {template!r} is no path template ({error}); its fields are {{dir}}, "
            "{stem}, {name} and {ext}, and {{ }} stand for braces"
        ) from None


def _template(out: str, containers: Sequence[str] | None) -> tuple[str, tuple[str, ...]]:
    """The template with a file name in it, and the extensions to put into it."""
    if os.path.isdir(out):
        out = os.path.join(out.replace("{", "{{").replace("}", "}}"), "{stem}.{ext}")
    elif out.endswith(("/", os.sep)):
        out += "{stem}.{ext}"
    if containers is None:
        suffix = Path(out).suffix.lower().removeprefix(".")
        return out, ("ktx2",) if suffix == "{ext}" else (suffix,)
    if "{ext}" not in out:
        raise ValueError(f"out: {out!r} needs {{ext}} where containers are given")
    return out, tuple(dict.fromkeys(containers))


def _check_containers(out: str, extensions: Sequence[str], settings: BatchSettings) -> None:
    expand(out, Path("stem"), "", "out")
    for extension in extensions:
        if extension not in CONTAINERS:
            raise ValueError(
                f"out: {out!r} asks for {extension or 'no'} container; the suffix must be one of "
                f"{', '.join('.' + one for one in CONTAINERS)}"
            )
    if settings.supercompress and "ktx2" not in extensions:
        raise ValueError("supercompress is for .ktx2 files, and none is asked for")
    if "png" in extensions and (settings.format != "rgba8" or settings.array):
        raise ValueError('png holds plain "rgba8" levels of an atlas; ask for ktx2 or dds')


def _outputs(source: Path, out: str, extensions: Sequence[str], settings: BatchSettings) -> list:
    roles = [("array" if settings.array else "atlas", "")]
    if settings.far:
        roles.append(("far", "_far"))
    alphas = ("test", "a2c") if settings.alpha == "both" else (settings.alpha,)
    found = []
    for extension in extensions:
        path = expand(out, source, extension, "out")
        for role, role_mark in roles:
            for alpha in alphas:
                mark = role_mark + ("_a2c" if settings.alpha == "both" and alpha == "a2c" else "")
                found.append(Output(path.with_name(path.stem + mark + path.suffix), role, alpha))
    if settings.report is not None:
        suffix = Path(settings.report).suffix.removeprefix(".")
        found.append(Output(expand(settings.report, source, suffix, "report"), "report"))
    return found


def _same(path: Path) -> str:
    """What two spellings of one path have in common."""
    return os.path.normcase(os.path.realpath(path))


def _refuse_clashes(jobs: Sequence[Job]) -> None:
    inputs = {_same(job.source): job.source for job in jobs}
    for job in jobs:
        if isinstance(job.opacity, Path):
            inputs.setdefault(_same(job.opacity), job.opacity)
    taken: dict[str, Job] = {}
    for job in jobs:
        for output in job.outputs:
            for file in output.files:
                place = _same(file)
                if place in inputs:
                    raise ValueError(
                        f"out: {file} would overwrite the input {inputs[place]}; give another "
                        'template, such as "{dir}/baked/{stem}.{ext}"'
                    )
                if place in taken:
                    raise ValueError(
                        f"out: {taken[place].source} and {job.source} would both become "
                        f"{output.path}; give a template that tells them apart, such as "
                        '"{dir}/{name}.{ext}"'
                    )
                taken[place] = job


def plan_jobs(
    paths: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    containers: Sequence[str] | None,
    settings: BatchSettings,
) -> list[Job]:
    """Lays out a batch before any work is done.

    Parameters
    ----------
    paths : iterable of path
        Inputs; one that is named twice counts once.
    out : path template
        See `expand`. A folder, or a template that ends in a slash, stands for
        ``folder/{stem}.{ext}``.
    containers : sequence of {"ktx2", "dds", "png"}, optional
        What ``{ext}`` stands for; the suffix of `out` if None, "ktx2" where that is ``{ext}``.
    settings : BatchSettings

    Raises
    ------
    ValueError
        A template that is none, formats that do not fit, two inputs to one output, an output on an
        input.
    """
    if isinstance(paths, (str, os.PathLike)):
        raise TypeError(f"paths must be a sequence of paths, got one: write [{os.fspath(paths)!r}]")
    template, extensions = _template(os.fspath(out), containers)
    _check_containers(template, extensions, settings)
    sources = {_same(path): path for path in reversed([Path(path) for path in paths])}
    jobs = []
    for source in reversed(sources.values()):
        opacity: Path | str | None = settings.opacity
        if opacity is not None and opacity not in _CHANNELS:
            opacity = expand(str(opacity), source, source.suffix.removeprefix("."), "opacity")
        jobs.append(Job(source, opacity, tuple(_outputs(source, template, extensions, settings))))
    _refuse_clashes(jobs)
    return jobs
