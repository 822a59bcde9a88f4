# SPDX-License-Identifier: MIT
"""Atlases for crowns: branchlets that fill a card, boughs, hanging sprays, fronds and tufts."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ._atlas import Encoder
from ._paint import Layout, Painter
from ._plants import Plan, Species, at, daisy, fern, grass, reed, tuft

GUTTER = 8
_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))

_BARK = (0x2E2620, 0x51453A, 0x7C6B58)
_STALK = (0x3F4A1E, 0x6B7A33, 0x9DA552)


def _painted(palettes: dict[str, tuple[int, ...]], vein: int, second: int,
             gloss: float = 0.35) -> Species:
    return Species(lambda plan: None, palettes, vein, second, gloss)


# Colours of a late afternoon: olive and gold rather than emerald, blue-green in the conifers.
PALETTES: dict[str, Species] = {
    "oak": _painted({"leaf": (0x404A26, 0x757F40, 0xB8B466), "bark": _BARK},
                    0xB9BC6C, 0x7A6A24, 0.25),
    "birch": _painted({"leaf": (0x6A7030, 0xA5A652, 0xDED27A),
                       "bark": (0x4A3A30, 0x6E5A4C, 0x94806C)}, 0xD6D283, 0xB8902A, 0.25),
    "maple": _painted({"leaf": (0x7A3E1E, 0xBC6E36, 0xE8B45E), "bark": _BARK},
                      0xF0B868, 0x8A2A14, 0.25),
    "spruce": _painted({"leaf": (0x243C34, 0x466656, 0x92AC8C),
                        "bark": (0x40281A, 0x664029, 0x8F6340)}, 0x8FAA7A, 0x664029),
    "pine": _painted({"leaf": (0x42543C, 0x70855C, 0xBAC490),
                      "bark": (0x4A3020, 0x70492F, 0x99704A)}, 0x9FB074, 0x6E4A2E),
    "bush": _painted({"leaf": (0x3A4C2A, 0x657A42, 0xACB062), "bark": _BARK,
                      "petal": (0xD9A7A0, 0xF1CDBE, 0xFFEFE0),
                      "disc": (0xA86A08, 0xE0A010, 0xF8CC30)}, 0x9CAC5E, 0xE8C87A, 0.3),
    "fern": _painted({"leaf": (0x4A6032, 0x788E4C, 0xB8BE70), "stalk": _STALK},
                     0xB0BC62, 0x7A7A24),
    "meadow": _painted({"leaf": (0x5E6A30, 0x98A04C, 0xD6C87A), "stalk": _STALK,
                        "head": (0x6B5428, 0xA88A4A, 0xD8BE7C)}, 0xB9B458, 0xD2B468, 0.3),
    "flowers": _painted({"leaf": (0x56662E, 0x8C9848, 0xC8C06C), "stalk": _STALK,
                         "petal": (0xB9AEB4, 0xE9E2DC, 0xFFFAF0),
                         "disc": (0xA86A08, 0xE0A010, 0xF8CC30)}, 0xA9B458, 0xD2BA8A, 0.25),
    "walker": _painted({"leaf": (0x46592A, 0x7C8C40, 0xBEBE6C),
                        "gold": (0x8A5620, 0xC08A3A, 0xE6C46C)}, 0xBCBF70, 0x8A7A2C, 0.3),
}


def cluster(plan: Plan, maker: str, leaf: float, count: int, *, width: float = 0.40,
            height: float = 0.42, twigs: int = 7, hang: float = 0.0, lobes: float = 0.2,
            spread: float = 0.8, bloom: int = 0, gap_count: int = 4, tone: float = 0.36) -> None:
    """A leafy branchlet that fills its card: leaves turn outwards, the front ones over the rest.

    `hang` turns the leaves to the ground, `lobes` roughens the outline, `gap_count` holes let
    light through, `bloom` adds flowers, `tone` is how light the leaves are.
    """
    middle = 0.8 * height
    phase = plan.uniform(0.0, 6.28)
    for k in range(twigs):
        aim = np.pi * (0.08 + 0.84 * (k + plan.uniform(0.2, 0.8)) / twigs)
        plan.branch(0.0, 0.0, aim + 0.25 * (np.pi / 2 - aim),
                    (middle + 0.55 * height) * plan.uniform(0.6, 0.85), 0.009,
                    curve=0.35 * plan.uniform(-1, 1), z=plan.uniform(-0.9, -0.2), joints=7)
    gaps = [(0.9 * width * plan.uniform(-1, 1), middle + 0.9 * height * plan.uniform(-1, 1),
             plan.uniform(0.05, 0.10)) for _ in range(gap_count)]
    for k in range(count):
        turn = _GOLDEN * k + phase
        rim = 1.0 + lobes * (np.cos(3.0 * turn + phase) + 0.7 * np.cos(5.0 * turn - 2.0 * phase)
                             + 0.6 * np.cos(8.0 * turn + 3.0 * phase))
        r = np.sqrt((k + 0.5) / count) * rim
        x = width * r * np.cos(turn) + plan.uniform(-0.02, 0.02)
        y = middle + height * r * np.sin(turn) + plan.uniform(-0.02, 0.02)
        if any((x - gx) ** 2 + (y - gy) ** 2 < size * size for gx, gy, size in gaps):
            continue
        away = np.arctan2(y + 0.05, x) + spread * (1.4 - 0.6 * r) * plan.uniform(-1.0, 1.0)
        if hang > 0.0:
            away = np.arctan2((1.0 - hang) * np.sin(away) - hang, (1.0 - hang) * np.cos(away))
        z = 0.85 - 1.35 * min(r, 1.2) + 0.55 * plan.uniform(-1.0, 1.0)
        shine = np.clip(tone + 0.26 * z + 0.30 * (y - middle) / height * 0.5
                        + plan.uniform(-0.16, 0.16), 0.0, 0.95)
        plan.leaf(maker, x, y, away, leaf * plan.uniform(0.78, 1.12), z=z, tone=float(shine))
    for k in range(bloom):
        turn, r = plan.uniform(0.0, 6.28), np.sqrt(plan.uniform(0.02, 0.8))
        _flower(plan, width * r * np.cos(turn), middle + height * r * np.sin(turn),
                0.42 * leaf * plan.uniform(0.8, 1.2), 1.2 + 0.01 * k)


def _flower(plan: Plan, x: float, y: float, size: float, z: float) -> None:
    phase = plan.uniform(0.0, 6.28)
    for k in range(5):
        plan.leaf("petal", x, y, phase + 1.2566 * k, size, z=z, spread=2.6, tint="petal",
                  tone=0.5 + 0.3 * np.sin(phase + 1.2566 * k))
    plan.leaf("disc", x, y, np.pi / 2, 0.45 * size, z=z + 0.005, spread=1.0, tint="disc", tone=0.6)


def curtain(plan: Plan, maker: str, leaf: float, *, strands: int = 9, leaves: int = 15) -> None:
    """Strands that a drooping twig lets hang, drawn upside down: y runs towards the ground."""
    for k in range(strands):
        x = 0.36 * (2.0 * (k + plan.uniform(0.2, 0.8)) / strands - 1.0)
        z = plan.uniform(-0.8, 0.8)
        length = plan.uniform(0.55, 1.0) * (1.0 - 0.5 * abs(x))
        strand = plan.branch(0.55 * x, 0.0, np.pi / 2 - 0.75 * x, length, 0.006,
                             curve=0.5 * x + plan.uniform(-0.15, 0.15), z=z - 0.3, joints=8)
        for i in range(leaves):
            t = 0.02 + 0.98 * (i + plan.uniform(0.2, 0.8)) / leaves
            px, py, heading = at(strand, t)
            side = (1.0 if i % 2 else -1.0) * plan.uniform(0.35, 1.0)
            tone = np.clip(0.5 + 0.25 * z - 0.22 * t + plan.uniform(-0.2, 0.2), 0.0, 0.95)
            plan.leaf(maker, px, py, heading + side, leaf * plan.uniform(0.75, 1.1),
                      z=z + plan.uniform(-0.4, 0.4), tone=float(tone))


def bough(plan: Plan, *, twigs: int = 15, width: float = 0.40, tone: float = 0.25) -> None:
    """A spruce bough from above: needle shoots in two ranks that lengthen, then shorten."""
    main = plan.branch(0, 0, np.pi / 2, 0.86, 0.014, curve=plan.uniform(-0.12, 0.12), taper=0.35,
                       z=-0.4, wobble=0.05)
    for i in range(twigs):
        t = 0.05 + 0.92 * i / (twigs - 1)
        x, y, heading = at(main, t)
        envelope = min(1.0, 0.45 + 2.6 * t) * (1.0 - 0.72 * t)
        for side in (1.0, -1.0):
            z = plan.uniform(-0.7, 0.5)
            length = (width * envelope + 0.07) * plan.uniform(0.85, 1.12)
            angle = heading + side * plan.uniform(0.75, 1.0)
            shine = np.clip(tone + 0.35 * t + 0.2 * z + plan.uniform(-0.15, 0.15), 0.0, 0.95)
            plan.leaf("spruce", x, y, angle, length, spread=plan.uniform(0.9, 1.15), z=z,
                      tone=float(shine))
            if length > 0.2:
                for s in (0.3, 0.55):
                    plan.leaf("spruce", x + s * length * np.cos(angle),
                              y + s * length * np.sin(angle), angle - side * plan.uniform(0.4, 0.7),
                              0.52 * length, spread=1.2, z=z + 0.15,
                              tone=float(np.clip(shine + 0.12, 0, 1)))
    x, y, heading = at(main, 0.95)
    plan.leaf("spruce", x, y, heading, 0.2, spread=1.1, z=0.6, tone=0.8)


def fringe(plan: Plan) -> None:
    """Shoots that hang from a spruce bough, drawn upside down."""
    for k in range(34):
        x = 0.5 * (2.0 * (k + plan.uniform(0.1, 0.9)) / 34 - 1.0)
        z = plan.uniform(-0.9, 0.9)
        plan.leaf("spruce", x, plan.uniform(0.0, 0.06), np.pi / 2 - 0.3 * x
                  + plan.uniform(-0.25, 0.25), plan.uniform(0.35, 0.72) * (1.15 - 0.9 * abs(x)),
                  spread=plan.uniform(0.8, 1.1), z=z,
                  tone=float(np.clip(0.35 + 0.25 * z + plan.uniform(-0.1, 0.15), 0, 1)))


def needle_tuft(plan: Plan, count: int, length: float, *, tone: float = 0.36) -> None:
    """Pine shoots radiating from a twig's forks, dense towards the light."""
    for k in range(count):
        turn = _GOLDEN * k
        r = np.sqrt((k + 0.5) / count)
        x, y = 0.32 * r * np.cos(turn), 0.30 + 0.30 * r * np.sin(turn)
        aim = np.arctan2(y - 0.10, x) + 0.45 * plan.uniform(-1.0, 1.0)
        z = 0.6 - 1.2 * r + 0.4 * plan.uniform(-1.0, 1.0)
        shine = np.clip(tone + 0.25 * z + 0.5 * (y - 0.3) + plan.uniform(-0.12, 0.12), 0.0, 0.95)
        plan.leaf("pine", x, y, aim, length * plan.uniform(0.85, 1.15), spread=plan.uniform(0.8, 1),
                  z=z, tone=float(shine))
    for k in range(6):
        aim = np.pi / 2 + 0.38 * (k - 2.5)
        plan.branch(0.0, 0.0, aim, 0.5 * plan.uniform(0.7, 1.0), 0.010, z=-1.2, joints=5)


