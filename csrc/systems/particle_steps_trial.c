/* SPDX-License-Identifier: MIT */
#include "systems/particle_steps_trial.h"

#include "base/platform.h"
#include "gpu/transfer.h"
#include "systems/particle_memory.h"

#include <string.h>

#define GROUP DW_PARTICLE_STATE_GROUP

typedef struct session {
    const dw_steps_trial *trial;
    dw_gpu *gpu;
    dw_particle_memory *memory;
    dw_gpu_buffer emitters, parts;
    dw_particle_sources sources;
} session;

uint64_t dw_steps_trial_slots(const dw_steps_trial *trial)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < trial->row_count; i++)
        total +=
            ((uint64_t)trial->rows[i * DW_STEPS_TRIAL_ROW_WORDS + 2] + GROUP - 1) / GROUP * GROUP;
    return total;
}

static dw_status check(const dw_steps_trial *trial, dw_error *err)
{
    for (uint32_t i = 0; i < trial->row_count; i++) {
        const uint32_t *row = trial->rows + (size_t)i * DW_STEPS_TRIAL_ROW_WORDS;

        if (row[0] >= trial->emitter_count || row[1] >= trial->law_count || row[2] == 0 ||
            (row[3] != DW_PARTICLE_NONE && row[3] >= i) ||
            DW_EMITTER_PART(trial->emitters[row[0]].part) >= trial->part_count)
            return dw_fail(err, DW_ERROR_ARGUMENT, "rows: row %u names what is not there", i);
    }
    for (uint32_t i = 0; i < trial->law_count; i++)
        if (trial->laws[i].collider_count > trial->collider_count ||
            trial->laws[i].first_collider > trial->collider_count - trial->laws[i].collider_count ||
            trial->laws[i].burst_part >= trial->part_count)
            return dw_fail(err, DW_ERROR_ARGUMENT, "laws: law %u names what is not there", i);
    for (uint32_t i = 1; i < trial->tick_count; i++)
        if (trial->ticks[i] < trial->ticks[i - 1])
            return dw_fail(err, DW_ERROR_ARGUMENT, "ticks must not descend");
    return DW_OK;
}

