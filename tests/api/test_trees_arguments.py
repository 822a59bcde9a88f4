# SPDX-License-Identifier: MIT
"""What SceneTrees refuses, and how it says so."""

from __future__ import annotations

import inspect
import math
import multiprocessing
import os
import signal
import threading

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_scene_trees import grid

EYE = np.eye(4)
GRID, CELLS = grid(6)
COUNT = len(GRID)

@pytest.fixture
def trees(device):
    with dw.SceneTrees(device) as trees:
        yield trees


@pytest.fixture
def mesh(trees):
    return trees.add_mesh(GRID, CELLS, deforming=True)


def refuses(error, text, call, *args, **options) -> None:
    with pytest.raises(error, match=text):
        call(*args, **options)


# ---- options ----


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"node_format": "half"}, ValueError, "node_format"),
        ({"drift_limit": 1.0}, ValueError, "drift_limit must be a ratio above 1"),
        ({"drift_limit": math.nan}, ValueError, "drift_limit must be a ratio above 1"),
        ({"drift_limit": "much"}, TypeError, "drift_limit must be a number"),
        ({"hold_updates": -1}, ValueError, "hold_updates must be 0 to"),
        ({"hold_updates": 1.5}, TypeError, "hold_updates must be a whole number"),
        ({"sample_every": 0}, ValueError, "sample_every must be at least 1"),
        ({"probe_budget": 0}, ValueError, "probe_budget must be above 0"),
        ({"probe_budget": math.nan}, ValueError, "probe_budget must be above 0"),
    ],
)
def test_options(native_device, options, error, text):
    refuses(error, text, dw.SceneTrees, native_device, **options)


def test_a_device_is_a_device():
    refuses(TypeError, "device must be a dapplewood.Device", dw.SceneTrees, "cpu")


def test_defaults_are_those_of_the_core():
    shown = inspect.signature(dw.SceneTrees.__new__).parameters
    core = inspect.signature(_core.SceneTrees).parameters
    for name in ("drift_limit", "hold_updates", "sample_every", "probe", "probe_budget"):
        assert shown[name].default == core[name].default, name


# ---- meshes ----


@pytest.mark.parametrize(
    ("positions", "indices", "error", "text"),
    [
        (GRID[:, :2], CELLS, ValueError, r"positions must have shape \(N, 3\)"),
        (GRID.ravel(), CELLS, ValueError, "positions must have 2 dimensions, got 1"),
        (GRID > 0, CELLS, TypeError, "positions must hold numbers, got dtype bool"),
        (GRID * 1j, CELLS, TypeError, "positions must hold numbers, got dtype complex"),
        (GRID, CELLS[:, :2], ValueError, r"indices must be \(T, 3\) or \(3 T,\)"),
        (GRID, CELLS.ravel()[:-1], ValueError, r"indices must be \(T, 3\) or \(3 T,\)"),
        (GRID, CELLS.astype(float), TypeError, "indices must have an integer dtype"),
        (GRID, [[0, 1, COUNT]], ValueError, rf"indices\[0\] names vertex {COUNT}, but there are"),
        (GRID, [[0, 1, 2], [0, -1, 2]], ValueError, r"indices\[1\] is \[0, -1, 2\]"),
        (GRID, [[0, 1, 2**32]], ValueError, r"indices\[0\] is"),
        (GRID[:4], None, ValueError, "without indices each three positions are a triangle"),
        ([], [[0, 0, 0]], ValueError, r"indices\[0\] names vertex 0, but there are 0 positions"),
    ],
)
def test_meshes(trees, positions, indices, error, text):
    refuses(error, text, trees.add_mesh, positions, indices)
    assert trees.meshes == []


