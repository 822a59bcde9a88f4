/* SPDX-License-Identifier: MIT */
/* Dust and weather: puff, chip, rain, snow, fog.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_AIR_H
#define DW_SHARED_PARTICLE_MOTION_AIR_H

#include "shared/particle_motion_base.h"

/* params: radius of where it begins; least way outward in a life, span; height; least way upward
 * by the throw, span; rise by warmth; wind, m in a life; least size, span; growth as a share; turns
 * of its picture in a life */
DW_INLINE dw_particle_motion dw_particle_move_puff(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    float way = dw_particle_between(given.params[1], given.params[2], dw_particle_upper(d.z));
    float lift = dw_particle_between(given.params[4], given.params[5], dw_particle_lower(d.z));
    float large = dw_particle_between(given.params[9], given.params[10], dw_particle_upper(d.y));
    DW_PRECISE float from = given.params[0] * dw_root(dw_particle_uniform(dw_particle_lower(d.y)));
    DW_PRECISE float braked = given.t * (2.0f - given.t);
    DW_PRECISE float drift = given.t * given.t;
    DW_PRECISE float radius = from + way * braked;
    DW_PRECISE float x = radius * dw_cos_turn(d.x) + given.params[7] * drift;
    DW_PRECISE float y = given.params[3] + lift * braked + given.params[6] * given.t;
    DW_PRECISE float z = radius * dw_sin_turn(d.x) + given.params[8] * drift;
    DW_PRECISE float more = 1.0f + given.params[11] * braked;
    DW_PRECISE float grown = large * (more > 0.0f ? more : 0.0f);
    DW_PRECISE float turns = given.params[12] * braked;
    dw_particle_motion m = dw_particle_motion_at(x, y, z, grown, given.fade);

    m.turn = d.w + dw_particle_turned(dw_particle_wound(turns), d.x);
    return m;
}

/* params: radius and height of where it begins; least speed outward, span; least speed upward,
 * span; gravity; how much speed a bounce leaves; least size, span; turns a second. The ground is at
 * the emitter's height. */
DW_INLINE dw_particle_motion dw_particle_move_chip(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    float s = given.seconds;
    float g = given.params[6], bounce = given.params[7], height = given.params[1];
    float speed = dw_particle_between(given.params[2], given.params[3], dw_particle_upper(d.y));
    float jump = dw_particle_between(given.params[4], given.params[5], dw_particle_lower(d.y));
    float large = dw_particle_between(given.params[8], given.params[9], dw_particle_upper(d.z));
    DW_PRECISE float from = given.params[0] * dw_particle_uniform(dw_particle_lower(d.z));
    DW_PRECISE float square = jump * jump + 2.0f * (g * height);
    DW_PRECISE float hit = dw_root(square > 0.0f ? square : 0.0f); /* speed at the ground */
    float per_g = dw_inverse(g > 0.001f ? g : 0.001f);
    DW_PRECISE float first = (jump + hit) * per_g;
    DW_PRECISE float again = bounce * hit;
    DW_PRECISE float second = 2.0f * (again * per_g);
    DW_PRECISE float late = s - first;
    float in_first = s < first ? s : first;
    float begun = late > 0.0f ? late : 0.0f;
    float in_second = begun < second ? begun : second;
    DW_PRECISE float fall = height + (jump * in_first - 0.5f * (g * (in_first * in_first)));
    DW_PRECISE float hop = again * in_second - 0.5f * (g * (in_second * in_second));
    float over_ground = fall > 0.0f ? fall : 0.0f;
    DW_PRECISE float flown = in_first + bounce * in_second;
    DW_PRECISE float radius = from + speed * flown;
    DW_PRECISE float x = radius * dw_cos_turn(d.x);
    DW_PRECISE float y = over_ground + (hop > 0.0f ? hop : 0.0f);
    DW_PRECISE float z = radius * dw_sin_turn(d.x);
    DW_PRECISE float turns = given.params[10] * flown;
    dw_particle_motion m = dw_particle_motion_at(x, y, z, large, given.fade);

    m.turn = d.w + dw_particle_turned(dw_particle_wound(turns), d.x);
    return m;
}

/* ---- a box around the camera, in which all that leaves on one side comes in on the other ---- */

/* Boxes a metre; they are at least 1 m wide. */
DW_INLINE float dw_particle_per_box(float width)
{
    return dw_inverse(width > 1.0f ? width : 1.0f);
}

/* 2^-32 boxes a tick at `speed` m/s. */
DW_INLINE uint dw_particle_box_speed(float speed, float per_box)
{
    DW_PRECISE float steps = speed * per_box * 65536.0f;

    return dw_whole(steps);
}

