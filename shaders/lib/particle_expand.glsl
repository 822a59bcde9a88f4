// SPDX-License-Identifier: MIT
// A lane a candidate, four times: what of a slot the view sees becomes a sprite. Sprites of a
// workgroup lie together, in order of row and slot.
#ifndef DW_LIB_PARTICLE_EXPAND_GLSL
#define DW_LIB_PARTICLE_EXPAND_GLSL

#include "lib/particle_pack.glsl"
#include "shared/particle_view.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(std430, set = 0, binding = 0) readonly buffer emitter_block { uvec4 emitters[]; };
layout(std430, set = 0, binding = 1) readonly buffer part_block { uvec2 parts[]; };
layout(scalar, set = 0, binding = 2) readonly buffer region_block
{
    dw_particle_region regions[];
};
layout(std430, set = 0, binding = 3) readonly buffer curve_block { float curves[]; };
layout(std430, set = 0, binding = 4) readonly buffer color_block { uint colors[]; };
layout(std430, set = 0, binding = 5) readonly buffer point_block { float points[]; };
layout(std430, set = 0, binding = 6) readonly buffer cell_block { uvec4 cells[]; };
layout(std430, set = 0, binding = 7) readonly buffer run_block { uint runs[]; };
layout(scalar, set = 0, binding = 8) readonly buffer span_block { dw_particle_span spans[]; };
layout(scalar, set = 0, binding = 9) readonly buffer dispatch_block
{
    dw_particle_dispatch dispatch;
};
layout(std430, set = 0, binding = 10) writeonly buffer sprite_block { uvec4 sprites[]; };
layout(std430, set = 0, binding = 11) writeonly buffer count_block { uint counts[]; };
#ifdef DW_SLOTS_ARE_SHOWN
layout(std430, set = 0, binding = 12) readonly buffer shown_block { uint shown[]; };
#endif
layout(scalar, push_constant) uniform view_block { dw_particle_view view; };

#include "lib/particle_find.glsl"
#include "lib/particle_slot.glsl"
#include "lib/particle_tables.glsl"

shared uvec4 staged[2 * DW_PARTICLE_LANES];

bool is_inside(dw_particle particle)
{
    float reach = dw_particle_reach(particle.size, particle.axis);

    for (uint i = 0u; i < 24u; i += 4u)
        if (!dw_particle_is_inside(view.planes[i], view.planes[i + 1u], view.planes[i + 2u],
                                   view.planes[i + 3u], particle.position[0],
                                   particle.position[1], particle.position[2], reach))
            return false;
    return true;
}

/* False: nothing of the slot is seen. */
bool sprite_at(uvec2 at, inout dw_particle_sprite sprite)
{
    dw_particle_emitter e = load_head(at.x);
    dw_particle_part p = load_part(DW_EMITTER_PART(e.part));
    uvec4 cell = cells[at.x];
    int64_t local = int64_t(dw_particle_join(cell.z, cell.w));
    uvec2 now = uvec2(view.now_low, view.now_high);
    float eye[3] = float[3](view.camera[0], view.camera[1], view.camera[2]);
    dw_particle particle = no_particle();
    float share = 0.0;

    if (!particle_at(e, p, at.x, at.y, local, now, eye, particle, share))
        return false;

    precise float opacity = particle.opacity * dw_particle_kept_share(cell.y, at.y);

    particle.opacity = opacity;
    sprite = dw_particle_sprite_of(particle, share);
    return dw_particle_is_drawn(particle.size, opacity) && is_inside(particle);
}

void put(uint place, dw_particle_sprite s)
{
    staged[2u * place] = uvec4(floatBitsToUint(s.position[0]), floatBitsToUint(s.position[1]),
                               floatBitsToUint(s.position[2]), floatBitsToUint(s.size));
    staged[2u * place + 1u] = uvec4(s.opacity, s.color, s.frame, s.axis);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;
    uint written = 0u;

    if (group >= dispatch.count)
        return;
    clear_kept(lane);

    uint layer = find_layer(lane, view.layer_count, group);
    uint row_end = min(regions[layer].first + regions[layer].count, view.row_count);
    particle_run run = find_run(layer, group, row_end);

    for (uint round = 0u; round < ROUNDS; round++) {
        uint target = run.begin + round * DW_PARTICLE_LANES + lane;
        dw_particle_sprite sprite =
            dw_particle_sprite(float[3](0.0, 0.0, 0.0), 0.0, 0u, 0u, 0u, 0u);
        bool is_seen = target < run.end && sprite_at(find_slot(run, target), sprite);
        uint total;
        uint place = rank_kept(lane, round, is_seen, total);

        if (is_seen)
            put(place, sprite);
        barrier();
        for (uint i = lane; i < 2u * total; i += DW_PARTICLE_LANES)
            sprites[2u * (group * DW_PARTICLE_SLOT_GROUP + written) + i] = staged[i];
        written += total;
    }
    if (lane == 0u)
        counts[group] = written;
}

#endif
