# SPDX-License-Identifier: MIT
"""Trees built on a Vulkan device are those of the native device, byte for byte, whatever the width
of the units that merge."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from helpers_trees import grid, meshes, plant

HPLOC, SAH, MORTON = 0, 1, 2
QUANTIZED, F32 = 0, 1
WIDTHS = [1, 4, 8, 16, 32, 64]
MESHES = meshes()


def all_used(vertex_count: int) -> np.ndarray:
    """What a native tree means by no bits at all."""
    bits = np.zeros((vertex_count + 31) // 32 * 32, bool)
    bits[:vertex_count] = True
    return np.packbits(bits, bitorder="little").view(np.uint32)


def assert_same(native: dict, vulkan: dict, vertex_count: int) -> None:
    vulkan = dict(vulkan)
    vulkan.pop("milliseconds", None)
    assert native.keys() == vulkan.keys()
    for name, expected in native.items():
        if name == "used" and expected is None and vulkan["used"] is not None:
            expected = all_used(vertex_count)
        if expected is None:
            assert vulkan[name] is None, name
        else:
            np.testing.assert_array_equal(vulkan[name], expected, err_msg=name)


def assert_parity(native_device, vulkan_device, positions, indices, *, variants=({},), **options):
    native = _core.tree_build(native_device, positions, indices, **options)
    for variant in variants:
        built = _core.tree_build_device(vulkan_device, positions, indices, **options, **variant)
        assert_same(native, built, len(positions))


@pytest.mark.parametrize("builder", [HPLOC, MORTON])
@pytest.mark.parametrize("name", MESHES)
def test_meshes_of_all_kinds(native_device, vulkan_device, name, builder):
    assert_parity(native_device, vulkan_device, *MESHES[name], builder=builder)


@pytest.mark.parametrize("node_format", [QUANTIZED, F32])
@pytest.mark.parametrize("count", [*range(6), 8, 15, 16, 17, 18, 31, 32, 33, 63, 64, 65, 300])
def test_few_triangles(native_device, vulkan_device, count, node_format):
    positions, indices = plant(max(count, 1), seed=count)
    variants = [{"merge_lanes": width, "place_lane": width % 8 == 0} for width in WIDTHS]
    assert_parity(native_device, vulkan_device, positions, indices[:count], variants=variants,
                  node_format=node_format)  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("mesh", ["grid", "plant", "copies"])
def test_every_width_builds_the_same_tree(native_device, vulkan_device, mesh, width):
    positions, indices = {
        "grid": lambda: grid(60),
        "plant": lambda: plant(6000),
        "copies": lambda: (plant(40)[0], np.repeat(plant(40)[1], 150, axis=0)),
    }[mesh]()
    variants = [{"merge_lanes": width, "place_lane": flag} for flag in (0, 1)]
    assert_parity(native_device, vulkan_device, positions, indices, variants=variants)


def test_wide_variants(native_device, vulkan_device):
    """Where subgroups have 32 lanes; else they are refused."""
    positions, indices = plant(70_000)
    try:
        wide = _core.tree_build_device(vulkan_device, positions, indices, wide=1)
    except ValueError as error:
        assert "need subgroups of 32 lanes" in str(error)
        return
    native = _core.tree_build(native_device, positions, indices)
    assert_same(native, wide, len(positions))
    narrow = _core.tree_build_device(vulkan_device, positions, indices, wide=0)
    assert_same(native, narrow, len(positions))
    mixed = _core.tree_build_device(vulkan_device, positions, indices, merge_lanes=64, wide=-1)
    assert_same(native, mixed, len(positions))


@pytest.mark.parametrize("mesh", ["grid", "plant"])
def test_many_triangles(native_device, vulkan_device, mesh):
    """More than one part of the sort, run of leaves and tile of slots, and three levels."""
    positions, indices = grid(300) if mesh == "grid" else plant(150_000)
    assert_parity(native_device, vulkan_device, positions, indices)
    tree = _core.tree_build_device(vulkan_device, positions, indices)
    assert tree["shape"][3] >= 2, "several levels of treelets"


def test_builds_repeat(vulkan_device):
    """Twenty in a row with one scratch: no order of lanes shows."""
    positions, indices = plant(9000)
    first = _core.tree_build_device(vulkan_device, positions, indices)
    again = _core.tree_build_device(vulkan_device, positions, indices, repeat=20)
    assert again["milliseconds"].shape == (20, 2)
    first.pop("milliseconds")
    assert_same(first, again, len(positions))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 17, 500, 5000])
def test_boxes(native_device, vulkan_device, rng, count):
    low = rng.normal(size=(count, 3))
    boxes = np.concatenate([low, low + rng.exponential(0.05, (count, 3))], 1).astype(np.float32)
    if count > 5:
        boxes[1, 2], boxes[2, 4], boxes[3, :] = np.nan, np.inf, [1, 0, 0, 0, 1, 1]
    variants = [{}, {"merge_lanes": 32, "place_lane": 0}]
    for node_format in (QUANTIZED, F32):
        assert_parity(native_device, vulkan_device, boxes, None, variants=variants,
                      node_format=node_format)  # fmt: skip


def test_a_chain_too_deep_falls_back_to_morton_order(native_device, vulkan_device):
    sizes = 1.4 ** -np.arange(80.0)[::-1, None, None]  # each lies in the next one
    positions = (np.array([[0, 0, 0], [1, 0, 1], [0, 1, 1]]) * sizes).reshape(-1, 3)
    positions = positions.astype(np.float32)
    indices = np.arange(240, dtype=np.uint32).reshape(-1, 3)
    variants = [{"merge_lanes": width} for width in WIDTHS]
    assert_parity(native_device, vulkan_device, positions, indices, variants=variants)
    plain = _core.tree_build_device(vulkan_device, positions, indices, builder=MORTON)
    deep = _core.tree_build_device(vulkan_device, positions, indices)
    np.testing.assert_array_equal(deep["nodes"], plain["nodes"])
    assert_parity(native_device, vulkan_device, positions, indices[-60:], variants=variants)


@pytest.mark.parametrize("seed", range(40))
def test_any_triangles(native_device, vulkan_device, seed):
    """Few distinct coordinates, so that boxes, areas and codes tie; odd values among them."""
    rng = np.random.default_rng(seed)
    vertex_count, count = rng.integers(1, 200), rng.integers(0, 700)
    positions = rng.integers(0, rng.choice([1, 2, 5, 1000]), (vertex_count, 3), endpoint=True)
    positions = positions.astype(np.float32) * np.float32(rng.choice([1.0, 1e-30, 1e15, -3.0]))
    for value in rng.choice([np.nan, np.inf, -0.0, 1e-42, 2.0**60, 2.0**61], rng.integers(0, 5)):
        positions[rng.integers(vertex_count), rng.integers(3)] = value
    indices = rng.integers(0, vertex_count, (count, 3)).astype(np.uint32)
    assert_parity(
        native_device,
        vulkan_device,
        positions,
        indices,
        builder=int(rng.choice([HPLOC, MORTON])),
        variants=[{}, {"merge_lanes": int(rng.choice(WIDTHS))}],
    )


def test_index_out_of_range_names_the_first_row(vulkan_device):
    positions, indices = plant(3000)
    indices[2900, 0] = 0xFFFFFFFF
    indices[1234, 2] = len(positions)
    with pytest.raises(ValueError, match="indices: triangle 1234 .* are 9000 vertices"):
        _core.tree_build_device(vulkan_device, positions, indices)


def test_a_broken_tree_leaves_the_device_usable(native_device, vulkan_device):
    positions, indices = plant(20)
    with pytest.raises(ValueError, match="there are 60 vertices"):
        _core.tree_build_device(vulkan_device, positions, indices + np.uint32(60))
    before = vulkan_device.live_counts()["buffers"]
    assert_parity(native_device, vulkan_device, positions, indices)
    assert vulkan_device.live_counts()["buffers"] == before


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"builder": SAH}, "builder must be"),
        ({"merge_lanes": 3}, "merge lanes must be 1, 4, 8, 16, 32 or 64, got 3"),
        ({"merge_lanes": 128}, "got 128"),
        ({"merge_lanes": -1}, "merge lanes must be"),
        ({"repeat": 0}, "repeat must be 1 to 10000, got 0"),
    ],
)
def test_bad_options(vulkan_device, options, text):
    with pytest.raises(ValueError, match=text):
        _core.tree_build_device(vulkan_device, *plant(4), **options)


def test_native_device_is_refused(native_device):
    with pytest.raises(ValueError, match="must be a Vulkan device"):
        _core.tree_build_device(native_device, *plant(4))
