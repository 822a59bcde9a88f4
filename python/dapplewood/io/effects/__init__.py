# SPDX-License-Identifier: MIT
"""Particle effects of other systems, read as effects of this one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ..files import as_path, read_bytes
from .cocos import read_plist
from .effekseer import is_effekseer, read_effekseer
from .emitter import Emitter
from .godot import read_godot
from .js_object import script_objects
from .parts import effect_of
from .pixi import is_pixi, is_sheet, read_pixi, read_sheet
from .quarks import read_quarks
from .reading import MAX_TEXT, Code, Source
from .tsparticles import is_tsparticles, read_tsparticles
from .urho3d import read_urho3d
from .xml_tree import xml_tree

if TYPE_CHECKING:
    from ...particle_effect import ParticleEffect

__all__ = ["load_effect"]

_SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".html", ".htm")


def load_effect(
    path: str | os.PathLike[str],
    *,
    folders: Sequence[str | os.PathLike[str]] = (),
    pixels_per_meter: float = 100.0,
) -> ParticleEffect:
    """Reads a particle effect that another system wrote.

    Parameters
    ----------
    path : path
        .json (three.quarks, tsparticles, pixi-particles, sprite sheets), .js, .ts and .html that
        hold such objects, .efkefc, .efk and .efkproj (Effekseer), .tscn and .tres (Godot 3 and 4),
        .xml (Urho3D), .plist (cocos2d).
    folders : sequence of paths
        Where textures may lie, beside the file's own folder. No file elsewhere is opened.
    pixels_per_meter : float
        Of systems that measure in pixels: cocos2d, pixi, tsparticles and Godot's 2D nodes.

    Returns
    -------
    ParticleEffect
        One part for each emitter, all of kind "ballistic", metres, seconds, y up. `unmapped` tells
        (where, what, why) of all that the file asks for and the parts do not do as it says:
        settings without a counterpart, ones that are approximated, textures that are missing,
        keys not known.

    Raises
    ------
    FileNotFoundError, IsADirectoryError, OSError
        As the system says, with the path.
    FormatError
        A damaged file, or none of these formats; with the place in the file and what was wanted.
    ValueError
        `pixels_per_meter` is not positive and finite.

    Notes
    -----
    ================  =====================================================================
    format            what is read of it
    ================  =====================================================================
    three.quarks      .json: emitters with their places, shapes, bursts, behaviours (size,
                      colour, turn, force, speed limit, speed, orbit, frame, turbulence field),
                      emitters that others begin at their deaths; materials and textures
    Effekseer         .efkefc, .efkproj, .efk up to version 13: sprites, rings as pictures of
                      their own, long boards as beams of streaks; nodes below others flattened
    Godot 3, 4        .tscn, .tres: CPU and GPU nodes in 2D and 3D, their process and draw
                      materials, gradients and curves, sub-emitters at deaths and collisions,
                      boxes, balls and ball attractors of the scene, turbulence, animations of
                      `emitting`; of a material alone the particles of a new node
    Urho3D            .xml: all that its particle effects have but their materials
    cocos2d           .plist: gravity and radius emitters
    pixi-particles    .json, .js, .html: its emitters of version 4; sprite sheets
    tsparticles       .json, .js, .html: what fills a canvas, emitters, splits
    ================  =====================================================================

    ================  =====================================================================
    what a part has   where it comes from
    ================  =====================================================================
    count             rate times mean life; bursts; Godot: amount; at least one, or a burst
                      now and then where the rate gives less
    lifetime          quarks startLife; Effekseer Life (frames of 1/60 s); Godot lifetime and
                      lifetime_randomness; Urho3D timetolive; cocos particleLifespan and its
                      variance; pixi lifetime; tsparticles life.duration, or the time of its way
    burst, once,      quarks looping and emissionBursts; Effekseer MaxGeneration, GenerationTime
    delay             and its offset; Godot one_shot, explosiveness, and animations of `emitting`;
                      Urho3D activetime; cocos duration; pixi emitterLifetime
    shape, offset     point, disc, ring, sphere, hemisphere, box, cone, along x, y or z (the
                      nearest); transforms of nodes; what is flat stays in its plane
    speed, direction  quarks: of the shape; Effekseer Velocity, or the way of an easing; Godot
                      initial_velocity, direction, spread; Urho3D velocity, direction; cocos
                      speed, angle; pixi speed, startRotation; tsparticles move
    force             quarks ForceOverLife; Effekseer Acceleration; Godot gravity; Urho3D
                      constantforce; cocos gravity; pixi acceleration; tsparticles gravity
    drag              quarks LimitSpeedOverLife (to rest); Godot damping and pixi speed.end (to
                      the same end); Urho3D dampingforce; tsparticles decay
    size, size curve  quarks startSize, SizeOverLife; Effekseer ScalingValues; Godot scale,
                      scale_curve, the quad; Urho3D particlesize, sizedelta; cocos, pixi start to
                      end; tsparticles size and its animation
    colour, opacity   gradients and fades over the life, or picked where they are random; linear
                      (quarks, Godot 3D) or sRGB (all others); brighter than 1: glow of the layer
    turn, spin        all but Urho3D's axes and three-dimensional turns
    flipbook          quarks uTileCount, FrameOverLife; Godot particles_anim; sprite sheets;
                      Effekseer UV animation
    blend             add, premultiplied, or sorted; subtract and multiply become sorted
    face              camera, flat, or streak (stretched billboards, trails, align_y)
    texture           beside the file or in `folders`; DDS, PNG, TGA and others; gradients are
                      drawn; else a computed picture stands in
    on_death,         quarks EmitSubParticleSystem, Godot sub_emitter, tsparticles split; these
    on_collision      parts, and those with what follows, are simulated: `simulation="dynamic"`
    colliders         Godot's boxes and balls that particles may reach; they stand in the world
                      as in the file, wherever the effect is registered
    forces            Godot's turbulence and attractors, quarks TurbulenceField
    ================  =====================================================================

    Not done, and told: pulls around the way, courses over the emitter's own time, trails,
    ribbons, meshes, shaders, sounds, what begins at births.

    Colours of quarks and of Godot's 3D materials are light; those of the others sRGB.

    Examples
    --------
    >>> effect = dw.load_effect("explosion.json")
    >>> for where, what, why in effect.unmapped:
    ...     print(where, what, why)
    """
    place = as_path(path)
    if not (isinstance(pixels_per_meter, (int, float)) and 0 < pixels_per_meter < float("inf")):
        raise ValueError(f"pixels_per_meter must be positive and finite, got {pixels_per_meter!r}")
    source = Source(place, [as_path(folder, "folders") for folder in folders])
    if (size := place.stat().st_size) > MAX_TEXT:
        source.fail("", f"has {size} bytes; effects have at most {MAX_TEXT}")
    data = bytes(read_bytes(place))
    try:
        emitters = _read(source, data, float(pixels_per_meter))
    except RecursionError:
        source.fail("", "is nested too deeply")
    return effect_of(source, place.stem, emitters)


def _read(source: Source, data: bytes, pixels_per_meter: float) -> list[Emitter]:
    suffix = source.path.suffix.lower()
    if is_effekseer(data):
        return read_effekseer(source, data)
    if suffix == ".plist":
        return read_plist(source, data, pixels_per_meter)
    if suffix in (".xml", ".efkproj") or data.lstrip(b"\xef\xbb\xbf \t\r\n")[:5] == b"<?xml":
        return _read_xml(source, data, pixels_per_meter)
    text = _text(source, data)
    if suffix in (".tscn", ".tres") or text.startswith(("[gd_scene", "[gd_resource")):
        return read_godot(source, text, pixels_per_meter)
    if suffix in _SCRIPTS:
        return _read_script(source, text, pixels_per_meter)
    if suffix == ".json" or text.lstrip()[:1] == "{":
        return _read_json(source, text, pixels_per_meter)
    source.fail("", "is none of the particle effects that are read: .json, .js, .html, .efkefc, "
                ".efk, .efkproj, .tscn, .tres, .xml, .plist")  # fmt: skip


def _text(source: Source, data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        source.fail("", f"is no UTF-8 text: {error.reason} at byte {error.start}")


def _read_xml(source: Source, data: bytes, pixels_per_meter: float) -> list[Emitter]:
    root = xml_tree(source, data)
    if root.tag in ("particleeffect", "particleemitter"):
        return read_urho3d(source, root)
    if root.tag == "EffekseerProject":
        return read_effekseer(source, data)
    if root.tag == "plist":
        return read_plist(source, data, pixels_per_meter)
    wanted = "<particleeffect>, <EffekseerProject> or <plist>"
    source.fail("", f"wanted {wanted}, got <{root.tag[:40]}>")


def _read_json(source: Source, text: str, pixels_per_meter: float) -> list[Emitter]:
    def refuse(word: str) -> NoReturn:
        raise ValueError(f"{word} is no JSON number")

    try:
        data = json.loads(text, parse_constant=refuse)
    except ValueError as error:
        source.fail("", f"is no whole JSON: {error}")
    found = _read_object(source, data, [], pixels_per_meter)
    if found is None:
        source.fail("", "is JSON, but none of three.quarks, tsparticles or pixi-particles")
    return found


def _read_script(source: Source, text: str, pixels_per_meter: float) -> list[Emitter]:
    """The first object of a script that is an effect."""
    parts = [text]
    if source.path.suffix.lower() in (".html", ".htm"):
        parts = [piece.partition("</script")[0].partition(">")[2]
                 for piece in text.split("<script")[1:]]  # fmt: skip
        parts = [part for part in parts if "{" in part]
    for part in parts:
        for data, before in script_objects(source, part):
            images = [word for word in before.split('"')[1::2] if word.lower().endswith(_IMAGES)]
            found = _read_object(source, data, images, pixels_per_meter)
            if found is not None:
                return found
    source.fail("", "has no object of tsparticles or pixi-particles: no `particles`, `emitters` or "
                "`lifetime` in any")  # fmt: skip


_IMAGES = (".png", ".jpg", ".jpeg", ".webp", ".dds", ".tga", ".bmp")


def _read_object(source: Source, data: Any, images: list[str], pixels_per_meter: float
                 ) -> list[Emitter] | None:  # fmt: skip
    if not isinstance(data, dict) or isinstance(data, Code):
        return None
    if "object" in data and "metadata" in data:
        return read_quarks(source, data)
    if is_sheet(data):
        return read_sheet(source, data, pixels_per_meter)
    if is_tsparticles(data):
        return read_tsparticles(source, data, pixels_per_meter)
    if is_pixi(data):
        return read_pixi(source, data, images, pixels_per_meter)
    return None
