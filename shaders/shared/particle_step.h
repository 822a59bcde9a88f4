/* SPDX-License-Identifier: MIT */
/* One step of a slot with state, on whatever backend: a way among solids, deaths and births in
 * between; and the renewal of slots that remember their age alone.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_STEP_H
#define DW_SHARED_PARTICLE_STEP_H

#include "shared/particle_dynamic.h"

/* ---- parts of records ----
 *
 * glslang follows what a precise value is made from. Where a record is made from a part of itself,
 * through calls, it never comes to an end, unless the part is taken by a call on the whole. */

DW_INLINE dw_particle_vector dw_particle_place_of(dw_particle_slot s)
{
    return dw_particle_vector_of(s.position[0], s.position[1], s.position[2]);
}

DW_INLINE dw_particle_vector dw_particle_speed_of(dw_particle_slot s)
{
    return dw_particle_vector_of(s.velocity[0], s.velocity[1], s.velocity[2]);
}

DW_INLINE dw_particle_vector dw_particle_way_of(dw_particle_flight f)
{
    return dw_particle_vector_of(f.step[0], f.step[1], f.step[2]);
}

DW_INLINE dw_particle_vector dw_particle_end_speed_of(dw_particle_flight f)
{
    return dw_particle_vector_of(f.velocity[0], f.velocity[1], f.velocity[2]);
}

DW_INLINE dw_particle_vector dw_particle_normal_of(dw_particle_hit hit)
{
    return dw_particle_vector_of(hit.normal[0], hit.normal[1], hit.normal[2]);
}

DW_INLINE float dw_particle_share_of(dw_particle_hit hit)
{
    return hit.at;
}

DW_INLINE float dw_particle_friction_of(dw_particle_hit hit)
{
    return hit.friction;
}

/* ---- a way among solids ---- */

DW_INLINE dw_particle_slot dw_particle_set(dw_particle_slot s, dw_particle_vector p,
                                           dw_particle_vector v)
{
    s.position[0] = p.x;
    s.position[1] = p.y;
    s.position[2] = p.z;
    s.velocity[0] = v.x;
    s.velocity[1] = v.y;
    s.velocity[2] = v.z;
    return s;
}

DW_INLINE bool dw_particle_is_near(dw_particle_vector v)
{
    return dw_particle_size(v.x) < DW_PARTICLE_FAR && dw_particle_size(v.y) < DW_PARTICLE_FAR &&
           dw_particle_size(v.z) < DW_PARTICLE_FAR;
}

/* At the hit: what the surface leaves of the velocity there. */
DW_INLINE dw_particle_slot dw_particle_bounce(dw_particle_slot s, dw_particle_law law,
                                              dw_particle_hit hit, dw_particle_vector p,
                                              dw_particle_vector v, float least)
{
    dw_particle_vector normal = dw_particle_vector_of(hit.normal[0], hit.normal[1], hit.normal[2]);
    float toward = dw_particle_dot(v, normal);

    s = dw_particle_set(s, p, dw_particle_meet(v, normal, hit.bounce, hit.friction, least));
    if ((hit.flags & DW_COLLIDER_KILLS) != 0u)
        s.until = 0u;
    if (-toward > law.impact)
        s = dw_particle_event(s, DW_EVENT_IS_COLLISION);
    return s;
}

/* `seconds` on among the solids. Where it rests on one it slides along it; after
 * DW_PARTICLE_BOUNCES it stays where it is for the rest of the time. until 0: a solid killed it. */
