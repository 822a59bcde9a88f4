// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#define DW_DEPTH_SAMPLER sampler2DMS
#define DW_DEPTH_HAS_SAMPLES
#include "lib/particle_surface.glsl"

layout(early_fragment_tests) in;
layout(location = 0) out vec4 out_color;

void main()
{
    vec4 color = dw_particle_color();

    if (color == vec4(0.0))
        discard;
    out_color = color;
}
