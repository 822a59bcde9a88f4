/* SPDX-License-Identifier: MIT */
/* Building a tree by H-PLOC (Benthin, Meister, Barczak, Mehalwal, Tsakok, Kensler 2024): Morton
 * order, nearest neighbours merged bottom up in windows, small subtrees collapsed to leaves, nodes
 * gathered in treelets. Division-free; unit coordinates keep products away from subnormals.
 * Thread-safety: Safe; no state. */
#ifndef DW_SHARED_TREE_BUILD_H
#define DW_SHARED_TREE_BUILD_H

#include "shared/tree.h"

/* ---- unit space ---- */

/* The power of two that brings `extent` into (0.5, 1]; 2^100 for extents under 2^-100. */
DW_INLINE float dw_tree_unit_scale(float extent)
{
    uint bits =
        dw_bits_from_float(extent > 7.888609052210118e-31f ? extent : 7.888609052210118e-31f);
    uint exponent = bits >> 23; /* extent = 1.m * 2^(exponent - 127) */
    uint shift = (bits & 0x7fffffu) == 0u ? 0u : 1u;

    return dw_float_from_bits((254u - exponent - shift) << 23);
}

/* A coordinate from the box's low corner on, in 0..1. */
DW_INLINE float dw_tree_unit(float x, float low, float scale)
{
    DW_PRECISE float offset = x - low;
    DW_PRECISE float unit = dw_flush(offset) * scale;

    return dw_flush(unit);
}

/* 24-bit cell of a box's centre along one axis. */
DW_INLINE uint dw_tree_cell(float low, float high)
{
    DW_PRECISE float both = low + high;
    DW_PRECISE float scaled = both * 8388608.0f;   /* half of 2^24 */
    uint cell = DW_UINT(DW_INT(dw_floor(scaled))); /* at most 2^24 */

    return cell < 16777215u ? cell : 16777215u;
}

/* Bits of a cell that an axis of this unit extent uses: 0..24. */
DW_INLINE uint dw_tree_cell_bits(float unit_extent)
{
    uint cell = dw_tree_cell(unit_extent, unit_extent);
    uint bits = 0u;

    for (uint step = 16u; step > 0u; step >>= 1)
        if (cell >> step != 0u) {
            cell >>= step;
            bits += step;
        }
    return bits + cell;
}

/* A 32-bit Morton code. Bits that an axis does not use take no place, so that flat and long meshes
 * get finer cells. Inactive triangles have the code ~0. */
DW_INLINE uint dw_tree_morton(uint x, uint y, uint z, uint bits_x, uint bits_y, uint bits_z)
{
    uint code = 0u;
    uint count = 0u;

    for (uint bit = 24u; bit > 0u && count < 32u; bit--) {
        if (bits_x >= bit && count < 32u) {
            code = code << 1 | (x >> (bit - 1u) & 1u);
            count++;
        }
        if (bits_y >= bit && count < 32u) {
            code = code << 1 | (y >> (bit - 1u) & 1u);
            count++;
        }
        if (bits_z >= bit && count < 32u) {
            code = code << 1 | (z >> (bit - 1u) & 1u);
            count++;
        }
    }
    return code;
}

/* How two sorted neighbours i and i + 1 differ: the higher, the farther up they part. Equal codes
 * are told apart by their places, which bounds the depth of duplicates. Two words as one number. */
DW_INLINE uint64_t dw_tree_delta(uint code, uint next_code, uint i)
{
    return DW_U64(code ^ next_code) << 32 | DW_U64(i ^ (i + 1u));
}

/* ---- boxes in unit space ---- */

/* Half the surface of a box; an extent counts as 2^-40 at least, so that no product is subnormal.
 */
