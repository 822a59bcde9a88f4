/* SPDX-License-Identifier: MIT */
/* Steps of choosing a material, each on one weight: terrain_choose.h strings them together for a
 * sample, cpu/terrain_select.c for rows of samples.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TERRAIN_WEIGH_H
#define DW_SHARED_TERRAIN_WEIGH_H

#include "shared/terrain.h"

#define DW_TERRAIN_BITS       28u         /* of the largest weight once it is whole */
#define DW_TERRAIN_EMPTY      1.0e-6f     /* a sum of weights that counts as none */
#define DW_TERRAIN_ONE        0x40000000u /* of levels, swing, depth */
#define DW_TERRAIN_LEVEL_BITS 21u         /* of the sum that is quantised */
#define DW_TERRAIN_FAR        0x1000000   /* an exponent below all that occur, negated */

/* The upper half of the product: a b / 2^32, rounded down. */
DW_INLINE uint dw_terrain_high(uint a, uint b)
{
#ifdef GL_core_profile
    uint high, low;

    umulExtended(a, b, high, low);
    return high;
#else
    return (uint)((uint64_t)a * b >> 32);
#endif
}

/* The position of the highest bit that is set; of 0 that of 1. */
DW_INLINE uint dw_terrain_top(uint x)
{
    uint some = x | 1u;

    /* the bit below the highest is cleared, so that no rounding carries */
    return (dw_bits_from_float(dw_float(some & ~(some >> 1))) >> 23) - 127u;
}

/* Of 0 and positive numbers themselves; 0 of what is negative, subnormal, infinite or NaN. */
DW_INLINE float dw_terrain_clean(float weight)
{
    uint bits = dw_bits_from_float(weight);

    return dw_float_from_bits(bits - 0x00800000u < 0x7f000000u ? bits : 0u);
}

/* The clean weight in half a word. */
DW_INLINE float dw_terrain_half(uint half_bits)
{
    uint exponent = half_bits >> 10 & 63u; /* and the sign */
    DW_PRECISE float slight = dw_float(DW_INT(half_bits & 0x3ffu)) * 5.9604644775390625e-8f;
    float whole = dw_float_from_bits((exponent + 112u) << 23 | (half_bits & 0x3ffu) << 13);

    if (exponent >= 31u)
        return 0.0f;
    return exponent == 0u ? slight : whole;
}

/* The power of two that makes the largest weight, a clean one, fill DW_TERRAIN_BITS. */
DW_INLINE float dw_terrain_scale(float most)
{
    uint exponent = dw_bits_from_float(most) >> 23;

    return dw_float_from_bits((281u - (exponent > 27u ? exponent : 27u)) << 23);
}

/* Weights below 2^-27 of the largest count as 0. */
DW_INLINE uint dw_terrain_whole(float weight, float scale)
{
    DW_PRECISE float scaled = weight * scale;

    return DW_UINT(DW_INT(scaled));
}

/* Whether the weights that sum to this once they are whole sum to nothing; most: the largest. */
DW_INLINE bool dw_terrain_is_empty(uint sum, float most)
{
    uint exponent = dw_bits_from_float(most) >> 23;
    DW_PRECISE float total =
        dw_float(sum) * dw_float_from_bits(((exponent > 28u ? exponent : 28u) - 27u) << 23);

    return !(total > DW_TERRAIN_EMPTY);
}

/* How far the largest weight is shifted to fill DW_TERRAIN_BITS. */
DW_INLINE uint dw_terrain_lift(uint most)
{
    return DW_TERRAIN_BITS - 1u - dw_terrain_top(most);
}

/* How far weights are shifted down, so that what quantising multiplies fits 31 bits. */
DW_INLINE uint dw_terrain_level_shift(uint sum)
{
    uint top = dw_terrain_top(sum);

    return top > DW_TERRAIN_LEVEL_BITS - 1u ? top - (DW_TERRAIN_LEVEL_BITS - 1u) : 0u;
}

/* 1 / (2 total) for dw_terrain_level; of 0 as of 1. */
DW_INLINE float dw_terrain_level_inverse(uint total)
{
    return dw_inverse(dw_float(DW_INT(2u * (total > 0u ? total : 1u))));
}

/* floor(steps part / total + 1/2), exactly. */
DW_INLINE uint dw_terrain_level(uint steps, uint part, uint total, float inverse)
{
    uint above = 2u * steps * part + total;
    uint below = 2u * total;
    DW_PRECISE float guess = dw_float(DW_INT(above)) * inverse;
    uint level = DW_UINT(DW_INT(guess));
    uint rest = above - level * below; /* below zero if the guess is one too large */

    if (rest >= 0x80000000u)
        return level - 1u;
    return rest >= below ? level + 1u : level;
}

