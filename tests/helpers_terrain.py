# SPDX-License-Identifier: MIT
"""A model of terrain transitions in float64, written from their formulas: what the core is held to.

Slots are in the order of keys; weights (..., N); nothing here is fast.
"""

from __future__ import annotations

import numpy as np

import dapplewood as dw

MODES = ("smooth", "dithered", "priority", "priority_additive", "dominant_accent", "height")
SINGLE = ("dithered", "priority", "dominant_accent")  # chosen by one noise value, no heights


def priorities_of(transition: dw.Transition, count: int) -> np.ndarray:
    given = transition.priorities
    return np.zeros(count) if given is None else np.asarray(given, np.float64)


def order_of(transition: dw.Transition, count: int) -> list[int]:
    """Higher priority first, then the lower key."""
    priorities = priorities_of(transition, count)
    return sorted(range(count), key=lambda i: (-priorities[i], i))


def first_largest(values: np.ndarray, order: list[int]) -> np.ndarray:
    """Slot of the largest value; of equal ones the first in the order."""
    return np.asarray(order)[np.argmax(values[..., order], -1)]


def sanitised(weights: np.ndarray, transition: dw.Transition) -> np.ndarray:
    """Shares after dropping and quantising; zeros where there is nothing."""
    w = np.asarray(weights, np.float64).copy()
    w[~np.isfinite(w) | (w < 0)] = 0
    count = w.shape[-1]
    order = order_of(transition, count)
    total = w.sum(-1, keepdims=True)
    empty = total <= 1e-6
    if transition.min_weight > 0:
        largest = np.eye(count, dtype=bool)[first_largest(w, order)]
        w[(w < transition.min_weight * total * (1 - 1e-9)) & ~largest] = 0
        total = w.sum(-1, keepdims=True)
    w = np.divide(w, total, out=np.zeros_like(w), where=~empty)
    if transition.quantize:
        q = transition.quantize
        sums = np.floor(q * np.cumsum(w[..., order], -1) + 0.5 + 1e-9)
        w[..., order] = np.diff(sums, axis=-1, prepend=0) / q
        w[np.broadcast_to(empty, w.shape)] = 0
    return w


def shares(weights: np.ndarray, transition: dw.Transition, heights=None) -> np.ndarray:
    """Probabilities of every mode but the additive one."""
    w = sanitised(weights, transition)
    count, s = w.shape[-1], transition.strength
    order = order_of(transition, count)
    dominant = np.eye(count)[first_largest(w, order)] * (w.sum(-1, keepdims=True) > 0)
    mode = transition.mode.name.lower()
    if mode == "smooth":
        return w
    if mode == "priority":
        lifted = np.full(w.shape, -np.inf)
        np.log(w, out=lifted, where=w > 0)
        lifted += 2 * priorities_of(transition, count)
        if s == 0:
            return np.eye(count)[first_largest(lifted, order)] * (w.sum(-1, keepdims=True) > 0)
        most = lifted.max(-1, keepdims=True)
        w = np.where(w > 0, np.exp(2 / s * (lifted - np.where(np.isfinite(most), most, 0))), 0)
    elif mode == "dominant_accent":
        w = accentuated(w, transition, order)
    elif mode == "height":
        stacked = np.where(w > 0, w + np.clip(heights, -1, 1), -np.inf)
        highest = stacked.max(-1, keepdims=True)
        above = stacked - np.where(np.isfinite(highest), highest, 0) + transition.depth
        w = np.where(w > 0, np.maximum(above, 0), 0)
    total = w.sum(-1, keepdims=True)
    w = np.divide(w, total, out=np.zeros_like(w), where=total > 0)
    if mode == "height":
        dominant = np.eye(count)[first_largest(w, order)] * (w.sum(-1, keepdims=True) > 0)
    return s * w + (1 - s) * dominant if mode in ("dithered", "height") else w


def accentuated(w: np.ndarray, transition: dw.Transition, order: list[int]) -> np.ndarray:
    out = np.zeros_like(w)
    begin, end = transition.accent
    for at in np.ndindex(w.shape[:-1]):
        row = sorted(order, key=lambda i: -w[at][i])
        dominant, accents = row[0], row[1 : 1 + transition.accents]
        if w[at][dominant] == 0:
            continue
        out[at][dominant] = w[at][dominant]
        for i in accents:
            t = np.clip((w[at][i] / w[at][dominant] - begin) / (end - begin), 0, 1)
            kept = w[at][i] * t * t * (3 - 2 * t)
            out[at][i] = kept
            out[at][dominant] += w[at][i] - kept
    return out


