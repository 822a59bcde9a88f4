# SPDX-License-Identifier: MIT
"""What is registered with a ParticleManager: effects in their places, by what they belong to.

Dicts with ``"type"`` and the camelCase keys of JSON work as well.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from . import _core
from .checks import as_number, as_whole
from .particle_effect import EFFECT_NAMES, ParticleEffect, ParticlePart, effect
from .particle_style import LAYER_STYLES, ParticleStyle

__all__ = [
    "CombatConfig",
    "DustConfig",
    "EffectConfig",
    "FireConfig",
    "GlowConfig",
    "MagicConfig",
    "Plan",
    "WaterConfig",
    "WeatherConfig",
    "config_of",
    "place_of",
    "shaped_parts",
]

_SURROUNDING = ("pillar", "wisp", "spark", "base", "enchant")  # kinds that have a middle
_UNSURROUNDED = (0.5, 0.0, 1.0)  # radius, lowest y, height of nothing in particular


@dataclasses.dataclass
class Plan:
    """What the hub makes of a config."""

    effect: ParticleEffect
    colors: tuple[int, int, int] | None = None  # None: the effect's own
    share: float = 1.0  # of counts
    scale: float = 1.0
    extent: tuple[float, float, float] | None = None
    surface: Any = None
    surface_mode: str = "area"
    surface_samples: int = 256
    model_scale: float = 1.0
    model_y_offset: float = 0.0
    interval: tuple[float, float] | None = None
    params: tuple[tuple[str, float], ...] = ()
    cold: bool = False

    @property
    def shape(self) -> tuple[Any, ...]:
        """What decides over the effect's parts."""
        return self.effect, self.colors is not None, self.interval, self.params

    def surrounds(self) -> tuple[float, float, float]:
        if self.extent is not None:
            return self.extent
        kinds = {part.kind.name.lower() for part in self.effect.parts}  # type: ignore[union-attr]
        if not kinds.intersection(_SURROUNDING):
            return 0.0, 0.0, 0.0
        radius, low, height = _UNSURROUNDED
        return radius, low + self.model_y_offset, height


def place_of(value: Any, name: str = "position") -> tuple[float, float, float]:
    """Three numbers of such a sequence, or of a mapping with x, y and z."""
    wanted = f"{name} must be 3 numbers, or a dict with x, y and z"
    if isinstance(value, Mapping):
        if set(value) != {"x", "y", "z"}:
            raise ValueError(f"{wanted}, got the keys {', '.join(map(str, value))}")
        value = value["x"], value["y"], value["z"]
    try:
        x, y, z = (float(part) for part in value)
    except TypeError:
        raise TypeError(f"{wanted}, got {value!r}") from None
    except ValueError:
        raise ValueError(f"{wanted}, got {value!r}") from None
    return x, y, z


def _hex(value: Any) -> int:
    if isinstance(value, str) and re.fullmatch("#[0-9a-fA-F]{6}", value):
        return int(value[1:], 16)
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= 0xFFFFFF:
        words = ", ".join(_core.PARTICLE_PALETTES)
        raise ValueError(
            "color must be 0xRRGGBB or '#rrggbb', three of them (core, middle, outer), a dict of "
            f"core, mid and outer, or a palette ({words}), got {value!r}"
        )
    return number


def _colors_of(color: Any) -> tuple[int, int, int] | None:
    """The tones core, middle and outer; a single colour fills all three."""
    if color is None:
        return None
    if isinstance(color, str) and color in _core.PARTICLE_PALETTES:
        return _core.PARTICLE_PALETTES[color]
    if isinstance(color, Mapping):
        if set(color) not in ({"core", "mid", "outer"}, {"core", "middle", "outer"}):
            raise ValueError(
                "color as a dict must have the keys core, mid and outer, got "
                f"{', '.join(map(str, color))}"
            )
        color = color["core"], color.get("mid", color.get("middle")), color["outer"]
    if isinstance(color, (Sequence, np.ndarray)) and not isinstance(color, str):
        if len(color) != 3:
            raise ValueError(f"color as three tones must have 3, got {len(color)}")
        core, middle, outer = (_hex(tone) for tone in color)
        return core, middle, outer
    word = _hex(color)
    return word, word, word


