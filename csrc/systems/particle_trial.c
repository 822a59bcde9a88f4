/* SPDX-License-Identifier: MIT */
#include "systems/particle_trial.h"

#include "base/alloc.h"
#include "base/platform.h"
#include "gpu/transfer.h"
#include "passes/particle_pass.h"

#include <string.h>

/* The host's side of the tables, all of them marked dirty once. */
static dw_particle_host host_of(const dw_particle_tables *tables)
{
    dw_particle_host host = {
        .rows = { [DW_PARTICLE_EMITTERS] = tables->emitters,
                  [DW_PARTICLE_PARTS] = tables->parts,
                  [DW_PARTICLE_REGIONS] = tables->regions,
                  [DW_PARTICLE_CURVES] = tables->curves,
                  [DW_PARTICLE_COLORS] = tables->colors,
                  [DW_PARTICLE_POINTS] = tables->points },
        .counts = { [DW_PARTICLE_EMITTERS] = tables->row_count,
                    [DW_PARTICLE_PARTS] = tables->part_count,
                    [DW_PARTICLE_REGIONS] = tables->regions == NULL ? 0 : tables->layer_count,
                    [DW_PARTICLE_CURVES] = tables->curve_count,
                    [DW_PARTICLE_COLORS] = tables->color_count,
                    [DW_PARTICLE_POINTS] = tables->point_count },
        .sorted_layers = tables->sorted_layers,
    };

    for (int i = 0; i < DW_PARTICLE_TABLE_COUNT; i++)
        host.dirty[i] = (dw_particle_range) { 0, host.counts[i] };
    for (uint32_t i = 0; i < host.counts[DW_PARTICLE_REGIONS]; i++)
        host.layer_slots[i] =
            dw_particles_slot_total(tables, tables->regions[i].first, tables->regions[i].count);
    return host;
}

/* As a host whose tables grow and change would: half of the rows, then all of them with a hole,
 * then the hole. */
static dw_status update_in_parts(dw_particle_gpu *particles, const dw_particle_host *host,
                                 const dw_run *run, dw_error *err)
{
    const uint32_t count = host->counts[DW_PARTICLE_EMITTERS];
    const dw_particle_range hole = { count / 3, count - count / 4 };
    dw_particle_host part = *host;
    dw_particle_emitter *rows = NULL;

    part.counts[DW_PARTICLE_EMITTERS] = part.dirty[DW_PARTICLE_EMITTERS].end = count / 2;
    DW_TRY(dw_particle_gpu_update(particles, &part, run, err));
    DW_TRY(DW_ALLOC((size_t)count + 1, &rows, err));
    if (count > 0)
        memcpy(rows, host->rows[DW_PARTICLE_EMITTERS], count * sizeof *rows);
    memset(rows + hole.begin, 0xff, (hole.end - hole.begin) * sizeof *rows);
    part.rows[DW_PARTICLE_EMITTERS] = rows;
    part.counts[DW_PARTICLE_EMITTERS] = count;
    part.dirty[DW_PARTICLE_EMITTERS] = (dw_particle_range) { count / 2, count };
    DW_TRY(dw_particle_gpu_update(particles, &part, run, err));
    memset(part.dirty, 0, sizeof part.dirty);
    part.rows[DW_PARTICLE_EMITTERS] = host->rows[DW_PARTICLE_EMITTERS];
    part.dirty[DW_PARTICLE_EMITTERS] = hole;
    DW_TRY(dw_particle_gpu_update(particles, &part, run, err));
    dw_free(rows);
    return DW_OK;
fail:
    dw_free(rows);
    return err->code;
}

static dw_status begin(dw_device *device, const dw_particle_host *host, bool is_in_parts,
                       const dw_run *run, dw_particle_gpu **out, dw_error *err)
{
    dw_gpu *gpu = dw_device_gpu(device);
    dw_status status;

    if (gpu == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT, "device is native: a trial needs Vulkan");
    if (dw_particle_gpu_create(gpu, out, err) != DW_OK)
        return err->code;
    status = (is_in_parts ? update_in_parts : dw_particle_gpu_update)(*out, host, run, err);
    if (status != DW_OK)
        dw_particle_gpu_destroy(*out);
    return status;
}

dw_status dw_trial_particle_state(dw_device *device, const dw_particle_tables *tables,
                                  uint32_t first_row, uint32_t row_count, uint64_t now,
                                  const float *camera, const dw_run *run, dw_particle *out,
                                  uint64_t *out_count, dw_error *err)
{
    const dw_particle_region all = { 0, tables->row_count };
    dw_particle_tables one = *tables;
    dw_particle_gpu *particles;
    dw_particle_host host;
    dw_status status;

    if (first_row > tables->row_count || row_count > tables->row_count - first_row)
        return dw_fail(err, DW_ERROR_ARGUMENT, "rows [%u, %u + %u) must lie in the %u of emitters",
                       first_row, first_row, row_count, tables->row_count);
    one.regions = &all; /* states know no layers */
    one.layer_count = 1;
    one.sorted_layers = 0;
    host = host_of(&one);
    if (begin(device, &host, false, run, &particles, err) != DW_OK)
        return err->code;
    status = dw_particle_gpu_state(particles, first_row, row_count, now, camera, run, out,
                                   out_count, err);
    dw_particle_gpu_destroy(particles);
    return status;
}

/* ---- views ---- */

static double milliseconds(const dw_timing_table *table, const char *name)
{
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return table->rows[i].milliseconds;
    return 0.0;
}

