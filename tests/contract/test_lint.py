# SPDX-License-Identifier: MIT
"""Format, and warnings of two compilers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from contract.repository import CSRC, JOBS, ROOT, SHARED, include_flags, named, run, tool

FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", '-DDW_VERSION="0"']
C_TESTS = ROOT / "tests" / "c"


def formatted() -> list[Path]:
    core = named(".c", ".h", under=CSRC)
    return core + named(".h", under=SHARED) + named(".c", ".h", under=C_TESTS)


def test_code_is_formatted():
    style = f"--style=file:{ROOT / '.clang-format'}"
    result = run([tool("clang-format"), style, "--dry-run", "-Werror", *formatted()])
    assert result.returncode == 0, f"run clang-format -i on:\n{result.stderr[-6000:]}"


def test_format_check_can_fail(tmp_path):
    bad = tmp_path / "bad.c"
    bad.write_text("int  f( void ){return 0;}\n")
    style = f"--style=file:{ROOT / '.clang-format'}"
    assert run([tool("clang-format"), style, "--dry-run", "-Werror", bad]).returncode != 0


def complaints(compiler: str, paths: list[Path], *flags: str) -> list[str]:
    """What the compiler says about each file by itself."""

    def one(path: Path) -> str:
        command = [tool(compiler), *FLAGS, *flags, *include_flags(), "-fsyntax-only"]
        result = run([*command, "-x", "c", path])
        return f"{path}\n{result.stderr}" if result.returncode else ""

    with ThreadPoolExecutor(JOBS) as pool:
        return [text for text in pool.map(one, paths) if text]


@pytest.mark.build
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("flag", ["-UDW_ENABLE_ASSERT", "-DDW_ENABLE_ASSERT"])
def test_sources_compile_without_a_warning(compiler, flag):
    found = complaints(compiler, named(".c", under=CSRC), flag)
    assert not found, "\n".join(found)[-8000:]


@pytest.mark.build
def test_headers_compile_alone():
    headers = named(".h", under=CSRC) + named(".h", under=SHARED)
    assert headers
    found = complaints("gcc", headers)
    assert not found, "\n".join(found)[-8000:]


def test_warnings_are_errors(tmp_path):
    (tmp_path / "bad.c").write_text("int f(int unused) { int x; return x; }\n")
    (tmp_path / "bad.h").write_text("uint32_t lonely(void);\n")
    for compiler in ("gcc", "clang"):
        assert len(complaints(compiler, sorted(tmp_path.iterdir()))) == 2
