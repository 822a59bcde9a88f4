# SPDX-License-Identifier: MIT
"""Rays on a Vulkan device hit what they hit natively, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from dapplewood import _core
from helpers_tree_gpu import FORMATS, build
from helpers_trees import (
    BINARY,
    BRUTE,
    HIT_FIELDS,
    OCCLUDED,
    F,
    meshes,
    plain_tree,
    plant,
    rays_about,
    trace,
)

MESHES = meshes()
RAYS = 100_000
CROWDED = ("point", "shifted")  # where most boxes lie in one place


def bent(positions: np.ndarray) -> np.ndarray:
    """Sheared and stretched; what is not finite stays so."""
    with np.errstate(all="ignore"):
        return (positions @ F([[1, 0.2, 0], [0, 0.7, 0.5], [-0.4, 0, 1.3]])).astype(F)


def assert_same(found: dict, wanted: dict) -> None:
    for name in HIT_FIELDS:
        np.testing.assert_array_equal(found[name], wanted[name], err_msg=name)


@pytest.mark.parametrize("node_format", FORMATS)
@pytest.mark.parametrize("name", MESHES)
def test_meshes_and_poses(native_device, vulkan_device, name, node_format):
    positions, indices = MESHES[name]
    pose = bent(positions)
    origins, directions = rays_about(pose, RAYS // 20 if name in CROWDED else RAYS)
    layout = _core.tree_refit(build(native_device, positions, indices, node_format), pose)
    wanted = trace(native_device, layout, pose, origins, directions)
    found = trace(vulkan_device, layout, pose, origins, directions)
    assert_same(found, wanted)
    assert found["steps"].mean() < 1.1 * wanted["steps"].mean() + 3
    hidden = trace(vulkan_device, layout, pose, origins, directions, OCCLUDED)
    np.testing.assert_array_equal(hidden, np.isfinite(wanted["t"]))


@pytest.mark.parametrize(("t_min", "t_max"), [(0.5, 1.0), (-2.0, 0.3), (1.0, 0.5), (0, 0)])
def test_bounds_of_t(native_device, vulkan_device, t_min, t_max):
    positions, indices = MESHES["plant"]
    layout = _core.tree_refit(build(native_device, positions, indices), positions)
    origins, directions = rays_about(positions, 20_000)
    wanted = trace(native_device, layout, positions, origins, directions, BRUTE, t_min, t_max)
    found = trace(vulkan_device, layout, positions, origins, directions, BINARY, t_min, t_max)
    assert_same(found, wanted)
    assert np.isfinite(wanted["t"]).any() == (t_min < t_max)
    hidden = trace(vulkan_device, layout, positions, origins, directions, OCCLUDED, t_min, t_max)
    np.testing.assert_array_equal(hidden, np.isfinite(wanted["t"]))


def test_ends_of_t_are_inside(native_device, vulkan_device):
    positions, indices = MESHES["grid"]
    layout = _core.tree_refit(build(native_device, positions, indices), positions)
    origins, directions = rays_about(positions, 3000)
    t = trace(native_device, layout, positions, origins, directions)["t"]
    for i in np.flatnonzero(np.isfinite(t))[:25]:
        ray = origins[i : i + 1], directions[i : i + 1]
        for t_min, t_max in ((t[i], np.inf), (0, t[i]), (t[i], t[i])):
            hit = trace(vulkan_device, layout, positions, *ray, BINARY, t_min, t_max)
            assert hit["t"][0] == t[i]
        after = np.nextafter(t[i], F(np.inf))
        assert trace(vulkan_device, layout, positions, *ray, BINARY, after)["t"][0] != t[i]


def test_odd_rays(native_device, vulkan_device):
    """Along axes, through corners, without a direction, not finite, very long and very short."""
    positions, indices = MESHES["grid"]
    layout = _core.tree_refit(build(native_device, positions, indices), positions)
    origins, directions = rays_about(positions, 12_000)
    turn = np.arange(3000)
    aims = positions[turn % len(positions)]
    directions[:3000] = np.eye(3, dtype=F)[turn % 3] * F([-1, 1])[turn % 2, None]
    origins[:3000] = aims - 2 * directions[:3000]
    directions[3000:6000] = aims - origins[3000:6000]
    directions[6000:7000] = 0
    directions[7000:7500, 1] = np.nan
    origins[7500:8000, 2] = np.inf
    directions[8000:9000] *= F(1e-30)
    directions[9000:10000] *= F(1e30)
    directions[10000:11000] *= F(1e-38)
    wanted = trace(native_device, layout, positions, origins, directions)
    assert_same(trace(vulkan_device, layout, positions, origins, directions), wanted)
    assert np.isfinite(wanted["t"][:6000]).mean() > 0.9
    assert np.isfinite(wanted["t"][8000:10000]).mean() > 0.1
    assert not np.isfinite(wanted["t"][6000:8000]).any()


def test_trees_of_any_shape(vulkan_device, native_device):
    positions, indices = plant(2500)
    origins, directions = rays_about(positions, 20_000)
    wanted = None
    for seed in range(3):
        layout = _core.tree_refit(plain_tree(indices, seed), positions)
        wanted = wanted or trace(native_device, layout, positions, origins, directions)
        assert_same(trace(vulkan_device, layout, positions, origins, directions), wanted)


# ---- instances ----


def world_rays(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    origins = (4 * rng.standard_normal((count, 3))).astype(F)
    return origins, rng.standard_normal((count, 3)).astype(F)


class Scene:
    """A grid and a plant, placed several times; the top level was built over other boxes."""

    def __init__(self, device, count: int):
        rng = np.random.default_rng(3)
        self.device, self.rows = device, rng.integers(0, 2, count).astype(np.int32)
        turns = rng.standard_normal((count, 3, 3)) * 0.4
        at = 3 * rng.standard_normal((count, 3, 1))
        inverse = np.linalg.inv(turns)
        self.to_world = np.concatenate([turns, at], -1).reshape(count, 12).astype(F)
        self.to_object = np.concatenate([inverse, -inverse @ at], -1).reshape(count, 12).astype(F)
        self.meshes = tuple(
            (_core.tree_refit(build(device, *MESHES[name]), MESHES[name][0]), MESHES[name][0])
            for name in ("grid", "plant")
        )
        boxes = np.concatenate([at[:, :, 0] - 0.1, at[:, :, 0] + 0.1], 1).astype(F)
        self.top = _core.tree_refit(build(device, boxes, None, "f32"), boxes), boxes

    def trace(self, device, rays, way, top=None, to_world=None) -> dict | np.ndarray:
        found = _core.tree_trace(
            device, self.meshes, self.rows, self.to_object, top, *rays, 0, np.inf, way, to_world
        )[0]
        return found[0] if way == OCCLUDED else dict(zip((*HIT_FIELDS, "steps"), found))


@pytest.mark.parametrize("count", [0, 1, 2, 60])
def test_boxes_of_instances_made_on_the_device(native_device, vulkan_device, count):
    scene, rays = Scene(native_device, count), world_rays(5000)
    wanted = scene.trace(native_device, rays, BRUTE)
    looking_into_all = scene.trace(vulkan_device, rays, BINARY)
    found = scene.trace(vulkan_device, rays, BINARY, scene.top, scene.to_world)
    assert_same(looking_into_all, wanted)
    assert_same(found, wanted)
    assert np.isfinite(wanted["t"]).any() == (count > 0)
    if count == 60:
        assert len(np.unique(wanted["instance"])) > 30
        assert found["steps"].mean() < looking_into_all["steps"].mean() / 4
    hidden = scene.trace(vulkan_device, rays, OCCLUDED, scene.top, scene.to_world)
    np.testing.assert_array_equal(hidden, np.isfinite(wanted["t"]))


def test_the_same_place_twice(native_device, vulkan_device):
    """Of equal distances the lower instance, then the lower primitive wins."""
    positions, indices = MESHES["plant"]
    twice = np.concatenate([indices[::-1], indices])
    layout = _core.tree_refit(build(native_device, positions, twice), positions)
    matrices = np.tile(np.eye(3, 4, dtype=F).reshape(1, 12), (5, 1))
    origins, directions = rays_about(positions, 20_000)
    arguments = (((layout, positions),), np.zeros(5, np.int32), matrices, None)
    found = _core.tree_trace(vulkan_device, *arguments, origins, directions, 0, np.inf, BINARY)[0]
    hit = np.isfinite(found[0])
    assert hit.mean() > 0.1
    assert (found[1][hit] == 0).all() and (found[2][hit] < len(indices)).all()
    wanted = trace(native_device, layout, positions, origins, directions)
    np.testing.assert_array_equal(found[2], wanted["primitive"])


def test_no_rays_and_many_rays(native_device, vulkan_device):
    """More than one submission takes."""
    positions, indices = MESHES["3 triangles"]
    layout = _core.tree_refit(build(native_device, positions, indices), positions)
    none = np.zeros((0, 3), F)
    assert len(trace(vulkan_device, layout, positions, none, none)["t"]) == 0
    origins, directions = rays_about(positions, (1 << 20) + 1000)
    wanted = trace(native_device, layout, positions, origins, directions)
    assert_same(trace(vulkan_device, layout, positions, origins, directions), wanted)
    hidden = trace(vulkan_device, layout, positions, origins, directions, OCCLUDED)
    np.testing.assert_array_equal(hidden, np.isfinite(wanted["t"]))
