# SPDX-License-Identifier: MIT
"""Textures of effects: found beside the file, never elsewhere, or a stand-in."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from ...errors import FormatError
from ..image import Image, read_image
from .reading import Source

__all__ = [
    "alpha_of_color",
    "beside",
    "drawn_image",
    "find_texture",
    "grid_image",
    "recolored",
    "ring_image",
    "stand_in",
]

_RING = 128  # texels along a side of the picture of a ring
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")

# Words in the name of a texture, and what is drawn in its place; the first that fits.
_STAND_INS = (
    ("ring", ("ring", "shockwave", "halo", "circle_outline", "bubble")),
    ("puff", ("smoke", "puff", "cloud", "dust", "fog", "steam")),
    ("flame", ("flame", "fire")),
    ("chip", ("scrap", "debris", "chip", "rock", "stone", "leaf")),
    ("streak", ("stretch", "streak", "trail", "laser", "line")),
)


def stand_in(name: str, blend: str) -> str:
    """The built-in image that is nearest to a texture of this name."""
    lower = name.lower()
    for image, words in _STAND_INS:
        if any(word in lower for word in words):
            return image
    return "glow" if blend == "add" else "puff"


def find_texture(source: Source, where: str, name: str, blend: str) -> Image | str:
    """The texture that a file names, or the word of what stands in, which is noted.

    Looked for under the file's own folder and the given ones, as it is written and then by fewer
    and fewer of its folders; nothing outside of those folders is ever opened.
    """
    word = stand_in(name, blend)
    path, reason = beside(source, name)
    if path is not None:
        try:
            if path not in source.images:
                source.images[path] = read_image(path, hdr="clamp")
            return source.images[path]
        except (FormatError, ValueError, OSError) as error:
            reason = str(error).removeprefix(f"{path}: ")
    source.note(where, f"texture {name!r}", f"{reason}; drawn as {word!r}")
    return word


def beside(source: Source, name: str) -> tuple[Path | None, str]:
    """A file that an effect names, if it lies in a folder that may be read; else the reason."""
    relative = name.replace("\\", "/").removeprefix("res://")
    if not relative or "\0" in relative or len(relative) > 4096:
        return None, "the name is none of a file"
    if _SCHEME.match(relative) or relative.startswith("/"):
        return None, "only files beside the effect are read"
    steps = [step for step in relative.split("/") if step not in ("", ".")]
    was_refused = False
    for folder in source.folders:
        root = folder.resolve()
        for first in range(len(steps)):
            place = root.joinpath(*steps[first:])
            try:
                found = place.resolve()
                if not found.is_relative_to(root):
                    was_refused = True
                elif found.is_file():
                    return found, ""
            except (OSError, RuntimeError, ValueError):
                continue
    return None, "it lies outside the effect's folder" if was_refused else "there is no such file"


def recolored(image: Image, array: np.ndarray) -> Image:
    """The image with other texels."""
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return replace(image, array=array, has_alpha=True)


def alpha_of_color(image: Image) -> Image:
    """White with the brightness as alpha: of textures that stand for their own alpha."""
    array = np.array(image.array)
    array[..., 3] = array[..., :3].max(axis=2)
    return recolored(image, array)


def drawn_image(rgba: np.ndarray) -> Image:
    """An image of (h, w, 4) floats in 0..1, sRGB-encoded."""
    array = np.ascontiguousarray(np.rint(np.clip(rgba, 0.0, 1.0) * 255).astype(np.uint8))
    array.setflags(write=False)
    return Image(array=array, color_space="srgb", bit_depth=8, premultiplied=False,
                 source_channels=4, has_alpha=True, file_format="png",
                 metadata={"color_space": "drawn"})  # fmt: skip


def grid_image(pictures: list[np.ndarray]) -> tuple[Image, tuple[int, int]]:
    """Pictures of any sizes, centred in the cells of an even grid, and its columns and rows."""
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    columns = max(1, round((len(pictures) * height / width) ** 0.5))
    rows = -(-len(pictures) // columns)
    sheet = np.zeros((rows * height, columns * width, 4), np.float64)
    for i, picture in enumerate(pictures):
        top = i // columns * height + (height - picture.shape[0]) // 2
        left = i % columns * width + (width - picture.shape[1]) // 2
        most = np.iinfo(picture.dtype).max
        sheet[top : top + picture.shape[0], left : left + picture.shape[1]] = picture / most
    return drawn_image(sheet), (columns, rows)


@lru_cache(maxsize=64)
def ring_image(
    hole: float, middle: float, rgba: tuple[float, ...], corners: int, angle: float
) -> Image:
    """A ring of even sides; the same one for the same numbers.

    hole: inner by outer radius; rgba: 12 numbers, the colours at its inner edge, `middle` of the
    way out, and outer; angle: degrees of it that there are, both ways from the top.
    """
    colors = np.array(rgba).reshape(3, 4)
    side = 4 * _RING
    steps = (np.arange(side) + 0.5) / side * 2 - 1
    x, y = np.meshgrid(steps, -steps)
    turn = np.mod(np.arctan2(x, y), 2 * np.pi)
    half = np.pi / corners
    edge = np.cos(half) / np.cos(np.mod(turn, 2 * half) - half)
    way = (np.hypot(x, y) / edge - hole) / max(1.0 - hole, 1e-6)
    places = [0.0, max(middle, 1e-6), max(1.0, middle + 1e-6)]
    found = np.stack([np.interp(way, places, column) for column in colors.T], axis=2)
    seen = np.minimum(turn, 2 * np.pi - turn) <= np.radians(min(max(angle, 0.0), 360.0)) / 2
    found[..., 3] *= (way >= 0.0) & (way <= 1.0) & seen
    cells = found.reshape(_RING, 4, _RING, 4, 4)
    alpha = cells[..., 3:].mean(axis=(1, 3))
    light = (cells[..., :3] * cells[..., 3:]).mean(axis=(1, 3)) / np.maximum(alpha, 1e-6)
    return drawn_image(np.concatenate([np.where(alpha > 0, light, colors[1, :3]), alpha], axis=2))
