# SPDX-License-Identifier: MIT
"""Effects of other systems: what becomes of each setting, what is told, what is refused."""

from __future__ import annotations

import json
import random
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import helpers_effects as files
import numpy as np
import pytest

import dapplewood as dw
from dapplewood.io.effects import curves
from dapplewood.io.effects.js_object import script_objects
from dapplewood.io.effects.reading import Code, Source


def load(folder: Path, name: str, data: str | bytes, **options: Any) -> dw.ParticleEffect:
    path = folder / name
    if isinstance(data, bytes):
        path.write_bytes(data)
    else:
        path.write_text(data)
    return dw.load_effect(path, **options)


def load_quarks(folder: Path, **system: Any) -> dw.ParticleEffect:
    return load(folder, "e.json", json.dumps(files.quarks(**system)))


def asked(effect: dw.ParticleEffect) -> str:
    return "\n".join(" | ".join(row) for row in effect.unmapped)


def assert_near(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


def params(part: dw.ParticlePart) -> dict[str, float]:
    """Params with their vectors as they are in the world, on whatever side the shape lies."""
    found = dict(part.params)
    whole = int(found["shape"])
    found |= {"shape": whole % 8, "side": whole // 8 % 8, "flat": whole // 64}
    for word in ("dir", "accel", "box"):
        x, y, z = (found[f"{word}_{axis}"] for axis in "xyz")
        x, y = (-x, -y) if found["side"] >= 3 and word != "box" else (x, y)
        turned = ((x, y, z), (y, z, x), (z, x, y))[found["side"] % 3]
        found |= {f"{word}_{axis}": value for axis, value in zip("xyz", turned)}
    return found


# ---- what each format becomes ----


def test_quarks(tmp_path):
    effect = load_quarks(tmp_path)
    (part,) = effect.parts
    assert effect.name == "e" and part.kind == dw.ParticleKind.BALLISTIC
    assert part.count == 20  # 10 a second, 2 s on average
    assert part.lifetime == (1.0, 3.0) and not part.once and part.burst is None
    assert_near(part.offset, (0, 2, 0))
    p = params(part)
    assert p["shape"] == 5 and p["box_x"] == 0.5 and p["thickness"] == 1
    assert_near(p["box_z"], np.tan(0.2))
    assert_near((p["speed"], p["speed_span"], p["size"], p["size_span"]), (2, 2, 0.25, 0))
    assert_near((p["turn"], p["turn_span"]), (0, 0.5))
    assert_near((p["accel_x"], p["accel_y"], p["accel_z"]), (0, -5, 0))
    assert_near(part.size_curve[[0, 32, 64]], (1, 0.5, 0))
    assert_near(part.opacity_curve, np.full(65, 0.5))
    assert part.layer.blend == "add" and part.layer.face == "camera"
    assert "textures/spark.png" in asked(effect) and "no such file" in asked(effect)


def test_quarks_bursts_colours_and_children(tmp_path):
    gradient = {"type": "Gradient", "color": {"type": "CLinearFunction", "keys": [
        {"value": {"r": 1, "g": 0, "b": 0}, "pos": 0},
        {"value": {"r": 0, "g": 0, "b": 4}, "pos": 1}]},
        "alpha": {"type": "CLinearFunction", "keys": [{"value": 1, "pos": 0.5},
                                                      {"value": 0, "pos": 1}]}}  # fmt: skip
    effect = load_quarks(
        tmp_path, looping=False, emissionOverTime=0, renderMode=1, speedFactor=0.5,
        emissionBursts=[{"time": 0, "count": 30, "cycle": 1, "probability": 1}],
        behaviors=[{"type": "ColorOverLife", "color": gradient},
                   {"type": "LimitSpeedOverLife", "speed": {"type": "ConstantValue", "value": 0},
                    "dampen": 0.1},
                   {"type": "EmitSubParticleSystem", "subParticleSystem": "x", "mode": 0}],
    )  # fmt: skip
    (part,) = effect.parts
    assert part.once and part.count == 30 and part.layer.face == "streak"
    assert_near(part.params["drag"], 2.0)
    assert_near(part.opacity_curve[[0, 32, 48, 64]] / 0.5, (1, 1, 0.5, 0))
    assert part.ramp.shape == (65, 4) and part.layer.glow == 4.0
    assert part.ramp[64, 2] == 255 and part.ramp[0, 0] == 137  # a quarter of the light, encoded
    assert "subParticleSystem = 'x'" in asked(effect)


def test_quarks_slow_rates_become_bursts(tmp_path):
    (part,) = load_quarks(tmp_path, emissionOverTime=0.2).parts
    assert part.count == 1 and part.burst == (5.0, 5.0)


def test_urho3d(tmp_path):
    (part,) = load(tmp_path, "a.xml", files.URHO3D).parts
    assert part.count == 20 and part.lifetime == (2.0, 2.0)
    p = params(part)
    assert (p["shape"], p["box_x"], p["box_y"], p["box_z"]) == (4, 1, 0, 2)
    assert_near((p["dir_x"], p["dir_y"], p["dir_z"], p["spread"]), (0, 1, 0, 0))
    assert_near((p["accel_y"], p["drag"], p["speed"], p["speed_span"]), (-3, 1.5, 1, 1))
    assert_near((p["size"], p["size_span"]), (0.2, 0.2))  # half edges in the file
    assert_near((p["spin"], p["spin_span"]), (0.1, 0.1))
    assert_near(part.size_curve[[0, 64]], (1, 3))
    assert_near(part.opacity_curve[[0, 32]], (1, 0.5))
    assert part.ramp[0].tolist() == [255, 0, 0, 255] and part.ramp[64].tolist() == [0, 0, 255, 255]


def test_cocos(tmp_path):
    (part,) = load(tmp_path, "a.plist", files.PLIST).parts
    assert part.count == 40 and part.lifetime == (1.5, 2.5) and part.layer.blend == "add"
    p = params(part)
    assert (p["shape"], p["box_x"], p["box_y"]) == (4, 0.3, 0)
    assert_near((p["speed"], p["speed_span"], p["accel_y"]), (1.5, 1, -3))
    assert_near((p["dir_x"], p["dir_y"], p["spread"]), (0, 1, np.sin(np.radians(10))))
    assert_near((p["size"], part.size_curve[64]), (0.2, 0.5))
    assert_near(part.opacity_curve[32], 0.5)
    assert part.ramp.tolist() == [[255, 128, 0, 255]]


def test_pixels_are_a_unit_of_their_own(tmp_path):
    (part,) = load(tmp_path, "a.plist", files.PLIST, pixels_per_meter=10).parts
    assert_near((part.params["speed"], part.params["size"]), (15, 2))
    for wrong in (0, -1, float("nan"), float("inf"), "100"):
        with pytest.raises(ValueError, match="pixels_per_meter must be positive"):
            dw.load_effect(tmp_path / "a.plist", pixels_per_meter=wrong)


def test_pixi(tmp_path):
    effect = load(tmp_path, "a.json", json.dumps(files.PIXI))
    (part,) = effect.parts
    assert part.count == 15 and part.lifetime == (1.0, 2.0) and part.layer.blend == "add"
    p = params(part)
    assert (p["shape"], p["box_x"], p["box_y"]) == (4, 0.5, 0.1)
    assert_near((p["dir_x"], p["dir_y"], p["spread"]), (0, 1, np.sin(np.radians(10))))
    assert_near((p["speed"], p["accel_y"], p["spin"]), (2, -0.5, 0.1))
    assert_near(np.exp(-p["drag"] * 1.5), 0.5)  # half as fast after a mean life
    assert_near(part.size_curve[[0, 64]], (0.5, 1))
    assert_near(part.opacity_curve[[0, 64]], (0.8, 0))
    assert part.ramp[[0, 64]].tolist() == [[255, 128, 0, 255], [0, 0, 255, 255]]
    assert "slows by drag" in asked(effect)


def test_pixi_within_a_page(tmp_path):
    call = f"new Show(['a.png'], // the file\n{json.dumps(files.PIXI)});"
    page = f"<html><script>{call}</script></html>"
    (part,) = load(tmp_path, "a.html", page).parts
    assert part.count == 15


def test_sprite_sheets_become_a_grid(tmp_path):
    sheet = np.zeros((20, 30, 4), np.uint8)
    sheet[:, :10], sheet[:10, 10:14] = (255, 0, 0, 255), (0, 255, 0, 255)
    dw.io.write_image(tmp_path / "s.png", sheet)
    frames = {"a": {"frame": {"x": 0, "y": 0, "w": 10, "h": 20}},
              "b": {"frame": {"x": 10, "y": 0, "w": 4, "h": 10}, "trimmed": True,
                    "spriteSourceSize": {"x": 3, "y": 5, "w": 4, "h": 10},
                    "sourceSize": {"w": 10, "h": 20}}}  # fmt: skip
    data = {"frames": frames, "meta": {"image": "s.png"}}
    (part,) = load(tmp_path, "a.json", json.dumps(data)).parts
    columns, rows = part.layer.frames
    assert columns * rows == 2 and part.frames == (0, 2)
    top = part.layer.image.levels[0]
    at = np.argwhere((top[..., 1] > 200) & (top[..., 3] > 200))
    cell = (20, 10)
    assert ((at % cell).min(axis=0) == (5, 3)).all() and ((at % cell).max(axis=0) == (14, 6)).all()


def test_tsparticles(tmp_path):
    effect = load(tmp_path, "a.js", files.SCRIPT)
    (part,) = effect.parts
    assert part.count == 60 and part.opacity == 0.5
    p = params(part)
    assert_near((p["speed"], p["dir_y"], p["spread"]), (1.2, -1, 0))
    assert_near((p["size"], p["size_span"]), (0.04, 0.08))  # radii in the file
    assert_near(part.lifetime, (9, 9))  # 10.8 m at 1.2 m/s
    assert not part.over_life and part.ramp[:, :3].tolist() == [[255, 0, 0], [0, 255, 0]]
    assert "tick = engine.now() + 1" in asked(effect)
    assert "interactivity" in asked(effect)


def test_godot(tmp_path):
    (part,) = load(tmp_path, "a.tscn", files.GODOT).parts
    assert part.count == 32 and part.lifetime == (2.0, 2.0) and part.even
    assert_near(part.offset, (1, 5, 0))
    p = params(part)
    assert_near((p["shape"], p["box_x"], p["box_y"], p["box_z"]), (4, 2, 4, 6))
    assert_near((p["speed"], p["speed_span"], p["spread"]), (4, 2, np.sin(np.radians(9))))
    assert_near(p["accel_y"], -4)
    assert_near((p["size"], p["size_span"], p["spin_span"]), (0.2, 0.4, 0.5))
    assert_near((part.opacity, part.opacity_curve[32]), (0.5, 0.5))
    assert part.ramp.tolist() == [[255, 128, 0, 255]]
    assert part.layer.blend == "add" and part.size_curve[0] == 1 and part.size_curve[64] == 0


def test_godot_curves_follow_their_slopes(tmp_path):
    curve = curves.hermite([(0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 0.0, 0.0)])
    assert_near(curve[[0, 16, 32, 64]], (0, 0.15625, 0.5, 1))  # 3 t^2 - 2 t^3


def test_godot_3_in_two_dimensions(tmp_path):
    effect = load(tmp_path, "a.tscn", files.GODOT_OLD)
    (part,) = effect.parts
    assert part.count == 12 and part.once and part.lifetime == (1.5, 1.5)
    p = params(part)
    assert_near((p["speed"], p["speed_span"], p["accel_y"], p["dir_y"]), (0.5, 0.5, -0.98, 1))
    assert part.ramp.tolist() == [[255, 128, 0, 255]]


def test_effekseer_project(tmp_path):
    (part,) = load(tmp_path, "a.efkproj", files.EFKPROJ).parts
    assert part.once and part.count == 30 and part.lifetime == (0.5, 1.5)
    p = params(part)
    assert_near((p["dir_y"], p["speed"], p["speed_span"], p["accel_y"]), (1, 4.8, 2.4, -3.6))
    assert_near(part.size_curve[[0, 32, 64]], (1, 0.5, 0))
    assert_near(part.opacity_curve[[0, 32, 48, 64]], (1, 1, 0.5, 0))  # the last 30 of 60 frames
    assert part.ramp.tolist() == [[255, 128, 0, 255]] and part.layer.blend == "add"
    assert_near(part.delay, (0, 29 / 60))


def test_effekseer_packed_project(tmp_path):
    (part,) = load(tmp_path, "a.efkefc", files.efkefc()).parts
    assert part.count == 10 and not part.once  # one each 6 frames, for ever, 60 frames long


def test_effekseer_delays_are_waits(tmp_path):
    frames = "<Center>90</Center><Max>90</Max><Min>90</Min>"
    late = f"<CommonValues><GenerationTimeOffset>{frames}</GenerationTimeOffset>"
    text = files.EFKPROJ.replace("<CommonValues>", late)
    (part,) = load(tmp_path, "a.efkproj", text).parts
    assert_near(part.delay, (1.5, 1.5 + 29 / 60))


def test_effekseer_binary(tmp_path):
    effect = load(tmp_path, "a.efk", files.skfe())
    (part,) = effect.parts
    assert part.count == 20 and part.lifetime == (0.5, 0.5) and part.layer.blend == "add"
    p = params(part)
    assert_near((p["dir_y"], p["speed"], p["speed_span"], p["size"]), (1, 6, 6, 0.5))
    assert part.ramp.tolist() == [[255, 128, 0, 255]]
    assert "'Spark.png'" in asked(effect)


def test_effekseer_binaries_of_late_versions_name_the_way_out(tmp_path):
    data = b"SKFE" + struct.pack("<i", 1500) + struct.pack("<5i", 0, 0, 0, 0, 0)
    with pytest.raises(dw.FormatError, match=r"version 1500.*\.efkefc"):
        load(tmp_path, "a.efk", data)


def test_cocos_upside_down(tmp_path):
    text = files.PLIST.replace("<dict>", "<dict><key>yCoordFlipped</key><integer>-1</integer>")
    p = params(load(tmp_path, "a.plist", text).parts[0])
    assert_near((p["dir_x"], p["dir_y"], p["accel_y"]), (0, -1, 3))


def test_damping_of_godot_that_is_friction(tmp_path):
    rest = "spread = 9.0\ndamping_min = 1.5\ndamping_max = 1.5\n"
    text = files.GODOT.replace("spread = 9.0", rest + "particle_flag_damping_as_friction = true")
    effect = load(tmp_path, "a.tscn", text)
    assert_near(effect.parts[0].params["drag"], 1.5)
    assert "drag" not in asked(effect)


def test_materials_of_godot_that_shine(tmp_path):
    shine = "emission_enabled = true\nemission = Color(0, 0, 1, 1)\nemission_energy_multiplier = 3"
    text = files.GODOT.replace("shading_mode = 0", f"shading_mode = 1\n{shine}").replace(
        "blend_mode = 1", "blend_mode = 0")  # fmt: skip
    (part,) = load(tmp_path, "a.tscn", text).parts
    assert part.layer.lit is False
    assert_near(part.layer.glow, 3)
    red, green, blue = (int(c) for c in part.ramp[0, :3])
    assert blue == 255 and red > green > 0 and red < 170  # a third of the light of 1, 0.5, 0


# ---- shapes, boards and rings ----


@pytest.mark.parametrize(
    ("axis", "side"),
    [((0, 1, 0), 0), ((1, 0, 0), 1), ((0, 0, 1), 2), ((0, -1, 0), 3), ((-1, 0, 0), 4),
     ((0, 0, -1), 5)],
)  # fmt: skip
def test_shapes_point_where_their_nodes_are_turned(tmp_path, native_device, axis, side):
    """A cone is thrown along its own axis, whichever that is."""
    data = files.quarks(startSpeed={"type": "ConstantValue", "value": 2}, behaviors=[])
    z = np.array(axis, float)
    x = np.roll(z, 1)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    data["object"]["children"][0]["matrix"] = matrix.T.ravel().tolist()
    effect = load(tmp_path, "e.json", json.dumps(data))
    assert params(effect.parts[0])["side"] == side
    assert "the nearest is taken" not in asked(effect)
    with dw.ParticleManager(native_device) as pm:
        pm.register(0, dw.EffectConfig((0, 0, 0), effect))
        pm.update(0.5)
        place = pm.state(effect.parts[0].layer)["position"].astype(float)
    along = place @ z
    away = np.linalg.norm(place - along[:, None] * z, axis=1)
    assert along.min() >= 0 and along.max() > 2
    assert (away <= 0.5 + along * np.tan(0.2) + 1e-5).all()


def test_a_shape_that_leans_is_told(tmp_path):
    c = float(np.sqrt(0.5))
    data = files.quarks()
    data["object"]["children"][0]["matrix"] = [1, 0, 0, 0, 0, c, -c, 0, 0, c, c, 0, 0, 0, 0, 1]
    effect = load(tmp_path, "e.json", json.dumps(data))
    assert "a cone about (0.0, 0.71, 0.71)" in asked(effect)


def test_two_dimensions_stay_flat(tmp_path, native_device):
    for name, text in (("a.plist", files.PLIST), ("a.json", json.dumps(files.PIXI))):
        effect = load(tmp_path, name, text)
        with dw.ParticleManager(native_device) as pm:
            pm.register(0, dw.EffectConfig((0, 0, 0), effect))
            pm.update(0.7)
            place = pm.state(effect.parts[0].layer)["position"]
        assert len(place) > 10 and not place[:, 2].any(), name
        assert np.ptp(place[:, 0]) > 0.3 and np.ptp(place[:, 1]) > 0.3, name


def board(text: str, rotation: int = 90) -> str:
    """The project with a sprite that stands on its foot, and its scale."""
    return files.EFKPROJ.replace("<Sprite>", "<Sprite><Billboard>1</Billboard>" + text).replace(
        "<RendererCommonValues>",
        f"<RotationValues><Fixed><Rotation><X><Center>{rotation}</Center><Max>{rotation}</Max>"
        f"<Min>{rotation}</Min></X></Rotation></Fixed></RotationValues><RendererCommonValues>",
    )


CORNERS = "".join(
    f"<Position_Fixed_{name}><X>{x}</X><Y>{y}</Y></Position_Fixed_{name}>"
    for name, x, y in (("LL", -0.5, 0), ("LR", 0.5, 0), ("UL", -0.5, 40), ("UR", 0.5, 40))
)


def test_a_long_board_becomes_a_beam_of_streaks(tmp_path):
    still = re.sub("<LocationValues>.*</LocationValues>", "", board(CORNERS), flags=re.S)
    beam = load(tmp_path, "a.efkproj", still.replace("<Sprite>", "<Sprite><Position>1</Position>"))
    (part,) = beam.parts
    assert part.layer.face == "streak" and part.layer.stretch == 16
    p = params(part)
    assert_near((p["dir_x"], p["dir_y"], p["dir_z"]), (0, 0, 1))  # up, turned over by 90 degrees
    length, width = 40 * 0.5, 0.5  # means of a scale that goes from 1 to 0
    assert part.count == 30 * 3  # 20 m need three streaks of 8 m
    assert_near(part.offset, (0, 0, length / 2))
    half = (length - 16 * width) / 2
    assert_near((p["shape"], p["box_x"], p["box_y"], p["box_z"]), (4, 0, 0, half))
    assert 0 < p["speed"] < 0.01 and p["speed_span"] == 0
    assert "a board of 0.5 x 20 m along [0.0, 0.0, 1.0]" in asked(beam)


def test_a_board_with_a_few_widths_keeps_its_shape(tmp_path):
    wide = board("")
    scale = "<Type>0</Type><Fixed><Scale><X>2</X><Y>3</Y></Scale></Fixed>"
    wide = re.sub("<ScalingValues>.*</ScalingValues>", f"<ScalingValues>{scale}</ScalingValues>",
                  wide, flags=re.S)  # fmt: skip
    (part,) = load(tmp_path, "a.efkproj", wide).parts
    assert part.layer.face == "camera" and part.params["size"] == 2
    assert_near(part.layer.aspect, 1.5)


RING = """<DrawingValues><Type>4</Type><Ring><Billboard>2</Billboard>
<VertexCount>4</VertexCount><Outer_Fixed><Location><X>2</X></Location></Outer_Fixed>
<Inner_Fixed><Location><X>1</X></Location></Inner_Fixed>
<OuterColor_Fixed><R>255</R><G>0</G><B>0</B><A>255</A></OuterColor_Fixed>
<CenterColor_Fixed><R>0</R><G>255</G><B>0</B><A>255</A></CenterColor_Fixed>
<InnerColor_Fixed><R>0</R><G>0</G><B>255</B><A>255</A></InnerColor_Fixed>
</Ring></DrawingValues>"""


def test_a_ring_is_drawn_with_its_corners_and_colours(tmp_path):
    text = re.sub("<DrawingValues>.*</DrawingValues>", RING, files.EFKPROJ, flags=re.S)
    effect = load(tmp_path, "a.efkproj", text)
    (part,) = effect.parts
    assert part.params["size"] == 4 and part.ramp is None
    assert [row[1] for row in effect.unmapped] == ["Billboard = fixed"]
    picture = part.layer.image.levels[0]
    assert picture.shape == (128, 128, 4)
    middle = picture[64]  # across, from edge to edge
    assert (middle[40:88, 3] == 0).all() and (middle[4:28, 3] == 255).all()
    red, green, blue = (middle[at, :3].astype(int) for at in (1, 15, 30))
    assert red[0] > 200 > 60 > red[1] and green[1] > 230 and blue[2] > 200 > 60 > blue[1]
    square = picture[..., 3] > 128  # on one of its corners
    assert square[64, 2] and square[2, 64] and not square[24, 24] and not square[104, 24]
    assert abs(square.mean() - 0.5 * (1 - 0.25)) < 0.02


# ---- what is simulated ----


def family(mode: int = 0, sub: str = "s", **child: Any) -> dict[str, Any]:
    """Two emitters, of which the first begins the second."""
    behavior = {"type": "EmitSubParticleSystem", "subParticleSystem": sub, "mode": mode,
                "useVelocityAsBasis": False, "emitProbability": 1}  # fmt: skip
    data = files.quarks(behaviors=[behavior])
    burst = {"time": 0, "count": 3, "cycle": 1, "interval": 0.01, "probability": 1}
    second = files.quarks(**{
        "onlyUsedByOther": True, "emissionOverTime": 0, "emissionBursts": [burst], "duration": 1,
        "startLife": {"type": "ConstantValue", "value": 4}, **child})  # fmt: skip
    node = {**second["object"]["children"][0], "uuid": "s"}
    data["object"]["children"].append(node)
    return data


def test_what_quarks_begins_at_deaths(tmp_path, native_device):
    effect = load(tmp_path, "e.json", json.dumps(family()))
    (part,) = effect.parts
    (child,) = part.on_death
    assert part.simulation == "dynamic" and child.count == 3 and child.lifetime == (4, 4)
    assert_near(part.birth.rate, 10)
    assert part.count == 41  # each of 10 a second is left alone until its children end
    assert_near(part.birth.direction, (0, 1, 0))
    assert_near((part.birth.spread, *part.birth.size), (np.degrees(0.2), 0.5, 0, 0.5))
    assert_near(child.forces.gravity, (0, -5, 0))
    with dw.ParticleManager(native_device) as pm:
        pm.register(0, dw.EffectConfig((0, 0, 0), effect))
        pm.update(3.0)
        born = pm.state(part.layer)
        assert 15 < len(born[born["size"] > 0]) < 90
        pm.update(3.0)
        assert len(pm.state(part.layer)) > len(born)


@pytest.mark.parametrize("mode", [1, 2])
def test_what_quarks_begins_at_other_times_is_told(tmp_path, mode):
    effect = load(tmp_path, "e.json", json.dumps(family(mode)))
    assert effect.parts[0].on_death == () and "only deaths begin something" in asked(effect)


def test_emitters_that_begin_themselves_end(tmp_path):
    """In a cycle of two, and one that means itself."""
    behavior = {"type": "EmitSubParticleSystem", "subParticleSystem": "e", "mode": 0}
    effect = load(tmp_path, "e.json", json.dumps(family(behaviors=[behavior])))
    (child,) = effect.parts[0].on_death
    assert child.on_death == () and "there is no such emitter, or it is above" in asked(effect)
    effect = load(tmp_path, "f.json", json.dumps(family(sub="e")))
    assert effect.parts[0].on_death == () and "it is above" in asked(effect)
    text = files.GODOT.replace("amount = 32", 'amount = 32\nsub_emitter = NodePath("../Other")')
    other = text[text.index('[node name="Fire"') :].replace('"Fire"', '"Other"')
    text = (text + "\n" + other.replace("../Other", "../Fire")).replace(
        "spread = 9.0", "spread = 9.0\nsub_emitter_mode = 2\nsub_emitter_amount_at_end = 5")
    effect = load(tmp_path, "a.tscn", text)
    (part,) = effect.parts
    (child,) = part.on_death
    assert child.count == 5 and child.on_death == () and "it is above" in asked(effect)


def test_families_are_four_deep_at_most(tmp_path):
    data = files.quarks()
    root = data["object"]["children"].pop()
    for i in range(7):
        node = json.loads(json.dumps({**root, "uuid": f"u{i}"}))
        node["ps"]["onlyUsedByOther"] = i > 0
        node["ps"]["behaviors"] = [{"type": "EmitSubParticleSystem", "mode": 0,
                                    "subParticleSystem": f"u{i + 1}"}] if i < 6 else []  # fmt: skip
        node["ps"]["emissionOverTime"], node["ps"]["duration"] = 1, 1
        data["object"]["children"].append(node)
    effect = load(tmp_path, "e.json", json.dumps(data))
    depth, parts = 0, effect.parts
    while parts[0].on_death:
        depth, parts = depth + 1, parts[0].on_death
    assert depth == 4 and "children are at most 4 deep" in asked(effect)
    with dw.ParticleManager(dw.Device("cpu")) as pm:
        assert pm.register(0, dw.EffectConfig((0, 0, 0), effect)) > 0


FLOOR = """
[node name="Floor" type="GPUParticlesCollisionBox3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, -2, 0)
size = Vector3(40, 2, 40)

[node name="Far" type="GPUParticlesCollisionSphere3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 900, 0, 0)

[node name="Pull" type="GPUParticlesAttractorSphere3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 3, 1, 0)
strength = 7.0
radius = 4.0
"""


def test_godots_scenes_are_met(tmp_path, native_device):
    """On a floor whose upper side is 4 m up, with a ball far away, beside an attractor."""
    low = files.GODOT.replace("Vector3(1, 2, 3)", "Vector3(1, 0, 3)")
    text = low.replace("spread = 9.0", """spread = 9.0
collision_mode = 1
collision_friction = 0.25
collision_bounce = 0.5
turbulence_enabled = true
turbulence_influence_min = 0.05
turbulence_influence_max = 0.05""")  # fmt: skip
    effect = load(tmp_path, "a.tscn", text + FLOOR)
    (part,) = effect.parts
    (floor,) = part.colliders
    assert_near((*floor.center, *floor.half_size), (0, 3, 0, 20, 1, 20))
    assert (floor.bounce, floor.friction, floor.kill) == (0.5, 0.25, False)
    f = part.forces
    assert_near((f.pull, *f.pull_place, f.pull_reach), (7, 3, 6, 0, 2))
    assert_near((*f.gravity, f.drag, f.noise), (0, -4, 0, 3, 5))
    assert "they stand in the world as the file has them" in asked(effect)
    with dw.ParticleManager(native_device) as pm:
        pm.register(0, dw.EffectConfig((0, 0, 0), effect))
        pm.update(1.9)
        place = pm.state(part.layer)["position"]
    assert len(place) > 20 and 3.999 < place[:, 1].min() < 4.1


def test_without_solids_nothing_is_simulated(tmp_path):
    text = files.GODOT.replace("spread = 9.0", "spread = 9.0\ncollision_mode = 1")
    effect = load(tmp_path, "a.tscn", text)
    assert effect.parts[0].simulation == "stateless"
    assert "no box or ball of the file is there to meet" in asked(effect)


def test_turbulence_of_quarks(tmp_path):
    field = {"type": "TurbulenceField", "scale": [2, 2, 2], "octaves": 1,
             "velocityMultiplier": [3, 3, 3], "timeScale": [0, 0, 0]}  # fmt: skip
    effect = load_quarks(tmp_path, behaviors=[field])
    f = effect.parts[0].forces
    assert_near((f.noise * f.drag, f.noise_size), (3, 2))
    assert "eddies" not in asked(effect)


# ---- what is told ----


def test_every_key_that_no_code_reads_is_told(tmp_path):
    effect = load_quarks(tmp_path, newShape={"a": 1}, glitter=3.5)
    assert ("object.children[0].ps", "glitter = 3.5", "this setting is not known here") in (
        effect.unmapped
    )
    assert "newShape = an object of 1" in asked(effect)
    told = {
        "a.xml": files.URHO3D.replace("<numpart", '<glitter value="1" /><numpart'),
        "a.plist": files.PLIST.replace("<dict>", "<dict><key>glitter</key><real>1</real>"),
        "a.tscn": files.GODOT.replace("spread = 9.0", "spread = 9.0\nglitter = 1"),
        "a.efkproj": files.EFKPROJ.replace("<Name>sparks", "<glitter>1</glitter><Name>sparks"),
        "a.js": files.SCRIPT.replace("number:", "glitter: 1, number:"),
        "b.json": json.dumps({**files.PIXI, "glitter": 1}),
    }
    for name, text in told.items():
        assert "glitter" in asked(load(tmp_path, name, text)), name


def test_files_that_are_read_whole_tell_nothing(tmp_path):
    assert load(tmp_path, "a.plist", files.PLIST).unmapped == ()
    assert load(tmp_path, "a.efkproj", files.EFKPROJ).unmapped == ()
    assert load(tmp_path, "a.efkefc", files.efkefc()).unmapped == ()


# ---- textures ----


def test_textures_beside_the_file_are_drawn(tmp_path):
    (tmp_path / "textures").mkdir()
    picture = np.full((8, 8, 4), 255, np.uint8)
    dw.io.write_image(tmp_path / "textures" / "spark.png", picture)
    effect = load_quarks(tmp_path)
    assert effect.unmapped == () and effect.parts[0].layer.image.levels[0].shape[:2] == (8, 8)


def test_textures_of_given_folders_are_drawn(tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    dw.io.write_image(other / "spark.png", np.full((8, 8, 4), 255, np.uint8))
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "e.json"
    path.write_text(json.dumps(files.quarks()))
    assert "no such file" in asked(dw.load_effect(path))
    assert dw.load_effect(path, folders=[other]).unmapped == ()


@pytest.mark.parametrize("url", [
    "../secret.png", "a/../../secret.png", "{}/secret.png", "file:///secret.png",
    "https://x.org/a.png", "link.png", "a\0b"])  # fmt: skip
def test_textures_elsewhere_are_never_opened(tmp_path, url):
    dw.io.write_image(tmp_path / "secret.png", np.full((8, 8, 4), 255, np.uint8))
    inner = tmp_path / "in"
    inner.mkdir()
    (inner / "link.png").symlink_to(tmp_path / "secret.png")
    data = files.quarks()
    data["images"][0]["url"] = url.format(tmp_path)
    effect = load(inner, "e.json", json.dumps(data))
    assert isinstance(effect.parts[0].layer.image, str)
    assert "drawn as" in asked(effect)


def test_damaged_textures_are_told(tmp_path):
    (tmp_path / "spark.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    effect = load_quarks(tmp_path)
    assert isinstance(effect.parts[0].layer.image, str) and "spark.png" in asked(effect)


# ---- scripts ----


def objects(text: str) -> list[dict[str, Any]]:
    return [found for found, _ in script_objects(Source(Path("s.js")), text)]


def test_scripts_are_read_as_data():
    text = r"""
    const a = { 'b': "x\u0041\n", c: -0x10, d: [1, .5e1, +3,], e: `t`, f: undefined, 7: true,
      g: function () { return { not: "this" }; }, h, ...rest, k() { return 1; }, [m]: 2,
      n: a.b + "}", o: 1 + 2, p: { q: null } };
    """
    (found,) = objects(text)
    assert found["b"] == "xA\n" and found["c"] == -16 and found["d"] == [1, 5, 3]
    assert found["e"] == "t" and found["f"] is None and found["7"] is True
    assert found["p"] == {"q": None}
    for key in ("g", "h", "k", "n", "o"):
        assert isinstance(found[key], Code), key
    assert found["o"].text == "1 + 2"


@pytest.mark.parametrize(("text", "wanted"), [
    ("const a = { b: 1", "ends within an object"),
    ("const a = { b: 'x\n' }", "a text has no end"),
    ("const a = { b: [1 }", r"wanted ','"),
    ("const a = { b: }", "wanted a value"),
    ("const a = { b: (1] }", "closes none"),
    ("const a = " + "{ b: " * 200, "nested deeper"),
    ("let a = 1;", "holds no object"),
])  # fmt: skip
def test_scripts_that_cannot_be_read(text, wanted):
    with pytest.raises(dw.FormatError, match=wanted) as caught:
        objects(text)
    assert "s.js" in str(caught.value)


def test_scripts_full_of_comments_are_read_at_once():
    assert objects("= /*" * 20000 + "*/" + "\n" * 5 + "const a = { b: 1 };") == [{"b": 1}]


# ---- hostile files ----

BOMB = """<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">
<!ENTITY c SYSTEM "file:///etc/passwd">]><particleeffect><numparticles value="&b;&c;" />
</particleeffect>"""

REFUSED: dict[str, tuple[str, str | bytes, str]] = {
    "entities": ("a.xml", BOMB, "DOCTYPE|entities"),
    "deep xml": ("a.xml", "<a>" * 500, "nested deeper"),
    "cut xml": ("a.xml", files.URHO3D[:200], "no whole XML"),
    "foreign xml": ("a.xml", "<svg/>", "wanted <particleeffect>"),
    "deep json": ("a.json", "[" * 100_000, "nested|JSON"),
    "nan": ("a.json", json.dumps(files.quarks(duration=float("nan"))), "NaN is no JSON number"),
    "huge": ("a.json", json.dumps(files.quarks(duration=1e300)), "duration must lie in"),
    "huge whole": ("a.json", json.dumps(files.quarks(duration=10**400)), "duration must lie in"),
    "text": ("a.json", json.dumps(files.quarks(startSpeed="fast")), "must be a number"),
    "list": ("a.json", json.dumps(files.quarks(shape=[1])), "must be an object"),
    "many": ("a.json", json.dumps(files.quarks(emissionOverTime=1e8)), "at most 1000000"),
    "plist of other things": (
        "a.plist", "<plist><dict><key>a</key><real>1</real></dict></plist>", "no maxParticles"),
    "plist without values": (
        "a.plist", "<plist><dict><key>a</key></dict></plist>", "wants a value"),
    "infinite": ("a.tscn", files.GODOT.replace("9.0", "inf"), "spread must lie"),
    "godot": ("a.tscn", files.GODOT.replace("Vector3(1, 2, 3)", "Vector3(1, 2"), "line"),
    "no section": ("a.tscn", "a = 1", r"wanted"),
    "lost resource": ("a.tscn", files.GODOT.replace('id="p"', 'id="r"'), "not in the file"),
    "container": ("a.efkefc", files.efkefc()[:40], "bytes, but"),
    "empty container": ("a.efkefc", b"EFKE\0\0\0\0", "neither an EDIT"),
    "cut project": ("a.efkefc", files.container(files.packed({"a": "b"})[:9]), "cut short"),
    "zip bomb": ("a.efkefc", b"EFKE\0\0\0\0EDIT" + struct.pack("<I", 65196)
                 + zlib.compress(bytes(1 << 26))[:65196].ljust(65196, b"\0"), "unpacks to more"),
    "binary": ("a.efk", files.skfe()[:150], "more than are left"),
    "binary cut in a number": ("a.efk", files.skfe()[:-6], "cut short within a sound"),
    "nothing": ("a.bin", "hello", "none of the particle effects"),
    "bytes": ("a.json", b"\xff\xfe\x00", "no UTF-8"),
    "other json": ("a.json", '{"a": 1}', "none of three.quarks"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_hostile_files_are_refused(tmp_path, case):
    name, data, wanted = REFUSED[case]
    with pytest.raises(dw.FormatError, match=wanted) as caught:
        load(tmp_path, name, data)
    assert str(tmp_path / name) in str(caught.value)


def test_files_of_100_megabytes_are_not_even_read(tmp_path, monkeypatch):
    with open(tmp_path / "a.json", "wb") as file:
        file.truncate(100 << 20)
    monkeypatch.setattr("dapplewood.io.effects.read_bytes", None)
    with pytest.raises(dw.FormatError, match="a.json: has 104857600 bytes; effects have at most"):
        dw.load_effect(tmp_path / "a.json")


def test_missing_files_and_wrong_arguments(tmp_path):
    with pytest.raises(FileNotFoundError):
        dw.load_effect(tmp_path / "none.json")
    with pytest.raises(TypeError, match="path must be"):
        dw.load_effect(3)
    (tmp_path / "a.json").write_text("")
    with pytest.raises(dw.FormatError, match="empty"):
        dw.load_effect(tmp_path / "a.json")


_HOSTILE = (b"1e999", b"-1", b"0", b"NaN", b"null", b'"', b"{", b"}", b"[", b"]", b"<", b">", b"\0",
            b"99999999999", b"\xff", b"true", b",", b":", b"(", b")")  # fmt: skip


def damaged(data: bytes, chance: random.Random) -> bytes:
    """One byte or piece changed, dropped or put in."""
    found = bytearray(data)
    at = chance.randrange(len(found))
    how = chance.randrange(8)
    if how < 4:
        found[at : at + 1] = bytes([chance.choice((chance.randrange(256), *b"0123456789"))])
    elif how < 6:
        found[at : at + chance.randint(0, 8)] = chance.choice(_HOSTILE)
    elif how == 6:
        del found[at : at + chance.randint(1, 40)]
    else:
        del found[at:]
    return bytes(found)


@pytest.mark.filterwarnings("ignore")
def check_plays(effect: dw.ParticleEffect) -> bool:
    """Whether it shows something within 2 s; all of it finite."""
    with dw.ParticleManager(dw.Device("cpu")) as pm:
        pm.register(0, dw.EffectConfig((0, 0, 0), effect))
        is_seen = False
        for _ in range(4):
            pm.update(0.5)
            for layer in {part.layer for part in effect.parts}:
                state = pm.state(layer)
                assert np.isfinite(state["position"]).all() and np.isfinite(state["size"]).all()
                is_seen |= len(state) > 0
    return is_seen


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_load_or_are_refused(tmp_path, seed):
    chance = random.Random(seed)
    refused = loaded = plays = 0
    for path in files.write_all(tmp_path):
        data = path.read_bytes()
        for _ in range(40):
            path.write_bytes(damaged(data, chance))
            try:
                effect = dw.load_effect(path)
            except dw.FormatError as error:
                assert str(path) in str(error)
                refused += 1
            else:
                assert 1 <= len(effect.parts) <= 64
                assert all(1 <= part.count <= 1_000_000 for part in effect.parts)
                loaded += 1
                plays += sum(part.count for part in effect.parts) < 5000 and check_plays(effect)
    assert refused > 50 and loaded > 20 and plays > 20
