# SPDX-License-Identifier: MIT
"""Builds of the package with other flags, beside the one in place."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from contract.repository import ROOT, run, run_or_fail

SETTINGS = ("DW_ASSERT", "DW_COVERAGE", "DW_SANITIZE", "DW_SCALAR", "DW_WERROR")


def clean_environment(**extra: str) -> dict[str, str]:
    """The environment without the settings of the build that runs the tests."""
    kept = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    return {**kept, **extra}


def build(name: str, **settings: str) -> Path:
    """The folder that holds the package built with these settings; objects are kept."""
    base = ROOT / "build" / name
    command = [sys.executable, "setup.py", "-q", "build", "--build-base", base]
    run_or_fail(command, cwd=ROOT, env=clean_environment(**settings))
    (library,) = base.glob("lib*")
    return library


def environment_of(library: Path, **environment: str) -> dict[str, str]:
    """The environment in which Python takes the package in `library`."""
    settings = clean_environment(PYTHONPATH=str(library), PYTHONDONTWRITEBYTECODE="1")
    settings.update(environment)
    where = "import dapplewood._core as core; print(core.__file__)"
    used = run_or_fail([sys.executable, "-c", where], cwd=library, env=settings)
    assert Path(used.strip()).is_relative_to(library), f"tested {used}, not {library}"
    return settings


def run_module(library: Path, name: str) -> str:
    """What a module beside the tests prints with the package in `library`."""
    settings = environment_of(library)
    settings["PYTHONPATH"] = os.pathsep.join([str(library), str(ROOT / "tests")])
    return run_or_fail([sys.executable, "-m", name], cwd=ROOT / "tests", env=settings)


def run_tests(library: Path, *arguments: str, **environment: str) -> str:
    """Runs pytest on the package in `library`; fails when a test fails or none ran."""
    settings = environment_of(library, **environment)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    result = run([*command, "-o", "pythonpath=tests", *arguments], cwd=ROOT, env=settings)
    assert result.returncode == 0, result.stdout[-12000:] + result.stderr[-4000:]
    return result.stdout
