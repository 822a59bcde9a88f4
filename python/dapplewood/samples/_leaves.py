# SPDX-License-Identifier: MIT
"""Leaf sprites: outlines, veins, needles, petals. Unit frame: attached at (0, 0), tip at (0, 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

import numpy as np

from ._raster import (BODY, CHANNELS, COVERAGE, SECOND, SHADOW, SIDE, VEIN, Sprite, box_blur,
                      polygon_coverage, stroke, value_noise)

@dataclass(frozen=True)
class Maker:
    """Draws sprites of one kind of leaf and knows their extent in leaf lengths."""

    draw: Callable[[np.random.Generator, float, float], Sprite]  # rng, texels, lean in [-1, 1]
    outline: np.ndarray  # (N, 2), unbent
    bend: float = 0.0  # sideways shift of the tip at lean 1
    petiole: float = 0.0  # length of the stalk below the attachment of the blade

    def hull(self, lean: float) -> np.ndarray:
        """Points around the leaf, (N, 2)."""
        points = self.outline.copy()
        points[:, 0] += self.bend * lean * points[:, 1] ** 2
        return points


def _box(half_width: float, bottom: float, top: float) -> np.ndarray:
    return np.array([(-half_width, bottom), (half_width, bottom), (half_width, top),
                     (-half_width, top)])


def _mirrored(half: np.ndarray) -> np.ndarray:
    """Close a right-hand outline that runs from base to tip with its mirror image."""
    return np.concatenate([half, half[::-1] * (-1.0, 1.0)])


def _jittered(outline: np.ndarray, rng: np.random.Generator, amount: float) -> np.ndarray:
    """Move an outline by a smooth random field: no two leaves of a tree are alike."""
    phase = rng.random((2, 3, 2)) * 2.0 * np.pi
    moved = outline.copy()
    for axis in range(2):
        for wave in range(3):
            k = 3.0 + 3.0 * wave
            moved[:, axis] += amount / (wave + 1.0) * np.sin(
                k * outline[:, 0] + phase[axis, wave, 0]) * np.sin(
                    k * outline[:, 1] + phase[axis, wave, 1])
    return moved


def _spline(points, samples: int = 10) -> np.ndarray:
    """Catmull-Rom curve through the points, ends included."""
    p = np.asarray(points, float)
    p = np.concatenate([2 * p[:1] - p[1:2], p, 2 * p[-1:] - p[-2:-1]])
    t = (np.arange(samples) / samples)[None, :, None]
    a, b, c, d = (p[i : len(p) - 3 + i, None] for i in range(4))
    curve = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2
                   + (3 * b - a - 3 * c + d) * t**3)
    return np.concatenate([curve.reshape(-1, 2), p[-2:-1]])


def _blade(width: float, base: float, tip: float, samples: int = 140) -> np.ndarray:
    """Half outline x = width * t^base (1 - t)^tip, scaled so that its widest point is `width`."""
    t = (1.0 - np.cos(np.linspace(0.0, np.pi, samples))) * 0.5
    peak = base / (base + tip)
    x = width * (t / peak) ** base * ((1.0 - t) / (1.0 - peak)) ** tip
    return np.stack([x, t], axis=1)


def _serrated(half: np.ndarray, teeth: float, depth: float, double: bool = False) -> np.ndarray:
    """Cut forward-pointing saw teeth, `teeth` along the leaf, `depth` of a leaf length deep."""
    count = 900
    t = np.linspace(0.0, len(half) - 1.0, count)
    node = np.arange(len(half))
    fine = np.stack([np.interp(t, node, half[:, 0]), np.interp(t, node, half[:, 1])], axis=1)
    phase = fine[:, 1] * teeth
    saw = phase % 1.0
    cut = depth * (1.0 - saw)
    if double:
        cut += 0.45 * depth * (1.0 - (phase * 3.0) % 1.0)
    cut *= np.minimum(1.0, fine[:, 0] / (4.0 * depth))
    fine[:, 0] = np.maximum(fine[:, 0] - cut, 0.0)
    fine[:, 1] += 0.5 * cut
    return fine


def _lobed(half: np.ndarray, lobes: float, depth: float, skew: float) -> np.ndarray:
    """Round lobes as of an oak: `depth` is the share of the width lost in a sinus."""
    t = np.linspace(0.0, 1.0, 420)
    x = np.interp(t, half[:, 1], half[:, 0])
    wave = np.abs(np.sin(np.pi * (lobes * t**0.9 + 0.12))) ** 0.8
    out = x * (1.0 - depth * (1.0 - wave) * np.minimum(1.0, 4.0 * t) * (1.0 - 0.35 * t))
    return np.stack([out, t + skew * (out - 0.5 * x) * (1.0 - t) * np.minimum(1, 5 * t)], axis=1)


def _bowed(points, bow: float, samples: int = 8) -> np.ndarray:
    """Join points by arcs that sag inwards by `bow` of their length: the teeth of a maple."""
    p = np.asarray(points, float)
    t = (np.arange(samples) / samples)[None, :, None]
    step = p[1:, None] - p[:-1, None]
    normal = np.stack([-step[..., 1], step[..., 0]], axis=-1)
    curve = p[:-1, None] + t * step + bow * 4.0 * t * (1.0 - t) * normal
    return np.concatenate([curve.reshape(-1, 2), p[-1:]])


class _Frame:
    """Texel grid around an outline, with room for the petiole and the shadow."""

    def __init__(self, outline: np.ndarray, size: float, petiole: float):
        self.size = size
        left, right = outline[:, 0].min(), outline[:, 0].max()
        # A wide leaf casts a soft shadow, a blade of grass a tight one.
        spread = min(max(0.12 * (right - left), 0.010), 0.035)
        self.shadow_radius = max(1, int(round(spread * size)))
        margin = 2 * self.shadow_radius + 3
        bottom, top = min(outline[:, 1].min(), -petiole), outline[:, 1].max()
        self.origin = (margin - left * size, margin + top * size)
        self.width = int(np.ceil((right - left) * size)) + 2 * margin
        self.height = int(np.ceil((top - bottom) * size)) + 2 * margin
        self.x = ((np.arange(self.width, dtype=np.float32) + 0.5 - self.origin[0]) / size)[None, :]
        self.y = ((self.origin[1] - 0.5 - np.arange(self.height, dtype=np.float32)) / size)[:, None]

    def texels(self, points: np.ndarray) -> np.ndarray:
        return points * (self.size, -self.size) + self.origin

    def coverage(self, outline: np.ndarray) -> np.ndarray:
        return polygon_coverage(self.texels(outline), self.height, self.width)

    def line(self, distance: np.ndarray, half_width) -> np.ndarray:
        """Soft line at `distance` 0; a line thinner than two texels fades instead of vanishing."""
        floor = 1.2 / self.size
        soft = np.maximum(half_width, floor)
        return np.clip(1.0 - np.abs(distance) / (2.0 * soft), 0.0, 1.0) * (half_width / soft)

    def sprite(self, cover, body, side, vein, second, thin: bool = False) -> Sprite:
        planes = np.zeros((CHANNELS, self.height, self.width), np.float32)
        planes[COVERAGE] = cover
        planes[BODY] = cover * body * (1.0 - vein) * (1.0 - second)
        planes[SIDE] = planes[BODY] * side
        planes[VEIN] = cover * vein
        planes[SECOND] = cover * second * (1.0 - vein) * body
        planes[SHADOW] = box_blur(cover, self.shadow_radius)
        return Sprite(planes, self.origin, self.size, thin)


def _pinnate_veins(frame: _Frame, x, pairs: float, slope: float, weight: float):
    """Midrib and curved side veins: (vein amount, ribbed relief in [-1, 1])."""
    y = frame.y
    away = np.abs(x)
    stagger = np.where(x > 0.0, np.float32(0.0), np.float32(0.3))
    phase = (y - slope * away + 0.9 * slope * away * away) * pairs + stagger
    cell = phase - np.floor(phase) - 0.5
    fade = np.clip(1.0 - 1.1 * away / 0.5, 0.0, 1.0) * np.clip(12.0 * (1.0 - y), 0.0, 1.0)
    ribs = frame.line(cell / pairs / np.sqrt(1.0 + slope * slope), 0.0035 * weight) * 0.55 * fade
    middle = frame.line(away, 0.009 * weight * np.clip(1.12 - y, 0.25, 1.2))
    relief = np.sin(2.0 * np.pi * cell) * np.clip(away * 12.0, 0.0, 1.0) * np.sign(x)
    return np.maximum(ribs, middle * np.float32(0.85)), relief


def _ray_veins(frame: _Frame, x, tips, side_veins: float, weight: float):
    """Veins from the base to each tip with side veins off them, as of a maple: (amount, relief)."""
    nearest = np.full(np.broadcast_shapes(x.shape, frame.y.shape), 9.0, np.float32)
    along = np.zeros_like(nearest)
    signed = np.zeros_like(nearest)
    main = np.zeros_like(nearest)
    for tx, ty in tips:
        length = float(np.hypot(tx, ty))
        ux, uy = tx / length, ty / length
        t = x * ux + frame.y * uy
        d = x * uy - frame.y * ux
        beyond = np.abs(d) + np.maximum(0.0, -t) * 2.0
        closer = beyond < nearest
        nearest = np.where(closer, beyond, nearest)
        along = np.where(closer, t, along)
        signed = np.where(closer, d, signed)
        inside = (t > 0.0) & (t < length)
        taper = 0.0085 * weight * np.clip(1.1 - t / length, 0.2, 1.0)
        main = np.maximum(main, frame.line(d, taper) * inside)
    phase = (along - 0.9 * nearest) * side_veins + np.where(signed > 0.0, 0.0, 0.4)
    cell = phase - np.floor(phase) - 0.5
    ribs = frame.line(cell / side_veins * 0.75, 0.003 * weight) * 0.45
    ribs *= np.clip(1.0 - nearest * 5.0, 0.0, 1.0)
    relief = np.sin(2.0 * np.pi * cell) * np.clip(nearest * 12.0, 0.0, 1.0) * np.sign(signed)
    return np.maximum(main * np.float32(0.85), ribs), relief


def leaf(outline: Callable[[np.random.Generator], np.ndarray], *, veins=("pinnate", 8.0, 0.9),
         petiole: float = 0.12, bend: float = 0.08, jitter: float = 0.012, weight: float = 1.0,
         relief: float = 0.07, mottle: float = 0.09, bites: float = 0.0, mark=None,
         blotch: float = 0.0, gloss: float = 0.16) -> Maker:
    """Return a maker of flat leaves: outline, petiole, veins, relief, mottling and damage.

    `bend` curves the midrib sideways, `bites` is the chance of a gnawed rim, `blotch` the amount of
    second-colour stains, `gloss` the amount of pale sheen, `mark(x, y)` a second-colour pattern in
    the leaf's frame.
    """

    def draw(rng: np.random.Generator, size: float, lean: float) -> Sprite:
        curve = bend * lean
        shape = _jittered(outline(rng), rng, jitter)
        shape[:, 0] += curve * shape[:, 1] ** 2
        frame = _Frame(shape, size, petiole)
        cover = frame.coverage(shape)
        x = frame.x - np.float32(curve) * frame.y * np.abs(frame.y)
        stalk = frame.line(x, 0.010 * weight) * ((frame.y < 0.04) & (frame.y > -petiole))
        stalk = np.minimum(1.0, 1.6 * stalk)
        if rng.random() < bites:
            cover *= _gnawed(frame, shape, rng)
        kind, *numbers = veins
        amount, ribbed = (_pinnate_veins if kind == "pinnate" else _ray_veins)(
            frame, x, *numbers, weight)
        amount = np.maximum(amount * cover, stalk)
        whole = np.maximum(cover, stalk)
        grain = value_noise(rng, frame.height, frame.width, 6.0)
        fine = value_noise(rng, frame.height, frame.width, 24.0)
        # Ridges of noise stand for the net of the smallest veins.
        net = 0.5 - np.minimum(np.abs(value_noise(rng, frame.height, frame.width, 44.0)) * 2.5, 1.0)
        rim = np.clip(cover - box_blur(cover, max(1, int(0.012 * size)), 1), 0.0, 1.0)
        side = np.clip(x * 22.0, -1.0, 1.0) * (1.0 - 0.6 * np.clip(np.abs(x) * 2.2, 0.0, 1.0))
        body = (1.0 + relief * ribbed + mottle * (0.7 * grain + 0.5 * fine + 0.45 * net)
                + 0.30 * np.clip(frame.y, 0.0, 1.0) - 0.19 + 0.22 * rim)
        sheen = value_noise(rng, frame.height, frame.width, 3.5) + 0.5 * side - 0.25
        amount = np.minimum(1.0, amount + gloss * np.clip(sheen, 0.0, 1.0))
        second = np.zeros_like(cover)
        if mark is not None:
            second += mark(x, frame.y)
        if blotch > 0.0:
            stain = value_noise(rng, frame.height, frame.width, 5.0) + 0.5 * fine + 2.0 * rim
            second += np.clip((stain - 1.1 + blotch) * 2.5, 0.0, 0.8)
        return frame.sprite(whole, body, side, amount, np.clip(second, 0.0, 1.0))

    typical = outline(np.random.default_rng(0))
    hull = typical[:: max(1, len(typical) // 40)]
    return Maker(draw, hull + 1.8 * jitter * np.sign(hull - (0.0, 0.4)), bend, petiole)


def _gnawed(frame: _Frame, shape: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Coverage factor with two or three bites out of the rim and a hole or two."""
    keep = np.ones((frame.height, frame.width), np.float32)
    for i in range(4):
        at = shape[int(rng.random() * len(shape))] * (1.0 if i < 3 else 0.45)
        radius = 0.025 + 0.05 * rng.random()
        ragged = 1.0 + 0.35 * value_noise(rng, frame.height, frame.width, 22.0)
        gap = np.hypot(frame.x - at[0], frame.y - max(0.15, at[1])) - radius * ragged
        keep *= np.clip(0.5 + gap * frame.size, 0.0, 1.0)
    return keep


