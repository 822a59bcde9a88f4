/* SPDX-License-Identifier: MIT */
/* Trees with eight children a node, for walks on the processor: derived from the shape of a binary
 * tree, with its planes, and with the triangles' corners beside each other in tree order. A refit
 * makes it stale; dw_wide_refresh brings it to the tree's boxes again.
 * Thread-safety: a wide tree belongs to one writer at a time; concurrent readers are safe. */
#ifndef DW_CPU_TREE_WIDE_H
#define DW_CPU_TREE_WIDE_H

#include "cpu/tree.h"

#define DW_WIDE_CHILDREN 8
#define DW_WIDE_STACK    (7 * DW_TREE_DEPTH_MAX + 8) /* seven children of each node of a way down */

/* Planes of the binary tree's grid: x low, x high, y low, .. for each child. refs: a node's index,
 * DW_TREE_LEAF and a block's, or DW_TREE_NONE. */
typedef struct dw_wide_node {
    uint16_t planes[6][DW_WIDE_CHILDREN];
    uint32_t refs[DW_WIDE_CHILDREN];
} dw_wide_node;

/* Corners of up to four triangles: x y z of the first, the second, the third; and their rows. Lanes
 * without a triangle, and inactive ones, are all 0: without area, never hit. */
typedef struct dw_wide_block {
    float corners[9][DW_TREE_LEAF_MAX];
    uint32_t primitives[DW_TREE_LEAF_MAX];
} dw_wide_block;

typedef struct dw_wide_tree {
    uint32_t node_count, block_count;
    bool is_plain; /* walked by loops on every processor: tests compare the two */
    dw_wide_node *nodes;
    uint32_t (*sources)[DW_WIDE_CHILDREN]; /* 2 * node + side of the binary tree */
    dw_wide_block *blocks;
    uint32_t *block_refs; /* triangles of a block, as a leaf's ref */
} dw_wide_tree;

/* Of a quantized tree that has boxes; corners and planes are there after the first refresh. *out is
 * NULL for a tree of floats or over boxes: those are walked as they are. */
dw_status dw_wide_create(const dw_tree *tree, dw_wide_tree **out, dw_error *err);

/* The tree has the shape that `wide` was made of, and was refit to these vertices. */
dw_status dw_wide_refresh(dw_wide_tree *wide, const dw_tree *tree, const dw_tree_vertices *vertices,
                          const dw_run *run, dw_error *err);

void dw_wide_destroy(dw_wide_tree *wide); /* accepts NULL */

#endif
