# SPDX-License-Identifier: MIT
"""glTF models: what is read, from files that the tests write; and what is refused, and why."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import sys
import tracemalloc

import dapplewood as dw
import numpy as np
import pytest
from helpers_gltf import Writer, glb_bytes

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
FACES = [0, 1, 2, 0, 2, 3]
UVS = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
UP = np.tile([0, 0, 1.0], (4, 1))
PIXELS = np.arange(64, dtype=np.uint8).reshape(4, 4, 4) * 4

needs_draco = pytest.mark.skipif(
    importlib.util.find_spec("DracoPy") is None, reason="DracoPy is not installed"
)
needs_meshopt = pytest.mark.skipif(
    importlib.util.find_spec("meshoptimizer") is None, reason="meshoptimizer is not installed"
)


def square(**fields) -> Writer:
    writer = Writer()
    mesh = writer.mesh({"POSITION": SQUARE, "NORMAL": UP, "TEXCOORD_0": UVS}, FACES, **fields)
    writer.place(mesh)
    return writer


def textured(tmp_path, info=None, **fields) -> Writer:
    """The square with a material whose base colour is PIXELS."""
    writer = square(material=0)
    dw.io.write_image(tmp_path / "a leaf.png", PIXELS)
    writer.add("images", uri="a%20leaf.png")
    writer.add("textures", source=0)
    pbr = {"baseColorTexture": {"index": 0, **(info or {})}, "metallicFactor": 0}
    writer.add("materials", pbrMetallicRoughness=pbr, **fields)
    return writer


def refused(writer: Writer, tmp_path, message: str) -> None:
    with pytest.raises(dw.FormatError, match=message) as caught:
        dw.load_gltf(writer.glb(tmp_path / "model.glb"))
    assert str(tmp_path / "model.glb") in str(caught.value)


@pytest.mark.parametrize("form", ["glb", "bin", "data"])
def test_each_container_gives_the_same_model(form, tmp_path):
    writer = square()
    if form == "glb":
        path = writer.glb(tmp_path / "tree.glb")
    elif form == "bin":
        (tmp_path / "my data ü.bin").write_bytes(writer.data)
        path = writer.gltf(tmp_path / "tree.gltf", "my%20data%20%C3%BC.bin")
    else:
        path = writer.gltf(tmp_path / "tree.gltf")
    model = dw.load_gltf(path)
    (mesh,) = model.meshes
    assert np.array_equal(mesh.positions, SQUARE) and np.array_equal(mesh.uvs, UVS)
    assert np.array_equal(mesh.normals, UP) and mesh.indices.reshape(-1).tolist() == FACES
    assert model.name == "tree" and model.notes == () and mesh.name == "mesh0"
    ((placed, matrix),) = model.static_meshes()
    assert placed is mesh and np.array_equal(matrix, np.eye(4))
    assert "2 triangles" in repr(model) and "<table>" in model._repr_html_()
    assert model.bounds.tolist() == [[0, 0, 0], [1, 1, 0]]


def test_percent_encoded_data_uris_without_base64_are_read(tmp_path):
    writer = square()
    coded = "".join(f"%{byte:02X}" for byte in writer.data)
    path = writer.gltf(tmp_path / "a.gltf", f"data:application/octet-stream,{coded}")
    assert np.array_equal(dw.load_gltf(path).meshes[0].positions, SQUARE)


@pytest.mark.parametrize(
    "dtype, is_normalized",
    [("f4", False), *((kind, is_it) for kind in ("i1", "u1", "i2", "u2") for is_it in (0, 1))],
)
def test_each_component_type_is_read(dtype, is_normalized, tmp_path):
    kind = np.dtype(dtype)
    most = np.iinfo(kind).max if kind.kind in "iu" else 9
    least = np.iinfo(kind).min if kind.kind in "iu" else -9
    stored = np.array([[0, 1, 2], [most, 3, 4], [least, most, 5]], kind)
    writer = Writer()
    position = writer.accessor(stored, dtype, **({"normalized": True} if is_normalized else {}))
    writer.mesh({"POSITION": position})
    writer.document["extensionsRequired"] = ["KHR_mesh_quantization"]
    mesh = dw.load_gltf(writer.glb(tmp_path / "a.glb")).meshes[0]
    wanted = stored.astype(np.float64)
    if is_normalized:
        wanted = np.maximum(wanted / most, -1.0)
    assert np.allclose(mesh.positions, wanted, rtol=1e-7, atol=0)
    if is_normalized:
        assert mesh.positions[1, 0] == 1.0 and mesh.positions.min() >= -1.0


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4"])
def test_indices_of_each_width_are_read(dtype, tmp_path):
    writer = Writer()
    mesh = writer.mesh({"POSITION": SQUARE, "NORMAL": UP})
    writer.document["meshes"][mesh]["primitives"][0]["indices"] = writer.accessor(FACES, dtype)
    found = dw.load_gltf(writer.glb(tmp_path / "a.glb")).meshes[0]
    assert found.indices.reshape(-1).tolist() == FACES


def test_interleaved_attributes_and_offsets_are_read(tmp_path):
    writer = Writer()
    columns = [("p", "<f4", 3), ("pad", "<u4"), ("uv", "<u2", 2), ("n", "<f4", 3)]
    rows = np.zeros(4, np.dtype(columns))
    rows["p"], rows["uv"], rows["n"], rows["pad"] = SQUARE, UVS * 65535, UP, 0xFFFFFFFF
    view = writer.view(b"skipped!" + rows.tobytes(), byteStride=rows.itemsize)

    def column(offset: int, code: int, kind: str, **more) -> int:
        return writer.add("accessors", bufferView=view, byteOffset=8 + offset, componentType=code,
                          count=4, type=kind, **more)  # fmt: skip

    attributes = {
        "POSITION": column(0, 5126, "VEC3"),
        "TEXCOORD_0": column(16, 5123, "VEC2", normalized=True),
        "NORMAL": column(20, 5126, "VEC3"),
    }
    writer.mesh(attributes, FACES)
    mesh = dw.load_gltf(writer.glb(tmp_path / "a.glb")).meshes[0]
    assert np.array_equal(mesh.positions, SQUARE) and np.array_equal(mesh.uvs, UVS)
    assert np.array_equal(mesh.normals, UP)


@pytest.mark.parametrize("has_base", [True, False])
def test_sparse_accessors_replace_elements(has_base, tmp_path):
    writer = Writer()
    position = writer.accessor(SQUARE)
    fields = writer.document["accessors"][position]
    if not has_base:
        del fields["bufferView"]
    places = writer.view(np.array([1, 3], np.uint8).tobytes())
    values = writer.view(np.array([[5, 6, 7], [8, 9, 1]], np.float32).tobytes())
    fields["sparse"] = {
        "count": 2,
        "indices": {"bufferView": places, "componentType": 5121},
        "values": {"bufferView": values},
    }
    writer.mesh({"POSITION": position, "NORMAL": UP}, FACES)
    wanted = SQUARE.copy() if has_base else np.zeros((4, 3), np.float32)
    wanted[[1, 3]] = [[5, 6, 7], [8, 9, 1]]
    found = dw.load_gltf(writer.glb(tmp_path / "a.glb")).meshes[0]
    assert np.array_equal(found.positions, wanted)


@pytest.mark.parametrize(
    "mode, indices, wanted",
    [
        (4, None, [[0, 1, 2]]),
        (5, [0, 1, 3, 2], [[0, 1, 3], [1, 2, 3]]),
        (5, [0, 1, 1, 3, 2, 0], [[1, 3, 2], [3, 0, 2]]),
        (6, [0, 1, 2, 3], [[1, 2, 0], [2, 3, 0]]),
    ],
)
def test_strips_and_fans_become_triangles(mode, indices, wanted, tmp_path):
    writer = Writer()
    writer.mesh({"POSITION": SQUARE, "NORMAL": UP}, indices, mode=mode)
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    assert model.meshes[0].indices.tolist() == wanted
    if mode != 4 and len(indices) == 4:
        flat = dw.Mesh(SQUARE, wanted)
        assert (flat.normals == [0, 0, 1]).all()  # every triangle faces the same way


@pytest.mark.parametrize("mode, what", [(0, "points"), (1, "lines"), (2, "loop"), (3, "strip")])
def test_points_and_lines_are_left_out_with_a_note(mode, what, tmp_path):
    writer = square()
    writer.document["meshes"][0]["primitives"].append(
        {**writer.document["meshes"][0]["primitives"][0], "mode": mode}
    )
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    assert len(model.meshes) == 1 and len(model.notes) == 1
    assert "primitives[1] holds" in model.notes[0] and what in model.notes[0]


def test_meshes_without_normals_are_flat_and_keep_what_they_use(tmp_path):
    writer = Writer()
    positions = np.concatenate([SQUARE, [[9, 9, 9], [0, 0, 1]]])
    writer.mesh({"POSITION": positions, "TANGENT": np.ones((6, 4))}, [0, 1, 2, 0, 5, 1])
    mesh = dw.load_gltf(writer.glb(tmp_path / "a.glb")).meshes[0]
    assert mesh.vertex_count == 6 and mesh.tangents is None
    assert np.array_equal(mesh.normals, np.repeat([[0, 0, 1.0], [0, 1, 0]], 3, axis=0))
    assert np.array_equal(mesh.positions, positions[[0, 1, 2, 0, 5, 1]])


def test_primitives_that_share_vertices_keep_their_own(tmp_path):
    writer = square()
    first = writer.document["meshes"][0]["primitives"][0]
    half = {**first, "indices": writer.accessor([0, 2, 3], "u1")}
    writer.document["meshes"][0]["primitives"].append(half)
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    assert [mesh.vertex_count for mesh in model.meshes] == [4, 3]
    assert np.array_equal(model.meshes[1].positions, SQUARE[[0, 2, 3]])
    assert model.meshes[1].indices.tolist() == [[0, 1, 2]]
    assert model.nodes[0].meshes == (0, 1) and model.meshes[1].name == "mesh0.1"


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4"])
@pytest.mark.parametrize("channels", [3, 4])
def test_vertex_colours_are_read(dtype, channels, tmp_path):
    most = {"u1": 255, "u2": 65535, "f4": 1.0}[dtype]
    share = np.array([[0, 0.2, 1, 0.6], [1, 1, 1, 1], [0, 0, 0, 0], [0.4, 0.6, 0.8, 1]])
    color = Writer()
    accessor = color.accessor(np.round(share[:, :channels] * most, 6), dtype, normalized=True)
    color.mesh({"POSITION": SQUARE, "NORMAL": UP, "COLOR_0": accessor}, FACES)
    mesh = dw.load_gltf(color.glb(tmp_path / "a.glb")).meshes[0]
    wanted = np.round(share * 255)
    wanted[:, channels:] = 255
    assert np.array_equal(mesh.colors, wanted)


def test_materials_say_what_the_file_says(tmp_path):
    writer = textured(
        tmp_path, name="leaf", alphaMode="MASK", alphaCutoff=0.3, doubleSided=True,
        emissiveFactor=[0.5, 0, 1], normalTexture={"index": 1, "scale": 0.5},
        extensions={
            "KHR_materials_unlit": {}, "KHR_materials_emissive_strength": {"emissiveStrength": 4},
        },
    )  # fmt: skip
    writer.add("samplers", wrapS=33648, wrapT=33648)
    writer.document["textures"][0]["sampler"] = 0
    writer.add("images", bufferView=writer.view((tmp_path / "a leaf.png").read_bytes()))
    writer.add("textures", source=1)
    pbr = writer.document["materials"][0]["pbrMetallicRoughness"]
    pbr.update(baseColorFactor=[0.5, 1, 1, 0.9], roughnessFactor=0.25)
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    (material,) = model.materials
    assert model.meshes[0].material is material and model.notes == ()
    assert material.name == "leaf" and material.base_color == (0.5, 1, 1, 0.9)
    assert (material.alpha_mode, material.alpha_cutoff) == ("mask", 0.3)
    assert material.double_sided and material.unlit and material.emissive == (2, 0, 4)
    assert material.metallic == 0 and material.roughness == 0.25 and material.normal_scale == 0.5
    base, normal = material.base_color_texture, material.normal_texture
    assert np.array_equal(base.levels[0], PIXELS) and base.wrap == "mirror"
    assert (base.color_space, normal.color_space) == ("srgb", "linear")
    assert np.array_equal(normal.levels[0], PIXELS) and normal.wrap == "repeat"


def test_one_image_is_one_texture_for_all_materials(tmp_path):
    writer = textured(tmp_path)
    writer.document["materials"].append(dict(writer.document["materials"][0], name="b"))
    one, other = dw.load_gltf(writer.glb(tmp_path / "a.glb")).materials
    assert one.base_color_texture is other.base_color_texture


def test_textures_that_are_not_drawn_count_by_their_mean(tmp_path):
    pixels = np.zeros((2, 2, 3), np.uint8)
    pixels[0, :, 1], pixels[..., 2], pixels[0, 0, 0] = 255, 51, 255
    dw.io.write_image(tmp_path / "m.png", np.dstack([pixels, np.full((2, 2), 255, np.uint8)]))
    writer = textured(tmp_path, emissiveTexture={"index": 1}, emissiveFactor=[1, 1, 1])
    writer.add("images", uri="m.png")
    writer.add("textures", source=1)
    pbr = writer.document["materials"][0]["pbrMetallicRoughness"]
    pbr.update(metallicRoughnessTexture={"index": 1}, metallicFactor=1, roughnessFactor=0.8)
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    (material,) = model.materials
    assert material.metallic == pytest.approx(0.2) and material.roughness == pytest.approx(0.4)
    light = ((0.2 + 0.055) / 1.055) ** 2.4
    assert material.emissive == pytest.approx((0.25, 0.5, light))
    assert len(model.notes) == 2 and all("drawn as its mean" in note for note in model.notes)


@pytest.mark.parametrize(
    "moved, wanted",
    [
        ({"offset": [0.5, 0.25]}, [[0.5, 0.25], [1.5, 0.25], [1.5, 1.25], [0.5, 1.25]]),
        ({"scale": [2, 0.5]}, [[0, 0], [2, 0], [2, 0.5], [0, 0.5]]),
        # A quarter turn counter-clockwise as seen, v down: right becomes up.
        ({"rotation": np.pi / 2}, [[0, 0], [0, -1], [1, -1], [1, 0]]),
        (
            {"offset": [0, 1], "rotation": np.pi / 2, "scale": [2, 3]},
            [[0, 1], [0, -1], [3, -1], [3, 1]],
        ),
        ({"texCoord": 1, "scale": [1, 1]}, [[7, 7]] * 4),
    ],
)
def test_texture_transforms_are_applied_to_the_coordinates(moved, wanted, tmp_path):
    writer = textured(tmp_path, {"extensions": {"KHR_texture_transform": moved}})
    writer.document["extensionsRequired"] = ["KHR_texture_transform"]
    attributes = writer.document["meshes"][0]["primitives"][0]["attributes"]
    attributes["TEXCOORD_1"] = writer.accessor(np.full((4, 2), 7.0))
    mesh = dw.load_gltf(writer.glb(tmp_path / "a.glb")).meshes[0]
    assert np.allclose(mesh.uvs, wanted, atol=1e-6)


def test_textures_that_disagree_take_the_base_colours_coordinates(tmp_path):
    normal = {"index": 0, "extensions": {"KHR_texture_transform": {"scale": [9, 9]}}}
    model = dw.load_gltf(textured(tmp_path, normalTexture=normal).glb(tmp_path / "a.glb"))
    assert np.array_equal(model.meshes[0].uvs, UVS)
    assert "drawn with those of the base colour" in model.notes[0]


def test_cutoffs_outside_of_0_to_1_are_told(tmp_path):
    for cutoff, mode in ((0, "opaque"), (1.5, "mask")):
        writer = textured(tmp_path, alphaMode="MASK", alphaCutoff=cutoff)
        model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
        assert model.materials[0].alpha_mode == mode and "alphaCutoff" in model.notes[0]


def test_nodes_place_meshes_by_their_parents(tmp_path):
    writer = square()
    half = np.sqrt(0.5)
    quarter = [0.0, 0.0, half, half]  # about z
    matrix = np.eye(4)
    matrix[:3, 3] = [1, 2, 3]
    writer.document["nodes"] = [
        {"children": [1], "translation": [10, 0, 0], "name": "root"},
        {"children": [2], "rotation": quarter, "scale": [2, 2, 2]},
        {"mesh": 0, "matrix": matrix.T.reshape(-1).tolist()},
    ]
    writer.document["scenes"] = [{"nodes": [0], "name": "all"}, {"nodes": []}]
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    ((_, placed),) = model.static_meshes("all")
    wanted = [[0, -2, 0, 10 - 4], [2, 0, 0, 2], [0, 0, 2, 6], [0, 0, 0, 1]]
    assert np.allclose(placed, wanted, atol=1e-12)
    assert model.static_meshes(1) == []
    with pytest.raises(ValueError, match=r"scene must lie in 0\.\.1, got 2"):
        model.static_meshes(2)
    with pytest.raises(ValueError, match="scene must be one of"):
        model.static_meshes("none")


def test_what_a_node_flattens_to_nothing_is_left_out(tmp_path):
    writer = square()
    writer.place(0, scale=[0, 0, 0])
    writer.place(0, scale=[1, 1, 0])
    assert len(dw.load_gltf(writer.glb(tmp_path / "a.glb")).static_meshes()) == 2


def animated(path: str, kind: str, times, values, **sampler) -> Writer:
    writer = square()
    writer.add(
        "animations",
        name="move",
        channels=[{"sampler": 0, "target": {"node": 0, "path": path}}],
        samplers=[
            {
                "input": writer.accessor(times),
                "output": writer.accessor(values),
                "interpolation": kind,
                **sampler,
            }
        ],
    )
    return writer


def moved_to(writer: Writer, tmp_path, time: float, **options) -> np.ndarray:
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    return model.pose("move", time, **options).node_matrices[0]


def test_steps_and_lines_are_sampled(tmp_path):
    keys = [[0, 0, 0], [2, 4, 6], [2, 0, 0]]
    for kind, time, wanted in [
        ("STEP", 1.9, [0, 0, 0]), ("STEP", 2.0, [2, 4, 6]), ("LINEAR", 1.5, [1, 2, 3]),
        ("LINEAR", -5, [0, 0, 0]), ("LINEAR", 99, [2, 0, 0]), ("LINEAR", 4.0, [2, 0, 0]),
    ]:  # fmt: skip
        writer = animated("translation", kind, [1, 2, 4], keys)
        assert moved_to(writer, tmp_path, time)[:3, 3].tolist() == wanted
    assert moved_to(writer, tmp_path, 5.5, loop=True)[:3, 3].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="time must be finite"):
        moved_to(writer, tmp_path, float("nan"))


def test_rotations_go_along_the_shorter_arc_at_even_speed(tmp_path):
    angle = 2.5
    end = -np.array([0, 0, np.sin(angle / 2), np.cos(angle / 2)])  # the same turn, sign changed
    writer = animated("rotation", "LINEAR", [0, 1], [[0, 0, 0, 1], end])
    for share in (0.1, 0.25, 0.5, 0.9):
        matrix = moved_to(writer, tmp_path, share)
        turned = np.arctan2(matrix[1, 0], matrix[0, 0])
        assert turned == pytest.approx(share * angle, abs=1e-6)
        assert np.allclose(matrix[:3, :3] @ matrix[:3, :3].T, np.eye(3), atol=1e-12)


def test_cubic_splines_follow_their_tangents(tmp_path):
    # x = t^3 from 0 to 2 seconds: slopes 0 and 12 per second.
    row = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [12, 0, 0], [8, 0, 0], [0, 0, 0]]
    writer = animated("translation", "CUBICSPLINE", [0, 2], row)
    for time in (0, 0.5, 1.3, 2):
        assert moved_to(writer, tmp_path, time)[0, 3] == pytest.approx(time**3, abs=1e-9)


def test_an_animated_node_with_a_matrix_keeps_its_other_parts(tmp_path):
    writer = animated("translation", "STEP", [0], [[7, 8, 9]])
    turn = np.array([[0, -2.0, 0, 1], [3, 0, 0, 1], [0, 0, 4, 1], [0, 0, 0, 1]])
    writer.document["nodes"][0]["matrix"] = turn.T.reshape(-1).tolist()
    matrix = moved_to(writer, tmp_path, 0)
    assert np.allclose(matrix[:3, :3], turn[:3, :3]) and matrix[:3, 3].tolist() == [7, 8, 9]


def test_animations_are_found_by_name_and_index(tmp_path):
    writer = animated("scale", "LINEAR", [0, 3], [[1, 1, 1], [2, 2, 2]])
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    assert model.animations[0].duration == 3 and model.animation("move") is model.animation(0)
    for wrong in ("walk", 1, -1, True):
        with pytest.raises(ValueError, match=r"animation must be one of \['move'\]"):
            model.pose(wrong)


def morphing(tmp_path) -> dw.Model:
    writer = square()
    primitive = writer.document["meshes"][0]["primitives"][0]
    lift = np.zeros((4, 3))
    lift[2] = [0, 0, 1]
    turn = np.tile([1.0, 0, -1], (4, 1))
    primitive["targets"] = [
        {"POSITION": writer.accessor(lift), "NORMAL": writer.accessor(turn)},
        {"POSITION": writer.accessor(lift * 4)},
    ]
    writer.document["meshes"][0].update(weights=[0, 0.5], extras={"targetNames": ["up", "far"]})
    writer.add(
        "animations", samplers=[
            {"input": writer.accessor([0, 1]), "output": writer.accessor([0, 0, 1, 0])}
        ],
        channels=[{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
    )  # fmt: skip
    return dw.load_gltf(writer.glb(tmp_path / "a.glb"))


def test_morph_targets_are_kept_and_applied(tmp_path):
    model = morphing(tmp_path)
    (mesh,) = model.meshes
    assert mesh.target_names == ("up", "far") and mesh.morph_weights.tolist() == [0, 0.5]
    assert mesh.targets.shape == mesh.target_normals.shape == (2, 4, 3)
    assert not mesh.target_normals[1].any()
    ((rest, _),) = model.static_meshes()
    assert rest.positions[2].tolist() == [1, 1, 2] and rest.targets is None
    pose = model.pose(0, 0.25)
    assert pose.morph_weights[0].tolist() == [0.25, 0]
    ((moved, _),) = model.static_meshes(pose=pose)
    assert moved.positions[2].tolist() == [1, 1, 0.25]
    assert np.allclose(moved.normals[0], np.array([0.25, 0, 0.75]) / np.hypot(0.25, 0.75))


def test_skins_move_vertices_by_their_joints(tmp_path):
    writer = square()
    attributes = writer.document["meshes"][0]["primitives"][0]["attributes"]
    joints = np.array([[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    weights = np.array([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])
    attributes["JOINTS_0"] = writer.accessor(joints * 0, "u1")
    attributes["WEIGHTS_0"] = writer.accessor(weights * 0)
    attributes["JOINTS_1"] = writer.accessor(joints, "u2")
    attributes["WEIGHTS_1"] = writer.accessor(weights * 255, "u1", normalized=True)
    bind = np.tile(np.eye(4), (2, 1, 1))
    bind[1, :3, 3] = [0, 0, -5]  # joint 1 was bound at z = 5
    writer.document["nodes"][0].update(skin=0, translation=[100, 0, 0])
    writer.document["nodes"] += [
        {"translation": [1, 0, 0], "children": [2]},
        {"translation": [0, 0, 7], "scale": [2, 2, 2]},
    ]
    writer.document["scenes"][0]["nodes"].append(1)
    columns = writer.accessor(bind.transpose(0, 2, 1).reshape(2, 16))
    writer.add("skins", joints=[1, 2], inverseBindMatrices=columns)
    model = dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    assert model.meshes[0].joints.shape == (4, 8)
    ((mesh, matrix),) = model.static_meshes()
    one = SQUARE + [1, 0, 0]
    other = 2 * (SQUARE - [0, 0, 5]) + [1, 0, 7]
    wanted = [one[0], (one[1] + other[1]) / 2, other[2], one[3]]
    assert np.allclose(mesh.positions, wanted) and np.array_equal(matrix, np.eye(4))
    assert mesh.joints is None and np.allclose(mesh.normals, UP)


# What is wrong, what must be said of it.
DAMAGE = [
    (lambda d: d["accessors"][0].update(count=5), r"accessors\[0\]: 5 elements .* beyond"),
    (lambda d: d["accessors"][0].update(count=2**40), r"count must lie in"),
    (lambda d: d["accessors"][0].update(count=-1), r"count must lie in 0"),
    (lambda d: d["accessors"][0].update(count=1.5), "count must be a whole number, got 1.5"),
    (lambda d: d["accessors"][0].update(count=True), "count must be a whole number, got True"),
    (lambda d: d["accessors"][0].update(byteOffset=-4), "byteOffset must lie in"),
    (lambda d: d["accessors"][0].update(byteOffset=10**300), "byteOffset must lie .* 30 digits"),
    (lambda d: d["accessors"][0].update(componentType=5124), "componentType 5124 is not read"),
    (lambda d: d["accessors"][0].update(type="VEC4"), "type must be VEC3 here, got 'VEC4'"),
    (lambda d: d["accessors"][0].update(bufferView=99), "bufferView is 99, but bufferViews has"),
    (lambda d: d["accessors"][0].pop("count"), r"accessors\[0\]: count is missing"),
    (lambda d: d["bufferViews"][0].update(byteStride=4), "byteStride 4 is less than the 12"),
    (lambda d: d["bufferViews"][0].update(byteLength=2**31), "lie beyond buffers"),
    (lambda d: d["bufferViews"][0].update(byteOffset=-8), "byteOffset must lie in"),
    (lambda d: d["bufferViews"][0].update(buffer=1), "buffer is 1, but buffers has 1 items"),
    (lambda d: d.update(buffers=[{"byteLength": 2**40}]), "cut short: byteLength is"),
    (lambda d: d.update(buffers=[{"byteLength": 4, "uri": "http://x/y"}]), "not beside the model"),
    (lambda d: d.update(buffers=[{"byteLength": 4, "uri": "/etc/x"}]), "not beside the model"),
    (lambda d: d.update(buffers=[{"byteLength": 4, "uri": "data:;base64,@"}]), "damaged data URI"),
    (lambda d: d.update(buffers=[{"byteLength": 4, "uri": "data:xx"}]), "without a comma"),
    (lambda d: d.update(buffers=[{"byteLength": 4, "uri": "a%00b"}]), "names no file"),
    (lambda d: d.update(buffers=[{"byteLength": 4, "uri": "%ff"}]), "no UTF-8"),
    (lambda d: d.update(meshes={}), "meshes: must be an array, got an object"),
    (lambda d: d.update(meshes=[7]), r"meshes\[0\]: must be an object, got 7"),
    (lambda d: d["meshes"][0]["primitives"][0].update(mode=9), "mode must lie in 0..6"),
    (lambda d: d["meshes"][0]["primitives"][0].update(indices=0), "type must be SCALAR"),
    (lambda d: d["meshes"][0]["primitives"][0].update(material=0), "materials has 0 items"),
    (lambda d: d["meshes"][0]["primitives"][0]["attributes"].update(NORMAL=3), "NORMAL|type must"),
    (lambda d: d["nodes"][0].update(mesh=4), "mesh is 4, but meshes has 1 items"),
    (lambda d: d["nodes"][0].update(children=[0]), "has itself as parent"),
    (lambda d: d["nodes"][0].update(rotation=[0, 0, 0, 0]), "quaternion of length 0"),
    (lambda d: d["nodes"][0].update(scale=[1, 2]), "scale must be 3 numbers, got an array of 2"),
    (lambda d: d["nodes"][0].update(translation=[1e300, 0, 0]), "finite and below 1e30"),
    (lambda d: d["nodes"][0].update(matrix=[1.0] * 16), "matrix must be affine"),
    (lambda d: d["nodes"][0].update(name=3), "name must be a text, got 3"),
    (lambda d: d.update(scene=3), "scene is 3, but scenes has 1 items"),
    (lambda d: d["scenes"][0].update(nodes=[0, 0]), "names a node twice"),
    (lambda d: d["asset"].update(version="1.0"), "version '1.0' .* only 2.0"),
    (lambda d: d.pop("asset"), "asset: version is missing"),
    (lambda d: d.update(extensionsRequired=["EXT_magic"]), "not read: EXT_magic"),
    (lambda d: d.update(extensionsRequired=[{}]), "extensions that are not read"),
]


@pytest.mark.parametrize("change, message", DAMAGE)
def test_damage_is_refused_with_its_place(change, message, tmp_path):
    writer = square()
    change(writer.document)
    refused(writer, tmp_path, message)


def test_loops_and_second_parents_are_refused(tmp_path):
    writer = square()
    writer.document["nodes"] += [{"children": [2]}, {"children": [1]}]
    refused(writer, tmp_path, r"nodes\[1\]: is its own ancestor")
    writer.document["nodes"][1:] = [{"children": [0]}, {"children": [0]}]
    refused(writer, tmp_path, r"nodes\[0\]: has two parents, nodes 1 and 2")


def test_long_chains_of_nodes_are_read(tmp_path):
    writer = square()
    count = 20_000
    chain = [{"children": [i + 1], "translation": [0, 0, 1]} for i in range(count)]
    writer.document["nodes"] = [*chain, {"mesh": 0}]
    ((_, matrix),) = dw.load_gltf(writer.glb(tmp_path / "a.glb")).static_meshes()
    assert matrix[2, 3] == count


@pytest.mark.parametrize(
    "data, message",
    [
        (b"[" * 100_000, "nested too deeply"),
        (b"{", "neither GLB nor JSON"),
        (b"\xff\xfe{}", "neither GLB nor JSON"),
        (b'{"asset": {"version": NaN}}', "NaN is no JSON number"),
        (b"[]", "must be an object, got an array of 0"),
        (b"", "the file is empty"),
        (b"glTF", "cut short: a GLB has at least 20 bytes"),
        (glb_bytes(b"{}")[:4] + b"\1" + glb_bytes(b"{}")[5:], "GLB version 1 is not read"),
        (glb_bytes(b"{}" + b" " * 99)[:-4], "cut short: the header says"),
        (glb_bytes(b"{}").replace(b"JSON", b"BIN\0"), "first chunk of the GLB is not its JSON"),
        (
            glb_bytes(b"{}")[:12] + b"\xff\xff\xff\xff" + glb_bytes(b"{}")[16:],
            "chunk 0 says 4294967295 bytes",
        ),
    ],
)
def test_what_is_no_gltf_is_refused(data, message, tmp_path):
    path = tmp_path / "a.glb"
    path.write_bytes(data)
    with pytest.raises(dw.FormatError, match=message):
        dw.load_gltf(path)


def test_missing_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.glb"):
        dw.load_gltf(tmp_path / "none.glb")
    path = square().gltf(tmp_path / "a.gltf", "lost.bin")
    with pytest.raises(FileNotFoundError, match=r"buffers\[0\] of a.gltf names.*lost.bin"):
        dw.load_gltf(path)
    with pytest.raises(TypeError, match="path must be"):
        dw.load_gltf(7)


def test_values_that_are_not_finite_are_refused(tmp_path):
    writer = Writer()
    positions = SQUARE.copy()
    positions[2, 1] = np.inf
    writer.mesh({"POSITION": positions}, FACES)
    refused(writer, tmp_path, r"accessors\[0\]: element 2 holds NaN or infinity: \[1.0, inf, 0.0\]")


def test_indices_beyond_the_vertices_are_refused(tmp_path):
    writer = Writer()
    writer.mesh({"POSITION": SQUARE}, [0, 1, 4])
    refused(writer, tmp_path, r"primitives\[0\]: index 2 is 4, but there are 4 vertices")


def test_attributes_of_other_lengths_are_refused(tmp_path):
    writer = Writer()
    writer.mesh({"POSITION": SQUARE, "TEXCOORD_0": UVS[:3]}, FACES)
    refused(writer, tmp_path, "uvs have 3 elements, POSITION 4")


def test_joints_beyond_the_skin_are_refused(tmp_path):
    writer = Writer()
    joints = writer.accessor([[0, 0, 0, 2]] * 4, "u1")
    attributes = {"POSITION": SQUARE, "JOINTS_0": joints, "WEIGHTS_0": np.ones((4, 4))}
    writer.place(writer.mesh(attributes, FACES), skin=0)
    writer.add("skins", joints=[0, 0])
    refused(writer, tmp_path, r"nodes\[0\]: its mesh follows joint 2, but skins\[0\] has 2")


def test_damaged_images_are_refused(tmp_path):
    writer = textured(tmp_path)
    data = (tmp_path / "a leaf.png").read_bytes()
    writer.document["images"][0] = {"bufferView": writer.view(data[:-20])}
    refused(writer, tmp_path, r"images\[0\]: ")
    writer.document["images"][0] = {"uri": "data:image/png;base64,AAAA"}
    refused(writer, tmp_path, r"images\[0\]: .*kind that is not read")


@pytest.mark.parametrize(
    "make",
    [
        lambda w: w.add("accessors", componentType=5126, count=2**32 - 1, type="MAT4"),
        lambda w: w.add("accessors", componentType=5121, count=2**29, type="VEC3"),
    ],
)
def test_huge_counts_take_no_memory(make, tmp_path):
    writer = Writer()
    index = make(writer)
    writer.document["accessors"][index]["type"] = "VEC3"
    writer.mesh({"POSITION": index})
    path = writer.glb(tmp_path / "a.glb")
    tracemalloc.start()
    try:
        with pytest.raises(dw.FormatError, match="bytes decoded, too many for"):
            dw.load_gltf(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()


def test_many_uses_of_one_accessor_take_no_memory_out_of_proportion(tmp_path, monkeypatch):
    from dapplewood.io import gltf_container

    monkeypatch.setattr(gltf_container, "_BASE_BYTES", 1 << 16)
    writer = Writer()
    writer.mesh({"POSITION": np.ones((300, 3))}, targets=[{"POSITION": 0}] * 4)
    dw.load_gltf(writer.glb(tmp_path / "a.glb"))
    writer.document["meshes"][0]["primitives"][0]["targets"] *= 50
    writer.document["meshes"] = writer.document["meshes"] * 60
    refused(writer, tmp_path, "bytes decoded, too many for")


def test_draco_without_its_package_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "DracoPy", None)
    writer = draco_square(b"DRACO")
    refused(writer, tmp_path, r"DracoPy: pip install dapplewood\[mesh\]")


def draco_square(data: bytes) -> Writer:
    """A square whose accessors have no data of their own."""
    writer = Writer()
    for count, kind, code in ((4, "VEC3", 5126), (4, "VEC2", 5126), (6, "SCALAR", 5123)):
        writer.add("accessors", componentType=code, count=count, type=kind)
    draco = {
        "bufferView": writer.view(data),
        "attributes": {"POSITION": 1, "TEXCOORD_0": 0},  # ids in the Draco data
    }
    primitive = {
        "attributes": {"POSITION": 0, "TEXCOORD_0": 1},
        "indices": 2,
        "extensions": {"KHR_draco_mesh_compression": draco},
    }
    writer.add("meshes", primitives=[primitive])
    writer.document["extensionsRequired"] = ["KHR_draco_mesh_compression"]
    return writer


@needs_draco
def test_draco_primitives_are_decoded(tmp_path):
    import DracoPy

    faces = np.reshape(FACES, (2, 3)).astype(np.uint32)
    wide = UVS.astype(np.float64)  # what the encoder takes
    data = DracoPy.encode(SQUARE, faces, tex_coord=wide, quantization_bits=14)
    mesh = dw.load_gltf(draco_square(data).glb(tmp_path / "a.glb")).meshes[0]
    assert mesh.triangle_count == 2 and mesh.bounds.tolist() == [[0, 0, 0], [1, 1, 0]]
    assert np.allclose(mesh.uvs, mesh.positions[:, :2], atol=1e-3)  # as in SQUARE and UVS
    refused(draco_square(data[:30]), tmp_path, "Draco data are damaged")
    refused(draco_square(b"DRACO" + bytes(60)), tmp_path, "Draco data are damaged")


def meshopt_square(streams: dict[str, bytes], **changes) -> Writer:
    writer = Writer()
    writer.data += b"\0\0\0\0"
    kinds = {"POSITION": ("VEC3", 5126, 12, 4, "ATTRIBUTES"), "indices": ("SCALAR", 5123, 2, 6, "")}
    for name, data in streams.items():
        kind, code, stride, count, mode = kinds[name]
        packed = writer.view(data)
        inner = {
            **{k: writer.document["bufferViews"][packed][k] for k in ("byteOffset", "byteLength")},
            "buffer": 0, "byteStride": stride, "count": count, "mode": mode or "TRIANGLES",
            **changes.get(name, {}),
        }  # fmt: skip
        view = writer.add(
            "bufferViews", buffer=1, byteLength=stride * count,
            extensions={"EXT_meshopt_compression": inner},
        )  # fmt: skip
        writer.add("accessors", bufferView=view, componentType=code, count=count, type=kind)
    writer.add("meshes", primitives=[{"attributes": {"POSITION": 0}, "indices": 1}])
    fallback = {"EXT_meshopt_compression": {"fallback": True}}
    writer.document["buffers"] = [
        {"byteLength": len(writer.data)}, {"byteLength": 200, "extensions": fallback},
    ]  # fmt: skip
    writer.document["extensionsRequired"] = ["EXT_meshopt_compression"]
    return writer


def test_meshopt_without_its_package_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "meshoptimizer", None)
    writer = meshopt_square({"POSITION": bytes(40), "indices": bytes(20)})
    refused(writer, tmp_path, r"meshoptimizer: pip install dapplewood\[mesh\]")


@needs_meshopt
@pytest.mark.parametrize("mode", ["TRIANGLES", "INDICES"])
def test_meshopt_views_are_decoded(mode, tmp_path):
    import meshoptimizer

    faces = np.array(FACES, np.uint32)
    if mode == "TRIANGLES":
        indices = meshoptimizer.encode_index_buffer(faces)
    else:
        indices = meshoptimizer.encode_index_sequence(faces)
    streams = {"POSITION": meshoptimizer.encode_vertex_buffer(SQUARE), "indices": indices}
    changes = {"indices": {"mode": mode}}
    mesh = dw.load_gltf(meshopt_square(streams, **changes).glb(tmp_path / "a.glb")).meshes[0]
    found = {tuple(map(tuple, mesh.positions[face].tolist())) for face in mesh.indices}
    wanted = {tuple(map(tuple, SQUARE[face].tolist())) for face in np.reshape(FACES, (2, 3))}
    rotations = {(t[i], t[i - 2], t[i - 1]) for t in wanted for i in range(3)}
    assert found <= rotations and len(found) == 2
    cut = {**streams, "POSITION": streams["POSITION"][:9]}
    refused(meshopt_square(cut), tmp_path, "meshopt data are damaged")
    refused(meshopt_square(streams, POSITION={"mode": "X"}), tmp_path, "mode must be one of")
    wrong = {"POSITION": {"filter": "QUATERNION"}}
    refused(meshopt_square(streams, **wrong), tmp_path, "does not go with filter")
    refused(meshopt_square(streams, POSITION={"byteStride": 6}), tmp_path, "do not go with mode")


@needs_meshopt
def test_meshopt_exponents_are_decoded(tmp_path):
    import meshoptimizer

    # mantissa * 2^exponent, 24 and 8 bits.
    coded = ((np.uint32(0xFF) << 24) | (SQUARE * 2).astype(np.uint32)).astype(np.uint32)
    streams = {
        "POSITION": meshoptimizer.encode_vertex_buffer(coded),
        "indices": meshoptimizer.encode_index_buffer(np.array(FACES, np.uint32)),
    }
    writer = meshopt_square(streams, POSITION={"filter": "EXPONENTIAL"})
    mesh = dw.load_gltf(writer.glb(tmp_path / "a.glb")).meshes[0]
    assert mesh.bounds.tolist() == [[0, 0, 0], [1, 1, 0]]


NASTY = (
    -1, 0, 1, 3, 255, 65536, 2**31, 2**32, 2**63, 10**40, 0.5, 1e39, 1e308, True, None, "", "..",
    "data:,x", "http://a", "VEC3", "MAT4", "\0", [], {}, [0], [[]], [1e29] * 4, 5120, 5126,
)  # fmt: skip


def spots(value, found):
    """Every (container, key) of a JSON document."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(pairs):
        found.append((value, key))
        if isinstance(item, (dict, list)):
            spots(item, found)
    return found