def frond(plan: Plan) -> None:
    """One fern frond, seen flat."""
    stem = plan.branch(0.0, 0.0, np.pi / 2, 1.0, 0.008, curve=plan.uniform(-0.1, 0.1), wobble=0.03,
                       z=-0.2, tint="stalk", joints=12)
    pairs = 24
    for k in range(pairs):
        t = 0.10 + 0.90 * k / pairs
        x, y, heading = at(stem, t)
        s = (t - 0.10) / 0.90
        length = 0.30 * min(1.0, 0.5 + 2.4 * s) * (1.0 - s) ** 0.7 + 0.014
        for sign in (1.0, -1.0):
            tone = np.clip(0.35 + 0.35 * s + plan.uniform(-0.1, 0.1), 0.0, 1.0)
            plan.leaf("pinna", x, y, heading + sign * (1.25 - 0.45 * s), length,
                      z=0.1 * sign + plan.uniform(-0.1, 0.1), spread=plan.uniform(0.95, 1.2),
                      tone=float(tone))


def _ears(plan: Plan) -> None:
    tuft(plan, "blade", 80, 0.34, base=0.34, tall=(0.35, 0.9))
    reed_like = Plan(plan.rng)
    reed(reed_like)
    plan.wood.extend(part._replace(radii=0.6 * part.radii) for part in reed_like.wood)


