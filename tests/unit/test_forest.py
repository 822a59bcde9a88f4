# SPDX-License-Identifier: MIT
"""The table of a forest, and its views on the native device against a model in NumPy."""

from __future__ import annotations

import gc
import threading

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import _core
from helpers_forest import (
    Model,
    amounts_of,
    assert_equals_model,
    assert_partition,
    card,
    discard_count,
    kept,
    look,
    random_transforms,
)

MESH = card()
EYE = np.eye(4)


def at(*points) -> np.ndarray:
    return np.array(points, dtype=float)


def make(lod_count: int = 3, distances=(50, 100), **options) -> dw.Forest:
    return dw.Forest([MESH] * lod_count, distances=distances, **options)


@pytest.fixture
def see(native_device):
    """Lists of a forest for a camera at x, all around."""

    def view(forest, x=0.0, **options) -> dw.ForestLists:
        return forest.cull((x, 0, 0), device=native_device, **options)

    return view


def entries_of(lists: dw.ForestLists, id: int) -> list[tuple[int, int]]:
    """(LOD, fade word) of each entry of an id."""
    mask = lists.ids[lists.entries["row"]] == id
    return list(zip(lists.lods[mask].tolist(), lists.entries["fade"][mask].tolist(), strict=True))


# ---- against the model ----

CASES = {
    "plain": {},
    "instant LODs": {"crossfade": 0.0},
    "no fades": {"fade": None},
    "near fade": {"near_fade": (5.0, 20.0)},
    "multiply": {"near_fade": (5.0, 60.0), "combine": "multiply"},
    "seed rule": {"rule": "seed"},
    "strict rule": {"rule": "strict", "pattern": "bayer8"},
    "blue": {"pattern": "blue", "blue_size": 128},
    "hash": {"pattern": "hash"},
    "size scaling": {"size_scaling": True},
    "no hysteresis": {"hysteresis": 1.0},
    "directional": {"direction": "up"},
    "unorm8": {"encoding": "unorm8"},
    "analytic": {"encoding": "analytic", "easing": "smoothstep"},
}
RANKS = {"bayer4": 16, "bayer8": 64, "bayer16": 256, "blue": 128 * 128, "hash": 16384}
LODS = [[True, True, False, True], [False, True, True, False], [False, False, False, True]]


def build(rng, count: int, case: dict, lods=LODS, distances=(20, 50, 90)):
    """A forest and its model."""
    options = {"fade": (120, 150), **case}
    variants = [[MESH if has else None for has in row] for row in lods]
    forest = dw.Forest(variants=variants, distances=distances, **options)
    ids = rng.permutation(count) * 7 + 2**33
    forest.add(ids, random_transforms(rng, count, 170), depleted=rng.random(count) < 0.1)
    known = {"fade", "near_fade", "crossfade", "hysteresis", "rule", "combine"}
    rules = {name: value for name, value in options.items() if name in known}
    model = Model(
        forest, lods=lods, distances=distances, ranks=RANKS[case.get("pattern", "bayer4")],
        uniform="direction" not in case, **rules,
    )  # fmt: skip
    return forest, model, ids


def wander(rng, steps: int):
    """Camera, planes and time step, such that LODs change there and back within a cross-fade."""
    position = np.array([0.0, 2.0, 0.0])
    for step in range(steps):
        position = position + rng.uniform(-9, 9, 3) * [1, 0, 1]
        dt = rng.choice([0.0, 0.01, 0.05, 0.11, 0.4, -0.03], p=[0.1, 0.2, 0.3, 0.2, 0.1, 0.1])
        yield position, look(position, 0.4 * step, far=160.0), float(dt)


@pytest.mark.parametrize("name", CASES)
def test_views_are_those_of_the_model(rng, native_device, name):
    forest, model, ids = build(rng, 700, CASES[name])
    crossed = 0
    for step, (position, planes, dt) in enumerate(wander(rng, 24)):
        if step % 3 == 1:
            forest.respawn(rng.choice(ids, 40, replace=False))
            forest.deplete(rng.choice(ids, 40, replace=False), instant=False, duration=0.5)
        lists = forest.cull(position, planes, dt=dt, device=native_device)
        assert_equals_model(lists, model.view(position, planes, amounts_of(lists)))
        assert_partition(lists, model.options["ranks"])
        crossed += lists.stats["crossfading"]
    assert crossed > 0 or not CASES[name].get("crossfade", 1)


@pytest.mark.parametrize(
    "count", [1, 512, 513, 20_000, pytest.param(100_000, marks=pytest.mark.slow)]
)
def test_tables_of_any_size(rng, native_device, count):
    forest, model, _ = build(rng, count, {})
    for position, planes, dt in wander(rng, 3):
        lists = forest.cull(position, planes, dt=dt, device=native_device)
        assert_equals_model(lists, model.view(position, planes, amounts_of(lists)))


def test_model_comparison_can_fail(rng, native_device):
    forest, model, _ = build(rng, 300, {})
    model.distances[1] += 15.0
    everything = np.zeros((6, 4))
    lists = forest.cull((0, 0, 0), everything, device=native_device)
    with pytest.raises(AssertionError):
        assert_equals_model(lists, model.view((0, 0, 0), everything, amounts_of(lists)))


