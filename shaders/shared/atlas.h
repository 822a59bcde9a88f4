/* SPDX-License-Identifier: MIT */
/* The arithmetic of the foliage-atlas baker, in integers: native C and every Vulkan driver give the
 * same bytes because they compile this file.
 *
 * Quantities: D, linear light, 16 bits (65535 = white). A, alpha weight, 24 bits (DW_WEIGHT_ONE =
 * opaque). P = D * A / 65535, premultiplied light, never above A. a16, alpha in 16 bits.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_ATLAS_H
#define DW_SHARED_ATLAS_H

#include "shared/indices.h"
#include "shared/limits.h"
#include "shared/types.h"

/* Where a tile lies at one level, in texels of that level; ends are exclusive. Texels whose centre
 * lies in the tile are its own, and those at its rim that no other tile has; content texels are
 * those that the inside of the gutter touches. Samples, four to a texel along each axis, lie inside
 * the gutter, whose edge far down falls inside a texel: phase (-1 to 2 sixteenths) moves their grid
 * so that it begins at that edge. Small content (dw_is_even) is sampled evenly over [even_x0,
 * even_x1) instead, in 64ths of a texel.
 */
#define DW_TILE_LEVEL_FIELDS(F) \
    F(int, x0, 0)               \
    F(int, y0, 0)               \
    F(int, x1, 0)               \
    F(int, y1, 0)               \
    F(int, content_x0, 0)       \
    F(int, content_y0, 0)       \
    F(int, content_x1, 0)       \
    F(int, content_y1, 0)       \
    F(int, sample_x0, 0)        \
    F(int, sample_y0, 0)        \
    F(int, sample_x1, 0)        \
    F(int, sample_y1, 0)        \
    F(int, phase_x, 0)          \
    F(int, phase_y, 0)          \
    F(int, even_x0, 0)          \
    F(int, even_y0, 0)          \
    F(int, even_x1, 0)          \
    F(int, even_y1, 0)

struct dw_tile_level {
    DW_TILE_LEVEL_FIELDS(DW_FIELD)
};

#define DW_REMAP_IDENTITY  0u
#define DW_REMAP_AFFINE    1u
#define DW_REMAP_PIECEWISE 2u

/* How one level of one tile turns averaged alpha into tested alpha. Affine: y = y[0] + (a - x[0]) *
 * k[0]. Piecewise: knots (x, y) with gain k to the next one. x and y are 16-bit alphas, k and
 * strength are in units of 1/65536. */
#define DW_ALPHA_REMAP_FIELDS(F) \
    F(uint, kind, 0)             \
    F(uint, knots, 0)            \
    F(uint, strength, 0)         \
    F(uint, x, 6)                \
    F(uint, y, 6)                \
    F(uint, k, 6)

struct dw_alpha_remap {
    DW_ALPHA_REMAP_FIELDS(DW_FIELD)
};

/* Colour planes hold 0xAABBGGRR with flags in the top byte. */
#define DW_COLOR_VISIBLE 0x01000000u /* the texel has alpha: the colour is its own */
#define DW_COLOR_KNOWN   0x02000000u /* the texel has none: the colour was found elsewhere */

#ifndef GL_core_profile
typedef struct dw_tile_level dw_tile_level;
typedef struct dw_alpha_remap dw_alpha_remap;
#endif

/* 8-bit alpha to 16 bits: 255 becomes 65535. */
DW_INLINE uint dw_alpha_from_8(uint a8)
{
    return a8 * 257u;
}

DW_INLINE uint dw_alpha_to_8(uint a16)
{
    return (a16 + 128u) / 257u;
}

DW_INLINE uint dw_weight_from_alpha(uint a16)
{
    return a16 * 255u;
}

DW_INLINE uint dw_weight_to_alpha(uint weight)
{
    return (weight + 127u) / 255u;
}

/* P of a level-0 texel. The product of two 16-bit numbers plus 128 stays below 2^32. */
DW_INLINE uint dw_premultiply(uint light, uint a16)
{
    return (light * a16 + 128u) / 257u;
}

/* round(65536 * P / A), 0 to 65536, for 0 <= P <= A < 2^24 and A > 0, in 32-bit divisions. */
DW_INLINE uint dw_unpremultiply(uint p, uint a)
{
    uint high = (p << 8) / a;
    uint rest = (p << 8) - high * a;

    return (high << 8) + ((rest << 8) + (a >> 1)) / a;
}

/* What dw_unpremultiply_by needs of a > 0, once for all channels. */
DW_INLINE uint dw_reciprocal(uint a)
{
    return 0xffffffffu / a;
}

/* n / a without a division: the estimate is right or one too low. */
DW_INLINE uint dw_divide_by(uint n, uint a, uint reciprocal)
{
    uint quotient = DW_UINT((DW_U64(n) * DW_U64(reciprocal)) >> 32);

    return n - quotient * a >= a ? quotient + 1u : quotient;
}

