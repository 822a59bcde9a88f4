// SPDX-License-Identifier: MIT
// Items of a part in order to their places, by one invocation.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_sort.glsl"

layout(local_size_x = DW_TREE_LANES) in;

void main()
{
    uint part = gl_GlobalInvocationID.x;
    uint begin = part * push.part_items;
    tree_words next = TREE_DIGITS;
    tree_words head = TREE_HEAD;
    uint before = 0u;

    if (part >= push.part_count)
        return;
    for (uint digit = 0u; digit < 256u; digit++) {
        uint at = digit * push.part_count + part;

        next.at[at] = next.at[at] + before;
        before += head.at[DW_TREE_BUILD_DIGITS + digit];
    }
    for (uint i = begin; i < min(begin + push.part_items, push.count); i++) {
        uvec2 pair = sort_pair(i);
        uint at = sort_digit(pair.x) * push.part_count + part;
        uint place = next.at[at];

        next.at[at] = place + 1u;
        sort_put(place, pair);
    }
}
