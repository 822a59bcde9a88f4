/* SPDX-License-Identifier: MIT */
/* Tables of particles with state: how a part is born and moves, and what is solid.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_LAW_H
#define DW_SHARED_PARTICLE_LAW_H

#include "shared/particle.h"

/* How a part with state is born and moves. */
#define DW_PARTICLE_LAW_FIELDS(F)                                                          \
    F(uint, flags, 0)          /* DW_LAW_* */                                              \
    F(uint, rate, 0)           /* births in 1024 of the row's own ticks, 16.16 */          \
    F(uint, children, 0)       /* slots for each slot of the parent's row */               \
    F(uint, first_collider, 0) /* in the table of colliders */                             \
    F(uint, collider_count, 0)                                                             \
    F(uint, burst_part, 0)   /* of renewal: what its bursts move like */                   \
    F(uint, burst_count, 0)  /* most that a burst takes; 0: no bursts */                   \
    F(uint, burst_gap, 0)    /* ticks: least time between bursts */                        \
    F(uint, burst_span, 0)   /* ticks: it is even in [gap, gap + span] */                  \
    F(float, gravity, 3)     /* m/s^2 */                                                   \
    F(float, drag, 0)        /* 1/s: of the speed against the air */                       \
    F(float, wind, 3)        /* m/s */                                                     \
    F(float, noise, 0)       /* m/s: how fast eddies are */                                \
    F(float, noise_scale, 0) /* eddies a metre */                                          \
    F(uint, noise_drift, 3)  /* how far they move in a tick, in 2^-24 of an eddy */        \
    F(float, pull, 0)        /* m/s^2: at most, of the attractor; negative pushes */       \
    F(float, pull_reach, 0)  /* m: where half of it is left */                             \
    F(float, pull_place, 3)  /* from the emitter's position */                             \
    F(float, place, 3)       /* middle of the shape they are born in, from the position */ \
    F(float, extent, 3)      /* its half sides or radii */                                 \
    F(float, axis_x, 3)      /* of the cone they leave in: across, */                      \
    F(float, axis_y, 3)      /* along */                                                   \
    F(float, axis_z, 3)      /* and across */                                              \
    F(float, cone, 0)        /* 1 - the cosine of its half angle */                        \
    F(float, speed, 0)       /* m/s: even in [speed, speed + span) */                      \
    F(float, speed_span, 0)                                                                \
    F(float, inherit, 0) /* share of the parent's velocity */                              \
    F(float, radius, 0)  /* m: how far from solids they are kept */                        \
    F(float, impact, 0)  /* m/s: of the slowest collision that is an event */

#define DW_LAW_IS_BALL          1u  /* born in an ellipsoid, not in a box */
#define DW_LAW_DROPS_NEWEST     2u  /* where a slot still lives its birth is left out */
#define DW_LAW_IS_OF_DEATHS     4u  /* children, born where a parent dies */
#define DW_LAW_IS_OF_COLLISIONS 8u  /* or bounces */
#define DW_LAW_KEEPS_LIFE       16u /* of renewal: all lives of a slot are as long as the first */
#define DW_LAW_AGES_TO_LIFE     32u /* of renewal: first ages are below the life, not the longest */

#define DW_COLLIDER_PLANE       0u
#define DW_COLLIDER_SPHERE      1u
#define DW_COLLIDER_BOX         2u
#define DW_COLLIDER_HEIGHTFIELD 3u

#define DW_COLLIDER_KILLS 1u

/* Plane: all that lies against axis_y from the centre on. Sphere: size[0] is the radius. Box: half
 * sides along the axes. Heightfield: the centre is the corner of the first height, size holds
 * heights a metre along x and z. */
#define DW_PARTICLE_COLLIDER_FIELDS(F)                                       \
    F(uint, kind, 0)                                                         \
    F(uint, flags, 0)                                                        \
    F(float, bounce, 0)   /* of the speed against it, how much comes back */ \
    F(float, friction, 0) /* Coulomb's */                                    \
    F(float, center, 3)                                                      \
    F(float, size, 3)                                                        \
    F(float, axis_x, 3)                                                      \
    F(float, axis_y, 3)                                                      \
    F(float, axis_z, 3)                                                      \
    F(uint, heights, 0) /* first of them, row by row of z */                 \
    F(uint, columns, 0) /* along x, at least 2 */                            \
    F(uint, rows, 0)

struct dw_particle_law {
    DW_PARTICLE_LAW_FIELDS(DW_FIELD)
};

struct dw_particle_collider {
    DW_PARTICLE_COLLIDER_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_particle_law dw_particle_law;
typedef struct dw_particle_collider dw_particle_collider;
#endif

#endif
