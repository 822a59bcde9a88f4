# SPDX-License-Identifier: MIT
"""Godot 3 and 4: particle nodes of scenes (.tscn), and materials of particles (.tres)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from .curves import AGES
from .emitter import (
    Emitter, Range, Solid, Vector, alive, bound, planar, pulsed, slowing, unit, vector,
)  # fmt: skip
from .godot_looks import flat_look, paint, solid_look
from .godot_scene import Scene
from .reading import Record, Source

__all__ = ["read_godot"]

_NODES = {
    "GPUParticles3D": False, "Particles": False, "CPUParticles3D": False, "CPUParticles": False,
    "GPUParticles2D": True, "Particles2D": True, "CPUParticles2D": True,
}  # fmt: skip
_MATERIALS = ("ParticleProcessMaterial", "ParticlesMaterial")
_SHAPES_OLD = {0: "point", 1: "ball", 2: "box", 3: "points", 4: "points", 5: "ring"}
_SHAPES = {0: "point", 1: "ball", 2: "sphere", 3: "box", 4: "points", 5: "points", 6: "ring"}

# Of nodes and materials, what decides about speed, memory and order, not about looks.
_NODE_QUIET = (
    "fixed_fps", "interpolate", "fract_delta", "draw_order", "visibility_aabb", "visibility_rect",
    "local_coords", "layers", "cast_shadow", "extra_cull_margin", "collision_base_size", "seed",
    "use_fixed_seed", "speed_scale", "emitting", "sub_emitter", "draw_passes", "preprocess",
    "gi_mode", "lod_bias", "z_index", "z_as_relative", "show_behind_parent", "texture_filter",
    "skeleton",
)  # fmt: skip
_SOLIDS = ("GPUParticlesCollisionBox3D", "GPUParticlesCollisionSphere3D")
_ATTRACTOR = "GPUParticlesAttractorSphere3D"
_PLAIN = ("Node", "Node2D", "Node3D", "Spatial")
_PLACES = ("transform", "position", "rotation", "rotation_degrees", "scale")


def read_godot(source: Source, text: str, pixels_per_meter: float) -> list[Emitter]:
    """All particle nodes of a scene; of a file with a material alone, Godot's own emitter."""
    scene = Scene(source, text)
    reader = _Reader(source, scene, 1 / pixels_per_meter)
    found = []
    used = reader.sub_emitters()
    for path, (kind, node) in scene.nodes.items():
        if kind in _NODES and path not in used:
            found.append(reader.emitter(path, ()))
        elif kind in _PLAIN:
            node.skip(*_PLACES, *_NODE_QUIET)
            node.lack("visible", "it is drawn all the same", True)
        elif kind not in (*_NODES, *_SOLIDS, _ATTRACTOR):
            node.skip(*node.data)
    reader.others()
    if not found and used:  # they bear each other
        path = next(path for path, (kind, _) in scene.nodes.items() if kind in _NODES)
        found.append(reader.emitter(path, ()))
    if not found and "" in scene.resources:
        found.append(reader.material_alone())
    if not found:
        source.fail("", "has no node of particles")
    for kind, record in scene.resources.values():
        if kind not in _MATERIALS and not record.was_met:
            record.skip(*record.data)
    return found


