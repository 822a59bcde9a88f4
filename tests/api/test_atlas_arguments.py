# SPDX-License-Identifier: MIT
"""What bake_atlas takes and what it refuses, and in which words."""

import copy
import inspect
import json
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import dapplewood as dw
from dapplewood import _core
from dapplewood.batch_plan import BatchSettings
from helpers import noise_image


@pytest.fixture(scope="module")
def cpu():
    with dw.Device("cpu") as device:
        yield device


@pytest.fixture(scope="module")
def plain(cpu):
    image = noise_image(32, 24, seed=2)
    return image, dw.bake_atlas(image, device=cpu)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a.levels, b.levels))


@pytest.mark.parametrize(
    "change",
    [
        lambda i: i[::-1][::-1],
        lambda i: i[::-1, ::-1].copy()[::-1, ::-1],
        lambda i: np.asfortranarray(i),
        lambda i: np.repeat(i, 2, axis=1)[:, ::2],
        lambda i: i.tolist() and np.array(i, order="F"),
        lambda i: np.lib.stride_tricks.as_strided(i, i.shape, i.strides, writeable=False),
    ],
)
def test_any_strides_just_work(cpu, plain, change):
    image, wanted = plain
    assert same(dw.bake_atlas(change(image), device=cpu), wanted)


@pytest.mark.parametrize("offset", [1, 2, 3])
def test_any_address_just_works(cpu, plain, offset):
    image, wanted = plain
    data = np.empty(image.nbytes + offset, np.uint8)
    odd = data[offset:].reshape(image.shape)
    odd[:] = image
    assert odd.ctypes.data % 4 == offset and odd.flags.c_contiguous
    assert same(dw.bake_atlas(odd, device=cpu), wanted)


def test_big_endian_and_read_only(cpu):
    image = noise_image(32, 24, bits=16)
    wanted = dw.bake_atlas(image, device=cpu)
    swapped = image.astype(">u2")
    swapped.flags.writeable = False
    assert same(dw.bake_atlas(swapped, device=cpu), wanted)
    assert np.array_equal(swapped, image)


def test_floats_become_16_bit(cpu):
    image = noise_image(32, 24, bits=16)
    for dtype in (np.float32, np.float64):
        floats = (image / 65535.0).astype(dtype)
        assert same(dw.bake_atlas(floats, device=cpu), dw.bake_atlas(image, device=cpu))


@pytest.mark.parametrize("cutoff", [0.5, np.float32(0.5), np.float64(0.5), [0.5], np.array([0.5])])
def test_a_cutoff_is_any_number(cpu, plain, cutoff):
    image, wanted = plain
    baked = dw.bake_atlas(image, cutoffs=cutoff, device=cpu)
    assert baked.cutoffs == (0.5,) and same(baked, wanted)
    assert BatchSettings(cutoffs=cutoff).cutoffs == (0.5,)


def test_half_floats_reach_white(cpu):
    image = np.linspace(0, 1, 8 * 8 * 4, dtype=np.float16).reshape(8, 8, 4)
    baked = dw.bake_atlas(image, device=cpu)
    wanted = np.rint(image.astype(np.float64) * 65535)
    assert np.abs(baked.source - wanted).max() <= 1 and baked.source.max() == 65535
    assert same(baked, dw.bake_atlas(image.astype(np.float32), device=cpu))


def test_a_bake_can_be_copied(plain):
    again = copy.deepcopy(plain[1])
    assert same(again, plain[1]) and again.device is plain[1].device
    assert not np.shares_memory(again.levels[0], plain[1].levels[0])


def test_rects_are_no_view_of_the_callers_array(cpu):
    rects = np.array([[0, 0, 8, 8]], np.int32)
    tiles = dw.TileRects(rects)
    rects[0, 0] = 3
    assert tiles.rects.tolist() == [[0, 0, 8, 8]] and not tiles.rects.flags.writeable


