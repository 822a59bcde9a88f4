# SPDX-License-Identifier: MIT
"""The forms in which weights of terrain materials come: planes, nibbles, index maps."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["IndexMap", "PackedWeights", "WeightForm", "weight_form"]

# Slots of a texel, and ids of an index map.
_SLOTS, _IDS = 16, 32

# Where Terrain3D's control map holds each field: shift and mask. Its document lists bits from 1.
_FIELDS = {
    "base": (27, 0x1F),
    "overlay": (22, 0x1F),
    "blend": (14, 0xFF),
    "angle": (10, 0xF),
    "scale": (7, 0x7),
    "hole": (2, 0x1),
    "navigation": (1, 0x1),
    "auto": (0, 0x1),
}


def field_bits(name: str, values: Any, shape: tuple[int, int]) -> NDArray[np.uint32]:
    """A field of a control map in its place; ValueError where a value does not fit."""
    shift, mask = _FIELDS[name]
    array = np.asarray(values)
    if array.dtype.kind not in "uib":
        raise TypeError(f"{name} must be whole numbers, got {array.dtype}")
    if array.size and not (0 <= int(array.min()) and int(array.max()) <= mask):
        raise ValueError(f"{name} must lie in [0, {mask}], got {array.min()} to {array.max()}")
    try:
        return np.broadcast_to(array.astype(np.uint32) << np.uint32(shift), shape)
    except ValueError:
        raise ValueError(
            f"{name} must be one number or have shape {shape}, got {array.shape}"
        ) from None


@dataclasses.dataclass(frozen=True, eq=False)
class PackedWeights:
    """Weights of 4 bits, two a byte: 8 materials in one RGBA8 image, 16 in two.

    Parameters
    ----------
    array : (H, W, 4) or (H, W, 2, 4) ndarray of uint8
        Byte c holds material 2c in its low nibble and 2c + 1 in its high one. On a device it is
        an image of format R8G8B8A8_UINT, fetched texel by texel and decoded before any filter:
        filtered bytes are wrong.
    materials : int, optional
        How many of the nibbles are materials, the first ones. None: all, 8 or 16.

    Raises
    ------
    TypeError, ValueError
        Another dtype or shape, `materials` beyond the nibbles there are.
    """

    array: NDArray[np.uint8]
    materials: int | None = None

    def __post_init__(self) -> None:
        array = np.asarray(self.array)
        if array.dtype != np.uint8:
            raise TypeError(f"packed weights must be uint8, two a byte, got {array.dtype}")
        if array.shape[2:] not in ((4,), (2, 4)):
            raise ValueError(
                f"packed weights must have shape (H, W, 4) or (H, W, 2, 4), got {array.shape}"
            )
        nibbles = 2 * int(np.prod(array.shape[2:]))
        count = nibbles if self.materials is None else self.materials
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)):
            raise TypeError(f"materials must be a whole number, got {self.materials!r}")
        if not 1 <= count <= nibbles:
            raise ValueError(f"materials must lie in [1, {nibbles}], got {count}")
        object.__setattr__(self, "array", array)
        object.__setattr__(self, "materials", int(count))

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in texels."""
        return self.array.shape[0], self.array.shape[1]

    def __repr__(self) -> str:
        height, width = self.shape
        return f"PackedWeights({width} x {height}, {self.materials} materials of 4 bits)"


