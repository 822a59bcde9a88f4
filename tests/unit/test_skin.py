# SPDX-License-Identifier: MIT
"""Meshes in poses: morph targets, skinning, normals, where vertices go, and what is refused."""

from __future__ import annotations

import gc
import threading
import weakref

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from dapplewood.deform import deformed
from helpers import TOLERANCE
from helpers_skin import random_matrices, random_mesh, reference, size_of

CASES = {
    "one joint": {"joints": 1, "columns": 4},
    "four columns": {"joints": 20},
    "eight columns": {"joints": 9, "columns": 8},
    "twelve columns": {"joints": 300, "columns": 12},
    "targets": {"targets": 3},
    "targets without normals": {"targets": 2, "has_target_normals": False},
    "both": {"joints": 7, "columns": 8, "targets": 4},
}


def made(rng, name: str, count: int = 300) -> tuple[dw.Mesh, np.ndarray | None]:
    mesh = random_mesh(rng, count, **CASES[name])
    joints = CASES[name].get("joints", 0)
    return mesh, random_matrices(rng, joints) if joints else None


@pytest.mark.parametrize("name", CASES)
def test_vertices_are_those_of_the_reference(rng, device, name):
    mesh, matrices = made(rng, name)
    positions, normals = mesh.posed(matrices, device=device, normals=True)
    wanted, directions = reference(mesh, matrices, mesh.morph_weights)
    assert positions.dtype == normals.dtype == np.float32
    assert np.abs(positions - wanted).max() < 0.1 * TOLERANCE["pose"] * size_of(mesh)
    assert np.abs(normals - directions).max() < TOLERANCE["pose_normal"]
    assert np.abs(np.linalg.norm(normals.astype(float), axis=1) - 1).max() < 2e-7


@pytest.mark.parametrize("name", CASES)
def test_the_float64_path_is_that_of_the_reference(rng, name):
    """What still pictures of models are made by."""
    mesh, matrices = made(rng, name)
    found = deformed(mesh, matrices, mesh.morph_weights)
    wanted, directions = reference(mesh, matrices, mesh.morph_weights)
    assert np.allclose(found.positions, wanted, rtol=1e-6, atol=1e-6)
    if mesh.targets is None or mesh.target_normals is not None:
        assert np.abs(found.normals - directions).max() < 1e-5


def test_identity_gives_the_bytes_of_the_rest(rng, native_device):
    mesh = random_mesh(rng, 1000, joints=5, columns=8, targets=2)
    still = mesh.posed(np.tile(np.eye(4), (5, 1, 1)), [0, 0], device=native_device)
    assert still.tobytes() == mesh.positions.tobytes()
    assert mesh.posed(None, [0, 0], device=native_device).tobytes() == mesh.positions.tobytes()


def test_joints_that_move_alike_move_as_one(rng, native_device):
    """Whatever the weights: no share of a float32 is lost."""
    mesh = random_mesh(rng, 500, joints=6, columns=8)
    matrix = random_matrices(rng, 1)
    together = mesh.posed(np.repeat(matrix, 6, axis=0), device=native_device, normals=True)
    bare = mesh.replace(joints=None, weights=None)
    alone = bare.posed(matrix[0], device=native_device, normals=True)
    assert together[0].tobytes() == alone[0].tobytes()
    assert np.abs(together[1] - alone[1]).max() < 5e-7  # a new mesh brings normals to length 1


def test_weights_are_those_of_the_mesh_unless_given(rng, native_device):
    mesh = random_mesh(rng, 50, targets=3)
    own = mesh.posed(device=native_device)
    assert own.tobytes() == mesh.posed(None, mesh.morph_weights, device=native_device).tobytes()
    assert own.tobytes() != mesh.posed(None, np.zeros(3), device=native_device).tobytes()
    for kind in (np.float64, np.float16, np.int8):
        one = np.array([0, 1, -2], kind)
        wanted = mesh.posed(None, [0.0, 1.0, -2.0], device=native_device)
        assert mesh.posed(None, one, device=native_device).tobytes() == wanted.tobytes()


