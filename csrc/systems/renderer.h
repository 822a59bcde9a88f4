/* SPDX-License-Identifier: MIT */
/* The headless renderer: keeps meshes, textures and the targets of one picture size on a Vulkan
 * device, and draws frames that the caller describes by tables.
 * Thread-safety: one thread at a time for each renderer. Every call but destroy happens inside
 * dw_device_begin_use .. dw_device_end_use of its device. */
#ifndef DW_SYSTEMS_RENDERER_H
#define DW_SYSTEMS_RENDERER_H

#include "passes/scene_pass.h"
#include "systems/device.h"
#include "systems/forest.h"
#include "systems/particle_hub.h"

typedef struct dw_renderer dw_renderer;

#define DW_RENDERER_FORESTS_MAX   64 /* of one frame */
#define DW_RENDERER_PARTICLES_MAX 64
#define DW_RENDERER_GROUNDS_MAX   16

/* DW_ERROR_DEVICE_NOT_FOUND on a native device. */
dw_status dw_renderer_create(dw_device *device, const dw_scene_size *size, dw_renderer **out,
                             dw_error *err);

/* Accepts NULL. Also after the device was closed. */
void dw_renderer_destroy(dw_renderer *renderer);

/* Handles are small numbers that are used again after a removal. Indices are below vertex_count. */
dw_status dw_renderer_add_mesh(dw_renderer *renderer, const uint32_t *vertex_words,
                               uint32_t vertex_count, const uint32_t *indices, uint32_t index_count,
                               const dw_run *run, uint32_t *out, dw_error *err);
void dw_renderer_remove_mesh(dw_renderer *renderer, uint32_t handle);

typedef struct dw_texture_def {
    uint32_t width, height, level_count;
    /* RGBA8, or four halves, each level half of the one before, rounded down; of layers one behind
     * the other */
    const void *const *levels;
    uint32_t layer_count; /* 0: no array */
    bool is_srgb, is_half;
    dw_sampler sampler;
} dw_texture_def;

dw_status dw_renderer_add_texture(dw_renderer *renderer, const dw_texture_def *def, uint32_t *out,
                                  dw_error *err);
void dw_renderer_remove_texture(dw_renderer *renderer, uint32_t handle);

/* Sprites that frames may draw, layer by layer, in this order. */
dw_status dw_renderer_add_sprites(dw_renderer *renderer, const dw_particle_sprite *sprites,
                                  const uint32_t *counts, uint32_t layer_count, const dw_run *run,
                                  uint32_t *out, dw_error *err);
void dw_renderer_remove_sprites(dw_renderer *renderer, uint32_t handle);

/* Heights and weights of a terrain. */
dw_status dw_renderer_add_ground(dw_renderer *renderer, const dw_ground_def *def, const dw_run *run,
                                 uint32_t *out, dw_error *err);
void dw_renderer_remove_ground(dw_renderer *renderer, uint32_t handle);

/* The ranks that draws compare with: words of two each. */
dw_status dw_renderer_set_ranks(dw_renderer *renderer, const uint32_t *words, uint32_t count,
                                const dw_run *run, dw_error *err);

typedef struct dw_renderer_forest {
    dw_forest *forest;
    double planes[24];        /* of the main view */
    double shadow_planes[24]; /* of the sun's */
    double camera[3];         /* LODs and fades go by the distance to it */
    bool casts_shadow, has_hard_shadow;
    dw_forest_bucket *buckets; /* out: [bucket_count + DW_FOREST_COUNTERS] of the main view */
} dw_renderer_forest;

typedef struct dw_renderer_particles {
    dw_hub *hub;                     /* NULL: sprites */
    uint32_t sprites;                /* handle of a set */
    const dw_particle_style *styles; /* of each layer */
    uint32_t layer_count;
    double planes[24]; /* of the view of a hub */
    double camera[3];
    uint64_t tick; /* of sprites; that of a hub is its own */
    uint32_t loop;
    uint32_t *draws; /* out: [layer_count][4], the draws of the layers: vertices, particles, 0, 0 */
} dw_renderer_particles;

typedef struct dw_renderer_ground {
    uint32_t handle;
    dw_ground_draw draw; /* without its set */
    uint32_t *commands;  /* out: [2][DW_GROUND_COMMAND_WORDS], draws of the camera and of the sun */
} dw_renderer_ground;

typedef struct dw_renderer_frame {
    const dw_scene_view *views; /* one for each sub-frame */
    uint32_t sub_frames;
    const dw_scene_material *materials;
    uint32_t material_count; /* >= 1 */
    const float *transforms; /* 12 a row */
    const uint32_t *words;   /* one a row */
    uint32_t row_count;
    const dw_scene_item *items;
    uint32_t item_count;
    dw_renderer_forest *forests;
    uint32_t forest_count;
    dw_renderer_particles *particles;
    uint32_t particle_count;
    const dw_renderer_ground *grounds;
    uint32_t ground_count;
    bool has_sky, has_shadow;
    float clear[4];
} dw_renderer_frame;

/* Width times height each; NULL: not wanted. */
typedef struct dw_renderer_picture {
    uint32_t *color;
    float *depth;
    uint32_t *ids;
} dw_renderer_picture;

/* DW_ERROR_ARGUMENT when an item names what is not there. */
dw_status dw_renderer_render(dw_renderer *renderer, dw_device *device,
                             const dw_renderer_frame *frame, const dw_run *run,
                             const dw_renderer_picture *out, dw_error *err);

const dw_scene_size *dw_renderer_size(const dw_renderer *renderer);

#endif
