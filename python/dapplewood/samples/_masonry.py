# SPDX-License-Identifier: MIT
"""Built things: an altar among standing stones, a camp fire and a torch. Metres, y up."""

from __future__ import annotations

import numpy as np

from ._stones import _Shape
from ._surface import UP, Surface, grid_triangles, joined, tube, turn_y, unit

_TILE = 0.9  # metres of stone texture
_STEPS = ((1.62, 1.02, 0.0, 0.17, 15), (1.20, 0.30, 0.17, 0.34, 11))  # radii, heights, blocks
ALTAR_TOP = 1.30  # where the light in the basin lies
_BASIN = 0.36  # its radius

# Radius and height along the pedestal, from the ground up and down into the basin.
_PEDESTAL = ((0.50, 0.30), (0.50, 0.43), (0.46, 0.47), (0.37, 0.50), (0.31, 0.58), (0.275, 0.80),
             (0.285, 0.98), (0.34, 1.09), (0.44, 1.16), (0.475, 1.19), (0.475, 1.33), (0.45, 1.36),
             (0.385, 1.36), (0.37, 1.33), (0.33, 1.22), (0.18, 1.17))
_STANDING = ((-1.22, 1.02), (-0.62, 1.30), (0.0, 1.42), (0.66, 1.22), (1.24, 0.94))  # turn, height

LOG_RADIUS = 0.062
TORCH_TOP = 1.78
_EMBER_RADIUS = 0.40


def faceted(points: np.ndarray, triangles: np.ndarray, tile: float = _TILE) -> Surface:
    """Flat faces of their own vertices, textured along the axis that each faces most."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    kept = np.linalg.norm(normals, axis=1) > 2e-6
    corners, normals = corners[kept], unit(normals[kept])
    axis = np.abs(normals).argmax(axis=1)
    flat = np.stack([corners[:, :, [2, 1]], corners[:, :, [0, 2]], corners[:, :, [0, 1]]])
    uvs = flat[axis, np.arange(len(axis))] * (1.0, -1.0) / tile
    count = 3 * len(corners)
    return Surface(corners.reshape(-1, 3), np.repeat(normals, 3, axis=0), uvs.reshape(-1, 2),
                   np.ones((count, 3)), np.arange(count).reshape(-1, 3))


def _loft(rings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of a closed body between outlines, (N, K, 3), counted from below.

    Outlines run against the clock as seen from above; both ends are covered by fans.
    """
    count, around = rings.shape[:2]
    ring = np.arange(around)
    after = (ring + 1) % around
    base = around * np.arange(count - 1)[:, None]
    a, b = base + ring, base + after
    c, d = a + around, b + around
    sides = np.stack([np.stack([a, b, d], -1), np.stack([a, d, c], -1)], 2).reshape(-1, 3)
    low, high = count * around, count * around + 1
    last = around * (count - 1)
    fans = [np.stack([0 * ring + low, after, ring], 1),
            np.stack([0 * ring + high, last + ring, last + after], 1)]
    points = np.concatenate([rings.reshape(-1, 3), rings[[0, -1]].mean(axis=1)])
    return points, np.concatenate([sides, *fans])


def _circle(radius: float, y: float, turns: np.ndarray) -> np.ndarray:
    return np.stack([radius * np.cos(turns), 0.0 * turns + y, radius * np.sin(turns)], axis=1)


def altar(seed: int) -> dict[str, Surface]:
    """Pedestal with a basin, worn steps of blocks, stones that stand around, light and runes."""
    rng = np.random.default_rng([7200, seed])
    pedestal, steps = _pedestal(rng), _steps(rng)
    stones, runes = _standing_stones(rng)
    turns = np.linspace(0.0, 2.0 * np.pi, 19)[:-1]
    rim = np.concatenate([np.zeros((1, 3)), _circle(_BASIN, 0.0, turns)]) + ALTAR_TOP * UP
    ring = 1 + np.arange(18)
    light = Surface(rim, np.tile(UP, (19, 1)), 0.5 + rim[:, [0, 2]] / (2.0 * _BASIN),
                    np.ones((19, 3)), np.stack([0 * ring, np.roll(ring, -1), ring], axis=1))
    light.colors[1:] = (0.62, 0.55, 0.85)
    return {"pedestal": pedestal, "steps": steps, "stones": stones, "light": light, "runes": runes}


