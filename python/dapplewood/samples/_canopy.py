# SPDX-License-Identifier: MIT
"""Crowns of leaf cards: puffs, cards on them, normals bent outwards, occlusion by depth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._surface import UP, Surface, across, cards, unit

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))
# Directions to the sky that the occlusion is averaged over, with their weights.
_TURNS = np.arange(5) * (2.0 * np.pi / 5)
_SKY = unit(np.array([(0.0, 1.0, 0.0), *((np.cos(a), 1.1, np.sin(a)) for a in _TURNS),
                      *((np.cos(a), 0.15, np.sin(a)) for a in _TURNS + 0.6)]))
_SKY_WEIGHT = np.array([1.6] + [1.0] * 5 + [0.55] * 5) / (1.6 + 5.0 + 2.75)


@dataclass(frozen=True)
class Puffs:
    """Ellipsoids that foliage fills."""

    centres: np.ndarray  # (P, 3)
    radii: np.ndarray  # (P,), horizontal
    flatness: np.ndarray  # (P,), height over width
    heart: np.ndarray  # (3,), what the crown's normals point away from

    def occlusion(self, points: np.ndarray, density: float = 1.0) -> np.ndarray:
        """Share of the sky that points see through the puffs, each taken as a Gaussian, (N,)."""
        stretch = np.stack([np.ones_like(self.flatness), 1.0 / self.flatness,
                            np.ones_like(self.flatness)], axis=1)
        away = (self.centres[None] - points[:, None]) * stretch  # (N, P, 3)
        squared = np.einsum("npc,npc->np", away, away)
        sigma = 0.55 * self.radii
        open_share = np.zeros(len(points))
        for direction, weight in zip(_SKY, _SKY_WEIGHT):
            ray = direction * stretch
            ray /= np.linalg.norm(ray, axis=1, keepdims=True)
            along = np.einsum("npc,pc->np", away, ray)
            miss = np.maximum(squared - along * along, 0.0) / (2.0 * sigma * sigma)
            # tanh(1.2 x) stands for the error function of x / sqrt(2) times 1.5.
            beyond = 0.5 * (1.0 + np.tanh(0.8 * along / sigma))
            depth = (np.exp(-miss) * beyond).sum(axis=1)
            open_share += weight * np.exp(-density * depth)
        return open_share


def sphere_directions(count: int, phase: float) -> np.ndarray:
    """Directions spread evenly over a sphere, in an order whose every prefix is spread too."""
    order = np.argsort((np.arange(count) * 0.6180339887 + phase) % 1.0, kind="stable")
    place = (order + 0.5) / count
    y = 1.0 - 2.0 * place
    ring = np.sqrt(1.0 - y * y)
    angle = _GOLDEN * order + 6.2832 * phase
    return np.stack([ring * np.cos(angle), y, ring * np.sin(angle)], axis=1)


@dataclass(frozen=True)
class Cover:
    """How cards dress the puffs at one level of detail."""

    share: float  # of the cards that the finest level has
    size: float  # metres along a card
    tiles: tuple[int, ...]
    aspect: float = 1.0  # width over height
    grow_out: float = 0.5  # growth direction: outwards ...
    grow_up: float = 0.25  # ... and upwards (below 0: hanging)
    scatter: float = 0.6  # ... and anywhere
    inset: float = 0.36  # how far centres lie within the rim, in card sizes
    face_out: float = 0.55  # 0: the card's face is random about its growth, 1: it faces outwards
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)  # of the colours; makes up for other tiles


def dress(rng: np.random.Generator, puffs: Puffs, counts: np.ndarray, cover: Cover,
          boxes: np.ndarray, *, hidden: float = -0.55, puff_weight: float = 0.55,
          shell=(0.62, 1.0), hue: float = 0.10) -> Surface:
    """Place cards over puffs and bend their normals outwards.

    `counts`, (P,), are the cards of each puff at the finest level; `boxes`, (tiles, 4), the corners
    of the atlas tiles. Cards whose direction turns to the heart of the crown by more than `hidden`
    are left out.
    """
    centres, outward, owner = [], [], []
    for p, count in enumerate(counts):
        phase = float(rng.random())
        order = rng.random(int(count))
        directions = sphere_directions(int(count), phase)
        kept = max(3, int(round(cover.share * count)))
        inner = unit(puffs.centres[p] - puffs.heart)
        far = np.linalg.norm(puffs.centres[p] - puffs.heart)
        if kept < count:  # spread anew: a prefix of many is less even than few by themselves
            directions, order = sphere_directions(kept, phase), order[:kept]
        keep = (directions @ inner > hidden) | (far < 0.5 * puffs.radii[p])
        directions, order = directions[keep], order[keep]
        reach = np.maximum(puffs.radii[p] - cover.inset * cover.size, 0.12 * puffs.radii[p])
        reach = reach * (shell[0] + (shell[1] - shell[0]) * np.sqrt(order))
        squash = np.array([1.0, puffs.flatness[p], 1.0])
        centres.append(puffs.centres[p] + directions * reach[:, None] * squash)
        outward.append(unit(directions / squash))
        owner.append(np.full(len(directions), p))
    centres, outward = np.concatenate(centres), np.concatenate(outward)
    owner = np.concatenate(owner)
    return _cards_on(rng, puffs, centres, outward, owner, cover, boxes, puff_weight, hue)


def _cards_on(rng, puffs, centres, outward, owner, cover, boxes, puff_weight, hue) -> Surface:
    count = len(centres)
    wild = unit(rng.normal(size=(count, 3)))
    growth = unit(cover.grow_out * outward + cover.grow_up * UP + cover.scatter * wild)
    first, second = across(growth)
    spin = rng.random(count)[:, None] * (2.0 * np.pi)
    face = np.cos(spin) * first + np.sin(spin) * second
    toward = outward - growth * np.einsum("nc,nc->n", outward, growth)[:, None]
    face = unit((1.0 - cover.face_out) * face * np.sign(np.einsum(
        "nc,nc->n", face, outward) + 1e-9)[:, None] + cover.face_out * toward)
    face = unit(face - growth * np.einsum("nc,nc->n", face, growth)[:, None])
    right = np.cross(growth, face)
    size = cover.size * (0.82 + 0.36 * rng.random(count))[:, None]
    box = boxes[np.asarray(cover.tiles)[rng.integers(0, len(cover.tiles), count)]]
    mirrored = rng.random(count) < 0.5
    box = np.where(mirrored[:, None], box[:, [2, 1, 0, 3]], box)
    leaves = cards(centres, 0.5 * cover.aspect * size * right, 0.5 * size * growth, box)
    points, puff = leaves.positions, np.repeat(owner, 4)
    from_puff = unit((points - puffs.centres[puff]) / puffs.radii[puff, None]
                     / np.stack([np.ones(len(puff)), puffs.flatness[puff] ** 2,
                                 np.ones(len(puff))], 1) + 0.5 * np.repeat(outward, 4, axis=0))
    from_heart = unit(points - puffs.heart + 0.3 * UP)
    leaves.normals = unit(puff_weight * from_puff + (1.0 - puff_weight) * from_heart
                          + 0.16 * np.repeat(face, 4, axis=0))
    # A puff and a card have their own hue: warmer and lighter, or cooler and darker.
    warm = (0.6 * rng.uniform(-1, 1, len(puffs.radii))[owner] + 0.4 * rng.uniform(-1, 1, count))
    warm = np.repeat(warm, 4)[:, None] * hue
    leaves.colors = 0.88 * (1.0 + warm * (1.0, 0.25, -1.2)) * cover.tint
    return leaves


def shade(surface: Surface, puffs: Puffs, *, density: float, dark=(0.45, 0.48, 0.47),
          light=(1.0, 1.0, 0.97), gamma: float = 1.0, lift: float = 0.0) -> Surface:
    """Darken what lies deep inside the crown, cooler as it gets darker, in place."""
    sight = puffs.occlusion(surface.positions + lift * surface.normals, density)
    t = np.clip(1.25 * sight, 0.0, 1.0)[:, None] ** gamma
    return surface.tinted(np.asarray(dark) + (np.asarray(light) - dark) * t)


def grounded(wood: Surface) -> None:
    """Moss and shade at the foot of a trunk, in place."""
    low = np.exp(-np.maximum(wood.positions[:, 1:2], 0.0) / 0.45)
    wood.tinted(1.0 - low * (0.42, 0.30, 0.46))
