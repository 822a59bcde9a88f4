/* SPDX-License-Identifier: MIT */
#include "passes/particle_specks.h"

#include "generated/spirv.h"

static dw_status grow(dw_gpu *gpu, dw_gpu_buffer *buffer, uint64_t size, const char *name,
                      dw_error *err)
{
    if (buffer->size_bytes >= size)
        return DW_OK;
    dw_gpu_buffer_destroy(buffer);
    return dw_gpu_buffer_create_device(gpu, size, name, buffer, err);
}

dw_status dw_particle_specks_reserve(dw_gpu *gpu, dw_particle_specks *specks, uint64_t entries,
                                     dw_error *err)
{
    uint64_t each = (entries + DW_SPECK_GROUPS - 1) / DW_SPECK_GROUPS;
    uint64_t steps = (each + DW_SPECK_LANES - 1) / DW_SPECK_LANES;
    uint64_t words = DW_SPECK_GROUPS * steps * (DW_SPECK_LANES / 32);

    DW_TRY(grow(gpu, &specks->flags, 4 * (words > 0 ? words : 1), "speck flags", err));
    DW_TRY(grow(gpu, &specks->counts, 4 * DW_SPECK_GROUPS, "speck counts", err));
    DW_TRY(grow(gpu, &specks->list, 4 * (entries > 0 ? entries : 1), "rastered particles", err));
    DW_TRY(grow(gpu, &specks->commands, 16 * DW_PARTICLE_LAYERS_MAX, "rastered draws", err));
    return DW_OK;
fail:
    return err->code;
}

void dw_particle_specks_destroy(dw_particle_specks *specks)
{
    dw_gpu_buffer_destroy(&specks->flags);
    dw_gpu_buffer_destroy(&specks->counts);
    dw_gpu_buffer_destroy(&specks->list);
    dw_gpu_buffer_destroy(&specks->commands);
}

static dw_status record_list(dw_command *command, dw_gpu *gpu, const dw_particle_specks *specks,
                             const dw_gpu_inputs *draw, uint32_t layer, dw_error *err)
{
    static const uint32_t groups[3] = { DW_SPECK_GROUPS, 1, 1 };
    dw_gpu_binding buffers[DW_SPECK_LIST_BINDINGS] = {
        [DW_SPECK_LIST_LIST] = draw->buffers[DW_PARTICLE_DRAW_LIST],
        [DW_SPECK_LIST_SPANS] = draw->buffers[DW_PARTICLE_DRAW_SPANS],
        [DW_SPECK_LIST_FLAGS] = { &specks->flags, 0, 0, DW_USE_COMPUTE_READ },
        [DW_SPECK_LIST_COUNTS] = { &specks->counts, 0, 0, DW_USE_COMPUTE_READ },
        [DW_SPECK_LIST_RASTERED] = { &specks->list, 0, 0, DW_USE_COMPUTE_WRITE },
        [DW_SPECK_LIST_COMMANDS] = { &specks->commands, 0, 0, DW_USE_COMPUTE_WRITE },
    };
    dw_pipeline *pipeline = NULL;

    buffers[DW_SPECK_LIST_LIST].use = DW_USE_COMPUTE_READ;
    buffers[DW_SPECK_LIST_SPANS].use = DW_USE_COMPUTE_READ;
    DW_TRY(dw_pipeline_get(gpu, DW_SHADER_PARTICLE_SPECKS_LIST_COMP, NULL, 0, &pipeline, err));
    dw_command_dispatch(command, pipeline, buffers, DW_SPECK_LIST_BINDINGS, &layer, sizeof layer,
                        groups);
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_particle_specks_record(dw_command *command, dw_gpu *gpu,
                                    const dw_particle_specks *specks, const dw_gpu_inputs *draw,
                                    const dw_gpu_buffer *sums,
                                    const uint32_t constants[DW_PARTICLE_SPEC_COUNT],
                                    uint32_t layer, dw_error *err)
{
    static const uint32_t groups[3] = { DW_SPECK_GROUPS, 1, 1 };
    uint32_t shader = constants[DW_PARTICLE_SPEC_SAMPLES] > 1 ? DW_SHADER_PARTICLE_SPECKS_MS_COMP
                                                              : DW_SHADER_PARTICLE_SPECKS_COMP;
    dw_gpu_binding buffers[DW_SPECK_BINDINGS] = {
        [DW_SPECK_SUMS] = { sums, 0, 0, DW_USE_COMPUTE_READ_WRITE },
        [DW_SPECK_FLAGS] = { &specks->flags, 0, 0, DW_USE_COMPUTE_WRITE },
        [DW_SPECK_COUNTS] = { &specks->counts, 0, 0, DW_USE_COMPUTE_WRITE },
    };
    dw_gpu_inputs inputs = *draw;
    dw_pipeline *pipeline = NULL;

    for (int i = 0; i < DW_PARTICLE_DRAW_BINDINGS; i++) {
        buffers[i] = draw->buffers[i];
        buffers[i].use = DW_USE_COMPUTE_READ;
    }
    inputs.buffers = buffers;
    inputs.buffer_count = DW_SPECK_BINDINGS;
    DW_TRY(dw_pipeline_get(gpu, shader, constants, DW_PARTICLE_SPEC_COUNT, &pipeline, err));
    dw_command_dispatch_inputs(command, pipeline, &inputs, groups);
    return record_list(command, gpu, specks, draw, layer, err);
fail:
    return err->code;
}