class _Reader:
    def __init__(self, source: Source, scene: Scene, scale: float) -> None:
        self.source = source
        self.scene = scene
        self.scale = scale
        self.played = _played(scene)
        self.solids = [solid for path in scene.nodes for solid in self._solid(path)]
        self.pulls = [pull for path in scene.nodes for pull in self._attractor(path)]

    # ---- the tree ----

    def sub_emitters(self) -> set[str]:
        found = set()
        for path, (kind, node) in self.scene.nodes.items():
            way = node.data.get("sub_emitter")
            if kind in _NODES and way is not None:
                found.add(self.scene.node_at(path, str(getattr(way, "values", ("",))[0])))
        return found

    def others(self) -> None:
        """One note for each kind of node that is none of particles."""
        counts: dict[str, int] = {}
        for kind, _ in self.scene.nodes.values():
            if kind not in _NODES and kind not in _PLAIN:
                counts[kind] = counts.get(kind, 0) + 1
        for kind, count in counts.items():
            why = "nodes that are not particles"
            if kind in _SOLIDS or kind == _ATTRACTOR:
                continue
            if "Attractor" in kind or "Collision" in kind:
                why = "such forces and solids of scenes"
            self.source.note("nodes", f"{count} {kind or 'instances'}", f"{why} are not read")

    # ---- what particles meet ----

    def _solid(self, path: str) -> list[Solid]:
        """A box or a ball of the scene, where it stands."""
        kind, node = self.scene.nodes[path]
        if kind not in _SOLIDS:
            return []
        node.skip(*_PLACES, *_NODE_QUIET, "cull_mask")
        node.lack("visible", "it is met all the same", True)
        placing = self.scene.placing(path, False, 1.0)
        edges = np.linalg.norm(placing.basis, axis=0)
        if not edges.min() > 1e-9:
            node.note("a scale of 0", "nothing is met")
            return []
        if kind == _SOLIDS[1]:
            half = (node.number("radius", 1.0, 0.0) * float(edges.max()),) * 3
            return [Solid(vector(placing.origin), half, is_ball=True)]
        size = node.numbers("extents", 3, (1.0, 1.0, 1.0))
        half = vector(np.asarray(size) * edges)
        if "size" in node:
            half = vector(np.asarray(node.numbers("size", 3)) * edges / 2)
        axes = (placing.basis / edges).T
        if not np.allclose(axes @ axes.T, np.eye(3), atol=1e-5):
            node.note("a skewed box", "boxes have right angles")
            axes = np.eye(3)
        return [Solid(vector(placing.origin), half, axes)]

    def _attractor(self, path: str) -> list[tuple[tuple[float, Vector, float], float]]:
        """What it pulls by, and how far."""
        kind, node = self.scene.nodes[path]
        if kind != _ATTRACTOR:
            return []
        node.skip(*_PLACES, *_NODE_QUIET, "cull_mask")
        placing = self.scene.placing(path, False, 1.0)
        strength = node.number("strength", 1.0, -1e5, 1e5)
        attenuation = max(node.number("attenuation", 1.0, 0.0), 1e-3)
        radius = node.number("radius", 1.0, 0.0) * placing.scale
        node.lack("directionality", "attractors pull to their middle", 0)
        half = radius * (1 - 0.5 ** (1 / attenuation))
        return [((strength, vector(placing.origin), min(max(half, 1e-3), 1e5)), radius)]

    def emitter(self, path: str, above: tuple[str, ...]) -> Emitter:
        kind, node = self.scene.nodes[path]
        is_flat = _NODES[kind]
        unit_ = self.scale if is_flat else 1.0
        emitter = Emitter(where=node.where, name=path)
        process = node
        if not kind.startswith("CPU"):
            found = self.scene.below(node, "process_material")
            process = found[1] if found else self.source.record({}, node.at("process_material"))
            if found and found[0] not in _MATERIALS:
                node.note(f"process_material is a {found[0]}", "shaders are not run")
                process.skip(*process.data)
        node.skip(*_NODE_QUIET, *_PLACES)
        node.lack("visible", "it is drawn all the same", True)
        self._timed(node, process, emitter, path)
        self._shaped(process, emitter, unit_, is_flat, kind.startswith("CPU"))
        self._moved(process, emitter, unit_, is_flat)
        colors = self._colors(process, emitter)
        if is_flat:
            emitter.look = flat_look(self.scene, node, emitter, self.scale)
        else:
            emitter.look = solid_look(self.scene, node, emitter)
        self._sized(process, emitter)
        paint(emitter, colors, is_flat)
        self._follow(path, node, process, emitter, above)
        placed = self.scene.placing(path, is_flat, self.scale).apply(emitter, self.source)
        if not is_flat:
            self._met(node, process, placed)
        self._rest(process)
        return placed

    def _met(self, node: Record, process: Record, emitter: Emitter) -> None:
        """Solids, attractors and turbulence."""
        mode = process.choice("collision_mode", {0: "none", 1: "rigid", 2: "hide"}, 0)
        old = process.flag("collision_enabled")
        bounce = process.number("collision_bounce", 0.0, 0.0, 1.0)
        friction = process.number("collision_friction", 0.0, 0.0)
        process.skip("collision_use_scale")
        near = [
            solid for solid in self.solids
            if _meets(emitter, solid.center, math.hypot(*solid.half_size))
        ]  # fmt: skip
        if (mode != "none" or old) and near:
            emitter.solids = tuple(
                replace(solid, bounce=bounce, friction=friction, kills=mode == "hide")
                for solid in near
            )
            emitter.solid_radius = node.number("collision_base_size", 0.01, 0.0) / 2
        elif mode != "none" or old:
            process.note(f"collision_mode = {mode}", "no box or ball of the file is there to meet")
        if process.flag("attractor_interaction_enabled", True):
            emitter.pulls = tuple(pull for pull, far in self.pulls if _meets(emitter, pull[1], far))
        if process.flag("turbulence_enabled"):
            self._stirred(process, emitter)

    def _stirred(self, process: Record, emitter: Emitter) -> None:
        """Each frame of 1/60 s a share of the velocity turns to where the noise points."""
        share = sum(_span(process, "turbulence_influence", 0.1)) / 2
        slider = process.number("turbulence_noise_scale", 9.0, 0.0, 10.0)
        strength = process.number("turbulence_noise_strength", 1.0, 0.0)
        speed = process.numbers("turbulence_noise_speed", 3, (0.0, 0.0, 0.0))
        process.lack("turbulence_noise_speed_random", "noise drifts evenly", 0, 0.2)
        for key in ("turbulence_initial_displacement_min", "turbulence_initial_displacement_max"):
            process.lack(key, "particles begin where their shape is", 0)
        emitter.noise_drag = 60.0 * min(share, 0.99)
        emitter.noise = sum(emitter.speed) / 2 * strength
        frequency = max(4.0 - 4.0 * (slider / 10.0) ** 0.25, 0.02)
        emitter.noise_size = 1.0 / frequency
        if any(speed):
            process.note(f"turbulence_noise_speed = {speed}", "noise stands still")
        process.note("turbulence", "speeds go to that of eddies instead of turning to them")

    def material_alone(self) -> Emitter:
        """A material without a node: the particles of a new node, with this material."""
        kind, record = self.scene.resources[""]
        emitter = Emitter(where="resource", count=8, lifetime=(1.0, 1.0), even=True)
        empty = self.source.record({}, "resource")
        if kind in _MATERIALS:
            self._shaped(record, emitter, 1.0, False, False)
            self._moved(record, emitter, 1.0, False)
            colors = self._colors(record, emitter)
            self._sized(record, emitter)
            self._rest(record)
        else:
            self._shaped(empty, emitter, 1.0, False, False)
            self._moved(empty, emitter, 1.0, False)
            colors = self._colors(empty, emitter)
            emitter.look = solid_look(self.scene, empty, emitter, (kind, record))
        self.source.note("resource", "no node", "a material alone: the particles of a new node")
        paint(emitter, colors, False)
        return emitter

    # ---- times ----

    def _timed(self, node: Record, process: Record, emitter: Emitter, path: str) -> None:
        amount = node.whole("amount", 8, 1) * node.number("amount_ratio", 1.0, 0.0, 1.0)
        speed = max(node.number("speed_scale", 1.0, 0.0), 1e-3)
        life = node.number("lifetime", 1.0, 0.0) / speed
        random = process.number("lifetime_randomness", 0.0, 0.0, 1.0)
        lives = bound(self.source, node.where, (life * (1 - random), life))
        explosive = node.number("explosiveness", 0.0, 0.0, 1.0)
        node.lack("randomness", "births are even, or at random", 0)
        is_once = node.flag("one_shot")
        spread = (1 - explosive) * life
        span = self.played.get(path)
        if not node.flag("emitting", True) and span is not None:
            begin, end = span
            emitter.wait = begin
            cycles = max((end - begin) / max(spread, 1 / 64), 1 / amount)
            amount = amount * min(cycles, 1.0)
            spread = min(end - begin, spread)
            is_once = True
        if is_once:
            found = pulsed(self.source, node.where, amount, None, lives) | {"delay": spread}
        elif explosive > 0.5:
            found = pulsed(self.source, node.where, amount, life, lives)
            if explosive < 1:
                node.note(f"explosiveness = {explosive:g}", "all of a burst begin at once")
        else:
            found = {"count": alive(self.source, node.where, amount), "lifetime": lives}
            found["even"] = random == 0
        for key, value in found.items():
            setattr(emitter, key, value)

    # ---- places and motion ----

    def _shaped(self, process: Record, emitter: Emitter, unit_: float, is_flat: bool,
                is_cpu: bool) -> None:  # fmt: skip
        shape = process.choice("emission_shape", _SHAPES_OLD if self.scene.is_old else _SHAPES, 0)
        process.skip("emission_color_texture", "emission_point_texture", "emission_normal_texture")
        names = {"ball": "sphere_radius", "sphere": "sphere_radius", "box": "box_extents"}
        if is_cpu and is_flat:
            names["box"] = "rect_extents"
        if shape in ("ball", "sphere"):
            emitter.shape = "disc" if is_flat else "sphere"
            emitter.radius = process.number(f"emission_{names[shape]}", 1.0, 0.0) * unit_
            emitter.inner = emitter.radius if shape == "sphere" else 0.0
        elif shape == "box":
            key = f"emission_{names['box']}"
            size = process.raw(key, (1.0, 1.0, 1.0))
            edges = process.numbers(key, len(size) if isinstance(size, tuple) else 3, size)
            emitter.shape = "box"
            box = [abs(edge) * unit_ for edge in edges][:3]
            emitter.box = (box[0], box[1], 0.0 if is_flat or len(box) < 3 else box[2])
        elif shape == "ring":
            emitter.shape = "ring"
            emitter.radius = process.number("emission_ring_radius", 1.0, 0.0) * unit_
            emitter.inner = process.number("emission_ring_inner_radius", 0.0, 0.0) * unit_
            emitter.axis = unit(process.numbers("emission_ring_axis", 3, (0.0, 0.0, 1.0)))
            process.lack("emission_ring_height", "rings are flat", 0)
            process.lack("emission_ring_cone_angle", "rings are flat", 90)
        elif shape == "points":
            process.note("emission_shape = points", "points of textures are not read; a point")
        if is_flat:
            emitter.axis = (0.0, 0.0, 1.0)
        offset = process.numbers("emission_shape_offset", 3, (0.0, 0.0, 0.0))
        emitter.origin = _up(offset, unit_, is_flat)
        process.lack("emission_shape_scale", "shapes keep their size", (1, 1, 1))

    def _moved(self, process: Record, emitter: Emitter, unit_: float, is_flat: bool) -> None:
        size = 2 if isinstance(process.data.get("direction"), tuple) and len(
            process.data["direction"]) == 2 else 3
        direction = process.numbers("direction", size, (1.0, 0.0, 0.0)[:size])
        emitter.direction = unit(_up((*direction, 0.0)[:3], 1.0, is_flat))
        emitter.spread = process.number("spread", 45.0, 0.0, 360.0) / 360
        emitter.spread = min(emitter.spread, 0.5)
        flatness = process.number("flatness", 0.0)
        if is_flat:
            planar(emitter)
        elif flatness >= 0.5 and emitter.shape != "ring":
            emitter.is_flat = True
        if not is_flat and flatness != float(emitter.is_flat):
            process.note(f"flatness = {flatness:g}", "cones are round, or flat")
        speed = _span(process, "initial_velocity", 0.0)
        emitter.speed = (speed[0] * unit_, speed[1] * unit_)
        size = 2 if isinstance(process.data.get("gravity"), tuple) and len(
            process.data["gravity"]) == 2 else 3
        default = (0.0, 980.0, 0.0) if is_flat and not self.scene.is_old else (0.0, -9.8, 0.0)
        if is_flat and self.scene.is_old:
            default = (0.0, 98.0, 0.0)
        pull = process.numbers("gravity", size, default[:size])
        emitter.gravity = _up((*pull, 0.0)[:3], unit_, is_flat)
        self._slowed(process, emitter, unit_)
        for key, field in (("radial_accel", "radial"), ("tangential_accel", "tangential")):
            least, most = _span(process, key, 0.0)
            setattr(emitter, field, (least * unit_, most * unit_))
        if _span(process, "linear_accel", 0.0) != (0.0, 0.0):
            process.note("linear_accel", "nothing pulls along the way of a particle")
        turns = _span(process, "orbit_velocity", 0.0)
        emitter.orbit = (min(turns), max(turns)) if is_flat else (0.0, 0.0)
        angle, spin = _span(process, "angle", 0.0), _span(process, "angular_velocity", 0.0)
        emitter.rotation = (angle[0] / 360, angle[1] / 360)
        emitter.spin = (spin[0] / 360, spin[1] / 360)

    def _slowed(self, process: Record, emitter: Emitter, unit_: float) -> None:
        """Damping takes so much speed each second, until a particle rests."""
        damping = sum(_span(process, "damping", 0.0)) / 2 * unit_
        speed, life = sum(emitter.speed) / 2, sum(emitter.lifetime) / 2
        is_friction = process.flag("particle_flag_damping_as_friction")
        if damping <= 0 or speed <= 0:
            return
        if is_friction:
            emitter.drag = (damping / unit_, damping / unit_)
            return
        stops = speed / damping
        end = max(speed - damping * life, 0.0)
        emitter.speed, emitter.drag = slowing(self.source, process.at("damping"), emitter.speed,
                                              end, min(stops, life))  # fmt: skip

    # ---- looks ----

    def _colors(self, process: Record, emitter: Emitter) -> tuple[np.ndarray, np.ndarray]:
        """The colour that all have, and (65, 4) over the age or to be picked from."""
        base = np.array(process.numbers("color", 4, (1.0, 1.0, 1.0, 1.0)))
        over = np.ones((AGES.size, 4))
        found = self.scene.gradient(process.raw("color_ramp"), process, "color_ramp")
        first = self.scene.gradient(process.raw("color_initial_ramp"), process,
                                    "color_initial_ramp")  # fmt: skip
        if found is not None:
            over = found
        if first is not None and found is None:
            over, emitter.picks = first, True
        elif first is not None and np.ptp(found[:, :3]) < 1e-6:  # type: ignore[index]
            # The course is of alpha alone: colours may be picked, and fade by it.
            emitter.picks = True
            over = np.concatenate([first[:, :3] * over[:1, :3], over[:, 3:]], axis=1)
        elif first is not None:
            process.note("color_initial_ramp", "its middle is multiplied into the colour over life")
            over = over * first.mean(axis=0)
        alpha = self.scene.curve(process.raw("alpha_curve"), process, "alpha_curve")
        if alpha is not None:
            over = np.concatenate([over[:, :3], over[:, 3:] * alpha[:, None]], axis=1)
        return base, over

    def _sized(self, process: Record, emitter: Emitter) -> None:
        is_amount = any(key.startswith("scale_amount") for key in process.data)
        name = "scale_amount" if is_amount else "scale"
        if process.where.startswith("node") and name == "scale":
            spans = (1.0, 1.0)  # the scale of a CPU node is that of the node
        else:
            spans = _span(process, name, 1.0)
        spans = (max(spans[0], 0.0), max(spans[1], 0.0))
        emitter.size = (emitter.size[0] * spans[0], emitter.size[1] * spans[1])
        curve = self.scene.curve(process.raw(f"{name}_curve"), process, f"{name}_curve")
        if curve is not None:
            emitter.size_curve = np.maximum(curve, 0.0)
        if process.flag("particle_flag_align_y") | process.flag("flag_align_y"):
            emitter.look.face = "streak"
        process.skip("particle_flag_align_y", "flag_align_y", "particle_flag_disable_z",
                     "flag_disable_z")  # fmt: skip
        speeds = _span(process, "anim_speed", 0.0)
        offsets = _span(process, "anim_offset", 0.0)
        frames = emitter.look.frames[0] * emitter.look.frames[1]
        if speeds[1] > 0:
            emitter.frame_count = frames
            if speeds != (1.0, 1.0):
                process.note(f"anim_speed = {speeds}", "a flipbook plays once over a life")
        elif offsets[1] > offsets[0]:
            emitter.frame_count = 0
        else:
            emitter.frame_count = 1
            emitter.frame = min(int(max(offsets[0], 0.0) * frames), frames - 1)

    def _follow(self, path: str, node: Record, process: Record, emitter: Emitter,
                above: tuple[str, ...]) -> None:  # fmt: skip
        way = node.data.get("sub_emitter")
        mode = process.choice(
            "sub_emitter_mode", {0: "none", 1: "always", 2: "death", 3: "collision", 4: "start"}, 0)
        keeps = process.flag("sub_emitter_keep_velocity")
        process.skip("sub_emitter_frequency")
        counts = [process.whole(f"sub_emitter_amount_at_{end}", 1, 0, 10000)
                  for end in ("end", "collision", "start")]  # fmt: skip
        if way is None or mode == "none":
            return
        target = self.scene.node_at(path, str(getattr(way, "values", ("",))[0]))
        if target not in self.scene.nodes or target in (*above, path) or len(above) >= 8 or (
                self.scene.nodes[target][0] not in _NODES):  # fmt: skip
            why = "there is no such node of particles, or it is above"
            node.note(f"sub_emitter = {way!r}", why)
            return
        if mode not in ("death", "collision"):
            process.note(f"sub_emitter_mode = {mode}", "only deaths and collisions begin something")
            return
        child = replace(self.emitter(target, (*above, path)), inherit=float(keeps))
        count = max(counts[0] if mode == "death" else counts[1], 1)
        emitter.children.append((mode, child, count))

    def _rest(self, process: Record) -> None:
        for group in ("turbulence", "collision"):
            if process.data.get(f"{group}_enabled") in (None, False):
                process.skip(*(k for k in process.data if k.startswith(f"{group}_")))
        for key in list(process.unread()):
            if key.endswith(("_curve", "_texture")):
                process.lack(key, "this course over the life is not followed", None)
            elif key.startswith("hue_variation"):
                process.lack(key, "hues do not vary", 0)
        process.skip("trail_divisor", "inherit_velocity_ratio", "render_priority")
        for key in ("particle_flag_rotate_y", "flag_rotate_y"):
            process.lack(key, "sprites face the camera", False)


