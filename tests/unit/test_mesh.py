# SPDX-License-Identifier: MIT
"""Meshes and materials: what they check, normals, bounds, moving and merging."""

from __future__ import annotations

import pickle
from fractions import Fraction

import dapplewood as dw
import numpy as np
import pytest

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
FACES = np.array([[0, 1, 2], [0, 2, 3]])
UVS = SQUARE[:, :2]
CORNER = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
CORNER_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def texture(**options) -> dw.MaterialTexture:
    return dw.MaterialTexture((np.zeros((4, 8, 4), np.uint8),), **options)


def test_arrays_are_copied_checked_and_read_only():
    positions = SQUARE.copy()
    mesh = dw.Mesh(positions, FACES.reshape(-1), uvs=UVS, colors=np.ones((4, 3)))
    positions[:] = 7
    assert np.array_equal(mesh.positions, SQUARE) and mesh.positions.dtype == np.float32
    assert mesh.indices.dtype == np.uint32 and mesh.indices.shape == (2, 3)
    assert mesh.colors.dtype == np.uint8 and (mesh.colors == 255).all()
    for array in (mesh.positions, mesh.indices, mesh.normals, mesh.uvs, mesh.colors, mesh.bounds):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match=r"mesh.replace\(name=...\)"):
        mesh.name = "other"
    assert mesh.replace(name="other").name == "other" and mesh.name == ""
    assert mesh.triangle_count == 2 and mesh.vertex_count == 4
    assert isinstance(mesh.material, dw.Material)
    soup = dw.Mesh(SQUARE[[0, 1, 2]])
    assert soup.indices.tolist() == [[0, 1, 2]]


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"positions": np.zeros((0, 3))}, ValueError, "positions is empty.*is None in"),
        ({"indices": np.zeros((0, 3), int)}, ValueError, "indices is empty.*is None in"),
        ({"positions": np.zeros((4, 2))}, ValueError, r"positions must be \(V, 3\), got \(4, 2\)"),
        ({"positions": [["a"] * 3]}, TypeError, "positions must hold numbers"),
        ({"positions": np.full((4, 3), np.nan)}, ValueError, r"positions holds 12 .* \[0, 0\]"),
        ({"positions": SQUARE * np.float64(1e39)}, ValueError, "holds 4 .* beyond float32"),
        ({"positions": SQUARE * 1e20}, ValueError, "within 1e.18 m"),
        ({"positions": SQUARE, "indices": None}, ValueError, "multiple of 3, got 4"),
        ({"indices": FACES + 1}, ValueError, r"0\.\.3.*triangle 1 has \[1, 3, 4\]"),
        ({"indices": FACES - 1}, ValueError, r"triangle 0 has \[-1, 0, 1\]"),
        ({"indices": FACES * 1.0}, TypeError, "integer dtype, got float64"),
        ({"indices": [0, 1]}, ValueError, r"\(T, 3\) or \(3 T,\), got \(2,\)"),
        ({"indices": [[0, 1, 2**40]]}, ValueError, "triangle 0 has"),
        ({"normals": SQUARE[:3]}, ValueError, r"normals must be \(4, 3\), got \(3, 3\)"),
        ({"normals": "hard"}, ValueError, '"smooth" or "flat"'),
        ({"uvs": SQUARE}, ValueError, r"uvs must be \(4, 2\)"),
        ({"uvs": np.full((4, 2), -np.inf)}, ValueError, "uvs holds"),
        ({"colors": SQUARE * 2}, ValueError, r"\[0, 1\], got 0 to 2"),
        ({"colors": np.zeros((4, 4), np.int32)}, TypeError, "uint8, uint16 or float"),
        ({"joints": np.zeros((4, 4), int)}, ValueError, "go together"),
        ({"joints": np.zeros((4, 3), int), "weights": np.ones((4, 3))}, ValueError, r"\(4, 4 k\)"),
        ({"joints": np.full((4, 4), 70000), "weights": np.ones((4, 4))}, ValueError, "65535"),
        ({"joints": np.zeros((4, 4), int), "weights": -np.ones((4, 4))}, ValueError, "0 or more"),
        ({"targets": np.zeros((2, 3, 3))}, ValueError, r"targets must be \(M, 4, 3\)"),
        ({"target_names": ["open"]}, ValueError, "target_names needs targets"),
        ({"targets": np.zeros((1, 4, 3)), "target_names": "ab"}, ValueError, "1 names, got 2"),
        ({"targets": np.zeros((1, 4, 3)), "morph_weights": [1, 2]}, ValueError, r"\(1,\)"),
        ({"material": "bark"}, TypeError, "material must be a Material, got str"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        dw.Mesh(**{"positions": SQUARE, "indices": FACES, **arguments})


def test_normals_are_weighted_by_area():
    # Two triangles on one edge, at right angles: areas 1/2 and 3/2.
    positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, -3]]
    mesh = dw.Mesh(positions, [[0, 1, 2], [0, 1, 3]])
    shared = np.array([0, 3, 1]) / np.sqrt(10)
    assert np.allclose(mesh.normals, [shared, shared, [0, 0, 1], [0, 1, 0]], atol=1e-7)
    assert not np.allclose(mesh.normals[0], np.array([0, 1, 1]) / np.sqrt(2), atol=0.1)


