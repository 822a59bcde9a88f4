# SPDX-License-Identifier: MIT
"""How Godot draws particles: materials, meshes, colours."""

from __future__ import annotations

import numpy as np

from ..image import Image
from .emitter import Emitter, Look, hdr
from .godot_scene import Scene, linear
from .reading import Record

__all__ = ["flat_look", "paint", "solid_look"]

_BLENDS = {0: "mix", 1: "add", 2: "subtract", 3: "multiply", 4: "premultiplied"}

# What a texture of unknown size is taken to be, in pixels.
_TEXTURE = 64


def flat_look(scene: Scene, node: Record, emitter: Emitter, scale: float) -> Look:
    """Of 2D nodes: the texture in its own size, colours as they are."""
    look = Look()
    found = scene.below(node, "material")
    if found is not None:
        _, material = found
        look.blend = _blend(material)
        _frames(material, look)
    tint = np.ones(4)
    for key in ("modulate", "self_modulate"):
        tint = tint * np.array(node.numbers(key, 4, (1.0, 1.0, 1.0, 1.0)))
    emitter.ramp = tint[None, :3]
    emitter.opacity = float(min(tint[3], 1.0))
    image = scene.texture(node, "texture", look.blend)
    node.lack("normal_map", "sprites have no normals")
    width = float(image.width) if isinstance(image, Image) else float(_TEXTURE)
    if image is None:
        width = 1.0
        node.note("no texture", "Godot draws single pixels; so do these, as dots")
        image = "glow"
    look.image = image
    if isinstance(image, str):
        look.frames = (1, 1)
    edge = width / look.frames[0] * scale
    emitter.size = (edge, edge)
    if isinstance(image, Image):
        look.aspect = image.height / look.frames[1] / (image.width / look.frames[0])
    return look


def solid_look(scene: Scene, node: Record, emitter: Emitter,
               alone: tuple[str, Record] | None = None) -> Look:  # fmt: skip
    """Of 3D nodes: a mesh with a material; sprites stand in for all meshes but quads."""
    look = Look(lit=True)
    material = alone
    edge = 1.0
    if alone is None:
        mesh = scene.below(node, "draw_pass_1") or scene.below(node, "mesh")
        if mesh is not None:
            edge, own = _mesh(scene, node, *mesh, look)
            material = own
        for number in (2, 3, 4):
            node.lack(f"draw_pass_{number}", "one mesh is drawn", None)
        for key in ("material_override", "material_overlay"):
            material = scene.below(node, key) or material
        node.lack("trail_enabled", "particles leave no trail", False)
        node.skip("trail_lifetime", "trail_length_secs")
        node.lack("transform_align", "sprites face the camera", 0)
    emitter.size = (edge, edge)
    emitter.ramp, emitter.picks = np.ones((1, 3)), emitter.picks
    if material is None:
        look.image = "glow"
        return look
    _material(scene, material, emitter, look)
    return look


def _mesh(scene: Scene, node: Record, kind: str, mesh: Record, look: Look
          ) -> tuple[float, tuple[str, Record] | None]:  # fmt: skip
    """The edge of the sprite, and the mesh's own material."""
    edge = 1.0
    mesh.skip("subdivide_depth", "subdivide_width", "radial_segments", "rings", "radial_steps",
              "sections", "section_length", "section_segments", "rings", "curve")  # fmt: skip
    if kind == "QuadMesh":
        wide, high = mesh.numbers("size", 2, (1.0, 1.0))
        edge = max(abs(wide), 1e-6)
        look.aspect = abs(high) / edge
    else:
        node.note(f"a mesh of type {kind}", "sprites of its size stand in")
        if kind == "SphereMesh":
            edge = 2 * mesh.number("radius", 0.5, 0.0)
        elif kind == "BoxMesh":
            edge = max(map(abs, mesh.numbers("size", 3, (1.0, 1.0, 1.0))))
        elif "radius" in mesh:
            edge = 2 * mesh.number("radius", 0.5, 0.0)
        mesh.skip("height", "radius", "size")
        look.image, look.sharpness = "chip" if kind == "BoxMesh" else "glow", 0.7
        if kind.endswith("TrailMesh"):
            look.face, look.image = "streak", "streak"
    return edge, scene.below(mesh, "material")


