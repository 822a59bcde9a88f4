/* SPDX-License-Identifier: MIT */
#include "passes/atlas_layout.h"

#include "base/alloc.h"

#include <string.h>

/* Texels between the beginnings of levels in the outputs: storage offsets of a byte a texel. */
#define DW_LEVEL_ALIGNMENT 256
#define DW_PART_ALIGNMENT  256 /* bytes; every device's storage offsets allow it */

/* ---- lists of workgroups ---- */

static dw_status grow_blocks(dw_atlas_layout *layout, size_t more, dw_error *err)
{
    size_t wanted = layout->block_count + more, capacity = layout->block_capacity;
    dw_atlas_block *blocks = NULL;

    if (wanted <= capacity)
        return DW_OK;
    while (capacity < wanted)
        capacity = capacity < 1024 ? 1024 : 2 * capacity;
    if (capacity > UINT32_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY, "tiles: too many for one bake on this device");
    if (DW_ALLOC(capacity, &blocks, err) != DW_OK)
        return err->code;
    if (layout->block_count > 0)
        memcpy(blocks, layout->blocks, layout->block_count * sizeof *blocks);
    dw_free(layout->blocks);
    layout->blocks = blocks;
    layout->block_capacity = capacity;
    return DW_OK;
}

static dw_status add_block(dw_atlas_layout *layout, uint32_t place, uint32_t at, uint32_t slot,
                           dw_error *err)
{
    if (grow_blocks(layout, 1, err) != DW_OK)
        return err->code;
    layout->blocks[layout->block_count++] = (dw_atlas_block) { place, at, slot };
    return DW_OK;
}

static void begin_span(const dw_atlas_layout *layout, dw_atlas_span *span)
{
    span->first = (uint32_t)layout->block_count;
}

static void end_span(const dw_atlas_layout *layout, dw_atlas_span *span)
{
    span->count = (uint32_t)layout->block_count - span->first;
}

static uint32_t place_index(const dw_atlas_plan *plan, int tile, int level)
{
    return (uint32_t)tile * (uint32_t)plan->level_total + (uint32_t)level;
}

static int content_width(const dw_tile_level *place)
{
    return place->content_x1 - place->content_x0;
}

static int content_height(const dw_tile_level *place)
{
    return place->content_y1 - place->content_y0;
}

/* Blocks of side x side texels over a content area, counted from its corner. */
static dw_status add_content(dw_atlas_layout *layout, int tile, int level, int side, uint32_t slot,
                             dw_error *err)
{
    const dw_tile_level *place = dw_atlas_place(layout->plan, tile, level);
    uint32_t index = place_index(layout->plan, tile, level);

    for (int y = 0; y * side < content_height(place); y++)
        for (int x = 0; x * side < content_width(place); x++)
            if (add_block(layout, index, (uint32_t)x | (uint32_t)y << 16, slot, err) != DW_OK)
                return err->code;
    return DW_OK;
}

/* The same, counted from the corner of the image. */
static dw_status add_image_blocks(dw_atlas_layout *layout, int tile, int level, int side,
                                  uint32_t slot, dw_error *err)
{
    const dw_tile_level *place = dw_atlas_place(layout->plan, tile, level);
    uint32_t index = place_index(layout->plan, tile, level);

    for (int y = place->content_y0 / side; y * side < place->content_y1; y++)
        for (int x = place->content_x0 / side; x * side < place->content_x1; x++)
            if (add_block(layout, index, (uint32_t)x | (uint32_t)y << 16, slot, err) != DW_OK)
                return err->code;
    return DW_OK;
}

/* Runs of a tile's texels outside its content. */
static dw_status add_gutters(dw_atlas_layout *layout, int tile, int level, dw_error *err)
{
    const dw_tile_level *place = dw_atlas_place(layout->plan, tile, level);
    uint32_t index = place_index(layout->plan, tile, level);
    int texels = (place->x1 - place->x0) * (place->y1 - place->y0) -
                 content_width(place) * content_height(place);

    for (int i = 0; i * DW_ATLAS_GUTTER_RUN < texels; i++)
        if (add_block(layout, index, (uint32_t)i, DW_ATLAS_NONE, err) != DW_OK)
            return err->code;
    return DW_OK;
}

/* ---- coverage ---- */

