# SPDX-License-Identifier: MIT
"""SceneTrees: what is committed by updates, whose pose shows, what handles mean."""

from __future__ import annotations

import gc

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_scene_trees import (
    assert_meets,
    brute,
    curled,
    grid,
    random_matrix,
    rays_at,
    scattered,
    soup,
    wavy,
)

EYE = np.eye(4)
GRID, CELLS = grid()
DOWN = ([0.31, 0.47, 9.0], [0.0, 0.0, -1.0])  # meets the grid, away from edges

@pytest.fixture
def trees(device):
    with dw.SceneTrees(device, probe=False) as trees:
        yield trees


def settle(trees, updates: int = 6) -> list[dw.BuildEvent]:
    """Updates until a build that is under way must have landed, and what was placed."""
    events = []
    for _ in range(updates):
        events += trees.update().builds
        trees.trace([0, 0, 0], [0, 0, 1])  # waits for the device
    return events


# ---- building and tracing ----


@pytest.mark.parametrize("node_format", ["quantized", "f32"])
def test_rays_meet_what_is_there(device, rng, node_format):
    with dw.SceneTrees(device, node_format=node_format) as trees:
        scene = []
        for positions, indices in [grid(9), soup(rng, 60), soup(rng, 3)]:
            mesh = trees.add_mesh(positions, indices)
            for _ in range(3):
                matrix = random_matrix(rng)
                scene.append((trees.add_instance(mesh, matrix), matrix, positions, indices))
        result = trees.update()
        assert [event.triangles for event in result.builds] == [128, 60, 3]
        assert not any(event.rebuild for event in result.builds)
        assert result.refits == result.rebuilds == result.probes == 0
        assert_meets(trees, scene, *rays_at(rng, 1500))


def test_many_meshes_and_a_large_one_at_once(trees, rng):
    scene = []
    meshes = [soup(rng, int(rng.integers(0, 30))) for _ in range(30)]
    meshes.insert(11, grid(184))
    for positions, indices in meshes:
        matrix = random_matrix(rng)
        instance = trees.add_instance(trees.add_mesh(positions, indices), matrix)
        scene.append((instance, matrix, positions, indices))
    events = trees.update().builds
    assert sorted(event.mesh for event in events) == trees.meshes
    assert all(event.triangles == len(meshes[event.mesh][1]) for event in events)
    assert_meets(trees, scene, *rays_at(rng, 60), least_clear=0.2)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_few_triangles(trees, rng, count):
    positions, indices = soup(rng, count)
    mesh = trees.add_mesh(positions, indices, deforming=True)
    instance = trees.add_instance(mesh)
    assert trees.update().builds[0].triangles == count
    assert_meets(trees, [(instance, EYE, positions, indices)], *rays_at(rng, 300, 0, 1))
    moved = positions + np.float32(0.5)
    trees.set_pose_cpu(mesh, moved)
    assert trees.update().refits == 1
    assert_meets(trees, [(instance, EYE, moved, indices)], *rays_at(rng, 300, 0, 2))
    assert (trees.bounds(mesh) is None) == (count == 0)


def test_no_mesh_and_no_instance(trees):
    trees.update()
    assert trees.bounds() is None
    mesh = trees.add_mesh(GRID, CELLS)
    trees.update()
    hits = trees.trace(*DOWN)
    assert hits.instance == -1 and np.isinf(hits.t) and hits.u == 0
    assert not trees.occluded(*DOWN)
    assert trees.mesh_status(mesh).instances == 0