def test_flat_normals_give_each_triangle_its_own_vertices():
    targets = np.arange(12.0).reshape(1, 4, 3)
    mesh = dw.Mesh(
        CORNER, CORNER_FACES, normals="flat", uvs=CORNER[:, :2], targets=targets, colors=CORNER
    )
    assert mesh.vertex_count == 12 and mesh.indices.reshape(-1).tolist() == list(range(12))
    assert np.array_equal(mesh.positions, CORNER[CORNER_FACES.reshape(-1)])
    assert np.array_equal(mesh.targets[0], targets[0][CORNER_FACES.reshape(-1)])
    assert np.allclose(mesh.normals[:3], [0, 0, -1])
    assert np.allclose(mesh.normals[9:], 3**-0.5)


def test_given_normals_are_brought_to_length_one_and_lacking_ones_computed():
    normals = np.array([[0, 0, 5], [0, 0, 0], [0, 3, 4], [1e-30, 0, 0]], np.float32)
    mesh = dw.Mesh(SQUARE, FACES, normals=normals)
    assert np.allclose(mesh.normals, [[0, 0, 1], [0, 0, 1], [0, 0.6, 0.8], [1, 0, 0]])
    line = dw.Mesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]])
    assert (line.normals == [0, 1, 0]).all()


def test_bounds_leave_unused_vertices_out():
    mesh = dw.Mesh([*SQUARE, [100, 100, 100]], FACES)
    assert mesh.bounds.tolist() == [[0, 0, 0], [1, 1, 0]]
    assert mesh.bounding_sphere[3] == pytest.approx(0.5**0.5, rel=1e-3)


def cloud(kind: str, rng) -> tuple[np.ndarray, float]:
    """Points, and the radius of their least sphere or an upper bound of it."""
    if kind == "sphere":
        points = rng.normal(size=(900, 3))
        return 5 + points / np.linalg.norm(points, axis=1)[:, None], 1.0
    if kind == "far":
        return 1e6 + rng.uniform(-1, 1, (300, 3)), 3**0.5
    if kind == "line":
        return np.linspace([-3, 1, 0], [3, 1, 0], 30), 3.0
    if kind == "point":
        return np.full((3, 3), 0.1), 0.0
    # A regular tetrahedron: its box centre is not the centre of its sphere.
    return np.tile([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 0]], (3, 1)), 3**0.5


@pytest.mark.parametrize("kind", ["sphere", "far", "line", "point", "tetrahedron"])
def test_the_bounding_sphere_holds_every_vertex_and_is_tight(kind, rng):
    points, radius = cloud(kind, rng)
    mesh = dw.Mesh(points)
    *center, r = (Fraction(float(value)) for value in mesh.bounding_sphere)
    for point in mesh.positions[:300]:
        assert sum((Fraction(float(p)) - c) ** 2 for p, c in zip(point, center)) <= r * r
    rounding = 0.1 if kind == "far" else 1e-6
    assert float(r) <= radius * 1.02 + rounding


def test_transformed_moves_everything_and_keeps_front_faces_in_front():
    mesh = dw.Mesh(
        CORNER, CORNER_FACES, normals="flat", tangents=None, targets=np.ones((1, 4, 3)), name="a"
    )
    matrix = np.array([[-2.0, 0, 0, 1], [0, 0, 1, 2], [0, 0.5, 0.5, 3], [0, 0, 0, 1]])
    moved = mesh.transformed(matrix)
    assert np.allclose(moved.positions, mesh.positions @ matrix[:3, :3].T + [1, 2, 3])
    again = dw.Mesh(moved.positions, moved.indices)
    assert np.allclose(moved.normals, again.normals, atol=1e-6)
    assert np.allclose(moved.targets, np.ones(3) @ matrix[:3, :3].T)
    assert moved.name == "a" and np.linalg.det(matrix) > 0
    mirror = np.diag([-1.0, 1, 1, 1])
    mirrored = mesh.transformed(mirror)
    again = dw.Mesh(mirrored.positions, mirrored.indices)
    assert np.allclose(mirrored.normals, again.normals, atol=1e-6)
    assert not np.array_equal(mirrored.indices, mesh.indices)


