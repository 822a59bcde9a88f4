# SPDX-License-Identifier: MIT
"""What a surface looks like: colours, textures with their levels, and how alpha is taken."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from .checks import check_count

__all__ = ["ALPHA_MODES", "WRAPS", "Material", "MaterialTexture"]

ALPHA_MODES = ("opaque", "mask", "blend")
WRAPS = ("repeat", "clamp", "mirror")
_COLOR_SPACES = ("srgb", "linear")


def _check_word(value: Any, name: str, words: tuple[str, ...]) -> str:
    if value not in words:
        raise ValueError(f"{name} must be one of {', '.join(words)}, got {value!r}")
    return str(value)


def _float_of(value: Any) -> float:
    """NaN of what is no number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _check_number(value: Any, name: str, low: float, high: float = math.inf) -> float:
    number = _float_of(value)
    if not (math.isfinite(number) and low <= number <= high):
        wanted = f"{low:g} or more" if high == math.inf else f"in [{low:g}, {high:g}]"
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return number


def _check_color(value: Any, name: str, count: int) -> tuple[float, ...]:
    try:
        numbers = tuple(_float_of(part) for part in value)
    except TypeError:
        raise ValueError(f"{name} must have {count} numbers, got {value!r}") from None
    if len(numbers) != count:
        raise ValueError(f"{name} must have {count} numbers, got {len(numbers)}")
    if not all(math.isfinite(part) and part >= 0.0 for part in numbers):
        raise ValueError(f"{name} must be finite and 0 or more, got {numbers}")
    return numbers


def _kept(array: Any, name: str, channels: tuple[int, ...]) -> np.ndarray:
    """A uint8 image that nobody changes behind the texture's back."""
    array = np.asarray(array)
    if array.dtype != np.uint8 or array.ndim != 2 + len(channels) or array.shape[2:] != channels:
        shape = ", ".join(map(str, ("h", "w", *channels)))
        raise ValueError(f"{name} must be ({shape}) uint8, got {array.shape} {array.dtype}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: shape {array.shape}")
    if array.flags.writeable or not array.flags.c_contiguous:
        array = array.copy()
        array.setflags(write=False)
    return array


