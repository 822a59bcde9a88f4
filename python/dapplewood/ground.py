# SPDX-License-Identifier: MIT
"""Terrain of a scene: a heightfield, the weights of its materials, and what those look like."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from .checks import as_number, as_whole, check_positive
from .kinds import TerrainMode
from .materials import MaterialTexture, _check_color, _check_number
from .terrain import Transition, material_at, transition_law
from .terrain_forms import IndexMap, PackedWeights, WeightForm, weight_form
from .terrain_weights import index_map_to_weights

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
    cliff : bool
        Steep ground, from about 45 degrees on, has the tile from the side, so that it is not
        stretched: for rock.
    height : float
        -1 to 1: what it sticks out by in the mode ``"height"``, where weights sum to 1.
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
    cliff: bool = False
    height: float = 0.0
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
        put("height", _check_number(self.height, "height", -1.0, 1.0))

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
    field = np.asarray(heightfield)
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


def _form_of(weights: Any, count: int) -> WeightForm:
    """Weights of two slots or more: one material has an empty one beside it."""
    array = weights
    if not isinstance(weights, (PackedWeights, IndexMap)):
        array = np.asarray(weights)
        if array.ndim == 3 and array.shape[2] == 1:
            array = np.concatenate([array, np.zeros_like(array)], axis=2)
    form = weight_form(array)
    if form.kind == "index":
        return form
    slots = weights.materials if isinstance(weights, PackedWeights) else form.slots
    slots = 1 if array is not weights and count == 1 and form.slots == 2 else slots
    if slots != count:
        raise ValueError(f"weights are of {slots} materials, but materials has {count}")
    kept = np.array(form.array, order="C") if np.may_share_memory(form.array, weights) else None
    return form if kept is None else dataclasses.replace(form, array=kept)


def _of_index_map(weights: IndexMap, materials: int) -> tuple[WeightForm, list[int]]:
    """Planes of the materials that an index map names, and which those are."""
    planes = index_map_to_weights(weights)
    used = [int(i) for i in np.flatnonzero(planes.any(axis=(0, 1)))] or [0]
    used += [(used[0] + 1) % 32] * (len(used) == 1)
    if len(used) > _MOST_SLOTS:
        raise ValueError(
            f"weights: a terrain draws up to {_MOST_SLOTS} materials, the index map names "
            f"{len(used)}; split it, or give some of them one id"
        )
    if max(used) >= materials and planes[..., materials:].any():
        raise ValueError(
            f"weights: the index map names material {max(used)}, but materials has {materials}"
        )
    return weight_form(np.ascontiguousarray(planes[..., used])), used


class Terrain:
    """Ground under a scene: a heightfield whose materials are chosen cell by cell.

    Parameters
    ----------
    heightfield : (H, W) array, or Heightfield
        Rows run along z, columns along x; any sides from 2 up. Floats or whole numbers.
    weights : (H', W', N) array, PackedWeights or IndexMap
        Of the materials over the same area, as `select_materials` takes them: 1 to 16. One texel
        is one map unit.
    materials : sequence of TerrainMaterial
        One a slot of the weights; one an id of an index map, which may name 16 of them.
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
        if not self.materials:
            raise ValueError("materials is empty; give at least one TerrainMaterial")
        self._set_weights(weights, ids)
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

    def _set_weights(self, weights: Any, ids: Sequence[int] | None) -> None:
        """Slots of the weights with their materials and ids."""
        count = len(self.materials)
        given = tuple(range(count)) if ids is None else tuple(as_whole(one, "ids") for one in ids)
        if len(given) != count:
            raise ValueError(f"ids must be one for each of {count} materials, got {len(given)}")
        self.form = _form_of(weights, count)
        used = list(range(count))
        if self.form.kind == "index":
            self.form, used = _of_index_map(weights, count)
        self.form.array.setflags(write=False)
        spare = next(k for k in range(256) if k not in given)
        slots = [(self.materials[i], given[i]) if i < count else None for i in used]
        slots += [None] * (self.form.slots - len(slots))  # a slot that is always empty
        self.slots = tuple(one[0] if one else self.materials[0] for one in slots)
        self.ids = tuple(one[1] if one else spare for one in slots)

    @property
    def transition(self) -> Transition:
        """How one material goes over into the next."""
        return self._transition

    @transition.setter
    def transition(self, value: Transition) -> None:
        self._law = transition_law(value, len(self.slots), self.ids)
        self._transition = value

    @property
    def view(self) -> str | int:
        """What is drawn."""
        return self._view

    @view.setter
    def view(self, value: str | int) -> None:
        is_slot = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not (0 <= value < len(self.slots) if is_slot else value in VIEWS):
            raise ValueError(
                f"view must be one of {', '.join(VIEWS)}, or a slot below {len(self.slots)}, "
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
            columns * (self.form.array.shape[1] / (width - 1)),
            rows * (self.form.array.shape[0] / (height - 1)),
        )

    def material_at(self, x: Any, z: Any) -> Any:
        """Which material is at a place: what the picture shows there from near.

        Parameters
        ----------
        x, z : float or array
            Metres in the world; they broadcast.

        Returns
        -------
        int, or (...) uint8
            One of the ids; the transition's `empty_id` where there is none, and off the terrain.
        """
        across, down = self.map_at(x, z)
        inside = ~np.isnan(across)
        found = material_at(
            self.weights, self.transition, np.where(inside, across, 0.0),
            np.where(inside, down, 0.0), filter=self.filter, materials=self.ids,
            heights=self._sticking,
        )  # fmt: skip
        found = np.where(inside, found, self.transition.empty_id)
        return found.astype(np.uint8) if found.ndim else int(found)

    @property
    def _sticking(self) -> np.ndarray | None:
        """What each slot sticks out, in the mode that asks for it."""
        if self.transition.mode != TerrainMode.HEIGHT:
            return None
        return np.array([one.height for one in self.slots], np.float32)

    @property
    def weights(self) -> Any:
        """The weights of its slots, in their form."""
        if self.form.kind == "packed":
            height, width, count = self.form.array.shape
            shape = (height, width, 4) if count == 4 else (height, width, 2, 4)
            return PackedWeights(self.form.array.reshape(shape), self.form.slots)
        return self.form.array

    def __repr__(self) -> str:
        rows, columns = self.heights.shape
        wide, deep = self.size
        return (
            f"<Terrain {columns} x {rows} heights, {wide:g} x {deep:g} m, "
            f"{len(self.materials)} materials>"
        )
