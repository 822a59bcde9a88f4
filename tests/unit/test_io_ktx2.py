# SPDX-License-Identifier: MIT
"""KTX2: held by a checker that knows only the specification, and read back."""

from __future__ import annotations

import enum
import itertools
import struct
import threading

import numpy as np
import pytest
from helpers_ktx2 import violations

from dapplewood.errors import FormatError
from dapplewood.io import (
    WRITABLE,
    encode_levels,
    read_ktx2_metadata,
    read_texture,
    write_dds,
    write_image,
    write_ktx2,
)

SIZES = [(16, 16), (13, 7), (1, 9), (5, 1), (1, 1)]
BLOCKS = {"bc1", "bc3", "bc4", "bc5", "bc7"}


def make_levels(width, height, *, layers=0, dtype=np.uint8, seed=1, count=99):
    """Random levels, alpha included, down to 1 x 1 or to `count`."""
    random = np.random.default_rng(seed)
    lead = (layers,) if layers else ()
    levels = []
    while len(levels) < count:
        shape = (*lead, height, width, 4)
        levels.append(random.integers(0, np.iinfo(dtype).max + 1, shape, dtype=dtype))
        if width == height == 1:
            break
        width, height = max(1, width // 2), max(1, height // 2)
    return levels


def needs_etcpak(name):
    if name in BLOCKS:
        pytest.importorskip("etcpak")


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("color_space", ["srgb", "linear"])
@pytest.mark.parametrize("supercompress", [False, True])
def test_keeps_every_rule(tmp_path, name, color_space, supercompress):
    needs_etcpak(name)
    path = tmp_path / "a.ktx2"
    for (width, height), premultiplied in itertools.product(SIZES, (False, True)):
        write_ktx2(
            path, make_levels(width, height), format=name, color_space=color_space,
            premultiplied=premultiplied, supercompress=supercompress,
            metadata={"zebra": "z", "Ümlaut": b"\1\2\3", "app:key": "text"},
        )  # fmt: skip
        assert violations(path.read_bytes()) == []
        texture = read_texture(path)
        assert texture.format == name
        assert texture.color_space == color_space
        if name not in ("r8", "rg8", "bc4", "bc5"):
            assert texture.alpha_mode == ("premultiplied" if premultiplied else "straight")
        assert texture.complete
        assert texture.metadata["app:key"] == "text"
        assert texture.metadata["Ümlaut"] == b"\1\2\3"
        assert texture.metadata["KTXorientation"] == "rd"


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("supercompress", [False, True])
def test_array_textures_keep_every_rule(tmp_path, name, supercompress):
    needs_etcpak(name)
    levels = make_levels(12, 20, layers=3)
    path = tmp_path / "a.ktx2"
    write_ktx2(path, levels, format=name, layers=3, supercompress=supercompress)
    assert violations(path.read_bytes()) == []
    texture = read_texture(path)
    assert texture.layers == 3
    expected = encode_levels(levels, format=name).decode()
    for level, want in zip(texture.levels, expected, strict=True):
        np.testing.assert_array_equal(level, want)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("supercompress", [False, True])
def test_rgba_levels_come_back_bit_for_bit(tmp_path, dtype, supercompress):
    levels = make_levels(31, 18, dtype=dtype)
    path = tmp_path / "a.ktx2"
    name = "rgba8" if dtype == np.uint8 else "rgba16"
    write_ktx2(path, levels, format=name, supercompress=supercompress)
    for level, want in zip(read_texture(path).levels, levels, strict=True):
        assert level.dtype == dtype
        np.testing.assert_array_equal(level, want)


def test_absent_channels_read_as_a_gpu_samples_them(tmp_path):
    levels = make_levels(8, 8, count=1)
    path = tmp_path / "a.ktx2"
    write_ktx2(path, levels, format="rg8", color_space="linear")
    level = read_texture(path).levels[0]
    np.testing.assert_array_equal(level[..., :2], levels[0][..., :2])
    assert (level[..., 2] == 0).all() and (level[..., 3] == 255).all()


def test_a_colour_space_may_be_a_member_of_an_enum(tmp_path):
    member = enum.Enum("Space", ["SRGB", "LINEAR"]).LINEAR
    write_ktx2(tmp_path / "a.ktx2", make_levels(4, 4), color_space=member)
    write_dds(tmp_path / "a.dds", make_levels(4, 4), color_space=member)
    write_image(tmp_path / "a.png", make_levels(4, 4)[0], color_space=member)
    for name in ("a.ktx2", "a.dds", "a.png"):
        assert read_texture(tmp_path / name).color_space == "linear"


def test_a_bare_plane_is_a_coverage_mask(tmp_path):
    mask = make_levels(9, 9, count=1)[0][..., 3]
    path = tmp_path / "a.ktx2"
    write_ktx2(path, [mask], format="r8", color_space="linear", metadata={"KTXswizzle": "000r"})
    assert violations(path.read_bytes()) == []
    np.testing.assert_array_equal(read_texture(path).levels[0][..., 3], mask)


def test_a_chain_may_stop_early_but_not_skip(tmp_path):
    levels = make_levels(64, 64)
    path = tmp_path / "a.ktx2"
    write_ktx2(path, levels[:3])
    assert violations(path.read_bytes()) == []
    texture = read_texture(path)
    assert len(texture.levels) == 3 and not texture.complete
    with pytest.raises(ValueError, match=r"levels\[1\] must be \(32, 32\).*got \(16, 16\)"):
        write_ktx2(path, [levels[0], levels[2]])
    assert len(read_texture(path).levels) == 3


def test_the_same_input_gives_the_same_bytes(tmp_path):
    levels = make_levels(256, 256)
    first, second = tmp_path / "a.ktx2", tmp_path / "b.ktx2"
    for path in (first, second):
        write_ktx2(path, levels, supercompress=True, metadata={"b": "2", "a": "1"})
    assert first.read_bytes() == second.read_bytes()


def test_threads_do_not_change_the_compressed_bytes():
    zstandard = pytest.importorskip("zstandard")
    data = np.random.default_rng(3).integers(0, 9, 1 << 22, dtype=np.uint8).tobytes()
    outputs = {
        zstandard.ZstdCompressor(level=6, write_checksum=True, threads=threads).compress(data)
        for threads in (1, 2, 4)
    }
    assert len(outputs) == 1


def test_any_memory_layout_writes_the_same_file(tmp_path):
    level = make_levels(20, 12, count=1, dtype=np.uint16)[0]
    flipped = np.ascontiguousarray(level[::-1])[::-1]
    views = [level, flipped, np.asfortranarray(level), level.astype(">u2")]
    files = []
    for number, view in enumerate(views):
        view.flags.writeable = False
        path = tmp_path / f"{number}.ktx2"
        write_ktx2(path, [view], format="rgba16")
        files.append(path.read_bytes())
    assert len(set(files)) == 1


def _legal_changes(data):
    """Changes (place, flip) of the header and descriptor that give another legal file."""
    dfd_at = struct.unpack_from("<I", data, 48)[0]
    # colorPrimaries, the premultiplied flag, and an array of one layer instead of none.
    primaries = {(dfd_at + 13, 1), (dfd_at + 13, 2)}
    return primaries | {(dfd_at + 15, 1), (32, 1)}


@pytest.mark.parametrize(
    ("name", "supercompress"), [("rgba8", False), ("rgba8", True), ("bc3", False), ("r8", False)]
)
def test_the_checker_sees_every_changed_byte_before_the_texels(tmp_path, name, supercompress):
    needs_etcpak(name)
    path = tmp_path / "a.ktx2"
    write_ktx2(
        path, make_levels(16, 8), format=name, supercompress=supercompress,
        metadata={"app:padded": "12345"},
    )  # fmt: skip
    good = path.read_bytes()
    assert violations(good) == []
    kvd_at, kvd_size = struct.unpack_from("<2I", good, 56)
    missed = []
    for place in range(kvd_at):
        for flip in (0x01, 0x02, 0x10, 0x80):
            bad = bytearray(good)
            bad[place] ^= flip
            if not violations(bytes(bad)):
                missed.append((place, flip))
    assert set(missed) == _legal_changes(good)
    texts = bytes(good[kvd_at : kvd_at + kvd_size])
    assert b"app:padded\x0012345\0\0\0\0" in texts + bytes(4)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda d: d + b"\0", "bytes after the last level"),
        (lambda d: d[:-1], "level 0 lies past the end"),
        (lambda d: d.replace(b"KTXorientation\0rd", b"KTXorientation\0xd"), "KTXorientation"),
        (lambda d: d.replace(b"KTXwriter\0", b"KTXzriter\0"), "reserved key KTXzriter"),
        (lambda d: d.replace(b"app:key", b"KEY:key"), "keys not sorted"),
        (lambda d: d.replace(b"app:key", b"app:\xff\xff\xff"), "key is no UTF-8"),
        (lambda d: d.replace(b"text\0\0\0\0", b"text\0\0\0\1"), "valuePadding"),
    ],
)
def test_the_checker_names_the_broken_rule(tmp_path, change, rule):
    path = tmp_path / "a.ktx2"
    # 4 + 8 + 5 bytes: three bytes of padding follow.
    write_ktx2(path, make_levels(4, 4), metadata={"app:key": "text", "zz": "1"})
    good = path.read_bytes()
    bad = change(good)
    assert bad != good
    assert rule in violations(bad)