def _aged(surface: Surface, rng: np.random.Generator, moss: float, foot: float) -> Surface:
    """Darker at its foot and in its joints, mossy where rain stays; in place."""
    x, y, z = surface.positions.T
    patch = (np.sin(3.1 * x + 6.0 * rng.random()) + np.sin(2.7 * z + 6.0 * rng.random())
             + np.sin(4.3 * y + 2.0 * x))
    up = np.clip((surface.normals[:, 1] - 0.35) * 2.0, 0.0, 1.0)
    low = np.exp(-np.maximum(y, 0.0) / 0.45)
    share = np.clip(moss * (0.65 * up + 0.75 * low) * (0.75 + 0.35 * patch), 0.0, 0.85)[:, None]
    light = np.clip(foot + (1.0 - foot) * np.maximum(y, 0.0)[:, None] / 0.5, foot, 1.0)
    surface.colors = surface.colors * light * (1.0 + share * (np.array([0.50, 0.68, 0.26]) - 1.0))
    return surface


def _pedestal(rng: np.random.Generator) -> Surface:
    """Eight-sided, with mouldings; edges are worn."""
    turns = np.pi / 8.0 - np.arange(24) * (2.0 * np.pi / 24)
    # the outline of an octagon: its sides are straight between every third corner
    flat = np.cos(np.pi / 8) / np.cos(turns % (np.pi / 4) - np.pi / 8)
    rings = []
    for radius, y in _PEDESTAL:
        worn = 1.0 + rng.normal(size=24) * 0.008
        inside = radius < 0.385 and y > 1.15
        rings.append(_circle(radius, y, turns) * np.where(inside, 1.0, flat * worn)[:, None]
                     * (1.0, 0.0, 1.0) + (y + rng.normal(size=24) * 0.003)[:, None] * UP)
    points, triangles = _loft(np.array(rings))
    surface = faceted(points, triangles)
    radius = np.hypot(surface.positions[:, 0], surface.positions[:, 2])
    y = surface.positions[:, 1]
    inside = np.clip((0.38 - radius) * 20.0, 0.0, 1.0) * (y > 1.1)
    under = np.exp(-((y - 1.10) / 0.06) ** 2) + np.exp(-((y - 0.55) / 0.06) ** 2)
    surface.colors = surface.colors * (1.0 - 0.5 * inside - 0.28 * under)[:, None]
    return _aged(surface, rng, 0.45, 0.75)


def _steps(rng: np.random.Generator) -> Surface:
    """Two rings of blocks, sunk, tilted and worn, each block for itself."""
    blocks = []
    for outer, inner, low, high, count in _STEPS:
        start = 6.2832 * rng.random()
        cuts = start + (np.arange(count + 1) + np.append(rng.uniform(-0.16, 0.16, count), 0.0)) * (
            2.0 * np.pi / count)
        cuts[-1] = cuts[0] + 2.0 * np.pi
        for first, last in zip(cuts[:-1], cuts[1:]):
            gap = 0.012 / outer
            blocks.append(_block(rng, first + gap, last - gap,
                                 outer * rng.uniform(0.975, 1.02), inner, low - 0.25,
                                 high - abs(rng.normal()) * 0.012))
    return _aged(joined(blocks), rng, 0.85, 0.62)


def _block(rng, first: float, last: float, outer: float, inner: float, low: float,
           high: float) -> Surface:
    """A stone of a ring: its upper edges are rounded, its top is worn hollow where feet tread."""
    def outline(grow: float, y: float) -> np.ndarray:
        inset = grow / outer
        turns = np.linspace(last - inset, first + inset, 5)
        ring = np.concatenate([_circle(outer - grow, y, turns), _circle(inner, y, turns[::-1])])
        return ring

    tilt = rng.normal(size=2) * 0.012
    rings = np.array([outline(0.0, low), outline(0.0, high - 0.035), outline(0.012, high - 0.012),
                      outline(0.04, high)])
    rings[1:, :, 1] += rings[1:, :, [0, 2]] @ tilt + rng.normal(size=rings[1:, :, 0].shape) * 0.004
    points, triangles = _loft(rings)
    points[-1, 1] -= 0.006
    surface = faceted(points, triangles)
    surface.uvs += rng.random(2)
    surface.colors *= rng.uniform(0.80, 1.0)
    edge = np.clip((surface.positions[:, 1] - (high - 0.05)) * 20.0, 0.35, 1.0)
    return surface.tinted(edge[:, None])


