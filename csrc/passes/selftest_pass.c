/* SPDX-License-Identifier: MIT */
#include "passes/selftest_pass.h"

#include "generated/spirv.h"
#include "gpu/command.h"
#include "gpu/transfer.h"
#include "shared/selftest.h"

#define DISPATCHES_PER_SUBMIT 8

static dw_status dispatch_all(dw_gpu *gpu, dw_pipeline *pipeline, const dw_gpu_buffer *operands,
                              const dw_gpu_buffer *results, uint32_t item_count, int repeat,
                              const dw_run *run, dw_error *err)
{
    const dw_gpu_binding bindings[] = { { operands, 0, 0, DW_USE_COMPUTE_READ },
                                        { results, 0, 0, DW_USE_COMPUTE_WRITE } };
    dw_ticket ticket = { 0 }, earlier;
    uint32_t groups[3];

    dw_groups_linear(gpu, (item_count + DW_SELFTEST_GROUP - 1) / DW_SELFTEST_GROUP, groups);
    while (repeat > 0) {
        dw_command *command;

        if (dw_command_begin(gpu, "selftest", &command, err) != DW_OK)
            return err->code;
        for (int i = 0; i < DISPATCHES_PER_SUBMIT && repeat > 0; i++, repeat--)
            dw_command_dispatch(command, pipeline, bindings, 2, &item_count, sizeof item_count,
                                groups);
        earlier = ticket;
        if (dw_command_submit(command, &ticket, err) != DW_OK ||
            dw_gpu_wait(gpu, earlier, run, err) != DW_OK)
            return err->code;
    }
    return dw_gpu_wait(gpu, ticket, run, err);
}

dw_status dw_selftest_pass(dw_gpu *gpu, bool is_float64, const uint32_t *operands,
                           int64_t item_count, int repeat, uint32_t *results, const dw_run *run,
                           dw_error *err)
{
    uint64_t operand_bytes = (uint64_t)item_count * 3 * sizeof *operands;
    uint64_t result_bytes = (uint64_t)item_count * sizeof *results *
                            (is_float64 ? DW_SELFTEST_FLOAT64_COUNT : DW_SELFTEST_OP_COUNT);
    uint32_t shader = is_float64 ? DW_SHADER_SELFTEST_FLOAT64_COMP : DW_SHADER_SELFTEST_OPS_COMP;
    dw_gpu_buffer in = { .gpu = NULL }, out = { .gpu = NULL };
    dw_pipeline *pipeline;
    dw_status status;

    DW_TRY(dw_pipeline_get(gpu, shader, NULL, 0, &pipeline, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, operand_bytes, "selftest operands", &in, err));
    DW_TRY(dw_gpu_buffer_create_device(gpu, result_bytes, "selftest results", &out, err));
    DW_TRY(dw_gpu_upload(gpu, &in, 0, operands, operand_bytes, run, err));
    DW_TRY(dispatch_all(gpu, pipeline, &in, &out, (uint32_t)item_count, repeat, run, err));
    DW_TRY(dw_gpu_download(gpu, &out, 0, results, result_bytes, run, err));
    err->code = DW_OK;
fail:
    status = err->code;
    dw_gpu_buffer_destroy(&in);
    dw_gpu_buffer_destroy(&out);
    return status;
}
