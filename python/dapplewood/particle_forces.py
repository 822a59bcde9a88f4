# SPDX-License-Identifier: MIT
"""How simulated particles are born, what moves them, and what they bounce off."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any, ClassVar

import numpy as np

from . import _core
from .checks import as_number
from .layouts import record_dtype

__all__ = [
    "COLLIDERS",
    "BoxCollider",
    "HeightfieldCollider",
    "ParticleBirth",
    "ParticleForces",
    "PlaneCollider",
    "SphereCollider",
    "collider_records",
    "in_range",
    "law_record",
]

_C = _core.CONSTANTS
_TICKS = int(_C["TICKS_PER_SECOND"])
_STEPS = _TICKS / int(_C["PARTICLE_STEP"])  # a second
_RATE_MOST = (2**32 - 1) / 65536 * _STEPS
_SHAPES = ("box", "ball")
_FULL = ("oldest", "newest")


def _vector(value: Any, name: str) -> tuple[float, float, float]:
    try:
        x, y, z = (as_number(part, name) for part in value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be 3 numbers, got {value!r}") from None
    if not all(map(math.isfinite, (x, y, z))):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return x, y, z


def in_range(value: Any, name: str, least: float = -math.inf, most: float = math.inf) -> float:
    """A finite number between two."""
    number = as_number(value, name)
    if not (math.isfinite(number) and least <= number <= most):
        least_word = "finite" if least == -math.inf else f"{least:g} or more"
        wanted = least_word if most == math.inf else f"{least:g} to {most:g}"
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return number


def _direction(value: Any, name: str) -> tuple[float, float, float]:
    """Of length 1."""
    x, y, z = _vector(value, name)
    length = math.hypot(x, y, z)
    if not length > 1e-30:
        raise ValueError(f"{name} must not be zero, got {value!r}")
    return x / length, y / length, z / length


def _put(made: Any, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(made, name, value)


@dataclasses.dataclass(frozen=True)
class ParticleForces:
    """What moves simulated particles besides the velocity that they are born with.

    Parameters
    ----------
    gravity : (float, float, float)
        m/s²; y is up.
    drag : float
        1/s: how fast a particle takes on the air's velocity. Wind and noise act by it alone.
    wind : (float, float, float)
        m/s: of the air.
    noise : float
        m/s: how fast the air moves in eddies (a curl noise, which has no sources).
    noise_size : float
        Metres: of an eddy.
    noise_drift : (float, float, float)
        m/s: of the eddies as a whole.
    pull : float
        m/s²: at most, towards `pull_place`; negative pushes away.
    pull_place : (float, float, float)
        Metres from the emitter's position, before its scale.
    pull_reach : float
        Metres: where half of the pull is left.

    Raises
    ------
    ValueError, TypeError
        A number that is none, not finite, or out of range. Speeds and accelerations go up to 1e5,
        drag to 1e4; wind or noise without drag is refused when the effect is registered.
    """

    gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)
    drag: float = 0.0
    wind: tuple[float, float, float] = (0.0, 0.0, 0.0)
    noise: float = 0.0
    noise_size: float = 1.0
    noise_drift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    pull: float = 0.0
    pull_place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    pull_reach: float = 1.0

    def __post_init__(self) -> None:
        for name in ("gravity", "wind", "noise_drift", "pull_place"):
            _put(self, **{name: _vector(getattr(self, name), name)})
        _put(
            self,
            drag=in_range(self.drag, "drag", 0.0, 1e4),
            noise=in_range(self.noise, "noise", 0.0, 1e5),
            noise_size=in_range(self.noise_size, "noise_size", 1e-3, 1e4),
            pull=in_range(self.pull, "pull", -1e5, 1e5),
            pull_reach=in_range(self.pull_reach, "pull_reach", 1e-3, 1e5),
        )


@dataclasses.dataclass(frozen=True)
class ParticleBirth:
    """How simulated particles come to be: how many, where, and how fast.

    Parameters
    ----------
    rate : float, optional
        Births a second. None: as many as the slots hold when all live as long as they can. Not of
        parts that play once, come in bursts, or are born from others.
    shape : {"box", "ball"}
        What they are born in, evenly.
    size : (float, float, float)
        Metres: its half sides or radii; zeros: a point.
    direction : (float, float, float)
        Where they fly, of any length but 0.
    spread : float
        Degrees: half the angle of the cone that they fly in, 0 to 180 (all around).
    speed : (float, float)
        m/s: the least and the most.
    inherit : float
        Share of the parent's velocity that children start with.
    full : {"oldest", "newest"}
        What gives way where all slots live: the particle that was born first, or the new one.

    Raises
    ------
    ValueError, TypeError
        A number that is none, not finite, or out of range.
    """

    rate: float | None = None
    shape: str = "box"
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    direction: tuple[float, float, float] = (0.0, 1.0, 0.0)
    spread: float = 0.0
    speed: tuple[float, float] = (0.0, 0.0)
    inherit: float = 0.0
    full: str = "oldest"

    def __post_init__(self) -> None:
        if self.rate is not None:
            _put(self, rate=in_range(self.rate, "rate", 0.0, _RATE_MOST))
        for name, words in (("shape", _SHAPES), ("full", _FULL)):
            if getattr(self, name) not in words:
                raise ValueError(
                    f"{name} must be one of {', '.join(words)}, got {getattr(self, name)!r}"
                )
        _put(self, size=_vector(self.size, "size"), spread=in_range(self.spread, "spread", 0, 180))
        if min(self.size) < 0.0:
            raise ValueError(f"size must be 0 or more along each axis, got {self.size!r}")
        _put(self, direction=_direction(self.direction, "direction"))
        try:
            least, most = (in_range(part, "speed", -1e5, 1e5) for part in self.speed)
        except (TypeError, ValueError):
            raise ValueError(f"speed must be (least, most) m/s, got {self.speed!r}") from None
        if least > most:
            raise ValueError(f"speed must be (least, most) m/s, got {self.speed!r}")
        _put(self, speed=(least, most), inherit=in_range(self.inherit, "inherit", -1e3, 1e3))


_SOLID = """

    Solids stand in the world: they do not go along with emitters.

    Parameters
    ----------
{own}
    bounce : float
        Share of the speed against the surface that comes back, 0 to 1.
    friction : float
        Coulomb's: what goes along the surface loses so much of what it hits it with.
    kill : bool
        What touches it dies, as of age.

    Raises
    ------
    ValueError, TypeError
        A number that is none, not finite, or out of range.
    """


class _Collider:
    kind: ClassVar[str]
    bounce: float
    friction: float
    kill: bool

    def _check_surface(self) -> None:
        _put(
            self,
            bounce=in_range(self.bounce, "bounce", 0.0, 1.0),
            friction=in_range(self.friction, "friction", 0.0, 1e3),
            kill=bool(self.kill),
        )

    def _fill(self, record: np.ndarray) -> None:
        raise NotImplementedError

    def _heights(self) -> np.ndarray:
        return np.zeros(0, np.float32)


@dataclasses.dataclass(frozen=True)
class PlaneCollider(_Collider):
    __doc__ = "A plane, with all that lies behind it." + _SOLID.format(
        own="""    point : (float, float, float)
        Metres: on it.
    normal : (float, float, float)
        To the side where particles are."""
    )

    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 1.0, 0.0)
    bounce: float = 0.5
    friction: float = 0.2
    kill: bool = False
    kind: ClassVar[str] = "PLANE"

    def __post_init__(self) -> None:
        _put(self, point=_vector(self.point, "point"), normal=_direction(self.normal, "normal"))
        self._check_surface()

    def _fill(self, record: np.ndarray) -> None:
        record["center"] = self.point
        record["axis_x"], record["axis_y"], record["axis_z"] = _frame(self.normal)


@dataclasses.dataclass(frozen=True)
class SphereCollider(_Collider):
    __doc__ = "A ball." + _SOLID.format(
        own="""    center : (float, float, float)
        Metres.
    radius : float
        Metres, 0.001 to 10,000."""
    )

    center: tuple[float, float, float]
    radius: float
    bounce: float = 0.5
    friction: float = 0.2
    kill: bool = False
    kind: ClassVar[str] = "SPHERE"

    def __post_init__(self) -> None:
        _put(self, center=_vector(self.center, "center"))
        _put(self, radius=in_range(self.radius, "radius", 1e-3, 1e4))
        self._check_surface()

    def _fill(self, record: np.ndarray) -> None:
        record["center"], record["size"] = self.center, self.radius


@dataclasses.dataclass(frozen=True)
class BoxCollider(_Collider):
    __doc__ = "A box." + _SOLID.format(
        own="""    center : (float, float, float)
        Metres.
    half_size : (float, float, float)
        Metres: half its sides, 0.001 to 10,000.
    axes : (3, 3) array_like, optional
        The directions of its sides, one a row, of length 1 and at right angles. None: x, y, z."""
    )

    center: tuple[float, float, float]
    half_size: tuple[float, float, float]
    axes: Any = None
    bounce: float = 0.5
    friction: float = 0.2
    kill: bool = False
    kind: ClassVar[str] = "BOX"

    def __post_init__(self) -> None:
        _put(self, center=_vector(self.center, "center"))
        _put(self, half_size=_vector(self.half_size, "half_size"))
        for side in self.half_size:
            in_range(side, "half_size", 1e-3, 1e4)
        self._check_surface()
        if self.axes is None:
            return
        try:
            axes = np.array(self.axes, np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"axes must be (3, 3) numbers, or None, got {self.axes!r}") from None
        if axes.shape != (3, 3) or not np.allclose(axes @ axes.T, np.eye(3), atol=1e-5):
            raise ValueError(
                "axes must be 3 rows of length 1 and at right angles, or None, got "
                f"{self.axes!r}"
            )
        _put(self, axes=tuple(map(tuple, axes.tolist())))

    def _fill(self, record: np.ndarray) -> None:
        record["center"], record["size"] = self.center, self.half_size
        if self.axes is not None:
            record["axis_x"], record["axis_y"], record["axis_z"] = self.axes


@dataclasses.dataclass(frozen=True, eq=False)
class HeightfieldCollider(_Collider):
    __doc__ = "Ground over a grid, with all that lies below it." + _SOLID.format(
        own="""    heights : (R, C) array_like
        Metres above `corner`, along z and x, at least 2 each; between them the ground is bilinear.
        Beside the grid there is none.
    corner : (float, float, float)
        Metres: where the first height stands.
    spacing : float or (float, float)
        Metres between heights along x and z."""
    )

    heights: Any
    corner: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spacing: Any = 1.0
    bounce: float = 0.5
    friction: float = 0.2
    kill: bool = False
    kind: ClassVar[str] = "HEIGHTFIELD"

    def __post_init__(self) -> None:
        try:
            heights = np.array(self.heights, np.float32)
        except (TypeError, ValueError):
            raise TypeError("heights must be (R, C) numbers") from None
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise ValueError(
                f"heights must have shape (R, C) with at least 2 of each, got {heights.shape}"
            )
        if not np.isfinite(heights).all():
            raise ValueError("heights must be finite")
        heights[np.abs(heights) < 1e-30] = 0.0
        heights.flags.writeable = False
        both = (self.spacing, self.spacing) if np.ndim(self.spacing) == 0 else self.spacing
        try:
            x, z = (in_range(part, "spacing", 1e-4, 1e3) for part in both)
        except (TypeError, ValueError):
            raise ValueError(
                f"spacing must be 1 or 2 numbers of metres, 1e-4 to 1e3, got {self.spacing!r}"
            ) from None
        _put(self, heights=heights, spacing=(x, z), corner=_vector(self.corner, "corner"))
        self._check_surface()

    def _fill(self, record: np.ndarray) -> None:
        record["center"] = self.corner
        record["size"] = 1.0 / self.spacing[0], 1.0, 1.0 / self.spacing[1]
        record["rows"], record["columns"] = self.heights.shape

    def _heights(self) -> np.ndarray:
        return self.heights.ravel()

    def __reduce__(self) -> Any:
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return functools.partial(HeightfieldCollider, **fields), ()


COLLIDERS = (PlaneCollider, SphereCollider, BoxCollider, HeightfieldCollider)


# ---- what the core takes ----


def _frame(y: tuple[float, float, float]) -> tuple[Any, Any, Any]:
    """Three directions at right angles, of which y is the second."""
    along = np.array(y)
    other = np.eye(3)[np.argmin(np.abs(along))]
    z = np.cross(other, along)
    z /= np.linalg.norm(z)
    return np.cross(along, z), along, z


def collider_records(colliders: tuple[Any, ...]) -> tuple[bytes | None, bytes | None]:
    """Records of solids, and the heights of all of them."""
    if not colliders:
        return None, None
    records = np.zeros(len(colliders), record_dtype("dw_particle_collider"))
    first, heights = 0, []
    for record, collider in zip(records, colliders):
        record["kind"] = _C[f"COLLIDER_{collider.kind}"]
        record["flags"] = _C["COLLIDER_KILLS"] if collider.kill else 0
        record["bounce"], record["friction"] = collider.bounce, collider.friction
        record["axis_x"], record["axis_y"], record["axis_z"] = np.eye(3)
        record["size"] = 1.0
        record["heights"] = first
        collider._fill(record)
        heights.append(collider._heights())
        first += len(heights[-1])
    return records.tobytes(), np.concatenate(heights).tobytes() or None


def law_record(
    forces: ParticleForces | None,
    birth: ParticleBirth | None,
    rate: float,
    flags: int,
    **fields: Any,
) -> bytes:
    """rate: births a second. fields: further ones of dw_particle_law."""
    law = np.zeros((), record_dtype("dw_particle_law"))
    forces = forces or ParticleForces(gravity=(0.0, 0.0, 0.0))
    birth = birth or ParticleBirth()
    for name in ("gravity", "drag", "wind", "noise", "pull", "pull_place"):
        law[name] = getattr(forces, name)
    if forces.noise > 0.0:
        law["noise_scale"] = 1.0 / forces.noise_size
        drift = np.array(forces.noise_drift) / forces.noise_size * (2**24 / _TICKS)
        law["noise_drift"] = (np.round(-drift).astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    law["pull_reach"] = forces.pull_reach if forces.pull else 0.0
    law["flags"] = (
        flags
        | (birth.shape == "ball") * int(_C["LAW_IS_BALL"])
        | (birth.full == "newest") * int(_C["LAW_DROPS_NEWEST"])
    )
    law["rate"] = min(round(rate * 65536 / _STEPS), 2**32 - 1)
    law["extent"] = birth.size
    law["axis_x"], law["axis_y"], law["axis_z"] = _frame(birth.direction)
    law["cone"] = 1.0 - math.cos(math.radians(birth.spread))
    law["speed"], law["speed_span"] = birth.speed[0], birth.speed[1] - birth.speed[0]
    law["inherit"] = birth.inherit
    for name, value in fields.items():
        law[name] = value
    for name, (kind, *_) in law.dtype.fields.items():
        if kind.base == np.float32:
            law[name] = np.where(np.abs(law[name]) < 1e-30, 0.0, law[name])
    return law.tobytes()
