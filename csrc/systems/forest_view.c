/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/platform.h"
#include "gpu/transfer.h"
#include "systems/forest.h"
#include "systems/forest_internal.h"

#include <math.h>
#include <string.h>

#define OFFSET_MAX 1e30 /* m */

const void *dw_forest_dissolves(const dw_forest *forest)
{
    switch (forest->params.rules.encoding) {
    case DW_DISSOLVE_ENCODING_UNORM8:
        return dw_dissolve_field_colors(forest->field);
    case DW_DISSOLVE_ENCODING_ANALYTIC:
        return dw_dissolve_field_states(forest->field);
    default:
        return dw_dissolve_field_values(forest->field);
    }
}

static void finish_target(dw_forest_target *target)
{
    if (!dw_device_is_forked(target->device))
        dw_forest_gpu_destroy(target->gpu);
    target->gpu = NULL;
}

void dw_forest_finish_views(dw_forest *forest)
{
    for (int i = 0; i < forest->target_count; i++)
        finish_target(&forest->targets[i]);
    forest->target_count = 0;
    dw_free(forest->lists.entries);
    dw_free(forest->lists.buckets);
    dw_free(forest->lists.cells);
    dw_free(forest->lists.counts);
    dw_free(forest->read_states);
    dw_free(forest->commands);
}

/* ---- draws ---- */

dw_status dw_forest_set_draws(dw_forest *forest, const dw_forest_draw *draws, uint32_t count,
                              dw_error *err)
{
    dw_forest_draw *copy;

    for (uint32_t i = 0; i < count; i++)
        if (draws[i].bucket >= forest->params.rules.bucket_count)
            return dw_fail(err, DW_ERROR_ARGUMENT, "draws: bucket must be 0 to %u, got %u at %u",
                           forest->params.rules.bucket_count - 1, draws[i].bucket, i);
    if (DW_ALLOC(count, &copy, err) != DW_OK)
        return err->code;
    if (count > 0)
        memcpy(copy, draws, count * sizeof *copy);
    dw_free(forest->draws);
    forest->draws = copy;
    forest->draw_count = count;
    forest->draws_version++;
    return DW_OK;
}

/* ---- what devices have ---- */

static void join(dw_forest_range *range, dw_forest_range more)
{
    if (more.begin >= more.end)
        return;
    if (range->begin >= range->end)
        *range = more;
    if (more.begin < range->begin)
        range->begin = more.begin;
    if (more.end > range->end)
        range->end = more.end;
}

/* Every device will have to be told of what has changed. */
static void share_changes(dw_forest *forest)
{
    dw_forest_range dissolved;

    if (dw_dissolve_field_take_dirty(forest->field, &dissolved.begin, &dissolved.end))
        join(&forest->dirty[DW_FOREST_DISSOLVES], dissolved);
    for (int i = 0; i < DW_FOREST_ARRAY_COUNT; i++) {
        for (int j = 0; j < forest->target_count; j++)
            join(&forest->targets[j].dirty[i], forest->dirty[i]);
        forest->dirty[i] = (dw_forest_range) { 0, 0 };
    }
}

/* The place of a new target: behind the others, or that of a device that is of no more use. */
static dw_forest_target *place_target(dw_forest *forest)
{
    if (forest->target_count < DW_FOREST_DEVICES_MAX)
        return &forest->targets[forest->target_count];
    for (int i = 0; i < forest->target_count; i++) {
        dw_forest_target *target = &forest->targets[i];

        if (dw_device_is_closed(target->device) || dw_device_is_forked(target->device)) {
            finish_target(target);
            return target;
        }
    }
    return NULL;
}

static dw_status take_target(dw_forest *forest, dw_device *device, dw_forest_target **out,
                             dw_error *err)
{
    dw_forest_target made = { .device = device }, *target;

    for (int i = 0; i < forest->target_count; i++)
        if (forest->targets[i].device == device) {
            *out = &forest->targets[i];
            return DW_OK;
        }
    target = place_target(forest);
    if (target == NULL)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "a forest serves at most %d devices at once: close one of them",
                       DW_FOREST_DEVICES_MAX);
    if (dw_device_gpu(device) != NULL &&
        dw_forest_gpu_create(dw_device_gpu(device), &made.gpu, err) != DW_OK)
        return err->code;
    if (target == &forest->targets[forest->target_count])
        forest->target_count++;
    *target = made;
    *out = target;
    return DW_OK;
}

static dw_status update_target(dw_forest *forest, dw_forest_target *target, const dw_run *run,
                               dw_error *err)
{
    uint32_t words = dw_forest_dissolve_words(forest->params.rules.encoding);
    bool has_draws = target->draws_version == forest->draws_version;
    dw_forest_arrays arrays = {
        .row_count = dw_forest_row_count(forest),
        .row_capacity = forest->capacity,
        .arrays = { forest->records, forest->transforms, forest->infos,
                    dw_forest_dissolves(forest) },
        .row_bytes = { sizeof *forest->records, 12 * sizeof(float), sizeof *forest->infos,
                       words * sizeof(uint32_t) },
        .params = target->has_params ? NULL : &forest->params,
        .draws = has_draws ? NULL : forest->draws,
        .draw_count = forest->draw_count,
    };

    memcpy(arrays.dirty, target->dirty, sizeof arrays.dirty);
    if (dw_forest_gpu_update(target->gpu, &arrays, run, err) != DW_OK)
        return err->code;
    memset(target->dirty, 0, sizeof target->dirty);
    target->has_params = true;
    target->draws_version = forest->draws_version;
    return DW_OK;
}

