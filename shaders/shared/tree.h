/* SPDX-License-Identifier: MIT */
/* Binary trees of boxes over triangles or instances: nodes, the grid that boxes are rounded to, and
 * what a refit makes of a pose. All results are integers, or minima and maxima of floats as they
 * came: equal bytes on every device.
 *
 * Order of a tree. Nodes and triangles lie in treelets: connected parts of the tree of at most
 * DW_TREE_TREELET triangles and lower treelets. Treelets of the highest level come first, those of
 * level 0, which hold nearly all, last; inside one, nodes are in preorder and triangles in the
 * order of their leaves. So a child lies behind its parent, and each treelet is one run of nodes
 * and one run of triangles. Node 0 is the root. Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TREE_H
#define DW_SHARED_TREE_H

#include "shared/floats.h"
#include "shared/limits.h"

/* A child: a node's index, or a leaf: DW_TREE_LEAF, triangle count - 1 << 28, first triangle. */
#define DW_TREE_LEAF                  0x80000000u
#define DW_TREE_NONE                  0xffffffffu /* no child: its box is empty */
#define DW_TREE_LEAF_OF(first, count) (DW_TREE_LEAF | ((count)-1u) << 28 | (first))
#define DW_TREE_IS_LEAF(ref)          (((ref)&DW_TREE_LEAF) != 0u && (ref) != DW_TREE_NONE)
#define DW_TREE_IS_NODE(ref)          (((ref)&DW_TREE_LEAF) == 0u)
#define DW_TREE_LEAF_FIRST(ref)       ((ref)&0x0fffffffu)
#define DW_TREE_LEAF_COUNT(ref)       (((ref) >> 28 & 7u) + 1u)

/* One child of a quantized node: along each axis the low plane in bits 0 to 15, the high plane in
 * bits 16 to 31. */
#define DW_TREE_CHILD_FIELDS(F) \
    F(uint, x, 0)               \
    F(uint, y, 0)               \
    F(uint, z, 0)               \
    F(uint, ref, 0)

struct dw_tree_child {
    DW_TREE_CHILD_FIELDS(DW_FIELD)
};

/* One child of a float32 node. */
#define DW_TREE_CHILD_F32_FIELDS(F) \
    F(float, low, 3)                \
    F(uint, ref, 0)                 \
    F(float, high, 3)               \
    F(uint, spare, 0) /* 0 */

struct dw_tree_child_f32 {
    DW_TREE_CHILD_F32_FIELDS(DW_FIELD)
};

/* A node is two children, left and right: 32 bytes quantized, 64 bytes float32. */

/* In tree order. In a tree over instances, primitive alone counts. */
#define DW_TREE_TRIANGLE_FIELDS(F) \
    F(uint, vertices, 3)           \
    F(uint, primitive, 0) /* row of the indices as given */

struct dw_tree_triangle {
    DW_TREE_TRIANGLE_FIELDS(DW_FIELD)
};

#define DW_TREE_TREELET_FIELDS(F) \
    F(uint, first_node, 0)        \
    F(uint, node_count, 0)        \
    F(uint, first_triangle, 0)    \
    F(uint, triangle_count, 0)

struct dw_tree_treelet {
    DW_TREE_TREELET_FIELDS(DW_FIELD)
};

/* What a build gives. Treelets of a level are rows first..first + count of the treelet table, the
 * highest level first. */
#define DW_TREE_SHAPE_FIELDS(F)                                                                  \
    F(uint, triangle_count, 0)                                                                   \
    F(uint, node_count, 0) /* at least 1 */                                                      \
    F(uint, depth, 0)      /* nodes on the longest way from the root; at least 1 */              \
    F(uint, level_count, 0)                                                                      \
    F(uint, treelet_count, 0)                                                                    \
    F(uint, forced, 0)      /* merges of clusters none of which was another's nearest; 0 */      \
    F(uint, faults, 0)      /* DW_TREE_FAULT_* */                                                \
    F(uint, inactive, 0)    /* triangles without a finite box in the pose that was built from */ \
    F(uint, level_first, 8) /* treelet, by level */                                              \
    F(uint, level_treelets, 8)

