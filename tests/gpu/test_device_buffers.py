# SPDX-License-Identifier: MIT
"""Bytes to a device and back, and what stays behind."""

from __future__ import annotations

import gc
import threading

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core

SLICE = 8 << 20  # bytes of one staging slice: sizes around it are the hard ones


@pytest.mark.parametrize("size", [1, 2, 3, 5, 63, 65, 4097, 100_003])
def test_round_trip_of_odd_sizes(device, rng, size):
    data = rng.integers(0, 256, size, dtype=np.uint8)
    with dw.Buffer(device, data) as buffer:
        assert buffer.nbytes == size
        assert (buffer.numpy(np.uint8, size) == data).all()


@pytest.mark.parametrize("size", [SLICE - 1, SLICE, SLICE + 1, 5 * SLICE + 12345])
def test_round_trip_through_many_slices(vulkan_device, rng, size):
    data = rng.integers(0, 256, size, dtype=np.uint8)
    with dw.Buffer(vulkan_device, data) as buffer:
        assert (buffer.numpy(np.uint8, size) == data).all()
        assert (buffer.numpy(np.uint8, 1000, offset=size - 1000) == data[-1000:]).all()


VIEWS = {
    "reversed": lambda a: a[::-1],
    "reversed rows": lambda a: a[:, ::-1],
    "columns": lambda a: a[:, 1:3],
    "every second row": lambda a: a[::2, 1:6],
    "reversed columns of rows": lambda a: a[::-3, 2:4],
    "transposed": lambda a: a.T,
    "one column": lambda a: a[:, 4],
    "one row": lambda a: a[3],
    "scalar": lambda a: a[2:3, 2:3].reshape(()),
    "empty": lambda a: a[0:0],
    "blocks": lambda a: a.reshape(6, 5, 7)[::2, 1:3, ::3],
    "broadcast": lambda a: np.broadcast_to(a[1], (4, 7)),
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["u1", "f4", ">i4", "c16", "3i2"])
def test_any_strides_and_dtypes(device, rng, view, dtype):
    whole = rng.integers(0, 100, (30, 7)).astype(np.dtype(dtype).base)
    part = VIEWS[view](whole)
    part.flags.writeable = False
    with dw.Buffer(device, 4096) as buffer:
        buffer.write(part, offset=8)
        native = part.dtype.newbyteorder("=")
        assert (buffer.numpy(native, part.shape, 8) == part).all()
        assert not buffer.numpy(np.uint8, 8).any(), "bytes before the offset changed"
        assert not buffer.numpy(np.uint8, 64, offset=8 + part.nbytes).any(), "bytes behind changed"


def test_rows_that_cross_slices(vulkan_device, rng):
    whole = rng.integers(0, 256, (4000, 9001), dtype=np.uint8)
    part = whole[::-1, 17:8990]
    with dw.Buffer(vulkan_device, part) as buffer:
        assert (buffer.numpy(np.uint8, part.shape) == part).all()


def test_structured_dtype(device):
    rows = np.zeros(5, dtype=[("position", "f4", 3), ("kind", "u2")])
    rows["position"] = np.arange(15).reshape(5, 3)
    rows["kind"] = 7
    with dw.Buffer(device, rows) as buffer:
        assert buffer.nbytes == 70
        assert (buffer.numpy(rows.dtype, 5) == rows).all()


def test_new_buffer_is_zero(device):
    for _ in range(3):  # also when it takes over used memory
        with dw.Buffer(device, 1001) as buffer:
            assert not buffer.numpy(np.uint8, 1001).any()
            buffer.write(np.full(1001, 255, np.uint8))


