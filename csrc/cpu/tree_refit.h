/* SPDX-License-Identifier: MIT */
/* Parts of a refit: sums over a treelet's boxes as they are stored.
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

/* Children of the treelet's nodes; with the root's own box where the treelet has the root. */
void dw_refit_add_sums(const dw_tree *tree, const dw_tree_frame *frame,
                       const dw_tree_treelet *treelet, dw_refit_totals *totals);

#endif