def _patched(data, form, place, value):
    out = bytearray(data)
    struct.pack_into(form, out, place, value)
    return bytes(out)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: b"\xabKTX 11\xbb\r\n\x1a\n" + d[12:], "KTX 1"),
        (lambda d: b"nothing" + d[7:], "wrong signature"),
        (lambda d: d[:40], "header is cut short: 40 of 80"),
        (lambda d: d[:90], "index of 5 levels is cut short"),
        (lambda d: d[:-5], r"level 0 at \d+\.\.\d+ lies past the end"),
        (lambda d: _patched(d, "<I", 12, 9999), "VkFormat 9999"),
        (lambda d: _patched(d, "<I", 20, 0), "size 0 x 16"),
        (lambda d: _patched(d, "<I", 20, 1 << 31), "outside 1..65536"),
        (lambda d: _patched(d, "<I", 20, 60000), "holds 1024 bytes, but .* take 3840000"),
        (lambda d: _patched(d, "<I", 28, 4), "only 2D"),
        (lambda d: _patched(d, "<I", 32, 1 << 30), "1073741824 layers"),
        (lambda d: _patched(d, "<I", 36, 5), "5 faces"),
        (lambda d: _patched(d, "<I", 40, 9), "9 mip levels, but 16 x 16 has at most 5"),
        (lambda d: _patched(d, "<I", 44, 1), r"scheme 1 \(BasisLZ\)"),
        (lambda d: _patched(d, "<I", 48, 1 << 30), "data format descriptor at"),
        (lambda d: _patched(d, "<I", 60, 1 << 30), "key/value data at"),
        (lambda d: _patched(d, "<Q", 80, 1 << 62), "level 0 at"),
        (lambda d: _patched(d, "<Q", 88, 7), "stores 7 bytes, want 1024"),
        (lambda d: _patched(d, "<Q", 96, 7), "holds 7 bytes"),
    ],
)
def test_broken_files_are_refused_with_the_reason(tmp_path, change, reason):
    path = tmp_path / "a.ktx2"
    write_ktx2(path, make_levels(16, 16))
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(FormatError, match=reason) as caught:
        read_texture(path)
    assert str(path) in str(caught.value)


