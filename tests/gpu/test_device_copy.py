# SPDX-License-Identifier: MIT
"""The copy that benchmarks compare with runs, is timed, and refuses what it cannot do."""

from __future__ import annotations

import pytest
from dapplewood import _core


def test_a_copy_is_timed(vulkan_device):
    _core.device_copy(vulkan_device, 1 << 20)
    assert vulkan_device.timings()["device_copy"] > 0


@pytest.mark.parametrize("nbytes", [0, -1, 1 << 62])
def test_sizes_are_checked(vulkan_device, nbytes):
    with pytest.raises(ValueError, match=f"nbytes must be 1 to .*, got {nbytes}"):
        _core.device_copy(vulkan_device, nbytes)


def test_native_devices_have_no_memory_of_their_own(native_device):
    with pytest.raises(ValueError, match="device is native"):
        _core.device_copy(native_device, 1)
