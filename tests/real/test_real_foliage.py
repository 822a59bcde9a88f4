# SPDX-License-Identifier: MIT
"""Every file of the real foliage bakes, or is refused with its reason; real atlases are baked as
accurately as the sample.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from helpers import REPORT_LIMITS

import dapplewood as dw
from dapplewood.errors import FormatError

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "foliage"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no real foliage; set DAPPLEWOOD_DATA to the folder that holds it"
)

REFUSED = {
    ".txt": "that is not read",
    ".bin": "that is not read",
    ".gltf": "that is not read",
    "rgba8unorm-cube-incomplete.dds": r"a cube map with 5 of 6 faces \(-Z missing\)",
    "wrong-signature.dds": "begins with b'SSD ', not b'DDS '",
}

# Cards and atlases with cut-out alpha; all else is bark, data maps and samples of formats.
ATLASES = [
    "eztree/ash_color.png",
    "eztree/oak_color.png",
    "hterrain/grass_billboard.png",
    "leafset024/LeafSet024_1K-JPG_Color-LeafSet024_1K-JPG_Opacity.png",
    "panda/bigleaf3.png",
    "panda/envir-reeds.png",
    "panda/envir-tree1.png",
    "panda/oakleaf.png",
    "proton_scatter/t_grass.png",
    "proton_scatter/t_leaves_1.png",
    "smallpine/textures/M_TreeAtlas_baseColor.png",
    "supertuxkart/gfx_leaf_b.png",
    "supertuxkart/stktex_autumnLeaf_b.png",
    "trucktown_tree/textures/Leav_material_baseColor.png",
]


def files() -> list[str]:
    if not DATA.is_dir():
        return []
    return sorted(p.relative_to(DATA).as_posix() for p in DATA.rglob("*") if p.is_file())


def bake(path: str, device: dw.Device, tiles: object = None) -> dw.BakedAtlas:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some files hold colours outside 0 to 1
        return dw.bake_atlas(DATA / path, tiles=tiles, device=device)


@pytest.mark.parametrize("path", files())
def test_file_bakes_or_is_refused_with_its_reason(path, native_device):
    reason = REFUSED.get(Path(path).name) or REFUSED.get(Path(path).suffix)
    if reason is not None:
        with pytest.raises(FormatError, match=reason) as caught:
            bake(path, native_device)
        assert Path(path).name in str(caught.value)
        return
    baked = bake(path, native_device)
    height, width = baked.shape
    assert len(baked.levels) == max(height, width).bit_length()
    assert baked.levels[-1].shape == (1, 1, 4)
    visible = baked.source[..., 3] > 0
    most = np.iinfo(baked.source.dtype).max / 255
    kept = np.abs(baked.levels[0][visible] - baked.source[visible] / most)
    assert kept.max() <= 0.5 + 1e-6


def test_every_kind_of_refusal_occurs():
    names = [Path(path) for path in files()]
    for word in REFUSED:
        assert any(word in (path.name, path.suffix) for path in names), word


@pytest.mark.parametrize("path", ATLASES)
def test_atlas_is_within_every_limit(path, native_device):
    report = bake(path, native_device).report(distances=[4.0])
    report.assert_within(**REPORT_LIMITS)
    assert np.nanmax(np.abs(report.after.fringe_signed[report.after.fringe_texels >= 64])) < 0.1


def test_naive_chains_of_real_atlases_are_not(native_device):
    stained = 0
    for path in ATLASES:
        report = bake(path, native_device).report(distances=[4.0])
        with pytest.raises(AssertionError, match="mean coverage error"):
            report.assert_within(coverage_mean=0.6, chain="before")
        try:
            report.assert_within(fringe_mean=1.0, chain="before")
        except AssertionError:
            stained += 1
    # Three are one colour throughout, visible or not: nothing can stain them.
    assert stained >= 11


def weights(size: int, level_size: int) -> np.ndarray:
    """(level_size, size): how much of each texel lies under a texel of the next level."""
    scale = size / level_size
    texel, under = np.arange(size)[None], np.arange(level_size)[:, None]
    inside = np.minimum(texel + 1, (under + 1) * scale) - np.maximum(texel, under * scale)
    return np.clip(inside, 0, None) / scale


@pytest.mark.parametrize("path", ["hterrain/grass_billboard.png", "panda/oakleaf.png"])
def test_odd_sizes_follow_the_chain_in_double_precision(path, native_device):
    baked = bake(path, native_device)
    codes = np.arange(65536) / 65535
    table = np.where(codes <= 0.04045, codes / 12.92, ((codes + 0.055) / 1.055) ** 2.4)
    scale = 65535 // np.iinfo(baked.source.dtype).max
    alpha = baked.source[..., 3].astype(float) * scale / 65535
    light = table[baked.source[..., :3].astype(int) * scale] * alpha[..., None]
    odd = 0
    for level in baked.levels[1:]:
        height, width = level.shape[:2]
        odd += (alpha.shape[0] | alpha.shape[1]) & 1
        down, across = weights(alpha.shape[0], height), weights(alpha.shape[1], width).T
        alpha = down @ alpha @ across
        light = np.stack([down @ light[..., c] @ across for c in range(3)], axis=-1)
        shown = (level[..., 3] >= 128) & (alpha > 0)
        straight = light[shown] / alpha[shown][:, None]
        curve = 1.055 * np.maximum(straight, 0.0031308) ** (1 / 2.4) - 0.055
        wanted = 255 * np.where(straight <= 0.0031308, straight * 12.92, curve)
        if shown.sum() >= 64:
            assert np.abs(level[shown][:, :3] - wanted).mean() <= 0.3
    assert odd


def test_found_islands_are_within_every_limit(native_device):
    """Islands end between texels, which neighbours share far down: the limits hold for cards of 16
    texels and more."""
    for path in ATLASES:
        report = bake(path, native_device, tiles="auto").report(distances=[4.0])
        report.assert_within(**REPORT_LIMITS, least_edge=16)
