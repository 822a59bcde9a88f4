/* SPDX-License-Identifier: MIT */
/* The memory of a build on a device, and the constants of its dispatches: what passes and shaders
 * agree on. Scratch is one buffer, reached by its address: a head, then sections of so many words
 * an item. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TREE_SCRATCH_H
#define DW_SHARED_TREE_SCRATCH_H

#include "shared/tree_gpu.h"

/* Words of the head. All start at 0. */
#define DW_TREE_BUILD_LOW      0  /* largest ~dw_tree_ordered of three coordinates */
#define DW_TREE_BUILD_HIGH     3  /* largest dw_tree_ordered */
#define DW_TREE_BUILD_INACTIVE 6  /* items without a box in range */
#define DW_TREE_BUILD_BAD_ROW  7  /* largest ~row that names a vertex that is not there */
#define DW_TREE_BUILD_FAULTS   8  /* DW_TREE_FAULT_LEVELS */
#define DW_TREE_BUILD_FORCED   9  /* as of dw_tree_shape */
#define DW_TREE_BUILD_ROOT     10 /* the last cluster: what it is, its meta word, its depth */
#define DW_TREE_BUILD_LEVELS   16 /* of each level: treelets, nodes, triangles, spare */
#define DW_TREE_BUILD_READ     48 /* words that the host reads */
#define DW_TREE_BUILD_DIGITS   64 /* items with each of 256 digits */
#define DW_TREE_BUILD_WORDS    1024

/* Sections: words an item that lie before each. Sorting goes to and fro between the codes with the
 * items behind them and the pairs, which lie where the links come to lie afterwards. */
#define DW_TREE_AT_BOXES      0u  /* 8 words an item: box in unit space, cost, meta word */
#define DW_TREE_AT_CODES      8u  /* sorted at the end */
#define DW_TREE_AT_ITEMS      9u  /* the item in each place */
#define DW_TREE_AT_BOUNDARIES 10u /* what the first arrival of a boundary left; starts at ~0 */
#define DW_TREE_AT_ROOTS      11u /* meta words of treelets' roots by slot, else ~0; in the end */
#define DW_TREE_AT_LINKS      12u /* 4 words a slot: children, their meta words */
#define DW_TREE_AT_PAIRS      12u
#define DW_TREE_AT_CLUSTERS_A 16u /* lists of clusters, by the first place of their range */
#define DW_TREE_AT_CLUSTERS_B 20u
#define DW_TREE_AT_CLUSTERS_C 24u
#define DW_TREE_AT_TABLES     26u /* levels by tiles of slots, then digits by parts */

#define DW_TREE_ITEMS_STEP 64u   /* sections hold a multiple of that many items */
#define DW_TREE_TILE       1024u /* slots that a workgroup lists */

#define DW_TREE_LANES       64u  /* workgroups of the build where nothing else is said */
#define DW_TREE_MERGE_LANES 32u  /* of merging by subgroups: one that is done frees its place */
#define DW_TREE_WIDE_LANES  256u /* workgroups of sorting by subgroups */
#define DW_TREE_WIDE_ROUNDS 8u   /* items of a lane there */

/* A cluster that is the item in a place; else it is the node in a slot. */
#define DW_TREE_CLUSTER_LEAF  0x80000000u
#define DW_TREE_CLUSTER_INDEX 0x0fffffffu

#define DW_TREE_BUILD_FIELDS(F)                                                          \
    F(uint, scratch_low, 0)                                                              \
    F(uint, scratch_high, 0)                                                             \
    F(uint, indices_low, 0) /* 3 words a triangle */                                     \
    F(uint, indices_high, 0)                                                             \
    F(uint, vertices_low, 0) /* over boxes: of the boxes, 6 floats each */               \
    F(uint, vertices_high, 0)                                                            \
    F(uint, tree_low, 0) /* the buffer that part 2 fills */                              \
    F(uint, tree_high, 0)                                                                \
    F(uint, count, 0) /* items */                                                        \
    F(uint, vertex_count, 0)                                                             \
    F(uint, vertex_stride, 0) /* floats */                                               \
    F(uint, flags, 0)         /* DW_TREE_IS_* */                                         \
    F(uint, part_count, 0)    /* of sorting */                                           \
    F(uint, part_items, 0)    /* items of a part; of merging: of an invocation */        \
    F(uint, shift, 0)         /* of the digit that is sorted by */                       \
    F(uint, treelet_count, 0)                                                            \
    F(uint, treelets, 0) /* sections of the tree, in units of 16 bytes from its begin */ \
    F(uint, nodes, 0)                                                                    \
    F(uint, triangles, 0)                                                                \
    F(uint, used, 0)

struct dw_tree_build_push {
    DW_TREE_BUILD_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_tree_build_push dw_tree_build_push;
#endif

/* Items that sections hold. */
DW_INLINE uint dw_tree_padded(uint count)
{
    return (count + DW_TREE_ITEMS_STEP - 1u) / DW_TREE_ITEMS_STEP * DW_TREE_ITEMS_STEP;
}

DW_INLINE uint dw_tree_tiles(uint count)
{
    return (count + DW_TREE_TILE - 1u) / DW_TREE_TILE;
}

/* Bytes from the begin of the scratch to a section. */
DW_INLINE uint64_t dw_tree_section(uint words_before, uint count)
{
    return DW_U64(4 * DW_TREE_BUILD_WORDS) +
           DW_U64(4) * DW_U64(words_before) * DW_U64(dw_tree_padded(count));
}

/* Bytes from the begin of the scratch to the counts of digits by parts. */
DW_INLINE uint64_t dw_tree_digits_at(uint count)
{
    return dw_tree_section(DW_TREE_AT_TABLES, count) +
           DW_U64(16 * DW_TREE_LEVELS_MAX) * DW_U64(dw_tree_tiles(count));
}

DW_INLINE uint64_t dw_tree_scratch_bytes(uint count, uint part_count)
{
    return dw_tree_digits_at(count) + DW_U64(1024) * DW_U64(part_count);
}

#endif
