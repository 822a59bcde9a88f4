# SPDX-License-Identifier: MIT
"""The kinds of things, as enums made from the core's own tables."""

from __future__ import annotations

import enum
from typing import Any

from . import _core

__all__ = [
    "ColorSpace",
    "CoverageMode",
    "DissolveDirection",
    "DissolveEncoding",
    "DissolveEvent",
    "DitherPattern",
    "DitherRule",
    "Easing",
    "FadeCombine",
    "FillMode",
    "MipFilter",
    "NodeFormat",
    "ParticleKind",
    "ParticleLayer",
    "ShadowMode",
    "TerrainMode",
    "TerrainNoise",
    "TreeBuilder",
    "kind_of",
]


class _Word(str, enum.Enum):
    """A kind that arrays hold as its word: it equals the word, and has a number besides."""

    def __new__(cls, word: str, number: int) -> _Word:
        self = str.__new__(cls, word)
        self._value_ = number
        return self

    __str__ = str.__str__


def _registry(name: str, base: Any = enum.IntEnum) -> Any:
    argument, rows = _core.REGISTRIES[name]
    values = [
        (word.upper(), (word, value) if base is _Word else value) for value, word, _ in rows
    ]
    made = base(name, values, module=__name__)
    made.__doc__ = f"What the argument `{argument}` takes, by member or by word.\n\n" + "\n".join(
        f'- "{word}": {doc}' for _, word, doc in rows
    )
    return made


ColorSpace = _registry("ColorSpace")
CoverageMode = _registry("CoverageMode")
DissolveDirection = _registry("DissolveDirection")
DissolveEncoding = _registry("DissolveEncoding")
DissolveEvent = _registry("DissolveEvent", _Word)
DitherPattern = _registry("DitherPattern")
DitherRule = _registry("DitherRule")
Easing = _registry("Easing")
FadeCombine = _registry("FadeCombine")
FillMode = _registry("FillMode")
MipFilter = _registry("MipFilter")
ParticleKind = _registry("ParticleKind")
ParticleLayer = _registry("ParticleLayer")
ShadowMode = _registry("ShadowMode")
NodeFormat = _registry("NodeFormat")
TerrainMode = _registry("TerrainMode")
TerrainNoise = _registry("TerrainNoise")
TreeBuilder = _registry("TreeBuilder")


def kind_of(kind: type[enum.IntEnum], value: object, argument: str) -> enum.IntEnum:
    """The member that `value` names.

    Parameters
    ----------
    kind : IntEnum class
        One of this module's.
    value : member or str
        A member of `kind`, or its word.
    argument : str
        Named in the error.

    Raises
    ------
    ValueError
        An unknown word, or a member of another enum; the text lists the words.
    """
    if isinstance(value, kind):
        return value
    if isinstance(value, str) and value.upper() in kind.__members__ and value == value.lower():
        return kind[value.upper()]
    words = ", ".join(f'"{member.name.lower()}"' for member in kind)
    raise ValueError(f"{argument} must be a {kind.__name__} or one of {words}, got {value!r}")
