// SPDX-License-Identifier: MIT
// The material of a fragment's noise cell, chosen as everywhere else.
#ifndef DW_LIB_GROUND_CHOICE_GLSL
#define DW_LIB_GROUND_CHOICE_GLSL

#include "lib/ground_surface.glsl"

#define DW_TERRAIN_WIDTH       material_count
#define DW_TERRAIN_LAW(field)  DW_GROUND_LAW_##field
#define DW_TERRAIN_TABLE(i)    (rank_words[(i) >> 1] >> (16u * ((i) & 1u)) & 0xffffu)
#define DW_GROUND_LAW_mode     mode
#define DW_GROUND_LAW_noise    noise
#define DW_GROUND_LAW_quantize     law.quantize
#define DW_GROUND_LAW_least        law.least
#define DW_GROUND_LAW_share        law.share
#define DW_GROUND_LAW_side_mask    law.side_mask
#define DW_GROUND_LAW_rank_bits    law.rank_bits
#define DW_GROUND_LAW_seed         law.seed
#define DW_GROUND_LAW_swing        law.swing
#define DW_GROUND_LAW_depth        law.depth
#define DW_GROUND_LAW_accents      law.accents
#define DW_GROUND_LAW_exponent     law.exponent
#define DW_GROUND_LAW_accent_begin law.accent_begin
#define DW_GROUND_LAW_accent_scale law.accent_scale
#define DW_GROUND_LAW_lifts        law.lifts
#define DW_GROUND_LAW_levels       law.levels
#define DW_GROUND_LAW_offsets      law.offsets
#include "shared/terrain_choose.h"

const uint FRACTION = 256u; /* of a texel: what is interpolated by */

/* Texels around a fragment; all are the first where weights are not interpolated. */
struct dw_ground_texels {
    uint first[4];
    uvec2 fraction; /* of FRACTION, towards the others */
};

dw_ground_texels dw_ground_fetch(dw_ground_place at)
{
    ivec2 most = ivec2(look.weights[0], look.weights[1]) - 1;
    ivec2 base = ivec2(nodes[in_node].map_x, nodes[in_node].map_z);
    vec2 moved = dw_is(DW_GROUND_IS_LINEAR) ? at.map - 0.5 : at.map;
    ivec2 low = ivec2(floor(moved));
    dw_ground_texels texels;

    texels.fraction = uvec2(0u);
    if (dw_is(DW_GROUND_IS_LINEAR))
        texels.fraction = uvec2(floor((moved - vec2(low)) * float(FRACTION) + 0.5));
    for (int i = 0; i < (dw_is(DW_GROUND_IS_LINEAR) ? 4 : 1); i++) {
        ivec2 texel = clamp(base + low + ivec2(i & 1, i >> 1), ivec2(0), most);

        texels.first[i] = (uint(texel.y) * look.weights[0] + uint(texel.x)) * look.weights[2];
    }
    return texels;
}

uint dw_ground_bits(uint first, uint slot)
{
    uint bits = form == DW_GROUND_FORM_PACKED ? 4u : 8u;

    return weight_words[first + slot * bits / 32u] >> (slot * bits & 31u) & ((1u << bits) - 1u);
}

/* A whole number, of weights that are; interpolated: FRACTION^2 times as large. */
uint dw_ground_whole(dw_ground_texels texels, uint slot)
{
    uint fx = texels.fraction.x, fy = texels.fraction.y, sum = 0u;

    if (!dw_is(DW_GROUND_IS_LINEAR))
        return dw_ground_bits(texels.first[0], slot);
    for (uint i = 0u; i < 4u; i++)
        sum += dw_ground_bits(texels.first[i], slot) *
               (((i & 1u) != 0u ? fx : FRACTION - fx) * ((i >> 1) != 0u ? fy : FRACTION - fy));
    return sum;
}

float dw_ground_float(dw_ground_texels texels, uint slot)
{
    float found[4];
    vec2 t = vec2(texels.fraction) / float(FRACTION);

    for (int i = 0; i < (dw_is(DW_GROUND_IS_LINEAR) ? 4 : 1); i++)
        found[i] = dw_terrain_clean(uintBitsToFloat(weight_words[texels.first[i] + slot]));
    if (!dw_is(DW_GROUND_IS_LINEAR))
        return found[0];
    return dw_lerp(dw_lerp(found[0], found[1], t.x), dw_lerp(found[2], found[3], t.x), t.y);
}

/* Of 1, for people to see. */
float dw_ground_weight(dw_ground_texels texels, uint slot)
{
    if (form == DW_GROUND_FORM_FLOAT)
        return dw_ground_float(texels, slot);
    return float(dw_ground_whole(texels, slot)) /
           ((form == DW_GROUND_FORM_PACKED ? 15.0 : 255.0) *
            (dw_is(DW_GROUND_IS_LINEAR) ? float(FRACTION * FRACTION) : 1.0));
}

/* The place in the law's order, or one that is not there. */
uint dw_ground_chosen(dw_ground_place at)
{
    dw_ground_texels texels = dw_ground_fetch(at);
    uvec2 cell = uvec2(ivec2(nodes[in_node].cell_x, nodes[in_node].cell_z) +
                       ivec2(floor(at.cell)));
    uint w[DW_TERRAIN_WIDTH];
    float heights_of[DW_TERRAIN_WIDTH];
    float weights[DW_TERRAIN_WIDTH];

    for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
        heights_of[i] = mode == DW_TERRAIN_MODE_HEIGHT ? surfaces[law.slots[i]].height : 0.0;
    if (form == DW_GROUND_FORM_FLOAT) {
        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
            weights[i] = dw_ground_float(texels, law.slots[i]);
        if (!dw_terrain_make_whole(weights, w))
            return DW_TERRAIN_NONE;
    } else {
        for (uint i = 0u; i < DW_TERRAIN_WIDTH; i++)
            w[i] = dw_ground_whole(texels, law.slots[i]);
        if (dw_terrain_total(w) == 0u)
            return DW_TERRAIN_NONE;
    }
    return dw_terrain_choose_whole(w, heights_of, cell.x, cell.y);
}

#endif
