/* SPDX-License-Identifier: MIT */
#include "passes/tree_refit_pass.h"

#include "base/alloc.h"
#include "generated/spirv.h"

#include <string.h>

/* Lanes of a workgroup, and vertices a lane, by variant: few lanes and long loops where a group
 * runs on one thread. */
#define SERIAL_LANES        8
#define SERIAL_BOUNDS_LANES 64
#define SERIAL_BOUNDS_ITEMS 64
#define WIDE_LANES          DW_TREE_TREELET
#define WIDE_BOUNDS_LANES   256
#define WIDE_BOUNDS_ITEMS   8

typedef enum refit_kernel {
    KERNEL_BOUNDS,
    KERNEL_QUANTIZED,
    KERNEL_F32,
    KERNEL_SUMS,
    KERNEL_COUNT,
} refit_kernel;

/* bounds, levels in both formats, sums */
#define DISPATCHES_MAX (2 + 2 * DW_TREE_LEVELS_MAX)

typedef struct refit_push {
    uint32_t job_first, job_count, group_count, level;
    uint32_t mesh; /* of the only job */
} refit_push;

typedef struct refit_dispatch {
    refit_kernel kernel;
    refit_push push;
} refit_dispatch;

/* A table in host memory and its copy on the device. */
typedef struct refit_table {
    void *data;
    uint64_t bytes, capacity;
    dw_gpu_buffer buffer;
    void *written; /* what the buffer holds */
    uint64_t written_bytes;
} refit_table;

struct dw_refit_gpu {
    dw_gpu *gpu;
    bool is_serial;
    dw_pipeline *pipelines[KERNEL_COUNT];
    refit_table meshes, jobs;
    dw_gpu_binding *reached;
    uint32_t reached_capacity;
    refit_dispatch dispatches[DISPATCHES_MAX];
    uint32_t dispatch_count;
};

/* ---- life ---- */

