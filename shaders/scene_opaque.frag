// SPDX-License-Identifier: MIT
// Surfaces without holes: depth is tested before shading.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "lib/scene_surface.glsl"

layout(early_fragment_tests) in;
layout(location = 0) out vec4 out_color;
layout(location = 1) out vec4 out_id; // four bytes of the number: every device has samples of it

void main()
{
    dw_scene_material material = materials[push.material];
    vec4 base = dw_base_color(material);

    out_color = dw_shaded(material, base);
    if (dw_is(DW_SCENE_IS_BLENDED))
        out_color.rgb *= out_color.a;
    out_id = unpackUnorm4x8(in_instance.y);
}
