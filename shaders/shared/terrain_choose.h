/* SPDX-License-Identifier: MIT */
/* The material of one sample, and the shares that all have in it. The includer says where the law
 * and the ranks are: in GLSL
 *     #define DW_TERRAIN_WIDTH 8u             // places, at least law.count: 16 unless told
 *     #define DW_TERRAIN_LAW(field) laws[0].field
 *     #define DW_TERRAIN_TABLE(i) (rank i of the table: BLUE, or the BAYER tile)
 * and in C by a dw_terrain_source, which every function takes first.
 *     uint dw_terrain_choose(inout float weights[], inout float heights[], uint cell_x, uint
 * cell_y) void dw_terrain_shares(inout float weights[], inout float heights[]) weights: by place,
 * any floats. heights: by place, looked at in the HEIGHT mode alone. Cells are two's complement.
 * Choose gives the place, or DW_TERRAIN_NONE; shares turns weights into probabilities, all 0 where
 * there is none. Both spoil their arrays. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TERRAIN_CHOOSE_H
#define DW_SHARED_TERRAIN_CHOOSE_H

#include "shared/terrain_weigh.h"

#define DW_TERRAIN_NONE 0xffffffffu

#ifdef GL_core_profile
#ifndef DW_TERRAIN_WIDTH
#define DW_TERRAIN_WIDTH DW_TERRAIN_SLOTS
#endif
#define DW_TERRAIN_INOUT inout
#define DW_TERRAIN_FROM
#define DW_TERRAIN_PASS
#else
#define DW_TERRAIN_WIDTH DW_TERRAIN_MATERIALS
#define DW_TERRAIN_INOUT
#define DW_TERRAIN_FROM       const dw_terrain_source *from,
#define DW_TERRAIN_PASS       from,
#define DW_TERRAIN_LAW(field) (from->law->field)
#define DW_TERRAIN_TABLE(i)   (from->table[i])

typedef struct {
    const struct dw_terrain_law *law;
    const uint16_t *table; /* ranks; NULL of HASH */
} dw_terrain_source;
#endif

#ifdef DW_TERRAIN_LAW
#ifndef DW_TERRAIN_OWN /* what a place has of the law's arrays */
#define DW_TERRAIN_OWN(field, place) (DW_TERRAIN_LAW(field)[place])
#endif

DW_INLINE uint dw_terrain_total(DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    uint sum = 0u;

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        sum += w[i];
    return sum;
}

DW_INLINE uint dw_terrain_most(DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    uint most = 0u;

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        most = w[i] > most ? w[i] : most;
    return most;
}

/* The first of the heaviest. */
DW_INLINE uint dw_terrain_heaviest(DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    uint most = 0u, place = 0u;

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        place = w[i] > most ? i : place;
        most = w[i] > most ? w[i] : most;
    }
    return place;
}

/* Clean and whole weights; returns whether there are any. */
DW_INLINE bool dw_terrain_make_whole(DW_TERRAIN_INOUT float weights[DW_TERRAIN_WIDTH],
                                     DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    float most = 0.0f, scale;

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        weights[i] = dw_terrain_clean(weights[i]);
        most = weights[i] > most ? weights[i] : most;
    }
    scale = dw_terrain_scale(most);
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        w[i] = dw_terrain_whole(weights[i], scale);
    return !dw_terrain_is_empty(dw_terrain_total(w), most);
}

/* Drops small weights, and quantises those that are left. */
DW_INLINE void dw_terrain_tidy(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    uint steps = DW_TERRAIN_LAW(quantize);

    if (DW_TERRAIN_LAW(least) != 0u) {
        uint limit = dw_terrain_high(DW_TERRAIN_LAW(least), dw_terrain_total(w));
        uint heaviest = dw_terrain_heaviest(w);

        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
            w[i] = w[i] > limit || i == heaviest ? w[i] : 0u;
    }
    if (steps != 0u) {
        uint shift = dw_terrain_level_shift(dw_terrain_total(w)), total, part = 0u, before = 0u;
        float inverse;

        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
            w[i] = w[i] >> shift;
        total = dw_terrain_total(w);
        inverse = dw_terrain_level_inverse(total);
        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
            uint level;

            part += w[i];
            level = dw_terrain_level(steps, part, total, inverse);
            w[i] = level - before;
            before = level;
        }
    }
}

