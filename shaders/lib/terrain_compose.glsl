// SPDX-License-Identifier: MIT
// Four pixels of a terrain picture, three words, by each invocation.
#include "lib/terrain_tiles.glsl"

struct over {
    uvec3 light; // of details, times their amounts
    uint covered;
};

void add_slot(uint slot, uint x, uint y, uint amount, inout over sum)
{
    uint scaled = dw_terrain_part(amount, paints[0].strengths[slot]);
    uvec4 v;

    if (scaled == 0u)
        return;
    v = detail_at(slot, x, y);
    sum.light += scaled * v.xyz;
    sum.covered += dw_terrain_cover(scaled, v.w);
}

// The place; w becomes what the expectation goes by.
uint weigh(inout uint w[DW_TERRAIN_WIDTH], uint x, uint y)
{
    uint cell_x = column(DW_TERRAIN_STEP_CELL, x), cell_y = row(DW_TERRAIN_STEP_CELL, y);
    float h[DW_TERRAIN_WIDTH];
    uint place = 0u;

    read_heights(x, y, h);
    dw_terrain_tidy(w);
    if (MODE == DW_TERRAIN_MODE_PRIORITY_ADDITIVE) {
        uint own[DW_TERRAIN_WIDTH] = w;

        if (IS(IS_CHOSEN))
            place = dw_terrain_win(own, cell_x, cell_y);
        if (IS(IS_EXPECTED)) {
            dw_terrain_chances(w, h);
            for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
                w[i] = dw_terrain_chance(h[i]);
        }
    } else if (MODE != DW_TERRAIN_MODE_SMOOTH) {
        dw_terrain_weigh(w, h);
        if (IS(IS_CHOSEN))
            place = dw_terrain_pick(w, dw_terrain_noise_at(cell_x, cell_y, LAW_seed, 0u));
    }
    return place;
}

void add_details(uint x, uint y, inout over sum)
{
    uint w[DW_TERRAIN_WIDTH], place, part = 0u, before = 0u;
    float inverse;

#ifdef DW_TERRAIN_IS_INDEX
    if (!read_pairs(x, y, w))
        return;
#else
    if (FORM <= DW_TERRAIN_FORM_HALF ? !read_floats(x, y, w) : !read_wholes(x, y, w))
        return;
#endif
    place = weigh(w, x, y);
    if (!IS(IS_EXPECTED)) {
        add_slot(slot_of(place), x, y, DW_TERRAIN_FULL, sum);
        return;
    }
    inverse = dw_terrain_amount_inverse(dw_terrain_total(w));
    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        uint amount = IS(IS_CHOSEN) && i == place ? paints[0].chosen : 0u, reached;

        part += w[i];
        reached = dw_terrain_amount(part, inverse, paints[0].expected);
        amount += reached - before;
        before = reached;
        if (amount != 0u)
            add_slot(slot_of(i), x, y, amount, sum);
    }
}

uint compose_pixel(uint px, uint py)
{
    uint samples = paints[0].samples, code = 0u;
    uvec3 sums = uvec3(0u);

    for (uint i = 0u; i < samples * samples; i++) {
        uint x = px * samples + i % samples, y = py * samples + i / samples;
        over sum = over(uvec3(0u), 0u);
        uvec3 under = base_at(x, y);

        if (IS(IS_CHOSEN) || IS(IS_EXPECTED))
            add_details(x, y, sum);
        for (uint c = 0u; c < 3u; c++)
            sums[c] += dw_terrain_over(under[c], sum.covered, sum.light[c]);
    }
    for (uint c = 0u; c < 3u; c++) {
        uint at = dw_terrain_code_at(sums[c], samples * samples);

        code |= (codes[at >> 2] >> (8u * (at & 3u)) & 255u) << (8u * c);
    }
    return code;
}

void main()
{
    uint group = gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x;
    uint quad = group * DW_TERRAIN_GROUP + gl_LocalInvocationIndex;
    uint width = push.width / paints[0].samples, size = width * push.rows;
    uint c[4] = uint[4](0u, 0u, 0u, 0u);

    if (quad >= (size + 3u) / 4u)
        return;
    for (uint i = 0u; i < 4u; i++) {
        uint at = 4u * quad + i;

        if (at < size)
            c[i] = compose_pixel(at % width, push.row + at / width);
    }
    ids[3u * quad] = c[0] | c[1] << 24;
    ids[3u * quad + 1u] = c[1] >> 8 | c[2] << 16;
    ids[3u * quad + 2u] = c[2] >> 16 | c[3] << 8;
}
