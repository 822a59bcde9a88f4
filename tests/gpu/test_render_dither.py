# SPDX-License-Identifier: MIT
"""What fades take away of a picture, pixel by pixel: patterns, rules, animations, distances."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from helpers_forest import discard_count
from helpers_render import FRAME, bayer, covered, front, quad, scene_of

F32 = np.float32
PATTERNS = {
    "bayer4": ("bayer4", 64),
    "bayer8": ("bayer8", 64),
    "bayer16": ("bayer16", 64),
    "blue 8": ("blue", 8),
    "blue": ("blue", 64),
    "blue 128": ("blue", 128),
    "hash": ("hash", 64),
}
RULES = ("centred", "seed", "strict")
AMOUNTS = (0.0, 0.0009, 0.001, 0.03, 0.0625, 0.37, 0.5, 0.7, 0.9375, 0.97, 1.0)

# Ranks that an amount of 0.7 takes of 16, 64 and 256, by rule.
TABLE = {"seed": (12, 45, 180), "strict": (12, 45, 180), "centred": (11, 45, 179)}
# Cells of 16 that are gone in the frames of a respawn in 0.3 s at 60 frames a second.
RESPAWN = [12, 11, 10, 10, 9, 9, 8, 7, 7, 6, 5, 5, 4, 4, 3, 2, 2, 1, 0]


def lone_tree(studio, **options) -> tuple[dw.Forest, dw.Scene]:
    """A tree that fills the picture, in a row that is not the first."""
    forest = studio.forest([quad()], **{"dissolve_scale": 1.0, **options})
    forest.add([3, 8], [[5000, 0, 0], [0, 0, 0]])
    return forest, scene_of(forest)


def gone(studio, scene, camera=None, **options) -> np.ndarray:
    return ~covered(studio.render(scene, camera, **options))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", PATTERNS)
def test_the_mask_of_a_picture_is_that_of_discard_mask(studio, name, rule):
    pattern, side = PATTERNS[name]
    forest, scene = lone_tree(studio, pattern=pattern, rule=rule, blue_size=side)
    size = side if pattern == "blue" else None
    masks = dw.discard_mask(
        AMOUNTS, (150, 140), pattern=pattern, rule=rule, size=size, instance=forest.dissolve.rows(8)
    )
    for amount, mask in zip(AMOUNTS, masks, strict=True):
        forest.dissolve.set([8], [amount])
        assert (gone(studio, scene, size=(140, 150)) == mask).all(), amount


def test_a_mask_does_not_depend_on_what_else_is_in_the_scene(studio):
    forest, scene = lone_tree(studio, pattern="hash")
    forest.dissolve.set([8], [0.6])
    alone = gone(studio, scene)
    other = studio.forest([quad()])
    other.add(np.arange(40), np.full((40, 3), 3000.0))
    crowded = scene_of(quad(1.0, at=(0, 900, 0)), other, forest)
    assert (gone(studio, crowded) == alone).all()
    row = forest.dissolve.rows(8)
    assert row == 1
    other_mask = dw.discard_mask(0.6, (64, 64), pattern="hash", instance=row + 1)
    assert (other_mask != alone).any()  # it is the row that decides


def test_fades_take_whole_pixels(studio):
    """Also where a pixel has several samples: ranks belong to pixels."""
    forest, scene = lone_tree(studio, pattern="blue", dissolve_scale=0.45)
    forest.deplete([8])
    try:
        missing = gone(studio, scene, samples=4)
    except ValueError as error:
        pytest.skip(str(error))
    assert (missing == dw.discard_mask(0.45, (64, 64), pattern="blue")).all()


@pytest.mark.parametrize("rule", RULES)
def test_levels_of_the_seeds_matrix(studio, rule):
    """Amounts on and between all steps take the ranks that the definition says, lowest first."""
    seed = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]])
    assert (bayer(2, 4, 4) == seed).all()
    forest, scene = lone_tree(studio, pattern="bayer4", rule=rule)
    ranks, found = np.tile(seed, (2, 2)), set()
    for amount in np.arange(0, 97) / 96:
        forest.dissolve.set([8], [amount])
        count = discard_count(rule, 16, np.array(amount, F32))
        assert (gone(studio, scene, size=(8, 8)) == (ranks < count)).all(), amount
        found.add(int(count))
    assert found == set(range(17))


@pytest.mark.parametrize("rule", RULES)
def test_fourteen_levels_at_a_scale_of_seven_tenths(studio, rule):
    """Of 16 ranks a dissolve takes 0 to 12, or 11 by the centred rule, and no other number."""
    forest, scene = lone_tree(studio, dissolve_scale=0.7, rule=rule)
    counts = []
    for value in np.linspace(0, 1, 85):
        forest.dissolve.set([8], [value])
        counts.append(int(gone(studio, scene, size=(4, 4)).sum()))
    assert counts == sorted(counts)
    assert sorted(set(counts)) == list(range(TABLE[rule][0] + 1))


@pytest.mark.parametrize("rule", RULES)
def test_coverage_at_seven_tenths(studio, rule):
    for pattern, ranks, wanted in zip(
        ("bayer4", "bayer8", "bayer16"), (16, 64, 256), TABLE[rule], strict=True
    ):
        forest, scene = lone_tree(studio, pattern=pattern, rule=rule, dissolve_scale=0.7)
        forest.deplete([8])
        missing = gone(studio, scene, size=(32, 48))
        assert missing.mean() == wanted / ranks
        assert (missing == (bayer(ranks.bit_length() // 2, 48, 32) < wanted)).all()


def test_the_seed_rule_keeps_all_below_a_thousandth(studio):
    forest, scene = lone_tree(studio, rule="seed")
    below = np.nextafter(F32(0.001), F32(0))
    for amount, cells in ((0.0, 0), (below, 0), (F32(0.001), 1), (0.0625, 2)):
        forest.dissolve.set([8], [amount])
        assert gone(studio, scene, size=(4, 4)).sum() == cells


@pytest.mark.parametrize("encoding", ["float32", "analytic", "unorm8"])
def test_frames_of_a_respawn_by_the_seed_rule(studio, encoding):
    forest, scene = lone_tree(studio, rule="seed", dissolve_scale=0.7, encoding=encoding)
    forest.deplete([8])
    assert gone(studio, scene, size=(4, 4)).sum() == 12
    forest.respawn([8])
    frames = [
        int(gone(studio, scene, size=(4, 4), time=i * FRAME).sum()) for i in range(len(RESPAWN))
    ]
    assert frames == RESPAWN
    assert gone(studio, scene, size=(4, 4), time=5.0).sum() == 0


@pytest.mark.parametrize("encoding", ["float32", "analytic", "unorm8"])
@pytest.mark.parametrize("pattern", ["bayer8", "blue", "hash"])
def test_no_pixel_comes_back_during_a_fade(studio, pattern, encoding):
    forest, scene = lone_tree(studio, pattern=pattern, encoding=encoding, easing="in_out_sine")
    before, steps = gone(studio, scene), 0
    assert not before.any()
    forest.deplete([8], instant=False)
    for i in range(1, 21):
        now = gone(studio, scene, time=i * FRAME)
        assert not (before & ~now).any()
        before, steps = now, steps + (now != before).any()
    assert before.all() and steps >= 15
    forest.respawn([8])
    for i in range(21, 42):
        now = gone(studio, scene, time=i * FRAME)
        assert not (now & ~before).any()
        before = now
    assert not before.any()


def test_a_reversal_goes_on_from_what_is_there(studio):
    forest, scene = lone_tree(studio, pattern="bayer16", dissolve_scale=0.7)
    forest.deplete([8], instant=False)
    counts, frames = [0], iter(range(1, 99))

    def step() -> None:
        missing = gone(studio, scene, size=(16, 16), time=next(frames) * FRAME)
        counts.append(int(missing.sum()))

    for _ in range(9):
        step()
    forest.respawn([8])
    for _ in range(5):
        step()
    forest.deplete([8], instant=False)
    for _ in range(16):
        step()
    steps = np.diff(counts)
    assert counts[9] > 80 and counts[14] < counts[9] and counts[-1] == TABLE["centred"][2]
    assert np.abs(steps).max() <= np.ceil(256 * 0.7 / 18) + 1


def test_a_tree_that_starts_depleted_has_no_first_frame(studio):
    for rule in RULES:
        forest = studio.forest([quad()], rule=rule)
        forest.add([1], [[0, 0, 0]], depleted=True)
        assert gone(studio, scene_of(forest), size=(4, 4)).sum() == TABLE[rule][0]


def test_encodings_show_the_same_up_to_a_step(studio):
    """unorm8 keeps values within 1/510; the other two show the same pixels, or one rank more."""
    trees = {
        name: lone_tree(studio, pattern="blue", encoding=name)
        for name in ("float32", "analytic", "unorm8")
    }
    for forest, _ in trees.values():
        forest.deplete([8], instant=False, duration=1.63)
    differs = 0
    for i in range(1, 16):
        shown = {
            name: int(gone(studio, scene, time=i * 0.1).sum())
            for name, (_, scene) in trees.items()
        }
        value = float(trees["float32"][0].dissolve.value(8))
        wanted = discard_count("centred", 4096, np.array([value - 1 / 255, value, value + 1 / 255]))
        assert abs(shown["float32"] - wanted[1]) <= 1
        assert abs(shown["analytic"] - shown["float32"]) <= 1
        assert wanted[0] <= shown["unorm8"] <= wanted[2]
        differs += shown["unorm8"] != shown["float32"]
    assert differs > 5


# -- directions --


def amounts_of_rows(direction: str, value: float, softness: float, places: np.ndarray):
    """The amount at places from 0 to 1 by the definition of a soft front."""
    if value in (0.0, 1.0):
        return np.full(places.shape, value)
    h = 1 - places if direction == "down" else places
    return np.clip((value * (1 + softness) - h) / softness, 0, 1)


@pytest.mark.parametrize("softness", [0.2, 1.0])
@pytest.mark.parametrize("direction", ["up", "down", "radial"])
def test_directions_run_along_the_object(studio, direction, softness):
    """The picture's rows, or its columns, go as the front passes them."""
    forest = studio.forest(
        [quad(2.0)], direction=direction, softness=softness, dissolve_scale=0.8, pattern="blue"
    )
    forest.add([8], [[0, 0, 0]])
    scene = scene_of(forest)
    ranks = dw.dither_ranks("blue").astype(int)
    centres = (np.arange(64) + 0.5) / 64
    places = np.abs(2 * centres - 1)[None, :] if direction == "radial" else 1 - centres[:, None]
    places = np.broadcast_to(places, (64, 64))
    for value in (0.0, 0.1, 0.35, 0.5, 0.8, 0.97, 1.0):
        forest.dissolve.set([8], [value])
        missing = gone(studio, scene)
        amount = 0.8 * amounts_of_rows(direction, value, softness, places)
        low = discard_count("centred", 4096, amount - 1e-3 * (amount > 0))
        high = discard_count("centred", 4096, amount + 1e-3 * (amount > 0))
        assert missing[ranks < low].all()
        assert not missing[ranks >= high].any()
        if value in (0.0, 1.0):
            assert missing.sum() == discard_count("centred", 4096, np.array(0.8 * value))


