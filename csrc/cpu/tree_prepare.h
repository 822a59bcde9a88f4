/* SPDX-License-Identifier: MIT */
/* What a tree is built from: which vertices are used, the bounds that builds and refits share,
 * boxes in unit space, and their order along a Morton curve.
 * Thread-safety: Safe on distinct outputs. */
#ifndef DW_CPU_TREE_PREPARE_H
#define DW_CPU_TREE_PREPARE_H

#include "cpu/tree_build.h"

/* Of coordinates as dw_tree_coordinate gives them. */
typedef struct dw_tree_bounds {
    float low[3], high[3];
    bool is_empty; /* nothing is in range: low and high are 0 */
} dw_tree_bounds;

/* Around all vertices in range that are used: a bit each, NULL: all. Allocates nothing. */
dw_status dw_tree_vertex_bounds(const dw_tree_vertices *vertices, const uint32_t *used,
                                dw_tree_bounds *out, const dw_run *run, dw_error *err);

/* Around all active boxes. */
dw_status dw_tree_box_bounds(const float *boxes, uint32_t count, dw_tree_bounds *out,
                             const dw_run *run, dw_error *err);

/* Low x y z, high x y z: in range, and low is nowhere above high. */
bool dw_tree_box_is_active(const float box[6]);

/* A bit for each vertex that triangles name; NULL: all are. DW_ERROR_ARGUMENT names the first
 * triangle with an index out of range. */
dw_status dw_tree_find_used(const dw_tree_source *source, uint32_t **out, const dw_run *run,
                            dw_error *err);

/* Items, keys in the order of rows, and how many are inactive. */
dw_status dw_tree_make_items(dw_tree_work *work, const dw_tree_bounds *bounds, const dw_run *run,
                             dw_error *err);

#endif
