// SPDX-License-Identifier: MIT
// A lane a row with state, after its slots: its clock and count of births, and of renewal its slots
// and bursts, in their order.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#define STATES_RELAY_ACCESS
#define STATES_SLOT_ACCESS
#define STATES_EVENT_ACCESS readonly
#include "lib/particle_states.glsl"

layout(local_size_x = DW_PARTICLE_ROWS_LANES) in;

dw_particle_slot load_renewed(uint slot)
{
    return load_slot(slot, slots[word_at(DW_SLOT_UNTIL, slot)]);
}

/* The first word of the place says which burst has it. */
void store_renewed(uint slot, dw_particle_slot s)
{
    slots[word_at(DW_SLOT_UNTIL, slot)] = s.until;
    slots[word_at(DW_SLOT_POSITION, slot)] = floatBitsToUint(s.position[0]);
    slots[word_at(DW_SLOT_LIFE, slot)] = s.life;
    slots[word_at(DW_SLOT_CYCLE, slot)] = s.cycle;
}

void renew_slots(dw_particle_stream stream, dw_particle_emitter e, dw_particle_part p,
                 dw_particle_law law, inout dw_particle_relay relay, uint64_t from, uint64_t to)
{
    for (uint i = 0u; i < stream.count; i++) {
        dw_particle_slot s = load_renewed(stream.first + i);

        if (uint64_t(s.until - uint(from)) > to - from)
            continue;
        s = dw_particle_renew(s, e, p, law, i, uint(from), to - from);
        relay.reentries += (s.kinds & DW_EVENT_IS_DEATH) != 0u ? 1u : 0u;
        store_renewed(stream.first + i, s);
    }
}

void set_burst(inout dw_particle_relay relay, uint64_t own)
{
    relay.burst_low = uint(own);
    relay.burst_high = uint(own >> 32);
}

void fire_burst(dw_particle_stream stream, dw_particle_emitter e, dw_particle_law law,
                inout dw_particle_relay relay, uint64_t own)
{
    uint taken = 0u;

    for (uint i = 0u; i < stream.count && taken < law.burst_count; i++) {
        dw_particle_slot s = load_renewed(stream.first + i);

        if (!dw_particle_is_late(s, uint(own)))
            continue;
        store_renewed(stream.first + i, dw_particle_taken(s, e, parts[law.burst_part], i,
                                                          relay.bursts, uint(own)));
        taken++;
    }
    relay.bursts++;
    set_burst(relay, own + uint64_t(dw_particle_burst_wait(e, law, relay.bursts)));
}

void begin_renewal(dw_particle_stream stream, dw_particle_emitter e, dw_particle_part p,
                   dw_particle_law law, inout dw_particle_relay relay)
{
    for (uint i = 0u; i < stream.count; i++)
        store_renewed(stream.first + i, dw_particle_renewal_begin(e, p, law, i));
    relay.is_begun = 1u;
    set_burst(relay, uint64_t(dw_particle_burst_wait(e, law, 0u)));
}

uint64_t own_after(dw_particle_emitter e, uint index)
{
    uvec3 end = step_end(index);
    int64_t own = dw_particle_local(e, end.x, end.y);

    return own > int64_t(0) ? uint64_t(own) : uint64_t(0);
}

/* The first of the steps from `begin` on whose end is at or past an own tick; step_count: none. */
uint find_step(dw_particle_emitter e, uint begin, uint64_t own)
{
    uint end = push.step_count;

    while (begin < end) {
        uint middle = begin + (end - begin) / 2u;

        if (own_after(e, middle) >= own)
            end = middle;
        else
            begin = middle + 1u;
    }
    return begin;
}

void renew_row(dw_particle_stream stream, dw_particle_emitter e, dw_particle_part p,
               dw_particle_law law, inout dw_particle_relay relay)
{
    uint64_t own = dw_particle_join(relay.own_low, relay.own_high), next = own;
    uint64_t stop = dw_particle_join(e.stop_low, e.stop_high);

    if (relay.is_begun == 0u)
        begin_renewal(stream, e, p, law, relay);
    for (uint i = 0u; i < push.step_count && law.burst_count != 0u; i++) {
        i = find_step(e, i, dw_particle_join(relay.burst_low, relay.burst_high));
        if (i >= push.step_count)
            break;
        next = max(own_after(e, i), own);
        renew_slots(stream, e, p, law, relay, own, next);
        own = next;
        if (own <= stop)
            fire_burst(stream, e, law, relay, own);
        else
            set_burst(relay, ~uint64_t(0));
    }
    if (push.step_count != 0u)
        next = max(own_after(e, push.step_count - 1u), own);
    if (next > own)
        renew_slots(stream, e, p, law, relay, own, next);
    relay.own_low = uint(next);
    relay.own_high = uint(next >> 32);
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint index = group * DW_PARTICLE_ROWS_LANES + gl_LocalInvocationIndex;

    if (index >= push.stream_count || streams[index].row == DW_PARTICLE_NONE)
        return;

    dw_particle_stream stream = streams[index];
    dw_particle_emitter e = emitters[stream.row];
    uint part = DW_EMITTER_PART(e.part);
    dw_particle_law law = law_of(stream);
    dw_particle_relay relay = relays[index];

    if ((parts[part].flags & DW_PART_IS_RENEWED) != 0u)
        renew_row(stream, e, parts[part], law, relay);
    else
        for (uint i = 0u; i < push.step_count; i++)
            relay = dw_particle_relay_after(relay, beat_at(e, law, relay, i), stream.count);
    relays[index] = relay;
}
