# SPDX-License-Identifier: MIT
"""Block compression: decoders against OpenImageIO's, encoders against what they must keep."""

from __future__ import annotations

import builtins
import os
import struct
import subprocess
import sys

import numpy as np
import OpenImageIO as oiio
import pytest

from dapplewood.io import bc1, bc7, blocks, encode_levels
from dapplewood.io.bc7_alpha import restore_alpha_ends
from dapplewood.io.formats import BY_NAME, FORMATS, full_levels, mip_size

DXGI = {"bc1": 71, "bc2": 74, "bc3": 77, "bc4": 80, "bc5": 83, "bc7": 98}


def decoded_by_openimageio(path, data, name, edge):
    """Blocks as OpenImageIO decodes them from a DDS file built here by hand."""
    header = struct.pack("<4s7I44x", b"DDS ", 124, 0x81007, edge, edge, len(data), 1, 1)
    header += struct.pack("<2I4s5I5I", 32, 4, b"DX10", 0, 0, 0, 0, 0, 0x1000, 0, 0, 0, 0)
    header += struct.pack("<5I", DXGI[name], 3, 0, 1, 0)
    path.write_bytes(header + data)
    config = oiio.ImageSpec()
    config.attribute("oiio:UnassociatedAlpha", 1)
    source = oiio.ImageInput.open(str(path), config)
    return source.read_image(0, 0, 0, source.spec().nchannels, "uint8").astype(int)


