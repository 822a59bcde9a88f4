/* SPDX-License-Identifier: MIT */
/* Particles of class S on a Vulkan device: the sprites that a view shows, ready to be drawn, and
 * the particles that live at a tick. Both have the bytes of cpu/particles.h. Thread-safety: one
 * thread at a time for each dw_particle_gpu. */
#ifndef DW_PASSES_PARTICLE_PASS_H
#define DW_PASSES_PARTICLE_PASS_H

#include "base/threads.h"
#include "gpu/command.h"
#include "shared/particle.h"
#include "shared/particle_gpu.h"

typedef struct dw_particle_gpu dw_particle_gpu;

typedef enum dw_particle_table {
    DW_PARTICLE_EMITTERS,
    DW_PARTICLE_PARTS,
    DW_PARTICLE_REGIONS, /* one a layer */
    DW_PARTICLE_CURVES,  /* floats */
    DW_PARTICLE_COLORS,
    DW_PARTICLE_POINTS, /* 3 floats each */
    DW_PARTICLE_TABLE_COUNT,
} dw_particle_table;

/* From row begin up to, not including, end. */
typedef struct dw_particle_range {
    uint32_t begin, end;
} dw_particle_range;

/* The host's side. Particles on several devices keep their ranges for each. */
typedef struct dw_particle_host {
    const void *rows[DW_PARTICLE_TABLE_COUNT];
    uint32_t counts[DW_PARTICLE_TABLE_COUNT];
    dw_particle_range dirty[DW_PARTICLE_TABLE_COUNT];
    /* At least the sum of `count` over the rows of each layer. */
    uint64_t layer_slots[DW_PARTICLE_LAYERS_MAX];
    uint64_t sorted_layers; /* a bit for each layer with DW_PARTICLE_BLEND_SORTED */
} dw_particle_host;

dw_status dw_particle_gpu_create(dw_gpu *gpu, dw_particle_gpu **out, dw_error *err);

/* Accepts NULL. Also after the device was closed. */
void dw_particle_gpu_destroy(dw_particle_gpu *particles);

/* Subgroups of 32 lanes are used where there are any; without them all has the same bytes. For
 * tests and measurements. */
dw_status dw_particle_gpu_set_wide(dw_particle_gpu *particles, bool is_wide, dw_error *err);

/* Uploads what changed; a table that grows, whole. DW_ERROR_CAPACITY when a buffer of the device
 * cannot hold a table or the sprites. On failure the call may be made again with the same ranges.
 */
dw_status dw_particle_gpu_update(dw_particle_gpu *particles, const dw_particle_host *host,
                                 const dw_run *run, dw_error *err);

/* Slots with state are read from `shown`, DW_SHOWN_* of shared/particle_shown.h in a buffer as long
 * as its planes, which stays what it is while it is used; NULL: there are none. */
dw_status dw_particle_gpu_set_shown(dw_particle_gpu *particles, const dw_gpu_buffer *shown,
                                    dw_error *err);

/* A table's buffer as it was last updated. */
const dw_gpu_buffer *dw_particle_gpu_get_table(const dw_particle_gpu *particles,
                                               dw_particle_table table);

/* Records what makes the sprites of a view of the updated tables. view->row_count and layer_count
 * are set here. What it sends is the push constants of two dispatches. Failures show at submit. */
void dw_particle_gpu_see(dw_particle_gpu *particles, dw_command *command,
                         const dw_particle_view *view);

/* For draws and downloads: the sprites of layer l are sprites[list[spans[l].first + i]] for i below
 * spans[l].count. The buffers stay the same from update to update. */
typedef struct dw_particle_buffers {
    const dw_gpu_buffer *sprites; /* dw_particle_sprite */
    const dw_gpu_buffer *list;    /* uint32_t */
    const dw_gpu_buffer *spans;   /* dw_particle_span, one a layer */
    const dw_gpu_buffer
        *commands; /* VkDrawIndirectCommand {4, spans[l].count, 0, 0}, one a layer */
    uint32_t layer_count;
} dw_particle_buffers;

dw_particle_buffers dw_particle_gpu_get_buffers(const dw_particle_gpu *particles);

/* The living particles of rows [first_row, first_row + row_count) at the hub's tick `now`, by row
 * and slot, downloaded. camera: position in the world, for parts with DW_PART_IS_VIEW; NULL: the
 * emitter's. `out` has room for all slots of the rows. */
dw_status dw_particle_gpu_state(dw_particle_gpu *particles, uint32_t first_row, uint32_t row_count,
                                uint64_t now, const float *camera, const dw_run *run,
                                dw_particle *out, uint64_t *out_count, dw_error *err);

#endif
