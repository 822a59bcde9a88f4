// SPDX-License-Identifier: MIT
// A lane a slot with state: its life and place at the hub's tick, which is less than a step after
// its last one, for the passes that draw and list particles.
#version 460
#pragma optimize(on)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#define STATES_RELAY_ACCESS readonly
#define STATES_SLOT_ACCESS  readonly
#define STATES_EVENT_ACCESS readonly
#include "lib/particle_states.glsl"
#include "shared/particle_motion_base.h"

layout(local_size_x = DW_PARTICLE_STEP_LANES) in;
layout(scalar, set = 0, binding = 10) writeonly buffer shown_block { uint shown[]; };

/* The slot at the end of the beat. */
dw_particle_slot slot_at(uint index, uint until, dw_particle_stream stream, dw_particle_beat beat)
{
    uint64_t ticks = dw_particle_join(beat.ticks_low, beat.ticks_high);
    uint slot = index - stream.first;
    dw_particle_law law = law_of(stream);
    dw_particle_slot s = load_moving(index, until);
    dw_particle_vector around, moving;
    dw_particle_life born;

    if ((parts[stream.part].flags & DW_PART_IS_RENEWED) != 0u)
        return dw_particle_renew(load_slot(index, until), emitters[stream.row],
                                 parts[stream.part], law, slot, beat.begin_low, ticks);
    born = birth_of(stream, law, beat, slot, around, moving);
    if (ticks != uint64_t(0) && (s.until != 0u || born.is_alive != 0u))
        s = dw_particle_slot_step(s, emitters[stream.row], law, beat, slot, born, around, moving,
                                  uvec3(stream.row, stream.law, stream.part));
    if ((s.kinds & DW_EVENT_IS_BIRTH) == 0u) { /* of who went on, read after what is long */
        s.life = slots[word_at(DW_SLOT_LIFE, index)];
        s.cycle = slots[word_at(DW_SLOT_CYCLE, index)];
    }
    return s;
}

void put(uint index, dw_particle_slot s, dw_particle_life life, uint part)
{
    uint head = life.is_alive == 0u ? 0u : part + 1u;

    head |= life.is_before != 0u ? DW_SHOWN_IS_BEFORE : 0u;
    shown[word_at(DW_SHOWN_PART, index)] = head;
    if (life.is_alive == 0u)
        return;
    shown[word_at(DW_SHOWN_CYCLE, index)] = life.cycle;
    shown[word_at(DW_SHOWN_AGE, index)] = life.age;
    shown[word_at(DW_SHOWN_LIFE, index)] = life.life;
    for (uint i = 0u; i < 3u; i++)
        shown[word_at(DW_SHOWN_POSITION + i, index)] = floatBitsToUint(s.position[i]);
    shown[word_at(DW_SHOWN_AXIS, index)] =
        dw_particle_axis(s.velocity[0], s.velocity[1], s.velocity[2]);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint index = group * DW_PARTICLE_STEP_LANES + gl_LocalInvocationIndex;
    uint block = index / DW_PARTICLE_STATE_GROUP;

    if (block >= push.block_count || blocks[block] == DW_PARTICLE_NONE)
        return;

    uint until = slots[word_at(DW_SLOT_UNTIL, index)], row = blocks[block];
    dw_particle_stream stream = stream_at(row);

    if (index - stream.first >= stream.count)
        return;

    dw_particle_beat beat = beat_at(emitters[stream.row], law_of(stream), relays[row], 0u);
    uint part = stream.part;
    uint64_t own = dw_particle_join(beat.begin_low, beat.begin_high) +
                   dw_particle_join(beat.ticks_low, beat.ticks_high);
    dw_particle_slot s = slot_at(index, until, stream, beat);
    bool is_renewed = (parts[part].flags & DW_PART_IS_RENEWED) != 0u;
    dw_particle_life life =
        dw_particle_shown_life(s, emitters[stream.row], uint(own), is_renewed);

    if (is_renewed) {
        if (dw_particle_burst_of(s) != 0u) {
            life.cycle = dw_particle_burst_of(s) - 1u;
            part = laws[stream.law].burst_part;
        }
        life = dw_particle_life_of_row(life, emitters[stream.row], own);
    }
    put(index, s, life, part);
}
