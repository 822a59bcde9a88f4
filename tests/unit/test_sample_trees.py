# SPDX-License-Identifier: MIT
"""The sample trees, bushes, rocks and ground: budgets, soundness, levels that look alike."""

import hashlib

import numpy as np
import pytest

import dapplewood as dw
from dapplewood import samples
from dapplewood.samples import _bark, _clusters

# Triangles of a level: (least, most), for any seed.
BUDGETS = {"tree": ((2000, 6000), (600, 1300), (100, 250)),
           "bush": ((600, 1400), (200, 500), (50, 120)),
           "grass": ((20, 60), (6, 20), (2, 8)), "fern": ((100, 250), (24, 80), (2, 8)),
           "rock": ((1000, 1400), (200, 400), (60, 150)),
           "stump": ((150, 400), (50, 120), (20, 50))}

MODELS = [*((name, "tree", lambda seed, name=name: samples.tree(name, seed=seed))
            for name in samples.tree_species()),
          ("bush", "bush", lambda seed: samples.bush(seed=seed)),
          ("meadow", "grass", lambda seed: samples.grass("meadow", seed=seed)),
          ("flowers", "grass", lambda seed: samples.grass("flowers", seed=seed)),
          ("fern", "fern", lambda seed: samples.grass("fern", seed=seed)),
          ("boulder", "rock", lambda seed: samples.rock("boulder", seed=seed)),
          ("slab", "rock", lambda seed: samples.rock("slab", seed=seed)),
          ("stump", "stump", lambda seed: samples.stump(seed=seed))]
every_model = pytest.mark.parametrize(("name", "kind", "make"), MODELS,
                                      ids=[model[0] for model in MODELS])
LEAFY = [*samples.tree_species(), "bush"]


def _leafy(name, seed=0):
    return samples.bush(seed=seed) if name == "bush" else samples.tree(name, seed=seed)


def _corners(mesh):
    return np.asarray(mesh.positions, float)[np.asarray(mesh.indices)]


def _areas(mesh):
    a, b, c = np.moveaxis(_corners(mesh), 1, 0)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)


def _opaque_points(mesh, spacing, rng):
    """Points spread over a mesh, about one every `spacing` squared, where its alpha passes."""
    count = np.maximum(1, np.ceil(_areas(mesh) / spacing**2)).astype(int)
    owner = np.repeat(np.arange(len(count)), count)
    u, v = np.sqrt(rng.random(len(owner))), rng.random(len(owner))
    weights = np.stack([1.0 - u, u * (1.0 - v), u * v], axis=1)[:, :, None]
    points = (_corners(mesh)[owner] * weights).sum(axis=1)
    material = mesh.material
    if material.alpha_mode != "mask":
        return points
    uvs = (np.asarray(mesh.uvs, float)[np.asarray(mesh.indices)][owner] * weights).sum(axis=1)
    alpha = material.base_color_texture.levels[0][..., 3]
    side = alpha.shape[0]
    texel = np.clip((uvs * side).astype(int), 0, side - 1)
    return points[alpha[texel[:, 1], texel[:, 0]] >= 255 * material.alpha_cutoff]


def _silhouettes(lod, azimuths, cell):
    """Filled cells of a grid as seen from each side, whole images of one size."""
    rng = np.random.default_rng(1)
    points = np.concatenate([_opaque_points(mesh, 0.3 * cell, rng) for mesh in lod])
    images = []
    for azimuth in azimuths:
        across = points[:, 0] * np.cos(azimuth) - points[:, 2] * np.sin(azimuth)
        image = np.zeros((128, 128), bool)
        column = np.floor(across / cell).astype(int) + 64
        row = np.floor(points[:, 1] / cell).astype(int) + 16
        image[np.clip(row, 0, 127), np.clip(column, 0, 127)] = True
        images.append(image)
    return np.array(images)


@every_model
def test_levels_keep_their_budgets(name, kind, make):
    for seed in (0, 5):
        levels = make(seed)
        counts = [sum(mesh.triangle_count for mesh in lod) for lod in levels]
        assert len(levels) == 3
        for count, (least, most) in zip(counts, BUDGETS[kind]):
            assert least <= count <= most, (seed, counts)


