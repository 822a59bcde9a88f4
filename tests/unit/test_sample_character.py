# SPDX-License-Identifier: MIT
"""The sample character: a sound skin, animations that close, poses without torn triangles."""

import hashlib
from functools import lru_cache

import numpy as np
import pytest

import dapplewood as dw
from dapplewood import samples
from dapplewood.samples import _subdivide, _walker_body

BUDGETS = ((1500, 2500), (6000, 12_000), (20_000, 40_000), (100_000, 200_000), (400_000, 800_000))
NAMES = ("idle", "walk", "curl")
# Lengths of edges in a pose, of those at rest: 999 of 1000 lie in between, none is far beyond, as
# in the armpits of a ball, and none grows by so many metres.
SQUEEZED, STRETCHED, TORN, GROWN = 0.1, 2.6, 4.0, 0.025


@lru_cache(maxsize=4)
def character(detail=2, seed=0):
    return samples.character(detail=detail, seed=seed)


def joint(model, name):
    return [node.name for node in model.nodes].index(name)


def posed(model, name, time):
    """The three meshes at a time."""
    return [mesh for mesh, _ in model.static_meshes(pose=model.pose(name, time))]


def moments(model, name, count=9):
    return np.linspace(0.0, model.animation(name).duration, count)


def edges(mesh):
    """Each edge once, (E, 2)."""
    i = np.asarray(mesh.indices, np.int64)
    pairs = np.concatenate([i[:, [0, 1]], i[:, [1, 2]], i[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def lengths(mesh, pairs):
    points = np.asarray(mesh.positions, float)
    return np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)


@pytest.mark.parametrize("detail", range(4))
def test_meshes_are_sound(detail):
    model = character(detail)
    assert BUDGETS[detail][0] <= model.triangle_count <= BUDGETS[detail][1]
    joints = len(model.skins[0].joints)
    assert 20 <= joints <= 40 and len(model.skins) == 1
    for mesh in model.meshes:
        a, b, c = np.moveaxis(np.asarray(mesh.positions, float)[mesh.indices], 1, 0)
        assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 1e-7
        assert len(np.unique(mesh.indices)) == mesh.vertex_count, "a vertex that nothing uses"
        assert np.abs(np.linalg.norm(mesh.normals, axis=1) - 1.0).max() < 1e-5
        assert mesh.joints.max() < joints and mesh.joints.shape[1] == 4
        assert np.abs(mesh.weights.sum(axis=1) - 1.0).max() < 1e-6
        assert len({material.name for material in model.materials}) == 3


@pytest.mark.parametrize("detail", [0, 2, 3])
def test_body_and_eyes_are_closed(detail):
    model = character(detail)
    for name in ("body", "eyes"):
        mesh = next(mesh for mesh in model.meshes if mesh.name == name)
        places = _subdivide.welds(np.asarray(mesh.positions, float))[mesh.indices]
        half = np.concatenate([places[:, [0, 1]], places[:, [1, 2]], places[:, [2, 0]]])
        assert len(np.unique(half, axis=0)) == len(half), "an edge that is passed twice one way"
        order = np.lexsort(half.T)
        back = half[:, ::-1][np.lexsort(half[:, ::-1].T)]
        assert (half[order] == back).all(), "a border"
        a, b, c = np.moveaxis(np.asarray(mesh.positions, float)[mesh.indices], 1, 0)
        assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0, "inside out"


def test_normals_agree_with_the_triangles():
    mesh = character().meshes[0]
    a, b, c = np.moveaxis(np.asarray(mesh.positions, float)[mesh.indices], 1, 0)
    facing = np.cross(b - a, c - a)
    mean = np.asarray(mesh.normals, float)[mesh.indices].sum(axis=1)
    assert ((facing * mean).sum(axis=1) > 0.0).mean() > 0.999


def test_weights_fall_off_smoothly():
    """No edge of the trunk and the limbs joins vertices of unlike joints."""
    shell = _walker_body.trunk_and_limbs(2)
    ends = np.concatenate([shell.indices[:, [0, 1]], shell.indices[:, [1, 2]]])
    step = np.abs(shell.weights[ends[:, 0]] - shell.weights[ends[:, 1]]).sum(axis=1) / 2
    assert step.max() < 0.6
    kept = np.sort(shell.weights, axis=1)[:, -4:].sum(axis=1)
    assert kept.min() > 0.97, "four joints hold nearly all of it"


def test_largest_detail():
    model = samples.character(detail=4)
    assert BUDGETS[4][0] <= model.triangle_count <= BUDGETS[4][1]
    low, high = model.bounds
    assert np.abs(model.bounds - character().bounds).max() < 0.03
    assert 1.5 < high[1] - low[1] < 1.75


def test_seeds_repeat_and_differ():
    def digest(seed):
        state = hashlib.sha256()
        model = samples.character(detail=1, seed=seed)
        for mesh in model.meshes:
            for field in ("positions", "normals", "uvs", "colors", "indices", "joints", "weights",
                          "targets", "target_normals"):
                array = getattr(mesh, field)
                state.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        for channel in (one for a in model.animations for one in a.channels):
            state.update(channel.values.tobytes())
        return state.hexdigest()

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)


def test_every_interpolation_and_target_is_used():
    model = character()
    assert tuple(one.name for one in model.animations) == NAMES
    kinds = {channel.interpolation for one in model.animations for channel in one.channels}
    assert kinds == {"step", "linear", "cubicspline"}
    body, leaves, eyes = model.meshes
    assert body.target_names == ("breathe",) and leaves.target_names == ("breathe", "gust")
    assert eyes.targets is None
    for name in NAMES:
        nodes = [joint(model, "body"), joint(model, "leaves")]
        found = np.array([np.concatenate([model.pose(name, t).morph_weights[n] for n in nodes])
                          for t in moments(model, name)])
        assert (np.ptp(found, axis=0) > 0.02).all(), name
    breath = np.linalg.norm(body.targets[0], axis=1)
    assert 0.008 < breath.max() < 0.04


@pytest.mark.parametrize("name", ["idle", "walk"])
def test_loops_close(name):
    model = character()
    end = model.animation(name).duration
    first, last = model.pose(name, 0.0), model.pose(name, end)
    assert np.abs(first.joint_matrices[0] - last.joint_matrices[0]).max() < 1e-6
    for node, weights in first.morph_weights.items():
        assert np.abs(weights - last.morph_weights[node]).max() < 1e-6
    # and without a jerk: what moves by a step before the end moves so after the start
    step = end / 320.0
    before, after = model.pose(name, end - step), model.pose(name, step)
    jump = after.joint_matrices[0] + before.joint_matrices[0] - 2.0 * first.joint_matrices[0]
    lids = [model.skins[0].joints.tolist().index(joint(model, f"lid.{side}")) for side in "LR"]
    assert np.abs(np.delete(jump, lids, axis=0)).max() < 0.02


@pytest.mark.parametrize(("name", "seed"), [*((name, 0) for name in NAMES), ("walk", 3)])
def test_poses_tear_nothing(name, seed):
    model = character(seed=seed)
    pairs = [edges(mesh) for mesh in model.meshes]
    rest = [lengths(mesh, pair) for mesh, pair in zip(model.meshes, pairs)]
    for time in moments(model, name):
        for mesh, pair, before in zip(posed(model, name, time), pairs, rest):
            low, high = mesh.bounds
            assert (low > (-0.8, -0.03, -0.9)).all() and (high < (0.8, 1.75, 0.9)).all(), time
            now = lengths(mesh, pair)
            least, most = np.quantile(now / before, (0.001, 0.999))
            assert SQUEEZED < least and most < STRETCHED, (time, mesh.name, least, most)
            assert (now / before).max() < TORN and (now - before).max() < GROWN, (time, mesh.name)


@pytest.mark.parametrize("name", NAMES)
def test_elbows_and_knees_keep_their_girth(name):
    model = character()
    body = model.meshes[0]
    points = np.asarray(body.positions, float)
    for which in ("elbow.L", "elbow.R", "knee.L", "knee.R"):
        k = joint(model, which)
        share = np.where(body.joints == k, body.weights, 0.0).sum(axis=1)
        ring = share > 0.5
        assert ring.sum() > 20
        middle = model.pose().node_matrices[k][:3, 3]
        rest = np.linalg.norm(points[ring] - middle, axis=1)
        for time in moments(model, name):
            mesh = posed(model, name, time)[0]
            centre = model.pose(name, time).node_matrices[k][:3, 3]
            now = np.linalg.norm(mesh.positions[ring] - centre, axis=1)
            assert (now / rest).min() > 0.6 and (now / rest).mean() > 0.85, (which, time)


@pytest.mark.parametrize(("side", "landing"), [("L", 0.0), ("R", 0.5)])
def test_feet_stay_where_they_stand(side, landing):
    """On the ground that passes at the walk's own speed, flat and then on their toes."""
    model = character()
    foot, toes = joint(model, f"foot.{side}"), joint(model, f"toes.{side}")
    duration = model.animation("walk").duration
    shares = np.linspace(0.12, 0.58, 24)
    times = ((landing + shares) % 1.0) * duration
    poses = [model.pose("walk", time).node_matrices for time in times]
    gone = np.outer(shares * duration * samples.WALK_SPEED, (0.0, 0.0, 1.0))
    balls = np.array([pose[toes][:3, 3] for pose in poses]) + gone
    assert np.ptp(balls, axis=0).max() < 0.004
    flat = shares < 0.32
    ankles = np.array([pose[foot][:3, 3] for pose in poses])[flat] + gone[flat]
    assert np.ptp(ankles, axis=0).max() < 0.004
    heights = [model.pose("walk", t).node_matrices[toes][1, 3] for t in moments(model, "walk", 40)]
    assert max(heights) > 0.06, "the foot is lifted"


def test_steps_land_on_the_ground():
    model = character()
    for time in moments(model, "walk", 12):
        wood = posed(model, "walk", time)[0]
        assert -0.012 < wood.bounds[0, 1] < 0.012, time


def test_curl_makes_a_ball():
    model = character()
    low, high = posed(model, "curl", 1.4)[0].bounds
    assert high[1] - low[1] < 0.85 and (high - low).max() < 1.0
    held = [model.pose("curl", time).joint_matrices[0] for time in (1.4, 1.9, 2.4)]
    assert np.abs(held[0] - held[1]).max() < 1e-6 and np.abs(held[0] - held[2]).max() < 1e-6


def test_lids_close_over_the_eyes():
    """At a blink the lids hide the eyes from the front, and hardly cover them when open."""
    model = character()

    def hidden(time):
        body, _, eyes = posed(model, "idle", time)
        lids = [model.skins[0].joints.tolist().index(joint(model, f"lid.{s}")) for s in "LR"]
        lid = np.isin(model.meshes[0].joints[:, 0], lids)
        front = np.asarray(body.positions, float)[lid]
        seen = np.asarray(eyes.positions, float)
        normals = np.asarray(eyes.normals, float)
        seen = seen[normals[:, 2] > 0.75]
        near = np.hypot(*(front[None, :, :2] - seen[:, None, :2]).transpose(2, 0, 1)) < 0.012
        return (near & (front[None, :, 2] > seen[:, None, 2])).any(axis=1).mean()

    assert hidden(0.5) < 0.5 < 0.9 < hidden(1.35)


def test_it_stands_in_a_scene_posed():
    model = character(0)
    scene = dw.Scene()
    placed = scene.add(model, pose=model.pose("walk", 0.3))
    assert len(placed.parts) == 3 and all(mesh.joints is None for mesh, _ in placed.parts)


@pytest.mark.parametrize(("arguments", "error"), [
    ({"detail": 5}, ValueError), ({"detail": -1}, ValueError), ({"detail": 1.5}, TypeError),
    ({"seed": -1}, ValueError), ({"seed": "one"}, TypeError)])  # fmt: skip
def test_refusals(arguments, error):
    with pytest.raises(error, match=next(iter(arguments))):
        samples.character(**arguments)