def test_the_shape_of_rays_is_that_of_hits(trees):
    trees.add_instance(trees.add_mesh(GRID, CELLS))
    trees.update()
    origins = np.broadcast_to([0.31, 0.47, 9.0], (4, 1, 3))
    hits = trees.trace(origins, [[0, 0, -1], [0, 0, -2], [0, 0, 1]], steps=True)
    assert hits.t.shape == hits.steps.shape == (4, 3)
    t, instance, primitive, u, v = hits
    np.testing.assert_allclose(t, np.broadcast_to([9.0, 4.5, np.inf], (4, 3)), rtol=1e-6)
    assert (instance[:, :2] == 0).all() and (primitive[:, 2] == -1).all()
    assert (hits.hit == (instance >= 0)).all()
    assert (u >= 0).all() and (v >= 0).all() and (u + v <= 1.0001).all()
    assert (hits.steps[:, 0] > 0).all()
    single = trees.trace(*DOWN)
    assert single.t.shape == () and single.steps is None
    assert trees.trace(np.zeros((0, 3)), [0, 0, 1]).t.shape == (0,)


def test_t_min_and_t_max(trees):
    trees.add_instance(trees.add_mesh(GRID, CELLS))
    trees.update()
    assert trees.trace(*DOWN, t_max=8.9).instance == -1
    assert trees.trace(*DOWN, t_max=9.1).instance == 0
    assert trees.trace(*DOWN, t_min=9.1).instance == -1
    assert trees.occluded(*DOWN, t_min=8.9, t_max=9.1)
    assert not trees.occluded(*DOWN, t_max=8.9)


@pytest.mark.parametrize("bad", [[0, 0, 0], [np.nan, 0, -1], [np.inf, 0, 0], [0, 0, np.nan]])
def test_rays_without_a_direction_miss(trees, bad):
    trees.add_instance(trees.add_mesh(GRID, CELLS))
    trees.update()
    hits = trees.trace([[0.31, 0.47, 9.0], [np.nan, 0, 0]], [bad, [0, 0, -1]])
    assert (hits.instance == -1).all() and np.isinf(hits.t).all()
    assert not trees.occluded([0.31, 0.47, 9.0], bad)


def test_a_builder_of_each_kind(trees, rng):
    positions, indices = soup(rng, 200)
    for i, builder in enumerate(dw.TreeBuilder):
        mesh = trees.add_mesh(positions, indices, builder=builder)
        matrix = EYE.copy()
        matrix[0, 3] = 2 * i
        trees.add_instance(mesh, matrix)
        assert trees.mesh_status(mesh).builder is builder
    trees.update()
    scene = [(inst, mat, positions, indices) for inst, (_, mat) in trees.instances.items()]
    assert_meets(trees, scene, *rays_at(rng, 500, 0, 5))


# ---- what an update commits ----


def test_rays_wait_for_an_update(trees):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    instance = trees.add_instance(mesh)
    with pytest.raises(ValueError, match=r"nothing is committed yet: call update\(\)"):
        trees.trace(*DOWN)
    trees.update()
    assert trees.is_current
    changes = [
        lambda: trees.set_transform(instance, EYE),
        lambda: trees.add_instance(mesh),
        lambda: trees.set_pose_cpu(mesh, GRID),
        lambda: trees.remove(instance),
        lambda: trees.add_mesh(GRID, CELLS),
        lambda: trees.remove(mesh),
    ]
    for change in changes:
        change()
        assert not trees.is_current
        for call in (trees.trace, trees.occluded):
            with pytest.raises(ValueError, match=r"changed since the last update\(\)"):
                call(*DOWN)
        trees.update()
        trees.trace(*DOWN)


def test_an_idle_update_does_nothing(trees):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    trees.add_instance(mesh)
    trees.set_pose_cpu(mesh, wavy(GRID, 0.1))
    settle(trees, 40)
    before = _core.host_allocation_total()
    for _ in range(100):
        assert trees.update() == (0, 0, 0, [])
    assert _core.host_allocation_total() == before
    assert trees.deforming_counts.refits == 1