def test_rows_come_and_go(rng, native_device):
    """Removed, replaced and new instances between views, some during a fade."""
    forest, model, ids = build(rng, 400, {})
    alive = set(ids.tolist())
    for step, (position, planes, dt) in enumerate(wander(rng, 20)):
        gone = rng.choice(sorted(alive), 30, replace=False)
        assert forest.remove(gone).all()
        alive -= set(gone.tolist())
        again = rng.choice(gone, 10, replace=False)
        fresh = np.arange(20) + 2**50 + 100 * step
        kept_ids = rng.choice(sorted(alive), 5, replace=False)
        batch = np.concatenate([again, fresh, kept_ids]).astype(np.uint64)
        forest.add(batch, random_transforms(rng, len(batch), 100))
        alive |= set(batch.tolist())
        lists = forest.cull(position, planes, dt=dt, device=native_device)
        assert_equals_model(lists, model.view(position, planes, amounts_of(lists)))
    assert set(forest.ids.tolist()) == alive and len(forest) == len(alive)


# ---- LODs through time ----


def test_hysteresis_table(see):
    """Every edge of the table: where a LOD begins, and down to where it stays."""
    for start, x, lod in [
        (0, 49.9, 0), (0, 50.0, 1), (60, 45.1, 1), (60, 44.9, 0), (0, 99.9, 1), (0, 100, 2),
        (120, 90.1, 2), (120, 89.9, 1), (120, 44.9, 0), (120, 45.1, 1), (60, 99.9, 1),
    ]:  # fmt: skip
        with make(crossfade=0.0) as forest:
            forest.add([1], at([0, 0, 0]))
            see(forest, start)
            assert entries_of(see(forest, x, dt=0.1), 1) == [(lod, 0)], (start, x)


def test_first_view_has_no_hysteresis_and_no_fade(see):
    forest = make()
    forest.add([1], at([0, 0, 0]))
    assert entries_of(see(forest, 47.0), 1) == [(0, 0)]
    forest.add([1], at([0, 0, 0]))
    see(forest, 60.0)
    assert entries_of(see(forest, 47.0, dt=1.0), 1) == [(1, 0)]


@pytest.mark.parametrize("edge", [50.0, 100.0, 45.0, 90.0])
def test_lods_change_at_every_edge_during_a_dissolve(see, edge):
    """The camera crosses an edge and comes back mid-fade: every rank that the dissolve leaves is
    drawn once in each frame, and the dissolve goes on as if no LOD had changed."""
    forest = make(pattern="bayer8", fade=None)
    forest.add([1, 2], at([0, 0, 0], [0, 0, 0.01]))
    see(forest, edge - 1)
    forest.deplete([1], instant=False, duration=1.0)
    amounts, doubles = [], 0
    for frame in range(60):
        x = edge * (1 + 0.16 * np.sin(frame * 0.35))
        lists = see(forest, x, dt=1 / 60)
        assert_partition(lists, 64)
        assert set(lists.ids[lists.entries["row"]].tolist()) == {1, 2}
        doubles += len(entries_of(lists, 2)) == 2
        amounts.append(amounts_of(lists)[lists.ids == 1][0])
        hidden = entries_of(lists, 1)[0][1] & 0x7FFF
        assert hidden == discard_count("centred", 64, amounts[-1])
        assert entries_of(lists, 2)[0][1] & 0x7FFF == 0
    assert doubles > 10
    wanted = 0.7 * np.arange(1, 61) / 60
    assert np.abs(np.array(amounts) - wanted).max() < 1e-4


def fade_ranks(lists, ranks=16) -> dict[int, set[int]]:
    """LOD: the ranks it is drawn with, of id 1."""
    return {
        lod: set(np.flatnonzero(kept(fade, ranks)).tolist()) for lod, fade in entries_of(lists, 1)
    }


def test_a_crossfade_turns_round_without_moving_a_pixel(see):
    forest = make()
    forest.add([1], at([0, 0, 0]))
    see(forest, 40)
    see(forest, 55, dt=0.01)
    middle = fade_ranks(see(forest, 55, dt=0.1))
    assert {lod: len(ranks) for lod, ranks in middle.items()} == {0: 10, 1: 6}
    assert fade_ranks(see(forest, 30, dt=0.0)) == {0: set(range(16))}, "no time: at once"
    see(forest, 30)
    see(forest, 55, dt=0.01)
    middle = fade_ranks(see(forest, 55, dt=0.1))
    back = fade_ranks(see(forest, 30, dt=1e-4))
    assert back == middle
    later = fade_ranks(see(forest, 30, dt=0.05))
    assert later[0] > back[0] and later[1] < back[1]
    assert fade_ranks(see(forest, 30, dt=0.06)) == {0: set(range(16))}


def test_a_crossfade_that_is_asked_for_a_third_lod(see):
    for early, stays in [(0.05, 0), (0.2, 1)]:
        with make() as forest:
            forest.add([1], at([0, 0, 0]))
            see(forest, 40)
            see(forest, 55, dt=0.01)
            before = fade_ranks(see(forest, 55, dt=early))
            after = fade_ranks(see(forest, 120, dt=1e-4))
            assert set(after) == {stays, 2}
            assert after[stays] == before[stays], "the more visible one keeps its pixels"
            assert fade_ranks(see(forest, 120, dt=0.3)) == {2: set(range(16))}


def test_crossfade_ends_on_time(see):
    forest = make(crossfade=0.5)
    forest.add([1], at([0, 0, 0]))
    see(forest, 40)
    shares = []
    for _ in range(12):
        ranks = fade_ranks(see(forest, 55, dt=0.05))
        shares.append(len(ranks.get(1, ())))
    assert shares == sorted(shares)
    assert shares[:2] == [0, 2] and shares[9:] == [14, 16, 16]


