# SPDX-License-Identifier: MIT
"""Dissolve animations of many instances by id."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .checks import as_number
from .ids import as_ids
from .kinds import DissolveDirection, DissolveEncoding, DissolveEvent, Easing, kind_of
from .layouts import records

__all__ = ["DissolveField", "dissolve_values", "ease"]

_EVENT = np.dtype([("id", "<u8"), ("kind", "<U11"), ("time", "<f8")])
_WORDS = np.array([str(kind) for kind in DissolveEvent], dtype="<U11")
_NO_EVENTS = np.empty(0, _EVENT)
_NO_EVENTS.flags.writeable = False


def ease(easing: Easing | str, progress: ArrayLike) -> NDArray[np.float32]:
    """Give the value of an easing curve, as the shaders compute it, bit for bit.

    Parameters
    ----------
    easing : Easing or str
    progress : array_like
        In [0, 1]; float64 is rounded once to float32.

    Returns
    -------
    ndarray of float32
        The shape of `progress`. 0 at 0, 1 at 1, and never falling.
    """
    kind = kind_of(Easing, easing, "easing")
    return _core.ease(int(kind), _shares(progress, "progress"))


def _shares(values: ArrayLike, name: str) -> NDArray[np.float32]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be numbers, got dtype {array.dtype}")
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        raise ValueError(f"{name} must lie in [0, 1], got {array.min()} to {array.max()}")
    return array.astype(np.float32)


def _column(values: ArrayLike, name: str, ids: NDArray[np.uint64]) -> NDArray[np.float32]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must be numbers, got dtype {array.dtype}")
    if array.ndim > 1 or (array.ndim == 1 and array.shape != ids.shape):
        raise ValueError(
            f"{name} must be one number or one for each of {len(ids)} ids, got shape {array.shape}"
        )
    return np.ascontiguousarray(np.broadcast_to(array, ids.shape), dtype=np.float32)


def dissolve_values(
    states: NDArray[Any], now_ticks: int, *, device: _core.Device
) -> NDArray[np.float32]:
    """Give what is drawn at any time from analytic states, as a shader finds it.

    Parameters
    ----------
    states : (N,) structured array
        `DissolveField.encoded` of a field with encoding ``"analytic"``.
    now_ticks : int
        Time in ticks of 2^-16 s, of which the low 32 bits count.
    device : Device
        Native or Vulkan; both give the same bits.

    Returns
    -------
    (N,) ndarray of float32
    """
    words = np.ascontiguousarray(states).view(np.uint32).reshape(len(states), -1)
    if not len(words):
        return np.empty(0, np.float32)
    return _core.dissolve_values(device, words, int(now_ticks) & 0xFFFFFFFF, 1)


class DissolveField:
    """Instances that dissolve and come back, by id.

    A value of 0 is there, 1 is dissolved; the share of fragments to discard is the value times
    `scale`. Animations go on from the value that is there, whatever happens.

    Parameters
    ----------
    duration : float, optional
        Seconds of a full sweep, 0 to 16384; part of the way takes that part of the time. 0:
        instant.
    scale : float, optional
        Share of fragments discarded at value 1, 0 to 1.
    easing : Easing or str, optional
        Curve of the value over the way; all of them only rise.
    encoding : DissolveEncoding or str, optional
        What `encoded` gives: ``"float32"``, ``"unorm8"`` or ``"analytic"``.
    direction : DissolveDirection or str, optional
        Which part of an object dissolves first.
    softness : float, optional
        Width of the front of a direction, in object heights, 0.001 to 16.

    Notes
    -----
    A tick costs as much as there are animations in flight, and allocates nothing. Ids are any
    integers from 0 to 2^64 - 1. A field belongs to one thread at a time.

    Examples
    --------
    >>> field = DissolveField()
    >>> field.add([7, 8])
    >>> field.start(7, +1, instant=True)
    >>> field.start(7, -1)
    >>> list(field.tick(0.3)["kind"])
    ['started', 'completed', 'started', 'completed']
    """

    __slots__ = ("_core",)

    def __init__(
        self,
        *,
        duration: float = 0.3,
        scale: float = 0.7,
        easing: Easing | str = "linear",
        encoding: DissolveEncoding | str = "float32",
        direction: DissolveDirection | str = "uniform",
        softness: float = 0.2,
    ) -> None:
        self._core = _core.DissolveField(
            duration=as_number(duration, "duration"),
            scale=as_number(scale, "scale"),
            easing=int(kind_of(Easing, easing, "easing")),
            encoding=int(kind_of(DissolveEncoding, encoding, "encoding")),
            direction=int(kind_of(DissolveDirection, direction, "direction")),
            softness=as_number(softness, "softness"),
        )

    @classmethod
    def _wrap(cls, core: _core.DissolveField) -> DissolveField:
        """The public face of a field that another object owns."""
        self = cls.__new__(cls)
        self._core = core
        return self

    def add(self, ids: ArrayLike, initial: ArrayLike = 0.0) -> None:
        """Add instances, or begin known ones anew, which interrupts their animations.

        Parameters
        ----------
        ids : int or array_like of int
        initial : float or array_like, optional
            Value of each, in [0, 1]: what is drawn from the first frame on.

        Raises
        ------
        ValueError
            An id twice, a value out of range or NaN; nothing is added then.
        """
        wanted = as_ids(ids)
        self._core.add(wanted, _column(initial, "initial", wanted))

    def remove(self, ids: ArrayLike, *, strict: bool = False) -> int:
        """Remove instances, which interrupts their animations.

        Parameters
        ----------
        ids : int or array_like of int
        strict : bool, optional
            An id that is not there is an error, and nothing is removed.

        Returns
        -------
        int
            How many of them were there.
        """
        return self._core.remove(as_ids(ids), strict)

    def start(
        self,
        ids: ArrayLike,
        direction: int,
        *,
        instant: bool = False,
        duration: ArrayLike | None = None,
        easing: Easing | str | None = None,
    ) -> None:
        """Start to dissolve or to come back, from the value that is there.

        Parameters
        ----------
        ids : int or array_like of int
        direction : int
            +1: dissolve. -1: come back.
        instant : bool, optional
            Be at the end at once.
        duration : float or array_like, optional
            Seconds of a full sweep, for all or for each. None: the field's.
        easing : Easing or str, optional
            None: the field's. The value stays where it is also when the curve changes.

        Raises
        ------
        ValueError
            An id that is not there or is there twice, a duration out of range, NaN, another
            direction; nothing is started then.
        """
        wanted = as_ids(ids)
        if isinstance(direction, (bool, np.bool_)) or direction not in (1, -1):
            raise ValueError(
                f"direction must be +1 (dissolve) or -1 (come back), got {direction!r}"
            )
        durations = None if duration is None else _column(duration, "duration", wanted)
        curve = None if easing is None else int(kind_of(Easing, easing, "easing"))
        self._core.start(wanted, int(direction), bool(instant), durations, curve)

    def set(self, ids: ArrayLike, values: ArrayLike) -> None:
        """Set values at once, which interrupts animations.

        Parameters
        ----------
        ids : int or array_like of int
        values : float or array_like
            In [0, 1].
        """
        wanted = as_ids(ids)
        self._core.set(wanted, _column(values, "values", wanted))

    def highlight(self, ids: ArrayLike, intensity: ArrayLike) -> None:
        """Set the highlight that the colours of encoding ``"unorm8"`` carry.

        Parameters
        ----------
        ids : int or array_like of int
        intensity : float or array_like
            0, none, to 1, full; kept in 8 bits.

        Raises
        ------
        ValueError
            The field has another encoding; an intensity out of range.
        """
        wanted = as_ids(ids)
        levels = _shares(_column(intensity, "intensity", wanted), "intensity")
        self._core.highlight(wanted, np.floor(levels * 255 + 0.5).astype(np.uint8))

    def tick(self, dt: float) -> NDArray[Any]:
        """Let time pass.

        Parameters
        ----------
        dt : float
            Seconds, finite. 0 only tells the events that wait. Negative time runs animations
            backwards, down to the other end at most; they complete in their own direction only.

        Returns
        -------
        structured ndarray
            What happened since the last tick, by ``id``; ``kind`` is ``"started"``,
            ``"completed"`` or ``"interrupted"`` and compares equal to `DissolveEvent`; ``time`` is
            `now` at that moment. Each start has one end.
        """
        found = self._core.tick(dt)
        if found is None:
            return _NO_EVENTS
        events = np.empty(len(found[0]), _EVENT)
        events["id"], events["kind"], events["time"] = found[0], _WORDS[found[1]], found[2]
        return events

    def _read(self, read: Any, ids: ArrayLike) -> Any:
        values = read(as_ids(ids))
        return values[0] if np.ndim(ids) == 0 else values

    def value(self, ids: ArrayLike) -> Any:
        """Give the value that is drawn, in [0, 1]: a float32 for each id, in its order."""
        return self._read(self._core.value, ids)

    def progress(self, ids: ArrayLike) -> Any:
        """Give the progress, which is linear in time; the value is the easing of it."""
        return self._read(self._core.progress, ids)

    def amount(self, ids: ArrayLike) -> Any:
        """Give the amount of dithering: the value times `scale`, in float32."""
        return self.value(ids) * np.float32(self.scale)

    def rows(self, ids: ArrayLike) -> Any:
        """Give the row of each id in `encoded`; it stays the same while the id is there."""
        return self._read(self._core.rows, ids)

    def encoded(self) -> NDArray[Any]:
        """Give what a device gets, by row; rows of removed ids rest at 0.

        Returns
        -------
        ndarray
            ``"float32"``: (N,) float32 values. ``"unorm8"``: (N, 4) uint8 RGBA, R and G the
            highlight, B 1 - value. ``"analytic"``: (N,) records ``t0``, ``rate``, ``bits``.
        """
        array = self._core.encoded()
        if self.encoding == DissolveEncoding.ANALYTIC:
            return records(array, "dw_dissolve_state")
        return array

    @property
    def ids(self) -> NDArray[np.uint64]:
        """(N,) ndarray of uint64: all ids, in the order of their rows."""
        return self._core.ids()

    @property
    def active(self) -> int:
        """int: animations in flight."""
        return self._core.active

    @property
    def now(self) -> float:
        """float: the sum of all dt, in seconds."""
        return self._core.now

    @property
    def now_ticks(self) -> int:
        """int: the sum of all dt in ticks of 2^-16 s, rounded once."""
        return self._core.now_ticks

    @property
    def duration(self) -> float:
        """float: seconds of a full sweep."""
        return self._core.definition["duration"]

    @property
    def scale(self) -> float:
        """float: share of fragments discarded at value 1."""
        return self._core.definition["scale"]

    @property
    def softness(self) -> float:
        """float: width of the front of a direction, in object heights."""
        return self._core.definition["softness"]

    @property
    def easing(self) -> Easing:
        """Easing: the curve of starts that name none."""
        return Easing(self._core.definition["easing"])

    @property
    def encoding(self) -> DissolveEncoding:
        """DissolveEncoding: what `encoded` gives."""
        return DissolveEncoding(self._core.definition["encoding"])

    @property
    def direction(self) -> DissolveDirection:
        """DissolveDirection: which part of an object dissolves first."""
        return DissolveDirection(self._core.definition["direction"])

    def __len__(self) -> int:
        return len(self._core)

    def __contains__(self, id: object) -> bool:
        return id in self._core

    def __repr__(self) -> str:
        return (
            f"<DissolveField {len(self)} ids, {self.active} in flight, "
            f"{self.encoding.name.lower()}, {self.now:.3f} s>"
        )
