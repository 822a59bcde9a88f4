#version 460
// SPDX-License-Identifier: MIT
// One mip step with the box filter, a texel an invocation.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"
#include "lib/atlas_sums.glsl"
#include "lib/atlas_filter.glsl"

layout(local_size_x = DW_ATLAS_DOWN_SIDE, local_size_y = DW_ATLAS_DOWN_SIDE) in;

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    uint n = block.place % push.level_total;
    dw_atlas_level level = levels[n];
    dw_tile_level to = places[block.place], from = places[block.place - 1u];
    int x = to.content_x0 + int(block.at & 0xffffu) * DW_ATLAS_DOWN_SIDE +
            int(gl_LocalInvocationID.x);
    int y = to.content_y0 + int(block.at >> 16) * DW_ATLAS_DOWN_SIDE +
            int(gl_LocalInvocationID.y);

    if (x < to.content_x1 && y < to.content_y1)
        store_texel(plane_index(level, x, y), box_texel(n, level, from, x, y));
}