def test_transformed_keeps_the_bitangent_of_a_mirrored_mesh():
    tangents = np.tile([1.0, 0, 0, 1], (4, 1))
    mesh = dw.Mesh(SQUARE, FACES, tangents=tangents)
    mirrored = mesh.transformed(np.diag([-1.0, 1, 1, 1]))
    bitangent = np.cross(mirrored.normals, mirrored.tangents[:, :3]) * mirrored.tangents[:, 3:]
    assert np.allclose(mirrored.tangents[:, :3], [-1, 0, 0])
    assert np.allclose(bitangent, [0, 1, 0])  # as before: the mirror leaves y alone


@pytest.mark.parametrize(
    "matrix, message",
    [
        (np.eye(3), r"must be \(4, 4\)"),
        (np.full((4, 4), np.nan), "finite"),
        (np.eye(4) + np.eye(4)[[3, 1, 2, 0]], "affine|last row"),
        (np.diag([1.0, 0, 1, 1]), "singular"),
        (np.diag([0.0, 0, 0, 1]), "singular"),
    ],
)
def test_transformed_refuses_what_is_no_motion(matrix, message):
    with pytest.raises(ValueError, match=message):
        dw.Mesh(SQUARE, FACES).transformed(matrix)


def test_skinned_meshes_are_not_moved():
    mesh = dw.Mesh(SQUARE, FACES, joints=np.zeros((4, 8), int), weights=np.ones((4, 8)))
    assert (mesh.weights == 0.125).all() and mesh.joints.dtype == np.uint16
    with pytest.raises(ValueError, match="replace.joints=None"):
        mesh.transformed(np.eye(4))
    assert mesh.replace(joints=None, weights=None).transformed(np.eye(4)).joints is None


def test_weights_sum_to_one_and_a_vertex_without_any_follows_its_first_joint():
    weights = np.array([[2, 2, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [0.1, 0.2, 0.3, 0.4]])
    mesh = dw.Mesh(SQUARE, FACES, joints=np.zeros((4, 4), int), weights=weights)
    assert mesh.weights[0].tolist() == [0.5, 0.5, 0, 0]
    assert mesh.weights[1].tolist() == [1, 0, 0, 0]
    assert np.allclose(mesh.weights.sum(axis=1), 1)


def test_merge_joins_meshes_of_one_material():
    bark = dw.Material(name="bark")
    one = dw.Mesh(SQUARE, FACES, uvs=UVS, material=bark)
    other = dw.Mesh(CORNER, CORNER_FACES, colors=np.zeros((4, 4), np.uint8), material=bark)
    both = dw.Mesh.merge([one, other], name="tree")
    assert both.triangle_count == 6 and both.material is bark and both.name == "tree"
    assert np.array_equal(both.positions[both.indices[2:]], CORNER[CORNER_FACES])
    assert np.array_equal(both.uvs[4:], np.zeros((4, 2)))
    assert (both.colors[:4] == 255).all() and not both.colors[4:].any()
    assert np.array_equal(both.normals, np.concatenate([one.normals, other.normals]))


def test_merge_refuses_what_would_be_lost():
    plain = dw.Mesh(SQUARE, FACES)
    leaf = plain.replace(material=dw.Material(name="leaf"))
    morph = plain.replace(targets=np.zeros((1, 4, 3)))
    with pytest.raises(ValueError, match="meshes is empty"):
        dw.Mesh.merge([])
    with pytest.raises(ValueError, match=r"meshes\[1\] has another material"):
        dw.Mesh.merge([plain, leaf])
    with pytest.raises(ValueError, match=r"meshes\[0\] has a skin or morph"):
        dw.Mesh.merge([morph])
    with pytest.raises(TypeError, match=r"meshes\[1\] must be a Mesh"):
        dw.Mesh.merge([plain, SQUARE])
    assert dw.Mesh.merge([plain, leaf], material=leaf.material).material is leaf.material


def test_a_mesh_can_be_pickled():
    mesh = dw.Mesh(SQUARE, FACES, uvs=UVS, name="card", targets=np.ones((1, 4, 3)))
    again = pickle.loads(pickle.dumps(mesh))
    assert again.name == "card" and np.array_equal(again.targets, mesh.targets)
    assert np.array_equal(again.normals, mesh.normals) and not again.uvs.flags.writeable


def test_a_mesh_shows_itself():
    mesh = dw.Mesh(SQUARE, FACES, uvs=UVS, name="<card>", targets=np.ones((1, 4, 3)))
    assert "4 vertices, 2 triangles, 1 x 1 x 0 m, uvs, 1 morph targets" in repr(mesh)
    assert "&lt;card&gt;" in mesh._repr_html_() and "<card>" not in mesh._repr_html_()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"alpha_cutoff": 0.0}, r"inside \(0, 1\), got 0.0; .*opaque"),
        ({"alpha_cutoff": 1}, r"inside \(0, 1\)"),
        ({"alpha_cutoff": float("nan")}, r"inside \(0, 1\)"),
        ({"alpha_mode": "cut"}, "one of opaque, mask, blend, got 'cut'"),
        ({"base_color": (1, 1, 1)}, "base_color must have 4 numbers, got 3"),
        ({"base_color": (1, -1, 1, 1)}, "0 or more"),
        ({"base_color": (1, 1, 1, 2)}, "alpha"),
        ({"emissive": (0, 0, float("inf"))}, "emissive must be finite"),
        ({"roughness": 1.5}, r"roughness must be in \[0, 1\], got 1.5"),
        ({"wind": -0.1}, "wind must be in"),
        ({"imposter_views": -1}, "imposter_views must be 0 or more"),
        ({"imposter_views": 8}, "needs a base_color_texture"),
    ],
)
def test_material_numbers_are_held_to_their_ranges(arguments, message):
    with pytest.raises(ValueError, match=message):
        dw.Material(**arguments)
    with pytest.raises(TypeError, match="from_image takes arrays"):
        dw.Material(normal_texture=np.zeros((4, 4, 4), np.uint8))


