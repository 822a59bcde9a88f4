# SPDX-License-Identifier: MIT
"""The grammar of the command line."""

from __future__ import annotations

import argparse
import math
from typing import Any

from .._core import __version__
from ..batch_plan import ALPHAS, CONTAINERS, DEFAULT_OUT
from ..io import WRITABLE
from ..kinds import (ColorSpace, CoverageMode, DitherRule, FillMode, MipFilter, NodeFormat,
                     TerrainMode, TerrainNoise)  # fmt: skip

__all__ = ["make_parser"]

_EPILOG = """exit codes: 0 done or up to date, 1 some inputs failed, 2 usage, 3 no device,
4 device lost or out of memory (retry elsewhere), 5 a check found stale or different output,
130 interrupted. Results go to standard output, all else to standard error."""


def _words(kind: Any) -> list[str]:
    return [member.name.lower() for member in kind]


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 < value < 1.0:
        raise argparse.ArgumentTypeError(f"must lie inside (0, 1), got {text}")
    return value


def _unit(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"must lie in [0, 1], got {text}")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, got {text}")
    return value


def _sub_frames(text: str) -> int:
    value = _count(text)
    if value > 256:
        raise argparse.ArgumentTypeError(f"must be at most 256, got {text}")
    return value


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text}")
    return value


def _level(text: str) -> int | str | None:
    if text in ("safe", "all"):
        return None if text == "all" else text
    try:
        return _count(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"takes a number, safe or all, got {text!r}") from None


def _far(text: str) -> tuple[int, int]:
    content, comma, gutter = text.partition(",")
    try:
        return _positive(content), _count(gutter) if comma else 32
    except ValueError:
        raise argparse.ArgumentTypeError(f"takes CONTENT,GUTTER in texels, got {text!r}") from None


def _picture_size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    try:
        if cross:
            return _positive(width), _positive(height)
    except (ValueError, argparse.ArgumentTypeError):
        pass
    raise argparse.ArgumentTypeError(f"takes WIDTHxHEIGHT in pixels, got {text!r}")


def _point(text: str) -> tuple[float, ...]:
    try:
        point = tuple(float(part) for part in text.split(","))
    except ValueError:
        point = ()
    if len(point) != 3 or not all(math.isfinite(part) for part in point):
        raise argparse.ArgumentTypeError(f"takes X,Y,Z in metres, got {text!r}")
    return point


def _angle(text: str) -> float:
    value = float(text)
    if not 0.0 < value < math.pi:
        raise argparse.ArgumentTypeError(f"must lie inside (0, pi) radians, got {text}")
    return value


def _rate(text: str) -> float:
    value = float(text)
    if not 0.0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be finite and above 0, got {text}")
    return value


def _ray_count(text: str) -> int:
    value = _count(text)
    if not 2 <= value <= 1 << 22:
        raise argparse.ArgumentTypeError(f"must lie in [2, {1 << 22}], got {text}")
    return value


def _times(text: str) -> list[float]:
    """Seconds: one, or the first, the last and how many."""
    parts = text.split(":")
    try:
        first = float(parts[0])
        last, count = (float(parts[1]), int(parts[2])) if len(parts) == 3 else (first, 1)
        if len(parts) in (1, 3) and 1 <= count <= 256 and first <= last < math.inf:
            step = (last - first) / max(count - 1, 1)
            return [first + step * i for i in range(count)]
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(
        f"takes SECONDS, or FIRST:LAST:COUNT with at most 256 pictures, got {text!r}"
    )


_share.__name__ = _unit.__name__ = _angle.__name__ = _rate.__name__ = "number"
_count.__name__ = _positive.__name__ = _sub_frames.__name__ = "whole number"
_ray_count.__name__ = "whole number"


def _shared() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    group = shared.add_argument_group("for every command")
    group.add_argument("--json", action="store_true", help="results as JSON, one object a line")
    group.add_argument(
        "--device",
        metavar="WHICH",
        help="cpu, gpu, software, an index of `dapplewood devices`, uuid:... or name:...; without "
        "it DAPPLEWOOD_DEVICE, else the best GPU, else cpu",
    )
    group.add_argument(
        "-v", "--verbose", action="count", default=0, help="details, and tracebacks of errors"
    )
    group.add_argument(
        "-q", "--quiet", action="store_true", help="no warnings and no progress bar"
    )
    return shared


