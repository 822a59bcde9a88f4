/* SPDX-License-Identifier: MIT */
/* A ray against a triangle, watertight (Woop, Benthin, Wald 2013), in precise steps: the same hit
 * to the bit on every device and in any order of a walk.
 *
 * Vertices are taken from the ray's origin on, in units of the mesh, so that products neither
 * overflow nor become subnormal, and sheared so that the ray runs along one axis. Rounding may make
 * an edge's function 0, never of the wrong sign, and 0 counts as inside: no ray slips between two
 * triangles that share an edge. The way of a hit's point from its true place across the ray is less
 * than 2^-21 of the farthest vertex' distance from the origin: widen boxes by DW_TREE_RAY_PAD of
 * that, and no walk loses a hit. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TREE_RAY_H
#define DW_SHARED_TREE_RAY_H

#include "shared/tree.h"

#define DW_TREE_RAY_PAD 9.5367431640625e-7f /* 2^-20 */

/* A ray as the triangles of one mesh meet it. */
#define DW_TREE_RAY_FIELDS(F)                                       \
    F(float, origin, 3)                                             \
    F(float, scale, 0)   /* of the mesh's frame */                  \
    F(float, shear_x, 0) /* along the axis after `axis`, negated */ \
    F(float, shear_y, 0) /* along the axis before `axis` */         \
    F(float, t_scale, 0) /* from units along `axis` to t */         \
    F(uint, axis, 0)     /* of the direction's largest component; 3: the ray hits nothing */

struct dw_tree_ray {
    DW_TREE_RAY_FIELDS(DW_FIELD)
};

#define DW_TREE_HIT_FIELDS(F)                               \
    F(float, t, 0)                                          \
    F(float, u, 0) /* weights of second and third vertex */ \
    F(float, v, 0)                                          \
    F(uint, is_hit, 0)

