# SPDX-License-Identifier: MIT
"""What an import loads, and the public names behind it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import dapplewood as dw
import pytest


def loaded_by(program: str) -> set[str]:
    program += "\nimport sys; print('\\n' + ' '.join(sys.modules))"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(result.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "program",
    ["import dapplewood", "from dapplewood.cli import main; main(['--version'])"],
)
def test_a_quick_start_loads_no_image_library(program):
    heavy = {"OpenImageIO", "zstandard", "matplotlib", "etcpak", "dapplewood.samples"}
    assert not heavy & loaded_by(program)
    assert "OpenImageIO" in loaded_by("import dapplewood; dapplewood.read_image")


def names_for_type_checkers() -> set[str]:
    tree = ast.parse(Path(dw.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def test_public_names_are_there_and_known_to_type_checkers():
    assert len(dw.__all__) == len(set(dw.__all__)) > 30
    assert all(getattr(dw, name) is not None for name in dw.__all__)
    assert set(dw.__all__) == names_for_type_checkers()
    assert set(dw.__all__) <= set(dir(dw))
    with pytest.raises(AttributeError, match="no attribute 'bake_atals'"):
        dw.bake_atals  # noqa: B018


def test_a_module_does_not_hide_the_function_of_its_name():
    program = "import dapplewood.contact_sheet, dapplewood as dw; assert callable(dw.contact_sheet)"
    assert "dapplewood.contact_sheet" in loaded_by(program)
