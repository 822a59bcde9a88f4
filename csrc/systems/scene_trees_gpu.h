/* SPDX-License-Identifier: MIT */
/* What scene_trees_gpu.c (builds, refits, samples) and scene_trees_gpu_top.c (the top level and
 * rays) share.
 * Thread-safety: as systems/scene_trees.h. */
#ifndef DW_SYSTEMS_SCENE_TREES_GPU_H
#define DW_SYSTEMS_SCENE_TREES_GPU_H

#include "passes/tree_build_pass.h"
#include "passes/tree_copy.h"
#include "passes/tree_layout.h"
#include "passes/tree_refit_pass.h"
#include "passes/tree_trace_pass.h"
#include "systems/scene_trees_internal.h"

#define DW_SAMPLE_SLOTS 4 /* batches of samples on their way; more are not taken */
#define DW_HEAD_BYTES   (DW_TREE_HEAD_WORDS * sizeof(uint32_t))

/* Heads of trees that a submission copies back. */
typedef struct dw_sample_slot {
    dw_gpu_buffer heads;
    dw_trees_sample *rows; /* mesh and serial are known from the begin */
    uint32_t count, capacity;
    dw_ticket ticket;
    bool is_busy;
} dw_sample_slot;

/* A table that the host fills and the device has a copy of. */
typedef struct dw_trees_table {
    void *rows;
    uint32_t capacity;
    dw_gpu_buffer buffer;
    void *sent; /* what the buffer holds */
    uint32_t sent_capacity;
    uint64_t sent_bytes;
} dw_trees_table;

typedef struct dw_trees_gpu {
    dw_gpu *gpu;
    dw_tree_builder_gpu *builder; /* of the build under way */
    dw_tree_builder_gpu *at_once; /* of new meshes and the top level */
    dw_refit_gpu *refit, *top_refit;

    dw_ticket build_ticket;
    double build_begin;
    dw_tree_builder build_kind;
    dw_trees_mesh *build_mesh; /* NULL: none */

    dw_refit_item *items;
    uint32_t item_capacity;
    dw_gpu_rows *parts; /* to be uploaded before what is recorded next */
    uint32_t part_count, part_capacity;
    dw_gpu_binding *reached; /* trees and vertices of all meshes, and the top level */
    uint32_t reached_count, reached_capacity;
    dw_sample_slot slots[DW_SAMPLE_SLOTS];
    uint32_t first_slot; /* the oldest */

    dw_tree_gpu_built top;
    bool has_top;
    dw_gpu_buffer boxes;
    dw_trees_table meshes; /* in the order of rows, then the top level */
    dw_trees_table instances;
    dw_trace_gpu *trace;
} dw_trees_gpu;

void dw_trees_gpu_item(const dw_trees_mesh *mesh, const dw_placed_tree *tree, dw_refit_item *out);

/* A buffer of at least this size. */
dw_status dw_trees_gpu_fit(dw_gpu *gpu, dw_gpu_buffer *buffer, uint64_t bytes, const char *name,
                           dw_error *err);

/* Tables of meshes and instances, on the device before anything that is recorded later. */
dw_status dw_trees_gpu_send_tables(dw_scene_trees *trees, const dw_run *run, dw_error *err);

/* Records the instances' boxes from the roots of their meshes, and a refit of the top level. */
dw_status dw_trees_gpu_record_boxes(dw_scene_trees *trees, dw_command *command, dw_error *err);
dw_status dw_trees_gpu_record_top(dw_scene_trees *trees, dw_command *command, dw_error *err);

/* Builds a top level over boxes that have been recorded; waits. */
dw_status dw_trees_gpu_build_top(dw_scene_trees *trees, const dw_run *run, dw_error *err);
void dw_trees_gpu_finish_top(dw_trees_gpu *gpu);

dw_status dw_trees_gpu_get_bounds(dw_scene_trees *trees, const dw_run *run, bool *has_any,
                                  float out[6], dw_error *err);
dw_status dw_trees_gpu_trace(dw_scene_trees *trees, const dw_trace_rays *rays,
                             const dw_trace_hits *hits, const dw_run *run, dw_error *err);
dw_status dw_trees_gpu_occluded(dw_scene_trees *trees, const dw_trace_rays *rays, uint8_t *out,
                                const dw_run *run, dw_error *err);

#endif
