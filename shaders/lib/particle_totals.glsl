// SPDX-License-Identifier: MIT
// One workgroup: the place in the list of what each workgroup of the expansion has kept, and the
// layers' draws.
#ifndef DW_LIB_PARTICLE_TOTALS_GLSL
#define DW_LIB_PARTICLE_TOTALS_GLSL

#include "lib/particle_sums.glsl"
#include "shared/particle.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(scalar, set = 0, binding = 0) readonly buffer size_block { dw_particle_sizes sizes; };
layout(std430, set = 0, binding = 1) readonly buffer count_block { uint counts[]; };
layout(std430, set = 0, binding = 2) coherent buffer place_block { uint places[]; };
layout(scalar, set = 0, binding = 3) buffer span_block { dw_particle_span spans[]; };
/* of the expansion, of the sort */
layout(scalar, set = 0, binding = 4) buffer dispatch_block
{
    dw_particle_dispatch dispatches[2];
};
layout(std430, set = 0, binding = 5) writeonly buffer command_block { uvec4 commands[]; };

/* places[i]: sprites before workgroup i; one more entry holds all of them. */
void scan_counts(uint lane)
{
    uint group_count = dispatches[0].count;
    uint share = (group_count + DW_PARTICLE_LANES - 1u) / DW_PARTICLE_LANES;
    uint from = min(lane * share, group_count);
    uint to = min(from + share, group_count);
    uint own = 0u;
    uvec2 total;

    for (uint i = from; i < to; i++)
        own += counts[i];

    uint before = sum_through(lane, uvec2(own, 0u), total).x - own;

    for (uint i = from; i < to; i++) {
        places[i] = before;
        before += counts[i];
    }
    if (lane == 0u)
        places[group_count] = total.x;
}

bool is_sorted(uint layer)
{
    uint bits = layer < 32u ? sizes.sorted_low : sizes.sorted_high;

    return layer < DW_PARTICLE_LAYERS_MAX && (bits >> layer % 32u & 1u) != 0u;
}

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint first = 0u, count = 0u;
    uvec2 total;

    scan_counts(lane);
    memoryBarrierBuffer();
    barrier();
    if (lane < sizes.layer_count && spans[lane].group_count != 0u) {
        first = places[spans[lane].group_first];
        count = places[spans[lane].group_first + spans[lane].group_count] - first;
    }

    uint items = is_sorted(lane) ? count : 0u;
    uint groups = (items + DW_PARTICLE_SORT_GROUP - 1u) / DW_PARTICLE_SORT_GROUP;
    uvec2 before = sum_through(lane, uvec2(items, groups), total) - uvec2(items, groups);

    if (lane < sizes.layer_count) {
        spans[lane].first = first;
        spans[lane].count = count;
        spans[lane].sort_first = before.x;
        spans[lane].sort_group = before.y;
        commands[lane] = uvec4(4u, count, 0u, 0u);
    }
    if (lane == 0u)
        dispatches[1] =
            dw_particle_dispatch_of(min(total.y, sizes.sort_groups), sizes.groups_x);
}

#endif