DW_INLINE void dw_terrain_raise(DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    uint shift = dw_terrain_lift(dw_terrain_most(w));

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        w[i] = w[i] << shift;
}

/* strength times the weights, the rest to the heaviest. */
DW_INLINE void dw_terrain_share(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    uint sum, heaviest;

    if (DW_TERRAIN_LAW(share) == 0xffffffffu)
        return;
    dw_terrain_raise(w);
    sum = dw_terrain_total(w);
    heaviest = dw_terrain_heaviest(w);
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        w[i] = dw_terrain_high(w[i], DW_TERRAIN_LAW(share));
    sum -= dw_terrain_total(w);
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        w[i] += i == heaviest ? sum : 0u;
}

DW_INLINE void dw_terrain_prioritise(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    float forces[DW_TERRAIN_WIDTH], best = 0.0f;
    float exponent = DW_TERRAIN_LAW(exponent);
    bool is_hard = exponent == 0.0f;
    uint place = DW_TERRAIN_NONE;
    int most = -DW_TERRAIN_FAR;

    dw_terrain_raise(w);
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        forces[i] =
            dw_terrain_force(w[i] | 1u, DW_TERRAIN_OWN(lifts, i), is_hard ? 1.0f : exponent);
        if (w[i] != 0u && (place == DW_TERRAIN_NONE || forces[i] > best)) {
            best = forces[i];
            place = i;
        }
    }
    most = dw_terrain_exponent(best);
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        if (is_hard)
            w[i] = i == place ? 1u : 0u;
        else if (w[i] != 0u)
            w[i] = dw_terrain_forced(dw_terrain_fraction(forces[i]), dw_terrain_exponent(forces[i]),
                                     most);
    }
}

DW_INLINE void dw_terrain_accentuate(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    uint kept[DW_TERRAIN_WIDTH], heaviest, rest = 0u;
    float inverse;

    dw_terrain_raise(w);
    heaviest = dw_terrain_heaviest(w);
    inverse = dw_inverse(dw_float(DW_INT(dw_terrain_most(w) | 1u)));
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        kept[i] = i == heaviest ? w[i] : 0u;
        w[i] = i == heaviest ? 0u : w[i];
    }
    for (uint k = 0u; k < DW_TERRAIN_LAW(accents); k++) {
        uint next = dw_terrain_heaviest(w);
        uint weight = dw_terrain_most(w);
        uint accent = dw_terrain_accent(weight, inverse, DW_TERRAIN_LAW(accent_begin),
                                        DW_TERRAIN_LAW(accent_scale));

        rest += weight - accent;
        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
            kept[i] += i == next ? accent : 0u;
            w[i] = i == next ? 0u : w[i];
        }
    }
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        w[i] = kept[i] + (i == heaviest ? rest : 0u);
}

/* The sum then has DW_TERRAIN_BITS. */
DW_INLINE void dw_terrain_fit_sum(DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH])
{
    int shift = dw_terrain_fit(dw_terrain_total(w));

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        w[i] = dw_terrain_shifted(w[i], shift);
}

/* What sticks out of the window below the highest, as a weight. */
DW_INLINE void dw_terrain_stack(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH],
                                DW_TERRAIN_INOUT float heights[DW_TERRAIN_WIDTH])
{
    uint sum, most = 0u, depth;

    dw_terrain_fit_sum(w);
    sum = dw_terrain_total(w);
    depth = dw_terrain_of_sum(sum, DW_TERRAIN_LAW(depth));
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        w[i] = w[i] == 0u ? 0u
                          : w[i] + dw_terrain_of_sum(
                                       sum, dw_terrain_height(dw_terrain_clean_height(heights[i])));
        most = w[i] > most ? w[i] : most;
    }
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        w[i] = w[i] + depth > most ? w[i] + depth - most : 0u;
}