def test_missing_lods_draw_the_next_finer_one(see):
    forest = dw.Forest([None, MESH, None, MESH], distances=[10, 20, 30], fade=None)
    forest.add([1], at([0, 0, 0]))
    drawn = [entries_of(see(forest, x, dt=0.1), 1) for x in (0, 15, 25, 25)]
    assert drawn == [[(1, 0)]] * 4, "no fade between LODs that draw one mesh"
    see(forest, 35, dt=0.1)
    assert set(fade_ranks(see(forest, 35, dt=0.1))) == {1, 3}


def test_teleports_and_far_jumps(see):
    forest = make(4, (10, 20, 30))
    forest.add([1], at([0, 0, 0]))
    see(forest, 0)
    see(forest, 500, dt=0.1)
    assert set(fade_ranks(see(forest, 500, dt=0.1))) == {0, 3}


def test_far_fade_midpoint(see):
    """Half of the ranks are gone at the root mean square of the ends: 1104.5 m, not 1100."""
    forest = make(1, (), pattern="hash", capacity=3)
    forest.add([1, 2, 3], at([0, 0, 1100], [0, 0, 1104.536], [0, 0, 1109]))
    lists = see(forest)
    hidden = [entries_of(lists, id)[0][1] for id in (1, 2, 3)]
    assert abs(hidden[1] - 8192) <= 2
    assert hidden[0] < 8192 - 300 and hidden[2] > 8192 + 300


def test_seed_rule_is_gone_early(see):
    """The levels of the rule whose last rank goes at amount 15/16: at 1171.8 m, not at 1200."""
    forest = make(1, (), rule="seed")
    forest.add([1, 2, 3, 4], at([0, 0, 1171], [0, 0, 1172.5], [0, 0, 1003], [0, 0, 1005]))
    lists = see(forest)
    assert entries_of(lists, 1) == [(0, 15)] and entries_of(lists, 2) == []
    assert entries_of(lists, 3) == [(0, 0)] and entries_of(lists, 4) == [(0, 1)]
    assert lists.stats["faded"] == 1


def test_dissolved_by_seed_rule_is_three_quarters(see):
    forest = make(rule="seed")
    forest.add([1], at([0, 0, 0]), depleted=True)
    assert entries_of(see(forest), 1) == [(0, 12)]


# ---- depletion ----


def test_no_flash_before_the_first_frame(see):
    forest = make()
    forest.add([1, 2], at([0, 0, 0], [1, 0, 0]), depleted=[True, False])
    lists = see(forest)
    assert entries_of(lists, 1) == [(0, 11)] and entries_of(lists, 2) == [(0, 0)]
    assert forest.interactable([1, 2]).tolist() == [False, True]
    forest.deplete([2])
    assert entries_of(see(forest), 2) == [(0, 11)]


def test_deplete_and_respawn(see):
    forest = make(pattern="hash")
    forest.add([1], at([0, 0, 0]))
    assert forest.deplete([1]).tolist() == [True]
    assert not forest.interactable([1])[0]
    assert forest.respawn([1, 99]).tolist() == [True, False]
    assert forest.interactable([1])[0]
    hidden = [entries_of(see(forest, dt=0.03), 1)[0][1] for _ in range(10)]
    wanted = [round(16384 * 0.7 * (1 - 0.1 * k)) for k in range(1, 11)]
    assert np.abs(np.array(hidden) - wanted).max() <= 2
    forest.deplete([1], instant=False, duration=1.0)
    see(forest, dt=0.5)
    forest.respawn([1], duration=1.0)
    half = entries_of(see(forest), 1)[0][1]
    assert abs(half - 0.35 * 16384) <= 2, "from what is there"


def test_removal_and_return_during_fades(see):
    forest = make()
    forest.add([1, 2], at([0, 0, 0], [0, 0, 0.01]))
    see(forest, 40)
    see(forest, 55, dt=0.01)
    forest.deplete([1], instant=False)
    assert len(entries_of(see(forest, 55, dt=0.1), 1)) == 2
    assert forest.remove([1]).tolist() == [True]
    lists = see(forest, 55, dt=0.01)
    assert entries_of(lists, 1) == [] and len(entries_of(lists, 2)) == 2
    forest.add([1], at([0, 0, 0]))
    assert entries_of(see(forest, 55, dt=0.01), 1) == [(1, 0)], "anew: no fade, not dissolved"


@pytest.mark.parametrize("dt", [np.nan, np.inf, -np.inf])
def test_time_must_be_finite(see, dt):
    forest = make()
    forest.add([1], at([0, 0, 0]), depleted=True)
    forest.respawn([1])
    before = see(forest)
    with pytest.raises(ValueError, match="dt"):
        forest.update(dt)
    assert see(forest).entries.tobytes() == before.entries.tobytes()


def test_time_that_stands_still_or_runs_back(see):
    forest = make()
    forest.add([1], at([0, 0, 0]))
    see(forest, 40, dt=1.0)
    assert entries_of(see(forest, 60, dt=0.0), 1) == [(1, 0)]
    assert entries_of(see(forest, 10, dt=-0.5), 1) == [(0, 0)]
    assert forest.now == 0.5
    see(forest, 60, dt=0.1)
    half = fade_ranks(see(forest, 60, dt=0.125))
    assert {lod: len(ranks) for lod, ranks in half.items()} == {0: 8, 1: 8}
    assert fade_ranks(see(forest, 60, dt=0.0)) == half
    assert entries_of(see(forest, 60, dt=-1.0), 1) == [(1, 0)]


# ---- the table ----