def _meets(emitter: Emitter, place: Vector, reach: float) -> bool:
    """Whether particles may come so near to a place: those that nothing else turns aside."""
    life = emitter.lifetime[1]
    way = max(map(abs, emitter.speed)) * life + emitter.radius
    fall = np.asarray(emitter.gravity) * life * life / 2
    middle, box = np.asarray(emitter.origin), np.asarray(emitter.box)
    low = middle - box - way + np.minimum(fall, 0.0)
    high = middle + box + way + np.maximum(fall, 0.0)
    beyond = np.maximum(np.maximum(low - place, place - high), 0.0)
    return float(np.linalg.norm(beyond)) <= reach


def _span(record: Record, key: str, default: float) -> Range:
    """Godot 4's key_min and key_max, or Godot 3's key and key_random."""
    if f"{key}_min" in record or f"{key}_max" in record:
        record.skip(key)
        pair = (record.number(f"{key}_min", default), record.number(f"{key}_max", default))
        return (min(pair), max(pair))
    value = record.number(key, default) if not isinstance(record.data.get(key), tuple) else default
    least = value * (1 - record.number(f"{key}_random", 0.0, 0.0, 1.0))
    return (min(least, value), max(least, value))


def _up(vector: Any, scale: float, is_flat: bool) -> tuple[float, float, float]:
    """A vector in metres with y up: in 2D it points down."""
    x, y, z = (float(v) * scale for v in vector)
    return (x, -y, 0.0) if is_flat else (x, y, z)


def _played(scene: Scene) -> dict[str, tuple[float, float]]:
    """When animations turn nodes on and off, by the node's path."""
    found: dict[str, tuple[float, float]] = {}
    for kind, record in scene.resources.values():
        if kind != "Animation":
            continue
        record.skip(*record.data)
        for key, path in record.data.items():
            way = str(getattr(path, "values", ("",))[0]) if key.endswith("/path") else ""
            keys = record.data.get(f"{key.removesuffix('path')}keys")
            if not way.endswith(":emitting") or not isinstance(keys, dict):
                continue
            times, values = keys.get("times"), keys.get("values")
            if not (isinstance(times, list) and isinstance(values, list) and len(times) > 1):
                continue
            if values[:2] == [True, False] and all(isinstance(t, (int, float)) for t in times[:2]):
                begin, end = float(times[0]), float(times[1])
                if 0 <= begin < end < 1e4 and math.isfinite(end):
                    found[scene.node_at(".", way.removesuffix(":emitting"))] = (begin, end)
    return found

