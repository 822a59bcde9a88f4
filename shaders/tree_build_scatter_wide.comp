// SPDX-License-Identifier: MIT
// Items of a part in order to their places, by one workgroup: lanes of a subgroup with equal digits
// are ranked by ballots, subgroups follow one another.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require

#include "lib/tree_sort.glsl"

layout(local_size_x = DW_TREE_WIDE_LANES) in;

#define SUBGROUPS (DW_TREE_WIDE_LANES / 32u)

shared uint bins[SUBGROUPS][256];
shared uint sums[SUBGROUPS];

/* Lanes whose items have the same digit. */
uint peers_of(uint digit, bool is_there)
{
    uint peers = subgroupBallot(is_there).x;

    for (uint bit = 0u; bit < 8u; bit++) {
        bool is_set = (digit >> bit & 1u) != 0u;
        uint lanes = subgroupBallot(is_set).x;

        peers &= is_set ? lanes : ~lanes;
    }
    return peers;
}

/* How many items with a lower digit there are, of the digit that is this lane's number. */
uint items_below(uint lane)
{
    uint total = TREE_HEAD.at[DW_TREE_BUILD_DIGITS + lane];
    uint before = subgroupExclusiveAdd(total);

    if (gl_SubgroupInvocationID == 31u)
        sums[gl_SubgroupID] = before + total;
    barrier();
    for (uint i = 0u; i < gl_SubgroupID; i++)
        before += sums[i];
    return before;
}

uvec2 pairs[DW_TREE_WIDE_ROUNDS];

/* All of a lane's items at once: no load waits for another one. */
void load_pairs(uint begin)
{
    uint last = push.count - 1u;

    if (sort_is_first()) {
        tree_words codes = tree_words(tree_section(DW_TREE_AT_CODES));

        for (uint round = 0u; round < DW_TREE_WIDE_ROUNDS; round++) {
            uint i = min(begin + round * 32u, last);

            pairs[round] = uvec2(codes.at[i], i);
        }
    } else {
        sort_pairs from = sort_from();

        for (uint round = 0u; round < DW_TREE_WIDE_ROUNDS; round++)
            pairs[round] = from.at[min(begin + round * 32u, last)];
    }
}

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint own = gl_SubgroupInvocationID;
    uint part = tree_group();
    uint begin = (part * SUBGROUPS + gl_SubgroupID) * 32u * DW_TREE_WIDE_ROUNDS + own;
    uint rank[DW_TREE_WIDE_ROUNDS];

    for (uint i = 0u; i < SUBGROUPS; i++)
        bins[i][lane] = 0u;
    load_pairs(begin);
    barrier();
    for (uint round = 0u; round < DW_TREE_WIDE_ROUNDS; round++) {
        bool is_there = begin + round * 32u < push.count;
        uint digit = sort_digit(pairs[round].x);
        uint peers = peers_of(digit, is_there);
        uint before = bins[gl_SubgroupID][digit];

        rank[round] = before + bitCount(peers & ((1u << own) - 1u));
        subgroupBarrier();
        if (is_there && findLSB(peers) == int(own))
            bins[gl_SubgroupID][digit] = before + bitCount(peers);
        subgroupBarrier();
    }
    barrier();

    uint place = items_below(lane);

    if (part < push.part_count)
        place += TREE_DIGITS.at[lane * push.part_count + part];
    for (uint i = 0u; i < SUBGROUPS; i++) {
        uint count = bins[i][lane];

        bins[i][lane] = place;
        place += count;
    }
    barrier();
    for (uint round = 0u; round < DW_TREE_WIDE_ROUNDS; round++) {
        if (begin + round * 32u < push.count) {
            uint to = bins[gl_SubgroupID][sort_digit(pairs[round].x)] + rank[round];

            sort_put(to, pairs[round]);
        }
    }
}
