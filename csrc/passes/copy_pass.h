/* SPDX-License-Identifier: MIT */
/* A copy between two buffers of a device: what its memory gives, as a measure for other passes.
 * Thread-safety: Safe. */
#ifndef DW_PASSES_COPY_PASS_H
#define DW_PASSES_COPY_PASS_H

#include "base/threads.h"
#include "gpu/device.h"

/* Copies size_bytes >= 1 once and waits for it; its device time is named "device_copy". */
dw_status dw_copy_pass(dw_gpu *gpu, uint64_t size_bytes, const dw_run *run, dw_error *err);

#endif
