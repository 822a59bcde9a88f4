# SPDX-License-Identifier: MIT
"""Heights and splat maps out of files: the numbers of the file, whatever its colours mean."""

from __future__ import annotations

import os
import struct
import warnings
import zlib

import numpy as np
import OpenImageIO as oiio
import pytest

import dapplewood as dw

RNG = np.random.default_rng(11)


def write(path, array, **attributes):
    """An image as its library writes it; grey without a third axis."""
    array = array[..., None] if array.ndim == 2 else array
    kind = {"float32": "float", "float16": "half"}.get(array.dtype.name, array.dtype.name)
    spec = oiio.ImageSpec(array.shape[1], array.shape[0], array.shape[2], kind)
    if not os.fspath(path).endswith(".exr"):  # the writer would multiply by it
        spec.attribute("oiio:UnassociatedAlpha", 1)
    for name, value in attributes.items():
        if name == "channelnames":
            spec.channelnames = value
        else:
            spec.attribute(name, value)
    target = oiio.ImageOutput.create(os.fspath(path))
    assert target.open(os.fspath(path), spec) and target.write_image(array) and target.close()
    return path


def add_chunk(path, name: bytes, body: bytes):
    """A PNG chunk right behind the header."""
    data = path.read_bytes()
    crc = struct.pack(">I", zlib.crc32(name + body))
    path.write_bytes(data[:33] + struct.pack(">I", len(body)) + name + body + crc + data[33:])


def test_sixteen_bits_keep_their_steps(tmp_path):
    codes = RNG.integers(0, 65536, (7, 11), dtype=np.uint16)
    path = write(tmp_path / "h.png", codes)
    found = dw.load_heightfield(path, scale=655.35, offset=-100)
    assert found.array.dtype == np.float32 and found.shape == (7, 11)
    assert np.abs(found.array - (codes * 0.01 - 100)).max() < 1e-4
    assert found.step == pytest.approx(0.01) and found.source == "uint16"
    assert found.low == found.array.min() and found.high == found.array.max()
    assert (np.asarray(found) == found.array).all() and np.array(found, np.float64).dtype == "f8"
    assert not found.array.flags.writeable and "in steps of 0.01, from uint16" in repr(found)
    assert found._repr_png_().startswith(b"\x89PNG")
    assert (dw.load_heightfield(path).array == (codes / 65535).astype(np.float32)).all()


def test_eight_bits_are_read_in_silence(tmp_path):
    codes = RNG.integers(0, 256, (5, 6), dtype=np.uint8)
    rgb = write(tmp_path / "h.png", np.repeat(codes[..., None], 3, -1))
    add_chunk(rgb, b"gAMA", struct.pack(">I", 61803))  # no known colours
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = dw.load_heightfield(rgb, scale=51.0)
    assert np.abs(found.array - codes * 0.2).max() < 1e-5
    assert found.step == pytest.approx(0.2) and found.source == "uint8"


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_floats_are_taken_as_they_are(tmp_path, dtype):
    values = RNG.normal(0, 300, (6, 9)).astype(dtype)
    grey = write(tmp_path / "y.exr", values, channelnames=("Y",))
    found = dw.load_heightfield(grey)
    assert (found.array == values.astype(np.float32)).all() and found.step == 0
    assert (dw.load_heightfield(grey, scale=2, offset=1).array == (values * 2.0 + 1)).all()
    rgba = np.repeat(values[..., None], 4, -1)
    rgba[..., 3] = 0  # associated alpha divides nothing here
    same = write(tmp_path / "rgba.exr", rgba)
    assert (dw.load_heightfield(same).array == found.array).all()


def test_channels_are_named_where_they_differ(tmp_path):
    image = RNG.integers(0, 256, (4, 5, 4), dtype=np.uint8)
    path = write(tmp_path / "rgba.png", image)
    with pytest.raises(ValueError, match="channels R, G, B, A differ; pass channel='r'"):
        dw.load_heightfield(path)
    for place, name in enumerate("rgba"):
        wanted = (image[..., place] / 255).astype(np.float32)
        assert (dw.load_heightfield(path, channel=place).array == wanted).all()
        assert (dw.load_heightfield(path, channel=name).array == wanted).all()
    with pytest.raises(ValueError, match="channel must be one of R, G, B, A, got 'y'"):
        dw.load_heightfield(path, channel="y")
    with pytest.raises(ValueError, match=r"channel must lie in \[0, 3\], got 4"):
        dw.load_heightfield(path, channel=4)


