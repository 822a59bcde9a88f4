# SPDX-License-Identifier: MIT
"""Boxes of a tree from a pose, against the definition worked out in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from dapplewood.layouts import record_dtype, records
from helpers_trees import (
    EMPTY,
    NONE,
    F,
    grid,
    item_boxes,
    meshes,
    plain_tree,
    planes_of,
    plant,
    reference_refit,
)

MESHES = meshes()


def words(layout: dict) -> np.ndarray:
    nodes = layout["nodes"]
    return np.stack([nodes["x"], nodes["y"], nodes["z"]], -1)


def numbers(sums: np.ndarray) -> list[int]:
    """Three 64-bit numbers of six words."""
    return [int(low) | int(high) << 32 for low, high in sums.reshape(3, 2)]


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("threads", [1, 3])
def test_quantized_boxes_frame_and_sums_are_those_of_the_definition(name, threads):
    positions, indices = MESHES[name]
    layout = plain_tree(indices)
    device = _core.Device("cpu", threads=threads)
    found = _core.tree_refit(layout, positions, sums=True, device=device)
    wanted = reference_refit(layout, positions)
    frame = records(found["frame"], "dw_tree_frame")
    for field in ("origin", "step", "scale", "is_empty"):
        np.testing.assert_array_equal(frame[field], wanted["frame"][field], err_msg=field)
    np.testing.assert_allclose(frame["inverse"], 1 / frame["step"], rtol=2**-22)
    np.testing.assert_array_equal(words(found), wanted["planes"])
    np.testing.assert_array_equal(found["nodes"]["ref"], layout["nodes"]["ref"])
    sums = records(found["sums"], "dw_tree_sums")
    assert numbers(sums["inner"]) == wanted["inner"]
    assert numbers(sums["leaves"]) == wanted["leaves"]
    assert frame["inactive"] == wanted["inactive"]
    device.close()


@pytest.mark.parametrize("name", MESHES)
def test_f32_boxes_are_plain_minima_and_maxima(name):
    positions, indices = MESHES[name]
    layout = plain_tree(indices, node_format="f32")
    found = _core.tree_refit(layout, positions, sums=True)
    low, high, good = item_boxes(layout, positions)
    low, high = np.where(good[:, None], low, FLT), np.where(good[:, None], high, -FLT)
    nodes = found["nodes"]
    assert not nodes["spare"].any()
    for node in reversed(range(len(nodes))):
        for side in range(2):
            ref = int(nodes["ref"][node, side])
            first, count = ref & 0x0FFFFFFF, (ref >> 28 & 7) + 1
            if ref == NONE:
                wanted = FLT, -FLT
            elif ref >> 31:
                wanted = low[first : first + count].min(0), high[first : first + count].max(0)
            else:
                wanted = nodes["low"][ref].min(0), nodes["high"][ref].max(0)
            np.testing.assert_array_equal(nodes["low"][node, side], wanted[0])
            np.testing.assert_array_equal(nodes["high"][node, side], wanted[1])
    # the sums are those of the quantized tree: rounding outward and union commute
    plain = _core.tree_refit(plain_tree(indices), positions, sums=True)
    assert found["sums"].tobytes() == plain["sums"].tobytes()
    assert found["frame"].tobytes() == plain["frame"].tobytes()


FLT = np.finfo(F).max


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
def test_trees_over_boxes(node_format):
    rng = np.random.default_rng(5)
    low = rng.standard_normal((700, 3)).astype(F)
    boxes = np.concatenate([low, low + rng.random((700, 3)).astype(F)], 1)
    boxes[3, 1] = np.nan
    boxes[10, 4] = np.inf
    boxes[20, 3] = boxes[20, 0] - 1
    layout = plain_tree(np.arange(700), node_format=node_format)
    found = _core.tree_refit(layout, boxes, sums=True)
    wanted = reference_refit(layout, boxes)
    assert wanted["inactive"] == 3
    frame = records(found["frame"], "dw_tree_frame")
    assert frame["inactive"] == 3
    np.testing.assert_array_equal(frame["origin"], wanted["frame"]["origin"])
    assert numbers(records(found["sums"], "dw_tree_sums")["inner"]) == wanted["inner"]
    if node_format == "quantized":
        np.testing.assert_array_equal(words(found), wanted["planes"])


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
def test_every_box_covers_its_triangles_closely(node_format):
    positions, indices = MESHES["plant"]
    found = _core.tree_refit(plain_tree(indices, node_format=node_format), positions)
    low, high = np.array(found["box"]).reshape(2, 3)
    step = records(found["frame"], "dw_tree_frame")["step"]
    slack = 0 if node_format == "f32" else step
    assert (low <= positions.min(0)).all() and (positions.max(0) <= high).all()
    assert (low >= positions.min(0) - slack).all() and (positions.max(0) + slack >= high).all()


# ---- partial refits ----


def moved(positions: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A pose with some rows moved inside the bounds, and the mask of them."""
    dirty = np.zeros(len(positions), bool)
    dirty[rows] = True
    pose = positions.copy()
    pose[rows] = pose[rows] * F(0.9)
    return pose, dirty


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
@pytest.mark.parametrize("name", ["grid", "plant", "broken", "copies", "3 triangles"])
def test_partial_refit_equals_a_full_one_on_the_same_grid(name, node_format):
    positions, indices = MESHES[name]
    inner = np.flatnonzero((np.abs(np.nan_to_num(positions)) < 0.6).all(1))[:40]
    pose, dirty = moved(positions, inner)
    first = _core.tree_refit(plain_tree(indices, node_format=node_format), positions, sums=True)
    part = _core.tree_refit(first, pose, dirty, sums=True)
    whole = _core.tree_refit(first, pose, np.ones(len(pose), bool), sums=True)
    for key in ("nodes", "frame", "sums"):
        assert part[key].tobytes() == whole[key].tobytes(), key
    assert part["box"] == whole["box"]
    assert part["frame"].tobytes() == first["frame"].tobytes() or name == "3 triangles"