def test_growth_keeps_everything(see):
    forest = make()
    forest.add([7], at([0, 0, 0]))
    forest.highlight([7], 0.5)
    see(forest, 40)
    see(forest, 55, dt=0.01)
    forest.deplete([7], instant=False, duration=1.0)
    before = entries_of(see(forest, 55, dt=0.1), 7)
    others = np.arange(1000, 6000)
    forest.add(others, np.zeros((5000, 3)))
    lists = see(forest, 55, dt=0.0)
    assert entries_of(lists, 7) == before and len(before) == 2
    assert forest.highlights([7])[0] == pytest.approx(128 / 255)
    assert len(forest) == 5001


def test_capacity_names_what_found_no_room(see):
    forest = make(capacity=3)
    forest.add([1, 2], at([0, 0, 0], [0, 0, 0]))
    with pytest.raises(dw.CapacityError, match=r"at most 3 .* has 2; .* 2 of the new ones: 4, 5;"):
        forest.add([2, 3, 4, 5], np.zeros((4, 3)))
    assert forest.ids.tolist() == [1, 2], "nothing was added"
    forest.add([1, 2, 3], np.zeros((3, 3)))
    forest.remove([1])
    forest.add([9], np.zeros((1, 3)))
    assert sorted(forest.ids.tolist()) == [2, 3, 9]
    with pytest.raises(dw.CapacityError, match=r"100, 101, .*, \.\.\.;"):
        forest.add(np.arange(100, 200), np.zeros((100, 3)))


IDS = [0, 1, 2**31, 2**32, 2**32 + 1, 2**63, 2**64 - 1]


def test_ids_of_64_bits(see):
    forest = make()
    forest.add(IDS, np.zeros((len(IDS), 3)))
    assert set(forest.ids.tolist()) == set(IDS)
    assert set(see(forest).ids.tolist()) >= set(IDS)
    assert forest.deplete([2**32, 2**32 + 1]).all()
    hidden = {id: entries_of(see(forest), id)[0][1] for id in IDS}
    assert {id for id, count in hidden.items() if count} == {2**32, 2**32 + 1}
    assert forest.remove([2**64 - 1, 5]).tolist() == [True, False]
    assert 2**64 - 1 not in forest and 2**63 in forest


def test_unknown_and_doubled_ids():
    forest = make()
    with pytest.raises(ValueError, match=r"\b5\b"):
        forest.add([4, 5, 5], np.zeros((3, 3)))
    assert len(forest) == 0
    forest.add([4, 5], np.zeros((2, 3)))
    for call in (forest.remove, forest.deplete, forest.respawn, forest.highlight):
        with pytest.raises(ValueError, match=r"\b77\b.*strict"):
            call([4, 77], strict=True)
    assert forest.interactable([4]).all() and forest.highlights([4])[0] == 0
    for call in (forest.deplete, forest.respawn, forest.highlight, forest.set_interactable,
                 forest.set_casts_shadow, forest.remove):  # fmt: skip
        assert call([77, 4]).tolist() == [False, True]
    assert forest.deplete([]).tolist() == []
    for read in (forest.lod, forest.transforms, forest.interactable, forest.variants):
        with pytest.raises(ValueError, match=r"\b4\b"):
            read([4])


@pytest.mark.parametrize(
    ("ids", "error"),
    [([-1], ValueError), ([1.5], TypeError), ([True], TypeError), (["a"], TypeError),
     ([2**64], ValueError), ([[1]], ValueError)],
)  # fmt: skip
def test_ids_that_are_none(ids, error):
    with pytest.raises(error, match="ids"):
        make().add(ids, np.zeros((1, 3)))


def spoiled(**changes) -> np.ndarray:
    m = EYE.copy()
    for place, value in changes.items():
        m[int(place[1]), int(place[2])] = value
    return m


BAD = {
    "NaN": (spoiled(m03=np.nan), "nan"),
    "infinite": (spoiled(m11=np.inf), "inf"),
    "too large for float32": (spoiled(m03=1e300), "inf"),
    "zero scale": (spoiled(m11=0.0), "scales axis 1 by 0"),
    "mirrored": (spoiled(m00=-1.0), "mirrors"),
    "all negative": (-EYE + 2 * np.diag([0, 0, 0, 1.0]), "mirrors"),
    "singular": (spoiled(m01=1.0, m11=1e-12), "singular"),
    "projective": (spoiled(m30=1.0), "last row"),
    "transposed": (spoiled(m03=5.0).T, "last row"),
    "far away": (spoiled(m03=1e12), "within"),
    "tiny": (np.diag([1e-9, 1, 1, 1]), "scales axis 0"),
}


@pytest.mark.parametrize("name", BAD)
def test_transforms_that_cannot_be_drawn(name):
    matrix, text = BAD[name]
    forest = make()
    with pytest.raises(ValueError, match=rf"id 8\b.*{text}|{text}.*id 8\b|{text}"):
        forest.add([3, 8], np.stack([EYE, matrix]))
    with pytest.raises(ValueError, match=r"id 8\b"):
        forest.add([3, 8], np.stack([EYE, matrix]))
    assert len(forest) == 0


