/* SPDX-License-Identifier: MIT */
/* Images in device memory: textures with mip levels and layers, and render targets. A dw_gpu_image
 * is a handle: copy it by value freely, destroy it once.
 * Thread-safety: create and destroy are safe; two threads may not use one handle object at once
 * when one of them destroys it. */
#ifndef DW_GPU_IMAGE_H
#define DW_GPU_IMAGE_H

#include "base/threads.h"
#include "gpu/buffer.h"

typedef enum dw_image_format {
    DW_FORMAT_RGBA8_SRGB,
    DW_FORMAT_RGBA8_UNORM,
    DW_FORMAT_RGBA16_FLOAT,
    DW_FORMAT_DEPTH32_FLOAT,
    DW_FORMAT_COUNT,
} dw_image_format;

typedef struct dw_gpu_image_def {
    dw_image_format format;
    uint32_t width, height; /* texels, 1..limits.max_image_side */
    uint32_t levels;        /* mip levels, each half of the one before, rounded down */
    uint32_t layers;        /* above 1: an array */
    uint32_t samples;       /* 1, or one of limits.sample_counts: then levels and layers are 1 */
    bool is_target;         /* drawn into, as colour or depth by its format */
    const char *name;
} dw_gpu_image_def;

typedef struct dw_gpu_image {
    dw_gpu *gpu;
    dw_resource *record; /* owned by the device */
    dw_image_format format;
    uint32_t width, height, levels, layers, samples;
} dw_gpu_image;

/* The content is undefined. *out is written on success only. */
dw_status dw_gpu_image_create(dw_gpu *gpu, const dw_gpu_image_def *def, dw_gpu_image *out,
                              dw_error *err);

/* Accepts a zeroed image, and one whose device is closed or whose commands still run. */
void dw_gpu_image_destroy(dw_gpu_image *image);

/* Bytes of one texel. */
uint32_t dw_image_format_bytes(dw_image_format format);

/* Texels along one side of a level, of an image with so many at level 0. */
uint32_t dw_image_level_side(uint32_t side, uint32_t level);

/* Bytes of one level of one layer, tightly packed. */
uint64_t dw_gpu_image_level_bytes(const dw_gpu_image *image, uint32_t level);

/* One level of one layer, from tightly packed texels. */
typedef struct dw_image_part {
    uint32_t level, layer;
    const void *texels;
} dw_image_part;

/* On return the texels were taken; the device's copy is ordered before later commands. */
dw_status dw_gpu_image_upload(dw_gpu *gpu, const dw_gpu_image *image, const dw_image_part *parts,
                              uint32_t part_count, dw_error *err);

/* How a shader reads an image: filtered trilinearly; the next three also 8x anisotropically, where
 * the device can. */
typedef enum dw_sampler {
    DW_SAMPLER_REPEAT,
    DW_SAMPLER_CLAMP,
    DW_SAMPLER_MIRROR,
    DW_SAMPLER_SHARP, /* plus one of the three above */
    DW_SAMPLER_SHARP_LAST = DW_SAMPLER_SHARP + DW_SAMPLER_MIRROR,
    DW_SAMPLER_NEAREST, /* texel by texel, clamped */
    DW_SAMPLER_SHADOW,  /* compares: 1 where the reference is at least the depth; 1 outside */
    DW_SAMPLER_COUNT,
} dw_sampler;

#endif
