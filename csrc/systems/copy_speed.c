/* SPDX-License-Identifier: MIT */
#include "systems/copy_speed.h"

#include "passes/copy_pass.h"

dw_status dw_device_copy(dw_device *device, int64_t size_bytes, const dw_run *run, dw_error *err)
{
    dw_gpu *gpu = dw_device_gpu(device);
    int64_t most;

    if (gpu == NULL)
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "device is native: only a Vulkan device copies within its own memory; time "
                       "numpy.copyto instead");
    most = (int64_t)dw_gpu_get_limits(gpu)->max_buffer_bytes;
    if (size_bytes < 1 || size_bytes > most)
        return dw_fail(err, DW_ERROR_ARGUMENT, "nbytes must be 1 to %lld on this device, got %lld",
                       (long long)most, (long long)size_bytes);
    return dw_copy_pass(gpu, (uint64_t)size_bytes, run, err);
}
