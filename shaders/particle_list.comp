// SPDX-License-Identifier: MIT
// Indices of all sprites, layer by layer; of sorted layers beside their keys, to be sorted.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "shared/particle_gpu.h"
#include "shared/particle_view.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(scalar, set = 0, binding = 0) readonly buffer size_block { dw_particle_sizes sizes; };
layout(std430, set = 0, binding = 1) readonly buffer count_block { uint counts[]; };
layout(std430, set = 0, binding = 2) readonly buffer place_block { uint places[]; };
layout(scalar, set = 0, binding = 3) readonly buffer span_block { dw_particle_span spans[]; };
layout(scalar, set = 0, binding = 4) readonly buffer dispatch_block
{
    dw_particle_dispatch dispatch;
};
layout(std430, set = 0, binding = 5) readonly buffer sprite_block { vec4 sprites[]; };
layout(scalar, set = 0, binding = 6) readonly buffer eye_block { float eye[3]; };
layout(std430, set = 0, binding = 7) writeonly buffer list_block { uint list[]; };
layout(std430, set = 0, binding = 8) writeonly buffer pair_block { uvec2 pairs[]; };

shared uint sorted_layer;

bool is_sorted(uint layer)
{
    uint bits = layer < 32u ? sizes.sorted_low : sizes.sorted_high;

    return (bits >> layer % 32u & 1u) != 0u;
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;

    if (group >= dispatch.count)
        return;
    if (lane == 0u)
        sorted_layer = DW_PARTICLE_NONE;
    barrier();
    if (lane < sizes.layer_count && is_sorted(lane) &&
        group - spans[lane].group_first < spans[lane].group_count)
        sorted_layer = lane;
    barrier();

    uint layer = sorted_layer;
    uint count = counts[group], place = places[group];
    uint first = group * DW_PARTICLE_SLOT_GROUP;

    for (uint i = lane; i < count; i += DW_PARTICLE_LANES) {
        if (layer == DW_PARTICLE_NONE) {
            list[place + i] = first + i;
            continue;
        }
        vec3 at = sprites[2u * (first + i)].xyz;
        uint key = dw_particle_depth_key(at.x, at.y, at.z, eye[0], eye[1], eye[2]);

        pairs[place - spans[layer].first + spans[layer].sort_first + i] = uvec2(key, first + i);
    }
}