def test_partial_refit_leaves_treelets_without_a_dirty_vertex():
    positions, indices = grid(40)
    first = _core.tree_refit(plain_tree(indices), positions)
    pose = positions * F(0.5)
    pose[:4], pose[-4:] = positions[:4], positions[-4:]
    pose[0], pose[-1] = positions.min(0), positions.max(0)
    dirty = np.zeros(len(pose), bool)
    dirty[0] = True
    part = _core.tree_refit(first, pose, dirty)
    row = int(first["treelets"].view(record_dtype("dw_tree_treelet"))[-1, 0]["first_node"])
    np.testing.assert_array_equal(part["nodes"][row:], first["nodes"][row:])
    changed = (part["nodes"] != first["nodes"]).any(-1)
    assert 0 < changed.sum() < len(changed) / 2


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        (lambda p: p, True),
        (lambda p: p * F(0.6), True),
        (lambda p: p * F(0.2), False),  # the grid would be four times too coarse
        (lambda p: p * F(1.5), False),  # beyond the grid
        (lambda p: p * F(np.nan), False),
    ],
)
def test_when_the_grid_is_kept(change, stays):
    positions, indices = MESHES["plant"]
    first = _core.tree_refit(plain_tree(indices), positions)
    pose = change(positions)
    found = _core.tree_refit(first, pose, np.ones(len(pose), bool))
    assert (found["frame"].tobytes() == first["frame"].tobytes()) == stays
    if not stays:
        fresh = _core.tree_refit(plain_tree(indices), pose)
        assert found["nodes"].tobytes() == fresh["nodes"].tobytes()
        assert found["frame"].tobytes() == fresh["frame"].tobytes()


def test_a_flat_axis_keeps_its_grid():
    positions, indices = MESHES["flat"]
    first = _core.tree_refit(plain_tree(indices), positions)
    pose, dirty = moved(positions, np.arange(300, 310))
    pose[:, 2] = positions[:, 2]
    found = _core.tree_refit(first, pose, dirty)
    assert found["frame"].tobytes() == first["frame"].tobytes()


# ---- costs ----


