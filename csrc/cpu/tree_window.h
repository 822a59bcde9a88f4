/* SPDX-License-Identifier: MIT */
/* A window of up to DW_TREE_WINDOW neighbouring clusters of H-PLOC, of which mutual nearest pairs
 * are merged round by round.
 * Thread-safety: Safe on distinct windows whose clusters hold distinct places. */
#ifndef DW_CPU_TREE_WINDOW_H
#define DW_CPU_TREE_WINDOW_H

#include "cpu/tree_build.h"

#define DW_WINDOW_EDGE 16 /* boxes far away on either side; at least the radius */
#define DW_WINDOW_SIDE (DW_WINDOW_EDGE + DW_TREE_WINDOW + DW_WINDOW_EDGE)

/* Clusters lie at DW_WINDOW_EDGE and on. */
typedef struct dw_tree_window {
    float low[3][DW_WINDOW_SIDE], high[3][DW_WINDOW_SIDE];
    uint32_t areas[DW_TREE_RADIUS][DW_WINDOW_SIDE]; /* of the union with the one 1 + row on */
    uint32_t nearest[DW_TREE_WINDOW];
    uint32_t count;
    dw_tree_cluster clusters[DW_TREE_WINDOW];
} dw_tree_window;

void dw_tree_window_init(dw_tree_window *window);
void dw_tree_window_clear(dw_tree_window *window);
void dw_tree_window_add(dw_tree_window *window, const dw_tree_cluster *clusters, uint32_t count);
void dw_tree_window_add_item(dw_tree_window *window, const dw_tree_work *work, uint32_t place);

/* Merges until at most `most` clusters are left; how often a pair had to be forced. */
uint32_t dw_tree_window_merge(dw_tree_window *window, dw_tree_work *work, uint32_t most);

/* The clusters that are left, in their order; their number. */
uint32_t dw_tree_window_take(const dw_tree_window *window, dw_tree_cluster *out);

#endif
