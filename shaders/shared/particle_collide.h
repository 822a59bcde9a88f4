/* SPDX-License-Identifier: MIT */
/* Solids that particles stay out of, however fast they are: the first one on a straight way, what
 * it does to the velocity, and the way out of it. Particles are kept DW_PARTICLE_SKIN and their own
 * radius away from surfaces. Normals and roots are made of + - *: they are the same everywhere.
 *
 * GLSL includers that have solids define DW_GROUND_HEIGHT(index) and DW_GROUND_COLLIDER(index), of
 * tables that they bind before; C is given them. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_COLLIDE_H
#define DW_SHARED_PARTICLE_COLLIDE_H

#include "shared/particle_forces.h"

#define DW_PARTICLE_SKIN    9.765625e-4f    /* m */
#define DW_PARTICLE_SLACK   6.103515625e-5f /* m: how far a way may end within the skin */
#define DW_PARTICLE_PRESSED 7.32421875e-4f  /* m: deeper in the skin it is pushed out */
#define DW_GROUND_NONE      -3e30f
#define DW_GROUND_LOOKS     32u /* places along a way at which heights are compared */
#define DW_GROUND_HALVINGS  8u
#define DW_PARTICLE_SHORT   5.9604644775390625e-8f /* m: ways below it are none */
#define DW_PARTICLE_NO_HIT  2.0f

/* The first solid on a way: `at` is the share of the way. */
#define DW_PARTICLE_HIT_FIELDS(F)                  \
    F(float, at, 0) /* DW_PARTICLE_NO_HIT: none */ \
    F(float, normal, 3)                            \
    F(float, bounce, 0)                            \
    F(float, friction, 0)                          \
    F(uint, flags, 0)

struct dw_particle_hit {
    DW_PARTICLE_HIT_FIELDS(DW_FIELD)
};

#ifdef GL_core_profile
#ifndef DW_GROUND_HEIGHT /* the includer has no solids */
#define DW_GROUND_HEIGHT(index)   DW_GROUND_NONE
#define DW_GROUND_COLLIDER(index) dw_particle_collider_none()
dw_particle_collider dw_particle_collider_none()
{
    dw_particle_collider none;

    none.kind = none.flags = 0u;
    none.bounce = none.friction = 0.0f;
    none.center[0] = none.center[1] = none.center[2] = 0.0f;
    none.size = none.axis_x = none.axis_y = none.axis_z = none.center;
    none.heights = none.columns = none.rows = 0u;
    return none;
}
#endif
#define DW_GROUND_PARAMETER
#define DW_GROUND_ARGUMENT
#else
typedef struct dw_particle_hit dw_particle_hit;

typedef struct {
    const dw_particle_collider *colliders;
    const float *heights;
} dw_particle_ground;

#define DW_GROUND_PARAMETER       , dw_particle_ground ground
#define DW_GROUND_ARGUMENT        , ground
#define DW_GROUND_HEIGHT(index)   ground.heights[index]
#define DW_GROUND_COLLIDER(index) ground.colliders[index]
#endif

DW_INLINE dw_particle_hit dw_particle_no_hit(dw_particle_collider c)
{
    dw_particle_hit hit;

    hit.at = DW_PARTICLE_NO_HIT;
    hit.normal[0] = hit.normal[1] = hit.normal[2] = 0.0f;
    hit.bounce = c.bounce;
    hit.friction = c.friction;
    hit.flags = c.flags;
    return hit;
}

DW_INLINE dw_particle_hit dw_particle_hit_at(dw_particle_collider c, float at,
                                             dw_particle_vector normal)
{
    dw_particle_hit hit = dw_particle_no_hit(c);
    float least = at > 0.0f ? at : 0.0f;

    hit.at = least < 1.0f ? least : 1.0f;
    hit.normal[0] = normal.x;
    hit.normal[1] = normal.y;
    hit.normal[2] = normal.z;
    return hit;
}

/* From the collider's centre, tidied so that products of products are normal. */
DW_INLINE dw_particle_vector dw_particle_from(dw_particle_collider c, dw_particle_vector p)
{
    DW_PRECISE float x = p.x - c.center[0];
    DW_PRECISE float y = p.y - c.center[1];
    DW_PRECISE float z = p.z - c.center[2];

    return dw_particle_tidied(dw_particle_vector_of(x, y, z));
}

DW_INLINE float dw_particle_short(float x)
{
    return x < DW_PARTICLE_SHORT && x > -DW_PARTICLE_SHORT ? 0.0f : x;
}

