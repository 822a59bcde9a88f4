/* SPDX-License-Identifier: MIT */
/* Formats as Vulkan names them, and the samplers.
 * Thread-safety: the caller holds the device's lock. */
#ifndef DW_GPU_IMAGE_INTERNAL_H
#define DW_GPU_IMAGE_INTERNAL_H

#include "gpu/image.h"
#include "gpu/resource_internal.h"

VkFormat dw_image_format_vk(dw_image_format format);

dw_status dw_sampler_get(dw_gpu *gpu, dw_sampler kind, VkSampler *out, dw_error *err);
void dw_samplers_finish(dw_gpu *gpu);

#endif
