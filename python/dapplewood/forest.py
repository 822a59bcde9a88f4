# SPDX-License-Identifier: MIT
"""Forests: many instances of a few meshes, with levels of detail, fades and dissolving."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .checks import as_number, as_whole
from .device import Device, default_device
from .dissolve import DissolveField
from .forest_lists import ForestLists, view_planes
from .ids import as_ids
from .kinds import (
    DissolveDirection,
    DissolveEncoding,
    DitherPattern,
    DitherRule,
    Easing,
    FadeCombine,
    ShadowMode,
    kind_of,
)
from .layouts import records
from .lods import fill_distances

if TYPE_CHECKING:
    from .mesh import Mesh

__all__ = ["Forest"]

# Flags of a view and bits of the info word.
_IS_SHADOW, _IS_HARD, _INTERACTABLE, _CASTS_SHADOW = (
    _core.CONSTANTS[f"FOREST_{name}"]
    for name in ("IS_SHADOW", "IS_HARD", "INTERACTABLE", "CASTS_SHADOW")
)
_HIGHLIGHT_SHIFT = 8  # bits, as DW_FOREST_HIGHLIGHT reads it
_ALL = 2**32 - 1
_SWAY = _core.CONSTANTS["SCENE_SWAY"]

_EVENTS_KEPT = 1 << 16  # for `Forest.take_events`, besides those of the last update


def _meshes_of(lod: Any, where: str) -> tuple[Mesh, ...]:
    from .mesh import Mesh

    if lod is None:
        return ()
    if isinstance(lod, Mesh):
        return (lod,)
    if isinstance(lod, Sequence) and lod and all(isinstance(mesh, Mesh) for mesh in lod):
        return tuple(lod)
    raise TypeError(
        f"{where} must be a Mesh, a list of Meshes (one for each material) or None, got "
        f"{type(lod).__name__}"
    )


def _listed(values: Any, name: str, wanted: str) -> list[Any]:
    """A list of what a sequence holds."""
    try:
        return list(values)
    except TypeError:
        got = repr(values) if isinstance(values, (int, float)) else type(values).__name__
        raise TypeError(f"{name} must be {wanted}, got {got}") from None


def _variants_of(lods: Any, variants: Any) -> tuple[tuple[tuple[Mesh, ...], ...], ...]:
    """For each variant, for each LOD, its meshes."""
    if variants is None:
        if lods is None:
            raise ValueError("lods must be given, or variants")
        variants = [lods]
    wanted = "a list with an entry for each LOD, the finest first"
    given = [
        _listed(variant, "lods", wanted)
        for variant in _listed(variants, "variants", "a list of lists like lods")
    ]
    if not given or not given[0]:
        raise ValueError(f"lods must be {wanted}; it is empty")
    if lods is not None and _listed(lods, "lods", wanted) != given[0]:
        raise ValueError("lods must be the first of variants, or None, when variants are given")
    lengths = {len(variant) for variant in given}
    if len(lengths) != 1:
        raise ValueError(
            f"all variants must have as many LODs, None where they have no mesh, got "
            f"{[len(variant) for variant in given]}"
        )
    return tuple(
        tuple(_meshes_of(lod, f"LOD {j} of variant {i}") for j, lod in enumerate(variant))
        for i, variant in enumerate(given)
    )


def _sphere_of(meshes: list[Mesh], wind: float) -> tuple[tuple[float, ...], float]:
    """A sphere around all meshes, with room to sway, and their largest extent."""
    low = np.min([mesh.bounds[0] for mesh in meshes], axis=0).astype(float)
    high = np.max([mesh.bounds[1] for mesh in meshes], axis=0).astype(float)
    if len(meshes) == 1:
        x, y, z, radius = (float(value) for value in meshes[0].bounding_sphere)
    else:
        x, y, z = (float(value) for value in (low + high) / 2)
        radius = max(
            math.dist((x, y, z), mesh.bounding_sphere[:3]) + float(mesh.bounding_sphere[3])
            for mesh in meshes
        )
    sway = abs(wind) * _SWAY * float(max(abs(low[1]), abs(high[1])))
    return (x, y, z, radius + sway), float((high - low).max())


def _variant_row(lods: tuple[tuple[Mesh, ...], ...], wind: float) -> tuple:
    mask = sum(1 << i for i, meshes in enumerate(lods) if meshes)
    flat = [mesh for meshes in lods for mesh in meshes]
    if not flat:
        return mask, (0.0, 0.0, 0.0, 0.0), 0.0
    sphere, size = _sphere_of(flat, wind)
    return mask, sphere, size


def _distances_of(distances: Any, lod_count: int) -> tuple[float, ...]:
    given = _listed(distances, "distances", "a list of metres, one for each LOD but the first")
    if len(given) == lod_count and given and given[0] == 0:
        given = given[1:]
    if len(given) != lod_count - 1:
        raise ValueError(
            f"distances must hold one for each LOD but the first, {lod_count - 1} in all, got "
            f"{len(given)}"
        )
    return (0.0, *fill_distances(given)) if given else (0.0,)


def _fade_of(fade: Any, name: str) -> tuple[float, float] | None:
    if fade is None:
        return None
    try:
        begin, end = (float(value) for value in fade)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be (begin, end) in metres or None, got {fade!r}"
        ) from None
    return begin, end


def _color_of(color: Any) -> tuple[float, float, float]:
    try:
        array = np.asarray(color, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (3,) or not np.isfinite(array).all() or array.min() < 0:
        raise ValueError(f"highlight_color must be three numbers of 0 or more, got {color!r}")
    red, green, blue = (float(value) for value in array)
    return red, green, blue


def _transforms_of(transforms: Any, count: int) -> np.ndarray:
    """(N, 4, 4) float32 of matrices or positions."""
    array = np.asarray(transforms)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"transforms must be numbers, got dtype {array.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):
        array = array.astype(np.float32)
    if array.shape in ((4, 4), (3,)) and count == 1:
        array = array[None]
    if array.ndim == 2 and array.shape[1] == 3:
        placed = np.zeros((len(array), 4, 4), np.float32)
        placed[:] = np.eye(4, dtype=np.float32)
        placed[:, :3, 3] = array
        array = placed
    elif array.ndim == 3 and array.shape[1:] == (3, 4):
        last = np.zeros((len(array), 1, 4), np.float32)
        last[:, 0, 3] = 1
        array = np.concatenate([array, last], axis=1)
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise ValueError(
            "transforms must be (N, 4, 4) or (N, 3, 4) matrices or (N, 3) positions, got shape "
            f"{array.shape}"
        )
    return np.ascontiguousarray(array)


def _place_of(position: Any) -> tuple[float, float, float]:
    try:
        x, y, z = (float(value) for value in np.asarray(position, dtype=np.float64).reshape(-1))
    except (TypeError, ValueError):
        raise ValueError(f"position must be 3 numbers, got {position!r}") from None
    return x, y, z


def _spread(array: np.ndarray, keys: np.ndarray, name: str) -> np.ndarray:
    """One value for each id."""
    try:
        return np.broadcast_to(array, keys.shape)
    except ValueError:
        raise ValueError(
            f"{name} must be one value or one for each of the {len(keys)} ids, got shape "
            f"{array.shape}"
        ) from None


class Forest(_core.Forest):
    """Instances of a few meshes, found by id, that are drawn by level of detail (LOD).

    Each instance has a row in a table for its life. Every view makes lists of rows from the
    table, on the device that draws them, so that nothing is lost or flashes when a LOD changes,
    and there is no limit to how many instances a LOD holds.

    Parameters
    ----------
    lods : sequence
        Finest first, at most 8: each a Mesh, a list of Meshes (one for each material), or None.
        Where a LOD is None the next finer one is drawn, else the next coarser one.
    distances : sequence of float or None
        Metres, for each LOD but the first, at which it begins; a leading 0 for the first may be
        given. A first None is 0, a later one half way between its neighbours. Distances are
        measured along the ground (x and z) from the camera.
    fade : (float, float) or None, optional
        Metres between which instances fade out, by a smooth step of the squared distance.
    near_fade : (float, float) or None, optional
        Metres between which instances fade in, close to the camera.
    capacity : int, optional
        Most instances; None: no limit but memory.
    crossfade : float, optional
        Seconds in which a LOD replaces another, pixel by pixel; 0: at once.
    pattern : DitherPattern or str, optional
        Where the ranks of pixels come from.
    rule : DitherRule or str, optional
        How many ranks an amount discards.
    wind : float, optional
        How strongly trees sway.
    encoding : DissolveEncoding or str, optional
        What the device gets for the dissolve state of an instance.
    variants : sequence of sequence, optional
        At most 16 lists like `lods`, of equal length. An id has one of them, by its hash, for
        good. `lods` is None then, or the first of them.
    hysteresis : float, optional
        A LOD is kept until the camera is nearer than this share of its distance.
    size_scaling : bool, optional
        LOD distances are multiplied by size / 5 m, held within 0.3 and 10, where the size is the
        largest extent of the mesh, scaled as the instance is.
    combine : FadeCombine or str, optional
        How dissolve and fades make one amount.
    dissolve_duration, dissolve_scale, easing : optional
        Seconds of a full dissolve, the amount of dithering at its end, and its course.
    direction : DissolveDirection or str, optional
        Which part dissolves first.
    softness : float, optional
        Width of the front of a direction, as a share of the extent.
    highlight_color : (float, float, float), optional
        Linear light added to the rim of highlighted instances.
    blue_size : int, optional
        Side of the blue pattern: a power of two, 8 to 128.

    Raises
    ------
    ValueError
        Distances out of order, no mesh at all in a variant, too many LODs or variants, or a
        number out of range; the text names it.
    TypeError
        A LOD that is no Mesh.

    Notes
    -----
    One thread may use a forest at a time. A forest is closed by :meth:`close`, by ``with``, or
    with its last reference.

    Attributes
    ----------
    meshes : tuple
        For each variant, for each LOD, a tuple of its meshes; empty where it has none.
    distances : tuple of float
        Metres at which the LODs but the first begin, gaps filled.

    All other parameters but `lods` and `variants` are attributes, too, as they were taken.
    """

    meshes: tuple[tuple[tuple[Mesh, ...], ...], ...]
    distances: tuple[float, ...]
    fade: tuple[float, float] | None
    near_fade: tuple[float, float] | None
    capacity: int | None
    crossfade: float
    pattern: DitherPattern
    rule: DitherRule
    wind: float
    encoding: DissolveEncoding
    hysteresis: float
    size_scaling: bool
    combine: FadeCombine
    dissolve_duration: float
    dissolve_scale: float
    easing: Easing
    direction: DissolveDirection
    softness: float
    highlight_color: tuple[float, float, float]
    blue_size: int

    _events: deque[NDArray[Any]]
    _viewer: Device | None

    def __new__(
        cls,
        lods: Any = None,
        *,
        distances: Sequence[float | None],
        fade: tuple[float, float] | None = (1000, 1200),
        near_fade: tuple[float, float] | None = None,
        capacity: int | None = None,
        crossfade: float = 0.25,
        pattern: DitherPattern | str = "bayer4",
        rule: DitherRule | str = "centred",
        wind: float = 0.3,
        encoding: DissolveEncoding | str = "float32",
        variants: Sequence[Sequence[Any]] | None = None,
        hysteresis: float = 0.9,
        size_scaling: bool = False,
        combine: FadeCombine | str = "max",
        dissolve_duration: float = 0.3,
        dissolve_scale: float = 0.7,
        easing: Easing | str = "linear",
        direction: DissolveDirection | str = "uniform",
        softness: float = 0.2,
        highlight_color: tuple[float, float, float] = (0, 1, 1),
        blue_size: int = 64,
    ) -> Forest:
        meshes = _variants_of(lods, variants)
        wind = as_number(wind, "wind")
        if not (math.isfinite(wind) and abs(wind) <= 100):
            raise ValueError(f"wind must be -100 to 100, got {wind!r}")
        if capacity is not None and as_whole(capacity, "capacity") < 1:
            raise ValueError(f"capacity must be at least 1, or None for no limit, got {capacity!r}")
        duration = as_number(dissolve_duration, "dissolve_duration")
        scale = as_number(dissolve_scale, "dissolve_scale")
        taken: dict[str, Any] = {
            "distances": _distances_of(distances, len(meshes[0])),
            "fade": _fade_of(fade, "fade"),
            "near_fade": _fade_of(near_fade, "near_fade"),
            "crossfade": as_number(crossfade, "crossfade"),
            "hysteresis": as_number(hysteresis, "hysteresis"),
            "size_scaling": bool(size_scaling),
            "pattern": kind_of(DitherPattern, pattern, "pattern"),
            "blue_size": as_whole(blue_size, "blue_size"),
            "rule": kind_of(DitherRule, rule, "rule"),
            "combine": kind_of(FadeCombine, combine, "combine"),
            "easing": kind_of(Easing, easing, "easing"),
            "encoding": kind_of(DissolveEncoding, encoding, "encoding"),
            "direction": kind_of(DissolveDirection, direction, "direction"),
            "softness": as_number(softness, "softness"),
        }
        self = super().__new__(
            cls,
            variants=tuple(_variant_row(variant, wind) for variant in meshes),
            capacity=capacity or 0,
            duration=duration,
            scale=scale,
            **taken,
        )
        taken["distances"] = taken["distances"][1:]
        vars(self).update(taken)
        self.meshes = meshes
        self.capacity = capacity
        self.wind = wind
        self.dissolve_duration = duration
        self.dissolve_scale = scale
        self.highlight_color = _color_of(highlight_color)
        self._events = deque()
        self._viewer = None  # the device of the last view
        return self

    def __enter__(self) -> Forest:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<Forest closed>"
        return (
            f"<Forest {len(self)} instances, {len(self.meshes[0])} LODs, "
            f"{len(self.meshes)} variants>"
        )

    # -- the table --

    def add(
        self,
        ids: Any,
        transforms: Any,
        *,
        depleted: bool | np.ndarray = False,
        variant: int | np.ndarray | None = None,
    ) -> None:
        """Add instances, all of them or, on an error, none.

        Parameters
        ----------
        ids : (N,) array_like of int
            Of 64 bits. An id that is there is replaced, and starts anew.
        transforms : (N, 4, 4), (N, 3, 4) or (N, 3) array_like
            Matrices, row-major, that act on column vectors, or positions in metres; of one id
            also a single one. float64 is rounded to float32.
        depleted : bool or (N,) array_like, optional
            They start dissolved, with no frame in between.
        variant : int or (N,) array_like, optional
            In place of the one by the hash of the id.

        Raises
        ------
        ValueError
            An id twice in the call, a transform that is not finite, singular or mirrors, or a
            variant out of range; the text names the id.
        CapacityError
            There is no room; the text lists the ids that found none.
        """
        keys = as_ids(ids)
        matrices = _transforms_of(transforms, len(keys))
        flags, variants = None, None
        if depleted is not False:
            flags = np.ascontiguousarray(_spread(np.asarray(depleted), keys, "depleted"))
            if flags.dtype != np.bool_:
                raise TypeError(f"depleted must be bool, got dtype {flags.dtype}")
        if variant is not None:
            chosen = np.asarray(variant)
            if chosen.dtype.kind not in "iu":
                raise TypeError(f"variant must be whole numbers, got dtype {chosen.dtype}")
            if chosen.size and not 0 <= int(chosen.min()) <= int(chosen.max()) < len(self.meshes):
                raise ValueError(
                    f"variant must be 0 to {len(self.meshes) - 1}, got {int(chosen.min())} to "
                    f"{int(chosen.max())}"
                )
            variants = np.ascontiguousarray(_spread(chosen, keys, "variant"), dtype=np.uint8)
        self._add(keys, matrices, variants, flags)

    def remove(self, ids: Any, *, strict: bool = False) -> np.ndarray:
        """Remove instances, whatever they are doing.

        Parameters
        ----------
        ids : (N,) array_like of int
        strict : bool, optional
            Unknown ids are an error, and nothing is removed.

        Returns
        -------
        (N,) ndarray of bool
            Which ids were there.

        Raises
        ------
        ValueError
            An id twice in the call, or with `strict` an unknown one.
        """
        return self._remove(as_ids(ids), strict)

    def deplete(
        self,
        ids: Any,
        *,
        instant: bool = True,
        duration: float | None = None,
        easing: Easing | str | None = None,
        strict: bool = False,
    ) -> np.ndarray:
        """Dissolve instances, at once unless told otherwise; they are not interactable then.

        Parameters
        ----------
        ids : (N,) array_like of int
        instant : bool, optional
            False: in `duration` seconds, from what is there now.
        duration : float, optional
            Seconds of a full dissolve; None: the forest's.
        easing : Easing or str, optional
            None: the forest's.
        strict : bool, optional
            Unknown ids are an error, and nothing is done.

        Returns
        -------
        (N,) ndarray of bool
            Which ids were there.
        """
        return self._start_dissolve(ids, 1, instant, duration, easing, strict)

    def respawn(
        self,
        ids: Any,
        *,
        instant: bool = False,
        duration: float | None = None,
        easing: Easing | str | None = None,
        strict: bool = False,
    ) -> np.ndarray:
        """Bring instances back, in time unless told otherwise; they are interactable at once.

        Parameters and result are those of :meth:`deplete`.
        """
        return self._start_dissolve(ids, -1, instant, duration, easing, strict)

    def _start_dissolve(self, ids, direction, instant, duration, easing, strict) -> np.ndarray:
        seconds = math.nan
        if duration is not None:
            seconds = as_number(duration, "duration")
            if not (math.isfinite(seconds) and seconds >= 0):
                raise ValueError(f"duration must be 0 or more seconds, got {duration!r}")
        course = _ALL if easing is None else int(kind_of(Easing, easing, "easing"))
        return self._start(as_ids(ids), direction, instant, seconds, course, strict)

    def highlight(self, ids: Any, intensity: Any = 1.0, *, strict: bool = False) -> np.ndarray:
        """Light up the rims of instances.

        Parameters
        ----------
        ids : (N,) array_like of int
        intensity : float or (N,) array_like, optional
            0 (none) to 1, kept in steps of 1/255.
        strict : bool, optional
            Unknown ids are an error, and nothing is done.

        Returns
        -------
        (N,) ndarray of bool
            Which ids were there.
        """
        keys = as_ids(ids)
        value = np.asarray(intensity)
        if value.dtype.kind not in "fiub":
            raise TypeError(f"intensity must be 0 to 1, got {intensity!r}")
        if not ((value >= 0) & (value <= 1)).all():
            raise ValueError(f"intensity must be 0 to 1, got {intensity!r}")
        spread = _spread(value.astype(np.float64), keys, "intensity")
        level = np.floor(spread * 255 + 0.5).astype(np.uint32)
        return self._set_info(keys, 255 << _HIGHLIGHT_SHIFT, level << _HIGHLIGHT_SHIFT, strict)

    def set_interactable(self, ids: Any, on: Any = True, *, strict: bool = False) -> np.ndarray:
        """Set the flag that :meth:`deplete` takes away and :meth:`respawn` gives back.

        Returns
        -------
        (N,) ndarray of bool
            Which ids were there.
        """
        return self._set_flag(ids, _INTERACTABLE, on, strict)

    def set_casts_shadow(self, ids: Any, on: Any = True, *, strict: bool = False) -> np.ndarray:
        """Set whether instances cast shadows; new ones do.

        Returns
        -------
        (N,) ndarray of bool
            Which ids were there.
        """
        return self._set_flag(ids, _CASTS_SHADOW, on, strict)

    def _set_flag(self, ids: Any, flag: int, on: Any, strict: bool) -> np.ndarray:
        keys = as_ids(ids)
        bits = np.where(_spread(np.asarray(on, dtype=bool), keys, "on"), flag, 0)
        return self._set_info(keys, flag, bits.astype(np.uint32), strict)

    def update(self, dt: float) -> NDArray[Any]:
        """Let time pass: dissolving instances go on, and the next view is later.

        Parameters
        ----------
        dt : float
            Seconds. 0 changes nothing. Below 0 dissolving runs backwards; LODs then switch
            without a cross-fade.

        Returns
        -------
        structured ndarray
            What happened since the update before, as :meth:`DissolveField.tick` gives it.

        Raises
        ------
        ValueError
            `dt` is not finite.
        """
        events = self.dissolve.tick(dt)
        if len(events):
            self._events.append(events)
            while len(self._events) > 1 and sum(map(len, self._events)) > _EVENTS_KEPT:
                self._events.popleft()
        return events

    def take_events(self) -> NDArray[Any]:
        """Give what has happened since the last call: what every :meth:`update` in between gave,
        those that renderers made included.

        Of more than 65,536 events, those of the oldest updates are forgotten.
        """
        events = [*self._events]
        self._events.clear()
        return np.concatenate(events) if events else DissolveField().tick(0.0)

    @property
    def dissolve(self) -> DissolveField:
        """The dissolve state of the instances. It shares the forest's ids and rows: instances
        come and go by the forest's own methods."""
        return DissolveField._wrap(self._dissolve())

    @property
    def now(self) -> float:
        """Seconds that have passed."""
        return self._ticks / _core.CONSTANTS["TICKS_PER_SECOND"]

    # -- reading --

    @property
    def ids(self) -> np.ndarray:
        """(N,) uint64: all ids, in the order of their rows."""
        return self._ids(False)

    @property
    def row_ids(self) -> np.ndarray:
        """(rows,) uint64: the id of each row of the table; of an empty row the one it had."""
        return self._ids(True)

    @property
    def bounds(self) -> np.ndarray | None:
        """(2, 3) float64: a box around all instances, or None when there are none."""
        box = self._bounds()
        return None if box is None else np.array(box).reshape(2, 3)

    def _gathered(self, ids: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._gather(self.ids if ids is None else as_ids(ids))

    def __contains__(self, id: Any) -> bool:
        return bool(self._find(as_ids(id), False)[1].all())

    def transforms(self, ids: Any = None) -> np.ndarray:
        """(N, 4, 4) float32 of these ids, or of all in the order of :attr:`ids`."""
        rows = self._gathered(ids)[2]
        matrices = np.zeros((len(rows), 4, 4), np.float32)
        matrices[:, :3] = rows.reshape(-1, 3, 4)
        matrices[:, 3, 3] = 1
        return matrices

    def _infos(self, ids: Any) -> np.ndarray:
        return self._gathered(ids)[1]

    def variants(self, ids: Any = None) -> np.ndarray:
        """(N,) uint8: the variants of these ids, or of all."""
        return (self._infos(ids) & 255).astype(np.uint8)

    def interactable(self, ids: Any = None) -> np.ndarray:
        """(N,) bool: whether these instances, or all, can be used."""
        return (self._infos(ids) & _INTERACTABLE) != 0

    def highlights(self, ids: Any = None) -> np.ndarray:
        """(N,) float64: the intensity of these ids, or of all, 0 to 1."""
        return (self._infos(ids) >> _HIGHLIGHT_SHIFT & 255) / 255.0

    def lod(self, ids: Any = None, *, device: Device | None = None) -> np.ndarray:
        """The LODs of instances in the last view of a device.

        Parameters
        ----------
        ids : (N,) array_like of int, optional
            None: all.
        device : Device, optional
            None: the one that made the last view, by `cull` or for a picture.

        Returns
        -------
        (N,) ndarray of int8
            -1 for an instance that no view has seen yet. During a cross-fade, the LOD to come.

        Raises
        ------
        ValueError
            An unknown id.
        """
        rows, infos, _ = self._gathered(ids)
        if device is None:
            viewer = self._viewer
            device = default_device() if viewer is None or viewer.closed else viewer
        words = records(self._states(device), "dw_forest_state")["word"][rows]
        return np.where(words >> 24 == infos >> 24, (words & 15).astype(np.int8), np.int8(-1))

    # -- views --

    def cull(
        self,
        position: Any,
        view: Any = None,
        *,
        dt: float | None = None,
        shadow: ShadowMode | str | None = None,
        device: Device | None = None,
    ) -> ForestLists:
        """Make the lists of one view, as a renderer does, and fetch them.

        Parameters
        ----------
        position : (3,) array_like
            The camera, in metres.
        view : (6, 4) or (4, 4) array_like, optional
            Planes, inside where planes @ (x, y, z, 1) >= 0, or a view-projection matrix. None:
            everything is inside.
        dt : float, optional
            Seconds to :meth:`update` by first. LODs change without a cross-fade when no time has
            passed since the view before on this device.
        shadow : ShadowMode or str, optional
            The lists of a light: `view` is its own, `position` the camera's, and nothing of what
            the view remembers changes.
        device : Device, optional
            None: the default one. Lists are the same, byte for byte, on all.

        Returns
        -------
        ForestLists

        Raises
        ------
        ValueError
            `position` or `view` is not finite or of another shape.
        CapacityError
            The device cannot bind a table of this size.
        """
        mode = None if shadow is None else kind_of(ShadowMode, shadow, "shadow")
        if mode is ShadowMode.OFF:
            raise ValueError('shadow="off" has no lists; leave the view out')
        flags = 0 if mode is None else _IS_SHADOW | (_IS_HARD if mode is ShadowMode.HARD else 0)
        planes = np.zeros((6, 4)) if view is None else view_planes(view)
        x, y, z = _place_of(position)
        if dt is not None:
            self.update(dt)
        device = device or default_device()
        parts = self._see(device, planes, (x, y, z), flags, True)
        if mode is None:
            self._viewer = device
        names = ("dw_forest_bucket", "dw_forest_entry", "dw_forest_state", "dw_forest_command")
        arrays = [records(part, name) for part, name in zip(parts, names, strict=True)]
        return ForestLists(*arrays, self.row_ids, len(self.meshes[0]), len(self.meshes))
