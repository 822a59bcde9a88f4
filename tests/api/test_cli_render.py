# SPDX-License-Identifier: MIT
"""``dapplewood render``: scenes, models, strips, and what it refuses."""

from __future__ import annotations

import base64
import json
import os

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.cli import main
from dapplewood.io import read_image
from dapplewood.staging import bounds_of, staged

SCENE = """
import dapplewood as dw
scene = dw.Scene()
quad = dw.Mesh([[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]], [[0, 1, 2], [0, 2, 3]],
               material=dw.Material(base_color=(0.5, 0, 0, 1), unlit=True))
there = scene.add(quad)
camera = dw.Camera((0, 1, 6), (0, 1, 0), fov_y=0.6)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, vulkan_device):
    """A folder with a scene, on a machine that can draw it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAPPLEWOOD_DEVICE", raising=False)
    (tmp_path / "scene.py").write_text(SCENE)
    return tmp_path


def model_text(*, moves: bool = False, mode: int = 4) -> str:
    """A glTF of one triangle, a metre wide and two high, that an animation may carry along x."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0]], "<f4").tobytes()
    times = np.array([0, 1], "<f4").tobytes()
    places = np.array([[0, 0, 0], [3, 0, 0]], "<f4").tobytes()
    data = corners + times + places
    spans = [(0, 36), (36, 8), (44, 24)]
    document = {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "materials": [{"doubleSided": True}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0}, "mode": mode, "material": 0}]}],
        "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64,"
                     + base64.b64encode(data).decode()}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in spans],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 2, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0],
             "max": [1]},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}],
    }  # fmt: skip
    if moves:
        document["animations"] = [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
            "samplers": [{"input": 1, "output": 2}]}]  # fmt: skip
    return json.dumps(document)


def red(image: np.ndarray) -> np.ndarray:
    return (image[..., 0] > 150) & (image[..., 1] < 60)


def test_a_scene_becomes_a_picture(folder, capsys):
    assert main(["render", "scene.py", "--size", "96x64"]) == 0
    image = read_image("scene.png").array
    assert image.shape == (64, 96, 4) and (image[..., 3] == 255).all()
    # 2 m of 2 * 6 * tan(0.3) = 3.71 m
    assert red(image).sum() == pytest.approx((2 / 3.712 * 64) ** 2, rel=0.08)
    text = capsys.readouterr().out
    assert "scene.py -> scene.png" in text and "2 triangles in 2 draw calls" in text


def test_json_tells_each_frame(folder, capsys):
    words = ["render", "scene.py", "--size", "32x32", "--time", "0:2:3", "--json", "-o", "a/b.png"]
    assert main(words) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "dapplewood.render" and data["out"] == os.path.join("a", "b.png")
    assert [frame["time"] for frame in data["frames"]] == [0.0, 1.0, 2.0]
    assert data["frames"][0]["triangles"] == 2 and data["width"] == 96
    assert read_image("a/b.png").array.shape == (32, 96, 4)


def test_what_a_scene_prints_is_no_result(folder, capsys):
    text = SCENE + "\nprint('made')\ndef update(time):\n    print('at', time)\n"
    (folder / "loud.py").write_text(text)
    assert main(["render", "loud.py", "--size", "8x8", "--json"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["source"] == "loud.py"
    assert "made" in told.err and "at 0.0" in told.err


def test_update_moves_the_scene_between_pictures(folder):
    text = SCENE + "\ndef update(time):\n    m = __import__('numpy').eye(4)\n"
    text += "    m[0, 3] = time\n    there.move(m)\n"
    (folder / "moving.py").write_text(text)
    assert main(["render", "moving.py", "--size", "64x64", "--time", "0:0.5:2"]) == 0
    image = read_image("moving.png").array
    first, second = (np.flatnonzero(red(half).any(axis=0)) for half in np.split(image, 2, axis=1))
    assert second.mean() - first.mean() == pytest.approx(0.5 / 3.712 * 64, abs=1.1)


def test_build_and_a_module_beside_it(folder):
    (folder / "parts.py").write_text(SCENE)
    (folder / "made.py").write_text(
        "import parts\ndef build():\n    return parts.scene, parts.camera\n"
    )
    (folder / "other").mkdir()
    out = folder / "other" / "made.png"
    assert main(["render", "made.py", "--size", "32x32", "-o", str(out)]) == 0
    assert red(read_image(out).array).any()


def test_a_camera_of_the_command_line_comes_first(folder):
    words = ["render", "scene.py", "--size", "64x64", "--camera=0,1,-6", "--target", "0,1,0"]
    assert main(words) == 0
    assert not red(read_image("scene.png").array).any()  # one-sided, from behind


@pytest.mark.parametrize("more", [["--cutout", "test"], ["--cutout", "dither", "--temporal", "2"]])
def test_ways_to_draw(folder, more):
    assert main(["render", "scene.py", "--size", "32x32", *more]) == 0


def test_a_model_stands_on_a_ground(folder, capsys):
    (folder / "leaf.gltf").write_text(model_text())
    assert main(["render", "leaf.gltf", "--size", "64x64", "--samples", "1"]) == 0
    assert (read_image("leaf.png").array[..., 3] == 255).all()
    assert main(["render", "leaf.gltf", "--size", "64x64", "--samples", "1", "--plain"]) == 0
    alpha = read_image("leaf.png").array[..., 3]
    assert 200 < (alpha > 0).sum() < 64 * 64 // 2
    rows, columns = np.nonzero(alpha)
    # in the middle, with room on all sides
    assert 20 < 0.5 * (rows.min() + rows.max()) < 44 and rows.min() > 1 and rows.max() < 62
    assert columns.min() > 1 and columns.max() < 62


def test_an_animated_model_makes_a_strip_in_one_view(folder):
    (folder / "walk.gltf").write_text(model_text(moves=True))
    words = ["render", "walk.gltf", "--size", "96x48", "--samples", "1", "--plain"]
    assert main([*words, "--time", "0:1:2"]) == 0
    halves = np.split(read_image("walk.png").array[..., 3], 2, axis=1)
    first, second = (np.flatnonzero((half > 0).any(axis=0)) for half in halves)
    assert first.max() < second.min()


def test_staged_models_are_framed_whatever_their_size(tmp_path, vulkan_device):
    path = tmp_path / "leaf.gltf"
    path.write_text(model_text())
    model = dw.load_gltf(path)
    assert bounds_of(model).tolist() == [[0, 0, 0], [1, 2, 0]]
    for aspect in (0.4, 1.0, 3.0):
        scene, camera = staged(model, aspect=aspect, ground=False)
        corners = np.array([[x, y, 0, 1.0] for x in (0, 1) for y in (0, 2)])
        clip = corners @ camera.view_projection(aspect).T
        reach = np.abs(clip[:, :2] / clip[:, 3:]).max()
        assert 0.6 < reach < 1.0


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = 1", "wanted `scene`, a dapplewood.Scene"),
        ("import dapplewood as dw\nscene = dw.Scene()", "wanted `camera`"),
        ("scene = 3", "got int"),
        ("a = 1\nb = nothing\n", "line 2: NameError"),
        ("def build(:\n", "line 1: SyntaxError"),
        ("def build():\n    return 1 / 0\n", "line 2: ZeroDivisionError"),
        ("raise SystemExit(7)", "line 1: SystemExit: 7"),
        ("import dapplewood as dw\ndw.Camera((0, 0, 0), (0, 0, 0))", "target must differ"),
    ],
)
def test_wrong_programs_are_told_with_their_line(folder, capsys, text, wanted):
    (folder / "wrong.py").write_text(text)
    assert main(["render", "wrong.py"]) == 1
    assert "wrong.py" in (said := capsys.readouterr().err) and wanted in said
    assert not (folder / "wrong.png").exists()


def test_bad_files_are_code_1(folder, capsys):
    (folder / "broken.glb").write_bytes(b"glTF")
    (folder / "points.gltf").write_text(model_text(mode=0))
    for name in ("broken.glb", "points.gltf", "missing.glb", "missing.py"):
        assert main(["render", name]) == 1, name
        assert name in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["scene.txt"], "takes a scene, .py, or a model"),
        (["scene.py", "--size", "64"], "WIDTHxHEIGHT"),
        (["scene.py", "--size", "0x9"], "WIDTHxHEIGHT"),
        (["scene.py", "--out", "a.jpg"], "--out must end in"),
        (["scene.py", "--camera", "1,2,3"], "go together"),
        (["scene.py", "--camera", "1,2", "--target", "0,0,0"], "X,Y,Z"),
        (["scene.py", "--camera", "1,2,nan", "--target", "0,0,0"], "X,Y,Z"),
        (["scene.py", "--camera", "1,2,3", "--target", "1,2,3"], "must differ"),
        (["scene.py", "--time", "2:1:3"], "FIRST:LAST:COUNT"),
        (["scene.py", "--time", "0:1:1000"], "at most 256"),
        (["scene.py", "--samples", "3"], "invalid choice"),
        (["scene.py", "--temporal", "257"], "at most 256"),
        (["scene.py", "--fov", "4"], "inside (0, pi)"),
        (["scene.py", "--plain"], "scene.sky = None"),
        (["leaf.gltf", "--time", "0:1:2"], "no animation"),
    ],
)
def test_wrong_usage_is_code_2(folder, capsys, words, text):
    (folder / "leaf.gltf").write_text(model_text())
    before = set(folder.iterdir())
    assert main(["render", *words]) == 2
    assert text in capsys.readouterr().err and set(folder.iterdir()) == before


def test_an_empty_choice_of_device_is_none(folder, monkeypatch):
    monkeypatch.setenv("DAPPLEWOOD_DEVICE", "")
    assert main(["render", "scene.py", "--size", "8x8"]) == 0


@pytest.mark.parametrize("which", ["cpu", "name:no such device", "99"])
def test_a_device_that_cannot_draw_is_code_3(folder, capsys, which):
    assert main(["render", "scene.py", "--device", which]) == 3
    assert "device" in capsys.readouterr().err


def test_too_large_a_picture_is_told(folder, capsys):
    assert main(["render", "scene.py", "--size", "100000x1"]) == 1
    assert "100000" in capsys.readouterr().err