def test_targets_move_no_more_than_their_vertices(native_device):
    """The first, the last and none of the vertices."""
    targets = np.zeros((4, 6, 3))
    targets[0, 0], targets[1, 5], targets[2, 2:4] = [1, 0, 0], [0, 2, 0], [0, 0, 3]
    mesh = dw.Mesh(np.zeros((6, 3)) + np.arange(6)[:, None], targets=targets)
    moved = mesh.posed(None, [1, 1, 1, 1], device=native_device)
    assert np.array_equal(moved, mesh.positions + targets.sum(axis=0))


@pytest.mark.parametrize("scale", [1e-25, 1e-6, 1e6, 1e17])
def test_any_size_is_exact(rng, native_device, scale):
    mesh = random_mesh(rng, 200, joints=4, targets=2, scale=scale)
    matrices = random_matrices(rng, 4, scale=scale)
    with np.errstate(under="ignore"):
        found = mesh.posed(matrices, device=native_device)
        wanted = reference(mesh, matrices, mesh.morph_weights)[0]
    assert np.abs(found - wanted).max() < 0.1 * TOLERANCE["pose"] * size_of(mesh)


@pytest.mark.parametrize(
    ("scale", "step"), [(1e-30, 1e29), (1e-27, 1e3), (1.0, 1e29), (1e17, 1e-9)]
)
def test_any_offset_is_exact(rng, native_device, scale, step):
    """Of a size beside which the mesh vanishes, too."""
    mesh = random_mesh(rng, 100, joints=3, scale=scale)
    matrices = random_matrices(rng, 3, scale=step)
    with np.errstate(under="ignore"):
        found = mesh.posed(matrices, device=native_device)
        wanted = reference(mesh, matrices, None)[0]
    assert np.abs(found - wanted).max() < 1e-6 * (size_of(mesh) + np.abs(wanted).max())


@pytest.mark.parametrize("far", [3, 30, 200])
def test_meshes_far_from_0_keep_their_digits(rng, device, far):
    """Times their size: up to where float32 itself leaves 1e-5 of it."""
    mesh = random_mesh(rng, 200, joints=4, columns=8, targets=2)
    mesh = mesh.replace(positions=mesh.positions + [far * 3.5, -far, 0])
    matrices = random_matrices(rng, 4, scale=0.3)
    matrices[:, :3, 3] -= np.einsum("jik,k->ji", matrices[:, :3, :3], [far * 3.5, -far, 0])
    positions, normals = mesh.posed(matrices, device=device, normals=True)
    wanted, directions = reference(mesh, matrices, mesh.morph_weights)
    assert np.abs(positions - wanted).max() < 0.1 * TOLERANCE["pose"] * size_of(mesh)
    assert np.abs(normals - directions).max() < TOLERANCE["pose_normal"]
    still = np.tile(np.eye(4), (4, 1, 1))
    for matrices in (None, still):
        unmoved = mesh.posed(matrices, [0, 0], device=device)
        assert unmoved.tobytes() == mesh.positions.tobytes()


@pytest.mark.parametrize("shrink", [0.0, 1e-30, 1e-8, 1e-3, 1e4])
def test_joints_may_shrink_and_grow_what_they_hold(rng, native_device, shrink):
    mesh = random_mesh(rng, 200, joints=2, columns=4)
    matrices = random_matrices(rng, 2)
    matrices[1, :3, :3] *= shrink
    positions, normals = mesh.posed(matrices, device=native_device, normals=True)
    blends = np.einsum("vk,vkij->vij", mesh.weights.astype(float), matrices[mesh.joints])
    wanted = np.einsum("vij,vj->vi", blends[:, :3, :3], mesh.positions) + blends[:, :3, 3]
    assert np.abs(positions - wanted).max() < 1e-6 * max(shrink, 1) * size_of(mesh)
    lengths = np.linalg.norm(normals.astype(float), axis=1)
    assert (np.isclose(lengths, 1, atol=2e-7) | (lengths == 0)).all()


def test_flattened_and_mirrored_normals_keep_their_side(native_device):
    mesh = dw.Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0]], normals=[[0, 0, 1]] * 3, joints=[[0] * 4] * 3,
        weights=[[1, 0, 0, 0]] * 3,
    )  # fmt: skip
    for diagonal, wanted in [
        ((1, 1, 0), 1.0), ((1, 1, -1), -1.0), ((-1, 1, 1), 1.0), ((-1, -1, 1), 1.0),
        ((0, 0, 1), 0.0), ((0, 1, 1), 0.0),
    ]:  # fmt: skip
        matrix = np.diag([*diagonal, 1])[None]
        normals = mesh.posed(matrix, device=native_device, normals=True)[1]
        assert normals.tolist() == [[0, 0, wanted]] * 3, diagonal


