/* SPDX-License-Identifier: MIT */
#include "base/simd.h"

#define DW_INLINE static DW_ALWAYS_INLINE

#include "cpu/terrain_expect.h"

#include "base/alloc.h"
#include "cpu/terrain_block.h"

#include <string.h>

#define PLACES DW_TERRAIN_MATERIALS
#define POINTS 8 /* enough for DW_TERRAIN_SLOTS places */

typedef struct expect_job {
    const dw_expect_def *def;
    float *chances;
    dw_terrain_block *blocks; /* one a thread */
} expect_job;

/* Gauss-Legendre rules on [0, 1]. Row n - 1 has n points, exact for polynomials of degree 2n - 1,
 * and weights of 0 behind them: all points of a piece are taken at once, in vectors. */
static const double gauss_at[POINTS][POINTS] = {
    { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 },
    { 0.21132486540518711, 0.78867513459481287, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 },
    { 0.11270166537925831, 0.5, 0.8872983346207417, 0.5, 0.5, 0.5, 0.5, 0.5 },
    { 0.069431844202973714, 0.33000947820757187, 0.66999052179242813, 0.93056815579702634, 0.5, 0.5,
      0.5, 0.5 },
    { 0.046910077030668004, 0.23076534494715845, 0.5, 0.7692346550528415, 0.95308992296933204, 0.5,
      0.5, 0.5 },
    { 0.033765242898423989, 0.16939530676686773, 0.38069040695840156, 0.61930959304159849,
      0.83060469323313224, 0.96623475710157603, 0.5, 0.5 },
    { 0.025446043828620736, 0.12923440720030277, 0.29707742431130141, 0.5, 0.70292257568869854,
      0.87076559279969723, 0.9745539561713793, 0.5 },
    { 0.019855071751231884, 0.10166676129318664, 0.2372337950418355, 0.40828267875217511,
      0.59171732124782495, 0.7627662049581645, 0.89833323870681336, 0.98014492824876809 },
};

static const double gauss_weight[POINTS][POINTS] = {
    { 1, 0, 0, 0, 0, 0, 0, 0 },
    { 0.5, 0.5, 0, 0, 0, 0, 0, 0 },
    { 0.27777777777777779, 0.44444444444444442, 0.27777777777777779, 0, 0, 0, 0, 0 },
    { 0.17392742256872692, 0.32607257743127305, 0.32607257743127305, 0.17392742256872692, 0, 0, 0,
      0 },
    { 0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
      0.11846344252809454, 0, 0, 0 },
    { 0.085662246189585178, 0.1803807865240693, 0.23395696728634552, 0.23395696728634552,
      0.1803807865240693, 0.085662246189585178, 0, 0 },
    { 0.064742483084434851, 0.13985269574463832, 0.19091502525255946, 0.2089795918367347,
      0.19091502525255946, 0.13985269574463832, 0.064742483084434851, 0 },
    { 0.050614268145188129, 0.11119051722668724, 0.15685332293894363, 0.181341891689181,
      0.181341891689181, 0.15685332293894363, 0.11119051722668724, 0.050614268145188129 },
};

/* Those that may win a texel, highest least score first. */
typedef struct contest {
    uint32_t count;
    uint32_t places[DW_TERRAIN_SLOTS];
    double scores[DW_TERRAIN_SLOTS]; /* the least, without noise */
} contest;

/* Whole weights that are not all 0. The first place of equal ones stays first. */
static DW_ALWAYS_INLINE void enter_contest(const struct dw_terrain_law *law, const uint *w,
                                           double swing, contest *out)
{
    double scores[PLACES], sum = 0.0, best = 0.0, inverse;

    for (uint i = 0; i < law->count; i++)
        sum += w[i];
    inverse = 1.0 / sum;
    for (uint i = 0; i < law->count; i++) {
        scores[i] = w[i] == 0 ? -8.0 : w[i] * inverse + law->levels[i] * 0x1p-30;
        best = scores[i] > best ? scores[i] : best;
    }
    out->count = 0;
    out->places[0] = 0; /* compilers do not see that there is one */
    for (uint i = 0; i < law->count; i++) {
        uint at = out->count;

        if (scores[i] + swing < best || out->count == DW_TERRAIN_SLOTS)
            continue;
        for (; at > 0 && out->scores[at - 1] < scores[i]; at--) {
            out->scores[at] = out->scores[at - 1];
            out->places[at] = out->places[at - 1];
        }
        out->scores[at] = scores[i];
        out->places[at] = i;
        out->count++;
    }
}

/* Adds the integral over scores from `from` to from + width, where the first `count` may still be
 * beaten and the others are surely below. inverse: 1 / swing. */
static DW_ALWAYS_INLINE void add_piece(const contest *entered, uint32_t count, double inverse,
                                       double from, double width, double (*found)[POINTS])
{
    const double *at = gauss_at[(count - 1) / 2], *weight = gauss_weight[(count - 1) / 2];
    double below[DW_TERRAIN_SLOTS][POINTS], after[DW_TERRAIN_SLOTS + 1][POINTS], part[POINTS];

    for (int k = 0; k < POINTS; k++) {
        after[count][k] = 1.0;
        part[k] = width * inverse * weight[k];
    }
    for (uint32_t i = count; i-- > 0;) {
        double above = from - entered->scores[i];

        for (int k = 0; k < POINTS; k++) {
            below[i][k] = (above + width * at[k]) * inverse;
            after[i][k] = after[i + 1][k] * below[i][k];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < POINTS; k++) {
            found[i][k] += part[k] * after[i + 1][k];
            part[k] *= below[i][k];
        }
    }
}

