# SPDX-License-Identifier: MIT
"""Which device a word means: told from a driver that only introduces devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# type (1 integrated, 2 discrete, 3 virtual, 4 software), vendor, uuid byte, minor version, what it
# lacks, name
SOFT = "4 0 1 3 - Soft rasteriser"
NVIDIA_ONE = "2 10de 22 3 - NVIDIA One"
NVIDIA_TWO = "2 10de 44 3 - NVIDIA Two"
INTEGRATED = "1 8086 3 3 - Iris"
UUID_ONE = "22222222-2222-2222-2222-222222222222"
UUID_TWO = "44444444-4444-4444-4444-444444444444"

LIST = """
import json
from dapplewood import _core
print(json.dumps(_core.devices()))
"""
# The driver cannot open a device, and says of which one that was asked.
OPEN = """
import sys
from dapplewood import _core
try:
    word = sys.argv[1]
    print(_core.Device(None if word == "None" else word)._info()["name"])
except _core.Error as error:
    print(type(error).__name__, error)
except ValueError as error:
    print("ValueError", error)
"""


@pytest.fixture(scope="module")
def manifest(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    library = folder / "libfake_driver.so"
    source = HERE / "device_fake_driver.c"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, "-o", library, source], check=True)
    text = {"file_format_version": "1.0.1"}
    text["ICD"] = {"library_path": str(library), "api_version": "1.3.0"}
    path = folder / "fake.json"
    path.write_text(json.dumps(text))
    return path


def run_python(script: str, *arguments: str, drop=(), **variables: str) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("DAPPLEWOOD_", "VK_"))}
    environment = {k: v for k, v in environment.items() if k not in ("CUDA_VISIBLE_DEVICES", *drop)}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def fake(manifest):
    """Runs a script with these devices present."""

    def run(script: str, *arguments: str, devices: list[str], **variables: str) -> str:
        files = {"VK_DRIVER_FILES": str(manifest), "VK_ICD_FILENAMES": str(manifest)}
        rows = ";".join(devices)
        return run_python(script, *arguments, FAKE_DEVICES=rows, **files, **variables)

    return run


def names(listed: str) -> list[str]:
    return [row["name"] for row in json.loads(listed)[0]]


def test_list_is_best_first_and_ends_in_native(fake):
    rows = [SOFT, "3 1 6 3 - Virtual", INTEGRATED, NVIDIA_ONE]
    found = json.loads(fake(LIST, devices=rows))[0]
    assert [row["kind"] for row in found] == [
        "discrete", "integrated", "virtual", "software", "native",
    ]  # fmt: skip
    assert [row["index"] for row in found] == [0, 1, 2, 3, -1]
    assert found[0]["uuid"] == UUID_ONE
    assert found[0]["memory_bytes"] == 3 << 30


def test_equal_devices_keep_the_order_of_the_driver(fake):
    assert names(fake(LIST, devices=[NVIDIA_TWO, SOFT, NVIDIA_ONE]))[:2] == [
        "NVIDIA Two", "NVIDIA One",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lacks", "minor", "missing"),
    [
        ("shaderInt64", 3, "shaderInt64"),
        ("scalarBlockLayout", 2, "scalarBlockLayout"),
        ("queue", 3, "a compute queue"),
        ("extensions", 2, "synchronization2, dynamicRendering"),
        ("-", 1, "Vulkan 1.2 (the driver offers 1.1.7)"),
        ("extensions", 3, ""),
        ("-", 2, ""),
    ],
)
def test_missing_features_are_named(fake, lacks, minor, missing):
    row = json.loads(fake(LIST, devices=[f"2 1 9 {minor} {lacks} Old card"]))[0][0]
    assert row["missing"] == missing
    said = fake(OPEN, "gpu", devices=[f"2 1 9 {minor} {lacks} Old card"])
    if missing:
        assert said.startswith("DeviceNotFound") and missing in said and "Old card" in said
    else:
        assert 'vkCreateDevice on "Old card"' in said


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("None", "NVIDIA One"),
        ("gpu", "NVIDIA One"),
        ("0", "NVIDIA One"),
        ("2", "Iris"),
        ("software", "Soft rasteriser"),
        ("uuid:4444", "NVIDIA Two"),
        (f"uuid:{UUID_TWO}", "NVIDIA Two"),
        ("name:iRIS", "Iris"),
        ("name:nvidia", "NVIDIA One"),
    ],
)
def test_word_means_device(fake, word, name):
    rows = [SOFT, INTEGRATED, NVIDIA_ONE, NVIDIA_TWO]
    assert f'vkCreateDevice on "{name}"' in fake(OPEN, word, devices=rows)
    if word != "None":
        said = fake(OPEN, "None", devices=rows, DAPPLEWOOD_DEVICE=word)
        assert f'vkCreateDevice on "{name}"' in said


def test_argument_goes_before_the_variable(fake):
    assert fake(OPEN, "cpu", devices=[NVIDIA_ONE], DAPPLEWOOD_DEVICE="gpu") == "native C"
    assert fake(OPEN, "None", devices=[NVIDIA_ONE], DAPPLEWOOD_DEVICE="cpu") == "native C"


@pytest.mark.parametrize("devices", [[], [SOFT], ["2 1 9 3 shaderInt64 Old card", SOFT]])
def test_without_hardware_that_will_do_the_default_is_native(fake, devices):
    assert fake(OPEN, "None", devices=devices) == "native C"


def test_gpu_is_never_software(fake):
    said = fake(OPEN, "gpu", devices=[SOFT])
    assert said.startswith("DeviceNotFound")
    assert "only a software device" in said and 'Device("software")' in said
    said = fake(OPEN, "gpu", devices=[SOFT, "2 1 9 3 shaderInt64 Old card"])
    assert "lacks shaderInt64" in said and "only a software device" not in said


def test_driver_without_device_is_told_apart(fake):
    said = fake(OPEN, "gpu", devices=[])
    assert said.startswith("DeviceNotFound") and "found no device" in said and "apt install" in said


@pytest.mark.parametrize("word", ["4", "uuid:99", "name:radeon", "software"])
def test_device_that_is_not_there(fake, word):
    said = fake(OPEN, word, devices=[NVIDIA_ONE, INTEGRATED])
    assert said.startswith("DeviceNotFound") and word in said and "NVIDIA One" in said


@pytest.mark.parametrize("word", ["", "cuda", "gpu0", "0x1", "uuid:", "name:", "-2x"])
def test_no_such_word(fake, word):
    said = fake(OPEN, word, devices=[NVIDIA_ONE])
    assert said.startswith("ValueError") and f'got "{word}"' in said and '"software"' in said


@pytest.mark.parametrize(
    ("visible", "found"),
    [
        ("0", ["NVIDIA One"]),
        ("1", ["NVIDIA Two"]),
        ("1,0", ["NVIDIA Two", "NVIDIA One"]),
        (f"GPU-{UUID_TWO}", ["NVIDIA Two"]),
        ("GPU-44", ["NVIDIA Two"]),
        ("gpu-22,GPU-4", ["NVIDIA One", "NVIDIA Two"]),
        ("", []),
        ("-1", []),
        ("0,7,1", ["NVIDIA One"]),
        ("MIG-44444444", []),
        ("GPU-", []),
    ],
)
def test_cuda_visible_devices(fake, visible, found):
    rows = [INTEGRATED, NVIDIA_ONE, NVIDIA_TWO]
    listed = names(fake(LIST, devices=rows, CUDA_VISIBLE_DEVICES=visible))
    assert listed == [*found, "Iris", "native C"]


def test_hidden_devices_are_mentioned(fake):
    said = fake(OPEN, "gpu", devices=[NVIDIA_ONE], CUDA_VISIBLE_DEVICES="")
    assert said.startswith("DeviceNotFound") and "CUDA_VISIBLE_DEVICES is set" in said


FORK_AFTER_LIST = """
import os
from dapplewood import _core
_core.devices()
child = os.fork()
if child == 0:
    names = []
    for word in (None, "gpu", "0", "cpu"):
        try:
            names.append(_core.Device(word)._info()["name"])
        except _core.Error as error:
            names.append(type(error).__name__)
    print(*names, sep=", ", flush=True)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize(
    ("devices", "answers"),
    [
        ([NVIDIA_ONE, SOFT], ["ForkedDeviceError"] * 3 + ["native C"]),
        ([SOFT], ["native C", "DeviceNotFound", "Error", "native C"]),
    ],
)
def test_hardware_drivers_do_not_survive_a_fork(fake, devices, answers):
    assert fake(FORK_AFTER_LIST, devices=devices).split(", ") == answers


