# SPDX-License-Identifier: MIT
"""What anglers leave floating: a ring of corks that holds a net, and a bobber over bait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._models import _mesh, _solid
from ._surface import UP, Surface, joined, tube

if TYPE_CHECKING:
    from ..mesh import Mesh

_CORK, _ROPE = (0.78, 0.55, 0.34), (0.42, 0.38, 0.30)
_RED, _WHITE = (0.80, 0.10, 0.06), (0.92, 0.90, 0.86)
_CORKS, _RING = 13, 0.84  # metres: around the widest ripple
_BOBBER = 0.06  # its radius


def _round(length: float, radius: float, along: np.ndarray, middle: np.ndarray,
           rings: int, sides: int) -> Surface:  # fmt: skip
    """A body with round ends."""
    turn = np.linspace(0.03, np.pi - 0.03, rings)
    path = middle - np.cos(turn)[:, None] * along * (0.5 * length)
    return tube(path, radius * np.sin(turn) ** 0.6, sides)


def _painted(surface: Surface, color: tuple[float, float, float]) -> Surface:
    surface.colors = np.tile(color, (len(surface.positions), 1))
    return surface


def net() -> list[Mesh]:
    """A rope with corks around 1.7 m of water; its middle at the origin, afloat at y = 0."""
    turns = np.arange(_CORKS) * (2.0 * np.pi / _CORKS)
    out = np.stack([np.cos(turns), 0.0 * turns, np.sin(turns)], axis=1)
    along = np.stack([-np.sin(turns), 0.0 * turns, np.cos(turns)], axis=1)
    parts = [_painted(_round(0.13, 0.042, along[i], _RING * out[i] + 0.012 * UP, 7, 9), _CORK)
             for i in range(_CORKS)]  # fmt: skip
    fine = np.linspace(0.0, 2.0 * np.pi, 6 * _CORKS + 1)
    rope = np.stack([_RING * np.cos(fine), 0.004 * np.cos(_CORKS * fine), _RING * np.sin(fine)], 1)
    parts.append(_painted(tube(rope, np.full(len(rope), 0.012), 5), _ROPE))
    return [_mesh(joined(parts), _solid("driftwood"))]


def bobber() -> list[Mesh]:
    """A bobber, red above and white below, with a pin; it floats at the origin."""
    lean = np.array([0.22, 1.0, 0.10]) / np.linalg.norm([0.22, 1.0, 0.10])
    body = _round(2.2 * _BOBBER, _BOBBER, lean, 0.03 * UP, 11, 14)
    height = body.positions @ lean
    body.colors = np.where((height > 0.03)[:, None], _RED, _WHITE)
    steps = np.linspace(0.08, 0.24, 5)
    pin = tube(steps[:, None] * lean, np.full(5, 0.008), 6)
    return [_mesh(joined([body, _painted(pin, _RED)]), _solid("driftwood", 0.4))]
