/* SPDX-License-Identifier: MIT */
/* Native trees refit and walked on a device, for tests and measurements.
 * Thread-safety: Safe on distinct trees. */
#ifndef DW_SYSTEMS_TREE_TRIAL_H
#define DW_SYSTEMS_TREE_TRIAL_H

#include "cpu/tree_trace.h"
#include "systems/device.h"

/* A pose of one tree of a batch. Vertices, or boxes, stand in memory as the device is to read them:
 * `offset` floats in front, then `stride` floats each. */
typedef struct dw_trial_pose {
    const float *data;
    uint64_t float_count;
    uint32_t offset, stride;
    const uint32_t *dirty; /* NULL: all */
    bool wants_sums;
} dw_trial_pose;

typedef struct dw_trial_refit {
    dw_tree **trees; /* their boxes change; the last box of the root follows */
    float (*roots)[6];
    uint32_t tree_count;
    const dw_trial_pose *poses; /* [step][tree] */
    uint32_t step_count;
    uint32_t repeat;      /* of the last step */
    double *milliseconds; /* device time of each of those */
    int variant;          /* dw_refit_variant */
} dw_trial_refit;

/* Each step is one batch in one submission. DW_ERROR_ARGUMENT on a native device. */
dw_status dw_trial_refit_run(dw_device *device, const dw_trial_refit *trial, const dw_run *run,
                             dw_error *err);

/* Rays through a native scene whose trees were refit. to_world: 12 floats an instance; then the
 * boxes of instances and of the top level over them are made on the device. NULL: the top level is
 * taken as it is; a scene without one looks into every instance. `out` NULL: hits; else occlusion.
 */
typedef struct dw_trial_trace {
    const dw_trace_scene *scene;
    uint32_t mesh_count;
    const float *to_world;
    const dw_trace_rays *rays;
    const dw_trace_hits *hits;
    uint8_t *out;
} dw_trial_trace;

dw_status dw_trial_trace_run(dw_device *device, const dw_trial_trace *trial, const dw_run *run,
                             dw_error *err);

#endif
