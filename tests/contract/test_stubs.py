# SPDX-License-Identifier: MIT
"""The stub of the extension module says what the module says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from contract.repository import ROOT, read, run

pytestmark = pytest.mark.slow

STUB = ROOT / "python" / "dapplewood" / "_core.pyi"


def stubtest(stubs: Path, folder: Path) -> subprocess.CompletedProcess:
    """Compares the core that the tests import with the stub below `stubs`."""
    from dapplewood import _core

    package = Path(_core.__file__).parents[1]
    environment = {**os.environ, "MYPYPATH": str(stubs), "PYTHONPATH": str(package)}
    command = [sys.executable, "-m", "mypy.stubtest", "--concise", "dapplewood._core"]
    return run(command, cwd=folder, env=environment)


def test_stub_agrees_with_the_core(tmp_path):
    assert STUB.is_file() and (STUB.parent / "py.typed").is_file()
    result = stubtest(ROOT / "python", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


def test_stub_check_can_fail(tmp_path):
    """The stub of the core with one name taken away, and one put in."""
    package = tmp_path / "stubs" / "dapplewood"
    package.mkdir(parents=True)
    (package / "__init__.pyi").touch()
    text = read(STUB).replace("def host_allocations", "def host_relocations")
    (package / "_core.pyi").write_text(text)
    result = stubtest(package.parent, tmp_path)
    assert result.returncode != 0
    assert "host_allocations" in result.stdout and "host_relocations" in result.stdout
