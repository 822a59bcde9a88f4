/* SPDX-License-Identifier: MIT */
/* Trees in device memory: one buffer a tree, reached by its address, and a table with a row a mesh.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TREE_GPU_H
#define DW_SHARED_TREE_GPU_H

#include "shared/tree.h"

/* The head of a tree's buffer, in words from its begin. */
#define DW_TREE_HEAD_SHAPE  0  /* dw_tree_shape */
#define DW_TREE_HEAD_FRAME  32 /* dw_tree_frame */
#define DW_TREE_HEAD_ROOT   48 /* floats: low x y z, high x y z; low above high: empty */
#define DW_TREE_HEAD_BOUNDS 56 /* of the pose, dw_tree_ordered: low starts at ~0, high at 0 */
#define DW_TREE_HEAD_DONE   62 /* workgroups of a bounds pass that are through; starts at 0 */
#define DW_TREE_HEAD_STATE  63 /* DW_TREE_STATE_*; starts at 0 */
#define DW_TREE_HEAD_SUMS   64 /* dw_tree_sums */
#define DW_TREE_HEAD_WORDS  128

#define DW_TREE_STATE_IS_PARTIAL 1u /* treelets of level 0 without a dirty vertex stay */
#define DW_TREE_STATE_HAS_SUMS   2u /* rows of sums are those of the boxes */
#define DW_TREE_STATE_HAS_RUNS   4u /* the section of runs is filled */
#define DW_TREE_STATE_WAS_WIDE   8u /* it will be, by the refit under way */

/* Sums of a treelet: dw_tree_sums, then inactive triangles. */
#define DW_TREE_SUMS_WORDS 16

/* Sections follow at multiples of 256 bytes in this order: treelets, sums a treelet, nodes,
 * triangles, runs, bits of used vertices. Runs: a byte a node, the nodes of its subtree within its
 * treelet; found by the first refit that needs them. They lie right behind the triangles. */
#define DW_TREE_SECTION_BYTES 256

/* The section of runs, in units of 16 bytes as that of the triangles. */
#define DW_TREE_RUNS_AT(triangles, count) (((triangles) + (count) + 15u) & ~15u)

#define DW_TREE_IS_F32        1u
#define DW_TREE_IS_OVER_BOXES 2u
#define DW_TREE_WANTS_SUMS    4u /* of the refit */

/* A mesh as passes see it. Addresses are two words, low first. Sections are in units of 16 bytes
 * from the begin of the tree's buffer. */
#define DW_TREE_MESH_FIELDS(F)                                                          \
    F(uint, tree_low, 0)                                                                \
    F(uint, tree_high, 0)                                                               \
    F(uint, vertices_low, 0) /* of the pose; over boxes: of the boxes, 6 floats each */ \
    F(uint, vertices_high, 0)                                                           \
    F(uint, dirty_low, 0) /* a bit a vertex; 0: all vertices may have moved */          \
    F(uint, dirty_high, 0)                                                              \
    F(uint, vertex_count, 0)                                                            \
    F(uint, vertex_stride, 0) /* floats */                                              \
    F(uint, triangle_count, 0)                                                          \
    F(uint, flags, 0) /* DW_TREE_IS_*, DW_TREE_WANTS_* */                               \
    F(uint, treelets, 0)                                                                \
    F(uint, sums, 0)                                                                    \
    F(uint, nodes, 0)                                                                   \
    F(uint, triangles, 0)                                                               \
    F(uint, used, 0) /* 0: all vertices are used */                                     \
    F(uint, level_count, 0)                                                             \
    F(uint, level_first, 8)                                                             \
    F(uint, level_treelets, 8)

struct dw_tree_mesh {
    DW_TREE_MESH_FIELDS(DW_FIELD)
};

/* A range of workgroups of a dispatch over many meshes: the job whose first_group is the last one
 * not above the group's number. */
#define DW_TREE_JOB_FIELDS(F) \
    F(uint, first_group, 0)   \
    F(uint, mesh, 0)

struct dw_tree_job {
    DW_TREE_JOB_FIELDS(DW_FIELD)
};

/* An instance: rows of 3 x 4 matrices. */
#define DW_TREE_INSTANCE_FIELDS(F) \
    F(float, to_world, 12)         \
    F(float, to_object, 12)        \
    F(uint, mesh, 0)               \
    F(uint, id, 0)                 \
    F(uint, spare0, 0)             \
    F(uint, spare1, 0)

struct dw_tree_instance {
    DW_TREE_INSTANCE_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_tree_mesh dw_tree_mesh;
typedef struct dw_tree_job dw_tree_job;
typedef struct dw_tree_instance dw_tree_instance;
#endif

#endif
