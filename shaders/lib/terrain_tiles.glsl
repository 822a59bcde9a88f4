// SPDX-License-Identifier: MIT
// What samples read from the base and the tiles of a terrain picture.
#include "shared/terrain_compose.h"

layout(scalar, set = 0, binding = 8) restrict readonly buffer paint_block
{
    dw_terrain_paint paints[];
};
layout(scalar, set = 0, binding = 9) restrict readonly buffer base_block
{
    uint base[];
};
layout(scalar, set = 0, binding = 10) restrict readonly buffer detail_block
{
    uvec2 details[];
};
layout(scalar, set = 0, binding = 11) restrict readonly buffer light_block
{
    uint lights[];
};
layout(scalar, set = 0, binding = 12) restrict readonly buffer code_block
{
    uint codes[];
};

uint light_of(uint code)
{
    return lights[code >> 1] >> (16u * (code & 1u)) & 0xffffu;
}

uvec3 base_texel(uint at)
{
    uint word = base[at];

    return uvec3(light_of(word & 255u), light_of(word >> 8 & 255u), light_of(word >> 16 & 255u));
}

uint between(uint v00, uint v10, uint v01, uint v11, uvec2 f)
{
    return dw_terrain_between(v00, v10, v01, v11, f.x, f.y);
}

uvec3 base_at(uint x, uint y)
{
    uvec2 at = uvec2(column(DW_TERRAIN_STEP_BASE, x), row(DW_TERRAIN_STEP_BASE, y));
    uvec2 f = at & 255u;
    uint width = paints[0].base_width;
    uint first = (at.y >> 8) * width + (at.x >> 8);
    uint right = f.x != 0u ? 1u : 0u, down = f.y != 0u ? width : 0u;
    uvec3 v00 = base_texel(first), v10, v01, v11;

    if ((f.x | f.y) == 0u)
        return v00;
    v10 = base_texel(first + right);
    v01 = base_texel(first + down);
    v11 = base_texel(first + right + down);
    return uvec3(between(v00.x, v10.x, v01.x, v11.x, f), between(v00.y, v10.y, v01.y, v11.y, f),
                 between(v00.z, v10.z, v01.z, v11.z, f));
}

uvec4 detail_texel(uint at)
{
    uvec2 words = details[at];

    return uvec4(words.x & 0xffffu, words.x >> 16, words.y & 0xffffu, words.y >> 16);
}

uvec4 detail_at(uint slot, uint x, uint y)
{
    uvec2 at =
        uvec2(column(DW_TERRAIN_STEP_DETAIL + slot, x), row(DW_TERRAIN_STEP_DETAIL + slot, y));
    uvec2 f = at & 255u, p = at >> 8;
    uint width = paints[0].widths[slot], first = paints[0].firsts[slot];
    uint next_x = p.x + 1u < width ? p.x + 1u : 0u;
    uint next_y = p.y + 1u < paints[0].heights[slot] ? p.y + 1u : 0u;
    uvec4 v00 = detail_texel(first + p.y * width + p.x), v10, v01, v11;

    if ((f.x | f.y) == 0u)
        return v00;
    v10 = detail_texel(first + p.y * width + next_x);
    v01 = detail_texel(first + next_y * width + p.x);
    v11 = detail_texel(first + next_y * width + next_x);
    return uvec4(between(v00.x, v10.x, v01.x, v11.x, f), between(v00.y, v10.y, v01.y, v11.y, f),
                 between(v00.z, v10.z, v01.z, v11.z, f), between(v00.w, v10.w, v01.w, v11.w, f));
}
