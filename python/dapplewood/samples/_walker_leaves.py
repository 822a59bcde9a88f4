# SPDX-License-Identifier: MIT
"""The leaves that the moss walker wears: hair, mantle and skirt. Curved cards, rooted in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _clusters
from ._subdivide import Shell
from ._surface import UP, grid_triangles, unit
from ._walker_body import HEAD, JOINTS, on_head

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
# Vertices along and across a leaf, by detail.
_ROWS, _COLUMNS = (3, 5, 8, 15, 29), (2, 3, 5, 9, 17)
BROAD, LOBED, SLIM, GOLD = range(4)


@dataclass
class Leaves:
    """One row for each leaf."""

    roots: np.ndarray  # (N, 3)
    starts: np.ndarray  # (N, 3), where each leaf grows to first
    ends: np.ndarray  # (N, 3), where its tip points
    faces: np.ndarray  # (N, 3), unit, what its upper side faces
    lengths: np.ndarray  # (N,), metres
    widths: np.ndarray  # (N,), over those of the card
    tiles: np.ndarray  # (N,)
    tints: np.ndarray  # (N, 3)
    weights: np.ndarray  # (N, J) at the root
    sways: np.ndarray  # (N, J) of what moves the tip
    loose: np.ndarray  # (N,), the share of `sways` at the tip


def _gathered(parts: list[Leaves]) -> Leaves:
    return Leaves(*(np.concatenate([getattr(part, name) for part in parts])
                    for name in Leaves.__dataclass_fields__))


def _joint_rows(names: list[str], shares: np.ndarray) -> np.ndarray:
    rows = np.zeros((len(shares), len(JOINTS)))
    for name, share in zip(names, shares.T):
        rows[:, JOINTS.index(name)] += share
    return rows / rows.sum(axis=1, keepdims=True)


def _tones(rng, count: int, least: float) -> np.ndarray:
    """Light and hue of leaves, from blue-green to yellow, (N, 3)."""
    hue = rng.uniform(0.0, 1.0, (count, 1))
    return rng.uniform(least, 1.0, (count, 1)) * np.concatenate(
        [0.80 + 0.20 * hue, np.full((count, 1), 0.98), 1.0 - 0.35 * hue], axis=1)


def _rooted(skin: Shell, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points of a surface near places, its normals and joints there."""
    away = np.square(skin.positions[None] - places[:, None]).sum(axis=2)
    near = np.argsort(away, axis=1, kind="stable")[:, :5]
    share = 1.0 / (np.take_along_axis(away, near, axis=1) + 1e-4)
    share = (share / share.sum(axis=1, keepdims=True))[..., None]
    return ((skin.positions[near] * share).sum(axis=1),
            unit((skin.normals[near] * share).sum(axis=1)),
            (skin.weights[near] * share).sum(axis=1))


# Tiers from below: height and radius of the roots, leaves, length, slopes (out, down) at root and
# tip, and how loose the tips are.
_TIERS = {"skirt": [(0.690, 0.155, 17, 0.215, (0.62, 0.80), (0.16, 1.0), 0.55),
                    (0.735, 0.160, 16, 0.180, (0.75, 0.65), (0.30, 0.95), 0.45)],
          "mantle": [(0.920, 0.130, 16, 0.240, (0.65, 0.75), (0.12, 1.0), 0.50),
                     (0.985, 0.120, 14, 0.200, (0.85, 0.45), (0.25, 0.95), 0.45),
                     (1.045, 0.075, 15, 0.165, (1.00, 0.10), (0.60, 0.80), 0.30)]}
_TIER_TILES = {"skirt": (LOBED, LOBED, BROAD, GOLD), "mantle": (BROAD, BROAD, LOBED, BROAD)}


