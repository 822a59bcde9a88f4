# SPDX-License-Identifier: MIT
"""How the moss walker moves: feet are set on the ground, the legs follow, the rest swings along."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ._walker_body import _ARM, JOINTS, SKELETON

if TYPE_CHECKING:
    from ..animation import Animation

WALK_SPEED = 0.62  # metres a second along +z
_WALK_TIME, _IDLE_TIME, _CURL_TIME, _HELD_UNTIL = 1.1, 4.0, 1.4, 2.4
_STANCE = 0.6  # share of the cycle that a foot is on the ground
_STRIKE, _PUSH = -0.38, 0.85  # pitch of a foot as it lands on its heel and leaves by its toes
_HEEL = np.array([0.0, -0.085, -0.062])  # from the ankle
_BALL = SKELETON["toes.L"][1] - SKELETON["foot.L"][1]
_THIGH = SKELETON["knee.L"][1] - SKELETON["thigh.L"][1]
_SHIN = SKELETON["foot.L"][1] - SKELETON["knee.L"][1]
_X, _Y, _Z = np.eye(3)
_ELBOW = np.array([_ARM[1], -_ARM[0], 0.0])  # the left elbow's axis; forwards is positive
_TAU = 2.0 * np.pi


def _turn(axis: np.ndarray, angle: float) -> np.ndarray:
    return np.append(np.sin(0.5 * angle) * axis, np.cos(0.5 * angle))


def _times(*turns: np.ndarray) -> np.ndarray:
    """Turns one inside the other: the last is the innermost."""
    x, y, z, w = turns[0]
    for a, b, c, d in turns[1:]:
        x, y, z, w = (w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a,
                      w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c)
    return np.array([x, y, z, w])


def _back(turn: np.ndarray) -> np.ndarray:
    return turn * (-1.0, -1.0, -1.0, 1.0)


def _moved(turn: np.ndarray, point: np.ndarray) -> np.ndarray:
    return _times(turn, np.append(point, 0.0), _back(turn))[:3]


def _between(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The least turn from one direction to another."""
    one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
    turn = np.append(np.cross(one, other), 1.0 + one @ other)
    return turn / np.linalg.norm(turn)


class Posture:
    """One pose in the making: turns of joints, and where the hips are."""

    def __init__(self) -> None:
        self.turns = {name: np.array([0.0, 0.0, 0.0, 1.0]) for name in JOINTS}
        self.hips = SKELETON["hips"][1].copy()

    def turn(self, name: str, *turns: tuple[np.ndarray, float]) -> None:
        self.turns[name] = _times(*(_turn(axis, angle) for axis, angle in turns))

    def arm(self, side: str, swing: float, lift: float, bend: float, twist: float = 0.0) -> None:
        """`swing` forwards, `lift` away from the side, `bend` of the elbow, `twist` inwards."""
        out = 1.0 if side == "L" else -1.0
        hang = -0.66 + lift  # from where arms point at rest
        self.turns[f"arm.{side}"] = _times(_turn(_X, -swing), _turn(_Z, out * hang),
                                           _turn(_ARM * (out, 1, 1), out * twist))
        for joint in ("elbow", "forearm"):
            self.turns[f"{joint}.{side}"] = _turn(_ELBOW * (1.0, out, 1.0), 0.5 * bend)

    def leg(self, side: str, ankle: np.ndarray, pitch: float, toes: float = 0.0,
            apart: float = 0.0) -> None:
        """Puts an ankle somewhere, its foot pitched (toes down: positive), the knee bent to it."""
        hips = self.turns["hips"]
        socket = self.hips + _moved(hips, SKELETON[f"thigh.{side}"][1] - SKELETON["hips"][1])
        reach = _moved(_back(hips), ankle - socket)
        whole = float(_THIGH @ _THIGH + _SHIN @ _SHIN)
        most = 0.997 * float(np.sqrt(whole + 2.0 * np.linalg.norm(_THIGH) * np.linalg.norm(_SHIN)))
        reach *= min(1.0, most / float(np.linalg.norm(reach)))
        product = np.linalg.norm(_THIGH) * np.linalg.norm(_SHIN)
        rest = np.arctan2(-_SHIN[2], -_SHIN[1]) - np.arctan2(-_THIGH[2], -_THIGH[1])
        cosine = np.clip((reach @ reach - whole) / (2.0 * product), -1.0, 1.0)
        bend = float(np.arccos(cosine) - rest)
        folded = _THIGH + _moved(_turn(_X, bend), _SHIN)
        out = 1.0 if side == "L" else -1.0
        thigh = _times(_turn(reach / np.linalg.norm(reach), out * apart), _between(folded, reach))
        self.turns[f"thigh.{side}"] = thigh
        for joint in ("knee", "shin"):
            self.turns[f"{joint}.{side}"] = _turn(_X, 0.5 * bend)
        shin = _times(hips, thigh, _turn(_X, bend))
        self.turns[f"foot.{side}"] = _times(_back(shin), _turn(_X, pitch))
        self.turns[f"toes.{side}"] = _turn(_X, toes)

    def stand(self, apart: float = 0.0) -> None:
        """Both feet flat where they are at rest."""
        for side in "LR":
            self.leg(side, SKELETON[f"foot.{side}"][1], 0.0, apart=apart)


