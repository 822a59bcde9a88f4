# SPDX-License-Identifier: MIT
"""Native trees beside a plain Python reading of their definition, byte for byte."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from dapplewood.device import Device
from helpers_tree import check_structure, reference_tree

HPLOC, SAH, MORTON = 0, 1, 2
BUILDERS = [HPLOC, SAH, MORTON]


def soup(rng, count: int, size: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Scattered triangles; vertices are not shared."""
    at = rng.uniform(size=(count, 1, 3)) + size * rng.normal(size=(count, 3, 3))
    indices = np.arange(3 * count, dtype=np.uint32).reshape(count, 3)
    return at.reshape(-1, 3).astype(np.float32), indices


def shared(rng, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles over few vertices, some of which none names; corners may be one vertex."""
    vertices = max(3, count // 3)
    at = rng.normal(size=(vertices + 5, 3)).astype(np.float32)
    return at, rng.integers(0, vertices, (count, 3), dtype=np.uint32)


def sheet(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A waved grid of 2 * side * side triangles."""
    x, y = np.meshgrid(*2 * [np.linspace(0, 1, side + 1, dtype=np.float32)])
    z = 0.05 * np.sin(20 * x) * np.cos(17 * y)
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    a, b, c, d = (corner + i for i in (0, 1, side + 1, side + 2))
    indices = np.stack([a, b, c, b, d, c], 1).reshape(-1, 3).astype(np.uint32)
    return np.stack([x, y, z], -1).reshape(-1, 3).astype(np.float32), indices


def assert_equals_reference(device, positions, indices, builder=HPLOC) -> dict:
    tree = _core.tree_build(device, positions, indices, builder=builder)
    expected = reference_tree(positions, indices, is_plain=builder == MORTON)
    refs = tree["nodes"][:, :, 3]
    for name, found in [*tree.items(), ("refs", refs)]:
        if name in ("shape", "treelets", "refs", "triangles"):
            np.testing.assert_array_equal(found, expected[name], err_msg=name)
    assert (tree["used"] is None) == (expected["used"] is None)
    if tree["used"] is not None:
        np.testing.assert_array_equal(tree["used"], expected["used"])
    check_structure(tree, leaf_max=1 if indices is None else 4)
    return tree


@pytest.mark.parametrize("builder", [HPLOC, MORTON])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 16, 17, 33, 100, 700])
def test_scattered_triangles(native_device, rng, count, builder):
    assert_equals_reference(native_device, *soup(rng, count), builder)