def test_a_direction_without_anything_dissolved_hides_nothing(studio):
    """Also where the list holds a tree for another reason, and where the scale is 0."""
    for scale in (0.0, 0.7):
        forest = studio.forest(
            [quad()], direction="up", dissolve_scale=scale, fade=(5, 15), pattern="bayer8"
        )
        forest.add([8], [[0, 0, 0]], depleted=scale == 0.0)
        share = (100 - 25) / (225 - 25)
        amount = share * share * (3 - 2 * share)
        wanted = discard_count("centred", 64, np.array(amount))
        assert gone(studio, scene_of(forest), size=(8, 8)).sum() == wanted


# -- distances --


def ramp(offset: np.ndarray, width: float) -> np.ndarray:
    t = np.clip(offset / width, 0, 1)
    return t * t * (3 - 2 * t)


@pytest.mark.parametrize("combine", ["max", "multiply"])
def test_distances_and_dissolving_make_one_amount(studio, combine):
    """Far from 40 to 60 m, near from 3 to 12 m, and dissolved by 0 or 0.35."""
    forest = studio.forest(
        [quad()], fade=(40, 60), near_fade=(3, 12), combine=combine, dissolve_scale=0.35,
        pattern="bayer16",
    )  # fmt: skip
    forest.add([8], [[0, 0, 0]])
    scene, faded = scene_of(forest), set()
    for dissolved in (0.0, 0.35):
        forest.dissolve.set([8], [dissolved / 0.35])
        for distance in (2.9, 4.0, 7.5, 11.0, 12.5, 30.0, 43.0, 48.0, 55.0, 58.5, 61.0):
            d2 = distance**2
            parts = [ramp(d2 - 1600, 2000), ramp(144 - d2, 135), dissolved]
            amount = max(parts) if combine == "max" else 1 - np.prod([1 - part for part in parts])
            frame = studio.render(scene, front(distance), size=(16, 16))
            missing = int((~covered(frame)).sum())
            bounds = discard_count("centred", 256, np.array([amount - 1e-5, amount + 1e-5]))
            assert bounds[0] <= missing <= bounds[1], (dissolved, distance)
            assert frame.stats.culled["faded"] == (missing == 256)
            faded.add(missing == 256)
    assert faded == {True, False}


def test_a_tree_goes_before_the_end_of_its_fade(studio):
    """From 15/16 or 31/32 on nothing of 16 ranks is left, and nothing is drawn."""
    forest = studio.forest([quad()], fade=(10, 20), rule="seed")
    forest.add([8], [[0, 0, 0]])
    scene = scene_of(forest)
    # the smooth step reaches 15/16 at t = 0.8461
    inside = np.sqrt(100 + 0.84 * 300), np.sqrt(100 + 0.86 * 300)
    left = [studio.render(scene, front(d), size=(16, 16)) for d in inside]
    assert covered(left[0]).mean() == 1 / 16
    assert not covered(left[1]).any()
    assert left[0].stats.instances == 1 and left[1].stats.instances == 0
    assert left[1].stats.culled["faded"] == 1