def _standing_stones(rng: np.random.Generator) -> tuple[Surface, Surface]:
    """Five slabs in an arc behind, each with a rune cut into the face that looks inwards."""
    stones, runes = [], []
    tiles = rng.permutation(6)[: len(_STANDING)]
    for i, (turn, tall) in enumerate(_STANDING):
        axes = np.array([0.36 * rng.uniform(0.9, 1.15), tall * rng.uniform(0.92, 1.08), 0.20])
        shape = _Shape(rng, 12, 0.84)
        lean = np.eye(3)
        lean[0, 1], lean[2, 1] = rng.normal() * 0.05, -0.03 - 0.05 * rng.random()
        place = turn_y(-turn) @ lean
        away = 2.25 * np.array([np.sin(turn), 0.0, -np.cos(turn)]) + 0.55 * tall * UP
        stones.append(_slab(rng, shape, axes).turned(place, away))
        runes.append(_rune(shape, axes, tiles[i]).turned(place, away))
    return _aged(joined(stones), rng, 0.8, 0.55), joined(runes)


def _slab(rng: np.random.Generator, shape: _Shape, axes: np.ndarray) -> Surface:
    """A rock that stands on end: rings of it, faceted."""
    turns = -np.arange(18) * (2.0 * np.pi / 18)
    heights = np.array([-0.97, -0.8, -0.55, -0.3, 0.0, 0.3, 0.55, 0.75, 0.9, 0.98])
    flat = np.stack([np.cos(turns), 0.0 * turns, np.sin(turns)], axis=1)
    way = unit(heights[:, None, None] * UP + np.sqrt(1.0 - heights**2)[:, None, None] * flat)
    points, triangles = _loft(shape.points(way, axes))
    surface = faceted(points, triangles)
    smooth = unit(surface.positions / axes**2)
    surface.normals = unit(surface.normals + 0.5 * smooth)
    surface.uvs += rng.random(2)
    return surface


