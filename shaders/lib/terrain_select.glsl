// SPDX-License-Identifier: MIT
// Ids of terrain pixels. The includer defines DW_TERRAIN_WIDTH, and DW_TERRAIN_IS_INDEX for maps of
// ids, where places are those of the texels at hand.
#extension GL_EXT_control_flow_attributes : require
#include "shared/terrain.h"

layout(local_size_x = DW_TERRAIN_GROUP) in;
layout(scalar, set = 0, binding = 0) restrict readonly buffer law_block { dw_terrain_law laws[]; };
layout(scalar, set = 0, binding = 1) restrict readonly buffer table_block { uint table[]; };
layout(scalar, set = 0, binding = 2) restrict readonly buffer column_block { uint columns[]; };
layout(scalar, set = 0, binding = 3) restrict readonly buffer row_block { uint rows[]; };
layout(scalar, set = 0, binding = 4) restrict readonly buffer weight_block { uint weights[]; };
layout(scalar, set = 0, binding = 5) restrict readonly buffer quad_block { uvec4 quads[]; };
layout(scalar, set = 0, binding = 6) restrict readonly buffer height_block { float heights[]; };
layout(scalar, set = 0, binding = 7) restrict writeonly buffer id_block { uint ids[]; };
layout(scalar, push_constant) uniform constants { dw_terrain_push push; };
layout(constant_id = 0) const uint MODE = 0u;
layout(constant_id = 1) const uint NOISE = 0u;
layout(constant_id = 2) const uint FORM = 0u;
layout(constant_id = 3) const uint FLAGS = 0u;
layout(constant_id = 4) const uint WORDS = 1u; // of a texel, for quads

#define IS(flag) ((FLAGS & DW_TERRAIN_##flag) != 0u)
#define LAW_mode         MODE
#define LAW_noise        NOISE
#define LAW_quantize     (IS(IS_QUANTIZED) ? laws[0].quantize : 0u)
#define LAW_least        (IS(IS_DROPPING) ? laws[0].least : 0u)
#define LAW_share        (IS(IS_SHARED) ? laws[0].share : 0xffffffffu)
#define LAW_side_mask    laws[0].side_mask
#define LAW_rank_bits    laws[0].rank_bits
#define LAW_seed         laws[0].seed
#define LAW_swing        laws[0].swing
#define LAW_depth        laws[0].depth
#define LAW_accents      laws[0].accents
#define LAW_exponent     laws[0].exponent
#define LAW_accent_begin laws[0].accent_begin
#define LAW_accent_scale laws[0].accent_scale
#define LAW_lifts        laws[0].lifts
#define LAW_levels       laws[0].levels
#define LAW_offsets      laws[0].offsets
#define DW_TERRAIN_LAW(field) LAW_##field
#define DW_TERRAIN_TABLE(i)   (table[(i) >> 1] >> (16u * ((i) & 1u)) & 0xffffu)

#ifdef DW_TERRAIN_IS_INDEX
uint own_places[DW_TERRAIN_WIDTH];
#define DW_TERRAIN_OWN(field, i) (LAW_##field[own_places[i]])
#endif
#include "shared/terrain_choose.h"

uint column(uint part, uint x)
{
    return columns[part * push.width + x];
}

uint row(uint part, uint y)
{
    return rows[part * push.height + y];
}

// The texel at a corner, 0 to 3, counted from the first one in the buffers.
uint texel(uint x, uint y, uint corner)
{
    return (row(DW_TERRAIN_STEP_TEXEL + (corner >> 1), y) - push.texel_row) * push.texels +
           column(DW_TERRAIN_STEP_TEXEL + (corner & 1u), x);
}

uint corner_part(uint fx, uint fy, uint corner)
{
    return ((corner & 1u) != 0u ? fx : DW_TERRAIN_FRACTION - fx) *
           ((corner >> 1) != 0u ? fy : DW_TERRAIN_FRACTION - fy);
}

