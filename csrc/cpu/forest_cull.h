/* SPDX-License-Identifier: MIT */
/* Which instances of a forest a view draws, by which LOD, and what fades hide of them: one list of
 * rows for each LOD of each variant, in the order of the rows.
 * Thread-safety: Safe; callers own all memory. */
#ifndef DW_CPU_FOREST_CULL_H
#define DW_CPU_FOREST_CULL_H

#include "base/threads.h"
#include "shared/forest.h"

/* As it lies in device memory, too. */
typedef struct dw_forest_params {
    dw_forest_rules rules;
    dw_forest_cut cuts[DW_FOREST_LODS_MAX];  /* [0] is not read */
    uint32_t meshes[DW_FOREST_VARIANTS_MAX]; /* see dw_forest_mesh */
} dw_forest_params;

/* Arrays by row. */
typedef struct dw_forest_rows {
    const dw_forest_record *records;
    const uint32_t *infos;
    const uint32_t *dissolves; /* dw_forest_dissolve_words a row */
    dw_forest_state *states;   /* brought up to date by views that are not of a shadow */
} dw_forest_rows;

typedef struct dw_forest_lists {
    dw_forest_entry *entries;  /* [2 * row_count] */
    dw_forest_bucket *buckets; /* [bucket_count + DW_FOREST_COUNTERS] */
    dw_forest_cell *cells;     /* [row_count]: scratch */
    uint32_t *counts;          /* [dw_forest_cull_counts]: scratch */
} dw_forest_lists;

/* Words of the dissolve state of a row. */
uint32_t dw_forest_dissolve_words(uint32_t encoding);

size_t dw_forest_cull_counts(uint32_t row_count, uint32_t bucket_count);

/* view->group_count is not read. On DW_ERROR_INTERRUPTED the lists are unspecified, and some states
 * are those of the new view. */
dw_status dw_forest_cull(const dw_forest_params *params, const dw_forest_view *view,
                         const dw_forest_rows *rows, const dw_forest_lists *lists,
                         const dw_run *run, dw_error *err);

/* The commands of a draw table. */
void dw_forest_make_commands(const dw_forest_draw *draws, uint32_t draw_count,
                             const dw_forest_bucket *buckets, dw_forest_command *out);

#endif
