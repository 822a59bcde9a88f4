# SPDX-License-Identifier: MIT
"""``dapplewood drift``: a table, JSON, a plot, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest
from dapplewood.cli import main
from helpers_gltf import Writer
from helpers_pose import tube


@pytest.fixture
def arm(tmp_path, monkeypatch):
    """arm.glb: a skinned tube that bends within a second."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAPPLEWOOD_DEVICE", "cpu")
    positions, indices = tube(60, 8)
    share = np.clip(positions[:, 1] - 0.5, 0.0, 1.0)
    writer = Writer()
    joints = np.tile(np.array([0, 1, 0, 0]), (len(positions), 1))
    weights = np.stack([1.0 - share, share, 0 * share, 0 * share], axis=1)
    mesh = writer.mesh(
        {
            "POSITION": positions,
            "JOINTS_0": writer.accessor(joints, "u1"),
            "WEIGHTS_0": weights,
        },
        indices.ravel(),
    )
    upper = writer.add("nodes", name="upper", children=[1])
    lower = writer.add("nodes", name="lower", translation=[0, 1, 0])
    inverse = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))
    inverse[1, 3, 1] = -1.0  # column-major
    writer.add(
        "skins", joints=[upper, lower], inverseBindMatrices=writer.accessor(inverse.reshape(2, 16))
    )
    writer.place(mesh, skin=0)
    writer.document["scenes"][0]["nodes"].append(upper)
    quaternions = [[0, 0, 0, 1], [0, 0, np.sin(1.0), np.cos(1.0)]]
    writer.add(
        "animations",
        name="bend",
        channels=[{"sampler": 0, "target": {"node": lower, "path": "rotation"}}],
        samplers=[{"input": writer.accessor([0, 1]), "output": writer.accessor(quaternions)}],
    )
    return writer.glb(tmp_path / "arm.glb")


def test_table(arm, capsys):
    assert main(["drift", "arm.glb", "--frames", "6", "--rays", "200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:3] == ["time", "s", "refit"]
    assert len(lines) == 1 + 6 + 2
    assert "more nodes" in lines[-1]


def test_json_and_plot(arm, capsys, tmp_path):
    words = ["drift", "arm.glb", "--animation", "bend", "--frames", "5", "--rays", "200"]
    assert main([*words, "--json", "-o", "out/drift.png"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("frame", {}).get("time") for line in lines[:2]] == [0.0, 0.033333]
    assert lines[-1]["summary"]["frames"] == 5
    assert all(line["animation"] == "bend" for line in lines)
    assert (tmp_path / "out/drift.png").read_bytes().startswith(b"\x89PNG")


def test_quick_leaves_the_comparison_out(arm, capsys):
    assert main(["drift", "arm.glb", "--frames", "2", "--rays", "20", "--quick"]) == 0
    assert "more nodes" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["arm.glb", "--animation", "no such"], "--animation must be one of 'bend'"),
        (["arm.glb", "--animation", "3"], "--animation must be one of 'bend'"),
        (["arm.obj"], "takes a model"),
        (["arm.glb", "-o", "arm.glb"], "--out must end in"),
        (["arm.glb", "--rays", "1"], "must lie in"),
        (["arm.glb", "--fps", "0"], "above 0"),
    ],
)
def test_wrong_words_are_usage_errors(arm, capsys, words, message):
    assert main(["drift", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_model_that_nothing_deforms(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAPPLEWOOD_DEVICE", "cpu")
    writer = Writer()
    positions, indices = tube(3, 4)
    writer.place(writer.mesh({"POSITION": positions}, indices.ravel()))
    writer.add(
        "animations",
        channels=[{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
        samplers=[{"input": writer.accessor([0, 1]), "output": writer.accessor(np.eye(3)[:2])}],
    )
    writer.glb(tmp_path / "still.glb")
    assert main(["drift", "still.glb"]) == 2
    assert "no skin or morph target" in capsys.readouterr().err
    writer.document.pop("animations")
    writer.glb(tmp_path / "still.glb")
    assert main(["drift", "still.glb"]) == 2
    assert "has no animation" in capsys.readouterr().err
