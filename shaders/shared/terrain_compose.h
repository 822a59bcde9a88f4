/* SPDX-License-Identifier: MIT */
/* Colours of composed terrain, in whole numbers: light has 16 bits, 65535 is white, and amounts are
 * parts of DW_TERRAIN_FULL.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TERRAIN_COMPOSE_H
#define DW_SHARED_TERRAIN_COMPOSE_H

#include "shared/terrain.h"

#define DW_TERRAIN_FULL      32768u
#define DW_TERRAIN_FULL_BITS 15u

/* Rows and columns of samples have these tables behind the four of dw_terrain_step. Entries are
 * positions in texels, in 2^-8: whole where pictures are read by their nearest texel. */
#define DW_TERRAIN_STEP_BASE   4u
#define DW_TERRAIN_STEP_DETAIL 5u /* of slot 0; the others follow */
#define DW_TERRAIN_STEP_ONE    256u

/* Bits of specialization constant 3 as well. */
#define DW_TERRAIN_IS_CHOSEN   128u /* some of the chosen material shows */
#define DW_TERRAIN_IS_EXPECTED 256u /* and some of the expectation */

/* What pictures there are. A tile of detail repeats; its texels are light times alpha, and alpha.
 */
#define DW_TERRAIN_PAINT_FIELDS(F)                                                       \
    F(uint, samples, 0)  /* of a pixel, along a side */                                  \
    F(uint, chosen, 0)   /* how much of the chosen material */                           \
    F(uint, expected, 0) /* and of the expectation: FULL together */                     \
    F(uint, base_width, 0)                                                               \
    F(uint, strengths, 32) /* by slot, as all that follow: how much of it is mixed in */ \
    F(uint, firsts, 32)    /* texels before the tile's */                                \
    F(uint, widths, 32)                                                                  \
    F(uint, heights, 32)

struct dw_terrain_paint {
    DW_TERRAIN_PAINT_FIELDS(DW_FIELD)
};

/* 1 / sum for dw_terrain_amount; of 0 as of 1. */
DW_INLINE float dw_terrain_amount_inverse(uint sum)
{
    return dw_inverse(dw_float(sum > 0u ? sum : 1u));
}

/* full part / sum, rounded. Differences of those of running sums add up to full. */
DW_INLINE uint dw_terrain_amount(uint part, float inverse, uint full)
{
    DW_PRECISE float share = dw_float(part) * inverse;
    DW_PRECISE float scaled = share * dw_float(full);
    DW_PRECISE float moved = scaled + 0.5f;

    return DW_UINT(DW_INT(moved));
}

/* A chance, up to 1, as a weight. */
DW_INLINE uint dw_terrain_chance(float chance)
{
    DW_PRECISE float scaled = chance * 16777216.0f;

    return DW_UINT(DW_INT(scaled));
}

/* amount factor / FULL */
DW_INLINE uint dw_terrain_part(uint amount, uint factor)
{
    return (amount * factor + DW_TERRAIN_FULL / 2u) >> DW_TERRAIN_FULL_BITS;
}

/* amount alpha / 65535, within 2^-16 of amount; at most amount. */
DW_INLINE uint dw_terrain_cover(uint amount, uint alpha)
{
    return (amount * (alpha + (alpha >> 15)) + 32768u) >> 16;
}

/* Between four texels; fractions below DW_TERRAIN_STEP_ONE. */
DW_INLINE uint dw_terrain_between(uint v00, uint v10, uint v01, uint v11, uint fx, uint fy)
{
    uint above = v00 * (DW_TERRAIN_STEP_ONE - fx) + v10 * fx;
    uint below = v01 * (DW_TERRAIN_STEP_ONE - fx) + v11 * fx;

    return (above * (DW_TERRAIN_STEP_ONE - fy) + below * fy + 32768u) >> 16;
}

/* The base under details: detail is the sum of amounts times light. */
DW_INLINE uint dw_terrain_over(uint base, uint covered, uint detail)
{
    uint sum = base * (DW_TERRAIN_FULL - covered) + detail + DW_TERRAIN_FULL / 2u;
    uint light = sum >> DW_TERRAIN_FULL_BITS;

    return light < 65535u ? light : 65535u;
}

/* Where the mean of that many samples' light lies in the table of codes, which has 65537. */
DW_INLINE uint dw_terrain_code_at(uint sum, uint samples)
{
    uint light = (2u * sum + samples) / (2u * samples);

    return light + (light >> 15);
}

#endif
