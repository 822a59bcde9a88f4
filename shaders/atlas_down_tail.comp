#version 460
// SPDX-License-Identifier: MIT
// All levels of one tile from a small one down to its last: a workgroup each, level by level.
#extension GL_GOOGLE_include_directive : require
#define DW_SUMS_ARE_COHERENT
#include "lib/atlas.glsl"
#include "lib/atlas_sums.glsl"
#include "lib/atlas_filter.glsl"

layout(local_size_x = DW_ATLAS_LANES) in;

void make_level(uint n, uint place_index)
{
    dw_atlas_level level = levels[n];
    dw_tile_level to = places[place_index], from = places[place_index - 1u];
    uint width = uint(to.content_x1 - to.content_x0);
    uint area = width * uint(to.content_y1 - to.content_y0);

    for (uint i = gl_LocalInvocationIndex; i < area; i += uint(DW_ATLAS_LANES)) {
        int x = to.content_x0 + int(i % width), y = to.content_y0 + int(i / width);
        uvec4 s = has_flag(DW_ATLAS_IS_BOX) ? box_texel(n, level, from, x, y)
                                            : wide_texel(n, level, from, x, y);

        store_texel(plane_index(level, x, y), s);
    }
}

void main()
{
    if (group_index() >= push.block_count)
        return;
    uint place_index = blocks[push.first_block + group_index()].place;

    for (uint n = place_index % push.level_total; n < push.level_total; n++, place_index++) {
        if (places[place_index].x1 <= places[place_index].x0)
            return;
        make_level(n, place_index);
        memoryBarrierBuffer();
        barrier();
    }
}
