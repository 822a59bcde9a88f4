# SPDX-License-Identifier: MIT
"""The sample pond and what stands at it: sound meshes, places that fit, the same every time."""

from __future__ import annotations

import hashlib

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import samples
from dapplewood.samples import _masonry, _models, _pond, _pond_glade, _tackle
from dapplewood.samples._surface import UP, Surface

# Triangles of all meshes together: (least, most), for any seed.
BUDGETS = {"altar": (4000, 6000), "campfire": (1500, 2500), "torch": (600, 1200)}
PROPS = {"altar": samples.altar, "campfire": samples.campfire, "torch": samples.torch,
         "lilies": samples.lilies}  # fmt: skip
REEDS = ((500, 900), (200, 420), (80, 220))


def meshes_of(name, seed):
    if name == "reeds":
        return [mesh for lod in samples.reeds(seed=seed) for mesh in lod]
    return PROPS[name](seed=seed)


def corners(mesh):
    return np.asarray(mesh.positions, float)[np.asarray(mesh.indices)]


def is_closed(surface):
    """Each edge has one triangle on either side, which see it in opposite directions."""
    places, number = np.unique(np.round(surface.positions, 5), axis=0, return_inverse=True)
    triangles = number.reshape(-1)[surface.indices]
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    found, count = np.unique(edges, axis=0, return_counts=True)
    back = found[np.lexsort(found.T)]
    forth = found[:, ::-1][np.lexsort(found[:, ::-1].T)]
    return bool((count == 1).all() and (back == forth).all())


def volume(surface):
    a, b, c = np.moveaxis(surface.positions[surface.indices], 1, 0)
    return float((a * np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("name", [*PROPS, "reeds"])
def test_meshes_are_sound(name):
    for seed in (0, 4):
        for mesh in meshes_of(name, seed):
            assert np.isfinite(mesh.positions).all() and np.isfinite(mesh.uvs).all()
            assert len(np.unique(mesh.indices)) == len(mesh.positions)
            assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-5)
            a, b, c = np.moveaxis(corners(mesh), 1, 0)
            assert np.linalg.norm(np.cross(b - a, c - a), axis=1).min() > 1e-7
            assert (mesh.colors[:, 3] == 255).all()


@pytest.mark.parametrize("name", [*BUDGETS])
def test_budgets_are_kept(name):
    for seed in (0, 4):
        count = sum(mesh.triangle_count for mesh in meshes_of(name, seed))
        assert BUDGETS[name][0] <= count <= BUDGETS[name][1]
    for lod, (least, most) in zip(samples.reeds(seed=3), REEDS):
        assert least <= lod[0].triangle_count <= most


@pytest.mark.parametrize("name", [*PROPS, "reeds"])
def test_seeds_repeat_and_differ(name):
    def digest(seed):
        state = hashlib.sha256()
        for mesh in meshes_of(name, seed):
            for array in (mesh.positions, mesh.normals, mesh.uvs, mesh.colors, mesh.indices):
                state.update(np.ascontiguousarray(array).tobytes())
        return state.hexdigest()

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)


@pytest.mark.parametrize(
    ("make", "names"),
    [(_masonry.altar, ("pedestal", "steps", "stones")), (_masonry.campfire, ("stones", "logs")),
     (_masonry.torch, ("embers",))],
)  # fmt: skip
def test_bodies_are_closed_and_face_outwards(make, names):
    for seed in (0, 3):
        parts = make(seed)
        for name in names:
            assert name == "logs" or is_closed(parts[name]), name
            assert volume(parts[name]) > 1e-3, name
    open_body = make(0)[names[0]]
    open_body.indices = open_body.indices[1:]
    assert not is_closed(open_body)


def test_an_altar_has_its_size_and_its_light():
    pedestal, steps, stones, light, runes = samples.altar()
    assert 1.3 < pedestal.bounds[1, 1] < 1.45
    assert np.abs(pedestal.bounds[:, [0, 2]]).max() < 0.55
    assert np.abs(steps.bounds[:, [0, 2]]).max() < 1.75
    assert steps.bounds[1, 1] > pedestal.bounds[0, 1], "the pedestal stands on its steps"
    inside = np.hypot(*np.asarray(light.positions)[:, [0, 2]].T).max()
    assert inside < 0.385 and light.material.unlit
    assert runes.material.alpha_mode == "blend"
    low, high = stones.bounds
    assert (runes.bounds[0] > low - 0.1).all() and (runes.bounds[1] < high + 0.1).all()


def test_painted_light_falls_off_and_faces_the_light():
    line = np.linspace(-4.0, 4.0, 41)
    x, z = (axis.ravel() for axis in np.meshgrid(line, line, indexing="ij"))
    points = np.stack([x, 0.0 * x, z], axis=1)
    floor = Surface(points, np.tile(UP, (len(x), 1)), points[:, [0, 2]], np.ones_like(points),
                    _models._ground.grid_triangles(41, 41))
    skin, alpha = _masonry.lit_by(floor, np.array([0.0, 0.5, 0.0]), 1.0)
    distance = np.hypot(skin.positions[:, 0], skin.positions[:, 2])
    order = np.argsort(distance)
    assert (np.diff(alpha[order]) < 1e-6).all() and alpha.max() > 0.7
    assert distance.max() < 6.0 and len(skin.indices) < len(floor.indices)
    dark, none = _masonry.lit_by(floor, np.array([0.0, -3.0, 0.0]), 1.0)
    assert len(dark.indices) == len(none) == 0