def test_no_cut_and_no_changed_byte_does_worse_than_an_error(tmp_path):
    path = tmp_path / "a.ktx2"
    write_ktx2(path, make_levels(16, 16), supercompress=True, metadata={"app": "x"})
    good = path.read_bytes()
    random = np.random.default_rng(5)
    refused = 0
    for number in range(400):
        bad = bytearray(good)
        if number < 100:
            del bad[int(random.integers(1, len(good))) :]
        else:
            for place in random.integers(0, len(good), 3):
                bad[place] = random.integers(0, 256)
        path.write_bytes(bytes(bad))
        try:
            read_texture(path)
        except FormatError:
            refused += 1
    assert refused > 300


def test_key_values_are_read_alone(tmp_path):
    path = tmp_path / "a.ktx2"
    write_ktx2(path, make_levels(8, 8), metadata={"app:key": "text", "bin": b"\0\1"})
    assert read_ktx2_metadata(path) == {
        "KTXorientation": "rd", "KTXwriter": "dapplewood", "app:key": "text", "bin": b"\0\1",
    }  # fmt: skip
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match="level 0 at"):
        read_ktx2_metadata(path)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "a.ktx2"
    write_ktx2(path, [np.zeros((64, 64, 4), np.uint8)], supercompress=True)
    data = bytearray(path.read_bytes())
    struct.pack_into("<2I", data, 20, 32768, 32768)
    struct.pack_into("<Q", data, 96, 4 << 30)
    path.write_bytes(bytes(data))
    with pytest.raises(FormatError, match=r"\d+ bytes cannot expand to 4294967296"):
        read_texture(path)