def _check_chain(levels: tuple[np.ndarray, ...], name: str) -> None:
    for i in range(1, len(levels)):
        before, after = levels[i - 1].shape[:2], levels[i].shape[:2]
        wanted = (max(1, before[0] >> 1), max(1, before[1] >> 1))
        if after != wanted:
            raise ValueError(
                f"{name}[{i}] must be {wanted} after a level of {before}, got {after}; give a "
                "chain in which each level halves the one before, or level 0 alone"
            )


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MaterialTexture:
    """An image of a material, with the levels it is drawn by.

    Parameters
    ----------
    levels : tuple of (h, w, 4) uint8
        Straight alpha, level 0 first, each half of the one before, rounded down. Of a lone level
        the renderer bakes the others.
    alpha_to_coverage : tuple of (h, w) uint8, optional
        Averaged alpha per level, for alpha to coverage and dithered tests; None: that of `levels`.
    color_space : {"srgb", "linear"}
        How the colours are encoded. Normal maps are linear.
    wrap : {"repeat", "clamp", "mirror"}
        Addressing outside [0, 1], on both axes.
    name : str
    mipmaps : bool
        False: a lone level is used at any distance, as it is; it flickers.

    Raises
    ------
    ValueError
        An argument of the wrong shape or kind, with what was wanted and what came.
    """

    levels: tuple[np.ndarray, ...]
    alpha_to_coverage: tuple[np.ndarray, ...] | None = None
    color_space: str = "srgb"
    wrap: str = "repeat"
    name: str = ""
    mipmaps: bool = True

    def __post_init__(self) -> None:
        levels = tuple(_kept(one, f"levels[{i}]", (4,)) for i, one in enumerate(self.levels))
        if not levels:
            raise ValueError("levels is empty; give at least level 0")
        _check_chain(levels, "levels")
        object.__setattr__(self, "levels", levels)
        _check_word(self.color_space, "color_space", _COLOR_SPACES)
        _check_word(self.wrap, "wrap", WRAPS)
        if self.alpha_to_coverage is not None:
            alpha = tuple(
                _kept(one, f"alpha_to_coverage[{i}]", ())
                for i, one in enumerate(self.alpha_to_coverage)
            )
            if [one.shape for one in alpha] != [one.shape[:2] for one in levels]:
                raise ValueError(
                    "alpha_to_coverage must have the sizes of levels: "
                    f"{[one.shape[:2] for one in levels]}, got {[one.shape for one in alpha]}"
                )
            object.__setattr__(self, "alpha_to_coverage", alpha)

    @classmethod
    def from_image(
        cls,
        image: Any,
        *,
        color_space: str | None = None,
        wrap: str = "repeat",
        name: str | None = None,
    ) -> MaterialTexture:
        """A texture of one level.

        Parameters
        ----------
        image : (h, w, 4), (h, w, 3) or (h, w) array, Image, or path
            uint8, uint16 or floats in [0, 1]; brought to uint8 with rounding. Absent alpha is
            opaque.
        color_space : {"srgb", "linear"}, optional
            None: as the Image or file says, "srgb" for arrays.
        wrap : {"repeat", "clamp", "mirror"}
        name : str, optional
            None: the name of the file.

        Returns
        -------
        MaterialTexture
        """
        from .io import Image, read_image

        if isinstance(image, (str, os.PathLike)):
            name = os.path.basename(os.fspath(image)) if name is None else name
            image = read_image(image)
        if isinstance(image, Image):
            color_space = image.color_space if color_space is None else color_space
            image = image.array
        level = _to_rgba8(image)
        return cls((level,), color_space=color_space or "srgb", wrap=wrap, name=name or "")

    @classmethod
    def from_atlas(cls, atlas: Any, *, wrap: str = "clamp", name: str = "") -> MaterialTexture:
        """The levels of a `BakedAtlas`, with both kinds of alpha.

        Parameters
        ----------
        atlas : BakedAtlas
        wrap : {"repeat", "clamp", "mirror"}
        name : str

        Returns
        -------
        MaterialTexture
        """
        return cls(
            tuple(atlas.levels),
            alpha_to_coverage=tuple(atlas.alpha_to_coverage),
            color_space=atlas.settings.color_space,
            wrap=wrap,
            name=name,
        )

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width) of level 0."""
        height, width = self.levels[0].shape[:2]
        return height, width

    def __repr__(self) -> str:
        height, width = self.shape
        name = f" {self.name!r}" if self.name else ""
        return (
            f"<MaterialTexture{name} {width}x{height}, {len(self.levels)} levels, "
            f"{self.color_space}, {self.wrap}>"
        )

    def _repr_png_(self) -> bytes:
        from .io import encode_png

        level = next((one for one in self.levels if max(one.shape[:2]) <= 1024), self.levels[-1])
        return encode_png(level)


def _to_rgba8(image: Any) -> np.ndarray:
    from .sources import as_codes

    array = np.asarray(image)
    array = as_codes(array, "image", 2 if array.ndim == 2 else 3)
    if array.dtype.itemsize == 2:
        array = ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if array.ndim == 2:
        array = np.repeat(array[..., None], 3, axis=2)
    if array.shape[2] not in (3, 4):
        raise ValueError(f"image must have 3 or 4 channels, got shape {array.shape}")
    level = np.full((*array.shape[:2], 4), 255, np.uint8)
    level[..., : array.shape[2]] = array
    level.setflags(write=False)
    return level


@dataclasses.dataclass(frozen=True, eq=False)
class Material:
    """How a surface takes light. Colours are linear; the names follow glTF 2.0.

    Parameters
    ----------
    name : str
    base_color : 4 floats
        Multiplies the texture and the vertex colours; the fourth is alpha, 0 to 1.
    base_color_texture, normal_texture : MaterialTexture, optional
        The normal map is in tangent space, y up, and linear.
    normal_scale : float
        Multiplies x and y of the normal map.
    metallic, roughness : float
        0 to 1.
    emissive : 3 floats
        Light given off, 0 or more.
    alpha_mode : {"opaque", "mask", "blend"}
        "mask" draws where alpha >= `alpha_cutoff`.
    alpha_cutoff : float
        Inside (0, 1).
    double_sided : bool
        The back is drawn too, with its normal turned.
    unlit : bool
        Drawn in its own colour, without light or shadow.
    translucency : float
        0 to 1: how much light from behind a leaf lets through. Above 0 the surface is foliage: its
        normals stay as they are on its back, and without a normal map its light is found at its
        vertices.
    wind : float, optional
        0 to 1: how far the surface sways. None: "mask" materials sway as the forest says, others
        do not.
    imposter_views : int
        Above 0: a card that turns to the camera; its texture holds that many views side by side.

    Raises
    ------
    ValueError
        A number out of its range, with the range.
    """

    name: str = ""
    base_color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    base_color_texture: MaterialTexture | None = None
    normal_texture: MaterialTexture | None = None
    normal_scale: float = 1.0
    metallic: float = 0.0
    roughness: float = 0.9
    emissive: tuple[float, ...] = (0.0, 0.0, 0.0)
    alpha_mode: str = "opaque"
    alpha_cutoff: float = 0.5
    double_sided: bool = False
    unlit: bool = False
    translucency: float = 0.0
    wind: float | None = None
    imposter_views: int = 0

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        put("base_color", _check_color(self.base_color, "base_color", 4))
        _check_number(self.base_color[3], "base_color[3], alpha,", 0.0, 1.0)
        put("emissive", _check_color(self.emissive, "emissive", 3))
        put("normal_scale", _check_number(self.normal_scale, "normal_scale", -1e6, 1e6))
        for name in ("metallic", "roughness", "translucency"):
            put(name, _check_number(getattr(self, name), name, 0.0, 1.0))
        if self.wind is not None:
            put("wind", _check_number(self.wind, "wind", 0.0, 1.0))
        _check_word(self.alpha_mode, "alpha_mode", ALPHA_MODES)
        given = self.alpha_cutoff
        put("alpha_cutoff", _float_of(given))
        if not 0.0 < self.alpha_cutoff < 1.0:
            raise ValueError(
                f"alpha_cutoff must lie inside (0, 1), got {given!r}; to draw all of it "
                'use alpha_mode="opaque"'
            )
        self._check_textures()
        put("imposter_views", check_count(self.imposter_views, "imposter_views", 0))
        if self.imposter_views and self.base_color_texture is None:
            raise ValueError("imposter_views needs a base_color_texture that holds the views")

    def _check_textures(self) -> None:
        for name in ("base_color_texture", "normal_texture"):
            texture = getattr(self, name)
            if texture is not None and not isinstance(texture, MaterialTexture):
                raise TypeError(
                    f"{name} must be a MaterialTexture, got {type(texture).__name__}; "
                    "MaterialTexture.from_image takes arrays and paths"
                )

    def replace(self, **changes: Any) -> Material:
        """This material with some of its fields changed."""
        return dataclasses.replace(self, **changes)

    def __repr__(self) -> str:
        default = Material.__dataclass_fields__
        parts: Iterable[str] = (
            f"{name}={getattr(self, name)!r}"
            for name in default
            if getattr(self, name) != default[name].default
        )
        return f"Material({', '.join(parts)})"
