# SPDX-License-Identifier: MIT
"""A KTX2 checker written from the KTX 2.0 specification, revision 4, and KDF 1.4.

It shares nothing with the package: every table here is its own. `violations` gives one line per
broken rule, so that a test can say which rule it expects to break.
"""

from __future__ import annotations

import math
import re
import struct
import zlib

import zstandard

IDENTIFIER = bytes.fromhex("AB4B5458203230BB0D0A1A0A")
U32_MAX = 0xFFFFFFFF


class Fmt:
    """What the specification says of one VkFormat."""

    def __init__(self, size, type_size, model, samples, srgb, sibling, block=1):
        self.size = size  # bytes of a texel or block
        self.type_size = type_size
        self.model = model
        self.samples = samples  # (bit offset, bit length, channel, sample upper)
        self.srgb = srgb
        self.sibling = sibling  # whether the format has an sRGB variant
        self.block = block


def _rgba(bits, letters):
    ids = {"R": 0, "G": 1, "B": 2, "A": 15}
    return [(bits * i, bits, ids[c], 2**bits - 1) for i, c in enumerate(letters)]


def _pair(unorm, srgb, *rest, **more):
    out = {unorm: Fmt(*rest, srgb=False, sibling=srgb is not None, **more)}
    if srgb is not None:
        out[srgb] = Fmt(*rest, srgb=True, sibling=True, **more)
    return out


FORMATS = {
    **_pair(9, 15, 1, 1, 1, _rgba(8, "R")),
    **_pair(16, 22, 2, 1, 1, _rgba(8, "RG")),
    **_pair(37, 43, 4, 1, 1, _rgba(8, "RGBA")),
    **_pair(91, None, 8, 2, 1, _rgba(16, "RGBA")),
    **_pair(133, 134, 8, 1, 128, [(0, 64, 1, U32_MAX)], block=4),
    **_pair(137, 138, 16, 1, 130, [(0, 64, 15, U32_MAX), (64, 64, 0, U32_MAX)], block=4),
    **_pair(139, None, 8, 1, 131, [(0, 64, 0, U32_MAX)], block=4),
    **_pair(141, None, 16, 1, 132, [(0, 64, 0, U32_MAX), (64, 64, 1, U32_MAX)], block=4),
    **_pair(145, 146, 16, 1, 134, [(0, 128, 0, U32_MAX)], block=4),
}

KNOWN_KTX_KEYS = {
    "KTXcubemapIncomplete", "KTXorientation", "KTXswizzle", "KTXwriter", "KTXwriterScParams",
    "KTXastcDecodeMode", "KTXanimData",
}  # fmt: skip
FORMAT_KEYS = {"KTXglFormat", "KTXdxgiFormat__", "KTXmetalPixelFormat"}


