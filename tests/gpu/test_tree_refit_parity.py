# SPDX-License-Identifier: MIT
"""A refit on a Vulkan device gives the bytes of the native one."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from helpers_tree_gpu import SERIAL, WIDE, Pose, assert_same, build, refit_device, refit_native
from helpers_trees import F, grid, meshes, plain_tree, plant

MESHES = meshes()
VARIANTS = {"serial": SERIAL, "wide": WIDE}


def bent(positions: np.ndarray, amount: float, seed: int = 5) -> np.ndarray:
    """Another pose: turned and crumpled; what is not finite stays."""
    rng = np.random.default_rng(seed)
    size = np.nanmax(np.abs(np.where(np.isfinite(positions), positions, 0)), initial=0)
    with np.errstate(all="ignore"):
        turned = positions[:, [1, 2, 0]] * F([1, -0.5, 2])
        noise = (amount * size * rng.standard_normal(positions.shape)).astype(F)
        return (turned + noise).astype(F)


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_mesh_in_one_batch(native_device, vulkan_device, variant, node_format):
    batch = []
    for positions, indices in MESHES.values():
        layout = build(native_device, positions, indices, node_format)
        batch.append((layout, [Pose(positions, sums=True), Pose(bent(positions, 0.1), sums=True)]))
    found = refit_device(vulkan_device, batch, VARIANTS[variant])
    for name, (layout, poses), one in zip(MESHES, batch, found):
        assert_same(one, refit_native(layout, poses), sums=True, what=name)


@pytest.fixture(scope="module")
def big(native_device):
    """Three levels of treelets."""
    positions, indices = grid(330)
    return {
        "positions": positions,
        **{name: build(native_device, positions, indices, name) for name in ("quantized", "f32")},
    }


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_levels_strides_and_offsets(big, vulkan_device, variant, node_format):
    layout, positions = big[node_format], big["positions"]
    assert layout["shape"][3] == 3
    poses = [
        Pose(positions, sums=True),
        Pose(bent(positions, 0.01), offset=5, stride=7),
        Pose(bent(positions, 1.0), offset=1, stride=4, sums=True),
    ]
    (found,) = refit_device(vulkan_device, [(layout, poses)], VARIANTS[variant], repeat=3)
    assert_same(found, refit_native(layout, poses), sums=True)


def moved(positions: np.ndarray, rows: np.ndarray, by: float) -> tuple[np.ndarray, np.ndarray]:
    """Some vertices moved, and the mask that says so."""
    other, dirty = positions.copy(), np.zeros(len(positions), bool)
    other[rows] += F(by)
    dirty[rows] = True
    return other, dirty


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_only_treelets_with_dirty_vertices_change(big, vulkan_device, variant, node_format, rng):
    layout, positions = big[node_format], big["positions"]
    some, dirty = moved(positions, rng.integers(0, len(positions), 40), 0.01)
    unsaid = some.copy()
    unsaid[::2] *= F(0.98)  # the mask does not say so: those boxes stay
    for sums in ([False] * 3, [True] * 3, [False, True, True], [True, False, True]):
        poses = [Pose(positions, sums=sums[0]), Pose(some, dirty, sums[1])]
        poses.append(Pose(some if not sums[2] else unsaid, dirty, False))
        if not sums[2]:
            poses[2].sums = True
        (found,) = refit_device(vulkan_device, [(layout, poses)], VARIANTS[variant])
        assert_same(found, refit_native(layout, poses), sums=not sums[2], what=str(sums))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_mask_does_not_keep_a_grid_that_no_longer_fits(big, vulkan_device, variant):
    layout, positions = big["quantized"], big["positions"]
    none = np.zeros(len(positions), bool)
    broken = np.full_like(positions, np.nan)
    for name, steps in {
        "outside": [Pose(positions), Pose(positions + F(0.1), none)],
        "far too wide": [Pose(positions), Pose(positions * F(0.2), none)],
        "wide": [Pose(positions), Pose(positions * F(0.3), none, sums=False)],
        "first": [Pose(positions, none, sums=True)],
        "empty": [Pose(positions), Pose(broken, none, sums=True), Pose(positions, none)],
    }.items():
        (found,) = refit_device(vulkan_device, [(layout, steps)], VARIANTS[variant])
        assert_same(found, refit_native(layout, steps), sums=steps[-1].sums, what=name)


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_trees_over_boxes(native_device, vulkan_device, rng, variant, node_format):
    batch = []
    for count in (0, 1, 2, 3, 40, 3000):
        low = rng.standard_normal((count, 3)).astype(F)
        boxes = np.concatenate([low, low + rng.random((count, 3)).astype(F)], 1)
        broken = boxes.copy()
        broken[::3, 1] = np.nan
        broken[1::3, 3] = broken[1::3, 0] - F(1)
        dirty = rng.random(count) < 0.2
        layout = build(native_device, boxes, None, node_format)
        poses = [Pose(boxes), Pose(broken, sums=True), Pose(broken, dirty, sums=True)]
        batch.append((layout, poses))
    results = refit_device(vulkan_device, batch, VARIANTS[variant])
    for (layout, poses), found in zip(batch, results):
        count = len(poses[0].positions)
        assert_same(found, refit_native(layout, poses), sums=True, what=f"{count} boxes")


def test_batches_of_many_meshes_in_both_formats(native_device, vulkan_device, rng):
    batch = []
    for i in range(150):
        positions, indices = plant(int(rng.integers(0, 400)) * (i % 5), seed=i)
        positions = np.concatenate([positions, F([[0, 0, 0]])])
        layout = build(native_device, positions, indices, ["quantized", "f32"][i % 3 == 0])
        poses = [Pose(positions, sums=i % 2 == 0), Pose(bent(positions, 0.2, i), sums=i % 4 == 0)]
        if i % 7 == 0:
            poses[1].dirty = np.zeros(len(positions), bool)
        batch.append((layout, poses))
    wanted = [refit_native(layout, poses) for layout, poses in batch]
    for variant in (0, SERIAL, WIDE):
        for i, found in enumerate(refit_device(vulkan_device, batch, variant)):
            assert_same(found, wanted[i], sums=i % 4 == 0, what=f"mesh {i}, variant {variant}")


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
def test_trees_of_any_shape(vulkan_device, node_format):
    """Deep and lopsided ones too, which no builder makes."""
    positions, indices = plant(2500)
    batch = []
    for seed in range(12):
        layout = plain_tree(indices[: 1 + 220 * seed], seed, node_format)
        batch.append((layout, [Pose(positions, sums=True)]))
    for variant in VARIANTS.values():
        for seed, found in enumerate(refit_device(vulkan_device, batch, variant)):
            assert_same(found, refit_native(*batch[seed]), sums=True, what=f"seed {seed}")


def random_case(native_device, seed: int) -> tuple[dict, list[Pose]]:
    rng = np.random.default_rng(seed)
    vertices, triangles = int(rng.integers(1, 300)), int(rng.integers(0, 700))
    scale = F(10.0 ** rng.integers(-30, 18))
    positions = (rng.standard_normal((vertices, 3)) * scale).astype(F)
    positions[:, rng.integers(0, 3)] *= F(rng.choice([0, 1e-3, 1]))
    positions += scale * F(rng.choice([0, 100, 1e6]))
    indices = rng.integers(0, vertices, (triangles, 3)).astype(np.uint32)
    layout = build(native_device, positions, indices, rng.choice(["quantized", "f32"]))
    poses = [Pose(positions, sums=bool(rng.integers(0, 2)))]
    for _ in range(rng.integers(0, 3)):
        pose = Pose(poses[-1].positions.copy(), sums=bool(rng.integers(0, 2)))
        pose.offset, pose.stride = int(rng.integers(0, 9)), int(rng.integers(3, 8))
        rows = rng.random(vertices) < rng.choice([0.01, 0.1, 1])
        with np.errstate(all="ignore"):
            pose.positions[rows] *= F(rng.choice([1.01, 0.5, 1e-30, np.nan, np.inf]))
        pose.dirty = rows if rng.random() < 0.7 else None
        poses.append(pose)
    return layout, poses


@pytest.mark.parametrize("seed", range(40))
def test_random_meshes_poses_and_masks(native_device, vulkan_device, seed):
    layout, poses = random_case(native_device, seed)
    wanted = refit_native(layout, poses)
    for variant in VARIANTS.values():
        (found,) = refit_device(vulkan_device, [(layout, poses)], variant)
        assert_same(found, wanted, sums=poses[-1].sums)


def test_wrong_arguments(native_device, vulkan_device):
    positions, indices = plant(20)
    layout = build(native_device, positions, indices)
    mesh = (layout, positions, (Pose(positions).step(),))
    with pytest.raises(ValueError, match="device is native"):
        refit_device(native_device, [(layout, [Pose(positions)])])
    with pytest.raises(ValueError, match="data must hold 180 floats 3 apart, got 100"):
        bad = (layout, positions, ((positions.ravel()[:100], 0, 3, None, False),))
        _core.tree_gpu_refit(vulkan_device, (bad,))
    with pytest.raises(ValueError, match="equally many steps"):
        _core.tree_gpu_refit(vulkan_device, (mesh, (layout, positions, ())))
    with pytest.raises(ValueError, match="dirty must have 60 values, got 3"):
        refit_device(vulkan_device, [(layout, [Pose(positions, np.zeros(3, bool))])])
