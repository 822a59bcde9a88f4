/* SPDX-License-Identifier: MIT */
/* A ray against several triangles at once: dw_tree_ray_hit, lane by lane, in loops that compilers
 * turn into vector instructions.
 * Thread-safety: Safe; no state. */
#ifndef DW_CPU_TREE_TRIANGLE_H
#define DW_CPU_TREE_TRIANGLE_H

#include "cpu/tree.h"
#include "shared/tree_ray.h"

#define DW_TRIANGLE_LANES 16

/* A ray's numbers in the order of its axes: across, across, along. */
typedef struct dw_lane_ray {
    float origin[3];
    float scale, shear_x, shear_y, t_scale;
    uint32_t axis[3];
} dw_lane_ray;

typedef struct dw_lane_hits {
    float t[DW_TRIANGLE_LANES], u[DW_TRIANGLE_LANES], v[DW_TRIANGLE_LANES];
    int32_t is_hit[DW_TRIANGLE_LANES];
} dw_lane_hits;

/* The ray's axis is below 3. */
static inline dw_lane_ray dw_lane_ray_of(const dw_tree_ray *ray)
{
    dw_lane_ray lanes = { .scale = ray->scale,
                          .shear_x = ray->shear_x,
                          .shear_y = ray->shear_y,
                          .t_scale = ray->t_scale };

    for (uint32_t i = 0; i < 3; i++) {
        lanes.axis[i] = (ray->axis + 1u + i) % 3u;
        lanes.origin[i] = ray->origin[lanes.axis[i]];
    }
    return lanes;
}

/* Corners of a triangle, x y z of the first, the second, the third; all 0, so that it is not hit,
 * when one is not in range. */
static inline void dw_triangle_load(const dw_tree_vertices *vertices, const uint32_t rows[3],
                                    float corners[9])
{
    bool is_active = true;

    for (int corner = 0; corner < 3; corner++) {
        const float *point = vertices->data + (size_t)rows[corner] * vertices->stride;

        for (int axis = 0; axis < 3; axis++) {
            uint32_t bits = dw_bits_from_float(point[axis]);

            is_active = is_active && dw_tree_in_range(bits);
            corners[3 * corner + axis] = dw_tree_coordinate(bits);
        }
    }
    for (int i = 0; i < 9 && !is_active; i++)
        corners[i] = 0.0f;
}

/* corners: nine arrays, `pitch` floats apart: x y z of the first vertices, the second, the third.
 * `count` is a constant where it is to be fast. */
static inline void dw_lane_hits_of(const dw_lane_ray *ray, const float *restrict corners, int pitch,
                                   int count, dw_lane_hits *restrict hits)
{
    const float *x = corners + ray->axis[0] * (uint32_t)pitch;
    const float *y = corners + ray->axis[1] * (uint32_t)pitch;
    const float *z = corners + ray->axis[2] * (uint32_t)pitch;
    float ox = ray->origin[0], oy = ray->origin[1], oz = ray->origin[2];
    float scale = ray->scale, shear_x = ray->shear_x, shear_y = ray->shear_y;

    for (int i = 0; i < count; i++) {
        float a_z = (z[i] - oz) * scale;
        float b_z = (z[i + 3 * pitch] - oz) * scale;
        float c_z = (z[i + 6 * pitch] - oz) * scale;
        float a_x = (x[i] - ox) * scale + shear_x * a_z;
        float b_x = (x[i + 3 * pitch] - ox) * scale + shear_x * b_z;
        float c_x = (x[i + 6 * pitch] - ox) * scale + shear_x * c_z;
        float a_y = (y[i] - oy) * scale + shear_y * a_z;
        float b_y = (y[i + 3 * pitch] - oy) * scale + shear_y * b_z;
        float c_y = (y[i + 6 * pitch] - oy) * scale + shear_y * c_z;
        float u = c_x * b_y - c_y * b_x;
        float v = a_x * c_y - a_y * c_x;
        float w = b_x * a_y - b_y * a_x;
        float area = u + v + w;
        int32_t area_bits = (int32_t)dw_bits_from_float(area), size = area_bits & 0x7fffffff;
        float most = dw_float_from_bits((uint32_t)size);
        float guess = dw_float_from_bits(0x7ef311c7u - (uint32_t)size);
        int32_t below = (int32_t)(u < 0.0f) | (int32_t)(v < 0.0f) | (int32_t)(w < 0.0f);
        int32_t above = (int32_t)(u > 0.0f) | (int32_t)(v > 0.0f) | (int32_t)(w > 0.0f);
        float reciprocal, first, second, third, t;

        guess = guess * (2.0f - most * guess);
        guess = guess * (2.0f - most * guess);
        guess = guess * (2.0f - most * guess);
        reciprocal =
            dw_float_from_bits(dw_bits_from_float(guess) | ((uint32_t)area_bits & 0x80000000u));
        first = u * reciprocal;
        second = v * reciprocal;
        third = w * reciprocal;
        t = (first * a_z + second * b_z + third * c_z) * ray->t_scale;
        hits->t[i] = t;
        hits->u[i] = second;
        hits->v[i] = third;
        hits->is_hit[i] = (int32_t)((below & above) == 0) & (int32_t)(size >= 0x05000000) &
                          (int32_t)(size <= 0x7a000000) &
                          (int32_t)(((int32_t)dw_bits_from_float(t) & 0x7f800000) != 0x7f800000);
    }
}

#endif
