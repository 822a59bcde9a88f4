/* SPDX-License-Identifier: MIT */
/* Work on particles in even pieces: rows in groups, and the slots of each group in items.
 * Thread-safety: Safe on distinct plans. */
#ifndef DW_CPU_PARTICLES_PLAN_H
#define DW_CPU_PARTICLES_PLAN_H

#include "cpu/particles.h"

#define DW_PARTICLE_ITEM_SLOTS 2048
#define DW_PARTICLE_PLAN_ROWS  1024

/* How slots of a row live. */
enum {
    DW_ROW_RULE_CYCLE,
    DW_ROW_RULE_BURST,
    DW_ROW_RULE_ONCE,
    DW_ROW_RULE_PLAIN, /* slot by slot: in a loop, or with an age that is remembered */
    DW_ROW_RULE_SHOWN, /* as their states show */
    DW_ROW_RULE_NONE,  /* none does */
};

/* What work on slots needs to know of their row. */
typedef struct dw_particle_row {
  uint32_t slots : 24;       /* that are looked at */
    uint32_t rule : 4;       /* DW_ROW_RULE_* */
    uint32_t is_mixed : 1;   /* some may not live */
    uint32_t is_trail : 1;   /* some may have stayed behind */
    uint32_t is_bounded : 1; /* ages beyond some do not live */
    uint16_t part;
} dw_particle_row;

/* At most DW_PARTICLE_PLAN_ROWS rows of one layer. */
typedef struct dw_particle_group {
    uint32_t first_row, row_count, layer;
    uint32_t rows_in_view;
    bool is_mixed;       /* some rows are */
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
    dw_particle_row *rows; /* by row, filled by the caller */
    dw_particle_group *groups;
    dw_particle_item *items;
    uint32_t row_room;
    uint32_t group_count, group_room;
    uint32_t item_count, item_room;
    uint64_t slot_total;
} dw_particle_plan;

/* No groups, and room for what is known of each of `row_count` rows. */
dw_status dw_particles_plan_begin(dw_particle_plan *plan, uint32_t row_count, dw_error *err);

/* Groups of rows of one layer are added to those that the plan has. */
dw_status dw_particles_plan_rows(dw_particle_plan *plan, uint32_t first_row, uint32_t row_count,
                                 uint32_t layer, dw_error *err);

/* Items, once slots of groups are counted. */
dw_status dw_particles_plan_items(dw_particle_plan *plan, dw_error *err);

void dw_particles_plan_finish(dw_particle_plan *plan);

/* How far work on an item is. */
typedef struct dw_particle_walk {
    const dw_particle_tables *tables;
    const dw_particle_row *rows;
    uint32_t row, slot, left;
    bool skips_living; /* of rows that are not mixed, only to count them */
    uint32_t living;
} dw_particle_walk;

dw_particle_walk dw_particles_walk(const dw_particle_tables *tables, const dw_particle_plan *plan,
                                   const dw_particle_item *item);

#endif
