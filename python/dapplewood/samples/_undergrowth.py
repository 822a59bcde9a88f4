# SPDX-License-Identifier: MIT
"""Tufts of grass, flowers and ferns, at three levels of detail."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _clusters
from ._surface import UP, Surface, cards, strips, unit


@dataclass(frozen=True)
class Tuft:
    """Blades that lean outwards; crossed cards from afar, as wide and light as covers the same."""

    tall: float  # metres
    wide: float  # spread, metres
    blades: tuple[int, int]  # of the near levels
    widths: tuple[float, float, float]  # of a card; of the farthest, over the spread
    tiles: tuple[int, ...]  # of the crossed cards
    tints: tuple[tuple[float, float, float], ...]  # of a level's colours


TUFTS = {"meadow": Tuft(0.55, 0.34, (8, 5), (1.0, 1.16, 3.38), (0, 3, 1, 2),
                       ((1.0, 1.0, 1.0), (0.96, 0.96, 0.99), (1.08, 1.06, 1.05))),
         "flowers": Tuft(0.50, 0.36, (7, 5), (1.0, 1.155, 2.26), (0, 2, 3, 1),
                        ((1.0, 1.0, 1.0), (1.0, 1.0, 1.01), (1.03, 1.02, 0.96)))}
FRONDS = (10, 6)
_FROND_WIDTHS = (1.0, 1.52, 1.94)  # of a level; of the farthest, over the reach
_FERN_TINTS = ((1.0, 1.0, 1.0), (1.01, 1.01, 1.02), (0.72, 0.74, 0.78))


def tuft(kind: str, seed: int) -> list[Surface]:
    """Cards that lean outwards from a tuft's middle; the farthest are crossed ones."""
    one = TUFTS[kind]
    rng = np.random.default_rng([6000 + list(TUFTS).index(kind), seed])
    tall, wide = one.tall * rng.uniform(0.85, 1.15), one.wide
    turn0 = 6.2832 * rng.random()
    boxes = _clusters.boxes(kind)
    levels = [_leaning(rng.spawn(1)[0], count, tall, wide, turn0, boxes, joints, broad)
              for count, joints, broad in zip(one.blades, (3, 2), one.widths)]
    levels.append(_crossed(tall, one.widths[2] * wide, turn0, boxes[list(one.tiles)]))
    return [_meadow_light(level, tall, tint) for level, tint in zip(levels, one.tints)]


def _leaning(rng, count, tall, wide, turn0, boxes, joints, broad) -> Surface:
    turn = turn0 + (np.arange(count) + rng.uniform(-0.3, 0.3, count)) * (2.0 * np.pi / count)
    out = np.stack([np.cos(turn), 0.0 * turn, np.sin(turn)], 1)
    side = np.stack([-np.sin(turn), 0.0 * turn, np.cos(turn)], 1)
    away = wide * (0.15 + 0.55 * rng.random(count))
    height = tall * rng.uniform(0.75, 1.1, count)
    lean = rng.uniform(0.15, 0.45, count) * tall
    t = np.linspace(0.0, 1.0, joints)[None, :, None]
    spine = ((away[:, None] * out)[:, None] + t * (height[:, None] * UP)[:, None]
             + t**1.7 * (lean[:, None] * out)[:, None] - 0.03 * UP)
    box = boxes[rng.integers(0, len(boxes), count)]
    half = 0.5 * height * 1.15 * (box[:, 2] - box[:, 0]) / (box[:, 3] - box[:, 1])
    half = broad * np.clip(half, 0.5 * wide, 1.6 * wide)
    sides = np.broadcast_to((half[:, None] * side)[:, None], spine.shape)
    return strips(spine, -sides, 0.0 * spine, box, halves=1)


def _crossed(tall: float, width: float, turn0: float, boxes: np.ndarray) -> Surface:
    turn = turn0 + np.arange(len(boxes)) * (np.pi / len(boxes))
    right = 0.5 * width * np.stack([np.cos(turn), 0.0 * turn, np.sin(turn)], 1)
    up = np.tile(0.5 * tall * UP, (len(boxes), 1))
    return cards(up - 0.03 * UP, right, up, boxes)


def _meadow_light(surface: Surface, tall: float, tint) -> Surface:
    """Grass takes light as the ground does, and is dark at its foot; in place."""
    share = np.clip(surface.positions[:, 1:2] / tall, 0.0, 1.0)
    out = unit(surface.positions * (1.0, 0.0, 1.0) + 1e-6)
    surface.normals = unit(UP + 0.35 * out + 0.1 * surface.normals)
    light = np.clip((0.56, 0.58, 0.50) + (0.44, 0.42, 0.46) * share**0.8, 0.0, 1.0)
    surface.colors = np.minimum(light * tint, 1.0)
    return surface


def fern(seed: int) -> list[Surface]:
    """Fronds that rise from a crown and arch over; the farthest level is two crossed cards."""
    rng = np.random.default_rng([6100, seed])
    reach, turn0 = rng.uniform(0.75, 1.0), 6.2832 * rng.random()
    boxes = _clusters.boxes("fern")
    levels = []
    for level, count in enumerate(FRONDS):
        one = rng.spawn(1)[0]
        turn = turn0 + (np.arange(count) + one.uniform(-0.3, 0.3, count)) * (2 * np.pi / count)
        out = np.stack([np.cos(turn), 0.0 * turn, np.sin(turn)], 1)
        side = np.stack([-np.sin(turn), 0.0 * turn, np.cos(turn)], 1)
        length = reach * one.uniform(0.8, 1.15, count)
        rise = one.uniform(0.55, 0.95, count)
        t = np.linspace(0.0, 1.0, (5, 3)[level])[None, :, None]
        spine = (0.03 * out[:, None] + (length[:, None] * out)[:, None] * (0.35 * t + 0.6 * t * t)
                 + ((length * rise)[:, None] * UP)[:, None] * (1.45 * t - 0.95 * t * t))
        box = boxes[one.integers(0, 2, count)]
        half = _FROND_WIDTHS[level] * 0.30 * length
        sides = np.broadcast_to((half[:, None] * side)[:, None], spine.shape)
        drops = np.broadcast_to((-0.28 * half[:, None] * UP)[:, None], spine.shape)
        levels.append(strips(spine, -sides, drops, box))
    levels.append(_crossed(0.62 * reach, _FROND_WIDTHS[2] * reach, turn0, boxes[[2, 3]]))
    for surface, tint in zip(levels, _FERN_TINTS):
        axis = np.linalg.norm(surface.positions * (1, 0, 1), axis=1, keepdims=True) / reach
        facing = np.where(surface.normals[:, 1:2] < 0.0, -1.0, 1.0) * surface.normals
        surface.normals = unit(0.7 * facing + UP + 0.4 * unit(surface.positions * (1, 0, 1) + 1e-6))
        light = np.clip(0.45 + 0.65 * np.maximum(axis, surface.positions[:, 1:2] / reach), 0, 1)
        surface.colors = np.minimum(light * (1.0, 1.0, 0.95) * np.asarray(tint), 1.0)
    return levels
