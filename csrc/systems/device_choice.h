/* SPDX-License-Identifier: MIT */
/* Which device a word means, and what to say when there is none.
 * Thread-safety: Safe. */
#ifndef DW_SYSTEMS_DEVICE_CHOICE_H
#define DW_SYSTEMS_DEVICE_CHOICE_H

#include "gpu/adapter.h"
#include "systems/device.h"

typedef struct dw_device_choice {
    bool is_native;
    dw_device_info info;
    dw_gpu_adapter adapter; /* unless native */
} dw_device_choice;

/* which: as dw_device_open takes it. Vulkan is not touched for "cpu". */
dw_status dw_device_choose(const char *which, bool is_validating, dw_device_choice *out,
                           dw_error *err);

#endif
