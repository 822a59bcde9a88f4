# SPDX-License-Identifier: MIT
"""Files: images, textures with mip levels, block compression.

Everything here is Python and NumPy over OpenImageIO, zstandard and, for encoding blocks, etcpak.
No part of it needs a device.
"""

from .chain import EncodedChain, encode_levels
from .dds import write_dds
from .files import atomic_file, atomic_path
from .formats import FORMATS, WRITABLE, Format, writable_format
from .image import Image, read_image, unpremultiply, write_image
from .ktx2 import read_ktx2_metadata, write_ktx2
from .png import encode_png
from .texture import Texture, read_texture

__all__ = [
    "FORMATS",
    "WRITABLE",
    "EncodedChain",
    "Format",
    "Image",
    "Texture",
    "atomic_file",
    "atomic_path",
    "encode_levels",
    "encode_png",
    "read_image",
    "read_ktx2_metadata",
    "read_texture",
    "unpremultiply",
    "writable_format",
    "write_dds",
    "write_image",
    "write_ktx2",
]
