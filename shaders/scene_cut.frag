// SPDX-License-Identifier: MIT
// Surfaces with holes: cut out by alpha, fading by rank, or both.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "lib/scene_surface.glsl"

layout(location = 0) out vec4 out_color;
layout(location = 1) out vec4 out_id; // four bytes of the number: every device has samples of it

void main()
{
    dw_scene_material material = materials[push.material];
    uvec2 pixel = uvec2(gl_FragCoord.xy);
    vec4 base = dw_base_color(material);
    vec4 color = vec4(0.0);
    uint covered = 0xffffffffu;
    bool is_gone = false;

    if (dw_is(DW_SCENE_IS_MASKED) && dw_is(DW_SCENE_IS_COVERING)) {
        covered = dw_covered_samples(dw_covered_share(material, base.a), pixel);
        is_gone = covered == 0u;
    } else if (dw_is(DW_SCENE_IS_MASKED) && dw_is(DW_SCENE_IS_DITHERED)) {
        float share = dw_covered_share(material, base.a);

        is_gone = dw_cutout_rank(pixel, in_instance.w >> 8u) >=
                  uint(share * float(DW_CUTOUT_RANKS) + 0.5);
    } else if (dw_is(DW_SCENE_IS_MASKED)) {
        is_gone = base.a < material.surface[2];
    }
    if (dw_is(DW_SCENE_IS_FADING))
        is_gone = is_gone || dw_is_faded(pixel, in_instance.x, dw_own_number(), dw_place(),
                                         uintBitsToFloat(in_instance.z));
    /* as soon as can be: but a discard ends the derivatives that a normal map needs */
    if (dw_is(DW_SCENE_HAS_NORMALS))
        color = dw_shaded(material, base);
    if (is_gone)
        discard;
    if (!dw_is(DW_SCENE_HAS_NORMALS))
        color = dw_shaded(material, base);
    gl_SampleMask[0] = int(covered);
    out_color = color;
    if (dw_is(DW_SCENE_IS_BLENDED))
        out_color.rgb *= out_color.a;
    out_id = unpackUnorm4x8(in_instance.y);
}
