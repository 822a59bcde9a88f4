/* SPDX-License-Identifier: MIT */
/* Particles that are pure functions of (key, emitter, slot, tick): nothing is remembered between
 * two frames, so that any time may be asked for, in any order, with the same bits everywhere.
 *
 * Times are ticks of 2^-16 s in 64 bits, low word first. A phase is a turn: 2^32 is once around.
 * Random numbers are pcg4d of Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3),
 * 2020. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_H
#define DW_SHARED_PARTICLE_H

#include "shared/dissolve.h"
#include "shared/floats.h"

/* ---- kinds ---- */

#ifdef GL_core_profile
#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc) \
    const uint DW_PARTICLE_KIND_##NAME = value;
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
#define DW_PARTICLE_LAYER(value, NAME, name, blend, face, image, sharpness, doc) \
    const uint DW_PARTICLE_LAYER_##NAME = value;
#include "shared/particle_layers.def"
#undef DW_PARTICLE_LAYER
#else
typedef enum dw_particle_kind {
#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc) DW_PARTICLE_KIND_##NAME = value,
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
} dw_particle_kind;

typedef enum dw_particle_layer_kind {
#define DW_PARTICLE_LAYER(value, NAME, name, blend, face, image, sharpness, doc) \
    DW_PARTICLE_LAYER_##NAME = value,
#include "shared/particle_layers.def"
#undef DW_PARTICLE_LAYER
} dw_particle_layer_kind;
#endif

#define DW_PARTICLE_BLEND_ADD           0u
#define DW_PARTICLE_BLEND_PREMULTIPLIED 1u
#define DW_PARTICLE_BLEND_SORTED        2u /* over what is behind, the farthest first */

#define DW_PARTICLE_FACE_CAMERA 0u
#define DW_PARTICLE_FACE_FLAT   1u /* lies on the ground */
#define DW_PARTICLE_FACE_STREAK 2u /* stretched along its axis, turned about it to the camera */

#define DW_PARTICLE_IMAGE_GLOW    0u /* max(0, 1 - rho)^sharpness */
#define DW_PARTICLE_IMAGE_RING    1u
#define DW_PARTICLE_IMAGE_FLAME   2u /* rising noise */
#define DW_PARTICLE_IMAGE_PUFF    3u
#define DW_PARTICLE_IMAGE_CHIP    4u
#define DW_PARTICLE_IMAGE_STREAK  5u
#define DW_PARTICLE_IMAGE_TEXTURE 6u /* the layer's own, with its frames */

#define DW_PARTICLE_NONE       0xffffffffu
#define DW_PARTICLE_LAYERS_MAX 64
#define DW_PARTICLE_PARTS_MAX  65535
#define DW_PARTICLE_COUNT_MAX  16777215 /* slots of a row: their 256ths fit into 32 bits */
#define DW_PARTICLE_ROW_GROUP  256      /* a layer's rows begin at a multiple of it */
#define DW_PARTICLE_SLOT_GROUP 1024     /* candidates of a workgroup, all of one layer */
#define DW_PARTICLE_KNOTS      65       /* of a curve or a ramp over the age, in 64 even steps */
#define DW_PARTICLE_PARAMS     24
#define DW_PARTICLE_RATE_ONE   65536u

#define DW_PARTICLE_TONE_CORE   0u
#define DW_PARTICLE_TONE_MIDDLE 1u
#define DW_PARTICLE_TONE_OUTER  2u
#define DW_PARTICLE_TONE_WHITE  3u
#define DW_PARTICLE_TONE_ANY    4u /* each slot picks one of the emitter's three, for life */

/* ---- what the host gives: an emitter's share in a layer ---- */

/* Flags, in the upper half of `part`. */
#define DW_EMITTER_IS_HIDDEN 1u  /* killed: nothing of it lives */
#define DW_EMITTER_IS_TRAIL  2u  /* particles born before a move stay where they were born */
#define DW_EMITTER_IS_COLD   4u  /* nothing lives at its tick 0: it begins empty */
#define DW_EMITTER_IS_ONCE   8u  /* each slot lives one cycle */
#define DW_EMITTER_IS_SEED   16u /* phases are those of the hub's clock, as upstream has them */

#define DW_EMITTER_PART(word)  ((word)&0xffffu)
#define DW_EMITTER_FLAGS(word) ((word) >> 16)

