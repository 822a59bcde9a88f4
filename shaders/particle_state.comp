// SPDX-License-Identifier: MIT
// A lane a slot, four times: how many of a workgroup's slots live, or their particles one behind
// the other.
#version 460
#pragma optimize(on)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/particle_pack.glsl"
#include "shared/particle.h"

layout(local_size_x = DW_PARTICLE_LANES) in;

layout(constant_id = 0) const bool is_counting = true;

layout(std430, set = 0, binding = 0) readonly buffer emitter_block { uvec4 emitters[]; };
layout(std430, set = 0, binding = 1) readonly buffer part_block { uvec2 parts[]; };
layout(std430, set = 0, binding = 2) readonly buffer curve_block { float curves[]; };
layout(std430, set = 0, binding = 3) readonly buffer color_block { uint colors[]; };
layout(std430, set = 0, binding = 4) readonly buffer point_block { float points[]; };
layout(std430, set = 0, binding = 5) readonly buffer cell_block { uvec4 cells[]; };
layout(std430, set = 0, binding = 6) readonly buffer run_block { uint runs[]; };
layout(scalar, set = 0, binding = 7) readonly buffer span_block { dw_particle_span spans[]; };
layout(scalar, set = 0, binding = 8) readonly buffer dispatch_block
{
    dw_particle_dispatch dispatch;
};
layout(std430, set = 0, binding = 9) readonly buffer place_block { uint places[]; };
layout(std430, set = 0, binding = 10) writeonly buffer count_block { uint counts[]; };
layout(std430, set = 0, binding = 11) writeonly buffer out_block { uint particles[]; };
layout(std430, set = 0, binding = 12) readonly buffer shown_block { uint shown[]; };
layout(scalar, push_constant) uniform constants
{
    uint first_row;
    uint row_count;
    uint first_group; /* of those whose particles are written */
    uint has_camera;
    uvec2 now;
    float camera[3];
};

#define DW_SLOTS_ARE_SHOWN
#include "lib/particle_find.glsl"
#include "lib/particle_slot.glsl"
#include "lib/particle_tables.glsl"

#define WORDS 14

shared uint staged[WORDS * DW_PARTICLE_LANES];

bool state_at(uvec2 at, inout dw_particle particle)
{
    uint row = first_row + at.x;
    dw_particle_emitter e = load_emitter(row);
    dw_particle_part p = load_part(DW_EMITTER_PART(e.part));
    int64_t local = dw_particle_local(e, now.x, now.y);
    float eye[3], share = 0.0;

    for (uint i = 0u; i < 3u; i++)
        eye[i] = has_camera != 0u ? camera[i] : e.position[i];

    if (is_counting)
        return life_shown(e, p, at.y, local, load_shown(e, p, at.y)).is_alive != 0u;
    return particle_at(e, p, row, at.y, local, now, eye, particle, share);
}

void put(uint place, dw_particle p)
{
    uint words[WORDS] = uint[WORDS](
        p.emitter, p.slot, p.cycle, p.age, p.lifetime, floatBitsToUint(p.position[0]),
        floatBitsToUint(p.position[1]), floatBitsToUint(p.position[2]), floatBitsToUint(p.size),
        floatBitsToUint(p.opacity), p.color, p.turn, p.axis, p.frame);

    for (uint i = 0u; i < WORDS; i++)
        staged[WORDS * place + i] = words[i];
}

void main()
{
    uint group = first_group + gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint lane = gl_LocalInvocationIndex;
    uint written = 0u;

    if (group >= dispatch.count)
        return;
    clear_kept(lane);

    uint layer = find_layer(lane, 1u, group);
    particle_run run = find_run(layer, group, row_count);

    for (uint round = 0u; round < ROUNDS; round++) {
        uint target = run.begin + round * DW_PARTICLE_LANES + lane;
        dw_particle particle = no_particle();
        bool is_alive = target < run.end && state_at(find_slot(run, target), particle);
        uint total;
        uint place = rank_kept(lane, round, is_alive, total);

        if (is_alive && !is_counting)
            put(place, particle);
        barrier();
        if (!is_counting) {
            uint first = places[group] - places[first_group] + written;

            for (uint i = lane; i < WORDS * total; i += DW_PARTICLE_LANES)
                particles[WORDS * first + i] = staged[i];
        }
        written += total;
    }
    if (lane == 0u && is_counting)
        counts[group] = written;
}
