/* SPDX-License-Identifier: MIT */
#include "gpu/image_internal.h"

#include "base/alloc.h"
#include "gpu/buffer_internal.h"
#include "gpu/command.h"
#include "gpu/device_internal.h"

#include <string.h>

#define ANISOTROPY 8.0f

typedef struct format_row {
    VkFormat format;
    VkImageAspectFlags aspect;
    VkImageUsageFlags target_usage;
    uint32_t texel_bytes;
} format_row;

static const format_row formats[DW_FORMAT_COUNT] = {
    [DW_FORMAT_RGBA8_SRGB] = { VK_FORMAT_R8G8B8A8_SRGB, VK_IMAGE_ASPECT_COLOR_BIT,
                               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 4 },
    [DW_FORMAT_RGBA8_UNORM] = { VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_ASPECT_COLOR_BIT,
                                VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 4 },
    [DW_FORMAT_RGBA16_FLOAT] = { VK_FORMAT_R16G16B16A16_SFLOAT, VK_IMAGE_ASPECT_COLOR_BIT,
                                 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 8 },
    [DW_FORMAT_DEPTH32_FLOAT] = { VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT,
                                  VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, 4 },
};

VkFormat dw_image_format_vk(dw_image_format format)
{
    return formats[format].format;
}

uint32_t dw_image_format_bytes(dw_image_format format)
{
    return formats[format].texel_bytes;
}

uint32_t dw_image_level_side(uint32_t side, uint32_t level)
{
    return side >> level > 0 ? side >> level : 1;
}

uint64_t dw_gpu_image_level_bytes(const dw_gpu_image *image, uint32_t level)
{
    return (uint64_t)dw_image_level_side(image->width, level) *
           dw_image_level_side(image->height, level) * formats[image->format].texel_bytes;
}

static dw_status check_def(const dw_gpu *gpu, const dw_gpu_image_def *def, dw_error *err)
{
    uint32_t most = gpu->limits.max_image_side;

    if (def->width == 0 || def->height == 0 || def->width > most || def->height > most)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "image \"%s\" of %u x %u texels: the device's images have 1 to %u texels a "
                       "side",
                       def->name, def->width, def->height, most);
    if (def->layers == 0 || def->layers > gpu->limits.max_image_layers)
        return dw_fail(err, DW_ERROR_CAPACITY,
                       "image \"%s\" of %u layers: the device's images have 1 to %u", def->name,
                       def->layers, gpu->limits.max_image_layers);
    if (def->samples != 1 && ((def->samples & (def->samples - 1)) != 0 ||
                              (gpu->limits.sample_counts & def->samples) == 0))
        return dw_fail(err, DW_ERROR_ARGUMENT,
                       "samples = %u: this device draws with%s%s%s%s samples a pixel", def->samples,
                       " 1", (gpu->limits.sample_counts & 2u) != 0 ? " or 2" : "",
                       (gpu->limits.sample_counts & 4u) != 0 ? " or 4" : "",
                       (gpu->limits.sample_counts & 8u) != 0 ? " or 8" : "");
    DW_ASSERT(def->levels >= 1 && def->levels <= 16);
    DW_ASSERT(def->samples == 1 || (def->levels == 1 && def->layers == 1));
    return DW_OK;
}

