/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/platform.h"
#include "gpu/transfer.h"
#include "systems/particle_hub_internal.h"

#include <math.h>
#include <string.h>

#define OFFSET_MAX 1e30 /* m */
#define TINY       1e-30

static void finish_target(dw_hub_target *target)
{
    if (!dw_device_is_forked(target->device)) {
        dw_particle_gpu_destroy(target->gpu);
        dw_gpu_buffer_destroy(&target->shown);
    }
    target->gpu = NULL;
}

void dw_hub_finish_views(dw_hub *hub)
{
    for (int i = 0; i < hub->target_count; i++)
        finish_target(&hub->targets[i]);
    hub->target_count = 0;
    dw_particle_seen_finish(&hub->seen);
    dw_free(hub->sprites);
}

static dw_particle_tables tables_of(const dw_hub *hub)
{
    bool is_native = dw_hub_is_simulating(hub) && dw_device_gpu(hub->home) == NULL;

    return (dw_particle_tables) {
        .emitters = hub->records,
        .parts = hub->parts,
        .regions = hub->regions,
        .curves = hub->curves,
        .colors = hub->colors,
        .points = hub->points,
        .row_count = hub->row_count,
        .part_count = hub->part_count,
        .layer_count = hub->layer_count,
        .curve_count = hub->curve_count,
        .color_count = hub->color_count,
        .point_count = hub->point_count,
        .sorted_layers = hub->sorted_layers,
        .shown = is_native ? dw_particle_memory_shown_native(hub->memory) : NULL,
        .shown_pitch = is_native ? dw_particle_memory_slot_capacity(hub->memory) : 0,
    };
}

/* ---- what devices have ---- */

static void join(dw_particle_range *range, dw_particle_range more)
{
    if (more.begin >= more.end)
        return;
    if (range->begin >= range->end)
        *range = more;
    range->begin = more.begin < range->begin ? more.begin : range->begin;
    range->end = more.end > range->end ? more.end : range->end;
}

/* Every device will have to be told of what has changed. */
static void share_changes(dw_hub *hub)
{
    for (int i = 0; i < DW_PARTICLE_TABLE_COUNT; i++) {
        for (int j = 0; j < hub->target_count; j++)
            join(&hub->targets[j].dirty[i], hub->dirty[i]);
        hub->dirty[i] = (dw_particle_range) { 0, 0 };
    }
}

/* The place of a new target: behind the others, or that of a device that is of no more use. */
static dw_hub_target *place_target(dw_hub *hub)
{
    if (hub->target_count < DW_HUB_DEVICES_MAX)
        return &hub->targets[hub->target_count];
    for (int i = 0; i < hub->target_count; i++) {
        dw_hub_target *target = &hub->targets[i];

        if (dw_device_is_closed(target->device) || dw_device_is_forked(target->device)) {
            finish_target(target);
            return target;
        }
    }
    return NULL;
}

static dw_status take_target(dw_hub *hub, dw_device *device, dw_hub_target **out, dw_error *err)
{
    dw_hub_target made = { .device = device }, *target;

    for (int i = 0; i < hub->target_count; i++)
        if (hub->targets[i].device == device) {
            *out = &hub->targets[i];
            return DW_OK;
        }
    target = place_target(hub);
    if (target == NULL)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "a ParticleManager serves at most %d devices at once: close one of them",
                       DW_HUB_DEVICES_MAX);
    if (dw_device_gpu(device) != NULL &&
        dw_particle_gpu_create(dw_device_gpu(device), &made.gpu, err) != DW_OK)
        return err->code;
    if (target == &hub->targets[hub->target_count])
        hub->target_count++;
    *target = made;
    *out = target;
    return DW_OK;
}

static dw_status update_target(const dw_hub *hub, dw_hub_target *target, const dw_run *run,
                               dw_error *err)
{
    dw_particle_host host = {
        .rows = { hub->records, hub->parts, hub->regions, hub->curves, hub->colors, hub->points },
        .counts = { hub->row_count, hub->part_count, hub->layer_count, hub->curve_count,
                    hub->color_count, hub->point_count },
        .sorted_layers = hub->sorted_layers,
    };

    memcpy(host.dirty, target->dirty, sizeof host.dirty);
    for (uint32_t i = 0; i < hub->layer_count; i++)
        host.layer_slots[i] = hub->layers[i].allocated;
    if (dw_particle_gpu_update(target->gpu, &host, run, err) != DW_OK)
        return err->code;
    memset(target->dirty, 0, sizeof target->dirty);
    return DW_OK;
}