static dw_status get_pipelines(dw_refit_gpu *refit, dw_error *err)
{
    const uint32_t bounds[2][3] = { { WIDE_BOUNDS_LANES, WIDE_BOUNDS_ITEMS, 0 },
                                    { SERIAL_BOUNDS_LANES, SERIAL_BOUNDS_ITEMS, 1 } };
    const uint32_t refits[2][2] = { { WIDE_LANES, 0 }, { SERIAL_LANES, 1 } };
    bool is_serial = refit->is_serial;
    dw_gpu *gpu = refit->gpu;
    uint32_t bounds_shader = !is_serial && dw_gpu_get_limits(gpu)->has_wide_subgroups
                                 ? DW_SHADER_TREE_BOUNDS_WIDE_COMP
                                 : DW_SHADER_TREE_BOUNDS_COMP;

    DW_TRY(dw_pipeline_get(gpu, bounds_shader, bounds[is_serial], 3,
                           &refit->pipelines[KERNEL_BOUNDS], err));
    DW_TRY(dw_pipeline_get(gpu, DW_SHADER_TREE_REFIT_QUANTIZED_COMP, refits[is_serial], 2,
                           &refit->pipelines[KERNEL_QUANTIZED], err));
    DW_TRY(dw_pipeline_get(gpu, DW_SHADER_TREE_REFIT_F32_COMP, refits[is_serial], 2,
                           &refit->pipelines[KERNEL_F32], err));
    DW_TRY(dw_pipeline_get(gpu, DW_SHADER_TREE_SUMS_COMP, NULL, 0, &refit->pipelines[KERNEL_SUMS],
                           err));
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_refit_gpu_create(dw_gpu *gpu, dw_refit_variant variant, dw_refit_gpu **out,
                              dw_error *err)
{
    const dw_gpu_limits *limits = dw_gpu_get_limits(gpu);
    dw_refit_gpu *refit = NULL;

    *out = NULL;
    DW_TRY(DW_ALLOC_ZEROED(1, &refit, err));
    refit->gpu = gpu;
    refit->is_serial = variant == DW_REFIT_SERIAL ||
                       limits->max_group_invocations < WIDE_BOUNDS_LANES ||
                       (variant == DW_REFIT_BEST && limits->subgroup_size < 16);
    DW_TRY(get_pipelines(refit, err));
    *out = refit;
    return DW_OK;
fail:
    dw_free(refit);
    return err->code;
}

static void finish_table(refit_table *table)
{
    dw_free(table->data);
    dw_free(table->written);
    dw_gpu_buffer_destroy(&table->buffer);
}

void dw_refit_gpu_destroy(dw_refit_gpu *refit)
{
    if (refit == NULL)
        return;
    finish_table(&refit->meshes);
    finish_table(&refit->jobs);
    dw_free(refit->reached);
    dw_free(refit);
}

void dw_refit_gpu_forget(dw_refit_gpu *refit)
{
    refit->meshes.written_bytes = refit->jobs.written_bytes = 0;
}

/* ---- tables ---- */

static dw_status reserve_table(dw_gpu *gpu, refit_table *table, uint64_t bytes, const char *name,
                               dw_error *err)
{
    refit_table larger = { .capacity = table->capacity < 4096 ? 4096 : table->capacity };

    if (bytes <= table->capacity)
        return DW_OK;
    while (larger.capacity < bytes)
        larger.capacity *= 2;
    DW_TRY(dw_alloc_array((size_t)larger.capacity, 1, name, &larger.data, err));
    DW_TRY(dw_alloc_array((size_t)larger.capacity, 1, name, &larger.written, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, larger.capacity, name, &larger.buffer, err));
    finish_table(table);
    *table = larger;
    return DW_OK;
fail:
    finish_table(&larger);
    return err->code;
}

/* What changed since the last batch travels inside the command. */
static void write_table(dw_command *command, refit_table *table)
{
    if (table->bytes == table->written_bytes &&
        memcmp(table->data, table->written, (size_t)table->bytes) == 0)
        return;
    for (uint64_t at = 0; at < table->bytes; at += DW_INLINE_BYTES_MAX) {
        uint64_t rest = table->bytes - at;

        dw_command_write(command, &table->buffer, at, (const uint8_t *)table->data + at,
                         rest < DW_INLINE_BYTES_MAX ? rest : DW_INLINE_BYTES_MAX);
    }
    memcpy(table->written, table->data, (size_t)table->bytes);
    table->written_bytes = table->bytes;
}

static void set_address(uint32_t *low, const dw_gpu_buffer *buffer, uint64_t offset)
{
    uint64_t address = buffer == NULL ? 0 : buffer->address + offset;

    low[0] = (uint32_t)address;
    low[1] = (uint32_t)(address >> 32);
}

void dw_refit_item_set_addresses(dw_refit_item *item)
{
    set_address(&item->mesh.tree_low, item->tree, 0);
    set_address(&item->mesh.vertices_low, item->vertices, item->vertices_offset);
    set_address(&item->mesh.dirty_low, item->dirty, 0);
}

static uint32_t divide_up(uint32_t count, uint32_t part)
{
    return count / part + (count % part != 0);
}

/* Workgroups that a kernel gives a mesh; 0: the mesh has nothing for it. */
static uint32_t groups_of(const dw_refit_gpu *refit, const dw_tree_mesh *mesh, refit_kernel kernel,
                          uint32_t level)
{
    bool is_f32 = (mesh->flags & DW_TREE_IS_F32) != 0;
    uint32_t items, treelets = 0;

    switch (kernel) {
    case KERNEL_BOUNDS:
        items =
            (mesh->flags & DW_TREE_IS_OVER_BOXES) != 0 ? mesh->triangle_count : mesh->vertex_count;
        items = items == 0 ? 1 : items;
        return refit->is_serial ? divide_up(items, SERIAL_BOUNDS_LANES * SERIAL_BOUNDS_ITEMS)
                                : divide_up(items, WIDE_BOUNDS_LANES * WIDE_BOUNDS_ITEMS);
    case KERNEL_QUANTIZED:
    case KERNEL_F32:
        if (is_f32 != (kernel == KERNEL_F32) || level >= mesh->level_count)
            return 0;
        return refit->is_serial ? divide_up(mesh->level_treelets[level], SERIAL_LANES)
                                : mesh->level_treelets[level];
    default:
        for (uint32_t i = 0; i < mesh->level_count; i++)
            treelets += mesh->level_treelets[i];
        return (mesh->flags & DW_TREE_WANTS_SUMS) == 0
                   ? 0
                   : divide_up(treelets, DW_TREE_SUMS_GROUP * DW_TREE_SUMS_ROWS);
    }
}

/* A dispatch over all meshes of the batch that have something for it. */
static void add_dispatch(dw_refit_gpu *refit, uint32_t count, refit_kernel kernel, uint32_t level)
{
    const dw_tree_mesh *meshes = refit->meshes.data;
    dw_tree_job *jobs = refit->jobs.data;
    refit_dispatch *dispatch = &refit->dispatches[refit->dispatch_count];
    uint32_t first = (uint32_t)(refit->jobs.bytes / sizeof *jobs);

    *dispatch = (refit_dispatch) { kernel, { .job_first = first, .level = level } };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t groups = groups_of(refit, &meshes[i], kernel, level);

        if (groups == 0)
            continue;
        dispatch->push.mesh = i;
        jobs[first + dispatch->push.job_count++] = (dw_tree_job) { dispatch->push.group_count, i };
        dispatch->push.group_count += groups;
    }
    if (dispatch->push.job_count == 0)
        return;
    refit->jobs.bytes += dispatch->push.job_count * sizeof *jobs;
    refit->dispatch_count++;
}

