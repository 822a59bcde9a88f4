# SPDX-License-Identifier: MIT
"""Terrain of a scene: a heightfield, the weights of its materials, and what those look like."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from .checks import as_number, check_positive
from .materials import MaterialTexture, _check_color, _check_number
from .terrain import Transition, transition_law

__all__ = ["STYLES", "VIEWS", "Terrain", "TerrainMaterial"]

STYLES = ("photo", "pixel")
VIEWS = ("color", "ids", "weights", "expectation")
_FILTERS = ("nearest", "linear")
_MOST_SLOTS = 16
_MOST_SIDE = _core.CONSTANTS["GROUND_PATCH"] << (_core.CONSTANTS["GROUND_LEVELS"] - 1)
_LARGEST = 1e9  # metres, of any place of it


def _is_color(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 3


def _texture_of(value: Any, name: str, color_space: str) -> MaterialTexture:
    if isinstance(value, MaterialTexture):
        return value
    try:
        return MaterialTexture.from_image(value, color_space=color_space)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


@dataclasses.dataclass(frozen=True, eq=False)
class TerrainMaterial:
    """What one material of a terrain looks like.

    Parameters
    ----------
    albedo : MaterialTexture, array, Image, path or (3,) floats
        A tile that repeats, sRGB unless it says otherwise; or one colour, as linear light.
    normal : MaterialTexture, array, Image or path, optional
        Its normal map: tangent space, green up, linear.
    scale : float
        Metres of a side of the tile.
    strength : float
        0 to 1: how much of it shows over the macro colour where the camera is near.
    roughness : float
        0 to 1.
    normal_scale : float
        Multiplies x and y of the normal map.
    tint : (3,) floats
        Multiplies the albedo, linear.
    name : str

    Raises
    ------
    ValueError, TypeError
        An argument that is out of range or no image, with its name.
    """

    albedo: Any
    _: dataclasses.KW_ONLY
    normal: Any = None
    scale: float = 2.0
    strength: float = 1.0
    roughness: float = 0.9
    normal_scale: float = 1.0
    tint: tuple[float, ...] = (1.0, 1.0, 1.0)
    name: str = ""

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if _is_color(self.albedo):
            put("tint", _check_color(self.albedo, "albedo", 3))
            put("albedo", MaterialTexture((np.full((1, 1, 4), 255, np.uint8),)))
        else:
            put("albedo", _texture_of(self.albedo, "albedo", "srgb"))
        if self.normal is not None:
            put("normal", _texture_of(self.normal, "normal", "linear"))
        put("scale", check_positive(self.scale, "scale"))
        put("strength", _check_number(self.strength, "strength", 0.0, 1.0))
        put("roughness", _check_number(self.roughness, "roughness", 0.0, 1.0))
        put("normal_scale", _check_number(self.normal_scale, "normal_scale", -1e6, 1e6))
        put("tint", _check_color(self.tint, "tint", 3))

    def mean(self) -> np.ndarray:
        """(3,) float64: its colour from far away, linear light."""
        level = self.albedo.levels[0][..., :3].astype(np.float64) / 255.0
        if self.albedo.color_space == "srgb":
            level = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
        return level.mean(axis=(0, 1)) * np.asarray(self.tint)

    def __repr__(self) -> str:
        named = f" {self.name!r}" if self.name else ""
        height, width = self.albedo.shape
        return f"<TerrainMaterial{named} {width} x {height}, {self.scale:g} m a tile>"


def _heights_of(heightfield: Any, height_scale: float, base: float) -> np.ndarray:
    """(H, W) float32 of the world's y, read-only."""
    field = np.asarray(getattr(heightfield, "heights", heightfield))
    if field.dtype.kind not in "fiu" or field.dtype == np.bool_:
        raise TypeError(f"heightfield must be real numbers, got {field.dtype}")
    if field.ndim != 2:
        raise ValueError(f"heightfield must be (H, W), got {field.shape}")
    if min(field.shape) < 2:
        raise ValueError(
            f"heightfield must have 2 heights or more along each side, got {field.shape}: one row "
            "has no ground between its heights; repeat it"
        )
    if max(field.shape) > _MOST_SIDE:
        raise ValueError(
            f"heightfield must have at most {_MOST_SIDE} heights along a side, got {field.shape}: "
            "make several terrains"
        )
    if field.dtype.kind == "f" and not np.isfinite(field).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(field))[0])
        raise ValueError(f"heightfield must be finite, got {field[at]} at {at}; fill the hole")
    heights = (field.astype(np.float64) * height_scale + base).astype(np.float32)
    if float(np.abs(heights).max()) > _LARGEST:
        raise ValueError(f"heightfield: heights must lie within {_LARGEST:g} m; see height_scale")
    heights.setflags(write=False)
    return heights