static dw_status fill(session *self, dw_error *err)
{
    const dw_steps_trial *trial = self->trial;
    dw_particle_memory_room room = { 0 };

    for (uint32_t i = 0; i < trial->law_count; i++) {
        const dw_particle_law *law = &trial->laws[i];
        uint32_t index;

        if (dw_particle_memory_add_law(self->memory, law, trial->colliders + law->first_collider,
                                       law->collider_count, trial->heights, trial->height_count,
                                       &index, err) != DW_OK)
            return err->code;
    }
    for (uint32_t i = 0; i < trial->row_count; i++)
        dw_particle_memory_count(&room, trial->rows[i * DW_STEPS_TRIAL_ROW_WORDS + 2],
                                 trial->rows[i * DW_STEPS_TRIAL_ROW_WORDS + 4] != 0, 1);
    if (dw_particle_memory_reserve(self->memory, &room, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < trial->row_count; i++) {
        const uint32_t *words = trial->rows + (size_t)i * DW_STEPS_TRIAL_ROW_WORDS;
        const dw_particle_memory_row row = { .row = words[0],
                                             .law = words[1],
                                             .part =
                                                 DW_EMITTER_PART(trial->emitters[words[0]].part),
                                             .count = words[2],
                                             .rate = trial->laws[words[1]].rate,
                                             .parent = words[3],
                                             .is_parent = words[4] != 0 };

        dw_particle_memory_add_row(self->memory, &row, &trial->emitters[row.row].first);
    }
    return DW_OK;
}

static dw_status upload(session *self, const dw_run *run, dw_error *err)
{
    const dw_steps_trial *trial = self->trial;
    uint64_t emitter_bytes = trial->emitter_count * sizeof *trial->emitters;
    uint64_t part_bytes = trial->part_count * sizeof *trial->parts;

    self->sources =
        (dw_particle_sources) { trial->emitters, trial->parts, &self->emitters, &self->parts };
    if (self->gpu == NULL)
        return DW_OK;
    if (dw_gpu_buffer_create_device(self->gpu, emitter_bytes, "trial emitters", &self->emitters,
                                    err) != DW_OK ||
        dw_gpu_buffer_create_device(self->gpu, part_bytes, "trial parts", &self->parts, err) !=
            DW_OK ||
        dw_gpu_upload(self->gpu, &self->emitters, 0, trial->emitters, emitter_bytes, run, err) !=
            DW_OK)
        return err->code;
    return dw_gpu_upload(self->gpu, &self->parts, 0, trial->parts, part_bytes, run, err);
}

/* ---- what is shown ---- */

static dw_status show_native(session *self, uint64_t now, uint32_t *planes, size_t slots,
                             const dw_run *run, dw_error *err)
{
    size_t pitch = dw_particle_memory_slot_capacity(self->memory);
    const uint32_t *shown = dw_particle_memory_shown_native(self->memory);

    if (dw_particle_memory_show_native(self->memory, &self->sources, now, run, err) != DW_OK)
        return err->code;
    for (size_t word = 0; word < DW_SHOWN_WORDS; word++)
        for (size_t slot = 0; slot < slots; slot++)
            planes[word * slots + slot] = shown[slot] == 0 ? 0 : shown[word * pitch + slot];
    return DW_OK;
}

static dw_status show_gpu(session *self, uint64_t now, uint32_t *planes, size_t slots,
                          const dw_run *run, dw_error *err)
{
    uint64_t pitch = (uint64_t)dw_particle_memory_slot_capacity(self->memory) * 4;
    const dw_gpu_buffer *shown = dw_particle_memory_shown(self->memory);
    dw_command *command = NULL;
    dw_ticket ticket;

    DW_TRY(dw_command_begin(self->gpu, "particle_show", &command, err));
    dw_command_fill(command, shown, 0, 0, 0);
    DW_TRY(dw_command_submit(command, &ticket, err));
    DW_TRY(dw_particle_memory_show(self->memory, &self->sources, now, run, err));
    for (uint64_t word = 0; word < DW_SHOWN_WORDS; word++)
        if (dw_gpu_download(self->gpu, shown, word * pitch, planes + word * slots, slots * 4, run,
                            err) != DW_OK)
            return err->code;
    return DW_OK;
fail:
    return err->code;
}

static dw_status go(session *self, dw_device *device, uint32_t *shown, uint64_t *skipped,
                    const dw_run *run, dw_error *err)
{
    const dw_steps_trial *trial = self->trial;
    size_t slots = (size_t)dw_steps_trial_slots(trial), from = 0;

    *skipped = 0;
    for (uint32_t i = 0; i < trial->tick_count; i++) {
        uint32_t *planes = shown == NULL ? NULL : shown + i * slots * DW_SHOWN_WORDS;
        double begin = dw_platform_seconds();
        dw_particle_progress progress;

        if (dw_particle_memory_step(self->memory, &self->sources, from, trial->ticks[i], run,
                                    &progress, err) != DW_OK)
            return err->code;
        if (self->gpu == NULL)
            dw_device_set_timing(device, "particle_step", 1e3 * (dw_platform_seconds() - begin));
        from = trial->ticks[i];
        *skipped += progress.skipped;
        if (planes != NULL && (self->gpu == NULL ? show_native : show_gpu)(
                                  self, from, planes, slots, run, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

dw_status dw_steps_trial_run(dw_device *device, const dw_steps_trial *trial, uint32_t *shown,
                             uint64_t *skipped, const dw_run *run, dw_error *err)
{
    session self = { .trial = trial, .gpu = dw_device_gpu(device) };
    dw_status status = check(trial, err);

    if (status == DW_OK)
        status = dw_particle_memory_create(self.gpu, &self.memory, err);
    if (status == DW_OK)
        status = fill(&self, err);
    if (status == DW_OK)
        status = upload(&self, run, err);
    if (status == DW_OK)
        status = go(&self, device, shown, skipped, run, err);
    dw_particle_memory_destroy(self.memory);
    dw_gpu_buffer_destroy(&self.emitters);
    dw_gpu_buffer_destroy(&self.parts);
    return status;
}
