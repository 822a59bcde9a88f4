# SPDX-License-Identifier: MIT
"""What all readers make: emitters in metres, seconds and turns, y up, before they become parts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..image import Image
from .curves import encoded
from .reading import Source

__all__ = ["Emitter", "Look", "Placing", "Solid", "alive", "bound", "continuous", "hdr", "planar",
           "pulsed", "slowing", "unit", "vector"]  # fmt: skip

Range = tuple[float, float]
Vector = tuple[float, float, float]

# More than any of the systems draws; what a damaged number asks for must end before memory does.
_MOST_PARTICLES = 1_000_000
_LONGEST = 3600.0


def vector(values: Iterable[float]) -> Vector:
    """Three floats of an array or of any three numbers."""
    x, y, z = values
    return float(x), float(y), float(z)


@dataclass
class Look:
    """How particles are drawn.

    `image` is a word of the built-in images or an image; `frames` its columns and rows; `glow`
    what colours brighter than 1 were divided by; `stretch` the length of a streak in widths;
    `tint` how colours of particles are taken by their material: "srgb", "linear" or "none".
    """

    blend: str = "sorted"
    face: str = "camera"
    image: str | Image = "glow"
    frames: tuple[int, int] = (1, 1)
    sharpness: float = 2.0
    aspect: float = 1.0
    soft: float = 0.0
    glow: float = 1.0
    stretch: float = 4.0
    lit: bool = False
    tint: str = "srgb"


@dataclass(frozen=True)
class Solid:
    """A ball or a box of the file's scene; axes: of its sides, one a row, or None for x, y, z."""

    center: Vector
    half_size: Vector
    axes: Any = None
    is_ball: bool = False
    bounce: float = 0.0
    friction: float = 0.0
    kills: bool = False


@dataclass
class Emitter:
    """One emitter.

    Attributes
    ----------
    count, lifetime : int, (least, most) seconds
        Particles that live at once.
    period : seconds or None
        From burst to burst; None: one life after another.
    once, delay, wait : bool, seconds, seconds
        All live but once, each begun after `wait` and at most `delay` more.
    shape : {"point", "disc", "ring", "sphere", "hemisphere", "box", "cone"}
        Around `origin`, discs, rings, hemispheres and cones about `axis`.
    radius, inner, box, angle : m, m, half edges in m, turns
        Outer and inner radius; the opening of a cone against its axis.
    is_flat : bool
        Directions stray across `axis` alone.
    outward : bool
        They fly away from the middle (cones: along their own line), not along `direction`.
    spread : turns
        How far from `direction` they may fly; 0.5 is any way.
    speed, drag, radial, tangential, orbit : (least, most)
        m/s, 1/s, m/s^2 away from and around the middle, turns/s right around the axis.
    size, rotation, spin : (least, most)
        Edge in m, turns, turns/s.
    size_curve, opacity_curve : (n,) or None
        Factors over the age.
    ramp : (n, 3) or None
        sRGB-encoded colours in 0..1 over the age, or picked from where `picks`.
    frame, frame_count : int
        The first picture of the flipbook and how many follow over the life; 0: each has its own.
    children : list of (event, Emitter, count)
        What begins where a particle dies ("death") or meets something ("collision").
    inherit : float
        Share of the parent's velocity that a child begins with.
    noise, noise_size, noise_drag : m/s, m, 1/s
        Of eddies of the air, and how fast they take particles along.
    pulls : tuple of (m/s^2, place, m)
        Of attractors; the last is where half of the pull is left.
    solids, solid_radius : tuple of Solid, m
        What they bounce off, and how near they come.
    """

    where: str
    name: str = ""
    count: int = 1
    lifetime: Range = (1.0, 1.0)
    period: float | None = None
    once: bool = False
    delay: float = 0.0
    wait: float = 0.0
    even: bool = False
    shape: str = "point"
    origin: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 1.0, 0.0)
    radius: float = 0.0
    inner: float = 0.0
    box: Vector = (0.0, 0.0, 0.0)
    angle: float = 0.0
    outward: bool = False
    is_flat: bool = False
    direction: Vector = (0.0, 1.0, 0.0)
    spread: float = 0.0
    speed: Range = (0.0, 0.0)
    gravity: Vector = (0.0, 0.0, 0.0)
    drag: Range = (0.0, 0.0)
    radial: Range = (0.0, 0.0)
    tangential: Range = (0.0, 0.0)
    orbit: Range = (0.0, 0.0)
    size: Range = (1.0, 1.0)
    size_curve: np.ndarray | None = None
    opacity: float = 1.0
    opacity_curve: np.ndarray | None = None
    ramp: np.ndarray | None = None
    picks: bool = False
    rotation: Range = (0.0, 0.0)
    spin: Range = (0.0, 0.0)
    frame: int = 0
    frame_count: int = 0
    look: Look = field(default_factory=Look)
    children: list[tuple[str, Emitter, int]] = field(default_factory=list)
    inherit: float = 0.0
    noise: float = 0.0
    noise_size: float = 1.0
    noise_drag: float = 0.0
    pulls: tuple[tuple[float, Vector, float], ...] = ()
    solids: tuple[Solid, ...] = ()
    solid_radius: float = 0.0