DW_INLINE float dw_tree_half_area(float x, float y, float z)
{
    float least = 9.094947017729282e-13f;
    float ex = x > least ? x : least;
    float ey = y > least ? y : least;
    float ez = z > least ? z : least;
    DW_PRECISE float xy = ex * ey;
    DW_PRECISE float yz = ey * ez;
    DW_PRECISE float zx = ez * ex;
    DW_PRECISE float sum = xy + yz;
    DW_PRECISE float area = sum + zx;

    return area;
}

/* ---- windows ---- */

/* A range of more leaves is merged to at most DW_TREE_WINDOW / 2 clusters; two such lists fill a
 * window. */
#define DW_TREE_WINDOW 32u
#define DW_TREE_RADIUS 8u /* neighbours looked at either side */

/* ---- collapse to leaves, and treelets ---- */

/* What a cluster is, in one word.
 * bits 0..2: 0 a leaf; else 1 + the level of the treelet that the node is in
 * bits 3..11: weight: triangles for level 0; above, triangles of leaves and lower treelets below
 * the node within its treelet bits 12..20: triangles of leaves below it within its treelet; a leaf:
 * its triangles bits 21..28: nodes below it within its treelet, with it */
#define DW_TREE_META(kind, weight, triangles, nodes) \
    ((kind) | (weight) << 3 | (triangles) << 12 | (nodes) << 21)
#define DW_TREE_META_KIND(meta)      ((meta)&7u)
#define DW_TREE_META_WEIGHT(meta)    ((meta) >> 3 & 511u)
#define DW_TREE_META_TRIANGLES(meta) ((meta) >> 12 & 511u)
#define DW_TREE_META_NODES(meta)     ((meta) >> 21 & 255u)
#define DW_TREE_META_LEAF(triangles) DW_TREE_META(0u, (triangles), (triangles), 0u)

/* The share of a child in its parent's treelet of `kind`. */
DW_INLINE uint dw_tree_share_weight(uint child, uint kind)
{
    return DW_TREE_META_KIND(child) == 0u || DW_TREE_META_KIND(child) == kind
               ? DW_TREE_META_WEIGHT(child)
               : 1u;
}

DW_INLINE uint dw_tree_share_triangles(uint child, uint kind)
{
    return DW_TREE_META_KIND(child) == 0u || DW_TREE_META_KIND(child) == kind
               ? DW_TREE_META_TRIANGLES(child)
               : 0u;
}

DW_INLINE uint dw_tree_share_nodes(uint child, uint kind)
{
    return DW_TREE_META_KIND(child) == kind ? DW_TREE_META_NODES(child) : 0u;
}

/* The word of a node over two clusters; kind 7 at most, DW_TREE_LEVELS_MAX levels. A level that
 * would be one too many is reported by a kind of 0 with no triangles. */
DW_INLINE uint dw_tree_meta_node(uint left, uint right)
{
    uint kind_left = DW_TREE_META_KIND(left), kind_right = DW_TREE_META_KIND(right);
    uint kind = kind_left > kind_right ? kind_left : kind_right;

    kind = kind == 0u ? 1u : kind;
    if (dw_tree_share_weight(left, kind) + dw_tree_share_weight(right, kind) > DW_TREE_TREELET)
        kind++;
    if (kind > DW_TREE_LEVELS_MAX)
        return 0u;
    return DW_TREE_META(kind, dw_tree_share_weight(left, kind) + dw_tree_share_weight(right, kind),
                        dw_tree_share_triangles(left, kind) + dw_tree_share_triangles(right, kind),
                        1u + dw_tree_share_nodes(left, kind) + dw_tree_share_nodes(right, kind));
}

/* A subtree's cost in the surface area heuristic, both constants 1. */
DW_INLINE float dw_tree_cost_leaf(float area, uint triangles)
{
    DW_PRECISE float cost = area * dw_float(triangles);

    return cost;
}

DW_INLINE float dw_tree_cost_node(float area, float cost_left, float cost_right)
{
    DW_PRECISE float both = cost_left + cost_right;
    DW_PRECISE float cost = area + both;

    return cost;
}

#endif