def test_the_newest_pose_wins(trees, device, rng):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    instance = trees.add_instance(mesh)
    trees.update()
    rays = rays_at(rng, 400, -0.5, 1.5)
    poses = [scattered(GRID, rng) for _ in range(4)]
    buffers = [dw.Buffer(device, pose) for pose in poses]

    def by_buffer(i):
        trees.set_pose(mesh, buffers[i], vertex_count=len(GRID))

    def by_array(i):
        trees.set_pose_cpu(mesh, poses[i])

    for order in [(by_buffer, by_array), (by_array, by_buffer), (by_buffer, by_buffer)]:
        for i, give in enumerate((*order, *order[::-1])):
            give(i)
        result = trees.update()
        assert result.refits == 1
        assert_meets(trees, [(instance, EYE, poses[3], CELLS)], *rays)
        np.testing.assert_array_equal(trees.vertices(mesh), poses[3])
    assert trees.deforming_counts.refits == 3
    for buffer in buffers:
        buffer.close()


def test_a_pose_with_stride_and_offset(trees, device, rng):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    instance = trees.add_instance(mesh)
    pose = scattered(GRID, rng)
    rows = rng.normal(size=(len(GRID), 8)).astype(np.float32)
    rows[:, 2:5] = pose
    flat = np.concatenate([np.full(5, np.nan, np.float32), rows.ravel()])
    with dw.Buffer(device, flat) as buffer:
        trees.set_pose(mesh, buffer, vertex_count=len(GRID), stride_floats=8, offset_floats=7)
        trees.update()
        assert_meets(trees, [(instance, EYE, pose, CELLS)], *rays_at(rng, 400, 0, 1))
        np.testing.assert_array_equal(trees.vertices(mesh), pose)
        trees.close()


def test_a_write_to_the_buffer_is_a_pose(trees, device, rng):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    instance = trees.add_instance(mesh)
    with dw.Buffer(device, GRID) as buffer:
        trees.set_pose(mesh, buffer, vertex_count=len(GRID))
        trees.update()
        assert trees.update().refits == 0
        pose = scattered(GRID, rng)
        buffer.write(pose)
        with pytest.raises(ValueError, match=r"changed since the last update\(\)"):
            trees.trace(*DOWN)
        assert trees.update().refits == 1
        assert_meets(trees, [(instance, EYE, pose, CELLS)], *rays_at(rng, 400, 0, 1))
        trees.close()


def test_a_closed_buffer_stays_until_another_pose(trees, device, rng):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    instance = trees.add_instance(mesh)
    pose = scattered(GRID, rng)
    trees.set_pose_cpu(mesh, GRID)
    settle(trees, 20)
    before = device.live_counts()["buffers"]
    buffer = dw.Buffer(device, pose)
    trees.set_pose(mesh, buffer, vertex_count=len(GRID))
    buffer.close()
    trees.update()
    assert_meets(trees, [(instance, EYE, pose, CELLS)], *rays_at(rng, 300, 0, 1))
    assert device.live_counts()["buffers"] > before
    trees.set_pose_cpu(mesh, GRID)
    settle(trees, 20)
    assert device.live_counts()["buffers"] == before
    with pytest.raises(ValueError, match="buffer is closed"):
        trees.set_pose(mesh, buffer, vertex_count=len(GRID))


def test_only_dirty_parts_move(trees, rng):
    positions, indices = grid(40)
    mesh = trees.add_mesh(positions, indices, deforming=True)
    instance = trees.add_instance(mesh)
    trees.set_pose_cpu(mesh, positions)
    trees.update()
    pose = positions.copy()
    for _ in range(5):
        dirty = np.zeros(len(pose), bool)
        at = int(rng.integers(len(pose) - 30))
        dirty[at : at + 30] = True
        pose[dirty] += rng.normal(0, 0.02, (30, 3)).astype(np.float32)
        trees.set_pose_cpu(mesh, pose, dirty=dirty)
        if rng.random() < 0.5:  # two masks before an update add up
            dirty = np.roll(dirty, 60)
            pose[dirty] += np.float32(0.01)
            trees.set_pose_cpu(mesh, pose, dirty=dirty)
        trees.update()
        assert_meets(trees, [(instance, EYE, pose, indices)], *rays_at(rng, 300, 0, 1))