def foliage(height, width, seed=7):
    """Smooth colours under soft discs of alpha, with clear and full texels."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width].astype(float)
    image = np.empty((height, width, 4))
    for channel in range(3):
        image[..., channel] = 128 + 90 * np.sin(x / 9 + channel) * np.cos(y / 11 - channel)
    alpha = np.full((height, width), -40.0)
    for _ in range(max(3, height * width // 900)):
        center = random.random(2) * (height, width)
        distance = np.hypot(y - center[0], x - center[1])
        alpha = np.maximum(alpha, 300 - 25 * distance)
    image[..., 3] = alpha
    return np.clip(image + random.normal(0, 2, image.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", ["bc1", "bc2", "bc3", "bc4", "bc5"])
def test_decoders_agree_with_openimageio_on_random_blocks(tmp_path, name):
    row = BY_NAME[name]
    data = np.random.default_rng(2).integers(0, 256, 32 * 32 * row.block_bytes, np.uint8).tobytes()
    ours = blocks.decode(data, 128, 128, row).astype(int)
    theirs = decoded_by_openimageio(tmp_path / "a.dds", data, name, 128)
    difference = np.abs(ours[..., : theirs.shape[2]] - theirs)
    # Seven- and five-step ramps are rounded here and cut off there.
    ramps = {"bc3": [3], "bc4": [0], "bc5": [0, 1]}.get(name, [])
    assert difference[..., ramps].max(initial=0) <= 1
    exact = [channel for channel in range(theirs.shape[2]) if channel not in ramps]
    assert difference[..., exact].max(initial=0) == 0


@pytest.mark.parametrize("mode", range(9))
def test_bc7_decoder_equals_openimageio_in_every_mode(tmp_path, mode):
    data = np.random.default_rng(mode).integers(0, 256, (64 * 64, 16), np.uint8)
    if mode < 8:
        data[:, 0] = ((data[:, 0].astype(int) >> (mode + 1)) << (mode + 1)) | (1 << mode)
    else:
        data[:, 0] = 0
    ours = blocks.decode(data.tobytes(), 256, 256, BY_NAME["bc7"])
    np.testing.assert_array_equal(
        ours, decoded_by_openimageio(tmp_path / "a.dds", data.tobytes(), "bc7", 256)
    )


def test_unorm_ramps_round_to_nearest():
    # Ends 255 and 0: the exact ramp is k * 255 / 7.
    block = np.zeros((1, 8), np.uint8)
    block[0, 0] = 255
    indices = sum(index << (3 * index) for index in range(8))
    block[0, 2:] = np.frombuffer(indices.to_bytes(6, "little"), np.uint8)
    values = bc1.decode_channel(block)[0, :8]
    expected = [255, 0] + [int(np.floor(255 * (7 - k) / 7 + 0.5)) for k in range(1, 7)]
    assert values.tolist() == expected


@pytest.mark.parametrize("name", ["bc1", "bc3", "bc4", "bc5", "bc7"])
@pytest.mark.parametrize("size", [(64, 64), (61, 34), (4, 4), (3, 5), (1, 9), (2, 1), (1, 1)])
def test_round_trip_stays_near_and_has_the_right_size(name, size):
    pytest.importorskip("etcpak")
    width, height = size
    image = foliage(height, width)
    chain = encode_levels([image], format=name)
    data = chain.payloads[0][0]
    across, down = max(1, -(-width // 4)), max(1, -(-height // 4))
    assert memoryview(data).nbytes == across * down * (8 if name in ("bc1", "bc4") else 16)
    back = chain.decode()[0]
    assert back.shape == image.shape
    seen = image[..., 3] >= 128 if name == "bc1" else np.ones(image.shape[:2], bool)
    channels = {"bc4": [0], "bc5": [0, 1], "bc1": [0, 1, 2]}.get(name, [0, 1, 2, 3])
    error = (back.astype(float) - image)[seen][:, channels]
    assert np.sqrt((error**2).mean()) < 9 if error.size else True


@pytest.mark.parametrize("name", ["bc3", "bc7"])
def test_channels_keep_their_order(name):
    pytest.importorskip("etcpak")
    image = np.empty((8, 8, 4), np.uint8)
    image[...] = (200, 100, 50, 150)
    back = encode_levels([image], format=name).decode()[0]
    assert np.abs(back.astype(int) - image).max() <= 6


def test_hidden_colours_do_not_spoil_the_seen_ones_of_bc3():
    pytest.importorskip("etcpak")
    image = foliage(128, 128)
    image[..., :3] = np.clip(image[..., :3] // 4 + (90, 140, 10), 0, 255)
    clean = encode_levels([image], format="bc3").decode()[0]
    seen = image[..., 3] > 127
    noisy = image.copy()
    noise = np.random.default_rng(3).integers(0, 256, image[..., :3].shape)
    noisy[..., :3] = np.where((image[..., 3] < 4)[..., None], noise, image[..., :3])
    spoilt = encode_levels([noisy], format="bc3").decode()[0]
    errors = [
        np.abs(back.astype(int) - image)[seen][:, :3].max(-1) for back in (clean, spoilt)
    ]
    assert errors[1].mean() < errors[0].mean() + 1
    assert errors[1].max() < errors[0].max() + 24


def test_colours_weighed_by_alpha_still_keep_the_hidden_when_there_is_room():
    texels = np.zeros((1, 16, 3), np.uint8)
    texels[0, :8], texels[0, 8:] = (255, 0, 0), (0, 0, 255)
    alpha = np.repeat(np.array([[255, 0]], np.uint8), 8, axis=1)
    back = bc1.decode_color(bc1.encode_by_alpha(texels, alpha), always_four=True)
    np.testing.assert_array_equal(back[..., :3], texels)


@pytest.mark.parametrize("name", ["bc3", "bc4", "bc5"])
def test_ramps_keep_0_and_255(name):
    pytest.importorskip("etcpak")
    image = foliage(128, 128)
    image[..., :2] = image[..., 3:]
    back = encode_levels([image], format=name).decode()[0]
    for channel in {"bc3": [3], "bc4": [0], "bc5": [0, 1]}[name]:
        for end in (0, 255):
            assert (back[..., channel][image[..., channel] == end] == end).all()
        error = back[..., channel].astype(float) - image[..., channel]
        assert np.sqrt((error**2).mean()) < 6


def test_the_better_of_two_ramps_is_taken():
    texels = np.zeros((3, 16), np.uint8)
    texels[0] = [0, 255] + [100, 102, 104, 106, 108, 110, 100] * 2  # six inside, and the ends
    texels[1] = np.linspace(0, 255, 8).round().repeat(2)  # eight from end to end
    texels[2] = [0] * 8 + [255] * 8
    np.testing.assert_array_equal(bc1.decode_channel(bc1.encode_channel(texels)), texels)


def test_bc1_transparency_is_exact_for_every_cutoff():
    pytest.importorskip("etcpak")
    image = foliage(96, 128)
    for cutoff in (1, 77, 128, 255):
        back = encode_levels([image], format="bc1", alpha_cutoff=cutoff).decode()[0]
        np.testing.assert_array_equal(back[..., 3], np.where(image[..., 3] >= cutoff, 255, 0))


def test_bc1_without_transparency_never_decodes_a_hole():
    pytest.importorskip("etcpak")
    random = np.random.default_rng(4)
    image = random.integers(0, 256, (256, 256, 4), np.uint8)
    image[:128] = image[:128:4, ::4].repeat(4, 0).repeat(4, 1)  # blocks of one colour
    image[..., 3] = 255
    assert (encode_levels([image], format="bc1").decode()[0][..., 3] == 255).all()


def test_reordering_opaque_bc1_keeps_the_colours():
    random = np.random.default_rng(6)
    data = random.integers(0, 256, (4096, 8), np.uint8)
    ends = data.view("<u2")
    # Only indices 0 and 1 mean the same colour in both modes.
    data.view("<u4")[:, 1] &= np.uint32(0x55555555)
    ends[:64, 1] = ends[:64, 0]
    fixed = bc1.keep_opaque(data)
    np.testing.assert_array_equal(bc1.decode_bc1(fixed), bc1.decode_bc1(data))
    assert (fixed.view("<u2")[:, 0] >= fixed.view("<u2")[:, 1]).all()


def test_punch_through_colours_are_close():
    image = foliage(128, 128)
    texels = blocks._to_blocks(image)
    opaque = texels[..., 3] >= 128
    rows = opaque.any(1) & ~opaque.all(1)
    back = bc1.decode_bc1(bc1.encode_punch_through(texels[rows][..., :3], opaque[rows]))
    np.testing.assert_array_equal(back[..., 3] == 255, opaque[rows])
    error = (back[..., :3].astype(float) - texels[rows][..., :3])[opaque[rows]]
    assert np.sqrt((error**2).mean()) < 8


def test_punch_through_finds_two_colours_exactly():
    texels = np.zeros((1, 16, 3), np.uint8)
    texels[0, :8] = (255, 0, 0)
    texels[0, 8:] = (0, 0, 255)
    opaque = np.ones((1, 16), bool)
    opaque[0, 5] = opaque[0, 12] = False
    back = bc1.decode_bc1(bc1.encode_punch_through(texels, opaque))
    np.testing.assert_array_equal(back[0, opaque[0], :3], texels[0, opaque[0]])
    assert (back[0, ~opaque[0]] == 0).all()


def test_bc7_keeps_opaque_blocks_opaque_and_clear_ones_clear():
    pytest.importorskip("etcpak")
    image = foliage(256, 256)
    image[:64, :, 3] = 255
    image[64:128, :, 3] = 0
    back = encode_levels([image], format="bc7").decode()[0]
    assert (back[:64, :, 3] == 255).all()
    assert (back[64:128, :, 3] == 0).all()


def test_bc7_alpha_ends_are_mended():
    pytest.importorskip("etcpak")
    image = foliage(256, 256)
    alpha = blocks._to_blocks(image)[..., 3]
    data = blocks._compress("bc7", image)
    before = bc7.decode_bc7(data)
    after = bc7.decode_bc7(restore_alpha_ends(data.copy(), alpha))
    modes = bc7._modes_of(data)
    # Texels a step or two from the end are lost to the encoder; the rest are steep gradients.
    near = 5
    for end in (0, 255):
        found = alpha == end
        found &= (modes[:, None] != 7) | (end == 0)
        gap_before, gap_after = (abs(t[..., 3][found].astype(int) - end) for t in (before, after))
        lost_before = ((gap_before > 0) & (gap_before < near)).mean()
        lost_after = ((gap_after > 0) & (gap_after < near)).mean()
        assert lost_before > 0.1, "the encoder no longer needs mending"
        assert lost_after < lost_before / 10
    # The shared lowest bit moves visible colours by one step at most, in mode 6.
    moved = np.abs(after[..., :3].astype(int) - before[..., :3]).max((1, 2))
    assert moved[modes == 6].max() == 1
    assert moved[modes == 7].max() <= 4
    assert moved[(modes != 6) & (modes != 7)].max() == 0


def test_mending_touches_nothing_but_alpha_ends():
    data = np.random.default_rng(8).integers(0, 256, (4096, 16), np.uint8)
    data[:, 0] = np.array([64, 32, 128, 1])[np.arange(4096) % 4]
    alpha = np.full((4096, 16), 100, np.uint8)
    np.testing.assert_array_equal(restore_alpha_ends(data.copy(), alpha), data)


def test_mode_5_alpha_ends_that_stop_short_are_moved():
    data = np.zeros((1, 16), np.uint8)
    words = data.view("<u8")
    words[0, 0] = np.uint64(32 | 3 << 50 | (253 & 63) << 58)
    words[0, 1] = np.uint64(253 >> 6)
    alpha = np.zeros((1, 16), np.uint8)
    alpha[0, 0] = 255
    mended = bc7.decode_bc7(restore_alpha_ends(data.copy(), alpha))
    assert bc7.decode_bc7(data)[0, 0, 3] == 3
    assert mended[0, 0, 3] == 0
    assert restore_alpha_ends(data.copy(), alpha)[0, 8] & 3 == 3


def test_many_processes_give_the_bytes_of_one(monkeypatch):
    pytest.importorskip("etcpak")
    image = foliage(84, 64)
    alone = bytes(blocks.encode(image, BY_NAME["bc7"]))
    monkeypatch.setattr(blocks, "_PARALLEL_BLOCKS", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    started = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *a, **k: started.append(a) or run(*a, **k))
    assert bytes(blocks.encode(image, BY_NAME["bc7"])) == alone
    assert len(started) == 3


def test_an_interpreter_that_cannot_be_started_is_done_without(monkeypatch):
    pytest.importorskip("etcpak")
    image = foliage(84, 64)
    alone = bytes(blocks.encode(image, BY_NAME["bc7"]))
    monkeypatch.setattr(blocks, "_PARALLEL_BLOCKS", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for executable in ("/nowhere/python", "", None):
        monkeypatch.setattr(sys, "executable", executable)
        assert bytes(blocks.encode(image, BY_NAME["bc7"])) == alone


def test_without_etcpak_the_extra_is_named(monkeypatch):
    genuine = builtins.__import__

    def refuse(name, *rest, **more):
        if name == "etcpak":
            raise ImportError("no etcpak")
        return genuine(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"pip install dapplewood\[compress\]"):
        encode_levels([np.zeros((4, 4, 4), np.uint8)], format="bc7")
    encode_levels([np.zeros((4, 4, 4), np.uint8)], format="rgba8")


def test_depth_converts_with_rounding():
    wide = np.arange(65536, dtype=np.uint16).reshape(128, 128, 4)
    narrow = np.frombuffer(blocks.encode(wide, BY_NAME["rgba8"]), np.uint8)
    expected = np.floor(wide.reshape(-1).astype(float) * 255 / 65535 + 0.5)
    np.testing.assert_array_equal(narrow, expected)
    back = np.frombuffer(blocks.encode(narrow.reshape(128, 128, 4), BY_NAME["rgba16"]), "<u2")
    np.testing.assert_array_equal(back, narrow.astype(int) * 257)


def test_plain_levels_are_not_copied():
    image = np.zeros((64, 64, 4), np.uint8)
    view = blocks.encode(image, BY_NAME["rgba8"])
    image[0, 0, 0] = 9
    assert view[0] == 9
    assert np.shares_memory(blocks.decode(view, 64, 64, BY_NAME["rgba8"]), image)


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.name)
def test_every_format_decodes_to_rgba(row):
    data = np.random.default_rng(1).integers(0, 60, row.size_bytes(6, 5), np.uint8).tobytes()
    image = blocks.decode(data, 6, 5, row)
    assert image.shape == (5, 6, 4)
    kinds = {"u16": np.uint16, "f16": np.float32, "f32": np.float32}
    assert image.dtype == kinds.get(row.storage, np.uint8)
    if not row.has_alpha:
        top = 1 if image.dtype.kind == "f" else np.iinfo(image.dtype).max
        assert (image[..., 3] == top).all()


def test_the_format_table_is_consistent():
    names = [row.name for row in FORMATS]
    assert len(set(names)) == len(names)
    for column in ("vk_unorm", "vk_srgb", "dxgi_unorm", "dxgi_srgb"):
        values = [getattr(row, column) for row in FORMATS if getattr(row, column) is not None]
        assert len(set(values)) == len(values), column
    for row in FORMATS:
        bits = 8 * row.block_bytes
        assert all(s.bit_offset + s.bit_length <= bits for s in row.samples)
        assert row.vk_srgb is None or row.vk_unorm is not None


def test_mip_sizes_round_down_and_stay_positive():
    assert [mip_size(129, 66, level) for level in range(8)] == [
        (129, 66), (64, 33), (32, 16), (16, 8), (8, 4), (4, 2), (2, 1), (1, 1),
    ]  # fmt: skip
    assert full_levels(129, 66) == 8 and full_levels(1, 1) == 1 and full_levels(128, 1) == 8