def test_transforms_in_every_form(see):
    forest = make()
    m = random_transforms(np.random.default_rng(0), 3, 10.0)
    forest.add([1, 2, 3], m[:, :3])
    forest.add([4], m[0])
    forest.add([5, 6], [[1, 2, 3], [4, 5, 6]])
    assert np.array_equal(forest.transforms([3, 1, 4]), m[[2, 0, 0]].astype(np.float32))
    assert forest.transforms([6])[0, :3, 3].tolist() == [4, 5, 6]
    assert forest.transforms().shape == (6, 4, 4)
    turned = np.rot90(np.eye(4), 2)[::-1, ::-1]
    forest.add([7], np.asfortranarray(turned)[None])
    for wrong in (np.zeros((2, 5)), np.zeros(3), np.zeros((1, 2, 4)), np.zeros((3, 3))):
        with pytest.raises(ValueError, match="transforms"):
            forest.add([1, 2], wrong)
    with pytest.raises(TypeError, match="transforms"):
        forest.add([1], [["a", "b", "c"]])


def test_variants_by_hash_are_even_and_stay():
    forest = dw.Forest(variants=[[MESH]] * 5, distances=[])
    ids = np.arange(20_000)
    forest.add(ids, np.zeros((20_000, 3)))
    variants = forest.variants(ids)
    counts = np.bincount(variants, minlength=5)
    chi2 = ((counts - 4000) ** 2 / 4000).sum()
    assert chi2 < 18.5  # 0.1 % of fair hashes are beyond it, at 4 degrees of freedom
    pairs = np.bincount(variants[:-1] * 5 + variants[1:], minlength=25)
    assert ((pairs - 800) ** 2 / 800).sum() < 51.2  # 24 degrees of freedom
    worse = ids // 4000  # the control: by ranges
    assert ((np.bincount(worse[:-1] * 5 + worse[1:], minlength=25) - 800) ** 2 / 800).sum() > 1e3
    forest.add(ids[::-1], np.zeros((20_000, 3)))
    assert np.array_equal(forest.variants(ids), variants)
    forest.add([3, 4], np.zeros((2, 3)), variant=[4, 0])
    assert forest.variants([3, 4]).tolist() == [4, 0]
    for wrong, error in [(5, ValueError), (-1, ValueError), (0.5, TypeError)]:
        with pytest.raises(error, match="variant"):
            forest.add([1], np.zeros((1, 3)), variant=wrong)


def test_stats_account_for_every_instance(see, rng, native_device):
    forest, _, ids = build(rng, 2000, {})
    for position, planes, dt in wander(rng, 6):
        stats = forest.cull(position, planes, dt=dt, device=native_device).stats
        shown = stats["listed"] - stats["crossfading"]
        assert shown + stats["outside"] + stats["faded"] == len(ids)
        assert stats["listed"] == stats["solid"] + stats["fading"]
        assert min(stats["outside"], stats["faded"], stats["solid"], stats["fading"]) > 0


def test_highlight_is_kept_in_256_steps():
    forest = make()
    forest.add([1, 2], np.zeros((2, 3)))
    forest.highlight([1, 2], [1.0, 0.25])
    assert forest.highlights([1, 2]).tolist() == [1.0, 64 / 255]
    for wrong in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match="intensity"):
            forest.highlight([1], wrong)


# ---- views ----