/* One row. Its own tick is local + (now - epoch) * rate / 2^16. */
#define DW_PARTICLE_EMITTER_FIELDS(F)                                                          \
    F(uint, part, 0)  /* index of its part, flags << 16; DW_PARTICLE_NONE: a free row */       \
    F(uint, count, 0) /* slots */                                                              \
    F(uint, key0, 0)                                                                           \
    F(uint, key1, 0) /* the same in all rows of one emitter: its phase in ticks */             \
    F(float, position, 3)                                                                      \
    F(float, scale, 0)                                                                         \
    F(uint, loop, 0)     /* own ticks after which all repeats; 0: never */                     \
    F(uint, stop_low, 0) /* own tick after which no cycle begins; all ones: none */            \
    F(uint, stop_high, 0)                                                                      \
    F(uint, surface_count, 0) /* 0: none */                                                    \
    F(uint, colors, 3)        /* RGBA8, sRGB: core, middle, outer */                           \
    F(uint, surface, 0)       /* first of its points */                                        \
    F(float, extent, 3)       /* m: radius, lowest y, height of what it surrounds */           \
    F(uint, rate, 0)          /* of its clock: DW_PARTICLE_RATE_ONE is as fast as the hub's */ \
    F(uint, epoch_low, 0)     /* the hub's tick when the rate was last set */                  \
    F(uint, epoch_high, 0)                                                                     \
    F(uint, local_low, 0) /* the emitter's own tick then */                                    \
    F(uint, local_high, 0)                                                                     \
    F(float, before, 3)   /* the position before the last move */                              \
    F(uint, moved_low, 0) /* own tick of the last move */                                      \
    F(uint, moved_high, 0)                                                                     \
    F(uint, first, 0)    /* of its slots' states, of parts that have some */                   \
    F(float, bound_y, 0) /* a sphere around all that it may show: above position */            \
    F(float, bound_radius, 0)

/* Flags of a part. */
#define DW_PART_IS_EVEN    1u   /* slots are spread evenly over the life, not at random */
#define DW_PART_IS_BURST   2u   /* slots live from a burst on, not one after another */
#define DW_PART_IS_RENEWED 4u   /* ages are remembered: each life has its own length */
#define DW_PART_IS_DYNAMIC 8u   /* position and velocity are remembered */
#define DW_PART_IS_RAMPED  16u  /* the ramp runs over the age; else a slot picks a colour */
#define DW_PART_IS_VIEW    32u  /* lives in a box around the camera */
#define DW_PART_IS_ONCE    64u  /* every emitter of it has DW_EMITTER_IS_ONCE */
#define DW_PART_IS_STREAK  128u /* its particles have an axis */

/* What emitters of one sort have in common, in one layer. Lengths in m, speeds in m/s. */
#define DW_PARTICLE_PART_FIELDS(F)                                                                \
    F(uint, kind, 0) /* DW_PARTICLE_KIND_* */                                                     \
    F(uint, layer, 0)                                                                             \
    F(uint, flags, 0)                                                                             \
    F(uint, life_least, 0) /* ticks, >= 1 */                                                      \
    F(uint, life_span, 0)  /* lives are even in [least, least + span] */                          \
    F(uint, gap, 0)        /* ticks: mean time from burst to burst; of a single life: until */    \
    F(uint, gap_jitter, 0) /* each burst is off by at most this: gap +- 2 jitter; or: lateness */ \
    F(uint, tone, 0)       /* DW_PARTICLE_TONE_*: which of the emitter's colours */               \
    F(uint, opacity_curve, 0) /* first knot; DW_PARTICLE_NONE: 1 */                               \
    F(uint, size_curve, 0)                                                                        \
    F(uint, ramp, 0)        /* first colour; DW_PARTICLE_NONE: white */                           \
    F(uint, ramp_count, 0)  /* colours to pick from */                                            \
    F(uint, frames, 0)      /* of the layer's flipbook: first | count << 16 */                    \
    F(float, frame_rate, 0) /* frames a second; 0: all over the life; < 0: each life picks one */ \
    F(float, opacity, 0)                                                                          \
    F(float, rise, 0)      /* the opacity is times min(rise * t, 1); 0: times 1 */                \
    F(float, fall, 0)      /* and times min(fall * (1 - t), 1); 0: times 1 */                     \
    F(float, lod_far2, 0)  /* m^2: from here on no slot is kept; 0: all are, everywhere */        \
    F(float, lod_scale, 0) /* 1 / (far^2 - near^2) */                                             \
    F(float, offset, 3)    /* from the emitter's position, before its scale */                    \
    F(float, params, 24)   /* of the kind */

/* The rows of a layer: [first, first + count), first a multiple of DW_PARTICLE_ROW_GROUP. */
#define DW_PARTICLE_REGION_FIELDS(F) \
    F(uint, first, 0)                \
    F(uint, count, 0)

