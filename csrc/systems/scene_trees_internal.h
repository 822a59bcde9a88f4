/* SPDX-License-Identifier: MIT */
/* What the files of scene_trees share: the tables, and what a backend does for them.
 * scene_trees.c: meshes and instances. scene_trees_pose.c: poses, and what is told of a mesh.
 * scene_trees_update.c: one update. scene_trees_drift.c: samples and what follows from them.
 * scene_trees_native.c, with scene_trees_background.c, and scene_trees_gpu*.c: the backends.
 * Thread-safety: as systems/scene_trees.h. */
#ifndef DW_SYSTEMS_SCENE_TREES_INTERNAL_H
#define DW_SYSTEMS_SCENE_TREES_INTERNAL_H

#include "cpu/tree_instance.h"
#include "shared/tree_gpu.h"
#include "systems/scene_trees.h"

/* A tree as its backend keeps it. */
typedef struct dw_placed_tree {
    uint64_t serial; /* of this tree alone, from 1 */
    dw_tree_shape shape;
    uint64_t bytes;
    double milliseconds;
    dw_tree *native;
    struct dw_wide_tree *wide; /* for rays; made when enough of them come */
    bool is_wide_current;      /* with the last refit */
    uint64_t rays;             /* since it */
    dw_gpu_buffer buffer;      /* Vulkan */
    dw_tree_mesh record;
} dw_placed_tree;

typedef enum dw_pose_source {
    DW_POSE_REST,
    DW_POSE_CPU,
    DW_POSE_BUFFER,
} dw_pose_source;

/* What is known of a mesh's drift. Areas are half surfaces in units of the mesh. */
typedef struct dw_drift_state {
    bool has_baseline; /* the placed tree was sampled once */
    double built_inner;
    double ratio, cost;
    double fresh_cost;               /* of the last tree that was fresh */
    double inner_area;               /* of the last sample */
    double probed_area, probed_cost; /* inner area and cost when last built or probed */
    uint64_t probe_since;            /* update from which a probe is wanted */
    uint64_t samples;
    uint64_t sampled_at; /* update */
    bool is_stale;       /* refit since the last sample */
    bool is_above;
    uint64_t above_since; /* update of the first sample above the limit */
} dw_drift_state;

typedef struct dw_trees_mesh {
    uint32_t id, row;
    bool is_removed; /* nothing is left but the id */
    bool is_deforming;
    dw_tree_builder builder;
    uint32_t vertex_count, triangle_count, instance_count;
    uint32_t *indices; /* what deforms keeps them for rebuilds, all others until they are built */
    float *positions;  /* the rest pose, or the newest one from the CPU */
    float bounds[6];

    dw_pose_source source;
    dw_buffer *pose; /* held */
    uint64_t pose_offset, pose_stride, pose_version;
    uint32_t *dirty; /* vertices that moved since the last refit, where is_partial */
    bool is_partial;
    bool is_posed;        /* since the last refit */
    bool has_pose;        /* ever */
    bool is_upload_due;   /* positions are newer than their copy on the device */
    uint64_t pose_number; /* poses so far */

    dw_placed_tree *tree; /* NULL until built */
    bool needs_boxes;     /* the tree was placed and not refit since */
    bool is_looked_at;    /* box and inactive are of the last refit */
    bool has_box, is_outside, is_degenerate, was_real;
    float box[6];
    uint32_t inactive;
    uint64_t refits, builds;
    uint64_t asked_at; /* order of the wish for a rebuild; 0: none */
    bool wants_real, wants_drift, wants_probe;
    dw_drift_state drift;

    dw_gpu_buffer gpu_vertices, gpu_indices, gpu_dirty;
} dw_trees_mesh;

typedef struct dw_trees_instance {
    uint32_t id;
    bool is_removed;
    dw_trees_mesh *mesh; /* which is there while the instance is */
    dw_tree_placement placement;
} dw_trees_instance;

