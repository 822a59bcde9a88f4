# SPDX-License-Identifier: MIT
"""No setting of a file is dropped in silence: a stray one anywhere in it is told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dapplewood as dw
import helpers_effects as files
import pytest
from dapplewood.io.effects.js_object import script_objects
from dapplewood.io.effects.reading import Source

# Objects that say nothing of what is seen, or of which what is chosen between is not chosen.
QUIET = {
    "quarks": {"metadata"},
    "pixi": set(),
    "tsparticles": {"particles.number.density"},
    "godot": set(),
    "godot 3": set(),
    "urho": set(),
    "efkproj": set(),
}


def strays_of_xml(text: str, within: str) -> Iterator[tuple[str, str]]:
    """An attribute more on every element, or an element more in each that holds others."""
    for found in re.finditer(r"<([A-Za-z]\w*)", text):
        at = text.index(">", found.end()) if within else found.end()
        stray = f"><glitter>{files.STRAY}</glitter" if within else f' glitter="{files.STRAY}"'
        if within and not text[at + 1 :].lstrip().startswith("<"):
            continue
        if within and text[at + 1 :].lstrip().startswith("</"):
            continue
        yield found.group(1), text[:at] + stray + text[at:]


def strays_of_godot(text: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(r"(?m)^\[(?:sub_resource|node).*\]$", text):
        yield found.group(), f"{text[: found.end()]}\nglitter = {files.STRAY}{text[found.end() :]}"


def script() -> dict[str, Any]:
    """The script's effect, without what JSON has no word for."""
    found = [data for data, _ in script_objects(Source(Path("a.js")), files.SCRIPT)]
    (effect,) = (data for data in found if isinstance(data, dict) and "particles" in data)
    return {key: effect[key] for key in ("particles",)}


FORMATS = {
    "quarks": ("json", lambda: files.strays_of_json(files.quarks())),
    "pixi": ("json", lambda: files.strays_of_json(files.PIXI)),
    "tsparticles": ("json", lambda: files.strays_of_json(script())),
    "godot": ("tscn", lambda: strays_of_godot(files.GODOT)),
    "godot 3": ("tscn", lambda: strays_of_godot(files.GODOT_OLD)),
    "urho": ("xml", lambda: strays_of_xml(files.URHO3D, "")),
    "efkproj": ("efkproj", lambda: strays_of_xml(files.EFKPROJ, "elements")),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_stray_setting_is_told_wherever_it_stands(tmp_path, name):
    ending, strays = FORMATS[name]
    silent, count = set(), 0
    for place, text in strays():
        path = tmp_path / f"a.{ending}"
        path.write_text(text)
        told = dw.load_effect(path).unmapped
        rows = [row for row in told if "glitter" in row[1]]
        assert all(str(files.STRAY) in row[1] for row in rows)
        silent |= set() if rows else {place}
        count += 1
    assert count > 1
    assert silent == QUIET[name]


def test_a_stray_in_a_plist_is_told(tmp_path):
    path = tmp_path / "a.plist"
    path.write_text(files.PLIST.replace("<dict>", "<dict><key>glitter</key><real>12345</real>"))
    assert [row[1] for row in dw.load_effect(path).unmapped] == ["glitter = 12345.0"]


def test_nodes_that_are_hidden_are_told(tmp_path):
    path = tmp_path / "a.tscn"
    path.write_text(files.GODOT.replace('type="Node3D"]', 'type="Node3D"]\nvisible = false'))
    assert ("node Top", "visible = False", "it is drawn all the same") in (
        dw.load_effect(path).unmapped
    )