@every_model
def test_meshes_are_sound(name, kind, make):
    for mesh in (mesh for lod in make(2) for mesh in lod):
        vertices = len(mesh.positions)
        assert np.isfinite(mesh.positions).all() and np.isfinite(mesh.uvs).all()
        assert np.asarray(mesh.indices).max() < vertices
        assert len(np.unique(mesh.indices)) == vertices, "a vertex that no triangle uses"
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-5)
        assert _areas(mesh).min() > 1e-6
        corner = np.asarray(mesh.indices)
        assert (corner[:, [0, 1, 2]] != corner[:, [1, 2, 0]]).all()
        assert mesh.colors.dtype == np.uint8 and (mesh.colors[:, 3] == 255).all()


@every_model
def test_seeds_repeat_and_differ(name, kind, make):
    def digest(seed):
        state = hashlib.sha256()
        for mesh in (mesh for lod in make(seed) for mesh in lod):
            for array in (mesh.positions, mesh.normals, mesh.uvs, mesh.colors, mesh.indices):
                state.update(np.ascontiguousarray(array).tobytes())
        return state.hexdigest()

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)


def test_materials_are_shared_between_seeds():
    first, second = samples.tree("oak", lod=0, seed=0), samples.tree("oak", lod=2, seed=1)
    assert [mesh.material for mesh in first] == [mesh.material for mesh in second]
    bark, leaves = (mesh.material for mesh in first)
    assert (bark.alpha_mode, leaves.alpha_mode) == ("opaque", "mask")
    assert leaves.double_sided and leaves.translucency > 0.0 and not bark.double_sided
    assert bark.normal_texture.color_space == "linear"
    assert bark.base_color_texture.wrap == "repeat"


@pytest.mark.parametrize("name", LEAFY)
def test_sizes_are_those_of_trees(name):
    tall = {"oak": (7, 11), "birch": (9, 13), "maple": (6, 9.5), "pine": (9.5, 14),
            "spruce": (9.5, 14), "bush": (0.9, 2.0)}[name]
    for seed in range(4):
        for lod in _leafy(name, seed):
            low, high = np.array([mesh.bounds for mesh in lod])[:, 0].min(0), np.array(
                [mesh.bounds for mesh in lod])[:, 1].max(0)
            assert tall[0] <= high[1] <= tall[1]
            assert -0.8 <= low[1] <= 0.0
            assert np.abs([low[[0, 2]], high[[0, 2]]]).max() < 7.5


@pytest.mark.parametrize("name", LEAFY)
def test_levels_have_one_silhouette(name):
    """Area within a tenth on average, within a quarter from every side; shapes overlap."""
    azimuths = np.arange(6) * np.pi / 3
    cell = 0.03 if name == "bush" else 0.2
    ratios, overlaps = [], []
    for seed in (0, 1, 2):
        near, *others = (_silhouettes(lod, azimuths, cell) for lod in _leafy(name, seed))
        assert near.any() and not near[:, 0].any() and not near[:, :, 0].any()
        for image in others:
            ratios.append(image.sum(axis=(1, 2)) / near.sum(axis=(1, 2)))
            overlaps.append((image & near).sum(axis=(1, 2)) / (image | near).sum(axis=(1, 2)))
    ratios = np.array(ratios).reshape(3, 2, -1)
    assert np.abs(ratios.mean(axis=(0, 2)) - 1.0).max() < 0.10, ratios.mean(axis=(0, 2))
    assert np.abs(ratios - 1.0).max() < 0.25
    assert np.mean(overlaps) > 0.70


def test_silhouettes_tell_trees_apart():
    """The measure above is no rubber stamp: an oak is no birch."""
    oak = _silhouettes(samples.tree("oak", lod=0), [0.0], 0.2)
    birch = _silhouettes(samples.tree("birch", lod=0), [0.0], 0.2)
    assert (oak & birch).sum() / (oak | birch).sum() < 0.5
    assert oak.sum() > 1.4 * birch.sum()


