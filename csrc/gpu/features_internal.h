/* SPDX-License-Identifier: MIT */
/* The features this project requires, in one table: read to say what a device lacks, and to enable
 * them when it is opened.
 * Thread-safety: Safe. */
#ifndef DW_GPU_FEATURES_INTERNAL_H
#define DW_GPU_FEATURES_INTERNAL_H

#include "gpu/vk_internal.h"

#include <stdbool.h>

/* A pNext chain that must not move once linked. */
typedef struct dw_feature_chain {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceSynchronization2Features synchronization2;
    VkPhysicalDeviceDynamicRenderingFeatures dynamic_rendering;
} dw_feature_chain;

/* Device extensions that matter here. */
typedef struct dw_extension_set {
    bool synchronization2;  /* or Vulkan 1.3 */
    bool dynamic_rendering; /* or Vulkan 1.3 */
    bool portability_subset;
} dw_extension_set;

/* Reads what a device of Vulkan 1.2 or newer offers. */
void dw_features_query(VkPhysicalDevice device, dw_feature_chain *out);

/* Writes the comma-separated names of required features that `offered` lacks; "" when none. */
void dw_features_missing(const dw_feature_chain *offered, char *text, size_t text_size);

/* The chain that enables what is required, and of the optional ones what is offered. */
void dw_features_enable(const dw_feature_chain *offered, dw_feature_chain *out);

void dw_extensions_query(VkPhysicalDevice device, dw_extension_set *out);

/* A queue family that computes, with graphics if there is one; false when none does. */
bool dw_queue_family_find(VkPhysicalDevice device, uint32_t *family, uint32_t *timestamp_bits);

#endif
