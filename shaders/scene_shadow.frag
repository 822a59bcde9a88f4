// SPDX-License-Identifier: MIT
// Depth as the sun sees it, of what has holes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "lib/scene_surface.glsl"

void main()
{
    dw_scene_material material = materials[push.material];
    uvec2 pixel = uvec2(gl_FragCoord.xy);
    float alpha = dw_base_color(material).a;

    if (dw_is(DW_SCENE_IS_MASKED) && alpha < material.surface[2])
        discard;
    if (dw_is(DW_SCENE_IS_FADING) &&
        dw_is_faded(pixel, in_instance.x, dw_own_number(), dw_place(),
                    uintBitsToFloat(in_instance.z)))
        discard;
}
