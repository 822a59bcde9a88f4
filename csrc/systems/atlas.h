/* SPDX-License-Identifier: MIT */
/* The foliage-atlas baker: picks the backend for a bake. Both give the same bytes.
 * Thread-safety: Safe; concurrent bakes on one device take turns where they share it. */
#ifndef DW_SYSTEMS_ATLAS_H
#define DW_SYSTEMS_ATLAS_H

#include "cpu/atlas_plan.h"
#include "systems/device.h"

/* Whether a bake runs natively: on a native device, and where the image exceeds the limits of a
 * Vulkan one. The device's use must have begun. */
bool dw_atlas_is_native(dw_device *device, const dw_atlas_plan *plan);

/* run must carry the pool of `device`, whose use must have begun. */
dw_status dw_atlas_bake(dw_device *device, const dw_atlas_plan *plan, const dw_atlas_source *source,
                        const dw_atlas_target *target, const dw_run *run, dw_error *err);

#endif