def test_kinds_by_member_and_by_word(cpu, plain):
    image, _ = plain
    by_word = dw.bake_atlas(image, filter="kaiser", fill="wrap", coverage="none", device=cpu)
    by_member = dw.bake_atlas(
        image,
        filter=dw.MipFilter.KAISER,
        fill=dw.FillMode.WRAP,
        coverage=dw.CoverageMode.NONE,
        color_space=dw.ColorSpace.SRGB,
        device=cpu,
    )
    assert same(by_word, by_member)


def test_opacity_from_elsewhere(cpu, plain, tmp_path):
    image, wanted = plain
    assert same(dw.bake_atlas(image[..., :3], opacity=image[..., 3], device=cpu), wanted)
    moved = image[..., [3, 0, 1, 2]]  # opacity in red
    picked = dw.bake_atlas(moved, opacity="r", device=cpu)
    assert np.array_equal(picked.levels[0][..., 3], image[..., 3])
    from dapplewood.io import write_image

    write_image(tmp_path / "color.png", np.dstack([image[..., :3], np.full((24, 32), 255, "u1")]))
    grey = np.repeat(image[..., 3:], 3, axis=2)
    write_image(tmp_path / "opacity.png", np.dstack([grey, np.full((24, 32), 255, "u1")]))
    from_files = dw.bake_atlas(
        tmp_path / "color.png", opacity=tmp_path / "opacity.png", device=cpu
    )
    assert np.array_equal(from_files.levels[0][..., 3], image[..., 3])
    wide = image[..., 3].astype(np.uint16) * 257
    assert same(dw.bake_atlas(image[..., :3], opacity=wide, device=cpu),
                dw.bake_atlas(image.astype(np.uint16) * 257, device=cpu))


