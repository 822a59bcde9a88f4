/* SPDX-License-Identifier: MIT */
/* Order of a bake: the whole image under the tiles where there is background; large tiles one after
 * another, each on all threads; small tiles side by side; last the levels at which tiles have
 * merged into single texels. */
#include "cpu/atlas_bake.h"

#include "base/alloc.h"
#include "cpu/atlas_coverage.h"
#include "cpu/atlas_tile.h"

#include <string.h>

typedef enum bake_phase {
    BAKE_WHOLE,   /* everything */
    BAKE_COUNT,   /* pyramid and histograms only: a remap of the whole image needs them first */
    BAKE_REMAPPED /* everything, with the image's remaps */
} bake_phase;

typedef struct bake_context {
    const dw_atlas_plan *plan;
    const dw_atlas_source *source;
    const dw_atlas_target *target;
    const dw_run *run;
    int threads;
    dw_tile_scratch *scratch; /* [threads] */
    void **arenas;            /* [threads] planes of a small tile */
    const int *small_tiles;
    bake_phase phase;
    dw_alpha_remap image_remaps[DW_LEVELS_MAX];
    uint32_t *seed;      /* accumulators of level merged_level - 1, 4 planes; NULL: none */
    dw_status *statuses; /* [threads] */
    dw_error *errors;    /* [threads] */
} bake_context;

/* Level 0 as accumulators, where a tile of one texel is where the merged levels start from. */
static void save_source_seed(const bake_context *context, int tile)
{
    const dw_rect *rect = &context->plan->rects[tile];
    const dw_light_tables *light = context->plan->light;
    size_t width = (size_t)context->plan->width;
    size_t area = width * (size_t)context->plan->height;

    for (int y = rect->y; y < rect->y + rect->height; y++)
        for (int x = rect->x; x < rect->x + rect->width; x++) {
            size_t at = (size_t)y * width + (size_t)x;
            const uint8_t *t8 = (const uint8_t *)context->source->texels + 4 * at;
            const uint16_t *t16 = (const uint16_t *)context->source->texels + 4 * at;
            bool is_8 = context->source->bits == 8;
            uint32_t alpha = is_8 ? dw_alpha_from_8(t8[3]) : t16[3];

            for (size_t c = 0; c < 3; c++)
                context->seed[c * area + at] =
                    dw_premultiply(is_8 ? light->decode_8[t8[c]] : light->decode_16[t16[c]], alpha);
            context->seed[3 * area + at] = dw_weight_from_alpha(alpha);
        }
}

static void clear_counts(const dw_tile_work *work)
{
    for (int i = 0; i < dw_run_thread_count(&work->run); i++) {
        dw_tile_scratch *scratch = &work->scratch[i];

        memset(scratch->passing, 0, sizeof scratch->passing);
        memset(scratch->histogram, 0,
               (size_t)work->levels * DW_COVERAGE_BINS * sizeof *scratch->histogram);
    }
}

/* Colour that fill "keep" leaves under alpha 0: the plain mean, where nothing is visible. */
static dw_status add_hidden_colors(dw_tile_work *work, dw_error *err)
{
    dw_status status;

    work->ignore_alpha = true;
    status = dw_tile_build_pyramid(work, err);
    work->ignore_alpha = false;
    return status;
}

static dw_status bake_tile(const bake_context *context, dw_tile_work *work, dw_error *err)
{
    const dw_atlas_plan *plan = context->plan;
    bool is_tile = work->tile < plan->tile_count;
    bool is_counted =
        is_tile && plan->def.coverage != DW_COVERAGE_MODE_NONE && context->phase != BAKE_REMAPPED;

    if (is_counted && context->phase == BAKE_WHOLE)
        clear_counts(work);
    if (context->seed != NULL && is_tile && plan->merged_level == 1)
        save_source_seed(context, work->tile);
    DW_TRY(dw_tile_build_pyramid(work, err));
    if (is_counted)
        DW_TRY(dw_tile_count_coverage(work, err));
    if (context->phase == BAKE_COUNT)
        return DW_OK;
    if (is_counted) {
        dw_tile_choose_remaps(work);
        DW_TRY(dw_tile_refine_remaps(work, err));
    } else if (is_tile && context->phase == BAKE_REMAPPED)
        memcpy(work->remaps, context->image_remaps, sizeof work->remaps);
    if (plan->def.fill == DW_FILL_MODE_KEEP)
        DW_TRY(add_hidden_colors(work, err));
    DW_TRY(dw_tile_resolve_colors(work, err));
    DW_TRY(dw_tile_write_levels(work, err));
    if (is_tile && context->target->remaps != NULL)
        memcpy(context->target->remaps + (size_t)work->tile * (size_t)plan->level_total,
               work->remaps, (size_t)plan->level_total * sizeof *work->remaps);
    return DW_OK;
fail:
    return err->code;
}