# ---- where vertices go ----


def test_arrays_of_any_row_stride_are_written(rng, device):
    mesh, matrices = made(rng, "both", 70)
    wanted = mesh.posed(matrices, device=device, normals=True)
    wide = np.full((70, 9), 7, np.float32)
    mixed = mesh.posed(matrices, device=device, out=wide[:, 1:4], normals=wide[:, 5:8])
    assert np.shares_memory(mixed[0], wide) and (wide[:, [0, 4, 8]] == 7).all()
    for one, other in zip(mixed, wanted):
        assert np.array_equal(one, other)
    back = np.zeros((70, 3), np.float32)
    mesh.posed(matrices, device=device, out=back[::-1])
    assert np.array_equal(back[::-1], wanted[0])


def test_buffers_keep_what_lies_between_vertices(rng, device):
    mesh, matrices = made(rng, "both", 130)
    wanted = mesh.posed(matrices, device=device, normals=True)
    with dw.Buffer(device, np.full(130 * 8 + 5, 9, np.float32)) as buffer:
        given = mesh.posed(
            matrices, out=buffer, normals=buffer, stride_floats=8, offset_floats=5,
            normals_stride_floats=8, normals_offset_floats=9,
        )  # fmt: skip
        assert given == (buffer, buffer)
        flat = buffer.numpy(np.float32, 130 * 8 + 5)
    rows = flat[5:].reshape(130, 8)
    assert (flat[:5] == 9).all() and (rows[:, [3, 7]] == 9).all()
    assert np.array_equal(rows[:, :3], wanted[0]) and np.array_equal(rows[:, 4:7], wanted[1])


def test_a_buffer_takes_exactly_its_vertices(rng, device):
    mesh = random_mesh(rng, 10)
    with dw.Buffer(device, 4 * (3 + 9 * 5 + 3)) as buffer:
        mesh.posed(out=buffer, stride_floats=5, offset_floats=3)
        for stride, offset in [(5, 4), (6, 0), (2**40, 0), (3, 2**60)]:
            with pytest.raises(ValueError, match="out: 10 vertices .* do not fit into the buffer"):
                mesh.posed(out=buffer, stride_floats=stride, offset_floats=offset)
        _, normals = mesh.posed(out=buffer, normals=True)
        assert isinstance(normals, dw.Buffer) and normals.nbytes == 120
        normals.close()


def test_results_are_fresh_arrays_on_the_default_device(rng):
    mesh = random_mesh(rng, 10, targets=1)
    one, other = mesh.posed(), mesh.posed()
    assert one is not other and one.shape == (10, 3) and one.flags.owndata
    assert not np.shares_memory(one, mesh.positions)


# ---- poses of models ----


def pose_of(joints=(), weights=None) -> dw.Pose:
    return dw.Pose(tuple(joints), weights or {}, np.zeros((0, 4, 4)))


def test_a_pose_finds_its_part_where_it_is_plain(rng, native_device):
    mesh, matrices = made(rng, "both", 20)
    weights = rng.normal(size=4).astype(np.float32)
    wanted = mesh.posed(matrices, weights, device=native_device).tobytes()

    def found(pose, given=None, **options) -> bytes:
        return mesh.posed(pose, given, device=native_device, **options).tobytes()

    assert found(pose_of([matrices], {3: weights})) == wanted
    assert found(pose_of([matrices], {3: weights, 5: weights, 6: weights[:1]})) == wanted
    assert found(pose_of([matrices], {3: weights, 5: 2 * weights}), node=3) == wanted
    assert found(pose_of([2 * matrices, matrices], {3: weights}), skin=1) == wanted
    assert found(pose_of([matrices], {3: 2 * weights}), weights) == wanted
    own = mesh.posed(matrices, device=native_device).tobytes()
    assert found(pose_of([matrices])) == own
    unmoved = mesh.posed(None, weights, device=native_device).tobytes()
    assert found(pose_of([], {3: weights})) == unmoved