@pytest.mark.parametrize(("make", "wide"), [(_tackle.net, 0.9), (_tackle.bobber, 0.15)])
def test_tackle_floats(make, wide):
    (mesh,) = make()
    low, high = mesh.bounds
    assert low[1] < 0.0 < high[1] < 0.3 and -0.1 < low[1]
    assert 0.05 < np.abs(np.stack([low, high])[:, [0, 2]]).max() < wide
    assert np.isfinite(mesh.positions).all() and mesh.triangle_count < 3000
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-5)
    a, b, c = np.moveaxis(corners(mesh), 1, 0)
    assert (a * np.cross(b, c)).sum() / 6.0 > 1e-4  # faces outwards


def test_water_fills_the_hollow():
    for seed in (0, 1, 9):
        land = _pond.PondLand(seed)
        surface, alpha = _pond.water(land)
        x, y, z = surface.positions.T
        assert np.allclose(y, _pond.WATER) and (alpha > 0.5).all() and alpha.max() <= 1.0
        shore = land.shore(x, z)
        a, b, c = np.moveaxis(surface.positions[surface.indices], 1, 0)
        assert (np.cross(b - a, c - a)[:, 1] > 0).all()
        assert (land.height(x, z)[shore < -0.3] < _pond.WATER - 0.1).all()
        # all of the rim is under land: no border of the water is seen
        edges = np.sort(np.concatenate([surface.indices[:, [0, 1]], surface.indices[:, [1, 2]],
                                        surface.indices[:, [2, 0]]]), axis=1)  # fmt: skip
        found, count = np.unique(edges, axis=0, return_counts=True)
        rim = np.unique(found[count == 1])
        assert (land.height(x[rim], z[rim]) > _pond.WATER).all()


@pytest.mark.parametrize("seed", [0, 2, 11])
def test_things_stand_where_they_belong(seed):
    land = _pond.PondLand(seed)
    for x, z in _pond_glade._SPOTS.values():
        assert land.shore(x, z) < -0.75, "a ring is 0.73 m wide"
    for x, z in (_pond_glade._ALTAR, _pond_glade._FIRE, *_pond_glade._TORCHES):
        assert land.shore(x, z) > 0.25 and land.height(x, z) > _pond.WATER
    turf = _pond.turf(land, 220.0, 150)
    assert land.shore(turf.positions[:, 0], turf.positions[:, 2]).min() > -1.2


@pytest.fixture(scope="module")
def plain():
    """Triangles for trees and plants, whose drawing takes seconds."""

    def levels(*_words, lod="all", **_options):
        mesh = dw.Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 9, 0]], np.float32))
        return [mesh] if lod != "all" else [[mesh]] * 3

    with pytest.MonkeyPatch.context() as patch:
        for name in ("tree", "bush", "grass", "rock"):
            patch.setattr(_models, name, levels)
        yield


def test_a_pond_is_the_same_again_and_its_camera_sees_all(plain):
    first, again, other = (samples.pond_glade(seed=seed, detail=0.2) for seed in (0, 0, 1))
    view = first.camera.view_projection(16 / 9)
    for place in (*first.spots.values(), first.altar, first.fire, *first.torches):
        at = view @ np.append(place, 1.0)
        assert at[3] > 0 and (np.abs(at[:2]) < 0.97 * at[3]).all(), place
    for name, forest in first.forests.items():
        assert (forest.transforms() == again.forests[name].transforms()).all()
    assert (first.forests["spruce"].transforms()[:12]
            != other.forests["spruce"].transforms()[:12]).any()  # fmt: skip
    assert all(spot[1] == first.water_level for spot in first.spots.values())
    for glade in (first, again, other):
        glade.close()


def test_the_water_shows_what_stands_above_it(plain):
    glade = samples.pond_glade(detail=0.2)
    above, below = (glade.forests[name] for name in ("spruce", "spruce, reflected"))
    top, bottom = above.transforms()[:, 1, 3], below.transforms()[:, 1, 3]
    assert np.allclose(top + bottom, 2.0 * glade.water_level, atol=1e-5)
    mesh = samples.altar()[0]
    flipped = _pond_glade.upside_down(mesh)
    assert np.array_equal(flipped.positions[:, 1], -mesh.positions[:, 1])
    assert np.array_equal(flipped.normals, mesh.normals)
    surface = Surface(np.asarray(flipped.positions, float), flipped.normals, flipped.uvs,
                      flipped.colors, np.asarray(flipped.indices))  # fmt: skip
    assert volume(surface) > 0.0, "its triangles still face outwards"
    glade.close()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [(lambda: samples.altar(seed=-1), ValueError, "seed: wanted 0"),
     (lambda: samples.torch(seed=0.5), TypeError, "seed: wanted an integer"),
     (lambda: samples.reeds(lod=3), ValueError, "lod: wanted 0 to 2"),
     (lambda: samples.pond_glade(detail=0.05), ValueError, "detail: wanted 0.1 to 2"),
     (lambda: samples.pond_glade(detail=np.nan), ValueError, "detail"),
     (lambda: samples.pond_glade(seed=-3), ValueError, "seed: wanted 0")],
)  # fmt: skip
def test_errors_say_what_was_wanted(call, error, text):
    with pytest.raises(error, match=text):
        call()
