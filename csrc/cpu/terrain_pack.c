/* SPDX-License-Identifier: MIT */
#include "cpu/terrain_pack.h"

#include "shared/dither.h"

#include <string.h>

typedef struct pack_job {
    const dw_pack_def *def;
    uint8_t *bytes;
} pack_job;

typedef struct index_job {
    const dw_index_def *def;
    uint32_t *map;
    double *lost, *most;
} index_job;

/* The weights that count, as doubles; returns their sum in the order of slots. */
static double take_weights(const float *weights, uint32_t count, double *out)
{
    double sum = 0.0;

    for (uint32_t i = 0; i < count; i++) {
        bool counts = dw_is_finite_bits(dw_bits_from_float(weights[i])) && weights[i] > 0.0f;

        out[i] = counts ? (double)weights[i] : 0.0;
        sum += out[i];
    }
    return sum;
}

/* What is left after rounding down goes to the largest remainders, the first of equal ones. Each
 * is placed by counting those before it: no branch depends on weights. */
static void round_by_remainder(const double *weights, uint32_t count, double scale, uint32_t total,
                               uint32_t *codes)
{
    double rests[DW_PACK_SLOTS_MAX];
    int left = (int)total;

    for (uint32_t i = 0; i < count; i++) {
        double share = weights[i] * scale;
        int code = (int)share;

        codes[i] = (uint32_t)code;
        rests[i] = share - code;
        left -= code;
    }
    for (uint32_t i = 0; i < count; i++) {
        int before = 0;

        for (uint32_t k = 0; k < i; k++)
            before += rests[k] >= rests[i];
        for (uint32_t k = i + 1; k < count; k++)
            before += rests[k] > rests[i];
        codes[i] += before < left;
    }
}

/* Systematic sampling: steps of the running sum that cross whole numbers, moved by one threshold
 * between 2^-17 and 1 - 2^-17, so that the last step ends at the total. */
static void round_by_threshold(const double *weights, uint32_t count, double scale, uint32_t total,
                               double threshold, uint32_t *codes)
{
    double running = 0.0;
    uint32_t before = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t now;

        running += weights[i];
        now = (uint32_t)(running * scale + threshold);
        now = now < total ? now : total;
        codes[i] = now - before;
        before = now;
    }
    DW_ASSERT(before == total);
}

static void put_codes(const uint32_t *codes, const dw_pack_def *def, uint8_t *bytes)
{
    memset(bytes, 0, def->pitch);
    for (uint32_t i = 0; i < def->slots; i++)
        if (def->bits == 8)
            bytes[i] = (uint8_t)codes[i];
        else
            bytes[i / 2] |= (uint8_t)(codes[i] << 4 * (i & 1));
}

static void pack_row(void *user, int64_t row, int worker)
{
    const pack_job *job = user;
    const dw_pack_def *def = job->def;
    const float *weights = def->weights + (size_t)row * def->width * def->slots;
    uint8_t *bytes = job->bytes + (size_t)row * def->width * def->pitch;
    uint32_t total = (1u << def->bits) - 1u;
    double rank_share = def->ranks == NULL ? 0.0 : 1.0 / ((double)def->side * def->side);

    (void)worker;
    for (uint32_t x = 0; x < def->width; x++, weights += def->slots, bytes += def->pitch) {
        double clean[DW_PACK_SLOTS_MAX], sum = take_weights(weights, def->slots, clean);
        double scale = total / sum; /* not used where sum is 0 */
        uint32_t codes[DW_PACK_SLOTS_MAX] = { 0 };

        if (sum > DW_PACK_SUM_LEAST && def->ranks == NULL) {
            round_by_remainder(clean, def->slots, scale, total, codes);
        } else if (sum > DW_PACK_SUM_LEAST) {
            uint32_t at = dw_dither_table_index(def->side, (uint32_t)def->origin_x + x,
                                                (uint32_t)def->origin_y + (uint32_t)row);

            round_by_threshold(clean, def->slots, scale, total, (def->ranks[at] + 0.5) * rank_share,
                               codes);
        }
        put_codes(codes, def, bytes);
    }
}

dw_status dw_terrain_pack(const dw_pack_def *def, uint8_t *bytes, const dw_run *run, dw_error *err)
{
    pack_job job = { def, bytes };

    DW_ASSERT(def->slots <= DW_PACK_SLOTS_MAX && def->pitch * 8 >= def->slots * def->bits);
    return dw_parallel_for(run, def->height, pack_row, &job, err);
}

/* The heaviest but for `without`, the first of equal ones. */
static uint32_t find_heaviest(const double *weights, uint32_t count, uint32_t without)
{
    uint32_t best = without == 0 ? 1 : 0;

    for (uint32_t i = best + 1; i < count; i++)
        if (i != without && weights[i] > weights[best])
            best = i;
    return best;
}

/* Returns the share of weight that found no place. */
static double index_texel(const double *weights, uint32_t count, double sum, uint32_t *texel)
{
    uint32_t base, overlay, blend;
    double both;

    if (!(sum > DW_PACK_SUM_LEAST)) {
        *texel = DW_INDEX_HOLE;
        return 0.0;
    }
    base = find_heaviest(weights, count, count);
    overlay = find_heaviest(weights, count, base);
    overlay = weights[overlay] > 0.0 ? overlay : base;
    both = overlay == base ? weights[base] : weights[base] + weights[overlay];
    blend = overlay == base ? 0 : (uint32_t)(255.0 * (weights[overlay] / both) + 0.5);
    *texel = base << DW_INDEX_BASE_SHIFT | overlay << DW_INDEX_OVERLAY_SHIFT |
             blend << DW_INDEX_BLEND_SHIFT;
    return both < sum ? (sum - both) / sum : 0.0;
}

static void index_row(void *user, int64_t row, int worker)
{
    const index_job *job = user;
    const dw_index_def *def = job->def;
    const float *weights = def->weights + (size_t)row * def->width * def->slots;
    uint32_t *map = job->map + (size_t)row * def->width;
    double lost = 0.0, most = 0.0;

    (void)worker;
    for (uint32_t x = 0; x < def->width; x++, weights += def->slots) {
        double clean[DW_INDEX_SLOTS_MAX], sum = take_weights(weights, def->slots, clean);
        double share = index_texel(clean, def->slots, sum, &map[x]);

        lost += share;
        most = share > most ? share : most;
    }
    job->lost[row] = lost;
    job->most[row] = most;
}

dw_status dw_terrain_index(const dw_index_def *def, uint32_t *map, double *lost, double *most,
                           const dw_run *run, dw_error *err)
{
    index_job job = { def, map, lost, most };

    DW_ASSERT(def->slots >= 2 && def->slots <= DW_INDEX_SLOTS_MAX);
    return dw_parallel_for(run, def->height, index_row, &job, err);
}