DW_INLINE dw_particle_slot dw_particle_wander(dw_particle_slot s, dw_particle_law law,
                                              dw_particle_vector air, dw_particle_vector push,
                                              float seconds DW_GROUND_PARAMETER)
{
    dw_particle_vector p = dw_particle_place_of(s);
    dw_particle_vector normal = dw_particle_vector_of(0.0f, 0.0f, 0.0f);
    dw_particle_vector v = dw_particle_speed_of(s);
    float friction = 0.0f, left = seconds;
    bool is_resting = false;

    for (uint i = 0u; i < DW_PARTICLE_BOUNCES; i++) {
        dw_particle_flight f = dw_particle_fly(v, air, push, law.drag, left);
        dw_particle_vector way = dw_particle_way_of(f), next = dw_particle_end_speed_of(f);
        dw_particle_hit hit;
        float share;

        if (is_resting) {
            way = dw_particle_meet(way, normal, 0.0f, 0.0f, 0.0f);
            next = dw_particle_meet(next, normal, 0.0f, friction, 0.0f);
        }
        hit = dw_particle_first_hit(law, p, way DW_GROUND_ARGUMENT);
        share = dw_particle_share_of(hit);
        if (share > 1.0f) {
            p = dw_particle_add(p, way, 1.0f);
            v = next;
            break;
        }
        normal = dw_particle_normal_of(hit);
        friction = dw_particle_friction_of(hit);
        {
            DW_PRECISE float after = left - left * share;
            DW_PRECISE float rest_speed = -dw_particle_dot(push, normal) * DW_PARTICLE_STEP_SECONDS;
            dw_particle_vector change = dw_particle_add(next, v, -1.0f);

            v = dw_particle_tidied(dw_particle_add(v, change, share));
            p = dw_particle_push_out_all(law, dw_particle_add(p, way, share) DW_GROUND_ARGUMENT);
            s = dw_particle_bounce(s, law, hit, p, v, rest_speed);
            v = dw_particle_speed_of(s);
            left = after;
        }
        is_resting = dw_particle_short(dw_particle_dot(v, normal)) <= 1e-5f;
        if (s.until == 0u)
            break;
    }
    return dw_particle_set(s, dw_particle_push_out_all(law, p DW_GROUND_ARGUMENT), v);
}

/* `ticks` of a row's own time on, from its tick `begin` on. */
DW_INLINE dw_particle_slot dw_particle_go(dw_particle_slot s, dw_particle_emitter e,
                                          dw_particle_law law, uint begin, uint64_t ticks,
                                          uint is_long DW_GROUND_PARAMETER)
{
    dw_particle_vector at = dw_particle_place_of(s), v = dw_particle_speed_of(s), p;
    dw_particle_vector middle = dw_particle_add(
        dw_particle_vector_of(e.position[0], e.position[1], e.position[2]),
        dw_particle_vector_of(law.pull_place[0], law.pull_place[1], law.pull_place[2]), e.scale);
    dw_particle_vector push = dw_particle_force(law, at, middle);
    float seconds = dw_particle_seconds(ticks < DW_U64(0xffffffffu) ? DW_UINT(ticks) : 0xffffffffu);
    dw_particle_slot moved = s;

    if (ticks == DW_U64(0))
        return s;
    if (is_long != 0u)
        law.noise = 0.0f;
    if (is_long != 0u || law.collider_count == 0u) {
        dw_particle_flight f =
            dw_particle_fly(v, dw_particle_air(law, at, begin), push, law.drag, seconds);

        p = dw_particle_add(at, dw_particle_way_of(f), 1.0f);
        if (is_long != 0u)
            p = dw_particle_push_out_all(law, p DW_GROUND_ARGUMENT);
        moved = dw_particle_set(s, p, dw_particle_end_speed_of(f));
    } else {
        moved = dw_particle_wander(s, law, dw_particle_air(law, at, begin), push,
                                   seconds DW_GROUND_ARGUMENT);
    }
    {
        dw_particle_vector end = dw_particle_tidied(dw_particle_place_of(moved));
        dw_particle_vector speed = dw_particle_tidied(dw_particle_speed_of(moved));

        moved = dw_particle_set(moved, end, speed);
        if (!dw_particle_is_near(end) || !dw_particle_is_near(speed))
            moved.until = 0u;
    }
    return moved;
}

/* ---- a step ---- */

/* The slot at the end of the beat, had it lived on alone. `most`: ticks after which it makes room
 * for another; it then just ends. */
DW_INLINE dw_particle_slot dw_particle_live(dw_particle_slot s, dw_particle_emitter e,
                                            dw_particle_law law, uint begin, uint64_t ticks,
                                            uint64_t most, uint is_long DW_GROUND_PARAMETER)
{
    uint64_t rest = DW_U64(s.until - begin);
    bool is_last = rest <= ticks && rest <= most;
    uint64_t span = rest < ticks ? rest : ticks;

    span = span < most ? span : most;
    s = dw_particle_go(s, e, law, begin, span, is_long DW_GROUND_ARGUMENT);
    if (s.until == 0u || is_last)
        s = dw_particle_event(s, DW_EVENT_IS_DEATH);
    if (is_last || most < ticks)
        s.until = 0u;
    return s;
}

/* What a birth is made from is handed around with the rest, unless the includer says where it lies:
 * few slots have a birth in a step, and a device had better not hold all of it in registers. */
#ifndef DW_SOURCE_PARAMETER
#define DW_SOURCE_PARAMETER , dw_particle_part source
#define DW_SOURCE_EMITTER   e
#define DW_SOURCE_PART      source
#define DW_SOURCE_LAW       law
#endif

