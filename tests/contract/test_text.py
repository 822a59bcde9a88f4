# SPDX-License-Identifier: MIT
"""What the text of the files must and must not say."""

from __future__ import annotations

import json
import re
import tomllib

from contract.repository import CSRC, ROOT, SHARED, files, named, read, relative

SOURCE_SUFFIXES = (".c", ".h", ".def", ".comp", ".vert", ".frag", ".glsl", ".py", ".pyi")
SOURCE_NAMES = {"Makefile", "setup", "run"}
TEXT_SUFFIXES = (*SOURCE_SUFFIXES, ".md", ".toml", ".in", ".ipynb", ".json", ".yml", ".cfg", "")

# Written in two halves where this file would find itself.
FORBIDDEN = {
    "unfinished work": r"\b(TO" r"DO|FIX" r"ME|HA" r"CK)\b",
    "a path of one machine": r"(?<![\w.])/(work|root|home/\w+|tmp)/",
    "how the text came about": r"(?i)\b(clau" r"de|anthro" r"pic|chat" r"gpt|sub-?ag" r"ents?"
    r"|this ses" r"sion|language mo" r"del)\b",
    "a number that needs a tracker": r"(?i)\bissue\s*#?\d+",
    "a conflict mark": r"^(<{7}|>{7}) ",
}


def first_lines(text: str, count: int = 4) -> str:
    return "\n".join(text.splitlines()[:count])


def has_licence(text: str) -> bool:
    return "SPDX-License-Identifier: MIT" in first_lines(text)


def test_every_source_names_its_licence():
    sources = named(*SOURCE_SUFFIXES) + [p for p in files() if p.name in SOURCE_NAMES]
    assert sources
    bare = [relative(p) for p in sources if read(p).strip() and not has_licence(read(p))]
    assert not bare, f"no SPDX line at the head: {bare}"


def test_every_header_says_how_it_may_be_called():
    headers = named(".h", under=CSRC) + named(".h", under=SHARED)
    assert headers
    silent = [relative(p) for p in headers if "Thread-safety:" not in read(p)]
    assert not silent, f"no Thread-safety: line: {silent}"


def text_faults(text: str) -> list[str]:
    return [
        f"line {text.count(chr(10), 0, match.start()) + 1}: {what}: {match.group()!r}"
        for what, pattern in FORBIDDEN.items()
        for match in re.finditer(pattern, text, re.MULTILINE)
    ]


def test_files_speak_of_the_project_alone():
    faults = [
        f"{relative(path)} {fault}"
        for path in named(*TEXT_SUFFIXES)
        for fault in text_faults(read(path))
    ]
    assert not faults, "\n".join(faults)


def test_scanner_finds_each_kind_of_text():
    samples = ["a TO" "DO b", "see /wo" "rk/x", "as Clau" "de said", "fixes issue " "12"]
    assert all(text_faults(sample) for sample in samples)
    assert text_faults("<" * 7 + " HEAD")
    assert not text_faults("a/work/b, a.tmp/file, https://example.org/tmp, method, hacker")
    assert not has_licence("\n" * 9 + "SPDX-License-Identifier: MIT")


def version_places(version: str, texts: dict[str, str]) -> list[str]:
    pattern = re.compile(rf"(?<![\d.\w]){re.escape(version)}(?![\d.])")
    return [name for name, text in texts.items() if pattern.search(text)]


def test_the_version_is_written_once():
    with open(ROOT / "pyproject.toml", "rb") as file:
        version = tomllib.load(file)["project"]["version"]
    texts = {relative(p): read(p) for p in named(*TEXT_SUFFIXES)}
    assert version_places(version, texts) == ["pyproject.toml"]


def test_the_built_version_is_the_written_one():
    import dapplewood
    from dapplewood import _core

    with open(ROOT / "pyproject.toml", "rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert dapplewood.__version__ == _core.__version__ == version


def test_version_scanner():
    texts = {"a": 'version = "9.8.7"', "b": "9.8.70 19.8.7 9.8.7.1", "c": "see v 9.8.7, then"}
    assert version_places("9.8.7", texts) == ["a", "c"]


def stored_outputs(notebook: dict) -> list[int]:
    return [
        i
        for i, cell in enumerate(notebook["cells"])
        if cell["cell_type"] == "code" and (cell.get("outputs") or cell.get("execution_count"))
    ]


def test_notebooks_are_stored_without_outputs():
    assert stored_outputs({"cells": [{"cell_type": "code", "outputs": [{}]}]}) == [0]
    kept = {relative(p): stored_outputs(json.loads(read(p))) for p in named(".ipynb")}
    assert not any(kept.values()), f"strip the outputs of cells: {kept}"
