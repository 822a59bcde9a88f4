/* SPDX-License-Identifier: MIT */
/* The self-test of exact arithmetic in native C.
 * Thread-safety: concurrent calls need distinct results. */
#ifndef DW_CPU_SELFTEST_H
#define DW_CPU_SELFTEST_H

#include "base/threads.h"
#include "shared/selftest.h"

#include <stdint.h>

/* operands: item_count triples of any bits. results: item_count rows of DW_SELFTEST_OP_COUNT. */
dw_status dw_selftest_cpu(const uint32_t *operands, int64_t item_count, uint32_t *results,
                          const dw_run *run, dw_error *err);

/* results: item_count rows of DW_SELFTEST_FLOAT64_COUNT. */
dw_status dw_selftest_cpu_float64(const uint32_t *operands, int64_t item_count, uint32_t *results,
                                  const dw_run *run, dw_error *err);

#endif
