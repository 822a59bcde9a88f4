/* SPDX-License-Identifier: MIT */
/* What the steps of a view hand on to each other on a device.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_GPU_H
#define DW_SHARED_PARTICLE_GPU_H

#include "shared/types.h"

#define DW_PARTICLE_LANES      256 /* of a workgroup */
#define DW_PARTICLE_DIGITS     256 /* of a pass of the sort */
#define DW_PARTICLE_SORT_GROUP 1024

/* What changes with the tables alone. */
#define DW_PARTICLE_SIZES_FIELDS(F)                                      \
    F(uint, row_count, 0)                                                \
    F(uint, layer_count, 0)                                              \
    F(uint, slot_groups, 0) /* most workgroups of the expansion */       \
    F(uint, sort_groups, 0) /* and of the sort */                        \
    F(uint, groups_x, 0)    /* most workgroups of a dispatch along x */  \
    F(uint, sorted_low, 0)  /* a bit for each layer with blend SORTED */ \
    F(uint, sorted_high, 0)

/* Read by indirect dispatches: `x` and `y` workgroups, of which the first `count` have work. */
#define DW_PARTICLE_DISPATCH_FIELDS(F) \
    F(uint, x, 0)                      \
    F(uint, y, 0)                      \
    F(uint, z, 0)                      \
    F(uint, count, 0)

/* A layer in one view. */
#define DW_PARTICLE_SPAN_FIELDS(F)                                               \
    F(uint, first, 0)       /* entry of the list */                              \
    F(uint, count, 0)       /* of sprites */                                     \
    F(uint, candidates, 0)  /* slots that were looked at */                      \
    F(uint, rows, 0)        /* emitters' rows that have some */                  \
    F(uint, group_first, 0) /* workgroup of the expansion; 1,024 sprites each */ \
    F(uint, group_count, 0)                                                      \
    F(uint, sort_first, 0) /* item among those of sorted layers */               \
    F(uint, sort_group, 0) /* first of its workgroups in the sort */

struct dw_particle_sizes {
    DW_PARTICLE_SIZES_FIELDS(DW_FIELD)
};

struct dw_particle_dispatch {
    DW_PARTICLE_DISPATCH_FIELDS(DW_FIELD)
};

struct dw_particle_span {
    DW_PARTICLE_SPAN_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_particle_sizes dw_particle_sizes;
typedef struct dw_particle_dispatch dw_particle_dispatch;
typedef struct dw_particle_span dw_particle_span;
#endif

/* The first `count` of as many workgroups as x and y, each at most groups_x, make. */
DW_INLINE dw_particle_dispatch dw_particle_dispatch_of(uint count, uint groups_x)
{
    dw_particle_dispatch d;
    uint rows = count / groups_x + (count % groups_x != 0u ? 1u : 0u);

    d.x = count < groups_x ? count : groups_x;
    d.y = rows < groups_x ? rows : groups_x;
    d.z = 1u;
    d.count = count;
    return d;
}

#endif
