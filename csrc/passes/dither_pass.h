/* SPDX-License-Identifier: MIT */
/* Discard masks on a Vulkan device.
 * Thread-safety: Safe. */
#ifndef DW_PASSES_DITHER_PASS_H
#define DW_PASSES_DITHER_PASS_H

#include "cpu/dither.h"
#include "gpu/device.h"

/* As dw_discard_masks; masks of fewer than 2^31 pixels in all. */
dw_status dw_dither_pass(dw_gpu *gpu, const dw_dither_def *def, const float *amounts,
                         uint32_t count, uint8_t *masks, const dw_run *run, dw_error *err);

#endif