/* dw_unpremultiply with the reciprocal of a. */
DW_INLINE uint dw_unpremultiply_by(uint p, uint a, uint reciprocal)
{
    uint high = dw_divide_by(p << 8, a, reciprocal);
    uint rest = (p << 8) - high * a;

    return (high << 8) + dw_divide_by((rest << 8) + (a >> 1), a, reciprocal);
}

/* First texel of a level whose centre does not lie left of source position p (0 to size). */
DW_INLINE int dw_level_edge(int p, int size, int level_size)
{
    return DW_INT((DW_I64(2) * DW_I64(p) * DW_I64(level_size) + DW_I64(size) - DW_I64(1)) /
                  (DW_I64(2) * DW_I64(size)));
}

/* A bilinear sample between four texels, times DW_SAMPLE_ONE. wx, wy: 64ths on the way from the
 * left to the right and from the upper to the lower texel, 0 to 64. */
DW_INLINE uint dw_bilinear(uint a00, uint a10, uint a01, uint a11, uint wx, uint wy)
{
    return (64u - wx) * ((64u - wy) * a00 + wy * a01) + wx * ((64u - wy) * a10 + wy * a11);
}

/* 64ths at which sub-sample k of a cell lies, 0 <= k < 4. */
DW_INLINE uint dw_sample_weight(uint k, int phase)
{
    return DW_UINT(4 * (4 * DW_INT(k) + 2 + phase));
}

DW_INLINE bool dw_is_even(dw_tile_level place)
{
    return (place.content_x1 - place.content_x0) * (place.content_y1 - place.content_y0) <=
           DW_EVEN_TEXELS;
}

/* Evenly spread samples of an axis: their number, and where sample i lies from texel centre 0, in
 * 64ths. */
DW_INLINE int dw_even_count(int begin, int end)
{
    return (end - begin + 15) / 16;
}

DW_INLINE int dw_even_position(int i, int begin, int end)
{
    return begin + ((2 * i + 1) * (end - begin)) / (2 * dw_even_count(begin, end)) - 32;
}

/* Bits that a share's numerator and denominator lose so that the denominator is at most 2^28: the
 * products and sums of dw_coverage_miss then fit in 64 bits for every atlas. */
DW_INLINE uint dw_share_shift(uint64_t count)
{
    uint shift = 0u;

    while ((count >> shift) > (DW_U64(1) << 28))
        shift++;
    return shift;
}

/* Sub-samples [0, 4) of the cell left of texel i that lie within samples [begin, end). Cells lie
 * between texel centres: this one holds samples 4 * i - 2 to 4 * i + 1. */
DW_INLINE int dw_cell_begin(int i, int begin)
{
    int first = begin - (4 * i - 2);

    return first < 0 ? 0 : first;
}

DW_INLINE int dw_cell_end(int i, int end)
{
    int last = end - (4 * i - 2);

    return last > 4 ? 4 : last;
}

/* How far a threshold that `passing` of `count` samples pass misses the share target /
 * target_count: comparable between thresholds of one level. Of two that miss by as much, the one
 * that passes more misses less: a canopy shall not thin. */
DW_INLINE uint64_t dw_coverage_miss(uint64_t passing, uint64_t count, uint64_t target,
                                    uint64_t target_count)
{
    uint64_t got = passing * target_count;
    uint64_t wanted = target * count;

    return got < wanted ? (wanted - got) * DW_U64(2) + DW_U64(1) : (got - wanted) * DW_U64(2);
}

/* Whether a summed miss is under a twentieth of a point of coverage: no round can better it much.
 */
DW_INLINE bool dw_coverage_is_met(uint64_t miss, uint64_t count, uint64_t target_count)
{
    return miss <= ((count * target_count) >> 10);
}

/* The threshold bin among [low, high], all of which pass the same samples: the one nearest to
 * `wanted`, but a step of 8-bit alpha (16 bins) inside the ends where there is room, so that
 * rounding the remapped alpha turns no sample over. */
DW_INLINE int dw_place_threshold(int low, int high, int wanted)
{
    int margin = (high - low) / 2 < 16 ? (high - low) / 2 : 16;

    return wanted < low + margin ? low + margin : (wanted > high - margin ? high - margin : wanted);
}

/* Gain of the affine remap that takes threshold t to cutoff c (16-bit alphas, 0 < t < 65535): the
 * steeper of the two lines that keep 0 at or below 0 and opaque at or above opaque. */
DW_INLINE uint dw_affine_gain(uint c16, uint t16)
{
    uint below = (c16 << 16) / t16;
    uint above = ((DW_ALPHA_ONE - c16) << 16) / (DW_ALPHA_ONE - t16);
    uint gain = below > above ? below : above;

    return gain > DW_GAIN_MAX ? DW_GAIN_MAX : gain;
}