def test_a_pose_that_leaves_it_open_is_refused(rng, native_device):
    mesh, matrices = made(rng, "both", 20)
    weights = np.ones(4, np.float32)
    for pose, options, message in [
        (pose_of([matrices, matrices]), {}, "the pose has 2 skins: say which"),
        (pose_of([matrices]), {"skin": 1}, r"skin must lie in 0\.\.0"),
        (pose_of([matrices]), {"skin": -1}, r"skin must lie in 0\.\.0"),
        (pose_of([matrices], {1: weights, 2: 0 * weights}), {}, r"at nodes \[1, 2\]: say which"),
        (pose_of([matrices], {1: weights}), {"node": 2}, r"node must be one of \[1\]"),
        (matrices, {"skin": 0}, "skin and node name parts of a Pose"),
        (None, {"node": 0}, "skin and node name parts of a Pose"),
    ]:
        with pytest.raises(ValueError, match=message):
            mesh.posed(pose, device=native_device, **options)
    with pytest.raises(ValueError, match="skin is 0, but the mesh has no joints"):
        random_mesh(rng, 9).posed(pose_of([matrices]), skin=0, device=native_device)


# ---- refusals ----

EYE = np.eye(4)
FAR = np.diag([1e29, 1, 1, 1])
ROWS = EYE.copy()
ROWS[3, 0] = 5

BAD_POSES = {
    "too few": (np.tile(EYE, (3, 1, 1)), None, "at least 4, one for each joint .* got 3"),
    "one matrix": (EYE, None, "matrices must have 3 dimensions, got 2"),
    "of 3 x 4": (np.zeros((4, 3, 4)), None, r"matrices must be \(J, 4, 4\), got \(4, 3, 4\)"),
    "none": (np.zeros((0, 4, 4)), None, "at least 4, .* got 0"),
    "NaN": (np.full((4, 4, 4), np.nan), None, "matrices must be finite: number 0"),
    "infinite": (np.full((4, 4, 4), np.inf, np.float32), None, "matrices must be finite"),
    "too far": (np.tile(FAR, (4, 1, 1)) * 100, None, "affine"),
    "beyond": (np.tile(FAR * [[1e3], [1], [1], [1]], (4, 1, 1)), None, "keep vertices within 1e"),
    "rows": (np.tile(ROWS, (4, 1, 1)), None, "affine, their last row 0 0 0 1, got 5 0 0 1 in"),
    "few weights": (None, [1.0], r"morph_weights must be \(2,\), .* got \(1,\)"),
    "many weights": (None, [1.0] * 3, r"morph_weights must be \(2,\), .* got \(3,\)"),
    "NaN weight": (None, [1.0, np.nan], "morph_weights must be finite: number 1"),
    "large weight": (None, [-1e7, 0], r"morph_weights must lie within 1e\+06, got -1e\+07"),
    "flat weights": (None, [[1.0, 2.0]], "morph_weights must have 1 dimensions, got 2"),
}


@pytest.mark.parametrize("name", BAD_POSES)
def test_bad_poses_are_refused(rng, device, name):
    matrices, weights, message = BAD_POSES[name]
    mesh = dw.Mesh(
        rng.normal(size=(9, 3)), joints=np.arange(36).reshape(9, 4) % 4, weights=np.ones((9, 4)),
        targets=np.ones((2, 9, 3)),
    )  # fmt: skip
    out = np.full((9, 3), 5, np.float32)
    with pytest.raises(ValueError, match=message):
        mesh.posed(matrices, weights, device=device, out=out)
    assert (out == 5).all()


def test_things_that_are_no_numbers_are_refused(rng, native_device):
    mesh = random_mesh(rng, 9, joints=2, targets=1)
    for matrices, weights, message in [
        ("walk", None, "matrices must hold numbers"),
        (np.zeros((2, 4, 4), complex), None, "matrices must hold numbers, got dtype complex128"),
        (np.zeros((2, 4, 4), bool), None, "matrices must hold numbers, got dtype bool"),
        (None, [None], "morph_weights must hold numbers, got dtype object"),
    ]:
        with pytest.raises(TypeError, match=message):
            mesh.posed(matrices, weights, device=native_device)
    with pytest.raises(TypeError, match=r"device must be a dapplewood\.Device, got str"):
        mesh.posed(device="cpu")
    with pytest.raises(ValueError, match=r"moved by one \(4, 4\) matrix, got \(2, 4, 4\)"):
        random_mesh(rng, 9).posed(np.tile(EYE, (2, 1, 1)), device=native_device)


