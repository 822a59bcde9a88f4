/* SPDX-License-Identifier: MIT */
/* Fire's company and magic: halo, ember, spell, enchant.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_MAGIC_H
#define DW_SHARED_PARTICLE_MOTION_MAGIC_H

#include "shared/particle_motion_base.h"

/* params: height; size; flicker, as a share of the opacity; speed of the flicker, rad/s */
DW_INLINE dw_particle_motion dw_particle_move_halo(dw_particle_input given)
{
    DW_PRECISE float slow = given.params[3] * 10430.378f;
    DW_PRECISE float fast = given.params[3] * 17731.643f; /* 1.7 as fast: never quite alike */
    uint own = given.slot * 0x9e3779b9u;
    DW_PRECISE float beat = dw_sin_turn(dw_particle_clock(given, dw_whole(slow)) + own) *
                            dw_sin_turn(dw_particle_clock(given, dw_whole(fast)));
    DW_PRECISE float dim = 1.0f - given.params[2] * (0.5f + 0.5f * beat);
    DW_PRECISE float opacity = given.fade * dim;

    return dw_particle_motion_at(0.0f, given.params[0], 0.0f, given.params[1], opacity);
}

/* params: radius of where it begins; least rise in a life, span; the most it is off its column at
 * the end; turns in a life; least size, span */
DW_INLINE dw_particle_motion dw_particle_move_ember(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    DW_PRECISE float from = given.params[0] * dw_root(dw_particle_uniform(d.y));
    float rise = dw_particle_between(given.params[1], given.params[2], dw_particle_upper(d.z));
    float large = dw_particle_between(given.params[5], given.params[6], dw_particle_lower(d.z));
    DW_PRECISE float turns = given.params[4] * given.t;
    DW_PRECISE float off = given.params[3] * given.t;
    uint swirl = d.w + dw_particle_turned(dw_particle_wound(turns), d.x);
    DW_PRECISE float x = from * dw_cos_turn(d.x) + off * dw_cos_turn(swirl);
    DW_PRECISE float y = rise * given.t;
    DW_PRECISE float z = from * dw_sin_turn(d.x) + off * dw_sin_turn(swirl);
    DW_PRECISE float opacity =
        given.fade * dw_wave(0.75f, 0.25f, dw_particle_clock(given, 177317u) + d.w);

    return dw_particle_motion_at(x, y, z, large, opacity);
}

/* params: radius at first, at last; height at first, at last; how much more is done early of both;
 * arms; turns in a life; how far off its arm a light is, as a share of a turn; least size, span */
DW_INLINE dw_particle_motion dw_particle_move_spell(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    uint arms = dw_whole(given.params[5]);
    uint arm = dw_particle_even_turn(dw_particle_pick(arms, d.x), arms + (arms == 0u ? 1u : 0u));
    float large = dw_particle_between(given.params[8], given.params[9], d.z);
    DW_PRECISE float off = given.params[7] * (dw_particle_uniform(d.y) - 0.5f);
    DW_PRECISE float share = given.t + given.params[4] * (given.t * (1.0f - given.t));
    DW_PRECISE float turns = given.params[6] * share + off;
    float radius = dw_lerp(given.params[0], given.params[1], share);
    DW_PRECISE float lift = off * 0.5f * radius;
    DW_PRECISE float y = dw_lerp(given.params[2], given.params[3], share) + lift;
    uint a = arm + dw_particle_wound(turns) + dw_particle_clock(given, 5215u);
    DW_PRECISE float x = radius * dw_cos_turn(a);
    DW_PRECISE float z = radius * dw_sin_turn(a);
    DW_PRECISE float opacity =
        given.fade * dw_wave(0.8f, 0.2f, dw_particle_clock(given, 93873u) + d.w);

    return dw_particle_motion_at(x, y, z, large, opacity);
}

/* Slots begin evenly around. params: least radius beyond the emitter's, span; height above its
 * lowest, as a share of its height, span; least speed, span, rad/s, of which the sign is the
 * direction; tilt: rise over run; least size, span */
DW_INLINE dw_particle_motion dw_particle_move_enchant(dw_particle_input given)
{
    dw_particle_words k = dw_particle_own_more(given);
    uint first = dw_particle_even_turn(given.slot, given.count);
    float beyond = dw_particle_between(given.params[0], given.params[1], k.x);
    float share = dw_particle_between(given.params[2], given.params[3], k.y);
    float speed = dw_particle_between(given.params[4], given.params[5], k.z);
    float large = dw_particle_between(given.params[7], given.params[8], k.w);
    DW_PRECISE float steps = speed * 10430.378f;
    uint a = first + dw_particle_clock(given, dw_whole(steps));
    DW_PRECISE float radius = given.extent[0] + beyond;
    DW_PRECISE float x = radius * dw_cos_turn(a);
    DW_PRECISE float z = radius * dw_sin_turn(a);
    DW_PRECISE float height = given.extent[1] + given.extent[2] * share;
    DW_PRECISE float y = height + given.params[6] * x;
    DW_PRECISE float size = large * dw_wave(0.85f, 0.15f, dw_particle_clock(given, 41721u) + k.y);
    DW_PRECISE float opacity =
        given.fade * dw_wave(0.7f, 0.3f, dw_particle_clock(given, 31291u) + k.x);

    return dw_particle_motion_at(x, y, z, size, opacity);
}

#ifndef GL_core_profile
static inline void dw_particle_span_halo(const dw_particle_part *p, const double *around,
                                         double *span)
{
    const float *v = p->params;

    (void)around;
    dw_particle_span_set(span, v[0], v[0], 0.0, v[1]);
}

static inline void dw_particle_span_ember(const dw_particle_part *p, const double *around,
                                          double *span)
{
    const float *v = p->params;
    double off = v[3] < 0.0f ? -v[3] : v[3];

    (void)around;
    dw_particle_span_rise(span, 0.0, (double)v[1] + v[2], v[0] + off, ((double)v[5] + v[6]));
    if (v[1] < 0.0f)
        span[DW_SPAN_LOW] = v[1];
}

static inline void dw_particle_span_spell(const dw_particle_part *p, const double *around,
                                          double *span)
{
    const float *v = p->params;
    double over = 0.25 * (v[4] < 0.0f ? -v[4] : v[4]); /* how far the share strays from [0, 1] */
    double climb = (double)v[3] - v[2], widen = (double)v[1] - v[0];
    double radius = (v[0] > v[1] ? v[0] : v[1]) + over * (widen < 0.0 ? -widen : widen);
    double more =
        over * (climb < 0.0 ? -climb : climb) + 0.25 * radius * (v[7] < 0.0f ? -v[7] : v[7]);

    (void)around;
    dw_particle_span_rise(span, v[2], climb, radius, ((double)v[8] + v[9]));
    span[DW_SPAN_LOW] -= more;
    span[DW_SPAN_HIGH] += more;
}

static inline void dw_particle_span_enchant(const dw_particle_part *p, const double *around,
                                            double *span)
{
    const float *v = p->params;
    double radius = around[DW_AROUND_RADIUS] + v[0] + v[1];
    double low = around[DW_AROUND_LOW], tall = around[DW_AROUND_HIGH] - low;
    double tilt = radius * (v[6] < 0.0f ? -v[6] : v[6]);

    dw_particle_span_set(span, low + tall * v[2] - tilt, low + tall * ((double)v[2] + v[3]) + tilt,
                         radius, ((double)v[7] + v[8]));
}
#endif

#endif
