# SPDX-License-Identifier: MIT
"""Exact arithmetic: what shared files rely on gives the same bits on every device."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core


def operands_of(rng, rows: int) -> np.ndarray:
    """Any bits, with the corner patterns in every position."""
    corners = np.array(
        [0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x7F800000, 0xFF800000,
         0x7FC00000, 0x00800000, 0x007FFFFF, 0x3F800000, 0xBF800000, 0x3F000000, 0x4B000000,
         0x33800000, 0x477FE000, 0x477FF000],
        dtype=np.uint32,
    )  # fmt: skip
    grid = np.stack(np.meshgrid(corners, corners, corners, indexing="ij"), -1).reshape(-1, 3)
    return np.concatenate([grid, rng.integers(0, 2**32, (rows, 3), dtype=np.uint32)])


@pytest.mark.parametrize("float64", [False, True])
def test_bits_agree(native_device, vulkan_device, rng, float64):
    operands = operands_of(rng, 200_000)
    names, native = _core.selftest(native_device, operands, float64=float64)
    try:
        other_names, vulkan = _core.selftest(vulkan_device, operands, float64=float64)
    except dw.CapacityError as error:
        pytest.skip(str(error))
    assert names == other_names
    differing = {
        name: int((native[:, i] != vulkan[:, i]).sum())
        for i, name in enumerate(names)
        if (native[:, i] != vulkan[:, i]).any()
    }
    assert not differing


def floats(bits: np.ndarray) -> np.ndarray:
    return bits.view(np.float32)


def float_operands(bits: np.ndarray) -> np.ndarray:
    """NumPy's version of dw_selftest_operand."""
    exponent = 97 + (bits >> 23 & 0xFF) % 61
    return floats((bits & 0x807FFFFF) | exponent.astype(np.uint32) << 23)


def test_results_are_those_of_numpy(device, rng):
    """The twin is not merely equal to itself: NumPy's float32 arithmetic gives the same."""
    operands = operands_of(rng, 20_000)
    names, results = _core.selftest(device, operands)
    column = {name: results[:, i].copy() for i, name in enumerate(names)}
    a, b, c = (float_operands(operands[:, i].copy()) for i in range(3))
    expected = {
        "add": a + b,
        "subtract": a - b,
        "multiply": a * b,
        "multiply_add": a * b + c,
        "dot": a * b + b * c + c * a,
        "lerp": a + (b - a) * c,
        "floor": np.floor(a),
        "round_even": np.rint(a),
        "truncate": np.trunc(a),
        "fraction": a - np.floor(a),
        "from_int": operands[:, 0].view(np.int32).astype(np.float32),
        "from_uint": operands[:, 0].astype(np.float32),
    }
    for name, values in expected.items():
        assert (floats(column[name]) == values).all(), name
    assert (column["to_int"].view(np.int32) == a.astype(np.int32)).all()
    low = floats((operands[:, 0] & 0x807FFFFF) | (113 + (operands[:, 0] >> 23 & 0xFF) % 28) << 23)
    high = floats((operands[:, 1] & 0x807FFFFF) | (113 + (operands[:, 1] >> 23 & 0xFF) % 28) << 23)
    halves = column["pack_half"].view(np.float16).reshape(-1, 2)
    assert (halves[:, 0] == low.astype(np.float16)).all()
    assert (halves[:, 1] == high.astype(np.float16)).all()
    wide = operands.astype(np.uint64)
    with np.errstate(over="ignore"):
        product = wide[:, 0] * wide[:, 1] + wide[:, 2]
    assert (column["multiply_64"] == ((product >> 32) ^ (product & 0xFFFFFFFF))).all()
    quotient = (wide[:, 0] << 32 | wide[:, 1]) // (wide[:, 2] | 1)
    assert (column["divide_64"] == ((quotient >> 32) ^ (quotient & 0xFFFFFFFF))).all()


def test_repeat_changes_nothing(device, rng):
    operands = operands_of(rng, 1000)
    once = _core.selftest(device, operands)[1]
    assert (_core.selftest(device, operands, repeat=21)[1] == once).all()


def test_more_groups_than_one_axis_holds(vulkan_device, rng):
    """2^20 triples fill 16384 workgroups: the linear index must cover the last of them."""
    operands = rng.integers(0, 2**32, (1 << 20, 3), dtype=np.uint32)
    results = _core.selftest(vulkan_device, operands)[1]
    assert (results[-5:] == _core.selftest(vulkan_device, operands[-5:])[1]).all()


@pytest.mark.parametrize(
    ("operands", "repeat", "error", "text"),
    [
        (np.zeros((0, 3), np.uint32), 1, ValueError, "operands must hold 1 to 1048576 rows, got 0"),
        (np.zeros((4, 2), np.uint32), 1, ValueError, r"shape \(N, 3\), got \(4, 2\)"),
        (np.zeros((4, 3), np.int64), 1, TypeError, "dtype uint32, got int64"),
        (np.zeros((4, 3), np.uint32), 0, ValueError, "repeat must be at least 1, got 0"),
    ],
)
def test_bad_arguments(native_device, operands, repeat, error, text):
    with pytest.raises(error, match=text):
        _core.selftest(native_device, operands, repeat=repeat)