/* ---- planes ---- */

DW_INLINE float dw_particle_plane_distance(dw_particle_collider c, dw_particle_vector p,
                                           float reach)
{
    dw_particle_vector m = dw_particle_from(c, p);
    DW_PRECISE float distance =
        dw_dot3(m.x, m.y, m.z, c.axis_y[0], c.axis_y[1], c.axis_y[2]) - reach;

    return dw_particle_tidy(distance);
}

DW_INLINE dw_particle_hit dw_particle_hit_plane(dw_particle_collider c, dw_particle_vector p,
                                                dw_particle_vector d, float reach)
{
    float begin = dw_particle_plane_distance(c, p, reach);
    float toward = dw_particle_short(dw_dot3(d.x, d.y, d.z, c.axis_y[0], c.axis_y[1], c.axis_y[2]));
    DW_PRECISE float end = begin + toward;
    DW_PRECISE float at = begin * dw_inverse(toward < 0.0f ? -toward : 1.0f);

    if (toward >= 0.0f || end >= -DW_PARTICLE_SLACK)
        return dw_particle_no_hit(c);
    return dw_particle_hit_at(c, at, dw_particle_vector_of(c.axis_y[0], c.axis_y[1], c.axis_y[2]));
}

/* ---- spheres ---- */

/* Outward, of length 1; upward from the middle. */
DW_INLINE dw_particle_vector dw_particle_unit(dw_particle_vector m)
{
    float square = dw_particle_dot(m, m);

    if (square < 1e-12f)
        return dw_particle_vector_of(0.0f, 1.0f, 0.0f);
    return dw_particle_tidied(dw_particle_times(m, dw_inverse_root(square)));
}

DW_INLINE dw_particle_hit dw_particle_hit_sphere(dw_particle_collider c, dw_particle_vector p,
                                                 dw_particle_vector d, float reach)
{
    dw_particle_vector m = dw_particle_from(c, p);
    DW_PRECISE float outer = c.size[0] + reach;
    DW_PRECISE float inner = outer - DW_PARTICLE_SLACK;
    float along2 = dw_particle_dot(d, d);
    float toward = dw_particle_short(dw_particle_dot(m, d));
    DW_PRECISE float least = -toward * dw_inverse(along2 > 1e-14f ? along2 : 1.0f);
    dw_particle_vector nearest =
        dw_particle_tidied(dw_particle_add(m, d, least < 1.0f ? least : 1.0f));
    DW_PRECISE float inner2 = inner * inner;
    DW_PRECISE float outside = dw_particle_dot(m, m) - outer * outer;
    /* of the way's perpendicular, so that no large squares are subtracted */
    dw_particle_vector across = dw_particle_tidied(dw_particle_add(m, d, least));
    DW_PRECISE float chord2 = outer * outer - dw_particle_dot(across, across);
    DW_PRECISE float half_chord = dw_root(chord2 > 1e-12f ? chord2 : 1e-12f) *
                                  dw_inverse_root(along2 > 1e-14f ? along2 : 1.0f);
    DW_PRECISE float at = least - half_chord;

    if (along2 <= 1e-14f || toward >= 0.0f || dw_particle_dot(nearest, nearest) >= inner2)
        return dw_particle_no_hit(c);
    at = outside > 0.0f && at > 0.0f ? at : 0.0f;
    return dw_particle_hit_at(c, at, dw_particle_unit(dw_particle_add(m, d, at)));
}

/* ---- boxes ---- */

DW_INLINE dw_particle_vector dw_particle_in_box(dw_particle_collider c, dw_particle_vector m)
{
    float x = dw_dot3(m.x, m.y, m.z, c.axis_x[0], c.axis_x[1], c.axis_x[2]);
    float y = dw_dot3(m.x, m.y, m.z, c.axis_y[0], c.axis_y[1], c.axis_y[2]);
    float z = dw_dot3(m.x, m.y, m.z, c.axis_z[0], c.axis_z[1], c.axis_z[2]);

    return dw_particle_tidied(dw_particle_vector_of(x, y, z));
}

DW_INLINE float dw_particle_size(float x)
{
    return dw_float_from_bits(dw_bits_from_float(x) & 0x7fffffffu);
}

/* How deep a coordinate is between the two planes of an axis. */
DW_INLINE float dw_particle_depth(float x, float half_side, float reach)
{
    DW_PRECISE float depth = half_side + reach - dw_particle_size(x);

    return depth;
}

/* The shares of a way at which it enters and leaves what lies between two planes, in x and y. Ways
 * along them are in all the time, or never. */
