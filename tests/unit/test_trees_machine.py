# SPDX-License-Identifier: MIT
"""SceneTrees under calls in any order, against a plain model and a reference without trees."""

from __future__ import annotations

import dapplewood as dw
import hypothesis.strategies as st
import numpy as np
import pytest
from helpers_scene_trees import assert_meets, grid, random_matrix, rays_at, scattered, soup
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

SEEDS = st.integers(0, 2**32 - 1)
COUNTS = st.sampled_from([0, 1, 2, 3, 9, 40])
FEW = {"max_examples": 12, "stateful_step_count": 25}
QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


class Machine(RuleBasedStateMachine):
    """The model: for each mesh its indices and newest vertices, for each instance its matrix."""

    device: dw.Device
    meshes = Bundle("meshes")
    instances = Bundle("instances")

    @initialize(
        node_format=st.sampled_from(list(dw.NodeFormat)),
        every=st.sampled_from([1, 3]),
        probe=st.booleans(),
        hold=st.sampled_from([0, 4]),
    )
    def begin(self, node_format, every, probe, hold):
        self.before = self.device.live_counts()["buffers"]
        self.trees = dw.SceneTrees(
            self.device,
            node_format=node_format,
            sample_every=every,
            hold_updates=hold,
            probe=probe,
            probe_budget=np.inf,
        )
        self.buffers: dict[int, dw.Buffer] = {}  # of meshes posed by one
        self.places: dict[int, tuple[int, int]] = {}  # offset and stride in it
        self.poses: dict[int, np.ndarray] = {}
        self.cells: dict[int, np.ndarray] = {}
        self.moved: dict[int, bool] = {}  # of deforming meshes: posed since the last update
        self.had_pose: set[int] = set()
        self.placed: dict[int, tuple[int, np.ndarray]] = {}
        self.built: set[int] = set()
        self.refits = self.cpu_poses = 0
        self.is_current = False

    # -- what changes --

    @rule(target=meshes, seed=SEEDS, count=COUNTS, deforming=st.booleans())
    def add_soup(self, seed, count, deforming):
        return self.add(*soup(np.random.default_rng(seed), count), deforming)

    @rule(target=meshes, side=st.integers(2, 9))
    def add_grid(self, side):
        return self.add(*grid(side), True)

    def add(self, positions, indices, deforming):
        mesh = self.trees.add_mesh(positions, indices, deforming=deforming)
        assert mesh not in self.poses
        self.poses[mesh], self.cells[mesh] = positions, indices
        if deforming:
            self.moved[mesh] = False
        self.is_current = False
        return mesh

    @rule(target=instances, mesh=meshes, seed=SEEDS)
    def add_instance(self, mesh, seed):
        matrix = random_matrix(np.random.default_rng(seed))
        if mesh not in self.poses:
            with pytest.raises(ValueError, match=f"mesh {int(mesh)} was removed"):
                self.trees.add_instance(mesh, matrix)
            return None
        instance = self.trees.add_instance(mesh, matrix)
        assert instance not in self.placed
        self.placed[instance] = (mesh, matrix)
        self.is_current = False
        return instance

    @rule(instance=instances, seed=SEEDS)
    def move(self, instance, seed):
        if instance not in self.placed:
            if instance is not None:
                with pytest.raises(ValueError, match="was removed"):
                    self.trees.set_transform(instance, np.eye(4))
            return
        matrix = random_matrix(np.random.default_rng(seed))
        self.trees.set_transform(instance, matrix)
        self.placed[instance] = (self.placed[instance][0], matrix)
        self.is_current = False

    @rule(instance=consumes(instances))
    def remove_instance(self, instance):
        if self.placed.pop(instance, None) is not None:
            self.trees.remove(instance)
            self.is_current = False

    @rule(mesh=consumes(meshes))
    def remove_mesh(self, mesh):
        if mesh not in self.poses:
            return
        self.trees.remove(mesh)
        self.placed = {i: row for i, row in self.placed.items() if row[0] != mesh}
        for table in (self.poses, self.cells, self.moved):
            table.pop(mesh, None)
        if mesh in self.buffers:
            self.buffers.pop(mesh).close()
        self.is_current = False

    def pose_of(self, mesh, seed, bad=False):
        rng = np.random.default_rng(seed)
        pose = scattered(self.poses[mesh], rng)
        if bad and len(pose):
            pose[rng.integers(len(pose)), rng.integers(3)] = rng.choice([np.nan, np.inf, 1e30])
        return pose

    def note(self, mesh, pose):
        self.poses[mesh] = pose
        self.moved[mesh] = True
        self.had_pose.add(mesh)
        self.is_current = False

    @rule(mesh=meshes, seed=SEEDS, bad=st.booleans())
    def pose_cpu(self, mesh, seed, bad):
        if mesh not in self.moved:
            return
        pose = self.pose_of(mesh, seed, bad)
        self.trees.set_pose_cpu(mesh, pose)
        self.cpu_poses += 1
        if mesh in self.buffers:
            self.buffers.pop(mesh).close()
        self.note(mesh, pose)

    @rule(mesh=meshes, seed=SEEDS, share=st.floats(0, 1))
    def pose_partly(self, mesh, seed, share):
        if mesh not in self.moved or mesh in self.buffers:
            return
        rng = np.random.default_rng(seed)
        dirty = rng.random(len(self.poses[mesh])) < share
        pose = np.where(dirty[:, None], self.pose_of(mesh, seed), self.poses[mesh])
        self.trees.set_pose_cpu(mesh, pose, dirty=dirty)
        self.cpu_poses += 1
        self.note(mesh, pose)

    @rule(mesh=meshes, seed=SEEDS, offset=st.integers(0, 5), stride=st.integers(3, 6))
    def pose_buffer(self, mesh, seed, offset, stride):
        if mesh not in self.moved or not len(self.poses[mesh]):
            return
        pose = self.pose_of(mesh, seed)
        rows = np.zeros((len(pose), stride), np.float32)
        rows[:, :3] = pose
        flat = np.concatenate([np.full(offset, np.nan, np.float32), rows.ravel()])
        buffer = dw.Buffer(self.device, flat)
        self.trees.set_pose(
            mesh, buffer, vertex_count=len(pose), stride_floats=stride, offset_floats=offset
        )
        if mesh in self.buffers:
            self.buffers[mesh].close()
        self.buffers[mesh] = buffer
        self.places[mesh] = (offset, stride)
        self.note(mesh, pose)

    @rule(mesh=meshes, seed=SEEDS)
    def write_buffer(self, mesh, seed):
        if mesh not in self.buffers:
            return
        buffer, pose = self.buffers[mesh], self.pose_of(mesh, seed)
        offset, stride = self.places[mesh]
        rows = np.zeros((len(pose), stride), np.float32)
        rows[:, :3] = pose
        buffer.write(rows, offset=4 * offset)
        self.note(mesh, pose)

    @rule(mesh=meshes, seed=SEEDS, share=st.floats(0, 1), is_told_late=st.booleans())
    def write_partly(self, mesh, seed, share, is_told_late):
        if mesh not in self.buffers:
            return
        rng = np.random.default_rng(seed)
        offset, stride = self.places[mesh]
        dirty = rng.random(len(self.poses[mesh])) < share
        pose = np.where(dirty[:, None], self.pose_of(mesh, seed), self.poses[mesh])
        rows = np.zeros((len(pose), stride), np.float32)
        rows[:, :3] = pose
        place = {"vertex_count": len(pose), "stride_floats": stride, "offset_floats": offset}
        if is_told_late:
            self.trees.set_pose(mesh, self.buffers[mesh], **place, dirty=np.zeros_like(dirty))
        self.buffers[mesh].write(rows, offset=4 * offset)
        if not is_told_late:
            self.trees.set_pose(mesh, self.buffers[mesh], **place, dirty=dirty)
        self.note(mesh, pose)

    @rule(mesh=meshes)
    def ask(self, mesh):
        if mesh in self.poses:
            can = mesh in self.moved and mesh in self.had_pose and mesh in self.built
            assert self.trees.rebuild(mesh) == can

    # -- what is committed --

    @rule(seed=SEEDS)
    def update(self, seed):
        result = self.trees.update()
        assert result.refits == sum(self.moved.values())
        new = {event.mesh for event in result.builds if not event.rebuild}
        assert new == set(self.poses) - self.built
        assert result.rebuilds == len(result.builds) - len(new)
        assert result.probes <= 1
        self.refits += result.refits
        self.built = set(self.poses)
        self.moved = dict.fromkeys(self.moved, False)
        self.is_current = True
        rng = np.random.default_rng(seed)
        scene = [
            (instance, matrix, self.poses[mesh], self.cells[mesh])
            for instance, (mesh, matrix) in self.placed.items()
        ]
        assert_meets(self.trees, scene, *rays_at(rng, 64, -2, 2), least_clear=0.0)

    @rule(count=st.integers(1, 6))
    def let_pass(self, count):
        for _ in range(count):
            self.update(0)

    @precondition(lambda self: not self.is_current)
    @rule()
    def trace_too_early(self):
        with pytest.raises(ValueError, match=r"call update\(\)"):
            self.trees.trace([0, 0, 0], [0, 0, 1])

    # -- what is always so --

    @invariant()
    def what_is_there(self):
        if not hasattr(self, "trees"):
            return
        assert self.trees.meshes == list(self.poses)
        assert list(self.trees.instances) == list(self.placed)
        counts = self.trees.deforming_counts
        assert (counts.refits, counts.cpu_poses) == (self.refits, self.cpu_poses)
        assert counts.poses_skipped == 0

    def teardown(self):
        if not hasattr(self, "trees"):
            return
        try:
            for mesh, pose in self.poses.items():
                np.testing.assert_array_equal(self.trees.vertices(mesh), pose)
        finally:
            self.trees.close()
            for buffer in self.buffers.values():
                buffer.close()
        assert self.device.live_counts()["buffers"] == self.before


def run(device: dw.Device, **limits) -> None:
    machine = type("BoundMachine", (Machine,), {"device": device})
    limits = {**FEW, **limits}
    options = settings(deadline=None, database=None, suppress_health_check=QUIET, **limits)
    run_state_machine_as_test(machine, settings=options)


def test_any_order_of_calls_natively(native_device):
    run(native_device, max_examples=40)


def test_any_order_of_calls_on_vulkan(vulkan_device):
    run(vulkan_device)
