# SPDX-License-Identifier: MIT
"""The stub of the extension module says what the module says."""

from __future__ import annotations

import os
import sys

from contract.repository import ROOT, read, run, run_or_fail

STUB = ROOT / "python" / "dapplewood" / "_core.pyi"
COMMAND = [sys.executable, "-m", "mypy.stubtest", "--concise"]


def test_stub_agrees_with_the_core():
    assert STUB.is_file() and (STUB.parent / "py.typed").is_file()
    configuration = ["--mypy-config-file", ROOT / "pyproject.toml"]
    run_or_fail([*COMMAND, *configuration, "dapplewood._core"], cwd=ROOT)


def test_stub_check_can_fail(tmp_path):
    """The stub of the core with one name taken away, and one put in."""
    package = tmp_path / "dapplewood"
    package.mkdir()
    (package / "__init__.pyi").touch()
    text = read(STUB).replace("def host_allocations", "def host_relocations")
    (package / "_core.pyi").write_text(text)
    result = run(
        [*COMMAND, "dapplewood._core"], cwd=tmp_path, env={**os.environ, "MYPYPATH": str(tmp_path)}
    )
    assert result.returncode != 0
    assert "host_allocations" in result.stdout and "host_relocations" in result.stdout
