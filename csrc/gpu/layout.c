/* SPDX-License-Identifier: MIT */
#include "gpu/layout_internal.h"

#include "gpu/device_internal.h"

static dw_status create_set(dw_gpu *gpu, const dw_layout *layout, uint32_t count,
                            VkDescriptorType type, VkDescriptorSetLayout *out, dw_error *err)
{
    VkDescriptorSetLayoutBinding bindings[DW_BINDINGS_MAX];
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings,
    };

    for (uint32_t i = 0; i < count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding) {
            .binding = i, .descriptorType = type, .descriptorCount = 1, .stageFlags = layout->stages
        };
    return dw_gpu_vk_check(gpu, vkCreateDescriptorSetLayout(gpu->handle, &info, NULL, out),
                           "vkCreateDescriptorSetLayout", err);
}

dw_status dw_layout_create(dw_gpu *gpu, dw_layout *layout, dw_error *err)
{
    VkPushConstantRange push = { .stageFlags = layout->stages, .size = layout->push_bytes };
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 2,
        .pSetLayouts = layout->sets,
        .pushConstantRangeCount = layout->push_bytes > 0 ? 1 : 0,
        .pPushConstantRanges = &push,
    };

    DW_ASSERT(layout->buffer_count <= DW_BINDINGS_MAX);
    DW_ASSERT(layout->texture_count <= DW_TEXTURES_MAX && layout->push_bytes <= 128);
    DW_TRY(create_set(gpu, layout, layout->buffer_count, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                      &layout->sets[0], err));
    DW_TRY(create_set(gpu, layout, layout->texture_count, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                      &layout->sets[1], err));
    return dw_gpu_vk_check(gpu, vkCreatePipelineLayout(gpu->handle, &info, NULL, &layout->handle),
                           "vkCreatePipelineLayout", err);
fail:
    return err->code;
}

void dw_layout_destroy(dw_gpu *gpu, dw_layout *layout)
{
    vkDestroyPipelineLayout(gpu->handle, layout->handle, NULL);
    vkDestroyDescriptorSetLayout(gpu->handle, layout->sets[0], NULL);
    vkDestroyDescriptorSetLayout(gpu->handle, layout->sets[1], NULL);
}
