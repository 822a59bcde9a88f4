/* SPDX-License-Identifier: MIT */
/* The passes of one picture: the sun's map, solid surfaces, terrain, cut and fading ones, the sky,
 * blended ones, particles, and the resolve into buffers. Thread-safety: one thread at a time for
 * each command. */
#ifndef DW_PASSES_SCENE_PASS_H
#define DW_PASSES_SCENE_PASS_H

#include "passes/forest_pass.h"
#include "passes/particle_draw.h"
#include "passes/scene_targets.h"
#include "passes/terrain_draw.h"
#include "shared/scene.h"

/* A range of bytes of the frame's buffer. */
typedef struct dw_scene_range {
    uint64_t offset, size;
} dw_scene_range;

typedef struct dw_scene_inputs {
    const dw_gpu_buffer *frame; /* holds the four ranges */
    dw_scene_range views;       /* one dw_scene_view each DW_SCENE_VIEW_STRIDE bytes */
    dw_scene_range materials, transforms, words;
    const dw_gpu_buffer *ranks;
    const dw_scene_item *items;
    uint32_t item_count;
    const dw_scene_mesh *meshes;
    const dw_scene_texture *textures;
    dw_forest_gpu *const *forests;
    const dw_particle_draws *particles;
    uint32_t particle_count;
    const dw_gpu_buffer *speck_sums;
    const dw_ground_draw *grounds; /* whose lists are made */
    uint32_t ground_count;
    const dw_scene_view *view_records; /* the views on the host */
    bool has_sky, has_shadow;
    float clear[4]; /* premultiplied light where nothing is drawn and there is no sky */
} dw_scene_inputs;

#define DW_SCENE_VIEW_STRIDE 512 /* bytes; a multiple of every device's binding alignment */

/* Records sub-frame `sub_frame`. What cannot be recorded shows at submit. */
dw_status dw_scene_record(dw_command *command, dw_gpu *gpu, dw_scene_targets *targets,
                          const dw_scene_inputs *inputs, uint32_t sub_frame, dw_error *err);

#endif
