# SPDX-License-Identifier: MIT
"""Every real particle effect loads, with what it asks for in vain told.

The data lie beside the repository, in `../shared/data`, or where DAPPLEWOOD_DATA says.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import dapplewood as dw
import helpers_effects as files

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DAPPLEWOOD_DATA", ROOT.parent / "shared" / "data")) / "particles"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no real effects; set DAPPLEWOOD_DATA to the folder that holds them"
)

# Parts, particles, and a part of what must be told.
EFFECTS = {
    "cocos/magic.plist": (1, 35, ""),
    "cocos/walkingPuff.plist": (1, 5, ""),
    "effekseer/Blow1.efkefc": (3, 1651, "Billboard = fixed"),
    "effekseer/Laser01.efk": (5, 485, "a board of 1 x 40.2 m"),
    "effekseer/Simple_Ring_Shape1.efk": (8, 8, "a ring keeps its mean share of a hole"),
    "gdquest/Explosion.tscn": (8, 341, "scraps_gradient.tres"),
    "godot/particle_material.tres": (1, 8, "a material alone"),
    "godot/test.tscn": (14, 2866, "speeds go to that of eddies"),
    "pixi/explosion.html": (1, 39, "images/particle.png"),
    "pixi/gold_anim.json": (1, 8, "no emitter"),
    "quarks/AcidBoiling.json": (2, 51, "bubble_half_thick.png"),
    "quarks/ps.json": (6, 93, "renderMode = 'mesh'"),
    "tsparticles/fireworks.js": (1, 808, "sounds"),
    "tsparticles/snow.js": (1, 400, "zIndex"),
    "urho3d/Burst.xml": (1, 200, "Materials/Particle.xml"),
    "urho3d/Fire.xml": (1, 45, "Materials/Particle.xml"),
}

OTHERS = {".png", ".dds", ".glb"}


def load(name: str) -> dw.ParticleEffect:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a texture has a colour profile of its own
        return dw.load_effect(DATA / name)


@pytest.mark.parametrize("name", EFFECTS)
def test_effect_loads(name):
    effect = load(name)
    parts, count, told = EFFECTS[name]
    assert (len(effect.parts), effect.count) == (parts, count)
    assert told in "\n".join(" ".join(row) for row in effect.unmapped)
    for row in effect.unmapped:
        assert len(row) == 3 and row[1] and row[2]
        assert row[2] != "this setting is not known here", row
    for part in effect.parts:
        assert all(np.isfinite(value) for value in part.params.values())


def test_every_file_is_met():
    found = {
        path.relative_to(DATA).as_posix()
        for path in DATA.rglob("*")
        if path.is_file() and path.suffix not in OTHERS
    }
    assert found == set(EFFECTS)


def test_binaries_are_read_to_their_last_byte():
    for name in ("effekseer/Laser01.efk", "effekseer/Simple_Ring_Shape1.efk"):
        assert not any("byte" in " ".join(row) for row in load(name).unmapped), name


def test_textures_beside_the_files_are_drawn():
    drawn = {name: [part.layer.image for part in load(name).parts] for name in EFFECTS}
    assert not isinstance(drawn["cocos/walkingPuff.plist"][0], str)
    assert not isinstance(drawn["pixi/gold_anim.json"][0], str)
    assert not isinstance(drawn["effekseer/Blow1.efkefc"][1], str)
    assert sum(not isinstance(image, str) for image in drawn["godot/test.tscn"]) == 6
    assert sum(not isinstance(image, str) for image in drawn["gdquest/Explosion.tscn"]) == 6


@pytest.mark.parametrize("name", EFFECTS)
def test_effects_play(native_device, name):
    """Something of each is there within a second, finite and no larger than what it may be."""
    effect = load(name)
    with dw.ParticleManager(native_device) as pm:
        assert pm.register(0, dw.EffectConfig((0.0, 0.0, 0.0), effect)) > 0
        most = 0
        for _ in range(10):
            pm.update(0.1)
            states = [pm.state(layer) for layer in range(len(pm.styles))]
            most = max(most, sum(map(len, states)))
            for state in states:
                assert np.isfinite(state["position"]).all()
                assert (np.abs(state["position"]) < 100).all() and (state["size"] < 40).all()
        assert most > 0


def test_what_must_be_simulated_is():
    def kinds(name: str) -> list[str]:
        return [part.simulation for part in load(name).parts]

    found = {name: kinds(name).count("dynamic") for name in EFFECTS}
    assert {name: count for name, count in found.items() if count} == {
        "godot/test.tscn": 9, "quarks/AcidBoiling.json": 1, "tsparticles/fireworks.js": 1,
    }  # fmt: skip
    (rocket,) = load("tsparticles/fireworks.js").parts
    (burst,) = rocket.on_death
    assert burst.count == 100 and len(burst.ramp) == 5 and burst.lifetime == (1.0, 2.0)
    parts = load("godot/test.tscn").parts
    assert [len(part.on_death) for part in parts].count(1) == 1
    assert [len(part.on_collision) for part in parts].count(1) == 1
    assert max(len(part.colliders) for part in parts) == 7


# Objects that say nothing of what is seen, or of what is told as a whole; by their last steps.
QUIET = ("metadata", "geometries", "size", "pivot")


@pytest.mark.parametrize(
    "name", ["quarks/AcidBoiling.json", "quarks/ps.json", "pixi/gold_anim.json"]
)
def test_a_stray_setting_anywhere_is_told(tmp_path, name):
    for file in (DATA / name).parent.iterdir():
        if file.is_file():
            shutil.copyfile(file, tmp_path / file.name)
    path = tmp_path / Path(name).name
    data = json.loads(path.read_text())
    before, tried = load(name).unmapped, 0
    for place, text in files.strays_of_json(data):
        steps = place.split(".")
        if any(step in QUIET for step in steps) or place == "frames":
            continue
        path.write_text(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            after = dw.load_effect(path).unmapped
        told = set(after) - set(before)
        assert any(str(files.STRAY) in what or steps[-1] in what for _, what, _ in told), place
        tried += 1
    assert tried > 10