def _ease(t: float) -> float:
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


def _step_of(side: str, phase: float) -> tuple[np.ndarray, float, float]:
    """Ankle, pitch and turn of the toes of a foot at a phase of its own cycle; 0 is its landing."""
    rest = SKELETON[f"foot.{side}"][1]
    way = WALK_SPEED * _WALK_TIME * _STANCE

    def standing(p: float) -> tuple[np.ndarray, float, float]:
        flat = rest + _Z * (0.02 + way * (0.5 - p / _STANCE))
        landing = max(0.0, 1.0 - p / 0.10) ** 1.5
        leaving = max(0.0, (p - 0.34) / (_STANCE - 0.34)) ** 1.7
        pitch = _STRIKE * landing + _PUSH * leaving
        pivot = _HEEL if pitch < 0.0 else _BALL
        return flat + pivot - _moved(_turn(_X, pitch), pivot), pitch, -max(pitch, 0.0)

    if phase <= _STANCE:
        return standing(phase)
    s = (phase - _STANCE) / (1.0 - _STANCE)
    (one, pitch, toes), (other, landing, _) = standing(_STANCE), standing(0.0)
    leave = -WALK_SPEED * _WALK_TIME * (1.0 - _STANCE) * _Z
    ankle = ((2 * s**3 - 3 * s**2 + 1) * one + (s**3 - 2 * s**2 + s) * leave
             + (3 * s**2 - 2 * s**3) * other + (s**3 - s**2) * leave)
    ankle = ankle + 0.050 * np.sin(np.pi * s) ** 2 * _Y
    swung = pitch + (landing - pitch) * _ease(1.15 * s)
    return ankle, swung, toes * (1.0 - _ease(2.0 * s))


def _walking(time: float) -> Posture:
    p = time / _WALK_TIME
    wave, lag = np.cos(_TAU * p), np.cos(_TAU * (p - 0.12))
    sway = np.sin(_TAU * (p - 0.05))
    bounce = np.cos(2.0 * _TAU * (p - 0.05))
    pose = Posture()
    pose.hips += (0.020 * sway, -0.034 - 0.014 * bounce, 0.006 * np.sin(2.0 * _TAU * p))
    pose.turn("hips", (_Y, -0.13 * wave), (_Z, 0.055 * sway), (_X, 0.05))
    pose.turn("spine", (_Y, 0.12 * wave), (_Z, -0.06 * sway), (_X, 0.03))
    pose.turn("chest", (_Y, 0.18 * lag), (_Z, -0.05 * sway), (_X, 0.02 + 0.02 * bounce))
    pose.turn("neck", (_Y, -0.10 * lag), (_X, -0.04 - 0.02 * bounce))
    pose.turn("head", (_Y, -0.06 * lag), (_Z, 0.07 * np.sin(_TAU * (p - 0.15))),
              (_X, -0.06 + 0.035 * np.cos(2.0 * _TAU * (p - 0.15))))
    pose.turn("crown", (_X, -0.05 + 0.07 * np.cos(2.0 * _TAU * (p - 0.25))),
              (_Z, 0.06 * np.sin(_TAU * (p - 0.3))))
    pose.turn("skirt", (_Y, 0.12 * np.cos(_TAU * (p - 0.2))), (_X, -0.06 + 0.05 * bounce))
    pose.turn("mantle", (_X, 0.16 + 0.09 * np.cos(2.0 * _TAU * (p - 0.2))))
    for side, out in (("L", 1.0), ("R", -1.0)):
        ankle, pitch, toes = _step_of(side, (p if side == "L" else p + 0.5) % 1.0)
        pose.leg(side, ankle, pitch, toes, apart=0.06)
        swing = -out * np.cos(_TAU * (p - 0.03))
        pose.turn(f"collar.{side}", (_Y, -0.10 * swing * out))
        pose.arm(side, 0.08 + 0.50 * swing, 0.17, 0.48 + 0.26 * swing, 0.02)
        pose.turn(f"hand.{side}", (_ELBOW * (1.0, out, 1.0), 0.15))
        pose.turn(f"mantle.{side}", (_Z, out * (0.10 + 0.07 * bounce)))
        pose.turn(f"ear.{side}", (_Z, out * 0.10 * np.cos(2.0 * _TAU * (p - 0.3))))
    return pose


