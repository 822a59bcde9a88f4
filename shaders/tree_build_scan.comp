// SPDX-License-Identifier: MIT
// One workgroup a digit: the counts of all parts become how many such items lie before each.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_sort.glsl"

layout(local_size_x = DW_TREE_LANES) in;

shared uint sums[DW_TREE_LANES];

void main()
{
    uint digit = gl_WorkGroupID.x;
    uint lane = gl_LocalInvocationIndex;
    uint first = digit * push.part_count;
    uint share = (push.part_count + DW_TREE_LANES - 1u) / DW_TREE_LANES;
    uint from = min(lane * share, push.part_count);
    uint to = min(from + share, push.part_count);
    tree_words counts = TREE_DIGITS;
    uint own = 0u;

    for (uint i = from; i < to; i++)
        own += counts.at[first + i];
    sums[lane] = own;
    barrier();

    uint before = 0u;

    for (uint i = 0u; i < lane; i++)
        before += sums[i];
    for (uint i = from; i < to; i++) {
        uint count = counts.at[first + i];

        counts.at[first + i] = before;
        before += count;
    }
    if (lane == DW_TREE_LANES - 1u)
        TREE_HEAD.at[DW_TREE_BUILD_DIGITS + digit] = before;
}
