# SPDX-License-Identifier: MIT
"""Effects of particles as data: what one registration makes."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from . import _core
from .checks import as_number
from .kinds import ParticleKind, ParticleLayer, kind_of
from .particle_forces import COLLIDERS, ParticleBirth, ParticleForces, in_range
from .particle_style import ParticleStyle

__all__ = ["EFFECT_NAMES", "TONES", "ParticleEffect", "ParticlePart", "effect"]

TONES = {
    name: int(_core.CONSTANTS[f"PARTICLE_TONE_{name.upper()}"])
    for name in ("core", "middle", "outer", "white", "any")
}
_SIMULATIONS = ("stateless", "renewal", "dynamic")


def _pair(value: Any, name: str, wanted: str) -> tuple[float, float]:
    try:
        first, second = (as_number(part, name) for part in value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {wanted}, got {value!r}") from None
    return first, second


def _whole(value: Any, name: str) -> int:
    """A whole number that fits in 32 bits without a sign."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if not 0 <= number < 2**32:
        raise ValueError(f"{name} must be 0 or more and fit in 32 bits, got {number}")
    return number


def _curve(values: Any, name: str) -> np.ndarray | None:
    """(K,) float64, read-only."""
    if values is None:
        return None
    try:
        array = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be numbers over the age, or None, got {values!r}") from None
    if array.ndim != 1 or len(array) < 2:
        raise ValueError(
            f"{name} must hold at least 2 values, the first at birth and the last at death, got "
            f"shape {array.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got {values!r}")
    if array.min() < 0.0 or array.max() > 1e6:
        raise ValueError(f"{name} must be 0 to 1e6, got {array.min():g} to {array.max():g}")
    array.flags.writeable = False
    return array


def _ramp(colors: Any) -> np.ndarray | None:
    """(K, 4) uint8, read-only, of such an array or of hex words 0xRRGGBB."""
    if colors is None:
        return None
    wanted = "ramp must be (N, 4) uint8 colours, or hex words 0xRRGGBB"
    array = np.asarray(colors)
    if array.ndim == 1 and array.dtype.kind in "iu":
        if len(array) and not (0 <= array.min() and array.max() <= 0xFFFFFF):
            raise ValueError(f"{wanted}, got {colors!r}")
        words = array.astype(np.uint32)
        shifts = np.array([16, 8, 0], np.uint32)
        array = np.full((len(array), 4), 255, np.uint8)
        array[:, :3] = words[:, None] >> shifts & 255
    if array.dtype != np.uint8 or array.ndim != 2 or array.shape[1] != 4:
        raise TypeError(f"{wanted}, got dtype {array.dtype} and shape {array.shape}")
    if len(array) == 0:
        raise ValueError(f"{wanted}; None for none, got an empty one")
    array = array.copy()
    array.flags.writeable = False
    return array


def _colliders_of(colliders: Any) -> tuple[Any, ...]:
    if isinstance(colliders, COLLIDERS):
        colliders = (colliders,)
    try:
        listed = tuple(colliders)
    except TypeError:
        listed = (colliders,)
    for collider in listed:
        if not isinstance(collider, COLLIDERS):
            raise TypeError(
                f"colliders must hold {', '.join(kind.__name__ for kind in COLLIDERS)}, got "
                f"{type(collider).__name__}"
            )
    return listed


