/* SPDX-License-Identifier: MIT */
/* How fast a device's memory is, for benchmarks.
 * Thread-safety: Safe. Inside dw_device_begin_use .. dw_device_end_use. */
#ifndef DW_SYSTEMS_COPY_SPEED_H
#define DW_SYSTEMS_COPY_SPEED_H

#include "systems/device.h"

/* Copies size_bytes within the device's memory; the time is that named "device_copy". Vulkan
 * devices only. */
dw_status dw_device_copy(dw_device *device, int64_t size_bytes, const dw_run *run, dw_error *err);

#endif
