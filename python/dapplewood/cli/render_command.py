# SPDX-License-Identifier: MIT
"""``dapplewood render``: a scene or a model as a picture, or as a strip of them."""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..camera import Camera, _View
from ..errors import Error, FormatError
from ..io import write_image
from ..io.gltf import load_gltf
from ..model import Model
from ..renderer import Renderer
from ..scene import Scene
from ..staging import bounds_of, staged
from .console import Console
from .exit_codes import ExitCode, UsageError
from .inputs import open_device, refuse_overwriting

__all__ = ["run"]

_MODELS, _PICTURES = (".glb", ".gltf"), (".png", ".tga", ".tif", ".tiff", ".exr")

# What a file gives for a time: what to draw, and from where.
_Source = Callable[[float], "tuple[Scene, _View]"]


def run(console: Console, options: Any) -> int:
    """Draws the file's scene at each time, side by side, and tells what was drawn."""
    begun = time.perf_counter()
    path = Path(options.file)
    out = Path(options.out) if options.out else Path(path.stem + ".png")
    _check(path, out, options)
    source = _source_of(path, options)
    with _device(options.device) as device, Renderer(
        options.size, samples=_samples(options), cutout=options.cutout, temporal=options.temporal,
        device=device,
    ) as renderer:  # fmt: skip
        console.info(f"{renderer!r} on {renderer.device.info.name}")
        frames, facts = [], []
        bar = console.progress("render")
        for i, seconds in enumerate(options.time):
            started = time.perf_counter()
            frame = renderer.render(*source(seconds), time=seconds)
            frames.append(frame.color)
            facts.append(_facts(frame.stats, seconds, time.perf_counter() - started))
            if bar is not None:
                bar((i + 1) / len(options.time))
        console.end_progress()
        name = renderer.device.info.name
    picture = np.ascontiguousarray(np.concatenate(frames, axis=1))
    out.parent.mkdir(parents=True, exist_ok=True)
    write_image(out, picture, color_space="srgb")
    height, width = picture.shape[:2]
    total = time.perf_counter() - begun
    first = facts[0]
    text = (
        f"{path} -> {out}  {width}x{height}, {first['triangles']:,} triangles in "
        f"{first['draw_calls']} draw calls, {total:.2f} s on {name}"
    )
    data = {
        "source": os.fspath(path), "out": os.fspath(out), "width": width, "height": height,
        "device": name, "seconds": round(total, 3), "frames": facts,
    }  # fmt: skip
    console.result(text, data)
    return ExitCode.DONE


def _check(path: Path, out: Path, options: Any) -> None:
    if path.suffix.lower() not in (".py", *_MODELS):
        raise UsageError(f"{path}: takes a scene, .py, or a model, {' or '.join(_MODELS)}")
    if out.suffix.lower() not in _PICTURES:
        raise UsageError(f"--out must end in one of {', '.join(_PICTURES)}, got {str(out)!r}")
    refuse_overwriting([out], [os.fspath(path)], "--out")
    if (options.target is None) != (options.camera is None):
        raise UsageError("--camera and --target go together")
    if options.camera is not None and options.camera == options.target:
        raise UsageError("--target must differ from --camera")
    if options.plain and path.suffix.lower() == ".py":
        raise UsageError('--plain is for models; a scene says "scene.sky = None"')


def _samples(options: Any) -> int:
    return options.samples if options.samples else (4 if options.cutout == "a2c" else 1)


class _NoDevice:
    """In place of a device: the renderer picks its own, which stays open."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        pass


def _device(which: str | None) -> Any:
    if which is None and not os.environ.get("DAPPLEWOOD_DEVICE"):
        return _NoDevice()
    return open_device(which)


def _source_of(path: Path, options: Any) -> _Source:
    given = None
    if options.camera is not None:
        given = Camera(options.camera, options.target, fov_y=options.fov)
    if path.suffix.lower() != ".py":
        return _of_model(load_gltf(path), path, given, options)
    return _of_program(path, given)


def _of_model(model: Model, path: Path, given: Camera | None, options: Any) -> _Source:
    animation = 0 if model.animations else None
    aspect = options.size[0] / options.size[1]

    if animation is None and len(options.time) > 1:
        raise UsageError("--time: the model has no animation, so one picture shows all of it")
    poses = {seconds: model.pose(animation, seconds) for seconds in options.time}
    try:
        boxes = np.stack([bounds_of(model, pose) for pose in poses.values()])
    except ValueError as error:
        raise FormatError(f"{path}: {error}") from error
    bounds = np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)])

    def source(seconds: float) -> tuple[Scene, _View]:
        scene, camera = staged(
            model, pose=poses[seconds], bounds=bounds, ground=not options.plain, aspect=aspect
        )
        return scene, camera if given is None else given

    return source


def _of_program(path: Path, given: Camera | None) -> _Source:
    """Runs a scene's program once; its `update(time)`, if any, before each picture."""
    names = _run(path, lambda: _namespace(path))
    if callable(names.get("build")):
        built = _run(path, names["build"])
        scene, camera = built if isinstance(built, tuple) and len(built) == 2 else (built, None)
    else:
        scene, camera = names.get("scene"), names.get("camera")
    if not isinstance(scene, Scene):
        raise FormatError(
            f"{path}: wanted `scene`, a dapplewood.Scene, or build() that returns (scene, camera); "
            f"got {'nothing' if scene is None else type(scene).__name__}"
        )
    camera = camera if given is None else given
    if not isinstance(camera, _View):
        raise FormatError(
            f"{path}: wanted `camera`, a dapplewood.Camera, got "
            f"{'nothing' if camera is None else type(camera).__name__}; or give --camera X,Y,Z "
            "--target X,Y,Z"
        )
    update = names.get("update")

    def source(seconds: float) -> tuple[Scene, _View]:
        if callable(update):
            _run(path, lambda: update(seconds))
        return scene, camera

    return source


def _namespace(path: Path) -> dict[str, Any]:
    """What the program defines; it finds modules that lie beside it."""
    if not path.is_file():
        raise FileNotFoundError(2, "no such file", os.fspath(path))
    folder = os.fspath(path.resolve().parent)
    sys.path.insert(0, folder)
    try:
        return runpy.run_path(os.fspath(path), run_name="__dapplewood__")
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


def _run(path: Path, work: Callable[[], Any]) -> Any:
    """The result of a program's own code, whose errors are told with their line. What it prints
    goes to standard error: standard output is for results."""
    try:
        with contextlib.redirect_stdout(sys.stderr):
            return work()
    except (Error, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, OSError) and error.filename == os.fspath(path):
            raise
        raise FormatError(f"{path}{_line_of(error, path)}: {_said(error)}") from error


def _line_of(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    lines = [
        entry.lineno for entry in traceback.extract_tb(error.__traceback__)
        if Path(entry.filename) == path
    ]  # fmt: skip
    return f", line {lines[-1]}" if lines else ""


def _said(error: BaseException) -> str:
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _facts(stats: Any, seconds: float, spent: float) -> dict[str, Any]:
    return {
        "time": seconds, "seconds": round(spent, 4), "draw_calls": stats.draw_calls,
        "shadow_draw_calls": stats.shadow_draw_calls, "instances": stats.instances,
        "triangles": stats.triangles, "culled": dict(stats.culled),
        "milliseconds": {name: round(ms, 4) for name, ms in stats.milliseconds.items()},
    }  # fmt: skip
