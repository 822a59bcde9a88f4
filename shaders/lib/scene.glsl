// SPDX-License-Identifier: MIT
// What every draw of a scene is given.
#ifndef DW_LIB_SCENE_GLSL
#define DW_LIB_SCENE_GLSL

#include "shared/dissolve.h"
#include "shared/forest.h"
#include "lib/scene_view.glsl"

layout(scalar, set = 0, binding = DW_SCENE_MATERIALS) readonly buffer material_block {
    dw_scene_material materials[];
};
layout(scalar, set = 0, binding = DW_SCENE_VERTICES) readonly buffer vertex_block {
    uint vertices[];
};
layout(scalar, set = 0, binding = DW_SCENE_TRANSFORMS) readonly buffer transform_block {
    vec4 transforms[];
};
layout(scalar, set = 0, binding = DW_SCENE_ROWS) readonly buffer row_block { uint row_words[]; };
layout(scalar, set = 0, binding = DW_SCENE_LISTS) readonly buffer list_block {
    dw_forest_entry entries[];
};
layout(scalar, set = 0, binding = DW_SCENE_BUCKETS) readonly buffer bucket_block {
    dw_forest_bucket buckets[];
};
layout(scalar, set = 0, binding = DW_SCENE_STATES) readonly buffer state_block {
    dw_forest_state states[];
};
layout(scalar, set = 0, binding = DW_SCENE_RANKS) readonly buffer rank_block { uint rank_words[]; };

layout(set = 1, binding = DW_SCENE_BASE_TEXTURE) uniform sampler2D base_texture;
layout(set = 1, binding = DW_SCENE_NORMAL_TEXTURE) uniform sampler2D normal_texture;
layout(set = 1, binding = DW_SCENE_SHADOW_TEXTURE) uniform sampler2DShadow shadow_texture;

layout(scalar, push_constant) uniform push_block { dw_scene_push push; };

layout(constant_id = DW_SCENE_SPEC_FLAGS) const uint flags = 0u;
layout(constant_id = DW_SCENE_SPEC_SAMPLES) const uint samples = 1u;

bool dw_is(uint flag)
{
    return (flags & flag) != 0u;
}

uint dw_table_rank(uint i)
{
    return rank_words[i >> 1] >> (16u * (i & 1u)) & 0xffffu;
}

/* Ranks of sub-frame s of n are moved by s / n of all ranks, so that each pixel sees every n-th
 * part of them once, or, where n is more, each rank equally often but for one. */
uint dw_moved_rank(uint rank, uint rank_count)
{
    return rank + view.size[2] * rank_count / view.size[3] & rank_count - 1u;
}

/* The rank that fades compare with. */
uint dw_fade_rank(uvec2 pixel, uint instance)
{
    uint rank = push.pattern == DW_DITHER_PATTERN_BLUE
                    ? dw_table_rank(push.rank_first +
                                    dw_dither_table_index(push.rank_side, pixel.x, pixel.y))
                    : dw_dither_formula(push.pattern, pixel.x, pixel.y, instance);

    return dw_moved_rank(rank, push.rank_count);
}

/* The rank that cutouts compare with, of DW_CUTOUT_RANKS. Each card has the table elsewhere: what
 * several cards cover together is then what they would cover if each were drawn in full detail. */
uint dw_cutout_rank(uvec2 pixel, uint card)
{
    pixel += uvec2(card, card / DW_CUTOUT_SIDE);
    return dw_moved_rank(dw_table_rank(dw_dither_table_index(DW_CUTOUT_SIDE, pixel.x, pixel.y)),
                         DW_CUTOUT_RANKS);
}

/* Whether the fade word of a list entry takes this fragment away. */
bool dw_is_faded(uvec2 pixel, uint fade, uint instance, float place, float dissolve)
{
    uint rank = dw_fade_rank(pixel, instance);
    uint cross_count = DW_FOREST_CROSS(fade);

    if (rank < DW_FOREST_HIDE(fade))
        return true;
    if ((fade & DW_FOREST_IS_CROSSING) != 0u &&
        (rank < cross_count) != ((fade & DW_FOREST_IS_LOW) != 0u))
        return true;
    if (dw_is(DW_SCENE_IS_DIRECTED)) {
        float amount = push.scale * dw_dissolve_amount_at(push.dissolve, place,
                                                          dissolve / push.scale, push.softness,
                                                          1.0 / push.softness);

        return rank < dw_discard_count(push.rule, push.rank_count, amount);
    }
    return false;
}

#endif
