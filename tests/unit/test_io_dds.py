# SPDX-License-Identifier: MIT
"""DDS: written files against OpenImageIO and against the header's definition, old files read."""

from __future__ import annotations

import struct

import numpy as np
import OpenImageIO as oiio
import pytest

from dapplewood.errors import FormatError
from dapplewood.io import WRITABLE, encode_levels, read_image, read_texture, write_dds
from dapplewood.io.dds import ALPHA_MODES

BLOCKS = {"bc1", "bc3", "bc4", "bc5", "bc7"}
SRGB = ["rgba8", "bc1", "bc3", "bc7"]
# DXGI_FORMAT values from dxgiformat.h: (unorm, srgb).
DXGI = {
    "rgba8": (28, 29), "r8": (61, None), "rg8": (49, None), "rgba16": (11, None),
    "bc1": (71, 72), "bc3": (77, 78), "bc4": (80, None), "bc5": (83, None), "bc7": (98, 99),
}  # fmt: skip
BYTES = {"rgba8": 4, "r8": 1, "rg8": 2, "rgba16": 8, "bc1": 8, "bc3": 16, "bc4": 8, "bc5": 16}


def make_levels(width, height, *, layers=0, seed=1):
    random = np.random.default_rng(seed)
    lead = (layers,) if layers else ()
    levels = []
    while True:
        levels.append(random.integers(0, 256, (*lead, height, width, 4), dtype=np.uint8))
        if width == height == 1:
            return levels
        width, height = max(1, width // 2), max(1, height // 2)


def needs_etcpak(name):
    if name in BLOCKS:
        pytest.importorskip("etcpak")


def header_of(data):
    """The fields of a DDS header by name, after the DirectX documentation."""
    assert data[:4] == b"DDS "
    names = "size flags height width pitch depth mips".split()
    fields = dict(zip(names, struct.unpack_from("<7I", data, 4), strict=True))
    assert not any(data[32:76]), "reserved words"
    fields["pf_size"], fields["pf_flags"] = struct.unpack_from("<2I", data, 76)
    fields["fourcc"] = data[84:88]
    fields["caps"], fields["caps2"] = struct.unpack_from("<2I", data, 108)
    fields["dxgi"], fields["dimension"], fields["misc"], fields["items"], fields["misc2"] = (
        struct.unpack_from("<5I", data, 128)
    )
    return fields


@pytest.mark.parametrize("name", WRITABLE)
@pytest.mark.parametrize("size", [(32, 32), (129, 66), (1, 9), (5, 1), (1, 1)])
def test_header_and_payload_follow_the_definition(tmp_path, name, size):
    needs_etcpak(name)
    width, height = size
    levels = make_levels(width, height)
    path = tmp_path / "a.dds"
    write_dds(path, levels, format=name, color_space="linear")
    data = path.read_bytes()
    head = header_of(data)
    assert (head["size"], head["pf_size"]) == (124, 32)
    assert (head["width"], head["height"], head["depth"]) == (width, height, 0)
    assert head["mips"] == len(levels)
    assert (head["fourcc"], head["pf_flags"]) == (b"DX10", 4)
    assert (head["dxgi"], head["dimension"], head["items"]) == (DXGI[name][0], 3, 1)
    assert (head["misc"], head["misc2"], head["caps2"]) == (0, 1, 0)
    unit = BYTES.get(name, 16)
    across, down = (-(-width // 4), -(-height // 4)) if name in BLOCKS else (width, height)
    compressed = name in BLOCKS
    assert head["pitch"] == (across * down * unit if compressed else width * unit)
    assert bool(head["flags"] & 0x80000) == compressed
    assert bool(head["flags"] & 0x8) != compressed
    assert bool(head["flags"] & 0x20000) == (len(levels) > 1)
    assert head["flags"] & 0x1007 == 0x1007
    assert head["caps"] == (0x401008 if len(levels) > 1 else 0x1000)
    total = 0
    for level in range(len(levels)):
        w, h = max(1, width >> level), max(1, height >> level)
        total += (-(-w // 4) * -(-h // 4) if compressed else w * h) * unit
    assert len(data) == 148 + total


@pytest.mark.parametrize("name", ["rgba8", "bc1", "bc3", "bc4", "bc5", "bc7"])
@pytest.mark.parametrize("size", [(32, 32), (129, 66), (1, 9)])
def test_openimageio_reads_every_level(tmp_path, name, size):
    needs_etcpak(name)
    levels = make_levels(*size)
    path = tmp_path / "a.dds"
    write_dds(path, levels, format=name, color_space="linear")
    expected = encode_levels(levels, format=name).decode()
    config = oiio.ImageSpec()
    config.attribute("oiio:UnassociatedAlpha", 1)
    source = oiio.ImageInput.open(str(path), config)
    for number, want in enumerate(expected):
        assert source.seek_subimage(0, number), f"no level {number}"
        spec = source.spec()
        assert (spec.width, spec.height) == want.shape[1::-1]
        found = source.read_image(0, number, 0, spec.nchannels, "uint8").astype(int)
        # Ramps of BC3 alpha, BC4 and BC5 are cut off there and rounded here.
        slack = 1 if name in ("bc3", "bc4", "bc5") else 0
        assert np.abs(found - want[..., : spec.nchannels]).max() <= slack
    assert not source.seek_subimage(0, len(levels))


@pytest.mark.parametrize("name", WRITABLE)
def test_arrays_are_stored_item_by_item(tmp_path, name):
    needs_etcpak(name)
    levels = make_levels(16, 8, layers=3)
    path = tmp_path / "a.dds"
    write_dds(path, levels, format=name, color_space="linear", layers=3)
    head = header_of(path.read_bytes())
    assert head["items"] == 3 and head["caps"] & 0x8
    texture = read_texture(path)
    assert (texture.layers, texture.faces) == (3, 1)
    for level, want in zip(
        texture.levels, encode_levels(levels, format=name).decode(), strict=True
    ):
        np.testing.assert_array_equal(level, want)
    # The first item's whole chain comes first.
    single = tmp_path / "b.dds"
    write_dds(single, [level[0] for level in levels], format=name, color_space="linear")
    assert path.read_bytes()[148:].startswith(single.read_bytes()[148:])


@pytest.mark.parametrize("name", SRGB)
@pytest.mark.parametrize("mode", ALPHA_MODES)
def test_color_space_and_alpha_mode_are_kept(tmp_path, name, mode):
    needs_etcpak(name)
    path = tmp_path / "a.dds"
    for color_space, number in zip(("linear", "srgb"), DXGI[name], strict=True):
        write_dds(path, make_levels(8, 8), format=name, color_space=color_space, alpha_mode=mode)
        assert header_of(path.read_bytes())["dxgi"] == number
        texture = read_texture(path)
        assert (texture.color_space, texture.alpha_mode) == (color_space, mode)


@pytest.mark.parametrize("name", sorted(set(WRITABLE) - set(SRGB)))
def test_a_format_without_srgb_is_refused_as_srgb(tmp_path, name):
    with pytest.raises(ValueError, match=f"DDS cannot say that {name} is sRGB: pass color_space"):
        write_dds(tmp_path / "a.dds", make_levels(8, 8), format=name, color_space="srgb")
    assert list(tmp_path.iterdir()) == []


def test_encoded_chains_go_into_both_containers(tmp_path):
    levels = make_levels(16, 16)
    chain = encode_levels(levels, format="rgba8")
    write_dds(tmp_path / "a.dds", chain)
    write_dds(tmp_path / "b.dds", levels)
    assert (tmp_path / "a.dds").read_bytes() == (tmp_path / "b.dds").read_bytes()
    with pytest.raises(ValueError, match="encoded as 'rgba8' already"):
        write_dds(tmp_path / "a.dds", chain, format="bc7")


def test_a_bad_alpha_mode_is_named(tmp_path):
    with pytest.raises(ValueError, match="alpha_mode must be one of unknown, straight"):
        write_dds(tmp_path / "a.dds", make_levels(4, 4), alpha_mode="cutout")


# ------------------------------------------------------------------ legacy headers, by hand


def legacy(width, height, payload, *, flags=0x40, fourcc=b"\0\0\0\0", bits=0, masks=(0, 0, 0, 0),
           mips=0, caps2=0, depth=0):  # fmt: skip
    head = struct.pack("<4s7I44x", b"DDS ", 124, 0x1007, height, width, 0, depth, mips)
    head += struct.pack("<2I4s5I", 32, flags, fourcc, bits, *masks)
    return head + struct.pack("<5I", 0x1000, caps2, 0, 0, 0) + payload


def read_one(path, data):
    path.write_bytes(data)
    return read_texture(path)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        # X1R5G5B5: 31, 16, 0.
        (dict(bits=16, masks=(0x7C00, 0x3E0, 0x1F, 0)), 0x7E00, (255, 132, 0, 255)),
        (dict(bits=16, masks=(0x7C00, 0x3E0, 0x1F, 0x8000), flags=0x41), 0x7E00, (255, 132, 0, 0)),
        (dict(bits=16, masks=(0xF800, 0x7E0, 0x1F, 0)), 0xFFE0, (255, 255, 0, 255)),
        (dict(bits=16, masks=(0xF00, 0xF0, 0xF, 0xF000), flags=0x41), 0x8F31, (255, 51, 17, 136)),
        (dict(bits=24, masks=(0xFF0000, 0xFF00, 0xFF, 0)), 0x0A141E, (10, 20, 30, 255)),
        (dict(bits=32, masks=(0xFF0000, 0xFF00, 0xFF, 0xFF << 24), flags=0x41), 0x280A141E,
         (10, 20, 30, 40)),
        (dict(bits=32, masks=(0xFF, 0xFF00, 0xFF0000, 0)), 0x991E140A, (10, 20, 30, 255)),
        (dict(bits=32, masks=(0x3FF, 0xFFC00, 0x3FF00000, 3 << 30), flags=0x41),
         (3 << 30) | (1023 << 10), (0, 255, 0, 255)),
        (dict(bits=8, masks=(0xFF, 0, 0, 0), flags=0x20000), 77, (77, 77, 77, 255)),
        (dict(bits=16, masks=(0xFF, 0, 0, 0xFF00), flags=0x20001), 0x2A4D, (77, 77, 77, 42)),
        (dict(bits=8, masks=(0, 0, 0, 0xFF), flags=0x2), 77, (0, 0, 0, 77)),
    ],
)  # fmt: skip
def test_uncompressed_masks(tmp_path, kind, value, expected):
    payload = value.to_bytes(kind["bits"] // 8, "little") * 6
    texture = read_one(tmp_path / "a.dds", legacy(3, 2, payload, **kind))
    assert texture.levels[0].shape == (2, 3, 4)
    assert (texture.levels[0] == np.array(expected)).all()
    assert texture.color_space == "srgb" and texture.metadata == {"color_space": "assumed"}


@pytest.mark.parametrize(
    ("code", "size", "name", "alpha"),
    [
        (b"DXT1", 8, "bc1", "unknown"), (b"DXT2", 16, "bc2", "premultiplied"),
        (b"DXT3", 16, "bc2", "unknown"), (b"DXT4", 16, "bc3", "premultiplied"),
        (b"DXT5", 16, "bc3", "unknown"), (b"ATI1", 8, "bc4", "unknown"),
        (b"BC4U", 8, "bc4", "unknown"), (b"ATI2", 16, "bc5", "unknown"),
    ],
)  # fmt: skip
def test_legacy_codes(tmp_path, code, size, name, alpha):
    data = legacy(8, 4, bytes(range(2 * size)), flags=4, fourcc=code)
    texture = read_one(tmp_path / "a.dds", data)
    assert (texture.format, texture.alpha_mode) == (name, alpha)
    assert texture.levels[0].shape == (4, 8, 4)


def test_cube_maps_come_face_by_face(tmp_path):
    faces = np.random.default_rng(1).integers(0, 256, (6, 4, 4, 4), np.uint8)
    kind = dict(bits=32, masks=(0xFF, 0xFF00, 0xFF0000, 0xFF << 24), flags=0x41)
    data = legacy(4, 4, faces.tobytes(), caps2=0xFE00, **kind)
    texture = read_one(tmp_path / "a.dds", data)
    assert texture.faces == 6
    np.testing.assert_array_equal(texture.levels[0], faces)
    data = legacy(4, 4, faces.tobytes(), caps2=0x7E00, **kind)
    with pytest.raises(FormatError, match=r"5 of 6 faces \(-Z missing\)"):
        read_one(tmp_path / "a.dds", data)


def patched(data, place, value):
    out = bytearray(data)
    struct.pack_into("<I", out, place, value)
    return bytes(out)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: b"SSD " + d[4:], "begins with b'SSD '"),
        (lambda d: d[:60], "header is cut short: 60 of 128"),
        (lambda d: d[:140], "DX10 header is cut short"),
        (lambda d: d[:-1], "payload is cut short.*need 1364 bytes, 1363 follow"),
        (lambda d: patched(d, 4, 123), "header sizes 123 and 32"),
        (lambda d: patched(d, 12, 0), "size 16 x 0"),
        (lambda d: patched(d, 16, 1 << 31), "outside 1..65536"),
        (lambda d: patched(d, 16, 65000), "payload is cut short"),
        (lambda d: patched(d, 28, 6), "6 mip levels, but 16 x 16 has at most 5"),
        (lambda d: patched(d, 28, 1 << 31), "at most 5"),
        (lambda d: patched(d, 112, 0x200000), "volume texture"),
        (lambda d: patched(d, 128, 95), "DXGI format 95"),
        (lambda d: patched(d, 132, 4), "resource dimension 4"),
        (lambda d: patched(d, 140, 0), "array size 0"),
        (lambda d: patched(d, 140, 2), "2 image.*need 2728 bytes"),
        (lambda d: patched(d, 140, 1 << 31), "array size 2147483648"),
        (lambda d: patched(d, 84, 0x33333333), "four-character code b'3333'"),
        (lambda d: patched(d, 80, 0), "pixel format with flags"),
    ],
)
def test_broken_files_are_refused_with_the_reason(tmp_path, change, reason):
    path = tmp_path / "a.dds"
    write_dds(path, make_levels(16, 16))
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(FormatError, match=reason) as caught:
        read_texture(path)
    assert str(path) in str(caught.value)


def test_no_cut_and_no_changed_byte_does_worse_than_an_error(tmp_path):
    path = tmp_path / "a.dds"
    write_dds(path, make_levels(16, 16))
    good = path.read_bytes()
    random = np.random.default_rng(5)
    for number in range(400):
        bad = bytearray(good)
        if number < 100:
            del bad[int(random.integers(1, len(good))) :]
        for place in random.integers(0, 148, 2):
            if place < len(bad):
                bad[place] = random.integers(0, 256)
        path.write_bytes(bytes(bad))
        try:
            read_texture(path)
        except FormatError:
            pass


def test_read_image_takes_level_0_and_divides_by_alpha(tmp_path):
    straight = make_levels(8, 8)[0]
    straight[..., 3] = 255
    straight[0, 0] = (50, 60, 70, 100)
    path = tmp_path / "a.dds"
    write_dds(path, [straight], alpha_mode="premultiplied")
    image = read_image(path)
    assert image.premultiplied and image.file_format == "dds" and image.has_alpha
    assert image.array[0, 0].tolist() == [128, 153, 179, 100]
    np.testing.assert_array_equal(image.array[1:], straight[1:])
