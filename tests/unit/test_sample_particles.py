# SPDX-License-Identifier: MIT
"""The sample pond's particles: what is registered, where it is, and what the demo draws of it."""

from __future__ import annotations

from contextlib import closing

import dapplewood as dw
import numpy as np
import pytest
from dapplewood import samples
from dapplewood.cli import demo_particles, inputs
from dapplewood.cli.console import Console
from dapplewood.io import read_image
from dapplewood.samples import _particle_scene as scenes


@pytest.fixture(scope="module")
def made(native_device):
    made = samples.particle_scene(native_device, detail=0.1)
    yield made
    made.close()


def test_all_that_moves_is_registered(made):
    ids = set(made.particles.ids)
    assert {f"fishing_{name}" for name in ("net", "bait", "fly")} < ids
    assert {"altar", "rings", "camp fire", "torch 0", "torch 1", "motes", "mist"} < ids
    stats = made.particles.stats()
    assert set(stats) >= {"splash", "bubble", "shimmer", "ripple", "pillar", "wisp", "spark",
                          "base", "flame", "magic", "fog"}  # fmt: skip
    assert stats.dropped == 0 and 300 < stats.requested < 2000
    assert made.scene is made.pond.scene and made.camera is made.pond.camera


def test_spots_are_calm_lively_and_wild(made):
    made.particles.seek(20.0)
    rows = made.particles.state("bubble")["emitter"]
    ids = made.particles.emitter_ids("bubble")
    counts = {name: sum(ids[row] == f"fishing_{name}" for row in rows)
              for name in ("net", "bait", "fly")}  # fmt: skip
    assert counts == {"net": 3, "bait": 4, "fly": 5}


@pytest.mark.parametrize("seconds", [0.0, 3.7, 100.0])
def test_particles_are_where_they_belong(made, seconds):
    hub, pond = made.particles, made.pond
    hub.seek(seconds)
    rings = hub.state("ripple")["position"]
    assert np.abs(rings[:, 1] - pond.water_level).max() < 0.11  # on the surface
    sparks = hub.state("spark")
    ids = np.array(hub.emitter_ids("spark"), object)[sparks["emitter"]]
    at = sparks["position"][ids == "altar"] - pond.altar
    assert len(at) and np.hypot(at[:, 0], at[:, 2]).max() < 1.6 and at[:, 1].min() > 0.0
    flames = hub.state("flame")
    near = np.concatenate([[pond.fire], pond.torches])
    away = np.linalg.norm(flames["position"][:, None] - near, axis=2).min(axis=1)
    assert away.max() < 2.0


def test_the_seed_makes_all_of_it(native_device, made):
    def at(seconds, layer, scene):
        scene.particles.seek(seconds)
        return scene.particles.state(layer).tobytes()

    with closing(samples.particle_scene(native_device, detail=0.1)) as again:
        for layer in ("splash", "flame", "magic"):
            assert at(7.25, layer, again) == at(7.25, layer, made)
    with closing(samples.particle_scene(native_device, seed=1, detail=0.1)) as other:
        assert at(7.25, "flame", other) != at(7.25, "flame", made)


def test_effects_of_the_scene_are_data():
    for make in (scenes.motes, scenes.fireflies, scenes.mist):
        effect = make()
        assert isinstance(effect, dw.ParticleEffect) and effect.count > 5 and not effect.unmapped


def test_close_looks_see_what_they_name(made):
    cameras = samples.close_ups(made.pond)
    places = {"fire": made.pond.fire, "altar": made.pond.altar, **made.pond.spots}
    assert set(cameras) == set(places)
    for name, camera in cameras.items():
        at = camera.view_projection(1.0) @ np.append(places[name], 1.0)
        assert at[3] > 0 and (np.abs(at[:2]) < 0.9 * at[3]).all(), name


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [({"seed": -1}, ValueError, "seed"), ({"detail": 9.0}, ValueError, "detail"),
     ({"device": "cpu"}, TypeError, "device must be")],
)  # fmt: skip
def test_what_is_wrong_is_named(options, error, text):
    with pytest.raises(error, match=text):
        samples.particle_scene(**options)


@pytest.mark.slow
def test_the_demo_draws_the_pond_and_a_strip(tmp_path, monkeypatch, vulkan_device):
    scene = samples.particle_scene
    monkeypatch.setattr(samples, "particle_scene", lambda device: scene(device, detail=0.3))
    shown = demo_particles.show_particles(Console("demo"), tmp_path, vulkan_device)
    picture, strip = (read_image(path).array[..., :3].astype(float) for path in shown.paths)
    assert picture.shape == (540, 960, 3) and shown.particles > 300 and shown.draw_calls >= 10
    fire = picture[270:345, 790:870]
    assert fire[..., 0].max() > 240 and (fire[..., 0] - fire[..., 2]).max() > 120
    light = picture.mean(axis=2)
    assert 25 < light.mean() < 120 and light.std() > 20
    cell, gap = demo_particles._CELL, demo_particles._GAP
    top = demo_particles._MARGIN + demo_particles._TITLE
    cells = [strip[top : top + cell, x : x + cell]
             for x in range(demo_particles._MARGIN, strip.shape[1] - cell, cell + gap)]  # fmt: skip
    assert len(cells) == demo_particles._MOMENTS
    assert all(np.abs(one - two).max() > 60 for one, two in zip(cells, cells[1:]))
    shown = [(camera, seconds) for _, moments in demo_particles._ROWS
             for camera, seconds, _ in moments]  # fmt: skip
    with closing(scene(vulkan_device, detail=0.1)) as made:
        assert {camera for camera, _ in shown} == set(samples.close_ups(made.pond))
    assert len(set(shown)) == len(shown) == 3 * demo_particles._MOMENTS


def test_the_demo_says_why_there_is_no_pond(tmp_path, monkeypatch, capsys, native_device):
    def none_found():
        raise dw.DeviceNotFound("no Vulkan loader")

    monkeypatch.setattr(inputs, "default_vulkan_device", none_found)
    assert demo_particles.show_particles(Console("demo"), tmp_path, native_device) is None
    assert "no Vulkan loader" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
