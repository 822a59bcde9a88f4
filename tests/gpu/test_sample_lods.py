# SPDX-License-Identifier: MIT
"""The levels of detail of the sample trees, as drawn: equal areas, equal light, equal colour."""

from __future__ import annotations

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import samples
from helpers_render import light_of

SEEDS = (0, 1, 2)
# Where each level is drawn, in metres in a view of 540 lines.
USED = {1: (30.0, 60.0), 2: (60.0, 120.0)}
A2C, TEST, LIGHT = 0.025, 0.05, 0.03  # relative to the finest level
TURNS = 2.0 * np.pi * (np.arange(6) + 0.3) / 6


def turned(angle: float, at=(0.0, 0.0, 0.0)) -> np.ndarray:
    matrix = np.eye(4)
    matrix[0, [0, 2]], matrix[2, [0, 2]] = (
        (np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle)))  # fmt: skip
    matrix[:3, 3] = at
    return matrix


def drawn_areas(trees: list, distances, device) -> np.ndarray:
    """(2, D) square metres that the a2c and the test of trees cover, in the mean."""
    with dw.Forest(variants=[[tree] for tree in trees], distances=(), wind=0.0) as forest:
        return dw.coverage_against_distance(
            forest, distances, cutouts=("a2c", "test"), size=(960, 540), directions=6,
            pixels=1 << 15, device=device,
        ).area  # fmt: skip


def mean_light(studio, tree: list) -> np.ndarray:
    """(3,) light of a tree that shades itself, from six sides, level and from above."""
    scene = dw.Scene()
    scene.sky.fog.density = 0.0
    scene.sun.shadow_distance = 300.0
    scene.add(tree, np.array([turned(angle, (25.0 * i - 62.5, 0, 0))
                              for i, angle in enumerate(TURNS)]))  # fmt: skip
    found = []
    for up in (0.0, 0.35):
        camera = dw.OrthoCamera((0, 6 + 40 * np.sin(up), 40 * np.cos(up)), (0, 6, 0), height=18.0,
                                far=150.0)  # fmt: skip
        frame = studio.render(scene, camera, size=(1800, 216))
        sides = np.split(light_of(frame.color), 6, axis=1)
        covered = np.split(frame.ids > 0, 6, axis=1)
        found += [side[there].mean(axis=0) for side, there in zip(sides, covered)]
    return np.mean(found, axis=0)


@pytest.mark.parametrize("name", ["birch", "oak", "spruce"])
def test_levels_cover_the_same_area(vulkan_device, name):
    """And trees 3 % smaller each way would not pass."""
    levels = [[samples.tree(name, lod=lod, seed=seed) for seed in SEEDS] for lod in range(3)]
    wanted = drawn_areas(levels[0], (30.0, 60.0, 120.0), vulkan_device)
    for lod, distances in USED.items():
        found = drawn_areas(levels[lod], distances, vulkan_device)
        off = found / wanted[:, lod - 1 : lod + 1] - 1.0
        assert np.abs(off[0]).max() < A2C, (lod, off)
        assert np.abs(off[1]).max() < TEST, (lod, off)
    smaller = [[mesh.transformed(np.diag([0.97, 0.97, 0.97, 1.0])) for mesh in tree]
               for tree in levels[2]]
    off = drawn_areas(smaller, (60.0,), vulkan_device)[0] / wanted[0, 1] - 1.0
    assert off[0] < -A2C


@pytest.mark.parametrize("name", ["birch", "oak", "spruce"])
def test_levels_are_as_bright_and_of_one_colour(studio, name):
    near, *others = (
        np.mean([mean_light(studio, samples.tree(name, lod=lod, seed=seed)) for seed in SEEDS], 0)
        for lod in range(3)
    )
    for light in others:
        assert np.abs(light / near - 1.0).max() < LIGHT, light / near
    assert near.max() > 0.02, "there is light to compare"