def test_sizes_by_any_integer(device):
    with dw.Buffer(device, np.int64(24)) as buffer:
        assert buffer.nbytes == 24
    with dw.Buffer(device, np.array([24])) as buffer:
        assert buffer.nbytes == 8, "an array is content"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda d: dw.Buffer(d, 0), ValueError, "at least 1 byte, got 0"),
        (lambda d: dw.Buffer(d, -5), ValueError, "at least 1 byte, got -5"),
        (lambda d: dw.Buffer(d, np.zeros(0)), ValueError, "at least 1 byte, got 0"),
        (lambda d: dw.Buffer(d, np.array([None])), TypeError, "dtype object"),
        (lambda d: dw.Buffer(d, 10).write(np.zeros(3)), ValueError, "0 \\+ 24 bytes must lie"),
        (lambda d: dw.Buffer(d, 10).write(np.zeros(1), 3), ValueError, "3 \\+ 8 bytes .* 10 bytes"),
        (lambda d: dw.Buffer(d, 10).write(np.zeros(1), -1), ValueError, "offset must .* got -1"),
        (lambda d: dw.Buffer(d, 10).numpy(np.uint8, 11), ValueError, "0 \\+ 11 bytes .* 10 bytes"),
        (lambda d: dw.Buffer(d, 10).numpy(np.uint8, 1, 10), ValueError, "10 \\+ 1 bytes"),
        (lambda d: dw.Buffer(d, 10).numpy(object, 1), TypeError, "got object"),
        (lambda d: dw.Buffer(d, 10).numpy(np.uint8, -1), ValueError, "negative"),
    ],
)
def test_bad_arguments(device, call, error, text):
    with pytest.raises(error, match=text):
        call(device)
    gc.collect()


def test_write_keeps_the_rest(device, rng):
    data = rng.integers(0, 256, 1000, dtype=np.uint8)
    with dw.Buffer(device, data) as buffer:
        for offset, size in ((0, 1), (999, 1), (3, 5), (500, 123)):
            piece = rng.integers(0, 256, size, dtype=np.uint8)
            data[offset : offset + size] = piece
            buffer.write(piece, offset=offset)
        assert (buffer.numpy(np.uint8, 1000) == data).all()


def test_closed_buffer(device):
    buffer = dw.Buffer(device, 8)
    buffer.close()
    buffer.close()
    with pytest.raises(ValueError, match="buffer is closed"):
        buffer.write(np.zeros(1))
    with pytest.raises(ValueError, match="buffer is closed"):
        buffer.numpy(float, 1)


def test_counts_and_bytes_follow_buffers(device):
    before = device.memory()["used_bytes"], device.live_counts()["buffers"]
    buffers = [dw.Buffer(device, 1000 * (i + 1)) for i in range(10)]
    assert device.memory()["used_bytes"] == before[0] + 55_000
    assert device.live_counts()["buffers"] == before[1] + 10
    assert device.memory()["reserved_bytes"] >= device.memory()["used_bytes"]
    del buffers
    gc.collect()
    assert (device.memory()["used_bytes"], device.live_counts()["buffers"]) == before


def test_memory_is_used_again(vulkan_device, rng):
    """Creating and dropping in any order neither grows nor overlaps: 600 MB pass through, and at
    most 21 buffers, the staging slices of both directions and two spare blocks stay reserved."""
    largest = 4_000_000
    bound = 21 * largest + 2 * 8 * SLICE + 2 * (64 << 20)
    live: list[tuple[dw.Buffer, np.ndarray]] = []
    passed = 0
    while passed < 600_000_000:
        if len(live) > 20:
            buffer, data = live.pop(int(rng.integers(len(live))))
            assert (buffer.numpy(np.uint8, data.size) == data).all()
            buffer.close()
        data = np.full(int(rng.integers(1, largest)), rng.integers(256), dtype=np.uint8)
        live.append((dw.Buffer(vulkan_device, data), data))
        passed += data.size
        assert vulkan_device.memory()["reserved_bytes"] <= bound
    for buffer, data in live:
        assert (buffer.numpy(np.uint8, data.size) == data).all()
        buffer.close()