def _material(scene: Scene, material: tuple[str, Record], emitter: Emitter, look: Look) -> None:
    kind, record = material
    if kind not in ("StandardMaterial3D", "SpatialMaterial", "ORMMaterial3D"):
        record.note(f"a {kind}", "only standard materials are read")
        record.skip(*record.data)
        return
    record.skip(
        "transparency", "flags_transparent", "cull_mode", "params_cull_mode", "texture_filter",
        "billboard_mode", "params_billboard_mode", "billboard_keep_scale", "no_depth_test",
        "params_billboard_keep_scale", "diffuse_mode", "specular_mode", "use_particle_trails",
        "render_priority", "disable_receive_shadows", "depth_draw_mode", "texture_repeat",
        "metallic", "roughness", "metallic_specular", "specular", "disable_ambient_light",
    )  # fmt: skip
    look.blend = _blend(record)
    unshaded = record.whole("shading_mode", 1) == 0 or record.flag("flags_unshaded")
    look.lit = not unshaded and look.blend != "add"
    if record.flag("proximity_fade_enabled") or record.flag("proximity_fade_enable"):
        look.soft = record.number("proximity_fade_distance", 1.0, 0.0)
    record.skip("proximity_fade_distance", "proximity_fade_enable")
    _frames(record, look)
    image = scene.texture(record, "albedo_texture", look.blend)
    if image is not None:
        look.image = image
    elif look.image == "glow" and emitter.look is not look:
        look.sharpness = 0.7
    if isinstance(look.image, str):
        look.frames = (1, 1)
    albedo = np.array(record.numbers("albedo_color", 4, (1.0, 1.0, 1.0, 1.0)))
    emitter.ramp = linear(albedo[:3])[None]
    emitter.opacity = float(min(max(albedo[3], 0.0), 1.0))
    emitter.name = emitter.name or kind
    is_tinted = record.flag("vertex_color_use_as_albedo")
    is_srgb = record.flag("vertex_color_is_srgb")
    look.tint = ("srgb" if is_srgb else "linear") if is_tinted else "none"
    _shine(record, emitter, look)


def _shine(record: Record, emitter: Emitter, look: Look) -> None:
    """What shines by itself has the sum of both colours, and no light falls on it."""
    is_on = record.flag("emission_enabled")
    color = record.numbers("emission", 4, (0.0, 0.0, 0.0, 1.0))
    energy = record.number("emission_energy_multiplier", record.number("emission_energy", 1.0))
    if is_on:
        record.lack("emission_texture", "all of a sprite shines alike")
        emitter.ramp = emitter.ramp + linear(color[:3])[None] * max(energy, 0.0)
        record.note(f"emission = {color[:3]}", "is added to the colour, and nothing shades both")
        look.lit = False
    record.skip("emission_texture", "emission_operator", "emission_on_uv2")



def _blend(record: Record) -> str:
    key = "params_blend_mode" if "params_blend_mode" in record else "blend_mode"
    word = record.choice(key, _BLENDS, 0)
    if word in ("subtract", "multiply"):
        record.note(f"{key} = {word}", "drawn as normal blending")
    return {"add": "add", "premultiplied": "premultiplied"}.get(word, "sorted")


def _frames(record: Record, look: Look) -> None:
    record.skip("particles_animation", "particles_anim_loop")
    columns = record.whole("particles_anim_h_frames", 1, 1, 64)
    look.frames = (columns, record.whole("particles_anim_v_frames", 1, 1, 64))


def paint(emitter: Emitter, colors: tuple[np.ndarray, np.ndarray], is_flat: bool) -> None:
    """Multiplies the colours of the particles into those of their material.

    In 3D a material without `vertex_color_is_srgb` takes the ramp's values for light as they are.
    """
    base, over = colors
    tint = np.ones((1, 3)) if emitter.ramp is None else emitter.ramp
    if is_flat:
        emitter.ramp = np.clip(tint * base[:3] * over[:, :3], 0.0, 1.0)
        alpha = base[3] * over[:, 3]
    else:
        if emitter.look.tint == "none":
            base, over = np.ones(4), np.ones_like(over)
        ramp = linear(over[:, :3]) if emitter.look.tint == "srgb" else over[:, :3]
        emitter.ramp, emitter.look.glow = hdr(tint * linear(base[:3]) * ramp, linear=True)
        alpha = base[3] * over[:, 3]
    emitter.opacity_curve = np.clip(alpha, 0.0, 1.0)