/* log2 of weight / 2^27 within 2e-7, and 2e-7 of it; weight: 1 to 2^28. */
DW_INLINE float dw_terrain_log(uint weight)
{
    uint bits = dw_bits_from_float(dw_float(DW_INT(weight)));
    int exponent = DW_INT(bits - 0x3f3504f3u) >> 23; /* the fraction runs from sqrt(1/2) on */
    DW_PRECISE float t = dw_float_from_bits(bits - (DW_UINT(exponent) << 23)) - 1.0f;
    DW_PRECISE float p8 = 0.129263741624f * t - 0.208933564471f;
    DW_PRECISE float p7 = p8 * t + 0.215212341525f;
    DW_PRECISE float p6 = p7 * t - 0.238675721491f;
    DW_PRECISE float p5 = p6 * t + 0.287939089814f;
    DW_PRECISE float p4 = p5 * t - 0.360716261906f;
    DW_PRECISE float p3 = p4 * t + 0.480910279894f;
    DW_PRECISE float p2 = p3 * t - 0.721347199337f;
    DW_PRECISE float p1 = p2 * t + 1.44269500489f;
    DW_PRECISE float p0 = p1 * t;
    DW_PRECISE float log2 = dw_float(exponent - 27) + p0;

    return log2;
}

/* log2 of (weight exp(2 priority)) ^ (2 / strength). */
DW_INLINE float dw_terrain_force(uint weight, float lift, float exponent)
{
    DW_PRECISE float moved = dw_terrain_log(weight) + lift;
    DW_PRECISE float force = moved * exponent;

    return force;
}

/* 2^force is dw_terrain_fraction / 2^24 times 2 to this. */
DW_INLINE int dw_terrain_exponent(float force)
{
    DW_PRECISE float moved = force + 0.5f;

    return DW_INT(dw_floor(moved));
}

DW_INLINE uint dw_terrain_fraction(float force)
{
    DW_PRECISE float moved = force + 0.5f;
    DW_PRECISE float f = force - dw_floor(moved);
    DW_PRECISE float p4 = 0.0013410003472f * f + 0.00967603635944f;
    DW_PRECISE float p3 = p4 * f + 0.0555029730362f;
    DW_PRECISE float p2 = p3 * f + 0.240221073743f;
    DW_PRECISE float p1 = p2 * f + 0.693147225405f;
    DW_PRECISE float p0 = p1 * f + 1.00000007549f;
    DW_PRECISE float scaled = p0 * 16777216.0f;

    return DW_UINT(DW_INT(scaled));
}

/* Of 2^force, so that the largest has 24 or 25 bits; most: the exponent of the largest. */
DW_INLINE uint dw_terrain_forced(uint fraction, int exponent, int most)
{
    int shift = most > exponent ? most - exponent : 0;

    return fraction >> DW_UINT(shift < 31 ? shift : 31);
}

/* Cubic from 0 at begin to 1 at begin + 1 / scale. */
DW_INLINE float dw_terrain_fade(float x, float begin, float scale)
{
    DW_PRECISE float moved = x - begin;
    DW_PRECISE float scaled = moved * scale;
    float low = scaled > 0.0f ? scaled : 0.0f;
    float t = low < 1.0f ? low : 1.0f;
    DW_PRECISE float twice = 2.0f * t;
    DW_PRECISE float square = t * t;
    DW_PRECISE float left = 3.0f - twice;
    DW_PRECISE float faded = square * left;

    return faded;
}

/* What is left of an accent; inverse: 1 / the heaviest, which has DW_TERRAIN_BITS. */
DW_INLINE uint dw_terrain_accent(uint weight, float inverse, float begin, float scale)
{
    DW_PRECISE float whole = dw_float(DW_INT(weight));
    DW_PRECISE float share = whole * inverse;
    DW_PRECISE float left = whole * dw_terrain_fade(share, begin, scale);
    uint kept = DW_UINT(DW_INT(left));

    return kept < weight ? kept : weight;
}

/* Beyond -1 and 1 as these; what is not finite as 0. */
DW_INLINE float dw_terrain_clean_height(float height)
{
    uint bits = dw_bits_from_float(height);
    float known = dw_float_from_bits(dw_is_finite_bits(bits) ? bits : 0u);
    float low = known > -1.0f ? known : -1.0f;

    return low < 1.0f ? low : 1.0f;
}

/* 1 + height in 2^-30, of a clean one. */
DW_INLINE uint dw_terrain_height(float height)
{
    DW_PRECISE float moved = height + 1.0f;
    DW_PRECISE float scaled = moved * 1073741824.0f;

    return DW_UINT(scaled);
}

/* Which way, and how far, weights are shifted so that their sum has DW_TERRAIN_BITS: up if
 * positive. */
DW_INLINE int dw_terrain_fit(uint sum)
{
    return DW_INT(DW_TERRAIN_BITS - 1u) - DW_INT(dw_terrain_top(sum));
}

DW_INLINE uint dw_terrain_shifted(uint weight, int shift)
{
    return shift >= 0 ? weight << DW_UINT(shift) : weight >> DW_UINT(-shift);
}

/* A fraction of DW_TERRAIN_ONE of a sum that has DW_TERRAIN_BITS. */
DW_INLINE uint dw_terrain_of_sum(uint sum, uint fraction)
{
    return dw_terrain_high(4u * sum, fraction);
}

/* The noise of rank k among M: (k + 1/2) / M in 2^-32. */
DW_INLINE uint dw_terrain_noise_of(uint rank, uint rank_bits)
{
    return (2u * rank + 1u) << (31u - rank_bits);
}

#endif
