/* SPDX-License-Identifier: MIT */
/* The self-test of exact arithmetic on a Vulkan device.
 * Thread-safety: Safe. */
#ifndef DW_PASSES_SELFTEST_PASS_H
#define DW_PASSES_SELFTEST_PASS_H

#include "base/threads.h"
#include "gpu/device.h"

/* As dw_selftest_cpu, done `repeat` times in a row, 1 or more. With is_float64 as
 * dw_selftest_cpu_float64; the device must have shaderFloat64 then. */
dw_status dw_selftest_pass(dw_gpu *gpu, bool is_float64, const uint32_t *operands,
                           int64_t item_count, int repeat, uint32_t *results, const dw_run *run,
                           dw_error *err);

#endif
