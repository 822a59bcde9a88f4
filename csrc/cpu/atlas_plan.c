/* SPDX-License-Identifier: MIT */
#include "cpu/atlas_plan.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

dw_atlas_def dw_atlas_def_default(void)
{
    return (dw_atlas_def) {
        .color_space = DW_COLOR_SPACE_SRGB,
        .filter = DW_MIP_FILTER_BOX,
        .fill = DW_FILL_MODE_EDGE,
        .coverage = DW_COVERAGE_MODE_TILE,
        .cutoff_count = 1,
        .cutoffs = { 0.5 },
        .start_level = 1,
        .strength = 1.0,
        .kernel_runs = 1,
    };
}

uint32_t dw_cutoff_sample(double cutoff)
{
    /* 1e-6 of a sample step takes back what a decimal cutoff lost in binary. */
    return (uint32_t)ceil(cutoff * DW_SAMPLE_ONE * 65535.0 - 1e-6);
}

int dw_level_total(int width, int height)
{
    int side = width > height ? width : height;
    int total = 1;

    while (side > 1) {
        side >>= 1;
        total++;
    }
    return total;
}

static dw_status check_def(const dw_atlas_def *def, dw_error *err)
{
    double last = 0.0;

    if (def->cutoff_count < 1 || def->cutoff_count > DW_CUTOFFS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "cutoffs must hold 1 to %d values, got %d",
                       DW_CUTOFFS_MAX, def->cutoff_count);
    for (int i = 0; i < def->cutoff_count; i++) {
        double cutoff = def->cutoffs[i];

        if (!(cutoff > 0.0 && cutoff < 1.0))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "cutoffs must lie inside (0, 1), got %g; an 8-bit reference r is "
                           "r / 255",
                           cutoff);
        if (cutoff <= last)
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "cutoffs must ascend, got %g after %g; sort them", cutoff, last);
        last = cutoff;
    }
    if (def->kernel_runs < 1)
        return dw_fail(err, DW_ERROR_ARGUMENT, "kernel_runs must be 1 or more, got %d",
                       def->kernel_runs);
    if (def->start_level < 0)
        return dw_fail(err, DW_ERROR_ARGUMENT, "start_level must be 0 or more, got %d",
                       def->start_level);
    if (!(def->strength >= 0.0 && def->strength <= 1.0))
        return dw_fail(err, DW_ERROR_ARGUMENT, "strength must lie in [0, 1], got %g",
                       def->strength);
    if (def->target_coverage != NULL && def->coverage != DW_COVERAGE_MODE_TILE)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "target_coverage is a share for each tile: it needs coverage=\"tile\"");
    if (def->level_count < 0)
        return dw_fail(err, DW_ERROR_ARGUMENT, "max_level must be 0 or more, got %d",
                       def->level_count - 1);
    return DW_OK;
}

static dw_status check_rect(const dw_rect *rect, int index, int width, int height, int gutter,
                            dw_error *err)
{
    if (rect->width < 1 || rect->height < 1)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "tiles: rect %d is %d x %d texels; each side must be 1 or more", index,
                       rect->width, rect->height);
    if (rect->x < 0 || rect->y < 0 || rect->width > width - rect->x ||
        rect->height > height - rect->y)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "tiles: rect %d (x %d, y %d, %d x %d) reaches outside the image of "
                       "%d x %d texels",
                       index, rect->x, rect->y, rect->width, rect->height, width, height);
    if (2 * (int64_t)gutter >= rect->width || 2 * (int64_t)gutter >= rect->height)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "gutter %d leaves nothing of tile %d, which is %d x %d texels; it must be "
                       "less than half of each side",
                       gutter, index, rect->width, rect->height);
    return DW_OK;
}

static int compare_by_top(const void *a, const void *b)
{
    const dw_rect *const *left = a, *const *right = b;

    return ((*left)->y > (*right)->y) - ((*left)->y < (*right)->y);
}

/* A sweep down the image: lowest[x] is the rect, of those so far, that reaches lowest in column x.
 */
static dw_status check_overlap(const dw_rect *rects, int count, int width, dw_error *err)
{
    const dw_rect **sorted = NULL, **lowest = NULL;

    DW_TRY(DW_ALLOC((size_t)count, &sorted, err));
    DW_TRY(DW_ALLOC_ZEROED((size_t)width, &lowest, err));
    for (int i = 0; i < count; i++)
        sorted[i] = &rects[i];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_by_top);
    for (int i = 0; i < count; i++) {
        const dw_rect *b = sorted[i];

        for (int x = b->x; x < b->x + b->width; x++) {
            const dw_rect *a = lowest[x];

            if (a != NULL && a->y + a->height > b->y) {
                dw_fail(err, DW_ERROR_ARGUMENT,
                        "tiles: rects %d and %d overlap (x %d, y %d, %d x %d and x %d, y %d, "
                        "%d x %d); every texel may belong to one tile only",
                        (int)(a - rects), (int)(b - rects), a->x, a->y, a->width, a->height, b->x,
                        b->y, b->width, b->height);
                goto fail;
            }
            lowest[x] = b;
        }
    }
    dw_free(sorted);
    dw_free(lowest);
    return DW_OK;
