/* SPDX-License-Identifier: MIT */
/* Parts of a refit: boxes of a treelet's triangles, and sums over its boxes as they are stored.
 * Thread-safety: Safe on distinct outputs. */
#ifndef DW_CPU_TREE_REFIT_H
#define DW_CPU_TREE_REFIT_H

#include "cpu/tree.h"

/* As dw_tree_sums, in whole words: the products along x y, y z and z x. */
typedef struct dw_refit_totals {
    uint64_t inner[3], leaves[3];
    uint64_t inactive;
    uint64_t spare; /* 64 bytes, so that workers write lines of their own */
} dw_refit_totals;

#define DW_REFIT_LANES 16 /* arrays end at whole vectors of this many floats */

/* Boxes of a treelet's triangles, or of the boxes that it is over: x y z and a lane of anything. */
typedef struct dw_refit_items {
    float low[DW_TREE_TREELET][4], high[DW_TREE_TREELET][4];
} dw_refit_items;

/* False when one is inactive: its box is then of no use. */
bool dw_refit_box_items(const dw_tree *tree, const dw_tree_pose *pose,
                        const dw_tree_treelet *treelet, dw_refit_items *out);

/* item: a triangle in tree order. */
bool dw_refit_is_active(const dw_tree *tree, const dw_tree_pose *pose, uint32_t item);

/* Children of the treelet's nodes; with the root's own box where the treelet has the root. */
void dw_refit_add_sums(const dw_tree *tree, const dw_tree_frame *frame,
                       const dw_tree_treelet *treelet, dw_refit_totals *totals);

#endif
