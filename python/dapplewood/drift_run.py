# SPDX-License-Identifier: MIT
"""An animation played through trees: what refits cost, and what drift costs the rays."""

from __future__ import annotations

import dataclasses
import json
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .device import Device, default_device
from .model import Model
from .pose import Pose
from .model_trees import ModelTrees
from .trees import SceneTrees

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["DriftFrame", "DriftRun", "play_drift"]

_MOST_RAYS = 1 << 22
_LEAST_EXTENT = 1e-20


@dataclasses.dataclass(frozen=True)
class DriftFrame:
    """One update of the trees.

    Attributes
    ----------
    time : float
        Seconds of the clip.
    refit_ms : float
        Milliseconds of the update on a native device; of the refits, by the device's clock, on
        others.
    ratio : float
        The greatest `SceneTrees.drift_ratio` of the deforming meshes.
    fresh_ratio : float
        The greatest `Drift.fresh_ratio`: cost over that of a tree built from the pose of the last
        probe.
    steps : float
        Nodes that a ray visits, on average.
    steps_kept, steps_fresh : float
        The same rays in trees that are refit and never rebuilt, and in trees built from this pose;
        NaN where the run does not compare.
    rebuilds, probes : int
        Of this update.
    """

    time: float
    refit_ms: float
    ratio: float
    fresh_ratio: float
    steps: float
    steps_kept: float
    steps_fresh: float
    rebuilds: int
    probes: int

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON has them: None for what is not finite."""
        return {name: _number(value) for name, value in dataclasses.asdict(self).items()}


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class DriftRun:
    """A clip, frame by frame.

    Attributes
    ----------
    frames : tuple of DriftFrame
    model, animation, device : str
    triangles : int
        Of all deforming meshes.
    rays : int
        A frame.
    """

    frames: tuple[DriftFrame, ...]
    model: str
    animation: str
    device: str
    triangles: int
    rays: int

    def column(self, name: str) -> np.ndarray:
        """(F,) float64 of one field of the frames."""
        return np.array([getattr(frame, name) for frame in self.frames], np.float64)

    def summary(self) -> dict[str, Any]:
        """The run in numbers: medians and greatest values."""
        with np.errstate(invalid="ignore"):
            slow = self.column("steps") / self.column("steps_fresh")
            kept = self.column("steps_kept") / self.column("steps_fresh")
        return {
            "frames": len(self.frames),
            "triangles": self.triangles,
            "rays": self.rays,
            "refit_ms": round(float(np.median(self.column("refit_ms"))), 4),
            "rebuilds": int(self.column("rebuilds").sum()),
            "probes": int(self.column("probes").sum()),
            "ratio_most": _number(self.column("ratio").max()),
            "slowdown_most": _number(slow.max()),
            "slowdown_mean": _number(slow.mean()),
            "slowdown_most_if_never_rebuilt": _number(kept.max()),
            "slowdown_mean_if_never_rebuilt": _number(kept.mean()),
        }

    def to_json(self) -> str:
        """The run as JSON: its settings, its summary and a list of frames."""
        head = {"model": self.model, "animation": self.animation, "device": self.device}
        rows = [frame.to_dict() for frame in self.frames]
        return json.dumps({**head, "summary": self.summary(), "frames": rows}, allow_nan=False)

    def plot(self) -> Figure:
        """Steps a ray and the drift ratios over the clip, rebuilds marked.

        Raises
        ------
        ImportError
            Matplotlib is missing.
        """
        from .drift_plot import figure_of

        return figure_of(self)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{k}</th><td>{v}</td></tr>" for k, v in self.summary().items())
        return f"<table><caption>{self!r}</caption>{rows}</table>".replace("<Drift", "&lt;Drift")

    def __repr__(self) -> str:
        return f"<DriftRun {self.model!r} {self.animation!r} {len(self.frames)} frames>"


def _number(value: Any) -> Any:
    """A number that JSON has: None for NaN and infinity."""
    if isinstance(value, int):
        return value
    return round(float(value), 6) if math.isfinite(value) else None


def play_drift(
    model: Model,
    animation: Any = 0,
    *,
    frames: int | None = None,
    fps: float = 30.0,
    rays: int = 16384,
    seed: int = 0,
    compare: bool = True,
    device: Device | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> DriftRun:
    """Plays a clip of a model and measures its trees at each frame.

    Parameters
    ----------
    model : Model
    animation : int, str or Animation
        Of the model.
    frames : int, optional
        None: the clip once.
    fps : float
        Frames a second; the clip is looped.
    rays : int
        A frame, to random points of the box around the pose: half of them from one place, half
        from all around. A seed gives the same ones again.
    seed : int
    compare : bool
        Sends the same rays through trees that are never rebuilt, and through trees built anew at
        each frame.
    device : Device, optional
        None: the default device.
    progress : callable, optional
        Given the fraction that is done.
    **options
        Of `SceneTrees`, such as ``node_format``, ``drift_limit`` and ``probe``.

    Returns
    -------
    DriftRun

    Raises
    ------
    ValueError
        No such animation, a model that nothing deforms, or a number out of range.
    """
    clip = model.animation(animation)
    device = default_device() if device is None else device
    if not 0.0 < fps < math.inf:
        raise ValueError(f"fps must be a finite number above 0, got {fps!r}")
    if not 2 <= rays <= _MOST_RAYS:
        raise ValueError(f"rays must lie in [2, {_MOST_RAYS}], got {rays!r}")
    count = max(round(clip.duration * fps), 1) if frames is None else frames
    if count < 1:
        raise ValueError(f"frames must be at least 1, got {frames!r}")
    poses = (model.pose(clip, i / fps, loop=True) for i in range(count))
    with _Stage(model, device, compare, options) as stage:
        if stage.triangles == 0:
            raise ValueError(f"no skin or morph target moves a mesh of {model.name!r}")
        found = []
        for i, pose in enumerate(poses):
            found.append(stage.play(pose, i / fps, rays, seed))
            if progress is not None:
                progress((i + 1) / count)
        return DriftRun(
            tuple(found), model.name, clip.name, device.info.name, stage.triangles, rays
        )


def _rays(bounds: np.ndarray, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(R, 3) float32 origins and directions around a box."""
    rng = np.random.default_rng(seed)
    middle, reach = bounds.mean(axis=0), max(float(np.ptp(bounds, axis=0).max()), _LEAST_EXTENT)
    half = count // 2
    places = rng.normal(size=(count, 3))
    origins = middle + 1.5 * reach * places / np.linalg.norm(places, axis=-1, keepdims=True)
    origins[:half] = middle + reach * np.array([0.8, 0.4, 1.6])
    targets = bounds[0] + rng.random((count, 3)) * np.ptp(bounds, axis=0)
    return origins.astype(np.float32), (targets - origins).astype(np.float32)


