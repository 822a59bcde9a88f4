#version 460
// SPDX-License-Identifier: MIT
// Gutters: each texel of a tile outside its content becomes a copy of the content texel that its
// index maps to, in the outputs or in the sums that merged levels start from. A workgroup takes a
// run of them, numbered above, below, left and right of the content in turn.
#extension GL_GOOGLE_include_directive : require
#include "lib/atlas.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

uint output_texel(uint at)
{
    return level_quads_out[at >> 2][at & 3u];
}

void copy_texel(dw_atlas_level level, ivec2 to, ivec2 from)
{
    uint to_index = uint(to.y * level.width + to.x);
    uint from_index = uint(from.y * level.width + from.x);

    if (has_flag(DW_ATLAS_FILLS_SUMS)) {
        uint base = level.first - push.plane_base;

        sums[base + to_index] = sums[base + from_index];
        return;
    }
    uint color = output_texel(level.first + from_index);
    uint average = uint(alpha_out[level.first + from_index]);

    if (has_flag(DW_ATLAS_IS_CLEARED)) {
        color &= 0xffffffu;
        average = 0u;
    }
    set_output_texel(level.first + to_index, color);
    alpha_out[level.first + to_index] = uint8_t(average);
}

// Gutter texel number i of a tile; beyond the last one outside the tile.
ivec2 gutter_texel(dw_tile_level place, int i)
{
    int width = place.x1 - place.x0;
    int height = place.content_y1 - place.content_y0;
    int above = width * (place.content_y0 - place.y0);
    int below = width * (place.y1 - place.content_y1);
    int left = place.content_x0 - place.x0, right = place.x1 - place.content_x1;

    if (i < above)
        return ivec2(place.x0 + i % width, place.y0 + i / width);
    i -= above;
    if (i < below)
        return ivec2(place.x0 + i % width, place.content_y1 + i / width);
    i -= below;
    if (i < left * height)
        return ivec2(place.x0 + i % left, place.content_y0 + i / left);
    i -= left * height;
    if (i < right * height)
        return ivec2(place.content_x1 + i % right, place.content_y0 + i / right);
    return ivec2(place.x1, place.y1);
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    dw_atlas_block block = blocks[push.first_block + group_index()];
    dw_atlas_level level = levels[block.place % push.level_total];
    dw_tile_level place = places[block.place];

    for (int i = int(gl_LocalInvocationIndex); i < DW_ATLAS_GUTTER_RUN; i += DW_ATLAS_LANES) {
        ivec2 to = gutter_texel(place, int(block.at) * DW_ATLAS_GUTTER_RUN + i);

        if (to.x >= place.x1)
            continue;
        copy_texel(level, to,
                   ivec2(content_index(to.x, place.content_x0, place.content_x1),
                         content_index(to.y, place.content_y0, place.content_y1)));
    }
}