static dw_tile_work make_work(const bake_context *context, int tile, int first_level, void *memory,
                              dw_run run, dw_tile_scratch *scratch)
{
    dw_tile_work work = {
        .plan = context->plan,
        .source = context->source,
        .target = context->target,
        .run = run,
        .scratch = scratch,
        .tile = tile,
        .first_level = first_level,
        .levels = context->plan->tile_levels[tile],
        .seed = tile < context->plan->tile_count ? context->seed : NULL,
    };

    dw_tile_work_place_planes(&work, memory);
    return work;
}

/* A tile on all threads. */
static dw_status bake_large(const bake_context *context, int tile, int first_level,
                            const dw_run *run, dw_error *err)
{
    size_t bytes = dw_tile_work_bytes(context->plan, tile, first_level);
    void *memory = NULL;
    dw_tile_work work;

    DW_TRY(dw_alloc_array(bytes, 1, "planes of a tile", &memory, err));
    work = make_work(context, tile, first_level, memory, *run, context->scratch);
    if (first_level > 0) {
        size_t area = dw_content_area(dw_atlas_place(context->plan, tile, first_level));

        memcpy(work.planes[first_level & 1], context->seed, 4 * area * sizeof *context->seed);
    }
    DW_TRY(bake_tile(context, &work, err));
    dw_free(memory);
    return DW_OK;
fail:
    dw_free(memory);
    return err->code;
}

static void bake_small(void *user, int64_t item, int worker)
{
    const bake_context *context = user;
    dw_run alone = { 0 };
    dw_tile_work work;

    if (context->statuses[worker] != DW_OK)
        return;
    work = make_work(context, context->small_tiles[item], 0, context->arenas[worker], alone,
                     &context->scratch[worker]);
    context->statuses[worker] = bake_tile(context, &work, &context->errors[worker]);
}

/* A tile so large that a thread alone would keep the others waiting. */
static bool is_large(const bake_context *context, int tile)
{
    const dw_atlas_plan *plan = context->plan;
    int64_t area = (int64_t)plan->rects[tile].width * plan->rects[tile].height;

    return context->threads > 1 && area > 64 * 64 &&
           area * 2 * context->threads > (int64_t)plan->width * plan->height;
}

static dw_status alloc_arenas(bake_context *context, const int *tiles, int count, dw_error *err)
{
    size_t most = 0;

    for (int i = 0; i < count; i++) {
        size_t bytes = dw_tile_work_bytes(context->plan, tiles[i], 0);

        most = bytes > most ? bytes : most;
    }
    for (int i = 0; i < context->threads && count > 0; i++)
        if (context->arenas[i] == NULL && dw_alloc_array(most > 0 ? most : 1, 1, "planes of a tile",
                                                         &context->arenas[i], err) != DW_OK)
            return err->code;
    return DW_OK;
}

/* One pass over all tiles, [begin, end] of the run's progress. */
static dw_status bake_tiles(bake_context *context, double begin, double end, dw_error *err)
{
    int count = context->plan->tile_count, small = 0, large = 0;
    int *tiles = NULL;
    dw_run part = dw_run_part(context->run, begin, end);

    DW_TRY(DW_ALLOC((size_t)count, &tiles, err));
    for (int tile = 0; tile < count; tile++) {
        if (!is_large(context, tile))
            tiles[small++] = tile;
        else
            large++;
    }
    for (int tile = 0, done = 0; tile < count && large > 0; tile++) {
        dw_run step = dw_run_part(&part, (double)done / count, (double)(done + 1) / count);

        if (!is_large(context, tile))
            continue;
        DW_TRY(bake_large(context, tile, 0, &step, err));
        done++;
    }
    DW_TRY(alloc_arenas(context, tiles, small, err));
    context->small_tiles = tiles;
    part = dw_run_part(&part, (double)large / count, 1.0);
    DW_TRY(dw_parallel_for(&part, small, bake_small, context, err));
    for (int i = 0; i < context->threads; i++)
        if (context->statuses[i] != DW_OK) {
            *err = context->errors[i];
            goto fail;
        }
    dw_free(tiles);
    return DW_OK;
fail:
    dw_free(tiles);
    return err->code;
}