@pytest.mark.parametrize(
    ("suffix", "dtype"), [(".raw", "<u2"), (".r16", "<u2"), (".r32", "<f4"), (".r8", "u1")]
)
def test_bare_numbers_have_the_type_of_their_suffix(tmp_path, suffix, dtype):
    values = RNG.integers(0, 200, (8, 8)).astype(dtype)
    path = tmp_path / f"h{suffix}"
    path.write_bytes(values.tobytes())
    top = np.iinfo(dtype).max if "f" not in dtype else 1
    assert (dw.load_heightfield(path, scale=top).array == values).all()
    flat = dw.load_heightfield(path, scale=top, shape=(4, 16)).array
    assert (flat.ravel() == values.ravel()).all()


@pytest.mark.parametrize("dtype", [">u2", "<i2", "<f2", ">f4", "<f8", "u1"])
def test_bare_numbers_of_any_type(tmp_path, dtype):
    values = RNG.integers(0, 100, (3, 5)).astype(dtype)
    path = tmp_path / "heights.bin"
    path.write_bytes(b"some header" + values.tobytes() + b"tail")
    top = np.iinfo(dtype).max if np.dtype(dtype).kind in "ui" else 1
    found = dw.load_heightfield(path, scale=top, shape=(3, 5), dtype=dtype, skip=11)
    assert np.abs(found.array - values).max() < 1e-5
    assert found.array.dtype.isnative


def test_holes_need_a_height(tmp_path):
    values = np.ones((3, 4), np.float32)
    values[1, 2], values[2, 0] = np.nan, np.inf
    path = tmp_path / "h.r32"
    path.write_bytes(values.tobytes())
    with pytest.raises(ValueError, match="2 heights are NaN or infinite, the first in row 1, col"):
        dw.load_heightfield(path, shape=(3, 4))
    found = dw.load_heightfield(path, shape=(3, 4), scale=5, fill=-7.0).array
    assert found[1, 2] == found[2, 0] == -7 and found[0, 0] == 5


def test_files_that_are_no_heights(tmp_path):
    odd = tmp_path / "odd.raw"
    odd.write_bytes(bytes(2 * 12))
    with pytest.raises(dw.FormatError, match=r"24 bytes are no square of uint16.*shape=\(rows"):
        dw.load_heightfield(odd)
    with pytest.raises(dw.FormatError, match="12 numbers of uint16 behind 0 bytes, but 4 x 4 are"):
        dw.load_heightfield(odd, shape=(4, 4))
    with pytest.raises(ValueError, match=r"skip must lie in \[0, 24\]"):
        dw.load_heightfield(odd, shape=(2, 2), skip=25)
    with pytest.raises(ValueError, match="shape must be"):
        dw.load_heightfield(odd, shape=5)
    with pytest.raises(TypeError, match="dtype must be one of"):
        dw.load_heightfield(odd, dtype="<i8")
    with pytest.raises(ValueError, match="channel is that of an image"):
        dw.load_heightfield(odd, channel=0)
    png = write(tmp_path / "h.png", np.zeros((4, 4), np.uint8))
    with pytest.raises(ValueError, match="skip is that of a file of bare"):
        dw.load_heightfield(png, skip=4)
    for bad in ("scale", "offset"):
        with pytest.raises(ValueError, match=f"{bad} must be finite"):
            dw.load_heightfield(png, **{bad: np.nan})
    png.write_bytes(png.read_bytes()[:-20])
    with pytest.raises(dw.FormatError, match="cut short"):
        dw.load_heightfield(png)
    with pytest.raises(FileNotFoundError):
        dw.load_heightfield(tmp_path / "none.png")