def test_a_material_says_what_is_not_usual():
    material = dw.Material(name="leaf", alpha_mode="mask", base_color=[1, 0.5, 0, 1])
    assert repr(material) == (
        "Material(name='leaf', base_color=(1.0, 0.5, 0.0, 1.0), alpha_mode='mask')"
    )
    assert material.replace(wind=1).wind == 1.0


@pytest.mark.parametrize(
    "levels, options, message",
    [
        ((), {}, "levels is empty"),
        ((np.zeros((4, 4, 3), np.uint8),), {}, r"levels\[0\] must be \(h, w, 4\) uint8"),
        ((np.zeros((4, 4, 4)),), {}, "uint8, got"),
        ((np.zeros((0, 4, 4), np.uint8),), {}, "empty"),
        ((np.zeros((4, 5, 4), np.uint8), np.zeros((2, 3, 4), np.uint8)), {}, r"\(2, 2\) after"),
        ((np.zeros((4, 4, 4), np.uint8),), {"wrap": "tile"}, "wrap must be one of"),
        ((np.zeros((4, 4, 4), np.uint8),), {"color_space": "p3"}, "color_space must be one of"),
        (
            (np.zeros((4, 4, 4), np.uint8),),
            {"alpha_to_coverage": (np.zeros((4, 2), np.uint8),)},
            "sizes of levels",
        ),
    ],
)
def test_textures_are_checked(levels, options, message):
    with pytest.raises(ValueError, match=message):
        dw.MaterialTexture(levels, **options)


def test_textures_come_from_arrays_files_and_atlases(tmp_path, native_device):
    wide = np.full((4, 8, 4), 257 * 3 + 129, np.uint16)
    assert (dw.MaterialTexture.from_image(wide).levels[0] == 4).all()
    grey = dw.MaterialTexture.from_image(np.full((2, 3), 0.5), wrap="mirror", color_space="linear")
    assert grey.levels[0][0, 0].tolist() == [128, 128, 128, 255] and grey.color_space == "linear"
    image = np.random.default_rng(0).integers(0, 256, (8, 8, 4), np.uint8)
    dw.io.write_image(tmp_path / "leaf.png", image)
    read = dw.MaterialTexture.from_image(tmp_path / "leaf.png")
    assert np.array_equal(read.levels[0], image) and read.name == "leaf.png"
    atlas = dw.bake_atlas(image, device=native_device)
    baked = dw.MaterialTexture.from_atlas(atlas)
    assert len(baked.levels) == len(baked.alpha_to_coverage) == 4 and baked.wrap == "clamp"
    assert baked.shape == (8, 8) and "8x8, 4 levels" in repr(baked)
    assert texture()._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize("count", [999, 1001, 50_000])
def test_spheres_of_many_points_are_as_tight(count, rng):
    points = rng.normal(size=(count - count % 3, 3)) * [3, 1, 0.5] + [0, 40, 0]
    sphere = dw.Mesh(points).bounding_sphere.astype(np.float64)
    stored = points.astype(np.float32).astype(np.float64)
    farthest = np.linalg.norm(stored - sphere[:3], axis=1).max()
    assert farthest <= sphere[3] <= farthest * (1 + 1e-6)
    # No sphere is smaller than half of the greatest extent.
    assert sphere[3] <= 1.1 * np.ptp(stored[:, 0]) / 2
