# SPDX-License-Identifier: MIT
"""``dapplewood effect``: what it tells, strips, and what it refuses."""

from __future__ import annotations

import json

import dapplewood as dw
import helpers_effects as files
import numpy as np
import pytest
from dapplewood.cli import main
from dapplewood.io import read_image


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two effects, one with a setting that no one knows."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAPPLEWOOD_DEVICE", "cpu")
    (tmp_path / "plain.plist").write_text(files.PLIST)
    (tmp_path / "odd.json").write_text(json.dumps(files.quarks(glitter=3)))
    return tmp_path


def test_parts_of_a_file_and_of_a_built_in_effect(folder, capsys):
    assert main(["effect", "plain.plist", "fire_explosion"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "plain.plist: 40 particles"
    assert lines[1].split() == ["part", "kind", "layer", "particles", "life", "s", "plays"]
    assert lines[2].split()[:2] == ["0", "ballistic"] and lines[2].split()[-1] == "on"
    built_in = dw.effect("fire_explosion")
    assert lines[3] == f"fire_explosion: {built_in.count:,} particles"
    assert len(lines) == 5 + len(built_in.parts)
    assert all(line.endswith("once") for line in lines[5:])


def test_what_is_not_as_in_the_file(folder, capsys):
    assert main(["effect", "odd.json"]) == 0
    told = "  not as in the file: object.children[0].ps: glitter = 3: this setting is not known"
    assert told in capsys.readouterr().out
    assert main(["effect", "--strict", "odd.json", "plain.plist"]) == 5
    assert main(["effect", "--strict", "plain.plist", "glow_fire"]) == 0


def test_json(folder, capsys):
    assert main(["effect", "--json", "odd.json", "water_net"]) == 0
    odd, net = map(json.loads, capsys.readouterr().out.splitlines())
    loaded = dw.load_effect("odd.json")
    assert odd["effect"] == "odd.json" and odd["particles"] == loaded.count
    assert [tuple(row.values()) for row in odd["unmapped"]] == list(loaded.unmapped)
    (part,) = loaded.parts
    assert odd["parts"] == [{"kind": "ballistic", "layer": "add", "count": part.count,
                             "lifetime": list(part.lifetime), "plays": "on and on"}]  # fmt: skip
    assert [part["plays"] for part in net["parts"]].count("in bursts") == 1


def test_strip(folder, capsys, vulkan_device):
    words = ["effect", "plain.plist", "glow_fire", "--size", "48x32", "--time", "0.5:1.5:3"]
    assert main([*words, "-v", "--out", "strips/a.png"]) == 0
    assert "wrote strips/a.png" in capsys.readouterr().err
    picture = read_image("strips/a.png").array
    assert picture.shape[:2] == (64, 144)
    for row in (picture[:32], picture[32:]):
        cells = [row[:, at : at + 48, :3].astype(int) for at in (0, 48, 96)]
        backdrop = row[0, 0, :3].astype(int)
        for cell in cells:
            assert (np.abs(cell - backdrop).max(axis=2) > 12).mean() > 0.01, "nothing is drawn"
        assert (cells[0] != cells[1]).any() and (cells[1] != cells[2]).any()


def test_some_files_fail(folder, capsys, vulkan_device):
    (folder / "cut.json").write_text('{"metadata": {')
    (folder / "none.json").write_text("{}")
    words = ["effect", "cut.json", "gone.json", "none.json", "plain.plist"]
    assert main([*words, "--size", "16x16", "--time", "1", "--out", "a.png"]) == 1
    streams = capsys.readouterr()
    assert "cut.json: is no whole JSON" in streams.err
    assert "gone.json: No such file" in streams.err
    assert "none.json: is JSON, but none of" in streams.err
    assert streams.out.startswith("plain.plist: 40 particles")
    assert read_image("a.png").array.shape[:2] == (16, 16)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["plain.plist", "--out", "a.jpg"], "--out must end in .png, got 'a.jpg'"),
        (["plain.plist", "--out", "plain.plist"], "--out must end in .png"),
        (["plain.plist", "--time=-1"], "--time must be 0 s or later, got -1"),
        (["plain.plist", "--time", "2:1:3"], "takes SECONDS, or FIRST:LAST:COUNT"),
        (["plain.plist", "--size", "0x9"], "takes WIDTHxHEIGHT"),
        (["."], "is a folder"),
        (["*.nothing"], "no file matches"),
        ([], "EFFECT"),
    ],
)
def test_what_is_refused(folder, capsys, words, text):
    assert main(["effect", *words]) == 2
    assert text in capsys.readouterr().err


def test_a_word_that_is_none_lists_those_there_are(capsys):
    assert main(["effect", "fire_camps"]) == 1
    said = capsys.readouterr().err
    assert "fire_camps: No such file" in said and "built in are water_net, " in said
    assert main(["effect", "fire.json"]) == 1
    assert "built in" not in capsys.readouterr().err


def test_an_input_is_never_overwritten(folder, capsys):
    (folder / "a.png").write_text(files.PLIST)
    assert main(["effect", "a.png", "--out", "a.png"]) == 2
    assert "would overwrite the input" in capsys.readouterr().err
    assert (folder / "a.png").read_text() == files.PLIST


def test_without_a_device_that_draws(folder, capsys, monkeypatch):
    def none():
        raise dw.DeviceNotFound("there is none")

    monkeypatch.setattr("dapplewood.cli.inputs.default_vulkan_device", none)
    assert main(["effect", "plain.plist", "--out", "a.png"]) == 3
    assert "drawing needs a Vulkan device" in capsys.readouterr().err
    assert not (folder / "a.png").exists()
