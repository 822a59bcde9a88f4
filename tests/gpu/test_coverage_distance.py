# SPDX-License-Identifier: MIT
"""Coverage against distance on rendered frames: flat where it must be, and not where it cannot."""

from __future__ import annotations

import json

import numpy as np
import pytest
from dapplewood import (
    Forest,
    Material,
    MaterialTexture,
    Mesh,
    TileGrid,
    bake_atlas,
    coverage_against_distance,
)
from dapplewood.coverage_distance import DISTANCES

FAR = (5.0, 40.0, 90.0)


def sparse_card(device, *, layers: int = 1) -> Mesh:
    """A metre of thin blades, and as many more behind it, a hand's breadth aside each."""
    size = 256
    rng = np.random.default_rng(7)
    x = np.arange(size)
    alpha = np.zeros((size, size))
    for at in rng.uniform(8, size - 8, 22):
        lean = np.arange(size)[:, None] * rng.uniform(-0.15, 0.15)
        alpha = np.maximum(alpha, np.clip(2.5 - np.abs(x - at - lean), 0.0, 1.0))
    image = np.full((size, size, 4), 120, np.uint8)
    image[..., 3] = np.rint(255 * alpha)
    baked = bake_atlas(image, tiles=TileGrid(1, 1), device=device)
    material = Material(base_color_texture=MaterialTexture.from_atlas(baked), alpha_mode="mask",
                        double_sided=True)
    quad = np.array([[-0.5, 0, 0], [0.5, 0, 0], [0.5, 1, 0], [-0.5, 1, 0]], np.float32)
    positions = np.concatenate([quad + (0.137 * i, 0.071 * i, -0.02 * i) for i in range(layers)])
    uvs = np.tile(np.array([[0, 1], [1, 1], [1, 0], [0, 0]], np.float32), (layers, 1))
    corners = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
    return Mesh(positions.astype(np.float32),
                np.concatenate([corners + 4 * i for i in range(layers)]), uvs=uvs,
                material=material)  # fmt: skip


@pytest.fixture(scope="module")
def curves(vulkan_device, native_device):
    return coverage_against_distance(
        sparse_card(native_device), FAR, pixels=1 << 18, temporal=4, device=vulkan_device
    )


def test_kept_coverage_is_flat_on_rendered_pixels(curves):
    curves.assert_within(4.0)
    curves.assert_within(4.0, reference="true")
    curves.assert_within(2.0, cutouts=["a2c", "dither"], reference="true")
    assert (curves.coverage_error[:, 1:] < 0.03).all()
    assert (curves.coverage_error[:, 1:] > 0).all()


def test_naive_chain_fails_where_the_kept_one_passes(curves):
    with pytest.raises(AssertionError, match=r"naive: -\d+\.\d\d at 90 m"):
        curves.assert_within(4.0, cutouts=["naive"])
    assert curves.coverage[0, 2] < 0.8


def test_silhouette_is_that_of_the_texture(curves, native_device):
    alpha = sparse_card(native_device).material.base_color_texture.levels[0][..., 3]
    passing = (alpha >= 128).mean()
    # Seen from -37.5 to 37.5 degrees in four steps.
    seen = np.cos(np.radians([37.5, 12.5, 12.5, 37.5])).mean()
    assert curves.silhouette == pytest.approx(passing * seen, rel=0.03)


def test_cards_behind_one_another_cover_apart(vulkan_device, native_device):
    """Cards that chose the same samples would cover a third less together."""
    found = coverage_against_distance(
        sparse_card(native_device, layers=4), (5.0, 60.0), cutouts=("a2c", "dither"),
        pixels=1 << 16, temporal=4, device=vulkan_device,
    )  # fmt: skip
    found.assert_within(3.5, reference="true")


def test_forest_fades_as_the_smooth_step_says(vulkan_device, native_device):
    mesh = sparse_card(native_device)
    solid = Mesh(mesh.positions, mesh.indices, material=Material(double_sided=True))
    forest = Forest([solid, solid], distances=(30,), fade=(60, 100), pattern="bayer8")
    found = coverage_against_distance(
        forest, (5.0, 50.0, 75.0, 90.0), cutouts=("test",), pixels=1 << 18, directions=2,
        device=vulkan_device,
    )  # fmt: skip
    assert found.switches == (30.0,) and found.fade == (60.0, 100.0)
    assert 0.05 < found.expected[3] < found.expected[2] < 0.8
    # A tree a few pixels wide falls on few of the 64 ranks.
    found.assert_within(3.0, cutouts=["test"])
    rest = coverage_against_distance(forest, cutouts=("test",), pixels=1 << 12, directions=1,
                                     device=vulkan_device).distances
    assert set(DISTANCES[:8]) <= set(rest.tolist()) and 60 < rest.max() < 100


def test_result_tells_itself(curves):
    data = json.loads(curves.to_json())
    assert data["schema_version"] == 1 and set(data["curves"]) == set(curves.cutouts)
    assert data["curves"]["test"]["coverage"][0] == 1.0
    lines = curves.table().splitlines()
    assert len(lines) == 2 + len(FAR) and "90.0" in lines[-1]
    assert "<table>" in curves._repr_html_() and "naive" in repr(curves)


def test_figure_shows_every_curve(curves, tmp_path):
    pytest.importorskip("matplotlib")
    axes = curves.plot().axes[0]
    assert len(axes.get_lines()) == 1 + len(curves.cutouts)
    curves.save(tmp_path / "curves.png")
    curves.save(tmp_path / "curves.json")
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    json.loads((tmp_path / "curves.json").read_text())


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"distances": [5, 5]}, "must rise"),
        ({"distances": [0, 5]}, "positive finite"),
        ({"distances": []}, "positive finite"),
        ({"cutouts": ("test", "test")}, "each once"),
        ({"cutouts": ("best",)}, "naive, test, a2c, dither"),
        ({"fov_y": 4}, "below pi"),
        ({"directions": 0}, "directions must be 1"),
    ],
)
def test_bad_arguments_are_named(changes, text, vulkan_device, native_device):
    with pytest.raises(ValueError, match=text):
        coverage_against_distance(
            sparse_card(native_device), **{"device": vulkan_device, **changes}
        )


def test_wrong_things_are_refused(curves, vulkan_device):
    with pytest.raises(TypeError, match="Forest"):
        coverage_against_distance([[1]], device=vulkan_device)
    with pytest.raises(ValueError, match="cutouts must be some of"):
        curves.assert_within(1, cutouts=["msaa"])
    with pytest.raises(ValueError, match="near"):
        curves.points("far")
