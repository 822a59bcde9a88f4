/* SPDX-License-Identifier: MIT */
/* Light around things: pillar, wisp, spark, base; and flame.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_GLOW_H
#define DW_SHARED_PARTICLE_MOTION_GLOW_H

#include "shared/particle_motion_base.h"

/* How bright all glows of an emitter are: 0.85 + 0.15 sin(2 T). */
DW_INLINE float dw_particle_pulse(dw_particle_input given)
{
    return dw_wave(0.85f, 0.15f, dw_particle_clock(given, 20861u));
}

/* params: size, span, times the radius; height above the top, height from slot to slot */
DW_INLINE dw_particle_motion dw_particle_move_pillar(dw_particle_input given)
{
    uint p = given.slot; /* its phase: as many rad */
    float radius = given.extent[0];
    float grown = dw_wave(1.0f, 0.15f, dw_particle_clock(given, 15646u) + p * 1367130551u);
    float dim = dw_wave(0.3f, 0.1f, dw_particle_clock(given, 12516u) + p * 683565276u);
    float spread = dw_particle_between(given.params[0], given.params[1], dw_particle_own(given).w);
    DW_PRECISE float x =
        0.06f * radius * dw_sin_turn(dw_particle_clock(given, 8344u) + p * 1025347914u);
    DW_PRECISE float z =
        0.04f * radius * dw_cos_turn(dw_particle_clock(given, 6258u) + p * 683565276u);
    DW_PRECISE float from = given.extent[1] + given.extent[2] + given.params[2];
    DW_PRECISE float base = from + given.params[3] * dw_float(p);
    float y = dw_wave(base, 0.12f, dw_particle_clock(given, 10430u) + p * 2146394966u);
    DW_PRECISE float size = radius * spread * grown;
    DW_PRECISE float opacity = given.fade * dim * dw_particle_pulse(given);

    return dw_particle_motion_at(x, y, z, size, opacity);
}

/* params: least radius beyond the emitter's, span; least speed, span; least size, span. A life
 * makes 5 speed rad. */
DW_INLINE dw_particle_motion dw_particle_move_wisp(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given), k = dw_particle_own_more(given);
    float speed = dw_particle_between(given.params[2], given.params[3], d.y);
    float height = dw_particle_between(given.extent[1], given.extent[2], k.x);
    float beyond = dw_particle_between(given.params[0], given.params[1], k.y);
    float large = dw_particle_between(given.params[4], given.params[5], k.z);
    DW_PRECISE float turns = speed * given.t * 0.795774715f;
    DW_PRECISE float rising = given.t * 1.25f, swelling = given.t * 1.5f;
    uint a = d.x + dw_particle_turned(dw_particle_wound(turns), k.w);
    DW_PRECISE float radius = (given.extent[0] + beyond) * dw_wave(0.8f, 0.2f, dw_turns(given.t));
    DW_PRECISE float x = radius * dw_cos_turn(a);
    DW_PRECISE float z = radius * dw_sin_turn(a);
    DW_PRECISE float size = large * dw_wave(1.0f, 0.2f, dw_turns(swelling));
    DW_PRECISE float opacity = given.fade * dw_particle_pulse(given);

    return dw_particle_motion_at(x, dw_wave(height, 0.3f, dw_turns(rising)), z, size, opacity);
}

/* From a point of the surface, or at 0.8 of the radius and any height. params: rise in a life;
 * least drift, span; least size, span */
DW_INLINE dw_particle_motion dw_particle_move_spark(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    uint kept = dw_particle_own(given).w;
    bool has_point = given.has_point != 0u;
    float drift = dw_particle_between(given.params[1], given.params[2], d.y);
    float large = dw_particle_between(given.params[3], given.params[4], kept);
    DW_PRECISE float ring = 0.8f * given.extent[0];
    DW_PRECISE float ring_x = ring * dw_cos_turn(d.z);
    DW_PRECISE float ring_z = ring * dw_sin_turn(d.z);
    float ring_y = dw_particle_between(given.extent[1], given.extent[2], d.w);
    DW_PRECISE float across = given.t * 0.318309886f, along = given.t * 0.238732415f;
    uint theta = d.x + dw_particle_turned(dw_turns(across), kept);
    DW_PRECISE float x = (has_point ? given.point[0] : ring_x) + drift * dw_sin_turn(theta);
    DW_PRECISE float y = (has_point ? given.point[1] : ring_y) + given.params[0] * given.t;
    DW_PRECISE float z =
        (has_point ? given.point[2] : ring_z) + drift * dw_cos_turn(d.x + dw_turns(along));
    DW_PRECISE float size = large * (1.0f - 0.5f * given.t);
    DW_PRECISE float opacity = given.fade * dw_particle_pulse(given);

    return dw_particle_motion_at(x, y, z, size, opacity);
}

/* Slots begin evenly around. params: least radius beyond the emitter's, span; span of heights from
 * its lowest on; least speed, span; size, span, times the radius */
