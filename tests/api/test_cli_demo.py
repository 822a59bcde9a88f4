# SPDX-License-Identifier: MIT
"""The forest of ``dapplewood demo``: drawn where a device can, left out with a reason elsewhere."""

from __future__ import annotations

import json

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import samples
from dapplewood.cli import demo_command, demo_coverage, demo_forest, main
from dapplewood.cli.console import Console
from dapplewood.io import read_image


@pytest.fixture
def made(tmp_path, monkeypatch):
    """An empty folder to write into, and an atlas that takes a moment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAPPLEWOOD_DEVICE", "cpu")
    monkeypatch.setattr(demo_command, "_SIZE", 256)
    return tmp_path / "made"


@pytest.mark.slow
def test_demo_draws_a_forest(made, monkeypatch, capsys, vulkan_device):
    glade = samples.glade
    monkeypatch.setattr(samples, "glade", lambda: glade(detail=0.1))
    monkeypatch.setattr(demo_forest, "default_vulkan_device", lambda: vulkan_device)
    assert main(["demo", "--out", "made", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    forest = found["forest"]
    assert forest["trees"] > 100 and forest["depleted"] == 2 and forest["respawning"] == 2
    assert forest["triangles"] > forest["instances"] > 50 and forest["draw_calls"] > 10
    assert "made/forest.png" in {name.replace("\\", "/") for name in found["files"]}
    image = read_image(made / "forest.png").array
    assert image.shape[:2] == (540, 960)
    light = image[..., :3].astype(float).mean(axis=2)
    assert 60 < light.mean() < 190 and light.std() > 25  # neither dark nor washed out
    sky, meadow = image[20:60, 450:650, :3].mean((0, 1)), image[480:, 100:500, :3].mean((0, 1))
    assert sky.argmax() == 2 and meadow.argmax() != 2


def test_demo_says_why_there_is_no_forest(made, monkeypatch, capsys):
    def none_found():
        raise dw.DeviceNotFound("no Vulkan loader")

    monkeypatch.setattr(demo_forest, "default_vulkan_device", none_found)
    assert main(["demo", "--out", "made"]) == 0
    printed = capsys.readouterr()
    assert "no made" in printed.err and "needs a Vulkan device" in printed.err
    assert "dapplewood doctor" in printed.err and "no Vulkan loader" in printed.err
    assert "forest" not in printed.out and not (made / "forest.png").exists()
    assert (made / "foliage.ktx2").exists()


def test_a_chosen_processor_draws_no_forest(made, monkeypatch, capsys):
    monkeypatch.setattr(demo_forest, "default_vulkan_device", lambda: pytest.fail("asked for one"))
    assert main(["demo", "--out", "made", "--device", "cpu", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["forest"] is None and printed.err == ""


def test_an_atlas_of_ones_own_brings_no_forest(made, monkeypatch, capsys):
    monkeypatch.setattr(demo_command, "draw_forest", lambda *words, **more: pytest.fail("drawn"))
    image = np.zeros((64, 64, 4), np.uint8)
    image[8:56, 8:56] = 90, 120, 60, 255
    dw.io.write_image("mine.png", image)
    assert main(["demo", "mine.png", "--out", "made", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["forest"] is None


def test_the_picture_overwrites_no_input(made, capsys):
    made.mkdir()
    dw.io.write_image(made / "forest.png", np.full((64, 64), 200, np.uint8))
    before = (made / "forest.png").read_bytes()
    words = ["demo", "--out", "made", "--opacity", "made/forest.png", "--device", "cpu"]
    assert main(words) == 2
    assert "would overwrite the input made/forest.png" in capsys.readouterr().err
    assert (made / "forest.png").read_bytes() == before


def test_the_curves_of_the_demo_show_what_is_claimed(tmp_path, vulkan_device, monkeypatch):
    """The kept chain stays within 5 points where the naive one has lost half of the card."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(demo_coverage, "_TREE_DISTANCES", (20, 90, 121, 160))
    monkeypatch.setattr(demo_coverage, "_VIEW", (480, 270))
    monkeypatch.setattr(demo_coverage, "_CARD_DISTANCES", (5, 20, 45, 80))
    found = demo_coverage.measure_coverage_curves(Console("demo"), tmp_path, vulkan_device)
    found.card.assert_within(5.0, reference="true")
    naive = found.card.cutouts.index("naive")
    assert found.card.coverage[naive, -1] < 0.6
    assert found.tree.switches == (60.0, 90.0, 120.0)
    data = json.loads((tmp_path / "coverage_vs_distance.json").read_text())
    assert set(data) == {"card", "tree"} and "test" in data["card"]["curves"]
    assert found.files[0].endswith("coverage_vs_distance.png")
    assert read_image(found.files[0]).array.shape[1] > 1000
    assert "naive" in found.text()