def test_supercompression_with_no_room_for_threads(tmp_path, monkeypatch):
    levels = make_levels(64, 64)
    write_ktx2(tmp_path / "a.ktx2", levels, supercompress=True)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    write_ktx2(tmp_path / "b.ktx2", levels, supercompress=True)
    assert (tmp_path / "a.ktx2").read_bytes() == (tmp_path / "b.ktx2").read_bytes()


def test_zlib_supercompression_is_read(tmp_path):
    import zlib

    levels = make_levels(8, 8, count=1)
    path = tmp_path / "a.ktx2"
    write_ktx2(path, levels)
    data = bytearray(path.read_bytes())
    offset, size, _ = struct.unpack_from("<3Q", data, 80)
    packed = zlib.compress(data[offset : offset + size])
    struct.pack_into("<I", data, 44, 3)
    struct.pack_into("<Q", data, 88, len(packed))
    path.write_bytes(bytes(data[:offset]) + packed)
    np.testing.assert_array_equal(read_texture(path).levels[0], levels[0])
    path.write_bytes(bytes(data[:offset]) + packed[:-9])
    with pytest.raises(FormatError, match="level 0"):
        read_texture(path)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"format": "dxt5"}, ValueError, "format must be one of rgba8.*got 'dxt5'"),
        ({"color_space": "gamma"}, ValueError, "color_space must be"),
        ({"layers": 4}, ValueError, "layers is 4, but the levels hold no layers"),
        ({"metadata": {"KTXorientation": "lu"}}, ValueError, "reserved by KTX"),
        ({"metadata": {"a\0b": "x"}}, ValueError, "without NUL"),
        ({"metadata": {"a": 3}}, TypeError, r"metadata\['a'\] must be str or bytes"),
        ({"alpha_cutoff": 0}, ValueError, "alpha_cutoff must be in 1..255"),
    ],
)
def test_bad_arguments_are_named(tmp_path, arguments, error, text):
    with pytest.raises(error, match=text):
        write_ktx2(tmp_path / "a.ktx2", make_levels(4, 4), **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("levels", "error", "text"),
    [
        ([], ValueError, "levels is empty"),
        (np.zeros((4, 4, 4), np.uint8), TypeError, "sequence of arrays"),
        ([np.zeros((4, 4, 4), np.float32)], TypeError, r"levels\[0\] must be uint8 or uint16"),
        ([np.zeros((4, 4, 3), np.uint8)], ValueError, r"levels\[0\] must have shape"),
        ([np.zeros((0, 4, 4), np.uint8)], ValueError, r"levels\[0\] is empty"),
        ([np.zeros((1, 1, 4), np.uint8)] * 2, ValueError, "2 entries; 1 x 1 has 1"),
    ],
)
def test_bad_levels_are_named(tmp_path, levels, error, text):
    with pytest.raises(error, match=text):
        write_ktx2(tmp_path / "a.ktx2", levels)