@pytest.mark.parametrize("name", LEAFY)
def test_leaves_stay_inside_their_tiles(name):
    boxes = _clusters.boxes(name)
    for lod in _leafy(name):
        leaves = lod[1]
        uvs = np.asarray(leaves.uvs, float)[np.asarray(leaves.indices)]
        low, high = uvs.min(axis=1), uvs.max(axis=1)
        inside = ((low[:, None] >= boxes[:, :2] - 1e-6)
                  & (high[:, None] <= boxes[:, 2:] + 1e-6)).all(axis=2)
        assert inside.any(axis=1).all()


@pytest.mark.parametrize("name", LEAFY)
def test_normals_point_out_of_the_crown(name):
    for lod in _leafy(name):
        leaves = lod[1]
        points = np.asarray(leaves.positions, float)
        low, high = points.min(axis=0), points.max(axis=0)
        out = (points - 0.5 * (low + high)) / (high - low) ** 2  # normals of an ellipsoid
        out /= np.linalg.norm(out, axis=1, keepdims=True)
        agree = (out * leaves.normals).sum(axis=1)
        assert agree.mean() > 0.5 and (agree > 0.0).mean() > 0.85
        if name != "spruce":  # whose fans are seen from above and from below
            a, b, c = np.moveaxis(_corners(leaves), 1, 0)
            face = np.cross(b - a, c - a)
            toward = (face * np.asarray(leaves.normals)[np.asarray(leaves.indices)[:, 0]]).sum(1)
            assert (toward > 0.0).mean() > 0.85


@pytest.mark.parametrize("name", LEAFY)
def test_crowns_are_darker_inside(name):
    leaves = _leafy(name)[0][1]
    points = np.asarray(leaves.positions, float)
    low, high = points.min(axis=0), points.max(axis=0)
    light = np.asarray(leaves.colors, float)[:, :3].mean(axis=1)
    place = 2.0 * (points - low) / (high - low) - 1.0
    inner = np.linalg.norm(place[:, [0, 2]], axis=1) < 0.35
    inner &= place[:, 1] < 0.3
    outer = np.linalg.norm(place, axis=1) > 0.8
    assert light[inner].mean() < 0.9 * light[outer].mean()
    assert light.min() > 50 and light.max() <= 255


@pytest.mark.parametrize("name", [*LEAFY, "fern", "meadow", "flowers"])
def test_leaf_textures_keep_coverage(name):
    """Every tile of every level that still has texels for it passes what level 0 passes."""
    material = (_leafy(name)[0][1] if name in LEAFY else samples.grass(name)[0][0]).material
    levels = material.base_color_texture.levels
    assert levels[0].shape == (1024, 1024, 4)

    def cover(level):
        grid = dw.TileGrid(2, 2, gutter=_clusters.GUTTER >> level)
        return dw.measure_coverage(levels[level][..., 3], 0.5, tiles=grid)

    first = cover(0)
    assert (first > 0.15).all() and (first < 0.8).all()
    for level in (1, 2, 3):
        assert np.abs(cover(level) - first).max() < 0.02


@pytest.mark.parametrize("name", [name for name in _bark.TEXTURES if name != "rings"])
def test_solid_textures_repeat_without_a_seam(name):
    image = _bark.paint(name)[0][..., :3].astype(int)
    for axis in (0, 1):
        inner = np.abs(np.diff(image, axis=axis)).mean()
        seam = np.abs(np.take(image, 0, axis) - np.take(image, -1, axis)).mean()
        assert seam < 2.0 * inner
        half = image.shape[axis] // 2
        far = np.abs(np.take(image, 0, axis) - np.take(image, half, axis)).mean()
        assert seam < 0.7 * far


