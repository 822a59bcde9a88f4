/* SPDX-License-Identifier: MIT */
#include "passes/tree_trace_pass.h"

#include "base/alloc.h"
#include "generated/spirv.h"
#include "gpu/transfer.h"

#define CHUNK      (1u << 20) /* rays of one submission: so often it can be interrupted */
#define LEAST      4096u      /* rays that the buffers have room for */
#define NO_ID      UINT32_MAX
#define WORD_BYTES sizeof(uint32_t)

typedef struct trace_push {
    uint32_t ray_count, top;
    float t_min, t_max;
} trace_push;

struct dw_trace_gpu {
    dw_gpu *gpu;
    dw_gpu_buffer rays, hits;
    uint32_t capacity; /* rays */
    uint32_t *ids;     /* of a chunk, for occlusion */
};

dw_status dw_trace_gpu_record(dw_gpu *gpu, dw_command *command, const dw_trace_gpu_scene *scene,
                              const dw_trace_gpu_rays *rays, dw_error *err)
{
    const uint32_t is_any = rays->is_any;
    const trace_push push = { rays->count, scene->top, rays->t_min, rays->t_max };
    const uint64_t bytes = rays->count * (uint64_t)WORD_BYTES;
    const dw_gpu_binding tables[] = {
        { scene->meshes, 0, 0, DW_USE_COMPUTE_READ },
        { scene->instances, 0, 0, DW_USE_COMPUTE_READ },
        { rays->rays, 0, DW_TRACE_RAY_WORDS * bytes, DW_USE_COMPUTE_READ },
        { rays->hits, 0, DW_TRACE_HIT_WORDS * bytes, DW_USE_COMPUTE_WRITE },
    };
    const dw_gpu_inputs inputs = { .buffers = tables,
                                   .buffer_count = DW_COUNT_OF(tables),
                                   .push = &push,
                                   .push_bytes = sizeof push,
                                   .reached = scene->reached,
                                   .reached_count = scene->reached_count };
    dw_pipeline *pipeline;
    uint32_t groups[3];

    if (rays->count == 0)
        return DW_OK;
    if (dw_pipeline_get(gpu, DW_SHADER_TREE_TRACE_COMP, &is_any, 1, &pipeline, err) != DW_OK)
        return err->code;
    dw_groups_linear(gpu, ((uint64_t)rays->count + DW_TREE_RAYS_GROUP - 1) / DW_TREE_RAYS_GROUP,
                     groups);
    dw_command_time_begin(command, "tree_trace");
    dw_command_dispatch_inputs(command, pipeline, &inputs, groups);
    dw_command_time_end(command);
    return DW_OK;
}

/* ---- rays from host memory ---- */

dw_status dw_trace_gpu_create(dw_gpu *gpu, dw_trace_gpu **out, dw_error *err)
{
    *out = NULL;
    if (DW_ALLOC_ZEROED(1, out, err) != DW_OK)
        return err->code;
    (*out)->gpu = gpu;
    return DW_OK;
}

void dw_trace_gpu_destroy(dw_trace_gpu *trace)
{
    if (trace == NULL)
        return;
    dw_gpu_buffer_destroy(&trace->rays);
    dw_gpu_buffer_destroy(&trace->hits);
    dw_free(trace->ids);
    dw_free(trace);
}

static dw_status reserve(dw_trace_gpu *trace, int64_t count, dw_error *err)
{
    dw_gpu_buffer rays = { .gpu = NULL }, hits = { .gpu = NULL };
    uint32_t capacity = trace->capacity < LEAST ? LEAST : trace->capacity;

    while (capacity < count && capacity < CHUNK)
        capacity *= 2;
    if (capacity == trace->capacity)
        return DW_OK;
    DW_TRY(dw_gpu_buffer_create_device(trace->gpu, capacity * DW_TRACE_RAY_WORDS * WORD_BYTES,
                                       "rays", &rays, err));
    DW_TRY(dw_gpu_buffer_create_device(trace->gpu, capacity * DW_TRACE_HIT_WORDS * WORD_BYTES,
                                       "hits", &hits, err));
    dw_gpu_buffer_destroy(&trace->rays);
    dw_gpu_buffer_destroy(&trace->hits);
    trace->rays = rays;
    trace->hits = hits;
    trace->capacity = capacity;
    return DW_OK;
fail:
    dw_gpu_buffer_destroy(&rays);
    dw_gpu_buffer_destroy(&hits);
    return err->code;
}

