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

#define DW_SELFTEST_REACH_MAX 10000 /* buffers */

/* Buffers that a shader reaches by addresses: `count` of them, each filled with its number i, then
 * `rounds` times x = 3 x + i, each in one dispatch over all. results: [count]. is_done: of the
 * work's ticket after waiting for it, and of the one that comes next. */
dw_status dw_selftest_reach_pass(dw_gpu *gpu, uint32_t count, uint32_t rounds, uint32_t *results,
                                 bool is_done[2], const dw_run *run, dw_error *err);

#endif
