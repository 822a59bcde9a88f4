# SPDX-License-Identifier: MIT
"""Poses as devices read them, and trees refit on a device beside native ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from dapplewood import _core

SERIAL, WIDE = 1, 2  # dw_refit_variant
FORMATS = {"quantized": 0, "f32": 1}


@dataclass
class Pose:
    """Positions (V, 3) or boxes (N, 6), and how they lie in the buffer."""

    positions: np.ndarray
    dirty: np.ndarray | None = None
    sums: bool = False
    offset: int = 0  # floats in front
    stride: int = 0  # floats; 0: packed

    def step(self) -> tuple:
        rows, width = self.positions.shape
        stride = self.stride or width
        data = np.full(self.offset + rows * stride, np.nan, np.float32)
        np.lib.stride_tricks.as_strided(
            data[self.offset :], (rows, width), (4 * stride, 4), writeable=True
        )[:] = self.positions
        return data, self.offset, stride, self.dirty, self.sums


def build(device, positions, indices, node_format="quantized", builder=0) -> dict:
    return _core.tree_build(
        device, positions, indices, builder=builder, node_format=FORMATS[node_format]
    )


def refit_native(layout: dict, poses: list[Pose], device=None) -> dict:
    """The layout after all the poses."""
    for pose in poses:
        found = _core.tree_refit(layout, pose.positions, pose.dirty, pose.sums, device)
        layout = {**layout, **{name: found[name] for name in ("nodes", "frame", "sums", "box")}}
    return layout


def device_batch(batch: list[tuple[dict, list[Pose]]]) -> tuple:
    """What tree_gpu_refit takes."""
    return tuple(
        (
            {name: value for name, value in layout.items() if name != "sums"},
            poses[0].positions,
            tuple(pose.step() for pose in poses),
        )
        for layout, poses in batch
    )


def refit_device(device, batch: list[tuple[dict, list[Pose]]], variant=0, repeat=1) -> list[dict]:
    """The same for several meshes, each pose of all meshes in one submission."""
    found, _ = _core.tree_gpu_refit(device, device_batch(batch), variant=variant, repeat=repeat)
    return list(found)


def assert_same(found: dict, wanted: dict, *, sums: bool, what: str = "") -> None:
    """Equal bytes of nodes, frame and sums, and the root's box."""
    both = [np.ascontiguousarray(each["nodes"]).view(np.uint32) for each in (found, wanted)]
    ours, theirs = both[0].ravel(), both[1].ravel()
    rows = np.flatnonzero(ours != theirs)
    assert not len(rows), (
        f"{what}: {len(rows)} of {len(ours)} words of nodes differ, first at "
        f"{rows[:4]}: {ours[rows[:4]]} {theirs[rows[:4]]}"
    )
    frames = [np.frombuffer(each["frame"].tobytes(), np.uint32) for each in (found, wanted)]
    np.testing.assert_array_equal(*frames, err_msg=f"{what}: frame")
    box = found["root"].view(np.float32)
    if wanted["box"] is None:
        assert box[0] > box[3], what
    else:
        np.testing.assert_array_equal(box, np.float32(wanted["box"]), err_msg=what)
    if sums:
        assert found["sums"].tobytes() == wanted["sums"].tobytes(), what
