// SPDX-License-Identifier: MIT
// Digits of a pass, counted by one workgroup for each part.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_sort.glsl"

layout(local_size_x = DW_TREE_WIDE_LANES) in;

shared uint bins[256];

void main()
{
    uint lane = gl_LocalInvocationIndex;
    uint part = tree_group();
    uint begin = part * DW_TREE_WIDE_LANES * DW_TREE_WIDE_ROUNDS;

    bins[lane] = 0u;
    barrier();
    for (uint round = 0u; round < DW_TREE_WIDE_ROUNDS; round++) {
        uint i = begin + round * DW_TREE_WIDE_LANES + lane;

        if (i < push.count)
            atomicAdd(bins[sort_digit(sort_code(i))], 1u);
    }
    barrier();
    if (part < push.part_count)
        TREE_DIGITS.at[lane * push.part_count + part] = bins[lane];
}
