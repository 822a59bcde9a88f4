# SPDX-License-Identifier: MIT
"""Textures with their mip levels: the common shape of DDS, KTX2 and PNG chains."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import FormatError
from .files import as_path, read_bytes
from .formats import full_levels, mip_size

_MIP_NAME = re.compile(r"^(?P<stem>.*)_mip(?P<level>\d+)$")


@dataclass(frozen=True)
class Texture:
    """A texture read from a file.

    Attributes
    ----------
    levels : tuple of array
        Level 0 first: (h, w, 4) uint8 or uint16, channels as a GPU samples them (absent colours
        0, absent alpha 1; luminance repeated). Array textures and cube maps: (layers * faces, h,
        w, 4), layer by layer, faces in the order +X -X +Y -Y +Z -Z. float32 for float formats.
    format : str
        Name in `formats.FORMATS`; for legacy DDS masks their description, such as "R5G5B5".
    color_space : str
        "srgb" or "linear". Legacy DDS and float files do not say; then 8- and 16-bit ones count
        as sRGB and float ones as linear, and `metadata["color_space"]` is "assumed".
    alpha_mode : str
        "straight", "premultiplied", "opaque", "custom" or "unknown".
    layers : int
        Array layers; 0 when the texture is no array.
    faces : int
        6 for a cube map, else 1.
    metadata : dict
        KTX2 key/values (str where they are text, else bytes), and what the reader had to assume.
    source_format : str
        The format in the words of the container.
    """

    levels: tuple[np.ndarray, ...]
    format: str
    color_space: str
    alpha_mode: str
    layers: int = 0
    faces: int = 1
    metadata: dict[str, str | bytes] = field(default_factory=dict)
    source_format: str = ""

    @property
    def width(self) -> int:
        return self.levels[0].shape[-2]

    @property
    def height(self) -> int:
        return self.levels[0].shape[-3]

    @property
    def complete(self) -> bool:
        """Whether the chain goes down to 1 x 1."""
        return len(self.levels) == full_levels(self.width, self.height)

    @property
    def premultiplied(self) -> bool:
        return self.alpha_mode == "premultiplied"


def read_texture(path: str | os.PathLike[str]) -> Texture:
    """Reads a texture with all its mip levels.

    Parameters
    ----------
    path : path
        A KTX2 or DDS file, told apart by content, or one PNG of a chain named `stem_mip0.png`,
        `stem_mip1.png`, and so on. Any other image is a chain of one level.

    Returns
    -------
    Texture
        Chains may stop before 1 x 1; `complete` tells.

    Raises
    ------
    FileNotFoundError
        No such file.
    FormatError
        Wrong signature, a level count the size does not allow, a payload cut short, an incomplete
        cube map, a format that is not read; with path, numbers and reason.
    """
    from .dds import MAGIC as DDS_MAGIC
    from .dds import read_dds
    from .ktx2 import MAGIC as KTX2_MAGIC
    from .ktx2 import read_ktx2

    place = as_path(path)
    data = read_bytes(place)
    suffix = place.suffix.lower()
    if bytes(data[:12]) == KTX2_MAGIC or suffix == ".ktx2":
        return read_ktx2(data, place)
    if bytes(data[:4]) == DDS_MAGIC or suffix == ".dds":
        return read_dds(data, place)
    return _read_png_chain(place)


def _read_png_chain(path: Path) -> Texture:
    from .image import read_image

    name = _MIP_NAME.match(path.stem)
    paths = [path]
    if name:
        paths = []
        while (each := path.with_name(f"{name['stem']}_mip{len(paths)}{path.suffix}")).exists():
            paths.append(each)
        if not paths:
            raise FormatError(f"{path}: the chain has no {name['stem']}_mip0{path.suffix}")
    images = [read_image(each) for each in paths]
    height, width = images[0].array.shape[:2]
    if len(images) > full_levels(width, height):
        raise FormatError(
            f"{path}: {len(images)} levels, but {width} x {height} has at most "
            f"{full_levels(width, height)}"
        )
    for level, (each, image) in enumerate(zip(paths, images, strict=True)):
        want = mip_size(width, height, level)
        found = image.array.shape[1::-1]
        if found != want:
            raise FormatError(
                f"{each}: level {level} is {found[0]} x {found[1]}, "
                f"but a chain from {width} x {height} has {want[0]} x {want[1]} there"
            )
        first = images[0]
        if (image.array.dtype, image.color_space) != (first.array.dtype, first.color_space):
            raise FormatError(
                f"{each}: level {level} differs from level 0 in depth or colour space"
            )
    first = images[0]
    return Texture(
        levels=tuple(image.array for image in images),
        format="rgba16" if first.array.dtype == np.uint16 else "rgba8",
        color_space=first.color_space,
        alpha_mode="straight" if first.has_alpha else "opaque",
        metadata=dict(first.metadata),
        source_format=f"{first.file_format} chain",
    )


def _widen(value: np.ndarray, mask: int) -> np.ndarray:
    """Field of a mask to 0..255, rounded to nearest; masks of more than 8 bits are narrowed."""
    shift = (mask & -mask).bit_length() - 1
    top = mask >> shift
    found = (value & np.uint32(mask)) >> np.uint32(shift)
    if top == 255:
        return found.astype(np.uint8)
    return ((found.astype(np.uint64) * 510 + top) // (2 * top)).astype(np.uint8)


def expand_masked(
    data: memoryview, width: int, height: int, *, bits: int, masks: tuple[int, ...], luminance: bool
) -> np.ndarray:
    """Texels of `bits` bits, with a mask per channel, to (h, w, 4) uint8."""
    raw = np.frombuffer(data, np.uint8).reshape(height, width, bits // 8)
    value = np.zeros((height, width), np.uint32)
    for place in range(bits // 8):
        value |= raw[..., place].astype(np.uint32) << np.uint32(8 * place)
    image = np.zeros((height, width, 4), np.uint8)
    image[..., 3] = 255
    for channel, mask in enumerate(masks):
        if mask and not (luminance and channel in (1, 2)):
            image[..., channel] = _widen(value, mask)
    if luminance:
        image[..., 1] = image[..., 2] = image[..., 0]
    return image
