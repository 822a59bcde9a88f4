// SPDX-License-Identifier: MIT
// Merging by single invocations, each with a window of its own, for devices whose lanes are cheap
// and whose barriers are not: each starts from a run of leaves, one after the other.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_climb.glsl"

layout(local_size_x = 8) in;

/* The window, by cells; `order` lists the cells of the places. */
vec3 lows[DW_TREE_WINDOW], highs[DW_TREE_WINDOW];
float costs[DW_TREE_WINDOW];
uint metas[DW_TREE_WINDOW], firsts[DW_TREE_WINDOW], whats[DW_TREE_WINDOW];
uint depths[DW_TREE_WINDOW];
uint order[DW_TREE_WINDOW], mates[DW_TREE_WINDOW];

tree_cluster get(uint cell)
{
    return tree_cluster(lows[cell], highs[cell], costs[cell], metas[cell], firsts[cell],
                        whats[cell], depths[cell]);
}

void set(uint cell, tree_cluster c)
{
    lows[cell] = c.low;
    highs[cell] = c.high;
    costs[cell] = c.cost;
    metas[cell] = c.meta;
    firsts[cell] = c.first;
    whats[cell] = c.what;
    depths[cell] = c.depth;
}

/* The last places, a ring of registers: boxes, and the nearest neighbours found so far. */
#define RING 8u
vec3 ring_low[RING], ring_high[RING];
float ring_best[RING];
uint ring_mate[RING];

/* Place i, whose ring entry is `own`, against the place `back` before it. Farther ones come first,
 * so that of equal areas the lowest place wins. */
#define PAIR(own, back)                                                                          \
    if (i >= back) {                                                                             \
        float area = tree_union_area(ring_low[(own + RING - back) % RING],                       \
                                     ring_high[(own + RING - back) % RING], low, high);          \
                                                                                                 \
        if (area < best) {                                                                       \
            best = area;                                                                         \
            mate = i - back;                                                                     \
        }                                                                                        \
        if (area < ring_best[(own + RING - back) % RING]) {                                      \
            ring_best[(own + RING - back) % RING] = area;                                        \
            ring_mate[(own + RING - back) % RING] = i;                                           \
        }                                                                                        \
    }

/* One place: the entry that it takes over is settled after its last pair. */
#define STEP(own)                                       \
    i = base + own;                                     \
    if (i < count) {                                    \
        uint cell = order[i];                           \
        vec3 low = lows[cell], high = highs[cell];      \
        float best = 3.0e38;                            \
        uint mate = i;                                  \
                                                        \
        PAIR(own, 8u)                                   \
        if (i >= RING)                                  \
            mates[i - RING] = ring_mate[own];           \
        PAIR(own, 7u)                                   \
        PAIR(own, 6u)                                   \
        PAIR(own, 5u)                                   \
        PAIR(own, 4u)                                   \
        PAIR(own, 3u)                                   \
        PAIR(own, 2u)                                   \
        PAIR(own, 1u)                                   \
        ring_low[own] = low;                            \
        ring_high[own] = high;                          \
        ring_best[own] = best;                          \
        ring_mate[own] = mate;                          \
    }

/* In the end an entry holds the last place that is its number modulo the ring. */
#define SETTLE(own) \
    if (count > own) \
        mates[(count - 1u - own) / RING * RING + own] = ring_mate[own];

void find_mates(uint count)
{
    uint i;

    for (uint base = 0u; base < count; base += RING) {
        STEP(0u)
        STEP(1u)
        STEP(2u)
        STEP(3u)
        STEP(4u)
        STEP(5u)
        STEP(6u)
        STEP(7u)
    }
    SETTLE(0u)
    SETTLE(1u)
    SETTLE(2u)
    SETTLE(3u)
    SETTLE(4u)
    SETTLE(5u)
    SETTLE(6u)
    SETTLE(7u)
}

/* One round: all mutual nearest pairs join, and places close up. Returns how many are left. */
uint merge_round(uint count)
{
    uint pairs[TREE_HALF];
    uint pair_count = 0u, left = 0u;

    find_mates(count);
    for (uint i = 0u; i < count; i++) {
        uint mate = mates[i];
        bool is_mutual = mate != i && mates[mate] == i;

        if (is_mutual && i < mate)
            pairs[pair_count++] = order[i] | order[mate] << 8;
        mates[i] = is_mutual && i > mate ? i : mate; /* its own mate: dropped */
    }
    if (pair_count == 0u) { /* cannot be */
        pairs[pair_count++] = order[0] | order[1] << 8;
        mates[1] = 1u;
        atomicAdd(TREE_HEAD.at[DW_TREE_BUILD_FORCED], 1u);
    }
    for (uint i = 0u; i < pair_count; i++)
        set(pairs[i] & 255u, tree_join(get(pairs[i] & 255u), get(pairs[i] >> 8)));
    for (uint i = 0u; i < count; i++) {
        if (mates[i] != i)
            order[left++] = order[i];
    }
    return left;
}

void merge(inout tree_range range)
{
    uint count = range.count_left + range.count_right;
    uint wanted = tree_is_all(range) ? 1u : TREE_HALF;

    for (uint i = 0u; i < count; i++) {
        set(i, tree_entry(range, i));
        order[i] = i;
    }
    while (count > wanted)
        count = merge_round(count);
    if (wanted == 1u) {
        tree_finish(get(order[0]));
    } else {
        for (uint i = 0u; i < count; i++)
            tree_store(range.left + i, get(order[i]));
    }
    range.count = count;
}

void main()
{
    uint next = (tree_group() * gl_WorkGroupSize.x + gl_LocalInvocationIndex) * push.part_items;
    uint end = min(next + push.part_items, push.count);
    bool is_climbing = false;
    tree_range range = tree_range_of(0u);

    if (push.count == 1u && next == 0u)
        tree_finish(tree_leaf(0u));
    if (push.count == 1u)
        return;
    for (;;) {
        bool is_owner = false;

        while (!is_owner && (is_climbing || next < end)) { /* all lanes get one before they merge */
            if (!is_climbing)
                range = tree_range_of(next++);
            else if (tree_is_long(range.left, range.right))
                tree_fence(); /* the list is written before the range is left */
            is_climbing = tree_climb(range);
            is_owner = is_climbing && tree_needs_merging(range);
        }
        if (!is_owner)
            break;
        tree_fence();
        merge(range);
        is_climbing = !tree_is_all(range);
    }
}
