#version 460
// SPDX-License-Identifier: MIT
// Gutters: each texel of a tile outside its content becomes a copy of the content texel that its
// index maps to, in the outputs or in the sums that merged levels start from.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"

layout(local_size_x = DW_ATLAS_FINISH_SIDE,
       local_size_y = DW_ATLAS_LANES / DW_ATLAS_FINISH_SIDE) in;

void copy_texel(dw_atlas_level level, ivec2 to, ivec2 from)
{
    uint to_index = uint(to.y * level.width + to.x);
    uint from_index = uint(from.y * level.width + from.x);

    if (has_flag(DW_ATLAS_FILLS_SUMS)) {
        uint base = level.first - push.plane_base;

        sums[base + to_index] = sums[base + from_index];
        return;
    }
    uint color = levels_out[level.first + from_index];
    bool is_cleared = has_flag(DW_ATLAS_IS_CLEARED);

    levels_out[level.first + to_index] = is_cleared ? color & 0xffffffu : color;
    alpha_out[level.first + to_index] =
        uint8_t(is_cleared ? 0u : uint(alpha_out[level.first + from_index]));
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    dw_atlas_level level = levels[block.place % push.level_total];
    dw_tile_level place = places[block.place];
    int x = place.x0 + int(block.at & 0xffffu) * DW_ATLAS_FINISH_SIDE +
            int(gl_LocalInvocationID.x);
    int y0 = place.y0 + int(block.at >> 16) * DW_ATLAS_FINISH_SIDE;
    int y_end = min(y0 + DW_ATLAS_FINISH_SIDE, place.y1);
    int from_x = content_index(x, place.content_x0, place.content_x1);

    if (x >= place.x1)
        return;
    for (int y = y0 + int(gl_LocalInvocationID.y); y < y_end;
         y += DW_ATLAS_LANES / DW_ATLAS_FINISH_SIDE) {
        int from_y = content_index(y, place.content_y0, place.content_y1);

        if (from_x != x || from_y != y)
            copy_texel(level, ivec2(x, y), ivec2(from_x, from_y));
    }
}