fail:
    dw_free(sorted);
    dw_free(lowest);
    return err->code;
}

dw_status dw_check_rects(const dw_rect *rects, int count, int width, int height, int gutter,
                         dw_error *err)
{
    if (gutter < 0)
        return dw_fail(err, DW_ERROR_ARGUMENT, "gutter must be 0 or more, got %d", gutter);
    for (int i = 0; i < count; i++)
        if (check_rect(&rects[i], i, width, height, gutter, err) != DW_OK)
            return err->code;
    return check_overlap(rects, count, width, err);
}

static dw_status check_source(const dw_atlas_source *source, dw_error *err)
{
    if (source->width < 1 || source->height < 1)
        return dw_fail(err, DW_ERROR_ARGUMENT, "image is empty: %d x %d texels", source->width,
                       source->height);
    if (source->width > DW_SIDE_MAX || source->height > DW_SIDE_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "image is %d x %d texels; at most %d on a side, split the atlas",
                       source->width, source->height, DW_SIDE_MAX);
    return DW_OK;
}

/* Content texels of one axis: those that [begin, end) of level 0 touches, within the tile's own. */
static void place_content(int begin, int end, int size, int level_size, int own_begin, int own_end,
                          int *out_begin, int *out_end)
{
    int64_t first = (int64_t)begin * level_size / size;
    int64_t last = ((int64_t)end * level_size + size - 1) / size;

    *out_begin = first < own_begin ? own_begin : (int)first;
    *out_end = last > own_end ? own_end : (int)last;
    if (*out_begin >= *out_end) {
        *out_begin = own_begin;
        *out_end = own_end;
    }
}

/* Samples of one axis inside [begin, end) of level 0: the edges of that in 64ths of a texel, and a
 * grid of four samples to a texel that begins there, to a sixteenth. A card may reach half a texel
 * beyond the texels that are its own. */
static void place_samples(int begin, int end, int size, int level_size, int content_begin,
                          int content_end, int *even, int *grid, int *out_phase)
{
    int first = dw_level_edge(begin, size, 64 * level_size);
    int last = dw_level_edge(end, size, 64 * level_size);
    int first_16th;

    first = first < 64 * content_begin - 32 ? 64 * content_begin - 32 : first;
    last = last > 64 * content_end + 32 ? 64 * content_end + 32 : last;
    if (first >= last) {
        first = 64 * content_begin;
        last = 64 * content_end;
    }
    even[0] = first;
    even[1] = last;
    first_16th = (first + 2) / 4;
    grid[0] = (first_16th + 1) / 4;
    grid[1] = grid[0] + ((last + 2) / 4 - first_16th + 1) / 4;
    *out_phase = first_16th - 4 * grid[0];
}

/* Content and samples of a tile, from the texels that are its own. */
static void place_inside(const dw_atlas_plan *plan, const dw_rect *rect, int gutter, int level,
                         dw_tile_level *place)
{
    int width = plan->level_width[level], height = plan->level_height[level];
    int x0 = rect->x + gutter, x1 = rect->x + rect->width - gutter;
    int y0 = rect->y + gutter, y1 = rect->y + rect->height - gutter;
    int even_x[2], even_y[2], grid_x[2], grid_y[2];

    place_content(x0, x1, plan->width, width, place->x0, place->x1, &place->content_x0,
                  &place->content_x1);
    place_content(y0, y1, plan->height, height, place->y0, place->y1, &place->content_y0,
                  &place->content_y1);
    place_samples(x0, x1, plan->width, width, place->content_x0, place->content_x1, even_x, grid_x,
                  &place->phase_x);
    place_samples(y0, y1, plan->height, height, place->content_y0, place->content_y1, even_y,
                  grid_y, &place->phase_y);
    place->even_x0 = even_x[0];
    place->even_x1 = even_x[1];
    place->even_y0 = even_y[0];
    place->even_y1 = even_y[1];
    place->sample_x0 = grid_x[0];
    place->sample_x1 = grid_x[1];
    place->sample_y0 = grid_y[0];
    place->sample_y1 = grid_y[1];
}

