/* SPDX-License-Identifier: MIT */
/* Meshes that rays meet: a tree over the triangles of each, instances of them under a top level,
 * poses that trees are refit to, and rebuilds of trees that have drifted. Runs natively or on a
 * Vulkan device.
 *
 * What is added, moved, posed or removed counts from the next update on; rays are refused until
 * then, so that none meets half of a change.
 * Thread-safety: one thread at a time for each object. Every call but destroy happens inside
 * dw_device_begin_use .. dw_device_end_use of its device. */
#ifndef DW_SYSTEMS_SCENE_TREES_H
#define DW_SYSTEMS_SCENE_TREES_H

#include "base/registry.h"
#include "cpu/tree_trace.h"
#include "systems/buffer.h"
#include "systems/device.h"

typedef struct dw_scene_trees dw_scene_trees;

typedef struct dw_scene_trees_def {
    dw_node_format format;
    double drift_limit;    /* > 1: the ratio from which a tree is made anew */
    uint32_t hold_updates; /* that every sample stays above it before a rebuild */
    uint32_t sample_every; /* updates from one sample of a posed mesh to the next, at least */
    bool is_probing;       /* fresh trees are built now and then, to compare with */
    double probe_budget;   /* ms of an update that probes may take on average; may be infinite */
} dw_scene_trees_def;

dw_scene_trees_def dw_scene_trees_def_default(void);

/* The device must outlive the object. */
dw_status dw_scene_trees_create(dw_device *device, const dw_scene_trees_def *def,
                                dw_scene_trees **out, dw_error *err);

/* Accepts NULL. Also after the device was closed. */
void dw_scene_trees_destroy(dw_scene_trees *trees);

const dw_scene_trees_def *dw_scene_trees_get_def(const dw_scene_trees *trees);

/* ---- meshes and instances ---- */

typedef struct dw_trees_mesh_def {
    const float *positions; /* 3 a vertex */
    uint32_t vertex_count;
    const uint32_t *indices; /* 3 a triangle */
    uint32_t triangle_count;
    dw_tree_builder builder;
    bool is_deforming;
    const float *bounds; /* low x y z, high x y z, that poses stay in; NULL: the rest pose's box */
} dw_trees_mesh_def;

/* Ids count from 0 and are never used again. Positions and indices are copied. DW_ERROR_ARGUMENT
 * names the row of an index out of range. */
dw_status dw_scene_trees_add_mesh(dw_scene_trees *trees, const dw_trees_mesh_def *def, uint32_t *id,
                                  dw_error *err);

/* With all its instances. */
dw_status dw_scene_trees_remove_mesh(dw_scene_trees *trees, uint32_t mesh, dw_error *err);

/* transforms: three rows of a 3 x 4 matrix each, finite. All or none. *first: the id of the first;
 * the others follow. */
dw_status dw_scene_trees_add_instances(dw_scene_trees *trees, uint32_t mesh,
                                       const double *transforms, uint32_t count, uint32_t *first,
                                       dw_error *err);
dw_status dw_scene_trees_set_transform(dw_scene_trees *trees, uint32_t instance,
                                       const double transform[12], dw_error *err);
dw_status dw_scene_trees_remove_instance(dw_scene_trees *trees, uint32_t instance, dw_error *err);

uint32_t dw_scene_trees_mesh_count(const dw_scene_trees *trees);
uint32_t dw_scene_trees_instance_count(const dw_scene_trees *trees);

/* Of those that are there, in rising order. */
void dw_scene_trees_mesh_ids(const dw_scene_trees *trees, uint32_t *out);
typedef struct dw_trees_instance_row {
    uint32_t id, mesh;
    float to_world[12];
} dw_trees_instance_row;
void dw_scene_trees_instance_rows(const dw_scene_trees *trees, dw_trees_instance_row *out);

/* ---- poses ---- */

/* Where the vertices lie from now on; read at each update that follows a write of the buffer, and
 * by rays. The buffer is held until the mesh gets another pose or goes. */
typedef struct dw_trees_pose {
    dw_buffer *buffer;
    uint32_t vertex_count;
    uint64_t stride, offset; /* floats */
    const uint32_t *dirty; /* a bit a vertex that may have moved since the pose before; NULL: all */
} dw_trees_pose;

dw_status dw_scene_trees_set_pose(dw_scene_trees *trees, uint32_t mesh, const dw_trees_pose *pose,
                                  dw_error *err);
dw_status dw_scene_trees_set_pose_cpu(dw_scene_trees *trees, uint32_t mesh, const float *positions,
                                      uint32_t vertex_count, const uint32_t *dirty, dw_error *err);

/* low <= high, finite. */
dw_status dw_scene_trees_set_deform_bounds(dw_scene_trees *trees, uint32_t mesh,
                                           const float bounds[6], dw_error *err);

/* *is_asked: an update will build the tree anew from the newest pose. False when there is nothing
 * to build from: the mesh does not deform, has had no pose, or no tree yet. */
