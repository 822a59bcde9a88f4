# SPDX-License-Identifier: MIT
"""The copy that benchmarks compare with runs, is timed, and refuses what it cannot do."""

from __future__ import annotations

import pytest

import dapplewood as dw
from dapplewood import _core


def test_a_copy_is_timed():
    try:
        device = dw.Device("software")
    except dw.DeviceNotFound as error:
        pytest.skip(f"no Vulkan device: {error}")
    with device:
        _core.device_copy(device, 1 << 20)
        assert device.timings()["device_copy"] > 0
        assert device.live_counts()["buffers"] == 0
        for nbytes in (0, -1, 1 << 62):
            with pytest.raises(ValueError, match=f"nbytes must be 1 to .*, got {nbytes}"):
                _core.device_copy(device, nbytes)


def test_native_devices_have_no_memory_of_their_own():
    with dw.Device("cpu") as device, pytest.raises(ValueError, match="device is native"):
        _core.device_copy(device, 1)
