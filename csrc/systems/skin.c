/* SPDX-License-Identifier: MIT */
#include "systems/skin.h"

#include "base/alloc.h"
#include "base/platform.h"
#include "gpu/transfer.h"
#include "passes/skin_pass.h"

/* What one call at a time has to itself. */
typedef struct room {
    dw_skin_table table;
    dw_skin_slot slot; /* Vulkan */
} room;

struct dw_skin {
    dw_device *device;
    dw_gpu *gpu;       /* NULL: native */
    dw_skin_rest rest; /* on Vulkan without the large arrays */
    dw_skin_gpu on_gpu;
    dw_mutex lock; /* guards is_taken */
    bool is_taken;
    room own;
};

static void finish_room(room *self)
{
    dw_skin_table_finish(&self->table);
    dw_skin_slot_finish(&self->slot);
}

static dw_status init_room(const dw_skin *skin, room *self, dw_error *err)
{
    *self = (room) { .table = { .matrices = NULL } };
    DW_TRY(dw_skin_table_init(&self->table, &skin->rest, skin->gpu == NULL, err));
    if (skin->gpu != NULL)
        DW_TRY(dw_skin_slot_init(&self->slot, skin->gpu, &skin->rest, err));
    return DW_OK;
fail:
    finish_room(self);
    return err->code;
}

/* A device that has the arrays needs them no more on the host. */
static void drop_arrays(dw_skin_rest *rest)
{
    dw_free(rest->positions);
    dw_free(rest->normals);
    dw_free(rest->joints);
    dw_free(rest->weights);
    dw_free(rest->deltas);
    rest->positions = rest->normals = rest->weights = rest->deltas = NULL;
    rest->joints = NULL;
}

dw_status dw_skin_create(dw_device *device, const dw_skin_def *def, const dw_run *run,
                         dw_skin **out, dw_error *err)
{
    dw_skin *skin = NULL;

    *out = NULL;
    DW_TRY(DW_ALLOC_ZEROED(1, &skin, err));
    skin->device = device;
    skin->gpu = dw_device_gpu(device);
    if (!dw_mutex_init(&skin->lock)) {
        dw_fail_memory(err, "skin lock", sizeof skin->lock);
        goto fail;
    }
    DW_TRY(dw_skin_rest_init(&skin->rest, def, err));
    if (skin->gpu != NULL) {
        DW_TRY(dw_skin_gpu_init(&skin->on_gpu, skin->gpu, &skin->rest, run, err));
        drop_arrays(&skin->rest);
    }
    DW_TRY(init_room(skin, &skin->own, err));
    *out = skin;
    return DW_OK;
fail:
    dw_skin_destroy(skin);
    return err->code;
}

void dw_skin_destroy(dw_skin *skin)
{
    if (skin == NULL)
        return;
    if (dw_device_is_forked(skin->device))
        return;
    finish_room(&skin->own);
    dw_skin_gpu_finish(&skin->on_gpu);
    dw_skin_rest_finish(&skin->rest);
    dw_mutex_finish(&skin->lock);
    dw_free(skin);
}

uint32_t dw_skin_vertex_count(const dw_skin *skin)
{
    return skin->rest.vertex_count;
}

uint32_t dw_skin_target_count(const dw_skin *skin)
{
    return skin->rest.target_count;
}

bool dw_skin_has_normals(const dw_skin *skin)
{
    return skin->rest.has_normals;
}

/* The skin's own room, or where another call has it, *spare. */
static dw_status take_room(dw_skin *skin, room *spare, room **out, dw_error *err)
{
    bool is_free;

    dw_mutex_lock(&skin->lock);
    is_free = !skin->is_taken;
    skin->is_taken = true;
    dw_mutex_unlock(&skin->lock);
    *out = is_free ? &skin->own : spare;
    return is_free ? DW_OK : init_room(skin, spare, err);
}

static void give_room(dw_skin *skin, room *self)
{
    if (self != &skin->own) {
        finish_room(self);
        return;
    }
    dw_mutex_lock(&skin->lock);
    skin->is_taken = false;
    dw_mutex_unlock(&skin->lock);
}

static dw_status check_output(const dw_skin *skin, const dw_skin_output *output,
                              const char *argument, dw_error *err)
{
    uint64_t rows = skin->rest.vertex_count - 1u, floats;

    if (output->buffer == NULL)
        return DW_OK;
    floats = dw_buffer_size(output->buffer) / sizeof(float);
    if (output->stride < 3)
        return dw_fail(err, DW_ERROR_ARGUMENT, "%s: the stride must be at least 3 floats, got %llu",
                       argument, (unsigned long long)output->stride);
    if (floats < 3 || output->first > floats - 3 ||
        (rows > 0 && output->stride > (floats - 3 - output->first) / rows))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "%s: %u vertices with a stride of %llu floats from float %llu on do not fit "
                       "into the buffer of %llu floats: make a larger one",
                       argument, skin->rest.vertex_count, (unsigned long long)output->stride,
                       (unsigned long long)output->first, (unsigned long long)floats);
    return DW_OK;
}

/* The lowest of an output's addresses, of a buffer from its begin on, and its stride; in floats. */
static int64_t lowest_float(const dw_skin_output *output, uint32_t rows, int64_t *stride)
{
    int64_t first = output->buffer != NULL ? (int64_t)output->first
                                           : (int64_t)((intptr_t)output->host.data / 4);
    int64_t step = output->buffer != NULL ? (int64_t)output->stride : output->host.stride;

    *stride = step < 0 ? -step : step;
    return step < 0 ? first + step * (int64_t)(rows - 1u) : first;
}

