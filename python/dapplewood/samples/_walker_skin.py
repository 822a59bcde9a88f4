# SPDX-License-Identifier: MIT
"""What the moss walker's body is made of: grain and knots, colours, shade, and its breath."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _walker_body as body
from ._bark import linear
from ._subdivide import Shell, welded_normals, welds
from ._surface import unit

_BARK, _DARK, _PALE = linear(0xA98B68), linear(0x6B5138), linear(0xF2DDB2)
_MOSS, _LEAF, _BLUSH = linear(0x93A24A), linear(0xA9BC62), linear(0xE2906E)
_INK = linear(0x38231C)
# Balls that stand for the body where it shades itself: middle and radius, metres.
_SHADERS = np.array([(*body.HEAD, 0.20), (0, 0.93, 0, 0.125), (0, 0.70, 0, 0.15),
                     *((s * 0.085, 0.46, 0, 0.07) for s in (1, -1)),
                     *((s * 0.085, 0.22, 0, 0.058) for s in (1, -1)),
                     *((s * 0.090, 0.03, 0.04, 0.06) for s in (1, -1)),
                     *((s * (0.15 + 0.7 * t), 0.96 - 0.714 * t, 0, 0.05)
                       for s in (1, -1) for t in (0.08, 0.2, 0.32))])  # fmt: skip


@dataclass
class Skin:
    """All closed surfaces of the body as one."""

    shell: Shell
    colors: np.ndarray  # (V, 3)
    breath: np.ndarray  # (V, 3), how far it moves at a full breath
    breath_normals: np.ndarray  # (V, 3)


def _waves(seed: int, salt: int, count: int, scale) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([8602, seed, salt])
    ways = rng.normal(size=(count, 3)) * np.asarray(scale, float)
    return ways, 6.2832 * rng.random(count)


def _noise(points: np.ndarray, waves) -> np.ndarray:
    """Smooth noise about in [-1, 1], a sum of bent sines."""
    ways, phases = waves
    bent = points + 0.012 * np.sin(points[:, [1, 2, 0]] * 31.0 + phases[:3])
    return np.sin(bent @ ways.T + phases).sum(axis=1) / np.sqrt(len(phases))


def _step(low: float, high: float, value: np.ndarray) -> np.ndarray:
    t = np.clip((value - low) / (high - low), 0.0, 1.0)
    return t * t * (3.0 - 2.0 * t)


def _mixed(color: np.ndarray, other: np.ndarray, share: np.ndarray) -> np.ndarray:
    return color + (other - color) * np.clip(share, 0.0, 1.0)[:, None]


def _gnarled(shell: Shell, seed: int, depth: float) -> Shell:
    """Grain that runs along the limbs and soft knots, as heights of the surface itself."""
    points, place = shell.positions, welds(shell.positions)
    grain = _noise(points, _waves(seed, 1, 7, (75.0, 11.0, 75.0)))
    knots = _noise(points, _waves(seed, 2, 6, 30.0))
    foot = _step(0.0, 0.03, points[:, 1])
    armpit = np.square(np.abs(points[:, 0]) - 0.155) + np.square(points[:, 1] - 0.885)
    rise = depth * foot * (1.0 - np.exp(-armpit / 0.04**2)) * (
        0.55 * grain - 0.35 * np.abs(grain) + 0.9 * knots)
    moved = points + rise[:, None] * shell.normals
    return Shell(moved, welded_normals(moved, shell.indices, place), shell.uvs, shell.weights,
                 shell.indices)


def _shade(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(V,) light that the body's own parts leave, in [0, 1]."""
    dark = np.zeros(len(points))
    for *middle, radius in _SHADERS:
        off = np.array(middle) - points
        away = np.maximum(np.linalg.norm(off, axis=1), 1e-6)
        facing = np.clip((off * normals).sum(axis=1) / away, 0.0, 1.0)
        outside = np.clip(away / radius - 1.0, 0.0, 1.0)
        dark += facing * outside * (radius / np.maximum(away, radius)) ** 2
    return np.clip(1.0 - 0.75 * dark, 0.25, 1.0)


