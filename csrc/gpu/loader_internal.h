/* SPDX-License-Identifier: MIT */
/* The Vulkan loader library and at most two instances per process: plain and validating. Drivers
 * are not safe at instance creation, so all of it happens under the process-wide lock.
 * Thread-safety: the caller holds dw_global_lock for acquire. */
#ifndef DW_GPU_LOADER_INTERNAL_H
#define DW_GPU_LOADER_INTERNAL_H

#include "gpu/loader.h"
#include "gpu/vk_internal.h"

typedef struct dw_vk_instance {
    VkInstance handle;
    VkDebugUtilsMessengerEXT messenger;
    PFN_vkSetDebugUtilsObjectNameEXT set_name;    /* NULL without VK_EXT_debug_utils */
    PFN_vkCmdBeginDebugUtilsLabelEXT begin_label; /* likewise */
    PFN_vkCmdEndDebugUtilsLabelEXT end_label;     /* likewise */
    int device_count;                             /* open devices made on it */
} dw_vk_instance;

/* Opens the loader and makes the instance on first use; it stays until dw_gpu_loader_shutdown. A
 * forked child gets instances of its own, or DW_ERROR_FORKED once hardware was noted. */
dw_status dw_vk_instance_get(bool is_validating, dw_vk_instance **out, dw_error *err);

/* A hardware driver was started: from now on forked children must not use Vulkan. */
void dw_vk_note_hardware(void);

#endif
