/* SPDX-License-Identifier: MIT */
#include "gpu/device.h"

#include "base/alloc.h"
#include "gpu/buffer_internal.h"
#include "gpu/command_internal.h"
#include "gpu/device_internal.h"
#include "gpu/features_internal.h"
#include "gpu/graphics_internal.h"
#include "gpu/image_internal.h"
#include "gpu/pipeline_internal.h"
#include "gpu/transfer_internal.h"

#include <stdio.h>
#include <string.h>

dw_status dw_gpu_vk_check(dw_gpu *gpu, VkResult result, const char *what, dw_error *err)
{
    if (result == VK_ERROR_DEVICE_LOST) {
        char cause[96];

        snprintf(cause, sizeof cause, "%s returned VK_ERROR_DEVICE_LOST", what);
        dw_gpu_mark_lost(gpu, cause);
        return dw_gpu_check(gpu, err);
    }
    return dw_vk_check(result, what, err);
}

void dw_gpu_mark_lost(dw_gpu *gpu, const char *cause)
{
    dw_mutex_lock(&gpu->lost_lock);
    if (!atomic_load(&gpu->is_lost))
        snprintf(gpu->lost_text, sizeof gpu->lost_text, "%s", cause);
    atomic_store(&gpu->is_lost, true);
    dw_mutex_unlock(&gpu->lost_lock);
}

dw_status dw_gpu_check(dw_gpu *gpu, dw_error *err)
{
    dw_status status;

    if (atomic_load(&gpu->is_closed))
        return dw_fail(err, DW_ERROR_CLOSED, "the device is closed: make a new Device");
    if (!atomic_load(&gpu->is_lost))
        return DW_OK;
    dw_mutex_lock(&gpu->lost_lock);
    status = dw_fail(err, DW_ERROR_DEVICE_LOST,
                     "the device is lost: %s. Close it and make a new Device; what lay on it is "
                     "gone",
                     gpu->lost_text);
    dw_mutex_unlock(&gpu->lost_lock);
    return status;
}

void dw_gpu_set_name(const dw_gpu *gpu, VkObjectType type, uint64_t handle, const char *name)
{
    VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = name,
    };

    if (gpu->instance->set_name != NULL && name != NULL)
        gpu->instance->set_name(gpu->handle, &info);
}

uint64_t dw_gpu_completed(dw_gpu *gpu)
{
    uint64_t value = 0;

    if (atomic_load(&gpu->is_lost))
        return UINT64_MAX;
    if (vkGetSemaphoreCounterValue(gpu->handle, gpu->timeline, &value) != VK_SUCCESS)
        return 0;
    return value;
}

static bool is_wide(const VkPhysicalDeviceSubgroupProperties *subgroup)
{
    const VkSubgroupFeatureFlags wanted =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
        VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
        VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;

    return subgroup->subgroupSize == 32 &&
           (subgroup->supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0 &&
           (subgroup->supportedOperations & wanted) == wanted;
}

static void read_limits(dw_gpu *gpu, const dw_feature_chain *offered)
{
    VkPhysicalDeviceSubgroupProperties subgroup = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES
    };
    VkPhysicalDeviceMaintenance3Properties maintenance = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, .pNext = &subgroup
    };
    VkPhysicalDeviceProperties2 properties = { .sType =
                                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                               .pNext = &maintenance };
    const VkPhysicalDeviceLimits *from = &properties.properties.limits;
    dw_gpu_limits *to = &gpu->limits;

    vkGetPhysicalDeviceProperties2(gpu->physical, &properties);
    to->max_storage_buffer_bytes = from->maxStorageBufferRange;
    to->max_buffer_bytes = maintenance.maxMemoryAllocationSize;
    to->storage_offset_alignment = (uint32_t)from->minStorageBufferOffsetAlignment;
    to->max_push_constant_bytes = from->maxPushConstantsSize;
    for (int axis = 0; axis < 3; axis++) {
        to->max_group_count[axis] = from->maxComputeWorkGroupCount[axis];
        to->max_group_size[axis] = from->maxComputeWorkGroupSize[axis];
    }
    to->max_group_invocations = from->maxComputeWorkGroupInvocations;
    to->max_shared_bytes = from->maxComputeSharedMemorySize;
    to->subgroup_size = subgroup.subgroupSize;
    to->has_wide_subgroups = is_wide(&subgroup);
    to->image_granularity = from->bufferImageGranularity;
    to->max_image_side = from->maxImageDimension2D;
    to->max_image_layers = from->maxImageArrayLayers;
    to->has_anisotropy = offered->core.features.samplerAnisotropy == VK_TRUE;
    to->max_anisotropy = to->has_anisotropy ? from->maxSamplerAnisotropy : 1.0f;
    to->sample_counts = from->framebufferColorSampleCounts & from->framebufferDepthSampleCounts &
                        from->sampledImageColorSampleCounts &
                        from->sampledImageIntegerSampleCounts & from->sampledImageDepthSampleCounts;
    to->is_software = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    to->has_float64 = offered->core.features.shaderFloat64 == VK_TRUE;
    gpu->timestamp_nanoseconds = from->timestampPeriod;
}

