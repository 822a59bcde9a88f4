// SPDX-License-Identifier: MIT
// Ranges of places bottom up. Whoever reaches a boundary first leaves its range there and stops;
// the second one owns both ranges. One exchange a boundary orders the two, and nobody waits.
#ifndef DW_LIB_TREE_CLIMB_GLSL
#define DW_LIB_TREE_CLIMB_GLSL

#include "lib/tree_cluster.glsl"

/* Off where atomics order all memory by themselves, as on processors; drivers of these take a fence
 * for a barrier of the workgroup, which must not come where lanes part. */
layout(constant_id = 0) const bool HAS_FENCES = true;

void tree_fence()
{
    if (HAS_FENCES)
        memoryBarrierBuffer();
}

#define TREE_NOBODY 0xffffffffu
#define TREE_HALF   (DW_TREE_WINDOW / 2u)

struct tree_range {
    uint left, right; // first and last place
    uint64_t before;  // how the left place and the one before it differ; none: the most
    uint64_t after;   // likewise behind the right one
    uint count;       // clusters in its list
    uint split;       // last place of its left child
    uint count_left;  // clusters of the children's lists
    uint count_right;
};

/* How the places i and i + 1 differ; at the ends more than any two do. */
uint64_t tree_delta(uint i)
{
    tree_words codes = tree_words(tree_section(DW_TREE_AT_CODES));
    bool is_inside = i + 1u < push.count && i != 0xffffffffu;
    uint at = is_inside ? i : 0u;
    uint64_t delta = dw_tree_delta(codes.at[at], codes.at[at + 1u], at);

    return is_inside ? delta : 0xfffffffffffffffful;
}

tree_range tree_range_of(uint place)
{
    return tree_range(place, place, tree_delta(place - 1u), tree_delta(place), 1u, place, 0u, 0u);
}

bool tree_is_all(tree_range range)
{
    return range.left == 0u && range.right == push.count - 1u;
}

/* Short ranges keep their leaves; they have no list. */
bool tree_is_long(uint left, uint right)
{
    return right - left + 1u > TREE_HALF;
}

bool tree_needs_merging(tree_range range)
{
    return tree_is_long(range.left, range.right) || tree_is_all(range);
}

/* Of its parent, which parts at the smaller difference, of equal ones, which cannot be, before it.
 * There is a parent. */
bool tree_is_left_child(tree_range range)
{
    return range.after < range.before;
}

/* The boundary to its sibling, by the place before it, and what a range leaves there. */
uint tree_boundary(tree_range range)
{
    return tree_is_left_child(range) ? range.right : range.left - 1u;
}

uint tree_leaving(tree_range range)
{
    uint end = tree_is_left_child(range) ? range.left : range.right;

    return end | (range.count - 1u) << 28;
}

/* Makes `range` its parent, by what its sibling left. `before` and `after` follow by tree_widen. */
void tree_take(inout tree_range range, uint other)
{
    bool is_left = tree_is_left_child(range);
    uint count = (other >> 28) + 1u;

    range.split = tree_boundary(range);
    range.count_left = is_left ? range.count : count;
    range.count_right = is_left ? count : range.count;
    if (is_left)
        range.right = other & DW_TREE_CLUSTER_INDEX;
    else
        range.left = other & DW_TREE_CLUSTER_INDEX;
    range.count = min(range.right - range.left + 1u, TREE_HALF);
}

/* Whose difference to its neighbour is new: after tree_take, the place before that boundary. */
uint tree_new_boundary(tree_range range, bool was_left)
{
    return was_left ? range.right : range.left - 1u;
}

void tree_widen(inout tree_range range, bool was_left, uint64_t delta)
{
    if (was_left)
        range.after = delta;
    else
        range.before = delta;
}

/* Makes `range` its parent when its sibling is done; else leaves it for the sibling. The caller
 * orders lists before and after. */
bool tree_climb(inout tree_range range)
{
    bool is_left = tree_is_left_child(range);
    tree_common_words boundaries = tree_common_words(tree_section(DW_TREE_AT_BOUNDARIES));
    uint other = atomicExchange(boundaries.at[tree_boundary(range)], tree_leaving(range));

    if (other != TREE_NOBODY) {
        tree_take(range, other);
        tree_widen(range, is_left, tree_delta(tree_new_boundary(range, is_left)));
    }
    return other != TREE_NOBODY;
}

/* Entry i of the children's lists, one after the other. */
tree_cluster tree_entry(tree_range range, uint i)
{
    bool is_left = i < range.count_left;
    uint from = is_left ? range.left : range.split + 1u;
    uint to = is_left ? range.split : range.right;
    uint at = from + (is_left ? i : i - range.count_left);

    return tree_load(at, tree_is_long(from, to));
}

#endif
