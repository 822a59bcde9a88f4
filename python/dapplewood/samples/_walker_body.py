# SPDX-License-Identifier: MIT
"""The body of the moss walker: joints, a cage for trunk and limbs, head, hands, feet, face.

It looks along +z and stands on y = 0 with its arms half lowered; its left is +x. Metres.
"""

from __future__ import annotations

import numpy as np

from ._subdivide import SQUARE, Cage, Shell, loft
from ._surface import UP, curve, unit

_ARM = np.array([0.70, -0.714, 0.0])  # where arms point at rest
_ARM_BACK = np.array([0.714, 0.70, 0.0])  # across them, to the outside
_FRONT = np.array([0.0, 0.0, 1.0])
_SHOULDER = np.array([0.150, 0.960, -0.005])
_UPPER_ARM, _FOREARM = 0.205, 0.195
HEAD = np.array([0.0, 1.285, 0.010])
_HEAD_AXES = np.array([0.222, 0.202, 0.196])
_GAZE = unit(np.array([0.43, 0.02, 0.90]))  # of the left eye, from the middle of the head
EYE = HEAD + 0.152 * _GAZE
EYE_RADIUS = 0.058
LASHES = 52.0, 60.0  # degrees above the gaze, of an open lid's rim
MIRROR = np.array([-1.0, 1.0, 1.0])


def _skeleton() -> dict[str, tuple[str | None, np.ndarray]]:
    """Parent and place of each joint."""
    found: dict[str, tuple[str | None, np.ndarray]] = {}

    def add(name: str, parent: str | None, place) -> None:
        found[name] = (parent, np.asarray(place, float))

    add("root", None, (0, 0, 0))
    add("hips", "root", (0, 0.62, 0))
    add("spine", "hips", (0, 0.74, 0))
    add("chest", "spine", (0, 0.87, 0))
    add("neck", "chest", (0, 1.04, -0.005))
    add("head", "neck", (0, 1.12, 0.0))
    add("crown", "head", (0, 1.44, -0.03))
    add("skirt", "hips", (0, 0.70, 0))
    add("mantle", "chest", (0, 1.0, -0.09))
    elbow = _SHOULDER + _UPPER_ARM * _ARM
    hand = elbow + _FOREARM * _ARM
    for side, turn in (("L", np.ones(3)), ("R", MIRROR)):
        add(f"lid.{side}", "head", EYE * turn)
        add(f"ear.{side}", "head", (HEAD + (0.19, 0.02, -0.03)) * turn)
        add(f"mantle.{side}", "chest", (0.12 * turn[0], 1.0, 0))
        add(f"collar.{side}", "chest", (0.04 * turn[0], 0.97, 0))
        add(f"arm.{side}", f"collar.{side}", _SHOULDER * turn)
        add(f"elbow.{side}", f"arm.{side}", elbow * turn)
        add(f"forearm.{side}", f"elbow.{side}", elbow * turn)
        add(f"hand.{side}", f"forearm.{side}", hand * turn)
        add(f"grip.{side}", f"hand.{side}", (hand + 0.085 * _ARM) * turn)
        add(f"thigh.{side}", "hips", (0.085 * turn[0], 0.575, 0.0))
        add(f"knee.{side}", f"thigh.{side}", (0.085 * turn[0], 0.325, 0.014))
        add(f"shin.{side}", f"knee.{side}", (0.085 * turn[0], 0.325, 0.014))
        add(f"foot.{side}", f"shin.{side}", (0.085 * turn[0], 0.085, -0.012))
        add(f"toes.{side}", f"foot.{side}", (0.085 * turn[0], 0.028, 0.085))
    return found


SKELETON = _skeleton()
JOINTS = list(SKELETON)


# Rings of the trunk: height, half width, front, back, and the joints they follow.
_TRUNK = [(0.545, 0.145, 0.095, 0.105, {"hips": 1.0}),
          (0.635, 0.168, 0.122, 0.130, {"hips": 1.0}),
          (0.720, 0.166, 0.142, 0.122, {"hips": 0.45, "spine": 0.55}),
          (0.805, 0.146, 0.124, 0.106, {"spine": 0.7, "chest": 0.3}),
          (0.885, 0.142, 0.104, 0.102, {"spine": 0.15, "chest": 0.85}),
          (1.005, 0.128, 0.086, 0.098, {"chest": 1.0}),
          (1.060, 0.066, 0.060, 0.066, {"chest": 0.35, "neck": 0.65}),
          (1.150, 0.060, 0.056, 0.060, {"neck": 0.4, "head": 0.6})]
