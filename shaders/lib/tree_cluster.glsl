// SPDX-License-Identifier: MIT
// Clusters: what merging joins. A node is made once, in a slot that no other can have.
#ifndef DW_LIB_TREE_CLUSTER_GLSL
#define DW_LIB_TREE_CLUSTER_GLSL

#include "lib/tree_build.glsl"

/* Corners are bits of floats that are not negative: they compare as whole numbers, which costs less
 * where minima mind NaN. */
struct tree_cluster {
    uvec3 low, high;
    float cost;
    uint meta;
    uint first; // the smallest place in it
    uint what;  // DW_TREE_CLUSTER_*
    uint depth; // nodes down to its deepest leaf
};

#define TREE_DEPTH_MOST 127u /* as lists hold it */

float tree_union_area(uvec3 low_a, uvec3 high_a, uvec3 low_b, uvec3 high_b)
{
    vec3 low = uintBitsToFloat(min(low_a, low_b)), high = uintBitsToFloat(max(high_a, high_b));

    return dw_tree_half_area(dw_tree_difference(high.x, low.x),
                             dw_tree_difference(high.y, low.y),
                             dw_tree_difference(high.z, low.z));
}

/* ---- lists: entry i of the range that begins with place p lies at p + i ---- */

uvec4 tree_pack_a(tree_cluster c)
{
    return uvec4(c.low, c.high.x);
}

uvec4 tree_pack_b(tree_cluster c)
{
    return uvec4(c.high.yz, floatBitsToUint(c.cost), c.meta);
}

uvec2 tree_pack_c(tree_cluster c)
{
    uint depth = min(c.depth, TREE_DEPTH_MOST);

    return uvec2(c.first | depth << 28, c.what | (depth >> 4) << 28);
}

tree_cluster tree_unpack(uvec4 a, uvec4 b, uvec2 c)
{
    return tree_cluster(a.xyz, uvec3(a.w, b.xy), uintBitsToFloat(b.z), b.w,
                        c.x & DW_TREE_CLUSTER_INDEX,
                        c.y & (DW_TREE_CLUSTER_LEAF | DW_TREE_CLUSTER_INDEX),
                        c.x >> 28 | (c.y >> 28 & 7u) << 4);
}

void tree_store(uint at, tree_cluster c)
{
    tree_common_quads(tree_section(DW_TREE_AT_CLUSTERS_A)).at[at] = tree_pack_a(c);
    tree_common_quads(tree_section(DW_TREE_AT_CLUSTERS_B)).at[at] = tree_pack_b(c);
    tree_common_pairs(tree_section(DW_TREE_AT_CLUSTERS_C)).at[at] = tree_pack_c(c);
}

/* The entry at `at` of a list, or the leaf in that place. */
tree_cluster tree_load(uint at, bool is_in_list)
{
    uint64_t a = tree_section(DW_TREE_AT_CLUSTERS_A) + 16ul * at;
    uint64_t b = tree_section(DW_TREE_AT_CLUSTERS_B) + 16ul * at;
    uvec2 c = uvec2(at, DW_TREE_CLUSTER_LEAF | at);

    if (is_in_list) {
        c = tree_common_pairs(tree_section(DW_TREE_AT_CLUSTERS_C)).at[at];
    } else {
        uint item = tree_words(tree_section(DW_TREE_AT_ITEMS)).at[at];

        a = tree_section(DW_TREE_AT_BOXES) + 32ul * item;
        b = a + 16ul;
    }
    return tree_unpack(tree_common_quads(a).at[0], tree_common_quads(b).at[0], c);
}

/* ---- nodes ---- */

/* Notes the root of a treelet, for its level's order by slots. */
void tree_note_root(uint slot, uint meta)
{
    uint level = DW_TREE_META_KIND(meta) - 1u;
    uint at = 4u * (level * dw_tree_tiles(push.count) + slot / DW_TREE_TILE);
    tree_words counts = tree_words(tree_section(DW_TREE_AT_TABLES));

    tree_words(tree_section(DW_TREE_AT_ROOTS)).at[slot] = meta;
    atomicAdd(counts.at[at], 1u);
    atomicAdd(counts.at[at + 1u], DW_TREE_META_NODES(meta));
    atomicAdd(counts.at[at + 2u], DW_TREE_META_TRIANGLES(meta));
}

void tree_note_child(uint what, uint meta, uint kind)
{
    if (DW_TREE_META_KIND(meta) != 0u && DW_TREE_META_KIND(meta) < kind)
        tree_note_root(what, meta);
}

/* The node over a, left, and b. */
tree_cluster tree_join(tree_cluster a, tree_cluster b)
{
    float area = tree_union_area(a.low, a.high, b.low, b.high);
    uint triangles = DW_TREE_META_WEIGHT(a.meta) + DW_TREE_META_WEIGHT(b.meta);
    bool is_low = DW_TREE_META_KIND(a.meta) <= 1u && DW_TREE_META_KIND(b.meta) <= 1u;
    tree_cluster node;

    node.low = min(a.low, b.low);
    node.high = max(a.high, b.high);
    node.first = min(a.first, b.first);
    node.what = max(a.first, b.first);
    node.cost = dw_tree_cost_node(area, a.cost, b.cost);
    if (is_low && !tree_is_over_boxes() && triangles <= uint(DW_TREE_LEAF_MAX) &&
        dw_tree_cost_leaf(area, triangles) <= node.cost) {
        node.cost = dw_tree_cost_leaf(area, triangles);
        node.meta = DW_TREE_META_LEAF(triangles);
        node.depth = 0u;
    } else {
        node.meta = dw_tree_meta_node(a.meta, b.meta);
        node.depth = 1u + max(a.depth, b.depth);
        if (node.meta == 0u)
            atomicOr(TREE_HEAD.at[DW_TREE_BUILD_FAULTS], DW_TREE_FAULT_LEVELS);
        tree_note_child(a.what, a.meta, DW_TREE_META_KIND(node.meta));
        tree_note_child(b.what, b.meta, DW_TREE_META_KIND(node.meta));
    }
    tree_quads(tree_section(DW_TREE_AT_LINKS)).at[node.what] =
        uvec4(a.what | DW_TREE_META_KIND(node.meta) << 28, b.what, a.meta, b.meta);
    return node;
}

/* The cluster of all. */
void tree_finish(tree_cluster root)
{
    tree_words head = TREE_HEAD;

    head.at[DW_TREE_BUILD_ROOT] = root.what;
    head.at[DW_TREE_BUILD_ROOT + 1] = root.meta;
    head.at[DW_TREE_BUILD_ROOT + 2] = root.depth;
    if (DW_TREE_META_KIND(root.meta) != 0u)
        tree_note_root(root.what, root.meta);
}

#endif
