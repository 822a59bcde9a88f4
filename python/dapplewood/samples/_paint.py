# SPDX-License-Identifier: MIT
"""Turns a plan of branches and leaves into pixels."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ._leaves import MAKERS
from ._plants import Leaf, Plan, Species, Wood
from ._raster import (BODY, CHANNELS, COVERAGE, SECOND, SHADOW, SIDE, VEIN, Sprite, stamp, stroke,
                      value_noise)

# Unit vector towards the light in the card, x right and y down: the sun stands high on the left.
_LIGHT_X, _LIGHT_Y = -0.55, -0.84
_SPRITE_VARIANTS = 5
_SPRITE_TEXELS = (20.0, 900.0)
# Distance between the outermost leaf and the rim of the card, pixels.
_RIM = 1.5
_SHORTEST_SEGMENT = 4.0  # pixels


def linear_from_srgb(code: np.ndarray) -> np.ndarray:
    """Decode sRGB values in [0, 1]."""
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def srgb_from_linear(value: np.ndarray) -> np.ndarray:
    """Encode linear light in [0, 1]."""
    return np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1.0 / 2.4) - 0.055)


@lru_cache(maxsize=256)
def _linear(word: int) -> np.ndarray:
    code = np.array([word >> 16, word >> 8 & 255, word & 255]) / 255.0
    return linear_from_srgb(code)


def _ramp(palette: tuple[int, ...], tone: float) -> np.ndarray:
    dark, middle, light = (_linear(word) for word in palette)
    if tone < 0.5:
        return dark + (middle - dark) * (2.0 * tone)
    return middle + (light - middle) * (2.0 * tone - 1.0)


class Layout:
    """Where a plan lands on a card of `width` x `height` pixels."""

    def __init__(self, plan: Plan, width: int, height: int):
        low, high = _bounds(plan)
        span = np.maximum(high - low, 1e-6)
        room = np.array([width, height]) - 2.0 * _RIM
        self.scale = float(np.min(room / span))
        self.left = 0.5 * (width - self.scale * (low[0] + high[0]))
        self.bottom = height - _RIM + self.scale * low[1]

    @classmethod
    def strip(cls, height: int) -> Layout:
        """A strip one unit high: x starts at -half its width, y = 0 lies on the lower border."""
        layout = cls.__new__(cls)
        layout.scale, layout.left, layout.bottom = float(height), 0.0, float(height)
        return layout

    def pixels(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(points) * (self.scale, -self.scale) + (self.left, self.bottom)


def _bounds(plan: Plan) -> tuple[np.ndarray, np.ndarray]:
    lows, highs = [], []
    for wood in plan.wood:
        reach = wood.radii[:, None]
        lows.append((wood.path - reach).min(axis=0))
        highs.append((wood.path + reach).max(axis=0))
    for leaf in plan.leaves:
        hull = MAKERS[leaf.maker].hull(_lean(_variant(leaf))) * leaf.length
        ax, ay = math.cos(leaf.angle), math.sin(leaf.angle)
        x = leaf.x + ax * hull[:, 1] + ay * leaf.spread * hull[:, 0]
        y = leaf.y + ay * hull[:, 1] - ax * leaf.spread * hull[:, 0]
        lows.append((x.min(), y.min()))
        highs.append((x.max(), y.max()))
    return np.min(lows, axis=0), np.max(highs, axis=0)


def _variant(leaf: Leaf) -> int:
    return int(leaf.variant * _SPRITE_VARIANTS)


def _lean(variant: int) -> float:
    """How far a sprite variant bends, from -1 to 1."""
    return 2.0 * variant / (_SPRITE_VARIANTS - 1) - 1.0


class Painter:
    """Paints cards of one species, sharing the sprites between them."""

    def __init__(self, species: Species, sprite_rng: np.random.Generator):
        self.species = species
        self.rng = sprite_rng
        self.sprites: dict[str, list[Sprite]] = {}

    def prepare(self, plans: list[Plan], layouts: list[Layout]) -> None:
        """Make the sprites for the largest leaf of each kind."""
        longest: dict[str, float] = {}
        for plan, layout in zip(plans, layouts):
            for leaf in plan.leaves:
                pixels = leaf.length * layout.scale
                longest[leaf.maker] = max(longest.get(leaf.maker, 0.0), pixels)
        for maker, pixels in sorted(longest.items()):
            size = min(max(2.3 * pixels, _SPRITE_TEXELS[0]), _SPRITE_TEXELS[1])
            self.sprites[maker] = [MAKERS[maker].draw(self.rng, size, _lean(variant))
                                   for variant in range(_SPRITE_VARIANTS)]

    def paint(self, plan: Plan, layout: Layout, width: int, height: int, *,
              wrap: bool = False) -> np.ndarray:
        """Return a (4, height, width) float32 card, premultiplied, linear light.

        With `wrap`, what leaves the card on one side enters it on the other.
        """
        canvas = np.zeros((4, height, width), np.float32)
        grain = 1.0 + 0.3 * (value_noise(self.rng, height, width, 40.0)
                             + value_noise(self.rng, height, width, 130.0))
        parts = sorted([*plan.wood, *plan.leaves], key=lambda part: part.z)
        for part in parts:
            if isinstance(part, Wood):
                self._wood(canvas, part, layout, grain)
            else:
                for shift in (0, -width, width) if wrap else (0,):
                    self._leaf(canvas, part, layout, shift)
        return canvas

    def _wood(self, canvas: np.ndarray, wood: Wood, layout: Layout, grain) -> None:
        path = layout.pixels(wood.path)
        radii = np.maximum(wood.radii * layout.scale, 0.3)
        # Bends shorter than a few pixels do not show.
        joints = len(path) - 1
        step = max(1, int(_SHORTEST_SEGMENT * joints / max(np.ptp(path, axis=0).max(), 1.0)))
        kept = np.unique(np.append(np.arange(0, joints, step), joints))
        path, radii = path[kept], radii[kept]
        palette = self.species.palettes[wood.tint]
        dx, dy = path[-1] - path[0]
        # The lit side of a stroke is the one whose normal (-dy, dx) turns to the light.
        facing = (-dy * _LIGHT_X + dx * _LIGHT_Y) / max(math.hypot(dx, dy), 1e-6)
        colour = _ramp(palette, 0.42 + 0.12 * wood.z)
        flat = np.append(colour, 1.0)
        lit = np.append(colour * 0.75 * facing, 0.0)
        stroke(canvas, path, radii, flat, lit,
               grain if wood.tint in ("bark", "head") else None, cut=wood.path[0, 1] <= 0.0)

    def _leaf(self, canvas: np.ndarray, leaf: Leaf, layout: Layout, shift: int = 0) -> None:
        sprite = self.sprites[leaf.maker][_variant(leaf)]
        axis = (math.cos(leaf.angle), -math.sin(leaf.angle))
        length = leaf.length * layout.scale
        cast = max(1, round(0.035 * length))
        base = layout.pixels((leaf.x, leaf.y))
        # The crown shades itself: full light reaches its upper left, where the sun stands.
        _, height, width = canvas.shape
        open_sky = 0.85 + 0.22 * (1.0 - base[1] / height) + 0.10 * (0.5 - base[0] / width)
        stamp(canvas, sprite, base + (shift, 0), axis, length, leaf.spread,
              self._colour(leaf, axis, open_sky), (round(0.6 * cast), cast))

    def _colour(self, leaf: Leaf, axis: tuple[float, float], open_sky: float) -> np.ndarray:
        """Matrix from sprite channels to red, green, blue, alpha and shadow."""
        species = self.species
        # Each leaf has its own hue and tilt, told apart by the digits of its variant number.
        hue = (leaf.variant * 37.0) % 1.0 - 0.5
        tilt = (leaf.variant * 101.0) % 1.0 - 0.5
        tint = _ramp(species.palettes[leaf.tint], leaf.tone)
        if leaf.tint == "leaf":
            tint = tint * (1.0 + 0.34 * hue, 1.0 + 0.05 * hue, 1.0 - 0.30 * hue)
        along = axis[0] * _LIGHT_X + axis[1] * _LIGHT_Y
        across = -axis[1] * _LIGHT_X + axis[0] * _LIGHT_Y
        depth = 0.80 + 0.30 * min(max(leaf.z, -1.0), 1.0)
        light = depth * open_sky * (1.10 + 0.16 * along + 0.34 * tilt)
        gloss = species.gloss * across * math.copysign(1.0, leaf.spread)
        colour = np.zeros((5, CHANNELS), np.float32)
        colour[:3, BODY] = tint * light
        colour[:3, SIDE] = tint * light * gloss
        colour[:3, VEIN] = (0.55 * _linear(species.vein) + 0.45 * tint) * light
        colour[:3, SECOND] = _linear(species.second) * (0.35 + 0.65 * light)
        colour[3, COVERAGE] = 1.0
        colour[4, SHADOW] = 0.55
        return colour