/* Another particle in the slot; what happened to the one before is not forgotten. */
DW_INLINE dw_particle_slot dw_particle_reborn(dw_particle_slot s, dw_particle_emitter e,
                                              dw_particle_law law, uint slot, dw_particle_life born,
                                              dw_particle_vector around,
                                              dw_particle_vector moving DW_SOURCE_PARAMETER)
{
    dw_particle_slot next = dw_particle_born(DW_SOURCE_EMITTER, DW_SOURCE_PART, DW_SOURCE_LAW, slot,
                                             born.cycle, around, moving);

    if (s.kinds == 0u)
        return next;
    next.kinds |= s.kinds;
    for (uint i = 0u; i < 3u; i++) {
        next.event_position[i] = s.event_position[i];
        next.event_velocity[i] = s.event_velocity[i];
    }
    return next;
}

/* A slot through a beat. born: is_alive where a life begins in it, of the given age at its end,
 * around a place and with a share of a velocity. */
DW_INLINE dw_particle_slot dw_particle_slot_step(
    dw_particle_slot s, dw_particle_emitter e, dw_particle_law law, dw_particle_beat beat,
    uint slot, dw_particle_life born, dw_particle_vector around,
    dw_particle_vector moving DW_SOURCE_PARAMETER DW_GROUND_PARAMETER)
{
    uint64_t ticks = dw_particle_join(beat.ticks_low, beat.ticks_high);
    uint64_t before = ticks - DW_U64(born.age), rest = DW_U64(s.until - beat.begin_low);
    uint end = beat.begin_low + beat.ticks_low;
    bool is_born = born.is_alive != 0u && beat.is_hidden == 0u;

    s.kinds = 0u;
    if (beat.is_hidden != 0u)
        s.until = 0u;
    if (is_born && s.until != 0u && rest > before && (law.flags & DW_LAW_DROPS_NEWEST) != 0u)
        is_born = false;
    /* Who lives goes on, then who is born begins: one text of it, as it is long. */
    for (uint phase = 0u; phase < 2u; phase++) {
        uint begin = beat.begin_low;
        uint64_t span = ticks, most = is_born ? before : ticks;

        if (phase == 0u && s.until == 0u)
            continue;
        if (phase == 1u) {
            if (!is_born)
                break;
            s = dw_particle_reborn(s, e, law, slot, born, around, moving, source);
            s.until = end - born.age + s.life;
            s.until = s.until == 0u ? 1u : s.until;
            begin = end - born.age;
            span = most = DW_U64(born.age);
        }
        s = dw_particle_live(s, e, law, begin, span, most, beat.is_long DW_GROUND_ARGUMENT);
    }
    return s;
}

/* ---- a slot shown ---- */

/* How old a slot is at the own tick whose low word is given. Slots of renewal always live. */
DW_INLINE dw_particle_life dw_particle_shown_life(dw_particle_slot s, dw_particle_emitter e,
                                                  uint own, bool is_renewed)
{
    bool is_hidden = (DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_HIDDEN) != 0u;
    dw_particle_life life = dw_particle_dead();
    uint rest = s.until - own;

    life.is_alive = !is_hidden && (is_renewed || s.until != 0u) ? 1u : 0u;
    life.cycle = s.cycle;
    life.life = s.life;
    rest = rest < 1u ? 1u : rest;
    life.age = rest < s.life ? s.life - rest : 0u;
    return life;
}

/* ---- renewal ---- */

/* The length of a slot's life in a cycle. */
DW_INLINE uint dw_particle_renewed_life(dw_particle_emitter e, dw_particle_part p,
                                        dw_particle_law law, uint slot, uint cycle)
{
    uint drawn = (law.flags & DW_LAW_KEEPS_LIFE) != 0u ? 0u : cycle;

    return dw_particle_length(p, dw_particle_draw(e.key0, e.key1, slot, drawn, 0u));
}

/* A slot at the row's own tick 0: its first age is even over the longest life, and renewed where it
 * is above its own, as a first frame does. */
DW_INLINE dw_particle_slot dw_particle_renewal_begin(dw_particle_emitter e, dw_particle_part p,
                                                     dw_particle_law law, uint slot)
{
    dw_particle_words d = dw_particle_draw(e.key0, e.key1, slot, 0u, 0u);
    dw_particle_slot s;
    uint age;

    s.life = dw_particle_length(p, d);
    age = dw_particle_pick(
        (law.flags & DW_LAW_AGES_TO_LIFE) != 0u ? s.life : p.life_least + p.life_span, d.y);
    s.cycle = s.kinds = 0u;
    for (uint i = 0u; i < 3u; i++)
        s.position[i] = s.velocity[i] = s.event_position[i] = s.event_velocity[i] = 0.0f;
    while (age >= s.life) {
        age -= s.life;
        s.cycle += 1u;
        s.life = dw_particle_renewed_life(e, p, law, slot, s.cycle);
    }
    s.until = s.life - age;
    return s;
}

