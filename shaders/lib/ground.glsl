// SPDX-License-Identifier: MIT
// What every draw of a terrain is given.
#ifndef DW_LIB_GROUND_GLSL
#define DW_LIB_GROUND_GLSL

#include "shared/ground.h"
#include "shared/terrain.h"
#include "lib/scene_view.glsl"

layout(scalar, set = 0, binding = DW_GROUND_LOOK) readonly buffer look_block {
    dw_ground_look look;
};
layout(scalar, set = 0, binding = DW_GROUND_LAW) readonly buffer law_block {
    dw_terrain_law law;
};
layout(scalar, set = 0, binding = DW_GROUND_SURFACES) readonly buffer surface_block {
    dw_ground_surface surfaces[];
};
layout(scalar, set = 0, binding = DW_GROUND_HEIGHTS) readonly buffer height_block {
    float heights[];
};
layout(scalar, set = 0, binding = DW_GROUND_LIST) readonly buffer list_block {
    dw_ground_node nodes[];
};
layout(scalar, set = 0, binding = DW_GROUND_WEIGHTS) readonly buffer weight_block {
    uint weight_words[];
};
layout(scalar, set = 0, binding = DW_GROUND_RANKS) readonly buffer rank_block {
    uint rank_words[];
};

layout(set = 1, binding = DW_GROUND_ALBEDO) uniform sampler2DArray albedo_texture;
layout(set = 1, binding = DW_GROUND_NORMAL) uniform sampler2DArray normal_texture;
layout(set = 1, binding = DW_GROUND_MACRO) uniform sampler2D macro_texture;
layout(set = 1, binding = DW_GROUND_SLOPES) uniform sampler2D slope_texture;
layout(set = 1, binding = DW_GROUND_SHARES) uniform sampler2DArray share_texture;
layout(set = 1, binding = DW_GROUND_SHADOW) uniform sampler2DShadow shadow_texture;

layout(constant_id = DW_GROUND_SPEC_FLAGS) const uint flags = 0u;
layout(constant_id = DW_GROUND_SPEC_FORM) const uint form = DW_GROUND_FORM_FLOAT;
layout(constant_id = DW_GROUND_SPEC_COUNT) const uint material_count = 1u;
layout(constant_id = DW_GROUND_SPEC_VIEW) const uint shown = DW_GROUND_SHOWS_COLOR;
layout(constant_id = DW_GROUND_SPEC_MODE) const uint mode = DW_TERRAIN_MODE_PRIORITY;
layout(constant_id = DW_GROUND_SPEC_NOISE) const uint noise = DW_TERRAIN_NOISE_BLUE;

bool dw_is(uint flag)
{
    return (flags & flag) != 0u;
}

#endif
