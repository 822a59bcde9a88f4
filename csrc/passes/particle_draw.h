/* SPDX-License-Identifier: MIT */
/* Draws of particles: one indirect draw a layer, over the surfaces of a picture. Their depth is
 * tested and read, never written, and particles have no ids.
 * Thread-safety: one thread at a time for each command. */
#ifndef DW_PASSES_PARTICLE_DRAW_H
#define DW_PASSES_PARTICLE_DRAW_H

#include "passes/particle_specks.h"
#include "passes/scene_targets.h"
#include "shared/particle_gpu.h"
#include "shared/scene.h"

/* What is drawn, by layers. Draws are VkDrawIndirectCommands {4, count, 0, 0}. */
typedef struct dw_particle_draws {
    const dw_gpu_buffer *sprites;
    const dw_gpu_buffer *list;     /* sprites in the order of drawing, layer by layer */
    const dw_gpu_buffer *spans;    /* one dw_particle_span a layer */
    const dw_gpu_buffer *commands; /* one a layer */
    const dw_particle_style *styles;
    uint32_t layer_count;
    uint64_t used;   /* a bit for each layer that has a draw */
    uint64_t specks; /* a bit for each whose specks are added without raster */
    const dw_particle_specks *speck_buffers; /* where there are some */
    uint64_t tick;                           /* of the clock that flames move by */
    uint32_t loop;                           /* ticks after which it repeats; 0: never */
} dw_particle_draws;

/* Whether the specks of a layer of so many particles are added without raster. */
bool dw_particle_adds_specks(const dw_particle_style *style, uint64_t particles);

/* Whether there are specks among what is drawn, whose light is in the sums alone. */
bool dw_particle_has_specks(const dw_particle_draws *draws, uint32_t draw_count);

typedef struct dw_particle_picture {
    const dw_scene_targets *targets;
    dw_gpu_binding view;              /* the sub-frame's dw_scene_view */
    const dw_scene_view *view_record; /* the same on the host */
    const dw_scene_texture *textures; /* what styles name */
    const dw_gpu_buffer *speck_sums;  /* DW_SPECK_WORDS a pixel, where there are specks */
    bool has_shadow;
} dw_particle_picture;

/* Sums up the light of specks, which the resolve adds; then one pass over all of them: of each the
 * sorted layers first, then those over what is there in any order, then what adds. */
dw_status dw_particle_draw_record(dw_command *command, dw_gpu *gpu,
                                  const dw_particle_picture *picture,
                                  const dw_particle_draws *draws, uint32_t draw_count,
                                  dw_error *err);

/* Sprites of one's own in the form of a hub's, in the order of drawing. */
typedef struct dw_sprite_set {
    dw_gpu_buffer sprites, list, spans, commands;
    uint32_t layer_count;
    uint32_t counts[DW_PARTICLE_LAYERS_MAX]; /* of sprites */
    uint64_t used;                           /* layers that have some */
} dw_sprite_set;

/* counts: sprites of each layer, one after another; layer_count <= DW_PARTICLE_LAYERS_MAX. */
dw_status dw_sprite_set_create(dw_gpu *gpu, const dw_particle_sprite *sprites,
                               const uint32_t *counts, uint32_t layer_count, const dw_run *run,
                               dw_sprite_set *out, dw_error *err);
/* Accepts a zeroed one. */
void dw_sprite_set_destroy(dw_sprite_set *set);

#endif