def test_bad_outputs_are_refused(rng, device):
    mesh = random_mesh(rng, 9)
    fixed = np.zeros((9, 3), np.float32)
    fixed.setflags(write=False)
    arrays = [
        np.zeros((9, 3)), np.zeros((8, 3), np.float32), np.zeros((9, 4), np.float32),
        np.zeros(27, np.float32), np.zeros((9, 6), np.float32)[:, ::2], fixed,
        np.zeros((9, 3), ">f4"), np.zeros((3, 9), np.float32).T,
    ]  # fmt: skip
    overlapping = np.lib.stride_tricks.as_strided(np.zeros(99, np.float32), (9, 3), (8, 4))
    for array in [*arrays, overlapping]:
        for options in ({"out": array}, {"normals": array}):
            name = next(iter(options))
            with pytest.raises(ValueError, match=rf"{name} must be a writable float32 array of sh"):
                mesh.posed(device=device, **options)
    with pytest.raises(TypeError, match=r"out must be a NumPy array or a dapplewood\.Buffer, got"):
        mesh.posed(device=device, out=[0.0] * 27)
    with pytest.raises(ValueError, match="out is no Buffer, which alone has a stride"):
        mesh.posed(device=device, out=np.zeros((9, 3), np.float32), stride_floats=4)
    with dw.Buffer(device, 4 * 27) as buffer:
        for options in ({"stride_floats": 2}, {"offset_floats": -1}):
            with pytest.raises(ValueError, match="out: the stride must be at least 3 floats and"):
                mesh.posed(out=buffer, **options)
    with pytest.raises(ValueError, match="out is closed: make a new Buffer"):
        mesh.posed(out=buffer)


def test_positions_and_normals_may_not_share_a_place(rng, device):
    mesh, matrices = made(rng, "one joint")
    count = mesh.vertex_count
    rows = np.zeros((2 * count, 8), np.float32)
    with dw.Buffer(device, 8 * 4 * (2 * count)) as buffer:
        for out, normals, offset in [
            (rows[:count, :3], rows[:count, :3], 0),
            (rows[:count, :3], rows[count - 1 :: -1, 2:5], 2),
            (rows[:count, 5:], rows[count - 1 : 2 * count - 1, 4:7], 8 * (count - 1) - 1),
        ]:
            with pytest.raises(ValueError, match="normals must not lie where positions go"):
                mesh.posed(matrices, device=device, out=out, normals=normals)
            with pytest.raises(ValueError, match="normals must not lie where positions go"):
                mesh.posed(
                    matrices, out=buffer, normals=buffer, stride_floats=8, offset_floats=8,
                    normals_stride_floats=8, normals_offset_floats=8 + offset,
                )  # fmt: skip
        wanted = mesh.posed(matrices, device=device, normals=True)
        for normals in (rows[:count, 3:6], rows[count - 1 :: -1, 5:], rows[count:, 1:4]):
            found = mesh.posed(matrices, device=device, out=rows[:count, :3], normals=normals)
            np.testing.assert_array_equal(found, wanted)


def test_buffers_of_another_device_are_refused(rng, native_device):
    with dw.Device("cpu") as other:
        buffer = dw.Buffer(other, 400)
        with pytest.raises(ValueError, match="out lies on .* but the work runs on"):
            random_mesh(rng, 9).posed(out=buffer, device=native_device)
    with pytest.raises(ValueError, match="closed"):
        random_mesh(rng, 9).posed(out=buffer)
    with pytest.raises(ValueError, match="closed"):
        random_mesh(rng, 9).posed(device=other)


# ---- trees ----


def nearest(triangles: np.ndarray, origins: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """(R,) distances of the nearest triangles, in float64, one triangle after another."""
    found = np.full(len(origins), np.inf)
    for a, b, c in triangles.astype(np.float64):
        cross = np.cross(directions, c - a)
        det = cross @ (b - a)
        safe = np.where(det == 0, 1, det)
        u = np.einsum("ri,ri->r", origins - a, cross) / safe
        other = np.cross(origins - a, b - a)
        v = np.einsum("ri,ri->r", directions, other) / safe
        t = other @ (c - a) / safe
        hit = (det != 0) & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0)
        found = np.where(hit & (t < found), t, found)
    return found