@pytest.mark.parametrize("kind", ["boulder", "slab"])
def test_rocks_keep_their_shape(kind):
    near, middle, far = samples.rock(kind, seed=4)
    box = near[0].bounds
    for lod in (middle, far):
        assert np.abs(lod[0].bounds - box).max() < 0.12
    assert box[0, 1] < -0.05 and box[1, 1] > 0.3, "a rock sits in the ground"
    out = near[0].positions - box.mean(axis=0)
    assert ((out * near[0].normals).sum(axis=1) > 0.0).mean() > 0.97


def test_ground_lies_where_it_says():
    ground = samples.ground(60.0, cells=48, seed=3)
    turf, path = ground.meshes
    x, y, z = np.asarray(turf.positions, float).T
    assert turf.triangle_count == 2 * 48 * 48
    assert np.abs(ground.height(x, z) - y).max() < 1e-4
    assert np.ptp(y) > 0.5
    near = np.hypot(x, z) < 0.5 * ground.clearing
    assert np.ptp(y[near]) < 1.2
    assert (turf.normals[:, 1] > 0.7).all()
    assert np.allclose(np.linalg.norm(ground.normal(x, z), axis=-1), 1.0)


def test_path_lies_on_the_triangles_of_the_turf():
    size, cells = 60.0, 48
    turf, path = samples.ground(size, cells=cells, seed=3).meshes
    heights = np.asarray(turf.positions, float)[:, 1].reshape(cells + 1, cells + 1)
    rng = np.random.default_rng(0)
    corners = _corners(path)
    weights = rng.dirichlet(np.ones(3), len(corners))[:, :, None]
    x, y, z = (corners * weights).sum(axis=1).T
    keep = (np.abs(x) < 0.5 * size) & (np.abs(z) < 0.5 * size)
    x, y, z = x[keep], y[keep], z[keep]
    i, j = (x + 0.5 * size) * cells / size, (z + 0.5 * size) * cells / size
    i0, j0 = i.astype(int), j.astype(int)
    fx, fz = i - i0, j - j0
    h00, h10 = heights[i0, j0], heights[i0 + 1, j0]
    h01, h11 = heights[i0, j0 + 1], heights[i0 + 1, j0 + 1]
    land = np.where(fz >= fx, h00 + fz * (h01 - h00) + fx * (h11 - h01),
                    h00 + fx * (h10 - h00) + fz * (h11 - h10))
    assert (y - land).min() > 0.005 and (y - land).max() < 0.12
    assert (path.normals[:, 1] > 0.7).all()
    a, b, c = np.moveaxis(corners, 1, 0)
    assert (np.cross(b - a, c - a)[:, 1] > 0.0).all()
    a, b, c = np.moveaxis(_corners(turf), 1, 0)
    assert (np.cross(b - a, c - a)[:, 1] > 0.0).all()


def test_one_level_is_one_of_all():
    for level in range(3):
        one, every = samples.tree("maple", lod=level, seed=7), samples.tree("maple", seed=7)[level]
        assert len(one) == len(every) == 2
        for a, b in zip(one, every):
            assert np.array_equal(a.positions, b.positions)


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda: samples.tree("palm"), ValueError, "species: wanted one of oak"),
    (lambda: samples.tree("oak", lod=3), ValueError, "lod: wanted 0 to 2"),
    (lambda: samples.tree("oak", lod=-1), ValueError, "lod: wanted 0 to 2"),
    (lambda: samples.tree("oak", lod="near"), ValueError, "lod: wanted 0 to 2"),
    (lambda: samples.tree("oak", lod=0.5), TypeError, "lod: wanted an integer"),
    (lambda: samples.tree("oak", seed=-1), ValueError, "seed: wanted 0 or more"),
    (lambda: samples.grass("moss"), ValueError, "kind: wanted one of meadow"),
    (lambda: samples.rock("pebble"), ValueError, "kind: wanted one of boulder"),
    (lambda: samples.ground(5.0), ValueError, "size: wanted 20"),
    (lambda: samples.ground(float("nan")), ValueError, "size: wanted 20"),
    (lambda: samples.ground(cells=4), ValueError, "cells: wanted 8"),
])  # fmt: skip
def test_errors_say_what_was_wanted(call, error, text):
    with pytest.raises(error, match=text):
        call()