def _lone(plan: Plan, maker: str, *, tint: str = "leaf", tone: float = 0.6) -> None:
    """One leaf that fills its card."""
    plan.leaf(maker, 0.0, 0.0, np.pi / 2, 1.0, spread=1.0, tone=tone, tint=tint)


def _of(draw: Callable, *numbers, **options) -> Callable[[Plan], None]:
    return lambda plan: draw(plan, *numbers, **options)


# Four tiles a species: two for near cards, one for middle cards, one for the farthest and largest.
TILES: dict[str, tuple[Callable[[Plan], None], ...]] = {
    "oak": (_of(cluster, "oak", 0.21, 105), _of(cluster, "oak", 0.19, 120, lobes=0.22),
            _of(cluster, "oak", 0.13, 240, twigs=9, lobes=0.26, gap_count=7, tone=0.50),
            _of(cluster, "oak", 0.09, 850, twigs=9, lobes=0.30, gap_count=5, tone=0.54)),
    "birch": (_of(curtain, "birch", 0.125, strands=11, leaves=15),
              _of(curtain, "birch", 0.12, strands=13, leaves=15),
              _of(curtain, "birch", 0.09, strands=19, leaves=20),
              _of(cluster, "birch", 0.085, 560, hang=0.45, lobes=0.30, twigs=9,
                  gap_count=8, tone=0.64)),
    "maple": (_of(cluster, "maple", 0.22, 60), _of(cluster, "maple", 0.20, 68, lobes=0.22),
              _of(cluster, "maple", 0.135, 150, twigs=9, lobes=0.26, gap_count=7, tone=0.50),
              _of(cluster, "maple", 0.098, 430, twigs=9, lobes=0.30, gap_count=8, tone=0.54)),
    "spruce": (_of(bough), _of(bough, twigs=13, width=0.44), fringe,
               _of(bough, twigs=21, width=0.46, tone=0.31)),
    "pine": (_of(needle_tuft, 24, 0.30), _of(needle_tuft, 28, 0.28),
             _of(needle_tuft, 52, 0.20, tone=0.50), _of(needle_tuft, 105, 0.145, tone=0.54)),
    "bush": (_of(cluster, "box", 0.15, 150, width=0.44),
             _of(cluster, "box", 0.15, 150, width=0.44, bloom=9),
             _of(cluster, "box", 0.105, 310, width=0.46, bloom=14),
             _of(cluster, "box", 0.085, 540, width=0.46, bloom=22)),
    "fern": (frond, frond, fern, fern),
    "meadow": (grass, grass, _ears, _ears),
    "flowers": (daisy, daisy, grass, daisy),
    "walker": (_of(_lone, "beech"), _of(_lone, "oak", tone=0.5),
               _of(_lone, "ash", tone=0.68), _of(_lone, "beech", tint="gold")),
}


