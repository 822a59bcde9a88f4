// SPDX-License-Identifier: MIT
// Slots with state in their planes, and what is born into them: cpu/particle_step.c on a device.
#ifndef DW_LIB_PARTICLE_STATES_GLSL
#define DW_LIB_PARTICLE_STATES_GLSL

#include "shared/particle_law.h"

/* DW_STEP_HAS_*: what the laws in use ask for at all. Drivers leave out what none asks for. */
layout(constant_id = 0) const uint features = 0xffffffffu;

layout(scalar, set = 0, binding = 0) readonly buffer emitter_block
{
    dw_particle_emitter emitters[];
};
layout(scalar, set = 0, binding = 1) readonly buffer part_block { dw_particle_part parts[]; };
layout(scalar, set = 0, binding = 2) readonly buffer law_block { dw_particle_law laws[]; };
layout(scalar, set = 0, binding = 3) readonly buffer collider_block
{
    dw_particle_collider colliders[];
};
layout(scalar, set = 0, binding = 4) readonly buffer height_block { float heights[]; };

#define DW_GROUND_HEIGHT(index)   heights[index]
#define DW_GROUND_COLLIDER(index) colliders[index]

/* A birth's row, law and part. */
#define DW_SOURCE_PARAMETER , uvec3 source
#define DW_SOURCE_EMITTER   emitters[source.x]
#define DW_SOURCE_PART      parts[source.z]
#define DW_SOURCE_LAW       laws[source.y]

#include "shared/particle_step.h"

layout(scalar, set = 0, binding = 5) readonly buffer stream_block
{
    dw_particle_stream streams[];
};
layout(scalar, set = 0, binding = 6) readonly buffer block_block { uint blocks[]; };
layout(scalar, set = 0, binding = 7) STATES_RELAY_ACCESS buffer relay_block
{
    dw_particle_relay relays[];
};
layout(scalar, set = 0, binding = 8) STATES_SLOT_ACCESS buffer slot_block { uint slots[]; };
layout(scalar, set = 0, binding = 9) STATES_EVENT_ACCESS buffer event_block { uint events[]; };
layout(scalar, push_constant) uniform constants { dw_particle_step_push push; };

uint word_at(uint word, uint slot)
{
    return word * push.slot_capacity + slot;
}

float load_float(uint word, uint slot)
{
    return uintBitsToFloat(slots[word_at(word, slot)]);
}

/* Without life and cycle, which steps of the living do not need. */
dw_particle_slot load_moving(uint slot, uint until)
{
    dw_particle_slot s;

    s.until = until;
    for (uint i = 0u; i < 3u; i++) {
        s.position[i] = load_float(DW_SLOT_POSITION + i, slot);
        s.velocity[i] = load_float(DW_SLOT_VELOCITY + i, slot);
        s.event_position[i] = s.event_velocity[i] = 0.0;
    }
    s.life = s.cycle = s.kinds = 0u;
    return s;
}

dw_particle_slot load_slot(uint slot, uint until)
{
    dw_particle_slot s = load_moving(slot, until);

    s.life = slots[word_at(DW_SLOT_LIFE, slot)];
    s.cycle = slots[word_at(DW_SLOT_CYCLE, slot)];
    return s;
}

dw_particle_stream stream_at(uint index)
{
    dw_particle_stream stream = streams[index];

    if ((features & DW_STEP_HAS_EVENTS) == 0u)
        stream.parent_events = stream.events = DW_PARTICLE_NONE;
    return stream;
}

/* With the row's rate. */
dw_particle_law law_of(dw_particle_stream stream)
{
    dw_particle_law law = laws[stream.law];

    law.rate = stream.rate;
    if ((features & DW_STEP_HAS_SOLIDS) == 0u)
        law.collider_count = 0u;
    if ((features & DW_STEP_HAS_EDDIES) == 0u)
        law.noise = 0.0;
    if ((features & DW_STEP_HAS_PULL) == 0u)
        law.pull = 0.0;
    return law;
}

uint event_at(uint step, uint word, uint event)
{
    return ((step & 1u) * DW_EVENT_WORDS + word) * push.event_capacity + event;
}

/* What happened to the parent in the step before. */
dw_particle_life birth_from(dw_particle_stream stream, dw_particle_law law, dw_particle_beat beat,
                            uint slot, out dw_particle_vector around,
                            out dw_particle_vector moving)
{
    uint event = stream.parent_events + slot / law.children, before = beat.step - 1u;
    uint kinds = (law.flags & DW_LAW_IS_OF_DEATHS) != 0u ? DW_EVENT_IS_DEATH : 0u;
    dw_particle_life life = dw_particle_dead();
    float at[6];

    kinds |= (law.flags & DW_LAW_IS_OF_COLLISIONS) != 0u ? DW_EVENT_IS_COLLISION : 0u;
    around = moving = dw_particle_vector_of(0.0, 0.0, 0.0);
    if (events[event_at(before, DW_EVENT_STEP, event)] != before ||
        (events[event_at(before, DW_EVENT_KINDS, event)] & kinds) == 0u || beat.late != 0u)
        return life;
    for (uint i = 0u; i < 6u; i++)
        at[i] = uintBitsToFloat(events[event_at(before, DW_EVENT_POSITION + i, event)]);
    life.is_alive = 1u;
    life.cycle = beat.begin_low;
    life.age = beat.ticks_low;
    around = dw_particle_vector_of(at[0], at[1], at[2]);
    moving = dw_particle_vector_of(at[3], at[4], at[5]);
    return life;
}

/* A birth of a slot in a beat, and from what. */
dw_particle_life birth_of(dw_particle_stream stream, dw_particle_law law, dw_particle_beat beat,
                          uint slot, out dw_particle_vector around,
                          out dw_particle_vector moving)
{
    uint flags = DW_EMITTER_FLAGS(emitters[stream.row].part);
    dw_particle_life life;

    around = moving = dw_particle_vector_of(0.0, 0.0, 0.0);
    if (stream.parent_events != DW_PARTICLE_NONE)
        return birth_from(stream, law, beat, slot, around, moving);
    if ((flags & DW_EMITTER_IS_ONCE) != 0u || (parts[stream.part].flags & DW_PART_IS_BURST) != 0u)
        life = dw_particle_birth_at(emitters[stream.row], parts[stream.part], beat, slot);
    else
        life = dw_particle_birth(law, beat, slot, stream.count);
    if (life.is_alive != 0u)
        around = dw_particle_vector_of(emitters[stream.row].position[0],
                                       emitters[stream.row].position[1],
                                       emitters[stream.row].position[2]);
    return life;
}

/* The hub's tick at the end of step `index` of this pass, in x and y; its number in z. */
uvec3 step_end(uint index)
{
    uint64_t now = dw_particle_join(push.now_low, push.now_high) +
                   (uint64_t(index) << DW_PARTICLE_STEP_SHIFT);

    return uvec3(uint(now), uint(now >> 32), push.step_low + index);
}

dw_particle_beat beat_at(dw_particle_emitter e, dw_particle_law law, dw_particle_relay relay,
                         uint index)
{
    uvec3 end = step_end(index);

    return dw_particle_beat_of(e, law, relay, end.x, end.y, end.z, push.is_long);
}

#endif
