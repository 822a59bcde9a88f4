/* SPDX-License-Identifier: MIT */
/* How particles move: one function for each row of particle_kinds.def, which turns a moment of a
 * life into a place, a size and an opacity, all from the emitter's position. Lengths in m.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_H
#define DW_SHARED_PARTICLE_MOTION_H

#include "shared/particle_motion_air.h"
#include "shared/particle_motion_glow.h"
#include "shared/particle_motion_magic.h"
#include "shared/particle_motion_throw.h"
#include "shared/particle_motion_water.h"

/* What the size curve makes of any kind. */
DW_INLINE dw_particle_motion dw_particle_swelled(dw_particle_motion m, float swell)
{
    DW_PRECISE float size = m.size * swell;

    m.size = size;
    return m;
}

/* By the kind's function, and the size curve. */
DW_INLINE dw_particle_motion dw_particle_move(uint kind, dw_particle_input given)
{
    dw_particle_motion m = dw_particle_motion_at(0.0f, 0.0f, 0.0f, 0.0f, 0.0f);

    switch (kind) {
#define DW_PARTICLE_KIND(value, NAME, name, traits, params, doc) \
    case value:                                                  \
        m = dw_particle_move_##name(given);                      \
        break;
#include "shared/particle_kinds.def"
#undef DW_PARTICLE_KIND
    }
    return dw_particle_swelled(m, given.swell);
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
    given.clock = given.has_point = 0u;
    for (int i = 0; i < 3; i++) {
        given.extent[i] = e.extent[i];
        given.point[i] = given.camera[i] = 0.0f;
    }
    for (int i = 0; i < DW_PARTICLE_PARAMS; i++)
        given.params[i] = p.params[i];
    return given;
}

/* The tick of phases: the emitter's own, shifted by as many ticks as key1 says, or as upstream has
 * it the hub's alone. */
DW_INLINE dw_particle_input dw_particle_set_clock(dw_particle_input given, dw_particle_emitter e,
                                                  int64_t local, uint now_low, uint now_high)
{
    bool is_seed = (DW_EMITTER_FLAGS(e.part) & DW_EMITTER_IS_SEED) != 0u;
    uint64_t own = DW_U64(local) + DW_U64(e.key1);

    given.clock = dw_particle_clock_of(is_seed ? dw_particle_join(now_low, now_high) : own, e.loop);
    return given;
}

/* Index of the point that a slot leaves from in this cycle, among surface_count. */
DW_INLINE uint dw_particle_point_of(dw_particle_emitter e, uint slot, uint cycle)
{
    return dw_particle_pick(e.surface_count, dw_particle_draw(e.key0, e.key1, slot, cycle, 1u).w);
}

/* Of the layer's flipbook, 8 bits behind the point: the whole book over the life, so many frames a
 * second over and over, or one for each life. Nothing lies between the last frame and the first. */
DW_INLINE uint dw_particle_frame(dw_particle_emitter e, dw_particle_part p, uint slot,
                                 dw_particle_life life)
{
    uint first = (p.frames & 0xffffu) << 8, count = p.frames >> 16;

    if (count <= 1u)
        return first;
    if (p.frame_rate < 0.0f) {
        uint word = dw_particle_draw(e.key0, e.key1, slot, life.cycle, 0u).z;

        return first + (dw_particle_pick(count, word) << 8);
    }
    {
        DW_PRECISE float rate = p.frame_rate * 256.0f * dw_particle_seconds(life.age);
        DW_PRECISE float share =
            dw_float((count - 1u) << 8) * dw_particle_share(life.age, life.life);
        uint steps = DW_UINT(p.frame_rate > 0.0f ? rate : share) % (count << 8);

        return first + (steps >> 8 == count - 1u ? (count - 1u) << 8 : steps);
    }
}

DW_INLINE dw_particle dw_particle_of(dw_particle_emitter e, dw_particle_part p, uint row, uint slot,
                                     dw_particle_life life, dw_particle_motion m, uint color)
{
    bool is_before = life.is_before != 0u;
    dw_particle out_;
    DW_PRECISE float x = (m.x + p.offset[0]) * e.scale;
    DW_PRECISE float y = (m.y + p.offset[1]) * e.scale;
    DW_PRECISE float z = (m.z + p.offset[2]) * e.scale;
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
    out_.frame = dw_particle_frame(e, p, slot, life);
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
