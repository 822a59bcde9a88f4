/* SPDX-License-Identifier: MIT */
/* Rays through instances of trees in device memory: the hits of cpu/tree_trace.h's dw_trace, bit
 * for bit but for the steps.
 * Thread-safety: Unsafe; one thread at a time. */
#ifndef DW_PASSES_TREE_TRACE_PASS_H
#define DW_PASSES_TREE_TRACE_PASS_H

#include "cpu/tree_trace.h"
#include "gpu/command.h"
#include "shared/tree_gpu.h"

/* What is there to hit. The top level is a tree over the boxes of `instances`, and a row of
 * `meshes` itself. Rows hold addresses. */
typedef struct dw_trace_gpu_scene {
    const dw_gpu_buffer *meshes;    /* [] dw_tree_mesh */
    const dw_gpu_buffer *instances; /* [] dw_tree_instance */
    uint32_t top;                   /* row of `meshes` */
    const dw_gpu_binding *reached;  /* trees and vertices, DW_USE_COMPUTE_READ */
    uint32_t reached_count;
} dw_trace_gpu_scene;

/* Rays that are in device memory, and go back to it. Words, and arrays one after another: origins
 * and directions, three floats a ray; t, instance, primitive, u, v, steps. A miss: t infinite, ids
 * ~0, u and v 0. */
typedef struct dw_trace_gpu_rays {
    const dw_gpu_buffer *rays, *hits;
    uint32_t count;
    float t_min, t_max;
    bool is_any; /* whether there is a hit, not which: ids other than ~0 say so */
} dw_trace_gpu_rays;

#define DW_TRACE_RAY_WORDS 6
#define DW_TRACE_HIT_WORDS 6

dw_status dw_trace_gpu_record(dw_gpu *gpu, dw_command *command, const dw_trace_gpu_scene *scene,
                              const dw_trace_gpu_rays *rays, dw_error *err);

/* Buffers for rays that come from host memory. */
typedef struct dw_trace_gpu dw_trace_gpu;

dw_status dw_trace_gpu_create(dw_gpu *gpu, dw_trace_gpu **out, dw_error *err);
void dw_trace_gpu_destroy(dw_trace_gpu *trace); /* accepts NULL */

/* Waits. What the scene names was submitted before. */
dw_status dw_trace_gpu_closest(dw_trace_gpu *trace, const dw_trace_gpu_scene *scene,
                               const dw_trace_rays *rays, const dw_trace_hits *hits,
                               const dw_run *run, dw_error *err);
dw_status dw_trace_gpu_occluded(dw_trace_gpu *trace, const dw_trace_gpu_scene *scene,
                                const dw_trace_rays *rays, uint8_t *out, const dw_run *run,
                                dw_error *err);

#endif
