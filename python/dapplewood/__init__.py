# SPDX-License-Identifier: MIT
"""Bakes, simulates, refits, renders and measures game foliage and stylised worlds.

Work runs on any Vulkan device and on none: ``Device("cpu")`` needs no driver. Everything takes and
returns NumPy arrays.
"""

from . import baseline, samples
from ._core import __version__
from .atlas import BakedArray, BakedAtlas, bake_atlas, measure_coverage
from .atlas_report import AtlasReport
from .contact_sheet import contact_sheet
from .device import Buffer, Device, DeviceInfo, default_device, devices
from .errors import (
    Cancelled,
    CapacityError,
    DeviceLost,
    DeviceNotFound,
    Error,
    ForkedDeviceError,
    FormatError,
)
from .io import Image, Texture, read_image, read_texture
from .kinds import ColorSpace, CoverageMode, FillMode, MipFilter
from .tiles import LevelCaps, TileGrid, TileRects

__all__ = [
    "AtlasReport",
    "BakedArray",
    "BakedAtlas",
    "Buffer",
    "Cancelled",
    "CapacityError",
    "ColorSpace",
    "CoverageMode",
    "Device",
    "DeviceInfo",
    "DeviceLost",
    "DeviceNotFound",
    "Error",
    "FillMode",
    "ForkedDeviceError",
    "FormatError",
    "Image",
    "LevelCaps",
    "MipFilter",
    "Texture",
    "TileGrid",
    "TileRects",
    "__version__",
    "bake_atlas",
    "baseline",
    "contact_sheet",
    "default_device",
    "devices",
    "measure_coverage",
    "read_image",
    "read_texture",
    "samples",
]