@dataclass(frozen=True)
class Placing:
    """Where a node of a scene stands: a 3 x 3 matrix (columns are its axes) and its place."""

    basis: np.ndarray
    origin: np.ndarray

    @staticmethod
    def identity() -> Placing:
        return Placing(np.eye(3), np.zeros(3))

    def under(self, parent: Placing) -> Placing:
        return Placing(parent.basis @ self.basis, parent.basis @ self.origin + parent.origin)

    def turned(self, way: Vector) -> Vector:
        """A direction, turned and scaled."""
        return vector(self.basis @ np.asarray(way))

    @property
    def scale(self) -> float:
        return float(abs(np.linalg.det(self.basis))) ** (1 / 3)

    def apply(self, emitter: Emitter, source: Source, *, world_gravity: bool = True) -> Emitter:
        """The emitter moved, turned and scaled; edges of boxes stay along the axes."""
        edges = np.linalg.norm(self.basis, axis=0)
        scale = self.scale
        if scale > 0 and np.ptp(edges) > 0.01 * scale:
            source.note(emitter.where, f"scale = {edges.round(3).tolist()}",
                        f"the axes cannot differ; all become {scale:.3g}")  # fmt: skip
        box = np.abs(self.basis) @ np.asarray(emitter.box)
        if emitter.shape == "box" and _is_skew(self.basis, emitter.box):
            source.note(emitter.where, "a turned box", "boxes stay along the axes of the effect")
        gravity = emitter.gravity if world_gravity else self.turned(emitter.gravity)
        origin = self.basis @ np.asarray(emitter.origin) + self.origin

        def scaled(pair: Range) -> Range:
            return (pair[0] * scale, pair[1] * scale)

        return replace(
            emitter,
            origin=vector(origin),
            axis=unit(self.turned(emitter.axis)),
            direction=unit(self.turned(emitter.direction)),
            gravity=gravity,
            box=vector(box),
            radius=emitter.radius * scale,
            inner=emitter.inner * scale,
            noise=emitter.noise * scale,
            noise_size=emitter.noise_size * max(scale, 1e-3),
            speed=scaled(emitter.speed),
            radial=scaled(emitter.radial),
            tangential=scaled(emitter.tangential),
            size=scaled(emitter.size),
        )


def _is_skew(basis: np.ndarray, box: Vector) -> bool:
    turned = np.abs(basis) / np.maximum(np.linalg.norm(basis, axis=0), 1e-9)
    return any(edge > 0 and turned[:, i].max() < 0.999 for i, edge in enumerate(box)) and (
        len({round(edge, 6) for edge in box}) > 1
    )


def unit(way: Iterable[float]) -> Vector:
    """The vector at length 1; up where it has none."""
    x, y, z = way
    length = math.sqrt(x * x + y * y + z * z)
    if not length > 1e-9:
        return (0.0, 1.0, 0.0)
    return vector((x / length, y / length, z / length))


