/* SPDX-License-Identifier: MIT */
/* Water: splash, burst, bubble, shimmer, ripple.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_WATER_H
#define DW_SHARED_PARTICLE_MOTION_WATER_H

#include "shared/particle_motion_base.h"

/* height + 4 peak t (1 - t) */
DW_INLINE float dw_particle_arc(float height, float peak, float t)
{
    DW_PRECISE float rest = 1.0f - t;
    DW_PRECISE float y = height + peak * (4.0f * (t * rest));

    return y;
}

/* params: least radius, span; least peak, span; height of the surface; size */
DW_INLINE dw_particle_motion dw_particle_move_splash(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    float radius = dw_particle_between(given.params[0], given.params[1], d.y);
    float peak = dw_particle_between(given.params[2], given.params[3], d.z);
    float y = dw_particle_arc(given.params[4], peak, given.t);
    DW_PRECISE float x = radius * dw_cos_turn(d.x);
    DW_PRECISE float z = radius * dw_sin_turn(d.x);

    return dw_particle_motion_at(x, y, z, given.params[5], given.fade);
}

/* The centre is one for all slots of a burst. params: its least radius, span; how far off on each
 * axis a drop's direction is; its radius; least peak, span; height of the surface; size */
DW_INLINE dw_particle_motion dw_particle_move_burst(dw_particle_input given)
{
    dw_particle_words c =
        dw_particle_draw(given.key0, given.key1, DW_PARTICLE_NONE, given.cycle, 1u);
    dw_particle_words d = dw_particle_fresh(given);
    float center = dw_particle_between(given.params[0], given.params[1], c.y);
    DW_PRECISE float wide = 2.0f * given.params[2];
    DW_PRECISE float deep = 2.0f * given.params[3];
    float off_x = dw_particle_between(-given.params[2], wide, d.x);
    float off_z = dw_particle_between(-given.params[2], wide, d.y);
    float off_radius = dw_particle_between(-given.params[3], deep, d.z);
    float peak = dw_particle_between(given.params[4], given.params[5], d.w);
    float y = dw_particle_arc(given.params[6], peak, given.t);
    DW_PRECISE float dx = center * dw_cos_turn(c.x) + off_x;
    DW_PRECISE float dz = center * dw_sin_turn(c.x) + off_z;
    DW_PRECISE float length2 = dx * dx + dz * dz;
    DW_PRECISE float share = (center + off_radius) * dw_inverse_root(length2);
    DW_PRECISE float x = dx * share;
    DW_PRECISE float z = dz * share;

    return dw_particle_motion_at(x, y, z, given.params[7], given.fade);
}

/* params: as of splash */
DW_INLINE dw_particle_motion dw_particle_move_bubble(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    float radius = dw_particle_between(given.params[0], given.params[1], d.y);
    float peak = dw_particle_between(given.params[2], given.params[3], d.z);
    DW_PRECISE float wobble = given.t * 0.636619772f; /* 4 rad */
    DW_PRECISE float sway = given.t * 0.397887358f;   /* 2.5 rad */
    uint around = d.x + dw_particle_turned(dw_turns(wobble), dw_particle_own(given).w);
    DW_PRECISE float x = radius * dw_sin_turn(around);
    DW_PRECISE float y = given.params[4] + peak * given.t;
    DW_PRECISE float z = 0.6f * radius * dw_cos_turn(d.x + dw_turns(sway));

    return dw_particle_motion_at(x, y, z, given.params[5], given.fade);
}

/* params: least radius, span; least speed, span; height; size. A life makes 6 speed rad. */
DW_INLINE dw_particle_motion dw_particle_move_shimmer(dw_particle_input given)
{
    uint theta = dw_particle_fresh(given).x, kept = dw_particle_own(given).w;
    float radius = dw_particle_between(given.params[0], given.params[1], dw_particle_upper(kept));
    float speed = dw_particle_between(given.params[2], given.params[3], dw_particle_lower(kept));
    DW_PRECISE float wander = speed * given.t * 0.954929659f;
    uint phi = theta + dw_particle_turned(dw_particle_wound(wander), kept);
    DW_PRECISE float x = radius * dw_cos_turn(phi);
    DW_PRECISE float z = radius * dw_sin_turn(phi);
    DW_PRECISE float beat = dw_sin_turn(dw_particle_clock(given, 83443u) + 5u * theta) *
                            dw_sin_turn(dw_particle_clock(given, 135595u) + 3u * theta);
    DW_PRECISE float opacity = given.fade * (beat > 0.0f ? beat : 0.0f);

    return dw_particle_motion_at(x, given.params[4], z, given.params[5], opacity);
}

/* params: size at first, growth, height. The opacity falls by the power 1.5 of the fade's end. */
DW_INLINE dw_particle_motion dw_particle_move_ripple(dw_particle_input given)
{
    DW_PRECISE float size = given.params[0] + given.params[1] * given.t;
    DW_PRECISE float rest = (1.0f - given.t) * 1.17647059f; /* 1 / 0.85 */
    DW_PRECISE float opacity = given.fade * dw_root(rest < 1.0f ? rest : 1.0f);

    return dw_particle_motion_at(0.0f, given.params[2], 0.0f, size > 0.0f ? size : 0.0f, opacity);
}

#ifndef GL_core_profile
static inline void dw_particle_span_splash(const dw_particle_part *p, const double *around,
                                           double *span)
{
    const float *v = p->params;

    (void)around;
    dw_particle_span_rise(span, v[4], (double)v[2] + v[3], (double)v[0] + v[1], v[5]);
}

static inline void dw_particle_span_burst(const dw_particle_part *p, const double *around,
                                          double *span)
{
    const float *v = p->params;

    (void)around;
    dw_particle_span_rise(span, v[6], (double)v[4] + v[5], (double)v[0] + v[1] + v[3], v[7]);
}

static inline void dw_particle_span_bubble(const dw_particle_part *p, const double *around,
                                           double *span)
{
    dw_particle_span_splash(p, around, span);
}

static inline void dw_particle_span_shimmer(const dw_particle_part *p, const double *around,
                                            double *span)
{
    const float *v = p->params;

    (void)around;
    dw_particle_span_set(span, v[4], v[4], (double)v[0] + v[1], v[5]);
}

static inline void dw_particle_span_ripple(const dw_particle_part *p, const double *around,
                                           double *span)
{
    const float *v = p->params;

    (void)around;
    dw_particle_span_set(span, v[2], v[2], 0.0, (double)v[0] + (v[1] > 0.0f ? v[1] : 0.0f));
}
#endif

#endif
