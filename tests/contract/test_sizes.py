# SPDX-License-Identifier: MIT
"""Functions and files stay short enough to be read."""

from __future__ import annotations

from statistics import median

from contract.repository import CSRC, SHADERS, functions, named, read, relative

FUNCTION_MEDIAN, FUNCTION_MOST, FUNCTION_LIMIT = 20, 100, 150
FILE_LIMITS = {".c": 800, ".h": 800, ".comp": 200, ".vert": 200, ".frag": 200, ".glsl": 200}
COLUMNS = 100


def lengths() -> dict[str, int]:
    return {
        f"{relative(path)}:{line} {name}": count
        for path in named(".c", ".h", ".comp", ".vert", ".frag", ".glsl")
        if path.is_relative_to(CSRC) or path.is_relative_to(SHADERS)
        for name, line, count in functions(read(path))
    }


def test_functions_are_short():
    found = lengths()
    assert found
    long = sorted(name for name, count in found.items() if count > FUNCTION_LIMIT)
    assert not long, f"over {FUNCTION_LIMIT} lines: {long}"
    rather_long = sorted(name for name, count in found.items() if count > FUNCTION_MOST)
    assert len(rather_long) <= 0.05 * len(found), f"over {FUNCTION_MOST} lines: {rather_long}"
    assert median(found.values()) <= FUNCTION_MEDIAN


def test_files_are_short():
    long = [
        f"{relative(path)}: {count} lines, at most {FILE_LIMITS[path.suffix]}"
        for path in named(*FILE_LIMITS)
        if (count := len(read(path).splitlines())) > FILE_LIMITS[path.suffix]
    ]
    assert not long, "\n".join(long)


def wide_lines(text: str) -> list[int]:
    return [i for i, line in enumerate(text.splitlines(), 1) if len(line) > COLUMNS]


def test_lines_fit_the_column_limit():
    wide = [
        f"{relative(path)}:{line}"
        for path in named(".c", ".h", ".py", ".pyi", ".comp", ".vert", ".frag", ".glsl")
        for line in wide_lines(read(path))
    ]
    assert not wide, f"over {COLUMNS} columns: {wide}"


SAMPLE = """
#define F(x) { x; }
/* int ghost(void) { */
struct row { int a; };
static const int table[] = { 1, 2 };
DW_INLINE uint dw_one(uint a)
{
    if (a > 1u) { return 0u; }
    return '{' + a;
}

__attribute__((noinline)) static void two(int (*call)(int),
                                          int b)
{
}
void three() { do { } while (0); }
"""


def test_scanner_counts_functions():
    assert functions(SAMPLE) == [("dw_one", 6, 5), ("two", 12, 4), ("three", 16, 1)]
    assert wide_lines("a\n" + "b" * 101 + "\n" + "c" * 100) == [2]