/* From the camera in 2^-32 boxes, around -1/2..1/2 of one, for a place that is fixed in the world.
 * The camera's own place is rounded as floats are. */
DW_INLINE float dw_particle_box_off(uint place, float camera, float per_box)
{
    DW_PRECISE float boxes = camera * per_box;
    uint left = place - dw_particle_wound(boxes);
    DW_PRECISE float off = dw_float(DW_INT(left)) * 2.3283064365386962890625e-10f;

    return off;
}

/* 1 inside, 0 at the sides, of |off| in boxes: the last tenth fades. */
DW_INLINE float dw_particle_box_edge(float off_x, float off_z)
{
    float wide = off_x < 0.0f ? -off_x : off_x, deep = off_z < 0.0f ? -off_z : off_z;
    DW_PRECISE float left = (0.5f - (wide > deep ? wide : deep)) * 10.0f;

    return left < 1.0f ? left : 1.0f;
}

DW_INLINE dw_particle_motion dw_particle_box_at(dw_particle_input given, float off_x, float off_y,
                                                float off_z, float size)
{
    DW_PRECISE float x = given.camera[0] + off_x * given.params[0];
    DW_PRECISE float y = given.camera[1] + off_y * given.params[1];
    DW_PRECISE float z = given.camera[2] + off_z * given.params[0];
    DW_PRECISE float opacity = given.fade * dw_particle_box_edge(off_x, off_z);

    return dw_particle_motion_at(x, y, z, size, opacity);
}

/* params: width and height of the box; least speed of the fall, span; wind, m/s; size */
DW_INLINE dw_particle_motion dw_particle_move_rain(dw_particle_input given)
{
    dw_particle_words k = dw_particle_own(given);
    float per_box = dw_particle_per_box(given.params[0]),
          per_height = dw_particle_per_box(given.params[1]);
    float fall = dw_particle_between(given.params[2], given.params[3], dw_particle_upper(k.w));
    uint x = k.x + dw_particle_clock(given, dw_particle_box_speed(given.params[4], per_box));
    uint y = k.y - dw_particle_clock(given, dw_particle_box_speed(fall, per_height));
    uint z = k.z + dw_particle_clock(given, dw_particle_box_speed(given.params[5], per_box));
    dw_particle_motion m =
        dw_particle_box_at(given, dw_particle_box_off(x, given.camera[0], per_box),
                           dw_particle_box_off(y, given.camera[1], per_height),
                           dw_particle_box_off(z, given.camera[2], per_box), given.params[6]);

    m.axis = dw_particle_axis(given.params[4], -fall, given.params[5]);
    return m;
}

/* params: as of rain; how far it sways; least size, span */
DW_INLINE dw_particle_motion dw_particle_move_snow(dw_particle_input given)
{
    dw_particle_words k = dw_particle_own(given);
    float per_box = dw_particle_per_box(given.params[0]),
          per_height = dw_particle_per_box(given.params[1]);
    float fall = dw_particle_between(given.params[2], given.params[3], dw_particle_upper(k.w));
    float size = dw_particle_between(given.params[7], given.params[8], dw_particle_lower(k.w));
    uint x = k.x + dw_particle_clock(given, dw_particle_box_speed(given.params[4], per_box));
    uint y = k.y - dw_particle_clock(given, dw_particle_box_speed(fall, per_height));
    uint z = k.z + dw_particle_clock(given, dw_particle_box_speed(given.params[5], per_box));
    DW_PRECISE float sway = given.params[6] * per_box;
    DW_PRECISE float sway_x = sway * dw_sin_turn(dw_particle_clock(given, 12516u) + k.w);
    DW_PRECISE float sway_z = sway * dw_sin_turn(dw_particle_clock(given, 8865u) + (k.w << 8));

    return dw_particle_box_at(
        given, dw_particle_box_off(x + dw_particle_wound(sway_x), given.camera[0], per_box),
        dw_particle_box_off(y, given.camera[1], per_height),
        dw_particle_box_off(z + dw_particle_wound(sway_z), given.camera[2], per_box), size);
}

/* params: width of the box; least height above the emitter, span; wind, m/s; least size, span;
 * metres before the camera in which it thins out */
