/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

/* Calls would keep loops from becoming vectors. */
#define DW_INLINE static DW_ALWAYS_INLINE

#include "cpu/terrain_block.h"

#include <string.h>

typedef uint32_t lanes[DW_TERRAIN_LANES];

DW_SIMD static void add_up(dw_terrain_block *restrict b)
{
    memset(b->sum, 0, sizeof b->sum);
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->sum[i] += b->w[p][i];
}

DW_SIMD static void find_most(dw_terrain_block *restrict b)
{
    memset(b->most, 0, sizeof b->most);
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->most[i] = b->w[p][i] > b->most[i] ? b->w[p][i] : b->most[i];
}

DW_SIMD void dw_terrain_block_heaviest(dw_terrain_block *restrict b)
{
    memset(b->most, 0, sizeof b->most);
    memset(b->place, 0, sizeof b->place);
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            uint32_t w = b->w[p][i], most = b->most[i];

            b->place[i] = w > most ? p : b->place[i];
            b->most[i] = w > most ? w : most;
        }
    }
}

DW_SIMD void dw_terrain_block_whole(dw_terrain_block *restrict b)
{
    memset(b->best, 0, sizeof b->best);
    memset(b->sum, 0, sizeof b->sum);
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->best[i] = b->f[p][i] > b->best[i] ? b->f[p][i] : b->best[i];
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            b->w[p][i] = dw_terrain_whole(b->f[p][i], dw_terrain_scale(b->best[i]));
            b->sum[i] += b->w[p][i];
        }
    }
    for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
        b->is_empty[i] = dw_terrain_is_empty(b->sum[i], b->best[i]);
}

DW_SIMD void dw_terrain_block_check(dw_terrain_block *restrict b)
{
    memset(b->sum, 0, sizeof b->sum);
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->sum[i] += b->w[p][i];
    for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
        b->is_empty[i] = b->sum[i] == 0;
}

DW_SIMD static void drop(dw_terrain_block *restrict b, uint32_t least)
{
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            uint32_t w = b->w[p][i];
            uint32_t is_kept = (w > dw_terrain_high(least, b->sum[i])) | (b->place[i] == p);

            b->w[p][i] = is_kept ? w : 0;
        }
    }
}

DW_SIMD static void shift_down(dw_terrain_block *restrict b)
{
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->w[p][i] = b->w[p][i] >> dw_terrain_level_shift(b->sum[i]);
}

/* By cumulative rounding, so that they sum to the steps. */
DW_SIMD static void set_levels(dw_terrain_block *restrict b, uint32_t steps)
{
    lanes part = { 0 }, before = { 0 };
    float inverse[DW_TERRAIN_LANES];

    for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
        inverse[i] = dw_terrain_level_inverse(b->sum[i]);
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            uint32_t level;

            part[i] += b->w[p][i];
            level = dw_terrain_level(steps, part[i], b->sum[i], inverse[i]);
            b->w[p][i] = level - before[i];
            before[i] = level;
        }
    }
}

void dw_terrain_block_tidy(dw_terrain_block *b, const struct dw_terrain_law *law)
{
    if (law->least != 0) {
        dw_terrain_block_heaviest(b);
        drop(b, law->least);
        add_up(b);
    }
    if (law->quantize != 0) {
        shift_down(b);
        add_up(b);
        set_levels(b, law->quantize);
        add_up(b);
    }
}

DW_SIMD static void raise(dw_terrain_block *restrict b)
{
    find_most(b);
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->w[p][i] = b->w[p][i] << dw_terrain_lift(b->most[i]);
}

DW_SIMD static void scale_shares(dw_terrain_block *restrict b, uint32_t share)
{
    lanes left;

    memcpy(left, b->sum, sizeof left);
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            b->w[p][i] = dw_terrain_high(b->w[p][i], share);
            left[i] -= b->w[p][i];
        }
    }
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->w[p][i] += b->place[i] == p ? left[i] : 0;
}

static void share(dw_terrain_block *b, const struct dw_terrain_law *law)
{
    if (law->share == 0xffffffff)
        return;
    raise(b);
    add_up(b);
    dw_terrain_block_heaviest(b);
    scale_shares(b, law->share);
}

/* f: forces; best: the largest of those that are there; place: its. */
DW_SIMD static void force(dw_terrain_block *restrict b, const float *lifts, float exponent)
{
    for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
        b->best[i] = -3.0e38f;
        b->place[i] = 0;
    }
    for (uint32_t p = 0; p < b->count; p++) {
        float lift = lifts[p];

        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            float made = dw_terrain_force(b->w[p][i] | 1u, lift, exponent);
            float known = b->w[p][i] != 0 ? made : -3.0e38f;
            float best = b->best[i];

            b->f[p][i] = made;
            b->place[i] = known > best ? p : b->place[i];
            b->best[i] = known > best ? known : best;
        }
    }
    for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
        b->best[i] = b->best[i] > -3.0e38f ? b->best[i] : 0.0f; /* empty */
}

DW_SIMD static void take_powers(dw_terrain_block *restrict b)
{
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            float made = b->f[p][i];
            uint32_t forced =
                dw_terrain_forced(dw_terrain_fraction(made), dw_terrain_exponent(made),
                                  dw_terrain_exponent(b->best[i]));

            b->w[p][i] = b->w[p][i] != 0 ? forced : 0;
        }
    }
}

