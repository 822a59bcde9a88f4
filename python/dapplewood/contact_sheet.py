# SPDX-License-Identifier: MIT
"""One picture of two mip chains: thinning, fringes and border lines side by side."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .bitmap_font import GLYPH_HEIGHT, draw_text, text_width
from .tiles import resolve_tiles

__all__ = ["contact_sheet"]

_BACKGROUNDS = {"sky": (158, 197, 232), "grey": (128, 128, 128)}
_PAPER, _INK, _FAINT = (26, 29, 33), (232, 234, 236), (150, 156, 163)
_BEFORE, _AFTER, _BAD = (240, 170, 95), (140, 214, 130), (255, 120, 105)
_GAP = 14
_TEXT = 2
_LINE = GLYPH_HEIGHT * _TEXT + 8
_LEAST_EDGE = 4
# Points of coverage beyond which a label turns red.
_TOLERANCE = 2.0


def _light() -> np.ndarray:
    codes = np.arange(256) / 255.0
    return np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)


_DECODE = _light().astype(np.float32)


def _encode(light: np.ndarray) -> np.ndarray:
    light = np.clip(light, 0.0, 1.0)
    power = 1.055 * np.power(np.maximum(light, 0.0031308), 1 / 2.4) - 0.055
    codes = np.where(light <= 0.0031308, light * 12.92, power)
    return np.floor(codes * 255.0 + 0.5).astype(np.uint8)


def _linear(texels: np.ndarray) -> np.ndarray:
    """(..., 4) float32: linear light and alpha."""
    out = np.empty(texels.shape, dtype=np.float32)
    out[..., :3] = _DECODE[texels[..., :3]]
    out[..., 3] = texels[..., 3] * np.float32(1 / 255)
    return out


def _alpha(texels: np.ndarray) -> np.ndarray:
    return texels[..., 3:] * np.float32(1 / 255)


def _nearest(level: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(len(y), len(x), 4) linear light and alpha of the texels that hold the points."""
    height, width = level.shape[:2]
    columns = np.clip(np.floor(x).astype(int), 0, width - 1)
    rows = np.clip(np.floor(y).astype(int), 0, height - 1)
    return _linear(level[rows[:, None], columns])