dw_status dw_scene_trees_rebuild(dw_scene_trees *trees, uint32_t mesh, bool *is_asked,
                                 dw_error *err);

/* ---- update ---- */

typedef enum dw_trees_cause {
    DW_TREES_FIRST,      /* the mesh is new */
    DW_TREES_ASKED,      /* dw_scene_trees_rebuild */
    DW_TREES_DRIFT,      /* the ratio stayed above the limit */
    DW_TREES_FRESH,      /* a probe's tree was better by more than the limit */
    DW_TREES_DEGENERATE, /* the tree was built from a pose without extent or half of it missing */
} dw_trees_cause;

/* The word for a cause, as Python shows it. */
const char *dw_trees_cause_name(dw_trees_cause cause);

/* A tree that was placed. */
typedef struct dw_trees_build {
    uint32_t mesh;
    dw_trees_cause cause;
    dw_tree_shape shape;
    double milliseconds; /* from the begin of the build until its shape was known */
} dw_trees_build;

typedef struct dw_trees_result {
    uint32_t refits;              /* meshes that were posed */
    uint32_t rebuilds;            /* trees that replaced one */
    uint32_t probes;              /* begun */
    const dw_trees_build *builds; /* [build_count], valid until the next update */
    uint32_t build_count;
} dw_trees_result;

/* After DW_ERROR_INTERRUPTED rays are refused until an update succeeds. */
dw_status dw_scene_trees_update(dw_scene_trees *trees, const dw_run *run, dw_trees_result *out,
                                dw_error *err);

/* ---- what is known ---- */

typedef struct dw_trees_counts {
    uint64_t refits, rebuilds;
    uint64_t drift_rebuilds; /* of rebuilds: asked for, or by the ratio */
    uint64_t probes, cpu_poses, poses_skipped;
    uint64_t outside_poses; /* found outside of their mesh's bounds */
    uint64_t inactive;      /* triangles now, of all meshes */
} dw_trees_counts;

dw_trees_counts dw_scene_trees_get_counts(const dw_scene_trees *trees);

typedef struct dw_trees_mesh_status {
    dw_tree_builder builder;
    bool is_deforming, is_built, is_building, is_posed; /* posed: since the last update */
    bool is_outside;    /* the last pose looked at left the bounds */
    bool is_degenerate; /* built from a pose without extent, or half of it missing */
    bool has_box;
    float box[6], bounds[6]; /* of the pose that the tree was refit to; that poses stay in */
    dw_tree_shape shape;     /* zero while not built */
    uint64_t bytes;          /* of the tree */
    uint32_t vertices, triangles, inactive, instances;
    uint64_t refits; /* since the tree was placed */
    uint64_t builds;
    const char *pose; /* where vertices come from: "rest", "cpu" or "buffer" */
} dw_trees_mesh_status;

/* May wait for a device. */
dw_status dw_scene_trees_get_status(dw_scene_trees *trees, uint32_t mesh, const dw_run *run,
                                    dw_trees_mesh_status *out, dw_error *err);

typedef struct dw_trees_drift {
    double ratio; /* of inner cost over the root's area to the same as built; 1 before a sample */
    double fresh_ratio; /* of the whole cost to a fresh tree's, when one was last built */
    double cost;        /* the tree's own, in node and triangle tests of a ray through the root */
    uint64_t samples;
} dw_trees_drift;

dw_status dw_scene_trees_get_drift(const dw_scene_trees *trees, uint32_t mesh, dw_trees_drift *out,
                                   dw_error *err);

/* A copy of the tree in host memory, which the caller destroys, with the boxes of the last update.
 * May wait for a device. */
dw_status dw_scene_trees_read_tree(dw_scene_trees *trees, uint32_t mesh, const dw_run *run,
                                   dw_tree **out, dw_error *err);

dw_status dw_scene_trees_vertex_count(const dw_scene_trees *trees, uint32_t mesh, uint32_t *out,
                                      dw_error *err);

/* The newest pose, 3 floats a vertex. May wait for a device. */
dw_status dw_scene_trees_read_vertices(dw_scene_trees *trees, uint32_t mesh, float *out,
                                       const dw_run *run, dw_error *err);

/* Around all instances as of the last update; false when there is nothing. May wait for a device.
 */
dw_status dw_scene_trees_get_bounds(dw_scene_trees *trees, const dw_run *run, bool *has_any,
                                    float out[6], dw_error *err);

/* ---- rays ---- */

/* DW_ERROR_ARGUMENT before the first update, and when something has changed since the last one.
 * instance: ids. */
dw_status dw_scene_trees_trace(dw_scene_trees *trees, const dw_trace_rays *rays,
                               const dw_trace_hits *hits, const dw_run *run, dw_error *err);
dw_status dw_scene_trees_occluded(dw_scene_trees *trees, const dw_trace_rays *rays, uint8_t *out,
                                  const dw_run *run, dw_error *err);

/* Whether rays are taken: nothing has changed since the last update. */
bool dw_scene_trees_is_current(const dw_scene_trees *trees);

#endif
