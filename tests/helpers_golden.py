# SPDX-License-Identifier: MIT
"""References in tests/golden, which lavapipe has drawn, and what pictures are composed of.

`DAPPLEWOOD_GOLDEN=write pytest tests/gpu/test_render_golden*.py` draws them anew: look at them
before you keep them.
"""

from __future__ import annotations

import os
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.io import write_image
from helpers import TOLERANCE

GOLDEN = Path(__file__).parent / "golden"


def block(low, high, **material) -> dw.Mesh:
    """A box with a normal for each face."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    positions, indices = [], []
    for axis in range(3):
        for side in (0, 1):
            u, v = [(1, 2), (2, 0), (0, 1)][axis]
            corners = np.zeros((4, 3))
            corners[:, axis] = side
            corners[:, u], corners[:, v] = [0, 1, 1, 0], [0, 0, 1, 1]
            first = len(positions) * 4
            turn = [0, 1, 2, 0, 2, 3] if side else [0, 2, 1, 0, 3, 2]
            positions.append(low + corners * (high - low))
            indices.append(first + np.array(turn).reshape(2, 3))
    return dw.Mesh(
        np.concatenate(positions).astype(np.float32),
        np.concatenate(indices).astype(np.uint32),
        material=dw.Material(**material),
    )


def ground(half: float, **material) -> dw.Mesh:
    return dw.Mesh(
        np.array([[-1, 0, 1], [1, 0, 1], [1, 0, -1], [-1, 0, -1]], np.float32) * half,
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32),
        material=dw.Material(**material),
    )


def difference(color: np.ndarray, wanted: np.ndarray) -> tuple[float, float, np.ndarray]:
    """(mean steps, share of pixels off by more than the worst allowed, steps by pixel)."""
    steps = np.abs(color.astype(int) - wanted)
    worst = steps.max(axis=2)
    return float(steps.mean()), float((worst > TOLERANCE["golden_worst"]).mean()), worst


def check_golden(name: str, color: np.ndarray, folder: Path, cell: tuple[int, int] | None = None):
    """Fail where a picture differs from its reference. cell: (width, height) of what a sheet is
    composed of; each is held to the tolerance by itself."""
    path = GOLDEN / f"{name}.png"
    if os.environ.get("DAPPLEWOOD_GOLDEN") == "write":
        write_image(path, color)
    assert path.exists(), f"no reference {path}: see the top of {Path(__file__).name}"
    wanted = dw.read_image(path).array
    assert wanted.shape == color.shape
    width, height = cell or color.shape[1::-1]
    what = "effect" if cell else "golden"
    bad = []
    for top in range(0, color.shape[0], height):
        for left in range(0, color.shape[1], width):
            part = np.s_[top : top + height, left : left + width]
            mean, share, _ = difference(color[part], wanted[part])
            if mean > TOLERANCE[f"{what}_mean"] or share > TOLERANCE[f"{what}_share"]:
                bad.append(
                    f"at ({left}, {top}): {mean:.3f} steps in the mean, {share:.2%} of the pixels "
                    f"off by more than {TOLERANCE['golden_worst']}"
                )
    if bad:
        write_image(folder / f"{name}.png", color)
        steps = difference(color, wanted)[2]
        write_image(folder / f"{name}_difference.png", np.minimum(steps * 8, 255).astype(np.uint8))
        text = "; ".join(bad)
        pytest.fail(f"{name}: {text}; the picture and its difference are in {folder}")
