/* SPDX-License-Identifier: MIT */
#include "gpu/adapter.h"

#include "base/platform.h"
#include "gpu/features_internal.h"
#include "gpu/loader_internal.h"

#include <stdio.h>
#include <string.h>

static dw_gpu_kind kind_of(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return DW_GPU_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return DW_GPU_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return DW_GPU_SOFTWARE;
    default:
        return DW_GPU_VIRTUAL;
    }
}

static void write_version(uint32_t version, char *text, size_t text_size)
{
    snprintf(text, text_size, "%u.%u.%u", VK_API_VERSION_MAJOR(version),
             VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

static void write_uuid(const uint8_t *bytes, char text[DW_GPU_UUID_TEXT_SIZE])
{
    char *end = text;

    for (size_t i = 0; i < VK_UUID_SIZE; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *end++ = '-';
        end += snprintf(end, 3, "%02x", bytes[i]);
    }
}

static uint64_t device_local_bytes(VkPhysicalDevice device)
{
    VkPhysicalDeviceMemoryProperties memory;
    uint64_t bytes = 0;

    vkGetPhysicalDeviceMemoryProperties(device, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++) {
        if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            bytes += memory.memoryHeaps[i].size;
    }
    return bytes;
}

static void append(char *text, size_t text_size, const char *name)
{
    size_t length = strlen(text);

    snprintf(text + length, text_size - length, "%s%s", length == 0 ? "" : ", ", name);
}

/* Features that an extension brings count only when the core version or the extension is there. */
static void find_missing(VkPhysicalDevice device, uint32_t api_version, char *text,
                         size_t text_size)
{
    dw_feature_chain offered;
    dw_extension_set extensions;
    uint32_t family, timestamp_bits;

    text[0] = '\0';
    if (api_version < VK_API_VERSION_1_2) {
        char version[24];

        write_version(api_version, version, sizeof version);
        snprintf(text, text_size, "Vulkan 1.2 (the driver offers %s)", version);
        return;
    }
    dw_features_query(device, &offered);
    dw_extensions_query(device, &extensions);
    if (api_version < VK_API_VERSION_1_3) {
        offered.synchronization2.synchronization2 &= extensions.synchronization2;
        offered.dynamic_rendering.dynamicRendering &= extensions.dynamic_rendering;
    }
    dw_features_missing(&offered, text, text_size);
    if (!dw_queue_family_find(device, &family, &timestamp_bits))
        append(text, text_size, "a compute queue");
}

static void describe(VkPhysicalDevice device, bool is_validating, dw_gpu_adapter *out)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES
    };
    VkPhysicalDeviceIDProperties identity = { .sType =
                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
                                              .pNext = &driver };
    VkPhysicalDeviceProperties2 properties = { .sType =
                                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                               .pNext = &identity };
    uint32_t api_version;

    *out = (dw_gpu_adapter) { .handle = device, .is_validating = is_validating };
    vkGetPhysicalDeviceProperties(device, &properties.properties);
    api_version = properties.properties.apiVersion;
    if (api_version >= VK_API_VERSION_1_2)
        vkGetPhysicalDeviceProperties2(device, &properties);
    out->kind = kind_of(properties.properties.deviceType);
    out->vendor_id = properties.properties.vendorID;
    snprintf(out->name, sizeof out->name, "%s", properties.properties.deviceName);
    write_uuid(identity.deviceUUID, out->uuid);
    if (driver.driverName[0] != '\0')
        snprintf(out->driver, sizeof out->driver, "%.140s %.140s", driver.driverName,
                 driver.driverInfo);
    else
        snprintf(out->driver, sizeof out->driver, "version 0x%x",
                 properties.properties.driverVersion);
    write_version(api_version, out->api_version, sizeof out->api_version);
    out->memory_bytes = device_local_bytes(device);
    find_missing(device, api_version, out->missing, sizeof out->missing);
}

static dw_status list_locked(bool is_validating, dw_gpu_adapters *out, dw_error *err)
{
    VkPhysicalDevice handles[DW_GPU_ADAPTERS_MAX];
    uint32_t count = DW_GPU_ADAPTERS_MAX;
    dw_vk_instance *instance;
    VkResult result;

    DW_TRY(dw_vk_instance_get(is_validating, &instance, err));
    result = vkEnumeratePhysicalDevices(instance->handle, &count, handles);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        count = 0; /* loaders report VK_ERROR_INITIALIZATION_FAILED when no driver has a device */
    out->count = (int)count;
    for (uint32_t i = 0; i < count; i++) {
        describe(handles[i], is_validating, &out->rows[i]);
        if (out->rows[i].kind != DW_GPU_SOFTWARE)
            dw_vk_note_hardware();
    }
    return DW_OK;
fail:
    return err->code;
}

dw_status dw_gpu_adapters_list(bool is_validating, dw_gpu_adapters *out, dw_error *err)
{
    dw_status status;

    dw_global_lock();
    status = list_locked(is_validating, out, err);
    dw_global_unlock();
    return status;
}
