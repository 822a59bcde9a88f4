/* SPDX-License-Identifier: MIT */
/* Whether arrays are a tree: what comes from outside is looked at before anything walks it.
 * Thread-safety: Safe on distinct outputs. */
#ifndef DW_CPU_TREE_CHECK_H
#define DW_CPU_TREE_CHECK_H

#include "cpu/tree.h"

/* All that a refit and a walk rely on: order, refs, levels, depth, vertices. The arrays have the
 * lengths that `shape` and `treelet_rows` say. DW_ERROR_ARGUMENT names what is wrong. */
dw_status dw_tree_check(const dw_tree *tree, uint32_t treelet_rows, dw_error *err);

/* Sets a bit for each vertex that a triangle names. */
void dw_tree_mark_used(const dw_tree *tree, uint32_t *bits);

#endif