def _weights_of(weights: Any, packed: bool, count: int) -> tuple[np.ndarray, bool]:
    """(H, W, bytes or floats), and whether it is packed."""
    array = np.asarray(weights)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.dtype not in (np.float32, np.float64, np.uint8):
        raise TypeError(
            f"weights must be float32, float16 or uint8, got {array.dtype}; of an index map take "
            "index_map_to_weights"
        )
    array = np.asarray(array, np.float32) if array.dtype == np.float64 else array
    if array.ndim == 4 and array.shape[2:] == (2, 4):
        array = array.reshape(*array.shape[:2], 8)
    if array.ndim != 3 or array.size == 0:
        raise ValueError(
            f"weights must be (H, W, N), or (H, W, 2, 4) of two images, got {array.shape}"
        )
    if packed and array.dtype != np.uint8:
        raise TypeError(f"packed weights must be uint8, got {array.dtype}")
    if packed and array.shape[2] not in (4, 8):
        raise ValueError(f"packed weights must have 4 or 8 bytes a texel, got {array.shape}")
    slots = array.shape[2] * (2 if packed else 1)
    if not 1 <= slots <= _MOST_SLOTS:
        raise ValueError(f"weights must be of 1 to {_MOST_SLOTS} materials, got {slots}")
    if slots != count:
        raise ValueError(f"weights are of {slots} materials, but materials has {count}")
    if array is weights or array.base is not None or not array.flags.c_contiguous:
        array = np.array(array, order="C")
    array.setflags(write=False)
    return array, packed


