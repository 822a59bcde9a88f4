/* SPDX-License-Identifier: MIT */
/* Where the sections of a tree lie in its device buffer.
 * Thread-safety: Safe; no state. */
#ifndef DW_PASSES_TREE_LAYOUT_H
#define DW_PASSES_TREE_LAYOUT_H

#include "base/registry.h"
#include "shared/tree_gpu.h"

/* Bytes of the buffer. Fills the mesh's counts, flags, sections and levels; addresses, the stride
 * and DW_TREE_WANTS_SUMS are the caller's. vertex_count: 0 over boxes. */
uint64_t dw_tree_gpu_layout(const dw_tree_shape *shape, dw_node_format format, bool is_over_boxes,
                            uint32_t vertex_count, dw_tree_mesh *mesh);

#endif