class _Checker:
    def __init__(self, data: bytes):
        self.data = data
        self.found: list[str] = []

    def want(self, rule: bool, text: str) -> bool:
        if not rule:
            self.found.append(text)
        return bool(rule)

    def run(self) -> list[str]:
        if not self.want(len(self.data) >= 80, "file shorter than header and index"):
            return self.found
        self.want(self.data[:12] == IDENTIFIER, "identifier")
        (self.vk, self.type_size, self.width, self.height, self.depth, self.layers, self.faces,
         self.level_count, self.scheme) = struct.unpack_from("<9I", self.data, 12)  # fmt: skip
        (self.dfd_at, self.dfd_size, self.kvd_at, self.kvd_size) = struct.unpack_from(
            "<4I", self.data, 48
        )
        self.sgd_at, self.sgd_size = struct.unpack_from("<2Q", self.data, 64)
        if not self.want(self.vk in FORMATS, f"vkFormat {self.vk}"):
            return self.found
        self.fmt = FORMATS[self.vk]
        if not self.header():
            return self.found
        self.levels = max(1, self.level_count)
        if not self.want(len(self.data) >= 80 + 24 * self.levels, "level index cut short"):
            return self.found
        self.index()
        self.descriptor()
        self.key_values()
        self.mip_levels()
        return self.found

    def header(self) -> bool:
        self.want(self.type_size == self.fmt.type_size, "typeSize")
        good = self.want(self.width > 0, "pixelWidth 0")
        if self.fmt.block > 1:
            good &= self.want(self.height > 0, "pixelHeight 0 with a block format")
            good &= self.want(self.level_count > 0, "levelCount 0 with a block format")
        good &= self.want(self.faces in (1, 6), "faceCount")
        if self.faces == 6:
            self.want(self.width == self.height and self.depth == 0, "cube map shape")
        self.want(not (self.depth and not self.height), "depth without height")
        longest = max(self.width, self.height, self.depth, 1)
        most = math.floor(math.log2(longest)) + 1
        good &= self.want(self.level_count <= most, "levelCount above the possible")
        good &= self.want(self.scheme in (0, 2, 3), "supercompressionScheme")
        return good

    def index(self) -> None:
        self.want(self.dfd_at == 80 + 24 * self.levels, "dfdByteOffset")
        self.want(self.dfd_size > 0 and self.dfd_size % 4 == 0, "dfdByteLength")
        self.after_dfd = self.dfd_at + self.dfd_size
        if self.kvd_size:
            self.want(self.kvd_at == self.after_dfd, "kvdByteOffset")
        else:
            self.want(self.kvd_at == 0, "kvdByteOffset without data")
        # Neither Zstandard nor ZLIB has global data.
        self.want(self.sgd_size == 0, "sgdByteLength")
        self.want(self.sgd_at == 0, "sgdByteOffset")

    def descriptor(self) -> None:
        block = self.data[self.dfd_at : self.after_dfd]
        if not self.want(len(block) >= 28, "data format descriptor cut short"):
            return
        total, vendor_and_type, version, block_size = struct.unpack_from("<IIHH", block)
        self.want(total == self.dfd_size, "dfdTotalSize")
        self.want(vendor_and_type == 0, "descriptor vendor or type")
        self.want(version == 2, "descriptor version")
        self.want(block_size == total - 4, "descriptor block size")
        count = (block_size - 24) // 16
        self.want(block_size == 24 + 16 * count, "descriptor block size is no sample count")
        model, primaries, self.transfer, flags = block[12:16]
        self.want(model == self.fmt.model, "colorModel")
        self.want(primaries <= 11, "colorPrimaries")
        self.want(flags in (0, 1), "descriptor flags")
        if self.fmt.srgb:
            self.want(self.transfer == 2, "transferFunction of an sRGB format")
        elif self.fmt.sibling:
            self.want(self.transfer == 1, "transferFunction of a unorm format with an sRGB variant")
        else:
            self.want(self.transfer in (1, 2), "transferFunction")
        edge = self.fmt.block - 1
        self.want(tuple(block[16:20]) == (edge, edge, 0, 0), "texelBlockDimension")
        # Revision 4: kept under supercompression.
        self.want(tuple(block[20:28]) == (self.fmt.size, 0, 0, 0, 0, 0, 0, 0), "bytesPlane")
        self.want(count == len(self.fmt.samples), "sample count")
        if len(block) >= 28 + 16 * len(self.fmt.samples):
            for number, sample in enumerate(self.fmt.samples):
                self.sample(number, block[28 + 16 * number : 44 + 16 * number], sample)

    def sample(self, number: int, data: bytes, expected: tuple) -> None:
        offset, length, kind, *positions = struct.unpack_from("<HBB4B", data)
        lower, upper = struct.unpack_from("<II", data, 8)
        name = f"sample {number}"
        self.want(offset == expected[0], f"{name} bitOffset")
        self.want(length + 1 == expected[1], f"{name} bitLength")
        self.want(kind & 15 == expected[2], f"{name} channelType")
        alpha = expected[2] == 15
        linear = 1 if alpha and self.transfer == 2 else 0
        # A linear qualifier beside a linear transfer function says nothing twice: not written.
        self.want(kind >> 4 == linear, f"{name} qualifiers")
        self.want(positions == [0, 0, 0, 0], f"{name} samplePosition")
        self.want(lower == 0, f"{name} sampleLower")
        self.want(upper == expected[3], f"{name} sampleUpper")

    def key_values(self) -> None:
        block = self.data[self.kvd_at : self.kvd_at + self.kvd_size]
        self.want(len(block) == self.kvd_size, "key/value data cut short")
        self.want(self.kvd_size % 4 == 0, "kvdByteLength")
        keys: list[str] = []
        at = 0
        while at + 4 <= len(block):
            size = struct.unpack_from("<I", block, at)[0]
            pair = block[at + 4 : at + 4 + size]
            padding = block[at + 4 + size : at + 4 + size + -size % 4]
            whole = len(pair) == size and len(padding) == -size % 4
            if not self.want(size >= 2 and whole, "keyAndValueByteLength"):
                return
            self.want(not any(padding), "valuePadding")
            key, nul, value = pair.partition(b"\0")
            self.want(nul == b"\0" and key != b"", "key without NUL")
            try:
                keys.append(key.decode("utf-8"))
                self.want(not key.startswith(b"\xef\xbb\xbf"), "key with a byte order mark")
                self.pair(keys[-1], value)
            except UnicodeDecodeError:
                self.want(False, "key is no UTF-8")
            at += 4 + size + -size % 4
        self.want(at == len(block), "key/value sum")
        points = [[ord(letter) for letter in key] for key in keys]
        self.want(points == sorted(points), "keys not sorted")
        self.want(len(set(keys)) == len(keys), "key twice")

    def pair(self, key: str, value: bytes) -> None:
        if key[:3] in ("KTX", "ktx"):
            self.want(key in KNOWN_KTX_KEYS, f"reserved key {key}")
        self.want(key not in FORMAT_KEYS, "format mapping beside a vkFormat")
        if key == "KTXorientation":
            axes = rb"[rl]" + rb"[du]" * (self.height > 0) + rb"[oi]" * (self.depth > 0)
            self.want(re.fullmatch(axes + rb"\0", value), "KTXorientation")
        if key == "KTXswizzle":
            self.want(re.fullmatch(rb"[rgba01]{4}\0", value), "KTXswizzle")
        if key in ("KTXwriter", "KTXwriterScParams"):
            self.want(value.endswith(b"\0") and b"\0" not in value[:-1], key)

    def mip_levels(self) -> None:
        align = math.lcm(self.fmt.size, 4) if self.scheme == 0 else 1
        at = self.kvd_at + self.kvd_size if self.kvd_size else self.after_dfd
        for level in range(self.levels - 1, -1, -1):
            offset, size, plain = struct.unpack_from("<3Q", self.data, 80 + 24 * level)
            name = f"level {level}"
            expected = at + -at % align
            self.want(offset % align == 0, f"{name} alignment")
            if not self.want(offset == expected, f"{name} byteOffset"):
                return
            self.want(not any(self.data[at:offset]), f"{name} mipPadding")
            self.want(plain == self.level_size(level), f"{name} uncompressedByteLength")
            self.want(plain % (self.faces * max(1, self.layers)) == 0, f"{name} does not divide")
            stored = self.data[offset : offset + size]
            self.want(len(stored) == size, f"{name} lies past the end")
            if self.scheme == 0:
                self.want(size == plain, f"{name} byteLength")
            else:
                self.inflate(name, stored, plain)
            at = offset + size
        self.want(at == len(self.data), "bytes after the last level")

    def level_size(self, level: int) -> int:
        across = math.ceil(max(1, self.width >> level) / self.fmt.block)
        down = math.ceil(max(1, self.height >> level) / self.fmt.block)
        deep = max(1, self.depth >> level)
        return across * down * deep * self.fmt.size * max(1, self.layers) * self.faces

    def inflate(self, name: str, stored: bytes, plain: int) -> None:
        try:
            if self.scheme == 2:
                engine = zstandard.ZstdDecompressor().decompressobj()
                size = len(engine.decompress(stored))
                rest = engine.unused_data
            else:
                zlib_engine = zlib.decompressobj()
                size = len(zlib_engine.decompress(stored))
                rest = zlib_engine.unused_data
        except (zstandard.ZstdError, zlib.error):
            self.want(False, f"{name} does not inflate")
            return
        self.want(size == plain, f"{name} inflates to another size")
        self.want(not rest, f"{name} holds more than one frame")


def violations(data: bytes) -> list[str]:
    """Every broken rule of a KTX2 file, in words; empty when there is none."""
    return _Checker(data).run()
