/* SPDX-License-Identifier: MIT */
/* Descriptor sets of one command slot: taken while it is filled, all given back when it is filled
 * again. Pools are made as needed and then kept.
 * Thread-safety: Unsafe; the caller holds the device's lock. */
#ifndef DW_GPU_DESCRIPTORS_INTERNAL_H
#define DW_GPU_DESCRIPTORS_INTERNAL_H

#include "gpu/device.h"
#include "gpu/vk_internal.h"

#define DW_DESCRIPTOR_POOLS_MAX 64

typedef struct dw_descriptors {
    VkDescriptorPool pools[DW_DESCRIPTOR_POOLS_MAX];
    uint32_t pool_count; /* made */
    uint32_t pool_index; /* in use */
} dw_descriptors;

void dw_descriptors_reset(dw_gpu *gpu, dw_descriptors *self);
void dw_descriptors_finish(dw_gpu *gpu, dw_descriptors *self);

dw_status dw_descriptors_take(dw_gpu *gpu, dw_descriptors *self, VkDescriptorSetLayout layout,
                              VkDescriptorSet *out, dw_error *err);

#endif