def _bilinear(
    level: np.ndarray, x: np.ndarray, y: np.ndarray, decode: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """(len(y), len(x), channels) as a GPU samples the whole image, clamped at its border."""
    height, width = level.shape[:2]
    left, top = np.floor(x - 0.5), np.floor(y - 0.5)
    wx = (x - 0.5 - left).astype(np.float32)[:, None]
    wy = (y - 0.5 - top).astype(np.float32)[:, None, None]
    c0, c1 = (np.clip(left.astype(int) + d, 0, width - 1) for d in (0, 1))
    r0, r1 = (np.clip(top.astype(int) + d, 0, height - 1) for d in (0, 1))
    # Rows first: they are few, and every row of samples reads two of them.
    rows, places = np.unique(np.concatenate([r0, r1]), return_inverse=True)
    blended = decode(level[rows[:, None], c0]) * (1 - wx)
    blended += decode(level[rows[:, None], c1]) * wx
    upper, lower = blended[places[: len(y)]], blended[places[len(y) :]]
    return upper + (lower - upper) * wy


@dataclasses.dataclass(frozen=True)
class _Card:
    """One tile of one level, to be drawn."""

    level: np.ndarray
    area: np.ndarray  # x0, y0, x1, y1 in texels of the level, without the gutter
    cutoff: float

    def _points(self, width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
        x0, y0, x1, y1 = self.area
        x = x0 + (np.arange(width) + 0.5) * (x1 - x0) / width
        y = y0 + (np.arange(height) + 0.5) * (y1 - y0) / height
        return x, y

    def over(self, width: int, height: int, sky: np.ndarray, per_pixel: int) -> np.ndarray:
        """Linear light of the tested card: texels if per_pixel is 0, else the mean of
        per_pixel x per_pixel bilinear samples of every pixel."""
        times = max(1, per_pixel)
        x, y = self._points(width * times, height * times)
        if per_pixel == 0:
            found = _nearest(self.level, x, y)
        else:
            found = _bilinear(self.level, x, y, _linear)
        light = np.where(found[..., 3:] >= self.cutoff, found[..., :3], sky)
        return light.reshape(height, times, width, times, 3).mean(axis=(1, 3))

    def coverage(self, most: int = 512) -> float:
        """Share of bilinear samples that pass; at most `most` along a side are taken."""
        x0, y0, x1, y1 = self.area
        sides = [int(np.clip(4 * side, 16, most)) for side in (x1 - x0, y1 - y0)]
        return float((_bilinear(self.level, *self._points(*sides), _alpha) >= self.cutoff).mean())


def _bytes(levels: Sequence[np.ndarray], name: str) -> list[np.ndarray]:
    out = [np.asarray(level) for level in levels]
    if not out:
        raise ValueError(f"{name} holds no level")
    for number, level in enumerate(out):
        if level.ndim != 3 or level.shape[2] != 4 or level.dtype != np.uint8:
            raise ValueError(
                f"{name}: level {number} must be (h, w, 4) uint8, got {level.shape} {level.dtype}"
            )
    return out


class _Sheet:
    """What is shown: tiles, levels, and where their cards lie."""

    def __init__(self, chains: dict[str, list[np.ndarray]], tiles: Any, cutoff: float) -> None:
        self.chains = chains
        self.cutoff = cutoff
        first = chains["after"][0]
        self.height, self.width = first.shape[:2]
        layout = resolve_tiles(tiles, self.width, self.height, first[..., 3])
        inside = layout.rects + np.array([1, 1, -2, -2]) * layout.gutter
        if (inside[:, 2:] < 1).any():
            raise ValueError(f"tiles: gutter {layout.gutter} leaves nothing of a tile")
        self.areas = inside.astype(float)
        self.areas[:, 2:] += self.areas[:, :2]
        self.edges = layout.rects[:, 2:].min(axis=1)

    def card(self, which: str, level: int, tile: int) -> _Card:
        """A tile of a level that the chain has."""
        image = self.chains[which][level]
        scale = np.array([image.shape[1] / self.width, image.shape[0] / self.height] * 2)
        return _Card(image, self.areas[tile] * scale, self.cutoff)

    def choose_tiles(self, count: int) -> list[int]:
        """The thinnest card, the densest, and others spread between them."""
        level = max(0, min(len(self.chains["after"]) - 1, int(self.edges.max()).bit_length() - 7))
        shares = [self.card("after", level, tile).coverage(128) for tile in range(len(self.areas))]
        order = [int(tile) for tile in np.argsort(shares, kind="stable") if shares[tile] > 0.01]
        order = order or [0]
        places = np.linspace(len(order) - 1, 0, min(count, len(order)))
        return [order[int(round(place))] for place in places]

    def choose_levels(self, picked: Sequence[int], count: int = 6) -> list[int]:
        """Level 0 and the last ones at which the cards are 4 texels and more."""
        edge = int(self.edges[list(picked)].min())
        longest = max(len(chain) for chain in self.chains.values())
        last = max(0, min(longest - 1, (edge // _LEAST_EDGE).bit_length() - 1))
        return sorted({0, *range(max(0, last - count + 2), last + 1)})


def _background(value: Any) -> np.ndarray:
    color = _BACKGROUNDS.get(value, value) if isinstance(value, str) else value
    color = np.asarray(color)
    if color.shape != (3,) or color.dtype.kind not in "iu" or color.min() < 0 or color.max() > 255:
        words = ", ".join(f'"{word}"' for word in _BACKGROUNDS)
        raise ValueError(f"background must be {words} or three codes 0 to 255, got {value!r}")
    return color.astype(np.uint8)


def _canopy(cards: list[_Card], width: int, height: int, sky: np.ndarray) -> np.ndarray:
    """Cards side by side at the size at which their level is sampled texel for pixel."""
    out = np.empty((height, width, 3))
    out[:] = sky
    pictures = []
    for card in cards:
        x0, y0, x1, y1 = card.area
        w, h = (max(1, int(round(side))) for side in (x1 - x0, y1 - y0))
        shrink = max(1.0, w / (width / len(cards)), h / height)
        size = max(1, int(w / shrink)), max(1, int(h / shrink))
        samples = 4 if shrink == 1.0 else min(16, int(np.ceil(2 * shrink)))
        pictures.append(card.over(*size, sky, samples))
    wide, tall = max(p.shape[1] for p in pictures), max(p.shape[0] for p in pictures)
    for row, y in enumerate(range(0, height, tall)):
        for column, x in enumerate(range(0, width, wide)):
            picture = pictures[(row + column) % len(pictures)]
            part = out[y : y + picture.shape[0], x : x + picture.shape[1]]
            part[:] = picture[: part.shape[0], : part.shape[1]]
    return out


class _Painter:
    """Puts the cards of a sheet on paper."""

    def __init__(self, sheet: _Sheet, picked: list[int], levels: list[int], card: int,
                 canopy: int, sky: np.ndarray, labels: bool) -> None:
        self.sheet, self.picked, self.levels = sheet, picked, levels
        self.card, self.canopy, self.sky, self.labels = card, canopy, sky, labels
        self.truth = [sheet.card("after", 0, tile).coverage() for tile in picked]
        self.cell = card * len(picked) + 4 * (len(picked) - 1)
        self.line = _LINE if labels else 0
        self.row = self.line + card + self.line + canopy + _GAP
        width = _GAP + len(levels) * (self.cell + _GAP)
        self.paper = np.empty((self.line + _GAP + 2 * self.row, width, 4), dtype=np.uint8)
        self.paper[..., :3], self.paper[..., 3] = _PAPER, 255

    def paint(self) -> np.ndarray:
        for column, level in enumerate(self.levels):
            x = _GAP + column * (self.cell + _GAP)
            self._heading(x, level)
            for row, which in enumerate(("before", "after")):
                y = self.line + _GAP // 2 + row * self.row
                if column == 0:
                    self._write(which, x, y, _BEFORE if which == "before" else _AFTER)
                if level >= len(self.sheet.chains[which]):
                    self._write("chain ends", x, y + self.line + self.card // 2, _FAINT)
                else:
                    cards = [self.sheet.card(which, level, tile) for tile in self.picked]
                    self._cell(cards, x, y + self.line)
        return self.paper

    def _write(self, text: str, x: int, y: int, color: tuple[int, int, int]) -> None:
        if self.labels:
            scale = _TEXT if text_width(text, _TEXT) <= self.cell else 1
            draw_text(self.paper, text, x, y, color, scale)

    def _heading(self, x: int, level: int) -> None:
        area = self.sheet.areas[self.picked[0]] / 2**level
        size = f"{max(1, round(area[2] - area[0]))}x{max(1, round(area[3] - area[1]))}"
        self._write(f"mip {level}  {size}", x, _GAP // 2, _INK)

    def _cell(self, cards: list[_Card], x: int, y: int) -> None:
        sky = _DECODE[self.sky]
        for place, card in enumerate(cards):
            left = x + place * (self.card + 4)
            x0, y0, x1, y1 = card.area
            longer = max(x1 - x0, y1 - y0)
            w = max(1, round(self.card * (x1 - x0) / longer))
            h = max(1, round(self.card * (y1 - y0) / longer))
            self._put(card.over(w, h, sky, 0), left, y)
            share = card.coverage()
            error = round(100 * (share - self.truth[place]), 1) + 0.0
            bad = abs(error) > _TOLERANCE
            text = f"{100 * share:.1f}% {error:+.1f}"
            scale = _TEXT if text_width(text, _TEXT) <= self.card else 1
            if self.labels:
                draw_text(self.paper, text, left, y + self.card + 5, _BAD if bad else _INK, scale)
        top = y + self.card + self.line
        if self.canopy:
            self._put(_canopy(cards, self.cell, self.canopy, sky), x, top)

    def _put(self, light: np.ndarray, x: int, y: int) -> None:
        height, width = light.shape[:2]
        self.paper[y : y + height, x : x + width, :3] = _encode(light)


def contact_sheet(
    levels_before: Sequence[np.ndarray],
    levels_after: Sequence[np.ndarray],
    *,
    tiles: Any = None,
    pick: Sequence[int] | int = 2,
    levels: Sequence[int] | None = None,
    cutoff: float = 0.5,
    background: str | Sequence[int] = "sky",
    card: int = 128,
    canopy: int = 64,
    labels: bool = True,
) -> np.ndarray:
    """Two mip chains in one picture.

    A row for each chain, a column for each level. Above, single cards: their texels magnified and
    alpha-tested, so that thinning and fringes show. Under them the share of samples that pass and
    its error in points, red from 2 points. Below, the same cards as they are seen from afar, one
    texel to a pixel, bilinear samples tested and averaged: light that bleeds in from other tiles
    draws lines along their borders.

    Parameters
    ----------
    levels_before, levels_after : sequence of (h, w, 4) uint8
        Chains of one image, level 0 first; they may differ in length.
    tiles : TileGrid, TileRects, "auto" or None
        As in `bake_atlas`.
    pick : int or sequence of int
        How many tiles to show, from the densest to the thinnest; or their indices.
    levels : sequence of int, optional
        Level 0 and the last five at which the cards are 4 texels and more, if None.
    cutoff : float
        Alpha-test reference.
    background : {"sky", "grey"} or (3,) int
        What shows through, sRGB.
    card : int
        Pixels of a magnified card.
    canopy : int
        Pixels of the strip below; 0 leaves it out.
    labels : bool
        Write what is shown.

    Returns
    -------
    (H, W, 4) uint8
        sRGB, opaque.

    Raises
    ------
    ValueError
        Chains that differ in size, tiles or levels that do not exist.
    """
    chains = {
        "before": _bytes(levels_before, "levels_before"),
        "after": _bytes(levels_after, "levels_after"),
    }
    sizes = [chain[0].shape for chain in chains.values()]
    if sizes[0] != sizes[1]:
        raise ValueError(f"the chains differ in size: before {sizes[0]}, after {sizes[1]}")
    if not 0.0 < cutoff < 1.0:
        raise ValueError(f"cutoff must lie inside (0, 1), got {cutoff}")
    if card < 16 or canopy < 0:
        raise ValueError(f"card must be 16 or more and canopy 0 or more, got {card} and {canopy}")
    sheet = _Sheet(chains, tiles, cutoff)
    if isinstance(pick, (int, np.integer)):
        if pick < 1:
            raise ValueError(f"pick must be 1 or more tiles, got {pick}")
        picked = sheet.choose_tiles(int(pick))
    else:
        picked = [int(tile) for tile in pick]
    if not picked or min(picked) < 0 or max(picked) >= len(sheet.areas):
        raise ValueError(f"pick must hold tiles of 0 to {len(sheet.areas) - 1}, got {pick!r}")
    shown = sheet.choose_levels(picked) if levels is None else [int(level) for level in levels]
    longest = max(len(chain) for chain in chains.values())
    if not shown or min(shown) < 0 or max(shown) >= longest:
        raise ValueError(f"levels must hold levels of 0 to {longest - 1}, got {levels!r}")
    return _Painter(sheet, picked, shown, card, canopy, _background(background), labels).paint()