DW_SIMD static void keep_place(dw_terrain_block *restrict b)
{
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->w[p][i] = b->place[i] == p;
}

static void prioritise(dw_terrain_block *b, const struct dw_terrain_law *law)
{
    bool is_hard = law->exponent == 0;

    raise(b);
    force(b, law->lifts, is_hard ? 1.0f : law->exponent);
    if (is_hard)
        keep_place(b);
    else
        take_powers(b);
}

/* v: what is kept; most and place: of the heaviest that is left in w. */
DW_SIMD static void move_accent(dw_terrain_block *restrict b, const float *restrict inverse,
                                uint32_t *restrict rest, const struct dw_terrain_law *law)
{
    lanes accent;

    for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
        accent[i] = dw_terrain_accent(b->most[i], inverse[i], law->accent_begin, law->accent_scale);
        rest[i] += b->most[i] - accent[i];
    }
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            b->v[p][i] += b->place[i] == p ? accent[i] : 0;
            b->w[p][i] = b->place[i] == p ? 0 : b->w[p][i];
        }
    }
}

DW_SIMD static void begin_accents(dw_terrain_block *restrict b, float *restrict inverse,
                                  uint32_t *restrict heaviest)
{
    for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
        inverse[i] = dw_inverse(dw_float(DW_INT(b->most[i] | 1u)));
        heaviest[i] = b->place[i];
    }
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            b->v[p][i] = b->place[i] == p ? b->w[p][i] : 0;
            b->w[p][i] = b->place[i] == p ? 0 : b->w[p][i];
        }
    }
}

DW_SIMD static void end_accents(dw_terrain_block *restrict b, const uint32_t *restrict rest,
                                const uint32_t *restrict heaviest)
{
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->w[p][i] = b->v[p][i] + (heaviest[i] == p ? rest[i] : 0);
}

static void accentuate(dw_terrain_block *b, const struct dw_terrain_law *law)
{
    lanes rest = { 0 }, heaviest;
    float inverse[DW_TERRAIN_LANES];

    raise(b);
    dw_terrain_block_heaviest(b);
    begin_accents(b, inverse, heaviest);
    for (uint32_t k = 0; k < law->accents; k++) {
        dw_terrain_block_heaviest(b);
        move_accent(b, inverse, rest, law);
    }
    end_accents(b, rest, heaviest);
}

DW_SIMD static void fit_sum(dw_terrain_block *restrict b)
{
    for (uint32_t p = 0; p < b->count; p++)
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->w[p][i] = dw_terrain_shifted(b->w[p][i], dw_terrain_fit(b->sum[i]));
}

DW_SIMD static void stack(dw_terrain_block *restrict b, uint32_t depth)
{
    memset(b->most, 0, sizeof b->most);
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            uint32_t w = b->w[p][i];
            uint32_t height = dw_terrain_of_sum(b->sum[i], dw_terrain_height(b->heights[p][i]));

            w = w == 0 ? 0 : w + height;
            b->w[p][i] = w;
            b->most[i] = w > b->most[i] ? w : b->most[i];
        }
    }
    for (uint32_t p = 0; p < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            uint32_t top = b->w[p][i] + dw_terrain_of_sum(b->sum[i], depth);

            b->w[p][i] = top > b->most[i] ? top - b->most[i] : 0;
        }
    }
}

void dw_terrain_block_weigh(dw_terrain_block *b, const struct dw_terrain_law *law)
{
    if (law->mode == DW_TERRAIN_MODE_PRIORITY) {
        prioritise(b, law);
    } else if (law->mode == DW_TERRAIN_MODE_DOMINANT_ACCENT) {
        accentuate(b, law);
    } else if (law->mode == DW_TERRAIN_MODE_HEIGHT) {
        fit_sum(b);
        add_up(b);
        stack(b, law->depth);
    }
    if (law->mode == DW_TERRAIN_MODE_DITHERED || law->mode == DW_TERRAIN_MODE_HEIGHT)
        share(b, law);
    add_up(b);
}

DW_SIMD void dw_terrain_block_pick(dw_terrain_block *restrict b)
{
    lanes threshold, sum = { 0 };

    memset(b->place, 0, sizeof b->place);
    for (size_t i = 0; i < DW_TERRAIN_LANES; i++)
        threshold[i] = dw_terrain_high(b->noise[i], b->sum[i]);
    for (uint32_t p = 0; p + 1 < b->count; p++) {
        for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
            sum[i] += b->w[p][i];
            b->place[i] += sum[i] <= threshold[i];
        }
    }
}

void dw_terrain_block_begin_win(dw_terrain_block *b)
{
    fit_sum(b);
    add_up(b);
    memset(b->most, 0, sizeof b->most);
    memset(b->place, 0, sizeof b->place);
}

DW_SIMD void dw_terrain_block_win(dw_terrain_block *restrict b, const struct dw_terrain_law *law,
                                  uint32_t place)
{
    uint32_t base = law->levels[place], swing = law->swing;

    for (size_t i = 0; i < DW_TERRAIN_LANES; i++) {
        uint32_t w = b->w[place][i];
        uint32_t level = base + dw_terrain_high(b->noise[i], swing);
        uint32_t score = w == 0 ? 0 : w + dw_terrain_of_sum(b->sum[i], level);

        b->place[i] = score > b->most[i] ? place : b->place[i];
        b->most[i] = score > b->most[i] ? score : b->most[i];
    }
}
