// SPDX-License-Identifier: MIT
// Digits of a pass, counted by one invocation for each part.
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
    tree_words counts = TREE_DIGITS;

    if (part >= push.part_count)
        return;
    for (uint digit = 0u; digit < 256u; digit++)
        counts.at[digit * push.part_count + part] = 0u;
    for (uint i = begin; i < min(begin + push.part_items, push.count); i++) {
        uint at = sort_digit(sort_code(i)) * push.part_count + part;

        counts.at[at] = counts.at[at] + 1u;
    }
}