def _tier(rng, skin: Shell, kind: str, row, phase: float) -> Leaves:
    y, radius, count, length, start, end, loose = row
    turn = phase + (np.arange(count) + rng.uniform(-0.18, 0.18, count)) * (2.0 * np.pi / count)
    out = np.stack([np.cos(turn), 0.0 * turn, np.sin(turn)], 1)
    places = radius * out + (y + rng.uniform(-0.012, 0.012, count))[:, None] * UP
    roots, _, weights = _rooted(skin, places)
    if kind == "skirt":
        sways = _joint_rows(["skirt"], np.ones((count, 1)))
    else:
        shares = np.stack([np.maximum(out[:, 0], 0.0), np.maximum(-out[:, 0], 0.0),
                           np.maximum(-out[:, 2], 0.0), 0.5 * np.maximum(out[:, 2], 0.0)], axis=1)
        sways = _joint_rows(["mantle.L", "mantle.R", "mantle", "chest"], shares**2)
    skew = rng.uniform(-0.22, 0.22, count)[:, None] * np.cross(UP, out)
    tone = _tones(rng, count, 0.66)
    tiles = np.array(_TIER_TILES[kind])[rng.integers(0, 4, count)]
    return Leaves(roots - 0.012 * out, start[0] * out - start[1] * UP + skew,
                  end[0] * out - end[1] * UP + 2.0 * skew, out,
                  length * rng.uniform(0.86, 1.12, count), rng.uniform(0.95, 1.2, count), tiles,
                  tone, weights, sways, np.full(count, loose))


