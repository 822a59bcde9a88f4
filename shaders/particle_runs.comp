// SPDX-License-Identifier: MIT
// A lane a row: its first slot among those of its layer, and at which row each workgroup of the
// expansion begins.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "shared/particle.h"
#include "shared/particle_gpu.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(scalar, set = 0, binding = 0) readonly buffer size_block { dw_particle_sizes sizes; };
layout(scalar, set = 0, binding = 1) readonly buffer region_block
{
    dw_particle_region regions[];
};
layout(std430, set = 0, binding = 2) readonly buffer start_block { uvec2 starts[]; };
layout(scalar, set = 0, binding = 3) readonly buffer span_block { dw_particle_span spans[]; };
layout(std430, set = 0, binding = 4) buffer cell_block { uvec4 cells[]; };
layout(std430, set = 0, binding = 5) writeonly buffer run_block { uint runs[]; };

shared uint group_layer;
shared uint firsts[DW_PARTICLE_LANES]; /* slots of the group before each row */

/* Of the group's rows the last one that begins at or before a slot. */
uint row_of(uint slot)
{
    uint row = 0u;

    for (uint step = DW_PARTICLE_LANES / 2u; step > 0u; step >>= 1)
        row += firsts[row + step] <= slot ? step : 0u;
    return row;
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;
    uint first_row = group * DW_PARTICLE_ROW_GROUP, row = first_row + lane;

    if (first_row >= sizes.row_count)
        return;
    if (lane == 0u)
        group_layer = DW_PARTICLE_NONE;
    barrier();
    if (lane < sizes.layer_count && first_row - regions[lane].first < regions[lane].count)
        group_layer = lane;
    firsts[lane] = row < sizes.row_count ? cells[row].x : 0xffffffffu;
    barrier();

    uint layer = group_layer;

    if (layer == DW_PARTICLE_NONE)
        return;

    uint before = starts[group].x - starts[regions[layer].first / DW_PARTICLE_ROW_GROUP].x;
    uint count = starts[group + 1u].x - starts[group].x;
    uint run = before / DW_PARTICLE_SLOT_GROUP + (before % DW_PARTICLE_SLOT_GROUP != 0u ? 1u : 0u);

    if (row < sizes.row_count)
        cells[row].x = before + firsts[lane];
    for (run += lane; run < spans[layer].group_count; run += DW_PARTICLE_LANES) {
        uint slot = run * DW_PARTICLE_SLOT_GROUP - before;

        if (slot >= count)
            break;
        runs[spans[layer].group_first + run] = first_row + row_of(slot);
    }
}
