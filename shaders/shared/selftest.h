/* SPDX-License-Identifier: MIT */
/* The operations that shared files may rely on, each as a function of three operands, so that a
 * driver which computes one of them differently is found before a picture differs.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_SELFTEST_H
#define DW_SHARED_SELFTEST_H

#include "shared/floats.h"

#define DW_SELFTEST_GROUP 64 /* invocations per workgroup */

/* One row per operation; results lie in this order. */
#define DW_SELFTEST_OPS(X) \
    X(0, add)              \
    X(1, subtract)         \
    X(2, multiply)         \
    X(3, multiply_add)     \
    X(4, dot)              \
    X(5, lerp)             \
    X(6, floor)            \
    X(7, round_even)       \
    X(8, truncate)         \
    X(9, fraction)         \
    X(10, to_int)          \
    X(11, from_int)        \
    X(12, from_uint)       \
    X(13, pack_half)       \
    X(14, unpack_half)     \
    X(15, flush)           \
    X(16, least)           \
    X(17, greatest)        \
    X(18, compare)         \
    X(19, multiply_64)     \
    X(20, divide_64)       \
    X(21, divide_i64)

#define DW_SELFTEST_OP_COUNT      22
#define DW_SELFTEST_FLOAT64_COUNT 3 /* quotient, root of the magnitude, product then sum */

/* Any 32 bits become a float of magnitude 2^-30 to 2^31, which keeps every result below normal and
 * finite, or zero. */
DW_INLINE float dw_selftest_operand(uint bits)
{
    uint exponent = 97u + (bits >> 23 & 0xffu) % 61u;

    return dw_float_from_bits((bits & 0x807fffffu) | exponent << 23);
}

DW_INLINE uint dw_selftest_add(uint a, uint b, uint c)
{
    DW_PRECISE float r = dw_selftest_operand(a) + dw_selftest_operand(b);

    return dw_bits_from_float(r) ^ (c & 0u);
}

DW_INLINE uint dw_selftest_subtract(uint a, uint b, uint c)
{
    DW_PRECISE float r = dw_selftest_operand(a) - dw_selftest_operand(b);

    return dw_bits_from_float(r) ^ (c & 0u);
}

DW_INLINE uint dw_selftest_multiply(uint a, uint b, uint c)
{
    DW_PRECISE float r = dw_selftest_operand(a) * dw_selftest_operand(b);

    return dw_bits_from_float(r) ^ (c & 0u);
}

DW_INLINE uint dw_selftest_multiply_add(uint a, uint b, uint c)
{
    DW_PRECISE float product = dw_selftest_operand(a) * dw_selftest_operand(b);
    DW_PRECISE float r = product + dw_selftest_operand(c);

    return dw_bits_from_float(r);
}

DW_INLINE uint dw_selftest_dot(uint a, uint b, uint c)
{
    float x = dw_selftest_operand(a);
    float y = dw_selftest_operand(b);
    float z = dw_selftest_operand(c);

    return dw_bits_from_float(dw_dot3(x, y, z, y, z, x));
}

DW_INLINE uint dw_selftest_lerp(uint a, uint b, uint c)
{
    return dw_bits_from_float(
        dw_lerp(dw_selftest_operand(a), dw_selftest_operand(b), dw_selftest_operand(c)));
}

DW_INLINE uint dw_selftest_floor(uint a, uint b, uint c)
{
    return dw_bits_from_float(dw_floor(dw_selftest_operand(a))) ^ (b & c & 0u);
}

DW_INLINE uint dw_selftest_round_even(uint a, uint b, uint c)
{
    return dw_bits_from_float(dw_round_even(dw_selftest_operand(a))) ^ (b & c & 0u);
}

DW_INLINE uint dw_selftest_truncate(uint a, uint b, uint c)
{
    return dw_bits_from_float(dw_truncate(dw_selftest_operand(a))) ^ (b & c & 0u);
}

DW_INLINE uint dw_selftest_fraction(uint a, uint b, uint c)
{
    float x = dw_selftest_operand(a);
    DW_PRECISE float r = x - dw_floor(x);

    return dw_bits_from_float(r) ^ (b & c & 0u);
}

DW_INLINE uint dw_selftest_to_int(uint a, uint b, uint c)
{
    return DW_UINT(DW_INT(dw_selftest_operand(a))) ^ (b & c & 0u);
}

DW_INLINE uint dw_selftest_from_int(uint a, uint b, uint c)
{
    return dw_bits_from_float(dw_float(DW_INT(a))) ^ (b & c & 0u);
}

DW_INLINE uint dw_selftest_from_uint(uint a, uint b, uint c)
{
    return dw_bits_from_float(dw_float(a)) ^ (b & c & 0u);
}

/* Magnitudes of 2^-14 to 2^14: halves that are neither subnormal nor infinite. */
DW_INLINE uint dw_selftest_pack_half(uint a, uint b, uint c)
{
    float x = dw_float_from_bits((a & 0x807fffffu) | (113u + (a >> 23 & 0xffu) % 28u) << 23);
    float y = dw_float_from_bits((b & 0x807fffffu) | (113u + (b >> 23 & 0xffu) % 28u) << 23);

    return dw_pack_half2(x, y) ^ (c & 0u);
}

DW_INLINE uint dw_selftest_unpack_half(uint a, uint b, uint c)
{
    uint packed = (a & 0x83ffu) | (1u + (a >> 16) % 30u) << 10;

    return dw_bits_from_float(dw_unpack_half_low(packed)) ^ (b & c & 0u);
}

/* Raw bits, subnormals among them; finite. */
DW_INLINE uint dw_selftest_flush(uint a, uint b, uint c)
{
    uint bits = dw_is_finite_bits(a) ? a : a & 0x807fffffu;

    return dw_bits_from_float(dw_flush(dw_float_from_bits(bits))) ^ (b & c & 0u);
}

DW_INLINE uint dw_selftest_least(uint a, uint b, uint c)
{
    float x = dw_selftest_operand(a);
    float y = dw_selftest_operand(b);

    return dw_bits_from_float(x < y ? x : y) ^ (c & 0u);
}

DW_INLINE uint dw_selftest_greatest(uint a, uint b, uint c)
{
    float x = dw_selftest_operand(a);
    float y = dw_selftest_operand(b);

    return dw_bits_from_float(x > y ? x : y) ^ (c & 0u);
}

DW_INLINE uint dw_selftest_compare(uint a, uint b, uint c)
{
    float x = dw_selftest_operand(a);
    float y = dw_selftest_operand(b);
    float z = dw_selftest_operand(c);

    return (x < y ? 1u : 0u) | (y <= z ? 2u : 0u) | (x == z ? 4u : 0u);
}

DW_INLINE uint dw_selftest_multiply_64(uint a, uint b, uint c)
{
    uint64_t product = DW_U64(a) * DW_U64(b) + DW_U64(c);

    return DW_UINT(product >> 32) ^ DW_UINT(product);
}

DW_INLINE uint dw_selftest_divide_64(uint a, uint b, uint c)
{
    uint64_t numerator = DW_U64(a) << 32 | DW_U64(b);
    uint64_t quotient = numerator / DW_U64(c | 1u);

    return DW_UINT(quotient >> 32) ^ DW_UINT(quotient);
}

DW_INLINE uint dw_selftest_divide_i64(uint a, uint b, uint c)
{
    int64_t numerator = DW_I64(DW_INT(a)) * DW_I64(DW_INT(b >> 1));
    int64_t quotient = numerator / DW_I64(DW_INT(c >> 1 | 1u));

    return DW_UINT(quotient >> 32) ^ DW_UINT(quotient);
}

#endif