struct dw_tree_hit {
    DW_TREE_HIT_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_tree_ray dw_tree_ray;
typedef struct dw_tree_hit dw_tree_hit;
#endif

/* Component `axis`, modulo 3, of a vector. */
DW_INLINE float dw_tree_component(float x, float y, float z, uint axis)
{
    return axis == 0u || axis == 3u ? x : axis == 1u || axis == 4u ? y : z;
}

/* The axis of the largest component, the first of equals; 3 when none is normal. All are finite. */
DW_INLINE uint dw_tree_main_axis(float x, float y, float z)
{
    uint a = dw_bits_from_float(x) & 0x7fffffffu;
    uint b = dw_bits_from_float(y) & 0x7fffffffu;
    uint c = dw_bits_from_float(z) & 0x7fffffffu;
    uint most = a >= b ? a : b;

    if (most < 0x00800000u && c < 0x00800000u)
        return 3u;
    return c > most ? 2u : a >= b ? 0u : 1u;
}

/* The ray for a mesh whose frame has that scale; what is not finite, and directions of no length,
 * give a ray that hits nothing. */
DW_INLINE dw_tree_ray dw_tree_ray_of(float ox, float oy, float oz, float dx, float dy, float dz,
                                     float scale)
{
    dw_tree_ray ray;
    uint main, field;
    float factor, reciprocal;
    bool is_finite =
        dw_is_finite_bits(dw_bits_from_float(ox)) && dw_is_finite_bits(dw_bits_from_float(oy)) &&
        dw_is_finite_bits(dw_bits_from_float(oz)) && dw_is_finite_bits(dw_bits_from_float(dx)) &&
        dw_is_finite_bits(dw_bits_from_float(dy)) && dw_is_finite_bits(dw_bits_from_float(dz));

    ray.origin[0] = dw_flush(ox);
    ray.origin[1] = dw_flush(oy);
    ray.origin[2] = dw_flush(oz);
    ray.scale = scale;
    ray.shear_x = ray.shear_y = ray.t_scale = 0.0f;
    ray.axis = 3u;
    main = is_finite ? dw_tree_main_axis(dx, dy, dz) : 3u;
    if (main == 3u)
        return ray;
    ray.axis = main;
    /* by a power of two the largest component comes into 1..4: no shear is ever subnormal */
    field = dw_bits_from_float(dw_tree_component(dx, dy, dz, main)) >> 23 & 255u;
    factor = dw_float_from_bits((254u - (field < 253u ? field : 253u)) << 23);
    {
        DW_PRECISE float along = dw_tree_component(dx, dy, dz, main) * factor;
        DW_PRECISE float next = dw_flush(dw_tree_component(dx, dy, dz, main + 1u)) * factor;
        DW_PRECISE float last = dw_flush(dw_tree_component(dx, dy, dz, main + 2u)) * factor;
        DW_PRECISE float back =
            factor * dw_float_from_bits(0x7f000000u - dw_bits_from_float(scale));

        reciprocal = dw_inverse(along);
        {
            DW_PRECISE float shear_x = -next * reciprocal;
            DW_PRECISE float shear_y = -last * reciprocal;
            DW_PRECISE float t_scale = back * reciprocal;

            ray.shear_x = dw_flush(shear_x);
            ray.shear_y = dw_flush(shear_y);
            ray.t_scale = dw_flush(t_scale);
        }
    }
    return ray;
}

/* A coordinate from the ray's origin on, in units of the mesh. */
DW_INLINE float dw_tree_ray_offset(float x, float origin, float scale)
{
    DW_PRECISE float offset = x - origin;
    DW_PRECISE float unit = offset * scale;

    return unit;
}

DW_INLINE float dw_tree_ray_shear(float across, float shear, float along)
{
    DW_PRECISE float part = shear * along;
    DW_PRECISE float sheared = across + part;

    return sheared;
}

/* Twice the signed area of the origin, a and b. */
DW_INLINE float dw_tree_ray_edge(float ax, float ay, float bx, float by)
{
    DW_PRECISE float left = ax * by;
    DW_PRECISE float right = ay * bx;
    DW_PRECISE float edge = left - right;

    return edge;
}

/* The hit of a triangle whose vertices are in range, and as dw_tree_coordinate gives them, at any
 * finite t. Both sides count. A triangle seen from its edge, or without area, is not hit. */
DW_INLINE dw_tree_hit dw_tree_ray_hit(dw_tree_ray ray, float ax, float ay, float az, float bx,
                                      float by, float bz, float cx, float cy, float cz)
{
    float ox = dw_tree_component(ray.origin[0], ray.origin[1], ray.origin[2], ray.axis + 1u);
    float oy = dw_tree_component(ray.origin[0], ray.origin[1], ray.origin[2], ray.axis + 2u);
    float oz = dw_tree_component(ray.origin[0], ray.origin[1], ray.origin[2], ray.axis);
    float along_a = dw_tree_ray_offset(dw_tree_component(ax, ay, az, ray.axis), oz, ray.scale);
    float along_b = dw_tree_ray_offset(dw_tree_component(bx, by, bz, ray.axis), oz, ray.scale);
    float along_c = dw_tree_ray_offset(dw_tree_component(cx, cy, cz, ray.axis), oz, ray.scale);
    float a_x = dw_tree_ray_shear(
        dw_tree_ray_offset(dw_tree_component(ax, ay, az, ray.axis + 1u), ox, ray.scale),
        ray.shear_x, along_a);
    float a_y = dw_tree_ray_shear(
        dw_tree_ray_offset(dw_tree_component(ax, ay, az, ray.axis + 2u), oy, ray.scale),
        ray.shear_y, along_a);
    float b_x = dw_tree_ray_shear(
        dw_tree_ray_offset(dw_tree_component(bx, by, bz, ray.axis + 1u), ox, ray.scale),
        ray.shear_x, along_b);
    float b_y = dw_tree_ray_shear(
        dw_tree_ray_offset(dw_tree_component(bx, by, bz, ray.axis + 2u), oy, ray.scale),
        ray.shear_y, along_b);
    float c_x = dw_tree_ray_shear(
        dw_tree_ray_offset(dw_tree_component(cx, cy, cz, ray.axis + 1u), ox, ray.scale),
        ray.shear_x, along_c);
    float c_y = dw_tree_ray_shear(
        dw_tree_ray_offset(dw_tree_component(cx, cy, cz, ray.axis + 2u), oy, ray.scale),
        ray.shear_y, along_c);
    float u = dw_tree_ray_edge(c_x, c_y, b_x, b_y);
    float v = dw_tree_ray_edge(a_x, a_y, c_x, c_y);
    float w = dw_tree_ray_edge(b_x, b_y, a_x, a_y);
    DW_PRECISE float both = u + v;
    DW_PRECISE float area = both + w;
    uint size = dw_bits_from_float(area) & 0x7fffffffu;
    dw_tree_hit hit;

    hit.t = hit.u = hit.v = 0.0f;
    hit.is_hit = 0u;
    if ((u < 0.0f || v < 0.0f || w < 0.0f) && (u > 0.0f || v > 0.0f || w > 0.0f))
        return hit;
    if (size < 0x05000000u || size > 0x7a000000u) /* 2^-117 to 2^117; NaN is beyond */
        return hit;
    {
        float reciprocal = dw_inverse(area);
        DW_PRECISE float first = u * reciprocal;
        DW_PRECISE float second = v * reciprocal;
        DW_PRECISE float third = w * reciprocal;
        /* weights first: areas times ways may be subnormal */
        DW_PRECISE float t = dw_dot3(first, second, third, along_a, along_b, along_c) * ray.t_scale;

        if (!dw_is_finite_bits(dw_bits_from_float(t)))
            return hit;
        hit.t = t;
        hit.u = second;
        hit.v = third;
        hit.is_hit = 1u;
    }
    return hit;
}

#endif