static dw_status upload_rays(dw_trace_gpu *trace, const dw_trace_rays *rays, int64_t first,
                             uint32_t count, const dw_run *run, dw_error *err)
{
    uint64_t bytes = 3 * (uint64_t)count * WORD_BYTES;

    DW_TRY(dw_gpu_upload(trace->gpu, &trace->rays, 0, rays->origins + 3 * first, bytes, run, err));
    DW_TRY(dw_gpu_upload(trace->gpu, &trace->rays, bytes, rays->directions + 3 * first, bytes, run,
                         err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status trace_chunk(dw_trace_gpu *trace, const dw_trace_gpu_scene *scene,
                             const dw_trace_rays *rays, uint32_t count, bool is_any, dw_error *err)
{
    const dw_trace_gpu_rays def = { &trace->rays, &trace->hits, count,
                                    rays->t_min,  rays->t_max,  is_any };
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(trace->gpu, "trees_trace", &command, err) != DW_OK)
        return err->code;
    if (dw_trace_gpu_record(trace->gpu, command, scene, &def, err) != DW_OK) {
        dw_command_cancel(command);
        return err->code;
    }
    return dw_command_submit(command, &ticket, err);
}

/* Column `column` of a chunk's hits; `out` NULL: not wanted. */
static dw_status take_column(dw_trace_gpu *trace, uint32_t column, uint32_t count, void *out,
                             const dw_run *run, dw_error *err)
{
    uint64_t bytes = (uint64_t)count * WORD_BYTES;

    return out == NULL
               ? DW_OK
               : dw_gpu_download(trace->gpu, &trace->hits, column * bytes, out, bytes, run, err);
}

static dw_status take_hits(dw_trace_gpu *trace, const dw_trace_hits *hits, int64_t first,
                           uint32_t count, const dw_run *run, dw_error *err)
{
    void *columns[DW_TRACE_HIT_WORDS] = {
        hits->t == NULL ? NULL : hits->t + first,
        hits->instance == NULL ? NULL : hits->instance + first,
        hits->primitive == NULL ? NULL : hits->primitive + first,
        hits->u == NULL ? NULL : hits->u + first,
        hits->v == NULL ? NULL : hits->v + first,
        hits->steps == NULL ? NULL : hits->steps + first,
    };

    for (uint32_t i = 0; i < DW_TRACE_HIT_WORDS; i++)
        if (take_column(trace, i, count, columns[i], run, err) != DW_OK)
            return err->code;
    return DW_OK;
}

static dw_status take_occluded(dw_trace_gpu *trace, uint8_t *out, uint32_t count, const dw_run *run,
                               dw_error *err)
{
    if (trace->ids == NULL && DW_ALLOC(CHUNK, &trace->ids, err) != DW_OK)
        return err->code;
    if (take_column(trace, 1, count, trace->ids, run, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < count; i++)
        out[i] = trace->ids[i] != NO_ID;
    return DW_OK;
}

/* hits NULL: occlusion into `out`. */
static dw_status trace_all(dw_trace_gpu *trace, const dw_trace_gpu_scene *scene,
                           const dw_trace_rays *rays, const dw_trace_hits *hits, uint8_t *out,
                           const dw_run *run, dw_error *err)
{
    DW_TRY(reserve(trace, rays->count, err));
    for (int64_t first = 0; first < rays->count; first += trace->capacity) {
        int64_t rest = rays->count - first;
        uint32_t count = rest < trace->capacity ? (uint32_t)rest : trace->capacity;

        DW_TRY(upload_rays(trace, rays, first, count, run, err));
        DW_TRY(trace_chunk(trace, scene, rays, count, hits == NULL, err));
        if (hits != NULL)
            DW_TRY(take_hits(trace, hits, first, count, run, err));
        else
            DW_TRY(take_occluded(trace, out + first, count, run, err));
    }
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_trace_gpu_closest(dw_trace_gpu *trace, const dw_trace_gpu_scene *scene,
                               const dw_trace_rays *rays, const dw_trace_hits *hits,
                               const dw_run *run, dw_error *err)
{
    return trace_all(trace, scene, rays, hits, NULL, run, err);
}

dw_status dw_trace_gpu_occluded(dw_trace_gpu *trace, const dw_trace_gpu_scene *scene,
                                const dw_trace_rays *rays, uint8_t *out, const dw_run *run,
                                dw_error *err)
{
    return trace_all(trace, scene, rays, NULL, out, run, err);
}
