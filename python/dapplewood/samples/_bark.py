# SPDX-License-Identifier: MIT
"""Painted textures that repeat in both directions: bark, cut wood, rock, soil and turf."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ._paint import linear_from_srgb, srgb_from_linear
from ._raster import stroke


def linear(word: int) -> np.ndarray:
    """Linear light of a 0xRRGGBB colour."""
    code = np.array([word >> 16, word >> 8 & 255, word & 255]) / 255.0
    return linear_from_srgb(code).astype(np.float32)


def noise(rng: np.random.Generator, side: int, rows: int, columns: int) -> np.ndarray:
    """Smooth noise in [-1, 1] that repeats after `side` texels, (side, side)."""
    nodes = rng.random((rows, columns)).astype(np.float32) * 2.0 - 1.0

    def places(cells: int):
        position = (np.arange(side, dtype=np.float32) + 0.5) * (cells / side)
        node = position.astype(int)
        t = position - node
        return node, (node + 1) % cells, t * t * (3.0 - 2.0 * t)

    y0, y1, down = places(rows)
    x0, x1, right = places(columns)
    lines = nodes[:, x0] + right * (nodes[:, x1] - nodes[:, x0])
    return lines[y0] + down[:, None] * (lines[y1] - lines[y0])


def layers(rng: np.random.Generator, side: int, rows: int, columns: int, count: int) -> np.ndarray:
    """Noise of `count` octaves, about in [-1, 1]."""
    total = np.zeros((side, side), np.float32)
    for octave in range(count):
        total += noise(rng, side, rows << octave, columns << octave) * 0.55**octave
    return total


def warped(plane: np.ndarray, dx: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """Read a repeating plane at shifted texels."""
    side = plane.shape[0]
    row, column = np.mgrid[0:side, 0:side]
    return plane[(row + np.rint(dy).astype(int)) % side, (column + np.rint(dx).astype(int)) % side]


def cells(rng: np.random.Generator, side: int, rows: int, columns: int):
    """Repeating Voronoi plates: (distance to the rim in cells, number of the plate in [0, 1))."""
    jitter = 0.15 + 0.7 * rng.random((rows, columns, 2))
    number = rng.random((rows, columns)).astype(np.float32)
    y = (np.arange(side) + 0.5)[:, None] * (rows / side)
    x = (np.arange(side) + 0.5)[None, :] * (columns / side)
    row, column = y.astype(int), x.astype(int)
    near = np.full((side, side), 9.0, np.float32)
    second, plate = near.copy(), np.zeros((side, side), np.float32)
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            r, c = np.broadcast_arrays((row + i) % rows, (column + j) % columns)
            away = np.hypot(row + i + jitter[r, c, 0] - y,
                            column + j + jitter[r, c, 1] - x).astype(np.float32)
            closer = away < near
            second = np.where(closer, near, np.minimum(second, away))
            plate = np.where(closer, number[r, c], plate)
            near = np.minimum(near, away)
    return second - near, plate


def _ramp(t: np.ndarray, *words: int) -> np.ndarray:
    """Colours along a ramp at t in [0, 1], (side, side, 3)."""
    stops = np.array([linear(word) for word in words])
    place = np.clip(t, 0.0, 1.0) * (len(stops) - 1)
    return np.stack([np.interp(place, np.arange(len(stops)), stops[:, c]) for c in range(3)], -1)


def _mixed(colour: np.ndarray, other, share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 0.0, 1.0)[..., None]
    return colour + (other - colour) * share


def _lit(colour: np.ndarray, height: np.ndarray, strength: float) -> np.ndarray:
    """Paint light from the upper left over the relief."""
    slope = (np.roll(height, -1, 1) - np.roll(height, 1, 1)
             + 0.6 * (np.roll(height, -1, 0) - np.roll(height, 1, 0)))
    return colour * np.clip(1.0 + strength * slope, 0.5, 1.6)[..., None]


def _furrowed(rng, side, words, moss):
    """Long ridges with dark furrows between them: oak, maple."""
    bend = 18.0 * noise(rng, side, 5, 4) + 7.0 * noise(rng, side, 14, 9)
    ridge = warped(noise(rng, side, 5, 17), bend, 26.0 * noise(rng, side, 4, 5))
    fine = warped(noise(rng, side, 13, 40), bend, 0.0 * bend)
    height = np.clip(1.9 * np.abs(ridge) + 0.35 * np.abs(fine), 0.0, 1.0) ** 0.75
    height = height * (0.85 + 0.15 * layers(rng, side, 24, 32, 2))
    colour = _ramp(0.12 + 0.72 * height + 0.14 * layers(rng, side, 3, 3, 4), *words)
    colour = _mixed(colour, linear(moss), 0.55 * np.clip(layers(rng, side, 3, 2, 4) - 0.15, 0, 1))
    return _lit(colour, height, 0.9), height


def _papery(rng, side, words, moss):
    """White bark with dark breathing slits and torn black scars: birch."""
    tone = layers(rng, side, 3, 2, 4)
    bands = layers(rng, side, 22, 2, 3)
    colour = _ramp(0.62 + 0.20 * tone + 0.16 * bands, *words)
    colour = _mixed(colour, linear(0xCBA27A), 0.35 * np.clip(noise(rng, side, 9, 2) - 0.25, 0, 1))
    height = 0.6 + 0.1 * bands
    row, column = np.mgrid[0:side, 0:side].astype(np.float32)
    ragged = 0.5 + 0.5 * layers(rng, side, 30, 12, 2)

    def mark(y, x, half_width, half_height, soft):
        dy = np.abs((row - y + side / 2) % side - side / 2) / half_height
        dx = np.abs((column - x + side / 2) % side - side / 2) / half_width
        return np.clip((1.0 - dx - dy * (0.6 + 0.8 * ragged)) * soft, 0.0, 1.0)

    dark = np.zeros((side, side), np.float32)
    scale = side / 512
    for _ in range(58):
        slit = mark(*(rng.random(2) * side), scale * (10 + 46 * rng.random()),
                    scale * (2.0 + 2.6 * rng.random()), 2.2)
        dark = np.maximum(dark, 0.75 * slit)
    for _ in range(6):
        dark = np.maximum(dark, mark(*(rng.random(2) * side), scale * (40 + 60 * rng.random()),
                                     scale * (12 + 24 * rng.random()), 3.0))
    colour = _mixed(colour, linear(0x2A2420), dark)
    return _lit(colour, height - 0.4 * dark, 0.35), height - 0.5 * dark


def _plated(rng, side, words, moss):
    """Scales and plates between cracks: pine, spruce."""
    bend = 9.0 * noise(rng, side, 7, 7)
    rim, plate = cells(rng, side, 7, 11)
    small, grain = cells(rng, side, 17, 24)
    rim, plate = warped(rim, bend, bend.T), warped(plate, bend, bend.T)
    height = np.clip(3.2 * rim, 0.0, 1.0) * (0.6 + 0.4 * plate)
    height = height * (0.72 + 0.28 * np.clip(4.0 * small, 0.0, 1.0))
    tone = 0.10 + 0.42 * height + 0.30 * (plate - 0.4) + 0.16 * (grain - 0.5)
    colour = _ramp(tone + 0.16 * layers(rng, side, 4, 3, 4) + 0.1, *words)
    colour = _mixed(colour, linear(moss), 0.4 * np.clip(layers(rng, side, 3, 2, 3) - 0.25, 0, 1))
    return _lit(colour, height, 0.6), height


def _stone(rng, side, words, moss):
    """Grey rock with soft strata and specks of lichen; nothing that a seam would cut."""
    bend = 30.0 * layers(rng, side, 4, 4, 3)
    strata = warped(noise(rng, side, 14, 5), bend, bend.T)
    grain = layers(rng, side, 9, 9, 5)
    chips, tone = cells(rng, side, 13, 15)
    height = 0.5 + 0.14 * strata + 0.22 * grain + 0.12 * np.clip(3.0 * chips, 0.0, 1.0) * tone
    colour = _ramp(0.48 + 0.14 * strata + 0.26 * grain + 0.14 * (tone - 0.5), *words)
    lichen = np.clip(3.5 * (layers(rng, side, 17, 17, 3) - 0.62), 0.0, 1.0)
    colour = _mixed(colour, linear(moss), 0.55 * lichen)
    return _lit(colour, height, 1.2), height


def _worn(rng, side, words, moss):
    """Smooth wood that water has worn: long fine grain and a bloom of moss, light all over."""
    bend = 22.0 * noise(rng, side, 4, 3) + 6.0 * noise(rng, side, 11, 7)
    grain = warped(noise(rng, side, 4, 30), bend, 24.0 * noise(rng, side, 3, 4))
    fine = warped(noise(rng, side, 9, 84), bend, 0.0 * bend)
    height = np.clip(0.55 + 0.34 * grain + 0.16 * fine + 0.1 * layers(rng, side, 7, 7, 3), 0.0, 1.0)
    colour = _ramp(0.15 + 0.8 * height + 0.16 * layers(rng, side, 3, 3, 4), *words)
    colour = _mixed(colour, linear(moss), 0.5 * np.clip(layers(rng, side, 4, 4, 4) - 0.1, 0, 1))
    return _lit(colour, height, 0.5), height


def _dressed(rng, side, words, moss):
    """Stone that a mason has dressed and rain has stained: chisel marks, pits and lichen."""
    bend = 10.0 * noise(rng, side, 5, 5)
    marks = warped(noise(rng, side, 44, 15), bend, bend.T)
    tone, grain = layers(rng, side, 3, 3, 4), layers(rng, side, 24, 24, 3)
    pits = np.clip(4.0 * (layers(rng, side, 29, 29, 2) - 0.62), 0.0, 1.0)
    height = 0.5 + 0.13 * marks + 0.14 * grain - 0.35 * pits
    colour = _ramp(0.52 + 0.30 * tone + 0.12 * grain + 0.08 * marks - 0.3 * pits, *words)
    lichen = np.clip(3.0 * (layers(rng, side, 9, 9, 4) - 0.55), 0.0, 1.0)
    colour = _mixed(colour, linear(moss), 0.5 * lichen)
    return _lit(colour, height, 0.9), height


def _charred(rng, side, words, moss):
    """Wood burnt to charcoal: blocks between cracks, grey ash on their faces."""
    bend = 10.0 * noise(rng, side, 6, 6)
    rim, plate = cells(rng, side, 9, 15)
    rim = warped(rim, bend, bend.T)
    height = np.clip(3.0 * rim, 0.0, 1.0) * (0.7 + 0.3 * plate)
    colour = _ramp(0.1 + 0.6 * height + 0.25 * layers(rng, side, 5, 5, 4), *words)
    return _lit(colour, height, 0.6), height


def _glowing(rng, side, words, moss):
    """Embers: light in the cracks between lumps of ash."""
    bend = 12.0 * noise(rng, side, 6, 6)
    rim, plate = cells(rng, side, 7, 7)
    rim, plate = warped(rim, bend, bend.T), warped(plate, bend, bend.T)
    heat = 0.62 + 0.35 * layers(rng, side, 3, 3, 4) - 0.9 * np.clip(rim, 0.0, 0.6) * (0.5 + plate)
    return _ramp(heat, *words), 0.5 + 0.3 * rim


def _rings(rng, side, words, moss):
    """Sawn wood: year rings about the middle of the tile."""
    row, column = (np.mgrid[0:side, 0:side] + 0.5) / side - 0.5
    radius = np.hypot(row, column) * (1.0 + 0.05 * noise(rng, side, 4, 4))
    radius = radius + 0.008 * noise(rng, side, 12, 12)
    ring = 0.5 + 0.5 * np.sin(radius * 2.0 * np.pi * 19.0 + 1.5 * np.sin(radius * 21.0))
    angle = np.arctan2(row, column)
    wander = 0.25 * noise(rng, side, 7, 7)
    split = np.zeros_like(radius)
    for aim, reach in ((0.4, 0.47), (2.3, 0.34), (3.6, 0.44), (5.2, 0.25)):
        turn = np.abs(np.angle(np.exp(1j * (angle - aim - wander))))
        split = np.maximum(split, np.clip(1.2 - 160.0 * turn * radius, 0.0, 1.0)
                           * (radius < reach) * (radius > 0.03))
    height = 0.6 + 0.2 * ring - 0.6 * split
    colour = _ramp(0.42 + 0.25 * ring - 0.25 * radius + 0.12 * layers(rng, side, 6, 6, 4), *words)
    colour = _mixed(colour, linear(0x3A2A1C), np.maximum(split, 3.0 * (radius - 0.44)))
    return _lit(colour, height, 0.4), height


def _turf(rng, side, words, moss):
    """Dabs and blades of short grass, seen from above."""
    tone = layers(rng, side, 4, 4, 4)
    colour = _ramp(0.46 + 0.26 * tone, *words)
    height = 0.5 + 0.3 * tone
    canvas = np.ascontiguousarray(np.concatenate(
        [colour.transpose(2, 0, 1), np.ones((1, side, side))]).astype(np.float32))
    return _bladed(rng, canvas, side, words, 2600), height


def _mossy(rng, side, words, moss):
    """Cushions of moss."""
    rim, plate = cells(rng, side, 15, 15)
    tone = layers(rng, side, 5, 5, 4)
    height = 0.35 + 0.45 * np.sqrt(np.clip(rim, 0.0, 1.0)) + 0.2 * tone
    colour = _ramp(0.30 + 0.30 * rim + 0.2 * tone + 0.16 * (plate - 0.5), *words)
    canvas = np.ascontiguousarray(np.concatenate(
        [_lit(colour, height, 0.5).transpose(2, 0, 1),
         np.ones((1, side, side))]).astype(np.float32))
    return _bladed(rng, canvas, side, words, 900), height


def _littered(rng, side, words, moss):
    """Fallen leaves over dark earth, the lower ones in the shade of the upper ones."""
    tone = layers(rng, side, 6, 6, 5)
    colour = _ramp(0.16 + 0.12 * tone, 0x2E2418, 0x54422C, 0x6E583A)
    canvas = np.ascontiguousarray(np.concatenate(
        [colour.transpose(2, 0, 1), np.ones((1, side, side))]).astype(np.float32))
    height = np.ascontiguousarray(np.zeros((4, side, side), np.float32))
    stops = np.array([linear(word) for word in words])
    count, scale = 1500, side / 512
    for i in range(count):
        x, y, aim = rng.random() * side, rng.random() * side, 6.2832 * rng.random()
        half = scale * (4.5 + 3.5 * rng.random()) * np.array([np.cos(aim), np.sin(aim)])
        t = rng.random() ** 1.4 * (len(stops) - 1.001)
        ink = stops[int(t)] + (t % 1.0) * (stops[int(t) + 1] - stops[int(t)])
        up = 0.3 + 0.7 * i / count
        flat = np.append(ink * (0.45 + 0.6 * up) * (0.85 + 0.3 * rng.random()), 1.0)
        level = np.array([up, up, up, 1.0])
        width = scale * np.array([0.6, 4.6 + 1.6 * rng.random(), 0.5])
        for dx in (-side, 0, side):
            for dy in (-side, 0, side):
                middle = np.array([x + dx, y + dy])
                if (middle > -16 * scale).all() and (middle < side + 16 * scale).all():
                    path = np.array([middle - half, middle, middle + half])
                    stroke(canvas, path, width, flat, np.append(0.16 * flat[:3], 0.0))
                    stroke(height, path, width, level, 0.0 * level)
    return canvas[:3].transpose(1, 2, 0), 0.8 * height[0].astype(float) + 0.1 * tone


def _soil(rng, side, words, moss):
    """Trodden earth with pebbles and wisps of straw."""
    tone = layers(rng, side, 5, 5, 5)
    rim, plate = cells(rng, side, 18, 18)
    pebble = np.clip(2.4 * rim - 0.35, 0.0, 1.0) * (plate > 0.74)
    height = 0.4 + 0.22 * tone + 0.4 * pebble
    colour = _ramp(0.42 + 0.26 * tone, *words)
    stones = _ramp(0.3 + 0.5 * (plate - 0.74) / 0.26 + 0.2 * pebble, 0x6E6152, 0x978873, 0xB9AA93)
    colour = _lit(_mixed(colour, stones, 1.6 * pebble), height, 1.3)
    canvas = np.ascontiguousarray(np.concatenate(
        [colour.transpose(2, 0, 1), np.ones((1, side, side))]).astype(np.float32))
    return _bladed(rng, canvas, side, (0x8A7A4A, 0xA8955C, 0xC2AE74), 90), height


def _bladed(rng, canvas, side, words, count):
    """Paint short curved strokes over a repeating canvas; return its (side, side, 3) colours."""
    stops = np.array([linear(word) for word in words])
    scale = side / 512
    for _ in range(count):
        x, y, aim = rng.random() * side, rng.random() * side, 6.2832 * rng.random()
        length = scale * (7.0 + 13.0 * rng.random())
        bend = aim + 1.2 * (rng.random() - 0.5)
        path = np.array([(x, y), (x + 0.5 * length * np.cos(aim), y + 0.5 * length * np.sin(aim)),
                         (x + 0.5 * length * (np.cos(aim) + np.cos(bend)),
                          y + 0.5 * length * (np.sin(aim) + np.sin(bend)))])
        t = rng.random() * (len(stops) - 1.001)
        ink = stops[int(t)] + (t % 1.0) * (stops[int(t) + 1] - stops[int(t)])
        flat = np.append(ink * (0.85 + 0.3 * rng.random()), 1.0)
        for dx in (-side, 0, side):
            for dy in (-side, 0, side):
                moved = path + (dx, dy)
                if (moved > -4).all() and (moved < side + 4).all():
                    stroke(canvas, moved, scale * np.array([1.7, 1.3, 0.4]), flat, 0.1 * flat)
    return canvas[:3].transpose(1, 2, 0)


def ragged(rng: np.random.Generator, side: int) -> np.ndarray:
    """Alpha of a path that repeats along its length: worn middle, borders that grass eats into."""
    column = (np.arange(side) + 0.5)[None, :] / side
    away = np.abs(2.0 * column - 1.0)
    edge = 0.72 + 0.14 * layers(rng, side, 5, 4, 5)
    holes = np.clip(layers(rng, side, 16, 16, 3) - 0.75, 0.0, 1.0) * np.clip(3.0 * away - 0.6, 0, 1)
    return np.clip((edge - away - 1.2 * holes) * 14.0 + 0.5, 0.0, 1.0)


TEXTURES = {
    "oak": (_furrowed, (0x2B231C, 0x5E4F40, 0x8A7660, 0xA9957A), 0x77793F),
    "maple": (_furrowed, (0x2C2621, 0x5B5148, 0x857869, 0xA29584), 0x74763F),
    "birch": (_papery, (0xA39A8E, 0xD6CCBC, 0xEFE8DA, 0xFBF6EA), 0x8F9360),
    "spruce": (_plated, (0x2A1F19, 0x55412F, 0x7E644A, 0x9C8164), 0x6E7446),
    "pine": (_plated, (0x3A2A22, 0x755642, 0xA07A58, 0xBE9A76), 0x77704A),
    "bush": (_furrowed, (0x2E251C, 0x5A4937, 0x7E6A50, 0x9A876A), 0x77793F),
    "rock": (_stone, (0x4E4C48, 0x77736B, 0x9C968A, 0xBDB5A4), 0xC9C6A0),
    "rings": (_rings, (0x7A5532, 0xB58A55, 0xDDB981), 0),
    "turf": (_turf, (0x767C50, 0x8D9460, 0xA9A872), 0),
    "soil": (_soil, (0x7C6C54, 0x9C886A, 0xBCA98A), 0),
    "driftwood": (_worn, (0x9C9082, 0xD4CCBE, 0xEEE8DC, 0xFBF8F0), 0xC3CC96),
    "dressed": (_dressed, (0x56524C, 0x817B70, 0xA49D8E, 0xC2BBA8), 0xB9BE86),
    "charred": (_charred, (0x6A655F, 0x9A9389, 0xC6BEB2, 0xEDE8E0), 0),
    "embers": (_glowing, (0x1A0906, 0x5A1606, 0xD8480A, 0xFFA022, 0xFFE08A), 0),
    "moss": (_mossy, (0x3C4A24, 0x586A30, 0x76863E, 0x94A04E), 0),
    "litter": (_littered, (0x5E4428, 0x86643A, 0xA8824A, 0xB06A34, 0xC89A58), 0),
}


@lru_cache(maxsize=16)
def paint(name: str, side: int = 512) -> tuple[np.ndarray, np.ndarray]:
    """A texture and its normal map: (side, side, 4) u8 sRGB, (side, side, 4) u8 linear."""
    draw, words, moss = TEXTURES[name]
    rng = np.random.default_rng([4000 + list(TEXTURES).index(name)])
    colour, height = draw(rng, side, words, moss)
    image = np.full((side, side, 4), 255, np.uint8)
    image[..., :3] = np.rint(255.0 * srgb_from_linear(np.clip(colour, 0.0, 1.0)))
    dx = np.roll(height, -1, 1) - np.roll(height, 1, 1)
    dy = np.roll(height, 1, 0) - np.roll(height, -1, 0)
    normal = np.stack([-3.0 * dx, -3.0 * dy, np.ones_like(dx)], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    relief = np.full((side, side, 4), 255, np.uint8)
    relief[..., :3] = np.rint(127.5 + 127.5 * normal)
    for array in (image, relief):
        array.setflags(write=False)
    return image, relief
