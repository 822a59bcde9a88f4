// SPDX-License-Identifier: MIT
// Nodes and triangles of one treelet to tree order: how many of either lie in each part is known,
// so that every place follows from the root's. The includer defines place_push and place_item.
#ifndef DW_LIB_TREE_PLACE_GLSL
#define DW_LIB_TREE_PLACE_GLSL

#include "lib/tree_build.glsl"

/* What waits: a slot, and packed its node and triangle in the treelet; dead: inside a leaf. */
#define PLACE_DEAD               0x80000000u
#define PLACE_AT(node, triangle) ((node) | (triangle) << 9)
#define PLACE_NODE(at)           ((at) & 511u)
#define PLACE_TRIANGLE(at)       ((at) >> 9 & 511u)

#define PLACE_IS_ROOT_LEAF 1u /* push.shift: the tree is one leaf */

void place_push(uint slot, uint at);
void place_item(uint triangle, uint place);

dw_tree_treelet place_treelet;

uint64_t place_section(uint units)
{
    return tree_address(push.tree_low, push.tree_high) + uint64_t(units) * 16ul;
}

void place_read(uint treelet)
{
    uvec4 row = tree_quads(place_section(push.treelets)).at[treelet];

    place_treelet = dw_tree_treelet(row.x, row.y, row.z, row.w);
}

void place_node(uint node, uint left, uint right)
{
    tree_quads nodes = tree_quads(place_section(push.nodes));
    uint at = place_treelet.first_node + node;

    if ((push.flags & DW_TREE_IS_F32) != 0u) {
        uvec3 most = uvec3(0x7f7fffffu), least = uvec3(0xff7fffffu);

        nodes.at[4u * at] = uvec4(most, left);
        nodes.at[4u * at + 1u] = uvec4(least, 0u);
        nodes.at[4u * at + 2u] = uvec4(most, right);
        nodes.at[4u * at + 3u] = uvec4(least, 0u);
    } else {
        nodes.at[2u * at] = uvec4(uvec3(DW_TREE_EMPTY), left);
        nodes.at[2u * at + 1u] = uvec4(uvec3(DW_TREE_EMPTY), right);
    }
}

/* The reference to a child at that node and triangle of the treelet; what lies below it waits. */
uint place_child(uint what, uint meta, uint kind, bool is_dead, uint node, uint triangle)
{
    uint first = place_treelet.first_triangle + triangle;

    if ((what & DW_TREE_CLUSTER_LEAF) != 0u) {
        place_item(triangle, what & DW_TREE_CLUSTER_INDEX);
        return DW_TREE_LEAF_OF(first, 1u);
    }
    if (is_dead || DW_TREE_META_KIND(meta) == 0u) {
        place_push(what, PLACE_DEAD | PLACE_AT(0u, triangle));
        return DW_TREE_LEAF_OF(first, DW_TREE_META_TRIANGLES(meta));
    }
    if (DW_TREE_META_KIND(meta) != kind)
        return tree_words(tree_section(DW_TREE_AT_ROOTS)).at[what];
    place_push(what, PLACE_AT(node, triangle));
    return place_treelet.first_node + node;
}

void place_slot(uint slot, uint at)
{
    uvec4 link = tree_quads(tree_section(DW_TREE_AT_LINKS)).at[slot];
    uint kind = link.x >> 28 & 7u;
    uint left = link.x & (DW_TREE_CLUSTER_LEAF | DW_TREE_CLUSTER_INDEX);
    bool is_dead = (at & PLACE_DEAD) != 0u;
    uint node = PLACE_NODE(at), triangle = PLACE_TRIANGLE(at);
    uint middle = triangle + (is_dead ? DW_TREE_META_TRIANGLES(link.z)
                                      : dw_tree_share_triangles(link.z, kind));

    uint next = node + 1u + dw_tree_share_nodes(link.z, kind);
    uint right = place_child(link.y, link.w, kind, is_dead, next, middle);

    left = place_child(left, link.z, kind, is_dead, node + 1u, triangle);

    if (!is_dead)
        place_node(node, left, right);
}

/* The first slot of the treelet; of a tree of one leaf, its only node. */
void place_begin(uint treelet)
{
    tree_words head = TREE_HEAD;
    uint what = head.at[DW_TREE_BUILD_ROOT];

    if (push.shift == PLACE_IS_ROOT_LEAF) {
        place_node(0u, DW_TREE_LEAF_OF(0u, push.count), DW_TREE_NONE);
        if ((what & DW_TREE_CLUSTER_LEAF) != 0u)
            place_item(0u, what & DW_TREE_CLUSTER_INDEX);
        else
            place_push(what, PLACE_DEAD);
    } else {
        place_push(tree_words(tree_section(DW_TREE_AT_CODES)).at[treelet], 0u);
    }
}

void place_use(uint vertex)
{
    tree_words used = tree_words(place_section(push.used));
    uint bit = 1u << (vertex & 31u);

    if ((used.at[vertex >> 5] & bit) == 0u)
        atomicOr(used.at[vertex >> 5], bit);
}

void place_triangle(uint triangle, uint place)
{
    uint row = tree_words(tree_section(DW_TREE_AT_ITEMS)).at[place];
    uvec3 vertices = uvec3(0u);

    if (!tree_is_over_boxes()) {
        vertices = tree_indices(row);
        place_use(vertices.x);
        place_use(vertices.y);
        place_use(vertices.z);
    }
    tree_quads(place_section(push.triangles)).at[place_treelet.first_triangle + triangle] =
        uvec4(vertices, row);
}

#endif