/* The slot after a number of own ticks, from the one whose low word is `own`. kinds is
 * DW_EVENT_IS_DEATH where it was renewed too often, and went on at a phase of its own. */
DW_INLINE dw_particle_slot dw_particle_renew(dw_particle_slot s, dw_particle_emitter e,
                                             dw_particle_part p, dw_particle_law law, uint slot,
                                             uint own, uint64_t ticks)
{
    uint64_t over = ticks - DW_U64(s.until - own);
    uint cycles = 0u, now = own + DW_UINT(ticks);

    s.kinds = 0u;
    if (ticks < DW_U64(s.until - own))
        return s;
    s.position[0] = 0.0f; /* no burst has it any more */
    s.cycle += 1u;
    s.life = dw_particle_renewed_life(e, p, law, slot, s.cycle);
    if ((law.flags & DW_LAW_KEEPS_LIFE) != 0u) {
        s.cycle += DW_UINT(over / DW_U64(s.life));
        over = over % DW_U64(s.life);
    }
    while (over >= DW_U64(s.life) && cycles < DW_PARTICLE_CYCLES_MOST) {
        over -= DW_U64(s.life);
        s.cycle += 1u;
        cycles += 1u;
        s.life = dw_particle_renewed_life(e, p, law, slot, s.cycle);
    }
    if (over >= DW_U64(s.life)) {
        over = DW_U64(dw_particle_pick(
            s.life, dw_particle_draw(e.key0, e.key1, slot, s.cycle, DW_PARTICLE_BLOCK_PLACE).x));
        s.kinds = DW_EVENT_IS_DEATH;
    }
    s.until = now + (s.life - DW_UINT(over));
    return s;
}

/* Whether a burst takes it: more than 0.6 of its life is over. */
DW_INLINE bool dw_particle_is_late(dw_particle_slot s, uint own)
{
    uint64_t age = DW_U64(s.life - (s.until - own));

    return age * DW_U64(5) > DW_U64(s.life) * DW_U64(3);
}

/* A slot that burst number `burst` takes at an own tick. part: of what bursts move like. */
DW_INLINE dw_particle_slot dw_particle_taken(dw_particle_slot s, dw_particle_emitter e,
                                             dw_particle_part part, uint slot, uint burst, uint own)
{
    s.life = dw_particle_length(part, dw_particle_draw(e.key0, e.key1, slot, burst, 0u));
    s.until = own + s.life;
    s.position[0] = dw_float_from_bits((burst & 0x3fffffu) + 0x40000000u);
    return s;
}

/* 1 + the number of the burst that took a slot in this life; 0: none. */
DW_INLINE uint dw_particle_burst_of(dw_particle_slot s)
{
    uint bits = dw_bits_from_float(s.position[0]);

    return bits == 0u ? 0u : bits - 0x40000000u + 1u;
}

/* A renewed life as its row shows it: none begins after the row's stop. */
DW_INLINE dw_particle_life dw_particle_life_of_row(dw_particle_life life, dw_particle_emitter e,
                                                   uint64_t own)
{
    int64_t begin = DW_I64(own) - DW_I64(life.age);
    uint flags = DW_EMITTER_FLAGS(e.part);

    if (begin > DW_I64(dw_particle_join(e.stop_low, e.stop_high & 0x7fffffffu)) ||
        ((flags & DW_EMITTER_IS_COLD) != 0u && begin < DW_I64(0)))
        life.is_alive = 0u;
    life.is_before = (flags & DW_EMITTER_IS_TRAIL) != 0u &&
                             begin < DW_I64(dw_particle_join(e.moved_low, e.moved_high))
                         ? 1u
                         : 0u;
    return life;
}

/* Ticks from one burst to the next. */
DW_INLINE uint dw_particle_burst_wait(dw_particle_emitter e, dw_particle_law law, uint burst)
{
    dw_particle_words d = dw_particle_draw(e.key0, e.key1, DW_PARTICLE_NONE, burst, 1u);

    return law.burst_gap + dw_particle_pick(law.burst_span + 1u, d.x);
}

#endif