static void set_times(dw_gpu *gpu, dw_trial_frame *frame)
{
    dw_timing_table table;

    dw_gpu_get_timings(gpu, &table);
    frame->emitters = milliseconds(&table, "particle_emitters");
    frame->scan = milliseconds(&table, "particle_scan");
    frame->expand = milliseconds(&table, "particle_expand");
    frame->totals = milliseconds(&table, "particle_totals");
    frame->list = milliseconds(&table, "particle_list");
    frame->sort = milliseconds(&table, "particle_sort");
    frame->fill = milliseconds(&table, "particle_fill");
}

/* The least that a device takes to write all sprites. */
static dw_status fill_sprites(dw_gpu *gpu, const dw_particle_gpu *particles, const dw_run *run,
                              dw_error *err)
{
    dw_command *command;
    dw_ticket ticket;

    if (dw_command_begin(gpu, "particle_trial", &command, err) != DW_OK)
        return err->code;
    dw_command_time_begin(command, "particle_fill");
    dw_command_fill(command, dw_particle_gpu_get_buffers(particles).sprites, 0, 0, 0);
    dw_command_time_end(command);
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        return err->code;
    return dw_gpu_wait(gpu, ticket, run, err);
}

static dw_status see_once(dw_gpu *gpu, dw_particle_gpu *particles, const dw_particle_host *host,
                          const dw_particle_view *view, const dw_run *run, dw_trial_frame *frame,
                          dw_error *err)
{
    int64_t blocks = dw_alloc_total_count();
    uint64_t sent = dw_gpu_get_counts(gpu).sent_bytes;
    double began = dw_platform_seconds();
    dw_command *command;
    dw_gpu_counts counts;
    dw_ticket ticket;

    if (dw_particle_gpu_update(particles, host, run, err) != DW_OK ||
        dw_command_begin(gpu, "particle_trial", &command, err) != DW_OK)
        return err->code;
    dw_particle_gpu_see(particles, command, view);
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        return err->code;
    frame->host = 1e3 * (dw_platform_seconds() - began);
    if (dw_gpu_wait(gpu, ticket, run, err) != DW_OK)
        return err->code;
    counts = dw_gpu_get_counts(gpu);
    frame->sent = (double)(counts.sent_bytes - sent);
    frame->used = (double)counts.used_bytes;
    frame->allocations = (double)(dw_alloc_total_count() - blocks);
    set_times(gpu, frame);
    return DW_OK;
}

/* spans: of layer_count layers. `list` and `sprites`: as they lie on the device. */
static void put_in_order(dw_particle_seen *out, const dw_particle_span *spans, uint32_t layer_count,
                         const uint32_t *list, const dw_particle_sprite *sprites)
{
    for (uint32_t i = 0; i < layer_count; i++) {
        out->layer_first[i] = spans[i].first;
        out->layer_count[i] = spans[i].count;
        out->layer_candidates[i] = spans[i].candidates;
        out->rows_in_view[i] = spans[i].rows;
    }
    for (uint64_t i = 0; i < out->sprite_count; i++)
        out->sprites[i] = sprites[list[i]];
}

static dw_status read_seen(dw_gpu *gpu, const dw_particle_gpu *particles, const dw_run *run,
                           dw_particle_seen *out, dw_error *err)
{
    const dw_particle_buffers buffers = dw_particle_gpu_get_buffers(particles);
    dw_particle_span spans[DW_PARTICLE_LAYERS_MAX];
    uint64_t bytes = buffers.layer_count * sizeof *spans, groups = 0;
    dw_particle_sprite *sprites = NULL;
    uint32_t *list = NULL;

    if (bytes > 0)
        DW_TRY(dw_gpu_download(gpu, buffers.spans, 0, spans, bytes, run, err));
    for (uint32_t i = 0; i < buffers.layer_count; i++) {
        out->sprite_count += spans[i].count;
        groups += spans[i].group_count;
    }
    if (out->sprite_count > 0) {
        uint64_t slots = groups * DW_PARTICLE_SLOT_GROUP;

        DW_TRY(DW_ALLOC((size_t)out->sprite_count, &out->sprites, err));
        DW_TRY(DW_ALLOC((size_t)out->sprite_count, &list, err));
        DW_TRY(DW_ALLOC((size_t)slots, &sprites, err));
        DW_TRY(dw_gpu_download(gpu, buffers.list, 0, list, out->sprite_count * sizeof *list, run,
                               err));
        DW_TRY(
            dw_gpu_download(gpu, buffers.sprites, 0, sprites, slots * sizeof *sprites, run, err));
    }
    put_in_order(out, spans, buffers.layer_count, list, sprites);
    dw_free(list);
    dw_free(sprites);
    return DW_OK;
fail:
    dw_free(list);
    dw_free(sprites);
    return err->code;
}

dw_status dw_trial_particle_see(dw_device *device, const dw_particle_tables *tables,
                                const dw_particle_view *view, dw_trial_mode mode, uint32_t repeat,
                                const dw_run *run, dw_particle_seen *out, dw_trial_frame *frames,
                                dw_error *err)
{
    dw_particle_host host = host_of(tables);
    dw_particle_gpu *particles;
    dw_trial_frame ignored;

    if (begin(device, &host, mode == DW_TRIAL_IN_PARTS, run, &particles, err) != DW_OK)
        return err->code;
    memset(host.dirty, 0, sizeof host.dirty);
    if (mode == DW_TRIAL_NARROW)
        DW_TRY(dw_particle_gpu_set_wide(particles, false, err));
    DW_TRY(fill_sprites(dw_device_gpu(device), particles, run, err));
    for (uint32_t i = 0; i < repeat; i++)
        DW_TRY(see_once(dw_device_gpu(device), particles, &host, view, run,
                        frames == NULL ? &ignored : &frames[i], err));
    DW_TRY(read_seen(dw_device_gpu(device), particles, run, out, err));
    dw_particle_gpu_destroy(particles);
    return DW_OK;
fail:
    dw_particle_gpu_destroy(particles);
    return err->code;
}