def _add_tiles(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tiles")
    group.add_argument(
        "--tiles", metavar="CxR", help="columns x rows, such as 8x8, or auto: islands of alpha > 0"
    )
    group.add_argument(
        "--gutter", type=_count, default=0, metavar="N", help="texels on each side of a tile"
    )
    group.add_argument(
        "--rects", metavar="FILE", help="CSV with one tile a line: x, y, width, height in texels"
    )


def _add_cutoffs(parser: Any) -> None:
    parser.add_argument(
        "--cutoff",
        type=_share,
        action="append",
        metavar="C",
        help="alpha-test reference, 0.5 if none; may be repeated, ascending",
    )


def _add_bake(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "bake",
        parents=[shared],
        help="bake atlases to textures with all their mip levels",
        description="Bakes atlases. What is up to date is left alone.",
        epilog=_EPILOG,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="image, or a quoted pattern")
    _add_tiles(parser)
    group = parser.add_argument_group("baking")
    _add_cutoffs(group)
    group.add_argument(
        "--coverage", choices=_words(CoverageMode), default="tile", help="what keeps its coverage"
    )
    group.add_argument("--filter", choices=_words(MipFilter), default="box", help="mip filter")
    group.add_argument(
        "--fill", choices=_words(FillMode), default="edge", help="gutters, and colour under alpha 0"
    )
    group.add_argument(
        "--color-space", choices=_words(ColorSpace), help="as the file says if not given"
    )
    group.add_argument("--max-level", type=_level, metavar="N|safe|all", help="last level to keep")
    group.add_argument(
        "--start-level", type=_count, default=1, metavar="N", help="first level to remap"
    )
    group.add_argument(
        "--strength", type=_unit, default=1.0, metavar="S", help="0: averaged alpha, 1: full remap"
    )
    group.add_argument(
        "--opacity",
        metavar="WHERE",
        help="a channel, r g b or a, or a file: {dir}/{stem}_Opacity.png",
    )
    group.add_argument(
        "--premultiplied", action="store_true", help="the colours of the file are times alpha"
    )
    _add_writing(parser)


def _add_writing(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("writing")
    group.add_argument(
        "-o",
        "--out",
        default=DEFAULT_OUT,
        metavar="TEMPLATE",
        help="path with {dir} {stem} {name} {ext}, or a folder; " + DEFAULT_OUT + " if not given",
    )
    group.add_argument(
        "--container",
        choices=CONTAINERS,
        action="append",
        help="what {ext} stands for; may be repeated; ktx2 if not given",
    )
    group.add_argument("--format", choices=WRITABLE, default="rgba8", help="of the texels")
    group.add_argument(
        "--alpha",
        choices=ALPHAS,
        default="test",
        help="for the alpha test, for alpha to coverage, or a file of each",
    )
    group.add_argument("--array", action="store_true", help="one array layer per tile")
    group.add_argument(
        "--far",
        type=_far,
        nargs="?",
        const=(64, 32),
        metavar="CONTENT,GUTTER",
        help="also write a far atlas; 64,32 if no numbers follow",
    )
    group.add_argument(
        "--pad-chain", action="store_true", help="fill a capped chain down to 1 x 1"
    )
    group.add_argument("--supercompress", action="store_true", help="Zstandard in KTX2")
    group.add_argument("--report", metavar="TEMPLATE", help="also write a report, .html or .json")
    group = parser.add_argument_group("which and when")
    group.add_argument("--from-file", metavar="LIST", help="more inputs, one a line; - for stdin")
    group.add_argument("--force", action="store_true", help="bake what is up to date as well")
    group.add_argument("--check", action="store_true", help="write nothing; exit 5 if stale")
    group.add_argument("--dry-run", action="store_true", help="write nothing; say what would be")
    group.add_argument("--depfile", metavar="FILE", help="dependencies for Make and Ninja")


def _add_report(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "report",
        parents=[shared],
        help="measure a texture made by any tool",
        description="Measures coverage, fringe and bleed of a DDS, a KTX2, or a PNG chain "
        "name_mip0.png, name_mip1.png and so on, level by level.",
        epilog=_EPILOG,
    )
    parser.add_argument("file", metavar="FILE")
    _add_tiles(parser)
    _add_cutoffs(parser)
    parser.add_argument(
        "-o", "--out", action="append", metavar="FILE", help="write it: .html or .json"
    )


def _add_diff(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "diff",
        parents=[shared],
        help="compare two textures level by level",
        description="Compares two textures or images, of any containers, texel by texel; exit code "
        "5 when they differ by more than the tolerance.",
        epilog=_EPILOG,
    )
    parser.add_argument("first", metavar="A")
    parser.add_argument("second", metavar="B")
    parser.add_argument(
        "--tolerance", type=_count, default=0, metavar="N", help="8-bit steps that count as equal"
    )
    _add_tiles(parser)
    _add_cutoffs(parser)


def _add_demo(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "demo",
        parents=[shared],
        help="bake an atlas, show what it is worth, and draw a forest",
        description="Bakes a drawn sample atlas, or one of yours, and leaves a KTX2, a DDS, a "
        "contact sheet and a report; without one of yours also forest.png, a glade drawn on a "
        "Vulkan device.",
        epilog=_EPILOG,
    )
    parser.add_argument("atlas", nargs="?", metavar="ATLAS", help="an image; a drawn one if none")
    parser.add_argument("-o", "--out", default="out", metavar="FOLDER", help="out if not given")
    parser.add_argument("--opacity", metavar="WHERE", help="a channel, r g b or a, or a file")
    _add_tiles(parser)
    _add_cutoffs(parser)


def _add_bench(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "bench",
        parents=[shared],
        help="time a bake on this machine",
        description="Times the bake of a drawn atlas in memory, beside the machine's copy speed.",
        epilog=_EPILOG,
    )
    parser.add_argument("--size", type=_positive, default=4096, metavar="N", help="4096 texels")
    parser.add_argument("--grid", type=_positive, default=8, metavar="N", help="N x N tiles, 8 x 8")
    parser.add_argument("--repeats", type=_positive, default=7, metavar="N", help="7")
    parser.add_argument("--threads", type=_count, default=0, metavar="N", help="0: one each core")


def _add_noise(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "noise",
        parents=[shared],
        help="draw and measure the dither patterns",
        description="Draws every dither pattern: ranks, masks at several amounts, power by "
        "frequency; and prints how blue and how even each is.",
        epilog=_EPILOG,
    )
    parser.add_argument("--size", type=_positive, default=64, metavar="N", help="of blue, 64")
    parser.add_argument("--seed", type=_count, default=0, metavar="N", help="of blue, 0")
    parser.add_argument("--sigma", type=float, default=1.9, metavar="S", help="of blue, 1.9 pixels")
    parser.add_argument(
        "--amount",
        type=_unit,
        action="append",
        metavar="A",
        help="share to discard; may be repeated; 0.1 0.25 0.5 0.7 0.9 if none",
    )
    parser.add_argument("--rule", choices=_words(DitherRule), default="centred")
    parser.add_argument(
        "-o", "--out", default="noise.png", metavar="FILE", help="noise.png if not given"
    )


def _add_terrain(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "terrain",
        parents=[shared],
        help="draw a splat map by several modes, side by side",
        description="Draws a map from above, a column for each mode and a row for each zoom, and "
        "prints what each material covers beside what is expected. A splat map is read as it is: "
        "its alpha is a weight.",
        epilog=_EPILOG,
    )
    parser.add_argument("splats", nargs="+", metavar="SPLAT", help="images of four weights each")
    parser.add_argument("--packed", action="store_true", help="two weights of 4 bits a channel")
    parser.add_argument("--base", metavar="IMAGE", help="the whole map's colour; a mix if none")
    parser.add_argument(
        "--detail", action="append", default=[], metavar="IMAGE",
        help="a material's tile, by slot; may be repeated; plain colours for the rest",
    )  # fmt: skip
    parser.add_argument(
        "--detail-scale", type=float, metavar="UNITS", help="texels of the map that a tile spans"
    )
    parser.add_argument(
        "--mode", choices=[word for word in _words(TerrainMode) if word != "height"],
        action="append", help="may be repeated; smooth, dithered and priority if none",
    )  # fmt: skip
    parser.add_argument(
        "--zoom", type=float, action="append", metavar="PX", help="pixels a texel; 4 16 32 if none"
    )
    parser.add_argument(
        "--center", type=float, nargs=2, metavar=("X", "Y"), help="texel in the middle"
    )
    parser.add_argument("--size", type=_positive, default=320, metavar="N", help="of a picture")
    parser.add_argument("--style", choices=("photo", "pixel"), default="photo")
    group = parser.add_argument_group("transition")
    group.add_argument("--strength", type=_unit, metavar="S", help="0.4; 1 of dithered")
    group.add_argument("--cell", type=float, default=0.125, metavar="C", help="texels, 1/8")
    group.add_argument("--quantize", type=_count, default=0, metavar="N", help="steps; 0: none")
    group.add_argument("--min-weight", type=float, default=0.06, metavar="W", help="0.06")
    group.add_argument(
        "--priority", type=float, action="append", metavar="P", help="by slot; repeated"
    )
    group.add_argument("--noise", choices=_words(TerrainNoise), default="blue")
    group.add_argument("--seed", type=_count, default=0, metavar="N")
    parser.add_argument(
        "-o", "--out", default="terrain.png", metavar="FILE", help="terrain.png if not given"
    )


def _add_render(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "render",
        parents=[shared],
        help="draw a scene or a model",
        description="Draws a scene or a model without a window. A scene is a Python file, which is "
        "run: it defines `scene` and `camera`, or build() that returns both; update(time), if it "
        "is there, is called before each picture. A model stands on a ground in the sun.",
        epilog=_EPILOG,
    )
    parser.add_argument("file", metavar="FILE", help="scene.py, model.glb or model.gltf")
    parser.add_argument(
        "-o", "--out", metavar="FILE", help="picture to write; the file's name with .png if none"
    )
    group = parser.add_argument_group("picture")
    group.add_argument("--size", type=_picture_size, default=(960, 540), metavar="WxH",
                       help="960x540 pixels")
    group.add_argument("--samples", type=int, choices=(1, 2, 4, 8),
                       help="a pixel; 4 with --cutout a2c, else 1")
    group.add_argument("--cutout", choices=("test", "a2c", "dither"), default="a2c",
                       help="how alpha cuts holes; a2c if not given")
    group.add_argument("--temporal", type=_sub_frames, default=0, metavar="N",
                       help="average N jittered pictures, up to 256")
    group.add_argument("--time", type=_times, default=[0.0], metavar="T|T0:T1:N",
                       help="seconds on the scene's clock, or a strip of N pictures")
    group = parser.add_argument_group("view")
    group.add_argument("--camera", type=_point, metavar="X,Y,Z",
                       help="where it stands; a value below 0 is written --camera=-1,2,3")
    group.add_argument("--target", type=_point, metavar="X,Y,Z", help="what it looks at")
    group.add_argument("--fov", type=_angle, default=0.9, metavar="A",
                       help="from top to bottom, with --camera; 0.9 radians")
    group.add_argument("--plain", action="store_true",
                       help="a model alone: neither ground nor sky, alpha is coverage")


def _add_drift(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "drift",
        parents=[shared],
        help="play an animation through trees, and measure them",
        description="Plays an animation of a model: its trees are refit to every pose, and built "
        "anew when they have drifted. Prints for each frame what the refit took, the drift "
        "ratios, and how many nodes a ray visits, beside trees that are never rebuilt and trees "
        "built for the pose.",
        epilog=_EPILOG,
    )
    parser.add_argument("file", metavar="FILE", help="model.glb or model.gltf")
    parser.add_argument("--animation", metavar="NAME", help="a name or a number; the first if none")
    parser.add_argument("--frames", type=_positive, metavar="N", help="the clip once if not given")
    parser.add_argument("--fps", type=_rate, default=30.0, metavar="R", help="30 frames a second")
    parser.add_argument("--rays", type=_ray_count, default=16384, metavar="N", help="16384 a frame")
    parser.add_argument("--node-format", choices=_words(NodeFormat), default="quantized")
    parser.add_argument("--quick", action="store_true", help="leave the comparison out")
    parser.add_argument("-o", "--out", metavar="FILE", help="plot to write: .png, .svg or .pdf")


def _add_effect(commands: Any, shared: argparse.ArgumentParser) -> None:
    parser = commands.add_parser(
        "effect",
        parents=[shared],
        help="read particle effects, and draw them",
        description="Reads particle effects of three.quarks, Effekseer, Godot, Urho3D, cocos2d, "
        "pixi and tsparticles, or takes built-in ones by name: what parts they have, and what a "
        "file asks for that is done otherwise here. --out draws them, one strip below the other.",
        epilog=_EPILOG,
    )
    parser.add_argument("effects", nargs="+", metavar="EFFECT", help="a file or a built-in name")
    parser.add_argument("--time", type=_times, default=[0.25, 0.5, 1.0, 2.0],
                        metavar="T|T0:T1:N",
                        help="seconds of the pictures; 0.25, 0.5, 1 and 2 if not given")
    parser.add_argument("--size", type=_picture_size, default=(240, 240), metavar="WxH",
                        help="240x240 pixels, of each picture")
    parser.add_argument("--strict", action="store_true",
                        help="exit with 5 when something is not as in its file")
    parser.add_argument("-o", "--out", metavar="FILE", help="strip to write, .png")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `command` names what was asked for."""
    parser = argparse.ArgumentParser(
        prog="dapplewood",
        description="Foliage atlases whose mips keep coverage, colour and borders, and forests "
        "that are drawn with them.",
        epilog=_EPILOG,
    )
    parser.add_argument("-V", "--version", action="version", version=f"dapplewood {__version__}")
    shared = _shared()
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser(
        "devices", parents=[shared], help="list the devices of this machine", epilog=_EPILOG
    )
    commands.add_parser(
        "doctor", parents=[shared], help="what is installed, and what mends it", epilog=_EPILOG
    )
    _add_bake(commands, shared)
    _add_report(commands, shared)
    _add_diff(commands, shared)
    _add_demo(commands, shared)
    _add_bench(commands, shared)
    _add_noise(commands, shared)
    _add_terrain(commands, shared)
    _add_render(commands, shared)
    _add_drift(commands, shared)
    _add_effect(commands, shared)
    return parser