static VkImageCreateInfo image_info(const dw_gpu_image_def *def)
{
    const format_row *row = &formats[def->format];
    VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT;

    if (def->samples == 1)
        usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    if (def->is_target)
        usage |= row->target_usage;
    return (VkImageCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = row->format,
        .extent = { def->width, def->height, 1 },
        .mipLevels = def->levels,
        .arrayLayers = def->layers,
        .samples = (VkSampleCountFlagBits)def->samples,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
}

/* Images keep to pages of their own, since buffers share their memory blocks. */
static dw_status bind_memory(dw_gpu *gpu, dw_resource *record, dw_error *err)
{
    uint64_t page = gpu->limits.image_granularity;
    VkMemoryRequirements need;

    vkGetImageMemoryRequirements(gpu->handle, record->image, &need);
    need.alignment = need.alignment > page ? need.alignment : page;
    need.size = (need.size + page - 1) / page * page;
    record->size_bytes = need.size;
    dw_mutex_lock(&gpu->resource_lock);
    if (dw_memory_take(gpu, &need, DW_MEMORY_DEVICE, &record->memory, err) != DW_OK) {
        dw_mutex_unlock(&gpu->resource_lock);
        return err->code;
    }
    dw_mutex_unlock(&gpu->resource_lock);
    return dw_gpu_vk_check(gpu,
                           vkBindImageMemory(gpu->handle, record->image,
                                             dw_memory_handle(&record->memory),
                                             record->memory.offset),
                           "vkBindImageMemory", err);
}

static dw_status create_view(dw_gpu *gpu, const dw_gpu_image_def *def, dw_resource *record,
                             dw_error *err)
{
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = record->image,
        .viewType = def->layers > 1 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
        .format = formats[def->format].format,
        .subresourceRange = { record->aspect, 0, def->levels, 0, def->layers },
    };

    return dw_gpu_vk_check(gpu, vkCreateImageView(gpu->handle, &info, NULL, &record->view),
                           "vkCreateImageView", err);
}

/* Takes the image out of its undefined layout, ordered before later commands. */
static dw_status lay_out(dw_gpu *gpu, const dw_gpu_image *image, dw_error *err)
{
    dw_command *command = NULL;
    dw_ticket ticket;

    DW_TRY(dw_command_begin(gpu, "image_lay_out", &command, err));
    dw_command_lay_out(command, image);
    return dw_command_submit(command, &ticket, err);
fail:
    return err->code;
}

dw_status dw_gpu_image_create(dw_gpu *gpu, const dw_gpu_image_def *def, dw_gpu_image *out,
                              dw_error *err)
{
    VkImageCreateInfo info = image_info(def);
    dw_gpu_image image = { gpu,         NULL,        def->format, def->width,
                           def->height, def->levels, def->layers, def->samples };
    dw_resource *record = NULL;
    bool is_published = false;

    DW_TRY(dw_gpu_check(gpu, err));
    DW_TRY(check_def(gpu, def, err));
    dw_graveyard_drain(gpu);
    DW_TRY(DW_ALLOC_ZEROED(1, &record, err));
    record->kind = DW_MEMORY_DEVICE;
    record->aspect = formats[def->format].aspect;
    DW_TRY(dw_gpu_vk_check(gpu, vkCreateImage(gpu->handle, &info, NULL, &record->image),
                           "vkCreateImage", err));
    dw_gpu_set_name(gpu, VK_OBJECT_TYPE_IMAGE, (uint64_t)record->image, def->name);
    DW_TRY(bind_memory(gpu, record, err));
    DW_TRY(create_view(gpu, def, record, err));
    dw_mutex_lock(&gpu->resource_lock);
    dw_resource_publish(gpu, record);
    dw_mutex_unlock(&gpu->resource_lock);
    is_published = true;
    image.record = record;
    DW_TRY(lay_out(gpu, &image, err));
    *out = image;
    return DW_OK;
fail:
    if (is_published) {
        dw_resource_retire(gpu, record);
    } else if (record != NULL) {
        dw_mutex_lock(&gpu->resource_lock);
        dw_resource_release(gpu, record);
        dw_mutex_unlock(&gpu->resource_lock);
        dw_free(record);
    }
    return err->code;
}

void dw_gpu_image_destroy(dw_gpu_image *image)
{
    dw_gpu_image old = *image;

    *image = (dw_gpu_image) { .gpu = NULL };
    dw_resource_retire(old.gpu, old.record);
}

/* Offsets of texels in a buffer are multiples of 16, which every format allows. */
static uint64_t part_stride(const dw_gpu_image *image, const dw_image_part *part)
{
    return (dw_gpu_image_level_bytes(image, part->level) + 15) & ~(uint64_t)15;
}

