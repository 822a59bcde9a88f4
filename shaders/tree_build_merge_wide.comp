// SPDX-License-Identifier: MIT
// Merging by subgroups of 32 lanes, one a place of the window: each lane climbs from its leaf, and
// all of them merge each long range that one of them comes to own.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require

#include "lib/tree_climb.glsl"

layout(local_size_x = DW_TREE_LANES) in;

shared uint orders[DW_TREE_LANES];

uint lane;

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
    uint base = gl_LocalInvocationIndex - lane;

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

void main()
{
    uint group = tree_group() * (DW_TREE_LANES / 32u) + gl_SubgroupID;

    lane = gl_SubgroupInvocationID;

    uint place = group * 32u + lane;
    tree_range range = tree_range_of(place);
    bool is_climbing = place < push.count;

    if (push.count == 1u) {
        if (place == 0u)
            tree_finish(tree_load(0u, false));
        return;
    }
    while (subgroupAny(is_climbing)) {
        bool has_list = is_climbing && tree_is_long(range.left, range.right);

        if (subgroupAny(has_list)) { /* lists are written before their ranges are left */
            tree_fence();
            subgroupBarrier();
        }
        if (is_climbing)
            is_climbing = tree_climb(range);

        uint owners = subgroupBallot(is_climbing && tree_needs_merging(range)).x;

        if (owners != 0u) {
            tree_fence();
            subgroupBarrier();
        }
        while (owners != 0u) {
            uint owner = findLSB(owners);
            uint count = merge(range, owner);

            owners &= owners - 1u;
            if (lane == owner) {
                range.count = count;
                is_climbing = !tree_is_all(range);
            }
        }
    }
}