# Rings of an arm: way from the shoulder, radii across and forwards, joints.
_ARM_RINGS = [(0.046, 0.060, 0.062, {"collar": 0.25, "arm": 0.6, "chest": 0.15}),
              (0.096, 0.053, 0.054, {"arm": 1.0}),
              (0.155, 0.046, 0.047, {"arm": 0.95, "elbow": 0.05}),
              (0.190, 0.046, 0.046, {"arm": 0.4, "elbow": 0.6}),
              (0.220, 0.046, 0.046, {"elbow": 0.6, "forearm": 0.4}),
              (0.255, 0.049, 0.049, {"elbow": 0.05, "forearm": 0.95}),
              (0.320, 0.055, 0.054, {"forearm": 1.0}),
              (0.385, 0.043, 0.047, {"forearm": 0.65, "hand": 0.35}),
              (0.425, 0.036, 0.052, {"hand": 1.0}),
              (0.480, 0.033, 0.055, {"hand": 0.9, "grip": 0.1})]
# Rings of a leg: height, middle z, radii across and forwards, joints.
_LEG_RINGS = [(0.490, 0.000, 0.078, 0.086, {"hips": 0.35, "thigh": 0.65}),
              (0.430, 0.004, 0.071, 0.077, {"hips": 0.06, "thigh": 0.94}),
              (0.372, 0.010, 0.061, 0.065, {"thigh": 0.92, "knee": 0.08}),
              (0.340, 0.014, 0.059, 0.063, {"thigh": 0.4, "knee": 0.6}),
              (0.308, 0.013, 0.058, 0.062, {"knee": 0.6, "shin": 0.4}),
              (0.274, 0.006, 0.059, 0.062, {"knee": 0.08, "shin": 0.92}),
              (0.200, -0.006, 0.062, 0.066, {"shin": 1.0}),
              (0.130, -0.010, 0.054, 0.057, {"shin": 0.85, "foot": 0.15}),
              (0.085, -0.012, 0.055, 0.058, {"shin": 0.3, "foot": 0.7}),
              (0.000, -0.018, 0.060, 0.062, {"foot": 1.0})]
# Rings of a foot: z, half width, height of the middle and half height, joints.
_FOOT_RINGS = [(0.085, 0.067, 0.038, 0.038, {"foot": 0.75, "toes": 0.25}),
               (0.135, 0.062, 0.028, 0.028, {"foot": 0.05, "toes": 0.95})]


def _sided(weights: dict[str, float], side: str) -> dict[str, float]:
    paired = {name[:-2] for name in JOINTS if name[-2:] == ".L"}
    return {f"{name}.{side}" if name in paired and name != "mantle" else name: share
            for name, share in weights.items()}


def trunk_and_limbs(times: int) -> Shell:
    """One closed surface of trunk, arms, legs and feet."""
    cage = Cage(JOINTS)
    loops, spans = [], []
    for y, wide, front, back, weights in _TRUNK:
        w, f, b = 1.04 * wide, SQUARE * front, SQUARE * back
        loops.append(cage.ring([(w, y, 0.72 * f), (w, y, -0.72 * b), (0, y, -b),
                                (-w, y, -0.72 * b), (-w, y, 0.72 * f), (0, y, f)], weights))
    for corners, thigh in (((0, 1), "thigh.L"), ((3, 4), "thigh.R")):
        for i in corners:
            cage.weights[loops[0][i]] = cage.shares({"hips": 0.75, thigh: 0.25})
    for i in range(len(loops) - 1):
        spans.append(cage.bridge(loops[i], loops[i + 1], 2.0,
                                 (-2.0 * _TRUNK[i][0], -2.0 * _TRUNK[i + 1][0])))
    low, high = loops[0], loops[-1]
    square = [(0, 0), (0.3, 0), (0.3, 0.3), (0, 0.3)]
    for corners in ([0, 1, 2, 5], [2, 3, 4, 5]):
        cage.face([high[i] for i in corners], square)
    legs = [cage.face([low[i] for i in corners], [(0, -1.1)] * 4)
            for corners in ([0, 5, 2, 1], [5, 4, 3, 2])]
    for side, turn, leg, arm in (("L", np.ones(3), legs[0], spans[4][0]),
                                 ("R", MIRROR, legs[1], spans[4][3])):
        _grow_arm(cage, arm, side, turn)
        _grow_leg(cage, leg, side, turn)
    return cage.smoothed(times)