def _idling(time: float) -> Posture:
    p = time / _IDLE_TIME
    shift, breath = np.sin(_TAU * p), -np.cos(2.0 * _TAU * p)
    look = np.sin(_TAU * p + 0.6) - 0.35 * np.sin(2.0 * _TAU * p)
    pose = Posture()
    pose.hips += (0.024 * shift, -0.010 + 0.003 * breath, 0.0)
    pose.turn("hips", (_Z, 0.035 * shift), (_Y, 0.04 * shift))
    pose.turn("spine", (_Z, -0.05 * shift), (_X, 0.02 - 0.015 * breath))
    pose.turn("chest", (_Z, -0.02 * shift), (_X, 0.01 - 0.020 * breath), (_Y, 0.05 * look))
    pose.turn("neck", (_Y, 0.10 * look), (_X, 0.02 * breath))
    pose.turn("head", (_Y, 0.16 * look), (_Z, 0.07 * np.sin(_TAU * p - 0.9)),
              (_X, -0.02 + 0.02 * breath))
    pose.turn("crown", (_X, 0.03 * np.sin(2.0 * _TAU * p)), (_Z, 0.04 * np.sin(_TAU * p + 2.0)))
    pose.turn("mantle", (_X, 0.05 + 0.03 * breath))
    pose.stand(apart=0.06)
    for side, out in (("L", 1.0), ("R", -1.0)):
        pose.turn(f"collar.{side}", (_Z, out * (0.02 + 0.025 * breath)))
        pose.arm(side, 0.06 + 0.03 * shift * out, 0.14 + 0.02 * breath, 0.38, 0.30)
        pose.turn(f"mantle.{side}", (_Z, out * (0.06 + 0.02 * breath)))
    return pose


def _curling(time: float) -> Posture:
    """Standing at 0, a ball from `_CURL_TIME` on: first the knees, then the back, then the arms."""
    u = min(time / _CURL_TIME, 1.0)
    down, over, hug = _ease(1.15 * u), _ease(1.25 * u - 0.18), _ease(1.3 * u - 0.3)
    pose = Posture()
    pose.hips += (0.0, -0.425 * down, -0.160 * down)
    pose.turn("hips", (_X, 0.30 * over * (1.0 - u) + 0.05 * over))
    pose.turn("spine", (_X, 0.48 * over))
    pose.turn("chest", (_X, 0.66 * over))
    pose.turn("neck", (_X, 0.48 * over))
    pose.turn("head", (_X, 0.34 * over))
    pose.turn("crown", (_X, -0.15 * over))
    pose.turn("mantle", (_X, 0.05 + 0.10 * over))
    pose.turn("skirt", (_X, -0.30 * over))
    pose.stand(apart=0.06 + 0.30 * down)
    for side, out in (("L", 1.0), ("R", -1.0)):
        pose.turn(f"collar.{side}", (_Y, -out * 0.25 * hug))
        pose.arm(side, 0.06 + 1.25 * hug, 0.14 + 0.10 * hug, 0.38 + 0.80 * hug, 0.30 + 0.60 * hug)
        pose.turn(f"grip.{side}", (_ELBOW * (1.0, out, 1.0), 0.5 * hug))
        pose.turn(f"ear.{side}", (_Z, -out * 0.45 * over))
        pose.turn(f"mantle.{side}", (_Z, out * 0.06))
    return pose


