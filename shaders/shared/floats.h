/* SPDX-License-Identifier: MIT */
/* Float32 arithmetic that gives the same bits in C, in lavapipe and on NVIDIA: + - * in precise
 * steps, rounding to whole numbers, half packing. Subnormals are flushed by some devices and NaN is
 * passed on differently: scale quantities so that the former do not arise (|x| >= 2^-126 or 0), and
 * remove the latter by dw_is_finite_bits before the first operation.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_FLOATS_H
#define DW_SHARED_FLOATS_H

#include "shared/types.h"

#ifdef GL_core_profile
#define DW_PRECISE               precise
#define dw_bits_from_float(x)    floatBitsToUint(x)
#define dw_float_from_bits(x)    uintBitsToFloat(x)
#define dw_floor(x)              floor(x)
#define dw_round_even(x)         roundEven(x)
#define dw_truncate(x)           trunc(x)
#define dw_float(x)              float(x)
#define dw_pack_half2(x, y)      packHalf2x16(vec2(x, y))
#define dw_unpack_half_low(bits) unpackHalf2x16(bits).x
#else
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define DW_PRECISE
#define dw_floor(x)      floorf(x)
#define dw_round_even(x) rintf(x) /* the rounding mode is to nearest, ties to even */
#define dw_truncate(x)   truncf(x)
#define dw_float(x)      ((float)(x))

static inline uint dw_bits_from_float(float x)
{
    uint bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float dw_float_from_bits(uint bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* binary16 of a finite float32, to nearest, ties to even; too large becomes infinity. Results that
 * are subnormal halves are exact roundings too. */
static inline uint dw_half_from_float(float x)
{
    uint bits = dw_bits_from_float(x);
    uint sign = bits >> 16 & 0x8000u;
    uint magnitude = bits & 0x7fffffffu;
    uint exponent = magnitude >> 23;
    uint mantissa, shift, half, rest;

    if (magnitude >= 0x47800000u)
        return sign | 0x7c00u;
    if (exponent < 102u) /* below half of the smallest subnormal */
        return sign;
    mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    shift = exponent >= 113u ? 13u : 126u - exponent;
    half = mantissa >> shift;
    rest = mantissa & ((1u << shift) - 1u);
    if (rest > 1u << (shift - 1u) || (rest == 1u << (shift - 1u) && (half & 1u) != 0u))
        half += 1u;
    return sign | (exponent >= 113u ? half + ((exponent - 113u) << 10) : half);
}

static inline float dw_float_from_half(uint half)
{
    uint sign = (half & 0x8000u) << 16;
    uint exponent = half >> 10 & 31u;
    uint mantissa = half & 0x3ffu;

    if (exponent == 31u)
        return dw_float_from_bits(sign | 0x7f800000u | mantissa << 13);
    if (exponent != 0u)
        return dw_float_from_bits(sign | (exponent + 112u) << 23 | mantissa << 13);
    return dw_float_from_bits(sign | dw_bits_from_float((float)mantissa * 0x1p-24f));
}

#define dw_pack_half2(x, y)      (dw_half_from_float(x) | dw_half_from_float(y) << 16)
#define dw_unpack_half_low(bits) dw_float_from_half((bits)&0xffffu)
#endif

/* False for infinity and NaN. */
DW_INLINE bool dw_is_finite_bits(uint bits)
{
    return (bits & 0x7f800000u) != 0x7f800000u;
}

/* A subnormal becomes zero of the same sign. */
DW_INLINE float dw_flush(float x)
{
    uint bits = dw_bits_from_float(x);

    return dw_float_from_bits((bits & 0x7f800000u) == 0u ? bits & 0x80000000u : bits);
}

DW_INLINE float dw_dot3(float ax, float ay, float az, float bx, float by, float bz)
{
    DW_PRECISE float x = ax * bx;
    DW_PRECISE float y = ay * by;
    DW_PRECISE float z = az * bz;
    DW_PRECISE float xy = x + y;
    DW_PRECISE float sum = xy + z;

    return sum;
}

/* a at t = 0; at t = 1 b, but for the rounding of b - a. */
DW_INLINE float dw_lerp(float a, float b, float t)
{
    DW_PRECISE float width = b - a;
    DW_PRECISE float part = width * t;
    DW_PRECISE float sum = a + part;

    return sum;
}

/* 1 / x within three units in the last place, for |x| in 2^-117..2^117: Newton's steps from a
 * guess at the exponent. */
DW_INLINE float dw_inverse(float x)
{
    uint bits = dw_bits_from_float(x);
    float most = dw_float_from_bits(bits & 0x7fffffffu);
    float guess = dw_float_from_bits(0x7ef311c7u - (bits & 0x7fffffffu));

    for (uint i = 0u; i < 3u; i++) {
        DW_PRECISE float product = most * guess;
        DW_PRECISE float rest = 2.0f - product;
        DW_PRECISE float better = guess * rest;

        guess = better;
    }
    return dw_float_from_bits(dw_bits_from_float(guess) | (bits & 0x80000000u));
}

/* 1 / sqrt(x) within four units in the last place, for x in 2^-90..2^117; finite at 0. */
DW_INLINE float dw_inverse_root(float x)
{
    DW_PRECISE float from = x + 6.018531e-36f; /* of 0 too; no branch: compilers make vectors */
    float guess = dw_float_from_bits(0x5f375a86u - (dw_bits_from_float(from) >> 1));
    DW_PRECISE float half_x = 0.5f * from;

    for (uint i = 0u; i < 3u; i++) {
        DW_PRECISE float square = guess * guess;
        DW_PRECISE float product = half_x * square;
        DW_PRECISE float rest = 1.5f - product;
        DW_PRECISE float better = guess * rest;

        guess = better;
    }
    return guess;
}

/* sqrt(x) within four units in the last place, for x in 2^-90..2^117, and at 0. */
DW_INLINE float dw_root(float x)
{
    DW_PRECISE float root = x * dw_inverse_root(x);

    return root;
}

/* 2^x within 2e-7 of it, for x in [-100, 100]; beyond as at the end. */
DW_INLINE float dw_power_of_two(float x)
{
    float most = x < 100.0f ? x : 100.0f;
    float least = most > -100.0f ? most : -100.0f;
    /* the sum rounds to a whole number, which its low bits hold */
    DW_PRECISE float middle = least - 0.5f;
    DW_PRECISE float moved = middle + 12582912.0f; /* 3 * 2^22 */
    DW_PRECISE float whole = moved - 12582912.0f;
    DW_PRECISE float f = least - whole;
    DW_PRECISE float p5 = 0.000208291929f * f + 0.001268935211f;
    DW_PRECISE float p4 = p5 * f + 0.009652440659f;
    DW_PRECISE float p3 = p4 * f + 0.055495936143f;
    DW_PRECISE float p2 = p3 * f + 0.240227215057f;
    DW_PRECISE float p1 = p2 * f + 0.693147170649f;
    DW_PRECISE float p0 = p1 * f + 1.0f;
    DW_PRECISE float power =
        p0 * dw_float_from_bits((dw_bits_from_float(moved) - 0x4b3fff81u) << 23);

    return power;
}

#endif