DW_INLINE dw_particle_motion dw_particle_move_base(dw_particle_input given)
{
    dw_particle_words k = dw_particle_own_more(given);
    uint p = given.slot;
    uint first = dw_particle_even_turn(p, given.count);
    float beyond = dw_particle_between(given.params[0], given.params[1], k.x);
    float y = dw_particle_between(given.extent[1], given.params[2], k.y);
    float speed = dw_particle_between(given.params[3], given.params[4], k.z);
    float spread = dw_particle_between(given.params[5], given.params[6], k.w);
    DW_PRECISE float steps = speed * 31291.135f + 0.5f; /* 3 speed rad a second */
    uint a = first + dw_particle_clock(given, dw_whole(steps));
    DW_PRECISE float radius = given.extent[0] + beyond;
    DW_PRECISE float x = radius * dw_cos_turn(a);
    DW_PRECISE float z = radius * dw_sin_turn(a);
    float grown = dw_wave(1.0f, 0.15f, dw_particle_clock(given, 10430u) + p * 1073197483u);
    float dim = dw_wave(0.15f, 0.06f, dw_particle_clock(given, 8344u) + p * 1367130551u);
    DW_PRECISE float size = given.extent[0] * spread * grown;
    DW_PRECISE float opacity = given.fade * dim * dw_particle_pulse(given);

    return dw_particle_motion_at(x, y, z, size, opacity);
}

/* Its turn is the phase of its noise. params: half the width of where it begins; sway; least rise
 * in a life, span; least size, span */
DW_INLINE dw_particle_motion dw_particle_move_flame(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    uint kept = dw_particle_own(given).w;
    DW_PRECISE float wide = 2.0f * given.params[0];
    float from_x = dw_particle_between(-given.params[0], wide, d.x);
    float from_z = dw_particle_between(-given.params[0], wide, d.y);
    float rise = dw_particle_between(given.params[2], given.params[3], dw_particle_upper(kept));
    float large = dw_particle_between(given.params[4], given.params[5], dw_particle_lower(kept));
    DW_PRECISE float widening = 1.0f + 0.4f * given.t;
    DW_PRECISE float sway = given.params[1] * (1.0f - 0.7f * given.t);
    uint across = dw_particle_clock(given, 73013u) + d.z;
    uint along = dw_particle_clock(given, 57367u) + d.z + (d.z >> 1);
    DW_PRECISE float x = from_x * widening + sway * dw_sin_turn(across);
    DW_PRECISE float y = rise * given.t;
    DW_PRECISE float z = from_z * widening + sway * dw_cos_turn(along);
    DW_PRECISE float size = large * given.fade * (1.0f - 0.5f * given.t);
    dw_particle_motion m = dw_particle_motion_at(x, y, z, size, given.fade);

    m.turn = d.z;
    return m;
}

#ifndef GL_core_profile
static inline void dw_particle_span_pillar(const dw_particle_part *p, const double *around,
                                           double *span)
{
    const float *v = p->params;
    double top = around[DW_AROUND_HIGH] + v[2], radius = around[DW_AROUND_RADIUS];

    dw_particle_span_rise(span, top, (double)v[3] * around[DW_AROUND_SLOTS], 0.0722 * radius,
                          1.15 * radius * ((double)v[0] + v[1]));
    span[DW_SPAN_LOW] -= 0.12;
    span[DW_SPAN_HIGH] += 0.12;
}

static inline void dw_particle_span_wisp(const dw_particle_part *p, const double *around,
                                         double *span)
{
    const float *v = p->params;

    dw_particle_span_set(span, around[DW_AROUND_LOW] - 0.3, around[DW_AROUND_HIGH] + 0.3,
                         around[DW_AROUND_RADIUS] + v[0] + v[1], 1.2 * ((double)v[4] + v[5]));
}

static inline void dw_particle_span_spark(const dw_particle_part *p, const double *around,
                                          double *span)
{
    const float *v = p->params;
    double low = around[DW_AROUND_FAR_LOW], high = around[DW_AROUND_FAR_HIGH];

    dw_particle_span_rise(span, low, v[0],
                          around[DW_AROUND_FAR_RADIUS] + 1.5 * ((double)v[1] + v[2]),
                          (double)v[3] + v[4]);
    span[DW_SPAN_HIGH] += high - low;
}

static inline void dw_particle_span_base(const dw_particle_part *p, const double *around,
                                         double *span)
{
    const float *v = p->params;
    double radius = around[DW_AROUND_RADIUS];

    dw_particle_span_rise(span, around[DW_AROUND_LOW], v[2], radius + v[0] + v[1],
                          1.15 * radius * ((double)v[5] + v[6]));
}

static inline void dw_particle_span_flame(const dw_particle_part *p, const double *around,
                                          double *span)
{
    const float *v = p->params;

    dw_particle_span_rise(span, 0.0, (double)v[2] + v[3],
                          1.4143 * (1.4 * v[0] + (v[1] < 0.0f ? -v[1] : v[1])),
                          ((double)v[4] + v[5]) * around[DW_AROUND_FADE]);
}
#endif

#endif
