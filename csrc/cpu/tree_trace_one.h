/* SPDX-License-Identifier: MIT */
/* One ray on its way through a scene: what it has found so far, and the mesh that it is in.
 * Thread-safety: Safe on distinct rays. */
#ifndef DW_CPU_TREE_TRACE_ONE_H
#define DW_CPU_TREE_TRACE_ONE_H

#include "cpu/tree_trace.h"
#include "cpu/tree_triangle.h"
#include "shared/tree_walk.h"

typedef struct dw_trace_one {
    float origin[3], direction[3]; /* in the world */
    float t_min, t_max;            /* t_max: of the best hit, once there is one */
    float u, v;
    int32_t instance, primitive;
    bool is_found;
    bool wants_any; /* the first hit ends the walk */
    uint32_t steps;

    /* The mesh that is walked now. */
    const dw_trace_mesh *mesh;
    int32_t id; /* of the instance */
    float object_direction[3];
    dw_tree_ray ray;
    dw_lane_ray lanes;
} dw_trace_one;

/* A hit becomes the best one when it lies in bounds, and is nearer or comes first. */
static inline void dw_trace_offer(dw_trace_one *one, float t, float u, float v, uint32_t primitive)
{
    int32_t row = (int32_t)primitive;

    if (t < one->t_min || t > one->t_max)
        return;
    if (one->is_found && t == one->t_max &&
        (one->id > one->instance || (one->id == one->instance && row >= one->primitive)))
        return;
    one->t_max = t;
    one->u = u;
    one->v = v;
    one->instance = one->id;
    one->primitive = row;
    one->is_found = true;
}

#endif