/* Rows may lie between each other: vertices of positions and normals in turn. */
static dw_status check_apart(const dw_skin *skin, const dw_skin_output *a, const dw_skin_output *b,
                             dw_error *err)
{
    uint32_t rows = skin->rest.vertex_count;
    int64_t stride_a, stride_b, apart, rest;
    int64_t first_a = lowest_float(a, rows, &stride_a);
    int64_t first_b = lowest_float(b, rows, &stride_b);
    bool is_before = first_a <= first_b;
    int64_t stride = is_before ? stride_a : stride_b;

    if (a->buffer != b->buffer)
        return DW_OK;
    apart = is_before ? first_b - first_a : first_a - first_b;
    if (apart >= stride * (int64_t)(rows - 1u) + 3)
        return DW_OK;
    rest = rows > 1u ? apart % stride : apart;
    if (rest >= 3 && (rows == 1u || (stride_a == stride_b && rest <= stride - 3)))
        return DW_OK;
    return dw_fail(err, DW_ERROR_ARGUMENT,
                   "normals must not lie where positions go: both would be written to the same "
                   "place of out; move one, or let rows of one stride take turns");
}

static dw_skin_rows host_rows(const dw_skin_output *output)
{
    if (output == NULL)
        return (dw_skin_rows) { NULL, 0 };
    if (output->buffer == NULL)
        return output->host;
    return (dw_skin_rows) { (float *)dw_buffer_host(output->buffer) + output->first,
                            (int64_t)output->stride };
}

static dw_status apply_native(dw_skin *skin, const room *self, const dw_skin_output *positions,
                              const dw_skin_output *normals, const dw_run *run, dw_error *err)
{
    double begin = dw_platform_seconds();

    if (dw_skin_vertices(&skin->rest, &self->table, host_rows(positions), host_rows(normals), run,
                         err) != DW_OK)
        return err->code;
    dw_device_set_timing(skin->device, "skin_vertices", 1e3 * (dw_platform_seconds() - begin));
    return DW_OK;
}

static dw_status place_of(const dw_skin *skin, const dw_skin_output *output, dw_gpu_buffer *staged,
                          dw_skin_place *out, dw_error *err)
{
    *out = (dw_skin_place) { NULL, 0, 3 };
    if (output == NULL)
        return DW_OK;
    if (output->buffer == NULL)
        return dw_skin_slot_place(skin->gpu, &skin->rest, staged, out, err);
    *out = (dw_skin_place) { dw_buffer_gpu(output->buffer), output->first, output->stride };
    return DW_OK;
}

static dw_status download(const dw_skin *skin, const dw_skin_output *positions,
                          const dw_skin_output *normals, const dw_skin_slot *slot,
                          const dw_run *run, dw_error *err)
{
    const dw_skin_output *outputs[] = { positions, normals };
    const dw_gpu_buffer *buffers[] = { &slot->positions, &slot->normals };
    dw_gpu_rows parts[2];
    uint32_t count = 0;

    for (int i = 0; i < 2; i++)
        if (outputs[i] != NULL && outputs[i]->buffer == NULL)
            parts[count++] =
                (dw_gpu_rows) { .buffer = buffers[i],
                                .data = outputs[i]->host.data,
                                .row_bytes = 3 * sizeof(float),
                                .row_count = skin->rest.vertex_count,
                                .pitch_bytes = outputs[i]->host.stride * (int64_t)sizeof(float) };
    return count == 0 ? DW_OK : dw_gpu_download_rows(skin->gpu, parts, count, run, err);
}

static dw_status apply_gpu(dw_skin *skin, room *self, const dw_skin_output *positions,
                           const dw_skin_output *normals, const dw_run *run, dw_error *err)
{
    dw_skin_place places[2];

    if (place_of(skin, positions, &self->slot.positions, &places[0], err) != DW_OK ||
        place_of(skin, normals, &self->slot.normals, &places[1], err) != DW_OK ||
        dw_skin_pass(&skin->on_gpu, &self->slot, &skin->rest, &self->table, places[0], places[1],
                     run, err) != DW_OK)
        return err->code;
    return download(skin, positions, normals, &self->slot, run, err);
}

static void mark_written(const dw_skin_output *output)
{
    if (output != NULL && output->buffer != NULL)
        dw_buffer_mark_written(output->buffer);
}

dw_status dw_skin_apply(dw_skin *skin, const dw_skin_pose *pose, const dw_skin_output *positions,
                        const dw_skin_output *normals, const dw_run *run, dw_error *err)
{
    room *self = NULL, spare;
    dw_status status;

    if (check_output(skin, positions, "out", err) != DW_OK ||
        (normals != NULL && (check_output(skin, normals, "normals", err) != DW_OK ||
                             check_apart(skin, positions, normals, err) != DW_OK)) ||
        take_room(skin, &spare, &self, err) != DW_OK)
        return err->code;
    status = dw_skin_table_fill(&self->table, &skin->rest, pose, err);
    if (status == DW_OK)
        status = skin->gpu == NULL ? apply_native(skin, self, positions, normals, run, err)
                                   : apply_gpu(skin, self, positions, normals, run, err);
    give_room(skin, self);
    mark_written(positions);
    mark_written(normals);
    return status;
}
