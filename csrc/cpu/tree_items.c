/* SPDX-License-Identifier: MIT */
/* Boxes of items in unit space and their Morton codes. Unit coordinates never fall as coordinates
 * rise, so those of vertices are made first, and boxes are minima and maxima of them. */
#include "base/alloc.h"
#include "cpu/tree_prepare.h"

#define DW_ITEMS_PART 16384 /* vertices or items of a part of a loop */

/* What a chunk of 8 bits of a cell adds to a code. */
typedef struct dw_morton_table {
    uint32_t axes[3][3][256];
} dw_morton_table;

/* x, y, z and 1 where the vertex is out of range. */
typedef struct dw_unit_vertex {
    float at[4];
} dw_unit_vertex;

typedef struct dw_items_job {
    dw_tree_work *work;
    float low[3], scale;
    dw_unit_vertex *vertices; /* NULL over boxes */
    uint32_t *inactive;       /* by part */
    dw_morton_table table;
} dw_items_job;

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

static uint32_t code_of(const dw_morton_table *table, const dw_tree_item *item)
{
    uint32_t code = 0;

    for (int axis = 0; axis < 3; axis++) {
        uint32_t cell = dw_tree_cell(item->low[axis], item->high[axis]);

        code |= table->axes[axis][0][cell & 255u] | table->axes[axis][1][cell >> 8 & 255u] |
                table->axes[axis][2][cell >> 16];
    }
    return code;
}

static uint32_t part_end(uint32_t begin, uint32_t count)
{
    return count - begin < DW_ITEMS_PART ? count : begin + DW_ITEMS_PART;
}

static void make_vertices(void *user, int64_t part, int worker)
{
    const dw_items_job *job = user;
    const dw_tree_vertices *vertices = &job->work->source->vertices;
    uint32_t i = (uint32_t)part * DW_ITEMS_PART, end = part_end(i, vertices->count);

    (void)worker;
    for (; i < end; i++) {
        const float *from = vertices->data + (size_t)i * vertices->stride;
        float *at = job->vertices[i].at;
        bool is_in_range = true;

        for (int axis = 0; axis < 3; axis++) {
            uint32_t bits = dw_bits_from_float(from[axis]);

            is_in_range = is_in_range && dw_tree_in_range(bits);
            at[axis] = dw_tree_unit(is_in_range ? dw_tree_coordinate(bits) : 0.0f, job->low[axis],
                                    job->scale);
        }
        at[3] = is_in_range ? 0.0f : 1.0f;
    }
}

static bool item_of_triangle(const dw_items_job *job, uint32_t row, dw_tree_item *item)
{
    const uint32_t *index = job->work->source->indices + 3 * (size_t)row;
    const float *a = job->vertices[index[0]].at, *b = job->vertices[index[1]].at;
    const float *c = job->vertices[index[2]].at;

    for (int axis = 0; axis < 3; axis++) {
        float low = a[axis] < b[axis] ? a[axis] : b[axis];
        float high = a[axis] > b[axis] ? a[axis] : b[axis];

        item->low[axis] = low < c[axis] ? low : c[axis];
        item->high[axis] = high > c[axis] ? high : c[axis];
    }
    return a[3] + b[3] + c[3] == 0.0f;
}

static bool item_of_box(const dw_items_job *job, uint32_t row, dw_tree_item *item)
{
    const float *box = job->work->source->boxes + 6 * (size_t)row;

    if (!dw_tree_box_is_active(box))
        return false;
    for (int axis = 0; axis < 3; axis++) {
        item->low[axis] = dw_tree_unit(dw_tree_coordinate(dw_bits_from_float(box[axis])),
                                       job->low[axis], job->scale);
        item->high[axis] = dw_tree_unit(dw_tree_coordinate(dw_bits_from_float(box[axis + 3])),
                                        job->low[axis], job->scale);
    }
    return true;
}

static void make_items(void *user, int64_t part, int worker)
{
    dw_items_job *job = user;
    dw_tree_work *work = job->work;
    uint32_t row = (uint32_t)part * DW_ITEMS_PART, end = part_end(row, work->count);
    uint32_t inactive = 0;

    (void)worker;
    for (; row < end; row++) {
        dw_tree_item *item = &work->items[row];
        bool is_active =
            job->vertices != NULL ? item_of_triangle(job, row, item) : item_of_box(job, row, item);

        if (!is_active) {
            *item = (dw_tree_item) { .low = { 1.0f, 1.0f, 1.0f }, .high = { 1.0f, 1.0f, 1.0f } };
            inactive++;
        }
        item->row = row;
        work->keys[row] =
            (uint64_t)(is_active ? code_of(&job->table, item) : 0xffffffffu) << 32 | row;
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

static uint32_t count_parts(uint32_t count)
{
    return count / DW_ITEMS_PART + (count % DW_ITEMS_PART != 0);
}

dw_status dw_tree_make_items(dw_tree_work *work, const dw_tree_bounds *bounds, const dw_run *run,
                             dw_error *err)
{
    const dw_tree_source *source = work->source;
    uint32_t parts = count_parts(work->count);
    dw_items_job *job = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &job, err));
    job->work = work;
    set_space(job, bounds);
    DW_TRY(DW_ALLOC(parts, &job->inactive, err));
    if (source->indices != NULL) {
        DW_TRY(DW_ALLOC((size_t)source->vertices.count, &job->vertices, err));
        DW_TRY(dw_parallel_for(run, count_parts(source->vertices.count), make_vertices, job, err));
    }
    DW_TRY(dw_parallel_for(run, parts, make_items, job, err));
    work->inactive = 0;
    for (uint32_t i = 0; i < parts; i++)
        work->inactive += job->inactive[i];
    err->code = DW_OK;
fail:
    if (job != NULL) {
        dw_free(job->inactive);
        dw_free(job->vertices);
    }
    dw_free(job);
    return err->code;
}
