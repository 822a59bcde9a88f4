# SPDX-License-Identifier: MIT
"""How much of a card or a tree is left at a distance, counted on rendered pixels."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .baseline import naive_levels
from .camera import OrthoCamera
from .checks import check_count, check_positive
from .device import Device, default_vulkan_device
from .forest import Forest
from .materials import Material, MaterialTexture
from .mesh import Mesh
from .progress import as_progress
from .renderer import Renderer
from .scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["CURVES", "CoverageCurves", "coverage_against_distance"]

#: What can be measured, with what it stands for.
CURVES = {
    "naive": "box mips, alpha test",
    "test": "coverage kept, alpha test",
    "a2c": "averaged alpha, alpha to coverage",
    "dither": "averaged alpha, temporal dither",
}
DISTANCES = (5.0, 7.0, 10.0, 14.0, 20.0, 28.0, 40.0, 56.0, 75.0, 90.0)
SCHEMA_VERSION = 1
_FLAT = 0.02  # thickness over width below which a mesh counts as a card
_MOST_COPIES = 256
_TALLEST = 8192  # pixels of a frame
_MOST_PIXELS = 6 << 20  # of a frame: more than that, some devices cannot add up


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CoverageCurves:
    """Covered area against distance; made by `coverage_against_distance`.

    Attributes
    ----------
    distances : (D,) float
        Metres.
    cutouts : tuple of str
        The curves, C of them.
    area : (C, D) float
        Square metres that the covered pixels stand for, mean of all directions. In a picture that
        keeps coverage it is the same at every distance.
    area_error : (C, D) float
        Standard error of `area`, from the spread between places within a pixel.
    silhouette : float
        Square metres of the true silhouette: level 0 of every texture, alpha tested.
    expected : (D,) float
        The share of it that should be left: 1, and less within the fades of a forest.
    switches : tuple of float
        Metres at which the next LOD of a forest begins.
    fade : (float, float) or None
        Metres of a forest's far fade.
    settings : dict
        Pixels per radian, samples, sub-frames, directions, device.
    """

    distances: np.ndarray
    cutouts: tuple[str, ...]
    area: np.ndarray
    area_error: np.ndarray
    silhouette: float
    expected: np.ndarray
    switches: tuple[float, ...]
    fade: tuple[float, float] | None
    settings: dict[str, Any]

    @property
    def coverage(self) -> np.ndarray:
        """(C, D): covered area over what the same curve covers at the first distance."""
        return self.area / self.area[:, :1]

    @property
    def coverage_error(self) -> np.ndarray:
        """(C, D): standard error of `coverage`; 0 at the first distance."""
        share = self.area_error / np.maximum(self.area, 1e-30)
        joined = np.hypot(share, share[:, :1]) * self.coverage
        joined[:, 0] = 0.0
        return joined

    @property
    def true_coverage(self) -> np.ndarray:
        """(C, D): covered area over the true silhouette's."""
        return self.area / self.silhouette

    def _shares(self, reference: str) -> np.ndarray:
        if reference not in ("near", "true"):
            raise ValueError(f'reference must be "near" or "true", got {reference!r}')
        return self.coverage if reference == "near" else self.true_coverage

    def points(self, reference: str = "near") -> np.ndarray:
        """(C, D): points, hundredths, by which coverage differs from what it should be.

        Parameters
        ----------
        reference : {"near", "true"}
            What is 100 %: what the curve covers at the first distance, or the true silhouette.
        """
        return 100.0 * (self._shares(reference) - self.expected)

    def assert_within(
        self,
        points: float,
        *,
        cutouts: Sequence[str] | None = None,
        upto: float = math.inf,
        reference: str = "near",
    ) -> None:
        """Fails where coverage strays further than asked; for tests of an asset pipeline.

        Parameters
        ----------
        points : float
            Hundredths of the silhouette.
        cutouts : sequence of str, optional
            The curves that are judged; all but "naive" if None.
        upto : float
            Metres beyond which nothing is judged.
        reference : {"near", "true"}
            As in `points`.

        Raises
        ------
        AssertionError
            With the worst distance of each curve that strays.
        """
        limit = check_positive(points, "points")
        judged = [name for name in self.cutouts if name != "naive"] if cutouts is None else cutouts
        unknown = [name for name in judged if name not in self.cutouts]
        if unknown or not len(judged):
            raise ValueError(f"cutouts must be some of {self.cutouts}, got {tuple(judged)}")
        kept = self.distances <= upto
        found = self.points(reference)
        failures = []
        for name in judged:
            row = np.where(kept, found[self.cutouts.index(name)], 0.0)
            worst = int(np.abs(row).argmax())
            if abs(row[worst]) > limit:
                failures.append(f"{name}: {row[worst]:+.2f} at {self.distances[worst]:g} m")
        if failures:
            raise AssertionError(f"coverage strays by more than {limit:g} points: "
                                 + "; ".join(failures))

    def table(self, reference: str = "near") -> str:
        """The curves as text, percent, with their standard errors."""
        shares, errors = 100 * self._shares(reference), 100 * self.area_error / self.silhouette
        if reference == "near":
            errors = 100 * self.coverage_error
        lines = ["   metres  expected" + "".join(f"{name:>16}" for name in self.cutouts)]
        for j, metres in enumerate(self.distances):
            cells = "".join(
                f"{share:>9.2f} ±{error:5.2f}"
                for share, error in zip(shares[:, j], errors[:, j], strict=True)
            )
            lines.append(f"{metres:>9.1f}{100 * self.expected[j]:>10.2f}{cells}")
        head = "what is covered at the first distance" if reference == "near" else "the silhouette"
        return "\n".join([f"percent of {head}", *lines])

    def to_json(self) -> str:
        """Everything as JSON; `schema_version` changes when a field changes its meaning."""
        return json.dumps(
            {
                "schema": "dapplewood.coverage_against_distance",
                "schema_version": SCHEMA_VERSION,
                "distances": self.distances.tolist(),
                "expected": self.expected.tolist(),
                "silhouette": self.silhouette,
                "curves": {
                    name: {
                        "area": self.area[i].tolist(),
                        "area_error": self.area_error[i].tolist(),
                        "coverage": self.coverage[i].tolist(),
                        "true_coverage": self.true_coverage[i].tolist(),
                    }
                    for i, name in enumerate(self.cutouts)
                },
                "switches": list(self.switches),
                "fade": list(self.fade) if self.fade else None,
                "settings": self.settings,
            },
            allow_nan=False,
        )

    def plot(self) -> Figure:
        """The curves as a figure of Matplotlib, which is the extra "plot"."""
        from .coverage_plot import figure_of

        return figure_of(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the plot (.png, .svg, .pdf) or the numbers (.json)."""
        if os.fspath(path).endswith(".json"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.to_json())
        else:
            self.plot().savefig(path, dpi=160)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}<br><small>{CURVES[name]}</small></th>" for name in self.cutouts)
        rows = ""
        for j, metres in enumerate(self.distances):
            cells = "".join(
                f"<td>{100 * share:.1f} <small>±{100 * error:.1f}</small></td>"
                for share, error in zip(
                    self.coverage[:, j], self.coverage_error[:, j], strict=True
                )
            )
            rows += f"<tr><td>{metres:g}</td><td>{100 * self.expected[j]:.1f}</td>{cells}</tr>"
        return (
            "<p>Coverage in percent of what is covered at the first distance</p><table><tr>"
            f"<th>metres</th><th>expected</th>{head}</tr>{rows}</table>"
        )

    def __repr__(self) -> str:
        worst = ", ".join(
            f"{name} {row[np.abs(row).argmax()]:+.1f}"
            for name, row in zip(self.cutouts, self.points(), strict=True)
        )
        first, last = self.distances[0], self.distances[-1]
        return f"<CoverageCurves {first:g} to {last:g} m, points at worst: {worst}>"


class _Thing:
    """What is measured: its meshes by variant and LOD, its size, and the angles it is seen from."""

    def __init__(self, thing: Any, directions: int):
        self.forest = thing if isinstance(thing, Forest) else None
        if self.forest is not None:
            self.variants = [list(lods) for lods in thing.meshes]
        elif isinstance(thing, Mesh):
            self.variants = [[(thing,)]]
        elif (isinstance(thing, (list, tuple)) and thing
              and all(isinstance(mesh, Mesh) for mesh in thing)):
            self.variants = [[tuple(thing)]]
        else:
            raise TypeError(
                "thing must be a Mesh, the meshes of one LOD or a Forest, got "
                f"{type(thing).__name__}; for several LODs give Forest(lods, distances=...)"
            )
        flat = [mesh for lods in self.variants for lod in lods for mesh in lod]
        bounds = np.array([mesh.bounds for mesh in flat], dtype=np.float64)
        self.low, self.high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
        reach = np.maximum(np.abs(self.low), np.abs(self.high))
        self.width = 2.0 * float(np.hypot(reach[0], reach[2]))  # whatever way it is turned
        self.height = float(self.high[1] - self.low[1])
        self.middle = 0.5 * float(self.high[1] + self.low[1])
        if self.width <= 0.0 or self.height <= 0.0:
            raise ValueError("thing has no height or no width, so there is nothing to see")
        self.yaws = self._yaws(flat, directions)

    def _yaws(self, flat: list[Mesh], directions: int) -> np.ndarray:
        """Angles by which it is turned; a card is seen from within 50 degrees of its normal."""
        size = self.high - self.low
        turns = (np.arange(directions) + 0.5) / directions
        is_flat = min(size[0], size[2]) <= _FLAT * max(size)
        if not is_flat or any(mesh.material.imposter_views for mesh in flat):
            return 2.0 * np.pi * (turns - 0.2 / directions)
        normal = np.asarray(flat[0].normals, np.float64).mean(axis=0)
        front = math.atan2(normal[0], normal[2])
        return math.radians(100.0) * (turns - 0.5) - front

    def fade_share(self, distance: float) -> float:
        """What a forest's fades leave."""
        if self.forest is None:
            return 1.0

        def smooth(edges: tuple[float, float]) -> float:
            low, high = edges[0] ** 2, edges[1] ** 2
            x = min(max((distance**2 - low) / max(high - low, 1e-12), 0.0), 1.0)
            return x * x * (3.0 - 2.0 * x)

        share = 1.0
        if self.forest.fade:
            share = min(share, 1.0 - smooth(self.forest.fade))
        if self.forest.near_fade:
            share = min(share, smooth(self.forest.near_fade))
        return share


def _naive(texture: MaterialTexture) -> MaterialTexture:
    return dataclasses.replace(
        texture, levels=naive_levels(texture.levels[0]), alpha_to_coverage=None
    )


def _finest(texture: MaterialTexture) -> MaterialTexture:
    return dataclasses.replace(
        texture, levels=texture.levels[:1], alpha_to_coverage=None, mipmaps=False
    )


def _dressed(variants: list, change: Any, only_first: bool) -> list:
    """The meshes in unlit materials, whose textures are changed where alpha cuts out."""
    made: dict[int, Material] = {}

    def material_of(material: Material) -> Material:
        if id(material) not in made:
            texture = material.base_color_texture
            if material.alpha_mode == "opaque" and not material.imposter_views:
                texture = None  # its colour does not matter, and takes time
            elif texture is not None and material.alpha_mode == "mask" and change is not None:
                texture = change(texture)
            made[id(material)] = material.replace(
                unlit=True, base_color_texture=texture, normal_texture=None
            )
        return made[id(material)]

    def first(lods: list) -> list:
        return [next(lod for lod in lods if lod)] if only_first else lods

    return [
        [[mesh.replace(material=material_of(mesh.material)) for mesh in lod] or None
         for lod in first(lods)]
        for lods in variants
    ]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class _View:
    """How pictures are taken."""

    pixels_per_radian: float
    samples: int
    temporal: int
    pixels: int
    device: Device

    def renderer(self, size: tuple[int, int], cutout: str) -> Renderer:
        if cutout == "a2c":
            return Renderer(size, samples=self.samples, cutout=cutout, device=self.device)
        sub_frames = self.temporal if cutout == "dither" else 0
        way = "dither" if cutout == "dither" else "test"
        return Renderer(size, cutout=way, temporal=sub_frames, device=self.device)


class _Column:
    """Copies of a thing one above the other, each in a cell of whole pixels of its own.

    The projection is parallel, at the scale that a camera at that distance has: what is near in a
    tree is then no larger than what is far, and the true silhouette is the same at any distance.
    All copies stand at that distance along the ground, so that LODs and fades are those of it.
    """

    def __init__(self, thing: _Thing, distance: float, view: _View):
        self.thing, self.distance, self.view = thing, distance, view
        self.step = distance / view.pixels_per_radian  # metres of a pixel
        self.width = math.ceil(thing.width / self.step) + 3
        self.height = math.ceil(thing.height / self.step) + 3
        turns = len(thing.yaws) * len(thing.variants)
        wanted = view.pixels // (turns * self.width * self.height)
        self.copies = int(min(max(wanted, 1), _MOST_COPIES))
        index = np.arange(self.copies) + 1
        # Roberts' R2 sequence: places within a pixel, evenly.
        self.places = (np.outer(index, (0.7548776662466927, 0.5698402909980532)) + 0.5) % 1.0
        self.turns = [(v, yaw) for v in range(len(thing.variants)) for yaw in thing.yaws]

    def areas(self, meshes: list, cutout: str) -> np.ndarray:
        """(turns, copies) square metres."""
        jobs = [(turn, place) for turn in range(len(self.turns)) for place in range(self.copies)]
        most = min(_TALLEST // self.height, _MOST_PIXELS // (self.height * self.width))
        in_frame = max(1, min(len(jobs), most))
        found: list[float] = []
        with self.view.renderer((self.width, self.height * in_frame), cutout) as renderer:
            for i in range(0, len(jobs), in_frame):
                found += self._frame(renderer, meshes, jobs[i : i + in_frame], in_frame)
        return np.array(found).reshape(len(self.turns), self.copies)

    def _frame(
        self, renderer: Renderer, meshes: list, jobs: list[tuple[int, int]], cells: int
    ) -> list[float]:
        tall = cells * self.height * self.step
        scene = Scene()
        scene.sky, scene.wind, scene.sun.shadows = None, (0.0, 0.0), False
        matrices = np.tile(np.eye(4), (len(jobs), 1, 1))
        for i, (turn, place) in enumerate(jobs):
            yaw = self.turns[turn][1]
            matrices[i, 0, (0, 2)] = math.cos(yaw), math.sin(yaw)
            matrices[i, 2, (0, 2)] = -math.sin(yaw), math.cos(yaw)
            dx, dy = (self.places[place] - 0.5) * self.step
            row = 0.5 * tall - (i + 0.5) * self.height * self.step
            matrices[i, :3, 3] = dx, row + dy - self.thing.middle, 0.0
        self._fill(scene, meshes, matrices, [self.turns[turn][0] for turn, _ in jobs])
        stand = max(self.distance, 0.5 * self.thing.width + 1e-2)
        camera = OrthoCamera(
            (0.0, 0.0, stand), (0.0, 0.0, 0.0), height=tall, near=1e-3,
            far=2.0 * stand + self.thing.width,
        )  # fmt: skip
        alpha = renderer.render(scene, camera).color[..., 3]
        sums = alpha.reshape(cells, -1).sum(axis=1, dtype=np.int64)[: len(jobs)]
        return [float(total) * self.step**2 / 255.0 for total in sums]

    def _fill(self, scene: Scene, meshes: list, matrices: np.ndarray, variants: list[int]) -> None:
        forest = self.thing.forest
        chosen = np.array(variants)
        if forest is None or len(meshes[0]) == 1 != len(forest.meshes[0]):
            for variant, lods in enumerate(meshes):
                if (chosen == variant).any():
                    scene.add(lods[0], matrices[chosen == variant])
            return
        copy = Forest(
            variants=meshes, distances=forest.distances, fade=forest.fade,
            near_fade=forest.near_fade, crossfade=0.0, pattern=forest.pattern, rule=forest.rule,
            wind=0.0, size_scaling=forest.size_scaling, blue_size=forest.blue_size,
        )  # fmt: skip
        copy.add(np.arange(len(chosen)), matrices, variant=chosen)
        scene.add(copy)


def _distances_of(distances: Any, thing: _Thing) -> np.ndarray:
    if distances is None:
        found = list(DISTANCES)
        forest = thing.forest
        if forest is not None:
            end = forest.fade[1] if forest.fade else 2.0 * max((*forest.distances, 90.0))
            last = found[-1]
            while last * 1.35 < 0.99 * end:
                last *= 1.35
                found.append(last)
            if forest.fade and forest.fade[1] > found[-1]:
                found += np.linspace(*forest.fade, 6)[:-1].tolist()
        return np.unique(np.round(found, 3))
    array = np.asarray(distances, dtype=np.float64)
    if array.ndim != 1 or not array.size or not (np.isfinite(array) & (array > 0)).all():
        raise ValueError(f"distances must be positive finite metres, got {distances!r}")
    if (np.diff(array) <= 0).any():
        raise ValueError(f"distances must rise, got {distances!r}")
    return array


def _names_of(cutouts: Sequence[str]) -> tuple[str, ...]:
    names = (cutouts,) if isinstance(cutouts, str) else tuple(cutouts)
    if not names or len(set(names)) != len(names) or not set(names) <= set(CURVES):
        raise ValueError(f"cutouts must be some of {', '.join(CURVES)}, each once, got {cutouts!r}")
    return names


def _samples_of(samples: int, device: Device) -> int:
    """As many samples as the device offers, at most those wanted."""
    while samples > 1:
        try:
            with Renderer((8, 8), samples=samples, cutout="a2c", device=device) as renderer:
                renderer.render(Scene(), OrthoCamera((0, 0, 1), (0, 0, 0)))
            return samples
        except ValueError:
            samples //= 2
    return samples


def _mean(areas: np.ndarray) -> tuple[float, float]:
    """Mean over all turns, and its standard error from the spread within each."""
    if areas.shape[1] == 1:
        return float(areas.mean()), math.nan
    spread = areas.var(axis=1, ddof=1) / areas.shape[1]
    return float(areas.mean()), float(np.sqrt(spread.sum()) / len(areas))


def _fill_errors(error: np.ndarray, columns: list[_Column]) -> None:
    """Where each turn was drawn once there is no spread: that of the next distance bounds it."""
    for j in reversed(range(len(columns) - 1)):
        alone = np.isnan(error[:, j])
        error[alone, j] = error[alone, j + 1] * math.sqrt(columns[j + 1].copies)
    error[np.isnan(error)] = 0.0


def _passes(
    thing: _Thing, columns: list[_Column], names: tuple[str, ...]
) -> Iterator[tuple[int, int, np.ndarray]]:
    changes = {"naive": _naive}
    for i, name in enumerate(names):
        meshes = _dressed(thing.variants, changes.get(name), False)
        for j, column in enumerate(columns):
            yield i, j, column.areas(meshes, name)


def coverage_against_distance(
    thing: Any,
    distances: Sequence[float] | None = None,
    *,
    cutouts: Sequence[str] = ("naive", "test", "a2c", "dither"),
    size: tuple[int, int] = (1920, 1080),
    fov_y: float = 0.9,
    samples: int = 4,
    temporal: int = 8,
    directions: int = 4,
    pixels: int = 1 << 20,
    progress: Any = None,
    device: Device | None = None,
) -> CoverageCurves:
    """Draw a card or a tree at several distances, and count what is covered.

    Each distance is drawn at the scale it has in a view of `size` and `fov_y`, so that far cards
    are a few pixels wide. Nothing is lit and there is no sky: the picture's alpha is coverage. What
    is counted is turned into square metres, which do not change with distance in a picture that
    keeps coverage. At each distance the thing is drawn from the same directions, at many places
    within a pixel; what these differ by gives the standard error.

    Parameters
    ----------
    thing : Mesh, sequence of Mesh, or Forest
        A card, a tree, or a forest whose LODs, switching distances and fades are drawn; not the
        trees that are in it. A flat mesh is seen from within 50 degrees of its normal, else from
        all around.
    distances : sequence of float, optional
        Metres, rising. The first is what others are compared with. None: 5 to 90 m, and to the end
        of the fade for a forest.
    cutouts : sequence of str
        "naive": plain box mips of level 0, alpha tested; "test": the chain that keeps coverage,
        alpha tested; "a2c": averaged alpha, alpha to coverage; "dither": averaged alpha, temporal
        dither.
    size : (width, height)
        Pixels of the view that the distances are meant for; its height counts.
    fov_y : float
        Angle from top to bottom of that view, in radians.
    samples : int
        For "a2c"; fewer where the device does not offer them.
    temporal : int
        Sub-frames of "dither".
    directions : int
        Angles around the thing.
    pixels : int
        About how many are drawn for each curve and distance; more make smaller errors.
    progress : callable, True or None
        Called with a fraction now and then. True draws a bar on a terminal.
    device : Device, optional
        A Vulkan device; by default the best one, a software one if need be.

    Returns
    -------
    CoverageCurves

    Raises
    ------
    TypeError, ValueError
        An argument that cannot be meant.
    DeviceNotFound
        There is no Vulkan device.

    Notes
    -----
    A forest's camera stands no nearer than the thing is wide, whatever the distance: a view from
    within a tree has no silhouette.

    Examples
    --------
    >>> curves = dw.coverage_against_distance(dw.samples.tree("oak", lod=0))
    >>> curves.assert_within(3.0)
    """
    names = _names_of(cutouts)
    fov_y = check_positive(fov_y, "fov_y")
    if fov_y >= math.pi:
        raise ValueError(f"fov_y must be below pi radians, got {fov_y!r}")
    subject = _Thing(thing, check_count(directions, "directions", 1))
    metres = _distances_of(distances, subject)
    device = default_vulkan_device() if device is None else device
    view = _View(
        pixels_per_radian=check_count(size[1], "size[1]", 1) / (2.0 * math.tan(0.5 * fov_y)),
        samples=_samples_of(check_count(samples, "samples", 1), device) if "a2c" in names else 1,
        temporal=check_count(temporal, "temporal", 1),
        pixels=check_count(pixels, "pixels", 1),
        device=device,
    )
    columns = [_Column(subject, float(distance), view) for distance in metres]
    area, error = np.zeros((2, len(names), len(metres)))
    truth = _dressed(subject.variants, _finest, True)
    silhouette = _mean(columns[0].areas(truth, "test"))[0]
    if silhouette <= 0.0:
        raise ValueError("thing covers nothing at the first distance: is all of it cut out?")
    callback, bar = as_progress(progress, "coverage")
    try:
        for i, j, found in _passes(subject, columns, names):
            area[i, j], error[i, j] = _mean(found)
            if callback is not None:
                callback((i * len(metres) + j + 1) / (len(names) * len(metres)))
    finally:
        if bar is not None:
            bar.close()
    _fill_errors(error, columns)
    return CoverageCurves(
        distances=metres,
        cutouts=names,
        area=area,
        area_error=error,
        silhouette=silhouette,
        expected=np.array([subject.fade_share(float(distance)) for distance in metres]),
        switches=tuple(subject.forest.distances) if subject.forest is not None else (),
        fade=subject.forest.fade if subject.forest is not None else None,
        settings={
            "pixels_per_radian": round(view.pixels_per_radian, 3), "samples": view.samples,
            "temporal": view.temporal, "directions": len(subject.yaws),
            "copies": [column.copies for column in columns], "device": device.info.name,
        },
    )  # fmt: skip
