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

#endif
