// SPDX-License-Identifier: MIT
// The list of what specks have left to the raster, in its order, and its draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "shared/particle_gpu.h"
#include "shared/particle_style.h"

layout(local_size_x = DW_SPECK_LANES) in;
layout(scalar, set = 0, binding = DW_SPECK_LIST_LIST) readonly buffer list_block { uint list[]; };
layout(scalar, set = 0, binding = DW_SPECK_LIST_SPANS) readonly buffer span_block {
    dw_particle_span spans[];
};
layout(scalar, set = 0, binding = DW_SPECK_LIST_FLAGS) readonly buffer flag_block {
    uint rastered[];
};
layout(scalar, set = 0, binding = DW_SPECK_LIST_COUNTS) readonly buffer count_block {
    uint counts[];
};
layout(scalar, set = 0, binding = DW_SPECK_LIST_RASTERED) writeonly buffer kept_block {
    uint kept[];
};
layout(scalar, set = 0, binding = DW_SPECK_LIST_COMMANDS) writeonly buffer command_block {
    uint commands[];
};
layout(scalar, push_constant) uniform push_block { uint layer; };

shared uint before;

void main()
{
    uint lane = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    uint first = spans[layer].first;
    uint count = spans[layer].count;
    uint each = (count + DW_SPECK_GROUPS - 1u) / DW_SPECK_GROUPS;
    uint step_count = (each + DW_SPECK_LANES - 1u) / DW_SPECK_LANES;
    uint place;

    if (lane == 0u)
        before = 0u;
    barrier();
    for (uint i = lane; i < group; i += DW_SPECK_LANES)
        atomicAdd(before, counts[i]);
    barrier();
    place = before;
    for (uint i = 0u; i < step_count; i++) {
        uint base = (group * step_count + i) * (DW_SPECK_LANES / 32u);
        uint at = base * 32u + lane;
        uint bit = 1u << (lane & 31u);

        for (uint word = 0u; word < DW_SPECK_LANES / 32u; word++) {
            uint flags = rastered[base + word];

            if (word == lane >> 5u && (flags & bit) != 0u)
                kept[first + place + bitCount(flags & (bit - 1u))] = list[first + at];
            place += bitCount(flags);
        }
    }
    if (group == DW_SPECK_GROUPS - 1u && lane == 0u) {
        commands[4u * layer] = 4u;
        commands[4u * layer + 1u] = place;
        commands[4u * layer + 2u] = commands[4u * layer + 3u] = 0u;
    }
}