def test_spheres_reach_what_the_mesh_reaches(native_device):
    """An instance whose position is outside, but whose crown is not, is listed."""
    tall = card(width=1.0, height=40.0)
    forest = dw.Forest([tall], distances=[])
    turned = np.array([[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]) * 1.0
    forest.add([1], turned[None])
    for x, count in [(-39.0, 1), (-45.0, 0), (30.0, 1)]:
        planes = np.zeros((6, 4))
        planes[0] = [-1, 0, 0, x]  # what lies at -x or lower
        lists = forest.cull((0, 0, 0), planes, device=native_device)
        assert lists.stats["listed"] == count, x


def test_matrix_and_planes_agree(native_device, rng):
    forest = make(fade=None)
    forest.add(np.arange(3000), random_transforms(rng, 3000, 200))
    near, far, f = 0.1, 150.0, 1 / np.tan(0.5)
    view = np.diag([1.0, 1.0, 1.0, 1.0])
    view[:3, 3] = [0, -2, 0]
    for reverse in (False, True):
        a, b = (near / (far - near), near * far / (far - near)) if reverse else (
            -far / (far - near), -near * far / (far - near))  # fmt: skip
        projection = np.array([[f, 0, 0, 0], [0, -f, 0, 0], [0, 0, a, b], [0, 0, -1.0, 0]])
        lists = forest.cull((0, 2, 0), projection @ view, device=native_device)
        planes = look((0.0, 2.0, 0.0), np.pi, fov=1.0, far=far)
        wanted = forest.cull((0, 2, 0), planes, device=native_device)
        assert lists.entries.tobytes() == wanted.entries.tobytes()
        assert 50 < lists.stats["listed"] < 1500
    endless = np.array([[f, 0, 0, 0], [0, -f, 0, 0], [0, 0, 0, near], [0, 0, -1.0, 0]])
    more = forest.cull((0, 2, 0), endless @ view, device=native_device)
    assert more.stats["listed"] >= lists.stats["listed"]


def test_shadows_follow_the_camera_and_change_nothing(see):
    forest = make(pattern="bayer8")
    forest.add([1, 2, 3], at([0, 0, 0], [0, 0, 0.01], [0, 0, 0.02]))
    forest.set_casts_shadow([3], False)
    see(forest, 40)
    see(forest, 55, dt=0.01)
    main = see(forest, 55, dt=0.1)
    forest.deplete([2])
    main = see(forest, 55, dt=0.0)
    for name in ("hard", "dither"):
        light = see(forest, 55, shadow=name)
        assert light.states.tobytes() == main.states.tobytes()
        assert entries_of(light, 3) == []
        if name == "dither":
            assert entries_of(light, 1) == entries_of(main, 1)
        else:
            assert entries_of(light, 1) == [(0, 0)] and entries_of(light, 2) == []
    assert entries_of(see(forest, 55, dt=0.08), 1)[0][0] == 0
    assert entries_of(see(forest, 55, shadow="hard"), 1) == [(1, 0)]
    with pytest.raises(ValueError, match="off"):
        see(forest, shadow="off")


def test_shadow_before_the_first_view(see):
    forest = make()
    forest.add([1], at([0, 0, 0]), depleted=True)
    assert entries_of(see(forest, 60, shadow="dither"), 1) == [(1, 11)]
    assert forest.lod([1], device=dw.Device("cpu")).tolist() == [-1]


def test_lod_of_the_last_view(see, native_device):
    forest = make()
    forest.add([1, 2], at([0, 0, 0], [70, 0, 0]))
    assert forest.lod(device=native_device).tolist() == [-1, -1]
    see(forest)
    assert forest.lod([2, 1], device=native_device).tolist() == [1, 0]
    forest.add([1], at([0, 0, 0]))
    assert forest.lod([1], device=native_device).tolist() == [-1]


def test_lods_without_a_device_are_those_of_the_last_view():
    forest = make()
    forest.add([1], at([70, 0, 0]))
    assert forest.lod([1]).tolist() == [-1]
    with dw.Device("cpu") as other:
        forest.cull((0, 0, 0), device=other)
        forest.cull((70, 0, 0), shadow="hard")
        assert forest.lod([1]).tolist() == [1]
    assert forest.lod([1]).shape == (1,)  # also when that device is closed


def test_devices_come_and_go():
    """16 at once, any number one after another."""
    forest = make()
    forest.add([1], at([70, 0, 0]))
    opened = [dw.Device("cpu") for _ in range(16)]
    for device in opened:
        assert forest.cull((0, 0, 0), device=device).stats["listed"] == 1
    with dw.Device("cpu") as one_more:
        with pytest.raises(dw.CapacityError, match="at most 16 devices at once"):
            forest.cull((0, 0, 0), device=one_more)
        opened[3].close()
        assert forest.cull((0, 0, 0), device=one_more).stats["listed"] == 1
    for _ in range(40):
        with dw.Device("cpu") as device:
            assert forest.cull((0, 0, 0), device=device).stats["listed"] == 1
    for device in opened:
        device.close()


def test_empty_forests_have_empty_lists(see):
    forest = make()
    lists = see(forest)
    assert len(lists.entries) == 0 and lists.stats["listed"] == 0
    forest.add([1], at([0, 0, 0]))
    forest.remove([1])
    assert len(see(forest).entries) == 0


def test_commands_follow_the_lists(see):
    forest = make()
    forest.add([1, 2, 3], at([0, 0, 0], [1, 0, 0], [70, 0, 0]))
    draws = np.array([[30, 0, 0, 0], [12, 30, 5, 0], [9, 42, 7, 2], [9, 42, 7, 5]], np.uint32)
    forest._set_draws(draws)
    commands = see(forest).commands
    assert commands["instance_count"].tolist() == [2, 2, 1, 0]
    assert commands["index_count"].tolist() == [30, 12, 9, 9]
    assert commands["first_index"].tolist() == [0, 30, 42, 42]
    assert commands["vertex_offset"].tolist() == [0, 5, 7, 7]
    with pytest.raises(ValueError, match="bucket must be 0 to 5"):
        forest._set_draws(np.array([[3, 0, 0, 6]], np.uint32))


@pytest.mark.parametrize(
    ("position", "view"),
    [((np.nan, 0, 0), None), ((0, 0, np.inf), None), ((1e12, 0, 0), None),
     ((0, 0, 0), np.full((6, 4), np.nan)), ((0, 0, 0), np.zeros((5, 4))), ((0, 0), None)],
)  # fmt: skip
def test_views_that_are_none(native_device, position, view):
    forest = make()
    with pytest.raises(ValueError):
        forest.cull(position, view, device=native_device)


# ---- making one ----

DEFINITIONS = {
    "out of order": ({"distances": [100, 50]}, "distances must not fall"),
    "too few": ({"distances": [100]}, "2 in all, got 1"),
    "negative": ({"distances": [-1, 50]}, "distances"),
    "NaN": ({"distances": [np.nan, 50]}, "distances"),
    "last missing": ({"distances": [10, None]}, "last one must be given"),
    "fade backwards": ({"fade": (1200, 1000)}, "fade must be"),
    "fade of one number": ({"fade": 5}, "fade must be"),
    "near fade": ({"near_fade": (3, 3)}, "near_fade must be"),
    "fade of no width": ({"fade": (0, 1e-30)}, "fade must be .* apart"),
    "tiny distance": ({"distances": [1e-20, 50]}, "0 or at least"),
    "tiny scale": ({"dissolve_scale": 1e-38}, "dissolve_scale must be"),
    "crossfade": ({"crossfade": -0.1}, "crossfade must be"),
    "crossfade NaN": ({"crossfade": np.nan}, "crossfade must be"),
    "hysteresis": ({"hysteresis": 0.0}, "hysteresis must be"),
    "hysteresis above": ({"hysteresis": 1.1}, "hysteresis must be"),
    "capacity": ({"capacity": 0}, "capacity must be"),
    "blue": ({"pattern": "blue", "blue_size": 256}, "blue_size must be"),
    "pattern": ({"pattern": "plaid"}, "pattern must be"),
    "wind": ({"wind": np.nan}, "wind must be"),
    "color": ({"highlight_color": (1, 2)}, "highlight_color must be"),
    "duration": ({"dissolve_duration": np.nan}, "duration"),
    "scale": ({"dissolve_scale": 1.5}, "scale"),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_out_of_range(name):
    options, text = DEFINITIONS[name]
    with pytest.raises(ValueError, match=text):
        make(**{"distances": (50, 100), **options})


def test_meshes_that_are_none():
    with pytest.raises(ValueError, match="no mesh"):
        dw.Forest([None, None], distances=[5])
    with pytest.raises(ValueError, match="1 to 8 LODs, got 9"):
        make(9, range(10, 18))
    with pytest.raises(ValueError, match="1 to 16 variants, got 17"):
        dw.Forest(variants=[[MESH]] * 17, distances=[])
    with pytest.raises(ValueError, match="as many LODs"):
        dw.Forest(variants=[[MESH], [MESH, MESH]], distances=[5])
    with pytest.raises(TypeError, match="LOD 1 of variant 0"):
        dw.Forest([MESH, "mesh"], distances=[5])
    with pytest.raises(ValueError, match="lods must be given"):
        dw.Forest(distances=[])


def test_a_lod_of_several_materials_has_one_sphere(native_device):
    crown = dw.Mesh(np.array([[-3, 9, 0], [3, 9, 0], [0, 12, 0]], np.float32))
    forest = dw.Forest([[MESH, crown], MESH], distances=[50])
    record = forest._table()[1]
    assert len(record) == 0
    forest.add([1], at([0, 0, 0]))
    values = np.ascontiguousarray(forest._table()[1]).view(np.float32)[0]
    centre, radius = values[4:7], values[7]
    for mesh in (MESH, crown):
        assert (np.linalg.norm(mesh.positions - centre, axis=1) <= radius).all()
    assert radius < 12


def test_close_and_use_from_two_threads(native_device):
    forest = make()
    forest.add([1], at([0, 0, 0]))
    forest.close()
    forest.close()
    assert forest.closed and len(forest) == 0
    for call in (lambda: forest.add([2], at([0, 0, 0])), lambda: forest.update(0.1),
                 lambda: forest.cull((0, 0, 0), device=native_device)):  # fmt: skip
        with pytest.raises(ValueError, match="closed"):
            call()
    forest = make()
    forest.add(np.arange(200_000), np.zeros((200_000, 3)))
    errors: list[str] = []

    def work():
        for _ in range(20):
            try:
                forest.cull((0, 0, 0), device=native_device)
            except ValueError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use by another thread" in text for text in errors)


def test_memory_is_given_back(native_device):
    gc.collect()
    before = _core.host_allocations()
    forest = make()
    forest.add(np.arange(1000), np.zeros((1000, 3)))
    forest.cull((0, 0, 0), device=native_device)
    assert _core.host_allocations() > before
    forest.close()
    assert _core.host_allocations() == before


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"lods": MESH}, "lods must be a list with an entry for each LOD, .* got Mesh"),
        ({"lods": 5}, "lods must be a list .* got 5"),
        ({"lods": None, "variants": 5}, "variants must be a list of lists like lods, got 5"),
        ({"lods": None, "variants": [MESH]}, "lods must be a list .* got Mesh"),
        ({"distances": 40}, "distances must be a list of metres, .* got 40"),
        ({"distances": "x"}, "distances must be a number, got 'x'"),
        ({"capacity": "x"}, "capacity must be a whole number, got 'x'"),
        ({"capacity": 1.5}, "capacity must be a whole number, got 1.5"),
        ({"blue_size": 64.0}, "blue_size must be a whole number, got 64.0"),
        ({"crossfade": None}, "crossfade must be a number, got None"),
        ({"hysteresis": "x"}, "hysteresis must be a number, got 'x'"),
        ({"softness": "x"}, "softness must be a number, got 'x'"),
        ({"wind": "x"}, "wind must be a number, got 'x'"),
        ({"dissolve_duration": "x"}, "dissolve_duration must be a number, got 'x'"),
        ({"dissolve_scale": []}, r"dissolve_scale must be a number, got \[\]"),
    ],
)
def test_what_is_of_another_type_is_named(options, text):
    with pytest.raises(TypeError, match=text):
        dw.Forest(**{"lods": [MESH, MESH], "distances": (40,), **options})


