/* SPDX-License-Identifier: MIT */
/* Vulkan's entry points and its result codes. Private to gpu/.
 * Thread-safety: Safe. */
#ifndef DW_GPU_VK_INTERNAL_H
#define DW_GPU_VK_INTERNAL_H

#include "base/status.h"

#include <volk.h>

const char *dw_vk_result_name(VkResult result);

/* DW_OK for VK_SUCCESS, else an error that says which call failed on what, and how. */
dw_status dw_vk_check(VkResult result, const char *what, dw_error *err);

#endif
