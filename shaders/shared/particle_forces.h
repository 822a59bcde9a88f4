/* SPDX-License-Identifier: MIT */
/* What moves particles that remember where they are: gravity, air that drags them along (wind and
 * eddies), a point that pulls. Over a span of time in which these are constant the way is known in
 * closed form, however strong the drag. Lengths in m, times in s.
 *
 * Coordinates below DW_PARTICLE_TINY become 0 and stay below DW_PARTICLE_FAR, so that no product
 * here is subnormal or infinite. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_PARTICLE_FORCES_H
#define DW_SHARED_PARTICLE_FORCES_H

#include "shared/particle_law.h"

#define DW_PARTICLE_TINY 9.094947017729282e-13f /* 2^-40 */
#define DW_PARTICLE_FAR  1e6f                   /* m, m/s: what gets there dies */

#define DW_PARTICLE_VECTOR_FIELDS(F) \
    F(float, x, 0)                   \
    F(float, y, 0)                   \
    F(float, z, 0)

/* Where a way leads to. */
#define DW_PARTICLE_FLIGHT_FIELDS(F) \
    F(float, step, 3)                \
    F(float, velocity, 3)

struct dw_particle_vector {
    DW_PARTICLE_VECTOR_FIELDS(DW_FIELD)
};

struct dw_particle_flight {
    DW_PARTICLE_FLIGHT_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_particle_vector dw_particle_vector;
typedef struct dw_particle_flight dw_particle_flight;
#endif

/* ---- vectors ---- */

DW_INLINE float dw_particle_tidy(float x)
{
    return x < DW_PARTICLE_TINY && x > -DW_PARTICLE_TINY ? 0.0f : x;
}

DW_INLINE dw_particle_vector dw_particle_vector_of(float x, float y, float z)
{
    dw_particle_vector v;

    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

/* a + b s */
DW_INLINE dw_particle_vector dw_particle_add(dw_particle_vector a, dw_particle_vector b, float s)
{
    DW_PRECISE float x = b.x * s;
    DW_PRECISE float y = b.y * s;
    DW_PRECISE float z = b.z * s;
    DW_PRECISE float sum_x = a.x + x;
    DW_PRECISE float sum_y = a.y + y;
    DW_PRECISE float sum_z = a.z + z;

    return dw_particle_vector_of(sum_x, sum_y, sum_z);
}

DW_INLINE dw_particle_vector dw_particle_times(dw_particle_vector a, float s)
{
    DW_PRECISE float x = a.x * s;
    DW_PRECISE float y = a.y * s;
    DW_PRECISE float z = a.z * s;

    return dw_particle_vector_of(x, y, z);
}

DW_INLINE float dw_particle_dot(dw_particle_vector a, dw_particle_vector b)
{
    return dw_dot3(a.x, a.y, a.z, b.x, b.y, b.z);
}

DW_INLINE dw_particle_vector dw_particle_tidied(dw_particle_vector a)
{
    return dw_particle_vector_of(dw_particle_tidy(a.x), dw_particle_tidy(a.y),
                                 dw_particle_tidy(a.z));
}

/* ---- a flight ---- */

/* (y - 1 + e^-y) / y^2 for y >= 0: half of it is left of a constant push's way when the drag is y.
 */
DW_INLINE float dw_particle_lag(float y)
{
    if (y < 0.5f) {
        DW_PRECISE float p6 = 2.48015873e-5f * y - 1.98412698e-4f;
        DW_PRECISE float p5 = p6 * y + 1.38888889e-3f;
        DW_PRECISE float p4 = p5 * y - 8.33333333e-3f;
        DW_PRECISE float p3 = p4 * y + 4.16666667e-2f;
        DW_PRECISE float p2 = p3 * y - 1.66666667e-1f;
        DW_PRECISE float p1 = p2 * y + 0.5f;

        return p1;
    } else {
        float inverse = dw_inverse(y);
        DW_PRECISE float turns = y * -1.44269504f;
        DW_PRECISE float gone = 1.0f - dw_power_of_two(turns);
        DW_PRECISE float mean = gone * inverse;
        DW_PRECISE float rest = 1.0f - mean;
        DW_PRECISE float lag = rest * inverse;

        return lag;
    }
}

/* Along one axis: x is the way, y the velocity. lag: of drag times seconds. */
DW_INLINE dw_particle_vector dw_particle_fly_axis(float velocity, float air, float push, float y,
                                                  float lag, float seconds)
{
    DW_PRECISE float faded = y * lag;
    DW_PRECISE float mean = 1.0f - faded; /* of e^-y */
    DW_PRECISE float lost = y * mean;
    DW_PRECISE float left = 1.0f - lost; /* e^-y */
    DW_PRECISE float against = velocity - air;
    DW_PRECISE float pushed = push * seconds;
    DW_PRECISE float kept = against * left;
    DW_PRECISE float gained = pushed * mean;
    DW_PRECISE float blown = air + kept;
    DW_PRECISE float next = blown + gained;
    DW_PRECISE float coasted = against * mean;
    DW_PRECISE float fallen = pushed * lag;
    DW_PRECISE float carried = air + coasted;
    DW_PRECISE float rate = carried + fallen;
    DW_PRECISE float way = rate * seconds;

    return dw_particle_vector_of(dw_particle_tidy(way), dw_particle_tidy(next), 0.0f);
}

/* The way and the velocity after `seconds` of a constant push and a drag towards the air's
 * velocity. */
DW_INLINE dw_particle_flight dw_particle_fly(dw_particle_vector velocity, dw_particle_vector air,
                                             dw_particle_vector push, float drag, float seconds)
{
    DW_PRECISE float spent = drag * seconds;
    float y = dw_particle_tidy(spent);
    float lag = dw_particle_lag(y);
    dw_particle_vector along_x = dw_particle_fly_axis(velocity.x, air.x, push.x, y, lag, seconds);
    dw_particle_vector along_y = dw_particle_fly_axis(velocity.y, air.y, push.y, y, lag, seconds);
    dw_particle_vector along_z = dw_particle_fly_axis(velocity.z, air.z, push.z, y, lag, seconds);
    dw_particle_flight f;

    f.step[0] = along_x.x;
    f.step[1] = along_y.x;
    f.step[2] = along_z.x;
    f.velocity[0] = along_x.y;
    f.velocity[1] = along_y.y;
    f.velocity[2] = along_z.y;
    return f;
}

/* ---- eddies ---- */

/* -1, 0 or 1: component `axis` of the way to a middle of an edge of a cube. */
DW_INLINE float dw_particle_edge(uint word, uint axis)
{
    float side = (word >> axis & 1u) != 0u ? 1.0f : -1.0f;

    return dw_particle_pick(3u, word) == axis ? 0.0f : side;
}

/* f^3 (10 - 15 f + 6 f^2): from 0 to 1, twice smooth. */
DW_INLINE float dw_particle_ease(float f)
{
    DW_PRECISE float inner = 6.0f * f - 15.0f;
    DW_PRECISE float outer = inner * f + 10.0f;
    DW_PRECISE float cube = f * f * f;
    DW_PRECISE float ease = cube * outer;

    return ease < 5.9604644775390625e-8f ? 0.0f : ease;
}

/* Its slope, 30 f^2 (1 - f)^2. */
DW_INLINE float dw_particle_ease_slope(float f)
{
    DW_PRECISE float rest = 1.0f - f;
    DW_PRECISE float arc = f * rest;
    DW_PRECISE float slope = 30.0f * arc * arc;

    return slope < 5.9604644775390625e-8f ? 0.0f : slope;
}

/* What one corner of a cell adds to the curl. d: from the corner; weight, slope: of it. */
DW_INLINE dw_particle_vector dw_particle_eddy(dw_particle_words h, dw_particle_vector d,
                                              float weight, dw_particle_vector slope)
{
    float ax = dw_particle_edge(h.x, 0u), ay = dw_particle_edge(h.x, 1u);
    float az = dw_particle_edge(h.x, 2u), bx = dw_particle_edge(h.y, 0u);
    float by = dw_particle_edge(h.y, 1u), bz = dw_particle_edge(h.y, 2u);
    float cx = dw_particle_edge(h.z, 0u), cy = dw_particle_edge(h.z, 1u);
    float cz = dw_particle_edge(h.z, 2u);
    float a = dw_dot3(ax, ay, az, d.x, d.y, d.z); /* the potential's components */
    float b = dw_dot3(bx, by, bz, d.x, d.y, d.z);
    float c = dw_dot3(cx, cy, cz, d.x, d.y, d.z);
    DW_PRECISE float x = (slope.y * c - slope.z * b) + weight * (cy - bz);
    DW_PRECISE float y = (slope.z * a - slope.x * c) + weight * (az - cx);
    DW_PRECISE float z = (slope.x * b - slope.y * a) + weight * (bx - ay);

    return dw_particle_vector_of(x, y, z);
}

/* Of a coordinate in eddies and a drift in 2^-24 of one: cells, which repeat after 256. */
DW_INLINE float dw_particle_drifted(float x, float scale, uint drift)
{
    DW_PRECISE float shift = dw_float(drift & 0xffffffu) * 5.9604644775390625e-8f;
    DW_PRECISE float scaled = x * scale;
    DW_PRECISE float at = scaled + shift;

    return at;
}

/* An air without sources, of a speed about 1: the curl of a gradient noise. Places are in eddies,
 * |x| < 2^30. */
DW_INLINE dw_particle_vector dw_particle_curl(dw_particle_vector at, uint cell_x, uint cell_y,
                                              uint cell_z)
{
    dw_particle_vector sum = dw_particle_vector_of(0.0f, 0.0f, 0.0f);
    float floor_x = dw_floor(at.x), floor_y = dw_floor(at.y), floor_z = dw_floor(at.z);
    DW_PRECISE float fx = at.x - floor_x;
    DW_PRECISE float fy = at.y - floor_y;
    DW_PRECISE float fz = at.z - floor_z;
    float ease_x = dw_particle_ease(fx), ease_y = dw_particle_ease(fy);
    float ease_z = dw_particle_ease(fz), slope_x = dw_particle_ease_slope(fx);
    float slope_y = dw_particle_ease_slope(fy), slope_z = dw_particle_ease_slope(fz);

    for (uint corner = 0u; corner < 8u; corner++) {
        bool is_x = (corner & 1u) != 0u, is_y = (corner & 2u) != 0u, is_z = (corner & 4u) != 0u;
        DW_PRECISE float dx = fx - (is_x ? 1.0f : 0.0f);
        DW_PRECISE float dy = fy - (is_y ? 1.0f : 0.0f);
        DW_PRECISE float dz = fz - (is_z ? 1.0f : 0.0f);
        DW_PRECISE float wx = is_x ? ease_x : 1.0f - ease_x;
        DW_PRECISE float wy = is_y ? ease_y : 1.0f - ease_y;
        DW_PRECISE float wz = is_z ? ease_z : 1.0f - ease_z;
        DW_PRECISE float sx = (is_x ? slope_x : -slope_x) * wy * wz;
        DW_PRECISE float sy = wx * (is_y ? slope_y : -slope_y) * wz;
        DW_PRECISE float sz = wx * wy * (is_z ? slope_z : -slope_z);
        DW_PRECISE float weight = wx * wy * wz;
        dw_particle_words h;

        h.x = (cell_x + DW_UINT(DW_INT(floor_x)) + (corner & 1u)) & 255u;
        h.y = (cell_y + DW_UINT(DW_INT(floor_y)) + (corner >> 1 & 1u)) & 255u;
        h.z = (cell_z + DW_UINT(DW_INT(floor_z)) + (corner >> 2 & 1u)) & 255u;
        h.w = 0x9e3779b9u;
        sum = dw_particle_add(
            sum,
            dw_particle_eddy(dw_pcg4d(h), dw_particle_tidied(dw_particle_vector_of(dx, dy, dz)),
                             weight, dw_particle_vector_of(sx, sy, sz)),
            1.0f);
    }
    return sum;
}

/* The velocity of the air at a place and a tick of the row. */
DW_INLINE dw_particle_vector dw_particle_air(dw_particle_law law, dw_particle_vector at, uint tick)
{
    dw_particle_vector wind = dw_particle_vector_of(law.wind[0], law.wind[1], law.wind[2]);
    uint drift_x = tick * law.noise_drift[0], drift_y = tick * law.noise_drift[1];
    uint drift_z = tick * law.noise_drift[2];
    dw_particle_vector place;

    if (law.noise == 0.0f)
        return wind;
    place.x = dw_particle_drifted(at.x, law.noise_scale, drift_x);
    place.y = dw_particle_drifted(at.y, law.noise_scale, drift_y);
    place.z = dw_particle_drifted(at.z, law.noise_scale, drift_z);
    return dw_particle_tidied(dw_particle_add(
        wind, dw_particle_curl(place, drift_x >> 24, drift_y >> 24, drift_z >> 24), law.noise));
}

/* ---- what pushes ---- */

/* Gravity, and the attractor around `middle`: pull reach^2 / (distance^2 + reach^2). */
DW_INLINE dw_particle_vector dw_particle_force(dw_particle_law law, dw_particle_vector at,
                                               dw_particle_vector middle)
{
    dw_particle_vector gravity =
        dw_particle_vector_of(law.gravity[0], law.gravity[1], law.gravity[2]);

    if (law.pull == 0.0f)
        return gravity;
    {
        dw_particle_vector to = dw_particle_tidied(dw_particle_add(middle, at, -1.0f));
        DW_PRECISE float reach2 = law.pull_reach * law.pull_reach;
        DW_PRECISE float far2 = dw_particle_dot(to, to);
        DW_PRECISE float soft2 = far2 + reach2;
        DW_PRECISE float most = law.pull * reach2;
        DW_PRECISE float core2 = far2 + 0.015625f * reach2 + 1e-12f; /* a spring at the middle */
        DW_PRECISE float fall = most * dw_inverse(soft2);
        DW_PRECISE float share = fall * dw_inverse_root(core2);

        return dw_particle_tidied(dw_particle_add(gravity, to, share));
    }
}

#endif
