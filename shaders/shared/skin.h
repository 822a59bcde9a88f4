/* SPDX-License-Identifier: MIT */
/* Vertices of a mesh in a pose: morph targets are added, then the matrices of the vertex's joints
 * are blended and applied (linear blend skinning). Only + - * in precise steps, so that all devices
 * give the same bits.
 *
 * No intermediate is subnormal: positions, targets and matrices are scaled by powers of two to
 * magnitudes about 1 before, what is below 2^-40 of that counts as 0, and the scale is put back at
 * the end. Everything is finite. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_SKIN_H
#define DW_SHARED_SKIN_H

#include "shared/floats.h"

#define DW_SKIN_LANES 128

/* Bits of specialization constant 0. */
#define DW_SKIN_HAS_MATRICES       1u
#define DW_SKIN_HAS_JOINTS         2u /* else the first matrix moves all vertices */
#define DW_SKIN_HAS_NORMALS        4u
#define DW_SKIN_HAS_TARGET_NORMALS 8u

#define DW_SKIN_TINY        9.094947017729282e-13f /* 2^-40: coordinates and matrices */
#define DW_SKIN_TINY_WEIGHT 9.313225746154785e-10f /* 2^-30: weights and normals */
#define DW_SKIN_TINY_MINOR  8.673617379884035e-19f /* 2^-60: products of two matrix elements */

/* Where the vertices of a pose go, in floats from the begin of a binding. */
#define DW_SKIN_PUSH_FIELDS(F)                                    \
    F(uint, vertex_count, 0)                                      \
    F(uint, influence_count, 0) /* joints of a vertex, at most */ \
    F(uint, target_count, 0)    /* of weight other than 0 */      \
    F(uint, position_first, 0)                                    \
    F(uint, position_stride, 0)                                   \
    F(uint, normal_first, 0)                                      \
    F(uint, normal_stride, 0)                                     \
    F(float, scale, 0) /* a power of two */                       \
    F(float, tiny, 0)  /* what is smaller before the scale is 0 */

struct dw_skin_push {
    DW_SKIN_PUSH_FIELDS(DW_FIELD)
};

/* A morph target of a pose: vertices begin up to, not including, end move. From float `first` on
 * the deltas lie in planes of end - begin: x, y and z of positions, then, if the mesh has such, of
 * normals. */
#define DW_SKIN_TARGET_FIELDS(F) \
    F(uint, begin, 0)            \
    F(uint, end, 0)              \
    F(uint, first, 0)            \
    F(float, weight, 0)

struct dw_skin_target {
    DW_SKIN_TARGET_FIELDS(DW_FIELD)
};

#define DW_SKIN_VECTOR_FIELDS(F) \
    F(float, x, 0)               \
    F(float, y, 0)               \
    F(float, z, 0)

struct dw_skin_vector {
    DW_SKIN_VECTOR_FIELDS(DW_FIELD)
};

/* Three rows of an affine matrix that acts on columns. */
#define DW_SKIN_MATRIX_FIELDS(F) F(float, rows, 12)

