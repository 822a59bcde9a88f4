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

/* The window, by cells, packed as lists are; `order` lists the cells of the places. */
uvec4 cells_a[DW_TREE_WINDOW], cells_b[DW_TREE_WINDOW];
uvec2 cells_c[DW_TREE_WINDOW];
uint order[DW_TREE_WINDOW], mates[DW_TREE_WINDOW];

tree_cluster get(uint cell)
{
    return tree_unpack(cells_a[cell], cells_b[cell], cells_c[cell]);
}

void set(uint cell, tree_cluster c)
{
    cells_a[cell] = tree_pack_a(c);
    cells_b[cell] = tree_pack_b(c);
    cells_c[cell] = tree_pack_c(c);
}

/* Boxes and nearest neighbours so far of the last places, the latest first, in registers. Those
 * before the first place have a box so large that none is near. */
#define LAST     int(DW_TREE_RADIUS)
#define FAR_HIGH uvec3(0x49800000u) /* 2^20 */
#define FAR_AREA 1.0e9              /* less than with such a box */

uvec3 last_low[LAST], last_high[LAST];
float last_best[LAST];
uint last_mate[LAST];

/* Place i against those before it, the farthest first: of equal areas the lowest place wins. Then
 * it is the latest, and the farthest one is settled. */
void take_place(uint i, uvec3 low, uvec3 high)
{
    float best = FAR_AREA;
    uint mate = i;

    for (int k = LAST - 1; k >= 0; k--) {
        float area = tree_union_area(last_low[k], last_high[k], low, high);

        mate = area < best ? i - 1u - k : mate;
        best = area < best ? area : best;
        last_mate[k] = area < last_best[k] ? i : last_mate[k];
        last_best[k] = area < last_best[k] ? area : last_best[k];
    }
    if (i >= DW_TREE_RADIUS)
        mates[i - DW_TREE_RADIUS] = last_mate[LAST - 1];
    for (int k = LAST - 1; k > 0; k--) {
        last_low[k] = last_low[k - 1];
        last_high[k] = last_high[k - 1];
        last_best[k] = last_best[k - 1];
        last_mate[k] = last_mate[k - 1];
    }
    last_low[0] = low;
    last_high[0] = high;
    last_best[0] = best;
    last_mate[0] = mate;
}

void find_mates(uint count)
{
    for (int k = 0; k < LAST; k++) {
        last_low[k] = uvec3(0u);
        last_high[k] = FAR_HIGH;
        last_best[k] = 0.0;
        last_mate[k] = 0u;
    }
    for (uint i = 0u; i < count; i++) {
        uvec4 a = cells_a[order[i]];

        take_place(i, a.xyz, uvec3(a.w, cells_b[order[i]].xy));
    }
    for (int k = 0; k < LAST; k++)
        if (count > k)
            mates[count - 1u - k] = last_mate[k];
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
        tree_finish(tree_load(0u, false));
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