def test_a_refit_tree_is_the_layout_of_its_pose(trees, rng):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    trees.update()
    pose = scattered(GRID, rng)
    trees.set_pose_cpu(mesh, pose)
    trees.update()
    np.testing.assert_allclose(trees.bounds(mesh), [pose.min(0), pose.max(0)], atol=1e-4)


# ---- handles ----


def test_handles_are_numbers_that_stay(trees):
    first, second = trees.add_mesh(GRID, CELLS, deforming=True), trees.add_mesh(GRID, CELLS)
    instances = trees.add_instances(first, np.stack([EYE, EYE]))
    assert [int(i) for i in instances] == [0, 1] and int(second) == 1
    assert trees.meshes == [first, second] and list(trees.instances) == instances
    assert trees.instances[instances[1]][0] == first
    trees.update()
    trees.set_pose_cpu(first, GRID + np.float32(1))
    trees.update()
    assert trees.rebuild(first)
    assert any(event.mesh == first and event.rebuild for event in settle(trees))
    assert trees.meshes == [first, second]
    assert repr(first) == "<MeshHandle 0>" and first == 0


def test_removed_handles_are_never_used_again(trees):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    instance = trees.add_instance(mesh)
    trees.update()
    trees.remove(instance)
    with pytest.raises(ValueError, match="instance 0 was removed"):
        trees.set_transform(instance, EYE)
    with pytest.raises(ValueError, match="instance 0 was removed"):
        trees.remove(instance)
    trees.remove(mesh)
    for call in (trees.rebuild, trees.drift, trees.mesh_status, trees.add_instance, trees.remove):
        with pytest.raises(ValueError, match="mesh 0 was removed"):
            call(mesh)
    trees.update()
    again = trees.add_mesh(GRID, CELLS)
    assert again == 1 and trees.add_instance(again) == 1
    with pytest.raises(ValueError, match="mesh 0 was removed"):
        trees.add_instance(mesh)
    with pytest.raises(ValueError, match="mesh 7 is not there"):
        trees.add_instance(7)
    trees.update()
    assert trees.trace(*DOWN).instance == 1


def test_a_mesh_goes_with_its_instances(trees):
    mesh, other = trees.add_mesh(GRID, CELLS), trees.add_mesh(GRID + np.float32(3), CELLS)
    gone, kept = trees.add_instances(mesh, EYE[None])[0], trees.add_instance(other)
    trees.update()
    trees.remove(mesh)
    trees.update()
    assert list(trees.instances) == [kept] and trees.meshes == [other]
    assert trees.trace(*DOWN).instance == -1
    with pytest.raises(ValueError, match="instance 0 was removed"):
        trees.remove(gone)


def test_handles_of_another_kind_or_owner(trees, device):
    with dw.SceneTrees(device) as others:
        mesh, foreign = trees.add_mesh(GRID, CELLS), others.add_mesh(GRID, CELLS)
        instance = trees.add_instance(mesh)
        with pytest.raises(ValueError, match="belongs to another SceneTrees"):
            trees.add_instance(foreign)
        with pytest.raises(ValueError, match="belongs to another SceneTrees"):
            trees.remove(foreign)
        with pytest.raises(ValueError, match="mesh must be a MeshHandle"):
            trees.add_instance(instance)
        with pytest.raises(ValueError, match="instance must be a InstanceHandle"):
            trees.set_transform(mesh, EYE)
        with pytest.raises(TypeError, match="handle must be what add_mesh"):
            trees.remove(0)


# ---- bounds and bad poses ----