struct dw_skin_matrix {
    DW_SKIN_MATRIX_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_skin_target dw_skin_target;
typedef struct dw_skin_vector dw_skin_vector;
typedef struct dw_skin_matrix dw_skin_matrix;
#endif

/* Joint number i of a vertex, of the word that holds two. */
#define DW_SKIN_JOINT(word, i) ((word) >> (16u * ((i)&1u)) & 0xffffu)

DW_INLINE float dw_skin_tidy(float x, float tiny)
{
    return x < tiny && x > -tiny ? 0.0f : x;
}

/* One coordinate with `weight` of a target's delta. */
DW_INLINE float dw_skin_morph(float x, float delta, float weight)
{
    DW_PRECISE float part = delta * weight;
    DW_PRECISE float sum = x + part;

    return sum;
}

/* One element of a blend with `weight` of another joint's matrix. It starts from the element of the
 * vertex's first joint, so that joints that move alike give just their matrix. */
DW_INLINE float dw_skin_blend(float sum, float first, float other, float weight)
{
    DW_PRECISE float step = other - first;
    DW_PRECISE float part = step * weight;
    DW_PRECISE float next = sum + part;

    return next;
}

/* One coordinate of a moved point. */
DW_INLINE float dw_skin_move(float a, float b, float c, float d, float x, float y, float z)
{
    DW_PRECISE float linear = dw_dot3(a, b, c, x, y, z);
    DW_PRECISE float sum = linear + d;

    return sum;
}

DW_INLINE float dw_skin_put(float x, float scale, float tiny)
{
    DW_PRECISE float put = dw_skin_tidy(x, tiny) * scale;

    return put;
}

DW_INLINE float dw_skin_minor(float a, float b, float c, float d)
{
    DW_PRECISE float one = a * b;
    DW_PRECISE float other = c * d;
    DW_PRECISE float minor = one - other;

    return dw_skin_tidy(minor, DW_SKIN_TINY_MINOR);
}

/* Length 1 within 2e-7, by Newton's method for the reciprocal square root: device square roots
 * differ in bits. 0 stays 0. */
DW_INLINE dw_skin_vector dw_skin_unit(dw_skin_vector v)
{
    uint x_bits = dw_bits_from_float(v.x) & 0x7fffffffu;
    uint y_bits = dw_bits_from_float(v.y) & 0x7fffffffu;
    uint z_bits = dw_bits_from_float(v.z) & 0x7fffffffu;
    uint most = x_bits > y_bits ? x_bits : y_bits;
    uint exponent = (most > z_bits ? most : z_bits) >> 23;
    /* a power of two that brings the largest coordinate into [1, 2) */
    float scale = dw_float_from_bits((254u - exponent) << 23);
    DW_PRECISE float x = v.x * scale;
    DW_PRECISE float y = v.y * scale;
    DW_PRECISE float z = v.z * scale;
    DW_PRECISE float half_square = 0.0f;
    DW_PRECISE float inverse = 0.0f;

    if (exponent == 0u) {
        v.x = v.y = v.z = 0.0f;
        return v;
    }
    x = dw_skin_tidy(x, DW_SKIN_TINY_WEIGHT);
    y = dw_skin_tidy(y, DW_SKIN_TINY_WEIGHT);
    z = dw_skin_tidy(z, DW_SKIN_TINY_WEIGHT);
    half_square = dw_dot3(x, y, z, x, y, z) * 0.5f;
    inverse =
        dw_float_from_bits(0x5f3759dfu - ((dw_bits_from_float(half_square) >> 1) + 0x400000u));
    for (uint i = 0u; i < 3u; i++) {
        DW_PRECISE float square = inverse * inverse;
        DW_PRECISE float share = half_square * square;
        DW_PRECISE float rest = 0.5f - share; /* small at last, and so of few rounding errors */
        DW_PRECISE float part = inverse * rest;

        inverse = inverse + part;
    }
    v.x = x * inverse;
    v.y = y * inverse;
    v.z = z * inverse;
    return v;
}

/* A normal, turned by the cofactors of the matrix and brought to length 1: the inverse transpose
 * times the determinant, but without its sign, so that outward stays outward under a mirror. 0
 * where the matrix flattens to a line, or the normal is 0. */
DW_INLINE dw_skin_vector dw_skin_turn(dw_skin_matrix m, dw_skin_vector n)
{
    float ax = dw_skin_minor(m.rows[5], m.rows[10], m.rows[6], m.rows[9]);
    float ay = dw_skin_minor(m.rows[6], m.rows[8], m.rows[4], m.rows[10]);
    float az = dw_skin_minor(m.rows[4], m.rows[9], m.rows[5], m.rows[8]);
    float bx = dw_skin_minor(m.rows[9], m.rows[2], m.rows[10], m.rows[1]);
    float by = dw_skin_minor(m.rows[10], m.rows[0], m.rows[8], m.rows[2]);
    float bz = dw_skin_minor(m.rows[8], m.rows[1], m.rows[9], m.rows[0]);
    float cx = dw_skin_minor(m.rows[1], m.rows[6], m.rows[2], m.rows[5]);
    float cy = dw_skin_minor(m.rows[2], m.rows[4], m.rows[0], m.rows[6]);
    float cz = dw_skin_minor(m.rows[0], m.rows[5], m.rows[1], m.rows[4]);
    float det = dw_dot3(m.rows[0], m.rows[1], m.rows[2], ax, ay, az);
    dw_skin_vector turned;

    turned.x = dw_dot3(ax, ay, az, n.x, n.y, n.z);
    turned.y = dw_dot3(bx, by, bz, n.x, n.y, n.z);
    turned.z = dw_dot3(cx, cy, cz, n.x, n.y, n.z);
    turned.x = det < 0.0f ? -turned.x : turned.x;
    turned.y = det < 0.0f ? -turned.y : turned.y;
    turned.z = det < 0.0f ? -turned.z : turned.z;
    return dw_skin_unit(turned);
}

#endif
