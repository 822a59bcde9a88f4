# SPDX-License-Identifier: MIT
"""Real models and real leaves, drawn.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import os
from pathlib import Path

import dapplewood as dw
import numpy as np
import pytest
from helpers import TOLERANCE

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no real data; set DAPPLEWOOD_DATA to the folder that holds them"
)

LEAVES = (
    "leafset024/LeafSet024_1K-JPG_Color-LeafSet024_1K-JPG_Opacity.png",
    "eztree/ash_color.png",
    "eztree/oak_color.png",
    "panda/envir-reeds.png",
    "panda/oakleaf.png",
    "proton_scatter/t_leaves_1.png",
    "hterrain/grass_billboard.png",
)


def drawable() -> dict[str, dw.Model]:
    found = {}
    for path in sorted((DATA / "meshes").rglob("*.gl[tb]*")):
        try:
            model = dw.load_gltf(path)
            if sum(mesh.triangle_count for mesh, _ in model.static_meshes()):
                found[path.name] = model
        except (dw.FormatError, ValueError):
            continue
    return found


def box_of(model: dw.Model) -> np.ndarray:
    corners = []
    for mesh, matrix in model.static_meshes():
        grid = np.array(np.meshgrid(*mesh.bounds.T)).reshape(3, -1).T
        corners.append(grid @ matrix[:3, :3].T + matrix[:3, 3])
    joined = np.concatenate(corners)
    return np.stack([joined.min(axis=0), joined.max(axis=0)])


def test_every_model_shows_itself(vulkan_device):
    """Inside the box that its meshes say, and in more than one colour where the sun shines."""
    models = drawable()
    assert len(models) > 20
    unseen, flat = [], []
    with dw.Renderer((96, 96), device=vulkan_device) as renderer:
        for name, model in models.items():
            low, high = box_of(model)
            centre, reach = (low + high) / 2, max(float(np.linalg.norm(high - low)), 1e-3)
            scene = dw.Scene()
            scene.sky = None
            scene.sun.shadow_distance = 4 * reach
            scene.add(model)
            eye = centre + reach * np.array((0.6, 0.5, 0.9))
            camera = dw.Camera(eye, centre, near=0.01 * reach, far=4 * reach)
            frame = renderer.render(scene, camera)
            seen = frame.ids > 0
            if seen.sum() < 20:
                unseen.append(name)
                continue
            assert np.isfinite(frame.depth[seen]).all(), name
            nearest = np.linalg.norm(eye - centre) - reach
            assert frame.depth[seen].min() >= nearest - 1e-3 * reach, name
            if len(np.unique(frame.color[seen], axis=0)) < 2:
                flat.append(name)
    # a lone triangle in the file's first morph pose, points, cards seen from the side
    assert len(unseen) <= 3, unseen
    assert len(flat) <= 6, flat


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAVES)
def test_real_leaves_keep_their_area(vulkan_device, name):
    """As a card that covers few pixels, by the chain that keeps coverage and by averaged alpha;
    the usual one loses or gains."""
    path = DATA / "foliage" / name
    if not path.is_file():
        pytest.skip(f"{name} is not among the data")
    image = dw.read_image(path).array
    texture = dw.MaterialTexture.from_image(image, wrap="clamp")
    card = dw.Mesh(
        np.array([[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        uvs=np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32),
        material=dw.Material(
            base_color_texture=texture, alpha_mode="mask", double_sided=True
        ),
    )
    curves = dw.coverage_against_distance(card, (5, 20, 60, 120), device=vulkan_device)
    missed = dict(zip(curves.cutouts, np.abs(curves.points()).max(axis=1), strict=True))
    assert missed["test"] <= TOLERANCE["leaf_area"]
    assert max(missed["a2c"], missed["dither"]) <= TOLERANCE["leaf_area_averaged"]
    assert missed["naive"] > max(2.0, 1.5 * missed["test"])
