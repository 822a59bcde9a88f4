/* SPDX-License-Identifier: MIT */
/* What the motions of all kinds are made of.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_BASE_H
#define DW_SHARED_PARTICLE_MOTION_BASE_H

#include "shared/particle.h"

/* Words of the slot's block for life, of its block for this life, and of block 2 for life. */
DW_INLINE dw_particle_words dw_particle_own(dw_particle_input given)
{
    return dw_particle_draw(given.key0, given.key1, given.slot, 0u, 0u);
}

DW_INLINE dw_particle_words dw_particle_fresh(dw_particle_input given)
{
    return dw_particle_draw(given.key0, given.key1, given.slot, given.cycle, 1u);
}

DW_INLINE dw_particle_words dw_particle_own_more(dw_particle_input given)
{
    return dw_particle_draw(given.key0, given.key1, given.slot, 0u, 2u);
}

/* Two independent words of 16 bits from one of 32. */
DW_INLINE uint dw_particle_upper(uint word)
{
    return word & 0xffff0000u;
}

DW_INLINE uint dw_particle_lower(uint word)
{
    return word << 16;
}

/* A turn of a number of turns, |turns| < 128. */
DW_INLINE uint dw_turns(float turns)
{
    DW_PRECISE float steps = turns * 16777216.0f;

    return DW_UINT(DW_INT(steps)) << 8;
}

/* slot / count of a turn, within 2^-31 turns a slot; count > 0. */
DW_INLINE uint dw_particle_even_turn(uint slot, uint count)
{
    return slot * (dw_particle_divide_half(0x7fffffffu, count) << 1);
}

/* The turn, or backwards, by a coin. */
DW_INLINE uint dw_particle_turned(uint turn, uint coin)
{
    uint mask = 0u - (coin & 1u); /* no branch, so that compilers make vectors of it */

    return (turn ^ mask) - mask;
}

/* The whole number nearest to 0 from x, |x| < 2^31. */
DW_INLINE uint dw_whole(float x)
{
    return DW_UINT(DW_INT(x));
}

/* The turn of as many turns, below 2^29 of them; what is lost of large numbers is their own. The
 * sum rounds to whole turns: compilers make vectors of it, but not of floor. */
DW_INLINE uint dw_particle_wound(float turns)
{
    DW_PRECISE float moved = turns + 12582912.0f; /* 3 * 2^22 */
    DW_PRECISE float whole = moved - 12582912.0f;
    DW_PRECISE float share = turns - whole;

    return dw_turns(share);
}

/* The phase of the emitter's clock at `speed` 2^-32 turns a tick: 10,430 is one radian a second. */
DW_INLINE uint dw_particle_clock(dw_particle_input given, uint speed)
{
    return dw_particle_turns(given.clock, given.loop, speed);
}

DW_INLINE float dw_wave(float middle, float width, uint turn)
{
    DW_PRECISE float wave = middle + width * dw_sin_turn(turn);

    return wave;
}

DW_INLINE dw_particle_motion dw_particle_motion_at(float x, float y, float z, float size,
                                                   float opacity)
{
    dw_particle_motion m;

    m.x = x;
    m.y = y;
    m.z = z;
    m.size = size;
    m.opacity = opacity;
    m.turn = m.axis = 0u;
    return m;
}

/* A direction of any length, 10 bits an axis, each 512 + 511 times it; 0 for none. */
DW_INLINE uint dw_particle_axis(float x, float y, float z)
{
    float length2 = dw_dot3(x, y, z, x, y, z);
    DW_PRECISE float scale = 511.0f * dw_inverse_root(length2 + 1e-12f);
    DW_PRECISE float ax = x * scale + 512.5f;
    DW_PRECISE float ay = y * scale + 512.5f;
    DW_PRECISE float az = z * scale + 512.5f;
    uint axis = DW_UINT(DW_INT(ax)) | DW_UINT(DW_INT(ay)) << 10 | DW_UINT(DW_INT(az)) << 20;

    return length2 > 1e-12f ? axis : 0u;
}

#ifndef GL_core_profile
/* ---- how far particles get, for the spheres that rows are culled by ---- */

/* What dw_particle_span_<kind> is given of the emitter: radius, lowest and highest y of what it
 * surrounds; the same with its surface points; the most of its opacity curve; its slots. */
#define DW_AROUND_RADIUS     0
#define DW_AROUND_LOW        1
#define DW_AROUND_HIGH       2
#define DW_AROUND_FAR_RADIUS 3
#define DW_AROUND_FAR_LOW    4
#define DW_AROUND_FAR_HIGH   5
#define DW_AROUND_FADE       6
#define DW_AROUND_SLOTS      7
#define DW_AROUND_COUNT      8

/* Its result, before offset, size curve and scale: heights, the farthest from the axis, the largest
 * size. */
#define DW_SPAN_LOW    0
#define DW_SPAN_HIGH   1
#define DW_SPAN_RADIUS 2
#define DW_SPAN_SIZE   3
#define DW_SPAN_COUNT  4

static inline void dw_particle_span_set(double *span, double low, double high, double radius,
                                        double size)
{
    span[DW_SPAN_LOW] = low;
    span[DW_SPAN_HIGH] = high;
    span[DW_SPAN_RADIUS] = radius;
    span[DW_SPAN_SIZE] = size;
}

/* Between `from` and as much as `rise` above or, negative, below it. */
static inline void dw_particle_span_rise(double *span, double from, double rise, double radius,
                                         double size)
{
    dw_particle_span_set(span, rise < 0.0 ? from + rise : from, rise > 0.0 ? from + rise : from,
                         radius, size);
}
#endif

#endif