/* The remap of each level for the whole image, from the counts of all threads. */
static dw_status choose_image_remaps(bake_context *context, dw_error *err)
{
    const dw_atlas_plan *plan = context->plan;
    uint64_t target[DW_CUTOFFS_MAX] = { 0 }, target_count[DW_CUTOFFS_MAX] = { 0 };
    uint32_t *sum = NULL, shift;

    DW_TRY(DW_ALLOC(DW_COVERAGE_BINS, &sum, err));
    for (int i = 0; i < plan->def.cutoff_count; i++) {
        for (int tile = 0; tile < plan->tile_count; tile++)
            target_count[i] += dw_sample_count(dw_atlas_place(plan, tile, 0));
        for (int worker = 0; worker < context->threads; worker++)
            target[i] += context->scratch[worker].passing[i];
        shift = dw_share_shift(target_count[i]);
        target[i] >>= shift;
        target_count[i] >>= shift;
    }
    for (int level = 0; level < plan->level_total; level++) {
        memset(sum, 0, DW_COVERAGE_BINS * sizeof *sum);
        for (int worker = 0; worker < context->threads; worker++)
            for (int bin = 0; bin < DW_COVERAGE_BINS; bin++)
                sum[bin] += context->scratch[worker]
                                .histogram[(size_t)level * DW_COVERAGE_BINS + (size_t)bin];
        context->image_remaps[level] = dw_coverage_choose_remap(plan, sum, target, target_count);
    }
    dw_free(sum);
    return DW_OK;
fail:
    return err->code;
}

static dw_status init_context(bake_context *context, dw_error *err)
{
    const dw_atlas_plan *plan = context->plan;
    size_t threads = (size_t)context->threads;

    DW_TRY(DW_ALLOC_ZEROED(threads, &context->scratch, err));
    DW_TRY(DW_ALLOC_ZEROED(threads, &context->arenas, err));
    DW_TRY(DW_ALLOC_ZEROED(threads, &context->statuses, err));
    DW_TRY(DW_ALLOC_ZEROED(threads, &context->errors, err));
    for (size_t i = 0; i < threads; i++)
        DW_TRY(dw_tile_scratch_init(plan, &context->scratch[i], err));
    if (plan->merged_level < plan->level_total && !plan->has_background) {
        int level = plan->merged_level - 1;

        DW_TRY(DW_ALLOC(4 * (size_t)plan->level_width[level] * (size_t)plan->level_height[level],
                        &context->seed, err));
    }
    return DW_OK;
fail:
    return err->code;
}

static void finish_context(bake_context *context)
{
    for (int i = 0; i < context->threads; i++) {
        if (context->scratch != NULL)
            dw_tile_scratch_finish(&context->scratch[i]);
        if (context->arenas != NULL)
            dw_free(context->arenas[i]);
    }
    dw_free(context->scratch);
    dw_free(context->arenas);
    dw_free(context->statuses);
    dw_free(context->errors);
    dw_free(context->seed);
}

dw_status dw_atlas_bake_native(const dw_atlas_plan *plan, const dw_atlas_source *source,
                               const dw_atlas_target *target, const dw_run *run, dw_error *err)
{
    bake_context context = { .plan = plan,
                             .source = source,
                             .target = target,
                             .run = run,
                             .threads = dw_run_thread_count(run) };
    double begin = plan->has_background ? 0.4 : 0.0;
    dw_run first = dw_run_part(run, 0.0, begin), last = dw_run_part(run, 1.0, 1.0);

    DW_TRY(init_context(&context, err));
    if (plan->has_background)
        DW_TRY(bake_large(&context, plan->tile_count, 0, &first, err));
    if (plan->def.coverage == DW_COVERAGE_MODE_IMAGE) {
        context.phase = BAKE_COUNT;
        DW_TRY(bake_tiles(&context, begin, (1.0 + begin) / 2.0, err));
        DW_TRY(choose_image_remaps(&context, err));
        context.phase = BAKE_REMAPPED;
        begin = (1.0 + begin) / 2.0;
    }
    DW_TRY(bake_tiles(&context, begin, 1.0, err));
    if (context.seed != NULL)
        DW_TRY(bake_large(&context, plan->tile_count, plan->merged_level - 1, &last, err));
    finish_context(&context);
    return DW_OK;
fail:
    finish_context(&context);
    return err->code;
}
