/* SPDX-License-Identifier: MIT */
#include "cpu/tree_prepare.h"

#include "base/alloc.h"
#include "base/simd.h"

#include <stdatomic.h>

#define DW_BOUNDS_PARTS  64   /* at most, of a loop over vertices */
#define DW_BOUNDS_LEAST  4096 /* vertices of a part, at least */
#define DW_BOUNDS_STRIPE 16   /* packed vertices that go through one loop together */
#define DW_BOUNDS_AHEAD  64   /* stripes looked ahead */
#define DW_STRIPE_FLOATS (3 * DW_BOUNDS_STRIPE)

/* ---- bounds ---- */

static const dw_tree_bounds nothing = { .low = { 3e38f, 3e38f, 3e38f },
                                        .high = { -3e38f, -3e38f, -3e38f } };

static void add_bounds(dw_tree_bounds *bounds, const float *low, const float *high)
{
    for (int axis = 0; axis < 3; axis++) {
        bounds->low[axis] = low[axis] < bounds->low[axis] ? low[axis] : bounds->low[axis];
        bounds->high[axis] = high[axis] > bounds->high[axis] ? high[axis] : bounds->high[axis];
    }
}

static bool point_is_in_range(const float *point)
{
    return dw_tree_in_range(dw_bits_from_float(point[0])) &&
           dw_tree_in_range(dw_bits_from_float(point[1])) &&
           dw_tree_in_range(dw_bits_from_float(point[2]));
}

typedef struct dw_bounds_stripe {
    float low[DW_STRIPE_FLOATS], high[DW_STRIPE_FLOATS];
} dw_bounds_stripe;

/* As far as whole stripes of packed vertices in range go; the number of those done. */
DW_SIMD static uint32_t bound_stripes(const float *restrict data, uint32_t stripes,
                                      dw_bounds_stripe *restrict sums)
{
    for (uint32_t stripe = 0; stripe < stripes; stripe++, data += DW_STRIPE_FLOATS) {
        uint32_t most = 0;

        for (int i = 0; i < DW_STRIPE_FLOATS; i++) {
            uint32_t magnitude = dw_bits_from_float(data[i]) & 0x7fffffffu;

            most = magnitude > most ? magnitude : most;
        }
        if (!dw_tree_in_range(most))
            return stripe;
        for (int i = 0; i < DW_STRIPE_FLOATS; i++)
            sums->low[i] = data[i] < sums->low[i] ? data[i] : sums->low[i];
        for (int i = 0; i < DW_STRIPE_FLOATS; i++)
            sums->high[i] = data[i] > sums->high[i] ? data[i] : sums->high[i];
    }
    return stripes;
}

typedef struct dw_bounds_job {
    const dw_tree_vertices *vertices;
    const uint32_t *used;
    const float *boxes;
    uint32_t count, part_size;
    dw_tree_bounds parts[DW_BOUNDS_PARTS];
} dw_bounds_job;

static bool is_used(const uint32_t *used, uint32_t vertex)
{
    return used == NULL || (used[vertex >> 5] >> (vertex & 31u) & 1u) != 0u;
}

/* How many stripes from `vertex` on hold used vertices alone. */
static uint32_t count_used_stripes(const dw_bounds_job *job, uint32_t vertex, uint32_t end)
{
    uint32_t stripes = (end - vertex) / DW_BOUNDS_STRIPE, i;

    stripes = stripes < DW_BOUNDS_AHEAD ? stripes : DW_BOUNDS_AHEAD;
    if (job->vertices->stride != 3 || vertex % DW_BOUNDS_STRIPE != 0)
        return 0;
    if (job->used == NULL)
        return stripes;
    for (i = 0; i < stripes; i++, vertex += DW_BOUNDS_STRIPE)
        if ((job->used[vertex >> 5] >> (vertex & 16u) & 0xffffu) != 0xffffu)
            break;
    return i;
}