class _Stage:
    """The trees that are measured, and those that they are compared with."""

    def __init__(self, model: Model, device: Device, compare: bool, options: dict[str, Any]):
        self.model, self.device, self.options = model, device, options
        self.ruled = SceneTrees(device, **options)
        rest = model.pose()
        self.placed = ModelTrees(self.ruled, model, pose=rest)
        self.kept: SceneTrees | None = None
        if compare:
            never = {"drift_limit": math.inf, "probe": False}
            self.kept = SceneTrees(device, **{**options, **never})
            self.kept_placed = ModelTrees(self.kept, model, pose=rest)
        self.deforming = [
            handle
            for handle in self.placed.meshes
            if self.ruled.mesh_status(handle).deforming
        ]
        self.triangles = sum(self.ruled.mesh_status(mesh).triangles for mesh in self.deforming)
        for trees in (self.ruled, self.kept):
            if trees is not None:
                trees.update()

    def play(self, pose: Pose, seconds: float, count: int, seed: int) -> DriftFrame:
        self.placed.set_pose(pose)
        begun = time.perf_counter()
        result = self.ruled.update()
        elapsed = 1e3 * (time.perf_counter() - begun)
        bounds = self.ruled.bounds()
        rays = _rays(np.zeros((2, 3)) if bounds is None else bounds, count, seed)
        drifts = [self.ruled.drift(mesh) for mesh in self.deforming]
        kept = fresh = math.nan
        if self.kept is not None:
            self.kept_placed.set_pose(pose)
            self.kept.update()
            kept = _steps(self.kept, rays)
            fresh = self._fresh(pose, rays)
        return DriftFrame(
            time=seconds,
            refit_ms=self._refit_ms(elapsed),
            ratio=max(one.ratio for one in drifts),
            fresh_ratio=max(one.fresh_ratio for one in drifts),
            steps=_steps(self.ruled, rays),
            steps_kept=kept,
            steps_fresh=fresh,
            rebuilds=result.rebuilds,
            probes=result.probes,
        )

    def _refit_ms(self, elapsed: float) -> float:
        """The update's own time on a native device; that of its refits on the clock of others."""
        if self.device.info.kind == "native":
            return elapsed
        _steps(self.ruled, (np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32)))
        return self.device.timings().get("tree_refit", math.nan)

    def _fresh(self, pose: Pose, rays: Any) -> float:
        options = {**self.options, "drift_limit": math.inf, "probe": False}
        with SceneTrees(self.device, **options) as trees, ModelTrees(
            trees, self.model, pose=pose
        ):
            trees.update()
            return _steps(trees, rays)

    def __enter__(self) -> _Stage:
        return self

    def __exit__(self, *_: object) -> None:
        self.placed.close()
        self.ruled.close()
        if self.kept is not None:
            self.kept_placed.close()
            self.kept.close()


def _steps(trees: SceneTrees, rays: tuple[np.ndarray, np.ndarray]) -> float:
    return float(trees.trace(*rays, steps=True).steps.mean())
