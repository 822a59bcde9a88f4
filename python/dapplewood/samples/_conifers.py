# SPDX-License-Identifier: MIT
"""Spruces: whorls of drooping fans on a straight stem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _clusters
from ._branches import Bark, Skeleton, trunk_path
from ._canopy import Puffs, grounded, shade
from ._surface import UP, Surface, cards, grid_triangles, joined, strips, unit


@dataclass(frozen=True)
class Conifer:
    """A straight stem with whorls of drooping fans."""

    height: float
    width: float  # half width at the widest
    trunk: float
    whorls: tuple[int, int, int]
    fans: tuple[int, int, int]  # in a whorl
    joints: tuple[int, int, int]  # along a fan
    widths: tuple[float, float, float]  # of a fan, relative to its length
    depths: tuple[float, float, float]  # of the fringe under it, likewise
    steepness: tuple[float, float, float]
    tints: tuple[tuple[float, float, float], ...] = ((1.0, 1.0, 1.0),) * 3  # of a level's colours
    bark: Bark = Bark(0.5, 0.9)
    skirt: float = 1.7  # height of the lowest whorl
    density: float = 0.5


def whorled(tree: Conifer, name: str, rng: np.random.Generator, seed_leaves: int, wanted):
    """Yield (wood, leaves) at each wanted level of detail."""
    stem = trunk_path(rng, 0.985 * tree.height, 0.10, 9)
    bones = Skeleton(stem)
    radii = tree.trunk * np.clip(1.08 - np.maximum(stem[:, 1], 0.0) / tree.height, 0.02, 1.0)
    heart = 0.3 * tree.height * UP
    rings = np.linspace(0.12, 0.9, 7)
    puffs = Puffs((tree.skirt + rings * (tree.height - tree.skirt))[:, None] * UP,
                  0.62 * tree.width * (1.05 - rings), np.full(7, 1.1), heart)
    flare_seed = int(rng.integers(1 << 30))
    boxes = _clusters.boxes(name)
    for level in wanted:
        wood = bones.wood(radii, tree.bark, sides=(8, 6, 4)[level], skip=(1, 2, 4)[level],
                          flare=0.6, rng=np.random.default_rng(flare_seed))
        shade(wood, puffs, density=0.5, lift=0.05)
        grounded(wood)
        leaves = _fans(tree, np.random.default_rng([seed_leaves, 7]), level, stem, boxes)
        shade(leaves, puffs, density=tree.density, dark=(0.26, 0.34, 0.40))
        yield wood, leaves


def _fans(tree: Conifer, rng: np.random.Generator, level: int, stem: np.ndarray,
          boxes: np.ndarray) -> Surface:
    whorls, fans, joints = tree.whorls[level], tree.fans[level], tree.joints[level]
    t = 1.0 - (1.0 - (np.arange(whorls) + 0.35) / whorls) ** 1.25
    share = np.repeat(t, fans)
    count = len(share)
    share = share + rng.uniform(-0.45, 0.45, count) / whorls
    share = np.clip(share, 0.0, 0.985)
    height = tree.skirt + share * (tree.height - tree.skirt)
    turn = (np.tile(np.arange(fans) * (2.0 * np.pi / fans), whorls)
            + np.repeat(np.arange(whorls) * 2.4, fans) + rng.uniform(-0.25, 0.25, count))
    length = tree.width * (1.0 - share) ** 0.78 * (0.80 + 0.20 * np.minimum(1.0, share * 9.0))
    length = np.maximum(length * rng.uniform(0.84, 1.12, count), 0.035 * tree.height)
    out = np.stack([np.cos(turn), np.zeros(count), np.sin(turn)], 1)
    side = np.stack([-np.sin(turn), np.zeros(count), np.cos(turn)], 1)
    foot = np.stack([np.interp(height, stem[:, 1], stem[:, c]) for c in range(3)], 1)
    s = np.linspace(0.0, 1.0, joints)[None, :, None]
    # Old boughs hang and lift their tips, young ones rise.
    sag = (0.42 - 0.85 * share) * rng.uniform(0.85, 1.15, count)
    drop = sag[:, None, None] * (1.25 * s - 0.45 * s**3)
    # Few fans cover the stem when they hang from higher up to the same tips.
    raised = tree.steepness[level] * (1.0 - s)
    spine = foot[:, None] + length[:, None, None] * (s * out[:, None] + (raised - drop) * UP)
    wide = tree.widths[level] * length * rng.uniform(0.9, 1.1, count)
    roof = rng.uniform(0.4, 0.85, count)
    # The lowest boughs rest on the ground.
    lowest = spine[..., 1].min(axis=1) - np.maximum(wide * roof, 0.5 * tree.depths[level] * length)
    spine = spine + (np.maximum(0.0, -0.05 - lowest)[:, None, None] * s) * UP
    sides = np.broadcast_to((wide[:, None] * side)[:, None], spine.shape)
    drops = np.broadcast_to(-(wide * roof)[:, None, None] * UP, spine.shape)
    tiles = np.array([0, 1]) if level == 0 else np.array([3, 3])
    box = boxes[tiles[rng.integers(0, 2, count)]]
    parts = [strips(spine, sides, drops, box)]
    parts[0].normals = _cone_normals(parts[0], 0.55)
    parts.append(_fringes(rng, spine, tree.depths[level] * length + 0.1, boxes, level))
    parts.append(_leader(tree, stem, boxes))
    fan = joined(parts)
    hue = np.repeat(rng.uniform(-1.0, 1.0, count), joints * 3)[:, None] * 0.09
    warm = np.zeros((len(fan.positions), 1))
    warm[: len(hue)] = hue
    fan.colors = 0.88 * (1.0 + warm * (1.0, 0.3, -0.6)) * tree.tints[level]
    # Tips have the young, light needles; what is near the stem lies in the dark.
    axis = np.hypot(fan.positions[:, 0], fan.positions[:, 2])
    level_share = np.clip((fan.positions[:, 1] - tree.skirt) / (tree.height - tree.skirt), 0, 1)
    rim = axis / np.maximum(tree.width * (1.03 - level_share), 0.1)
    fan.tinted((0.50 + 0.55 * np.clip(rim, 0.0, 1.0) ** 0.8)[:, None])
    fan.colors = np.minimum(fan.colors, 1.0)
    return fan


def _fringes(rng, spine, depth, boxes, level) -> Surface:
    """Shoots that hang along the spine of each fan."""
    part = spine[:, :: max(1, (spine.shape[1] - 1) // 2)] if level else spine
    deep = (depth * rng.uniform(0.8, 1.2, len(depth)))[:, None, None]
    low = part - deep * np.linspace(0.9, 0.35, part.shape[1])[None, :, None] * UP
    count, joints = part.shape[:2]
    u0, v0, u1, v1 = boxes[2]
    positions = np.stack([part, low], axis=2)
    along = u0 + (u1 - u0) * np.linspace(0.0, 1.0, joints)
    uvs = np.empty((count, joints, 2, 2))
    uvs[..., 0] = along[None, :, None]
    uvs[:, :, 0, 1], uvs[:, :, 1, 1] = v1, v0
    triangles = (np.arange(count) * joints * 2)[:, None, None] + grid_triangles(joints, 2)
    flat = positions.reshape(-1, 3)
    patch = Surface(flat, np.zeros_like(flat), uvs.reshape(-1, 2), np.ones_like(flat),
                    triangles.reshape(-1, 3))
    patch.normals = _cone_normals(patch, 0.15)
    return patch


def _leader(tree: Conifer, stem: np.ndarray, boxes: np.ndarray) -> Surface:
    """Two crossed cards for the top shoot."""
    top = stem[-1]
    tall = 0.10 * tree.height
    right = np.array([[0.36 * tall, 0.0, 0.0], [0.0, 0.0, 0.36 * tall]])
    up = np.tile(0.5 * tall * UP, (2, 1))
    patch = cards(np.tile(top - 0.22 * tall * UP, (2, 1)), right, up, boxes[[0, 1]])
    patch.normals = _cone_normals(patch, 0.8)
    return patch


def _cone_normals(surface: Surface, lift: float) -> np.ndarray:
    out = surface.positions * (1.0, 0.0, 1.0)
    return unit(unit(out) + lift * UP + 0.35 * surface.normals)
