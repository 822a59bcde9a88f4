/* SPDX-License-Identifier: MIT */
#include "gpu/memory_internal.h"

#include "base/alloc.h"
#include "gpu/device_internal.h"

#include <string.h>

#define BLOCK_BYTES ((uint64_t)64 << 20)

typedef struct free_range {
    uint64_t offset, size;
} free_range;

struct dw_memory_block {
    dw_memory_block *next;
    VkDeviceMemory handle;
    uint64_t size;
    uint32_t type_index;
    uint8_t *mapped;
    int64_t taken_count;
    size_t free_count, free_capacity; /* capacity > taken_count, so that giving back cannot fail */
    free_range *free_ranges;          /* by offset; no two touch */
};

void dw_memory_init(dw_gpu *gpu)
{
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory.types);
}

static void destroy_block(dw_gpu *gpu, dw_memory_block *block)
{
    if (block->handle != VK_NULL_HANDLE) {
        vkFreeMemory(gpu->handle, block->handle, NULL); /* unmaps */
        gpu->memory.reserved_bytes -= block->size;
        gpu->memory.block_count--;
    }
    dw_free(block->free_ranges);
    dw_free(block);
}

void dw_memory_finish(dw_gpu *gpu)
{
    while (gpu->memory.blocks != NULL) {
        dw_memory_block *block = gpu->memory.blocks;

        gpu->memory.blocks = block->next;
        destroy_block(gpu, block);
    }
}

/* Wanted properties of each kind, best first; every Vulkan device has a type for the last one. */
static const VkMemoryPropertyFlags wishes[][2] = {
    [DW_MEMORY_DEVICE] = { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0 },
    [DW_MEMORY_UPLOAD] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                               VK_MEMORY_PROPERTY_HOST_COHERENT_BIT },
    [DW_MEMORY_READBACK] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                 VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                             VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT },
};

static bool find_type(const dw_gpu *gpu, uint32_t allowed, dw_memory kind, uint32_t *out)
{
    const VkPhysicalDeviceMemoryProperties *types = &gpu->memory.types;

    for (size_t wish = 0; wish < DW_COUNT_OF(wishes[0]); wish++) {
        for (uint32_t i = 0; i < types->memoryTypeCount; i++) {
            VkMemoryPropertyFlags has = types->memoryTypes[i].propertyFlags;

            if ((allowed >> i & 1) != 0 && (has & wishes[kind][wish]) == wishes[kind][wish]) {
                *out = i;
                return true;
            }
        }
    }
    return false;
}

