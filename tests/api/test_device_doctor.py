# SPDX-License-Identifier: MIT
"""The report for a bug report tells what is there, and what would mend what is not."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import dapplewood as dw
import numpy as np
from dapplewood import doctor


def examine(**variables: str) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", "import json; from dapplewood import doctor; "
         "print(json.dumps(doctor.examine()))"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_report_names_versions_and_devices():
    text = doctor.report()
    for part in (dw.__version__, np.__version__, sys.version.split()[0], "native C"):
        assert part in text
    for info in dw.devices():
        assert info.name in text and info.kind in text
    assert all(len(line) == len(line.rstrip()) for line in text.splitlines())


def test_no_loader_is_hinted():
    facts = examine(DAPPLEWOOD_VULKAN_LOADER="libnot_there.so")
    assert facts["loader"] is None
    assert any("no Vulkan loader" in hint and "apt install" in hint for hint in facts["hints"])
    assert facts["environment"]["DAPPLEWOOD_VULKAN_LOADER"] == "libnot_there.so"


def test_faulty_driver_files_are_named(tmp_path):
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "empty.json").write_text("{}")
    gone = {"ICD": {"library_path": str(tmp_path / "gone.so"), "api_version": "1.3.0"}}
    (tmp_path / "gone.json").write_text(json.dumps(gone))
    names = ("broken.json", "empty.json", "gone.json", "no.json")
    files = [str(tmp_path / name) for name in names]
    facts = examine(VK_DRIVER_FILES=os.pathsep.join(files), VK_ICD_FILENAMES="")
    assert [driver["file"] for driver in facts["drivers"]] == files
    faults = [driver["fault"] for driver in facts["drivers"]]
    assert faults[0].startswith("unreadable") and faults[1].startswith("unreadable")
    assert faults[2:] == ["its library is not there", "no such file"]
    assert all(any(file in hint for hint in facts["hints"]) for file in files)
    assert "found no driver" in facts["vulkan"] or "could not make" in facts["vulkan"]


def test_nvidia_card_without_driver_file_is_hinted(monkeypatch):
    from pathlib import Path

    monkeypatch.setattr(
        doctor, "_nodes", lambda *p: [Path("/dev/nvidia0")] if "nvidiactl" in p else []
    )
    native = {"name": "native C", "kind": "native", "missing": ""}
    hints = doctor._hints([native], [], None)
    assert any("NVIDIA_DRIVER_CAPABILITIES=graphics,compute,utility" in hint for hint in hints)
    driver = {"file": "/usr/share/vulkan/icd.d/nvidia_icd.json", "library": "libGLX_nvidia.so.0"}
    assert not doctor._hints([native], [{**driver, "fault": ""}], None)


def test_only_software_is_hinted(monkeypatch):
    monkeypatch.setattr(doctor, "_nodes", lambda *p: [])
    rows = [
        {"name": "llvmpipe", "kind": "software", "missing": ""},
        {"name": "native C", "kind": "native", "missing": ""},
    ]
    assert any('Device("software")' in hint for hint in doctor._hints(rows, [], None))
    rows.insert(0, {"name": "Card", "kind": "discrete", "missing": ""})
    assert doctor._hints(rows, [], None) == []