def additive_chances(weights: np.ndarray, transition: dw.Transition, steps: int = 20000):
    """One texel of the additive mode: P_i by the midpoint rule over i's own noise."""
    w = sanitised(weights, transition)
    score, s = w + priorities_of(transition, len(w)), transition.strength
    noise = (np.arange(steps) + 0.5) / steps - 0.5
    out = np.zeros(len(w))
    for i in np.flatnonzero(w):
        product = np.ones(steps)
        for j in np.flatnonzero(w):
            if j != i:
                product *= np.clip(noise + (score[i] - score[j]) / s + 0.5, 0, 1)
        out[i] = product.mean()
    return out


def additive_of_two(first: float, second: float, strength: float) -> float:
    """Chance of the first of two scores: the difference of two uniform numbers is triangular."""
    x = (first - second) / strength
    return float(np.clip(0.5 + x - x * abs(x) / 2, 0, 1)) if abs(x) < 1 else float(x > 0)


def select(weights, transition: dw.Transition, noise: np.ndarray, heights=None) -> np.ndarray:
    """Ids where noise is one value a cell, in (0, 1); additive: (..., N) values, one a slot."""
    w = sanitised(weights, transition)
    count = w.shape[-1]
    order = order_of(transition, count)
    mode = transition.mode.name.lower()
    if mode == "priority_additive":
        score = w + priorities_of(transition, count) + transition.strength * (noise - 0.5)
        ids = first_largest(np.where(w > 0, score, -np.inf), order)
    elif mode == "smooth":
        ids = first_largest(w, order)
    else:
        chances = shares(weights, transition, heights)[..., order]
        sums = np.cumsum(chances, -1)
        sums[..., -1] = 2  # the last one that is there takes the rest
        last = count - 1 - np.argmax(chances[..., ::-1] > 0, -1)
        place = np.minimum(np.argmax(noise[..., None] < sums, -1), last)
        ids = np.asarray(order)[place]
    return np.where(w.sum(-1) > 0, ids, transition.empty_id).astype(np.uint8)


def ranks_of(kind: str, size: int, seed: int) -> np.ndarray:
    """One tile of the noise, as values in (0, 1)."""
    ranks = dw.blue_noise(size, seed=seed) if kind == "blue" else dw.dither_ranks("bayer8")
    return (ranks + 0.5) / ranks.size


def window_counts(mask: np.ndarray, side: int) -> np.ndarray:
    """How many are set in each window, at every offset of a tile that repeats."""
    wide = np.pad(mask.astype(np.int64), ((0, side - 1), (0, side - 1)), mode="wrap")
    sums = np.pad(wide.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    return sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]


def _hash(x: np.ndarray) -> np.ndarray:
    """One step of PCG-RXS-M-XS-32 (O'Neill 2014)."""
    x = np.asarray(x, np.uint64) & 0xFFFFFFFF
    state = (x * 747796405 + 2891336453) & 0xFFFFFFFF
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737 & 0xFFFFFFFF
    return word >> 22 ^ word


def noise_of(transition: dw.Transition, cells: tuple, key: int | None = None) -> np.ndarray:
    """Values in (0, 1) of cells (x, y), whole and of any sign; key: the noise of one material."""
    x, y = (np.asarray(part, np.int64) for part in cells)
    kind = transition.noise.name.lower()
    if kind == "hash":
        seed = np.uint64(transition.seed)
        instance = seed if key is None else _hash(seed + _hash(np.uint64(key + 1)))
        return ((_hash(x + _hash(y + _hash(instance))) >> 18) + 0.5) / 2**14
    tile = ranks_of(kind, transition.noise_size, transition.seed)
    side = len(tile)
    if key is not None:
        x = x + int(side * ((key + 1) * 0.75488 % 1))
        y = y + int(side * ((key + 1) * 0.56984 % 1))
    return tile[y % side, x % side]


def model_ids(weights, transition: dw.Transition, origin=(0, 0), heights=None) -> np.ndarray:
    """What is selected on a map whose texels and cells are of one unit."""
    height, width, count = np.shape(weights)
    cells = np.arange(width)[None] + origin[0], np.arange(height)[:, None] + origin[1]
    if transition.mode.name == "PRIORITY_ADDITIVE":
        noise = np.stack([noise_of(transition, cells, key) for key in range(count)], -1)
    else:
        noise = noise_of(transition, cells)
    return select(weights, transition, noise, heights)
