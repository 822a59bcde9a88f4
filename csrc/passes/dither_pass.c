/* SPDX-License-Identifier: MIT */
#include "passes/dither_pass.h"

#include "generated/spirv.h"
#include "gpu/command.h"
#include "gpu/transfer.h"
#include "shared/dither.h"

typedef struct buffers {
    dw_gpu_buffer table, amounts, masks;
} buffers;

static dw_status dispatch(dw_gpu *gpu, const buffers *self, const struct dw_dither_push *push,
                          const dw_run *run, dw_error *err)
{
    const dw_gpu_binding bindings[] = { { &self->table, 0, 0, DW_USE_COMPUTE_READ },
                                        { &self->amounts, 0, 0, DW_USE_COMPUTE_READ },
                                        { &self->masks, 0, 0, DW_USE_COMPUTE_WRITE } };
    dw_pipeline *pipeline;
    dw_command *command;
    dw_ticket ticket;
    uint32_t groups[3];

    if (dw_pipeline_get(gpu, DW_SHADER_DITHER_MASK_COMP, NULL, 0, &pipeline, err) != DW_OK ||
        dw_command_begin(gpu, "dither_mask", &command, err) != DW_OK)
        return err->code;
    dw_groups_linear(gpu, (push->size + 4 * DW_DITHER_LANES - 1) / (4 * DW_DITHER_LANES), groups);
    dw_command_dispatch(command, pipeline, bindings, 3, push, sizeof *push, groups);
    if (dw_command_submit(command, &ticket, err) != DW_OK)
        return err->code;
    return dw_gpu_wait(gpu, ticket, run, err);
}

dw_status dw_dither_pass(dw_gpu *gpu, const dw_dither_def *def, const float *amounts,
                         uint32_t count, uint8_t *masks, const dw_run *run, dw_error *err)
{
    static const uint16_t no_table[2];
    bool has_table = def->pattern == DW_DITHER_PATTERN_BLUE;
    const uint16_t *table = has_table ? def->table : no_table;
    uint64_t table_bytes = has_table ? 2u * (uint64_t)def->side * def->side : sizeof no_table;
    uint64_t amount_bytes = count * sizeof *amounts;
    struct dw_dither_push push = { .width = def->width,
                                   .height = def->height,
                                   .pattern = def->pattern,
                                   .rule = def->rule,
                                   .side = def->side,
                                   .origin_x = (uint32_t)def->origin_x,
                                   .origin_y = (uint32_t)def->origin_y,
                                   .instance = def->instance,
                                   .size = count * def->width * def->height };
    buffers self = { .table = { .gpu = NULL } };
    dw_status status;

    DW_TRY(dw_gpu_buffer_create_device(gpu, table_bytes, "dither table", &self.table, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, amount_bytes, "dither amounts", &self.amounts, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, ((uint64_t)push.size + 3) / 4 * 4, "dither masks",
                                       &self.masks, err));
    DW_TRY(dw_gpu_upload(gpu, &self.table, 0, table, table_bytes, run, err));
    DW_TRY(dw_gpu_upload(gpu, &self.amounts, 0, amounts, amount_bytes, run, err));
    DW_TRY(dispatch(gpu, &self, &push, run, err));
    DW_TRY(dw_gpu_download(gpu, &self.masks, 0, masks, push.size, run, err));
    err->code = DW_OK;
fail:
    status = err->code;
    dw_gpu_buffer_destroy(&self.table);
    dw_gpu_buffer_destroy(&self.amounts);
    dw_gpu_buffer_destroy(&self.masks);
    return status;
}
