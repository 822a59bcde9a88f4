# SPDX-License-Identifier: MIT
"""Builds each tests/c/test_*.c with the base and cpu layers under a sanitizer, and runs it."""

from __future__ import annotations

import functools
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from contract.repository import CSRC, run, run_or_fail, tool

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path.stem for path in HERE.glob("test_*.c"))
FLAGS = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-DDW_ENABLE_ASSERT"]
SANITIZERS = {
    "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "thread": ["-fsanitize=thread"],
}
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1",
    "TSAN_OPTIONS": "halt_on_error=1",
    "DW_TEST_SET": "value",
    "DW_TEST_EMPTY": "",
}


@pytest.fixture(scope="session")
def builds(tmp_path_factory):
    """By sanitizer: flags, and the object files of csrc/base and csrc/cpu made with them."""

    @functools.cache
    def made(name: str):
        folder = tmp_path_factory.mktemp(name)
        flags = [*FLAGS, *SANITIZERS[name], f"-I{CSRC}", f"-I{CSRC.parent / 'shaders'}"]
        sources = sorted(path for part in ("base", "cpu") for path in (CSRC / part).glob("*.c"))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            each = ([tool("gcc"), *flags, "-c", source] for source in sources)
            list(pool.map(functools.partial(run_or_fail, cwd=folder), each))
        return flags, sorted(folder.glob("*.o"))

    return made


@pytest.fixture(params=SANITIZERS)
def base(request, builds):
    return builds(request.param)


def build(base, source: Path, program: Path) -> Path:
    flags, objects = base
    run_or_fail([tool("gcc"), *flags, f"-I{HERE}", source, *objects, "-ldl", "-lm", "-o", program])
    return program


@pytest.mark.build
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(base, tmp_path, name):
    program = build(base, HERE / f"{name}.c", tmp_path / name)
    run_or_fail([program], env={**os.environ, **ENVIRONMENT})


RACE = """
static int shared;
static void add(void *unused) { (void)unused; for (int i = 0; i < 1000; i++) shared++; }
int main(void)
{
    dw_thread thread = { 0 };
    if (!dw_thread_start(&thread, add, NULL)) return 0;
    add(NULL);
    dw_thread_join(&thread);
    return 0;
}
"""
BLOCK = "int *a; dw_error e; if (DW_ALLOC(4, &a, &e) != DW_OK) return 0;"
FAULTS = [
    ("address", f"int main(void) {{ {BLOCK} a[16] = 1; dw_free(a); return 0; }}"),
    ("address", f"int main(void) {{ {BLOCK} dw_free(a); return a[0] == 77; }}"),
    ("address", f"int main(void) {{ {BLOCK} a = NULL; return 0; }}"),
    ("address", "int main(void) { volatile int n = 0x7fffffff; n = n + 1; return 0; }"),
    ("address", "int main(void) { CHECK(1 == 2); return 0; }"),
    ("thread", "int main(void) { DW_ASSERT(1 == 2); return 0; }"),
    ("thread", RACE),
]
IDS = ["overrun", "use after free", "leak", "overflow", "check", "assertion", "race"]


@pytest.mark.build
@pytest.mark.parametrize(("base", "text"), FAULTS, ids=IDS, indirect=["base"])
def test_a_fault_ends_the_program(base, tmp_path, text):
    source = tmp_path / "fault.c"
    includes = ("base/alloc.h", "base/platform.h", "check.h")
    source.write_text("".join(f'#include "{name}"\n' for name in includes) + text + "\n")
    program = build(base, source, tmp_path / "fault")
    result = run([program], env={**os.environ, **ENVIRONMENT})
    assert result.returncode not in (0, -signal.SIGSEGV), result.stderr