def _trunk_colors(shell: Shell, seed: int) -> np.ndarray:
    points, normals = shell.positions, shell.normals
    patch = _noise(points, _waves(seed, 3, 8, 22.0))
    fine = _noise(points, _waves(seed, 4, 8, 70.0))
    color = np.tile(_BARK, (len(points), 1)) * (1.0 + 0.10 * patch + 0.07 * fine)[:, None]
    limb = np.abs(points[:, 0]) - 0.17
    color = _mixed(color, _DARK, 0.75 * _step(0.16, 0.28, limb) + 0.6 * _step(0.16, 0.0,
                                                                              points[:, 1]))
    belly = np.exp(-np.square(points[:, 0] / 0.085) - np.square((points[:, 1] - 0.79) / 0.12))
    color = _mixed(color, _PALE, 0.9 * belly * _step(0.1, 0.6, normals[:, 2]))
    mossy = (0.75 * normals[:, 1] - 0.45 * normals[:, 2] + 0.45 * patch + 0.25 * fine
             + 0.8 * _step(0.80, 1.0, points[:, 1]))
    color = _mixed(color, _MOSS, 0.85 * _step(0.25, 0.85, mossy))
    hidden = (1.0 - 0.45 * _step(0.80, 0.94, points[:, 1])
              - 0.40 * _step(0.74, 0.66, points[:, 1]) * _step(0.46, 0.58, points[:, 1]))
    return color * hidden[:, None]


def _head_colors(shell: Shell, seed: int) -> np.ndarray:
    """A pale face, heart-shaped under the hair, on a mossy head."""
    points, normals = shell.positions, shell.normals
    way = unit(points - body.HEAD)
    patch = _noise(points, _waves(seed, 5, 8, 26.0))
    fine = _noise(points, _waves(seed, 6, 8, 80.0))
    color = np.tile(_BARK, (len(points), 1)) * (1.0 + 0.10 * patch)[:, None]
    color = _mixed(color, _MOSS, _step(-0.2, 0.5, 0.8 * way[:, 1] - 0.6 * way[:, 2] + 0.35 * patch
                                       + 0.2 * fine))
    x, y = np.abs(way[:, 0]), way[:, 1]
    edge = np.hypot((x - 0.30) / 0.50, (y + 0.04) / 0.60) + 0.05 * patch
    face = _step(1.14, 0.88, edge) * _step(0.05, 0.30, way[:, 2])
    chin = np.exp(-np.square(x / 0.34) - np.square((y + 0.55) / 0.28)) * (way[:, 2] > 0.1)
    color = _mixed(color, _PALE * (1.0 + 0.05 * fine)[:, None], np.maximum(face, _step(
        0.3, 0.65, chin)))
    color = _mixed(color, _BLUSH, 0.55 * body._bump(way, (0.66, -0.30, 0.68), 0.20))
    color = _mixed(color, _DARK, 0.55 * body._bump(way, body._GAZE, 0.285) ** 0.8)
    return color


def _lid_colors(shell: Shell) -> np.ndarray:
    off = shell.positions - body.EYE * np.where(shell.positions[:, :1] > 0.0, 1.0, body.MIRROR)
    lash = np.degrees(np.arctan2(off[:, 1], off[:, 2])) < 0.5 * sum(body.LASHES)
    return np.where(lash[:, None], _INK, 0.45 * _PALE + 0.55 * _BARK)


def _twig_colors(kind: str, shell: Shell) -> np.ndarray:
    points = shell.positions
    if kind == "mouth":
        return np.tile(_INK, (len(points), 1))
    if kind == "nose":
        return np.tile(0.55 * _BARK + 0.45 * _BLUSH, (len(points), 1))
    if kind == "ears":
        tip = _step(0.24, 0.40, np.abs(points[:, 0]))[:, None]
        inner = np.clip(shell.normals[:, 2:3] + 0.3, 0.0, 1.0)
        return _MOSS + (_LEAF - _MOSS) * (0.3 + 0.7 * inner) + (_BLUSH - _LEAF) * 0.35 * tip * inner
    color = _DARK + (_BARK - _DARK) * 0.45
    if kind == "antlers":
        return color + (_PALE - color) * 0.55 * _step(1.50, 1.60, points[:, 1])[:, None]
    nail = np.maximum(_step(0.49, 0.53, np.abs(points[:, 0])),
                      _step(0.145, 0.185, points[:, 2]) * (points[:, 1] < 0.1))
    return color + (_DARK * 0.6 - color) * 0.7 * nail[:, None]


