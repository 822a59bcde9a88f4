# SPDX-License-Identifier: MIT
"""Forests in pictures: cross-fades that share pixels out exactly, and trees that are never lost."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_forest import discard_count
from helpers_render import (
    FRAME,
    GREEN,
    RED,
    Studio,
    bayer,
    covered,
    front,
    ids_of,
    quad,
    scene_of,
    shows,
)

ASIDE = (1000.0, 0.0, 0.0)  # where the camera does not look


class Halves:
    """A tree of two LODs as three forests: the first LOD alone, the second alone, and both. A LOD
    that is left out stands aside, so that all three go through the same."""

    def __init__(self, studio: Studio, **options):
        self.studio = studio
        first, second = quad(color=RED), quad(color=GREEN)
        aside = quad(at=ASIDE)
        options = {"distances": [20], "dissolve_scale": 1.0, **options}
        lods = [[first, aside], [aside, second], [first, second]]
        self.forests = [studio.forest(pair, **options) for pair in lods]
        for forest in self.forests:
            forest.add([5, 6], [[7000, 0, 0], [0, 0, 0]])
        self.scenes = [scene_of(forest) for forest in self.forests]

    def render(self, distance: float, time: float, **options) -> list[np.ndarray]:
        """Pixels of the first LOD, pixels of the second: drawn apart, and once more together."""
        frames = [
            self.studio.render(scene, front(distance), time=time, **options)
            for scene in self.scenes
        ]
        low, high = covered(frames[0]), covered(frames[1])
        assert (shows(frames[2], 0) == (low & ~high)).all()
        assert (shows(frames[2], 1) == high).all()
        assert (covered(frames[2]) == (low | high)).all()
        return [low, high]

    def dissolve(self, amount: float) -> None:
        for forest in self.forests:
            forest.dissolve.set([6], [amount])


def test_a_cross_fade_shares_the_pixels_out_for_all_counts(studio):
    halves = Halves(studio, crossfade=1.0)
    ranks = bayer(2, 16, 16)
    outgoing, incoming = halves.render(10, 0.0, size=(16, 16))
    assert outgoing.all() and not incoming.any()
    for count in range(17):
        outgoing, incoming = halves.render(30, (count + 1) / 16, size=(16, 16))
        assert (incoming == (ranks < count)).all()
        assert (outgoing == (ranks >= count)).all()  # each pixel once: no hole, none twice


@pytest.mark.parametrize("pattern", ["bayer16", "blue", "hash"])
def test_a_cross_fade_shares_the_pixels_out_by_every_pattern(studio, pattern):
    halves = Halves(studio, crossfade=1.0, pattern=pattern)
    halves.render(10, 0.0)
    row = halves.forests[0].dissolve.rows(6)
    for share in (0.0, 0.013, 0.2, 0.5, 0.77, 0.999, 1.0):
        time = 0.125 + share
        outgoing, incoming = halves.render(30, time)
        assert (outgoing ^ incoming).all()
        ticks = round(time * 65536) - 8192
        wanted = dw.discard_mask(ticks / 65536, (64, 64), pattern=pattern, instance=row)
        assert (incoming == wanted).all()


def test_what_both_lods_leave_is_what_a_dissolve_leaves(studio):
    """For all pairs of dissolved ranks m and cross-faded ranks n: the union is k >= m, exactly."""
    halves = Halves(studio, crossfade=1.0)
    ranks = bayer(2, 4, 4)
    halves.render(10, 0.0, size=(4, 4))
    for n in range(17):
        for m in range(17):
            halves.dissolve(m / 16)
            outgoing, incoming = halves.render(30, (n + 1) / 16, size=(4, 4))
            assert ((outgoing | incoming) == (ranks >= m)).all(), (m, n)
            assert not (outgoing & incoming).any(), (m, n)
            assert (incoming == ((ranks >= m) & (ranks < n))).all(), (m, n)


@pytest.mark.parametrize("options", [{"samples": 4}, {"temporal": 5}])
def test_a_cross_fade_leaves_no_hole_in_samples_and_sub_frames(studio, options):
    forest = studio.forest(
        [quad(color=RED), quad(color=GREEN)], distances=[20], crossfade=1.0, pattern="blue"
    )
    forest.add([1], [[0, 0, 0]])
    scene = scene_of(forest)
    try:
        studio.render(scene, front(10), **options)
    except ValueError as error:
        pytest.skip(str(error))
    for i in range(1, 6):
        color = studio.render(scene, front(30), time=0.1 + 0.17 * i, **options).color
        assert (color[..., 3] == 255).all()
        assert len(np.unique(color[..., 0])) > 1 or i == 1


def test_a_cross_fade_turns_round_where_it_is(studio):
    halves = Halves(studio, crossfade=0.5, pattern="blue")
    halves.render(10, 0.0)
    counts, time = [0], 0.0
    for distance in [30] * 12 + [10] * 6 + [30] * 9 + [10] * 60:
        time += FRAME
        outgoing, incoming = halves.render(distance, time)
        assert (outgoing ^ incoming).all()
        counts.append(int(incoming.sum()))
    assert np.abs(np.diff(counts)).max() <= 4096 * FRAME / 0.5 + 2
    assert counts[12] > 1000 and counts[18] < counts[12] and counts[27] > counts[18]
    assert counts[-1] == 0


def test_without_time_lods_switch_at_once(studio):
    halves = Halves(studio, crossfade=0.5)
    for time in (0.0, 1 / 60, 0.1):  # no whole number of ticks, so that rounding could show
        assert halves.render(10, time)[0].all()
        assert halves.render(30, time)[1].all()
        assert halves.render(10, time)[0].all()


def lod_by_hysteresis(distance: float, lod: int, distances) -> int:
    found = 0
    for i, begin in enumerate(distances, 1):
        if distance >= begin * (0.9 if i <= lod else 1.0):
            found = i
    return found


@pytest.mark.parametrize("crossfade", [0.0, 0.1])
def test_lods_change_mid_fade_without_a_flash(studio, crossfade):
    """A camera goes out and back over every hysteresis edge while the tree dissolves and comes
    back: each frame shows what the dissolve leaves, no pixel more and no pixel less."""
    distances = (20.0, 40.0, 60.0)
    lods = [quad(color=color) for color in (RED, GREEN, (0, 0, 0.5, 1), (0.3, 0.3, 0.3, 1))]
    forest = studio.forest(
        lods, distances=distances, crossfade=crossfade, pattern="blue", dissolve_scale=0.7
    )
    forest.add([9], [[0, 0, 0]])
    scene = scene_of(forest)
    ranks = dw.dither_ranks("blue").astype(int)
    path = np.r_[np.linspace(15, 68, 60), np.linspace(68, 15, 60), 37, 35.9, 40.1, 36.1, 35.9]
    lod, seen, crossed, depleted = 0, set(), 0, []
    for i, distance in enumerate(path):
        if i % 40 == 5:
            forest.deplete([9], instant=False, duration=0.5)
        if i % 40 == 25:
            forest.respawn([9], duration=0.4)
        frame = studio.render(scene, front(distance), time=i * FRAME)
        count = discard_count("centred", 4096, np.float32(0.7) * forest.dissolve.value([9]))[0]
        assert (covered(frame) == (ranks >= count)).all(), i
        lod = lod_by_hysteresis(distance, lod, distances)
        assert forest.lod([9], device=studio.device)[0] == lod, i
        colors = np.unique(frame.color[covered(frame)][:, :3], axis=0)
        assert len(colors) in (1, 2)  # two LODs at most
        if crossfade == 0.0:
            assert len(colors) == 1
        crossed += len(colors) == 2
        seen.add(lod)
        depleted.append(count)
    assert seen == {0, 1, 2, 3}
    assert (crossed > 20) == (crossfade > 0)
    assert max(depleted) > 1500 and min(depleted) == 0


def test_leaps_over_lods_mid_fade_leave_no_hole(studio, rng):
    """Third and fourth LODs asked for while two are shown: two at most are, and all is covered."""
    lods = [quad(color=color) for color in (RED, GREEN, (0, 0, 0.5, 1), (0.3, 0.3, 0.3, 1))]
    forest = studio.forest(lods, distances=(20, 40, 60), crossfade=0.2, pattern="bayer16")
    forest.add([9], [[0, 0, 0]])
    scene, before, jumps = scene_of(forest), None, []
    for i in range(120):
        distance = rng.choice([10.0, 30.0, 50.0, 70.0]) if i % 5 == 0 else distance
        frame = studio.render(scene, front(distance), time=i * FRAME)
        assert covered(frame).all()
        assert len(np.unique(frame.color[..., :3].reshape(-1, 3), axis=0)) in (1, 2)
        if before is not None:
            jumps.append((frame.color != before).any(axis=2).mean())
        before = frame.color
    # a twelfth of the pixels changes hands in a frame, half of them where a third LOD comes in
    assert max(jumps) <= 0.6 and np.median(jumps) <= 0.1


def test_a_missing_lod_is_drawn_by_the_next_finer_one(studio):
    forest = studio.forest([quad(color=RED), None, quad(color=GREEN)], distances=[20, 40])
    forest.add([1], [[0, 0, 0]])
    scene = scene_of(forest)
    for i, (distance, channel) in enumerate(((10, 0), (30, 0), (50, 1), (37, 1), (33, 0))):
        frame = studio.render(scene, front(distance), time=i)  # a second: cross-fades are over
        studio.render(scene, front(distance), time=i + 0.5)
        frame = studio.render(scene, front(distance), time=i + 0.6)
        assert shows(frame, channel).all()


# -- many trees --


def field(studio, count: int, side: int, **options) -> tuple[dw.Forest, dw.Scene, np.ndarray]:
    """A forest of little squares, four pixels each, in rows of `side`; ids are beyond 32 bits."""
    forest = studio.forest([quad(1.0)], **options)
    at = np.arange(count)
    places = np.zeros((count, 3))
    places[:, 0] = 2 * (at % side) - side + 1
    places[:, 1] = side - 1 - 2 * (at // side)
    ids = 2**33 + 7 * at.astype(np.uint64)
    forest.add(ids, places)
    return forest, scene_of(forest), ids


def pixels_of(index: int, side: int) -> tuple[slice, slice]:
    row, column = divmod(index, side)
    return slice(2 * row, 2 * row + 2), slice(2 * column, 2 * column + 2)


@pytest.mark.parametrize(
    "count", [0, 1, 512, 513, pytest.param(100_000, marks=pytest.mark.slow)]
)
def test_every_tree_of_a_pool_is_drawn(studio, count):
    side = 32 if count <= 1024 else 320
    forest, scene, ids = field(studio, count, side)
    forest.deplete(ids[::3])
    frame = studio.render(scene, front(height=2 * side), size=(2 * side, 2 * side))
    wanted = {int(id): (4 if i % 3 else 0) for i, id in enumerate(ids)}
    found = ids_of(frame)
    assert set(found) <= set(wanted)
    assert all(found.get(id) == 4 for id, pixels in wanted.items() if pixels)
    assert frame.stats.instances == count
    for i in sorted({0, count // 2, count - 1} & set(range(count))):
        assert set(np.unique(frame.ids[pixels_of(i, side)])) - {0} <= {1 + i}
        y, x = (part.start for part in pixels_of(i, side))
        if i % 3:
            assert frame.pick(x, y) == (forest, int(ids[i]))
    assert frame.stats.draw_calls == 2  # one list of whole trees, one of fading ones


def test_a_tree_that_is_removed_added_again_and_replaced_mid_fade(studio):
    forest, scene, ids = field(studio, 512, 32, dissolve_scale=1.0)
    options = {"size": (64, 64)}
    camera = front(height=64)
    forest.deplete(ids, instant=False, duration=1.0)
    half = covered(studio.render(scene, camera, time=0.5, **options))
    assert half[:32].mean() == 0.5 and not half[32:].any()
    forest.remove(ids[100:200])
    forest.add(ids[150:200], forest_places(150, 200))  # again, and whole
    forest.add(ids[300:310], forest_places(300, 310))  # replaced
    forest.add(ids[310:320], forest_places(310, 320), depleted=True)
    frame = studio.render(scene, camera, time=0.5, **options)
    now, found = covered(frame), ids_of(frame)
    for i in range(512):
        here = now[pixels_of(i, 32)]
        if 100 <= i < 150 or 310 <= i < 320:
            assert not here.any(), i
        elif 150 <= i < 200 or 300 <= i < 310:
            assert here.all() and found[int(ids[i])] == 4, i
        else:
            assert (here == half[pixels_of(i, 32)]).all(), i
    frame = studio.render(scene, camera, time=1.0, **options)
    assert set(ids_of(frame)) == {int(id) for id in ids[[*range(150, 200), *range(300, 310)]]}


def forest_places(first: int, end: int, side: int = 32) -> np.ndarray:
    at = np.arange(first, end)
    return np.stack([2 * (at % side) - side + 1, side - 1 - 2 * (at // side), 0 * at], axis=1)


def test_a_highlight_lights_its_own_tree(studio):
    """Also after the rows before it are gone, and where another tree gets one of those."""
    forest = studio.forest([quad(1.0, unlit=False)], highlight_color=(0, 1, 1))
    forest.add(np.arange(64), forest_places(0, 64, 8))
    scene, camera = scene_of(forest), front(height=16)
    plain = studio.render(scene, camera, size=(16, 16)).color

    def lit() -> set[int]:
        frame = studio.render(scene, camera, size=(16, 16))
        there = covered(frame)
        changed = (frame.color != plain).any(axis=2) & there
        brighter = (frame.color.astype(int) >= plain.astype(int)).all(axis=2)
        assert brighter[there].all()
        return {frame.what(int(n))[1] for n in np.unique(frame.ids[changed])}

    assert lit() == set()
    forest.highlight([20, 41])
    assert lit() == {20, 41}
    forest.remove(np.arange(0, 20))
    assert lit() == {20, 41}
    forest.add(np.arange(100, 110), forest_places(0, 10, 8))
    assert lit() == {20, 41}
    forest.remove([20])
    forest.add([20], forest_places(20, 21, 8))  # a new instance starts without
    assert lit() == {41}
    forest.highlight([41], 0.0)
    assert lit() == set()


def test_draws_do_not_grow_with_trees(studio):
    counts = []
    for count in (1, 100, 1024):
        forest = studio.forest(
            [[quad(1.0), quad(1.0, color=RED)], quad(1.0, color=GREEN)], distances=[20]
        )
        forest.add(np.arange(count), forest_places(0, count))
        counts.append(studio.render(scene_of(forest), front(height=64)).stats.draw_calls)
    assert counts == [6, 6, 6]  # three materials, each whole and fading


def test_several_materials_of_a_lod_fade_alike(studio):
    """A trunk and leaves in one LOD: halves of a picture that dissolve by the same ranks."""
    left, right = quad(2.0, at=(-2, 0, 0), color=RED), quad(2.0, at=(2, 0, 0), color=GREEN)
    forest = studio.forest([[left, right]], pattern="bayer8", dissolve_scale=0.6)
    forest.add([1], [[0, 0, 0]], depleted=True)
    frame = studio.render(scene_of(forest), size=(64, 32))
    missing = dw.discard_mask(0.6, (32, 64), pattern="bayer8")
    assert (covered(frame) == ~missing).all()
    assert (shows(frame, 0)[:, :32] == ~missing[:, :32]).all()
    assert (shows(frame, 1)[:, 32:] == ~missing[:, 32:]).all()


def test_variants_have_their_own_meshes_and_heights(studio):
    """A low and a tall variant, each half of the picture wide, dissolve along their own height."""
    low = quad(1.0, at=(-1, -1, 0), color=RED)
    tall = dw.Mesh(
        np.array([[0, -2, 0], [2, -2, 0], [2, 2, 0], [0, 2, 0]], np.float32),
        np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        material=dw.Material(base_color=GREEN, unlit=True),
    )
    forest = studio.forest(
        variants=[[low], [tall]], lods=None, direction="up", softness=0.01, dissolve_scale=1.0
    )
    forest.add([1, 2], [[0, 0, 0], [0, 0, 0]], variant=np.array([0, 1]))
    scene = scene_of(forest)
    frame = studio.render(scene)
    assert shows(frame, 0)[32:, :32].all() and shows(frame, 1)[:, 32:].all()
    forest.dissolve.set([1, 2], [0.5, 0.5])
    frame = studio.render(scene)
    rows = [shows(frame, 0)[:, :32].all(axis=1), shows(frame, 1)[:, 32:].all(axis=1)]
    # half of each is left, from the top of it down, but for the soft hundredth
    assert np.flatnonzero(rows[0]).tolist() == list(range(32, 48))
    assert np.flatnonzero(rows[1]).tolist() == list(range(0, 32))


# -- more than one view --


def test_a_picture_tells_lods_and_events(studio):
    """Neither needs the renderer's device, nor to be asked for after every picture."""
    forest = studio.forest([quad(1.0), quad(0.5)], distances=[12])
    forest.add([3, 4], [[0, 0, 0], [0, 0, -9]])
    forest.deplete([3])
    scene = scene_of(forest)
    for i in range(5):
        studio.render(scene, front(), time=i * FRAME)
    assert forest.lod([3, 4]).tolist() == [0, 1]
    assert forest.take_events()["kind"].tolist() == ["started", "completed"]