def test_values_of_another_length_are_named():
    for lods in ([], ()):
        with pytest.raises(ValueError, match="lods .* is empty"):
            dw.Forest(lods, distances=())
    with pytest.raises(ValueError, match="lods .* is empty"):
        dw.Forest(distances=(), variants=[])
    with pytest.raises(ValueError, match="highlight_color must be three numbers .* got 'x'"):
        make(highlight_color="x")
    forest = make()
    for name, values in (("depleted", [False] * 3), ("variant", [0] * 3)):
        wanted = rf"{name} must be one value or one for each of the 2 ids, got shape \(3,\)"
        with pytest.raises(ValueError, match=wanted):
            forest.add([1, 2], np.zeros((2, 3)), **{name: values})
    forest.add(1, (0, 0, 0))  # one id, one place
    assert forest.transforms([1])[0].tolist() == np.eye(4).tolist()
    with pytest.raises(ValueError, match="intensity must be one value or one for each of the 1"):
        forest.highlight([1], [0.1, 0.2])
    with pytest.raises(TypeError, match="intensity must be 0 to 1, got 'x'"):
        forest.highlight([1], "x")
    with pytest.raises(ValueError, match="on must be one value or one for each of the 1 ids"):
        forest.set_interactable([1], [True, False])
    for position in ((0, 0), "x", None, 5):
        with pytest.raises(ValueError, match="position must be 3 numbers, got"):
            forest.cull(position)


