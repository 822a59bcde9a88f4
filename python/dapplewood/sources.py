# SPDX-License-Identifier: MIT
"""What an image argument means: a file, an Image, an array; opacity beside it or inside it."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

import numpy as np

from . import _core
from .device import Device
from .io import Image, read_image

__all__ = ["Source", "as_codes", "load_source"]

_CHANNELS = {"r": 0, "g": 1, "b": 2, "a": 3}


@dataclasses.dataclass(frozen=True)
class Source:
    """Straight RGBA, ready for the core.

    Attributes
    ----------
    array : (h, w, 4) uint8 or uint16
    color_space : str
        "srgb" or "linear".
    notes : tuple of str
        What was done to the input on the way.
    """

    array: np.ndarray
    color_space: str
    notes: tuple[str, ...] = ()


def _from_floats(array: np.ndarray, name: str) -> np.ndarray:
    if not np.isfinite(array).all():
        bad = int(array.size - np.count_nonzero(np.isfinite(array)))
        raise ValueError(f"{name} holds {bad} values that are NaN or infinite; mend the source")
    low, high = float(array.min()), float(array.max())
    if low < 0.0 or high > 1.0:
        raise ValueError(
            f"{name} of dtype {array.dtype} must lie in [0, 1], got {low:.9g} to {high:.9g}; scale "
            "or clip it"
        )
    if array.dtype.itemsize < 4:  # 65535 is beyond float16
        array = array.astype(np.float32)
    return np.floor(array * 65535.0 + 0.5).astype(np.uint16)


def as_codes(value: Any, name: str, rank: int) -> np.ndarray:
    """An array of rank `rank`, uint8 or uint16; floats in [0, 1] become uint16."""
    array = np.asarray(value)
    if array.ndim != rank:
        raise ValueError(f"{name} must have {rank} dimensions, got shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: shape {array.shape}")
    if array.dtype.kind == "f":
        return _from_floats(array, name)
    if array.dtype.kind == "u" and array.dtype.itemsize <= 2:
        return array
    raise TypeError(
        f"{name} must have dtype uint8, uint16 or float in [0, 1], got {array.dtype}; convert it "
        "yourself, since only you know its range"
    )


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _to_depth(array: np.ndarray, bits: int) -> np.ndarray:
    return array.astype(np.uint16) * 257 if bits == 16 and array.dtype.itemsize == 1 else array


def _load_color(image: Any) -> tuple[np.ndarray, str | None, list[str]]:
    """Array of 3 or 4 channels, its colour space where it is known, notes."""
    if isinstance(image, Image):
        notes = ["the file is premultiplied; its colours were divided by alpha"]
        return image.array, image.color_space, notes if image.premultiplied else []
    array = as_codes(image, "image", 3)
    if array.shape[2] not in (3, 4):
        raise ValueError(f"image must have 3 or 4 channels, got shape {array.shape}")
    return array, None, []


def _load_opacity(opacity: Any, color: np.ndarray) -> np.ndarray:
    if isinstance(opacity, str) and opacity in _CHANNELS:
        if _CHANNELS[opacity] >= color.shape[2]:
            raise ValueError(f'opacity="{opacity}", but image has {color.shape[2]} channels')
        return color[..., _CHANNELS[opacity]]
    if _is_path(opacity):
        opacity = read_image(opacity)
    if isinstance(opacity, Image):
        alpha = opacity.array[..., 3]
        carries = opacity.has_alpha and bool((alpha != alpha.flat[0]).any())
        return alpha if carries else opacity.array[..., 0]
    array = np.asarray(opacity)
    if array.ndim == 3 and array.shape[2] in (1, 3, 4):
        array = array[..., 0]
    return as_codes(array, "opacity", 2)


def _combine(color: np.ndarray, opacity: np.ndarray) -> np.ndarray:
    if opacity.shape != color.shape[:2]:
        raise ValueError(
            f"opacity must have the image's size {color.shape[:2]}, got {opacity.shape}"
        )
    bits = 8 * max(color.dtype.itemsize, opacity.dtype.itemsize)
    out = np.empty((*color.shape[:2], 4), dtype=np.uint16 if bits == 16 else np.uint8)
    out[..., :3] = _to_depth(color[..., :3], bits)
    out[..., 3] = _to_depth(opacity, bits)
    return out


def load_source(
    image: Any, *, opacity: Any, premultiplied: bool, color_space: str | None, device: Device
) -> Source:
    """What `bake_atlas` bakes; its docstring gives the meaning of each argument."""
    if _is_path(image):
        image = read_image(image)
    # A file that says so was divided as it was read; to divide again would brighten every edge.
    is_straight = not premultiplied or (isinstance(image, Image) and image.premultiplied)
    color, own_space, notes = _load_color(image)
    if opacity is not None:
        color = _combine(color, _load_opacity(opacity, color))
    elif color.shape[2] == 3:
        raise ValueError(
            "image has no alpha; give opacity= an array, a file, or a channel letter such as "
            '"r", or add an alpha channel'
        )
    if not is_straight:
        color, clipped = _core.unpremultiply(device, color)
        notes.append(f"premultiplied input was divided by alpha; {clipped} values lay above alpha")
    return Source(color, color_space or own_space or "srgb", tuple(notes))
