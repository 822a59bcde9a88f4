/* SPDX-License-Identifier: MIT */
#include "systems/selftest.h"

#include "cpu/selftest.h"
#include "passes/selftest_pass.h"
#include "shared/selftest.h"

static const char *const op_names[DW_SELFTEST_OP_COUNT] = {
#define DW_SELFTEST_NAME(index, name) [index] = #name,
    DW_SELFTEST_OPS(DW_SELFTEST_NAME)
#undef DW_SELFTEST_NAME
};

static const char *const float64_names[DW_SELFTEST_FLOAT64_COUNT] = { "float64_divide",
                                                                      "float64_sqrt",
                                                                      "float64_multiply_add" };

int dw_selftest_column_count(bool is_float64)
{
    return is_float64 ? DW_SELFTEST_FLOAT64_COUNT : DW_SELFTEST_OP_COUNT;
}

const char *dw_selftest_column_name(bool is_float64, int column)
{
    if (column < 0 || column >= dw_selftest_column_count(is_float64))
        return NULL;
    return is_float64 ? float64_names[column] : op_names[column];
}

static dw_status run_native(bool is_float64, const uint32_t *operands, int64_t item_count,
                            int repeat, uint32_t *results, const dw_run *run, dw_error *err)
{
    dw_status status = DW_OK;

    for (int i = 0; i < repeat && status == DW_OK; i++) {
        dw_run part = dw_run_part(run, (double)i / repeat, (double)(i + 1) / repeat);

        status = is_float64 ? dw_selftest_cpu_float64(operands, item_count, results, &part, err)
                            : dw_selftest_cpu(operands, item_count, results, &part, err);
    }
    return status;
}

dw_status dw_selftest_run(dw_device *device, bool is_float64, const uint32_t *operands,
                          int64_t item_count, int repeat, uint32_t *results, const dw_run *run,
                          dw_error *err)
{
    dw_gpu *gpu = dw_device_gpu(device);

    if (item_count < 1 || item_count > DW_SELFTEST_ITEMS_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "operands must hold 1 to %d rows, got %lld",
                       DW_SELFTEST_ITEMS_MAX, (long long)item_count);
    if (repeat < 1)
        return dw_fail(err, DW_ERROR_ARGUMENT, "repeat must be at least 1, got %d", repeat);
    if (gpu == NULL)
        return run_native(is_float64, operands, item_count, repeat, results, run, err);
    if (is_float64 && !dw_gpu_get_limits(gpu)->has_float64)
        return dw_fail(err, DW_ERROR_CAPACITY, "device \"%s\" has no float64 (shaderFloat64)",
                       dw_device_get_info(device)->name);
    return dw_selftest_pass(gpu, is_float64, operands, item_count, repeat, results, run, err);
}

dw_status dw_selftest_reach(dw_device *device, uint32_t count, uint32_t rounds, uint32_t *results,
                            bool is_done[2], const dw_run *run, dw_error *err)
{
    dw_gpu *gpu = dw_device_gpu(device);

    if (gpu == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT, "device must be a Vulkan device, got \"%s\"",
                       dw_device_get_info(device)->name);
    if (count < 1 || count > DW_SELFTEST_REACH_MAX)
        return dw_fail(err, DW_ERROR_ARGUMENT, "count must be 1 to %d, got %u",
                       DW_SELFTEST_REACH_MAX, count);
    return dw_selftest_reach_pass(gpu, count, rounds, results, is_done, run, err);
}