dw_status dw_hub_update_target(dw_hub *hub, dw_device *device, const dw_run *run,
                               dw_hub_target **out, dw_error *err)
{
    if (take_target(hub, device, out, err) != DW_OK)
        return err->code;
    share_changes(hub);
    return (*out)->gpu == NULL ? DW_OK : update_target(hub, *out, run, err);
}

dw_status dw_hub_prepare(dw_hub *hub, dw_device *device, const dw_run *run, dw_hub_frame *out,
                         dw_error *err)
{
    dw_hub_target *target = NULL;

    if (dw_hub_update_target(hub, device, run, &target, err) != DW_OK ||
        dw_hub_show(hub, target, run, err) != DW_OK)
        return err->code;
    out->gpu = target->gpu;
    return DW_OK;
}

/* ---- state ---- */

uint64_t dw_hub_slot_total(const dw_hub *hub, uint32_t layer)
{
    dw_particle_tables tables = tables_of(hub);

    return dw_particles_slot_total(&tables, hub->regions[layer].first, hub->regions[layer].count);
}

static dw_status state_native(const dw_hub *hub, dw_device *device, dw_particle_region region,
                              const dw_run *run, dw_particle *out, uint64_t *out_count,
                              dw_error *err)
{
    dw_particle_tables tables = tables_of(hub);
    double begin = dw_platform_seconds();

    if (dw_particles_state(&tables, region.first, region.count, hub->tick,
                           hub->has_camera ? hub->camera : NULL, run, out, out_count, err) != DW_OK)
        return err->code;
    dw_device_set_timing(device, "particle_state", 1e3 * (dw_platform_seconds() - begin));
    return DW_OK;
}

dw_status dw_hub_state(dw_hub *hub, dw_device *device, uint32_t layer, const dw_run *run,
                       dw_particle *out, uint64_t *out_count, dw_error *err)
{
    const dw_particle_region region = hub->regions[layer];
    dw_hub_frame frame = { NULL };
    uint64_t count = 0;

    if (dw_hub_prepare(hub, device, run, &frame, err) != DW_OK)
        return err->code;
    if (region.count == 0) {
        *out_count = 0;
        return DW_OK;
    }
    if (frame.gpu == NULL) {
        if (state_native(hub, device, region, run, out, &count, err) != DW_OK)
            return err->code;
    } else if (dw_particle_gpu_state(frame.gpu, region.first, region.count, hub->tick,
                                     hub->has_camera ? hub->camera : NULL, run, out, &count,
                                     err) != DW_OK) {
        return err->code;
    }
    for (uint64_t i = 0; i < count; i++)
        out[i].emitter -= region.first;
    *out_count = count;
    return DW_OK;
}

/* ---- views ---- */

static float tidy(double x)
{
    return fabs(x) < TINY ? 0.0f : (float)x;
}

/* A plane whose normal has length 1; one without a normal has all or nothing inside, and so has one
 * at the end of the numbers. */
static void make_plane(const double plane[4], float out[4])
{
    double length = sqrt(plane[0] * plane[0] + plane[1] * plane[1] + plane[2] * plane[2]);
    double offset = length < TINY ? (plane[3] < 0.0 ? -OFFSET_MAX : 0.0) : plane[3] / length;

    for (int i = 0; i < 3; i++)
        out[i] = length < TINY ? 0.0f : tidy(plane[i] / length);
    out[3] = tidy(offset < -OFFSET_MAX ? -OFFSET_MAX : (offset > OFFSET_MAX ? OFFSET_MAX : offset));
}

static dw_status check_within(const char *name, const double *values, int count, double most,
                              dw_error *err)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(values[i]) <= most))
            return dw_fail(err, DW_ERROR_ARGUMENT,
                           "%s must be finite and within %g, got %g at index %d", name, most,
                           values[i], i);
    return DW_OK;
}

dw_status dw_hub_make_view(const dw_hub *hub, const double planes[24], const double camera[3],
                           dw_particle_view *out, dw_error *err)
{
    *out = (dw_particle_view) { .now_low = (uint32_t)hub->tick,
                                .now_high = (uint32_t)(hub->tick >> 32),
                                .row_count = hub->row_count,
                                .layer_count = hub->layer_count };
    if (check_within("planes", planes, 24, OFFSET_MAX, err) != DW_OK ||
        check_within("camera", camera, 3, 1e9, err) != DW_OK)
        return err->code;
    for (int i = 0; i < 6; i++)
        make_plane(planes + 4 * i, out->planes + 4 * i);
    for (int i = 0; i < 3; i++)
        out->camera[i] = tidy(camera[i]);
    return DW_OK;
}

