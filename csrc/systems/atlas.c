/* SPDX-License-Identifier: MIT */
#include "systems/atlas.h"

#include "base/platform.h"
#include "cpu/atlas_bake.h"
#include "passes/atlas_pass.h"

bool dw_atlas_is_native(dw_device *device, const dw_atlas_plan *plan)
{
    dw_gpu *gpu = dw_device_gpu(device);

    return gpu == NULL || !dw_atlas_fits_gpu(gpu, plan);
}

dw_status dw_atlas_bake(dw_device *device, const dw_atlas_plan *plan, const dw_atlas_source *source,
                        const dw_atlas_target *target, const dw_run *run, dw_error *err)
{
    double begin = dw_platform_seconds();
    dw_status status =
        dw_atlas_is_native(device, plan)
            ? dw_atlas_bake_native(plan, source, target, run, err)
            : dw_atlas_bake_gpu(dw_device_gpu(device), plan, source, target, run, err);

    if (status == DW_OK)
        dw_device_set_timing(device, "atlas_bake", 1e3 * (dw_platform_seconds() - begin));
    return status;
}