static void bound_vertices(void *user, int64_t item, int worker)
{
    dw_bounds_job *job = user;
    uint32_t vertex = (uint32_t)item * job->part_size;
    uint32_t end = job->count - vertex < job->part_size ? job->count : vertex + job->part_size;
    dw_tree_bounds bounds = nothing;
    dw_bounds_stripe sums;

    (void)worker;
    for (int i = 0; i < DW_STRIPE_FLOATS; i++) {
        sums.low[i] = nothing.low[0];
        sums.high[i] = nothing.high[0];
    }
    while (vertex < end) {
        const float *point = job->vertices->data + (size_t)vertex * job->vertices->stride;
        uint32_t stripes = bound_stripes(point, count_used_stripes(job, vertex, end), &sums);
        uint32_t stop = vertex + DW_BOUNDS_STRIPE < end ? vertex + DW_BOUNDS_STRIPE : end;

        vertex += stripes * DW_BOUNDS_STRIPE;
        if (stripes != 0)
            continue;
        for (; vertex < stop; vertex++, point += job->vertices->stride)
            if (is_used(job->used, vertex) && point_is_in_range(point))
                add_bounds(&bounds, point, point);
    }
    for (int i = 0; i < DW_BOUNDS_STRIPE; i++)
        add_bounds(&bounds, sums.low + 3 * i, sums.high + 3 * i);
    job->parts[item] = bounds;
}

bool dw_tree_box_is_active(const float box[6])
{
    if (!point_is_in_range(box) || !point_is_in_range(box + 3))
        return false;
    for (int axis = 0; axis < 3; axis++)
        if (dw_tree_coordinate(dw_bits_from_float(box[axis])) >
            dw_tree_coordinate(dw_bits_from_float(box[axis + 3])))
            return false;
    return true;
}

static void bound_boxes(void *user, int64_t item, int worker)
{
    dw_bounds_job *job = user;
    uint32_t box = (uint32_t)item * job->part_size;
    uint32_t end = job->count - box < job->part_size ? job->count : box + job->part_size;
    dw_tree_bounds bounds = nothing;

    (void)worker;
    for (; box < end; box++) {
        const float *corners = job->boxes + (size_t)box * 6;

        if (dw_tree_box_is_active(corners))
            add_bounds(&bounds, corners, corners + 3);
    }
    job->parts[item] = bounds;
}

/* Minima and maxima of coordinates are coordinates of minima and maxima: rounding of subnormals
 * and -0 to 0 keeps the order. */
static dw_status bound_all(dw_bounds_job *job, dw_item_fn item_fn, dw_tree_bounds *out,
                           const dw_run *run, dw_error *err)
{
    uint32_t part_size = job->count / DW_BOUNDS_PARTS + 1;
    dw_tree_bounds bounds = nothing;
    uint32_t part_count;
    dw_status status;

    part_size = part_size < DW_BOUNDS_LEAST ? DW_BOUNDS_LEAST : part_size;
    job->part_size = (part_size + DW_BOUNDS_STRIPE - 1) / DW_BOUNDS_STRIPE * DW_BOUNDS_STRIPE;
    part_count = (job->count + job->part_size - 1) / job->part_size;
    status = dw_parallel_for(run, part_count, item_fn, job, err);
    if (status != DW_OK)
        return status;
    for (uint32_t i = 0; i < part_count; i++)
        add_bounds(&bounds, job->parts[i].low, job->parts[i].high);
    bounds.is_empty = bounds.low[0] > bounds.high[0];
    for (int axis = 0; axis < 3; axis++) {
        bounds.low[axis] =
            bounds.is_empty ? 0.0f : dw_tree_coordinate(dw_bits_from_float(bounds.low[axis]));
        bounds.high[axis] =
            bounds.is_empty ? 0.0f : dw_tree_coordinate(dw_bits_from_float(bounds.high[axis]));
    }
    *out = bounds;
    return DW_OK;
}

dw_status dw_tree_vertex_bounds(const dw_tree_vertices *vertices, const uint32_t *used,
                                dw_tree_bounds *out, const dw_run *run, dw_error *err)
{
    dw_bounds_job job = { .vertices = vertices, .used = used, .count = vertices->count };

    return bound_all(&job, bound_vertices, out, run, err);
}