DW_INLINE dw_particle_motion dw_particle_move_fog(dw_particle_input given)
{
    dw_particle_words k = dw_particle_own(given);
    float per_box = dw_particle_per_box(given.params[0]);
    float size = dw_particle_between(given.params[5], given.params[6], dw_particle_lower(k.w));
    uint x = k.x + dw_particle_clock(given, dw_particle_box_speed(given.params[3], per_box));
    uint z = k.z + dw_particle_clock(given, dw_particle_box_speed(given.params[4], per_box));
    float off_x = dw_particle_box_off(x, given.camera[0], per_box);
    float off_z = dw_particle_box_off(z, given.camera[2], per_box);
    float height = dw_particle_between(given.params[1], given.params[2], k.y);
    float y = dw_wave(height, 0.25f, dw_particle_clock(given, 2086u) + k.w);
    DW_PRECISE float to_x = off_x * given.params[0];
    DW_PRECISE float to_y = y - given.camera[1];
    DW_PRECISE float to_z = off_z * given.params[0];
    float far2 = dw_dot3(to_x, to_y, to_z, to_x, to_y, to_z);
    DW_PRECISE float clear2 = given.params[7] * given.params[7];
    DW_PRECISE float near = far2 * dw_inverse(clear2 > 0.0001f ? clear2 : 0.0001f);
    DW_PRECISE float opacity = given.fade * dw_particle_box_edge(off_x, off_z) *
                               (near < 1.0f ? near : 1.0f) *
                               dw_wave(0.8f, 0.2f, dw_particle_clock(given, 3129u) + k.y);
    DW_PRECISE float world_x = given.camera[0] + to_x;
    DW_PRECISE float world_z = given.camera[2] + to_z;
    dw_particle_motion m = dw_particle_motion_at(world_x, y, world_z, size, opacity);

    m.turn = k.z + dw_particle_turned(dw_particle_clock(given, 313u), k.x);
    return m;
}

#ifndef GL_core_profile
static inline void dw_particle_span_puff(const dw_particle_part *p, const double *around,
                                         double *span)
{
    const float *v = p->params;
    double wind = (v[7] < 0.0f ? -v[7] : v[7]) + (double)(v[8] < 0.0f ? -v[8] : v[8]);
    double least = (v[4] < 0.0f ? v[4] : 0.0) + (v[6] < 0.0f ? v[6] : 0.0);
    double most =
        ((double)v[4] + v[5] > 0.0 ? (double)v[4] + v[5] : 0.0) + (v[6] > 0.0f ? v[6] : 0.0);
    double way = (double)v[1] + v[2], back = v[1] < 0.0f ? -v[1] : 0.0;

    (void)around;
    dw_particle_span_set(span, v[3] + least, v[3] + most, v[0] + (way > back ? way : back) + wind,
                         ((double)v[9] + v[10]) * (1.0 + (v[11] > 0.0f ? v[11] : 0.0)));
}

static inline void dw_particle_span_chip(const dw_particle_part *p, const double *around,
                                         double *span)
{
    const float *v = p->params;
    double seconds = ((double)p->life_least + p->life_span) / DW_TICKS_PER_SECOND;
    double jump = (double)v[4] + v[5] > 0.0 ? (double)v[4] + v[5] : 0.0;
    double g = v[6] > 0.001f ? v[6] : 0.001, free = jump * seconds, top = jump * jump / (2.0 * g);
    double bounce = v[7] < 0.0f ? -v[7] : v[7], way = (double)v[2] + v[3];
    double high = (v[1] > 0.0f ? v[1] : 0.0) + (top < free ? top : free);

    (void)around;
    way = way > -v[2] ? way : -v[2];
    dw_particle_span_set(
        span, v[1] < 0.0f ? v[1] : 0.0, high * (bounce > 1.0 ? bounce * bounce : 1.0),
        v[0] + way * seconds * (bounce > 1.0 ? bounce : 1.0), ((double)v[8] + v[9]));
}

static inline void dw_particle_span_rain(const dw_particle_part *p, const double *around,
                                         double *span)
{
    const float *v = p->params;

    (void)around; /* from the camera on: such rows are never culled */
    dw_particle_span_set(span, -0.5 * v[1], 0.5 * v[1], 0.7072 * v[0], v[6]);
}

static inline void dw_particle_span_snow(const dw_particle_part *p, const double *around,
                                         double *span)
{
    dw_particle_span_rain(p, around, span);
    span[DW_SPAN_SIZE] = (double)p->params[7] + p->params[8];
}

static inline void dw_particle_span_fog(const dw_particle_part *p, const double *around,
                                        double *span)
{
    const float *v = p->params;

    (void)around;
    dw_particle_span_set(span, v[1] - 0.25, (double)v[1] + v[2] + 0.25, 0.7072 * v[0],
                         (double)v[5] + v[6]);
}
#endif

#endif
