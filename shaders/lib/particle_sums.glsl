// SPDX-License-Identifier: MIT
// Sums over the lanes of a workgroup of DW_PARTICLE_LANES, in their order.
#ifndef DW_LIB_PARTICLE_SUMS_GLSL
#define DW_LIB_PARTICLE_SUMS_GLSL

#include "shared/particle_gpu.h"

shared uvec2 lane_sums[2][DW_PARTICLE_LANES];

/* The sum of `value` over this lane and those before it; `total` that over all. All lanes come
 * here. */
uvec2 sum_through(uint lane, uvec2 value, out uvec2 total)
{
    uint side = 0u;

    barrier();
    lane_sums[0][lane] = value;
    barrier();
    for (uint step = 1u; step < DW_PARTICLE_LANES; step <<= 1) {
        uvec2 before = lane >= step ? lane_sums[side][lane - step] : uvec2(0u);

        lane_sums[side ^ 1u][lane] = lane_sums[side][lane] + before;
        side ^= 1u;
        barrier();
    }
    total = lane_sums[side][DW_PARTICLE_LANES - 1u];
    return lane_sums[side][lane];
}

#endif
