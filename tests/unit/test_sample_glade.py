# SPDX-License-Identifier: MIT
"""The sample glade: what stands where, in which state, and that it is the same every time."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood.samples import _glade, _models

FLAT = 1e-3  # metres


def _triangle(*_words, **_options):
    return [[dw.Mesh(np.array([[0, 0, 0], [1, 0, 0], [0, 9, 0]], np.float32))]] * 3


@pytest.fixture(scope="module")
def plain():
    """Triangles for trees and plants, whose drawing takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("tree", "bush", "grass"):
            patch.setattr(_models, name, _triangle)
        for name in ("rock", "stump"):
            patch.setattr(_models, name, lambda *words, **options: _triangle()[0])
        for name in ("_solid", "_path_material"):
            patch.setattr(_models, name, lambda *words: dw.Material())
        yield


@pytest.fixture(scope="module")
def glades(plain):
    """Glades by seed and detail."""
    made: dict = {}

    def get(seed=0, detail=0.3):
        if (seed, detail) not in made:
            made[seed, detail] = dw.samples.glade(seed=seed, detail=detail)
        return made[seed, detail]

    yield get
    for glade in made.values():
        glade.close()


def places(forest):
    return forest.transforms()[:, :3, 3].astype(float)


def test_everything_is_planted(glades):
    glade = glades()
    assert set(glade.trees) == set(dw.samples.tree_species())
    assert set(glade.forests) == {*glade.trees, "bush", "fern", "meadow", "flowers"}
    assert all(len(forest) >= 12 for forest in glade.trees.values())
    counts = [(len(one.forests["meadow"]), sum(map(len, one.trees.values())))
              for one in (glades(detail=0.1), glade, glades(detail=0.6))]  # fmt: skip
    assert counts == sorted(counts) and counts[0][1] < counts[2][1]


@pytest.mark.parametrize("seed", [0, 1, 5, 77])
def test_things_stand_on_the_ground_and_off_the_path(glades, seed):
    glade = glades(seed=seed)
    for name, forest in glade.forests.items():
        x, y, z = places(forest).T
        assert np.abs(y - glade.ground.height(x, z)).max() < FLAT, name
        assert np.hypot(x, z).max() < glade.ground.size / 2, name
        room = {"meadow": 1.34, "flowers": 1.49}.get(name, 1.69 if name in ("bush", "fern") else 2)
        assert glade.ground.path_distance(x, z).min() > room, name
    trees = np.concatenate([places(forest) for forest in glade.trees.values()])[:, [0, 2]]
    apart = np.hypot(*(trees[:, None] - trees).transpose(2, 0, 1))
    assert apart[np.triu_indices(len(trees), 1)].min() > 2.5


@pytest.mark.parametrize("seed", [0, 1, 5, 77])
def test_the_camera_sees_the_clearing(glades, seed):
    """Nothing stands in the camera, and the trees in special states are in the picture."""
    glade = glades(seed=seed)
    eye, view = glade.camera.position, glade.camera.view_projection(16 / 9)
    for name, forest in glade.forests.items():
        assert np.linalg.norm((places(forest) - eye)[:, [0, 2]], axis=1).min() > 2, name
    for states in (glade.depleted, glade.respawning, glade.highlighted):
        assert states
        for name, ids in states.items():
            at = forest_points(glade.forests[name], ids) @ view.T
            assert (at[:, 3] > 0).all() and (np.abs(at[:, :2]) < at[:, 3:]).all(), (name, ids)


def forest_points(forest, ids):
    """A point 3 m up each tree, with a 1 behind it."""
    points = forest.transforms(ids)[:, :, 3].astype(float)
    return points + [0, 3, 0, 0]


def test_states_are_those_that_it_names(plain):
    glade = dw.samples.glade(detail=0.1)
    for name, ids in glade.depleted.items():
        assert (glade.forests[name].dissolve.value(ids) == 1).all()
        assert not glade.forests[name].interactable(ids).any()
    for name, ids in glade.respawning.items():
        value = glade.forests[name].dissolve.value(ids)
        assert ((value > 0.1) & (value < 0.9)).all()
        assert glade.forests[name].interactable(ids).all()
        glade.forests[name].update(0.3)
        assert (glade.forests[name].dissolve.value(ids) == 0).all()
    for name, ids in glade.highlighted.items():
        assert (glade.forests[name].highlights(ids) > 0.5).all()
    glade.close()


def test_a_seed_gives_the_same_glade_again(glades):
    first, again, other = glades(), dw.samples.glade(detail=0.3), glades(seed=1)
    for name, forest in first.forests.items():
        assert (forest.ids == again.forests[name].ids).all()
        assert (forest.transforms() == again.forests[name].transforms()).all()
        rows = min(len(forest), len(other.forests[name]))
        assert (places(forest)[:rows] != places(other.forests[name])[:rows]).any()
    assert (first.camera.position == again.camera.position).all()
    again.close()


def test_depleting_some_and_bringing_them_back(plain):
    glade = dw.samples.glade(detail=0.1)
    drawn = glade.deplete_some(0.5, seed=3)
    share = sum(map(len, drawn.values())) / sum(map(len, glade.trees.values()))
    assert 0.3 < share < 0.7
    for name, ids in drawn.items():
        assert (glade.forests[name].dissolve.value(ids) == 1).all()
    glade.respawn(drawn)
    for name, forest in glade.trees.items():
        forest.update(0.3)
        assert (forest.dissolve.value(drawn[name]) == 0).all()
        assert (forest.dissolve.value(glade.depleted.get(name, ())) == 1).all() or name in drawn
    glade.respawn(instant=True)
    assert all((forest.dissolve.value(forest.ids) == 0).all() for forest in glade.trees.values())
    glade.close()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [({"seed": -1}, ValueError, "seed"), ({"seed": 0.5}, TypeError, "seed"),
     ({"detail": 0.0}, ValueError, "detail"), ({"detail": np.nan}, ValueError, "detail")],
)  # fmt: skip
def test_what_is_out_of_range_is_named(options, error, text):
    with pytest.raises(error, match=text):
        dw.samples.glade(**options)


def test_shares_are_checked(glades):
    with pytest.raises(ValueError, match="share"):
        glades().deplete_some(1.5)


def test_points_keep_their_distance(rng):
    points = rng.uniform(-5, 5, (400, 2))
    taken = np.array([[0.0, 0.0]])
    kept = _glade._spaced(points, taken, np.full(400, 1.0), 400)
    places = np.concatenate([taken, points[kept]])
    apart = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    assert apart[np.triu_indices(len(places), 1)].min() > 1.0
    left = np.setdiff1d(np.arange(400), kept)
    assert all(np.hypot(*(places - points[i]).T).min() <= 1.0 for i in left)  # none was left out
    assert len(_glade._spaced(points, taken, np.full(400, 1.0), 5)) == 5
