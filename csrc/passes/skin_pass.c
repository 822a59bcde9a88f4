/* SPDX-License-Identifier: MIT */
#include "passes/skin_pass.h"

#include "generated/spirv.h"
#include "gpu/transfer.h"

/* ---- a mesh ---- */

typedef struct part {
    dw_gpu_buffer *buffer;
    const char *name;
    const void *data;
    uint64_t bytes; /* 0: the mesh has none */
} part;

static dw_status check_bytes(dw_gpu *gpu, const char *name, uint64_t bytes, dw_error *err)
{
    const dw_gpu_limits *limits = dw_gpu_get_limits(gpu);
    uint64_t most = limits->max_storage_buffer_bytes < limits->max_buffer_bytes
                        ? limits->max_storage_buffer_bytes
                        : limits->max_buffer_bytes;

    if (bytes > most)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "%s of the mesh take %llu bytes, but a buffer of this device holds %llu: "
                       "split the mesh",
                       name, (unsigned long long)bytes, (unsigned long long)most);
    return DW_OK;
}

static dw_status upload(dw_gpu *gpu, const part *parts, int count, const dw_run *run, dw_error *err)
{
    for (int i = 0; i < count; i++) {
        if (parts[i].bytes == 0)
            continue;
        if (check_bytes(gpu, parts[i].name, parts[i].bytes, err) != DW_OK ||
            dw_gpu_buffer_create_device(gpu, parts[i].bytes, parts[i].name, parts[i].buffer, err) !=
                DW_OK ||
            dw_gpu_upload(gpu, parts[i].buffer, 0, parts[i].data, parts[i].bytes, run, err) !=
                DW_OK)
            return err->code;
    }
    return DW_OK;
}

dw_status dw_skin_gpu_init(dw_skin_gpu *skin, dw_gpu *gpu, const dw_skin_rest *rest,
                           const dw_run *run, dw_error *err)
{
    uint64_t planes = dw_skin_plane_bytes(rest);
    const part parts[] = {
        { &skin->positions, "skin positions", rest->positions, planes },
        { &skin->normals, "skin normals", rest->normals, rest->has_normals ? planes : 0 },
        { &skin->joints, "skin joints", rest->joints, dw_skin_joint_bytes(rest) },
        { &skin->weights, "skin weights", rest->weights, dw_skin_weight_bytes(rest) },
        { &skin->deltas, "skin targets", rest->deltas, rest->delta_count * sizeof(float) },
    };

    *skin = (dw_skin_gpu) { .gpu = gpu };
    if (upload(gpu, parts, DW_COUNT_OF(parts), run, err) == DW_OK)
        return DW_OK;
    dw_skin_gpu_finish(skin);
    return err->code;
}

void dw_skin_gpu_finish(dw_skin_gpu *skin)
{
    dw_gpu_buffer_destroy(&skin->positions);
    dw_gpu_buffer_destroy(&skin->normals);
    dw_gpu_buffer_destroy(&skin->joints);
    dw_gpu_buffer_destroy(&skin->weights);
    dw_gpu_buffer_destroy(&skin->deltas);
}

/* ---- a pose ---- */

static uint64_t matrix_bytes(const dw_skin_rest *rest)
{
    return rest->joint_count * sizeof(dw_skin_matrix);
}

static uint64_t target_bytes(uint32_t count)
{
    return (count > 0 ? count : 1) * sizeof(dw_skin_target);
}

dw_status dw_skin_slot_init(dw_skin_slot *slot, dw_gpu *gpu, const dw_skin_rest *rest,
                            dw_error *err)
{
    *slot = (dw_skin_slot) { .matrices = { .gpu = NULL } };
    if (dw_gpu_buffer_create_device(gpu, matrix_bytes(rest), "skin matrices", &slot->matrices,
                                    err) == DW_OK &&
        dw_gpu_buffer_create_device(gpu, target_bytes(rest->target_count),
                                    "skin weights of targets", &slot->targets, err) == DW_OK)
        return DW_OK;
    dw_skin_slot_finish(slot);
    return err->code;
}

void dw_skin_slot_finish(dw_skin_slot *slot)
{
    dw_gpu_buffer_destroy(&slot->matrices);
    dw_gpu_buffer_destroy(&slot->targets);
    dw_gpu_buffer_destroy(&slot->positions);
    dw_gpu_buffer_destroy(&slot->normals);
}

dw_status dw_skin_slot_place(dw_gpu *gpu, const dw_skin_rest *rest, dw_gpu_buffer *buffer,
                             dw_skin_place *out, dw_error *err)
{
    if (buffer->gpu == NULL && dw_gpu_buffer_create_device(gpu, dw_skin_plane_bytes(rest),
                                                           "skin vertices", buffer, err) != DW_OK)
        return err->code;
    *out = (dw_skin_place) { buffer, 0, 3 };
    return DW_OK;
}

/* Few bytes travel inside the command, more through staging memory. */
static dw_status write_table(dw_gpu *gpu, dw_command *command, const dw_gpu_buffer *buffer,
                             const void *data, uint64_t bytes, const dw_run *run, dw_error *err)
{
    if (bytes > DW_INLINE_BYTES_MAX)
        return dw_gpu_upload(gpu, buffer, 0, data, bytes, run, err);
    if (bytes > 0)
        dw_command_write(command, buffer, 0, data, bytes);
    return DW_OK;
}

