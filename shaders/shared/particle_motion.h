/* SPDX-License-Identifier: MIT */
/* How particles move: one function for each row of particle_kinds.def, which turns a moment of a
 * life into a place, a size and an opacity, all from the emitter's position. Lengths in m.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_H
#define DW_SHARED_PARTICLE_MOTION_H

#include "shared/particle.h"

DW_INLINE dw_particle_motion dw_particle_motion_at(float x, float y, float z, float size,
                                                   float opacity)
{
    dw_particle_motion m;

    m.x = x;
    m.y = y;
    m.z = z;
    m.size = size;
    m.opacity = opacity;
    m.turn = m.axis = m.frame = 0u;
    return m;
}

/* params: least radius, span; least peak, span; height of the surface; size */
DW_INLINE dw_particle_motion dw_particle_move_splash(dw_particle_input given)
{
    dw_particle_words d = dw_particle_draw(given.key0, given.key1, given.slot, given.cycle, 1u);
    float radius = dw_particle_between(given.params[0], given.params[1], d.y);
    float peak = dw_particle_between(given.params[2], given.params[3], d.z);
    DW_PRECISE float rest = 1.0f - given.t;
    DW_PRECISE float arc = given.t * rest;
    DW_PRECISE float arc4 = 4.0f * arc;
    DW_PRECISE float rise = peak * arc4;
    DW_PRECISE float x = radius * dw_cos_turn(d.x);
    DW_PRECISE float y = given.params[4] + rise;
    DW_PRECISE float z = radius * dw_sin_turn(d.x);

    return dw_particle_motion_at(x, y, z, given.params[5], given.fade);
}

DW_INLINE dw_particle_motion dw_particle_move(uint kind, dw_particle_input given)
{
    switch (kind) {
#define DW_PARTICLE_KIND(value, NAME, name, doc) \
    case value:                                  \
        return dw_particle_move_##name(given);
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
    default:
        return dw_particle_motion_at(0.0f, 0.0f, 0.0f, 0.0f, 0.0f);
    }
}

/* ---- from a slot to a particle; the caller looks up tables in between ---- */

/* curve values at t; point: of the surface, from the position; camera: in the world */
DW_INLINE dw_particle_input dw_particle_input_of(dw_particle_emitter e, dw_particle_part p,
                                                 uint slot, dw_particle_life life, float t,
                                                 float fade, float swell)
{
    dw_particle_input given;

    given.key0 = e.key0;
    given.key1 = e.key1;
    given.slot = slot;
    given.count = e.count;
    given.cycle = life.cycle;
    given.age = life.age;
    given.life = life.life;
    given.loop = e.loop;
    given.t = t;
    given.seconds = dw_particle_seconds(life.age);
    given.fade = fade;
    given.swell = swell;
    given.now_low = given.now_high = given.phase = given.has_point = 0u;
    for (int i = 0; i < 3; i++) {
        given.extent[i] = e.extent[i];
        given.point[i] = given.camera[i] = 0.0f;
    }
    for (int i = 0; i < DW_PARTICLE_PARAMS; i++)
        given.params[i] = p.params[i];
    return given;
}

/* The tick and turn of phases: the emitter's own, or as upstream has it the hub's alone. */
DW_INLINE dw_particle_input dw_particle_set_clock(dw_particle_input given, dw_particle_emitter e,
                                                  int64_t local, uint now_low, uint now_high)
{
    bool is_seed = (DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_SEED) != 0u;

    given.now_low = is_seed ? now_low : DW_UINT(local);
    given.now_high = is_seed ? now_high : DW_UINT(DW_U64(local) >> 32);
    given.phase = is_seed ? 0u : e.key0 ^ e.key1;
    return given;
}

/* Index of the point that a slot leaves from in this cycle, among surface_count. */
DW_INLINE uint dw_particle_point_of(dw_particle_emitter e, uint slot, uint cycle)
{
    return dw_particle_pick(e.surface_count, dw_particle_draw(e.key0, e.key1, slot, cycle, 0u).w);
}

DW_INLINE dw_particle dw_particle_of(dw_particle_emitter e, dw_particle_part p, uint row, uint slot,
                                     dw_particle_life life, dw_particle_motion m, uint color)
{
    bool is_before = life.is_before != 0u;
    dw_particle out_;
    DW_PRECISE float x = m.x * e.scale;
    DW_PRECISE float y = m.y * e.scale;
    DW_PRECISE float z = m.z * e.scale;
    DW_PRECISE float px = (is_before ? e.before[0] : e.position[0]) + x;
    DW_PRECISE float py = (is_before ? e.before[1] : e.position[1]) + y;
    DW_PRECISE float pz = (is_before ? e.before[2] : e.position[2]) + z;
    DW_PRECISE float size = m.size * e.scale;
    DW_PRECISE float opacity = m.opacity * p.opacity;

    out_.emitter = row;
    out_.slot = slot;
    out_.cycle = life.cycle;
    out_.age = life.age;
    out_.lifetime = life.life;
    out_.position[0] = px;
    out_.position[1] = py;
    out_.position[2] = pz;
    out_.size = size;
    out_.opacity = opacity;
    out_.color = color;
    out_.turn = m.turn;
    out_.axis = m.axis;
    out_.frame = m.frame;
    return out_;
}

/* share: of the age, dw_particle_share; last: 256ths that the last kept slot is shown by. */
DW_INLINE dw_particle_sprite dw_particle_sprite_of(dw_particle given, float share)
{
    dw_particle_sprite s;
    DW_PRECISE float age = share * 65536.0f;

    s.position[0] = given.position[0];
    s.position[1] = given.position[1];
    s.position[2] = given.position[2];
    s.size = given.size;
    s.opacity = (dw_pack_half2(given.opacity, 0.0f) & 0xffffu) | (given.turn & 0xffff0000u);
    s.color = given.color;
    s.frame = (given.frame & 0xffffu) | DW_UINT(age) << 16;
    s.axis = given.axis;
    return s;
}

#endif