def ribbon(width: float, bend: float, *, ribs: float = 3.0, dry: float = 0.25,
           taper: float = 0.75) -> Maker:
    """Return a maker of grass blades: an arched ribbon with parallel veins and a drying tip."""

    def draw(rng: np.random.Generator, size: float, lean: float) -> Sprite:
        t = np.linspace(0.0, 1.0, 80)
        lean, curl = bend * lean, 0.5 + 1.2 * rng.random()
        wide = width * (0.7 + 0.6 * rng.random())
        half = wide * np.minimum(1.0, 0.55 + 1.6 * t) * (1.0 - t**2.2) ** taper
        centre = lean * t ** (1.0 + curl)
        shape = np.concatenate([np.stack([centre + half, t], 1),
                                np.stack([centre - half, t], 1)[::-1]])
        frame = _Frame(shape, size, 0.0)
        cover = frame.coverage(shape)
        height = np.clip(frame.y, 0.0, 1.0)
        x = frame.x - np.float32(lean) * height ** np.float32(1.0 + curl)
        local = x / np.float32(wide)
        veins = frame.line(x, 0.12 * wide) * 0.5 * np.ones_like(cover)
        body = 0.72 + 0.42 * height + 0.07 * np.cos(local * np.float32(2.0 * np.pi * ribs))
        body = body + 0.05 * value_noise(rng, frame.height, frame.width, 12.0)
        second = np.clip((height - 1.0 + dry * rng.random()) * 6.0, 0.0, 0.9) * np.ones_like(cover)
        return frame.sprite(cover, body, np.clip(local * 3.0, -1.0, 1.0), veins, second,
                            thin=True)

    hull = np.array([(-1.0, 0.0), (1.0, 0.0), (-1.0, 0.5), (1.0, 0.5), (-0.1, 1.0), (0.1, 1.0)])
    return Maker(draw, hull * (1.3 * width, 1.0), bend)