/* The chance of each place that its weight, level and uniform noise of its own sum to the most:
 * P_i = integral of the product of the others' distributions over the range of i's score. */
static DW_ALWAYS_INLINE void find_chances(const struct dw_terrain_law *law, const uint *w,
                                          double *chances)
{
    double swing = law->swing * 0x1p-30, found[DW_TERRAIN_SLOTS][POINTS];
    contest entered;
    double from;

    enter_contest(law, w, swing, &entered);
    if (law->swing == 0) {
        chances[entered.places[0]] = 1.0;
        return;
    }
    for (uint32_t i = 0; i < entered.count; i++)
        for (int k = 0; k < POINTS; k++)
            found[i][k] = 0.0;
    from = entered.scores[0];
    for (uint32_t count = entered.count; count > 0; count--) {
        double to = entered.scores[count - 1] + swing;

        if (to > from)
            add_piece(&entered, count, 1.0 / swing, from, to - from, found);
        from = to > from ? to : from;
    }
    for (uint32_t i = 0; i < entered.count; i++)
        for (int k = 0; k < POINTS; k++)
            chances[entered.places[i]] += found[i][k];
}

/* Weights of `lanes` texels from texel `first` on, by place; the lanes behind them are empty. */
static void read_block(const dw_expect_def *def, size_t first, uint32_t lanes, dw_terrain_block *b)
{
    uint32_t count = def->law->count;
    size_t step = def->has_height_each ? count : 0;

    for (uint32_t p = 0; p < count; p++) {
        uint32_t slot = def->law->slots[p];
        const float *weights = def->weights + first * count + slot;

        for (uint32_t i = 0; i < DW_TERRAIN_LANES; i++)
            b->f[p][i] = i < lanes ? dw_terrain_clean(weights[(size_t)i * count]) : 0.0f;
        if (def->heights == NULL)
            continue;
        for (uint32_t i = 0; i < lanes; i++)
            b->heights[p][i] = dw_terrain_clean_height(def->heights[(first + i) * step + slot]);
    }
}

/* Of whole, tidy weights of lane i. */
static DW_ALWAYS_INLINE void write_chances(const struct dw_terrain_law *law,
                                           const dw_terrain_block *b, uint32_t i, float *out)
{
    uint32_t w[PLACES];
    double chances[PLACES] = { 0 }, sum = 0.0;

    for (uint32_t p = 0; p < law->count; p++)
        w[p] = b->w[p][i];
    find_chances(law, w, chances);
    for (uint32_t p = 0; p < law->count; p++)
        sum += chances[p];
    for (uint32_t p = 0; p < law->count; p++)
        out[law->slots[p]] = (float)(chances[p] / sum);
}

static DW_ALWAYS_INLINE void write_shares(const struct dw_terrain_law *law,
                                          const dw_terrain_block *b, uint32_t i, float *out)
{
    double sum = 0.0, inverse;

    for (uint32_t p = 0; p < law->count; p++)
        sum += b->w[p][i];
    inverse = 1.0 / sum;
    for (uint32_t p = 0; p < law->count; p++)
        out[law->slots[p]] = (float)(b->w[p][i] * inverse);
}

DW_SIMD static void write_block(const struct dw_terrain_law *law, const dw_terrain_block *b,
                                uint32_t lanes, float *out)
{
    for (uint32_t i = 0; i < lanes; i++, out += law->count) {
        if (b->is_empty[i] != 0)
            memset(out, 0, law->count * sizeof *out);
        else if (law->mode == DW_TERRAIN_MODE_PRIORITY_ADDITIVE)
            write_chances(law, b, i, out);
        else
            write_shares(law, b, i, out);
    }
}

static void expect_row(void *user, int64_t row, int worker)
{
    const expect_job *job = user;
    const dw_expect_def *def = job->def;
    dw_terrain_block *b = &job->blocks[worker];

    for (uint32_t x = 0; x < def->width; x += DW_TERRAIN_LANES) {
        uint32_t lanes = def->width - x < DW_TERRAIN_LANES ? def->width - x : DW_TERRAIN_LANES;
        size_t first = (size_t)row * def->width + x;

        read_block(def, first, lanes, b);
        dw_terrain_block_whole(b);
        dw_terrain_block_tidy(b, def->law);
        if (def->law->mode != DW_TERRAIN_MODE_PRIORITY_ADDITIVE)
            dw_terrain_block_weigh(b, def->law);
        write_block(def->law, b, lanes, job->chances + first * def->law->count);
    }
}

dw_status dw_terrain_expect(const dw_expect_def *def, float *chances, const dw_run *run,
                            dw_error *err)
{
    expect_job job = { def, chances, NULL };
    size_t threads = (size_t)dw_run_thread_count(run);
    dw_status status;

    DW_ASSERT(def->law->count >= 1 && def->law->count <= PLACES);
    if (DW_ALLOC_ZEROED(threads, &job.blocks, err) != DW_OK)
        return err->code;
    for (size_t i = 0; i < threads; i++)
        job.blocks[i].count = def->law->count;
    status = dw_parallel_for(run, def->height, expect_row, &job, err);
    dw_free(job.blocks);
    return status;
}