def spoil(rng, positions: np.ndarray, kind: str) -> np.ndarray:
    """The positions of a mesh made hard."""
    at = positions.astype(np.float64)
    some = rng.integers(0, len(at), max(1, len(at) // 10))
    with np.errstate(all="ignore"):
        match kind:
            case "plain":
                pass
            case "flat":
                at[:, rng.integers(3)] = rng.normal()
            case "line":
                at[:, rng.permutation(3)[:2]] = rng.normal(size=2)
            case "diagonal":
                at = at[:, :1] * rng.normal(size=(1, 3))
            case "point":
                at[:] = rng.normal(size=3)
            case "duplicates":
                at = at[rng.integers(0, 4, len(at)) * 3 % len(at)]
            case "nan":
                at[some, rng.integers(0, 3, len(some))] = np.nan
            case "infinite":
                at[some, rng.integers(0, 3, len(some))] = np.inf * rng.choice([-1, 1])
            case "nothing finite":
                at[:] = np.nan
            case "beyond":  # around 2^60, up to which coordinates count
                at[some] = rng.choice([2.0**60, -(2.0**60), 2.0**60 * (1 + 2**-23), 1e30])
            case "huge":
                at *= 1e17
            case "tiny":
                at *= 1e-25
            case "subnormal":
                at *= 1e-38
            case "shifted":
                at += 1e7
            case "outlier":
                at[some[0]] = 1e9
            case "zeros":
                at = np.round(at) * rng.choice([0.0, -0.0, 1e-40, 1.0], at.shape)
        return at.astype(np.float32)


KINDS = ["plain", "flat", "line", "diagonal", "point", "duplicates", "nan", "infinite",
         "nothing finite", "beyond", "huge", "tiny", "subnormal", "shifted", "outlier",
         "zeros"]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_hard_meshes(native_device, rng, kind):
    for make in (soup, shared):
        for count in (2, int(rng.integers(3, 40)), int(rng.integers(40, 250))):
            positions, indices = make(rng, count)
            positions = spoil(rng, positions, kind)
            for builder in (HPLOC, MORTON):
                assert_equals_reference(native_device, positions, indices, builder)


@pytest.mark.parametrize("kind", KINDS)
def test_boxes(native_device, rng, kind):
    for count in (0, 1, 2, 3, int(rng.integers(4, 200))):
        corners = rng.normal(size=(max(count, 1), 2, 3)) * [1.0, 0.1, 3.0]
        corners = spoil(rng, np.sort(corners, 1).reshape(-1, 3), kind)
        boxes = corners.reshape(-1, 6)[:count]
        flipped = rng.random(count) < 0.05
        boxes[flipped] = np.roll(boxes[flipped], 3, axis=1)
        assert_equals_reference(native_device, boxes, None)


def test_inactive_triangles_are_counted(native_device, rng):
    positions, indices = soup(rng, 50)
    positions[[0, 1, 30]] = np.nan  # the first triangle twice, the eleventh once
    tree = _core.tree_build(native_device, positions, indices)
    assert tree["shape"][7] == 2
    check_structure(tree)


@pytest.mark.parametrize("builder", BUILDERS)
def test_twenty_thousand_triangles_that_are_one(native_device, rng, builder):
    positions, _ = soup(rng, 1)
    indices = np.tile(np.arange(3, dtype=np.uint32), (20_000, 1))
    tree = _core.tree_build(native_device, positions, indices, builder=builder)
    check_structure(tree)
    assert tree["shape"][2] <= 20  # halves all the way


@pytest.mark.parametrize("builder", BUILDERS)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 9, 300, 20_000])
def test_every_builder_keeps_the_order(native_device, rng, builder, count):
    tree = _core.tree_build(native_device, *soup(rng, count, 0.02), builder=builder)
    check_structure(tree)
    boxes = rng.uniform(size=(count, 6)).astype(np.float32)
    boxes[:, 3:] += 1
    check_structure(_core.tree_build(native_device, boxes, None, builder=builder), leaf_max=1)


@pytest.mark.parametrize("kind", KINDS)
def test_split_trees_of_hard_meshes(native_device, rng, kind):
    for make in (soup, shared):
        positions, indices = make(rng, 3000)
        tree = _core.tree_build(native_device, spoil(rng, positions, kind), indices, builder=SAH)
        check_structure(tree)


def equal(a: dict, b: dict) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("builder", BUILDERS)
def test_threads_and_repeats_change_nothing(rng, builder):
    positions, indices = soup(rng, 60_000, 0.01)
    positions[rng.integers(0, len(positions), 100)] = np.nan
    trees = []
    for threads in (1, 2, 5, 2):
        with Device("cpu", threads=threads) as device:
            trees.append(_core.tree_build(device, positions, indices, builder=builder))
    check_structure(trees[0])
    assert all(equal(trees[0], tree) for tree in trees[1:])


def test_a_chain_too_deep_falls_back_to_morton_order(native_device):
    sizes = 1.4 ** -np.arange(80.0)[::-1, None, None]  # each lies in the next one
    positions = (np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1]]) * sizes).reshape(-1, 3)
    positions = positions.astype(np.float32)
    indices = np.arange(240, dtype=np.uint32).reshape(-1, 3)
    tree = assert_equals_reference(native_device, positions, indices)
    plain = _core.tree_build(native_device, positions, indices, builder=MORTON)
    assert equal(tree, plain)
    few = _core.tree_build(native_device, positions, indices[-60:])
    assert few["shape"][2] > 50 and not equal(
        few, _core.tree_build(native_device, positions, indices[-60:], builder=MORTON)
    )
    split = _core.tree_build(native_device, positions, indices, builder=SAH)
    check_structure(split)


