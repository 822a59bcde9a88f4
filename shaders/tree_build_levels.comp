// SPDX-License-Identifier: MIT
// One workgroup a level: treelets, nodes and triangles of all tiles of slots become how many lie
// before each tile, and their sums.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#include "lib/tree_build.glsl"

layout(local_size_x = DW_TREE_WIDE_LANES) in;

#define SHARE 4u /* tiles of a lane at a time */

shared uvec3 sums[DW_TREE_WIDE_LANES];

/* The sum over this lane and those before it. Begins and ends with a barrier. */
uvec3 inclusive_sum(uint lane, uvec3 value)
{
    barrier();
    sums[lane] = value;
    barrier();
    for (uint step = 1u; step < DW_TREE_WIDE_LANES; step <<= 1) {
        uvec3 before = lane >= step ? sums[lane - step] : uvec3(0u);

        barrier();
        sums[lane] += before;
        barrier();
    }
    return sums[lane];
}

void main()
{
    uint level = gl_WorkGroupID.x;
    uint lane = gl_LocalInvocationIndex;
    uint tiles = dw_tree_tiles(push.count);
    uint first = level * tiles;
    tree_quads counts = tree_quads(tree_section(DW_TREE_AT_TABLES));
    uvec3 total = uvec3(0u);

    for (uint begin = 0u; begin < tiles; begin += SHARE * DW_TREE_WIDE_LANES) {
        uvec3 parts[SHARE];
        uvec3 own = uvec3(0u);

        for (uint k = 0u; k < SHARE; k++) {
            uint tile = begin + SHARE * lane + k;

            parts[k] = tile < tiles ? counts.at[first + tile].xyz : uvec3(0u);
            own += parts[k];
        }

        uvec3 before = total + inclusive_sum(lane, own) - own;

        for (uint k = 0u; k < SHARE; k++) {
            uint tile = begin + SHARE * lane + k;

            if (tile < tiles)
                counts.at[first + tile].xyz = before;
            before += parts[k];
        }
        total += sums[DW_TREE_WIDE_LANES - 1u];
    }
    if (lane == 0u) {
        for (int k = 0; k < 3; k++)
            TREE_HEAD.at[DW_TREE_BUILD_LEVELS + 4u * level + k] = total[k];
    }
}