static bool is_remapped(const dw_atlas_plan *plan, int tile, int level)
{
    const dw_tile_level *place = dw_atlas_place(plan, tile, level);

    return level >= plan->def.start_level && content_width(place) >= DW_COVERAGE_SIDE_MIN &&
           content_height(place) >= DW_COVERAGE_SIDE_MIN;
}

static bool is_image_wide(const dw_atlas_plan *plan)
{
    return plan->def.coverage == DW_COVERAGE_MODE_IMAGE;
}

static int share_tiles(const dw_atlas_plan *plan)
{
    return is_image_wide(plan) ? 1 : plan->tile_count;
}

/* Whether a (tile, level) is counted by several workgroups. */
static bool has_histogram(const dw_atlas_plan *plan, int tile, int level)
{
    const dw_tile_level *place = dw_atlas_place(plan, tile, level);

    return is_remapped(plan, tile, level) &&
           (int64_t)content_width(place) * content_height(place) > DW_REFINE_TEXELS;
}

/* A histogram in device memory for each (tile, level) that takes several workgroups, or one a level
 * for the whole image. */
static uint32_t count_slots(const dw_atlas_plan *plan)
{
    uint32_t count = 0;

    if (plan->def.coverage == DW_COVERAGE_MODE_NONE)
        return 0;
    if (is_image_wide(plan))
        return (uint32_t)plan->level_total;
    for (int tile = 0; tile < plan->tile_count; tile++)
        for (int level = 0; level < plan->tile_levels[tile]; level++)
            count += has_histogram(plan, tile, level);
    return count;
}

/* slots: [tile][level_total]. */
static void assign_slots(const dw_atlas_layout *layout, uint32_t *slots)
{
    const dw_atlas_plan *plan = layout->plan;
    uint32_t next = 0;

    for (int tile = 0; tile < plan->tile_count; tile++)
        for (int level = 0; level < plan->tile_levels[tile]; level++) {
            uint32_t *slot = &slots[place_index(plan, tile, level)];

            *slot = DW_ATLAS_NONE;
            if (is_image_wide(plan) && is_remapped(plan, tile, level))
                *slot = (uint32_t)level;
            else if (!is_image_wide(plan) && has_histogram(plan, tile, level))
                *slot = next++;
        }
}

/* Level 0 against the cutoffs, unless the caller said what they shall let pass. */
static dw_status list_shares(dw_atlas_layout *layout, dw_atlas_span *span, dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;

    begin_span(layout, span);
    for (int tile = 0; plan->def.target_coverage == NULL && tile < plan->tile_count; tile++)
        if (add_content(layout, tile, 0, DW_ATLAS_COUNT_SIDE, DW_ATLAS_NONE, err) != DW_OK)
            return err->code;
    end_span(layout, span);
    return DW_OK;
}

static dw_status list_bins(dw_atlas_layout *layout, dw_atlas_span *span, const uint32_t *slots,
                           dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;

    begin_span(layout, span);
    for (int level = 0; level < plan->level_total; level++)
        for (int tile = 0; tile < plan->tile_count; tile++) {
            uint32_t slot = slots[place_index(plan, tile, level)];

            if (level < plan->tile_levels[tile] && slot != DW_ATLAS_NONE &&
                add_content(layout, tile, level, DW_ATLAS_COUNT_SIDE, slot, err) != DW_OK)
                return err->code;
        }
    end_span(layout, span);
    return DW_OK;
}

static dw_status list_choices(dw_atlas_layout *layout, dw_atlas_span *span, const uint32_t *slots,
                              dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;

    begin_span(layout, span);
    for (uint32_t level = 0; is_image_wide(plan) && level < layout->slot_count; level++)
        if (add_block(layout, level, level, level, err) != DW_OK)
            return err->code;
    for (int tile = 0; !is_image_wide(plan) && tile < plan->tile_count; tile++)
        for (int level = 0; level < plan->tile_levels[tile]; level++) {
            uint32_t place = place_index(plan, tile, level);

            if (is_remapped(plan, tile, level) &&
                add_block(layout, place, place, slots[place], err) != DW_OK)
                return err->code;
        }
    end_span(layout, span);
    return DW_OK;
}