class Terrain:
    """Ground under a scene: a heightfield whose materials are chosen cell by cell.

    Parameters
    ----------
    heightfield : (H, W) array, or Heightfield
        Rows run along z, columns along x; any sides from 2 up. Floats or whole numbers.
    weights : (H', W', N) array
        Of the materials over the same area: float32, float16 or uint8; 1 to 16 of them. One texel
        is one map unit. (H', W', 2, 4) of two RGBA images are 8.
    materials : sequence of TerrainMaterial
        One a slot of the weights.
    transition : Transition, optional
        How one material goes over into the next.
    cell_size : float
        Metres from one height to the next.
    position : (3,) floats
        Where height (0, 0) of value 0 is, metres: the corner of least x and z.
    height_scale : float
        Metres of one unit of the heightfield.
    macro : image, array or path, optional
        Colour of the whole terrain, sRGB, seen from afar and under materials that are not at full
        strength. None: composed of the materials' mean colours.
    style : {"photo", "pixel"}
        "pixel" shows the texels of macro image and materials as they are.
    packed : bool
        Weights are of 4 bits, two to a byte, as `pack_weights` gives them.
    ids : sequence of int, optional
        What `material_at` and the picture of ids call the materials; 0, 1, 2 ... by default.
    filter : {"nearest", "linear"}
        Whether weights are interpolated between texels before the choice.
    openness : float
        0 to 1: how much less sky light reaches hollows.
    quad_pixels : float
        About how many pixels the sides of its quads have; less is finer.
    casts_shadow : bool

    Attributes
    ----------
    transition : Transition
        May be assigned between frames.
    view : str or int
        What is drawn: "color"; "ids" of the materials, as colours, and in `Frame.ids`, whose
        `Frame.what` then tells the material; raw "weights"; "expectation", the exact shares; or
        the number of a slot, its weight as grey.

    Raises
    ------
    ValueError, TypeError
        An argument that does not fit, with its name and the way out.

    Examples
    --------
    >>> grass = dw.TerrainMaterial("grass.png", scale=3.0)
    >>> rock = dw.TerrainMaterial("rock.png", normal="rock_normal.png", scale=5.0)
    >>> terrain = dw.Terrain(heights, weights, [grass, rock], cell_size=1.0)
    >>> scene.add(terrain)
    """

    def __init__(
        self,
        heightfield: Any,
        weights: Any,
        materials: Sequence[TerrainMaterial],
        transition: Transition | None = None,
        *,
        cell_size: float,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        height_scale: float = 1.0,
        macro: Any = None,
        style: str = "photo",
        packed: bool = False,
        ids: Sequence[int] | None = None,
        filter: str = "nearest",
        openness: float = 1.0,
        quad_pixels: float = 6.0,
        casts_shadow: bool = True,
    ):
        self.cell_size = check_positive(cell_size, "cell_size")
        height_scale = as_number(height_scale, "height_scale")
        try:
            self.position = tuple(as_number(part, "position") for part in position)
        except TypeError:
            self.position = ()
        if len(self.position) != 3 or not all(abs(part) <= _LARGEST for part in self.position):
            raise ValueError(f"position must be 3 numbers within {_LARGEST:g}, got {position!r}")
        if not math.isfinite(height_scale):
            raise ValueError(f"height_scale must be finite, got {height_scale!r}")
        self.heights = _heights_of(heightfield, height_scale, self.position[1])
        self.materials = tuple(materials)
        for i, one in enumerate(self.materials):
            if not isinstance(one, TerrainMaterial):
                raise TypeError(
                    f"materials[{i}] must be a TerrainMaterial, got {type(one).__name__}"
                )
        self.weights, self.packed = _weights_of(weights, bool(packed), len(self.materials))
        self.ids = tuple(range(len(self.materials)) if ids is None else ids)
        for name, value, words in (("style", style, STYLES), ("filter", filter, _FILTERS)):
            if value not in words:
                raise ValueError(f"{name} must be one of {', '.join(words)}, got {value!r}")
        self.style, self.filter = style, filter
        self.macro = None if macro is None else _texture_of(macro, "macro", "srgb")
        self.openness = _check_number(openness, "openness", 0.0, 1.0)
        self.quad_pixels = _check_number(quad_pixels, "quad_pixels", 1.0, 1e4)
        self.casts_shadow = bool(casts_shadow)
        self.transition = Transition() if transition is None else transition
        self.view = "color"

    @property
    def transition(self) -> Transition:
        """How one material goes over into the next."""
        return self._transition

    @transition.setter
    def transition(self, value: Transition) -> None:
        self._law = transition_law(value, len(self.materials), self.ids)
        self._transition = value

    @property
    def view(self) -> str | int:
        """What is drawn."""
        return self._view

    @view.setter
    def view(self, value: str | int) -> None:
        is_slot = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not (0 <= value < len(self.materials) if is_slot else value in VIEWS):
            raise ValueError(
                f"view must be one of {', '.join(VIEWS)}, or a slot below {len(self.materials)}, "
                f"got {value!r}"
            )
        self._view = value

    @property
    def size(self) -> tuple[float, float]:
        """Metres along x and z."""
        rows, columns = self.heights.shape
        return (columns - 1) * self.cell_size, (rows - 1) * self.cell_size

    @property
    def bounds(self) -> np.ndarray:
        """(2, 3) float64: the box around it."""
        x, _, z = self.position
        wide, deep = self.size
        return np.array(
            [[x, self.heights.min(), z], [x + wide, self.heights.max(), z + deep]], np.float64
        )

    def _cells(self, x: Any, z: Any) -> tuple[np.ndarray, np.ndarray]:
        """Places in heights' cells; NaN off the terrain."""
        columns = (np.asarray(x, np.float64) - self.position[0]) / self.cell_size
        rows = (np.asarray(z, np.float64) - self.position[2]) / self.cell_size
        columns, rows = np.broadcast_arrays(columns, rows)
        height, width = self.heights.shape
        inside = (columns >= 0) & (columns <= width - 1) & (rows >= 0) & (rows <= height - 1)
        return np.where(inside, columns, np.nan), np.where(inside, rows, np.nan)

    def height_at(self, x: Any, z: Any) -> Any:
        """Height of the ground, on the triangles that are drawn near the camera.

        Parameters
        ----------
        x, z : float or array
            Metres in the world; they broadcast.

        Returns
        -------
        float64, or array of it
            NaN off the terrain.
        """
        columns, rows = self._cells(x, z)
        height, width = self.heights.shape
        at = np.nan_to_num(np.stack([rows, columns]))
        i = np.minimum(at[0].astype(np.int64), height - 2)
        j = np.minimum(at[1].astype(np.int64), width - 2)
        down, across = at[0] - i, at[1] - j
        h = self.heights
        h00, h01 = h[i, j].astype(np.float64), h[i, j + 1].astype(np.float64)
        h10, h11 = h[i + 1, j].astype(np.float64), h[i + 1, j + 1].astype(np.float64)
        left = h00 + down * (h10 - h00) + across * (h11 - h10)
        right = h00 + across * (h01 - h00) + down * (h11 - h01)
        found = np.where(np.isnan(rows), np.nan, np.where(down >= across, left, right))
        return found if found.ndim else float(found)

    def map_at(self, x: Any, z: Any) -> tuple[Any, Any]:
        """Map units of places in the world: texels of the weights; NaN off the terrain."""
        columns, rows = self._cells(x, z)
        height, width = self.heights.shape
        return (
            columns * (self.weights.shape[1] / (width - 1)),
            rows * (self.weights.shape[0] / (height - 1)),
        )

    def __repr__(self) -> str:
        rows, columns = self.heights.shape
        wide, deep = self.size
        return (
            f"<Terrain {columns} x {rows} heights, {wide:g} x {deep:g} m, "
            f"{len(self.materials)} materials>"
        )