static dw_status see_native(dw_hub *hub, dw_device *device, const dw_particle_view *view,
                            const dw_run *run, dw_hub_seen *seen, dw_error *err)
{
    dw_particle_tables tables = tables_of(hub);
    double begin = dw_platform_seconds();

    if (dw_particles_see(&tables, view, run, &hub->seen, err) != DW_OK)
        return err->code;
    dw_device_set_timing(device, "particle_see", 1e3 * (dw_platform_seconds() - begin));
    for (uint32_t i = 0; i < hub->layer_count; i++)
        seen[i] = (dw_hub_seen) { hub->seen.layer_first[i], hub->seen.layer_count[i],
                                  hub->seen.layer_candidates[i] };
    return DW_OK;
}

/* Sprites in the order of the list. */
static dw_status read_sprites(dw_hub *hub, dw_gpu *gpu, const dw_particle_buffers *of,
                              const dw_hub_seen *seen, const dw_run *run, dw_error *err)
{
    uint64_t bytes = of->sprites->size_bytes, total = 0, end = 0;
    dw_particle_sprite *all = NULL;
    uint32_t *list = NULL;

    for (uint32_t i = 0; i < hub->layer_count; i++) {
        total += seen[i].count;
        end = seen[i].first + seen[i].count > end ? seen[i].first + seen[i].count : end;
    }
    if (total == 0)
        return DW_OK;
    DW_TRY(DW_ALLOC(bytes / sizeof *all, &all, err));
    DW_TRY(DW_ALLOC(end, &list, err));
    DW_TRY(dw_hub_reserve((void **)&hub->sprites, sizeof *hub->sprites, &hub->sprite_capacity, end,
                          "sprites", err));
    DW_TRY(dw_gpu_download(gpu, of->list, 0, list, end * sizeof *list, run, err));
    DW_TRY(dw_gpu_download(gpu, of->sprites, 0, all, bytes / sizeof *all * sizeof *all, run, err));
    for (uint32_t i = 0; i < hub->layer_count; i++)
        for (uint64_t j = seen[i].first; j < seen[i].first + seen[i].count; j++)
            hub->sprites[j] = all[list[j]];
    err->code = DW_OK;
fail:
    dw_free(all);
    dw_free(list);
    return err->code;
}

static dw_status see_gpu(dw_hub *hub, dw_device *device, dw_particle_gpu *particles,
                         const dw_particle_view *view, const dw_run *run, dw_hub_seen *seen,
                         bool is_fetched, dw_error *err)
{
    dw_particle_span spans[DW_PARTICLE_LAYERS_MAX];
    dw_gpu *gpu = dw_device_gpu(device);
    dw_particle_buffers buffers;
    dw_command *command;
    dw_ticket ticket;

    DW_TRY(dw_command_begin(gpu, "particle_see", &command, err));
    dw_particle_gpu_see(particles, command, view);
    DW_TRY(dw_command_submit(command, &ticket, err));
    DW_TRY(dw_gpu_wait(gpu, ticket, run, err));
    buffers = dw_particle_gpu_get_buffers(particles);
    DW_TRY(
        dw_gpu_download(gpu, buffers.spans, 0, spans, hub->layer_count * sizeof *spans, run, err));
    for (uint32_t i = 0; i < hub->layer_count; i++)
        seen[i] = (dw_hub_seen) { spans[i].first, spans[i].count, spans[i].candidates };
    return is_fetched ? read_sprites(hub, gpu, &buffers, seen, run, err) : DW_OK;
fail:
    return err->code;
}

dw_status dw_hub_see(dw_hub *hub, dw_device *device, const double planes[24],
                     const double camera[3], const dw_run *run, dw_hub_seen *seen,
                     const dw_particle_sprite **sprites, dw_error *err)
{
    dw_hub_frame frame = { NULL };
    dw_particle_view view;

    DW_TRY(dw_hub_make_view(hub, planes, camera, &view, err));
    DW_TRY(dw_hub_prepare(hub, device, run, &frame, err));
    if (frame.gpu != NULL)
        DW_TRY(see_gpu(hub, device, frame.gpu, &view, run, seen, sprites != NULL, err));
    else
        DW_TRY(see_native(hub, device, &view, run, seen, err));
    if (sprites != NULL)
        *sprites = frame.gpu != NULL ? hub->sprites : hub->seen.sprites;
    return DW_OK;
fail:
    return err->code;
}
