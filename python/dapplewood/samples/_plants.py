# SPDX-License-Identifier: MIT
"""How each species grows: branches and leaves placed in a plane, x to the right and y up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, NamedTuple

import numpy as np

from ._leaves import MAKERS


class Wood(NamedTuple):
    path: np.ndarray  # (N, 2)
    radii: np.ndarray  # (N,)
    z: float  # larger is nearer
    tint: str  # palette entry


class Leaf(NamedTuple):
    maker: str
    variant: float  # in [0, 1), picks a sprite
    x: float
    y: float
    angle: float  # of the midrib, radians from +x
    length: float
    spread: float  # scale across the midrib, negative mirrors
    z: float
    tone: float  # 0 is the dark end of the palette, 1 the light one
    tint: str  # palette entry


@dataclass
class Plan:
    rng: np.random.Generator
    wood: list[Wood] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * float(self.rng.random())

    def branch(self, x, y, angle, length, radius, *, curve=0.0, wobble=0.15, taper=0.3, z=0.0,
               tint="bark", joints=9) -> np.ndarray:
        """Grow a branch that turns by `curve` radians over its length; return its (N, 3) path.

        The third column is the heading at each joint.
        """
        path = np.empty((joints, 3))
        phase, step = self.uniform(0, 6.28), length / (joints - 1)
        heading = angle
        for i in range(joints):
            path[i] = x, y, heading
            t = i / (joints - 1)
            heading = angle + curve * t + wobble * (np.sin(phase + 5.0 * t) - np.sin(phase))
            x, y = x + step * np.cos(heading), y + step * np.sin(heading)
        radii = radius * (1.0 + (taper - 1.0) * np.linspace(0.0, 1.0, joints))
        self.wood.append(Wood(path[:, :2], radii, z, tint))
        return path

    def leaf(self, maker, x, y, angle, length, *, z=0.0, tone=None, spread=None,
             tint="leaf") -> None:
        """Hang a leaf by the end of its petiole."""
        mirror = 1.0 if self.rng.random() < 0.5 else -1.0
        if spread is None:
            spread = self.uniform(0.68, 1.0)
        if tone is None:
            tone = float(np.clip(self.uniform(0.15, 0.65) + 0.25 * z, 0.0, 0.9))
        reach = 0.92 * MAKERS[maker].petiole * length
        x, y = x + reach * np.cos(angle), y + reach * np.sin(angle)
        self.leaves.append(Leaf(maker, float(self.rng.random()), float(x), float(y), float(angle),
                                float(length), mirror * spread, float(z), tone, tint))


def at(path: np.ndarray, t: float) -> tuple[float, float, float]:
    """Point and heading at the share `t` of a path."""
    position = min(max(t, 0.0), 1.0) * (len(path) - 1)
    i = min(int(position), len(path) - 2)
    x, y, heading = path[i] + (position - i) * (path[i + 1] - path[i])
    return x, y, heading


def _leafy(plan: Plan, path, maker, count, length, *, spread_angle=0.85, opposite=False, start=0.1,
           z=0.0, depth=0.5, shrink=0.35, tip=True, droop=0.0, tint="leaf") -> None:
    """Set leaves along a twig, alternate or opposite, the youngest and smallest at the tip."""
    for i in range(count):
        t = start + (0.97 - start) * i / max(1, count - 1) if count > 1 else 0.9
        x, y, heading = at(path, t)
        for sign in (1.0, -1.0) if opposite else ((1.0,) if i % 2 else (-1.0,)):
            turn = sign * spread_angle * plan.uniform(0.75, 1.2) * (1.0 - 0.35 * t)
            angle = heading + turn
            angle -= droop * np.cos(angle)
            size = length * plan.uniform(0.8, 1.1) * (1.0 - shrink * abs(2.0 * t - 0.8))
            plan.leaf(maker, x, y, angle, size, z=z + depth * plan.uniform(-1.0, 1.0), tint=tint)
    if tip:
        x, y, heading = at(path, 1.0)
        plan.leaf(maker, x, y, heading + plan.uniform(-0.2, 0.2), length * 0.85,
                  z=z + 0.4 * depth, tint=tint)


class Spray(NamedTuple):
    """Numbers of a broad-leaved spray: lengths in units of the main branch."""

    maker: str
    leaf: float
    twigs: int
    twig_length: float
    leaves: int
    twig_angle: float = 0.8
    opposite: bool = False
    spread_angle: float = 0.85
    curve: float = 0.35
    droop: float = 0.1
    cluster: int = 0
    forks: int = 0
    radius: float = 0.016
    lift: float = 0.12


def spray(plan: Plan, s: Spray, *, x=0.0, y=0.0, heading=np.pi / 2, scale=1.0) -> None:
    """A branch with side twigs in two ranks, leaves on the twigs, clusters at their tips."""
    side = 1.0 if plan.rng.random() < 0.5 else -1.0
    main = plan.branch(x, y, heading + plan.uniform(-0.12, 0.12), scale, s.radius * scale,
                       curve=side * s.curve * plan.uniform(0.4, 1.0), z=0.0)
    for i in range(s.twigs):
        t = s.lift + (0.93 - s.lift) * (i + plan.uniform(0.1, 0.9)) / s.twigs
        bx, by, direction = at(main, t)
        side = -side
        length = s.twig_length * scale * (1.15 - 0.65 * t) * plan.uniform(0.8, 1.15)
        z = plan.uniform(-0.7, 0.7)
        twig = plan.branch(bx, by, direction + side * s.twig_angle * plan.uniform(0.75, 1.2),
                           length, 0.5 * s.radius * scale * (1.0 - 0.4 * t),
                           curve=-side * 0.5 * s.curve, z=z, joints=6)
        count = max(1, int(round(s.leaves * length / (s.twig_length * scale))))
        _leafy(plan, twig, s.maker, count, s.leaf * scale, opposite=s.opposite, z=z,
               spread_angle=s.spread_angle, droop=s.droop, start=0.25)
        _cluster(plan, twig, s, z, scale)
        for k in range(s.forks):
            fx, fy, direction = at(twig, 0.35 + 0.5 * (k + 0.5) / s.forks)
            turn = (1.0 if k % 2 else -1.0) * plan.uniform(0.6, 0.95)
            fz = z + plan.uniform(-0.4, 0.4)
            fork = plan.branch(fx, fy, direction + turn, 0.42 * length * plan.uniform(0.8, 1.1),
                               0.26 * s.radius * scale, z=fz, joints=4)
            _leafy(plan, fork, s.maker, max(1, count // 2), s.leaf * scale, opposite=s.opposite,
                   z=fz, spread_angle=s.spread_angle, droop=s.droop, start=0.4)
            _cluster(plan, fork, s, fz, scale)
    _leafy(plan, main[len(main) // 2 :], s.maker, s.leaves, s.leaf * scale, opposite=s.opposite,
           spread_angle=s.spread_angle, droop=s.droop, start=0.3)
    _cluster(plan, main, s, 0.4, scale)


def _cluster(plan: Plan, twig, s: Spray, z, scale) -> None:
    x, y, heading = at(twig, 0.97)
    for i in range(s.cluster):
        turn = (i - 0.5 * (s.cluster - 1)) * 2.6 / max(1, s.cluster) + plan.uniform(-0.25, 0.25)
        plan.leaf(s.maker, x, y, heading + turn, s.leaf * scale * plan.uniform(0.75, 1.1),
                  z=z + plan.uniform(-0.4, 0.5))


def ash(plan: Plan) -> None:
    main = plan.branch(0, 0, np.pi / 2, 1.0, 0.016, curve=plan.uniform(-0.3, 0.3))
    for i in range(6):
        t = 0.22 + 0.78 * i / 5
        x, y, heading = at(main, t)
        turn = (1.0 if i % 2 else -1.0) * plan.uniform(0.8, 1.15) if i < 5 else 0.0
        z = plan.uniform(-0.6, 0.6)
        rachis = plan.branch(x, y, heading + turn, plan.uniform(0.5, 0.62), 0.0055,
                             curve=-0.45 * np.sign(turn), tint="stalk", z=z, taper=0.5)
        for pair in range(5):
            s = 0.26 + 0.66 * pair / 4
            px, py, direction = at(rachis, s)
            for sign in (1.0, -1.0):
                angle = direction + sign * plan.uniform(0.95, 1.25)
                plan.leaf("ash", px, py, angle, plan.uniform(0.17, 0.215) * (1 - 0.2 * (pair == 0)),
                          z=z + plan.uniform(-0.2, 0.3))
        px, py, direction = at(rachis, 1.0)
        plan.leaf("ash", px, py, direction, 0.22, z=z + 0.2)


def willow(plan: Plan) -> None:
    side = 1.0 if plan.rng.random() < 0.5 else -1.0
    main = plan.branch(0, 0, np.pi / 2 + 0.1 * side, 0.95, 0.014, curve=-0.5 * side, taper=0.3)
    for i in range(13):
        t = 0.34 + 0.66 * i / 12
        x, y, heading = at(main, t)
        side = -side
        z = plan.uniform(-0.8, 0.8)
        length = (0.50 + 0.32 * t) * plan.uniform(0.8, 1.1)
        withe = plan.branch(x, y, np.pi / 2 - side * plan.uniform(0.35, 1.0), length, 0.005,
                            curve=-side * plan.uniform(1.9, 2.4), z=z, taper=0.4, joints=11,
                            tint="stalk", wobble=0.06)
        _leafy(plan, withe, "willow", int(34 * length), 0.135, spread_angle=0.6, z=z, depth=0.3,
               start=0.10, shrink=0.3)


def bush(plan: Plan) -> None:
    for i in range(7):
        angle = np.pi / 2 + (i - 3) * 0.20 + plan.uniform(-0.08, 0.08)
        length = 0.92 - 0.07 * abs(i - 3) + plan.uniform(-0.06, 0.06)
        stem = plan.branch(0.012 * (3 - i), 0.0, angle, length, 0.011, z=-0.5, wobble=0.12)
        for k in range(9):
            t = 0.2 + 0.8 * k / 8
            x, y, heading = at(stem, t)
            turn = (1.0 if k % 2 else -1.0) * plan.uniform(0.6, 1.1) if k < 8 else 0.0
            z = plan.uniform(-0.8, 0.8)
            twig = plan.branch(x, y, heading + turn, plan.uniform(0.16, 0.24), 0.005, z=z, joints=4)
            _leafy(plan, twig, "box", 5, 0.105, opposite=True, spread_angle=0.9, z=z, depth=0.35,
                   start=0.1)


def ivy(plan: Plan) -> None:
    for i in range(4):
        z = plan.uniform(-0.5, 0.5)
        vine = plan.branch((i - 1.5) * 0.16, 0.0, np.pi / 2 - (i - 1.5) * 0.10,
                           plan.uniform(0.8, 1.0), 0.0075, curve=plan.uniform(-0.25, 0.25),
                           wobble=0.28, z=z, joints=12)
        for k in range(9):
            t = 0.06 + 0.92 * k / 8
            x, y, heading = at(vine, t)
            side = 1.0 if k % 2 else -1.0
            length = (0.235 - 0.10 * t) * plan.uniform(0.85, 1.1)
            angle = heading + side * plan.uniform(0.6, 1.1)
            plan.leaf("ivy", x, y, angle - side * 0.3 - 0.5 * np.cos(angle), length,
                      z=z + plan.uniform(-0.5, 0.6))


def pine(plan: Plan) -> None:
    main = plan.branch(0, 0, np.pi / 2, 0.8, 0.019, curve=plan.uniform(-0.25, 0.25), taper=0.5)
    for i in range(7):
        t = 0.2 + 0.8 * i / 6
        x, y, heading = at(main, t)
        side = 1.0 if i % 2 else -1.0
        turn = side * plan.uniform(0.75, 1.0) if i < 6 else 0.0
        z = plan.uniform(-0.5, 0.5)
        twig = plan.branch(x, y, heading + turn, (0.36 - 0.16 * t) * plan.uniform(0.8, 1.2) + 0.02,
                           0.010, curve=-0.3 * side, z=z, joints=6, taper=0.6)
        for s in (0.55, 1.0):
            px, py, direction = at(twig, s)
            jog = 0.0 if s == 1.0 else plan.uniform(-0.9, 0.9)
            plan.leaf("pine", px, py, direction + jog, plan.uniform(0.27, 0.33), spread=0.95,
                      z=z + plan.uniform(0.0, 0.4))


def spruce(plan: Plan) -> None:
    main = plan.branch(0, 0, np.pi / 2, 0.62, 0.014, curve=plan.uniform(-0.2, 0.2), taper=0.45)
    x, y, heading = at(main, 0.9)
    plan.leaf("spruce", x, y, heading, 0.34, spread=1.0, z=0.6)
    for i in range(12):
        t = 0.10 + 0.85 * i / 11
        x, y, heading = at(main, t)
        side = 1.0 if i % 2 else -1.0
        z = plan.uniform(-0.6, 0.3)
        length = (0.56 - 0.30 * t) * plan.uniform(0.85, 1.1)
        angle = heading + side * plan.uniform(0.80, 1.0)
        if i % 3 == 1:
            twig = plan.branch(x, y, angle, 0.55 * length, 0.006, z=z, joints=4)
            bx, by, direction = at(twig, 0.4)
            for fork in (0.55, -0.55):
                plan.leaf("spruce", bx, by, direction + fork, 0.6 * length, spread=1.1, z=z - 0.1)
        plan.leaf("spruce", x, y, angle, length, spread=0.9, z=z)
    for t in (0.15, 0.4, 0.65):
        x, y, heading = at(main, t)
        plan.leaf("spruce", x, y, heading, 0.33, spread=0.75, z=0.1, tone=0.35)


def fern(plan: Plan) -> None:
    count = 6
    for i in range(count):
        fan = (i - 0.5 * (count - 1)) / (0.5 * (count - 1))
        z = plan.uniform(-0.5, 0.5)
        frond = plan.branch(0.0, 0.0, np.pi / 2 - 0.62 * fan + plan.uniform(-0.08, 0.08),
                            plan.uniform(0.86, 1.02) - 0.10 * abs(fan), 0.0075,
                            curve=-0.75 * fan + plan.uniform(-0.2, 0.2), wobble=0.05, z=z,
                            tint="stalk", joints=12)
        pairs = 21
        for k in range(pairs):
            t = 0.2 + 0.8 * k / pairs
            x, y, heading = at(frond, t)
            s = (t - 0.2) / 0.8
            length = 0.235 * min(1.0, 0.45 + 2.2 * s) * (1.0 - s) ** 0.75 + 0.012
            for sign in (1.0, -1.0):
                plan.leaf("pinna", x, y, heading + sign * (1.25 - 0.45 * s), length,
                          z=z - 0.05 + 0.1 * sign, spread=plan.uniform(0.85, 1.05),
                          tone=0.35 + 0.25 * z + 0.3 * s + plan.uniform(-0.08, 0.08))


def tuft(plan: Plan, maker: str, count: int, spread: float, *, base=0.5, tall=(0.45, 1.0)) -> None:
    """Blades of grass rising from a short line; the nearest are short and light."""
    for _ in range(count):
        z = plan.uniform(-1.0, 1.0)
        x = plan.uniform(-1.0, 1.0)
        length = plan.uniform(*tall) * (1.0 - 0.2 * max(z, 0.0))
        angle = np.pi / 2 - spread * (0.6 * x + 0.4 * plan.uniform(-1.0, 1.0))
        plan.leaf(maker, base * x, 0.0, angle, length, z=z,
                  spread=plan.uniform(0.7, 1.15))


def grass(plan: Plan) -> None:
    tuft(plan, "blade", 95, 0.24, base=0.28, tall=(0.42, 1.0))


def reed(plan: Plan) -> None:
    tuft(plan, "reed", 15, 0.34, base=0.16, tall=(0.55, 0.95))
    for i in range(4):
        stem = plan.branch(plan.uniform(-0.12, 0.12), 0.0, np.pi / 2 + (i - 1.5) * 0.10,
                           plan.uniform(0.85, 1.02), 0.006, z=-0.1, wobble=0.04, tint="stalk",
                           taper=0.7)
        x, y, heading = at(stem, 0.84)
        head = np.array([(x, y), at(stem, 0.9)[:2], at(stem, 0.96)[:2]])
        plan.wood.append(Wood(head, np.array([0.017, 0.019, 0.017]), 0.2, "head"))


def clover(plan: Plan) -> None:
    for i in range(22):
        z = plan.uniform(-1.0, 1.0)
        fan = plan.uniform(-1.0, 1.0)
        stem = plan.branch(0.10 * fan, 0.0, np.pi / 2 - 0.75 * fan,
                           plan.uniform(0.35, 0.9) * (1.0 - 0.18 * z), 0.0055,
                           curve=0.5 * fan, z=z - 0.3, tint="stalk", taper=0.7, wobble=0.1)
        x, y, heading = at(stem, 1.0)
        if i % 7 == 3:
            for k in range(34):
                ring = 1.0 - k / 48.0
                plan.leaf("bud", x, y, heading + 2.4 * k, 0.075 * ring * plan.uniform(0.9, 1.1),
                          z=z + 0.001 * k, tint="petal", spread=0.9,
                          tone=0.25 + 0.5 * (1.0 - ring) + plan.uniform(0.0, 0.25))
            continue
        size = plan.uniform(0.13, 0.185)
        turn = plan.uniform(-0.5, 0.5)
        tone = float(np.clip(0.5 + 0.35 * z + plan.uniform(-0.15, 0.15), 0.0, 1.0))
        for k in range(3):
            plan.leaf("clover", x, y, heading + turn + (k - 1) * 2.05, size, z=z, tone=tone,
                      spread=plan.uniform(0.85, 1.05))


def daisy(plan: Plan) -> None:
    tuft(plan, "blade", 26, 0.4, base=0.2, tall=(0.25, 0.66))
    for i in range(9):
        angle = np.pi / 2 + (i - 4) * 0.33
        plan.leaf("spoon", 0.015 * (i - 4), 0.0, angle, plan.uniform(0.26, 0.36), z=0.3)
    for i in range(6):
        fan = (i - 2.5) / 2.5
        stem = plan.branch(0.03 * fan, 0.0, np.pi / 2 - 0.36 * fan + plan.uniform(-0.06, 0.06),
                           plan.uniform(0.55, 1.0), 0.0065, curve=plan.uniform(-0.2, 0.2), z=0.5,
                           tint="stalk", taper=0.8)
        x, y, heading = at(stem, 1.0)
        size, tilt = plan.uniform(0.095, 0.125), plan.uniform(0.6, 0.95)
        turn = plan.uniform(0, 6.28)
        z = 0.6 + 0.05 * i
        count = 19
        for k in range(count):
            angle = turn + 2.0 * np.pi * k / count + plan.uniform(-0.07, 0.07)
            reach = np.hypot(np.cos(angle), tilt * np.sin(angle))
            plan.leaf("petal", x, y, np.arctan2(tilt * np.sin(angle), np.cos(angle)), size * reach,
                      z=z, spread=1.1 / reach, tint="petal",
                      tone=0.55 + 0.35 * np.sin(angle) + plan.uniform(-0.1, 0.1))
        plan.leaf("disc", x, y, np.pi / 2, size * 0.62, z=z + 0.01, spread=1.0, tint="disc",
                  tone=0.6)


def bare(plan: Plan) -> None:
    """Bare winter twigs with buds: the thinnest card of all."""
    def grow(x, y, angle, length, radius, level):
        path = plan.branch(x, y, angle, length, radius, curve=plan.uniform(-0.3, 0.3),
                           taper=0.4, z=plan.uniform(-0.5, 0.5), joints=7)
        bx, by, heading = at(path, 1.0)
        plan.leaf("bud", bx, by, heading, 0.022, spread=0.9, z=0.7)
        if level == 0:
            return
        count = (4, 5, 9)[level - 1]
        for i in range(count):
            t = 0.22 + 0.72 * i / (count - 1)
            bx, by, heading = at(path, t)
            side = 1.0 if i % 2 else -1.0
            share = plan.uniform(0.42, 0.6) * (1.15 - 0.5 * t)
            grow(bx, by, heading + side * plan.uniform(0.5, 0.85), length * share,
                 radius * (0.68 - 0.3 * t), level - 1)

    grow(0.0, 0.0, np.pi / 2, 0.85, 0.013, 3)


def fractal(plan: Plan, depth: int) -> None:
    """A crown in which each branch ends in two smaller ones and carries a third at its side."""
    def grow(x, y, angle, length, radius, level, z):
        path = plan.branch(x, y, angle, length, radius, curve=plan.uniform(-0.35, 0.35), taper=0.6,
                           z=z, joints=6)
        if level == 0:
            _leafy(plan, path, "beech", 4, 0.6 * length, z=z, depth=0.4, start=0.2)
            return
        for t, turn, ratio in ((1.0, 0.42, 0.70), (1.0, -0.46, 0.68), (0.6, -0.85, 0.52)):
            bx, by, heading = at(path, t)
            turn *= plan.uniform(0.7, 1.25)
            shrink = ratio * plan.uniform(0.85, 1.1)
            grow(bx, by, heading + turn, length * shrink, radius * ratio, level - 1,
                 plan.uniform(-0.9, 0.9))

    grow(0.0, 0.0, np.pi / 2, 1.0, 0.05, depth - 1, 0.0)


@dataclass(frozen=True)
class Species:
    grow: Callable[[Plan], None]
    palettes: dict[str, tuple[int, ...]]  # sRGB: dark, middle, light
    vein: int
    second: int
    gloss: float = 0.35  # how far the two halves of a blade differ in light


def _of(s: Spray) -> Callable[[Plan], None]:
    return lambda plan: spray(plan, s)


_BARK = (0x2E2620, 0x4A3E33, 0x6B5B4A)
_TWIG = (0x3D3222, 0x5E4B31, 0x84704A)
_STALK = (0x35491B, 0x5B7A2C, 0x8BA84A)

SPECIES: dict[str, Species] = {
    "oak": Species(_of(Spray("oak", 0.165, 8, 0.50, 3, cluster=4, forks=2, radius=0.019,
                           twig_angle=0.9)),
                   {"leaf": (0x24430F, 0x48761C, 0x86AE34), "bark": _BARK}, 0xA9BF68, 0x6E6A22),
    "maple": Species(_of(Spray("maple", 0.155, 7, 0.46, 2, opposite=True, twig_angle=0.9, forks=2,
                               spread_angle=1.1, droop=0.3, radius=0.014)),
                     {"leaf": (0x254A14, 0x4C8026, 0x8FBA3E), "bark": _BARK}, 0xBCCB76, 0x8A3B1E),
    "beech": Species(_of(Spray("beech", 0.145, 9, 0.52, 6, twig_angle=0.8, spread_angle=0.9,
                               forks=1)),
                     {"leaf": (0x28500F, 0x558A1E, 0x97C03A), "bark": _BARK}, 0xB5CC70, 0x7A6A24),
    "birch": Species(_of(Spray("birch", 0.105, 10, 0.55, 6, twig_angle=0.65, droop=0.5, forks=2,
                               radius=0.011, spread_angle=1.0)),
                     {"leaf": (0x35570F, 0x6A9224, 0xABC548),
                      "bark": (0x2A211D, 0x4B3C34, 0x7C6A5E)},
                     0xC3D27E, 0xA8902A),
    "ash": Species(ash, {"leaf": (0x1F4712, 0x3F7A24, 0x7DB043), "bark": _BARK, "stalk": _STALK},
                   0xA6C77C, 0x6E6A22),
    "willow": Species(willow, {"leaf": (0x3C5A26, 0x6E8F45, 0xA6BF76),
                               "bark": _BARK, "stalk": (0x5A5020, 0x8A7B33, 0xB3A55A)},
                      0xBACB92, 0x9A8F3A),
    "boxwood": Species(bush, {"leaf": (0x16330D, 0x2F5E1A, 0x6E9C35), "bark": _TWIG}, 0x86A854,
                       0x5A6A22, 0.5),
    "ivy": Species(ivy, {"leaf": (0x122E14, 0x285226, 0x578545), "bark": _TWIG}, 0xB9CB9A, 0x4A5A32,
                   0.45),
    "pine": Species(pine, {"leaf": (0x1B3A1E, 0x3A6232, 0x7A9A55),
                           "bark": (0x4A3020, 0x70492F, 0x99704A)}, 0x8FA86A, 0x6E4A2E),
    "spruce": Species(spruce, {"leaf": (0x12301C, 0x2A5430, 0x5E8A55),
                               "bark": (0x40281A, 0x664029, 0x8F6340)}, 0x7F9A6A, 0x664029),
    "fern": Species(fern, {"leaf": (0x25500F, 0x4B8A1E, 0x92C23E), "stalk": _STALK}, 0xA4C860,
                    0x7A7A24),
    "grass": Species(grass, {"leaf": (0x28480C, 0x5A8A16, 0xA3C838)}, 0x8FB63A, 0xB9A85A, 0.3),
    "clover": Species(clover, {"leaf": (0x1B450F, 0x3D7A1E, 0x74AE3C), "stalk": _STALK,
                               "petal": (0xB9A6A6, 0xE3D6D2, 0xF6EFEA)}, 0x86B45A, 0xA9CB8A, 0.2),
    "daisy": Species(daisy, {"leaf": (0x28480C, 0x4F7D1A, 0x90B838), "stalk": _STALK,
                             "petal": (0xA9AEB8, 0xDFE0E2, 0xFAF9F4),
                             "disc": (0xA86A08, 0xE0A010, 0xF8CC30)}, 0x9CBB58, 0xC9C48A, 0.25),
    "autumn": Species(_of(Spray("dead", 0.145, 8, 0.50, 3, twig_angle=0.8, droop=0.6, forks=1,
                                spread_angle=1.0, radius=0.012)),
                      {"leaf": (0x6A3411, 0xA85C1C, 0xD9963A), "bark": _BARK}, 0xC99C5A, 0x5A2E12),
    "bare": Species(bare, {"leaf": (0x4A2A1A, 0x6A3A22, 0x8A5232),
                           "bark": (0x2E2622, 0x51453C, 0x7B6C5E)}, 0x7A5A42, 0x4A2A1A),
    "reed": Species(reed, {"leaf": (0x34501C, 0x648A34, 0xA6BF62), "stalk": _STALK,
                           "head": (0x40260F, 0x7A4B26, 0xA8763F)}, 0x9FB766, 0xC2B070, 0.25),
}
