/* SPDX-License-Identifier: MIT */
/* The descriptor sets and push constants of a pipeline: storage buffers in set 0, combined image
 * samplers in set 1.
 * Thread-safety: constant once made. */
#ifndef DW_GPU_LAYOUT_INTERNAL_H
#define DW_GPU_LAYOUT_INTERNAL_H

#include "gpu/device.h"
#include "gpu/vk_internal.h"

#define DW_BINDINGS_MAX 16 /* storage buffers of one shader; Vulkan promises no more than 4 */
#define DW_TEXTURES_MAX 8  /* textures of one shader */

typedef struct dw_layout {
    VkShaderStageFlags stages;
    uint32_t buffer_count, texture_count, push_bytes;
    VkDescriptorSetLayout sets[2];
    VkPipelineLayout handle;
} dw_layout;

/* The first four members are set; destroy also what a failed create has left. */
dw_status dw_layout_create(dw_gpu *gpu, dw_layout *layout, dw_error *err);
void dw_layout_destroy(dw_gpu *gpu, dw_layout *layout);

#endif
