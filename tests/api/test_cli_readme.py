# SPDX-License-Identifier: MIT
"""What the README tells newcomers to type."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core, particles, renderer, terrain, terrain_compose, trees
from dapplewood.cli.inputs import tiles_of
from dapplewood.cli.parser import make_parser
from dapplewood.io import read_image, read_texture, write_image

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_python_example_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("etcpak")
    monkeypatch.chdir(tmp_path)
    image, _ = dw.samples.foliage_atlas(512, 8, 8, gutter=8)
    write_image("atlas.png", image)
    program = blocks("python")[0]
    exec(compile(program, "README.md", "exec"), {})
    assert len(read_texture("atlas.ktx2").levels) == 5
    padded = read_texture("atlas.dds")
    assert padded.complete and padded.format == "bc7"
    assert "64 tiles" in capsys.readouterr().out


@pytest.mark.slow
def test_the_forest_example_runs(tmp_path, monkeypatch, capsys, vulkan_device):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(renderer, "default_vulkan_device", lambda: vulkan_device)
    program = blocks("python")[1]
    exec(compile(program, "README.md", "exec"), {})
    image = read_image("oaks.png").array
    assert image.shape[:2] == (540, 960) and image[..., :3].std() > 20
    count, picked = capsys.readouterr().out.split(" ", 1)
    assert int(count) > 50 and "Forest 320 instances" in picked and "310)" in picked


@pytest.mark.slow
def test_the_deforming_example_runs(monkeypatch, capsys, native_device):
    monkeypatch.setattr(trees, "default_device", lambda: native_device)
    program = blocks("python")[2]
    exec(compile(program, "README.md", "exec"), {})
    share, refits = capsys.readouterr().out.split("% of the picture, ")
    assert 3.0 < float(share) < 60.0
    assert refits == "60 refits\n", "three meshes of twenty poses"


@pytest.mark.slow
def test_the_particle_example_runs(tmp_path, monkeypatch, capsys, native_device, vulkan_device):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(particles, "default_device", lambda: native_device)
    monkeypatch.setattr(renderer, "default_vulkan_device", lambda: vulkan_device)
    scope: dict = {}
    exec(compile(blocks("python")[3], "README.md", "exec"), scope)
    drops, _, table = capsys.readouterr().out.partition(" drops, the highest at ")
    assert int(drops) == len(scope["drops"]) == 8, "a fly spot between two bursts"
    total = table.splitlines()[-1].split()
    assert total[0] == "all" and total[1:4] == ["54", "54", "0"] and total[-1] == "8"
    image = read_image("particles.png").array
    assert image.shape[:2] == (360, 640)
    spot, empty = (image[180:230, x : x + 60, :3].max(axis=(0, 1)) for x in (220, 40))
    assert (spot > empty + 30).all()
    scope["hub"].close()


def test_the_example_of_an_effect_runs(monkeypatch, capsys, native_device):
    monkeypatch.setattr(particles, "default_device", lambda: native_device)
    scope: dict = {}
    exec(compile(blocks("python")[4], "README.md", "exec"), scope)
    hub = scope["hub"]
    assert "1001 emitters" in capsys.readouterr().out
    assert hub.stats().allocated == 400 + 30 + 1000 * dw.effect("dust_drift").count
    begin = hub.state("spark")["position"]
    hub.seek(8.0)
    assert (hub.state("spark")["position"] == begin).all()
    assert begin[:, 1].max() > 1.0 and len(hub.state(scope["soot"])) == 30
    hub.close()


def test_the_terrain_example_runs(monkeypatch, capsys, native_device):
    monkeypatch.setattr(terrain, "default_device", lambda: native_device)
    monkeypatch.setattr(terrain_compose, "default_device", lambda: native_device)
    scope: dict = {}
    exec(compile(blocks("python")[5], "README.md", "exec"), {"dw": dw}, scope)
    ids, shares = scope["ids"], scope["shares"]
    counted = np.bincount(ids.ravel(), minlength=3) / ids.size
    assert np.abs(counted - shares.mean((0, 1))).max() < 0.002
    assert scope["underfoot"] == ids[322, 100]
    assert "bands" in capsys.readouterr().out
    assert scope["picture"].shape == (360, 640, 3) and scope["picture"].std() > 20


def commands() -> list[list[str]]:
    lines = "\n".join(blocks("sh")).splitlines()
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("dapplewood")]


def test_every_command_is_one():
    assert len(commands()) >= 5
    for words in commands():
        options = make_parser().parse_args(words)
        if words[0] in ("bake", "report"):
            tiles_of(options.tiles, options.gutter, options.rects)


def test_every_file_named_is_there():
    named = re.findall(r"\]\(([\w/.]+)\)|`(bench/[\w.]*)`|bin/python ([\w/.]+\.py)", README)
    paths = {path for groups in named for path in groups if path}
    assert len(paths) >= 4
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_make_targets_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"\bmake (\w+)", README)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def told_words(page: str) -> dict[str, list[str]]:
    """Words in the last column of the page's table, by kind; "as of" another one takes its own."""
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", page, re.MULTILINE)
    found = {kind: re.findall(r"`(\w+)`", text) for kind, text in rows}
    for kind, text in rows:
        if other := re.match(r"as of (\w+);", text):
            found[kind] = found[other[1]] + found[kind]
    return found


def test_every_number_of_a_kind_is_told():
    page = "| `ash` | falls | `size`: m |\n| `elm` | stands | as of ash; `sway` |\n"
    assert told_words(page) == {"ash": ["size"], "elm": ["size", "sway"]}
    told = told_words((ROOT / "docs" / "particle_kinds.md").read_text(encoding="utf-8"))
    assert set(told) == set(_core.PARTICLE_PARAMS)
    for kind, words in _core.PARTICLE_PARAMS.items():
        assert sorted(set(told[kind])) == sorted(set(words)), kind
