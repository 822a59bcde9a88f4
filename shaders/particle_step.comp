// SPDX-License-Identifier: MIT
// A lane a slot that knows where it is, through as many steps as the pass has.
#version 460
#pragma optimize(on)
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#define STATES_RELAY_ACCESS readonly
#define STATES_SLOT_ACCESS
#define STATES_EVENT_ACCESS
#include "lib/particle_states.glsl"

layout(local_size_x = DW_PARTICLE_STEP_LANES) in;

void store_slot(uint slot, dw_particle_slot s)
{
    for (uint i = 0u; i < 3u; i++) {
        slots[word_at(DW_SLOT_POSITION + i, slot)] = floatBitsToUint(s.position[i]);
        slots[word_at(DW_SLOT_VELOCITY + i, slot)] = floatBitsToUint(s.velocity[i]);
    }
}

/* Words that seldom change. */
void store_life(uint slot, dw_particle_slot s, uint until, bool is_born)
{
    if (s.until != until)
        slots[word_at(DW_SLOT_UNTIL, slot)] = s.until;
    if (!is_born)
        return;
    slots[word_at(DW_SLOT_LIFE, slot)] = s.life;
    slots[word_at(DW_SLOT_CYCLE, slot)] = s.cycle;
}

void store_event(uint step, uint event, dw_particle_slot s)
{
    events[event_at(step, DW_EVENT_STEP, event)] = step;
    events[event_at(step, DW_EVENT_KINDS, event)] = s.kinds;
    for (uint i = 0u; i < 3u; i++) {
        events[event_at(step, DW_EVENT_POSITION + i, event)] =
            floatBitsToUint(s.event_position[i]);
        events[event_at(step, DW_EVENT_VELOCITY + i, event)] =
            floatBitsToUint(s.event_velocity[i]);
    }
}

#define BLOCKS (DW_PARTICLE_STEP_LANES / DW_PARTICLE_STATE_GROUP)

/* A block's slots are of one row: one lane works out its time for all. */
shared dw_particle_beat beats[2][BLOCKS];

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint index = group * DW_PARTICLE_STEP_LANES + gl_LocalInvocationIndex;
    uint block = index / DW_PARTICLE_STATE_GROUP, place = block % BLOCKS;
    bool is_inside = block < push.block_count;
    uint until = is_inside ? slots[word_at(DW_SLOT_UNTIL, index)] : 0u;
    bool is_used = is_inside && blocks[block] != DW_PARTICLE_NONE;
    uint row = is_used ? blocks[block] : 0u; /* lanes without a slot still meet at barriers */
    dw_particle_stream stream = stream_at(row);

    if (!is_used)
        stream.row = stream.law = stream.part = 0u;

    uint slot = index - stream.first;
    uint step_count = (features & DW_STEP_IS_SINGLE) != 0u ? 1u : push.step_count;
    dw_particle_relay relay = relays[row];
    dw_particle_slot s;
    bool is_loaded = false, is_born = false, is_first = index % DW_PARTICLE_STATE_GROUP == 0u;

    is_used = is_used && (parts[stream.part].flags & DW_PART_IS_DYNAMIC) != 0u &&
              slot < stream.count;
    s.until = until;
    for (uint i = 0u; i < step_count; i++) {
        if (is_used && is_first) {
            dw_particle_beat next = beat_at(emitters[stream.row], law_of(stream), relay, i);

            beats[i & 1u][place] = next;
            relay = dw_particle_relay_after(relay, next, stream.count);
        }
        barrier();
        if (!is_used)
            continue;

        /* Rows are read after the barrier, so that little of them is held across it. */
        dw_particle_beat beat = beats[i & 1u][place];
        dw_particle_law law = law_of(stream);
        dw_particle_vector around, moving;
        dw_particle_life born = birth_of(stream, law, beat, slot, around, moving);

        if (s.until == 0u && born.is_alive == 0u)
            continue;
        if (!is_loaded)
            s = load_moving(index, until);
        is_loaded = true;
        s = dw_particle_slot_step(s, emitters[stream.row], law, beat, slot, born, around, moving,
                                  uvec3(stream.row, stream.law, stream.part));
        is_born = is_born || (s.kinds & DW_EVENT_IS_BIRTH) != 0u;
        if (stream.events != DW_PARTICLE_NONE && push.is_long == 0u &&
            (s.kinds & ~DW_EVENT_IS_BIRTH) != 0u)
            store_event(beat.step, stream.events + slot, s);
    }
    if (!is_loaded)
        return;
    store_slot(index, s);
    store_life(index, s, until, is_born);
}