struct dw_tree_shape {
    DW_TREE_SHAPE_FIELDS(DW_FIELD)
};

#define DW_TREE_FAULT_DEEP   1u /* deeper than DW_TREE_DEPTH_MAX */
#define DW_TREE_FAULT_LEVELS 2u /* more than DW_TREE_LEVELS_MAX levels of treelets */
#define DW_TREE_FAULT_INDEX  4u /* a triangle names a vertex that is not there */

/* The grid of a quantized tree and what else a refit finds. Planes lie at origin + q * step. */
#define DW_TREE_FRAME_FIELDS(F)                                                            \
    F(float, origin, 3)                                                                    \
    F(float, step, 3)                                                                      \
    F(float, inverse, 3) /* of step, nearly */                                             \
    F(float, scale, 0)   /* power of two that brings the largest extent into (0.5, 1] */   \
    F(uint, inactive, 0) /* triangles without a finite box, of the last refit with sums */ \
    F(uint, is_empty, 0) /* no vertex in range: all boxes are empty */

struct dw_tree_frame {
    DW_TREE_FRAME_FIELDS(DW_FIELD)
};

/* Sums of a tree's cost, exact: over boxes in steps of the frame, the products of extents along x
 * and y, y and z, z and x, each in two words, low first. Inner: all nodes' boxes, the root's too.
 * Leaves: times their triangles. */
#define DW_TREE_SUMS_FIELDS(F) \
    F(uint, inner, 6)          \
    F(uint, leaves, 6)

struct dw_tree_sums {
    DW_TREE_SUMS_FIELDS(DW_FIELD)
};

#ifndef GL_core_profile
typedef struct dw_tree_child dw_tree_child;
typedef struct dw_tree_child_f32 dw_tree_child_f32;
typedef struct dw_tree_triangle dw_tree_triangle;
typedef struct dw_tree_treelet dw_tree_treelet;
typedef struct dw_tree_shape dw_tree_shape;
typedef struct dw_tree_frame dw_tree_frame;
typedef struct dw_tree_sums dw_tree_sums;
#endif

/* ---- vertices ---- */

/* Of what magnitude a coordinate may be: 2^60. Beyond, and for infinity and NaN, the triangles that
 * use the vertex are inactive. */
DW_INLINE bool dw_tree_in_range(uint bits)
{
    return (bits & 0x7fffffffu) <= 0x5d800000u;
}

/* A coordinate in range as trees see it: -0 and subnormals become 0. */
DW_INLINE float dw_tree_coordinate(uint bits)
{
    return dw_float_from_bits((bits & 0x7f800000u) == 0u ? 0u : bits);
}

/* Float order as unsigned order, for minima and maxima by atomics; never 0 or ~0 for a coordinate.
 */
