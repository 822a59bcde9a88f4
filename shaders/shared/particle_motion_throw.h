/* SPDX-License-Identifier: MIT */
/* What is thrown through air that brakes it: spray, and ballistic of loaded effects.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_MOTION_THROW_H
#define DW_SHARED_PARTICLE_MOTION_THROW_H

#include "shared/particle_motion_base.h"

/* (z - 1 + e^-z) / z^2, z >= 0: an even force of 1 under drag 1 moves z^2 of it in a time z. */
DW_INLINE float dw_particle_pushed(float z)
{
    float near = z < 1.0f ? z : 1.0f, far = z < 1.0f ? 1.0f : z;
    DW_PRECISE float p4 = -0.000146370847f * near + 0.001346066248f;
    DW_PRECISE float p3 = p4 * near - 0.008318504546f;
    DW_PRECISE float p2 = p3 * near + 0.041664846994f;
    DW_PRECISE float p1 = p2 * near - 0.166666630717f;
    DW_PRECISE float early = p1 * near + 0.5f;
    DW_PRECISE float power = far * -1.44269504f;
    float per = dw_inverse(far);
    DW_PRECISE float moved = (1.0f - dw_power_of_two(power)) * per;
    DW_PRECISE float late = (1.0f - moved) * per;

    return z < 1.0f ? early : late;
}

/* A direction evenly spread over the sphere; 16 bits of each word do. */
DW_INLINE dw_particle_motion dw_particle_sphere(uint azimuth, uint height)
{
    DW_PRECISE float y = 2.0f * dw_particle_uniform(height) - 1.0f;
    DW_PRECISE float rest = 1.0f - y * y;
    float ring = dw_root(rest > 0.0f ? rest : 0.0f);
    DW_PRECISE float x = ring * dw_cos_turn(azimuth);
    DW_PRECISE float z = ring * dw_sin_turn(azimuth);

    return dw_particle_motion_at(x, y, z, 0.0f, 0.0f);
}

/* params: radius and height of where it begins; least speed, span; how much upward is added to the
 * direction; how far it strays, 1 by as much as the direction; drag, 1/s; gravity; least size, span
 */
DW_INLINE dw_particle_motion dw_particle_move_spray(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    dw_particle_motion off = dw_particle_sphere(d.x, d.y);
    float s = given.seconds, g = given.params[7];
    float speed = dw_particle_between(given.params[2], given.params[3], d.z);
    float large = dw_particle_between(given.params[8], given.params[9], d.w);
    DW_PRECISE float dx = given.extent[0] + given.params[5] * off.x;
    DW_PRECISE float dy = given.extent[1] + given.params[4] + given.params[5] * off.y;
    DW_PRECISE float dz = given.extent[2] + given.params[5] * off.z;
    DW_PRECISE float length2 = dw_dot3(dx, dy, dz, dx, dy, dz) + 1e-12f;
    DW_PRECISE float fast = speed * dw_inverse_root(length2);
    DW_PRECISE float vx = fast * dx;
    DW_PRECISE float vy = fast * dy;
    DW_PRECISE float vz = fast * dz;
    DW_PRECISE float braked = given.params[6] * s;
    float pushed = dw_particle_pushed(braked);
    DW_PRECISE float eased = 1.0f - braked * pushed; /* (1 - e^-z) / z */
    DW_PRECISE float left = 1.0f - braked * eased;   /* e^-z */
    DW_PRECISE float way = s * eased;
    DW_PRECISE float fall = g * (s * s * pushed);
    DW_PRECISE float x = given.params[0] * off.x + vx * way;
    DW_PRECISE float y = given.params[1] + given.params[0] * off.y + vy * way - fall;
    DW_PRECISE float z = given.params[0] * off.z + vz * way;
    DW_PRECISE float now_x = vx * left;
    DW_PRECISE float now_y = vy * left - g * way;
    DW_PRECISE float now_z = vz * left;
    dw_particle_motion m = dw_particle_motion_at(x, y, z, large, given.fade);

    m.axis = dw_particle_axis(now_x, now_y, now_z);
    return m;
}

/* All bits, or none; and one of two by it: no branch, so that compilers make vectors. */
DW_INLINE uint dw_particle_mask(bool is_set)
{
    return 0u - DW_UINT(is_set);
}

