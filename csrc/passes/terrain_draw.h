/* SPDX-License-Identifier: MIT */
/* Terrain in a picture: the cull of its quadtree into two lists, one for the camera and one for the
 * sun's map, and the draws of one grid at all the nodes of a list.
 * Thread-safety: one thread at a time for each set and each command. */
#ifndef DW_PASSES_TERRAIN_DRAW_H
#define DW_PASSES_TERRAIN_DRAW_H

#include "passes/scene_targets.h"
#include "shared/ground.h"
#include "shared/terrain.h"

/* On the host. */
typedef struct dw_ground_def {
    const float *heights; /* y of each, row by row */
    uint64_t height_count;
    const float *bounds; /* lowest and highest y of each node */
    uint32_t node_count;
    uint32_t list_capacity; /* nodes that are drawn at most */
    const uint32_t *weights;
    uint64_t weight_words;
    const uint32_t *ranks;
    uint32_t rank_words;
} dw_ground_def;

typedef struct dw_ground_set {
    dw_gpu_buffer heights, bounds, weights, ranks;
    dw_gpu_buffer lists[2]; /* dw_ground_node; of the camera, of the sun */
    dw_gpu_buffer commands; /* the draws of both, DW_GROUND_COMMAND_WORDS each */
    dw_gpu_buffer tables;   /* look, law, surfaces */
    dw_gpu_buffer indices;
    uint32_t node_count; /* 0: there is none */
} dw_ground_set;

#define DW_GROUND_COMMAND_WORDS 5u

dw_status dw_ground_set_create(dw_gpu *gpu, const dw_ground_def *def, const dw_run *run,
                               dw_ground_set *out, dw_error *err);
/* Accepts a zeroed one. */
void dw_ground_set_destroy(dw_ground_set *set);

/* One terrain of a frame. */
typedef struct dw_ground_draw {
    const dw_ground_set *set;
    const dw_ground_look *look;
    const struct dw_terrain_law *law;
    const dw_ground_surface *surfaces;
    uint32_t surface_count;              /* 1 to DW_GROUND_MATERIALS */
    uint32_t textures[DW_GROUND_SHADOW]; /* of the renderer, in the order of set 1 */
    uint32_t constants[DW_GROUND_SPECS];
    bool casts_shadow;
} dw_ground_draw;

typedef struct dw_ground_picture {
    const dw_scene_targets *targets;
    dw_gpu_binding view; /* the sub-frame's dw_scene_view */
    const dw_scene_texture *textures;
    bool has_shadow;
} dw_ground_picture;

/* Uploads the tables of a frame and fills the lists. */
dw_status dw_ground_cull(dw_command *command, dw_gpu *gpu, const dw_ground_draw *draw,
                         dw_error *err);

/* Inside a render pass: into the picture's targets, or the sun's map. */
dw_status dw_ground_record(dw_command *command, dw_gpu *gpu, const dw_ground_picture *picture,
                           const dw_ground_draw *draw, bool is_shadow, dw_error *err);

#endif