/* What Vulkan 1.3 brought into its core must not be asked for as an extension there. */
static bool is_core_1_3(const dw_gpu *gpu)
{
    VkPhysicalDeviceProperties properties;

    vkGetPhysicalDeviceProperties(gpu->physical, &properties);
    return properties.apiVersion >= VK_API_VERSION_1_3;
}

static VkResult create_handle(dw_gpu *gpu, const dw_feature_chain *offered)
{
    static const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = gpu->queue_family,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority };
    dw_feature_chain enabled;
    dw_extension_set extensions;
    const char *names[3];
    VkDeviceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &enabled.core,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue,
                                .ppEnabledExtensionNames = names };

    dw_features_enable(offered, &enabled);
    dw_extensions_query(gpu->physical, &extensions);
    if (extensions.synchronization2 && !is_core_1_3(gpu))
        names[info.enabledExtensionCount++] = VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME;
    if (extensions.dynamic_rendering && !is_core_1_3(gpu))
        names[info.enabledExtensionCount++] = VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME;
    if (extensions.portability_subset)
        names[info.enabledExtensionCount++] = "VK_KHR_portability_subset";
    return vkCreateDevice(gpu->physical, &info, NULL, &gpu->handle);
}

static PFN_vkVoidFunction entry_point(const dw_gpu *gpu, const char *core, const char *extension)
{
    PFN_vkVoidFunction found = vkGetDeviceProcAddr(gpu->handle, core);

    return found != NULL ? found : vkGetDeviceProcAddr(gpu->handle, extension);
}

static dw_status load_entry_points(dw_gpu *gpu, dw_error *err)
{
    gpu->pipeline_barrier = (PFN_vkCmdPipelineBarrier2)entry_point(gpu, "vkCmdPipelineBarrier2",
                                                                   "vkCmdPipelineBarrier2KHR");
    gpu->write_timestamp = (PFN_vkCmdWriteTimestamp2)entry_point(gpu, "vkCmdWriteTimestamp2",
                                                                 "vkCmdWriteTimestamp2KHR");
    gpu->queue_submit = (PFN_vkQueueSubmit2)entry_point(gpu, "vkQueueSubmit2", "vkQueueSubmit2KHR");
    gpu->begin_rendering =
        (PFN_vkCmdBeginRendering)entry_point(gpu, "vkCmdBeginRendering", "vkCmdBeginRenderingKHR");
    gpu->end_rendering =
        (PFN_vkCmdEndRendering)entry_point(gpu, "vkCmdEndRendering", "vkCmdEndRenderingKHR");
    if (gpu->pipeline_barrier != NULL && gpu->write_timestamp != NULL &&
        gpu->queue_submit != NULL && gpu->begin_rendering != NULL && gpu->end_rendering != NULL)
        return DW_OK;
    return dw_fail(err, DW_ERROR_DEVICE,
                   "the driver claims synchronization2 and dynamicRendering but lacks their "
                   "functions: update the driver");
}

/* Device creation and destruction are not thread safe in every driver. */
static dw_status open_handle(dw_gpu *gpu, const char *name, dw_error *err)
{
    char what[320];
    dw_feature_chain offered;
    VkResult result;

    dw_global_lock();
    dw_features_query(gpu->physical, &offered);
    dw_queue_family_find(gpu->physical, &gpu->queue_family, &gpu->timestamp_bits);
    read_limits(gpu, &offered);
    result = create_handle(gpu, &offered);
    if (result == VK_SUCCESS)
        gpu->instance->device_count++;
    dw_global_unlock();
    snprintf(what, sizeof what, "vkCreateDevice on \"%s\"", name);
    DW_TRY(dw_vk_check(result, what, err));
    vkGetDeviceQueue(gpu->handle, gpu->queue_family, 0, &gpu->queue);
    return load_entry_points(gpu, err);
fail:
    return err->code;
}

