/* SPDX-License-Identifier: MIT */
/* Device memory: large blocks per memory type, cut first-fit. Blocks of mappable types stay mapped.
 * Thread-safety: Unsafe; the caller holds the device's resource lock. */
#ifndef DW_GPU_MEMORY_INTERNAL_H
#define DW_GPU_MEMORY_INTERNAL_H

#include "gpu/buffer.h"
#include "gpu/vk_internal.h"

typedef struct dw_memory_block dw_memory_block;

typedef struct dw_memory_range {
    dw_memory_block *block;
    uint64_t offset, size;
} dw_memory_range;

typedef struct dw_memory_pool {
    dw_memory_block *blocks;
    int64_t block_count;
    uint64_t reserved_bytes;
    VkPhysicalDeviceMemoryProperties types;
} dw_memory_pool;

void dw_memory_init(dw_gpu *gpu);
/* Frees every block, whatever is in it. */
void dw_memory_finish(dw_gpu *gpu);

dw_status dw_memory_take(dw_gpu *gpu, const VkMemoryRequirements *need, dw_memory kind,
                         dw_memory_range *out, dw_error *err);
/* Never fails. Accepts a zeroed range. */
void dw_memory_give(dw_gpu *gpu, dw_memory_range *range);

VkDeviceMemory dw_memory_handle(const dw_memory_range *range);
/* NULL when the type cannot be mapped. */
void *dw_memory_mapped(const dw_memory_range *range);

#endif