DW_INLINE float dw_particle_select(uint mask, float a, float b)
{
    return dw_float_from_bits((dw_bits_from_float(a) & mask) | (dw_bits_from_float(b) & ~mask));
}

/* Where on its shape a ballistic particle begins: x, y, z from the centre; and, in a second motion,
 * the way out there. words: three of the shape. */
DW_INLINE dw_particle_motion dw_particle_shape_at(dw_particle_input given, dw_particle_words d)
{
    uint shape = dw_whole(given.params[0]) & 7u;
    float hole = given.params[4]; /* thickness: 1 is filled */
    DW_PRECISE float turns = given.params[5] * dw_particle_uniform(d.x);
    uint around = dw_particle_wound(turns);
    dw_particle_motion ball = dw_particle_sphere(around, d.y);
    float u = dw_particle_uniform(dw_particle_upper(d.z));
    float v = dw_particle_uniform(dw_particle_lower(d.z));
    float w = dw_particle_uniform(dw_particle_lower(d.y));
    float most = u > v ? u : v;
    float wide = dw_root(dw_particle_uniform(d.z));
    DW_PRECISE float inner = 1.0f - hole * (1.0f - (most > w ? most : w)); /* by the cube root */
    DW_PRECISE float disc = given.params[1] * (1.0f - hole * (1.0f - wide));
    DW_PRECISE float deep = given.params[1] * inner;
    DW_PRECISE float up = given.params[2] * dw_particle_uniform(d.y);
    DW_PRECISE float box_x = given.params[1] * (2.0f * dw_particle_uniform(d.x) - 1.0f);
    DW_PRECISE float box_y = given.params[2] * (2.0f * dw_particle_uniform(d.y) - 1.0f);
    DW_PRECISE float box_z = given.params[3] * (2.0f * dw_particle_uniform(d.z) - 1.0f);
    DW_PRECISE float disc_x = disc * dw_cos_turn(around);
    DW_PRECISE float disc_z = disc * dw_sin_turn(around);
    DW_PRECISE float ball_x = deep * ball.x;
    uint upper = dw_particle_mask(shape == 3u) & 0x80000000u; /* the sign that a dome lacks */
    DW_PRECISE float ball_y = deep * dw_float_from_bits(dw_bits_from_float(ball.y) & ~upper);
    DW_PRECISE float ball_z = deep * ball.z;
    uint is_cone = dw_particle_mask(shape == 5u), is_box = dw_particle_mask(shape == 4u);
    uint is_disc = dw_particle_mask(shape == 1u) | is_cone;
    uint is_ball = dw_particle_mask(shape == 2u) | dw_particle_mask(shape == 3u);
    uint is_point = dw_particle_mask(shape == 6u) & dw_particle_mask(given.has_point != 0u);
    float x = dw_particle_select(is_box, box_x, dw_particle_select(is_disc, disc_x, 0.0f));
    float y = dw_particle_select(is_box, box_y, dw_particle_select(is_cone, up, 0.0f));
    float z = dw_particle_select(is_box, box_z, dw_particle_select(is_disc, disc_z, 0.0f));

    x = dw_particle_select(is_point, given.point[0], dw_particle_select(is_ball, ball_x, x));
    y = dw_particle_select(is_point, given.point[1], dw_particle_select(is_ball, ball_y, y));
    z = dw_particle_select(is_point, given.point[2], dw_particle_select(is_ball, ball_z, z));
    return dw_particle_motion_at(x, y, z, 0.0f, 0.0f);
}

/* The way that the shape itself throws: out of discs, spheres and points of a surface, along and
 * out of cones, whose box_z is the tangent of their angle, upward from the rest. Of any length. */
DW_INLINE dw_particle_motion dw_particle_shape_way(dw_particle_input given, dw_particle_motion at)
{
    uint shape = dw_whole(given.params[0]) & 7u;
    float per_radius = dw_inverse(given.params[1] > 1e-6f ? given.params[1] : 1e-6f);
    DW_PRECISE float lean = given.params[3] * per_radius;
    DW_PRECISE float lean_x = at.x * lean;
    DW_PRECISE float lean_z = at.z * lean;

    uint is_cone = dw_particle_mask(shape == 5u);
    uint is_up = dw_particle_mask(shape == 0u) | dw_particle_mask(shape == 4u);
    float x = dw_particle_select(is_cone, lean_x, dw_particle_select(is_up, 0.0f, at.x));
    float y = dw_particle_select(is_cone | is_up, 1.0f, at.y);
    float z = dw_particle_select(is_cone, lean_z, dw_particle_select(is_up, 0.0f, at.z));

    return dw_particle_motion_at(x, y, z, 0.0f, 0.0f);
}

