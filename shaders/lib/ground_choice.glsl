// SPDX-License-Identifier: MIT
// The material of a fragment's noise cell.
#ifndef DW_LIB_GROUND_CHOICE_GLSL
#define DW_LIB_GROUND_CHOICE_GLSL

#include "lib/ground_surface.glsl"

/* Of the last fetch, by slot. */
float dw_ground_weights[DW_TERRAIN_SLOTS];

float dw_ground_weight(uint slot)
{
    return dw_ground_weights[slot];
}

/* What is written for a slot. */
uint dw_ground_id(uint slot)
{
    for (uint i = 0u; i < material_count; i++) {
        if (law.slots[i] == slot)
            return law.ids[i];
    }
    return law.empty_id;
}

float dw_ground_decode(uint at, uint i)
{
    if (form == DW_GROUND_FORM_BYTES)
        return float(weight_words[at + (i >> 2u)] >> (8u * (i & 3u)) & 255u) / 255.0;
    if (form == DW_GROUND_FORM_PACKED)
        return float(weight_words[at + (i >> 3u)] >> (4u * (i & 7u)) & 15u) / 15.0;
    return uintBitsToFloat(weight_words[at + i]);
}

void dw_ground_fetch(dw_ground_place at)
{
    ivec2 most = ivec2(look.weights[0], look.weights[1]) - 1;
    ivec2 texel = ivec2(nodes[in_node].map_x, nodes[in_node].map_z) + ivec2(floor(at.map));
    uint first;

    texel = clamp(texel, ivec2(0), most);
    first = (uint(texel.y) * look.weights[0] + uint(texel.x)) * look.weights[2];
    for (uint i = 0u; i < material_count; i++)
        dw_ground_weights[i] = dw_ground_decode(first, i);
}

uint dw_ground_chosen(dw_ground_place at)
{
    uint best = material_count;
    float most = 0.0;

    dw_ground_fetch(at);
    for (uint i = 0u; i < material_count; i++) {
        if (dw_ground_weights[i] > most) {
            most = dw_ground_weights[i];
            best = i;
        }
    }
    return best;
}

#endif