def needles(count: int, length: float, *, angle=(0.5, 0.9), start: float = 0.0,
            thickness: float = 0.011, twig: float = 0.014) -> Maker:
    """Return a maker of needle shoots: `count` needles of `length` around a straight twig."""

    def draw(rng: np.random.Generator, size: float, lean: float) -> Sprite:
        reach = np.array([[-length, -0.1], [length, 1.0 + length * 0.2]])
        reach[:, 0] = np.clip(reach[:, 0], -0.8, 0.8)
        frame = _Frame(reach, size, 0.0)
        planes = np.zeros((CHANNELS, frame.height, frame.width), np.float32)
        end = 1.0 - length * 0.75
        bark = np.zeros(CHANNELS)
        bark[[COVERAGE, SECOND]] = 1.0, 0.9
        bark_lit = np.zeros(CHANNELS)
        bark_lit[SECOND] = 0.25
        place = np.sort(rng.random(count)) if count < 60 else (np.arange(count) + 0.5) / count
        order = np.argsort(rng.random(count))
        front = int(count * 0.62)
        for rank, i in enumerate(order):
            if rank == front:
                stroke(planes, frame.texels(np.array([[0.0, 0.0], [0.0, end]])),
                       np.array([twig, 0.6 * twig]) * size, bark, bark_lit)
            at = start + (end - start) * place[i]
            sign = 1.0 if i % 2 else -1.0
            turn = angle[1] + (angle[0] - angle[1]) * place[i] + 0.35 * (rng.random() - 0.5)
            # Needles that point at the viewer look short.
            short = 1.0 if rank < front else 0.55 + 0.45 * rng.random()
            turn *= sign * (1.0 if rank < front else rng.random())
            reach_to = length * short * (0.85 + 0.25 * rng.random()) * (1.0 - 0.25 * place[i])
            sag = 0.10 * (rng.random() - 0.5)
            middle = (0.5 * reach_to * np.sin(turn + sag), at + 0.5 * reach_to * np.cos(turn + sag))
            tip = (reach_to * np.sin(turn), at + reach_to * np.cos(turn))
            tone = (0.62 if rank < front else 0.95) + 0.35 * rng.random()
            flat, lit = np.zeros(CHANNELS), np.zeros(CHANNELS)
            flat[[COVERAGE, BODY]] = 1.0, tone
            lit[SIDE] = tone * 0.8
            lit[BODY] = 0.12 * tone
            stroke(planes, frame.texels(np.array([(0.0, at), middle, tip])),
                   np.array([0.8, 1.0, 0.3]) * thickness * size, flat, lit)
        planes[SHADOW] = box_blur(planes[COVERAGE], frame.shadow_radius)
        return Sprite(planes, frame.origin, size, thin=True)

    return Maker(draw, _box(min(1.1 * length * float(np.sin(max(angle))), 0.75), 0.0, 1.02))


