# SPDX-License-Identifier: MIT
"""Terrain in the renderer: its quadtree, its textures, and its part of a frame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import _core
from .camera import OrthoCamera, _View, frustum_planes
from .dither import blue_noise, dither_ranks
from .ground import Terrain
from .kinds import TerrainMode, TerrainNoise
from .layouts import record_dtype
from .materials import MaterialTexture
from .render_tables import SAMPLERS, SHARP, texture_levels
from .render_views import ShadowFit
from .terrain_shares import byte_shares, chain, expected_shares

__all__ = ["GroundDraws", "node_bounds"]

_PATCH = int(_core.CONSTANTS["GROUND_PATCH"])
_LEVELS = int(_core.CONSTANTS["GROUND_LEVELS"])
_NEAREST_RANGE = 2.0  # sides of a node within which it splits, at least; borders glide beyond 1.46
_GLIDE_BEGIN, _GLIDE_END = 1.43, 0.99  # a node's diagonal beyond its range; short of the next one
_MOST_LAYER = 4096  # texels along a side of a material
_VIEWS = {
    "color": "GROUND_SHOWS_COLOR",
    "ids": "GROUND_SHOWS_IDS",
    "weights": "GROUND_SHOWS_WEIGHTS",
    "expectation": "GROUND_SHOWS_EXPECTATION",
}


def _flag(name: str) -> int:
    return int(_core.CONSTANTS["GROUND_" + name])


# -- the quadtree --


def node_bounds(heights: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Lowest and highest y of every node, finest level first, and (rows, columns) of each level."""
    cells = np.array(heights.shape) - 1
    rows, columns = (int(-(-n // _PATCH)) for n in cells)
    whole = np.array((rows, columns)) * _PATCH + 1
    padded = np.pad(heights, [(0, n) for n in whole - heights.shape], mode="edge")
    tables, shapes = [], []
    low = high = padded
    step = _PATCH
    while True:
        # of each axis the cells of a node, then the height that it shares with the next one
        for axis in (0, 1):
            count = (low.shape[axis] - 1) // step if step == _PATCH else -(-low.shape[axis] // 2)
            low, high = _reduced(low, axis, count, step, np.minimum), _reduced(
                high, axis, count, step, np.maximum
            )
        shapes.append(low.shape)
        tables.append(np.stack([low.ravel(), high.ravel()], axis=1))
        if low.size == 1:
            return np.concatenate(tables), shapes
        step = 2


def _reduced(table: np.ndarray, axis: int, count: int, step: int, ufunc: Any) -> np.ndarray:
    table = np.moveaxis(table, axis, 0)
    if step == _PATCH:
        blocks = ufunc.reduce(table[:-1].reshape(count, step, -1), axis=1)
        found = ufunc(blocks, table[step::step].reshape(count, -1))
        found = found.reshape(count, *table.shape[1:])
    else:
        if table.shape[0] % 2:
            table = np.concatenate([table, table[-1:]])
        found = ufunc(table[0::2], table[1::2])
    return np.ascontiguousarray(np.moveaxis(found, 0, axis))


# -- textures --


def _openness(heights: np.ndarray, cell_size: float) -> np.ndarray:
    """(H, W) in (0, 1]: less in hollows of any size up to 64 cells."""
    pyramid = [heights.astype(np.float32)]
    while len(pyramid) < 7 and min(pyramid[-1].shape) > 2:
        last = pyramid[-1]
        even = np.pad(last, [(0, n % 2) for n in last.shape], mode="edge")
        pyramid.append(
            0.25 * (even[0::2, 0::2] + even[1::2, 0::2] + even[0::2, 1::2] + even[1::2, 1::2])
        )
    deep = np.zeros_like(pyramid[-1])
    for k in range(len(pyramid) - 2, -1, -1):
        shape = pyramid[k].shape
        above = _doubled(pyramid[k + 1], shape)
        hollow = np.maximum(above - pyramid[k], 0.0) / (cell_size * 2.0**k)
        deep = _doubled(deep, shape) + hollow
    return 1.0 / (1.0 + 1.5 * deep)


def _doubled(table: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Twice as large, bilinear, cut to a shape."""
    for axis in (0, 1):
        line = np.moveaxis(table, axis, 0)
        padded = np.concatenate([line[:1], line, line[-1:]])
        out = np.empty((2 * len(line), *line.shape[1:]), table.dtype)
        out[0::2] = 0.25 * padded[:-2] + 0.75 * line
        out[1::2] = 0.75 * line + 0.25 * padded[2:]
        table = np.moveaxis(out, 0, axis)
    return table[: shape[0], : shape[1]]


def _slopes(terrain: Terrain) -> list[np.ndarray]:
    """Levels of (1, h, w, 4) float16: the rise along x and z, the openness to the sky."""
    heights = terrain.heights
    level = np.ones((*heights.shape, 4), np.float32)
    level[..., 1], level[..., 0] = np.gradient(heights, np.float32(terrain.cell_size))
    level[..., 2] = _openness(heights, terrain.cell_size)
    return [np.clip(one, -60000.0, 60000.0).astype(np.float16)[None] for one in chain(level)]


def _resized(level: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A tile in another size: its texels repeated where they fit a whole number of times."""
    for axis, side in enumerate(shape):
        own = level.shape[axis]
        if side == own:
            continue
        if side % own == 0:
            level = np.repeat(level, side // own, axis=axis)
            continue
        at = (np.arange(side) + 0.5) * own / side - 0.5
        first = np.floor(at).astype(int)
        share = (at - first).reshape([-1 if k == axis else 1 for k in range(3)])
        one = level.take(first % own, axis=axis)
        other = level.take((first + 1) % own, axis=axis)
        level = np.rint(one + share * (other.astype(np.float64) - one)).astype(np.uint8)
    return level


def _layers(textures: list[MaterialTexture], mipmaps: bool) -> list[np.ndarray]:
    """Levels of (layers, h, w, 4), all as large as the largest one; two layers at least."""
    shape = tuple(
        min(max(texture.shape[k] for texture in textures), _MOST_LAYER) for k in (0, 1)
    )
    chains = []
    for texture in textures:
        level = _resized(texture.levels[0], shape)
        given = len(texture.levels) > 1 and level is texture.levels[0]
        levels = texture.levels if given else (level,)
        whole = MaterialTexture(levels, color_space=texture.color_space, mipmaps=mipmaps)
        chains.append(texture_levels(whole, cutoff=None, averaged=False))
    chains += chains[: max(0, 2 - len(chains))]
    return [np.stack(level) for level in zip(*chains)]


def _encoded(light: np.ndarray) -> np.ndarray:
    light = np.clip(light, 0.0, 1.0)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def _composed(terrain: Terrain, shares: np.ndarray) -> MaterialTexture:
    """The macro image of one that has none: mean colours by the shares."""
    means = np.stack([one.mean() for one in terrain.slots]).astype(np.float32)
    level = np.full((*shares.shape[:2], 4), 255, np.uint8)
    for begin in range(0, len(shares), 512):
        some = shares[begin : begin + 512] @ means
        level[begin : begin + 512, :, :3] = np.rint(255.0 * _encoded(some))
    return MaterialTexture((level,), color_space="srgb", wrap="clamp")


def _words(terrain: Terrain) -> tuple[np.ndarray, int]:
    """The weights in words, a whole number of them a texel, and how they lie."""
    weights = terrain.form.array
    if weights.dtype != np.uint8:
        weights = np.ascontiguousarray(weights, np.float32)
        return weights.reshape(-1).view(np.uint32), _flag("FORM_FLOAT")
    spare = -weights.shape[2] % 4
    padded = np.pad(weights, ((0, 0), (0, 0), (0, spare))) if spare else weights
    form = "FORM_PACKED" if terrain.form.kind == "packed" else "FORM_BYTES"
    return padded.reshape(-1).view(np.uint32), _flag(form)


def _ranks(terrain: Terrain) -> np.ndarray:
    transition = terrain.transition
    if transition.noise == TerrainNoise.BLUE:
        return blue_noise(transition.noise_size, seed=transition.seed).reshape(-1).view(np.uint32)
    if transition.noise == TerrainNoise.BAYER:
        return dither_ranks("bayer8").reshape(-1).view(np.uint32)
    return np.zeros(2, np.uint32)


def _steps(ratio: float) -> tuple[int, int]:
    """The low and high word of a ratio in 2^-32."""
    steps = round(ratio * 2.0**32)
    return steps & 0xFFFFFFFF, min(steps >> 32, 0xFFFFFFFF)


class GroundDraws:
    """One terrain on a renderer. It does not keep the terrain alive."""

    def __init__(self, renderer: Any, core: Any, terrain: Terrain):
        self._core, self._handles = core, []
        self._sharp = SHARP if renderer.anisotropic and terrain.style == "photo" else 0
        self._law: bytes | None = None
        self._noise: Any = None
        self.ground: int | None = None
        bounds, self.shapes = node_bounds(terrain.heights)
        self._bounds = np.ascontiguousarray(bounds, np.float32)
        self.has_normals = any(one.normal is not None for one in terrain.slots)
        flat = MaterialTexture(
            (np.array([[[128, 128, 255, 255]]], np.uint8),), color_space="linear"
        )
        albedo = _layers([one.albedo for one in terrain.slots], True)
        normal = _layers(
            [one.normal or flat for one in terrain.slots] if self.has_normals else [flat], True
        )
        self.layer_side = albedo[0].shape[1]
        self.albedo = self._add(albedo, True, SAMPLERS["repeat"] + self._sharp)
        self.normal = self._add(normal, False, SAMPLERS["repeat"] + self._sharp)
        self.slopes = self._add(_slopes(terrain), False, SAMPLERS["clamp"])
        self.macro = self.shares = -1
        self.refresh(terrain)

    def _add(self, levels: list[np.ndarray], is_srgb: bool, wrap: int) -> int:
        handle = self._core.add_layers(levels, is_srgb, wrap)
        self._handles.append(handle)
        return handle

    def _drop(self, handle: int) -> None:
        if handle in self._handles:
            self._handles.remove(handle)
            self._core.remove_texture(handle)

    def close(self) -> None:
        for handle in self._handles:
            self._core.remove_texture(handle)
        self._handles = []
        if self.ground is not None:
            self._core.remove_ground(self.ground)
            self.ground = None

    def refresh(self, terrain: Terrain) -> None:
        """Brings what depends on the transition up to date."""
        if self._law == terrain._law:
            return
        transition = terrain.transition
        noise = transition.noise, transition.noise_size, transition.seed
        if noise != self._noise:
            if self.ground is not None:
                self._core.remove_ground(self.ground)
            words, self._form = _words(terrain)
            rows, columns = self.shapes[0]
            self.ground = self._core.add_ground(
                terrain.heights, self._bounds, rows * columns, words, _ranks(terrain)
            )
            self._noise = noise
        shares = expected_shares(terrain)
        self._drop(self.shares)
        self.shares = self._add(byte_shares(shares), False, SAMPLERS["clamp"])
        if self.macro < 0 or terrain.macro is None:
            macro = terrain.macro or _composed(terrain, shares)
            self._drop(self.macro)
            levels = texture_levels(macro, cutoff=None, averaged=False)
            self.macro_size = macro.shape[::-1]
            self.macro = self._add(
                [level[None] for level in levels], macro.color_space == "srgb",
                SAMPLERS["clamp"] + self._sharp,
            )  # fmt: skip
        self._law = terrain._law

    # -- a frame --

    def argument(
        self, terrain: Terrain, camera: _View, size: tuple[int, int], shadow: ShadowFit | None,
        first_id: int,
    ) -> tuple:  # fmt: skip
        """What the core draws it by."""
        self.refresh(terrain)
        look = self._look(terrain, camera, size, shadow, first_id)
        surfaces = np.zeros(len(terrain.slots), record_dtype("dw_ground_surface"))
        for record, one in zip(surfaces, terrain.slots):
            tile = terrain.cell_size / one.scale
            record["tile"] = tile
            record["tile_step"] = round(tile % 1.0 * 2.0**32) & 0xFFFFFFFF
            record["strength"], record["roughness"] = one.strength, one.roughness
            record["relief"], record["color"] = one.normal_scale, one.tint
            record["height"] = one.height
            record["cliff"] = 1.0 / one.scale if one.cliff else 0.0
        return (
            self.ground,
            look.view(np.uint8).reshape(1, -1),
            np.frombuffer(terrain._law, np.uint8).reshape(1, -1),
            surfaces.view(np.uint8).reshape(len(surfaces), -1),
            (self.albedo, self.normal, self.macro, self.slopes, self.shares),
            (
                self._flags(terrain), self._form, len(terrain.slots), self._shown(terrain),
                int(terrain.transition.mode), int(terrain.transition.noise),
            ),
            terrain.casts_shadow and shadow is not None,
        )

    def _flags(self, terrain: Terrain) -> int:
        flags = _flag("IS_SMOOTH") if terrain.transition.mode == TerrainMode.SMOOTH else 0
        flags |= _flag("IS_PIXELS") if terrain.style == "pixel" else 0
        flags |= _flag("HAS_NORMALS") if self.has_normals else 0
        return flags | (_flag("IS_LINEAR") if terrain.filter == "linear" else 0)

    def _shown(self, terrain: Terrain) -> int:
        return int(_core.CONSTANTS[_VIEWS.get(terrain.view, "GROUND_SHOWS_CHANNEL")])

    def _look(
        self, terrain: Terrain, camera: _View, size: tuple[int, int], shadow: ShadowFit | None,
        first_id: int,
    ) -> np.ndarray:  # fmt: skip
        record = np.zeros(1, record_dtype("dw_ground_look"))
        look = record[0]
        height, width = terrain.heights.shape
        x, _, z = terrain.position
        look["planes"] = _planes(camera, size).ravel()
        sun = np.tile((0.0, 0.0, 0.0, -1.0), (6, 1))  # nothing is inside
        if shadow is not None and terrain.casts_shadow:
            sun = shadow.planes
        look["sun_planes"] = sun.ravel()
        look["origin"] = x, 0.0, z, terrain.cell_size
        self._set_levels(look, terrain, camera, size)
        shape = terrain.form.array.shape
        cells = shape[1] / (width - 1), shape[0] / (height - 1)
        cell = float(terrain.transition.cell)
        look["cell_ratio"] = cells[0] / cell, cells[1] / cell, *cells
        look["cell_step"] = *_steps(cells[0] / cell), *_steps(cells[1] / cell)
        look["map_step"] = *_steps(cells[0]), *_steps(cells[1])
        look["texel"] = 1.0 / width, 1.0 / height, *self.macro_size
        look["detail"] = self.layer_side, terrain.openness, 0.0, 0.0
        words = shape[2] if self._form == _flag("FORM_FLOAT") else -(-shape[2] // 4)
        look["weights"] = shape[1], shape[0], words, 0
        channel = terrain.view if isinstance(terrain.view, (int, np.integer)) else 0
        look["show"] = first_id, channel, 0, 0
        return record

    def _set_levels(
        self, look: Any, terrain: Terrain, camera: _View, size: tuple[int, int]
    ) -> None:
        height, width = terrain.heights.shape
        count = len(self.shapes)
        counts = [rows * columns for rows, columns in self.shapes]
        look["size"] = width, height, count, sum(counts)
        look["first"][:count] = np.cumsum([0, *counts[:-1]])
        look["columns"][:count] = [columns for _, columns in self.shapes]
        low, high = float(terrain.bounds[0, 1]), float(terrain.bounds[1, 1])
        over = max(float(camera.position[1]) - high, low - float(camera.position[1]), 0.0)
        look["camera"] = camera.position[0], camera.position[2], min(over * over, 1e36), 0.0
        if isinstance(camera, OrthoCamera):
            quad = terrain.quad_pixels * camera.height / (size[1] * terrain.cell_size)
            level = min(max(math.log2(quad), 0.0), count - 1.0)
            look["ranges"][: int(level) + 1] = 0.0
            look["ranges"][int(level) + 1 :] = 3e38
            look["morph"] = 0.0, 0.0, level % 1.0, 0.0
            return
        focal = 0.5 * size[1] / camera.half_size(1.0)
        sides = max(_NEAREST_RANGE, focal / (_PATCH * terrain.quad_pixels))
        side = _PATCH * terrain.cell_size
        look["ranges"][1:] = np.minimum((sides * side * 2.0 ** np.arange(1, _LEVELS)) ** 2, 3e38)
        begin, end = sides + _GLIDE_BEGIN, _GLIDE_END * 2.0 * sides
        look["morph"] = begin * side, 1.0 / ((end - begin) * side), 0.0, 0.0


def _planes(camera: _View, size: tuple[int, int]) -> np.ndarray:
    """Of the picture and half a pixel around it, which jitter moves into it."""
    matrix = camera.view_projection(size[0] / size[1])
    wider = matrix.copy()
    for axis in (0, 1):
        wider[axis] /= 1.0 + 1.0 / size[axis]
    return frustum_planes(wider)
