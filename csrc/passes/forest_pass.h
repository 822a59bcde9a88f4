/* SPDX-License-Identifier: MIT */
/* A forest's table on a Vulkan device, and the cull of cpu/forest_cull.h there: a step over all
 * rows, a scan, the lists. Both give the same bytes.
 * Thread-safety: one thread at a time for each dw_forest_gpu. */
#ifndef DW_PASSES_FOREST_PASS_H
#define DW_PASSES_FOREST_PASS_H

#include "base/threads.h"
#include "cpu/forest_cull.h"
#include "gpu/command.h"

typedef struct dw_forest_gpu dw_forest_gpu;

typedef enum dw_forest_array {
    DW_FOREST_RECORDS,
    DW_FOREST_TRANSFORMS,
    DW_FOREST_INFOS,
    DW_FOREST_DISSOLVES,
    DW_FOREST_ARRAY_COUNT,
} dw_forest_array;

/* From row begin up to, not including, end. */
typedef struct dw_forest_range {
    uint32_t begin, end;
} dw_forest_range;

/* The host's side. A forest on several devices keeps its ranges for each. */
typedef struct dw_forest_arrays {
    uint32_t row_count, row_capacity;
    const void *arrays[DW_FOREST_ARRAY_COUNT];
    uint32_t row_bytes[DW_FOREST_ARRAY_COUNT];
    dw_forest_range dirty[DW_FOREST_ARRAY_COUNT];
    const dw_forest_params *params; /* NULL: as before */
    const dw_forest_draw *draws;    /* [draw_count]; NULL: as before */
    uint32_t draw_count;
} dw_forest_arrays;

dw_status dw_forest_gpu_create(dw_gpu *gpu, dw_forest_gpu **out, dw_error *err);

/* Accepts NULL. Also after the device was closed. */
void dw_forest_gpu_destroy(dw_forest_gpu *forest);

/* Uploads what changed. When the table grows, all of it, and what views remember moves along.
 * DW_ERROR_CAPACITY when a binding of the device cannot hold the table. On failure the call may be
 * made again with the same ranges. */
dw_status dw_forest_gpu_update(dw_forest_gpu *forest, const dw_forest_arrays *host,
                               const dw_run *run, dw_error *err);

/* Records the cull of the updated table: of the main view, or with DW_FOREST_IS_SHADOW of a light,
 * which has lists of its own. view->row_count and group_count are set here. Failures show at
 * submit. */
void dw_forest_gpu_cull(dw_forest_gpu *forest, dw_command *command, const dw_forest_view *view);

/* For draws and downloads. */
typedef struct dw_forest_view_buffers {
    const dw_gpu_buffer *entries;  /* dw_forest_entry */
    const dw_gpu_buffer *buckets;  /* dw_forest_bucket */
    const dw_gpu_buffer *commands; /* dw_forest_command, one a draw */
} dw_forest_view_buffers;

typedef struct dw_forest_table_buffers {
    const dw_gpu_buffer *transforms; /* 12 floats a row: three rows of a 3 x 4 matrix */
    const dw_gpu_buffer *infos;      /* a word a row */
    const dw_gpu_buffer *states;     /* dw_forest_state */
    const dw_gpu_buffer *dissolves;  /* words a row by the encoding */
} dw_forest_table_buffers;

dw_forest_view_buffers dw_forest_gpu_view(const dw_forest_gpu *forest, bool is_shadow);
dw_forest_table_buffers dw_forest_gpu_table(const dw_forest_gpu *forest);

uint32_t dw_forest_gpu_draw_count(const dw_forest_gpu *forest);

#endif