def _children_of(children: Any, name: str) -> tuple[ParticlePart, ...]:
    """Parts that are born from events of another."""
    if isinstance(children, ParticleEffect):
        children = children.parts
    listed = (children,) if isinstance(children, ParticlePart) else children
    try:
        listed = tuple(listed or ())
    except TypeError:
        listed = (listed,)
    for child in listed:
        if not isinstance(child, ParticlePart):
            raise TypeError(
                f"{name} must be a ParticlePart, a ParticleEffect or a sequence of ParticleParts, "
                f"got {type(child).__name__}"
            )
        if child.once or child.burst is not None or child.even:
            raise ValueError(
                f"{name}: a child is born with each event: it has no once, burst or even"
            )
        if child.simulation == "renewal":
            raise ValueError(f'{name}: a child is simulation="dynamic", not "renewal"')
        if child.birth is not None and child.birth.rate is not None:
            raise ValueError(f"{name}: a child has no birth rate: it is born with each event")
    return listed


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class ParticlePart:
    """One kind of particle in one layer: part of an effect.

    Parameters
    ----------
    kind : ParticleKind or str
        How a particle moves.
    layer : ParticleLayer, str or ParticleStyle
        Where it is drawn: a built-in layer, or a style of one's own, whose layer all parts with
        that same style share.
    count : int
        Particles, at most 16,777,215; 0: none.
    lifetime : (float, float)
        Seconds: the least and the most. Each slot draws its own.
    params : mapping of str to float
        Numbers of the kind by their words; those left out are 0. docs/particle_kinds.md tells what
        they are and in which units, `dapplewood.effect(name).parts` shows some that work.
    opacity : float
        Of a particle at its best.
    rise, fall : float
        Slopes over the age in [0, 1]: the opacity is times min(rise t, 1) and
        min(fall (1 - t), 1). 0: times 1.
    opacity_curve, size_curve : array_like, optional
        At least 2 values over the age, evenly spaced; brought to 65 knots.
    ramp : (N, 4) uint8 or hex words, optional
        Colours, sRGB with straight alpha.
    over_life : bool
        The ramp runs over the age; else each slot picks one of its colours for good.
    tone : {"core", "middle", "outer", "white", "any"}
        Which of the emitter's three colours the particle's colour is multiplied by. "any": each
        slot picks one.
    burst : (float, float), optional
        Seconds, least and most, from one burst to the next: slots live from it on, all at once.
    once : bool
        Each slot lives once.
    even : bool
        Slots are spread evenly over the life, not at random.
    delay : float or (float, float)
        Seconds by which lives of `once` begin late: the most, or the least and the most.
    frames : (int, int), optional
        First frame of the layer's flipbook, and how many.
    frame_rate : float
        Frames a second; 0: all of them over the life; -1: each life shows one of them.
    lod : (float, float), optional
        Metres: from the one distance on fewer slots are shown, from the other none.
    offset : (float, float, float)
        Metres from the emitter's position, before its scale.
    simulation : {"stateless", "renewal", "dynamic"}
        "stateless": a particle follows from its time alone, which may go anywhere. "renewal": ages
        are remembered, and each life has a length of its own. "dynamic": position and velocity are
        remembered and stepped 64 times a second; the kind gives size, turn and opacity, and where
        a particle is follows from `birth`, `forces` and `colliders`. Time only goes on while the
        last two are registered. What follows needs "dynamic".
    forces : ParticleForces, optional
        What moves them; None: nothing does.
    birth : ParticleBirth, optional
        How they come to be; None: at the emitter's position, at rest.
    colliders : sequence of PlaneCollider, SphereCollider, BoxCollider or HeightfieldCollider
        What they bounce off, in the world; at most 16.
    collision_radius : float
        Metres: how far from solids they are kept, 0 to 1000.
    collision_speed : float
        m/s: of the slowest collision that `on_collision` hears of.
    on_death, on_collision : ParticlePart, ParticleEffect, or a sequence of ParticleParts
        What is born where a particle dies or bounces: `count` of it for each, which replace those
        of the same particle's last time. They are "dynamic" whatever they say, and may have
        children of their own, four deep.

    Raises
    ------
    ValueError, TypeError
        An argument of another kind, or one that is out of range. What depends on the kind is
        checked when the effect is registered.
    """

    kind: ParticleKind | str
    layer: ParticleLayer | ParticleStyle | str
    count: int
    lifetime: tuple[float, float]
    params: Mapping[str, float] = dataclasses.field(default_factory=dict)
    opacity: float = 1.0
    rise: float = 0.0
    fall: float = 0.0
    opacity_curve: Any = None
    size_curve: Any = None
    ramp: Any = None
    over_life: bool = True
    tone: str = "white"
    burst: tuple[float, float] | None = None
    once: bool = False
    even: bool = False
    delay: float | tuple[float, float] = 0.0
    frames: tuple[int, int] | None = None
    frame_rate: float = 0.0
    lod: tuple[float, float] | None = None
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    simulation: str = "stateless"
    forces: ParticleForces | None = None
    birth: ParticleBirth | None = None
    colliders: Any = ()
    collision_radius: float = 0.0
    collision_speed: float = 0.5
    on_death: Any = ()
    on_collision: Any = ()

    def __post_init__(self) -> None:
        put = functools.partial(object.__setattr__, self)
        put("kind", kind_of(ParticleKind, self.kind, "kind"))
        if not isinstance(self.layer, ParticleStyle):
            put("layer", kind_of(ParticleLayer, self.layer, "layer"))
        put("count", _whole(self.count, "count"))
        put("lifetime", _pair(self.lifetime, "lifetime", "(least, most) seconds"))
        put("params", self._params_of())
        for name in ("opacity", "rise", "fall", "frame_rate"):
            put(name, as_number(getattr(self, name), name))
        late = (0.0, self.delay) if np.ndim(self.delay) == 0 else self.delay
        put("delay", _pair(late, "delay", "seconds, or (least, most) seconds"))
        put("opacity_curve", _curve(self.opacity_curve, "opacity_curve"))
        put("size_curve", _curve(self.size_curve, "size_curve"))
        put("ramp", _ramp(self.ramp))
        if self.tone not in TONES:
            raise ValueError(f"tone must be one of {', '.join(TONES)}, got {self.tone!r}")
        if self.burst is not None:
            put("burst", _pair(self.burst, "burst", "(least, most) seconds, or None"))
        if self.burst is not None and self.once:
            raise ValueError("burst must be None where once is given: once is one burst")
        if self.lod is not None:
            put("lod", _pair(self.lod, "lod", "(near, far) metres, or None"))
        if self.frames is not None:
            first, count = _pair(self.frames, "frames", "(first, count), or None")
            put("frames", (_whole(int(first), "frames"), _whole(int(count), "frames")))
        put("offset", self._offset_of())
        self._check_simulation()

    def _params_of(self) -> Mapping[str, float]:
        words = _core.PARTICLE_PARAMS[ParticleKind(self.kind).name.lower()]
        if not isinstance(self.params, Mapping):
            raise TypeError(
                f"params must be a dict of numbers by their words ({', '.join(words)}), got "
                f"{type(self.params).__name__}"
            )
        given = dict(self.params)
        for word in given:
            if word not in words:
                raise ValueError(
                    f"params: kind {ParticleKind(self.kind).name.lower()!r} has no {word!r}; it "
                    f"has {', '.join(words)}"
                )
        return MappingProxyType(
            {word: as_number(given.get(word, 0.0), f"params[{word!r}]") for word in words}
        )

    def _offset_of(self) -> tuple[float, float, float]:
        try:
            x, y, z = (as_number(part, "offset") for part in self.offset)
        except (TypeError, ValueError):
            raise ValueError(f"offset must be 3 numbers, got {self.offset!r}") from None
        return x, y, z

    def _check_simulation(self) -> None:
        put = functools.partial(object.__setattr__, self)
        if self.simulation not in _SIMULATIONS:
            raise ValueError(
                f"simulation must be one of {', '.join(_SIMULATIONS)}, got {self.simulation!r}"
            )
        for name, kind in (("forces", ParticleForces), ("birth", ParticleBirth)):
            value = getattr(self, name)
            if value is not None and not isinstance(value, kind):
                raise TypeError(
                    f"{name} must be {kind.__name__} or None, got {type(value).__name__}"
                )
        put("colliders", _colliders_of(self.colliders))
        put("collision_radius", in_range(self.collision_radius, "collision_radius", 0.0, 1e3))
        put("collision_speed", in_range(self.collision_speed, "collision_speed", 0.0, 1e5))
        for name in ("on_death", "on_collision"):
            put(name, _children_of(getattr(self, name), name))
        if self.simulation != "dynamic":
            for name in ("forces", "birth", "colliders", "on_death", "on_collision"):
                if getattr(self, name) not in (None, ()):
                    raise ValueError(
                        f'{name} needs simulation="dynamic", got {self.simulation!r}'
                    )
        if self.simulation != "stateless" and self.even:
            raise ValueError(f"even must be False with simulation={self.simulation!r}")
        if self.simulation == "renewal" and (self.once or self.burst is not None):
            raise ValueError('simulation="renewal" is of particles that go on: no once, no burst')

    @property
    def total(self) -> int:
        """int: `count` with all children at once."""
        children = (*self.on_death, *self.on_collision)
        return self.count * (1 + sum(child.total for child in children))

    def __repr__(self) -> str:
        """What is not as left out; of arrays their lengths."""
        style = isinstance(self.layer, ParticleStyle)
        layer = self.layer if style else self.layer.name.lower()  # type: ignore[union-attr]
        words = [repr(ParticleKind(self.kind).name.lower()), repr(layer), str(self.count)]
        for field in dataclasses.fields(self)[3:]:
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                text = f"<{len(value)} values>"
            elif field.name == "params":
                given = [f"{word!r}: {number:g}" for word, number in value.items() if number]
                text = "{" + ", ".join(given) + "}"
            elif value == field.default or (field.name == "delay" and not any(value)):
                continue
            elif isinstance(value, tuple) and all(isinstance(part, float) for part in value):
                text = "(" + ", ".join(f"{part:g}" for part in value) + ")"
            else:
                text = f"{value:g}" if isinstance(value, float) else repr(value)
            words.append(f"{field.name}={text}")
        return f"ParticlePart({', '.join(words)})"

    def map(self, change: Callable[[ParticlePart], ParticlePart]) -> ParticlePart:
        """Change the part and all that comes of it.

        Parameters
        ----------
        change : callable
            Gets a ParticlePart, whose children are changed already, and gives another.
        """
        part = self
        for name in ("on_death", "on_collision"):
            if getattr(part, name):
                changed = tuple(child.map(change) for child in getattr(part, name))
                part = dataclasses.replace(part, **{name: changed})
        return change(part)

    def __reduce__(self) -> Any:
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        fields["params"] = dict(self.params)
        return _remade, (ParticlePart, fields)


