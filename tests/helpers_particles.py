# SPDX-License-Identifier: MIT
"""A NumPy model of what lives: lives, chance and the motion of every kind, in float32 steps; and
tables of built-in effects.

Written from the definitions of the fields, not from the loops of the core: all slots of all rows at
once, whole numbers as uint64. `state` has the bytes of `_core.particle_state`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from dapplewood import _core
from dapplewood.layouts import record_dtype
from helpers_particle_tables import KINDS, NONE, C, Tables

F, I32, U32, U64 = np.float32, np.int32, np.uint32, np.uint64
Array = np.ndarray
PARAMS = {KINDS[word]: words for word, words in _core.PARTICLE_PARAMS.items()}


# ---- chance ----


def pcg4d(x: Any, y: Any, z: Any, w: Any) -> list[Array]:
    """Four words from four, as published."""
    v = [np.array(a, U32, ndmin=1) for a in np.broadcast_arrays(x, y, z, w)]
    v = [a * U32(1664525) + U32(1013904223) for a in v]

    def stir() -> None:
        for to, a, b in ((0, 1, 3), (1, 2, 0), (2, 0, 1), (3, 1, 2)):
            v[to] = v[to] + v[a] * v[b]

    stir()
    v = [a ^ (a >> U32(16)) for a in v]
    stir()
    return v


def uniform(word: Array) -> Array:
    return (word >> U32(8)).astype(F) * F(2.0**-24)


def between(least: Array, span: Array, word: Array) -> Array:
    return least + span * uniform(word)


def pick(count: Any, word: Array) -> Array:
    return ((np.asarray(count, U64) * word.astype(U64)) >> U64(32)).astype(U32)


# ---- numbers ----


def sine(turn: Array) -> Array:
    """Of turns of 2^32: an odd polynomial on a quarter."""
    far = (turn - U32(0xC0000000)) > U32(0x80000000)
    x = np.where(far, U32(0x80000000) - turn, turn).astype(U32).view(I32).astype(F) * F(2.0**-30)
    x2 = x * x
    p = x2 * F(0.000160441184787) - F(0.004681754135319)
    for c in (0.079692626246167, -0.645964097506246, 1.570796326794897):
        p = x2 * p + F(c)
    return x * p


def cosine(turn: Array) -> Array:
    return sine(turn + U32(0x40000000))


def wave(middle: Any, width: Any, turn: Array) -> Array:
    return F(middle) + F(width) * sine(turn) if np.ndim(middle) == 0 else (
        middle + F(width) * sine(turn)
    )


def turns(share: Array) -> Array:
    """Of fewer than 128 turns."""
    return (share * F(2.0**24)).astype(I32).view(U32) << U32(8)


def wound(share: Array) -> Array:
    return turns(share - ((share + F(3 << 22)) - F(3 << 22)))


def turned(turn: Array, coin: Array) -> Array:
    return np.where(coin & U32(1), U32(0) - turn, turn).astype(U32)


def whole(x: Array) -> Array:
    return np.clip(x, F(-2147483520.0), F(2147483520.0)).astype(I32).view(U32)


def inverse(x: Array) -> Array:
    bits = x.view(U32) & U32(0x7FFFFFFF)
    most, guess = bits.view(F), (U32(0x7EF311C7) - bits).view(F)
    for _ in range(3):
        guess = guess * (F(2) - most * guess)
    return (guess.view(U32) | (x.view(U32) & U32(0x80000000))).view(F)


def inverse_root(x: Array) -> Array:
    x = x + F(6.018531e-36)
    guess = (U32(0x5F375A86) - (x.view(U32) >> U32(1))).view(F)
    half = F(0.5) * x
    for _ in range(3):
        guess = guess * (F(1.5) - half * (guess * guess))
    return guess


def root(x: Array) -> Array:
    return x * inverse_root(x)


def power_of_two(x: Array) -> Array:
    x = np.clip(x, F(-100), F(100))
    floor = ((x - F(0.5)) + F(3 << 22)) - F(3 << 22)
    f, p = x - floor, F(0.000208291929)
    for c in (0.001268935211, 0.009652440659, 0.055495936143, 0.240227215057, 0.693147170649, 1):
        p = p * f + F(c)
    return p * ((floor.astype(I32) + 127).astype(U32) << U32(23)).view(F)


def dot(a: Any, b: Any) -> Array:
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


def lerp(a: Array, b: Array, t: Array) -> Array:
    return a + (b - a) * t


def axis_word(x: Array, y: Array, z: Array) -> Array:
    length2 = dot((x, y, z), (x, y, z))
    scale = F(511) * inverse_root(length2 + F(1e-12))
    words = [(a * scale + F(512.5)).astype(I32).view(U32) for a in (x, y, z)]
    packed = words[0] | words[1] << U32(10) | words[2] << U32(20)
    return np.where(length2 > F(1e-12), packed, U32(0))


# ---- lives ----


def share_of(age: Array, life: Array) -> Array:
    shift = np.select([life >= 1 << 28, life >= 1 << 24, life >= 1 << 20], [12, 8, 4], 0)
    life, age = life.astype(U64) >> shift.astype(U64), age.astype(U64) >> shift.astype(U64)
    age = np.where(age >= life, life - U64(1), age)
    return ((age << U64(24)) // life).astype(F) * F(2.0**-24)


def join(low: Array, high: Array) -> Array:
    return high.astype(U64) << U64(32) | low.astype(U64)


class Slots:
    """Every slot of every row, with its emitter, its part and its place in life."""

    def __init__(self, tables: Tables, now: int) -> None:
        rows = np.flatnonzero(tables.emitters["part"] != NONE)
        counts = tables.emitters["count"][rows]
        self.row = np.repeat(rows, counts).astype(U32)
        first = np.repeat(np.cumsum(counts) - counts, counts)
        self.slot = (np.arange(len(self.row)) - first).astype(U32)
        self.e = e = tables.emitters[self.row]
        self.p = p = tables.parts[e["part"] & U32(0xFFFF)]
        self.flags = e["part"] >> U32(16)
        passed = np.int64(now) - join(e["epoch_low"], e["epoch_high"]).astype(np.int64)
        self.local = join(e["local_low"], e["local_high"]).astype(np.int64) + (
            (passed >> 16) * e["rate"].astype(np.int64)
            + ((passed & 65535) * e["rate"].astype(np.int64) >> 16)
        )
        self.at = np.maximum(self.local, 0).astype(U64)
        self.life_words = self.draw(self.slot, 0, 0)
        self.cycle = np.zeros_like(self.slot)
        self.age, self.life = np.zeros_like(self.at), np.ones_like(self.at)
        self.alive = np.zeros(len(self.row), bool)
        once = self.has("EMITTER_IS_ONCE")
        burst = ~once & (p["flags"] & U32(C["PART_IS_BURST"]) != 0)
        rules = (self._once, once), (self._burst, burst), (self._cycle, ~once & ~burst)
        for rule, chosen in rules:
            for name, values in zip(("alive", "cycle", "age", "life"), rule()):
                field = getattr(self, name)
                field[chosen] = values.astype(field.dtype)[chosen]
        born = self.local - self.age.astype(np.int64)
        stop = join(e["stop_low"], e["stop_high"] & U32(0x7FFFFFFF)).astype(np.int64)
        self.alive &= (self.local >= 0) & ~self.has("EMITTER_IS_HIDDEN") & (born <= stop)
        self.alive &= ~self.has("EMITTER_IS_COLD") | (born >= 0)
        moved = join(e["moved_low"], e["moved_high"]).astype(np.int64)
        self.before = self.has("EMITTER_IS_TRAIL") & (born < moved)

    def has(self, flag: str) -> Array:
        return self.flags & U32(C[flag]) != 0

    def draw(self, slot: Any, cycle: Any, block: int) -> list[Array]:
        return pcg4d(slot, cycle, self.e["key0"], self.e["key1"] + U32(block))

    def length(self, word: Array) -> Array:
        return (self.p["life_least"] + pick(self.p["life_span"] + U32(1), word)).astype(U64)

    def _once(self) -> tuple[Array, ...]:
        late = pick(self.p["gap_jitter"] + U32(1), self.life_words[1])
        delay = (self.p["gap"] + late).astype(U64)
        life = self.length(self.life_words[0])
        alive = (self.at >= delay) & (self.at - np.minimum(delay, self.at) < life)
        return alive, np.zeros_like(self.slot), np.where(alive, self.at - delay, U64(0)), life

    def _burst(self) -> tuple[Array, ...]:
        loop, gap = self.e["loop"].astype(U64), np.maximum(self.p["gap"], 1).astype(U64)
        jitter, looped = self.p["gap_jitter"].astype(U64), self.e["loop"] != 0
        bursts = np.maximum((loop + gap // U64(2)) // gap, U64(1))
        gap = np.where(looped, loop // bursts, gap)
        gap1 = np.maximum(gap, U64(1))
        tight = np.where(jitter < gap // U64(2), jitter, (gap1 - U64(1)) // U64(2))
        jitter = np.where(looped, tight, jitter)
        at = self.at + pick(gap, self.e["key1"])
        at = np.where(looped, at % np.maximum(loop, U64(1)), at)

        def tick(k: Array) -> Array:
            words = self.draw(NONE, k.astype(U32), 0)
            return k * gap + pick(U64(2) * jitter + U64(1), words[0]).astype(U64)

        k = at // gap1
        k = np.where(looped, np.minimum(k, bursts - U64(1)), k)
        early, first = at < tick(k), k == 0
        at = np.where(early & first & looped, at + loop, at)
        none = early & first & ~looped
        k = np.where(early, np.where(first, np.where(looped, bursts - U64(1), k), k - U64(1)), k)
        began = tick(k)
        life = self.length(self.draw(self.slot, k.astype(U32), 0)[0])
        age = np.where(at >= began, at - began, U64(2**63))
        alive = ~none & (age < life)
        return alive, k, np.where(alive, age, U64(0)), life

    def _cycle(self) -> tuple[Array, ...]:
        length = self.length(self.life_words[0])
        phase = np.where(self.has("EMITTER_IS_SEED"), U32(0), pick(length, self.e["key1"]))
        even = phase + self.slot.astype(U64) * length // self.e["count"].astype(U64)
        is_even = self.p["flags"] & U32(C["PART_IS_EVEN"]) != 0
        at = self.at + np.where(is_even, even, pick(length, self.life_words[1]).astype(U64))
        loop, looped = np.maximum(self.e["loop"], 1).astype(U64), self.e["loop"] != 0
        lives = np.maximum((loop + length // U64(2)) // length, U64(1))
        inside = at % loop
        n = np.where(looped, inside * lives // loop, at // length)
        begin = np.where(looped, (n * loop + lives - U64(1)) // lives, n * length)
        end = ((n + U64(1)) * loop + lives - U64(1)) // lives
        age = np.where(looped, inside, at) - begin
        return np.ones(len(n), bool), n, age, np.where(looped, end - begin, length)

    def take(self, chosen: Array) -> None:
        for name, value in vars(self).items():
            if name == "life_words":
                self.life_words = [word[chosen] for word in value]
            elif isinstance(value, np.ndarray):
                setattr(self, name, value[chosen])


class Given:
    """What a kind's motion is made from, of slots of that kind."""

    def __init__(self, s: Slots, tables: Tables, now: int, camera: Any, chosen: Array) -> None:
        e, p = s.e[chosen], s.p[chosen]
        self.e, self.slot, self.cycle = e, s.slot[chosen], s.cycle[chosen]
        self.t = share_of(s.age[chosen], s.life[chosen])
        self.seconds = s.age[chosen].astype(F) * F(2.0**-16)
        self.fade = fade_of(p, self.t, curve_of(tables, p["opacity_curve"], self.t))
        self.v = [np.ascontiguousarray(column) for column in p["params"].T]
        self.extent = list(e["extent"].T)
        own = (s.local[chosen] + e["key1"].astype(np.int64)).astype(U64)
        self.now = np.where(s.has("EMITTER_IS_SEED")[chosen], U64(now), own)
        self.has_point = e["surface_count"] != 0
        index = e["surface"] + pick(e["surface_count"], self.fresh()[3])
        points = tables.points[np.where(self.has_point, index, 0)] if len(tables.points) else (
            np.zeros((len(e), 3), F)
        )
        self.point = list(points.T)
        where = e["position"] if camera is None else np.asarray(camera, F)
        self.camera = list((where - e["position"]).T)

    def block(self, cycle: Any, number: int) -> list[Array]:
        return pcg4d(self.slot, cycle, self.e["key0"], self.e["key1"] + U32(number))

    def own(self) -> list[Array]:
        return self.block(0, 0)

    def own_more(self) -> list[Array]:
        return self.block(0, 2)

    def fresh(self) -> list[Array]:
        return self.block(self.cycle, 1)

    def range(self, index: int, word: Array) -> Array:
        """Even between a param and as much more as the next one says."""
        return between(self.v[index], self.v[index + 1], word)

    def clock(self, speed: Any) -> Array:
        """Turns of the emitter's clock; `speed` in 2^-32 turns a tick."""
        speed = np.broadcast_to(np.asarray(speed, U32), self.slot.shape)
        loop = np.maximum(self.e["loop"], 1).astype(U64)
        signed = loop.astype(np.int64) * np.ascontiguousarray(speed).view(I32).astype(np.int64)
        rounds = ((signed + (1 << 31)) >> 32).astype(U32)
        share = ((self.now % loop << U64(32)) // loop).astype(U32)
        free = (self.now & U64(NONE)).astype(U32) * speed
        return np.where(self.e["loop"] != 0, share * rounds, free)


def curve_of(tables: Tables, first: Array, t: Array) -> Array:
    at = t * F(64)
    knot = at.astype(U32)
    index = np.where(first == NONE, 0, first) + knot
    curves = tables.curves if len(tables.curves) else np.ones(C["PARTICLE_KNOTS"], F)
    value = lerp(curves[index], curves[index + 1], at - np.floor(at))
    return np.where(first == NONE, F(1), value)


def fade_of(p: Array, t: Array, curve: Array) -> Array:
    up = np.where(p["rise"] == 0, F(1), np.minimum(p["rise"] * t, F(1)))
    down = np.where(p["fall"] == 0, F(1), np.minimum(p["fall"] * (F(1) - t), F(1)))
    return up * down * curve


def high(word: Array) -> Array:
    return word & U32(0xFFFF0000)


def low(word: Array) -> Array:
    return word << U32(16)


# ---- kinds: (x, y, z, size, opacity, turn, axis) ----

Motion = tuple[Any, ...]


def arc(height: Array, peak: Array, t: Array) -> Array:
    return height + peak * (F(4) * (t * (F(1) - t)))


def move_splash(g: Given) -> Motion:
    d = g.fresh()
    radius = g.range(0, d[1])
    y = arc(g.v[4], g.range(2, d[2]), g.t)
    return radius * cosine(d[0]), y, radius * sine(d[0]), g.v[5], g.fade


def move_burst(g: Given) -> Motion:
    c = pcg4d(NONE, g.cycle, g.e["key0"], g.e["key1"] + U32(1))
    d, v = g.fresh(), g.v
    centre = g.range(0, c[1])
    wide, deep = F(2) * v[2], F(2) * v[3]
    dx = centre * cosine(c[0]) + between(-v[2], wide, d[0])
    dz = centre * sine(c[0]) + between(-v[2], wide, d[1])
    share = (centre + between(-v[3], deep, d[2])) * inverse_root(dx * dx + dz * dz)
    return dx * share, arc(v[6], g.range(4, d[3]), g.t), dz * share, v[7], g.fade


def move_bubble(g: Given) -> Motion:
    d = g.fresh()
    radius, peak = g.range(0, d[1]), g.range(2, d[2])
    around = d[0] + turned(turns(g.t * F(0.636619772)), g.own()[3])
    across = d[0] + turns(g.t * F(0.397887358))
    y = g.v[4] + peak * g.t
    return radius * sine(around), y, F(0.6) * radius * cosine(across), g.v[5], g.fade


def move_shimmer(g: Given) -> Motion:
    theta, kept = g.fresh()[0], g.own()[3]
    radius, speed = g.range(0, high(kept)), g.range(2, low(kept))
    phi = theta + turned(wound(speed * g.t * F(0.954929659)), kept)
    beat = sine(g.clock(83443) + U32(5) * theta) * sine(g.clock(135595) + U32(3) * theta)
    opacity = g.fade * np.maximum(beat, F(0))
    return radius * cosine(phi), g.v[4], radius * sine(phi), g.v[5], opacity


def move_ripple(g: Given) -> Motion:
    rest = np.minimum((F(1) - g.t) * F(1.17647059), F(1))
    size = np.maximum(g.v[0] + g.v[1] * g.t, F(0))
    return F(0), g.v[2], F(0), size, g.fade * root(rest)


def pulse(g: Given) -> Array:
    return wave(0.85, 0.15, g.clock(20861))


def move_pillar(g: Given) -> Motion:
    p, r, v = g.slot, g.extent[0], g.v
    grown = wave(1, 0.15, g.clock(15646) + p * U32(1367130551))
    dim = wave(0.3, 0.1, g.clock(12516) + p * U32(683565276))
    x = F(0.06) * r * sine(g.clock(8344) + p * U32(1025347914))
    z = F(0.04) * r * cosine(g.clock(6258) + p * U32(683565276))
    base = (g.extent[1] + g.extent[2] + v[2]) + v[3] * p.astype(F)
    y = wave(base, 0.12, g.clock(10430) + p * U32(2146394966))
    size = r * g.range(0, g.own()[3]) * grown
    return x, y, z, size, g.fade * dim * pulse(g)


def move_wisp(g: Given) -> Motion:
    d, k = g.fresh(), g.own_more()
    a = d[0] + turned(wound(g.range(2, d[1]) * g.t * F(0.795774715)), k[3])
    radius = (g.extent[0] + g.range(0, k[1])) * wave(0.8, 0.2, turns(g.t))
    y = wave(between(g.extent[1], g.extent[2], k[0]), 0.3, turns(g.t * F(1.25)))
    size = g.range(4, k[2]) * wave(1, 0.2, turns(g.t * F(1.5)))
    return radius * cosine(a), y, radius * sine(a), size, g.fade * pulse(g)


def move_spark(g: Given) -> Motion:
    d, kept = g.fresh(), g.own()[3]
    drift, ring = g.range(1, d[1]), F(0.8) * g.extent[0]
    start = [
        np.where(g.has_point, g.point[0], ring * cosine(d[2])),
        np.where(g.has_point, g.point[1], between(g.extent[1], g.extent[2], d[3])),
        np.where(g.has_point, g.point[2], ring * sine(d[2])),
    ]
    x = start[0] + drift * sine(d[0] + turned(turns(g.t * F(0.318309886)), kept))
    y = start[1] + g.v[0] * g.t
    z = start[2] + drift * cosine(d[0] + turns(g.t * F(0.238732415)))
    return x, y, z, g.range(3, kept) * (F(1) - F(0.5) * g.t), g.fade * pulse(g)


def even_turn(slot: Array, count: Array) -> Array:
    return slot * (U32(2**31 - 1) // count << U32(1))


def first_turn(g: Given) -> Array:
    return even_turn(g.slot, g.e["count"])


def move_base(g: Given) -> Motion:
    k, p = g.own_more(), g.slot
    y = between(g.extent[1], g.v[2], k[1])
    a = first_turn(g) + g.clock(whole(g.range(3, k[2]) * F(31291.135) + F(0.5)))
    radius = g.extent[0] + g.range(0, k[0])
    grown = wave(1, 0.15, g.clock(10430) + p * U32(1073197483))
    dim = wave(0.15, 0.06, g.clock(8344) + p * U32(1367130551))
    size = g.extent[0] * g.range(5, k[3]) * grown
    return radius * cosine(a), y, radius * sine(a), size, g.fade * dim * pulse(g)


def move_flame(g: Given) -> Motion:
    d, kept, v = g.fresh(), g.own()[3], g.v
    widening, sway = F(1) + F(0.4) * g.t, v[1] * (F(1) - F(0.7) * g.t)
    x = between(-v[0], F(2) * v[0], d[0]) * widening + sway * sine(g.clock(73013) + d[2])
    along = g.clock(57367) + d[2] + (d[2] >> U32(1))
    z = between(-v[0], F(2) * v[0], d[1]) * widening + sway * cosine(along)
    size = g.range(4, low(kept)) * g.fade * (F(1) - F(0.5) * g.t)
    return x, g.range(2, high(kept)) * g.t, z, size, g.fade, d[2]


def move_halo(g: Given) -> Motion:
    own = g.slot * U32(0x9E3779B9)
    beat = sine(g.clock(whole(g.v[3] * F(10430.378))) + own) * sine(
        g.clock(whole(g.v[3] * F(17731.643)))
    )
    dim = F(1) - g.v[2] * (F(0.5) + F(0.5) * beat)
    return F(0), g.v[0], F(0), g.v[1], g.fade * dim


def move_ember(g: Given) -> Motion:
    d, v = g.fresh(), g.v
    start, off = v[0] * root(uniform(d[1])), v[3] * g.t
    swirl = d[3] + turned(wound(v[4] * g.t), d[0])
    x = start * cosine(d[0]) + off * cosine(swirl)
    z = start * sine(d[0]) + off * sine(swirl)
    opacity = g.fade * wave(0.75, 0.25, g.clock(177317) + d[3])
    return x, g.range(1, high(d[2])) * g.t, z, g.range(5, low(d[2])), opacity


def move_spell(g: Given) -> Motion:
    d, v = g.fresh(), g.v
    arms = whole(v[5])
    arm = even_turn(pick(arms, d[0]), np.maximum(arms, U32(1)))
    off = v[7] * (uniform(d[1]) - F(0.5))
    share = g.t + v[4] * (g.t * (F(1) - g.t))
    radius = lerp(v[0], v[1], share)
    a = arm + wound(v[6] * share + off) + g.clock(5215)
    y = lerp(v[2], v[3], share) + off * F(0.5) * radius
    opacity = g.fade * wave(0.8, 0.2, g.clock(93873) + d[3])
    return radius * cosine(a), y, radius * sine(a), g.range(8, d[2]), opacity


def move_enchant(g: Given) -> Motion:
    k, v = g.own_more(), g.v
    a = first_turn(g) + g.clock(whole(g.range(4, k[2]) * F(10430.378)))
    radius = g.extent[0] + g.range(0, k[0])
    x, z = radius * cosine(a), radius * sine(a)
    y = (g.extent[1] + g.extent[2] * g.range(2, k[1])) + v[6] * x
    size = g.range(7, k[3]) * wave(0.85, 0.15, g.clock(41721) + k[1])
    return x, y, z, size, g.fade * wave(0.7, 0.3, g.clock(31291) + k[0])


def move_puff(g: Given) -> Motion:
    d, v, t = g.fresh(), g.v, g.t
    braked, drift = t * (F(2) - t), t * t
    radius = v[0] * root(uniform(low(d[1]))) + g.range(1, high(d[2])) * braked
    x = radius * cosine(d[0]) + v[7] * drift
    y = v[3] + g.range(4, low(d[2])) * braked + v[6] * t
    z = radius * sine(d[0]) + v[8] * drift
    grown = g.range(9, high(d[1])) * np.maximum(F(1) + v[11] * braked, F(0))
    return x, y, z, grown, g.fade, d[3] + turned(wound(v[12] * braked), d[0])


def move_chip(g: Given) -> Motion:
    d, v, s = g.fresh(), g.v, g.seconds
    gravity, bounce, height = v[6], v[7], v[1]
    jump = g.range(4, low(d[1]))
    hit = root(np.maximum(jump * jump + F(2) * (gravity * height), F(0)))
    per_g = inverse(np.maximum(gravity, F(0.001)))
    first, again = (jump + hit) * per_g, bounce * hit
    second = F(2) * (again * per_g)
    one, two = np.minimum(s, first), np.minimum(np.maximum(s - first, F(0)), second)
    fall = height + (jump * one - F(0.5) * (gravity * (one * one)))
    hop = again * two - F(0.5) * (gravity * (two * two))
    flown = one + bounce * two
    radius = v[0] * uniform(low(d[2])) + g.range(2, high(d[1])) * flown
    y = np.maximum(fall, F(0)) + np.maximum(hop, F(0))
    turn = d[3] + turned(wound(v[10] * flown), d[0])
    return (radius * cosine(d[0]), y, radius * sine(d[0]), g.range(8, high(d[2])), g.fade, turn)


def per_box(width: Array) -> Array:
    return inverse(np.maximum(width, F(1)))


def box_speed(speed: Array, per: Array) -> Array:
    return whole(speed * per * F(65536))


def box_off(place: Array, camera: Array, per: Array) -> Array:
    return (place - wound(camera * per)).view(I32).astype(F) * F(2.0**-32)


def box_edge(x: Array, z: Array) -> Array:
    return np.minimum((F(0.5) - np.maximum(np.abs(x), np.abs(z))) * F(10), F(1))


def falling(g: Given, sway_x: Any = 0, sway_z: Any = 0) -> tuple[Array, ...]:
    """x, y, z, opacity and the speed of the fall, of rain and snow."""
    k, v = g.own(), g.v
    wide, tall = per_box(v[0]), per_box(v[1])
    fall = g.range(2, high(k[3]))
    x = k[0] + g.clock(box_speed(v[4], wide)) + sway_x
    y = k[1] - g.clock(box_speed(fall, tall))
    z = k[2] + g.clock(box_speed(v[5], wide)) + sway_z
    off = [box_off(at, camera, per) for at, camera, per in zip(
        (x, y, z), g.camera, (wide, tall, wide))]
    at = [c + o * size for c, o, size in zip(g.camera, off, (v[0], v[1], v[0]))]
    return *at, g.fade * box_edge(off[0], off[2]), fall


def move_rain(g: Given) -> Motion:
    x, y, z, opacity, fall = falling(g)
    return x, y, z, g.v[6], opacity, U32(0), axis_word(g.v[4], -fall, g.v[5])


def move_snow(g: Given) -> Motion:
    k = g.own()
    sway = g.v[6] * per_box(g.v[0])
    sway_x = wound(sway * sine(g.clock(12516) + k[3]))
    sway_z = wound(sway * sine(g.clock(8865) + (k[3] << U32(8))))
    x, y, z, opacity, _ = falling(g, sway_x, sway_z)
    return x, y, z, g.range(7, low(k[3])), opacity


def move_fog(g: Given) -> Motion:
    k, v, per = g.own(), g.v, per_box(g.v[0])
    off_x = box_off(k[0] + g.clock(box_speed(v[3], per)), g.camera[0], per)
    off_z = box_off(k[2] + g.clock(box_speed(v[4], per)), g.camera[2], per)
    y = wave(g.range(1, k[1]), 0.25, g.clock(2086) + k[3])
    to = (off_x * v[0], y - g.camera[1], off_z * v[0])
    near = dot(to, to) * inverse(np.maximum(v[7] * v[7], F(0.0001)))
    opacity = g.fade * box_edge(off_x, off_z) * np.minimum(near, F(1))
    opacity = opacity * wave(0.8, 0.2, g.clock(3129) + k[1])
    turn = k[2] + turned(g.clock(313), k[0])
    return g.camera[0] + to[0], y, g.camera[2] + to[2], g.range(5, low(k[3])), opacity, turn


def pushed(z: Array) -> Array:
    near, far = np.minimum(z, F(1)), np.maximum(z, F(1))
    p = F(-0.000146370847)
    for c in (0.001346066248, -0.008318504546, 0.041664846994, -0.166666630717, 0.5):
        p = p * near + F(c)
    per = inverse(far)
    late = (F(1) - (F(1) - power_of_two(far * F(-1.44269504))) * per) * per
    return np.where(z < 1, p, late)


def sphere(azimuth: Array, height: Array) -> list[Array]:
    y = F(2) * uniform(height) - F(1)
    ring = root(np.maximum(F(1) - y * y, F(0)))
    return [ring * cosine(azimuth), y, ring * sine(azimuth)]


def flight(g: Given, drag: Array) -> tuple[Array, ...]:
    """What is left of the speed, and the way of a speed and of a force of 1."""
    z = drag * g.seconds
    push = pushed(z)
    eased = F(1) - z * push
    return F(1) - z * eased, g.seconds * eased, g.seconds * g.seconds * push


def move_spray(g: Given) -> Motion:
    d, v = g.fresh(), g.v
    off = sphere(d[0], d[1])
    way = [
        g.extent[0] + v[5] * off[0],
        g.extent[1] + v[4] + v[5] * off[1],
        g.extent[2] + v[5] * off[2],
    ]
    fast = g.range(2, d[2]) * inverse_root(dot(way, way) + F(1e-12))
    speed = [fast * a for a in way]
    left, far, push = flight(g, v[6])
    x = v[0] * off[0] + speed[0] * far
    y = v[1] + v[0] * off[1] + speed[1] * far - v[7] * push
    z = v[0] * off[2] + speed[2] * far
    axis = axis_word(speed[0] * left, speed[1] * left - v[7] * far, speed[2] * left)
    return x, y, z, g.range(8, d[3]), g.fade, U32(0), axis


def shape_at(g: Given, d: list[Array]) -> list[Array]:
    v, shape = g.v, whole(g.v[0]) & 7
    around = wound(v[5] * uniform(d[0]))
    ball = sphere(around, d[1])
    thirds = np.maximum(np.maximum(uniform(high(d[2])), uniform(low(d[2]))), uniform(low(d[1])))
    disc = v[1] * (F(1) - v[4] * (F(1) - root(uniform(d[2]))))
    deep = v[1] * (F(1) - v[4] * (F(1) - thirds))
    cube = [v[1 + i] * (F(2) * uniform(d[i]) - F(1)) for i in range(3)]
    up = v[2] * uniform(d[1])
    zero = np.zeros_like(up)
    folded = deep * np.where(shape == 3, np.abs(ball[1]), ball[1])
    round_ = [disc * cosine(around), zero, disc * sine(around)]
    full = [deep * ball[0], folded, deep * ball[2]]
    cone = [round_[0], up, round_[2]]
    surface = [np.where(g.has_point, p, F(0)) for p in g.point]
    choices = {1: round_, 2: full, 3: full, 4: cube, 5: cone, 6: surface}
    return [
        np.select([shape == k for k in choices], [c[i] for c in choices.values()], zero)
        for i in range(3)
    ]


def shape_way(g: Given, at: list[Array]) -> list[Array]:
    shape = whole(g.v[0]) & 7
    lean = g.v[3] * inverse(np.maximum(g.v[1], F(1e-6)))
    is_up, is_cone = (shape == 0) | (shape == 4), shape == 5
    x = np.where(is_cone, at[0] * lean, np.where(is_up, F(0), at[0]))
    y = np.where(is_cone | is_up, F(1), at[1])
    return [x, y, np.where(is_cone, at[2] * lean, np.where(is_up, F(0), at[2]))]


def on_side(g: Given, x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    side = whole(g.v[0]) >> 3 & 7
    x, y = (np.where(side >= 3, -a, a) for a in (x, y))
    axis = np.where(side >= 3, side - U32(3), side)
    is_x, is_z = axis == 1, axis == 2
    return (
        np.where(is_x, y, np.where(is_z, z, x)),
        np.where(is_x, z, np.where(is_z, x, y)),
        np.where(is_x, x, np.where(is_z, y, z)),
    )


def move_ballistic(g: Given) -> Motion:
    d, f, h, v = g.fresh(), g.block(g.cycle, 2), g.block(g.cycle, 3), g.v
    at = shape_at(g, d)
    off = list(sphere(f[0], f[1]))
    off[1] = np.where(whole(v[0]) & 64 != 0, F(0), off[1])
    given = (v[8] != 0) | (v[9] != 0) | (v[10] != 0)
    way = [np.where(given, v[8 + i], own) for i, own in enumerate(shape_way(g, at))]
    per = inverse_root(dot(way, way) + F(1e-12))
    way = [a * per + v[11] * o for a, o in zip(way, off)]
    fast = g.range(6, f[2]) * inverse_root(dot(way, way) + F(1e-12))
    away = v[12] * inverse_root(dot(at, at) + F(1e-12))
    speed = [fast * a + away * b for a, b in zip(way, at)]
    left, far, push = flight(g, v[16])
    place = [b + a * far + v[13 + i] * push for i, (a, b) in enumerate(zip(speed, at))]
    now = [a * left + v[13 + i] * far for i, a in enumerate(speed)]
    orbit = wound(v[17] * g.seconds)
    c, s = cosine(orbit), sine(orbit)
    turn = wound(g.range(20, h[0]) + g.range(22, h[1]) * g.seconds)
    x, z = place[0] * c - place[2] * s, place[0] * s + place[2] * c
    axis = axis_word(*on_side(g, *now))
    return *on_side(g, x, place[1], z), g.range(18, f[3]), g.fade, turn, axis


MOVES: dict[int, Callable[[Given], Motion]] = {
    value: globals()[f"move_{word}"] for word, value in KINDS.items() if f"move_{word}" in globals()
}


# ---- all of it ----


def tint(a: Array, b: Array) -> Array:
    def byte(x: Array, shift: int) -> Array:
        return x >> U32(shift) & U32(255)

    out = np.zeros_like(a)
    for shift in (0, 8, 16, 24):
        product = byte(a, shift) * byte(b, shift) + U32(127)
        out |= (product + (product >> U32(8)) + U32(1)) >> U32(8) << U32(shift)
    return out


def colors_of(s: Slots, tables: Tables, t: Array) -> Array:
    """The tone times the ramp."""
    e, p = s.e, s.p
    any_tone = pick(3, s.life_words[2])
    tone = np.where(p["tone"] == 4, any_tone, p["tone"])
    own = np.take_along_axis(e["colors"], np.minimum(tone, 2)[:, None].astype(int), 1)[:, 0]
    own = np.where(tone < 3, own, U32(NONE))
    if not len(tables.colors):
        return own
    last = len(tables.colors) - 1
    first = np.where(p["ramp"] == NONE, 0, p["ramp"]).astype(int)
    at = t * F(64)
    knot = np.minimum(first + at.astype(int), last - 1)
    share = ((at - np.floor(at)) * F(256)).astype(U32)
    here, after = tables.colors[knot], tables.colors[knot + 1]
    mask = U32(0xFF00FF)
    even = ((here & mask) * (U32(256) - share) + (after & mask) * share) >> U32(8) & mask
    odd = (here >> U32(8) & mask) * (U32(256) - share) + (after >> U32(8) & mask) * share
    mixed = even | odd & U32(0xFF00FF00)
    picked = tables.colors[np.minimum(first + pick(p["ramp_count"], s.life_words[2]), last)]
    ramped = p["flags"] & U32(C["PART_IS_RAMPED"]) != 0
    ramp = np.where(ramped, mixed, picked)
    return np.where(p["ramp"] == NONE, own, tint(own, ramp))


def frames_of(s: Slots, t: Array) -> Array:
    p, count = s.p, s.p["frames"] >> U32(16)
    first = (p["frames"] & U32(0xFFFF)) << U32(8)
    rate = p["frame_rate"] * F(256) * (s.age.astype(F) * F(2.0**-16))
    over = (np.maximum(count, 1) - U32(1) << U32(8)).astype(F) * t
    steps = np.where(p["frame_rate"] > 0, rate, over)
    steps = np.where(p["frame_rate"] < 0, F(0), steps).astype(U32) % np.maximum(count << U32(8), 1)
    last = np.maximum(count, 1) - U32(1)
    steps = np.where(steps >> U32(8) == last, last << U32(8), steps)
    chance = pick(count, s.draw(s.slot, s.cycle, 0)[2]) << U32(8)
    steps = np.where(p["frame_rate"] < 0, chance, steps)
    return np.where(count <= 1, first, first + steps)


def state(tables: Tables, now: int, camera: Any = None) -> Array:
    """The living particles, as `_core.particle_state` gives them."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        s = Slots(tables, now)
        s.take(s.alive)
        out = np.zeros(len(s.row), record_dtype("dw_particle"))
        t = share_of(s.age, s.life)
        out["emitter"], out["slot"], out["cycle"] = s.row, s.slot, s.cycle
        out["age"], out["lifetime"] = s.age, s.life
        out["color"], out["frame"] = colors_of(s, tables, t), frames_of(s, t)
        place, opacity, size = np.zeros((3, len(t)), F), np.zeros(len(t), F), np.zeros(len(t), F)
        for kind in np.unique(s.p["kind"]):
            chosen = np.flatnonzero(s.p["kind"] == kind)
            x, y, z, wide, faint, *rest = MOVES[int(kind)](Given(s, tables, now, camera, chosen))
            for axis, value in enumerate((x, y, z)):
                place[axis, chosen] = value
            size[chosen], opacity[chosen] = wide, faint
            out["turn"][chosen] = rest[0] if rest else 0
            out["axis"][chosen] = rest[1] if len(rest) > 1 else 0
        swell = curve_of(tables, s.p["size_curve"], t)
        base = np.where(s.before[:, None], s.e["before"], s.e["position"])
        scale = s.e["scale"]
        for axis in range(3):
            moved = (place[axis] + s.p["offset"][:, axis]) * scale
            out["position"][:, axis] = base[:, axis] + moved
        out["size"] = size * swell * scale
        out["opacity"] = opacity * s.p["opacity"]
    return out


# ---- tables of built-in effects ----


def ticks(seconds: float) -> int:
    return int(seconds * 65536 + 0.5)


def part_record(part: dict[str, Any], curves: list[Array], colors: list[Array]) -> Array:
    """The record of a part as `_core.PARTICLE_EFFECTS` has it; its curves and ramp are appended."""
    record = np.zeros((), record_dtype("dw_particle_part"))
    record["kind"], record["layer"] = KINDS[part["kind"]], 0
    for name in ("BURST", "ONCE", "EVEN"):
        record["flags"] |= bool(part[name.lower()]) * C[f"PART_IS_{name}"]
    least, most = map(ticks, part["lifetime"])
    record["life_least"], record["life_span"] = least, most - least
    least, most = map(ticks, part["delay"])
    record["gap"], record["gap_jitter"] = least, most - least
    if part["burst"]:
        least, most = map(ticks, part["burst"])
        record["gap"], record["gap_jitter"] = least + (most - least) // 2, (most - least) // 4
    for field, name in (("opacity_curve", "opacity_curve"), ("size_curve", "size_curve")):
        record[field] = NONE if part[name] is None else sum(map(len, curves))
        curves += [] if part[name] is None else [part[name]]
    record["ramp"], ramp = NONE, part["ramp"]
    if ramp is not None:
        if part["over_life"]:
            record["flags"] |= C["PART_IS_RAMPED"]
            at, own = np.linspace(0, 1, C["PARTICLE_KNOTS"]), np.linspace(0, 1, len(ramp))
            ramp = np.stack([np.interp(at, own, c) + 0.5 for c in ramp.T], 1).astype(np.uint8)
        record["ramp"], record["ramp_count"] = sum(map(len, colors)), len(ramp)
        colors.append(np.ascontiguousarray(ramp).view(U32)[:, 0])
    for name in ("tone", "opacity", "rise", "fall", "frame_rate", "offset"):
        record[name] = part[name]
    record["params"][: len(part["params"])] = list(part["params"].values())
    return record


def effect_tables(
    effect: str,
    index: int,
    rows: int,
    rng: np.random.Generator,
    *,
    extent: Any = (0.0, 0.0, 0.0),
    points: Array | None = None,
) -> Tables:
    """Rows of one part of a built-in effect, each with keys of its own, all at the origin."""
    curves: list[Array] = []
    colors: list[Array] = []
    part = _core.PARTICLE_EFFECTS[effect][2][index]
    record = part_record(part, curves, colors)
    e = np.zeros(rows, record_dtype("dw_particle_emitter"))
    e["part"] = part["once"] * C["EMITTER_IS_ONCE"] << 16
    e["count"], e["rate"], e["scale"] = part["count"], C["PARTICLE_RATE_ONE"], 1
    e["key0"], e["key1"] = rng.integers(0, 1 << 32, (2, rows), dtype=U32)
    e["stop_low"] = e["stop_high"] = NONE
    e["colors"], e["extent"] = NONE, extent
    e["surface_count"] = 0 if points is None else len(points)
    return Tables(
        emitters=e,
        parts=record[None],
        regions=np.zeros(1, record_dtype("dw_particle_region")),
        curves=np.concatenate([*curves, np.zeros(0, F)]).astype(F),
        colors=np.concatenate([*colors, np.zeros(0, U32)]).astype(U32),
        points=np.zeros((0, 3), F) if points is None else points.astype(F),
    )


def one_row(
    effect: str, index: int, t: float, count: int = 1, points: Array | None = None
) -> tuple[Tables, int]:
    """A row whose slots live once, all from tick 0 on and equally long, and the tick of age t."""
    tables = effect_tables(effect, index, 1, np.random.default_rng(8), points=points)
    parts, rows = tables.parts, tables.emitters
    life = int(parts["life_least"][0])
    parts["flags"] |= U32(C["PART_IS_ONCE"])
    parts["life_span"] = parts["gap_jitter"] = 0
    rows["part"] |= U32(C["EMITTER_IS_ONCE"] << 16)
    rows["count"], rows["key1"] = count, 0
    return tables, round(t * life)