DW_INLINE dw_particle_vector dw_particle_slab(float x, float d, float half_side)
{
    float way = dw_particle_short(d);
    float inverse = dw_inverse(way < 0.0f ? -way : way > 0.0f ? way : 1.0f);
    float forward = way < 0.0f ? -x : x;
    DW_PRECISE float enter = (-half_side - forward) * inverse;
    DW_PRECISE float leave = (half_side - forward) * inverse;
    bool is_in = dw_particle_size(x) < half_side;

    if (way != 0.0f)
        return dw_particle_vector_of(enter, leave, 0.0f);
    return dw_particle_vector_of(is_in ? -1e9f : 1e9f, is_in ? 1e9f : -1e9f, 0.0f);
}

/* An axis of the box, turned towards the side of x. */
DW_INLINE dw_particle_vector dw_particle_box_side(dw_particle_collider c, uint axis, float x)
{
    float sign = x < 0.0f ? -1.0f : 1.0f;

    if (axis == 0u)
        return dw_particle_times(dw_particle_vector_of(c.axis_x[0], c.axis_x[1], c.axis_x[2]),
                                 sign);
    if (axis == 1u)
        return dw_particle_times(dw_particle_vector_of(c.axis_y[0], c.axis_y[1], c.axis_y[2]),
                                 sign);
    return dw_particle_times(dw_particle_vector_of(c.axis_z[0], c.axis_z[1], c.axis_z[2]), sign);
}

/* The axis along which the way out of a box is the shortest. */
DW_INLINE uint dw_particle_box_axis(dw_particle_collider c, dw_particle_vector q)
{
    float x = dw_particle_depth(q.x, c.size[0], 0.0f);
    float y = dw_particle_depth(q.y, c.size[1], 0.0f);
    float z = dw_particle_depth(q.z, c.size[2], 0.0f);

    return y <= x && y <= z ? 1u : x <= z ? 0u : 2u;
}

DW_INLINE float dw_particle_part_of(dw_particle_vector v, uint axis)
{
    return axis == 0u ? v.x : axis == 1u ? v.y : v.z;
}

DW_INLINE dw_particle_hit dw_particle_hit_box(dw_particle_collider c, dw_particle_vector p,
                                              dw_particle_vector d, float reach)
{
    dw_particle_vector q = dw_particle_in_box(c, dw_particle_from(c, p));
    dw_particle_vector way = dw_particle_in_box(c, d);
    DW_PRECISE float inner = reach - DW_PARTICLE_SLACK;
    DW_PRECISE float half_x = c.size[0] + inner;
    DW_PRECISE float half_y = c.size[1] + inner;
    DW_PRECISE float half_z = c.size[2] + inner;
    dw_particle_vector x = dw_particle_slab(q.x, way.x, half_x);
    dw_particle_vector y = dw_particle_slab(q.y, way.y, half_y);
    dw_particle_vector z = dw_particle_slab(q.z, way.z, half_z);
    uint axis = x.x >= y.x && x.x >= z.x ? 0u : y.x >= z.x ? 1u : 2u;
    float enter = axis == 0u ? x.x : axis == 1u ? y.x : z.x;
    float leave = x.y < y.y ? (x.y < z.y ? x.y : z.y) : y.y < z.y ? y.y : z.y;
    float along = dw_particle_size(dw_particle_part_of(way, axis));
    DW_PRECISE float early = DW_PARTICLE_SLACK * dw_inverse(along > 1e-7f ? along : 1e-7f);
    DW_PRECISE float at = enter - early;

    if (enter > leave || enter > 1.0f || leave <= 0.0f)
        return dw_particle_no_hit(c);
    if (enter <= 0.0f && dw_particle_depth(q.x, half_x, 0.0f) > 0.0f &&
        dw_particle_depth(q.y, half_y, 0.0f) > 0.0f &&
        dw_particle_depth(q.z, half_z, 0.0f) > 0.0f) {
        axis = dw_particle_box_axis(c, q);
        return dw_particle_hit_at(c, 0.0f,
                                  dw_particle_box_side(c, axis, dw_particle_part_of(q, axis)));
    }
    return dw_particle_hit_at(c, at, dw_particle_box_side(c, axis, dw_particle_part_of(q, axis)));
}

/* ---- heightfields ---- */

