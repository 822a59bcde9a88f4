# SPDX-License-Identifier: MIT
"""Small particle effects of our own in every format that is read."""

from __future__ import annotations

import copy
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

STRAY = 12345  # the value of a setting that no reader knows


def objects(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every object within a tree."""
    if isinstance(data, dict):
        yield path
    below = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in below:
        if isinstance(value, (dict, list)):
            yield from objects(value, (*path, key))


def strays_of_json(data: Any) -> Iterator[tuple[str, str]]:
    for path in objects(data):
        changed = copy.deepcopy(data)
        place = changed
        for key in path:
            place = place[key]
        place["glitter"] = STRAY
        yield ".".join(map(str, path)), json.dumps(changed)


def quarks(**system: Any) -> dict[str, Any]:
    """A three.quarks file with one emitter, turned so that its cone points up."""
    ps = {
        "version": "2.0",
        "looping": True,
        "duration": 2,
        "shape": {"type": "cone", "radius": 0.5, "thickness": 1, "angle": 0.2},
        "startLife": {"type": "IntervalValue", "a": 1, "b": 3},
        "startSpeed": {"type": "IntervalValue", "a": 2, "b": 4},
        "startSize": {"type": "ConstantValue", "value": 0.25},
        "startRotation": {"type": "IntervalValue", "a": 0, "b": 3.141592653589793},
        "startColor": {"type": "ConstantColor", "color": {"r": 1, "g": 1, "b": 1, "a": 0.5}},
        "emissionOverTime": {"type": "ConstantValue", "value": 10},
        "emissionBursts": [],
        "renderMode": 0,
        "material": "m",
        "uTileCount": 1,
        "vTileCount": 1,
        "worldSpace": True,
        "behaviors": [
            {"type": "ForceOverLife", "x": {"type": "ConstantValue", "value": 0},
             "y": {"type": "ConstantValue", "value": -5},
             "z": {"type": "ConstantValue", "value": 0}},
            {"type": "SizeOverLife", "size": {"type": "PiecewiseBezier", "functions": [
                {"function": {"p0": 1, "p1": 0.6666666, "p2": 0.3333333, "p3": 0}, "start": 0}]}},
        ],
    }  # fmt: skip
    turned = [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 2, 0, 1]  # +z is up, 2 m above
    return {
        "metadata": {"type": "Object"},
        "materials": [{"uuid": "m", "type": "MeshBasicMaterial", "blending": 2, "map": "t"}],
        "textures": [{"uuid": "t", "image": "i"}],
        "images": [{"uuid": "i", "url": "./textures/spark.png"}],
        "object": {"type": "Group", "children": [
            {"uuid": "e", "type": "ParticleEmitter", "matrix": turned, "ps": {**ps, **system}}]},
    }  # fmt: skip


URHO3D = """<?xml version="1.0"?>
<particleeffect>
  <numparticles value="50" />
  <emittertype value="Box" /> <emittersize value="2 0 4" />
  <direction min="0 1 0" max="0 1 0" />
  <constantforce value="0 -3 0" /> <dampingforce value="1.5" />
  <emissionrate min="10" max="10" /> <timetolive min="2" max="2" /> <velocity min="1" max="2" />
  <particlesize min="0.1 0.1" max="0.2 0.2" /> <sizedelta add="1" mul="1" />
  <rotationspeed min="36" max="72" />
  <colorfade color="1 0 0 1" time="0" /> <colorfade color="0 0 1 0" time="2" />
</particleeffect>
"""

PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/p.dtd">
<plist version="1.0"><dict>
<key>maxParticles</key><real>40</real> <key>duration</key><real>-1</real>
<key>emitterType</key><integer>0</integer>
<key>particleLifespan</key><real>2</real> <key>particleLifespanVariance</key><real>0.5</real>
<key>speed</key><real>200</real> <key>speedVariance</key><real>50</real>
<key>angle</key><real>90</real> <key>angleVariance</key><real>10</real>
<key>gravityx</key><real>0</real> <key>gravityy</key><real>-300</real>
<key>sourcePositionVariancex</key><real>30</real>
<key>startParticleSize</key><real>20</real> <key>finishParticleSize</key><real>10</real>
<key>startColorRed</key><real>1</real> <key>startColorGreen</key><real>0.5</real>
<key>startColorBlue</key><real>0</real> <key>startColorAlpha</key><real>1</real>
<key>finishColorRed</key><real>1</real> <key>finishColorGreen</key><real>0.5</real>
<key>finishColorBlue</key><real>0</real> <key>finishColorAlpha</key><real>0</real>
<key>blendFuncSource</key><integer>770</integer>
<key>blendFuncDestination</key><integer>1</integer>
</dict></plist>
"""

PIXI: dict[str, Any] = {
    "alpha": {"start": 0.8, "end": 0}, "scale": {"start": 1, "end": 2},
    "color": {"start": "ff8000", "end": "#0000ff"}, "speed": {"start": 200, "end": 100},
    "acceleration": {"x": 0, "y": 50}, "startRotation": {"min": 260, "max": 280},
    "rotationSpeed": {"min": 36, "max": 36}, "lifetime": {"min": 1, "max": 2}, "frequency": 0.1,
    "emitterLifetime": -1, "maxParticles": 100, "spawnType": "rect",
    "spawnRect": {"x": -50, "y": 0, "w": 100, "h": 20}, "blendMode": "add",
}  # fmt: skip

SCRIPT = """
"use strict"; // settings of our own
const other = [1, 2];
export const options = {
    particles: {
        number: { value: 60, density: { enable: true } }, /* all over */
        color: { value: ["#ff0000", '#00ff00'] },
        shape: { type: "circle" }, opacity: { value: 0.5 },
        size: { value: { min: 2, max: 6 } },
        move: { enable: true, speed: 4, direction: "bottom", straight: true, },
    },
    interactivity: { events: { onClick: (e) => { alert("{"); } } },
    tick: engine.now() + 1,
};
"""

GODOT = """[gd_scene load_steps=4 format=3]

[sub_resource type="Gradient" id="g"]
offsets = PackedFloat32Array(0, 1)
colors = PackedColorArray(1, 1, 1, 1, 1, 1, 1, 0)

[sub_resource type="GradientTexture1D" id="gt"]
gradient = SubResource("g")

[sub_resource type="Curve" id="c"]
_data = [Vector2(0, 1), 0.0, -1.0, 0, 0, Vector2(1, 0), -1.0, 0.0, 0, 0]

[sub_resource type="CurveTexture" id="ct"]
curve = SubResource("c")

[sub_resource type="ParticleProcessMaterial" id="p"]
emission_shape = 3
emission_box_extents = Vector3(1, 2, 3)
direction = Vector3(0, 1, 0)
spread = 9.0
initial_velocity_min = 2.0
initial_velocity_max = 3.0
gravity = Vector3(0, -4, 0)
scale_min = 0.5
scale_max = 1.5
scale_curve = SubResource("ct")
color_ramp = SubResource("gt")
angular_velocity_max = 180.0

[sub_resource type="StandardMaterial3D" id="m"]
transparency = 1
blend_mode = 1
shading_mode = 0
vertex_color_use_as_albedo = true
albedo_color = Color(1, 0.5, 0, 0.5)
billboard_mode = 3

[sub_resource type="QuadMesh" id="q"]
material = SubResource("m")
size = Vector2(0.2, 0.4)

[node name="Top" type="Node3D"]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0)

[node name="Fire" type="GPUParticles3D" parent="."]
transform = Transform3D(2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 0)
amount = 32
lifetime = 2.0
process_material = SubResource("p")
draw_pass_1 = SubResource("q")
"""

GODOT_OLD = """[gd_scene load_steps=2 format=2]

[sub_resource type="ParticlesMaterial" id=1]
emission_shape = 1
emission_sphere_radius = 40.0
flag_disable_z = true
direction = Vector3( 0, -1, 0 )
spread = 20.0
gravity = Vector3( 0, 98, 0 )
initial_velocity = 100.0
initial_velocity_random = 0.5
scale = 2.0
color = Color( 1, 0.5, 0, 1 )

[node name="Puff" type="Particles2D"]
amount = 12
one_shot = true
explosiveness = 1.0
lifetime = 1.5
process_material = SubResource( 1 )
"""

EFKPROJ = """<?xml version="1.0" encoding="utf-8"?>
<EffekseerProject><Root><Name>Root</Name><Children><Node>
<Name>sparks</Name>
<CommonValues><MaxGeneration><Value>30</Value></MaxGeneration>
<Life><Center>60</Center><Max>90</Max><Min>30</Min></Life></CommonValues>
<LocationValues><Type>1</Type><PVA><Velocity>
<Y><Center>0.1</Center><Max>0.12</Max><Min>0.08</Min></Y></Velocity>
<Acceleration><Y><Center>-0.001</Center><Max>-0.001</Max><Min>-0.001</Min></Y></Acceleration>
</PVA></LocationValues>
<ScalingValues><Type>4</Type><SingleEasing><Start><Center>1</Center><Max>1</Max><Min>1</Min></Start>
<End><Center>0</Center><Max>0</Max><Min>0</Min></End></SingleEasing></ScalingValues>
<RendererCommonValues><AlphaBlend>2</AlphaBlend><FadeOutType>1</FadeOutType>
<FadeOut><Frame>30</Frame></FadeOut></RendererCommonValues>
<DrawingValues><Sprite><ColorAll_Fixed><R>255</R><G>128</G><B>0</B></ColorAll_Fixed></Sprite>
</DrawingValues>
</Node></Children></Root></EffekseerProject>
"""


def packed(tree: dict[str, Any]) -> bytes:
    """The editor's packed form of a tree: tables of names and values, then elements."""
    names: dict[str, int] = {}
    values: dict[str, int] = {}

    def elements(below: dict[str, Any]) -> bytes:
        data = struct.pack("<H", len(below))
        for name, value in below.items():
            data += struct.pack("<H", names.setdefault(name, len(names)))
            if isinstance(value, dict):
                data += struct.pack("<II", 0, 1) + elements(value)
            else:
                number = values.setdefault(str(value), len(values))
                data += struct.pack("<IHI", 1, number, 0)
        return data

    body = elements(tree)
    head = b""
    for table in (names, values):
        head += struct.pack("<H", len(table))
        for text, number in table.items():
            raw = text.encode()
            head += struct.pack("<H", len(raw)) + raw + struct.pack("<H", number)
    return head + body


def container(edit: bytes, **chunks: bytes) -> bytes:
    data = b"EFKE" + struct.pack("<I", 0)
    for name, body in {"EDIT": zlib.compress(edit), **chunks}.items():
        data += name.encode() + struct.pack("<I", len(body)) + body
    return data


def efkefc() -> bytes:
    life = {"Center": 60, "Max": 60, "Min": 60}
    node = {"Name": "dots", "CommonValues": {"MaxGeneration": {"Infinite": "True"}, "Life": life,
            "GenerationTime": {"Center": 6, "Max": 6, "Min": 6}}}  # fmt: skip
    return container(packed({"EffekseerProject": {"Root": {"Children": {"Node": node}}}}))


def skfe(life: int = 30, version: int = 1) -> bytes:
    """A binary of version 1 with one additive sprite that rises, and one texture."""
    name = "Spark.png\0".encode("utf-16-le")
    data = b"SKFE" + struct.pack("<iii", version, 1, len(name) // 2) + name + struct.pack("<i", 0)
    data += struct.pack("<ii", -1, 1)
    data += struct.pack("<ii9iff", 2, 44, 20, 2, 2, 2, 1, 0, 0, life, life, 1.0, 0.0)
    data += struct.pack("<ii18f", 1, 72, 0, 0, 0, 0, 0, 0, 0, 0.2, 0, 0, 0.1, 0, 0, 0, 0, 0, 0, 0)
    data += struct.pack("<ii", 0, 0)  # no absolute location
    data += struct.pack("<ii3f", 0, 12, 0, 0, 0)
    data += struct.pack("<ii3f", 0, 12, 0.5, 0.5, 0.5)
    data += struct.pack("<ii6f", 0, 0, 0, 0, 0, 0, 0, 0)
    data += struct.pack("<iiii", 2, 0, 2, 0)  # sprite, order, add, billboard
    data += struct.pack("<i4B", 0, 255, 128, 0, 255)  # one colour
    data += struct.pack("<iii", 0, 0, 0)  # corners plain; texture 0
    return data + struct.pack("<ii", 0, 0)  # no sound, nothing below


def write_all(folder: Path) -> list[Path]:
    """One file of every format."""
    texts = {
        "quarks.json": json.dumps(quarks()), "urho.xml": URHO3D, "cocos.plist": PLIST,
        "pixi.json": json.dumps(PIXI), "ts.js": SCRIPT, "godot.tscn": GODOT,
        "old.tscn": GODOT_OLD, "project.efkproj": EFKPROJ,
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "packed.efkefc").write_bytes(efkefc())
    (folder / "binary.efk").write_bytes(skfe())
    return [folder / name for name in (*texts, "packed.efkefc", "binary.efk")]
