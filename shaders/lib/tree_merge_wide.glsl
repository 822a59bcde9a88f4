// SPDX-License-Identifier: MIT
// Merging a window by a subgroup of 32 lanes, one a place.
#ifndef DW_LIB_TREE_MERGE_WIDE_GLSL
#define DW_LIB_TREE_MERGE_WIDE_GLSL

#include "lib/tree_climb.glsl"

shared uint orders[DW_TREE_MERGE_LANES];

uint lane, base; // of the subgroup; its first lane in the workgroup

tree_cluster from_lane(tree_cluster c, uint source)
{
    return tree_cluster(subgroupShuffle(c.low, source), subgroupShuffle(c.high, source),
                        subgroupShuffle(c.cost, source), subgroupShuffle(c.meta, source),
                        subgroupShuffle(c.first, source), subgroupShuffle(c.what, source),
                        subgroupShuffle(c.depth, source));
}

/* The lane of the nearest neighbour: the smallest union, of equal ones the lowest lane. */
uint nearest(tree_cluster c, uint count)
{
    float areas[DW_TREE_RADIUS];
    float best = 3.0e38;
    uint found = lane;

    for (uint i = 0u; i < DW_TREE_RADIUS; i++)
        areas[i] = tree_union_area(c.low, c.high, subgroupShuffleDown(c.low, i + 1u),
                                   subgroupShuffleDown(c.high, i + 1u));
    for (uint i = DW_TREE_RADIUS; i > 0u; i--) {
        float area = subgroupShuffleUp(areas[i - 1u], i);

        if (lane >= i && area < best) {
            best = area;
            found = lane - i;
        }
    }
    for (uint i = 1u; i <= DW_TREE_RADIUS; i++) {
        if (lane + i < count && areas[i - 1u] < best) {
            best = areas[i - 1u];
            found = lane + i;
        }
    }
    return found;
}

/* One round: all mutual nearest pairs join, and lanes close up. Returns how many are left. */
uint merge_round(inout tree_cluster c, uint count)
{
    uint mate = nearest(c, count);
    bool is_there = lane < count;
    bool is_mutual = subgroupShuffle(mate, mate) == lane && is_there && mate != lane;

    if (!subgroupAny(is_mutual)) { /* cannot be */
        mate = 1u - lane;
        is_mutual = lane < 2u;
        if (lane == 0u)
            atomicAdd(TREE_HEAD.at[DW_TREE_BUILD_FORCED], 1u);
    }
    tree_cluster other = from_lane(c, mate & 31u);

    if (is_mutual && lane < mate)
        c = tree_join(c, other);

    bool is_kept = is_there && !(is_mutual && lane > mate);
    uint kept = subgroupBallot(is_kept).x;

    if (is_kept)
        orders[base + bitCount(kept & ((1u << lane) - 1u))] = lane;
    subgroupBarrier();

    uint left = bitCount(kept);

    c = from_lane(c, lane < left ? orders[base + lane] : 0u);
    subgroupBarrier();
    return left;
}

/* Merges the range that lane `owner` owns; the list's length. */
uint merge(tree_range range, uint owner)
{
    range = tree_range(subgroupShuffle(range.left, owner), subgroupShuffle(range.right, owner), 0ul,
                       0ul, 0u, subgroupShuffle(range.split, owner),
                       subgroupShuffle(range.count_left, owner),
                       subgroupShuffle(range.count_right, owner));

    uint count = range.count_left + range.count_right;
    uint wanted = tree_is_all(range) ? 1u : TREE_HALF;
    tree_cluster c = tree_entry(range, min(lane, count - 1u));

    while (count > wanted)
        count = merge_round(c, count);
    if (wanted > 1u && lane < count)
        tree_store(range.left + lane, c);
    if (wanted == 1u && lane == 0u)
        tree_finish(c);
    return count;
}

#endif
