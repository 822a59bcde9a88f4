/* SPDX-License-Identifier: MIT */
/* What scenes are drawn with and into: meshes and textures on the device, and the images and
 * buffers of one picture size.
 * Thread-safety: one thread at a time for each object. */
#ifndef DW_PASSES_SCENE_TARGETS_H
#define DW_PASSES_SCENE_TARGETS_H

#include "gpu/command.h"

#include <stdbool.h>

typedef struct dw_scene_mesh {
    dw_gpu_buffer vertices; /* DW_VERTEX_WORDS words each */
    dw_gpu_buffer indices;  /* 32-bit */
    uint32_t vertex_count, index_count;
} dw_scene_mesh;

typedef struct dw_scene_texture {
    dw_gpu_image image;
    dw_sampler sampler;
} dw_scene_texture;

typedef struct dw_scene_size {
    uint32_t width, height; /* pixels */
    uint32_t samples;       /* 1, 2, 4 or 8, as the device offers */
    uint32_t shadow_side;   /* texels of the sun's map */
    bool is_accumulating;   /* pictures are averaged over sub-frames */
} dw_scene_size;

typedef struct dw_scene_targets {
    dw_scene_size size;
    dw_gpu_image color; /* light, premultiplied by coverage */
    dw_gpu_image id;    /* four bytes: not every device has samples of whole numbers */
    dw_gpu_image depth; /* reversed: 1 near, 0 far */
    dw_gpu_image shadow;
    dw_gpu_image no_shadow;  /* one texel, for shaders to have while the map is drawn */
    dw_gpu_buffer sums;      /* 4 floats a pixel */
    dw_gpu_buffer out_color; /* RGBA8 */
    dw_gpu_buffer out_depth; /* metres */
    dw_gpu_buffer out_id;
} dw_scene_targets;

dw_status dw_scene_targets_create(dw_gpu *gpu, const dw_scene_size *size, dw_scene_targets *out,
                                  dw_error *err);
/* Accepts zeroed ones. */
void dw_scene_targets_destroy(dw_scene_targets *targets);

dw_status dw_scene_mesh_create(dw_gpu *gpu, const uint32_t *vertex_words, uint32_t vertex_count,
                               const uint32_t *indices, uint32_t index_count, const dw_run *run,
                               dw_scene_mesh *out, dw_error *err);
void dw_scene_mesh_destroy(dw_scene_mesh *mesh);

#endif
