/* SPDX-License-Identifier: MIT */
/* Inside of the tree builders: items and their order, clusters that are merged to nodes, and the
 * nodes as they lie before they are placed in tree order.
 * Thread-safety: a build belongs to one caller; merges of distinct ranges of places may run at the
 * same time. */
#ifndef DW_CPU_TREE_BUILD_H
#define DW_CPU_TREE_BUILD_H

#include "cpu/tree.h"
#include "shared/tree_build.h"

/* A box in unit space, 0 to 1; of an inactive item (1, 1, 1) twice. Fourth lanes are 0. */
typedef struct dw_tree_item {
    float low[4], high[4];
} dw_tree_item;

/* A node before it has its place, in the slot that its clusters give. */
typedef struct dw_tree_link {
    uint32_t left, right; /* a slot, or DW_TREE_LEAF | sorted place */
    uint32_t meta;        /* DW_TREE_META */
    uint32_t first_node;  /* of the treelet that the node is the root of, in tree order */
} dw_tree_link;

/* An item, or a node while it waits to be merged. */
typedef struct dw_tree_cluster {
    float low[4], high[4]; /* fourth lanes 0 */
    float cost;
    uint32_t ref;   /* as dw_tree_link.left */
    uint32_t first; /* lowest sorted place in it */
    uint32_t meta;
    uint32_t depth; /* nodes on the longest way down; 0 for leaves */
} dw_tree_cluster;

typedef struct dw_tree_work {
    const dw_tree_source *source;
    uint32_t count;
    dw_tree_item *items; /* by row */
    uint64_t *keys;      /* by sorted place: code << 32 | row; sorted by code, or as cut */
    uint64_t *spare_keys;
    dw_tree_link *links; /* by slot, 1 to count - 1 */
    uint8_t *marks;      /* by slot: 1 + level of the treelet whose root the node is, else 0 */
    uint32_t inactive;

    dw_tree_cluster root;
    uint32_t forced; /* see dw_tree_shape */
} dw_tree_work;

/* The row of the item at a sorted place. */
static inline uint32_t dw_tree_row(const dw_tree_work *work, uint32_t place)
{
    return (uint32_t)work->keys[place];
}

/* Coordinates in unit space are at least 0: their bits are in their order. */
static inline float dw_tree_lower(float a, float b)
{
    uint32_t bits_a = dw_bits_from_float(a), bits_b = dw_bits_from_float(b);

    return dw_float_from_bits(bits_a < bits_b ? bits_a : bits_b);
}

static inline float dw_tree_upper(float a, float b)
{
    uint32_t bits_a = dw_bits_from_float(a), bits_b = dw_bits_from_float(b);

    return dw_float_from_bits(bits_a > bits_b ? bits_a : bits_b);
}

static inline void dw_tree_cluster_of_box(const dw_tree_item *item, uint32_t place,
                                          dw_tree_cluster *out)
{
    memcpy(out->low, item->low, sizeof out->low);
    memcpy(out->high, item->high, sizeof out->high);
    out->cost = dw_tree_half_area(dw_tree_difference(item->high[0], item->low[0]),
                                  dw_tree_difference(item->high[1], item->low[1]),
                                  dw_tree_difference(item->high[2], item->low[2]));
    out->ref = DW_TREE_LEAF | place;
    out->first = place;
    out->meta = DW_TREE_META_LEAF(1u);
    out->depth = 0;
}

static inline void dw_tree_cluster_of_item(const dw_tree_work *work, uint32_t place,
                                           dw_tree_cluster *out)
{
    dw_tree_cluster_of_box(&work->items[dw_tree_row(work, place)], place, out);
}

/* Half the surface of the box around both. */
float dw_tree_union_area(const dw_tree_cluster *a, const dw_tree_cluster *b);

/* Writes the node over a, which lies left, and b, whose union has half the surface `area`; out may
 * be either. A node that has no level of treelets left is deeper than any tree may be. */
void dw_tree_merge(dw_tree_work *work, const dw_tree_cluster *a, const dw_tree_cluster *b,
                   float area, dw_tree_cluster *out);

/* Links, marks and root by H-PLOC, or in plain Morton order, from sorted keys; two items or more.
 */
dw_status dw_tree_merge_all(dw_tree_work *work, bool is_plain, const dw_run *run, dw_error *err);

/* The same by the binned surface area heuristic; sorts the keys itself. */
dw_status dw_tree_split_all(dw_tree_work *work, const dw_run *run, dw_error *err);

/* Shape, treelets, nodes with empty boxes, and triangles in tree order. */
dw_status dw_tree_place(dw_tree_work *work, dw_tree *tree, const dw_run *run, dw_error *err);

#endif
