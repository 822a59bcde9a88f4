/* SPDX-License-Identifier: MIT */
/* Work on particles in even pieces: rows in groups, and the slots of each group in items.
 * Thread-safety: Safe on distinct plans. */
#ifndef DW_CPU_PARTICLES_PLAN_H
#define DW_CPU_PARTICLES_PLAN_H

#include "cpu/particles.h"

#define DW_PARTICLE_ITEM_SLOTS 2048

/* At most DW_PARTICLE_ROW_GROUP rows of one layer. */
typedef struct dw_particle_group {
    uint32_t first_row, row_count, layer;
    uint32_t rows_in_view;
    bool is_full;        /* all slots live */
    uint64_t slot_count; /* that are looked at */
} dw_particle_group;

/* Slots [begin, begin + slot_count) of a group, counted over its rows. */
typedef struct dw_particle_item {
    uint32_t group, slot_count;
    uint64_t begin;
    uint64_t at;    /* slots of all items before */
    uint64_t first; /* what all items before give, once that is known */
    uint32_t count; /* what this one gives */
} dw_particle_item;

typedef struct dw_particle_plan {
    dw_particle_group *groups;
    dw_particle_item *items;
    uint32_t group_count, group_room;
    uint32_t item_count, item_room;
    uint64_t slot_total;
} dw_particle_plan;

/* Slots of a row that are looked at. */
static inline uint32_t dw_particles_row_slots(const dw_particle_tables *tables,
                                              const uint32_t *kept, uint32_t row)
{
    const dw_particle_emitter *e = &tables->emitters[row];

    if (kept != NULL)
        return dw_particle_kept_slots(kept[row]);
    return e->part == DW_PARTICLE_NONE ? 0 : e->count;
}

/* Groups of rows of one layer are added to those that the plan has. */
dw_status dw_particles_plan_rows(dw_particle_plan *plan, uint32_t first_row, uint32_t row_count,
                                 uint32_t layer, dw_error *err);

/* Items, once slots of groups are counted. */
dw_status dw_particles_plan_items(dw_particle_plan *plan, dw_error *err);

void dw_particles_plan_finish(dw_particle_plan *plan);

/* How far work on an item is. */
typedef struct dw_particle_walk {
    const dw_particle_tables *tables;
    const uint32_t *kept; /* by row; NULL: all slots */
    uint32_t row, slot, left;
} dw_particle_walk;

dw_particle_walk dw_particles_walk(const dw_particle_tables *tables, const uint32_t *kept,
                                   const dw_particle_plan *plan, const dw_particle_item *item);

#endif
