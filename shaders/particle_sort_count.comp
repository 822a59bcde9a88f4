// SPDX-License-Identifier: MIT
// How many items of a workgroup have each digit.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "shared/particle_gpu.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(scalar, set = 0, binding = 0) readonly buffer size_block { dw_particle_sizes sizes; };
layout(scalar, set = 0, binding = 1) readonly buffer span_block { dw_particle_span spans[]; };
layout(scalar, set = 0, binding = 2) readonly buffer dispatch_block
{
    dw_particle_dispatch dispatches[2];
};
layout(std430, set = 0, binding = 3) readonly buffer pair_block { uvec2 pairs[]; };
layout(std430, set = 0, binding = 4) writeonly buffer digit_block { uint digits[]; };

#include "lib/particle_sort.glsl"

shared uint bins[DW_PARTICLE_DIGITS];

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;

    if (group >= dispatches[1].count)
        return;
    bins[lane] = 0u;

    uint layer = find_sort_layer(lane, group);
    uint begin = (group - spans[layer].sort_group) * DW_PARTICLE_SORT_GROUP;
    uint end = min(begin + DW_PARTICLE_SORT_GROUP, spans[layer].count);

    for (uint i = begin + lane; i < end; i += DW_PARTICLE_LANES)
        atomicAdd(bins[digit_of(pairs[spans[layer].sort_first + i].x)], 1u);
    barrier();
    digits[digit_at(layer, lane, group)] = bins[lane];
}
