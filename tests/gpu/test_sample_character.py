# SPDX-License-Identifier: MIT
"""The sample character as drawn: it is whole in every pose, and one sees it blink."""

from __future__ import annotations

from functools import lru_cache

import dapplewood as dw
import numpy as np
import pytest

SIZE = (200, 240)


@lru_cache(maxsize=1)
def walker() -> dw.Model:
    return dw.samples.character(detail=1)


def drawn(studio, pose, camera: dw.Camera) -> tuple[dw.Frame, list[int]]:
    """The picture and the pixels of body, leaves and eyes."""
    scene = dw.Scene()
    scene.sky = None
    scene.sun.shadows = False
    parts = [scene.add(mesh) for mesh, _ in walker().static_meshes(pose=pose)]
    frame = studio.render(scene, camera, size=SIZE)
    numbers, counts = np.unique(frame.ids[frame.ids > 0], return_counts=True)
    owners = [frame.what(int(number))[0] for number in numbers]
    return frame, [sum(int(c) for o, c in zip(owners, counts) if o is part) for part in parts]


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("name", "time"), [("idle", 0.0), ("walk", 0.0), ("walk", 0.4),
                                            ("curl", 0.7), ("curl", 1.4)])  # fmt: skip
def test_it_is_whole_in_every_pose(studio, name, time, side):
    """What is drawn reaches as far as the posed vertices, and is one piece."""
    pose = walker().pose(name, time)
    camera = dw.OrthoCamera((1.2 * side, 0.9, 3.0 * side), (0, 0.8, 0), height=2.2, near=0.1)
    frame, (wood, leaves, _) = drawn(studio, pose, camera)
    there = frame.ids > 0
    points = np.concatenate([np.asarray(mesh.positions, float)
                             for mesh, _ in walker().static_meshes(pose=pose)])
    view = camera.view_matrix
    flat = (points @ view[:3, :3].T + view[:3, 3])[:, :2] * SIZE[1] / 2.2
    rows, columns = np.nonzero(there)
    for found, wanted in ((columns, flat[:, 0] + SIZE[0] / 2), (rows, SIZE[1] / 2 - flat[:, 1])):
        # the corners of a leaf's card are clear, so that pictures end a little sooner
        assert found.min() == pytest.approx(wanted.min(), abs=8)
        assert found.max() == pytest.approx(wanted.max(), abs=8)
    filled = there.sum() / (np.ptp(rows) * np.ptp(columns))
    assert 0.3 < filled < 0.85
    assert wood > 800 and leaves > 2500


def test_one_sees_it_blink(studio):
    """From the front the lids hide the eyes while they are shut, and only then."""
    camera = dw.OrthoCamera((0, 1.3, 3.0), (0, 1.3, 0), height=0.5, near=0.1)
    (_, before), (_, shut), (_, after) = (
        drawn(studio, walker().pose("idle", time), camera) for time in (1.25, 1.35, 1.45)
    )
    assert min(before[2], after[2]) > 1500
    assert shut[2] < 0.03 * before[2]