static dw_status create_block(dw_gpu *gpu, uint32_t type_index, uint64_t size,
                              dw_memory_block **out, dw_error *err)
{
    const VkMemoryType *type = &gpu->memory.types.memoryTypes[type_index];
    VkMemoryAllocateFlagsInfo flags = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT };
    VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .pNext = &flags,
                                  .allocationSize = size,
                                  .memoryTypeIndex = type_index };
    dw_memory_block *block = NULL;
    VkResult result;
    void *mapped = NULL;

    DW_TRY(DW_ALLOC_ZEROED(1, &block, err));
    DW_TRY(DW_ALLOC(8, &block->free_ranges, err));
    block->free_capacity = 8;
    result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (size <= gpu->memory.types.memoryHeaps[type->heapIndex].size) /* else it may not be asked */
        result = vkAllocateMemory(gpu->handle, &info, NULL, &block->handle);
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) {
        dw_fail(err, DW_ERROR_MEMORY,
                "device memory is exhausted: %llu bytes are wanted beside the %llu reserved, the "
                "device has %llu",
                (unsigned long long)size, (unsigned long long)gpu->memory.reserved_bytes,
                (unsigned long long)gpu->limits.memory_bytes);
        goto fail;
    }
    DW_TRY(dw_gpu_vk_check(gpu, result, "vkAllocateMemory", err));
    block->size = size;
    block->type_index = type_index;
    block->free_ranges[block->free_count++] = (free_range) { 0, size };
    gpu->memory.reserved_bytes += size;
    gpu->memory.block_count++;
    if ((type->propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) &&
        (type->propertyFlags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
        DW_TRY(dw_gpu_vk_check(gpu, vkMapMemory(gpu->handle, block->handle, 0, size, 0, &mapped),
                               "vkMapMemory", err));
    block->mapped = mapped;
    block->next = gpu->memory.blocks;
    gpu->memory.blocks = block;
    *out = block;
    return DW_OK;
fail:
    if (block != NULL)
        destroy_block(gpu, block);
    return err->code;
}

static dw_status reserve_ranges(dw_memory_block *block, dw_error *err)
{
    size_t needed = (size_t)block->taken_count + 4; /* one take may split a range in three */
    free_range *larger = NULL;

    if (block->free_capacity >= needed)
        return DW_OK;
    if (DW_ALLOC(2 * needed, &larger, err) != DW_OK)
        return err->code;
    memcpy(larger, block->free_ranges, block->free_count * sizeof *larger);
    dw_free(block->free_ranges);
    block->free_ranges = larger;
    block->free_capacity = 2 * needed;
    return DW_OK;
}

static void insert_range(dw_memory_block *block, size_t at, free_range range)
{
    memmove(&block->free_ranges[at + 1], &block->free_ranges[at],
            (block->free_count - at) * sizeof range);
    block->free_ranges[at] = range;
    block->free_count++;
}

static void remove_range(dw_memory_block *block, size_t at)
{
    block->free_count--;
    memmove(&block->free_ranges[at], &block->free_ranges[at + 1],
            (block->free_count - at) * sizeof block->free_ranges[0]);
}

static bool cut(dw_memory_block *block, uint64_t size, uint64_t alignment, uint64_t *offset)
{
    for (size_t i = 0; i < block->free_count; i++) {
        free_range whole = block->free_ranges[i];
        uint64_t begin = (whole.offset + alignment - 1) / alignment * alignment;
        uint64_t end = whole.offset + whole.size;

        if (begin > end || end - begin < size)
            continue;
        remove_range(block, i);
        if (begin + size < end)
            insert_range(block, i, (free_range) { begin + size, end - begin - size });
        if (begin > whole.offset)
            insert_range(block, i, (free_range) { whole.offset, begin - whole.offset });
        block->taken_count++;
        *offset = begin;
        return true;
    }
    return false;
}

dw_status dw_memory_take(dw_gpu *gpu, const VkMemoryRequirements *need, dw_memory kind,
                         dw_memory_range *out, dw_error *err)
{
    dw_memory_block *block;
    uint32_t type_index = 0;
    uint64_t offset = 0;

    if (!find_type(gpu, need->memoryTypeBits, kind, &type_index))
        return dw_fail(err, DW_ERROR_DEVICE, "the device has no memory type for this buffer");
    for (block = gpu->memory.blocks; block != NULL; block = block->next) {
        if (block->type_index != type_index)
            continue;
        if (reserve_ranges(block, err) != DW_OK)
            return err->code;
        if (cut(block, need->size, need->alignment, &offset))
            break;
    }
    if (block == NULL) {
        uint64_t size = need->size > BLOCK_BYTES / 2 ? need->size : BLOCK_BYTES;

        if (create_block(gpu, type_index, size, &block, err) != DW_OK)
            return err->code;
        cut(block, need->size, need->alignment, &offset);
    }
    *out = (dw_memory_range) { block, offset, need->size };
    return DW_OK;
}

/* An empty block is kept while it is the only one of its type and of common size, so that a loop of
 * create and destroy does not go to the driver each time. */
static bool is_spare(const dw_gpu *gpu, const dw_memory_block *empty)
{
    if (empty->size > BLOCK_BYTES)
        return false;
    for (const dw_memory_block *block = gpu->memory.blocks; block != NULL; block = block->next) {
        if (block != empty && block->type_index == empty->type_index && block->size <= BLOCK_BYTES)
            return false;
    }
    return true;
}

static void unlink_block(dw_gpu *gpu, dw_memory_block *block)
{
    dw_memory_block **link = &gpu->memory.blocks;

    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
}

void dw_memory_give(dw_gpu *gpu, dw_memory_range *range)
{
    dw_memory_block *block = range->block;
    free_range freed = { range->offset, range->size };
    size_t at = 0;

    if (block == NULL)
        return;
    *range = (dw_memory_range) { .block = NULL };
    while (at < block->free_count && block->free_ranges[at].offset < freed.offset)
        at++;
    if (at < block->free_count && freed.offset + freed.size == block->free_ranges[at].offset) {
        freed.size += block->free_ranges[at].size;
        remove_range(block, at);
    }
    if (at > 0 &&
        block->free_ranges[at - 1].offset + block->free_ranges[at - 1].size == freed.offset)
        block->free_ranges[at - 1].size += freed.size;
    else
        insert_range(block, at, freed);
    block->taken_count--;
    if (block->taken_count == 0 && !is_spare(gpu, block)) {
        unlink_block(gpu, block);
        destroy_block(gpu, block);
    }
}

VkDeviceMemory dw_memory_handle(const dw_memory_range *range)
{
    return range->block->handle;
}

void *dw_memory_mapped(const dw_memory_range *range)
{
    return range->block->mapped == NULL ? NULL : range->block->mapped + range->offset;
}