def mutated(rng: random.Random, document: dict, data: bytes) -> bytes:
    if rng.random() < 0.7:
        document = json.loads(json.dumps(document))
        for _ in range(rng.choice((1, 1, 2))):
            owner, key = rng.choice(spots(document, []))
            if rng.random() < 0.2:
                del owner[key]
            else:
                owner[key] = json.loads(json.dumps(rng.choice(NASTY)))
        return glb_bytes(json.dumps(document).encode(), data)
    if rng.random() < 0.5:
        return glb_bytes(json.dumps(document).encode(), flipped(rng, data))
    return flipped(rng, glb_bytes(json.dumps(document).encode(), data))


def flipped(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8))):
        changed[rng.randrange(len(changed))] = rng.choice((0, 255, rng.randrange(256)))
    return bytes(changed[: rng.randrange(len(changed))] if rng.random() < 0.1 else changed)


def rich(tmp_path) -> Writer:
    """A model with nearly everything in it."""
    writer = textured(
        tmp_path, {"extensions": {"KHR_texture_transform": {"scale": [2, 2]}}}, alphaMode="MASK"
    )
    png = (tmp_path / "a leaf.png").read_bytes()
    writer.document["images"][0] = {"bufferView": writer.view(png)}
    primitive = writer.document["meshes"][0]["primitives"][0]
    primitive["targets"] = [{"POSITION": writer.accessor(SQUARE)}]
    primitive["attributes"] |= {
        "JOINTS_0": writer.accessor([[0, 1, 0, 0]] * 4, "u1"),
        "WEIGHTS_0": writer.accessor([[0.5, 0.5, 0, 0]] * 4),
        "COLOR_0": writer.accessor(np.full((4, 4), 0.5)),
    }
    writer.document["nodes"] += [{"children": [2]}, {"rotation": [0, 0, 0, 1]}]
    writer.document["nodes"][0]["skin"] = 0
    writer.document["scenes"][0]["nodes"].append(1)
    bind = np.tile(np.eye(4).reshape(1, 16), (2, 1))
    writer.add("skins", joints=[1, 2], inverseBindMatrices=writer.accessor(bind))
    times = writer.accessor([0, 1])
    samplers = [
        {"input": times, "output": writer.accessor(np.eye(4)[:2])},
        {"input": times, "output": writer.accessor([0, 1])},
    ]
    targets = [{"node": 2, "path": "rotation"}, {"node": 0, "path": "weights"}]
    channels = [{"sampler": i, "target": target} for i, target in enumerate(targets)]
    writer.add("animations", samplers=samplers, channels=channels)
    sparse = {
        "count": 1,
        "indices": {"bufferView": writer.view(b"\2"), "componentType": 5121},
        "values": {"bufferView": writer.view(np.ones(3, np.float32).tobytes())},
    }
    writer.document["accessors"][0]["sparse"] = sparse
    return writer


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_load_or_are_refused(seed, tmp_path):
    writer = rich(tmp_path)
    whole = dw.load_gltf(writer.glb(tmp_path / "whole.glb"))
    assert whole.meshes[0].colors is not None and len(whole.static_meshes()) == 1
    document = {**writer.document, "buffers": [{"byteLength": len(writer.data)}]}
    rng = random.Random(seed)
    path = tmp_path / "model.glb"
    outcomes = {"loaded": 0, "refused": 0}
    for _ in range(250):
        path.write_bytes(mutated(rng, document, bytes(writer.data)))
        try:
            model = dw.load_gltf(path)
            repr(model)
            outcomes["loaded"] += 1
        except (dw.FormatError, OSError):
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 20, outcomes


@pytest.mark.skipif(os.name != "posix", reason="pipes by name")
def test_a_pipe_is_no_buffer(tmp_path):
    os.mkfifo(tmp_path / "pipe.bin")
    path = square().gltf(tmp_path / "a.gltf", "pipe.bin")
    with pytest.raises((dw.FormatError, FileNotFoundError)):
        dw.load_gltf(path)