def _hair(rng, count: int) -> Leaves:
    """Leaves all over the crown and the back of the head, swept back from the brow."""
    k = np.arange(3 * count)
    height = 1.0 - 1.62 * (k + 0.5) / (3 * count)
    flat = np.sqrt(1.0 - height**2)
    way = np.stack([flat * np.cos(_GOLDEN * k), height, flat * np.sin(_GOLDEN * k)], axis=1)
    # The hairline: high over the brow, down behind the ears.
    line = 0.34 + 0.62 * way[:, 2] - 0.15 * np.abs(way[:, 0])
    line = np.where(way[:, 2] < 0.0, np.maximum(0.19 + 1.8 * way[:, 2], -0.62), line)
    way = way[way[:, 1] > line]
    way = way[:: max(1, len(way) // count)]
    count = len(way)
    roots = on_head(way)
    front = np.clip(0.5 + 0.9 * way[:, 2:3], 0.0, 1.0)
    back = np.array([0.0, -0.15, -1.0])
    starts = way + 0.55 * front * UP + (0.25 * (1.0 - front) + 0.1) * back
    starts = starts + rng.uniform(-0.28, 0.28, (count, 3))
    ends = 0.55 * way * (1.0, 0.2, 1.0) + back * (0.9 - 0.2 * front) - 0.75 * (1.0 - front) * UP
    fringe = np.clip(4.0 * way[:, 2:3] - 0.6, 0.0, 1.0) * (rng.random((count, 1)) < 0.6)
    ends = ends + 0.30 * UP * front + rng.uniform(-0.25, 0.25, (count, 3))
    # Some fall over the brow, to one side.
    brow = np.stack([0.5 + rng.uniform(-0.5, 0.5, count), rng.uniform(-0.7, 0.1, count),
                     np.full(count, 0.8)], axis=1)
    ends = ends * (1.0 - fringe) + fringe * brow
    tone = _tones(rng, count, 0.62)
    tiles = np.array((SLIM, SLIM, BROAD, SLIM, LOBED, SLIM, SLIM, GOLD))[rng.integers(0, 8, count)]
    lengths = (0.115 + 0.085 * np.maximum(way[:, 1], 0.0) + 0.03 * (way[:, 2] < -0.2)) * (
        rng.uniform(0.75, 1.3, count) * (1.0 - 0.25 * fringe[:, 0]))
    return Leaves(roots - 0.012 * way, unit(starts), unit(ends), way, lengths,
                  rng.uniform(0.78, 1.05, count), tiles, tone,
                  _joint_rows(["head"], np.ones((count, 1))),
                  _joint_rows(["crown"], np.ones((count, 1))), np.full(count, 0.55))


def _cuffs(rng, skin: Shell) -> Leaves:
    """A few leaves at forearms and knees."""
    places, ways = [], []
    for side in (1.0, -1.0):
        for k in range(6):
            turn = 1.0472 * k + 0.4
            arm = np.array([0.7 * side, -0.714, 0.0])
            out = np.cos(turn) * np.array([0.714 * side, 0.70, 0.0]) + np.array(
                [0, 0, np.sin(turn)])
            places.append(np.array([0.150 * side, 0.960, -0.005]) + 0.270 * arm + 0.05 * out)
            ways.append((0.55 * out + 0.85 * arm, 0.25 * out + arm, out))
        for k in range(6):
            turn = 1.0472 * k
            out = np.array([np.cos(turn) * side, 0.0, np.sin(turn)])
            places.append(np.array([0.085 * side, 0.285, 0.006]) + 0.06 * out)
            ways.append((0.6 * out - 0.8 * UP, 0.2 * out - UP, out))
    count = len(places)
    roots, _, weights = _rooted(skin, np.array(places))
    starts, ends, faces = (np.array(column) for column in zip(*ways))
    tiles = np.array((BROAD, SLIM, LOBED, GOLD))[rng.integers(0, 4, count)]
    return Leaves(roots - 0.006 * faces, starts, ends, faces, rng.uniform(0.10, 0.135, count),
                  rng.uniform(0.9, 1.15, count), tiles,
                  rng.uniform(0.72, 0.95, (count, 1)) * np.ones(3), weights, weights,
                  np.zeros(count))


def _brows(rng) -> Leaves:
    """Two slim leaves over the eyes, one at each antler."""
    places, starts, ends, faces, lengths = [], [], [], [], []
    for side in (1.0, -1.0):
        way = unit(np.array([0.25 * side, 0.385, 0.89]))
        places.append(on_head(way) + 0.004 * way)
        starts.append((side, 0.35, -0.10))
        ends.append((side, -0.15, -0.45))
        faces.append(unit(way + 0.3 * UP))
        places.append(np.array([0.162 * side, 1.615, -0.020]))
        starts.append((0.8 * side, 0.5, 0.1))
        ends.append((0.6 * side, -0.5, 0.2))
        faces.append(unit(np.array([0.2 * side, 0.8, 0.5])))
        lengths += [0.105, 0.085]
    count = len(places)
    head = _joint_rows(["head"], np.ones((count, 1)))
    return Leaves(np.array(places), np.array(starts), np.array(ends), np.array(faces),
                  np.array(lengths), np.tile([0.75, 1.0], 2), np.tile([SLIM, BROAD], 2),
                  rng.uniform(0.7, 0.8, (count, 1)) * np.ones(3), head,
                  _joint_rows(["crown"], np.ones((count, 1))), np.tile([0.0, 0.3], 2))


def layout(seed: int, skin: Shell) -> Leaves:
    """Where the leaves of a walker grow; `skin` is its trunk and limbs."""
    rng = np.random.default_rng([8600, seed])
    parts = [_hair(rng, 165)]
    for kind, tiers in _TIERS.items():
        for i, row in enumerate(tiers):
            parts.append(_tier(rng, skin, kind, row, 0.37 * i + 0.1))
    return _gathered([*parts, _cuffs(rng, skin), _brows(rng)])


@dataclass
class Foliage:
    """Leaves as triangles, with their motion in a gust."""

    shell: Shell
    colors: np.ndarray  # (V, 3)
    gust: np.ndarray  # (V, 3)
    gust_normals: np.ndarray  # (V, 3)
    roots: np.ndarray  # (V, 3), where the leaf of each vertex grows
    root_weights: np.ndarray  # (V, J)


def _bent(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Ends no farther than 115 degrees from the starts: a leaf bends, it does not fold."""
    least = np.cos(np.radians(115.0))
    along = (starts * ends).sum(axis=1, keepdims=True)
    aside = unit(ends - along * starts)
    return np.where(along < least, least * starts + np.sqrt(1.0 - least**2) * aside, ends)


def _sides(leaves: Leaves) -> np.ndarray:
    """Unit vectors across the leaves at their roots, (N, 3)."""
    starts = unit(leaves.starts)
    across = np.cross(leaves.faces, starts + _bent(starts, unit(leaves.ends)))
    return unit(across - (across * starts).sum(axis=1, keepdims=True) * starts)


def _carried(vector: np.ndarray, start: np.ndarray, to: np.ndarray) -> np.ndarray:
    """A vector across `start`, moved by the least turn from there to another direction."""
    share = (vector * to).sum(axis=-1, keepdims=True) / (
        1.0 + (start * to).sum(axis=-1, keepdims=True))
    return vector - share * (start + to)


def _surfaces(leaves: Leaves, rows: int, columns: int, ends: np.ndarray):
    """(N, rows, columns, 3) points and their normals."""
    t = np.linspace(0.0, 1.0, rows)[None, :, None]
    boxes = _clusters.boxes("walker")[leaves.tiles]
    wide = (0.5 * leaves.lengths * leaves.widths * (boxes[:, 2] - boxes[:, 0])
            / (boxes[:, 3] - boxes[:, 1]))
    starts, ends = unit(leaves.starts)[:, None], _bent(unit(leaves.starts), unit(ends))[:, None]
    tangent = unit(starts + t * (ends - starts))
    # Steps of one length, so that a leaf is as long however it bends.
    steps = unit(tangent[:, 1:] + tangent[:, :-1]) * (leaves.lengths[:, None, None] / (rows - 1))
    spine = leaves.roots[:, None] + np.concatenate(
        [np.zeros_like(steps[:, :1]), np.cumsum(steps, axis=1)], axis=1)
    side = _carried(_sides(leaves)[:, None], starts, tangent)
    face = np.cross(tangent, side)
    s = np.linspace(-1.0, 1.0, columns)[None, None, :, None]
    half = wide[:, None, None, None]
    fold = 0.30 * (np.abs(s) ** 1.4) * np.sin(0.35 + 2.4 * t)[..., None]
    points = spine[:, :, None] + half * (s * side[:, :, None] - fold * face[:, :, None])
    down, over = np.gradient(points, axis=1), np.gradient(points, axis=2)
    normals = unit(np.cross(over, down))
    return points, np.where((normals * face[:, :, None]).sum(-1, keepdims=True) < 0.0, -normals,
                            normals)


def foliage(leaves: Leaves, seed: int, detail: int) -> Foliage:
    """The leaves as meshes; the coarsest level has every second one, wider."""
    if detail == 0:
        kept = {name: getattr(leaves, name)[::2] for name in Leaves.__dataclass_fields__}
        leaves = Leaves(**{**kept, "widths": 1.45 * kept["widths"]})
    rows, columns, count = _ROWS[detail], _COLUMNS[detail], len(leaves.lengths)
    rng = np.random.default_rng([8601, seed])
    blown = leaves.ends + (0.25, 0.45, -1.3) + rng.uniform(-0.5, 0.5, leaves.ends.shape)
    points, normals = _surfaces(leaves, rows, columns, leaves.ends)
    away, away_normals = _surfaces(leaves, rows, columns, blown)
    round_out = unit(leaves.roots - np.where(leaves.roots[:, 1:2] > 1.09, HEAD,
                                             leaves.roots * (0, 1, 0) - (0, 0.1, 0)))
    soft = unit(0.62 * normals + 0.75 * round_out[:, None, None])
    away_soft = unit(0.62 * away_normals + 0.75 * round_out[:, None, None])
    t = np.linspace(0.0, 1.0, rows)[None, :, None, None]
    loose = leaves.loose[:, None, None] * t[..., 0] ** 1.3
    weights = leaves.weights[:, None] * (1.0 - loose) + leaves.sways[:, None] * loose
    boxes = _clusters.boxes("walker")[leaves.tiles]
    u0, v0, u1, v1 = (edge[:, None, None] for edge in boxes.T)
    across = np.linspace(0.0, 1.0, columns)
    uvs = np.stack(np.broadcast_arrays(u0 + (u1 - u0) * across, v1 + (v0 - v1) * t[..., 0]), -1)
    shade = (0.34 + 0.66 * np.clip(1.25 * t, 0.0, 1.0)) * leaves.tints[:, None, None]
    colors = np.broadcast_to(shade, points.shape)
    first = grid_triangles(rows, columns)
    indices = (np.arange(count) * rows * columns)[:, None, None] + first

    def flat(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array).reshape(-1, array.shape[-1])

    weights = np.broadcast_to(weights[:, :, None], (count, rows, columns, len(JOINTS)))
    shell = Shell(flat(points), flat(soft), flat(uvs), flat(weights), indices.reshape(-1, 3))
    return Foliage(shell, flat(colors), flat(away - points), flat(away_soft - soft),
                   np.repeat(leaves.roots, rows * columns, axis=0),
                   np.repeat(leaves.weights, rows * columns, axis=0))