def _tracks(pose: Callable[[float], Posture], times: np.ndarray, spline: bool) -> list:
    """Channels of every joint that turns, and of the hips' place."""
    poses = [pose(float(time)) for time in times]
    found = [_channel(JOINTS.index("hips"), "translation", times,
                      np.array([one.hips for one in poses]), spline)]
    for i, name in enumerate(JOINTS):
        turns = np.array([one.turns[name] for one in poses])
        for k in range(1, len(turns)):  # neighbours on one side of the sphere
            turns[k] *= 1.0 if turns[k] @ turns[k - 1] >= 0.0 else -1.0
        if np.abs(turns - (0.0, 0.0, 0.0, 1.0)).max() > 1e-9:
            found.append(_channel(i, "rotation", times, turns, spline))
    return found


def _channel(node: int, path: str, times, values, spline: bool = False, step: bool = False):
    from ..animation import AnimationChannel

    times, values = np.asarray(times, float), np.asarray(values, float)
    kind = "step" if step else "linear"
    if spline:
        slopes = np.gradient(values, times, axis=0)
        slopes[0] = slopes[-1] = 0.0
        slopes[:-1][(np.diff(values, axis=0) == 0.0).all(axis=1)] = 0.0  # what is held stays
        values, kind = np.stack([slopes, values, slopes], axis=1), "cubicspline"
    return AnimationChannel(node, path, kind, times.astype(np.float32),
                            values.astype(np.float32))


def _lids(times: list[float], closed: list[float], step: bool) -> list:
    """Both lids; `closed` runs from 0 to 1."""
    turns = np.array([_turn(_X, 1.70 * share) for share in closed])
    return [_channel(JOINTS.index(f"lid.{side}"), "rotation", times, turns, step=step)
            for side in "LR"]


def moves(wood: int, leaves: int) -> tuple[Animation, ...]:
    """The animations; `wood` and `leaves` are the nodes whose meshes have morph targets."""
    from ..animation import Animation

    times = np.linspace(0.0, _IDLE_TIME, 33)
    breaths = np.linspace(0.0, _IDLE_TIME, 9)
    full = 0.5 - 0.5 * np.cos(2.0 * _TAU * breaths / _IDLE_TIME)
    gusts = 0.16 + 0.14 * np.sin(_TAU * times / _IDLE_TIME) + 0.06 * np.cos(
        3.0 * _TAU * times / _IDLE_TIME)
    idle = [*_tracks(_idling, times, False),
            _channel(wood, "weights", breaths, full[:, None], spline=True),
            _channel(leaves, "weights", times, np.column_stack(
                [0.5 - 0.5 * np.cos(2.0 * _TAU * times / _IDLE_TIME), gusts])),
            *_lids([0.0, 1.30, 1.42, 3.05, 3.15, 3.30, 3.40, 4.0], [0, 1, 0, 1, 0, 1, 0, 0], True)]
    times = np.linspace(0.0, _WALK_TIME, 33)
    phase = times / _WALK_TIME
    walk = [*_tracks(_walking, times, False),
            _channel(wood, "weights", times, (0.35 + 0.25 * np.cos(_TAU * phase))[:, None]),
            _channel(leaves, "weights", times, np.column_stack(
                [0.35 + 0.25 * np.cos(_TAU * phase), 0.34 + 0.12 * np.cos(2.0 * _TAU * phase)]))]
    times = np.append(np.linspace(0.0, _CURL_TIME, 15), _HELD_UNTIL)
    calm = _ease(1.0) - np.array([_ease(time / _CURL_TIME) for time in times])
    curl = [*_tracks(_curling, times, True),
            _channel(wood, "weights", times, 0.5 * calm[:, None], spline=True),
            _channel(leaves, "weights", times, np.column_stack([0.5 * calm, 0.15 * calm]),
                     spline=True),
            *_lids([0.0, 0.35, 1.1, _HELD_UNTIL], [0.0, 0.0, 1.0, 1.0], False)]
    return (Animation("idle", tuple(idle)), Animation("walk", tuple(walk)),
            Animation("curl", tuple(curl)))
