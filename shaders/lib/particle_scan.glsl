// SPDX-License-Identifier: MIT
// One workgroup: how many slots lie before each group of rows, and what of the expansion is whose
// layer. Each layer begins with a workgroup of its own.
#ifndef DW_LIB_PARTICLE_SCAN_GLSL
#define DW_LIB_PARTICLE_SCAN_GLSL

#include "lib/particle_sums.glsl"
#include "shared/particle.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(scalar, set = 0, binding = 0) readonly buffer size_block { dw_particle_sizes sizes; };
layout(scalar, set = 0, binding = 1) readonly buffer region_block
{
    dw_particle_region regions[];
};
layout(std430, set = 0, binding = 2) readonly buffer sum_block { uvec2 sums[]; };
layout(std430, set = 0, binding = 3) coherent buffer start_block { uvec2 starts[]; };
layout(scalar, set = 0, binding = 4) writeonly buffer span_block { dw_particle_span spans[]; };
layout(scalar, set = 0, binding = 5) writeonly buffer dispatch_block
{
    dw_particle_dispatch dispatch;
};

uint groups_of(uint count, uint size)
{
    return count / size + (count % size != 0u ? 1u : 0u);
}

/* starts[i]: slots and rows before group i; one more entry holds all of them. */
void scan_groups(uint lane)
{
    uint group_count = groups_of(sizes.row_count, DW_PARTICLE_ROW_GROUP);
    uint share = groups_of(group_count, DW_PARTICLE_LANES);
    uint from = min(lane * share, group_count);
    uint to = min(from + share, group_count);
    uvec2 own = uvec2(0u), total;

    for (uint i = from; i < to; i++)
        own += sums[i];

    uvec2 before = sum_through(lane, own, total) - own;

    for (uint i = from; i < to; i++) {
        starts[i] = before;
        before += sums[i];
    }
    if (lane == 0u)
        starts[group_count] = total;
}

/* Slots and rows of a layer. */
uvec2 slots_of(uint layer)
{
    uint end = min(regions[layer].first + regions[layer].count, sizes.row_count);
    uint first = min(regions[layer].first, end);

    return starts[groups_of(end, DW_PARTICLE_ROW_GROUP)] - starts[first / DW_PARTICLE_ROW_GROUP];
}

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uvec2 slots = uvec2(0u), total;

    scan_groups(lane);
    memoryBarrierBuffer();
    barrier();
    if (lane < sizes.layer_count && regions[lane].count != 0u)
        slots = slots_of(lane);

    uint groups = groups_of(slots.x, DW_PARTICLE_SLOT_GROUP);
    uint first = sum_through(lane, uvec2(groups, 0u), total).x - groups;
    uint left = sizes.slot_groups - min(first, sizes.slot_groups);

    if (lane < sizes.layer_count)
        spans[lane] = dw_particle_span(0u, 0u, slots.x, slots.y, first, min(groups, left), 0u, 0u);
    if (lane == 0u)
        dispatch =
            dw_particle_dispatch_of(min(total.x, sizes.slot_groups), sizes.groups_x);
}

#endif
