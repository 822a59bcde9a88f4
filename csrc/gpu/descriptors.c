/* SPDX-License-Identifier: MIT */
#include "gpu/descriptors_internal.h"

#include "gpu/device_internal.h"
#include "gpu/layout_internal.h"

/* Each pool holds twice as many sets as the one before, up to 64 << DOUBLINGS: 64 pools hold 3.6
 * million sets, and small commands pay for 64. */
#define SETS_OF_FIRST 64u
#define DOUBLINGS     10u

void dw_descriptors_reset(dw_gpu *gpu, dw_descriptors *self)
{
    for (uint32_t i = 0; i < self->pool_count && i <= self->pool_index; i++)
        vkResetDescriptorPool(gpu->handle, self->pools[i], 0);
    self->pool_index = 0;
}

void dw_descriptors_finish(dw_gpu *gpu, dw_descriptors *self)
{
    for (uint32_t i = 0; i < self->pool_count; i++)
        vkDestroyDescriptorPool(gpu->handle, self->pools[i], NULL);
    self->pool_count = self->pool_index = 0;
}

static dw_status add_pool(dw_gpu *gpu, dw_descriptors *self, dw_error *err)
{
    uint32_t sets = SETS_OF_FIRST << (self->pool_count < DOUBLINGS ? self->pool_count : DOUBLINGS);
    VkDescriptorPoolSize sizes[2] = {
        { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets * DW_BINDINGS_MAX },
        { VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sets * DW_TEXTURES_MAX },
    };
    VkDescriptorPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                        .maxSets = sets,
                                        .poolSizeCount = 2,
                                        .pPoolSizes = sizes };

    if (self->pool_count == DW_DESCRIPTOR_POOLS_MAX)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "one command draws with at most 3.6 million changes of buffers or textures;"
                       " draw fewer separate things at once");
    DW_TRY(dw_gpu_vk_check(
        gpu, vkCreateDescriptorPool(gpu->handle, &info, NULL, &self->pools[self->pool_count]),
        "vkCreateDescriptorPool", err));
    self->pool_count++;
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_descriptors_take(dw_gpu *gpu, dw_descriptors *self, VkDescriptorSetLayout layout,
                              VkDescriptorSet *out, dw_error *err)
{
    VkDescriptorSetAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                         .descriptorSetCount = 1,
                                         .pSetLayouts = &layout };

    for (;; self->pool_index++) {
        VkResult result;

        if (self->pool_index == self->pool_count && add_pool(gpu, self, err) != DW_OK)
            return err->code;
        info.descriptorPool = self->pools[self->pool_index];
        result = vkAllocateDescriptorSets(gpu->handle, &info, out);
        if (result != VK_ERROR_OUT_OF_POOL_MEMORY && result != VK_ERROR_FRAGMENTED_POOL)
            return dw_gpu_vk_check(gpu, result, "vkAllocateDescriptorSets", err);
    }
}
