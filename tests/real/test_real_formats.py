# SPDX-License-Identifier: MIT
"""Every image and texture of the real data is read, or refused with its reason.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import OpenImageIO as oiio
import pytest
from helpers_ktx2 import violations

from dapplewood.errors import FormatError
from dapplewood.io import encode_levels, read_image, read_texture

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data"))
SUFFIXES = {".png", ".jpg", ".jpeg", ".webp", ".tga", ".exr", ".dds", ".ktx2"}

REFUSED = {
    "rgba8unorm-cube-incomplete.dds": r"a cube map with 5 of 6 faces \(-Z missing\)",
    "wrong-signature.dds": "begins with b'SSD ', not b'DDS '",
}

# Format, levels, level 0 (width, height), colour space, alpha mode.
TEXTURES = {
    "DX10 BC7_UNORM.dds": ("bc7", 8, (129, 66), "linear", "straight"),
    "DX9 BC3_UNORM.dds": ("bc3", 8, (129, 66), "srgb", "unknown"),
    "argb-32bpp_MipMaps-1.dds": ("rgba8", 1, (256, 256), "linear", "unknown"),
    "bgr15.dds": ("R5G5B5", 1, (128, 128), "srgb", "unknown"),
    "bgr8unorm-mips.dds": ("R8G8B8", 2, (3, 2), "srgb", "unknown"),
    "dxt10-rgba8srgb.dds": ("rgba8", 1, (3, 2), "srgb", "opaque"),
    "dxt3-incomplete-blocks.dds": ("bc2", 1, (63, 27), "srgb", "unknown"),
    "dxt5-argb-8bbp-interpolatedalpha_MipMaps-1.dds": ("bc3", 1, (256, 256), "srgb", "unknown"),
    "2d-compressed-bc3.ktx2": ("bc3", 1, (8, 8), "srgb", "straight"),
    "2d-mipmaps.ktx2": ("rgb8", 3, (4, 3), "srgb", "opaque"),
    "2d-rgba.ktx2": ("rgba8", 1, (4, 3), "srgb", "straight"),
    "2d_rgba16_linear.ktx2": ("rgba16f", 6, (40, 40), "linear", "straight"),
    "grass_DM.dds": ("R8G8B8A8", 10, (512, 512), "srgb", "unknown"),
    "gravel_DM.dds": ("R8G8B8A8", 10, (512, 512), "srgb", "unknown"),
    "snow_DM.dds": ("R8G8B8A8", 10, (512, 512), "srgb", "unknown"),
}

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no real data in {DATA.name}; set DAPPLEWOOD_DATA to their folder"
)


def paths():
    if not DATA.is_dir():
        return []
    found = (p for p in DATA.rglob("*") if p.suffix.lower() in SUFFIXES)
    return sorted(p.relative_to(DATA).as_posix() for p in found)


def found(name):
    return next(DATA.rglob(name))


@pytest.mark.parametrize("name", paths())
def test_every_file_is_read_or_refused_with_its_reason(name):
    path = DATA / name
    if path.name in REFUSED:
        for read in (read_image, read_texture):
            with pytest.raises(FormatError, match=REFUSED[path.name]) as caught:
                read(path)
            assert str(path) in str(caught.value)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        image = read_image(path)
        texture = read_texture(path)
    assert image.array.ndim == 3 and image.array.shape[2] == 4
    assert image.array.dtype in (np.uint8, np.uint16)
    assert image.color_space in ("srgb", "linear")
    assert texture.levels[0].shape == image.array.shape
    if not image.has_alpha:
        assert (image.array[..., 3] == np.iinfo(image.array.dtype).max).all()


@pytest.mark.parametrize("name", sorted(TEXTURES))
def test_textures_are_what_their_makers_say(name):
    texture = read_texture(found(name))
    kind, levels, size, color_space, alpha_mode = TEXTURES[name]
    assert (texture.format, len(texture.levels)) == (kind, levels)
    assert (texture.width, texture.height) == size
    assert (texture.color_space, texture.alpha_mode) == (color_space, alpha_mode)


@pytest.mark.parametrize("name", [n for n in sorted(TEXTURES) if n.endswith(".dds")])
def test_texels_are_those_of_openimageio(name):
    path = found(name)
    texture = read_texture(path)
    config = oiio.ImageSpec()
    config.attribute("oiio:UnassociatedAlpha", 1)
    source = oiio.ImageInput.open(str(path), config)
    for number, level in enumerate(texture.levels):
        assert source.seek_subimage(0, number)
        spec = source.spec()
        theirs = source.read_image(0, number, 0, spec.nchannels, "uint8").astype(int)
        # 5-bit channels and ramps of BC3 alpha are rounded here, and cut off there.
        slack = 1 if texture.format in ("bc3", "R5G5B5") else 0
        assert np.abs(level[..., : spec.nchannels] - theirs).max() <= slack


@pytest.mark.parametrize("name", ["2d-rgba.ktx2", "2d-compressed-bc3.ktx2"])
def test_the_ktx2_checker_finds_no_fault_in_files_of_other_makers(name):
    assert violations(found(name).read_bytes()) == []


def test_the_dds_and_the_png_of_one_picture_agree():
    stem = "dxt5-argb-8bbp-interpolatedalpha_MipMaps-1"
    compressed = read_image(found(f"{stem}.dds")).array.astype(int)
    plain = read_image(found(f"{stem}.png")).array.astype(int)
    assert np.abs(compressed - plain).max() <= 2


def test_bc7_and_bc3_of_one_picture_are_alike():
    fine = read_image(found("DX10 BC7_UNORM.dds")).array
    coarse = read_image(found("DX9 BC3_UNORM.dds")).array
    assert np.abs(fine.astype(int) - coarse)[fine[..., 3] > 8].mean() < 12


LEAVES = ["t_grass.png", "oakleaf.png", "ash_color.png", "grass_billboard.png"]


@pytest.mark.parametrize("name", LEAVES)
def test_real_leaves_keep_their_alpha_in_every_block_format(name):
    pytest.importorskip("etcpak")
    image = read_image(found(name)).array
    alpha = image[..., 3] if image.dtype == np.uint8 else (image[..., 3] // 257)
    for kind, lost in (("bc3", 0), ("bc7", 0.08)):
        back = encode_levels([image], format=kind).decode()[0][..., 3]
        assert np.abs(back.astype(int) - alpha).mean() < 1.5
        assert ((back >= 128) != (alpha >= 128)).mean() < 0.01
        assert (back[alpha == 0] > 0).mean() <= lost
        assert (back[alpha == 255] < 255).mean() <= lost
    back = encode_levels([image], format="bc1").decode()[0][..., 3]
    assert ((back == 255) != (alpha >= 128)).mean() < 0.01