def _grow_arm(cage: Cage, face: int, side: str, turn: np.ndarray) -> None:
    for away, across, forwards, weights in _ARM_RINGS:
        centre = (_SHOULDER + away * _ARM) * turn
        # The first ring turns half way from the trunk's side, or the armpit would fold.
        back = unit(_ARM_BACK + (0.9 * UP if away < 0.05 else 0.0))
        axes = (SQUARE * across * back * turn, SQUARE * forwards * _FRONT)
        face, _ = cage.extrude(face, centre, axes, _sided(weights, side))


def _grow_leg(cage: Cage, face: int, side: str, turn: np.ndarray) -> None:
    sides: list[int] = []
    for y, z, across, forwards, weights in _LEG_RINGS:
        axes = ((SQUARE * across, 0, 0), (0, 0, SQUARE * forwards))
        face, sides = cage.extrude(face, np.array([0.085, y, z]) * turn, axes,
                                   _sided(weights, side))
    front = max(sides, key=lambda i: np.mean([cage.points[k][2] for k in cage.faces[i]]))
    for z, wide, middle, tall, weights in _FOOT_RINGS:
        axes = ((1.0 * wide, 0, 0), (0, tall, 0))
        front, _ = cage.extrude(front, np.array([0.09, middle, z]) * turn, axes,
                                _sided(weights, side))


def _rigid(count: int, shares: dict[str, float]) -> np.ndarray:
    row = np.zeros(len(JOINTS))
    for name, share in shares.items():
        row[JOINTS.index(name)] = share
    return np.tile(row, (count, 1))


def _cuts(usual: int, detail: int, least: int) -> int:
    """How often something is cut: `usual` at detail 2, twice as often at each one more."""
    return max(least, round(usual * 2.0 ** (detail - 2)))


def _bump(way: np.ndarray, at, wide: float) -> np.ndarray:
    """A rise of 1 about a direction and about its mirror image."""
    at = unit(np.asarray(at, float))
    return sum(np.exp(-np.square(way - at * turn).sum(axis=-1) / wide**2)
               for turn in ((np.ones(3), MIRROR) if at[0] != 0.0 else (np.ones(3),)))


def on_head(way: np.ndarray) -> np.ndarray:
    """The head's surface in directions, (..., 3), from its middle."""
    way = unit(way)
    rise = (1.0 + 0.085 * _bump(way, (0.66, -0.40, 0.64), 0.42)
            + 0.050 * _bump(way, (0.0, -0.45, 0.90), 0.36)
            + 0.040 * _bump(way, (0.0, -0.80, 0.60), 0.30)
            + 0.075 * _bump(way, (0.46, 0.37, 0.81), 0.24)
            - 0.120 * _bump(way, _GAZE, 0.24)
            - 0.050 * _bump(way, (0.0, 0.12, 0.99), 0.20))
    taper = 1.0 - 0.16 * np.clip(way[..., 1:2], 0.0, 1.0) ** 1.5
    shape = np.concatenate([np.broadcast_to(taper, (*way.shape[:-1], 1)),
                            np.ones((*way.shape[:-1], 1)), taper], axis=-1)
    return HEAD + way * _HEAD_AXES * shape * rise[..., None]