@pytest.mark.parametrize("builder", BUILDERS)
def test_float_nodes_have_the_same_order(native_device, rng, builder):
    mesh = soup(rng, 500)
    small = _core.tree_build(native_device, *mesh, builder=builder)
    large = _core.tree_build(native_device, *mesh, builder=builder, node_format=1)
    assert large["nodes"].shape == (small["shape"][1], 2, 8)
    np.testing.assert_array_equal(large["nodes"][:, :, 3], small["nodes"][:, :, 3])
    np.testing.assert_array_equal(large["triangles"], small["triangles"])
    corners = large["nodes"].view(np.float32)
    assert (corners[:, :, :3] > corners[:, :, 4:7]).all()
    assert (small["nodes"][:, :, :3] == 0x0000FFFF).all()


def half_areas(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    x, y, z = np.moveaxis(high.astype(np.float64) - low, -1, 0)
    return x * y + y * z + z * x


def relative_cost(tree: dict, positions: np.ndarray) -> float:
    """Areas of all nodes, and of leaves times their triangles, over the root's."""
    corners = positions[tree["triangles"][:, :3]]
    item_low, item_high = corners.min(1), corners.max(1)
    refs = tree["nodes"][:, :, 3]
    low, high = np.empty((2, len(refs), 2, 3), np.float32)
    leaves = 0.0
    for node in range(len(refs) - 1, -1, -1):
        for side, ref in enumerate(refs[node]):
            if ref & 0x80000000:
                first, size = ref & 0x0FFFFFFF, (ref >> 28 & 7) + 1
                low[node, side] = item_low[first : first + size].min(0)
                high[node, side] = item_high[first : first + size].max(0)
                leaves += size * half_areas(low[node, side], high[node, side])
            else:
                low[node, side], high[node, side] = low[ref].min(0), high[ref].max(0)
    areas = half_areas(low.min(1), high.max(1))
    return (areas.sum() + leaves) / areas[0]


def test_costs_of_builders(native_device, rng):
    for positions, indices in (sheet(40), soup(rng, 4000)):
        cost = [
            relative_cost(_core.tree_build(native_device, positions, indices, builder=b), positions)
            for b in BUILDERS
        ]
        assert cost[HPLOC] <= 1.15 * cost[SAH]
        assert cost[SAH] < cost[MORTON]
    assert cost[HPLOC] < cost[MORTON]  # of what is scattered: a regular grid suits plain order


def test_wrong_arguments_are_refused(native_device, rng):
    positions, indices = soup(rng, 40)
    indices[17, 1] = 120
    indices[30, 0] = 4_000_000_000
    for builder in BUILDERS:
        with pytest.raises(ValueError, match="triangle 17 names vertex 120, .* 120 vertices"):
            _core.tree_build(native_device, positions, indices, builder=builder)
    with pytest.raises(TypeError, match="positions must have dtype float32"):
        _core.tree_build(native_device, positions.astype(np.float64), indices)
    with pytest.raises(TypeError, match="indices must have dtype uint32"):
        _core.tree_build(native_device, positions, indices.astype(np.int64))
    with pytest.raises(ValueError, match=r"indices must have shape \(N, 3\)"):
        _core.tree_build(native_device, positions, indices[:, :2])
    with pytest.raises(ValueError, match=r"positions must have shape \(N, 3\)"):
        _core.tree_build(native_device, positions[:, :2], indices)
    with pytest.raises(ValueError, match=r"boxes must have shape \(N, 6\)"):
        _core.tree_build(native_device, positions, None)
    for word in ("builder", "node_format"):
        with pytest.raises(ValueError, match=word):
            _core.tree_build(native_device, positions, indices % 120, **{word: 9})
