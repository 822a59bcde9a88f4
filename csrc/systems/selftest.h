/* SPDX-License-Identifier: MIT */
/* The self-test of exact arithmetic: the same bits are expected from every device.
 * Thread-safety: Safe. Inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_SELFTEST_H
#define DW_SYSTEMS_SELFTEST_H

#include "systems/device.h"

#define DW_SELFTEST_ITEMS_MAX (1 << 20) /* triples */

/* Names of the columns of the results, in order; NULL beyond the last. */
const char *dw_selftest_column_name(bool is_float64, int column);
int dw_selftest_column_count(bool is_float64);

/* operands: item_count triples of any bits, 1 to DW_SELFTEST_ITEMS_MAX. results: item_count rows of
 * dw_selftest_column_count. The work is done `repeat` times, 1 or more. DW_ERROR_CAPACITY when
 * float64 is asked of a device without it. */
dw_status dw_selftest_run(dw_device *device, bool is_float64, const uint32_t *operands,
                          int64_t item_count, int repeat, uint32_t *results, const dw_run *run,
                          dw_error *err);

/* Buffers of a Vulkan device that a shader reaches by addresses: see dw_selftest_reach_pass.
 * results: [count], 1 to 10000. */
dw_status dw_selftest_reach(dw_device *device, uint32_t count, uint32_t rounds, uint32_t *results,
                            bool is_done[2], const dw_run *run, dw_error *err);

#endif
