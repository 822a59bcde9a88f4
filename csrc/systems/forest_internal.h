/* SPDX-License-Identifier: MIT */
/* What forest.c (the table) and forest_view.c (views of it) share.
 * Thread-safety: as systems/forest.h. */
#ifndef DW_SYSTEMS_FOREST_INTERNAL_H
#define DW_SYSTEMS_FOREST_INTERNAL_H

#include "systems/forest.h"

#define DW_FOREST_DEVICES_MAX 16

/* What one device has of the table. */
typedef struct dw_forest_target {
    dw_device *device;
    dw_forest_gpu *gpu; /* NULL: native */
    dw_forest_range dirty[DW_FOREST_ARRAY_COUNT];
    uint32_t draws_version;
    bool has_params;
    bool has_time;
    int64_t last_ticks; /* of its last frame */
} dw_forest_target;

struct dw_forest {
    dw_forest_def def;
    dw_forest_params params;
    dw_dissolve_field *field; /* owns the rows */

    /* By row. */
    uint32_t capacity;
    dw_forest_record *records;
    float *transforms; /* [capacity * 12] */
    uint32_t *infos;
    dw_forest_state *states;                      /* of native views */
    dw_forest_range dirty[DW_FOREST_ARRAY_COUNT]; /* not yet handed to the targets */
    bool has_bounds;                              /* bounds are those of the records */
    float bounds[6];

    dw_forest_draw *draws;
    uint32_t draw_count, draws_version;

    int target_count;
    dw_forest_target targets[DW_FOREST_DEVICES_MAX];

    /* Lists of native views, and of device views that were read back. */
    uint32_t list_capacity, command_capacity;
    size_t count_capacity;
    dw_forest_lists lists;
    dw_forest_state *read_states;
    dw_forest_command *commands;
};

/* The words that devices get as the dissolve state. */
const void *dw_forest_dissolves(const dw_forest *forest);

/* Frees what views have made. */
void dw_forest_finish_views(dw_forest *forest);

#endif