def test_two_renderers_share_a_forest(studio):
    """Each frame is right, whichever renderer makes it: what a view remembers is the device's."""
    forest = studio.forest([quad(color=RED), quad(color=GREEN)], distances=[20], crossfade=0.0)
    forest.add([1], [[0, 0, 0]])
    scene = scene_of(forest)
    one, two = studio.renderer((64, 64)), studio.renderer((32, 32))
    for i in range(4):
        assert shows(one.render(scene, front(10), time=i / 10), 0).all()
        assert shows(two.render(scene, front(30), time=i / 10 + 0.05), 1).all()
    forest.deplete([1])
    masks = [covered(r.render(scene, front(10), time=1.0)) for r in (one, two)]
    assert (masks[0][:32, :32] == masks[1]).all() and not masks[1].all()


def test_things_come_and_go_between_frames(studio):
    forest = studio.forest([quad(1.0, color=RED)])
    forest.add([1], [[0, 0, 0]])
    scene = scene_of()
    assert not covered(studio.render(scene)).any()
    thing = scene.add(quad(0.5, at=(0, 0, 1), color=GREEN))
    scene.add(forest)
    frame = studio.render(scene)
    assert shows(frame, 0).sum() == 32 * 32 - 16 * 16 and shows(frame, 1).sum() == 16 * 16
    assert frame.pick(32, 32) == (thing, 0) and frame.pick(18, 18) == (forest, 1)
    assert frame.pick(0, 0) is None
    scene.remove(thing)
    after = studio.render(scene)
    assert shows(after, 0).sum() == 32 * 32
    forest.remove([1])
    assert not covered(studio.render(scene)).any()
    assert after.pick(32, 32) == (forest, 1)  # a frame knows what it showed
    scene.remove(forest)
    assert not covered(studio.render(scene)).any()


def test_a_forest_that_nobody_has_leaves_the_device(studio):
    scene, device = scene_of(quad()), studio.device
    studio.render(scene)
    before = device.live_counts()["buffers"]
    for _ in range(3):
        forest = dw.Forest([quad(1.0)], distances=[])
        forest.add([1], [[0, 0, 0]])
        scene.add(forest)
        studio.render(scene)
        scene.remove(forest)
        del forest
    studio.render(scene)
    assert device.live_counts()["buffers"] <= before
