# SPDX-License-Identifier: MIT
"""The one table of pixel formats: what DDS and KTX2 call them and how their bytes lie.

A row serves both directions. `writable` rows are offered by `write_dds` and `write_ktx2`; the
others are only read. Channel orders are spelled as in memory, lowest address first; `x` is a
byte that holds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

# Colour models of the Khronos Data Format specification 1.4, sections 5.5 and 5.6.
MODEL_RGBSDA = 1
MODEL_BC1A = 128
MODEL_BC2 = 129
MODEL_BC3 = 130
MODEL_BC4 = 131
MODEL_BC5 = 132
MODEL_BC7 = 134

CHANNEL_ALPHA = 15

# Largest edge and payload that a reader accepts. 65536 is four times the largest edge any GPU
# takes; 8 GiB holds the 16-bit chain of a 16384 x 16384 image more than twice.
MAX_EDGE = 65536
MAX_BYTES = 1 << 33


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample of a data format descriptor; offsets and lengths in bits within a block."""

    channel: int
    bit_offset: int
    bit_length: int
    upper: int


@dataclass(frozen=True, slots=True)
class Format:
    """One pixel format.

    Attributes
    ----------
    name : str
        The word users give and get.
    storage : str
        "u8", "u16", "f16", "f32" per channel, or "block" for 4 x 4 block compression.
    channels : str
        Channels in memory order, letters of "rgbax"; for blocks the channels that are kept.
    block_bytes : int
        Bytes per texel, or per 4 x 4 block.
    vk_unorm, vk_srgb, dxgi_unorm, dxgi_srgb : int or None
        VkFormat and DXGI_FORMAT values. A float format stands in the unorm column.
    model : int
        Colour model of the data format descriptor.
    samples : tuple of Sample
        Samples of the data format descriptor.
    writable : bool
        Whether the writers offer the format.
    """

    name: str
    storage: str
    channels: str
    block_bytes: int
    vk_unorm: int | None
    vk_srgb: int | None
    dxgi_unorm: int | None
    dxgi_srgb: int | None
    model: int
    samples: tuple[Sample, ...]
    writable: bool = False

    @property
    def compressed(self) -> bool:
        return self.storage == "block"

    @property
    def block_edge(self) -> int:
        """Texels along one edge of a block: 4 when compressed, else 1."""
        return 4 if self.compressed else 1

    @property
    def type_size(self) -> int:
        """KTX2 typeSize: bytes of one component, 1 for block formats."""
        return {"u8": 1, "u16": 2, "f16": 2, "f32": 4, "block": 1}[self.storage]

    @property
    def has_alpha(self) -> bool:
        return "a" in self.channels

    def blocks(self, width: int, height: int) -> tuple[int, int]:
        """Blocks across and down; a level smaller than a block still takes a whole one."""
        edge = self.block_edge
        return max(1, -(-width // edge)), max(1, -(-height // edge))

    def size_bytes(self, width: int, height: int) -> int:
        """Bytes of one image of `width` x `height` texels."""
        across, down = self.blocks(width, height)
        return across * down * self.block_bytes

    def pitch_bytes(self, width: int) -> int:
        """Bytes of one row of texels, or of one row of blocks."""
        return self.blocks(width, 1)[0] * self.block_bytes


_CHANNEL_IDS = {"r": 0, "g": 1, "b": 2, "a": CHANNEL_ALPHA}


def _plain_samples(channels: str, bits: int) -> tuple[Sample, ...]:
    upper = (1 << bits) - 1
    return tuple(
        Sample(_CHANNEL_IDS[letter], place * bits, bits, upper)
        for place, letter in enumerate(channels)
        if letter != "x"
    )


_Pair = tuple[int | None, int | None]  # of one API: unorm, sRGB


def _plain(name: str, channels: str, vk: _Pair, dxgi: _Pair, bits: int = 8, *,
           storage: str = "", writable: bool = False) -> Format:  # fmt: skip
    size = len(channels) * bits // 8
    return Format(name, storage or f"u{bits}", channels, size, vk[0], vk[1], dxgi[0], dxgi[1],
                  MODEL_RGBSDA, _plain_samples(channels, bits), writable)  # fmt: skip


def _block(name: str, channels: str, size: int, vk: _Pair, dxgi: _Pair, model: int,
           samples: tuple[tuple[int, ...], ...], *, writable: bool = False) -> Format:  # fmt: skip
    rows = tuple(Sample(channel, offset, bits, 0xFFFFFFFF) for channel, offset, bits in samples)
    return Format(name, "block", channels, size, vk[0], vk[1], dxgi[0], dxgi[1], model, rows,
                  writable)  # fmt: skip


_NONE = (None, None)

# BC1A channel 1 says that the block may hold transparent texels; channel 0 that it may not.
FORMATS: tuple[Format, ...] = (
    _plain("rgba8", "rgba", (37, 43), (28, 29), writable=True),
    _plain("r8", "r", (9, 15), (61, None), writable=True),
    _plain("rg8", "rg", (16, 22), (49, None), writable=True),
    _plain("rgba16", "rgba", (91, None), (11, None), 16, writable=True),
    _block("bc1", "rgba", 8, (133, 134), (71, 72), MODEL_BC1A, ((1, 0, 64),), writable=True),
    _block("bc3", "rgba", 16, (137, 138), (77, 78), MODEL_BC3,
           ((CHANNEL_ALPHA, 0, 64), (0, 64, 64)), writable=True),
    _block("bc4", "r", 8, (139, None), (80, None), MODEL_BC4, ((0, 0, 64),), writable=True),
    _block("bc5", "rg", 16, (141, None), (83, None), MODEL_BC5, ((0, 0, 64), (1, 64, 64)),
           writable=True),
    _block("bc7", "rgba", 16, (145, 146), (98, 99), MODEL_BC7, ((0, 0, 128),), writable=True),
    _block("bc1rgb", "rgb", 8, (131, 132), _NONE, MODEL_BC1A, ((0, 0, 64),)),
    _block("bc2", "rgba", 16, (135, 136), (74, 75), MODEL_BC2,
           ((CHANNEL_ALPHA, 0, 64), (0, 64, 64))),
    _plain("rgb8", "rgb", (23, 29), _NONE),
    _plain("bgr8", "bgr", (30, 36), _NONE),
    _plain("bgra8", "bgra", (44, 50), (87, 91)),
    _plain("bgrx8", "bgrx", _NONE, (88, 93)),
    _plain("a8", "a", _NONE, (65, None)),
    _plain("r16", "r", (70, None), (56, None), 16),
    _plain("rg16", "rg", (77, None), (35, None), 16),
    _plain("rgb16", "rgb", (84, None), _NONE, 16),
    _plain("r16f", "r", (76, None), (54, None), 16, storage="f16"),
    _plain("rg16f", "rg", (83, None), (34, None), 16, storage="f16"),
    _plain("rgba16f", "rgba", (97, None), (10, None), 16, storage="f16"),
    _plain("r32f", "r", (100, None), (41, None), 32, storage="f32"),
    _plain("rg32f", "rg", (103, None), (16, None), 32, storage="f32"),
    _plain("rgba32f", "rgba", (109, None), (2, None), 32, storage="f32"),
)

BY_NAME = {row.name: row for row in FORMATS}
WRITABLE = tuple(row.name for row in FORMATS if row.writable)


def _index(unorm: str, srgb: str) -> dict[int, tuple[Format, str]]:
    found: dict[int, tuple[Format, str]] = {}
    for row in FORMATS:
        if getattr(row, unorm) is not None:
            found[getattr(row, unorm)] = (row, "linear")
        if getattr(row, srgb) is not None:
            found[getattr(row, srgb)] = (row, "srgb")
    return found


BY_VK = _index("vk_unorm", "vk_srgb")
BY_DXGI = _index("dxgi_unorm", "dxgi_srgb")


def writable_format(name: str) -> Format:
    """The row of a format that can be written; ValueError that lists them otherwise."""
    row = BY_NAME.get(name) if isinstance(name, str) else None
    if row is None or not row.writable:
        raise ValueError(f"format must be one of {', '.join(WRITABLE)}, got {name!r}")
    return row


def mip_size(width: int, height: int, level: int) -> tuple[int, int]:
    """Width and height of a mip level: halved and rounded down, never below 1."""
    return max(1, width >> level), max(1, height >> level)


def full_levels(width: int, height: int) -> int:
    """Levels of a whole chain, down to 1 x 1."""
    return max(width, height).bit_length()