/* One view of all emitters. */
#define DW_PARTICLE_VIEW_FIELDS(F)                                                       \
    F(float, planes, 24) /* normal, offset: inside where dot(normal, p) + offset >= 0 */ \
    F(float, camera, 3)                                                                  \
    F(uint, now_low, 0) /* the hub's tick */                                             \
    F(uint, now_high, 0)                                                                 \
    F(uint, row_count, 0)                                                                \
    F(uint, layer_count, 0)                                                              \
    F(uint, flags, 0)

/* ---- what comes out ---- */

/* A living particle, as arrays show it. */
#define DW_PARTICLE_FIELDS(F)                                       \
    F(uint, emitter, 0) /* row */                                   \
    F(uint, slot, 0)                                                \
    F(uint, cycle, 0)                                               \
    F(uint, age, 0)      /* ticks */                                \
    F(uint, lifetime, 0) /* ticks */                                \
    F(float, position, 3)                                           \
    F(float, size, 0)                                               \
    F(float, opacity, 0)                                            \
    F(uint, color, 0) /* RGBA8, sRGB */                             \
    F(uint, turn, 0)  /* of its picture */                          \
    F(uint, axis, 0)  /* DW_PARTICLE_AXIS: 10 bits each; 0: none */ \
    F(uint, frame, 0) /* of a flipbook, 8 bits behind the point */

/* The same, packed for a draw. */
#define DW_PARTICLE_SPRITE_FIELDS(F)                                                      \
    F(float, position, 3)                                                                 \
    F(float, size, 0)                                                                     \
    F(uint, opacity, 0) /* half; upper half: the turn */                                  \
    F(uint, color, 0)                                                                     \
    F(uint, frame, 0) /* 8 bits behind the point; upper half: age of lifetime, 16 bits */ \
    F(uint, axis, 0)

struct dw_particle_emitter {
    DW_PARTICLE_EMITTER_FIELDS(DW_FIELD)
};

struct dw_particle_part {
    DW_PARTICLE_PART_FIELDS(DW_FIELD)
};

struct dw_particle_region {
    DW_PARTICLE_REGION_FIELDS(DW_FIELD)
};

struct dw_particle_view {
    DW_PARTICLE_VIEW_FIELDS(DW_FIELD)
};

struct dw_particle {
    DW_PARTICLE_FIELDS(DW_FIELD)
};

struct dw_particle_sprite {
    DW_PARTICLE_SPRITE_FIELDS(DW_FIELD)
};

/* ---- on the way ---- */

#define DW_PARTICLE_WORDS_FIELDS(F) \
    F(uint, x, 0)                   \
    F(uint, y, 0)                   \
    F(uint, z, 0)                   \
    F(uint, w, 0)

struct dw_particle_words {
    DW_PARTICLE_WORDS_FIELDS(DW_FIELD)
};

/* Where a slot is in its life. */
#define DW_PARTICLE_LIFE_FIELDS(F)                \
    F(uint, is_alive, 0)                          \
    F(uint, cycle, 0)                             \
    F(uint, age, 0)                               \
    F(uint, life, 0)      /* ticks: age < life */ \
    F(uint, is_before, 0) /* born before the emitter's last move, and trails */

struct dw_particle_life {
    DW_PARTICLE_LIFE_FIELDS(DW_FIELD)
};

/* What a kind's function is given. The caller reads tables: motions are arithmetic alone. */
#define DW_PARTICLE_INPUT_FIELDS(F)                                                   \
    F(uint, key0, 0)                                                                  \
    F(uint, key1, 0)                                                                  \
    F(uint, slot, 0)                                                                  \
    F(uint, count, 0)                                                                 \
    F(uint, cycle, 0)                                                                 \
    F(uint, age, 0)                                                                   \
    F(uint, life, 0)                                                                  \
    F(uint, clock, 0) /* of phases: see dw_particle_turns */                          \
    F(uint, loop, 0)                                                                  \
    F(float, t, 0)       /* age / life in [0, 1), a multiple of 2^-24 */              \
    F(float, seconds, 0) /* age */                                                    \
    F(float, fade, 0)    /* rise, fall and the opacity curve */                       \
    F(float, swell, 0)   /* the size curve */                                         \
    F(float, point, 3)   /* on the surface, from the position; the emitter has one */ \
    F(uint, has_point, 0)                                                             \
    F(float, extent, 3)                                                               \
    F(float, camera, 3) /* from the position */                                       \
    F(float, params, 24)

struct dw_particle_input {
    DW_PARTICLE_INPUT_FIELDS(DW_FIELD)
};

