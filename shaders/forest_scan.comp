// SPDX-License-Identifier: MIT
// One workgroup a bucket: the counts of all row groups become how many entries lie before each.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "shared/forest.h"

layout(local_size_x = DW_FOREST_GROUP) in;

layout(scalar, set = 0, binding = 0) buffer count_block { uint counts[]; };
layout(scalar, set = 0, binding = 1) writeonly buffer bucket_block { dw_forest_bucket buckets[]; };
layout(push_constant) uniform constants { uint group_count; };

shared uint sums[2][DW_FOREST_GROUP];

/* The sum of `value` over this lane and those before it. Ends with a barrier. */
uint inclusive_sum(uint lane, uint value)
{
    uint side = 0u;

    sums[0][lane] = value;
    barrier();
    for (uint step = 1u; step < DW_FOREST_GROUP; step <<= 1) {
        uint before = lane >= step ? sums[side][lane - step] : 0u;

        sums[side ^ 1u][lane] = sums[side][lane] + before;
        side ^= 1u;
        barrier();
    }
    return sums[side][lane];
}

void main()
{
    uint bucket = gl_WorkGroupID.x;
    uint lane = gl_LocalInvocationIndex;
    uint begin = bucket * group_count;
    uint share = (group_count + DW_FOREST_GROUP - 1u) / DW_FOREST_GROUP;
    uint from = min(lane * share, group_count);
    uint to = min(from + share, group_count);
    uint own = 0u;

    for (uint i = from; i < to; i++)
        own += counts[begin + i];

    uint sum = inclusive_sum(lane, own);
    uint before = sum - own;

    for (uint i = from; i < to; i++) {
        uint count = counts[begin + i];

        counts[begin + i] = before;
        before += count;
    }
    if (lane == DW_FOREST_GROUP - 1u)
        buckets[bucket].count = sum;
}