@pytest.mark.parametrize(
    ("deforming", "error", "text"),
    [
        (1, TypeError, "deforming must be True, False or"),
        ({"box": [0] * 6}, ValueError, 'deforming takes the key "bounds" alone'),
        ({"bounds": [0] * 5}, ValueError, "bounds must be 6 numbers"),
        ({"bounds": [1, 0, 0, 0, 1, 1]}, ValueError, "bounds must be finite, the low corner"),
        ({"bounds": [0, 0, 0, 1, 1, np.nan]}, ValueError, "bounds must be finite"),
        ({"bounds": [0, 0, 0, 1, 1, np.inf]}, ValueError, "bounds must be finite"),
        ({"bounds": "box"}, TypeError, "bounds must hold numbers"),
    ],
)
def test_bounds(trees, mesh, deforming, error, text):
    refuses(error, text, trees.add_mesh, GRID, CELLS, deforming=deforming)
    if isinstance(deforming, dict) and "bounds" in deforming:
        refuses(error, text, trees.set_deform_bounds, mesh, deforming["bounds"])


def test_builders(trees):
    refuses(ValueError, "builder", trees.add_mesh, GRID, CELLS, builder="best")


def test_what_comes_in_many_forms(trees):
    flat = trees.add_mesh(GRID.tolist(), CELLS.ravel().tolist())
    wide = trees.add_mesh(np.asfortranarray(GRID, dtype=np.float64), CELLS.astype(np.int64)[::-1])
    swapped = trees.add_mesh(GRID.astype(">f4"), CELLS.astype(">u4"))
    plain = trees.add_mesh(GRID[CELLS].reshape(-1, 3))
    whole = trees.add_mesh(dw.Mesh(GRID, CELLS))
    trees.update()
    statuses = [trees.mesh_status(mesh) for mesh in (flat, wide, swapped, plain, whole)]
    assert {status.triangles for status in statuses} == {len(CELLS)}
    for status in statuses:
        np.testing.assert_allclose(status.bounds, [[0, 0, 0], [1, 1, 0]], atol=1e-4)


# ---- instances ----