def disc(bumps: float = 14.0) -> Maker:
    """Return a maker of domed flower centres: diameter 1, attached at the centre."""

    def draw(rng: np.random.Generator, size: float, lean: float) -> Sprite:
        turn = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
        shape = 0.5 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        frame = _Frame(shape, size, 0.0)
        cover = frame.coverage(shape)
        radius = np.hypot(frame.x, frame.y) * 2.0
        grain = value_noise(rng, frame.height, frame.width, bumps)
        body = 1.08 - 0.45 * radius**2 + 0.16 * grain + 0.25 * (frame.y - frame.x)
        second = np.clip((0.55 - radius) * 1.5, 0.0, 0.7)
        flat = np.zeros_like(cover)
        return frame.sprite(cover, body, flat, flat, second)

    return Maker(draw, _box(0.5, -0.5, 0.5))


# Right-hand outlines of palmate leaves, base to tip, one leaf length high.
_MAPLE = [(0, 0), (0.07, -0.05), (0.20, -0.05), (0.43, -0.10), (0.38, 0.01), (0.46, 0.07),
          (0.35, 0.12), (0.25, 0.18), (0.42, 0.23), (0.63, 0.27), (0.58, 0.36), (0.75, 0.52),
          (0.57, 0.50), (0.51, 0.60), (0.40, 0.51), (0.22, 0.42), (0.20, 0.56), (0.32, 0.66),
          (0.22, 0.70), (0.23, 0.81), (0.11, 0.81), (0, 1)]
