# SPDX-License-Identifier: MIT
"""Weights of terrain materials in few bits: packed nibbles, RGBA8 images, index maps."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from .checks import as_whole
from .device import Device, default_device
from .dither import blue_noise
from .terrain_forms import IndexMap, PackedWeights, field_bits, weight_form

__all__ = [
    "IndexMap",
    "PackedWeights",
    "index_map_to_weights",
    "pack_weights",
    "unpack_weights",
    "weights_to_index_map",
]

_IDS = 32


def _planes(weights: Any, most: int) -> NDArray[np.float32]:
    """Weights as (H, W, N) float32, whatever their form."""
    if isinstance(weights, PackedWeights):
        return unpack_weights(weights)
    if isinstance(weights, IndexMap):
        return index_map_to_weights(weights)
    array = np.asarray(weights)
    if array.ndim == 3 and 16 < array.shape[2] <= most and array.dtype.kind == "f":
        return np.ascontiguousarray(array, np.float32)
    return weight_form(array).array.astype(np.float32, copy=False)


@overload
def pack_weights(
    weights: Any,
    bits: Literal[4] = 4,
    *,
    dithered: bool = False,
    noise_size: int = 128,
    seed: int = 0,
    origin: tuple[int, int] = (0, 0),
    device: Device | None = None,
) -> PackedWeights: ...
@overload
def pack_weights(
    weights: Any,
    bits: int,
    *,
    dithered: bool = False,
    noise_size: int = 128,
    seed: int = 0,
    origin: tuple[int, int] = (0, 0),
    device: Device | None = None,
) -> PackedWeights | NDArray[np.uint8]: ...
def pack_weights(
    weights: Any,
    bits: int = 4,
    *,
    dithered: bool = False,
    noise_size: int = 128,
    seed: int = 0,
    origin: tuple[int, int] = (0, 0),
    device: Device | None = None,
) -> PackedWeights | NDArray[np.uint8]:
    """Round weights to few bits so that each texel keeps its sum.

    Parameters
    ----------
    weights : (H, W, N) array_like of float32, float16 or uint8
        2 to 16 materials in any scale; float64 is rounded once to float32. What is not finite or
        below 0 counts as 0. All other forms that `select_materials` takes but index maps.
    bits : int, optional
        4: two weights a byte, 8 materials in one RGBA8 image, codes that sum to 15. 8: a weight a
        byte, 8 materials in two images, codes that sum to 255.
    dithered : bool, optional
        Round up or down by blue noise, as often as the weight says: the mean over a tile of noise
        is that of the weights, and slow ramps show no steps. Else by largest remainder, which is
        nearest texel by texel.
    noise_size, seed : int, optional
        Of the noise: see `blue_noise`.
    origin : (int, int), optional
        x and y of the first texel in the noise, for maps that are packed in parts.
    device : Device, optional
        Whose threads do it. None: those of `default_device`.

    Returns
    -------
    PackedWeights
        Of 4 bits.
    (H, W, P, 4) ndarray of uint8
        Of 8 bits: P RGBA8 images of 4 materials each.
        Texels whose weights sum to 1e-6 or less are all 0 in both.

    Raises
    ------
    ValueError, TypeError
        A shape, dtype or number of bits that is not meant.

    Notes
    -----
    Largest remainder errs by less than 1/15 a material, and on random weights by 0.017 on average;
    rounding each weight by itself may leave texels without any. Dithering is systematic sampling
    of the running sum: no code is 1 or more from its exact value.
    """
    if isinstance(weights, IndexMap):
        raise TypeError("weights must not be an IndexMap: take index_map_to_weights(map, 16) first")
    bits = as_whole(bits, "bits")
    if bits not in (4, 8):
        raise ValueError(f"bits must be 4 or 8, got {bits}")
    planes = _planes(weights, 16)
    slots = planes.shape[2]
    images = -(-slots * bits // 32)
    ranks = blue_noise(noise_size, seed=seed) if dithered else None
    x, y = (as_whole(at, "origin") for at in _pair(origin))
    if not all(-(1 << 31) <= at < 1 << 31 for at in (x, y)):
        raise ValueError(f"origin must fit in 32 bits, got {origin!r}")
    device = default_device() if device is None else device
    codes = _core.pack_weights(device, planes, bits, 4 * images, ranks, x, y)
    if bits == 4:
        return PackedWeights(codes if images == 1 else codes.reshape(*codes.shape[:2], 2, 4), slots)
    return codes.reshape(*codes.shape[:2], images, 4)


def _pair(value: Any) -> tuple[Any, Any]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise ValueError(f"origin must be two integers, got {value!r}") from None
    return first, second


def unpack_weights(
    packed: PackedWeights | ArrayLike,
    materials: int | None = None,
    *,
    dtype: DTypeLike = np.float32,
) -> NDArray[Any]:
    """Give each packed weight its own place.

    Parameters
    ----------
    packed : PackedWeights, or (H, W, 4) or (H, W, 2, 4) ndarray of uint8
        Two weights of 4 bits a byte.
    materials : int, optional
        How many to give. None: what `packed` says it has; 8 or 16 of an array.
    dtype : dtype, optional
        float32: fifteenths. uint8: the codes, 0 to 15, which are weights too.

    Returns
    -------
    (H, W, materials) ndarray of `dtype`

    Raises
    ------
    ValueError, TypeError
        Another shape or dtype, more materials than there are.
    """
    if not isinstance(packed, PackedWeights):
        packed = PackedWeights(np.asarray(packed))
    if materials is not None:
        packed = PackedWeights(packed.array, materials)
    wanted = np.dtype(dtype)
    if wanted not in (np.dtype(np.float32), np.dtype(np.uint8)):
        raise TypeError(f"dtype must be float32 or uint8, got {wanted}")
    flat = packed.array.reshape(*packed.shape, -1)
    codes = np.empty((*packed.shape, 2 * flat.shape[2]), np.uint8)
    np.bitwise_and(flat, 15, out=codes[..., 0::2])
    np.right_shift(flat, 4, out=codes[..., 1::2])
    codes = codes[..., : packed.materials]
    if wanted == np.uint8:
        return np.ascontiguousarray(codes)
    return codes.astype(np.float32) / np.float32(15)


def weights_to_index_map(
    weights: Any,
    *,
    materials: ArrayLike | None = None,
    angle: ArrayLike = 0,
    scale: ArrayLike = 0,
    navigation: ArrayLike = False,
    auto: ArrayLike = False,
    device: Device | None = None,
) -> IndexMap:
    """Keep the two heaviest materials of each texel, as Terrain3D's control maps do.

    Parameters
    ----------
    weights : (H, W, N) array_like
        As `pack_weights` takes them, and float weights of up to 32 materials.
    materials : (N,) array_like of int, optional
        The id, 0 to 31, that each slot is written as. None: 0, 1, 2 ...
    angle, scale : int or (H, W) array_like of int, optional
        Fields of Terrain3D: 0 to 15, 0 to 7.
    navigation, auto : bool or (H, W) array_like of bool, optional
        Its flags.
    device : Device, optional
        Whose threads do it. None: those of `default_device`.

    Returns
    -------
    IndexMap
        The heaviest material is the base; the next one, if it has weight, the overlay. ``lost``
        and ``lost_most`` tell what share of the weight belonged to further ones. Texels whose
        weights sum to 1e-6 or less become holes with material 0: what is chosen there is to be
        masked by ``hole``.

    Raises
    ------
    ValueError, TypeError
        A shape, dtype or id that is not meant.
    """
    planes = _planes(weights, _IDS)
    device = default_device() if device is None else device
    array, lost, most = _core.index_weights(device, planes)
    if materials is not None:
        array = _renamed(array, materials, planes.shape[2])
    for name, values in (
        ("angle", angle), ("scale", scale), ("navigation", navigation), ("auto", auto)
    ):  # fmt: skip
        array |= field_bits(name, values, array.shape)
    return IndexMap(array, float(lost.sum() / array.size), float(most.max()))


def _renamed(array: NDArray[np.uint32], materials: ArrayLike, slots: int) -> NDArray[np.uint32]:
    ids = np.asarray(materials)
    if ids.dtype.kind not in "ui" or ids.shape != (slots,):
        raise ValueError(f"materials must be {slots} whole numbers, one a slot, got {materials!r}")
    if ids.min() < 0 or ids.max() >= _IDS or len(set(ids.tolist())) != slots:
        raise ValueError(f"materials must lie in [0, {_IDS - 1}] and differ, got {materials!r}")
    old, shape = IndexMap(array), array.shape
    kept = np.where(old.hole, 0, ids[old.base]), np.where(old.hole, 0, ids[old.overlay])
    rest = array & np.uint32((1 << 22) - 1)
    return field_bits("base", kept[0], shape) | field_bits("overlay", kept[1], shape) | rest


def index_map_to_weights(
    index_map: IndexMap | ArrayLike, materials: int = _IDS
) -> NDArray[np.float32]:
    """Give the weights that an index map stands for.

    Parameters
    ----------
    index_map : IndexMap or (H, W) ndarray of uint32
    materials : int, optional
        How many to give, 1 to 32: more than the largest id.

    Returns
    -------
    (H, W, materials) ndarray of float32
        Blend / 255 for the overlay, the rest for the base; all 0 in holes.

    Raises
    ------
    ValueError, TypeError
        An id that is beyond `materials`, another shape or dtype.
    """
    if not isinstance(index_map, IndexMap):
        index_map = IndexMap(np.asarray(index_map))
    count = as_whole(materials, "materials")
    if not 1 <= count <= _IDS:
        raise ValueError(f"materials must lie in [1, {_IDS}], got {count}")
    there = index_map.hole == 0
    base, overlay = index_map.base[there], index_map.overlay[there]
    most = int(max(base.max(initial=0), overlay.max(initial=0)))
    if most >= count:
        raise ValueError(f"materials must be more than the largest id in the map, {most}")
    share = index_map.blend[there].astype(np.float32) / np.float32(255)
    rows = np.zeros((len(share), count), np.float32)
    at = np.arange(len(share))
    rows[at, base] = np.float32(1) - share
    rows[at, overlay] += share
    weights = np.zeros((*index_map.shape, count), np.float32)
    weights[there] = rows
    return weights
