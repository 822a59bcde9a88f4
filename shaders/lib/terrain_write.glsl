// SPDX-License-Identifier: MIT
// Four pixels, a word of ids, by each invocation.

layout(scalar, set = 0, binding = 8) restrict readonly buffer cell_block { uvec4 cell_quads[]; };

uint id_of(uint place)
{
#ifdef DW_TERRAIN_IS_INDEX
    return laws[0].ids[own_places[place]];
#else
    return IS(IS_ORDERED) ? place : laws[0].ids[place];
#endif
}

uint choose_whole(inout uint w[DW_TERRAIN_WIDTH], uint cell_x, uint x, uint y)
{
    float h[DW_TERRAIN_WIDTH];

    read_heights(x, y, h);
    return id_of(dw_terrain_choose_whole(w, h, cell_x, row(DW_TERRAIN_STEP_CELL, y)));
}

uint select_pixel(uint x, uint y)
{
    uint w[DW_TERRAIN_WIDTH];
    bool is_any;

#ifdef DW_TERRAIN_IS_INDEX
    is_any = read_pairs(x, y, w);
#else
    if (FORM <= DW_TERRAIN_FORM_HALF)
        is_any = read_floats(x, y, w);
    else
        is_any = read_wholes(x, y, w);
#endif
    return is_any ? choose_whole(w, column(DW_TERRAIN_STEP_CELL, x), x, y) : laws[0].empty_id;
}

#ifndef DW_TERRAIN_IS_INDEX
#include "lib/terrain_quad.glsl"
#endif

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint word = group * DW_TERRAIN_GROUP + gl_LocalInvocationIndex;
    uint size = push.width * push.rows;
    uint bytes = 0u;

    if (word >= (size + 3u) / 4u)
        return;
#ifndef DW_TERRAIN_IS_INDEX
    if (IS(IS_QUADS)) {
        ids[word] = select_quad(4u * word % push.width, push.row + 4u * word / push.width);
        return;
    }
#endif
    for (uint i = 0u; i < 4u; i++) {
        uint at = 4u * word + i;

        if (at < size)
            bytes |= select_pixel(at % push.width, push.row + at / push.width) << (8u * i);
    }
    ids[word] = bytes;
}
