/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

#define DW_INLINE static DW_ALWAYS_INLINE

#include "cpu/terrain_expect.h"

#include "shared/terrain_choose.h"

#define PLACES DW_TERRAIN_MATERIALS

typedef struct expect_job {
    const dw_expect_def *def;
    float *chances;
} expect_job;

typedef struct gauss_point {
    double at, weight;
} gauss_point;

/* Gauss-Legendre rules of 1 to 8 points on [0, 1], one after the other: rule n begins at
 * n (n - 1) / 2 and is exact for polynomials of degree 2n - 1. */
static const gauss_point gauss_points[36] = {
    { 0.5, 1 },
    { 0.21132486540518713, 0.5 },
    { 0.78867513459481287, 0.5 },
    { 0.1127016653792583, 0.27777777777777779 },
    { 0.5, 0.44444444444444442 },
    { 0.8872983346207417, 0.27777777777777779 },
    { 0.069431844202973714, 0.17392742256872692 },
    { 0.33000947820757187, 0.32607257743127307 },
    { 0.66999052179242813, 0.32607257743127307 },
    { 0.93056815579702623, 0.17392742256872692 },
    { 0.046910077030668018, 0.11846344252809454 },
    { 0.23076534494715845, 0.23931433524968324 },
    { 0.5, 0.28444444444444444 },
    { 0.7692346550528415, 0.23931433524968324 },
    { 0.95308992296933193, 0.11846344252809454 },
    { 0.033765242898423989, 0.085662246189585178 },
    { 0.16939530676686776, 0.18038078652406930 },
    { 0.38069040695840156, 0.23395696728634552 },
    { 0.61930959304159849, 0.23395696728634552 },
    { 0.83060469323313224, 0.18038078652406930 },
    { 0.96623475710157603, 0.085662246189585178 },
    { 0.025446043828620736, 0.064742483084434846 },
    { 0.12923440720030277, 0.13985269574463833 },
    { 0.29707742431130141, 0.19091502525255946 },
    { 0.5, 0.20897959183673470 },
    { 0.70292257568869854, 0.19091502525255946 },
    { 0.87076559279969723, 0.13985269574463833 },
    { 0.97455395617137927, 0.064742483084434846 },
    { 0.019855071751231884, 0.050614268145188130 },
    { 0.10166676129318664, 0.11119051722668723 },
    { 0.2372337950418355, 0.15685332293894363 },
    { 0.40828267875217511, 0.18134189168918100 },
    { 0.59171732124782483, 0.18134189168918100 },
    { 0.7627662049581645, 0.15685332293894363 },
    { 0.89833323870681336, 0.11119051722668723 },
    { 0.98014492824876812, 0.050614268145188130 },
};

/* Those that may win a texel, highest least score first. */
typedef struct contest {
    uint32_t count;
    uint32_t places[DW_TERRAIN_SLOTS];
    double scores[DW_TERRAIN_SLOTS]; /* the least, without noise */
} contest;

/* Whole weights that are not all 0. The first place of equal ones stays first. */
static void enter_contest(const struct dw_terrain_law *law, const uint *w, double swing,
                          contest *out)
{
    double sum = 0.0, best = 0.0;

    for (uint i = 0; i < PLACES; i++)
        sum += w[i];
    for (uint i = 0; i < law->count; i++) {
        double score = w[i] == 0 ? 0.0 : w[i] / sum + law->levels[i] * 0x1p-30;

        best = score > best ? score : best;
    }
    out->count = 0;
    for (uint i = 0; i < law->count; i++) {
        double score = w[i] / sum + law->levels[i] * 0x1p-30;
        uint at = out->count;

        if (w[i] == 0 || score + swing < best || out->count == DW_TERRAIN_SLOTS)
            continue;
        for (; at > 0 && out->scores[at - 1] < score; at--) {
            out->scores[at] = out->scores[at - 1];
            out->places[at] = out->places[at - 1];
        }
        out->scores[at] = score;
        out->places[at] = i;
        out->count++;
    }
}

/* Adds the integral over scores from `from` to `to`, where the first `count` may still be beaten
 * and the others are surely below. */
