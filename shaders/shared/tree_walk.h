/* SPDX-License-Identifier: MIT */
/* A ray against the boxes of a tree: never passes by a box that holds a hit of tree_ray.h.
 *
 * The way along a ray is measured in units of the mesh along the direction's largest component:
 * all is then of the order of 1, whatever the sizes of mesh and direction. A component of no
 * length counts as 2^-26. Boxes are widened by what triangles, planes and slopes may be off: with
 * R the distance from the origin to the farthest corner of the grid, 2^-21 R for hits, three units
 * in the last place for slopes, 2^-22 R for the sums here, 2^-26 R for lengthened components: in
 * all less than 2^-19 R; and two units in the last place of coordinates, since planes here are
 * not rounded. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TREE_WALK_H
#define DW_SHARED_TREE_WALK_H

#include "shared/tree_ray.h"

#define DW_TREE_WALK_PAD    1.9073486328125e-6f    /* 2^-19 of the farthest distance */
#define DW_TREE_PLANE_PAD   2.384185791015625e-7f  /* 2^-22 of the largest coordinate */
#define DW_TREE_SLOPE_LEAST 1.4901161193847656e-8f /* 2^-26 */

/* Along axis i the ray is at plane q at q * factor[i] + near[i], widened towards it, and at
 * q * factor[i] + far[i], widened away from it. At a float plane x it is at
 * dw_tree_ray_offset(x, origin[i], scale) * inverse[i], less or more widening[i]. */
#define DW_TREE_WALK_FIELDS(F)                                                        \
    F(float, factor, 3)                                                               \
    F(float, near, 3)                                                                 \
    F(float, far, 3)                                                                  \
    F(float, inverse, 3)                                                              \
    F(float, widening, 3)                                                             \
    F(float, per_t, 0)     /* from t to the way along the ray; 0: t bounds nothing */ \
    F(float, slack, 0)     /* of bounds by t */                                       \
    F(uint, is_hitting, 0) /* 0: the ray hits nothing */