static dw_status create_timeline(dw_gpu *gpu, dw_error *err)
{
    VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
    VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                   .pNext = &type };
    VkPipelineCacheCreateInfo cache = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };

    DW_TRY(dw_vk_check(vkCreateSemaphore(gpu->handle, &info, NULL, &gpu->timeline),
                       "vkCreateSemaphore", err));
    dw_gpu_set_name(gpu, VK_OBJECT_TYPE_SEMAPHORE, (uint64_t)gpu->timeline, "timeline");
    DW_TRY(dw_vk_check(vkCreatePipelineCache(gpu->handle, &cache, NULL, &gpu->pipeline_cache),
                       "vkCreatePipelineCache", err));
    return DW_OK;
fail:
    return err->code;
}

static dw_status find_instance(dw_gpu *gpu, bool is_validating, dw_error *err)
{
    dw_status status;

    dw_global_lock();
    status = dw_vk_instance_get(is_validating, &gpu->instance, err);
    dw_global_unlock();
    return status;
}

dw_status dw_gpu_create(const dw_gpu_adapter *adapter, dw_gpu **out, dw_error *err)
{
    dw_gpu *gpu = NULL;

    DW_ASSERT(adapter->missing[0] == '\0');
    *out = NULL;
    DW_TRY(DW_ALLOC_ZEROED(1, &gpu, err));
    gpu->physical = adapter->handle;
    gpu->limits.memory_bytes = adapter->memory_bytes;
    DW_TRY(find_instance(gpu, adapter->is_validating, err));
    if (!dw_mutex_init(&gpu->lock) || !dw_mutex_init(&gpu->resource_lock) ||
        !dw_mutex_init(&gpu->lost_lock) || !dw_condition_init(&gpu->slice_freed)) {
        dw_fail_memory(err, "device locks", sizeof *gpu);
        goto fail;
    }
    DW_TRY(open_handle(gpu, adapter->name, err));
    dw_memory_init(gpu);
    DW_TRY(create_timeline(gpu, err));
    DW_TRY(dw_staging_create(gpu, err));
    *out = gpu;
    return DW_OK;
fail:
    dw_gpu_destroy(gpu);
    return err->code;
}

void dw_gpu_close(dw_gpu *gpu)
{
    if (atomic_exchange(&gpu->is_closed, true) || gpu->handle == VK_NULL_HANDLE)
        return;
    vkDeviceWaitIdle(gpu->handle);
    dw_staging_destroy(gpu);
    dw_commands_finish(gpu);
    dw_pipelines_finish(gpu);
    dw_graphics_pipelines_finish(gpu);
    dw_samplers_finish(gpu);
    dw_resources_finish(gpu);
    dw_memory_finish(gpu);
    vkDestroyPipelineCache(gpu->handle, gpu->pipeline_cache, NULL);
    vkDestroySemaphore(gpu->handle, gpu->timeline, NULL);
    dw_global_lock();
    vkDestroyDevice(gpu->handle, NULL);
    gpu->instance->device_count--;
    dw_global_unlock();
    gpu->handle = VK_NULL_HANDLE;
}

void dw_gpu_destroy(dw_gpu *gpu)
{
    if (gpu == NULL)
        return;
    dw_gpu_close(gpu);
    dw_condition_finish(&gpu->slice_freed);
    dw_mutex_finish(&gpu->lost_lock);
    dw_mutex_finish(&gpu->resource_lock);
    dw_mutex_finish(&gpu->lock);
    dw_free(gpu);
}

const dw_gpu_limits *dw_gpu_get_limits(const dw_gpu *gpu)
{
    return &gpu->limits;
}

dw_gpu_counts dw_gpu_get_counts(dw_gpu *gpu)
{
    dw_gpu_counts counts = { 0 };

    if (atomic_load(&gpu->is_closed))
        return counts;
    dw_graveyard_drain(gpu);
    dw_mutex_lock(&gpu->lock);
    counts.pipelines = gpu->pipeline_count;
    counts.sent_bytes = gpu->sent_bytes;
    dw_mutex_lock(&gpu->resource_lock);
    counts.buffers = gpu->buffer_count;
    counts.images = gpu->image_count;
    counts.memory_blocks = gpu->memory.block_count;
    counts.retired = gpu->retired_count;
    counts.used_bytes = gpu->used_bytes;
    counts.reserved_bytes = gpu->memory.reserved_bytes;
    dw_mutex_unlock(&gpu->resource_lock);
    dw_mutex_unlock(&gpu->lock);
    return counts;
}

void dw_gpu_get_timings(dw_gpu *gpu, dw_timing_table *out)
{
    dw_mutex_lock(&gpu->lock);
    if (!atomic_load(&gpu->is_closed))
        dw_commands_collect_times(gpu);
    *out = gpu->timings;
    dw_mutex_unlock(&gpu->lock);
}
