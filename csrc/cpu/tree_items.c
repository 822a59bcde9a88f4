/* SPDX-License-Identifier: MIT */
/* Boxes of items in unit space and their Morton codes, a block at a time: corners are gathered to
 * rows, which go through vector loops, and are put back together. */
#include "base/alloc.h"
#include "base/simd.h"
#include "cpu/tree_prepare.h"

#include <string.h>

#define DW_ITEMS_PART  16384 /* items of a part of a loop */
#define DW_ITEMS_BLOCK 64

/* What a chunk of 8 bits of a cell adds to a code. */
typedef struct dw_morton_table {
    uint32_t axes[3][3][256];
} dw_morton_table;

typedef struct dw_items_job {
    dw_tree_work *work;
    float low[3], scale;
    uint32_t *inactive; /* by part */
    dw_morton_table table;
} dw_items_job;

typedef struct dw_items_block {
    float corners[3][3][DW_ITEMS_BLOCK]; /* by corner and axis; of boxes: low, high, high */
    float low[3][DW_ITEMS_BLOCK], high[3][DW_ITEMS_BLOCK];
    uint32_t cells[3][DW_ITEMS_BLOCK];
    uint32_t is_inactive[DW_ITEMS_BLOCK];
} dw_items_block;

static void make_table(dw_morton_table *table, const uint32_t bits[3])
{
    for (int axis = 0; axis < 3; axis++)
        for (uint32_t chunk = 0; chunk < 3; chunk++) {
            uint32_t *row = table->axes[axis][chunk];

            row[0] = 0;
            for (uint32_t bit = 0; bit < 8; bit++) {
                uint32_t cell = 1u << (8 * chunk + bit);
                uint32_t code = dw_tree_morton(axis == 0 ? cell : 0u, axis == 1 ? cell : 0u,
                                               axis == 2 ? cell : 0u, bits[0], bits[1], bits[2]);

                for (uint32_t i = 0; i < 1u << bit; i++)
                    row[i + (1u << bit)] = row[i] | code;
            }
        }
}

static uint32_t code_of(const dw_morton_table *table, const dw_items_block *block, uint32_t i)
{
    uint32_t code = 0;

    for (int axis = 0; axis < 3; axis++) {
        uint32_t cell = block->cells[axis][i];

        code |= table->axes[axis][0][cell & 255u] | table->axes[axis][1][cell >> 8 & 255u] |
                table->axes[axis][2][cell >> 16];
    }
    return code;
}

static void gather_triangles(const dw_tree_source *source, uint32_t row, uint32_t count,
                             dw_items_block *block)
{
    const uint32_t *index = source->indices + 3 * (size_t)row;

    for (uint32_t i = 0; i < count; i++)
        for (int corner = 0; corner < 3; corner++) {
            const float *at = source->vertices.data + (size_t)*index++ * source->vertices.stride;

            for (int axis = 0; axis < 3; axis++)
                block->corners[corner][axis][i] = at[axis];
        }
}

static void gather_boxes(const dw_tree_source *source, uint32_t row, uint32_t count,
                         dw_items_block *block)
{
    const float *box = source->boxes + 6 * (size_t)row;

    for (uint32_t i = 0; i < count; i++, box += 6)
        for (int axis = 0; axis < 3; axis++) {
            block->corners[0][axis][i] = box[axis];
            block->corners[1][axis][i] = block->corners[2][axis][i] = box[axis + 3];
        }
}

static inline uint32_t magnitude(float x)
{
    return dw_bits_from_float(x) & 0x7fffffffu;
}

static inline uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Marks items with a corner out of range, and takes 0 for its coordinates. */
DW_SIMD static void check_block(dw_items_block *block)
{
    uint32_t is_inactive[DW_ITEMS_BLOCK] = { 0 };

    for (int corner = 0; corner < 3; corner++) {
        const float *x = block->corners[corner][0], *y = block->corners[corner][1];
        const float *z = block->corners[corner][2];

        for (int i = 0; i < DW_ITEMS_BLOCK; i++) {
            uint32_t most = larger(larger(magnitude(x[i]), magnitude(y[i])), magnitude(z[i]));

            is_inactive[i] |= !dw_tree_in_range(most);
        }
    }
    for (int part = 0; part < 9; part++) {
        float *x = block->corners[part / 3][part % 3];

        for (int i = 0; i < DW_ITEMS_BLOCK; i++)
            x[i] = dw_tree_coordinate(is_inactive[i] != 0 ? 0u : dw_bits_from_float(x[i]));
    }
    memcpy(block->is_inactive, is_inactive, sizeof is_inactive);
}

/* Marks boxes whose low corner lies above the high one. */
static void check_boxes(dw_items_block *block)
{
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < DW_ITEMS_BLOCK; i++)
            block->is_inactive[i] |= block->corners[0][axis][i] > block->corners[1][axis][i];
}

