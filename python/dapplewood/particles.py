# SPDX-License-Identifier: MIT
"""Particles: one hub for all effects of a program."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .camera import _View
from .checks import as_number, as_whole
from .device import Device, default_device
from .kinds import ParticleLayer, kind_of
from .layouts import records
from .particle_configs import Plan, WaterConfig, config_of, place_of, shaped_parts
from .particle_events import read_event
from .particle_ids import listed_ids, uids_of
from .particle_rows import part_rows
from .particle_style import LAYER_STYLES, ParticleStyle
from .particle_surface import surface_points

__all__ = ["LayerStats", "ParticleManager", "ParticleManagerStats"]

_NONE = 2**32 - 1
_UNLIMITED = 2**64 - 1
_RATE_ONE = int(_core.CONSTANTS["PARTICLE_RATE_ONE"])
_TICKS = int(_core.CONSTANTS["TICKS_PER_SECOND"])
_COLD = int(_core.CONSTANTS["EMITTER_IS_COLD"])
_LAYERS_MOST = int(_core.CONSTANTS["PARTICLE_LAYERS_MAX"])
_EFFECTS_KEPT = 256  # before those of no more use are looked for
_CAPACITIES = ("grow", "error", "partial")
_COLORS = ("variants", "seed")
_MODES = ("exact", "seed")
_STOP, _KILL, _PAUSE, _RESUME = range(4)  # dw_hub_change


class LayerStats(NamedTuple):
    """One layer of a ParticleManager.

    Attributes
    ----------
    requested, allocated, dropped : int
        Particles that registrations asked for, that they have, and that a limit denied them.
    visible : int
        Of these, those that the last camera may see: of emitters in view, after distance.
    drawn : int
        Sprites that it sees; as many instances as its draw call has.
    draw_calls : int
        1 where the layer holds emitters.
    """

    requested: int
    allocated: int
    dropped: int
    visible: int
    drawn: int
    draw_calls: int


@dataclasses.dataclass(frozen=True)
class ParticleManagerStats(Mapping[str, LayerStats]):
    """Counts by the names of layers; the sums over all layers are attributes.

    Attributes
    ----------
    layers : dict of str to LayerStats
        Those that hold emitters.
    emitters : int
        Ids that are registered.
    simulated : int
        Slots of particles that remember something, by whole blocks of 64.
    skipped_steps : int
        Steps so far that were part of a long one instead, since more than 4,096 were due at once.
    """

    layers: dict[str, LayerStats]
    emitters: int
    simulated: int = 0
    skipped_steps: int = 0

    def __getitem__(self, layer: Any) -> LayerStats:
        if isinstance(layer, ParticleLayer):
            layer = layer.name.lower()
        if layer not in self.layers:
            there = ", ".join(self.layers) or "none"
            raise KeyError(f"no emitters in a layer {layer!r}; there are some in: {there}")
        return self.layers[layer]

    def __iter__(self) -> Any:
        return iter(self.layers)

    def __len__(self) -> int:
        return len(self.layers)

    def __str__(self) -> str:
        sums = tuple(self._sum(i) for i in range(len(LayerStats._fields)))
        rows = [("layer", *LayerStats._fields), *((name, *row) for name, row in self.items())]
        table = [tuple(map(str, row)) for row in [*rows, ("all", *sums)]]
        widths = [max(map(len, column)) for column in zip(*table)]
        return "\n".join(
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])])
            for row in table
        )

    def _sum(self, field: int) -> int:
        return sum(row[field] for row in self.layers.values())

    requested = property(lambda self: self._sum(0), doc="int: over all layers, and so on.")
    allocated = property(lambda self: self._sum(1))
    dropped = property(lambda self: self._sum(2))
    visible = property(lambda self: self._sum(3))
    drawn = property(lambda self: self._sum(4))
    draw_calls = property(lambda self: self._sum(5))


def _word(value: Any, name: str, words: tuple[str, ...]) -> str:
    if value not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, got {value!r}")
    return value


def _limits_of(limits: Any, capacity: str) -> dict[Any, int]:
    """By ParticleLayer, or by ParticleStyle."""
    if limits is None:
        return {}
    if capacity == "grow":
        raise ValueError('limits must be None with capacity="grow": take "error" or "partial"')
    if not isinstance(limits, Mapping):
        raise TypeError(f"limits must be a dict of layers, got {type(limits).__name__}")
    found: dict[Any, int] = {}
    for layer, most in limits.items():
        number = _UNLIMITED if most is None else as_whole(most, f"limits[{layer!r}]")
        if not 0 <= number < 2**64:
            raise ValueError(f"limits[{layer!r}] must be 0 or more, or None, got {most!r}")
        is_own = isinstance(layer, ParticleStyle)
        found[layer if is_own else kind_of(ParticleLayer, layer, "limits")] = number
    return found


def _loop_of(loop: Any) -> int:
    if loop is None:
        return 0
    seconds = as_number(loop, "loop")
    if not 1 / _TICKS <= seconds < 2**32 / _TICKS:
        raise ValueError(f"loop must be 2**-16 to 65535 seconds, or None, got {loop!r}")
    return round(seconds * _TICKS)


def _positions_of(positions: Any, count: int) -> np.ndarray:
    """(N, 3) float32."""
    array = np.asarray(positions)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"positions must be numbers, got dtype {array.dtype}")
    if array.shape == (0,) and count == 0:
        array = array.reshape(0, 3)
    if array.shape != (count, 3):
        raise ValueError(
            f"positions must have shape ({count}, 3), one row for each id, got {array.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(array, np.float32)


def _rgba(hex: int) -> int:
    """As records hold it, from 0xRRGGBB."""
    return (hex >> 16) | (hex & 0xFF00) | (hex & 255) << 16 | 255 << 24


class ParticleManager(_core.ParticleHub):
    """All particles of a program, by emitters that are registered under ids.

    A particle follows from the seed, its emitter's id, its place in it, and the time, alone: a
    manager shows the same at the same time however it got there, forwards or backwards, in one
    step or many, on every device, bit for bit. Nothing is done per emitter or particle when time
    passes, and all emitters of a layer are drawn by one call.

    Parameters
    ----------
    device : Device, optional
        Where `state` and `stats` work; None: `default_device`. Renderers draw on their own.
    seed : int
        0 to 2**64 - 1.
    capacity : {"grow", "error", "partial"}
        What happens where a layer's limit is reached: there are no limits; CapacityError, with
        nothing registered; or the emitter gets what is left, and the rest counts as dropped.
    colors : {"variants", "seed"}
        "seed": water has the fixed colours that it has upstream, whatever its variant.
    mode : {"exact", "seed"}
        "seed": waves go by the manager's clock, alike for all emitters, and water and glow remember
        their ages, as upstream: each splash has a life of its own length, and bursts take those
        that are late. Then time only goes on while there are some. With a loop they follow from
        the time, as in "exact".
    limits : dict, optional
        Particles by layer or ParticleStyle; None: no limit. What it leaves out has upstream's
        caps: splash 96, bubble 72, shimmer 72, ripple 24, pillar 32, wisp 192, spark 256, base 96,
        flame 896; all other layers have none.
    loop : float, optional
        Seconds after which all repeats, as flipbooks and endless films want it.

    Raises
    ------
    ValueError, TypeError
        An argument of another kind, or out of range.

    Attributes
    ----------
    seed, capacity, colors, mode, loop
        As they were given.
    styles : list of ParticleStyle
        How each layer looks, by its number: the built-in ones, then those that parts brought.
    tick : int
        The time in steps of 2**-16 s.
    paused, closed : bool

    Notes
    -----
    Particles with ``simulation="renewal"`` or ``"dynamic"`` are stepped at every 64th of a second
    on `device`: however time is cut they are the same, on every device, bit for bit, but it does
    not go back while they are registered. At most 4,096 steps are made in one update; what is
    beyond is one long step, and counted by `stats`. Effects that are "dynamic" begin empty, and
    what was born stays in the world when their emitter moves. A renderer on another device sees
    simulated particles only if `device` is ``Device("cpu")``.

    Otherwise time may go anywhere: `seek` shows what was or will be there of the emitters that are
    there now, with the clocks that they have now. What plays once is forgotten when time has passed
    it, not when it is sought beyond.

    It does not matter when an emitter is registered: at time t it looks as one that is as old. A
    program whose things may be there before the manager keeps no queue: it makes the manager, and
    registers what there is.

    One thread may use a manager at a time. It is closed by :meth:`close`, by ``with``, or with its
    last reference.

    Examples
    --------
    >>> pm = dw.ParticleManager(seed=7)
    >>> pm.register("spot-1", dw.WaterConfig((10, 0, 4), "fishing_net"))
    14
    >>> pm.update(1 / 60, camera)
    >>> pm.state("splash")["position"]
    """

    _device: Device | None
    _numbers: dict[Hashable, int]
    _ids: dict[int, Hashable]
    _layers: dict[ParticleStyle, int]
    _effects: dict[tuple[Any, ...], int]
    _rows: dict[tuple[Any, ...], int]
    _spots: dict[Hashable, tuple[WaterConfig, Any]]
    _camera: _View | None
    _looked: tuple[Any, ...]
    seed: int
    capacity: str
    colors: str
    mode: str
    loop: float | None
    loop_ticks: int
    styles: list[ParticleStyle]
    linear_layers: frozenset[int]

    def __new__(
        cls,
        device: Device | None = None,
        *,
        seed: int = 0,
        capacity: str = "grow",
        colors: str = "variants",
        mode: str = "exact",
        limits: Mapping[Any, int | None] | None = None,
        loop: float | None = None,
    ) -> ParticleManager:
        if device is not None and not isinstance(device, Device):
            raise TypeError(f"device must be a Device or None, got {type(device).__name__}")
        seed = as_whole(seed, "seed")
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed must be 0 to 2**64 - 1, got {seed}")
        _word(capacity, "capacity", _CAPACITIES)
        _word(colors, "colors", _COLORS)
        _word(mode, "mode", _MODES)
        ticks, most = _loop_of(loop), _limits_of(limits, capacity)
        self = super().__new__(
            cls,
            seed=seed,
            capacity=_CAPACITIES.index(capacity),
            loop=ticks,
            is_seed=mode == "seed",
            limits={int(k): v for k, v in most.items() if not isinstance(k, ParticleStyle)},
        )
        self._device = device
        self.seed, self.capacity, self.colors, self.mode = seed, capacity, colors, mode
        self.loop, self.loop_ticks = loop, ticks
        self._limits = most
        self.styles = list(LAYER_STYLES.values())
        self.linear_layers = frozenset(
            int(ParticleLayer[name.upper()])
            for name in _core.PARTICLE_SEED_COLORS
            if colors == "seed"
        )
        self._numbers = {}  # emitter of each id
        self._ids = {}  # and back
        self._ordinal = 0
        self._layers = {}  # of styles of one's own
        self._effects = {}  # by Plan.shape
        self._rows = {}  # by what the core takes
        self._effects_most = _EFFECTS_KEPT
        self._spots = {}  # and where they are
        self._camera = None
        self._aspect = 1.0
        self._looked = ()
        return self

    def __enter__(self) -> ParticleManager:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<ParticleManager closed>"
        return f"<ParticleManager {len(self)} emitters, {self.time:.3f} s, seed {self.seed}>"

    def __contains__(self, id: object) -> bool:
        return not self.closed and id in self._numbers

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError("the ParticleManager is closed: make a new ParticleManager")

    @property
    def device(self) -> Device:
        """Device: where `state` and `stats` work."""
        if self._device is None:
            self._device = default_device()
        return self._device

    @property
    def ids(self) -> list[Hashable]:
        """list: all ids, in the order of their registration."""
        return [] if self.closed else list(self._numbers)

    # -- registration --

    def register(self, id: Hashable, config: Any) -> int:
        """Make an emitter; one that has this id already is replaced.

        Parameters
        ----------
        id : hashable
            Whole numbers, strings, bytes, floats and tuples of those look the same in every run;
            emitters of other ids look different by the order of their registration.
        config : WaterConfig, GlowConfig, FireConfig, MagicConfig, DustConfig, WeatherConfig,
            CombatConfig, EffectConfig or dict
            A dict has "type" ("water", "glow", ...) and the fields of that config, in camelCase or
            snake_case.

        Returns
        -------
        int
            Particles that it has: with capacity "partial" it may be fewer than the effect's.

        Raises
        ------
        ValueError, TypeError
            An unknown type or preset, a position that is not finite, or anything else that is
            wrong with the config; nothing is registered or replaced then.
        CapacityError
            With capacity "error": a layer has no room left.
        """
        made = config_of(config)
        position = getattr(made, "position", None)
        if position is None:
            raise ValueError("config: position must be given; only register_many takes None")
        slots = int(self._register([id], np.array([position]), made.plan())[0])
        self._spots.pop(id, None)
        if isinstance(made, WaterConfig):
            self._spots[id] = made, position
        return slots

    def register_many(
        self, ids: Sequence[Hashable] | ArrayLike, positions: ArrayLike, config: Any
    ) -> NDArray[np.uint32]:
        """Make many emitters that differ in their positions alone, as `register` does.

        Parameters
        ----------
        ids : sequence or (N,) array
            All different.
        positions : (N, 3) array_like
            Metres; float64 is rounded to float32.
        config : as in `register`
            Its own position is not used, and may be None.

        Returns
        -------
        (N,) uint32
            Particles that each has.
        """
        if isinstance(config, Mapping) and config.get("position") is None:
            config = {**config, "position": (0.0, 0.0, 0.0)}
        listed = listed_ids(ids)
        return self._register(listed, positions, config_of(config).plan())

    def _register(self, ids: list[Any], positions: Any, plan: Plan) -> NDArray[np.uint32]:
        self._check_open()
        places = _positions_of(positions, len(ids))
        replaced = self._find(ids)
        if len(set(ids)) != len(ids):
            seen: set[Any] = set()
            twice = next(id for id in ids if id in seen or seen.add(id))
            raise ValueError(f"ids must all be different, got {twice!r} twice")
        uids = uids_of(ids, self._ordinal)
        points, extent = None, plan.surrounds()
        if plan.surface is not None:
            seed = self.seed ^ (int(uids[0]) if len(uids) else 0)
            points, extent = surface_points(
                plan.surface, plan.surface_samples, seed, plan.surface_mode, plan.model_scale,
                plan.model_y_offset,
            )  # fmt: skip
        colors = plan.colors or _core.PARTICLE_PALETTES[plan.effect.palette]
        numbers, slots = self._register_core(
            uids, places, replaced, self._effect(plan), plan.share, plan.scale,
            tuple(_rgba(tone) for tone in colors), extent, points, _COLD if plan.cold else 0,
        )  # fmt: skip
        for number in replaced[replaced != _NONE].tolist():
            del self._ids[number]
        listed = numbers.tolist()
        self._numbers.update(zip(ids, listed))
        self._ids.update(zip(listed, ids))
        self._ordinal += len(ids)
        return slots

    def _find(self, ids: list[Any]) -> NDArray[np.uint32]:
        """Numbers of ids, 2**32 - 1 where unknown."""
        try:
            found = map(self._numbers.get, ids, itertools.repeat(_NONE))
            return np.fromiter(found, np.uint32, len(ids))
        except TypeError:
            bad = next(type(id).__name__ for id in ids if not _is_hashable(id))
            raise TypeError(f"id must be hashable, got {bad}") from None

    def _effect(self, plan: Plan) -> int:
        found = self._effects.get(plan.shape)
        if found is not None:
            return found
        parts = shaped_parts(*plan.shape, self.colors == "seed")
        is_seed = self.mode == "seed" and not self.loop_ticks
        rows = part_rows(parts, self._layer, plan.effect.name, is_seed)
        if any(row[-1] is not None for row in rows):
            self._set_home(self.device)
        if rows not in self._rows:
            if len(self._effects) >= self._effects_most:
                self._forget_effects()
            self._rows[rows] = self._add_effect(rows)
        self._effects[plan.shape] = self._rows[rows]
        return self._rows[rows]

    def _forget_effects(self) -> None:
        """Drop the effects that nothing has: weather whose wind changes makes ever new ones."""
        are_free = self._free_effects()
        for known in (self._effects, self._rows):
            for key in [key for key, number in known.items() if are_free[number]]:
                del known[key]
        self._effects_most = max(_EFFECTS_KEPT, 2 * len(self._effects))

    def _layer(self, layer: Any) -> int:
        """The layer of a style, which is made at its first use."""
        if not isinstance(layer, ParticleStyle):
            return int(layer)
        if layer not in self._layers:
            is_sorted, limit = layer.blend == "sorted", self._limits.get(layer, _UNLIMITED)
            free = self._free_layer() if len(self.styles) == _LAYERS_MOST else None
            if free is None:
                free = self._add_layer(is_sorted, limit)
                self.styles.append(layer)
            else:
                self._change_layer(free, is_sorted, limit)
                del self._layers[self.styles[free]]
                self.styles[free] = layer
            self._layers[layer] = free
        return self._layers[layer]

    def _free_layer(self) -> int | None:
        """A layer of one's own that nothing is drawn in any more."""
        self._forget_effects()
        kept = {row[1] for rows in self._rows for row in rows}
        used = self._stats()[:, 2]
        return next(
            (i for i in self._layers.values() if i not in kept and not used[i]), None
        )

    def unregister(self, id: Hashable) -> bool:
        """Remove an emitter and all its particles at once.

        Returns
        -------
        bool
            Whether there was one of that id.
        """
        return bool(self.unregister_many([id])[0])

    def unregister_many(self, ids: Sequence[Hashable] | ArrayLike) -> NDArray[np.bool_]:
        """Remove many emitters; (N,) bool: which of the ids were there."""
        self._check_open()
        listed = listed_ids(ids)
        numbers = self._find(listed)
        self._unregister(numbers)
        for id, number in zip(listed, numbers.tolist()):
            if number != _NONE and self._numbers.pop(id, None) is not None:
                del self._ids[number]
                self._spots.pop(id, None)
        return numbers != _NONE

    # -- what is done to emitters --

    def _one(self, id: Hashable) -> NDArray[np.uint32] | None:
        self._check_open()
        numbers = self._find([id])
        return None if numbers[0] == _NONE else numbers

    def move(self, id: Hashable, position: Any, *, trail: bool = False) -> bool:
        """Move an emitter.

        Parameters
        ----------
        id : hashable
        position : (3,) array_like, or a dict with x, y and z
        trail : bool
            Particles born before stay where they were born; else all move along.

        Returns
        -------
        bool
            Whether there is an emitter of that id.
        """
        place = np.array([place_of(position)])
        return bool(self.move_many([id], place, trail=trail)[0])

    def move_many(
        self, ids: Sequence[Hashable] | ArrayLike, positions: ArrayLike, *, trail: bool = False
    ) -> NDArray[np.bool_]:
        """Move many emitters to (N, 3) positions; (N,) bool: which of the ids are there."""
        self._check_open()
        listed = listed_ids(ids)
        numbers = self._find(listed)
        places = _positions_of(positions, len(listed))
        self._move(numbers, places, bool(trail))
        if self._spots:
            for id, place in zip(listed, places):
                if id in self._spots and id in self._numbers:
                    self._spots[id] = self._spots[id][0], place
        return numbers != _NONE

    def emit(self, id: Hashable, count: int | None = None) -> int:
        """Play once, now: an effect that plays once again, or an extra burst of any other.

        Parameters
        ----------
        id : hashable
        count : int, optional
            Particles; None: as many as the effect has.

        Returns
        -------
        int
            Particles that there are; False for an unknown id.
        """
        number = self._one(id)
        wanted = _NONE if count is None else as_whole(count, "count")
        if count is not None and not 0 <= wanted < _NONE:
            raise ValueError(f"count must be 0 or more and fit in 32 bits, got {count}")
        return False if number is None else self._emit(int(number[0]), wanted)

    def _change(self, id: Hashable, what: int) -> bool:
        number = self._one(id)
        if number is not None:
            self._apply(number, what)
        return number is not None

    def stop(self, id: Hashable) -> bool:
        """Let nothing more be born; what lives finishes. False for an unknown id."""
        return self._change(id, _STOP)

    def kill(self, id: Hashable) -> bool:
        """Let all particles vanish at once, and none be born. False for an unknown id."""
        return self._change(id, _KILL)

    def pause(self, id: Hashable | None = None) -> bool:
        """Stop the clock of an emitter, or with None that of all. False for an unknown id."""
        if id is not None:
            return self._change(id, _PAUSE)
        self._set_paused(True)
        return True

    def resume(self, id: Hashable | None = None) -> bool:
        """Let a paused clock go on. False for an unknown id."""
        if id is not None:
            return self._change(id, _RESUME)
        self._set_paused(False)
        return True

    def set_time_scale(self, id: Hashable, scale: float) -> bool:
        """Let an emitter's clock go so many times as fast from now on, 0 to 256.

        Returns
        -------
        bool
            False for an unknown id.
        """
        factor = as_number(scale, "time_scale")
        if not 0.0 <= factor <= 256.0:
            raise ValueError(f"time_scale must be 0 to 256, got {scale!r}")
        number = self._one(id)
        if number is not None:
            self._set_rate(number, round(factor * _RATE_ONE))
        return number is not None

    def handle_event(self, event: Mapping[str, Any]) -> bool:
        """Do what an event of a resource asks for.

        Parameters
        ----------
        event : dict
            ``id`` (or ``entityId``), ``resourceType``, which must be "fishing_spot",
            ``resourceId`` and ``position`` (a dict with x, y and z). ``type`` ends in "spawned"
            (which it is when it is left out), "depleted", "respawned" or "removed". A spot that is
            depleted is remembered as it was registered, by an event or by `register`:
            "respawned" needs no position. Of known spots ``resourceType`` may be left out.

        Returns
        -------
        bool
            Whether anything was done. Events of other resources, of unknown kinds, and without an
            id or the position that they need, are ignored.
        """
        self._check_open()
        found = read_event(event, self._spots)
        if found is None:
            return False
        known = self._spots.get(found.id)
        if found.kind in ("depleted", "removed"):
            was_there = self.unregister(found.id)
            if found.kind == "depleted" and known is not None:
                self._spots[found.id] = known
            return was_there
        config = found.config
        if config is None and known is not None and found.kind == "respawned":
            config = dataclasses.replace(known[0], position=known[1])
        if config is None:
            return False
        self.register(found.id, config)
        return True

    # -- time --

    @property
    def time(self) -> float:
        """float: seconds since the beginning."""
        return self.tick / _TICKS

    def update(self, dt: float, camera: Any = None, *, aspect: float = 16 / 9) -> None:
        """Let time pass, and say where it is looked at from.

        Parameters
        ----------
        dt : float
            Seconds, finite. 0 does nothing; negative time goes back, to 0 at most, unless there are
            simulated particles. However an interval is cut into steps, the time at its end is the
            same.
        camera : Camera or OrthoCamera, optional
            Weather falls around it, and `stats` counts what it sees. None: as before.
        aspect : float
            Width / height of its picture.

        Raises
        ------
        TypeError, ValueError
            A dt that is no finite number, or goes back where it must not; a camera that is none, or
            a degenerate one.
        """
        looked = None if camera is None else self._check_camera(camera, aspect)
        self._advance(dt)
        if looked is not None:
            self._look(camera, looked)

    def _check_camera(self, camera: Any, aspect: float) -> tuple[Any, ...]:
        """What is known of a camera that is all right."""
        if not isinstance(camera, _View):
            raise TypeError(
                f"camera must be a Camera, an OrthoCamera or None, got {type(camera).__name__}"
            )
        placed = [
            tuple(map(float, part)) for part in (camera.position, camera.target, camera.up)
        ]
        wide = as_number(aspect, "aspect")
        if not 0.0 < wide < math.inf:
            raise ValueError(f"aspect must be a finite number above 0, got {aspect!r}")
        looked = (id(camera), wide, *placed)
        if looked != self._looked:
            camera.planes(looked[1])  # a degenerate one says so here
        return looked

    def _look(self, camera: _View, looked: tuple[Any, ...]) -> None:
        if looked != self._looked:
            self._set_camera(looked[2])
            self._camera, self._aspect, self._looked = camera, looked[1], looked

    def seek(self, time: float) -> None:
        """Go to a time in seconds, 0 or more, at once; with simulated particles only onward."""
        self._seek(time)

    # -- reading --

    def _layer_of(self, layer: Any) -> int:
        if isinstance(layer, ParticleStyle):
            if layer not in self._layers:
                raise ValueError("layer: no part that was registered has that ParticleStyle")
            return self._layers[layer]
        if isinstance(layer, int) and not isinstance(layer, (bool, ParticleLayer)):
            if not 0 <= layer < len(self.styles):
                raise ValueError(f"layer must be 0 to {len(self.styles) - 1}, got {layer}")
            return layer
        return int(kind_of(ParticleLayer, layer, "layer"))

    def state(self, layer: Any) -> NDArray[Any]:
        """Give the living particles of a layer.

        Parameters
        ----------
        layer : ParticleLayer, str or ParticleStyle

        Returns
        -------
        (N,) structured ndarray
            By emitter and slot: ``emitter`` (an index into `emitter_ids`), ``slot``, ``cycle`` (how
            many lives the slot had), ``age`` and ``lifetime`` (ticks of 2**-16 s), ``position``
            (m), ``size`` (m), ``opacity``, ``color`` (RGBA8, the lowest byte red, sRGB), ``turn``
            (2**32 is once around), ``axis``, ``frame``. The same bytes on every device.
        """
        self._check_open()
        return records(self._state(self.device, self._layer_of(layer)), "dw_particle")

    def emitter_ids(self, layer: Any) -> list[Any]:
        """Give the ids that ``emitter`` in `state` counts; None where there is none."""
        self._check_open()
        rows = self._rows_of(self._layer_of(layer)).tolist()
        return list(map(self._ids.get, rows))

    def see(self, camera: Any, *, aspect: float = 16 / 9) -> dict[str, NDArray[Any]]:
        """Give the sprites that a camera sees, by layer, in the order that they are drawn in.

        Parameters
        ----------
        camera : Camera or OrthoCamera
        aspect : float
            Width / height of its picture.

        Returns
        -------
        dict of str to (N,) records of dw_particle_sprite
        """
        self._check_open()
        self._look(camera, self._check_camera(camera, aspect))
        table, sprites = self._see_last(True)
        found = records(sprites, "dw_particle_sprite")
        return {
            self._layer_name(layer): found[first : first + count]
            for layer, (first, count, _) in enumerate(table.tolist())
            if count
        }

    def _see_last(self, is_fetched: bool) -> Any:
        camera = self._camera
        assert camera is not None
        planes = np.ascontiguousarray(camera.planes(self._aspect), np.float64)
        x, y, z = (float(part) for part in camera.position)
        return self._see(self.device, planes, (x, y, z), is_fetched)

    def _layer_name(self, layer: int) -> str:
        name = self.styles[layer].name or f"layer {layer}"
        is_taken = any(style.name == name for style in self.styles[:layer])
        return f"{name} (layer {layer})" if is_taken else name

    def stats(self) -> ParticleManagerStats:
        """Count particles by layer, now and as the last camera sees them.

        Returns
        -------
        ParticleManagerStats
            ``stats()["splash"].dropped``, ``stats().drawn`` and so on; without a camera so far
            nothing is visible.
        """
        self._check_open()
        counts = self._stats().tolist()
        seen = [(0, 0, 0)] * len(counts)
        if self._camera is not None:
            seen = self._see_last(False)[0].tolist()
        layers = {
            self._layer_name(layer): LayerStats(
                requested, allocated, requested - allocated, seen[layer][2], seen[layer][1], 1
            )
            for layer, (requested, allocated, rows, _) in enumerate(counts)
            if rows
        }
        _, simulated, _, _, skipped = self._simulation()
        return ParticleManagerStats(layers, len(self), simulated, skipped)


def _is_hashable(id: Any) -> bool:
    try:
        hash(id)
    except TypeError:
        return False
    return True