/* The part of a buffer that the rows lie in. *first becomes that within the binding. */
static dw_gpu_binding bind_rows(const dw_gpu *gpu, dw_skin_place place, uint32_t count,
                                uint32_t *first)
{
    uint64_t alignment = dw_gpu_get_limits(gpu)->storage_offset_alignment;
    uint64_t begin = place.first * sizeof(float) / alignment * alignment;
    uint64_t end = (place.first + (count - 1) * place.stride + 3) * sizeof(float);

    *first = (uint32_t)(place.first - begin / sizeof(float));
    return (dw_gpu_binding) { place.buffer, begin, end - begin, DW_USE_COMPUTE_WRITE };
}

/* What a mesh has not is bound to what it has, and not read. */
static dw_gpu_binding bind(const dw_skin_gpu *skin, const dw_gpu_buffer *buffer)
{
    return (dw_gpu_binding) { buffer->gpu == NULL ? &skin->positions : buffer, 0, 0,
                              DW_USE_COMPUTE_READ };
}

static uint32_t flags_of(const dw_skin_rest *rest, const dw_skin_table *table, bool has_normals)
{
    return (table->has_matrices ? DW_SKIN_HAS_MATRICES : 0) |
           (table->has_joints ? DW_SKIN_HAS_JOINTS : 0) | (has_normals ? DW_SKIN_HAS_NORMALS : 0) |
           (has_normals && rest->has_target_normals ? DW_SKIN_HAS_TARGET_NORMALS : 0);
}

static void record(const dw_skin_gpu *skin, const dw_skin_slot *slot, const dw_skin_rest *rest,
                   const dw_skin_table *table, dw_skin_place positions, dw_skin_place normals,
                   dw_pipeline *pipeline, dw_command *command)
{
    bool has_normals = normals.buffer != NULL;
    struct dw_skin_push push = { .vertex_count = rest->vertex_count,
                                 .influence_count = rest->influence_count,
                                 .target_count = table->target_count,
                                 .position_stride = (uint32_t)positions.stride,
                                 .normal_stride = (uint32_t)normals.stride,
                                 .scale = table->scale,
                                 .tiny = table->tiny };
    const dw_gpu_binding bindings[] = {
        bind(skin, &skin->positions),
        bind(skin, &skin->normals),
        bind(skin, &skin->joints),
        bind(skin, &skin->weights),
        bind(skin, &skin->deltas),
        bind(skin, &slot->targets),
        bind(skin, &slot->matrices),
        bind_rows(skin->gpu, positions, rest->vertex_count, &push.position_first),
        bind_rows(skin->gpu, has_normals ? normals : positions, rest->vertex_count,
                  &push.normal_first),
    };
    uint32_t groups[3];

    dw_groups_linear(skin->gpu, ((uint64_t)rest->vertex_count + DW_SKIN_LANES - 1) / DW_SKIN_LANES,
                     groups);
    dw_command_dispatch(command, pipeline, bindings, DW_COUNT_OF(bindings), &push, sizeof push,
                        groups);
}

/* Offsets within a binding are 32 bits. */
static dw_status check_place(const dw_skin_gpu *skin, dw_skin_place place, uint32_t count,
                             const char *argument, dw_error *err)
{
    uint64_t most = dw_gpu_get_limits(skin->gpu)->max_storage_buffer_bytes / sizeof(float);
    uint64_t span = (count - 1) * place.stride + 3;

    most = most < DW_SKIN_INDICES_MAX ? most : DW_SKIN_INDICES_MAX;
    if (place.buffer != NULL && (place.stride > DW_SKIN_INDICES_MAX || span > most - 256))
        return dw_fail(
            err, DW_ERROR_CAPACITY,
            "%s: rows of %llu floats for %u vertices span more than the %llu floats that "
            "this device can bind: use a smaller stride",
            argument, (unsigned long long)place.stride, count, (unsigned long long)most);
    return DW_OK;
}

dw_status dw_skin_pass(const dw_skin_gpu *skin, dw_skin_slot *slot, const dw_skin_rest *rest,
                       const dw_skin_table *table, dw_skin_place positions, dw_skin_place normals,
                       const dw_run *run, dw_error *err)
{
    uint32_t flags = flags_of(rest, table, normals.buffer != NULL);
    dw_command *command = NULL;
    dw_pipeline *pipeline;
    dw_ticket ticket;

    DW_TRY(check_place(skin, positions, rest->vertex_count, "out", err));
    DW_TRY(check_place(skin, normals, rest->vertex_count, "normals", err));
    DW_TRY(dw_pipeline_get(skin->gpu, DW_SHADER_SKIN_VERTICES_COMP, &flags, 1, &pipeline, err));
    DW_TRY(dw_command_begin(skin->gpu, "skin_vertices", &command, err));
    if (table->has_matrices)
        DW_TRY(write_table(skin->gpu, command, &slot->matrices, table->matrices, matrix_bytes(rest),
                           run, err));
    DW_TRY(write_table(skin->gpu, command, &slot->targets, table->targets,
                       table->target_count * sizeof *table->targets, run, err));
    record(skin, slot, rest, table, positions, normals, pipeline, command);
    return dw_command_submit(command, &ticket, err);
fail:
    dw_command_cancel(command);
    return err->code;
}
