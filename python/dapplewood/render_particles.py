# SPDX-License-Identifier: MIT
"""Particles in the renderer: what their draws are given, and sprites of one's own."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from .frame import ParticleStats
from .kinds import ParticleLayer, kind_of
from .layouts import record_dtype
from .particle_style import LAYER_STYLES, ParticleStyle, style_record

__all__ = [
    "ParticleDraws", "SpriteSet", "frame_argument", "layer_stats", "make_sprites", "pack_axis",
]  # fmt: skip

_TICKS_MOST = 1 << 52


def pack_axis(axes: Any) -> np.ndarray:
    """Directions as sprites hold them, 10 bits for each coordinate.

    Parameters
    ----------
    axes : (..., 3) array_like
        Unit vectors.

    Returns
    -------
    (...) uint32
    """
    steps = np.rint(np.asarray(axes, np.float64) * 511.0).astype(np.int64) + 512
    steps = np.clip(steps, 1, 1023).astype(np.uint32)
    return steps[..., 0] | steps[..., 1] << np.uint32(10) | steps[..., 2] << np.uint32(20)


def make_sprites(
    positions: Any,
    *,
    size: Any = 1.0,
    opacity: Any = 1.0,
    color: Any = (255, 255, 255, 255),
    turn: Any = 0.0,
    frame: Any = 0.0,
    age: Any = 0.0,
    axis: Any = None,
) -> np.ndarray:
    """Sprites from columns, each for all or one for each.

    Parameters
    ----------
    positions : (N, 3) array_like
        In metres.
    size : float or (N,) array_like
        Widths in metres.
    opacity : float or (N,) array_like
    color : (4,) or (N, 4) uint8
        sRGB codes and alpha.
    turn : float or (N,) array_like
        Of the picture, in turns.
    frame : float or (N,) array_like
        Of a flipbook, from 0 up to 256; of computed pictures a 256th of the variant's number.
    age : float or (N,) array_like
        Share of the life that is over, in [0, 1).
    axis : (3,) or (N, 3) array_like, optional
        Where streaks point, of length 1.

    Returns
    -------
    (N,) records of dw_particle_sprite
    """
    positions = np.asarray(positions, np.float32).reshape(-1, 3)
    made = np.zeros(len(positions), record_dtype("dw_particle_sprite"))
    halves = np.broadcast_to(np.asarray(opacity, np.float16), len(made)).copy()
    turns = np.rint(np.asarray(turn, np.float64) * 65536.0).astype(np.int64) & 0xFFFF
    frames = np.rint(np.asarray(frame, np.float64) * 256.0).astype(np.int64) & 0xFFFF
    ages = np.minimum(np.asarray(age, np.float64) * 65536.0, 65535.0).astype(np.int64)
    colors = np.broadcast_to(np.asarray(color, np.uint8), (len(made), 4))
    made["position"] = positions
    made["size"] = size
    made["opacity"] = halves.view(np.uint16) | turns << 16
    made["color"] = np.ascontiguousarray(colors).view(np.uint32)[:, 0]
    made["frame"] = frames | ages << 16
    if axis is not None:
        made["axis"] = pack_axis(axis)
    return made


def style_rows(
    styles: Sequence[ParticleStyle], texture_of: Any, linear: Container[int]
) -> np.ndarray:
    """Rows of bytes, one dw_particle_style each. texture_of: the handle of a picture; linear:
    layers whose colours are light."""
    records = [
        style_record(
            one,
            0 if isinstance(one.image, str) else texture_of(one.image, None),
            linear=i in linear,
        )
        for i, one in enumerate(styles)
    ]
    return np.stack(records).view(np.uint8).reshape(len(records), -1)


class SpriteSet:
    """Particles that one has computed oneself, for `Scene.add`.

    Parameters
    ----------
    layers : sequence of (style, sprites)
        The style as ParticleStyle, ParticleLayer or its word, and records as `make_sprites` gives
        them, in the order of drawing: those of a layer with blend "sorted" the farthest first.
    linear : bool
        Colours are light as they are, not sRGB codes.
    tick : int
        Of the clock that flames move by, in 65,536ths of a second.
    loop : int
        Ticks after which that repeats; 0: never.
    """

    def __init__(
        self, layers: Sequence[tuple[Any, np.ndarray]], *, linear: bool = False, tick: int = 0,
        loop: int = 0,
    ):  # fmt: skip
        self.styles = tuple(_style_of(style) for style, _ in layers)
        parts = [np.asarray(part, record_dtype("dw_particle_sprite")) for _, part in layers]
        if not parts:
            raise ValueError("layers is empty: give at least one (style, sprites)")
        self.counts = np.array([len(part) for part in parts], np.uint32)
        self.sprites = np.concatenate(parts)
        self.linear, self.tick, self.loop = bool(linear), int(tick), int(loop)
        if not (0 <= self.tick < _TICKS_MOST and 0 <= self.loop < 1 << 32):
            raise ValueError(
                f"tick must be in [0, 2^52) and loop in [0, 2^32), got {tick!r} and {loop!r}"
            )

    def style_rows(self, texture_of: Any) -> np.ndarray:
        """Rows of bytes, one dw_particle_style each. texture_of: the handle of a picture."""
        return style_rows(
            self.styles, texture_of, range(len(self.styles)) if self.linear else ()
        )

    @property
    def used_layers(self) -> list[int]:
        """The layers that have sprites."""
        return np.flatnonzero(self.counts).tolist()

    def __len__(self) -> int:
        return len(self.sprites)

    def __repr__(self) -> str:
        return f"<SpriteSet of {len(self)} sprites in {len(self.styles)} layers>"


def _style_of(style: Any) -> ParticleStyle:
    if isinstance(style, ParticleStyle):
        return style
    return LAYER_STYLES[kind_of(ParticleLayer, style, "style")]


class ParticleDraws:
    """What a renderer keeps for a set of sprites, which it does not keep alive."""

    def __init__(self, core: Any, thing: SpriteSet):
        self._core = core
        self.handle = core.add_sprites(
            thing.sprites.view(np.uint8).reshape(len(thing), -1), thing.counts
        )

    def close(self) -> None:
        self._core.remove_sprites(self.handle)


def frame_argument(renderer: Any, thing: Any, planes: np.ndarray, camera: Any) -> tuple:
    """What the core's renderer takes for a SpriteSet or ParticleManager in a frame."""
    if isinstance(thing, SpriteSet):
        draws = renderer._particle_draws(thing)
        return draws.handle, thing.style_rows(renderer._texture), thing.tick, thing.loop, None
    rows = style_rows(thing.styles, renderer._texture, thing.linear_layers)
    numbers = np.concatenate([planes.ravel(), camera.position])
    return thing, rows, 0, thing.loop_ticks, numbers


def layer_stats(index: int, thing: Any, draws: np.ndarray) -> list[ParticleStats]:
    """What the layers of a frame held."""
    if isinstance(thing, SpriteSet):
        used = thing.used_layers
    else:
        used = np.flatnonzero(thing._stats()[:, 2]).tolist()
    return [
        ParticleStats(index, layer, thing.styles[layer].name, int(draws[layer, 1]))
        for layer in used
    ]
