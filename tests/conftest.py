# SPDX-License-Identifier: MIT
"""Devices for tests, and what every test must leave behind: no buffer, no validation message."""

from __future__ import annotations

import os
import zlib

import numpy as np
import pytest
from dapplewood import _core
from dapplewood.device import Device
from dapplewood.errors import DeviceNotFound

# The validation layer may be missing (a machine with a card but no SDK): tests then say so.
HAS_VALIDATION = bool(_core.devices()[0] and (_core.loader() or {}).get("has_validation"))
if not HAS_VALIDATION:
    os.environ.pop("DAPPLEWOOD_VALIDATION", None)


def pytest_report_header(config):
    rows = _core.devices()[0]
    names = [f"{row['name']} ({row['kind']})" for row in rows]
    layer = "on" if HAS_VALIDATION else "off: VK_LAYER_KHRONOS_validation is not installed"
    return f"dapplewood devices: {', '.join(names)}; validation {layer}"


def open_vulkan(**options) -> Device:
    """The Vulkan device of the tests: DAPPLEWOOD_TEST_DEVICE, else a card, else a software one."""
    chosen = os.environ.get("DAPPLEWOOD_TEST_DEVICE")
    for word in [chosen] if chosen else ["gpu", "software"]:
        try:
            return Device(word, validation=HAS_VALIDATION, **options)
        except DeviceNotFound as error:
            reason = str(error)
    pytest.skip(f"needs a Vulkan device: {reason}")


@pytest.fixture(scope="session")
def native_device():
    with Device("cpu") as device:
        yield device


@pytest.fixture(scope="session")
def vulkan_device():
    with open_vulkan() as device:
        yield device


@pytest.fixture(params=["native", "vulkan"])
def device(request):
    """Each backend in turn."""
    return request.getfixturevalue(f"{request.param}_device")


@pytest.fixture
def rng(request):
    """Seeded by the test's name: the same numbers in any order of tests."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(autouse=True)
def _numpy_errors_raise():
    with np.errstate(all="raise", under="ignore"):
        yield


def _open_devices(request) -> list[Device]:
    names = ("native_device", "vulkan_device", "device")
    found = [request.getfixturevalue(name) for name in names if name in request.fixturenames]
    return [device for device in found if not device.closed]


@pytest.fixture(autouse=True)
def _nothing_is_left(request):
    """Buffers that a test made on a shared device are gone after it."""
    devices = _open_devices(request)
    before = [device.live_counts()["buffers"] for device in devices]
    yield
    after = [device.live_counts()["buffers"] for device in devices]
    assert after == before, f"buffers left alive: {before} before, {after} after"


@pytest.fixture(autouse=True)
def _no_validation_message():
    yield
    total, texts = _core.validation_messages(clear=True)
    assert total == 0, f"{total} validation messages, the first ones:\n" + "\n".join(texts)