_MAPLE_TIPS = [(0, 1), (0.75, 0.52), (-0.75, 0.52), (0.43, -0.10), (-0.43, -0.10)]
_IVY = [(0, 0), (0.12, -0.11), (0.30, -0.13), (0.45, 0.0), (0.41, 0.12), (0.36, 0.21),
        (0.50, 0.30), (0.60, 0.43), (0.44, 0.47), (0.28, 0.50), (0.22, 0.62), (0.13, 0.82), (0, 1)]
_IVY_TIPS = [(0, 1), (0.60, 0.43), (-0.60, 0.43), (0.45, 0.0), (-0.45, 0.0)]
_CLOVER = [(0, 0), (0.10, 0.12), (0.24, 0.36), (0.38, 0.64), (0.41, 0.82), (0.33, 0.96),
           (0.17, 1.0), (0.05, 0.95), (0, 0.91)]
_PETAL = [(0, 0), (0.05, 0.1), (0.10, 0.4), (0.125, 0.75), (0.10, 0.93), (0.055, 0.965),
          (0.02, 0.95), (0, 1.0)]


def _chevron(x, y):
    band = np.clip(1.0 - np.abs(y - 0.60 + 0.9 * np.abs(x) + 0.9 * x * x) * 8.0, 0.0, 1.0)
    return 0.6 * band * np.clip(1.4 - 4.2 * np.abs(x), 0.0, 1.0)