def _rune(shape: _Shape, axes: np.ndarray, tile: int) -> Surface:
    """A patch that lies a little above the stone's face, on one of the six tiles of the runes."""
    share = np.linspace(-1.0, 1.0, 7)
    y, x = np.meshgrid(share, share, indexing="ij")
    flat = np.stack([0.50 * x, 0.34 * y + 0.30, np.ones_like(x)], axis=-1).reshape(-1, 3)
    points = shape.points(unit(flat), axes)
    points = points + (0.022 + 0.03 * (1.0 - np.abs(x)).reshape(-1, 1)) * (0.0, 0.0, 1.0)
    points[:, 2] = points[:, 2].max() * 0.55 + points[:, 2] * 0.45
    left, top = (tile % 3) / 3.0, (tile // 3) / 2.0
    uvs = np.stack([left + (0.5 + 0.5 * x.ravel()) / 3.0, top + (0.5 - 0.5 * y.ravel()) / 2.0], 1)
    return Surface(points, np.tile((0.0, 0.0, 1.0), (49, 1)), uvs, np.ones((49, 3)),
                   grid_triangles(7, 7))


def campfire(seed: int) -> dict[str, Surface]:
    """A ring of stones, logs that lean on one another, and the embers between them."""
    rng = np.random.default_rng([7300, seed])
    return {"stones": _ring(rng), "logs": _logs(rng), "embers": _embers(rng)}


def _ring(rng: np.random.Generator) -> Surface:
    count = 11
    turns = (np.arange(count) + rng.uniform(-0.22, 0.22, count)) * (2.0 * np.pi / count)
    stones = []
    for turn in turns:
        axes = np.array([0.155, 0.125, 0.135]) * rng.uniform(0.8, 1.25, 3)
        place = (0.60 + 0.03 * rng.normal()) * np.array([np.cos(turn), 0.0, np.sin(turn)])
        around = -np.arange(10) * (2.0 * np.pi / 10)
        heights = np.array([-0.9, -0.45, 0.1, 0.6, 0.92])
        flat = np.stack([np.cos(around), 0.0 * around, np.sin(around)], axis=1)
        way = heights[:, None, None] * UP + np.sqrt(1.0 - heights**2)[:, None, None] * flat
        points, triangles = _loft(_Shape(rng, 12, 0.78).points(unit(way), axes))
        stone = faceted(points, triangles, 0.5)
        stone.normals = unit(stone.normals + 0.8 * unit(stone.positions / axes**2))
        stone = stone.turned(turn_y(6.2832 * rng.random()), place + 0.06 * UP)
        # soot on the side of the fire
        inner = unit(stone.normals) @ unit(-place)
        soot = np.clip(0.3 + 0.8 * inner, 0.0, 0.75)[:, None]
        stones.append(stone.tinted(rng.uniform(0.55, 0.8) * (1.0 - soot * (0.62, 0.66, 0.70))))
    return joined(stones)


def _logs(rng: np.random.Generator) -> Surface:
    """Logs that lean together over the embers, open on one side, and two that lie crossed."""
    logs = []
    for i in range(4):
        turn = 2.2 + i * 1.22 + rng.uniform(-0.15, 0.15)
        out = np.array([np.cos(turn), 0.0, np.sin(turn)])
        side = np.array([-out[2], 0.0, out[0]])
        foot = 0.40 * out + 0.03 * UP
        head = (-0.05 * out + 0.05 * rng.normal() * side + (0.34 + 0.08 * rng.random()) * UP)
        logs.append(_log(rng, foot, head, 0.036 + 0.010 * rng.random()))
    for turn in (0.5, 2.0):
        out = np.array([np.cos(turn), 0.0, np.sin(turn)])
        logs.append(_log(rng, -0.44 * out + 0.07 * UP, 0.42 * out + (0.08 + 0.05 * turn) * UP,
                         LOG_RADIUS))
    return joined(logs)


def _log(rng: np.random.Generator, foot: np.ndarray, head: np.ndarray, radius: float) -> Surface:
    """A round log with sawn ends, charred towards the middle of the fire."""
    path = foot + np.linspace(0.0, 1.0, 6)[:, None] * (head - foot)
    path[1:-1] += rng.normal(size=(4, 3)) * 0.007
    bulge = 1.0 + rng.normal(size=(6, 9)) * 0.06
    body = tube(path, np.full(6, radius), 9, bulge=bulge, tile_length=0.5)
    ends = []
    for ring, sign in ((body.positions[:9], -1.0), (body.positions[-10:-1], 1.0)):
        middle = ring.mean(axis=0)
        along = unit(sign * (head - foot))
        points = np.concatenate([middle[None], ring])
        turn = 1 + np.arange(9)
        order = (np.roll(turn, -1), turn) if sign < 0 else (turn, np.roll(turn, -1))
        ends.append(Surface(points, np.tile(along, (10, 1)), 0.5 + 0.04 * points[:, :2] / radius,
                            np.full((10, 3), 1.35), np.stack([0 * turn, *order], axis=1)))
    log = joined([body, *ends])
    away = np.linalg.norm(log.positions * (1.0, 0.6, 1.0), axis=1)[:, None]
    burnt = np.clip((0.46 - away) / 0.16, 0.0, 1.0)
    brown = np.array([0.62, 0.48, 0.36]) * rng.uniform(0.85, 1.1)
    log.colors = np.clip(log.colors * (brown + (0.16 - brown) * burnt), 0.0, 1.0)
    return log


def _embers(rng: np.random.Generator) -> Surface:
    """A low mound; its texture glows through the cracks of the ash."""
    turns = np.arange(16) * (2.0 * np.pi / 16)
    radii = np.array([0.0, 0.4, 0.75, 1.0]) * _EMBER_RADIUS
    heights = np.array([0.13, 0.10, 0.045, -0.02])
    x = radii[1:, None] * np.cos(turns) * (1.0 + 0.06 * rng.normal(size=(3, 16)))
    z = radii[1:, None] * np.sin(turns) * (1.0 + 0.06 * rng.normal(size=(3, 16)))
    y = np.broadcast_to(heights[1:, None], x.shape) + 0.012 * rng.normal(size=(3, 16))
    points = np.concatenate([[[0.0, heights[0], 0.0]], np.stack([x, y, z], -1).reshape(-1, 3)])
    ring, after = 1 + np.arange(16), 1 + (np.arange(16) + 1) % 16
    triangles = [np.stack([0 * ring, after, ring], axis=1)]
    for row in (0, 16):
        a, b, c, d = ring + row, after + row, ring + row + 16, after + row + 16
        triangles += [np.stack([a, b, d], 1), np.stack([a, d, c], 1)]
    surface = Surface(points, np.tile(UP, (len(points), 1)), points[:, [0, 2]] / 0.55,
                      np.ones((len(points), 3)), np.concatenate(triangles))
    glow = np.clip(1.05 - np.hypot(points[:, 0], points[:, 2]) / _EMBER_RADIUS, 0.10, 1.0)
    surface.colors = glow[:, None] ** (0.8, 1.1, 1.3)
    return surface


def torch(seed: int) -> dict[str, Surface]:
    """A post in the ground, an iron cage on it, and pitch that burns in the cage."""
    rng = np.random.default_rng([7400, seed])
    path = np.linspace(-0.3, TORCH_TOP - 0.26, 7)[:, None] * UP
    path[:, [0, 2]] += np.cumsum(rng.normal(size=(7, 2)) * 0.008, axis=0)
    path[:, [0, 2]] -= path[1, [0, 2]]
    radii = np.linspace(0.062, 0.046, 7)
    bulge = 1.0 + 0.07 * rng.normal(size=(7, 8))
    post = tube(path, radii, 8, bulge=bulge, tile_length=0.7)
    post.colors = np.array([0.56, 0.46, 0.36]) * np.clip(
        0.55 + 0.4 * post.positions[:, 1:2], 0.4, 1.0)
    top = path[-1]
    return {"post": post, "cage": _cage(top), "embers": _pitch(rng, top)}


def _cage(top: np.ndarray) -> Surface:
    """Two hoops, and bars that open upwards."""
    parts = []
    for height, radius in ((0.0, 0.065), (0.17, 0.125), (0.25, 0.14)):
        turns = -np.linspace(0.0, 2.0 * np.pi, 17)
        parts.append(tube(top + _circle(radius, height, turns), np.full(17, 0.011), 5))
    for turn in np.arange(8) * (np.pi / 4):
        out = np.array([np.cos(turn), 0.0, np.sin(turn)])
        bar = np.array([0.06 * out - 0.04 * UP, 0.10 * out + 0.06 * UP, 0.125 * out + 0.17 * UP,
                        0.142 * out + 0.27 * UP])
        parts.append(tube(top + bar, np.full(4, 0.010), 5))
    iron = joined(parts)
    iron.colors = iron.colors * np.array([0.10, 0.095, 0.09])
    return iron


def _pitch(rng: np.random.Generator, top: np.ndarray) -> Surface:
    """A lump of burning pitch in the cage."""
    around = -np.arange(10) * (2.0 * np.pi / 10)
    heights = np.array([-0.9, -0.4, 0.2, 0.7, 0.95])
    flat = np.stack([np.cos(around), 0.0 * around, np.sin(around)], axis=1)
    way = heights[:, None, None] * UP + np.sqrt(1.0 - heights**2)[:, None, None] * flat
    points, triangles = _loft(_Shape(rng, 10, 0.8).points(unit(way), np.array([0.1, 0.12, 0.1])))
    lump = faceted(points, triangles, 0.3)
    glow = np.clip(0.55 + 4.0 * lump.positions[:, 1:2], 0.12, 1.0)
    lump.colors = glow ** (0.7, 1.1, 1.4)
    return lump.turned(np.eye(3), top + 0.16 * UP)


def lit_by(surface: Surface, light: np.ndarray, reach: float, above: float = 0.006):
    """A skin over a surface and its alpha: where, and how strongly, a small light falls on it.

    Drawn blended and unlit in the light's colour, with the surface's own texture.

    Parameters
    ----------
    surface : Surface
    light : (3,) array
    reach : float
        Metres at which half of the light is left.
    above : float
        Metres from the surface to its skin.

    Returns
    -------
    (Surface, (V,) ndarray)
        Triangles that get next to nothing are left out.
    """
    to_light = light - surface.positions
    distance = np.linalg.norm(to_light, axis=1)
    facing = np.clip(((to_light * surface.normals).sum(axis=1) / np.maximum(distance, 1e-6)
                      + 0.25) / 1.25, 0.0, 1.0)
    alpha = facing / (1.0 + (distance / reach) ** 2)
    fade = np.clip((alpha - 0.02) / 0.06, 0.0, 1.0)
    alpha = np.minimum(alpha * fade, 0.92)
    kept = surface.indices[alpha[surface.indices].max(axis=1) > 0.0]
    used, indices = np.unique(kept, return_inverse=True)
    skin = Surface((surface.positions + above * surface.normals)[used], surface.normals[used],
                   surface.uvs[used], surface.colors[used], indices.reshape(kept.shape))
    return skin, alpha[used]