static dw_status plan(dw_refit_gpu *refit, const dw_refit_item *items, uint32_t count,
                      dw_error *err)
{
    uint64_t jobs = (uint64_t)count * (DW_TREE_LEVELS_MAX + 2) * sizeof(dw_tree_job);
    uint64_t bytes = (uint64_t)count * sizeof(dw_tree_mesh);
    dw_tree_mesh *meshes;

    DW_TRY(reserve_table(refit->gpu, &refit->meshes, bytes, "refit meshes", err));
    DW_TRY(reserve_table(refit->gpu, &refit->jobs, jobs, "refit jobs", err));
    meshes = refit->meshes.data;
    for (uint32_t i = 0; i < count; i++) {
        dw_refit_item item = items[i];

        dw_refit_item_set_addresses(&item);
        meshes[i] = item.mesh;
    }
    refit->meshes.bytes = bytes;
    refit->jobs.bytes = 0;
    refit->dispatch_count = 0;
    add_dispatch(refit, count, KERNEL_BOUNDS, 0);
    for (uint32_t level = 0; level < (refit->is_serial ? DW_TREE_LEVELS_MAX : 2u); level++) {
        add_dispatch(refit, count, KERNEL_QUANTIZED, level);
        add_dispatch(refit, count, KERNEL_F32, level);
    }
    add_dispatch(refit, count, KERNEL_SUMS, 0);
    return DW_OK;
fail:
    return err->code;
}

/* ---- recording ---- */

static dw_status reserve_reached(dw_refit_gpu *refit, uint32_t count, dw_error *err)
{
    dw_gpu_binding *larger = NULL;

    if (count <= refit->reached_capacity)
        return DW_OK;
    if (DW_ALLOC(count, &larger, err) != DW_OK)
        return err->code;
    dw_free(refit->reached);
    refit->reached = larger;
    refit->reached_capacity = count;
    return DW_OK;
}