/* Of whole, tidy weights: those that the noise chooses by. */
DW_INLINE void dw_terrain_weigh(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH],
                                DW_TERRAIN_INOUT float heights[DW_TERRAIN_WIDTH])
{
    uint mode = DW_TERRAIN_LAW(mode);

    if (mode == DW_TERRAIN_MODE_PRIORITY)
        dw_terrain_prioritise(DW_TERRAIN_PASS w);
    else if (mode == DW_TERRAIN_MODE_DOMINANT_ACCENT)
        dw_terrain_accentuate(DW_TERRAIN_PASS w);
    else if (mode == DW_TERRAIN_MODE_HEIGHT)
        dw_terrain_stack(DW_TERRAIN_PASS w, heights);
    if (mode == DW_TERRAIN_MODE_DITHERED || mode == DW_TERRAIN_MODE_HEIGHT)
        dw_terrain_share(DW_TERRAIN_PASS w);
}

/* The noise of a cell in 2^-32; offset: 0, or one of the law's. */
DW_INLINE uint dw_terrain_noise_at(DW_TERRAIN_FROM uint cell_x, uint cell_y, uint seed, uint offset)
{
    uint side = DW_TERRAIN_LAW(side_mask) + 1u;
    uint rank;

    if (DW_TERRAIN_LAW(noise) == DW_TERRAIN_NOISE_HASH)
        rank = dw_dither_hash(cell_x, cell_y, seed);
    else
        rank = DW_TERRAIN_TABLE(
            dw_dither_table_index(side, cell_x + (offset & 0xffffu), cell_y + (offset >> 16)));
    return dw_terrain_noise_of(rank, DW_TERRAIN_LAW(rank_bits));
}

/* The first place of which the noise lies below the cumulative weight. */
DW_INLINE uint dw_terrain_pick(DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH], uint noise)
{
    uint threshold = dw_terrain_high(noise, dw_terrain_total(w));
    uint sum = 0u, place = 0u;

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        sum += w[i];
        place += sum <= threshold ? 1u : 0u;
    }
    return place;
}

/* PRIORITY_ADDITIVE: the best of those that are there. */
DW_INLINE uint dw_terrain_win(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH],
                              uint cell_x, uint cell_y)
{
    uint sum, best = 0u, place = 0u;

    dw_terrain_fit_sum(w);
    sum = dw_terrain_total(w);
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        uint own = DW_TERRAIN_OWN(offsets, i);
        uint noise = dw_terrain_noise_at(DW_TERRAIN_PASS cell_x, cell_y, own, own);
        uint level = DW_TERRAIN_OWN(levels, i) + dw_terrain_high(noise, DW_TERRAIN_LAW(swing));
        uint score = w[i] == 0u ? 0u : w[i] + dw_terrain_of_sum(sum, level);

        place = score > best ? i : place;
        best = score > best ? score : best;
    }
    return place;
}

/* Of whole weights that are not all 0. */
DW_INLINE uint dw_terrain_choose_whole(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH],
                                       DW_TERRAIN_INOUT float heights[DW_TERRAIN_WIDTH],
                                       uint cell_x, uint cell_y)
{
    dw_terrain_tidy(DW_TERRAIN_PASS w);
    if (DW_TERRAIN_LAW(mode) == DW_TERRAIN_MODE_SMOOTH)
        return dw_terrain_heaviest(w);
    if (DW_TERRAIN_LAW(mode) == DW_TERRAIN_MODE_PRIORITY_ADDITIVE)
        return dw_terrain_win(DW_TERRAIN_PASS w, cell_x, cell_y);
    dw_terrain_weigh(DW_TERRAIN_PASS w, heights);
    return dw_terrain_pick(
        w, dw_terrain_noise_at(DW_TERRAIN_PASS cell_x, cell_y, DW_TERRAIN_LAW(seed), 0u));
}

