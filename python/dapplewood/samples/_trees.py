# SPDX-License-Identifier: MIT
"""The trees: how each species stands, branches and is dressed, at three levels of detail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from . import _clusters
from ._branches import Bark, Skeleton, trunk_path
from ._canopy import Cover, Puffs, dress, grounded, shade, sphere_directions
from ._conifers import Conifer, whorled
from ._surface import UP, Surface, unit

LEVELS = 3


@dataclass(frozen=True)
class Wooden:
    """What is left of the wood at one level of detail."""

    sides: int
    skip: int = 1
    thinnest: float = 0.0  # metres; thinner branches are left out
    branch_sides: int = 3


@dataclass(frozen=True)
class Broadleaf:
    """A tree whose limbs carry puffs of leaf cards."""

    height: float
    crown: tuple[float, float]  # half width and half height of the crown, metres
    crown_y: float  # height of its middle
    puffs: int
    puff: float  # radius relative to the crown's half width
    trunk: float  # radius at breast height
    covers: tuple[Cover, Cover, Cover]
    cards: int  # at the finest level
    bark: Bark = Bark()
    lean: float = 0.35
    tip: float = 0.025
    flatness: float = 0.85
    lowest: float = -0.55  # sine of the lowest puffs' elevation
    top_heavy: float = 0.0  # how much narrower the crown is towards its top
    steepness: float = 1.0
    rise: float = 0.35
    flare: float = 0.75
    trunk_share: float = 0.72  # of the height that the stem reaches
    first_branch: float = 0.25  # of the stem, free of branches
    density: float = 0.55
    hue: float = 0.10
    jitter: float = 0.16
    shell: tuple[float, float] = (0.62, 1.0)
    stems: int = 1
    woods: tuple[Wooden, Wooden, Wooden] = (Wooden(9), Wooden(6, 2, 0.05),
                                            Wooden(4, 4, 0.30))


def _crown(rng: np.random.Generator, tree: Broadleaf) -> Puffs:
    """Puffs over an egg with a wandering surface, and a few inside it."""
    wide, tall = tree.crown
    directions = sphere_directions(4 * tree.puffs, float(rng.random()))
    directions = directions[directions[:, 1] > tree.lowest]
    # Fill the kept part of the sphere evenly.
    order = np.argsort(directions[:, 1], kind="stable")
    outer = directions[order[np.linspace(0, len(order) - 1, tree.puffs).astype(int)]]
    turn = np.arange(tree.puffs) * 2.399963 + 6.2832 * rng.random()
    ring = np.hypot(outer[:, 0], outer[:, 2])
    outer[:, 0], outer[:, 2] = ring * np.cos(turn), ring * np.sin(turn)
    size = tree.puff * wide * rng.uniform(0.86, 1.2, tree.puffs)
    narrow = 1.0 - tree.top_heavy * 0.5 * (outer[:, 1] + 1.0)
    reach = 1.0 + tree.jitter * rng.uniform(-1.0, 0.8, tree.puffs)
    size *= 0.55 + 0.45 * narrow
    breadth = np.maximum(wide * narrow - size, 0.25 * wide * narrow)
    depth = np.maximum(tall - size * tree.flatness, 0.3 * tall)
    centres = outer * (np.stack([breadth, depth, breadth], axis=1) * reach[:, None])
    inside = max(1, tree.puffs // 6)
    middle = rng.uniform(-0.35, 0.35, (inside, 3)) * (wide, tall, wide)
    centres = np.concatenate([centres, middle]) + tree.crown_y * UP
    radii = np.concatenate([size, np.full(inside, 1.05 * tree.puff * wide)])
    flat = np.full(len(radii), tree.flatness) * rng.uniform(0.9, 1.1, len(radii))
    return Puffs(centres, radii, flat, (tree.crown_y - 0.45 * tall) * UP)


def _broad_skeleton(rng: np.random.Generator, tree: Broadleaf, puffs: Puffs) -> Skeleton:
    stem = trunk_path(rng, tree.trunk_share * tree.height, tree.lean, 10)
    stem[:, [0, 2]] += (puffs.heart[[0, 2]] - stem[-1, [0, 2]]) * (
        np.linspace(0, 1, len(stem))[:, None] ** 2)
    bones = Skeleton(stem)
    first = int(np.searchsorted(stem[:, 1], tree.first_branch * tree.trunk_share * tree.height))
    away = np.linalg.norm(puffs.centres - stem[-1], axis=1)
    for p in np.argsort(away, kind="stable"):
        inner = puffs.centres[p] - 0.25 * puffs.radii[p] * unit(puffs.centres[p] - puffs.heart)
        bones.reach(inner, first=first, rise=tree.rise, steepness=tree.steepness)
        tip = len(bones.points) - 1
        for _ in range(2):
            out = unit(unit(puffs.centres[p] - puffs.heart) + 0.9 * rng.normal(size=3))
            reach = 0.75 * puffs.radii[p] * out
            start = tip - int(rng.integers(0, 3))
            base = bones.points[start]
            bones.add(start, np.array([base + 0.5 * reach + 0.06 * reach[[1, 2, 0]],
                                       base + reach]))
    return bones


def _broad(tree: Broadleaf, name: str, rng: np.random.Generator, seed_leaves: int, wanted):
    puffs = _crown(rng, tree)
    bones = _broad_skeleton(rng, tree, puffs)
    radii = bones.radii(1.12 * tree.trunk, tree.tip, 0.55)
    counts = tree.cards * puffs.radii**2 / (puffs.radii**2).sum()
    counts = np.maximum(4, np.rint(counts)).astype(int)
    boxes = _clusters.boxes(name)
    flare_seed = int(rng.integers(1 << 30))
    for level in wanted:
        kept = tree.woods[level]
        wood = bones.wood(radii, tree.bark, sides=kept.sides, thinnest=kept.thinnest,
                          skip=kept.skip, branch_sides=kept.branch_sides, flare=tree.flare,
                          rng=np.random.default_rng(flare_seed))
        shade(wood, puffs, density=0.8 * tree.density, lift=0.1)
        grounded(wood)
        leaves = dress(np.random.default_rng([seed_leaves, 7]), puffs, counts, tree.covers[level],
                       boxes, hue=tree.hue, shell=tree.shell)
        shade(leaves, puffs, density=tree.density)
        yield wood, leaves


def _covers(sizes, shares, insets=(0.36, 0.42, 0.48), *, tiles=((0, 1), (2,), (3,)),
            tints=(), far=None, **near) -> tuple[Cover, Cover, Cover]:
    """Near cards as `near` says; the larger ones turn their faces outwards, lest they show as
    blades. Sizes and `tints`, of the larger ones, are such that a level covers as many pixels as
    the finest does where it takes over, and is as bright."""
    far = {"grow_out": 0.2, "grow_up": 0.5, "scatter": 0.55, "face_out": 0.85, **(far or {})}
    kinds = (near, {**near, **far}, {**near, **far})
    first, second, third = (
        Cover(share, size, tile, inset=inset, tint=tint, **kind)
        for share, size, tile, inset, tint, kind in zip(
            shares, sizes, tiles, insets, ((1.0, 1.0, 1.0), *tints), kinds))
    return first, second, third


KINDS: dict[str, Broadleaf | Conifer] = {
    "oak": Broadleaf(9.0, (4.5, 3.5), 5.5, 26, 0.29, 0.40,
                     _covers((1.05, 1.97, 2.6), (1.0, 0.33, 0.085), (0.36, 0.42, 0.55),
                             tiles=((0, 1), (2, 3), (3,)),
                             tints=((0.96, 0.99, 0.95), (0.97, 1.0, 0.95))), 1300,
                     lean=0.6, lowest=-0.5, jitter=0.24, first_branch=0.35, trunk_share=0.45,
                     flare=1.1, density=0.7,
                     woods=(Wooden(9), Wooden(6, 2, 0.075), Wooden(4, 4, 0.30))),
    "birch": Broadleaf(10.5, (2.3, 4.1), 6.3, 34, 0.26, 0.14,
                       _covers((0.85, 1.02, 1.36), (1.0, 0.54, 0.14), (0.45, 0.58, 0.95),
                               tints=((1.08, 1.06, 1.0), (1.02, 1.03, 1.02)),
                               grow_up=-0.75, grow_out=0.35, scatter=0.35,
                               far={"grow_up": -0.7, "scatter": 0.3}), 900, Bark(0.6, 1.2),
                       lean=0.6, tip=0.012, flatness=1.5, lowest=-0.72, top_heavy=0.45,
                       steepness=2.2, rise=0.1, flare=0.35, trunk_share=0.9, first_branch=0.22,
                       density=0.45, hue=0.12, jitter=0.28, shell=(0.3, 1.0),
                       woods=(Wooden(8, 1, 0.02), Wooden(6, 2, 0.04), Wooden(4, 4, 0.30))),
    "maple": Broadleaf(7.6, (2.8, 3.0), 4.5, 20, 0.32, 0.20,
                       _covers((0.78, 1.48, 1.84), (1.0, 0.25, 0.082), (0.36, 0.45, 0.74),
                               tints=((1.21, 1.04, 0.98), (1.17, 0.93, 0.92))), 1400,
                       lean=0.4, top_heavy=0.35, lowest=-0.7, hue=0.16, first_branch=0.3,
                       trunk_share=0.6, jitter=0.22, density=0.65),
    "pine": Broadleaf(12.0, (3.4, 2.6), 9.3, 13, 0.36, 0.25,
                      _covers((1.0, 1.56, 2.14), (1.0, 0.34, 0.10), (0.36, 0.44, 0.55),
                              tints=((0.97, 0.99, 0.93), (0.99, 1.0, 0.91)),
                              grow_up=0.8), 950, Bark(0.7, 1.1), lean=1.0, flatness=0.48,
                      lowest=-0.8, steepness=0.6, rise=0.5, flare=0.5, trunk_share=0.86,
                      first_branch=0.52, density=0.38, jitter=0.34,
                      woods=(Wooden(9), Wooden(6, 2, 0.05), Wooden(4, 3, 0.30))),
    "bush": Broadleaf(1.5, (1.0, 0.80), 0.60, 11, 0.44, 0.05,
                      _covers((0.42, 0.58, 0.863), (1.0, 0.40, 0.14), (0.36, 0.36, 0.6),
                              tints=((0.97, 1.01, 0.95), (1.02, 1.08, 0.95))), 330,
                      lean=0.1, tip=0.008, lowest=-0.75, jitter=0.25, flare=0.2, trunk_share=0.2,
                      first_branch=0.0, density=0.6, rise=0.5,
                      woods=(Wooden(5, 1, 0.012), Wooden(4, 2, 0.02), Wooden(3, 4, 0.10))),
    "spruce": Conifer(12.0, 2.7, 0.22, (21, 14, 7), (8, 7, 5), (4, 3, 2), (0.50, 0.65, 1.08),
                      (0.30, 0.45, 1.20), (0.28, 0.34, 0.60),
                      ((1.0, 1.0, 1.0), (0.82, 0.85, 0.86), (0.90, 0.92, 0.95))),
}


def grown(name: str, seed: int, wanted=range(LEVELS)) -> list[tuple[Surface, Surface]]:
    """(wood, leaves) of a species at each wanted level of detail, no two seeds alike."""
    rng = np.random.default_rng([5000 + list(KINDS).index(name), seed])
    tree = KINDS[name]
    scale = rng.uniform(0.9, 1.1)
    seed_leaves = int(rng.integers(1 << 30))
    build: Callable = whorled if isinstance(tree, Conifer) else _broad
    levels = list(build(tree, name, rng, seed_leaves, wanted))
    for wood, leaves in levels:
        wood.positions = wood.positions * scale
        leaves.positions = leaves.positions * scale
        leaves.colors = np.clip(leaves.colors, 0.0, 1.0)
        wood.colors = np.clip(wood.colors, 0.0, 1.0)
    return levels