# ---- how many live ----


def alive(source: Source, where: str, wanted: float) -> int:
    """A count of particles that may live at once, at least 1."""
    if not wanted <= _MOST_PARTICLES:
        source.fail(
            where, f"wants {wanted:.4g} particles at once; at most {_MOST_PARTICLES} are read"
        )
    return max(1, round(wanted))


def bound(source: Source, where: str, lifetime: Range) -> Range:
    """Lives in order, at least a tick and at most an hour long."""
    least, most = min(lifetime), max(lifetime)
    if most > _LONGEST:
        source.note(where, f"lifetime = {most:g} s", f"lives end after {_LONGEST:g} s")
    return (min(max(least, 1 / 64), _LONGEST), min(max(most, 1 / 64), _LONGEST))


def continuous(source: Source, where: str, rate: float, lifetime: Range) -> dict[str, object]:
    """Fields of an emitter that begins `rate` particles a second, for ever.

    As many live as the rate gives over a mean life. Where that is less than one, a single
    particle lives now and then.
    """
    lifetime = bound(source, where, lifetime)
    mean = (lifetime[0] + lifetime[1]) / 2
    if 0 < rate * mean < 0.75:
        return {"count": 1, "lifetime": lifetime, "period": min(1 / rate, _LONGEST)}
    return {"count": alive(source, where, rate * mean), "lifetime": lifetime}


def pulsed(source: Source, where: str, count: float, period: float | None, lifetime: Range
           ) -> dict[str, object]:  # fmt: skip
    """Fields of an emitter that begins `count` particles at once, once or again and again."""
    lifetime = bound(source, where, lifetime)
    found: dict[str, object] = {"count": alive(source, where, count), "lifetime": lifetime}
    if period is None:
        return {**found, "once": True}
    if period < lifetime[1]:
        source.note(where, f"bursts {period:g} s apart with lives of {lifetime[1]:g} s",
                    "a burst ends the one before; they are as far apart as a life is long")
    return {**found, "period": min(max(period, lifetime[1]), _LONGEST)}


# ---- colours ----


def hdr(colors: np.ndarray, *, linear: bool = False) -> tuple[np.ndarray, float]:
    """Colours sRGB-encoded in 0..1, and the factor (of linear light) by which they were brighter.

    `linear` says how the given ones are encoded.
    """
    colors = np.maximum(np.asarray(colors, np.float64), 0.0)
    most = float(colors.max(initial=0.0))
    if most <= 1.0:
        return (encoded(colors) if linear else colors), 1.0
    rest = colors / most
    if linear:
        return encoded(rest), most
    return rest, (most if most < 1 else ((most + 0.055) / 1.055) ** 2.4)


# ---- speeds ----


def slowing(source: Source, where: str, start: Range, end: float, life: float
            ) -> tuple[Range, Range]:  # fmt: skip
    """Speed and drag of particles whose speed goes straight from `start` to `end` over a life.

    Drag reaches the same speed at the end, or the same place where that is 0.
    """
    mean = (start[0] + start[1]) / 2
    if abs(end - mean) < 1e-6:
        return start, (0.0, 0.0)
    share = end / mean if mean > 0 else 2.0
    if share > 1:
        source.note(where, f"speed from {mean:g} to {end:g}", "particles keep the mean of both")
        gain = (1 + share) / 2 if mean > 0 else 1.0
        pair = (start[0] * gain, start[1] * gain) if mean > 0 else (end / 2, end / 2)
        return pair, (0.0, 0.0)
    # (1 - exp(-k)) / k = 1/2 has the root 1.594.
    drag = (1.594 if share < 0.2 else -math.log(share)) / max(life, 1e-3)
    source.note(where, f"speed from {mean:g} to {end:g}", "slows by drag, to the same end")
    return start, (drag, drag)


def planar(emitter: Emitter) -> None:
    """An emitter of a 2D system: all of it stays in its plane."""
    emitter.axis, emitter.is_flat = (0.0, 0.0, 1.0), True
