/* SPDX-License-Identifier: MIT */
#include "gpu/features_internal.h"

#include <stdio.h>
#include <string.h>

typedef struct feature_row {
    const char *name;
    size_t offset; /* of the VkBool32 within dw_feature_chain */
    bool is_required;
} feature_row;

#define ROW(name, member, is_required)                        \
    {                                                         \
        name, offsetof(dw_feature_chain, member), is_required \
    }

static const feature_row rows[] = {
    ROW("shaderInt64", core.features.shaderInt64, true),
    ROW("storageBuffer16BitAccess", v11.storageBuffer16BitAccess, true),
    ROW("storageBuffer8BitAccess", v12.storageBuffer8BitAccess, true),
    ROW("scalarBlockLayout", v12.scalarBlockLayout, true),
    ROW("timelineSemaphore", v12.timelineSemaphore, true),
    ROW("bufferDeviceAddress", v12.bufferDeviceAddress, true),
    ROW("synchronization2", synchronization2.synchronization2, true),
    ROW("dynamicRendering", dynamic_rendering.dynamicRendering, true),
    ROW("independentBlend", core.features.independentBlend, true),
    ROW("samplerAnisotropy", core.features.samplerAnisotropy, false),
    ROW("shaderFloat64", core.features.shaderFloat64, false),
};

static void link_chain(dw_feature_chain *chain)
{
    chain->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    chain->core.pNext = &chain->v11;
    chain->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    chain->v11.pNext = &chain->v12;
    chain->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    chain->v12.pNext = &chain->synchronization2;
    chain->synchronization2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES;
    chain->synchronization2.pNext = &chain->dynamic_rendering;
    chain->dynamic_rendering.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES;
}

static const VkBool32 *value_of(const dw_feature_chain *chain, const feature_row *row)
{
    return (const VkBool32 *)((const char *)chain + row->offset);
}

void dw_features_query(VkPhysicalDevice device, dw_feature_chain *out)
{
    memset(out, 0, sizeof *out);
    link_chain(out);
    vkGetPhysicalDeviceFeatures2(device, &out->core);
}

void dw_features_missing(const dw_feature_chain *offered, char *text, size_t text_size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < DW_COUNT_OF(rows); i++) {
        if (!rows[i].is_required || *value_of(offered, &rows[i]) || length >= text_size)
            continue;
        length += (size_t)snprintf(text + length, text_size - length, "%s%s",
                                   length == 0 ? "" : ", ", rows[i].name);
    }
}

void dw_features_enable(const dw_feature_chain *offered, dw_feature_chain *out)
{
    memset(out, 0, sizeof *out);
    link_chain(out);
    for (size_t i = 0; i < DW_COUNT_OF(rows); i++)
        *(VkBool32 *)((char *)out + rows[i].offset) = *value_of(offered, &rows[i]);
}

void dw_extensions_query(VkPhysicalDevice device, dw_extension_set *out)
{
    static VkExtensionProperties list[512]; /* the caller holds the global lock */
    uint32_t count = DW_COUNT_OF(list);

    *out = (dw_extension_set) { .synchronization2 = false };
    if (vkEnumerateDeviceExtensionProperties(device, NULL, &count, list) < 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = list[i].extensionName;

        out->synchronization2 |= strcmp(name, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME) == 0;
        out->dynamic_rendering |= strcmp(name, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME) == 0;
        out->portability_subset |= strcmp(name, "VK_KHR_portability_subset") == 0;
    }
}

bool dw_queue_family_find(VkPhysicalDevice device, uint32_t *family, uint32_t *timestamp_bits)
{
    VkQueueFamilyProperties list[32];
    uint32_t count = DW_COUNT_OF(list);
    bool is_found = false;

    vkGetPhysicalDeviceQueueFamilyProperties(device, &count, list);
    for (uint32_t i = 0; i < count; i++) {
        bool has_graphics = (list[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;

        if ((list[i].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || (is_found && !has_graphics))
            continue;
        *family = i;
        *timestamp_bits = list[i].timestampValidBits;
        is_found = true;
        if (has_graphics)
            break;
    }
    return is_found;
}