DW_INLINE uint dw_terrain_choose(DW_TERRAIN_FROM DW_TERRAIN_INOUT float weights[DW_TERRAIN_WIDTH],
                                 DW_TERRAIN_INOUT float heights[DW_TERRAIN_WIDTH], uint cell_x,
                                 uint cell_y)
{
    uint w[DW_TERRAIN_WIDTH];

    if (!dw_terrain_make_whole(weights, w))
        return DW_TERRAIN_NONE;
    return dw_terrain_choose_whole(DW_TERRAIN_PASS w, heights, cell_x, cell_y);
}

/* PRIORITY_ADDITIVE: the chance that a place wins, by Gauss's two points in each of 8 parts of the
 * range of the best score; within 0.005. */
DW_INLINE void dw_terrain_chances(DW_TERRAIN_FROM DW_TERRAIN_INOUT uint w[DW_TERRAIN_WIDTH],
                                  DW_TERRAIN_INOUT float shares[DW_TERRAIN_WIDTH])
{
    float levels[DW_TERRAIN_WIDTH], most = 0.0f, inverse;
    DW_PRECISE float swing = dw_float(DW_TERRAIN_LAW(swing)) * 9.31322575e-10f; /* 2^-30 */

    inverse = dw_inverse(dw_float(dw_terrain_total(w) | 1u));
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        DW_PRECISE float share = dw_float(w[i]) * inverse;
        DW_PRECISE float level = dw_float(DW_TERRAIN_OWN(levels, i)) * 9.31322575e-10f;
        DW_PRECISE float sum = share + level;

        levels[i] = w[i] == 0u ? -8.0f : sum; /* without noise: its least score */
        most = levels[i] > most ? levels[i] : most;
    }
    if (DW_TERRAIN_LAW(swing) < 4096u) {
        uint first = DW_TERRAIN_NONE;

        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
            first = first == DW_TERRAIN_NONE && levels[i] == most ? i : first;
            shares[i] = first == i ? 1.0f : 0.0f;
        }
        return;
    }
    inverse = dw_inverse(swing);
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        shares[i] = 0.0f;
    for (uint k = 0u; k < 16u; k++) {
        DW_PRECISE float middle = dw_float(k >> 1) + ((k & 1u) == 0u ? 0.211324865f : 0.788675135f);
        DW_PRECISE float reached = middle * 0.125f; /* of the best's noise */
        DW_PRECISE float offset = reached * swing;
        DW_PRECISE float score = most + offset;
        float product = 1.0f;

        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
            DW_PRECISE float above = score - levels[i];
            DW_PRECISE float chance = above * inverse;
            float below = chance < 1.0f ? chance : 1.0f;
            DW_PRECISE float next = product * (below > 1.0e-6f ? below : 1.0e-6f);

            product = next;
        }
        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
            DW_PRECISE float above = score - levels[i];
            DW_PRECISE float chance = above * inverse;
            DW_PRECISE float without = product * dw_inverse(chance > 1.0e-6f ? chance : 1.0e-6f);
            DW_PRECISE float sum = shares[i] + without;

            shares[i] = chance < 1.0f ? sum : shares[i];
        }
    }
}

DW_INLINE void dw_terrain_shares(DW_TERRAIN_FROM DW_TERRAIN_INOUT float weights[DW_TERRAIN_WIDTH],
                                 DW_TERRAIN_INOUT float heights[DW_TERRAIN_WIDTH])
{
    uint w[DW_TERRAIN_WIDTH];
    bool is_any = dw_terrain_make_whole(weights, w);
    float sum = 0.0f, inverse;

    dw_terrain_tidy(DW_TERRAIN_PASS w);
    if (DW_TERRAIN_LAW(mode) == DW_TERRAIN_MODE_PRIORITY_ADDITIVE) {
        dw_terrain_chances(DW_TERRAIN_PASS w, weights);
    } else {
        dw_terrain_weigh(DW_TERRAIN_PASS w, heights);
        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
            weights[i] = dw_float(w[i]);
    }
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        DW_PRECISE float next = sum + weights[i];

        sum = next;
    }
    inverse = is_any && sum > 0.0f ? dw_inverse(sum) : 0.0f;
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        DW_PRECISE float share = weights[i] * inverse;

        weights[i] = share;
    }
}
#endif

#endif