def test_graveyard_empties(vulkan_device):
    """A buffer dropped while its copy may still run goes once the device has passed it."""
    for _ in range(50):
        dw.Buffer(vulkan_device, np.ones(100_000, np.uint8)).close()
    with dw.Buffer(vulkan_device, 4) as buffer:
        buffer.numpy(np.uint8, 4)  # waits for all that was submitted before
        assert vulkan_device.live_counts()["retired"] == 0


@pytest.mark.slow
def test_devices_come_and_go_without_trace(device):
    """Live objects and host memory blocks are flat over 200 devices, closed or just dropped."""
    index = device.info.index
    before = None
    for cycle in range(200):
        mine = dw.Device(index)
        buffers = [dw.Buffer(mine, np.arange(size)) for size in (1, 100, 10_000)]
        assert buffers[2].numpy(np.int64, 10_000)[-1] == 9999
        assert mine.live_counts()["buffers"] == 3
        if cycle % 2:
            mine.close()
        del buffers, mine
        if cycle == 20:
            gc.collect()
            before = _core.host_allocations()
    gc.collect()
    assert _core.host_allocations() == before


def test_threads_share_a_device(device, rng):
    arrays = [rng.integers(0, 256, 300_000 + i, dtype=np.uint8) for i in range(4)]
    wrong: list[int] = []

    def work(number: int) -> None:
        data = arrays[number]
        for _ in range(8):
            with dw.Buffer(device, data) as buffer:
                if not (buffer.numpy(np.uint8, data.size) == data).all():
                    wrong.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(("count", "rounds"), [(1, 0), (1, 3), (65, 4), (3000, 5)])
def test_buffers_reached_by_address(vulkan_device, count, rounds):
    """Fill, dispatch, copy follow one another for every buffer that a dispatch names."""
    expected = np.arange(count, dtype=np.uint32)
    for _ in range(rounds):
        expected = expected * np.uint32(3) + np.arange(count, dtype=np.uint32)
    before = vulkan_device.live_counts()["buffers"]
    words, is_done, is_next_done = _core.selftest_reach(vulkan_device, count, rounds)
    assert (words == expected).all()
    assert (is_done, is_next_done) == (True, False)
    assert vulkan_device.live_counts()["buffers"] == before


def test_reaching_needs_buffers_of_a_vulkan_device(vulkan_device, native_device):
    with pytest.raises(ValueError, match="count must be 1 to 10000, got 0"):
        _core.selftest_reach(vulkan_device, 0, 1)
    with pytest.raises(ValueError, match="must be a Vulkan device"):
        _core.selftest_reach(native_device, 1, 1)


def test_timings_name_the_passes(vulkan_device):
    operands = np.zeros((1000, 3), np.uint32)
    _core.selftest(vulkan_device, operands)
    times = vulkan_device.timings()
    if not times:
        pytest.skip("the device's queue has no clock")
    assert {"selftest", "upload", "download"} <= set(times)
    assert all(0.0 <= value < 60_000.0 for value in times.values())


def test_lost_device_fails_fast_with_the_first_cause(vulkan_device):
    mine = dw.Device(vulkan_device.info.index)
    buffer = dw.Buffer(mine, 16)
    mine._lose("the cable was pulled")
    for call in (
        lambda: buffer.numpy(np.uint8, 16),
        lambda: dw.Buffer(mine, 16),
        lambda: _core.selftest(mine, np.zeros((1, 3), np.uint32)),
        mine.memory,
        lambda: mine._lose("something else"),
    ):
        with pytest.raises(dw.DeviceLost, match="the cable was pulled.*make a new Device"):
            call()
    buffer.close()
    mine.close()


def test_native_device_is_never_lost(native_device):
    with pytest.raises(ValueError, match="native device cannot be lost"):
        native_device._lose("x")


def test_too_large_for_the_device(vulkan_device):
    with pytest.raises((dw.CapacityError, MemoryError), match="bytes"):
        dw.Buffer(vulkan_device, 1 << 60)
    assert vulkan_device.live_counts()["retired"] == 0