DW_INLINE uint dw_tree_ordered(float x)
{
    uint bits = dw_bits_from_float(x);

    return (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
}

DW_INLINE float dw_tree_from_ordered(uint ordered)
{
    return dw_float_from_bits((ordered & 0x80000000u) != 0u ? ordered & 0x7fffffffu : ~ordered);
}

/* ---- the grid ---- */

/* The step of a grid of 65536 planes from low to high. At least two units in the last place of the
 * largest coordinate, so that planes differ; at least 2^-100, so that nothing is subnormal. */
DW_INLINE float dw_tree_step(float low, float high)
{
    DW_PRECISE float extent = high - low;
    DW_PRECISE float wide = extent * 1.5259954e-5f; /* 1 / 65531: rounding stays inside */
    float most = -low > high ? -low : high;
    DW_PRECISE float least = most * 2.384185791015625e-7f; /* 2^-22 */
    float step = wide > least ? wide : least;

    return step > 7.888609052210118e-31f ? step : 7.888609052210118e-31f; /* 2^-100 */
}

/* 1 / step within 2^-22, by integer division: float division differs between devices. */
DW_INLINE float dw_tree_inverse(float step)
{
    uint bits = dw_bits_from_float(step);
    uint mantissa = (bits & 0x7fffffu) | 0x800000u;
    int exponent = DW_INT(bits >> 23) - 150; /* step = mantissa * 2^exponent */
    uint quotient = DW_UINT((DW_U64(1) << 47) / DW_U64(mantissa)); /* 2^23 .. 2^24 */
    /* times 2^(-47 - exponent), in two factors: neither leaves the normal range */
    DW_PRECISE float part = dw_float(quotient) * 2.9802322387695312e-8f; /* 2^-25 */
    DW_PRECISE float whole = part * dw_float_from_bits(DW_UINT(127 - 22 - exponent) << 23);

    return whole;
}

/* The plane q of an axis. */
DW_INLINE float dw_tree_plane(float origin, float step, uint q)
{
    DW_PRECISE float offset = dw_float(q) * step;
    DW_PRECISE float plane = origin + offset;

    return plane;
}

/* The number of the plane next to x, in 0..65535: that at or below it, or that at or above it.
 * Rounded by adding 2^23, since conversions are slow on devices. */
DW_INLINE float dw_tree_next_plane(float x, float origin, float inverse)
{
    DW_PRECISE float offset = x - origin;
    DW_PRECISE float steps = offset * inverse;
    float inside = steps < 0.0f ? 0.0f : steps > 65535.0f ? 65535.0f : steps;
    DW_PRECISE float rounded = inside + 8388608.0f;
    DW_PRECISE float whole = rounded - 8388608.0f;

    return whole;
}

/* The whole number of a float that is one, below 2^23. */
DW_INLINE uint dw_tree_number(float whole)
{
    DW_PRECISE float shifted = whole + 8388608.0f;

    return dw_bits_from_float(shifted) & 0x7fffffu;
}

DW_INLINE float dw_tree_plane_at(float origin, float step, float whole)
{
    DW_PRECISE float offset = whole * step;
    DW_PRECISE float plane = origin + offset;

    return plane;
}

/* The highest plane that is not above x; 0 when all are. Never decreases with x. */
DW_INLINE uint dw_tree_plane_below(float x, float origin, float step, float inverse)
{
    float next = dw_tree_next_plane(x, origin, inverse);
    bool is_above = dw_tree_plane_at(origin, step, next) > x && next > 0.0f;

    return dw_tree_number(next) - (is_above ? 1u : 0u);
}

/* The lowest plane that is not below x; 65535 when all are. Never decreases with x. */
DW_INLINE uint dw_tree_plane_above(float x, float origin, float step, float inverse)
{
    float next = dw_tree_next_plane(x, origin, inverse);
    bool is_below = dw_tree_plane_at(origin, step, next) < x && next < 65535.0f;

    return dw_tree_number(next) + (is_below ? 1u : 0u);
}

/* The planes around low..high in one word. */
DW_INLINE uint dw_tree_planes(float low, float high, float origin, float step, float inverse)
{
    return dw_tree_plane_below(low, origin, step, inverse) |
           dw_tree_plane_above(high, origin, step, inverse) << 16;
}

#define DW_TREE_EMPTY 0x0000ffffu /* planes of an empty box: low above high, no ray passes */

DW_INLINE uint dw_tree_union(uint a, uint b)
{
    uint high = a > b ? a : b; /* the upper half is that of the higher plane */
    uint low_a = a << 16, low_b = b << 16;

    return (high & 0xffff0000u) | (low_a < low_b ? low_a : low_b) >> 16;
}

/* Steps between the two planes; 0 for an empty box. */
DW_INLINE uint dw_tree_extent(uint planes)
{
    uint low = planes & 0xffffu, high = planes >> 16;

    return high > low ? high - low : 0u;
}

DW_INLINE float dw_tree_difference(float high, float low)
{
    DW_PRECISE float extent = high - low;

    return extent;
}

/* Whether an axis keeps its grid for a pose that reaches from low to high, when only some of the
 * boxes are to be made anew: the grid covers the pose, and is not four times as wide unless it has
 * to be. The frame stays when all axes do, and neither it nor the pose is empty. */
DW_INLINE bool dw_tree_keeps_axis(float origin, float step, float low, float high)
{
    float last = dw_tree_plane(origin, step, 65535u);
    DW_PRECISE float reach = dw_tree_difference(high, low) * 4.0f;

    if (origin > low || last < high)
        return false;
    return reach >= dw_tree_difference(last, origin) || dw_tree_step(low, high) == step;
}

#endif