/* From upright to where the shape's axis points: side 0 y, 1 x, 2 z, 3 -y, 4 -x, 5 -z. */
DW_INLINE dw_particle_motion dw_particle_on_side(uint side, float x, float y, float z)
{
    uint is_down = dw_particle_mask(side >= 3u);
    uint axis = side - (is_down & 3u);
    uint is_x = dw_particle_mask(axis == 1u), is_z = dw_particle_mask(axis == 2u);
    float a = dw_float_from_bits(dw_bits_from_float(x) ^ (is_down & 0x80000000u));
    float b = dw_float_from_bits(dw_bits_from_float(y) ^ (is_down & 0x80000000u));
    float to_x = dw_particle_select(is_x, b, dw_particle_select(is_z, z, a));
    float to_y = dw_particle_select(is_x, z, dw_particle_select(is_z, a, b));
    float to_z = dw_particle_select(is_x, a, dw_particle_select(is_z, b, z));

    return dw_particle_motion_at(to_x, to_y, to_z, 0.0f, 0.0f);
}

/* params: shape + 8 times the side that all else is upright on + 64 where ways stray across the
 * axis alone; its radius or half its width, height, half its depth; thickness: 0 the surface alone;
 * arc in turns; least speed, span; direction, 0 0 0: the shape's own; how far it strays; speed away
 * from the centre; force; drag; orbit, turns/s; least size, span; turn of the picture, span; its
 * spin in turns/s, span */
DW_INLINE dw_particle_motion dw_particle_move_ballistic(dw_particle_input given)
{
    dw_particle_words d = dw_particle_fresh(given);
    dw_particle_words f = dw_particle_draw(given.key0, given.key1, given.slot, given.cycle, 2u);
    dw_particle_words h = dw_particle_draw(given.key0, given.key1, given.slot, given.cycle, 3u);
    dw_particle_motion at = dw_particle_shape_at(given, d);
    dw_particle_motion own = dw_particle_shape_way(given, at);
    dw_particle_motion off = dw_particle_sphere(f.x, f.y);
    uint word = dw_whole(given.params[0]), side = word >> 3 & 7u;
    float off_y = dw_particle_select(dw_particle_mask((word & 64u) != 0u), 0.0f, off.y);
    float s = given.seconds;
    float speed = dw_particle_between(given.params[6], given.params[7], f.z);
    float large = dw_particle_between(given.params[18], given.params[19], f.w);
    float turn = dw_particle_between(given.params[20], given.params[21], h.x);
    float spin = dw_particle_between(given.params[22], given.params[23], h.y);
    uint has_way = dw_particle_mask(given.params[8] != 0.0f) |
                   dw_particle_mask(given.params[9] != 0.0f) |
                   dw_particle_mask(given.params[10] != 0.0f);
    float way_x = dw_particle_select(has_way, given.params[8], own.x);
    float way_y = dw_particle_select(has_way, given.params[9], own.y);
    float way_z = dw_particle_select(has_way, given.params[10], own.z);
    DW_PRECISE float way2 = dw_dot3(way_x, way_y, way_z, way_x, way_y, way_z) + 1e-12f;
    float per_way = dw_inverse_root(way2);
    DW_PRECISE float dx = way_x * per_way + given.params[11] * off.x;
    DW_PRECISE float dy = way_y * per_way + given.params[11] * off_y;
    DW_PRECISE float dz = way_z * per_way + given.params[11] * off.z;
    DW_PRECISE float length2 = dw_dot3(dx, dy, dz, dx, dy, dz) + 1e-12f;
    DW_PRECISE float fast = speed * dw_inverse_root(length2);
    DW_PRECISE float at2 = dw_dot3(at.x, at.y, at.z, at.x, at.y, at.z) + 1e-12f;
    DW_PRECISE float away = given.params[12] * dw_inverse_root(at2);
    DW_PRECISE float vx = fast * dx + away * at.x;
    DW_PRECISE float vy = fast * dy + away * at.y;
    DW_PRECISE float vz = fast * dz + away * at.z;
    DW_PRECISE float braked = given.params[16] * s;
    float pushed = dw_particle_pushed(braked);
    DW_PRECISE float eased = 1.0f - braked * pushed;
    DW_PRECISE float left = 1.0f - braked * eased;
    DW_PRECISE float way = s * eased;
    DW_PRECISE float push = s * s * pushed;
    DW_PRECISE float x = at.x + vx * way + given.params[13] * push;
    DW_PRECISE float y = at.y + vy * way + given.params[14] * push;
    DW_PRECISE float z = at.z + vz * way + given.params[15] * push;
    DW_PRECISE float now_x = vx * left + given.params[13] * way;
    DW_PRECISE float now_y = vy * left + given.params[14] * way;
    DW_PRECISE float now_z = vz * left + given.params[15] * way;
    DW_PRECISE float round = given.params[17] * s;
    DW_PRECISE float turned = turn + spin * s;
    float cos_a = dw_cos_turn(dw_particle_wound(round)),
          sin_a = dw_sin_turn(dw_particle_wound(round));
    DW_PRECISE float orbit_x = x * cos_a - z * sin_a;
    DW_PRECISE float orbit_z = x * sin_a + z * cos_a;
    dw_particle_motion m = dw_particle_on_side(side, orbit_x, y, orbit_z);
    dw_particle_motion now = dw_particle_on_side(side, now_x, now_y, now_z);

    m.size = large;
    m.opacity = given.fade;
    m.turn = dw_particle_wound(turned);
    m.axis = dw_particle_axis(now.x, now.y, now.z);
    return m;
}