struct dw_tree_walk {
    DW_TREE_WALK_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_tree_walk dw_tree_walk;
#endif

/* A row of a 3 x 4 matrix times a point (w 1) or a direction (w 0). */
DW_INLINE float dw_tree_transform(float m0, float m1, float m2, float m3, float x, float y, float z,
                                  float w)
{
    DW_PRECISE float moved = m3 * w;
    DW_PRECISE float sum = dw_dot3(m0, m1, m2, x, y, z) + moved;

    return sum;
}

DW_INLINE float dw_tree_size(float x)
{
    return dw_float_from_bits(dw_bits_from_float(x) & 0x7fffffffu);
}

/* 1 / slope, of a slope that is at least 2^-26. */
DW_INLINE float dw_tree_slope_inverse(float slope)
{
    float least = slope < 0.0f ? -DW_TREE_SLOPE_LEAST : DW_TREE_SLOPE_LEAST;

    return dw_inverse(dw_tree_size(slope) < DW_TREE_SLOPE_LEAST ? least : slope);
}

/* The farthest that a plane of an axis lies from the ray's origin. */
DW_INLINE float dw_tree_walk_reach(float offset, float extent)
{
    DW_PRECISE float end = offset + extent;
    float a = dw_tree_size(offset), b = dw_tree_size(end);

    return a > b ? a : b;
}

DW_INLINE dw_tree_walk dw_tree_walk_of(dw_tree_ray ray, dw_tree_frame frame)
{
    dw_tree_walk walk;
    float reach = 0.0f, coordinate = 0.0f, pad, forward;
    float offset[3];
    uint x_axis, y_axis;

    walk.per_t = walk.slack = 0.0f;
    walk.is_hitting = 0u;
    for (uint i = 0u; i < 3u; i++) {
        DW_PRECISE float unit = frame.step[i] * frame.scale;
        DW_PRECISE float extent = 65535.0f * unit;
        DW_PRECISE float from = frame.origin[i] * frame.scale;
        float way, place;

        offset[i] = dw_tree_ray_offset(frame.origin[i], ray.origin[i], frame.scale);
        way = dw_tree_walk_reach(offset[i], extent);
        place = dw_tree_walk_reach(from, extent);
        reach = way > reach ? way : reach;
        coordinate = place > coordinate ? place : coordinate;
        walk.factor[i] = unit;
        walk.near[i] = walk.far[i] = walk.inverse[i] = walk.widening[i] = 0.0f;
    }
    if (ray.axis == 3u || ray.t_scale == 0.0f || frame.is_empty != 0u ||
        !dw_is_finite_bits(dw_bits_from_float(reach)))
        return walk;
    forward = ray.t_scale < 0.0f ? -1.0f : 1.0f;
    x_axis = ray.axis == 2u ? 0u : ray.axis + 1u;
    y_axis = ray.axis == 0u ? 2u : ray.axis - 1u;
    walk.inverse[ray.axis] = forward;
    {
        DW_PRECISE float slope_x = ray.shear_x * -forward;
        DW_PRECISE float slope_y = ray.shear_y * -forward;
        DW_PRECISE float for_hits = reach * DW_TREE_WALK_PAD;
        DW_PRECISE float for_planes = coordinate * DW_TREE_PLANE_PAD;
        DW_PRECISE float both = for_hits + for_planes;

        walk.inverse[x_axis] = dw_tree_slope_inverse(slope_x);
        walk.inverse[y_axis] = dw_tree_slope_inverse(slope_y);
        pad = both;
    }
    for (uint i = 0u; i < 3u; i++) {
        DW_PRECISE float widening = pad * dw_tree_size(walk.inverse[i]);
        DW_PRECISE float from = offset[i] * walk.inverse[i];
        DW_PRECISE float near = from - widening;
        DW_PRECISE float far = from + widening;
        DW_PRECISE float factor = walk.factor[i] * walk.inverse[i];

        walk.widening[i] = widening;
        walk.near[i] = near;
        walk.far[i] = far;
        walk.factor[i] = factor;
    }
    {
        float size = dw_tree_size(ray.t_scale);
        DW_PRECISE float slack = pad * 4.0f;

        walk.slack = slack;
        if (size > 7.888609052210118e-31f && size < 1.2676506e30f) /* 2^-100 to 2^100 */
            walk.per_t = dw_inverse(size);
    }
    walk.is_hitting = 1u;
    return walk;
}

/* How far along the ray a box may begin and still hold a hit at or before t. */
DW_INLINE float dw_tree_walk_end(dw_tree_walk walk, float t)
{
    DW_PRECISE float way = t * walk.per_t;
    DW_PRECISE float part = dw_tree_size(way) * 9.5367431640625e-7f; /* 2^-20 */
    DW_PRECISE float rounded = way + part;
    DW_PRECISE float end = rounded + walk.slack;

    return walk.per_t == 0.0f || !dw_is_finite_bits(dw_bits_from_float(t)) ? 3.4028235e38f : end;
}

/* How far along the ray a box may end and still hold a hit at or after t. */
DW_INLINE float dw_tree_walk_begin(dw_tree_walk walk, float t)
{
    DW_PRECISE float way = t * walk.per_t;
    DW_PRECISE float part = dw_tree_size(way) * 9.5367431640625e-7f;
    DW_PRECISE float rounded = way - part;
    DW_PRECISE float begin = rounded - walk.slack;

    return walk.per_t == 0.0f || !dw_is_finite_bits(dw_bits_from_float(t)) ? -3.4028235e38f : begin;
}

/* Where the ray comes to a plane of a quantized box: the nearer (low where it runs upwards), or
 * the farther one. */
DW_INLINE float dw_tree_walk_near(dw_tree_walk walk, uint axis, uint planes)
{
    uint q = walk.inverse[axis] < 0.0f ? planes >> 16 : planes & 0xffffu;
    DW_PRECISE float way = dw_float(q) * walk.factor[axis];
    DW_PRECISE float place = way + walk.near[axis];

    return place;
}

DW_INLINE float dw_tree_walk_far(dw_tree_walk walk, uint axis, uint planes)
{
    uint q = walk.inverse[axis] < 0.0f ? planes & 0xffffu : planes >> 16;
    DW_PRECISE float way = dw_float(q) * walk.factor[axis];
    DW_PRECISE float place = way + walk.far[axis];

    return place;
}

/* The same for a float plane. */
DW_INLINE float dw_tree_walk_at(dw_tree_walk walk, dw_tree_ray ray, uint axis, float plane)
{
    DW_PRECISE float place =
        dw_tree_ray_offset(plane, ray.origin[axis], ray.scale) * walk.inverse[axis];

    return place;
}

#endif
