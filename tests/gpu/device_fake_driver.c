/* SPDX-License-Identifier: MIT */
/* A Vulkan driver that only introduces devices: enough to be listed and chosen from, not to be
 * opened. FAKE_DEVICES holds one device per ';': type vendor uuid-byte version lacks name, where
 * lacks is "shaderInt64",
 * "scalarBlockLayout", "extensions", "queue" or "-". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct fake_device {
    VK_LOADER_DATA loader; /* the loader keeps its dispatch table here */
    unsigned type, vendor, uuid, minor;
    char lacks[64], name[64];
} fake_device;

static VK_LOADER_DATA instance;
static fake_device devices[8];
static uint32_t device_count;

static void read_devices(void)
{
    const char *text = getenv("FAKE_DEVICES");
    char copy[1024];

    snprintf(copy, sizeof copy, "%s", text == NULL ? "" : text);
    device_count = 0;
    for (char *row = strtok(copy, ";"); row != NULL && device_count < 8; row = strtok(NULL, ";")) {
        fake_device *device = &devices[device_count];

        if (sscanf(row, "%u %x %x %u %63s %63[^;]", &device->type, &device->vendor, &device->uuid,
                   &device->minor, device->lacks, device->name) != 6)
            abort();
        set_loader_magic_value(device);
        device_count++;
    }
}

static VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                           const VkAllocationCallbacks *allocator, VkInstance *out)
{
    (void)info;
    (void)allocator;
    set_loader_magic_value(&instance);
    read_devices();
    *out = (VkInstance)&instance;
    return VK_SUCCESS;
}

static void VKAPI_CALL destroy_instance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    (void)handle;
    (void)allocator;
}

static VkResult VKAPI_CALL enumerate_version(uint32_t *version)
{
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL enumerate_nothing(const char *layer, uint32_t *count,
                                             VkExtensionProperties *rows)
{
    (void)layer;
    (void)rows;
    *count = 0;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL enumerate_devices(VkInstance handle, uint32_t *count,
                                             VkPhysicalDevice *out)
{
    (void)handle;
    for (uint32_t i = 0; out != NULL && i < device_count && i < *count; i++)
        out[i] = (VkPhysicalDevice)&devices[i];
    *count = device_count;
    return VK_SUCCESS;
}

static void VKAPI_CALL get_properties(VkPhysicalDevice handle, VkPhysicalDeviceProperties *out)
{
    const fake_device *device = (const fake_device *)handle;

    memset(out, 0, sizeof *out);
    out->apiVersion = VK_MAKE_API_VERSION(0, 1, device->minor, 7);
    out->deviceType = (VkPhysicalDeviceType)device->type;
    out->vendorID = device->vendor;
    snprintf(out->deviceName, sizeof out->deviceName, "%s", device->name);
}

static void VKAPI_CALL get_properties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2 *out)
{
    const fake_device *device = (const fake_device *)handle;

    get_properties(handle, &out->properties);
    for (VkBaseOutStructure *next = out->pNext; next != NULL; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            memset(((VkPhysicalDeviceIDProperties *)next)->deviceUUID, (int)device->uuid,
                   VK_UUID_SIZE);
    }
}

/* Everything is offered but the one feature that the device lacks. */
static void VKAPI_CALL get_features2(VkPhysicalDevice handle, VkPhysicalDeviceFeatures2 *out)
{
    const char *lacks = ((const fake_device *)handle)->lacks;

    out->features.shaderInt64 = strcmp(lacks, "shaderInt64") != 0;
    out->features.independentBlend = VK_TRUE;
    for (VkBaseOutStructure *next = out->pNext; next != NULL; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES)
            ((VkPhysicalDeviceVulkan11Features *)next)->storageBuffer16BitAccess = VK_TRUE;
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
            VkPhysicalDeviceVulkan12Features *v12 = (VkPhysicalDeviceVulkan12Features *)next;

            v12->storageBuffer8BitAccess = v12->timelineSemaphore = VK_TRUE;
            v12->bufferDeviceAddress = VK_TRUE;
            v12->scalarBlockLayout = strcmp(lacks, "scalarBlockLayout") != 0;
        }
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES)
            ((VkPhysicalDeviceSynchronization2Features *)next)->synchronization2 = VK_TRUE;
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES)
            ((VkPhysicalDeviceDynamicRenderingFeatures *)next)->dynamicRendering = VK_TRUE;
    }
}

static void VKAPI_CALL get_queues(VkPhysicalDevice handle, uint32_t *count,
                                  VkQueueFamilyProperties *out)
{
    const fake_device *device = (const fake_device *)handle;

    if (out != NULL && *count > 0)
        out[0] = (VkQueueFamilyProperties) {
            .queueFlags =
                strcmp(device->lacks, "queue") == 0 ? VK_QUEUE_TRANSFER_BIT : VK_QUEUE_COMPUTE_BIT,
            .queueCount = 1,
        };
    *count = 1;
}

static void VKAPI_CALL get_memory(VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties *out)
{
    (void)handle;
    memset(out, 0, sizeof *out);
    out->memoryHeapCount = 1;
    out->memoryHeaps[0] = (VkMemoryHeap) { (VkDeviceSize)3 << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT };
}

static VkResult VKAPI_CALL enumerate_extensions(VkPhysicalDevice handle, const char *layer,
                                                uint32_t *count, VkExtensionProperties *out)
{
    static const char *const names[] = { "VK_KHR_synchronization2", "VK_KHR_dynamic_rendering" };
    uint32_t offered = strcmp(((const fake_device *)handle)->lacks, "extensions") == 0 ? 0 : 2;

    (void)layer;
    for (uint32_t i = 0; out != NULL && i < offered && i < *count; i++)
        snprintf(out[i].extensionName, sizeof out[i].extensionName, "%s", names[i]);
    *count = offered;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL create_device(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                         const VkAllocationCallbacks *allocator, VkDevice *out)
{
    (void)handle;
    (void)info;
    (void)allocator;
    (void)out;
    return VK_ERROR_INITIALIZATION_FAILED;
}

/* The loader asks for many functions and takes any non-NULL answer: the rest are never called. */
static void VKAPI_CALL never_called(void)
{
    abort();
}

EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance handle, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
        { "vkCreateInstance", (PFN_vkVoidFunction)create_instance },
        { "vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance },
        { "vkEnumerateInstanceVersion", (PFN_vkVoidFunction)enumerate_version },
        { "vkEnumerateInstanceExtensionProperties", (PFN_vkVoidFunction)enumerate_nothing },
        { "vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices },
        { "vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties },
        { "vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2 },
        { "vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)get_features2 },
        { "vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)get_queues },
        { "vkGetPhysicalDeviceMemoryProperties", (PFN_vkVoidFunction)get_memory },
        { "vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)enumerate_extensions },
        { "vkCreateDevice", (PFN_vkVoidFunction)create_device },
    };

    (void)handle;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].name, name) == 0)
            return table[i].function;
    }
    return (PFN_vkVoidFunction)never_called;
}

EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    *version = 5;
    return VK_SUCCESS;
}