/* One axis of boxes in unit space, and their cells. */
DW_SIMD static void bound_axis(dw_items_block *restrict block, int axis, float origin, float scale)
{
    const float *a = block->corners[0][axis], *b = block->corners[1][axis];
    const float *c = block->corners[2][axis];
    const uint32_t *is_inactive = block->is_inactive;
    float lows[DW_ITEMS_BLOCK], highs[DW_ITEMS_BLOCK];
    uint32_t cells[DW_ITEMS_BLOCK];

    for (int i = 0; i < DW_ITEMS_BLOCK; i++) {
        float low = a[i] < b[i] ? a[i] : b[i], high = a[i] > b[i] ? a[i] : b[i];

        low = low < c[i] ? low : c[i];
        high = high > c[i] ? high : c[i];
        low = dw_tree_unit(low, origin, scale);
        high = dw_tree_unit(high, origin, scale);
        lows[i] = is_inactive[i] != 0 ? 1.0f : low;
        highs[i] = is_inactive[i] != 0 ? 1.0f : high;
    }
    for (int i = 0; i < DW_ITEMS_BLOCK; i++)
        cells[i] = dw_tree_cell(lows[i], highs[i]);
    memcpy(block->low[axis], lows, sizeof lows);
    memcpy(block->high[axis], highs, sizeof highs);
    memcpy(block->cells[axis], cells, sizeof cells);
}

/* Items and keys of a block; how many are inactive. */
static uint32_t put_items(const dw_items_job *job, const dw_items_block *block, uint32_t row,
                          uint32_t count)
{
    dw_tree_item *items = job->work->items + row;
    uint64_t *keys = job->work->keys + row;
    uint32_t inactive = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t code = block->is_inactive[i] != 0 ? 0xffffffffu : code_of(&job->table, block, i);

        for (int axis = 0; axis < 3; axis++) {
            items[i].low[axis] = block->low[axis][i];
            items[i].high[axis] = block->high[axis][i];
        }
        items[i].low[3] = items[i].high[3] = 0.0f;
        keys[i] = (uint64_t)code << 32 | (row + i);
        inactive += block->is_inactive[i];
    }
    return inactive;
}

static void make_items(void *user, int64_t part, int worker)
{
    dw_items_job *job = user;
    const dw_tree_source *source = job->work->source;
    uint32_t row = (uint32_t)part * DW_ITEMS_PART, inactive = 0;
    uint32_t end = source->count - row < DW_ITEMS_PART ? source->count : row + DW_ITEMS_PART;
    dw_items_block block;

    (void)worker;
    memset(&block, 0, sizeof block);
    for (; row < end; row += DW_ITEMS_BLOCK) {
        uint32_t count = end - row < DW_ITEMS_BLOCK ? end - row : DW_ITEMS_BLOCK;

        if (source->indices != NULL)
            gather_triangles(source, row, count, &block);
        else
            gather_boxes(source, row, count, &block);
        check_block(&block);
        if (source->indices == NULL)
            check_boxes(&block);
        for (int axis = 0; axis < 3; axis++)
            bound_axis(&block, axis, job->low[axis], job->scale);
        inactive += put_items(job, &block, row, count);
    }
    job->inactive[part] = inactive;
}

static void set_space(dw_items_job *job, const dw_tree_bounds *bounds)
{
    uint32_t bits[3];
    float most = 0.0f;

    for (int axis = 0; axis < 3; axis++) {
        float extent = dw_tree_difference(bounds->high[axis], bounds->low[axis]);

        most = extent > most ? extent : most;
        job->low[axis] = bounds->low[axis];
    }
    job->scale = dw_tree_unit_scale(most);
    for (int axis = 0; axis < 3; axis++)
        bits[axis] =
            dw_tree_cell_bits(dw_tree_unit(bounds->high[axis], bounds->low[axis], job->scale));
    make_table(&job->table, bits);
}

dw_status dw_tree_make_items(dw_tree_work *work, const dw_tree_bounds *bounds, const dw_run *run,
                             dw_error *err)
{
    uint32_t parts = work->count / DW_ITEMS_PART + (work->count % DW_ITEMS_PART != 0);
    dw_items_job *job = NULL;
    uint32_t *inactive = NULL;

    err->code = DW_OK;
    DW_TRY(DW_ALLOC(1, &job, err));
    DW_TRY(DW_ALLOC(parts, &inactive, err));
    job->work = work;
    job->inactive = inactive;
    set_space(job, bounds);
    DW_TRY(dw_parallel_for(run, parts, make_items, job, err));
    work->inactive = 0;
    for (uint32_t i = 0; i < parts; i++)
        work->inactive += inactive[i];
fail:
    dw_free(inactive);
    dw_free(job);
    return err->code;
}
