/* SPDX-License-Identifier: MIT */
/* Particles of class S in native code: the particles that live at a tick, and the sprites that a
 * view shows of them. shared/particle.h, particle_motion.h and particle_view.h say what they are.
 * Thread-safety: Safe on distinct outputs; tables are only read. */
#ifndef DW_CPU_PARTICLES_H
#define DW_CPU_PARTICLES_H

#include "base/status.h"
#include "base/threads.h"
#include "shared/particle_motion.h"
#include "shared/particle_shown.h"
#include "shared/particle_view.h"

/* What particles are made from. Rows of a layer lie in its region; rows whose part is
 * DW_PARTICLE_NONE are free. */
typedef struct dw_particle_tables {
    const dw_particle_emitter *emitters;
    const dw_particle_part *parts;
    const dw_particle_region *regions;
    const float *curves;    /* knots */
    const uint32_t *colors; /* knots of ramps, and colours to pick from */
    const float *points;    /* 3 floats each, from the emitter's position */
    const uint32_t *shown;  /* DW_SHOWN_* of slots with state, in planes; NULL: all are dead */
    uint32_t row_count, part_count, layer_count;
    uint32_t curve_count; /* floats */
    uint32_t color_count, point_count;
    uint32_t shown_pitch;   /* words of a plane */
    uint64_t sorted_layers; /* a bit for each layer with DW_PARTICLE_BLEND_SORTED */
    bool is_plain;          /* slot by slot, without vectors: slow, for comparison */
} dw_particle_tables;

/* Whether every index of the tables lies in them, and every number is one that the shared code
 * bears. Everything below takes that for granted. */
dw_status dw_particles_check(const dw_particle_tables *tables, dw_error *err);

/* Slots of all rows in [first_row, first_row + row_count). */
uint64_t dw_particles_slot_total(const dw_particle_tables *tables, uint32_t first_row,
                                 uint32_t row_count);

/* The living particles of rows at the hub's tick `now`, below DW_PARTICLE_TICKS_MAX, by row and
 * slot. camera: position in the world, for parts with DW_PART_IS_VIEW; NULL: the emitter's. out
 * has room for dw_particles_slot_total; *out_count is written on success. */
dw_status dw_particles_state(const dw_particle_tables *tables, uint32_t first_row,
                             uint32_t row_count, uint64_t now, const float *camera,
                             const dw_run *run, dw_particle *out, uint64_t *out_count,
                             dw_error *err);

/* What a view shows. Sprites of a layer lie at [layer_first, layer_first + layer_count), by row and
 * slot, those of sorted layers by depth key and then by row and slot. Zeroed at first; kept from
 * call to call, so that no call allocates unless it needs more room than all before. */
typedef struct dw_particle_seen {
    dw_particle_sprite *sprites;
    uint64_t sprite_count;
    uint64_t layer_first[DW_PARTICLE_LAYERS_MAX], layer_count[DW_PARTICLE_LAYERS_MAX];
    uint64_t layer_candidates[DW_PARTICLE_LAYERS_MAX]; /* slots looked at */
    uint32_t rows_in_view[DW_PARTICLE_LAYERS_MAX];     /* rows that keep slots */
    struct dw_particle_room *room;
} dw_particle_seen;

dw_status dw_particles_see(const dw_particle_tables *tables, const dw_particle_view *view,
                           const dw_run *run, dw_particle_seen *out, dw_error *err);
void dw_particle_seen_finish(dw_particle_seen *seen);

#endif
