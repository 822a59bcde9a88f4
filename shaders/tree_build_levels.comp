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

shared uvec3 sums[DW_TREE_WIDE_LANES];

void main()
{
    uint level = gl_WorkGroupID.x;
    uint lane = gl_LocalInvocationIndex;
    uint tiles = dw_tree_tiles(push.count);
    uint first = level * tiles;
    uint share = (tiles + DW_TREE_WIDE_LANES - 1u) / DW_TREE_WIDE_LANES;
    uint from = min(lane * share, tiles);
    uint to = min(from + share, tiles);
    tree_quads counts = tree_quads(tree_section(DW_TREE_AT_TABLES));
    uvec3 own = uvec3(0u);

    for (uint i = from; i < to; i++)
        own += counts.at[first + i].xyz;
    sums[lane] = own;
    barrier();
    for (uint step = 1u; step < DW_TREE_WIDE_LANES; step <<= 1) {
        uvec3 before = lane >= step ? sums[lane - step] : uvec3(0u);

        barrier();
        sums[lane] += before;
        barrier();
    }

    uvec3 before = sums[lane] - own;

    for (uint i = from; i < to; i++) {
        uvec3 count = counts.at[first + i].xyz;

        counts.at[first + i].xyz = before;
        before += count;
    }
    if (lane == DW_TREE_WIDE_LANES - 1u) {
        for (int k = 0; k < 3; k++)
            TREE_HEAD.at[DW_TREE_BUILD_LEVELS + 4u * level + k] = before[k];
    }
}
