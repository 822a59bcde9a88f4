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

#define BATCH 8u /* loads of a lane at a time */

shared uvec3 sums[DW_TREE_WIDE_LANES];

/* The sum over this lane and those before it. Ends with a barrier. */
uvec3 inclusive_sum(uint lane, uvec3 value)
{
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

/* Counts of a batch of tiles from `tile` on; none from `end` on. */
void load(out uvec3 parts[BATCH], tree_quads counts, uint tile, uint end)
{
    for (uint k = 0u; k < BATCH; k++) {
        uvec3 part = counts.at[min(tile + k, end - 1u)].xyz;

        parts[k] = tile + k < end ? part : uvec3(0u);
    }
}

void main()
{
    uint level = gl_WorkGroupID.x;
    uint lane = gl_LocalInvocationIndex;
    uint tiles = dw_tree_tiles(push.count);
    uint share = (tiles + DW_TREE_WIDE_LANES - 1u) / DW_TREE_WIDE_LANES;
    uint from = min(lane * share, tiles), to = min(from + share, tiles);
    tree_quads counts = tree_quads(tree_section(DW_TREE_AT_TABLES) + 16ul * level * tiles);
    uvec3 parts[BATCH];
    uvec3 own = uvec3(0u);

    for (uint tile = from; tile < to; tile += BATCH) {
        load(parts, counts, tile, to);
        for (uint k = 0u; k < BATCH; k++)
            own += parts[k];
    }

    uvec3 before = inclusive_sum(lane, own) - own;

    for (uint tile = from; tile < to; tile += BATCH) {
        load(parts, counts, tile, to);
        for (uint k = 0u; k < BATCH; k++) {
            if (tile + k < to)
                counts.at[tile + k].xyz = before;
            before += parts[k];
        }
    }
    if (lane == DW_TREE_WIDE_LANES - 1u) {
        for (int k = 0; k < 3; k++)
            TREE_HEAD.at[DW_TREE_BUILD_LEVELS + 4u * level + k] = before[k];
    }
}