def test_events_wait_until_they_are_taken():
    forest = make()
    forest.add([5, 6], np.zeros((2, 3)))
    forest.deplete([5])
    forest.update(0.1)
    forest.update(0.1)
    forest.respawn([5])
    forest.update(0.1)
    forest.update(1.0)
    events = forest.take_events()
    assert events["kind"].tolist() == ["started", "completed"] * 2
    assert (np.diff(events["time"]) >= 0).all() and set(events["id"].tolist()) == {5}
    assert len(forest.take_events()) == 0 and forest.take_events().dtype == events.dtype


def test_events_that_nobody_takes_do_not_pile_up():
    forest = make()
    forest.add(np.arange(20_000), np.zeros((20_000, 3)))
    for _ in range(6):
        forest.deplete(np.arange(20_000))
        forest.update(0.1)
    assert len(forest.take_events()) == 40_000  # two of one start make less than 65536


def test_the_dissolve_field_of_a_forest():
    forest = make()
    forest.add([5, 2**40], np.zeros((2, 3)), depleted=[True, False])
    field = forest.dissolve
    assert field.value([5, 2**40]).tolist() == [1.0, 0.0]
    field.start([2**40], +1, duration=2.0)
    assert forest.update(0.5)["kind"].tolist() == ["started"]
    assert forest.take_events()["id"].tolist() == [2**40]
    assert len(forest.take_events()) == 0
    assert field.value(2**40) == pytest.approx(0.25)
    assert forest.now == field.now == 0.5
    for call in (lambda: field.add([9]), lambda: field.remove([5])):
        with pytest.raises(ValueError, match="belongs to .*Forest"):
            call()
    del forest
    gc.collect()
    assert field.value(5) == 1.0, "a field keeps its forest"


def test_a_dissolve_field_outlives_the_close_of_its_forest():
    before = _core.host_allocations()
    forest = make()
    forest.add([5], np.zeros((1, 3)))
    field = forest.dissolve
    forest.close()
    assert field.value(5) == 0.0
    with pytest.raises(ValueError, match="closed"):
        _ = forest.dissolve
    del field, forest
    gc.collect()
    assert _core.host_allocations() == before


def test_events_of_depletion():
    forest = make()
    forest.add([3, 1], np.zeros((2, 3)))
    forest.deplete([1, 3])
    events = forest.update(0.0)
    assert events["id"].tolist() == [1, 1, 3, 3]
    assert events["kind"].tolist() == ["started", "completed"] * 2
    forest.respawn([1])
    forest.update(0.1)
    forest.remove([1])
    assert forest.update(0.1)["kind"].tolist() == ["interrupted"]


def test_bounds(rng):
    forest = make()
    assert forest.bounds is None
    transforms = random_transforms(rng, 50, 80.0)
    forest.add(np.arange(50), transforms)
    points = np.concatenate([MESH.positions @ m[:3, :3].T + m[:3, 3] for m in transforms])
    low, high = forest.bounds
    assert (low <= points.min(axis=0)).all() and (high >= points.max(axis=0)).all()
    assert (high - low).max() < 220
    forest.remove(np.arange(1, 50))
    low, high = forest.bounds
    assert (high - low).max() < 25


# ---- LOD distances ----


def test_lod_presets():
    tree = dw.lod_distances("tree")
    assert tree == ((800, 1000, 1200), (1500, 1800))
    assert dw.lod_distances("bush", lod1=10, size=10).distances == (20, 1000, 1300)
    assert dw.lod_distances("grass", size=0.1).distances == pytest.approx((45, 66, 84))
    assert dw.LOD_PRESETS["default"] == (45, 85, 120, 200)
    forest = dw.Forest([MESH] * 4, **tree._asdict())
    assert forest.distances == (800, 1000, 1200)


def test_missing_distances_are_filled():
    assert dw.lod_distances(imposter=100, fade=200).distances == (0, 50, 100)
    assert dw.lod_distances(lod1=20, imposter=100, fade=200).distances == (20, 60, 100)
    assert make(4, (None, None, 80)).distances == (0, 40, 80)
    for wrong in ({"imposter": 10}, {"fade": 10}, {"lod1": 20, "imposter": 10, "fade": 50},
                  {"preset": "shrub"}, {"imposter": 5, "fade": 9, "size": 0.0}):  # fmt: skip
        with pytest.raises(ValueError):
            dw.lod_distances(**wrong)


def test_a_forest_tells_what_it_was_made_of():
    options = {
        "fade": (10, 20), "near_fade": (1, 2), "capacity": 5, "crossfade": 0.5, "wind": 0.1,
        "hysteresis": 0.8, "size_scaling": True, "dissolve_duration": 0.4, "dissolve_scale": 0.6,
        "softness": 0.3, "highlight_color": (1, 0, 0), "blue_size": 32,
        "pattern": dw.DitherPattern.BLUE, "rule": dw.DitherRule.STRICT,
        "encoding": dw.DissolveEncoding.ANALYTIC, "combine": dw.FadeCombine.MULTIPLY,
        "easing": dw.Easing.SMOOTHSTEP, "direction": dw.DissolveDirection.UP,
    }  # fmt: skip
    forest = make(**options)
    assert {name: getattr(forest, name) for name in options} == options
    assert forest.distances == (50, 100) and forest.meshes == (((MESH,),) * 3,)
    assert forest.dissolve.scale == pytest.approx(0.6)
    assert forest.dissolve.easing == dw.Easing.SMOOTHSTEP