def head(detail: int) -> Shell:
    """A round head; its seam lies at the back, its front is the denser half."""
    around, tall = _cuts(44, detail, 8), _cuts(32, detail, 6)
    s = np.arange(around) / around
    turn = 0.5 * np.pi + 2.0 * np.pi * s + 0.38 * np.sin(2.0 * np.pi * s)
    lift = np.pi * ((np.arange(tall) + 0.8) / (tall + 0.6) - 0.5)
    way = np.stack(np.broadcast_arrays(np.cos(lift)[:, None] * np.cos(turn),
                                       np.sin(lift)[:, None],
                                       -np.cos(lift)[:, None] * np.sin(turn)), axis=-1)
    down, up = on_head(np.array([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]]))
    return loft(on_head(way), down, up, _rigid(tall, {"head": 1.0}), repeats=2.0, tile=0.6)


def ball(middle, radius: float, detail: int, shares: dict[str, float], squash=(1, 1, 1)) -> Shell:
    """A sphere whose poles lie on z."""
    around, tall = _cuts(18, detail, 6), _cuts(10, detail, 3)
    turn = np.arange(around) * (2.0 * np.pi / around)
    lift = np.pi * ((np.arange(tall) + 0.8) / (tall + 0.6) - 0.5)
    way = np.stack(np.broadcast_arrays(np.cos(lift)[:, None] * np.cos(turn),
                                       np.cos(lift)[:, None] * np.sin(turn),
                                       np.sin(lift)[:, None]), axis=-1)
    size = radius * np.asarray(squash, float)
    return loft(middle + size * way, middle - size * _FRONT, middle + size * _FRONT,
                _rigid(tall, shares))


def lid(side: str, detail: int) -> Shell:
    """A half shell about an eye, lifted open; its joint turns it about x."""
    turn = np.ones(3) if side == "L" else MIRROR
    arc, slices = _cuts(10, detail, 6), _cuts(9, detail, 5)
    # From the front over the top; the lashes are a narrow strip.
    spread = np.radians(np.append(LASHES[0], np.linspace(LASHES[1], 205.0, arc - 1)))
    # The middles of its facets lie outside of the eye too.
    facet = np.cos(0.5 * (spread[-1] - spread[1]) / (arc - 2)) * np.cos(0.5 * np.pi / slices)
    outer, inner = 1.08 * EYE_RADIUS / facet, 1.02 * EYE_RADIUS
    reach = np.concatenate([np.full(arc, outer), np.full(arc, inner)])
    angle = np.concatenate([spread, spread[::-1]])
    polar = np.pi * ((np.arange(slices) + 0.8) / (slices + 0.6) - 0.5)
    x = np.sin(polar)[:, None] * (0.5 * (outer + inner))
    flat = np.cos(polar)[:, None] * reach
    rings = np.stack(np.broadcast_arrays(x, flat * np.sin(angle), flat * np.cos(angle)), axis=-1)
    ends = 0.5 * (outer + inner) * np.array([[-1.0, 0, 0], [1.0, 0, 0]])
    mean = rings.mean(axis=1)
    ends = np.stack([0.2 * mean[0] + ends[0] * (1, 0, 0), 0.2 * mean[-1] + ends[1] * (1, 0, 0)])
    place = EYE * turn
    return loft(rings[:, ::-1] + place, ends[0] + place, ends[1] + place,
                _rigid(slices, {f"lid.{side}": 1.0}), tile=0.3)


def limb(path, radii, shares, sides: int, steps: int, flat: float = 1.0, wide=None,
         tile: float = 0.4) -> Shell:
    """A closed, tapered tube along a curve, thinned `flat` across `wide`; `shares` at both ends."""
    points = curve(path, steps)
    radius = np.interp(np.linspace(0, 1, steps), np.linspace(0, 1, len(radii)), radii)
    tangent = unit(np.gradient(points, axis=0))
    helper = np.array(wide if wide is not None else (0.31, 0.22, 0.93))
    first = unit(helper - tangent * (tangent @ helper)[:, None])
    second = np.cross(tangent, first)
    angle = np.arange(sides) * (2.0 * np.pi / sides)
    rings = points[:, None] + radius[:, None, None] * (
        np.cos(angle)[:, None] * first[:, None] + flat * np.sin(angle)[:, None] * second[:, None])
    t = np.linspace(0.0, 1.0, steps)[:, None]
    t = t * t * (3.0 - 2.0 * t)
    weights = (1.0 - t) * _rigid(1, shares[0]) + t * _rigid(1, shares[1])
    cap = 0.75 * min(1.0, flat + 0.4)
    return loft(rings, points[0] - cap * radius[0] * tangent[0],
                points[-1] + cap * radius[-1] * tangent[-1], weights, tile=tile)


