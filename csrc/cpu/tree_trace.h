/* SPDX-License-Identifier: MIT */
/* Rays through instances of trees: closest hits and occlusion, by a watertight triangle test (Woop,
 * Benthin, Wald 2013). Of equal distances the lower instance, then the lower primitive wins.
 * Thread-safety: Safe on scenes that nobody writes. */
#ifndef DW_CPU_TREE_TRACE_H
#define DW_CPU_TREE_TRACE_H

#include "cpu/tree.h"

/* A tree with the vertices that it was last refit to. */
typedef struct dw_trace_mesh {
    const dw_tree *tree;
    dw_tree_vertices vertices;
    const struct dw_wide_tree *wide; /* NULL: the binary tree is walked */
} dw_trace_mesh;

typedef struct dw_trace_instance {
    uint32_t mesh;       /* row of the scene's meshes */
    uint32_t id;         /* given back in hits */
    float to_object[12]; /* three rows of a 3 x 4 matrix */
} dw_trace_instance;

typedef struct dw_trace_scene {
    const dw_tree *top; /* over the instances' boxes: a primitive is a row of `instances`; NULL:
                           all instances are looked at */
    const dw_trace_mesh *meshes;
    const dw_trace_instance *instances;
    uint32_t instance_count;
} dw_trace_scene;

typedef struct dw_trace_rays {
    const float *origins, *directions; /* three floats a ray; directions of any length */
    int64_t count;
    float t_min, t_max; /* hits lie in [t_min, t_max], in lengths of the direction */
} dw_trace_rays;

/* Arrays of `count`. A miss: t infinite, ids -1, u and v 0. NULL: not wanted. */
typedef struct dw_trace_hits {
    float *t;
    int32_t *instance, *primitive;
    float *u, *v;    /* weights of the second and third vertex */
    uint32_t *steps; /* nodes visited, of both levels */
} dw_trace_hits;

/* Rays that are not finite, or have no direction, miss. */
dw_status dw_trace(const dw_trace_scene *scene, const dw_trace_rays *rays,
                   const dw_trace_hits *hits, const dw_run *run, dw_error *err);

/* Whether anything lies in [t_min, t_max]: one byte a ray, 0 or 1. */
dw_status dw_trace_occluded(const dw_trace_scene *scene, const dw_trace_rays *rays, uint8_t *out,
                            const dw_run *run, dw_error *err);

/* Every triangle of every instance, by no tree: what dw_trace must find. */
dw_status dw_trace_without_tree(const dw_trace_scene *scene, const dw_trace_rays *rays,
                                const dw_trace_hits *hits, const dw_run *run, dw_error *err);

#endif