dw_status dw_gpu_image_upload(dw_gpu *gpu, const dw_gpu_image *image, const dw_image_part *parts,
                              uint32_t part_count, dw_error *err)
{
    dw_gpu_buffer_def def = { 0, DW_MEMORY_UPLOAD, "texels" };
    dw_gpu_buffer staging = { .gpu = NULL };
    dw_command *command = NULL;
    dw_ticket ticket;
    uint64_t offset = 0;

    for (uint32_t i = 0; i < part_count; i++)
        def.size_bytes += part_stride(image, &parts[i]);
    DW_TRY(dw_gpu_buffer_create_internal(gpu, &def, &staging, err));
    DW_TRY(dw_command_begin(gpu, "image_upload", &command, err));
    for (uint32_t i = 0; i < part_count; i++) {
        memcpy((uint8_t *)staging.mapped + offset, parts[i].texels,
               dw_gpu_image_level_bytes(image, parts[i].level));
        dw_command_copy_to_image(command, &staging, offset, image, parts[i].level, parts[i].layer);
        offset += part_stride(image, &parts[i]);
    }
    DW_TRY(dw_command_submit(command, &ticket, err));
    dw_gpu_buffer_destroy(&staging);
    return DW_OK;
fail:
    dw_gpu_buffer_destroy(&staging);
    return err->code;
}

static VkSamplerCreateInfo sampler_info(const dw_gpu *gpu, dw_sampler kind)
{
    static const VkSamplerAddressMode modes[DW_SAMPLER_COUNT] = {
        [DW_SAMPLER_REPEAT] = VK_SAMPLER_ADDRESS_MODE_REPEAT,
        [DW_SAMPLER_CLAMP] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        [DW_SAMPLER_MIRROR] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        [DW_SAMPLER_SHARP + DW_SAMPLER_REPEAT] = VK_SAMPLER_ADDRESS_MODE_REPEAT,
        [DW_SAMPLER_SHARP + DW_SAMPLER_CLAMP] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        [DW_SAMPLER_SHARP + DW_SAMPLER_MIRROR] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
        [DW_SAMPLER_NEAREST] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        [DW_SAMPLER_SHADOW] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
    };
    bool is_nearest = kind == DW_SAMPLER_NEAREST;
    bool is_shadow = kind == DW_SAMPLER_SHADOW;
    bool is_sharp = kind >= DW_SAMPLER_SHARP && kind <= DW_SAMPLER_SHARP_LAST;
    bool is_anisotropic = is_sharp && gpu->limits.has_anisotropy;
    float anisotropy = gpu->limits.max_anisotropy;

    return (VkSamplerCreateInfo) {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = is_nearest ? VK_FILTER_NEAREST : VK_FILTER_LINEAR,
        .minFilter = is_nearest ? VK_FILTER_NEAREST : VK_FILTER_LINEAR,
        .mipmapMode = is_nearest ? VK_SAMPLER_MIPMAP_MODE_NEAREST : VK_SAMPLER_MIPMAP_MODE_LINEAR,
        .addressModeU = modes[kind],
        .addressModeV = modes[kind],
        .addressModeW = modes[kind],
        .anisotropyEnable = is_anisotropic,
        .maxAnisotropy = anisotropy < ANISOTROPY ? anisotropy : ANISOTROPY,
        .compareEnable = is_shadow,
        .compareOp = VK_COMPARE_OP_GREATER_OR_EQUAL,
        .maxLod = VK_LOD_CLAMP_NONE,
        /* depth is reversed: 0 is farthest, so that nothing outside the map is in shadow */
        .borderColor = VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK,
    };
}

dw_status dw_sampler_get(dw_gpu *gpu, dw_sampler kind, VkSampler *out, dw_error *err)
{
    VkSamplerCreateInfo info = sampler_info(gpu, kind);

    if (gpu->samplers[kind] == VK_NULL_HANDLE)
        DW_TRY(dw_gpu_vk_check(gpu, vkCreateSampler(gpu->handle, &info, NULL, &gpu->samplers[kind]),
                               "vkCreateSampler", err));
    *out = gpu->samplers[kind];
    return DW_OK;
fail:
    return err->code;
}

void dw_samplers_finish(dw_gpu *gpu)
{
    for (int i = 0; i < DW_SAMPLER_COUNT; i++) {
        vkDestroySampler(gpu->handle, gpu->samplers[i], NULL);
        gpu->samplers[i] = VK_NULL_HANDLE;
    }
}