/* A refit of one tree in a batch. */
typedef struct dw_trees_job {
    dw_trees_mesh *mesh;
    dw_placed_tree *tree;
    const uint32_t *dirty; /* NULL: all */
    bool wants_sums;
} dw_trees_job;

#define DW_SAMPLE_TOP 0xffffffffu

/* What a refit with sums found. */
typedef struct dw_trees_sample {
    uint32_t mesh; /* id, or DW_SAMPLE_TOP */
    uint64_t serial;
    bool has_box;
    float box[6];
    dw_tree_frame frame;
    dw_tree_sums sums;
} dw_trees_sample;

typedef enum dw_top_work {
    DW_TOP_KEEP,
    DW_TOP_REFIT, /* instances moved, or boxes of meshes did */
    DW_TOP_BUILD, /* other instances */
} dw_top_work;

typedef enum dw_flight_stage {
    DW_FLIGHT_NONE,
    DW_FLIGHT_BUILDING,
    DW_FLIGHT_LANDED,    /* the tree is there and has no boxes */
    DW_FLIGHT_MEASURING, /* a probe's boxes and sums are on their way */
} dw_flight_stage;

/* What is known of the top level's cost. */
typedef struct dw_top_state {
    uint64_t serial; /* of its tree, from 1 */
    bool has_baseline, wants_sums;
    bool is_stale; /* refit since the last sample */
    bool is_dear;  /* it is built anew by the next update */
    double built_cost;
    uint64_t sampled_at; /* update */
} dw_top_state;

/* The one build that may be under way. */
typedef struct dw_trees_flight {
    dw_flight_stage stage;
    dw_trees_mesh *mesh;
    dw_trees_cause cause;
    dw_placed_tree *tree; /* from landing on */
    uint64_t pose_number; /* that it is built from */
    bool has_cost;
    double cost; /* of the probe's tree */
} dw_trees_flight;

typedef struct dw_trees_backend {
    bool is_immediate; /* small builds, and samples, are there when the call returns */

    /* Waits for the shape. The tree has no boxes. */
    dw_status (*build)(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_tree_builder builder,
                       const dw_run *run, dw_placed_tree *out, dw_error *err);
    dw_status (*begin_build)(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_tree_builder builder,
                             const dw_run *run, dw_error *err);
    /* *is_done false: later. */
    dw_status (*poll_build)(dw_scene_trees *trees, dw_placed_tree *out, bool *is_done,
                            dw_error *err);
    void (*cancel_build)(dw_scene_trees *trees);
    void (*finish_tree)(dw_scene_trees *trees, dw_placed_tree *tree);
    void (*finish_mesh)(dw_scene_trees *trees, dw_trees_mesh *mesh);

    /* The jobs, then the top level, in one submission; samples follow by take_samples. */
    dw_status (*commit)(dw_scene_trees *trees, const dw_trees_job *jobs, uint32_t count,
                        dw_top_work top, const dw_run *run, dw_error *err);
    /* Appends what has arrived to trees->samples. */
    dw_status (*take_samples)(dw_scene_trees *trees, dw_error *err);

    /* Box, inactive triangles and frame of the placed tree. */
    dw_status (*look)(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_run *run, dw_error *err);
    dw_status (*read_tree)(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_run *run,
                           dw_tree **out, dw_error *err);
    dw_status (*read_vertices)(dw_scene_trees *trees, dw_trees_mesh *mesh, float *out,
                               const dw_run *run, dw_error *err);
    dw_status (*get_bounds)(dw_scene_trees *trees, const dw_run *run, bool *has_any, float out[6],
                            dw_error *err);
    dw_status (*trace)(dw_scene_trees *trees, const dw_trace_rays *rays, const dw_trace_hits *hits,
                       const dw_run *run, dw_error *err);
    dw_status (*occluded)(dw_scene_trees *trees, const dw_trace_rays *rays, uint8_t *out,
                          const dw_run *run, dw_error *err);
    void (*destroy)(dw_scene_trees *trees); /* of what the backend itself has made */
} dw_trees_backend;