def twigs(detail: int) -> dict[str, list[Shell]]:
    """Fingers, toes, ears, antlers, nose and mouth, by what they are painted as."""
    sides, steps = _cuts(11, detail, 3), _cuts(10, detail, 3)
    found: dict[str, list[Shell]] = {"hands": [], "ears": [], "antlers": [], "mouth": []}
    hand = _SHOULDER + (_UPPER_ARM + _FOREARM) * _ARM
    for side, turn in (("L", np.ones(3)), ("R", MIRROR)):
        def put(kind, path, radii, shares, turn=turn, **options):
            found[kind].append(limb(np.asarray(path) * turn, radii, shares, sides, steps,
                                    **options))

        grips = ({f"hand.{side}": 1.0}, {f"grip.{side}": 1.0})
        for z, lean, length in ((0.036, 0.25, 0.088), (0.0, 0.02, 0.102), (-0.036, -0.22, 0.090)):
            root = hand + 0.048 * _ARM + z * _FRONT
            way = unit(_ARM + lean * _FRONT)
            bend = -0.018 * _ARM_BACK
            put("hands", [root, root + 0.55 * length * way, root + length * way + bend],
                (0.021, 0.019, 0.012), grips)
        root = hand + 0.015 * _ARM + 0.030 * _FRONT
        put("hands", [root, root + 0.032 * _ARM + 0.036 * _FRONT - 0.004 * _ARM_BACK,
                      root + 0.072 * _ARM + 0.044 * _FRONT - 0.016 * _ARM_BACK],
            (0.022, 0.019, 0.012), ({f"hand.{side}": 1.0}, {f"hand.{side}": 0.5,
                                                            f"grip.{side}": 0.5}))
        toes = ({f"toes.{side}": 1.0},) * 2
        for x, z, lean in ((0.048, 0.118, -0.010), (0.090, 0.126, 0.002), (0.130, 0.112, 0.016)):
            put("hands", [(x, 0.028, z), (x + lean, 0.028, z + 0.036),
                          (x + 1.6 * lean, 0.016, z + 0.064)], (0.029, 0.026, 0.014), toes)
        ear = SKELETON["ear.L"][1]
        put("ears", [ear - (0.03, 0, 0), ear + (0.05, 0.012, -0.010), ear + (0.115, 0.038, -0.034),
                     ear + (0.185, 0.082, -0.070)], (0.026, 0.052, 0.056, 0.040, 0.008),
            ({"head": 0.6, f"ear.{side}": 0.4}, {f"ear.{side}": 1.0}), flat=0.26,
            wide=(0.2, 0.9, 0.35))
        horn = np.array([0.095, 1.445, 0.030])
        put("antlers", [horn + (0, -0.03, 0), horn + (0.024, 0.060, -0.010),
                        horn + (0.034, 0.120, -0.038), horn + (0.080, 0.200, -0.055)],
            (0.021, 0.018, 0.015, 0.006), ({"head": 1.0},) * 2)
        put("antlers", [horn + (0.028, 0.085, -0.022), horn + (0.006, 0.130, -0.016),
                        horn + (0.008, 0.178, 0.006)], (0.013, 0.011, 0.005),
            ({"head": 1.0},) * 2)
    s = np.linspace(-1.0, 1.0, 9)
    smile = np.stack([0.30 * s, -0.50 + 0.10 * s**2 - 0.02 * s**4, 0.0 * s + 0.86], axis=1)
    path = on_head(smile) - (0.0, 0.0, 0.001)
    found["nose"] = [ball(on_head(np.array([0.0, -0.13, 0.99])) - 0.004 * _FRONT, 0.024, detail - 1,
                          {"head": 1.0}, (1.12, 0.86, 1.0))]
    found["mouth"].append(limb(path, (0.002, 0.0055, 0.0065, 0.0055, 0.002), ({"head": 1.0},) * 2,
                               sides, 2 * steps))
    return found
