# SPDX-License-Identifier: MIT
"""Rows of shaders/shared/*.def are what C, Python and the documentation offer."""

from __future__ import annotations

import re

import pytest
from contract.repository import SHARED, named, read

_ROW = re.compile(
    r'^DW_(?P<macro>\w+)\((?P<value>\d+),\s*(?P<NAME>[A-Z0-9_]+),\s*(?P<name>[a-z0-9_]+),'
    r'.*?"(?P<doc>(?:[^"\\]|\\.)*)"\)$',
    re.MULTILINE,
)
FILES = {path.stem: path for path in named(".def", under=SHARED)}


def rows_of(text: str) -> list[dict[str, str]]:
    return [match.groupdict() for match in _ROW.finditer(text)]


def enum_name(macro: str) -> str:
    """MipFilter for MIP_FILTER."""
    return macro.title().replace("_", "")


def row_faults(stem: str, text: str) -> list[str]:
    """What breaks the form that every registry has."""
    rows = rows_of(text)
    faults = []
    if len(rows) != len(re.findall(r"^DW_", text, re.MULTILINE)) or not rows:
        faults.append("a row is not DW_<KIND>(value, NAME, name, ..., \"doc\") on one line")
    if {row["macro"].lower() + "s" for row in rows} != {stem}:
        faults.append(f"rows of {stem}.def are not all of one kind named like the file")
    if [int(row["value"]) for row in rows] != list(range(len(rows))):
        faults.append("values are not 0, 1, 2 ... in order")
    faults += [f"{r['NAME']} is not {r['name']}" for r in rows if r["NAME"].lower() != r["name"]]
    faults += [f"{r['name']} has no text" for r in rows if not r["doc"].strip()]
    return faults


@pytest.mark.parametrize("stem", FILES)
def test_rows_have_their_form(stem):
    assert row_faults(stem, read(FILES[stem])) == []


def test_form_check_can_fail():
    good = '/* head */\nDW_LEAF(0, OAK, oak, 1.5, "lobed")\nDW_LEAF(1, ASH, ash, 2, "pinnate")\n'
    assert row_faults("leafs", good) == []
    for bad in (
        good.replace("(1,", "(2,"),
        good.replace("ASH", "ASHEN"),
        good.replace('"pinnate"', '""'),
        good.replace("DW_LEAF(1", "DW_TREE(1"),
        good.replace('2, "pinnate")', "2)"),
        "",
    ):
        assert row_faults("leafs", bad), bad


def test_the_core_has_every_registry():
    from dapplewood import _core

    wanted = {}
    for path in FILES.values():
        rows = rows_of(read(path))
        listed = tuple((int(row["value"]), row["name"], row["doc"]) for row in rows)
        wanted[enum_name(rows[0]["macro"])] = listed
    assert {name: rows for name, (_, rows) in _core.REGISTRIES.items()} == wanted


@pytest.mark.parametrize("stem", FILES)
def test_python_has_an_enum_for_each_registry(stem):
    import dapplewood

    rows = rows_of(read(FILES[stem]))
    enum = getattr(dapplewood, enum_name(rows[0]["macro"]))
    members = [(row["NAME"], int(row["value"])) for row in rows]
    assert [(member.name, member.value) for member in enum] == members
    for row in rows:
        assert f'"{row["name"]}": {row["doc"]}' in enum.__doc__, row["name"]
