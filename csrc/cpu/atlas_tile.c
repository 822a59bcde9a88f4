/* SPDX-License-Identifier: MIT */
#include "cpu/atlas_tile.h"

#include "base/alloc.h"
#include "base/simd.h"

static size_t align_64(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

/* Bytes of each plane of one level, in the order of dw_tile_work_place_planes. */
static size_t color_bytes(const dw_atlas_plan *plan, int tile, int level)
{
    return align_64(dw_content_area(dw_atlas_place(plan, tile, level)) * sizeof(uint32_t));
}

static size_t alpha_bytes(const dw_atlas_plan *plan, int tile, int level)
{
    return align_64(dw_content_area(dw_atlas_place(plan, tile, level)) * sizeof(uint16_t));
}

/* The larger of the accumulators that share planes[parity]. */
static size_t accumulator_bytes(const dw_atlas_plan *plan, int tile, int first_level, int parity)
{
    size_t most = 0;

    for (int n = first_level > 0 ? first_level : 1; n < plan->tile_levels[tile]; n++) {
        size_t area = dw_content_area(dw_atlas_place(plan, tile, n));

        if ((n & 1) == parity && area > most)
            most = area;
    }
    return align_64(most * 4 * sizeof(uint32_t));
}

size_t dw_tile_work_bytes(const dw_atlas_plan *plan, int tile, int first_level)
{
    size_t total = accumulator_bytes(plan, tile, first_level, 0) +
                   accumulator_bytes(plan, tile, first_level, 1);

    for (int n = first_level > 0 ? first_level : 1; n < plan->tile_levels[tile]; n++)
        total += color_bytes(plan, tile, n) + alpha_bytes(plan, tile, n);
    return total;
}

void dw_tile_work_place_planes(dw_tile_work *work, void *memory)
{
    const dw_atlas_plan *plan = work->plan;
    uint8_t *next = memory;

    for (int parity = 0; parity < 2; parity++) {
        work->planes[parity] = (uint32_t *)(void *)next;
        next += accumulator_bytes(plan, work->tile, work->first_level, parity);
    }
    for (int n = work->first_level > 0 ? work->first_level : 1; n < work->levels; n++) {
        work->color[n] = (uint32_t *)(void *)next;
        next += color_bytes(plan, work->tile, n);
        work->alpha[n] = (uint16_t *)(void *)next;
        next += alpha_bytes(plan, work->tile, n);
    }
}

/* Source rows that a band of DW_BAND_ROWS can touch: a step is at most 3 rows. */
#define DW_FILTER_ROWS (3 * DW_BAND_ROWS + DW_FILTER_TAPS)

dw_status dw_tile_scratch_init(const dw_atlas_plan *plan, dw_tile_scratch *out, dw_error *err)
{
    dw_tile_scratch scratch = { 0 };
    size_t width = (size_t)plan->width;
    size_t half = plan->level_total > 1 ? (size_t)plan->level_width[1] : 1;
    size_t seed_rows = 2 * (DW_BAND_ROWS + 2 * DW_DILATE_RADIUS);

    DW_TRY(DW_ALLOC(8 * width, &scratch.source_rows, err));
    DW_TRY(DW_ALLOC(4 * half * DW_FILTER_ROWS, &scratch.filter_rows, err));
    DW_TRY(DW_ALLOC(2 * (width + 2), &scratch.alpha_rows, err));
    DW_TRY(DW_ALLOC(seed_rows * width, &scratch.seed_rows, err));
    DW_TRY(DW_ALLOC(2 * (width + 2 * DW_DILATE_RADIUS), &scratch.key_row, err));
    DW_TRY(DW_ALLOC(width, &scratch.class_row, err));
    DW_TRY(DW_ALLOC_ZEROED((size_t)plan->level_total * DW_COVERAGE_BINS, &scratch.histogram, err));
    *out = scratch;
    return DW_OK;
fail:
    dw_tile_scratch_finish(&scratch);
    return err->code;
}

void dw_tile_scratch_finish(dw_tile_scratch *scratch)
{
    dw_free(scratch->source_rows);
    dw_free(scratch->filter_rows);
    dw_free(scratch->alpha_rows);
    dw_free(scratch->seed_rows);
    dw_free(scratch->key_row);
    dw_free(scratch->class_row);
    dw_free(scratch->histogram);
    *scratch = (dw_tile_scratch) { 0 };
}

/* base + floor((a - x) * k / 65536) in 0..65535. The double product has 40 bits at most, all exact,
 * and 2^24 keeps it positive, where truncation is floor. */
static inline int32_t exact_line(int32_t a, int32_t x, int32_t base, double k)
{
    int32_t step = (int32_t)((double)(a - x) * k * 0x1p-16 + 0x1p24) - (1 << 24);
    int32_t y = base + step;

    return y < 0 ? 0 : (y > (int32_t)DW_ALPHA_ONE ? (int32_t)DW_ALPHA_ONE : y);
}

DW_SIMD static void remap_affine_row(int32_t x, int32_t y, double k, double strength,
                                     const uint16_t *in, uint16_t *out, int count)
{
    for (int i = 0; i < count; i++) {
        int32_t a = in[i];
        int32_t mapped = exact_line(a, x, y, k);

        out[i] = (uint16_t)exact_line(mapped, a, a, strength);
    }
}

void dw_remap_row(const dw_alpha_remap *remap, const uint16_t *in, uint16_t *out, int count)
{
    if (remap->kind == DW_REMAP_AFFINE)
        remap_affine_row((int32_t)remap->x[0], (int32_t)remap->y[0], remap->k[0], remap->strength,
                         in, out, count);
    else
        for (int i = 0; i < count; i++)
            out[i] = (uint16_t)dw_remap_alpha(*remap, in[i]);
}

typedef struct band_job {
    const dw_tile_work *work;
    dw_band_fn band_fn;
    int level, rows;
} band_job;

static void run_band(void *user, int64_t item, int worker)
{
    const band_job *job = user;
    int begin = (int)item * DW_BAND_ROWS;
    int end = begin + DW_BAND_ROWS < job->rows ? begin + DW_BAND_ROWS : job->rows;

    job->band_fn(job->work, job->level, begin, end, worker);
}

dw_status dw_tile_for_bands(const dw_tile_work *work, int level, int rows, dw_band_fn band_fn,
                            dw_error *err)
{
    band_job job = { work, band_fn, level, rows };

    return dw_parallel_for(&work->run, (rows + DW_BAND_ROWS - 1) / DW_BAND_ROWS, run_band, &job,
                           err);
}