/* The height in x, and its slopes along x and z in y and z; DW_GROUND_NONE beside the field. */
DW_INLINE dw_particle_vector dw_particle_height(dw_particle_collider c,
                                                dw_particle_vector p DW_GROUND_PARAMETER)
{
    DW_PRECISE float u = (p.x - c.center[0]) * c.size[0];
    DW_PRECISE float w = (p.z - c.center[2]) * c.size[2];
    float last_u = dw_float(c.columns - 1u), last_w = dw_float(c.rows - 1u);

    if (!(u >= 0.0f && u <= last_u && w >= 0.0f && w <= last_w))
        return dw_particle_vector_of(DW_GROUND_NONE, 0.0f, 0.0f);
    {
        uint column = DW_UINT(u) < c.columns - 2u ? DW_UINT(u) : c.columns - 2u;
        uint row = DW_UINT(w) < c.rows - 2u ? DW_UINT(w) : c.rows - 2u;
        uint first = c.heights + row * c.columns + column;
        float a = DW_GROUND_HEIGHT(first), b = DW_GROUND_HEIGHT(first + 1u);
        float e = DW_GROUND_HEIGHT(first + c.columns);
        float g = DW_GROUND_HEIGHT(first + c.columns + 1u);
        DW_PRECISE float share_u = u - dw_float(column);
        DW_PRECISE float share_w = w - dw_float(row);
        float near_ = dw_lerp(a, b, share_u), far_ = dw_lerp(e, g, share_u);
        DW_PRECISE float across = far_ - near_;
        DW_PRECISE float slope_z = across * c.size[2];
        DW_PRECISE float slope_x = dw_lerp(b - a, g - e, share_w) * c.size[0];
        DW_PRECISE float height = c.center[1] + dw_lerp(near_, far_, share_w);

        return dw_particle_vector_of(height, dw_particle_tidy(slope_x), dw_particle_tidy(slope_z));
    }
}

/* How high a place is above the ground; far above beside the field. */
DW_INLINE float dw_particle_clearance(dw_particle_collider c, dw_particle_vector p,
                                      float reach DW_GROUND_PARAMETER)
{
    DW_PRECISE float clearance = p.y - dw_particle_height(c, p DW_GROUND_ARGUMENT).x - reach;

    return clearance;
}

DW_INLINE dw_particle_vector dw_particle_ground_normal(dw_particle_vector height)
{
    return dw_particle_unit(dw_particle_vector_of(-height.y, 1.0f, -height.z));
}

DW_INLINE dw_particle_hit dw_particle_hit_ground(dw_particle_collider c, dw_particle_vector p,
                                                 dw_particle_vector d,
                                                 float reach DW_GROUND_PARAMETER)
{
    DW_PRECISE float cells =
        2.0f * (dw_particle_size(d.x) * c.size[0] + dw_particle_size(d.z) * c.size[2]);
    uint looks = cells < dw_float(DW_GROUND_LOOKS - 1u) ? DW_UINT(cells) + 1u : DW_GROUND_LOOKS;
    float each = dw_inverse(dw_float(looks)), low = 0.0f, high = 0.0f;
    bool is_under = false;

    if (dw_particle_clearance(c, p, reach DW_GROUND_ARGUMENT) < -DW_PARTICLE_SLACK)
        return dw_particle_hit_at(
            c, 0.0f, dw_particle_ground_normal(dw_particle_height(c, p DW_GROUND_ARGUMENT)));
    for (uint i = 1u; i <= looks && !is_under; i++) {
        DW_PRECISE float at = i == looks ? 1.0f : dw_float(i) * each;

        low = high;
        high = at;
        is_under = dw_particle_clearance(c, dw_particle_add(p, d, at), reach DW_GROUND_ARGUMENT) <
                   -DW_PARTICLE_SLACK;
    }
    if (!is_under)
        return dw_particle_no_hit(c);
    for (uint i = 0u; i < DW_GROUND_HALVINGS; i++) {
        DW_PRECISE float middle = 0.5f * (low + high);

        if (dw_particle_clearance(c, dw_particle_add(p, d, middle), reach DW_GROUND_ARGUMENT) <
            -DW_PARTICLE_SLACK)
            high = middle;
        else
            low = middle;
    }
    return dw_particle_hit_at(c, low,
                              dw_particle_ground_normal(dw_particle_height(
                                  c, dw_particle_add(p, d, low) DW_GROUND_ARGUMENT)));
}

/* ---- all of them ---- */

