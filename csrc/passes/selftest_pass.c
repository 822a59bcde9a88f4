/* SPDX-License-Identifier: MIT */
#include "passes/selftest_pass.h"

#include "base/alloc.h"
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

/* ---- buffers reached by address ---- */

typedef struct reach_test {
    dw_gpu *gpu;
    uint32_t count;
    dw_gpu_buffer *buffers;   /* [count], a word each */
    dw_gpu_binding *bindings; /* [count + 1]: the buffers, the table of their addresses */
    uint64_t *addresses;      /* [count] */
    dw_gpu_buffer table, readback;
} reach_test;

static void destroy_reach(reach_test *test)
{
    for (uint32_t i = 0; test->buffers != NULL && i < test->count; i++)
        dw_gpu_buffer_destroy(&test->buffers[i]);
    dw_gpu_buffer_destroy(&test->table);
    dw_gpu_buffer_destroy(&test->readback);
    dw_free(test->buffers);
    dw_free(test->bindings);
    dw_free(test->addresses);
}

static dw_status create_reach(reach_test *test, const dw_run *run, dw_error *err)
{
    const uint64_t table_bytes = test->count * sizeof *test->addresses;
    dw_gpu_buffer_def readback = { test->count * sizeof(uint32_t), DW_MEMORY_READBACK,
                                   "selftest readback" };

    DW_TRY(DW_ALLOC_ZEROED(test->count, &test->buffers, err));
    DW_TRY(DW_ALLOC(test->count + 1, &test->bindings, err));
    DW_TRY(DW_ALLOC(test->count, &test->addresses, err));
    for (uint32_t i = 0; i < test->count; i++) {
        DW_TRY(dw_gpu_buffer_create_device(test->gpu, sizeof(uint32_t), "selftest word",
                                           &test->buffers[i], err));
        test->addresses[i] = test->buffers[i].address;
        test->bindings[i] = (dw_gpu_binding) { &test->buffers[i], 0, 0, DW_USE_COMPUTE_READ_WRITE };
    }
    DW_TRY(
        dw_gpu_buffer_create_device(test->gpu, table_bytes, "selftest table", &test->table, err));
    test->bindings[test->count] = (dw_gpu_binding) { &test->table, 0, 0, DW_USE_COMPUTE_READ };
    DW_TRY(dw_gpu_buffer_create(test->gpu, &readback, &test->readback, err));
    return dw_gpu_upload(test->gpu, &test->table, 0, test->addresses, table_bytes, run, err);
fail:
    return err->code;
}

static dw_status run_reach(reach_test *test, dw_pipeline *pipeline, uint32_t rounds,
                           dw_ticket *ticket, dw_error *err)
{
    const struct {
        uint64_t table;
        uint32_t count, spare;
    } push = { test->table.address, test->count, 0 };
    const dw_gpu_inputs inputs = { .push = &push,
                                   .push_bytes = sizeof push,
                                   .reached = test->bindings,
                                   .reached_count = test->count + 1 };
    dw_command *command;
    uint32_t groups[3];

    dw_groups_linear(test->gpu, (test->count + DW_SELFTEST_GROUP - 1) / DW_SELFTEST_GROUP, groups);
    if (dw_command_begin(test->gpu, "selftest_reach", &command, err) != DW_OK)
        return err->code;
    for (uint32_t i = 0; i < test->count; i++)
        dw_command_fill(command, &test->buffers[i], 0, 0, i);
    for (uint32_t round = 0; round < rounds; round++)
        dw_command_dispatch_inputs(command, pipeline, &inputs, groups);
    for (uint32_t i = 0; i < test->count; i++)
        dw_command_copy(command, &test->buffers[i], 0, &test->readback, i * sizeof(uint32_t),
                        sizeof(uint32_t));
    return dw_command_submit(command, ticket, err);
}

dw_status dw_selftest_reach_pass(dw_gpu *gpu, uint32_t count, uint32_t rounds, uint32_t *results,
                                 bool is_done[2], const dw_run *run, dw_error *err)
{
    reach_test test = { .gpu = gpu, .count = count };
    dw_ticket ticket;
    dw_pipeline *pipeline;
    dw_status status;

    DW_TRY(dw_pipeline_get(gpu, DW_SHADER_SELFTEST_REACH_COMP, NULL, 0, &pipeline, err));
    DW_TRY(create_reach(&test, run, err));
    DW_TRY(run_reach(&test, pipeline, rounds, &ticket, err));
    DW_TRY(dw_gpu_wait(gpu, ticket, run, err));
    is_done[0] = dw_gpu_is_done(gpu, ticket);
    is_done[1] = dw_gpu_is_done(gpu, (dw_ticket) { ticket.value + 1 });
    for (uint32_t i = 0; i < count; i++)
        results[i] = ((const uint32_t *)test.readback.mapped)[i];
    err->code = DW_OK;
fail:
    status = err->code;
    destroy_reach(&test);
    return status;
}