@dataclasses.dataclass(frozen=True, eq=False)
class IndexMap:
    """Two of 32 materials a texel, and how far it goes from the one to the other.

    Parameters
    ----------
    array : (H, W) ndarray of uint32
        The bits of Terrain3D's control map, from the top: base id 5, overlay id 5, blend 8 (0
        all base, 255 all overlay), angle 4, scale 3, four unused, hole, navigation, auto. It
        stores them in images of float32 whose numbers mean nothing: ``image.view(np.uint32)``.
    lost : float, optional
        Mean share of a texel's weight that had no place when the map was made.
    lost_most : float, optional
        The same of the worst texel.

    Attributes
    ----------
    base, overlay, blend, angle, scale, hole, navigation, auto : (H, W) ndarray of uint8
        The fields.

    Raises
    ------
    TypeError, ValueError
        Another dtype or shape.

    Notes
    -----
    ``hole`` and ``auto``, by which the engine leaves the ground out or chooses by slope, change no
    choice of materials.
    Ids must never be filtered: neighbours are fetched one by one.
    """

    array: NDArray[np.uint32]
    lost: float = 0.0
    lost_most: float = 0.0

    def __post_init__(self) -> None:
        array = np.asarray(self.array)
        if array.dtype != np.uint32:
            raise TypeError(
                f"an index map must be uint32, got {array.dtype}; of control maps stored as "
                "float32 take image.view(np.uint32)"
            )
        if array.ndim != 2:
            raise ValueError(f"an index map must have shape (H, W), got {array.shape}")
        object.__setattr__(self, "array", array)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in texels."""
        return self.array.shape[0], self.array.shape[1]

    def __getattr__(self, name: str) -> NDArray[np.uint8]:
        if name not in _FIELDS:
            raise AttributeError(f"IndexMap has no attribute {name!r}")
        shift, mask = _FIELDS[name]
        return (self.array >> np.uint32(shift) & np.uint32(mask)).astype(np.uint8)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_FIELDS})

    def __repr__(self) -> str:
        height, width = self.shape
        return (
            f"IndexMap({width} x {height}, lost {self.lost:.2%} of the weight, "
            f"at worst {self.lost_most:.1%} of a texel)"
        )


@dataclasses.dataclass(frozen=True, eq=False)
class WeightForm:
    """Weights as the core takes them.

    Attributes
    ----------
    kind : {"planes", "packed", "index"}
    array : ndarray
        C order. Planes: (H, W, N) float32, float16 or uint8. Packed: (H, W, 4 or 8) uint8. Index:
        (H, W) uint32.
    slots : int
        Weights of a texel, 2 to 16; 32 of an index map.
    """

    kind: Literal["planes", "packed", "index"]
    array: NDArray[Any]
    slots: int


def weight_form(weights: Any, name: str = "weights") -> WeightForm:
    """Tell in which form weights come; nothing is guessed from their values.

    Parameters
    ----------
    weights : ndarray, PackedWeights or IndexMap
        (H, W, N) of float32, float16 or uint8, with 2 to 16 materials, any strides; float64 is
        rounded once to float32. (H, W, P, 4) uint8: P RGBA8 images of 4 materials each, 1 to 4.
        Whole-number weights of a texel may have any sum.
    name : str, optional
        Of the argument, for errors.

    Raises
    ------
    TypeError, ValueError
        Another dtype or shape, no texels.
    """
    if isinstance(weights, PackedWeights):
        slots = max(weights.materials or 0, 2)
        bytes_of = np.ascontiguousarray(weights.array).reshape(*weights.shape, -1)
        return _checked("packed", bytes_of, slots, name)
    if isinstance(weights, IndexMap):
        return _checked("index", np.ascontiguousarray(weights.array), _IDS, name)
    array = np.asarray(weights)
    if array.dtype == np.uint32:
        raise TypeError(
            f"{name} must be float32, float16 or uint8, got uint32; of an index map take "
            "dw.IndexMap(array)"
        )
    if array.dtype == np.float64:
        array = array.astype(np.float32)
    if array.dtype.newbyteorder("=") not in map(np.dtype, ("f4", "f2", "u1")):
        raise TypeError(
            f"{name} must be float32, float16 or uint8, a PackedWeights or an IndexMap, got "
            f"{array.dtype}"
        )
    if array.dtype == np.uint8 and array.ndim == 4 and array.shape[3] == 4:
        array = array.reshape(*array.shape[:2], -1)
    if array.ndim != 3 or not 2 <= array.shape[2] <= _SLOTS:
        raise ValueError(
            f"{name} must have shape (H, W, N) with 2 to {_SLOTS} materials, or (H, W, P, 4) for "
            f"RGBA8 images, got {array.shape}"
        )
    plain = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return _checked("planes", plain, array.shape[2], name)


def _checked(kind: Any, array: NDArray[Any], slots: int, name: str) -> WeightForm:
    if 0 in array.shape:
        raise ValueError(f"{name} must hold at least one texel, got shape {array.shape}")
    return WeightForm(kind, array, slots)