/* Large tiles are tried for several cutoffs only. */
static dw_status list_corrections(dw_atlas_layout *layout, dw_atlas_span *span,
                                  const uint32_t *slots, dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;

    begin_span(layout, span);
    for (int tile = 0; layout->is_trying && tile < plan->tile_count; tile++)
        for (int level = 0; level < plan->tile_levels[tile]; level++) {
            uint32_t place = place_index(plan, tile, level);

            if (slots[place] != DW_ATLAS_NONE &&
                add_block(layout, place, place, slots[place], err) != DW_OK)
                return err->code;
        }
    end_span(layout, span);
    return DW_OK;
}

static dw_status list_remaps(dw_atlas_layout *layout, dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;
    dw_atlas_stage *stage = &layout->stages[DW_ATLAS_TILES];
    uint32_t *slots = NULL;

    if (plan->def.coverage == DW_COVERAGE_MODE_NONE)
        return DW_OK;
    DW_TRY(DW_ALLOC_ZEROED((size_t)layout->remap_count, &slots, err));
    assign_slots(layout, slots);
    DW_TRY(list_shares(layout, &stage->shares, err));
    DW_TRY(list_bins(layout, &stage->bins, slots, err));
    DW_TRY(list_choices(layout, &stage->choose, slots, err));
    DW_TRY(list_corrections(layout, &stage->correct, slots, err));
    dw_free(slots);
    return DW_OK;
fail:
    dw_free(slots);
    return err->code;
}

/* ---- stages ---- */

/* Whether every texel of the level is the mean of two along each axis, of which one at least is
 * content and the other clamped to it. */
static bool is_halved(const dw_atlas_plan *plan, int tile, int level)
{
    const dw_tile_level *to = dw_atlas_place(plan, tile, level);
    const dw_tile_level *from = dw_atlas_place(plan, tile, level - 1);
    int slack = plan->def.fill == DW_FILL_MODE_WRAP ? 0 : 1;

    return plan->axis_x[level].taps == 2 && plan->axis_y[level].taps == 2 &&
           2 * to->content_x0 + slack >= from->content_x0 &&
           2 * to->content_y0 + slack >= from->content_y0 &&
           2 * to->content_x1 - slack <= from->content_x1 &&
           2 * to->content_y1 - slack <= from->content_y1;
}

static int count_halvings(const dw_atlas_plan *plan, const dw_atlas_stage *stage, int most)
{
    int count = 0;

    if (plan->def.filter != DW_MIP_FILTER_BOX || stage->first_level > 0)
        return 0;
    for (int level = 1; level <= most && level < plan->level_total; level++) {
        for (int tile = stage->tile_begin; tile < stage->tile_end; tile++)
            if (level < plan->tile_levels[tile] && !is_halved(plan, tile, level))
                return count < 2 ? 0 : count;
        count = level;
    }
    return count < 2 ? 0 : count;
}

/* Content texels up to which one workgroup makes all further levels of a tile. */
static int64_t tail_area(const dw_atlas_plan *plan)
{
    return plan->def.filter == DW_MIP_FILTER_BOX ? 32 * 32 : 8 * 8;
}

/* The level from which on a tile is small. */
static int tail_level(const dw_atlas_plan *plan, const dw_atlas_stage *stage, int tile)
{
    int level = (stage->halvings > 0 ? stage->halvings : stage->first_level) + 1;

    while (level < plan->tile_levels[tile]) {
        const dw_tile_level *place = dw_atlas_place(plan, tile, level);

        if ((int64_t)content_width(place) * content_height(place) <= tail_area(plan))
            break;
        level++;
    }
    return level;
}

static dw_status list_halvings(dw_atlas_layout *layout, dw_atlas_stage *stage, dw_error *err)
{
    begin_span(layout, &stage->halve);
    for (int tile = stage->tile_begin; stage->halvings > 0 && tile < stage->tile_end; tile++)
        if (add_image_blocks(layout, tile, 0, DW_ATLAS_HALVE_SIDE, DW_ATLAS_NONE, err) != DW_OK)
            return err->code;
    end_span(layout, &stage->halve);
    return DW_OK;
}

static dw_status list_tails(dw_atlas_layout *layout, dw_atlas_stage *stage, dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;

    begin_span(layout, &stage->tail);
    for (int tile = stage->tile_begin; tile < stage->tile_end; tile++) {
        int level = tail_level(plan, stage, tile);

        if (level < plan->tile_levels[tile] &&
            add_block(layout, place_index(plan, tile, level), 0, DW_ATLAS_NONE, err) != DW_OK)
            return err->code;
    }
    end_span(layout, &stage->tail);
    return DW_OK;
}