@pytest.mark.parametrize("bits", [8, 16])
def test_premultiplied_input_is_divided_exactly(cpu, bits):
    most = 2**bits - 1
    dtype = np.uint8 if bits == 8 else np.uint16
    rng = np.random.default_rng(1)
    image = rng.integers(0, most + 1, (40, 30, 4)).astype(dtype)
    color = np.minimum(image[..., :3], image[..., 3:])
    image[..., :3] = color
    alpha = image[..., 3:].astype(np.int64)
    wanted = np.where(alpha > 0, (color.astype(np.int64) * most + alpha // 2)
                      // np.maximum(alpha, 1), 0)
    straight, clipped = _core.unpremultiply(cpu, image)
    assert clipped == 0
    assert np.array_equal(straight[..., :3], np.minimum(wanted, most))
    baked = dw.bake_atlas(image, premultiplied=True, fill="keep", device=cpu)
    assert any("premultiplied" in note for note in baked.notes)
    image[0, 0] = (most, most, most, 1)
    assert _core.unpremultiply(cpu, image)[1] == 3


def test_a_file_that_is_premultiplied_is_divided_once(cpu):
    image = noise_image(16, 16)
    read = dw.Image(image, "srgb", 8, True, 4, True, "openexr")
    for said in (False, True):
        baked = dw.bake_atlas(read, premultiplied=said, device=cpu)
        assert np.array_equal(baked.source, image)
        assert len(baked.notes) == 1 and "divided by alpha" in baked.notes[0]


BAD = {
    "rank": (dict(image=np.zeros((4, 4), "u1")), ValueError, "image must have 3 dimensions"),
    "channels": (dict(image=np.zeros((4, 4, 2), "u1")), ValueError, "3 or 4 channels"),
    "no alpha": (dict(image=np.zeros((4, 4, 3), "u1")), ValueError, "no alpha; give opacity="),
    "empty": (dict(image=np.zeros((0, 4, 4), "u1")), ValueError, "image is empty"),
    "dtype": (dict(image=np.zeros((4, 4, 4), "i4")), TypeError, "uint8, uint16 or float"),
    "complex": (dict(image=np.zeros((4, 4, 4), "c8")), TypeError, "got complex64"),
    "object": (dict(image=np.full((4, 4, 4), None)), TypeError, "got object"),
    "bool": (dict(image=np.zeros((4, 4, 4), "?")), TypeError, "got bool"),
    "nan": (dict(image=np.full((4, 4, 4), np.nan, "f4")), ValueError, "NaN or infinite"),
    "inf": (dict(image=np.full((4, 4, 4), np.inf, "f8")), ValueError, "NaN or infinite"),
    "range": (dict(image=np.full((4, 4, 4), 2.0, "f4")), ValueError, r"must lie in \[0, 1\]"),
    "wide": (dict(image=np.zeros((1, 16385, 4), "u1")), dw.CapacityError, "16385 x 1 texels"),
    "gutter": (dict(tiles=dw.TileGrid(2, 2, gutter=4)), ValueError, "less than half"),
    "grid": (dict(tiles=dw.TileGrid(3, 2)), ValueError, "does not divide"),
    "outside": (dict(tiles=dw.TileRects([[10, 0, 8, 8]])), ValueError, "reaches outside"),
    "huge": (dict(tiles=dw.TileRects([[2**31 - 9, 0, 8, 8]])), ValueError, "reaches outside"),
    "negative": (dict(tiles=dw.TileRects([[-1, 0, 8, 8]])), ValueError, "reaches outside"),
    "flat": (dict(tiles=dw.TileRects([[0, 0, 0, 8]])), ValueError, "must be 1 or more"),
    "none": (dict(tiles=dw.TileRects(np.zeros((0, 4), int))), ValueError, "holds no rect"),
    "overlap": (
        dict(tiles=dw.TileRects([[0, 0, 8, 8], [7, 7, 8, 8]])), ValueError, "0 and 1 overlap"),
    "word": (dict(tiles="grid"), ValueError, "tiles must be a TileGrid"),
    "tiles": (dict(tiles=5), TypeError, "tiles must be a TileGrid"),
    "start type": (dict(start_level=1.5), TypeError, "start_level must be an int, got float"),
    "start huge": (dict(start_level=2**40), ValueError, "start_level must fit in 32 bits"),
    "strength type": (dict(strength="1"), TypeError, "strength must be a number, got str"),
    "cutoff 0": (dict(cutoffs=(0.0,)), ValueError, r"inside \(0, 1\), got 0"),
    "cutoff 1": (dict(cutoffs=1.0), ValueError, r"inside \(0, 1\), got 1"),
    "cutoff nan": (dict(cutoffs=float("nan")), ValueError, r"inside \(0, 1\)"),
    "no cutoff": (dict(cutoffs=()), ValueError, "1 to 4 values, got 0"),
    "cutoffs": (dict(cutoffs=(0.1, 0.2, 0.3, 0.4, 0.5)), ValueError, "1 to 4 values"),
    "order": (dict(cutoffs=(0.5, 0.4)), ValueError, "must ascend"),
    "cutoff word": (dict(cutoffs="0.5"), TypeError, "cutoffs must be a number"),
    "cutoff None": (dict(cutoffs=None), TypeError, "cutoffs must be a number"),
    "coverage": (dict(coverage="tiles"), ValueError, '"tile", "image"'),
    "filter": (dict(filter="Box"), ValueError, 'one of "box", "kaiser"'),
    "other enum": (dict(filter=dw.FillMode.EDGE), ValueError, "filter must be a MipFilter"),
    "fill": (dict(fill=3), ValueError, "fill must be a FillMode"),
    "space": (dict(color_space="rgb"), ValueError, '"srgb", "linear"'),
    "level": (dict(max_level=-1), ValueError, "max_level must be 0 or more"),
    "level type": (dict(max_level="last"), TypeError, 'None, an int or "safe"'),
    "start": (dict(start_level=-2), ValueError, "start_level must be 0 or more, got -2"),
    "strength": (dict(strength=1.5), ValueError, r"strength must lie in \[0, 1\], got 1.5"),
    "opacity": (dict(opacity=np.zeros((3, 3), "u1")), ValueError, "image's size"),
    "target": (dict(target_coverage=np.zeros((2, 1))), ValueError, r"shape \(1, 1\)"),
    "target range": (dict(target_coverage=[[2.0]]), ValueError, r"must lie in \[0, 1\]"),
    "target mode": (
        dict(target_coverage=[[0.5]], coverage="none"), ValueError, 'coverage="tile"'),
    "device": (dict(device="cpu"), TypeError, "device must be a dapplewood.Device"),
    "progress": (dict(progress=3), TypeError, "progress must be a callable"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_named(cpu, plain, name):
    changes, error, text = BAD[name]
    arguments = {"image": plain[0][:16, :16], "device": cpu, **changes}
    with pytest.raises(error, match=text):
        dw.bake_atlas(arguments.pop("image"), **arguments)


@pytest.mark.parametrize(
    "more, error, text",
    [
        (dict(content=0), ValueError, "content must be 1 or more"),
        (dict(content=True), TypeError, "content must be an int"),
        (dict(content=2**40), ValueError, "content must fit in 32 bits"),
        (dict(gutter=-1), ValueError, "gutter must be 0 or more"),
        (dict(texels_per_metre=0), ValueError, "texels_per_metre must be a positive"),
        (dict(pixels_per_radian=float("nan")), ValueError, "pixels_per_radian must be a pos"),
    ],
)
def test_a_far_atlas_that_cannot_be_meant(plain, more, error, text):
    with pytest.raises(error, match=text):
        plain[1].far_atlas(**more)


def test_rects_that_are_no_texels():
    for value in (0.5, np.nan, np.inf):
        with pytest.raises(TypeError, match="whole numbers of texels"):
            dw.TileRects([[value, 0, 4, 4]])
    with pytest.raises(ValueError, match="gutter must fit in 32 bits"):
        dw.TileRects([[0, 0, 4, 4]], gutter=2**31)
    with pytest.raises(ValueError, match="threads must fit in 32 bits"):
        dw.Device("cpu", threads=2**40)


def test_bad_grids_are_refused_at_once():
    for arguments, error in [((0, 1), ValueError), ((1, 2.5), TypeError), ((1, 1, -1), ValueError)]:
        with pytest.raises(error):
            dw.TileGrid(*arguments)
    for rects in ([1, 2, 3, 4], [[1, 2, 3]], [[0.5, 0, 4, 4]], [["a", 0, 4, 4]]):
        with pytest.raises((ValueError, TypeError)):
            dw.TileRects(rects)


def test_files_that_are_none(cpu, tmp_path):
    with pytest.raises(FileNotFoundError):
        dw.bake_atlas(tmp_path / "absent.png", device=cpu)
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(dw.FormatError, match="text.png"):
        dw.bake_atlas(tmp_path / "text.png", device=cpu)


def test_defaults_are_those_of_the_core():
    signature = inspect.signature(dw.bake_atlas).parameters
    core = inspect.signature(_core.atlas_bake).parameters
    words = {"coverage": dw.CoverageMode, "filter": dw.MipFilter, "fill": dw.FillMode}
    for name, kind in words.items():
        assert kind[signature[name].default.upper()] == core[name].default
    for name in ("start_level", "strength", "target_coverage", "progress"):
        assert signature[name].default == core[name].default
    assert list(signature["cutoffs"].default) == list(np.atleast_1d(core["cutoffs"].default))
    every = [p.kind for p in list(signature.values())[1:]]
    assert set(every) == {inspect.Parameter.KEYWORD_ONLY}


def test_progress_runs_and_cancels(cpu):
    image = noise_image(1024, 1024)
    seen = []
    dw.bake_atlas(np.tile(image, (4, 4, 1)), filter="lanczos", progress=seen.append, device=cpu)
    assert seen and all(0.0 <= f <= 1.0 for f in seen)
    with pytest.raises(dw.Cancelled):
        dw.bake_atlas(
            np.tile(image, (4, 4, 1)), filter="lanczos", progress=lambda f: False, device=cpu
        )

    def fail(fraction):
        raise ZeroDivisionError("from the callback")

    with pytest.raises(ZeroDivisionError, match="from the callback"):
        dw.bake_atlas(np.tile(image, (4, 4, 1)), filter="lanczos", progress=fail, device=cpu)
    assert len(dw.bake_atlas(image, device=cpu).levels) == 11


def test_progress_may_bake_on_the_device_that_bakes():
    image = noise_image(1024, 1024)
    inner = []

    def bake_another(fraction):
        if not inner:
            inner.append(dw.bake_atlas(image, tiles=dw.TileGrid(2, 2), device=device))

    with dw.Device("cpu", threads=2) as device:
        large = np.tile(image, (4, 4, 1))
        dw.bake_atlas(large, filter="lanczos", progress=bake_another, device=device)
        assert same(inner[0], dw.bake_atlas(image, tiles=dw.TileGrid(2, 2), device=device))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda cpu, image: _core.coverage(cpu, image[..., 3], None, (0.5,)), "got None"),
        (lambda cpu, image: _core.fringe(cpu, image, 0, image, None, None, 0.5), "got None"),
        (lambda cpu, image: _core.resample_rects(cpu, image, 0, None, 4, 4), "got None"),
        (lambda cpu, image: _core.resample_rects(cpu, image, 9, None, 4, 4), "a ColorSpace, got 9"),
        (lambda cpu, image: _core.fringe(cpu, image, 0, image[0], None, None, 0.5), "^level must"),
    ],
)
def test_measurements_refuse_in_words(cpu, plain, call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call(cpu, plain[0])


def test_measured_alpha_has_a_longest_side(cpu):
    # No memory stands behind it: a stride of nothing.
    endless = np.broadcast_to(np.uint8(255), (1, (1 << 28) + 1))
    with pytest.raises(ValueError, match="at most 268435456 a side"):
        dw.measure_coverage(endless, 0.5, device=cpu)


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX here")
def test_ctrl_c_stops_a_bake_and_leaves_the_device_usable():
    script = textwrap.dedent(
        """
        import json, os, signal, threading, time
        import numpy as np
        import dapplewood as dw
        device = dw.Device("cpu")
        image = np.random.default_rng(0).integers(0, 256, (4096, 4096, 4), dtype=np.uint8)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        begin = time.perf_counter()
        try:
            while time.perf_counter() - begin < 60:
                dw.bake_atlas(image, filter="lanczos", device=device)
            outcome = "finished"
        except KeyboardInterrupt:
            outcome = "interrupted"
        levels = len(dw.bake_atlas(image[:64, :64], device=device).levels)
        print(json.dumps([outcome, levels]))
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300,
        env=environment,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["interrupted", 7]


def test_nothing_is_left_behind(cpu):
    before = _core.host_allocations()
    for _ in range(3):
        dw.bake_atlas(noise_image(64, 64), tiles="auto", coverage="image", device=cpu).to_array()
        with pytest.raises(ValueError):
            dw.bake_atlas(noise_image(16, 16), tiles=dw.TileGrid(2, 2, gutter=8), device=cpu)
    assert _core.host_allocations() == before


@pytest.mark.slow
def test_16k_atlas(cpu):
    """16384 x 16384 texels: 1 GiB in, 1.8 GiB out."""
    card = dw.samples.leaf_card("oak", 512)
    image = np.tile(card, (32, 32, 1))
    baked = dw.bake_atlas(image, tiles=dw.TileGrid(32, 32), device=cpu)
    alone = dw.bake_atlas(card, device=cpu)
    assert baked.levels[0].shape == (16384, 16384, 4) and len(baked.levels) == 15
    for n in range(10):
        size = 512 >> n
        for x, y in ((0, 0), (31, 0), (17, 31)):
            part = baked.levels[n][y * size : (y + 1) * size, x * size : (x + 1) * size]
            assert np.array_equal(part, alone.levels[n])
