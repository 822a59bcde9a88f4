# SPDX-License-Identifier: MIT
"""Tests of atlases, trees and particles again, on builds that the usual run does not exercise."""

from __future__ import annotations

import json

import pytest
from contract import variants
from contract.repository import ROOT, run_or_fail, tool

pytestmark = [pytest.mark.build, pytest.mark.slow]

FOLDERS = [f"tests/{name}" for name in ("unit", "api") if (ROOT / "tests" / name).is_dir()]
RAYS = "tree_trace and not same_hits and not two_levels"
PARTICLES = "particles_native or particle_formulas or particles_hub or particles_simulated"
TREES = f"tree_build or tree_refit or test_trees or ({RAYS})"
TESTS = (*FOLDERS, "-k", f"atlas or {TREES} or {PARTICLES}")


def test_scalar_build_passes_the_tests():
    """No SIMD, warnings are errors: the bytes do not depend on the instruction set."""
    library = variants.build("scalar", DW_SCALAR="1", DW_ASSERT="1", DW_WERROR="1")
    variants.run_tests(library, *TESTS, DAPPLEWOOD_DEVICE="cpu")


def test_scalar_build_gives_the_bytes_of_vectors():
    """Particles of every kind, where vectors and plain code have most ways to part."""
    scalar = variants.build("scalar", DW_SCALAR="1", DW_ASSERT="1", DW_WERROR="1")
    plain, vectors = (
        json.loads(variants.run_module(library, "helpers_particle_digest"))
        for library in (scalar, ROOT / "python")
    )
    assert len(vectors) > 60
    assert len(set(vectors.values())) == len(vectors)
    assert plain == vectors


def test_sanitized_build_passes_the_tests():
    """Memory faults and undefined behaviour anywhere in the core end the run."""
    library = variants.build("sanitized", DW_SANITIZE="address,undefined", DW_ASSERT="1")
    runtimes = [
        run_or_fail([tool("gcc"), f"-print-file-name={name}"]).strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    variants.run_tests(
        library,
        *TESTS,
        "-m",
        "not slow",
        DAPPLEWOOD_DEVICE="cpu",
        LD_PRELOAD=":".join(runtimes),  # the interpreter itself is not instrumented
        ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1",  # the interpreter leaks
        PYTHONMALLOC="malloc",
    )