def test_trees_follow_poses_in_a_buffer(rng, native_device):
    """Interleaved with normals; a further pose in the same buffer counts without being told."""
    count = 400
    mesh = random_mesh(rng, count, joints=6, columns=8, targets=2)
    origins = rng.uniform(-1, 1, (500, 3)) + [0, 0, 30.0]
    directions = rng.normal(size=(500, 3)) * [0.03, 0.03, 0] - [0, 0, 1]
    with dw.SceneTrees(native_device) as trees, dw.Buffer(native_device, 32 * count) as buffer:
        handle = trees.add_mesh(mesh.positions, mesh.indices, deforming=True)
        trees.add_instance(handle)
        for step in range(3):
            mesh.posed(
                random_matrices(rng, 6), out=buffer, normals=buffer, stride_floats=8,
                offset_floats=1, normals_stride_floats=8, normals_offset_floats=4,
            )  # fmt: skip
            if step == 0:
                trees.set_pose(
                    handle, buffer, vertex_count=count, stride_floats=8, offset_floats=1
                )
            with pytest.raises(ValueError, match="update"):
                trees.trace(origins, directions)
            assert trees.update().refits == 1
            placed = buffer.numpy(np.float32, (count, 8))[:, 1:4]
            wanted = nearest(placed[mesh.indices], origins, directions)
            found = trees.trace(origins, directions).t
            assert np.isfinite(wanted).sum() > 100
            assert np.array_equal(np.isfinite(found), np.isfinite(wanted))
            some = np.isfinite(wanted)
            assert np.abs(found[some] - wanted[some]).max() < 1e-3


# ---- what stays ----


def test_a_warm_pose_allocates_nothing(rng, device):
    mesh, matrices = made(rng, "both", 1000)
    out, normals = np.empty((2, 1000, 3), np.float32)
    with dw.Buffer(device, 12000) as buffer:
        for _ in range(12):  # rings of the device, too
            mesh.posed(matrices, device=device, out=out, normals=normals)
            mesh.posed(matrices, out=buffer)
        buffer.numpy(np.float32, 3)
        before = _core.host_allocation_total(), device.live_counts()
        for _ in range(10):
            mesh.posed(matrices, device=device, out=out, normals=normals)
            mesh.posed(matrices, out=buffer)
        buffer.numpy(np.float32, 3)
        after = _core.host_allocation_total(), device.live_counts()
        assert after == before


def test_dropping_a_mesh_gives_back_what_it_had(rng, device):
    before = device.live_counts()["buffers"], _core.host_allocations()
    mesh, matrices = made(rng, "both")
    mesh.posed(matrices, device=device, normals=True)
    assert _core.host_allocations() > before[1]
    gone = weakref.ref(mesh)
    del mesh
    assert gone() is None
    assert (device.live_counts()["buffers"], _core.host_allocations()) == before


def test_a_device_goes_though_a_mesh_stays(rng):
    mesh, matrices = made(rng, "both")
    gc.collect()
    before = _core.host_allocations()
    with dw.Device("cpu") as device:
        wanted = mesh.posed(matrices, device=device)
    del device
    dropped = dw.Device("cpu")
    assert np.array_equal(mesh.posed(matrices, device=dropped), wanted)
    gone = weakref.ref(dropped)
    del dropped
    gc.collect()
    assert gone() is None and _core.host_allocations() == before


def test_threads_pose_one_mesh_at_once(rng, device):
    mesh = random_mesh(rng, 3000, joints=4, targets=2)
    poses = [random_matrices(rng, 4) for _ in range(6)]
    wanted = [mesh.posed(one, device=device).tobytes() for one in poses]
    wrong = []

    def work(k: int) -> None:
        for _ in range(15):
            if mesh.posed(poses[k], device=device).tobytes() != wanted[k]:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_close_waits_for_no_pose(rng, native_device):
    mesh = random_mesh(rng, 30, joints=1)
    skin = _core.Skin(
        native_device, mesh.positions, None, mesh.joints, mesh.weights, None, None
    )
    out = np.zeros((30, 3), np.float32)
    with pytest.raises(ValueError, match="normals: the mesh has none"):
        skin.apply(None, None, (out, 3, 0), (out, 3, 0))
    skin.close()
    skin.close()
    assert skin.closed and skin.device is native_device
    with pytest.raises(ValueError, match="the skin is closed"):
        skin.apply(None, None, (out, 3, 0), None)