def _petal_base(x, y):
    return np.clip(0.5 - 1.6 * y, 0.0, 0.6) + 0.0 * x


def _comb(rng: np.random.Generator) -> np.ndarray:
    """A fern's pinna: a narrow blade cut nearly to the midrib."""
    half = _blade(0.125, 0.25, 0.75)
    t = np.linspace(0.0, 1.0, 700)
    x = np.interp(t, half[:, 1], half[:, 0])
    wave = np.abs(np.sin(np.pi * 15.0 * t)) ** 0.55
    out = x * (0.16 + 0.84 * wave)
    return _mirrored(np.stack([out, t + 0.45 * (out - 0.3 * x)], axis=1))


MAKERS: dict[str, Maker] = {
    "oak": leaf(lambda rng: _mirrored(_lobed(_blade(0.33, 0.95, 0.55), 4.6 + rng.random(), 0.52,
                                             0.35)),
                veins=("pinnate", 4.8, 0.7), petiole=0.10, bites=0.3),
    "maple": leaf(lambda rng: _mirrored(_bowed(_MAPLE, -0.06)),
                  veins=("ray", _MAPLE_TIPS, 9.0), petiole=0.45, jitter=0.02, relief=0.06),
    "beech": leaf(lambda rng: _mirrored(_serrated(_blade(0.30, 0.55, 0.62), 8.0, 0.012)),
                  veins=("pinnate", 9.0, 0.75), petiole=0.12, relief=0.13, bites=0.3),
    "birch": leaf(lambda rng: _mirrored(_serrated(_blade(0.36, 0.38, 1.0), 9.0, 0.035, True)),
                  veins=("pinnate", 8.0, 0.8), petiole=0.32),
    "ash": leaf(lambda rng: _mirrored(_serrated(_blade(0.215, 0.6, 0.72), 17.0, 0.008)),
                veins=("pinnate", 12.0, 0.8), petiole=0.06, relief=0.12, bend=0.12),
    "willow": leaf(lambda rng: _mirrored(_blade(0.075, 0.6, 1.0)),
                   veins=("pinnate", 16.0, 1.2), petiole=0.06, bend=0.16, jitter=0.006),
    "box": leaf(lambda rng: _mirrored(_blade(0.29, 0.5, 0.42)),
                veins=("pinnate", 9.0, 0.6), petiole=0.05, weight=1.2, relief=0.03, mottle=0.06),
    "ivy": leaf(lambda rng: _mirrored(_spline(_IVY)), veins=("ray", _IVY_TIPS, 6.0), petiole=0.4,
                jitter=0.022, weight=1.5, mottle=0.14),
    "clover": leaf(lambda rng: _mirrored(_spline(_CLOVER)), veins=("pinnate", 11.0, 1.0),
                   petiole=0.0, mark=_chevron, relief=0.04, bend=0.03),
    "petal": leaf(lambda rng: _mirrored(_spline(_PETAL)), veins=("pinnate", 2.0, 0.0),
                  petiole=0.0, weight=0.5, relief=0.0, mottle=0.05, mark=_petal_base),
    "spoon": leaf(lambda rng: _mirrored(_serrated(_blade(0.17, 1.5, 0.45), 7.0, 0.025)),
                  veins=("pinnate", 6.0, 1.0), petiole=0.1),
    "dead": leaf(lambda rng: _mirrored(_serrated(_blade(0.27, 0.55, 0.7), 9.0, 0.014)),
                 veins=("pinnate", 9.0, 0.75), petiole=0.14, bend=0.2, jitter=0.03, relief=0.16,
                 mottle=0.22, bites=0.75, blotch=0.75),
    "pinna": leaf(_comb, veins=("pinnate", 15.0, 0.6), petiole=0.02, bend=0.14, jitter=0.006),
    "blade": ribbon(0.021, 0.38),
    "reed": ribbon(0.034, 0.22, ribs=5.0),
    "pine": needles(64, 0.72, angle=(0.22, 0.95), start=0.1, thickness=0.0095),
    "spruce": needles(110, 0.17, angle=(0.55, 1.05), thickness=0.0085),
    "disc": disc(),
    "bud": leaf(lambda rng: _mirrored(_blade(0.2, 0.6, 0.7)), petiole=0.0, relief=0.0),
}
