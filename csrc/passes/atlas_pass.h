/* SPDX-License-Identifier: MIT */
/* The atlas baker on a Vulkan device: the same bytes as dw_atlas_bake_native.
 * Thread-safety: Safe; concurrent calls need distinct targets. */
#ifndef DW_PASSES_ATLAS_PASS_H
#define DW_PASSES_ATLAS_PASS_H

#include "base/threads.h"
#include "cpu/atlas_plan.h"
#include "gpu/device.h"

/* Whether the buffers of this bake are within the device's limits and memory. */
bool dw_atlas_fits_gpu(const dw_gpu *gpu, const dw_atlas_plan *plan);

/* Writes every level of the target up to plan->write_count. The plan must fit the device. On
 * failure the target is unspecified. Device times: "atlas_down", "atlas_shares", "atlas_bins",
 * "atlas_choose", "atlas_finish", and all of them with what lies between as "atlas_kernels". */
dw_status dw_atlas_bake_gpu(dw_gpu *gpu, const dw_atlas_plan *plan, const dw_atlas_source *source,
                            const dw_atlas_target *target, const dw_run *run, dw_error *err);

#endif