def test_cost_is_the_sum_of_areas_over_the_root():
    positions, indices = MESHES["plant"]
    layout = plain_tree(indices)
    found = _core.tree_refit(layout, positions, sums=True)
    step = records(found["frame"], "dw_tree_frame")["step"].astype(float)
    wanted = reference_refit(layout, positions)
    products = step * np.roll(step, -1)
    low, high = np.array(found["box"]).reshape(2, 3)
    x, y, z = high - low
    area = x * y + y * z + z * x
    inner, leaves, root = found["cost"]
    assert root == pytest.approx(area, rel=1e-6)
    assert inner == pytest.approx(np.dot(wanted["inner"], products) / area, rel=1e-6)
    assert leaves == pytest.approx(np.dot(wanted["leaves"], products) / area, rel=1e-6)


@pytest.mark.parametrize("name", ["0 triangles", "all broken"])
def test_nothing_in_range_is_an_empty_tree(name):
    positions, indices = MESHES[name]
    found = _core.tree_refit(plain_tree(indices), positions, sums=True)
    assert found["box"] is None
    assert found["cost"] == (0, 0, 0)
    assert (words(found) == EMPTY).all()


# ---- what is refused ----


def bad(change) -> dict:
    layout = plain_tree(plant(600)[1])
    layout = {key: value.copy() for key, value in layout.items()}
    change(layout)
    return layout


def set_ref(row, side, value):
    def change(layout):
        layout["nodes"]["ref"][row, side] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.pop("nodes"),
        lambda t: t.update(nodes=t["nodes"][:-1]),
        lambda t: t.update(triangles=t["triangles"][:-1]),
        lambda t: t.update(treelets=t["treelets"][:-1]),
        lambda t: t["shape"]["level_count"].fill(0),
        lambda t: t["shape"]["level_count"].fill(9),
        lambda t: t["shape"]["level_first"][0].__setitem__(0, 7),
        lambda t: t["treelets"].__setitem__((1, 0), 5),
        lambda t: t["treelets"].__setitem__((1, 3), 5000),
        lambda t: t["triangles"]["vertices"].__setitem__((3, 1), 1800),
        set_ref(0, 0, 0),
        set_ref(0, 1, 0),
        set_ref(0, 0, NONE),
        set_ref(5, 0, 4),
        set_ref(5, 0, 10**6),
        set_ref(-1, 0, 0x8FFFFFFF),
        set_ref(-1, 0, 0xF0000000),
        set_ref(-1, 1, 1),
    ],
)
def test_arrays_that_are_no_tree_are_refused(change):
    with pytest.raises((ValueError, TypeError), match="layout|positions"):
        _core.tree_refit(bad(change), plant(600)[0])


def test_bad_arguments():
    layout, positions = plain_tree(plant(600)[1]), plant(600)[0]
    with pytest.raises(TypeError, match="positions must have dtype float32"):
        _core.tree_refit(layout, positions.astype(float))
    with pytest.raises(ValueError, match="positions must have shape"):
        _core.tree_refit(layout, positions[:, :2])
    with pytest.raises(ValueError, match="the tree is over triangles"):
        _core.tree_refit(layout, np.tile(positions[: len(layout["triangles"])], 2))
    with pytest.raises(ValueError, match="positions must have a row"):
        _core.tree_refit(layout, positions[:-1])
    with pytest.raises(ValueError, match="dirty must have a value for each"):
        _core.tree_refit(layout, positions, np.ones(3, bool))
    with pytest.raises(TypeError, match="dirty must have dtype bool"):
        _core.tree_refit(layout, positions, np.ones(len(positions), np.uint8))
    with pytest.raises(TypeError, match="layout must be a dict"):
        _core.tree_refit([], positions)


def test_reference_can_fail():
    """The searched planes tell a box that is one step too narrow."""
    frame = {"origin": np.zeros(3, F), "step": np.ones(3, F)}
    found = planes_of(frame, np.array([[1.5, 2, 0]], F), np.array([[1.5, 2, 70000]], F))
    assert found.tolist() == [[1 | 2 << 16, 2 | 2 << 16, 65535 << 16]]