def test_alpha_is_a_weight(tmp_path):
    """Alpha 0 and any alpha leave the other channels as they are."""
    image = RNG.integers(0, 256, (16, 17, 4), dtype=np.uint8)
    image[:8, :, 3] = 0
    path = tmp_path / "splat.png"
    dw.io.write_image(path, image, color_space="linear")
    assert (dw.read_weights(path) == image).all()
    assert (dw.read_weights(str(path)) == image).all()
    for color_space in ("srgb", "linear"):  # no colour space changes a weight
        dw.io.write_image(path, image, color_space=color_space)
        assert (dw.read_weights(path) == image).all()
    tga = write(tmp_path / "splat.tga", image)
    assert (dw.read_weights(tga) == image).all()


def test_several_images_follow_each_other(tmp_path):
    images = [RNG.integers(0, 256, (6, 7, n), dtype=np.uint8) for n in (4, 4, 3, 1)]
    paths = [write(tmp_path / f"{i}.png", image) for i, image in enumerate(images)]
    found = dw.read_weights(paths[:2])
    assert found.shape == (6, 7, 8) and (found == np.concatenate(images[:2], -1)).all()
    assert (dw.read_weights(paths) == np.concatenate(images, -1)).all()
    assert dw.expected_coverage(dw.read_weights(paths), dw.Transition()).shape == (6, 7, 12)
    with pytest.raises(ValueError, match="1 channels; weights are 2 to 16"):
        dw.read_weights(paths[3])
    with pytest.raises(ValueError, match="20 channels"):
        dw.read_weights(paths[:1] * 5)
    with pytest.raises(ValueError, match="one path or more"):
        dw.read_weights([])
    small = write(tmp_path / "small.png", images[0][:5])
    with pytest.raises(dw.FormatError, match="7 x 5 uint8, but .* is 7 x 6 uint8"):
        dw.read_weights([paths[0], small])


def test_other_depths_become_floats(tmp_path):
    wide = RNG.integers(0, 65536, (5, 6, 4), dtype=np.uint16)
    found = dw.read_weights(write(tmp_path / "w.png", wide))
    assert found.dtype == np.float32 and np.abs(found * 65535 - wide).max() < 0.01
    floats = RNG.random((5, 6, 4), dtype=np.float32)
    floats[..., 3] = 0
    assert (dw.read_weights(write(tmp_path / "w.exr", floats)) == floats).all()


@pytest.mark.parametrize("suffix", [".dds", ".ktx2"])
def test_textures_are_read_too(tmp_path, suffix):
    image = RNG.integers(0, 256, (8, 8, 4), dtype=np.uint8)
    image[..., 3] = 0
    path = tmp_path / f"splat{suffix}"
    writer = dw.io.write_dds if suffix == ".dds" else dw.io.write_ktx2
    writer(path, [image], format="rgba8", color_space="linear")
    assert (dw.read_weights(path) == image).all()


def test_packed_and_index_maps_go_through_files(tmp_path):
    weights = RNG.dirichlet(np.ones(12), (9, 10)).astype(np.float32)
    packed = dw.pack_weights(weights)
    paths = [tmp_path / "a.png", tmp_path / "b.png"]
    for i, path in enumerate(paths):
        dw.io.write_image(path, packed.array[:, :, i], color_space="linear")
    found = dw.read_weights(paths, form="packed")
    assert isinstance(found, dw.PackedWeights) and (found.array == packed.array).all()
    one = dw.read_weights(paths[0], form="packed")
    assert (dw.unpack_weights(one) == dw.unpack_weights(packed)[..., :8]).all()
    made = dw.weights_to_index_map(weights, angle=15, navigation=True)
    made.array[0, 0] = 0x7FA00001  # a NaN with a message, as a float
    made.array[0, 1] = 0x00000005  # a subnormal number
    control = write(tmp_path / "c.exr", made.array.view(np.float32), channelnames=("Y",))
    back = dw.read_weights(control, form="index")
    assert isinstance(back, dw.IndexMap) and (back.array == made.array).all()
    with pytest.raises(dw.FormatError, match="an index map is one image of float32"):
        dw.read_weights(paths[0], form="index")
    with pytest.raises(dw.FormatError, match="packed weights are RGBA of 8 bits"):
        dw.read_weights(control, form="packed")
    with pytest.raises(ValueError, match="one or two images, got 3"):
        dw.read_weights(paths[:1] * 3, form="packed")
    with pytest.raises(ValueError, match="form must be"):
        dw.read_weights(paths, form="nibbles")
