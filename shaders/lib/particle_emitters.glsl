// SPDX-License-Identifier: MIT
// A lane a row: how many of its slots the view looks at, how many those before it in the workgroup
// have, and the row's own tick.
#ifndef DW_LIB_PARTICLE_EMITTERS_GLSL
#define DW_LIB_PARTICLE_EMITTERS_GLSL

#include "lib/particle_sums.glsl"
#include "shared/particle_view.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(std430, set = 0, binding = 0) readonly buffer emitter_block { uvec4 emitters[]; };
layout(std430, set = 0, binding = 1) readonly buffer part_block { uvec2 parts[]; };
layout(std430, set = 0, binding = 2) writeonly buffer cell_block { uvec4 cells[]; };
layout(std430, set = 0, binding = 3) writeonly buffer sum_block { uvec2 sums[]; };
layout(scalar, set = 0, binding = 4) writeonly buffer eye_block { float eye[3]; };
layout(scalar, push_constant) uniform view_block { dw_particle_view view; };

#include "lib/particle_tables.glsl"

bool is_outside(dw_particle_emitter e)
{
    for (uint i = 0u; i < 24u; i += 4u)
        if (dw_particle_row_is_outside(e, view.planes[i], view.planes[i + 1u],
                                       view.planes[i + 2u], view.planes[i + 3u]))
            return true;
    return false;
}

uint kept_of(dw_particle_emitter e)
{
    if (e.part == DW_PARTICLE_NONE)
        return 0u;
    dw_particle_part p = load_part(DW_EMITTER_PART(e.part));
    if ((p.flags & DW_PART_IS_VIEW) == 0u && is_outside(e))
        return 0u;
    return dw_particle_row_kept(e, p, view.camera[0], view.camera[1], view.camera[2]);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;
    uint row = group * DW_PARTICLE_ROW_GROUP + lane;
    bool is_row = row < view.row_count;
    dw_particle_emitter e = load_emitter(is_row ? row : 0u);
    uint kept = is_row ? kept_of(e) : 0u;
    uint slots = dw_particle_kept_slots(kept);
    uvec2 total;
    uvec2 through = sum_through(lane, uvec2(slots, slots == 0u ? 0u : 1u), total);

    if (is_row) {
        uint64_t local = uint64_t(dw_particle_local(e, view.now_low, view.now_high));

        cells[row] = uvec4(through.x - slots, kept, uint(local), uint(local >> 32));
    }
    if (lane == 0u && group * DW_PARTICLE_ROW_GROUP < view.row_count)
        sums[group] = total;
    if (lane < 3u && group == 0u)
        eye[lane] = view.camera[lane];
}

#endif