def paint(name: str, size: int = 1024) -> np.ndarray:
    """The atlas of a kind of foliage: (size, size, 4) u8, 2 x 2 tiles with a gutter."""
    return _painted(name, size)  # however it is called, it is painted once


@lru_cache(maxsize=16)
def _painted(name: str, size: int) -> np.ndarray:
    kind = list(TILES).index(name)
    tile = size // 2
    inner = tile - 2 * GUTTER
    species = PALETTES[name]
    plans = []
    for index, grow in enumerate(TILES[name]):
        plan = Plan(np.random.default_rng([3000 + kind, index]))
        grow(plan)
        plans.append(plan)
    layouts = [Layout(plan, inner, inner) for plan in plans]
    painter = Painter(species, np.random.default_rng([3000 + kind, 99]))
    painter.prepare(plans, layouts)
    encode = Encoder("average", 8)
    image = np.empty((size, size, 4), np.uint8)
    for index, (plan, layout) in enumerate(zip(plans, layouts)):
        y, x = index // 2 * tile, index % 2 * tile
        encode(painter.paint(plan, layout, inner, inner), GUTTER,
               image[y : y + tile, x : x + tile])
    image.setflags(write=False)
    return image


@lru_cache(maxsize=16)
def boxes(name: str, size: int = 1024) -> np.ndarray:
    """What each tile's plant fills, (tiles, 4) as u0, v0 (top), u1, v1 (bottom)."""
    alpha = paint(name, size)[..., 3]
    tile = size // 2
    found = []
    for index in range(4):
        y, x = index // 2 * tile, index % 2 * tile
        part = alpha[y : y + tile, x : x + tile] >= 64
        rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
        found.append((x + columns[0], y + rows[0], x + columns[-1] + 1, y + rows[-1] + 1))
    return np.array(found) / size
