# SPDX-License-Identifier: MIT
"""What the contract tests read: the tree's files, and scanners over them.

A scanner takes text, not a path, so that each test can show on a bad sample that it would fail.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import sysconfig
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CSRC = ROOT / "csrc"
SHADERS = ROOT / "shaders"
SHARED = SHADERS / "shared"
JOBS = 2
SKIPPED_FOLDERS = {"build", "dist", "out", "generated", "__pycache__"}


@cache
def files() -> tuple[Path, ...]:
    """Every file of the project: what git tracks or would track, else what an sdist holds."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
        found = [ROOT / name for name in listed.decode().split("\0") if name]
    else:
        found = [p for p in ROOT.rglob("*") if not _is_skipped(p)]
    return tuple(sorted(p for p in found if p.is_file()))


def _is_skipped(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return any(part in SKIPPED_FOLDERS or part.startswith(".venv") for part in parts) or any(
        part.endswith(".egg-info") for part in parts
    )


def named(*suffixes: str, under: Path = ROOT) -> list[Path]:
    return [p for p in files() if p.suffix in suffixes and p.is_relative_to(under)]


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def tool(name: str) -> str:
    """A program of the virtual environment or of the system; a missing one fails the test."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    assert found, f"{name} is needed; scripts/setup test installs it"
    return found


def load(path: Path):
    """A Python file that belongs to no package, as a module."""
    spec = importlib.util.spec_from_file_location(f"dw_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def shader_build():
    return load(SHADERS / "build.py")


def spirv():
    return shader_build().spirv


def include_flags() -> list[str]:
    import numpy

    folders = [CSRC, SHADERS, numpy.get_include(), sysconfig.get_path("include")]
    return [f"-I{CSRC}", f"-I{SHADERS}"] + [f"-isystem{folder}" for folder in folders[2:]]


def run(command: list, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )


def run_or_fail(command: list, **options) -> str:
    """The output of a command; a failing one fails the test with all it said."""
    result = run(command, **options)
    assert result.returncode == 0, (
        f"{' '.join(map(str, command))}\nexit status {result.returncode}\n"
        f"{result.stdout[-8000:]}{result.stderr[-8000:]}"
    )
    return result.stdout


# ---- text ---------------------------------------------------------------------------------------

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"][^>"]+[>"])', re.MULTILINE)
_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)


def includes(text: str) -> list[str]:
    """Names with their quotes or angle brackets, comments ignored."""
    return _INCLUDE.findall(re.sub(r"/\*.*?\*/", _blank, text, flags=re.DOTALL))


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def code_only(text: str) -> str:
    """Comments, strings and preprocessor lines blanked, every line and column kept."""
    return _DIRECTIVE.sub(_blank, _NOISE.sub(_blank, text))


_SIGNATURE = re.compile(r"([A-Za-z_]\w*)\s*\([^{};]*\)\s*$")


def functions(text: str) -> list[tuple[str, int, int]]:
    """(name, first line, line count) of each C or GLSL function, signature and braces included."""
    code = code_only(text)
    found, depth, begin, start = [], 0, 0, None
    for at, letter in enumerate(code):
        if letter == "{":
            head = code[begin:at]
            match = _SIGNATURE.search(head) if depth == 0 else None
            if match:
                first = begin + len(head) - len(head.lstrip())
                start = _name_of(head) or match.group(1), code.count("\n", 0, first) + 1
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0:
                if start is not None:
                    found.append((*start, code.count("\n", 0, at) + 2 - start[1]))
                start, begin = None, at + 1
        elif letter == ";" and depth == 0:
            begin = at + 1
    return found


def _name_of(head: str) -> str | None:
    """The identifier before the first parenthesis that is no attribute's."""
    match = re.search(r"\b(?!__attribute__\b|layout\b)([A-Za-z_]\w*)\s*\(", head)
    return match.group(1) if match else None