static void add_piece(const contest *entered, uint32_t count, double swing, double from, double to,
                      double *chances)
{
    uint32_t points = (count - 1) / 2 + 1;
    const gauss_point *rule = gauss_points + points * (points - 1) / 2;

    for (uint32_t k = 0; k < points; k++) {
        double score = from + (to - from) * rule[k].at;
        double below[DW_TERRAIN_SLOTS], after[DW_TERRAIN_SLOTS];
        double part = (to - from) / swing * rule[k].weight;

        after[count - 1] = 1.0;
        for (uint32_t i = count; i-- > 0;) {
            below[i] = (score - entered->scores[i]) / swing;
            if (i > 0)
                after[i - 1] = after[i] * below[i];
        }
        for (uint32_t i = 0; i < count; i++) {
            chances[i] += part * after[i]; /* part: by now with all before i */
            part *= below[i];
        }
    }
}

/* The chance of each place that its weight, level and uniform noise of its own sum to the most:
 * P_i = integral of the product of the others' distributions over the range of i's score. */
static void find_chances(const struct dw_terrain_law *law, const uint *w, double *chances)
{
    double swing = law->swing * 0x1p-30, found[DW_TERRAIN_SLOTS] = { 0 };
    contest entered;
    double from;

    enter_contest(law, w, swing, &entered);
    if (law->swing == 0) {
        chances[entered.places[0]] = 1.0;
        return;
    }
    from = entered.scores[0];
    for (uint32_t count = entered.count; count > 0; count--) {
        double to = entered.scores[count - 1] + swing;

        if (to > from)
            add_piece(&entered, count, swing, from, to, found);
        from = to > from ? to : from;
    }
    for (uint32_t i = 0; i < entered.count; i++)
        chances[entered.places[i]] = found[i];
}

static DW_ALWAYS_INLINE void expect_texel(const dw_expect_def *def, const float *given,
                                          const float *heights_given, float *out)
{
    const struct dw_terrain_law *law = def->law;
    dw_terrain_source from = { law, NULL };
    float weights[PLACES] = { 0 }, heights[PLACES] = { 0 };
    double chances[PLACES] = { 0 }, sum = 0.0;
    uint w[PLACES];

    for (uint i = 0; i < law->count; i++) {
        weights[i] = given[law->slots[i]];
        heights[i] = heights_given == NULL ? 0.0f : heights_given[law->slots[i]];
    }
    if (dw_terrain_make_whole(weights, w)) {
        dw_terrain_tidy(&from, w);
        if (law->mode == DW_TERRAIN_MODE_PRIORITY_ADDITIVE) {
            find_chances(law, w, chances);
        } else {
            dw_terrain_weigh(&from, w, heights);
            for (uint i = 0; i < PLACES; i++)
                chances[i] = w[i];
        }
    }
    for (uint i = 0; i < law->count; i++)
        sum += chances[i];
    for (uint i = 0; i < law->count; i++)
        out[law->slots[i]] = sum > 0.0 ? (float)(chances[i] / sum) : 0.0f;
}

DW_SIMD static void expect_texels(const dw_expect_def *def, int64_t row, float *out)
{
    size_t count = def->law->count, step = def->has_height_each ? count : 0;
    const float *weights = def->weights + (size_t)row * def->width * count;
    const float *heights =
        def->heights == NULL ? NULL : def->heights + (size_t)row * def->width * step;

    for (uint32_t x = 0; x < def->width; x++) {
        expect_texel(def, weights + x * count, heights, out + x * count);
        heights = heights == NULL ? NULL : heights + step;
    }
}

static void expect_row(void *user, int64_t row, int worker)
{
    const expect_job *job = user;

    (void)worker;
    expect_texels(job->def, row,
                  job->chances + (size_t)row * job->def->width * job->def->law->count);
}

dw_status dw_terrain_expect(const dw_expect_def *def, float *chances, const dw_run *run,
                            dw_error *err)
{
    expect_job job = { def, chances };

    DW_ASSERT(def->law->count >= 1 && def->law->count <= PLACES);
    return dw_parallel_for(run, def->height, expect_row, &job, err);
}
