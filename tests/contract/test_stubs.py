# SPDX-License-Identifier: MIT
"""The stub of the extension module says what the module says."""

from __future__ import annotations

import sys

from contract.repository import ROOT, run, run_or_fail

COMMAND = [sys.executable, "-m", "mypy.stubtest", "--concise"]


def test_stub_agrees_with_the_core(tmp_path):
    configuration = ["--mypy-config-file", ROOT / "pyproject.toml"]
    run_or_fail([*COMMAND, *configuration, "dapplewood._core"], cwd=ROOT)


def test_stub_check_can_fail(tmp_path):
    (tmp_path / "leaf.py").write_text("def area(width: float) -> float:\n    return width\n")
    (tmp_path / "leaf.pyi").write_text("def area(height: float) -> float: ...\n")
    result = run([*COMMAND, "leaf"], cwd=tmp_path)
    assert result.returncode != 0 and "area" in result.stdout
