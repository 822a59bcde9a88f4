/* SPDX-License-Identifier: MIT */
#include "passes/dissolve_pass.h"

#include "generated/spirv.h"
#include "gpu/command.h"
#include "gpu/transfer.h"

#define DISPATCHES_PER_SUBMIT 64

/* Two buffers, of which the first or the second comes back. */
typedef struct job {
    uint32_t shader;
    const char *name;
    dw_gpu_buffer first, second;
    dw_use first_use, second_use;
    uint32_t push[2];
    uint32_t row_count, repeat;
} job;

static dw_status dispatch(dw_gpu *gpu, const job *self, const dw_run *run, dw_error *err)
{
    const dw_gpu_binding bindings[] = { { &self->first, 0, 0, self->first_use },
                                        { &self->second, 0, 0, self->second_use } };
    uint32_t left = self->repeat, groups[3];
    dw_pipeline *pipeline;
    dw_ticket ticket = { 0 };

    if (dw_pipeline_get(gpu, self->shader, NULL, 0, &pipeline, err) != DW_OK)
        return err->code;
    dw_groups_linear(gpu, (self->row_count + DW_DISSOLVE_LANES - 1) / DW_DISSOLVE_LANES, groups);
    while (left > 0) {
        dw_command *command;

        if (dw_command_begin(gpu, self->name, &command, err) != DW_OK)
            return err->code;
        for (int i = 0; i < DISPATCHES_PER_SUBMIT && left > 0; i++, left--)
            dw_command_dispatch(command, pipeline, bindings, 2, self->push, sizeof self->push,
                                groups);
        if (dw_command_submit(command, &ticket, err) != DW_OK ||
            dw_gpu_wait(gpu, ticket, run, err) != DW_OK)
            return err->code;
    }
    return DW_OK;
}

dw_status dw_dissolve_tick_pass(dw_gpu *gpu, float *progress, const float *rates, uint32_t count,
                                float ticks, uint32_t repeat, const dw_run *run, dw_error *err)
{
    uint64_t bytes = count * sizeof *progress;
    job self = { .shader = DW_SHADER_DISSOLVE_TICK_COMP,
                 .name = "dissolve_tick",
                 .first_use = DW_USE_COMPUTE_READ_WRITE,
                 .second_use = DW_USE_COMPUTE_READ,
                 .push = { count, dw_bits_from_float(ticks) },
                 .row_count = count,
                 .repeat = repeat };
    dw_status status;

    DW_TRY(dw_gpu_buffer_create_device(gpu, bytes, "dissolve progress", &self.first, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, bytes, "dissolve rates", &self.second, err));
    DW_TRY(dw_gpu_upload(gpu, &self.first, 0, progress, bytes, run, err));
    DW_TRY(dw_gpu_upload(gpu, &self.second, 0, rates, bytes, run, err));
    DW_TRY(dispatch(gpu, &self, run, err));
    DW_TRY(dw_gpu_download(gpu, &self.first, 0, progress, bytes, run, err));
    err->code = DW_OK;
fail:
    status = err->code;
    dw_gpu_buffer_destroy(&self.first);
    dw_gpu_buffer_destroy(&self.second);
    return status;
}

dw_status dw_dissolve_value_pass(dw_gpu *gpu, const dw_dissolve_state *states, uint32_t count,
                                 uint32_t now, uint32_t repeat, float *values, const dw_run *run,
                                 dw_error *err)
{
    uint64_t state_bytes = count * sizeof *states, value_bytes = count * sizeof *values;
    job self = { .shader = DW_SHADER_DISSOLVE_VALUE_COMP,
                 .name = "dissolve_value",
                 .first_use = DW_USE_COMPUTE_READ,
                 .second_use = DW_USE_COMPUTE_WRITE,
                 .push = { count, now },
                 .row_count = count,
                 .repeat = repeat };
    dw_status status;

    DW_TRY(dw_gpu_buffer_create_device(gpu, state_bytes, "dissolve states", &self.first, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, value_bytes, "dissolve values", &self.second, err));
    DW_TRY(dw_gpu_upload(gpu, &self.first, 0, states, state_bytes, run, err));
    DW_TRY(dispatch(gpu, &self, run, err));
    DW_TRY(dw_gpu_download(gpu, &self.second, 0, values, value_bytes, run, err));
    err->code = DW_OK;
fail:
    status = err->code;
    dw_gpu_buffer_destroy(&self.first);
    dw_gpu_buffer_destroy(&self.second);
    return status;
}