SINGULAR = [
    np.diag([0.0, 1, 1, 1]),
    np.array([[1, 2, 3, 0], [2, 4, 6, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]),
    np.diag([1e-35, 1e-35, 1e-35, 1]),
    np.zeros((3, 4)),
]


@pytest.mark.parametrize("matrix", SINGULAR)
def test_singular_transforms(trees, mesh, matrix):
    refuses(ValueError, "transform must have an inverse", trees.add_instance, mesh, matrix)
    instance = trees.add_instance(mesh)
    refuses(ValueError, "transform must have an inverse", trees.set_transform, instance, matrix)
    np.testing.assert_array_equal(trees.instances[instance][1], EYE)


@pytest.mark.parametrize(
    ("matrix", "error", "text"),
    [
        (np.full((4, 4), np.nan), ValueError, "transform must be finite, but row 0, column 0"),
        (np.where(np.eye(4, 4, 3) == 1, np.inf, EYE), ValueError, "row 0, column 3"),
        (EYE.T + np.eye(4, 4, -3), ValueError, "transform must be affine"),
        (EYE[:3, :3], ValueError, r"transform must be a \(4, 4\) or \(3, 4\) matrix"),
        (np.eye(4, dtype=bool), TypeError, "transform must hold numbers"),
        ("identity", TypeError, "transform must hold numbers"),
        (np.stack([EYE, EYE]), ValueError, "transform must be one matrix"),
    ],
)
def test_transforms(trees, mesh, matrix, error, text):
    refuses(error, text, trees.add_instance, mesh, matrix)
    instance = trees.add_instance(mesh)
    refuses(error, text, trees.set_transform, instance, matrix)


def test_many_instances_are_all_or_none(trees, mesh):
    matrices = np.stack([EYE, np.zeros((4, 4)), EYE])
    matrices[1, 3, 3] = 1
    refuses(ValueError, "transform must have an inverse", trees.add_instances, mesh, matrices)
    refuses(ValueError, r"transforms must be \(N, 4, 4\)", trees.add_instances, mesh, EYE)
    assert trees.instances == {}
    assert trees.add_instances(mesh, np.zeros((0, 4, 4))) == []
    assert trees.add_instances(mesh, np.stack([EYE[:3]] * 2)) == [0, 1]


# ---- poses ----


def test_poses_in_buffers(trees, mesh, device, native_device, vulkan_device):
    other = vulkan_device if device is native_device else native_device
    still = trees.add_mesh(GRID, CELLS)
    with dw.Buffer(device, GRID) as buffer, dw.Buffer(other, GRID) as foreign:
        pose = {"vertex_count": COUNT}

        def no(error, text, *args, **options):
            refuses(error, text, trees.set_pose, *args, **{**pose, **options})

        no(ValueError, "mesh 1 does not deform: add it with deforming=True", still, buffer)
        no(ValueError, "buffer lies on", mesh, foreign)
        no(TypeError, "buffer must be a dapplewood.Buffer, got numpy.ndarray", mesh, GRID)
        no(ValueError, f"has {COUNT} vertices", mesh, buffer, vertex_count=COUNT - 1)
        no(ValueError, f"has {COUNT} vertices", mesh, buffer, vertex_count=COUNT + 1)
        no(ValueError, "vertex_count must be 0 to", mesh, buffer, vertex_count=-1)
        no(TypeError, "vertex_count must be a whole", mesh, buffer, vertex_count=float(COUNT))
        no(ValueError, "stride_floats must be 3 to", mesh, buffer, stride_floats=2)
        no(ValueError, "stride_floats must be", mesh, buffer, stride_floats=2**21)
        no(TypeError, "stride_floats must be a whole", mesh, buffer, stride_floats="3")
        no(ValueError, "buffer holds", mesh, buffer, stride_floats=4)
        no(ValueError, "buffer holds", mesh, buffer, offset_floats=1)
        no(ValueError, "offset_floats must lie within", mesh, buffer, offset_floats=2**50)
        no(ValueError, "offset_floats must be 0 to", mesh, buffer, offset_floats=-1)
        no(ValueError, "dirty must have one flag", mesh, buffer, dirty=np.ones(3, bool))
        no(TypeError, "dirty must have dtype bool", mesh, buffer, dirty=np.ones(COUNT))
        assert trees.mesh_status(mesh).pose == "rest"
    no(ValueError, "buffer is closed: make a new Buffer", mesh, buffer)


def test_a_buffer_that_fits_to_the_float(trees, mesh, device):
    rows = np.zeros((COUNT - 1) * 5 + 3 + 2, np.float32)
    place = {"vertex_count": COUNT, "stride_floats": 5, "offset_floats": 2}
    with dw.Buffer(device, rows) as buffer, dw.Buffer(device, rows[:-1]) as small:
        refuses(ValueError, "buffer holds", trees.set_pose, mesh, small, **place)
        trees.set_pose(mesh, buffer, **place)
        trees.update()
        trees.close()


def test_poses_in_arrays(trees, mesh):
    give = trees.set_pose_cpu
    refuses(ValueError, f"mesh 0 has {COUNT} vertices", give, mesh, GRID[1:])
    refuses(ValueError, r"positions must have shape \(N, 3\)", give, mesh, GRID[:, :2])
    refuses(TypeError, "positions must hold numbers", give, mesh, GRID.astype(str))
    refuses(ValueError, "dirty must have one flag", give, mesh, GRID, dirty=[True])
    still = trees.add_mesh(GRID, CELLS)
    refuses(ValueError, "mesh 1 does not deform", give, still, GRID)
    refuses(ValueError, "mesh 1 does not deform", trees.set_deform_bounds, still, [0] * 6)
    give(mesh, GRID[::-1].astype(np.float64))
    np.testing.assert_array_equal(trees.vertices(mesh), GRID[::-1])


# ---- rays ----


@pytest.mark.parametrize(
    ("origins", "directions", "error", "text"),
    [
        ([0, 0], [0, 0, 1], ValueError, r"origins must have shape \(\.\.\., 3\)"),
        ([0, 0, 0], 1.0, ValueError, r"directions must have shape \(\.\.\., 3\)"),
        (np.zeros((2, 3)), np.zeros((3, 3)), ValueError, "origins and directions do not fit"),
        (["a"] * 3, [0, 0, 1], TypeError, "origins must hold numbers"),
        ([0, 0, 0], [True] * 3, TypeError, "directions must hold numbers"),
    ],
)
def test_rays(trees, mesh, origins, directions, error, text):
    trees.update()
    refuses(error, text, trees.trace, origins, directions)
    refuses(error, text, trees.occluded, origins, directions)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"t_min": -1}, ValueError),
        ({"t_min": math.nan}, ValueError),
        ({"t_max": math.nan}, ValueError),
        ({"t_min": 2, "t_max": 1}, ValueError),
        ({"t_min": math.inf}, ValueError),
        ({"t_max": "far"}, TypeError),
    ],
)
def test_distances(trees, mesh, options, error):
    trees.update()
    refuses(error, "t_m", trees.trace, [0, 0, 0], [0, 0, 1], **options)
    refuses(error, "t_m", trees.occluded, [0, 0, 0], [0, 0, 1], **options)


