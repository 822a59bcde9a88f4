// SPDX-License-Identifier: MIT
// Merging by subgroups of 32 lanes, one a place of the window: each lane climbs from its leaf, and
// all of them merge each long range that one of them comes to own. Ranges that meet within the 32
// leaves of a subgroup do so in shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require

#include "lib/tree_merge_wide.glsl"

layout(local_size_x = DW_TREE_MERGE_LANES) in;

shared uint meetings[DW_TREE_MERGE_LANES];   /* as the boundaries of scratch, of those within */
shared uint64_t deltas[DW_TREE_MERGE_LANES]; /* behind each leaf */

uint first;            // the subgroup's first leaf
uint within;           // a bit for each leaf behind which only ranges of these leaves meet
uint64_t delta_before; // before the first leaf

uint64_t shuffle_64(uint64_t value, uint source)
{
    uvec2 words = subgroupShuffle(unpackUint2x32(value), source);

    return packUint2x32(words);
}

/* The range above a boundary reaches as far as differences are smaller to either side. */
void find_within()
{
    uint64_t own = tree_delta(first + lane);
    uint64_t most_before = own, most_after = own;

    delta_before = tree_delta(first - 1u);
    deltas[base + lane] = own;
    meetings[base + lane] = TREE_NOBODY;
    for (uint step = 1u; step < 32u; step <<= 1) {
        uint64_t lower = shuffle_64(most_before, lane - min(lane, step));
        uint64_t upper = shuffle_64(most_after, min(lane + step, 31u));

        most_before = lower > most_before ? lower : most_before;
        most_after = upper > most_after ? upper : most_after;
    }
    most_before = shuffle_64(most_before, lane - min(lane, 1u));
    most_after = shuffle_64(most_after, min(lane + 1u, 31u));
    if (lane == 0u || delta_before > most_before)
        most_before = delta_before;
    within = subgroupBallot(lane < 31u && most_before > own && most_after > own).x;
    subgroupBarrier();
}

bool meets_within(tree_range range)
{
    uint at = tree_boundary(range) - first;

    return at < 32u && (within >> at & 1u) != 0u;
}

/* As tree_climb, over a boundary within. */
bool climb_within(inout tree_range range)
{
    bool is_left = tree_is_left_child(range);
    uint other = atomicExchange(meetings[base + tree_boundary(range) - first],
                                tree_leaving(range));

    if (other != TREE_NOBODY) {
        tree_take(range, other);

        uint at = tree_new_boundary(range, is_left) - first;

        tree_widen(range, is_left, at < 32u ? deltas[base + at] : delta_before);
    }
    return other != TREE_NOBODY;
}

/* Lists are written before their ranges are left, and read after they are taken over. */
void climb_out(inout tree_range range, inout bool is_climbing)
{
    if (subgroupAny(is_climbing && tree_is_long(range.left, range.right)))
        tree_fence();
    subgroupBarrier();
    if (is_climbing)
        is_climbing = tree_climb(range);
    if (subgroupAny(is_climbing && tree_needs_merging(range)))
        tree_fence();
}

void main()
{
    lane = gl_SubgroupInvocationID;
    base = gl_SubgroupID * 32u;
    first = tree_group() * DW_TREE_MERGE_LANES + base;

    bool is_climbing = first + lane < push.count;
    tree_range range = tree_range_of(first + lane);

    if (push.count == 1u) {
        if (first + lane == 0u)
            tree_finish(tree_load(0u, false));
        return;
    }
    find_within();
    while (subgroupAny(is_climbing)) {
        bool is_owner = false;
        bool is_within = is_climbing && meets_within(range);

        while (subgroupAny(is_within)) {
            if (is_within) {
                is_climbing = climb_within(range);
                is_owner = is_climbing && tree_needs_merging(range);
            }
            is_within = is_climbing && !is_owner && meets_within(range);
        }
        if (!subgroupAny(is_owner)) {
            climb_out(range, is_climbing);
            is_owner = is_climbing && tree_needs_merging(range);
        }
        subgroupBarrier();
        for (uint owners = subgroupBallot(is_owner).x; owners != 0u; owners &= owners - 1u) {
            uint owner = findLSB(owners);
            uint count = merge(range, owner);

            if (lane == owner) {
                range.count = count;
                is_climbing = !tree_is_all(range);
            }
        }
    }
}
