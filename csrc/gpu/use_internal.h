/* SPDX-License-Identifier: MIT */
/* The one table that turns uses into Vulkan's stages and accesses.
 * Thread-safety: Safe; constants only. */
#ifndef DW_GPU_USE_INTERNAL_H
#define DW_GPU_USE_INTERNAL_H

#include "gpu/use.h"
#include "gpu/vk_internal.h"

typedef struct dw_use_info {
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 reads;
    VkAccessFlags2 writes; /* 0: a use that only reads */
} dw_use_info;

const dw_use_info *dw_use_get_info(dw_use use);

#endif