@dataclasses.dataclass(frozen=True, eq=False)
class ParticleEffect:
    """What one registration makes: parts that share a place, a clock and three colours.

    Parameters
    ----------
    name : str
        For people.
    parts : sequence of ParticlePart
        1 to 64.
    unmapped : sequence of (where, what, why)
        What the file that the effect was read from asks for and this does not do.
    palette : str
        The emitter's colours unless it is given others: "white", "fire", ..., as `GlowConfig`
        has them.
    doc : str
        For people.

    Examples
    --------
    >>> calm = dataclasses.replace(dw.effect("water_net"), name="calm")
    """

    name: str
    parts: tuple[ParticlePart, ...]
    unmapped: tuple[tuple[str, str, str], ...] = ()
    palette: str = "white"
    doc: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.parts, ParticlePart):
            raise TypeError("parts must be a sequence of ParticleParts, got one: put it in a list")
        parts = tuple(self.parts)
        if not 1 <= len(parts) <= 64:
            raise ValueError(f"parts must hold 1 to 64 ParticleParts, got {len(parts)}")
        for part in parts:
            if not isinstance(part, ParticlePart):
                raise TypeError(f"parts must hold ParticleParts, got {type(part).__name__}")
        if self.palette not in _core.PARTICLE_PALETTES:
            words = ", ".join(_core.PARTICLE_PALETTES)
            raise ValueError(f"palette must be one of {words}, got {self.palette!r}")
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "unmapped", tuple(tuple(row) for row in self.unmapped))

    @property
    def count(self) -> int:
        """int: particles of one emitter, with all children at once."""
        return sum(part.total for part in self.parts)

    def __repr__(self) -> str:
        lost = f", {len(self.unmapped)} unmapped" if self.unmapped else ""
        return (
            f"<ParticleEffect {self.name!r}, {len(self.parts)} parts, "
            f"{self.count} particles{lost}>"
        )


def _remade(kind: Any, fields: dict[str, Any]) -> Any:
    return kind(**fields)


EFFECT_NAMES: tuple[str, ...] = tuple(_core.PARTICLE_EFFECTS)
_TONE_WORDS = {value: word for word, value in TONES.items()}


@functools.cache
def effect(name: str) -> ParticleEffect:
    """A built-in effect, to be read, registered, or changed by `dataclasses.replace`.

    Parameters
    ----------
    name : str
        Such as ``"water_net"``; `dapplewood.EFFECT_NAMES` has them all.

    Raises
    ------
    ValueError
        No effect has that name; the text lists those that there are.
    """
    if name not in _core.PARTICLE_EFFECTS:
        raise ValueError(f"name must be one of {', '.join(EFFECT_NAMES)}, got {name!r}")
    doc, palette, rows = _core.PARTICLE_EFFECTS[name]
    parts = tuple(ParticlePart(**{**row, "tone": _TONE_WORDS[row["tone"]]}) for row in rows)
    return ParticleEffect(name, parts, palette=palette, doc=doc)
