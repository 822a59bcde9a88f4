# SPDX-License-Identifier: MIT
"""``dapplewood terrain``: the sheet, the table, and what it refuses."""

from __future__ import annotations

import json

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.cli import main
from dapplewood.io import write_image

SIDE = 24


@pytest.fixture
def splat(tmp_path):
    """Three weights that change along x; the fourth, alpha, is 0 everywhere."""
    ramp = np.linspace(0, 255, SIDE)
    weights = np.zeros((SIDE, SIDE, 4), np.uint8)
    weights[..., 0], weights[..., 1] = ramp, 255 - ramp
    weights[:4, :, 2] = 200
    path = tmp_path / "splat.png"
    write_image(path, weights)
    return path


def run(*words) -> int:
    return main(["terrain", *map(str, words), "--device", "cpu"])


def test_a_sheet_and_a_table(splat, tmp_path, capsys):
    path = tmp_path / "sheet.png"
    assert run(splat, "-o", path, "--size", 64, "--zoom", 16, "--zoom", 32) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("smooth", "dithered", "priority", f"wrote {path}"))
    image = dw.read_image(path).array[..., :3]
    assert image.shape[0] > 2 * 64 and image.shape[1] > 3 * 64
    columns = [image[24:80, 10 + 74 * i : 74 + 74 * i].astype(int) for i in range(3)]
    assert np.abs(columns[0] - columns[1]).max() > 20
    assert np.abs(columns[1] - columns[2]).max() > 20


def test_alpha_is_a_weight_and_coverage_is_told(splat, tmp_path, capsys):
    """What is counted over the whole map lies within a cell's worth of what is expected."""
    words = [splat, "--json", "-o", tmp_path / "sheet.png", "--size", 16, "--mode", "dithered"]
    assert run(*words, "--mode", "priority", "--cell", 0.25, "--min-weight", 0) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["mode"] for row in rows] == ["dithered", "priority"]
    weights = dw.read_image(splat).array.astype(float)
    shares = (weights / weights.sum(2, keepdims=True)).mean((0, 1))
    for row in rows:
        assert row["measured"][3] == row["expected"][3] == 0
        assert np.abs(np.subtract(row["measured"], row["expected"])).max() < 0.01
    assert np.abs(rows[0]["expected"] - shares).max() < 1e-3


def test_details_and_base_are_shown(splat, tmp_path):
    """Far out the base, near by the tiles, of which one may be missing."""
    red, out = tmp_path / "red.png", tmp_path / "sheet.png"
    write_image(red, np.full((4, 4, 3), (250, 0, 0), np.uint8))
    base = tmp_path / "base.png"
    write_image(base, np.full((8, 8, 3), (0, 0, 250), np.uint8))
    words = ["--base", base, "--detail", red, "--detail", red, "--mode", "dithered"]
    assert run(splat, *words, "-o", out, "--size", 32, "--zoom", 2, "--zoom", 16) == 0
    image = dw.read_image(out).array[..., :3]
    assert (image[30:50, 14:38] == (0, 0, 250)).all()
    assert (image[88:116, 14:38] == (250, 0, 0)).all()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["-o", "sheet.jpg"], "--out must end in .png"),
        (["--cell", "0"], "cell"),
        (["--min-weight", "2"], "min_weight must lie in [0, 0.5]"),
        (["--zoom", "-1"], "zooms"),
        (["--size", "2"], "side"),
        (["--detail", "splat.png"] * 5, "--detail: the map has 4 materials, got 5"),
        (["--priority", "0"] * 5, "--priority: the map has 4 materials, got 5"),
        (["-o", "splat.png"], "would overwrite the input"),
    ],
)
def test_what_it_refuses(splat, tmp_path, monkeypatch, capsys, words, text):
    monkeypatch.chdir(tmp_path)
    assert run("splat.png", *words) == 2
    assert text in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["splat.png"]


def test_the_demo_draws_its_map(native_device):
    """Four materials of the sample map, and no other way of it like the next one."""
    from dapplewood.cli.demo_terrain import draw_terrain

    sheet, made = draw_terrain(native_device)
    assert made.weights.shape[2] == len(made.details) == len(made.names) == 4
    assert (made.weights.reshape(-1, 4).max(0) > 180).all()
    middle = sheet[380:690].astype(int)
    ways = [middle[:, 10 + 330 * i : 330 + 330 * i] for i in range(3)]
    assert min(np.abs(ways[i] - ways[i - 1]).mean() for i in range(3)) > 3


@pytest.mark.parametrize(
    ("more", "name"),
    [({"side": 8}, "side"), ({"texels_per_metre": 0}, "texels_per_metre"), ({"seed": -1}, "seed")],
)
def test_sample_maps_have_limits(more, name):
    with pytest.raises(ValueError, match=name):
        dw.samples.terrain_map(**more)
