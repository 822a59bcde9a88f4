/* SPDX-License-Identifier: MIT */
/* Refits of trees in device memory, many meshes in a constant number of dispatches: bounds, one
 * dispatch a level of treelets, sums. Boxes are those of cpu/tree.h's dw_tree_refit, byte for byte.
 * Thread-safety: Unsafe; one thread at a time. */
#ifndef DW_PASSES_TREE_REFIT_PASS_H
#define DW_PASSES_TREE_REFIT_PASS_H

#include "gpu/command.h"
#include "shared/tree_gpu.h"

/* Equal bytes either way. */
typedef enum dw_refit_variant {
    DW_REFIT_BEST,   /* for the device */
    DW_REFIT_SERIAL, /* a lane a treelet: no barriers */
    DW_REFIT_WIDE,   /* a workgroup a treelet */
} dw_refit_variant;

/* A tree to refit. Addresses in `mesh` are filled by the pass; its sections are those of
 * dw_tree_gpu_layout, and vertex_stride and DW_TREE_WANTS_SUMS the caller's. */
typedef struct dw_refit_item {
    dw_tree_mesh mesh;
    const dw_gpu_buffer *tree;
    const dw_gpu_buffer *vertices; /* of the pose, or boxes; NULL: there are none */
    uint64_t vertices_offset;      /* bytes, a multiple of 4 */
    const dw_gpu_buffer *dirty;    /* a bit a vertex, or a box, that may have moved; NULL: all */
} dw_refit_item;

/* The tables of a batch. They stay on the device while batches are alike. */
typedef struct dw_refit_gpu dw_refit_gpu;

dw_status dw_refit_gpu_create(dw_gpu *gpu, dw_refit_variant variant, dw_refit_gpu **out,
                              dw_error *err);
void dw_refit_gpu_destroy(dw_refit_gpu *refit); /* accepts NULL */

/* Once a command: what it refits twice, and meshes and the top level over them, take an object
 * each. */
dw_status dw_refit_gpu_record(dw_refit_gpu *refit, dw_command *command, const dw_refit_item *items,
                              uint32_t count, dw_error *err);

/* After a recorded command was not submitted. */
void dw_refit_gpu_forget(dw_refit_gpu *refit);

/* Fills the addresses. */
void dw_refit_item_set_addresses(dw_refit_item *item);

/* Boxes of instances, six floats each, from the boxes of their meshes' roots. */
typedef struct dw_instances_def {
    const dw_gpu_buffer *meshes;    /* [] dw_tree_mesh, with addresses */
    const dw_gpu_buffer *instances; /* [] dw_tree_instance */
    const dw_gpu_buffer *boxes;
    uint32_t count;
    const dw_gpu_binding *trees; /* of the meshes, DW_USE_COMPUTE_READ */
    uint32_t tree_count;
} dw_instances_def;

dw_status dw_instances_gpu_record(dw_gpu *gpu, dw_command *command, const dw_instances_def *def,
                                  dw_error *err);

#endif