/* The buffers that a kernel reaches: trees, and but for sums, what boxes are made of. */
static uint32_t list_reached(dw_refit_gpu *refit, const dw_refit_item *items, uint32_t count,
                             refit_kernel kernel)
{
    uint32_t reached = 0;

    for (uint32_t i = 0; i < count; i++) {
        refit->reached[reached++] =
            (dw_gpu_binding) { items[i].tree, 0, 0, DW_USE_COMPUTE_READ_WRITE };
        if (items[i].vertices != NULL && kernel != KERNEL_SUMS)
            refit->reached[reached++] =
                (dw_gpu_binding) { items[i].vertices, 0, 0, DW_USE_COMPUTE_READ };
        if (items[i].dirty != NULL && kernel != KERNEL_SUMS && kernel != KERNEL_BOUNDS)
            refit->reached[reached++] =
                (dw_gpu_binding) { items[i].dirty, 0, 0, DW_USE_COMPUTE_READ };
    }
    return reached;
}

static void record_dispatch(dw_refit_gpu *refit, dw_command *command, const dw_refit_item *items,
                            uint32_t count, const refit_dispatch *dispatch)
{
    const dw_gpu_binding tables[] = { { &refit->meshes.buffer, 0, 0, DW_USE_COMPUTE_READ },
                                      { &refit->jobs.buffer, 0, 0, DW_USE_COMPUTE_READ } };
    dw_gpu_inputs inputs = { .buffers = tables,
                             .buffer_count = DW_COUNT_OF(tables),
                             .push = &dispatch->push,
                             .push_bytes = sizeof dispatch->push,
                             .reached = refit->reached };
    uint32_t groups[3];

    inputs.reached_count = list_reached(refit, items, count, dispatch->kernel);
    dw_groups_linear(refit->gpu, dispatch->push.group_count, groups);
    dw_command_dispatch_inputs(command, refit->pipelines[dispatch->kernel], &inputs, groups);
}

dw_status dw_refit_gpu_record(dw_refit_gpu *refit, dw_command *command, const dw_refit_item *items,
                              uint32_t count, dw_error *err)
{
    if (count == 0)
        return DW_OK;
    if (plan(refit, items, count, err) != DW_OK || reserve_reached(refit, 3 * count, err) != DW_OK)
        return err->code;
    write_table(command, &refit->meshes);
    write_table(command, &refit->jobs);
    dw_command_time_begin(command, "tree_refit");
    for (uint32_t i = 0; i < refit->dispatch_count; i++)
        record_dispatch(refit, command, items, count, &refit->dispatches[i]);
    dw_command_time_end(command);
    return DW_OK;
}

dw_status dw_instances_gpu_record(dw_gpu *gpu, dw_command *command, const dw_instances_def *def,
                                  dw_error *err)
{
    const dw_gpu_binding tables[] = { { def->meshes, 0, 0, DW_USE_COMPUTE_READ },
                                      { def->instances, 0, 0, DW_USE_COMPUTE_READ },
                                      { def->boxes, 0, 0, DW_USE_COMPUTE_WRITE } };
    dw_gpu_inputs inputs = { .buffers = tables,
                             .buffer_count = DW_COUNT_OF(tables),
                             .push = &def->count,
                             .push_bytes = sizeof def->count,
                             .reached = def->trees,
                             .reached_count = def->tree_count };
    dw_pipeline *pipeline;
    uint32_t groups[3];

    if (def->count == 0)
        return DW_OK;
    if (dw_pipeline_get(gpu, DW_SHADER_TREE_INSTANCES_COMP, NULL, 0, &pipeline, err) != DW_OK)
        return err->code;
    dw_groups_linear(gpu, divide_up(def->count, DW_TREE_INSTANCES_GROUP), groups);
    dw_command_time_begin(command, "tree_instances");
    dw_command_dispatch_inputs(command, pipeline, &inputs, groups);
    dw_command_time_end(command);
    return DW_OK;
}
