# SPDX-License-Identifier: MIT
"""``dapplewood noise``: the sheet, the table, and what it refuses."""

from __future__ import annotations

import json

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.cli import main
from dapplewood.noise_sheet import noise_sheet

PATTERNS = [kind.name.lower() for kind in dw.DitherPattern]


def test_a_sheet_and_a_table(tmp_path, capsys):
    path = tmp_path / "sheet.png"
    assert main(["noise", "-o", str(path)]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in PATTERNS) and f"wrote {path}" in text
    image = dw.read_image(path).array
    assert image.shape[0] > 5 * 256 and image.shape[1] > 7 * 256


def test_json_lines(tmp_path, capsys):
    path = tmp_path / "sheet.png"
    words = ["noise", "--json", "--size", "128", "--seed", "3", "--out", str(path)]
    assert main([*words, "--amount", "0.3", "--rule", "seed"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["pattern"] for row in rows] == PATTERNS
    blue = next(row for row in rows if row["pattern"] == "blue")
    found = dw.spectrum(dw.blue_noise(128, seed=3))
    assert blue["size"] == 128 and blue["low_frequency"] == found.low_frequency
    assert blue["radial"] == found.radial.tolist()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--size", "60"], "--size must be a power of two from 8 to 256"),
        (["--sigma", "0"], "--sigma must lie in"),
        (["--sigma", "nan"], "--sigma must lie in"),
        (["--out", "noise.jpg"], "--out must end in .png"),
        (["--amount", "1.5"], "must lie in [0, 1], got 1.5"),
        (["--rule", "best"], "invalid choice"),
        (["--seed", "-1"], "must be 0 or more"),
    ],
)
def test_wrong_usage(tmp_path, monkeypatch, capsys, words, text):
    monkeypatch.chdir(tmp_path)
    assert main(["noise", *words]) == 2
    assert text in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_panels_show_what_the_masks_are():
    """The share of dark pixels in each mask is the share that the rule names."""
    amounts = [0.25, 0.7]
    sheet = noise_sheet({"blue": dw.blue_noise(64)}, amounts, side=64, scale=1)
    dark = np.array([38, 50, 36])
    wanted = sum(dw.discard_count(amount, 4096) for amount in amounts)
    assert int((sheet == dark).all(axis=-1).sum()) == wanted