dw_status dw_tree_box_bounds(const float *boxes, uint32_t count, dw_tree_bounds *out,
                             const dw_run *run, dw_error *err)
{
    dw_bounds_job job = { .boxes = boxes, .count = count };

    return bound_all(&job, bound_boxes, out, run, err);
}

/* ---- used vertices ---- */

typedef struct dw_used_job {
    const dw_tree_source *source;
    uint32_t part_size;
    atomic_uchar *named; /* a byte a vertex */
    uint32_t *bits;
    uint32_t first_bad[DW_BOUNDS_PARTS]; /* row by part; the count: none */
} dw_used_job;

static void name_vertices(void *user, int64_t part, int worker)
{
    dw_used_job *job = user;
    uint32_t row = (uint32_t)part * job->part_size, count = job->source->count;
    uint32_t end = count - row < job->part_size ? count : row + job->part_size;
    uint32_t vertices = job->source->vertices.count;
    const uint32_t *index = job->source->indices + 3 * (size_t)row;

    (void)worker;
    job->first_bad[part] = count;
    for (; row < end; row++, index += 3) {
        if (index[0] >= vertices || index[1] >= vertices || index[2] >= vertices) {
            job->first_bad[part] = row;
            return;
        }
        for (int corner = 0; corner < 3; corner++)
            atomic_store_explicit(&job->named[index[corner]], 1, memory_order_relaxed);
    }
}

static dw_status fail_on_index(const dw_tree_source *source, uint32_t row, dw_error *err)
{
    const uint32_t *index = source->indices + 3 * (size_t)row;
    uint32_t most = index[0] > index[1] ? index[0] : index[1];

    most = index[2] > most ? index[2] : most;
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "indices: triangle %u names vertex %u, but there are %u vertices", row, most,
                   source->vertices.count);
}

/* True when some vertex is not named. */
static bool pack_bits(const dw_used_job *job)
{
    uint32_t count = job->source->vertices.count;
    bool is_any_unused = false;

    for (uint32_t word = 0; word < (count + 31) / 32; word++) {
        uint32_t left = count - 32 * word < 32 ? count - 32 * word : 32, bits = 0;

        for (uint32_t i = 0; i < left; i++)
            bits |= (uint32_t)atomic_load_explicit(&job->named[32 * word + i], memory_order_relaxed)
                    << i;
        is_any_unused = is_any_unused || bits != 0xffffffffu >> (32 - left);
        job->bits[word] = bits;
    }
    return is_any_unused;
}

dw_status dw_tree_find_used(const dw_tree_source *source, uint32_t **out, const dw_run *run,
                            dw_error *err)
{
    uint32_t count = source->vertices.count,
             parts = (source->count + DW_BOUNDS_LEAST - 1) / DW_BOUNDS_LEAST;
    dw_used_job job = { .source = source };

    err->code = DW_OK;
    parts = parts < DW_BOUNDS_PARTS ? parts : DW_BOUNDS_PARTS;
    job.part_size = parts == 0 ? 0 : (source->count + parts - 1) / parts;
    parts = parts == 0 ? 0 : (source->count + job.part_size - 1) / job.part_size;
    DW_TRY(DW_ALLOC_ZEROED((size_t)count, &job.named, err));
    DW_TRY(DW_ALLOC(((size_t)count + 31) / 32, &job.bits, err));
    DW_TRY(dw_parallel_for(run, parts, name_vertices, &job, err));
    for (uint32_t part = 0; part < parts; part++)
        if (job.first_bad[part] < source->count) {
            fail_on_index(source, job.first_bad[part], err);
            goto fail;
        }
    if (!pack_bits(&job)) {
        dw_free(job.bits);
        job.bits = NULL;
    }
    *out = job.bits;
    job.bits = NULL;
fail:
    dw_free(job.bits);
    dw_free(job.named);
    return err->code;
}
