# SPDX-License-Identifier: MIT
"""Skins, morph targets and their animations as glTF files give them, down to posed vertices."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_gltf import Writer

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
LIFT = np.array([[0, 0, 1], [0, 0, 2], [0, 0, 0]], float)
SWAY = np.array([[0, 0, 0], [3, 0, 0], [0, 0, 0]], float)


def morphed(*targets, **fields) -> Writer:
    """A triangle with targets, at node 0."""
    writer = Writer()
    accessors = [{"POSITION": writer.accessor(one)} for one in targets]
    mesh = writer.mesh({"POSITION": CORNERS}, targets=accessors)
    writer.document["meshes"][mesh].update(fields)
    writer.place(mesh)
    return writer


def animate(writer: Writer, targets: list, kind: str, times, values) -> None:
    sampler = {
        "input": writer.accessor(times), "output": writer.accessor(np.reshape(values, (-1, 1))),
        "interpolation": kind,
    }  # fmt: skip
    writer.add(
        "animations", samplers=[sampler],
        channels=[{"sampler": 0, "target": target} for target in targets],
    )  # fmt: skip


def pointing(pointer: str) -> dict:
    return {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}


def load(writer: Writer, tmp_path) -> dw.Model:
    return dw.load_gltf(writer.glb(tmp_path / "a.glb"))


def vertices(model: dw.Model, device, time: float | None = None) -> np.ndarray:
    pose = model.pose() if time is None else model.pose(0, time)
    (one,) = model.posed_meshes(pose, device=device)
    return one.positions


@pytest.mark.parametrize(
    ("kind", "times", "values", "time", "wanted"),
    [
        ("STEP", [0, 1, 2], [[0, 0], [1, 2], [5, 5]], 1.99, [1, 2]),
        ("LINEAR", [0, 1, 2], [[0, 0], [1, 2], [5, 4]], 1.25, [2, 2.5]),
        ("LINEAR", [0, 1, 2], [[0, 0], [1, 2], [5, 4]], 9, [5, 4]),
        # t^3 and t^2 from 0 to 2 s: in-tangents, values and out-tangents of both keys
        ("CUBICSPLINE", [0, 2], [[0, 0], [0, 0], [0, 0], [12, 4], [8, 4], [0, 0]], 1.5,
         [3.375, 2.25]),
    ],
)  # fmt: skip
def test_weights_follow_each_interpolation(
    device, tmp_path, kind, times, values, time, wanted
):
    writer = morphed(LIFT, SWAY)
    animate(writer, [{"node": 0, "path": "weights"}], kind, times, values)
    model = load(writer, tmp_path)
    assert model.pose(0, time).morph_weights[0] == pytest.approx(wanted)
    moved = vertices(model, device, time)
    assert np.allclose(moved, CORNERS + wanted[0] * LIFT + wanted[1] * SWAY, atol=1e-6)


def test_weights_at_rest_are_the_nodes_before_the_meshs(native_device, tmp_path):
    writer = morphed(LIFT, SWAY, weights=[1, 0])
    assert np.array_equal(vertices(load(writer, tmp_path), native_device), CORNERS + LIFT)
    writer.document["nodes"][0]["weights"] = [0, 2]
    assert np.array_equal(vertices(load(writer, tmp_path), native_device), CORNERS + 2 * SWAY)
    writer.place(0)
    first, second = load(writer, tmp_path).posed_meshes(device=native_device)
    assert np.array_equal(first.positions, CORNERS + 2 * SWAY)
    assert np.array_equal(second.positions, CORNERS + LIFT)


def test_sparse_targets_without_a_base_move_what_they_name(device, tmp_path):
    writer = Writer()
    sparse = writer.add(
        "accessors", componentType=5126, count=3, type="VEC3",
        sparse={
            "count": 1,
            "indices": {"bufferView": writer.view(np.array([1], "<u2").tobytes()),
                        "componentType": 5123},
            "values": {"bufferView": writer.view(np.array([4, 5, 6], "<f4").tobytes())},
        },
    )  # fmt: skip
    mesh = writer.mesh({"POSITION": CORNERS}, targets=[{"POSITION": sparse}])
    writer.document["meshes"][mesh]["weights"] = [0.5]
    writer.place(mesh)
    moved = vertices(load(writer, tmp_path), device)
    assert np.array_equal(moved, CORNERS + [[0, 0, 0], [2, 2.5, 3], [0, 0, 0]])


@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_whole_number_weights_are_shares(device, tmp_path, dtype):
    """Whose sum need not be 1: 84 + 84 + 86 of 255 are thirds within 1 %."""
    most = np.iinfo(dtype).max
    shares = np.floor(np.array([[1 / 3, 1 / 3, 1 / 3 - 0.01, 0]] * 3) * most)
    writer = Writer()
    mesh = writer.mesh({
        "POSITION": CORNERS, "JOINTS_0": writer.accessor([[0, 1, 2, 0]] * 3, "u1"),
        "WEIGHTS_0": writer.accessor(shares, dtype, normalized=True),
    })  # fmt: skip
    writer.place(mesh, skin=0)
    moves = [[3, 0, 0], [0, 3, 0], [0, 0, 3]]
    for move in moves:
        writer.add("nodes", translation=move)
    writer.document["scenes"][0]["nodes"] += [1, 2, 3]
    writer.add("skins", joints=[1, 2, 3])
    parts = shares[0, :3] / shares[0].sum()
    moved = vertices(load(writer, tmp_path), device)
    assert np.allclose(moved, CORNERS + parts @ moves, atol=1e-6)


def test_each_mesh_follows_its_own_skin_and_not_its_node(device, tmp_path):
    writer = Writer()
    attributes = {
        "POSITION": CORNERS, "JOINTS_0": writer.accessor([[1, 0, 0, 0]] * 3, "u1"),
        "WEIGHTS_0": np.tile([1.0, 0, 0, 0], (3, 1)),
    }  # fmt: skip
    mesh = writer.mesh(attributes)
    writer.place(mesh, skin=0, translation=[100, 0, 0])
    writer.place(mesh, skin=1, scale=[9, 9, 9])
    writer.add("nodes", translation=[0, 5, 0], children=[3])
    writer.add("nodes", translation=[0, 0, 7])
    writer.document["scenes"][0]["nodes"].append(2)
    writer.add("skins", joints=[2, 3])
    writer.add("skins", joints=[3, 2])
    model = load(writer, tmp_path)
    first, second = model.posed_meshes(device=device)
    assert np.array_equal(first.positions, CORNERS + [0, 5, 7])
    assert np.array_equal(second.positions, CORNERS + [0, 5, 0])
    assert np.array_equal(first.matrix, np.eye(4)) and np.array_equal(second.matrix, np.eye(4))
    with pytest.raises(ValueError, match="the pose has 2 skins: say which"):
        model.meshes[0].posed(model.pose(), device=device)
    moved = model.meshes[0].posed(model.pose(), skin=1, device=device)
    assert np.array_equal(moved, second.positions)


def test_meshes_without_a_skin_are_placed_by_their_node(native_device, tmp_path):
    writer = morphed(LIFT, weights=[1])
    writer.document["nodes"][0]["translation"] = [0, 0, 4]
    model = load(writer, tmp_path)
    (one,) = model.posed_meshes(device=native_device, normals=True)
    assert np.array_equal(one.positions, CORNERS + LIFT)
    assert np.array_equal(one.matrix[:3, 3], [0, 0, 4])
    placed = one.mesh.posed(one.matrix, device=native_device)
    assert np.array_equal(placed, CORNERS + LIFT + [0, 0, 4])
    with pytest.raises(ValueError, match="into must be what posed_meshes"):
        model.posed_meshes(into=[])
    with pytest.raises(TypeError, match="pose must be what pose"):
        model.posed_meshes(np.eye(4))


# ---- KHR_animation_pointer ----


@pytest.mark.parametrize("pointer", ["/nodes/0/weights", "/meshes/0/weights"])
def test_pointers_to_all_weights_are_played(native_device, tmp_path, pointer):
    writer = morphed(LIFT, SWAY, weights=[1, 1])
    animate(writer, [pointing(pointer)], "LINEAR", [0, 1], [[0, 0], [2, 4]])
    writer.document.update(extensionsUsed=["KHR_animation_pointer"])
    writer.document.update(extensionsRequired=["KHR_animation_pointer"])
    model = load(writer, tmp_path)
    assert model.notes == ()
    moved = vertices(model, native_device, 0.5)
    assert np.array_equal(moved, CORNERS + LIFT + 2 * SWAY)


def test_pointers_to_one_weight_leave_the_others(native_device, tmp_path):
    writer = morphed(LIFT, SWAY, weights=[0.25, 1])
    animate(writer, [pointing("/nodes/0/weights/1")], "LINEAR", [0, 1], [[0], [4]])
    model = load(writer, tmp_path)
    assert np.array_equal(vertices(model, native_device, 0.5), CORNERS + 0.25 * LIFT + 2 * SWAY)
    assert np.array_equal(vertices(model, native_device), CORNERS + 0.25 * LIFT + SWAY)
    assert model.meshes[0].morph_weights.tolist() == [0.25, 1]


def test_pointers_to_a_mesh_leave_nodes_with_weights_of_their_own(native_device, tmp_path):
    writer = morphed(LIFT, weights=[0])
    writer.place(0, weights=[7])
    writer.place(0)
    animate(writer, [pointing("/meshes/0/weights/0")], "STEP", [0], [[3]])
    model = load(writer, tmp_path)
    weights = {i: one.tolist() for i, one in model.pose(0, 0).morph_weights.items()}
    assert weights == {0: [3], 1: [7], 2: [3]}


def test_pointers_to_the_parts_of_a_node_are_played(tmp_path):
    writer = morphed(LIFT)
    animate(writer, [pointing("/nodes/0/translation")], "STEP", [0], [[0]])
    writer.document["animations"][0]["samplers"][0]["output"] = writer.accessor([[1, 2, 3]])
    model = load(writer, tmp_path)
    assert model.pose(0, 0).node_matrices[0][:3, 3].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "pointer", ["/materials/0/alphaCutoff", "/nodes/0/translation/0", "", "/nodes/x/weights"]
)
def test_other_pointers_are_noted(tmp_path, pointer):
    writer = morphed(LIFT)
    animate(writer, [pointing(pointer)], "STEP", [0], [[0]])
    model = load(writer, tmp_path)
    assert model.animations[0].channels == ()
    assert model.notes == (f"animations[0].channels[0] moves {pointer!r}: not played",)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (pointing("/nodes/9/weights"), "but there is no such object"),
        (pointing("/meshes/1/weights"), "but there is no such object"),
        (pointing("/nodes/0/weights/1"), "but there are 1 morph targets"),
        ({"path": "pointer"}, "KHR_animation_pointer is missing"),
        ({"path": "pointer", "extensions": {"KHR_animation_pointer": {}}}, "pointer is missing"),
    ],
)
def test_pointers_to_nothing_are_refused(tmp_path, target, message):
    writer = morphed(LIFT)
    animate(writer, [target], "STEP", [0], [[0]])
    with pytest.raises(dw.FormatError, match=message):
        load(writer, tmp_path)