NO_LOADER = {"DAPPLEWOOD_VULKAN_LOADER": "libnot_there.so.9"}
NO_DRIVER = {"VK_DRIVER_FILES": "not_there.json", "VK_ICD_FILENAMES": "not_there.json"}


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        (NO_LOADER, ["no Vulkan loader", "libnot_there.so.9", "DAPPLEWOOD_VULKAN_LOADER is set"]),
        (NO_DRIVER, ["found no driver", "-9", "VK_DRIVER_FILES is not_there.json"]),
    ],
)
def test_no_vulkan(variables, says):
    for word in ("gpu", "software", "0"):
        said = run_python(OPEN, word, **variables)
        assert said.startswith("DeviceNotFound")
        for part in [*says, "apt install libvulkan1 mesa-vulkan-drivers", 'Device("cpu")']:
            assert part in said, said
    assert run_python(OPEN, "None", **variables) == "native C"
    rows, reason = json.loads(run_python(LIST, **variables))
    assert [row["kind"] for row in rows] == ["native"]
    assert all(part in reason for part in says)


def test_a_library_that_is_no_loader():
    said = run_python(OPEN, "gpu", DAPPLEWOOD_VULKAN_LOADER="libm.so.6")
    assert said.startswith("DeviceNotFound") and "no vkGetInstanceProcAddr" in said


def test_missing_validation_layer_names_the_package(fake, tmp_path):
    script = OPEN.replace("_core.Device(None if word == \"None\" else word)",
                          "_core.Device('gpu', validation=True)")
    said = fake(script, "gpu", devices=[NVIDIA_ONE], VK_LAYER_PATH=str(tmp_path))
    assert said.startswith("Error") and "apt install vulkan-validationlayers" in said