/* The remap of one level that takes each threshold to its cutoff, all 16-bit alphas; 0 marks a
 * cutoff that is passed by all or by none and needs no knot. */
DW_INLINE dw_alpha_remap dw_remap_from_thresholds(const uint thresholds[DW_CUTOFFS_MAX],
                                                  const uint cutoff_alpha[DW_CUTOFFS_MAX],
                                                  uint cutoff_count, uint strength)
{
    dw_alpha_remap remap;
    uint knots = 1u;
    uint i;

    remap.kind = DW_REMAP_IDENTITY;
    remap.knots = 0u;
    remap.strength = strength;
    for (i = 0u; i < DW_UINT(DW_REMAP_KNOTS); i++)
        remap.x[i] = remap.y[i] = remap.k[i] = 0u;
    for (i = 0u; i < cutoff_count; i++) {
        uint threshold = thresholds[i];

        if (threshold == 0u)
            continue;
        if (threshold <= remap.x[knots - 1u])
            threshold = remap.x[knots - 1u] + 16u;
        if (threshold >= DW_ALPHA_ONE)
            break;
        remap.x[knots] = threshold;
        remap.y[knots] = cutoff_alpha[i];
        knots++;
    }
    if (knots == 2u) {
        remap.kind = DW_REMAP_AFFINE;
        remap.knots = 1u;
        remap.x[0] = remap.x[1];
        remap.y[0] = remap.y[1];
        remap.k[0] = dw_affine_gain(remap.y[0], remap.x[0]);
        remap.x[1] = remap.y[1] = 0u;
    }
    if (knots > 2u) {
        remap.kind = DW_REMAP_PIECEWISE;
        remap.knots = knots + 1u;
        remap.x[knots] = remap.y[knots] = DW_ALPHA_ONE;
        for (i = 0u; i < knots; i++) {
            uint gain = ((remap.y[i + 1u] - remap.y[i]) << 16) / (remap.x[i + 1u] - remap.x[i]);

            remap.k[i] = gain > DW_GAIN_MAX ? DW_GAIN_MAX : gain;
        }
    }
    return remap;
}

/* base + (a - x) * k / 65536, held within 0 and 65535. */
DW_INLINE uint dw_line(uint a, uint x, uint base, uint k)
{
    int64_t y = DW_I64(base) + (((DW_I64(a) - DW_I64(x)) * DW_I64(k)) >> 16);

    return y < DW_I64(0) ? 0u : (y > DW_I64(DW_ALPHA_ONE) ? DW_ALPHA_ONE : DW_UINT(y));
}

/* The line from (x, y) on, and as much of what it changes as strength says. */
DW_INLINE uint dw_remap_line(uint a, uint x, uint y, uint k, uint strength)
{
    return dw_line(dw_line(a, x, y, k), a, a, strength);
}

DW_INLINE uint dw_remap_alpha(dw_alpha_remap remap, uint a)
{
    uint segment = 0u;

    if (remap.kind == DW_REMAP_IDENTITY)
        return a;
    if (remap.kind == DW_REMAP_PIECEWISE)
        while (segment + 2u < remap.knots && a >= remap.x[segment + 1u])
            segment++;
    return dw_remap_line(a, remap.x[segment], remap.y[segment], remap.k[segment], remap.strength);
}

/* The alpha that a remap at full strength takes to y, held within 16 and 65520. */
DW_INLINE uint dw_remap_inverse(dw_alpha_remap remap, uint y)
{
    uint segment = 0u;
    int64_t x = DW_I64(y);

    if (remap.kind == DW_REMAP_PIECEWISE)
        while (segment + 2u < remap.knots && y >= remap.y[segment + 1u])
            segment++;
    if (remap.kind != DW_REMAP_IDENTITY)
        x = DW_I64(remap.x[segment]);
    if (remap.kind != DW_REMAP_IDENTITY && remap.k[segment] > 0u)
        x += ((DW_I64(y) - DW_I64(remap.y[segment])) * DW_I64(65536)) / DW_I64(remap.k[segment]);
    return x < DW_I64(16) ? 16u : (x > DW_I64(65520) ? 65520u : DW_UINT(x));
}

/* Averaged alpha as a sampler meets it after the remap: rounded to 8 bits, widened to 16. */
DW_INLINE uint dw_remap_rounded(dw_alpha_remap remap, uint a)
{
    return dw_alpha_from_8(dw_alpha_to_8(dw_remap_alpha(remap, a)));
}

/* Where a dilated texel finds its colour: squared distance, then dy, then dx, so that the smallest
 * key is the nearest seed and, among equals, the upper and then the left one. Never below zero,
 * at most 49 * 256 + 255. */
DW_INLINE uint dw_seed_key(int dx, int dy)
{
    return DW_UINT(dx * dx + dy * dy) * 256u + DW_UINT(dy + 7) * 16u + DW_UINT(dx + 7);
}

#define DW_SEED_NONE 0xffffu

#endif