def _breath(positions: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Where chest and belly go when they fill, (V, 3)."""
    names = body.JOINTS
    share = weights[:, names.index("chest")] + 0.8 * weights[:, names.index("spine")]
    out = positions * (1.0, 0.0, 1.0)
    front = 0.6 + 0.6 * _step(-0.02, 0.10, positions[:, 2])
    swell = 0.016 * unit(out + (0.0, 1e-4, 0.0)) * np.clip(np.linalg.norm(
        out, axis=1, keepdims=True) / 0.08, 0.0, 1.0)
    near = _step(0.30, 0.16, np.abs(positions[:, :1]))  # arms are carried, not swollen
    return share[:, None] * (near * front[:, None] * swell + (0.0, 0.008, 0.0))


def skin(seed: int, detail: int) -> Skin:
    """Every closed surface of the body, painted."""
    parts: list[tuple[Shell, np.ndarray]] = []
    trunk = _gnarled(body.trunk_and_limbs(detail), seed, 0.0045)
    parts.append((trunk, _trunk_colors(trunk, seed)))
    face = body.head(detail)
    parts.append((face, _head_colors(face, seed)))
    for side in "LR":
        lid = body.lid(side, detail)
        parts.append((lid, _lid_colors(lid)))
    for kind, shells in body.twigs(detail).items():
        parts += [(shell, _twig_colors(kind, shell)) for shell in shells]
    shell = merged([part for part, _ in parts])
    colors = np.concatenate([color for _, color in parts])
    colors = colors * _shade(shell.positions, shell.normals)[:, None]
    breath = _breath(shell.positions, shell.weights)
    place = welds(shell.positions)
    normals = welded_normals(shell.positions + breath, shell.indices, place)
    return Skin(shell, np.clip(colors, 0.0, 1.0), breath, normals - shell.normals)


def merged(shells: list[Shell]) -> Shell:
    """Shells one after another."""
    starts = np.cumsum([0, *(len(shell.positions) for shell in shells)])
    return Shell(*(np.concatenate([getattr(shell, name) for shell in shells])
                   for name in ("positions", "normals", "uvs", "weights")),
                 np.concatenate([shell.indices + start for shell, start in zip(shells, starts)]))


def eye_image(side: int = 256) -> np.ndarray:
    """An amber eye as seen from the front, (side, side, 4) u8 sRGB."""
    row, column = np.mgrid[0:side, 0:side]
    x, y = (column + 0.5) / side * 2.0 - 1.0, 1.0 - (row + 0.5) / side * 2.0
    radius = np.hypot(x, y)
    turn = np.arctan2(y, x)
    rays = 0.5 + 0.25 * np.sin(23.0 * turn + 1.0) + 0.25 * np.sin(37.0 * turn + 2.0)
    amber = np.array([0.62, 0.30, 0.05]) + rays[..., None] * np.array([0.25, 0.16, 0.03])
    glow = np.clip(0.55 - 0.9 * y, 0.15, 1.25)[..., None]  # light gathers below
    color = amber * glow
    dark = np.array([0.018, 0.010, 0.008])
    soft = 0.05

    def inside(edge: float, of=radius) -> np.ndarray:
        return np.clip((edge - of) / soft + 0.5, 0.0, 1.0)[..., None]

    color = dark + (color - dark) * inside(0.80)
    color = color + (dark - color) * inside(0.52)
    for ax, ay, size, strength in ((-0.24, 0.30, 0.21, 1.0), (0.26, -0.30, 0.10, 0.65)):
        shine = inside(size, np.hypot(x - ax, y - ay)) * strength
        color = color + (1.0 - color) * shine
    code = np.where(color <= 0.0031308, color * 12.92, 1.055 * np.maximum(color, 1e-9) ** (1 / 2.4)
                    - 0.055)
    image = np.full((side, side, 4), 255, np.uint8)
    image[..., :3] = np.rint(255.0 * np.clip(code, 0.0, 1.0))
    return image