DW_INLINE dw_particle_hit dw_particle_hit_one(dw_particle_collider c, dw_particle_vector p,
                                              dw_particle_vector d, float reach DW_GROUND_PARAMETER)
{
    if (c.kind == DW_COLLIDER_PLANE)
        return dw_particle_hit_plane(c, p, d, reach);
    if (c.kind == DW_COLLIDER_SPHERE)
        return dw_particle_hit_sphere(c, p, d, reach);
    if (c.kind == DW_COLLIDER_BOX)
        return dw_particle_hit_box(c, p, d, reach);
    return dw_particle_hit_ground(c, p, d, reach DW_GROUND_ARGUMENT);
}

/* The first solid on the way from p to p + d. */
DW_INLINE dw_particle_hit dw_particle_first_hit(dw_particle_law law, dw_particle_vector p,
                                                dw_particle_vector d DW_GROUND_PARAMETER)
{
    DW_PRECISE float reach = law.radius + DW_PARTICLE_SKIN;
    dw_particle_hit first;

    first.at = DW_PARTICLE_NO_HIT;
    first.normal[0] = first.normal[1] = first.normal[2] = 0.0f;
    first.bounce = first.friction = 0.0f;
    first.flags = 0u;
    for (uint i = 0u; i < law.collider_count; i++) {
        dw_particle_hit hit = dw_particle_hit_one(DW_GROUND_COLLIDER(law.first_collider + i), p, d,
                                                  reach DW_GROUND_ARGUMENT);

        if (hit.at < first.at)
            first = hit;
    }
    return first;
}

/* Out of one solid, if p is in it. */
DW_INLINE dw_particle_vector dw_particle_push_out(dw_particle_collider c, dw_particle_vector p,
                                                  float reach DW_GROUND_PARAMETER)
{
    dw_particle_vector m = dw_particle_from(c, p), q, normal;
    DW_PRECISE float way = 0.0f;

    if (c.kind == DW_COLLIDER_PLANE) {
        way = -dw_particle_plane_distance(c, p, reach);
        normal = dw_particle_vector_of(c.axis_y[0], c.axis_y[1], c.axis_y[2]);
    } else if (c.kind == DW_COLLIDER_SPHERE) {
        normal = dw_particle_unit(m);
        way = c.size[0] + reach - dw_root(dw_particle_dot(m, m));
    } else if (c.kind == DW_COLLIDER_BOX) {
        uint axis;

        q = dw_particle_in_box(c, m);
        axis = dw_particle_box_axis(c, q);
        normal = dw_particle_box_side(c, axis, dw_particle_part_of(q, axis));
        way = dw_particle_depth(dw_particle_part_of(q, axis), c.size[axis], reach);
    } else {
        normal = dw_particle_vector_of(0.0f, 1.0f, 0.0f);
        way = -dw_particle_clearance(c, p, reach DW_GROUND_ARGUMENT);
    }
    if (!(way > DW_PARTICLE_PRESSED))
        return p;
    return dw_particle_add(p, normal, way);
}

DW_INLINE dw_particle_vector dw_particle_push_out_all(dw_particle_law law,
                                                      dw_particle_vector p DW_GROUND_PARAMETER)
{
    DW_PRECISE float reach = law.radius + DW_PARTICLE_SKIN;

    for (uint i = 0u; i < 2u * law.collider_count; i++) {
        uint index = i < law.collider_count ? i : i - law.collider_count;

        p = dw_particle_push_out(DW_GROUND_COLLIDER(law.first_collider + index), p,
                                 reach DW_GROUND_ARGUMENT);
    }
    return p;
}

/* The velocity after it met a surface: what goes into it comes back as far as it bounces, or not at
 * all where that would last less than `least`; what goes along it loses by Coulomb's friction. */
DW_INLINE dw_particle_vector dw_particle_meet(dw_particle_vector v, dw_particle_vector normal,
                                              float bounce, float friction, float least)
{
    float toward = dw_particle_short(dw_particle_dot(v, normal));
    DW_PRECISE float back = -toward * bounce;
    DW_PRECISE float kept = back > least ? back : 0.0f;
    DW_PRECISE float change = kept - toward;
    dw_particle_vector along = dw_particle_tidied(dw_particle_add(v, normal, -toward));
    DW_PRECISE float along2 = dw_particle_dot(along, along);
    DW_PRECISE float lost = friction * change * dw_inverse_root(along2 > 1e-12f ? along2 : 1e-12f);
    DW_PRECISE float left = lost < 1.0f ? 1.0f - lost : 0.0f;

    if (toward >= 0.0f)
        return v;
    return dw_particle_tidied(dw_particle_add(dw_particle_times(along, left), normal, kept));
}

#endif