static dw_status prepare(dw_forest *forest, dw_device *device, const dw_run *run,
                         dw_forest_target **out, dw_error *err)
{
    dw_forest_target *target = NULL;

    if (take_target(forest, device, &target, err) != DW_OK)
        return err->code;
    share_changes(forest);
    if (target->gpu != NULL && update_target(forest, target, run, err) != DW_OK)
        return err->code;
    *out = target;
    return DW_OK;
}

dw_status dw_forest_prepare(dw_forest *forest, dw_device *device, const dw_run *run,
                            dw_forest_frame *out, dw_error *err)
{
    int64_t now = dw_dissolve_field_now_ticks(forest->field);
    dw_forest_target *target = NULL;

    if (prepare(forest, device, run, &target, err) != DW_OK)
        return err->code;
    out->gpu = target->gpu;
    out->flags = target->has_time && now <= target->last_ticks ? DW_FOREST_IS_STILL : 0;
    target->has_time = true;
    target->last_ticks = now;
    return DW_OK;
}

/* ---- views ---- */

static float tidy(double x)
{
    return fabs(x) < DW_FOREST_TINY ? 0.0f : (float)x;
}

static dw_status check_finite(const char *name, const double *values, int count, dw_error *err)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(values[i]) <= 1e30))
            return dw_fail(err, DW_ERROR_ARGUMENT, "%s must be finite, at most 1e30, got %g at %d",
                           name, values[i], i);
    return DW_OK;
}

/* A plane whose normal has length 1; one without a normal has all or nothing inside, and so has one
 * at the end of the numbers. */
static void make_plane(const double plane[4], float out[4])
{
    double length = sqrt(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]);
    double offset = length < 1e-30 ? (plane[3] < 0.0 ? -OFFSET_MAX : 0.0) : plane[3] / length;

    for (int i = 0; i < 3; i++)
        out[i] = length < 1e-30 ? 0.0f : tidy(plane[i] / length);
    out[3] = tidy(offset < -OFFSET_MAX ? -OFFSET_MAX : (offset > OFFSET_MAX ? OFFSET_MAX : offset));
}

dw_status dw_forest_make_view(const dw_forest *forest, const double planes[24],
                              const double camera[3], uint32_t flags, dw_forest_view *out,
                              dw_error *err)
{
    *out = (dw_forest_view) { .flags = flags };
    if (check_finite("planes", planes, 24, err) != DW_OK ||
        check_finite("position", camera, 3, err) != DW_OK)
        return err->code;
    for (int i = 0; i < 6; i++)
        make_plane(planes + 4 * i, out->planes + 4 * i);
    if (fabs(camera[0]) > 1e9 || fabs(camera[2]) > 1e9)
        return dw_fail(err, DW_ERROR_ARGUMENT, "position must lie within 1e9 m, got (%g, %g, %g)",
                       camera[0], camera[1], camera[2]);
    out->camera_x = tidy(camera[0]);
    out->camera_z = tidy(camera[2]);
    out->now = (uint32_t)dw_dissolve_field_now_ticks(forest->field);
    return DW_OK;
}

/* ---- lists in host memory ---- */

static dw_status reserve_lists(dw_forest *forest, dw_error *err)
{
    uint32_t buckets = forest->params.rules.bucket_count + DW_FOREST_COUNTERS;
    uint32_t capacity = forest->capacity;

    if (forest->lists.buckets == NULL)
        DW_TRY(DW_ALLOC_ZEROED(buckets, &forest->lists.buckets, err));
    if (forest->list_capacity < capacity) {
        dw_free(forest->lists.entries);
        dw_free(forest->lists.cells);
        dw_free(forest->lists.counts);
        dw_free(forest->read_states);
        forest->lists.entries = NULL;
        forest->lists.cells = NULL;
        forest->lists.counts = NULL;
        forest->read_states = NULL;
        forest->list_capacity = 0;
        DW_TRY(DW_ALLOC(2 * (size_t)capacity, &forest->lists.entries, err));
        DW_TRY(DW_ALLOC(capacity, &forest->lists.cells, err));
        DW_TRY(DW_ALLOC(dw_forest_cull_counts(capacity, forest->params.rules.bucket_count),
                        &forest->lists.counts, err));
        DW_TRY(DW_ALLOC(capacity, &forest->read_states, err));
        forest->list_capacity = capacity;
    }
    if (forest->command_capacity < forest->draw_count) {
        dw_free(forest->commands);
        forest->commands = NULL;
        forest->command_capacity = 0;
        DW_TRY(DW_ALLOC(forest->draw_count, &forest->commands, err));
        forest->command_capacity = forest->draw_count;
    }
    return DW_OK;
fail:
    return err->code;
}

