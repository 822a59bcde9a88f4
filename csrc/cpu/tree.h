/* SPDX-License-Identifier: MIT */
/* Trees of boxes over the triangles of a mesh, or over boxes, in host memory: what a builder makes
 * and a refit changes. The order of nodes and triangles is that of shared/tree.h.
 * Thread-safety: a tree belongs to one writer at a time; concurrent readers are safe. */
#ifndef DW_CPU_TREE_H
#define DW_CPU_TREE_H

#include "base/registry.h"
#include "base/status.h"
#include "base/threads.h"
#include "shared/tree.h"

#include <stdbool.h>
#include <stdint.h>

/* Vertices as they lie in memory: three floats each, `stride` floats apart. */
typedef struct dw_tree_vertices {
    const float *data;
    uint32_t count;
    uint32_t stride; /* floats, at least 3 */
} dw_tree_vertices;

/* What a tree is over: the triangles of `indices` (3 a row), or, where indices is NULL, boxes. */
typedef struct dw_tree_source {
    const uint32_t *indices;
    uint32_t count; /* triangles or boxes, at most DW_TREE_COUNT_MAX */
    dw_tree_vertices vertices;
    const float *boxes; /* low x y z, high x y z each; a box that is not finite is inactive */
} dw_tree_source;

typedef struct dw_tree {
    dw_tree_shape shape;
    dw_node_format format;
    bool is_over_boxes;
    dw_tree_frame frame;
    dw_tree_sums sums; /* of the last refit that asked for them */
    void *nodes;       /* [node_count][2] dw_tree_child, or dw_tree_child_f32 */
    dw_tree_triangle *triangles;
    dw_tree_treelet *treelets;
    uint32_t *used_vertices; /* a bit each: vertices that triangles name; NULL: all */
    uint32_t vertex_count;
} dw_tree;

/* Half the areas of the tree's boxes, summed and weighed, over the root's: relative costs. */
typedef struct dw_tree_cost {
    double inner;     /* nodes */
    double leaves;    /* leaves, each times its triangles */
    double root_area; /* half the root's surface, in units of the mesh */
} dw_tree_cost;

/* Order and shape alone: the boxes are those of a refit to the same vertices. `shape.faults` is 0,
 * else the build falls back by itself (a tree too deep is built again in plain Morton order).
 * DW_ERROR_ARGUMENT for an index out of range, with the row. *out is written on success only. */
dw_status dw_tree_build(const dw_tree_source *source, dw_tree_builder builder,
                        dw_node_format format, dw_tree **out, const dw_run *run, dw_error *err);

/* Room for a tree of this shape over triangles, to be filled. */
dw_status dw_tree_create(const dw_tree_shape *shape, dw_node_format format, uint32_t vertex_count,
                         dw_tree **out, dw_error *err);

void dw_tree_destroy(dw_tree *tree); /* accepts NULL */
dw_status dw_tree_copy(const dw_tree *tree, dw_tree **out, dw_error *err);

typedef struct dw_tree_pose {
    dw_tree_vertices vertices;
    const float *boxes;    /* of a tree over boxes */
    const uint32_t *dirty; /* a bit for each vertex that may have moved since the last refit; NULL:
                              all. Boxes of treelets without one stay, when the frame may stay. */
    bool wants_sums;
} dw_tree_pose;

/* Boxes of all nodes from where the vertices are now. Never fails but by interruption. */
dw_status dw_tree_refit(dw_tree *tree, const dw_tree_pose *pose, const dw_run *run, dw_error *err);

/* The root's box, planes decoded; false when it is empty. */
bool dw_tree_root_box(const dw_tree *tree, float low[3], float high[3]);

dw_tree_cost dw_tree_get_cost(const dw_tree *tree);
dw_tree_cost dw_tree_cost_of(const dw_tree_sums *sums, const dw_tree_frame *frame,
                             const float low[3], const float high[3]);

#endif
