/* SPDX-License-Identifier: MIT */
/* Meshes in a pose, natively: what is kept of a mesh, what a pose becomes, and the vertices of one.
 * shaders/skin_vertices.comp does the same on a device, from the same tables.
 * Thread-safety: Safe; all state is the caller's. */
#ifndef DW_CPU_SKIN_H
#define DW_CPU_SKIN_H

#include "base/threads.h"
#include "shared/skin.h"

#include <stdbool.h>
#include <stdint.h>

#define DW_SKIN_JOINTS_MAX  65536u
#define DW_SKIN_WEIGHT_MAX  1e6  /* of a morph target */
#define DW_SKIN_REACH_MAX   1e30 /* of a coordinate in a pose */
#define DW_SKIN_INDICES_MAX 0xfffffff0u

/* A mesh as the caller has it. Everything is finite; coordinates lie within 1e18. */
typedef struct dw_skin_def {
    uint32_t vertex_count;    /* at least 1 */
    uint32_t influence_count; /* columns of joints and weights; 0: no skin */
    uint32_t target_count;
    const float *positions;      /* [vertex_count][3] */
    const float *normals;        /* likewise; NULL: none, and no target_normals then */
    const uint16_t *joints;      /* [vertex_count][influence_count] */
    const float *weights;        /* likewise; 0 or more, each row sums to 1 */
    const float *targets;        /* [target_count][vertex_count][3], added to positions */
    const float *target_normals; /* likewise; NULL: targets leave normals as they are */
} dw_skin_def;

/* The mesh as both backends read it: planes of vertex_count numbers, one after another. */
typedef struct dw_skin_rest {
    uint32_t vertex_count, target_count;
    uint32_t influence_count; /* most joints of a vertex; 0: no skin */
    uint32_t joint_count;     /* matrices that are used, at least 1 */
    bool has_normals, has_target_normals;
    bool is_far;          /* the origin is not 0 */
    float origin[3];      /* that positions are counted from; matrices move it to where it goes */
    int scale;            /* positions times 2 to this, and the origin, are the mesh's */
    double reach;         /* greatest magnitude of a scaled position */
    float *positions;     /* x, y, z */
    float *normals;       /* x, y, z */
    uint32_t *joints;     /* two a word, DW_SKIN_JOINT; heaviest first */
    float *weights;       /* of the second joint and on; 0 ends a vertex's list */
    float *deltas;        /* see dw_skin_target */
    uint64_t delta_count; /* numbers in deltas */
    dw_skin_target *targets; /* [target_count], of weight 0 */
    float *target_reaches;   /* [target_count]: greatest magnitude of a scaled delta */
} dw_skin_rest;

/* DW_ERROR_CAPACITY when the deltas are too many for 32-bit indices. */
dw_status dw_skin_rest_init(dw_skin_rest *rest, const dw_skin_def *def, dw_error *err);

/* Accepts a zeroed one. */
void dw_skin_rest_finish(dw_skin_rest *rest);

/* Bytes of one of its arrays. */
uint64_t dw_skin_plane_bytes(const dw_skin_rest *rest);  /* of three planes */
uint64_t dw_skin_joint_bytes(const dw_skin_rest *rest);  /* 0 without a skin */
uint64_t dw_skin_weight_bytes(const dw_skin_rest *rest); /* 0 without a second joint */

/* A pose as the caller has it: finite. */
typedef struct dw_skin_pose {
    const double *matrices; /* [matrix_count][16], row-major; NULL: nothing is moved by matrices */
    uint32_t matrix_count;
    const double *weights; /* of the targets; NULL: all 0 */
} dw_skin_pose;

/* The columns of a matrix, four numbers each; the last of them is 0. */
typedef struct dw_skin_columns {
    float m[16];
} dw_skin_columns;

/* A pose as both backends read it. */
typedef struct dw_skin_table {
    dw_skin_matrix *matrices;      /* [joint_count] */
    dw_skin_columns *columns;      /* the same, natively */
    dw_skin_target *targets;       /* [target_count]: those of weight other than 0 come first */
    uint32_t target_count;         /* of those */
    bool has_matrices, has_joints; /* without joints the first matrix moves all vertices */
    float scale, tiny;             /* see dw_skin_push */
} dw_skin_table;

/* is_native: dw_skin_vertices will read it, and not a device. */
dw_status dw_skin_table_init(dw_skin_table *table, const dw_skin_rest *rest, bool is_native,
                             dw_error *err);
void dw_skin_table_finish(dw_skin_table *table);

/* DW_ERROR_ARGUMENT for too few matrices, one that is not affine, weights out of range, or a pose
 * that takes vertices too far. */
dw_status dw_skin_table_fill(dw_skin_table *table, const dw_skin_rest *rest,
                             const dw_skin_pose *pose, dw_error *err);

/* Rows of three floats; a stride is in floats. */
typedef struct dw_skin_rows {
    float *data; /* NULL: not wanted */
    int64_t stride;
} dw_skin_rows;

/* Every vertex of a pose. normals only where the rest has them. */
dw_status dw_skin_vertices(const dw_skin_rest *rest, const dw_skin_table *table,
                           dw_skin_rows positions, dw_skin_rows normals, const dw_run *run,
                           dw_error *err);

#endif