uint slot_of(uint place)
{
#ifdef DW_TERRAIN_IS_INDEX
    return laws[0].slots[own_places[place]];
#else
    return IS(IS_ORDERED) ? place : laws[0].slots[place];
#endif
}

float float_at(uint at, uint slot)
{
    uint index = at * push.pitch + slot;

    if (FORM == DW_TERRAIN_FORM_HALF) {
        index += push.weight_base / 2u;
        return dw_terrain_half(weights[index >> 1] >> (16u * (index & 1u)) & 0xffffu);
    }
    return dw_terrain_clean(uintBitsToFloat(weights[push.weight_base / 4u + index]));
}

float height_at(uint at, uint slot)
{
    return dw_terrain_clean_height(heights[push.height_base + at * push.slots + slot]);
}

// Of bits, from a texel's words.
uint whole_at(uint at, uint slot)
{
    uint bits = FORM == DW_TERRAIN_FORM_NIBBLE ? 4u : 8u;
    uint index = push.weight_base * 8u / bits + at * push.pitch + slot;

    return weights[index / (32u / bits)] >> (index * bits & 31u) & ((1u << bits) - 1u);
}

float filtered(float v00, float v10, float v01, float v11, uint fx, uint fy)
{
    float tx = dw_float(fx) * (1.0 / float(DW_TERRAIN_FRACTION));
    float ty = dw_float(fy) * (1.0 / float(DW_TERRAIN_FRACTION));

    return dw_lerp(dw_lerp(v00, v10, tx), dw_lerp(v01, v11, tx), ty);
}

void read_heights(uint x, uint y, out float h[DW_TERRAIN_WIDTH])
{
    uint fx = column(DW_TERRAIN_STEP_FRACTION, x), fy = row(DW_TERRAIN_STEP_FRACTION, y);

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        h[i] = 0.0;
        if (MODE != DW_TERRAIN_MODE_HEIGHT || !IS(HAS_HEIGHTS) || i >= push.slots)
            continue;
        h[i] = height_at(texel(x, y, 0u), slot_of(i));
        if (IS(IS_LINEAR))
            h[i] = filtered(h[i], height_at(texel(x, y, 1u), slot_of(i)),
                            height_at(texel(x, y, 2u), slot_of(i)),
                            height_at(texel(x, y, 3u), slot_of(i)), fx, fy);
    }
}

// Clean weights; false where there is none.
bool read_floats(uint x, uint y, out uint w[DW_TERRAIN_WIDTH])
{
    uint fx = column(DW_TERRAIN_STEP_FRACTION, x), fy = row(DW_TERRAIN_STEP_FRACTION, y);
    float f[DW_TERRAIN_WIDTH];

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        f[i] = 0.0;
        if (i >= push.slots)
            continue;
        f[i] = float_at(texel(x, y, 0u), slot_of(i));
        if (IS(IS_LINEAR))
            f[i] = filtered(f[i], float_at(texel(x, y, 1u), slot_of(i)),
                            float_at(texel(x, y, 2u), slot_of(i)),
                            float_at(texel(x, y, 3u), slot_of(i)), fx, fy);
    }
    return dw_terrain_make_whole(f, w);
}

bool read_wholes(uint x, uint y, out uint w[DW_TERRAIN_WIDTH])
{
    uint fx = column(DW_TERRAIN_STEP_FRACTION, x), fy = row(DW_TERRAIN_STEP_FRACTION, y);

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++) {
        w[i] = 0u;
        if (i >= push.slots)
            continue;
        if (!IS(IS_LINEAR))
            w[i] = whole_at(texel(x, y, 0u), slot_of(i));
        for (uint k = 0u; k < (IS(IS_LINEAR) ? 4u : 0u); k++)
            w[i] += whole_at(texel(x, y, k), slot_of(i)) * corner_part(fx, fy, k);
    }
    return dw_terrain_total(w) != 0u;
}