#ifndef GL_core_profile
/* How far a speed of 1 and a force of 1 get in the longest life under drag. */
static inline void dw_particle_thrown(const dw_particle_part *p, double drag, double *way,
                                      double *push)
{
    double s = ((double)p->life_least + p->life_span) / DW_TICKS_PER_SECOND;
    double pushed = dw_particle_pushed((float)(drag * s));

    *way = s * (1.0 - drag * s * pushed + 1e-6);
    *push = s * s * (pushed + 1e-6);
}

static inline double dw_particle_size_of(double x)
{
    return x < 0.0 ? -x : x;
}

static inline void dw_particle_span_spray(const dw_particle_part *p, const double *around,
                                          double *span)
{
    const float *v = p->params;
    double speed = dw_particle_size_of((double)v[2] + v[3]), back = dw_particle_size_of(v[2]);
    double far, push, fall;

    (void)around;
    dw_particle_thrown(p, v[6], &far, &push);
    far *= speed > back ? speed : back;
    fall = v[7] * push;
    dw_particle_span_set(span, v[1] - v[0] - far - (fall > 0.0 ? fall : 0.0),
                         v[1] + v[0] + far - (fall < 0.0 ? fall : 0.0), v[0] + far,
                         ((double)v[8] + v[9]));
}

static inline void dw_particle_span_ballistic(const dw_particle_part *p, const double *around,
                                              double *span)
{
    const float *v = p->params;
    double most = dw_particle_size_of((double)v[6] + v[7]), back = dw_particle_size_of(v[6]);
    double speed = (most > back ? most : back) + dw_particle_size_of(v[12]);
    uint shape = dw_whole(v[0]) & 7u, side = dw_whole(v[0]) >> 3 & 7u;
    bool is_box = shape == 4u, is_surface = shape >= 6u;
    double wide = is_surface    ? around[DW_AROUND_FAR_RADIUS]
                  : shape == 0u ? 0.0
                                : v[1] + (is_box ? v[3] : 0.0);
    double tall = shape == 2u || shape == 3u ? v[1] : v[2];
    double low = is_surface ? around[DW_AROUND_FAR_LOW] : -tall;
    double high = is_surface ? around[DW_AROUND_FAR_HIGH] : tall;
    double across = dw_particle_size_of(v[13]) + dw_particle_size_of(v[15]);
    double up = dw_particle_size_of(v[14]), way, push;

    dw_particle_thrown(p, v[16], &way, &push);
    low -= speed * way + up * push;
    high += speed * way + up * push;
    wide += speed * way + across * push;
    if (side != 0u) { /* any way round */
        wide += high > -low ? high : -low;
        low = -wide;
        high = wide;
    }
    dw_particle_span_set(span, low, high, wide, (double)v[18] + v[19]);
}
#endif

#endif
