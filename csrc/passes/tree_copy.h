/* SPDX-License-Identifier: MIT */
/* Trees between host and device memory.
 * Thread-safety: Safe on distinct trees. */
#ifndef DW_PASSES_TREE_COPY_H
#define DW_PASSES_TREE_COPY_H

#include "cpu/tree.h"
#include "gpu/transfer.h"
#include "shared/tree_gpu.h"

/* A buffer with the tree as it is: order, boxes, frame. *mesh gets all but addresses, the stride
 * and DW_TREE_WANTS_SUMS. Both are written on success only. */
dw_status dw_tree_gpu_upload(dw_gpu *gpu, const dw_tree *tree, dw_gpu_buffer *buffer,
                             dw_tree_mesh *mesh, const dw_run *run, dw_error *err);

/* Nodes, triangles, treelets, frame and sums into the arrays of a native tree of the same shape. */
dw_status dw_tree_gpu_download(const dw_gpu_buffer *buffer, const dw_tree_mesh *mesh, dw_tree *tree,
                               const dw_run *run, dw_error *err);

/* The root's box as the last refit left it; false when it is empty. `head`: DW_TREE_HEAD_WORDS. */
bool dw_tree_head_box(const uint32_t *head, float low[3], float high[3]);

#endif
