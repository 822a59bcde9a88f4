// SPDX-License-Identifier: MIT
// A lane a row of a range: how many slots those before it in the workgroup have.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/particle_sums.glsl"
#include "shared/particle.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(std430, set = 0, binding = 0) readonly buffer emitter_block { uvec4 emitters[]; };
layout(std430, set = 0, binding = 1) writeonly buffer cell_block { uvec4 cells[]; };
layout(std430, set = 0, binding = 2) writeonly buffer sum_block { uvec2 sums[]; };
layout(scalar, push_constant) uniform constants
{
    uint first_row;
    uint row_count;
};

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;
    uint row = group * DW_PARTICLE_ROW_GROUP + lane;
    uvec2 head = row < row_count ? emitters[8u * (first_row + row)].xy : uvec2(0u);
    uint slots = head.x == DW_PARTICLE_NONE ? 0u : head.y;
    uvec2 total;
    uvec2 through = sum_through(lane, uvec2(slots, 0u), total);

    if (row < row_count)
        cells[row] = uvec4(through.x - slots, 0u, 0u, 0u);
    if (lane == 0u && group * DW_PARTICLE_ROW_GROUP < row_count)
        sums[group] = total;
}