/* What it gives: from the position, before the emitter's scale. */
#define DW_PARTICLE_MOTION_FIELDS(F)              \
    F(float, x, 0)                                \
    F(float, y, 0)                                \
    F(float, z, 0)                                \
    F(float, size, 0)                             \
    F(float, opacity, 0) /* times part.opacity */ \
    F(uint, turn, 0)                              \
    F(uint, axis, 0)

struct dw_particle_motion {
    DW_PARTICLE_MOTION_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_particle_emitter dw_particle_emitter;
typedef struct dw_particle_part dw_particle_part;
typedef struct dw_particle_region dw_particle_region;
typedef struct dw_particle_view dw_particle_view;
typedef struct dw_particle dw_particle;
typedef struct dw_particle_sprite dw_particle_sprite;
typedef struct dw_particle_words dw_particle_words;
typedef struct dw_particle_life dw_particle_life;
typedef struct dw_particle_input dw_particle_input;
typedef struct dw_particle_motion dw_particle_motion;
#endif

/* ---- chance ---- */

DW_INLINE dw_particle_words dw_pcg4d(dw_particle_words v)
{
    v.x = v.x * 1664525u + 1013904223u;
    v.y = v.y * 1664525u + 1013904223u;
    v.z = v.z * 1664525u + 1013904223u;
    v.w = v.w * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v.x ^= v.x >> 16;
    v.y ^= v.y >> 16;
    v.z ^= v.z >> 16;
    v.w ^= v.w >> 16;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

/* Block 0, drawn for cycle 0, is of the slot: x its lifetime, y its offset, z its colour, w for the
 * kind, for life. Blocks from 1 on are the kind's, but for w of block 1, which picks the point on
 * the surface that a life begins at. */
DW_INLINE dw_particle_words dw_particle_draw(uint key0, uint key1, uint slot, uint cycle,
                                             uint block)
{
    dw_particle_words v;

    v.x = slot;
    v.y = cycle;
    v.z = key0;
    v.w = key1 + block;
    return dw_pcg4d(v);
}

/* Even in [0, 1), exact. */
DW_INLINE float dw_particle_uniform(uint word)
{
    DW_PRECISE float u = dw_float(word >> 8) * 5.9604644775390625e-8f;

    return u;
}

/* Even in [least, least + span). */
DW_INLINE float dw_particle_between(float least, float span, uint word)
{
    DW_PRECISE float part = span * dw_particle_uniform(word);
    DW_PRECISE float sum = least + part;

    return sum;
}

/* Even in [0, count). */
DW_INLINE uint dw_particle_pick(uint count, uint word)
{
    return DW_UINT(DW_U64(count) * DW_U64(word) >> 32);
}

/* ---- whole numbers ---- */

#ifdef GL_core_profile
/* a 2^24 / b rounded down; a < b < 2^20 */
uint dw_particle_ratio(uint a, uint b)
{
    uint high = (a << 12) / b;
    uint rest = (a << 12) - high * b;

    return high << 12 | (rest << 12) / b;
}

#define dw_particle_divide_half(a, b) ((a) / (b))
#define dw_particle_divide_wide(a, b) dw_particle_divide_long(a, b)

/* A digit of 16 bits of the quotient: above : next / b; b has its highest bit set, above < b. */
uint dw_particle_digit(uint above, uint next, uint b)
{
    uint digit = above / (b >> 16);
    uint rest = above - digit * (b >> 16);

    for (uint i = 0u; i < 2u; i++) { /* it is at most 2 too large */
        if (rest <= 0xffffu && (digit > 0xffffu || digit * (b & 0xffffu) > (rest << 16 | next))) {
            digit--;
            rest += b >> 16;
        }
    }
    return digit;
}

/* By divisions of 32 bits (Knuth, "Seminumerical Algorithms", 4.3.1 D): those of 64 bits take a
 * card long, and a compiler of one fails at some. */
uint64_t dw_particle_divide_long(uint64_t a, uint b)
{
    uint low = DW_UINT(a), high = DW_UINT(a >> 32), top, shift, above, middle, next, digit;

    if (high == 0u)
        return DW_U64(low / b);
    top = high / b;
    high -= top * b;
    shift = 31u - uint(findMSB(b));
    b <<= shift;
    a = (DW_U64(high) << 32 | DW_U64(low)) << shift;
    above = DW_UINT(a >> 32);
    middle = DW_UINT(a) >> 16;
    next = DW_UINT(a) & 0xffffu;
    digit = dw_particle_digit(above, middle, b);
    above = (above << 16 | middle) - digit * b;
    return DW_U64(top) << 32 | DW_U64(digit << 16 | dw_particle_digit(above, next, b));
}
#else
/* A double holds both and rounds the quotient to no other whole number; unlike the division of
 * whole numbers, compilers do many of these at once. */
#define dw_particle_ratio(a, b) ((uint)(int)((double)(int)(a)*0x1p24 / (double)(int)(b)))
#define dw_particle_divide_half(a, b) \
    ((uint)(int)((double)(int)(a) / (double)(int)(b))) /* below 2^31 */
#define dw_particle_divide_long(a, b) ((uint64_t)(int64_t)((double)(a) / (double)(b)))
#define dw_particle_divide_wide(a, b) ((a) / (uint64_t)(b)) /* of any 64 bits */
#endif

DW_INLINE uint64_t dw_particle_remainder(uint64_t a, uint b)
{
    return a - dw_particle_divide_wide(a, b) * DW_U64(b);
}

/* Ticks are below this, so that they and their quotients are exact in a double. */
#define DW_PARTICLE_TICKS_MAX 0x10000000000000ul /* 2^52: 2,177 years */

DW_INLINE uint64_t dw_particle_join(uint low, uint high)
{
    return DW_U64(high) << 32 | DW_U64(low);
}

/* age / life rounded down to a multiple of 2^-24; age < life. Lives from 2^20 ticks (16 s) on lose
 * low bits of both. */
DW_INLINE float dw_particle_share(uint age, uint life)
{
    uint shift;

    shift = life >= 1u << 20 ? 4u : 0u;
    shift = life >= 1u << 24 ? 8u : shift;
    shift = life >= 1u << 28 ? 12u : shift;
    life = life >> shift;
    age = age >> shift;
    age = age >= life ? life - 1u : age;
    {
        DW_PRECISE float share = dw_float(dw_particle_ratio(age, life)) * 5.9604644775390625e-8f;

        return share;
    }
}

/* Ticks to seconds, rounded. */
DW_INLINE float dw_particle_seconds(uint ticks)
{
    DW_PRECISE float seconds = dw_float(ticks) * 1.52587890625e-5f;

    return seconds;
}

/* ---- turns ---- */

/* sin(2 pi turn / 2^32), within 4e-6 of the truth: an odd polynomial on a quarter. */
DW_INLINE float dw_sin_turn(uint turn)
{
    /* the half of the circle around 1/2 mirrors the one around 0; without a branch, so that
     * compilers make vectors of it */
    uint is_far = 0u - ((turn ^ (turn << 1)) >> 31);
    int folded = DW_INT((turn ^ is_far) - is_far + (is_far & 0x80000000u));
    DW_PRECISE float x = dw_float(folded) * 9.31322574615478515625e-10f; /* quarters: [-1, 1] */
    DW_PRECISE float x2 = x * x;
    DW_PRECISE float p9 = x2 * 0.000160441184787f;
    DW_PRECISE float p7a = p9 - 0.004681754135319f;
    DW_PRECISE float p7 = x2 * p7a;
    DW_PRECISE float p5a = p7 + 0.079692626246167f;
    DW_PRECISE float p5 = x2 * p5a;
    DW_PRECISE float p3a = p5 - 0.645964097506246f;
    DW_PRECISE float p3 = x2 * p3a;
    DW_PRECISE float p1 = p3 + 1.570796326794897f;
    DW_PRECISE float s = x * p1;

    return s;
}

DW_INLINE float dw_cos_turn(uint turn)
{
    return dw_sin_turn(turn + 0x40000000u);
}

/* What phases go by: a tick, or in a loop how far into it that is, in 2^-32 of it. */
DW_INLINE uint dw_particle_clock_of(uint64_t now, uint loop)
{
    if (loop == 0u)
        return DW_UINT(now);
    return DW_UINT(dw_particle_divide_wide(dw_particle_remainder(now, loop) << 32, loop));
}

/* Turns that an angular speed of `speed` 2^-32 turns a tick, below 2^31 or negative, makes by then.
 * In a loop the speed is the nearest one with whole turns in a round. */
DW_INLINE uint dw_particle_turns(uint clock, uint loop, uint speed)
{
    int64_t turned = DW_I64(loop) * DW_I64(DW_INT(speed)) + DW_I64(0x80000000u);
    uint rounds = DW_UINT(DW_U64(turned) >> 32);

    return clock * (loop == 0u ? speed : rounds);
}

/* ---- lives ---- */

/* The emitter's own tick; negative before it was there. */
DW_INLINE int64_t dw_particle_local(dw_particle_emitter e, uint now_low, uint now_high)
{
    int64_t now = DW_I64(dw_particle_join(now_low, now_high));
    int64_t passed = now - DW_I64(dw_particle_join(e.epoch_low, e.epoch_high));
    int64_t local = DW_I64(dw_particle_join(e.local_low, e.local_high));

    if (e.rate == DW_PARTICLE_RATE_ONE)
        return local + passed;
    return local + (passed >> 16) * DW_I64(e.rate) +
           ((passed & DW_I64(65535)) * DW_I64(e.rate) >> 16);
}

DW_INLINE dw_particle_life dw_particle_dead(void)
{
    dw_particle_life life;

    life.is_alive = 0u;
    life.cycle = life.age = life.is_before = 0u;
    life.life = 1u;
    return life;
}

/* How long a slot lives in a cycle, of parts whose lives differ from cycle to cycle; 0 for all
 * others. */
DW_INLINE uint dw_particle_length(dw_particle_part p, dw_particle_words drawn)
{
    return p.life_least + dw_particle_pick(p.life_span + 1u, drawn.x);
}

/* Tick of burst k, in [k gap, k gap + 2 jitter]. */
DW_INLINE uint64_t dw_particle_burst_tick(dw_particle_emitter e, uint gap, uint jitter, uint64_t k)
{
    dw_particle_words d = dw_particle_draw(e.key0, e.key1, DW_PARTICLE_NONE, DW_UINT(k), 0u);

    return k * DW_U64(gap) + DW_U64(dw_particle_pick(2u * jitter + 1u, d.x));
}

/* Ages since the last burst. In a loop there are as many bursts as fit best, evenly far apart. */
DW_INLINE dw_particle_life dw_particle_burst(dw_particle_emitter e, dw_particle_part p, uint slot,
                                             uint64_t local)
{
    dw_particle_life life = dw_particle_dead();
    uint64_t at, k, tick, age;
    uint gap = p.gap, jitter = p.gap_jitter, bursts = 0u;

    if (e.loop != 0u) {
        bursts = (e.loop + gap / 2u) / gap;
        bursts = bursts < 1u ? 1u : bursts;
        gap = e.loop / bursts;
        jitter = jitter < gap / 2u ? jitter : (gap - 1u) / 2u;
    }
    at = local + DW_U64(dw_particle_pick(gap, e.key1)); /* not all emitters at the same time */
    if (e.loop != 0u)
        at = dw_particle_remainder(at, e.loop);
    k = dw_particle_divide_long(at, gap);
    if (e.loop != 0u && k >= DW_U64(bursts))
        k = DW_U64(bursts - 1u);
    tick = dw_particle_burst_tick(e, gap, jitter, k);
    if (at < tick) {
        if (k == DW_U64(0) && e.loop == 0u)
            return life;
        at += k == DW_U64(0) ? DW_U64(e.loop) : DW_U64(0);
        k = k == DW_U64(0) ? DW_U64(bursts - 1u) : k - DW_U64(1);
        tick = dw_particle_burst_tick(e, gap, jitter, k);
    }
    age = at - tick;
    life.cycle = DW_UINT(k);
    life.life = dw_particle_length(p, dw_particle_draw(e.key0, e.key1, slot, life.cycle, 0u));
    life.age = age < DW_U64(life.life) ? DW_UINT(age) : 0u;
    life.is_alive = age < DW_U64(life.life) ? 1u : 0u;
    return life;
}

/* The age that a slot has at the emitter's tick 0: at random, or evenly spread with the emitter's
 * own phase. */
DW_INLINE uint dw_particle_begin(dw_particle_emitter e, dw_particle_part p, uint slot, uint length,
                                 uint word)
{
    bool is_seed = (DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_SEED) != 0u;
    uint phase = is_seed ? 0u : dw_particle_pick(length, e.key1);

    if ((p.flags & DW_PART_IS_EVEN) == 0u)
        return dw_particle_pick(length, word);
    return phase + DW_UINT(dw_particle_divide_long(DW_U64(slot) * DW_U64(length), e.count));
}

/* One life after another, each as long as the first. In a loop as many as fit best. */
DW_INLINE dw_particle_life dw_particle_cycle(dw_particle_emitter e, dw_particle_part p, uint slot,
                                             uint64_t local)
{
    dw_particle_words d = dw_particle_draw(e.key0, e.key1, slot, 0u, 0u);
    dw_particle_life life = dw_particle_dead();
    uint length = dw_particle_length(p, d);
    uint64_t at = local + DW_U64(dw_particle_begin(e, p, slot, length, d.y));
    uint64_t cycle, begin, end;
    uint lives;

    life.is_alive = 1u;
    if (e.loop == 0u) {
        cycle = dw_particle_divide_long(at, length);
        life.age = DW_UINT(at - cycle * DW_U64(length));
        life.life = length;
    } else {
        at = dw_particle_remainder(at, e.loop);
        lives = DW_UINT(dw_particle_divide_wide(DW_U64(e.loop) + DW_U64(length / 2u), length));
        lives = lives < 1u ? 1u : lives;
        cycle = dw_particle_divide_wide(at * DW_U64(lives), e.loop);
        begin = dw_particle_divide_wide(cycle * DW_U64(e.loop) + DW_U64(lives - 1u), lives);
        end = dw_particle_divide_wide(cycle * DW_U64(e.loop) + DW_U64(e.loop) + DW_U64(lives - 1u),
                                      lives);
        life.age = DW_UINT(at - begin);
        life.life = DW_UINT(end - begin);
    }
    life.cycle = DW_UINT(cycle);
    return life;
}

/* Ticks until a single life begins. */
DW_INLINE uint dw_particle_delay(dw_particle_part p, uint word)
{
    return p.gap + dw_particle_pick(p.gap_jitter + 1u, word);
}

/* A single life, begun after a delay of gap, and at most gap_jitter more. */
DW_INLINE dw_particle_life dw_particle_once(dw_particle_emitter e, dw_particle_part p, uint slot,
                                            uint64_t local)
{
    dw_particle_words d = dw_particle_draw(e.key0, e.key1, slot, 0u, 0u);
    dw_particle_life life = dw_particle_dead();
    uint64_t delay = DW_U64(dw_particle_delay(p, d.y));

    life.life = dw_particle_length(p, d);
    if (local < delay || local - delay >= DW_U64(life.life))
        return life;
    life.age = DW_UINT(local - delay);
    life.is_alive = 1u;
    return life;
}

DW_INLINE uint dw_particle_saturate(int64_t ticks)
{
    ticks = ticks < DW_I64(0) ? DW_I64(0) : ticks;
    return ticks < DW_I64(0xffffffffu) ? DW_UINT(ticks) : 0xffffffffu;
}

/* Ages of all slots of an emitter at its own tick, all ones where that says nothing. x: the least
 * of lives that began before the stop; y: the most of those that began since tick 0, of cold
 * emitters; z: the least of those that began before the last move, of trails. */
DW_INLINE dw_particle_words dw_particle_ages(dw_particle_emitter e, int64_t local)
{
    uint flags = DW_EMITTER_FLAGS(e.part);
    int64_t stop = DW_I64(dw_particle_join(e.stop_low, e.stop_high & 0x7fffffffu));
    int64_t moved = DW_I64(dw_particle_join(e.moved_low, e.moved_high));
    dw_particle_words ages;

    ages.x = dw_particle_saturate(local - stop);
    ages.y = (flags & DW_EMITTER_IS_COLD) != 0u ? dw_particle_saturate(local) : 0xffffffffu;
    ages.z = (flags & DW_EMITTER_IS_TRAIL) != 0u ? dw_particle_saturate(local - moved + DW_I64(1))
                                                 : 0xffffffffu;
    ages.w = 0u;
    return ages;
}

DW_INLINE dw_particle_life dw_particle_bounded(dw_particle_life life, dw_particle_words ages)
{
    if (life.age < ages.x || life.age > ages.y)
        life.is_alive = 0u;
    life.is_before = life.age >= ages.z ? 1u : 0u;
    return life;
}

/* The life of a slot at the emitter's own tick, of parts that remember nothing. */
DW_INLINE dw_particle_life dw_particle_life_at(dw_particle_emitter e, dw_particle_part p, uint slot,
                                               int64_t local)
{
    uint flags = DW_EMITTER_FLAGS(e.part);
    dw_particle_life life = dw_particle_dead();

    if (local < DW_I64(0) || (flags & DW_EMITTER_IS_HIDDEN) != 0u || slot >= e.count)
        return life;
    if ((flags & DW_EMITTER_IS_ONCE) != 0u)
        life = dw_particle_once(e, p, slot, DW_U64(local));
    else if ((p.flags & DW_PART_IS_BURST) != 0u)
        life = dw_particle_burst(e, p, slot, DW_U64(local));
    else
        life = dw_particle_cycle(e, p, slot, DW_U64(local));
    if ((flags & (DW_EMITTER_IS_COLD | DW_EMITTER_IS_TRAIL)) == 0u &&
        (e.stop_low & e.stop_high) == 0xffffffffu)
        return life;
    return dw_particle_bounded(life, dw_particle_ages(e, local));
}

/* ---- curves and colours over the age ---- */

/* The knot at or before t, and how far it is to the next one. */
DW_INLINE uint dw_particle_knot(float t)
{
    DW_PRECISE float at = t * 64.0f;

    return DW_UINT(at);
}

DW_INLINE float dw_particle_knot_share(float t)
{
    DW_PRECISE float at = t * 64.0f;
    DW_PRECISE float share = at - dw_floor(at);

    return share;
}

/* Between the values of two knots that follow each other. */
DW_INLINE float dw_particle_curve(float here, float next, float t)
{
    return dw_lerp(here, next, dw_particle_knot_share(t));
}

/* Between two colours, by 256ths. */
DW_INLINE uint dw_particle_mix(uint a, uint b, uint share)
{
    uint even = ((a & 0xff00ffu) * (256u - share) + (b & 0xff00ffu) * share) >> 8;
    uint odd = (a >> 8 & 0xff00ffu) * (256u - share) + (b >> 8 & 0xff00ffu) * share;

    return (even & 0xff00ffu) | (odd & 0xff00ff00u);
}

/* Between the colours of two knots of a ramp that follow each other. */
DW_INLINE uint dw_particle_ramp(uint here, uint next, float t)
{
    DW_PRECISE float share = dw_particle_knot_share(t) * 256.0f;

    return dw_particle_mix(here, next, DW_UINT(share));
}

DW_INLINE uint dw_particle_tint_byte(uint a, uint b)
{
    uint product = a * b + 127u;

    return (product + (product >> 8) + 1u) >> 8;
}

/* Both colours multiplied, channel by channel. */
DW_INLINE uint dw_particle_tint(uint a, uint b)
{
    return dw_particle_tint_byte(a & 255u, b & 255u) |
           dw_particle_tint_byte(a >> 8 & 255u, b >> 8 & 255u) << 8 |
           dw_particle_tint_byte(a >> 16 & 255u, b >> 16 & 255u) << 16 |
           dw_particle_tint_byte(a >> 24, b >> 24) << 24;
}

/* The colour of the ramp that a slot picks, for life. */
DW_INLINE uint dw_particle_ramp_pick(dw_particle_emitter e, dw_particle_part p, uint slot)
{
    return dw_particle_pick(p.ramp_count, dw_particle_draw(e.key0, e.key1, slot, 0u, 0u).z);
}

DW_INLINE uint dw_particle_tone(dw_particle_emitter e, dw_particle_part p, uint slot)
{
    uint tone = p.tone, outer;

    if (tone == DW_PARTICLE_TONE_ANY)
        tone = dw_particle_pick(3u, dw_particle_draw(e.key0, e.key1, slot, 0u, 0u).z);
    outer = tone == 2u ? e.colors[2] : 0xffffffffu;
    return tone == 0u ? e.colors[0] : tone == 1u ? e.colors[1] : outer;
}

/* min(rise t, 1) min(fall (1 - t), 1) curve, without the factors whose slope is 0 */
DW_INLINE float dw_particle_fade(dw_particle_part p, float t, float curve)
{
    DW_PRECISE float rest = 1.0f - t;
    DW_PRECISE float rising = p.rise * t;
    DW_PRECISE float falling = p.fall * rest;
    float up = rising < 1.0f && p.rise != 0.0f ? rising : 1.0f;
    float down = falling < 1.0f && p.fall != 0.0f ? falling : 1.0f;
    DW_PRECISE float ends = up * down;
    DW_PRECISE float fade = ends * curve;

    return fade;
}

/* ---- seen from a camera ---- */

/* Kept slots in 256ths: all of them near, none far; the slots with the lowest numbers. */
DW_INLINE uint dw_particle_kept(dw_particle_emitter e, dw_particle_part p, float distance2)
{
    DW_PRECISE float left = p.lod_far2 - distance2;
    DW_PRECISE float share = left * p.lod_scale;
    DW_PRECISE float whole = share * 4294967040.0f;

    if (p.lod_far2 == 0.0f || share >= 1.0f)
        return e.count << 8;
    if (share <= 0.0f)
        return 0u;
    return dw_particle_pick(e.count << 8, DW_UINT(whole));
}

DW_INLINE bool dw_particle_is_inside(float nx, float ny, float nz, float offset, float x, float y,
                                     float z, float radius)
{
    DW_PRECISE float distance = dw_dot3(nx, ny, nz, x, y, z) + offset;

    return distance >= -radius;
}

#endif