def test_bounds_that_a_pose_leaves_are_told_and_never_cull(trees, rng):
    box = [-0.1, -0.1, -0.1, 1.1, 1.1, 0.1]
    mesh = trees.add_mesh(GRID, CELLS, deforming={"bounds": box})
    instance = trees.add_instance(mesh)
    trees.update()
    status = trees.mesh_status(mesh)
    assert not status.outside_bounds
    np.testing.assert_allclose(status.deform_bounds.ravel(), box, rtol=1e-6)
    pose = GRID + np.float32([5, 0, 0])
    trees.set_pose_cpu(mesh, pose)
    trees.update()
    assert trees.mesh_status(mesh).outside_bounds
    rays = rays_at(rng, 300, [5, 0, -0.5], [6, 1, 0.5])
    assert_meets(trees, [(instance, EYE, pose, CELLS)], *rays)
    trees.set_deform_bounds(mesh, [[4, -1, -1], [7, 2, 1]])
    assert not trees.mesh_status(mesh).outside_bounds
    assert trees.mesh_status(mesh).state == "current"


def test_the_rest_pose_is_the_box_of_a_mesh_without_bounds(trees):
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    trees.update()
    assert not trees.mesh_status(mesh).outside_bounds
    np.testing.assert_array_equal(trees.mesh_status(mesh).deform_bounds, [[0, 0, 0], [1, 1, 0]])
    trees.set_pose_cpu(mesh, wavy(GRID, 1.0))
    trees.update()
    assert trees.mesh_status(mesh).outside_bounds
    assert trees.mesh_status(trees.add_mesh(GRID, CELLS)).deform_bounds is None


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 2.0**61])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_bad_vertices_lose_their_own_triangles_alone(trees, rng, bad, axis):
    pose = scattered(GRID, rng)
    pose[17, axis] = bad
    lost = int((CELLS == 17).any(1).sum())
    mesh = trees.add_mesh(pose, CELLS, deforming=True)
    instance = trees.add_instance(mesh)
    rays = rays_at(rng, 300, 0, 1)
    assert trees.update().builds[0].inactive == lost
    assert_meets(trees, [(instance, EYE, pose, CELLS)], *rays)
    trees.set_pose_cpu(mesh, GRID)
    trees.update()
    trees.set_pose_cpu(mesh, pose)
    settle(trees, 40)
    assert trees.mesh_status(mesh).inactive == trees.deforming_counts.inactive == lost
    assert_meets(trees, [(instance, EYE, pose, CELLS)], *rays)


# ---- life ----


def test_closing_gives_all_back(device):
    before, blocks = device.live_counts()["buffers"], _core.host_allocations()
    trees = dw.SceneTrees(device)
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    trees.add_instance(mesh)
    trees.update()
    trees.set_pose_cpu(mesh, curled(GRID, 1))
    trees.rebuild(mesh)
    trees.update()
    assert device.live_counts()["buffers"] > before
    assert "1 meshes, 1 instances" in repr(trees) and "<table>" in trees._repr_html_()
    trees.close()
    trees.close()
    assert device.live_counts()["buffers"] == before
    assert trees.closed and repr(trees) == "<SceneTrees closed>" and not trees.is_current
    for call in (trees.update, lambda: trees.trace(*DOWN), lambda: trees.meshes):
        with pytest.raises(ValueError, match="closed: make a new one"):
            call()
    if device.info.kind == "native":
        assert _core.host_allocations() == blocks


def test_what_is_not_closed_goes_with_its_last_reference(device):
    before = device.live_counts()["buffers"]
    trees = dw.SceneTrees(device)
    trees.add_instance(trees.add_mesh(GRID, CELLS))
    trees.update()
    trees.me = trees  # a cycle
    del trees
    gc.collect()
    assert device.live_counts()["buffers"] == before


def test_misses_are_misses_of_the_reference(rng):
    """The reference itself: a ray beside a triangle, one through it, one behind it."""
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    origins = [[0.2, 0.2, 1], [0.8, 0.8, 1], [0.2, 0.2, -1]]
    t, instance, primitive, clear = brute(
        [(3, EYE, triangle, [[0, 1, 2]])], origins, np.tile([0, 0, -1.0], (3, 1))
    )
    assert t.tolist() == [1, np.inf, np.inf] and clear.all()
    assert instance.tolist() == [3, -1, -1] and primitive.tolist() == [0, -1, -1]
