// SPDX-License-Identifier: MIT
// The particles of a draw, before they have an extent.
#ifndef DW_LIB_PARTICLE_POINT_GLSL
#define DW_LIB_PARTICLE_POINT_GLSL

#include "lib/particle_draw.glsl"
#include "shared/particle_gpu.h"

layout(scalar, set = 0, binding = DW_PARTICLE_DRAW_SPRITES) readonly buffer sprite_block {
    dw_particle_sprite sprites[];
};
layout(scalar, set = 0, binding = DW_PARTICLE_DRAW_LIST) readonly buffer list_block {
    uint list[];
};
layout(scalar, set = 0, binding = DW_PARTICLE_DRAW_SPANS) readonly buffer span_block {
    dw_particle_span spans[];
};

vec3 dw_decode(vec3 code)
{
    return mix(pow((code + 0.055) / 1.055, vec3(2.4)), code / 12.92,
               lessThanEqual(code, vec3(0.04045)));
}

/* Soft particles also fade out in front of the camera, so that none is cut by the near plane. */
float dw_near_share(vec3 centre)
{
    if (!dw_is(DW_STYLE_IS_SOFT) || view.depth_terms[3] != 0.0)
        return 1.0;
    return clamp(dot(centre - DW_VEC3(view.position, 0), DW_VEC3(view.forward, 0)) * push.soft,
                 0.0, 1.0);
}

/* Light, or what a surface reflects; opacity. */
vec4 dw_point_color(dw_particle_sprite s, vec3 centre)
{
    vec4 color = unpackUnorm4x8(s.color);

    if (!dw_is(DW_STYLE_IS_LINEAR))
        color.rgb = dw_decode(color.rgb);
    return vec4(push.glow * color.rgb,
                color.a * unpackHalf2x16(s.opacity).x * dw_near_share(centre));
}

#endif
