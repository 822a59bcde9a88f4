# SPDX-License-Identifier: MIT
"""Images in: every kind of PNG, TGA, EXR, TIFF, WebP, JPEG; and PNG out."""

from __future__ import annotations

import struct
import warnings
import zlib

import numpy as np
import OpenImageIO as oiio
import pytest

from dapplewood.errors import FormatError
from dapplewood.io import encode_png, read_image, read_texture, unpremultiply, write_image

ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2))  # fmt: skip


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def packed_rows(samples, depth):
    """Rows of (h, w, channels) samples at `depth` bits, each behind filter byte 0."""
    out = b""
    for row in samples.reshape(samples.shape[0], -1):
        if depth == 16:
            data = row.astype(">u2").tobytes()
        else:
            bits = (row[:, None].astype(int) >> np.arange(depth - 1, -1, -1)) & 1
            data = np.packbits(bits.reshape(-1)).tobytes()
        out += b"\0" + data
    return out


def png(samples, color_type, depth, *, extra=(), interlaced=False):
    """A PNG of (h, w, channels) integer samples, from the specification."""
    height, width = samples.shape[:2]
    if interlaced:
        parts = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7]
        raw = b"".join(packed_rows(part, depth) for part in parts if part.size)
    else:
        raw = packed_rows(samples, depth)
    header = struct.pack(">2I5B", width, height, depth, color_type, 0, 0, int(interlaced))
    chunks = [(b"IHDR", header), *extra, (b"IDAT", zlib.compress(raw)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)


def read(path, data, **more):
    path.write_bytes(data)
    return read_image(path, **more)


def samples_of(height, width, channels, depth, seed=1):
    return np.random.default_rng(seed).integers(0, 2**depth, (height, width, channels))


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize(
    ("color_type", "depth"),
    [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (4, 8), (4, 16), (6, 8), (6, 16)],
)
def test_every_colour_type_of_png(tmp_path, color_type, depth, interlaced):
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[color_type]
    samples = samples_of(13, 11, channels, depth)
    image = read(tmp_path / "a.png", png(samples, color_type, depth, interlaced=interlaced))
    top = 65535 if depth == 16 else 255
    scaled = samples * (top // (2**depth - 1))
    assert image.array.dtype == (np.uint16 if depth == 16 else np.uint8)
    for channel in range(3):
        np.testing.assert_array_equal(
            image.array[..., channel], scaled[..., channel if channels >= 3 else 0]
        )
    alpha = scaled[..., -1] if channels in (2, 4) else np.full((13, 11), top)
    np.testing.assert_array_equal(image.array[..., 3], alpha)
    assert image.bit_depth == depth and image.source_channels == channels
    assert image.has_alpha == (channels in (2, 4)) and not image.premultiplied
    assert image.color_space == "srgb" and image.metadata["color_space"] == "assumed"
    assert image.array.flags.c_contiguous and image.array.flags.writeable


@pytest.mark.parametrize("depth", [1, 2, 4, 8])
@pytest.mark.parametrize("transparent", [False, True])
def test_palettes_with_and_without_transparency(tmp_path, depth, transparent):
    count = 2**depth
    palette = np.random.default_rng(2).integers(0, 256, (count, 3), np.uint8)
    alpha = np.full(count, 255, np.uint8)
    extra = [(b"PLTE", palette.tobytes())]
    if transparent:
        alpha[: count // 2] = np.arange(count // 2)
        extra.append((b"tRNS", alpha[: count // 2].tobytes()))
    samples = samples_of(9, 7, 1, depth)
    image = read(tmp_path / "a.png", png(samples, 3, depth, extra=extra))
    np.testing.assert_array_equal(image.array[..., :3], palette[samples[..., 0]])
    np.testing.assert_array_equal(image.array[..., 3], alpha[samples[..., 0]])
    assert image.source_channels == (4 if transparent else 3)
    assert image.has_alpha == transparent


@pytest.mark.parametrize(("color_type", "depth"), [(0, 8), (0, 16), (2, 8), (2, 16)])
def test_a_transparent_colour_key(tmp_path, color_type, depth):
    channels = {0: 1, 2: 3}[color_type]
    samples = samples_of(8, 8, channels, depth)
    key = samples[3, 4]
    extra = [(b"tRNS", key.astype(">u2").tobytes())]
    image = read(tmp_path / "a.png", png(samples, color_type, depth, extra=extra))
    clear = (samples == key).all(-1)
    assert clear[3, 4]
    np.testing.assert_array_equal(image.array[..., 3] == 0, clear)
    assert image.has_alpha and image.source_channels == channels + 1


SRGB_PROFILE = b"icc\0\0" + zlib.compress(b"\0" * 60 + b"desc sRGB IEC61966-2.1")


@pytest.mark.parametrize(
    ("extra", "expected", "said_by"),
    [
        ([(b"sRGB", b"\0")], "srgb", "sRGB"),
        ([(b"gAMA", struct.pack(">I", 100000))], "linear", "gAMA"),
        ([(b"gAMA", struct.pack(">I", 45455))], "srgb", "gAMA"),
        ([(b"cICP", bytes((1, 8, 0, 1)))], "linear", "cICP"),
        ([(b"cICP", bytes((1, 13, 0, 1)))], "srgb", "cICP"),
        ([(b"iCCP", SRGB_PROFILE)], "srgb", "iCCP"),
        ([(b"gAMA", struct.pack(">I", 100000)), (b"sRGB", b"\0")], "srgb", "sRGB"),
        ([(b"sRGB", b"\0"), (b"cICP", bytes((1, 8, 0, 1)))], "linear", "cICP"),
        ([], "srgb", "assumed"),
    ],
)
@pytest.mark.parametrize("depth", [8, 16])
def test_the_colour_space_is_the_file_s_own(tmp_path, extra, expected, said_by, depth):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        image = read(tmp_path / "a.png", png(samples_of(4, 4, 4, depth), 6, depth, extra=extra))
    assert (image.color_space, image.metadata["color_space"]) == (expected, said_by)


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ([(b"gAMA", struct.pack(">I", 55556))], "gAMA chunk .exponent 0.55556"),
        ([(b"cICP", bytes((9, 16, 0, 1)))], "cICP chunk .transfer characteristics 16"),
        ([(b"iCCP", b"Wide\0\0" + zlib.compress(b"Adobe RGB"))], "iCCP chunk .profile 'Wide'"),
        ([(b"iCCP", b"Bad\0\0not zlib")], "iCCP chunk .profile 'Bad'"),
    ],
)
def test_an_unknown_colour_space_is_not_guessed_in_silence(tmp_path, extra, text):
    with pytest.warns(UserWarning, match=text):
        image = read(tmp_path / "a.png", png(samples_of(4, 4, 4, 8), 6, 8, extra=extra))
    assert (image.color_space, image.metadata["color_space"]) == ("srgb", "assumed")


def test_colours_under_alpha_0_are_kept(tmp_path):
    samples = samples_of(16, 16, 4, 8)
    samples[..., 3] = 0
    image = read(tmp_path / "a.png", png(samples, 6, 8))
    np.testing.assert_array_equal(image.array, samples)


# ------------------------------------------------------------------ damaged PNG


GOOD = png(samples_of(32, 32, 4, 8), 6, 8)


def resized(width, height):
    header = struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0)
    return GOOD[:8] + chunk(b"IHDR", header) + GOOD[33:]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (GOOD[:-12], "cut short.*no IEND"),
        (GOOD[:2000], "cut short: chunk 'IDAT'"),
        (GOOD[:20], "cut short"),
        (GOOD[:100] + bytes([GOOD[100] ^ 1]) + GOOD[101:], "check sum of PNG chunk 'IDAT' at 33"),
        (resized(1 << 30, 1 << 30), "claims 1073741824 x 1073741824 texels"),
        (resized(30000, 30000), "which 4126 bytes of image data cannot hold|cannot hold"),
        (resized(0, 4), "PNG header: 0 x 4"),
        (resized(33, 33), "damaged"),
        (GOOD[:8] + chunk(b"IDAT", b"") + GOOD[8:], "begins with IHDR, this one with 'IDAT'"),
        (GOOD[:8] + chunk(b"IHDR", bytes(13)) + GOOD[33:], "PNG header: 0 x 0"),
        (GOOD[:33] + chunk(b"IEND", b""), "cannot hold"),
    ],
)
def test_damaged_png_files_are_refused_with_the_reason(tmp_path, data, reason):
    path = tmp_path / "a.png"
    with pytest.raises(FormatError, match=reason) as caught:
        read(path, data)
    assert str(path) in str(caught.value)


def repaired(data):
    """The file with right check sums, so that damage reaches the decoder."""
    out, place = bytearray(data[:8]), 8
    while place + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        if place + 12 + length > len(data):
            return bytes(out) + data[place:]
        body = place + 8
        out += chunk(bytes(data[place + 4 : body]), bytes(data[body : body + length]))
        place += 12 + length
    return bytes(out)


def test_no_damage_does_worse_than_an_error(tmp_path):
    random = np.random.default_rng(3)
    path = tmp_path / "a.png"
    refused = 0
    for number in range(300):
        bad = bytearray(GOOD)
        for place in random.integers(8, len(bad) if number % 2 else 60, 3):
            bad[place] = random.integers(0, 256)
        path.write_bytes(repaired(bad))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read_image(path)
        except FormatError:
            refused += 1
    assert refused > 200


# ------------------------------------------------------------------ other kinds


def store(path, array, *, associated=False, names=None, **attributes):
    """Writes with OpenImageIO; associated: the values are premultiplied already."""
    array = np.ascontiguousarray(array)
    height, width, channels = array.shape
    kind = {"float16": "half", "float32": "float"}.get(array.dtype.name, array.dtype.name)
    spec = oiio.ImageSpec(width, height, channels, kind)
    if names:
        spec.channelnames = names
        spec.alpha_channel = names.index("A") if "A" in names else -1
    if not associated:
        spec.attribute("oiio:UnassociatedAlpha", 1)
    for key, value in attributes.items():
        spec.attribute(key.replace("__", ":"), value)
    out = oiio.ImageOutput.create(str(path))
    assert out.open(str(path), spec) and out.write_image(array), out.geterror()
    out.close()


def rgba(height=12, width=10, dtype=np.uint8):
    array = np.random.default_rng(4).integers(0, np.iinfo(dtype).max + 1, (height, width, 4), dtype)
    array[0, 0, 3] = 0
    return array


def targa(array, *, bottom_up=True, alpha_type=None):
    """A 32-bit uncompressed TGA from the specification, with an extension area when asked."""
    height, width = array.shape[:2]
    descriptor = 8 | (0 if bottom_up else 0x20)
    head = struct.pack("<3B5x4H2B", 0, 0, 2, 0, 0, width, height, 32, descriptor)
    rows = array[::-1] if bottom_up else array
    data = head + rows[..., [2, 1, 0, 3]].tobytes()
    if alpha_type is None:
        return data
    extension = struct.pack("<H", 495) + bytes(492) + bytes([alpha_type])
    return data + extension + struct.pack("<2I", len(data), 0) + b"TRUEVISION-XFILE.\0"


@pytest.mark.parametrize("bottom_up", [True, False])
def test_targa_both_ways_up(tmp_path, bottom_up):
    array = rgba()
    image = read(tmp_path / "a.tga", targa(array, bottom_up=bottom_up))
    np.testing.assert_array_equal(image.array, array)
    assert (image.file_format, image.premultiplied, image.has_alpha) == ("targa", False, True)


def test_premultiplied_targa_is_divided_and_flagged(tmp_path):
    array = rgba()
    array[..., :3] = np.minimum(array[..., :3], array[..., 3:])
    image = read(tmp_path / "a.tga", targa(array, alpha_type=4))
    assert image.premultiplied
    np.testing.assert_array_equal(image.array, unpremultiply(array))
    straight = read(tmp_path / "b.tga", targa(array, alpha_type=3))
    assert not straight.premultiplied
    np.testing.assert_array_equal(straight.array, array)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_tiff_straight_and_associated(tmp_path, dtype):
    array = rgba(dtype=dtype)
    store(tmp_path / "a.tif", array)
    image = read_image(tmp_path / "a.tif")
    np.testing.assert_array_equal(image.array, array)
    assert (image.file_format, image.premultiplied) == ("tiff", False)
    array[..., :3] = np.minimum(array[..., :3], array[..., 3:])
    store(tmp_path / "b.tif", array, associated=True)
    image = read_image(tmp_path / "b.tif")
    assert image.premultiplied and image.array.dtype == dtype
    np.testing.assert_array_equal(image.array, unpremultiply(array))


@pytest.mark.parametrize("turn", range(1, 9))
def test_orientation_is_applied(tmp_path, turn):
    array = rgba(3, 5)
    store(tmp_path / "a.tif", array, Orientation=turn)
    seen = read_image(tmp_path / "a.tif").array
    # Where row 0 and column 0 of the stored picture are seen, after the TIFF specification.
    row_0 = {1: seen[0], 2: seen[0, ::-1], 3: seen[-1, ::-1], 4: seen[-1],
             5: seen[:, 0], 6: seen[:, -1], 7: seen[::-1, -1], 8: seen[::-1, 0]}[turn]  # fmt: skip
    np.testing.assert_array_equal(row_0, array[0])


def test_unpremultiply_inverts_premultiplying_within_rounding():
    for dtype in (np.uint8, np.uint16):
        top = np.iinfo(dtype).max
        straight = rgba(64, 64, dtype)
        alpha = straight[..., 3:].astype(float)
        product = straight.copy()
        product[..., :3] = np.floor(straight[..., :3] * alpha / top + 0.5)
        back = unpremultiply(product)
        seen = straight[..., 3] > 0
        bound = np.broadcast_to(top / (2 * np.maximum(alpha, 1)) + 0.5, straight[..., :3].shape)
        error = np.abs(back[..., :3].astype(float) - straight[..., :3])
        assert (error[seen] <= bound[seen]).all()
        np.testing.assert_array_equal(back[~seen], product[~seen])
        np.testing.assert_array_equal(back[..., 3], straight[..., 3])


def test_colours_above_alpha_are_clamped():
    assert unpremultiply(np.array([[[200, 100, 0, 100]]], np.uint8)).tolist() == [
        [[255, 255, 0, 100]]
    ]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_exr_is_linear_and_divided_by_its_alpha(tmp_path, dtype):
    random = np.random.default_rng(5)
    straight = random.random((16, 16, 4)).astype(np.float32)
    straight[0, :, 3] = 0
    straight[1, :, 3] = 1
    product = straight.copy()
    product[..., :3] *= straight[..., 3:]
    store(tmp_path / "a.exr", product.astype(dtype), associated=True)
    image = read_image(tmp_path / "a.exr", hdr="error")
    assert (image.color_space, image.premultiplied) == ("linear", True)
    assert image.file_format == "openexr"
    assert image.array.dtype == np.uint16 and image.bit_depth == np.dtype(dtype).itemsize * 8
    stored = product.astype(dtype).astype(np.float32)
    alpha = stored[..., 3:]
    expected = np.where(alpha > 0, stored[..., :3] / np.where(alpha > 0, alpha, 1), stored[..., :3])
    assert np.abs(image.array[..., :3] / 65535 - expected.clip(0, 1)).max() < 1e-5
    assert np.abs(image.array[..., 3] / 65535 - stored[..., 3]).max() < 1e-5


def test_exr_channels_go_by_name(tmp_path):
    random = np.random.default_rng(6)
    planes = random.random((4, 5, 6)).astype(np.float32)
    names = ("A", "B", "G", "R", "Z", "id")
    planes[..., 0] = 1
    store(tmp_path / "a.exr", planes, associated=True, names=names)
    image = read_image(tmp_path / "a.exr")
    assert np.abs(image.array[..., :3] / 65535 - planes[..., [3, 2, 1]]).max() < 1e-5
    assert image.has_alpha and image.source_channels == 4
    store(tmp_path / "b.exr", planes[..., :1], names=("Y",))
    assert read_image(tmp_path / "b.exr").source_channels == 1


def test_the_display_window_of_an_exr_is_given(tmp_path):
    path = tmp_path / "a.exr"
    spec = oiio.ImageSpec(4, 3, 4, "float")
    spec.x, spec.y = 2, -1
    spec.full_x, spec.full_y, spec.full_width, spec.full_height = 0, 0, 5, 4
    out = oiio.ImageOutput.create(str(path))
    out.open(str(path), spec)
    out.write_image(np.ones((3, 4, 4), np.float32))
    out.close()
    expected = np.zeros((4, 5))
    expected[0:2, 2:5] = 65535
    np.testing.assert_array_equal(read_image(path).array[..., 3], expected)


def test_colours_above_1_are_clamped_with_a_word_or_refused(tmp_path):
    array = np.full((4, 4, 4), 0.5, np.float32)
    array[..., 3] = 1
    array[1, 2, 0] = 3
    array[2, 2, 1] = -0.25
    path = tmp_path / "a.exr"
    store(path, array, associated=True)
    with pytest.warns(UserWarning, match=r"2 texel\(s\) outside 0..1 \(from -0.25 to 3\)"):
        image = read_image(path)
    assert image.array[1, 2, 0] == 65535 and image.array[2, 2, 1] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_image(path, hdr="clamp")
    with pytest.raises(ValueError, match="tone-map the image, or pass hdr='clamp'"):
        read_image(path, hdr="error")
    with pytest.raises(ValueError, match="hdr must be"):
        read_image(path, hdr="scale")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_refused(tmp_path, value):
    array = np.full((4, 4, 4), 0.5, np.float32)
    array[1, 1, 1] = value
    store(tmp_path / "a.exr", array, associated=True)
    with pytest.raises(ValueError, match=r"1 texel\(s\) hold NaN or infinity"):
        read_image(tmp_path / "a.exr", hdr="clamp")


def test_webp_and_jpeg(tmp_path):
    array = rgba(32, 32)
    array[..., 3] = np.maximum(array[..., 3], 1)
    store(tmp_path / "a.webp", array, compression="lossless")
    image = read_image(tmp_path / "a.webp")
    np.testing.assert_array_equal(image.array, array)
    assert (image.file_format, image.has_alpha, image.premultiplied) == ("webp", True, False)
    smooth = np.linspace(0, 255, 64 * 64 * 3).reshape(64, 64, 3).astype(np.uint8)
    store(tmp_path / "a.jpg", smooth, CompressionQuality=95)
    image = read_image(tmp_path / "a.jpg")
    assert np.abs(image.array[..., :3].astype(int) - smooth).mean() < 4
    assert (image.source_channels, image.has_alpha) == (3, False)
    assert (image.array[..., 3] == 255).all()


@pytest.mark.parametrize("name", ["a.jpg", "a.webp", "a.tif", "a.exr", "a.tga"])
def test_cut_files_of_other_kinds_are_refused(tmp_path, name):
    path = tmp_path / name
    random = np.random.default_rng(9)
    if name.endswith("exr"):
        store(path, random.random((64, 64, 3)).astype(np.float32))
    elif name.endswith("tga"):
        path.write_bytes(targa(rgba(64, 64)))
    else:
        array = random.integers(0, 256, (64, 64, 3), np.uint8)
        store(path, array)
    data = path.read_bytes()
    read_image(path)
    for part in (0.02, 0.3, 0.7, 0.95):
        path.write_bytes(data[: int(len(data) * part)])
        with pytest.raises(FormatError) as caught:
            read_image(path)
        assert str(path) in str(caught.value)


def test_a_jpeg_may_hold_a_thumbnail_and_data_behind(tmp_path):
    path = tmp_path / "a.jpg"
    store(path, np.random.default_rng(1).integers(0, 256, (48, 48, 3), np.uint8))
    data = path.read_bytes()
    thumbnail = b"\xff\xe1" + struct.pack(">H", 2 + 300) + b"\xff\xd8" + bytes(296) + b"\xff\xd9"
    whole = data[:2] + thumbnail + data[2:] + bytes(9000)
    expected = read(tmp_path / "b.jpg", data).array
    np.testing.assert_array_equal(read(path, whole).array, expected)
    with pytest.raises(FormatError, match="no end marker"):
        read(path, whole[: 304 + len(data) // 2])


def test_text_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "a.exr"
    store(path, np.ones((8, 8, 3), np.float32))
    data = path.read_bytes()
    assert data.count(b"chlist\0") == 1
    with pytest.raises(FormatError, match="no UTF-8"):
        read(path, data.replace(b"chlist\0", b"chl\xffst\0"))


@pytest.mark.parametrize("name", ["a.tga", "a.tif", "a.exr", "a.webp", "a.jpg", "a.hdr", "a.bmp"])
def test_no_damage_of_other_kinds_does_worse_than_an_error(tmp_path, name):
    path = tmp_path / name
    random = np.random.default_rng(11)
    if name[2:] in ("exr", "hdr"):
        store(path, random.random((24, 24, 3)).astype(np.float32))
    else:
        store(path, random.integers(0, 256, (24, 24, 3), np.uint8))
    good = path.read_bytes()
    refused = 0
    for number in range(100):
        bad = bytearray(good)
        for place in random.integers(0, len(good) if number % 2 else min(200, len(good)), 3):
            bad[place] = random.integers(0, 256)
        if number % 4 == 0:
            del bad[int(random.integers(1, len(good))) :]
        path.write_bytes(bytes(bad))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read_image(path)
        except FormatError:
            refused += 1
        except ValueError as error:
            assert "NaN or infinity" in str(error)
    assert refused > 10


def test_a_header_that_claims_too_much_is_refused(tmp_path):
    head = struct.pack("<3B5x4H2B", 0, 0, 10, 0, 0, 65535, 65535, 32, 8)
    with pytest.raises(FormatError, match="claims image size|claims 65535"):
        read(tmp_path / "a.tga", head + bytes(500))


def test_the_content_counts_not_the_suffix(tmp_path):
    image = read(tmp_path / "a.jpg", GOOD)
    assert image.file_format == "png"


# ------------------------------------------------------------------ out


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [0, 1, 2, 3, 4])
def test_written_png_files_come_back(tmp_path, dtype, channels):
    shape = (9, 7, channels) if channels else (9, 7)
    array = np.random.default_rng(7).integers(0, np.iinfo(dtype).max + 1, shape, dtype)
    path = tmp_path / "a.png"
    for color_space in ("srgb", "linear"):
        write_image(path, array, color_space=color_space)
        image = read_image(path)
        assert image.color_space == color_space and image.metadata["color_space"] != "assumed"
        planes = array.reshape(9, 7, -1)
        color = planes[..., :3] if channels >= 3 else planes[..., :1].repeat(3, -1)
        np.testing.assert_array_equal(image.array[..., :3], color)
        assert image.source_channels == max(1, channels)
        if channels in (2, 4):
            np.testing.assert_array_equal(image.array[..., 3], planes[..., -1])
    path.write_bytes(encode_png(array))
    image = read_image(path)
    np.testing.assert_array_equal(image.array[..., :3], color)
    assert image.color_space == "srgb" and image.metadata["color_space"] == "sRGB"


def test_any_memory_layout_is_written(tmp_path):
    array = rgba(9, 7, np.uint16)
    flipped = np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    for view in (flipped, np.asfortranarray(array), array.astype(">u2"), array[...]):
        view.flags.writeable = False
        write_image(tmp_path / "a.png", view)
        np.testing.assert_array_equal(read_image(tmp_path / "a.png").array, array)
        (tmp_path / "a.png").write_bytes(encode_png(view))
        np.testing.assert_array_equal(read_image(tmp_path / "a.png").array, array)


def test_the_same_image_gives_the_same_file(tmp_path):
    array = rgba(64, 64)
    write_image(tmp_path / "a.png", array)
    write_image(tmp_path / "b.png", array)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("write", [lambda a, p: write_image(p, a), lambda a, p: encode_png(a)])
@pytest.mark.parametrize(
    ("array", "error", "text"),
    [
        (np.zeros((4, 4, 4), np.float32), TypeError, "array must be uint8 or uint16, got float32"),
        (np.zeros((4, 4, 5), np.uint8), ValueError, r"got \(4, 4, 5\)"),
        (np.zeros((0, 4, 4), np.uint8), ValueError, r"got \(0, 4, 4\)"),
        (np.zeros(4, np.uint8), ValueError, r"got \(4,\)"),
    ],
)
def test_bad_arrays_are_named(tmp_path, write, array, error, text):
    with pytest.raises(error, match=text):
        write(array, tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(ValueError, match="path must end in .png, got 'a.jpg'"):
        write_image(tmp_path / "a.jpg", rgba())


def test_notebooks_show_images(tmp_path):
    write_image(tmp_path / "a.png", rgba())
    image = read_image(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(image._repr_png_())
    np.testing.assert_array_equal(read_image(tmp_path / "b.png").array, image.array)


# ------------------------------------------------------------------ chains of PNG files


def write_chain(folder, sizes, dtype=np.uint8):
    levels = [rgba(h, w, dtype) for w, h in sizes]
    for number, level in enumerate(levels):
        write_image(folder / f"leaf_mip{number}.png", level)
    return levels


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_chain_is_read_from_any_of_its_files(tmp_path, dtype):
    levels = write_chain(tmp_path, [(9, 6), (4, 3), (2, 1), (1, 1)], dtype)
    for number in (0, 2):
        texture = read_texture(tmp_path / f"leaf_mip{number}.png")
        assert texture.complete and texture.color_space == "srgb"
        assert texture.format == ("rgba8" if dtype == np.uint8 else "rgba16")
        for level, want in zip(texture.levels, levels, strict=True):
            np.testing.assert_array_equal(level, want)


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ([(8, 8), (3, 4)], "level 1 is 3 x 4, but a chain from 8 x 8 has 4 x 4 there"),
        ([(2, 2), (1, 1), (1, 1)], "3 levels, but 2 x 2 has at most 2"),
    ],
)
def test_a_chain_that_does_not_fit_is_refused(tmp_path, sizes, reason):
    write_chain(tmp_path, sizes)
    with pytest.raises(FormatError, match=reason):
        read_texture(tmp_path / "leaf_mip0.png")


def test_a_chain_of_mixed_depth_is_refused(tmp_path):
    write_image(tmp_path / "leaf_mip0.png", rgba(4, 4))
    write_image(tmp_path / "leaf_mip1.png", rgba(2, 2, np.uint16))
    with pytest.raises(FormatError, match="level 1 differs from level 0 in depth"):
        read_texture(tmp_path / "leaf_mip0.png")


def test_a_chain_without_its_first_level_is_refused(tmp_path):
    write_image(tmp_path / "leaf_mip1.png", rgba(2, 2))
    with pytest.raises(FormatError, match="the chain has no leaf_mip0.png"):
        read_texture(tmp_path / "leaf_mip1.png")