static dw_status see_native(dw_forest *forest, dw_device *device, dw_forest_view *view,
                            const dw_run *run, dw_error *err)
{
    dw_forest_rows rows = { forest->records, forest->infos, dw_forest_dissolves(forest),
                            forest->states };
    double begin = dw_platform_seconds();

    view->row_count = dw_forest_row_count(forest);
    if (dw_forest_cull(&forest->params, view, &rows, &forest->lists, run, err) != DW_OK)
        return err->code;
    dw_forest_make_commands(forest->draws, forest->draw_count, forest->lists.buckets,
                            forest->commands);
    dw_device_set_timing(device, "forest_cull", 1e3 * (dw_platform_seconds() - begin));
    return DW_OK;
}

static dw_status see_gpu(dw_forest_gpu *gpu, dw_device *device, const dw_forest_view *view,
                         const dw_run *run, dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(dw_device_gpu(device), "forest_cull", &command, err) != DW_OK)
        return err->code;
    dw_forest_gpu_cull(gpu, command, view);
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        return err->code;
    return dw_gpu_wait(dw_device_gpu(device), ticket, run, err);
}

static uint32_t count_entries(const dw_forest *forest)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < forest->params.rules.bucket_count; i++)
        count += forest->lists.buckets[i].count;
    return count;
}

static dw_status download(dw_gpu *gpu, const dw_gpu_buffer *buffer, void *out, uint64_t bytes,
                          const dw_run *run, dw_error *err)
{
    return bytes == 0 ? DW_OK : dw_gpu_download(gpu, buffer, 0, out, bytes, run, err);
}

static dw_status read_lists(dw_forest *forest, const dw_forest_gpu *gpu, dw_device *device,
                            bool is_shadow, const dw_run *run, dw_error *err)
{
    dw_forest_view_buffers view = dw_forest_gpu_view(gpu, is_shadow);
    uint32_t buckets = forest->params.rules.bucket_count + DW_FOREST_COUNTERS;
    dw_gpu *on = dw_device_gpu(device);

    DW_TRY(download(on, view.buckets, forest->lists.buckets, buckets * sizeof(dw_forest_bucket),
                    run, err));
    for (uint32_t i = forest->params.rules.bucket_count; i < buckets; i++)
        forest->lists.buckets[i].first = 0; /* counters have none */
    DW_TRY(download(on, view.entries, forest->lists.entries,
                    count_entries(forest) * sizeof(dw_forest_entry), run, err));
    return download(on, view.commands, forest->commands,
                    forest->draw_count * sizeof(dw_forest_command), run, err);
fail:
    return err->code;
}

static dw_status read_states(dw_forest *forest, const dw_forest_target *target, dw_device *device,
                             const dw_run *run, const dw_forest_state **out, dw_error *err)
{
    uint64_t bytes = dw_forest_row_count(forest) * sizeof(dw_forest_state);

    *out = forest->states;
    if (target->gpu == NULL)
        return DW_OK;
    *out = forest->read_states;
    return download(dw_device_gpu(device), dw_forest_gpu_table(target->gpu).states,
                    forest->read_states, bytes, run, err);
}

dw_status dw_forest_see(dw_forest *forest, dw_device *device, const double planes[24],
                        const double camera[3], uint32_t flags, const dw_run *run,
                        dw_forest_result *out, dw_error *err)
{
    bool is_shadow = (flags & DW_FOREST_IS_SHADOW) != 0;
    const dw_forest_state *states = NULL;
    dw_forest_frame frame = { NULL, 0 };
    dw_forest_target *target = NULL;
    dw_forest_view view;

    DW_TRY(dw_forest_make_view(forest, planes, camera, flags, &view, err));
    DW_TRY(reserve_lists(forest, err));
    DW_TRY(prepare(forest, device, run, &target, err));
    if (!is_shadow)
        DW_TRY(dw_forest_prepare(forest, device, run, &frame, err));
    view.flags |= frame.flags;
    if (target->gpu == NULL)
        DW_TRY(see_native(forest, device, &view, run, err));
    else
        DW_TRY(see_gpu(target->gpu, device, &view, run, err));
    if (out == NULL)
        return DW_OK;
    if (target->gpu != NULL)
        DW_TRY(read_lists(forest, target->gpu, device, is_shadow, run, err));
    DW_TRY(read_states(forest, target, device, run, &states, err));
    *out = (dw_forest_result) { .buckets = forest->lists.buckets,
                                .entries = forest->lists.entries,
                                .entry_count = count_entries(forest),
                                .states = states,
                                .commands = forest->commands,
                                .draw_count = forest->draw_count };
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_forest_read_states(dw_forest *forest, dw_device *device, const dw_run *run,
                                const dw_forest_state **out, dw_error *err)
{
    dw_forest_target *target = NULL;

    if (reserve_lists(forest, err) != DW_OK || prepare(forest, device, run, &target, err) != DW_OK)
        return err->code;
    return read_states(forest, target, device, run, out, err);
}