static dw_status list_down(dw_atlas_layout *layout, dw_atlas_stage *stage, dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;
    int first = (stage->halvings > 0 ? stage->halvings : stage->first_level) + 1;

    if (list_halvings(layout, stage, err) != DW_OK)
        return err->code;
    for (int level = first; level < plan->level_total; level++) {
        begin_span(layout, &stage->down[level]);
        for (int tile = stage->tile_begin; tile < stage->tile_end; tile++)
            if (level < tail_level(plan, stage, tile) &&
                add_content(layout, tile, level, DW_ATLAS_DOWN_SIDE, DW_ATLAS_NONE, err) != DW_OK)
                return err->code;
        end_span(layout, &stage->down[level]);
    }
    return list_tails(layout, stage, err);
}

static dw_status list_finish(dw_atlas_layout *layout, const dw_atlas_stage *stage,
                             dw_atlas_finish *part, dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;

    begin_span(layout, &part->span);
    for (int level = part->level_begin; level < part->level_end; level++)
        for (int tile = stage->tile_begin; tile < stage->tile_end; tile++) {
            bool is_shared = is_image_wide(plan) && tile < plan->tile_count;
            uint32_t remap = is_shared ? (uint32_t)level : place_index(plan, tile, level);

            if (level < plan->tile_levels[tile] &&
                add_image_blocks(layout, tile, level, DW_ATLAS_FINISH_SIDE, remap, err) != DW_OK)
                return err->code;
        }
    end_span(layout, &part->span);
    return DW_OK;
}

