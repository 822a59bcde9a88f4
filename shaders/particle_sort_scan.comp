// SPDX-License-Identifier: MIT
// One workgroup for each digit of each sorted layer: counts of the layer's workgroups become how
// many such items lie before each of them.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/particle_sums.glsl"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(scalar, set = 0, binding = 0) readonly buffer size_block { dw_particle_sizes sizes; };
layout(scalar, set = 0, binding = 1) readonly buffer span_block { dw_particle_span spans[]; };
layout(std430, set = 0, binding = 2) buffer digit_block { uint digits[]; };
layout(std430, set = 0, binding = 3) writeonly buffer total_block { uint totals[]; };

#include "lib/particle_sort.glsl"

/* The layer that is the n-th one to be sorted. */
uint nth_sorted(uint n)
{
    for (uint layer = 0u; layer < sizes.layer_count; layer++) {
        if (is_sorted(layer) && n == 0u)
            return layer;
        n -= is_sorted(layer) ? 1u : 0u;
    }
    return 0u;
}

void main()
{
    uint digit = gl_WorkGroupID.x, layer = nth_sorted(gl_WorkGroupID.y);
    uint lane = gl_LocalInvocationIndex;
    uint group_count = sort_groups(layer);
    uint first = digit_at(layer, digit, spans[layer].sort_group);
    uint share = (group_count + DW_PARTICLE_LANES - 1u) / DW_PARTICLE_LANES;
    uint from = min(lane * share, group_count);
    uint to = min(from + share, group_count);
    uint own = 0u;
    uvec2 total;

    for (uint i = from; i < to; i++)
        own += digits[first + i];

    uint before = sum_through(lane, uvec2(own, 0u), total).x - own;

    for (uint i = from; i < to; i++) {
        uint count = digits[first + i];

        digits[first + i] = before;
        before += count;
    }
    if (lane == 0u)
        totals[layer * DW_PARTICLE_DIGITS + digit] = total.x;
}
