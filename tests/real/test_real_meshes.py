# SPDX-License-Identifier: MIT
"""Every model of the real data is read, or refused with its reason.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import importlib.util
import os
import random
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "meshes"

REFUSED = {
    "BoxWithInfinites.glb": r"accessors\[2\]: element 0 holds NaN or infinity: \[-inf",
    "IndexOutOfRange.gltf": r"primitives\[0\]: index 0 is 255, but there are 24 vertices",
    "NoScene.gltf": "scene is 0, but scenes has 0 items",
    "RecursiveNodes.gltf": r"nodes\[0\]: is its own ancestor",
    "empty_file.glb": "the file is empty",
    "infinite_transform.gltf": r"nodes\[0\]: translation\[0\] must be finite",
    "invalid_magic.glb": "neither GLB nor JSON",
    "length_mismatch.glb": "cut short: the header says 49 bytes, the file has 48",
    "morph_unequal_targets_count.gltf": "different numbers of morph targets",
    "node_loop.gltf": r"nodes\[0\]: is its own ancestor",
    "position_accessor_invalid_format.gltf": "type must be VEC3 here, got 'VEC4'",
    "truncated_chunk_data.glb": "cut short: the header says 48 bytes, the file has 47",
    "unequal_joints.gltf": "JOINTS_n and WEIGHTS_n must come in pairs",
}
DRACO = {"DenseSphere.glb", "rock1.glb"}

# Triangles, materials, skins, animations, meshes placed in the shown scene.
MODELS = {
    "CesiumMan/glTF-Binary/CesiumMan.glb": (4672, 1, 1, 1, 1),
    "Fox/Fox.glb": (576, 1, 1, 3, 1),
    "godot/enemy.glb": (818, 3, 1, 4, 3),
    "godot/mob.glb": (2020, 3, 0, 0, 3),
    "kaykit/Knight.glb": (6952, 1, 1, 76, 15),
    "kenney_city/grass-trees.glb": (380, 1, 0, 0, 1),
    "kenney_fps/enemy-flying.glb": (544, 1, 0, 0, 4),
    "kenney_platformer/character.glb": (550, 1, 0, 4, 6),
    "kenney_platformer/grass.glb": (72, 1, 0, 0, 1),
    "morph/AnimatedMorphCube/glTF/AnimatedMorphCube.gltf": (12, 1, 0, 1, 1),
    "morph/MorphStressTest/glTF/MorphStressTest.gltf": (2412, 2, 0, 3, 2),
    "morph/SimpleMorph/glTF/SimpleMorph.gltf": (1, 0, 0, 1, 1),
    "nasty/magnum/mesh-invalid-empty-primitives.gltf": (0, 0, 0, 0, 0),
    "nasty/magnum/mesh-morph-target-attributes.gltf": (1, 0, 0, 0, 0),
    "nasty/magnum/mesh-multiple-primitives.gltf": (0, 4, 0, 0, 0),
    "nasty/magnum/mesh-no-indices-no-vertices-no-buffer-uri.gltf": (0, 0, 0, 0, 0),
    "nasty/magnum/mesh-primitives-types.gltf": (10, 0, 0, 0, 0),
    "nasty/magnum/mesh-sparse.gltf": (8, 0, 0, 0, 0),
    "nasty/magnum/skin.glb": (0, 0, 2, 0, 0),
    "nasty/primitive_mode/Mesh_PrimitiveMode_00.gltf": (0, 0, 0, 0, 0),
    "nasty/primitive_mode/Mesh_PrimitiveMode_01.gltf": (0, 0, 0, 0, 0),
    "nasty/primitive_mode/Mesh_PrimitiveMode_02.gltf": (0, 0, 0, 0, 0),
    "nasty/primitive_mode/Mesh_PrimitiveMode_03.gltf": (0, 0, 0, 0, 0),
    "nasty/primitive_mode/Mesh_PrimitiveMode_04.gltf": (2, 0, 0, 0, 1),
    "nasty/primitive_mode/Mesh_PrimitiveMode_05.gltf": (2, 0, 0, 0, 1),
    "nasty/primitive_mode/Mesh_PrimitiveMode_06.gltf": (2, 0, 0, 0, 1),
    "nasty/primitive_mode/Mesh_PrimitiveMode_07.gltf": (0, 0, 0, 0, 0),
    "nasty/primitive_mode/Mesh_PrimitiveMode_08.gltf": (0, 0, 0, 0, 0),
    "nasty/primitive_mode/Mesh_PrimitiveMode_09.gltf": (0, 0, 0, 0, 0),
    "nasty/quad_skin.glb": (2, 2, 1, 0, 1),
    "nasty/quantized/texcoord-flip-normalized-byte-material.glb": (0, 1, 0, 0, 0),
    "nasty/validator/valid.gltf": (1, 0, 0, 0, 0),
    "quaternius/Bunny.gltf": (8284, 6, 1, 14, 6),
    "raylib/greenman.glb": (356, 1, 1, 4, 1),
    "rigid/2CylinderEngine/2CylinderEngine.glb": (75730, 34, 0, 0, 115),
    "rigid/balloon/scene.gltf": (35698, 37, 0, 0, 37),
    "rigid/cat.glb": (4622, 1, 0, 0, 1),
    "rigid/quantized/DenseSphere.glb": (30720, 0, 0, 0, 1),
    "rigid/quantized/many-cubes.gltf": (6012, 0, 0, 0, 501),
    "rigid/truck_town/town_model.gltf": (60930, 9, 0, 0, 60),
    "trees/bush.glb": (42, 0, 0, 0, 1),
    "trees/eztree/flower_blue.glb": (788, 7, 0, 0, 7),
    "trees/eztree/grass.glb": (6, 1, 0, 0, 1),
    "trees/eztree/rock1.glb": (1756, 1, 0, 0, 1),
    "trees/grass.glb": (10, 0, 0, 0, 1),
    "trees/tree.glb": (4538, 0, 0, 0, 2),
}

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no real meshes; set DAPPLEWOOD_DATA to the folder of the data"
)


def paths() -> list[str]:
    found = (p for p in DATA.rglob("*") if p.suffix in (".glb", ".gltf") and p.is_file())
    return sorted(p.relative_to(DATA).as_posix() for p in found)


@pytest.mark.parametrize("name", paths())
def test_each_file_is_read_or_refused(name):
    path = DATA / name
    if path.name in REFUSED:
        with pytest.raises(dw.FormatError, match=REFUSED[path.name]) as caught:
            dw.load_gltf(path)
        assert str(path) in str(caught.value)
        return
    if path.name in DRACO and importlib.util.find_spec("DracoPy") is None:
        with pytest.raises(dw.FormatError, match=r"pip install dapplewood\[mesh\]"):
            dw.load_gltf(path)
        return
    model = dw.load_gltf(path)
    placed = model.static_meshes()
    counts = len(model.materials), len(model.skins), len(model.animations), len(placed)
    assert (model.triangle_count, *counts) == MODELS[name]
    for mesh, matrix in placed:
        assert np.isfinite(mesh.positions).all() and np.isfinite(matrix).all()
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-5)


def test_every_file_has_its_line():
    known = {*MODELS, *(name for name in paths() if Path(name).name in REFUSED)}
    assert set(paths()) == known


@pytest.mark.parametrize("name", [name for name, row in MODELS.items() if row[3]])
def test_animations_move_what_they_should(name):
    """At its own key times a model is finite, and some vertex moves between them."""
    model = dw.load_gltf(DATA / name)
    moved = 0.0
    for animation in model.animations[:6]:
        shapes = []
        for time in np.linspace(0.0, animation.duration, 3):
            placed = model.static_meshes(pose=model.pose(animation, time))
            points = [mesh.positions[:50] @ m[:3, :3].T + m[:3, 3] for mesh, m in placed]
            shapes.append(np.concatenate(points))
        moved = max(moved, *(float(np.abs(shape - shapes[0]).max()) for shape in shapes[1:]))
    size = float(np.ptp(model.bounds, axis=0).max())
    assert 1e-3 * size < moved < 3 * size


@pytest.mark.parametrize("name", ["CesiumMan/glTF-Binary/CesiumMan.glb", "quaternius/Bunny.gltf"])
def test_figures_stand_upright_at_rest(name):
    low, high = dw.load_gltf(DATA / name).bounds
    size = high - low
    assert size[1] == size.max() and abs(low[1]) < 0.06 * size[1]


@pytest.mark.parametrize("seed", range(2))
def test_flipped_bytes_of_real_files_are_read_or_refused(seed, tmp_path):
    rng = random.Random(seed)
    files = (DATA / name for name in paths() if name.endswith(".glb"))
    small = [path for path in files if 100 < path.stat().st_size < 70_000]
    outcomes = {"loaded": 0, "refused": 0}
    for _ in range(150):
        source = rng.choice(small)
        data = bytearray(source.read_bytes())
        for _ in range(rng.choice((1, 2, 6))):
            data[rng.randrange(len(data))] = rng.choice((0, 48, 57, 255, rng.randrange(256)))
        path = tmp_path / source.name
        path.write_bytes(data)
        try:
            dw.load_gltf(path)
            outcomes["loaded"] += 1
        except (dw.FormatError, OSError):
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 5, outcomes