static dw_status list_finishes(dw_atlas_layout *layout, dw_atlas_stage *stage, dw_error *err)
{
    const int *widths = layout->plan->level_width;
    int level = stage->write_begin, end = stage->write_end;

    for (int i = 0; i < DW_ATLAS_FINISHES; i++) {
        dw_atlas_finish *part = &stage->finish[i];

        part->level_begin = level;
        while (level < end && (i == 0 ? level == 0 : (i == 2 || widths[level] % 4 == 0)))
            level++;
        part->level_end = level;
        part->flags = i == 0 ? DW_ATLAS_ONLY_SOURCE : DW_ATLAS_NO_SOURCE;
        if (i == 1 || (i == 0 && widths[0] % 4 == 0))
            part->flags |= DW_ATLAS_HAS_QUADS;
        if (list_finish(layout, stage, part, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

static dw_status list_gutters(dw_atlas_layout *layout, dw_atlas_span *span, int tile_begin,
                              int tile_end, int level_begin, int level_end, dw_error *err)
{
    begin_span(layout, span);
    for (int level = level_begin; level < level_end; level++)
        for (int tile = tile_begin; tile < tile_end; tile++)
            if (level < layout->plan->tile_levels[tile] &&
                add_gutters(layout, tile, level, err) != DW_OK)
                return err->code;
    end_span(layout, span);
    return DW_OK;
}

static dw_status list_stage(dw_atlas_layout *layout, dw_atlas_stage *stage, int most_halvings,
                            dw_error *err)
{
    stage->halvings = count_halvings(layout->plan, stage, most_halvings);
    if (list_down(layout, stage, err) != DW_OK || list_finishes(layout, stage, err) != DW_OK)
        return err->code;
    return list_gutters(layout, &stage->gutters, stage->tile_begin, stage->tile_end,
                        stage->write_begin, stage->write_end, err);
}

static dw_status list_stages(dw_atlas_layout *layout, dw_error *err)
{
    const dw_atlas_plan *plan = layout->plan;
    dw_atlas_stage *stages = layout->stages;
    int count = plan->tile_count, merged = plan->merged_level, most = DW_ATLAS_HALVINGS;
    bool is_merged = !plan->has_background && merged < plan->level_total;
    /* The level that merged levels start from is written by its tiles, unless it is the source. */
    int merged_begin = merged > 1 ? merged : 0;

    stages[DW_ATLAS_TILES].tile_end = count;
    stages[DW_ATLAS_TILES].write_end = plan->write_count;
    is_merged = is_merged && merged_begin < plan->write_count;
    if (is_merged) {
        stages[DW_ATLAS_TILES].write_end = merged_begin;
        /* The merged levels start from the sums of the level before them. */
        most = merged - 1 < most ? merged - 1 : most;
    }
    if (list_stage(layout, &stages[DW_ATLAS_TILES], most, err) != DW_OK)
        return err->code;
    if (plan->has_background) {
        stages[DW_ATLAS_BACKGROUND] = (dw_atlas_stage) { .tile_begin = count,
                                                         .tile_end = count + 1,
                                                         .write_end = plan->write_count };
        return list_stage(layout, &stages[DW_ATLAS_BACKGROUND], most, err);
    }
    if (!is_merged)
        return DW_OK;
    stages[DW_ATLAS_MERGED] = (dw_atlas_stage) { .tile_begin = count,
                                                 .tile_end = count + 1,
                                                 .first_level = merged - 1,
                                                 .write_begin = merged_begin,
                                                 .write_end = plan->write_count };
    if (merged > 1 && list_gutters(layout, &stages[DW_ATLAS_MERGED].seed, 0, count, merged - 1,
                                   merged, err) != DW_OK)
        return err->code;
    return list_stage(layout, &stages[DW_ATLAS_MERGED], 0, err);
}

/* ---- tables ---- */

void dw_atlas_layout_measure(const dw_atlas_plan *plan, dw_atlas_layout *out)
{
    uint32_t next = 0;

    *out = (dw_atlas_layout) { .plan = plan, .bits = plan->light->decode_16 != NULL ? 16 : 8 };
    for (int n = 0; n < plan->level_total; n++) {
        uint32_t area = (uint32_t)plan->level_width[n] * (uint32_t)plan->level_height[n];

        out->levels[n].width = plan->level_width[n];
        out->levels[n].height = plan->level_height[n];
        out->levels[n].first = next;
        next += (area + DW_LEVEL_ALIGNMENT - 1) / DW_LEVEL_ALIGNMENT * DW_LEVEL_ALIGNMENT;
        if (n == 0)
            out->plane_base = next;
    }
    out->texel_total = next;
    out->remap_count = place_index(plan, plan->tile_count + 1, 0);
    out->slot_count = count_slots(plan);
    out->share_count = (uint32_t)share_tiles(plan) * (uint32_t)plan->def.cutoff_count;
    out->is_trying = plan->def.coverage == DW_COVERAGE_MODE_TILE && plan->def.cutoff_count > 1;
}

static size_t axis_words(const dw_filter_axis *axis)
{
    return (size_t)axis->size * (size_t)(1 + axis->taps);
}

/* Starts, then weights; returns the index of the first. */
static uint32_t put_axis(const dw_filter_axis *axis, int32_t *axes, uint32_t *next)
{
    uint32_t first = *next;
    int32_t *out = axes + first;

    memcpy(out, axis->start, (size_t)axis->size * sizeof *out);
    out += axis->size;
    for (int i = 0; i < axis->size * axis->taps; i++)
        out[i] = axis->weights[i];
    *next += (uint32_t)axis_words(axis);
    return first;
}

static void put_axes(dw_atlas_layout *layout, int32_t *axes)
{
    const dw_atlas_plan *plan = layout->plan;
    uint32_t next = 0;

    for (int n = 1; n < plan->level_total; n++) {
        dw_atlas_level *level = &layout->levels[n];

        level->axis_x = put_axis(&plan->axis_x[n], axes, &next);
        level->taps_x = plan->axis_x[n].taps;
        level->sum_x = plan->axis_x[n].denominator;
        level->axis_y = put_axis(&plan->axis_y[n], axes, &next);
        level->taps_y = plan->axis_y[n].taps;
        level->sum_y = plan->axis_y[n].denominator;
    }
}

static void put_tables(const dw_light_tables *light, uint32_t *out)
{
    uint32_t *encode = out + DW_ATLAS_TABLE_ENCODE, *decode_16 = out + DW_ATLAS_TABLE_DECODE_16;

    for (int i = 0; i < 256; i++)
        out[i] = light->decode_8[i];
    for (int i = 0; i < DW_ENCODE_SIZE; i++)
        encode[i / 4] |= (uint32_t)light->encode[i] << (8 * (i % 4));
    for (int i = 0; light->decode_16 != NULL && i < 65536; i++)
        decode_16[i / 2] |= (uint32_t)light->decode_16[i] << (16 * (i % 2));
}

/* What the cutoffs of one tile shall let pass: given, or as counted later. */
static dw_atlas_share initial_share(const dw_atlas_plan *plan, int tile, int cutoff)
{
    const dw_atlas_def *def = &plan->def;
    int begin = is_image_wide(plan) ? 0 : tile;
    int end = is_image_wide(plan) ? plan->tile_count : tile + 1;
    dw_atlas_share share = { 0 };
    uint64_t count = 0;

    if (def->target_coverage != NULL) {
        double part = def->target_coverage[tile * def->cutoff_count + cutoff];

        share.passing_low = (uint32_t)(part * DW_SHARE_ONE + 0.5);
        share.count_low = DW_SHARE_ONE;
        return share;
    }
    for (int i = begin; i < end; i++) {
        const dw_tile_level *place = dw_atlas_place(plan, i, 0);

        count += dw_sample_count(place);
    }
    share.count_low = (uint32_t)count;
    share.count_high = (uint32_t)(count >> 32);
    return share;
}

static void put_shares(const dw_atlas_plan *plan, dw_atlas_share *out)
{
    for (int tile = 0; tile < share_tiles(plan); tile++)
        for (int i = 0; i < plan->def.cutoff_count; i++)
            *out++ = initial_share(plan, tile, i);
}

static uint32_t share_rows(const dw_atlas_layout *layout)
{
    uint32_t tried = layout->is_trying ? layout->slot_count : 0;

    return layout->share_count + tried * (DW_CUTOFFS_MAX + 1);
}

static void size_parts(dw_atlas_layout *layout)
{
    const dw_atlas_plan *plan = layout->plan;
    uint64_t words = 0, *size = layout->part_size;

    for (int n = 1; n < plan->level_total; n++)
        words += axis_words(&plan->axis_x[n]) + axis_words(&plan->axis_y[n]);
    size[DW_ATLAS_PART_TABLES] =
        sizeof(uint32_t) * (DW_ATLAS_TABLE_DECODE_16 + (layout->bits == 16 ? 32768 : 0));
    size[DW_ATLAS_PART_PLACES] = layout->remap_count * sizeof(dw_tile_level);
    size[DW_ATLAS_PART_LEVELS] = (uint64_t)plan->level_total * sizeof(dw_atlas_level);
    size[DW_ATLAS_PART_BLOCKS] = layout->block_count * sizeof(dw_atlas_block);
    size[DW_ATLAS_PART_AXES] = words * sizeof(int32_t);
    size[DW_ATLAS_PART_SHARES] = (uint64_t)share_rows(layout) * sizeof(dw_atlas_share);
    for (int i = 0; i < DW_ATLAS_PARTS; i++) {
        uint64_t bytes = (size[i] + DW_PART_ALIGNMENT - 1) / DW_PART_ALIGNMENT * DW_PART_ALIGNMENT;

        layout->part_offset[i] = layout->part_bytes;
        layout->part_bytes += bytes > 0 ? bytes : DW_PART_ALIGNMENT;
    }
}

static void *part_at(const dw_atlas_layout *layout, dw_atlas_part part)
{
    return layout->parts + layout->part_offset[part];
}

dw_status dw_atlas_layout_init(const dw_atlas_plan *plan, dw_atlas_layout *out, dw_error *err)
{
    dw_atlas_layout_measure(plan, out);
    DW_TRY(list_remaps(out, err));
    DW_TRY(list_stages(out, err));
    size_parts(out);
    DW_TRY(DW_ALLOC_ZEROED((size_t)out->part_bytes, &out->parts, err));
    put_tables(plan->light, part_at(out, DW_ATLAS_PART_TABLES));
    memcpy(part_at(out, DW_ATLAS_PART_PLACES), plan->places,
           (size_t)out->part_size[DW_ATLAS_PART_PLACES]);
    put_axes(out, part_at(out, DW_ATLAS_PART_AXES));
    memcpy(part_at(out, DW_ATLAS_PART_LEVELS), out->levels,
           (size_t)out->part_size[DW_ATLAS_PART_LEVELS]);
    if (out->block_count > 0)
        memcpy(part_at(out, DW_ATLAS_PART_BLOCKS), out->blocks,
               (size_t)out->part_size[DW_ATLAS_PART_BLOCKS]);
    put_shares(plan, part_at(out, DW_ATLAS_PART_SHARES));
    return DW_OK;
fail:
    return err->code;
}

void dw_atlas_layout_finish(dw_atlas_layout *layout)
{
    dw_free(layout->blocks);
    dw_free(layout->parts);
    *layout = (dw_atlas_layout) { 0 };
}