def _positive(value: Any, name: str) -> float:
    number = as_number(value, name)
    if not (math.isfinite(number) and number > 0.0):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def _interval_of(value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    try:
        least, most = (as_number(part, "interval") for part in value)
    except (TypeError, ValueError):
        raise ValueError(
            f"interval must be (least, most) seconds or None, got {value!r}"
        ) from None
    if not 0.0 < least <= most:
        raise ValueError(f"interval must be seconds with 0 < least <= most, got {value!r}")
    return least, most


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class _Config:
    """What all configs share."""

    scale: float = 1.0
    interval: tuple[float, float] | None = None
    cold: bool = False

    type: ClassVar[str] = ""

    def __post_init__(self) -> None:
        position = getattr(self, "position", None)
        if position is not None:
            object.__setattr__(self, "position", place_of(position))
        object.__setattr__(self, "scale", as_number(self.scale, "scale"))
        object.__setattr__(self, "interval", _interval_of(self.interval))
        self.plan()

    def plan(self) -> Plan:
        raise NotImplementedError

    def _plan(self, name: str, **more: Any) -> Plan:
        more = {"scale": self.scale, **more}
        return Plan(effect(name), interval=self.interval, cold=bool(self.cold), **more)

    def _preset(self, preset: Any) -> str:
        """The name of the built-in effect of this type and preset."""
        name = f"{self.type}_{preset}"
        if not isinstance(preset, str) or name not in EFFECT_NAMES:
            words = [one.split("_", 1)[1] for one in EFFECT_NAMES if one.startswith(self.type)]
            raise ValueError(f"preset must be one of {', '.join(words)}, got {preset!r}")
        return name


_SHARED = """
    scale : float
        Of all lengths of the effect, 1e-6 to 1e6.
    interval : (float, float), optional
        Seconds, least and most, after which what plays once plays again by itself.
    cold : bool
        Begins empty; else as if it had always been there.

    Raises
    ------
    ValueError, TypeError
        An argument of another kind or out of range; the text names it.
"""


@dataclasses.dataclass(frozen=True, eq=False)
class WaterConfig(_Config):
    """A fishing spot: splashes, bursts, bubbles, glints and rings.

    Parameters
    ----------
    position : (3,) array_like
        Metres, on the surface of the water. None: in `register_many`, which has the positions.
    resource_id : str
        With "net" in it the spot is calm, with "fly" it is wild, else it is for bait.
    color : optional
        As in `GlowConfig`; None: the variant's own.
    """

    position: Any
    resource_id: str = ""
    color: Any = None
    type: ClassVar[str] = "water"

    def plan(self) -> Plan:
        if not isinstance(self.resource_id, str):
            raise TypeError(f"resource_id must be a str, got {type(self.resource_id).__name__}")
        name = next(name for word, name in _core.PARTICLE_VARIANTS if word in self.resource_id)
        return self._plan(name, colors=_colors_of(self.color))


@dataclasses.dataclass(frozen=True, eq=False)
class GlowConfig(_Config):
    """A glow around a thing: an altar, a fire of old, a torch.

    Parameters
    ----------
    position : (3,) array_like
        Metres. None: in `register_many`, which has the positions.
    preset : {"altar", "fire", "torch"}
    color : optional
        0xRRGGBB or "#rrggbb", three of them or a dict of core, mid and outer, or the name of a
        palette such as "air"; 0 is black. None: the preset's own.
    surface : Mesh, Model or (N, 3) array_like, optional
        What it surrounds, whose points sparks leave from. None: a cylinder of radius 0.5 m and
        height 1 m.
    model_scale, model_y_offset : float
        Of the surface: scaled first, then lifted by that many metres.
    surface_mode : {"area", "vertices"}
        Points even over the area of all triangles; or 64 of the vertices, as upstream.
    surface_samples : int
        Points of "area", 1 to 65,536.
    """

    position: Any
    preset: str = "altar"
    color: Any = None
    surface: Any = None
    model_scale: float = 1.0
    model_y_offset: float = 0.0
    surface_mode: str = "area"
    surface_samples: int = 256
    type: ClassVar[str] = "glow"

    def plan(self) -> Plan:
        samples = as_whole(self.surface_samples, "surface_samples")
        if not 1 <= samples <= 65536:
            raise ValueError(f"surface_samples must be 1 to 65536, got {samples}")
        offset = as_number(self.model_y_offset, "model_y_offset")
        if not math.isfinite(offset):
            raise ValueError(f"model_y_offset must be finite, got {offset!r}")
        return self._plan(
            self._preset(self.preset),
            colors=_colors_of(self.color),
            surface=self.surface,
            surface_mode=self.surface_mode,
            surface_samples=samples,
            model_scale=_positive(self.model_scale, "model_scale"),
            model_y_offset=offset,
        )


@dataclasses.dataclass(frozen=True, eq=False)
class FireConfig(_Config):
    """A fire in the open.

    Parameters
    ----------
    position : (3,) array_like
        Metres. None: in `register_many`, which has the positions.
    preset : {"camp", "torch", "explosion"}
    intensity : float
        So many times as many particles, and the cube root of it in all lengths.
    color : optional
        As in `GlowConfig`; of what shines, not of smoke.
    """

    position: Any
    preset: str = "camp"
    intensity: float = 1.0
    color: Any = None
    type: ClassVar[str] = "fire"

    def plan(self) -> Plan:
        intensity = _positive(self.intensity, "intensity")
        return self._plan(
            self._preset(self.preset),
            colors=_colors_of(self.color),
            share=intensity,
            scale=self.scale * intensity ** (1 / 3),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class MagicConfig(_Config):
    """Magic: a spell, or an enchantment around a thing.

    Parameters
    ----------
    position : (3,) array_like
        Metres. None: in `register_many`, which has the positions.
    preset : {"spell", "enchant"}
    color : optional
        As in `GlowConfig`.
    surface, model_scale, model_y_offset, surface_mode, surface_samples : optional
        As in `GlowConfig`.
    """

    position: Any
    preset: str = "spell"
    color: Any = None
    surface: Any = None
    model_scale: float = 1.0
    model_y_offset: float = 0.0
    surface_mode: str = "area"
    surface_samples: int = 256
    type: ClassVar[str] = "magic"

    plan = GlowConfig.plan


@dataclasses.dataclass(frozen=True, eq=False)
class DustConfig(_Config):
    """Dust: of a step, of work on rock or wood, which play once; or drifting motes.

    Parameters
    ----------
    position : (3,) array_like
        Metres. None: in `register_many`, which has the positions.
    preset : {"footstep", "mining", "woodcutting", "drift"}
    color : optional
        As in `GlowConfig`.
    """

    position: Any
    preset: str = "footstep"
    color: Any = None
    type: ClassVar[str] = "dust"

    def plan(self) -> Plan:
        return self._plan(self._preset(self.preset), colors=_colors_of(self.color))


@dataclasses.dataclass(frozen=True, eq=False)
class WeatherConfig(_Config):
    """Weather in a box that goes with the camera.

    Parameters
    ----------
    preset : {"rain", "snow", "fog"}
    area : float, optional
        Metres: a side of the box. As dense as the preset's own, which None stands for.
    intensity : float
        So many times as dense.
    wind : (float, float), optional
        Metres a second along x and z; None: the preset's own.
    color : optional
        As in `GlowConfig`.
    position : (3,) array_like
        Fog lies at its height.
    """

    preset: str = "rain"
    area: float | None = None
    intensity: float = 1.0
    wind: tuple[float, float] | None = None
    color: Any = None
    position: Any = (0.0, 0.0, 0.0)
    type: ClassVar[str] = "weather"

    def plan(self) -> Plan:
        name = self._preset(self.preset)
        share = _positive(self.intensity, "intensity")
        params: list[tuple[str, float]] = []
        if self.area is not None:
            side = _positive(self.area, "area")
            params.append(("box", side))
            share *= (side / effect(name).parts[0].params["box"]) ** 2
        if self.wind is not None:
            try:
                x, z = (as_number(part, "wind") for part in self.wind)
            except (TypeError, ValueError):
                raise ValueError(f"wind must be 2 numbers, got {self.wind!r}") from None
            params += [("wind_x", x), ("wind_z", z)]
        return self._plan(name, colors=_colors_of(self.color), share=share, params=tuple(params))


@dataclasses.dataclass(frozen=True, eq=False)
class CombatConfig(_Config):
    """A blow that plays once: blood, or the sparks of an impact.

    Parameters
    ----------
    position : (3,) array_like
        Metres. None: in `register_many`, which has the positions.
    preset : {"blood", "impact"}
    direction : (3,) array_like, optional
        Where it flies; None: all around.
    color : optional
        As in `GlowConfig`.
    """

    position: Any
    preset: str = "blood"
    direction: Any = None
    color: Any = None
    type: ClassVar[str] = "combat"

    def plan(self) -> Plan:
        return self._plan(
            self._preset(self.preset),
            colors=_colors_of(self.color),
            extent=_direction_of(self.direction),
        )


@dataclasses.dataclass(frozen=True, eq=False)
class EffectConfig(_Config):
    """Any effect: a built-in one, one's own, or one of `load_effect`.

    Parameters
    ----------
    position : (3,) array_like
        Metres. None: in `register_many`, which has the positions.
    effect : ParticleEffect or str
    color : optional
        As in `GlowConfig`.
    intensity : float
        So many times as many particles.
    surface, model_scale, model_y_offset, surface_mode, surface_samples : optional
        As in `GlowConfig`.
    direction : (3,) array_like, optional
        Of kinds that are thrown; not with a surface.
    """

    position: Any
    effect: Any = None
    color: Any = None
    intensity: float = 1.0
    surface: Any = None
    model_scale: float = 1.0
    model_y_offset: float = 0.0
    surface_mode: str = "area"
    surface_samples: int = 256
    direction: Any = None
    type: ClassVar[str] = "effect"

    _preset = None  # type: ignore[assignment]

    def plan(self) -> Plan:
        chosen = effect(self.effect) if isinstance(self.effect, str) else self.effect
        if not isinstance(chosen, ParticleEffect):
            raise TypeError(
                f"effect must be a ParticleEffect or the name of one, got {type(chosen).__name__}"
            )
        if self.direction is not None and self.surface is not None:
            raise ValueError("direction must be None where a surface is given")
        plan = Plan(
            chosen,
            colors=_colors_of(self.color),
            share=_positive(self.intensity, "intensity"),
            scale=self.scale,
            extent=None if self.direction is None else _direction_of(self.direction),
            surface=self.surface,
            surface_mode=self.surface_mode,
            surface_samples=as_whole(self.surface_samples, "surface_samples"),
            model_scale=_positive(self.model_scale, "model_scale"),
            model_y_offset=as_number(self.model_y_offset, "model_y_offset"),
            interval=self.interval,
            cold=bool(self.cold),
        )
        if not 1 <= plan.surface_samples <= 65536:
            raise ValueError(f"surface_samples must be 1 to 65536, got {plan.surface_samples}")
        return plan


def _direction_of(direction: Any) -> tuple[float, float, float]:
    """Of length 1, or zeros: all around."""
    if direction is None:
        return 0.0, 0.0, 0.0
    x, y, z = place_of(direction, "direction")
    length = math.hypot(x, y, z)
    if not (math.isfinite(length) and length > 1e-30):
        raise ValueError(f"direction must be finite and not zero, got {direction!r}")
    return x / length, y / length, z / length


_CONFIGS: dict[str, type[_Config]] = {
    kind.type: kind
    for kind in (
        WaterConfig, GlowConfig, FireConfig, MagicConfig, DustConfig, WeatherConfig, CombatConfig,
        EffectConfig,
    )
}  # fmt: skip
for _kind in _CONFIGS.values():
    _kind.__doc__ = (_kind.__doc__ or "").rstrip() + _SHARED

_RENAMED = {"mesh_root": "surface"}


def _snake(key: str) -> str:
    word = re.sub("([A-Z])", lambda match: "_" + match[1].lower(), key)
    return _RENAMED.get(word, word)


def config_of(config: Any) -> _Config:
    """The config of a config or of a dict with "type" and camelCase or snake_case keys."""
    if isinstance(config, _Config):
        return config
    if not isinstance(config, Mapping):
        raise TypeError(
            "config must be a WaterConfig, GlowConfig, ... or a dict with 'type', got "
            f"{type(config).__name__}"
        )
    given = dict(config)
    kind = given.pop("type", None)
    if kind not in _CONFIGS:
        raise ValueError(f"config: type must be one of {', '.join(_CONFIGS)}, got {kind!r}")
    made = _CONFIGS[kind]
    names = {field.name for field in dataclasses.fields(made)}
    arguments: dict[str, Any] = {}
    for key, value in given.items():
        name = _snake(key) if isinstance(key, str) else key
        if name not in names or name in arguments:
            why = "twice" if name in arguments else f"; it takes {', '.join(sorted(names))}"
            raise ValueError(f"config of type {kind!r} has no {key!r}{why}")
        arguments[name] = value
    if "position" in names and "position" not in arguments and kind != "weather":
        raise ValueError(f"config of type {kind!r} has no position")
    return made(**arguments)


# ---- the parts of an effect, as a config wants them ----


def _adds(part: ParticlePart) -> bool:
    layer = part.layer
    style = layer if isinstance(layer, ParticleStyle) else LAYER_STYLES[layer]
    return style.blend == "add"


def _colored(part: ParticlePart) -> ParticlePart:
    """In the emitter's colours instead of its own."""
    if part.tone != "white":
        return part
    ramp = part.ramp
    if ramp is not None and part.over_life:
        ramp = ramp.copy()
        ramp[:, :3] = 255
    else:
        ramp = None
    return dataclasses.replace(part, tone="any", ramp=ramp)


def _seed_colored(part: ParticlePart) -> ParticlePart:
    layer: Any = part.layer
    name = "" if isinstance(layer, ParticleStyle) else layer.name.lower()
    if name not in _core.PARTICLE_SEED_COLORS:
        return part
    return dataclasses.replace(
        part, ramp=[_core.PARTICLE_SEED_COLORS[name]], over_life=False, tone="white"
    )


def shaped_parts(
    effect: ParticleEffect,
    is_colored: bool,
    interval: tuple[float, float] | None,
    params: tuple[tuple[str, float], ...],
    has_seed_colors: bool,
) -> list[ParticlePart]:
    """Parts of an effect with what a config changes."""
    parts = list(effect.parts)
    if has_seed_colors and effect.name.startswith("water_"):
        parts = [part.map(_seed_colored) for part in parts]
    elif is_colored:
        some_add = any(_adds(part) for part in parts)
        parts = [
            part.map(lambda one: _colored(one) if _adds(one) or not some_add else one)
            for part in parts
        ]
    if interval is not None:
        parts = [
            dataclasses.replace(part, once=False, burst=interval) if part.once else part
            for part in parts
        ]
    if params:
        given = dict(params)
        parts = [
            dataclasses.replace(
                part,
                params={word: given.get(word, value) for word, value in part.params.items()},
            )
            for part in parts
        ]
    return parts
