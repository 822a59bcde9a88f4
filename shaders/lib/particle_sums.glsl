// SPDX-License-Identifier: MIT
// Sums over the lanes of a workgroup of DW_PARTICLE_LANES, in their order.
#ifndef DW_LIB_PARTICLE_SUMS_GLSL
#define DW_LIB_PARTICLE_SUMS_GLSL

#include "shared/particle_gpu.h"

/* The sum of `value` over this lane and those before it; `total` that over all. All lanes come
 * here. */
#ifdef DW_PARTICLE_IS_WIDE
shared uvec2 subgroup_sums[DW_PARTICLE_LANES / 32];

uvec2 sum_through(uint lane, uvec2 value, out uvec2 total)
{
    uvec2 through = subgroupInclusiveAdd(value);

    barrier();
    if (gl_SubgroupInvocationID == 31u)
        subgroup_sums[gl_SubgroupID] = through;
    barrier();
    total = uvec2(0u);
    for (uint i = 0u; i < DW_PARTICLE_LANES / 32u; i++) {
        through += i < gl_SubgroupID ? subgroup_sums[i] : uvec2(0u);
        total += subgroup_sums[i];
    }
    return through;
}
#else
shared uvec2 lane_sums[2][DW_PARTICLE_LANES];

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

#endif