extern const dw_trees_backend dw_trees_native_backend;
extern const dw_trees_backend dw_trees_gpu_backend;

struct dw_scene_trees {
    dw_device *device;
    dw_scene_trees_def def;
    const dw_trees_backend *backend;
    struct dw_trees_native *native;
    struct dw_trees_gpu *gpu;

    dw_trees_mesh **meshes; /* by rising id; removed ones go at the next update */
    uint32_t mesh_count, mesh_capacity, mesh_live, next_mesh;
    dw_trees_instance *instances; /* likewise */
    uint32_t instance_count, instance_capacity, instance_live, next_instance;
    bool has_removed; /* of either */

    bool is_changed;                                 /* something waits for an update */
    bool has_committed;                              /* an update has succeeded */
    bool are_instances_changed, are_instances_moved; /* moved: or rows of meshes are others */
    dw_top_state top;

    uint64_t update_count, next_serial, next_wish;
    uint32_t watched;           /* meshes that the next update looks at though nothing was posed */
    uint32_t samples_under_way; /* batches */
    uint64_t write_count;       /* of all buffers, at the last update */
    double probe_credit;        /* ms */
    dw_trees_flight flight;
    bool has_begun_build; /* in this update */

    dw_trees_job *jobs;
    uint32_t job_capacity;
    dw_trees_sample *samples;
    uint32_t sample_count, sample_capacity;

    dw_trees_counts counts;
    bool is_result_taken; /* of the last update: the next one begins anew */
    dw_trees_result result;
    dw_trees_build *builds;
    uint32_t build_capacity;
};

/* NULL with an error when there is none. */
dw_trees_mesh *dw_trees_find_mesh(const dw_scene_trees *trees, uint32_t id, dw_error *err);

/* Where the newest pose lies in host memory; of a native device. */
dw_tree_vertices dw_trees_host_vertices(const dw_trees_mesh *mesh);

/* Whether a pose's buffer was written since the last refit; those meshes are posed then. */
bool dw_trees_note_writes(dw_scene_trees *trees);

/* Room for `count` elements in all; new ones are zero. */
dw_status dw_trees_reserve(void **array, uint64_t count, uint32_t *capacity, size_t size,
                           dw_error *err);

/* Low corner first, finite. */
dw_status dw_trees_check_bounds(const float bounds[6], dw_error *err);

/* The box of the pose that the placed tree was refit to, and whether it lies in the bounds. */
void dw_trees_look_at_box(dw_scene_trees *trees, dw_trees_mesh *mesh, const dw_tree_frame *frame,
                          bool has_box, const float box[6]);

void dw_trees_drop_tree(dw_scene_trees *trees, dw_placed_tree **tree);

/* ---- scene_trees_drift.c ---- */

/* Takes what has arrived; wishes of meshes and the flight's stage follow from it. */
dw_status dw_trees_take_samples(dw_scene_trees *trees, dw_error *err);

/* Whether a refit of the mesh now is to be sampled. */
bool dw_trees_is_sample_due(const dw_scene_trees *trees, const dw_trees_mesh *mesh);

/* Turns a ratio that was held above the limit into a wish. */
void dw_trees_check_holds(dw_scene_trees *trees);

/* The mesh to build next and why; NULL: none. */
dw_trees_mesh *dw_trees_choose_build(const dw_scene_trees *trees, dw_trees_cause *cause);

/* Whether the next update has to look at the mesh though nothing is posed. */
bool dw_trees_is_watched(const dw_trees_mesh *mesh);

/* ---- scene_trees_update.c ---- */

/* Puts a tree, which is the mesh's from then on, in place of the one it has. */
dw_status dw_trees_place(dw_scene_trees *trees, dw_trees_mesh *mesh, dw_placed_tree **tree,
                         dw_trees_cause cause, dw_error *err);

/* Drops the build that is under way and its tree. */
void dw_trees_end_flight(dw_scene_trees *trees);

#endif