static dw_tile_level place_tile(const dw_atlas_plan *plan, const dw_rect *rect, int gutter,
                                int level)
{
    int width = plan->level_width[level], height = plan->level_height[level];
    dw_tile_level place = {
        .x0 = dw_level_edge(rect->x, plan->width, width),
        .y0 = dw_level_edge(rect->y, plan->height, height),
        .x1 = dw_level_edge(rect->x + rect->width, plan->width, width),
        .y1 = dw_level_edge(rect->y + rect->height, plan->height, height),
    };

    place_inside(plan, rect, gutter, level, &place);
    return place;
}

/* Texels that a tile touches at a level. */
static dw_tile_level touched_texels(const dw_atlas_plan *plan, const dw_rect *rect, int level)
{
    int64_t width = plan->level_width[level], height = plan->level_height[level];

    return (dw_tile_level) {
        .x0 = (int)(rect->x * width / plan->width),
        .y0 = (int)(rect->y * height / plan->height),
        .x1 = (int)(((rect->x + rect->width) * width + plan->width - 1) / plan->width),
        .y1 = (int)(((rect->y + rect->height) * height + plan->height - 1) / plan->height),
    };
}

static bool is_free(const uint8_t *taken, int width, int x0, int y0, int x1, int y1)
{
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            if (taken[(size_t)y * (size_t)width + (size_t)x] != 0)
                return false;
    return true;
}

static void take(uint8_t *taken, int width, const dw_tile_level *place)
{
    for (int y = place->y0; y < place->y1; y++)
        memset(taken + (size_t)y * (size_t)width + (size_t)place->x0, 1,
               (size_t)(place->x1 - place->x0));
}

/* A tile that lies astray of the texels of a level also gets those that it touches, a whole row or
 * column at a time, where no other tile has them: a card shows them too. */
static void extend_tile(const dw_atlas_plan *plan, int tile, int level, uint8_t *taken)
{
    dw_tile_level *place = &plan->places[(size_t)tile * (size_t)plan->level_total + (size_t)level];
    dw_tile_level touched = touched_texels(plan, &plan->rects[tile], level);
    int width = plan->level_width[level];

    if (is_free(taken, width, touched.x0, place->y0, place->x0, place->y1))
        place->x0 = touched.x0;
    if (is_free(taken, width, place->x1, place->y0, touched.x1, place->y1))
        place->x1 = touched.x1;
    if (is_free(taken, width, place->x0, touched.y0, place->x1, place->y0))
        place->y0 = touched.y0;
    if (is_free(taken, width, place->x0, place->y1, place->x1, touched.y1))
        place->y1 = touched.y1;
    take(taken, width, place);
}

static dw_status extend_tiles(dw_atlas_plan *plan, int gutter, dw_error *err)
{
    uint8_t *taken = NULL;

    if (!plan->has_background || plan->level_total < 2)
        return DW_OK;
    if (DW_ALLOC((size_t)plan->level_width[1] * (size_t)plan->level_height[1], &taken, err) !=
        DW_OK)
        return err->code;
    for (int level = 1; level < plan->level_total; level++) {
        int width = plan->level_width[level];

        memset(taken, 0, (size_t)width * (size_t)plan->level_height[level]);
        for (int tile = 0; tile < plan->tile_count; tile++)
            if (level < plan->tile_levels[tile])
                take(taken, width, dw_atlas_place(plan, tile, level));
        for (int tile = 0; tile < plan->tile_count; tile++) {
            if (level >= plan->tile_levels[tile])
                continue;
            extend_tile(plan, tile, level, taken);
            place_inside(plan, &plan->rects[tile], gutter, level,
                         &plan->places[(size_t)tile * (size_t)plan->level_total + (size_t)level]);
        }
    }
    dw_free(taken);
    return DW_OK;
}

/* A tile lives at a level while it is a texel or more along both axes. */
static int count_tile_levels(const dw_atlas_plan *plan, const dw_rect *rect)
{
    int level = 1;

    while (level < plan->level_total &&
           (int64_t)rect->width * plan->level_width[level] >= plan->width &&
           (int64_t)rect->height * plan->level_height[level] >= plan->height)
        level++;
    return level;
}

