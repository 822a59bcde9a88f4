# SPDX-License-Identifier: MIT
"""A clip played through trees: rules are better than none, and numbers repeat."""

from __future__ import annotations

import json
import math

import dapplewood as dw
import numpy as np
import pytest
from helpers_pose import bending_arm


@pytest.fixture(scope="module")
def played(native_device):
    model = bending_arm(200, 24)
    return dw.play_drift(model, "bend", frames=120, fps=60.0, rays=2000, device=native_device)


def test_a_frame_for_each_pose(played):
    assert len(played.frames) == 120
    np.testing.assert_allclose(played.column("time"), np.arange(120) / 60.0)
    assert played.triangles == 2 * 199 * 24 * 2
    assert (played.column("refit_ms") > 0.0).all()


def test_a_bent_mesh_costs_more_unless_it_is_built_anew(played):
    ruled = played.column("steps") / played.column("steps_fresh")
    kept = played.column("steps_kept") / played.column("steps_fresh")
    assert played.column("rebuilds").sum() >= 1
    assert kept[60:].mean() > 1.02, "the clip must spoil the tree for the test to say anything"
    assert ruled[-30:].mean() < 1.1
    assert ruled[60:].mean() < kept[60:].mean()


def test_steps_and_ratios_repeat(played, native_device):
    model = bending_arm(200, 24)
    again = dw.play_drift(model, "bend", frames=20, fps=60.0, rays=2000, device=native_device)
    for name in ("steps", "steps_kept", "steps_fresh", "ratio", "fresh_ratio"):
        np.testing.assert_array_equal(again.column(name), played.column(name)[:20])


def test_summary_json_and_plot(played):
    text = json.loads(played.to_json())
    assert text["summary"] == played.summary()
    assert len(text["frames"]) == 120
    assert text["frames"][3]["steps"] == pytest.approx(played.frames[3].steps, abs=1e-5)
    assert played.plot().axes[0].lines
    assert "rebuilds" in played._repr_html_()


def test_without_comparison(native_device):
    played = dw.play_drift(
        bending_arm(), frames=4, rays=16, compare=False, device=native_device
    )
    assert math.isnan(played.frames[0].steps_fresh)
    assert played.summary()["slowdown_most"] is None
    assert json.loads(played.to_json())["frames"][0]["steps_kept"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fps": 0.0}, "fps must be"),
        ({"rays": 1}, "rays must lie"),
        ({"frames": 0}, "frames must be"),
        ({"animation": "no such"}, "animation must be one of"),
    ],
)
def test_wrong_numbers_are_named(native_device, options, message):
    with pytest.raises(ValueError, match=message):
        dw.play_drift(bending_arm(), device=native_device, **{"animation": 0, **options})
