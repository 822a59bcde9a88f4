/* SPDX-License-Identifier: MIT */
/* Screen-door dithering: every pixel has a rank, an amount becomes a number n of ranks, and a
 * fragment whose rank is below n is discarded. The same ranks go at every amount, so that masks are
 * nested: no pixel comes back while a fade goes on, and keeping rank >= n here and rank < n there
 * shares the pixels out exactly.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_DITHER_H
#define DW_SHARED_DITHER_H

#include "shared/floats.h"

#ifdef GL_core_profile
#define DW_DITHER_PATTERN(value, NAME, name, ranks, doc) \
    const uint DW_DITHER_PATTERN_##NAME = value;
#include "shared/dither_patterns.def"
#undef DW_DITHER_PATTERN
#define DW_DITHER_RULE(value, NAME, name, doc) const uint DW_DITHER_RULE_##NAME = value;
#include "shared/dither_rules.def"
#undef DW_DITHER_RULE
#else
typedef enum dw_dither_pattern {
#define DW_DITHER_PATTERN(value, NAME, name, ranks, doc) DW_DITHER_PATTERN_##NAME = value,
#include "shared/dither_patterns.def"
#undef DW_DITHER_PATTERN
} dw_dither_pattern;

typedef enum dw_dither_rule {
#define DW_DITHER_RULE(value, NAME, name, doc) DW_DITHER_RULE_##NAME = value,
#include "shared/dither_rules.def"
#undef DW_DITHER_RULE
} dw_dither_rule;
#endif

/* Ranks are numbers below 2^14 or, of a table with a side of 256, 2^16. */
#define DW_DITHER_HASH_BITS    14u
#define DW_DITHER_SIDE_MIN     8u
#define DW_DITHER_SIDE_MAX     256u /* of a blue table; a power of two */
#define DW_DITHER_SEED_LEAST   0.001f
/* Smaller amounts count as 0: some devices would flush them. */
#define DW_DITHER_AMOUNT_LEAST 1.0e-30f

/* Ordered dither of side 2^bits (Bayer 1973): x0 ^ y0 is the highest bit of the rank. */
DW_INLINE uint dw_dither_bayer(uint x, uint y, uint bits)
{
    uint rank = 0u;

    for (uint i = 0u; i < bits; i++)
        rank = rank << 2 | ((x >> i ^ y >> i) & 1u) << 1 | (y >> i & 1u);
    return rank;
}

/* One step of PCG-RXS-M-XS-32 (O'Neill 2014), which mixes all 32 bits. */
DW_INLINE uint dw_hash(uint x)
{
    uint state = x * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;

    return word >> 22 ^ word;
}

DW_INLINE uint dw_dither_hash(uint x, uint y, uint instance)
{
    return dw_hash(x + dw_hash(y + dw_hash(instance))) >> (32u - DW_DITHER_HASH_BITS);
}

/* Where a blue table of this side, a power of two, holds the rank of a pixel. Coordinates wrap,
 * also below zero as two's complement. */
DW_INLINE uint dw_dither_table_index(uint side, uint x, uint y)
{
    return (y & (side - 1u)) * side + (x & (side - 1u));
}

/* The rank by every pattern but BLUE. */
DW_INLINE uint dw_dither_formula(uint pattern, uint x, uint y, uint instance)
{
    if (pattern == DW_DITHER_PATTERN_HASH)
        return dw_dither_hash(x, y, instance);
    return dw_dither_bayer(x, y, pattern + 2u);
}

/* How many ranks a pattern has; side: of its table, for BLUE. */
DW_INLINE uint dw_dither_rank_count(uint pattern, uint side)
{
    if (pattern == DW_DITHER_PATTERN_HASH)
        return 1u << DW_DITHER_HASH_BITS;
    return pattern == DW_DITHER_PATTERN_BLUE ? side * side : 1u << (2u * pattern + 4u);
}

/* Ranks that an amount discards, 0 to rank_count. rank_count is a power of two, at most 2^16, so
 * that the product is exact. Amounts beyond [0, 1] count as its ends; finite. */
DW_INLINE uint dw_discard_count(uint rule, uint rank_count, float amount)
{
    DW_PRECISE float scaled = (amount < 1.0f ? amount : 1.0f) * dw_float(rank_count);
    DW_PRECISE float shifted = scaled;
    DW_PRECISE float raised = dw_floor(scaled) + 1.0f;
    float count;

    if (!(amount >= DW_DITHER_AMOUNT_LEAST))
        return 0u;
    if (rule == DW_DITHER_RULE_SEED) {
        count = amount < DW_DITHER_SEED_LEAST ? 0.0f : raised;
    } else {
        if (rule == DW_DITHER_RULE_CENTRED)
            shifted = scaled - 0.5f;
        count = dw_floor(shifted);
        raised = count + 1.0f;
        count = count < shifted ? raised : count; /* the ceiling */
        count = count > 0.0f ? count : 0.0f;
    }
    return count < dw_float(rank_count) ? DW_UINT(count) : rank_count;
}

/* ---- what a mask is made of ---- */

#define DW_DITHER_LANES 64

#define DW_DITHER_PUSH_FIELDS(F) \
    F(uint, width, 0)            \
    F(uint, height, 0)           \
    F(uint, pattern, 0)          \
    F(uint, rule, 0)             \
    F(uint, side, 0)             \
    F(uint, origin_x, 0)         \
    F(uint, origin_y, 0)         \
    F(uint, instance, 0)         \
    F(uint, size, 0) /* pixels of all masks */

struct dw_dither_push {
    DW_DITHER_PUSH_FIELDS(DW_FIELD)
};

#ifdef DW_DITHER_TABLE /* (i): rank i of the blue table, which the includer defines */
DW_INLINE uint dw_dither_rank(uint pattern, uint side, uint x, uint y, uint instance)
{
    if (pattern == DW_DITHER_PATTERN_BLUE)
        return DW_DITHER_TABLE(dw_dither_table_index(side, x, y));
    return dw_dither_formula(pattern, x, y, instance);
}
#endif

#endif