static dw_status place_tiles(dw_atlas_plan *plan, dw_error *err)
{
    /* Kept gutters are data like any other. */
    int gutter = plan->def.fill == DW_FILL_MODE_KEEP ? 0 : plan->def.gutter;
    int64_t area = 0;

    plan->merged_level = plan->level_total;
    for (int tile = 0; tile <= plan->tile_count; tile++) {
        const dw_rect *rect = &plan->rects[tile];
        int levels = count_tile_levels(plan, rect);
        int tile_gutter = tile < plan->tile_count ? gutter : 0;

        plan->tile_levels[tile] = levels;
        if (levels < plan->merged_level)
            plan->merged_level = levels;
        if (tile < plan->tile_count)
            area += (int64_t)rect->width * rect->height;
        for (int level = 0; level < levels; level++)
            plan->places[(size_t)tile * (size_t)plan->level_total + (size_t)level] =
                place_tile(plan, rect, tile_gutter, level);
    }
    /* Kept data must reach the levels below a tile's size too: the whole image is baked as well. */
    plan->has_background =
        area < (int64_t)plan->width * plan->height || plan->def.fill == DW_FILL_MODE_KEEP;
    return extend_tiles(plan, gutter, err);
}

static void size_levels(dw_atlas_plan *plan)
{
    for (int n = 0; n < plan->level_total; n++) {
        plan->level_width[n] = plan->width >> n > 0 ? plan->width >> n : 1;
        plan->level_height[n] = plan->height >> n > 0 ? plan->height >> n : 1;
    }
    plan->write_count = plan->def.level_count;
    if (plan->write_count == 0 || plan->write_count > plan->level_total)
        plan->write_count = plan->level_total;
}

static void set_cutoffs(dw_atlas_plan *plan)
{
    for (int i = 0; i < plan->def.cutoff_count; i++) {
        plan->cutoff_samples[i] = dw_cutoff_sample(plan->def.cutoffs[i]);
        plan->cutoff_alpha[i] = (plan->cutoff_samples[i] + DW_SAMPLE_ONE / 2) / DW_SAMPLE_ONE;
    }
    plan->strength = (uint32_t)floor(plan->def.strength * 65536.0 + 0.5);
}

static dw_status build_plan(dw_atlas_plan *plan, const dw_rect *rects, int bits, dw_error *err)
{
    size_t places = (size_t)(plan->tile_count + 1);

    DW_TRY(DW_ALLOC(places, &plan->rects, err));
    for (int i = 0; i < plan->tile_count; i++)
        plan->rects[i] = rects != NULL ? rects[i] : (dw_rect) { 0, 0, plan->width, plan->height };
    plan->rects[plan->tile_count] = (dw_rect) { 0, 0, plan->width, plan->height };
    DW_TRY(dw_check_rects(plan->rects, plan->tile_count, plan->width, plan->height,
                          plan->def.gutter, err));
    size_levels(plan);
    set_cutoffs(plan);
    DW_TRY(DW_ALLOC(places, &plan->tile_levels, err));
    DW_TRY(DW_ALLOC_ZEROED(places * (size_t)plan->level_total, &plan->places, err));
    DW_TRY(place_tiles(plan, err));
    for (int n = 1; n < plan->level_total; n++) {
        DW_TRY(
            dw_filter_axis_init(plan->def.filter, plan->level_width[n - 1], &plan->axis_x[n], err));
        DW_TRY(dw_filter_axis_init(plan->def.filter, plan->level_height[n - 1], &plan->axis_y[n],
                                   err));
    }
    DW_TRY(dw_light_tables_create(plan->def.color_space, bits, &plan->light, err));
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_atlas_plan_create(const dw_atlas_def *def, const dw_atlas_source *source,
                               const dw_rect *rects, int tile_count, dw_atlas_plan **out,
                               dw_error *err)
{
    dw_atlas_plan *plan = NULL;

    *out = NULL;
    DW_TRY(check_source(source, err));
    DW_TRY(check_def(def, err));
    if (rects != NULL && tile_count < 1) {
        dw_fail(err, DW_ERROR_ARGUMENT,
                "tiles holds no rect; leave it out to take the image as "
                "one tile");
        goto fail;
    }
    DW_TRY(DW_ALLOC_ZEROED(1, &plan, err));
    plan->def = *def;
    plan->width = source->width;
    plan->height = source->height;
    plan->tile_count = rects != NULL ? tile_count : 1;
    plan->level_total = dw_level_total(source->width, source->height);
    DW_TRY(build_plan(plan, rects, source->bits, err));
    *out = plan;
    return DW_OK;
fail:
    dw_atlas_plan_destroy(plan);
    return err->code;
}

void dw_atlas_plan_destroy(dw_atlas_plan *plan)
{
    if (plan == NULL)
        return;
    for (int n = 0; n < DW_LEVELS_MAX; n++) {
        dw_filter_axis_finish(&plan->axis_x[n]);
        dw_filter_axis_finish(&plan->axis_y[n]);
    }
    dw_light_tables_destroy(plan->light);
    dw_free(plan->rects);
    dw_free(plan->tile_levels);
    dw_free(plan->places);
    dw_free(plan);
}