# ---- life ----


def test_a_closed_device(native_device):
    device = dw.Device("cpu")
    trees = dw.SceneTrees(device)
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    trees.update()
    device.close()
    for call in (trees.update, lambda: trees.mesh_status(mesh), lambda: trees.rebuild(mesh)):
        refuses(ValueError, "is closed: make a new Device", call)
    trees.close()


def test_a_closed_vulkan_device():
    from conftest import open_vulkan

    device = open_vulkan()
    trees = dw.SceneTrees(device)
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    trees.add_instance(mesh)
    trees.update()
    trees.set_pose_cpu(mesh, GRID)
    trees.rebuild(mesh)
    trees.update()  # a build may be under way
    device.close()
    refuses(ValueError, "is closed: make a new Device", trees.update)
    trees.close()


def test_a_lost_device():
    from conftest import open_vulkan

    device = open_vulkan()
    trees = dw.SceneTrees(device)
    mesh = trees.add_mesh(GRID, CELLS, deforming=True)
    trees.add_instance(mesh)
    trees.update()
    trees.set_pose_cpu(mesh, GRID)
    trees.rebuild(mesh)
    trees.update()
    device._lose("pulled out")
    for call in (trees.update, lambda: trees.trace([0, 0, 1], [0, 0, -1])):
        refuses(dw.DeviceLost, "pulled out", call)
    trees.close()
    device.close()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_an_interrupted_update_is_made_good_by_the_next(device):
    positions, cells = grid(500)
    previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
    with dw.SceneTrees(device) as trees:
        mesh = trees.add_mesh(positions, cells, deforming=True)
        trees.add_instance(mesh)
        try:
            for delay in (0.01, 0.03, 0.06):
                trees.set_pose_cpu(mesh, positions + np.float32(delay))
                try:
                    signal.setitimer(signal.ITIMER_REAL, delay)
                    trees.update()
                except KeyboardInterrupt:
                    if not trees.is_current:
                        refuses(ValueError, r"call update\(\)", trees.trace, [0, 0, 1], [0, 0, 1])
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:  # between the lines
            pass
        finally:
            signal.signal(signal.SIGALRM, previous)
        trees.set_pose_cpu(mesh, positions)
        result = trees.update()
        assert result.refits == 1
        assert trees.trace([0.5001, 0.5002, 1], [0, 0, -1]).t == pytest.approx(1.0, 1e-6)


def test_one_thread_at_a_time(native_device):
    trees = dw.SceneTrees(native_device)
    trees.add_instance(trees.add_mesh(GRID, CELLS))
    trees.update()
    rays = np.zeros((400_000, 3), np.float32), np.ones((400_000, 3), np.float32)
    errors = []

    def work():
        try:
            trees.trace(*rays)
        except ValueError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use by another thread" in text for text in errors)
    assert len(errors) < len(threads)
    trees.close()


def _in_child(trees, answers):
    try:
        trees.update()
    except dw.ForkedDeviceError as error:
        answers.put(str(error))
    trees.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child(native_device):
    trees = dw.SceneTrees(native_device)
    trees.add_mesh(GRID, CELLS)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_in_child, args=(trees, answers))
    child.start()
    assert "cannot be used in its forked child" in answers.get(timeout=30)
    child.join()
    trees.update()
    trees.close()
